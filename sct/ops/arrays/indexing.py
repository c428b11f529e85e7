"""Reading and writing parts of arrays.

A subscript is a `key`, one string an item, and the operands that the items take in order:

    "i"     an int                          "n"  newaxis (None)
    "a"     an array of ints                "e"  ellipsis
    "m"     a boolean mask                  "sxyz"  a slice: 1 where start, stop, step is an operand

>>> i = Lit(3)
>>> join([slice(Lit(1), Lit(-1)), i])
(('s110', 'i'), (1, -1, 3))
>>> split(("s110", "i"), (Lit(1), Lit(-1), i))
[slice(1, -1, None), 3]

Writes are functional: `store` and `add_at` give the array after the write.  A list takes an
int or a slice; what follows an int is the subscript of the element: `xs[i][j]` has the key
("i", "i").
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from sct.ir.core import Eqn, Lit, Operand, Value, builder_var
from sct.ir.dims import Dim, range_len, slice_len, sym, without_classes
from sct.ir.types import (
    NONE,
    List,
    Seq,
    Tensor,
    Type,
    TypeMismatch,
    base_type,
    broadcast_shapes,
    list_depth,
    map_sizes,
    note_size_requirement,
)
from sct.ir.types import join as join_types
from sct.ops import samples
from sct.ops.arrays.creation import full_like, zeros_of
from sct.ops.arrays.linspace import arange
from sct.ops.arrays.shape import reshape_as, size
from sct.ops.registry import op
from sct.ops.scalar.comparison import eq
from sct.ops.scalar.selection import logical_not, where
from sct.ops.type_rules import item_at, number, part_of_list, place_name, size_of

__all__ = [
    "add_at", "advanced", "distinct", "index", "is_mask", "is_there", "join", "replaces_item", "split", "store",
    "subscript", "subscript_text", "trailing", "winners", "with_shape_of", "written",
]

Key = tuple[str, ...]


# -- keys -----------------------------------------------------------------------------------


def split(key: Key, operands: Sequence[Any]) -> list[Any]:
    """The items of a subscript: operands, None, Ellipsis and slices of operands or None."""
    rest = iter(operands)
    items: list[Any] = []
    for k in key:
        if k[0] == "s":
            items.append(slice(*(next(rest) if c == "1" else None for c in k[1:])))
        else:
            items.append(None if k == "n" else Ellipsis if k == "e" else next(rest))
    return items


def join(items: Iterable[Any]) -> tuple[Key, tuple[Any, ...]]:
    """The key and the operands (or NumPy values) of a subscript with these items."""
    key: list[str] = []
    operands: list[Any] = []
    for item in items:
        if isinstance(item, slice):
            bounds = (item.start, item.stop, item.step)
            key.append("s" + "".join("0" if b is None else "1" for b in bounds))
            operands += [b for b in bounds if b is not None]
        elif item is None or item is Ellipsis:
            key.append("n" if item is None else "e")
        else:
            key.append(_letter(item))
            operands.append(item)
    return tuple(key), tuple(operands)


def _letter(item: Any) -> str:
    if isinstance(item, np.ndarray):
        return "m" if item.dtype == bool else "a"
    if not isinstance(item, (Value, Lit)):
        return "i"
    t = number(item)
    if t.kind == "b" and not t.is_array:
        raise TypeMismatch("a truth value is not supported as an index")
    return "m" if t.kind == "b" else "a" if t.is_array else "i"


def advanced(key: Key) -> bool:
    """Does a read with this key copy, because it has integer arrays or masks?"""
    return "a" in key or "m" in key


def is_there(shape: Sequence[Dim], key: Key, operands: Sequence[Operand],
             inside: Callable[[Operand, Dim], bool]) -> bool:
    """Is what `x[key]` reads of an `x` of this shape there, as `inside(index, size)` tells?  Slices always are."""
    if all(k[0] in "sne" for k in key):
        return True
    plain = all(k == "i" or k[0] == "s" for k in key)
    return plain and all(k != "i" or inside(i, d) for k, i, d in zip(key, split(key, operands), shape))


def subscript(key: Key, values: Sequence[Any]) -> tuple[Any, ...]:
    return tuple(split(key, values))


def subscript_text(key: Key, values: Iterable[str]) -> str:
    """The text of a subscript whose operands have these texts: `_1, _2:`."""
    rest = iter(values)

    def item(k: str) -> str:
        if k[0] == "s":
            start, stop, step = (next(rest) if c == "1" else "" for c in k[1:])
            return f"{start}:{stop}" + (f":{step}" if step else "")
        return {"n": "None", "e": "..."}.get(k) or next(rest)

    return ", ".join(map(item, key))


# -- the type of x[key] -----------------------------------------------------------------------


def type_index(x: Operand, *operands: Operand, key: Key) -> Type:
    """NumPy's rules; an int alone on every axis gives a NumPy scalar."""
    if isinstance(x.type, Seq):
        if key[0] != "i":
            return slice_of(x.type, operands, key)
        item = item_at(x.type, place_name(operands[0]), str(getattr(x, "id", 0)))
        return item if len(key) == 1 else type_index(Value(item), *operands[1:], key=key[1:])
    t = number(x)
    if not t.is_array:
        raise TypeMismatch("a number cannot be subscripted")
    shape = indexed_shape(t.shape, key, operands)
    if not shape and "e" not in key:
        return Tensor("np", t.dtype)
    return Tensor("array", t.dtype, shape)


