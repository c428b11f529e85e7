"""Activity: which values depend on the inputs and reach the results that are differentiated.

The analysis builds one graph over the whole function, regions included, whose edges are the dependences that have a
derivative. A value is active if it is reachable from the inputs (varied) and if a seeded result is reachable from it
(useful). It takes linear time.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass

from sct.errors import SctError, user_text
from sct.ir.core import Eqn, Fn, Operand, Value, free_values, is_float, walk
from sct.ir.loop_view import loop_view
from sct.ir.real_ints import counts_as_real
from sct.ir.types import Tensor
from sct.ir.uses import reachable
from sct.ops.arrays.indexing import store
from sct.ops.program.attempts import attempted
from sct.ops.program.solutions import BY_THEOREM, call_in_rule, once, ruled
from sct.passes.rewriting.table import is_full

__all__ = ["TO_TEXT", "Activity", "activity", "dependences", "differentiable", "empty_as_others", "reach",
           "varied_values"]

Edge = tuple[Operand, Value]


@dataclass(frozen=True)
class Activity:
    """
    active  the values that carry a cotangent or a tangent
    reads   for a region: the active values of the regions around it to whose cotangents it contributes, in order
    """

    active: frozenset[Value]
    reads: Mapping[Fn, tuple[Value, ...]]

    def __contains__(self, x: Operand) -> bool:
        return x in self.active


def activity(fn: Fn, wrt: Iterable[Value], seeded: Iterable[Operand]) -> Activity:
    """The activity in `fn` between the inputs `wrt` and the results `seeded`."""
    edges: list[Edge] = []
    inside: dict[Fn, list[Edge]] = {}
    _collect(fn, (), edges, inside)
    varied = reach(wrt, ((src, dst) for src, dst in edges if isinstance(src, Value)))
    _refuse_opaque(fn, varied)
    _refuse_read(fn, varied)
    useful = reach((v for v in seeded if isinstance(v, Value)),
                    ((dst, src) for src, dst in edges if isinstance(src, Value)))
    active = frozenset(varied & useful)
    _refuse_truncated(fn, active)
    reads: dict[Fn, tuple[Value, ...]] = {}
    _find_reads(fn, active, inside, reads)
    return Activity(active, reads)


def varied_values(fn: Fn, wrt: Iterable[Value]) -> set[Value]:
    """The values that depend on the inputs `wrt`, by dependences that have a derivative."""
    return reach(wrt, dependences(fn))


def dependences(fn: Fn) -> list[tuple[Value, Value]]:
    """The dependences in `fn` that have a derivative, those in its regions included."""
    edges: list[Edge] = []
    _collect(fn, (), edges, {})
    return [(src, dst) for src, dst in edges if isinstance(src, Value)]


def differentiable(eqn: Eqn, k: int) -> bool:
    """Does the op of `eqn` have a derivative with respect to its operand `k`?  `x[:] = v` has none by x."""
    eqn = attempted(eqn)
    if k == 0 and eqn.op is store and is_full(eqn.attrs["key"]):
        return False
    return eqn.op.nondiff is None and k not in eqn.op.inactive and k < len(eqn.args) and _has_floats(eqn.args[k])


_empty_is_inactive: ContextVar[bool] = ContextVar("empty_is_inactive", default=True)


@contextmanager
def empty_as_others() -> Iterator[None]:
    """Within this context an array is as active if it is known to be empty as if it is not."""
    token = _empty_is_inactive.set(False)
    try:
        yield
    finally:
        _empty_is_inactive.reset(token)


def _has_floats(x: Operand) -> bool:
    """Can a derivative pass through `x`?  None passes through an array without elements."""
    is_empty = isinstance(x.type, Tensor) and any(d.value == 0 for d in x.type.shape)
    return is_float(x) and not (is_empty and _empty_is_inactive.get())


def _collect(fn: Fn, exits: Sequence[Edge], edges: list[Edge], inside: dict[Fn, list[Edge]]) -> None:
    """Add all edges of `fn` to `edges`, and to `inside[fn]` those that the transposed region of `fn` itself follows:
    the edges of its equations, and `exits`, the edges out of its results."""
    own = [*exits]
    for eqn in fn.eqns:
        if eqn.op.name == "cond":
            for branch in eqn.regions:
                _collect(branch, _float_edges(zip(branch.results, eqn.outs)), edges, inside)
        elif eqn.op.name == "loop":
            loop = loop_view(eqn)
            own += _float_edges([
                *zip(loop.inits, loop.params), *zip(loop.inits, loop.finals), *zip(loop.xs, loop.elems)])
            back = [*zip(loop.results, loop.params), *zip(loop.results, loop.finals), *zip(loop.yields, loop.ys)]
            _collect(loop.body, _float_edges(back), edges, inside)
        elif eqn.regions and eqn.op not in BY_THEOREM:
            assert eqn.op.name == "closure", f"`{eqn.op.name}` is not expanded"  # a call of it is refused below
        else:
            own += [(x, out) for k, x in enumerate(eqn.args) if differentiable(eqn, k)
                    for out in eqn.outs if _has_floats(out)]
    inside[fn] = own
    edges += own


def _float_edges(pairs: Iterable[tuple[Operand, Value]]) -> list[Edge]:
    return [(src, dst) for src, dst in pairs if _has_floats(src) and _has_floats(dst)]


def reach(roots: Iterable[Value], edges: Iterable[tuple[Operand, Operand]]) -> set[Value]:
    """The values that edges lead to from `roots`."""
    successors: dict[Operand, list[Value]] = {}
    for src, dst in edges:
        if isinstance(dst, Value):
            successors.setdefault(src, []).append(dst)
    return reachable(roots, lambda v: successors.get(v, ()))


def _find_reads(fn: Fn, active: frozenset[Value], inside: Mapping[Fn, list[Edge]],
                reads: dict[Fn, tuple[Value, ...]]) -> None:
    """Enter `Activity.reads` of `fn` and of the regions in it."""
    sources: dict[Value, None] = {}
    bound = set(fn.params)
    for eqn in fn.eqns:
        bound.update(eqn.outs)
        for region in eqn.regions:
            if region in inside:
                _find_reads(region, active, inside, reads)
                sources.update(dict.fromkeys(reads[region]))
    sources.update((src, None) for src, dst in inside[fn] if src in active and dst in active and isinstance(src, Value))
    reads[fn] = tuple(v for v in sources if v not in bound)


def _refuse_truncated(fn: Fn, active: frozenset[Value]) -> None:
    """Refuse a write into an array of ints of a float that is active: NumPy would truncate it."""
    for eqn in walk(fn):
        if eqn.op is store and counts_as_real(eqn.out.type) and eqn.args[1] in active \
                and not counts_as_real(eqn.args[1].type):
            raise SctError(
                "SCT414", "the number that is written into this array of ints depends on a differentiated input",
                why="the write cuts its fraction off, and its derivative with it",
                hint="write into an array of floats: `x = x.astype(float)` before", loc=eqn.loc)


def _refuse_opaque(fn: Fn, varied: set[Value]) -> None:
    """Refuse opaque calls of active values or of pullbacks that capture them: the derivative would be lost silently."""
    suspects = [eqn for eqn in walk(fn) if _is_opaque(attempted(eqn)) or eqn.op is once or
                eqn.op is call_in_rule or eqn.op in BY_THEOREM]
    if not suspects:
        return
    pullbacks = [eqn for eqn in walk(fn) if eqn.op.name == "closure"]
    capturing = {eqn.out for eqn in pullbacks if varied.intersection(free_values(eqn.regions[0]))}
    for eqn in suspects:
        if _is_opaque(attempted(eqn)) and any(v in varied or v in capturing for v in eqn.args):
            called, rule = user_text(eqn.loc).partition("(")[0].strip("`"), ""
            if re.fullmatch(r"[A-Za-z_][\w.]*", called):
                of = "x" if len(eqn.args) == 1 else "*args"
                rule = f"give it a derivative: sct.rule({called}, vjp=lambda ct, y, {of}: ...); or "
            raise SctError(
                "SCT401", f"{user_text(eqn.loc)} is not known, and an argument of it depends on a differentiated input",
                why="its derivative would be cut silently",
                hint=f"{rule}pass sct.stop_gradient(...) of the argument, if none is meant to pass", loc=eqn.loc)
        if eqn.op is once and varied.intersection(eqn.args):
            raise SctError("SCT402", f"the rule of `{eqn.attrs['function']}` is not differentiated itself",
                           why="it was given with once=True", hint="leave `once` out, if its formula is exact "
                           "for derivatives of higher order, too", loc=eqn.loc)
        if eqn.op is call_in_rule and varied.intersection(eqn.args):
            raise SctError("SCT402", "a rule calls a function that has no rule, and is differentiated itself",
                           why="this derivative is one of the function that the rule calls",
                           hint="give that function a rule, too: sct.rule(f, vjp=..., jvp=...)", loc=eqn.loc)
        if eqn.op in BY_THEOREM and any(varied.intersection(free_values(region)) for region in eqn.regions):
            what = f"the rule of `{eqn.attrs['function']}` reads differentiated numbers that are no arguments of it" \
                if eqn.op is ruled else \
                "the equation is solved for numbers that it reads in a way that sct does not see"
            raise SctError("SCT401", what, why="its derivative would be cut silently",
                           hint="pass them as arguments of its function", loc=eqn.loc)


def _is_opaque(eqn: Eqn) -> bool:
    """Does Python itself evaluate the equation, so that sct knows nothing of it?  An exception is no number; what is
    read from it is asked for by `_refuse_read`."""
    return eqn.op.name in _BY_PYTHON and not eqn.attrs.get("exception", False)


def _refuse_read(fn: Fn, varied: set[Value]) -> None:
    """Refuse a number that is read from the text of an active number, or from an exception that was made of it: these
    carry no derivative."""
    texts = {out for eqn in walk(fn) if attempted(eqn).op.name in TO_TEXT and varied.intersection(eqn.args)
             for out in eqn.outs}
    if not texts:
        return
    derived = reach(texts, _non_numeric_edges(fn))
    for eqn in walk(fn):
        if attempted(eqn).op.name in TO_TEXT and derived.intersection(eqn.args) and any(map(is_float, eqn.outs)):
            raise SctError(
                "SCT401", "a number is read from a text or an exception that depends on a differentiated input",
                why="it does not carry a derivative", hint="use the number that it was made of", loc=eqn.loc)


_BY_PYTHON = ("apply", "inactive", "part")
"""Ops that Python itself evaluates, and that sct knows nothing of."""

TO_TEXT = ("fstring", "python", *_BY_PYTHON)
"""Ops that may turn numbers into texts or other objects."""


def _non_numeric_edges(fn: Fn) -> Iterable[Edge]:
    """Edges from each value that is not a number to the values that may depend on it."""
    for eqn in walk(fn):
        params = [p for region in eqn.regions for p in region.params]
        for x in (*eqn.args, *(x for region in eqn.regions for x in region.results)):
            if isinstance(x, Value) and not isinstance(x.type, Tensor):
                yield from ((x, y) for y in (*params, *eqn.outs))
