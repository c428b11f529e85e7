"""Derivatives of the functions of a program.

A function that is called by equations is differentiated once, as one function with a `boundary` between its
forward and its backward part. These passes decide what crosses the boundary, and split the function there.
"""
