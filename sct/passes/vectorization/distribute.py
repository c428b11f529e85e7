"""Distributes loops: sums of outer products that nothing in a loop reads are added behind it, in one operation.

    for i in range(n): x[i] = ...; dL[i, :i] -= x[i] * y[:i]     ->    for i in range(n): x[i] = ...
                                                                       dL -= np.tril(np.outer(x, y), -1)

In:  adjoint loops that compute one factor after the other, and store them in an array. Out: the loops without such
sums, wherever no iteration reads or assigns what they are added to, and behind them the sums. What the outer product
has outside of the triangle is replaced by zeros, be it infinite or nan.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, cast

from sct.ir.affine import DefiningOp, LinearTerm, Range, is_in_bounds, least_value, loop_range, term_of
from sct.ir.array_accesses import ArrayAccess, LoopAround, access, never_meet
from sct.ir.build import Builder
from sct.ir.core import Eqn, Fn, Lit, Operand, Value, rebuild, substitute, walk
from sct.ir.dims import Dim
from sct.ir.loop_view import LoopView, loop_view
from sct.ir.types import Tensor
from sct.ir.uses import DefUse, outer_reads
from sct.ops.arrays.creation import empty, strong
from sct.ops.arrays.indexing import add_at, index, indexed_shape, join, split, store
from sct.ops.arrays.triangles import tril, triu
from sct.ops.linalg.products import outer
from sct.ops.scalar.arithmetic import add, mul, neg
from sct.ops.type_rules import rank
from sct.passes.rewriting.driver import rewrite

__all__ = ["distribute"]


def distribute(fn: Fn) -> Fn:
    """`fn` with such sums behind their loops."""
    if not any(_may_be_distributed(eqn) for eqn in walk(fn)):
        return fn
    return _Distribute(fn).region(fn, Builder(primal=False, rewrite=rewrite))


def _may_be_distributed(eqn: Eqn) -> bool:
    """Is this an adjoint loop over 0, 1, ..., in either direction, that adds vectors to rows or columns?"""
    if eqn.op.name != "loop" or eqn.primal or not eqn.attrs["counted"]:
        return False
    loop = loop_view(eqn)
    from_zero = (loop.bounds[0], loop.bounds[2]) == (Lit(0), Lit(1)) or loop.bounds[1:] == (Lit(-1), Lit(-1))
    return from_zero and not loop.exits and any(map(_adds_vector, loop.body.eqns))


def _adds_vector(eqn: Eqn) -> bool:
    return eqn.op is add_at and not eqn.primal and rank(eqn.args[0]) > 1 == rank(eqn.args[1])


class _Distribute:
    """
    env     for a final of a loop: the sum that takes its place
    around  the loops around the current equation, outermost first
    """

    def __init__(self, fn: Fn) -> None:
        self.def_use = DefUse(fn)
        self.env: dict[Value, Operand] = {}
        self.around: list[LoopAround] = []

    def region(self, fn: Fn, b: Builder) -> Fn:
        for eqn in fn.eqns:
            eqn = eqn.replace(args=substitute(eqn.args, self.env))
            if eqn.op.name == "loop":
                loop = loop_view(eqn)
                self.around.append(LoopAround(loop.iterations, loop.index, loop_range(loop, self.def_use.defining_op)))
            eqn = eqn.replace(regions=tuple(self.region(r, b.nested()) for r in eqn.regions))
            if _may_be_distributed(eqn):
                self.loop(loop_view(eqn), b)
            else:
                b.add(eqn)
            if eqn.op.name == "loop":
                self.around.pop()
        return fn.replace(eqns=tuple(b.eqns), results=substitute(fn.results, self.env))

    def loop(self, loop: LoopView, b: Builder) -> None:
        """Add the loop without the sums, and the sums behind it."""
        removed: dict[Value, Operand] = {}
        totals: dict[int, Operand] = {}
        with b.nested() as before:
            body = _Body(loop, tuple(self.around), self.def_use.defining_op)
        with b.nested() as behind:
            inits = [behind.defs.get(x) if isinstance(x, Value) else None for x in loop.inits]
            zeros = {k for k, eqn in enumerate(inits) if eqn is not None and eqn.op.fill == 0.0}
            for k, chain in enumerate(body.chains):
                sums = [s for eqn in chain if _adds_vector(eqn) and (s := body.sum(eqn, chain, zeros)) is not None]
                if not sums:
                    continue
                removed.update((s.eqn.out, s.eqn.args[0]) for s in sums)
                is_constant = all(eqn.op is not index and eqn.out in removed for eqn in chain)
                total = loop.inits[k] if is_constant else loop.finals[k]
                for s in sums:
                    behind.loc = s.eqn.loc
                    total = s.added_to(total)
                if isinstance(total, Value) and total.hint is None:
                    total.hint = loop.finals[k].hint
                totals[k] = total
        with before:
            new = _with_vectors(loop_view(_without(loop, removed)), body) if removed else loop.eqn
        for eqn in (*(before.eqns if removed else ()), new, *behind.eqns):
            b.add(eqn)
        self.env.update((loop.finals[k], total) for k, total in totals.items())


def _without(loop: LoopView, removed: dict[Value, Operand]) -> Eqn:
    """The loop without these updates."""
    def before(x: Operand) -> Operand:
        while isinstance(x, Value) and x in removed:
            x = removed[x]
        return x

    env = {out: before(out) for out in removed}
    body = loop.body.replace(eqns=tuple(e for e in loop.body.eqns if e.outs[:1] == () or e.outs[0] not in removed))
    return loop.eqn.replace(regions=(rebuild(body, env).replace(results=substitute(body.results, env)),))


def _behind(start: Operand, definition: DefiningOp) -> Operand:
    """start + 1"""
    name, args = definition(start) or ("", ()) if isinstance(start, Value) else ("", ())
    return args[0] if name == "sub" and args[1] == Lit(1) else cast(Operand, add(start, 1))


def _with_vectors(loop: LoopView, body: _Body) -> Eqn:
    """The loop with the new vectors of numbers; each iteration writes one number."""
    inits, params, results = list[Operand](), list[Value](), list[Operand]()
    with Builder(primal=False) as writes:
        for s, out in body.new.items():
            params.append(Value(out.type))
            results.append(store(params[-1], s, cast(Value, loop.index), key=("i",)))
    for out in body.new.values():
        inits.append(empty(body.hi, dtype=cast(Tensor, out.type).dtype))
    n = 1 + len(loop.params)
    region = loop.body.replace(
        params=(*loop.body.params[:n], *params, *loop.body.params[n:]), eqns=(*loop.body.eqns, *writes.eqns),
        results=(*loop.body.results[:n], *results, *loop.body.results[n:]))
    return loop.eqn.replace(
        args=(*loop.bounds, *loop.inits, *inits, *loop.xs), regions=(region,),
        outs=(*loop.finals, *body.new.values(), loop.iterations, *loop.ys),
        attrs={**loop.eqn.attrs, "carries": n - 1 + len(inits)})


@dataclass(frozen=True)
class _Vector:
    """A vector behind a loop: `array[items]`, or the array itself if `items` is None."""

    array: Operand
    items: list[Any] | None

    def read(self) -> Any:
        if self.items is None:
            return self.array
        key, operands = join(self.items)
        return index(self.array, *operands, key=key)

    @property
    def shape(self) -> Any:
        t = cast(Tensor, self.array.type)
        if self.items is None:
            return t.shape
        key, operands = join(self.items)
        return indexed_shape(t.shape, key, operands)


@dataclass(frozen=True)
class _Sum:
    """The sum that the iterations add up by `eqn`: of outer products of `numbers`, one for each, and `vector`.

    items    the subscript of what it is added to, behind the loop
    coefs    the numbers by which it is multiplied, of all iterations; `negative`: and -1
    bounds   (does the part of an iteration start at k + offset, or end there; offset); None if it is the whole vector
    rows     are the iterations the rows of the product?
    """

    eqn: Eqn
    items: list[Any]
    numbers: _Vector
    vector: _Vector
    coefs: tuple[Operand, ...]
    negative: bool
    bounds: tuple[bool, int] | None
    rows: bool

    def added_to(self, x: Operand) -> Operand:
        numbers: Any = self.numbers.read()
        for c in self.coefs:
            numbers = mul(c, numbers)
        product: Any = outer(numbers, self.vector.read()) if self.rows else outer(self.vector.read(), numbers)
        if self.bounds is not None:
            starts, offset = self.bounds
            k = offset if starts else offset - 1
            product = (triu if starts == self.rows else tril)(product, k=k if self.rows else -k)
        key, operands = join(self.items)
        return cast(Operand, add_at(x, neg(product) if self.negative else product, *operands, key=key))


class _Body:
    """The body of a loop from 0 to `hi`.

    hi      the number behind the last index
    bound   the values that it binds
    chains  for a carry: the reads and the updates of its versions, in order; () if it is used otherwise
    new     for a number of which each iteration computes one: the vector of all of them, which the loop gets
    """

    def __init__(self, loop: LoopView, around: tuple[LoopAround, ...], definition: DefiningOp) -> None:
        self.loop, self.around, self.definition = loop, around, definition
        start, stop, step = loop.bounds
        self.hi: Operand = stop if step == Lit(1) else _behind(start, definition)
        eqns = loop.body.eqns
        self.bound: set[Operand] = {*loop.body.params, *(out for eqn in walk(loop.body) for out in eqn.outs)}
        self.new: dict[Value, Value] = {}
        self.defs = {out: eqn for eqn in eqns for out in eqn.outs}
        self.place = {eqn: n for n, eqn in enumerate(eqns)}
        self.readers: dict[Operand, list[Eqn]] = {}
        for eqn in eqns:
            for x in dict.fromkeys(outer_reads(eqn)):
                self.readers.setdefault(x, []).append(eqn)
        self.chains = [self.chain(k) for k in range(len(loop.params))]
        self.ranges: list[Range] = [each.range for each in reversed(around) if each.range is not None]

    def chain(self, k: int) -> list[Eqn]:
        """The reads and updates of the versions of a carry, unless they are used otherwise."""
        version, users, results = self.loop.params[k], list[Eqn](), self.loop.body.results
        while True:
            readers = self.readers.get(version, [])
            updates = [eqn for eqn in readers if eqn.op is not index]
            if any(eqn.op not in (index, store, add_at) or eqn.args[0] is not version or version in eqn.args[1:]
                   for eqn in readers) or len(updates) > 1:
                return []
            users += readers
            if not updates:
                break
            if version in results:
                return []
            version = updates[0].out
        return users if self.loop.results[k] is version and results.count(version) == 1 else []

    # -- accesses -----------------------------------------------------------------------------

    def term(self, x: Operand) -> LinearTerm | None:
        """`x` as a term of the index and of values that do not change."""
        t = term_of(x, self.definition)
        index = self.loop.index
        return t if t is not None and self.bound.isdisjoint(v for v in t.coefs if v is not index) else None

    def access(self, eqn: Eqn) -> ArrayAccess:
        return access(eqn.attrs["key"], eqn.args[eqn.op.key_at:], self.around, self.term)

    def never_meet(self, a: Eqn, b: Eqn, when: Sequence[int]) -> bool:
        """Do they touch different elements, `b` in the same iteration (0), a later one (1), an earlier one (-1)?"""
        x, y, n = self.access(a), self.access(b), len(self.around)
        return all(never_meet(x, y, n - abs(way), way or 1) for way in when)

    def is_unread(self, eqn: Eqn, chain: Sequence[Eqn]) -> bool:
        """Does no iteration read or assign what the sum `eqn` is added to?"""
        return all(other.op is add_at or self.never_meet(eqn, other, (0, 1, -1)) for other in chain)

    def is_final(self, eqn: Eqn, chain: Sequence[Eqn]) -> bool:
        """Is what `eqn` reads or writes not written again, neither in this iteration nor in a later one?"""
        updates = [other for other in chain if other.op is not index]
        return all(self.never_meet(eqn, other, (1,)) and (self.place[other] <= self.place[eqn]
                                                          or self.never_meet(eqn, other, (0,))) for other in updates)

    # -- sums ---------------------------------------------------------------------------------

    def sum(self, eqn: Eqn, chain: Sequence[Eqn], zeros: set[int]) -> _Sum | None:
        """The sum of the terms that all iterations add by `eqn`; None if the loop needs it, or for no outer product."""
        x, value = eqn.args[:2]
        part = self.part(eqn)
        if part is None or part[0].count(self.loop.index) != 1 or len(self.readers[value]) > 1 or self.least_end() < 0 \
                or value in self.loop.body.results or not self.is_unread(eqn, chain):
            return None
        items, along, bounds = part
        negative, factors = self.factors(value)
        vectors = [v for v in factors if rank(v) == 1]
        changing = [v for v in factors if v in self.bound and rank(v) == 0]
        coefs = tuple(v for v in factors if v not in self.bound and rank(v) == 0)
        if len(vectors) != 1 or len(changing) != 1 or len(coefs) + 2 != len(factors):
            return None
        number = cast(Value, changing[0])
        vector, numbers = self.vector(vectors[0], bounds), self.numbers(number, zeros) or self.new_numbers(number)
        if vector is None or numbers is None:
            return None
        at = items.index(self.loop.index)
        items[at] = self.whole(x, at)
        if bounds is not None:
            items[along] = slice(None) if bounds[0] else self.whole(x, along)
        key, operands = join(items)
        shapes = (*numbers.shape, *vector.shape) if at < along else (*vector.shape, *numbers.shape)
        dtypes = {cast(Tensor, v.type).dtype for v in (x, numbers.array, vector.array)}
        if indexed_shape(cast(Tensor, x.type).shape, key, operands) != shapes or len(dtypes) > 1:
            return None
        if numbers.items is None:
            self.new[number] = cast(Value, numbers.array)
        return _Sum(eqn, items, numbers, vector, coefs, negative, bounds, at < along)

    def least_end(self) -> float:
        """A lower bound of `hi`."""
        start, stop, step = self.loop.bounds
        last = term_of(stop, self.definition) if step == Lit(1) else term_of(start, self.definition)
        return float("-inf") if last is None else least_value(last + int(step == Lit(-1)), self.ranges)

    def factors(self, x: Operand) -> tuple[bool, list[Operand]]:
        """Is `x` negated, and its factors."""
        eqn = self.defs.get(x) if isinstance(x, Value) else None
        if eqn is None or eqn.primal or eqn.op not in (neg, mul):
            return False, [x]
        parts = [self.factors(a) for a in eqn.args]
        factors = [f for _, fs in parts for f in fs]
        if rank(x) == 0 and sum(f in self.bound for f in factors) > 1:
            return False, [x]
        return (eqn.op is neg) != (sum(n for n, _ in parts) % 2 == 1), factors

    def part(self, eqn: Eqn) -> tuple[list[Any], int, tuple[bool, int] | None] | None:
        """The items of the subscript of a vector, the position of its slice, and how that depends on the index."""
        items = self.items(eqn)
        slices = [n for n, item in enumerate(items) if isinstance(item, slice)]
        if len(slices) != 1 or (item := items[slices[0]]).step is not None:
            return None
        if item == slice(None):
            return items, slices[0], None
        starts = item.stop is None
        if not starts and item.start not in (None, Lit(0)):
            return None
        t = self.term(item.start if starts else item.stop)
        if t is None or self.loop.index is None or t.coefs != {self.loop.index: 1} or t.const not in (0, 1):
            return None
        return items, slices[0], (starts, t.const)

    def items(self, eqn: Eqn) -> list[Any]:
        """An int or a slice for each axis; [] if there is something else, or an int that changes besides the index, or
        one that may be out of range in a loop that does not run."""
        key, operands, t = eqn.attrs["key"], eqn.args[eqn.op.key_at:], eqn.args[0].type
        if not isinstance(t, Tensor) or any(item != "i" and item[0] != "s" for item in key):
            return []
        items = split(key, operands)
        if not all(isinstance(x, slice) or x is self.loop.index or self.is_there(x, d) for x, d in zip(items, t.shape)):
            return []
        return [*items, *[slice(None)] * (t.rank - len(items))]

    def is_there(self, x: Operand, d: Dim) -> bool:
        """May an axis of this size be read at `x` behind the loop as well as in it?"""
        certainly_runs = self.least_end() >= 1
        return x not in self.bound and (certainly_runs or is_in_bounds(self.term(x), d, self.ranges))

    def whole(self, x: Operand, axis: int) -> slice:
        """All that the iterations name of an axis: the elements before `hi`."""
        return slice(None) if self.hi.dim == cast(Tensor, x.type).shape[axis] else slice(None, self.hi)

    def vector(self, v: Operand, bounds: tuple[bool, int] | None) -> _Vector | None:
        """The vector whose part an iteration reads as `v`, as it is behind the loop."""
        if v not in self.bound:
            return _Vector(v, None) if bounds is None else None
        eqn = self.defs.get(cast(Value, v))
        part = self.part(eqn) if eqn is not None and eqn.op is index else None
        if eqn is None or part is None or self.loop.index in part[0] or part[2] != bounds:
            return None
        array = self.final(eqn)
        if array is None:
            return None
        items, along, _ = part
        if bounds is not None:
            items[along] = slice(None) if bounds[0] else self.whole(array, along)
        return _Vector(array, items)

    def numbers(self, s: Value, zeros: set[int]) -> _Vector | None:
        """The vector of the numbers `s` of all iterations, if the loop reads or writes them in an array."""
        eqns = [e for chain in self.chains for e in chain if e.op is not index and e.args[1] is s]
        for eqn in (*eqns, *([e] if (e := self.defs.get(s)) is not None and e.op is index else [])):
            items = self.items(eqn)
            if items.count(self.loop.index) == 1 and not any(isinstance(item, slice) for item in items) \
                    and (array := self.final(eqn, zeros)) is not None:
                at = items.index(self.loop.index)
                return _Vector(array, [*items[:at], self.whole(array, at), *items[at + 1:]])
        return None

    def new_numbers(self, s: Value) -> _Vector | None:
        """A new vector for the numbers `s` of all iterations."""
        t = cast(Tensor, s.type)
        if s not in self.defs or self.hi.dim is None or t.kind != "f" or t.carrier not in ("np", "py"):
            return None
        return _Vector(self.new.get(s) or Value(Tensor("array", strong(t), (self.hi.dim,))), None)

    def final(self, eqn: Eqn, zeros: set[int] | None = None) -> Operand | None:
        """The array behind the loop that has what `eqn` reads, assigns, or as the only one adds to zeros."""
        if eqn.args[0] not in self.bound:
            return eqn.args[0]
        for k, chain in enumerate(self.chains):
            if eqn in chain:
                updates = [e for e in chain if e.op is not index]
                is_sum = eqn.op is add_at and (k not in (zeros or ()) or updates != [eqn])
                return None if is_sum or not self.is_final(eqn, chain) else self.loop.finals[k]
        return None
