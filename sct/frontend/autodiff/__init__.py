"""Derivatives as equations: a differentiated function becomes a region with the numbers that it is differentiated
by as parameters.

    differentiated_region  a function -> a region with the numbers that it is differentiated by as params
    nested_derivatives     `grad`, `vjp` and `jvp`, inside differentiated functions and outermost
    nested_jacobians       dense derivatives: `jacfwd`, `jacrev`, `jacobian`, `hessian`
    tangent_arguments      tangents and cotangents, converted to the types of their primals
    value_trees            abstract values -> trees of numbers and arrays, and back
    argument_effects       which parts of its arguments a differentiated function writes
    ruled_calls            calls of functions with a rule of the user
    implicit_functions     solutions of equations as values: `sct.implicit`
    solvers                solvers of SciPy, whose results are solutions
    integrals              integrals of SciPy, differentiated by the rule of Leibniz
    trajectories           differential equations: SciPy solves them, and its steps are differentiated
    time_steps             the steps of the methods that solve differential equations, as programs
"""
