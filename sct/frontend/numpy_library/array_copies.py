"""Functions and methods of NumPy that return the array itself, a view or a copy, depending on their options.

    np.asanyarray(x) is x       x.astype(x.dtype, copy=False) is x       x.conj() is x
"""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np

from sct.frontend.arguments.memory_facts import is_c_order
from sct.frontend.evaluator.evaluator import Evaluator
from sct.frontend.evaluator.handlers import Args, Kwargs, Special, special
from sct.frontend.heap.subscripts import item
from sct.frontend.numpy_library.numpy_functions import ARRAY_METHODS, bound, overwrite, type_of, written
from sct.frontend.numpy_library.op_calls import call_named
from sct.frontend.values.abstract_values import Abstract, DictRef, Iteration, ListRef, Method, Ref, Static, Tup
from sct.ir import Value
from sct.ir.types import Tensor
from sct.ops.type_rules import numpy_dtype

__all__: list[str] = []


def kept(ev: Evaluator, x: Abstract, dtype: Abstract) -> bool:
    """Is this an array of the dtype, None being any?"""
    wanted = ev.ask(dtype, "`dtype`")
    return isinstance(x, Ref) and (wanted is None or np.dtype(wanted) == numpy_dtype(type_of(ev, x).dtype))


@special(np.array)
def array_(ev: Evaluator, args: Args, kwargs: Kwargs) -> Abstract:
    """A copy, unless it says `copy=None` or `copy=False` of an array of that dtype."""
    if kwargs.keys() & {"ndmin", "order", "subok"}:
        return _arranged(ev, array_, args, kwargs)
    copy = ev.ask(kwargs.get("copy", Static(True)), "`copy`")
    rest = {k: v for k, v in kwargs.items() if k != "copy"}
    if copy:
        return call_named(ev, "numpy.array", args, rest)
    if copy is False and not (args and kept(ev, args[0], kwargs.get("dtype", Static(None)))):
        ev.refuse("SCT205", "`np.array` with `copy=False` is not supported where a copy is needed",
                  hint="write `np.asarray(...)`")
    return call_named(ev, "numpy.asarray", args, rest)


def _arranged(ev: Evaluator, make: Special, args: Args, kwargs: Kwargs) -> Abstract:
    """The array that `make` gives, with at least `ndmin` axes and in the memory order `order`."""
    rest = {k: v for k, v in kwargs.items() if k not in ("ndmin", "order", "subok")}
    array = make(ev, args, rest)
    order = str(ev.ask(kwargs.get("order", Static(None)), "`order`") or "K").upper()
    ndmin = int(ev.ask(kwargs.get("ndmin", Static(0)), "`ndmin`"))
    rank = len(type_of(ev, array).shape)
    if rank and (order == "C" or order == "F" and rank == 1):
        array = ascontiguousarray(ev, [array], {})
    elif rank and order not in ("K", "A"):
        ev.refuse("SCT205", f"`order={order!r}` is not supported where it may change the memory order of the array",
                  why="what reads an array in its memory order, as `ravel('A')` does, depends on it",
                  hint="leave it out if nothing reads the array in its memory order")
    if rank >= ndmin:
        return array
    if not isinstance(array, Ref):
        array = ev.call(Static(np.atleast_1d), [array])
        rank = 1
    new = [Static(None)] * (ndmin - rank)
    return item(ev, array, Tup((*new, Static(Ellipsis)))) if new else array


@special(np.asarray)
def asarray(ev: Evaluator, args: Args, kwargs: Kwargs) -> Abstract:
    if kwargs.keys() & {"order"}:
        return _arranged(ev, asarray, args, kwargs)
    return call_named(ev, "numpy.asarray", args, kwargs)


@special(np.vander)
def vander(ev: Evaluator, args: Args, kwargs: Kwargs) -> Abstract:
    x, n, increasing = bound(ev, "np.vander", args, kwargs, "x", "N", "increasing", N=None, increasing=False)
    if n == Static(None):
        n = ev.call(Static(len), [x])
    powers = call_named(ev, "numpy.vander", [x, n], {})
    if not ev.ask(increasing, "`increasing`"):
        return powers
    turned = item(ev, powers, Tup((Static(slice(None)), Static(slice(None, None, -1)))))
    return ev.call(Method(turned, "copy"), [])


