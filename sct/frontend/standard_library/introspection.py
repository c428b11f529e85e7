"""Builtins that inspect an object: its class, its attributes, its fields."""

from __future__ import annotations

import re
import types
from collections.abc import Callable
from typing import Any

import numpy as np

from sct.errors import SctError
from sct.frontend.arguments.lift import exception_class, free_variable, lift
from sct.frontend.evaluator import list_items
from sct.frontend.evaluator.evaluator import Evaluator
from sct.frontend.evaluator.exceptions import raise_at_run_time, run_or_raise
from sct.frontend.evaluator.handlers import Args, Kwargs, special
from sct.frontend.evaluator.lookup_guards import (
    MISSING,
    attributes_of_class,
    in_class,
    is_instance_of,
    is_subclass_of,
    names_of_attributes,
    path_to,
)
from sct.frontend.heap.array_keys import check_class, present_object
from sct.frontend.heap.inactive import by_python
from sct.frontend.heap.join_paths import evaluate_branches
from sct.frontend.heap.run_time_keys import is_among, may_unroll
from sct.frontend.heap.sample_calls import check_operands
from sct.frontend.interpreter.attributes import attribute_if_any, get
from sct.frontend.objects.class_of import class_object, possible_classes, python_class
from sct.frontend.objects.linked_objects import classes_of, is_link, of_class_code
from sct.frontend.objects.objects import class_of, set_attribute, special_method
from sct.frontend.objects.parts_of_exceptions import carries, has_attribute
from sct.frontend.operators.choices import for_each
from sct.frontend.operators.identity import identical
from sct.frontend.operators.truth import negated
from sct.frontend.source.name_scopes import positional_parameters
from sct.frontend.values.abstract_values import (
    Abstract,
    Bound,
    Choice,
    Closure,
    DerivedCallable,
    DictRef,
    Key,
    Method,
    ObjRef,
    OptionalTuple,
    Parent,
    Poison,
    Ref,
    Static,
    Tup,
)
from sct.frontend.values.guards import NeedsStatic
from sct.ir import Lit, Value
from sct.ir.interp import call as run_op
from sct.ir.types import Optional, Tensor, Text
from sct.ops import is_instance, is_none, not_
from sct.ops.program.effects import fstring


@special(isinstance)
def isinstance_(ev: Evaluator, args: Args, kwargs: Kwargs) -> Abstract:
    v, kinds = args
    wanted = _classes(ev, kinds)
    if isinstance(v, Static):
        subject = v
        return Static(run_or_raise(ev, lambda: is_instance_of(ev, subject, wanted)))
    run_or_raise(ev, lambda: isinstance(None, wanted))  # raises where this is no class
    if isinstance(v, Value) and v in ev.tries.exceptions:
        test = _is_exception_of(ev, v, kinds) or by_python(ev, "isinstance({0}, {1})", v, kinds)
        if test is not None:
            return test
    if (maybe := list_items.value_or_none(ev, v)) is not None and not is_link(maybe):
        return _is_instance_if_present(ev, v, maybe, wanted)
    if isinstance(v, OptionalTuple):
        return _is_tuple_or_none(ev, v, wanted)
    check_class(ev, v)
    raised_class = ev.tries.classes.get(v) if isinstance(v, Value) else None
    possible = (raised_class,) if raised_class is not None else possible_classes(v) or (python_class(ev, v),)
    names = [cls.__name__ if cls.__module__ == "builtins" else f"numpy.{cls.__name__}"
             for cls in possible if _is_subclass(ev, cls, wanted)]
    if len(names) in (0, len(possible)):
        return Static(bool(names))
    assert isinstance(v, Value)
    flag = ev.emit(is_instance, v, names=tuple(names))
    try:
        return Static(ev.ask(flag, "the class of this number"))
    except NeedsStatic:  # it is of a branch or a loop: a test as others are
        return flag  # type: ignore[no-any-return]


