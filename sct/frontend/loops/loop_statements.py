"""Loops: `for` and `while` become the equation `loop`, whose carried values a fixpoint determines.

A round evaluates the body from assumed carried values.  It confirms them, or learns more: a type widens, a cell is
written, a name changes its buffer.  What was learnt is kept for each loop and call path, so that an inner loop starts
from it in the next round of an outer one.
"""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Callable
from dataclasses import replace
from typing import Any, NoReturn

import gast

from sct.errors import SctError
from sct.frontend.evaluator.attempts import check_recomputable
from sct.frontend.evaluator.evaluator import Evaluator
from sct.frontend.evaluator.handlers import statement
from sct.frontend.heap.join_paths import close_raised, evaluate_branches, run_branches
from sct.frontend.interpreter.assignment import assign
from sct.frontend.interpreter.statements import BREAK, END, FALL, RETURN, block, guard
from sct.frontend.iteration.counted_iterators import loop_over
from sct.frontend.iteration.iteration_space import MOST_UNROLLED, NESTS, IterationSpace, is_held, python_space, space
from sct.frontend.iteration.iterator_protocol import (
    check_iterable,
    ends,
    exhaust,
    is_iterator,
    iterable,
    iterator,
    most,
    move,
    place,
    start,
    use_up,
)
from sct.frontend.iteration.python_iterables import check_unchanged, refuse_iteration
from sct.frontend.iteration.python_iterators import python_iterator
from sct.frontend.loops.generator_functions import iterate_over
from sct.frontend.loops.loop_fixpoint import BackEdge
from sct.frontend.loops.loop_head import Carry
from sct.frontend.loops.nested_iteration import leaves, nested
from sct.frontend.loops.streamed_iterators import streamed
from sct.frontend.loops.unrolling import after_first, few_items, is_enough, is_single, loop_or_unroll, unroll
from sct.frontend.objects.linked_objects import note_behind_loop
from sct.frontend.operators.truth import condition
from sct.frontend.state.choices import take
from sct.frontend.state.fixpoint import Dead, Unstable, fixpoint
from sct.frontend.state.store import Store
from sct.frontend.state.tries import is_slot
from sct.frontend.values.abstract_values import (
    Abstract,
    Array,
    Frozen,
    Iteration,
    Key,
    ListRef,
    Poison,
    Position,
    Static,
    Tup,
)
from sct.frontend.values.guards import NeedsFirst, NeedsStatic
from sct.ir import Builder, Eqn, Fn, Lit, Operand, Value, rebuild
from sct.ir.types import INT, Type, Undef
from sct.ops import loop, lt
from sct.ops.program.list_ops import append, list_of
from sct.ops.type_rules import place_name, size_of, with_places

__all__: list[str] = []


_OF_ITERATIONS = ("SCT301", "SCT310", "SCT502", "SCT504")
"""The codes of refusals of a loop that may be accepted if it is unrolled: a list gets longer, a name is another object
or array in each iteration, or what depends on the item must be known."""


# -- statements ----------------------------------------------------------------------------------------


@statement(gast.For)
def for_(ev: Evaluator, node: Any) -> None:
    with ev.temporaries.dropped():
        over = ev.eval(node.iter)
    if isinstance(over, Poison):
        ev.refuse("SCT502", "this cannot be iterated over", why=over.reason, node=node.iter)
    over, segments = _checkpointed(ev, node, over)
    over = python_iterator(ev, over, node.iter) or iterable(ev, over)
    if isinstance(over, Iteration) and over.kind in NESTS and place(ev, over) == 0:
        use_up(ev, over)
        nested(ev, node, over)
        return
    if isinstance(over, Iteration) and over.counted is not None:
        loop_over(ev, node, over)
        return
    generator = streamed(ev, over)
    if generator is not None:
        iterate_over(ev, node, generator)
        if generator is not over and isinstance(over, Iteration):
            move(ev, over, Poison("its position depends on the iteration") if leaves(node) else Position(None))
        return
    _over_space(ev, node, over, segments)


