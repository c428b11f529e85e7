"""Objects of a user's classes: attributes, methods and operators.

Properties, methods and operators are the Python functions that they are: evaluated like
any other function.

    p = Params(k=x); p.k += 1.0; p.area()      p is an object on the heap, with a slot `k`
    self.k, self an object from outside         read at every call; a write is refused
"""

from __future__ import annotations

import collections.abc
import enum
import functools
import inspect
import types
import typing
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from sct.frontend.arguments.lift import lift
from sct.frontend.evaluator import list_items
from sct.frontend.evaluator.evaluator import Evaluator
from sct.frontend.evaluator.exceptions import raise_at_run_time, run_or_raise
from sct.frontend.evaluator.handlers import SPECIAL, Args, special_key
from sct.frontend.evaluator.lookup_guards import MISSING, absent, in_class, in_parents, path_to
from sct.frontend.evaluator.own_methods import is_generated, is_library
from sct.frontend.objects import row_attributes
from sct.frontend.objects.bound_object import read_private, read_private_of_class, write_private
from sct.frontend.objects.class_defaults import inherited, note_default, note_defaults, note_unset
from sct.frontend.objects.class_of import possible_classes, python_class, raise_of_class
from sct.frontend.objects.container_objects import ITEMS
from sct.frontend.objects.linked_objects import is_row_display
from sct.frontend.objects.single_dispatch import implementation
from sct.frontend.state.fixpoint import Dead
from sct.frontend.state.state import ATTRIBUTE_WRITE
from sct.frontend.state.store import UNSET, refuse_unset
from sct.frontend.values.abstract_values import (
    Abstract,
    Array,
    Bound,
    DerivedCallable,
    DictRef,
    Frozen,
    ListRef,
    ObjRef,
    Parent,
    Ref,
    Slots,
    Static,
    Tup,
)
from sct.ir import Fn, Value, is_effect, walk
from sct.ir.pytrees.user_objects import (
    dict_of,
    is_container,
    is_defined_by_user,
    is_in_python,
    is_user_class,
)
from sct.ir.types import Link, Tensor, Undef
from sct.ops import python, raise_

__all__ = [
    "bind", "check_in_list", "check_own", "check_set", "class_of", "delete_attribute", "find_attribute",
    "get_attribute", "if_it_gives", "is_data", "is_member", "is_object", "python_method", "set_attribute",
    "special_call", "special_method", "store_attribute", "stored_attribute",
]


def class_of(v: Abstract | None) -> type | None:
    """The class of a user's object; None for everything else."""
    if isinstance(v, ObjRef):
        return v.cls
    if isinstance(v, Tup):
        return v.cls if v.cls is not tuple else None
    if isinstance(v, Value) and isinstance(v.type, Link):
        return None if is_row_display(v) else v.type.cls
    if isinstance(v, Static) and is_container(type(v.peek)) and not isinstance(v.peek, types.SimpleNamespace):
        return type(v.peek)
    return None


def is_object(*values: Abstract) -> bool:
    return any(class_of(v) is not None for v in values)


def is_member(*values: Abstract) -> bool:
    """Is one of these a member of an enum, or a class with a metaclass of the user's?  These may have special methods
    that the user has written."""
    return any(isinstance(v, Static) and (isinstance(v.peek, enum.Enum) or isinstance(v.peek, type)
                                          and is_defined_by_user(type(v.peek))) for v in values)


# -- attributes ----------------------------------------------------------------------------------------


def get_attribute(ev: Evaluator, owner: Abstract, name: str) -> Abstract:
    """`owner.name`, of a user's object or of `super()`."""
    attribute = find_attribute(ev, owner, name)
    if attribute is not None:
        return attribute
    cls = owner.cls if isinstance(owner, Parent) else class_of(owner)
    assert cls is not None
    return raise_at_run_time(ev, "AttributeError", f"{shown_name(cls)!r} object has no attribute {name!r}")


