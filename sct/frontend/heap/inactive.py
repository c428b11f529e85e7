"""Expressions that Python itself evaluates when the derivative runs, since no derivative passes through them.

    m = statistics.mean([1.0, 2.5])    ->    m = statistics.mean([1.0, 2.5])    a number, as it was observed

Their types are those that were observed in a run of the function on copies.  What flows into arithmetic is checked
when the derivative runs: another type raises TypeError.
"""

from __future__ import annotations

import cmath
import collections
import datetime
import decimal
import fractions
import functools
import re
import sys
import types
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from sct.errors import user_text
from sct.frontend.arguments.argument_aliasing import use_callable
from sct.frontend.arguments.argument_keys import is_opaque_array
from sct.frontend.arguments.lift import is_constant_object, may_be_opaque, opaque
from sct.frontend.evaluator.exceptions import raise_at_run_time, refuse_reading
from sct.frontend.heap.dynamic_lists import as_column, is_dynamic
from sct.frontend.heap.join_paths import run_branches
from sct.frontend.source.changing_calls import WRITERS
from sct.frontend.state.choices import definitions
from sct.frontend.state.observed_types import (
    Observed,
    class_of_call,
    holds_no_number,
    is_pure,
    numeric_type,
    type_of_expression,
    types_in_sct,
)
from sct.frontend.values.abstract_values import (
    PLAIN,
    SLICE,
    Abstract,
    Container,
    DefaultRef,
    DictRef,
    Iteration,
    ListRef,
    Origin,
    Ref,
    RunTimeTuple,
    Slots,
    Static,
    Tup,
    is_literal,
    parts,
)
from sct.ir import Op, Operand, Value, free_values, is_float
from sct.ir.pytrees.user_objects import is_defined_by_user
from sct.ir.types import (
    BOOL,
    ActiveText,
    Opaque,
    Optional,
    Text,
    Type,
    leaf_type,
    shows_number,
)
from sct.ops import call, index
from sct.ops.program.effects import apply, inactive, lookup, part
from sct.ops.registry import add_operand

if TYPE_CHECKING:
    from sct.frontend.evaluator.evaluator import Evaluator

__all__ = [
    "IMMUTABLE", "NOT_SHOWN", "OBSERVED_BEFORE", "PLAIN_CONTAINERS", "by_python", "certainly_varied", "check_value",
    "evaluated_by_python", "give", "harmless_name", "hold_all", "is_callers", "is_changed_in_place",
    "is_harmless_module", "is_varied", "item_by_python", "leave_to_python", "pure_builtin", "template_of", "user_text",
    "written_by_python"]

OBSERVED_BEFORE = ", as observed when this was written"
NOT_SHOWN = "is not known, and no run has shown it"
"""The end of the messages about values whose type was not observed before."""

def evaluated_by_python(ev: Evaluator, text: str, operands: Sequence[Operand], values: Sequence[Abstract],
                        keeps: bool = False, op: Op = inactive, gives_fresh: bool = False) -> Abstract:
    """The value of the expression `text`, a template, of the type that was observed at this place.

    values  what it is computed from: what the value may hold of it can no longer be written
    keeps   may Python keep all of it, whatever the value is?
    gives_fresh  is the value held by nothing else, and does it hold nothing?
    """
    if (t := type_of_expression(text)) is not None:
        if text.startswith(_CONVERSIONS) and any(shows_number(x.type) for x in operands):
            refuse_reading(ev, operands)
        return _of_type(ev, text, operands, t, op)
    cls = _known_class(ev, text, operands)
    types = (ev.observed(ev.loc) or types_in_sct(text, ev.loc)) if cls is None else frozenset([("object", cls)])
    if any(shows_number(x.type) for x in operands) and not all(map(holds_no_number, types)):
        refuse_reading(ev, operands)
    value = typed(ev, text, operands, types, user_text(ev.loc), op, gives_fresh)
    nested = any(_has_container(ev, x) for v in values for x in _items(ev, v))
    if not gives_fresh and (keeps or any(map(_may_hold, types)) or nested and ("object", collections.Counter) in types):
        of_arrays = not keeps and all(t[0] in ("array", "number") for t in types)
        give(ev, [v for v in values if not of_arrays or _has_array(ev, v)], keeps or any(map(_is_view, types)))
        hold_all(ev, value)
    return value


