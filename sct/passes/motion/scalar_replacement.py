"""Scalar replacement: an element to which a loop adds in its iterations is a number in the loop:

    for j in range(m): dx[i] += g(j)     ->     s = 0.0; for j in range(m): s += g(j); dx[i] += s

In adjoint code, inner loops first. Nothing else in the loop may read or write `dx`, and the element must be there
also if the loop runs no iteration.
"""

from __future__ import annotations

from collections.abc import Sequence

from sct.ir.affine import Range, is_in_bounds, loop_range, term_of
from sct.ir.core import Eqn, Fn, Lit, Operand, Value, is_number, rebuild, regions, substitute, walk
from sct.ir.loop_view import LoopView, loop_view
from sct.ir.types import ANY_REAL, INT, Tensor
from sct.ir.uses import DefUse
from sct.ops.arrays.indexing import is_there
from sct.ops.program.control import loop
from sct.ops.scalar.arithmetic import add, mul, sub
from sct.passes.analysis.type_inference import retype
from sct.passes.motion.scatter_to_store import only_additions

__all__ = ["replace_elements"]


def replace_elements(fn: Fn) -> Fn:
    """`fn` with numbers in place of such elements."""
    while (after := _ReplaceElements(fn).region(fn, ())) is not fn:
        fn = retype(after)
    return fn


class _ReplaceElements:
    def __init__(self, fn: Fn) -> None:
        self.def_use = DefUse(fn)

    def region(self, fn: Fn, ranges: tuple[Range, ...]) -> Fn:
        """The region; `ranges` are those of the loops around it, inner loops first."""
        eqns: list[Eqn] = []
        for eqn in fn.eqns:
            own = loop_range(loop_view(eqn), self.def_use.defining_op) if eqn.op is loop else None
            inner = ranges if own is None else (own, *ranges)
            after = eqn.replace(regions=tuple(self.region(r, inner) for r in eqn.regions))
            eqns += self.replaced(loop_view(eqn), ranges) if after is eqn and eqn.op is loop else [after]
        return fn.replace(eqns=tuple(eqns))

    def replaced(self, view: LoopView, ranges: Sequence[Range]) -> list[Eqn]:
        """The loop with numbers in place of the elements of one array, and the addition behind it."""
        for k, (init, param, result) in enumerate(zip(view.inits, view.params, view.results)):
            if view.test is not None or isinstance(init, Lit):  # an array that starts as a number
                continue
            adds = self.additions(view, param, result)
            if adds and self.is_there(adds[0], ranges) \
                    and (subscripts := self.outside(adds[0].args[2:], view.body)) is not None:
                return _with_number(view, k, adds, subscripts)
        return [view.eqn]

    def additions(self, view: LoopView, param: Value, result: Operand) -> list[Eqn] | None:
        """The additions to one element, if nothing else is done with the array that is carried."""
        adds = only_additions(param, result, view.body, self.def_use) or []
        return adds if all(_is_of_element(e) and e.args[2:] == adds[0].args[2:] for e in adds) else None

    def outside(self, xs: Sequence[Operand], body: Fn) -> list[Eqn] | None:
        """The equations of the body that compute the ints `xs` of others outside; None if an iteration decides them."""
        needed: list[Eqn] = []
        bound = {v for r in regions(body) for v in (*r.params, *(out for e in r.eqns for out in e.outs))}
        work = [x for x in xs if x in bound]
        while work:
            eqn = self.def_use.defining_eqn(work.pop())
            if eqn is None or eqn.op not in (add, sub, mul) or eqn.out.type != INT:
                return None
            needed.append(eqn)
            work += [x for x in eqn.args if x in bound]
        return list(dict.fromkeys(reversed(needed)))

    def is_there(self, addition: Eqn, ranges: Sequence[Range]) -> bool:
        t = addition.out.type
        return isinstance(t, Tensor) and is_there(
            t.shape, addition.attrs["key"], addition.args[2:],
            lambda i, d: is_in_bounds(term_of(i, self.def_use.defining_op), d, ranges))


def _is_of_element(eqn: Eqn) -> bool:
    """Is this an addition to one element of an array of real numbers?"""
    t = eqn.out.type
    return set(eqn.attrs["key"]) == {"i"} and is_number(eqn.args[1]) \
        and isinstance(t, Tensor) and t.kind == "f" and t.rank == len(eqn.attrs["key"])


def _with_number(view: LoopView, k: int, adds: Sequence[Eqn], subscripts: Sequence[Eqn]) -> list[Eqn]:
    """The loop whose `k`-th carry is a number, to which `adds` add, and the addition of that number."""
    first = 3 * view.eqn.attrs["counted"]
    param, total = Value(ANY_REAL), Value(ANY_REAL)
    env: dict[Value, Operand] = {view.params[k]: param}

    def numbers(fn: Fn) -> Fn:
        eqns = []
        for e in fn.eqns:
            if e in adds:
                env[e.out] = Value(ANY_REAL)
                e = Eqn(add, substitute(e.args[:2], env), (env[e.out],), primal=False, loc=e.loc,  # type: ignore[arg-type]
                        merged_locs=e.merged_locs)
            elif not set(adds).isdisjoint(walk(fn.replace(eqns=e.regions and (e,)))):
                e = e.replace(regions=tuple(map(numbers, e.regions)))
                for j, out in enumerate(e.outs):
                    if any(r.results[j] in env.values() for r in e.regions):
                        env[out] = Value(ANY_REAL)
                e = e.replace(outs=substitute(e.outs, env))
            eqns.append(e)
        return fn.replace(eqns=tuple(eqns), results=substitute(fn.results, env))

    body = numbers(view.body)
    args, outs, final = list(view.eqn.args), list(view.eqn.outs), view.finals[k]
    array, args[first + k], outs[k] = args[first + k], Lit(0.0), total
    params = tuple(param if p is view.params[k] else p for p in body.params)
    number = view.eqn.replace(args=tuple(args), outs=tuple(outs), regions=(body.replace(params=params),))
    behind = Fn("", (), (*subscripts, adds[0].replace(args=(array, total, *adds[0].args[2:]))), (adds[0].out,))
    copy = rebuild(behind, fresh=True)
    return [number, *copy.eqns[:-1], copy.eqns[-1].replace(outs=(final,))]
