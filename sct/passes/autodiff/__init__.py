"""Automatic differentiation of IR.

In:  a program with equations that differentiate their regions: `vjp`, `jvp`, `pullback`, `jacobian`. Out: the same
program with ordinary equations only. Every residual is on a tape; `rematerialization` chooses later which of them stay.

    expand                from the inside outwards, replaces each of these equations by one of the transformations
    reverse               the transpose of a region: its forward equations with taps, and the backward pass
    forward               a region with tangents beside its values
    linearize             the tangents alone, as a linear map that is applied several times
    jacobian              dense derivatives: loops over the rows or columns, around `reverse` or `linearize`
    function_derivatives  derivatives of functions of the program, each made once; `derivative_lookup` is its interface
    cotangents            types, zeros and sums of cotangents
    residuals             gives the backward pass access to values inside regions of the forward pass
    implicit_functions    solutions of equations, by the implicit function theorem
    integrals             integrals, by the rule of Leibniz
    transposed_rules      rules that are given for one mode, where the other is asked for

Invariants: a transformation is written once, with the ops themselves, so that its result can be differentiated again.
The equations that it adds are marked as adjoint code (`primal=False`); the user's own equations stay as they are.
"""
