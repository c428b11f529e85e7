"""Opaque calls: functions without source run as they are, once and in order, and are not differentiated.

    log.info("loss %s", y)   ->   log_info('loss %s', y)
    random.random()          ->   a number without derivative
"""

from __future__ import annotations

import collections
import logging
import random
import re
import sys
import time
import types
import warnings
from typing import Any

import numpy as np

from sct.errors import user_text
from sct.frontend.arguments.float_errors import SETTERS, note_settings
from sct.frontend.arguments.lift import opaque
from sct.frontend.evaluator.evaluator import Evaluator
from sct.frontend.evaluator.exceptions import raise_at_run_time, refuse_reading, run_or_raise
from sct.frontend.evaluator.handlers import Args, Kwargs, called, special
from sct.frontend.evaluator.own_methods import is_library
from sct.frontend.heap.array_keys import present_object
from sct.frontend.heap.inactive import (
    PLAIN_CONTAINERS,
    certainly_varied,
    evaluated_by_python,
    give,
    harmless_name,
    held_by_python,
    is_callers,
    is_varied,
    template_of,
)
from sct.frontend.heap.subscripts import assign_item, item
from sct.frontend.iteration.iterator_protocol import is_iterator
from sct.frontend.numpy_library.random_draws import (
    GENERATORS,
    MAKERS,
    draws_floats,
    is_generator,
    is_scalar,
    of_ints,
    place_of_size,
    type_of_draw,
)
from sct.frontend.objects.class_of import python_class
from sct.frontend.objects.construction import call_instance, refuse_subclass
from sct.frontend.objects.container_objects import see_into_deque
from sct.frontend.objects.linked_objects import holds_rows, is_link
from sct.frontend.operators.choices import for_each, method_by_class
from sct.frontend.operators.text_formatting import logged
from sct.frontend.polynomials.constant_splines import value_of_polynomial, value_of_spline
from sct.frontend.source.changing_calls import (
    changes_object,
    takes_items,
    writes_arguments,
    writes_keyword,
    writes_log,
)
from sct.frontend.standard_library.collections_module import new_deque
from sct.frontend.user_rules import rule_hint, rule_name
from sct.frontend.values.abstract_values import (
    Abstract,
    Bound,
    Closure,
    Container,
    DefaultRef,
    DictRef,
    ListRef,
    MapRef,
    Ref,
    Static,
    Tup,
    is_literal,
)
from sct.frontend.writes.references import CACHED
from sct.frontend.writes.written_expressions import writes_at_position
from sct.ir import Eqn, Lit, Operand, Value, is_float
from sct.ir.dims import Dim, sym
from sct.ir.pytrees.user_objects import base_in_python
from sct.ir.real_ints import unmark_real
from sct.ir.types import ANY_BOOL, ANY_INT, ANY_REAL, FLOAT, INT, Tensor, Type, shows_number
from sct.ops import apply, stop_gradient
from sct.ops.program.effects import inactive, part
from sct.ops.type_rules import numpy_dtype

__all__ = ["call_itself", "call_of_library", "opaque_call"]

_NAMES = {"real": "float", "single": "float", "number": "complex"}
_REFUSED = ("builtins", "math", "numpy", "numpy.linalg", "numpy.linalg._linalg")
_INSTEAD = {
    "Chebyshev": "use np.polynomial.chebyshev.chebval(x, c)", "Hermite": "use np.polynomial.hermite.hermval(x, c)",
    "HermiteE": "use np.polynomial.hermite_e.hermeval(x, c)", "Laguerre": "use np.polynomial.laguerre.lagval(x, c)",
    "Legendre": "use np.polynomial.legendre.legval(x, c)", "MaskedArray": "use an array and its mask: data[~mask]",
    "default_rng": "make the generator outside, and pass it", "fromfunction": "use np.indices or np.arange",
    "matrix": "use np.array and `@`", "ndarray": "use np.empty", "nditer": "loop over np.ndindex(x.shape)",
    "poly1d": "use np.polyval", "vectorize": "call it on the whole array, or in a loop"}

_INSTEAD_OF_MODULE = {
    "statistics": "use np.mean, np.median, np.std and np.var",
    "collections": "use a list, a dict or an array"}
"""Replacements for functions of some modules, for hints."""

