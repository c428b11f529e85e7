"""Calls that solve an equation: the solver runs as it is, and its result is differentiated as a solution.

    V = brentq(f, a, b)   ->   f = closure(body=...); V0 = solver(f, a, b); V = solution(V0, p, body=<f of V and p>)

The function of the equation is evaluated once, as a region. Its first copy is the function that the solver calls; the
second is the residual, whose params are the solution and the numbers that the function reads.
"""

from __future__ import annotations

import builtins
import inspect
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sct.frontend.autodiff.differentiated_region import evaluate, parameter_names
from sct.frontend.evaluator.evaluator import Evaluator
from sct.frontend.evaluator.exceptions import run_or_raise
from sct.frontend.evaluator.handlers import Args, Kwargs, of_scipy
from sct.frontend.source.private_names import name_of
from sct.frontend.values.abstract_values import Abstract, Closure, Ref, Static, Tup
from sct.ir import Eqn, Fn, Operand, Value, free_values, is_float, rebuild, walk
from sct.ir.core import is_effect
from sct.ir.pytrees.pytree import Leaf
from sct.ir.types import FLOAT, Function, Tensor, Type, in_words
from sct.ops import python, raise_
from sct.ops.program.control import closure
from sct.ops.program.solutions import solution, solver

__all__ = ["solution_of"]


@dataclass(frozen=True)
class _Solver:
    """How a function of `scipy.optimize` solves the equation of its first parameter.

    functions  the parameters that are functions of the unknown
    gives      the type of the unknown and of the result
    refused    parameters that must be left as they are, with what each would change
    """

    functions: Sequence[str]
    gives: Type
    refused: Mapping[str, str]


_ALWAYS = {"full_output": "the result would be an object of SciPy",
           "disp": "the result need not be a solution"}
_BRACKETING = _Solver(("f",), FLOAT, _ALWAYS)
_SOLVERS = dict.fromkeys(("brentq", "brenth", "bisect", "ridder", "toms748"), _BRACKETING) | {
    "newton": _Solver(("func", "fprime", "fprime2"), Tensor("np", "f64"), _ALWAYS)}


def _handler(name: str) -> Any:
    return lambda ev, args, kwargs: _call(ev, name, args, kwargs)


for _name in _SOLVERS:
    of_scipy(f"scipy.optimize.{_name}")(_handler(_name))


def _call(ev: Evaluator, name: str, args: Args, kwargs: Kwargs) -> Abstract:
    """The solution that the solver `name` finds."""
    known = _SOLVERS[name]
    signature = inspect.signature(getattr(sys.modules["scipy.optimize"], name))
    given = run_or_raise(ev, lambda: signature.bind(*args, **kwargs)).arguments
    for key in known.refused.keys() & given.keys():
        if given[key] != Static(signature.parameters[key].default):
            ev.refuse("SCT402", f"`{name}` is differentiated only without `{key}`", why=known.refused[key],
                      hint=f"leave `{key}` out")
    extra = given.pop("args", Tup(()))
    extra = extra.items if isinstance(extra, Tup) and extra.cls is tuple else (extra,)
    functions = {key: _function(ev, given[key], extra, known.gives, name) for key in known.functions
                 if key in given and given[key] != Static(None)}
    operands: list[Operand] = []
    texts: list[str] = []
    for k, key in enumerate(given):
        operands.append(_defined(ev, functions[key], given[key], key) if key in functions else
                        _number(ev, name, key, given[key]))
        by_keyword = key in kwargs or len(texts) < k
        texts.append(f"{key}=_{k}" if by_keyword else f"_{k}")
    x = ev.emit(solver, *operands, text=f"scipy.optimize.{name}({', '.join(texts)})", type=known.gives)
    return ev.wrap(_solution(ev, x, functions[known.functions[0]]))


