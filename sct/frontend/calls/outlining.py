"""Outlining: which functions, evaluated in line at first, become functions of the program.

    y = f(a) + f(b), f long   ->   def f(x): ...;  y = call(a) + call(b)

A function is outlined if it has more than `LONG` equations and is called more than once for one kind of arguments.
That is known at the end of an evaluation; everything is then evaluated again.  `OutlinedFunction` is what is known
of such a function, and of one that calls itself (`function_specialization`).
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, NoReturn

from sct.errors import SctError, came_further
from sct.frontend.arguments.abstract_arguments import DictArgument
from sct.frontend.calls.flattened_arguments import Aliasing, ArgumentTree, kind_of
from sct.frontend.evaluator.evaluator import Evaluator
from sct.frontend.evaluator.list_items import OF_CLASSES
from sct.frontend.evaluator.operands import OF_ROWS
from sct.frontend.source.name_scopes import parameters
from sct.frontend.standard_library import python_fallbacks
from sct.frontend.state.attribute_forms import Form
from sct.frontend.state.fixpoint import Unstable, widened_types
from sct.frontend.state.object_tables import LinkedClasses, Table, class_of_items, table_of
from sct.frontend.state.parts import Frame
from sct.frontend.values.abstract_values import Abstract, Container, Key, Static, Tup, parts
from sct.frontend.values.item_schemas import Rows
from sct.ir import Eqn, Fn, Value, walk
from sct.ir.check import fits, rename_own_sizes
from sct.ir.dims import Dim
from sct.ir.types import Tensor, Type, leaf_type
from sct.ops import call

__all__ = [
    "OutlinedFunction", "OutliningPlan", "called_once", "evaluated_in_line", "free_name", "is_outlined", "repeated",
    "site_of",
]

ALWAYS = frozenset(python_fallbacks.OF_HEAPS)
"""Functions of the library that are as long as what one would write in a function: they are always outlined."""

LONG = 8
TOO_MUCH = 4000
"""At so many equations of several calls, the evaluation stops and starts again with the function outlined."""


@dataclass
class OutliningPlan:
    """The outlining plan: learnt in one evaluation, used in the next.

    recursive  functions that call themselves, as `Frame.code`
    repeated   functions with several calls for one kind of arguments; single: those that turned out to have one call
    in_line    all other functions are evaluated in line, up to the limit
    opaque     functions that are called as they are, and the refusal that is the reason
    asked      generators that call themselves, whose tests are guarded: how deep they are nested must be known
    of_observed_dtype  functions of libraries whose result has another dtype on another path: it has the observed one
    collected  those of them whose items are first put into a list, since how deep they are nested is not known
    by_python  the places of expressions that Python evaluates, since sct does not
    deques     the places of calls that make deques which hold differentiated numbers: sct evaluates their methods
    seen       the places of calls of libraries with constants that sct does not leave to Python, since methods of what
               they make are called with differentiated numbers
    equal      sizes of arguments that turned out to be equal
    dicts      dicts whose keys are known only at run time: the place that makes one, and what is done with it
    refused    dicts that are refused as dicts of known keys
    inherited  attributes that objects have from the start, as those of their class: the class, and the name
    sets       the places of expressions that make sets which the function changes; open_sets: of sets that are refused,
               since an item is known only at run time; object_sets: of those that hold objects, in a list
    positions  the places of subscripts of short lists and tuples whose index is known only at run time; open_positions:
               of those whose index would have to be known; looped: of those in a loop of many iterations, which are
               no reason to unroll it; unrolled: those that are, since the program is refused without
    known_keys  the keys of all dicts are known: the program is refused with dicts of other keys, too
    known_arguments  those of all arguments are known
    open_texts  strings that could be known are compared, or are keys, at run time
    memoized   cached functions that call themselves more than once: the derivative has their caches too
    counted    the places that make iterators whose position is a number of the program; lost: iterators that are
               refused since their position depends on the path
    orders     how often functions with a rule of the user are differentiated
    instantiated  the user's classes of which the program makes objects; whether loops or recursive functions do
    displays   the same for dicts of constant keys, and tuples that are joined with others; met: the places of their
               displays; nested: of those inside other tuples; rows_at: where a display of a tuple makes a row
    displays_may_be_rows  the program is refused where they are not
    linked     those whose objects are rows of columns, with the names of these; fields: the types of the attributes
    forms      of those attributes that are several columns, by the class and the name
    constants  members of enums, functions and classes that attributes are, by the class and the name: by their codes
    tables     those that share their rows with others: with which ones; layout: the tables that are made of all this
    unlinkable  those whose objects cannot be; perhaps_linkable: of those that held what was left to Python, which other
               rows may make unnecessary; refusal: why the program is refused with objects that are not
    attempts   what was in `linked` before, with which the program is refused, too
    moving     names of views whose indices depend on the path are the array and the index, so that the array may be
               written; moves: there are such views
    duplicated  the places of conditionals whose branches each have the rest of the block; ambiguous: of those because
               of which two names may share what is written
    rows_in_sets  objects that are rows of columns are items of sets
    columns_for_none  what is None in one item of a list may be another value in another item: it has a column; nones:
               there are items with None in them
    kinds      values may be of several kinds in one place: numbers, strings, tuples of different lengths; mixed: there
               are such values; kinds_by_length: tuples that begin with one string differ in length; long_kinds_first:
               where a long list from outside holds such items, the function is evaluated so at once
    rereads    arrays that Python may hold are copied where they are read, since a later call may write to them
    written    attributes of the bound object, and of classes, that the function writes: their paths, the place of a
               write and the class; open_writes: those of classes that may be written so, where the write is refused
    begun_at   how many differentiated regions there are around the function itself
    refusals   those of all evaluations that have ended in one
    """

    recursive: set[Any] = field(default_factory=set)
    repeated: set[Any] = field(default_factory=set)
    single: set[Any] = field(default_factory=set)
    in_line: bool = False
    opaque: dict[Any, SctError] = field(default_factory=dict)
    asked: set[Any] = field(default_factory=set)
    of_observed_dtype: set[Any] = field(default_factory=set)
    collected: set[Any] = field(default_factory=set)
    by_python: set[Any] = field(default_factory=set)
    deques: set[Any] = field(default_factory=set)
    seen: set[Any] = field(default_factory=set)
    equal: list[tuple[Dim, Dim]] = field(default_factory=list)
    dicts: set[tuple[Any, str]] = field(default_factory=set)
    refused: set[tuple[Any, str]] = field(default_factory=set)
    inherited: set[tuple[type, str]] = field(default_factory=set)
    sets: set[Any] = field(default_factory=set)
    open_sets: set[Any] = field(default_factory=set)
    object_sets: set[Any] = field(default_factory=set)
    positions: set[Any] = field(default_factory=set)
    open_positions: set[Any] = field(default_factory=set)
    looped: set[Any] = field(default_factory=set)
    unrolled: set[Any] = field(default_factory=set)
    known_keys: bool = False
    known_arguments: bool = False
    open_texts: bool = False
    memoized: set[Any] = field(default_factory=set)
    counted: set[Any] = field(default_factory=set)
    lost: set[Any] = field(default_factory=set)
    orders: set[int] = field(default_factory=set)
    instantiated: dict[type, bool] = field(default_factory=dict)
    displays: dict[type, bool] = field(default_factory=dict)
    displays_may_be_rows: bool = False
    met: set[Any] = field(default_factory=set)
    nested: set[tuple[Any, type]] = field(default_factory=set)
    rows_at: set[Any] = field(default_factory=set)
    linked: LinkedClasses = field(default_factory=LinkedClasses)
    fields: dict[tuple[type, str], Type] = field(default_factory=dict)
    tables: dict[type, tuple[type, ...]] = field(default_factory=dict)
    constants: dict[tuple[type, str], dict[str, Static]] = field(default_factory=dict)
    forms: dict[tuple[type, str], Form] = field(default_factory=dict)
    layout: dict[type, Table] = field(default_factory=dict)
    unlinkable: set[type] = field(default_factory=set)
    perhaps_linkable: set[type] = field(default_factory=set)
    refusal: SctError | None = None
    attempts: list[tuple[set[type], set[Any]]] = field(default_factory=list)
    written: dict[tuple[Any, str], Any] = field(default_factory=dict)
    open_writes: dict[tuple[Any, str], Any] = field(default_factory=dict)
    begun_at: int = 0
    refusals: list[SctError] = field(default_factory=list)
    moving: bool = False
    moves: bool = False
    choosing: bool = False
    chooses: bool = False
    duplicated: set[Any] = field(default_factory=set)
    ambiguous: set[Any] = field(default_factory=set)
    rows_in_sets: bool = False
    columns_for_none: bool = False
    nones: bool = False
    rereads: bool = False
    kinds: bool = False
    kinds_by_length: bool = False
    mixed: bool = False
    long_kinds_first: bool = False

    def leave_texts_open(self) -> None:
        """Notes that strings which could be known are not, unless the program is refused so."""
        self.open_texts |= not self.known_keys

    def with_known_keys(self) -> Unstable:
        """From now on the keys of all dicts are known: the program is evaluated again."""
        self.known_keys, self.open_texts = True, False
        self.dicts.clear()
        self.by_python.clear()
        return Unstable(self)

    def with_known_arguments(self) -> Unstable:
        """From now on the keys of all arguments are known: the program is evaluated again."""
        self.known_arguments = True
        for learnt in (self.dicts, self.refused, self.by_python):
            learnt.clear()
        return Unstable(self)

    def with_lists_of_items(self, generators: set[Any]) -> Unstable:
        """From now on the items of these generators are first put into a list: the program is evaluated again."""
        self.by_python.clear()
        return self.changed(collected=generators)

    def linkable(self) -> set[type]:
        """The classes whose objects are to be rows of columns next: first those that loops make, then all."""
        displays = self.displays if self.displays_may_be_rows else {}
        several = self.unlinkable - self.perhaps_linkable, self.unlinkable
        for again, unlinkable in itertools.product((True, False), several):
            classes = {cls for cls, many in (self.instantiated | displays).items() if many or not again}
            classes -= unlinkable
            if displays and self.met - self.rows_at:  # with these the others may be rows, too
                classes |= displays.keys()
            if classes and (classes, self.met if self.displays_may_be_rows else set()) not in self.attempts:
                return classes
        return set()

    def note_met(self, *values: Abstract) -> None:
        """Notes of the tuples among these that they are joined with others, or with None: they may be rows."""
        for v in values:
            if isinstance(v, Tup) and v.place is not None:
                self.met.add(v.place)
                self.displays[class_of_items(v.items)] = True

    def note_tuples_in(self, v: Abstract) -> None:
        """The same of all tuples in a value."""
        self.note_met(v)
        for x in parts(v):
            self.note_tuples_in(x)

    def with_linked_objects(self, classes: set[type], refusal: SctError) -> Unstable:
        """From now on the objects of these classes are rows of columns: the program is evaluated again."""
        self.refusal, self.known_keys, self.known_arguments = refusal, False, False
        for learnt in (self.dicts, self.refused, self.by_python, self.lost, self.linked, self.fields,
                       self.constants, self.tables, self.forms):
            learnt.clear()
        if self.displays_may_be_rows:
            self.unlinkable -= self.displays.keys() & classes
            self.rows_at |= self.met
        self.unlinkable -= self.perhaps_linkable & classes
        self.attempts.append((classes, set(self.rows_at)))
        return self.changed(linked=classes)

    def reported(self, first: SctError) -> SctError:
        """The refusal to report: that of the program without rows, unless with them it is nearer to being accepted."""
        without = self.refusal
        if self.linked and without is not None and (
                first.code == "SCT208"
                or first.why == OF_ROWS and not came_further(without, first) and (
                    self.displays_may_be_rows or without.code in ("SCT108", "SCT502"))
                or without.why == OF_CLASSES and not self.unlinkable  # their attributes are not the reason
                or came_further(first, without)):
            self.refusal = first
        return self.refusal or first

    def unlinked(self, cls: type) -> Unstable:
        """The objects of this class are no rows of columns: the program is evaluated again."""
        self.unlinkable.add(cls)
        if self.by_python:
            self.perhaps_linkable.add(cls)
        self.layout.clear()
        self.linked.pop(cls, None)
        for learnt in (self.fields, self.forms):
            for key in [key for key in learnt if key[0] is cls]:
                del learnt[key]
        self.tables = {c: tuple(x for x in of if x is not cls) for c, of in self.tables.items() if c is not cls}
        return Unstable(self)

    def united(self, classes: Collection[type]) -> Unstable:
        """The objects of these classes are rows of one table: the program is evaluated again."""
        together = {c for cls in classes for c in self.tables.get(cls, (cls,))}
        return self.changed(tables=dict.fromkeys(together, tuple(sorted(together, key=self.linked.__getitem__))))

    def table(self, cls: type) -> Table:
        """The table of the objects of a class."""
        if cls not in self.layout:
            table = table_of(self.tables.get(cls, (cls,)), self.linked, self.fields, self.layout.values())
            self.layout.update(dict.fromkeys(table.classes, table))
        return self.layout[cls]

    def follows_views(self, places: set[tuple[int, int]] | None) -> bool:
        """Is the name of a view, whose places on two paths differ in these indices, an array and indices?"""
        self.moves |= places is not None
        return self.moving and places is not None

    def with_private_copies(self, refusal: SctError) -> Unstable | None:
        """From now on the attributes of classes that are written where this refusal is are private copies: the program
        is evaluated again.  None where there are none."""
        private = {at: write for at, write in self.open_writes.items() if write[0] == refusal.loc}
        if not private.keys() - self.written.keys():
            return None
        self.by_python.clear()
        return self.changed(written=private)

    def chooses_arrays(self) -> bool:
        """Is an item of a container of arrays, read by a key of run time, one of these arrays, and no copy of it?"""
        self.chooses = True
        return self.choosing

    def with_chosen_arrays(self) -> Unstable:
        """From now on it is: the program is evaluated again."""
        self.choosing = True
        self.dicts.clear()
        return Unstable(self)

    def refuse_unstable(self) -> NoReturn:
        """Each evaluation takes back what the one before has noted: the last refusal says where."""
        if self.refusals:
            raise self.refusals[-1]
        raise SctError("SCT204", "which functions call themselves or are called again changes with every evaluation",
                       hint="call fewer functions")

    def for_aliases(self) -> Unstable | None:
        """Another way to evaluate a program that writes through a name that may be an alias, if there is one left.

        Names of views are arrays and indices, then the rest of a block stands in each branch of a conditional.
        """
        if self.moves and not self.moving:
            self.moving = True
            return Unstable(self)
        more = self.ambiguous - self.duplicated
        return self.changed(duplicated=more) if more else None

    def note_rows_in_sets(self) -> None:
        """An object that is a row of columns is put into a set."""
        self.rows_in_sets = True

    def has_column_for_none(self) -> bool:
        """Is None in an item of a list in a column, as other values are?"""
        self.nones = True
        return self.columns_for_none

    def with_columns_for_none(self) -> Unstable:
        """From now on it is: the program is evaluated again."""
        self.columns_for_none = True
        return Unstable(self)

    def with_kinds_by_length(self) -> Unstable:
        """From now on tuples that begin with one string are of several kinds: the program is evaluated again."""
        self.kinds_by_length = True
        return Unstable(self)

    def note_mixed(self) -> None:
        """Notes that values of several kinds are in one place."""
        self.mixed = True

    def with_rereads(self) -> Unstable:
        """From now on arrays that Python may hold are copied where they are read: the program is evaluated again."""
        self.rereads = True
        return Unstable(self)

    @property
    def has_arguments(self) -> bool:
        """Are there arguments among the dicts whose keys are known only at run time?"""
        return any(isinstance(origin, DictArgument) for origin, _ in self.dicts)

    def changed(self, **members: Any) -> Unstable:
        """Notes what is outlined, or opaque, from now on: the program is evaluated again."""
        self.layout.clear()
        for name, more in members.items():
            getattr(self, name).update(more)
        return Unstable(self)


@dataclass(frozen=True, eq=False)
class Inlined:
    """A call that was evaluated in line: its function, the calls around it, and its equations."""

    site: Any
    outer_sites: tuple[Any, ...]
    first: Eqn
    last: Eqn
    size: int


def site_of(ev: Evaluator, frame: Frame, bound: Mapping[Key, Abstract]) -> Any:
    """The function for arguments of this kind; None where it is not one that can be called again."""
    kind = kind_of(ev, bound, any_length=frame.function in ALWAYS)
    return None if kind is None else (frame.code, kind)


def is_outlined(ev: Evaluator, site: Any) -> bool:
    """Is the function one of the program for arguments of this kind?"""
    plan = ev.functions.plan
    always = site is not None and site[0][1] in ALWAYS and not plan.in_line
    return (always or site in plan.repeated) and site not in plan.single


@contextmanager
def evaluated_in_line(ev: Evaluator, site: Any) -> Iterator[None]:
    """Notes the equations that a call adds to the program."""
    start, block = len(ev.b.eqns), ev.b
    ev.functions.inlining.append(site)
    try:
        yield
    finally:
        ev.functions.inlining.pop()
    eqns = block.eqns[start:]
    size = sum(1 for _ in walk(Fn("", (), tuple(eqns), ())))
    if site is None or size <= LONG or site in ev.functions.plan.single:
        return
    ev.functions.inlined.append(Inlined(site, tuple(ev.functions.inlining), eqns[0], eqns[-1], size))
    sizes = [each.size for each in ev.functions.inlined if each.site == site]
    if len(sizes) > 1 and sum(sizes) > TOO_MUCH:
        raise ev.functions.plan.changed(repeated={site})


def repeated(ev: Evaluator, fn: Fn) -> set[Any]:
    """The functions whose code is in `fn` more than once, without those inside another one of them."""
    if ev.functions.plan.in_line:
        return set()
    there = {eqn for f in (fn, *(f.fn for f in ev.functions if f.fn)) for eqn in walk(f)}
    in_program = [each for each in ev.functions.inlined if each.first in there and each.last in there]
    counts = Counter(each.site for each in in_program)
    again = {site for site, count in counts.items() if count > 1}
    return {each.site for each in in_program if each.site in again and not again.intersection(each.outer_sites)}


def called_once(ev: Evaluator, program: Fn) -> set[Any]:
    """The outlined functions that are called in only one place."""
    counts = Counter(eqn.attrs["callee"] for f in (program, *program.functions) for eqn in walk(f) if eqn.op is call)
    return {f.site for f in ev.functions
            if f.site is not None and f.site[0][1] not in ALWAYS and not f.recursive and counts.get(f.name) == 1}


def free_name(ev: Evaluator, name: str) -> str:
    """The name of a function of the program, made of the user's."""
    base = name if name.isidentifier() else "function"
    taken = {f.name for f in ev.functions}
    if ev.frames:  # a parameter of the function that is differentiated would hide it
        taken.update(parameters(ev.frames[0].source.node))
    return next(name for k in itertools.count() if (name := f"{base}_{k}" if k else base) not in taken)


