"""Sample calls: Python itself is called with sample arguments of the same classes, and its TypeError is raised.

    abs(x, 1)        ->   raise TypeError("abs() takes exactly one argument (2 given)")
    xs.append()      ->   raise TypeError("list.append() takes exactly one argument (0 given)")
    divmod(xs, 2)    ->   raise TypeError("unsupported operand type(s) for divmod(): 'list' and 'int'")
"""

from __future__ import annotations

import functools
import inspect
import itertools
import re
import warnings
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from sct.frontend.evaluator.evaluator import Evaluator
from sct.frontend.evaluator.exceptions import raise_at_run_time, run_or_raise
from sct.frontend.evaluator.handlers import Args, Kwargs
from sct.frontend.heap import dynamic_lists
from sct.frontend.heap.dynamic_list_methods import known_tuple
from sct.frontend.heap.inactive import IMMUTABLE, is_python_object
from sct.frontend.heap.item_forms import item_type
from sct.frontend.values.abstract_values import (
    SLICE,
    Abstract,
    DefaultRef,
    DictRef,
    ListRef,
    Ref,
    RunTimeTuple,
    Slots,
    Static,
    Tup,
)
from sct.frontend.values.guarded_numbers import plain
from sct.ir import Operand, Value
from sct.ir.pytrees.user_objects import is_identifier, is_namedtuple
from sct.ir.types import Tensor, Text
from sct.ops.program.effects import samples_of
from sct.ops.registry import add_operand

__all__ = ["by_position", "check_arguments", "check_instance", "check_method", "check_operands", "hashed",
           "key_of_python"]


def check_arguments(ev: Evaluator, f: Any, args: Args, kwargs: Kwargs) -> None:
    """Raises the exception that Python raises for any arguments of these classes."""
    _raise(ev, _misfit(f, len(args), tuple(kwargs)))
    if _binds(f, len(args), tuple(kwargs)) is False:
        samples = [next(iter(_samples(ev, v)), _Argument()) for v in (*args, *kwargs.values())]
        text = _tried(f, samples[:len(args)], dict(zip(kwargs, samples[len(args):])))
        _raise(ev, text if text is not None and _Argument.__name__ not in text else None)
    if not (getattr(f, "__name__", "") in _NEVER_TRIED or (getattr(f, "__module__", None) or "").startswith("sct")):
        _raise(ev, _refused(ev, f, args, kwargs))


def check_instance(ev: Evaluator, f: Any, args: Args, kwargs: Kwargs) -> None:
    """Raises the TypeError of Python if the object cannot be called with so many arguments."""
    _raise(ev, _said(f, "", len(args), tuple(kwargs)))


def check_method(ev: Evaluator, classes: Sequence[type], owner: Abstract, name: str, args: Args,
                 kwargs: Kwargs) -> None:
    """Raises the exception of Python for a call of a method of an array, a number or a container."""
    said = {_method_misfit(cls, name, len(args), tuple(kwargs)) for cls in classes}
    _raise(ev, said.pop() if len(said) == 1 else None)
    if name not in _NEVER_TRIED:
        _raise(ev, _refused(ev, lambda own, *passed, **named: getattr(own, name)(*passed, **named), [owner, *args],
                            kwargs))


def check_operands(ev: Evaluator, run: Callable[..., Any], *values: Abstract) -> None:
    """Raises the exception that Python raises for `run(*values)` with any values of these classes."""
    _raise(ev, _refused(ev, run, values, {}))


def hashed(ev: Evaluator, v: Abstract, what: str = "a key of a dict") -> Any:
    """The run-time value of a key or an item of a set; raises as Python does if it is not hashable."""
    check_operands(ev, hash, v)
    key = ev.key(known_tuple(ev, v) if isinstance(v, RunTimeTuple) else v, what)
    run_or_raise(ev, lambda: hash(key))
    return key


def key_of_python(ev: Evaluator, v: Abstract, operands: list[Operand]) -> str | None:
    """The template of a key of a dict, or an item of a set, whose parts Python alone knows: a tuple of ints and strings
    whose length is known only at run time, and a frozenset, a date or the like; None for other values."""
    if isinstance(v, RunTimeTuple):
        schema, types = item_type(ev, v.of)
        t = types[0] if schema == 0 else None
        is_key = isinstance(t, Text) or isinstance(t, Tensor) and t.is_scalar and t.kind in "ib"
        return f"tuple({add_operand(dynamic_lists.columns(ev, v.of)[0], operands)})" if is_key else None
    if not isinstance(v, Value) or isinstance(v.type, Text) or not is_python_object(ev, v) or (
            eqn := ev.defs.get(v)) is None:
        return None
    seen = ev.observed(eqn.loc)
    is_key = bool(seen) and all(t[0] == "object" and t[1] in IMMUTABLE for t in seen)
    return add_operand(v, operands) if is_key else None


