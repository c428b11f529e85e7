"""Operators: arithmetic, comparisons, identity and truth of abstract values.

    arithmetic_operators  binary, unary and in-place operators
    container_operators   operators of lists, tuples and dicts
    comparisons           comparisons: at run time, or by the rules of containers
    run_time_comparisons  comparisons of lists and tuples whose length is known only at run time
    identity              `is`
    truth                 `bool`, conditions, `and`, `or`, `not`
    choices               objects that depend on the path: what is done with one is done for each
    text_formatting       text of objects at run time
    constant_splines      splines that do not depend on what is differentiated
    interpolants          objects of `scipy.interpolate` of differentiated data
    frozen_distributions  distributions of `scipy.stats` with parameters
    sparse_matrices       constant sparse matrices: products and systems

Each module asks the operands' own special methods first (`special_methods`), as Python does; numbers and arrays
become equations, containers are compared or joined item by item.
"""
