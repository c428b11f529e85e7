"""Rewrite rules of lists: items that are appended and read or removed again, sums with zeros."""

from __future__ import annotations

from typing import Any

from sct.ir.core import Lit, Operand
from sct.ir.types import List
from sct.ops.arrays.indexing import add_at, store
from sct.ops.program.list_ops import append, repeat, shifted
from sct.passes.rewriting.arithmetic_rules import adjoint_eqn, is_zeros, number, operands_of, rule

__all__: list[str] = []

LAST = (Lit(-1),)


@rule("index")
def index_new_item(x: Operand, *at: Operand, key: tuple[str, ...]) -> Any:
    """(xs with v appended)[-1] -> v;  ([v] * n)[i] -> v;  [a, b][1] -> b"""
    if key != ("i",) or not isinstance(x.type, List):
        return None
    if at == LAST and (args := operands_of(x, "append")) is not None:
        return args[1]
    if (args := operands_of(x, "repeat")) is not None:
        return args[0]
    args, k = operands_of(x, "list_of"), number(at[0])
    return args[int(k)] if args is not None and k is not None and -len(args) <= k < len(args) else None


@rule("remove_at")
def remove_appended(xs: Operand, i: Operand, deleted: bool = False) -> Any:
    """(xs with v appended) without its last -> xs"""
    args = operands_of(xs, "append")
    return args[0] if args is not None and i == LAST[0] else None


@rule("append")
def append_removed(xs: Operand, v: Operand) -> Any:
    """(xs without its last) with the last of xs appended -> xs"""
    rest, last = operands_of(xs, "remove_at"), adjoint_eqn(v)
    if rest is None or rest[1] != LAST[0] or last is None or last.op.name != "index":
        return None
    return rest[0] if last.args == (rest[0], LAST[0]) and last.attrs["key"] == ("i",) else None


@rule("store")
def store_to_appended(xs: Operand, v: Operand, *at: Operand, key: tuple[str, ...]) -> Any:
    """(xs with u appended), its last replaced by v -> xs with v appended"""
    args = operands_of(xs, "append")
    return append(args[0], v) if args is not None and at == LAST and key == ("i",) else None


@rule("add_at")
def add_to_appended(xs: Operand, v: Operand, *at: Operand, key: tuple[str, ...]) -> Any:
    """(xs with 0 appended), v added to its last -> xs with v appended"""
    args = operands_of(xs, "append")
    if args is None or at != LAST or key != ("i",) or not is_zeros(args[1]):
        return None
    return append(args[0], v)


@rule("add_lists")
def add_zero_lists(xs: Operand, ys: Operand) -> Any:
    """xs + zeros -> xs;  xs + (zeros with v added to ys[i]) -> xs with v added to xs[i];  xs + [v] * n -> v + each"""
    for a, b in ((xs, ys), (ys, xs)):
        if is_zeros(b):
            return a
        eqn = adjoint_eqn(b)
        if eqn is not None and eqn.op in (store, add_at) and is_zeros(eqn.args[0]) \
                and not isinstance(eqn.args[1].type, List) and all(k == "i" for k in eqn.attrs["key"]):
            return add_at(a, *eqn.args[1:], key=eqn.attrs["key"])
        if eqn is not None and eqn.op is repeat:
            return shifted(a, eqn.args[0])
    return None
