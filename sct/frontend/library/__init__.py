"""Calls of library functions: builtins, NumPy, `math`, `operator`, `itertools`, `functools`, and methods of their
objects.
"""
