"""The tables of handlers, which the modules that define the handlers fill.

A construct is accepted if and only if there is a handler for it.
"""

from __future__ import annotations

import sys
import types
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

import gast

from sct.frontend.values.abstract_values import Abstract, Poison, Static

if TYPE_CHECKING:
    from sct.frontend.evaluator.evaluator import Evaluator

__all__ = [
    "CALLS", "EXPRESSIONS", "GUARDING", "INSTANCES", "NO_KEYWORDS", "PYTHON_EXPRESSION", "SEPARATE", "SETTLED",
    "SPECIAL", "STATEMENTS",
    "Args", "Kwargs", "Special", "called", "evaluated_as", "expression", "guarding_statement", "handler_before_op",
    "handler_of_scipy", "instances", "library_object", "of_scipy", "python_expression",
    "settling", "special", "special_key",
    "statement", "unread", "unsupported",
]

Handler = Callable[["Evaluator", Any], Any]
T = TypeVar("T")
Args = Sequence[Abstract]
Kwargs = Mapping[str, Abstract]
Caller = Callable[["Evaluator", Any, Args, Kwargs], Abstract]
Special = Callable[["Evaluator", Args, Kwargs], Abstract]
EXPRESSIONS: dict[type, Handler] = {}
STATEMENTS: dict[type, Handler] = {}
GuardingHandler = Callable[["Evaluator", Any, Sequence[Any], int], bool]
GUARDING: dict[type, GuardingHandler] = {}
"""Handlers of statements that get the block and the position behind them: do they run the rest of it?"""
CALLS: dict[type, Caller] = {}
SPECIAL: dict[Any, Special] = {}
OF_SCIPY: dict[str, Special] = {}
"""Handlers of functions of SciPy by name, which is imported only where a program imports it."""
_OF_SCIPY = (
    "numpy", "numpy.polynomial", "numpy.rec", "scipy._lib._array_api", "scipy._lib._util",
    "scipy._lib.array_api_compat.numpy",
    "scipy._lib.array_api_extra", "scipy.fft",
    "scipy.integrate", "scipy.integrate._quadrature", "scipy.interpolate", "scipy.linalg", "scipy.ndimage",
    "scipy.optimize", "scipy.signal", "scipy.signal.windows", "scipy.sparse", "scipy.sparse.linalg",
    "scipy.spatial", "scipy.spatial.distance", "scipy.spatial.transform", "scipy.stats",
    "scipy.stats._continuous_distns")
_DISTRIBUTIONS = ("dirichlet", "dirichlet_multinomial", "invwishart", "matrix_normal", "multinomial",
                  "multivariate_normal", "multivariate_t", "normal_inverse_gamma", "vonmises_fisher", "wishart")
"""Objects of `scipy.stats` that have handlers, and whose methods have."""
INSTANCES: dict[type, Caller] = {}
NO_KEYWORDS: Kwargs = {}
SETTLED: list[Callable[..., Any]] = []
"""The function that makes one number of a number of one of several kinds."""
PYTHON_EXPRESSION: list[Callable[..., Any]] = []
"""The function that leaves an expression to Python."""


def unread(what: str, names: Iterable[str]) -> Poison:
    """A part of a result of a library's function, of which sct reads the attributes with these names alone."""
    *first, last = [f"`{name}`" for name in names] or ["nothing"]
    read = f"{', '.join(first)} and {last}" if first else last
    return Poison(f"of {what}, sct reads {read} alone", "compute it outside the function")


def library_object(ev: Evaluator, what: str, read: Mapping[str, Abstract], others: Iterable[str]) -> Abstract:
    """The result of a library's function, of which sct reads some attributes; `others`: those that it does not.

    The object of SciPy may be a dict, too, whose methods sct does not read."""
    parts = unread(what, [name for name in read if not name.startswith("_")])
    return ev.new_object(types.SimpleNamespace, {**read, **{
        name: parts for name in (*others, *_OF_DICTS) if name not in read}})


_OF_DICTS = ("keys", "values", "items", "get")


def python_expression(f: T) -> T:
    """Registers the function that leaves an expression to Python."""
    PYTHON_EXPRESSION.append(f)  # type: ignore[arg-type]
    return f


def settling(f: T) -> T:
    """Registers the function that makes one number of one of several kinds."""
    SETTLED.append(f)  # type: ignore[arg-type]
    return f


def expression(*nodes: type) -> Callable[[Handler], Handler]:
    """Registers the handler of these expression nodes."""
    return _registrar(EXPRESSIONS, nodes)


