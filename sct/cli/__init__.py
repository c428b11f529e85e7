"""The command `sct`.

    sct show-ir PATH... [--function NAME] [--wrt NAMES] [--args "x: f64[n], k = 2"] [--mode MODE] [--stage STAGE]
    sct emit PATH... -o OUT
    sct check PATH... [--format FORMAT]
    sct cache [--clear]

In:  a command line.  A PATH is a file of Python, a notebook, a directory, or `-`, standard input.
Out: text on standard output, refusals on standard error, and the exit status: 0, all is well; 1, something is refused;
     2, a wrong command line.

`commands` has the commands, `paths` finds the files, `selection` the functions and their types, `reports` writes what
`sct check` says.

Invariant: no file is run, only its imports, functions, classes and plain constants are.  Whatever a file holds, the
answer is a result or a refusal, never a traceback of sct.
"""

from sct.cli.commands import main

__all__ = ["main"]