def slice_of(t: Seq, operands: Sequence[Operand], key: Key) -> List:
    """The type of a slice of a list of this type."""
    if not isinstance(t, List) or len(key) > 1 or key[0][0] != "s":
        raise TypeMismatch("a list takes an int or a slice as subscript")
    return part_of_list(t, "_".join([key[0], *map(place_name, operands)]))


def with_shape_of(v: Any, x: Operand) -> Any:
    """`v`, an item of a list of cotangents or tangents: it has the shape of `x`, the item in the list of the primal."""
    t, like = v.type, x.type
    eqns: Sequence[Eqn] = getattr(builder_var.get(), "eqns", ()) if isinstance(v, Value) else ()
    is_new = len(eqns) > 0 and eqns[-1].op is index and eqns[-1].outs == (v,)
    if is_new and isinstance(t, Tensor) and isinstance(like, Tensor) and t.rank == like.rank:
        v.type = replace(t, shape=like.shape)
    return v


def part_of(ct: Operand, value: Operand, *operands: Operand, key: Key) -> Any:
    """The part of a cotangent that belongs to `value`, which is written there."""
    part = index(ct, *operands, key=key)
    return with_shape_of(part, value) if isinstance(ct.type, List) else part


def indexed_shape(shape: Sequence[Dim], key: Key, operands: Sequence[Operand]) -> tuple[Dim, ...]:
    """The shape of `x[key]` for an `x` of this shape.

    Integer arrays, masks and the ints beside them broadcast to one block of axes.  It
    stands where they do, or first if something stands between them.
    """
    items = split(key, operands)
    missing = len(shape) - sum(_consumed(k, item) for k, item in zip(key, items))
    if missing < 0:
        raise TypeMismatch(f"too many indices for an array of rank {len(shape)}")
    fancy = "aim" if advanced(key) else ""
    places = [n for n, k in enumerate(key) if k in fancy]
    out: list[Dim] = []
    block: list[tuple[Dim, ...]] = []
    at, axis = 0, 0
    for n, (k, item) in enumerate(zip(key, items)):
        if places and n == places[0]:
            at = len(out)
        if k in fancy:
            block += _block_shapes(k, item)
        elif k[0] == "s":
            out.append(slice_dim(shape[axis], item))
        elif k == "n":
            out.append(Dim(1))
        elif k == "e":
            out += shape[axis:axis + missing]
            axis += missing
        axis += _consumed(k, item)
    out += shape[axis:]
    if places and places[-1] - places[0] >= len(places):
        at = 0
    return (*out[:at], *broadcast_shapes(*block), *out[at:])


def _consumed(k: str, item: Any) -> int:
    """How many axes of the array an item takes."""
    if k == "m":
        return number(item).rank
    return 0 if k in "ne" else 1


def _block_shapes(k: str, item: Operand) -> list[tuple[Dim, ...]]:
    if k == "m":
        mask = item.id if not isinstance(item, Lit) else 0
        return [(sym(f"_count{mask}"),)]
    return [number(item).shape]


def slice_dim(n: Dim, item: slice) -> Dim:
    """How many elements a slice takes; a step must be known for that."""
    start, stop, step = (b if b is None else _bound(b) for b in (item.start, item.stop, item.step))
    if step is None or step.value is not None:
        return slice_len(n, start, stop, 1 if step is None else step.value or 1)
    return sym(f"_length{item.step.id}")


