"""What exceptions of the program carry: their arguments, and the attributes that `__init__` of a user's class sets.

    raise Stop(x) ... except Stop as e: return e.value   ->   `x` goes to the handler beside the exception

An exception that carries lists, dicts or objects is an object of its class itself: its `__init__` is evaluated.
"""

from __future__ import annotations

import builtins
import functools
import inspect
import types
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import gast

from sct.errors import SctError
from sct.frontend.arguments.parameter_defaults import guarded_defaults
from sct.frontend.evaluator.evaluator import Evaluator
from sct.frontend.evaluator.exceptions import raise_at_run_time
from sct.frontend.evaluator.handlers import Args, Kwargs, special
from sct.frontend.evaluator.lookup_guards import MISSING, found_in, in_class, is_own
from sct.frontend.evaluator.own_methods import is_generated, is_library
from sct.frontend.objects.construction import fill
from sct.frontend.objects.objects import bind, get_attribute, set_attribute, store_attribute
from sct.frontend.source.parse import source_of
from sct.frontend.values.abstract_values import Abstract, ObjRef, Static, Tup
from sct.ir.pytrees.user_objects import is_defined_by_user

__all__ = ["carries", "has_attribute", "object_of_exception", "parts_of_exception", "read_part"]


def carries(ev: Evaluator, cls: type, parts: Abstract, name: str, *, methods: bool) -> bool:
    """Is it known what this attribute of an exception is, which has these parts: one of them, or something of its
    class?"""
    if isinstance(parts, ObjRef):
        kinds = (property, types.FunctionType) if methods else property
        return name in ev.slots(parts).keys or is_own(cls, name, kinds)
    return isinstance(parts, Tup) and (name in parts.fields or _is_read_from_class(cls, name, methods=methods))


def read_part(ev: Evaluator, parts: Abstract, name: str) -> Abstract | None:
    """An attribute of an exception that has these parts; None if it is none of them."""
    if isinstance(parts, ObjRef):
        return get_attribute(ev, parts, name)
    assert isinstance(parts, Tup)
    return parts.items[parts.fields.index(name)] if name in parts.fields else None


def object_of_exception(ev: Evaluator, cls: type[BaseException], args: Args, kwargs: Kwargs) -> Abstract | None:
    """The exception `cls(*args, **kwargs)` as an object, or its parts; None of classes that are not seen into."""
    (init, where), new = in_class(ev, cls, "__init__"), in_class(ev, cls, "__new__")[1]
    if not isinstance(init, types.FunctionType):
        parts = parts_of_exception(ev, cls, args, kwargs)
        return parts if parts.fields else None
    if is_defined_by_user(new) or not _keeps_arguments_alone(cls):
        return None
    instance = ev.new_object(cls, {"args": Tup(tuple(args))})
    if is_generated(init, where):
        fill(ev, instance, where, init, args, kwargs)
    else:
        ev.call(bind(ev, init, where, instance, "__init__"), args, kwargs)
    return instance


def _keeps_arguments_alone(cls: type[BaseException]) -> bool:
    """Have exceptions of this class, and its parents, no attributes from Python but those of all exceptions?"""
    builtin = [c for c in cls.__mro__ if c.__module__ == "builtins" and c not in (BaseException, object)]
    return all(is_defined_by_user(c) or c in (BaseException, object) or c in builtin and not any(
        isinstance(x, types.MemberDescriptorType | types.GetSetDescriptorType) and name != "__dict__"
        for name, x in vars(c).items()) for c in cls.__mro__)


_BUILTIN = [c for c in vars(builtins).values() if isinstance(c, type) and issubclass(c, BaseException)
            and _keeps_arguments_alone(c)]


@special(*dict.fromkeys(c.__init__ for c in _BUILTIN))
def exception_init(ev: Evaluator, args: Args, kwargs: Kwargs) -> Abstract:
    """`super().__init__(text)` in the `__init__` of an exception."""
    if not args or not isinstance(args[0], ObjRef):
        ev.refuse("SCT206", "a call of this `__init__` is not supported", hint="call the class")
    if kwargs:
        raise_at_run_time(ev, "TypeError", f"{args[0].cls.__name__}() takes no keyword arguments")
    store_attribute(ev, args[0], "args", Tup(tuple(args[1:])))
    return Static(None)


