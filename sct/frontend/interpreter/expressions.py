"""Expressions: constants, names, displays, lambdas, f-strings."""

from __future__ import annotations

import enum
import functools
import sys
import types
from collections.abc import Callable, Sequence
from typing import Any

import gast
import numpy as np

from sct.errors import SctError, unbound_error
from sct.frontend.arguments.lift import free_variable
from sct.frontend.evaluator.evaluator import Evaluator
from sct.frontend.evaluator.exceptions import raise_at_run_time, run_or_raise
from sct.frontend.evaluator.handlers import expression
from sct.frontend.evaluator.lookup_guards import MISSING, of_builtins
from sct.frontend.heap import run_time_dicts
from sct.frontend.heap.array_keys import is_slice, present_object
from sct.frontend.heap.sample_calls import hashed
from sct.frontend.heap.special_methods import checked
from sct.frontend.heap.subscripts import item
from sct.frontend.interpreter.assignment import assign, named_by_key
from sct.frontend.iteration.iteration_space import items_of
from sct.frontend.iteration.run_time_sets import new_set
from sct.frontend.objects import row_attributes
from sct.frontend.objects.container_objects import contents_of_dict
from sct.frontend.objects.linked_objects import is_row_display
from sct.frontend.objects.objects import is_object, special_call, special_method
from sct.frontend.operators.choices import for_each, is_one_of_several, parts_of_kinds
from sct.frontend.operators.row_items import for_each_owner, item_of
from sct.frontend.operators.text_formatting import fstring_of, shown
from sct.frontend.operators.truth import boolean, condition, either_expression
from sct.frontend.values.abstract_values import (
    DELETED,
    PLAIN,
    Abstract,
    Choice,
    Closure,
    Container,
    DefaultRef,
    DictRef,
    Key,
    ListRef,
    Method,
    Poison,
    Ref,
    RunTimeTuple,
    Static,
    Tup,
    is_literal,
)
from sct.frontend.values.guarded_numbers import is_asked
from sct.frontend.values.guards import NeedsStatic
from sct.ir import Lit, Operand, Value
from sct.ir.types import ActiveText, Text
from sct.ops.program.effects import formats, python, samples_of

__all__ = ["closure", "formatted", "lookup", "name"]


@expression(gast.Constant)
def constant(ev: Evaluator, node: Any) -> Abstract:
    return Static(node.value)


# -- names ------------------------------------------------------------------------------------


@expression(gast.Name)
def name(ev: Evaluator, node: Any) -> Abstract:
    free = is_of_outer_call(ev, node.id) or node in _names_in_comprehensions(ev.frames[-1].source.node)
    v = lookup(ev, node.id, free=free)
    if isinstance(v, Poison):
        ev.refuse("SCT502", f"`{node.id}` cannot be used here", why=v.reason,
                  hint="give it the same type on every path")
    return ev.bound(v, free=free)


def is_of_outer_call(ev: Evaluator, name: str) -> bool:
    """Is this a variable of a function around the one that is evaluated?"""
    return ev.frames[-1].home(name) not in (None, ev.frames[-1])


@functools.lru_cache(maxsize=4096)
def _names_in_comprehensions(function: Any) -> frozenset[Any]:
    """The names that are read in comprehensions of a function, which are functions themselves before Python 3.12."""
    if sys.version_info >= (3, 12):
        return frozenset()
    inside: set[Any] = set()
    for comprehension in gast.walk(function):
        if isinstance(comprehension, (gast.ListComp, gast.SetComp, gast.DictComp)):
            first = set(gast.walk(comprehension.generators[0].iter))
            inside.update(n for n in gast.walk(comprehension) if isinstance(n, gast.Name) and n not in first)
    return frozenset(inside)


