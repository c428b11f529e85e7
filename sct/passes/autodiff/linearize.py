"""The derivative of a region as a linear map that may be applied again and again.

    y = sin(x)  ->  forward: y = sin(x);  for each tangent dx:  dy = cos(x) * dx

In:  a region, its `ResidualTaps`, and tangents of its params. Out: the equations of the tangents of its results alone.
The tangents are computed as in forward mode, but apart from the primal values, which are residuals as in reverse mode.
A loop becomes a loop over the same range in the same direction that carries only tangents.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from sct.ir.check import always_raises
from sct.ir.core import Eqn, Fn, Lit, Operand, Value, is_float
from sct.ir.loop_view import loop_view
from sct.ir.types import INT
from sct.ops.program.control import cond
from sct.passes.analysis.activity import activity
from sct.passes.analysis.loop_layout import emit_loop, positions
from sct.passes.autodiff.cotangents import current, d_hint, materialize
from sct.passes.autodiff.forward import Forward, joined_type, may_be_missing
from sct.passes.autodiff.residuals import ResidualTaps, live_eqns

__all__ = ["pushforward"]


def pushforward(fn: Fn, tangents: Mapping[int, Operand], results: Sequence[int], taps: ResidualTaps) -> list[Operand]:
    """Add the tangents of some results of `fn`, given those of some of its params, to the current block.

    The block reads the values of `fn` through `taps`.
    """
    params = [fn.params[k] for k in tangents]
    seeded = [fn.results[k] for k in results]
    active = activity(fn, params, [r for r in seeded if is_float(r)]).active
    pass_ = _Pushforward(active | may_be_missing(fn, active), taps)
    pass_.tangents.update(zip(params, tangents.values()))
    b = current()
    b.learn(fn, tangents.values())
    start = len(b.eqns)
    pass_.block(fn)
    b.module = b.loc = None
    out_tangents = [materialize(pass_.tangent_of(r), r) for r in seeded]
    b.eqns[start:] = taps.drop_trailing_shape_dependences(live_eqns(b.eqns[start:], out_tangents))
    return out_tangents


class _Pushforward(Forward):
    """`Forward` without the primal equations; it reads their values through `taps`."""

    def __init__(self, active: frozenset[Value], taps: ResidualTaps) -> None:
        super().__init__(active)
        self.taps = taps

    def plain(self, eqn: Eqn) -> None:
        self.add_tangents(eqn)

    def attempt(self, eqn: Eqn) -> None:
        self.attempted_tangents(eqn)

    def solution(self, eqn: Eqn) -> None:
        self.solution_tangent(eqn)

    def ruled(self, eqn: Eqn) -> None:
        self.ruled_tangents(eqn)

    def cond(self, eqn: Eqn) -> None:
        live = [out for out in eqn.outs if out in self.active]
        branches = [branch for branch in eqn.regions if not always_raises(branch)]
        if not live or not branches:
            return
        fns: list[Fn] = []
        for branch in branches:
            with current().nested() as b:
                self.block(branch)
                results = [self.materialize(r) for r, out in zip(branch.results, eqn.outs) if out in self.active]
            fns.append(self.taps.mirrored_branch(eqn, branch, b, results))
        if len(fns) == 1:
            current().eqns += fns[0].eqns
            self.tangents.update(zip(live, fns[0].results))
            return
        types = [joined_type(v.type, *(f.results[k].type for f in fns)) for k, v in enumerate(live)]
        outs = current().emit(cond, eqn.args, {"mirrors": self.taps.mirrors_of(eqn)}, regions=fns, types=types,
                              hints=[d_hint(v) for v in live])
        self.tangents.update(zip(live, outs))

    def loop(self, eqn: Eqn) -> None:
        loop = loop_view(eqn)
        d = self.active_parts(loop)
        if not d.carried and not d.yielded:
            return
        inits = [self.materialize(loop.inits[k]) for k in d.carried]
        with current().nested() as b:
            self.block(loop.body)
            b.module = b.loc = None
            results = [self.materialize(loop.results[k]) for k in d.carried]
            results += [self.materialize(loop.yields[j]) for j in d.yielded]
        index = loop.index
        position = Value(INT, index.hint if index else None, index.dim if index else None)
        eqns = self.taps.drop_shape_dependences(live_eqns(b.eqns, results))
        body = Fn(loop.body.name, (position, *d.params, *d.elems), eqns, (Lit(True), *results))
        body, tapes = self.taps.mirrored_body(loop, body)
        finals, ys = emit_loop(current(), positions(loop), bool(eqn.attrs["reverse"]), inits, [*d.xs, *tapes], body,
                               mirrors=self.taps.mirrors_of(eqn))
        self.tangents.update((loop.finals[k], f) for k, f in zip(d.carried, finals))
        self.tangents.update((loop.ys[j], y) for j, y in zip(d.yielded, ys))
