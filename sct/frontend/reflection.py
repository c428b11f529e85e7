"""Builtins that ask what an object is: its class, its attributes, its fields."""

from __future__ import annotations

import functools
import types
from typing import Any

import numpy as np

from sct.frontend.evaluator import Args, Evaluator, Kwargs, special
from sct.frontend.expressions import NUMPY_NAMES, get
from sct.frontend.objects import class_of, find_attribute, set_attribute, special_method
from sct.frontend.raising import die
from sct.frontend.values import (
    Abstract,
    Bound,
    Closure,
    DictRef,
    Key,
    ListRef,
    Method,
    ObjRef,
    Parent,
    Pullback,
    Ref,
    Static,
    Tup,
)
from sct.ir import Value
from sct.ir.reals import plain
from sct.ir.types import Opaque, Tensor

__all__ = ["python_class"]


@special(isinstance)
def isinstance_(ev: Evaluator, args: Args, kwargs: Kwargs) -> Abstract:
    v, kinds = args
    wanted = tuple(k.value for k in kinds.items if isinstance(k, Static)) if isinstance(kinds, Tup) else \
        (kinds.value,) if isinstance(kinds, Static) else ()
    if isinstance(v, Value) and isinstance(v.type, Tensor) and v.type.dtype in ("real", "single"):
        return Static(ev.ask_type(v, wanted))
    return Static(issubclass(python_class(ev, v), wanted))


def python_class(ev: Evaluator, v: Abstract) -> type:
    """`type(v)`."""
    if isinstance(v, ObjRef):
        return v.cls
    if isinstance(v, Static):
        return type(v.peek)
    if isinstance(v, Tup):
        return v.cls
    if isinstance(v, (Closure, Bound)):
        return types.FunctionType if isinstance(v, Closure) else functools.partial
    known = {Ref: np.ndarray, ListRef: list, DictRef: dict}.get(type(v))
    if known is not None:
        return known
    t = plain(v.type) if isinstance(v, Value) else None
    if isinstance(t, Tensor) and t.carrier in ("py", "np") and t.dtype != "real":
        return {"bool": bool, "int": int, "float": float}.get(t.dtype) or np.dtype(NUMPY_NAMES[t.dtype]).type
    if isinstance(v, Value) and isinstance(t, Opaque):
        leaf = ev.leaf_of(v)
        if leaf is not None:
            return type(leaf)
    ev.refuse("SCT504", "the class of this object must be known")


@special(callable)
def callable_(ev: Evaluator, args: Args, kwargs: Kwargs) -> Abstract:
    if special_method(ev, args[0], "__call__") is not None:
        return Static(True)
    return Static(isinstance(args[0], (Closure, Bound, Method, Pullback)) or
                  isinstance(args[0], Static) and callable(args[0].value))


@special(getattr)
def getattr_(ev: Evaluator, args: Args, kwargs: Kwargs) -> Abstract:
    owner, name = args[0], str(ev.ask(args[1], "the name of an attribute"))
    if len(args) == 2 or attribute_of(ev, owner, name):
        return get(ev, owner, name)
    return args[2]


@special(hasattr)
def hasattr_(ev: Evaluator, args: Args, kwargs: Kwargs) -> Abstract:
    return Static(attribute_of(ev, args[0], str(ev.ask(args[1], "the name of an attribute"))))


def attribute_of(ev: Evaluator, owner: Abstract, name: str) -> bool:
    """Has it this attribute?"""
    if class_of(owner) is not None or isinstance(owner, (ObjRef, Parent)):
        return find_attribute(ev, owner, name) is not None
    like: Any = owner.value if isinstance(owner, Static) else python_class(ev, owner)
    return hasattr(like, name)


@special(setattr)
def setattr_(ev: Evaluator, args: Args, kwargs: Kwargs) -> Abstract:
    set_attribute(ev, args[0], str(ev.ask(args[1], "the name of an attribute")), args[2])
    return Static(None)


@special(object.__setattr__)
def force_attribute(ev: Evaluator, args: Args, kwargs: Kwargs) -> Abstract:
    set_attribute(ev, args[0], str(ev.ask(args[1], "the name of an attribute")), args[2], forced=True)
    return Static(None)


@special(object.__init__)
def object_init(ev: Evaluator, args: Args, kwargs: Kwargs) -> Abstract:
    return Static(None)


@special(super)
def super_(ev: Evaluator, args: Args, kwargs: Kwargs) -> Abstract:
    if args:
        cls, owner = args
    else:
        frame = ev.frames[-1]
        if "__class__" not in frame.cells:
            die(ev, "RuntimeError", "super(): __class__ cell not found")
        cls = ev.free_variable(frame.cells, "__class__")
        first = [*frame.source.node.args.posonlyargs, *frame.source.node.args.args][0]
        owner = ev.store.vars[Key(frame.id, first.id)]
    assert isinstance(cls, Static)
    return Parent(cls.value, owner)


@special(type)
def type_(ev: Evaluator, args: Args, kwargs: Kwargs) -> Abstract:
    if len(args) != 1:
        ev.refuse("SCT206", "making a class is not supported")
    return Static(python_class(ev, args[0]))
