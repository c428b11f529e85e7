"""From Python functions to IR."""

from sct.frontend import (
    arrays,
    builtins,
    cached,
    calls,
    comparisons,
    comprehensions,
    contexts,
    copying,
    expressions,
    iterators,
    jacobians,
    loops,
    methods,
    operators,
    patterns,
    records,
    reflection,
    statements,
)
from sct.frontend.aliasing import apart
from sct.frontend.arguments import ROWS, Equal, Same, Unloaded, Untyped, key_of, read_path
from sct.frontend.facts import Guard
from sct.frontend.genuine import library_facts
from sct.frontend.roots import identity
from sct.frontend.trace import Parameter, Traced, root_of, signature_comment, tangent_names, trace, trace_ahead
from sct.frontend.transform import Transform

__all__ = [
    "ROWS", "Equal", "Guard", "Parameter", "Same", "Traced", "Transform", "Unloaded", "Untyped", "apart",
    "identity", "key_of", "library_facts", "read_path", "root_of", "signature_comment", "tangent_names", "trace",
    "trace_ahead",
]

_handlers = (
    arrays, builtins, cached, calls, comparisons, comprehensions, contexts, copying, expressions, iterators, jacobians,
    loops, methods, operators, patterns, records, reflection, statements)
