"""Subscripts of arrays as operands, and lists as the arrays that NumPy makes of them."""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from sct.frontend.evaluator import list_items
from sct.frontend.evaluator.evaluator import Evaluator
from sct.frontend.evaluator.exceptions import raise_at_run_time, run_or_raise
from sct.frontend.heap import dynamic_lists
from sct.frontend.heap.inactive import check_value
from sct.frontend.heap.join_paths import evaluate_branches
from sct.frontend.heap.sample_calls import check_operands
from sct.frontend.heap.special_methods import as_index
from sct.frontend.objects.linked_objects import is_link
from sct.frontend.state.choices import is_present, take
from sct.frontend.state.parts import changed
from sct.frontend.values.abstract_values import (
    Abstract,
    Choice,
    ListRef,
    OptionalTuple,
    Ref,
    RunTimeTuple,
    Static,
    Step,
    Tup,
)
from sct.ir import Lit, Op, Operand, Value
from sct.ir.dims import Dim
from sct.ir.types import INT, NONE, List, Opaque, Optional, Tensor, Undef
from sct.ops import BY_CALL, ELEMENTWISE, dim, eq, index, is_none, not_, size, unwrap
from sct.ops.program.list_concatenation import concatenated
from sct.ops.program.list_ops import is_length_of_list, stacked, stacked_rows
from sct.ops.program.uses_of_none import raises_type_error
from sct.ops.type_rules import number, size_of

__all__ = [
    "adds_axes", "array_of", "check_axes", "check_class", "check_dtype", "check_not_none", "check_position",
    "check_present", "column_without_none", "flagged", "is_flag", "is_slice", "is_vector_of_unknown_size",
    "joined_list", "key_items", "may_be_empty", "may_be_none", "nested", "present_tuple", "require_items",
    "selection", "takes_slice",
]


def nested(ev: Evaluator, v: Abstract) -> Any:
    """Lists and tuples of abstract values as Python lists and tuples; static objects as they are."""
    v = v.of if isinstance(v, RunTimeTuple) else v
    if isinstance(v, Tup):
        return tuple(nested(ev, x) for x in v.items)
    if isinstance(v, ListRef) and dynamic_lists.is_dynamic(ev, v):
        return ev.wrap(_stacked(ev, v))
    if isinstance(v, ListRef):
        return [nested(ev, x) for x in ev.slots(v).items]
    if isinstance(v, Static):
        return v.value
    return ev.operand(v) if isinstance(v, Value) else v


def array_of(ev: Evaluator, v: Abstract) -> Operand:
    """`np.array(v)`."""
    if isinstance(v, ListRef) and dynamic_lists.is_dynamic(ev, v):
        return _stacked(ev, v)
    array = BY_CALL["numpy.array"]
    assert array.bind is not None
    operands, attrs = array.bind(nested(ev, v))
    flat = [ev.operand(Static(x) if isinstance(x, (bool, int, float, complex)) else x) for x in operands]
    return ev.emit(array, *flat, spelling="numpy.array", **attrs)  # type: ignore[no-any-return]


def column_without_none(ev: Evaluator, v: ListRef, op: Op | None = None, *operands: Operand, **attrs: Any) -> Operand:
    """A list of numbers or of arrays for a function that takes no None: where one is in the list, `op` raises."""
    column = dynamic_lists.as_column(ev, v)
    t = column.type
    if isinstance(t, List) and isinstance(t.elem, Optional) and t.elem != NONE:
        ev.attempt_with_none(column, op, operands, attrs)
        return ev.emit(unwrap, column, to=List(t.elem.elem))  # type: ignore[no-any-return]
    return column


def selection(ev: Evaluator, v: Abstract, empty: type[np.generic] = np.intp) -> Abstract:
    """A list of positions, of counts or of truths as the array that NumPy makes of it where it reads one of these: an
    empty list is an array of them there, not of floats.

    empty  the dtype of a list of which it is known that it is empty
    """
    v = v.of if isinstance(v, RunTimeTuple) else v
    if isinstance(v, ListRef) and dynamic_lists.is_dynamic(ev, v):
        return ev.wrap(_stacked(ev, v, selects=True))
    if isinstance(v, (Tup, ListRef)) and not (v.items if isinstance(v, Tup) else ev.slots(v).items):
        return ev.call(Static(np.zeros), [Static(0), Static(empty)])
    return v