def _is_instance_if_present(ev: Evaluator, v: Abstract, maybe: Value, wanted: Any) -> Abstract:
    """`isinstance(v, wanted)` of a number, a string or an array in whose place None may be."""
    assert isinstance(maybe.type, Optional)
    like = Value(maybe.type.elem)
    classes = possible_classes(like) or (np.ndarray if isinstance(v, Ref) else python_class(ev, like),)
    of_none = issubclass(type(None), wanted)
    answers = {_is_subclass(ev, cls, wanted) for cls in classes}
    if len(answers) > 1:
        ev.refuse("SCT504", "the class of this object must be known", hint="ask first whether it is None")
    if answers == {of_none}:
        return Static(of_none)
    absent = ev.emit(is_none, maybe)
    return absent if of_none else ev.emit(not_, absent)  # type: ignore[no-any-return]


def _is_tuple_or_none(ev: Evaluator, v: OptionalTuple, wanted: Any) -> Abstract:
    """`isinstance(v, wanted)` of a tuple that may be None."""
    of_none = issubclass(type(None), wanted)
    if _is_subclass(ev, v.of.cls, wanted) == of_none:
        return Static(of_none)
    absent = identical(ev, v, Static(None))
    return absent if of_none else negated(ev, absent)


def _is_exception_of(ev: Evaluator, error: Value, kinds: Abstract) -> Abstract | None:
    """Is this exception of one of these classes?  None if they are not all classes of exceptions."""
    named = kinds.items if isinstance(kinds, Tup) else (kinds,)
    classes = [k for k in named if isinstance(k, Static) and isinstance(k.value, type)
               and issubclass(k.value, BaseException)]
    if len(classes) < len(named):
        return None
    caught = [exception_class(ev, k) for k in classes]
    carried = ev.tries.carried(ev.store, error)
    answers = {issubclass(c.cls, tuple(k.cls for k in caught)) for c in carried}
    is_known = len(answers) == 1 and not any(isinstance(parts, Poison) for parts in carried.values())
    return Static(answers.pop()) if is_known else ev.caught_test(error, caught)


def _is_subclass(ev: Evaluator, cls: type, wanted: Any) -> bool:
    """Are objects of this class instances of a class, or of one of several?"""
    if isinstance(wanted, tuple):
        return any(_is_subclass(ev, cls, each) for each in wanted)
    try:
        return is_subclass_of(ev, cls, wanted)
    except TypeError as error:  # a protocol with attributes that are no methods
        ev.refuse("SCT504", "whether this object is an instance of this class is not known", why=str(error))


def _classes(ev: Evaluator, kinds: Abstract) -> Any:
    """The second argument of `isinstance`, as it is."""
    if isinstance(kinds, Tup):
        return tuple(_classes(ev, k) for k in kinds.items)
    if not isinstance(kinds, Static):
        ev.refuse("SCT504", "the class to test for must be known")
    return ev.without_own(kinds, "the class that is asked for", ("__instancecheck__", "__subclasscheck__"))


@special(issubclass)
def issubclass_(ev: Evaluator, args: Args, kwargs: Kwargs) -> Abstract:
    error = ev.exception_of_class(args[0])
    if error is not None and (test := _is_exception_of(ev, error, args[1])) is not None:
        return test
    cls, wanted = _classes(ev, args[0]), _classes(ev, args[1])
    return Static(run_or_raise(ev, lambda: is_subclass_of(ev, cls, wanted)))


@special(type.__subclasses__)
def subclasses(ev: Evaluator, args: Args, kwargs: Kwargs) -> Abstract:
    """`cls.__subclasses__()`: each call checks that the class has these subclasses, and no others."""
    (owner,) = args
    if not isinstance(owner, Static) or not isinstance(owner.value, type):
        ev.refuse("SCT504", "the class whose subclasses are asked for must be known")
    path = (*path_to(owner), ("subclasses", None))
    classes: list[type] = owner.value.__subclasses__()
    ev.outside.note(path, "len", len(classes))
    return ev.new_list(tuple(lift(ev, c, (*path, ("item", k))) for k, c in enumerate(classes)))