def find_attribute(ev: Evaluator, owner: Abstract, name: str) -> Abstract | None:
    """`owner.name`, None where there is none."""
    if isinstance(owner, Parent):
        of = _class_of_self(ev, owner.owner)
        if owner.cls not in of.__mro__:
            ev.refuse("SCT203", "`super()` in a metaclass is not supported", hint="use a class without a metaclass")
        raw, where = in_parents(ev, of, owner.cls, name)
        return None if raw is MISSING else bind(ev, raw, where, owner.owner, name)
    cls = class_of(owner)
    assert cls is not None
    if python_method(ev, cls, "__getattribute__") is not None:
        ev.refuse("SCT203", f"the class `{cls.__name__}` has a `__getattribute__` of its own")
    raw, where = in_class(ev, cls, name)
    if is_data(raw):
        return _bound(ev, raw, where, owner, name)
    if isinstance(owner, ObjRef) and name in (ev.slots(owner).unset or ()) and (
            raw is not MISSING and not isinstance(raw, _SLOTS) or python_method(ev, cls, "__getattr__") is not None):
        note_default(ev, owner, name)
        ev.refuse("SCT310", f"an attribute of an object that gets new attributes, or that of its class: which `{name}` "
                  "is, is known only at run time",
                  hint="give it all of them before, also those that its class has")
    own = stored_attribute(ev, owner, name)
    if own is not None:
        return own
    if isinstance(raw, functools.cached_property):
        return _computed_once(ev, raw, where, owner, name)
    if isinstance(owner, Static) and type(owner.peek).__dictoffset__:
        at = (*path_to(owner), ("attr", "__dict__"))
        ev.outside.note(at, "lacks", name, at=(*at, name))  # an attribute of its own would come first
    if raw is not MISSING and not isinstance(raw, _SLOTS):
        return _bound(ev, raw, where, owner, name)
    hook = special_method(ev, owner, "__getattr__")
    if raw is not MISSING and isinstance(owner, Static):  # a slot that holds nothing
        if hook is not None:
            ev.refuse("SCT203", f"`{name}` of this object is not set, and its class has a `__getattr__`",
                      why="it may be set in the next call", hint=f"set `{name}` first")
        absent(ev, path_to(owner), name)
    return None if hook is None else ev.call(hook, [Static(name)])


def _bound(ev: Evaluator, raw: Any, where: type, owner: Abstract, name: str) -> Abstract | None:
    """An attribute of the class, read from `owner`; where its code raises an AttributeError, that of `__getattr__`."""
    hook = special_method(ev, owner, "__getattr__")
    if hook is None or isinstance(raw, (types.FunctionType, staticmethod, classmethod)):
        return bind(ev, raw, where, owner, name)
    bound = if_it_gives(ev, name, lambda: bind(ev, raw, where, owner, name))
    return ev.call(hook, [Static(name)]) if bound is None else bound


def if_it_gives(ev: Evaluator, name: str, read: Callable[[], Abstract | None]) -> Abstract | None:
    """The value of an attribute; None if a trial evaluation raises an AttributeError."""
    with ev.inside(ev.fork()) as branch:
        dead = False
        try:
            read()
        except Dead:
            dead = True
    effects = [eqn for eqn in walk(Fn("trial", (), tuple(branch.builder.eqns), ())) if is_effect(eqn)]
    raised = [ev.defs[eqn.args[0]].attrs.get("callee") for eqn in effects if eqn.op is raise_]  # type: ignore[index]
    if not raised or "AttributeError" not in raised and None not in raised:
        return read()
    if dead and raised == ["AttributeError"] and all(eqn.op in (raise_, python) for eqn in effects):
        return None
    ev.refuse("SCT503", f"whether this object has the attribute `{name}` is known only at run time",
              why="the code that gives it may raise an AttributeError")


_SLOTS = (types.MemberDescriptorType, type(vars(typing.NamedTuple("_", [("x", int)]))["x"]))
"""Class attributes that stand for attributes of the object itself."""


