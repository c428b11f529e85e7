"""Type rules: carrier, dtype and shape of results from the operands.

Promotion is NumPy's own (`ufunc.resolve_dtypes`, NEP 50: Python numbers are weak), asked
in one place.  An "any" scalar may be a Python number or a NumPy scalar; where its readings
disagree on the dtype the result is an "any" scalar again, or, for an array, refused.

>>> from sct.ir.core import Lit
>>> str(ufunc_result(np.add, [Lit(1), Lit(2.0)], None, arithmetic))
'float'
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence, Set
from functools import cache
from typing import Any, Union

import numpy as np

from sct.ir.core import Operand, Value
from sct.ir.dims import Dim, product, size_at, sizes_by_place, sizes_of_part, sym
from sct.ir.types import (
    ANY_COMPLEX,
    ANY_NUMBER,
    ANY_REAL,
    ANY_SINGLE,
    BOOL,
    COMPLEX,
    STRONG,
    Carrier,
    List,
    Seq,
    Tensor,
    Type,
    TypeMismatch,
    base_type,
    broadcast_shapes,
    dtype_in_words,
    dtype_name,
    in_words,
    leaf_type,
    map_sizes,
    maybe_single,
)

__all__ = [
    "Axis", "arithmetic", "bools", "by_carrier", "elementwise", "floats", "integers", "is_python", "item_at",
    "normalize", "number", "numpy_dtype", "part_of_list", "place_name", "prints", "probe", "promote", "rank",
    "real_floats", "reduced_shape", "same", "scalar_or_array", "size_dim", "size_of", "ufunc_result", "widest",
    "with_places",
]

Axis = Union[int, tuple[int, ...], None]
Rule = Callable[..., Tensor]


# -- operands -----------------------------------------------------------------------


def number(x: Operand) -> Tensor:
    """The type of an operand that must be a number or an array of numbers."""
    if not isinstance(x.type, Tensor):
        raise TypeMismatch(f"a number or an array is needed, this is {in_words(x.type)}")
    return x.type


def rank(x: Operand) -> int:
    """The number of axes of an operand; 0 if it is no array."""
    return x.type.rank if isinstance(x.type, Tensor) else 0


def is_python(x: Operand) -> bool:
    """May dividing by this raise, because it is or may be a Python number?"""
    return isinstance(x.type, Tensor) and x.type.carrier in ("py", "any")


def size_of(x: Operand) -> Dim:
    """The size term of an int: the one it is known to equal, else one named for the value."""
    if number(x).kind not in "ib" or x.type.rank:  # type: ignore[union-attr]
        raise TypeMismatch(f"an integer is needed, this is {in_words(x.type)}")
    return x.dim if x.dim is not None else sym(f"__v{x.id}") if hasattr(x, "id") else Dim(int(x.value))


def size_dim(shape: Sequence[Dim]) -> Dim:
    """The number of elements of a shape: linear where all sizes but one are known."""
    return product(shape, lambda d: True)


# -- dtypes -------------------------------------------------------------------------

_WEAK: dict[str, Any] = {"bool": np.dtype(bool), "int": int, "float": float, "real": float, "complex": complex}
_READINGS: dict[str, list[Any]] = {
    "bool": [np.dtype(bool)], "int": [np.dtype(bool), int, np.dtype("i8")],
    "real": [float, np.dtype("f8"), np.dtype("f4")], "single": [float, np.dtype("f4")],
    "complex": [complex, np.dtype("c16")], "number": [float, np.dtype("f8"), complex, np.dtype("c16")]}


@cache
def numpy_dtype(name: str) -> np.dtype[Any]:
    """NumPy's dtype of an IR name, of a Python kind too ("float" is float64)."""
    name = STRONG.get(name, name)
    return np.dtype(bool) if name == "b1" else np.dtype(f"{name[0]}{int(name[1:]) // 8}")


@cache
def _resolve(ufunc: np.ufunc | None, readings: tuple[Any, ...]) -> str:
    if not any(isinstance(r, np.dtype) for r in readings):
        readings = tuple(np.dtype(r) for r in readings)
    if ufunc is None:
        return dtype_name(np.result_type(*(r if isinstance(r, np.dtype) else r() for r in readings)))
    try:
        return dtype_name(ufunc.resolve_dtypes((*readings, *[None] * ufunc.nout))[ufunc.nin])
    except TypeError as error:
        raise TypeMismatch(str(error)) from error


def _readings(carrier: Carrier, dtype: str) -> list[Any]:
    if carrier == "any":
        return _READINGS[dtype]
    if carrier == "py" and dtype == "real":
        return [int, float]
    if carrier == "py" and dtype == "number":
        return [float, complex]
    return [_WEAK[dtype] if carrier == "py" else numpy_dtype(dtype)]