def held_by_python(ev: Evaluator, v: Abstract) -> Abstract:
    """The value, whose arrays Python may hold: they are copied where they are read, if a call may write to them."""
    if isinstance(v, Ref) and ev.functions.plan.rereads:
        ev.store.cells[v.addr] = replace(ev.store.array(v), origin=Origin.PYTHON)
    return v


def _of_type(ev: Evaluator, text: str, operands: Sequence[Operand], t: Type, op: Op = inactive) -> Value:
    """The value, of type `t`, of an expression that Python evaluates."""
    if is_pure(text, operands):
        op = lookup if text.startswith(_CONVERSIONS) else part
    return ev.emit(op, *operands, text=text, type=t)  # type: ignore[no-any-return]


_CONVERSIONS = ("float(", "int(", "ord(")
"""They read the number that a string shows, and raise an exception if it shows none."""


def _known_class(ev: Evaluator, text: str, operands: Sequence[Operand]) -> type | None:
    """The class of the value of an expression, if that does not depend on its operands."""
    if text == "type(_0)" and operands[0] in ev.tries.exceptions:
        return type
    site = ev.defs.get(operands[0]) if operands and isinstance(operands[0], Value) else None
    return class_of_call(text, str(site.attrs["text"]) if site is not None and site.op is inactive else "")


def give(ev: Evaluator, values: Sequence[Abstract], themselves: bool) -> None:
    """Forbids writes to what Python may hold from here on.

    themselves  may it hold the lists and dicts among the values?  Else only their items.

    Python gets copies of lists and dicts.  So a function that gives it one to hold must not change objects of Python:
    the change would not be seen in the list or dict itself.
    """
    for v in values:
        hold_all(ev, v)
        if _has_container(ev, v) if themselves else any(_has_container(ev, x) for x in _items(ev, v)):
            ev.note_copies()


def _items(ev: Evaluator, v: Abstract) -> Sequence[Abstract]:
    """The items of a tuple, a list or a dict."""
    if isinstance(v, Tup):
        return v.items
    cell = ev.store.cells[v.addr] if isinstance(v, (ListRef, DictRef)) else None
    return cell.items if isinstance(cell, Slots) else ()


def _has_container(ev: Evaluator, v: Abstract) -> bool:
    """Is this a list or a dict, or a tuple that holds one?"""
    return isinstance(v, (ListRef, DictRef)) or isinstance(v, Tup) and any(_has_container(ev, x) for x in v.items)


def _has_array(ev: Evaluator, v: Abstract) -> bool:
    """May a new array share memory with this?  It shares none with lists of numbers."""
    return not isinstance(v, (Tup, ListRef)) or is_dynamic(ev, v) or any(
        _has_array(ev, x) for x in _items(ev, v) if not is_literal(x) and not (isinstance(x, Value) and is_float(x)))


def hold_all(ev: Evaluator, v: Abstract) -> None:
    """Forbids writes to an array or container, and to those in it."""
    for x in _items(ev, v):
        hold_all(ev, x)
    if isinstance(v, (Ref, ListRef, DictRef)):
        ev.store.hold(v.addr)
        ev.containers.passed_out.add(v.addr)


def _may_hold(t: Observed) -> bool:
    """May a value of this type hold, or be, one of the arrays and containers that it was computed from?"""
    if t[0] == "tuple":
        return any(map(_may_hold, t[1]))
    return t[0] == "array" or t[0] == "object" and t[1] not in _HOLD_NOTHING


