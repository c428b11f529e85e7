"""Handlers of the syntax: expressions, attributes, statements, comprehensions and `match`.

    statements             `if`, exits, `raise`, `assert`, functions in functions
    tail_duplication       the rest of a block in each branch of a conditional
    try_statement          `try`: the handler starts from the state where a statement raises
    match_statement        `match`, rewritten to `if`
    assignment_statements  `x = v`, `x: float = v`, `x += v`, `del x`
    assignment             targets: a name, a subscript, a pattern of them
    swaps                  two items of a list that change places
    expressions            constants, names, displays, lambdas, f-strings
    comprehensions         comprehensions: of known items at once, else as a loop
    attributes             reads of attributes
    row_items              items of dicts and tuples whose number is known only at run time
    function_body          the body of a function that is called, in its frame
    python_expressions     expressions that Python evaluates as a whole
"""
