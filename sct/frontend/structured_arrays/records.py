"""Structured arrays and their records, where the function is evaluated: items, fields, and attributes.

A record is a view: what is written into it is written into the array.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from keyword import iskeyword
from typing import Any, NoReturn

import numpy as np

from sct.frontend.evaluator.evaluator import Evaluator
from sct.frontend.evaluator.exceptions import do_not_answer, raise_at_run_time
from sct.frontend.evaluator.handlers import Args, Kwargs, special
from sct.frontend.heap.array_keys import array_of, selection
from sct.frontend.heap.subscripts import assign_item, item, size_along
from sct.frontend.objects.class_of import stand_in_class
from sct.frontend.structured_arrays.layout import FieldLayout, columns_of, groups_of, is_aligned
from sct.frontend.values.abstract_values import Abstract, ListRef, Method, ObjRef, Ref, Static, Tup
from sct.ir import Value
from sct.ir.types import Tensor

__all__ = [
    "Structured", "by_groups", "class_of", "columns", "dtype_and_kind", "dtype_of_kind", "is_record", "is_structured",
    "name_of_field", "names_of_fields", "new_structured", "parts_of_key", "rank_of", "read_field", "record_item",
    "row_key", "write_field"]

_ALL = Static(slice(None))


class Structured:
    """A structured array or a record, by the columns of each dtype."""

    __array_priority__ = 1.0

    def __getitem__(self, key: Any) -> Any: ...

    def __setitem__(self, key: Any, value: Any) -> None: ...

    def __getattr__(self, name: str) -> Any: ...

    def __setattr__(self, name: str, value: Any) -> None: ...

    def __iter__(self) -> Any:
        for k in range(len(self)):
            yield self[k]

    def __len__(self) -> Any: ...

    def _shape(self) -> Any: ...

    def _dtype(self) -> Any: ...

    shape = property(_shape)
    dtype = property(_dtype)

    @property
    def ndim(self) -> Any:
        return len(self.shape)

    @property
    def size(self) -> Any:
        count = 1
        for n in self.shape:
            count = count * n
        return count

    def copy(self, order: Any = "C") -> Any: ...

    def view(self, type: Any = None) -> Any: ...

    def tolist(self) -> Any:
        if self.ndim > 0:
            return [record.tolist() for record in self]
        return tuple([_as_python(self[name]) for name in self.dtype.names])

    def item(self) -> Any:
        return self.tolist()

    def ravel(self) -> Any:
        return self if self.ndim == 1 else self.reshape(-1)

    def flatten(self) -> Any:
        return self.copy().ravel()

    def reshape(self, *shape: Any) -> Any: ...

    def sort(self, axis: Any = -1, kind: Any = None, order: Any = None) -> None:
        self[...] = self[_order_of(self, order)]

    def argsort(self, axis: Any = -1, kind: Any = None, order: Any = None) -> Any:
        return _order_of(self, order)

    def take(self, indices: Any) -> Any:
        return self[np.asarray(indices)]


def _as_python(x: Any) -> Any:
    return x.tolist() if np.ndim(x) else x.item()


def _order_of(self: Any, order: Any) -> Any:
    """The order of the records by these fields, then by the others; NumPy compares arrays in fields byte by byte."""
    first = [] if order is None else [order] if isinstance(order, str) else list(order)
    keys: list[Any] = []
    for name in first + [name for name in self.dtype.names if name not in first]:
        if self.ndim != 1 or self[name].ndim != 1 and not keys:
            return _unordered(self)
        if self[name].ndim != 1:
            places = _lexsort(keys)
            if np.any(_are_equal([key[places] for key in keys])):
                _tied()
            return places
        keys = [self[name], *keys]
    return _lexsort(keys)


def _lexsort(keys: Any) -> Any:
    """As `np.lexsort`; the last key is the first to be compared."""
    places = np.arange(len(keys[0]))
    for key in keys:
        places = places[np.argsort(key[places], kind="stable")]
    return places


def _are_equal(keys: Any) -> Any:
    """Which of the records next to each other have the same of these numbers, or one that is nan?"""
    equal = True
    for key in keys:
        equal = equal & ~(key[1:] < key[:-1]) & ~(key[1:] > key[:-1])
    return equal


def _unordered(self: Any) -> Any:
    """Stands for the order of records along an axis, or by arrays."""


def _tied() -> Any:
    """Stands for the order of records that are equal in all numbers but those in arrays."""


def _other(self: Any, value: Any = None) -> Any:
    """Stands for what NumPy's objects have besides."""


_KINDS: dict[str, type] = {
    "array": np.ndarray, "record": np.void, "recarray": np.recarray, "record of recarray": np.record}
