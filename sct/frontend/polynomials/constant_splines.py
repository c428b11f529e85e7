"""Calls of splines of SciPy and polynomials of NumPy that do not depend on what is differentiated:
`CubicSpline(xs, ys)(x)`, `np.poly1d([1.0, 2.0])(x)`."""

from __future__ import annotations

import contextlib
import sys
from typing import Any

import numpy as np
from numpy import polynomial

from sct.frontend.arguments.lift import opaque
from sct.frontend.evaluator.evaluator import Evaluator
from sct.frontend.evaluator.handlers import Args, Kwargs
from sct.frontend.heap.inactive import check_value, is_varied
from sct.frontend.values.abstract_values import Abstract, Ref, Static, Tup
from sct.frontend.values.guards import NeedsStatic
from sct.ir import Value
from sct.ir.dims import Dim, sym
from sct.ir.types import INT, Opaque, Tensor
from sct.ops.program.effects import inactive, part
from sct.ops.program.solutions import solver
from sct.ops.scipy.splines import spline

__all__ = [
    "SERIES", "class_of_polynomial", "coefficients_of", "parts_of_series", "value_of_polynomial", "value_of_spline"]

_CLASSES = ("Akima1DInterpolator", "BSpline", "CubicHermiteSpline", "CubicSpline", "InterpolatedUnivariateSpline",
            "LSQUnivariateSpline", "PPoly", "PchipInterpolator", "UnivariateSpline")
_MADE = (*(name for name in _CLASSES if name not in ("PPoly", "BSpline")), "make_interp_spline", "make_lsq_spline",
         "make_smoothing_spline")
"""Classes whose objects give their derivative of order `nu` as `spline(x, nu)`, and functions that make such ones."""


def value_of_spline(ev: Evaluator, fn: Abstract, args: Args, kwargs: Kwargs) -> Abstract | None:
    """`spline(x)` or `spline(x, nu)` of a number or an array; None for other calls."""
    if "scipy.interpolate" not in sys.modules or not args or len(args) + len(kwargs) > 2 or not kwargs.keys() <= {"nu"}:
        return None
    x, nu = args[0], kwargs.get("nu", args[1] if len(args) > 1 else Static(0))
    t = ev.type_of(x) if isinstance(x, (Value, Ref)) else None
    if not isinstance(t, Tensor) or t.kind != "f" or t.dtype == "f32" or not isinstance(nu, Static) or type(
            nu.value) is not int or nu.value < 0 or not _is_spline(ev, fn):
        return None
    f = opaque(ev, fn) if isinstance(fn, Static) else ev.operand(fn)
    return ev.wrap(ev.emit(spline, f, ev.operand(x), nu=nu.value))


def _is_spline(ev: Evaluator, fn: Abstract) -> bool:
    """Is this a spline with one number at each point?"""
    eqn = ev.defs.get(fn) if isinstance(fn, Value) else None
    if eqn is not None:
        text = str(eqn.attrs.get("text"))
        if text.startswith("scipy.interpolate.PPoly("):  # of coefficients, and of breakpoints
            return eqn.op is inactive and sorted(getattr(x.type, "rank", 0) for x in eqn.args) == [1, 2] and all(
                isinstance(x.type, Tensor) and x.type.kind in "fi" for x in eqn.args)
        return eqn.op is inactive and text.startswith(tuple(f"scipy.interpolate.{name}(" for name in _MADE)) and all(
            not isinstance(x.type, Tensor) or x.type.rank < 2 and x.type.kind in "fi" for x in eqn.args) and not any(
            nested in text for nested in ("[[", "[(", "([", "((", "j"))
    x: Any = fn.peek if isinstance(fn, Static) and fn.path is not None else \
        ev.leaf_of(fn) if isinstance(fn, Value) and isinstance(fn.type, Opaque) else None
    if type(x).__name__ not in _CLASSES or not type(x).__module__.startswith("scipy.interpolate"):
        return False
    if not hasattr(x, "c"):  # by FITPACK
        return True
    return np.ndim(x.c) == (1 if type(x).__name__ == "BSpline" else 2) and x.c.dtype == np.float64


def value_of_polynomial(ev: Evaluator, fn: Abstract, args: Args, kwargs: Kwargs) -> Abstract | None:
    """`p(x)` of a polynomial, by the function of NumPy that evaluates it; None for other calls."""
    x = args[0] if len(args) == 1 and not kwargs else None
    t = ev.type_of(x) if isinstance(x, (Value, Ref)) else None
    if x is None or not isinstance(t, Tensor) or t.kind != "f" or not is_varied(ev, x):
        return None
    cls = class_of_polynomial(ev, fn)
    if cls is None:
        return None
    if cls is np.poly1d:
        return ev.call(Static(np.polyval), [coefficients_of(ev, fn, "coeffs"), x])
    off, scl = (_number(ev, _object(ev, fn), f"_0.mapparms()[{k}]") for k in (0, 1))
    return ev.call(Static(_value_of_series), [Static(cls._val), coefficients_of(ev, fn, "coef"), off, scl, x])


def class_of_polynomial(ev: Evaluator, v: Abstract) -> Any:
    """The class of a polynomial that does not depend on what is differentiated; None for other objects."""
    eqn = ev.defs.get(v) if isinstance(v, Value) else None
    classes = {type(v.peek)} if isinstance(v, Static) and v.path is not None else \
        set() if eqn is None or not isinstance(eqn.out.type, Opaque) else {t[-1] for t in ev.observed(eqn.loc)}
    cls = next(iter(classes)) if len(classes) == 1 else None
    return cls if cls is np.poly1d or cls in SERIES else None


def parts_of_series(ev: Evaluator, v: Abstract) -> tuple[Abstract, Abstract, Abstract]:
    """The coefficients, the domain and the window of a series that does not depend on what is differentiated."""
    f = _object(ev, v)
    domain, window = (Tup(tuple(_number(ev, f, f"_0.{key}[{k}]") for k in (0, 1))) for key in ("domain", "window"))
    return coefficients_of(ev, v, "coef"), domain, window


def _object(ev: Evaluator, v: Abstract) -> Value:
    f = opaque(ev, v) if isinstance(v, Static) else ev.operand(v)
    assert isinstance(f, Value)
    return f


def coefficients_of(ev: Evaluator, v: Abstract, name: str, counted: bool = False) -> Abstract:
    """The coefficients of a polynomial that does not depend on what is differentiated, by the name of the attribute.

    counted  their number is guarded, if the polynomial is one from outside"""
    f = _object(ev, v)
    check_value(ev, f, f"_0.{name}.dtype in ('float64', 'int64')", "the coefficients of this polynomial must be real")
    size = sym(f"_coefficients{f.id}")
    with contextlib.suppress(NeedsStatic):
        if counted:
            number = ev.emit(part, f, text=f"len(_0.{name})", type=INT)
            size = Dim(ev.ask(ev.wrap(number), "the number of coefficients"))
    return ev.wrap(ev.emit(solver, f, text=f"_0.{name}.astype(float)", type=Tensor("array", "f64", (size,))))


def _number(ev: Evaluator, f: Value, text: str) -> Abstract:
    return ev.wrap(ev.emit(solver, f, text=text, type=Tensor("np", "f64", ())))


SERIES = (polynomial.Chebyshev, polynomial.Hermite, polynomial.HermiteE, polynomial.Laguerre, polynomial.Legendre,
          polynomial.Polynomial)
"""The classes of series of polynomials."""


def _value_of_series(val: Any, coef: Any, off: Any, scl: Any, x: Any) -> Any:
    return val(off + scl * x, coef)