@special(np.fromiter)
def fromiter(ev: Evaluator, args: Args, kwargs: Kwargs) -> Abstract:
    """The array of the items of an iterator, all of which are taken."""
    over, dtype, count = bound(ev, "np.fromiter", args, kwargs, "iter", "dtype", "count", count=-1)
    if ev.ask(count, "`count`") != -1:
        over = ev.call(Static(itertools.islice), [over, count])
    return ev.call(Static(np.array), [ev.call(Static(list), [over]), dtype])


@special(np.iterable)
def iterable_(ev: Evaluator, args: Args, kwargs: Kwargs) -> Abstract:
    (x,) = args
    if isinstance(x, (Tup, ListRef, DictRef, Iteration)):
        return Static(True)
    if isinstance(x, Static) and type(x.peek) in (int, float, bool, str, tuple, list, type(None)):
        return Static(np.iterable(x.value))
    if not isinstance(ev.type_of(x) if isinstance(x, (Ref, Value)) else None, Tensor):
        ev.refuse("SCT503", "`np.iterable` of this object is not supported", hint="give it an array or a number")
    return Static(bool(type_of(ev, x).shape))


for _f, _of in ((np.linalg.trace, np.trace), (np.linalg.diagonal, np.diagonal)) if hasattr(np.linalg, "trace") else ():

    def _of_last_axes(ev: Evaluator, args: Args, kwargs: Kwargs, of: Any = _of) -> Abstract:
        """The function that NumPy applies to the first two axes, for the last two."""
        return ev.call(Static(of), args, {**kwargs, "axis1": Static(-2), "axis2": Static(-1)})

    special(_f)(_of_last_axes)


@special(np.asanyarray)
def asanyarray(ev: Evaluator, args: Args, kwargs: Kwargs) -> Abstract:
    return ev.call(Static(np.asarray), args, kwargs)


@special(np.ascontiguousarray)
def ascontiguousarray(ev: Evaluator, args: Args, kwargs: Kwargs) -> Abstract:
    """The array itself where it lies in C order already, of one axis at least."""
    a, dtype = bound(ev, "np.ascontiguousarray", args, kwargs, "a", "dtype", dtype=None)
    array = ev.call(Static(np.atleast_1d), [call_named(ev, "numpy.asarray", [a, dtype], {})])
    if not isinstance(array, Ref):
        return array
    c_order = is_c_order(ev, array)
    if c_order is None:
        ev.freeze(array.addr)
    if c_order:
        return array
    copied = ev.call(Method(array, "copy"), [])
    if c_order is None and isinstance(copied, Ref):
        ev.freeze(copied.addr)
    return copied


def astype(ev: Evaluator, owner: Ref, args: Args, kwargs: Kwargs) -> Abstract:
    """A copy, unless it says `copy=False` and the dtype is the array's."""
    dtype, copy = bound(ev, "astype", args, kwargs, "dtype", "copy", copy=True)
    if not ev.ask(copy, "`copy`") and kept(ev, owner, dtype):
        return owner
    return call_named(ev, ".astype", [owner, dtype], {})


@special(np.nan_to_num)
def nan_to_num(ev: Evaluator, args: Args, kwargs: Kwargs) -> Abstract:
    """With `copy=False`, the array itself, written."""
    x, copy, *rest = bound(ev, "np.nan_to_num", args, kwargs, "x", "copy", "nan", "posinf", "neginf", copy=True,
                           nan=0.0, posinf=None, neginf=None)
    array = call_named(ev, "numpy.nan_to_num", [x], dict(zip(("nan", "posinf", "neginf"), rest)))
    if ev.ask(copy, "`copy`") or isinstance(x, (Value, Static)):
        return array
    owner = written(ev, "np.nan_to_num", x)
    overwrite(ev, owner, array)
    return owner


def view_method(ev: Evaluator, owner: Ref, args: Args, kwargs: Kwargs) -> Abstract:
    """`x.view()`: another object of the same elements."""
    if args or kwargs:
        ev.refuse("SCT205", "`view` of an array as another dtype or class is not supported",
                  why="its elements would be other numbers in the same memory",
                  hint="compute these: of complex numbers, z.real and z.imag")
    return ev.new_view(owner.addr, owner.path)


def conj_method(ev: Evaluator, owner: Ref, args: Args, kwargs: Kwargs) -> Abstract:
    """`x.conj()`: an array of real numbers itself."""
    bound(ev, "conj", args, kwargs)
    t = ev.type_of(owner)
    return call_named(ev, ".conj", [owner], {}) if isinstance(t, Tensor) and t.kind == "c" else owner


ARRAY_METHODS.update(astype=astype, view=view_method, conj=conj_method, conjugate=conj_method)