def _over_space(ev: Evaluator, node: Any, over: Abstract, segments: int | None) -> None:
    """A loop over what has an iteration space; over other items, and where it has to be, it is unrolled."""
    before, outset = ev.store.copy(), ev.snapshot()
    of_python = python_space(ev, over, node)
    where = of_python or space(ev, over)
    if where is None:
        if most(ev, over) is None and not (is_iterator(over) and ends(over)):
            check_iterable(ev, over)
            refuse_iteration(ev, over, node.iter)
        loop_or_unroll(ev, node, over, lambda: _over_space(ev, node, over, segments))
        return
    if segments is None and is_single(over):
        return unroll(ev, node, iterator(ev, over))
    held = {key for key in ev.store.vars if key not in before.vars and is_held(key)}
    snapshot = ev.snapshot()
    listed = {v.addr for key, v in ev.store.vars.items() if key not in before.vars and isinstance(v, ListRef)}

    def over_all(run: Callable[[], None]) -> None:
        with ev.loops.over(listed):
            start(ev, over)
            run()
            if of_python is not None:
                check_unchanged(ev, over, of_python.stop)
            if not leaves(node):
                exhaust(ev, over)
        _release(ev, held)

    def run_loop(where: IterationSpace | None) -> None:
        LoopBuilder(ev, node, where, held).run()

    where = replace(where, segments=segments)
    try:
        over_all(lambda: run_loop(where))
    except (NeedsStatic, SctError) as need:
        if of_python is not None or isinstance(need, SctError) and need.code not in _OF_ITERATIONS:
            raise
        ev.restore(snapshot)
        first_alone = functools.partial(over_all, functools.partial(after_first, ev, node, where, need, run_loop))
        if is_enough(ev, where, need, first_alone):
            return
        with_columns = ev.snapshot()
        ev.restore(outset)
        if (n := most(ev, over)) is not None and n <= MOST_UNROLLED:
            unroll(ev, node, iterator(ev, over))
            return
        ev.restore(with_columns)
        if (few := few_items(ev, over, where, need)) is None:
            first_alone()
            return
        _release(ev, held)
        unroll(ev, node, iterator(ev, few))


def _checkpointed(ev: Evaluator, node: Any, over: Abstract) -> tuple[Abstract, int | None]:
    """The iterable of the loop, and at most how many segments it has, if it is checkpointed."""
    if not isinstance(over, Iteration) or over.kind != "checkpointed":
        return over, None
    of, slots = over.parts
    if isinstance(of, Iteration) and of.kind == "range" and len(of.parts) == 3:
        of = replace(of, parts=(*of.parts[:2], Static(ev.ask(of.parts[2], "the step of a checkpointed range"))))
    count = ev.ask(slots, "`slots` of `checkpointed`")
    if count is not None and (type(count) is not int or count < 1):
        ev.refuse("SCT504", "`slots` of `checkpointed` is an int of at least 1", node=node.iter,
                  hint="leave it out for about sqrt(n) segments")
    if isinstance(of, Iteration) and (of.kind in NESTS or of.counted is not None) or streamed(ev, of) is not None:
        ev.refuse("SCT503", "a loop over this cannot be checkpointed", node=node.iter,
                  why="it is several loops, or an iterator that other code may have advanced",
                  hint="run over a range, an array or a list, or over `enumerate` or `zip` of these")
    return of, count or 0


def _release(ev: Evaluator, held: set[Key]) -> None:
    """The loop that runs over these values has ended."""
    for key in held & ev.store.vars.keys():
        del ev.store.vars[key]


@statement(gast.While)
def while_(ev: Evaluator, node: Any) -> None:
    _while(ev, node, 0)


def _while(ev: Evaluator, node: Any, alone: int) -> None:
    snapshot = ev.snapshot()
    try:
        LoopBuilder(ev, node, None, set()).run()
    except (NeedsStatic, SctError) as need:
        is_endless = isinstance(node.test, gast.Constant)
        unrolled = isinstance(need, SctError) and need.code in _OF_ITERATIONS and not is_endless
        if not (alone or unrolled or isinstance(need, NeedsFirst)):
            raise
        ev.restore(snapshot)
        after_first(ev, node, None, need, lambda _: _while(ev, node, alone + 1), alone)


# -- the loop equation -------------------------------------------------------------------------------------


