"""Steps of differential equations: programs that are evaluated in the place of a solver, for its derivative.

The solver has chosen the times. From each time to the next there is one step of a method whose order is that of the
solver, so the derivative of these steps is that of the solution, to the tolerance of the solver.
"""

from __future__ import annotations

from typing import Any

import numpy as np

__all__ = ["ended", "ends_moved", "events_between", "explicit_steps", "first", "implicit_steps", "joined"]


def explicit_steps(f: Any, ts: Any, y: Any, A: Any, B: Any, C: Any) -> Any:
    """The solution of `dy/dt = f(t, y)` at the times `ts`, a column for each, by an explicit Runge-Kutta method.

    y        the solution at the first of them
    A, B, C  the coefficients of the method
    """
    ys = np.empty((len(ts), len(y)))
    ys[0] = y
    for n in range(len(ts) - 1):
        y = _explicit_step(f, ts[n], y, ts[n + 1] - ts[n], A, B, C)
        ys[n + 1] = y
    return ys.T


def _explicit_step(f: Any, t: Any, y: Any, h: Any, A: Any, B: Any, C: Any) -> Any:
    """The solution at the time `t + h`."""
    k = np.zeros((len(B), len(y)))
    for s in range(len(B)):
        k[s] = f(t + C[s] * h, y + h * (A[s] @ k[:A.shape[1]]))
    return y + h * (B @ k)


def implicit_steps(f: Any, solved: Any, stages_at: Any, ts: Any, y: Any) -> Any:
    """The same by the implicit method of Radau of order 5, whose stages solve the equations of each step.

    solved     a given value, as the solution of a residual with these arguments
    stages_at  the values of the solution at three times
    """
    r = np.sqrt(6.0)
    A = np.array([[(88.0 - 7.0 * r) / 360.0, (296.0 - 169.0 * r) / 1800.0, (-2.0 + 3.0 * r) / 225.0],
                  [(296.0 + 169.0 * r) / 1800.0, (88.0 + 7.0 * r) / 360.0, (-2.0 - 3.0 * r) / 225.0],
                  [(16.0 - r) / 36.0, (16.0 + r) / 36.0, 1.0 / 9.0]])
    C = np.array([(4.0 - r) / 10.0, (4.0 + r) / 10.0, 1.0])
    ys = np.empty((len(ts), len(y)))
    ys[0] = y
    for n in range(len(ts) - 1):
        h = ts[n + 1] - ts[n]
        t = ts[n] + C * h
        y = solved(stages_at(t), _radau_equations, f, t, y, h, A)[-len(y):]
        ys[n + 1] = y
    return ys.T


def _radau_equations(z: Any, f: Any, t: Any, y: Any, h: Any, A: Any) -> Any:
    """The equations of the three stages `z` of a step of the length `h` from `y`."""
    stages = z.reshape(3, len(y))
    k = np.array([f(t[0], stages[0]), f(t[1], stages[1]), f(t[2], stages[2])])
    return (stages - y - h * (A @ k)).ravel()


def ends_moved(ts: Any, t0: Any, t1: Any, stopped: Any) -> Any:
    """The times `ts`, the first and the last of which are numbers that may be differentiated.

    stopped  has an event ended the solution before the last time?
    """
    ts = ts.copy()
    ts[0] = t0
    if not stopped:
        ts[-1] = t1
    return ts


def joined(t0: Any, ts: Any, places: Any, times: Any) -> Any:
    """The time `t0` and the times `ts` after it; those at `places` may be differentiated."""
    ts = np.concatenate((np.array([t0]), ts))
    ts[places] = times
    return ts


def events_between(g: Any, f: Any, solved: Any, times: Any, places: Any, ts: Any, ys: Any, A: Any, B: Any, C: Any
                   ) -> Any:
    """When `g(t, y)` is zero, and the solution then, a row for each time: by a step from the time of `ts` before.

    solved         a given value, as the solution of a residual with these arguments
    times, places  the times as the solver has found them, and the positions of those before them in `ts`
    """
    t, y = np.empty(len(times)), np.empty((len(times), len(ys)))
    for i in range(len(times)):
        n = places[i]
        t[i] = solved(times[i], _event, g, f, ts[n], ys[:, n], A, B, C)
        y[i] = _explicit_step(f, ts[n], ys[:, n], t[i] - ts[n], A, B, C)
    return t, y


def _event(t: Any, g: Any, f: Any, t0: Any, y0: Any, A: Any, B: Any, C: Any) -> Any:
    return g(t, _explicit_step(f, t0, y0, t - t0, A, B, C))


def ended(is_end: Any, times: Any, values: Any, ts: Any, ys: Any) -> Any:
    """The times and the solution, which the last of these events may have ended."""
    if is_end:
        ts, ys = ts.copy(), ys.copy()
        ts[-1] = times[-1]
        ys[:, -1] = values[-1]
    return ts, ys


def first(x: Any, count: Any) -> Any:
    return x[:count]
