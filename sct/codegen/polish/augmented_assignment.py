"""Programs written as one writes them by hand.

    t = u[i]; s = t + v; store(u, s, i)     ->   u[i] += v
    t = i + 1; ... u[t] ... w[t] ...        ->   ... u[i + 1] ... w[i + 1] ...
"""

from __future__ import annotations

from collections import Counter, defaultdict

from sct.codegen.program.statement_ir import (
    Block,
    Evaluate,
    If,
    Loop,
    Select,
    Statement,
    Update,
    blocks,
    operands,
    reads,
    statements,
    targets,
)
from sct.ir.core import Eqn, Lit, Operand, Value, is_effect
from sct.ir.types import List, Tensor
from sct.ops.registry import aliases

__all__ = ["AUGMENTED", "augment_assignments"]

AUGMENTED = frozenset(["add", "sub", "mul", "div"])
"""Ops with an augmented assignment."""

_MOST_READERS = 6
_MOST_ITEMS = 2


def augment_assignments(block: Block) -> Block:
    """The block with updates in place and short parts where they are read."""
    uses = Counter(x for s in statements(block) for x in reads(s) if isinstance(x, Value))
    _spell(block, uses)
    _ask_again(block, uses, _lasting(block))
    return block


def _lasting(block: Block) -> set[Value]:
    """What is never assigned, the only value of its name: a parameter that stays what it is."""
    made = {v for s in statements(block) for v in targets(s)}
    made.update(v for s in statements(block) if isinstance(s, Loop) for z in s.zipped for v in z.values)
    read = {x for s in statements(block) for x in reads(s) if isinstance(x, Value)}
    names = Counter(v.hint for v in made | read)
    return {v for v in read - made if v.hint is not None and names[v.hint] == 1}


def _ask_again(block: Block, uses: Counter[Value], lasting: set[Value]) -> None:
    """t = a > 1.0; if t: ...; if t: ...   ->   if a > 1.0: ...; if a > 1.0: ..."""
    made = {s.eqn.out: s for s in block if isinstance(s, Evaluate) and _is_comparison(s.eqn, lasting)}
    tests = [s for s in block if isinstance(s, If) and s.test in made]
    counts = Counter(s.test for s in tests)
    found: Block = []
    for s in block:
        test = made.get(s.test) if isinstance(s, If) and isinstance(s.test, Value) else None
        if isinstance(s, Evaluate) and s in made.values() and counts[s.eqn.out] == uses[s.eqn.out] > 1:
            continue
        if isinstance(s, If) and test is not None and counts[s.test] == uses[test.eqn.out] > 1:
            s.test = Value(test.eqn.out.type)
            found.append(Evaluate(test.eqn.with_(outs=(s.test,)), test.like))
        found.append(s)
    block[:] = found


def _is_comparison(eqn: Eqn, lasting: set[Value]) -> bool:
    """Is this one of numbers that stay what they are, and literals?"""
    return eqn.op.name in _COMPARISONS and eqn.out.hint is None and all(
        isinstance(x, Lit) or x in lasting and isinstance(x.type, Tensor) and x.type.is_scalar for x in eqn.args)


_COMPARISONS = ("lt", "le", "gt", "ge", "eq", "ne")


def _spell(block: Block, uses: Counter[Value]) -> None:
    _into_arms(block, uses)
    for s in block:
        for inner in blocks(s):
            _spell(inner, uses)
    _combine_updates(block, uses)
    _spread(block, uses)


# -- x[key] op= value -------------------------------------------------------------------------


def _combine_updates(block: Block, uses: Counter[Value]) -> None:
    """Replace the reading, the sum and the writing by one statement."""
    made: dict[Operand, tuple[int, Eqn]] = {
        s.eqn.out: (k, s.eqn) for k, s in enumerate(block) if isinstance(s, Evaluate) and len(s.eqn.outs) == 1}
    gone: set[int] = set()

    def drop(k: int, out: Operand, args: tuple[Operand, ...]) -> None:
        """One reader less of `out`, and none of its operands if it has no more."""
        uses.subtract([out] if isinstance(out, Value) else [])
        if isinstance(out, Value) and not uses[out]:
            gone.add(k)
            uses.subtract(x for x in args if isinstance(x, Value))

    for k, s in enumerate(block):
        if not isinstance(s, Evaluate) or s.eqn.op.name != "store" or s.eqn.inplace is None:
            continue
        x, value, *_ = s.eqn.args
        by = made.get(value) if isinstance(value, Value) and uses[value] == 1 and value.hint is None else None
        if by is None or by[1].op.name not in AUGMENTED or not _is_operator(by[1]):
            continue
        first, other = by[1].args
        read = made.get(first)
        if first is x and x.type == value.type and s.eqn.attrs["key"] == ("e",):
            block[k] = Update(s.eqn, by[1], other)
        elif read and _is_part(read[1], s.eqn, uses) and (_dtype(value) == _dtype(x) or _is_number_in_list(value, x)):
            block[k] = Update(s.eqn, by[1], other)
            drop(read[0], first, read[1].args)
        else:
            continue
        gone.add(by[0])
    block[:] = [s for k, s in enumerate(block) if k not in gone]


