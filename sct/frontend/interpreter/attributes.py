"""Reads of attributes: of objects, arrays, numbers, modules and library objects."""

from __future__ import annotations

import enum
import functools
import math
import sys
import types
from typing import Any, NoReturn

import gast
import numpy as np

from sct.errors import class_in_words
from sct.frontend.arguments.argument_aliasing import use_callable
from sct.frontend.arguments.lift import contents_of_mapping, exception_class, lift
from sct.frontend.evaluator.evaluator import Evaluator
from sct.frontend.evaluator.exceptions import refuse_reading, run_or_raise
from sct.frontend.evaluator.handlers import SPECIAL, expression, special_key
from sct.frontend.evaluator.lookup_guards import (
    MISSING,
    absent,
    as_it_is,
    in_class,
    is_own,
    of_library,
    path_to,
)
from sct.frontend.evaluator.own_methods import is_library
from sct.frontend.heap.array_keys import check_axes, check_dtype, check_not_none, present_object, present_tuple
from sct.frontend.heap.inactive import by_python
from sct.frontend.heap.join_paths import evaluate_branches
from sct.frontend.heap.subscripts import size_along
from sct.frontend.iteration import run_time_sets
from sct.frontend.iteration.run_time_sets import is_set
from sct.frontend.objects import row_attributes
from sct.frontend.objects.bound_object import read_private_of_class
from sct.frontend.objects.class_of import base_of_maker, class_object, possible_classes, python_class
from sct.frontend.objects.linked_objects import (
    by_class,
    classes_of,
    is_row_display,
    may_be_absent,
    may_be_several,
)
from sct.frontend.objects.objects import (
    bind,
    check_set,
    class_of,
    find_attribute,
    get_attribute,
    if_it_gives,
    is_object,
    set_attribute,
)
from sct.frontend.objects.parts_of_exceptions import carries, read_part
from sct.frontend.objects.row_attributes import is_attribute, is_one_for_all
from sct.frontend.operators.choices import for_each, parts_of_kinds
from sct.frontend.operators.text_formatting import method_of_text
from sct.frontend.scipy_objects.sparse_matrices import attribute_of_map
from sct.frontend.source.private_names import name_of
from sct.frontend.state.choices import code_of, is_of_kinds, mixed, narrowed
from sct.frontend.state.may_alias import is_held
from sct.frontend.state.object_tables import is_display
from sct.frontend.state.parts import changed
from sct.frontend.state.tries import Class
from sct.frontend.structured_arrays.copies import attribute_of_opaque
from sct.frontend.values.abstract_values import (
    SLICE,
    Abstract,
    Bound,
    Choice,
    Closure,
    DictRef,
    Iteration,
    ListRef,
    MapRef,
    Method,
    ObjRef,
    OptionalTuple,
    Parent,
    Ref,
    RunTimeTuple,
    Static,
    Tup,
)
from sct.ir import Value
from sct.ir.pytrees.user_objects import dict_of, is_container, is_defined_by_user
from sct.ir.real_ints import unmark_real
from sct.ir.types import Opaque, Optional, Tensor, Text, Undef, shows_number
from sct.ops import apply, imag, real, size, transpose
from sct.ops.program import effects
from sct.ops.type_rules import numpy_dtype

__all__ = ["SET_BY_RAISE", "attribute_if_any", "get", "set_attributes"]


SET_BY_RAISE = ("__cause__", "__context__", "__suppress_context__", "__traceback__")


@expression(gast.Attribute)
def attribute(ev: Evaluator, node: Any) -> Abstract:
    return get(ev, ev.eval(node.value), node.attr)


