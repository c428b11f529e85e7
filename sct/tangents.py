"""Tangents and cotangents that callers give, fitted to what they belong to; and pullbacks."""

from __future__ import annotations

import hashlib
import types
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from sct.codegen import Source, load
from sct.codegen.numba.disk_cache import imported
from sct.errors import SctError, add_place
from sct.ir.user_objects import attributes, make_gradient

__all__ = ["Pullback", "kind_of", "tangent_of"]

# -- pullbacks ------------------------------------------------------------------------


class Pullback:
    """From a cotangent of a value to the cotangents of the arguments; it may be called any number of times.

    It is pickled as the source of the function that returned it and the values that it keeps of
    that call; so it can be where these can be.
    """

    def __init__(self, value: Any, run: Callable[[Any], Any]) -> None:
        self._value, self._run = value, run

    def __call__(self, cotangent: Any) -> Any:
        try:
            return self._run(tangent_of(self._value, cotangent, "the cotangent"))
        except Exception as error:
            add_place(error)
            raise

    def __repr__(self) -> str:
        return f"<pullback of {self._emitted.__qualname__.partition('.')[0]}>"

    def __reduce__(self) -> tuple[Callable[..., Pullback], tuple[Any, ...]]:
        run = self._emitted
        kept = [cell.cell_contents for cell in run.__closure__ or ()]
        return _unpickled, (self._value, run.__globals__["__sct_source__"], run.__module__ != "sct.emitted",
                            run.__name__, run.__code__.co_firstlineno, kept)

    @property
    def _emitted(self) -> Any:
        """The function in the emitted code, without what the Numba backend puts around it."""
        return getattr(self._run, "__wrapped__", self._run)


def _unpickled(value: Any, source: Source, compiled: bool, name: str, line: int, kept: list[Any]) -> Pullback:
    digest = hashlib.sha256(source.text.encode()).hexdigest()[:8]
    outer = imported(source) if compiled else load(source, f"<sct {source.function_name} {digest}>")
    code = next(c for c in _codes(outer.__code__) if (c.co_name, c.co_firstlineno) == (name, line))
    run = types.FunctionType(code, outer.__globals__, name, None, tuple(map(types.CellType, kept)))
    return Pullback(value, run)


def _codes(code: types.CodeType) -> Iterator[types.CodeType]:
    for const in code.co_consts:
        if isinstance(const, types.CodeType):
            yield const
            yield from _codes(const)


# -- tangents -------------------------------------------------------------------------


def tangent_of(primal: Any, tangent: Any, at: str, inside: bool = False) -> Any:
    """`tangent` in the structure, shapes and dtypes of `primal`, zeros for None.

    `inside` a container an int has no tangent; passed directly it counts as a float.
    """
    if isinstance(primal, dict):
        parts = dict.fromkeys(primal) if tangent is None else tangent
        if not isinstance(parts, dict) or parts.keys() != primal.keys():
            raise _mismatch(at, f"a dict with the keys {list(primal)}", tangent)
        return {key: tangent_of(primal[key], parts[key], f"{at}[{key!r}]", True) for key in primal}
    named = attributes(primal)
    if named is not None:
        given = dict.fromkeys(named) if tangent is None else attributes(tangent)
        if given is None or given.keys() != named.keys():
            raise _mismatch(at, f"an object with the attributes {list(named)}", tangent)
        made = [tangent_of(named[key], given[key], f"{at}.{key}", True) for key in named]
        return make_gradient(type(primal), list(named), made)
    if isinstance(primal, (tuple, list)):
        parts = [None] * len(primal) if tangent is None else tangent
        if not isinstance(parts, (tuple, list)) or len(parts) != len(primal):
            raise _mismatch(at, f"a {type(primal).__name__} of {len(primal)} items", tangent)
        made = [tangent_of(x, t, f"{at}[{i}]", True) for i, (x, t) in enumerate(zip(primal, parts))]
        return made if isinstance(primal, list) else tuple(made)
    kind = np.asarray(primal).dtype.kind if isinstance(primal, (float, int, complex, np.generic, np.ndarray)) else "O"
    if kind not in "fc" and (inside or kind not in "iu"):
        if tangent is not None:
            raise _mismatch(at, f"None, as for {kind_of(primal)}", tangent)
        return None
    return _array_tangent(primal, 0.0 if tangent is None else tangent, at, tangent is None)


def _array_tangent(primal: Any, tangent: Any, at: str, zero: bool) -> Any:
    dtype = np.result_type(primal) if np.result_type(primal).kind in "fc" else np.dtype(float)
    given = np.asarray(tangent)
    if given.dtype.kind not in ("biufc" if dtype.kind == "c" else "biuf"):
        raise _mismatch(at, "a number or an array of numbers", tangent)
    if zero:
        given = np.zeros(np.shape(primal))
    if given.shape != np.shape(primal):
        raise _mismatch(at, f"of shape {np.shape(primal)}", tangent)
    if isinstance(primal, np.ndarray):
        return given.astype(dtype, copy=False)
    return dtype.type(given) if isinstance(primal, np.generic) else dtype.type(given).item()


def _mismatch(at: str, wanted: str, given: object) -> SctError:
    return SctError("SCT904", f"{at} must be {wanted}", why=f"got {kind_of(given)}")


def kind_of(x: object) -> str:
    if isinstance(x, np.ndarray):
        return f"an array of shape {x.shape} and dtype {x.dtype}"
    return "None" if x is None else f"a {type(x).__name__}"