def lookup(ev: Evaluator, name: str, *, free: bool = False) -> Abstract:
    """The value of a name: local, enclosing, global or builtin; `free`: it is read in a function inside its own."""
    frame = ev.frames[-1]
    home = frame.home(name)
    if home is not None:
        key = Key(home.id, name)
        if key in ev.store.vars and ev.store.vars[key] != DELETED:
            return ev.variable(key, free=free or home is not frame)
        return raise_at_run_time(ev, *unbound_error(name, free=free or home is not frame))
    if name in frame.cells and not frame.is_global(name):
        cells: Any = frame.cells
        if cells[name] == types.CellType():  # it may be filled in the next call
            f = cells.function
            at = (*ev.anchor(f), ("attr", "__closure__"), ("item", f.__code__.co_freevars.index(name)))
            ev.outside.note(at, "empty", types.CellType())
            return raise_at_run_time(ev, *unbound_error(name, free=True))
        return free_variable(ev, frame.cells, name)
    if name in frame.globals:
        return free_variable(ev, frame.globals, name)
    builtin = of_builtins(ev, frame.function, name)
    if builtin is MISSING:
        raise_at_run_time(ev, "NameError", f"name '{name}' is not defined")
    return Static(builtin)


@expression(gast.NamedExpr)
def walrus(ev: Evaluator, node: Any) -> Abstract:
    v = ev.eval(node.value)
    assign(ev, node.target, v)
    return v


# -- subscripts ---------------------------------------------------------------------------------------


@expression(gast.Subscript)
def subscript(ev: Evaluator, node: Any) -> Abstract:
    """`owner[key]`; of a list or a tuple, `owner[i if c else j]` is `owner[i] if c else owner[j]`."""
    owner, key = ev.eval(node.value), node.slice
    t = condition(ev, key.test) if isinstance(key, gast.IfExp) and isinstance(owner, (ListRef, Tup)) else None
    if t is None:
        at = ev.eval(key)
        if is_row_display(owner):
            return for_each(ev, at, lambda k: for_each_owner(ev, owner, k, lambda of, k: item_of(ev, of, k)))
        return items_of_kinds(ev, owner, at)
    if isinstance(t, Lit):
        return item(ev, owner, ev.eval(key.body if t.value else key.orelse))
    return either_expression(ev, t, lambda: item(ev, owner, ev.eval(key.body)),
                             lambda: item(ev, owner, ev.eval(key.orelse)))


def items_of_kinds(ev: Evaluator, owner: Abstract, at: Abstract) -> Abstract:
    """`owner[at]`, where each may be one of several."""
    def read(of: Abstract) -> Abstract:
        return items_of_kinds(ev, of, at) if isinstance(of, Choice) else for_each(ev, at, lambda k: item(ev, of, k))

    return parts_of_kinds(ev, owner, lambda of: known_item(ev, of, at), read)


def known_item(ev: Evaluator, of: Abstract, at: Abstract) -> Abstract | None:
    """An item that is there, at a known place in a tuple or a dict, or a slice of an array; None of others."""
    if isinstance(of, Ref) and _has_no_step(at):
        return item(ev, of, at)
    if not isinstance(at, Static):
        return None
    if isinstance(of, Tup) and of.cls is tuple and type(at.peek) is int and -len(of.items) <= at.peek < len(of.items):
        return of.items[at.peek]
    if isinstance(of, DictRef) and not isinstance(of, DefaultRef) and type(at.peek) in PLAIN:
        cell = ev.slots(of)
        return cell.items[cell.keys.index(at.peek)] if at.peek in cell.keys and not cell.unset else None
    return None


def _has_no_step(at: Abstract) -> bool:
    """Is this a slice without a step?"""
    if isinstance(at, Static):
        return isinstance(at.peek, slice) and at.peek.step is None
    return isinstance(at, Tup) and is_slice(at) and at.items[-1] == Static(None)


# -- displays -----------------------------------------------------------------------------------------