_INSTEAD_OF_METHOD = {"shuffle": "draw an order of the items, `order = random.sample(range(len(xs)), len(xs))`, which "
                                 "draws other numbers, and put them into it: `xs = [xs[k] for k in order]`"}

_ELSE = "write it out, or compute it outside the function and pass it"
_DTYPES = "use np.float64, np.float32, np.int64 or np.int32"


@called(Value)
def opaque_call(ev: Evaluator, fn: Abstract, args: Args, kwargs: Kwargs) -> Abstract:
    """A call of an object that is a row of columns, or one that nothing is known of: an effect, refused later if a
    differentiated value reaches it."""
    if is_link(fn):
        there = present_object(ev, fn, lambda none: none())  # type: ignore[misc]
        return for_each(ev, there, lambda m: call_instance(ev, m, args, kwargs))
    value = value_of_spline(ev, fn, args, kwargs) or value_of_polynomial(ev, fn, args, kwargs)
    if value is None and len(args) == 1 and not kwargs and (shuffled := _shuffle(ev, fn, args[0])) is not None:
        return shuffled
    return call_itself(ev, fn, args, kwargs) if value is None else value


def _shuffler(ev: Evaluator, fn: Abstract) -> Value | None:
    """The generator of random numbers of NumPy, if this is its method `shuffle`."""
    if isinstance(fn, Static):
        owner, name = getattr(fn.peek, "__self__", None), getattr(fn.peek, "__name__", "")
        if type(owner) not in GENERATORS or name != "shuffle":
            return None
        rng = opaque(ev, Static(owner, None if fn.path is None else (*fn.path, ("attr", "__self__"))))
        return rng if isinstance(rng, Value) else None
    method = ev.defs.get(fn) if isinstance(fn, Value) else None
    if method is None or method.op is not inactive or method.attrs["text"] != "_0.shuffle" or \
            not is_generator(ev, method.args[0]):
        return None
    ev.b.eqns[:] = [eqn for eqn in ev.b.eqns if eqn is not method]
    owner = method.args[0]
    assert isinstance(owner, Value)
    return owner


def _reorder(items: Any, order: Any) -> None:
    before = list(items)
    for k in range(len(items)):
        items[k] = before[order[k]]


def _shuffle(ev: Evaluator, fn: Abstract, x: Abstract) -> Abstract | None:
    """`rng.shuffle(x)`: x in the order of `rng.permutation(len(x))`, which draws the same random numbers; None for
    other calls."""
    of_module = isinstance(fn, Static) and fn.peek == np.random.shuffle
    rng = None if of_module else _shuffler(ev, fn)
    if not (of_module or rng is not None) or not isinstance(x, (Ref, ListRef)):
        if of_module and is_callers(ev, x):
            ev.refuse("SCT302", "an object of the caller is shuffled", hint="shuffle a copy")
        return None
    count = ev.call(Static(len), [x])
    size = ev.type_of(x).shape[0] if isinstance(x, Ref) else sym(f"_shuffled{ev.operand(count)}")  # type: ignore[union-attr]
    operands = [*([] if rng is None else [rng]), ev.as_int(ev.operand(count))]
    text = "numpy.random.permutation(_0)" if rng is None else "_0.permutation(_1)"
    order = ev.wrap(ev.emit(inactive, *operands, text=text, type=Tensor("array", "i64", (size,))))
    if isinstance(x, Ref):
        assign_item(ev, x, Static(Ellipsis), item(ev, x, order))
        return Static(None)
    return ev.call(Static(_reorder), [x, order])


_CONTAINERS: dict[type, Any] = {
    Ref: np.zeros(0), ListRef: [], DictRef: {}, DefaultRef: {}, MapRef: {}}


@called(*_CONTAINERS)
def call_of_container(ev: Evaluator, fn: Abstract, args: Args, kwargs: Kwargs) -> Abstract:
    """A call of an array, a list or a dict: Python raises."""
    run_or_raise(ev, python_class(ev, fn)() if isinstance(fn, (DictRef, MapRef)) else _CONTAINERS[type(fn)])
    raise AssertionError(fn)


