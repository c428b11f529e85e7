"""Rematerialization: which values of the forward pass the backward pass keeps, and how it obtains the others.

In:  a function in which every residual of a loop is on a tape. Out: the same function with the tapes that cost least.

    paired_regions        finds the forward region that each backward region mirrors, and removes the tapes
    reuse_forward_values  the backward pass reads forward values in place of computing equal ones
    shape_only_reads      operands that are read for their shape alone are replaced by arrays in scope
    choose_residuals      the entry: chooses for each loop the values to keep, and puts tapes back for these
    cost_model            the cost of keeping a value, and of obtaining it in another way
    min_cut               the choice as a minimum cut
    final_array_reads     values that are still in an array when the forward loop has ended

Invariant: between `paired_regions` and the end of `choose_residuals` the IR reads values out of scope; after it, none.
"""