def _is_view(t: Observed) -> bool:
    """Does a value of this type hold the containers that it was computed from, and not only their items?"""
    if t[0] == "tuple":
        return any(map(_is_view, t[1]))
    return t[0] == "object" and t[1] not in PLAIN_CONTAINERS and (
        t[1].__module__ in ("collections", "types", "functools") or is_defined_by_user(t[1]))


_HOLD_NOTHING = frozenset((str, bytes, type(None), complex, collections.Counter, datetime.date, datetime.datetime,
                           datetime.timedelta, fractions.Fraction, decimal.Decimal, range, np.random.Generator))


def by_python(ev: Evaluator, text: str, *values: Abstract, of_class: Type | None = None) -> Abstract | None:
    """The value of an expression with an operand that sct does not see into; None for others.

    text      the template, in which `{0}` stands for the first operand
    of_class  the type of the value, if it is that of any operands
    """
    if not any([is_python_object(ev, v) or is_constant_object(v) for v in values]) or any(
            certainly_varied(ev, v) for v in values):
        return None
    operands: list[Operand] = []
    texts = [template_of(ev, v, operands) for v in values]
    if None in texts:
        return None
    text = text.format(*texts)
    if _known_class(ev, text, operands) is None and type_of_expression(text) is None and not ev.is_observed:
        return None
    if of_class is not None:
        return _of_type(ev, text, operands, of_class)
    return evaluated_by_python(ev, text, operands, values)


def item_by_python(ev: Evaluator, owner: Abstract, key: Abstract) -> Abstract | None:
    """`owner[key]` of an owner, or with a part of the key, that sct does not see into; None for others."""
    values, texts = [owner], []
    for at in key.items if isinstance(key, Tup) and not key.fields else (key,):
        x = at.value if isinstance(at, Static) and not isinstance(at.peek, type) else None
        bounds: tuple[Abstract, ...] = (at,)
        if isinstance(x, slice):
            bounds = tuple(map(Static, (x.start, x.stop, x.step)))
        elif isinstance(at, Tup) and at.fields == SLICE:
            bounds = at.items[1:]
        ends = ["" if v == Static(None) and len(bounds) > 1 else f"{{{len(values) + k}}}" for k, v in enumerate(bounds)]
        values += bounds
        texts.append("..." if x is Ellipsis else ":".join(ends[:2] if ends[2:] == [""] else ends))
    comma = "," if isinstance(key, Tup) and not key.fields and len(texts) == 1 else ""
    return by_python(ev, f"{{0}}[{', '.join(texts)}{comma}]", *values)


def written_by_python(ev: Evaluator, text: str, owner: Abstract, *values: Abstract) -> bool:
    """Writes to an object that Python made in this function, if it is one; `text` is a call of its method."""
    if not isinstance(owner, Value) or owner in ev.params or not is_python_object(ev, owner) or not ev.is_observed \
            or _shares_memory(ev, owner):
        return False
    operands: list[Operand] = []
    texts = [template_of(ev, v, operands) for v in (owner, *values)]
    if None in texts or any(certainly_varied(ev, v) for v in values):
        return False
    ev.emit(inactive, *operands, text=text.format(*texts))
    ev.note_change()
    give(ev, values, True)
    return True


def is_python_object(ev: Evaluator, v: Abstract) -> bool:
    """Is this an object that Python itself made, or an argument that is neither a number, an array nor a text?

    So is a tuple or list that holds one.
    """
    if isinstance(v, Tup) or isinstance(v, ListRef) and not is_dynamic(ev, v):
        return any(is_python_object(ev, x) for x in (v.items if isinstance(v, Tup) else ev.slots(v).items))
    if not isinstance(v, Value) or not isinstance(v.type, Opaque):
        return False
    eqn = ev.defs.get(v)
    if eqn is None:
        return not isinstance(ev.leaf_of(v), (str, bytes))
    return eqn.op in (inactive, part, apply, index) or isinstance(v.type, (ActiveText, Text))


