"""The user's source as a syntax tree.

    parse           the tree of a function, found by its code object
    private_names   names with two underscores, as a class mangles them
    match_lowering  `match` -> `if`
    try_lowering    `return` and `yield` in a `try`: the value is computed there
    stack_lowering  `with ExitStack()` -> `with` statements
    merged_yields   several `yield` in one block -> one
    name_scopes     which names a function binds and reads
    name_liveness   where each name may still be read
    bindings        what is bound to the variables of a function
    changing_calls  which names of functions say that they change something
    new_objects     which variables hold only what the function makes itself
    written_out     functions of libraries without text, as functions of Python
"""
