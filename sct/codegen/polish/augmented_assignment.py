"""Augmented assignments, and short expressions that are computed for each reader.

    t = u[i]; s = t + v; store(u, s, i)     ->   u[i] += v
    t = i + 1; ... u[t] ... w[t] ...        ->   ... u[i + 1] ... w[i + 1] ...

`inline_expressions` inlines only what is read once, so a short expression with several readers is duplicated before.
"""

from __future__ import annotations

from collections import Counter, defaultdict

from sct.codegen.program.recover_jumps import COMPARISONS
from sct.codegen.program.statement_ir import (
    Block,
    Evaluate,
    If,
    Loop,
    Select,
    Statement,
    Update,
    statements,
)
from sct.ir.core import Eqn, Lit, Operand, Value, is_effect
from sct.ir.types import List, Tensor
from sct.ops.registry import aliases

__all__ = ["augment_assignments"]

_MAX_READERS = 6
_MAX_ITEMS = 2


def augment_assignments(block: Block) -> Block:
    """The block, changed in place."""
    uses = Counter(x for s in statements(block) for x in s.reads if isinstance(x, Value))
    _augment(block, uses)
    _duplicate_comparisons(block, uses, _constants(block))
    return block


def _constants(block: Block) -> set[Value]:
    """The parameters that do not change: values that nothing assigns, and whose names no other value has."""
    assigned = {v for s in statements(block) for v in s.bound}
    read = {x for s in statements(block) for x in s.reads if isinstance(x, Value)}
    names = Counter(v.hint for v in assigned | read)
    return {v for v in read - assigned if v.hint is not None and names[v.hint] == 1}


def _duplicate_comparisons(block: Block, uses: Counter[Value], constants: set[Value]) -> None:
    """t = a > 1.0; if t: ...; if t: ...   ->   if a > 1.0: ...; if a > 1.0: ..."""
    comparisons = {s.eqn.out: s for s in block if isinstance(s, Evaluate) and _is_comparison(s.eqn, constants)}
    conditionals = [s for s in block if isinstance(s, If) and s.test in comparisons]
    counts = Counter(s.test for s in conditionals)
    rewritten: Block = []
    for s in block:
        comparison = comparisons.get(s.test) if isinstance(s, If) and isinstance(s.test, Value) else None
        if isinstance(s, Evaluate) and s in comparisons.values() and counts[s.eqn.out] == uses[s.eqn.out] > 1:
            continue
        if isinstance(s, If) and comparison is not None and counts[s.test] == uses[comparison.eqn.out] > 1:
            s.test = Value(comparison.eqn.out.type)
            rewritten.append(Evaluate(comparison.eqn.replace(outs=(s.test,)), comparison.like))
        rewritten.append(s)
    block[:] = rewritten


def _is_comparison(eqn: Eqn, constants: set[Value]) -> bool:
    """Does the equation compare constant numbers and literals?"""
    return eqn.op.name in COMPARISONS and eqn.out.hint is None and all(
        isinstance(x, Lit) or x in constants and isinstance(x.type, Tensor) and x.type.is_scalar for x in eqn.args)


def _augment(block: Block, uses: Counter[Value]) -> None:
    _sink_offsets(block, uses)
    for s in block:
        for inner in s.blocks:
            _augment(inner, uses)
    _combine_updates(block, uses)
    _duplicate_short_views(block, uses)


# -- x[key] op= value -------------------------------------------------------------------------


def _combine_updates(block: Block, uses: Counter[Value]) -> None:
    """Replace the read, the operation and the store by one statement."""
    definitions: dict[Operand, tuple[int, Eqn]] = {
        s.eqn.out: (k, s.eqn) for k, s in enumerate(block) if isinstance(s, Evaluate) and len(s.eqn.outs) == 1}
    dropped: set[int] = set()

    def drop(k: int, out: Operand, args: tuple[Operand, ...]) -> None:
        """Count one reader of `out` less; drop its definition, the statement `k`, if none is left."""
        uses.subtract([out] if isinstance(out, Value) else [])
        if isinstance(out, Value) and not uses[out]:
            dropped.add(k)
            uses.subtract(x for x in args if isinstance(x, Value))

    for k, s in enumerate(block):
        if not isinstance(s, Evaluate) or s.eqn.op.name != "store" or s.eqn.inplace is None:
            continue
        x, value, *_ = s.eqn.args
        definition = definitions.get(value)
        if definition is None or not isinstance(value, Value) or uses[value] != 1:
            continue
        place, operation = definition
        if value.hint is not None and operation.primal or operation.op.augmented is None or not _is_operator(operation):
            continue
        first, other = operation.args
        read = definitions.get(first)
        if not operation.primal and operation.op.commutative and not (
                read and _is_overwritten_part(read[1], s.eqn, uses)):
            first, other = other, first
            read = definitions.get(first)
        same_kind = _dtype(value) == _dtype(x) or _is_number_in_list(value, x)
        if first is x and x.type == value.type and s.eqn.attrs["key"] == ("e",):
            block[k] = Update(s.eqn, operation, other)
        elif read and _is_overwritten_part(read[1], s.eqn, uses) and same_kind:
            block[k] = Update(s.eqn, operation, other)
            drop(read[0], first, read[1].args)
        else:
            continue
        dropped.add(place)
    block[:] = [s for k, s in enumerate(block) if k not in dropped]


