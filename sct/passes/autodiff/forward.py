"""Forward mode: every value that depends on the inputs gets a tangent, computed beside it.

    y = sin(x)  ->  y = sin(x); dy = cos(x) * dx

In:  a function and tangents of some of its params. Out: the function with the tangents of its results as further
results. Loops carry tangents beside their carries, and a `cond` returns them beside its results. An absent tangent is
a symbolic zero; it is materialized only where a loop, a `cond` or a call needs an operand.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce
from typing import Any, cast

from sct.ir.build import Builder, Rewrite, module_of, operand
from sct.ir.check import always_raises
from sct.ir.core import Eqn, Fn, Lit, Operand, Value, is_float, is_number, is_undef, undef, walk
from sct.ir.loop_view import LoopView, loop_view
from sct.ir.types import NONE, List, Optional, Residuals, Seq, Tensor, Type, TypeMismatch, Undef, join, map_leaf
from sct.ops.arrays.indexing import index, with_shape_of
from sct.ops.program.attempts import attempted
from sct.ops.program.call_ops import call, pack, unpack
from sct.ops.reductions.reductions import expand_like
from sct.ops.registry import ELEMENTWISE
from sct.passes.analysis.activity import activity, differentiable
from sct.passes.analysis.loop_layout import flows
from sct.passes.analysis.nonzero import known_nonzero
from sct.passes.autodiff.cotangents import (
    Masks,
    conditional,
    copy_static_shape,
    cotangent_type,
    current,
    d_hint,
    match_type,
    materialize,
    refusing_type_mismatch,
    unwrap_known,
    with_real_ints_as_floats,
    zero,
)
from sct.passes.autodiff.derivative_lookup import derivatives_var
from sct.passes.autodiff.transposed_rules import tangents_by_transpose
from sct.passes.rewriting.table import shape_of

__all__ = ["Forward", "forward", "joined_type", "may_be_missing", "tangent_like", "tangent_type"]


def forward(fn: Fn, wrt: Sequence[int], tangents: Sequence[Operand], *, rewrite: Rewrite | None = None,
            of: Sequence[int] | None = None) -> Fn:
    """`fn` with tangents of its results as further results, given the tangents of the params at `wrt`.

    of  the results whose tangents are computed; None: the floating-point results
    """
    params = [fn.params[k] for k in wrt]
    results = [r for r in fn.results if is_float(r)] if of is None else [fn.results[k] for k in of]
    active = activity(fn, params, results).active
    pass_ = Forward(active | may_be_missing(fn, active))
    pass_.tangents.update((p, t) for p, t in zip(params, tangents))
    with Builder(primal=False, rewrite=rewrite) as b:
        b.learn(fn, tangents)
        pass_.block(fn)
        b.module = b.loc = None
        result_tangents = [pass_.materialize(r) if isinstance(r.type, Residuals)
                           else materialize(pass_.tangent_of(r), r) for r in results]
    return fn.replace(eqns=tuple(b.eqns), results=(*fn.results, *result_tangents))


def may_be_missing(fn: Fn, active: frozenset[Value]) -> set[Value]:
    """The values of optional types that flow into active values of optional types.

    The tangent of such a value is missing where the value is missing, so it is computed beside it, even if zero.
    """
    sources: dict[Value, list[Operand]] = {}
    for eqn in walk(fn):
        for src, dst in flows(eqn):
            if _is_optional(dst.type) and is_float(dst):
                sources.setdefault(dst, []).append(src)
    missing = {x for eqn in walk(fn) if eqn.op is pack and eqn.out in active for x in eqn.args
             if isinstance(x, Value) and _is_optional(x.type) and is_float(x)}
    todo = [*missing, *(v for v in sources if v in active)]
    while todo:
        new = {x for x in sources.get(todo.pop(), ()) if isinstance(x, Value) and _is_optional(x.type)}
        todo += new - missing
        missing |= new
    return missing


def _is_optional(t: Type) -> bool:
    """Is this an optional type, or a sequence of one?"""
    while isinstance(t, Seq) and not isinstance(t, List):
        t = t.elem
    return isinstance(t, (Undef, Optional))


class Forward:
    """Adds the equations of a function and of its tangents to the current block; `tangents` maps values to tangents."""

    def __init__(self, active: frozenset[Value]) -> None:
        self.active = active
        self.rules = {"loop": self.loop, "cond": self.cond, "call": self.call, "pack": self.pack, "unpack": self.unpack,
                      "attempt": self.attempt, "integral": self.solution, "ruled": self.ruled,
                      "solution": self.solution}
        self.tangents: dict[Operand, Operand] = {}
        self.masks = Masks()

    def tangent_of(self, x: Operand) -> Operand | None:
        return self.tangents.get(x)

    def materialize(self, x: Operand) -> Operand:
        """The tangent of `x` in the form in which a loop, a `cond` or a call takes it."""
        dx = self.tangent_of(x)
        if dx is not None:
            return materialize(dx, x)
        if isinstance(x, Value) and isinstance(x.type, Residuals):
            t = tangent_type(x.type)
            return cast(Operand, call(x, callee=derivatives_var.get().zero(x.type.of), types=(t,))[0])
        missing = is_undef(x) or isinstance(x, Lit) and x.value is None
        return Lit(cast(Lit, x).value, tangent_type(x.type)) if missing else zero(x)

    def block(self, fn: Fn) -> None:
        b = current()
        for eqn in fn.eqns:
            b.loc, b.module = eqn.loc, module_of(eqn.spelling)
            with refusing_type_mismatch(eqn):
                self.rules.get(eqn.op.name, self.plain)(eqn)
            b.nonzero.update(known_nonzero(eqn))

    def set_tangent(self, y: Value, dy: Operand | None) -> None:
        if dy is not None:
            eqns = current().eqns
            if isinstance(dy, Value) and dy.hint is None and eqns and dy in eqns[-1].outs:
                dy.hint = d_hint(y)
            self.tangents[y] = dy

    # -- plain ops --------------------------------------------------------------------

    def plain(self, eqn: Eqn) -> None:
        current().add(eqn)
        self.add_tangents(eqn)

    def add_tangents(self, eqn: Eqn) -> None:
        b = current()
        dxs = [self.tangent_of(x) if differentiable(eqn, k) else None for k, x in enumerate(eqn.args)]
        if any(dx is not None for dx in dxs) and any(y in self.active for y in eqn.outs):
            start = len(b.eqns)
            out_tangents = self.apply_rule(eqn, dxs)
            self.masks.record(b.eqns[start:])
            whole = eqn.op not in ELEMENTWISE or any(
                dx is not None and shape_of(x) == shape_of(eqn.out) for x, dx in zip(eqn.args, dxs))
            for y, dy in zip(eqn.outs, out_tangents):
                if isinstance(dy, TypeMismatch) and y in self.active:
                    raise dy
                if isinstance(dy, (Value, Lit)) and whole:
                    dy = copy_static_shape(dy, y, b.eqns[start:])
                self.set_tangent(y, _match_shape(dy, y, self.masks) if isinstance(dy, (Value, Lit)) else None)

    def attempt(self, eqn: Eqn) -> None:
        """Tangents of the results are computed where the attempt has not raised."""
        current().add(eqn)
        self.attempted_tangents(eqn)

    def attempted_tangents(self, eqn: Eqn) -> None:
        inner = attempted(eqn)
        live = [out for out in inner.outs if out in self.active]
        if not live or not any(self.tangent_of(x) is not None for x in inner.args):
            return
        with current().nested() as b:
            b.module = module_of(inner.spelling)
            outs = [cast(Value, unwrap_known(out)) for out in inner.outs]
            added = {out for out, inner_out in zip(outs, inner.outs) if inner_out in live}
            self.active |= added
            self.add_tangents(inner.replace(outs=tuple(outs)))
            then = b.finish("then", [], [self.materialize(out) for out in outs if out in added])
        orelse = Fn("orelse", (), (), tuple(undef(r.type) for r in then.results))
        dys = conditional(eqn.outs[0], then, orelse, [d_hint(out) for out in live])
        self.tangents.update(zip(live, dys))

    def apply_rule(self, eqn: Eqn, dxs: Sequence[Operand | None]) -> Sequence[Operand | None]:
        """The tangents of the outs by the rule of the op, given those of the operands."""
        op, several = eqn.op, len(eqn.outs) > 1
        values, outs = with_real_ints_as_floats(eqn)
        y: Any = outs if several else outs[0]
        if op.partials is not None and op.jvp is None:
            total: Operand | None = None
            for p, dx in zip(op.partials(y, *values, **eqn.attrs), dxs):
                if p is not None and dx is not None:
                    if isinstance(p, TypeMismatch):
                        raise p
                    total = self.masks.sum(total, self.masks.multiply(dx, operand(p)))
            return [total]
        if op.linear is not None:
            args = [x if k in op.inactive else zero(x) if dx is None else dx
                    for k, (x, dx) in enumerate(zip(eqn.args, dxs))]
            if op is index and eqn.attrs["key"] == () and is_number(args[0]):
                return args  # the tangent of an array without axes may be a number
            dy = op(*args, **eqn.attrs)
            return [with_shape_of(dy, y) if op is index and isinstance(args[0].type, List) else dy]
        if op.jvp is None:
            assert op.vjp is not None, f"{op} has no derivative, so its outs have no tangents"
            return tangents_by_transpose(eqn, dxs, self.active)
        present = [k for k, dx in enumerate(dxs) if dx is not None]
        if op in ELEMENTWISE and len(present) == 1:
            return [self.masks.map_unmasked(cast(Operand, dxs[present[0]]), lambda g: cast(Any, op.jvp)(
                [g if k in present else None for k in range(len(dxs))], y, *values, **eqn.attrs))]
        out_tangents = op.jvp(dxs, y, *values, **eqn.attrs)
        return list(out_tangents) if several else [out_tangents]

    # -- calls ------------------------------------------------------------------------

    def call(self, eqn: Eqn) -> None:
        """A call becomes a call of the function that also computes tangents."""
        wrt = tuple(k for k, x in enumerate(eqn.args) if self.tangent_of(x) is not None and differentiable(eqn, k))
        if not wrt or not any(out in self.active for out in eqn.outs):
            current().add(eqn)
            return
        callee, of = derivatives_var.get().tangent(eqn.attrs["callee"], wrt)
        floats = [eqn.outs[k] for k in of]
        outs = [Value(tangent_type(out.type), d_hint(out)) for out in floats]
        attrs = {**eqn.attrs, "callee": callee, "types": (*eqn.attrs["types"], *(out.type for out in outs))}
        args = (*eqn.args, *(self.materialize(eqn.args[k]) for k in wrt))
        current().add(eqn.replace(args=args, outs=(*eqn.outs, *outs), attrs=attrs))
        self.tangents.update(zip(floats, outs))

    def solution(self, eqn: Eqn) -> None:
        current().add(eqn)
        self.solution_tangent(eqn)

    def solution_tangent(self, eqn: Eqn) -> None:
        tangents = {x: dx for x in eqn.args[1:] if isinstance(x, Value) and (dx := self.tangent_of(x)) is not None}
        if tangents and eqn.out in self.active:
            self.set_tangent(eqn.out, derivatives_var.get().solution_tangent(eqn, tangents))

    def ruled(self, eqn: Eqn) -> None:
        current().add(eqn)
        self.ruled_tangents(eqn)

    def ruled_tangents(self, eqn: Eqn) -> None:
        tangents = {k: dx for k, x in enumerate(eqn.args) if k >= len(eqn.outs) and isinstance(x, Value)
                    and (dx := self.tangent_of(x)) is not None}
        if tangents and any(out in self.active for out in eqn.outs):
            for out, dy in zip(eqn.outs, derivatives_var.get().ruled_tangents(eqn, tangents)):
                self.set_tangent(out, materialize(dy, out))

    def pack(self, eqn: Eqn) -> None:
        current().add(eqn)
        if any(self.tangent_of(x) is not None for x in eqn.args):
            fields = [self.materialize(x) if is_float(x) else Lit(None) for x in eqn.args]
            self.set_tangent(eqn.out, pack(*fields, of="d" + eqn.attrs["of"]))

    def unpack(self, eqn: Eqn) -> None:
        current().add(eqn)
        tangent = self.tangent_of(eqn.args[0])
        if tangent is not None:
            types = tuple(tangent_type(out.type) if is_float(out) else NONE for out in eqn.outs)
            for out, dx in zip(eqn.outs, unpack(unwrap_known(tangent), types=types)):
                if is_float(out):
                    self.set_tangent(out, dx)

    # -- control ----------------------------------------------------------------------

    def cond(self, eqn: Eqn) -> None:
        blocks = []
        for branch in eqn.regions:
            with current().nested() as b:
                self.block(branch)
            blocks.append(b)
        live = [k for k, out in enumerate(eqn.outs) if out in self.active]
        branches, types = [], []
        for branch, b in zip(eqn.regions, blocks):
            ends = always_raises(branch)
            with b:
                dxs = [undef(cotangent_type(eqn.outs[k].type)) if ends else self.materialize(branch.results[k])
                       for k in live]
            branches.append(branch.replace(eqns=tuple(b.eqns), results=(*branch.results, *dxs)))
            types += [] if ends else [[dx.type for dx in dxs]]
        outs = [Value(joined_type(eqn.outs[k].type, *ts), d_hint(eqn.outs[k])) for k, ts in zip(live, zip(*types))]
        current().add(eqn.replace(regions=tuple(branches), outs=(*eqn.outs, *outs)))
        self.tangents.update((eqn.outs[k], out) for k, out in zip(live, outs))

    def loop(self, eqn: Eqn) -> None:
        loop = loop_view(eqn)
        d = self.active_parts(loop)
        inits = [self.materialize(loop.inits[k]) for k in d.carried]
        with current().nested() as b:
            self.block(loop.body)
            results = [self.materialize(loop.results[k]) for k in d.carried]
            yields = [self.materialize(loop.yields[j]) for j in d.yielded]
        finals = [Value(p.type, d_hint(loop.finals[k])) for p, k in zip(d.params, d.carried)]
        ys = [Value(Seq(y.type), d_hint(loop.ys[j])) for y, j in zip(yields, d.yielded)]
        index = () if loop.index is None else (loop.index,)
        body = loop.body.replace(
            params=(*index, *loop.params, *d.params, *loop.elems, *d.elems), eqns=tuple(b.eqns),
            results=(loop.go, *loop.results, *results, *loop.yields, *yields))
        conditions = [c.replace(params=(*c.params, *map(tangent_like, (loop.params[k] for k in d.carried))))
                      for c in eqn.regions[:-1]]
        current().add(eqn.replace(
            args=(*loop.bounds, *loop.inits, *inits, *loop.xs, *d.xs), regions=(*conditions, body),
            outs=(*loop.finals, *finals, loop.iterations, *loop.ys, *ys),
            attrs={**eqn.attrs, "carries": len(loop.params) + len(d.params)}))
        self.tangents.update((loop.finals[k], f) for k, f in zip(d.carried, finals))
        self.tangents.update((loop.ys[j], y) for j, y in zip(d.yielded, ys))

    def active_parts(self, loop: LoopView) -> ActiveParts:
        """The active parts of `loop`; the tangents inside its body are recorded."""
        carried = [k for k, p in enumerate(loop.params) if p in self.active or loop.finals[k] in self.active]
        listed = [j for j, e in enumerate(loop.elems) if e in self.active and self.tangent_of(loop.xs[j]) is not None]
        yielded = [j for j, y in enumerate(loop.ys) if y in self.active]
        xs = [cast(Operand, self.tangent_of(loop.xs[j])) for j in listed]
        params = [tangent_like(loop.params[k]) for k in carried]
        elems = [Value(cast(Seq, x.type).elem, d_hint(loop.elems[j])) for x, j in zip(xs, listed)]
        current().learn_derivatives((*params, *elems))
        self.tangents.update((loop.params[k], p) for k, p in zip(carried, params))
        self.tangents.update((loop.elems[j], e) for e, j in zip(elems, listed))
        return ActiveParts(carried, yielded, xs, params, elems)


@dataclass(frozen=True)
class ActiveParts:
    """The parts of a loop that have tangents.

    carried  the positions of the carries; `params`: their tangents in the body
    yielded  the positions of the `ys`
    xs       the tangents of sequences that the loop reads; `elems`: those of their elements
    """

    carried: Sequence[int]
    yielded: Sequence[int]
    xs: Sequence[Operand]
    params: Sequence[Value]
    elems: Sequence[Value]


def tangent_type(t: Type) -> Type:
    """The type of a stored tangent of a value of type `t`; the tangent is missing where the value is missing."""
    return map_leaf(cotangent_type, t)


def tangent_like(v: Value) -> Value:
    return Value(tangent_type(v.type), d_hint(v))


def joined_type(out: Type, *types: Type) -> Type:
    return reduce(join, types) if isinstance(out, Tensor) else tangent_type(out)


def _match_shape(dy: Operand, y: Value, masks: Masks) -> Operand:
    """The tangent with the shape and dtype of `y`."""
    t, d = y.type, dy.type
    if not isinstance(t, Tensor) or not isinstance(d, Tensor):
        return dy
    if t.is_array and t.shape != d.shape:
        dy = expand_like(dy, y)
    return match_type(dy, y, masks)