_RECORDS = {"array": "record", "recarray": "record of recarray"}
_NO_OPERATORS = frozenset((
    *vars(Structured), "__class__", "__new__", "__init__", "__init_subclass__", "__subclasshook__", "__dir__",
    "__getattribute__", "__delattr__", "__sizeof__", "__reduce__", "__reduce_ex__", "__getstate__",
    "__class_getitem__", "__array_finalize__"))
_OPERATORS = [key for key in dir(np.ndarray) if key.startswith("__") and callable(getattr(np.ndarray, key))
              and key not in _NO_OPERATORS]


@functools.cache
def class_of(dtype: np.dtype[Any], kind: str = "array") -> type:
    """The class of a structured array of this dtype, or of its records: an instance of what it is in NumPy."""
    return stand_in_class(Structured, _KINDS[kind], _other, _OPERATORS, {
        "dtype_of_records": dtype, "kind_of_records": kind, "__getattribute__": object.__getattribute__})


def is_structured(v: Abstract) -> bool:
    return isinstance(v, ObjRef) and issubclass(v.cls, Structured)


def dtype_and_kind(v: Abstract) -> tuple[np.dtype[Any], str]:
    assert isinstance(v, ObjRef)
    cls: Any = v.cls
    return cls.dtype_of_records, cls.kind_of_records


def new_structured(ev: Evaluator, dtype: np.dtype[Any], kind: str, arrays: dict[str, Abstract]) -> ObjRef:
    """A structured array with these columns, by the names of their dtypes."""
    return ev.new_object(class_of(dtype, kind), {f"_{group}": x for group, x in arrays.items()})


def by_groups(ev: Evaluator, dtype: np.dtype[Any], kind: str, make: Callable[..., Any], shape: Abstract,
              rest: Args = ()) -> ObjRef:
    """A structured array whose columns `make` makes."""
    sizes = shape.items if isinstance(shape, Tup) else ev.slots(shape).items if isinstance(shape, ListRef) else (shape,)
    if not is_aligned(dtype):
        numbers = max(math.prod(at.shape) for at in columns_of(dtype).values())
        ev.call(Static(_check_size), [Tup(tuple(sizes)), Static(numbers)])
    arrays = {}
    for group, (base, width) in groups_of(dtype).items():
        named = {} if base == np.dtype(float) else {"dtype": Static(base)}
        arrays[group] = ev.call(Static(make), [Tup((*sizes, Static(width))), *rest], named)
    return new_structured(ev, dtype, kind, arrays)


def _check_size(shape: Any, numbers: Any) -> None:
    """Not more than NumPy computes with at once, if they are not aligned: it would add them in another order."""
    for n in shape:
        numbers = numbers * n
    if numbers > 8192:
        _too_many()


def _too_many() -> None:
    """Stands for a structured array of more numbers that are not aligned."""


@special(_too_many)
def _refuse_many(ev: Evaluator, args: Args, kwargs: Kwargs) -> NoReturn:
    do_not_answer(ev, "add more than 8192 unaligned numbers as NumPy does; make the dtype with align=True")


def is_record(v: Abstract) -> bool:
    """Is this a record, not an array of records?"""
    return dtype_and_kind(v)[1] not in _RECORDS


def dtype_of_kind(dtype: np.dtype[Any], kind: str) -> np.dtype[Any]:
    """The dtype of an array or a record of this kind, as NumPy shows it."""
    return np.dtype((np.record, dtype)) if "recarray" in kind else dtype


def columns(ev: Evaluator, v: Abstract) -> dict[str, Abstract]:
    """The columns of each dtype, by its name."""
    assert isinstance(v, ObjRef)
    cell = ev.slots(v)
    if not all(isinstance(x, Ref) for x in cell.items):
        ev.refuse("SCT502", "which structured array this is depends on the path",
                  hint="use it in each of the branches")
    return {key[1:]: x for key, x in zip(cell.keys, cell.items)}


def rank_of(ev: Evaluator, v: Abstract) -> int:
    """The number of axes of the structured array."""
    t = ev.type_of(next(iter(columns(ev, v).values())))
    assert isinstance(t, Tensor)
    return t.rank - 1


# -- fields ------------------------------------------------------------------------------------------------------------


def _key_of(ev: Evaluator, v: Abstract, at: FieldLayout) -> Abstract:
    """The subscript of a field among the columns."""
    own = Static(at.start) if not at.shape else Static(slice(at.start, at.start + at.count))
    rank = rank_of(ev, v)
    if not rank:
        return own if at.shape or is_record(v) else Tup((Static(Ellipsis), own))
    return Tup((*[_ALL] * rank, own))