def is_data(raw: Any) -> bool:
    """Does this attribute of a class come before one of the object: a property, a descriptor with `__set__`?"""
    kind = type(raw)
    return not isinstance(raw, _SLOTS) and hasattr(kind, "__get__") and \
        (hasattr(kind, "__set__") or hasattr(kind, "__delete__"))


def _computed_once(ev: Evaluator, raw: Any, where: type, owner: Abstract, name: str) -> Abstract:
    """The first read of a `cached_property`: the object stores the result."""
    if isinstance(owner, ObjRef):
        value = bind(ev, raw, where, owner, name)
        store_attribute(ev, owner, name, value)
        return value
    if isinstance(owner, Static) and owner.path is not None:
        x = owner.peek
        run_or_raise(ev, lambda: getattr(x, name))  # as the function itself would, and the object keeps it
        return lift(ev, getattr(x, name), (*owner.path, ("attr", name)))
    ev.refuse("SCT203", f"the `cached_property` `{name}` of this object is not supported")


def check_set(ev: Evaluator, owner: Abstract, name: str | None = None) -> None:
    """Refuses to say whether the object has an attribute that some path does not set."""
    unset = (ev.slots(owner).unset or ()) if isinstance(owner, ObjRef) else ()
    note_unset(ev, owner)
    if unset if name is None else name in unset:
        refuse_unset(ev, name or min(unset))


def check_own(ev: Evaluator, owner: ObjRef) -> None:
    """Refuses to say which attributes the object itself has, where some path does not set one of them."""
    check_set(ev, owner)
    if ITEMS in ev.slots(owner).keys:
        ev.refuse("SCT203", "the attributes of an object whose class derives from `list` or `dict` are not supported",
                  hint="read them by their names")
    for name in inherited(ev, owner):
        if name in ev.slots(owner).keys:
            refuse_unset(ev, name)


def check_in_list(ev: Evaluator, owner: Abstract) -> None:
    """The same for an object that is put into a list whose length is not known, where it must have an attribute."""
    check_set(ev, owner)
    if isinstance(owner, ObjRef) and not ev.slots(owner).keys:
        note_defaults(ev, owner)
    if isinstance(owner, ObjRef) and not ev.slots(owner).ordered:
        ev.containers.unordered.add(owner.cls)


def stored_attribute(ev: Evaluator, owner: Abstract, name: str) -> Abstract | None:
    """An attribute that the object itself has."""
    if isinstance(owner, ObjRef):
        list_items.refresh(ev, owner, True)
        cell = ev.slots(owner)
        v = cell.items[cell.keys.index(name)] if name in cell.keys else None
        if not cell.unset or name not in cell.unset or v is None:
            return None if v is None else _present(ev, v)
        if any(c.may_catch((AttributeError,)) for c in ev.tries.handled):
            refuse_unset(ev, name)
        return None if v == UNSET else ev.bound(v)
    if isinstance(owner, Tup):
        return owner.items[owner.fields.index(name)] if name in owner.fields else None
    if isinstance(owner, Value):
        return row_attributes.read(ev, owner, name)
    assert isinstance(owner, Static)
    if (private := read_private(ev, owner, name)) is not None:
        return private
    x = owner.peek
    raw = inspect.getattr_static(type(x), name, None)
    try:
        is_slot = isinstance(raw, types.MemberDescriptorType)
        value = raw.__get__(x) if is_slot else getattr(x, name) if name in dict_of(x) else MISSING
    except AttributeError:  # a slot that holds nothing
        return None
    if value is MISSING:
        return None
    return lift(ev, value, (*path_to(owner), ("attr", name)))


def _class_of_self(ev: Evaluator, v: Abstract) -> type:
    """The class of the object whose method calls `super`, or that class itself in a classmethod."""
    of = class_of(v) or (v.value if isinstance(v, Static) else None)
    raised = list(ev.tries.carried(ev.store, v)) if isinstance(v, Value) else []
    of = raised[0].cls if of is None and len(raised) == 1 else of
    if not isinstance(of, type):
        ev.refuse("SCT203", "`super()` of this object is not supported", why="its class is known only at run time",
                  hint="call the method of the base class by name")
    return of