def promote(types: Sequence[Tensor], ufunc: np.ufunc | None = None) -> frozenset[str]:
    """The dtypes that `ufunc` (without: `numpy.result_type`) may give for operands of these
    types: one, unless some are "any".  It may raise for some of what they may be, but not for all."""
    return _promote(ufunc, *[(t.carrier, t.dtype) for t in types])


@cache
def _promote(ufunc: np.ufunc | None, *elements: tuple[Carrier, str]) -> frozenset[str]:
    dtypes, refused = set(), None
    for readings in itertools.product(*itertools.starmap(_readings, elements)):
        try:
            dtypes.add(_resolve(ufunc, readings))
        except TypeMismatch as error:
            refused = error
    if refused is not None and not dtypes:
        raise refused
    return frozenset(dtypes)


@cache
def probe(fn: Callable[..., Any], *dtypes: str) -> str:
    """The dtype that `fn` gives for one-element arrays of these dtypes."""
    try:
        return dtype_name(np.asarray(fn(*(np.ones(1, numpy_dtype(d)) for d in dtypes))).dtype)
    except TypeError as error:
        raise TypeMismatch(str(error)) from error


def scalar_or_array(dtypes: Set[str], shape: tuple[Dim, ...], carrier: Carrier = "np") -> Tensor:
    """The type of a result of this shape: an array, or a scalar of the carrier."""
    if shape and len(dtypes) > 1:
        raise TypeMismatch(f"the dtype of the result may be any of {', '.join(map(dtype_in_words, sorted(dtypes)))}: "
                           "a scalar is a Python number on one path and a NumPy scalar on another")
    if carrier == "any" or len(dtypes) > 1:
        kinds = {Tensor("np", d).kind for d in dtypes}
        if "c" in kinds:
            return ANY_COMPLEX if kinds == {"c"} else ANY_NUMBER
        return Tensor("any", "real" if "f" in kinds else "int" if "i" in kinds else "bool")
    (dtype,) = dtypes
    return Tensor("array" if shape else carrier, dtype, shape)


# -- what Python makes of Python numbers: dtype names to a dtype name ------------------


def real_floats(*dtypes: str) -> str:
    """As `floats`, of functions that Python has for real numbers alone."""
    if {"complex", "number"} & set(dtypes):
        raise TypeMismatch("Python has no such function of complex numbers", "use the function of NumPy")
    return "float"


def floats(*dtypes: str) -> str:
    return "complex" if "complex" in dtypes else "number" if "number" in dtypes else "float"


def bools(*_: str) -> str:
    return "bool"


def integers(*_: str) -> str:
    return "int"


def widest(*dtypes: str) -> str:
    """The operand of the widest kind, as `max` gives."""
    return next(d for d in ("complex", "number", "float", "real", "int", "bool") if d in dtypes)


def arithmetic(*dtypes: str) -> str:
    """As `widest`, but bools count as ints."""
    return "int" if (kind := widest(*dtypes)) == "bool" else kind


# -- elementwise ----------------------------------------------------------------------


def ufunc_result(ufunc: np.ufunc | None, xs: Sequence[Operand], spelling: str | None,
                 python: Callable[..., str] | None = None) -> Tensor:
    """The type of an elementwise function.

    `math.*` gives a Python number, and NumPy's function NumPy's.  Operators, and code without
    a spelling, give a Python number for Python numbers if there is a function that does:
    `python` says of which dtype.
    """
    types = [number(x) for x in xs]
    module = spelling.partition(".")[0] if spelling else ""
    if not any([t.shape for t in types]):
        if module == "math" and any([t.kind == "c" for t in types]):
            raise TypeMismatch(f"`{spelling}` takes real numbers", f"use c{spelling}, or the function of NumPy")
        return _scalar_result(ufunc, module, python, *types)
    if module in ("math", "cmath"):
        raise TypeMismatch(f"`{spelling}` takes numbers, not arrays")
    return scalar_or_array(promote(types, ufunc), broadcast_shapes(*(t.shape for t in types)))


