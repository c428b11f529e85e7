"""The array namespace that SciPy's own Python calls NumPy through.

    xp = array_namespace(y); y = xp.asarray(y)   ->   y = np.asarray(y)
"""

from __future__ import annotations

import sys
from typing import Any

import numpy as np

from sct.frontend.evaluator.evaluator import Evaluator
from sct.frontend.evaluator.handlers import Args, Kwargs, of_scipy, special
from sct.frontend.heap.inactive import by_python
from sct.frontend.values.abstract_values import Abstract, Ref, Static
from sct.ir import Value
from sct.ir.types import Tensor

__all__: list[str] = []

_NUMPY = "scipy._lib.array_api_compat.numpy"

_FUNCTIONS = {"asarray": np.asarray, "cumulative_sum": np.cumsum, "full": np.full, "ones": np.ones, "prod": np.prod,
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


def _handler(function: Any) -> Any:
    return lambda ev, args, kwargs: ev.call(Static(function), args, kwargs)


for _name, _function in _FUNCTIONS.items():
    of_scipy(f"{_NUMPY}.{_name}")(_handler(_function))
