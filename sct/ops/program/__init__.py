"""Control flow, calls, effects and lists as ops: the derivatives of these are in `passes.autodiff`.

    control             `loop`, `cond`, and derivatives of functions
    attempts            operations that may raise what the user's function catches
    call_ops            calls of functions, and what their two parts hand over
    effects             calls that are kept in order, run once and not differentiated
    solutions           solutions, integrals, and what functions with a rule return
    uses_of_none        what an operation does with None
    list_ops            lists whose length is known only at run time
    list_slices         a part of a list gives way to another
    list_sums           sums and norms of the numbers of a list, of `math`
    list_concatenation  the arrays of a list, joined
    inner_lists         updates of a list in a list
    links               references to objects as numbers of rows
"""
