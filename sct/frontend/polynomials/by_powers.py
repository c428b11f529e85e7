"""Polynomials as objects: `np.poly1d`, and `numpy.polynomial.Polynomial`.

The classes here stand for NumPy's where the function is evaluated: their methods are evaluated as the user's own are,
and give the bits of NumPy's.
"""

from __future__ import annotations

import inspect
import types
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.polynomial import Polynomial
from numpy.polynomial._polybase import ABCPolyBase
from numpy.polynomial.polynomial import polyroots
from numpy.polynomial.polyutils import trimseq

from sct.frontend.autodiff.implicit_functions import standing_for
from sct.frontend.evaluator.evaluator import Evaluator
from sct.frontend.evaluator.exceptions import run_or_raise
from sct.frontend.evaluator.handlers import Args, Kwargs, of_scipy, special
from sct.frontend.heap.inactive import is_varied, leave_to_python
from sct.frontend.heap.subscripts import size_along
from sct.frontend.numpy_library.numpy_functions import type_of
from sct.frontend.numpy_library.stand_ins import (
    leading_zeros,
    part_of,
    size_of_series,
    trimmed,
    without_leading_zeros,
)
from sct.frontend.objects.class_of import stand_in_class
from sct.frontend.state.observed_types import gives_eigenvalues
from sct.frontend.values.abstract_values import Abstract, ListRef, Ref, Static, Tup
from sct.frontend.values.guards import NeedsStatic
from sct.ir import Value
from sct.ir.dims import Dim

__all__ = ["BySeries", "class_of", "new_poly1d", "new_series", "power_series", "seen_into", "vector_of"]


def new_poly1d(c: Any) -> Any:
    """Stands for the polynomial with these coefficients."""


def new_power_series(c: Any, computed: Any) -> Any:
    """The same for the other class."""


def _is_number(x: Any) -> Any:
    return np.ndim(x) == 0


class ByPowers:
    """A polynomial by its coefficients, the highest power first."""

    __array_priority__ = 1.0
    _c: Any

    def __call__(self, val: Any) -> Any:
        return np.polyval(self._c, val)

    @property
    def coeffs(self) -> Any:
        return without_leading_zeros(self._c)

    c = coefficients = coeffs

    @property
    def order(self) -> Any:
        return len(self._c) - leading_zeros(self._c) - 1

    o = order

    def __len__(self) -> Any:
        return self.order

    @property
    @gives_eigenvalues
    def roots(self) -> Any:
        return np.roots(self._c)

    r = roots

    def deriv(self, m: Any = 1) -> Any:
        c = self._c
        for _ in [0] * m:
            c = c[:-1] * np.arange(len(c) - 1, 0, -1)
        return new_poly1d(c)

    def integ(self, m: Any = 1, k: Any = 0) -> Any:
        c = self._c
        constants = k if isinstance(k, (list, tuple)) else [k] * m
        for j in [*range(m)]:
            c = np.concatenate((c / np.arange(len(c), 0, -1), constants[j] * np.ones(1)))
        return new_poly1d(c)

    def __add__(self, other: Any) -> Any:
        return new_poly1d(_sum_by_powers(self._c, _coefficients(other)))

    __radd__ = __add__

    def __sub__(self, other: Any) -> Any:
        return new_poly1d(_sum_by_powers(self._c, -_coefficients(other)))

    def __rsub__(self, other: Any) -> Any:
        return new_poly1d(_sum_by_powers(_coefficients(other), -self._c))

    def __mul__(self, other: Any) -> Any:
        other = seen_into(other)
        if isinstance(other, ByPowers):
            return new_poly1d(np.convolve(self._c, other._c))
        return new_poly1d(self._c * other if _is_number(other) else np.convolve(self._c, other))

    def __rmul__(self, other: Any) -> Any:
        left = seen_into(other)
        if isinstance(left, ByPowers):
            return left * self
        return new_poly1d(other * self._c if _is_number(other) else np.convolve(other, self._c))

    def __truediv__(self, other: Any) -> Any:
        return new_poly1d(self._c / other)

    def __neg__(self) -> Any:
        return new_poly1d(-self._c)

    def __pow__(self, n: Any) -> Any:
        result = np.ones(1) if n == 0 else self._c
        for _ in [0] * (n - 1):
            result = np.convolve(self._c, result)
        return new_poly1d(result)

    def __getattr__(self, name: str) -> Any: ...


def _coefficients(x: Any) -> Any:
    x = seen_into(x)
    return x._c if isinstance(x, ByPowers) else 1.0 * np.atleast_1d(x)


def _sum_by_powers(a: Any, b: Any) -> Any:
    """The sum of coefficients, the highest power first."""
    if len(a) < len(b):
        a, b = b, a
    k = len(a) - len(b)
    return np.concatenate((0.0 + a[:k], a[k:] + b)) if k > 0 else a + b