def _present(ev: Evaluator, v: Abstract) -> Abstract:
    """An attribute of an object that is there: where another object would be, this is a path that is not taken."""
    if isinstance(v, Value) and isinstance(v.type, Undef):
        return ev.known_bound(v)
    cell = ev.store.cells[v.addr] if isinstance(v, Ref) else None
    if isinstance(v, Ref) and isinstance(cell, Array) and isinstance(cell.value, Value) and \
            isinstance(cell.value.type, Undef):
        ev.store.cells[v.addr] = replace(cell, value=ev.known_bound(cell.value))
    return v


def bind(ev: Evaluator, raw: Any, cls: type, owner: Abstract, name: str) -> Abstract:
    """The value of a class attribute that is read from `owner`: descriptors are applied."""
    if (private := read_private_of_class(ev, cls, name)) is not None:
        return private
    at = (cls, ("attr", "__dict__"), ("item", name))
    if isinstance(raw, property):
        if not isinstance(raw.fget, types.FunctionType):
            ev.refuse("SCT203", f"the property `{name}` has no Python function")
        return ev.call(lift(ev, raw.fget, (*at, ("attr", "fget"))), [owner])
    if isinstance(raw, functools.cached_property):
        return ev.call(lift(ev, raw.func, (*at, ("attr", "func"))), [owner])
    if isinstance(raw, staticmethod):
        return lift(ev, raw.__func__, (*at, ("attr", "__func__")))
    if isinstance(raw, classmethod):
        own = owner if isinstance(owner, Static) and isinstance(owner.value, type) else Static(class_of(owner))
        return Bound(lift(ev, raw.__func__, (*at, ("attr", "__func__"))), (own,))
    if isinstance(raw, functools.partialmethod):
        fn = lift(ev, raw.func, (*at, ("attr", "func")))
        args = [lift(ev, x, (*at, ("attr", "args"), ("item", k))) for k, x in enumerate(raw.args)]
        named = [(k, lift(ev, x, (*at, ("attr", "keywords"), ("item", k)))) for k, x in raw.keywords.items()]
        return Bound(fn, (owner, *args), tuple(named))
    if isinstance(raw, functools.singledispatchmethod):
        of, path = raw.dispatcher, (*at, ("attr", "dispatcher"))
        return DerivedCallable(lambda ev, args, kwargs: ev.call(
            Bound(implementation(ev, of, path, name, args), (owner,), method=True), args, kwargs))
    if isinstance(raw, types.FunctionType) or hasattr(raw, "__wrapped__") and hasattr(type(raw), "__get__"):
        return Bound(lift(ev, raw, at), (owner,), method=True)
    if isinstance(raw, (types.WrapperDescriptorType, types.MethodDescriptorType)):
        return Bound(Static(raw), (owner,))
    if isinstance(raw, types.GetSetDescriptorType) and isinstance(owner, ObjRef) and \
            (value := stored_attribute(ev, owner, name)) is not None:  # `maxlen` of a deque
        return value
    if hasattr(type(raw), "__get__"):
        return _by_descriptor(ev, "__get__", raw, at, [owner, Static(class_of(owner))])
    return lift(ev, raw, at)


def _by_descriptor(ev: Evaluator, method: str, raw: Any, at: tuple[Any, ...], args: Args) -> Abstract:
    """A method of a descriptor that a user's class defines."""
    fn = python_method(ev, type(raw), method)
    if fn is None or not is_user_class(type(raw)):
        ev.refuse("SCT203", f"a descriptor of class `{type(raw).__name__}` is not supported",
                  why="sct knows functions, properties, static and class methods, and classes written in Python")
    return ev.call(Static(fn), [lift(ev, raw, at), *args])


