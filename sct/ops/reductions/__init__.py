"""Reductions, cumulative ops, statistics, sorting, counting, differences.

    reductions         reductions over axes, and the broadcasts that transpose them
    masked_reductions  `where=`, `initial=`, and NaN left out
    masked_ufuncs      a ufunc with `where=` and `out=`
    statistics         variance and running sums
    covariance         covariances and correlations
    cumulative         running products and extrema, weighted averages
    differences        differences of neighbours, and the trapezoidal rule
    counting           counts, positions, comparisons with tolerances
    sorting            sorting, medians, quantiles
    signals            convolutions, and polynomials
"""
