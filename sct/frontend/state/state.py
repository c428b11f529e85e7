"""The state of an abstract evaluation: names and heap, blocks of IR, calls in progress, free variables."""

from __future__ import annotations

import contextlib
import types
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, NoReturn

from sct.errors import Loc, SctError, class_in_words, conversion_hint, user_text
from sct.frontend.root_function import anchors, innermost
from sct.frontend.source.parse import loc_of
from sct.frontend.state.enclosing import Enclosing
from sct.frontend.state.fixpoint import Dead, Raised
from sct.frontend.state.may_alias import ATTRIBUTE_WRITE, refuse_frozen
from sct.frontend.state.observed_types import Observations, Observed, is_of_sct
from sct.frontend.state.parts import (
    Addresses,
    Caches,
    Changed,
    Consumer,
    Containers,
    ExitCodes,
    Frame,
    Functions,
    Loops,
    Outside,
    Snapshot,
    Temporaries,
    changed,
)
from sct.frontend.state.store import Branch, Captured, Cells, Store, check_keys
from sct.frontend.state.tries import Tries
from sct.frontend.user_rules import rule_hint
from sct.frontend.values.abstract_values import (
    CAPTURED,
    Abstract,
    Array,
    Container,
    DictRef,
    Frozen,
    Key,
    ListRef,
    ObjRef,
    Origin,
    Path,
    Ref,
    Slots,
    Static,
    Step,
)
from sct.frontend.values.guarded_numbers import Cut
from sct.frontend.values.guards import UNKNOWN, Facts
from sct.frontend.values.in_words import path_in_words
from sct.frontend.values.primal_record import PrimalRecord
from sct.frontend.values.schemas import ObjectSchema, Schema
from sct.ir import Builder, Eqn, Lit, Op, Operand, Value
from sct.ir.types import TypeMismatch

__all__ = ["ATTRIBUTE_WRITE", "State"]

