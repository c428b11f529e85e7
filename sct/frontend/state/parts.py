"""The parts of the state of an evaluation; each is changed by its own methods alone."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Set, Sized
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field
from typing import Any

from sct.errors import Loc
from sct.frontend.source.name_liveness import Liveness
from sct.frontend.source.parse import SourceFunction
from sct.frontend.state.store import Store
from sct.frontend.values.abstract_values import Abstract, FreeLeaf, Key, Path, Static
from sct.ir import Eqn, Fn, Lit, Operand, Value, walk
from sct.ir.types import Type

__all__ = ["Addresses", "Caches", "Changed", "Consumer", "Containers", "ExitCodes", "Frame", "Functions",
           "Loops", "Outside", "Snapshot", "Temporaries", "changed"]


Changed = AbstractContextManager[None]


@contextmanager
def changed(part: Any, **attributes: Any) -> Iterator[None]:
    """Gives a part other attributes for as long as something is evaluated."""
    before = {name: getattr(part, name) for name in attributes}
    vars(part).update(attributes)
    try:
        yield
    finally:
        vars(part).update(before)


@dataclass
class Frame:
    """A call in progress.

    function  the Python function that is called, or in which the called closure was created
    locals    its variables; `outside`: those that it declares `global`
    parent    the call of the enclosing function, for a closure
    live      the liveness of its variables; `now`: those live in the statement in progress
    assigned  the expression whose value the statement in progress assigns; `behind`: the variables live after it;
              `unpacked`: the same, if each item has a target
    unrolled  the number of its loops in progress that are no equation: those over generators, and unrolled ones
    copies    how many iterations of those that are unrolled there are, in one another
    may_loop  may one of those be a loop instead?
    returns   the `return` statements inside loops; `returned_at`: the place of the last `return`
    bound_at  the variables that are certainly bound where a `return` inside a loop and a `try` stands
    consumer  of a generator: the `Consumer` of its items; `left`: that may leave it before its end
    collector  of a generator whose items are first put into a list: the `Collector` of these
    called_at  the place of the call
    """

    id: int
    source: SourceFunction
    globals: Mapping[str, Any]
    cells: Mapping[str, Any]
    function: Any
    live: Liveness
    locals: set[str]
    parent: Frame | None = None
    outside: frozenset[str] = frozenset()
    loop_depth: int = 0
    unrolled: int = 0
    copies: int = 1
    may_loop: bool = False
    returns: list[Any] = field(default_factory=list)
    bound_at: dict[Any, list[str]] = field(default_factory=dict)
    now: frozenset[str] = frozenset()
    assigned: Any = None
    unpacked: Any = None
    behind: frozenset[str] = frozenset()
    arguments: Mapping[str, Abstract] = field(default_factory=dict)
    returned_at: Loc | None = None
    consumer: Consumer | None = None
    left: bool = False
    collector: Any = None
    called_at: Loc | None = None

    @property
    def code(self) -> Any:
        """Identifies the called code: its syntax, in the Python function that contains it."""
        return self.source.node, self.function

    def may_read(self, key: Key) -> bool:
        """Is this a call, or a generator expression, inside a function, and may it still read this variable of it?"""
        around = self.parent
        while around is not None and around.id != key.frame:
            around = around.parent
        return around is not None and key.name in self.now and key.name not in self.locals

    def living(self) -> Changed:
        """Evaluates statements, each of which says which variables are live in it."""
        return changed(self, now=self.now)

    def be_at(self, live: frozenset[str]) -> None:
        """Another statement is in progress, in which these variables are live."""
        self.now = live

    def note_call(self, loc: Loc | None) -> None:
        """It is called at `loc`."""
        self.called_at = loc

    def note_return(self, loc: Loc) -> None:
        """A value is returned at `loc`."""
        self.returned_at = self.returned_at or loc

    def note_leaving(self, leaves: bool) -> None:
        """The consumer of an item leaves the generator, or perhaps does."""
        self.left = self.left or leaves

    def binding(self, names: Set[str]) -> Changed:
        """Evaluates code that binds these variables, too."""
        return changed(self, locals=self.locals | names)

    def in_loop(self, live: frozenset[str]) -> Changed:
        """Evaluates an iteration, in and after which these variables are live."""
        return changed(self, now=live, loop_depth=self.loop_depth + 1)

    def unrolling(self, n: int) -> Changed:
        """Evaluates n iterations one by one."""
        return changed(self, copies=self.copies * max(n, 1))

    def trying(self) -> Changed:
        """Evaluates a loop that may be an equation instead."""
        return changed(self, may_loop=True)

    def in_unrolled_loop(self) -> Changed:
        """Evaluates an iteration of a loop that is no equation."""
        return changed(self, unrolled=self.unrolled + 1)

    def home(self, name: str) -> Frame | None:
        """The call whose variable this name is; None if it belongs to no function that is being evaluated."""
        if name in self.locals:
            return self
        return None if name in self.outside or self.parent is None else self.parent.home(name)

    def is_global(self, name: str) -> bool:
        """Is the name declared `global` here or in an enclosing function?"""
        return name in self.outside or self.parent is not None and self.parent.is_global(name)


@dataclass(frozen=True, eq=False)
class Consumer:
    """What runs for each item that a generator yields: the body of a loop over it.

    frame       the call in which the loop stands; `take`: runs the body for an item, and sets the exit of `frame`
    live        the variables of `frame` that are live between two items; `binds`: those that the body binds
    generators  those that computed an item when the loop began, as in `State.generators_in_progress`
    loc         the place of the loop; `plain`: a `break` goes on behind it, as the end of the generator does
    manages     it is the body of a `with`: whatever its exit, the generator goes on behind its `yield`
    size        the number of its statements; `copies`: how many copies of it the program has
    """

    frame: Frame
    take: Callable[[Abstract], None]
    live: frozenset[str]
    binds: frozenset[str]
    generators: tuple[int, ...]
    loc: Loc | None
    plain: bool = True
    manages: bool = False
    size: int = 1
    copies: int = 1

    def bound(self) -> Iterator[Key]:
        """The variables that an item binds, in all calls that it is handed on to."""
        yield from (Key(self.frame.id, name) for name in self.binds)
        if self.frame.consumer is not None:
            yield from self.frame.consumer.bound()


@dataclass(frozen=True)
class Snapshot:
    """The state of an evaluation at one moment."""

    store: Store
    eqns: list[Eqn]
    last_addr: int
    sites: frozenset[Any]
    temporaries: int


@dataclass
class Outside:
    """The differentiated function, and what it reads from outside.

    root, anchors    the function; the paths to what it calls as a partial or a method, by id
    arguments        the arguments of the call; `parameter_names`: the names that free variables must not have
    attribute_types  ahead of time: the types of the attributes of the object that a method is bound to
    free             free variables by path; `leaves`: their numbers and arrays, which are keyword parameters
    facts            facts about free variables that each call checks
    reads            names whose value may differ in the next call
    default_names    names of the defaults of parameters, by path; `modules`: a function of each module, by its globals
    """

    root: Any
    anchors: Mapping[int, Path]
    arguments: tuple[Any, ...] = ()
    parameter_names: Collection[str] = ()
    attribute_types: Mapping[str, Type] = field(default_factory=dict)
    free: dict[Any, Abstract] = field(default_factory=dict)
    leaves: list[FreeLeaf] = field(default_factory=list)
    facts: dict[Any, tuple[Path, Any]] = field(default_factory=dict)
    reads: list[str] = field(default_factory=list)
    default_names: dict[Path, str] = field(default_factory=dict)
    modules: dict[int, Any] = field(default_factory=dict)

    def called_with(self, arguments: tuple[Any, ...], names: Collection[str]) -> None:
        self.arguments, self.parameter_names = arguments, names

    def typed(self, attributes: Mapping[str, Type], names: Collection[str]) -> None:
        """Ahead of time, types stand for the arguments and the attributes."""
        self.attribute_types, self.parameter_names = attributes, names

    def note(self, path: Path, how: str, fact: Any, at: Any = None) -> None:
        """Each call checks this fact about the object at `path`; `at`: what the fact is about, if not the object."""
        self.facts[path if at is None else at, how] = path, fact

    def forget(self) -> None:
        self.root, self.free = None, {}


@dataclass
class Containers:
    """Lists, dicts and objects of arguments and free variables.

    passed        those in the arguments, by id; `passed_twice`: one is
    written       where one is first written
    compared      where it first matters whether two are one object, and what the function does there
    copied        arrays of arguments in deep copies, in which one array stays one
    identities    is any array or container compared by identity, also one that the function has created?
    in_progress   objects that are being traversed; nested: what lists in lists are, "from outside" or "written"
    outside       those read from outside, by path
    maps          are dicts of many alike values, in the arguments, one value each?
    records       are lists of records and of strings one value? `count`: the number of items of those that are
    guarded       those of libraries whose items are guarded; `changed`: those that a call of the function may change
    sets          sets that expressions of the function make, by id, and the places of the expressions
    classes       classes that the function makes, by the frame and the place of the call
    deques        the places of calls that make deques of Python, since sct need not see into them
    chosen        by the address of an array or container that two paths do not agree on: the places of the conditionals
    passed_out    the addresses of arrays and containers that objects of Python may hold
    unordered     classes of objects in lists whose attributes may be in another order than that of their columns
    """

    passed: set[int] = field(default_factory=set)
    passed_twice: bool = False
    written: Loc | None = None
    compared: tuple[Loc, str] | None = None
    copied: set[Value] = field(default_factory=set)
    identities: bool = False
    in_progress: set[int] = field(default_factory=set)
    outside: dict[Path, Any] = field(default_factory=dict)
    maps: bool = False
    records: int = True
    count: int = 0
    guarded: set[int] = field(default_factory=set)
    changed: set[int] = field(default_factory=set)
    nested: set[str] = field(default_factory=set)
    sets: dict[int, tuple[set[Any], Any]] = field(default_factory=dict)
    classes: dict[Any, type] = field(default_factory=dict)
    deques: set[Any] = field(default_factory=set)
    chosen: dict[int, frozenset[Any]] = field(default_factory=dict)
    passed_out: set[int] = field(default_factory=set)
    unordered: set[type] = field(default_factory=set)

    def note_choice(self, place: Loc | None, ambiguous: Iterable[int], addrs: Mapping[Any, int]) -> None:
        """Notes where two paths meet that do not agree on which names share these arrays and containers.

        addrs  the addresses that the join has made, by those on the two paths
        """
        for addr in ambiguous:
            self.chosen[addr] = self.chosen.get(addr, frozenset()) | {place}
        for pair, addr in addrs.items():
            self.chosen[addr] = frozenset().union(*(self.chosen.get(each, ()) for each in (addr, *pair)))

    def places_of_sets(self, *values: Any) -> set[Any]:
        """The places of the expressions of the function that have made those of these values that are sets."""
        of_values = (self.sets.get(id(v.peek)) for v in values if isinstance(v, Static))
        return {place for _, place in filter(None, of_values)}

    def take_lists(self, records: int, maps: bool) -> None:
        """Lists of records and of strings, and dicts of many values, are one value, or are evaluated item by item."""
        self.records, self.maps = records, maps

    def note_records(self, xs: Sized) -> None:
        """Notes a list of records or of strings that is one value."""
        self.count += len(xs)

    def pass_on(self, x: Any) -> None:
        """Notes a container of the arguments."""
        self.passed_twice = self.passed_twice or id(x) in self.passed
        self.passed.add(id(x))

    def note_write(self, loc: Loc | None) -> None:
        self.written = self.written or loc

    def note_identity(self) -> None:
        self.identities = True

    def note_comparison(self, loc: Loc | None, what: str = "compares them by identity") -> None:
        self.compared = self.compared or (None if loc is None else (loc, what))


@dataclass
class Addresses:
    """The numbers given to cells, to views and to frames; `kept`: of cells that stay in every evaluation of a loop."""

    last: int = 0
    last_kept: int = 0
    last_object: int = 0
    last_frame: int = 0

    def new(self) -> int:
        self.last += 1
        return self.last

    def new_kept(self) -> int:
        self.last_kept -= 1
        return self.last_kept

    def new_object(self) -> int:
        self.last_object += 1
        return self.last_object

    def new_frame(self) -> int:
        self.last_frame += 1
        return self.last_frame

    def reset(self, last: int, last_frame: int) -> None:
        """Gives the same numbers again, to another evaluation of a loop."""
        self.last, self.last_frame = last, last_frame


@dataclass
class ExitCodes:
    """The meaning of exit codes: the exits that a code may stand for, and the least of them that goes further."""

    kinds: dict[Value, frozenset[int]] = field(default_factory=dict)
    least: dict[Value, int] = field(default_factory=dict)

    def kinds_of(self, x: Operand) -> frozenset[int]:
        """The exits that this exit code may be; none if it is no exit code."""
        if isinstance(x, Lit):
            return frozenset({x.value}) if type(x.value) is int else frozenset()
        return self.kinds.get(x, frozenset())

    def least_of(self, x: Operand, otherwise: int = 1) -> int:
        """The least exit that goes further, if `x` is the exit code of a loop just left."""
        return self.least.get(x, otherwise) if isinstance(x, Value) else otherwise


@dataclass
class Loops:
    """The loops in progress.

    heads   their heads; `memo`: what earlier rounds have learnt, by loop and call path
    lists   addresses of lists that a loop runs over; `pools`: of those whose items are the same in all iterations;
            `few_items`: iterators that are unrolled only if they are short
    many_iterations  the innermost loop has too many iterations to be unrolled
    copies  how many copies of what is evaluated the program has, since it stands in loops over generators
    """

    heads: list[Any] = field(default_factory=list)
    memo: dict[Any, Any] = field(default_factory=dict)
    lists: set[int] = field(default_factory=set)
    pools: set[int] = field(default_factory=set)
    few_items: set[int] = field(default_factory=set)
    many_iterations: bool = False
    copies: int = 1

    def inside(self, head: Any, many_iterations: bool) -> Changed:
        return changed(self, heads=[*self.heads, head], many_iterations=many_iterations)

    def over(self, lists: set[int]) -> Changed:
        return changed(self, lists=self.lists | lists)

    def over_pools(self, pools: set[int]) -> Changed:
        return changed(self, lists=self.lists | pools, pools=self.pools | pools)

    def over_none(self) -> Changed:
        """In a heap of its own a function has other lists than those that its callers' loops run over."""
        return changed(self, lists=set(), pools=set())

    def copied(self, copies: int) -> Changed:
        return changed(self, copies=copies)

    def forget(self, but: Collection[Any]) -> None:
        """Drops what was learnt about other loops: their addresses are used again."""
        for site in self.memo.keys() - but:
            del self.memo[site]


