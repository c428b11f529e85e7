"""What the function that is differentiated does, as it was read: where that stands in the IR of its derivative.

    region f(x): y = sin(x); x1 = store(x, 0.0, at[0]); return y     value y; afterwards argument 0 holds x1
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Union

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
from sct.ir import Eqn, Fn, Operand, Value, walk
from sct.ir.pytree import Tree
from sct.ir.types import Tensor
from sct.ops import call, store
from sct.ops.program.list_ops import UPDATES

if TYPE_CHECKING:
    from sct.frontend.interpreter.interpreter import Evaluator

__all__ = ["NO_VALUE", "Place", "Reading", "final_contents", "left_behind"]

Place = tuple[Any, ...]
"""An argument, by its position or its name, then steps ("item", key) and ("attr", name)."""


NO_VALUE = "the function returned None: it has no derivative"
"""What is raised where the function returns None instead of a number."""


@dataclass(frozen=True)
class _Size:
    """The keys of a dict, or how many items a list has."""

    keys: Any


Contents = dict[Place, Union[Operand, _Size]]


@dataclass(frozen=True)
class Reading:
    """The region of the function, and what its results mean.

    params     the params of the region, by which it is found
    value      how `outs` are arranged as what the function returns
    unwritten  the parts of the arguments that it leaves as they are
    written    others, and what they hold at its end, where that is known; of the rest nothing is said
    """

    params: tuple[Value, ...]
    outs: tuple[Operand, ...]
    value: Tree
    unwritten: tuple[Place, ...]
    written: tuple[tuple[Place, Operand], ...]


def left_behind(ev: Evaluator, args: Mapping[int | str, Abstract]) -> Contents:
    """What the heap says that the parts of the arguments hold now; nothing is said where that would take equations."""
    return {place: x for k, v in args.items() for place, x in _contents(ev, v, (k,))}


def final_contents(ev: Evaluator, before: Contents, after: Contents, eqns: Sequence[Eqn]
                   ) -> tuple[tuple[Place, ...], tuple[tuple[Place, Operand], ...]]:
    """The parts that `eqns` leave as they are, and those that they write one by one.

    Behind a loop or a branch a write through another name may be to another buffer, where nothing reads the part any
    more: then only that nothing is written at all says something, of arrays.
    """
    straight = not any(e.regions or e.op is call for e in eqns)
    writes = any(e.op is call or e.op.name in UPDATES for e in walk(Fn("f", (), tuple(eqns), ())))
    unwritten = tuple(place for place, x in before.items() if after.get(place) == x and (
        straight or not writes and isinstance(x, Value) and isinstance(x.type, Tensor) and x.type.is_array))
    written = tuple((place, x) for place, x in after.items()
                    if isinstance(x, Value) and before.get(place) != x and _stored(ev, x, before.get(place)))
    return unwritten, written if straight else ()


def _stored(ev: Evaluator, x: Any, first: object) -> bool:
    """Is `x` what writes of elements make of `first`?"""
    while x is not first:
        eqn = ev.defs.get(x) if isinstance(x, Value) else None
        if eqn is None or eqn.op is not store:
            return False
        x = eqn.args[0]
    return True


def _contents(ev: Evaluator, v: Abstract, at: Place) -> Iterator[tuple[Place, Operand | _Size]]:
    if isinstance(v, Tup):
        for key, item in zip(v.fields or range(len(v.items)), v.items):
            if isinstance(item, (Ref, Container, Tup)):
                yield from _contents(ev, item, (*at, ("item" if isinstance(key, int) else "attr", key)))
    elif isinstance(v, Ref):
        cell = ev.store.cells.get(v.addr)
        if not v.path and isinstance(cell, Array) and isinstance(cell.value, Value) \
                and isinstance(cell.value.type, Tensor):
            yield at, cell.value
    elif isinstance(v, (ListRef, DictRef, ObjRef)) and not isinstance(v, DefaultRef):
        yield from _slots(ev, v, at)
    elif isinstance(v, Value) and isinstance(v.type, Tensor) or isinstance(v, Static) and type(v.value) in (int, float):
        yield at, ev.lit(v)


def _slots(ev: Evaluator, v: Any, at: Place) -> Iterator[tuple[Place, Operand | _Size]]:
    cell = ev.store.cells.get(v.addr)
    if not isinstance(cell, Slots) or cell.rows is not None or cell.parent is not None:
        return
    keys = range(len(cell.items)) if isinstance(v, ListRef) else cell.keys
    if not isinstance(v, ObjRef):
        yield at, _Size(len(keys) if isinstance(v, ListRef) else tuple(keys))
    for key, item in zip(keys, cell.items):
        yield from _contents(ev, item, (*at, ("attr" if isinstance(v, ObjRef) else "item", key)))
