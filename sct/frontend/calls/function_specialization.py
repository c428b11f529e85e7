"""Function specialization: one function of the program for all calls with arguments of one kind.

    def power(x, n):                     def power(x: float, n: int) -> float: ...
        ... x * power(x, n - 1)    ->        p: float = call(x, m, callee="power")

Such a function calls itself, or is long and called again (`outlining`).  It is evaluated once for each kind of
arguments, in a heap of its own; its params are the numbers and arrays in the arguments.  An array of the caller that
it writes has its new version as one more result.

A function that calls itself is evaluated until a fixpoint.  Its own calls have the results of the evaluation before
(none at first), and their arguments may widen its params; the last evaluation changes neither params nor results.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, NoReturn

from sct.frontend.calls.captured_variables import Outer
from sct.frontend.calls.flattened_arguments import (
    Aliasing,
    ArgumentTree,
    Flattening,
    NotFlattenable,
    aliasing_of,
    leaf_indices,
    leaf_name,
    may_be_passed,
    operand_of,
    other_length,
    outlined_type,
    result_types,
)
from sct.frontend.calls.outlining import OutlinedFunction, free_name
from sct.frontend.evaluator.attempts import check_recomputable
from sct.frontend.evaluator.evaluator import Evaluator
from sct.frontend.heap.dynamic_list_methods import rewritten
from sct.frontend.heap.item_forms import item_type, items_like, row_type
from sct.frontend.heap.subscripts import store_slot, write_through
from sct.frontend.objects.objects import store_attribute
from sct.frontend.source.parse import SourceFunction
from sct.frontend.state.fixpoint import Dead, Unstable, fixpoint, widened_types, with_fresh_sizes
from sct.frontend.state.parts import Frame
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
    Ref,
    Slots,
    Static,
    Tup,
)
from sct.frontend.values.guards import NeedsStatic
from sct.frontend.values.item_schemas import Rows
from sct.ir import Builder, Eqn, Fn, Lit, Operand, Value, walk
from sct.ir.dims import Dim
from sct.ir.types import NONE, List, Never, Optional, Seq, Tensor, Type, TypeMismatch, Undef
from sct.ops import call, loop

__all__ = ["call_outlined"]

TOO_MANY = 24
"""How many kinds of arguments one function may have."""
MANY_NESTED = 8
"""At so many kinds in calls around one another, a list that is longer in each of them gets columns."""


class Grown(Exception):
    """The function `of` puts the first items into lists that it is given, or passes itself ever longer ones.

    lists  the kinds of the items, by the numbers of the lists: these get columns before they are passed
    """

    def __init__(self, of: OutlinedFunction, lists: Mapping[int, Rows]) -> None:
        self.of, self.lists = of, lists


def _type_kind(t: Type) -> object:
    """The part of a type on which functions are specialized."""
    if isinstance(t, Tensor):
        return ("array", t.dtype, t.rank) if t.is_array else (t.kind, t.dtype == "f32")
    if isinstance(t, List):
        return "list", None if isinstance(t.elem, Never) else _type_kind(t.elem)
    return type(t), _type_kind(t.elem) if isinstance(t, (Optional, Undef, Seq)) else t


def call_outlined(ev: Evaluator, frame: Frame, bound: Mapping[Key, Abstract], body: Callable[[], Abstract],
                  outer: Outer, site: Any = None, recomputed: bool = False) -> Abstract:
    """Calls the specialization of the function of `frame` for these arguments; evaluates it first if it is new.

    bound  its arguments, and the variables of enclosing functions that it reads
    body   evaluates its body, where `bound` are bound
    outer  the variables of enclosing functions
    site   of a function that is outlined because it is called again
    recomputed  the function is checkpointed
    """
    source = frame.source
    pinned = ev.functions.pinned.setdefault(frame.code, set())
    flat = Flattening(ev, outer, grown=ev.functions.grown.setdefault(frame.code, {}))
    try:
        trees = {key: flat.flatten(v, key.name in pinned) for key, v in bound.items()}
    except NotFlattenable as error:
        kind = "checkpointed" if recomputed else "recursive"
        ev.refuse("SCT204", f"`{source.name}` is {kind}, and an argument or a captured variable is {error}",
                  hint="pass numbers and arrays")
    operands = list(map(operand_of(ev), flat.values))
    types, dims = [x.type for x in operands], [x.dim for x in operands]
    frozen = [isinstance(v, Ref) and ev.store.cells[v.addr].frozen for v in flat.values]
    f = _specialization(ev, frame, trees, flat, types, dims, frozen)
    f.site = site
    if f.in_progress:
        f.recursive = True
        if not f.takes(ev, types, dims):
            f.widen(types, dims)
    if not f.in_progress and not f.is_current:
        f.fn, f.result, f.trees, f.assumes = None, None, trees, {}
        try:
            _evaluate(ev, f, source, flat, body)
        except Grown as grown:
            ev.functions.forget(f)
            if grown.of is not f:
                raise
            ev.functions.grown[frame.code].update(grown.lists)
            return call_outlined(ev, frame, bound, body, outer, site, recomputed)
        except NeedsStatic as need:
            name = _static_param(f, need.value, operands)
            if name is None:
                raise
            pinned.add(name)
            return call_outlined(ev, frame, bound, body, outer, site, recomputed)
    _note_assumptions(ev, f)
    if f.result is None:
        if f.in_progress or any(g.in_progress for g in f.assumes):
            raise Dead
        ev.refuse("SCT204", f"the recursive function `{source.name}` returns on no path",
                  why="each path calls it again, or raises", hint="add a base case that returns a value")
    if recomputed and f.fn is not None:
        check_recomputable(ev, f.fn, "a checkpointed function has an effect",
                           "do it before the call, and pass the result")
    return _emit_call(ev, f, source, flat, operands, recomputed)


def _note_assumptions(ev: Evaluator, f: OutlinedFunction) -> None:
    """Functions in progress that call `f` assume the results that `f` assumes, and its own if it is in progress."""
    assumed = {g: n for g, n in f.assumes.items() if g.in_progress}
    if f.in_progress:
        assumed[f] = f.round
    for g in assumed:
        for caller in ev.functions.in_progress[ev.functions.in_progress.index(g) + 1:]:
            caller.assumes[g] = assumed[g]


def _specialization(ev: Evaluator, frame: Frame, trees: Mapping[Key, ArgumentTree], flat: Flattening,
                    types: Sequence[Type], dims: Sequence[Dim | None], frozen: Sequence[object]) -> OutlinedFunction:
    source = frame.source
    named = tuple((key.name, tree) for key, tree in trees.items())
    key = frame.code, tuple(flat.outer.links), named, tuple(map(_type_kind, types)), tuple(frozen), ev.enclosing.rules
    candidates: list[OutlinedFunction] = ev.functions.specialized.setdefault(key, [])
    for f in candidates:
        if f.in_progress or f.takes(ev, types, dims):
            return f
    others = [f for k, fs in ev.functions.specialized.items() if k[0] == frame.code for f in fs]
    if len(others) >= TOO_MANY or sum(f.in_progress for f in others) >= MANY_NESTED:
        _grow_arguments(ev, frame, trees, flat)
    if len(others) >= TOO_MANY:
        names = " and ".join(f"`{name}`" for name in sorted(ev.functions.pinned.get(frame.code, ())))
        ev.refuse("SCT204", f"`{source.name}` calls itself with ever new kinds of arguments",
                  why=f"{names or 'an argument that decides types'} must be known when the function is read, as an "
                      "axis or an index into a list of few items must, and differs in each call",
                  hint="if it is an index, pass an array instead of the list; else write it as a loop")
    f = OutlinedFunction(free_name(ev, source.name), trees, [outlined_type(ev, t) for t in types],
                 [d if d is not None and d.symbols and d.symbols <= ev.sizes.keys() else None for d in dims])
    candidates.append(f)
    return f


def _grow_arguments(ev: Evaluator, frame: Frame, trees: Mapping[Key, ArgumentTree], flat: Flattening) -> None:
    """If a list in the arguments has another length in each call, starts again with columns for it."""
    for f in (f for key, fs in ev.functions.specialized.items() if key[0] == frame.code for f in fs):
        for before, tree in zip(f.trees.values(), trees.values()):
            if f.in_progress and (other := other_length(tree, before)) is not None:
                addr = next(addr for addr, which in flat.containers.items() if which == other.which)
                schema, types = items_like(ev, ListRef(addr), None)
                raise Grown(f, {other.which: (schema, [outlined_type(ev, t) for t in types])})


def _static_param(f: OutlinedFunction, v: Value, operands: Sequence[Operand]) -> str | None:
    """The name of the param `v`, if the call passes a known number for it."""
    if v not in f.params:
        return None
    k = f.params.index(v)
    if not isinstance(operands[k], Lit):
        return None
    return next(key.name for key, tree in f.trees.items() if k in leaf_indices(tree))


# -- the fixpoint of one function -------------------------------------------------------------------------


def _evaluate(ev: Evaluator, f: OutlinedFunction, source: SourceFunction, flat: Flattening,
              body: Callable[[], Abstract]) -> None:
    """Evaluates the function until neither its params nor its results change."""

    def evaluate_round() -> Fn:
        f.converged, f.params_widened, f.assumes = True, False, {}
        f.round += 1
        fn = _evaluate_once(ev, f, source, flat, body)
        if f.params_widened:
            f.result = None  # it is the result for narrower params
        elif f.converged or not f.recursive:
            return fn
        raise Unstable(f)

    def refuse() -> NoReturn:
        ev.refuse("SCT204", f"the argument or result types of the recursive function `{source.name}` keep changing "
                  "from one level to the next", hint="write it as a loop")

    f.in_progress = True
    ev.functions.in_progress.append(f)
    try:
        f.fn = fixpoint(f, evaluate_round, 40, refuse)
    except BaseException:
        f.round += 1  # what was assumed of its results holds no more
        raise
    finally:
        f.in_progress = False
        ev.functions.in_progress.pop()


def _evaluate_once(ev: Evaluator, f: OutlinedFunction, source: SourceFunction, flat: Flattening,
                   body: Callable[[], Abstract]) -> Fn:
    """One evaluation, with the param types learnt so far."""
    params = f.params = tuple(Value(t, leaf_name(f.trees, k), d) for k, (t, d) in enumerate(zip(f.types, f.dims)))
    with ev.in_function() as builder:
        leaves: list[Abstract] = []
        for p, v in zip(params, flat.values):
            leaves.append(p)
            if isinstance(v, Ref):
                ev.store.cells[addr := ev.new_addr()] = Array(p, merged=True)
                leaves[-1] = Ref(addr, object=None)
        flat.rebuilt.clear()
        for key, tree in f.trees.items():
            ev.store.vars[key] = flat.rebuild(tree, leaves)
        arguments = [*leaves, *(ev.store.vars[key] for key in f.trees)]
        containers = {addr: cell for addr, cell in ev.store.cells.items() if isinstance(cell, Slots)}
        try:
            with ev.temporaries.dropped():
                for v in arguments:
                    ev.temporaries.hold(v)  # the caller may
                result: Abstract | None = ev.settled(body())
        except Dead:
            result = None
        shared = {}
        if result is not None:
            shared = _check_containers(ev, f, source, flat, containers, builder)
            result = _with_written_slots(ev, f, flat, result)
        return _finish(ev, f, source, flat, builder, leaves, result, shared)


def _check_containers(ev: Evaluator, f: OutlinedFunction, source: SourceFunction, flat: Flattening,
                      before: Mapping[int, Slots], builder: Builder) -> dict[int, Frozen]:
    """The containers of the caller that may not be written after the call, by number.

    Refuses writes into them that change their slots; lists that have got columns, get them before.
    """
    defs = {v: eqn for eqn in walk(Fn("", (), tuple(builder.eqns), ())) for v in eqn.outs}
    grown: dict[int, Rows] = {}
    shared, held = dict[int, Frozen](), False
    for addr, cell in before.items():
        after = ev.store.cells.get(addr)
        if after == cell:
            continue
        which, kind = flat.rebuilt[addr]
        if isinstance(after, Slots) and replace(after, frozen=cell.frozen) == cell:
            shared[which] = after.frozen
            held |= not may_be_passed(after)
            continue
        same_slots = isinstance(after, Slots) and len(after.items) == len(cell.items)
        if same_slots and isinstance(kind, (ObjRef, ListRef, DictRef)) and replace(after, items=cell.items) == cell:
            _note_written_slots(f, which, kind, cell, after, defs)
            continue
        longer = isinstance(after, Slots) and (after.schema is not None or len(after.items) > len(cell.items))
        if not isinstance(kind, ListRef) or cell.schema is not None or not longer or after.frozen not in (
                Frozen.NO, Frozen.AMBIGUOUS):
            what = "an attribute of an object" if isinstance(kind, ObjRef) else "a list or dict"
            ev.refuse("SCT204", f"`{source.name}` calls itself or is called again, and writes into {what} that it is "
                      "given", hint="return the new items; or write a loop that fills an array")
        schema, types = item_type(ev, ListRef(addr)) if after.schema is not None else row_type(ev, after)
        grown[which] = schema, [outlined_type(ev, t) for t in types]
    if grown:  # what is in them is no container of its own then
        raise Grown(f, grown)
    if held:
        ev.refuse("SCT204", f"`{source.name}` calls itself or is called again, and puts a list, a dict or an object "
                  "that it is given into a list", hint="put a copy into it")
    return shared


def _note_written_slots(f: OutlinedFunction, which: int, kind: Container, before: Slots, after: Slots,
                        defs: Mapping[Value, Eqn]) -> None:
    """Notes the slots of a container of the caller whose values at the end are results of the function."""
    changed = [k for k, (x, y) in enumerate(zip(before.items, after.items)) if x != _before_loops(y, defs)]
    new = {(which, k): kind for k in changed if (which, k) not in f.written_slots}
    f.written_slots.update(new)
    if new and f.result is not None:
        f.result = None
        raise Unstable(f)


def _before_loops(v: Any, defs: Mapping[Value, Eqn]) -> Any:
    """The value that loops carry to `v` without a change."""
    while isinstance(v, Value) and v in defs and defs[v].op is loop:
        eqn, n = defs[v], defs[v].attrs["carries"]
        behind = n - eqn.outs.index(v)
        body = eqn.regions[-1]
        if behind <= 0 or _before_loops(body.results[-behind], defs) is not body.params[-behind]:
            break
        v = eqn.args[-behind]
    return v


def _with_written_slots(ev: Evaluator, f: OutlinedFunction, flat: Flattening, result: Abstract) -> Abstract:
    """The result of the function, with the values of the slots that it writes."""
    addrs = {which: addr for addr, (which, _) in flat.rebuilt.items()}
    values = [ev.slots(replace(kind, addr=addrs[which])).items[k] for (which, k), kind in f.written_slots.items()]
    return Tup((result, *values)) if values else result


def _write_slots(ev: Evaluator, f: OutlinedFunction, flat: Flattening, result: Abstract) -> Abstract:
    """The result of a call; writes the slots of the caller's containers that the function has written."""
    if not f.written_slots:
        return result
    assert isinstance(result, Tup)
    addrs = {number: addr for addr, number in flat.containers.items()}
    for ((which, k), kind), value in zip(f.written_slots.items(), result.items[1:]):
        owner: Any = replace(kind, addr=addrs[which])
        if isinstance(owner, ObjRef):
            store_attribute(ev, owner, ev.slots(owner).keys[k], value)
        else:
            store_slot(ev, owner, k if isinstance(owner, ListRef) else ev.slots(owner).keys[k], value)
    return result.items[0]