@special(BaseException.__setattr__)
def exception_setattr(ev: Evaluator, args: Args, kwargs: Kwargs) -> Abstract:
    """`self.name = value` in the `__init__` of an exception."""
    set_attribute(ev, args[0], ev.ask(args[1], "the name of an attribute"), args[2], forced=True)
    return Static(None)


def parts_of_exception(ev: Evaluator, cls: type[BaseException], args: Sequence[Abstract], kwargs: Mapping[str, Abstract]
                       ) -> Tup:
    """The attributes of `cls(*args, **kwargs)` that are known, as a tuple with these names."""
    makers = _makers(cls)
    if not makers:
        return Tup(())
    if makers[0].__module__ == "builtins" and not issubclass(makers[0], OSError):
        parts: dict[str, Abstract] = {} if kwargs else {"args": Tup(tuple(args))}
        if args and inspect.getattr_static(cls, "value", None) is vars(StopIteration)["value"]:
            parts["value"] = args[0]
        return Tup(tuple(parts.values()), tuple(parts))
    set_by = _set_by(ev, makers, args, kwargs)
    if set_by is None:
        return Tup(())
    of_new = {} if issubclass(cls, OSError) else {"args": Tup(tuple(args))}
    attributes = {name: v for name, v in {**of_new, **set_by}.items() if v is not None and (name == "args" or not
                  hasattr(getattr(cls, name, None), "__set__") and not hasattr(BaseException, name))}
    return Tup(tuple(attributes.values()), tuple(attributes))


def has_attribute(ev: Evaluator, cls: type[BaseException], name: str) -> bool | None:
    """Have exceptions of this class such an attribute?  None if that is not known."""
    makers = _makers(cls)
    steps = [() if m.__module__ == "builtins" else _steps_of(m) for m in makers]
    if in_class(ev, cls, name)[0] is not MISSING:
        return True
    if not makers or None in steps or name.startswith("__") or in_class(ev, cls, "__getattr__")[0] is not MISSING:
        return None
    for cls_of_steps, of_class in zip(makers, steps):  # the first calls the next, or does not
        if any(step.attribute == name for step in of_class or ()):
            return True if cls_of_steps is makers[0] else None
    return False


def _is_read_from_class(cls: type, name: str, *, methods: bool) -> bool:
    """Is such an attribute of exceptions of this class one that the user's class has: a property, a value or, with
    `methods`, a method that no attribute of the exception itself hides?"""
    raw, where = found_in(cls.__mro__, name)
    if isinstance(raw, property) or not is_defined_by_user(where):
        return isinstance(raw, property) and is_defined_by_user(where)
    steps = [() if m.__module__ == "builtins" else _steps_of(m) for m in _makers(cls)]
    hidden = not steps or any(of_class is None or any(s.attribute == name for s in of_class) for of_class in steps)
    return not hidden and (methods and isinstance(raw, types.FunctionType) or not hasattr(type(raw), "__get__"))


def _makers(cls: type[BaseException]) -> tuple[type, ...]:
    """The classes that have an `__init__` or a `__new__`, by the method resolution order; none if attributes may have
    other values than `__init__` assigns."""
    static = inspect.getattr_static
    if any(static(cls, name) is not static(BaseException, name) for name in _AS_BUILTIN):
        return ()
    return tuple(c for c in cls.__mro__ if "__init__" in vars(c) or "__new__" in vars(c))


def _set_by(ev: Evaluator, makers: Sequence[type], args: Sequence[Abstract | None],
            kwargs: Mapping[str, Abstract | None]) -> dict[str, Abstract | None] | None:
    """The attributes that `__init__` of the first of these classes sets, `args` among them, None where their values are
    not known.

    None if it does more than to set attributes.
    """
    own, *others = makers
    if own.__module__ == "builtins":
        passed = tuple(v for v in args if v is not None)
        are_kept = len(passed) == len(args) and not kwargs and not issubclass(own, OSError)
        return {"args": Tup(passed) if are_kept else None}
    steps = _steps_of(own)
    if steps is None:
        return None
    init: Any = in_class(ev, own, "__init__")[0]
    try:
        bound: dict[str, Any] = dict(inspect.signature(init).bind(None, *args, **kwargs).arguments)
    except TypeError:
        return None
    defaults = guarded_defaults(ev, init)
    bound = {**{name: default.lifted() for name, default in defaults.items() if name not in bound}, **bound}
    attributes: dict[str, Abstract | None] = {}
    for step in steps:
        values = [bound.get(name) if name is not None else None for name in step.names]
        if step.attribute is not None:
            attributes[step.attribute] = values[0] if step.attribute != "args" else None
            continue
        positional = len(values) - len(step.keywords)
        inherited = _set_by(ev, others, values[:positional], dict(zip(step.keywords, values[positional:])))
        if inherited is None:
            return None
        attributes.update(inherited)
    return attributes