class State(Facts):
    """The state of the evaluation of one function for one kind of arguments.

    Parts (`parts`):
        outside, containers, addresses, exits, loops, functions, caches, enclosing, temporaries, tries

    Paths and blocks:
        store         what names are bound to, and the heap; `captured`: the cells of free variables
        b             the block of IR that is being built; `open_blocks`: those around it
        defs          the equation that defines a value
        stands_for    the operand outside that a param of a region stands for
        frames        the calls in progress; `all_frames`: by id, with those that closures have outlived
        loc           the place of what is being evaluated; `returned_at`: of the last `return`
        discarded     the place of an expression whose value nothing reads
        failure       an error of the evaluation, and its place
        observe       runs the function on copies, and returns the types of its expressions; None ahead of time
        observations  what it returned; None if the function must not be run
        copies_given  objects of Python hold copies of lists or dicts; `objects_changed`: such objects are changed
        callable_arguments   callables, and objects that sct does not see into, in the arguments, by id
        callables_used  those of them that are called, or read
        primal_record   where the differentiated function stands in the IR

    How values are read:
        reading_as_array  a number that becomes an array in a loop may be read as that array
        duplications      how many conditionals in progress have the rest of their block in each branch
        in_augmented_assignment  NumPy names the array twice where sizes do not fit
        generators_in_progress   those that compute an item: the number of classes of exceptions handled around each

    Nothing outside assigns these attributes, or those of a part: `tests/test_frontend_state.py` holds that.
    """

    def __init__(self, root: Any, plan: Any) -> None:
        super().__init__()
        self.outside = Outside(root, anchors(root))
        self.containers = Containers()
        self.addresses = Addresses()
        self.exits = ExitCodes()
        self.loops = Loops()
        self.functions = Functions(plan)
        self.caches = Caches()
        self.enclosing = Enclosing()
        self.temporaries = Temporaries()
        self.tries = Tries()
        self.primal_record: PrimalRecord | None = None
        self.b = Builder()
        self.open_blocks: list[Builder] = []
        self.captured = Captured()
        self.store = Store(Cells({}, self.captured))
        self.frames: list[Frame] = []
        self.all_frames: dict[int, Frame] = {}
        self.loc: Loc | None = None
        self.evaluated: set[Loc | None] = set()
        self.discarded: Loc | None = None
        self.failure: tuple[Exception, Loc | None] | None = None
        self.defs: dict[Value | None, Eqn] = {}
        self.stands_for: dict[Value, Operand] = {}
        self.reading_as_array = False
        self.in_augmented_assignment = False
        self.duplications = 0
        self.generators_in_progress: tuple[int, ...] = ()
        self.returned_at: Loc | None = None
        self.callable_arguments: dict[int, Any] = {}
        self.callables_used: dict[int, Any] = {}
        self.observe: Callable[[], Observations | None] | None = None
        self.observations: Observations | None = None
        self.copies_given = False
        self.objects_changed = False

    def forget(self) -> None:
        """Drops the arguments and the function: guards keep this evaluator alive."""
        self.leaves, self.frames, self.all_frames = [], [], {}
        self.callable_arguments, self.callables_used = {}, {}
        self.outside.forget()
        self.store = Store(Cells({}, Captured()))
        self.observe = None

    # -- refusals ------------------------------------------------------------------------

    def refuse(self, code: str, what: str, *, why: str = "", hint: str = "", node: Any = None) -> NoReturn:
        """Refuses the program at this place, or at `node`."""
        loc = self.place(node) if node is not None and self.frames else self.loc
        raise SctError(code, what, why=why, hint=hint, loc=loc)

    def refuse_object(self, v: Value, use: str) -> NoReturn:
        """Refuses a use of an object that is neither a number nor an array; names an argument."""
        if v not in self.params or (x := self.leaves[self.params.index(v)]) is UNKNOWN:
            f = self.opaque_function(v)
            opaque = self.functions.plan.opaque
            if isinstance(f, types.FunctionType) and f in opaque:
                self.refuse("SCT207", f"{use} an object of unknown type",
                            why=f"it is the result of `{f.__name__}`, which runs as it is: {opaque[f].what}",
                            hint="let the function have an annotation of its result, such as -> float; or compute it "
                            "outside")
            eqn = self.defs.get(v)
            rule = f"; or {rule_hint(user_text(eqn.loc), len(eqn.args) - 1)}" if eqn and eqn.op.name == "apply" else ""
            shown = "no run has shown its type" if self.is_observed else "its type is not observed in a run on " \
                "copies, since the function may reach the world outside, or does not end soon"
            self.refuse("SCT207", f"{use} an object of unknown type",
                        why=f"it was returned by code that runs as it is, and {shown}",
                        hint=f"compute it outside the differentiated function{rule}")
        self.refuse("SCT506", f"{use} {class_in_words(x)} is not supported",
                    hint=conversion_hint(x, v.hint or "it") or "pass numbers and arrays")

    def opaque_function(self, v: Value) -> Any:
        """The function that is called as it is, and returns `v`; None if there is none."""
        eqn = self.defs.get(v)
        callee = eqn.args[0] if eqn is not None and eqn.op.name == "apply" else None
        return self.leaf_of(callee) if isinstance(callee, Value) else None

    def failed(self, error: Exception) -> None:
        """Notes the place of an internal error; a type mismatch becomes a refusal."""
        if isinstance(error, TypeMismatch):
            self.refuse("SCT501", str(error), hint=error.hint)
        if isinstance(error, Cut):
            self.cut("a differentiated number is used where sct needs a constant")
        if self.failure is None or self.failure[0] is not error:
            self.failure = error, self.loc

    def cut(self, what: str) -> NoReturn:
        """Refuses to use a differentiated number as a constant."""
        self.refuse("SCT401", what,
                    why="a constant carries no derivative, so part of the gradient would be lost silently",
                    hint="use a list instead of a set or dict keys, or wrap the number in sct.stop_gradient(...)")

    def observe_with(self, observe: Callable[[], Observations | None] | None) -> None:
        self.observe = observe

    def note_copies(self) -> None:
        """Notes that an object of Python holds a copy of a list or dict."""
        self.copies_given = True
        self._refuse_changed_copies()

    def note_change(self) -> None:
        """Notes that an object of Python is changed."""
        self.objects_changed = True
        self._refuse_changed_copies()

    def _refuse_changed_copies(self) -> None:
        if self.copies_given and self.objects_changed:
            self.refuse("SCT307", "an object that sct does not see into is changed, and may hold a list or dict",
                        why="the list or dict would have to change with it",
                        hint="put tuples into the object, or use a list or dict of the function for it")

    @property
    def is_discarded(self) -> bool:
        """Is what is being evaluated an expression whose value nothing reads?"""
        return self.discarded is not None and self.loc == self.discarded

    @property
    def is_observed(self) -> bool:
        """Were types observed in a run of the function?  It runs now, if it may and did not yet."""
        if self.observations is None and self.observe is not None:
            self.observations = self.observe()
        return self.observations is not None

    def observed(self, place: Loc | None) -> frozenset[Observed]:
        """The types that the expression at this place had in the run; none if it was not evaluated."""
        if not self.is_observed or self.observations is None or place is None:
            return frozenset()
        return self.observations.get(place, frozenset())

    def place(self, node: Any) -> Loc:
        """The place of a construct of the function that is evaluated."""
        loc = loc_of(node, self.frames[-1].source.file)
        return replace(loc, seen_from=self.loc.seen_from or self.loc) if self.loc and is_of_sct(loc.file) else loc

    def at(self, loc: Loc | None) -> Changed:
        """Evaluates what stands at this place."""
        return changed(self, loc=loc)

    def returned(self, at: Loc | None, loc: Loc | None, builder_loc: Loc | None) -> None:
        """A call has returned at the place `at`, to its caller."""
        self.returned_at, self.loc, self.b.loc = at, loc, builder_loc

    def record_primal(self, record: PrimalRecord) -> None:
        self.primal_record = record

    def in_generator(self) -> Changed:
        """A generator computes an item."""
        return changed(self, generators_in_progress=(*self.generators_in_progress, len(self.tries.handled)))

    @contextlib.contextmanager
    def consuming(self, consumer: Consumer) -> Iterator[None]:
        """Evaluates what is done with an item of a generator, in the call that takes it."""
        self.frames.append(consumer.frame)
        try:
            here = changed(self, generators_in_progress=consumer.generators)
            with self.at(consumer.loc), here, self.loops.copied(consumer.copies):
                yield
        finally:
            self.frames.pop()

    def augmented_assignment(self) -> Changed:
        return changed(self, in_augmented_assignment=True)

    # -- blocks and paths -----------------------------------------------------------------

    def go_to(self, store: Store) -> None:
        """Evaluates from this store on."""
        self.store = store

    def snapshot(self) -> Snapshot:
        """The state now, to which a tentative evaluation goes back."""
        return Snapshot(self.store.copy(), list(self.b.eqns), self.addresses.last, frozenset(self.loops.memo),
                        len(self.temporaries.values))

    def restore(self, snapshot: Snapshot) -> None:
        """Undoes the equations and writes since the snapshot."""
        self.store, self.b.eqns[:], self.addresses.last = snapshot.store, snapshot.eqns, snapshot.last_addr
        self.loops.forget(snapshot.sites)
        self.temporaries.keep(snapshot.temporaries)

    @contextlib.contextmanager
    def to_its_end(self, is_path: bool = True) -> Iterator[None]:
        """Evaluates a path to its end, or until it raises; or what is not all of a path."""
        try:
            yield
        except Raised:
            if not is_path:
                raise
        except Dead:
            self.store.dead = True

    @contextlib.contextmanager
    def in_function(self) -> Iterator[Builder]:
        """Evaluates a function of the program, in a heap of its own."""
        own = changed(self, frames=[], store=Store(Cells({}, self.captured)), b=Builder(), open_blocks=[],
                      temporaries=Temporaries())
        with own, self.enclosing.none(), self.tries.none(), self.loops.over_none(), self.block(Builder()) as builder:
            yield builder

    @contextlib.contextmanager
    def inside(self, branch: Branch) -> Iterator[Branch]:
        """Evaluates on the path `branch`, from its current end."""
        outer = self.store
        self.store = branch.store
        try:
            with self.block(branch.builder), self.temporaries.dropped():
                yield branch
        finally:
            branch.store = self.store
            self.store = outer

    def fork(self) -> Branch:
        """A new path that starts here."""
        return Branch(self.store.copy(), Builder())

    @contextlib.contextmanager
    def block(self, builder: Builder) -> Iterator[Builder]:
        """Builds a region inside the current block."""
        self.open_blocks.append(self.b)
        self.b = builder
        try:
            yield builder
        finally:
            self.b = self.open_blocks.pop()

    def live_in_statement(self, key: Key) -> bool:
        """May the slot still be read by the statements in progress, or after them?"""
        if key.name.startswith("<"):
            return not key.frame or any(f.id == key.frame for f in self.frames)
        for f in self.frames:
            if f.id == key.frame:
                return key.name in f.now or key.name in f.live.captured or any(g.may_read(key) for g in self.frames)
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

    # -- exits ----------------------------------------------------------------------------

    @property
    def exit_key(self) -> Key:
        """The slot of the exit code of the current call: why the rest of a block is skipped."""
        return Key(self.frames[-1].id, "<exit>")

    @property
    def exit(self) -> Abstract:
        return self.store.vars[self.exit_key]

    def set_exit(self, code: int | Abstract) -> None:
        """The rest of the block is evaluated, or skipped, as this exit code says."""
        self.store.vars[self.exit_key] = Static(code) if isinstance(code, int) else code

    # -- the heap -------------------------------------------------------------------------

    def new_addr(self) -> int:
        return self.addresses.new()

    def new_list(self, items: tuple[Abstract, ...]) -> ListRef:
        addr = self.new_addr()
        self.store.cells[addr] = Slots(items)
        return ListRef(addr)

    def new_dict(self, entries: Mapping[Any, Abstract]) -> DictRef:
        addr = self.new_addr()
        self.store.cells[addr] = Slots(tuple(entries.values()), tuple(entries), site=self.loc)
        return DictRef(addr)

    def new_object(self, cls: type, attributes: Mapping[str, Abstract]) -> ObjRef:
        addr = self.new_addr()
        ordered = not attributes or cls not in self.containers.unordered
        self.store.cells[addr] = Slots((*attributes.values(),), (*attributes,), unset=frozenset(), ordered=ordered)
        return ObjRef(addr, cls)

    def new_dynamic_list(self, schema: Schema, columns: Sequence[Operand], *, origin: Origin = Origin.FRESH,
                         held: bool = False) -> ListRef:
        """A list of unknown length with these columns; `held`: another list holds its items, and may write them."""
        items = []
        for column in columns:
            addr = self.new_addr()
            self.store.cells[addr] = Array(column, origin)
            items.append(Ref(addr))
        addr = self.new_addr()
        frozen = Frozen.HELD if held else Frozen.NO
        self.store.cells[addr] = Slots(tuple(items), schema=schema, origin=origin, frozen=frozen)
        return ListRef(addr)

    def check_current(self, cell: Slots) -> None:
        """Refuses a list that may have been changed through another name, or that is an item of such a list."""
        at: Slots | None = cell
        while at is not None and at.frozen != Frozen.STALE:
            outer = None if at.parent is None else self.store.cells[at.parent]
            assert outer is None or isinstance(outer, Slots)
            at = outer
        if at is not None:
            copy = "`copy.copy(x)`" if at.keys else \
                "`[copy.copy(x) for x in xs]`" if isinstance(at.schema, ObjectSchema) else "`list(xs)`"
            self.refuse("SCT307", f"{'an object' if at.keys else 'a list'} is read that another name may have changed",
                        why=Frozen.STALE.value, hint=f"take a copy: {copy}")

    def new_view(self, addr: int, path: tuple[Step, ...]) -> Ref:
        """Another Python object that sees this part of the buffer."""
        return Ref(addr, path, self.addresses.new_object())

    def step(self, ref: Ref, op: Op, args: Sequence[Operand], attrs: Mapping[str, Any],
             spelling: str | None = None, readonly: bool = False) -> Ref:
        """The view `op(ref, *args)`."""
        return self.new_view(ref.addr, (*ref.path, Step(op, tuple(args), dict(attrs), spelling, readonly=readonly)))

    def slots(self, v: Container) -> Slots:
        """The slots of a container, as they are now."""
        cell = self.store.slots(v)
        self.enclosing.note_read(v.addr, self.loc)
        if cell.schema is None:
            self.check_current(cell)
        if isinstance(v, DictRef):
            check_keys(self, cell)
        return cell

    def writable(self, addr: int, what: str, aliases: Sequence[str] = ()) -> Array | Slots:
        cell = self.store.cells[addr]
        if isinstance(cell, Slots) and cell.origin == Origin.ARGUMENT:
            self.containers.note_write(self.loc)
        if isinstance(cell, Slots) and what != ATTRIBUTE_WRITE:
            check_keys(self, cell)
        if cell.frozen:
            refuse_frozen(self, addr, cell, what, aliases)
        path = self.captured.paths.get(addr, ())
        if not {"__defaults__", "__kwdefaults__"}.isdisjoint(x[1] for x in path[1:]):
            self.refuse("SCT302", f"{what} that is the default of a parameter", why="the next call would see the write",
                        hint="let the default be None, and make it in the function; or pass it")
        if cell.origin == Origin.CAPTURED or 0 <= addr <= self.enclosing.last_addr or addr in self.enclosing.kept:
            owner = f"`{path_in_words(path)}`" if path else "an object"
            into = f"a write to an attribute of {owner}" if what == ATTRIBUTE_WRITE else f"{what} into {owner}"
            self.refuse("SCT302", f"{into}, which is not a local or an argument of the differentiated function",
                        why="its caller would see the write", hint="pass it as an argument, or copy it first")
        return cell

    def freeze(self, *addrs: int, why: Frozen = Frozen.AMBIGUOUS) -> None:
        """Forbids writes to these addresses from here on."""
        for addr in (a for a in addrs if a > CAPTURED):
            self.store.freeze(addr, why)

    def lit(self, v: Abstract) -> Operand:
        assert isinstance(v, (Value, Static))
        return v if isinstance(v, Value) else Lit(v.value)

    def leaf_of(self, v: Value) -> Any:
        """The argument that `v` stands for, if it is one; None ahead of time."""
        while v in self.stands_for:
            outer = self.stands_for[v]
            if not isinstance(outer, Value):
                return None
            v = outer
        return None if v not in self.params or (leaf := self.leaves[self.params.index(v)]) is UNKNOWN else leaf

    def outermost(self) -> dict[Value, Operand]:
        """The operands of the outermost block that params of regions stand for."""
        operands: dict[Value, Operand] = {}
        for p, x in self.stands_for.items():
            while isinstance(x, Value) and x in self.stands_for:
                x = self.stands_for[x]
            operands[p] = x
        return operands

    def module_of(self, function: Any) -> Path:
        """The anchor of all functions of one module, which share their globals."""
        main, path = innermost(self.outside.root)
        if function is main or getattr(main, "__globals__", None) is not function.__globals__:
            return self.anchor(self.outside.modules.setdefault(id(function.__globals__), function))
        self.outside.note((*path, ("attr", "__globals__")), "is", function.__globals__, at="module")
        return path

    def anchor(self, function: Any) -> Path:
        """Where paths to the variables of `function` begin: at the root, which may differ between calls, or at the
        function itself."""
        return self.outside.anchors.get(id(function), (function,))