def display(ev: Evaluator, nodes: list[Any]) -> tuple[Abstract, ...]:
    items: list[Abstract] = []
    for n in nodes:
        if isinstance(n, gast.Starred):
            items += map(ev.temporaries.hold, items_of(ev, ev.eval(n.value), lambda x: [*x]))
        else:
            items.append(ev.eval(n))
    return tuple(items)


@expression(gast.Tuple)
def tuple_(ev: Evaluator, node: Any) -> Abstract:
    if not any(isinstance(n, gast.Starred) for n in node.elts):
        return row_attributes.of_tuple(ev, display(ev, node.elts))
    snapshot = ev.snapshot()
    try:
        return row_attributes.of_tuple(ev, display(ev, node.elts))
    except NeedsStatic:
        ev.restore(snapshot)
        return ev.call(Static(tuple), [_extended(ev, node.elts)])


@expression(gast.List)
def list_(ev: Evaluator, node: Any) -> Abstract:
    if any(isinstance(n, gast.Starred) for n in node.elts):
        snapshot = ev.snapshot()
        try:
            return _extended(ev, node.elts)
        except (NeedsStatic, SctError):
            ev.restore(snapshot)  # the items are known one by one, of several types maybe
    return ev.new_list(display(ev, node.elts))


def _extended(ev: Evaluator, nodes: list[Any]) -> Abstract:
    """A list display with stars: what follows a star may have any number of items."""
    xs: Abstract | None = None
    for n in nodes:
        starred = isinstance(n, gast.Starred)
        v = ev.eval(n.value if starred else n)
        if starred and not isinstance(v, (Tup, ListRef)):
            v = _listed(ev, v)
        if xs is None:
            xs = ev.temporaries.hold(ev.call(Static(list), [v]) if starred else ev.new_list((v,)))
        else:
            ev.call(Method(xs, "extend" if starred else "append"), [v])
    assert xs is not None
    return xs


def _listed(ev: Evaluator, v: Abstract) -> Abstract:
    """The items behind a star: those that are known, or a list that a loop fills."""
    snapshot = ev.snapshot()
    try:
        return Tup(items_of(ev, v, lambda x: [*x]))
    except NeedsStatic:
        ev.restore(snapshot)
        return ev.call(Static(list), [v])


@expression(gast.Dict)
def dict_(ev: Evaluator, node: Any) -> Abstract:
    use, plan = (ev.loc, run_time_dicts.VALUES), ev.functions.plan
    if use in plan.dicts and not all(isinstance(k, gast.Constant) for k in node.keys):
        return _filled(ev, node)
    entries: dict[Any, Abstract] = {}
    for k, v in zip(node.keys, node.values):
        if k is None:
            other = row_attributes.as_it_is_now(ev, present_object(ev, ev.eval(v), lambda none: {**none}))  # type: ignore
            other = contents_of_dict(ev, other)
            if is_row_display(other):
                assert isinstance(other, Value)
                ev.operand(other)  # refuses a dict of several classes
            if not isinstance(other, DictRef):
                plan.refused.add(use)
                ev.refuse("SCT503", "only dicts of known keys may follow `**`", node=v)
            cell = ev.store.slots(other)
            entries.update(zip(cell.keys, cell.items))
        else:
            try:
                key = hashed(ev, ev.eval(k))
            except (NeedsStatic, SctError):
                plan.refused.add(use)
                raise
            entries[key] = named_by_key(ev, ev.eval(v), Static(key))
    row = row_attributes.of_dict(ev, entries)
    return run_time_dicts.called(ev, ev.new_dict(entries)) if row is None else row


def _filled(ev: Evaluator, node: Any) -> Abstract:
    """A dict display with keys that are known only at run time."""
    filled = run_time_dicts.new(ev, ev.loc)
    for k, v in zip(node.keys, node.values):
        if k is None:
            run_time_dicts.update(ev, filled, contents_of_dict(ev, ev.eval(v)))
        else:
            key = ev.eval(k)
            run_time_dicts.assign(ev, filled, key, ev.eval(v))
    return filled


