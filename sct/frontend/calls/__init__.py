"""Calls of functions.

A user's function is evaluated in line (`call_expressions`). One that calls itself, or that is long and called again for
the same kind of arguments, becomes a function of the program (`outlining`, `function_specialization`). What sct
has no source of is an opaque call.
"""