class LoopBuilder(BackEdge):
    """Builds the equation of one `for` or `while` statement.

    tested   the test of a `while` is a region of its own; `endless`: it is known to be true
    started  carried arrays that were numbers before the loop: may they still be numbers after an iteration?
    """

    def run(self) -> None:
        """Evaluates the loop, the code after it, and its exits."""
        ev = self.ev
        numbers, guards = (ev.addresses.last, ev.addresses.last_frame), dict(ev.guards)
        mark = len(ev.b.eqns)

        def round_from_entry() -> None:
            ev.addresses.reset(*numbers)
            ev.reset_guards(guards)
            del ev.b.eqns[mark:]
            ev.go_to(self.entry.copy())
            self.run_round()

        def refuse() -> NoReturn:
            ev.refuse("SCT108", "a variable of this loop is of another kind in each iteration", node=self.node,
                      why="an object or a tuple that holds others, which hold others, gets or loses a level",
                      hint="put the items into a list, and use positions in it; objects may hold others of their "
                           "class, if all have the same attributes: numbers, strings, arrays, None and objects")

        with ev.loops.inside(self, not self.few(MOST_UNROLLED)):
            fixpoint(self, round_from_entry, 80, refuse)

    def run_round(self) -> None:
        """Evaluates the body once from the head, compares its end with the head, and emits the loop if they agree."""
        ev = self.ev
        self.tested = self.endless = False
        self.make_head()
        kind = self.carry("kind", Lit(FALL), None) if self.memo.exits else None
        index = self.index
        test: Fn | None = None
        body = Builder()
        with ev.tries.in_block(body, ev.b), ev.block(body):
            with ev.to_its_end(), self.frame.in_loop(self.live_names):
                ev.set_exit(FALL)
                ev.tries.enter_iteration(ev.store)
                if index is not None:
                    index.hint = self.index_name()
                    self.note_range(index)
                    self.bind(index)
                else:
                    test = self.evaluate_test()
                if not ev.store.dead and isinstance(ev.exit, Static) and ev.exit.value == FALL:
                    block(ev, self.node.body)
                elif not isinstance(ev.exit, Static):
                    guard(ev, self.node.body, 0)
            self.leave_raised()
            end = ev.store
            go, exits = self.exits_of(end)
            self.compare_with_head(end)
            moved = {a: b for _, a, b in self.pairs} if not end.dead else {}
            cells = {id: (self.head.cells[a], end.cells.get(moved.get(a, a))) for id, a in self.extra_cells.items()}
            self.started = {id: isinstance(last, Array) and last.starts for id, (first, last) in cells.items()
                            if isinstance(first, Array) and first.starts}
        self.emit_loop(body, test, index, go, exits, kind)
        ev.split_if_raised()

    def leave_raised(self) -> None:
        """Paths that have raised in this iteration leave the loop, as by a `break`."""
        ev = self.ev
        for split in ev.tries.splits:
            if split.builder is ev.b:
                split.branch.store.vars[ev.exit_key] = Static(BREAK)
        if ev.tries.has_raised(ev.store):
            ev.set_exit(BREAK)
        close_raised(ev, 0, ev.live_after(self.live_names))

    def index_name(self) -> str | None:
        """The user's name of the index: the target, or the first of several targets, if that is the index itself."""
        if self.where is None or self.where.calls:
            return None
        target, several = self.node.target, isinstance(self.node.target, gast.Tuple)
        target = target.elts[0] if several and target.elts else target
        if not isinstance(target, gast.Name):
            return None
        probe = Value(INT)
        item: Abstract | None = None
        with self.ev.inside(self.ev.fork()), contextlib.suppress(Dead):
            item = self.where.item(probe)
        if several:
            item = item.items[0] if isinstance(item, Tup) else None
        return target.id if item is probe and target.id.isidentifier() else None

    def note_range(self, index: Value) -> None:
        """Notes the first and the last value of the index."""
        assert self.where is not None
        bounds = self.where.start, self.where.stop
        step = self.where.step.value if isinstance(self.where.step, Lit) else 0
        if step and all(x.type == INT for x in bounds):
            first, stop = map(size_of, bounds)
            self.ev.index_ranges[f"__v{index.id}"] = (first, stop - 1) if step > 0 else (stop + 1, first)

    def bind(self, index: Value) -> None:
        """Assigns the item of this iteration to the target."""
        assert self.where is not None
        with self.ev.temporaries.dropped():
            assign(self.ev, self.node.target, self.where.item(index))

    # -- the test and the exit ------------------------------------------------------------------------------

    def evaluate_test(self) -> Fn | None:
        """The test of a `while`: a region of its own if it writes nothing; otherwise the body begins with it."""
        ev = self.ev
        region = Builder()
        before = ev.store.copy()
        try:
            with ev.block(region), ev.temporaries.dropped():
                t = condition(ev, self.node.test)
        except Dead:
            ev.b.eqns.extend(region.eqns)  # it raises
            raise
        if ev.uncaught(region.eqns) is not None:
            ev.go_to(before)
            t = condition(ev, self.node.test)
        elif isinstance(t, Lit):
            ev.b.eqns.extend(region.eqns)  # a known test may have written
        if isinstance(t, Lit):
            if not t.value:
                ev.set_exit(END)
            self.endless = bool(t.value)
            return None
        if ev.uncaught(region.eqns) is None:
            if all(before.vars.get(k) == v for k, v in ev.store.vars.items()) and all(
                    before.cells.get(a) is c for a, c in ev.store.cells.items() if a in before.cells):
                self.tested = True
                take(ev, t, True, region)
                return Fn("test", (), tuple(region.eqns), (t,))
            ev.b.eqns.extend(region.eqns)

        def stop() -> None:
            ev.set_exit(END)

        evaluate_branches(ev, t, lambda: None, stop, ev.live_after(self.live_names))
        return None

    def exits_of(self, end: Store) -> tuple[Operand, frozenset[int]]:
        """Whether the loop goes on after this iteration, and the exits that leave it."""
        ev = self.ev
        if end.dead:
            return Lit(False), frozenset()
        kind = end.vars[ev.exit_key]
        x = ev.lit(kind)
        kinds = ev.exits.kinds_of(x)
        leaving = frozenset(k for k in kinds if k >= END)
        falls = ev.exits.least_of(x)
        if falls > 1:
            leaving = frozenset(k for k in kinds if k >= falls)
        if leaving and (max(leaving) > BREAK or BREAK in leaving and self.node.orelse) and not self.memo.exits:
            self.memo.exits = True
            raise Unstable(self)
        if self.memo.exits:
            self.carries["kind"].back = x
        if not leaving:
            return Lit(True), leaving
        if leaving == kinds:
            return Lit(False), leaving
        return ev.emit(lt, x, max(END, falls), spelling="operator.lt"), leaving

    # -- the equation -------------------------------------------------------------------------------------------

    def emit_loop(self, body: Builder, test: Fn | None, index: Value | None, go: Operand, exits: frozenset[int],
                  kind: Value | None) -> None:
        """Adds the equation, and gives the carried names and cells its results."""
        ev = self.ev
        carries = list(self.carries.values())
        params = [c.param for c in carries]
        regions = []
        if test is not None:
            fresh = [Value(p.type, p.hint) for p in params]
            inner = rebuild(test, dict(zip(params, fresh)), fresh=True)
            regions.append(Fn("test", tuple(fresh), inner.eqns, inner.results))
        first = [index] if index is not None else []
        backs = [c.back if c.back is not None else c.param for c in carries]
        regions.append(Fn("body", (*first, *params), tuple(body.eqns), (go, *backs)))
        outs = [Value(self.type_behind(id, c, body), c.param.hint) for id, c in self.carries.items()]
        for c, out in zip(carries, outs):
            c.out = out
        bounds = [self.where.start, self.where.stop, self.where.step] if self.where is not None else []
        attrs = {"counted": self.where is not None, "tested": test is not None, "reverse": False,
                 "carries": len(carries)}
        if self.where is not None and self.where.segments is not None:
            attrs["segments"] = self.where.segments
            check_recomputable(ev, Fn("body", (), tuple(body.eqns), ()), "a checkpointed loop has an effect",
                               "do it before the loop: draw all random numbers at once, and read `noise[i]`")
        ev.b.add(Eqn(loop, (*bounds, *(c.init for c in carries)), (*outs, Value(INT, "iterations")), attrs,
                     tuple(regions), loc=ev.loc))
        renamed: dict[Value, Value] = dict(zip(params, outs))
        self.note_bound(test)
        store = self.head
        store.rename(renamed)
        for id in self.memo.thawed & self.extra_cells.keys():
            # The array is not iterated over any more: it may be written again.
            addr = self.extra_cells[id]
            if store.cells[addr].frozen == Frozen.AMBIGUOUS:
                store.cells[addr] = replace(store.cells[addr], frozen=Frozen.NO)
        for id, stays in self.started.items():
            if stays or not self.runs_at_all(test):
                ev.becomes_array("without an iteration that adds to it, it stays the number that it starts as")
            addr = self.extra_cells[id]
            cell = store.cells[addr]
            store.cells[addr] = replace(cell, starts=False) if isinstance(cell, Array) else cell
        for addr in self.memo.frozen_after & store.cells.keys():
            store.freeze(addr)
        self.note_aliases(store)
        own = [k for k in self.names & store.vars.keys() if k.frame == self.frame.id and not is_slot(k)]
        for key in own:
            if key.name not in self.after:
                store.unbind(key)
        ev.go_to(store)
        if test is not None and not exits:
            note_behind_loop(ev, test, renamed)
        self.evaluate_rest(exits, renamed.get(kind) if kind is not None else None)

    def type_behind(self, id: Any, c: Carry, body: Builder) -> Type:
        """The type of the result of a carry: a list may get, in iteration `i`, its item `i` of the size of another."""
        index = self.index
        appended = body.defs.get(c.back) if isinstance(c.back, Value) else None
        start = self.ev.defs.get(c.init) if isinstance(c.init, Value) else None
        if appended is None or appended.op is not append or appended.args[0] != c.param or start is None \
                or start.op is not list_of or start.args or index is None or self.where is None \
                or (self.where.start, self.where.step) != (Lit(0), Lit(1)):
            return self.index_size.behind(c.param.type, str(id)) if self.index_size is not None else c.param.type
        return with_places(c.param.type, appended.args[1].type, place_name(index))

    def note_bound(self, test: Fn | None) -> None:
        """Notes which variables each iteration binds, if there is one: they are bound where none has raised."""
        tries = self.ev.tries
        bound = [c.out for c in self.carries.values() if c.out is not None and isinstance(c.out.type, Undef)
                 and isinstance(c.back, Value) and (not isinstance(c.back.type, Undef)
                                                    or tries.bound.get(c.back) == tries.slot)]
        if tries.slot is not None and bound and self.runs_at_all(test):
            tries.bound.update(dict.fromkeys(bound, tries.slot))

    def runs_at_all(self, test: Fn | None) -> bool:
        """Is there certainly an iteration?  Guarded, if it can be computed from the arguments."""
        ev = self.ev
        if test is not None:
            inner = rebuild(test, {c.param: c.init for c in self.carries.values()}, fresh=True)
            ev.defs.update((out, eqn) for eqn in inner.eqns if not eqn.regions for out in eqn.outs)
            return self.is_true_now(inner.results[0])
        if self.where is None or not isinstance(self.where.step, Lit):
            return self.endless
        start, stop = self.where.start, self.where.stop
        if self.where.step.value < 0:
            start, stop = stop, start
        if start.dim is not None and stop.dim is not None and (stop.dim - start.dim).least > 0:
            return True
        return self.is_true_now(ev.emit(lt, start, stop, spelling="operator.lt"))

    def is_true_now(self, runs: Operand) -> bool:
        """Is this true for the arguments of the call?  It becomes a guard."""
        try:
            return bool(self.ev.ask(self.ev.wrap(runs), "whether this loop runs", True))
        except (NeedsStatic, SctError):
            return False

    def evaluate_rest(self, exits: frozenset[int], kind: Value | None) -> None:
        """Evaluates what follows the loop: its `else`, and exits that leave further loops."""
        ev, node = self.ev, self.node
        ev.set_exit(FALL)
        returns = frozenset(k for k in exits if k > BREAK)
        if BREAK not in exits and not returns:
            block(ev, node.orelse)
            return
        if kind is None:
            return
        ends = self.tested or END in exits if self.where is None else self.where.ends
        ev.exits.kinds[kind] = (frozenset({FALL}) if ends else frozenset()) | exits
        ev.exits.least[kind] = BREAK + 1
        if not node.orelse or not ends:
            if returns:
                ev.set_exit(kind)
            return
        test = ev.emit(lt, kind, BREAK, spelling="operator.lt")

        def stopped() -> None:
            if returns and BREAK in exits:
                evaluate_branches(ev, ev.emit(lt, kind, RETURN, spelling="operator.lt"), fall, out)
            elif returns:
                out()

        def fall() -> None:
            ev.set_exit(FALL)

        def out() -> None:
            ev.set_exit(kind if len(returns) > 1 else next(iter(returns)))

        live = ev.live_after(self.after | self.frame.live.leaving(node))
        run_branches(ev, test, lambda: block(ev, node.orelse), stopped, live)