def set_attribute(ev: Evaluator, owner: Abstract, name: str, value: Abstract, *, forced: bool = False) -> None:
    """`owner.name = value`; `forced`: as `object.__setattr__` does it."""
    cls = class_of(owner)
    if isinstance(owner, ObjRef) or isinstance(owner, Value) and cls is not None:
        assert cls is not None
        own = None if forced else in_class(ev, cls, "__setattr__")
        if own is not None and own[1] not in (object, BaseException, types.SimpleNamespace):
            if not isinstance(own[0], (types.FunctionType, types.WrapperDescriptorType)) or is_generated(*own):
                ev.refuse("SCT303", f"writing an attribute of a `{cls.__name__}` is not supported",
                          why="its class is frozen", hint="use dataclasses.replace")
            ev.call(bind(ev, *own, owner, "__setattr__"), [Static(name), value])
            return
        raw, where = in_class(ev, cls, name)
        at = (where, ("attr", "__dict__"), ("item", name))
        if isinstance(raw, property):
            if not isinstance(raw.fset, types.FunctionType):
                run_or_raise(ev, lambda: raw.__set__(object.__new__(cls), None))  # raises
            ev.call(lift(ev, raw.fset, (*at, ("attr", "fset"))), [owner, value])
        elif is_data(raw):
            if not hasattr(type(raw), "__set__"):
                ev.refuse("SCT303", f"writing `{name}`, a descriptor without `__set__`, is not supported")
            _by_descriptor(ev, "__set__", raw, at, [owner, value])
        else:
            if "__dict__" not in dir(cls) and not isinstance(raw, types.MemberDescriptorType):
                run_or_raise(ev, lambda: object.__setattr__(object.__new__(cls), name, None))
            store_attribute(ev, owner, name, value)
        return
    if isinstance(owner, Ref) and name in ("flat", "shape"):
        SPECIAL[special_key(getattr(np.ndarray, name))](ev, [owner, value], {})
        return
    if isinstance(owner, Tup) and cls is not None and not cls.__dictoffset__:
        run_or_raise(ev, lambda: setattr(cls._make(owner.items), name, None))  # type: ignore[attr-defined]
    if isinstance(owner, Static) and owner.peek is None:
        run_or_raise(ev, lambda: setattr(None, name, None))
    if isinstance(owner, Static) and write_private(ev, owner, name, value):
        return
    if isinstance(owner, Static):
        ev.refuse("SCT302", f"a write to the attribute `{name}` of an object that is not a local or an argument of "
                  "the differentiated function", why="its caller would see the write",
                  hint="return the value, or pass the object as an argument")
    if isinstance(owner, (Ref, ListRef, DictRef)) or isinstance(owner, Value) and isinstance(owner.type, Tensor):
        classes = possible_classes(owner) or (python_class(ev, owner),)
        if not any(hasattr(cls, name) for cls in classes):
            raise_of_class(ev, owner, lambda like: setattr(like, name, None))
    ev.refuse("SCT303", f"writing the attribute `{name}` of this object is not supported",
              hint=_OF_ARRAYS.get(name, "use a local, a dict or an array"))


_OF_ARRAYS = {"real": "write the whole numbers: `z[...] = x + 1j * z.imag`",
              "imag": "write the whole numbers: `z[...] = z.real + 1j * y`"}
"""What to write instead of a write to an attribute of an array."""


def store_attribute(ev: Evaluator, owner: ObjRef | Value, name: str, value: Abstract) -> None:
    """Put an attribute into the object itself."""
    if isinstance(owner, Value):
        return row_attributes.write(ev, owner, name, value)
    if owner.addr in ev.store.items and name not in ev.store.slots(owner).keys:
        note_default(ev, owner, name)
    if list_items.write(ev, owner, name, value):
        return
    cell = ev.store.slots(owner)
    if name not in cell.keys and cell.frozen in (Frozen.HELD, Frozen.STALE):
        ev.refuse("SCT307", f"an object that is an item of a list gets a new attribute: `{name}`",
                  why="the items of a list have the attributes that they were put into it with",
                  hint="set it where the object is made, in `__init__`")
    ev.writable(owner.addr, ATTRIBUTE_WRITE)
    if name in cell.keys:
        items = tuple(value if k == name else x for k, x in zip(cell.keys, cell.items))
        unset = None if cell.unset is None else cell.unset - {name}
        ev.store.cells[owner.addr] = replace(cell, items=items, unset=unset)
    else:
        ev.store.cells[owner.addr] = replace(cell, items=(*cell.items, value), keys=(*cell.keys, name))


