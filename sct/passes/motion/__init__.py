"""Code motion: equations move out of loops, into branches, or behind the readers of a buffer; equal branches are
merged, and branches that decide what comes next continue there; what is carried through a loop starts in the form in
which it is written into.

    thread_jumps        branches that decide a later predicate continue in its branches
    new_keys            a key that was not in a dict is added without a second test
    invariant_lengths   lengths of lists of which a loop only replaces items are read before it
    loop_invariant      equations that are the same in each iteration go before the loop
    sink                equations go into the only branch that reads them
    merge_branches      conditionals on one predicate become one
    delay_updates       updates go behind the readers of other parts
    dead_stores         updates that nothing reads go
    scalar_replacement  elements to which a loop adds are numbers in the loop
    scatter_to_store    additions to an element that one iteration makes are assignments
    initial_zeros       carried derivatives start as arrays
"""