def _stacked(ev: Evaluator, v: ListRef, *, selects: bool = False) -> Operand:
    """The array of a list of unknown length; a column of it for each part of a tuple.

    selects  NumPy reads positions, counts or truths, and an empty list as an array of them
    """
    if ev.slots(v).schema != 0:
        return ev.emit(stacked_rows, *map(ev.read, _flat_columns(ev, v)))  # type: ignore[no-any-return]
    column = column_without_none(ev, v)
    elem = column.type.elem if isinstance(column.type, List) else None
    if not selects or not isinstance(elem, Tensor) or elem.is_array or not may_be_empty(dynamic_lists.length(ev, v)):
        return ev.emit(stacked, column)  # type: ignore[no-any-return]
    dtype = {"i": "i64", "b": "b1"}.get(elem.kind)
    return ev.emit(stacked, column, **({} if dtype is None else {"dtype": dtype}))  # type: ignore[no-any-return]


def _flat_columns(ev: Evaluator, v: ListRef) -> list[Ref]:
    """The columns of a list of numbers, of arrays, of lists, or of tuples of these."""
    cell = ev.slots(v)
    if cell.schema != tuple(range(len(cell.items))):
        return [dynamic_lists.one_column(ev, v)]
    return dynamic_lists.column_refs(ev, v)


def check_axes(ev: Evaluator, v: Abstract) -> None:
    """Raises TypeError at run time where the program asks for the axes of an array that is made of an empty list, or
    of sums and such along axes of it.

    NumPy gives such an array one axis, whatever the array of a filled list has.
    """
    x = _array_of_list(ev, ev.operand(v)) if isinstance(v, (Ref, Value)) else None
    if x is None:
        return
    t = number(x)
    n = ev.emit(dim, x, axis=0, spelling="builtins.len") if is_length_of_list(t.shape[0]) else ev.emit(size, x)
    if may_be_empty(n):
        _check_filled(ev, n, f"an empty list makes an array with one axis, not {t.rank}")


def _array_of_list(ev: Evaluator, y: Operand) -> Operand | None:
    """The array made of a list whose number of axes decides that of `y`; None if there is none."""
    t = y.type
    if not isinstance(t, Tensor) or not t.rank:
        return None
    if any(map(is_length_of_list, t.shape)):
        return y if t.rank > 1 else None
    eqn = ev.defs.get(y) if isinstance(y, Value) else None
    if eqn is None or eqn.op not in ELEMENTWISE and "axis" not in eqn.attrs:
        return None
    by_rank = eqn.args[:1] if eqn.op not in ELEMENTWISE else [
        x for x in eqn.args if isinstance(x.type, Tensor) and x.type.rank == t.rank]
    arrays = [_array_of_list(ev, x) for x in by_rank]
    return None if None in arrays else arrays[0]


def check_dtype(ev: Evaluator, v: Abstract) -> None:
    """Raises TypeError at run time where the program asks for the dtype of what is computed from an array of ints or
    truths that is made of an empty list, of which NumPy makes floats."""
    todo = [ev.operand(v)] if isinstance(v, (Ref, Value)) else []
    for y in todo:
        eqn = ev.defs.get(y) if isinstance(y, Value) else None
        if eqn is None or not isinstance(y.type, Tensor) or y.type.kind not in "bi":
            continue
        if eqn.op in (stacked, stacked_rows) and eqn.attrs.get("dtype") is None:
            n = ev.emit(dim, eqn.args[0], axis=0, spelling="builtins.len")
            if may_be_empty(n):
                kind = "ints" if y.type.kind == "i" else "truths"
                _check_filled(ev, n, f"an empty list makes an array of floats, not of {kind}")
        elif eqn.op is index:
            todo.append(eqn.args[0])
        elif y.type.kind == "i" and (eqn.op in ELEMENTWISE or "axis" in eqn.attrs and eqn.op.nondiff is None):
            todo += [x for x in eqn.args if x not in todo]


def check_class(ev: Evaluator, v: Abstract) -> None:
    """The same where it asks for the class, which is that of a number for the sum of no arrays."""
    t = ev.type_of(v) if isinstance(v, (Ref, Value)) else None
    if isinstance(t, Tensor) and not t.is_array:
        check_dtype(ev, v)
    elif isinstance(t, Tensor) and not any(map(is_length_of_list, t.shape)):
        check_axes(ev, v)


def may_be_empty(n: Operand) -> bool:
    """May a list of this length be empty?"""
    return n.value == 0 if isinstance(n, Lit) else n.dim is None or n.dim.least <= 0


