"""Fits of functions to data: `curve_fit`, whose result is the least of a sum of squares.

    popt, pcov = curve_fit(f, x, y)   ->   fit = solver(f, x, y);  popt = solution(part(fit), <the gradient is zero>)
"""

from __future__ import annotations

import inspect
import operator
import sys
from collections.abc import Mapping
from typing import Any

import numpy as np

from sct.frontend.autodiff.differentiated_region import parameter_names
from sct.frontend.autodiff.implicit_functions import as_solution, derivative_code, standing_for
from sct.frontend.autodiff.nested_derivatives import derivative
from sct.frontend.autodiff.solvers import defined, function_of_unknown
from sct.frontend.evaluator.evaluator import Evaluator
from sct.frontend.evaluator.exceptions import run_or_raise
from sct.frontend.evaluator.handlers import Args, Kwargs, of_scipy
from sct.frontend.heap.dynamic_lists import is_dynamic
from sct.frontend.heap.inactive import template_of
from sct.frontend.values.abstract_values import Abstract, DerivedCallable, ListRef, Ref, Static, Tup
from sct.ir import Operand
from sct.ir.dims import Dim
from sct.ir.types import Tensor
from sct.ops.program.effects import OBJECT, part
from sct.ops.program.solutions import solver

__all__: list[str] = []

_NONE = Static(None)
_OPTIONS = ("absolute_sigma", "maxfev", "ftol", "xtol", "gtol", "method")


@of_scipy("scipy.optimize.curve_fit")
def _curve_fit(ev: Evaluator, args: Args, kwargs: Kwargs) -> Abstract:
    """What `curve_fit` returns: the parameters, and their covariance."""
    signature = inspect.signature(sys.modules["scipy.optimize"].curve_fit)
    given: dict[str, Any] = dict(run_or_raise(ev, lambda: signature.bind(*args, **kwargs)).arguments)
    given |= given.pop("kwargs", {})
    for key, v in given.items():
        if key not in ("f", "xdata", "ydata", "p0", "sigma", *_OPTIONS) and v not in (_NONE, Static(False)):
            ev.refuse("SCT402", f"`curve_fit` is not differentiated with this `{key}`",
                      why="the result need not be where the sum of squares is least, or is more than that",
                      hint=f"leave `{key}` out")
    x, y, *sigma = (_array(ev, key, given[key], ranks) for key, ranks in (
        ("xdata", (1, 2)), ("ydata", (1,)), ("sigma", (1,))) if given.get(key, _NONE) != _NONE)
    n = _count(ev, given)
    f, vector = given["f"], Tensor("array", "f64", (Dim(n),))
    x_type = ev.type_of(x)
    region = function_of_unknown(ev, f, (), (x_type, *[Tensor("np", "f64")] * n), "curve_fit")

    def residuals(ev: Evaluator, args: Args, kwargs: Kwargs) -> Abstract:
        p = [ev.call(Static(operator.getitem), [args[0], Static(k)]) for k in range(n)]
        return ev.call(Static(_residuals), [ev.call(f, [x, *p]), y, *sigma])

    r = DerivedCallable(residuals)
    least = derivative(ev, "grad", DerivedCallable(lambda ev, args, kwargs: ev.call(
        Static(_half_sum_of_squares), [ev.call(r, args)])), {})
    zero = function_of_unknown(ev, least, (), vector, "curve_fit")
    operands: list[Operand] = [defined(ev, region, f, "model"), *map(ev.operand, (x, y))]
    options = {"p0": given.get("p0"), "sigma": sigma[0] if sigma else None, **{k: given.get(k) for k in _OPTIONS}}
    texts = [_text(ev, key, v, operands) for key, v in options.items()]
    found = ev.emit(solver, *operands, text=f"scipy.optimize.curve_fit(_0, _1, _2{''.join(texts)})", type=OBJECT)
    found.hint = "fit"
    p = ev.wrap(as_solution(ev, ev.emit(part, found, text="_0[0]", type=vector),
                            zero.fn.replace(results=(zero.outs[0],))))
    absolute = ev.ask(given.get("absolute_sigma", Static(False)), "`absolute_sigma` of `curve_fit`")
    with derivative_code(ev):
        jac = ev.call(derivative(ev, "jacobian", r, {}), [p])
        like = ev.call(Static(_covariance), [jac, ev.call(r, [p]), Static(bool(absolute))])
    return Tup((p, standing_for(ev, found, like, "_0[1]")))


def _residuals(y_fit: Any, y: Any, sigma: Any = None) -> Any:
    return y_fit - y if sigma is None else (y_fit - y) / sigma


def _half_sum_of_squares(r: Any) -> Any:
    return 0.5 * np.dot(r, r)


def _covariance(jac: Any, r: Any, absolute: Any) -> Any:
    """Of the parameters of a fit with the residuals `r`."""
    cov = np.linalg.inv(jac.T @ jac)
    return cov if absolute else cov * (np.dot(r, r) / (len(r) - jac.shape[1]))


def _text(ev: Evaluator, key: str, v: Abstract | None, operands: list[Operand]) -> str:
    if v is None:
        return ""
    text = template_of(ev, v, operands)
    if text is None:
        ev.refuse("SCT402", f"`{key}` of `curve_fit` is not a number, a text or a list of these",
                  hint="pass what SciPy needs as a float, an array or a list")
    return f", {key}={text}"


def _count(ev: Evaluator, given: Mapping[str, Abstract]) -> int:
    """How many parameters are fitted."""
    p0 = given.get("p0", _NONE)
    if isinstance(p0, Tup) or isinstance(p0, ListRef) and not is_dynamic(ev, p0):
        return len(p0.items if isinstance(p0, Tup) else ev.slots(p0).items)
    names = parameter_names(ev, given["f"])
    if p0 == _NONE and names:
        return len(names) - 1
    size = ev.call(Static(len), [p0]) if isinstance(p0, Ref) else _NONE
    n = ev.ask(size, "how many parameters are fitted")
    if type(n) is not int:
        ev.refuse("SCT402", "how many parameters `curve_fit` fits is not known", hint="pass `p0` as a list of numbers")
    return n


def _array(ev: Evaluator, key: str, v: Abstract, ranks: tuple[int, ...]) -> Ref:
    x = ev.call(Static(np.asarray), [v], {"dtype": Static(float)})
    t = ev.type_of(x) if isinstance(x, Ref) else None
    if not isinstance(t, Tensor) or t.rank not in ranks or t.dtype != "f64":
        ev.refuse("SCT402", f"`{key}` of `curve_fit` is not an array of {' or '.join(map(str, ranks))} axes",
                  hint="pass vectors: `x.ravel()`")
    assert isinstance(x, Ref)
    return x
