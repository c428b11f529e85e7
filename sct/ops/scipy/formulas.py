"""Rules written as formulas: operands with Python's operators, and ufuncs of `scipy.special` as ops.

    special("logit", slopes(lambda y, x: [1.0 / (x * (1.0 - x))]), samples.unary(0.1, 0.9))
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from importlib import import_module
from typing import Any, Union

import numpy as np

from sct.ir.build import operand
from sct.ir.core import Lit, Op, Operand
from sct.ir.types import Tensor, TypeMismatch
from sct.ops import samples
from sct.ops.arrays.creation import as_dtype
from sct.ops.registry import op
from sct.ops.scalar import arithmetic, comparison, elementary, powers, selection
from sct.ops.scalar.arithmetic import add, div, mul, neg, sub
from sct.ops.type_rules import is_python, number, ufunc_result

__all__ = ["ORDER", "PARAMETER", "Formula"]

Number = Union["Formula", complex]

ORDER = TypeMismatch("there is no classical derivative by the order of this function",
                     hint="pass `sct.stop_gradient(...)` of the order, if no derivative is meant to pass")
PARAMETER = TypeMismatch("there is no formula for the derivative by this parameter",
                         hint="pass `sct.stop_gradient(...)` of it, if no derivative is meant to pass")


class Formula:
    """An operand of a rule, in a formula: an operator adds the equation of its op."""

    __slots__ = ("operand",)

    def __init__(self, x: Operand) -> None:
        self.operand = x

    def __add__(self, other: Number) -> Formula:
        return call(add, self, other)

    def __radd__(self, other: Number) -> Formula:
        return call(add, other, self)

    def __sub__(self, other: Number) -> Formula:
        return call(sub, self, other)

    def __rsub__(self, other: Number) -> Formula:
        return call(sub, other, self)

    def __mul__(self, other: Number) -> Formula:
        return call(mul, self, other)

    def __rmul__(self, other: Number) -> Formula:
        return call(mul, other, self)

    def __truediv__(self, other: Number) -> Formula:
        return divided(self, other)

    def __rtruediv__(self, other: Number) -> Formula:
        return divided(other, self)

    def __neg__(self) -> Formula:
        return call(neg, self)

    def __pow__(self, other: Number) -> Formula:
        return call(powers.pow_, self, other)

    def __lt__(self, other: Number) -> Formula:
        return call(comparison.lt, self, other)

    def __gt__(self, other: Number) -> Formula:
        return call(comparison.gt, self, other)


def is_complex(*xs: Operand) -> bool:
    return any(number(x).kind == "c" for x in xs)


def plain(x: Any) -> Any:
    return x.operand if isinstance(x, Formula) else x


def call(entry: Op, *xs: Any, **attrs: Any) -> Formula:
    return Formula(operand(entry(*map(plain, xs), **attrs)))


def lifted(entry: Op) -> Callable[..., Formula]:
    """The op as a function in formulas."""
    return lambda *xs, **attrs: call(entry, *xs, **attrs)


def divided(a: Number, b: Number) -> Formula:
    """a / b; a Python number, which may be 0, divides a number of NumPy."""
    x, y = operand(plain(a)), operand(plain(b))
    if is_python(x) and is_python(y) and not (isinstance(y, Lit) and y.value):
        x = as_dtype(x, "c128" if is_complex(x) else "f64")
    return Formula(div(x, y))


absolute, sign = lifted(arithmetic.abs_), lifted(arithmetic.sign)
cos, exp, expm1, log, sin, sqrt = map(lifted, (
    elementary.cos, elementary.exp, elementary.expm1, elementary.log, elementary.sin, elementary.sqrt))
cosh, floor, sinh, tanh = map(lifted, (elementary.cosh, elementary.floor, elementary.sinh, elementary.tanh))
erf, gammaln, psi, gamma = map(lifted, (elementary.erf, elementary.lgamma, elementary.digamma, elementary.gamma))
equal, maximum = lifted(comparison.eq), lifted(selection.maximum)


def where(condition: Formula, a: Number, b: Number) -> Formula:
    """`a` or `b`; of a single-precision number and a literal, a single-precision number."""
    x, y = operand(plain(a)), operand(plain(b))
    return call(selection.where, condition, literal_like(x, y), literal_like(y, x))


def literal_like(x: Operand, other: Operand) -> Operand:
    t = number(other)
    is_narrow = t.carrier == "np" and t.dtype in ("f32", "c64")
    return as_dtype(x, t.dtype) if isinstance(x, Lit) and is_narrow else x


def as_numpy(x: Formula) -> Formula:
    """A number of Python as one of NumPy."""
    return Formula(as_dtype(x.operand, "c128" if is_complex(x.operand) else "f64")) if is_python(x.operand) else x


def whole(n: Formula) -> Formula:
    """The order that SciPy takes of a float: without its fraction."""
    x = n.operand
    if isinstance(x, Lit):
        return Formula(Lit(int(x.value)))
    return n if number(x).integral else call(elementary.trunc, n)


def log1p(x: Formula) -> Formula:
    """Of Python's complex numbers as of NumPy's: Python has no such function of them."""
    return call(elementary.log1p, as_numpy(x) if is_complex(x.operand) else x)


def lower(n: Formula) -> Formula:
    """n - 1, or 0 if n is 0: the order before."""
    x = n.operand
    return Formula(Lit(x.value - bool(x.value))) if isinstance(x, Lit) else where(equal(n, 0), n, n - 1)


def slopes(formula: Callable[..., Sequence[Any]]) -> Callable[..., list[Any]]:
    """`partials` of a formula: formula(y, *xs) gives the derivatives by each operand, or a reason why there is none."""
    return lambda y, *xs: [plain(p) for p in formula(Formula(y), *map(Formula, xs))]


# -- ufuncs of scipy.special ---------------------------------------------------------------------------------


def ufunc(name: str) -> Any:
    """The ufunc, of a SciPy that is imported here."""
    return getattr(import_module("scipy.special"), name)


def special(name: str, partials: Callable[..., list[Any]], sampled: samples.Samples, *, entry: str | None = None,
            calls: str = "", of_complex: bool | Callable[..., list[Any]] = False, **fields: Any) -> Op:
    """The op of `scipy.special.<name>`, an elementwise function; `entry` is its name among ops.

    of_complex: the partials where an operand is complex, in which the function is holomorphic; True: the same
    """

    def rule(*xs: Operand, spelling: str | None = None) -> Tensor:
        return ufunc_result(ufunc(name), xs, f"scipy.special.{name}")

    by_kind = partials if isinstance(of_complex, bool) else lambda y, *xs: (
        of_complex if is_complex(*xs) else partials)(y, *xs)
    return op(entry or name, f"scipy.special.{name} {calls}", type=rule, spelled=True, complex=bool(of_complex),
              run=lambda *xs: ufunc(name)(*xs), partials=by_kind, samples=sampled, **fields)


def special_pair(name: str, count: int, slopes_of: Callable[..., Sequence[Sequence[Any]]],
                 sampled: samples.Samples, of_complex: bool = False) -> Op:
    """The op of a ufunc with `count` results: slopes_of([y, ...], *xs) gives the derivatives of each."""

    def rule(*xs: Operand) -> tuple[Tensor, ...]:
        return (ufunc_result(ufunc(name), xs, f"scipy.special.{name}"),) * count

    def vjp(cts: Sequence[Any], ys: Sequence[Operand], *xs: Operand) -> list[Any]:
        return chained(slopes_of([Formula(y) for y in ys], *map(Formula, xs)), cts, len(xs))

    def chained(rows: Sequence[Sequence[Any]], cts: Sequence[Any], operands: int) -> list[Any]:
        totals: list[Any] = [None] * operands
        for row, ct in zip(rows, cts):
            for k, p in enumerate(row):
                if isinstance(p, TypeMismatch):
                    totals[k] = p
                elif ct is not None:
                    part = mul(ct, operand(plain(p)))
                    totals[k] = part if totals[k] is None else add(totals[k], part)
        return totals

    return op(name, f"scipy.special.{name}", type=rule, run=lambda *xs: ufunc(name)(*xs), vjp=vjp,
              emit=f"scipy.special.{name}(_args)", complex=of_complex, samples=sampled)


def triples(x: tuple[float, float], y: tuple[float, float], z: tuple[float, float],
            *more: tuple[float, float]) -> samples.Samples:
    """Three operands in their intervals, or more."""
    bounds = (x, y, z, *more)

    def make() -> list[samples.Sample]:
        numbers = [samples.number(*b, seed=k) for k, b in enumerate(bounds)]
        rows = [samples.arrays((3,), *b, seed=k) for k, b in enumerate(bounds)]
        matrix = samples.arrays((2, 3), *bounds[-1], seed=7)
        return [(tuple(numbers), {}), (tuple(map(float, rows[0][:1])) + tuple(numbers[1:]), {}), (tuple(rows), {}),
                ((*numbers[:-1], matrix), {}), ((*rows[:-1], matrix), {}),
                (tuple(r.astype("f4") for r in rows), {}), (tuple(map(np.float64, numbers)), {})]

    return make


def parametrized(values: Sequence[Any], sampled: samples.Samples) -> samples.Samples:
    """One operand of `sampled` after parameters that stay fixed: an int, or a tuple of them."""
    return lambda: [((*(v if isinstance(v, tuple) else (v,)), *args), attrs)
                    for v in values for args, attrs in sampled()]