def get(ev: Evaluator, owner: Abstract, name: str) -> Abstract:
    """`owner.name`."""
    owner = present_object(ev, owner, lambda none: getattr(none, name))
    if name == "__class__" and not isinstance(owner, Parent):
        is_exception = isinstance(owner, Value) and owner in ev.tries.exceptions
        return (None if is_exception else by_python(ev, "{0}.__class__", owner)) or class_object(ev, owner)
    if name == "__dict__" and isinstance(owner, ObjRef):
        cls = owner.cls
        if not cls.__dictoffset__:
            run_or_raise(ev, lambda: object.__new__(cls).__dict__)  # raises
        return ev.call(Static(vars), [owner])
    if isinstance(owner, Value) and is_row_display(owner) and all(
            hasattr(cls.of if is_display(cls) else cls, name) for cls in classes_of(owner)):
        return Method(owner, name)
    if isinstance(owner, Value) and may_be_several(owner):
        return _of_classes(ev, owner, name)
    if isinstance(owner, Parent) and owner.owner not in ev.tries.exceptions and (of_parents := by_python(
            ev, f"super({{1}}, {{0}}).{name}", owner.owner, Static(owner.cls, (owner.cls,)))) is not None:
        return of_parents
    if isinstance(owner, Parent) or is_object(owner):
        named = ("_replace", "_asdict")
        if isinstance(owner, Tup) and name not in owner.fields and (hasattr(tuple, name) or name in named):
            return Method(owner, name)
        return get_attribute(ev, owner, name)
    owner = ev.text(owner)
    if (of_map := attribute_of_map(ev, owner, name) or attribute_of_opaque(ev, owner, name)) is not None:
        return of_map
    if isinstance(owner, Closure):
        if name == "__name__":
            return Static(name_of(owner.node))
        if name in dict(owner.attributes):
            return Static(dict(owner.attributes)[name])
        ev.refuse("SCT203", f"the attribute `{name}` of a function that is defined inside another is not supported",
                  hint="define the function at the top of the module")
    if isinstance(owner, Static):
        return _of_static(ev, owner, name)
    if isinstance(owner, Tup) and name in owner.fields:
        return owner.items[owner.fields.index(name)]
    if isinstance(owner, ObjRef):  # a namespace
        return get_attribute(ev, owner, name)
    if isinstance(owner, Choice):
        return _of_choice(ev, owner, name)
    return _of_value(ev, owner, name)


def _of_value(ev: Evaluator, owner: Abstract, name: str) -> Abstract:
    """An attribute of a number, an array, a container, or an object that Python made."""
    if isinstance(owner, Value) and (part := _of_exception(ev, owner, name)) is not None:
        return part
    if any(c.may_catch((AttributeError, TypeError)) for c in ev.tries.handled) and _may_be_none(ev, owner):
        ev.refuse_none("whether an attribute of None is read is known only at run time")
    if isinstance(owner, OptionalTuple):
        return get(ev, present_tuple(ev, owner, lambda none: getattr(none, name)), name)
    if isinstance(owner, Tup) and owner.fields == SLICE:
        run_or_raise(ev, lambda: getattr(slice(None), name))  # raises where there is none
        ev.refuse("SCT203", f"`{name}` of a slice that is known only at run time is not supported")
    if isinstance(owner, Tup) and owner.fields and not hasattr(tuple, name):
        ev.refuse("SCT203", f"the attribute `{name}` of what a function of a library returns is not supported",
                  hint=f"read {', '.join(f'`{field}`' for field in owner.fields)}")
    if isinstance(owner, (ListRef, DictRef, MapRef, Tup, RunTimeTuple)):
        cls = python_class(ev, owner)
        run_or_raise(ev, lambda: getattr(cls(), name))  # raises where there is none
        return Method(owner, name)
    x_type = ev.type_of(owner) if isinstance(owner, (Ref, Value)) else None
    if _is_known_of_type(ev, owner, name):
        check_not_none(ev, owner, lambda none: getattr(none, name))
    if isinstance(owner, Value) and isinstance(x_type, (Optional, Undef)):
        owner = ev.defined(owner)
        x_type = owner.type
    if isinstance(owner, Value) and is_container(type(ev.leaf_of(owner))):
        ev.refuse("SCT503", f"the attribute `{name}` of an object that holds the one it is read from is not "
                  "supported", why="an object in the arguments that contains itself is seen into once",
                  hint="read the attribute of the outer object, or pass an argument without references back")
    if name in ("__name__", "__qualname__") and isinstance(owner, Value) and ev.exception_of_class(owner):
        return ev.emit(effects.part, owner, text=f"_0.{name}", type=Text())  # type: ignore[no-any-return]
    if name in SET_BY_RAISE and isinstance(owner, Value) and ev.tries.exceptions:
        ev.refuse("SCT203", f"`{name}` of an exception that is handled here is not supported",
                  why="Python sets it when it raises; what one function raises and handles is not raised here",
                  hint="let the text of the exception say it")
    if (of_text := method_of_text(ev, owner, name)) is not None:
        return of_text
    if is_set(owner) and (of_set := run_time_sets.method(ev, owner, name)) is not None:
        return of_set
    if (value := by_python(ev, f"{{0}}.{name}", owner)) is not None:
        return value
    if isinstance(owner, Iteration) and owner.kind == "range":
        run_or_raise(ev, lambda: getattr(range(0), name))  # raises where there is none
        bounds = ("start", "stop", "step")
        return owner.parts[bounds.index(name)] if name in bounds else Method(owner, name)
    if isinstance(owner, Iteration) and name in ("send", "throw", "close"):
        ev.refuse("SCT203", f"`{name}` of a generator is not supported", why="a generator runs in line with the loop "
                  "that takes its items, and only that loop resumes it",
                  hint="write a function of the values that you send, and call it in the loop")
    if not isinstance(x_type, Tensor):
        _refuse_object(ev, owner, name)
    assert isinstance(owner, (Ref, Value))
    return _of_array(ev, owner, x_type, name)


