"""A spike: the IR after `storage`, printed as code that Numba compiles.

Five programs (LU, nonlinear Seidel, Thomas, the logistic map, soft-DTW) from the very
IR that the NumPy backend prints.  It is there to try the IR, not to be used.

    python -m benchmarks.numba_spike      the table
"""
