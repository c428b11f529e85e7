"""Analyses: they return facts about a function and change nothing.

    activity          which values depend on the inputs and reach the results
    linearity         which values are linear in the params
    alias             which values may share memory, and where they are read
    type_inference    types, after operands have changed theirs
    loop_layout       how values move through loops and conditionals
    transposed_block  which equations contribute to which cotangents
    nan_tests         which elements a program may leave out, since they are nan
    nonzero           numbers that are not 0, as the function would have raised
    moduli            absolute values and norms, and where squares of them are read
    jumps             values that are constant between their jumps
    tape_sizes        the memory of the tapes, as a formula in the arguments
"""
