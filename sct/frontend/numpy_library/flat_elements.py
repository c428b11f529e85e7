"""Attributes of arrays that are written: `x.flat`, the elements in C order whatever the shape, and `x.shape`.

    y.flat[::n + 1] += v    ->   i = np.arange(n); y[i, i] += v
    y.flat[mask] = v        ->   flat = y.ravel(); flat[mask] = v; y = flat.reshape(n, m)
    y.shape = 3, -1         ->   y = y.reshape(3, -1)
"""

from __future__ import annotations

import operator
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import gast
import numpy as np

from sct.frontend.arguments.memory_facts import is_c_order
from sct.frontend.evaluator.evaluator import Evaluator
from sct.frontend.evaluator.handlers import Args, Kwargs, special
from sct.frontend.heap.array_keys import is_slice
from sct.frontend.heap.subscripts import assign_item, item, size_along
from sct.frontend.numpy_library.numpy_functions import array, equal_sizes, overwrite, type_of
from sct.frontend.operators.arithmetic_operators import binary
from sct.frontend.values.abstract_values import Abstract, ObjRef, Origin, Ref, Slots, Static, Tup
from sct.ir import Value
from sct.ir.dims import Dim
from sct.ops import BY_CALL
from sct.ops.type_rules import number, size_of

__all__: list[str] = []


class FlatElements:
    """`x.flat`, where the function is evaluated; its methods have handlers."""

    def __getitem__(self, key: Any) -> Any: ...

    def __setitem__(self, key: Any, value: Any) -> None: ...

    def __iter__(self) -> Any: ...

    def __len__(self) -> Any: ...

    def copy(self) -> Any: ...

    def __getattr__(self, name: str) -> Any: ...


@special(np.ndarray.flat)
def _flat(ev: Evaluator, args: Args, kwargs: Kwargs) -> Abstract:
    """`x.flat`, or `x.flat = value`."""
    elements = ev.new_object(FlatElements, {"_array": args[0]})
    return elements if len(args) == 1 else _write(ev, [elements, Static(slice(None)), args[1]], {})


@special(np.ndarray.shape)
def _write_shape(ev: Evaluator, args: Args, kwargs: Kwargs) -> Abstract:
    """`x.shape = sizes`: the array has that shape under each of its names."""
    owner, sizes = args
    assert isinstance(owner, Ref)
    instead = "make a name of its own for it: `y = x.reshape(...)`"
    if ev.store.cells[owner.addr].origin != Origin.FRESH:
        ev.refuse("SCT302", "writing the shape of an array that is not a local is not supported",
                  why="its caller would see the write", hint=instead)
    if owner.object is None or not is_c_order(ev, owner):
        ev.refuse("SCT303", "writing the shape of this array is not supported",
                  why="it depends on the path, or its elements may not lie one after the other in memory", hint=instead)
    shaped = ev.call(Static(np.reshape), [owner, sizes])
    assert isinstance(shaped, Ref)
    store = ev.store
    for key, v in list(store.vars.items()):
        if (new := _replaced(v, owner, shaped)) is not v:
            store.bind(key, new)
    for addr, cell in list(store.cells.items()):
        if isinstance(cell, Slots) and any(_replaced(v, owner, shaped) is not v for v in cell.items):
            store.cells[addr] = replace(cell, items=tuple(_replaced(v, owner, shaped) for v in cell.items))
    return Static(None)


def _replaced(v: Abstract, old: Ref, new: Ref) -> Abstract:
    """`v`, with the array `new` in place of `old`."""
    if isinstance(v, Ref) and v == old and v.object == old.object:
        return new
    if isinstance(v, Tup):
        items = tuple(_replaced(x, old, new) for x in v.items)
        return v if all(map(operator.is_, items, v.items)) else replace(v, items=items)
    return v


def _array_of(ev: Evaluator, v: Abstract) -> Ref:
    assert isinstance(v, ObjRef)
    owner = ev.slots(v).items[0]
    if not isinstance(owner, Ref):
        ev.refuse("SCT502", "the array that these are the elements of depends on the path",
                  hint="read it in each of the branches")
    return owner


