"""Array statements -> loops over elements.

In:  a `Block` with statements on arrays. Out: the block with loops in place of those that gain by it.

    index_ranges          what is known of positions in arrays
    loop_nests            the loops of one array statement
    joined_arrays         the loops of arrays that hold others side by side
    matrix_products       products of matrices, by BLAS
    supported_statements  which statements become loops
    scalarize             the statements of a program

Invariant: a statement becomes loops only if all of it can be compiled.
"""