@special(callable)
def callable_(ev: Evaluator, args: Args, kwargs: Kwargs) -> Abstract:
    if special_method(ev, args[0], "__call__") is not None:
        return Static(True)
    (v,) = args
    if isinstance(v, Static):
        in_class(ev, type(v.peek), "__call__")
        return Static(callable(v.peek))
    if isinstance(v, Value) and not isinstance(v.type, Tensor):
        leaf = ev.leaf_of(v)
        if leaf is None:
            ev.refuse("SCT504", "whether this object can be called is not known")
        return Static(callable(leaf))
    return Static(isinstance(v, (Closure, Bound, Method, DerivedCallable)))


def _name(ev: Evaluator, v: Abstract) -> str:
    """The name of an attribute, which is known."""
    check_operands(ev, lambda name: getattr(None, name), v)
    name = ev.ask(v, "the name of an attribute")
    if not isinstance(name, str):
        ev.refuse("SCT504", "the name of an attribute must be known", why=f"it is a {type(name).__name__}")
    return name


def _for_each_name(ev: Evaluator, f: Any, args: Args) -> Abstract | None:
    """A call with the name of an attribute that is made of the name of the class of an object: for each class."""
    of = _named_by(ev, args[1])
    if of is None:
        return None
    code, row = of

    def call(member: Abstract) -> Abstract:
        assert isinstance(member, Value)
        (cls,) = classes_of(member)
        return ev.call(Static(f), [args[0], Static(_text_with(ev, args[1], code, cls.__name__)), *args[2:]])

    return for_each(ev, ev.defined(row), call)


_OF_TEXTS = ("part", "fstring", "lookup")
"""Operations that compute a text of texts alone."""


def _named_by(ev: Evaluator, name: Abstract) -> tuple[Value, Value] | None:
    """The only value of run time that a text is made of, if it is the name of the class of an object; the object."""
    todo: list[Any] = [name]
    codes: dict[Value, Value] = {}
    while todo:
        v = todo.pop()
        row = of_class_code(ev, v) if isinstance(v, Value) else None
        eqn = ev.defs.get(v) if isinstance(v, Value) else None
        if row is not None and isinstance(v, Value):
            codes[v] = row
        elif eqn is not None and (eqn.op.name in _OF_TEXTS or eqn.attrs.get("text") == "_0 % _1"):
            todo += eqn.args
        elif not isinstance(v, (Lit, Static)):
            return None
    return next(iter(codes.items())) if len(codes) == 1 else None


def _text_with(ev: Evaluator, v: Any, code: Value, name: str) -> Any:
    """A text that is made of the name of a class, where that is `name`."""
    if isinstance(v, (Lit, Static)):
        return v.value
    if v is code:
        return name
    eqn = ev.defs[v]
    return run_or_raise(ev, lambda: run_op(eqn.op, [_text_with(ev, x, code, name) for x in eqn.args], eqn.attrs))


def _name_or_methods(ev: Evaluator, owner: Abstract, name: Abstract) -> str | DictRef:
    """The name of an attribute, if it is known; else the methods that it may name."""
    try:
        return _name(ev, name)
    except NeedsStatic as need:
        is_text = isinstance(name, Value) and isinstance(name.type, Text)
        if may_unroll(ev) or not is_text or (methods := _methods_by_name(ev, owner, name, need.error)) is None:
            raise
        return methods


def _methods_by_name(ev: Evaluator, owner: Abstract, name: Abstract, refusal: SctError) -> DictRef | None:
    """The methods of an object that a text may name of which a part is known: "visit_" and the name of a class.

    None where no part is known, or where what is named may be another attribute than a method of the user's class:
    `refusal` says so then.
    """
    pattern, cls = _pattern(ev, name), class_of(owner)
    if pattern is None or cls is None or not isinstance(owner, (ObjRef, Static)) \
            or in_class(ev, cls, "__getattr__")[0] is not MISSING:
        return None
    own = names_of_attributes(ev, owner) if isinstance(owner, Static) else ev.slots(owner).keys
    of_classes = {key: raw for each in reversed(cls.__mro__) for key, raw in attributes_of_class(ev, each).items()
                  if pattern.fullmatch(key)}
    others = [*filter(pattern.fullmatch, own), *(key for key, raw in of_classes.items() if not isinstance(
        raw, (types.FunctionType, staticmethod, classmethod)))]
    if others:
        refusal.why = f"it may be `{others[0]}`, which is an attribute of the object, and no method of its class"
        refusal.hint = "give it another name than those that are made so"
        return None
    return ev.new_dict({key: get(ev, owner, key) for key in of_classes})


