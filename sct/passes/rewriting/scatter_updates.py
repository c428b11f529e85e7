"""Simplifies chains of updates of one cotangent array.

    t = d[k]; d[k] = 0; d[j] += a; d[k] += t + b       ->  d[j] += a; d[k] += b
    d[k] += a; d[k] = b                                ->  d[k] = b
    d[k] += a; t = d[k]                                ->  t = d[k] + a; d[k] = t
    v = 0.0 if c else w; d[k] += v                     ->  if not c: d[k] += w
    v = zeros; v[0] = a; d[1:] += v                    ->  d[1] += a

The first chain is left by reversing `u[k] += ...`. Addition commutes, so the updates between may have any keys. Only
the chain itself may read the arrays in it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, cast

from sct.ir.build import Builder
from sct.ir.core import Eqn, Lit, Operand, Value, builder_var
from sct.ir.types import List, Tensor
from sct.ops.arrays.indexing import add_at, index, join, split, store
from sct.ops.scalar.arithmetic import add
from sct.passes.rewriting.arithmetic_rules import adjoint_eqn, block_rule, is_zeros, number, writes_once
from sct.passes.rewriting.factoring import Expansion, factored_sum

__all__ = ["add_in_branch", "is_element", "add_then_read", "add_through_view", "without_zeroing"]

REACH = 30
"""How many equations back a `cond` may stand, so that the pass takes linear time."""


@block_rule(when="finite")
def without_zeroing(eqn: Eqn, args: Sequence[Operand], uses: Mapping[Value, int]) -> Operand | None:
    """t = x[k]; x[k] = 0; ...; x[k] += t + b -> ...; x[k] += b;  x[k] = 0; ...; x[k] += b -> x[k] = b; ..."""
    if eqn.op is not add_at and eqn.op is not store:
        return None
    x, value, *key = args
    chain: list[Eqn] = []
    if eqn.op is store and (update := adjoint_eqn(x)) is not None and update.op in (store, add_at) \
            and uses.get(update.out, 1) == 1 and _same_key(update, eqn, key, 2):
        return cast(Operand, store(update.args[0], value, *key, key=eqn.attrs["key"]))
    if eqn.op is add_at:
        while (update := adjoint_eqn(x)) is not None and update.op is add_at and uses.get(update.out, 1) == 1:
            chain.append(update)
            x = update.args[0]
        if update is None or update.op is not store or uses.get(update.out, 1) > 1 or not is_zeros(update.args[1]):
            return None
        if not _same_key(update, eqn, key, 2):
            return None
        x = update.args[0]
    if not writes_once(eqn.attrs["key"]):
        return None
    expansion = Expansion(uses)
    terms = expansion.terms(value, 1.0)
    rest = [t for t in terms
            if not (t.coef == 1.0 and len(t.factors) == 1 and _is_element_read(t.factors[0], x, eqn, key))]
    if len(rest) == len(terms) - 1:
        out = _reapply(x, chain)
        added = factored_sum(rest, expansion) if rest else None
        if added is None:
            return out
        if isinstance(x.type, List) and added.type != value.type:
            return None  # a number cannot be added to an array in a list
        return cast(Operand, add_at(out, added, *key, key=eqn.attrs["key"]))
    return _reapply(cast(Operand, store(x, value, *key, key=eqn.attrs["key"])), chain) if eqn.op is add_at else None


def add_then_read(eqn: Eqn, args: Sequence[Operand]) -> Operand | None:
    """x[i] += v; t = x[i] -> t = x[i] + v; x[i] = t"""
    x, value, *key = args
    before = cast(Operand, index(x, *key, key=eqn.attrs["key"]))
    return cast(Operand, store(x, add(before, value), *key, key=eqn.attrs["key"]))


@block_rule()
def add_through_view(eqn: Eqn, args: Sequence[Operand], uses: Mapping[Value, int]) -> Operand | None:
    """v = zeros; v[j] = a; x[k] += v -> x[k][j] += a"""
    if eqn.op is not add_at:
        return None
    x, value, *key = args
    parts: list[tuple[Operand, Any]] = []
    view = split(eqn.attrs["key"], key)
    while (write := adjoint_eqn(value)) is not None and write.op in (store, add_at) and uses.get(write.out, 1) == 1:
        parts.append((write.args[1], compose_subscripts(view, split(write.attrs["key"], write.args[2:]))))
        value = write.args[0]
        if write.op is store and not is_zeros(value):
            return None
    if not parts or not is_zeros(value) or any(items is None for _, items in parts):
        return None
    for v, items in reversed(parts):
        key_, operands = join(items)
        x = cast(Operand, add_at(x, v, *operands, key=key_))
    return x


def compose_subscripts(view: Sequence[Any], items: Sequence[Any]) -> list[Any] | None:
    """The subscript k with `x[k]` equal to `x[view][items]`; None if it would depend on sizes."""
    rest = list(items)
    if any(item is None or item is Ellipsis or isinstance(item.type, Tensor) and item.type.is_array
           for item in (*view, *items) if not isinstance(item, slice)):
        return None
    out: list[Any] = []
    for item in view:
        part = item if not isinstance(item, slice) or not rest else _compose_item(item, rest.pop(0))
        if part is None:
            return None
        out.append(part)
    return [*out, *rest]


def _compose_item(whole: slice, item: Any) -> Any:
    """`x[whole][item]` as one item, with literal positions that count from the same end."""
    start, stop, step = (0 if b is None else number(b) for b in (whole.start, whole.stop, whole.step))
    if whole == slice(None):
        return item
    if step != 0 or start is None or start < 0 or stop is None or stop > 0 or whole.stop is not None and stop == 0:
        return None
    if isinstance(item, slice):
        first, last = (0 if b is None else number(b) for b in (item.start, item.stop))
        is_literal = first is not None and first >= 0 and (item.stop is None or last is not None and last < 0)
        if not is_literal or item.step is not None:
            return None
        return slice(Lit(start + first) if start + first else None, Lit(stop + last) if stop + last else None)
    at = number(item)
    return None if at is None else Lit(start + at if at >= 0 else stop + at)


def is_element(key: Sequence[str]) -> bool:
    """Does the key name one element?"""
    return set(key) == {"i"}


def _reapply(x: Operand, chain: Sequence[Eqn]) -> Operand:
    """`x` after the updates of a chain, which is given last first."""
    for e in reversed(chain):
        x = cast(Operand, add_at(x, *e.args[1:], key=e.attrs["key"]))
    return x


def _is_element_read(v: Operand, x: Operand, eqn: Eqn, key: Sequence[Operand]) -> bool:
    """Is `v` equal to `x[key]`?"""
    read = adjoint_eqn(v)
    return read is not None and read.op is index and read.args[0] == x and _same_key(read, eqn, key, 1)


def _same_key(a: Eqn, b: Eqn, key: Sequence[Operand], first: int) -> bool:
    return a.attrs["key"] == b.attrs["key"] and list(a.args[first:]) == list(key)


@block_rule()
def add_in_branch(eqn: Eqn, args: Sequence[Operand], uses: Mapping[Value, int]) -> Operand | None:
    """v = 0.0 if c else w; x[k] += v -> if not c: x[k] += w"""
    if eqn.op is not add_at:
        return None
    x, value, *key = args
    block = cast(Builder, builder_var.get())
    conditional = adjoint_eqn(value)
    if conditional is None or conditional.op.name != "cond" or not isinstance(value, Value) or uses.get(value, 1) > 1:
        return None
    cond_outs = conditional.outs
    k = cond_outs.index(value)
    branches = [branch.results[k] for branch in conditional.regions]
    if not any(map(is_zeros, branches)) or not all(isinstance(v.type, Tensor) for v in branches):
        return None
    at = _position(block.eqns, conditional, {a for a in (x, *key) if isinstance(a, Value) and a not in cond_outs})
    array_out = cond_outs.index(x) if isinstance(x, Value) and x in cond_outs else None
    is_array_shared = array_out is not None and uses.get(cond_outs[array_out], 1) > 1
    if at is None or any(a in cond_outs for a in key) or is_array_shared:
        return None
    regions = []
    for branch in conditional.regions:
        with block.nested() as b:
            for e in branch.eqns:
                b.add(e)
            before = x if array_out is None else branch.results[array_out]
            v = branch.results[k]
            after = before if is_zeros(v) else cast(Operand, add_at(before, v, *key, key=eqn.attrs["key"]))
        results = [r for j, r in enumerate(branch.results) if j not in (k, array_out)]
        regions.append(b.finish(branch.name, branch.params, [*results, after]))
    outs = tuple(o for j, o in enumerate(cond_outs) if j not in (k, array_out))
    out = Value(eqn.out.type, eqn.out.hint)
    block.eqns[at] = conditional = conditional.replace(outs=(*outs, out), regions=tuple(regions))
    block.defs.update((o, conditional) for o in conditional.outs)
    return out


def _position(eqns: Sequence[Eqn], eqn: Eqn, reads: set[Value]) -> int | None:
    """The position of `eqn` in the block, if none of the values `reads` is bound after it."""
    for at in range(len(eqns) - 1, max(-1, len(eqns) - 1 - REACH), -1):
        if eqns[at] is eqn:
            return at
        if not reads.isdisjoint(eqns[at].outs):
            return None
    return None
