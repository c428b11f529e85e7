"""Values that are not differentiated through the code that computes them: solutions of equations, integrals, and what
functions with a rule of the user return.

    x = brentq(f, a, b)    ->   f = closure(body=...)
    with f(x, p) == 0           x0 = solver(f, a, b, text="scipy.optimize.brentq(_0, _1, _2)")
                                x = solution(x0, p, body=f)

How the value was computed does not matter to its derivative, which is that of the equation that the value solves:
`dx = -inv(F_x) @ F_p @ dp`. The region of a `solution` is the residual `F` as a function of all its operands. It never
runs as a part of the primal, and the pass `drop_residuals` removes it after the last differentiation.

    I = quad(f, a, b)[0]   ->   f = closure(body=...);  found = solver(f, a, b, text="scipy.integrate.quad(_0, _1, _2)")
                                I0 = part(found, text="_0[0]");  I = integral(I0, a, b, p, body=f)

The region of an `integral` is the integrand as a function of `x` and of the numbers `p` that it reads.

    y = f(x)               ->   y0 = <the equations of f, or a call of it>
    with sct.rule(f, ...)       y = ruled(y0, x, vjp=<of dy, y, x>, jvp=<of dx, y, x>)
"""

from __future__ import annotations

from typing import Any, cast

from sct.ir.core import Eqn, Fn, Operand, Value
from sct.ir.types import FLOAT, Type
from sct.ops.program.call_ops import by_driver
from sct.ops.program.effects import opaque, run_inactive
from sct.ops.registry import op
from sct.ops.scalar.arithmetic import sub

__all__ = [
    "BY_THEOREM", "as_adjoint", "call_in_rule", "equal_operand", "integral", "once", "rule_of", "ruled", "ruled_call",
    "solution", "solver"]


def type_solver(*_: Operand, type: Type = FLOAT, **__: Any) -> Type:
    return type


def type_solution(x: Operand, *_: Operand, **__: Any) -> Type:
    return x.type


def type_ruled(*args: Operand, values: int, **_: Any) -> tuple[Type, ...]:
    return tuple(x.type for x in args[:values])


solver = op("solver", type=type_solver, run=run_inactive, emit=lambda *_, text, **__: text, raises="value",
            cost="never", complex=True, nondiff="its value is differentiated as a `solution`")
"""A call of a function that solves an equation, or that integrates; `text` is its template."""

solution = op("solution", type=type_solution, run=lambda x, *_, **__: x, emit="_0",
              defaults={"checked": False, "is_root": False, "near": 0.0},
              alias="same", cost="never", inactive=(0,), vjp=by_driver, jvp=by_driver, complex=True)
"""The solution of the residual in its region; the first operand is its value.

checked  a text: the second operand says whether the solution has a derivative; if not, an error with this text is
         raised, as where a solver has not converged
near     if not 0, it is raised where a step of Newton's method is longer than this and a thousandth of the solution;
         the second operand says nothing then
is_root  the residual is its difference from a number that is not negative; the solution is the square root of that,
         whose derivative at 0 is 0"""

integral = op("integral", type=type_solution, run=lambda x, *_, **__: x, emit="_0", alias="same", cost="never",
              inactive=(0,), vjp=by_driver, jvp=by_driver, complex=True)
"""The integral of its region; the operands are its value, the limits, those of `options`, and what the integrand reads.

function  the function of `scipy.integrate` that computes it
options   pairs of a keyword of that function and its text, in which the operands are numbered from 3
given     the number of operands of `options`"""

def is_not_fresh(*_: Operand, fresh: bool = False, **__: Any) -> bool:
    return not fresh


ruled_call = op("ruled_call", type=opaque, run=run_inactive, emit=lambda *_, text, **__: text, raises="value",
                cost="never", complex=True, defaults={"fresh": False}, readonly=is_not_fresh,
                nondiff="its value is differentiated by the rule of the user")
"""A call of a function with a rule that Python itself makes; `text` is its template.

fresh  is the result new memory?  Else it may be memory of another object, and is not written"""

call_in_rule = op("call_in_rule", type=opaque, run=run_inactive, emit=lambda *_, text, **__: text, raises="value",
                  cost="never", complex=True, defaults={"fresh": False}, readonly=is_not_fresh,
                  nondiff="it is a call in a rule of a function that has none")
"""The same for a function without a rule, in a rule: the rule has no derivative then."""

once = op("once", type=type_solution, run=lambda x, **_: x, emit="_0", alias="same", cost="free", complex=True,
          nondiff="the rule that reads it is not differentiated itself")
"""An argument or a value as a rule reads it that says that it is not differentiated; `function` is whose rule it is."""

ruled = op("ruled", type=type_ruled, run=lambda *args, values, **_: args[0] if values == 1 else args[:values],
           emit="_0", cost="never", vjp=by_driver, jvp=by_driver, complex=True)
"""What a function with a rule of the user returns.  The operands are the `values`, behind a `stop_gradient`, and the
numbers in the arguments.

modes     the names of the regions: "vjp" takes the cotangents, the values and the arguments, and returns cotangents of
          the arguments; "jvp" takes the tangents, the values and the arguments, and returns tangents of the values.
          None in the place of a cotangent: the rule gives none
missing   the positions of arguments for which no rule gives a derivative
function  the name of the function; `once`: its rule is not differentiated again"""

BY_THEOREM = frozenset((integral, ruled, solution))
"""The ops with a region that never runs: it defines the derivative."""


def rule_of(eqn: Eqn, mode: str) -> Fn | None:
    """The region of a `ruled` that is its rule for a mode."""
    return dict(zip(eqn.attrs["modes"], eqn.regions)).get(mode)


def equal_operand(eqn: Eqn) -> Operand | None:
    """The operand that a solution is equal to, if its residual is the difference of the two."""
    (fn,) = eqn.regions
    difference = fn.eqns[0] if len(fn.eqns) == 1 and fn.eqns[0].op is sub and fn.eqns[0].outs == fn.results else None
    if difference is None or difference.args[0] is not fn.params[0] or difference.args[1] not in fn.params[1:]:
        return None
    return eqn.args[fn.params.index(cast(Value, difference.args[1]))]


def as_adjoint(fn: Fn) -> Fn:
    """`fn` as code of a derivative, whose rounding is not that of the user's own arithmetic."""
    return fn.replace(eqns=tuple(
        eqn.replace(primal=False, regions=tuple(map(as_adjoint, eqn.regions))) for eqn in fn.eqns))