def is_changed_in_place(ev: Evaluator, v: Abstract) -> bool:
    """May `v op= ...` change an object that sct does not see into, which other names may hold?"""
    return isinstance(v, Value) and is_python_object(ev, v) and any(
        t[0] == "array" or t[0] == "object" and t[1] not in IMMUTABLE for t in ev.observed(ev.loc))


IMMUTABLE = _HOLD_NOTHING - {collections.Counter, np.random.Generator} | {frozenset}
"""Classes of libraries whose objects do not change."""


def is_callers(ev: Evaluator, v: Abstract) -> bool:
    """Is this an object of the arguments, or from outside, that sct does not see into, or a part or a method of one?"""
    x: Abstract | Operand = v
    read = None
    while isinstance(x, Value) and (eqn := ev.defs.get(x)) is not None and eqn.op in (inactive, part) and \
            (match := re.match(r"_0(\.\w+|\[.*\])$", str(eqn.attrs["text"]))) is not None:
        x, read = eqn.args[0], read or match[1]
    if isinstance(x, Value) and is_python_object(ev, x) and ev.leaf_of(x) is not None:
        return True
    is_method_of_others = read is not None and read[0] == "." and not hasattr(np.ndarray, read[1:])
    return not is_method_of_others and _shares_memory(ev, v)


def _shares_memory(ev: Evaluator, v: Abstract) -> bool:
    """May this be an opaque array from outside, or a view of one?  All is that was computed of one, but copies; and
    what a region in progress is given."""
    defs = definitions(ev)
    todo: list[Abstract | Operand] = [v]
    seen: set[Value] = set()
    while todo:
        x = todo.pop()
        if not isinstance(x, Value) or x in seen or not isinstance(leaf_type(x.type), Opaque):
            continue
        seen.add(x)
        eqn = defs.get(x)
        if eqn is None and (x not in ev.params or is_opaque_array(ev.leaf_of(x))):
            return True
        if eqn is not None and (eqn.regions or eqn.op is call or eqn.op in (inactive, part, apply) and not re.search(
                r"\.(copy|astype)\b", str(eqn.attrs.get("text", "")))):
            todo += [*eqn.args, *(y for region in eqn.regions for y in (*free_values(region), *region.results))]
    return False


PLAIN_CONTAINERS: dict[Any, str] = {
    cls: f"type(_0) is {cls.__name__}" for cls in (list, tuple, dict, str, set, frozenset, range)} | {
    cls: f"type(_0) is collections.{cls.__name__}" for cls in (
        collections.deque, collections.Counter, collections.OrderedDict, collections.defaultdict)} | {
    cls: f"type(_0).__name__ == '{cls.__name__}'" for cls in map(type, ({}.keys(), {}.values(), {}.items()))}
"""Containers of which `list` makes a copy without running code of the user, and how they are checked."""


def is_varied(ev: Evaluator, v: Abstract) -> bool:
    """May a number or an array in `v` depend on what the function is differentiated by?"""
    return _any_number(ev, v, ev.is_varied)


def certainly_varied(ev: Evaluator, v: Abstract) -> bool:
    """Does a number or an array in `v` depend on what the function is differentiated by, as far as is known here?

    For code that is left to Python: differentiation refuses it later, if a number of it turns out to depend on that.
    """
    return _any_number(ev, v, lambda x: ev.is_varied(x, unknown=False))


def leave_to_python(ev: Evaluator, name: str, values: Iterable[Abstract]) -> None:
    """Refuses to see into a call of observed type without differentiated arguments: Python makes it as it is."""
    if ev.is_observed and ev.loc not in ev.functions.plan.seen and not any(
            is_varied(ev, v) for v in values):
        ev.refuse("SCT207", f"`{name}` of constants is left to Python")


