"""Subscripts: reading, viewing and writing arrays and containers."""

from __future__ import annotations

import operator
import types
from collections import Counter, OrderedDict
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, NoReturn

import gast
import numpy as np

from sct.frontend.arguments.lift import contents_of_mapping
from sct.frontend.arguments.memory_facts import is_forbidden
from sct.frontend.evaluator import list_items, views
from sct.frontend.evaluator.evaluator import Evaluator
from sct.frontend.evaluator.exceptions import raise_at_run_time, run_or_raise
from sct.frontend.evaluator.handlers import SPECIAL, expression, special_key
from sct.frontend.heap import array_keys, dynamic_list_methods, dynamic_lists, item_forms, run_time_dicts, run_time_keys
from sct.frontend.heap.array_keys import adds_axes, array_of, flagged, is_flag, is_slice, key_items, takes_slice
from sct.frontend.heap.inactive import is_python_object, item_by_python, written_by_python
from sct.frontend.heap.sample_calls import check_operands, hashed
from sct.frontend.heap.special_methods import as_index, item_of_class
from sct.frontend.objects.class_of import base_of_maker, raise_of_class
from sct.frontend.objects.container_objects import see_into_deque
from sct.frontend.objects.linked_objects import is_of_row
from sct.frontend.objects.objects import special_call, special_method
from sct.frontend.values.abstract_values import (
    SLICE,
    Abstract,
    Array,
    DefaultRef,
    DictRef,
    Iteration,
    ListRef,
    MapRef,
    OptionalTuple,
    Ref,
    RunTimeTuple,
    Slots,
    Static,
    Step,
    Tup,
)
from sct.frontend.values.guards import NeedsStatic
from sct.ir import Lit, Operand, Value
from sct.ir.dims import Dim
from sct.ir.real_ints import unmark_real
from sct.ir.types import ActiveText, List, Tensor, Text, dtype_in_words, in_words
from sct.ops import astype, dim, store
from sct.ops import index as index_op
from sct.ops.arrays.indexing import join as join_key
from sct.ops.arrays.indexing import split as split_key
from sct.ops.program.effects import lookup
from sct.ops.type_rules import numpy_dtype

__all__ = [
    "COMPUTED", "assign_item", "characters", "check_fits", "item", "new_slice", "size_along", "slice_view",
    "store_slot", "writable", "write_through",
]


def size_along(ev: Evaluator, owner: Abstract, axis: int) -> Abstract:
    t = ev.type_of(owner)
    assert isinstance(t, Tensor)
    size = ev.resolve(t.shape[axis]).value
    return ev.wrap(ev.emit(dim, ev.operand(owner), axis=axis)) if size is None else Static(size)


@expression(gast.Slice)
def slice_(ev: Evaluator, node: Any) -> Abstract:
    return new_slice(ev, *(Static(None) if p is None else ev.eval(p) for p in (node.lower, node.upper, node.step)))


def new_slice(ev: Evaluator, *bounds: Abstract) -> Abstract:
    """A slice; Python reads `__index__` of its bounds where it is used."""
    if all(isinstance(p, Static) and special_method(ev, p, "__index__") is None for p in bounds):
        return Static(slice(*(p.value for p in bounds if isinstance(p, Static))))
    return Tup((Static(slice), *bounds), SLICE)