def _of_exception(ev: Evaluator, owner: Value, name: str) -> Abstract | None:
    """An attribute of an exception that the program makes, which may be of several classes; None where it is not
    known."""
    carried = {c.cls: parts for c, parts in ev.tries.carried(ev.store, owner).items()}
    if not carried or not all(carries(ev, cls, parts, name, methods=len(carried) == 1)
                              for cls, parts in carried.items()):
        return None
    cls = max(carried, key=lambda c: len(c.__mro__))  # no other one is below it

    def read() -> Abstract:
        parts = carried.pop(cls)
        if (part := read_part(ev, parts, name)) is not None:
            return ev.bound_where_handled(part)  # type: ignore[no-any-return]
        with changed(ev.tries, parts={**ev.tries.parts, owner: {Class(cls): parts}}):
            return bind(ev, *in_class(ev, cls, name), owner, name)

    if len(carried) == 1:
        return read()
    rest = {Class(c): parts for c, parts in carried.items() if c is not cls}
    is_of_class = ev.caught_test(owner, [exception_class(ev, Static(cls))])

    def read_others() -> Any:
        with changed(ev.tries, parts={**ev.tries.parts, owner: rest}):
            return get(ev, owner, name)

    value: Abstract = evaluate_branches(ev, is_of_class, read, read_others)
    return value


def _is_known_of_type(ev: Evaluator, owner: Abstract, name: str) -> bool:
    """Is this an attribute of arrays for which none is read: does its type tell it?"""
    if not hasattr(np.ndarray, name) or callable(getattr(np.ndarray, name)) or not isinstance(owner, (Ref, Value)):
        return False
    sizes = ev.shape_of(owner)
    if name in ("T", "mT"):
        return len(sizes) < 2
    return name not in ("shape", "size") or not sizes or any(d.value is not None for d in sizes)


def _may_be_none(ev: Evaluator, v: Abstract) -> bool:
    """May this be None at run time?"""
    x = ev.store.array(v).value if isinstance(v, Ref) else v
    return isinstance(x, OptionalTuple) or isinstance(x, Value) and isinstance(x.type, Optional)


def _refuse_object(ev: Evaluator, owner: Abstract, name: str) -> NoReturn:
    """Refuses an attribute of an object of unknown type."""
    if isinstance(owner, Value) and shows_number(owner.type):
        refuse_reading(ev, (owner,))
    leaf = ev.leaf_of(owner) if isinstance(owner, Value) else None
    of = "this object" if leaf is None else class_in_words(leaf)
    shown = owner.hint if isinstance(owner, Value) and name in dict_of(leaf) else ""
    hint = f"pass types.SimpleNamespace(**vars({shown}))" if shown else \
        "use a list, a dict, an array, or an object of a class of your own"
    eqn = ev.defs.get(owner) if isinstance(owner, Value) else None
    if eqn is not None and eqn.op is apply:
        base = base_of_maker(ev, owner)
        hint = "use a list, a dict or an array; or make the object outside the function, at the top of a module" \
            if base is None else f"derive the class from `{base}`"
    ev.refuse("SCT203", f"the attribute `{name}` of {of} is not supported", hint=hint)


