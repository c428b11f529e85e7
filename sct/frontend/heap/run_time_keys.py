"""Dicts of known keys, read by keys that are known only at run time: the position of the key, then the value there.

    theta[c]   ->   [theta_a, theta_b][{"a": 0, "b": 1}[c]]

Dicts whose keys themselves are known only at run time are in `run_time_dicts`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeVar

from sct.frontend.arguments.abstract_arguments import DictArgument
from sct.frontend.arguments.argument_keys import MANY_KEYS
from sct.frontend.evaluator.exceptions import raise_at_run_time
from sct.frontend.heap import run_time_dicts
from sct.frontend.heap.dynamic_lists import as_column, element, is_alike, is_dynamic, list_of_items
from sct.frontend.heap.join_paths import evaluate_branches
from sct.frontend.heap.run_time_dicts import VALUES, of_run_time
from sct.frontend.values.abstract_values import Abstract, Container, DefaultRef, DictRef, ListRef, Ref, Static, Tup
from sct.frontend.values.guards import NeedsStatic
from sct.ir import Operand, Value
from sct.ir.types import BOOL, INT, List, Tensor, Text
from sct.ops.program.effects import lookup
from sct.ops.program.effects import part as part_of

if TYPE_CHECKING:
    from sct.frontend.evaluator.evaluator import Evaluator

__all__ = ["contains", "found", "get", "item", "note_search", "of_arguments", "searched"]

K = TypeVar("K")


def item(ev: Evaluator, owner: DictRef, key: Abstract) -> Abstract | None:
    """`d[key]`; None for a key that a defaultdict has not."""
    cell = ev.slots(owner)
    if _is_text(key) and all(isinstance(x, (Value, Static)) for x in cell.items) \
            and (value := _by_position(ev, owner, key)) is not None:
        return value
    try:
        name = run_time_dicts.known_key(ev, owner, key)
    except NeedsStatic:
        if (value := _by_position(ev, owner, key)) is None:
            raise
        return value
    if name in cell.keys:
        return cell.items[cell.keys.index(name)]
    return None if isinstance(owner, DefaultRef) else raise_at_run_time(ev, "KeyError", name)


def get(ev: Evaluator, owner: DictRef, wanted: Abstract, default: Abstract) -> Abstract:
    """`d.get(key, default)`"""
    cell = ev.slots(owner)
    try:
        key = run_time_dicts.known_key(ev, owner, wanted)
    except NeedsStatic:
        found = _is_among(ev, owner, wanted)
        if found is None or not is_alike(ev, cell):
            raise
        return evaluate_branches(ev, found, lambda: _by_position(ev, owner, wanted), lambda: default)  # type: ignore[no-any-return]
    return cell.items[cell.keys.index(key)] if key in cell.keys else default


def contains(ev: Evaluator, owner: DictRef, key: Abstract) -> Abstract:
    """`key in d`"""
    try:
        return Static(run_time_dicts.known_key(ev, owner, key, "what `in` looks for") in ev.slots(owner).keys)
    except NeedsStatic as need:
        if (found := _is_among(ev, owner, key)) is not None:
            return found
        need.error.hint = "fill an array in a loop"
        raise


def searched(ev: Evaluator, owner: Abstract, x: Abstract) -> list[Operand] | None:
    """A list of numbers or of strings as Python searches it, and what it looks for; None for other lists."""
    if not isinstance(owner, ListRef) or not is_dynamic(ev, owner) or ev.slots(owner).schema != 0:
        return None
    column = as_column(ev, owner)
    elem = column.type.elem if isinstance(column.type, List) else None
    if not isinstance(elem, Text) and not (isinstance(elem, Tensor) and elem.is_scalar):
        return None
    t = ev.type_of(x) if isinstance(x, (Static, Value)) else None
    is_number = isinstance(t, Tensor) and t.is_scalar
    return [column, ev.operand(x)] if is_number or isinstance(t, Text) else None


def found(ev: Evaluator, name: str, operands: list[Operand]) -> Abstract:
    """`x in xs`, `xs.index(x)` or `xs.count(x)`, by Python itself."""
    if name == "in":
        return ev.emit(part_of, *operands, text="_1 in _0", type=BOOL)  # type: ignore[no-any-return]
    if name == "count":
        return ev.emit(part_of, *operands, text="_0.count(_1)", type=INT)  # type: ignore[no-any-return]
    return ev.emit(lookup, *operands, text="_0.index(_1)")  # type: ignore[no-any-return]


def _by_position(ev: Evaluator, owner: DictRef, key: Abstract) -> Abstract | None:
    """`d[key]`: the value at the position of the key; None where the key must be known."""
    note_search(ev, owner)
    cell = ev.slots(owner)
    operands: list[Operand] = []
    text = _key_text(ev, cell.keys, key, operands)
    if text is None or isinstance(owner, DefaultRef) or not is_alike(ev, cell):
        return None
    places = ", ".join(f"{name!r}: {k}" for k, name in enumerate(cell.keys))
    at = ev.emit(lookup, *operands, text=f"{{{places}}}[{text}]")
    return element(ev, list_of_items(ev, cell.items), at)


def _is_among(ev: Evaluator, owner: DictRef, key: Abstract) -> Value | None:
    """`key in d`; None where the key must be known."""
    note_search(ev, owner)
    cell = ev.slots(owner)
    operands: list[Operand] = []
    text = _key_text(ev, cell.keys, key, operands)
    if text is None or not cell.keys:
        return None
    names = ", ".join(map(repr, cell.keys))
    return ev.emit(part_of, *operands, text=f"{text} in {{{names}}}", type=BOOL)  # type: ignore[no-any-return]


def _is_text(key: Abstract) -> bool:
    """Is this a string that is known only at run time?"""
    return isinstance(key, Value) and isinstance(key.type, Text)


def _key_text(ev: Evaluator, names: Sequence[Any], key: Abstract, operands: list[Operand]) -> str | None:
    """The template of a key that is a string, an int, or a tuple of these; None if it is another one."""
    if isinstance(key, Tup) and key.cls is tuple:
        parts = [_key_text(ev, (), x, operands) for x in key.items]
        text = None if None in parts else f"({', '.join(map(str, parts))}{',' if len(parts) == 1 else ''})"
    elif isinstance(key, Static) and type(key.peek) in (int, str, bool):
        text = repr(key.value)
    elif _is_text(key) or isinstance(key, Value) and isinstance(key.type, Tensor) and key.type.is_scalar \
            and key.type.kind in "ib" and not ev.is_varied(key):
        operands.append(ev.operand(key))
        text = f"_{len(operands) - 1}"
    else:
        return None
    return text if all(_is_plain_key(name) for name in names) else None


def _is_plain_key(name: Any) -> bool:
    return all(map(_is_plain_key, name)) if type(name) is tuple else type(name) in (int, str, bool)


# -- arguments of many keys -----------------------------------------------------------------------------------


def of_arguments(ev: Evaluator, arguments: Mapping[K, Abstract]) -> dict[K, Abstract]:
    """The arguments, in which the dicts whose keys are to be known only at run time are such dicts.

    What these hold is not written from here on: the caller, or another argument, may hold it too.
    """
    plan, seen = ev.functions.plan, dict[int, Abstract]()
    if not plan.has_arguments:
        return dict(arguments)

    def visit(v: Abstract) -> Abstract:
        if isinstance(v, Tup):
            return v.with_(map(visit, v.items))
        if not isinstance(v, Container) or is_dynamic(ev, v):
            return v
        if v.addr not in seen:
            cell, seen[v.addr] = ev.slots(v), v
            if isinstance(v, DictRef) and isinstance(cell.made, DictArgument) and (cell.made, VALUES) in plan.dicts:
                _freeze_all(ev, v)
                seen[v.addr] = of_run_time(ev, cell)
                _freeze_all(ev, seen[v.addr])
            else:
                ev.store.cells[v.addr] = replace(cell, items=tuple(map(visit, cell.items)))
        return seen[v.addr]

    return {key: visit(v) for key, v in arguments.items()}


def _freeze_all(ev: Evaluator, v: Abstract) -> None:
    if isinstance(v, (Container, Ref)):
        ev.freeze(v.addr)
    for x in v.items if isinstance(v, Tup) else ev.slots(v).items if isinstance(v, Container) else ():
        _freeze_all(ev, x)


def note_search(ev: Evaluator, owner: Abstract) -> None:
    """Notes that the program runs over a dict or searches it: the keys of a large one from outside are known only at
    run time."""
    plan = ev.functions.plan
    if not isinstance(owner, DictRef) or plan.known_keys or plan.known_arguments:
        return
    cell = ev.slots(owner)
    use = (cell.made, VALUES)
    if len(cell.keys) > MANY_KEYS and isinstance(cell.made, DictArgument) and use not in plan.dicts and \
            (cell.made.alike or is_alike(ev, cell)):
        raise plan.changed(dicts={use})
