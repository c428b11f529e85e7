"""Reverse mode: the transpose of a region, and the tapes that it reads.

    y = f(x), seed dy  ->  forward: f with taps;  backward: dx of dy and forward values

The backward block walks the equations in reverse.  A loop becomes the loop over the
same range in the other direction, a `cond` the `cond` on the same condition; their
bodies are written as if every forward value were in scope, then what the mirrored
forward region binds is taped.  Cotangents of outer values that a body reads are its
carries, so that every gradient is one buffer through nested loops and branches.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from heapq import heapify, heappop, heappush
from typing import Any, cast

from sct.ir.build import Builder, Rewrite, module_of, operand
from sct.ir.check import raises
from sct.ir.core import Eqn, Fn, Lit, Loc, Operand, Value, bound_values, rebuild, walk
from sct.ir.types import INT, List, Optional, Residuals, Seq, Tensor, Undef, join
from sct.ops.arrays.indexing import add_at, index, is_mask, store
from sct.ops.program.call_ops import call
from sct.ops.program.list_ops import add_lists
from sct.ops.registry import ELEMENTWISE
from sct.passes.analysis.activity import Activity, activity, differentiable
from sct.passes.analysis.loop_layout import Loop, emit_loop, parts, positions
from sct.passes.autodiff.cotangents import (
    Masks,
    as_floats,
    branch,
    choice,
    ct_type,
    current,
    divisors,
    explained,
    fit,
    full,
    given,
    hint,
    packed,
    sized,
    unpacked,
    zero,
)
from sct.passes.autodiff.derivative_lookup import callees_var
from sct.passes.autodiff.residuals import Tape, needed
from sct.passes.autodiff.sequence_cotangents import add_element, padded

__all__ = ["Reversed", "pulled", "reverse"]


@dataclass(frozen=True)
class Reversed:
    """forward     the equations of the function, with taps
    backward    the equations of its transpose, which read those of `forward` and the seeds
    cotangents  of the params asked for
    """

    forward: tuple[Eqn, ...]
    backward: tuple[Eqn, ...]
    cotangents: tuple[Operand, ...]


def reverse(fn: Fn, wrt: Sequence[int], seeds: Mapping[int, Operand], *, rewrite: Rewrite | None = None,
            buffers: Mapping[int, Operand] | None = None) -> Reversed:
    """Transpose `fn` by the params at `wrt`, given the cotangents of some of its results.

    buffers  of some params: to what their cotangents are added
    """
    tape = Tape(fn)
    with Builder(primal=False, rewrite=rewrite) as b:
        cotangents = pulled(fn, wrt, seeds, tape, buffers)
    return Reversed(tape.taped(fn.eqns), tuple(b.eqns), tuple(cotangents))


def pulled(fn: Fn, wrt: Sequence[int], seeds: Mapping[int, Operand], tape: Tape,
           buffers: Mapping[int, Operand] | None = None, among: Sequence[int] | None = None) -> list[Operand]:
    """The cotangents of some params of `fn`, given those of some of its results: added to the current block,
    which reads the values of `fn` by way of `tape`.

    among  the results whose cotangents are given in one sweep or another that reads `tape`
    """
    params = [fn.params[k] for k in wrt]
    pass_ = _Reverse(activity(fn, params, [fn.results[k] for k in among or seeds]), tape, among is not None)
    pass_.cts.update((fn.params[k], buffer) for k, buffer in (buffers or {}).items())
    b = current()
    b.defs.update((out, eqn) for eqn in walk(fn) for out in eqn.outs)
    start = len(b.eqns)
    for k, seed in seeds.items():
        pass_.add(fn.results[k], seed)
    pass_.block(fn.eqns)
    b.module = b.loc = None
    made = [full(pass_.cts.get(p), p) for p in params]
    b.eqns[start:] = tape.counted(needed(b.eqns[start:], made))
    return made


class _Reverse:
    def __init__(self, active: Activity, tape: Tape, alike: bool) -> None:
        self.active, self.tape, self.alike = active, tape, alike
        self.rules = {"loop": self.loop, "cond": self.cond, "call": self.call, "pack": self.pack, "unpack": self.unpack}
        self.cts: dict[Value, Operand] = {}
        self.masks = Masks()
        self.lines: dict[Value, set[tuple[str, int]]] = {}
        self.around = _Block((), active)

    def block(self, eqns: Sequence[Eqn]) -> None:
        current().nonzero.update(v for eqn in eqns for v in divisors(eqn))
        around, self.around = self.around, _Block(eqns, self.active)
        for eqn in reversed(eqns):
            if any(out in self.cts for out in eqn.outs):
                b = current()
                b.loc, b.module = self.origin(eqn), module_of(eqn.spelling)
                with explained(eqn):
                    self.rules.get(eqn.op.name, self.plain)(eqn)
        self.around = around

    def origin(self, eqn: Eqn) -> Loc | None:
        """Where the user wrote the equation: of several places, on the line that all of its cotangent comes from.
        A part that is read is of the line that first reads it."""
        if eqn.op is index:
            return eqn.loc
        lines = {line for out in eqn.outs for line in self.lines.get(out, ())}
        return next((loc for loc in eqn.also if lines == {(loc.file, loc.line)}), eqn.loc)

    def add(self, x: Operand, ct: Operand) -> None:
        """One more contribution to the cotangent of `x`."""
        if isinstance(x, Value) and x in self.active:
            if (loc := current().loc) is not None:
                self.lines.setdefault(x, set()).add((loc.file, loc.line))
            if isinstance(ct.type, Optional) and not isinstance(x.type, (Optional, Undef, Residuals)):
                ct = given(ct, x)
            total = self.masks.sum(self.cts.get(x), ct)
            _name(total, hint(x))
            self.cts[x] = total

    # -- plain ops --------------------------------------------------------------------

    def plain(self, eqn: Eqn) -> None:
        cts = [self.cts.pop(out, None) for out in eqn.outs]
        if eqn.op is index:
            self.index(eqn, cast(Operand, cts[0]))
            return
        eqns = current().eqns
        start = len(eqns)
        made = self.rule(eqn, cts)
        self.masks.learn(eqns[start:])
        for k, (x, ct) in enumerate(zip(eqn.args, made)):
            if ct is not None and x in self.active and differentiable(eqn, k):
                if eqn.op in (add_at, store) and not eqn.primal:
                    ct = sized(ct, x, eqns[start:])  # what differentiation writes into a part is as large as the part
                self.add(x, sized(fit(ct, x, self.masks), x, eqns[start:]))

    def rule(self, eqn: Eqn, cts: Sequence[Operand | None]) -> Sequence[Operand | None]:
        """The contributions to the cotangents of the operands."""
        op, several = eqn.op, len(eqn.outs) > 1
        args, outs = as_floats(eqn)
        y: Any = outs if several else outs[0]
        ct: Any = cts if several else cts[0]
        if op.partials is not None:
            return [None if p is None else self.masks.scale(ct, operand(p))
                    for p in op.partials(y, *args, **eqn.attrs)]

        def rule(g: Any) -> Sequence[Operand | None]:
            if op.linear is not None:
                return op.linear(g, *args, **eqn.attrs)
            return op.vjp(g, y, *args, **eqn.attrs) if op.vjp is not None else []

        return self.masked(ct, rule) if op in ELEMENTWISE and not several else rule(ct)

    def masked(self, ct: Operand, rule: Callable[[Operand], Sequence[Operand | None]]) -> Sequence[Operand | None]:
        """The rule of an op that works on each element, under the mask of `ct`."""
        made = rule(self.masks.unmasked(ct))
        return [None if g is None else self.masks.under(ct, partial(_always, g)) for g in made]

    def index(self, eqn: Eqn, ct: Operand) -> None:
        """The adjoint of a read is `dx[key] += ct`, into the one buffer `dx`."""
        x, *key = eqn.args
        if not isinstance(x, Value) or x not in self.active:
            return
        if isinstance(x.type, List):
            self.cts[x] = _added(full(self.cts.get(x), x), full(ct, eqn.out), key, eqn.attrs["key"])
            _name(self.cts[x], hint(x))
        elif isinstance(x.type, Seq):
            self.cts[x] = add_element(full(self.cts.get(x), x), key[0], lambda e: self.masks.sum(e, ct), choice)
        elif is_mask(x, key, eqn.attrs["key"]):
            part = add_at(full(None, x), full(ct, eqn.out), *key, **eqn.attrs)
            self.cts[x] = self.masks.sum(self.cts.get(x), self.masks.select(key[0], part))
            _name(self.cts[x], hint(x))
        else:
            buffer = full(self.cts.get(x), x)
            element = isinstance(eqn.out.type, Tensor) and eqn.out.type.is_scalar
            self.cts[x] = add_at(buffer, ct if element else full(ct, eqn.out), *key, **eqn.attrs)
            _name(self.cts[x], hint(x))

    # -- calls ------------------------------------------------------------------------

    def call(self, eqn: Eqn) -> None:
        """The adjoint of a call is a call of the function's backward part."""
        seeded = self.active if self.alike else self.cts  # in each sweep the same record
        cts = {j: full(self.cts.pop(out, None), out) for j, out in enumerate(eqn.outs) if out in seeded}
        wrt = tuple(k for k, x in enumerate(eqn.args) if x in self.active and differentiable(eqn, k))
        parts = callees_var.get().parts(eqn.attrs["callee"], wrt, tuple(cts))
        record = self.tape.called(eqn, parts.forward, Residuals(parts.of))
        given = {k: full(self.cts.pop(cast(Value, eqn.args[k]), None), eqn.args[k]) for k in parts.buffers}
        first = len(eqn.args) + 1
        outs = current().emit(call, (*eqn.args, record, *cts.values(), *given.values()), {
            "callee": parts.backward, "types": tuple(ct_type(eqn.args[k].type) for k in parts.wrt),
            "takes": tuple((first + j, k) for j, k in parts.takes)})
        found = [(eqn.args[k], ct) for k, ct in zip(parts.wrt, outs) if k in wrt]
        for x, ct in found if len(found) > 1 else ():
            _name(ct, hint(cast(Value, x)))
        for x, ct in found:
            self.add(x, ct)
            _name(ct, hint(cast(Value, x)))

    def pack(self, eqn: Eqn) -> None:
        cts = unpacked(self.cts.pop(eqn.out), eqn.args)
        for k, (x, ct) in enumerate(zip(eqn.args, cts)):
            if differentiable(eqn, k):
                self.add(x, ct)

    def unpack(self, eqn: Eqn) -> None:
        (record,) = eqn.args
        of = cast(Residuals, record.type).of
        self.add(record, packed(eqn.outs, [self.cts.pop(out, None) for out in eqn.outs], of))

    # -- control ----------------------------------------------------------------------

    def cond(self, eqn: Eqn) -> None:
        cts = {k: self.cts.pop(out) for k, out in enumerate(eqn.outs) if out in self.cts}
        arms = [arm for arm in eqn.regions if not raises(arm)]
        own = [self.around.only_for(eqn, arm, arms, self.cts) for arm in arms]
        reads = list(dict.fromkeys(v for arm, eqns in zip(arms, own) for v in self.reads_of(arm, eqns)))
        elements = self.elements(eqn, arms, reads)
        reads = list(dict.fromkeys(cast(Value, elements[v].args[0]) if v in elements else v for v in reads))
        outside = {v: self.cts.pop(v) for v in elements if v in self.cts}
        before = {v: self.cts.pop(v) for v in reads if v in self.cts}
        blocks, made = [], []
        for arm, eqns in zip(arms, own):
            self.cts.update(before)
            with current().nested() as b:
                for k, ct in cts.items():
                    self.add(arm.results[k], ct)
                self.block((*eqns, *arm.eqns))
                for v in [v for v in elements if v in self.cts]:
                    self.index(elements[v], self.cts.pop(v))
            blocks.append(b)
            made.append({v: self.cts.pop(v) for v in reads if v in self.cts})
        self.cts.update({**before, **outside})
        changed = [v for v in reads if any(m.get(v) is not before.get(v) for m in made)]
        fns = []
        for arm, b, m in zip(arms, blocks, made):
            with b:
                results = [full(m.get(v), v) for v in changed]
            fns.append(self.tape.arm(eqn, arm, b, results))
        if len(fns) == 1:
            current().eqns += fns[0].eqns
            self.cts.update(zip(changed, fns[0].results))
        elif changed:
            self.cts.update(zip(changed, branch(eqn.args[0], fns[0], fns[1], hints=[hint(v) for v in changed])))

    def reads_of(self, arm: Fn, eqns: Sequence[Eqn]) -> list[Value]:
        """The active values outside that an arm contributes to, and equations that are transposed in it."""
        bound = {out for eqn in eqns for out in eqn.outs}
        reads = [*self.active.reads[arm]]
        for eqn in reversed(eqns):
            reads += read_by(eqn, self.active)
            if eqn.op.name == "cond":  # it may add to elements where they are
                elements = [self.tape.element(v, eqn) for v in reads]
                reads += [cast(Value, element.args[0]) for element in elements if element is not None]
        return [v for v in dict.fromkeys(reads) if v not in bound]

    def elements(self, eqn: Eqn, arms: Sequence[Fn], reads: Sequence[Value]) -> dict[Value, Eqn]:
        """Elements `x[i]` that one arm alone uses: their adjoint `dx[i] += ct` is done in that arm."""
        found = {}
        for v in reads:
            made = self.tape.element(v, eqn)
            if made is not None and made.args[0] in self.cts and sum(v in self.active.reads[arm] for arm in arms) == 1:
                found[v] = made
        return found

    def loop(self, eqn: Eqn) -> None:
        loop, cts, active = parts(eqn), self.cts, self.active
        carried = [k for k, p in enumerate(loop.params) if p in active or loop.finals[k] in active]
        reads = active.reads[loop.body]
        listed = list(dict.fromkeys(s for s, e in zip(loop.xs, loop.elems) if isinstance(s, Value) and e in active))
        yielded = {j: cts.pop(y) for j, y in enumerate(loop.ys) if y in cts}
        inits = [full(cts.pop(loop.finals[k], None), loop.finals[k]) for k in carried]
        unread = {v for v in reads if v not in cts}
        inits += [full(cts.pop(v, None), v) for v in reads]
        whole = self.tape.covers(loop)
        sums = {s: cts.pop(s) for s in listed if s in cts and whole}
        # Its size in one trip may be another than in the next.
        types = [*(join(loop.params[k].type, loop.results[k].type) for k in carried), *(v.type for v in reads)]
        carries = [Value(ct_type(t), hint(v)) for t, v in zip(types, (*(loop.params[k] for k in carried), *reads))]
        elems = {s: Value(cast(Seq, s.type).elem) for s in (*yielded.values(), *sums.values())}
        position = Value(INT, loop.index.hint if loop.index else None, loop.index.dim if loop.index else None)
        with current().nested() as b:
            cts.update(zip(reads, carries[len(carried):]))
            for carry in carries[len(carried):]:
                self.masks.sums(carry)
            for k, ct in zip(carried, carries):
                self.add(loop.results[k], ct)
            for j, s in yielded.items():
                self.add(loop.yields[j], elems[s])
            self.block(loop.body.eqns)
            b.module = b.loc = None
            results = [full(cts.pop(p, None), p if isinstance(p.type, List) or ct_type(p.type) != ct.type else ct)
                       for p, ct in zip((loop.params[k] for k in carried), carries)]
            results += [full(cts.pop(v), v) for v in reads]
            gathered = [self.gathered(loop, s, elems.get(sums[s]) if s in sums else None) for s in listed]
        changed = [k for k, r in enumerate(results) if r is not carries[k]]
        finals: list[Operand] = [*inits]
        block = Fn(loop.body.name, (position, *(carries[k] for k in changed), *elems.values()),
                   self.tape.relieve(needed(b.eqns, [*results, *gathered])),
                   (Lit(True), *(results[k] for k in changed), *gathered))
        block = rebuild(block, {carries[k]: inits[k] for k in range(len(inits)) if k not in changed})
        inside = {*bound_values(loop.body), *bound_values(block)}
        block, tapes = self.tape.body(loop, block)
        outs, ys = emit_loop(current(), positions(loop), not eqn.attrs["reverse"], [inits[k] for k in changed],
                             [*elems, *tapes], block)
        for j, k in enumerate(changed):
            finals[k] = outs[j]
            if k >= len(carried):
                zeros = reads[k - len(carried)] in unread
                self.masks.after(results[k], outs[j], None if zeros else inits[k], lambda c: c not in inside)
        cts.update(zip(reads, finals[len(carried):]))
        for s, y in zip(listed, ys):
            cts[s] = self.masks.sum(cts.get(s), y if whole else padded(y, s, zero, choice))
        for k, total in zip(carried, finals):
            self.add(loop.inits[k], total)

    def gathered(self, loop: Loop, seq: Value, before: Operand | None) -> Operand:
        """The cotangent of the element of `seq`, which the body may know by several names."""
        for s, e in zip(loop.xs, loop.elems):
            if s is seq and e in self.cts:
                before = self.masks.sum(before, self.cts.pop(e))
        return full(before, loop.elems[loop.xs.index(seq)])


