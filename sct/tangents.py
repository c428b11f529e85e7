"""Tangents and cotangents that callers pass, converted to the structure of their primals; and pullbacks.

    a cotangent 1 of a value np.float32(2.5)     ->     np.float32(1.0)
"""

from __future__ import annotations

import enum
import hashlib
import types
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from sct.codegen import Source, load
from sct.codegen.numba.disk_cache import imported
from sct.errors import SctError, add_source_note, contains_itself
from sct.frontend.arguments.argument_keys import kind_of_rows
from sct.frontend.source.parse import nested_codes
from sct.ir.pytrees.pytree import Parts, gradient_with, parts_of, step_text, tree_leaves, with_items

__all__ = ["Pullback", "directions_of", "is_absent", "tangent_of", "tangent_of_each", "type_in_words"]

# -- pullbacks ------------------------------------------------------------------------


class Pullback:
    """A function from a cotangent of the value to the cotangents of the arguments.

    It may be called any number of times.  It is pickled as the source of the emitted function that returned it, with
    the residuals of that call; so it can be pickled if they can.
    """

    def __init__(self, value: Any, run: Callable[[Any], Any]) -> None:
        self._value, self._run = value, run

    def __call__(self, cotangent: Any) -> Any:
        try:
            return self._run(tangent_of(self._value, cotangent, "the cotangent"))
        except Exception as error:
            add_source_note(error)
            raise

    def __repr__(self) -> str:
        return f"<pullback of {self._emitted.__qualname__.partition('.')[0]}>"

    def __reduce__(self) -> tuple[Callable[..., Pullback], tuple[Any, ...]]:
        run = self._emitted
        cell_values = [cell.cell_contents for cell in run.__closure__ or ()]
        return _unpickle, (self._value, run.__globals__["__sct_source__"], run.__module__ != "sct.emitted",
                            run.__name__, run.__code__.co_firstlineno, cell_values)

    @property
    def _emitted(self) -> Any:
        """The function in the emitted code, without the wrapper of the Numba backend."""
        return getattr(self._run, "__wrapped__", self._run)


def _unpickle(value: Any, source: Source, compiled: bool, name: str, line: int, cell_values: list[Any]) -> Pullback:
    digest = hashlib.sha256(source.text.encode()).hexdigest()[:8]
    outer = imported(source) if compiled else load(source, f"<sct {source.function_name} {digest}>")
    code = next(c for c in nested_codes(outer.__code__) if (c.co_name, c.co_firstlineno) == (name, line))
    run = types.FunctionType(code, outer.__globals__, name, None, tuple(map(types.CellType, cell_values)))
    return Pullback(value, run)


# -- tangents -------------------------------------------------------------------------


def tangent_of(primal: Any, tangent: Any, at: str, inside: bool = False) -> Any:
    """`tangent` in the structure, shapes and dtypes of `primal`, with zeros for None.

    An int has no tangent `inside` a container; as an argument it counts as a float.
    """
    parts = parts_of(primal)
    if parts is not None:
        tangent_parts = Parts(parts.kind, dict.fromkeys(parts.items)) if tangent is None else parts_of(tangent)
        if tangent_parts is None or tangent_parts.kind != parts.kind \
                or tangent_parts.items.keys() != parts.items.keys():
            raise _mismatch(at, _structure_in_words(primal, parts), tangent)
        return gradient_with(primal, {
            key: tangent_of(part, tangent_parts.items[key], at + step_text(parts, key), True)
            for key, part in parts.items.items()})
    is_number = isinstance(primal, (float, int, complex, np.generic, np.ndarray)) and not isinstance(primal, enum.Enum)
    kind = np.asarray(primal).dtype.kind if is_number else "O"
    if kind not in "fc" and (inside or kind not in "iu"):
        if tangent is not None:
            raise _mismatch(at, f"None, as for {type_in_words(primal)}", tangent)
        return None
    return _array_tangent(primal, 0.0 if tangent is None else tangent, at, tangent is None)


