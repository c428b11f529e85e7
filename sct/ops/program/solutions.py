"""Solutions of equations and integrals: values that a theorem differentiates, and not the code that computes them.

    x = brentq(f, a, b)    ->   f = closure(body=...)
    with f(x, p) == 0           x0 = solver(f, a, b, text="scipy.optimize.brentq(_0, _1, _2)")
                                x = solution(x0, p, body=f)

How the value was computed does not matter to its derivative, which is that of the equation that the value solves:
`dx = -inv(F_x) @ F_p @ dp`. The region of a `solution` is the residual `F` as a function of all its operands. It never
runs as a part of the primal, and the pass `drop_residuals` removes it after the last differentiation.

    I = quad(f, a, b)[0]   ->   f = closure(body=...);  found = solver(f, a, b, text="scipy.integrate.quad(_0, _1, _2)")
                                I0 = part(found, text="_0[0]");  I = integral(I0, a, b, p, body=f)

The region of an `integral` is the integrand as a function of `x` and of the numbers `p` that it reads.
"""

from __future__ import annotations

from typing import Any

from sct.ir.core import Operand
from sct.ir.types import FLOAT, Type
from sct.ops.program.call_ops import by_driver
from sct.ops.program.effects import run_inactive
from sct.ops.registry import op

__all__ = ["BY_THEOREM", "integral", "solution", "solver"]


def type_solver(*_: Operand, type: Type = FLOAT, **__: Any) -> Type:
    return type


def type_solution(x: Operand, *_: Operand, **__: Any) -> Type:
    return x.type


solver = op("solver", type=type_solver, run=run_inactive, emit=lambda *_, text, **__: text, raises="value",
            cost="never", complex=True, nondiff="its value is differentiated as a `solution`")
"""A call of a function that solves an equation, or that integrates; `text` is its template."""

solution = op("solution", type=type_solution, run=lambda x, *_, **__: x, defaults={"checked": False}, emit="_0",
              alias="same", cost="never", inactive=(0,), vjp=by_driver, jvp=by_driver, complex=True)
"""The solution of the residual in its region; the first operand is its value.

checked  the second operand says whether the solver has converged; if not, the solution has no derivative"""

integral = op("integral", type=type_solution, run=lambda x, *_, **__: x, emit="_0", alias="same", cost="never",
              inactive=(0,), vjp=by_driver, jvp=by_driver, complex=True)
"""The integral of its region; the operands are its value, the limits, those of `options`, and what the integrand reads.

function  the function of `scipy.integrate` that computes it
options   pairs of a keyword of that function and its text, in which the operands are numbered from 3
given     the number of operands of `options`"""

BY_THEOREM = frozenset((integral, solution))
"""The ops with a region that never runs: it defines the derivative."""