def _of_array(ev: Evaluator, owner: Ref | Value, x_type: Tensor, name: str) -> Abstract:
    """An attribute of an array or a number."""
    if isinstance(owner, Value) and not x_type.is_array:
        _no_other(ev, owner, name)
    if name == "T":
        if isinstance(owner, Ref) and x_type.rank < 2:
            return ev.new_view(owner.addr, owner.path)
        return ev.step(owner, transpose, (), {"axes": None}, ".T") if isinstance(owner, Ref) else owner
    if name == "mT":
        return ev.call(Static(np.matrix_transpose), [owner])
    if name in ("shape", "ndim"):
        check_axes(ev, owner)
    if name == "shape":
        return Tup(tuple(size_along(ev, owner, k) for k in range(x_type.rank)))
    if name == "ndim":
        return Static(x_type.rank)
    if name == "size":
        sizes = [n for n in (ev.resolve(d).value for d in x_type.shape) if n is not None]
        is_known = len(sizes) == x_type.rank
        return Static(math.prod(sizes)) if is_known else ev.wrap(ev.emit(size, ev.operand(owner)))
    if name in ("dtype", "itemsize", "nbytes"):
        check_dtype(ev, owner)
    if name == "dtype":
        return Static(numpy_dtype(unmark_real(x_type).dtype))
    if name == "real" and x_type.kind != "c":
        return owner
    if name in ("real", "imag") and x_type.kind == "c":
        part = real if name == "real" else imag
        if isinstance(owner, Ref) and not is_held(ev, owner):
            return ev.wrap(ev.emit(part, ev.operand(owner)))  # an array of its own: nobody sees the complex one
        return ev.step(owner, part, (), {}) if isinstance(owner, Ref) else ev.call_op(part, owner)
    if name == "imag" and x_type.carrier != "py":
        return ev.call(Static(np.imag), [owner])
    if name == "imag":
        return _imag(ev, owner)
    if name == "flat" and isinstance(owner, Ref):
        return SPECIAL[special_key(np.ndarray.flat)](ev, [owner], {})
    if x_type.is_array or x_type.carrier == "np":
        like = np.ones((1,) * x_type.rank)
        if not callable(run_or_raise(ev, lambda: getattr(like if x_type.is_array else like[()], name))):
            ev.refuse("SCT203", f"the attribute `{name}` of an array is not supported",
                      hint="use `np.lib.stride_tricks.sliding_window_view(x, n)`" if name == "strides" else
                      "read it outside the function, and pass it")
    return Method(owner, name)


def _imag(ev: Evaluator, owner: Abstract) -> Abstract:
    """The imaginary part of a number of Python: 0 of an int, 0.0 of a float."""
    classes = possible_classes(owner) or (python_class(ev, owner),)
    if {cls.__name__ == "float" for cls in classes} == {True, False}:
        ev.refuse("SCT504", "whether this number is an int or a float is not known", hint="convert it: `float(...)`")
    return Static(classes[0]().imag)


def _no_other(ev: Evaluator, owner: Value, name: str) -> None:
    """Numbers of Python have no attributes of arrays, those of NumPy have."""
    classes = possible_classes(owner) or (python_class(ev, owner),)
    there = [hasattr(cls, name) for cls in classes]
    if len(classes) == 1 and not there[0]:
        run_or_raise(ev, lambda: getattr(classes[0](), name))
    if not all(there):
        ev.refuse("SCT504", f"whether this number has the attribute `{name}` is not known",
                  why="it may be a number of Python or one of NumPy", hint="convert it: `float(...)`")