def call_itself(ev: Evaluator, fn: Abstract, args: Args, kwargs: Kwargs, gives: Type | None = None) -> Abstract:
    """A call that Python itself makes when the derivative runs.

    gives  the type of its result, where that is known
    """
    named = fn.value if isinstance(fn, Static) else None
    if isinstance(fn, Static) and not callable(named):
        raise_at_run_time(ev, "TypeError", f"{type(named).__name__!r} object is not callable")
    if isinstance(fn, Value) and isinstance(fn.type, Tensor):
        t = unmark_real(fn.type)
        name = f"numpy.{numpy_dtype(t.dtype).type.__name__}" if t.carrier == "np" else _NAMES.get(t.dtype, t.dtype)
        raise_at_run_time(ev, "TypeError", f"{name!r} object is not callable")
    args, kwargs = of_ints(ev, named, _draws(ev, fn), args, kwargs)
    result_type = gives or _result_type(ev, named, args, kwargs)
    if result_type is None and (result := call_of_library(ev, fn, args, kwargs)) is not None:
        return result
    what = getattr(named, "__qualname__", None) or (
        rule_name(named) if hasattr(named, "__name__") else _method(ev, fn) or "this function")
    if named is not None and getattr(named, "__module__", None) in _REFUSED or isinstance(named, np.ufunc):
        number = isinstance(named, type) and issubclass(named, np.number)
        instead = _INSTEAD.get(what, _DTYPES if number else _ELSE)
        has_no_rule = isinstance(named, type) or getattr(named, "__module__", None) == "builtins"
        ev.refuse("SCT206", f"`{what}` is not supported yet",
                  hint=instead if has_no_rule else f"{instead}; or {_rule_hint(ev, args, kwargs)}")
    reads = named is warnings.warn or writes_log(named)  # the arrays stay as they are
    if reads and args:
        before = 1 if what.rpartition(".")[2] == "log" else 0
        args = [*args[:before], *logged(ev, args[before:])]
    passed = [_shape(ev, a) if draws_floats(named) else a for a in (*args, *kwargs.values())]
    _note_change(ev, what, getattr(named, "__self__", None))
    if not reads:
        _refuse_unobserved(ev, fn, what, passed)
        _refuse_unknown(ev, named, what, passed, "" if _method(ev, fn) else _rule_hint(ev, args, kwargs))
    operands = [_operand(ev, a) for a in passed]
    if reads:
        operands = [ev.emit(stop_gradient, x) if isinstance(x, Value) and is_float(x) else x for x in operands]
    attrs: dict[str, Any] = {"keywords": tuple(kwargs)}
    if draws_floats(named):
        operands = [ev.as_int(x) for x in operands]  # the size alone may count as real here
    if result_type is not None:
        attrs["type"] = result_type
    callee = opaque(ev, fn) if isinstance(fn, Static) else fn
    assert isinstance(callee, Value)
    if result_type is None and isinstance(named, (types.FunctionType, CACHED)) and not is_library(named) and \
            ev.observed(ev.loc):
        operands = [callee]
        text = _text_of_call(ev, "_0", args, kwargs, operands)
        return evaluated_by_python(ev, str(text), operands, passed, keeps=True)
    return held_by_python(ev, ev.wrap(ev.emit(apply, callee, *operands, **attrs)))


def _see_into(ev: Evaluator, eqn: Eqn) -> None:
    """If an object of a library comes of a call in the function: evaluates it again, and sees into that call."""
    maker: Eqn | None = eqn
    while maker is not None and maker.op is inactive and str(maker.attrs["text"]).startswith(("_0.", "_0(")):
        owner = maker.args[0]
        maker = ev.defs.get(owner) if isinstance(owner, Value) else None
    if maker is not None and maker.op is inactive and maker.loc not in ev.functions.plan.seen and str(
            maker.attrs["text"]).startswith("scipy."):
        raise ev.functions.plan.changed(seen={maker.loc})


