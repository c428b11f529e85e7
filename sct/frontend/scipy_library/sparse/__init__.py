"""Sparse matrices of SciPy that are made of differentiated numbers."""
