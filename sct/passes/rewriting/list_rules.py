"""Rules of lists: what is put in and taken out again, sums with zeros.

See `rules` for what a rule is.
"""

from __future__ import annotations

from typing import Any

from sct.ir.core import Lit, Operand
from sct.ir.types import List
from sct.ops.arrays.indexing import add_at, store
from sct.ops.program.list_ops import append, repeat, shifted
from sct.passes.rewriting.arithmetic_rules import definition, is_zeros, made_by, number, rule

__all__: list[str] = []

LAST = (Lit(-1),)


@rule("index")
def item_put_in(x: Operand, *at: Operand, key: tuple[str, ...]) -> Any:
    """(xs with v appended)[-1] -> v;  ([v] * n)[i] -> v;  [a, b][1] -> b"""
    if key != ("i",) or not isinstance(x.type, List):
        return None
    if at == LAST and (args := made_by(x, "append")) is not None:
        return args[1]
    if (args := made_by(x, "repeat")) is not None:
        return args[0]
    if (args := made_by(x, "list_of")) is not None and (k := number(at[0])) is not None and -len(args) <= k < len(args):
        return args[int(k)]
    return None


@rule("remove_at")
def put_in_and_out(xs: Operand, i: Operand, deleted: bool = False) -> Any:
    """(xs with v appended) without its last -> xs"""
    args = made_by(xs, "append")
    return args[0] if args is not None and i == LAST[0] else None


@rule("append")
def taken_out_and_in(xs: Operand, v: Operand) -> Any:
    """(xs without its last) with the last of xs appended -> xs"""
    rest, last = made_by(xs, "remove_at"), definition(v)
    if rest is None or rest[1] != LAST[0] or last is None or last.op.name != "index":
        return None
    return rest[0] if last.args == (rest[0], LAST[0]) and last.attrs["key"] == ("i",) else None


@rule("store")
def last_written(xs: Operand, v: Operand, *at: Operand, key: tuple[str, ...]) -> Any:
    """(xs with u appended), its last made v -> xs with v appended"""
    args = made_by(xs, "append")
    return append(args[0], v) if args is not None and at == LAST and key == ("i",) else None


@rule("add_at")
def last_added_to(xs: Operand, v: Operand, *at: Operand, key: tuple[str, ...]) -> Any:
    """(xs with 0 appended), v added to its last -> xs with v appended"""
    args = made_by(xs, "append")
    if args is None or at != LAST or key != ("i",) or not is_zeros(args[1]):
        return None
    return append(args[0], v)


@rule("add_lists")
def sum_with_zeros(xs: Operand, ys: Operand) -> Any:
    """xs + zeros -> xs;  xs + (zeros with v added to ys[i]) -> xs with v added to xs[i];  xs + [v] * n -> v + each"""
    for a, b in ((xs, ys), (ys, xs)):
        if is_zeros(b):
            return a
        eqn = definition(b)
        if eqn is not None and eqn.op in (store, add_at) and is_zeros(eqn.args[0]) \
                and not isinstance(eqn.args[1].type, List) and all(k == "i" for k in eqn.attrs["key"]):
            return add_at(a, *eqn.args[1:], key=eqn.attrs["key"])
        if eqn is not None and eqn.op is repeat:
            return shifted(a, eqn.args[0])
    return None