def item(ev: Evaluator, owner: Abstract, key: Abstract) -> Abstract:
    """`owner[key]`."""
    own = special_call(ev, owner, "__getitem__", key)
    if own is not None or (own := item_of_class(ev, owner, key)) is not None:
        return own
    if isinstance(owner, RunTimeTuple):
        array_keys.check_position(ev, owner, key)
        got = item(ev, owner.of, key)
        return RunTimeTuple(got) if takes_slice(key) and isinstance(got, ListRef) else got
    if (chars := _characters(ev, owner, key)) is not None:
        return chars
    owner = ev.text(owner) if not isinstance(owner, OptionalTuple) else \
        array_keys.present_tuple(ev, owner, lambda none: none[0])
    if isinstance(owner, Static) and (contents := contents_of_mapping(ev, owner)) is not None:
        return _item_of_mapping(ev, owner, contents, key)
    if isinstance(owner, Static):
        return _item_of_constant(ev, owner, key)
    if is_slice(owner):
        run_or_raise(ev, lambda: slice(None)[0])  # type: ignore[index]  # raises
    if isinstance(owner, (ListRef, Tup)) and (value := run_time_keys.item_of_sequence(ev, owner, key)) is not None:
        return value
    if isinstance(owner, Tup):
        return _item_of_tuple(ev, owner, key)
    if isinstance(owner, ListRef) and by_position(ev, owner, key):
        (at,) = key_items(ev, key)
        if isinstance(at, slice):
            return dynamic_list_methods.part(ev, owner, at)
        return dynamic_lists.element(ev, owner, at)
    if isinstance(owner, ListRef):
        got = _static_item(ev, ev.slots(owner).items, key, Tup, tuple_=False)
        return ev.new_list(got.items) if isinstance(got, Tup) and takes_slice(key) else got
    if isinstance(owner, MapRef):
        return run_time_dicts.item(ev, owner, key)
    if isinstance(owner, DictRef):
        if (value := run_time_keys.item(ev, owner, key)) is None:  # of a defaultdict
            assert isinstance(owner, DefaultRef) and owner.factory is not None
            value = ev.call(owner.factory, [])
            assign_item(ev, owner, key, value)
        return value
    if isinstance(owner, Ref):
        return slice_view(ev, owner, key)
    if (value := item_by_python(ev, owner, key)) is not None:
        return value
    if isinstance(owner, Value) and isinstance(owner.type, Tensor):
        return _item_of_number(ev, owner, owner.type, key)
    if isinstance(owner, Iteration) and owner.kind == "range":
        bounds = [ev.ask(p, "the bounds of this range") for p in owner.parts]
        got = run_or_raise(ev, lambda: range(*bounds)[ev.ask(key, "this subscript")])
        return Iteration("range", tuple(map(Static, (got.start, got.stop, got.step)))) if isinstance(got, range) \
            else Static(got)
    if isinstance(owner, Value) and owner not in ev.params and is_python_object(ev, owner) and not ev.is_observed:
        ev.refuse_object(owner, "a subscript of")
    ev.refuse("SCT503", "a subscript of this object is not supported", hint="use a list, a dict or an array")


def characters(ev: Evaluator, v: Abstract) -> Abstract:
    """The list of the characters of a string of run time; other values as they are."""
    v = ev.text(v)
    if not isinstance(v, Value) or not isinstance(v.type, (ActiveText, Text)):
        return v
    return ev.new_dynamic_list(0, [ev.emit(lookup, v, text="list(_0)", type=List(v.type))])


def _characters(ev: Evaluator, owner: Abstract, key: Abstract) -> Value | None:
    """A character or a part of a string, where the string or the position is known only at run time; None for
    anything else."""
    if not (isinstance(owner, Value) and isinstance(owner.type, (ActiveText, Text)) or isinstance(owner, Static)
            and type(owner.peek) is str):
        return None
    ends = key.items[1:] if isinstance(key, Tup) and is_slice(key) else (key,)
    if isinstance(key, Static) and isinstance(key.peek, slice):
        ends = tuple(map(Static, (key.peek.start, key.peek.stop, key.peek.step)))
    operands: list[Operand] = [ev.operand(owner)]
    texts = []
    for x in ends:
        if isinstance(x, Value) and isinstance(x.type, Tensor) and x.type.is_scalar and x.type.kind in "ib":
            texts.append(f"_{len(operands)}")
            operands.append(ev.as_int(x))
        elif isinstance(x, Static) and (x.peek is None or type(x.peek) is int):
            texts.append("" if x.peek is None else repr(x.peek))
        else:
            return None
    text = ":".join(texts[:2] if texts[2:] == [""] else texts)
    if not operands[1:] and (isinstance(owner, Static) or isinstance(ev.leaf_of(owner), str)):
        return None
    shown = owner.type if isinstance(owner, Value) else Text()
    return ev.emit(lookup, *operands, text=f"_0[{text}]", type=shown)  # type: ignore[no-any-return]


def _item_of_mapping(ev: Evaluator, owner: Static, contents: Abstract, key: Abstract) -> Abstract:
    """`d[key]` of an ordered dict or a view of a dict from outside, or of a default dict that certainly has the key."""
    there = isinstance(owner.peek, (OrderedDict, types.MappingProxyType))
    if isinstance(contents, MapRef):
        there = there or run_time_dicts.is_iterated(ev, contents, key)
    elif isinstance(contents, DictRef) and isinstance(key, (Static, Tup)):
        there = there or hashed(ev, key, "this subscript") in ev.slots(contents).keys
    if not there:
        _refuse_missing(ev, owner.peek)
    return item(ev, contents, key)


