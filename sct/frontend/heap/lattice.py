"""The join of two abstract values, by their kinds.

    paths of a branch           the value of one path with that of the other (`join_paths`)
    the back edge of a loop     the value at the head with that after an iteration (`loop_fixpoint`)

A value that cannot be joined is a `Poison`: reading it is refused.
"""

from __future__ import annotations

import enum
from abc import ABC, abstractmethod
from collections import defaultdict
from collections.abc import Iterable
from typing import Any, Generic, TypeVar

from sct.frontend.state.store import Store, is_such_tuple
from sct.frontend.values.abstract_values import (
    Abstract,
    Choice,
    Container,
    DictRef,
    Iteration,
    ListRef,
    OptionalTuple,
    Position,
    Ref,
    Slots,
    Static,
    Tup,
    is_literal,
)
from sct.frontend.values.exact_keys import same_keys
from sct.ir import Lit, Operand, Value
from sct.ir.types import Optional, Undef

__all__ = [
    "Join", "alike", "all_members", "chosen", "code", "code_of", "conflicts", "left_to_give", "may_be_absent",
    "may_be_chosen", "members_of", "perhaps_tuple",
]

R = TypeVar("R")


class Join(ABC, Generic[R]):
    """Joins two abstract values, of which one may be None: undefined.  `at` says whose values they are."""

    def join(self, a: Abstract | None, b: Abstract | None, at: Any) -> R:
        if a is not None and b is not None and a != b and may_be_chosen(a, b):
            return self.choice(a, b, at)
        if isinstance(a, OptionalTuple) or isinstance(b, OptionalTuple) or Static(None) in (a, b) and isinstance(
                b if a == Static(None) else a, Tup):
            return self.optional_tuple(a, b, at)
        if isinstance(a, Ref) or isinstance(b, Ref):
            return self.array(a, b, at)
        if isinstance(a, Container) or isinstance(b, Container):
            return self.container(a, b, at)
        if isinstance(a if a is not None else b, Tup):
            return self.tuples(a, b, at)
        if all(x is None or isinstance(x, Value) or is_literal(x) for x in (a, b)):
            return self.number(a, b, at)
        return self.other(a, b, at)

    @abstractmethod
    def choice(self, a: Any, b: Any, at: Any) -> R:
        """Two members of enums, of which one may be None, or depend on the path already."""

    @abstractmethod
    def optional_tuple(self, a: Any, b: Any, at: Any) -> R:
        """One is a tuple that may be None, or one is a tuple and the other is None."""

    @abstractmethod
    def array(self, a: Any, b: Any, at: Any) -> R:
        """One is an array."""

    @abstractmethod
    def container(self, a: Any, b: Any, at: Any) -> R:
        """One is a container, and none an array."""

    @abstractmethod
    def tuples(self, a: Any, b: Any, at: Any) -> R:
        """The first that is defined is a tuple."""

    @abstractmethod
    def number(self, a: Any, b: Any, at: Any) -> R:
        """Both are numbers, strings or None."""

    @abstractmethod
    def other(self, a: Any, b: Any, at: Any) -> R:
        """Any other pair: the two are equal, or cannot be joined."""


def conflicts(pairs: Iterable[tuple[object, object]]) -> set[tuple[object, object]]:
    """The pairs that keep the relation from being one-to-one."""
    pairs = set(pairs)
    right, left = defaultdict(set), defaultdict(set)
    for a, b in pairs:
        right[a].add(b)
        left[b].add(a)
    return {(a, b) for a, b in pairs if len(right[a]) > 1 or len(left[b]) > 1}


def may_be_chosen(a: Abstract, b: Abstract) -> bool:
    """Are these members of enums, of which one may be None, or depend on the path already?"""
    both = a, b
    if not any(isinstance(v, Choice) or isinstance(v, Static) and isinstance(v.peek, enum.Enum) for v in both):
        return False
    texts = [(code_of(m), m) for v in both for m in members_of(v)]
    return bool(members_of(a) and members_of(b)) and len({text for text, _ in texts}) == len({m for _, m in texts})


def members_of(v: Abstract) -> tuple[Static, ...]:
    """The members that this may be; none if it is no member of an enum, and not None."""
    if isinstance(v, Choice):
        return v.members
    return (v,) if isinstance(v, Static) and (v.value is None or isinstance(v.peek, enum.Enum)) else ()


def code_of(v: Static) -> str:
    """The text that says which member this is."""
    x = v.peek
    return f"{type(x).__name__}.{x.name}" if isinstance(x, enum.Enum) else str(x)


def code(v: Static | Choice) -> Operand:
    return v.code if isinstance(v, Choice) else Lit(code_of(v))


def chosen(code: Operand, members: tuple[Static, ...]) -> Choice:
    """The member that this code says."""
    assert isinstance(code, Value)
    return Choice(code, members)


def all_members(a: Abstract, b: Abstract) -> tuple[Static, ...]:
    """The members that either may be."""
    return *members_of(a), *(m for m in members_of(b) if m not in members_of(a))


def may_be_absent(v: Tup | OptionalTuple) -> bool:
    """Can this become a `OptionalTuple`: is it one, or a tuple of numbers and arrays, none of which may be None?"""
    return isinstance(v, OptionalTuple) or bool(v.items) and all(
        isinstance(x, Ref) or isinstance(x, Value) and not isinstance(x.type, (Optional, Undef))
        or is_literal(x) and x != Static(None) for x in v.items)


def perhaps_tuple(v: Abstract | None, like: Tup) -> Tup | None:
    """None, a tuple such as `like` or one that may be None, as a tuple; None of anything else."""
    if v == Static(None):
        return like.with_([Static(None)] * len(like.items))
    v = v.of if isinstance(v, OptionalTuple) else v
    return v if isinstance(v, Tup) and is_such_tuple(v, like) else None


def left_to_give(store: Store, v: Abstract | None) -> tuple[tuple[Container, ...], tuple[Abstract, ...]] | None:
    """The containers of an iterator of a tuple, a list or a dict, and the items that it has not given yet.

    None of anything else.
    """
    if not isinstance(v, Iteration) or v.state is None or v.kind not in ("iter", "reversed"):
        return None
    (of,) = v.parts
    keys = isinstance(of, DictRef) or isinstance(of, Iteration) and of.kind == "keys"
    of = of.parts[0] if isinstance(of, Iteration) and of.kind in ("keys", "values", "items") else of
    at = store.slots(DictRef(v.state)).items[0]
    if not isinstance(at, Position) or not isinstance(of, (Tup, ListRef, DictRef)):
        return None
    if isinstance(of, ListRef) and store.slots(of).schema is not None:
        return None
    items = of.items if isinstance(of, Tup) else store.slots(of).items
    left = () if keys or at.at is None else items[at.at:] if v.kind == "iter" else items[:max(0, len(items) - at.at)]
    return (DictRef(v.state), *(() if isinstance(of, Tup) else (of,))), left


def alike(x: Slots, y: Slots) -> bool:
    """Do the slots correspond?"""
    return len(x.items) == len(y.items) and same_keys(x.keys, y.keys) and x.schema == y.schema