def _raise(ev: Evaluator, text: str | None) -> None:
    if text is not None:
        raise_at_run_time(ev, "TypeError", text)


def by_position(f: Any, args: Args, kwargs: Kwargs) -> tuple[Args, Kwargs]:
    """The same call with required arguments by position, also if they were passed by name."""
    names = _needed(f)[len(args):] if kwargs else ()
    if not all(name in kwargs for name in names):
        return args, kwargs
    return [*args, *(kwargs[name] for name in names)], {k: v for k, v in kwargs.items() if k not in names}


@functools.lru_cache(maxsize=1024)
def _needed(f: Any) -> tuple[str, ...]:
    """The parameters without defaults that may be given by name, after those that come before them."""
    signature = _signature(f)
    if signature is None:
        return ()
    return tuple(p.name for p in signature.parameters.values()
                 if p.default is p.empty and p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD))


# -- how many arguments, and which keywords ------------------------------------------------------------------


class _Argument:
    """Stands for an argument: nothing can be done with it, so that a call that takes it does nothing either."""


_MISFIT = re.compile(r"\btakes\b|\bexpected (at least |at most |exactly )?\d+ (positional )?argument|"
                     r"\bmissing\b.*\bargument|keyword argument|\b(needs|have) at least|\bneeds an argument|"
                     r"given by name|^Cannot specify|requires .* to be specified")
"""Matches messages of Python about arguments that fit for no values."""


def _said(owner: Any, name: str, count: int, names: tuple[str, ...]) -> str | None:
    """The message of Python about `owner(...)` or `owner.name(...)` with so many arguments and these keywords; None if
    they fit.  A call with `**` has a different message."""
    written = [f"a{k}" for k in range(count)]
    written += [f"{k}=a0" for k in names] if all(map(is_identifier, names)) else ["**more"]
    there = {"f": owner, "more": dict.fromkeys(names), **{f"a{k}": _Argument() for k in range(count + 1)}}
    try:
        eval(f"f{name and '.'}{name}({', '.join(written)})", there)
    except TypeError as error:
        text = str(error)
        return text if _MISFIT.search(text) and _Argument.__name__ not in text else None
    except _OTHERS:
        pass
    return None


_OTHERS = (ArithmeticError, AttributeError, LookupError, RuntimeError, ValueError, Warning)
"""Exceptions that depend on more than the classes of the arguments."""


@functools.lru_cache(maxsize=4096)
def _misfit(f: Any, count: int, names: tuple[str, ...]) -> str | None:
    binds = _binds(f, count, names)
    return None if binds or binds is None and f is print else _said(f, "", count, names)  # no signature in Python 3.10


@functools.lru_cache(maxsize=4096)
def _binds(f: Callable[..., Any], count: int, names: tuple[str, ...]) -> bool | None:
    """Does the signature take them?  None where it does not tell of all keywords."""
    signature = _signature(f)
    if signature is None:
        return None
    try:
        signature.bind(*range(count), **dict.fromkeys(names))
    except TypeError:
        return False
    return None if any(p.kind is inspect.Parameter.VAR_KEYWORD for p in signature.parameters.values()) else True


def _signature(f: Any) -> inspect.Signature | None:
    try:
        return inspect.signature(f)
    except (TypeError, ValueError):
        return None


@functools.lru_cache(maxsize=4096)
def _method_misfit(cls: Any, name: str, count: int, names: tuple[str, ...]) -> str | None:
    if cls is np.ndarray:
        sample = np.zeros(1)
    else:
        sample = tuple.__new__(cls, [None] * len(cls._fields)) if is_namedtuple(cls) else cls()
    return _said(sample, name, count, names) if hasattr(sample, name) else None


# -- of which classes -----------------------------------------------------------------------------------------


_NEVER_TRIED = frozenset((
    "print", "setattr", "delattr", "type", "vars", "eval", "exec", "compile", "globals", "locals", "input",
    "open", "getLogger", "__setattr__", "__init__", "dump", "tofile", "lu_solve"))
"""Functions that do more than to give something; `lu_solve` writes to memory that is not its own where a pivot is out
of bounds."""

_SHOWS_A_SAMPLE = re.compile(r"'1'|\b1\.0|\[1|\(1")
_MOST = 16
"""The most items of a container, and combinations of classes of numbers, that are tried."""


