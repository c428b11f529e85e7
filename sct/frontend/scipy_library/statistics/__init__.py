"""Functions of `scipy.stats`, and others of samples: the value is what SciPy computes, the derivative a program's.

    samples                statistics of samples
    sample_tests           tests of hypotheses, means and spreads
    rank_statistics        statistics of the order, which are piecewise constant
    distributions          methods of distributions that are no ops
    distribution_formulas  the programs of these methods
    multivariate           densities of vectors
    multivariate_moments   means, variances and entropies of vectors and matrices
"""
