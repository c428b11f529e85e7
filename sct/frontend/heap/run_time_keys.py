"""Dicts of known keys, read by keys that are known only at run time: the position of the key, then the value there.

    theta[c]   ->   [theta_a, theta_b][{"a": 0, "b": 1}[c]]

Dicts whose keys themselves are known only at run time are in `run_time_dicts`.
"""

from __future__ import annotations

import builtins
import enum
import itertools
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, TypeVar

from sct.frontend.arguments.abstract_arguments import DictArgument
from sct.frontend.arguments.argument_keys import AT_ONCE, MANY_KEYS, kind_of_map, kind_of_rows
from sct.frontend.arguments.lift import opaque
from sct.frontend.evaluator.exceptions import raise_at_run_time
from sct.frontend.evaluator.own_methods import HASHING, own_method
from sct.frontend.heap import run_time_dicts
from sct.frontend.heap.array_keys import is_slice
from sct.frontend.heap.dynamic_lists import columns as dynamic_columns
from sct.frontend.heap.dynamic_lists import element, is_dynamic, list_of_items
from sct.frontend.heap.item_forms import is_alike
from sct.frontend.heap.join_paths import evaluate_branches
from sct.frontend.heap.run_time_dicts import VALUES, of_run_time
from sct.frontend.heap.special_methods import as_index
from sct.frontend.state.choices import by_code, chosen, code, code_of, is_kept, members_of
from sct.frontend.state.observed_types import class_of_call
from sct.frontend.values.abstract_values import (
    PLAIN,
    Abstract,
    Choice,
    Container,
    DefaultRef,
    DictRef,
    ListRef,
    Ref,
    Slots,
    Static,
    Tup,
)
from sct.frontend.values.guards import NeedsStatic
from sct.frontend.values.schemas import MemberSchema, OptionalSchema, Schema
from sct.ir import Operand, Value
from sct.ir.pytrees.user_objects import is_container, stored_values
from sct.ir.types import BOOL, INT, List, Optional, Tensor, Text, Type, base_type
from sct.ops.program.effects import inactive, lookup, membership
from sct.ops.program.effects import part as part_of
from sct.ops.registry import add_operand

if TYPE_CHECKING:
    from sct.frontend.evaluator.evaluator import Evaluator

__all__ = [
    "contains", "get", "is_among", "item", "item_of_sequence", "may_unroll", "note_search", "of_arguments",
    "run_search", "search_of", "takes_maps",
]

K = TypeVar("K")


@dataclass(frozen=True)
class Search:
    """A search of a list of unknown length: the templates of its items and of what is wanted, and their operands."""

    among: str
    wanted: str
    operands: list[Operand]


def item(ev: Evaluator, owner: DictRef, key: Abstract) -> Abstract | None:
    """`d[key]`; None for a key that a defaultdict has not."""
    cell, plan = ev.slots(owner), ev.functions.plan
    adds = _has_factory(owner)
    by_position = not adds and not plan.known_keys and _is_text(key)
    if by_position and all(isinstance(x, (Value, Static, Tup)) for x in cell.items) and (
            value := _by_position(ev, owner, key)) is not None:
        plan.leave_texts_open()
        return value
    if not isinstance(key, Static) and _are_chosen(ev, cell.items) and \
            (value := _by_position(ev, owner, key)) is not None:
        return value
    try:
        name = run_time_dicts.known_key(ev, owner, key)
    except NeedsStatic:
        if adds or not _names_itself(ev, cell.keys, key) or (value := _by_position(ev, owner, key)) is None:
            raise
        return value
    if name in cell.keys:
        return cell.items[cell.keys.index(name)]
    return None if adds else raise_at_run_time(ev, "KeyError", name)


def _has_factory(owner: DictRef) -> bool:
    return isinstance(owner, DefaultRef) and owner.factory is not None


