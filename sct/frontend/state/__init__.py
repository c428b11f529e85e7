"""The state of an evaluation: names and heap, blocks of IR, calls and loops in progress, free variables.

    store            what names are bound to on one path, and the heap
    may_alias        arrays that may share a buffer, and when they may be written again
    tries            the `try` statements in progress
    parts            loops, functions, exits, ...: each is changed by its own methods alone
    enclosing        what is around a differentiated region
    state            the whole, with the refusals that name its place
    fixpoint         evaluates a join point until nothing is learnt
    observed_types   types that a run of the function showed
    choices          objects that depend on the path
    object_tables    the columns of objects whose number is known only at run time
    attribute_forms  those of these that are several columns
    attribute_types  the types of the attributes of these
"""