def read_field(ev: Evaluator, v: Abstract, name: str) -> Abstract:
    """`v[name]`: a view, or a number of a record."""
    at = columns_of(dtype_and_kind(v)[0])[name]
    x = item(ev, columns(ev, v)[at.group], _key_of(ev, v, at))
    if name.isidentifier() and not iskeyword(name):
        x = named_after(x, name)
    if len(at.shape) < 2:
        return x
    sizes = [size_along(ev, x, k) for k in range(rank_of(ev, v))]
    return ev.call(Method(x, "reshape"), [*sizes, *map(Static, at.shape)])


def named_after(x: Abstract, field: str) -> Abstract:
    """A view of a field, or a number, which is named after the field where the user gives it no other name."""
    if isinstance(x, Value):
        x.hint = x.hint or field
    elif isinstance(x, Ref) and x.path and x.path[-1].name is None:
        return replace(x, path=(*x.path[:-1], replace(x.path[-1], name=field)))
    return x


def write_field(ev: Evaluator, v: Abstract, name: str, value: Abstract) -> None:
    """`v[name] = value`"""
    at = columns_of(dtype_and_kind(v)[0])[name]
    if len(at.shape) > 1:
        view = read_field(ev, v, name)
        if view != value:
            assign_item(ev, view, Static(Ellipsis), value)
        return
    if isinstance(value, Ref) and value == item(ev, columns(ev, v)[at.group], _key_of(ev, v, at)):
        return  # `v[name] += ...` has written into it
    assign_item(ev, columns(ev, v)[at.group], _key_of(ev, v, at), value)


def name_of_field(ev: Evaluator, v: Abstract, key: Abstract) -> str | None:
    """The name of the field that the subscript gives, of a record also by position; None for other subscripts."""
    names = dtype_and_kind(v)[0].names or ()
    if isinstance(key, Static) and isinstance(key.value, str):
        if key.value not in names:
            raise_at_run_time(ev, "ValueError", f"no field of name {key.value}")
        return key.value
    if not is_record(v):
        return None
    k = ev.ask(key, "the position of a field")
    if not isinstance(k, int) or not -len(names) <= k < len(names):
        ev.refuse("SCT503", "this subscript of a record is not supported", hint="use the name of a field")
    return names[k]


def names_of_fields(ev: Evaluator, key: Abstract) -> list[str]:
    """The names in `s[["pos", "mass"]]`; none for other subscripts."""
    items = ev.slots(key).items if isinstance(key, ListRef) and ev.slots(key).schema is None else ()
    return [x.value for x in items if isinstance(x, Static) and isinstance(x.value, str)]


@special(Structured.__getitem__)
def record_item(ev: Evaluator, args: Args, kwargs: Kwargs) -> Abstract:
    self, key = args
    if (name := name_of_field(ev, self, key)) is not None:
        return read_field(ev, self, name)
    dtype, kind = dtype_and_kind(self)
    if names := names_of_fields(ev, key):
        if len(columns_of(dtype)) > len(names) and not all(map(_is_exact(dtype), names)):
            ev.refuse("SCT503", "several fields of a structured array whose numbers are not aligned are read at once",
                      hint="read each field by its name")
        part: Any = dtype[names]
        there = groups_of(part)
        return new_structured(ev, part, kind, {group: x for group, x in columns(ev, self).items() if group in there})
    key = row_key(ev, self, key)
    rows = {group: item(ev, x, key) for group, x in columns(ev, self).items()}
    t = ev.type_of(next(iter(rows.values())))
    assert isinstance(t, Tensor)
    is_record = t.rank == 1 and not _has_ellipsis(key)
    return new_structured(ev, dtype, _RECORDS[kind] if is_record else kind, rows)


def _is_exact(dtype: np.dtype[Any]) -> Callable[[str], bool]:
    """Has the field the same columns in an array of some of the fields?"""
    return lambda name: columns_of(dtype)[name] == columns_of(dtype[[name]])[name]


def parts_of_key(key: Abstract) -> Sequence[Abstract]:
    is_tuple = isinstance(key, Tup) and key.fields == ()
    return key.items if is_tuple and isinstance(key, Tup) else [key]


def _has_ellipsis(key: Abstract) -> bool:
    return any(x == Static(Ellipsis) for x in parts_of_key(key))


def row_key(ev: Evaluator, self: Abstract, key: Abstract) -> Abstract:
    """A subscript of the records as one of their columns; raises as NumPy does if it has too many parts."""
    key = selection(ev, key) if isinstance(key, ListRef) else key
    key = ev.wrap(array_of(ev, key)) if isinstance(key, ListRef) else key
    parts, rank = parts_of_key(key), rank_of(ev, self)
    count = sum(_axes_of(ev, x) for x in parts)
    if count > rank:
        raise_at_run_time(ev, "IndexError", f"too many indices for array: array is {rank}-dimensional, but {count} "
                          "were indexed")
    return Tup((*parts, _ALL)) if _has_ellipsis(key) or not parts else key


