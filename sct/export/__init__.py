"""Export: derivatives as modules that stand alone.

In:  a compiled derivative, or a file with decorated functions.
Out: the text of a module: the derivatives as plain functions, the checks of their arguments, how free variables
     are read, and copies of
     those definitions of the user's module that the code needs.

`decorated_file` reads a file without running it (`file_without_running`) and writes the derivative of each
decorated name; `golden` writes and compares golden files; `stages` prints the IR of a derivative after each
stage (`sct show-ir`).

Invariant: a module checks at run time what the derivative's guards check at each call, and raises a `TypeError`
or `ValueError` that names the argument.
"""
