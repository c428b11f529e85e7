"""The `try` statements in progress, and the places where a path has raised what they handle."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from sct.errors import Loc
from sct.frontend.state.parts import Changed, changed
from sct.frontend.state.store import Branch, Store
from sct.frontend.values.abstract_values import Abstract, Key, Poison, Static
from sct.ir import Builder, Eqn, Operand, Value

__all__ = ["UNKNOWN", "BlockPosition", "Class", "Split", "Tries", "is_slot", "parts_slot"]


UNKNOWN = Poison("an exception that the program does not make may be the one that is handled here")
"""What an exception carries that is not made by a call of its class in the program."""


def is_slot(key: Key) -> bool:
    """Is this the slot of a `try`, for its exception or for whether a path has raised?"""
    return key.name.startswith(("<raised", "<exception"))


@dataclass(frozen=True)
class Class:
    """A class of exceptions that is caught: its name in a text, or the operand that it is."""

    cls: type[BaseException]
    operand: Value | None = None

    @property
    def name(self) -> str:
        return self.cls.__name__ if self.cls.__module__ == "builtins" else f"{self.cls.__module__}.{self.cls.__name__}"

    def is_below(self, others: Iterable[Class]) -> bool:
        """Is it a subclass of one of these that has a name in a text?"""
        return any(c.operand is None and c.cls is not self.cls and issubclass(self.cls, c.cls) for c in others)

    def may_catch(self, raised: Iterable[type]) -> bool:
        """May it catch an exception of one of these classes?  `Exception` stands for any."""
        return any(issubclass(c, self.cls) or c is Exception for c in raised)


def parts_slot(exception: Key, of: Class) -> Key:
    """The slot of what the exception in this slot carries, if it is of this class."""
    return Key(exception.frame, f"{exception.name} {of.name}")


def _answers(cls: type, parts: Abstract, classes: tuple[type, ...], itself: bool) -> set[bool]:
    """What a test for these classes may say of an exception of the class, or of a class below it that is not known."""
    one = cls in classes if itself else issubclass(cls, classes)
    if not isinstance(parts, Poison) or one and not itself:
        return {one}
    return {one, False, any(issubclass(c, cls) for c in classes)}


@dataclass(eq=False)
class BlockPosition:
    """The place in the block `builder` before its equation number `at`."""

    builder: Builder
    at: int

    def __post_init__(self) -> None:
        self.behind = self.builder.eqns[-1] if self.builder.eqns else None

    @property
    def is_current(self) -> bool:
        """Does the block still contain the equation before this place?  It may have been evaluated again."""
        return self.at <= len(self.builder.eqns) and (self.at == 0 or self.builder.eqns[self.at - 1] is self.behind)


@dataclass(eq=False)
class Split(BlockPosition):
    """Where the path on which an operation raises leaves a block.

    test    tells the paths apart; `raises`: the value that it has where the operation raises
    branch  the path on which it raises
    slot    that of the `try` whose handlers it goes to
    """

    test: Value
    raises: bool
    branch: Branch
    slot: Key


@dataclass
class Tries:
    """The `try` statements in progress.

    handled   the classes of exceptions that they handle
    slot      says whether the path has raised, for the innermost; `exception`: the exception
    needed    is the exception read?
    blocks    blocks of equations that may be left where an operation raises
    splits    where they are left; `certain`: equations that do not raise, as the same equation before did not
    caught    the classes of what they may catch; `classes`: of exceptions that the program makes
    parts     what exceptions of the program carry, by the classes that they may have: tuples with named items, and
              objects of the class itself
    raised_at  the call that makes the exception which a `raise` in progress raises at once
    tests     what is asked of the class of an exception: by the exception and the test, the classes, and whether it
              must be one of these itself
    current   the exceptions that are being handled, the innermost last; `exceptions`: those that have a name
    bound     values that are bound where the body of the `try` with this slot has not raised
    passed    equations that have not raised on this path, with the places behind them
    taken     values that are taken for present ones, before it is known that the operation on them raises TypeError
              where they are None
    forks     how many statements and expressions with several paths have been evaluated
    handles_float_errors  the place of a handler of FloatingPointError; `sets_float_errors`: may the program itself let
              operations of NumPy raise it?
    """

    handled: tuple[Class, ...] = ()
    slot: Key | None = None
    exception: Key | None = None
    needed: bool = False
    blocks: tuple[Builder, ...] = ()
    splits: list[Split] = field(default_factory=list)
    certain: set[Eqn] = field(default_factory=set)
    caught: set[Class] = field(default_factory=set)
    classes: dict[Operand, type[BaseException]] = field(default_factory=dict)
    parts: dict[Operand, Mapping[Class, Abstract]] = field(default_factory=dict)
    tests: dict[Value, dict[Value, tuple[tuple[type, ...], bool]]] = field(default_factory=dict)
    current: tuple[Value | None, ...] = ()
    bound: dict[Value, Key | None] = field(default_factory=dict)
    exceptions: set[Operand] = field(default_factory=set)
    forks: int = 0
    raised_at: Loc | None = None
    passed: list[tuple[Eqn, BlockPosition]] = field(default_factory=list)
    taken: set[Operand] = field(default_factory=set)
    handles_float_errors: Loc | None = None
    sets_float_errors: bool = False

    def note_float_handler(self, place: Loc | None) -> None:
        """A `try` handles a FloatingPointError here."""
        self.handles_float_errors = self.handles_float_errors or place

    def note_float_errors(self) -> None:
        """The program itself may let operations of NumPy raise a FloatingPointError."""
        self.sets_float_errors = True

    def note_fork(self) -> None:
        """Something with several paths is evaluated."""
        self.forks += 1

    def none(self) -> Changed:
        """Nothing that is evaluated now is attempted."""
        return changed(self, handled=(), slot=None, exception=None, blocks=())

    def in_block(self, builder: Builder, outer: Builder) -> Changed:
        """A block in the block `outer`, which may be left if that may."""
        return changed(self, blocks=(*self.blocks, builder) if outer in self.blocks else self.blocks)

    def inside(self, handled: Sequence[Class], slot: Key, exception: Key, needed: bool, builder: Builder) -> Changed:
        """The body of a `try` that handles these classes."""
        return changed(self, handled=(*self.handled, *handled), slot=slot, exception=exception,
                       needed=needed or self.needed, blocks=(*self.blocks, builder), caught=set())

    def handling(self, exception: Value | None) -> Changed:
        """The handler of this exception."""
        return changed(self, current=(*self.current, exception))

    def raising(self, at: Loc) -> Changed:
        """A `raise` of what the call at this place makes."""
        return changed(self, raised_at=at)

    def leaves_from(self, at: Loc | None) -> bool:
        """Does an exception that the call at this place makes leave the function at once?"""
        return at is not None and at == self.raised_at and self.slot is None

    def take(self, builder: Builder, first: int) -> list[Split]:
        """The places from `first` on at which the block is left, which are settled now."""
        taken = [s for s in self.splits if s.builder is builder and s.at >= first and s.slot == self.slot]
        self.splits[:] = [s for s in self.splits if s not in taken]
        self.passed[:] = [(eqn, place) for eqn, place in self.passed if place.builder is not builder]
        return [s for s in taken if s.is_current]

    def same(self, eqn: Eqn) -> tuple[Value, ...] | None:
        """The results of an equal equation that has not raised on this path."""
        for other, place in self.passed:
            if place.builder in self.blocks and place.is_current and other.op is eqn.op and other.args == eqn.args \
                    and other.spelling == eqn.spelling and other.attrs == eqn.attrs:
                return other.outs
        return None

    def makes(self, error: Value, cls: type[BaseException], by: Eqn, parts: Abstract) -> None:
        """Notes that the program makes an exception of this class, which carries these parts."""
        self.classes[error] = cls
        self.parts[error] = {Class(cls): parts}
        self.certain.add(by)

    def asks(self, error: Value, test: Value, classes: Iterable[Class], itself: bool = False) -> None:
        """Notes a test whether the exception is of one of these classes; `itself`: of none below them."""
        self.tests.setdefault(error, {})[test] = tuple(c.cls for c in classes), itself

    def carried(self, store: Store, error: Operand) -> dict[Class, Abstract]:
        """What an exception carries, by the classes of which it may be by the tests on this path."""
        carried = dict(self.parts.get(error, {}))
        for test, (classes, itself) in self.tests.get(error, {}).items() if isinstance(error, Value) else ():
            _, answers = store.told.get(test, (True, frozenset()))
            if len(answers) == 1:
                holds = "True" in answers
                carried = {c: parts for c, parts in carried.items() if holds in _answers(c.cls, parts, classes, itself)}
        return carried

    def raises(self, store: Store, error: Value, classes: Iterable[Class]) -> None:
        """Notes the exception, of one of these classes, with which a path goes to the handlers, and what it carries."""
        assert self.exception is not None
        store.vars[self.exception] = error
        parts = self.parts.get(error, {})
        store.vars.update((parts_slot(self.exception, of), parts.get(of, UNKNOWN)) for of in classes)

    def enter_iteration(self, store: Store) -> None:
        """An iteration begins: the one before has not raised."""
        if self.slot is not None:
            store.vars[self.slot] = Static(False)

    def has_raised(self, store: Store) -> bool:
        """Does this path raise?"""
        return self.slot is not None and store.vars.get(self.slot) == Static(True)

    def exit_unless_raised(self, left: Store, right: Store, key: Key) -> Static | None:
        """The exit of one path, if it is known and the other path has raised: nobody reads the exit of that."""
        for path, other in ((left, right), (right, left)):
            exit = other.vars.get(key)
            if self.has_raised(path) and path.vars.get(key) == Static(0) and isinstance(exit, Static):
                return exit
        return None
