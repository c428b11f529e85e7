"""x ** y, whose derivative must not raise, nor give nan, where x or y is 0."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

import numpy as np

from sct.ir.core import Eqn, Lit, Operand
from sct.ir.dims import Dim, power
from sct.ir.types import Tensor
from sct.ops import samples
from sct.ops.registry import op
from sct.ops.scalar.arithmetic import add, div, known, mul, quotient, sub
from sct.ops.scalar.comparison import eq, ge, gt, lt, ne
from sct.ops.scalar.complex_parts import real
from sct.ops.scalar.elementary import log, principal_log
from sct.ops.scalar.selection import logical_and, logical_or, pymax, where
from sct.ops.type_rules import arithmetic, elementwise, floats, is_python, number, ufunc_result

__all__ = ["may_become_complex", "mathpow", "pow_"]


def type_pow(x: Operand, y: Operand, spelling: str | None = None, whole: bool | None = None) -> Tensor:
    """A Python int to a power is an int, unless the power may be negative.

    whole  a guard tells that it is not
    """
    nonnegative = whole or isinstance(y, Lit) and isinstance(y.value, int) and y.value >= 0
    return ufunc_result(np.power, (x, y), spelling, arithmetic if nonnegative else _power)


def dim_pow(x: Operand, y: Operand, whole: bool | None = None) -> Dim | None:
    a, b = known(x), known(y)
    return power(a, b) if a is not None and b is not None and (whole or b.least >= 0) else None


def _power(*dtypes: str) -> str:
    dtype = arithmetic(*dtypes)
    return "real" if dtype == "int" else dtype


def may_become_complex(eqn: Eqn) -> bool:
    """Is this a power of Python numbers that is complex where the base is negative?"""
    if eqn.op is not pow_:
        return False
    x, y = eqn.args
    if "c" in (number(x).kind, number(y).kind):
        return False
    whole = number(y).kind in "ib" and number(y).dtype not in ("real", "single")
    return not whole and not (isinstance(y, Lit) and float(y.value).is_integer()) and \
        not (isinstance(x, Lit) and x.value >= 0) and all(number(a).carrier in ("py", "any") for a in (x, y))


def pow_partials(z: Operand, x: Operand, y: Operand, **attrs: Any) -> list[Any]:
    base: Any = None
    if number(x).kind in "fc":
        base = literal_slope(z, x, y.value) if isinstance(y, Lit) and number(y).kind != "c" else slope(z, x, y)
    return [base, exponent_slope(z, x, y) if number(y).kind in "fc" else None]


def pow_jvp(tangents: list[Any], z: Operand, x: Operand, y: Operand, **attrs: Any) -> Any:
    """Of a negative x there is a derivative by x alone: there the slope by y counts where y has a tangent."""
    dx, dy = tangents
    base, _ = pow_partials(z, x, y) if dx is not None else (None, None)
    by_base = None if base is None else mul(dx, base)
    if dy is None or number(y).kind not in "fc":
        return by_base
    by_exponent = mul(dy, exponent_slope(z, x, y, dy))
    return by_exponent if by_base is None else add(by_base, by_exponent)


def literal_slope(z: Operand, x: Operand, n: Any) -> Any:
    """n * x ** (n - 1); through z / x where that may raise, which is nan at 0 for 0 < n < 1 and NumPy's numbers."""
    if n == 0:
        return 0.0
    if n == 1:
        return 1.0
    if n == 2:
        return mul(2.0, x)
    if n > 1:
        return mul(float(n), pow_(x, n - 1))
    if n < 0:
        return div(mul(float(n), z), x)
    if n == 0.5:
        return quotient(0.5, z)
    return quotient(mul(n, z), x) if is_python(z) else mul(n, pow_(x, n - 1))


