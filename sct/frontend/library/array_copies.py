"""Functions and methods of NumPy that return the array itself, a view or a copy, depending on their options.

    np.asanyarray(x) is x       x.astype(x.dtype, copy=False) is x       x.conj() is x
"""

from __future__ import annotations

import numpy as np

from sct.frontend.evaluator.evaluator import Evaluator
from sct.frontend.evaluator.handlers import Args, Kwargs, special
from sct.frontend.heap.memory_facts import is_c_order
from sct.frontend.library.numpy_functions import ARRAY_METHODS, bound, overwrite, type_of, written
from sct.frontend.library.op_calls import call_named
from sct.frontend.values.abstract_values import Abstract, Method, Ref, Static
from sct.ir import Value
from sct.ir.types import Tensor
from sct.ops.type_rules import dtype_name

__all__: list[str] = []


def kept(ev: Evaluator, x: Abstract, dtype: Abstract) -> bool:
    """Is this an array of the dtype, None being any?"""
    wanted = ev.ask(dtype, "`dtype`")
    return isinstance(x, Ref) and (wanted is None or dtype_name(wanted) == type_of(ev, x).dtype)


@special(np.array)
def array_(ev: Evaluator, args: Args, kwargs: Kwargs) -> Abstract:
    """A copy, unless it says `copy=None` or `copy=False` of an array of that dtype."""
    copy = ev.ask(kwargs.get("copy", Static(True)), "`copy`")
    rest = {k: v for k, v in kwargs.items() if k != "copy"}
    if copy:
        return call_named(ev, "numpy.array", args, rest)
    if copy is False and not (args and kept(ev, args[0], kwargs.get("dtype", Static(None)))):
        ev.refuse("SCT205", "`np.array` with `copy=False` is not supported where a copy is needed",
                  hint="write `np.asarray(...)`")
    return call_named(ev, "numpy.asarray", args, rest)


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
    bound(ev, "view", args, kwargs)
    return ev.new_view(owner.addr, owner.path)


def conj_method(ev: Evaluator, owner: Ref, args: Args, kwargs: Kwargs) -> Abstract:
    """`x.conj()`: an array of real numbers itself."""
    bound(ev, "conj", args, kwargs)
    t = ev.type_of(owner)
    return call_named(ev, ".conj", [owner], {}) if isinstance(t, Tensor) and t.kind == "c" else owner


ARRAY_METHODS.update(astype=astype, view=view_method, conj=conj_method, conjugate=conj_method)
