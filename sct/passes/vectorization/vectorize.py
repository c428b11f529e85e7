"""Replaces a loop whose iterations read and write parts of arrays of their own by operations on whole arrays:

    for k in range(n): dA[:, k] += B[k] * v      ->     dA += outer(v, B)
                       db += A[:, k] * c[k]             db += A @ c

No array is made that is larger than those which are read or written, so a loop over pairs stays.
"""

from __future__ import annotations

from dataclasses import replace
from typing import cast

from sct.ir.affine import Range, is_in_bounds, least_value, loop_range, term_of
from sct.ir.array_accesses import LoopAround
from sct.ir.build import Builder
from sct.ir.core import Eqn, Fn, Lit, Operand, Value, is_number, rebuild, substitute, walk
from sct.ir.loop_view import LoopView, loop_view
from sct.ir.types import Tensor, TypeMismatch
from sct.ir.uses import DefUse
from sct.ops.arrays.indexing import add_at, index, split
from sct.ops.arrays.shape import transpose
from sct.ops.linalg.products import matmul, outer
from sct.ops.reductions.reductions import sum_
from sct.ops.registry import may_raise
from sct.ops.scalar.arithmetic import add, div, mul, neg, sub
from sct.ops.type_rules import rank
from sct.passes.rematerialization.arrays_on_tapes import NewTape, with_tapes
from sct.passes.rewriting.driver import rewrite
from sct.passes.scalar.purity import is_pure
from sct.passes.vectorization.lifted_iterations import Iterations, NotLifted

__all__ = ["vectorize"]


def vectorize(fn: Fn) -> Fn:
    """`fn` with such loops of adjoint code replaced, inner loops first."""
    if not any(_may_be_lifted(eqn) for eqn in walk(fn)):
        return fn
    pass_ = _Vectorize(fn)
    return with_tapes(pass_.region(fn, Builder(primal=False, rewrite=rewrite)), pass_.tapes)


