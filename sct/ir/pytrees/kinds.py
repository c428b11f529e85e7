"""Items of several kinds in one list of Python: which kind an item is of, as a test, and as code.

>>> push, add = Kind("push", ("first", "push"), (0.0,)), Kind("add", ("first", "add"))
>>> push.holds(("push", 1.5)), push.holds(("add",)), push.test_text("row", [push, add])
(True, False, "row[0] == 'push'")

What tells a kind from the others is asked alone, the class of an item first:

>>> number = Kind("number", ("number",))
>>> push.test_text("row", [push, number]), push.test_text("row", [push, add, number])
('type(row) is tuple', "type(row) is tuple and row[0] == 'push'")
"""

from __future__ import annotations

import enum
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from sct.ir.pytrees.user_objects import is_container

__all__ = ["CODE", "Kind", "MemberCode", "code_of_item", "code_of_member", "code_of_record", "code_text", "is_member"]

CODE = "kind"
"""The key of the code of an item in a node of kind "kinds"; the other keys are kinds."""


@dataclass(frozen=True)
class Kind:
    """A kind of items: its code, what an item of it is, and what stands in its columns where an item is of another one.

    test     ("none",), ("number",), ("type", class), ("length", n), ("keys", keys): what tells it from the other kinds;
             ("first", text), ("first", text, n): a tuple that begins with this text, and has so many items;
             ("field", key, text), ("field", key, text, keys): a dict that holds it at this key, and has these keys
    """

    code: str | None
    test: tuple[Any, ...]
    fillers: tuple[Any, ...] = field(default=(), compare=False)

    def __hash__(self) -> int:
        return hash((self.code, self.test))

    def holds(self, x: Any) -> bool:
        """Is this item of this kind?"""
        if type(x) not in self.classes:
            return False
        key, text, form = self._record
        if key is not None and (not x or (x[0] if type(x) is tuple else x.get(key)) != text):
            return False
        return form is None or (len(x) if type(x) is tuple else tuple(x)) == form

    @property
    def classes(self) -> tuple[type, ...]:
        """The classes of its items: those of another kind are of the same classes, or of none of them."""
        how, *what = self.test
        if how == "none":
            return (type(None),)
        if how == "type":
            return (what[0],)
        return (int, float) if how == "number" else (tuple,) if how in ("length", "first") else (dict,)

    @property
    def is_of_class(self) -> bool:
        """Are these objects of a class of the user?"""
        return self.test[0] == "type" and is_container(self.test[1])

    @property
    def _record(self) -> tuple[Any, Any, Any]:
        """Where a record has which text, and its length or its keys; None for what does not matter."""
        how, *what = self.test
        if how in ("length", "keys"):
            return None, None, what[0]
        if how not in ("first", "field"):
            return None, None, None
        key, text, *form = [0, *what] if how == "first" else what
        return key, text, form[0] if form else None

    def test_text(self, item: str, kinds: Sequence[Kind]) -> str:
        """The test as code, where the items are known to be of one of these kinds.

        A part of a record is read only where the item is such a record.
        """
        alike = [kind for kind in kinds if kind.classes == self.classes]
        tests = []
        if len(alike) < len(kinds):
            names = [cls.__name__ for cls in self.classes]
            tests.append(f"{item} is None" if self.test == ("none",) else
                         f"type({item}).__name__ == {names[0]!r}" if self.is_of_class else
                         f"type({item}) is {names[0]}" if len(names) == 1 else f"type({item}) in ({', '.join(names)})")
        key, text, form = self._record
        same = [kind for kind in alike if kind._record[1] == text]
        if len(same) < len(alike):
            tests.append(f"{item}[{key!r}] == {text!r}")
        if len(same) > 1:
            tests.append(f"len({item}) == {form}" if tuple in self.classes else f"[*{item}] == {list(form)!r}")
        return " and ".join(tests)


def is_member(x: enum.Enum) -> bool:
    """Is this a member of its enum that has a name of its own: no combination of flags, and without a user's `name`?

    >>> class Flag(enum.Flag): A, B = 1, 2
    >>> is_member(Flag.A), is_member(Flag.A | Flag.B)
    (True, False)
    """
    cls = type(x)
    names = next(vars(base)["name"] for base in cls.__mro__ if "name" in vars(base))
    return names is vars(enum.Enum)["name"] and cls.__members__.get(x.name) is x


def code_of_member(x: enum.Enum) -> str:
    """What says which member of its enum this is."""
    return f"{type(x).__name__}.{x.name}"


@dataclass(frozen=True)
class MemberCode:
    """The key of the code of a member of the enum `cls` in a node of kind "member".

    optional  may None be in the place of the member, and of its code?
    """

    cls: type[enum.Enum]
    optional: bool = False

    def of(self, x: enum.Enum | None) -> str | None:
        """The code of this member."""
        return None if x is None else code_of_member(x)

    def text(self, member: str) -> str:
        """The code of a member, as code."""
        code = f"{self.cls.__name__ + '.'!r} + {member}.name"
        return f"None if {member} is None else {code}" if self.optional else code


def code_of_record(text: str | None, cls: type, form: Iterable[Any] | None) -> str:
    """The code of the kind of a tuple or a dict: the text that tells it, its class and its length or keys, or both.

    A text that looks like another code is quoted.

    >>> code_of_record("push", tuple, None), code_of_record("push", tuple, [2]), code_of_record(None, dict, ["w", "b"])
    ('push', 'push, of 2', 'dict of w, b')
    >>> code_of_record("number", tuple, None), code_of_record("dict of w", tuple, None)
    ("'number'", "'dict of w'")
    """
    names = ", ".join(map(str, form or ()))
    if text is None:
        return f"{cls.__name__} of {names}"
    tag = repr(text) if text in _CODES_OF_CLASSES or " of " in text or text.startswith(("'", '"')) else str(text)
    return tag if form is None else f"{tag}, of {names}"


_CODES_OF_CLASSES = ("number", "bool", "complex", "str", "list")


def code_of_item(kinds: Sequence[Kind], x: Any) -> str | None:
    """The code of the kind of an item."""
    return next(kind.code for kind in kinds if kind.holds(x))


def code_text(kinds: Sequence[Kind], item: str) -> str:
    """The code of the kind of an item, as code."""
    if all(kind.is_of_class for kind in kinds):
        return f"type({item}).__name__"
    tests = {kind.test[:-1] for kind in kinds}
    if all(kind.test[0] in ("first", "field") and kind.code == kind.test[-1] for kind in kinds) and len(tests) == 1:
        how, *key = kinds[0].test[:-1]
        return f"{item}[0]" if how == "first" else f"{item}[{key[0]!r}]"
    *others, last = kinds
    return " ".join([f"{kind.code!r} if {kind.test_text(item, kinds)} else" for kind in others] + [repr(last.code)])
