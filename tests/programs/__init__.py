"""Programs that every mode is tested on; see `tests/test_programs.py`.

A module here holds functions and, by their names, how to call them:

    INPUTS = {"f": lambda rng: (arguments...)}
    GRADIENTS = {"f": lambda *arguments: {position: closed form}}   # where there is one

Every function named in INPUTS is a program; the others are its helpers.  The
arguments that are floats, float arrays or containers with such a leaf are
differentiated.  Inputs keep clear of kinks and jumps.
"""