def _refuse_missing(ev: Evaluator, mapping: Any) -> NoReturn:
    ev.refuse("SCT503", f"a missing key of a {type(mapping).__name__} is not supported", why="reading it may write it",
              hint="write the key into it before the call")


def _item_of_number(ev: Evaluator, owner: Value, t: Tensor, key: Abstract) -> Abstract:
    """`x[...]`, `x[None]` or `x[flag]` of a number of NumPy; others raise, as all do of a number of Python."""
    if t.carrier == "np" and isinstance(key, Tup) and not key.items:
        return owner
    if t.carrier == "np" and (adds_axes(key) or is_flag(ev, key)):
        return item(ev, ev.call(Static(np.asarray), [owner]), key)
    at = ev.type_of(key) if isinstance(key, Value) else None
    if t.carrier == "py" or isinstance(key, Static) or isinstance(at, Tensor) and at.kind == "i":
        raise_of_class(ev, owner, lambda like: like[key.peek if isinstance(key, Static) else 0])
    ev.refuse("SCT501", "a number cannot be subscripted")


def _item_of_constant(ev: Evaluator, owner: Static, key: Abstract) -> Abstract:
    if any(owner.value is trick for trick in (np.r_, np.c_, np.mgrid, np.ogrid)):
        return SPECIAL[special_key(owner.value)](ev, [key], {})
    mapping: Any = owner.value
    if owner == Static(None):
        run_or_raise(ev, lambda: mapping[0])  # raises
    where = (hashed if isinstance(mapping, Mapping) else known_key)(ev, key, "this subscript")
    if isinstance(mapping, dict) and type(mapping) is not Counter and hasattr(type(mapping), "__missing__") \
            and where not in mapping:
        _refuse_missing(ev, mapping)
    return Static(run_or_raise(ev, lambda: mapping[where]))


def _item_of_tuple(ev: Evaluator, owner: Tup, key: Abstract) -> Abstract:
    try:
        return _static_item(ev, owner.items, key, Tup)
    except NeedsStatic:
        unrolled = run_time_keys.may_unroll(ev) and not is_of_row(ev, key)
        if is_slice(key) or unrolled or not item_forms.is_alike(ev, Slots(owner.items)):
            raise
    check_operands(ev, lambda at: ()[at], as_index(ev, key))
    (at,) = key_items(ev, key)
    return dynamic_lists.element(ev, dynamic_lists.list_of_items(ev, owner.items, True), at)


def by_position(ev: Evaluator, owner: ListRef, key: Abstract) -> bool:
    """Is the subscript one of a list with columns?  One of many items gets them where the position is
    known at run time alone."""
    cell = ev.slots(owner)
    if cell.schema is None and not isinstance(key, Static):
        try:
            known_key(ev, key, "an index into a list")
        except NeedsStatic:
            if len(cell.items) <= FEW and (run_time_keys.may_unroll(ev) or not item_forms.is_alike(ev, cell)):
                raise
            dynamic_lists.grow(ev, owner)
    if ev.slots(owner).schema is None:
        return False
    check_operands(ev, lambda at: [][at], as_index(ev, key))
    return True


def known_key(ev: Evaluator, key: Abstract, what: str) -> Any:
    """An index or a slice that is known, or asked."""
    if isinstance(key, Tup) and is_slice(key):
        return slice(*(ev.ask(as_index(ev, p), what) for p in key.items[1:]))
    return ev.ask(as_index(ev, key), what)


FEW = 4
"""A list of at most so many items is kept as separate items wherever possible."""


def _static_item(ev: Evaluator, items: tuple[Abstract, ...], key: Abstract, make: Any, *,
                 tuple_: bool = True) -> Abstract:
    where = known_key(ev, key, "an index into a list or tuple")
    if isinstance(key, Value) and isinstance(key.type, Tensor) and key.type.carrier == "np":
        where = numpy_dtype(unmark_real(key.type).dtype).type(where)  # of which not all are indices
    sequence: Any = items if tuple_ else list(items)
    got = run_or_raise(ev, lambda: sequence[where])
    return make(tuple(got)) if isinstance(where, slice) else got  # type: ignore[no-any-return]


