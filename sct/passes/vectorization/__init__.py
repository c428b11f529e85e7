"""Vectorization: loops of adjoint code, or parts of them, become operations on whole arrays.

    vectorize          loops over parts of arrays -> operations on whole arrays
    lifted_iterations  the values of an adjoint loop in all its iterations at once
    triangles          parts of matrices that grow with the index, of all iterations at once
    distribute         sums in a loop that nothing there reads -> operations behind it
    windows            loops over the positions of a window -> loops over the places in it
    batch_reductions   sums of outer products in a loop -> one product behind it
"""
