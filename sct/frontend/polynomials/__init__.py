"""Polynomials as objects of NumPy.

    by_powers  `np.poly1d`, and `numpy.polynomial.Polynomial` of coefficients alone
    series     series in other bases, on a domain, and of least squares
    constant_splines  splines of SciPy, and polynomials, that do not depend on what is differentiated
"""
