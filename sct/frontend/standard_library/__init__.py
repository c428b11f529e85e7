"""Calls of builtins, of `operator`, `itertools`, `functools`, `bisect`, `heapq` and `dataclasses`, and methods of
objects.
"""
