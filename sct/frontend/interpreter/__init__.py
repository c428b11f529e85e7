"""The abstract interpreter: expressions and statements.

`interpreter` holds the state of an evaluation; `handlers` is the table from syntax nodes and objects to the
functions that evaluate them, which the modules of this package, of `loops`, `calls`, `library` and `autodiff`
fill.
"""