def get(ev: Evaluator, owner: DictRef, wanted: Abstract, default: Abstract) -> Abstract:
    """`d.get(key, default)`"""
    cell = ev.slots(owner)
    try:
        key = run_time_dicts.known_key(ev, owner, wanted)
    except NeedsStatic:
        is_there = is_among(ev, owner, wanted)
        if is_there is None or not _may_be_read(ev, cell.items):
            raise
        return evaluate_branches(ev, is_there, lambda: _by_position(ev, owner, wanted), lambda: default)  # type: ignore[no-any-return]
    return cell.items[cell.keys.index(key)] if key in cell.keys else default


def contains(ev: Evaluator, owner: DictRef, key: Abstract) -> Abstract:
    """`key in d`"""
    try:
        return Static(run_time_dicts.known_key(ev, owner, key, "what `in` looks for") in ev.slots(owner).keys)
    except NeedsStatic as need:
        if (is_there := is_among(ev, owner, key)) is not None:
            return is_there
        need.error.hint = "fill an array in a loop"
        raise


def search_of(ev: Evaluator, owner: Abstract, x: Abstract) -> Search | None:
    """A list of unknown length as Python searches it, and what it looks for: numbers, strings, None, and tuples of
    these; None for other values."""
    if not isinstance(owner, ListRef) or not is_dynamic(ev, owner):
        return None
    operands: list[Operand] = []

    def items(schema: Schema) -> str | None:
        if isinstance(schema, MemberSchema):
            schema = schema.code
        if isinstance(schema, tuple):
            parts = list(map(items, schema))
            return None if None in parts else f"zip({', '.join(map(str, parts))})"
        if isinstance(schema, OptionalSchema) and isinstance(schema.item, tuple):
            among = items(schema.item)
            return None if among is None else f"[None if row[0] is None else row for row in {among}]"
        if not isinstance(schema, int) or not _is_compared(columns[schema].type, List):
            return None
        return add_operand(columns[schema], operands)

    def wanted(v: Abstract, schema: Schema) -> str | None:
        schema = schema.item if isinstance(schema, OptionalSchema) else schema
        if isinstance(v, Tup) and v.cls is tuple:
            alike = isinstance(schema, tuple) and len(schema) == len(v.items)
            parts = [wanted(x, part) for x, part in zip(v.items, schema if alike else v.items)]  # type: ignore
            return None if None in parts else f"({', '.join(map(str, parts))}{',' * (len(parts) == 1)})"
        if isinstance(v, Static) and v.value is None:
            return "None"
        if isinstance(schema, MemberSchema):
            members = _members_of_enum(ev, v)
            return None if members is None or type(members[0]) is not schema.cls else add_operand(code(v), operands)
        if not isinstance(v, (Static, Value)) or not _is_compared(ev.type_of(v)):
            return None
        return add_operand(ev.operand(v), operands)

    schema, columns = ev.slots(owner).schema or 0, dynamic_columns(ev, owner)
    among, what = items(schema), wanted(x, schema)
    return None if among is None or what is None else Search(among, what, operands)


def _is_compared(t: Type, of: Any = None) -> bool:
    """Are values of this type numbers or strings, or None; or those in a column of it?"""
    t = (t.elem if isinstance(t, of) else t) if of is not None else t
    t = t.elem if isinstance(t, Optional) else t
    return isinstance(t, Text) or isinstance(t, Tensor) and t.is_scalar


def run_search(ev: Evaluator, name: str, search: Search) -> Abstract:
    """`x in xs`, `xs.index(x)` or `xs.count(x)`, by Python itself."""
    if name == "in":
        text = f"{search.wanted} in {search.among}"
        return ev.emit(membership, *search.operands, text=text, type=BOOL)  # type: ignore[no-any-return]
    among = f"list({search.among})" if search.among.startswith("zip") else search.among
    text = f"{among}.{name}({search.wanted})"
    if name == "count":
        return ev.emit(membership, *search.operands, text=text, type=INT)  # type: ignore[no-any-return]
    return ev.emit(lookup, *search.operands, text=text)  # type: ignore[no-any-return]