def _is_overwritten_part(read: Eqn, store: Eqn, uses: Counter[Value]) -> bool:
    """Does `read` read the part that `store` overwrites, and is it short or without other readers?"""
    return (read.op.name == "index" and read.attrs["key"] == store.attrs["key"]
            and read.args == (store.args[0], *store.args[2:]) and (uses[read.out] == 1 or _is_short_slice(read)))


def _is_number_in_list(value: Operand, x: Operand) -> bool:
    """Is a number written into a list?  The kinds of the two need not agree, as the list holds any number."""
    return isinstance(x.type, List) and isinstance(value.type, Tensor) and value.type.is_scalar


def _dtype(x: Operand) -> str | None:
    return x.type.dtype if isinstance(x.type, Tensor) else None


def _is_operator(eqn: Eqn) -> bool:
    return eqn.spelling is None or eqn.spelling.startswith("operator.")


# -- short expressions ------------------------------------------------------------------------


def _duplicate_short_views(block: Block, uses: Counter[Value]) -> None:
    """Duplicate short views and `i + 1` for each reader, if all readers are in this block."""
    readers: dict[Value, list[int]] = defaultdict(list)
    for k, s in enumerate(block):
        if not isinstance(s, (If, Select)):
            for x in s.operands:
                if isinstance(x, Value):
                    readers[x].append(k)
    copies: dict[int, list[Statement]] = defaultdict(list)
    for k, s in enumerate(block):
        if not isinstance(s, Evaluate) or len(s.eqn.outs) != 1 or s.eqn.out.hint is not None:
            continue
        places = readers[s.eqn.out]
        if not 1 < len(places) == len(set(places)) == uses[s.eqn.out] <= _MAX_READERS:
            continue
        if any(_writes_into(block[j], s.eqn.out) for j in places):
            continue
        if _is_offset(s.eqn) or len(places) == 2 and _is_short_view(s.eqn) and not _may_write(block, k, places[-1]):
            for j in places[1:]:
                copy = _copied(s)
                if _replace_operand(block[j], s.eqn.out, copy.eqn.out):
                    copies[k].append(copy)
    block[:] = [t for k, s in enumerate(block) for t in (s, *copies[k])]


def _sink_offsets(block: Block, uses: Counter[Value]) -> None:
    """Move `i + 1` into the branches of a conditional that have it as a subscript."""
    offsets: dict[Value, Evaluate] = {}
    for s in block:
        if isinstance(s, Evaluate) and len(s.eqn.outs) == 1 and s.eqn.out.hint is None and _is_offset(s.eqn):
            offsets[s.eqn.out] = s
        for branch in s.blocks if isinstance(s, If) else ():
            copies: dict[Operand, Evaluate] = {}
            for t in filter(_has_subscript, statements(branch)):
                for x in dict.fromkeys(t.operands):
                    if isinstance(x, Value) and x in offsets:
                        copy = copies.setdefault(x, _copied(offsets[x])).eqn.out
                        count = t.operands.count(x)
                        uses.update({copy: count, x: -count} if _replace_operand(t, x, copy) else {})
            branch[:0] = [c for c in copies.values() if uses[c.eqn.out]]
    unread = [s for x, s in offsets.items() if not uses[x]]
    block[:] = [s for s in block if s not in unread]


def _has_subscript(s: Statement) -> bool:
    return isinstance(s, Update) or isinstance(s, Evaluate) and s.eqn.op.name in ("index", "store", "add_at")


def _copied(s: Evaluate) -> Evaluate:
    return Evaluate(s.eqn.replace(outs=(Value(s.eqn.out.type, dim=s.eqn.out.dim),)), s.like)


def _replace_operand(s: Statement, old: Value, new: Value) -> bool:
    """Replace the operand `old` of an equation, an update or a loop by `new`; False for another statement."""
    if not isinstance(s, (Evaluate, Update, Loop)):
        return False
    s.replace_operands(lambda x: new if x is old else x)
    return True


def _writes_into(s: Statement, x: Value) -> bool:
    eqn = s.eqn if isinstance(s, (Evaluate, Update)) else None
    return eqn is not None and (eqn.inplace is not None or isinstance(s, Update)) and eqn.args[eqn.inplace or 0] is x


def _is_offset(eqn: Eqn) -> bool:
    """Is this the sum or difference of an int and an int literal?"""
    return (eqn.op.name in ("add", "sub") and _is_operator(eqn) and _is_int(eqn.out)
            and isinstance(eqn.args[1], Lit) and isinstance(eqn.args[0], Value) and _is_int(eqn.args[0]))


def _is_int(x: Value) -> bool:
    return isinstance(x.type, Tensor) and x.type.carrier == "py" and x.type.dtype == "int"


def _is_short_view(eqn: Eqn) -> bool:
    return eqn.op.name == "index" and eqn.out.hint is None and _is_short_slice(eqn)


def _is_short_slice(eqn: Eqn) -> bool:
    """Is the view that the equation takes a slice between literals?"""
    if len(eqn.attrs["key"]) > _MAX_ITEMS:
        return False
    slices = all(k[0] == "s" for k in eqn.attrs["key"]) and all(isinstance(x, Lit) for x in eqn.args[1:])
    return slices and aliases(eqn) == "view"


def _may_write(block: Block, k: int, last: int) -> bool:
    """May a statement from `k` to `last` write into an array?"""
    return not all(isinstance(s, Evaluate) and s.eqn.inplace is None and not is_effect(s.eqn) for s in block[k:last]) \
        or not isinstance(block[last], (Evaluate, Update))