def statement(*nodes: type) -> Callable[[Handler], Handler]:
    """Registers the handler of these statement nodes."""
    return _registrar(STATEMENTS, nodes)


def guarding_statement(*nodes: type) -> Callable[[GuardingHandler], GuardingHandler]:
    """Registers the handler of these statements, which may take over the rest of their block."""
    return _registrar(GUARDING, nodes)


def called(*classes: type) -> Callable[[Caller], Caller]:
    """Registers the handler of calls of abstract values of these classes."""
    return _registrar(CALLS, classes)


def instances(*classes: type) -> Callable[[Caller], Caller]:
    """Registers the handler of calls of Python objects of these classes."""
    return _registrar(INSTANCES, classes)


def special(*objects: Any) -> Callable[[Special], Special]:
    """Registers the handler of calls of these functions, which are not ops."""
    return _registrar(SPECIAL, map(special_key, objects))


def of_scipy(*names: str) -> Callable[[Special], Special]:
    """Registers the handler of calls of these functions of SciPy, or of NumPy, which may leave a call to Python."""
    return _registrar(OF_SCIPY, names)


def handler_of_scipy(f: Any) -> Special | None:
    """The handler of a function that SciPy, or NumPy, has under the name that it is registered by."""
    name = getattr(f, "__name__", "")
    for module in _OF_SCIPY:
        handler = OF_SCIPY.get(f"{module}.{name}")
        if handler is not None and getattr(sys.modules.get(module), name, None) is f and \
                str(f.__module__).split(".")[0] in ("numpy", "scipy"):
            return handler
    qualname = str(getattr(f, "__qualname__", ""))
    if qualname.startswith("Rotation.") and str(f.__module__).startswith("scipy.spatial.transform"):
        return OF_SCIPY.get(f"scipy.spatial.transform.{qualname}")
    owner, method = (f.__self__, f".{name}") if isinstance(f, types.MethodType) else (f, "")
    if method and isinstance(owner, type) and owner.__module__.startswith("numpy.polynomial."):
        return OF_SCIPY.get(f"numpy.polynomial.{owner.__name__}{method}")
    stats = sys.modules.get("scipy.stats")
    if stats is None or owner is None:
        return None
    if method and isinstance(owner, stats.rv_continuous | stats.rv_discrete):
        of_any = OF_SCIPY.get(f"scipy.stats.rv_generic{method}")
        if of_any is None or getattr(stats, str(owner.name), None) is not owner:
            return None
        of_each = of_any
        return lambda ev, args, kwargs: of_each(ev, [Static(owner), *args], kwargs)
    return next((OF_SCIPY.get(f"scipy.stats.{key}{method}") for key in _DISTRIBUTIONS
                 if getattr(stats, key, None) is owner), None)


def handler_before_op(spelling: str, kwargs: Kwargs) -> Special | None:
    """The handler of calls of an op, or of those with one of these keywords: `scipy.signal.lfilter(zi=)`."""
    names = [spelling, *(f"{spelling}({key}=)" for key in kwargs)]
    return next((OF_SCIPY[name] for name in names if name in OF_SCIPY), None)


def special_key(f: Any) -> Any:
    """The key of `f` in `SPECIAL`: a method of a builtin class is a new object at each access."""
    own = getattr(f, "__self__", None) if isinstance(f, types.BuiltinMethodType) else None
    return (id(own), f.__name__) if isinstance(own, type) else id(f)


def _registrar(table: dict[Any, T], keys: Iterable[Any]) -> Callable[[T], T]:
    def register(handler: T) -> T:
        table.update(dict.fromkeys(keys, handler))
        return handler

    return register


SEPARATE = "a separate helper function whose arguments do not depend on differentiated values"
"""Where sct leaves what it does not support to Python; for hints."""

_UNSUPPORTED: dict[type, tuple[str, str, str]] = {
    gast.Await: ("await", "", "write a plain function"),
    gast.AsyncFunctionDef: ("async def", "", "write a plain function"),
    gast.AsyncFor: ("async for", "", "write a plain function"),
    gast.ClassDef: ("class", "", "define the class outside the function"),
}


def evaluated_as(function: Callable[..., Any]) -> Special:
    """The handler of a function in whose place another one is evaluated."""
    return lambda ev, args, kwargs: ev.call(Static(function), args, kwargs)


def unsupported(node: Any) -> tuple[str, str, str]:
    """The name of a construct, the reason of its refusal, and a replacement."""
    return _UNSUPPORTED.get(type(node), (type(node).__name__, "", ""))