def _by_position(ev: Evaluator, owner: DictRef, key: Abstract) -> Abstract | None:
    """`d[key]`: the value at the position of the key; None where the key must be known."""
    note_search(ev, owner)
    cell = ev.slots(owner)
    operands: list[Operand] = []
    text = _key_text(ev, cell.keys, key, operands)
    if text is None or not _may_be_read(ev, cell.items):
        return None

    names = [_name_in_text(ev, name, operands) for name in cell.keys]

    def read(values: Sequence[Any]) -> str:
        return f"{{{', '.join(f'{name}: {value!r}' for name, value in zip(names, values))}}}[{text}]"

    return _read(ev, cell.items, read, operands)


def is_among(ev: Evaluator, owner: DictRef, key: Abstract) -> Value | None:
    """`key in d`; None where the key must be known."""
    note_search(ev, owner)
    cell = ev.slots(owner)
    operands: list[Operand] = []
    text = _key_text(ev, cell.keys, key, operands)
    if text is None or not cell.keys:
        return None
    names = ", ".join(_name_in_text(ev, name, operands) for name in cell.keys)
    return ev.emit(part_of, *operands, text=f"{text} in {{{names}}}", type=BOOL)  # type: ignore[no-any-return]


def _is_text(key: Abstract) -> bool:
    """Is this a string that is known only at run time, or None?"""
    return isinstance(key, Value) and isinstance(base_type(key.type), Text)


def _key_text(ev: Evaluator, names: Sequence[Any], key: Abstract, operands: list[Operand]) -> str | None:
    """The template of a key that is a string, an int, a frozenset, a member of an enum, or a tuple of these; None if it
    is another one, or among keys of other kinds."""
    if isinstance(key, Tup) and key.cls is tuple:
        alike = all(type(name) is tuple and len(name) == len(key.items) for name in names)
        parts = [_key_text(ev, [name[k] for name in names] if alike else (), x, operands)
                 for k, x in enumerate(key.items)]
        text = None if None in parts else f"({', '.join(map(str, parts))}{',' if len(parts) == 1 else ''})"
        return text if alike or all(map(_is_plain_key, names)) else None
    if (members := _members_of_enum(ev, key)) is not None:
        if not names or any(type(name) is not type(members[0]) for name in names):
            return None
        return add_operand(code(key), operands)
    if isinstance(key, Static) and type(key.peek) in (int, str, bool):
        text = repr(key.value)
    elif _is_class(ev, key):
        are_plain = all(isinstance(name, type) and own_method(ev, name, HASHING) is None for name in names)
        return add_operand(ev.operand(key), operands) if are_plain else None
    elif _is_text(key) or isinstance(key, Value) and isinstance(key.type, Tensor) and key.type.is_scalar \
            and key.type.kind in "ib" and not ev.is_varied(key) or _is_frozenset(ev, key):
        text = add_operand(ev.operand(key), operands)
    else:
        return None
    return text if all(map(_is_plain_key, names)) else None


def _is_frozenset(ev: Evaluator, key: Abstract) -> bool:
    """Is this a frozenset that Python makes when the derivative runs?"""
    eqn = ev.defs.get(key) if isinstance(key, Value) else None
    return eqn is not None and eqn.op is inactive and class_of_call(str(eqn.attrs["text"]), "") is frozenset


def _is_class(ev: Evaluator, key: Abstract) -> bool:
    """Is this the class of an object of Python?"""
    eqn = ev.defs.get(key) if isinstance(key, Value) else None
    return eqn is not None and eqn.op is inactive and eqn.attrs["text"] in ("type(_0)", "_0.__class__")


def _members_of_enum(ev: Evaluator, key: Abstract) -> list[enum.Enum] | None:
    """The members of one enum that this may be, if they are compared as Python compares members; else None."""
    members = [m.peek if isinstance(m, Static) else None for m in members_of(key)]
    is_one = bool(members) and all(isinstance(m, enum.Enum) and type(m) is type(members[0]) for m in members)
    return None if not is_one or own_method(ev, members[0], HASHING) is not None else members  # type: ignore[return-value]


