"""Export: derivatives as modules that stand alone.

In:  a compiled derivative, or a file with decorated functions.
Out: the text of a module: the derivatives as plain functions, which check their arguments, and the imports,
     constants and copied definitions that they need.

`write_module` puts the text together from the checks (`argument_checks`, `list_size_checks`, `identity_checks`,
`pullback_checks`) and the expressions for free variables (`free_variables`, `copied_definitions`); `free_sizes` finds
the sizes that need no check. `decorated_file` reads a file without running it (`reading`) and writes the derivative
of each decorated name. `golden` writes and compares golden files. `stages` prints the IR of a derivative after each
stage (`sct show-ir`).

Invariant: the functions of a module check all guards of their specializations, and raise a `TypeError` or
`ValueError` that names the argument.
"""