def tangent_of_each(name: str, primals: object, tangents: object) -> list[Any]:
    """The tangents, and None for the last arguments, which have none."""
    for label, argument in (("primals", primals), ("tangents", tangents)):
        if not isinstance(argument, (tuple, list)):
            raise SctError("SCT904", f"{name}: {label} is a tuple, one item for each argument of the function",
                           why=f"got {type_in_words(argument)}", hint=f"{name}(f, (x,), (dx,))")
    assert isinstance(primals, (tuple, list)) and isinstance(tangents, (tuple, list))
    if not primals:
        raise SctError("SCT904", f"{name}: there are no primals", hint=f"{name}(f, (x,), (dx,))")
    if len(tangents) > len(primals):
        raise SctError("SCT904", f"{name}: {len(primals)} primals and {len(tangents)} tangents",
                       hint="one tangent for each primal, in a tuple")
    return [*tangents, *[None] * (len(primals) - len(tangents))]


def directions_of(primals: Sequence[Any], tangents: Sequence[Any]) -> list[Any]:
    """The tangents in the form of their primals; None for an argument that has none."""
    try:
        return [
            None if is_absent(tangent) else
            tangent_of(with_differentiated_ints(primal), tangent, f"the tangent of argument {i}")
            for i, (primal, tangent) in enumerate(zip(primals, tangents))
        ]
    except RecursionError:
        raise contains_itself("an argument or its tangent") from None


def with_differentiated_ints(x: Any) -> Any:
    """The argument with 0.0 for each int that counts as a float: one whose column in a long list has floats, too.

    >>> with_differentiated_ints(([1, 2.0, 3, 4.0, 5], [1, 2.0]))
    ([0.0, 2.0, 0.0, 4.0, 0.0], [1, 2.0])
    """
    kind = kind_of_rows(x, {}) if type(x) is list else None
    if kind is not None:
        return _with_zeros(x, (list, kind))
    parts = parts_of(x)
    return x if parts is None else with_items(
        x, {key: with_differentiated_ints(part) for key, part in parts.items.items()})


def _with_zeros(x: Any, kind: Any) -> Any:
    """`x`, of this kind, with 0.0 for the ints among ints and floats."""
    if kind == "real":
        return 0.0 if type(x) is int else x
    if not isinstance(kind, tuple) or x is None:
        return x
    if kind[0] == "none":
        return _with_zeros(x, kind[1])
    if kind[0] is list:
        return [_with_zeros(item, kind[1]) for item in x] if kind[1] == "real" or isinstance(kind[1], tuple) else x
    parts = parts_of(x)
    return x if parts is None else with_items(
        x, {key: _with_zeros(part, column) for (key, part), column in zip(parts.items.items(), kind[2:])})


def is_absent(tangent: Any) -> bool:
    """Are all leaves of a tangent None?"""
    return all(leaf is None for leaf in tree_leaves(tangent))


def _structure_in_words(primal: Any, parts: Parts) -> str:
    if parts.kind == "sequence":
        return f"a {type(primal).__name__} of {len(primal)} items"
    return f"a dict with the keys {[*parts.items]}" if parts.kind == "dict" else \
        f"an object with the attributes {[*parts.items]}"


def _array_tangent(primal: Any, tangent: Any, at: str, zero: bool) -> Any:
    dtype = np.result_type(primal) if np.result_type(primal).kind in "fc" else np.dtype(float)
    array = np.asarray(tangent)
    if array.dtype.kind not in ("biufc" if dtype.kind == "c" else "biuf"):
        raise _mismatch(at, "a number or an array of numbers", tangent)
    if zero:
        array = np.zeros(np.shape(primal))
    if array.shape != np.shape(primal):
        raise _mismatch(at, f"of shape {np.shape(primal)}", tangent)
    if isinstance(primal, np.ndarray):
        return array.astype(dtype, copy=False)
    return dtype.type(array) if isinstance(primal, np.generic) else dtype.type(array).item()


def _mismatch(at: str, wanted: str, value: object) -> SctError:
    return SctError("SCT904", f"{at} must be {wanted}", why=f"got {type_in_words(value)}")


def type_in_words(x: object) -> str:
    if isinstance(x, np.ndarray):
        return f"an array of shape {x.shape} and dtype {x.dtype}"
    return "None" if x is None else f"a {type(x).__name__}"
