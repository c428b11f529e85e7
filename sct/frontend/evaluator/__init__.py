"""The abstract evaluator: what all handlers share.

`Evaluator` is the state of an evaluation (`frontend.state`) with layers on it, each of which uses those below it alone:

    attempts        operations that may raise what a `try` in progress handles
    operands        abstract values as operands of the IR; equations are emitted here
    known_values    values that must be known: computed from the arguments, and guarded
    evaluator       dispatch: the handler of an expression, a statement or a call

Beside them stand

    handlers        the tables of handlers, which the modules of the packages above fill
    exceptions      what Python itself would raise
    views           writes through views
    lookup_guards   guards of what is looked up in objects and classes
    memory_layout   how arrays lie in memory
    list_items      objects in lists of columns
    lists_in_lists  lists that are items of lists
    own_methods     which functions are the user's, and do not run when a function is compiled
"""
