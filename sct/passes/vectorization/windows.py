"""Windows: loops over the positions of a window become loops over the places in it.

    for i in range(H):                              for a in range(K):
        for j in range(W):                   ->         for b in range(L):
            p, q = x[i:i + K, j:j + L], dy[i, j]            p = x[a:a + H, b:b + W]
            dw += tensordot(p, q, axes=0)                   dw[a, b] += tensordot(p, dy, axes=2)
            dx[i:i + K, j:j + L] += q * w                   dx[a:a + H, b:b + W] += dy * w[a, b]

In:  nests of adjoint loops that add sums of products to what they carry, each with one window for every loop: a read or
a write of as many elements along an axis as there are places, from the index of the loop on. Out: the same sums, each
of whose terms is a product over all positions. A window that moves along two axes or more has fewer places than
positions where it matters: it is small, and slides over an array.
"""

from __future__ import annotations

import string
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, cast

from sct.ir.affine import Range, is_in_bounds, loop_range, term_of
from sct.ir.build import Builder
from sct.ir.core import Eqn, Fn, Lit, Operand, Value, builder_var, walk
from sct.ir.dims import Dim, at_least_zero
from sct.ir.loop_view import LoopView, loop_view
from sct.ir.types import INT, Tensor
from sct.ir.uses import DefUse
from sct.ops.arrays.indexing import add_at, index, join, split, store
from sct.ops.linalg.einsum import contract, einsum, parse
from sct.ops.linalg.tensor_products import summed, tensordot
from sct.ops.reductions.reductions import sum_
from sct.ops.scalar.arithmetic import add, mul
from sct.ops.type_rules import rank
from sct.passes.rewriting.driver import rewrite
from sct.passes.scalar.purity import is_pure

__all__ = ["slide_windows"]

_PRODUCTS = (tensordot, einsum, mul)


def slide_windows(fn: Fn) -> Fn:
    """`fn` with such loops over the places in their windows."""
    has_nest = any(_is_nested(eqn) for eqn in walk(fn))
    return _with_places(fn, DefUse(fn), ()) if has_nest else fn


def _is_nested(eqn: Eqn) -> bool:
    """Is this an adjoint loop that does nothing but run another one?"""
    return eqn.op.name == "loop" and not eqn.primal and [e.op for e in eqn.regions[-1].eqns] == [eqn.op]


def _with_places(fn: Fn, def_use: DefUse, around: Sequence[Range]) -> Fn:
    """`around`: the ranges of the indices of the loops around, inner loops first."""
    eqns = []
    for eqn in fn.eqns:
        loops = _nest(eqn, def_use)
        over_places = _Nest(loops, def_use, around).over_places() if len(loops) > 1 else None
        own = loop_range(loop_view(eqn), def_use.defining_op) if eqn.op.name == "loop" else None
        inside = around if own is None else (own, *around)
        eqns.append(over_places or eqn.replace(regions=tuple(_with_places(r, def_use, inside) for r in eqn.regions)))
    return fn.replace(eqns=tuple(eqns))


def _nest(eqn: Eqn, def_use: DefUse) -> list[LoopView]:
    """The adjoint loops from 0 on, each of which does nothing but run the next one."""
    loops: list[LoopView] = []
    while eqn.op.name == "loop" and not eqn.primal and eqn.attrs["counted"]:
        loop = loop_view(eqn)
        if loop.exits or loop.xs or loop.ys or loop.bounds[::2] != (Lit(0), Lit(1)) or def_use.uses(loop.iterations) \
                or loops and (loop.inits, loop.finals) != (loops[-1].params, loops[-1].results):
            return []
        loops.append(loop)
        if len(loop.body.eqns) != 1:
            return loops if loop.body.eqns else []
        eqn = loop.body.eqns[0]
    return []


class _NoWindows(Exception):
    """The loops stay."""


class _Part(NamedTuple):
    """A part of an array, `array[items]`.

    axes  for each axis of the part, the axis of the array
    """

    array: Operand
    items: list[Any]

    @property
    def axes(self) -> list[int]:
        return [axis for axis, item in enumerate(self.items) if isinstance(item, slice)]


@dataclass(frozen=True)
class _Update:
    """A sum of products that an iteration adds to a part of a carry; axes that are summed together have one letter."""

    eqn: Eqn
    target: _Part
    result: list[str]
    factors: list[tuple[_Part, list[str]]]