def call_of_library(ev: Evaluator, fn: Abstract, args: Args, kwargs: Kwargs) -> Abstract | None:
    """The call of a function of a library, or of a method of an object, as an expression of Python; None if its type
    was not observed, or if it may write to its arguments."""
    operands: list[Operand] = []
    name = harmless_name(fn.peek) if isinstance(fn, Static) else template_of(ev, fn, operands)
    eqn = ev.defs.get(fn) if isinstance(fn, Value) else None
    method = str(eqn.attrs["text"]) if eqn is not None and eqn.op is inactive else None
    f = fn.peek if isinstance(fn, Static) else None
    draws = _draws(ev, fn)
    args, kwargs = of_ints(ev, f, draws, args, kwargs)
    passed = (*args, *kwargs.values())
    if any(f is setter for setter in SETTERS):
        note_settings(ev, passed)
    if f is collections.deque:
        if not ev.observed(ev.loc) or ev.loc in ev.functions.plan.deques or any(
                is_varied(ev, a) or is_iterator(a) or holds_rows(ev, a) for a in passed):
            return new_deque(ev, args, kwargs)
        ev.containers.deques.add(ev.loc)
    if eqn is not None and method is not None and eqn.args and any(
            isinstance(a, (Container, Ref)) or is_varied(ev, a) for a in passed):
        see_into_deque(ev, eqn.args[0])
    if isinstance(fn, Value) and method is not None and any(is_varied(ev, a) for a in passed) and (
            by_class := method_by_class(ev, fn, args, kwargs)) is not None:
        return by_class
    if eqn is not None and method is not None and any(certainly_varied(ev, a) for a in passed):
        _see_into(ev, eqn)
        ev.refuse("SCT207", "a method of an object that sct does not see into is called with a differentiated number",
                  why="its derivative would be lost",
                  hint=_INSTEAD_OF_METHOD.get(method[3:], "keep such numbers in a list, a dict or an array"))
    if method is not None and writes_arguments(method) and not all(map(is_literal, passed)):
        return None
    if method is not None and (changes_object(method) or any(map(writes_keyword, kwargs))) and is_callers(ev, fn):
        ev.refuse("SCT302", "a method changes an object that sct does not see into, and that the function has not made",
                  why="the caller's object would be changed", hint="change a copy: `copy.copy(...)` before")
    named = [k for k, v in kwargs.items() if not (isinstance(v, Static) and isinstance(v.peek, str))]  # output="sos"
    if any(map(writes_keyword, named)) or writes_at_position(f, len(args)):
        return None
    if name is None or any(certainly_varied(ev, a) for a in passed):
        return None
    drawn = type_of_draw(draws, args, kwargs) if draws else None
    if drawn is None and f not in MAKERS and not ev.is_observed or (
            text := _text_of_call(ev, name, args, kwargs, operands)) is None:
        return None
    # A function of numbers has no array and no file to read.
    is_function = isinstance(f, types.FunctionType) and name.startswith("numpy.") and all(map(is_scalar, passed))
    if (is_function or name.startswith("scipy.signal.")) and (
            types_of := _constant_arrays(f, args, kwargs)) is not None:
        return _arrays(ev, text, operands, types_of)
    if drawn is not None:
        return ev.wrap(ev.emit(inactive, *operands, text=text, type=drawn))
    if is_function or draws:
        return evaluated_by_python(ev, text, operands, (), gives_fresh=True)
    changes = method is not None and (changes_object(method) or ev.observed(ev.loc) == {("object", type(None))})
    if changes:
        ev.note_change()
        give(ev, passed, False)
    return evaluated_by_python(ev, text, operands, passed,
                               keeps=changes and method is not None and not takes_items(method))


def _text_of_call(ev: Evaluator, callee: str, args: Args, kwargs: Kwargs, operands: list[Operand]) -> str | None:
    """The template of a call, or None; adds the operands that it reads."""
    texts = [template_of(ev, a, operands) for a in (*args, *kwargs.values())]
    keywords = ("",) * len(args) + tuple(f"{key}=" for key in kwargs)
    return None if None in texts else f"{callee}({', '.join(f'{key}{text}' for key, text in zip(keywords, texts))})"


def _arrays(ev: Evaluator, text: str, operands: list[Operand], types_of: Tensor | tuple[Tensor, ...]) -> Abstract:
    """The array of this type that Python makes, or the tuple of arrays of these types."""
    if isinstance(types_of, Tensor):
        return ev.wrap(ev.emit(inactive, *operands, text=text, type=types_of))
    arrays = ev.emit(inactive, *operands, text=text)
    return Tup(tuple(ev.wrap(ev.emit(part, arrays, text=f"_0[{k}]", type=t)) for k, t in enumerate(types_of)))


