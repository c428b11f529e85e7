"""Code motion: equations move out of loops, into branches, or behind the readers of a buffer; equal branches are
merged; what is carried through a loop starts in the form in which it is written into.

    loop_invariant     equations that are the same in each iteration go before the loop
    sink               equations go into the only branch that reads them
    merge_branches     conditionals on one predicate become one
    delay_updates      updates go behind the readers of other parts
    dead_stores        updates that nothing reads go
    scatter_to_store   additions to an element that one iteration makes are assignments
    initial_zeros      carried derivatives start as arrays
"""
