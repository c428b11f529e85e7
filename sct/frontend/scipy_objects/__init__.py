"""Objects of SciPy that depend on what is differentiated.

    interpolants          objects of `scipy.interpolate` that are made of differentiated data
    frozen_distributions  distributions of `scipy.stats` with their parameters
    sparse_matrices       constant sparse matrices: products and systems

An object is made and read as the user makes and reads it.  What it is made of stands beside it, for the derivative
passes through that.
"""
