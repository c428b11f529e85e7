"""The names of the kinds of abstract values in messages."""

from __future__ import annotations

from typing import Any

from sct.frontend.values.abstract_values import (
    Abstract,
    Bound,
    Cached,
    Choice,
    Closure,
    DefaultRef,
    DerivedCallable,
    DictRef,
    Iteration,
    ListRef,
    MapRef,
    Method,
    ObjRef,
    OptionalTuple,
    Parent,
    Path,
    Position,
    Ref,
    RunTimeTuple,
    Static,
    Suspended,
    Tup,
)
from sct.ir import Value
from sct.ir.types import in_words

__all__ = ["abstract_in_words", "path_in_words"]

_IN_WORDS: dict[type, str] = {
    Choice: "one of several objects",
    Ref: "an array", Tup: "a tuple", OptionalTuple: "a tuple that may be None",
    RunTimeTuple: "a tuple whose length is known only at run time", ListRef: "a list", DictRef: "a dict",
    MapRef: "a dict", DefaultRef: "a dict", Parent: "`super()`", Method: "a method",
    DerivedCallable: "a derivative, or a checkpointed function",
    Position: "an iterator at one place", Suspended: "a generator at one place",
    **dict.fromkeys((Closure, Bound, Cached), "a function")}
_ITERATIONS = {"range": "a range", **dict.fromkeys(("keys", "values", "items"), "a view of a dict")}
_DEFAULT_REPR: Any = object.__repr__


def abstract_in_words(v: Abstract) -> str:
    """The kind of an abstract value, with its article, for a message."""
    if isinstance(v, Value):
        return in_words(v.type)
    if isinstance(v, Static) and isinstance(v.value, (set, frozenset)):
        return "a set"
    if isinstance(v, Static) and type(v.value).__repr__ is not _DEFAULT_REPR:
        return f"`{v.value!r}`"
    if isinstance(v, (ObjRef, Static)) or isinstance(v, Tup) and v.cls is not tuple:
        return f"an object of class `{(type(v.value) if isinstance(v, Static) else v.cls).__name__}`"
    if isinstance(v, Iteration):
        return _ITERATIONS.get(v.kind, "an iterator") if v.state is None else "an iterator"
    return _IN_WORDS.get(type(v), "a value that depends on the path")


def path_in_words(path: Path) -> str:
    """How the function writes what is found there: `ROWS[0].x`."""
    name = getattr(path[0], "__name__", "")
    for how, step in path[1:]:
        name = str(step) if how in ("global", "cell") or not name else \
            f"{name}.{step}" if how == "attr" else \
            f"{name}.__subclasses__()" if how == "subclasses" else f"{name}[{step!r}]"
    return name
