"""The Numba backend: statements -> kernels that Numba compiles.

In:  a `Block`, and the options of `numba.njit`. Out: a module with a function for each kernel.

    tape_arrays        the arrays that replace lists of numbers, and their sizes
    compilable_forms   statements -> forms that Numba compiles
    loops              array statements -> loops over elements
    extract_kernels    runs of statements with a loop -> kernels; what cannot be compiled stays around them
    check_subscripts   checks of subscripts that are not proved to be in range
    preallocate_tapes  lists in kernels -> preallocated arrays
    helper_functions   functions that kernels call
    print_kernels      kernels -> functions with `@njit`, and their calls
    disk_cache         the module as a file, beside which Numba keeps its machine code

Invariant: where a kernel returns, the plain code returns the same; where that raises, the kernel raises.
"""
