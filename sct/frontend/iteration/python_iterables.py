"""Objects of Python over which a loop iterates, when the derivative runs.

`list` takes all items of a container at once.  An iterator is asked for each item when an iteration begins: what it
does or raises on the way to an item happens then, and what is left of it may be read behind the loop.
"""

from __future__ import annotations

import re
from collections.abc import Callable, ItemsView, KeysView, Sequence, ValuesView
from dataclasses import dataclass
from typing import Any, NoReturn

import numpy as np

from sct.errors import user_text
from sct.frontend.arguments.argument_aliasing import use_callable
from sct.frontend.evaluator.evaluator import Evaluator
from sct.frontend.heap.inactive import (
    PLAIN_CONTAINERS,
    check_value,
    hold_all,
    is_callers,
    is_harmless_module,
    is_python_object,
    typed,
)
from sct.frontend.source.changing_calls import changes_object
from sct.frontend.source.parse import loc_of
from sct.frontend.state.observed_types import Observed, items_place, observed_type
from sct.frontend.values.abstract_values import Abstract, Static
from sct.ir import Operand, Value
from sct.ir.core import walk
from sct.ir.types import BOOL, INT, Opaque, Text
from sct.ops.program.attempts import attempted
from sct.ops.program.effects import inactive, part, runs_code_of_operands

__all__ = [
    "PythonIterable", "array_items", "check_class", "check_unchanged", "items_as_observed", "python_item",
    "python_items", "python_iterable", "refuse_iteration"]


def _iterable_check(ev: Evaluator, cls: type, v: Value) -> str | None:
    """The check that an object is of this class, if sct may iterate over it; None if it may not.

    The items of an iterator of the caller are not taken.
    """
    if cls in PLAIN_CONTAINERS:
        return PLAIN_CONTAINERS[cls]
    is_tuple = issubclass(cls, tuple) and cls.__iter__ is tuple.__iter__
    module = cls.__module__.lstrip("_")
    own = hasattr(cls, "__next__") and not is_callers(ev, v) and (
        is_harmless_module(module) or module in ("builtins", "itertools"))
    of_library = cls is np.ndarray or not hasattr(cls, "__next__") and module.split(".")[0] in _OF_LIBRARIES
    if cls in (KeysView, ItemsView, ValuesView):
        return f"type(_0).__name__ == '{cls.__name__}' and type(_0._mapping).__module__ in {_OF_LIBRARIES}"
    return f"type(_0).__name__ == '{cls.__name__}'" if is_tuple or own or of_library else None


_OF_LIBRARIES = ("configparser", "csv", "pandas")
"""Modules whose objects give the same items each time."""


def refuse_iteration(ev: Evaluator, v: Abstract, node: Any = None) -> NoReturn:
    """Refuses a loop over a value whose items are not known; `node`: the iterable of a `for`."""
    place = ev.loc if node is None else loc_of(node, ev.frames[-1].source.file)
    is_seen = bool(ev.observed(items_place(place))) if node is not None and place is not None else ev.is_observed
    with ev.at(place):
        if isinstance(v, Value) and v not in ev.params and is_python_object(ev, v) and not is_seen:
            ev.refuse_object(v, "iteration over")
        ev.refuse("SCT503", "this cannot be iterated over",
                  hint="iterate over a range, an array, or a tuple, list or dict of known length")


@dataclass(frozen=True)
class PythonIterable:
    """An object that Python iterates over: the types of its items, a check of its class, its names.

    is_iterator  it gives each item once, and may compute it only then
    """

    types: frozenset[Observed]
    check: str
    cls: str
    name: str
    is_iterator: bool


def python_iterable(ev: Evaluator, v: Abstract, node: Any) -> PythonIterable | None:
    """The description of the value of the iterable `node`; None if sct must not iterate over it."""
    if not isinstance(v, Value) or not is_python_object(ev, v):
        return None
    place = loc_of(node, ev.frames[-1].source.file)
    seen = ev.observed(items_place(place))
    types = frozenset(t for t in seen if t[0] != "iterable")
    classes = [t[1] for t in seen if t[0] == "iterable"]
    check = _iterable_check(ev, classes[0], v) if len(classes) == 1 else None
    if check is None:
        return None
    use_callable(ev, ev.leaf_of(v))
    (cls,) = classes
    return PythonIterable(types, check, cls.__name__, user_text(place), hasattr(cls, "__next__"))


def array_items(ev: Evaluator, v: Abstract) -> tuple[Abstract, Abstract] | None:
    """An array of dates, texts or records, and the description of its items, for an iterator; None for others."""
    if not isinstance(v, Value) or not isinstance(v.type, Opaque) or not is_python_object(ev, v):
        return None
    eqn, leaf = ev.defs.get(v), ev.leaf_of(v)
    seen = ev.observed(eqn.loc) if eqn is not None and eqn.loc is not None else {observed_type(leaf)}
    ((cls, *dtype_and_rank),) = [t[1:] for t in seen] if len(seen) == 1 else [(None,)]
    if len(dtype_and_rank) != 2 or cls is not np.ndarray or not dtype_and_rank[1]:
        return None
    dtype, rank = dtype_and_rank
    item = observed_type(np.zeros((1,) * rank, dtype)[0])
    return v, Static(PythonIterable(frozenset([item]), "type(_0).__name__ == 'ndarray'", "ndarray", "this", False))


