"""Steps of differential equations: programs that are evaluated in the place of a solver, for its derivative.

The solver has chosen the times. From each time to the next there is one step of a method whose order is that of the
solver, so the derivative of these steps is that of the solution, to the tolerance of the solver.
"""

from __future__ import annotations

from typing import Any

import numpy as np

__all__ = ["ends_moved", "explicit_steps", "implicit_steps", "joined"]


def explicit_steps(f: Any, ts: Any, y: Any, A: Any, B: Any, C: Any) -> Any:
    """The solution of `dy/dt = f(t, y)` at the times `ts`, a column for each, by an explicit Runge-Kutta method.

    y        the solution at the first of them
    A, B, C  the coefficients of the method
    """
    ys = np.empty((len(ts), len(y)))
    ys[0] = y
    for n in range(len(ts) - 1):
        h = ts[n + 1] - ts[n]
        k = np.zeros((len(B), len(y)))
        for s in range(len(B)):
            k[s] = f(ts[n] + C[s] * h, y + h * (A[s] @ k[:A.shape[1]]))
        y = y + h * (B @ k)
        ys[n + 1] = y
    return ys.T


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


def ends_moved(ts: Any, t0: Any, t1: Any) -> Any:
    """The times `ts`, the first and the last of which are numbers that may be differentiated."""
    ts = ts.copy()
    ts[0] = t0
    ts[-1] = t1
    return ts


def joined(t0: Any, ts: Any, places: Any, times: Any) -> Any:
    """The time `t0` and the times `ts` after it, of which those at `places` may be differentiated."""
    ts = np.concatenate((np.array([t0]), ts))
    ts[places] = times
    return ts
