"""The abstract evaluator: the state of an evaluation, and what all handlers share.

`Evaluator` is built in layers, each of which uses those below it alone:

    state         names and heap (`store`), blocks of IR, refusals; its `parts`: loops, functions, exits, ...
    operands      abstract values as operands of the IR; equations are emitted here
    known_values  values that must be known: computed from the arguments, and guarded
    evaluator     dispatch: the handler of an expression, a statement or a call

`handlers` is the table of handlers, which the modules of the packages above fill.  `exceptions` emits what Python
would raise; `lookup_guards` and `memory_layout` answer questions; `fixpoint` evaluates a join point until nothing is
learnt.
"""