def _of_classes(ev: Evaluator, owner: Value, name: str) -> Abstract:
    """An attribute of an object of one of several classes; what is the same for all is read at once."""
    if _is_plain(ev, owner, name) and (
            value := row_attributes.read(ev, owner, name)) is not None:
        return value
    classes = classes_of(owner)
    of_classes = [in_class(ev, cls, name) for cls in classes]
    methods = (types.FunctionType, staticmethod, classmethod)
    if all(isinstance(raw, methods) for raw, _ in of_classes) and not any(is_attribute(ev, c, name) for c in classes) \
            and _is_plain(ev, owner, name):
        raw, where = of_classes[0]
        is_one = isinstance(raw, types.FunctionType) and not is_library(raw) and {*of_classes} == {(raw, where)}
        return bind(ev, raw, where, owner, name) if is_one else Method(owner, name)
    return for_each(ev, owner, lambda m: get(ev, m, name))


def _is_plain(ev: Evaluator, owner: Value, name: str) -> bool:
    """Is this attribute read and written as it is, by all classes of which the object may be?"""
    hooks = ("__getattribute__", "__setattr__")
    return all(in_class(ev, cls, hook)[1] is object for cls in classes_of(owner) for hook in hooks) and not any(
        hasattr(type(in_class(ev, cls, name)[0]), "__set__") for cls in classes_of(owner))


def set_attributes(ev: Evaluator, owner: Abstract, name: str, value: Abstract) -> None:
    """`owner.name = value`, of each of the objects that the owner may be."""
    if isinstance(owner, Value) and may_be_several(owner) and _is_plain(ev, owner, name) and \
            is_one_for_all(ev, owner, name):
        row_attributes.write(ev, owner, name, value)
        return

    def write(m: Abstract) -> Abstract:
        set_attribute(ev, m, name, value)
        return Static(None)

    for_each(ev, owner, write)


def _of_choice(ev: Evaluator, owner: Choice, name: str) -> Abstract:
    """An attribute of one of several objects; a method of members of one enum is that of the class."""
    if is_of_kinds(owner):
        return _of_kinds(ev, owner, name)
    if not mixed(owner):
        (cls, *others) = dict.fromkeys(type(m.peek) for m in owner.members if isinstance(m, Static))
        raw, where = in_class(ev, cls, name)
        if not others and isinstance(raw, types.FunctionType) and not is_library(raw):
            return bind(ev, raw, where, owner, name)
    if name == "__name__" and all(isinstance(m, Static) and isinstance(m.peek, type) for m in owner.members):
        names = [get(ev, m, name) for m in owner.members]
        if names == [Static(code_of(m)) for m in owner.members]:
            return owner.code
    return for_each(ev, owner, lambda m: get(ev, m, name))


def _of_kinds(ev: Evaluator, owner: Choice, name: str) -> Abstract:
    """An attribute of a value of one of several kinds: a method of those that have one, which is called of each."""
    def with_method(m: Abstract) -> Abstract | None:
        is_field = isinstance(m, Tup) and name in m.fields
        return m if not is_field and callable(getattr(python_class(ev, m), name, None)) else None

    return parts_of_kinds(ev, owner, with_method, lambda m: get(ev, m, name), lambda those, _: Method(those, name))


def _of_static(ev: Evaluator, owner: Static, name: str) -> Abstract:
    """An attribute of a module, a class or another object that is known."""
    it = owner.peek
    if name in ("get", "items", "keys", "values") and (contents := contents_of_mapping(ev, owner)) is not None:
        return Method(contents, name)
    use_callable(ev, it)
    if isinstance(it, type) and is_own(type(it), name, property):
        ev.refuse("SCT203", f"`{name}` of the class `{it.__name__}`, a property of its metaclass, is not supported",
                  hint="make it a class method, and call that")
    if isinstance(it, (set, frozenset)) and owner.path is None and hasattr(set, name) and not hasattr(frozenset, name):
        run_time_sets.note_change(ev, it)
        ev.refuse("SCT303", f"`{name}` of a set that the function makes is not supported",
                  why="the items of a set must be known", hint="use a list, or an array of flags")
    if isinstance(it, (set, frozenset)) and owner.path is None and (
            method := run_time_sets.by_operators(owner, name)) is not None:
        return method
    if isinstance(it, type) and (private := read_private_of_class(ev, it, name)) is not None:
        return private
    if not hasattr(it, name):
        absent(ev, path_to(owner), name)
    value = run_or_raise(ev, lambda: getattr(it, name))
    if isinstance(it, np.ufunc):
        return Static(value)
    fixed = not _is_written(it) or isinstance(it, enum.Flag) and name in ("name", "value")
    path = None if owner.path is None and fixed else (*path_to(owner), ("attr", name))
    if path is None and isinstance(it, types.ModuleType):
        of_library(ev, it, name, value)
    if isinstance(it, type) and isinstance(value, types.BuiltinMethodType) and value.__self__ is it and \
            special_key(of_type := getattr(type, name, None)) in SPECIAL:  # `cls.__subclasses__`
        return Bound(Static(of_type), (owner,))
    if isinstance(value, types.MethodType) and isinstance(value.__self__, type) and path is not None:
        lift(ev, value.__func__, (*path, ("attr", "__func__")))
        return Static(value, path)
    if isinstance(value, (types.MethodType, types.BuiltinMethodType)) and value.__self__ is it and \
            not isinstance(it, types.ModuleType):
        if isinstance(value, types.MethodType) and path is not None:
            lift(ev, value.__func__, (*path, ("attr", "__func__")))
        return Static(value, path)  # a new object each time: what is guarded is its owner, and its function
    return lift(ev, value, path)


