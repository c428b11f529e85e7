"""The abstract interpreter: its state, and the few operations that all handlers share.

Handlers of expressions and statements register themselves in `EXPRESSIONS` and
`STATEMENTS`, of what is called in `CALLS` and `SPECIAL`; a construct is accepted if and
only if there is a handler for it.
"""

from __future__ import annotations

import contextlib
import enum
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import ModuleType
from typing import Any, NoReturn

import numpy as np

from sct.errors import Loc, SctError
from sct.frontend.arguments.lift import lift, opaque
from sct.frontend.heap import dynamic_lists
from sct.frontend.heap.join_paths import merge
from sct.frontend.heap.store import AMBIGUOUS, Branch, Captured, Cells, Store, is_number
from sct.frontend.interpreter.handlers import (
    CALLS,
    EXPRESSIONS,
    INSTANCES,
    NO_KEYWORDS,
    SPECIAL,
    STATEMENTS,
    Args,
    Kwargs,
    Special,
    called,
    expression,
    instances,
    special,
    statement,
    unsupported,
)
from sct.frontend.root_function import anchors, innermost
from sct.frontend.source.name_liveness import Liveness
from sct.frontend.source.parse import SourceFunction, loc_of
from sct.frontend.values.abstract_values import (
    CAPTURED,
    NAMESPACE,
    Abstract,
    Array,
    Container,
    DictRef,
    FreeLeaf,
    Key,
    ListRef,
    ObjRef,
    Path,
    Perhaps,
    Poison,
    Ref,
    Slots,
    Static,
    Step,
    Tup,
)
from sct.frontend.values.guarded_numbers import Asked, Cut, asked, is_asked
from sct.frontend.values.guards import UNKNOWN, Facts, Guard, NeedsStatic
from sct.frontend.values.memory_layout import layout
from sct.frontend.values.own_methods import COMPUTING, HASHING, own_method
from sct.frontend.values.primal_record import Reading
from sct.ir import Builder, Eqn, Fn, Lit, Op, Operand, Value, free_values, is_effect, rebuild
from sct.ir.core import is_float
from sct.ir.foreign import class_in_words, conversion_hint
from sct.ir.interp import run
from sct.ir.real_ints import counts_as_real, unmark_real
from sct.ir.text import show
from sct.ir.types import INT, REAL, Dim, List, Opaque, Optional, Tensor, Type, TypeMismatch, Undef
from sct.ir.user_objects import is_user_class
from sct.ops import ELEMENTWISE, dim, fstring, python, raise_, stop_gradient, unwrap
from sct.ops.type_rules import numpy_dtype

__all__ = [
    "CALLS", "EXPRESSIONS", "INSTANCES", "SPECIAL", "STATEMENTS", "Args", "Dead", "Doubt", "Evaluator", "Frame",
    "Kwargs", "Special", "called", "expression", "instances", "special", "statement",
]

DATA = (bool, int, float, str, type(None), np.generic, np.ndarray, tuple, list, dict, set, frozenset)
"""Classes of what variables outside may be bound to anew, or hold anew, while the program runs."""


class Dead(Exception):
    """The path being evaluated raises for certain."""


class Doubt(Exception):
    """Sizes do not go together, which may be because of what is assumed of a function that calls itself."""

    def __init__(self, function: Any) -> None:
        self.function = function


