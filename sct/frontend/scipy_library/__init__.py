"""Functions of SciPy whose derivative is that of a program of NumPy: the value is what SciPy computes.

    by_program            the value by a call of the library, the derivative by a program
    fits                  `curve_fit`, least squares with bounds, linear programs
    constrained_minima    minima under constraints
    fitpack               splines as tuples
    hermite_interpolants  `PchipInterpolator`, `Akima1DInterpolator`
    integrals_of_samples  `simpson` and `cumulative_simpson`, by their points
    grids                 tables over grids, and images between their elements
    scattered_data        values at scattered points, read between them
    radial_functions      `RBFInterpolator`
    geometry              neighbours, triangulations and hulls of points
    rotations             rotations of points
    spatial               distances between points
    linear_algebra        functions of matrices
    signal_processing     signals and images
    sparse                sparse matrices of differentiated numbers
    statistics            functions of samples, and distributions
"""
