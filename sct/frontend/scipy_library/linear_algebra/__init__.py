"""Functions of matrices of `scipy.linalg` that have the derivative of a program.

    matrices        functions of matrices, and matrices whose elements are those of vectors
    factorizations  symmetric matrices of few diagonals by their eigenvalues, and matrices as products of others
"""
