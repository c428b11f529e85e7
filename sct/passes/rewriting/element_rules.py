"""Rewrite rules of reads and writes of elements: of arrays, through axes of size 1, and of lists.

    dx[:, None] += sum(g, axis=1, keepdims=True)   ->   dx += sum(g, axis=1)
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeGuard, cast

from sct.ir.core import Eqn, Lit, Operand
from sct.ir.dims import Dim
from sct.ir.types import ANY_REAL, REAL, List, Tensor
from sct.ops.arrays.indexing import add_at, distinct, index, indexed_shape, store
from sct.ops.arrays.shape import expand_dims, squeeze
from sct.ops.program.list_ops import append, list_of, repeat
from sct.ops.program.list_sums import shifted
from sct.ops.reductions.reductions import expand_like, sum_
from sct.ops.scalar.arithmetic import add, mul, neg
from sct.ops.type_rules import normalize
from sct.passes.rewriting.literals import number
from sct.passes.rewriting.table import (
    Site,
    adjoint_eqn,
    carrier_of,
    defining_eqn,
    is_full,
    is_zeros,
    operands_of,
    rule,
    shape_of,
    writes_once,
)

__all__: list[str] = []


@rule("add_at")
def add_at_zeros(x: Operand, v: Operand, *key_operands: Operand, key: tuple[str, ...]) -> Any:
    """x with x[key] += 0 -> x;  zeros with zeros[:] += v -> v;  zeros[key] += v -> zeros[key] = v

    Likewise where only elements other than `key` have been written into the zeros."""
    if is_zeros(v):
        return x
    if not is_zeros(before_other_writes(x, key, key_operands)) \
            or not writes_once(key) and not distinct(key_operands, key):
        return None
    return v if is_full(key) and v.type == x.type else store(x, v, *key_operands, key=key)


def before_other_writes(x: Operand, key: tuple[str, ...], operands: tuple[Operand, ...]) -> Operand:
    """`x` before writes to other literal positions along some axes, all counted from the same end."""
    at = [number(k) for k in operands]
    are_literal = {"i"} <= {*key} <= {"i", "s000"} and all(type(k) is int for k in at)
    for _ in range(REACH if are_literal else 0):
        eqn = adjoint_eqn(x)
        if eqn is None or eqn.op not in (store, add_at) or eqn.attrs["key"] != key:
            break
        other = [number(k) for k in eqn.args[2:]]
        if not any(type(j) is int and j != k and (j < 0) == (k < 0) for j, k in zip(other, at)):
            break
        x = eqn.args[0]
    return x


REACH = 30
"""How many equations back a rule looks, so that the pass takes linear time."""


@rule("add_at", of="expand_like index")
def add_at_filled(x: Operand, v: Operand, *key_operands: Operand, key: tuple[str, ...]) -> Any:
    """x[key] += (an array full of g) -> x[key] += g"""
    g = None if isinstance(x.type, List) else fill_value(v)
    return add_at(x, g, *key_operands, key=key) if g is not None else None


@rule("store", of="expand_like index")
def store_filled(x: Operand, v: Operand, *key_operands: Operand, key: tuple[str, ...]) -> Any:
    """x[key] = (an array full of g) -> x[key] = g"""
    g = None if isinstance(x.type, List) else fill_value(v)
    return store(x, g, *key_operands, key=key) if g is not None else None


def fill_value(x: Operand) -> Any:
    """The scalar with which `x` is filled, if it is known: also a part of such an array, and a part that was filled."""
    eqn = adjoint_eqn(x)
    if eqn is None or eqn.op not in (expand_like, index) or not isinstance(eqn.args[0].type, Tensor):
        return None
    value = eqn.args[0]
    if eqn.op is index and (fill := fill_value(value)) is not None:
        return fill
    if eqn.op is index:
        write = adjoint_eqn(value)
        is_same = _writes(write, eqn.attrs["key"]) and write.op is store and write.args[2:] == eqn.args[1:]
        value = write.args[1] if is_same and write is not None else value
    return value if carrier_of(value) != "array" else None


@rule("add_at", "store", phase="simplify", of="mul")
def write_of_product(site: Site, x: Operand, v: Operand, *key_operands: Operand, key: tuple[str, ...]) -> Any:
    """x[key] += (an array full of g) * w -> x[key] += g * w;  x[key] += 1.0 * a -> x[key] += a, also for an int"""
    if not isinstance(x.type, Tensor) or (factors := operands_of(v, "mul")) is None:
        return None
    if factors[0] == Lit(1.0) and x.type.dtype == "f64" and factors[1].type in (REAL, ANY_REAL):
        return site.eqn.op(x, factors[1], *key_operands, key=key)
    for a, w in (factors, factors[::-1]):
        g = fill_value(a) if shape_of(w) and not site.is_shared(v) else None
        if g is not None and len({_dtype(y) for y in (a, w, v, *([] if carrier_of(g) == "py" else [g]))}) == 1:
            return site.eqn.op(x, mul(g, w), *key_operands, key=key)
    return None


def _dtype(x: Operand) -> str:
    return cast(Tensor, x.type).dtype


@rule("store")
def store_full(x: Operand, v: Operand, *key_operands: Operand, key: tuple[str, ...]) -> Any:
    """x with x[:] = v -> v;  zeros with zeros[key] = 0 -> zeros, also where only other elements have been written"""
    if is_zeros(v) and is_zeros(before_other_writes(x, key, key_operands)):
        return x
    return v if is_full(key) and v.type == x.type else None


@rule("unbroadcast_like")
def unbroadcast_part(ct: Operand, x: Operand) -> Any:
    """y[key], summed up to the shape of x[key] -> y[key], where x and y have one shape"""
    part, like = adjoint_eqn(ct), defining_eqn(x)
    if part is None or like is None or not part.op is like.op is index:
        return None
    is_same = part.args[1:] == like.args[1:] and part.attrs == like.attrs
    return index(*part.args, **part.attrs) if is_same and shape_of(part.args[0]) == shape_of(like.args[0]) else None


@rule("index")
def index_stored(x: Operand, *key_operands: Operand, key: tuple[str, ...]) -> Any:
    """(x with x[key] = v)[key] -> v;  (x with x[j] = v)[k] -> x[k], for other elements k"""
    eqn, read = adjoint_eqn(x), x
    while _writes(eqn, key) and _are_other_elements(key, eqn.args[2:], key_operands):
        read = eqn.args[0]
        eqn = adjoint_eqn(read)
    if _writes(eqn, key) and eqn.op is store and eqn.args[2:] == key_operands:
        return eqn.args[1]
    if read is not x:
        return index(read, *key_operands, key=key)
    return x if is_full(key) and not _writes(eqn, key) else None


def _writes(eqn: Eqn | None, key: tuple[str, ...]) -> TypeGuard[Eqn]:
    """Does the equation write elements of an array by such a key?"""
    return eqn is not None and eqn.op in (store, add_at) and eqn.attrs["key"] == key and writes_once(key)


def _are_other_elements(key: tuple[str, ...], js: Sequence[Operand], ks: Sequence[Operand]) -> bool:
    """Do two keys of literals name different elements?"""
    if set(key) != {"i"} or not all(isinstance(x, Lit) for x in (*js, *ks)):
        return False
    return any(j.value != k.value and (j.value < 0) == (k.value < 0) for j, k in zip(js, ks))  # type: ignore[union-attr]


@rule("sub", of="store add_at")
def sub_scattered(a: Operand, b: Operand) -> Any:
    """(zeros with zeros[key] += v) - b -> -b with b[key] += v"""
    write = scattered(a)
    return add_at(neg(b), *write.args[1:], key=write.attrs["key"]) if write is not None and a.type == b.type else None


@rule("add", of="store add_at")
def add_scattered(a: Operand, b: Operand) -> Any:
    """a + (zeros with zeros[key] += v) -> a with a[key] += v"""
    for x, y in ((a, b), (b, a)):
        write = scattered(y)
        if write is not None and x.type == y.type:
            return add_at(x, *write.args[1:], key=write.attrs["key"])
    return None


def scattered(x: Operand) -> Eqn | None:
    """The equation that computes `x` by a write into zeros."""
    eqn = adjoint_eqn(x)
    if eqn is None or eqn.op not in (store, add_at) or not is_zeros(eqn.args[0]):
        return None
    return eqn if eqn.op is add_at or writes_once(eqn.attrs["key"]) else None


@rule("flip", phase="present")
def flip_as_slice(site: Site, x: Operand, axis: Any = None) -> Any:
    """flip(x) -> x[::-1], of a vector: the function takes ten times as long"""
    return index(x, Lit(-1), key=("s001",)) if carrier_of(x) == "array" and len(shape_of(x)) == 1 else None


# -- axes of size 1 -----------------------------------------------------------------------


@rule("add_at")
def add_at_new_axes(x: Operand, v: Operand, *key_operands: Operand, key: tuple[str, ...]) -> Any:
    """x with x[:, None] += v -> x + squeeze(v, axis=1);  x with x[..., 0] += v -> x + v[..., None], of one column"""
    whole = as_whole(x, v, key_operands, key)
    return None if whole is None else add(x, whole)


@rule("add_at")
def add_at_full(x: Operand, v: Operand, *key_operands: Operand, key: tuple[str, ...]) -> Any:
    """x with x[:] += v -> x + v, for a whole array v"""
    return add(x, v) if is_full(key) and v.type == x.type and carrier_of(x) == "array" else None


@rule("add_at", of="expand_dims")
def add_at_expanded(x: Operand, v: Operand, *key_operands: Operand, key: tuple[str, ...]) -> Any:
    """x with x[:2, None] += v[:, None] -> x with x[:2] += v"""
    eqn = adjoint_eqn(v)
    new = tuple(k for k, item in enumerate(key) if item == "n")
    if eqn is None or eqn.op is not expand_dims or not new or any(item[0] not in "ns" for item in key) \
            or normalize(eqn.attrs["axis"], len(shape_of(v))) != new:
        return None
    return add_at(x, eqn.args[0], *key_operands, key=tuple(item for item in key if item != "n"))


@rule("store")
def store_new_axes(x: Operand, v: Operand, *key_operands: Operand, key: tuple[str, ...]) -> Any:
    """x with x[:, None] = v -> squeeze(v, axis=1);  x with x[..., 0] = v -> v[..., None], of one column"""
    return as_whole(x, v, key_operands, key)


def as_whole(x: Operand, v: Operand, key_operands: tuple[Operand, ...], key: tuple[str, ...]) -> Any:
    """`v`, the part of x that the key names, in the shape of x; None if the key changes more than axes of size 1."""
    if carrier_of(x) != "array" or carrier_of(v) != "array":
        return None
    unit_axes = unit_axes_of(key, shape_of(x))
    if unit_axes is None or shape_of(v) != indexed_shape(shape_of(x), key, key_operands):
        return None
    added, removed = unit_axes
    if added:
        v = squeeze(v, axis=added[0] if len(added) == 1 else added)
    return expand_dims(v, axis=removed[0] if len(removed) == 1 else removed) if removed else v


def unit_axes_of(key: tuple[str, ...], shape: tuple[Dim, ...]) -> tuple[tuple[int, ...], tuple[int, ...]] | None:
    """(axes of the part that `key` adds, axes of size 1 that it removes).

    None if the key names less than the whole array, or the array as it is."""
    missing = len(shape) - sum(k not in "ne" for k in key)
    part, axis = 0, 0
    added: list[int] = []
    removed: list[int] = []
    for k in key:
        if k == "n":
            added.append(part)
            part += 1
        elif k == "i" and shape[axis] == Dim(1):
            removed.append(axis)
            axis += 1
        elif k in ("e", "s000"):
            part, axis = (part + missing, axis + missing) if k == "e" else (part + 1, axis + 1)
        else:
            return None
    return (tuple(added), tuple(removed)) if added or removed else None


@rule("squeeze", of="sum expand_dims neg")
def squeeze_kept(x: Operand, axis: Any = None) -> Any:
    """squeeze(sum(x, axis=k, keepdims=True), axis=k) -> sum(x, axis=k);  squeeze(expand_dims(x, k), k) -> x

    Of a negated `x`, the result is negated."""
    if (negated := operands_of(x, "neg")) is not None:
        squeezed = squeeze_kept(negated[0], axis)
        return None if squeezed is None else neg(squeezed)
    eqn = adjoint_eqn(x)
    if eqn is None or axis is None or eqn.attrs.get("axis") is None:
        return None
    rank = len(shape_of(x))
    if axes(axis, rank) != axes(eqn.attrs["axis"], rank):
        return None
    if eqn.op is expand_dims:
        return eqn.args[0]
    return sum_(eqn.args[0], axis=eqn.attrs["axis"]) if eqn.op is sum_ and eqn.attrs.get("keepdims") else None


def axes(axis: Any, rank: int) -> list[int]:
    return sorted(k % rank for k in (axis if isinstance(axis, tuple) else (axis,)))


# -- lists --------------------------------------------------------------------------------


LAST = (Lit(-1),)


@rule("index", of="append repeat list_of")
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


@rule("zeros_of", phase="present")
def zeros_of_no_items(site: Site, x: Operand, **_: Any) -> Any:
    """zeros_of([]) -> []"""
    eqn, t = defining_eqn(x), site.out.type
    is_empty = eqn is not None and eqn.op is list_of and not eqn.args
    return list_of(elem=t.elem) if is_empty and isinstance(t, List) else None


@rule("remove_at", of="append")
def remove_appended(xs: Operand, i: Operand, deleted: bool = False) -> Any:
    """(xs with v appended) without its last -> xs"""
    args = operands_of(xs, "append")
    return args[0] if args is not None and i == LAST[0] else None


@rule("append", of="remove_at")
def append_removed(xs: Operand, v: Operand) -> Any:
    """(xs without its last) with the last of xs appended -> xs"""
    rest, last = operands_of(xs, "remove_at"), adjoint_eqn(v)
    if rest is None or rest[1] != LAST[0] or last is None or last.op.name != "index":
        return None
    return rest[0] if last.args == (rest[0], LAST[0]) and last.attrs["key"] == ("i",) else None


@rule("store", of="append")
def store_to_appended(xs: Operand, v: Operand, *at: Operand, key: tuple[str, ...]) -> Any:
    """(xs with u appended), its last replaced by v -> xs with v appended"""
    args = operands_of(xs, "append")
    return append(args[0], v) if args is not None and at == LAST and key == ("i",) else None


@rule("add_at", of="append")
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