def _bound(x: Operand) -> Dim | None:
    if isinstance(x, Lit) and x.value is None:
        return None
    return sym(f"__v{x.id}") if not isinstance(x, Lit) and x.dim is None else size_of(x)


# -- writing -----------------------------------------------------------------------------------


def run_index(x: Any, *values: Any, key: Key) -> Any:
    if isinstance(x, (list, tuple)) and len(key) > 1:
        return run_index(x[values[0]], *values[1:], key=key[1:])
    return x[split(key, values)[0]] if isinstance(x, (list, tuple)) else x[subscript(key, values)]


def on_list(x: list[Any], run: Any, value: Any, values: Sequence[Any], key: Key) -> list[Any]:
    """The list with `value` at the subscript, or with what `run` makes of the element there."""
    y, at = list(x), split(key[:1], values)[0]
    y[at] = value if len(key) == 1 else run(x[at], value, *values[1:], key=key[1:])
    return y


def run_store(x: Any, value: Any, *values: Any, key: Key) -> Any:
    if isinstance(x, list):
        return on_list(x, run_store, value, values, key)
    y = x.copy(order="K")
    y[subscript(key, values)] = value
    return y


def run_add_at(x: Any, value: Any, *values: Any, key: Key) -> Any:
    if isinstance(x, list):
        return on_list(x, run_add_at, x[values[0]] + value if len(key) == 1 else value, values, key)
    y = x.copy(order="K")
    np.add.at(y, subscript(key, values), value)
    return y


def replaces_item(x: Operand, value: Operand, key: Key) -> bool:
    """Does `xs[key] += value` put a new array into a list, in the place of one that something else may hold?"""
    t = base_type(value.type)
    return isinstance(x.type, List) and len(key) == list_depth(x.type) and isinstance(t, Tensor) and t.is_array


def type_store(x: Operand, value: Operand, *operands: Operand, key: Key) -> Type:
    if isinstance(x.type, List):
        if key[0] != "i":
            as_before = slice_of(x.type, operands, key) == value.type
            return x.type if as_before else map_sizes(without_classes, join_types(x.type, value.type))
        inner = value.type if len(key) == 1 else type_store(Value(x.type.elem), value, *operands[1:], key=key[1:])
        is_like = inner == item_at(x.type, place_name(operands[0]), "")
        return x.type if is_like else List(join_types(x.type.elem, inner))
    t = number(x)
    if not t.is_array:
        raise TypeMismatch("a number cannot be written into")
    part = indexed_shape(t.shape, key, operands)
    require_fit(number(value).shape, part)
    if number(value).kind == "c" and t.kind != "c":
        raise TypeMismatch("complex numbers are written into an array of real numbers",
                           "write their real part, or allocate the array with dtype=complex")
    return t


def require_fit(value: tuple[Dim, ...], part: tuple[Dim, ...]) -> None:
    """What is written is broadcast to the part that it is written into, and not the other way round."""
    broadcast_shapes(value, part)
    for k, d in enumerate(reversed(value), 1):
        size = part[-k] if k <= len(part) else Dim(1)
        note_size_requirement(d == size or d.value == 1 or range_len(d) == range_len(size))


def trailing(x: Operand, *items: Any) -> Any:
    """x[..., *items]"""
    key, operands = join([*[slice(None)] * (number(x).rank - len(items)), *items])
    return index(x, *operands, key=key)


POSITIONS = ("triu_indices", "tril_indices", "nonzero")
"""Ops that give arrays of indices, one for each axis, which name no element twice."""


def distinct(operands: Sequence[Operand], key: Key) -> bool:
    """Are the positions of a key with integer arrays known to be distinct, as those of `x[np.arange(n), columns]`, or
    of `x[np.triu_indices(n)]`?"""
    defs = getattr(builder_var.get(), "defs", {})
    arrays = [x for x in operands if number(x).is_array]
    positions = [eqn for eqn in map(defs.get, arrays) if eqn is not None and eqn.op.name in POSITIONS]
    shapes = {number(x).shape for x in arrays}
    if len(shapes) == 1 and any(set(eqn.outs) <= set(arrays) for eqn in positions):
        return True
    for x in arrays:
        eqn = defs.get(x)
        if len(arrays) == 1 and (are_distinct(ints_of(x, defs)) or is_order(eqn)):
            return True
        if eqn is not None and eqn.op is arange and len(eqn.args) == 1 and all(len(s) == 1 for s in shapes):
            (n,) = number(x).shape
            return n.never_one or len(shapes) == 1
    return False