def _names_itself(ev: Evaluator, names: Sequence[Any], key: Abstract) -> bool:
    """Is the key among these, or is it what its text says, which a KeyError shows: no member of an enum?"""
    parts = key.items if isinstance(key, Tup) else (key,)
    members = [_members_of_enum(ev, x) for x in parts]
    if not any(members):
        return True
    among = {name if isinstance(key, Tup) else (name,) for name in names}
    return all(members) and all(one in among for one in itertools.product(*filter(None, members)))


def _is_plain_key(name: Any) -> bool:
    return all(map(_is_plain_key, name)) if type(name) in (tuple, frozenset) else type(name) in (int, str, bool)


def _name_in_text(ev: Evaluator, name: Any, operands: list[Operand]) -> str:
    """The name of a key in the text of a look-up: that of a member of an enum is its code."""
    if isinstance(name, type):
        of_builtins = getattr(builtins, name.__name__, None) is name
        return name.__name__ if of_builtins else add_operand(opaque(ev, Static(name, (name,))), operands)
    if type(name) in (tuple, frozenset):
        names = [_name_in_text(ev, part, operands) for part in name]
        return f"({', '.join(names)}{',' if len(name) == 1 else ''})" if type(name) is tuple else \
            f"frozenset([{', '.join(sorted(names))}])"  # in one order in each process
    return repr(code_of(Static(name)) if isinstance(name, enum.Enum) else name)


# -- items that are functions, or other objects that are no columns ---------------------------------------------


def _columns_of_tuples(items: Sequence[Abstract]) -> list[tuple[Abstract, ...]] | None:
    """The columns of tuples of one kind; None for other items."""
    first = items[0] if items else None
    alike = isinstance(first, Tup) and all(
        isinstance(x, Tup) and (x.cls, len(x.items)) == (first.cls, len(first.items)) for x in items)
    return list(zip(*(x.items for x in items if isinstance(x, Tup)))) if alike else None


def _may_be_read(ev: Evaluator, items: Sequence[Abstract]) -> bool:
    """Can one of these be read at a place that is known only at run time: are they alike, or does a text say which
    one it is?"""
    if (columns := _columns_of_tuples(items)) is not None:
        return all(_may_be_read(ev, column) for column in columns)
    members: dict[str | None, Abstract] = {}
    return bool(items) and (is_alike(ev, Slots(tuple(items))) or all(
        len(own := by_code(x)) == 1 and all(members.setdefault(code, m) == m for code, m in own.items())
        for x in items))


MOST_CHOSEN = 8
"""What is done with one of several arrays is written once for each of them: of so many, at most."""


def _are_chosen(ev: Evaluator, items: Sequence[Abstract]) -> bool:
    """Are these arrays, of which the one at a place of run time is to be written?"""
    return 0 < len(items) <= MOST_CHOSEN and all(isinstance(x, Ref) for x in items) and \
        ev.functions.plan.chooses_arrays()


def _read(ev: Evaluator, items: Sequence[Abstract], text: Callable[[Sequence[Any]], str],
          operands: Sequence[Operand]) -> Abstract:
    """The item at a place that is known only at run time; `text`: the template of what reads one of as many constants
    there."""
    if isinstance(first := items[0], Tup) and (columns := _columns_of_tuples(items)) is not None:
        return first.with_(_read(ev, column, text, operands) for column in columns)
    if _are_chosen(ev, items):
        names = tuple(map(str, range(len(items))))
        return Choice(ev.emit(lookup, *operands, text=text(names), type=Text()), tuple(items), names)
    if is_alike(ev, Slots(tuple(items))):
        at = ev.emit(lookup, *operands, text=text(range(len(items))))
        return element(ev, list_of_items(ev, tuple(items)), at)
    members = {code: member for x in items for code, member in by_code(x).items()}
    codes = [code for x in items for code in by_code(x)]
    which = ev.emit(lookup, *operands, text=text(codes), type=Optional(Text()) if None in members else Text())
    return chosen(which, members)


