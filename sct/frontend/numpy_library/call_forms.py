"""Calls of NumPy in another form than that of an op, which they are evaluated as.

    np.r_[x, 0.0, 1:4]                   ->   np.concatenate((x, np.array([0.0]), np.arange(1, 4)))
    np.mgrid[0:4, 0:3]                   ->   np.stack(np.meshgrid(np.arange(0, 4), np.arange(0, 3), indexing="ij"))
    np.vstack(a)                         ->   a.reshape(...).copy(), if `a` is an array and not a list of arrays
    np.einsum(a, [0, 1], b, [1], [0])    ->   np.einsum("ab,b->a", a, b)
    np.moveaxis(a, 0, 0)                 ->   a[...]
    np.cross(a, b, axisa=0)              ->   np.cross(np.moveaxis(a, 0, -1), b)
    np.zeros_like(a, shape=3)            ->   np.zeros(3, a.dtype)
    np.cumsum(a, dtype=float)            ->   np.cumsum(a.astype(float))
"""

from __future__ import annotations

import string
import types
from typing import Any, NoReturn

import numpy as np

from sct.frontend.evaluator.evaluator import Evaluator
from sct.frontend.evaluator.exceptions import named_arguments
from sct.frontend.evaluator.handlers import Args, Kwargs, special
from sct.frontend.evaluator.own_methods import is_library
from sct.frontend.heap.array_keys import is_slice
from sct.frontend.heap.dynamic_lists import is_dynamic
from sct.frontend.heap.subscripts import item
from sct.frontend.state.observed_types import is_of_sct
from sct.frontend.values.abstract_values import Abstract, ListRef, Ref, Static, Tup
from sct.ir import Value
from sct.ir.types import NARROW, Tensor
from sct.ops.program.list_concatenation import JOINS
from sct.ops.type_rules import numpy_dtype

__all__ = ["in_another_form"]

_NONE = Static(None)
_LIKE = {f.__name__: f for f in (np.zeros_like, np.ones_like, np.empty_like, np.full_like)}
_AS_IT_IS = {"dtype": Static(None), "casting": Static("same_kind")}
_INSTEAD = {"r_": "use np.concatenate, np.arange or np.linspace", "c_": "use np.column_stack",
            "mgrid": "use np.meshgrid of np.arange or np.linspace",
            "ogrid": "use np.arange or np.linspace, and reshape"}


def in_another_form(ev: Evaluator, spelling: str, args: Args, kwargs: Kwargs) -> Abstract | None:
    """The value of a call of NumPy that is written in another form than that of the op; None for others."""
    name = spelling.removeprefix("numpy.")
    if name == "einsum" and args and isinstance(args[0], Ref) and len(args) > 1:
        return _einsum(ev, args, kwargs)
    if name == "moveaxis" and len(args) == 3 and not kwargs and _stays(ev, *args):
        return args[0] if _is_in_library(ev) else item(ev, args[0], Static(Ellipsis))
    if name == "cross" and (len(args) > 2 or kwargs):
        return _cross(ev, args, kwargs)
    if name in _LIKE and kwargs.get("shape", _NONE) != _NONE:
        return _of_shape(ev, name, args, kwargs)
    if name in ("cumsum", "cumprod") and "dtype" in kwargs and args:
        dtype, rest = kwargs["dtype"], {key: v for key, v in kwargs.items() if key != "dtype"}
        first = args[0] if dtype == _NONE else ev.call(Static(_converted), [args[0], dtype])
        return ev.call(Static(getattr(np, name)), [first, *args[1:]], rest)
    if name in JOINS and len(args) == 1 and kwargs.items() <= _AS_IT_IS.items() and isinstance(args[0], Ref):
        return _rows_joined(ev, name, args[0])
    if name == "linspace" and any(ev.shape_of(v) for v in (*args, *kwargs.values()) if isinstance(v, Ref)):
        arguments = named_arguments(ev, np.linspace, args, kwargs)
        ends = [arguments[key] for key in ("start", "stop")]
        if arguments.keys() <= {"start", "stop", "num", "endpoint"} and all(_becomes_double(ev, v) for v in ends):
            return ev.call(Static(_between_arrays), [*ends, arguments.get("num", Static(50)),
                                                     arguments.get("endpoint", Static(True))])
    return None


