"""Operators by the methods of the classes of their operands, and those that no class defines.

    v + w, 2.0 * v    `v.__add__(w)`, `v.__rmul__(2.0)`
    v + None          TypeError, as in Python
"""

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
from sct.frontend.evaluator.lookup_guards import MISSING, is_subclass_of
from sct.frontend.objects.class_of import possible_classes, python_class
from sct.frontend.objects.objects import class_of, python_method, special_method
from sct.frontend.values.abstract_values import Abstract, DictRef, ListRef, Ref, RunTimeTuple, Static, Tup
from sct.ir import Value
from sct.ir.pytrees.user_objects import builtin_base
from sct.ir.real_ints import unmark_real
from sct.ir.types import Tensor
from sct.ops import BY_CALL
from sct.ops.type_rules import numpy_dtype

__all__ = ["reflected", "sample_of", "undefined"]


def reflected(ev: Evaluator, a: Abstract, b: Abstract, name: str, swapped: str) -> Abstract | None:
    """`a op b` by the methods of the operands' classes; None where they have none for it."""
    p, q = class_of(a), class_of(b)
    tries = [(a, name, b), (b, swapped, a)] if p is None or p is not q else [(a, name, b)]
    if p is not None and q is not None and p is not q and is_subclass_of(ev, q, p) and \
            python_method(ev, q, swapped) not in (None, python_method(ev, p, swapped)):
        tries.reverse()
    if p is None and _is_computed_by(ev, a, b) or isinstance(a, Ref) and _is_list(q):
        tries.pop()
    for owner, method, other in tries:
        bound = special_method(ev, owner, method)
        if bound is None:
            continue
        result = ev.call(bound, [_as_numpy_gives_it(ev, owner, other) if owner is b else other])
        if not (isinstance(result, Static) and result.value is NotImplemented):
            return result
    return None


def _is_computed_by(ev: Evaluator, a: Abstract, b: Abstract) -> bool:
    """Does the number or array `a` compute with `b`, a member of an enum that is a number, before `b` is asked?"""
    of = type(b.peek) if isinstance(b, Static) else object
    if not issubclass(of, (int, float, complex)) or not isinstance(a, (Value, Ref, Static)):
        return False
    classes = possible_classes(a) or (python_class(ev, a),)
    first = {not issubclass(of, cls) for cls in classes if issubclass(cls, (numbers.Number, np.generic, np.ndarray))}
    if len(first) > 1:
        ev.refuse("SCT504", f"whether this number or the member of `{of.__name__}` computes the result is not known",
                  why="it may be a float or an int", hint="convert it: `float(...)`")
    return first == {True}


def _is_list(cls: type | None) -> bool:
    """Is this a class of lists, of which NumPy makes arrays?"""
    return cls is not None and builtin_base(cls) is list and not any(
        hasattr(cls, name) for name in ("__array_ufunc__", "__array_priority__"))


def _as_numpy_gives_it(ev: Evaluator, owner: Abstract, other: Abstract) -> Abstract:
    """NumPy hands its numbers to the methods of unknown objects as Python numbers, its arrays element by element."""
    cls = class_of(owner)
    number = other.type if isinstance(other, Value) else None
    if cls is not None and builtin_base(cls) is list and (
            isinstance(number, Tensor) and number.carrier != "py" or isinstance(other, Static) and isinstance(
                other.peek, np.generic)):
        ev.refuse("SCT501", "an operator between a number of NumPy and an object whose class derives from `list`",
                  why="NumPy may make an array of the object", hint="convert the number with `float(...)`")
    knows = getattr(cls, "__array_ufunc__", MISSING) is None or getattr(cls, "__array_priority__", 0) > 0
    if knows or not isinstance(other, (Ref, Value)):
        return other
    if isinstance(other, Ref):
        ev.refuse("SCT501", "an operator between an array and an object makes an array of objects",
                  hint="put the object first, or set `__array_ufunc__ = None` in its class")
    t = other.type
    if isinstance(t, Tensor) and t.carrier != "py":
        name = {"f": "builtins.float", "c": "builtins.complex"}.get(t.kind, "builtins.int")
        return ev.call_op(BY_CALL[name], other, spelling=name)
    return other


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
