"""Functions of SciPy whose derivative is that of a program of NumPy: the value is what SciPy computes."""
