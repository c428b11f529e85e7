"""The abstract evaluator: what all handlers share.

`Evaluator` is the state of an evaluation (`frontend.state`) with layers on it, each of which uses those below it alone:

    attempts      operations that may raise what a `try` in progress handles
    operands      abstract values as operands of the IR; equations are emitted here
    known_values  values that must be known: computed from the arguments, and guarded
    evaluator     dispatch: the handler of an expression, a statement or a call

`handlers` is the table of handlers, which the modules of the packages above fill.  `exceptions` emits what Python
would raise; `views` writes through views; `lookup_guards` and `memory_layout` answer questions.
"""
