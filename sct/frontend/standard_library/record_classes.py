"""`dataclasses`, named tuples, and copies of containers.

    dataclasses.replace(p, k=x)   ->   Params(k=x, b=p.b)
"""

from __future__ import annotations

import collections
import copy
import dataclasses
import typing
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from sct.frontend.evaluator.evaluator import Evaluator
from sct.frontend.evaluator.exceptions import raise_at_run_time, run_or_raise
from sct.frontend.evaluator.handlers import Args, Kwargs, special
from sct.frontend.evaluator.lookup_guards import path_to
from sct.frontend.evaluator.own_methods import fields_of_dataclass
from sct.frontend.heap import dynamic_list_methods, dynamic_lists, run_time_dicts
from sct.frontend.heap.inactive import by_python, is_python_object
from sct.frontend.heap.join_paths import evaluate_branches
from sct.frontend.interpreter.attributes import get
from sct.frontend.iteration.iteration_space import items_of
from sct.frontend.objects import row_attributes
from sct.frontend.objects.class_of import python_class
from sct.frontend.objects.construction import check_copied_by_attributes, copy_of_outside, instantiate
from sct.frontend.objects.container_objects import is_set_of_objects, with_own_items
from sct.frontend.objects.linked_objects import is_link
from sct.frontend.objects.objects import check_own, class_of, special_call, special_method
from sct.frontend.state.choices import is_present
from sct.frontend.values.abstract_values import (
    Abstract,
    Array,
    Bound,
    Cached,
    Closure,
    Container,
    DerivedCallable,
    DictRef,
    Frozen,
    Iteration,
    ListRef,
    MapRef,
    Method,
    ObjRef,
    OptionalTuple,
    Origin,
    Ref,
    RunTimeTuple,
    Static,
    Tup,
)
from sct.frontend.values.in_words import abstract_in_words
from sct.ir import Value
from sct.ir.pytrees.user_objects import holds_each_once, slots_of
from sct.ir.types import List, Optional, Tensor
from sct.ops import BY_CALL, is_none

__all__ = ["namedtuple_method"]


def _fields(ev: Evaluator, v: Abstract) -> dict[str, Abstract]:
    """The fields of a dataclass instance, read now."""
    cls = class_of(v)
    if cls is None or not dataclasses.is_dataclass(cls):
        raise_at_run_time(ev, "TypeError", "this function should be called on dataclass instances")
    return {f.name: get(ev, v, f.name) for f in fields_of_dataclass(ev, cls)}


@special(dataclasses.replace)
def replace_(ev: Evaluator, args: Args, kwargs: Kwargs) -> Abstract:
    fields = _fields(ev, args[0])
    cls = python_class(ev, args[0])
    for f in dataclasses.fields(cls):
        if not f.init and f.name in kwargs:
            every = dict.fromkeys(fields)
            run_or_raise(ev, lambda: dataclasses.replace(object.__new__(cls), **every))  # noqa: B023
    arguments = {f.name: fields[f.name] for f in dataclasses.fields(cls) if f.init and f.name not in kwargs}
    return instantiate(ev, cls, [], {**arguments, **kwargs})


@special(dataclasses.asdict)
def asdict(ev: Evaluator, args: Args, kwargs: Kwargs) -> Abstract:
    return _plain(ev, args[0], as_dict=True)


@special(dataclasses.astuple)
def astuple(ev: Evaluator, args: Args, kwargs: Kwargs) -> Abstract:
    return _plain(ev, args[0], as_dict=False)


def _is_of_numbers(ev: Evaluator, v: ListRef) -> bool:
    t = ev.type_of(dynamic_lists.one_column(ev, v))
    return isinstance(t, List) and isinstance(t.elem, Tensor) and not t.elem.is_array


def _plain(ev: Evaluator, v: Abstract, *, as_dict: bool) -> Abstract:
    cls = class_of(v)
    if cls is not None and dataclasses.is_dataclass(cls):
        fields = {k: _plain(ev, x, as_dict=as_dict) for k, x in _fields(ev, v).items()}
        return ev.new_dict(fields) if as_dict else Tup(tuple(fields.values()))
    if isinstance(v, Tup):
        return v.with_(_plain(ev, x, as_dict=as_dict) for x in v.items)
    if isinstance(v, ListRef) and dynamic_lists.is_dynamic(ev, v) and ev.slots(v).schema == 0 and \
            _is_of_numbers(ev, v):
        return ev.call(Static(list), [v])
    if isinstance(v, ListRef):
        return ev.new_list(tuple(_plain(ev, x, as_dict=as_dict) for x in items_of(ev, v)))
    if isinstance(v, DictRef):
        cell = ev.slots(v)
        return ev.new_dict({k: _plain(ev, x, as_dict=as_dict) for k, x in zip(cell.keys, cell.items)})
    return deep(ev, v, {})


