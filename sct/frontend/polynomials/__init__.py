"""Polynomials as objects of NumPy and SciPy.

    by_powers  `np.poly1d`, and `numpy.polynomial.Polynomial` of coefficients alone
    series     series in other bases, on a domain, and of least squares
    roots      `np.roots`
    piecewise  polynomials of SciPy that are made of differentiated numbers
    constant_splines  splines of SciPy, and polynomials, that do not depend on what is differentiated
"""
