"""Operators that no class of their operands defines: what Python makes of them."""

from __future__ import annotations

import enum
import numbers
import types
from collections.abc import Callable
from typing import Any

import numpy as np

from sct.errors import conversion_hint
from sct.frontend.evaluator.evaluator import Evaluator
from sct.frontend.evaluator.exceptions import run_or_raise
from sct.frontend.evaluator.lookup_guards import MISSING
from sct.frontend.objects.objects import class_of
from sct.frontend.values.abstract_values import Abstract, DictRef, ListRef, RunTimeTuple, Static, Tup
from sct.ir import Value
from sct.ir.real_ints import unmark_real
from sct.ir.types import Tensor
from sct.ops.type_rules import numpy_dtype

__all__ = ["sample_of", "undefined"]

_APPLY = "apply it to the numbers and arrays in the objects"


def undefined(ev: Evaluator, run: Callable[..., Any], *values: Abstract) -> Abstract:
    """The result, or the exception, of an operator that no class of the operands defines: Python itself applies it to
    samples of their classes."""
    samples = [sample_of(v) for v in values]
    for v, sample in zip(values, samples):
        if sample is MISSING and isinstance(v, Static) and conversion_hint(v.value, "it"):
            ev.operand(v)  # an object of another library, which is refused by name
    if MISSING in samples:
        for v in values:
            if isinstance(v, Static) and conversion_hint(v.peek, "it"):
                ev.operand(v)  # refused by its name
        ev.refuse("SCT503", "this operator is not supported between these objects", hint=_APPLY)
    result = run_or_raise(ev, lambda: run(*samples))
    kinds = [type(x) for x in samples]
    alike = any(issubclass(p, q) for p in kinds for q in kinds if p is not q) or len({*kinds}) < len(kinds) or \
        all(isinstance(x, numbers.Number) for x in samples)
    if alike or not isinstance(result, bool):
        ev.refuse("SCT503", "this operator is not supported between these objects", hint=_APPLY)
    return Static(result)


_FIXED = (str, bytes, type(None), type(Ellipsis), type(NotImplemented), set, frozenset, range, slice, type, np.dtype,
          types.ModuleType, types.FunctionType, types.BuiltinFunctionType, types.MethodType, enum.Enum)
"""Classes whose operators are not defined for objects of other ones."""


def sample_of(v: Abstract) -> Any:
    """An object of the class of `v`, to which Python applies undefined operators."""
    cls = class_of(v)
    if cls is types.SimpleNamespace:
        return cls()
    if cls is not None:
        return type(cls.__name__, (tuple,) if issubclass(cls, tuple) else (), {})()
    if isinstance(v, Static):
        return v.value if isinstance(v.value, (bool, int, float, complex, *_FIXED)) else MISSING
    if isinstance(v, (Tup, RunTimeTuple, ListRef, DictRef)):
        return () if isinstance(v, (Tup, RunTimeTuple)) else [] if isinstance(v, ListRef) else {}
    t = v.type if isinstance(v, Value) else None
    if isinstance(t, Tensor) and t.carrier == "py":
        return {"b": True, "i": 1, "f": 1.0, "c": 1j}[t.kind]
    if isinstance(t, Tensor) and t.carrier == "np":
        return numpy_dtype(unmark_real(t).dtype).type(1)
    return MISSING