def slice_view(ev: Evaluator, ref: Ref, key: Abstract) -> Abstract:
    """`array[key]`: a view, a copy, or a number."""
    ref, key = flagged(ev, ref, key)
    names, operands = join_key(key_items(ev, key))
    path, names, operands = compose(ev, ref, names, operands)
    base = Ref(ref.addr, path)
    view = ev.read_item(base, names, operands)
    if isinstance(view.type, Tensor) and view.type.is_array and not any(k[0] in "am" for k in names):
        return ev.step(base, index_op, operands, {"key": names})
    return ev.wrap(view)


def compose(ev: Evaluator, ref: Ref, names: tuple[str, ...],
            operands: tuple[Operand, ...]) -> tuple[tuple[Step, ...], tuple[str, ...], tuple[Operand, ...]]:
    """`A[i][j]` as `A[i, j]`, where the first key is integers and full slices alone.

    NumPy names the axis of an index that is out of bounds: where `j` may be, `A[i][j]` is read first."""
    if not ref.path or ref.path[-1].op is not index_op:
        return ref.path, names, operands
    last = ref.path[-1]
    first = split_key(last.attrs["key"], last.args)
    second = split_key(names, operands)
    if any(k[0] in "enam" for k in (*last.attrs["key"], *names)):
        return ref.path, names, operands
    base = ev.type_of(Ref(ref.addr, ref.path[:-1]))
    assert isinstance(base, Tensor)
    items: list[Any] = []
    rest = list(second)
    for one in first + [slice(None, None, None)] * (base.rank - len(first)):
        if not isinstance(one, slice):
            items.append(one)
        elif one == slice(None, None, None):
            items.append(rest.pop(0) if rest else one)
        elif rest and rest[0] != slice(None, None, None):
            return ref.path, names, operands
        else:
            if rest:
                rest.pop(0)
            items.append(one)
    if any(k == "i" and x is not y for k, x, y in zip(names, second, items)):
        ev.emit(index_op, ev.read(ref), *operands, key=names)
    while items and items[-1] == slice(None, None, None) and len(items) > 1:
        items.pop()
    return (ref.path[:-1], *join_key(items))


# -- writing ----------------------------------------------------------------------------------------


ASSIGNED, COMPUTED = "assignment destination is read-only", "output array is read-only"
"""NumPy's messages about a read-only array: for an assignment, and for the `out` of a ufunc."""


def writable(ev: Evaluator, ref: Ref, error: str | None = ASSIGNED) -> None:
    """An array is about to be written: refused where that cannot be tracked, NumPy's `error` where it is read-only."""
    cell = ev.store.array(ref)
    forbidden = {is_forbidden(ev, who) for who in cell.readonly}
    forbidden = {True} if any(step.readonly for step in ref.path) else forbidden
    if forbidden == {True} and error is not None:
        raise_at_run_time(ev, "ValueError", error)
    if True in forbidden:
        ev.refuse("SCT301", "a write to an array that is read-only, or may be", hint="write to a copy")
    ev.writable(ref.addr, "a write")


