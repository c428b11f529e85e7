"""The class of an object: `type(v)`, as far as it is known."""

from __future__ import annotations

import collections
import itertools
import types
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from sct.frontend.evaluator import list_items
from sct.frontend.evaluator.evaluator import Evaluator
from sct.frontend.evaluator.exceptions import run_or_raise
from sct.frontend.objects.linked_objects import by_class, may_be_several
from sct.frontend.state.choices import is_present
from sct.frontend.state.object_tables import is_display
from sct.frontend.values.abstract_values import (
    SLICE,
    Abstract,
    Bound,
    Choice,
    Closure,
    DefaultRef,
    DictRef,
    Iteration,
    ListRef,
    MapRef,
    ObjRef,
    Ref,
    RunTimeTuple,
    Static,
    Tup,
)
from sct.ir import Value
from sct.ir.pytrees.user_objects import base_in_python, is_user_class
from sct.ir.real_ints import unmark_real
from sct.ir.types import FLOAT, ActiveText, Link, Opaque, Optional, Set, Tensor, Text
from sct.ops import apply
from sct.ops.program.effects import part
from sct.ops.type_rules import numpy_dtype

__all__ = ["base_of_maker", "class_object", "is_ordered", "possible_classes", "python_class", "raise_of_class",
           "stand_in_class"]

_ITERATED: dict[str, type] = {
    "range": range, "zip": zip, "map": map, "filter": filter, "enumerate": enumerate, "keys": type({}.keys()),
    "values": type({}.values()), "items": type({}.items()), "count": itertools.count, "chain": itertools.chain,
    "generator": types.GeneratorType}
"""The classes of iterations, by kind."""


def python_class(ev: Evaluator, v: Abstract) -> type:
    """`type(v)`."""
    if isinstance(v, ObjRef):
        return v.cls
    if isinstance(v, Static):
        return type(v.peek)
    if isinstance(v, Tup):
        return slice if v.fields == SLICE else v.cls
    if isinstance(v, MapRef):
        return collections.OrderedDict if v.ordered else dict if v.factory is None else collections.defaultdict
    if isinstance(v, DefaultRef):
        return collections.OrderedDict if v.factory is None else collections.defaultdict
    if isinstance(v, Closure):
        return types.FunctionType
    if isinstance(v, Bound) and v.method:
        return types.MethodType
    if isinstance(v, Ref):
        if list_items.value_or_none(ev, v) is not None:
            ev.refuse("SCT504", "the class of this object must be known", why="it is an array on one path and None on "
                      "another", hint="ask first whether it is None")
        ev.type_of(v)
    cls = {Ref: np.ndarray, ListRef: list, DictRef: dict, RunTimeTuple: tuple}.get(type(v))
    cls = _ITERATED.get(v.kind) if isinstance(v, Iteration) else cls
    if cls is not None:
        return cls
    t = unmark_real(v.type) if isinstance(v, Value) else None
    if isinstance(t, Optional) and isinstance(v, Value) and is_present(ev.store, v):
        t = unmark_real(t.elem)
    if isinstance(t, Link) and t.cls is not None:
        return t.cls.of if is_display(t.cls) else t.cls
    if isinstance(t, Tensor) and t.carrier in ("py", "np") and t.dtype not in ("real", "number"):
        if t == FLOAT:
            ev.ask_classes()
        return {"bool": bool, "int": int, "float": float,
                "complex": complex}.get(t.dtype) or numpy_dtype(t.dtype).type
    if isinstance(v, Value) and isinstance(t, Opaque):
        leaf = ev.leaf_of(v)
        if leaf is not None:
            return type(leaf)
    if isinstance(t, (Text, ActiveText, Set)):
        return set if isinstance(t, Set) else str
    ev.refuse("SCT504", "the class of this object must be known",
              hint="convert it first: `float(...)`" if isinstance(t, Tensor) else "")


def class_object(ev: Evaluator, v: Abstract) -> Abstract:
    """`type(v)` as a value; attributes of a user's class are read at every call."""
    if isinstance(v, Value) and v in ev.tries.exceptions and v not in ev.tries.classes:
        return ev.emit(part, v, text="type(_0)")  # type: ignore[no-any-return]
    if isinstance(v, Value) and may_be_several(v):
        one = by_class(ev, v)
        return replace(one, members=tuple(class_object(ev, m) for m in one.members)) if isinstance(one, Choice) else \
            class_object(ev, one)
    cls = ev.tries.classes.get(v) if isinstance(v, Value) else None
    cls = cls or python_class(ev, v)
    cls = getattr(cls, "__sct_class__", cls)
    return Static(cls, (cls,) if is_user_class(cls) else None)


def stand_in_class(own: type, of: type, other: Any, more: Iterable[str] = (),
                   attributes: Mapping[str, Any] | None = None) -> type:
    """A class with the methods of `own`, whose objects are also instances of `of`, a class of a library.

    other       the getter and the setter of the attributes that objects of `of` have besides
    more        the names of those that are not in the class
    attributes  own attributes that are not in `own`
    """
    others = [key for key in dir(of) if not key.startswith("__") and key not in vars(own)]
    return type(of.__name__, (own, of), {
        "__sct_class__": of, **dict.fromkeys([*others, *more], property(other, other)), **(attributes or {})})


_FLOATS = (np.float64, np.float32, np.float16)
_INTS = (np.int64, np.int32, np.int16, np.int8, np.uint64, np.uint32, np.uint16, np.uint8)
_KINDS: dict[str, tuple[type, ...]] = {
    "bool": (bool, np.bool_), "int": (bool, int, np.bool_, *_INTS),
    "real": (bool, int, float, np.bool_, *_INTS, *_FLOATS), "single": (bool, int, float, np.bool_, np.float32),
    "complex": (complex, np.complex128),
    "number": (bool, int, float, np.bool_, *_INTS, *_FLOATS, complex, np.complex128, np.complex64)}


def is_ordered(v: Abstract) -> bool:
    """Is this an `OrderedDict` of known keys?"""
    return isinstance(v, DefaultRef) and v.factory is None


def possible_classes(v: Abstract) -> tuple[type, ...]:
    """The classes that a number may have, where there are several."""
    t = unmark_real(v.type) if isinstance(v, Value) else None
    if not isinstance(t, Tensor) or t.is_array:
        return ()
    dtype = {"rint": "int", "float": "real"}.get(t.dtype, t.dtype)
    if t.carrier == "any":
        return _KINDS[dtype]
    of_python = {"real": (bool, int, float), "number": (bool, int, float, complex)}
    return of_python.get(t.dtype, ()) if t.carrier == "py" else ()




def raise_of_class(ev: Evaluator, v: Abstract, run: Callable[[Any], Any]) -> None:
    """The program raises what Python raises where `run` is applied to a number, an array or a container like `v`."""
    classes = possible_classes(v) or (python_class(ev, v),)
    if len(classes) > 1:
        ev.refuse("SCT504", "an exception is raised here for a number whose class is not known",
                  why="the exception and its message depend on the class", hint="convert it: `float(...)`")
    like = np.zeros(0) if classes[0] is np.ndarray else classes[0]()
    run_or_raise(ev, lambda: run(like))


def base_of_maker(ev: Evaluator, v: Abstract) -> str | None:
    """The class of the standard library, written in Python, from which the class may be derived of which a call has
    made this object that sct does not see into; None for other objects."""
    eqn = ev.defs.get(v) if isinstance(v, Value) else None
    cls = eqn.args[0] if eqn is not None and eqn.op is apply else None
    return base_in_python(ev.leaf_of(cls)) if isinstance(cls, Value) else None
