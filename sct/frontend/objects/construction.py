"""How objects of a user's classes are made, and called."""

from __future__ import annotations

import dataclasses
import inspect
import types
from collections.abc import Callable
from typing import Any

from sct.errors import Loc
from sct.frontend.arguments.lift import lift
from sct.frontend.arguments.parameter_defaults import guarded_defaults
from sct.frontend.evaluator.evaluator import Evaluator
from sct.frontend.evaluator.exceptions import bind_or_raise, raise_at_run_time, run_or_raise
from sct.frontend.evaluator.handlers import Args, Kwargs, called
from sct.frontend.evaluator.lookup_guards import MISSING, in_class, path_to
from sct.frontend.evaluator.own_methods import fields_of_dataclass, is_generated
from sct.frontend.objects.class_defaults import give_defaults
from sct.frontend.objects.class_of import python_class
from sct.frontend.objects.container_objects import ITEMS
from sct.frontend.objects.linked_objects import as_row, is_linked
from sct.frontend.objects.objects import (
    bind,
    class_of,
    set_attribute,
    shown_name,
    special_method,
    stored_attribute,
)
from sct.frontend.objects.operators_of_classes import sample_of
from sct.frontend.values.abstract_values import (
    Abstract,
    ObjRef,
    Path,
    Static,
    Tup,
)
from sct.ir.pytrees.user_objects import (
    base_in_python,
    builtin_base,
    dict_of,
    fields_of,
    is_defined_by_user,
    is_namedtuple,
    slots_of,
)

__all__ = [
    "call_instance", "check_copied_by_attributes", "class_of_generated", "copy_of_outside", "fill", "instantiate",
    "refuse_subclass",
]


def instantiate(ev: Evaluator, cls: type, args: Args, kwargs: Kwargs) -> Abstract:
    """`cls(*args, **kwargs)`."""
    if cls is types.SimpleNamespace:
        if args:
            ev.refuse("SCT205", "a namespace of positional arguments is not supported", hint="name its attributes")
        return ev.new_object(cls, kwargs)
    if is_namedtuple(cls) and (not cls.__new__.__globals__.get("__name__", "").startswith("namedtuple_")
                               or in_class(ev, cls, "__init__")[1] not in (object, tuple)):
        ev.refuse("SCT208", f"creating a `{cls.__name__}` is not supported",
                  why="it defines `__new__` or `__init__`", hint="make it outside the function")
    if is_namedtuple(cls):
        new: Any = cls.__new__
        ev.outside.note((cls, ("attr", "__new__")), "is", new, at=(cls, "__new__"))
        bound, defaults = _signature_bind(ev, new, [Static(cls), *args], kwargs), guarded_defaults(ev, new)
        fields: tuple[str, ...] = cls._fields  # type: ignore[attr-defined]
        ev.outside.note((cls, ("attr", "_fields")), "is", fields, at=(cls, "_fields"))
        if fields != new.__code__.co_varnames[1:new.__code__.co_argcount]:
            ev.refuse("SCT208", f"creating a `{cls.__name__}` whose `_fields` are not its parameters is not supported",
                      hint="leave its fields as they are")
        return Tup(tuple(bound[f] if f in bound else defaults[f].lifted() for f in fields), fields, cls)
    base = builtin_base(cls)
    if in_class(ev, cls, "__new__")[1] not in (object, base):
        ev.refuse("SCT208", f"creating a `{cls.__name__}` is not supported", why="it defines `__new__`",
                  hint="make it outside the differentiated function")
    if getattr(cls, "__abstractmethods__", None):
        run_or_raise(ev, lambda: object.__new__(cls))
    init, where = in_class(ev, cls, "__init__")
    instance = ev.new_object(cls, {} if base is None else _no_items(ev, base, init))
    give_defaults(ev, instance)
    if isinstance(init, types.FunctionType) and is_generated(init, where):
        fill(ev, instance, where, init, args, kwargs)
    elif isinstance(init, types.FunctionType):
        returned = ev.call(bind(ev, init, where, instance, "__init__"), args, kwargs)
        if returned != Static(None):
            _not_none(ev, returned)
    elif base is not None:
        ev.call(bind(ev, init, where, instance, "__init__"), args, kwargs)
    elif args or kwargs:
        raise_at_run_time(ev, "TypeError", f"{cls.__name__}() takes no arguments")
    if base is not None:
        return instance
    again = bool(ev.loops.heads or ev.functions.in_progress)
    ev.functions.plan.instantiated[cls] = again or ev.functions.plan.instantiated.get(cls, False)
    return as_row(ev, instance) if is_linked(ev, cls) else instance


def _no_items(ev: Evaluator, base: type, init: Any) -> dict[str, Abstract]:
    """What an object of a class that derives from `list` or `dict` holds before its `__init__` fills it."""
    if not isinstance(init, types.FunctionType):
        return {}
    with ev.at(Loc(init.__code__.co_filename, init.__code__.co_firstlineno, 0)):  # no place that makes another dict
        return {ITEMS: ev.call(Static(base), [])}


def refuse_subclass(ev: Evaluator, cls: Any) -> None:
    """Refuses a user's class that derives from one whose objects sct does not see into; not anything else."""
    if not isinstance(cls, type) or not is_defined_by_user(cls):
        return
    base = next(c for c in cls.__mro__ if not is_defined_by_user(c))
    other = base_in_python(cls)
    ev.refuse("SCT208", f"creating a `{cls.__name__}` is not supported",
              why=f"it derives from `{base.__name__}`, and sct does not see into its objects",
              hint=f"let it hold a {base.__name__} in an attribute" if other is None else
              f"derive the class from `{other}`")


