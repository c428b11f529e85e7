"""The rules of the user: for a function, what `sct.rule` says its derivative is.

    rule(f, vjp=g)  ->  rule_of(f).vjp is g

A function is found as the object that it is, a method of an object by the object and its name. So any callable may
have a rule: functions of the user, of libraries, of C extensions, ufuncs, methods.
"""

from __future__ import annotations

import inspect
import types
import weakref
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

__all__ = [
    "UserRule", "add_rule", "normal_call", "note_copy", "owned_rule", "rule_hint", "rule_name", "rule_of",
    "rule_of_class_method", "when_rules_change"]


@dataclass(frozen=True, eq=False)
class UserRule:
    """The derivative that a function `f` has in the place of its own.

    vjp    vjp(ct, y, *args, **kwargs) returns the cotangents of the arguments; None: there is none
    jvp    jvp(tangents, y, *args, **kwargs) returns the tangent of the result; None: there is none
    once   they are not differentiated themselves
    """

    f: Callable[..., Any]
    vjp: Callable[..., Any] | None = None
    jvp: Callable[..., Any] | None = None
    once: bool = False

    @property
    def name(self) -> str:
        return rule_name(self.f)


def rule_name(f: Any) -> str:
    """The name of a function: "log1p"; of one of Fortran, which says that it is the "function dposv", "dposv"."""
    return str(getattr(f, "__name__", "") or type(f).__name__).split()[-1]


_rules: dict[Any, UserRule] = {}
_copies: weakref.WeakKeyDictionary[Callable[..., Any], UserRule] = weakref.WeakKeyDictionary()
_listeners: list[Callable[[], None]] = []


def when_rules_change(listener: Callable[[], None]) -> None:
    """Calls the listener when a rule is added: what was compiled before does not know it."""
    _listeners.append(listener)


def add_rule(rule: UserRule) -> None:
    """Adds a rule; one for the same function and mode takes the place of an earlier one."""
    earlier = rule_of(rule.f)
    if earlier is not None:
        rule = replace(rule, vjp=rule.vjp or earlier.vjp, jvp=rule.jvp or earlier.jvp,
                       once=rule.once or earlier.once)
    _rules[_key(rule.f)] = rule
    for listener in _listeners:
        listener()


def rule_of(f: Any) -> UserRule | None:
    """The rule of exactly this function, or method of this object."""
    if not _rules:
        return None
    rule = _rules.get(_key(f))
    return _copies.get(f) if rule is None and isinstance(f, types.FunctionType) else rule


def note_copy(f: types.FunctionType, copied: types.FunctionType) -> None:
    """Gives the copy of a function the rule of the function."""
    rule = rule_of(f)
    if rule is not None:
        _copies[copied] = rule


def rule_of_class_method(f: Any, args: Sequence[Any]) -> UserRule | None:
    """The rule of the class method with the function `f`, which is called with the class."""
    if not _rules or not args or not isinstance(f, types.FunctionType):
        return None
    cls = getattr(args[0], "peek", None)
    return _rules.get(("class method", id(f))) if isinstance(cls, type) else None


def owned_rule(f: Any) -> tuple[UserRule, Any] | None:
    """The rule of a method of a class that `f` binds to an object, and the object."""
    if not _rules or not isinstance(f, types.BuiltinMethodType) or isinstance(f.__self__, (type, types.ModuleType)):
        return None
    rule = rule_of(getattr(type(f.__self__), f.__name__, None))
    return None if rule is None else (rule, f.__self__)


def _key(f: Any) -> Any:
    """The key of a function; a bound method is a new object at each access."""
    if isinstance(f, types.MethodType):
        return "class method" if isinstance(f.__self__, type) else id(f.__self__), id(f.__func__)
    if isinstance(f, types.BuiltinMethodType) and f.__self__ is not None and \
            not isinstance(f.__self__, types.ModuleType):
        return id(f.__self__), f.__name__
    return id(f)


def rule_hint(call: str, count: int) -> str:
    """The line that gives a derivative to the function that this text calls, with so many arguments."""
    f = call.strip("`").partition("(")[0]
    names = ", ".join("x" if count == 1 else "abcdefgh"[k] for k in range(count)) if 0 < count <= 8 else "*args"
    cotangents = "..." if count == 1 else "(" + ", ".join(["..."] * max(count, 2)) + ")"
    return f"give it a derivative: sct.rule({f}, vjp=lambda ct, y, {names}: {cotangents})"


def normal_call(f: Any, args: Sequence[Any], kwargs: Mapping[str, Any]) -> tuple[list[Any], dict[str, Any]]:
    """The same call with arguments by position, as far as they follow one another in the signature."""
    args, kwargs = [*args], {**kwargs}
    try:
        parameters = [*inspect.signature(f).parameters.values()] if kwargs else []
    except (TypeError, ValueError):
        parameters = []
    for p in parameters[len(args):]:
        if p.kind is not p.POSITIONAL_OR_KEYWORD or p.name not in kwargs:
            break
        args.append(kwargs.pop(p.name))
    return args, kwargs