def solution_of(ev: Evaluator, solve: Abstract, residual: Abstract, args: Args, kwargs: Kwargs) -> Abstract:
    """What `solve` returns, as the solution of `residual`."""
    found = ev.call(solve, args, kwargs)
    t = ev.type_of(found) if isinstance(found, (Value, Ref)) else found
    if not isinstance(t, Tensor) or t.kind != "f" or t.rank > 1:
        what = in_words(t) if isinstance(t, Tensor) else "no number"
        ev.refuse("SCT402", f"the solution is {what}", why="sct differentiates a float or a vector of floats",
                  hint="join several unknowns: `np.array([x, y])`, `np.concatenate`; flatten a matrix: `x.ravel()`")
    x = ev.operand(found)
    with ev.tries.none():
        region = evaluate(ev, residual, [found, *args], kwargs, [0])
    _no_effects(ev, region.fn, "the residual")
    r = region.outs[region.out.index] if isinstance(region.out, Leaf) else None
    if r is None or not isinstance(r.type, Tensor) or r.type.kind != "f" or r.type.rank != t.rank or \
            not all(map(ev.same, r.type.shape, t.shape)):
        ev.refuse("SCT402", f"the solution is {in_words(t)}, its residual "
                  f"{'a container' if r is None else in_words(r.type)}",
                  hint="return as many equations as there are unknowns")
    result = ev.wrap(_solution(ev, x, region.fn.replace(results=(r,))))
    if isinstance(found, Ref) and isinstance(result, Ref):
        ev.freeze(found.addr, result.addr)  # one array to Python, and two to the derivative
    return result


def _number(ev: Evaluator, name: str, key: str, v: Abstract) -> Operand:
    x = ev.operand(v)
    if isinstance(x.type, Tensor) and (x.type.is_array or x.type.kind == "c"):
        ev.refuse("SCT402", f"`{key}` of `{name}` is {in_words(x.type)}",
                  why="sct differentiates one solution, a float",
                  hint="solve for one number after the other, in a loop")
    return x


def _function(ev: Evaluator, f: Abstract, extra: Sequence[Abstract], unknown: Type, solver_name: str) -> Fn:
    """The function `f(x, *extra)` of the unknown x, a number, as a region."""
    names = parameter_names(ev, f)
    x = Value(unknown, names[0] if names else "x")
    with ev.tries.none():
        region = evaluate(ev, f, [ev.wrap(x), *extra], {}, [0])
    _no_effects(ev, region.fn, f"the function that `{solver_name}` calls")
    result = region.outs[region.out.index] if isinstance(region.out, Leaf) else None
    t = None if result is None else result.type
    if not isinstance(t, Tensor) or t.kind not in "fi" or t.rank:
        ev.refuse("SCT402", f"the function that `{solver_name}` calls does not return one real number",
                  hint="return a float")
    assert result is not None
    return region.fn.replace(results=(result,))


def _no_effects(ev: Evaluator, fn: Fn, what: str) -> None:
    if any(is_effect(eqn) and not _raises(eqn) for eqn in walk(fn)):
        ev.refuse("SCT412", f"{what} has an effect (print, random draw)",
                  why="how often it would happen depends on the solver", hint="move the effect out")


def _raises(eqn: Eqn) -> bool:
    """Does the equation raise an exception, or make one?"""
    made = getattr(builtins, str(eqn.attrs.get("callee", "")).removeprefix("builtins."), None)
    return eqn.op is raise_ or eqn.op is python and isinstance(made, type) and issubclass(made, BaseException)


def _defined(ev: Evaluator, fn: Fn, f: Abstract, key: str) -> Value:
    """The function that the solver calls."""
    own = f.peek if isinstance(f, Static) else None
    name = name_of(f.node) if isinstance(f, Closure) else getattr(own, "__name__", "")
    out = Value(Function(), name if name.isidentifier() else key if key.startswith("fprime") else "residual")
    body = rebuild(fn, fresh=True)
    ev.tries.certain.update(walk(body))  # what it raises, the solver raises
    ev.b.add(Eqn(closure, (), (out,), {"names": (fn.params[0].hint or "x",), "params": Leaf(0), "result": Leaf(0),
                                        "escapes": False},
                 (body,), loc=ev.loc))
    return out


def _solution(ev: Evaluator, x: Operand, residual: Fn) -> Value:
    """`x` as the solution of a residual, a function of it and of numbers that it reads."""
    residual = rebuild(residual, fresh=True)
    reads = [v for v in free_values(residual) if is_float(v)]
    params = [Value(v.type, v.hint, v.dim) for v in reads]
    residual = rebuild(residual, dict(zip(reads, params)))
    out = Value(x.type)
    ev.tries.certain.update(walk(residual))
    ev.b.add(Eqn(solution, (x, *reads), (out,), {}, (
        residual.replace(name="residual", params=(*residual.params, *params)),), loc=ev.loc))
    return out