def copy_of_outside(ev: Evaluator, v: Static, copied: Callable[[Abstract], Abstract]) -> Abstract:
    """A copy of an object from outside, whose attributes are copied by `copied`.

        c = copy.copy(self)    ->    c is an object of the function, with the attributes that `self` has at the call
    """
    obj, cls = v.peek, type(v.peek)
    check_copied_by_attributes(ev, v)
    if any(name not in fields_of(obj) for name in slots_of(cls)):
        ev.refuse("SCT208", "a copy of an object from outside with an empty slot is not supported",
                  hint="set all its slots where it is made")
    if cls.__dictoffset__:
        ev.outside.note((*path_to(v), ("attr", "__dict__")), "keys", tuple(dict_of(obj)))
    stored = {name: stored_attribute(ev, v, name) for name in fields_of(obj)}
    instance = ev.new_object(cls, {name: copied(x) for name, x in stored.items() if x is not None})
    return as_row(ev, instance) if is_linked(ev, cls) else instance


def check_copied_by_attributes(ev: Evaluator, v: Abstract) -> None:
    """Refuses the copy of an object whose class says otherwise than by its attributes what a copy of it is."""
    for name in ("__reduce_ex__", "__reduce__", "__getstate__", "__setstate__", "__getnewargs_ex__", "__getnewargs__"):
        if special_method(ev, v, name) is not None:
            ev.refuse("SCT208", f"a copy of an object whose class has a `{name}` is not supported",
                      hint="give the class a method of your own that makes the copy")


def _not_none(ev: Evaluator, returned: Abstract) -> None:
    """An `__init__` that returns something: Python raises."""
    like = sample_of(returned)
    if like is MISSING:
        ev.refuse("SCT503", "an `__init__` that returns a value is not supported", hint="return nothing")
    raise_at_run_time(ev, "TypeError", f"__init__() should return None, not {type(like).__name__!r}")


def class_of_generated(f: Any, args: Args) -> type | None:
    """The class of the first argument, or its parent, for which `dataclass` has generated the method `f`."""
    cls = class_of(args[0]) if args and isinstance(f, types.FunctionType) else None
    classes = () if cls is None else (c for c in cls.__mro__ if vars(c).get(f.__name__) is f)
    return next((c for c in classes if is_generated(f, c)), None)


def fill(ev: Evaluator, instance: Abstract, cls: type, init: types.FunctionType, args: Args, kwargs: Kwargs) -> None:
    """Executes the `__init__` that `dataclass` has generated: its defaults are its own, no longer those of the fields.

    The factory of a field, and the default of a slot that is no parameter, are in the closure of the function.
    """
    bound, defaults = _signature_bind(ev, init, [instance, *args], kwargs), guarded_defaults(ev, init)
    late: list[Abstract] = []
    fields_of_dataclass(ev, cls)
    for f in vars(cls)["__dataclass_fields__"].values():
        kind = f._field_type.name
        if kind == "_FIELD_CLASSVAR":
            continue
        default = defaults.get(f.name)
        if f.name in bound:
            v = bound[f.name]
        elif default is not None and default.value is not _HAS_DEFAULT_FACTORY:
            v = default.lifted()
        elif (cell := _field_variable(init, f.name)) is None:
            continue
        else:
            v = lift(ev, *cell)
            if f.default_factory is not dataclasses.MISSING:
                v = ev.call(v, [])
        if kind == "_FIELD_INITVAR":
            late.append(v)
        else:
            set_attribute(ev, instance, f.name, v, forced=cls.__dataclass_params__.frozen)  # type: ignore[attr-defined]
    calls_post_init = "__post_init__" in init.__code__.co_names
    after = special_method(ev, instance, "__post_init__") if calls_post_init else None
    if after is not None:
        ev.call(after, late)

_HAS_DEFAULT_FACTORY = dataclasses._HAS_DEFAULT_FACTORY  # type: ignore[attr-defined]
"""The default of a parameter that has a factory."""


def _field_variable(init: types.FunctionType, field: str) -> tuple[Any, Path] | None:
    """The factory or the default of a field in the closure of a generated `__init__`, and its path; None if the
    function reads none."""
    for name, cell in zip(init.__code__.co_freevars, init.__closure__ or ()):
        if name in (f"_dflt_{field}", f"__dataclass_dflt_{field}__"):  # before Python 3.12, and since
            return cell.cell_contents, (init, ("cell", name))
    return None


def _signature_bind(ev: Evaluator, init: Any, args: Args, kwargs: Kwargs) -> dict[str, Abstract]:
    """The arguments for the parameters of `__init__` or `__new__`, without defaults."""
    params, star = [], False
    for p in inspect.signature(init).parameters.values():
        if p.kind is p.KEYWORD_ONLY and not star:
            params.append("*")
            star = True
        params.append(p.name if p.default is p.empty else f"{p.name}=None")
    places = bind_or_raise(ev, init.__name__, init.__qualname__, tuple(params), len(args), tuple(kwargs))
    values = [*args, *kwargs.values()]
    return {name: values[place] for name, place in places.items() if place is not None}


@called(ObjRef, Tup)
def call_instance(ev: Evaluator, fn: Abstract, args: Args, kwargs: Kwargs) -> Abstract:
    method = special_method(ev, fn, "__call__")
    if method is None:
        return raise_at_run_time(ev, "TypeError", f"{shown_name(python_class(ev, fn))!r} object is not callable")
    return ev.call(method, args, kwargs)
