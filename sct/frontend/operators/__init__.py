"""Operators: arithmetic, comparisons, identity and truth of abstract values.

    arithmetic_operators  binary, unary and in-place operators
    container_operators   operators of lists, tuples and dicts
    comparisons           comparisons: at run time, or by the rules of containers
    run_time_comparisons  comparisons of lists and tuples whose length is known only at run time
    exception_arguments   exceptions, and the tuples that they carry
    equal_items           `x is y or x == y`, as containers compare their items
    identity              `is`
    truth                 `bool`, conditions, `and`, `or`, `not`
    choices               objects that depend on the path: what is done with one is done for each
    row_items             items of dicts and tuples that are rows of columns
    text_formatting       text of objects at run time
    methods_of_constants  methods of strings and numbers that are known

Each module asks the operands' own special methods first (`special_methods`), as Python does; numbers and arrays
become equations, containers are compared or joined item by item.
"""
