"""Solutions of equations as values: `sct.implicit`, and what the solvers of SciPy find.

    x = implicit(solve, F)(p)   ->   x0 = <the equations of solve>;  x = solution(x0, p, body=<F of x and p>)

The residual is a region whose params are the solution and the numbers that the user's function reads.
"""

from __future__ import annotations

import builtins
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

from sct.frontend.autodiff.differentiated_region import Region, evaluate
from sct.frontend.evaluator.evaluator import Evaluator
from sct.frontend.evaluator.handlers import Args, Kwargs
from sct.frontend.values.abstract_values import Abstract, Frozen, Ref, Tup
from sct.ir import Builder, Eqn, Fn, Operand, Value, free_values, is_float, rebuild, walk
from sct.ir.loop_view import loop_view
from sct.ir.pytrees.pytree import Leaf
from sct.ir.types import BOOL, Tensor, in_words
from sct.ops import python, raise_, sub
from sct.ops.program.attempts import may_not_repeat
from sct.ops.program.effects import apply, part
from sct.ops.program.solutions import as_adjoint, solution

__all__ = [
    "as_solution", "computed_before", "derivative_code", "function_of", "has_effect", "refuse_sizes", "solution_of",
    "standing_for", "with_params_for_reads"]


def solution_of(ev: Evaluator, solve: Abstract, residual: Abstract, args: Args, kwargs: Kwargs) -> Abstract:
    """The result of `solve`, as the solution of `residual`."""
    solved = ev.call(solve, args, kwargs)
    t = ev.type_of(solved) if isinstance(solved, (Value, Ref)) else solved
    if not isinstance(t, Tensor) or t.kind != "f" or t.rank > 1:
        what = in_words(t) if isinstance(t, Tensor) else "no number"
        ev.refuse("SCT402", f"the solution is {what}", why="sct differentiates a float or a vector of floats",
                  hint="join several unknowns: `np.array([x, y])`, `np.concatenate`; flatten a matrix: `x.ravel()`")
    x = ev.operand(solved)
    region = function_of(ev, residual, [solved, *args], kwargs, "the residual")
    r = region.outs[region.out.index] if isinstance(region.out, Leaf) else None
    if r is None or not isinstance(r.type, Tensor) or r.type.kind != "f":
        refuse_sizes(ev, t, r)
    result = ev.wrap(as_solution(ev, x, region.fn.replace(results=(r,))))
    if isinstance(solved, Ref) and isinstance(result, Ref):
        ev.freeze(solved.addr, result.addr, why=Frozen.RULED)  # one array to Python, and two to the derivative
    return result


def function_of(ev: Evaluator, f: Abstract, args: Sequence[Abstract], kwargs: Kwargs, what: str,
                unknowns: int = 1) -> Region:
    """`f` as a region, differentiated by its first arguments, the unknowns; refuses effects and writes."""
    with ev.tries.none(), ev.enclosing.in_equation(len(ev.open_blocks) + 1):
        region = evaluate(ev, f, args, kwargs, range(unknowns))
    if has_effect(ev, region.fn):
        ev.refuse("SCT412", f"{what} has an effect (print, random draw)",
                  why="how often it would happen depends on the solver", hint="move the effect out")
    if _writes(region.fn):
        ev.refuse("SCT302", f"{what} writes to the unknown", why="the solver would see the write",
                  hint="write to a copy: `x = x.copy()`")
    return region


NOT_CONVERGED = "the solver has not converged"


def as_solution(ev: Evaluator, x: Operand, residual: Fn, converged: Value | None = None, error: str = NOT_CONVERGED,
                is_root: bool = False, near: float = 0.0) -> Value:
    """`x` as the solution of a residual, a function of it and of numbers that it reads.

    converged  has it a derivative?  If not, `error` is raised where that is computed
    near       how far from a solution the residual itself may say that it is, if not 0
    """
    (r,) = residual.results
    assert isinstance(x.type, Tensor) and isinstance(r.type, Tensor)
    if r.type.rank != x.type.rank or not all(map(ev.same, r.type.shape, x.type.shape)):
        refuse_sizes(ev, x.type, r)
    residual, reads, params = with_params_for_reads(ev, residual)
    flags, conditions = ([], []) if converged is None or near else ([Value(BOOL)], [converged])
    out = Value(x.type)
    residual = residual.replace(name="residual", params=(*residual.params, *flags, *params))
    attrs = {"checked": error if conditions or near else False, "is_root": is_root, "near": near}
    ev.b.add(Eqn(solution, (x, *conditions, *reads), (out,), attrs, (residual,), loc=ev.loc))
    return out


