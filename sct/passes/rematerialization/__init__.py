"""Rematerialization: which values of the forward pass the backward pass keeps, and how it obtains the others.

In:  a function in which every residual of a loop is on a tape. Out: the same function with the tapes that cost least.

    mutable_ir            the IR on which these work: it may read values out of scope
    paired_regions        finds the forward region that each backward region mirrors, and removes the tapes
    reuse_forward_values  the backward pass reads forward values in place of computing equal ones
    shape_only_reads      operands that are read for their shape alone are replaced by arrays in scope
    choose_residuals      the entry: provides each value that a backward loop needs, from a tape or another source
    residual_sources      the sources of a value besides a tape, and the choice between them
    cost_model            the cost of keeping a value, and of computing it again
    min_cut               the choice as a minimum cut
    final_array_reads     values that are still in an array when the forward loop has ended
    masks_on_tapes        comparisons on tapes in place of the arrays that they compare
    arrays_on_tapes       arrays that an outer loop keeps, in place of what the iterations of an inner loop keep
    segments              loops of segments that are computed again, in checkpointed programs

Invariant: between `paired_regions` and the end of `choose_residuals` the IR reads values out of scope; after it, none.
"""
