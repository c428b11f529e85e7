"""The abstract interpreter: its state, and the few operations that all handlers share.

Handlers of expressions and statements register themselves in `EXPRESSIONS` and
`STATEMENTS`; a construct is accepted if and only if there is a handler for it.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NoReturn

import gast
import numpy as np

from sct.errors import Loc, SctError
from sct.frontend.source import Liveness, SourceFunction, loc_of
from sct.frontend.store import AMBIGUOUS, Arm, Cells, Store, is_number, merge
from sct.frontend.values import (
    Abstract,
    Array,
    Cell,
    DictRef,
    Key,
    Layout,
    Like,
    ListRef,
    Path,
    Poison,
    Ref,
    Slots,
    Static,
    Step,
    Tup,
)
from sct.ir import Builder, Eqn, Fn, Lit, Op, Operand, Value, free_values, rebuild
from sct.ir.interp import run
from sct.ir.types import REAL, Apply, Dim, Optional, Seq, Tensor, Type, TypeMismatch, Undef
from sct.ops import ELEMENTWISE, aliases, unwrap

__all__ = [
    "EXPRESSIONS", "STATEMENTS", "UNKNOWN", "Dead", "Evaluator", "Frame",
    "FreeLeaf", "Guard", "NeedsStatic", "expression", "statement",
]

Handler = Callable[["Evaluator", Any], Any]
EXPRESSIONS: dict[type, Handler] = {}
STATEMENTS: dict[type, Handler] = {}


def expression(*nodes: type) -> Callable[[Handler], Handler]:
    """Registers the handler of these expression nodes."""
    return _registrar(EXPRESSIONS, nodes)


def statement(*nodes: type) -> Callable[[Handler], Handler]:
    """Registers the handler of these statement nodes."""
    return _registrar(STATEMENTS, nodes)


def _registrar(table: dict[type, Handler], nodes: tuple[type, ...]) -> Callable[[Handler], Handler]:
    def register(handler: Handler) -> Handler:
        table.update(dict.fromkeys(nodes, handler))
        return handler

    return register


C_ORDER = frozenset(("zeros", "ones", "empty", "full", "arange", "linspace", "array", "concatenate", "stack",
                     "flatten", "matmul", "dot", "outer", "eye"))
"""Ops whose result is contiguous in C order."""


K_ORDER = frozenset(("copy", "astype", "eq", "ne", "lt", "le", "gt", "ge", "isnan", "isinf", "isfinite",
                     "logical_and", "logical_or", "logical_not", "logical_xor", "floor", "ceil", "sign"))
"""Ops, beside the differentiable elementwise ones, whose result lies as their operands do."""


class _Unknown:
    def __repr__(self) -> str:
        return "unknown"


UNKNOWN = _Unknown()
"""The value of an argument ahead of time."""


@dataclass(frozen=True)
class FreeLeaf:
    """A number or array that the function reads from outside: a keyword-only parameter."""

    name: str
    path: Path
    param: Value
    key: Any


class Dead(Exception):
    """The path being evaluated raises for certain."""


class NeedsStatic(Exception):
    """A value must be known at compile time, and depends on a loop index."""

    def __init__(self, value: Value, error: SctError) -> None:
        self.value, self.error = value, error


@dataclass
class Frame:
    """A call in progress."""

    id: int
    source: SourceFunction
    globals: Mapping[str, Any]
    cells: Mapping[str, Any]
    live: Liveness
    locals: set[str]
    parent: Frame | None = None
    loop_depth: int = 0
    returns: list[Any] = field(default_factory=list)
    now: frozenset[str] = frozenset()
    returned_at: Loc | None = None


@dataclass(frozen=True)
class Guard:
    """A fact about the arguments that a specialisation relies on."""

    text: str
    holds: Callable[[Sequence[Any]], bool]


class Evaluator:
    """Walks functions and builds their IR.

    params   the flat arguments of the function being built, free variables last
    leaves   their run-time values, what `ask` answers from; UNKNOWN ahead of time
    root     the function that is differentiated, from which paths start
    """

    def __init__(self) -> None:
        self.leaves: list[Any] = []
        self.params: list[Value] = []
        self.root: Any = None
        self.b = Builder()
        self.captured: dict[int, Cell] = {}
        self.store = Store(Cells({}, self.captured))
        self.frames: list[Frame] = []
        self.all_frames: list[Frame] = []
        self.loc: Loc | None = None
        self.defs: dict[Value | None, Eqn] = {}
        self.stands_for: dict[Value, Operand] = {}
        self.guards: dict[str, Guard] = {}
        self.free: dict[Any, Abstract] = {}
        self.free_leaves: list[FreeLeaf] = []
        self.identities: dict[Any, tuple[Path, Any]] = {}
        self.assumptions: dict[str, None] = {}
        self.exit_kinds: dict[Value, frozenset[int]] = {}
        self.exit_falls: dict[Value, int] = {}
        self.late_freezes: list[int] = []
        self.loop_memo: dict[Any, Any] = {}
        self.sizes: dict[str, tuple[int, int | None]] = {}
        self.size_names: dict[int, str] = {}
        self.containers: set[int] = set()
        self.containers_twice = False
        self.container_written = False
        self.same_size: dict[str, Dim] = {}
        self.boundary = 0
        self.returned_at: Loc | None = None
        self._next_addr = 0
        self._last_kept = 0
        self._next_frame = 0

    # -- refusals ------------------------------------------------------------------------

    def refuse(self, code: str, what: str, *, why: str = "", hint: str = "", node: Any = None) -> NoReturn:
        loc = loc_of(node, self.frames[-1].source.file) if node is not None and self.frames else self.loc
        raise SctError(code, what, why=why, hint=hint, loc=loc)

    # -- dispatch ----------------------------------------------------------------------------

    def eval(self, node: Any) -> Abstract:
        """The abstract value of an expression."""
        handler = EXPRESSIONS.get(type(node))
        if handler is None:
            self.refuse("SCT101", f"`{_construct(node)}` is not supported", node=node)
        before, self.loc = self.loc, loc_of(node, self.frames[-1].source.file)
        try:
            result: Abstract = handler(self, node)
        finally:
            self.loc = before
        return result

    def exec(self, node: Any) -> None:
        """Run one statement."""
        handler = STATEMENTS.get(type(node))
        if handler is None:
            self.refuse("SCT101", f"`{_construct(node)}` is not supported", node=node)
        before, self.loc = self.loc, loc_of(node, self.frames[-1].source.file)
        try:
            handler(self, node)
        finally:
            self.loc = before

    # -- blocks and paths -------------------------------------------------------------------

    @contextlib.contextmanager
    def inside(self, arm: Arm) -> Iterator[Arm]:
        """Evaluate on the path `arm`, from where it stands."""
        outer = self.store, self.b
        self.store, self.b = arm.store, arm.builder
        try:
            yield arm
        finally:
            arm.store = self.store
            self.store, self.b = outer

    def fork(self) -> Arm:
        """A new path that starts here."""
        return Arm(self.store.copy(), Builder())

    def branch(self, pred: Operand, then: Callable[[], Abstract | None], orelse: Callable[[], Abstract | None],
               live: Callable[[Key], bool] | None = None) -> Any:
        """Evaluate both arms and join them; the join of what the thunks return."""
        arms = []
        for thunk in (then, orelse):
            with self.inside(self.fork()) as arm:
                try:
                    arm.extra = thunk()
                except Dead:
                    self.store.dead = True
            arms.append(arm)
        made = self.join(pred, arms[0], arms[1], live or self.live_in_statement)
        if self.store.dead:
            raise Dead
        return made

    def either(self, pred: Operand, then: Callable[[], Any], orelse: Callable[[], Any],
               live: Callable[[Key], bool]) -> None:
        """Run one of two paths and join them; the store is dead if both raise."""
        arms = []
        for thunk in (then, orelse):
            with self.inside(self.fork()) as arm:
                try:
                    thunk()
                except Dead:
                    self.store.dead = True
            arms.append(arm)
        self.join(pred, arms[0], arms[1], live)

    def join(self, pred: Operand, left: Arm, right: Arm, live: Callable[[Key], bool]) -> Any:
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

    def new_frame_id(self) -> int:
        self._next_frame += 1
        return self._next_frame

    def lit(self, v: Abstract) -> Operand:
        assert isinstance(v, (Value, Static))
        return v if isinstance(v, Value) else Lit(v.value)

    def emit(self, op: Op, *args: Operand | float | None, spelling: str | None = None, **attrs: Any) -> Any:
        """Add an equation; type errors of the op become refusals."""
        args = self.agree_sizes(op, args)
        try:
            made = self.b.emit(op, args, attrs, spelling=spelling, loc=self.loc)
        except TypeMismatch as error:
            self.refuse("SCT501", str(error))
        self.defs[made if isinstance(made, Value) else None] = self.b.eqns[-1]
        return made

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
            self.store.cells[addr] = Array(v, origin, layout=self.layout(v))
            return Ref(addr)
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
        what = {"Tup": "a tuple", "ListRef": "a list", "DictRef": "a dict"}.get(type(v).__name__)
        what = what or (f"`{v.value!r}`" if isinstance(v, Static) else "a function")
        self.refuse("SCT503", f"{what} is not supported here", hint="use a number or an array")

    def defined(self, v: Value) -> Value:
        """A value that may be None or unassigned, used as what it is otherwise."""
        made = v
        while isinstance(made.type, (Optional, Undef)):
            made = self.emit(unwrap, made)
            made.hint = v.hint
        return made

    def as_int(self, x: Any) -> Any:
        """An int that the function is differentiated by counts as real; where an integer is
        needed, the same arithmetic on the int itself."""
        if not isinstance(x, Value) or x.type != REAL:
            return x
        if x in self.stands_for:
            return self.as_int(self.stands_for[x])
        eqn = self.defs.get(x)
        if eqn is None or eqn.regions:
            return x
        made = self.emit(eqn.op, *map(self.as_int, eqn.args), spelling=eqn.spelling, **eqn.attrs)
        return made if isinstance(made.type, Tensor) and made.type.kind == "i" else x

    def bound(self, v: Abstract) -> Abstract:
        """A value that some path does not assign, where it is read; it may still be None."""
        if not isinstance(v, Value) or not isinstance(v.type, Undef):
            return v
        if not isinstance(v.type.elem, Optional):
            return self.defined(v)
        made: Value = self.emit(unwrap, v, to=v.type.elem)
        made.hint = v.hint
        return made

    def read(self, ref: Ref) -> Operand:
        """The current contents of an array."""
        cell = self.store.cells[ref.addr]
        assert isinstance(cell, Array)
        value = cell.value
        if isinstance(value, Value) and isinstance(value.type, (Optional, Undef)):
            value = self.defined(value)
        for step in ref.path:
            value = self.emit(step.op, value, *step.args, spelling=step.spelling, **step.attrs)
        return value

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
        base = None if function is getattr(self.root, "__func__", self.root) else function
        if holder.is_cells:
            value = holder[name].cell_contents
            return self.lift(value, (base, ("cell", name)))
        return self.lift(holder[name], (base, ("global", name)))

    def lift(self, obj: Any, path: Path | None = None) -> Abstract:
        """A Python object as an abstract value; numbers and arrays with a path become parameters."""
        from sct.frontend.arguments import lift

        return lift(self, obj, path)

    def opaque(self, fn: Static) -> Value:
        """A callable that sct does not see into, as a parameter."""
        from sct.frontend.arguments import opaque

        return opaque(self, fn)

    def layout(self, x: Operand) -> Layout:
        """How the memory of an array lies."""
        if isinstance(x, Value) and x in self.stands_for:
            return self.layout(self.stands_for[x])
        if isinstance(x, Value) and x in self.params:
            return x
        eqn = self.defs.get(x) if isinstance(x, Value) else None
        if eqn is None:
            return False
        rank = self.rank(x)
        if eqn.op.name in C_ORDER or rank == 1 and aliases(eqn) == "none" or eqn.spelling == ".copy":
            return True
        if eqn.op.name in ("store", "add_at"):
            return self.layout(eqn.args[0])
        first = self.layout(eqn.args[0]) if eqn.op.name == "transpose" and eqn.attrs["axes"] is None else False
        if isinstance(first, (Value, Like)):
            return Like(first, True) if isinstance(first, Value) else Like(first.argument, not first.flipped)
        if eqn.op.name in ("reshape", "ravel") and self.rank(eqn.args[0]) == 1:
            return True  # or without gaps in C order, as what is computed from it
        if eqn.op not in ELEMENTWISE and eqn.op.name not in K_ORDER:
            return False
        found = {self.layout(a) for a in eqn.args if isinstance(a.type, Tensor) and a.type.rank == rank}
        one = found.pop() if len(found) == 1 else False
        return Like(one) if isinstance(one, Value) else one

    def rank(self, x: Operand) -> int:
        return x.type.rank if isinstance(x.type, Tensor) else 0

    def contiguous(self, layout: Layout) -> bool:
        """Is memory of this layout contiguous in C order?  Asked of an argument."""
        return layout if isinstance(layout, bool) else self._asked_layout(
            layout, "contiguous", lambda x: bool(x.flags.c_contiguous))

    def is_view(self, ref: Ref) -> bool | None:
        """Does this chain of views and reshapes share memory with its buffer?  None: not known.

        Tried on an array of the buffer's layout; that it does, or does not, is a guard.
        """
        cell = self.store.cells[ref.addr]
        assert isinstance(cell, Array)
        layout, t = cell.layout, self.type_of(Ref(ref.addr))
        if layout is False or not isinstance(t, Tensor) or any(leaf is UNKNOWN for leaf in self.leaves):
            return None
        try:
            steps = [(s, [self.ask(self.wrap(x), "a part of this view") for x in s.args]) for s in ref.path]
        except (NeedsStatic, SctError):
            return None
        if None in map(self.size_now, t.shape):
            return None
        sizes = dict(self.sizes)

        def shares(leaves: Sequence[Any]) -> bool:
            base = self._laid_out(layout, t, sizes, leaves)
            made = base
            for s, args in steps:
                made = s.op.run(made, *args, **s.attrs) if s.op.run else made
            return bool(np.shares_memory(base, made))

        now = shares(self.leaves)
        text = f"{ref} is {'a view' if now else 'a copy'}"
        self.guards[text] = Guard(text, lambda leaves: shares(leaves) == now)
        return now

    def _laid_out(self, layout: Layout, t: Tensor, sizes: Mapping[str, tuple[int, int | None]],
                  leaves: Sequence[Any]) -> Any:
        """An array of this layout."""
        if isinstance(layout, bool):
            return np.empty([_size(d, sizes, leaves) or 0 for d in t.shape])
        if isinstance(layout, Value):
            return leaves[self.params.index(layout)]
        return layout.of(leaves[self.params.index(layout.argument)])

    def _asked_layout(self, layout: Value | Like, what: str, fact: Callable[[Any], bool]) -> bool:
        argument = layout if isinstance(layout, Value) else layout.argument
        k = self.params.index(argument)

        def holds(leaves: Sequence[Any]) -> bool:
            return fact(leaves[k] if isinstance(layout, Value) else layout.of(leaves[k]))

        if self.leaves[k] is UNKNOWN:
            self.assumptions[f"{argument.hint} is {what}"] = None
            return True
        now = holds(self.leaves)
        text = f"{layout} is {'' if now else 'not '}{what}"
        self.guards[text] = Guard(text, lambda leaves: holds(leaves) == now)
        return now

    def ask_type(self, v: Abstract, kinds: tuple[type, ...]) -> bool:
        """isinstance of a number that may be an int or a float: asked."""
        value = self.ask(v, "the class of this number")
        return isinstance(value, kinds)

    # -- asking ------------------------------------------------------------------------------------

    def ask(self, v: Abstract, what: str) -> Any:
        """The run-time value of `v`, made a guard of this specialisation."""
        if isinstance(v, Static):
            return v.value
        x = self.operand(v)
        if isinstance(x, Lit):
            return x.value
        fn = self._slice(x, what)
        if any(self.leaves[self.params.index(v)] is UNKNOWN for v in free_values(fn.with_(params=()))):
            self.refuse("SCT504", f"{what} must be known", why="there are no arguments to ask",
                        hint="give its value a default, or call the derivative")
        try:
            (value,) = run(fn, list(self.leaves))
        except Exception as error:
            self.refuse("SCT504", f"{what} must be known", why=f"computing it raised {error!r}")
        if hasattr(value, "item") and getattr(value, "ndim", 0) == 0:
            value = value.item()
        if not isinstance(value, (bool, int, float, str, type(None))):
            self.refuse("SCT504", f"{what} must be known", why=f"it is a {type(value).__name__}")
        text = f"{x.hint or what} == {value!r}"
        self.guards.setdefault(text, Guard(text, lambda leaves: bool(run(fn, list(leaves))[0] == value)))
        return value

    def _slice(self, x: Value, what: str) -> Fn:
        """The function of the leaves that computes `x`."""
        needed: dict[Eqn, None] = {}

        def visit(v: Operand) -> None:
            if isinstance(v, Lit) or v in self.params:
                return
            if v in self.stands_for:
                return visit(self.stands_for[v])
            eqn = self.defs.get(v)
            if eqn is None or eqn.op.effect:
                error = SctError("SCT505", f"{what} must be known when the function is compiled",
                                 why="it depends on what a loop, a branch or an effect computes", loc=self.loc)
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
        outer, self.b = self.b, builder
        try:
            yield builder
        finally:
            self.b = outer

    # -- sizes -----------------------------------------------------------------------------------------

    def agree_sizes(self, op: Op, args: Sequence[Operand | float | None]) -> tuple[Operand | float | None, ...]:
        """Ask whether sizes that meet in a broadcast, and are not known to be equal, are."""
        if op.partials is not None or op.name in ("where", "maximum", "minimum", "clip"):
            shapes = [a.type.shape for a in args
                      if isinstance(a, Value) and isinstance(a.type, Tensor) and a.type.is_array]
            for shape in shapes[1:]:
                for p, q in zip(reversed(shapes[0]), reversed(shape)):
                    self.same(p, q)
        return tuple(args)

    def same(self, p: Dim, q: Dim) -> None:
        """Record that two sizes are equal, or that one is 1, where the arguments say so."""
        p, q = self.resolve(p), self.resolve(q)
        if p == q or p.value == 1 or q.value == 1 or p.never_one and q.never_one:
            return
        now = [self.size_now(d) for d in (p, q)]
        if None in now:
            return
        if now[0] == now[1]:
            self.equate(p, q)
        else:
            self.equate(p if now[0] == 1 else q, Dim(1))

    def agree(self, a: Type, b: Type) -> None:
        """Record which sizes of two types are equal, where the arguments say so."""
        while isinstance(a, (Optional, Undef)) or isinstance(b, (Optional, Undef)):
            a = a.elem if isinstance(a, (Optional, Undef)) else a
            b = b.elem if isinstance(b, (Optional, Undef)) else b
        if isinstance(a, Tensor) and isinstance(b, Tensor) and a.rank == b.rank:
            for p, q in zip(map(self.resolve, a.shape), map(self.resolve, b.shape)):
                now = self.size_now(p)
                if p != q and now is not None and now == self.size_now(q):
                    self.equate(p, q)

    def resolved(self, t: Type) -> Type:
        """A type with what is known of sizes put in."""
        if isinstance(t, Tensor):
            return Tensor(t.carrier, t.dtype, tuple(map(self.resolve, t.shape)))
        if isinstance(t, (Seq, Optional, Undef)):
            return type(t)(self.resolved(t.elem))
        return t

    def equate(self, p: Dim, q: Dim) -> None:
        """Make `p == q` a guard, and put it to use by solving it for a symbol."""
        rest = p - q
        name, coef = next(((a, c) for a, c in rest.terms if a in self.sizes and abs(c) == 1), (None, 0))
        if not isinstance(name, str) or name in (rest - Dim(0, ((name, coef),))).symbols:
            return
        self.same_size[name] = (rest - Dim(0, ((name, coef),))) * -coef
        text, sizes = f"{p} == {q}", dict(self.sizes)
        self.guards[text] = Guard(text, lambda leaves: _size(p, sizes, leaves) == _size(q, sizes, leaves))
        self.assumptions[text] = None

    def resolve(self, d: Dim) -> Dim:
        """A size with what is known to be equal put in."""
        for _ in range(20):
            hit = [(a, c) for a, c in d.terms if a in self.same_size]
            if not hit and not any(isinstance(a, Apply) and self.same_size.keys() & Dim(0, ((a, 1),)).symbols
                                   for a, _ in d.terms):
                return d
            total = Dim(d.const)
            for atom, coef in d.terms:
                if isinstance(atom, Apply):
                    args = tuple(None if x is None else self.resolve(x) for x in atom.args)
                    total = total + Dim(0, ((replace(atom, args=args), coef),))
                else:
                    total = total + (self.same_size[atom] * coef if atom in self.same_size else Dim(0, ((atom, coef),)))
            if total == d:
                return d
            d = total
        return d

    def size_now(self, d: Dim) -> int | None:
        """The value of a size for the arguments at hand; ahead of time, equal names are equal sizes."""
        if any(leaf is UNKNOWN for leaf in self.leaves):
            return 0 if d.symbols <= self.sizes.keys() else None
        return _size(d, self.sizes, self.leaves)

    # -- writing ------------------------------------------------------------------------------------------

    def writable(self, addr: int, what: str) -> Array | Slots:
        cell = self.store.cells[addr]
        self.container_written |= isinstance(cell, Slots) and cell.origin == "argument"
        if cell.frozen:
            self.refuse("SCT301", f"{what} through a name that may stand for another one too", why=cell.frozen,
                        hint="write to a copy: `z = z.copy()`")
        if cell.origin == "captured" or addr <= self.boundary:
            self.refuse("SCT302", f"{what} that is not a local or an argument of the differentiated function",
                        why="its caller would see the write", hint="pass it as an argument, or copy it first")
        return cell

    def fresh_copy(self, v: Abstract, seen: dict[int, int]) -> Abstract:
        """`v` with private copies of the arrays and containers that it reaches."""
        if isinstance(v, Tup):
            return Tup(tuple(self.fresh_copy(x, seen) for x in v.items))
        if isinstance(v, (Ref, ListRef, DictRef)):
            if v.addr not in seen:
                cell = self.store.cells[v.addr]
                seen[v.addr] = addr = self.new_addr()
                if isinstance(cell, Slots):
                    cell = replace(cell, items=tuple(self.fresh_copy(x, seen) for x in cell.items))
                self.store.cells[addr] = replace(cell, origin="argument" if cell.origin == "captured" else cell.origin)
            return replace(v, addr=seen[v.addr])
        return v

    def freeze(self, *addrs: int) -> None:
        for addr in addrs:
            self.store.cells[addr] = replace(self.store.cells[addr], frozen=AMBIGUOUS)

    def step(self, ref: Ref, op: Op, args: Sequence[Operand], attrs: Mapping[str, Any],
             spelling: str | None = None) -> Ref:
        """The view `op(ref, *args)`."""
        return Ref(ref.addr, (*ref.path, Step(op, tuple(args), dict(attrs), spelling)))


def _size(d: Dim, sizes: Mapping[str, tuple[int, int | None]], leaves: Sequence[Any]) -> int | None:
    total = d.const
    for atom, coef in d.terms:
        if isinstance(atom, Apply):
            args = [None if a is None else _size(a, sizes, leaves) for a in atom.args]
            if atom.fn != "slice_len" or args[0] is None:
                return None
            if any(a is not None and b is None for a, b in zip(atom.args, args)):
                return None
            value: int | None = len(range(args[0])[slice(*args[1:])])
        else:
            at = sizes.get(atom)
            if at is None:
                return None
            leaf, axis = at
            value = leaves[leaf] if axis is None else leaves[leaf].shape[axis]
        if not isinstance(value, int):
            return None
        total += coef * value
    return total


def _construct(node: Any) -> str:
    names = {
        gast.Yield: "yield", gast.YieldFrom: "yield from", gast.Await: "await", gast.Try: "try",
        gast.With: "with", gast.AsyncFunctionDef: "async def", gast.AsyncFor: "async for",
        gast.Global: "global", gast.Nonlocal: "nonlocal", gast.ClassDef: "class", gast.Import: "import",
        gast.ImportFrom: "import", gast.GeneratorExp: "generator expression", gast.Set: "set",
        gast.SetComp: "set comprehension", gast.Match: "match",
    }
    return names.get(type(node), type(node).__name__)