def delete_attribute(ev: Evaluator, owner: Abstract, name: str) -> None:
    """`del owner.name`."""
    if not isinstance(owner, ObjRef) or owner.addr in ev.store.items:
        ev.refuse("SCT101", "`del` of an attribute of this object is not supported",
                  hint="set the attribute to None")
    own, raw = in_class(ev, owner.cls, "__delattr__"), in_class(ev, owner.cls, name)[0]
    if own[1] is not object and own[1] is not types.SimpleNamespace or is_data(raw):
        ev.refuse("SCT101", f"`del` of the attribute `{name}` is not supported, which its class defines",
                  hint="set the attribute to None")
    check_set(ev, owner, name)
    cell = ev.writable(owner.addr, ATTRIBUTE_WRITE)
    assert isinstance(cell, Slots)
    held = {k: v for k, v in zip(cell.keys, cell.items) if k != name}
    if name not in cell.keys:
        run_or_raise(ev, lambda: object.__delattr__(object.__new__(owner.cls), name))  # raises
    ev.store.cells[owner.addr] = replace(cell, items=tuple(held.values()), keys=tuple(held))


# -- special methods ---------------------------------------------------------------------------------


def python_method(ev: Evaluator, cls: type, name: str) -> types.FunctionType | None:
    """The Python function that a class has for a special method."""
    raw, _ = in_class(ev, cls, name)
    return raw if isinstance(raw, types.FunctionType) else None


_WITHOUT: dict[str, Callable[[Any], Any]] = {
    "__contains__": lambda x: 0 in x, "__iter__": iter, "__reversed__": reversed, "__hash__": hash}
"""What raises an exception of its own for an object whose class sets the special method to None."""


def special_method(ev: Evaluator, v: Abstract, name: str) -> Abstract | None:
    """`type(v).name`, bound to `v`; None if the class does not define it."""
    cls = class_of(v)
    if cls is None:
        return _method_of_member(ev, v, name) if is_member(v) else None
    raw, where = in_class(ev, cls, name)
    if raw is MISSING or where in (object, tuple, types.SimpleNamespace):
        return None
    if isinstance(raw, types.FunctionType) and (
            is_generated(raw, where) or is_library(raw) and not is_in_python(where)):
        return None
    if where is collections.abc.Sequence and name == "__iter__":
        return None  # the items by `__getitem__`, as Python has them of a class without `__iter__`
    if raw is None:
        without = type(cls.__name__, (), {name: None})()
        run_or_raise(ev, lambda: _WITHOUT.get(name, lambda _: raw())(without))  # type: ignore[misc]  # raises
    return bind(ev, raw, where, v, name)


def _method_of_member(ev: Evaluator, v: Abstract, name: str) -> Abstract | None:
    """The special method that the user has written for the class of a member; the others are Python's own."""
    assert isinstance(v, Static)
    raw, where = in_class(ev, type(v.peek), name)
    return bind(ev, raw, where, v, name) if isinstance(raw, types.FunctionType) and not is_library(raw) else None


def special_call(ev: Evaluator, v: Abstract, name: str, *args: Abstract) -> Abstract | None:
    """`v.name(*args)` for a special method; None where `v` is not a user's object that has it."""
    method = special_method(ev, v, name)
    return None if method is None else ev.call(method, args)


def shown_name(cls: type) -> str:
    """The name of a user's class, or of a namespace, in the exceptions of Python."""
    return "types.SimpleNamespace" if cls is types.SimpleNamespace else cls.__name__
