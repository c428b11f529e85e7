"""Calls of functions.

A user's function is evaluated in line. One that calls itself, or that is long and called again for the same kind of
arguments, becomes a function of the program. What sct has no source of is an opaque call.

    call_expressions         calls: what is called, its arguments, and the handler
    starred_lists            `f(*xs)` of a list whose length is known only at run time
    user_functions           a user's function in line: parameters, and a frame of its own
    outlining                which functions become functions of the program
    function_specialization  a function of the program for one kind of arguments; calls of it
    flattened_arguments      arguments of such a call as a flat list, and the tree around them
    captured_variables       what closures read of the functions around them, passed as arguments
    closure_conversion       values around an outlined function that it reads become its params
    library_functions        functions of libraries that are plain Python
    cached_functions         `functools.lru_cache`
    opaque_calls             functions without source: run once, in order, not differentiated
    outside_writes           what functions that run as they are may write, and the function reads
"""
