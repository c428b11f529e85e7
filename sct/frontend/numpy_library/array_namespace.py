"""The array namespace that SciPy's own Python calls NumPy through.

    xp = array_namespace(y); y = xp.asarray(y)   ->   y = np.asarray(y)
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import numpy as np

from sct.frontend.evaluator.evaluator import Evaluator
from sct.frontend.evaluator.handlers import Args, Kwargs, evaluated_as, of_scipy, special
from sct.frontend.heap.inactive import by_python
from sct.frontend.values.abstract_values import Abstract, Ref, Static
from sct.ir import Value
from sct.ir.types import Tensor

__all__: list[str] = []

_NUMPY = "scipy._lib.array_api_compat.numpy"

_FUNCTIONS: dict[str, Callable[..., Any]] = {
    "asarray": np.asarray, "cumulative_sum": np.cumsum, "full": np.full, "ones": np.ones, "prod": np.prod,
    "reshape": np.reshape, "sum": np.sum, "zeros": np.zeros}
"""Functions of the namespace that wrap one of NumPy, with the arguments that SciPy gives them."""


@of_scipy("scipy._lib._array_api.array_namespace")
def _array_namespace(ev: Evaluator, args: Args, kwargs: Kwargs) -> Abstract:
    """The namespace of arrays of NumPy."""
    return Static(sys.modules[_NUMPY])


@special(np.isscalar)
def _is_scalar(ev: Evaluator, args: Args, kwargs: Kwargs) -> Abstract:
    """`np.isscalar`, which Python tells of a value whose type is not known."""
    (x,) = args
    if isinstance(x, Static):
        return Static(np.isscalar(x.value))
    t = ev.type_of(x) if isinstance(x, (Value, Ref)) else None
    if isinstance(t, Tensor):
        return Static(not t.is_array)
    value = by_python(ev, "numpy.isscalar({0})", x)
    if value is None:
        ev.refuse("SCT503", "`np.isscalar` of this value is not supported", hint="ask for its type with isinstance")
    return value


def _is_dtype(ev: Evaluator, args: Args, kwargs: Kwargs) -> Abstract:
    """`np.isdtype(dtype, kind)`"""
    return Static(np.isdtype(*[ev.ask(v, "a dtype and its kind") for v in (*args, *kwargs.values())]))


if hasattr(np, "isdtype"):  # from NumPy 2 on
    special(np.isdtype)(_is_dtype)


# -- functions of the elements where a condition holds -----------------------------------------------------------------


def _apply_where(cond: Any, args: Any, f1: Any, f2: Any = None, /, *, fill_value: Any = None, xp: Any = None) -> Any:
    """`f1` of the elements of the arrays where `cond` holds; elsewhere `f2` of them, or a number."""
    arrays: Any = args if isinstance(args, tuple) else (args,)
    if all([np.ndim(a) == 0 for a in (cond, *arrays)]) and np.ndim(fill_value) == 0:
        return np.float64(f1(*arrays)) if cond else np.float64(fill_value if f2 is None else f2(*arrays))
    cond = np.broadcast_arrays(cond, *arrays)[0]
    arrays = [_of_shape(a, cond) for a in arrays]
    y = np.zeros(cond.shape) if fill_value is None else np.where(cond, 0.0, fill_value)
    y[cond] = f1(*[_where(a, cond) for a in arrays])
    if f2 is not None:
        y[~cond] = f2(*[_where(a, ~cond) for a in arrays])
    return y


def _of_shape(a: Any, cond: Any) -> Any:
    return a if np.ndim(a) == 0 else np.broadcast_to(a, cond.shape)


def _where(a: Any, cond: Any) -> Any:
    """The elements where a condition holds; a number as it is."""
    return a if np.ndim(a) == 0 else a[cond]


def _select(condlist: Any, choicelist: Any, arrays: Any, default: Any = 0) -> Any:
    """Each of the functions, of the elements of the arrays where its condition holds."""
    arrays = np.broadcast_arrays(*arrays)
    y = np.full(arrays[0].shape, default, dtype=float)
    for f, cond in zip(choicelist, condlist):
        cond = np.broadcast_arrays(cond, arrays[0])[0]
        y[cond] = f(*[a[cond] for a in arrays])
    return y


def _not_lazy(x: Any) -> Any:
    return False


# -- arguments as arrays -----------------------------------------------------------------------------------------------


def _promoted(*args: Any, broadcast: Any = False, force_floating: Any = False, xp: Any = None) -> Any:
    """The arguments as arrays of one dtype, which is no integer one if `force_floating`, and of one shape if asked."""
    arrays: Any = [np.asarray(a) if isinstance(a, (np.ndarray, list, tuple)) else a for a in args]
    present = [a for a in arrays if a is not None]
    dtype = np.result_type(*present, 1.0) if force_floating else np.result_type(*present)
    arrays = [None if a is None else np.asarray(a, dtype=dtype) for a in arrays]
    if broadcast:
        shape = np.broadcast_shapes(*[a.shape for a in arrays if a is not None])
        arrays = [a if a is None or a.shape == shape else np.broadcast_to(a, shape) for a in arrays]
    return arrays[0] if len(arrays) == 1 else tuple(arrays)


def _at_least(x: Any, /, *, ndim: Any, xp: Any = None) -> Any:
    x = np.asarray(x)
    return x if x.ndim >= ndim else np.reshape(x, (*[1 for _ in range(ndim - x.ndim)], *x.shape))


def _size(x: Any) -> Any:
    return x.size


for _name, _function in _FUNCTIONS.items():
    of_scipy(f"{_NUMPY}.{_name}")(evaluated_as(_function))
of_scipy("scipy._lib.array_api_extra.apply_where")(evaluated_as(_apply_where))
of_scipy("scipy._lib._util._lazyselect")(evaluated_as(_select))
of_scipy("scipy._lib._array_api.is_lazy_array")(evaluated_as(_not_lazy))
of_scipy("scipy._lib._array_api.xp_promote")(evaluated_as(_promoted))
of_scipy("scipy._lib._array_api.xp_size")(evaluated_as(_size))
of_scipy("scipy._lib.array_api_extra.atleast_nd")(evaluated_as(_at_least))
