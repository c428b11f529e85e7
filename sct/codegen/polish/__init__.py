"""Statement IR -> the same program as one would write it by hand.

In:  a `Block`. Out: the block, changed in place; the values that are inlined; the name of each other value.

    dead_statements       removes what no result and no effect needs
    element_loops         loops over positions -> loops over elements
    simplify_statements   merges conditionals, makes exit codes flags
    tape_columns          predicates on tapes, and iterations that need no item there
    early_returns         conditionals at the end return from their branches
    augmented_assignment  u[i] += x
    buffers               values that may share a buffer
    evaluation_order      the order of effects and exceptions
    inline_expressions    values that are read once -> expressions
    live_ranges           where each value may still be read
    variable_names        values that share a variable, and its name
    descriptive_names     names of values that have none, after what they are

Invariant: effects and exceptions keep their order, no read of a buffer or variable moves behind a write to it, and
values with overlapping live ranges have different names.
"""