def require_items(ev: Evaluator, over: Ref, exception: str, message: str) -> None:
    """Raises this exception where the program takes the first item of an array that has none."""
    def none() -> None:
        raise_at_run_time(ev, exception, message)

    rows = ev.shape_of(over)[:1]
    if any(d.value == 0 for d in rows):
        none()
    elif any(d.least < 1 for d in rows):
        n = ev.emit(dim, ev.read(over), axis=0, spelling="builtins.len")
        evaluate_branches(ev, ev.emit(eq, n, 0, spelling="operator.eq"), none, lambda: None)


def _check_filled(ev: Evaluator, n: Operand, message: str) -> None:
    if isinstance(n, Value):
        check_value(ev, n, ev.emit(not_, ev.emit(eq, n, 0, spelling="operator.eq")), message)


def joined_list(ev: Evaluator, v: Abstract, call: str, axis: Abstract | None = None) -> Operand:
    """`np.concatenate(v, axis)` and its like, of a list of unknown length."""
    options = {} if axis is None else {"axis": ev.ask(axis, "`axis`")}
    if type(options.get("axis", 0)) is not int:
        ev.refuse("SCT205", f"`np.{call}` of a list with `axis={options['axis']!r}` is not supported",
                  hint="flatten its arrays before: `[np.ravel(v) for v in xs]`" if options["axis"] is None else "")
    assert isinstance(v, ListRef)
    return ev.emit(concatenated, column_without_none(ev, v), call=call, **options)  # type: ignore[no-any-return]


def is_vector_of_unknown_size(ev: Evaluator, v: Ref) -> bool:
    """Is this an array with one axis, of unknown size?"""
    t = ev.type_of(v)
    return isinstance(t, Tensor) and t.rank == 1 and t.shape[0].value is None


def key_items(ev: Evaluator, key: Abstract) -> list[Any]:
    """The items of a subscript of an array: operands, None, Ellipsis and slices of operands."""
    parts = key.items if isinstance(key, Tup) and not is_slice(key) else (key,)
    if isinstance(key, Static) and isinstance(key.peek, tuple):  # of slices, as `np.s_` makes it
        parts = tuple(map(Static, key.value))
    return [_key_item(ev, p) for p in parts]


def is_slice(v: Abstract) -> bool:
    return isinstance(v, Tup) and bool(v.items) and isinstance(v.items[0], Static) and v.items[0].value is slice


def takes_slice(key: Abstract) -> bool:
    """Is this a slice, whether its bounds are known or not?"""
    return is_slice(key) or isinstance(key, Static) and isinstance(key.peek, slice)


def _key_item(ev: Evaluator, v: Abstract) -> Any:
    v = as_index(ev, v, _index_into_array)
    check_present(ev, v, "an index must be an int")
    if isinstance(v, Tup) and is_slice(v):
        bounds = [as_index(ev, p) for p in v.items[1:]]
        return slice(*(None if isinstance(p, Static) and p.value is None else _int(ev, p) for p in bounds))
    if isinstance(v, Static):
        if v.value is None or v.value is Ellipsis:
            return v.value
        if isinstance(v.value, slice):
            return slice(*(None if p is None else Lit(p) for p in (v.value.start, v.value.stop, v.value.step)))
        if isinstance(v.value, tuple):
            ev.refuse("SCT503", "a tuple inside a subscript is not supported", hint="write its items as a list")
        if isinstance(v.value, (bool, int)):
            return Lit(v.value if isinstance(v.value, bool) else int(v.value))
    if isinstance(v, Tup):
        v = ev.new_list(v.items)
    if isinstance(v, ListRef):
        at = selection(ev, v)
        positions = ev.as_int(array_of(ev, at) if at is v else ev.operand(at))
        if isinstance(positions.type, Tensor) and positions.type.kind not in "ib":
            run_or_raise(ev, lambda: np.empty(1)[[0.5]])  # type: ignore[index]
        return positions
    if isinstance(v, Ref):
        x = ev.as_int(ev.operand(v))
        if isinstance(x.type, Tensor) and x.type.kind not in "ib":
            ev.refuse("SCT501", "arrays used as indices must be of integer or boolean type")
        return x
    return _int(ev, v)


def check_present(ev: Evaluator, v: Abstract, message: str) -> None:
    """Raises TypeError at run time if this is None, which is another thing to NumPy: a new axis, or no argument."""
    x = may_be_none(ev, v)
    if x is not None:
        check_value(ev, x, ev.emit(not_, ev.emit(is_none, x)), f"{message}, not None")