def new_series(cls: Any, coef: Any, domain: Any, window: Any, computed: Any) -> Any:
    """Stands for the series of this class of NumPy's; the domain and the window are pairs of numbers.

    `computed`: NumPy has dropped zeros of the highest powers.
    """


def seen_into(x: Any) -> Any:
    """Stands for a polynomial in place of one of NumPy's that does not depend on what is differentiated; else `x`."""


_UNIT = (-1.0, 1.0)
"""The domain and the window of `Polynomial`."""


class BySeries:
    """A polynomial by its coefficients, the lowest power first, with the domain and the window [-1, 1].

    `computed`: NumPy has dropped zeros of the highest powers.
    """

    __array_priority__ = 1.0
    _c: Any
    _computed: Any

    def __call__(self, arg: Any) -> Any:
        return _horner(0.0 + 1.0 * arg, self._c)

    @property
    def coef(self) -> Any:
        return trimmed(self._c) if self._computed else self._c

    @coef.setter
    def coef(self, coef: Any) -> None:
        self._c, self._computed = coef, False

    def with_ends(self) -> Any:
        """The same polynomial as a series with a domain and a window."""
        return new_series(Polynomial, self._c, _UNIT, _UNIT, self._computed)

    def __len__(self) -> Any:
        return size_of_series(self._c) if self._computed else len(self._c)

    def degree(self) -> Any:
        return len(self) - 1

    @gives_eigenvalues
    def roots(self) -> Any:
        return 0.0 + 1.0 * polyroots(trimmed(self._c))

    def deriv(self, m: Any = 1) -> Any:
        c = self._c
        for _ in [0] * m:
            c = c[1:] * np.arange(1, len(c)) if len(c) > 1 else c * 0.0
        return new_power_series(c, self._computed)

    def integ(self, m: Any = 1, k: Any = (), lbnd: Any = 0.0) -> Any:
        c = self._c
        constants = k if isinstance(k, (list, tuple)) else [k]
        for j in [*range(m)]:
            up = np.concatenate((np.zeros(1), c / np.arange(1, len(c) + 1)))
            start = (constants[j] if j < len(constants) else 0.0) - _horner(lbnd, up)
            c = np.concatenate((np.ones(1) * start, up[1:]))
        return new_power_series(c, self._computed)

    def __add__(self, other: Any) -> Any:
        other = seen_into(other)
        return self.with_ends() + other if _has_ends(other) else new_power_series(_sum(self._c, _series(other)), True)

    def __radd__(self, other: Any) -> Any:
        other = seen_into(other)
        return other + self.with_ends() if _has_ends(other) else self + other

    def __sub__(self, other: Any) -> Any:
        other = seen_into(other)
        return self.with_ends() - other if _has_ends(other) else new_power_series(_sum(self._c, -_series(other)), True)

    def __rsub__(self, other: Any) -> Any:
        other = seen_into(other)
        return other - self.with_ends() if _has_ends(other) else new_power_series(_sum(_series(other), -self._c), True)

    def __mul__(self, other: Any) -> Any:
        other = seen_into(other)
        if _has_ends(other):
            return self.with_ends() * other
        return new_power_series(np.convolve(self._c, _series(other)), True)

    def __rmul__(self, other: Any) -> Any:
        other = seen_into(other)
        if _has_ends(other):
            return other * self.with_ends()
        return new_power_series(np.convolve(_series(other), self._c), True)

    def __truediv__(self, other: Any) -> Any:
        return new_power_series(self._c / other, True)

    def __neg__(self) -> Any:
        return new_power_series(-self._c, self._computed)

    def __pow__(self, n: Any) -> Any:
        result = np.ones(1) if n == 0 else self._c
        for _ in [0] * (n - 1):
            result = np.convolve(result, self._c)
        return new_power_series(result, True)

    def __getattr__(self, name: str) -> Any: ...


def _horner(x: Any, c: Any) -> Any:
    """The value of the polynomial, as `numpy.polynomial.polynomial.polyval` computes it."""
    y = c[-1] + x * 0
    for k in range(2, len(c) + 1):
        y = c[-k] + y * x
    return y


def _has_ends(x: Any) -> Any:
    """Is this a series with a domain and a window of its own?"""
    return isinstance(x, ABCPolyBase) and not isinstance(x, BySeries)


def _series(x: Any) -> Any:
    return x._c if isinstance(x, BySeries) else 1.0 * np.atleast_1d(x)


def _sum(a: Any, b: Any) -> Any:
    """The sum of coefficients, the lowest power first."""
    if len(a) < len(b):
        a, b = b, a
    return np.concatenate((a[:len(b)] + b, a[len(b):])) if len(a) > len(b) else a + b


def _other(self: Any, value: Any = None) -> Any:
    """Stands for what NumPy's objects have besides."""