def _is_written(it: Any) -> bool:
    """Is this a function, a class, a member of an enum, a module or a partial of the user's, whose attributes may
    change until the next call?"""
    if isinstance(it, types.ModuleType):
        return it.__name__.split(".")[0] not in {"numpy", "scipy", "sct", *sys.stdlib_module_names}
    return isinstance(it, (functools.partial, enum.Enum)) or isinstance(it, types.FunctionType) and not is_library(it) \
        or isinstance(it, type) and is_defined_by_user(it)


def _of_all_or_none(ev: Evaluator, owner: Choice, name: str) -> Abstract | None:
    """An attribute that each of several objects has; None if none of them has it."""
    there = set()
    for m in owner.members:
        check_set(ev, m, name)
        cls = python_class(ev, m)
        if in_class(ev, cls, "__getattr__")[0] is not MISSING:
            ev.refuse("SCT203", f"whether an object has the attribute `{name}` is not known, since its class has a "
                      "`__getattr__`", hint="ask for the class of it first: `isinstance(...)`")
        own = name in ev.slots(m).keys if isinstance(m, ObjRef) else is_attribute(ev, cls, name)
        there.add(own or in_class(ev, cls, name)[0] is not MISSING)
    if len(there) > 1:
        ev.refuse("SCT504", f"whether this object has the attribute `{name}` is known only at run time",
                  hint="ask for the class of it first: `isinstance(...)`")
    return get(ev, owner, name) if there == {True} else None


def attribute_if_any(ev: Evaluator, owner: Abstract, name: str) -> Abstract | None:
    """`owner.name`; None where reading it raises an AttributeError."""
    owner = ev.if_present(owner)
    if isinstance(owner, Value) and may_be_several(owner) and not may_be_absent(owner):
        owner = by_class(ev, owner)
    if isinstance(owner, Choice):
        owner = narrowed(ev.store, owner)
    if isinstance(owner, Choice) and all(isinstance(m, (ObjRef, Value)) for m in owner.members):
        return _of_all_or_none(ev, owner, name)
    check_set(ev, owner, name)
    if classes := possible_classes(owner):
        return get(ev, owner, name) if any(hasattr(cls, name) for cls in classes) else None
    if isinstance(owner, Closure):
        return get(ev, owner, name) if name == "__name__" or name in dict(owner.attributes) else None
    if class_of(owner) is None and not isinstance(owner, (ObjRef, Parent)):
        leaf = ev.leaf_of(owner) if isinstance(owner, Value) and isinstance(owner.type, Opaque) else None
        obj = owner.peek if isinstance(owner, Static) else leaf
        if hasattr(python_class(ev, owner) if obj is None else obj, name):
            return get(ev, owner, name)
        if isinstance(owner, Static):
            absent(ev, path_to(owner), name)
        elif obj is not None and not isinstance(obj, str):
            absent(ev, as_it_is(obj), name)
        return None
    return if_it_gives(ev, name, lambda: find_attribute(ev, owner, name))
