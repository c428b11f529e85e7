"""NumPy functions that write into an array, give several views, or call functions.

They are lowered to reads, writes and calls: `np.put_along_axis(x, i, v, axis=0)` is a new version
of x, the parts of `np.split(x, 2)` are slices of x.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import gast
import numpy as np

from sct.frontend.evaluator.evaluator import Evaluator
from sct.frontend.evaluator.exceptions import raise_at_run_time, run_or_raise
from sct.frontend.evaluator.handlers import SPECIAL, Args, Kwargs, Special, of_scipy, special
from sct.frontend.heap.array_keys import array_of, flagged, key_items, selection
from sct.frontend.heap.join_paths import evaluate_branches
from sct.frontend.heap.subscripts import assign_item, compose, size_along, slice_view, writable, write_through
from sct.frontend.iteration.iteration_space import items_of
from sct.frontend.numpy_library.op_calls import call_named
from sct.frontend.numpy_library.stand_ins import piecewise_of_number
from sct.frontend.operators.arithmetic_operators import binary
from sct.frontend.operators.comparisons import compare_one
from sct.frontend.operators.truth import truth
from sct.frontend.values.abstract_values import Abstract, Array, ListRef, Ref, Static, Tup
from sct.frontend.values.guards import NeedsStatic
from sct.ir import Op, Value
from sct.ir.dims import Dim
from sct.ir.types import Tensor, broadcast_shapes
from sct.ops import BY_CALL, OPS, add_at, neg, store
from sct.ops.arrays.indexing import join as join_key
from sct.ops.arrays.take import grid

__all__ = ["ARRAY_METHODS", "UFUNC_FALLBACKS", "array", "bound", "overwrite", "type_of", "ufunc_method", "written"]


def bound(ev: Evaluator, name: str, args: Args, kwargs: Kwargs, *names: str, **defaults: Any) -> list[Any]:
    """The arguments in the order of `names`, those that are left out as `defaults` say."""
    arguments = dict(zip(names, args)) | dict(kwargs)
    wrong = [k for k in arguments if k not in names]
    missing = [k for k in names if k not in arguments and k not in defaults]
    if wrong or missing or len(args) > len(names):
        what = f"the keyword `{wrong[0]}`" if wrong else f"no `{missing[0]}`" if missing else "so many arguments"
        ev.refuse("SCT205", f"`{name}` with {what} is not supported")
    return [arguments[k] if k in arguments else Static(defaults[k]) for k in names]


def array(ev: Evaluator, v: Abstract) -> Abstract:
    """A list as the array that NumPy makes of it."""
    return ev.wrap(array_of(ev, v)) if isinstance(v, (Tup, ListRef)) else v


def type_of(ev: Evaluator, v: Abstract) -> Tensor:
    t = ev.type_of(v)
    if not isinstance(t, Tensor):
        ev.refuse("SCT501", "a number or an array is needed here")
    return t


def shape_of(ev: Evaluator, v: Abstract) -> tuple[Dim, ...]:
    """The shape, with equal sizes resolved."""
    return tuple(map(ev.resolve, type_of(ev, v).shape))


def equal_sizes(ev: Evaluator, v: Abstract, n: Abstract) -> bool:
    """Has v, a number or a vector, as many elements as n says?  Asked where the types do not tell."""
    if not type_of(ev, v).rank:
        return True
    size = size_along(ev, v, 0)
    same = size if isinstance(size, Static) and isinstance(n, Static) else None
    if same is not None or size == n:
        return size == n
    return bool(ev.ask(compare_one(ev, gast.Eq(), size, n), "whether there are as many values"))


def written(ev: Evaluator, name: str, v: Abstract) -> Ref:
    if not isinstance(v, Ref):
        ev.refuse("SCT303", f"`{name}` writes into an array, and this is none")
    return v


def write(ev: Evaluator, owner: Ref, items: Sequence[Any], value: Abstract, op: Op = store) -> Abstract:
    """`owner[items] = value`, or `+=` where the op is `add_at`."""
    names, operands = join_key(items)
    path, names, operands = compose(ev, owner, names, operands)
    base = Ref(owner.addr, path)
    writable(ev, base)
    version = ev.emit(op, ev.read(base), ev.operand(array(ev, value)), *operands, key=names)
    write_through(ev, base, version)
    return Static(None)


def overwrite(ev: Evaluator, owner: Ref, value: Abstract) -> Abstract:
    """`owner[...] = value`"""
    assign_item(ev, owner, Static(Ellipsis), value)
    return Static(None)


# -- writes ---------------------------------------------------------------------------------------------


@special(np.copyto)
def copyto(ev: Evaluator, args: Args, kwargs: Kwargs) -> Abstract:
    dst, src, where = bound(ev, "np.copyto", args, kwargs, "dst", "src", "where", where=True)
    dst = written(ev, "np.copyto", dst)
    if not (isinstance(where, Static) and where.value is True):
        src = ev.call(Static(np.where), [array(ev, where), array(ev, src), dst])
    return overwrite(ev, dst, src)


@special(np.putmask)
def putmask(ev: Evaluator, args: Args, kwargs: Kwargs) -> Abstract:
    a, mask, values = bound(ev, "np.putmask", args, kwargs, "a", "mask", "values")
    a, values = written(ev, "np.putmask", a), array(ev, values)
    if type_of(ev, values).rank and type_of(ev, values).shape != type_of(ev, a).shape:
        ev.refuse("SCT205", "`np.putmask` with values of another shape is not supported",
                  why="they would be repeated", hint="give a number or an array of the same shape")
    return overwrite(ev, a, ev.call(Static(np.where), [array(ev, mask), values, a]))


@special(np.put)
def put(ev: Evaluator, args: Args, kwargs: Kwargs) -> Abstract:
    a, ind, v = bound(ev, "np.put", args, kwargs, "a", "ind", "v")
    a, ind, v = written(ev, "np.put", a), array(ev, selection(ev, ind)), array(ev, v)
    if type_of(ev, v).rank and not equal_sizes(ev, v, size_along(ev, ind, 0)):
        ev.refuse("SCT205", "`np.put` with another number of values than positions is not supported",
                  why="they would be repeated")
    if type_of(ev, a).rank == 1:
        return write(ev, a, key_items(ev, ind), v)
    flat = ev.call(Static(np.copy), [ev.call(Static(np.ravel), [a])])
    assign_item(ev, flat, ind, v)
    shape = Tup(tuple(size_along(ev, a, k) for k in range(type_of(ev, a).rank)))
    return overwrite(ev, a, ev.call(Static(np.reshape), [flat, shape]))


@special(np.put_along_axis)
def put_along_axis(ev: Evaluator, args: Args, kwargs: Kwargs) -> Abstract:
    a, indices, values, axis = bound(ev, "np.put_along_axis", args, kwargs, "arr", "indices", "values", "axis", axis=-1)
    a, k = written(ev, "np.put_along_axis", a), ev.ask(axis, "`axis`")
    if k is None:
        return put(ev, [a, indices, values], {})
    base = ev.read(a)
    with ev.b:
        _, operands = grid(ev.operand(array(ev, indices)), base, k % type_of(ev, a).rank)
    return write(ev, a, operands, values)


@special(np.fill_diagonal)
def fill_diagonal(ev: Evaluator, args: Args, kwargs: Kwargs) -> Abstract:
    a, val = bound(ev, "np.fill_diagonal", args, kwargs, "a", "val")
    a, val = written(ev, "np.fill_diagonal", a), array(ev, val)
    t = type_of(ev, a)
    for d in t.shape[1:]:
        ev.same(t.shape[0], d)
    shape = shape_of(ev, a)
    n = size_along(ev, a, 0)
    if len(set(shape)) > 1:
        if t.rank != 2:
            ev.refuse("SCT205", "`np.fill_diagonal` of an array that is not square is not supported")
        n = ev.call(Static(min), [n, size_along(ev, a, 1)])
    if type_of(ev, val).rank > 1 or not equal_sizes(ev, val, n):
        ev.refuse("SCT205", "`np.fill_diagonal` with another number of values than the diagonal has is not supported")
    place = ev.operand(ev.call(Static(np.arange), [n]))
    return write(ev, a, [place] * t.rank, val)


def sort_in_place(ev: Evaluator, owner: Ref, args: Args, kwargs: Kwargs) -> Abstract:
    return overwrite(ev, owner, ev.call(Static(np.sort), [owner, *args], kwargs))


def partition_in_place(ev: Evaluator, owner: Ref, args: Args, kwargs: Kwargs) -> Abstract:
    return overwrite(ev, owner, ev.call(Static(np.partition), [owner, *args], kwargs))


def fill(ev: Evaluator, owner: Ref, args: Args, kwargs: Kwargs) -> Abstract:
    (value,) = bound(ev, "fill", args, kwargs, "value")
    if not isinstance(value, Static) and type_of(ev, array(ev, value)).rank:
        ev.refuse("SCT501", "`fill` takes a number", hint="assign to a slice of the array")
    return overwrite(ev, owner, value)


def put_method(ev: Evaluator, owner: Ref, args: Args, kwargs: Kwargs) -> Abstract:
    return put(ev, [owner, *args], kwargs)


def compress_method(ev: Evaluator, owner: Ref, args: Args, kwargs: Kwargs) -> Abstract:
    condition, axis = bound(ev, "compress", args, kwargs, "condition", "axis", axis=None)
    return ev.call(Static(np.compress), [condition, owner, axis])


ARRAY_METHODS: dict[str, Callable[[Evaluator, Ref, Args, Kwargs], Abstract]] = {
    "sort": sort_in_place, "partition": partition_in_place, "fill": fill, "put": put_method,
    "compress": compress_method}
"""Methods of arrays that are no ops, or more."""


# -- methods of ufuncs ------------------------------------------------------------------------------------

REDUCES = {np.add: np.sum, np.multiply: np.prod, np.maximum: np.max, np.minimum: np.min, np.logical_and: np.all,
           np.logical_or: np.any}
UFUNC_FALLBACKS: dict[str, Callable[[Evaluator, np.ufunc, Args, Kwargs], Abstract]] = {}
"""Methods of any ufunc of two operands."""
ACCUMULATES = {np.add: "cumsum", np.multiply: "cumprod", np.maximum: "running_max", np.minimum: "running_min"}


def ufunc_method(ev: Evaluator, ufunc: np.ufunc, name: str, args: Args, kwargs: Kwargs) -> Abstract:
    """`np.add.at(x, i, v)`, `np.subtract.outer(x, y)`, `np.maximum.accumulate(x)`."""
    shown = f"np.{ufunc.__name__}.{name}"
    if name == "at" and ufunc in (np.add, np.subtract):
        a, indices, b = bound(ev, shown, args, kwargs, "a", "indices", "b")
        value = ev.operand(array(ev, b))
        if ufunc is np.subtract:
            value = ev.emit(neg, value)
        owner, place = flagged(ev, written(ev, shown, a), indices)
        return write(ev, owner, key_items(ev, place), ev.wrap(value), add_at)
    if name == "outer":
        x, y = bound(ev, shown, args, kwargs, "A", "B")
        x, y = array(ev, x), array(ev, y)
        if isinstance(x, Ref) and type_of(ev, y).rank:
            x = slice_view(ev, x, Tup((Static(Ellipsis), *[Static(None)] * type_of(ev, y).rank)))
        return ev.call(Static(ufunc), [x, y])
    if name == "reduce" and ufunc in REDUCES:
        of_items, rest = ({k: v for k, v in kwargs.items() if (k in ("initial", "where")) is b} for b in (True, False))
        x, axis, keepdims = bound(ev, shown, args, rest, "array", "axis", "keepdims", axis=0, keepdims=False)
        return ev.call(Static(REDUCES[ufunc]), [array(ev, x)], {"axis": axis, "keepdims": keepdims, **of_items})
    if name == "reduce" and ufunc is np.logaddexp:
        x, axis, keepdims = bound(ev, shown, args, kwargs, "array", "axis", "keepdims", axis=0, keepdims=False)
        axis, keepdims = ev.ask(axis, "`axis`"), ev.ask(keepdims, "`keepdims`")
        return ev.call_op(OPS["logaddexp_reduce"], array(ev, x), axis=axis, keepdims=keepdims)
    if (name in ("at", "reduce", "reduceat") or name == "accumulate" and ufunc not in ACCUMULATES) and ufunc.nin == 2:
        return UFUNC_FALLBACKS[name](ev, ufunc, args, kwargs)
    if name == "accumulate" and ufunc in ACCUMULATES:
        x, axis = bound(ev, shown, args, kwargs, "array", "axis", axis=0)
        return ev.call_op(OPS[ACCUMULATES[ufunc]], array(ev, x), axis=ev.ask(axis, "`axis`"))
    ev.refuse("SCT206", f"`{shown}` is not supported",
              hint=f"call np.{ufunc.__name__} in a loop over the items" if ufunc.nin == 2 else "")


# -- parts of an array -----------------------------------------------------------------------------------------


def splitter(call: Any, name: str, along: Callable[[int], int] | None, uneven: bool) -> Special:
    """`split` and its like: views of the array, one after the other."""

    def handler(ev: Evaluator, args: Args, kwargs: Kwargs) -> Abstract:
        names = ("ary", "indices_or_sections", *(("axis",) if along is None else ()))
        x, at, *rest = bound(ev, f"np.{name}", args, kwargs, *names, **({"axis": 0} if along is None else {}))
        x = array(ev, x)
        if not isinstance(x, Ref):
            ev.refuse("SCT501", f"`np.{name}` of a number")
        rank = type_of(ev, x).rank
        options = {"axis": ev.ask(rest[0], "`axis`")} if along is None else {}
        run_or_raise(ev, lambda: call(np.zeros((1,) * rank), 1, **options))
        axis = (options["axis"] if along is None else along(rank)) % rank
        n = size_along(ev, x, axis)
        if isinstance(at, (Tup, ListRef)):
            ends = list(items_of(ev, at))
        elif uneven and axis == 0 and isinstance(at, Value):
            return ev.call(Static(parts_of), [x, at])
        else:
            ends = sections(ev, x, axis, n, ev.ask(at, "the number of parts"), uneven)
        parts = [view(ev, x, axis, a, b) for a, b in zip([Static(None), *ends], [*ends, Static(None)])]
        return ev.new_list(tuple(parts))

    return handler


def parts_of(x: Any, count: Any) -> Any:
    """`np.array_split(x, count)`, for a number of parts that is known only at run time."""
    if count <= 0:
        raise ValueError("number sections must be larger than 0.")
    each, more = divmod(len(x), count)
    parts, start = [], 0
    for k in range(count):
        stop = start + each + int(k < more)
        parts.append(x[start:stop])
        start = stop
    return parts


def sections(ev: Evaluator, x: Ref, axis: int, n: Abstract, count: int, uneven: bool) -> list[Abstract]:
    """The ends of all parts but the last; the size of the axis is guarded, so that their sizes are known."""
    at_run_time = uneven_sections if uneven else equal_sections
    try:
        if ev.ahead and not uneven and isinstance(n, Value):
            return equal_sections(ev, n, count)
        total = ev.ask(n, "the size of what is split")
    except NeedsStatic:
        return at_run_time(ev, n, count)
    size = ev.resolve(type_of(ev, x).shape[axis])
    if isinstance(n, Value) and ev.size_now(size) is not None:  # else, as for the count of a mask, `ask` is the guard
        ev.equate(size, Dim(total))
    run_or_raise(ev, lambda: (np.array_split if uneven else np.split)(np.broadcast_to(0.0, total), count))
    each, more = divmod(total, count)
    return [Static(k * each + min(k, more)) for k in range(1, count)]


def equal_sections(ev: Evaluator, n: Abstract, count: int) -> list[Abstract]:
    """`sections` for a size that is known only at run time."""
    rest = truth(ev, binary(ev, gast.Mod, n, Static(count)))
    unequal = "array split does not result in an equal division"
    evaluate_branches(ev, rest, lambda: raise_at_run_time(ev, "ValueError", unequal),
              lambda: Static(None))
    each = binary(ev, gast.FloorDiv, n, Static(count))
    return [binary(ev, gast.Mult, Static(k), each) if k > 1 else each for k in range(1, count)]


def uneven_sections(ev: Evaluator, n: Abstract, count: int) -> list[Abstract]:
    """The same where the first parts may have one item more."""
    run_or_raise(ev, lambda: np.array_split(np.zeros(1), count))
    each, more = (binary(ev, kind, n, Static(count)) for kind in (gast.FloorDiv, gast.Mod))
    longer = [ev.call(Static(min), [more, Static(k)]) for k in range(1, count)]
    return [binary(ev, gast.Add, binary(ev, gast.Mult, Static(k), each) if k > 1 else each, rest)
            for k, rest in enumerate(longer, 1)]


def view(ev: Evaluator, x: Ref, axis: int, start: Abstract, stop: Abstract) -> Abstract:
    key = Tup((*[Static(slice(None))] * axis, Tup((Static(slice), start, stop, Static(None)))))
    return slice_view(ev, x, key)


for _call, _name, _along, _uneven in (
        (np.split, "split", None, False), (np.array_split, "array_split", None, True),
        (np.hsplit, "hsplit", lambda rank: min(rank - 1, 1), False), (np.vsplit, "vsplit", lambda rank: 0, False),
        (np.dsplit, "dsplit", lambda rank: 2, False)):
    SPECIAL[id(_call)] = splitter(_call, _name, _along, _uneven)


# -- several arrays at once --------------------------------------------------------------------------------------


def each(spelling: str) -> Special:
    """A function of one array, or of several at once."""

    def handler(ev: Evaluator, args: Args, kwargs: Kwargs) -> Abstract:
        arrays = tuple(call_named(ev, spelling, [array(ev, x)], kwargs) for x in args)
        return arrays[0] if len(arrays) == 1 else Tup(arrays)

    return handler


for _n in (1, 2, 3):
    SPECIAL[id(getattr(np, f"atleast_{_n}d"))] = each(f"numpy.atleast_{_n}d")


@special(np.broadcast_arrays)
def broadcast_arrays(ev: Evaluator, args: Args, kwargs: Kwargs) -> Abstract:
    bound(ev, "np.broadcast_arrays", (), kwargs)
    arrays = [array(ev, x) for x in args]
    for x in arrays[1:]:
        for p, q in zip(reversed(type_of(ev, arrays[0]).shape), reversed(type_of(ev, x).shape)):
            ev.same(p, q)
    shapes = [shape_of(ev, x) for x in arrays]
    whole = broadcast_shapes(*shapes)
    shape = Tup(tuple(broadcast_size(ev, arrays, shapes, d, k) for k, d in enumerate(whole, -len(whole))))
    return Tup(tuple(x if isinstance(x, Ref) and s == whole else broadcast_array(ev, x, shape)
                     for x, s in zip(arrays, shapes)))


@of_scipy("numpy.broadcast_shapes")
def broadcast_of_shapes(ev: Evaluator, args: Args, kwargs: Kwargs) -> Any:
    """The larger of two sizes on each axis, where sizes that are not 1 are known to be equal; else left to Python."""
    whole: list[Abstract] = []
    for shape in [x.items if isinstance(x, Tup) else (x,) for x in args]:
        whole[:0] = [Static(1)] * (len(shape) - len(whole))
        for k, n in enumerate(shape, len(whole) - len(shape)):
            p, q = size_of_int(whole[k]), size_of_int(n)
            if p is None or q is None or not ev.same(p, q):
                return None
            p, q = ev.resolve(p), ev.resolve(q)
            if p != q and 1 not in (p.value, q.value):
                return None
            whole[k] = n if p.value == 1 else whole[k]
    return None if kwargs else Tup(tuple(whole))


def size_of_int(n: Abstract) -> Dim | None:
    """The size that an int is; None where that is not known."""
    if isinstance(n, Static):
        return Dim(n.value) if type(n.value) is int and n.value >= 0 else None
    return n.dim if isinstance(n, Value) else None


def broadcast_array(ev: Evaluator, x: Abstract, shape: Abstract) -> Abstract:
    """A view that NumPy lets one write, with a warning; one element of it stands at many places."""
    view = ev.call(Static(np.broadcast_to), [x, shape])
    assert isinstance(view, Ref)
    if view.path:
        return replace(view, path=(*view.path[:-1], replace(view.path[-1], readonly=False)))
    cell = ev.store.cells[view.addr]
    assert isinstance(cell, Array)
    ev.store.cells[view.addr] = replace(cell, readonly=frozenset({True, False}))
    return view


def broadcast_size(ev: Evaluator, arrays: Sequence[Abstract], shapes: Sequence[tuple[Dim, ...]], d: Dim,
                   axis: int) -> Abstract:
    """The size d of an axis (from the end), of an array that has it."""
    for x, shape in zip(arrays, shapes):
        if len(shape) >= -axis and shape[axis] == d:
            return size_along(ev, x, axis + len(shape))
    ev.refuse("SCT501", "`np.broadcast_arrays` of sizes that may be 1 is not supported")


@special(np.where)
def where_(ev: Evaluator, args: Args, kwargs: Kwargs) -> Abstract:
    """`np.where(c)` is `np.nonzero(c)`."""
    if len(args) == 1:
        return nonzero(ev, args, kwargs)
    return call_named(ev, "numpy.where", [array(ev, x) for x in args], kwargs)


@special(np.nonzero)
def nonzero(ev: Evaluator, args: Args, kwargs: Kwargs) -> Abstract:
    positions = call_named(ev, "numpy.nonzero", [array(ev, x) for x in args], kwargs)
    return positions if isinstance(positions, Tup) else Tup((positions,))


@special(np.divmod)
def divmod_(ev: Evaluator, args: Args, kwargs: Kwargs) -> Abstract:
    return Tup((ev.call(Static(np.floor_divide), args, kwargs), ev.call(Static(np.mod), args, kwargs)))


# -- order="F" ---------------------------------------------------------------------------------------------


def ordered(spelling: str, position: int) -> Special:
    """`ravel`, `flatten` or `reshape`: in Fortran order it is that of the transpose."""

    def handler(ev: Evaluator, args: Args, kwargs: Kwargs) -> Abstract:
        rest = {k: v for k, v in kwargs.items() if k != "order"}
        asked = kwargs.get("order", args[position] if len(args) > position and spelling != ".reshape" else None)
        order = "C" if asked is None else ev.ask(asked, "`order`")
        args = args[:position] if spelling != ".reshape" else args
        if order == "C":
            return call_named(ev, spelling, args, rest)
        if order != "F":
            ev.refuse("SCT205", f'`order="{order}"` is not supported', hint='give "C" or "F"')
        turned = ev.call(Static(np.transpose), [args[0]])
        if position == 1:
            return call_named(ev, spelling, [turned, *args[1:]], rest)
        shape = args[1] if len(args) == 2 else Tup(tuple(args[1:]))
        sizes = items_of(ev, shape) if isinstance(shape, (Tup, ListRef)) else (shape,)
        return ev.call(Static(np.transpose), [call_named(ev, spelling, [turned, Tup(tuple(sizes[::-1]))], rest)])

    return handler


SPECIAL[id(np.ravel)], SPECIAL[id(np.reshape)] = ordered("numpy.ravel", 1), ordered("numpy.reshape", 2)


def in_order(name: str, position: int) -> Callable[[Evaluator, Ref, Args, Kwargs], Abstract]:
    handler = ordered(f".{name}", position)
    return lambda ev, owner, args, kwargs: handler(ev, [owner, *args], kwargs)


@special(np.piecewise)
def piecewise(ev: Evaluator, args: Args, kwargs: Kwargs) -> Abstract:
    """As NumPy does it: the functions are called with the elements that each condition selects."""
    x, conditions, functions, *more = args
    if not isinstance(x, Ref):
        return ev.call(Static(piecewise_of_number), [x, conditions, functions, *more], kwargs)
    masks: list[Abstract] = list(items_of(ev, conditions)) if isinstance(conditions, (Tup, ListRef)) else [conditions]
    calls = items_of(ev, functions)
    if len(calls) == len(masks) + 1:
        rest = masks[0]
        for m in masks[1:]:
            rest = binary(ev, gast.BitOr, rest, m)
        masks.append(ev.call_op(BY_CALL["operator.invert"], rest, spelling="operator.invert"))
    y = ev.call(Static(np.zeros_like), [x])
    for mask, f in zip(masks, calls):
        number = isinstance(f, Static) and isinstance(f.value, (int, float, complex)) or isinstance(f, Value)
        assign_item(ev, y, mask, f if number else ev.call(f, [slice_view(ev, x, mask), *more], kwargs))
    return y


def _asks_for_complex(complex_wanted: bool) -> Callable[..., Abstract]:
    """`numpy.iscomplexobj` or `numpy.isrealobj`: a question about the dtype."""

    def answer(ev: Evaluator, args: Args, kwargs: Kwargs) -> Abstract:
        (x,) = bound(ev, "iscomplexobj" if complex_wanted else "isrealobj", args, kwargs, "x")
        t = ev.type_of(x) if isinstance(x, (Ref, Value)) else None
        if isinstance(x, Static):
            return Static(np.iscomplexobj(x.value) == complex_wanted)
        if not isinstance(t, Tensor) or t.dtype == "number":
            ev.refuse("SCT504", "whether this is complex is not known", hint="ask it of an array or a number")
        return Static((t.kind == "c") == complex_wanted)

    return answer


special(np.iscomplexobj)(_asks_for_complex(True))
special(np.isrealobj)(_asks_for_complex(False))


ARRAY_METHODS.update({name: in_order(name, k) for name, k in (("ravel", 1), ("flatten", 1), ("reshape", 2))})
ARRAY_METHODS["nonzero"] = lambda ev, owner, args, kwargs: nonzero(ev, [owner, *args], kwargs)