def _finish(ev: Evaluator, f: OutlinedFunction, source: SourceFunction, args: Flattening, builder: Builder,
            leaves: Sequence[Abstract], result: Abstract | None, shared: Mapping[int, Frozen]) -> Fn:
    outs: list[Operand] = []
    tree = None
    written = [k for k, v in enumerate(leaves) if isinstance(v, Ref) and result is not None
               and ev.store.cells[v.addr].value is not f.params[k]]  # type: ignore[union-attr]
    aliasing = Aliasing()
    if result is not None:
        flat = Flattening(ev, args.outer, (bool, int, float, type(None)) if f.kinds_vary else (int, float),
                          with_frozen=False, grown=f.grown)
        try:
            tree = flat.flatten(result)
        except NotFlattenable as error:
            ev.refuse("SCT204", f"`{source.name}` returns {error}", hint="return numbers and arrays")
        outs = list(map(operand_of(ev), flat.values))
        aliasing = aliasing_of(args, leaves, flat, written, shared)
        if any(aliasing.may_alias) and f.site is not None:
            ev.refuse("SCT204", f"`{source.name}` returns a view", hint="return a copy")
    for k in written:
        leaf = leaves[k]
        assert isinstance(leaf, Ref)
        outs.append(ev.contents(leaf))
    if result is not None and tree is not None and f.result is not None and tree != f.result:
        ev.functions.plan.note_tuples_in(result)
        _learn_kinds(ev, f, source, flat, tree)
    _learn_results(ev, f, tree, [x.type for x in outs], aliasing)
    donated_params = tuple((k, len(outs) - len(written) + j) for j, k in enumerate(written))
    return Fn(f.name, f.params, tuple(builder.eqns), tuple(outs), donated_params=donated_params)