@dataclass
class Temporaries:
    """Values that are held while others are evaluated, as they stand on Python's stack: no name need be bound to them.

        w * swap()   ->   `w` is held while `swap` is called, which may bind that name to another array
    """

    values: list[Abstract] = field(default_factory=list)

    def hold(self, v: Abstract) -> Abstract:
        """Holds a value that may be, or contain, an array or a container."""
        if not isinstance(v, (Static, Value)):
            self.values.append(v)
        return v

    def release(self, v: Abstract) -> None:
        """The value is read for the last time."""
        self.values[:] = [x for x in self.values if x is not v]

    def keep(self, count: int) -> None:
        """Keeps the first `count` of them."""
        del self.values[count:]

    @contextmanager
    def dropped(self) -> Iterator[None]:
        """Forgets afterwards what is held meanwhile."""
        count = len(self.values)
        try:
            yield
        finally:
            self.keep(count)


@dataclass
class Functions:
    """Functions of the program.

    plan         which functions are outlined
    specialized  the outlined functions, by kind of arguments; `pinned`: their params that must be known
    grown        the lists that they are given, and into which they put the first items: the kind of these
    in_progress  those that are being evaluated
    inlined      calls evaluated in line; `inlining`: those that have not returned
    recomputes   the next call is of a checkpointed function
    """

    plan: Any
    specialized: dict[Any, list[Any]] = field(default_factory=dict)
    pinned: dict[Any, set[str]] = field(default_factory=dict)
    grown: dict[Any, dict[int, Any]] = field(default_factory=dict)
    in_progress: list[Any] = field(default_factory=list)
    inlined: list[Any] = field(default_factory=list)
    inlining: list[Any] = field(default_factory=list)
    recomputes: bool = False

    def recompute(self, next_call: bool) -> bool:
        """Notes whether the next call is of a checkpointed function; what was noted before."""
        before, self.recomputes = self.recomputes, next_call
        return before

    def __iter__(self) -> Iterator[Any]:
        """All outlined functions."""
        return itertools.chain.from_iterable(self.specialized.values())

    def reached(self, fn: Fn) -> list[Fn | None]:
        """The outlined functions that `fn` calls, and those that they call; None for one that is being evaluated."""
        table = {f.name: f.fn for f in self}
        reached: dict[str, Fn | None] = {}
        todo: list[Fn | None] = [fn]
        while todo:
            callers = [f for f in todo if f is not None]
            names = {eqn.attrs["callee"] for f in callers for eqn in walk(f) if eqn.op.name == "call"} - reached.keys()
            reached.update((name, table[name]) for name in names)
            todo = [table[name] for name in names]
        return list(reached.values())

    def forget(self, function: Any) -> None:
        """Drops an outlined function."""
        for candidates in self.specialized.values():
            if function in candidates:
                candidates.remove(function)


@dataclass
class Caches:
    """Functions with a cache, and what their calls have read.

    depth      how many of these calls are in progress; constant: how many of them have arguments that are not
               differentiated
    branching  the refusals of functions that call themselves more than once
    entries    what was read of the rows of objects, by column and reference: the block, the equation's number in it,
               and its result
    """

    functions: dict[Any, Any] = field(default_factory=dict)
    states: dict[Any, Any] = field(default_factory=dict)
    branching: list[Any] = field(default_factory=list)
    depth: int = 0
    constant: int = 0
    entries: dict[Any, list[tuple[Any, int, Value]]] = field(default_factory=dict)

    def inside(self, of_constants: bool) -> Changed:
        return changed(self, depth=self.depth + 1, constant=self.constant + of_constants)