def _converted(x: Any, dtype: Any) -> Any:
    return np.asarray(x).astype(dtype)


def _of_shape(ev: Evaluator, name: str, args: Args, kwargs: Kwargs) -> Abstract | None:
    """An array of the dtype of another one, and of this shape."""
    arguments = named_arguments(ev, _LIKE[name], args, kwargs)
    t = ev.type_of(ev.call(Static(np.asarray), [arguments.pop(next(iter(arguments)))]))
    shape, dtype = arguments.pop("shape"), arguments.pop("dtype", _NONE)
    if not isinstance(t, Tensor) or not arguments.keys() <= {"fill_value"}:
        return None
    return ev.call(Static(getattr(np, name.removesuffix("_like"))), [shape, *arguments.values()], {
        "dtype": Static(numpy_dtype(t.dtype)) if dtype == _NONE else dtype})


def _is_in_library(ev: Evaluator) -> bool:
    """Is this a call in a program of NumPy, of SciPy or of sct?  Such a program does not ask whether it has a view."""
    frame = ev.frames[-1]
    return is_of_sct(frame.source.file) or isinstance(frame.function, types.FunctionType) and is_library(frame.function)


def _stays(ev: Evaluator, x: Abstract, source: Abstract, destination: Abstract) -> bool:
    """Does this axis of the array stay where it is?"""
    axes = [v.value for v in (source, destination) if isinstance(v, Static) and type(v.value) is int]
    rank = len(ev.shape_of(x)) if isinstance(x, Ref) else 0
    return len(axes) == 2 and all(-rank <= axis < rank for axis in axes) and axes[0] % rank == axes[1] % rank


def _becomes_double(ev: Evaluator, v: Abstract) -> bool:
    """Is this real, and of 64 bits once it is multiplied by a float?"""
    t = ev.type_of(v) if isinstance(v, (Ref, Value)) else None
    return isinstance(v, Static) and isinstance(v.value, (int, float)) or isinstance(t, Tensor) and (
        t.dtype in ("f64", "i64") or t.carrier == "py" and t.kind in "if")


def _between_arrays(start: Any, stop: Any, num: Any, endpoint: Any) -> Any:
    """`np.linspace`, in the order of its operations."""
    start, stop = np.asarray(start) * 1.0, np.asarray(stop) * 1.0
    delta, count = stop - start, num - 1 if endpoint else num
    y = np.arange(0.0, num).reshape((num,) + (1,) * delta.ndim)
    if count > 0:
        step = delta / count
        y = y / count * delta if np.any(step == 0) else y * step
    else:
        y = y * delta
    y = y + start
    if endpoint and num > 1:
        y[-1] = stop
    return y


@special(np.r_)
def _row(ev: Evaluator, args: Args, kwargs: Kwargs) -> Abstract:
    """`np.r_[...]`: numbers, vectors and ranges in a row, or arrays along their first axis."""
    return ev.call(Static(np.concatenate), [Tup(tuple(_items(ev, "r_", args[0])))])


@special(np.c_)
def _columns(ev: Evaluator, args: Args, kwargs: Kwargs) -> Abstract:
    """`np.c_[...]`: vectors as columns, and matrices."""
    return ev.call(Static(np.column_stack), [Tup(tuple(_items(ev, "c_", args[0])))])


@special(np.mgrid)
def _grid(ev: Evaluator, args: Args, kwargs: Kwargs) -> Abstract:
    """`np.mgrid[0:n, 0:m]`: the coordinates of a grid, one array for each axis."""
    axes = _axes_of_grid(ev, "mgrid", args[0])
    if _is_one_slice(args[0]):
        return axes[0]
    grids = Tup(tuple(axes)) if len(axes) == 1 else ev.call(Static(np.meshgrid), axes, {"indexing": Static("ij")})
    return ev.call(Static(np.stack), [grids])