_ALIKE = "return the same number and kinds of values on every path"


def _learn_kinds(ev: Evaluator, f: OutlinedFunction, source: SourceFunction, flat: Flattening, tree: ArgumentTree
                 ) -> None:
    """Notes that its result is of another kind than before: a list of another length gets columns, a bool or None is
    an out."""
    assert f.result is not None
    before = other_length(f.result, tree)
    if before is not None and before.which not in f.grown:
        addr = next(addr for addr, which in flat.containers.items() if which == before.which)
        like = None if before.schema is None else (
            before.schema, [t.elem for k in leaf_indices(before) for t in [f.results[k]] if isinstance(t, List)])
        schema, types = items_like(ev, ListRef(addr), like)
        f.grown[before.which] = schema, [outlined_type(ev, t) for t in types]
    elif f.kinds_vary:
        ev.refuse("SCT204", f"the recursive function `{source.name}` returns different kinds of objects", hint=_ALIKE)
    else:
        f.kinds_vary = True
    f.result = None
    raise Unstable(f)


def _learn_results(ev: Evaluator, f: OutlinedFunction, tree: ArgumentTree | None, types: list[Type],
                   aliasing: Aliasing) -> None:
    """Notes the results of an evaluation; `converged` is False if they differ from those before."""
    if f.fresh_sizes:
        types = [with_fresh_sizes(t, f"{f.name} result {k}") for k, t in enumerate(types)]
    if f.result is None or tree is None:
        f.converged &= tree is None
        f.result, f.results = tree, [ev.resolved(t) for t in types]
        f.aliasing = aliasing
        return
    if aliasing != f.aliasing:
        f.converged = False
        f.results, f.aliasing = types, aliasing
        return
    try:
        wider = widened_types(f.results, [ev.resolved(t) for t in types], f"{f.name} result")
    except TypeMismatch as error:
        ev.refuse("SCT204", f"the recursive function `{f.name}` returns different types",
                  why=str(error), hint=error.hint or _ALIKE)
    f.converged &= wider == f.results
    f.results = wider