def with_params_for_reads(ev: Evaluator, fn: Fn) -> tuple[Fn, list[Value], list[Value]]:
    """`fn` with values of its own, the floats that it reads, and the values that stand for these in it."""
    fn = rebuild(fn, fresh=True)
    ev.tries.certain.update(walk(fn))
    reads = [v for v in free_values(fn) if is_float(v)]
    params = [Value(v.type, v.hint, v.dim) for v in reads]
    return rebuild(fn, dict(zip(reads, params))), reads, params


@contextmanager
def derivative_code(ev: Evaluator) -> Iterator[None]:
    """Evaluates code of the derivative: the program does not read its value."""
    with ev.block(builder := Builder()):
        yield
    for eqn in as_adjoint(Fn("f", (), tuple(builder.eqns), ())).eqns:
        ev.b.add(eqn)


def computed_before(ev: Evaluator, evaluate: Callable[[], Abstract], compute: Callable[[Abstract], Value]
                    ) -> tuple[Value, Abstract]:
    """The result of `compute` for the result of `evaluate`, and that result.

    The equations of `evaluate` are code of the derivative, behind those of `compute`: what raises for these arguments
    is what the program calls.
    """
    with ev.block(builder := Builder()):
        like = _computed(ev, evaluate())
    value = compute(like)
    for eqn in as_adjoint(Fn("f", (), tuple(builder.eqns), ())).eqns:
        ev.b.add(eqn)
    return value, like


def _computed(ev: Evaluator, v: Abstract) -> Abstract:
    """The value, or the parts of a tuple, as what equations have computed."""
    return Tup(tuple(_computed(ev, x) for x in v.items)) if isinstance(v, Tup) else ev.wrap(ev.operand(v))


def standing_for(ev: Evaluator, computed: Value, like: Abstract, text: str = "", converged: Value | None = None,
                 error: str = NOT_CONVERGED, is_root: bool = False) -> Abstract:
    """A value that SciPy has computed, or a part of one, with the derivative of `like`.

    computed   the value of a call; `text`: which part of it stands for `like`
    converged  has it a derivative?  If not, `error` is raised where that is computed
    is_root    it has that of the root of `like`, which is not negative
    """
    y = ev.operand(like)
    x = ev.emit(part, computed, text=text, type=y.type) if text else computed
    result = Value(y.type)
    with ev.block(builder := Builder()):
        difference = ev.emit(sub, result, y)
    residual = Fn("f", (result,), tuple(builder.eqns), (difference,))
    return ev.wrap(as_solution(ev, x, residual, converged, error, is_root))


def refuse_sizes(ev: Evaluator, t: Tensor, r: Operand | None) -> None:
    """Refuses a residual that is not as many equations as there are unknowns."""
    of = "a container" if r is None else in_words(r.type)
    ev.refuse("SCT402", f"the solution is {in_words(t)}, its residual {of}",
              hint="return as many equations as there are unknowns, in an array if these are")


def has_effect(ev: Evaluator, fn: Fn) -> bool:
    """Does the function, or one that it calls, print, draw random numbers, or change what is outside?  It may raise
    and warn, as NumPy does: a warning may be repeated.

    One that is still being evaluated counts as one that does.
    """
    called = ev.functions.reached(fn)
    return any(f is None or any(may_not_repeat(eqn) and not _raises(eqn) and not _warns(ev, eqn) for eqn in walk(f))
               for f in (fn, *called))


def _warns(ev: Evaluator, eqn: Eqn) -> bool:
    return eqn.op is apply and isinstance(eqn.args[0], Value) and ev.leaf_of(eqn.args[0]) is warnings.warn


def _raises(eqn: Eqn) -> bool:
    """Does the equation raise an exception, or make one?"""
    exception = getattr(builtins, str(eqn.attrs.get("callee", "")).removeprefix("builtins."), None)
    return eqn.op is raise_ or eqn.op is python and isinstance(exception, type) and issubclass(exception, BaseException)


def _writes(fn: Fn) -> bool:
    """Does the function write to its params?"""
    versions: set[Operand] = set(fn.params)
    for eqn in walk(fn):
        if eqn.op.updates and eqn.args[0] in versions:
            return True
        if eqn.op.name == "loop":
            loop = loop_view(eqn)
            versions.update(p for p, init in zip(loop.params, loop.inits) if init in versions)
    return False
