"""Functions of libraries that are plain Python: evaluated as the user's own are, where a differentiated number enters.

    scipy.optimize.rosen(x)   ->   100.0 * (x[1:] - x[:-1]**2)**2 + (1 - x[:-1])**2, and their sum
"""

from __future__ import annotations

import statistics
import types
from typing import Any

import numpy as np

from sct.errors import SctError
from sct.frontend.arguments.lift import lift
from sct.frontend.calls.user_functions import call_function
from sct.frontend.evaluator.evaluator import Evaluator
from sct.frontend.evaluator.handlers import Args, Kwargs
from sct.frontend.evaluator.own_methods import is_library
from sct.frontend.heap.inactive import certainly_varied, is_varied
from sct.frontend.numpy_library.stand_ins import STAND_INS, vectorized
from sct.frontend.source.parse import source_of
from sct.frontend.state.fixpoint import Dead
from sct.frontend.values.abstract_values import Abstract, Static
from sct.frontend.values.guards import NeedsStatic

__all__ = ["entered", "entered_from_library", "entered_with_numbers"]

_SOURCE = "sct does not evaluate its source"


def _python_of(f: Any) -> Any:
    """The Python function that a function of a library is, also behind NumPy's dispatch, or that stands for it."""
    f = getattr(f, "_implementation", f)
    if id(f) in STAND_INS:
        return STAND_INS[id(f)]
    if not isinstance(f, types.FunctionType) or not is_library(f):
        return None
    try:
        source_of(f.__code__)
    except SctError:
        return None
    return f


def _vectorized(ev: Evaluator, f: Any) -> Abstract:
    """The function that an object of `np.vectorize` is, as sct evaluates it."""
    if f.signature is not None or f.cache:
        ev.refuse("SCT205", "`np.vectorize` with `signature` or `cache` is not supported", hint="write a loop")
    excluded, otypes = (Static((*(x or ()),)) for x in (f.excluded, f.otypes))
    return ev.call(Static(vectorized), [lift(ev, f.pyfunc, (*ev.anchor(f), ("attr", "pyfunc"))),
                                        Static(None) if f.otypes is None else otypes, Static(None), excluded])


def entered(ev: Evaluator, f: Any, args: Args, kwargs: Kwargs, refusal: SctError) -> Abstract:
    """The result of a function of a library, which is evaluated, as Python's own call of it is refused."""
    python: Any = _python_of(f) if refusal.code == "SCT207" else STAND_INS.get(id(f))
    if python is None and type(f) is not np.vectorize:
        raise refusal
    snapshot = ev.snapshot()
    try:
        if python is None:
            return ev.call(_vectorized(ev, f), args, kwargs)
        return call_function(ev, python, args, kwargs)
    except (SctError, NeedsStatic, Dead) as error:
        ev.restore(snapshot)
        inner = error.error if isinstance(error, NeedsStatic) else error
        refusal.what = refusal.what.replace("neither its Python source nor a", "no")
        refusal.why = _SOURCE + (f": {_innermost(inner)}" if isinstance(inner, SctError) else "")
    raise refusal


def entered_from_library(ev: Evaluator, f: Any, args: Args, kwargs: Kwargs) -> Abstract | None:
    """A call of a library's own Python from that, or from a program that stands for it: the types of the results were
    not observed.

    None for other calls, and where it is refused for arguments that are not differentiated.
    """
    is_inside = _is_of(ev.frames[-1].function, "sct.frontend.numpy_library.", "sct.frontend.polynomials.", *_ENTERED)
    python: Any = _python_of(f) if is_inside and _is_of(f, *_ENTERED) else None
    if python is None:
        return None
    snapshot = ev.snapshot()
    try:
        return call_function(ev, python, args, kwargs)
    except SctError:
        ev.restore(snapshot)
        if any(certainly_varied(ev, v) for v in (*args, *kwargs.values())):
            raise
        return None
    except (NeedsStatic, Dead):
        ev.restore(snapshot)
        return None


def entered_with_numbers(ev: Evaluator, f: Any, args: Args, kwargs: Kwargs) -> Abstract | None:
    """A call of the Python of NumPy, SciPy or `statistics` with differentiated numbers; None for others, and where it
    is refused: then Python itself makes the call, and the derivative must not need it.
    """
    passed = (*args, *kwargs.values())
    python: Any = _python_of(f) if any(is_varied(ev, v) for v in passed) else None
    if python is None or python not in STAND_INS.values() and not _is_of(python, "numpy.", "scipy.") and \
            getattr(python, "__globals__", None) is not vars(statistics):
        return None
    snapshot = ev.snapshot()
    try:
        return call_function(ev, python, args, kwargs)
    except (SctError, NeedsStatic, Dead):
        ev.restore(snapshot)
        return None


_ENTERED = ("numpy.polynomial.", "scipy.")


def _is_of(f: Any, *modules: str) -> bool:
    return isinstance(f, types.FunctionType) and str(f.__globals__.get("__name__", "")).startswith(modules)


def _innermost(error: SctError) -> str:
    """The innermost refusal in functions of a library that call one another."""
    inner = (error.why or "").removeprefix(_SOURCE)
    return inner.removeprefix(": ") if inner != (error.why or "") and inner else error.what