def slope(z: Operand, x: Operand, y: Operand) -> Any:
    """y * x ** (y - 1), and 0 for x == y == 0, which has a derivative by y elsewhere.

    Python's `**` may raise, so there it is y * z / x for y < 1 (x is not 0 for y < 0, or
    the primal has raised), and the power that is not taken is harmless.
    """
    if number(y).kind == "c":
        return mul(y, complex_slope(z, x, y))
    if not is_python(z):
        one = add(y, 1) if number(y).carrier == "np" else 1  # y is 0 there, and its dtype counts
        is_zero = eq(y, 0) if number(y).kind in "ib" else logical_and(eq(y, 0), eq(x, 0))
        return mul(y, pow_(x, where(is_zero, one, sub(y, 1))))
    power = mul(y, pow_(x, pymax(sub(y, 1), 0)))
    if number(y).kind == "i":
        return where(ge(y, 1), power, quotient(mul(y, z), x, edge=0.0))
    return where(ge(y, 1.0), power, where(logical_and(eq(y, 0.0), eq(x, 0)), 0.0, quotient(mul(y, z), x)))


def complex_slope(z: Operand, x: Operand, y: Operand) -> Any:
    """x ** (y - 1) for complex y; at x == 0, where x ** y has not raised, y is not negative."""
    at_zero = where(eq(y, 1), 1.0, where(gt(real(y), 1.0), 0.0, where(eq(y, 0), 0.0, math.inf)))
    is_zero = eq(x, 0)
    return where(is_zero, at_zero, div(z, where(is_zero, 1.0, x)))


def exponent_slope(z: Operand, x: Operand, y: Operand, dy: Operand | None = None) -> Any:
    """z * log(x), and 0 at x == 0; nan for negative x, complex if z is: there NumPy's log gives nan by itself.

    dy  a factor of the slope: where it is 0, the slope for negative x is 0
    """
    if number(z).kind == "c":
        return mul(z, principal_log(x if isinstance(x, Lit) and x.value else where(eq(x, 0), 1.0, x)))
    if isinstance(x, Lit):
        if x.value > 0:
            return mul(z, log(x))
        return mul(z, 0.0 if not x.value else math.nan if dy is None else where(eq(dy, 0), 0.0, math.nan))
    if not is_python(x) and not is_python(z):
        constant = eq(x, 0) if dy is None else logical_or(eq(x, 0), logical_and(lt(x, 0), eq(dy, 0)))
        return mul(z, log(where(constant, 1.0, x)))
    undefined = lt(x, 0) if dy is None else logical_and(lt(x, 0), ne(dy, 0))
    return mul(z, where(undefined, math.nan, log(where(gt(x, 0), x, 1.0))))


def powers() -> Iterable[samples.Sample]:
    yield from samples.binary((0.3, 2.0), (-1.5, 2.5))()
    for x in (-1.3, np.float64(-1.3), samples.arrays((4,)), samples.arrays((3,), dtype="f4")):
        for n in (0, 1, 2, 3, Lit(2.0), -1, Lit(-2.0)):
            yield (x, n), {}
    for n in (Lit(0.5), Lit(-0.5), Lit(1.5)):
        yield (samples.arrays((2, 3), 0.3, 2.0), n), {}
        yield (0.7, n), {}


pow_ = op("pow", "operator.pow numpy.power builtins.pow", complex=True, type=type_pow, spelled=True,
          run=lambda x, y, **_: x ** y, emit="_0 ** _1", partials=pow_partials, jvp=pow_jvp, raises="value",
          dim=dim_pow, samples=powers, folds="adjoint", compiled=True)

mathpow = op("mathpow", "math.pow", type=elementwise(np.float_power, floats), spelled=True, run=math.pow,
             emit="math.pow(_0, _1)", partials=pow_partials, jvp=pow_jvp, raises="value",
             samples=lambda: [((1.3, 2.5), {}), ((-1.3, 2), {}), ((-1.3, Lit(3.0)), {}), ((1.3, -2), {})],
             compiled=True)