def class_of(methods: type, cls: type, functions: Sequence[str] = ()) -> type:
    """The class of a polynomial, for which `isinstance` holds that holds for NumPy's, with these functions of it."""
    operators = {"__getitem__", "__setitem__", "__iter__", "__divmod__", "__floordiv__", "__mod__", "__eq__", "__ne__",
                 "__array__"}
    own = {key: inspect.getattr_static(cls, key) for key in functions if key not in vars(methods)}
    return stand_in_class(methods, cls, _other, operators.intersection(dir(cls)).difference(vars(methods)), own)


Poly1d, PowerSeries = class_of(ByPowers, np.poly1d), class_of(BySeries, Polynomial)


# -- where they are made -----------------------------------------------------------------------------------------------


def vector_of(ev: Evaluator, what: str, v: Abstract) -> Abstract:
    v = ev.call(Static(np.array), [v]) if isinstance(v, (ListRef, Tup)) else ev.call(Static(np.atleast_1d), [v])
    t = type_of(ev, v)
    if t.rank != 1 or t.dtype != "f64":
        ev.refuse("SCT205", f"`{what}` is supported for vectors of floats only", hint="convert with astype(float)"
                  if t.kind != "c" else "it is linear in them: add that of their imaginary parts, times 1j, to that of "
                  "their real parts")
    size = size_along(ev, v, 0)
    try:  # polynomials have few coefficients, and what is computed with them depends on their number
        n = ev.ask(size, "the number of coefficients")
    except NeedsStatic:
        return v
    if isinstance(size, Value) and ev.size_now(ev.resolve(t.shape[0])) is not None:
        ev.equate(ev.resolve(t.shape[0]), Dim(n))
    return v


@of_scipy("numpy.poly1d")
def _poly1d(ev: Evaluator, args: Args, kwargs: Kwargs) -> Abstract:
    arguments = run_or_raise(ev, lambda: dict(zip(("c_or_r", "r", "variable"), args)) | dict(kwargs))
    leave_to_python(ev, "poly1d", arguments.values())
    if arguments.keys() != {"c_or_r"}:
        ev.refuse("SCT205", "`np.poly1d` with other arguments than the coefficients is not supported",
                  hint="multiply the factors: `np.poly1d([1.0, -r])`")
    return ev.new_object(Poly1d, {"_c": vector_of(ev, "np.poly1d", arguments["c_or_r"])})


@special(new_poly1d)
def _new_poly1d(ev: Evaluator, args: Args, kwargs: Kwargs) -> Abstract:
    return ev.new_object(Poly1d, {"_c": args[0]})


def power_series(ev: Evaluator, coef: Abstract) -> Abstract:
    """A polynomial with these coefficients, which are copied."""
    c = ev.call(Static(np.copy), [vector_of(ev, "Polynomial", coef)])
    return ev.new_object(PowerSeries, {"_c": c, "_computed": Static(False)})


@special(new_power_series)
def _new_power_series(ev: Evaluator, args: Args, kwargs: Kwargs) -> Abstract:
    return ev.new_object(PowerSeries, {"_c": args[0], "_computed": args[1]})


@special(part_of)
def _part_of(ev: Evaluator, args: Args, kwargs: Kwargs) -> Abstract:
    c, _, _ = args
    value = ev.call(Static(_sliced), args)
    if not is_varied(ev, c):
        return value
    is_all = ev.call(Static(_is_all), args)
    if isinstance(is_all, Static):
        return value if is_all.value else ev.refuse("SCT402", f"{_DROPPED}: there is no derivative",
                                                    hint="compute it outside the function")
    assert isinstance(value, Ref) and isinstance(is_all, Value)
    part = ev.operand(value)
    assert isinstance(part, Value)
    return standing_for(ev, part, value, converged=is_all, error=_DROPPED)


_DROPPED = "NumPy drops the highest powers, whose coefficients are 0"


def _sliced(c: Any, start: Any, stop: Any) -> Any:
    return c[start:stop]


def _is_all(c: Any, start: Any, stop: Any) -> Any:
    return stop - start == len(c)


@special(trimseq)
def _trimseq(ev: Evaluator, args: Args, kwargs: Kwargs) -> Abstract:
    """Methods of series leave the zeros; who reads their coefficients does not get them."""
    in_method = any(isinstance(frame.function, types.FunctionType) and frame.function.__module__.startswith(__package__)
                    for frame in ev.frames)
    return args[0] if in_method else ev.call(Static(trimmed), args)


@special(ByPowers.__getattr__, BySeries.__getattr__, _other)
def _unread(ev: Evaluator, args: Args, kwargs: Kwargs) -> Abstract:
    ev.refuse("SCT203", "this attribute or operator of a polynomial is not supported",
              why="sct reads its values, its coefficients, its roots, its derivatives and its integrals",
              hint="use the functions of NumPy on the coefficients")