@expression(gast.Set)
def set_(ev: Evaluator, node: Any) -> Abstract:
    return new_set(ev, display(ev, node.elts))


@expression(gast.Lambda)
def lambda_(ev: Evaluator, node: Any) -> Abstract:
    return closure(ev, node)


def closure(ev: Evaluator, node: Any) -> Closure:
    """A `def` or `lambda` as a value; its defaults are evaluated now."""
    defaults = tuple(map(ev.eval, node.args.defaults))
    kw = tuple(None if d is None else ev.eval(d) for d in node.args.kw_defaults)
    return Closure(node, ev.frames[-1].id, defaults, kw)


def _formatted(value: Any, conversion: str, spec: str) -> str:
    convert: Any = {"r": repr, "s": str, "a": ascii}.get(conversion)
    return format(value if convert is None else convert(value), spec)


@expression(gast.JoinedStr)
def fstring_(ev: Evaluator, node: Any) -> Abstract:
    if len(node.values) != 1:
        return formatted(ev, node.values, functools.partial(_piece, ev))
    only = _piece(ev, node.values[0])
    is_text = isinstance(only, tuple) and isinstance(only[0], Value) and isinstance(only[0].type, (ActiveText, Text))
    return only[0] if is_text and only[1:] == ("", Static("")) else formatted(ev, [only], lambda x: x)  # type: ignore


Piece = tuple[Abstract, str, Abstract]


def _piece(ev: Evaluator, node: Any) -> str | Piece:
    """A literal part of an f-string, or a value with its conversion and its format."""
    if isinstance(node, gast.Constant):
        return str(node.value)
    v = ev.eval(node.value)
    spec = Static("") if node.format_spec is None else ev.eval(node.format_spec)
    conversion = chr(node.conversion) if node.conversion and node.conversion > 0 else ""
    if is_one_of_several(v):
        return for_each(ev, v, lambda m: formatted(ev, [m], lambda x: (x, conversion, spec))), "", Static("")
    return v, conversion, spec


def formatted(ev: Evaluator, nodes: Sequence[Any], piece: Callable[[Any], str | Piece]) -> Abstract:
    """The text of an f-string: each piece is made before the next one is looked at."""
    parts: list[Any] = []
    args: list[Operand] = []
    for node in nodes:
        p = piece(node)
        if isinstance(p, str):
            parts.append(p)
            continue
        v, conversion, text = p
        if not isinstance(text, Static):
            ev.refuse("SCT104", "a format known only at run time is not supported")
        spec = text.value
        own = special_call(ev, v, "__format__", Static(spec)) if not conversion else None
        if own is not None:
            v, conversion, spec = checked(ev, own, "format"), "", ""
        elif isinstance(v, (Tup, RunTimeTuple, Container)) or is_object(v) or \
                isinstance(v, Static) and is_asked(v.peek) or special_method(
                    ev, v, "__repr__" if conversion in ("r", "a") else "__str__") is not None:
            if spec and not conversion:
                ev.refuse("SCT503", "the format of this object is not supported", hint="format its parts")
            v, conversion = boolean(shown(ev, v, ("repr",) if conversion in ("r", "a") else ("str", "repr"))), ""
        if isinstance(v, Static) and (is_literal(v) and not args or isinstance(v.value, (enum.Enum, type, np.dtype))):
            parts.append(run_or_raise(ev, functools.partial(_formatted, v.value, conversion, spec)))
            continue
        x = ev.operand(v)
        if not conversion and not formats(x, spec):
            if len(samples := samples_of(x.type)) == 1:
                run_or_raise(ev, functools.partial(format, samples[0], spec))
            if node is not nodes[-1]:
                x, spec = ev.emit(python, x, Lit(spec), callee="format"), ""  # before what comes next
        parts.append((conversion, spec))
        args.append(x)
    return fstring_of(ev, parts, args)
