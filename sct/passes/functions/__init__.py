"""Derivatives of the functions of a program.

A function that equations call is differentiated once, as one function with a `boundary` between its forward and its
backward part. In: a program with such functions. Out: two functions for each, and a record between them.

    forwarded_params        params that are cheap to pass to the backward part as well
    recompute_in_backward   the choice between recomputing a forward value and receiving it as a residual
    residual_records        a record that one branch builds, and that is `None` where the other branch ran
    records_per_iteration   one record for all that an iteration of a loop passes to the backward part
    dead_arguments          params, results and fields that no call needs go
    split_forward_backward  the entry: splits the functions at their boundaries

Invariant: until the split, the forward and the backward part are one block, so that every other pass sees what the one
reads of the other.
"""
