"""Derivatives of solutions of equations, by the implicit function theorem.

    x = solution(x0, p, body=F)  ->  jac = dF/dx at x;  w = solve(jac.T, -dx);  dp = the pullback of F at w

In:  a `solution` equation, and the cotangent of its out or the tangents of its operands. Out: equations that evaluate
the residual at the solution and solve one linear system. They read the solution as the out of the equation, which
depends on the operands in turn, so that derivatives of every order are exact.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import cast

from sct.errors import NO_DERIVATIVE
from sct.ir.check import always_raises
from sct.ir.core import Eqn, Fn, Lit, Operand, Value, free_values, rebuild, walk
from sct.ir.types import Tensor
from sct.ops.linalg.linalg import solve
from sct.ops.linalg.norms import norm
from sct.ops.linalg.products import matrix_transpose
from sct.ops.program.call_ops import call
from sct.ops.program.control import cond
from sct.ops.program.effects import guarded, python, raise_
from sct.ops.program.solutions import BY_THEOREM, as_adjoint, equal_operand, solver
from sct.ops.registry import ELEMENTWISE
from sct.ops.scalar.arithmetic import add, div, mul, neg, quotient, stop_gradient
from sct.ops.scalar.comparison import le
from sct.ops.type_rules import number
from sct.passes.autodiff.cotangents import current, materialize
from sct.passes.autodiff.jacobian import derivative_blocks, tangents_again
from sct.passes.autodiff.linearize import pushforward
from sct.passes.autodiff.residuals import ResidualTaps
from sct.passes.autodiff.reverse import pullback

__all__ = ["drop_residuals", "integrand_of", "solution_cotangents", "solution_tangent"]

Step = Callable[[Fn, ResidualTaps, Operand], Sequence[Operand]]


def solution_cotangents(eqn: Eqn, ct: Operand, wrt: Sequence[Value]) -> Sequence[Operand]:
    """The cotangents of the operands `wrt`, given that of the solution."""
    if equal_operand(eqn) is not None:
        _check(eqn)
        return [materialize(_root_slope(eqn, ct), x) for x in wrt]

    def step(fn: Fn, taps: ResidualTaps, jac: Operand) -> Sequence[Operand]:
        whole = materialize(ct, eqn.out) if number(jac).rank else ct
        w = neg(_solved(matrix_transpose(jac) if number(jac).rank == 2 else jac, whole))
        return pullback(fn, [fn.params.index(x) for x in wrt], {0: w}, taps, among=(0,))

    return _at_solution(eqn, step)


def solution_tangent(eqn: Eqn, tangents: Mapping[Value, Operand]) -> Operand:
    """The tangent of the solution, given those of operands."""
    if isinstance(y := equal_operand(eqn), Value):
        _check(eqn)
        return _root_slope(eqn, tangents[y])

    def step(fn: Fn, taps: ResidualTaps, jac: Operand) -> Sequence[Operand]:
        dxs = {fn.params.index(x): materialize(dx, x) for x, dx in tangents.items()}
        (dr,) = tangents_again(fn, dxs, [0]) if _calls(fn) else pushforward(fn, dxs, [0], taps)
        return [neg(_solved(jac, dr))]

    return _at_solution(eqn, step)[0]


def drop_residuals(fn: Fn) -> Fn:
    """`fn` with the values that were computed in the place of those that are differentiated by a theorem or a rule, and
    without the tests that guards have told."""
    if not any(eqn.op in BY_THEOREM or eqn.op is guarded for eqn in walk(fn)):
        return fn
    env: dict[Value, Operand] = {}
    return rebuild(_without_residuals(fn, env), env)


def _without_residuals(fn: Fn, env: dict[Value, Operand]) -> Fn:
    """A value without a name of its own takes over that of the value that is differentiated in its place."""
    stopped = {eqn.out: eqn.args[0] for eqn in fn.eqns if eqn.op is stop_gradient}
    named: dict[Operand, Value] = {}
    for eqn in fn.eqns:
        if eqn.op in BY_THEOREM:
            named.update((stopped.get(cast(Value, x), x), out) for x, out in zip(eqn.args, eqn.outs))
    eqns: list[Eqn] = []
    for eqn in fn.eqns:
        if eqn.op in BY_THEOREM:
            for x, out in zip(eqn.args, eqn.outs):
                x = stopped.get(cast(Value, x), x)
                if env.get(cast(Value, x)) is not out:
                    env[out] = env.get(cast(Value, x), x)
            continue
        if eqn.op is guarded:
            continue
        renamed = {out: named[out] for out in eqn.outs if out in named and (out.hint is None or eqn.op is solver)}
        env.update(renamed)
        regions = tuple(_without_residuals(region, env) for region in eqn.regions)
        eqns.append(eqn.replace(outs=tuple(renamed.get(out, out) for out in eqn.outs), regions=regions))
    return fn.replace(eqns=tuple(eqns))


def _root_slope(eqn: Eqn, direction: Operand) -> Operand:
    """direction / (2 * y), which is 0 at 0, if the solution y is a root; else the direction"""
    return cast(Operand, mul(0.5, quotient(direction, eqn.out, edge=0.0))) if eqn.attrs["is_root"] else direction


def _at_solution(eqn: Eqn, step: Step) -> Sequence[Operand]:
    """What `step` makes of the residual, its taps and its derivative by the solution, in the current block."""
    _check(eqn)
    fn = _residual(eqn)
    taps = ResidualTaps(fn)
    with current().nested() as b:
        b.module = None
        if not number(fn.params[0]).rank or _is_elementwise(fn):
            one = {0: Lit(1.0)}
            (jac,) = tangents_again(fn, one, [0]) if _calls(fn) else pushforward(fn, one, [0], taps)
        else:
            jac = derivative_blocks(fn, [0], [0], "forward", taps)[0, 0]  # a call keeps one record: of the pullback
        if near := eqn.attrs.get("near"):
            _raise_unless(_is_near(fn, jac, near), eqn)
        results = step(fn, taps, jac)
    for each in (*taps.with_taps(fn.eqns), *b.eqns):
        current().add(each)
    return results


def _check(eqn: Eqn) -> None:
    """Raise where the second operand says that the value has no derivative, as where its solver has not converged."""
    if eqn.attrs.get("checked") and not eqn.attrs.get("near"):
        _raise_unless(eqn.args[1], eqn)


def _raise_unless(test: Operand, eqn: Eqn) -> None:
    with current().nested() as b:
        b.loc = eqn.loc
        error = python(Lit(f"{NO_DERIVATIVE}: {eqn.attrs['checked']}"), callee="RuntimeError")
        raise_(error)
    current().emit(cond, (test,), {}, regions=(Fn("then", (), (), ()), b.finish("orelse", [], [])), types=[])


def _is_near(fn: Fn, jac: Operand, near: float) -> Operand:
    """Is the value as near to a solution as that of a solver that has converged, by a step of Newton's method?"""
    reached = add(mul(1e-3, norm(fn.params[0])), near)
    return cast(Operand, le(norm(_solved(jac, fn.results[0])), reached))