_CONVERSION = re.compile(r"%(?:\(\w*\))?[-#0 +]*(?:\d+|\*)?(?:\.(?:\d+|\*))?[hlL]?[a-zA-Z%]")
"""A place in a text for `%` at which a value stands."""


def _pattern(ev: Evaluator, text: Abstract) -> re.Pattern[str] | None:
    """A pattern of all values of a text that is known only at run time; None if no part of it is known."""
    def visit(v: Any) -> str:
        if isinstance(v, (Lit, Static)) and isinstance(v.value, str):
            return re.escape(v.value)
        eqn = ev.defs.get(v) if isinstance(v, Value) else None
        if eqn is not None and eqn.op is fstring:
            return "".join(re.escape(part) if isinstance(part, str) else ".*" for part in eqn.attrs["parts"])
        how = None if eqn is None else eqn.attrs.get("text")
        if how == "_0 % _1" and isinstance(form := eqn.args[0], Lit) and isinstance(form.value, str):  # type: ignore
            return ".*".join(map(re.escape, _CONVERSION.split(form.value)))
        return "".join(map(visit, eqn.args)) if how == "_0 + _1" else ".*"  # type: ignore[union-attr]

    pattern = visit(text)
    return None if re.fullmatch(r"(\.\*)*", pattern) else re.compile(pattern, re.DOTALL)


def _named(ev: Evaluator, methods: DictRef, name: Abstract, absent: Callable[[], Abstract]) -> Abstract:
    """The method that has this name; `absent`: what there is where none has it."""
    cell = ev.slots(methods)
    if not cell.keys:
        return absent()
    there = is_among(ev, methods, name)
    assert there is not None and isinstance(name, Value)
    names = tuple(map(str, cell.keys))
    return evaluate_branches(  # type: ignore[no-any-return]
        ev, there, lambda: Choice(name, cell.items, names) if len(names) > 1 else cell.items[0], absent)


def _raise_absent(ev: Evaluator, owner: Abstract, name: Abstract) -> Abstract:
    cls = class_of(owner)
    assert cls is not None
    return ev.call(Static(_absent), [Static(cls.__name__), name])


def _absent(cls: str, name: str) -> None:
    raise AttributeError(f"{cls!r} object has no attribute {name!r}")


@special(getattr)
def getattr_(ev: Evaluator, args: Args, kwargs: Kwargs) -> Abstract:
    if (of_classes := _for_each_name(ev, getattr, args)) is not None:
        return of_classes
    owner, name = args[0], _name_or_methods(ev, *args[:2])
    if isinstance(name, DictRef):
        return _named(ev, name, args[1], lambda: args[2] if len(args) == 3 else _raise_absent(ev, *args))
    if len(args) == 2:
        return get(ev, owner, name)
    if (there := _exception_has(ev, owner, name)) is not None:
        return evaluate_branches(ev, ev.operand(there), lambda: get(ev, owner, name), lambda: args[2])  # type: ignore
    value = attribute_if_any(ev, owner, name)
    return args[2] if value is None else value


@special(hasattr)
def hasattr_(ev: Evaluator, args: Args, kwargs: Kwargs) -> Abstract:
    if (of_classes := _for_each_name(ev, hasattr, args)) is not None:
        return of_classes
    owner, name = args[0], _name_or_methods(ev, *args[:2])
    if isinstance(name, DictRef):
        return is_among(ev, name, args[1]) or Static(False)
    there = _exception_has(ev, owner, name)
    return Static(attribute_if_any(ev, owner, name) is not None) if there is None else there