@dataclass(eq=False)
class OutlinedFunction:
    """A function of the program, specialized for one kind of arguments.

    trees        how its arguments are arranged; `types` and `dims`: of its params, a dim where an int param is a size
    result       how its results are arranged, None if it never returns; `results`: their types
    aliasing     what its results share with its arguments
    fn           its IR, None until it is evaluated
    site         the function and the kind of arguments that it was outlined for, if it does not call itself
    in_progress  it is being evaluated; recursive: it was called meanwhile
    kinds_vary   a bool or None in its result is another value in other calls, so it is no constant of the result
    grown        lists in its result whose length differs between calls, by number: the kind of their items
    converged    the last evaluation, number `round`, changed neither params nor results
    params_widened  a call in the last evaluation widened its params
    fresh_sizes  the sizes of its results are not taken from the evaluation before
    written_slots  slots of objects, lists and dicts of the caller that it writes: the container, as an argument of
                 number `which`, and the position; their values at its end are results
    assumes      the functions in progress whose results it used, with the round of these results
    """

    name: str
    trees: Mapping[Key, ArgumentTree]
    types: list[Type]
    dims: list[Dim | None]
    result: ArgumentTree | None = None
    results: list[Type] = field(default_factory=list)
    aliasing: Aliasing = field(default_factory=Aliasing)
    params: tuple[Value, ...] = ()
    fn: Fn | None = None
    site: Any = None
    in_progress: bool = False
    recursive: bool = False
    kinds_vary: bool = False
    grown: dict[int, Rows] = field(default_factory=dict)
    converged: bool = False
    params_widened: bool = False
    fresh_sizes: bool = False
    written_slots: dict[tuple[int, int], Container] = field(default_factory=dict)
    round: int = 0
    assumes: dict[OutlinedFunction, int] = field(default_factory=dict)

    @property
    def is_current(self) -> bool:
        """Do the results that it assumed of other functions still hold?"""
        return self.fn is not None and all(f.round == n for f, n in self.assumes.items())

    def takes(self, ev: Evaluator, types: Sequence[Type], dims: Sequence[Dim | None]) -> bool:
        return (all(map(fits, types, map(rename_own_sizes, self.types)))
                and all(e is None or d == e for d, e in zip(dims, self.dims)) and _sizes_fit(ev, types, self.types))

    def doubted(self) -> Unstable:
        """Notes that a size of its results, as the evaluation before has found it, may be wrong."""
        self.fresh_sizes, self.result = True, None
        return Unstable(self)

    def widen(self, types: Sequence[Type], dims: Sequence[Dim | None]) -> None:
        self.converged, self.params_widened = False, True
        self.types = widened_types(self.types, types, self.name)
        self.dims = [e if e == d else None for d, e in zip(dims, self.dims)]


def _sizes_fit(ev: Evaluator, types: Sequence[Type], declared: Sequence[Type]) -> bool:
    """Are these sizes equal to the declared ones if those are sizes of arguments, and consistent with fresh symbols?"""
    values: dict[Dim, Dim] = {}
    for t, p in zip(map(leaf_type, types), map(leaf_type, declared)):
        if not isinstance(t, Tensor) or not isinstance(p, Tensor):
            continue
        for d, e in zip(map(ev.resolve, t.shape), map(ev.resolve, p.shape)):
            if (e if e.symbols <= ev.sizes.keys() else values.setdefault(e, d)) != d:
                return False
    return True