def _constant_arrays(f: Any, args: Args, kwargs: Kwargs) -> Tensor | tuple[Tensor, ...] | None:
    """The type of the array of floats that a function of a library makes of constants, or those of a tuple of such
    arrays: a window, or the coefficients of a filter; else None."""
    passed = (*args, *kwargs.values())
    if not isinstance(f, types.FunctionType) or not all(map(is_literal, passed)):
        return None
    values = [v.value for v in passed if isinstance(v, Static)]
    try:
        result = f(*values[:len(args)], **dict(zip(kwargs, values[len(args):])))
    except (TypeError, ValueError):
        return None  # it is raised when the derivative runs
    arrays = result if type(result) is tuple else (result,)
    if not all(type(x) is np.ndarray and x.dtype == np.float64 for x in arrays):
        return None
    of_arrays = tuple(Tensor("array", "f64", tuple(map(Dim, x.shape))) for x in arrays)
    return of_arrays if type(result) is tuple else of_arrays[0]


def _draws(ev: Evaluator, fn: Abstract) -> str:
    """The name of the method of a generator that this is; empty for others."""
    f: Any = fn.peek if isinstance(fn, Static) else None
    if type(getattr(f, "__self__", None)) in GENERATORS:
        return str(f.__name__)
    eqn = ev.defs.get(fn) if isinstance(fn, Value) else None
    method = eqn is not None and eqn.op is inactive and eqn.args and is_generator(ev, eqn.args[0])
    return str(eqn.attrs["text"]).rpartition(".")[2] if eqn is not None and method else ""


def _method(ev: Evaluator, fn: Abstract) -> str:
    """The name of the method that this is, of an object that sct does not see into; empty for others."""
    if isinstance(fn, Static):
        return fn.peek.__name__ if isinstance(fn.peek, types.MethodType) else ""
    eqn = ev.defs.get(fn) if isinstance(fn, Value) else None
    text = str(eqn.attrs["text"]) if eqn is not None and eqn.op is inactive else ""
    return text[3:] if re.fullmatch(r"_0\.\w+", text) else ""


def _rule_hint(ev: Evaluator, args: Args, kwargs: Kwargs) -> str:
    return rule_hint(user_text(ev.loc), len(args) + len(kwargs))


def _refuse_unobserved(ev: Evaluator, fn: Abstract, what: str, arguments: Args) -> None:
    """Refuses a draw from arrays or containers whose type was not observed, as the function was not run."""
    if _draws(ev, fn) and not ev.is_observed and not any(certainly_varied(ev, a) for a in arguments) and \
            any(isinstance(a, (Ref, Container)) for a in arguments):
        ev.refuse("SCT207", f"the type of what `{what}` draws is not known",
                  why="it is observed in a run of the function on copies, but the function may reach the world "
                      "outside, or does not end soon",
                  hint="draw outside the function, and pass the result; or do there what the function does beside "
                       "computing")


def _refuse_unknown(ev: Evaluator, named: Any, what: str, arguments: Args, rule: str) -> None:
    """Refuses an opaque call with an argument that the function might write to, or call; `rule`: one for it, empty if
    it is a method of an object."""
    varied = any(certainly_varied(ev, a) for a in arguments)
    instead = _INSTEAD.get(what) or _INSTEAD_OF_MODULE.get(str(getattr(named, "__module__", "")).lstrip("_"))
    instead = instead or _INSTEAD_OF_METHOD.get(what.rpartition(".")[2] if not rule else "")
    instead = f"derive the class from `{base}`" if (base := base_in_python(named)) else instead
    if getattr(named, "__module__", "") in ("weakref", "_weakref") and arguments:
        ev.refuse("SCT207", "a weak reference to an object of the program is not supported",
                  why="whether the object is still there depends on when Python frees it",
                  hint="keep the object itself: `self.parent = parent`")
    for a in arguments:
        if isinstance(a, Value) and shows_number(a.type):
            refuse_reading(ev, (a,))
        if isinstance(a, (Closure, Bound)) or isinstance(a, Static) and isinstance(a.peek, types.FunctionType):
            ev.refuse("SCT207", f"`{what}` is called with a function, and sct has neither its Python source nor a "
                      "derivative rule for it",
                      why="it is not known what it does with the function",
                      hint=instead or "write out what it does, as a loop; or call it outside the function")
        if isinstance(a, (Ref, Container)) or isinstance(a, Tup) and not all(map(is_literal, a.items)):
            refuse_subclass(ev, named)
            lacks = "has neither its Python source nor a derivative rule for it" if rule else \
                "does not see into the object whose method it is"
            ev.refuse("SCT207", f"`{what}` is called with arrays or containers, and sct {lacks}",
                      why="its derivative is not known" if varied else "it may write to them",
                      hint=instead or (f"write out what it does with functions of NumPy{f'; or {rule}' * bool(rule)}"
                                       if varied else "call it outside the function, and pass its result"))