class _Nest:
    """The loops of a nest.

    around  the ranges of the indices of the loops around it, inner loops first
    bound   the values that they bind
    counts  for the index of a loop: its number of positions
    widths  for the index of a loop: how many elements its windows take
    positions  the indices of loops whose number of positions is the size of an axis, so that it is not negative
    places  for the index of a loop: that of the new loop
    """

    def __init__(self, loops: Sequence[LoopView], def_use: DefUse, around: Sequence[Range]) -> None:
        self.loops, self.body, self.around, self.definition = loops, loops[-1].body, around, def_use.defining_op
        inits = map(def_use.defining_eqn, loops[0].inits)
        self.are_zeros = [eqn is not None and eqn.op.fill == 0.0 for eqn in inits]
        self.defs = {out: eqn for eqn in self.body.eqns for out in eqn.outs}
        self.bound: set[Operand] = {*self.defs, *(p for loop in loops for p in loop.body.params)}
        self.counts = {cast(Value, loop.index): loop.bounds[1] for loop in loops}
        self.widths: dict[Value, Operand] = {}
        self.positions: set[Value] = set()
        self.places = {k: Value(INT, hint) for k, hint in zip(self.counts, string.ascii_lowercase)}

    def over_places(self) -> Eqn | None:
        """The nest over the places in the windows; None if these are no sums over windows."""
        try:
            if not self.bound.isdisjoint(self.counts.values()) or not all(map(_is_simple, self.body.eqns)):
                return None
            updates = [self.update(p, r) for p, r in zip(self.loops[-1].params, self.loops[-1].results)]
            nest = self.nest(updates, [self.windows(update) for update in updates])
            return nest if len(self.positions) == len(self.loops) else None
        except _NoWindows:
            return None

    # -- what the loops do ------------------------------------------------------------------------

    def update(self, param: Value, result: Operand) -> _Update:
        """The update of a carry."""
        eqn = self.defs.get(cast(Value, result))
        readers = [e for e in self.body.eqns if param in e.args]
        if eqn is None or readers != [eqn] or eqn.op not in (add, add_at) or eqn.args.count(param) > 1 \
                or eqn.op is add_at and eqn.args[0] is not param:
            raise _NoWindows
        value = eqn.args[1 - eqn.args.index(param)]
        product = self.defs.get(cast(Value, value))
        if product is None or sum(e.args.count(value) for e in self.body.eqns) > 1:
            raise _NoWindows
        terms, letters = _letters(product)
        factors = [(self.read(x), term) for x, term in zip(product.args, terms)]
        key, operands = (eqn.attrs["key"], eqn.args[2:]) if eqn.op is add_at else ((), ())
        target = self.part(param, key, operands)
        if len(target.axes) != len(letters):
            raise _NoWindows  # the product is broadcast
        return _Update(eqn, target, letters, factors)

    def read(self, x: Operand) -> _Part:
        """The part of an array that a factor is."""
        if x not in self.bound:
            return self.part(x, (), ())
        eqn = self.defs.get(cast(Value, x))
        if eqn is None or eqn.op is not index or eqn.args[0] in self.bound:
            raise _NoWindows
        return self.part(eqn.args[0], eqn.attrs["key"], eqn.args[1:])

    def part(self, x: Operand, key: Sequence[str], operands: Sequence[Operand]) -> _Part:
        if not isinstance(x.type, Tensor) or not x.type.is_array or any(k != "i" and k[0] != "s" for k in key):
            raise _NoWindows
        items = split(tuple(key), operands)
        return _Part(x, [*items, *[slice(None)] * (rank(x) - len(items))])

    def windows(self, update: _Update) -> dict[str, Value]:
        """For each letter of an axis of windows: the index of the loop that moves them; one for every loop."""
        windows: dict[str, Value] = {}
        for part, term in (*update.factors, (update.target, update.result)):
            moving = [item for item in part.items if not isinstance(item, slice) and item in self.counts]
            for axis, letter in zip(part.axes, term):
                k = self.window(part, axis)
                if k is not None and windows.setdefault(letter, k) is not k:
                    raise _NoWindows
                moving += [k] if k is not None else []
            if len({*moving}) < len(moving):
                raise _NoWindows
        if sorted(k.id for k in windows.values()) != sorted(k.id for k in self.counts):
            raise _NoWindows
        return windows

    def window(self, part: _Part, axis: int) -> Value | None:
        """The index of the loop that moves this axis of a part; None if it stays."""
        item, size = part.items[axis], cast(Tensor, part.array.type).shape[axis]
        if self.bound.isdisjoint((item.start, item.stop, item.step)):
            return None
        stop = self.defs.get(item.stop)
        if item.step is not None or item.start not in self.counts or stop is None or stop.op is not add \
                or stop.args[0] is not item.start or stop.args[1] in self.bound:
            raise _NoWindows
        k, width = cast(Value, item.start), stop.args[1]
        count = self.counts[k].dim
        if self.widths.setdefault(k, width) != width or count is None or width.dim is None \
                or not at_least_zero(width.dim) or size != count + width.dim - 1:
            raise _NoWindows
        return k

    # -- the new loops ----------------------------------------------------------------------------

    def nest(self, updates: Sequence[_Update], windows: Sequence[dict[str, Value]]) -> Eqn:
        """The loops over the places, with these updates."""
        params = [Value(p.type, p.hint) for p in self.loops[-1].params]
        with Builder(primal=False, rewrite=rewrite) as b:
            moved = {k: slice(p, add(p, self.counts[k])) for k, p in self.places.items()}
            results = []
            for update, param, of, are_zeros in zip(updates, params, windows, self.are_zeros):
                b.loc = update.eqn.loc
                results.append(self.added(update, param, of, moved, are_zeros))
        eqns = tuple(b.eqns)
        for loop in reversed(self.loops):
            k = cast(Value, loop.index)
            body = loop.body.replace(params=(self.places[k], *params), eqns=eqns, results=(Lit(True), *results))
            inits = loop.inits if loop is self.loops[0] else tuple(Value(p.type, p.hint) for p in params)
            attrs = {**loop.eqn.attrs, "mirrors": (), "reverse": False}
            nest = loop.eqn.replace(args=(Lit(0), self.widths[k], Lit(1), *inits), regions=(body,), attrs=attrs)
            params, eqns, results = [cast(Value, x) for x in inits], (nest,), list(loop.finals)
        return nest

    def added(self, update: _Update, carry: Value, windows: dict[str, Value], moved: dict[Value, slice],
              are_zeros: bool) -> Any:
        """The carry after the update of one place; if no other place adds to the same zeros, by an assignment."""
        used = {letter for _, term in update.factors for letter in term}
        letters = dict(zip(self.counts, (letter for letter in string.ascii_lowercase if letter not in used)))
        terms = []
        for part, term in update.factors:
            items, left = self.at_place(part, term, windows, moved, letters)
            sizes = {letters[k]: cast(Dim, count.dim) for k, count in self.counts.items()}
            terms.append((_read(part.array, items, left, sizes), left))
        items, result = self.at_place(update.target, update.result, windows, moved, letters)
        if not {*result} <= {letter for _, left in terms for letter in left}:
            raise _NoWindows
        key, operands = join(items)
        is_alone = are_zeros and all(any(item is p for item in items) for p in self.places.values())
        (x, of_x), (y, of_y) = terms
        total = contract(terms, result) if result or of_x != of_y else sum_(mul(x, y))
        return (store if is_alone else add_at)(carry, total, *operands, key=key)

    def at_place(self, part: _Part, term: Sequence[str], windows: dict[str, Value], moved: dict[Value, slice],
                 letter_of: dict[Value, str]) -> tuple[list[Any], list[str]]:
        """The subscript of what all positions read or write at one place, and the letters of its axes.

        moved      for the index of a loop: what the positions read at one place
        letter_of  and the letter of the axis of the positions
        """
        shape = cast(Tensor, part.array.type).shape
        of_axis = dict(zip(part.axes, term))
        items, letters = list(part.items), list[str]()
        for axis, item in enumerate(part.items):
            k = self.window(part, axis) if isinstance(item, slice) else item if item in self.counts else None
            if k is None and (not isinstance(item, slice) or of_axis[axis] not in windows):
                letters += [of_axis[axis]] if isinstance(item, slice) else []
                is_there = isinstance(item, slice) or item not in self.bound and is_in_bounds(
                    term_of(item, self.definition), shape[axis], self.around)  # even if there are no positions
            elif k is None:  # the place in the window
                k = windows[of_axis[axis]]
                is_there = item == slice(None) and shape[axis] == self.widths[k].dim
                items[axis] = self.places[k]
            else:
                is_there = isinstance(item, slice) or shape[axis] == self.counts[k].dim
                self.positions |= set() if isinstance(item, slice) else {k}
                items[axis] = moved[k] if isinstance(item, slice) else slice(None)
                letters.append(letter_of[k])
            if not is_there:
                raise _NoWindows
        return items if any(item != slice(None) for item in part.items) else _without_end(items), letters