@cache
def _scalar_result(ufunc: np.ufunc | None, module: str, python: Callable[..., str] | None, *types: Tensor) -> Tensor:
    """The type of an elementwise function of scalars."""
    if module == "math":
        return Tensor("py", (python or floats)(*(t.dtype for t in types)))
    if module == "cmath":
        return BOOL if python is bools else COMPLEX
    if python is not None and module not in ("numpy", "scipy") and all(t.carrier == "py" for t in types):
        return Tensor("py", python(*(t.dtype for t in types)))
    numpy = module in ("numpy", "scipy")
    of_python = python is not None and not numpy and len(types) == 2 and _complex_computes(*types)
    if of_python and types[0] == COMPLEX and types[1].dtype == "f64":
        return Tensor("py", python("complex", "float"))  # type: ignore[misc]
    sure = numpy or any(t.carrier in ("np", "array") for t in types) and not of_python
    dtypes = promote(types, ufunc)
    if not sure and python is not None:  # they may all be Python's
        dtype = python(*("real" if t.dtype == "single" else t.dtype for t in types))
        dtypes |= {"f64", "c128"} if dtype == "number" else {STRONG[dtype]}
    result = scalar_or_array(dtypes, (), "np" if sure else "any")
    return ANY_SINGLE if result == ANY_REAL and not sure and all(map(maybe_single, types)) else result


def _complex_computes(left: Tensor, right: Tensor) -> bool:
    """May Python's `complex` compute `left op right`?  A float64 of NumPy on its right is a float to it."""
    return left.kind == "c" and left.carrier in ("py", "any") and right.is_scalar and \
        right.dtype in ("f64", "real", "single")


def elementwise(ufunc: np.ufunc, python: Callable[..., str] | None = None) -> Rule:
    """The rule of an op with `spelled=True` whose result is as `ufunc`'s."""

    def rule(*xs: Operand, spelling: str | None = None) -> Tensor:
        return ufunc_result(ufunc, xs, spelling, python)

    return rule


def by_carrier(ufunc: Callable[..., Any], python: Callable[..., Any],
               of_complex: Callable[..., Any] | None = None) -> Callable[..., Any]:
    """`python` for Python numbers, `ufunc` for NumPy's; `of_complex` for Python's complex numbers."""

    def run(*xs: Any) -> Any:
        if of_complex is not None and any(type(x) is complex for x in xs):
            python_function = of_complex
        else:
            python_function = python
        return (ufunc if any(isinstance(x, (np.ndarray, np.generic)) for x in xs) else python_function)(*xs)

    return run


def prints(ufunc: str, python: str) -> Callable[..., str]:
    """The same for what is printed, where the user's program does not say."""

    def emit(*xs: Operand) -> str:
        types = [number(x) for x in xs]
        of_complex = f"c{python}" if any(t.kind == "c" for t in types) else python
        return f"{of_complex if all(t.carrier == 'py' for t in types) else ufunc}(_args)"

    return emit


def same(x: Operand, *_: Operand, **__: Any) -> Type:
    """The type of the first operand."""
    return x.type


# -- shapes ---------------------------------------------------------------------------


def normalize(axis: Axis, rank: int) -> tuple[int, ...]:
    """The axes as sorted nonnegative ints; None is all of them."""
    if axis is None:
        return tuple(range(rank))
    axes = (axis,) if isinstance(axis, int) else tuple(axis)
    positions = sorted(a + rank if a < 0 else a for a in axes)
    if len(set(positions)) < len(positions) or any(not 0 <= a < rank for a in positions):
        raise TypeMismatch(f"axis {axis} is out of bounds for an array of rank {rank}")
    return tuple(positions)


def reduced_shape(shape: Sequence[Dim], axis: Axis, keepdims: bool) -> tuple[Dim, ...]:
    """The shape after a reduction."""
    gone = normalize(axis, len(shape))
    if keepdims:
        return tuple(Dim(1) if k in gone else d for k, d in enumerate(shape))
    return tuple(d for k, d in enumerate(shape) if k not in gone)


# -- items of lists ----------------------------------------------------------------------------


def item_at(t: Seq, place: str, of: str) -> Type:
    """The type of the item at a place of the list `of`: sizes that differ from item to item are those of this one."""
    if isinstance(leaf_type(t), Tensor) and isinstance(base_type(t.elem), Seq):
        return map_sizes(lambda d: sizes_of_part(d, place), t.elem) if isinstance(t, List) else t.elem
    names = itertools.count()
    return map_sizes(lambda d: size_at(d, place, f"{of}_{place}_{next(names)}"), t.elem)


def with_places(t: Type, item: Type, place: str) -> Type:
    """The type of a list of which this is the type of the item at a place that stands for all of them."""
    leaf, each = leaf_type(t), leaf_type(item)
    if not isinstance(t, List) or not isinstance(leaf, Tensor) or not isinstance(each, Tensor):
        return t
    sizes = iter(each.shape)
    return map_sizes(lambda d: sizes_by_place(next(sizes), place) or d, t)


def part_of_list(t: Seq, name: str) -> List:
    """The type of a part of a list of this type, or of the list in another order; `name` tells which."""
    return List(map_sizes(lambda d: sizes_of_part(d, name), t.elem))


def place_name(i: Operand) -> str:
    return f"v{i.id}" if isinstance(i, Value) else str(i.value).replace("-", "_")
