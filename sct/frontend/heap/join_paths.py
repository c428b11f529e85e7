"""Joins of two paths: each slot on which their stores differ becomes a result of a conditional.

Dead names are dropped first.  If the paths disagree on which names share a buffer, that buffer is frozen: reads stay
exact, a write is refused.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any, cast

from sct.frontend.arguments.lift import constant_object
from sct.frontend.evaluator import list_items
from sct.frontend.heap import dynamic_list_methods, dynamic_lists, item_forms
from sct.frontend.heap.lattice import (
    Join,
    KindsOfPaths,
    alike,
    joined_item,
    joined_slots,
    lasting_conflicts,
    layout_of,
    left_to_give,
    most_frozen,
    origin_of,
    part_name,
    perhaps_tuple,
    use_alike,
    with_same_attributes,
    with_same_keys,
)
from sct.frontend.objects.container_objects import see_into_both
from sct.frontend.state import choices
from sct.frontend.state.choices import by_code, chosen, code, may_be_absent, members_by_code
from sct.frontend.state.fixpoint import Dead
from sct.frontend.state.may_alias import join_aliases
from sct.frontend.state.store import (
    Branch,
    Cells,
    Store,
    is_plain_tuple,
    is_such_tuple,
    least_length,
    of_one_class,
    reached,
    tells,
)
from sct.frontend.values.abstract_values import (
    CAPTURED,
    DELETED,
    Abstract,
    Array,
    Choice,
    Container,
    Frozen,
    Key,
    ListRef,
    OptionalTuple,
    Poison,
    Ref,
    RunTimeTuple,
    Slots,
    Static,
    Step,
    Tup,
    is_literal,
    parts,
)
from sct.ir import Builder, Eqn, Fn, Lit, Operand, Value
from sct.ir.types import TypeMismatch
from sct.ops import cond

if TYPE_CHECKING:
    from sct.frontend.evaluator.evaluator import Evaluator
    from sct.frontend.state.tries import Split

__all__ = ["behind", "close_raised", "evaluate_branches", "join_branches", "join_split", "run_branch", "run_branches"]


class _Merge(KindsOfPaths, Join[Abstract]):
    def __init__(self, ev: Evaluator, left: Branch, right: Branch, asked: Value | None) -> None:
        super().__init__(ev, left, right)
        self.asked = asked
        self.addrs: dict[tuple[object, object], int] = {}
        self.pairs: set[tuple[object, object]] = set()
        self.seen: set[int] = set()
        self.store = Store(Cells({}, left.store.cells.captured), dead=left.store.dead and right.store.dead)

    def bound(self, key: Key, a: Operand | None, b: Operand | None) -> None:
        """Notes whether a name is bound: `a` on the left path, `b` on the right."""
        alone = a is None and not self.left.store.dead or b is None and not self.right.store.dead
        certain = all(x in (None, Lit(True)) for x in (a, b))
        if not certain or alone and not tells(self.store.vars[key]):
            flag = self.phi(a, b, key.name, own=key)
            assert isinstance(flag, Value)
            self.store.bound[key] = flag

    def value(self, a: Abstract | None, b: Abstract | None, hint: str | None = None) -> Abstract:
        """The value that is `a` on the left path and `b` on the right; None: undefined there."""
        if DELETED in (a, b) and None not in (a, b) and a != b:
            return Poison("it is deleted on one path")
        if isinstance(a, Poison) or isinstance(b, Poison):
            return next(x for x in (a, b) if isinstance(x, Poison))
        return self.value_of_kinds(a, b, hint) or self.join(a, b, hint)

    def tuples(self, a: Abstract | None, b: Abstract | None, hint: str | None) -> Abstract:
        present = a if a is not None else b
        assert isinstance(present, Tup)
        if any(x is not None and not is_such_tuple(x, present) for x in (a, b)):
            if self.have_items_alike(a, b):
                return self.run_time_tuple(a, b, hint)
            return self.apart_in_kind("a tuple of another length, or something else, on another path")
        left, right = (x.items if isinstance(x, Tup) else (None,) * len(present.items) for x in (a, b))
        return present.with_(self.value(x, y) for x, y in zip(left, right))

    def have_items_alike(self, a: Any, b: Any) -> bool:
        """Are these tuples of numbers, strings, arrays or such tuples, all of one kind: items of one list?"""
        def are_plain(v: Tup) -> bool:
            return all(are_plain(x) if isinstance(x, Tup) else isinstance(x, (Value, Ref)) or is_literal(x)
                       for x in v.items)

        return is_plain_tuple(a) and is_plain_tuple(b) and are_plain(a) and are_plain(b) and \
            item_forms.is_alike(self.ev, Slots(a.items + b.items))

    def number(self, a: Abstract | None, b: Abstract | None, hint: str | None) -> Abstract:
        if a is not None and a == b:
            return a
        try:
            x, y = (None if v is None else self.ev.lit(v) for v in (a, b))
            joined = self.phi(x, y, hint)
        except TypeMismatch as error:
            return self.apart_in_kind(f"its type depends on the path: {error}")
        return Static(joined.value) if isinstance(joined, Lit) else joined

    def choice(self, a: Any, b: Any, hint: str | None) -> Abstract:
        left, right = by_code(a), by_code(b)
        members = {k: self.member(left.get(k), right.get(k), hint) for k in {**left, **right}}
        return next((m for m in members.values() if isinstance(m, Poison)), None) or chosen(
            self.phi(code(a), code(b), hint), members, a, b)

    def member(self, a: Abstract | None, b: Abstract | None, hint: str | None) -> Abstract:
        """One of the objects of a choice; None: it is another one on that path."""
        one = a if a is not None else b
        if one is not None and choices.is_kept(one):
            for part in parts(one):
                self.value(part, part)
            return one
        return self.value(a, b, hint)

    def other(self, a: Any, b: Any, hint: str | None) -> Abstract:
        if a == b:
            self.parts(a)
        alone = a if b is None and self.right.store.dead else b if a is None and self.left.store.dead else None
        if isinstance(alone, Choice):
            return chosen(self.phi(a and a.code, b and b.code, hint), dict(members_by_code(alone)), alone)
        if alone is not None or a == b:
            return cast("Abstract", a if a is not None else b)
        x, y = (constant_object(self.ev, v) or v for v in (a, b))
        if isinstance(x, Value) and isinstance(y, Value):
            return self.number(x, y, hint)
        self.ev.functions.plan.open_sets.update(self.ev.containers.places_of_sets(a, b))
        return Poison("it is not bound on every path") if None in (a, b) else self.apart_in_kind(
            "another kind of object on another path")

    def parts(self, v: Abstract | None) -> None:
        """Notes the aliases of what can be read through a value that is the same on both paths."""
        rest = left_to_give(self.left.store, v)
        if rest is None or rest != left_to_give(self.right.store, v):
            for part in parts(v):
                self.value(part, part)
            return
        containers, items = rest
        self.pairs.update((of.addr, of.addr) for of in containers)
        for x in items:
            self.value(x, x)

    def optional_tuple(self, a: Abstract | None, b: Abstract | None, hint: str | None) -> Abstract:
        """A tuple that is None on one path, or may be None already: a tuple whose items may be None."""
        a, b = (a, b) if a == b else self.at_ends(a, b, lambda v: v if v is None else self.ev.if_present(v))
        if not any(isinstance(x, OptionalTuple) or x == Static(None) for x in (a, b)):
            return self.value(a, b, hint)
        like = next(x.of if isinstance(x, OptionalTuple) else x for x in (a, b) if isinstance(x, (OptionalTuple, Tup)))
        if a is None or b is None:
            joined = self.value(None if a is None else like, None if b is None else like, hint)
            return OptionalTuple(joined) if isinstance(joined, Tup) else joined
        left, right = perhaps_tuple(a, like), perhaps_tuple(b, like)
        if left is None or right is None or not all(may_be_absent(x) for x in (a, b) if isinstance(x, Tup)):
            return Poison("a tuple on one path and something else on another")
        items = [self.value(x, y, hint) for x, y in zip(left.items, right.items)]
        return next((x for x in items if isinstance(x, Poison)), None) or OptionalTuple(like.with_(items))

    def run_time_tuple(self, a: Abstract | None, b: Abstract | None, hint: str | None) -> Abstract:
        if not all(x is None or is_plain_tuple(x) for x in (a, b)):
            return Poison("a tuple on one path and something else on another")
        lists = self.at_ends(a, b, lambda v: None if v is None else dynamic_list_methods.list_behind(self.ev, v))
        joined = self.container(*lists, hint)
        least = min(least_length(x) for x in (a, b) if x is not None)
        return RunTimeTuple(joined, least) if isinstance(joined, ListRef) else joined

    def array(self, a: Abstract | None, b: Abstract | None, hint: str | None) -> Abstract:
        if not all(x is None or isinstance(x, Ref) for x in (a, b)):
            other = next((x for x in (a, b) if not isinstance(x, Ref)), None)
            if isinstance(other, Static) and other.value is None:
                return self.optional(a, b, hint)
            return Poison("an array on one path and something else on another")
        if isinstance(a, Ref) and isinstance(b, Ref):
            if a == b:
                self.pairs.add((a.addr, b.addr))
                return a if a.object == b.object else replace(a, object=None)
            path = self.path(a.path, b.path, hint)
            if path is None:
                return self.materialised(a, b, hint)
            if a.addr == b.addr:
                self.pairs.add((a.addr, b.addr))
                return Ref(a.addr, path, None)
            base, own = self.base(a.addr, b.addr, path, hint), a.object == b.object == 0 and a.path == b.path
            return base if own or not isinstance(base, Ref) else replace(base, object=None)
        # Defined on one path only.
        one, side = (a, 0) if isinstance(a, Ref) else (b, 1)
        assert isinstance(one, Ref)
        if (self.right, self.left)[side].store.dead:
            self.pairs.add((one.addr, one.addr))
            self.addrs[one.addr, one.addr] = one.addr
            self.cell(one.addr)
            return replace(one, path=tuple(self.step(s, side) for s in one.path))
        if one.path:
            return self.materialised(a, b, hint)
        return self.base(one.addr if side == 0 else None, one.addr if side else None, (), hint)

    def base(self, a: int | None, b: int | None, path: tuple[Step, ...], hint: str | None) -> Abstract:
        """A reference whose buffer is at `a` on the left and at `b` on the right."""
        pair = (("undefined", b) if a is None else a, ("undefined", a) if b is None else b)
        self.pairs.add(pair)
        if (a, b) not in self.addrs:
            cells = [None if x is None else branch.store.cells[x] for x, branch in ((a, self.left), (b, self.right))]
            x, y = (c.value if isinstance(c, Array) else None for c in cells)
            try:
                value = self.phi(x, y, hint)
            except TypeMismatch as error:
                return Poison(f"its type depends on the path: {error}")
            present = [c for c in cells if isinstance(c, Array)]
            self.addrs[a, b] = self.addrs[pair] = self.ev.new_addr()
            self.store.cells[self.addrs[a, b]] = Array(
                value, origin_of(present), most_frozen(present), layout_of(present),
                frozenset().union(*(c.readonly for c in present)), merged=True, starts=any(c.starts for c in present))
        return Ref(self.addrs[a, b], path)

    def materialised(self, a: Abstract | None, b: Abstract | None, hint: str | None) -> Abstract:
        """A frozen copy, for a view on at least one path whose place depends on the path."""
        values = self.at_ends(a, b, lambda v: self.ev.contents(v) if isinstance(v, Ref) else None)
        try:
            return self.apart(a, b, self.phi(*values, hint))
        except TypeMismatch as error:
            return Poison(f"its type depends on the path: {error}")

    def apart(self, a: Abstract | None, b: Abstract | None, value: Operand) -> Ref:
        """A frozen copy of an array that is a part of another buffer on one path; that buffer is frozen too."""
        addr = self.ev.new_addr()
        self.store.cells[addr] = Array(value, self.origin(a, b), Frozen.AMBIGUOUS, merged=True)
        self.ev.containers.note_choice(self.ev.loc, [addr], {})
        if isinstance(a, Ref):
            self.pairs.add((a.addr, ("copy", addr)))
        if isinstance(b, Ref):
            self.pairs.add((("copy", addr), b.addr))
        return Ref(addr)

    def optional(self, a: Abstract | None, b: Abstract | None, hint: str | None) -> Abstract:
        values = self.at_ends(a, b, lambda v: self.ev.contents(v) if isinstance(v, Ref) else Lit(None))
        return self.apart(a, b, self.phi(*values, hint))

    def container(self, a: Abstract | None, b: Abstract | None, hint: str | None) -> Abstract:
        if a is None or b is None:
            one = a if a is not None else b
            assert isinstance(one, Container)
            self.cell(one.addr)
            return one
        if not (isinstance(a, Container) and isinstance(b, Container) and of_one_class(a, b)):
            see_into_both(self.ev, a, b)
            return self.apart_in_kind("another kind of object on another path")
        self.pairs.add((a.addr, b.addr))
        if a.addr == b.addr:
            self.contents(a.addr)
            return a
        if (a.addr, b.addr) not in self.addrs:
            x, y = self.left.store.slots(a), self.right.store.slots(b)
            use_alike(self.ev, a, x, y)
            if isinstance(a, ListRef) and isinstance(b, ListRef) and not alike(x, y):
                x, y = self.columns(a, b)
            if not alike(x, y):
                return self.apart_in_kind("a container of another length or with other keys on another path")
            addr = self.addrs[a.addr, b.addr] = self.ev.new_addr()
            cell = self.slots(x, y, hint)
            if any(cell.parent is not None and cell.parent not in side.store.cells for side in (self.left, self.right)):
                cell = replace(cell, parent=None, frozen=Frozen.AMBIGUOUS)  # a list that only one path has made
            self.store.cells[addr] = cell
        return replace(a, addr=self.addrs[a.addr, b.addr])

    def columns(self, a: ListRef, b: ListRef) -> tuple[Slots, Slots]:
        """Two lists of different lengths, with columns at the same addresses."""
        branches = (self.left, a), (self.right, b)
        row: tuple[Any, Any] | None = None
        for branch, ref in branches:
            cell = branch.store.cells[ref.addr]
            if isinstance(cell, Slots) and (cell.schema is not None or cell.items):
                with self.ev.inside(branch):
                    row = item_forms.items_like(self.ev, ref, row)
        if row is None:
            self.ev.refuse("SCT310", "nothing is known of the items of this list")
        addrs = [self.ev.new_addr() for _ in row[1]]
        for side, (branch, ref) in enumerate(branches):
            before = dict(branch.store.cells)
            with self.ev.inside(branch):
                dynamic_lists.grow(self.ev, ref, row, addrs)
            held = {a for a, cell in before.items() if not cell.frozen and branch.store.cells[a].frozen}
            for addr in held | {new for pair, new in self.addrs.items() if pair[side] in held}:
                self.store.hold(addr)  # it may be joined already
        self.inner = (self.left.defines(), self.right.defines())
        for addr in self.left.store.cells.keys() & self.right.store.cells.keys() & set(addrs):
            self.cell(addr)
        return self.left.store.slots(a), self.right.store.slots(b)

    def contents(self, addr: int) -> None:
        """Notes the aliases of the items of a list that neither path has changed."""
        x, y = self.left.store.cells[addr], self.right.store.cells[addr]
        if x is y and isinstance(x, Slots) and addr not in self.seen:
            self.seen.add(addr)
            for item in x.items:
                self.value(item, item)

    def leave_views_behind(self, extra: Abstract | None) -> None:
        """Joins no list that is a view of another one on one path alone, if nothing leads to it any more."""
        sides = self.left.store.cells, self.right.store.cells
        views = {addr for addr in sides[0].keys() & sides[1].keys() - self.store.cells.keys()
                 if len({cell.parent is None for cells in sides if isinstance(cell := cells[addr], Slots)}) > 1}
        if views and not self.left.store.dead and not self.right.store.dead:
            held = [*self.store.vars.values(), *self.ev.temporaries.values, *(() if extra is None else (extra,))]
            for addr in views - reached(held, (*sides, self.store.cells)):
                self.store.cells[addr] = replace(sides[0][addr], frozen=Frozen.STALE)

    # -- cells ---------------------------------------------------------------------------

    def slots(self, x: Slots, y: Slots, hint: str | None = None) -> Slots:
        names = [part_name(hint, key) for key in x.keys] or [None] * len(x.items)
        return joined_slots(x, y, [joined_item(*parts, self.value) for parts in zip(x.items, y.items, names)])

    def cell(self, addr: int) -> None:
        """Merges the cell at an address that both paths have, or the one that does not raise."""
        if addr in self.store.cells or addr <= CAPTURED:
            return
        x, y = self.left.store.cells.get(addr), self.right.store.cells.get(addr)
        x = None if self.left.store.dead and y is not None else x
        y = None if self.right.store.dead and x is not None else y
        present = x if x is not None else y
        assert present is not None
        if x is y:
            self.store.cells[addr] = present
        elif isinstance(present, Slots):
            self.store.cells[addr] = present  # breaks cycles
            if present.parent is not None:
                self.cell(present.parent)
            if isinstance(x, Slots) and isinstance(y, Slots):
                if not alike(x, y) and not x.keys and not y.keys:
                    x, y = self.columns(ListRef(addr), ListRef(addr))
                x, y = with_same_attributes(x, y)
                if not (alike(x, y) or self.asked is not None and self.ev.can_ask(self.asked)):
                    x, y = with_same_keys(x, y)
                if not alike(x, y):
                    self.ev.functions.plan.refused.update((c.site, "values") for c in (x, y) if c.site is not None)
                    self.ev.refuse("SCT310", "a dict that gets new keys on one path only")
                self.store.cells[addr] = self.slots(x, y)
            else:
                items = [self.value(p, None) if x is not None else self.value(None, p) for p in present.items]
                self.store.cells[addr] = replace(present, items=tuple(items))
        else:
            assert isinstance(present, Array)
            a, b = (c.value if isinstance(c, Array) else None for c in (x, y))
            frozen = most_frozen(c for c in (x, y) if c is not None)
            layout = layout_of([c for c in (x, y) if isinstance(c, Array)])
            starts = any(c.starts for c in (x, y) if isinstance(c, Array))
            self.store.cells[addr] = replace(present, value=self.phi(a, b), frozen=frozen, layout=layout, starts=starts)


def _merge(ev: Evaluator, pred: Operand, left: Branch, right: Branch, live: Callable[[Key], bool],
           asked: Value | None = None) -> tuple[Store, Any]:
    """Joins two paths by a `cond` in the current block: the store after it, and the joined results."""
    m, a, b = _Merge(ev, left, right, asked), left.store, right.store
    for key in filter(live, {**a.vars, **b.vars}):
        x = None if a.dead and not b.dead else a.vars.get(key)
        y = None if b.dead and not a.dead else b.vars.get(key)
        if x is y and isinstance(x, (Value, Static)) and key not in a.bound and key not in b.bound:
            m.store.vars[key] = x
        elif key == ev.tries.slot and (x, y) == (Static(True), Static(False)) and isinstance(pred, Value):
            m.store.vars[key] = pred
        elif key.name == "<exit>" and (exit := ev.tries.exit_unless_raised(a, b, key)) is not None:
            m.store.vars[key] = exit
        elif x is not None or y is not None:
            m.store.vars[key] = m.value(x, y, None if key.name.startswith("<") else key.name)
            if not key.name.startswith("<"):
                m.bound(key, None if x is None else a.is_bound(key), None if y is None else b.is_bound(key))
    for v in ev.temporaries.values:
        m.value(v, v)
    extra: Any = None if left.extra is right.extra is None else m.value(
        None if a.dead else left.extra, None if b.dead else right.extra)
    if not a.dead and not b.dead:
        m.store.cells.update((addr, cell) for addr, cell in a.cells.items() if b.cells.get(addr) is cell)
    m.leave_views_behind(extra)
    for addr in sorted(a.cells.keys() & b.cells.keys() - m.store.cells.keys()):
        m.cell(addr)
    if a.dead != b.dead:
        for addr in sorted((b if a.dead else a).cells):
            m.cell(addr)
    m.store.told = choices.joined(a, b)
    list_items.join(a, b, m.store, m.addrs, m.inner[0] | m.inner[1], m.phi)
    bad = lasting_conflicts(m.pairs, m.store, m.addrs.values())
    ambiguous = sorted(m.store.cells.keys() & {addr for pair in bad for addr in (*pair, m.addrs.get(pair))})
    for addr in ambiguous:
        m.store.freeze(addr)
    ev.containers.note_choice(ev.loc, ambiguous, m.addrs)
    join_aliases(a, b, m.store, m.pairs, m.addrs)
    branches = tuple(Fn(name, (), tuple(branch.builder.eqns), tuple(o[k] for o in m.outs))
                     for k, (name, branch) in enumerate((("then", left), ("orelse", right))))
    if m.outs or any(branch.builder.eqns for branch in (left, right)):
        ev.b.add(Eqn(cond, (pred,), tuple(o[2] for o in m.outs), {}, branches, loc=ev.loc))
    return m.store, extra


def evaluate_branches(ev: Evaluator, pred: Operand, then: Callable[[], Abstract | None],
                      orelse: Callable[[], Abstract | None], live: Callable[[Key], bool] | None = None) -> Any:
    """Evaluates both branches and joins them: the value that is `then()` or `orelse()`."""
    joined = run_branches(ev, pred, then, orelse, live or ev.live_in_statement)
    if ev.store.dead:
        raise Dead
    return joined


def run_branches(ev: Evaluator, pred: Operand, then: Callable[[], Any], orelse: Callable[[], Any],
                 live: Callable[[Key], bool]) -> Any:
    """Runs both branches and joins them, and their values; the store is dead if both raise."""
    branches = choices.forks(ev, pred)
    for branch, thunk in zip(branches, (then, orelse)):
        run_branch(ev, branch, thunk, live)
    return join_branches(ev, pred, branches[0], branches[1], live)


def run_branch(ev: Evaluator, branch: Branch, thunk: Callable[[], Any], live: Callable[[Key], bool]) -> None:
    """Evaluates a path, from its current end, to its end; `branch.extra` is the value of `thunk`."""
    with ev.tries.in_block(branch.builder, ev.b), ev.inside(branch):
        first = len(ev.b.eqns)
        with ev.to_its_end(), ev.temporaries.dropped():  # the other path does not have what this one has made
            ev.split_if_raised()
            branch.extra = thunk()
        branch.extra = close_raised(ev, first, live, branch.extra)


def join_branches(ev: Evaluator, pred: Operand, left: Branch, right: Branch, live: Callable[[Key], bool],
                  asked: Value | None = None) -> Any:
    """Joins two evaluated branches: the store after them, and the value that they return.

    asked  the test, if its outcome is asked where the branches cannot be joined
    """
    store, extra = _merge(ev, pred, left, right, live, asked)
    ev.go_to(store)
    ev.split_if_raised()
    return ev.unless_raised(extra)


def close_raised(ev: Evaluator, first: int, live: Callable[[Key], bool], extra: Any = None) -> Any:
    """At the end of a block: joins its end with the paths that have raised in it, behind the equation `first`."""
    for split in reversed(ev.tries.take(ev.b, first)):
        extra = join_split(ev, split, Branch(ev.store, behind(ev, split), extra), live)
    return extra


def behind(ev: Evaluator, split: Split) -> Builder:
    """The equations behind the place where a path has raised, taken out of the current block."""
    rest = Builder()
    rest.eqns = ev.b.eqns[split.at:]
    del ev.b.eqns[split.at:]
    return rest


def join_split(ev: Evaluator, split: Split, rest: Branch, live: Callable[[Key], bool]) -> Any:
    """Joins the path that has raised with the `rest` of the block."""
    frames = {frame.id for frame in ev.frames}
    for key in [k for k in split.branch.store.vars if k not in rest.store.vars and k.frame not in frames]:
        split.branch.store.unbind(key)  # a variable of a function that has returned on the other path
    paths = (split.branch, rest) if split.raises else (rest, split.branch)
    store, extra = _merge(ev, split.test, *paths, live)
    ev.go_to(store)
    return extra