@special(np.ogrid)
def _open_grid(ev: Evaluator, args: Args, kwargs: Kwargs) -> Abstract:
    """`np.ogrid[0:n, 0:m]`: the same, of size 1 along the other axes."""
    axes = _axes_of_grid(ev, "ogrid", args[0])
    if _is_one_slice(args[0]):
        return axes[0]
    shapes = [Tup(tuple(Static(-1 if j == k else 1) for j in range(len(axes)))) for k in range(len(axes))]
    return Tup(tuple(ev.call(Static(np.reshape), [axis, shape]) for axis, shape in zip(axes, shapes)))


def _is_one_slice(key: Abstract) -> bool:
    return is_slice(key) or isinstance(key, Static) and isinstance(key.value, slice)


def _axes_of_grid(ev: Evaluator, name: str, key: Abstract) -> list[Abstract]:
    parts = (key,) if _is_one_slice(key) or not isinstance(key, Tup) else key.items
    if not all(map(_is_one_slice, parts)):
        _refuse(ev, name, "this item")
    axes = [_range(ev, name, v) for v in parts]
    types = [ev.type_of(axis) for axis in axes]
    if len({t.dtype for t in types if isinstance(t, Tensor)}) > 1:
        _refuse(ev, name, "a mix of ints and floats")
    return axes


def _items(ev: Evaluator, name: str, key: Abstract) -> list[Abstract]:
    parts = key.items if isinstance(key, Tup) and not is_slice(key) else (key,)
    return [_item(ev, name, part, len(parts)) for part in parts]


def _item(ev: Evaluator, name: str, v: Abstract, count: int) -> Abstract:
    """An item as an array."""
    if is_slice(v) or isinstance(v, Static) and isinstance(v.value, slice):
        return _range(ev, name, v)
    if isinstance(v, Static) and type(v.value) not in (int, float, complex):
        _refuse(ev, name, "an option")
    if isinstance(v, (Tup, ListRef)) and not (isinstance(v, ListRef) and is_dynamic(ev, v)):
        v = ev.call(Static(np.array), [v])
    t = ev.type_of(v) if isinstance(v, (Ref, Value)) else None
    if t is not None and (not isinstance(t, Tensor) or t.dtype in NARROW and count > 1):
        _refuse(ev, name, "this item")
    rank = t.rank if isinstance(t, Tensor) else 0
    if name == "c_" and rank > 2:
        _refuse(ev, name, f"an array of {rank} axes")
    return v if rank else ev.call(Static(np.array), [ev.new_list((v,))])


def _range(ev: Evaluator, name: str, v: Abstract) -> Abstract:
    """`start:stop:step`: a range, or as many numbers as the imaginary step says."""
    start, stop, step = v.items[1:] if isinstance(v, Tup) else (
        Static(x) for x in (v.value.start, v.value.stop, v.value.step))  # type: ignore[union-attr]
    start, step = (Static(other) if x == Static(None) else x for x, other in ((start, 0), (step, 1)))
    if isinstance(step, Static) and isinstance(step.value, complex):
        return ev.call(Static(np.linspace), [start, stop, Static(int(abs(step.value)))])
    return ev.call(Static(np.arange), [start, stop, step])


def _refuse(ev: Evaluator, name: str, what: str) -> NoReturn:
    ev.refuse("SCT206", f"{what} in `np.{name}` is not supported", hint=_INSTEAD[name])


# -- the rows of one array ---------------------------------------------------------------------------------------------


def _rows_joined(ev: Evaluator, name: str, x: Ref) -> Abstract | None:
    """`np.vstack(x)`, `hstack` or `column_stack` of an array instead of a list of arrays; None for others."""
    t = ev.type_of(x)
    program = _OF_ROWS.get((name, t.rank)) if isinstance(t, Tensor) else None
    return None if program is None else ev.call(Static(program), [x])