def may_be_none(ev: Evaluator, v: Abstract) -> Value | None:
    """The number, or the contents of the array, that may be None on this path, as far as tests of reads of it tell;
    None of other values."""
    x = v if isinstance(v, Value) and isinstance(v.type, Optional) else list_items.value_or_none(ev, v)
    eqn = None if x is None else ev.defs.get(x)
    same = (w for w in ev.store.told if eqn is not None and (other := ev.defs.get(w)) is not None and eqn.op is other.op
            and (eqn.args, eqn.attrs) == (other.args, other.attrs) and eqn.op is index)
    return None if x is None or any(is_present(ev.store, w) for w in (x, *same)) else x


def check_not_none(ev: Evaluator, v: Abstract, use: Callable[[Any], Any]) -> None:
    """Raises what `use(None)` raises, where an array or a number is None of which a fact is used that its type tells.

    It is refused where that raises nothing, since None has another such fact.
    """
    if isinstance(v, Ref) and v.path:
        _check_seen(ev, Ref(v.addr), v.path[0])
        return
    contents: Any = ev.store.array(v).value if isinstance(v, Ref) else v
    if isinstance(contents, Value) and isinstance(contents.type, Undef) and isinstance(contents.type.elem, Optional):
        contents = ev.bound(contents)
    if not isinstance(contents, Value):
        return
    x = may_be_none(ev, contents)
    if x is None:
        _check_made_of_none(ev, contents)
        return

    def raises() -> None:
        run_or_raise(ev, lambda: use(None))
        ev.refuse("SCT503", "a value that may be None is not supported here", why="it is something else for None, "
                  "and does not raise", hint="test it before, with `is None`")

    absent = ev.emit(is_none, x)
    evaluate_branches(ev, absent, raises, lambda: Static(None))
    take(ev, absent, False, ev.b)


def _check_made_of_none(ev: Evaluator, of: Value) -> None:
    """Raises TypeError at run time, where an array of which such a fact is used is made of None, if NumPy does that."""
    todo = [of]
    while todo:
        eqn = ev.defs.get(todo.pop())
        if eqn is None or eqn.regions or eqn.op.updates:
            continue
        for k, x in enumerate(eqn.args):
            by = ev.defs.get(x) if isinstance(x, Value) else None
            maybe = by.args[0] if by is not None and by.op is unwrap and by.primal else None
            if not isinstance(maybe, Value):
                todo += [x] if isinstance(x, Value) and eqn.op not in ELEMENTWISE else []
            elif isinstance(maybe.type, Optional) and not is_present(ev.store, maybe) and not raises_type_error(eqn, k):
                _check_known(ev, maybe)


def _check_seen(ev: Evaluator, base: Ref, step: Step) -> None:
    """Raises at run time, where an array is None of which the step makes a view."""
    name = (step.spelling or "").removeprefix(".")
    if step.op is index and not name:
        check_not_none(ev, base, lambda none: none[0])
    elif name and "." not in name:
        check_not_none(ev, base, lambda none: getattr(none, name))
    elif (x := may_be_none(ev, base)) is not None:
        _check_known(ev, x)


def _check_known(ev: Evaluator, x: Value) -> None:
    """Raises TypeError at run time where this is None, of which NumPy makes an array that sct does not know."""
    check_value(ev, x, ev.emit(not_, ev.emit(is_none, x)), "an array is made of this value, which must be a number or "
                "an array")


def present_tuple(ev: Evaluator, v: OptionalTuple, use: Callable[[Any], Any]) -> Tup:
    """The tuple, which `use` takes: where it is None, the program raises what `use(None)` raises."""
    first = may_be_none(ev, v.of.items[0])
    if first is not None:
        evaluate_branches(ev, ev.emit(is_none, first), lambda: run_or_raise(ev, lambda: use(None)),
                          lambda: Static(None))
    with changed(ev.b, primal=False):  # it is none here
        return ev.present(v)


def present_object(ev: Evaluator, owner: Abstract, access: Callable[[None], object]) -> Abstract:
    """An object that is a row, of which a part is read or written: where it is None, that raises, as `access` does."""
    if not isinstance(owner, Value) or not is_link(owner):
        return owner
    owner = ev.bound(owner)
    if isinstance(owner, Value) and isinstance(owner.type, Optional):
        if not is_present(ev.store, owner):
            evaluate_branches(ev, ev.emit(is_none, owner), lambda: run_or_raise(ev, lambda: access(None)), lambda: None)
        return ev.defined(owner)
    return owner


