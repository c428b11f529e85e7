"""How structured arrays are made: `np.zeros(n, dtype=...)`, of tuples, of the arrays of their fields, of others."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from sct.frontend.evaluator.evaluator import Evaluator
from sct.frontend.evaluator.exceptions import run_or_raise
from sct.frontend.evaluator.handlers import Args, Kwargs, of_scipy, special
from sct.frontend.heap.dynamic_lists import is_dynamic
from sct.frontend.structured_arrays.copies import LIKE, described, like_opaque
from sct.frontend.structured_arrays.layout import constant_of, dtype_of, groups_of, the_same
from sct.frontend.structured_arrays.records import (
    by_groups,
    class_of,
    columns,
    is_structured,
    new_structured,
    write_field,
)
from sct.frontend.values.abstract_values import Abstract, ListRef, Ref, Static, Tup
from sct.ir.types import Tensor
from sct.ops.type_rules import numpy_dtype

__all__ = ["structured_array"]

_DTYPE_AT = {"numpy.zeros": 1, "numpy.empty": 1, "numpy.ones": 1, "numpy.full": 2, "numpy.array": 1, "numpy.asarray": 1}
"""Where functions that make arrays take the dtype, if not by its name."""


def structured_array(ev: Evaluator, spelling: str, args: Args, kwargs: Kwargs) -> Abstract | None:
    """A call of a function of NumPy that makes a structured array, or is given one; None for other calls."""
    if spelling in _DTYPE_AT and (len(args) > _DTYPE_AT[spelling] or "dtype" in kwargs):
        at = _DTYPE_AT[spelling]
        dtype = dtype_of(ev, kwargs.get("dtype", args[at] if len(args) > at else None))
        if dtype is not None:
            return _created(ev, spelling, dtype, args[:at])
    if spelling in LIKE and len(args) == 1 and not kwargs and (of := described(ev, args[0])) is not None:
        return like_opaque(ev, args[0], of, LIKE[spelling])
    return _of_structured(ev, spelling, args, kwargs) if any(_holds_structured(ev, v) for v in args) else None


def _holds_structured(ev: Evaluator, v: Abstract) -> bool:
    items: Sequence[Abstract] = v.items if isinstance(v, Tup) else ()
    if isinstance(v, ListRef) and not is_dynamic(ev, v):
        items = ev.slots(v).items
    return is_structured(v) or any(map(is_structured, items))


def _created(ev: Evaluator, spelling: str, dtype: np.dtype[Any], args: Args) -> Abstract:
    if spelling in ("numpy.array", "numpy.asarray"):
        return _of_tuples(ev, dtype, args[0])
    make = getattr(np, spelling.removeprefix("numpy."))
    if isinstance(args[-1], (Tup, ListRef)) and spelling == "numpy.full":
        ev.refuse("SCT205", "`np.full` of a structured array is not supported with several numbers",
                  hint="write one field after the other")
    return by_groups(ev, dtype, "array", make, args[0], args[1:])


def _of_tuples(ev: Evaluator, dtype: np.dtype[Any], rows: Abstract) -> Abstract:
    """`np.array([(1.0, 2.0), ...], dtype=...)`"""
    if is_structured(rows) and rows.cls is class_of(dtype):  # type: ignore[union-attr]
        return _copied(ev, rows)
    count = len(dtype.names or ())
    if isinstance(rows, Tup) and len(rows.items) == count:
        s = by_groups(ev, dtype, "array", np.empty, Tup(()))
        for name, x in zip(dtype.names or (), rows.items):
            write_field(ev, s, name, x)
        return s
    cell = ev.slots(rows) if isinstance(rows, ListRef) else None
    if cell is None or not (isinstance(cell.schema, tuple) and len(cell.schema) == count or cell.schema is None and all(
            isinstance(row, Tup) and len(row.items) == count for row in cell.items)):
        ev.refuse("SCT205", "a structured array of this is not supported",
                  hint="make it with np.zeros, and write one field after the other")
    return ev.call(Static(_filled), [rows, Static(the_same(dtype))])


def _filled(rows: Any, dtype: Any) -> Any:
    s = np.empty(len(rows), dtype=dtype)
    for k in range(len(dtype.names)):
        s[dtype.names[k]] = [row[k] for row in rows]
    return s


def _copied(ev: Evaluator, v: Abstract) -> Abstract:
    return ev.call(ev.call(Static(getattr), [v, Static("copy")]), [])


# -- functions of structured arrays ------------------------------------------------------------------------------------


def _concatenated(arrays: Any, axis: Any = 0) -> Any: ...


@special(_concatenated)
def _joined(ev: Evaluator, args: Args, kwargs: Kwargs) -> Abstract:
    items: Sequence[Any] = args[0].items if isinstance(args[0], Tup) else ev.slots(args[0]).items  # type: ignore[arg-type]
    parts = [v if (of := described(ev, v)) is None else like_opaque(ev, v, of) for v in items]
    axis = ev.ask((*args[1:], *kwargs.values(), Static(0))[0], "`axis`")
    classes = {v.cls if is_structured(v) else None for v in parts}
    if len(classes) > 1 or axis != 0:
        ev.refuse("SCT205", "structured arrays and others are not joined", hint="join the arrays of each field")
    cls: Any = parts[0].cls
    joined = {group: ev.call(Static(np.concatenate), [ev.new_list(tuple(columns(ev, v)[group] for v in parts))])
              for group in groups_of(cls.dtype_of_records)}
    return new_structured(ev, cls.dtype_of_records, cls.kind_of_records, joined)


def _like(make: Callable[..., Any]) -> Callable[..., Abstract]:
    def handle(ev: Evaluator, args: Args, kwargs: Kwargs) -> Abstract:
        if len(args) > 1 or kwargs:
            ev.refuse("SCT205", "options of a function that makes an array like a structured one are not supported",
                      hint="make it with np.zeros")
        cls: Any = args[0].cls  # type: ignore[union-attr]
        return new_structured(ev, cls.dtype_of_records, cls.kind_of_records, {
            group: ev.call(Static(make), [x]) for group, x in columns(ev, args[0]).items()})

    return handle


def _sorted(a: Any, axis: Any = -1, kind: Any = None, order: Any = None) -> Any:
    return a[a.argsort(order=order)]


def _ordering(a: Any, axis: Any = -1, kind: Any = None, order: Any = None) -> Any:
    return a.argsort(order=order)


def _with_more(arr: Any, values: Any) -> Any:
    return np.concatenate((arr, values))


_PROGRAMS: Mapping[str, Callable[..., Any]] = {
    "numpy.concatenate": _concatenated, "numpy.hstack": _concatenated, "numpy.append": _with_more,
    "numpy.sort": _sorted, "numpy.argsort": _ordering, "numpy.copy": lambda a: a.copy(),
    "numpy.array": lambda a, dtype=None: a.copy(), "numpy.asarray": lambda a, dtype=None: a,
    "numpy.ravel": lambda a: a.ravel(), "numpy.reshape": lambda a, shape: a.reshape(shape),
    "numpy.take": lambda a, indices: a.take(indices), "numpy.shape": lambda a: a.shape, "numpy.ndim": lambda a: a.ndim,
    "numpy.size": lambda a: a.size}
"""What functions of NumPy do with structured arrays."""
_LIKE = {f"numpy.{f.__name__}": _like(f) for f in (np.zeros_like, np.empty_like, np.ones_like)}


def _of_structured(ev: Evaluator, spelling: str, args: Args, kwargs: Kwargs) -> Abstract:
    if spelling in _LIKE:
        return _LIKE[spelling](ev, args, kwargs)
    if spelling not in _PROGRAMS:
        ev.refuse("SCT205", f"`{spelling}` of a structured array is not supported",
                  hint="call it with the array of a field")
    return ev.call(Static(_PROGRAMS[spelling]), args, kwargs)


@special(np.dtype)
def _new_dtype(ev: Evaluator, args: Args, kwargs: Kwargs) -> Abstract:
    """`np.dtype([...])` of constants."""
    spec = constant_of(ev, args[0])
    align = kwargs.get("align", Static(False))
    if len(args) > 1 or set(kwargs) - {"align"} or not isinstance(align, Static) or spec is None:
        ev.refuse("SCT205", "this call of `np.dtype` is not supported", hint="make the dtype outside the function")
    return Static(run_or_raise(ev, lambda: the_same(np.dtype(spec, align=bool(align.value)))))


# -- recarrays ---------------------------------------------------------------------------------------------------------


@of_scipy("numpy.recarray")
def _recarray(ev: Evaluator, args: Args, kwargs: Kwargs) -> Abstract:
    dtype = dtype_of(ev, kwargs.get("dtype", args[1] if len(args) > 1 else None))
    if dtype is None or len(args) > 2 or set(kwargs) - {"dtype", "shape"}:
        ev.refuse("SCT205", "`np.recarray` is supported with a shape and a dtype of numbers",
                  hint="make it with np.zeros, and view it as np.recarray")
    return by_groups(ev, dtype, "recarray", np.empty, kwargs["shape"] if "shape" in kwargs else args[0])


@of_scipy("numpy.rec.fromarrays")
def _from_arrays(ev: Evaluator, args: Args, kwargs: Kwargs) -> Abstract:
    """`np.rec.fromarrays([x, y], names="x,y")`"""
    options = {**dict(zip(("dtype", "shape", "formats", "names"), args[1:])), **kwargs}
    parts: Sequence[Any] = args[0].items if isinstance(args[0], Tup) else \
        ev.slots(args[0]).items if isinstance(args[0], ListRef) and not is_dynamic(ev, args[0]) else ()
    arrays = [ev.call(Static(np.asarray), [v]) for v in parts]
    types = [ev.type_of(v) if isinstance(v, Ref) else None for v in arrays]
    dtype = dtype_of(ev, options.get("dtype"))
    if "names" in options and set(options) == {"names"}:
        listed = ev.ask(options["names"], "`names`")
        names = [name.strip() for name in listed.split(",")] if isinstance(listed, str) else list(listed)
        fields = [(name, numpy_dtype(t.dtype)) for name, t in zip(names, types) if isinstance(t, Tensor)]
        dtype = np.dtype(fields) if len(fields) == len(names) == len(arrays) else None
    elif set(options) != {"dtype"}:
        dtype = None
    if dtype is None or not arrays or len(dtype.names or ()) != len(arrays):
        ev.refuse("SCT205", "`np.rec.fromarrays` of these arrays is not supported",
                  hint="pass a list of arrays of numbers, and their names or a dtype")
    s = by_groups(ev, dtype, "recarray", np.empty, ev.call(Static(np.shape), [arrays[0]]))
    for name, x in zip(dtype.names or (), arrays):
        write_field(ev, s, name, x)
    return s


def _of_fields(name: str) -> None:
    """Registers `np.sort(s, order=...)`, which Python computes of an array that it has."""
    def handle(ev: Evaluator, args: Args, kwargs: Kwargs) -> Abstract:
        value = structured_array(ev, name, args, kwargs)
        if value is None:
            ev.refuse("SCT207", f"`{name}` by the fields of a structured array is left to Python")
        return value

    of_scipy(f"{name}(order=)")(handle)


for _name in ("numpy.sort", "numpy.argsort"):
    _of_fields(_name)
