"""Reverse mode: the transpose of a region, and the tapes that it reads.

    y = f(x), seed dy  ->  forward: f with taps;  backward: dx of dy and forward values

In:  a function and the cotangents of some of its results. Out: its equations with taps, and the equations of the
backward pass, which compute the cotangents of some of its params.
The backward pass visits the equations in reverse. A loop becomes a loop over the same range in the other direction,
and a `cond` a `cond` on the same predicate. A backward region is first written as if every forward value were in
scope; then the values of the forward region that it mirrors become residuals. The cotangents of outer values that a
body reads are carries of the backward loop, so that every gradient is one buffer through nested loops and branches.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial, reduce
from typing import Any, cast

from sct.ir.build import Builder, Rewrite, module_of, operand
from sct.ir.check import always_raises
from sct.ir.core import Eqn, Fn, Lit, Loc, Op, Operand, Value, bound_values, rebuild
from sct.ir.loop_view import LoopView, loop_view
from sct.ir.types import INT, List, Optional, Residuals, Seq, Tensor, TypeMismatch, Undef
from sct.ops.arrays.indexing import add_at, index, is_mask, store
from sct.ops.linalg.masked_products import kept_elements, transposed_under_mask
from sct.ops.program.attempts import attempted
from sct.ops.program.call_ops import call
from sct.ops.registry import ELEMENTWISE
from sct.ops.scalar.comparison import unwrap
from sct.passes.analysis.activity import Activity, activity, differentiable
from sct.passes.analysis.loop_layout import emit_loop, positions, type_after_iteration
from sct.passes.analysis.nan_tests import perhaps_left_out
from sct.passes.analysis.nonzero import known_nonzero
from sct.passes.analysis.transposed_block import TransposedBlock, read_by
from sct.passes.autodiff.cotangents import (
    Masks,
    add_element,
    add_to_list,
    before_assignment,
    conditional,
    copy_static_shape,
    cotangent_type,
    current,
    d_hint,
    if_else,
    is_assigned_array,
    match_type,
    materialize,
    or_zeros,
    padded,
    real_part,
    refusing_type_mismatch,
    set_hint,
    unwrap_known,
    with_real_ints_as_floats,
    zero,
)
from sct.passes.autodiff.derivative_lookup import callee_tests_nan, derivatives_var
from sct.passes.autodiff.residuals import ResidualTaps, live_eqns, pack_cotangents, unpack_cotangents, without_raises

__all__ = ["Reversed", "pullback", "reverse"]


@dataclass(frozen=True)
class Reversed:
    """A function and its transpose.

    forward     the equations of the function, with taps
    backward    the equations of its transpose, which read the values of `forward` and the seeds
    cotangents  the cotangents of the params
    """

    forward: tuple[Eqn, ...]
    backward: tuple[Eqn, ...]
    cotangents: tuple[Operand, ...]


def reverse(fn: Fn, wrt: Sequence[int], seeds: Mapping[int, Operand], *, rewrite: Rewrite | None = None,
            buffers: Mapping[int, Operand] | None = None) -> Reversed:
    """Transpose `fn` with respect to the params at `wrt`, given the cotangents of some of its results.

    buffers  for some params: the value to which the cotangent is added
    """
    taps = ResidualTaps(fn)
    with Builder(primal=False, rewrite=rewrite) as b:
        cotangents = pullback(fn, wrt, seeds, taps, buffers)
    return Reversed(taps.with_taps(fn.eqns), tuple(b.eqns), tuple(cotangents))


def pullback(fn: Fn, wrt: Sequence[int], seeds: Mapping[int, Operand], taps: ResidualTaps,
           buffers: Mapping[int, Operand] | None = None, among: Sequence[int] | None = None) -> list[Operand]:
    """Add the cotangents of some params of `fn`, given those of some of its results, to the current block.

    The block reads the values of `fn` through `taps`.

    among  if several sweeps share `taps`: the results that some sweep has a seed for
    """
    params = [fn.params[k] for k in wrt]
    active = activity(fn, params, [fn.results[k] for k in among or seeds])
    pass_ = _Reverse(active, taps, perhaps_left_out(fn, callee_tests_nan), among is not None)
    pass_.cts.update((fn.params[k], buffer) for k, buffer in (buffers or {}).items())
    b = current()
    b.learn(fn, (*seeds.values(), *(buffers or {}).values()))
    start = len(b.eqns)
    for k, seed in seeds.items():
        pass_.add(fn.results[k], seed)
    pass_.block(fn.eqns)
    b.module = b.loc = None
    cotangents = [materialize(pass_.cts.get(p), p) for p in params]
    b.eqns[start:] = taps.replace_list_lengths(live_eqns(b.eqns[start:], cotangents))
    return cotangents


class _Reverse:
    """Adds the transposes of equations to the current block.

    cts          the cotangents accumulated so far
    lines        for a value: the source lines of the contributions to its cotangent
    around       the block that is being transposed; `branch`: if that is a branch; `where`: what is true in it
    known_values what an attempt gives, as the branch reads it in which it has not raised
    same_active  several sweeps share the taps, so that calls must use the same records in each
    """

    def __init__(self, active: Activity, taps: ResidualTaps, left_out: set[Value], same_active: bool) -> None:
        self.active, self.taps, self.perhaps_left_out, self.same_active = active, taps, left_out, same_active
        self.rules = {"loop": self.loop, "cond": self.cond, "call": self.call, "pack": self.pack, "unpack": self.unpack,
                      "attempt": self.attempt, "integral": self.solution, "ruled": self.ruled,
                      "solution": self.solution}
        self.cts: dict[Value, Operand] = {}
        self.masks = Masks()
        self.lines: dict[Value, set[tuple[str, int]]] = {}
        self.around = TransposedBlock((), active)
        self.branch: Fn | None = None
        self.where: Operand | None = None
        self.known_values: dict[tuple[Operand, Fn | None], Value] = {}

    def block(self, eqns: Sequence[Eqn]) -> None:
        current().nonzero.update(v for eqn in eqns for v in known_nonzero(eqn))
        around, self.around = self.around, TransposedBlock(eqns, self.active)
        for eqn in reversed(eqns):
            if any(out in self.cts for out in eqn.outs):
                b = current()
                b.loc, b.module = self.origin(eqn), module_of(eqn.spelling)
                with refusing_type_mismatch(eqn):
                    self.rules.get(eqn.op.name, self.plain)(eqn)
        self.around = around

    def origin(self, eqn: Eqn) -> Loc | None:
        """The source location of the equation; if equal equations were merged, the one all of its cotangent comes from.

        A read of an element is located where it is first read.
        """
        if eqn.op is index:
            return eqn.loc
        lines = {line for out in eqn.outs for line in self.lines.get(out, ())}
        return next((loc for loc in eqn.merged_locs if lines == {(loc.file, loc.line)}), eqn.loc)

    def add(self, x: Operand, ct: Operand) -> None:
        """One more contribution to the cotangent of `x`."""
        if isinstance(x, Value) and x in self.active:
            if (loc := current().loc) is not None:
                self.lines.setdefault(x, set()).add((loc.file, loc.line))
            if isinstance(ct.type, Optional) and not isinstance(x.type, (Optional, Undef, Residuals)):
                ct = or_zeros(ct, x)
            ct = real_part(ct, x, self.masks)
            total = self.masks.sum(self.cts.get(x), ct)
            set_hint(total, d_hint(x))
            self.cts[x] = total

    # -- plain ops --------------------------------------------------------------------

    def plain(self, eqn: Eqn) -> None:
        cts = [self.cts.pop(out, None) for out in eqn.outs]
        if eqn.op is index:
            self.index(eqn, cast(Operand, cts[0]))
            return
        eqns = current().eqns
        start = len(eqns)
        sparse = eqn.outs[0] in self.perhaps_left_out and cts[0] is not None and self.masks.is_sparse(cts[0])
        if sparse:
            self.masks.leave_out_nan(cast(Operand, cts[0]), eqn.outs[0])
        contributions = self.rule(eqn, cts)
        self.masks.record(eqns[start:])
        for k, (x, ct) in enumerate(zip(eqn.args, contributions)):
            if ct is not None and x in self.active and differentiable(eqn, k):
                if isinstance(ct, TypeMismatch):
                    raise ct
                if eqn.op in (add_at, store) and not eqn.primal:
                    ct = copy_static_shape(ct, x, eqns[start:])  # in adjoint code a part and its update have one size
                ct = copy_static_shape(match_type(ct, x, self.masks), x, eqns[start:])
                if sparse:
                    self.masks.keep_sparse(ct, eqn)
                self.add(x, ct)

    def attempt(self, eqn: Eqn) -> None:
        """The transpose of what it runs, where it has not raised: there stands what reads alone what it gives."""
        if self.where is eqn.outs[0]:
            self.attempt_that_succeeded(eqn)
            return
        inner = attempted(eqn)
        inner_cts = {out: self.cts.pop(out) for out in inner.outs if out in self.cts}
        reads = list(dict.fromkeys(x for k, x in enumerate(inner.args)
                                   if isinstance(x, Value) and x in self.active and differentiable(inner, k)))
        before, self.cts = self.cts, inner_cts
        with current().nested() as then, self.masks.region():
            self.attempt_that_succeeded(eqn)
            contributions = [materialize(self.cts.get(x), x) for x in reads]
        with current().nested() as orelse:
            zeros = [zero(x) for x in reads]
        self.cts = before
        cts = conditional(eqn.outs[0], then.finish("then", [], contributions), orelse.finish("orelse", [], zeros),
                          [d_hint(x) for x in reads]) if reads else ()
        for x, ct in zip(reads, cts):
            self.add(x, ct)

    def attempt_that_succeeded(self, eqn: Eqn) -> None:
        inner = attempted(eqn)
        current().module = module_of(inner.spelling)
        outs = [self.known_values.get((out, self.branch)) or cast(Value, unwrap_known(out)) for out in inner.outs]
        self.cts.update((new, self.cts.pop(out)) for new, out in zip(outs, inner.outs) if out in self.cts)
        self.plain(inner.replace(outs=tuple(outs)))

    def rule(self, eqn: Eqn, cts: Sequence[Operand | None]) -> Sequence[Operand | TypeMismatch | None]:
        """The contributions to the cotangents of the operands, or why there is none."""
        op, several = eqn.op, len(eqn.outs) > 1
        args, outs = with_real_ints_as_floats(eqn)
        y: Any = outs if several else outs[0]
        ct: Any = cts if several else cts[0]
        if op.partials is not None:
            return [p if p is None or isinstance(p, TypeMismatch) else self.masks.multiply(ct, operand(p))
                    for p in op.partials(y, *args, **eqn.attrs)]

        def rule(g: Any) -> Sequence[Operand | None]:
            if op.linear is not None:
                return op.linear(g, *args, **eqn.attrs)
            assert op.vjp is not None, f"{op} has no derivative, so its outs have no cotangents"
            return op.vjp(g, y, *args, **eqn.attrs)

        if several:
            return rule(ct)
        return self.masked(op, ct, rule) if op in ELEMENTWISE else self.without_nan(eqn, ct, args, rule)

    def without_nan(self, eqn: Eqn, ct: Operand, args: Sequence[Operand],
                    rule: Callable[[Operand], Sequence[Operand | None]]) -> Sequence[Operand | None]:
        """The rule of another op; if `ct` is masked where a number is nan, these elements contribute exactly 0."""
        nan_mask = self.masks.of_nan(ct)
        masked = None if nan_mask is None else transposed_under_mask(eqn, *nan_mask, ct, args, rule)
        for contribution, mask in masked or ():
            if mask is not None:
                self.masks.keep(contribution, mask)
        return rule(ct) if masked is None else [contribution for contribution, _ in masked]

    def masked(self, op: Op, ct: Operand,
               rule: Callable[[Operand], Sequence[Operand | None]]) -> Sequence[Operand | None]:
        """The rule of an elementwise op, applied under the mask of `ct`."""
        contributions = rule(self.masks.unmasked(ct))
        return [g and self.masks.map_unmasked(ct, partial(_constant, g), op.linear is not None) for g in contributions]

    def index(self, eqn: Eqn, ct: Operand) -> None:
        """The adjoint of a read is `dx[key] += ct`, into the one buffer `dx`."""
        x, *key = eqn.args
        if not isinstance(x, Value) or x not in self.active:
            return
        if isinstance(x.type, List):
            self.cts[x] = add_to_list(materialize(self.cts.get(x), x), materialize(ct, eqn.out), key, eqn.attrs["key"])
            set_hint(self.cts[x], d_hint(x))
        elif isinstance(x.type, Seq):
            self.cts[x] = add_element(materialize(self.cts.get(x), x), key[0], lambda e: self.masks.sum(e, ct), if_else)
        elif is_mask(x, key, eqn.attrs["key"]):
            part = add_at(materialize(None, x), materialize(ct, eqn.out), *key, **eqn.attrs)
            self.cts[x] = self.masks.sum(self.cts.get(x), self.masks.mask(key[0], part))
            set_hint(self.cts[x], d_hint(x))
        else:
            before = self.cts.get(x)
            buffer = materialize(before, x)
            element = isinstance(eqn.out.type, Tensor) and eqn.out.type.is_scalar
            self.cts[x] = add_at(buffer, ct if element else materialize(ct, eqn.out), *key, **eqn.attrs)
            if before is None and not element:
                of_read = self.masks.of_nan(ct)
                kept = kept_elements(x, of_read and of_read[0], key, eqn.attrs["key"])
                if kept is not None:
                    self.masks.keep(self.cts[x], kept)
            set_hint(self.cts[x], d_hint(x))

    # -- calls ------------------------------------------------------------------------

    def call(self, eqn: Eqn) -> None:
        """The transpose of a call is a call of the backward part of the function."""
        recomputed = bool(eqn.attrs.get("recomputed"))
        seeded = self.active if self.same_active and not recomputed else self.cts  # all sweeps read one record
        cts = {j: materialize(self.cts.pop(out, None), out) for j, out in enumerate(eqn.outs) if out in seeded}
        wrt = tuple(k for k, x in enumerate(eqn.args) if x in self.active and differentiable(eqn, k))
        parts = derivatives_var.get().parts(eqn.attrs["callee"], wrt, tuple(cts), recomputed)
        record = () if recomputed else (self.taps.record_of(eqn, parts.forward, Residuals(parts.of)),)
        buffers = {k: materialize(self.cts.pop(cast(Value, eqn.args[k]), None), eqn.args[k]) for k in parts.buffers}
        first, types = len(eqn.args) + len(record), [cotangent_type(eqn.args[k].type) for k in parts.wrt]
        types = [t if k not in parts.optional or isinstance(t, Optional) else Optional(t)
                 for k, t in zip(parts.wrt, types)]
        outs = current().emit(call, (*eqn.args, *record, *cts.values(), *buffers.values()), {
            "callee": parts.backward, "types": tuple(types),
            "donates": tuple((first + j, k) for j, k in parts.donates), "recomputed": recomputed})
        summands = [(eqn.args[k], ct) for k, ct in zip(parts.wrt, outs) if k in wrt]
        for x, ct in summands if len(summands) > 1 else ():
            set_hint(ct, d_hint(cast(Value, x)))
        for x, ct in summands:
            self.add(x, ct)
            set_hint(ct, d_hint(cast(Value, x)))

    def solution(self, eqn: Eqn) -> None:
        ct = self.cts.pop(eqn.out)
        wrt = [x for x in dict.fromkeys(eqn.args[1:]) if isinstance(x, Value) and x in self.active]
        for x, contribution in zip(wrt, derivatives_var.get().solution_cotangents(eqn, ct, wrt)):
            self.add(x, contribution)

    def ruled(self, eqn: Eqn) -> None:
        cts = [self.cts.pop(out, None) for out in eqn.outs]
        wrt = [k for k, x in enumerate(eqn.args) if k >= len(cts) and x in self.active]
        for k, contribution in derivatives_var.get().ruled_cotangents(eqn, cts, wrt).items():
            self.add(eqn.args[k], match_type(contribution, eqn.args[k], self.masks))

    def pack(self, eqn: Eqn) -> None:
        cts = unpack_cotangents(self.cts.pop(eqn.out), eqn.args)
        for k, (x, ct) in enumerate(zip(eqn.args, cts)):
            if differentiable(eqn, k):
                self.add(x, ct)

    def unpack(self, eqn: Eqn) -> None:
        (record,) = eqn.args
        of = cast(Residuals, record.type).of
        self.add(record, pack_cotangents(eqn.outs, [self.cts.pop(out, None) for out in eqn.outs], of))

    # -- control ----------------------------------------------------------------------

    def cond(self, eqn: Eqn) -> None:
        cts = {k: self.cts.pop(out) for k, out in enumerate(eqn.outs) if out in self.cts}
        branches = [branch for branch in eqn.regions if not always_raises(branch)]
        private = [self.around.exclusive_to(eqn, branch, branches, self.cts) for branch in branches]
        reads = list(dict.fromkeys(v for branch, eqns in zip(branches, private) for v in self.reads_of(branch, eqns)))
        elements = self.elements_of_one_branch(eqn, branches, reads)
        reads = list(dict.fromkeys(cast(Value, elements[v].args[0]) if v in elements else v for v in reads))
        element_cts_before = {v: self.cts.pop(v) for v in elements if v in self.cts}
        cts_before = {v: self.cts.pop(v) for v in reads if v in self.cts}
        blocks, branch_cts = [], []
        for branch, eqns in zip(branches, private):
            self.cts.update(cts_before)
            outer, self.branch = self.branch, branch
            around, self.where = self.where, eqn.args[0] if branch is eqn.regions[0] else None
            self.known_values.update(((e.args[0], branch), e.out) for e in branch.eqns if e.op is unwrap)
            with current().nested() as b, self.masks.region():
                for k, ct in cts.items():
                    self.add(branch.results[k], ct)
                self.block((*eqns, *branch.eqns))
                for v in [v for v in elements if v in self.cts]:
                    self.index(elements[v], self.cts.pop(v))
            self.branch, self.where = outer, around
            blocks.append(b)
            branch_cts.append({v: self.cts.pop(v) for v in reads if v in self.cts})
        self.cts.update({**cts_before, **element_cts_before})
        changed = [v for v in reads if any(m.get(v) is not cts_before.get(v) for m in branch_cts)]
        fns = []
        for branch, b, m in zip(branches, blocks, branch_cts):
            with b:
                results = [materialize(m.get(v), v) for v in changed]
            fns.append(self.taps.mirrored_branch(eqn, branch, b, results))
        if len(fns) == 1:
            current().eqns += fns[0].eqns
            self.cts.update(zip(changed, fns[0].results))
        elif changed:
            hints, mirrors = [d_hint(v) for v in changed], self.taps.mirrors_of(eqn)
            self.cts.update(zip(changed, conditional(eqn.args[0], fns[0], fns[1], hints, mirrors=mirrors)))

    def reads_of(self, branch: Fn, eqns: Sequence[Eqn]) -> list[Value]:
        """The active values outside to whose cotangents `branch`, or `eqns` transposed with it, contribute."""
        bound = {out for eqn in eqns for out in eqn.outs}
        reads = [*self.active.reads[branch]]
        for eqn in reversed(eqns):
            reads += read_by(eqn, self.active)
            if eqn.op.name == "cond":  # it may add to the cotangents of elements
                elements = [self.taps.element_read(v, eqn) for v in reads]
                reads += [cast(Value, element.args[0]) for element in elements if element is not None]
        return [v for v in dict.fromkeys(reads) if v not in bound]

    def elements_of_one_branch(self, eqn: Eqn, branches: Sequence[Fn], reads: Sequence[Value]) -> dict[Value, Eqn]:
        """Elements `x[i]` that only one branch reads: their adjoint `dx[i] += ct` stands in that branch."""
        return {v: read for v in reads if (read := self.taps.element_read(v, eqn)) is not None
                and read.args[0] in self.cts and sum(v in self.active.reads[b] for b in branches) == 1}

    def loop(self, eqn: Eqn) -> None:
        loop, cts, active = loop_view(eqn), self.cts, self.active
        carried = [k for k, p in enumerate(loop.params) if p in active or loop.finals[k] in active]
        reads = active.reads[loop.body]
        listed = list(dict.fromkeys(s for s, e in zip(loop.xs, loop.elems) if isinstance(s, Value) and e in active))
        yielded = {j: cts.pop(y) for j, y in enumerate(loop.ys) if y in cts}
        inits = [materialize(cts.pop(loop.finals[k], None), loop.finals[k]) for k in carried]
        unread = {v for v in reads if v not in cts}
        inits += [materialize(cts.pop(v, None), v) for v in reads]
        whole = self.taps.reads_all(loop)
        sums = {s: cts.pop(s) for s in listed if s in cts and whole}
        assigned = {} if eqn.attrs.get("recomputed") else {
            n: r for n, k in enumerate(carried) if is_assigned_array(r := loop.results[k], loop.params[k], inits[n])}
        types = [*(type_after_iteration(loop.params[k].type, loop.results[k].type) for k in carried),
                 *(v.type for v in reads)]
        types[:len(carried)] = [assigned[n].type if n in assigned else t for n, t in enumerate(types[:len(carried)])]
        carries = [Value(cotangent_type(t), d_hint(v))
                   for t, v in zip(types, (*(loop.params[k] for k in carried), *reads))]
        elems = {s: Value(cast(Seq, s.type).elem) for s in (*yielded.values(), *sums.values())}
        position = Value(INT, loop.index.hint if loop.index else None, loop.index.dim if loop.index else None)
        transposed = self.recomputed_body if eqn.attrs.get("recomputed") else self.transposed_body
        with current().nested((*carries, *elems.values())) as b, self.masks.region():
            self.masks.enter_items(elems)
            results, element_cts = transposed(
                loop, dict(zip(carried, carries)), dict(zip(reads, carries[len(carried):])),
                {j: elems[s] for j, s in yielded.items()}, {s: elems[sums[s]] if s in sums else None for s in listed})
            for n, result in assigned.items():
                results[n] = before_assignment(results[n], result)
            masks = list(map(self.masks.all_of, element_cts))
        changed = [k for k, r in enumerate(results) if r is not carries[k]]
        finals: list[Operand] = [*inits]
        block = Fn(loop.body.name, (position, *(carries[k] for k in changed), *elems.values()),
                   self.taps.drop_shape_dependences(live_eqns(b.eqns, [*results, *element_cts])),
                   (Lit(True), *(results[k] for k in changed), *element_cts))
        block = rebuild(block, {carries[k]: inits[k] for k in range(len(inits)) if k not in changed})
        inside = {*bound_values(loop.body), *bound_values(block)}
        block, tapes = self.taps.mirrored_body(loop, block)
        outs, ys = emit_loop(current(), positions(loop), not eqn.attrs["reverse"], [inits[k] for k in changed],
                             [*elems, *tapes], block, mirrors=self.taps.mirrors_of(eqn),
                             recomputed=bool(eqn.attrs.get("recomputed")))
        for j, k in enumerate(changed):
            finals[k] = outs[j]
            if k >= len(carried):
                init = None if reads[k - len(carried)] in unread else inits[k]
                self.masks.carry_out_of_loop(results[k], outs[j], init, lambda c: c not in inside)
        cts.update(zip(reads, finals[len(carried):]))
        for s, y, of_items in zip(listed, ys, masks):
            items = y if whole else padded(y, s, zero, if_else)
            self.masks.leave_items(items, of_items, lambda c: c not in inside)
            cts[s] = self.masks.sum(cts.get(s), items)
        for k, total in zip(carried, finals):
            self.add(loop.inits[k], total)

    def transposed_body(self, loop: LoopView, carried: Mapping[int, Value], reads: Mapping[Value, Value],
                        yielded: Mapping[int, Value], listed: Mapping[Value, Value | None]
                        ) -> tuple[list[Operand], list[Operand]]:
        """Add the transpose of the body; (the cotangents of its carries and of what it reads, those of elements).

        carried, reads  by carry or value: the cotangent at the end of the iteration
        yielded         by position: the cotangent of the yield
        listed          for a sequence: the cotangent of its element so far
        """
        cts = self.cts
        cts.update(reads)
        for carry in reads.values():
            self.masks.track_sums(carry)
        for k, ct in carried.items():
            self.add(loop.results[k], ct)
        for j, ct in yielded.items():
            self.add(loop.yields[j], ct)
        self.block(loop.body.eqns)
        b = current()
        b.module = b.loc = None
        params = {loop.params[k]: ct for k, ct in carried.items()}
        results = [materialize(
            cts.pop(p, None), p if isinstance(p.type, List) or cotangent_type(p.type) != ct.type else ct)
            for p, ct in params.items()]
        results += [materialize(cts.pop(v), v) for v in reads]
        return results, [self.element_cotangent(loop, s, before) for s, before in listed.items()]

    def recomputed_body(self, loop: LoopView, carried: Mapping[int, Value], reads: Mapping[Value, Value],
                        yielded: Mapping[int, Value], listed: Mapping[Value, Value | None]
                        ) -> tuple[list[Operand], list[Operand]]:
        """The same for a loop that is recomputed: the block evaluates the body again, with tapes of its own."""
        body, n = loop.body, len(loop.params)
        first = len(body.params) - len(loop.elems) - n
        whole = rebuild(without_raises(body.replace(params=(*body.params, *reads))), fresh=True)
        seeds = {1 + k: ct for k, ct in carried.items()} | {1 + n + j: ct for j, ct in yielded.items()}
        elems = [[first + n + j for j, x in enumerate(loop.xs) if x is s] for s in listed]
        buffers = {len(body.params) + j: ct for j, ct in enumerate(reads.values())}
        buffers |= {at[0]: ct for at, ct in zip(elems, listed.values()) if ct is not None}
        wrt = [*(first + k for k in carried), *range(len(body.params), len(whole.params))]
        wrt += [k for at in elems for k in at]
        transpose = reverse(whole, wrt, seeds, rewrite=current().rewrite, buffers=buffers)
        block = rebuild(Fn("", whole.params, (*transpose.forward, *transpose.backward), transpose.cotangents),
                        dict(zip(whole.params, (*body.params, *reads))))
        for eqn in block.eqns:
            current().add(eqn)
        cts = dict(zip(wrt, block.results))
        results = [cts[k] for k in wrt[:len(carried) + len(reads)]]
        return results, [reduce(self.masks.sum, [cts[k] for k in at]) for at in elems]

    def element_cotangent(self, loop: LoopView, seq: Value, before: Operand | None) -> Operand:
        """The cotangent of the element of `seq`, to which several params of the body may be bound."""
        for s, e in zip(loop.xs, loop.elems):
            if s is seq and e in self.cts:
                before = self.masks.sum(before, self.cts.pop(e))
        return materialize(before, loop.elems[loop.xs.index(seq)])


def _constant(x: Operand, _: Operand) -> Operand:
    return x