# -- calls ---------------------------------------------------------------------------------------------------


def _emit_call(ev: Evaluator, f: OutlinedFunction, source: SourceFunction, flat: Flattening,
               operands: list[Operand], recomputed: bool) -> Abstract:
    """The equation `call`, the writes into arrays of the caller, and the result."""
    assert f.result is not None
    aliasing = f.aliasing
    n = len(f.results) - len(aliasing.written)
    operands = [ev.read(v) if isinstance(v, Ref) else x for v, x in zip(flat.values, operands)]
    if aliasing.written:
        _refuse_shared(ev, f, source, flat)
    types = result_types(ev, f.params, f.results, operands)
    donates = tuple((k, n + j) for j, k in enumerate(aliasing.written))
    attrs = {"callee": f.name, "types": types, "donates": donates, "recomputed": recomputed}
    outs = ev.b.emit(call, operands, attrs, loc=ev.loc)
    _write_back(ev, source, flat, dict(zip(aliasing.written, outs[n:])))
    leaves = [_leaf(ev, out) if k is None else k if isinstance(k, Ref) else flat.values[k]
              for out, k in zip(outs, aliasing.same_array)]
    if any(aliasing.may_alias):
        passed = (v for k, v in enumerate(flat.values) if k not in flat.lists)
        ev.freeze(*(v.addr for v in [*passed, *(x for x, aliased in zip(leaves, aliasing.may_alias) if aliased)]
                    if isinstance(v, Ref)))
    return _write_slots(ev, f, flat, _with_containers(ev, f, flat, leaves))


