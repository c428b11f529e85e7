"""Functions of SciPy, which is imported where a program uses it: special functions, linear algebra, quadrature,
filters, distances, distributions.

    formulas               rules written as formulas
    elementary_functions   logistic functions, entropies, powers
    error_functions        error functions, the normal distribution
    gamma_functions        gamma and beta functions
    bessel_functions       Bessel functions
    elliptic_functions     elliptic integrals and functions
    hypergeometric         hypergeometric functions, orthogonal polynomials
    special_integrals      integrals of Bessel functions, modified Fresnel integrals
    wave_functions         Mathieu, spheroidal, parabolic cylinder and Kelvin functions, spherical harmonics
    distribution_functions distribution functions of `scipy.special` and their inverses
    distributions          densities, distribution functions and quantiles of `scipy.stats`
    linear_systems         systems, by matrices, triangles and factors
    banded_systems         systems with banded matrices
    toeplitz_systems       systems with Toeplitz matrices
    matrix_functions       functions of matrices, decompositions
    matrix_logarithms      logarithms and powers of matrices
    distances              `cdist` and `pdist`
    splines                piecewise polynomials
    sums_and_convolutions  sums of exponentials, integrals of samples, convolutions
    cosine_transforms      cosine and sine transforms
    signal_filters         recursive filters of signals
    filters                linear filters of images
    image_samples          images between their elements
"""