@dataclass
class Frame:
    """A call in progress.

    function  the Python function that is called, or in which the one that is called was made
    locals   its variables; `outside` what it declares `global`
    parent   the call of the function around it
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
    returns: list[Any] = field(default_factory=list)
    now: frozenset[str] = frozenset()
    given: Mapping[str, Abstract] = field(default_factory=dict)
    returned_at: Loc | None = None

    @property
    def code(self) -> Any:
        """What is called: the text, as a part of the Python function that it stands in."""
        return self.source.node, self.function

    def home(self, name: str) -> Frame | None:
        """The call whose variable a name is here; None where it is of no function being evaluated."""
        if name in self.locals:
            return self
        return None if name in self.outside or self.parent is None else self.parent.home(name)

    def is_global(self, name: str) -> bool:
        """Is a name, which has no home, declared `global` here or in a function around?"""
        return name in self.outside or self.parent is not None and self.parent.is_global(name)


def is_array_of_numbers(made: Any, args: Sequence[Any]) -> bool:
    """Is this an array that is made of no other?"""
    types = [x.type for x in (made, *args) if isinstance(x, Value)]
    return [isinstance(t, Tensor) and t.is_array for t in types] == [True] + [False] * (len(types) - 1)


def _called(v: Static) -> str:
    """What an object that is found outside is called."""
    name = v.path[-1][1] if v.path is not None and len(v.path) > 1 else None
    return name if isinstance(name, str) and name.isidentifier() else "it"


_INSTEAD_OF_ASKING = dict.fromkeys(
    ("an index into a list", "an index into a list or tuple"), "use an array; or choose: `xs[0] if c else xs[1]`") | {
    "a key of a dict": "use an array, and ints as indices in place of keys"}
"""What to write where something has to be known, and is not."""


class Evaluator(Facts):
    """Walks functions and builds their IR.

    written_inside  what functions that are differentiated inside this one write, to their copies
    root     the function that is differentiated, from which paths start; `anchors` are the paths to what is called
               for it, by id: it itself, and what a partial or a method calls
    names    what defaults are called, by path
    reading  what the root does
    attributes  ahead of time: the types of those of the object that it is bound to
    store    what names are bound to, and the heap
    open     the blocks around the one being built, `b`: what is made in them may be read in it
    frames   the calls in progress; `all_frames` by id, those of closures that outlived them too
    defs     the equation that makes a value
    sites      what is evaluated as functions of their own; `functions` are these, `pinned`
               those of their params that have to be known
    inlined    the calls evaluated in line; `inlining` those in progress
    summing    what starts as a number and becomes an array is being added to
    augmenting  an array is written by an operator: NumPy names it twice where sizes do not go together
    generating  how many generator expressions are making an item
    few        the iterators whose items are taken one by one only if they are few
    heads      the loops being walked
    caches     functions with a cache found outside; `cache_states` what those that are called read
    read_outside  what was read of what is found outside, and may be something else at another call;
               `in_caches` how many calls of functions with a cache found outside are in progress
    container_written  where a list, dict or object of the arguments is first written
    given      what the call passes; `found_outside` the lists, dicts and objects that are read from outside
    known_whole  containers of libraries, found outside, what they hold being a fact; `changed` those
               that a call may change
    """

    def __init__(self, root: Any, sites: Any) -> None:
        super().__init__()
        self.root = root
        self.anchors = anchors(root)
        self.names: dict[Path, str] = {}
        self.reading: Reading | None = None
        self.b = Builder()
        self.open: list[Builder] = []
        self.captured = Captured()
        self.store = Store(Cells({}, self.captured))
        self.frames: list[Frame] = []
        self.all_frames: dict[int, Frame] = {}
        self.loc: Loc | None = None
        self.failure: tuple[Exception, Loc | None] | None = None
        self.defs: dict[Value | None, Eqn] = {}
        self.stands_for: dict[Value, Operand] = {}
        self.attributes: Mapping[str, Type] = {}
        self.free: dict[Any, Abstract] = {}
        self.free_leaves: list[FreeLeaf] = []
        self.identities: dict[Any, tuple[Path, Any]] = {}
        self.changed: set[int] = set()
        self.known_whole: set[int] = set()
        self.modules: dict[int, Any] = {}
        self.exit_kinds: dict[Value, frozenset[int]] = {}
        self.exit_falls: dict[Value, int] = {}
        self.iterated: set[int] = set()
        self.many_trips = False
        self.summing = False
        self.augmenting = False
        self.generating = 0
        self.few: set[int] = set()
        self.heads: list[Any] = []
        self.loop_memo: dict[Any, Any] = {}
        self.sites = sites
        self.inlined: list[Any] = []
        self.inlining: list[Any] = []
        self.functions: dict[Any, list[Any]] = {}
        self.evaluating: list[Any] = []
        self.pinned: dict[Any, set[str]] = {}
        self.caches: dict[Any, Any] = {}
        self.cache_states: dict[Any, Any] = {}
        self.read_outside: list[str] = []
        self.in_caches = 0
        self.containers: set[int] = set()
        self.entered: set[int] = set()
        self.containers_twice = False
        self.container_written: Loc | None = None
        self.given: tuple[Any, ...] = ()
        self.parameter_names: Collection[str] = ()
        self.found_outside: dict[Path, Any] = {}
        self.boundary = 0
        self.written_inside: set[int] = set()
        self.kept_outside: frozenset[int] = frozenset()
        self.returned_at: Loc | None = None
        self._next_addr = 0
        self._last_kept = 0
        self._last_object = 0
        self._next_frame = 0

    # -- refusals ------------------------------------------------------------------------

    def refuse(self, code: str, what: str, *, why: str = "", hint: str = "", node: Any = None) -> NoReturn:
        loc = loc_of(node, self.frames[-1].source.file) if node is not None and self.frames else self.loc
        raise SctError(code, what, why=why, hint=hint, loc=loc)

    def refuse_object(self, v: Value, use: str) -> NoReturn:
        """Refuse a use of an object that is no number and no array; one that is passed is named."""
        if v not in self.params or (x := self.leaves[self.params.index(v)]) is UNKNOWN:
            self.refuse("SCT207", f"{use} an object that sct cannot see into",
                        why="nothing is known of what the function that made it returns",
                        hint="compute it outside the differentiated function")
        self.refuse("SCT506", f"{use} {class_in_words(x)} is not supported",
                    hint=conversion_hint(x, v.hint or "it") or "pass numbers and arrays")

    # -- dispatch ----------------------------------------------------------------------------

    def eval(self, node: Any) -> Abstract:
        """The abstract value of an expression."""
        handler = EXPRESSIONS.get(type(node))
        if handler is None:
            word, why, hint = unsupported(node)
            self.refuse("SCT101", f"`{word}` is not supported", why=why, hint=hint, node=node)
        before, self.loc = self.loc, loc_of(node, self.frames[-1].source.file)
        try:
            result: Abstract = handler(self, node)
        except Exception as error:
            self.failed(error)
            raise
        finally:
            self.loc = before
        if isinstance(result, Poison):
            self.refuse("SCT502", "this value cannot be used", why=result.reason, node=node,
                        hint="give it the same type on every path")
        return result

    def failed(self, error: Exception) -> None:
        """Note where an error of sct's own came up; that types do not match is a refusal."""
        if isinstance(error, TypeMismatch):
            self.refuse("SCT501", str(error), hint=error.hint)
        if isinstance(error, Cut):
            self.cut("a number that is differentiated is computed with where its value is known")
        if self.failure is None or self.failure[0] is not error:
            self.failure = error, self.loc

    def exec(self, node: Any) -> None:
        """Run one statement."""
        handler = STATEMENTS.get(type(node))
        if handler is None:
            word, why, hint = unsupported(node)
            self.refuse("SCT101", f"`{word}` is not supported", why=why, hint=hint, node=node)
        before, self.loc = self.loc, loc_of(node, self.frames[-1].source.file)
        try:
            handler(self, node)
        except Exception as error:
            self.failed(error)
            raise
        finally:
            self.loc = before

    def call(self, fn: Abstract, args: Args, kwargs: Kwargs = NO_KEYWORDS) -> Abstract:
        """`fn(*args, **kwargs)`."""
        caller = CALLS.get(type(fn))
        if caller is None:
            self.refuse("SCT203", "this object cannot be called")
        return caller(self, fn, args, kwargs)

    # -- blocks and paths -------------------------------------------------------------------

    @contextlib.contextmanager
    def inside(self, branch: Branch) -> Iterator[Branch]:
        """Evaluate on the path `branch`, from where it stands."""
        outer = self.store
        self.store = branch.store
        try:
            with self.block(branch.builder):
                yield branch
        finally:
            branch.store = self.store
            self.store = outer

    def fork(self) -> Branch:
        """A new path that starts here."""
        return Branch(self.store.copy(), Builder())

    def branch(self, pred: Operand, then: Callable[[], Abstract | None], orelse: Callable[[], Abstract | None],
               live: Callable[[Key], bool] | None = None) -> Any:
        """Evaluate both branches and join them; the join of what the thunks return."""
        branches = []
        for thunk in (then, orelse):
            with self.inside(self.fork()) as branch:
                try:
                    branch.extra = thunk()
                except Dead:
                    self.store.dead = True
            branches.append(branch)
        made = self.join(pred, branches[0], branches[1], live or self.live_in_statement)
        if self.store.dead:
            raise Dead
        return made

    def either(self, pred: Operand, then: Callable[[], Any], orelse: Callable[[], Any],
               live: Callable[[Key], bool]) -> None:
        """Run one of two paths and join them; the store is dead if both raise."""
        branches = []
        for thunk in (then, orelse):
            with self.inside(self.fork()) as branch:
                try:
                    thunk()
                except Dead:
                    self.store.dead = True
            branches.append(branch)
        self.join(pred, branches[0], branches[1], live)

    def join(self, pred: Operand, left: Branch, right: Branch, live: Callable[[Key], bool]) -> Any:
        self.store, extra = merge(self, pred, left, right, live)
        return extra

    def live_in_statement(self, key: Key) -> bool:
        """May the slot still be read, by the statements in progress or after them?"""
        if key.name.startswith("<"):
            return any(f.id == key.frame for f in self.frames)
        for frame in self.frames:
            if frame.id == key.frame:
                return key.name in frame.now or key.name in frame.live.captured
        return True

    def live_after(self, names: frozenset[str]) -> Callable[[Key], bool]:
        """Liveness of slots where `names` of the current function are live."""
        frame = self.frames[-1].id
        captured = self.frames[-1].live.captured

        def live(key: Key) -> bool:
            if key.frame == frame and not key.name.startswith("<"):
                return key.name in names or key.name in captured
            return self.live_in_statement(key)

        return live

    # -- exits ---------------------------------------------------------------------------------

    @property
    def exit_key(self) -> Key:
        return Key(self.frames[-1].id, "<exit>")

    @property
    def exit(self) -> Abstract:
        return self.store.vars[self.exit_key]

    @exit.setter
    def exit(self, value: Abstract) -> None:
        self.store.vars[self.exit_key] = value

    def kinds_of(self, x: Operand) -> frozenset[int]:
        if isinstance(x, Lit):
            return frozenset({x.value}) if type(x.value) is int else frozenset()
        return self.exit_kinds.get(x, frozenset())

    def falls_of(self, x: Operand) -> int:
        """The least exit that leaves where `x` is the exit of a loop just left; 0 elsewhere."""
        return self.exit_falls.get(x, 0) if isinstance(x, Value) else 0

    # -- operands --------------------------------------------------------------------------------

    def new_addr(self) -> int:
        self._next_addr += 1
        return self._next_addr

    def new_list(self, items: tuple[Abstract, ...]) -> ListRef:
        addr = self.new_addr()
        self.store.cells[addr] = Slots(items)
        return ListRef(addr)

    def new_dict(self, entries: Mapping[Any, Abstract]) -> DictRef:
        addr = self.new_addr()
        self.store.cells[addr] = Slots(tuple(entries.values()), tuple(entries))
        return DictRef(addr)

    def new_object(self, cls: type, attributes: Mapping[str, Abstract]) -> ObjRef:
        addr = self.new_addr()
        self.store.cells[addr] = Slots(tuple(attributes.values()), tuple(attributes))
        return ObjRef(addr, cls)

    def slots(self, v: Container) -> Slots:
        """The slots of a container, as they are now."""
        cell = self.store.cells[v.addr]
        assert isinstance(cell, Slots)
        if cell.rows is None:
            dynamic_lists.fresh(self, cell)
        return cell

    def new_frame_id(self) -> int:
        self._next_frame += 1
        return self._next_frame

    def lit(self, v: Abstract) -> Operand:
        assert isinstance(v, (Value, Static))
        return v if isinstance(v, Value) else Lit(v.value)

    def emit(self, op: Op, *args: Operand | float | None, spelling: str | None = None, **attrs: Any) -> Any:
        """Add an equation; type errors of the op become refusals."""
        self.agree_sizes(op, args, attrs)
        if any(map(is_asked, attrs.values())):
            self.cut(f"an option of `{op.name}` depends on a differentiated input")
        try:
            made = self.b.emit(op, args, attrs, spelling=spelling, loc=self.loc)
        except TypeMismatch as error:
            for x in args:
                if isinstance(x, Value) and isinstance(x.type, Opaque):
                    self.refuse_object(x, f"`{op.name}` of")
            self.doubt()
            self.refuse("SCT501", str(error), hint=error.hint)
        self.defs.update(dict.fromkeys(made if isinstance(made, tuple) else [made], self.b.eqns[-1]))
        if any(isinstance(x, Value) and x.type == REAL for x in args) and is_array_of_numbers(made, args):
            ints = [Value(INT) if isinstance(x, Value) and x.type == REAL else x for x in args]
            other = Builder().emit(op, ints, attrs, spelling=spelling)
            if isinstance(other, Value) and other.type != made.type:
                self.refuse("SCT501", "the dtype of this array is not known",
                            why="what it is made of is an int on one path and a float on another",
                            hint="make it a float on all: `float(...)`")
        return made

    def doubt(self) -> None:
        """Raise where a size may be wrong: what a function gives that is still being evaluated is assumed."""
        for f in reversed(self.evaluating):
            if f.recursive and f.result is not None and not f.fresh_sizes:
                raise Doubt(f)

    def cannot_broadcast(self, arrays: Sequence[Value]) -> NoReturn:
        self.doubt()
        parts: list[Any] = ["operands could not be broadcast together with shapes "]
        sizes: list[Operand] = []
        for x in (*arrays, *arrays[:1]) if self.augmenting else arrays:
            rank = x.type.rank if isinstance(x.type, Tensor) else 0
            for k in range(rank):
                sizes.append(self.b.emit(dim, (x,), {"axis": k}))
                parts += ["(" if not k else ",", ("", "")]
            parts.append(",) " if rank == 1 else ") ")
        text = self.b.emit(fstring, sizes, {"parts": tuple(parts)})
        error = self.b.emit(python, (text,), {"callee": "ValueError"}, loc=self.loc)
        self.b.emit(raise_, (error,), loc=self.loc)
        raise Dead

    def call_op(self, op: Op, *args: Abstract, spelling: str | None = None, **attrs: Any) -> Abstract:
        """Apply an op to abstract values; an array result gets a cell of its own."""
        made = self.emit(op, *map(self.operand, args), spelling=spelling, **attrs)
        return self.wrap(made) if not isinstance(made, tuple) else Tup(tuple(map(self.wrap, made)))

    def wrap(self, v: Operand, *, origin: str = "fresh") -> Abstract:
        """An IR operand as an abstract value."""
        if isinstance(v, Lit):
            return Static(v.value)
        t = v.type.elem if isinstance(v.type, (Optional, Undef)) else v.type
        if isinstance(t, Tensor) and t.is_array:
            addr = self.new_addr()
            self.store.cells[addr] = Array(v, origin, layout=layout(self, v))
            return Ref(addr)
        if isinstance(t, List):
            return dynamic_lists.new_list(self, 0, [v], origin=origin)
        return v

    def operand(self, v: Abstract) -> Operand:
        """The IR operand that an abstract value is, read now."""
        if isinstance(v, Value):
            return self.defined(v) if isinstance(v.type, (Optional, Undef)) else v
        if is_number(v):
            assert isinstance(v, Static)
            return Lit(v.value)
        if isinstance(v, Ref):
            return self.read(v)
        if isinstance(v, Poison):
            self.refuse("SCT502", "this value cannot be used here", why=v.reason)
        what = {"Tup": "a tuple", "ListRef": "a list", "DictRef": "a dict", "ObjRef": "an object",
                "Perhaps": "a tuple that may be None", "Iteration": "an iterator"}.get(type(v).__name__)
        if what is None and isinstance(v, Static) and (hint := conversion_hint(v.value, _called(v))):
            self.refuse("SCT506", f"{class_in_words(v.value)} is not supported here",
                        hint=hint if v.path is None else f"make it {hint.removeprefix('pass ')} outside the function")
        what = what or (f"`{v.value!r}`" if isinstance(v, Static) else "a function")
        hint = f"use its value: `{v.value}.value`" if isinstance(v, Static) and isinstance(v.value, enum.Enum) else \
            "use a number or an array"
        self.refuse("SCT503", f"{what} is not supported here", hint=hint)

    def defined(self, v: Value) -> Value:
        """A value that may be None or unassigned, used as what it is otherwise."""
        made = v
        while isinstance(made.type, (Optional, Undef)):
            made = self.emit(unwrap, made)
            made.hint = v.hint
        return made

    def present(self, v: Perhaps) -> Tup:
        """The tuple, where it is read."""
        return v.of.with_(self.defined(x) if isinstance(x, Value) else x for x in v.of.items)

    def as_int(self, x: Any) -> Any:
        """Ints that count as real, where integers are needed."""
        return self.emit(stop_gradient, x) if isinstance(x, Value) and counts_as_real(x.type) else x

    def bound(self, v: Abstract) -> Abstract:
        """A value that some path does not assign, where it is read; it may still be None."""
        if not isinstance(v, Value) or not isinstance(v.type, Undef):
            return v
        if not isinstance(v.type.elem, Optional):
            return self.defined(v)
        made: Value = self.emit(unwrap, v, to=v.type.elem)
        made.hint = v.hint
        return made

    def variable(self, key: Key) -> Abstract:
        """What a name is bound to, where it is read: it raises where no path has bound it."""
        bound = self.store.is_bound(key)
        if isinstance(bound, Value):
            self.defined(bound)
        return self.store.vars[key]

    def read(self, ref: Ref) -> Operand:
        """The current contents of an array."""
        cell = self.store.cells[ref.addr]
        assert isinstance(cell, Array)
        self.is_array(cell)
        value = cell.value
        if isinstance(value, Value) and isinstance(value.type, (Optional, Undef)):
            value = self.defined(value)
        for step in ref.path:
            value = self.emit(step.op, value, *step.args, spelling=step.spelling, **step.attrs)
            value.hint = value.hint or step.name
        return value

    def is_array(self, cell: Array) -> None:
        """Refuses what is a number in the first iteration of a loop, and is used as an array."""
        if cell.starts and not self.summing:
            self.becomes_array()

    @contextlib.contextmanager
    def as_array(self) -> Iterator[None]:
        """What starts as a number is looked at as the array that it becomes."""
        outer, self.summing = self.summing, True
        try:
            yield
        finally:
            self.summing = outer

    def becomes_array(
            self, why: str = "in the first trip it is a number, for more than arithmetic with an array of that shape",
    ) -> NoReturn:
        """Where iterations are written one after the other, the number and the array are two values."""
        raise NeedsStatic(Value(INT), SctError(
            "SCT108", "a number becomes an array in this loop", why=why,
            hint="start with an array: `v = np.zeros(n)`, `v = np.full(n, start)`", loc=self.loc))

    def starts(self, v: Abstract) -> bool:
        """Is this a number in the first iteration of a loop, and an array in the next?"""
        cell = self.store.cells[v.addr] if isinstance(v, Ref) else None
        return isinstance(cell, Array) and cell.starts

    def combined(self, op: Op, values: Sequence[Any], run: Callable[[], Abstract]) -> Abstract:
        """`run()`, the op of these values.

        Of what starts as a number and becomes an array, an elementwise one with an array of that shape is the same
        either way.
        """
        first = next(filter(self.starts, values), None)
        if first is None:
            return run()
        with self.as_array():
            shape = self.shape_of(first)
            others = [v for v in values if isinstance(v, Ref) and not self.starts(v)]
            if op not in ELEMENTWISE or all(self.shape_of(v) != shape for v in others):
                self.becomes_array()
            made = run()
            if self.resolved(self.type_of(made)) != self.resolved(self.type_of(first)):
                self.becomes_array()
        return made

    def shape_of(self, v: Abstract) -> tuple[Dim, ...]:
        """The shape of a number or an array, with what is known of sizes put in."""
        t = self.resolved(self.type_of(v))
        return t.shape if isinstance(t, Tensor) else ()

    def contents(self, ref: Ref) -> Operand:
        """What an array is, be it assigned or not: to be handed on, not to be used."""
        cell = self.store.cells[ref.addr]
        assert isinstance(cell, Array)
        return self.read(ref) if ref.path else cell.value

    def new_kept(self) -> int:
        """An address that stays the same at every walk of a loop."""
        self._last_kept -= 1
        return self._last_kept

    def type_of(self, v: Abstract) -> Type:
        """The type of a value without emitting anything that stays."""
        if isinstance(v, Ref) and not v.path:
            cell = self.store.cells[v.addr]
            assert isinstance(cell, Array)
            self.is_array(cell)
            t = cell.value.type
            return t.elem if isinstance(t, (Optional, Undef)) else t
        if isinstance(v, Ref):
            outer, self.b = self.b, Builder()
            try:
                return self.read(v).type
            finally:
                self.b = outer
        if isinstance(v, Value):
            return v.type
        return Lit(v.value).type if isinstance(v, Static) else Lit(None).type

    # -- what the function finds outside ----------------------------------------------------------

    def free_variable(self, holder: Any, name: str) -> Abstract:
        """A global or closure variable of the function `holder.function`."""
        function = holder.function
        if holder.is_cells:
            value = holder[name].cell_contents
            return self.lift(value, (*self.anchor(function), ("cell", name)))
        return self.lift(holder[name], (*self.module_of(function), ("global", name)))

    def module_of(self, function: Any) -> Path:
        """The anchor of all functions of one module: what two of them read is one variable."""
        main, path = innermost(self.root)
        if function is main or getattr(main, "__globals__", None) is not function.__globals__:
            return self.anchor(self.modules.setdefault(id(function.__globals__), function))
        self.identities["module", "is"] = (*path, ("attr", "__globals__")), function.__globals__
        return path

    def anchor(self, function: Any) -> Path:
        """Where the paths of what `function` holds begin: at the root, which is another at another call, or at the
        function itself."""
        return self.anchors.get(id(function), (function,))

    def rooted(self, f: Any) -> Static:
        """A callable; the root, and what it calls, is found again from the root."""
        path = self.anchors.get(id(f))
        if path is None or not is_user_class(type(f)) or hasattr(f, "__sct_transform__"):
            return Static(f, path)
        found = self.lift(f, path)
        assert isinstance(found, Static)
        return found

    def forget(self) -> None:
        """Let go of the arguments and the function: guards refer to this evaluator for as long as they live."""
        self.leaves, self.root, self.frames, self.all_frames, self.free = [], None, [], {}, {}
        self.store = Store(Cells({}, Captured()))

    def lift(self, obj: Any, path: Path | None = None) -> Abstract:
        """A Python object as an abstract value; numbers and arrays with a path become parameters."""
        if path is not None and isinstance(obj, DATA):
            self.read_outside.append(str(path[-1][-1]))
        return self.given_back(obj) if isinstance(obj, Asked) else lift(self, obj, path)

    def given_back(self, x: Asked) -> Abstract:
        """A number of the function where it leaves a set or is read of a key: what it was before it was asked."""
        if x.home is not self.b and x.home not in self.open:
            self.cut("a number that leaves a set, or is read of a key, depends on a differentiated input")
        return x.of

    def cut(self, what: str) -> NoReturn:
        """Refuse what would be a constant, and is none."""
        self.refuse("SCT401", what, why="its derivative would be cut silently: what is known carries none",
                    hint="use a list in place of a set or of keys; or pass sct.stop_gradient(...) of it")

    def lift_module(self, module: ModuleType) -> Abstract:
        """A module that the function imports."""
        return self.lift(module, (module,))

    def opaque(self, fn: Static) -> Value:
        """A callable that sct does not see into, as a parameter."""
        return opaque(self, fn)

    # -- asking ------------------------------------------------------------------------------------

    def ask(self, v: Abstract, what: str, assumed: Any = None) -> Any:
        """The run-time value of `v`, made a guard of this specialization; ahead of time what is `assumed`."""
        if isinstance(v, Static):
            return self.without_own(v, what, COMPUTING)
        if isinstance(v, Tup):
            items = tuple(self.ask(x, what) for x in v.items)
            return items if v.cls is tuple else v.cls(*items)
        x = self.operand(v)
        if isinstance(x, Lit):
            return x.value
        fn = self._slice(x, what)
        unknown = any(self.leaves[self.params.index(v)] is UNKNOWN for v in free_values(fn.replace(params=())))
        if unknown and assumed is None:
            self.refuse("SCT504", f"{what} must be known", why="there are no arguments to ask",
                        hint=f'give its value: --args "{self._given(fn)} = ...", or a default; or call the derivative')
        try:
            (value,) = [assumed] if unknown else run(fn, list(self.leaves))
        except (ArithmeticError, LookupError, ValueError, TypeError, AttributeError) as error:
            self.refuse("SCT504", f"{what} must be known", why=f"computing it raised {error!r}")
        if hasattr(value, "item") and getattr(value, "ndim", 0) == 0:
            value = value.item()
        if not isinstance(value, (bool, int, float, str, type(None))):
            self.refuse("SCT504", f"{what} must be known", why=f"it is a {type(value).__name__}")
        text = f"{x.hint or what} == {value!r}"
        self.guards.setdefault(f"{show(fn)} == {value!r}", Guard.asked(text, fn, value))
        return asked(value, x, self.b) if type(value) is float and self.is_varied(x) else value

    def key(self, v: Abstract, what: str = "a key of a dict") -> Any:
        """`ask`, of a key or an item of a set: it comes out again as the number that it was."""
        if isinstance(v, Tup):
            items = tuple(self.key(x, what) for x in v.items)
            return items if v.cls is tuple else v.cls(*items)
        if isinstance(v, Static):
            return self.without_own(v, what, HASHING)
        value = self.ask(v, what)
        x = self.operand(v)
        if not isinstance(x, Value) or type(value) not in (int, float):
            return value
        if self.is_varied(x):
            return asked(value, x, self.b)
        t = x.type
        return numpy_dtype(unmark_real(t).dtype).type(value) if isinstance(t, Tensor) and t.carrier == "np" else value

    def without_own(self, v: Static, what: str, names: Sequence[str]) -> Any:
        """An object with which Python itself computes; refused if that would run special methods of the user."""
        own = own_method(self, v.peek, names)
        if own is not None:
            cls, name = own
            self.refuse("SCT503", f"{what} is an object of class `{cls.__name__}`, which has its own `{name}`",
                        why="what that gives may be different in the next call",
                        hint="use a string, a number, or a member of an enum without special methods")
        return v.value

    def known(self, v: Abstract, what: str) -> Any:
        """`ask`, for Python itself to compute with: no number that is differentiated."""
        value = self.ask(v, what)
        if is_asked(value):
            self.cut(f"{what} depends on a differentiated input")
        return value

    def text(self, v: Abstract) -> Abstract:
        """An argument that is a string, where its value decides: asked."""
        return Static(self.ask(v, "this string")) if isinstance(v, Value) and isinstance(self.leaf_of(v), str) else v

    def leaf_of(self, v: Value) -> Any:
        """The argument that `v` is, where it is one; None ahead of time."""
        while v in self.stands_for:
            outer = self.stands_for[v]
            if not isinstance(outer, Value):
                return None
            v = outer
        leaf = self.leaves[self.params.index(v)] if v in self.params else UNKNOWN
        return None if leaf is UNKNOWN else leaf

    def _given(self, fn: Fn) -> str:
        """The first argument that a value is computed from."""
        return next((v.hint for v in free_values(fn.replace(params=())) if v.hint), "n")

    def is_varied(self, x: Operand) -> bool:
        """Has this number a derivative by what is being differentiated by?"""
        todo, seen = [x], {x}
        while todo:
            v = todo.pop()
            if isinstance(v, Lit) or not is_float(v):
                continue
            if v in self.stands_for:
                return True
            eqn = self.defs.get(v)
            if eqn is not None and eqn.op.nondiff is None:
                new = {a for k, a in enumerate(eqn.args) if k not in eqn.op.inactive} - seen
                seen |= new
                todo += new
        return False

    def _slice(self, x: Value, what: str) -> Fn:
        """The function of the leaves that computes `x`."""
        needed: dict[Eqn, None] = {}

        def visit(v: Operand) -> None:
            if isinstance(v, Lit) or v in self.params:
                return
            if v in self.stands_for:
                return visit(self.stands_for[v])
            eqn = self.defs.get(v)
            if eqn is None or is_effect(eqn):
                error = SctError("SCT505", f"{what} must be known when the function is compiled",
                                 why="it depends on what a loop, a branch or an effect computes",
                                 hint=_INSTEAD_OF_ASKING.get(what, ""), loc=self.loc)
                raise NeedsStatic(v, error)
            if eqn not in needed:
                for a in eqn.args:
                    visit(a)
                needed[eqn] = None

        visit(x)
        return rebuild(Fn("ask", tuple(self.params), tuple(needed), (x,)), self.outermost())

    def outermost(self) -> dict[Value, Operand]:
        """The operand of the function being built that a param of a region stands for."""
        found: dict[Value, Operand] = {}
        for p, x in self.stands_for.items():
            while isinstance(x, Value) and x in self.stands_for:
                x = self.stands_for[x]
            found[p] = x
        return found

    @contextlib.contextmanager
    def block(self, builder: Builder) -> Iterator[Builder]:
        """Build a region inside the current block."""
        self.open.append(self.b)
        self.b = builder
        try:
            yield builder
        finally:
            self.b = self.open.pop()

    # -- writing ------------------------------------------------------------------------------------------

    def writable(self, addr: int, what: str) -> Array | Slots:
        cell = self.store.cells[addr]
        if isinstance(cell, Slots) and cell.origin == "argument":
            self.container_written = self.container_written or self.loc
        if cell.frozen == dynamic_lists.HELD:
            self.refuse("SCT307", f"{what} into an array or list that a list of unknown length holds",
                        why="which names see the write is not known",
                        hint="put a copy into the list: `append(x.copy())`")
        if cell.frozen == NAMESPACE:
            self.refuse("SCT301", f"{what} that is the `__dict__` of an object", why="the object would change with it",
                        hint="write to the object: `o.name = v`, or `setattr(o, name, v)`")
        if cell.frozen and isinstance(cell, Slots):
            self.refuse("SCT301", f"{what} through a name that may stand for another one too",
                        why=cell.frozen.replace("this array", "it"),
                        hint="write in each branch, by the name that it has there")
        if cell.frozen:
            self.refuse("SCT301", f"{what} through a name that may stand for another one too", why=cell.frozen,
                        hint="write to a copy: `z = z.copy()`")
        if ("attr", "__defaults__") in self.captured.paths.get(addr, ()) or \
                ("attr", "__kwdefaults__") in self.captured.paths.get(addr, ()):
            self.refuse("SCT302", f"{what} that is the default of a parameter", why="the next call would see the write",
                        hint="let the default be None, and make it in the function; or pass it")
        if cell.origin == "captured" or 0 <= addr <= self.boundary or addr in self.kept_outside:
            self.refuse("SCT302", f"{what} that is not a local or an argument of the differentiated function",
                        why="its caller would see the write", hint="pass it as an argument, or copy it first")
        return cell

    def freeze(self, *addrs: int) -> None:
        """From here on these may be read, and not be written; what is captured is not written anyway."""
        for addr in (a for a in addrs if a > CAPTURED):
            self.store.cells[addr] = replace(self.store.cells[addr], frozen=AMBIGUOUS)

    def step(self, ref: Ref, op: Op, args: Sequence[Operand], attrs: Mapping[str, Any],
             spelling: str | None = None, readonly: bool = False) -> Ref:
        """The view `op(ref, *args)`."""
        step = Step(op, tuple(args), dict(attrs), spelling, readonly=readonly)
        return self.new_view(ref.addr, (*ref.path, step))

    def new_view(self, addr: int, path: tuple[Step, ...]) -> Ref:
        """Another Python object that sees this part of the buffer."""
        self._last_object += 1
        return Ref(addr, path, self._last_object)
