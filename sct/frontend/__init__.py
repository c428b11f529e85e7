"""From Python functions to IR."""

from sct.frontend import (
    arrays,
    builtins,
    calls,
    comprehensions,
    expressions,
    jacobians,
    loops,
    methods,
    reflection,
    statements,
)
from sct.frontend.arguments import Unloaded, Untyped, key_of, read_path
from sct.frontend.trace import Parameter, Traced, root_of, signature_comment, trace, trace_ahead
from sct.frontend.transform import Transform

__all__ = [
    "Parameter", "Traced", "Transform", "Unloaded", "Untyped", "key_of", "read_path", "root_of",
    "signature_comment", "trace", "trace_ahead",
]

_handlers = (arrays, builtins, calls, comprehensions, expressions, jacobians, loops, methods, reflection, statements)
