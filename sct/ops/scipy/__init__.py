"""Functions of SciPy, which is imported where a program uses it: special functions, linear algebra, quadrature,
filters, distances, distributions."""