def _exception_has(ev: Evaluator, error: Abstract, name: str) -> Abstract | None:
    """Has an exception that the program makes this attribute?  None of anything else."""
    if not isinstance(error, Value) or error not in ev.tries.exceptions:
        return None
    carried = ev.tries.carried(ev.store, error)
    there = {c: not isinstance(parts, Poison) and (carries(ev, c.cls, parts, name, methods=True) or
                                                   has_attribute(ev, c.cls, name)) for c, parts in carried.items()}
    if not carried or None in there.values() or any(isinstance(parts, Poison) for parts in carried.values()):
        return by_python(ev, "hasattr({0}, {1})", error, Static(name))
    if len({*there.values()}) == 1:
        return Static(all(there.values()))
    for answer in (True, False):
        these = [c for c, has in there.items() if has is answer]
        if not any(issubclass(c.cls, tuple(k.cls for k in these)) for c in there if c not in these):
            test = ev.caught_test(error, these)
            return test if answer else ev.emit(not_, test)
    ev.refuse("SCT504", f"whether this exception has the attribute `{name}` is known only at run time",
              hint="write an except clause for each class")


@special(setattr)
def setattr_(ev: Evaluator, args: Args, kwargs: Kwargs) -> Abstract:
    attribute = _name(ev, args[1])
    set_attribute(ev, present_object(ev, args[0], lambda none: setattr(none, attribute, None)), attribute, args[2])
    return Static(None)


@special(object.__setattr__)
def force_attribute(ev: Evaluator, args: Args, kwargs: Kwargs) -> Abstract:
    set_attribute(ev, args[0], _name(ev, args[1]), args[2], forced=True)
    return Static(None)


@special(object.__init__)
def object_init(ev: Evaluator, args: Args, kwargs: Kwargs) -> Abstract:
    return Static(None)


@special(super)
def super_(ev: Evaluator, args: Args, kwargs: Kwargs) -> Abstract:
    if len(args) == 1:
        ev.refuse("SCT206", "`super` with one argument is not supported",
                  hint="call it without arguments")
    if args:
        cls, owner = args
    else:
        frame = ev.frames[-1]
        if not positional_parameters(frame.source.node):
            raise_at_run_time(ev, "RuntimeError", "super(): no arguments")
        if "__class__" not in frame.cells:
            raise_at_run_time(ev, "RuntimeError", "super(): __class__ cell not found")
        cls = free_variable(ev, frame.cells, "__class__")
        owner = ev.store.vars[Key(frame.id, positional_parameters(frame.source.node)[0])]
    if not (isinstance(cls, Static) and isinstance(cls.value, type)):
        ev.refuse("SCT504", "the class that `super` is given must be known")
    return Parent(cls.value, owner)


@special(np.finfo)
def finfo(ev: Evaluator, args: Args, kwargs: Kwargs) -> Abstract:
    return _of_dtype(ev, np.finfo, args, kwargs)


@special(np.iinfo)
def iinfo(ev: Evaluator, args: Args, kwargs: Kwargs) -> Abstract:
    return _of_dtype(ev, np.iinfo, args, kwargs)


def _question(f: Any) -> Any:
    """A question about dtypes that are known."""
    def answer(ev: Evaluator, args: Args, kwargs: Kwargs) -> Abstract:
        if kwargs or not all(isinstance(v, Static) for v in args):
            ev.refuse("SCT206", f"`np.{f.__name__}` is supported only for dtypes",
                      hint="read it outside the function, and pass it")
        dtypes = [v.value for v in args if isinstance(v, Static)]
        return Static(run_or_raise(ev, lambda: f(*dtypes)))
    return answer


for _f in (np.issubdtype, np.promote_types):
    special(_f)(_question(_f))


def _of_dtype(ev: Evaluator, info: Any, args: Args, kwargs: Kwargs) -> Abstract:
    """The limits of a dtype that is known."""
    if len(args) != 1 or kwargs or not isinstance(args[0], Static):
        ev.refuse("SCT206", f"`np.{info.__name__}` is supported only for a dtype",
                  hint=f"write `np.{info.__name__}(x.dtype)`")
    dtype = args[0].value
    return Static(run_or_raise(ev, lambda: info(dtype)))


@special(type)
def type_(ev: Evaluator, args: Args, kwargs: Kwargs) -> Abstract:
    if len(args) != 1:
        ev.refuse("SCT206", "making a class is not supported")
    check_class(ev, args[0])
    return class_object(ev, args[0])