@special(dataclasses.fields)
def fields(ev: Evaluator, args: Args, kwargs: Kwargs) -> Abstract:
    v = args[0]
    cls: Any = v.value if isinstance(v, Static) and isinstance(v.value, type) else class_of(v)
    if not dataclasses.is_dataclass(cls):
        return Static(dataclasses.fields(cls))
    return Static(fields_of_dataclass(ev, cls))  # type: ignore[arg-type]


@special(dataclasses.is_dataclass)
def is_dataclass(ev: Evaluator, args: Args, kwargs: Kwargs) -> Abstract:
    v = args[0]
    if isinstance(v, Static) and isinstance(v.value, type):
        return Static(dataclasses.is_dataclass(v.value))
    cls = class_of(v)
    return Static(cls is not None and dataclasses.is_dataclass(cls))


# -- named tuples ---------------------------------------------------------------------------------------------


def namedtuple_method(ev: Evaluator, owner: Tup, name: str, args: Args, kwargs: Kwargs) -> Abstract | None:
    """`_replace` and `_asdict`."""
    if name == "_asdict":
        return ev.new_dict(dict(zip(owner.fields, owner.items)))
    if name != "_replace":
        return None
    unknown = [k for k in kwargs if k not in owner.fields]
    if unknown:
        raise_at_run_time(ev, "ValueError", f"Got unexpected field names: {unknown!r}")
    return owner.with_(kwargs.get(k, x) for k, x in zip(owner.fields, owner.items))


# -- copies --------------------------------------------------------------------------------------------------


@special(copy.copy)
def copy_(ev: Evaluator, args: Args, kwargs: Kwargs) -> Abstract:
    (v,) = args
    if is_link(v) and isinstance(v, Value) and isinstance(v.type, Optional):
        link = v
        if not is_present(ev.store, link):
            return evaluate_branches(ev, ev.emit(is_none, link), lambda: Static(None),  # type: ignore[no-any-return]
                                     lambda: copy_(ev, [ev.defined(link)], {}))
        v = ev.defined(link)
    own = special_call(ev, v, "__copy__")
    if own is not None:
        return own
    if isinstance(v, ListRef) and dynamic_lists.is_dynamic(ev, v):
        return dynamic_list_methods.copied(ev, v)
    if isinstance(v, MapRef):
        return run_time_dicts.copied(ev, v)
    if isinstance(v, Static) and class_of(v) is not None:
        return copy_of_outside(ev, v, lambda x: x)
    if is_set_of_objects(v):
        return ev.call(Static(v.cls), [v])
    if isinstance(v, ObjRef):
        check_copied_by_attributes(ev, v)
    if isinstance(v, Container):
        cell = with_own_items(ev, ev.slots(v))
        addr = ev.new_addr()
        ev.store.cells[addr] = replace(cell, origin=Origin.FRESH, frozen=Frozen.NO)
        return replace(v, addr=addr)
    if is_link(v) and isinstance(v, Value):
        return row_attributes.copied(ev, v)
    if (value := by_python(ev, "copy.copy({0})", v)) is not None:
        return value
    _check_copied(ev, v, copy.copy, (*_UNCHANGEABLE, Ref, Tup, OptionalTuple, RunTimeTuple, Bound, Method))
    return ev.call_op(BY_CALL["copy.copy"], v, spelling="copy.copy") if isinstance(v, Ref) else v


_UNCHANGEABLE = (Static, Value, Closure, Cached, DerivedCallable)
"""Kinds of values of which a copy is the value itself: functions, and what numbers and texts are."""


def _check_copied(ev: Evaluator, v: Abstract, copied: Callable[[Any], Any], kinds: tuple[type, ...]) -> None:
    """Refuses the copy of a value of another kind: which object it is matters if it is changed, as an iterator is."""
    if not isinstance(v, kinds) and not (isinstance(v, Iteration) and v.kind == "range"):
        ev.refuse("SCT208", f"a copy of {abstract_in_words(v)} is not supported",
                  hint="make two of it: `it, other = itertools.tee(it)`" if isinstance(v, Iteration) else
                  "make the copy outside the function")
    if is_python_object(ev, v) or isinstance(v, Static) and \
            run_or_raise(ev, lambda: copied(v.peek)) is not v.peek:
        ev.refuse("SCT208", "a copy of an object that sct does not see into is not supported here",
                  hint="make the copy outside the function")


@special(copy.deepcopy)
def deepcopy(ev: Evaluator, args: Args, kwargs: Kwargs) -> Abstract:
    (v,) = args
    if (value := by_python(ev, "copy.deepcopy({0})", v)) is not None:
        return value
    if not isinstance(v, Static) or class_of(v) is None:
        return deep(ev, v, {})
    if not holds_each_once(v.peek):
        ev.refuse("SCT208", "a deep copy of an object from outside that holds one object twice, or itself, is not "
                  "supported", hint="pass the object as an argument, or write a method that makes the copy")
    ev.outside.note(path_to(v), "holds each once", True)
    return deep(ev, v, None)