class _Vectorize:
    """
    env      for a value that a loop gave: the value that takes its place
    visible  the regions around the current equation
    around   the loops around it, outermost first
    tapes    the arrays that are kept in place of what the iterations of a loop read of them
    """

    def __init__(self, fn: Fn) -> None:
        self.def_use = DefUse(fn)
        self.env: dict[Value, Operand] = {}
        self.visible: list[Fn] = []
        self.around: list[LoopAround] = []
        self.tapes: list[NewTape] = []

    def region(self, fn: Fn, b: Builder) -> Fn:
        self.visible.append(fn)
        for eqn in fn.eqns:
            eqn = eqn.replace(args=substitute(eqn.args, self.env))
            if eqn.op.name == "loop":
                self.around.append(self.loop_around(eqn))
            eqn = eqn.replace(regions=tuple(self.region(r, b.nested()) for r in eqn.regions))
            if eqn.op.name == "loop":
                self.around.pop()
            if not (_may_be_lifted(eqn) and self.lift(loop_view(eqn), b)):
                b.add(self.without_zeros(eqn, b) if eqn.op.name == "loop" and not eqn.primal else eqn)
        self.visible.pop()
        return fn.replace(eqns=tuple(b.eqns), results=substitute(fn.results, self.env))

    def without_zeros(self, eqn: Eqn, b: Builder) -> Eqn:
        """The loop without the carries that are zeros before each iteration and in the end."""
        loop = loop_view(eqn)
        defs = {**b.defs, **{out: e for e in loop.body.eqns for out in e.outs}}
        zeros = {p: init for init, p, r in zip(loop.inits, loop.params, loop.results)
                 if init.type == r.type and all(x in defs and defs[x].op.fill == 0.0 for x in (init, r))}  # type: ignore[index]
        if not zeros:
            return eqn
        self.env.update((out, zeros[p]) for p, out in zip(loop.params, loop.finals) if p in zeros)
        body = rebuild(loop.body, zeros)
        results = [p if p in zeros else r for p, r in zip(loop.params, body.results[1:])]
        return eqn.replace(regions=(body.replace(results=(loop.go, *results, *body.results[1 + len(results):])),))

    def lift(self, loop: LoopView, b: Builder) -> bool:
        """Add what computes the finals of the loop without it, if that is possible."""
        reads_new = any(tape.backward in loop.eqn.outs for tape in self.tapes)
        if reads_new or self.def_use.uses(loop.iterations) or not self.counts_up_from_zero_or_more(loop):
            return False
        inside = b.nested()
        loop = self.with_idle_iteration(loop)
        certainly_runs = self.certainly_runs(loop)
        again = _Recomputed(self, loop)
        try:
            body = again.body() if loop.elems else loop.body
            with inside:
                around = (*self.around, self.loop_around(loop.eqn))
                finals = Iterations(
                    replace(loop, body=body), inside, around, self.def_use.defining_op, certainly_runs).finals()
        except (NotLifted, TypeMismatch):
            return False
        if not certainly_runs and any(map(self.may_fail, inside.eqns)):
            return False
        for eqn in inside.eqns:
            b.add(eqn)
        self.tapes += again.tapes
        self.env.update(zip(loop.finals, finals))
        return True

    def with_idle_iteration(self, loop: LoopView) -> LoopView:
        """`for k in range(n - 1)` as `for k in range(n)`, where its last iteration adds nothing: arrays are whole."""
        start, stop, step = loop.bounds
        eqn = self.def_use.defining_eqn(stop)
        if start != Lit(0) or loop.xs or eqn is None or eqn.op is not sub or eqn.args[1] != Lit(1) \
                or not _IdleIteration(loop, self.def_use).is_idle():
            return loop
        return loop_view(loop.eqn.replace(args=(start, eqn.args[0], step, *loop.inits)))

    def counts_up_from_zero_or_more(self, loop: LoopView) -> bool:
        """Is the number of iterations, and are all indices, at least 0?"""
        start, stop = (term_of(x, self.def_use.defining_op) for x in loop.bounds[:2])
        return start is not None and stop is not None and least_value(start, self.ranges) >= 0 \
            and least_value(stop - start, self.ranges) >= 0

    def certainly_runs(self, loop: LoopView) -> bool:
        start, stop = (term_of(x, self.def_use.defining_op) for x in loop.bounds[:2])
        return start is not None and stop is not None and least_value(stop - start, self.ranges) >= 1

    def may_fail(self, eqn: Eqn) -> bool:
        """May the equation raise, as one that a loop without iterations does not run?"""
        if eqn.op is not index and not eqn.op.updates or not isinstance(eqn.args[0].type, Tensor):
            return may_raise(eqn)
        items = split(eqn.attrs["key"], eqn.args[eqn.op.key_at:])
        if any(item is None or item is Ellipsis for item in items):
            return True
        return any(not isinstance(item, slice) and not is_in_bounds(
            term_of(item, self.def_use.defining_op), d, self.ranges) for item, d in zip(items, eqn.args[0].type.shape))

    @property
    def ranges(self) -> list[Range]:
        """The ranges of the indices of the loops around, inner loops first."""
        return [each.range for each in reversed(self.around) if each.range is not None]

    def loop_around(self, eqn: Eqn) -> LoopAround:
        loop = loop_view(eqn)
        return LoopAround(loop.iterations, loop.index, loop_range(loop, self.def_use.defining_op))


_SPECULATABLE = (add, sub, mul, neg, div, matmul, outer, sum_, transpose)
"""Arithmetic that may be done for an iteration more than the loop has, whose results are not used. Its numbers are in
the arrays of the loop: where one is infinite or overflows, NumPy may warn of it, or raise under
`np.errstate(all="raise")`. It would warn more often of a division by a number that changes, so that one is excluded."""


