"""Methods and operators of lists whose length is known only at run time: writes, appends, joins."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from sct.frontend.evaluator import list_items
from sct.frontend.evaluator.list_items import refuse_different_items
from sct.frontend.evaluator.lists_in_lists import cut_loose, lists_behind, take_out
from sct.frontend.heap.dynamic_lists import (
    column_refs,
    columns,
    element,
    grow,
    keys,
    leaves,
    length,
    list_of_items,
    take_form,
)
from sct.frontend.heap.item_forms import holds_kinds, item_type, opened_tuples, row_type, schema_of, slots
from sct.frontend.state.store import least_length
from sct.frontend.values.abstract_values import (
    CAPTURED,
    Abstract,
    Array,
    Frozen,
    ListRef,
    Origin,
    Ref,
    RunTimeTuple,
    Slots,
    Static,
    Tup,
)
from sct.frontend.values.item_schemas import (
    Rows,
    common_form,
    holds_objects,
    leaf_numbers,
    map_leaves,
    map_parts,
    parts_of,
)
from sct.frontend.values.schemas import ListSchema, Schema
from sct.ir import Lit, Op, Operand, Value
from sct.ir.types import ActiveText, List, Opaque, Optional, Tensor, Text, Type, leaf_type
from sct.ops import index, store
from sct.ops.arrays.indexing import join as join_key
from sct.ops.program import list_ops as ops
from sct.ops.program import list_slices
from sct.ops.program.inner_lists import INNER_UPDATES, inner_key

if TYPE_CHECKING:
    from sct.frontend.evaluator.evaluator import Evaluator

__all__ = ["append", "change", "extend", "joined", "list_behind", "part", "rearrange", "rewritten", "store_element",
           "joined_tuples", "known_tuple", "shared", "tuple_of"]


def part(ev: Evaluator, ref: ListRef, bounds: slice) -> ListRef:
    """`xs[a:b]`"""
    owned, held = ev.store.owns(ref.addr), shared(ev, ref)
    ends = (bounds.start, bounds.stop, bounds.step)
    key = ("s" + "".join("0" if b is None else "1" for b in ends),)
    parts = [ev.emit(index, c, *(b for b in ends if b is not None), key=key) for c in columns(ev, ref)]
    return list_items.owning(ev, owned, ev.new_dynamic_list(slots(ev, ref).schema or 0, parts, held=held))


def copied(ev: Evaluator, ref: ListRef) -> ListRef:
    """`list(xs)`"""
    owned, held = ev.store.owns(ref.addr), shared(ev, ref)
    copies = [ev.emit(ops.copy_list, c) for c in columns(ev, ref)]
    return list_items.owning(ev, owned, ev.new_dynamic_list(slots(ev, ref).schema or 0, copies, held=held))


def list_behind(ev: Evaluator, v: Abstract) -> ListRef:
    """The items of a tuple as a list, which is never written."""
    if isinstance(v, RunTimeTuple):
        return v.of
    assert isinstance(v, Tup)
    return list_of_items(ev, v.items) if v.items else ev.new_list(())


def tuple_of(ev: Evaluator, ref: ListRef) -> RunTimeTuple:
    """`tuple(xs)`"""
    owned, held = ev.store.owns(ref.addr), shared(ev, ref)
    own = ev.new_dynamic_list(slots(ev, ref).schema or 0, columns(ev, ref), held=held)
    return RunTimeTuple(list_items.owning(ev, owned, own))


def copied_deep(ev: Evaluator, ref: ListRef) -> ListRef:
    """`copy.deepcopy(xs)`, where `xs` holds each of its lists, objects and arrays once."""
    schema, types = item_type(ev, ref)
    leaves = list(map(leaf_type, types))
    once = not slots(ev, ref).frozen and ref.addr > CAPTURED if any(isinstance(t, List) for t in types) else True
    once &= ev.store.owns(ref.addr) or not holds_objects(schema)
    once &= ev.store.holds_alone(ref.addr) or not any(isinstance(t, Tensor) and t.is_array for t in leaves)
    if not once or any(isinstance(t, Opaque) and not isinstance(t, (ActiveText, Text)) for t in leaves):
        ev.refuse("SCT208", "a deep copy of this list is not supported",
                  why="it may hold one object twice, or one that sct does not see into",
                  hint="copy the items that you write: `[list(row) for row in rows]`")
    if slots(ev, ref).origin == Origin.ARGUMENT:
        ev.containers.note_identity()
        ev.containers.note_comparison(ev.loc, "makes a deep copy of them")
    copies = [ev.emit(ops.copy_list, c, deep=True) for c in columns(ev, ref)]
    return list_items.owning(ev, True, ev.new_dynamic_list(schema, copies))


def change(ev: Evaluator, ref: ListRef, versions: Sequence[Operand], behind: bool = False,
           at: Operand | None = None) -> Abstract:
    """Writes new versions of the columns; returns None, as methods of lists do.

    behind  an item comes in behind; `at`: another item takes the place of this one
    """
    return _renew_all(ev, ref, [_put_back(ev, c, new) for c, new in zip(column_refs(ev, ref), versions)], behind, at)


def _put_back(ev: Evaluator, column: Ref, new: Operand) -> Operand:
    """The new version of the outermost list, where `new` takes the place of a list."""
    path = keys(column)
    return ev.emit(store, ev.read(Ref(column.addr)), new, *path, key=("i",) * len(path)) if path else new


def _updated(ev: Evaluator, column: Ref, update: Op, *operands: Operand, **attrs: Any) -> Operand:
    """The new version of the outermost list, where a list in it is updated."""
    path, outer = keys(column), ev.read(Ref(column.addr))
    if not path or ev.tries.handled:  # a handler may ask which of the reading and the update has raised
        return _put_back(ev, column, ev.emit(update, ev.read(column), *operands, **attrs))
    return ev.emit(  # type: ignore[no-any-return]
        INNER_UPDATES[update], outer, *operands, *path, key=inner_key(len(path)), **attrs)


def _renew_all(ev: Evaluator, ref: ListRef, versions: Sequence[Operand], behind: bool = False,
               at: Operand | None = None) -> Abstract:
    """Writes the new versions of the outermost lists of the columns; `behind` and `at` as for `change`."""
    if ref.addr in ev.loops.pools:
        ev.refuse("SCT306", "an item of a list of objects is replaced in a loop over combinations or products of them",
                  why="the loop runs over the objects that were in the list before", hint="replace it after the loop")
    cut_loose(ev, ref)
    if at is None:
        list_items.moved(ev, ref.addr, behind)
    else:
        list_items.displace(ev, list_items.item_at(ev, ref.addr, at))
    for c, new in zip(column_refs(ev, ref), versions):
        renew(ev, ref, c.addr, new)
    return Static(None)


def rearrange(ev: Evaluator, ref: ListRef, versions: Sequence[Operand]) -> Abstract:
    """Writes new versions of the columns, in which each item of the list is at most once."""
    owned = ev.store.owns(ref.addr)
    none = change(ev, ref, versions)
    list_items.owning(ev, owned, ref, same=True)
    return none


def renew(ev: Evaluator, ref: ListRef, column: int, new: Operand) -> None:
    """Write the column of a list, or of the one that it is in."""
    at: int | None = ref.addr
    outermost = ref.addr
    while at is not None:
        ev.writable(at, "a write")
        outermost, at = at, slots(ev, ListRef(at)).parent
    owned = ev.store.owns(outermost)
    cell = ev.writable(column, "a write")
    assert isinstance(cell, Array)
    if isinstance(new, Value) and new.hint is None and isinstance(cell.value, Value):
        new.hint = cell.value.hint
    ev.store.cells[column] = replace(cell, value=new)
    list_items.owning(ev, owned and outermost != ref.addr, ListRef(outermost), same=outermost == ref.addr)
    if slots(ev, ref).parent is not None:
        _outdate(ev)


def _outdate(ev: Evaluator) -> None:
    """A list in a list is written: one that was put in, or detached, or that has other names, may be that one."""
    for addr, other in list(ev.store.cells.items()):
        if isinstance(other, Slots) and other.frozen in (Frozen.HELD, Frozen.AMBIGUOUS) and not other.keys:
            ev.store.cells[addr] = replace(other, frozen=Frozen.STALE)
            if other.origin == Origin.ARGUMENT:
                ev.containers.note_write(ev.loc)


def rewritten(ev: Evaluator, ref: ListRef, column: Ref, new: Value, function: str) -> None:
    """Writes what a function of the program has made of a column of a list."""
    resize(ev, ref)
    if holds_objects(slots(ev, ref).schema or 0):
        ev.refuse("SCT204", f"`{function}` calls itself or is called again, and writes into a list of objects that it "
                  "is given", hint="return the new items; or write a loop that fills an array")
    cut_loose(ev, ref)
    renew(ev, ref, column.addr, new)
    if isinstance(new.type, List) and isinstance(new.type.elem, List):
        _outdate(ev)


def shared(ev: Evaluator, ref: ListRef) -> bool:
    """Notes that another list gets the same items.  True if lists among them may not be written in the other one.

    What owned them, does so no more: the other list may.
    """
    ev.store.owners.pop(ref.addr, None)
    ev.store.alone.discard(ref.addr)
    if not any(isinstance(t, List) for t in item_type(ev, ref)[1]):
        return False
    held = bool(slots(ev, ref).frozen) or ref.addr <= CAPTURED
    ev.store.hold(ref.addr)
    return held


def _with(ev: Evaluator, ref: ListRef, v: Abstract, f: Any, at: Operand | None = None,
          replaces: bool = False) -> Abstract:
    """Puts an item into a list: `f` changes a column; `at`: its place, if it is not the last; `replaces`: that of
    another item."""
    schema, types = _in_form(ev, ref, v)
    arrays_alone = list_items.arrays_are_fresh(ev, [v])
    alone = list_items.are_fresh(ev, [v]) and ev.store.owns(ref.addr) and (
        holds_objects(schema) or arrays_alone and ref.addr in ev.store.alone and _has_arrays(types))
    place = length(ev, ref) if at is None and alone else at
    if not arrays_alone:
        ev.store.put_in(ref.addr, v)
    parts = zip(column_refs(ev, ref), list(leaves(ev, schema, v, types=item_type(ev, ref)[1])), strict=True)
    versions = [f(c, x) for c, x in parts]
    _renew_all(ev, ref, versions, at is None, at if replaces else None)
    if alone and place is not None:
        ev.store.own(ref.addr)
        list_items.place(ev, ref, place, schema, v)
    return Static(None)


def _has_arrays(types: Sequence[Type]) -> bool:
    return any(isinstance(t, Tensor) and t.is_array for t in types)


def _in_form(ev: Evaluator, ref: ListRef, v: Abstract) -> Rows:
    """Gives a list the form of one that holds the item `v` as well: its schema, and the types of the leaves of `v`."""
    own = schema_of(ev, v)
    of = slots(ev, ref).parent
    if of is None:
        take_form(ev, ref, own)
    elif slots(ev, ListRef(of)).parent is None:
        _take_form_in(ev, ListRef(of), ref, own)
    rows = item_type(ev, ref)
    if not list_items.have_one_form(ev, rows[0], *own) and not holds_kinds(ev, rows, own):
        form = common_form(*(opened_tuples(ev, rows, own) or (rows, own)))
        if form is None or form.schema != rows[0]:
            refuse_different_items(ev, v)
    return rows[0], own[1]


def _take_form_in(ev: Evaluator, outer: ListRef, ref: ListRef, own: Rows) -> None:
    """The items of a list of lists get the form of one that holds items like these as well: `ref` is one of them."""
    inner, cell = slots(ev, ref), slots(ev, outer)
    if inner.schema == own[0] == 0:
        return
    views = column_refs(ev, ref)
    columns_of_it = [k for k, c in enumerate(cell.items) if isinstance(c, Ref) and c.addr in {v.addr for v in views}]
    schema, types = item_type(ev, outer)

    def like(part: Schema) -> Schema:
        if isinstance(part, (int, ListSchema)) and leaf_numbers(part) == columns_of_it:
            return ListSchema(map_leaves(own[0], lambda k: k + len(types)))
        return map_parts(part, tuple(map(like, parts_of(part))))

    left, every = leaf_numbers(wanted := like(schema)), [*types, *map(List, own[1])]
    take_form(ev, outer, (map_leaves(wanted, left.index), [every[k] for k in left]))
    if (new := slots(ev, outer)).schema in (schema, None):
        return
    items = _form_of(schema, new.schema, columns_of_it)
    numbers = leaf_numbers(items)
    for addr, other in list(ev.store.cells.items()):
        if isinstance(other, Slots) and other.parent == outer.addr and set(views) <= {*other.items}:
            ev.store.cells[addr] = replace(other, frozen=Frozen.STALE)  # it is of another form
    refs = tuple(Ref(c.addr, views[0].path) for k in numbers if isinstance(c := new.items[k], Ref))
    ev.store.cells[ref.addr] = replace(inner, items=refs, schema=map_leaves(items, numbers.index))


def _form_of(old: Schema, new: Schema, leaves: list[int]) -> Schema:
    """The schema of the items, in the new schema, of the lists that had these leaves in the old one."""
    if isinstance(new, ListSchema) and isinstance(old, (int, ListSchema)) and leaf_numbers(old) == leaves:
        return new.item
    return next(_form_of(p, q, leaves) for p, q in zip(parts_of(old), parts_of(new)) if {*leaves} <= {*leaf_numbers(p)})


def resize(ev: Evaluator, ref: ListRef) -> None:
    """Refuses to change the length of a list that a loop runs over."""
    if ref.addr in ev.loops.lists:
        ev.refuse("SCT306", "a list changes its length while a loop iterates over it",
                  hint="read the items by position, as Python does: `i = 0`, `while i < len(xs):`, `x = xs[i]; i += 1`")


def append(ev: Evaluator, ref: ListRef, v: Abstract) -> Abstract:
    """`xs.append(v)`"""
    resize(ev, ref)
    return _with(ev, ref, v, lambda c, x: _updated(ev, c, ops.append, x))


def insert(ev: Evaluator, ref: ListRef, i: Operand, v: Abstract) -> Abstract:
    """`xs.insert(i, v)`, for a place `i` in the list, or behind it."""
    resize(ev, ref)
    return _with(ev, ref, v, lambda c, x: _updated(ev, c, ops.insert_at, x, i), i)


def store_element(ev: Evaluator, ref: ListRef, i: Operand, v: Abstract) -> Abstract:
    """`xs[i] = v`"""
    cell = slots(ev, ref)
    if cell.parent is None:
        return _with(ev, ref, v, lambda c, x: ev.emit(store, ev.read(c), x, i, key=("i",)), i, replaces=True)
    schema, _ = _in_form(ev, ref, v)
    items = list(leaves(ev, schema, v, types=item_type(ev, ref)[1]))
    cut_loose(ev, ref)
    for column, x in zip(column_refs(ev, ref), items, strict=True):
        path = [*keys(column), i]
        renew(ev, ref, column.addr, ev.emit(store, ev.read(Ref(column.addr)), x, *path, key=("i",) * len(path)))
    return Static(None)


def pop(ev: Evaluator, ref: ListRef, i: Operand) -> Abstract:
    """`xs.pop(i)`"""
    resize(ev, ref)
    before = column_refs(ev, ref)
    after: dict[int, Operand] = {}

    def remove(k: int) -> None:
        """Behind the read of the column, with which it is printed as one statement."""
        after[k] = _updated(ev, before[k], ops.remove_at, i)

    owned, alone = ev.store.owns(ref.addr), ev.store.holds_alone(ref.addr)
    v = take_out(ev, element(ev, ref, i, remove, "pop from empty list"))
    for k in range(len(before)):
        if k not in after:
            remove(k)
    _renew_all(ev, ref, [after[k] for k in range(len(before))])
    if owned:
        list_items.owning(ev, owned, ref, same=True)
        list_items.release(ev, v)
    if alone:
        _release_arrays(ev, v)
    return v


def _release_arrays(ev: Evaluator, v: Abstract) -> None:
    """Arrays that have left the list that held them alone are written as any others, if nothing else may be a name of
    one of them."""
    arrays = [x for x in (v.items if isinstance(v, Tup) else (v,)) if isinstance(x, Ref) and not x.path]
    own = {x.addr for x in arrays}
    others = [Ref(addr) for addr, cell in ev.store.cells.items() if isinstance(cell, Array) and cell.frozen and
              addr not in own]
    for x in arrays:
        buffer = ev.store.array(x)
        t = ev.type_of(x)
        if buffer.frozen == Frozen.HELD and not isinstance(buffer.value.type, Optional) and not any(
                list_items.may_be(ev, other, t) for other in others):
            ev.store.items.pop(x.addr, None)
            ev.store.cells[x.addr] = replace(buffer, frozen=Frozen.NO)


def delete(ev: Evaluator, ref: ListRef, i: Operand) -> None:
    """`del xs[i]`"""
    resize(ev, ref)
    owned = ev.store.owns(ref.addr)
    _renew_all(ev, ref, [_updated(ev, c, ops.remove_at, i, deleted=True) for c in column_refs(ev, ref)])
    list_items.owning(ev, owned, ref, same=True)


def reverse(ev: Evaluator, ref: ListRef) -> Abstract:
    """`xs.reverse()`"""
    return rearrange(ev, ref, [ev.emit(index, c, -1, key=("s001",)) for c in columns(ev, ref)])


def clear(ev: Evaluator, ref: ListRef) -> Abstract:
    """`xs.clear()`"""
    resize(ev, ref)
    _, types = item_type(ev, ref)
    return rearrange(ev, ref, [ev.emit(ops.list_of, elem=t) for t in types])


def dynamic(ev: Evaluator, v: ListRef, like: ListRef) -> ListRef:
    """`v` itself if it has columns, else a list with columns of the same items."""
    cell = slots(ev, v)
    if cell.schema is not None:
        return v
    copy = ListRef(ev.new_addr())
    ev.store.cells[copy.addr] = replace(cell, origin=Origin.FRESH, frozen=Frozen.NO)
    grow(ev, copy, item_type(ev, like) if not cell.items else None)
    return copy


def _both(ev: Evaluator, op: Op, ref: ListRef, other: ListRef, *operands: Operand, **attrs: Any) -> list[Operand]:
    """The results of the op for the columns of one list and those of the other."""
    for one, like in ((ref, other), (other, ref)) if ev.functions.plan.kinds else ():
        take_form(ev, one, item_type(ev, like))
    if slots(ev, other).schema != slots(ev, ref).schema:
        refuse_different_items(ev)
    return [ev.emit(op, c, d, *operands, **attrs) for c, d in zip(columns(ev, ref), columns(ev, other))]


def joined(ev: Evaluator, a: ListRef, b: ListRef) -> ListRef:
    """`a + b`"""
    a, b = dynamic(ev, a, b), dynamic(ev, b, a)
    owned = a != b and ev.store.owns(a.addr) and ev.store.owns(b.addr)
    held = [shared(ev, a), shared(ev, b)]
    versions = _both(ev, ops.joined, a, b)
    both = ev.new_dynamic_list(item_type(ev, a)[0], versions, held=any(held))
    return list_items.owning(ev, owned, both)


def known_tuple(ev: Evaluator, v: RunTimeTuple) -> Tup:
    """The tuple, whose length is asked for: it becomes a guard."""
    n = ev.ask(ev.wrap(length(ev, v.of)), "the number of items of this tuple")
    return Tup(tuple(element(ev, v.of, Lit(k)) for k in range(n)))


def joined_tuples(ev: Evaluator, a: Abstract, b: Abstract) -> RunTimeTuple:
    """`a + b`; known items come in behind one by one, as in a list: `t += (x,)`."""
    return replace(_joined_tuples(ev, a, b), least=least_length(a) + least_length(b))


def _joined_tuples(ev: Evaluator, a: Abstract, b: Abstract) -> RunTimeTuple:
    if not isinstance(a, RunTimeTuple) or not isinstance(b, Tup):
        return RunTimeTuple(joined(ev, list_behind(ev, a), list_behind(ev, b)))
    schema, versions = slots(ev, a.of).schema or 0, columns(ev, a.of)
    own = [schema_of(ev, x) for x in b.items]
    if not all(list_items.have_one_form(ev, schema, *rows) for rows in own):
        return RunTimeTuple(joined(ev, a.of, list_behind(ev, b)))
    for x in b.items:
        items = leaves(ev, schema, x, shared=True)
        versions = [ev.emit(ops.append, c, part) for c, part in zip(versions, items)]
    return RunTimeTuple(ev.new_dynamic_list(schema, versions, held=True))


@contextmanager
def _taking_items(ev: Evaluator, ref: ListRef, other: ListRef) -> Iterator[ListRef]:
    """Evaluates how `ref` gets the items of `other`, which is given in columns, and notes who owns them."""
    resize(ev, ref)
    other = dynamic(ev, other, ref)
    owned = ref != other and ev.store.owns(ref.addr) and ev.store.owns(other.addr)
    held = shared(ev, other)
    yield other
    list_items.owning(ev, owned, ref)
    if held:
        ev.store.hold(ref.addr)


def extend(ev: Evaluator, ref: ListRef, other: ListRef) -> Abstract:
    """`xs.extend(other)`"""
    with _taking_items(ev, ref, other) as other:
        return change(ev, ref, _both(ev, list_slices.extend, ref, other))


def write_slice(ev: Evaluator, ref: ListRef, bounds: slice, other: ListRef, in_steps: bool) -> None:
    """`xs[i:j] = other`; `in_steps`: every so many items are replaced, so that the length stays."""
    with _taking_items(ev, ref, other) as other:
        key, ends = join_key([bounds if in_steps else slice(bounds.start, bounds.stop)])
        if bounds.start is bounds.stop is None and not in_steps and slots(ev, other).schema == slots(ev, ref).schema:
            named = other.addr in lists_behind(ev, ev.store.vars.values())
            change(ev, ref, columns(ev, copied(ev, other) if named else other))
        else:
            change(ev, ref, _both(ev, store if in_steps else list_slices.splice, ref, other, *ends, key=key))


def delete_slice(ev: Evaluator, ref: ListRef, bounds: slice) -> None:
    """`del xs[i:j]`"""
    resize(ev, ref)
    owned = ev.store.owns(ref.addr)
    key, ends = join_key([slice(bounds.start, bounds.stop)])
    change(ev, ref, [ev.emit(list_slices.remove_slice, c, *ends, key=key) for c in columns(ev, ref)])
    list_items.owning(ev, owned, ref, same=True)


def repeated(ev: Evaluator, ref: ListRef, n: Operand) -> ListRef:
    """`xs * n`"""
    cell = slots(ev, ref)
    if cell.schema is None and len(cell.items) == 1 and not isinstance(cell.items[0], ListRef):
        schema, _ = schema_of(ev, cell.items[0])
        return ev.new_dynamic_list(schema, [ev.emit(ops.repeat, x, n) for x in leaves(ev, schema, cell.items[0])])
    if any(isinstance(t, List) for t in (item_type(ev, ref) if cell.schema is not None else row_type(ev, cell))[1]):
        ev.refuse("SCT310", "a list that holds one list several times is not supported",
                  hint="make each anew: `[[0.0] * m for _ in range(n)]`")
    copy = dynamic(ev, ref, ref)
    ev.store.owners.pop(copy.addr, None)
    ev.store.alone.discard(copy.addr)
    return ev.new_dynamic_list(slots(ev, copy).schema or 0, [ev.emit(ops.repeated, c, n) for c in columns(ev, copy)])