def deep(ev: Evaluator, v: Abstract, seen: dict[Any, Abstract] | None) -> Abstract:
    """A deep copy of `v`; an object that it holds twice is copied once, `seen` are the copies; None: there is none."""
    if special_method(ev, v, "__deepcopy__") is not None:
        ev.refuse("SCT208", "a deep copy of an object with a `__deepcopy__` of its own is not supported",
                  hint="call a method of your own that makes the copy")
    if isinstance(v, MapRef):
        ev.refuse("SCT208", "a deep copy of a dict whose keys are known only at run time is not supported",
                  hint="make a copy of only the dict, with dict")
    if isinstance(v, Tup):
        return v.with_(deep(ev, x, seen) for x in v.items)
    if seen is not None and isinstance(v, (Ref, Container)) and v in seen:
        return seen[v]
    if isinstance(v, (Ref, Container)) and seen and (cell := ev.store.cells[v.addr]).origin == Origin.ARGUMENT:
        if isinstance(cell, Array) and isinstance(cell.value, Value):
            ev.containers.copied.add(cell.value)
        ev.containers.note_identity()
        ev.containers.note_comparison(ev.loc, "makes a deep copy of them")
    if isinstance(v, Ref):
        new = ev.call_op(BY_CALL["copy.copy"], v, spelling="copy.copy")
        if seen is not None:
            seen[v] = new
        return new
    if isinstance(v, Static) and class_of(v) is not None:
        if seen is not None:
            ev.refuse("SCT208", "a deep copy of a container that holds an object from outside is not supported",
                      hint="make a deep copy of only the object, then put that into a container")
        return copy_of_outside(ev, v, lambda x: deep(ev, x, None))
    if isinstance(v, ObjRef):
        check_copied_by_attributes(ev, v)
    if isinstance(v, RunTimeTuple):
        return RunTimeTuple(dynamic_list_methods.copied_deep(ev, v.of))
    if not isinstance(v, Container):
        if is_link(v):
            ev.refuse("SCT208", "a deep copy of objects that refer to one another is not supported",
                      why="how many of them there are is known only at run time",
                      hint="make new objects, and copy the attributes that are to differ")
        _check_copied(ev, v, copy.deepcopy, _UNCHANGEABLE)
        return v
    if isinstance(v, ListRef) and dynamic_lists.is_dynamic(ev, v):
        copied = dynamic_list_methods.copied_deep(ev, v)
        if seen is not None:
            seen[v] = copied
        return copied
    cell = ev.slots(v)
    new = replace(v, addr=ev.new_addr())
    if seen is not None:
        seen[v] = new
    items = tuple(deep(ev, x, seen) for x in cell.items)
    ev.store.cells[new.addr] = replace(cell, items=items, origin=Origin.FRESH, frozen=Frozen.NO)
    return new


@special(collections.namedtuple)
def new_class(ev: Evaluator, args: Args, kwargs: Kwargs) -> Abstract:
    """A class that the function makes: the same one wherever this call of the function is evaluated."""
    constants = [_constant(ev, v) for v in (*args, *kwargs.values())]
    if ev.loops.heads:
        ev.refuse("SCT208", "a class that is made in a loop is not supported",
                  why="each iteration makes another class", hint="make it before the loop")
    key, named = (ev.frames[-1].id, ev.loc), dict(zip(kwargs, constants[len(args):]))
    if key not in ev.containers.classes:
        ev.containers.classes[key] = run_or_raise(ev, lambda: collections.namedtuple(*constants[:len(args)], **named))
    return Static(ev.containers.classes[key])


def _constant(ev: Evaluator, v: Abstract) -> Any:
    """The value of an argument that is known when the function is compiled."""
    if isinstance(v, Tup) or isinstance(v, ListRef) and not dynamic_lists.is_dynamic(ev, v):
        return [_constant(ev, x) for x in (v.items if isinstance(v, Tup) else ev.slots(v).items)]
    if not isinstance(v, Static):
        ev.refuse("SCT208", "a class whose fields or defaults are known only at run time is not supported",
                  hint="make it outside the function")
    return ev.ask(v, "an argument of `namedtuple`")


@special(typing.cast)
def cast(ev: Evaluator, args: Args, kwargs: Kwargs) -> Abstract:
    return args[1]


@special(vars)
def vars_(ev: Evaluator, args: Args, kwargs: Kwargs) -> Abstract:
    if not (args and isinstance(args[0], ObjRef)):
        ev.refuse("SCT206", "`vars` is supported only for arguments and for objects created in the function",
                  hint="read the attribute of the object, or use getattr")
    cls = args[0].cls
    if not cls.__dictoffset__:
        run_or_raise(ev, lambda: vars(object.__new__(cls)))  # raises
    check_own(ev, args[0])
    if (slot := next((k for k in ev.slots(args[0]).keys if k in slots_of(cls)), None)) is not None:
        ev.refuse("SCT206", f"`vars` of an object of a class with `__slots__` is not supported: `{slot}` is in a slot",
                  hint="read the attributes of the object")
    return DictRef(args[0].addr)
