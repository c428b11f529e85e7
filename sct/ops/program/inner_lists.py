"""Updates of a list in a list, by the positions that lead to it.

    append_in(xs, v, i, key=("i", "i"))   xs[i].append(v)
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

from sct.ir.core import Eqn, Lit, Op, Operand, Value
from sct.ir.types import List, Type
from sct.ops.arrays.indexing import index, with_shape_of
from sct.ops.program.list_ops import append, insert_at, position_of, remove_at, zero
from sct.ops.registry import op, template

__all__ = ["INNER_UPDATES", "inner_key", "path_of"]

DEEPEST = 8
"""At most so many positions lead to a list."""


def inner_key(depth: int) -> tuple[str, ...]:
    """The attr `key` of an update of a list so deep in a list: the positions that lead to it, and one in it."""
    return ("i",) * (depth + 1)


def path_of(eqn: Eqn) -> tuple[Operand, ...]:
    """The positions that lead to the list that an equation updates; none if it is in no list."""
    return eqn.args[1 - len(eqn.attrs["key"]):] if eqn.op in INNER_UPDATES.values() else ()


def _inner(update: Op, operands: int, linear: Callable[..., list[Any]]) -> Op:
    """The op `update`, with that many operands, of the list at the positions that are its last operands."""
    def typed(xs: Operand, *args: Operand, key: tuple[str, ...], **attrs: Any) -> Type:
        levels: list[Type] = [xs.type]
        for _ in key[1:]:
            level = levels[-1]
            assert isinstance(level, List)
            levels.append(level.elem)
        t = update.type(Value(levels[-1]), *args[:operands - 1], **attrs)
        assert not isinstance(t, tuple)
        for _ in key[1:]:
            t = List(t)
        return t

    def run(xs: list[Any], *args: Any, key: tuple[str, ...], **attrs: Any) -> list[Any]:
        run_update = update.run
        assert run_update is not None
        return _replaced(xs, args[operands - 1:], lambda inner: run_update(inner, *args[:operands - 1], **attrs))

    def text(xs: Operand, *args: Operand, key: tuple[str, ...], **attrs: Any) -> str:
        inner = "_0" + "".join(f"[_{operands + k}]" for k in range(len(key) - 1))
        return re.sub(r"\b_0\b", inner, str(template(update, (xs, *args[:operands - 1]), attrs)))

    positions = operands - 1 if update is not append else operands
    return op(f"{update.name}_in", type=typed, run=run, emit=text, updates=True, holds=update.holds, allocates=True,
              raises="value", defaults=update.defaults, linear=linear,
              inactive=tuple(range(positions, operands + DEEPEST)))


def _replaced(xs: list[Any], path: tuple[Any, ...], f: Callable[[list[Any]], list[Any]]) -> list[Any]:
    if not path:
        return f(xs)
    copied = list(xs)
    copied[path[0]] = _replaced(xs[path[0]], path[1:], f)
    return copied


def _at(xs: Operand, *path: Any) -> Any:
    return index(xs, *path, key=("i",) * len(path))


def _taken_out(ct: Operand, i: Any, v: Operand, path: tuple[Operand, ...], key: tuple[str, ...]) -> list[Any]:
    """The rest of the lists, and the element at `i`, which is read first: the cotangent of `v`."""
    dv = with_shape_of(_at(ct, *path, i), v)
    return [remove_in(ct, i, *path, key=key), dv]


def _append_linear(ct: Operand, xs: Operand, v: Operand, *path: Operand, key: tuple[str, ...]) -> list[Any]:
    return [*_taken_out(ct, -1, v, path, key), *[None] * len(path)]


def _insert_linear(ct: Operand, xs: Operand, v: Operand, i: Operand, *path: Operand, key: tuple[str, ...]
                   ) -> list[Any]:
    return [*_taken_out(ct, i, v, path, key), None, *[None] * len(path)]


def _remove_linear(ct: Operand, xs: Operand, i: Operand, *path: Operand, key: tuple[str, ...], deleted: bool = False
                   ) -> list[Any]:
    z = zero(_at(xs, *path, i))
    put_in = append_in(ct, z, *path, key=key) if i == Lit(-1) else \
        insert_in(ct, z, position_of(i, _at(ct, *path)), *path, key=key)
    return [put_in, None, *[None] * len(path)]


append_in = _inner(append, 2, _append_linear)
insert_in = _inner(insert_at, 3, _insert_linear)
remove_in = _inner(remove_at, 2, _remove_linear)

INNER_UPDATES: Mapping[Op, Op] = {append: append_in, insert_at: insert_in, remove_at: remove_in}
"""By an update of a list, the same update of a list in a list."""