def _note_change(ev: Evaluator, what: str, owner: Any) -> None:
    """A method call may change an object that was read from outside: its contents can then not be guarded."""
    if type(owner) in PLAIN_CONTAINERS and not changes_object(f".{what.rpartition('.')[2]}"):
        return
    if id(owner) in ev.containers.guarded:
        ev.refuse("SCT302", f"`{what}` may change an object that the function reads",
                  why="its contents are read once, before the call",
                  hint="pass it as a list, or change it outside the function")
    ev.containers.changed.add(id(owner))


def _shape(ev: Evaluator, v: Abstract) -> Abstract:
    """A tuple of sizes as one value, if some are known only at run time; others as they are."""
    operands: list[Operand] = []
    if not isinstance(v, Tup) or all(map(is_literal, v.items)) or (text := template_of(ev, v, operands)) is None:
        return v
    return ev.emit(part, *map(ev.as_int, operands), text=text)  # type: ignore[no-any-return]


def _operand(ev: Evaluator, v: Abstract) -> Operand:
    if isinstance(v, Tup) and all(map(is_literal, v.items)):
        return Lit(tuple(x.value for x in v.items if isinstance(x, Static)))
    if isinstance(v, Static) and isinstance(v.value, type) and issubclass(v.value, Warning):
        path = v.path or (sys.modules[v.value.__module__], ("attr", v.value.__name__))
        return opaque(ev, Static(v.value, path))
    return ev.operand(v)


@special(logging.getLogger)
def get_logger(ev: Evaluator, args: Args, kwargs: Kwargs) -> Abstract:
    """The logger of a name is always the same."""
    logger = logging.getLogger(*(ev.ask(a, "the name of a logger") for a in args))
    return Static(logger, (logger,))


# -- what is known of some ------------------------------------------------------------------------------



_FLOATS = frozenset(("random", "uniform", "gauss", "normalvariate", "triangular", "betavariate", "expovariate",
                     "gammavariate", "lognormvariate", "vonmisesvariate", "paretovariate", "weibullvariate"))
_INTS = frozenset(("randint", "randrange", "getrandbits"))
_CLOCKS = {id(f): FLOAT for f in (time.time, time.perf_counter, time.monotonic, time.process_time)} | {
    id(f): INT for f in (time.time_ns, time.perf_counter_ns, time.monotonic_ns, time.process_time_ns)}


_ANNOTATED: dict[Any, Type] = {float: ANY_REAL, int: ANY_INT, bool: ANY_BOOL, "float": ANY_REAL, "int": ANY_INT,
                               "bool": ANY_BOOL}
"""The result types that annotations of functions name, in Python and NumPy."""


def _result_type(ev: Evaluator, f: Any, args: Args, kwargs: Kwargs) -> Type | None:
    """The type of the result, if it is known: clocks and random numbers."""
    if id(f) in _CLOCKS:
        return _CLOCKS[id(f)]
    if isinstance(f, types.FunctionType):
        return _ANNOTATED.get(f.__annotations__.get("return"))
    owner, name = getattr(f, "__self__", None), getattr(f, "__name__", "")
    if isinstance(owner, random.Random) and name in _FLOATS | _INTS:
        _no_active(ev, name, args, kwargs)
        return FLOAT if name in _FLOATS else INT
    if draws_floats(f):
        place = place_of_size(name)
        _no_active(ev, name, args[:place], {k: v for k, v in kwargs.items() if k != "size"})
        return type_of_draw(name, args, kwargs)
    return None


def _no_active(ev: Evaluator, name: str, args: Args, kwargs: Kwargs) -> None:
    """A draw from a distribution that depends on numbers of the function: its derivative is not known."""
    for a in (*args, *kwargs.values()):
        t = ev.type_of(a) if isinstance(a, (Value, Ref)) else None
        if isinstance(t, Tensor) and t.kind in "fc":
            ev.refuse("SCT207", f"the parameters of `{name}` are numbers of the function",
                      why="how a draw depends on them is not known to sct",
                      hint="draw from the standard distribution, then shift and scale: `mu + sigma * draw`")