def _refused(ev: Evaluator, f: Callable[..., Any], args: Args, kwargs: Kwargs) -> str | None:
    """The message of Python if it refuses arguments of these classes; None if it accepts some, or they are unknown."""
    operands = [*args, *kwargs.values()]
    if ev.ahead and any(isinstance(v, (Value, Ref)) for v in operands):
        return None  # another type may be guessed
    ways = [way for size in sorted({1, 2, *_lengths(ev, operands)}) for one in (1.0, 1.5)
            for way in _each(ev, operands, size, one)]
    if not ways:
        return None
    for way in [way for way in ways if any(map(_is_container, way))]:
        numbers = itertools.count(_MOST)
        ways.append(tuple(_of_other_numbers(x, numbers) if _is_container(x) else x for x in way))
    said = {_tried(f, way[:len(args)], dict(zip(kwargs, way[len(args):]))) for way in ways}
    text = said.pop()
    return None if said or text is None or _SHOWS_A_SAMPLE.search(text) else text


def _is_container(x: Any) -> bool:
    return type(x) in (tuple, list, dict)


def _of_other_numbers(x: Any, numbers: Iterator[int]) -> Any:
    """The container with numbers that all differ: which items Python compares depends on which are equal."""
    if isinstance(x, dict):
        return {k: _of_other_numbers(y, numbers) for k, y in x.items()}
    if not isinstance(x, (tuple, list)):
        return x
    return type(x)(type(y)(next(numbers)) if type(y) in (int, float) or isinstance(y, np.number)
                   else _of_other_numbers(y, numbers) for y in x)


def _lengths(ev: Evaluator, operands: Sequence[Abstract]) -> Iterator[int]:
    """The lengths of the lists and tuples, which arrays beside them may have to have."""
    for v in operands:
        cell = ev.store.cells[v.addr] if isinstance(v, ListRef) else v
        if isinstance(cell, (Slots, Tup)) and len(cell.items) <= _MOST:
            yield len(cell.items)


def _tried(f: Callable[..., Any], args: Sequence[Any], kwargs: dict[str, Any]) -> str | None:
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        try:
            f(*args, **kwargs)
        except TypeError as error:
            return str(error) if type(error) is TypeError else None
        except Exception:  # of a library: only a TypeError depends on the classes alone
            pass
    return None


_AS_THEY_ARE = (str, bytes, type(None), type(Ellipsis), slice, np.dtype)


def _samples(ev: Evaluator, v: Abstract, size: int = 1, one: float = 1.0, around: tuple[int, ...] = ()) -> list[Any]:
    """Objects of the classes that `v` may be of; none where that is not known, where it could be called, or where it
    holds itself.

    size    of each axis of an array
    one     the floats that are known only at run time
    around  the addresses of the containers that hold `v`
    """
    if isinstance(v, Static):
        x = v.peek
        if type(x) in (bool, int, float):
            return [x] if abs(x) < _MOST else [1.5] if type(x) is float else []
        if type(x) in (set, frozenset):
            return [type(x)(map(plain, x))]
        is_constant = type(x) in _AS_THEY_ARE or isinstance(x, type) and x.__module__ in ("builtins", "numpy")
        return [x] if is_constant or isinstance(x, np.dtype) else []
    if isinstance(v, (Value, Ref)):
        t = ev.type_of(v)
        if not isinstance(t, Tensor) or t.carrier == "any":
            return []
        samples: list[Any] = [type(x)(one) if isinstance(x, (float, np.floating)) else x for x in samples_of(t)]
        return [np.full((size,) * t.rank, one if x.dtype.kind == "f" else 1, x.dtype) if t.is_array else x
                for x in samples]
    if isinstance(v, Tup) and v.fields == SLICE:
        return [slice(None)]
    if isinstance(v, Tup) and v.cls is tuple:
        return [tuple(items) for items in _each(ev, v.items, size, one, around)]
    cell = ev.store.cells[v.addr] if isinstance(v, (ListRef, DictRef)) and not isinstance(v, DefaultRef) else None
    if not isinstance(cell, Slots) or dynamic_lists.is_dynamic(ev, v) or v.addr in around:  # type: ignore[union-attr]
        return []
    make = list if isinstance(v, ListRef) else lambda items: dict(zip(map(plain, cell.keys), items))
    within = (*around, v.addr)  # type: ignore[union-attr]
    return [make(items) for items in _each(ev, cell.items, size, one, within)]


def _each(ev: Evaluator, items: Sequence[Abstract], size: int, one: float, around: tuple[int, ...] = ()
          ) -> list[tuple[Any, ...]]:
    """Samples of several values; none if there are too many combinations."""
    ways = itertools.product(*(_samples(ev, x, size, one, around) for x in items[:_MOST]))
    combinations = list(itertools.islice(ways, _MOST + 1))
    return combinations if max(len(items), len(combinations)) <= _MOST else []