def check_class(ev: Evaluator, v: Value, iterable: PythonIterable) -> None:
    """Raises TypeError when the derivative runs if the object is of another class than the one observed."""
    check_value(ev, v, iterable.check, f"{iterable.name} must be a {iterable.cls}")


def python_items(ev: Evaluator, v: Value, iterable: PythonIterable, most: int | None = None
                 ) -> tuple[Operand, Callable[[Abstract], Abstract]]:
    """The number of items that the object has now, and the function that gives them by position.

    most  an iterator is asked for at most so many
    """
    check_class(ev, v, iterable)
    all_items = most is None or not iterable.is_iterator
    items = ev.emit(inactive, v, text="list(_0)" if all_items else f"list(itertools.islice(_0, {most}))")
    n = ev.emit(part, items, text="len(_0)", type=INT)
    return n, lambda i: python_item(ev, "_0[_1]", (items, ev.operand(i)), iterable)


def python_item(ev: Evaluator, text: str, operands: Sequence[Operand], iterable: PythonIterable) -> Abstract:
    """An item, which is of one of the types observed.  An array may be a view of another: it is not written."""
    item = typed(ev, text, operands, iterable.types, f"an item of {iterable.name}", part)
    hold_all(ev, item)
    return item


def items_as_observed(ev: Evaluator, v: Abstract, target: Any) -> Abstract | None:
    """The items of a tuple or a list that sct does not see into, where all that were unpacked here had as many."""
    place = loc_of(target, ev.frames[-1].source.file)
    types = ev.observed(place)
    if not isinstance(v, Value) or not is_python_object(ev, v) or not types or any(
            len(t[1]) != len(target.elts) for t in types if t[0] == "tuple") or {t[0] for t in types} != {"tuple"}:
        return None
    name = f"what is unpacked to `{user_text(place)}`"
    check_value(ev, v, "isinstance(_0, (tuple, list))", f"{name} must be a tuple or a list")
    items = typed(ev, "tuple(_0)", (v,), types, name, part)
    hold_all(ev, items)
    return items


_MAKES_NEW = re.compile(r"(list|set|dict|sorted|collections\.(Counter|OrderedDict|deque))\([\w, ]*\)")
"""Matches a call that makes a container: the loop in whose body it is made does not run over it."""

_MAKES = re.compile(r"(list|tuple|sorted|set|frozenset|dict)\(|_0\.(split|splitlines|copy|keys|values|items)\b")


def check_unchanged(ev: Evaluator, v: Abstract, length: Operand) -> None:
    """Refuses a loop over an object that its body may change; the loop is the last equation that was built.

    length  of the object before the loop: a call in the loop may change it in ways that sct does not see
    """
    loop = next((eqn for eqn in reversed(ev.b.eqns) if eqn.regions), None)
    eqn = ev.defs.get(v) if isinstance(v, Value) else None
    runs_over = [v] if eqn is None or isinstance(eqn.out.type, Text) else list(eqn.args)
    of_texts = bool(runs_over) and all(isinstance(x, Value) and isinstance(x.type, Text) for x in runs_over)
    if loop is None or of_texts:
        return
    inside = [attempted(e) for region in loop.regions for e in walk(region)]
    changed = [e.args[:1] for e in inside if changes_object(str(e.attrs.get("text", "")))]
    if eqn is not None and (makes := _MAKES.match(str(eqn.attrs.get("text", "")))):
        own = {eqn.out, *(eqn.args if makes[2] in ("keys", "values", "items") else ())}
        if any(own & _behind(ev, x) for xs in changed for x in xs):
            ev.refuse("SCT306", "a loop runs over an object that it may change", hint="run over a copy: `list(...)`")
        return
    made_inside = {x for e in inside for x in e.outs if e.op is inactive and _MAKES_NEW.fullmatch(str(e.attrs["text"]))}
    if any(not x or x[0] in runs_over or not (x[0] in made_inside or _is_new_dict(ev, x[0])) for x in changed):
        ev.refuse("SCT306", "a loop runs over an object that it may change", hint="run over a copy: `list(...)`")
    if isinstance(v, Value) and any(map(runs_code_of_operands, inside)):
        same = ev.emit(inactive, v, length, text="not hasattr(_0, '__len__') or len(_0) == _1", type=BOOL)
        check_value(ev, v, same, "what a loop runs over must not change in the loop")


def _behind(ev: Evaluator, x: Operand) -> set[Operand]:
    """The values that an object of Python is computed from: it may be one of them, or a part of one."""
    todo, seen = [x], {x}
    while todo:
        eqn = ev.defs.get(v) if isinstance(v := todo.pop(), Value) else None
        new = set() if eqn is None else {*eqn.args} - seen
        seen |= new
        todo += new
    return seen


def _is_new_dict(ev: Evaluator, x: Operand) -> bool:
    """Is this what a dict of the program is made as, which no other object refers to?"""
    eqn = ev.defs.get(x) if isinstance(x, Value) else None
    return eqn is not None and eqn.op is inactive and not eqn.args and str(eqn.attrs["text"]).startswith("{")