def _positions(ev: Evaluator, owner: Ref, key: Abstract) -> Abstract | None:
    """The subscript of the matrix that names the elements `owner.flat[key]`: one of them, or a diagonal; else None."""
    t = type_of(ev, owner)
    if t.rank != 2:
        return None
    n = size_along(ev, owner, 1)
    if isinstance(key, Static) and type(key.value) is int or isinstance(key, Value) and number(key).kind == "i":
        return Tup((binary(ev, gast.FloorDiv, key, n), binary(ev, gast.Mod, key, n)))
    start, stop, step = _bounds(key)
    size = ev.resolve(t.shape[1])
    if stop != Static(None) or _size(ev, step) != size + 1 or ev.resolve(t.shape[0]) != size:
        return None
    first = _size(ev, start) if start != Static(None) else Dim(0)
    if first == Dim(0):
        i = ev.call(Static(np.arange), [n])
        return Tup((i, i))
    if first not in (Dim(1), size):
        return None
    i = ev.call(Static(np.arange), [binary(ev, gast.Sub, n, Static(1))])
    beside = binary(ev, gast.Add, i, Static(1))
    return Tup((i, beside) if first == Dim(1) else (beside, i))


def _bounds(key: Abstract) -> Sequence[Abstract]:
    """The bounds and the step of a slice; of another key as of the slice of all."""
    if isinstance(key, Static) and isinstance(key.value, slice):
        return [Static(key.value.start), Static(key.value.stop), Static(key.value.step)]
    return key.items[1:] if isinstance(key, Tup) and is_slice(key) else [Static(None)] * 3


def _size(ev: Evaluator, v: Abstract) -> Dim | None:
    """The size that an int equals."""
    if isinstance(v, Static):
        return Dim(v.value) if type(v.value) is int else None
    return ev.resolve(size_of(v)) if isinstance(v, Value) and number(v).kind == "i" and not number(v).rank else None


def _elements(ev: Evaluator, v: Abstract) -> Abstract:
    """The elements as an array with one axis."""
    owner = _array_of(ev, v)
    return owner if type_of(ev, owner).rank == 1 else ev.call(Static(np.ravel), [owner])


@special(FlatElements.__getitem__)
def _read(ev: Evaluator, args: Args, kwargs: Kwargs) -> Abstract:
    """A copy of the elements."""
    elements, key = args
    assert isinstance(elements, ObjRef)
    owner = _array_of(ev, elements)
    if (at := _positions(ev, owner, key)) is not None:
        ev.store.cells[elements.addr] = Slots((owner, key, at), ("_array", "_key", "_positions"))
        return item(ev, owner, at)
    part = item(ev, _elements(ev, elements), key)
    return ev.call(Static(np.copy), [part]) if isinstance(part, Ref) else part


@special(FlatElements.__setitem__)
def _write(ev: Evaluator, args: Args, kwargs: Kwargs) -> Abstract:
    elements, key, value = args
    assert isinstance(elements, ObjRef)
    owner, value = _array_of(ev, elements), array(ev, value)
    _, *last = ev.slots(elements).items
    rank = type_of(ev, owner).rank
    at = last[1] if last and last[0] == key else _positions(ev, owner, key)  # as it was read, by `+=`
    if isinstance(value, Ref):
        value = value if type_of(ev, value).rank == 1 else ev.call(Static(np.ravel), [value])
        part = item(ev, _elements(ev, elements), key) if not isinstance(at, Tup) else at.items[0]
        if not isinstance(part, Ref) or not equal_sizes(ev, value, size_along(ev, part, 0)):
            ev.refuse("SCT205", "a write to `.flat` of another number of values than it selects is not supported",
                      why="they would be repeated", hint="write a number, or as many values")
    if rank == 1 or at is not None:
        assign_item(ev, owner, key if at is None else at, value)
    elif is_c_order(ev, owner):
        assign_item(ev, ev.step(owner, BY_CALL["numpy.ravel"], (), {}, ".ravel"), key, value)
    else:
        flat = ev.call(Static(np.copy), [_elements(ev, elements)])
        assign_item(ev, flat, key, value)
        shape = Tup(tuple(size_along(ev, owner, k) for k in range(rank)))
        overwrite(ev, owner, ev.call(Static(np.reshape), [flat, shape]))
    return Static(None)


@special(FlatElements.__iter__)
def _run_over(ev: Evaluator, args: Args, kwargs: Kwargs) -> Abstract:
    return ev.call(Static(iter), [_elements(ev, args[0])])


@special(FlatElements.__len__)
def _length(ev: Evaluator, args: Args, kwargs: Kwargs) -> Abstract:
    return ev.call(Static(operator.attrgetter("size")), [_array_of(ev, args[0])])


@special(FlatElements.copy)
def _copied(ev: Evaluator, args: Args, kwargs: Kwargs) -> Abstract:
    return ev.call(Static(np.copy), [_elements(ev, args[0])])


@special(FlatElements.__getattr__)
def _unread(ev: Evaluator, args: Args, kwargs: Kwargs) -> Abstract:
    ev.refuse("SCT203", "this attribute of `.flat` is not supported", hint="ravel the array")
