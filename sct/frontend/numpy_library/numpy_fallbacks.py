"""Functions of NumPy as the functions of simpler calls that they could be: these are evaluated in their place.

    np.matvec(A, x)                  ->   A @ x
    np.apply_along_axis(f, 1, A)     ->   np.array([f(row) for row in A])
    np.hypot.accumulate(x)           ->   y[0] = x[0]; for k in ...: y[k] = np.hypot(y[k - 1], x[k])
    np.maximum.at(y, i, x)           ->   for k in ...: y[i[k]] = np.maximum(y[i[k]], x[k])

Each gives the bits of the function that it stands for.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from sct.frontend.evaluator.evaluator import Evaluator
from sct.frontend.evaluator.exceptions import raise_at_run_time, run_or_raise
from sct.frontend.evaluator.handlers import SPECIAL, Args, Kwargs, Special, special
from sct.frontend.iteration.iteration_space import items_of
from sct.frontend.numpy_library.numpy_functions import UFUNC_FALLBACKS, array, bound, type_of
from sct.frontend.numpy_library.op_calls import call_named
from sct.frontend.values.abstract_values import Abstract, Method, Ref, Static, Tup
from sct.ir.real_ints import unmark_real
from sct.ops.type_rules import numpy_dtype

__all__: list[str] = []


def accumulated(f: Callable[[Any, Any], Any], x: Any) -> Any:
    y = np.empty_like(x)
    if len(x) > 0:
        y[0] = x[0]
    for k in range(1, len(x)):
        y[k] = f(y[k - 1], x[k])
    return y


def reduced(f: Callable[[Any, Any], Any], x: Any, axis: Any) -> Any:
    x = np.moveaxis(x, axis, 0)
    if f.identity is None and len(x) == 0:  # type: ignore[attr-defined]
        raise ValueError(f"zero-size array to reduction operation {f.__name__} which has no identity")
    y = x[0] if f.identity is None else f(f.identity, x[0])  # type: ignore[attr-defined]
    for k in range(1, len(x)):
        y = f(y, x[k])
    return y


def applied_at(f: Callable[[Any, Any], Any], a: Any, i: Any, values: Any) -> None:
    values = np.broadcast_to(values, i.shape + a.shape[1:])
    for k in range(len(i)):
        a[i[k]] = f(a[i[k]], values[k])


def applied_at_pairs(f: Callable[[Any, Any], Any], a: Any, i: Any, j: Any, values: Any) -> None:
    values = np.broadcast_to(values, i.shape + a.shape[2:])
    for k in range(len(i)):
        a[i[k], j[k]] = f(a[i[k], j[k]], values[k])


def along_rows(f: Callable[..., Any], rows: Any, args: Any, kwargs: Any) -> Any:
    return np.array([f(row, *args, **kwargs) for row in rows])


def place(a: Any, mask: Any, value: Any) -> None:
    a[mask] = value


def vector_norm(x: Any, axis: Any, keepdims: Any, order: Any) -> Any:
    if axis is None:
        norm = np.linalg.norm(x.ravel(), axis=0, ord=order)
        return norm.reshape((1,) * x.ndim) if keepdims else norm
    if not isinstance(axis, tuple):
        return np.linalg.norm(x, axis=axis, ord=order, keepdims=keepdims)
    rest = tuple([k for k in range(x.ndim) if k not in axis])
    rows = np.transpose(x, axis + rest).reshape((math.prod([x.shape[k] for k in axis]), *[x.shape[k] for k in rest]))
    norm = np.linalg.norm(rows, axis=0, ord=order)
    return norm.reshape(tuple([1 if k in axis else x.shape[k] for k in range(x.ndim)])) if keepdims else norm


def between_ends(ary: Any, first: Any, last: Any) -> Any:
    ary = np.ravel(ary)
    return np.concatenate((first, ary[1:] - ary[:-1], last))


def _accumulate(ev: Evaluator, ufunc: np.ufunc, args: Args, kwargs: Kwargs) -> Abstract:
    """`ufunc.accumulate(x)` along the first axis."""
    x, axis = bound(ev, f"np.{ufunc.__name__}.accumulate", args, kwargs, "array", "axis", axis=0)
    x = array(ev, x)
    if ev.ask(axis, "`axis`") % max(type_of(ev, x).rank, 1):
        ev.refuse("SCT205", f"`np.{ufunc.__name__}.accumulate` along another axis than the first is not supported",
                  hint="give it the transpose")
    return ev.call(Static(accumulated), [Static(ufunc), x])


def _reduce(ev: Evaluator, ufunc: np.ufunc, args: Args, kwargs: Kwargs) -> Abstract:
    """`ufunc.reduce(x)` along one axis, of a ufunc that is applied from one item to the next."""
    x, axis = bound(ev, f"np.{ufunc.__name__}.reduce", args, kwargs, "array", "axis", axis=0)
    if ufunc not in (np.subtract, np.divide, np.hypot, np.power, np.fmax, np.fmin, np.logaddexp2):
        ev.refuse("SCT206", f"`np.{ufunc.__name__}.reduce` is not supported",
                  hint=f"call np.{ufunc.__name__} in a loop over the items")
    return ev.call(Static(reduced), [Static(ufunc), array(ev, x), axis])


def _at(ev: Evaluator, ufunc: np.ufunc, args: Args, kwargs: Kwargs) -> Abstract:
    """`ufunc.at(a, indices, b)`: one position after the other, also where one is there more than once."""
    shown = f"np.{ufunc.__name__}.at"
    a, indices, b = bound(ev, shown, args, kwargs, "a", "indices", "b")
    values = array(ev, b)
    positions = [array(ev, v) for v in (indices.items if isinstance(indices, Tup) else (indices,))]
    types = [type_of(ev, v) for v in positions]
    if len(types) > 2 or any(t.rank != 1 or t.kind != "i" for t in types):
        ev.refuse("SCT205", f"`{shown}` with these indices is not supported", hint="give it a vector of ints, or two")
    if type_of(ev, values).kind != type_of(ev, a).kind:
        ev.refuse("SCT205", f"`{shown}` with values of another kind than those of the array is not supported",
                  hint="convert them before")
    return ev.call(Static(applied_at if len(types) == 1 else applied_at_pairs), [Static(ufunc), a, *positions, values])


def _of_dtypes(f: Callable[..., Any]) -> Special:
    """A function of the dtypes of numbers and arrays, and of dtypes."""

    def handler(ev: Evaluator, args: Args, kwargs: Kwargs) -> Abstract:
        return Static(run_or_raise(ev, lambda: f(*(
            np.ones((1,) * type_of(ev, x).rank, numpy_dtype(unmark_real(type_of(ev, x)).dtype))
            if isinstance(x, Ref) else ev.ask(x, "a dtype") for x in args))))

    return handler


@special(np.lib.array_utils.normalize_axis_index)
def _normalize_axis_index(ev: Evaluator, args: Args, kwargs: Kwargs) -> Abstract:
    axis, ndim = (ev.ask(v, "an axis") for v in bound(ev, "normalize_axis_index", args, kwargs, "axis", "ndim"))
    return Static(run_or_raise(ev, lambda: np.lib.array_utils.normalize_axis_index(axis, ndim)))


def _apply_along_axis(ev: Evaluator, args: Args, kwargs: Kwargs) -> Abstract:
    if len(args) < 3:
        ev.refuse("SCT205", "`np.apply_along_axis` with its function, axis or array by name is not supported",
                  hint="give them by position")
    f, axis, x, *rest = args
    x = array(ev, x)
    rank = type_of(ev, x).rank
    if rank > 2:
        ev.refuse("SCT205", "`np.apply_along_axis` of an array with more than two axes is not supported",
                  hint="loop over the leading axes")
    if rank == 1:
        return ev.call(Static(np.asarray), [ev.call(f, [x, *rest], kwargs)])
    by_columns = ev.ask(axis, "`axis`") % 2 == 0
    rows = ev.call(Static(np.transpose), [x]) if by_columns else x
    result = ev.call(Static(along_rows), [f, rows, ev.new_list(tuple(rest)), ev.new_dict(dict(kwargs))])
    return ev.call(Static(np.transpose), [result]) if by_columns and type_of(ev, result).rank == 2 else result


def _place(ev: Evaluator, args: Args, kwargs: Kwargs) -> Abstract:
    a, mask, vals = bound(ev, "np.place", args, kwargs, "arr", "mask", "vals")
    value = array(ev, vals)
    t = type_of(ev, value)
    if t.rank > 1 or t.rank == 1 and ev.resolve(t.shape[0]).value != 1:
        ev.refuse("SCT205", "`np.place` with several values is not supported", why="they would be repeated",
                  hint="write `a[mask] = values` with as many values as the mask selects")
    chosen = ev.call(Static(np.asarray), [array(ev, mask)], {"dtype": Static(bool)})  # numbers are truths to NumPy
    if type_of(ev, chosen).rank != type_of(ev, array(ev, a)).rank:
        ev.refuse("SCT205", "`np.place` with a mask of another shape is not supported",
                  hint="give a mask of the shape of the array")
    return ev.call(Static(place), [a, chosen, value])


def _vector_norm(ev: Evaluator, args: Args, kwargs: Kwargs) -> Abstract:
    x, axis, keepdims, order = bound(ev, "np.linalg.vector_norm", args, kwargs, "x", "axis", "keepdims", "ord",
                                     axis=None, keepdims=False, ord=2)
    x = array(ev, x)
    over, rank = ev.ask(axis, "`axis`"), type_of(ev, x).rank
    if isinstance(over, tuple):
        axes = run_or_raise(ev, lambda: np.lib.array_utils.normalize_axis_tuple(over, rank))
        axis = Tup(tuple(Static(k) for k in axes))
    return ev.call(Static(vector_norm), [x, axis, keepdims, order])


@special(np.ediff1d)
def _ediff1d(ev: Evaluator, args: Args, kwargs: Kwargs) -> Abstract:
    x, *ends = bound(ev, "np.ediff1d", args, kwargs, "ary", "to_end", "to_begin", to_end=None, to_begin=None)
    if ends == [Static(None)] * 2:
        return call_named(ev, "numpy.ediff1d", [x], {})
    dtype = numpy_dtype(unmark_real(type_of(ev, array(ev, x))).dtype)
    arrays = []
    for name, end in zip(("to_end", "to_begin"), ends):
        values = ev.call(Static(np.ravel), [Tup(()) if end == Static(None) else end])
        own = numpy_dtype(unmark_real(type_of(ev, values)).dtype)
        if end != Static(None) and not np.can_cast(own, dtype, "same_kind"):
            raise_at_run_time(ev, "TypeError", f"dtype of `{name}` must be compatible with input `ary` under the "
                              "`same_kind` rule.")
        arrays.append(values if own == dtype else ev.call(Method(values, "astype"), [Static(dtype)]))
    return ev.call(Static(between_ends), [x, *arrays[::-1]])


@special(np.tri)
def _tri(ev: Evaluator, args: Args, kwargs: Kwargs) -> Abstract:
    n, m, k, dtype = bound(ev, "np.tri", args, kwargs, "N", "M", "k", "dtype", M=None, k=0, dtype=float)
    ones = ev.call(Static(np.ones), [Tup((n, n if m == Static(None) else m))], {"dtype": dtype})
    return ev.call(Static(np.tril), [ones, k])


def _product(name: str, vector: int) -> Special:
    """`np.matvec` or `np.vecmat` of one vector, the operand `vector`."""

    def handler(ev: Evaluator, args: Args, kwargs: Kwargs) -> Abstract:
        operands = [array(ev, x) for x in bound(ev, f"np.{name}", args, kwargs, "x1", "x2")]
        types = [type_of(ev, x) for x in operands]
        if types[vector].rank != 1 or any(t.kind == "c" for t in types):
            ev.refuse("SCT205", f"`np.{name}` of several vectors, or of complex numbers, is not supported",
                      hint="use `@` or np.einsum")
        return ev.call(Static(np.matmul), operands)

    return handler


@special(math.dist)
def _dist(ev: Evaluator, args: Args, kwargs: Kwargs) -> Abstract:
    """The distance of two points, which may be arrays."""
    points = [Tup(tuple(items_of(ev, p))) if isinstance(p, Ref) else p for p in args]
    return call_named(ev, "math.dist", points, kwargs)


for _name, _vector in (("matvec", 1), ("vecmat", 0)):
    if hasattr(np, _name):  # since NumPy 2.2
        SPECIAL[id(getattr(np, _name))] = _product(_name, _vector)
SPECIAL[id(np.apply_along_axis)] = _apply_along_axis
UFUNC_FALLBACKS.update(accumulate=_accumulate, reduce=_reduce, at=_at)
SPECIAL.update({id(f): _of_dtypes(f) for f in (np.common_type, np.result_type)})
SPECIAL[id(np.place)] = _place
SPECIAL[id(np.linalg.vector_norm)] = _vector_norm
