"""Integrals of samples by the points where they are taken: `simpson` and `cumulative_simpson` of `scipy.integrate`.

    simpson(y, x)   ->   what SciPy computes, with the derivative of `_simpson`
"""

from __future__ import annotations

from typing import Any

import numpy as np

from sct.frontend.evaluator.evaluator import Evaluator
from sct.frontend.evaluator.handlers import Args, Kwargs, of_scipy
from sct.frontend.heap.inactive import is_varied
from sct.frontend.numpy_library.op_calls import call_named
from sct.frontend.scipy_library.by_program import Program, handler, register
from sct.frontend.values.abstract_values import Abstract, Ref, Static
from sct.ir.types import Tensor

__all__: list[str] = []


def _over_last_interval(h0: Any, h1: Any, y0: Any, y1: Any, y2: Any) -> Any:
    """The integral of the parabola through three points over the last of the two intervals, of lengths h0 and h1.

    Cartwright, Simpson's Rule Cumulative Integration with MS Excel and Irregularly-spaced Data (2017), equation 8.
    """
    r, s = h1 / (h0 + h1), h1 / h0
    return h1 / 6.0 * ((3.0 - r) * y2 + (3.0 + r + r * s) * y1 - r * s * y0)


def _simpson(y: Any, x: Any, axis: Any) -> Any:
    """Simpson's rule for intervals of unequal lengths; the parabola through the last three points for one that is left.

    https://en.wikipedia.org/wiki/Simpson%27s_rule#Composite_Simpson's_rule_for_irregularly_spaced_data
    """
    y = np.moveaxis(y, axis, -1)
    h = np.diff(np.moveaxis(x, axis, -1) if x.ndim > 1 else x, axis=-1)
    n = y.shape[-1]
    if n == 2:
        return 0.5 * h[..., 0] * (y[..., 0] + y[..., 1])
    end = n - 1 if n % 2 else n - 2
    h0, h1 = h[..., :end:2], h[..., 1:end:2]
    y0, y1, y2 = y[..., :end:2], y[..., 1:end:2], y[..., 2:end + 1:2]
    both = h0 + h1
    of_pairs = both / 6.0 * ((2.0 - h1 / h0) * y0 + both * both / (h0 * h1) * y1 + (2.0 - h0 / h1) * y2)
    total = np.sum(of_pairs, axis=-1)
    if n % 2:
        return total
    return total + _over_last_interval(h[..., -2], h[..., -1], y[..., -3], y[..., -2], y[..., -1])


def _cumulative_simpson(y: Any, x: Any, dx: Any, initial: Any, axis: Any) -> Any:
    """The integral up to each point: over an interval, that of the parabola through its ends and one point more.

    The point is the next one for intervals with even numbers, and the one before for the others and the last.
    """
    y = np.moveaxis(y, axis, -1)
    n = y.shape[-1]
    if x is not None:
        h = np.diff(np.moveaxis(x, axis, -1) if x.ndim > 1 else x, axis=-1)
    else:
        step = 1.0 if dx is None else np.moveaxis(dx, axis, -1) if np.ndim(dx) else dx
        h = step * np.ones(n - 1)
    if n < 3:
        parts = 0.5 * h * (y[..., 1:] + y[..., :-1])
    else:
        h0, h1 = h[..., :-1], h[..., 1:]
        y0, y1, y2 = y[..., :-2], y[..., 1:-1], y[..., 2:]
        behind = _over_last_interval(h0, h1, y0, y1, y2)
        parts = np.zeros((*y.shape[:-1], n - 1))
        parts[..., :-1:2] = _over_last_interval(h1, h0, y2, y1, y0)[..., ::2]
        parts[..., 1::2] = behind[..., ::2]
        parts[..., -1] = behind[..., -1]
    total = np.cumsum(parts, axis=-1)
    if initial is not None:
        first = (np.moveaxis(initial, axis, -1) if np.ndim(initial) else initial) * np.ones((*y.shape[:-1], 1))
        total = np.concatenate((first, total + first), axis=-1)
    return np.moveaxis(total, -1, axis)


_RANKS = (0, 1, 2, 3)
register("scipy.integrate", {
    "cumulative_simpson": Program(_cumulative_simpson, ("y", "x", "dx", "initial"), ("axis",), ranks=_RANKS)})
_BY_POINTS = handler("scipy.integrate.simpson", Program(_simpson, ("y", "x"), ("axis",), ranks=_RANKS))


@of_scipy("scipy.integrate.simpson")
def _by_samples_and_points(ev: Evaluator, args: Args, kwargs: Kwargs) -> Abstract:
    """The integral is an op by its samples and its step; by its points it has the derivative of a program."""
    x = args[1] if len(args) > 1 else kwargs.get("x", Static(None))
    t = ev.type_of(x) if isinstance(x, Ref) else None
    is_vector = not isinstance(t, Tensor) or t.rank < 2
    if x == Static(None) or is_vector and not is_varied(ev, x):
        return call_named(ev, "scipy.integrate.simpson", args, kwargs)
    return _BY_POINTS(ev, args, kwargs)
