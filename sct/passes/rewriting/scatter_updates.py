"""Chains of updates of one cotangent array, with less work.

    t = d[k]; d[k] = 0; d[j] += a; d[k] += t + b       ->  d[j] += a; d[k] += b
    d[k] += a; d[k] = b                                ->  d[k] = b
    d[k] += a; t = d[k]                                ->  t = d[k] + a; d[k] = t
    v = 0.0 if c else w; d[k] += v                     ->  if not c: d[k] += w
    v = zeros; v[0] = a; d[1:] += v                    ->  d[1] += a

The first is what reversing `u[k] += ...` leaves; addition commutes, so the updates between
may have any keys.  Nothing but the chain may use the arrays in it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, cast

from sct.ir.build import Builder
from sct.ir.core import Eqn, Lit, Operand, Value, builder_var
from sct.ir.types import List, Tensor
from sct.ops.arrays.indexing import add_at, index, join, split, store
from sct.ops.scalar.arithmetic import add
from sct.passes.rewriting.arithmetic_rules import definition, is_zeros, number, of_block, writes_once
from sct.passes.rewriting.factoring import Opened, total

__all__ = ["into_arm", "is_element", "read_back", "through_view", "without_zeroing"]

REACH = 30
"""How many equations back a `cond` is looked for, so that the pass takes linear time."""


@of_block(when="finite")
def without_zeroing(eqn: Eqn, args: Sequence[Operand], uses: Mapping[Value, int]) -> Operand | None:
    """`x` with `x[k] = 0; ...; x[k] += x[k] + b` is `x` with `...; x[k] += b`; and where there is no
    `x[k]` to add back, `x` with `x[k] = b; ...`."""
    if eqn.op is not add_at and eqn.op is not store:
        return None
    x, value, *key = args
    chain: list[Eqn] = []
    if eqn.op is store and (made := definition(x)) is not None and made.op in (store, add_at) \
            and uses.get(made.out, 1) == 1 and _same_key(made, eqn, key, 2):
        return cast(Operand, store(made.args[0], value, *key, key=eqn.attrs["key"]))
    if eqn.op is add_at:
        while (made := definition(x)) is not None and made.op is add_at and uses.get(made.out, 1) == 1:
            chain.append(made)
            x = made.args[0]
        if made is None or made.op is not store or uses.get(made.out, 1) > 1 or not is_zeros(made.args[1]):
            return None
        if not _same_key(made, eqn, key, 2):
            return None
        x = made.args[0]
    if not writes_once(eqn.attrs["key"]):
        return None
    opened = Opened(uses)
    terms = opened.terms(value, 1.0)
    rest = [t for t in terms if not (t.coef == 1.0 and len(t.factors) == 1 and _reads(t.factors[0], x, eqn, key))]
    if len(rest) == len(terms) - 1:
        out = _again(x, chain)
        added = total(rest, opened) if rest else None
        if added is None:
            return out
        if isinstance(x.type, List) and added.type != value.type:
            return None  # a number cannot be added to an array in a list
        return cast(Operand, add_at(out, added, *key, key=eqn.attrs["key"]))
    return _again(cast(Operand, store(x, value, *key, key=eqn.attrs["key"])), chain) if eqn.op is add_at else None


def read_back(eqn: Eqn, args: Sequence[Operand]) -> Operand | None:
    """`x` with `x[i] += v`, where `x[i]` is read afterwards, is `x` with `x[i] = t`, for `t = x[i] + v`."""
    x, value, *key = args
    before = cast(Operand, index(x, *key, key=eqn.attrs["key"]))
    return cast(Operand, store(x, add(before, value), *key, key=eqn.attrs["key"]))


@of_block()
def through_view(eqn: Eqn, args: Sequence[Operand], uses: Mapping[Value, int]) -> Operand | None:
    """`x` with `x[k] += v`, for a `v` of zeros but for some parts, is `x` with these parts added to."""
    if eqn.op is not add_at:
        return None
    x, value, *key = args
    parts: list[tuple[Operand, Any]] = []
    view = split(eqn.attrs["key"], key)
    while (made := definition(value)) is not None and made.op in (store, add_at) and uses.get(made.out, 1) == 1:
        parts.append((made.args[1], composed(view, split(made.attrs["key"], made.args[2:]))))
        value = made.args[0]
        if made.op is store and not is_zeros(value):
            return None
    if not parts or not is_zeros(value) or any(items is None for _, items in parts):
        return None
    for v, items in reversed(parts):
        key_, operands = join(items)
        x = cast(Operand, add_at(x, v, *operands, key=key_))
    return x


def composed(view: Sequence[Any], items: Sequence[Any]) -> list[Any] | None:
    """The subscript k with `x[k]` being `x[view][items]`, where that can be said without knowing sizes."""
    rest = list(items)
    if any(item is None or item is Ellipsis or isinstance(item.type, Tensor) and item.type.is_array
           for item in (*view, *items) if not isinstance(item, slice)):
        return None
    out: list[Any] = []
    for item in view:
        part = item if not isinstance(item, slice) or not rest else _part(item, rest.pop(0))
        if part is None:
            return None
        out.append(part)
    return [*out, *rest]


def _part(whole: slice, item: Any) -> Any:
    """`x[whole][item]` as one item: positions from the start in front, from the end behind."""
    start, stop, step = (0 if b is None else number(b) for b in (whole.start, whole.stop, whole.step))
    if whole == slice(None):
        return item
    if step != 0 or start is None or start < 0 or stop is None or stop > 0 or whole.stop is not None and stop == 0:
        return None
    if isinstance(item, slice):
        first, last = (0 if b is None else number(b) for b in (item.start, item.stop))
        known = first is not None and first >= 0 and (item.stop is None or last is not None and last < 0)
        if not known or item.step is not None:
            return None
        return slice(Lit(start + first) if start + first else None, Lit(stop + last) if stop + last else None)
    at = number(item)
    return None if at is None else Lit(start + at if at >= 0 else stop + at)


def is_element(key: Sequence[str]) -> bool:
    """Does the key name one element?"""
    return set(key) == {"i"}


def _again(x: Operand, chain: Sequence[Eqn]) -> Operand:
    """The updates of a chain, last first, done to `x`."""
    for e in reversed(chain):
        x = cast(Operand, add_at(x, *e.args[1:], key=e.attrs["key"]))
    return x


def _reads(v: Operand, x: Operand, eqn: Eqn, key: Sequence[Operand]) -> bool:
    """Is `v` what `x[key]` is?"""
    made = definition(v)
    return made is not None and made.op is index and made.args[0] == x and _same_key(made, eqn, key, 1)


def _same_key(a: Eqn, b: Eqn, key: Sequence[Operand], first: int) -> bool:
    return a.attrs["key"] == b.attrs["key"] and list(a.args[first:]) == list(key)


@of_block()
def into_arm(eqn: Eqn, args: Sequence[Operand], uses: Mapping[Value, int]) -> Operand | None:
    """An update by what is zero in one branch of a `cond` is done in the other branch."""
    if eqn.op is not add_at:
        return None
    x, value, *key = args
    block = cast(Builder, builder_var.get())
    made = definition(value)
    if made is None or made.op.name != "cond" or not isinstance(value, Value) or uses.get(value, 1) > 1:
        return None
    k = made.outs.index(value)
    branches = [branch.results[k] for branch in made.regions]
    if not any(map(is_zeros, branches)) or not all(isinstance(v.type, Tensor) for v in branches):
        return None
    at = _position(block.eqns, made, {a for a in (x, *key) if isinstance(a, Value) and a not in made.outs})
    mine = made.outs.index(x) if isinstance(x, Value) and x in made.outs else None
    if at is None or any(a in made.outs for a in key) or mine is not None and uses.get(made.outs[mine], 1) > 1:
        return None
    regions = []
    for branch in made.regions:
        with block.nested() as b:
            for e in branch.eqns:
                b.add(e)
            before = x if mine is None else branch.results[mine]
            v = branch.results[k]
            after = before if is_zeros(v) else cast(Operand, add_at(before, v, *key, key=eqn.attrs["key"]))
        gone = {k, mine}
        results = [r for j, r in enumerate(branch.results) if j not in gone]
        regions.append(b.finish(branch.name, branch.params, [*results, after]))
    outs = tuple(o for j, o in enumerate(made.outs) if j not in {k, mine})
    out = Value(eqn.out.type, eqn.out.hint)
    new = made.replace(outs=(*outs, out), regions=tuple(regions))
    block.eqns[at] = new
    block.defs.update((o, new) for o in new.outs)
    return out


def _position(eqns: Sequence[Eqn], made: Eqn, reads: set[Value]) -> int | None:
    """Where `made` is in the block, if nothing of `reads` is made after it."""
    for at in range(len(eqns) - 1, max(-1, len(eqns) - 1 - REACH), -1):
        if eqns[at] is made:
            return at
        if not reads.isdisjoint(eqns[at].outs):
            return None
    return None