def _any_number(ev: Evaluator, v: Abstract, holds: Callable[[Value], bool]) -> bool:
    """Does this hold of a value in `v`, or is there a container whose items are not known one by one?"""
    if isinstance(v, (Tup, RunTimeTuple)):
        return any(_any_number(ev, x, holds) for x in parts(v))
    if isinstance(v, Container):
        cell = ev.store.cells[v.addr]
        return not isinstance(cell, Slots) or any(_any_number(ev, x, holds) for x in cell.items)
    x = ev.contents(v) if isinstance(v, Ref) else v
    return isinstance(x, Value) and holds(x)


def template_of(ev: Evaluator, v: Abstract, operands: list[Operand]) -> str | None:
    """The template of an expression that gives the value of `v`, or None; adds the operands that it reads."""
    if isinstance(v, Tup) and v.cls is tuple:
        items = [template_of(ev, x, operands) for x in v.items]
        return None if None in items else f"({', '.join(map(str, items))}{',' if len(items) == 1 else ''})"
    if isinstance(v, RunTimeTuple) and (items_text := template_of(ev, v.of, operands)) is not None:
        return f"tuple({items_text})"
    if isinstance(v, ListRef) and is_dynamic(ev, v) and ev.slots(v).schema == 0:
        return add_operand(as_column(ev, v), operands)
    if isinstance(v, ListRef) and not is_dynamic(ev, v):
        items = [template_of(ev, x, operands) for x in ev.slots(v).items]
        return None if None in items else f"[{', '.join(map(str, items))}]"
    if isinstance(v, DictRef) and not isinstance(v, DefaultRef) and all(map(_is_display, ev.slots(v).keys)):
        cell = ev.slots(v)
        items = [template_of(ev, x, operands) for x in cell.items]
        entries = (f"{key!r}: {x}" for key, x in zip(cell.keys, items))
        return None if None in items else f"{{{', '.join(entries)}}}"
    if isinstance(v, Iteration) and v.kind == "range":
        bounds = [template_of(ev, p, operands) for p in v.parts]
        return None if None in bounds else f"range({', '.join(map(str, bounds))})"
    if isinstance(v, Value) and isinstance(v.type, Opaque):
        use_callable(ev, ev.leaf_of(v))
    if is_literal(v) or isinstance(v, (Value, Ref)):
        return add_operand(ev.operand(v), operands)
    if isinstance(v, Static) and v.path is None and _is_display(v.value):
        return repr(v.value)
    if isinstance(v, Static):
        return harmless_name(v.peek) or (add_operand(opaque(ev, v), operands) if may_be_opaque(v) else None)
    return None


def _is_display(x: Any) -> bool:
    """Is this a constant, or a list, tuple or dict of constants, which its text gives again?"""
    if type(x) is dict:
        return all(map(_is_display, (*x, *x.values())))
    if type(x) in (list, tuple):
        return all(map(_is_display, x))
    return type(x) in PLAIN and (type(x) not in (float, complex) or cmath.isfinite(x))


_HARMLESS = frozenset((
    "bisect", "calendar", "cmath", "collections", "csv", "datetime", "decimal", "fractions", "io", "json", "math",
    "numpy", "pandas", "random", "re", "scipy", "statistics", "string", "textwrap", "unicodedata", "zoneinfo"))
"""Modules whose functions and classes leave their arguments as they are, but for `WRITERS`."""


@functools.lru_cache(maxsize=1024)
def _public_name(f: Any) -> str | None:
    """`statistics.mean`: the shortest dotted name of a function or class of a library, or of a method of its class."""
    if isinstance(f, types.BuiltinMethodType) and isinstance(f.__self__, type):
        owner = _public_name(f.__self__)
        return None if owner is None else f"{owner}.{f.__name__}"
    name, module = getattr(f, "__name__", None), getattr(f, "__module__", None)
    if not isinstance(module, str):  # a ufunc or a function of Fortran does not say where it is
        return next((f"{m}.{key}" for m in sorted(sys.modules) if is_harmless_module(m) and "._" not in m
                     for key, x in list(vars(sys.modules[m]).items()) if x is f and key[0] != "_"), None)
    if not isinstance(name, str):
        return None
    parts = module.lstrip("_").split(".")
    for n in range(1, len(parts) + 1):
        home = sys.modules.get(".".join(parts[:n]))
        if getattr(home, name, None) is f:
            return ".".join((*parts[:n], name))
    return None


