"""Effects of the function on its arguments: which parts it writes, and which it leaves unchanged."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Union

from sct.frontend.state.state import State
from sct.frontend.values.abstract_values import (
    Abstract,
    Array,
    Container,
    DefaultRef,
    DictRef,
    ListRef,
    ObjRef,
    Ref,
    Slots,
    Static,
    Tup,
)
from sct.frontend.values.primal_record import ArgumentPart
from sct.ir import Eqn, Fn, Operand, Value, walk
from sct.ir.types import Tensor
from sct.ops import call, store

__all__ = ["argument_contents", "final_contents"]


@dataclass(frozen=True)
class _Size:
    """The keys of a dict, or how many items a list has."""

    keys: Any


Contents = dict[ArgumentPart, Union[Operand, _Size]]


def argument_contents(ev: State, args: Mapping[int | str, Abstract]) -> Contents:
    """The current contents of the parts of the arguments, as far as they can be read without new equations.

    An argument that the function puts into itself is seen into once.
    """
    return {place: x for k, v in args.items() for place, x in _contents(ev, v, (k,))}


def final_contents(ev: State, before: Contents, after: Contents, eqns: Sequence[Eqn]
                   ) -> tuple[tuple[ArgumentPart, ...], tuple[tuple[ArgumentPart, Operand], ...]]:
    """The parts that `eqns` leave unchanged, and those that they write one by one.

    After a loop or a branch, a write through another name may reach the same buffer.  There an array counts as
    unchanged only if nothing is written at all, and no part counts as written.
    """
    straight = not any(e.regions or e.op is call for e in eqns)
    writes = any(e.op is call or e.op.updates for e in walk(Fn("f", (), tuple(eqns), ())))
    unwritten = tuple(place for place, x in before.items() if after.get(place) == x and (
        straight or not writes and isinstance(x, Value) and isinstance(x.type, Tensor) and x.type.is_array))
    written = tuple((place, x) for place, x in after.items()
                    if isinstance(x, Value) and before.get(place) != x and _stored(ev, x, before.get(place)))
    return unwritten, written if straight else ()


def _stored(ev: State, x: Any, first: object) -> bool:
    """Is `x` the array `first` after writes of elements?"""
    while x is not first:
        eqn = ev.defs.get(x) if isinstance(x, Value) else None
        if eqn is None or eqn.op is not store:
            return False
        x = eqn.args[0]
    return True


def _contents(ev: State, v: Abstract, at: ArgumentPart, around: tuple[int, ...] = ()
              ) -> Iterator[tuple[ArgumentPart, Operand | _Size]]:
    """The parts of a value; `around`: the addresses of the containers that hold it."""
    if isinstance(v, Tup):
        for key, item in zip(v.fields or range(len(v.items)), v.items):
            if isinstance(item, (Ref, Container, Tup)):
                yield from _contents(ev, item, (*at, ("item" if isinstance(key, int) else "attr", key)), around)
    elif isinstance(v, Ref):
        cell = ev.store.cells.get(v.addr)
        if not v.path and isinstance(cell, Array) and isinstance(cell.value, Value) \
                and isinstance(cell.value.type, Tensor):
            yield at, cell.value
    elif isinstance(v, (ListRef, DictRef, ObjRef)) and not isinstance(v, DefaultRef):
        if v.addr not in around:
            yield from _slots(ev, v, at, (*around, v.addr))
    elif isinstance(v, Value) and isinstance(v.type, Tensor) or isinstance(v, Static) and type(v.value) in (int, float):
        yield at, ev.lit(v)


def _slots(ev: State, v: Any, at: ArgumentPart, around: tuple[int, ...]
           ) -> Iterator[tuple[ArgumentPart, Operand | _Size]]:
    cell = ev.store.cells.get(v.addr)
    if not isinstance(cell, Slots) or cell.schema is not None or cell.parent is not None:
        return
    keys = range(len(cell.items)) if isinstance(v, ListRef) else cell.keys
    if not isinstance(v, ObjRef):
        yield at, _Size(len(keys) if isinstance(v, ListRef) else tuple(keys))
    for key, item in zip(keys, cell.items):
        yield from _contents(ev, item, (*at, ("attr" if isinstance(v, ObjRef) else "item", key)), around)