class _IdleIteration:
    """The iteration behind the last one of a loop over 0, 1, ..., whose index is then the end of the arrays.

    empty  the values of the body that have no elements then
    zeros  the values that are 0 then
    """

    def __init__(self, loop: LoopView, def_use: DefUse) -> None:
        self.loop, self.def_use = loop, def_use
        self.changing: set[Operand] = {loop.index, *(out for eqn in loop.body.eqns for out in eqn.outs)}  # type: ignore[arg-type]
        self.empty: set[Operand] = set()
        self.zeros: set[Operand] = set()

    def is_idle(self) -> bool:
        """Does it add nothing, and read nothing that is not there?"""
        carried = set(self.loop.params)
        for eqn in self.loop.body.eqns:
            if eqn.op.updates or eqn.op is index:
                empty = self.is_empty_part(eqn)
                adds_zeros = eqn.op is add_at and eqn.args[1] in self.zeros
                if empty is None or eqn.op.updates and not empty and not adds_zeros:
                    return False
                if eqn.op is index and empty:
                    self.empty.add(eqn.out)
                carried |= {eqn.out} if eqn.op.updates else set()
            elif not carried.isdisjoint(eqn.args) or eqn.op not in _SPECULATABLE \
                    or eqn.op is div and eqn.args[1] in self.changing:
                return False
            elif not self.empty.isdisjoint(eqn.args):
                (self.zeros if eqn.op in (matmul, sum_) else self.empty).add(eqn.out)
        return True

    def is_empty_part(self, eqn: Eqn) -> bool | None:
        """Does the subscript name no elements, as it starts at the end of an axis?  None if it names some beyond."""
        k, stop, changing = self.loop.index, self.loop.bounds[1], self.changing
        t, items = eqn.args[0].type, split(eqn.attrs["key"], eqn.args[eqn.op.key_at:])
        if not isinstance(t, Tensor) or stop.dim is None:
            return None
        is_empty = False
        for size, item in zip(t.shape, items):
            ends = [item.start, item.stop, item.step] if isinstance(item, slice) else [item]
            if changing.isdisjoint(ends):
                continue
            start = None if ends[0] is None else term_of(ends[0], self.def_use.defining_op)
            if start is None or start.coefs != {k: 1} or size != stop.dim + 1 or not changing.isdisjoint(ends[1:]) \
                    or isinstance(item, slice) and (start.const != 1 or item.step is not None or not (
                        item.stop is None or item.stop.dim == size)) \
                    or not isinstance(item, slice) and start.const:
                return None
            is_empty |= isinstance(item, slice)
        return is_empty


def _may_be_lifted(eqn: Eqn) -> bool:
    """Is this a loop of adjoint arithmetic over a range, which computes with vectors?"""
    if eqn.op.name != "loop" or eqn.primal or not eqn.attrs["counted"]:
        return False
    loop = loop_view(eqn)
    return (loop.bounds[2] == Lit(1) and not loop.exits and not loop.yields
            and any(map(_computes_vector, loop.body.eqns)) and all(map(_is_simple, loop.body.eqns)))


def _is_simple(eqn: Eqn) -> bool:
    """Is this adjoint arithmetic, an update, or a size or a bound?"""
    if len(eqn.outs) != 1 or eqn.primal and not (is_number(eqn.out) and eqn.out.type.kind == "i"):  # type: ignore[union-attr]
        return False
    return is_pure(eqn) or eqn.op.updates