def _is_part(read: Eqn, store: Eqn, uses: Counter[Value]) -> bool:
    """Is `read` the part that `store` overwrites, and wanted for that alone or short?"""
    return (read.op.name == "index" and read.attrs["key"] == store.attrs["key"]
            and read.args == (store.args[0], *store.args[2:]) and (uses[read.out] == 1 or _is_short_view(read)))


def _is_number_in_list(value: Operand, x: Operand) -> bool:
    """A number of a list is put back, whatever its kind; an array in it is not written."""
    return isinstance(x.type, List) and isinstance(value.type, Tensor) and value.type.is_scalar


def _dtype(x: Operand) -> str | None:
    return x.type.dtype if isinstance(x.type, Tensor) else None


def _is_operator(eqn: Eqn) -> bool:
    return eqn.spelling is None or eqn.spelling.startswith("operator.")


# -- short parts ------------------------------------------------------------------------------


def _spread(block: Block, uses: Counter[Value]) -> None:
    """Make short views and `i + 1` anew for each of their readers, where all are in this block."""
    readers: dict[Value, list[int]] = defaultdict(list)
    for k, s in enumerate(block):
        if not isinstance(s, (If, Select)):
            for x in operands(s):
                if isinstance(x, Value):
                    readers[x].append(k)
    again: dict[int, list[Statement]] = defaultdict(list)
    for k, s in enumerate(block):
        if not isinstance(s, Evaluate) or len(s.eqn.outs) != 1 or s.eqn.out.hint is not None:
            continue
        at = readers[s.eqn.out]
        several = 1 < len(at) == len(set(at)) == uses[s.eqn.out] <= _MOST_READERS
        if several and (_is_offset(s.eqn) or len(at) == 2 and _is_short_view(s.eqn) and not _written(block, k, at[-1])):
            for j in at[1:]:
                copy = _copied(s)
                if _read_instead(block[j], s.eqn.out, copy.eqn.out):
                    again[k].append(copy)
    block[:] = [t for k, s in enumerate(block) for t in (s, *again[k])]


def _into_arms(block: Block, uses: Counter[Value]) -> None:
    """Make `i + 1` anew in each arm that has it as a subscript."""
    made: dict[Value, Evaluate] = {}
    for s in block:
        if isinstance(s, Evaluate) and len(s.eqn.outs) == 1 and s.eqn.out.hint is None and _is_offset(s.eqn):
            made[s.eqn.out] = s
        for arm in blocks(s) if isinstance(s, If) else ():
            copies: dict[Operand, Evaluate] = {}
            for t in filter(_has_subscript, statements(arm)):
                for x in dict.fromkeys(operands(t)):
                    if isinstance(x, Value) and x in made:
                        copy = copies.setdefault(x, _copied(made[x])).eqn.out
                        count = operands(t).count(x)
                        uses.update({copy: count, x: -count} if _read_instead(t, x, copy) else {})
            arm[:0] = [c for c in copies.values() if uses[c.eqn.out]]
    gone = [s for x, s in made.items() if not uses[x]]
    block[:] = [s for s in block if s not in gone]


def _has_subscript(s: Statement) -> bool:
    return isinstance(s, Update) or isinstance(s, Evaluate) and s.eqn.op.name in ("index", "store", "add_at")


def _copied(s: Evaluate) -> Evaluate:
    return Evaluate(s.eqn.with_(outs=(Value(s.eqn.out.type, dim=s.eqn.out.dim),)), s.like)


def _read_instead(s: Statement, old: Value, new: Value) -> bool:
    """Let `s` read `new`; False if it is not a statement that can."""
    if isinstance(s, Evaluate):
        s.eqn = s.eqn.with_(args=tuple(new if x is old else x for x in s.eqn.args))
    elif isinstance(s, Update):
        s.eqn = s.eqn.with_(args=tuple(new if x is old else x for x in s.eqn.args))
        s.value = new if s.value is old else s.value
    elif isinstance(s, Loop):
        s.bounds = tuple(new if x is old else x for x in s.bounds)
    else:
        return False
    return True


def _is_offset(eqn: Eqn) -> bool:
    """Is this an int and a literal one, added or subtracted?"""
    return (eqn.op.name in ("add", "sub") and _is_operator(eqn) and _is_int(eqn.out)
            and isinstance(eqn.args[1], Lit) and isinstance(eqn.args[0], Value) and _is_int(eqn.args[0]))


def _is_int(x: Value) -> bool:
    return isinstance(x.type, Tensor) and x.type.carrier == "py" and x.type.dtype == "int"


def _is_short_view(eqn: Eqn) -> bool:
    if eqn.op.name != "index" or eqn.out.hint is not None or len(eqn.attrs["key"]) > _MOST_ITEMS:
        return False
    slices = all(k[0] == "s" for k in eqn.attrs["key"]) and all(isinstance(x, Lit) for x in eqn.args[1:])
    return slices and aliases(eqn) == "view"


def _written(block: Block, k: int, last: int) -> bool:
    """Is anything written, or unclear, between the statements `k` and `last`?"""
    return not all(isinstance(s, Evaluate) and s.eqn.inplace is None and not is_effect(s.eqn) for s in block[k:last]) \
        or not isinstance(block[last], (Evaluate, Update))