def _residual(eqn: Eqn) -> Fn:
    """The residual as a function of the solution and of the other operands, without its region's own values."""
    fn = rebuild(eqn.regions[0], fresh=True)
    operands = (eqn.out, *eqn.args[1:])
    fn = rebuild(fn, dict(zip(fn.params, operands)))
    params = tuple(dict.fromkeys(x for x in operands if isinstance(x, Value)))
    return as_adjoint(_without_raises(fn).replace(params=params))


def integrand_of(eqn: Eqn) -> Fn:
    """The integrand of an `integral` as a function of its variable, without its region's own values."""
    fn = rebuild(eqn.regions[0], fresh=True)
    fn = rebuild(fn, dict(zip(fn.params[1:], eqn.args[3 + eqn.attrs["given"]:])))
    return as_adjoint(_without_raises(fn).replace(params=fn.params[:1]))


def _without_raises(fn: Fn) -> Fn:
    """`fn` where none of its checks fails: it has been evaluated by the solver."""
    eqns: list[Eqn] = []
    env: dict[Value, Operand] = {}
    for eqn in fn.eqns:
        kept = [region for region in eqn.regions if not always_raises(region)]
        if eqn.op is cond and len(kept) == 1:
            inner = _without_raises(kept[0])
            eqns += inner.eqns
            env.update(zip(eqn.outs, inner.results))
        else:
            eqns.append(eqn.replace(regions=tuple(map(_without_raises, eqn.regions))))
    return rebuild(fn.replace(eqns=tuple(eqns)), env)


def _calls(fn: Fn) -> bool:
    return any(eqn.op is call for eqn in walk(fn))


def _is_elementwise(fn: Fn) -> bool:
    """Is each equation about one element of the unknown alone, so that the Jacobian is diagonal?"""
    x = fn.params[0]
    shape, reached = number(x).shape, {x}
    for eqn in fn.eqns:
        reads = [v for v in (*eqn.args, *(v for region in eqn.regions for v in free_values(region))) if v in reached]
        if reads:
            same = all(isinstance(v.type, Tensor) and v.type.shape == shape for v in (*reads, *eqn.outs))
            by_element = eqn.op in ELEMENTWISE or eqn.op.maps is not None and reads == [eqn.args[eqn.op.maps]]
            if not by_element or not same:
                return False
            reached.update(eqn.outs)
    return fn.results[0] in reached


def _solved(jac: Operand, b: Operand) -> Operand:
    """The solution of `jac @ x = b`, or with the diagonal of a Jacobian."""
    return cast(Operand, solve(jac, b) if number(jac).rank == 2 else div(b, jac))
