"""Code generation: IR -> Python source -> a function.

In:  the IR after the last pass, and an `Interface` (the signature, and what comes back). Out: a `Source`: the
text, its constants, and the map from its lines to the user's lines.

    program          IR -> structured statements: regions become blocks, exits jumps, sequences lists
    polish           statement -> statement: dead statements, inlined expressions, early returns, names of variables
    python           statements -> syntax trees -> text
    numba            kernels that Numba compiles, and lists that become preallocated arrays
    emit             the entry, which puts these in order
    interface        the input besides the IR, and the output
    cache_directory  the directory of compiled modules, and the limit on its size

Invariant: the text runs the equations of the IR in an order that the user's program could not tell from its
own: effects and exceptions keep their places (`polish.evaluation_order`), and a value is read before its buffer
is overwritten. The text imports nothing of sct.
"""

from sct.codegen.emit import generate, load
from sct.codegen.interface import NO_DEFAULT, Interface, LineMap, Parameter, Source
from sct.codegen.numba.disk_cache import load_compiled

__all__ = ["NO_DEFAULT", "Interface", "LineMap", "Parameter", "Source", "generate", "load", "load_compiled"]
