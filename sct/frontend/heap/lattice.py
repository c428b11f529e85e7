"""The join of two abstract values, by their kinds.

    paths of a branch           the value of one path with that of the other (`join_paths`)
    the back edge of a loop     the value at the head with that after an iteration (`loop_fixpoint`)

A value that cannot be joined is a `Poison`: reading it is refused.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from sct.frontend.state.choices import is_of_kinds, may_be_chosen
from sct.frontend.state.store import ONE_PATH, UNSET, Branch, Store, is_such_tuple
from sct.frontend.values.abstract_values import (
    Abstract,
    Array,
    Cell,
    Choice,
    Container,
    DictRef,
    Frozen,
    Iteration,
    Key,
    Layout,
    ListRef,
    MapRef,
    ObjRef,
    OptionalTuple,
    Origin,
    Poison,
    Position,
    Ref,
    RunTimeTuple,
    Slots,
    Static,
    Step,
    Tup,
    is_literal,
)
from sct.frontend.values.exact_keys import same_keys
from sct.frontend.values.item_kinds import Kinds, are_apart, filler
from sct.ir import Lit, Operand, Value, undef
from sct.ir.types import List, Optional, Type, Undef, join
from sct.ops import index
from sct.ops.arrays.indexing import split
from sct.ops.program.list_ops import list_of

if TYPE_CHECKING:
    from sct.frontend.evaluator.evaluator import Evaluator

__all__ = [
    "Join", "KindsOfPaths", "Outs", "alike", "conflicts", "hint_of", "in_order", "indices_that_differ",
    "joined_item", "joined_slots", "lasting_conflicts", "layout_of", "left_to_give", "most_frozen", "origin_of",
    "part_name", "perhaps_tuple", "with_attributes", "with_same_attributes", "use_alike",
]

R = TypeVar("R")
T = TypeVar("T")


class Join(ABC, Generic[R]):
    """Joins two abstract values, of which one may be None: undefined.  `at` says whose values they are."""

    ev: Evaluator

    def join(self, a: Abstract | None, b: Abstract | None, at: Any) -> R:
        if a is not None and b is not None and a != b:
            self.note_tuples(a, b)
            if may_be_chosen(a, b):
                return self.choice(a, b, at)
        if isinstance(a, RunTimeTuple) or isinstance(b, RunTimeTuple):
            return self.run_time_tuple(a, b, at)
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

    def note_tuples(self, a: Abstract, b: Abstract) -> None:
        """Notes a tuple that is joined with what is no such tuple."""
        tuples = [v.of if isinstance(v, OptionalTuple) else v for v in (a, b) if isinstance(v, (Tup, OptionalTuple))]
        if len(tuples) == 1 or tuples and not is_such_tuple(*tuples):
            self.ev.functions.plan.note_met(*tuples)

    @abstractmethod
    def choice(self, a: Any, b: Any, at: Any) -> R:
        """Two objects of different kinds, of which one may be None, or depend on the path already."""

    @abstractmethod
    def optional_tuple(self, a: Any, b: Any, at: Any) -> R:
        """One is a tuple that may be None, or one is a tuple and the other is None."""

    @abstractmethod
    def run_time_tuple(self, a: Any, b: Any, at: Any) -> R:
        """One is a tuple whose length is known only at run time."""

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


class Outs:
    """The results of the conditional that joins two paths.

    inner  the values that each path defines
    outs   each result, with its operands on the two paths
    """

    def __init__(self, ev: Evaluator, left: Branch, right: Branch) -> None:
        self.ev, self.left, self.right = ev, left, right
        self.inner = (left.defines(), right.defines())
        self.outs: list[tuple[Operand, Operand, Value]] = []
        self.joined_values: dict[tuple[Operand, Operand, Key | None], Value] = {}

    def at_ends(self, a: Abstract | None, b: Abstract | None, read: Callable[[Abstract | None], T]) -> tuple[T, T]:
        """What is read of `a` at the end of the left path, and of `b` at the end of the right one."""
        with self.ev.inside(self.left):
            x = read(a)
        with self.ev.inside(self.right):
            y = read(b)
        self.inner = (self.left.defines(), self.right.defines())
        return x, y

    def phi(self, a: Operand | None, b: Operand | None, hint: str | None = None, own: Key | None = None) -> Operand:
        """The operand that is `a` on the left path and `b` on the right; None: undefined there.

        own  the slot that it belongs to alone, if it is not shared with other slots of the same operands
        """
        if a is not None and b is not None and (a is b or isinstance(a, Lit) and a == b):
            return a
        if b is None and self.right.store.dead and a is not None and a not in self.inner[0]:
            return a
        if a is None and self.left.store.dead and b is not None and b not in self.inner[1]:
            return b
        present = a if a is not None else b
        assert present is not None
        if a is None or b is None:
            dead = self.left.store.dead if a is None else self.right.store.dead
            type: Type = present.type if dead or isinstance(present.type, Undef) else Undef(present.type)
            a, b = (undef(present.type) if x is None else x for x in (a, b))
        else:
            type = join(a.type, b.type)
        if (a, b, own) not in self.joined_values:
            assigned = [self.is_assigned(x, side) for x, side in ((a, self.left), (b, self.right))]
            dim = a.dim if a.dim is not None and a.dim == b.dim else None
            out = Value(type, hint or (a.hint if a.hint == b.hint else None), dim)
            # What falls through a loop has been guarded: an exit that comes to a join leaves it.
            kinds = [frozenset(k for k in self.ev.exits.kinds_of(x) if k >= self.ev.exits.least_of(x, 0))
                     for x in (a, b) if not (isinstance(x, Lit) and isinstance(x.type, Undef))]
            if all(kinds):
                self.ev.exits.kinds[out] = frozenset().union(*kinds)
            if isinstance(type, Undef) and all(assigned):
                self.ev.tries.bound[out] = self.ev.tries.slot
            self.joined_values[a, b, own] = out
            self.outs.append((a, b, out))
        return self.joined_values[a, b, own]

    def path(self, a: tuple[Step, ...], b: tuple[Step, ...], hint: str | None) -> tuple[Step, ...] | None:
        """Where a view is that is at `a` on the left path and at `b` on the right; None if no path says both."""
        if a == b:
            return None if any(x in self.inner[0] or x in self.inner[1] for s in a for x in s.args) else a
        if not self.ev.functions.plan.follows_views(indices_that_differ(a, b)):
            return None
        name = f"{hint}_index" if hint else None
        return tuple(replace(s, args=tuple(self.phi(x, y, name) for x, y in zip(s.args, t.args)), name=None)
                     for s, t in zip(a, b))

    def step(self, s: Step, side: int) -> Step:
        args = tuple(self.phi(x, None) if side == 0 else self.phi(None, x) for x in s.args)
        return replace(s, args=args, name=None)

    def origin(self, a: Abstract | None, b: Abstract | None) -> Origin:
        """Where the copy of an array comes from that is `a` on the left path and `b` on the right: Python, or here."""
        sides = zip((self.left, self.right), (a, b))
        cells = [path.store.array(x) for path, x in sides if isinstance(x, Ref)]
        return Origin.PYTHON if any(cell.origin == Origin.PYTHON for cell in cells) else Origin.FRESH

    def is_assigned(self, x: Operand, path: Branch) -> bool:
        """Is the operand assigned on this path, unless the path has raised?"""
        tries = self.ev.tries
        return tries.slot is not None and (
            not isinstance(x.type, Undef) or tries.has_raised(path.store)
            or isinstance(x, Value) and tries.bound.get(x) == tries.slot)


class KindsOfPaths(Outs, ABC):
    """Joins values of different kinds: `store` holds what is joined."""

    store: Store

    @abstractmethod
    def value(self, a: Abstract | None, b: Abstract | None, hint: str | None = None) -> Abstract:
        """The value that is `a` on the left path and `b` on the right; None: undefined there."""

    def value_of_kinds(self, a: Abstract | None, b: Abstract | None, hint: str | None) -> Abstract | None:
        """The value that is of one of several kinds; None if it is not."""
        if is_of_kinds(a if a is not None else b) and None in (a, b):
            return self.of_kinds_alone(a, b, hint)
        left, right = self.ev.kinds_of(a, self.left.store), self.ev.kinds_of(b, self.right.store)
        if a == b or not are_apart(left, right):
            return None
        p, q = self.settled(a, self.left), self.settled(b, self.right)
        left, right = self.ev.kinds_of(p, self.left.store), self.ev.kinds_of(q, self.right.store)
        return self.of_kinds(p, q, left, right, hint) if are_apart(left, right) else self.value(p, q, hint)

    def apart_in_kind(self, why: str) -> Poison:
        """Values of different kinds, which are refused where values are of one kind each."""
        self.ev.functions.plan.note_mixed()
        return Poison(why)

    def settled(self, v: Abstract | None, path: Branch) -> Abstract | None:
        """A number of one of several kinds on a path as one number."""
        if not is_of_kinds(v):
            return v
        assert v is not None
        with self.ev.inside(path):
            one = self.ev.settled(v)
        self.inner = (self.left.defines(), self.right.defines())
        return one

    def of_kinds_alone(self, a: Any, b: Any, hint: str | None) -> Abstract:
        """A value of one of several kinds on one path alone."""
        one = a if a is not None else b
        members = tuple(self.value(*((m, None) if a is not None else (None, m))) for m in one.members)
        codes = [None if v is None else v.code for v in (a, b)]
        return Choice(self.code(codes, hint), members, one.codes)

    def of_kinds(self, a: Any, b: Any, left: Kinds, right: Kinds, hint: str | None) -> Abstract:
        """A value of one kind on the left path, and of another one on the right."""
        members = {code: self.value(left[code], right[code]) if code in left and code in right else
                   self.of_one_path(left.get(code), right.get(code)) for code in {**left, **right}}
        wrong = next((m for m in members.values() if isinstance(m, Poison)), None)
        codes = [v.code if isinstance(v, Choice) else Lit(next(iter(kinds))) for v, kinds in ((a, left), (b, right))]
        return wrong or Choice(self.code(codes, hint), tuple(members.values()), tuple(members))

    def of_one_path(self, a: Abstract | None, b: Abstract | None) -> Abstract:
        """A value of a kind that is there on one path alone; what is known of it stays."""
        one = a if a is not None else b
        if isinstance(one, Static):
            return one
        if isinstance(one, Tup):
            return one.with_(self.of_one_path(*((x, None) if a is not None else (None, x))) for x in one.items)
        if isinstance(one, Container) and self.alone(one, a is not None):
            return one
        if isinstance(one, Value) and ((other := filler(one.type)) != Lit(None) or isinstance(one.type, Optional)):
            return self.phi(*((one, other) if a is not None else (other, one)))  # type: ignore[return-value]
        return self.value(a, b)

    def alone(self, one: Container, left: bool) -> bool:
        """Makes a list or a dict one that both paths have, if it is one of numbers and only one path has made it; what
        is in it on the other is never read."""
        path, other = (self.left, self.right) if left else (self.right, self.left)
        cell = path.store.cells[one.addr]
        if one.addr in other.store.cells or one.addr in self.store.cells or not isinstance(cell, Slots) \
                or cell.parent is not None or isinstance(one, (MapRef, ObjRef)):
            return False
        items: list[Abstract] = []
        for x in cell.items:
            if cell.schema is None:
                items.append(self.of_one_path(*((x, None) if left else (None, x))))
                continue
            assert isinstance(x, Ref)
            column = path.store.array(x)
            assert isinstance(column.value.type, List)
            with self.ev.inside(other):
                empty = self.ev.emit(list_of, elem=column.value.type.elem)
            self.inner = (self.left.defines(), self.right.defines())
            joined = self.phi(*((column.value, empty) if left else (empty, column.value)))
            self.store.cells[x.addr] = replace(column, value=joined)
            items.append(x)
        self.store.cells[one.addr] = replace(cell, items=tuple(items))
        return True

    def code(self, codes: Sequence[Operand | None], hint: str | None) -> Value:
        """Which kind it is."""
        joined = self.phi(codes[0], codes[1], hint and f"{hint}_kind")
        assert isinstance(joined, Value)
        return joined


def conflicts(pairs: Iterable[tuple[object, object]]) -> set[tuple[object, object]]:
    """The pairs that keep the relation from being one-to-one."""
    pairs = set(pairs)
    right, left = defaultdict(set), defaultdict(set)
    for a, b in pairs:
        right[a].add(b)
        left[b].add(a)
    return {(a, b) for a, b in pairs if len(right[a]) > 1 or len(left[b]) > 1}


def lasting_conflicts(pairs: set[tuple[object, object]], store: Store, new: Collection[int]
                      ) -> set[tuple[object, object]]:
    """The conflicts in a joined store, whose cells at `new` are those of two addresses.

    The columns of a list that nothing leads to any more are in no conflict: `rows.append(row); row = []` on one path
    leaves the list that `row` was to the other path alone.
    """
    columns: set[object] = set()
    lasting: set[object] = set()
    for addr, cell in store.cells.items() if conflicts(pairs) else ():
        if isinstance(cell, Slots):
            left_behind = cell.schema is not None and addr not in new and (addr, addr) not in pairs
            (columns if left_behind else lasting).update(x.addr for x in cell.items if isinstance(x, Ref))
    return conflicts((a, b) for a, b in pairs if a != b or a not in columns - lasting)


def indices_that_differ(a: tuple[Step, ...], b: tuple[Step, ...]) -> set[tuple[int, int]] | None:
    """The integers in which the places of two views differ, each as the number of its step and of its operand.

    None if they differ in more: `A[i]` and `A[j]` do not, `A[i]` and `A[:, i]` do.
    """
    places: set[tuple[int, int]] = set()
    if len(a) != len(b):
        return None
    for k, (p, q) in enumerate(zip(a, b)):
        if p == q:
            continue
        if p.op is not index or p != replace(q, args=p.args):
            return None
        key = p.attrs["key"]
        if any(x != y for x, y in zip(split(key, p.args), split(key, q.args)) if isinstance(x, slice)):
            return None
        places |= {(k, j) for j, (x, y) in enumerate(zip(p.args, q.args)) if x != y}
    return places


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


def with_attributes(x: Slots, y: Slots) -> Slots:
    """The slots of an object with the attributes that it has in `y` too, unset."""
    more = tuple(key for key in y.keys if key not in x.keys)
    if x.unset is None or y.unset is None:
        return x
    return replace(x, items=(*x.items, *[UNSET] * len(more)), keys=(*x.keys, *more), unset=x.unset | y.unset | {*more},
                   ordered=x.ordered and not more)


def use_alike(ev: Evaluator, of: Container, x: Slots, y: Slots) -> None:
    """What is done with one of two dicts whose keys are known only at run time is done with the other, too, where they
    meet: both have a list of the keys, or neither."""
    if not isinstance(of, MapRef):
        return
    plan = ev.functions.plan
    uses = {use for site, use in plan.dicts if site in (x.site, y.site)}
    if more := {(site, use) for site in (x.site, y.site) for use in uses} - plan.dicts:
        raise plan.changed(dicts=more)


def alike(x: Slots, y: Slots) -> bool:
    """Do the slots correspond?"""
    return len(x.items) == len(y.items) and same_keys(x.keys, y.keys) and x.schema == y.schema


def with_same_attributes(x: Slots, y: Slots) -> tuple[Slots, Slots]:
    """The slots of an object on two paths with the attributes of both, in one order."""
    return with_attributes(x, y), in_order(with_attributes(y, x), (*x.keys, *y.keys))


def with_same_keys(x: Slots, y: Slots) -> tuple[Slots, Slots]:
    """The same for a dict of known keys: whether it has those of one path alone is known only at run time."""
    if x.schema is not None or y.schema is not None:
        return x, y
    return with_same_attributes(*(replace(slots, unset=slots.unset or frozenset()) for slots in (x, y)))


def joined_slots(x: Slots, y: Slots, items: Iterable[Abstract]) -> Slots:
    """The slots with these items, which are joined from those of two paths."""
    unset = None if x.unset is y.unset is None else (x.unset or frozenset()) | (y.unset or frozenset())
    return replace(x, items=tuple(items), frozen=most_frozen((x, y)), origin=origin_of((x, y)), unset=unset,
                   ordered=x.ordered and y.ordered)


def joined_item(p: Abstract, q: Abstract, name: str | None, joined: Callable[[Any, Any, str | None], Any]) -> Abstract:
    """A slot on two paths, joined by `joined`; an attribute may be set on one of them alone."""
    if UNSET not in (p, q):
        return joined(p, q, name if hint_of(p) != hint_of(q) else None)  # type: ignore[no-any-return]
    x, y = (None if v == UNSET else v for v in (p, q))
    present = y if x is None else x
    if present is None or not isinstance(present, (Value, Ref)):
        return UNSET if present is None else Poison(ONE_PATH)
    return joined(x, y, name)  # type: ignore[no-any-return]


def in_order(x: Slots, keys: tuple[Any, ...]) -> Slots:
    """The slots of an object in the order of these attributes, some of which may be there twice."""
    keys = tuple(dict.fromkeys(keys))
    if x.unset is None or x.keys == keys or {*x.keys} != {*keys}:
        return x
    return replace(x, items=tuple(x.items[x.keys.index(key)] for key in keys), keys=keys, ordered=False)


def part_name(owner: str | None, key: Any) -> str | None:
    """The name of an attribute of an object with this name."""
    return f"{owner}_{key}" if owner and isinstance(key, str) and key.isidentifier() else None


def hint_of(v: Abstract) -> str | None:
    """The name of a number."""
    return v.hint if isinstance(v, Value) else None


def origin_of(cells: Iterable[Cell]) -> Origin:
    """The origin that restricts writes to any of these cells the most."""
    return max((c.origin for c in cells), key=list(Origin).index)


def layout_of(cells: Sequence[Array]) -> Layout:
    """The memory layout of arrays that are one on each path."""
    layouts = {c.layout for c in cells}
    return layouts.pop() if len(layouts) == 1 else False


def most_frozen(cells: Iterable[Cell]) -> Frozen:
    """Why none of these cells may be written; that one is to be read again, comes first."""
    reasons = [c.frozen for c in cells if c.frozen]
    return Frozen.STALE if Frozen.STALE in reasons else reasons[0] if reasons else Frozen.NO