def assign_item(ev: Evaluator, owner: Abstract, key: Abstract, value: Abstract) -> None:
    """`owner[key] = value`."""
    if special_call(ev, owner, "__setitem__", key, value) is not None:
        return
    if isinstance(owner, Ref):
        owner, key = flagged(ev, owner, key)
        names, operands = join_key(key_items(ev, key))
        path, names, operands = compose(ev, owner, names or ("e",), operands)
        base = Ref(owner.addr, path)
        writable(ev, base)
        if isinstance(value, (Tup, ListRef)):
            value = ev.wrap(array_of(ev, value))
        views.check_overlap(ev, base, names, operands, value)
        version = ev.emit(store, ev.read(base), ev.operand(value), *operands, key=names)
        write_through(ev, base, version)
    elif isinstance(owner, ListRef) and takes_slice(key):
        _write_slice(ev, owner, key, value)
    elif isinstance(owner, ListRef) and by_position(ev, owner, key):
        (at,) = key_items(ev, key)
        dynamic_list_methods.store_element(ev, owner, at, value)
    elif isinstance(owner, MapRef):
        run_time_dicts.assign(ev, owner, key, value)
    elif isinstance(owner, (ListRef, DictRef)):
        if owner.addr not in ev.store.items:
            ev.writable(owner.addr, "a write")  # before its key is asked for
        store_slot(ev, owner, run_time_dicts.known_key(ev, owner, key) if isinstance(owner, DictRef) else
                   known_key(ev, key, "an index into a list"), value)
    elif isinstance(owner, Tup):
        raise_at_run_time(ev, "TypeError", f"'{owner.cls.__name__}' object does not support item assignment")
    elif not written_by_python(ev, "{0}.__setitem__({1}, {2})", owner, key, value):
        if isinstance(owner, Value) and isinstance(owner.type, Tensor):
            raise_of_class(ev, owner, lambda like: operator.setitem(like, 0, None))
        see_into_deque(ev, owner)
        instead = base_of_maker(ev, owner)
        leaf = ev.leaf_of(owner) if isinstance(owner, Value) else None
        hint = "write into a copy of it" if getattr(getattr(leaf, "dtype", None), "names", None) else \
            "write to an array, a list or a dict"
        ev.refuse("SCT303", "this object cannot be written", hint=hint
                  if instead is None else f"derive the class from `{instead}`")


def store_slot(ev: Evaluator, owner: ListRef | DictRef, where: Any, value: Abstract) -> None:
    """Puts an item into a list of known length, or into a dict whose keys are known."""
    if isinstance(owner, DictRef) and owner.addr in ev.store.items and list_items.write(ev, owner, where, value):
        return
    cell = ev.writable(owner.addr, "a write")
    assert isinstance(cell, Slots)
    if isinstance(owner, DictRef) and where not in cell.keys:
        ev.store.cells[owner.addr] = replace(cell, items=(*cell.items, value), keys=(*cell.keys, where))
        return
    items = list(cell.items)
    run_or_raise(ev, lambda: items.__setitem__(cell.keys.index(where) if isinstance(owner, DictRef) else where, value))
    ev.store.cells[owner.addr] = replace(cell, items=tuple(items))


def _write_slice(ev: Evaluator, owner: ListRef, key: Abstract, value: Abstract) -> None:
    """`owner[i:j] = value`"""
    new = value if isinstance(value, ListRef) else ev.call(Static(list), [value])
    assert isinstance(new, ListRef)
    if dynamic_lists.is_dynamic(ev, new):
        dynamic_lists.grow(ev, owner, item_forms.item_type(ev, new))
    if not by_position(ev, owner, key):
        cell, where = ev.writable(owner.addr, "a write"), known_key(ev, key, "an index into a list")
        assert isinstance(cell, Slots)
        items = list(cell.items)
        run_or_raise(ev, lambda: items.__setitem__(where, ev.slots(new).items))
        ev.store.cells[owner.addr] = replace(cell, items=tuple(items))
        return
    (at,) = key_items(ev, key)
    if _is_in_steps(at) and (not isinstance(at.step, Lit) or ev.tries.handled):
        ev.refuse("SCT503", "writing a slice of a list of any length is not supported with a step that is known only "
                  "at run time, or in a `try`", hint="write each item: `for k in range(i, j, step): xs[k] = vs[k]`")
    dynamic_list_methods.write_slice(ev, owner, at, new, _is_in_steps(at))


def _is_in_steps(at: slice) -> bool:
    return at.step not in (None, Lit(1))


def delete_item(ev: Evaluator, owner: Abstract, key: Abstract) -> None:
    """`del owner[key]`."""
    if special_call(ev, owner, "__delitem__", key) is not None or \
            written_by_python(ev, "{0}.__delitem__({1})", owner, key):
        return
    if isinstance(owner, MapRef):
        run_time_dicts.delete(ev, owner, key)
        return
    if not isinstance(owner, (ListRef, DictRef)):
        ev.refuse("SCT101", "`del` of an item of this is not supported", hint="take it from a list or a dict")
    if isinstance(owner, ListRef) and by_position(ev, owner, key):
        (at,) = key_items(ev, key)
        if not isinstance(at, slice):
            dynamic_list_methods.delete(ev, owner, at)
        elif _is_in_steps(at):
            ev.refuse("SCT503", "`del` of a slice with a step, of a list of any length, is not supported",
                      hint="keep the others: `xs[:] = [x for k, x in enumerate(xs) if k % 2 == 1]`")
        else:
            dynamic_list_methods.delete_slice(ev, owner, at)
        return
    cell = ev.writable(owner.addr, "a write")
    assert isinstance(cell, Slots)
    if isinstance(owner, DictRef):
        where = run_time_dicts.known_key(ev, owner, key)
        entries = dict(zip(cell.keys, cell.items))
        run_or_raise(ev, lambda: entries.__delitem__(where))
        ev.store.cells[owner.addr] = replace(cell, items=tuple(entries.values()), keys=tuple(entries))
        return
    items = list(cell.items)
    where = known_key(ev, key, "an index into a list")
    run_or_raise(ev, lambda: items.__delitem__(where))
    ev.store.cells[owner.addr] = replace(cell, items=tuple(items))


