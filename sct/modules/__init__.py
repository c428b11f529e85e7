"""Derivatives as modules: checks, free variables and definitions written out, so that they stand alone."""