def is_order(eqn: Eqn | None) -> bool:
    """Is this the order of the elements of a vector, of the first of them, or of every second, ...?"""
    while eqn is not None and eqn.op is index and len(eqn.attrs["key"]) == 1 and eqn.attrs["key"][0][0] == "s":
        eqn = getattr(builder_var.get(), "defs", {}).get(eqn.args[0])
    return eqn is not None and eqn.op.name == "argsort" and number(eqn.args[0]).rank == 1


def winners(x: Operand, *operands: Operand, key: Key) -> Any:
    """Which elements of `x[key]` were written last at their position: of repeated
    indices `x[key] = value` keeps the last."""
    owners = full_like(x, 0, dtype="i64")
    part = index(owners, *operands, key=key)
    order = reshape_as(arange(size(part)), part)
    return eq(index(store(owners, order, *operands, key=key), *operands, key=key), order)


def permuted(ct: Operand, x: Operand, value: Operand, operands: Sequence[Operand], key: Key) -> Any:
    """The transpose of `x[key] = value`, if that permutes parts of `x`; None if it is not known to.

    x[[i, j]] = x[[j, i]] does, also for i = j, and so does x[[0, 1, 2]] = x[[2, 0, 1]].
    """
    defs = getattr(builder_var.get(), "defs", {})
    read = defs.get(value)
    if "a" not in key or "m" in key or read is None or read.op is not index or read.args[0] is not x \
            or read.attrs["key"] != key:
        return None
    pairs = list(zip(operands, read.args[1:]))
    if any(p != q for p, q in pairs if not number(p).is_array):
        return None
    places = [(ints_of(p, defs), ints_of(q, defs)) for p, q in pairs if number(p).is_array]
    if all(len(p) == 2 and q == p[::-1] for p, q in places):
        return store(ct, index(ct, *read.args[1:], key=key), *operands, key=key)
    (p, q), *others = places
    is_permutation = not others and are_distinct(p) and len(p) == len(q) and set(p) == set(q)
    return store(ct, index(ct, *operands, key=key), *read.args[1:], key=key) if is_permutation else None


def ints_of(positions: Operand, defs: Mapping[Any, Eqn]) -> tuple[Operand, ...]:
    """The ints that an array of positions is made of; () if they are not known."""
    eqn = defs.get(positions)
    if eqn is None or eqn.op.name != "array" or eqn.attrs.get("tree") != tuple(range(len(eqn.args))):
        return ()
    return eqn.args if all(number(x).rank == 0 for x in eqn.args) else ()


def are_distinct(ints: Sequence[Operand]) -> bool:
    """Are these literals that count different elements from the same end of an axis?"""
    values = [x.value for x in ints if isinstance(x, Lit)]
    return 0 < len(values) == len(ints) == len(set(values)) and (min(values) >= 0 or max(values) < 0)


def store_transposed(ct: Operand, x: Operand, value: Operand, *operands: Operand, key: Key) -> list[Any]:
    if isinstance(ct.type, Tensor) and ct.type.is_scalar:
        if advanced(key):
            raise TypeMismatch("a write of an array without axes by a mask has no derivative")
        return [Lit(0.0), reshape_as(ct, value) if number(value).rank else ct]  # x is 0-d: all of it is written
    if (permuted_ct := permuted(ct, x, value, operands, key)) is not None:
        return [permuted_ct, None, *[None] * len(operands)]
    part = part_of(ct, value, *operands, key=key)
    if "a" in key and not distinct(operands, key):
        part = where(winners(x, *operands, key=key), part, 0.0)
    if is_mask(x, operands, key):
        return [where(logical_not(operands[0]), ct, 0.0), part, None]
    scalar = isinstance(part.type, Tensor) and (part.type.is_scalar or isinstance(ct.type, Tensor))
    old = part if isinstance(ct.type, Tensor) else index(x, *operands, key=key)
    if old.type == NONE:  # so is every item of the list
        return [None, part, *[None] * len(operands)]
    return [store(ct, 0.0 if scalar else zeros_of(old), *operands, key=key), part, *[None] * len(operands)]