class _Recomputed:
    """The body of a loop, with values of the forward pass computed again that the loop reads from tapes.

    That costs one operation for all iterations, not one for each, and no tape.

    values  for a value of the forward pass: the one that is computed again
    b       the equations that compute them
    mirror  for a loop of the forward pass: the loop that reads its tapes
    tapes   the arrays that are kept at the beginning of a loop
    """

    def __init__(self, vectorize: _Vectorize, loop: LoopView) -> None:
        self.def_use, self.visible, self.env, self.loop = vectorize.def_use, vectorize.visible, vectorize.env, loop
        self.values: dict[Operand, Operand] = {}
        self.b = Builder(primal=False)
        self.mirror: dict[Eqn, Eqn] = {}
        self.tapes: list[NewTape] = []

    def body(self) -> Fn:
        with self.b:
            env = {e: self.again(self.origin(self.loop, k)) for k, e in enumerate(self.loop.elems)}
        body = rebuild(self.loop.body, env)
        return body.replace(params=tuple(p for p in body.params if p not in env), eqns=(*self.b.eqns, *body.eqns))

    def origin(self, loop: LoopView, k: int) -> Operand:
        """The value of the forward pass that `loop` reads from its tape `k`."""
        definition = self.def_use.definition(loop.xs[k])
        if definition is None or definition.eqn.op.name != "loop":
            raise NotLifted
        defining = loop_view(definition.eqn)
        if definition.region is None:
            tape: Operand = loop.xs[k]
        elif loop.xs[k] in defining.elems:
            tape = self.origin(defining, defining.elems.index(loop.xs[k]))
        else:
            raise NotLifted
        definition = self.def_use.definition(tape)
        if definition is None or definition.region is not None or definition.eqn.op.name != "loop":
            raise NotLifted
        forward = loop_view(definition.eqn)
        if tape not in forward.ys or forward.index is None or loop.index is None or forward.reverse == loop.reverse \
                or not all(map(self.is_same_bound, forward.bounds, loop.bounds)):
            raise NotLifted
        self.values[forward.index] = loop.index
        self.mirror[forward.eqn] = loop.eqn
        return forward.yields[forward.ys.index(tape)]

    def is_same_bound(self, x: Operand, y: Operand) -> bool:
        """Is a bound of a loop of the forward pass that of a loop of the backward pass?"""
        a, b = (term_of(each, self.def_use.defining_op) for each in (x, y))
        if a is None or b is None:
            return self.again(x) == y
        return a.const == b.const and {self.values.get(v, v): c for v, c in a.coefs.items()} == b.coefs

    def again(self, x: Operand) -> Operand:
        """The value in the backward pass of a value of the forward pass."""
        if not isinstance(x, Value):
            return x
        if self.def_use.home.get(x) in self.visible:
            return self.env.get(x, x)
        if x not in self.values:
            eqn = self.def_use.defining_eqn(x)
            if eqn is None or len(eqn.outs) != 1 or eqn.op not in (index, add, sub, mul, div, neg) and not (
                    eqn.op.name in ("matmul", "dot") and all(rank(y) == 1 for y in eqn.args)):
                raise NotLifted
            self.b.loc = eqn.loc
            loop = self.array_before(eqn)
            args = [*map(self.again, eqn.args)] if loop is None else \
                [self.at_start(eqn.args[0], loop), *map(self.again, eqn.args[1:])]
            self.values[x] = self.b.emit(eqn.op, args, eqn.attrs, spelling=eqn.spelling)
        return self.values[x]

    def array_before(self, read: Eqn) -> LoopView | None:
        """The loop that carries the array which is read, if its iterations overwrite only what they have read."""
        definition = self.def_use.definition(read.args[0]) if read.op is index else None
        if definition is None or definition.region is None or definition.eqn not in self.mirror:
            return None
        loop = loop_view(definition.eqn)
        if read.args[0] not in loop.params or self.def_use.parent[read] is not loop.body:
            return None
        k = loop.params.index(read.args[0])
        version = loop.params[k]
        places = _places(read, loop.index)
        while version is not loop.results[k]:
            updates = [user for user, at in self.def_use.uses(version)
                       if isinstance(user, Eqn) and user.op.updates and at == 0]
            if len(updates) != 1 or self.def_use.parent[updates[0]] is not loop.body:
                return None
            places &= _places(updates[0], loop.index)
            version = updates[0].out
        return loop if any(self.covers(loop, read, axis) for axis in places) else None

    def covers(self, loop: LoopView, read: Eqn, axis: int) -> bool:
        """Do the iterations read most of the array?  It is then as cheap to keep as what they read."""
        items = split(read.attrs["key"], read.args[1:])
        start, stop, _ = loop.bounds
        outer = self.def_use.owner.get(self.def_use.parent[loop.eqn])
        first = term_of(start, self.def_use.defining_op)
        t = read.args[0].type
        return isinstance(t, Tensor) and stop.dim == t.shape[axis] and first is not None \
            and all(v is _index_from_literal(outer) and c == 1 for v, c in first.coefs.items()) \
            and all(item == slice(None) for n, item in enumerate(items) if n != axis)

    def at_start(self, carried: Operand, loop: LoopView) -> Operand:
        """The array that the loop carries, as it is when the loop begins."""
        array = loop.inits[loop.params.index(cast(Value, carried))]
        if not isinstance(array, Value) or self.def_use.home.get(array) in self.visible:
            return self.again(array)
        outer = self.def_use.owner.get(self.def_use.parent[loop.eqn])
        if outer not in self.mirror or self.def_use.home.get(array) is not loop_view(outer).body \
                or self.def_use.home.get(outer.outs[0]) not in self.visible:
            raise NotLifted
        if array not in self.values:
            elem = Value(array.type, array.hint)
            self.tapes.append(NewTape(outer.outs[-1], array, self.mirror[outer].outs[-1], elem))
            self.values[array] = elem
        return self.values[array]


def _index_from_literal(eqn: Eqn | None) -> Value | None:
    """The index of a loop that starts with a literal; None of another equation."""
    return loop_view(eqn).index if eqn is not None and eqn.op.name == "loop" and isinstance(eqn.args[0], Lit) else None


def _places(eqn: Eqn, k: Value | None) -> set[int]:
    """The axes along which the subscript is the index of the loop, one for each part of the array."""
    key = eqn.attrs.get("key")
    if key is None or any(item != "i" and item[0] != "s" for item in key):
        return set()
    return {n for n, item in enumerate(split(key, eqn.args[eqn.op.key_at:])) if item is k}


def _computes_vector(eqn: Eqn) -> bool:
    if eqn.op.updates:
        return rank(eqn.args[1]) > 0
    return eqn.op is not index and any(rank(x) for x in (*eqn.args, *eqn.outs))