def _leaf(ev: Evaluator, out: Value) -> Abstract:
    """A result: a list of the IR is the column of a list."""
    if not isinstance(out.type, List):
        return Static(None) if out.type == NONE else ev.wrap(out)
    addr = ev.new_addr()
    ev.store.cells[addr] = Array(out)
    return Ref(addr)


def _with_containers(ev: Evaluator, f: OutlinedFunction, flat: Flattening, leaves: Sequence[Abstract]) -> Abstract:
    """The result in its containers, some of which may be those of the arguments."""
    assert f.result is not None
    addrs = {number: addr for addr, number in flat.containers.items()}
    same = {k: number if number <= CAPTURED else addrs[number] for k, number in f.aliasing.same_container.items()}
    flat.rebuilt.clear()
    result = flat.rebuild(f.result, leaves, same)
    frozen = {addr: f.aliasing.shared[k] for addr, (k, _) in flat.rebuilt.items() if k in f.aliasing.shared}
    frozen.update((addrs[k], why) for k, why in f.aliasing.arguments.items())
    for addr, why in frozen.items():
        if why == Frozen.AMBIGUOUS:
            ev.freeze(addr)
        else:
            ev.store.hold(addr)
    return result


def _write_back(ev: Evaluator, source: SourceFunction, flat: Flattening, written: Mapping[int, Value]) -> None:
    """Writes what the function has written into arrays and lists of the caller."""
    for k, out in written.items():
        ref = flat.values[k]
        assert isinstance(ref, Ref)
        if k in flat.lists:
            rewritten(ev, ListRef(flat.lists[k]), ref, out, source.name)
        else:
            write_through(ev, ref, out)


def _refuse_shared(ev: Evaluator, f: OutlinedFunction, source: SourceFunction, flat: Flattening) -> None:
    """Refuses a call that writes into an array which another argument shares."""
    refs = [(k, v) for k, v in enumerate(flat.values) if isinstance(v, Ref)]
    for k in f.aliasing.written:
        for j, v in refs:
            if j != k and v.addr == flat.values[k].addr:  # type: ignore[union-attr]
                ev.refuse("SCT305", f"two arguments of `{source.name}` share memory, and it writes into one",
                          hint="pass a copy")