def _is_simple(eqn: Eqn) -> bool:
    """Does the equation nothing but compute or update a value?"""
    return is_pure(eqn) or eqn.op.updates


def _letters(product: Eqn) -> tuple[list[list[str]], list[str]]:
    """The letters of the axes of the factors and of the result of a product of two."""
    if len(product.args) != 2 or product.op not in _PRODUCTS:
        raise _NoWindows
    a, b = product.args
    ranks = [rank(a), rank(b)]
    if product.op is einsum:
        return parse(product.attrs["subscripts"], ranks)
    first, others = list(string.ascii_lowercase[:ranks[0]]), iter(string.ascii_lowercase[ranks[0]:])
    if product.op is mul:
        if 0 not in ranks:
            raise _NoWindows
        second = list(string.ascii_lowercase[:ranks[1]])
        return [first, second], first or second
    i, j = summed(a, b, product.attrs["axes"])
    second = [first[i[j.index(axis)]] if axis in j else next(others) for axis in range(ranks[1])]
    return [first, second], [x for x in first + second if (x in first) != (x in second)]


def _without_end(items: list[Any]) -> list[Any]:
    """The subscript without the slices of all at its end."""
    while items and items[-1] == slice(None):
        items = items[:-1]
    return items


def _read(x: Operand, items: Sequence[Any], letters: Sequence[str], sizes: dict[str, Dim]) -> Operand:
    """x[items], whose axes have these letters; `sizes` gives the sizes of some, as the loops name them."""
    if all(item == slice(None) for item in items):
        return x
    key, operands = join(items)
    t = cast(Tensor, index.type(x, *operands, key=key))
    shape = tuple(sizes.get(letter, size) for letter, size in zip(letters, t.shape))
    (part,) = cast(Builder, builder_var.get()).emit(index, (x, *operands), {"key": key},
                                                    types=[Tensor(t.carrier, t.dtype, shape)])
    return cast(Operand, part)