def write_through(ev: Evaluator, ref: Ref, new: Operand) -> None:
    """Make `new` the contents of the view `ref`: a new version of its buffer."""
    cell = ev.writable(ref.addr, "a write")
    assert isinstance(cell, Array)
    old = cell.value
    for depth in range(len(ref.path), 0, -1):
        outer = ev.read(Ref(ref.addr, ref.path[: depth - 1]))
        new = views.put_back(ev, outer, ref.path[depth - 1], new)
    if isinstance(new, Value) and new.hint is None and isinstance(old, Value):
        new.hint = old.hint
    ev.store.cells[ref.addr] = replace(cell, value=new, starts=False)
    if (item := list_items.array_in_list(ev, ref.addr)) is not None:
        list_items.write_array(ev, ref.addr, item)


def check_fits(ev: Evaluator, result: Operand, ref: Ref, instead: str) -> None:
    """Raises at run time, as NumPy does, where a ufunc writes a result into an array that is broadcast to more.

    Sizes that only the run tells may fit: NumPy then raises where they do not.
    """
    n, t = unmark_real(result.type), unmark_real(ev.type_of(ref))
    assert isinstance(n, Tensor) and isinstance(t, Tensor)
    larger = _larger(ev, n, t)
    if ev.ahead and larger and n.rank <= t.rank:
        ev.refuse("SCT501", f"the result, {in_words(n)}, does not fit into {in_words(t)}",
                  hint=instead)
    if n.rank > t.rank or any([ev.is_too_large(p, q) for p, q in larger]):
        ev.cannot_write_into(result, ev.read(ref))


def _larger(ev: Evaluator, result: Tensor, t: Tensor) -> list[tuple[Dim, Dim]]:
    """The sizes of a result that may be more than the 1 of the array that it is written into."""
    ends = list(zip(reversed(result.shape), reversed(t.shape)))
    for p, _ in [(p, q) for p, q in ends if ev.resolve(q).value == 1]:
        for ask in (False, True):
            ev.within(ev.resolve(p), (p,), ask)
        for atom in ev.resolve(p).symbols:
            ev.name_part(atom)
    return [(p, q) for p, q in ends if ev.resolve(q).value == 1 != ev.resolve(p).value]


def augmented(ev: Evaluator, ref: Ref, new: Operand) -> None:
    """`array op= value`: `new` is the result of `op`; shape and dtype stay the array's."""
    t, n = unmark_real(ev.type_of(ref)), unmark_real(new.type)
    assert isinstance(t, Tensor) and isinstance(n, Tensor)
    if n.dtype != t.dtype:
        if "bifc".index(n.kind) > "bifc".index(t.kind):
            kinds = f"from {dtype_in_words(n.dtype)} to {dtype_in_words(t.dtype)}"
            ev.refuse("SCT501", f"cannot cast the result {kinds} in place",
                      why="NumPy raises where this is run", hint="write `x = x + y`")
        new = ev.emit(astype, new, dtype=t.dtype)
    check_fits(ev, new, ref, "write `x = x + y`")
    if not (isinstance(new, Value) and isinstance(new.type, Tensor) and new.type.rank == t.rank):
        ev.refuse("SCT501", f"the result, {in_words(n)}, does not fit into {in_words(t)}")
    if (t.rank > 1 or unmark_real(new.type) != t) and not (ref.path and ref.path[-1].op is index_op):
        # Written in place: the memory layout, which `np.sum` can tell, stays; so does the shape.
        new = ev.emit(store, ev.read(ref), new, key=("e",))
    write_through(ev, ref, new)
