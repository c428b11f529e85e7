"""Reductions of the elements that a mask selects: `where=`, `initial=`, `dtype=`, and NaN left out.

`numpy.sum(where=)` is the spelling of a call with that keyword.  The operands are x, the mask
(the literal True: there is none) and the initial value (the literal None: there is none).  An
element that the mask leaves out contributes exactly 0.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from sct.ir.core import Lit, Op, Operand
from sct.ir.types import Tensor
from sct.ops import samples
from sct.ops.arrays.creation import dtype_text, ones_like, optional_dtype
from sct.ops.reductions.reductions import (
    aligned,
    bind_reduction,
    count,
    expand_like,
    extremum_vjp,
    max_,
    mean,
    min_,
    prod,
    prod_vjp,
    readings,
    reduction,
    sum_,
)
from sct.ops.registry import op
from sct.ops.scalar.arithmetic import add, mul, quotient, sub
from sct.ops.scalar.comparison import TRUTH, isnan
from sct.ops.scalar.selection import logical_not, maximum, minimum, where
from sct.ops.type_rules import Axis, normalize, number, numpy_dtype, probe, reduced_shape, scalar_or_array

__all__ = [
    "all_where", "any_where", "max_where", "mean_where", "min_where", "nanmax", "nanmean", "nanmin", "nanprod",
    "nanstd", "nansum", "nanvar", "prod_where", "std_where", "sum_where", "var_where",
]

ALL, NONE = Lit(True), Lit(None)


def kept(x: Any, mask: Operand, fill: float) -> Any:
    """x, with `fill` where the mask leaves out."""
    return x if mask == ALL else where(mask, x, fill)


# -- the rules: of x, mask and attrs ------------------------------------------------------------------


@dataclass(frozen=True)
class Reduction:
    """How a reduction is differentiated: `fill` changes nothing, `join` adds the initial value;
    `vjp(ct, y, x, axis, keepdims)` is that of the plain op. `over_none` is the reduction of elements of which there may
    be none, where the plain op raises then."""

    plain: Op
    fill: float
    join: Op
    vjp: Callable[..., list[Any]]
    over_none: Callable[..., Any] | None = None

    def back(self, ct: Any, y: Operand, x: Operand, mask: Operand, initial: Operand, **attrs: Any) -> list[Any]:
        whole, start = kept(x, mask, self.fill), None
        if initial != NONE:
            over_none = self.over_none if may_be_empty(x, attrs.get("axis")) else None
            inner = self.plain(whole, **attrs) if over_none is None else over_none(whole, **attrs)
            ct, start = joined(self.join, ct, y, inner, initial)
            y = inner
            attrs = attrs if over_none is None else {**attrs, "may_be_empty": True}
        return [kept(self.vjp(ct, y, whole, **attrs)[0], mask, 0.0), None, start]


def may_be_empty(x: Operand, axis: Axis) -> bool:
    """May a reduction of floats have no elements?"""
    shape = number(x).shape
    axes = range(len(shape)) if axis is None else normalize(axis, len(shape))
    return number(x).kind == "f" and any(shape[k].least < 1 for k in axes)


def joined(join: Op, ct: Any, y: Operand, a: Operand, b: Operand) -> list[Any]:
    """`ct` times the derivatives of y = join(a, b), which are diagonal."""
    if join.vjp is not None:
        return join.vjp(ct, y, a, b)
    assert join.partials is not None
    return [mul(ct, p) for p in join.partials(y, a, b)]


SUM = Reduction(sum_, 0.0, add, lambda ct, y, x, **attrs: [expand_like(ct, x, **attrs)])
PROD = Reduction(prod, 1.0, mul, prod_vjp)
MAX = Reduction(max_, -np.inf, maximum, extremum_vjp, lambda x, **attrs: max_where(x, ALL, Lit(-np.inf), **attrs))
MIN = Reduction(min_, np.inf, minimum, extremum_vjp, lambda x, **attrs: min_where(x, ALL, Lit(np.inf), **attrs))


def counted(x: Operand, mask: Operand, **attrs: Any) -> Any:
    """How many elements are selected."""
    if mask == ALL:
        return count(x, attrs.get("axis"))
    whole = mask if number(mask).shape == number(x).shape else where(mask, ones_like(x), 0.0)
    return sum_(whole, **attrs)


def selected_mean(x: Operand, mask: Operand, axis: Axis) -> Any:
    if mask == ALL:
        return mean(x, axis=axis, keepdims=True)
    return quotient(sum_(where(mask, x, 0.0), axis=axis, keepdims=True), counted(x, mask, axis=axis, keepdims=True),
                    edge=np.nan)


class Mean:
    """The mean of the selected elements."""

    def share(self, g: Any, y: Operand, n: Any, ddof: int) -> Any:
        return quotient(g, n, edge=np.nan)

    def weight(self, x: Operand, mask: Operand, axis: Axis) -> Any:
        return None

    def back(self, ct: Any, y: Operand, x: Operand, mask: Operand, initial: Operand = NONE, axis: Axis = None,
             keepdims: bool = False, ddof: int = 0) -> list[Any]:
        g = self.share(ct, y, counted(x, mask, axis=axis, keepdims=keepdims), ddof)
        weight = self.weight(x, mask, axis)
        if weight is None:
            return [kept(expand_like(g, x, axis=axis, keepdims=keepdims), mask, 0.0), None, None]
        return [kept(mul(weight, aligned(g, x, axis, keepdims)), mask, 0.0), None, None]


class Variance(Mean):
    """The variance of the selected elements: 2 (x - mean) / (n - ddof)."""

    def share(self, g: Any, y: Operand, n: Any, ddof: int) -> Any:
        return quotient(mul(2.0, g), sub(n, ddof) if ddof else n, edge=np.nan)

    def weight(self, x: Operand, mask: Operand, axis: Axis) -> Any:
        return sub(x, selected_mean(x, mask, axis))


class Deviation(Variance):
    """The standard deviation of the selected elements; that of one number is 0, and so is its derivative."""

    def share(self, g: Any, y: Operand, n: Any, ddof: int) -> Any:
        return quotient(quotient(g, y, edge=0.0), sub(n, ddof) if ddof else n, edge=np.nan)


MEAN, VAR, STD = Mean(), Variance(), Deviation()


# -- with keywords --------------------------------------------------------------------------------------


def bind_masked(a: Any, axis: Any = None, dtype: Any = None, *, keepdims: Any = False, initial: Any = None,
                where: Any = True) -> tuple[list[Any], dict[str, Any]]:
    operands, attrs = bind_reduction(a, axis, keepdims=keepdims)
    return [*operands, where, initial], {**attrs, "dtype": optional_dtype(dtype)}


def bind_moment(a: Any, axis: Any = None, dtype: Any = None, *, keepdims: Any = False, ddof: Any = 0,
                correction: Any = None, where: Any = True) -> tuple[list[Any], dict[str, Any]]:
    operands, attrs = bind_masked(a, axis, dtype, keepdims=keepdims, where=where)
    return operands, {**attrs, "ddof": ddof if correction is None else correction}


def masked_type(call: Callable[..., Any]) -> Callable[..., Tensor]:
    def rule(x: Operand, mask: Operand, initial: Operand, axis: Axis = None, keepdims: bool = False,
             dtype: str | None = None, ddof: int = 0) -> Tensor:
        keywords = {} if dtype is None else {"dtype": numpy_dtype(dtype)}
        dtypes = {probe(lambda v: call(v, **keywords), d) for d in readings(number(x))}
        return scalar_or_array(dtypes, reduced_shape(number(x).shape, axis, keepdims))

    return rule


def keywords(mask: Any, initial: Any, dtype: str | None, ddof: int) -> dict[str, Any]:
    """The keywords for NumPy: not all of these functions take all of them."""
    arguments: dict[str, Any] = {} if mask is True else {"where": mask}
    arguments |= {} if initial is None else {"initial": initial}
    arguments |= {} if dtype is None else {"dtype": numpy_dtype(dtype)}
    return arguments | ({"ddof": ddof} if ddof else {})


def masked_op(name: str, kind: Reduction | Mean | None, calls: str, **fields: Any) -> Op:
    """`numpy.name` with the keywords that need operands, or another dtype."""
    call = getattr(np, name)

    def run(x: Any, mask: Any, initial: Any, axis: Axis = None, keepdims: bool = False, dtype: str | None = None,
            ddof: int = 0) -> Any:
        return call(x, axis=axis, keepdims=keepdims, **keywords(mask, initial, dtype, ddof))

    def emit(x: Operand, mask: Operand, initial: Operand, axis: Axis = None, keepdims: bool = False,
             dtype: str | None = None, ddof: int = 0) -> str:
        parts = {"axis=_axis": axis is not None, "keepdims=True": keepdims, "ddof=_ddof": ddof,
                 f"dtype={dtype_text(dtype or 'f64')}": dtype, "where=_1": mask != ALL, "initial=_2": initial != NONE}
        return f"numpy.{name}({', '.join(['_0', *(text for text, there in parts.items() if there)])})"

    def vjp(ct: Any, y: Operand, x: Operand, mask: Operand, initial: Operand, dtype: Any = None, **attrs: Any) -> Any:
        assert kind is not None
        return kind.back(ct, y, x, mask, initial, **attrs)

    moment = isinstance(kind, Mean)
    derivative: dict[str, Any] = {"nondiff": TRUTH} if kind is None else {"vjp": vjp}
    defaults = {"axis": None, "keepdims": False, "dtype": None, **({"ddof": 0} if name in ("var", "std") else {})}
    spellings = " ".join(f"{module}.{name}({k}=)" for module in ("numpy", "") for k in calls.split())
    return op(f"{name}_where", spellings, type=masked_type(call), run=run, emit=emit, defaults=defaults, inactive=(1,),
              bind=bind_moment if name in ("var", "std") else bind_masked, raises="shape",
              samples=masked_samples(moment or kind is None, name), **derivative, **fields)


def masked_samples(without_initial: bool, name: str) -> samples.Samples:
    def make() -> Iterable[samples.Sample]:
        x = samples.arrays((3, 4))
        mask, row = np.arange(12).reshape(3, 4) % 5 > 0, np.array([True, False, True, True])
        start = None if without_initial else 0.75
        for axis, keepdims in ((0, False), (1, True)):
            yield (x, mask, start), {"axis": axis, "keepdims": keepdims}
        if name not in ("max", "min"):
            yield (x, mask, None), {"axis": None}
            yield (x, mask, None), {"axis": (0, 1), "keepdims": True}
        yield (x, row, start), {"axis": 1}
        if start is not None:
            yield (x, Lit(True), start), {"axis": 1}
            yield (x, Lit(True), np.float64(5.0)), {"axis": 0}
            yield (x, mask, start), {"axis": None}
            yield (x, mask, 0.25), {"axis": None}
            yield (x, Lit(True), start), {"axis": None}
        if name in ("sum", "prod", "mean", "var", "std"):
            yield (samples.arrays((2, 3), dtype="f4"), Lit(True), None), {"axis": 0, "dtype": "f64"}
            yield (samples.arrays((3,), dtype="f4"), np.array([True, False, True]), None), {"dtype": "f64"}
        if name in ("var", "std"):
            yield (x, mask, None), {"axis": 0, "ddof": 1}

    return make


sum_where = masked_op("sum", SUM, "where initial dtype", linear_in="all")
prod_where = masked_op("prod", PROD, "where initial dtype")
max_where: Op = masked_op("max", MAX, "where initial")
min_where: Op = masked_op("min", MIN, "where initial")
mean_where = masked_op("mean", MEAN, "where dtype", linear_in="all")
var_where = masked_op("var", VAR, "where dtype")
std_where = masked_op("std", STD, "where dtype")
any_where = masked_op("any", None, "where")
all_where = masked_op("all", None, "where")


# -- without NaN -----------------------------------------------------------------------------------------


def nan_op(name: str, kind: Reduction | Mean) -> Op:
    """The reduction of the elements that are not NaN."""
    call = getattr(np, name)

    def bind(a: Any, axis: Any = None, *, keepdims: Any = False, ddof: Any = 0) -> tuple[list[Any], dict[str, Any]]:
        operands, attrs = bind_reduction(a, axis, keepdims=keepdims)
        return operands, {**attrs, **({"ddof": ddof} if name in ("nanvar", "nanstd") else {})}

    def rule(x: Operand, axis: Axis = None, keepdims: bool = False, ddof: int = 0) -> Tensor:
        return reduction(call, kind is MAX or kind is MIN)(x, axis, keepdims)

    def vjp(ct: Any, y: Operand, x: Operand, **attrs: Any) -> list[Any]:
        return kind.back(ct, y, x, logical_not(isnan(x)), NONE, **attrs)[:1]

    defaults = {"axis": None, "keepdims": False, **({"ddof": 0} if name in ("nanvar", "nanstd") else {})}
    return op(name, f"numpy.{name}", type=rule, run=call, bind=bind, defaults=defaults, vjp=vjp,
              raises="shape" if kind is MAX or kind is MIN else "never", samples=with_nans(name))


def with_nans(name: str) -> samples.Samples:
    def make() -> Iterable[samples.Sample]:
        x = samples.arrays((3, 4))
        x[0, 1] = x[2, 2] = np.nan
        for axis, keepdims in ((None, False), (0, False), (1, True), ((0, 1), False)):
            yield (x, ), {"axis": axis, "keepdims": keepdims}
        yield (samples.arrays((3,), dtype="f4"),), {}
        if name in ("nanvar", "nanstd"):
            yield (x,), {"axis": 1, "ddof": 1}

    return make


nansum, nanprod, nanmax, nanmin = (nan_op(*pair) for pair in (
    ("nansum", SUM), ("nanprod", PROD), ("nanmax", MAX), ("nanmin", MIN)))
nanmean, nanvar, nanstd = (nan_op(*pair) for pair in (("nanmean", MEAN), ("nanvar", VAR), ("nanstd", STD)))
