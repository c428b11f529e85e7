"""Calls of NumPy, SciPy and `math`: ops by their spelling, and the functions that write, give views, or call others."""