class _Block:
    """The equations that are being transposed in one block.

    made     where each value is bound
    readers  the equations that contribute to the cotangent of each
    """

    def __init__(self, eqns: Sequence[Eqn], active: Activity) -> None:
        self.eqns, self.active = eqns, active
        self.made: dict[Value, int] = {}
        self.readers: dict[Value, list[int]] = {}
        self.place: dict[Eqn, int] = {}
        if any(eqn.op.name == "cond" for eqn in eqns):
            self.made.update((out, k) for k, eqn in enumerate(eqns) for out in eqn.outs)
            self.place.update((eqn, k) for k, eqn in enumerate(eqns))
            for k, eqn in enumerate(eqns):
                for v in read_by(eqn, active):
                    self.readers.setdefault(v, []).append(k)

    def only_for(self, cond: Eqn, arm: Fn, arms: Sequence[Fn], cts: Mapping[Value, Operand]) -> list[Eqn]:
        """The equations before `cond` on which the result depends by way of `arm` alone.

        They are transposed in that arm: where another is taken their cotangent is not 0.0, there is none, and
        a slope that is infinite does no harm:  r = sqrt(s); if r > 0: y = x / r
        """
        if len(arms) < 2:
            return []
        end = self.place[cond]
        others = {v for each in arms if each is not arm for v in self.active.reads[each]}
        todo = [-self.made[v] for v in self.active.reads[arm] if v in self.made]
        heapify(todo)
        moved: set[int] = set()
        while todo:
            k = -heappop(todo)
            eqn = self.eqns[k]
            outs = [out for out in eqn.outs if out in self.active]
            if k in moved or eqn.op is index and eqn.args[0] not in cts:
                continue
            if not any(out in cts or out in others or any(j < end and j not in moved for j in self.readers.get(out, ()))
                       for out in outs):
                moved.add(k)
                for v in read_by(eqn, self.active):
                    if v in self.made:
                        heappush(todo, -self.made[v])
        kept = set(moved)
        for k in sorted(moved):
            # An array of zeros in the other arm is worse than a linear equation of a zero behind the branch.
            if _is_tame(self.eqns[k]) and any(
                    isinstance(v.type, Tensor) and v.type.is_array and v not in cts and v not in others
                    and self.made.get(v) not in kept for v in read_by(self.eqns[k], self.active)):
                kept.remove(k)
        return [self.eqns[k] for k in sorted(kept)]


