"""The passes: IR -> IR.

In:  the IR of a program whose derivatives are equations (`vjp`, `jvp`, `pullback`, `jacobian`). Out: the IR of
the same program without them, ready to be printed, with the buffers chosen.

`pipeline` alone puts passes in order. Its stages are `primal` (as traced), `expanded` and `adjoint`
(derivatives are ordinary equations), `saved` (what the backward pass keeps is chosen), and `storage` (updates
in place). The sub-packages, in the order in which they build on one another:

    rewriting          the rewrite rules of adjoint code and their driver
    analysis           activity, aliases, the layout of a loop equation, types derived again
    scalar             common subexpressions, dead code
    memory             updates in place and copies
    rematerialization  what the backward pass keeps, recomputes, or reads from final arrays
    motion             code motion between regions and loops
    vectorization      loops, or parts of them, as operations on whole arrays
    functions          derivatives of functions of the program: their two parts and the records between them
    autodiff           reverse mode, forward mode, dense derivatives, residuals of regions

Invariants: a pass is a pure function `Fn -> Fn` that leaves its input as it was; its result passes `ir.check`.
Equations of the user's own arithmetic (`primal=True`) are moved, merged or dropped, never rewritten: they stay
exact bit for bit. The pipeline checks its result, and with `SCT_VERIFY=1` all of this after every pass.
"""
