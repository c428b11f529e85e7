"""Sparse matrices of SciPy that are made of differentiated numbers.

    elements      a matrix, as the evaluation sees it
    construction  how matrices are made
    elementwise   functions of the elements
    algebra       products, systems, and what is read of a matrix
    krylov        eigenvalues, singular values, exponentials and least squares of large matrices
"""