def item_of_sequence(ev: Evaluator, owner: ListRef | Tup, key: Abstract) -> Abstract | None:
    """`owner[key]`, of a list of known length or a tuple that holds functions, or arrays to be written; None for
    others."""
    items = owner.items if isinstance(owner, Tup) else () if is_dynamic(ev, owner) else ev.slots(owner).items
    if isinstance(key, Static) or is_slice(key) or not (any(map(_may_be_called, items)) or _are_chosen(ev, items)):
        return None
    at = as_index(ev, key)
    try:
        ev.ask(at, "an index into a list or tuple")
        return None
    except NeedsStatic as need:
        by_unrolling = f"__v{need.value.id}" in ev.index_ranges or ev.functions.in_progress
        if by_unrolling and may_unroll(ev) or not isinstance(at, Value) or \
                not isinstance(at.type, Tensor) or not at.type.is_scalar or at.type.kind not in "ib" or \
                not _may_be_read(ev, items):
            raise
    brackets = "()" if isinstance(owner, Tup) else "[]"
    return _read(ev, items, lambda values: f"{brackets[0]}{', '.join(map(repr, values))},{brackets[1]}[_0]",
                 [ev.as_int(at)])


def may_unroll(ev: Evaluator) -> bool:
    """May an index be known if a loop is unrolled, or a function is evaluated in line?  If the program is refused so,
    it is known at run time.

    In a loop of more than a few iterations it is known at run time alone; if the program is refused so, the loop may
    be unrolled.
    """
    plan = ev.functions.plan
    if not (ev.loops.heads or ev.functions.in_progress) or ev.loops.many_iterations or ev.loc in plan.positions:
        return False
    if ev.loops.heads and not ev.loops.heads[-1].few() and ev.loc not in plan.unrolled:
        plan.looped.add(ev.loc)
        return False
    plan.open_positions.add(ev.loc)
    return True


def _may_be_called(v: Abstract) -> bool:
    """Is this a function or a tuple with one, or a choice of functions?"""
    if isinstance(v, Tup):
        return any(map(_may_be_called, v.items))
    return any(m != Static(None) and is_kept(m) for m in members_of(v))


# -- arguments of many keys -----------------------------------------------------------------------------------


def takes_maps(ev: Evaluator, values: Mapping[str, Any], apart: Collection[str], records: int) -> bool:
    """Are the dicts of many alike values in the arguments one value each?

    So they are if the program runs over one of them or searches it, or if there are very many values.

    apart  arguments that hold none: those by which the function is differentiated, and `**kwargs`
    """
    plan = ev.functions.plan
    if plan.known_keys or plan.known_arguments:
        return False
    dicts = {name: list(_maps_in(value, records)) for name, value in values.items()}
    uses = {(DictArgument(id(d)), VALUES): len(d) > AT_ONCE for held in dicts.values() for d in held}
    if any(dicts[name] for name in apart if name in dicts) or not any(
            large or use in plan.dicts for use, large in uses.items()):
        return False
    plan.dicts.update(uses)
    return True


def _maps_in(x: Any, records: int = True, around: tuple[int, ...] = ()) -> Iterator[dict[Any, Any]]:
    """The dicts in an argument of which `kind_of_map` gives a kind, outside of lists that are one value."""
    t = type(x)
    if id(x) in around or t in PLAIN or t is list and kind_of_rows(x, {}, records) is not None:
        return
    if t is dict and kind_of_map(x, {}, records) is not None:
        yield x
        return
    parts = x.values() if t is dict else x if t in (list, tuple) else stored_values(x) if is_container(t) else ()
    for part in parts:
        yield from _maps_in(part, records, (*around, id(x)))


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
            if isinstance(v, DictRef) and isinstance(cell.site, DictArgument) and (cell.site, VALUES) in plan.dicts:
                seen[v.addr] = of_run_time(ev, cell)
                for of in (v, seen[v.addr]) if cell.keys else ():
                    _freeze_all(ev, of)
                ev.enclosing.written.update(() if cell.keys else (v.addr,))  # it is to be filled
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
    use = (cell.site, VALUES)
    if len(cell.keys) > MANY_KEYS and isinstance(cell.site, DictArgument) and use not in plan.dicts and \
            (cell.site.alike or is_alike(ev, cell)):
        raise plan.changed(dicts={use})