_PURE_BUILTINS = frozenset((
    abs, all, any, bool, dict, divmod, enumerate, float, frozenset, getattr, hasattr, int, isinstance, len, list, max,
    min, repr, reversed, round, set, sorted, str, sum, tuple, type, zip))


def pure_builtin(f: Any) -> str | None:
    """The name of a builtin that leaves its arguments as they are."""
    try:
        return f.__name__ if f in _PURE_BUILTINS else None
    except TypeError:  # it cannot be hashed
        return None


def is_harmless_module(name: str) -> bool:
    return name.split(".")[0] in _HARMLESS


def harmless_name(f: Any) -> str | None:
    """The name of a function or class of a library that leaves its arguments and the world outside as they are."""
    if not callable(f) or getattr(f, "__name__", "") in WRITERS:
        return None
    try:
        name = _public_name(f)
    except TypeError:  # it cannot be hashed
        return None
    return name if name is not None and is_harmless_module(name) else None


def typed(ev: Evaluator, text: str, operands: Sequence[Operand], types: frozenset[Observed], name: str,
           op: Op = inactive, fresh: bool = False) -> Abstract:
    """The value of an expression, which is of one of these types.  Numbers, arrays and tuples are checked.

    name   what messages call it
    fresh  is it held by nothing else?
    """
    if ev.is_discarded:
        return ev.emit(op, *operands, text=text)  # type: ignore[no-any-return]
    if not types:
        ev.emit(op, *operands, text=text)  # it may raise
        with ev.tries.none():  # sct raises it, not the function
            lacks = "is not known" if ev.is_observed else NOT_SHOWN
            raise_at_run_time(ev, "TypeError", f"the type of {name} {lacks}{OBSERVED_BEFORE}")
    kinds = {t[0] for t in types}
    if kinds == {"tuple"} and len({len(t[1]) for t in types}) == 1:
        n = len(next(iter(types))[1])
        value = ev.emit(op, *operands, text=text)
        check_value(ev, value, f"type(_0) is tuple and len(_0) == {n}", f"{name} must be a tuple of {n}")
        return Tup(tuple(typed(ev, f"_0[{k}]", (value,), frozenset(t[1][k] for t in types), name, part,
                               fresh) for k in range(n)))
    if types == {("object", str)}:
        shown = ActiveText() if any(shows_number(x.type) for x in operands) else Text()
        return ev.emit(op, *operands, text=text, type=shown)  # type: ignore[no-any-return]
    numeric = numeric_type(types - {_NONE})
    if numeric is None:
        value = ev.emit(op, *operands, text=text)
        if types != {_NONE}:
            return value  # type: ignore[no-any-return]
        check_value(ev, value, "_0 is None", f"{name} must be None")
        return Static(None)
    t, check, words = numeric
    if _NONE in types:
        t, check, words = Optional(t), f"_0 is None or {check}", f"None or {words}"
    value = ev.emit(op, *operands, text=text, type=t)
    check_value(ev, value, check, f"{name} must be {words}")
    return ev.wrap(value) if fresh else held_by_python(ev, ev.wrap(value))


_NONE = ("object", type(None))


def check_value(ev: Evaluator, value: Value, check: str | Value, message: str) -> None:
    """Raises TypeError at run time if the value is of another type than the one observed: if `check`, a test or its
    text, does not hold."""
    ok = ev.emit(part, value, text=check, type=BOOL) if isinstance(check, str) else check
    with ev.tries.none():
        run_branches(ev, ok, lambda: None, lambda: raise_at_run_time(ev, "TypeError", message + OBSERVED_BEFORE),
                     ev.live_in_statement)
