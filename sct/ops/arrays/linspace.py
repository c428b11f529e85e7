"""Evenly spaced numbers, and powers of them."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from sct.ir.core import Lit, Op, Operand
from sct.ir.dims import Dim, applied, range_len, sym
from sct.ir.types import Tensor, TypeMismatch, dtype_name
from sct.ops.arrays.creation import dtype_text
from sct.ops.arrays.shape import size
from sct.ops.reductions.reductions import sum_
from sct.ops.registry import op, placeholders
from sct.ops.scalar.arithmetic import div, mul, sub
from sct.ops.type_rules import number, numpy_dtype, promote, scalar_or_array, size_of

__all__ = ["arange", "geomspace", "linspace", "logspace"]


# -- arange(stop), arange(start, stop), arange(start, stop, step) ---------------------------------


def type_arange(*bounds: Operand, dtype: str | None = None) -> Tensor:
    default = "i64" if all(number(x).kind in "ib" for x in bounds) else "f64"
    return Tensor("array", dtype or default, (length(*bounds),))


def length(*bounds: Operand) -> Dim:
    """How many numbers."""
    if all(isinstance(x, Lit) for x in bounds):
        return Dim(len(np.arange(*(x.value for x in bounds if isinstance(x, Lit)))))
    dims = [_term(x) for x in bounds]
    start, stop, step = (Dim(0), dims[0], Dim(1)) if len(dims) == 1 else (*dims, Dim(1))[:3]
    if step.value is not None and step.value > 0 and all(is_whole(x) for x in bounds):
        return range_len(stop - start, step.value)
    return applied("arange", start, stop, step)


def is_whole(x: Operand) -> bool:
    """Is this an int, or a float that is one, with which floats compute exactly?"""
    return number(x).kind in "ib" or isinstance(x, Lit) and type(x.value) is float and x.value.is_integer() and \
        abs(x.value) < 2**52


def _term(x: Operand) -> Dim:
    if is_whole(x):
        return Dim(int(x.value)) if isinstance(x, Lit) else size_of(x)
    return sym(f"_f{x.id}") if not isinstance(x, Lit) else sym(f"_f{hash(x.value)}".replace("-", "_"))


def bind_arange(start: Any, stop: Any = None, step: Any = None, dtype: Any = None) -> tuple[list[Any], dict[str, Any]]:
    bounds = [start] if stop is None else [start, stop] if step is None else [start, stop, step]
    return bounds, {"dtype": None if dtype is None else dtype_name(dtype)}


def emit_arange(*bounds: Operand, dtype: str | None = None) -> str:
    more = [] if dtype is None else [f"dtype={dtype_text(dtype)}"]
    return f"numpy.arange({', '.join([*placeholders(len(bounds)), *more])})"


def arange_vjp(ct: Operand, y: Operand, *bounds: Operand, dtype: str | None = None) -> list[Any]:
    """The numbers are start + k * step; the stop only decides how many there are."""
    if len(bounds) == 1:
        return [None]
    step = sum_(mul(ct, arange(size(y)))) if len(bounds) == 3 else None
    return [sum_(ct), None, step][:len(bounds)]


def goes_on(*bounds: Operand, dtype: str | None = None) -> bool:
    """Are these ints, with a step that is known?"""
    step = bounds[2] if len(bounds) == 3 else Lit(1)
    return isinstance(step, Lit) and bool(step.value) and all(number(x).kind in "ib" for x in bounds)


arange = op("arange", "numpy.arange", type=type_arange, bind=bind_arange, emit=emit_arange, defaults={"dtype": None},
            run=lambda *b, dtype=None: np.arange(*b, dtype=None if dtype is None else numpy_dtype(dtype)),
            vjp=arange_vjp, inactive=(), raises="value", safe=goes_on,
            samples=lambda: [((4,), {}), ((1, 4), {}), ((5, 1, -2), {}), ((0.5, 3.2, 0.6), {}), ((0.5, 3.2), {}),
                             ((3,), {"dtype": "f64"}), ((0,), {})], allocates=True, layout="C")


# -- linspace(start, stop, num) ---------------------------------------------------------------------


def type_linspace(start: Operand, stop: Operand, num: Operand, endpoint: bool = True) -> Tensor:
    if number(start).rank or number(stop).rank:
        raise TypeMismatch("linspace between arrays is not supported")
    return scalar_or_array(promote([number(start), number(stop)], np.divide), (size_of(num),))


def linspace_transposed(ct: Operand, start: Operand, stop: Operand, num: Operand, endpoint: bool = True) -> list[Any]:
    weight = linspace(0.0, 1.0, num, endpoint=endpoint)
    return [sum_(mul(ct, sub(1.0, weight))), sum_(mul(ct, weight)), None]


linspace = op("linspace", "numpy.linspace", type=type_linspace, run=np.linspace, defaults={"endpoint": True},
              bind=lambda start, stop, num=50, endpoint=True: ([start, stop, num], {"endpoint": endpoint}),
              emit=lambda *_, endpoint=True: f"numpy.linspace(_0, _1, _2{'' if endpoint else ', endpoint=False'})",
              inactive=(2,), linear=linspace_transposed, raises="value",
              samples=lambda: [((0.5, 2.5, 4), {}), ((2.5, 0.5, 3), {"endpoint": False}),
                               ((np.float64(0.5), 1, 1), {})], allocates=True, layout="C")


# -- logspace, geomspace: powers at even steps ---------------------------------------------------------


def weight_of(num: Operand, endpoint: bool) -> Any:
    """From 0 to 1: how far each number is on the way."""
    return linspace(0.0, 1.0, num, endpoint=endpoint)


def logspace_partials(y: Operand, num: Operand, endpoint: bool, base: float) -> list[Any]:
    w = weight_of(num, endpoint)
    growth = mul(math.log(base), y)
    return [mul(growth, sub(1.0, w)), mul(growth, w)]


def geomspace_partials(y: Operand, start: Operand, stop: Operand, num: Operand, endpoint: bool) -> list[Any]:
    w = weight_of(num, endpoint)
    return [div(mul(y, sub(1.0, w)), start), div(mul(y, w), stop)]


def spaced(name: str, partials: Callable[..., list[Any]], **defaults: Any) -> Op:
    """A function (start, stop, num): `partials(y, start, stop, num, **attrs)` are by start and stop."""
    call = getattr(np, name)

    def vjp(ct: Operand, y: Operand, start: Operand, stop: Operand, num: Operand, **attrs: Any) -> list[Any]:
        return [*(sum_(mul(ct, p)) for p in partials(y, start, stop, num, **{**defaults, **attrs})), None]

    def emit(*_: Operand, **attrs: Any) -> str:
        keywords = [f"{k}=_{k}" for k, v in attrs.items() if v != defaults[k]]
        return f"numpy.{name}({', '.join(['_0', '_1', '_2', *keywords])})"

    def bind(start: Any, stop: Any, num: Any = 50, **attrs: Any) -> tuple[list[Any], dict[str, Any]]:
        if wrong := attrs.keys() - defaults.keys():
            raise TypeError(f"the keyword `{min(wrong)}` is not supported")
        return [start, stop, num], {**defaults, **attrs}

    def rule(start: Operand, stop: Operand, num: Operand, **attrs: Any) -> Tensor:
        return type_linspace(start, stop, num)

    return op(name, f"numpy.{name}", type=rule, run=call, bind=bind, emit=emit, defaults=defaults, vjp=vjp,
              inactive=(2,), raises="value",
              samples=lambda: [((0.5, 2.5, 4), {}), ((2.5, 0.5, 3), {"endpoint": False}), ((1.5, 2.0, 1), {})])


logspace = spaced("logspace", lambda y, start, stop, num, endpoint, base: logspace_partials(y, num, endpoint, base),
                  endpoint=True, base=10.0)
geomspace = spaced("geomspace", geomspace_partials, endpoint=True)