def index_transposed(ct: Operand, x: Operand, *operands: Operand, key: Key) -> list[Any]:
    return [add_at(zeros_of(x), ct, *operands, key=key), *[None] * len(operands)]


def is_mask(x: Operand, operands: Sequence[Operand], key: Key) -> bool:
    """Is the key one mask of all of `x`?  What it leaves out is written as `where`, which no
    infinite partial behind it turns into NaN."""
    return key == ("m",) and number(operands[0]).rank == number(x).rank


def view_of(x: Operand, *_: Operand, key: Key) -> str:
    return "none" if advanced(key) else "view"


def reads() -> Iterable[samples.Sample]:
    """x, operands of a key."""
    x = samples.arrays((4, 3))
    rows, mask = np.array([2, 0, 2]), np.array([True, False, True, True])
    keys: list[list[Any]] = [
        [1], [-1], [1, 2], [slice(1, -1)], [slice(None), 1], [slice(None, None, -1), slice(None, None, 2)], [None, 1],
        [..., 0], [slice(0, 2), None, slice(1, None)], [rows], [slice(None), rows], [rows, 1], [rows, rows],
        [rows, slice(None)], [rows[:, None], np.array([0, 1])], [mask], [mask, 1], [mask, slice(1, None)], [x > 0.0],
        [slice(5, 7)], [1, None, slice(None)], [rows, None, np.array([1, 1, 0])], [np.int64(2), slice(0, 2)], [...]]
    for items in keys:
        key, operands = join(items)
        yield (x, *operands), {"key": key}
        yield (samples.strided((4, 3), -2.0, 2.0), *operands), {"key": key}
    yield (samples.arrays((4,), dtype="f4"), 2), {"key": ("i",)}
    yield (samples.arrays((4,), dtype="f4"), rows), {"key": ("a",)}


def writes() -> Iterable[samples.Sample]:
    """x, the value, operands of a key."""
    for (x, *operands), attrs in reads():
        part = np.shape(run_index(x, *operands, **attrs))
        yield (x, samples.arrays(part, seed=2, dtype=x.dtype.str), *operands), attrs
        yield (x, 0.75, *operands), attrs
        if part:
            yield (x, samples.arrays(part[-1:], seed=2), *operands), attrs


def reads_of_lists() -> list[samples.Sample]:
    xs, rows = [1.5, -0.5, 2.0], [samples.arrays((2, 3)), samples.arrays((2, 3), seed=1)]
    return [((xs, 1), {"key": ("i",)}), ((xs, -1), {"key": ("i",)}), ((xs, 1), {"key": ("s100",)}),
            ((xs, -1), {"key": ("s001",)}), ((rows, 0), {"key": ("i",)}), ((rows, 1, 2), {"key": ("i", "s100")}),
            (([xs, xs], 1, 2), {"key": ("i", "i")})]


def writes_of_lists() -> Iterable[samples.Sample]:
    for (x, *operands), attrs in reads_of_lists():
        part = run_index(x, *operands, **attrs)
        yield (x, part if isinstance(part, list) else 0.5 * part, *operands), attrs


def adds_to_lists() -> Iterable[samples.Sample]:
    return ((args, attrs) for args, attrs in writes_of_lists() if not isinstance(args[1], list))


index = op("index", type=type_index, run=run_index, linear=index_transposed, inactive=tuple(range(1, 33)),
           alias=view_of, raises="value", samples=lambda: [*reads(), *reads_of_lists()],
           cost="read", key_at=1, holds=True)

store = op("store", type=type_store, run=run_store, linear=store_transposed, inactive=tuple(range(2, 33)),
           raises="value", samples=lambda: [*writes(), *writes_of_lists()], key_at=2, updates=True, holds=True,
           allocates=True)

add_at = op("add_at", type=type_store, run=run_add_at, inactive=tuple(range(2, 33)), raises="value",
            samples=lambda: [*writes(), *adds_to_lists()],
            linear=lambda ct, x, value, *operands, key: [
                ct, part_of(ct, value, *operands, key=key), *[None] * len(operands)],
            key_at=2, updates=True, allocates=True)

written = op("written", type=type_store, run=run_store, key_at=2, updates=True, complex=True,
             nondiff="a store of what has been written through a view: added after differentiation")