def present_list(ev: Evaluator, v: Abstract, use: Callable[[Any], Any] = iter) -> Abstract:
    """The list of one that may be None, which `use` takes: where it is None, the program raises what that raises."""
    others = [m for m in v.members if m != Static(None)] if isinstance(v, Choice) else []
    if not isinstance(v, Choice) or len(others) != 1 or not isinstance(others[0], ListRef):
        return v
    evaluate_branches(ev, ev.emit(is_none, v.code), lambda: run_or_raise(ev, lambda: use(None)),
                      lambda: Static(None))
    return others[0]


def _index_into_array(x: Any) -> int:
    """`operator.index` with the error of a subscript of an array."""
    try:
        return int(operator.index(x))
    except TypeError:
        return np.empty(1)[x]  # type: ignore[no-any-return]


def _int(ev: Evaluator, v: Abstract) -> Operand:
    x: Operand = ev.as_int(ev.operand(v))
    if isinstance(x.type, Tensor) and (x.type.kind in "ib" or x.type.dtype in ("real", "single")):
        return x
    if isinstance(x, Value) and isinstance(x.type, Opaque):
        if isinstance(ev.leaf_of(x), slice):
            ev.refuse("SCT503", "a slice that is an argument is not supported as a subscript",
                      hint="write its bounds: `x[s.start:s.stop:s.step]`")
        ev.refuse("SCT503", "an index whose type sct does not know is not supported", why="Python computes it",
                  hint="make an array of it: `x[np.array(xs)]`")
    ev.refuse("SCT501", "only integers, slices, `...`, None and integer or boolean arrays are valid indices")


def adds_axes(key: Abstract) -> bool:
    """Is this None, `...` or a tuple of them?"""
    parts = key.items if isinstance(key, Tup) else (key,)
    return all(isinstance(x, Static) and (x.peek is None or x.peek is Ellipsis) for x in parts)


def flagged(ev: Evaluator, ref: Ref, key: Abstract) -> tuple[Ref, Abstract]:
    """`array[flag]` is `array[None][mask]`, with a mask of one element."""
    parts = key.items if isinstance(key, Tup) and not is_slice(key) else (key,)
    flags = [p for p in parts if is_flag(ev, p)]
    if flags and len(parts) > 1:
        ev.refuse("SCT501", "a truth value beside other subscripts is not supported", hint="use it in an `if`")
    if not flags:
        return ref, key
    return ev.step(ref, index, (), {"key": ("n",)}), ev.call(Static(np.atleast_1d), flags)


def is_flag(ev: Evaluator, v: Abstract) -> bool:
    t = ev.type_of(v) if isinstance(v, (Ref, Value)) else None
    return isinstance(v, Static) and isinstance(v.value, bool) or isinstance(t, Tensor) and not t.rank and t.kind == "b"


def check_position(ev: Evaluator, owner: RunTimeTuple, key: Abstract) -> None:
    """Raises what Python does where `owner[key]` is not there: its items are in a list, which raises another text."""
    at = as_index(ev, key)
    check_operands(ev, lambda at: ()[at], at)
    if takes_slice(key):
        return
    (position,) = key_items(ev, at)
    least = position.value if isinstance(position, Lit) else None
    if least is None and not _is_inside(ev, owner, position):
        ev.call(Static(_check_position), [owner.of, at])
    least = 0 if least is None else least + 1 if least >= 0 else -least
    if least > max(owner.least, _least_in_loop(ev, owner)):
        ev.call(Static(_check_length), [owner.of, Static(least)])


def _is_inside(ev: Evaluator, owner: RunTimeTuple, at: Operand) -> bool:
    """Has the tuple certainly an item at this position, from its front on?"""
    sizes = (Dim(owner.least), *_lengths(ev, owner))
    return ev.lowest(size_of(at)).least >= 0 and any(ev.lowest(n - 1 - size_of(at)).least >= 0 for n in sizes)


def _least_in_loop(ev: Evaluator, owner: RunTimeTuple) -> int:
    """The number of items that the tuple has at least in an iteration of a loop over its positions."""
    spaces = (head.where for head in ev.loops.heads if head.where is not None)
    return max((s.start.value + 1 for s in spaces if isinstance(s.start, Lit) and s.step == Lit(1)
                and s.stop.type == INT and size_of(s.stop) in _lengths(ev, owner)), default=0)


def _lengths(ev: Evaluator, owner: RunTimeTuple) -> Sequence[Dim]:
    return ev.lengths.get(tuple(dynamic_lists.columns(ev, owner.of)), ())


def _check_position(items: Any, at: int) -> None:
    if not -len(items) <= at < len(items):
        raise IndexError("tuple index out of range")


def _check_length(items: Any, least: int) -> None:
    if len(items) < least:
        raise IndexError("tuple index out of range")
