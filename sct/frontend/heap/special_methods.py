"""Results of special methods, which must be of the class that Python demands, and members of enums as operands.

    bool(v)      `v.__bool__()`, which must be a bool
    K.A * x      a member of an `IntEnum` as the int that it is
"""

from __future__ import annotations

import enum
import operator
import sys
import types
from collections.abc import Callable
from typing import Any

import numpy as np

from sct.frontend.arguments.lift import lift
from sct.frontend.evaluator.evaluator import Evaluator
from sct.frontend.evaluator.exceptions import run_or_raise
from sct.frontend.evaluator.lookup_guards import MISSING, in_class
from sct.frontend.evaluator.own_methods import is_library
from sct.frontend.heap.join_paths import evaluate_branches
from sct.frontend.objects.objects import bind, is_object, special_call
from sct.frontend.values.abstract_values import Abstract, DictRef, Iteration, ListRef, Ref, Static, Tup
from sct.ir import Value
from sct.ir.pytrees.user_objects import is_user_class
from sct.ir.types import Opaque, Tensor
from sct.ops import BY_CALL

__all__ = ["as_index", "checked", "item_of_class", "plain_numbers"]

def item_of_class(ev: Evaluator, owner: Abstract, key: Abstract) -> Abstract | None:
    """`owner[key]` by the `__class_getitem__` of a user's class; None for anything else."""
    cls = owner.peek if isinstance(owner, Static) else None
    if not isinstance(cls, type) or not is_user_class(cls) or isinstance(cls, enum.EnumMeta):
        return None
    raw, where = in_class(ev, cls, "__class_getitem__")
    function = getattr(raw, "__func__", raw)
    if raw is MISSING or not isinstance(function, types.FunctionType) or is_library(function):
        return None
    at = (where, ("attr", "__dict__"), ("item", "__class_getitem__"))
    return ev.call(lift(ev, raw, at) if raw is function else bind(ev, raw, where, owner, "__class_getitem__"), [key])


# -- results of special methods -----------------------------------------------------------------------------

_PROTOCOLS: dict[str, tuple[Callable[[Any], Any], tuple[str, ...]]] = {
    "bool": (bool, ("bool",)), "len": (len, ("int",)), "int": (int, ("int",)), "index": (operator.index, ("int",)),
    "float": (float, ("float",)), "str": (str, ()), "repr": (repr, ()), "format": (format, ()), "iter": (iter, ())}
"""The builtin that calls a special method, and the types of the numbers that the method may return."""

_MISSING = object()
_SAMPLES: dict[str, Any] = {
    "bool": True, "int": 1, "float": 1.0, "b1": np.True_, "i64": np.int64(1), "i32": np.int32(1),
    "f64": np.float64(1.0), "f32": np.float32(1.0)}


def checked(ev: Evaluator, v: Abstract, name: str, cls: str = "_",
            call: Callable[[Any], Any] | None = None) -> Abstract:
    """The result of the special method `__name__` of a `cls`, for which `call` asks; raises what Python does where it
    is none."""
    result = _of_its_class(ev, v, name, cls, call)
    if name == "len" and isinstance(result, Value) and not (result.dim is not None and result.dim.least >= 0):
        for spelling, bound in (("operator.lt", 0), ("operator.gt", sys.maxsize)):
            beyond = bound - 1 if spelling == "operator.lt" else bound + 1
            evaluate_branches(ev, ev.emit(BY_CALL[spelling], result, bound, spelling=spelling),
                              lambda: _of_its_class(ev, Static(beyond), name, cls), lambda: None)  # noqa: B023
    return result


def _of_its_class(ev: Evaluator, v: Abstract, name: str, cls: str,
                  call: Callable[[Any], Any] | None = None) -> Abstract:
    by_default, dtypes = _PROTOCOLS[name]
    call = call or by_default
    t = v.type if isinstance(v, Value) else None
    if isinstance(t, Tensor) and t.carrier == "py" and t.dtype in dtypes:
        return v
    if isinstance(t, Opaque) and name in ("str", "repr", "format") or name == "iter" and (
            isinstance(v, Iteration) and v.state is not None or is_object(v)):
        return v  # a text, or an iterator
    if isinstance(v, Static):
        sample = v.value
    elif isinstance(v, (ListRef, DictRef, Tup)):
        sample = () if isinstance(v, Tup) else [] if isinstance(v, ListRef) else {}
    elif isinstance(t, Tensor) and t.carrier in ("py", "np") and t.dtype in _SAMPLES:
        sample = _SAMPLES[t.dtype]
    else:
        sample = _MISSING
    if sample is _MISSING:
        ev.refuse("SCT504", f"the class of the result of `__{name}__` must be known")
    result = run_or_raise(ev, lambda: call(type(cls, (), {f"__{name}__": lambda self, *_: sample})()))
    if isinstance(v, Static):
        return Static(result)
    if f"builtins.{name}" not in BY_CALL and name not in ("len", "index"):
        ev.refuse("SCT504", f"the class of the result of `__{name}__` must be known")
    spelling = f"builtins.{ {'len': 'int', 'index': 'int'}.get(name, name)}"
    return ev.call_op(BY_CALL[spelling], v, spelling=spelling)


def as_index(ev: Evaluator, v: Abstract, call: Callable[[Any], Any] = operator.index) -> Abstract:
    """The result of `__index__`, where `call` needs an index or a length."""
    own = special_call(ev, v, "__index__")
    if own is not None:
        return checked(ev, own, "index", call=call)
    t = v.type if isinstance(v, Value) else None
    if isinstance(t, Tensor) and t.kind == "b" and t.carrier == "any" and call is operator.index:
        ev.refuse("SCT503", "an index or a length is a bool or a `numpy.bool`, by the path that is taken",
                  why="Python takes a bool, and raises a TypeError for a `numpy.bool`", hint="use `int(...)` of it")
    return v


# -- members of enums ---------------------------------------------------------------------------------------


def plain_numbers(ev: Evaluator, *values: Abstract, numpy: bool = False) -> list[Abstract]:
    """Members of enums that are ints, floats or strings, as these; to NumPy an int of another class is an int64."""
    numpy = numpy or any(isinstance(v, Ref) or isinstance(v, Value) and isinstance(v.type, Tensor)
                         and v.type.carrier != "py" for v in values)
    return [_plain_number(ev, v, numpy) for v in values]


def _plain_number(ev: Evaluator, v: Abstract, numpy: bool) -> Abstract:
    if not (isinstance(v, Static) and isinstance(v.peek, enum.Enum)):
        return v
    for cls, spelling in ((int, "numpy.int64"), (float, "numpy.float64"), (str, "")):
        if isinstance(v.value, cls):
            plain = Static(getattr(cls, "__str__" if cls is str else f"__{cls.__name__}__")(v.value))
            return ev.call_op(BY_CALL[spelling], plain, spelling=spelling) if numpy and spelling else plain
    return v