_AS_BUILTIN = ("args", "__getattribute__", "__setattr__")
"""What a class may not define anew, so that an attribute has the value that `__init__` assigns."""

_BASES = frozenset(("Exception", "ValueError", "RuntimeError", "ArithmeticError"))
"""Builtin classes whose `__init__` may be called by name."""


@dataclass(frozen=True)
class _Step:
    """What a statement of an `__init__` does: it sets an attribute, or calls the `__init__` of the next class.

    names  the parameters that it is given, None in the place of anything else; `keywords`: of the last of them
    """

    attribute: str | None
    names: tuple[str | None, ...]
    keywords: tuple[str, ...] = ()


def _steps_of(cls: type) -> tuple[_Step, ...] | None:
    """What the `__init__` of a user's class does; None if it does more than to set attributes."""
    init = vars(cls).get("__init__")
    if not isinstance(init, types.FunctionType) or is_library(init) or "__new__" in vars(cls) or \
            not {*_BASES, "super"}.isdisjoint(init.__globals__):
        return None
    return _steps(init.__code__)


@functools.lru_cache(maxsize=1024)
def _steps(code: types.CodeType) -> tuple[_Step, ...] | None:
    try:
        node: Any = source_of(code).node
    except SctError:
        return None
    if not isinstance(node, gast.FunctionDef):
        return None
    own, *params = [a.id for a in (*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs)] or [""]
    steps: list[_Step] = []
    for stmt in node.body:
        of_stmt = _steps_of_statement(stmt, own, params)
        if of_stmt is None:
            return None
        steps += of_stmt
    return tuple(steps)


def _steps_of_statement(stmt: Any, own: str, params: Sequence[str]) -> list[_Step] | None:
    def named(value: Any) -> str | None:
        return value.id if isinstance(value, gast.Name) and value.id in params else None

    if isinstance(stmt, gast.Expr) and _calls_next(stmt.value):
        call = stmt.value
        if any(isinstance(a, gast.Starred) for a in call.args) or any(k.arg is None for k in call.keywords):
            return None
        values = (*call.args, *(k.value for k in call.keywords))
        return [_Step(None, tuple(map(named, values)), tuple(k.arg for k in call.keywords))]
    pairs = _pairs(stmt, own)
    return None if pairs is None else [_Step(attribute, (named(value),)) for attribute, value in pairs]


def _pairs(stmt: Any, self: str) -> list[tuple[str, Any]] | None:
    """The attributes that a statement assigns, with the expressions that it assigns; None if it does more."""
    if isinstance(stmt, gast.Pass) or isinstance(stmt, gast.Expr) and (
            isinstance(stmt.value, gast.Constant) or _calls_builtin(stmt.value)):
        return []
    target: Any = stmt.targets[0] if isinstance(stmt, gast.Assign) and len(stmt.targets) == 1 else \
        stmt.target if isinstance(stmt, gast.AnnAssign) else None
    value: Any = getattr(stmt, "value", None)
    tuples = isinstance(target, gast.Tuple) and isinstance(value, gast.Tuple) and len(target.elts) == len(value.elts)
    pairs = list(zip(target.elts, value.elts)) if tuples else [(target, value)]
    own = all(isinstance(t, gast.Attribute) and isinstance(t.value, gast.Name) and t.value.id == self for t, _ in pairs)
    return [(t.attr, v) for t, v in pairs] if own else None


def _calls_next(call: Any) -> bool:
    """Is this `super().__init__(...)`?"""
    f = call.func if isinstance(call, gast.Call) else None
    of = f.value if isinstance(f, gast.Attribute) and f.attr == "__init__" else None
    return isinstance(of, gast.Call) and isinstance(of.func, gast.Name) and of.func.id == "super" and not of.args


def _calls_builtin(call: Any) -> bool:
    """Is this `Exception.__init__(self, ...)` of a builtin class?"""
    f = call.func if isinstance(call, gast.Call) else None
    return isinstance(f, gast.Attribute) and f.attr == "__init__" and isinstance(f.value, gast.Name) and \
        f.value.id in _BASES
