"""Derivatives as equations: a differentiated function becomes a region with the numbers that it is differentiated
by as parameters.
"""
