"""Polynomials as objects of NumPy.

    by_powers  `np.poly1d`, and `numpy.polynomial.Polynomial` of coefficients alone
    series     series in other bases, on a domain, and of least squares
"""