def _is_tame(eqn: Eqn) -> bool:
    """Is the contribution of a zero cotangent zero wherever the operands are finite?"""
    power = eqn.args[1] if eqn.op.name == "pow" else None
    return eqn.op.linear is not None or isinstance(power, Lit) and type(power.value) is int and power.value > 0


def read_by(eqn: Eqn, active: Activity) -> list[Value]:
    """The active values to whose cotangents the transpose of the equation contributes."""
    if not any(out in active for out in eqn.outs):
        return []
    operands = [x for k, x in enumerate(eqn.args) if x in active and (eqn.regions or differentiable(eqn, k))]
    inside = [v for region in eqn.regions for v in active.reads.get(region, ())]
    return list(dict.fromkeys([*cast(list[Value], operands), *inside]))


def _added(xs: Operand, ct: Operand, at: Sequence[Operand], key: tuple[str, ...]) -> Operand:
    """The list `xs` with `ct` added to its element, or to its slice."""
    if isinstance(ct.type, List):
        ct, write = cast(Operand, add_lists(index(xs, *at, key=key), ct)), store
    else:
        write = add_at
    return cast(Operand, write(xs, ct, *at, key=key))


def _always(x: Operand, _: Operand) -> Operand:
    return x


def _name(x: Operand, name: str | None) -> None:
    eqns = current().eqns
    if isinstance(x, Value) and x.hint is None and eqns and x in eqns[-1].outs:
        x.hint = name