def _axes_of(ev: Evaluator, part: Abstract) -> int:
    """How many axes this part of a subscript is about."""
    if part in (Static(None), Static(Ellipsis)):
        return 0
    t = ev.type_of(part) if isinstance(part, Ref) else None
    return t.rank if isinstance(t, Tensor) and t.kind == "b" else 1


# -- attributes --------------------------------------------------------------------------------------------------------


def _is_attribute(v: Abstract, name: str) -> bool:
    """Is this a field that `np.recarray` has as an attribute?"""
    dtype, kind = dtype_and_kind(v)
    return "recarray" in kind and name in (dtype.names or ())


@special(Structured.__getattr__)
def _attribute(ev: Evaluator, args: Args, kwargs: Kwargs) -> Abstract:
    self, name = args
    assert isinstance(name, Static)
    if not _is_attribute(self, name.value):
        kind = dtype_and_kind(self)[1]
        shown = f"{'numpy.' if kind != 'recarray' else ''}{_KINDS[kind].__name__}"
        raise_at_run_time(ev, "AttributeError", f"'{shown}' object has no attribute '{name.value}'")
    return read_field(ev, self, name.value)


@special(Structured.__setattr__)
def _set_attribute(ev: Evaluator, args: Args, kwargs: Kwargs) -> Abstract:
    self, name, value = args
    assert isinstance(name, Static)
    if not _is_attribute(self, name.value):
        ev.refuse("SCT303", f"writing the attribute `{name.value}` of a structured array is not supported")
    write_field(ev, self, name.value, value)
    return Static(None)


@special(Structured.__len__)
def _length(ev: Evaluator, args: Args, kwargs: Kwargs) -> Abstract:
    (self,) = args
    if is_record(self):
        return Static(len(columns_of(dtype_and_kind(self)[0])))
    if not rank_of(ev, self):
        raise_at_run_time(ev, "TypeError", "len() of unsized object")
    return size_along(ev, next(iter(columns(ev, self).values())), 0)


@special(Structured._shape)
def _shape_of(ev: Evaluator, args: Args, kwargs: Kwargs) -> Abstract:
    x = next(iter(columns(ev, args[0]).values()))
    return Tup(tuple(size_along(ev, x, k) for k in range(rank_of(ev, args[0]))))


@special(Structured._dtype)
def _dtype_as_constant(ev: Evaluator, args: Args, kwargs: Kwargs) -> Abstract:
    return Static(dtype_of_kind(*dtype_and_kind(args[0])))


@special(Structured.copy)
def _copied(ev: Evaluator, args: Args, kwargs: Kwargs) -> Abstract:
    dtype, kind = dtype_and_kind(args[0])
    return new_structured(ev, dtype, kind, {
        group: ev.call(Static(np.copy), [x]) for group, x in columns(ev, args[0]).items()})


@special(Structured.view)
def _viewed(ev: Evaluator, args: Args, kwargs: Kwargs) -> Abstract:
    (self, *rest) = [*args, *kwargs.values()]
    dtype, kind = dtype_and_kind(self)
    cls = rest[0] if rest else None
    if len(rest) > 1 or is_record(self) or cls not in (None, Static(np.ndarray), Static(np.recarray)):
        ev.refuse("SCT203", "this `view` of a structured array is not supported", hint="read its fields")
    kind = "recarray" if cls == Static(np.recarray) else "array" if cls == Static(np.ndarray) else kind
    return new_structured(ev, dtype, kind, columns(ev, self))


@special(Structured.reshape)
def _reshaped(ev: Evaluator, args: Args, kwargs: Kwargs) -> Abstract:
    self, *sizes = args
    dtype, kind = dtype_and_kind(self)
    sizes = list(sizes[0].items) if len(sizes) == 1 and isinstance(sizes[0], Tup) else sizes
    return new_structured(ev, dtype, kind, {
        group: ev.call(Method(x, "reshape"), [*sizes, Static(groups_of(dtype)[group][1])])
        for group, x in columns(ev, self).items()})


@special(_unordered)
def _refuse_order(ev: Evaluator, args: Args, kwargs: Kwargs) -> NoReturn:
    ev.refuse("SCT205", "this structured array is not sorted", why="it has several axes, or NumPy compares the "
              "bytes of an array in each record", hint="sort by a field that is a number, and one axis")


@special(_tied)
def _refuse_ties(ev: Evaluator, args: Args, kwargs: Kwargs) -> NoReturn:
    do_not_answer(ev, "compare the bytes of arrays in records, which are equal in all other numbers")


@special(_other)
def _unread(ev: Evaluator, args: Args, kwargs: Kwargs) -> NoReturn:
    ev.refuse("SCT203", "this attribute or operator of a structured array is not supported",
              why="sct reads and writes its fields and records",
              hint="compute with its fields")


