"""Functions of `scipy.stats`, and others of samples: the value is what SciPy computes, the derivative a program's."""