def _copied(x: Any) -> Any:
    return x.copy()


def _one_column(x: Any) -> Any:
    return x.reshape(-1, 1).copy()


def _one_row(x: Any) -> Any:
    return x.reshape(1, -1).copy()


def _flat(x: Any) -> Any:
    return x.reshape(-1).copy()


def _transposed(x: Any) -> Any:
    return x.T.copy()


def _one_below_the_other(x: Any) -> Any:
    return x.reshape(x.shape[0] * x.shape[1], x.shape[2]).copy()


def _side_by_side(x: Any) -> Any:
    return x.transpose(1, 0, 2).reshape(x.shape[1], x.shape[0] * x.shape[2]).copy()


if hasattr(np, "row_stack"):
    @special(np.row_stack)
    def _row_stack(ev: Evaluator, args: Args, kwargs: Kwargs) -> Abstract:
        return ev.call(Static(np.vstack), args, kwargs)


_OF_ROWS = {
    ("vstack", 1): _one_column, ("vstack", 2): _copied, ("vstack", 3): _one_below_the_other,
    ("hstack", 1): _copied, ("hstack", 2): _flat, ("hstack", 3): _side_by_side,
    ("column_stack", 1): _one_row, ("column_stack", 2): _transposed, ("column_stack", 3): _side_by_side,
    ("concatenate", 2): _flat, ("concatenate", 3): _one_below_the_other, ("stack", 2): _copied, ("stack", 3): _copied}
"""Programs that join the items of an array along its first axis, by function and number of axes."""


# -- products of vectors ----------------------------------------------------------------------------------------------


def _cross(ev: Evaluator, args: Args, kwargs: Kwargs) -> Abstract | None:
    """`np.cross` of vectors along other axes than the last: these are moved; None where no axis is told."""
    arguments = named_arguments(ev, np.cross, args, kwargs)
    if not arguments.keys() & {"axisa", "axisb", "axisc"}:
        return None
    if arguments.get("axis", Static(None)) != Static(None):
        return ev.call(Static(np.cross), [arguments["a"], arguments["b"]], {"axis": arguments["axis"]})
    a, b = (_with_last(ev, arguments[key], arguments.get(f"axis{key}", Static(-1))) for key in "ab")
    y = ev.call(Static(np.cross), [a, b])
    return ev.call(Static(np.moveaxis), [y, Static(-1), arguments.get("axisc", Static(-1))])


def _with_last(ev: Evaluator, x: Abstract, axis: Abstract) -> Abstract:
    return x if axis == Static(-1) else ev.call(Static(np.moveaxis), [x, axis, Static(-1)])


# -- sums of products --------------------------------------------------------------------------------------------------


def _einsum(ev: Evaluator, args: Args, kwargs: Kwargs) -> Abstract | None:
    """`np.einsum` with the axes of each operand as a list of ints after it."""
    texts = [_subscripts(ev, v) for v in (*args[1::2], *([args[-1]] if len(args) % 2 else ()))]
    if None in texts:
        return None
    n = len(args) // 2
    subscripts = ",".join(map(str, texts[:n])) + (f"->{texts[n]}" if len(args) % 2 else "")
    return ev.call(Static(np.einsum), [Static(subscripts), *args[:2 * n:2]], kwargs)


def _subscripts(ev: Evaluator, v: Abstract) -> str | None:
    """The letters of a list of ints, which may hold an ellipsis."""
    if not isinstance(v, (Tup, ListRef)) or isinstance(v, ListRef) and is_dynamic(ev, v):
        return None
    items = v.items if isinstance(v, Tup) else ev.slots(v).items
    if not all(isinstance(x, (Static, Value)) for x in items):
        return None
    axes: list[Any] = [x.value if isinstance(x, Static) else ev.ask(x, "an axis of `einsum`") for x in items]
    if not all(x is Ellipsis or type(x) is int and 0 <= x < 26 for x in axes):
        return None
    return "".join("..." if x is Ellipsis else string.ascii_lowercase[x] for x in axes)
