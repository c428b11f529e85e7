"""Calls of NumPy, SciPy and `math`: ops by their spelling, and the functions that write, give views, or call others.

    op_calls           ops by their spelling, and who shares memory with the result
    asked_facts        facts of the arguments on which an op depends
    call_forms         calls in another form than that of the op
    numpy_functions    functions that write into an array, give several views, or call functions
    numpy_fallbacks    functions as the functions of simpler calls that they could be
    stand_ins          functions of libraries as programs, where a differentiated number enters
    genuine_functions  is a function of a library still that of the library?
    array_copies       functions that return the array itself, a view or a copy
    array_namespace    the namespace through which SciPy's own Python calls NumPy
    array_texts        texts of arrays that NumPy makes
    flat_elements      `x.flat` and `x.shape`, written
    random_draws       the types of what generators of random numbers give
"""
