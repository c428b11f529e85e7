"""Functions in lists whose length is known only at run time: what differs from one to the other has a column.

    terms.append(lambda z, a=a: a * z)      ->    the text of the lambda, and a column of its defaults
    terms.append(scaled(a))                 ->    ... and of the variables of the call that made it and has returned
    steps.append(partial(advance, h))       ->    the function, and a column of the arguments
"""

from __future__ import annotations

import functools
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import gast

from sct.frontend.source.name_scopes import declared, free_names, yields
from sct.frontend.state.parts import Frame
from sct.frontend.values.abstract_values import Abstract, Bound, Closure, Key, MapRef, Slots, Static, Tup
from sct.frontend.values.item_schemas import FunctionForm
from sct.frontend.values.schemas import ObjectSchema

if TYPE_CHECKING:
    from sct.frontend.evaluator.evaluator import Evaluator

__all__ = ["form_and_parts", "function_of", "record_of"]


@dataclass(frozen=True)
class _ClosureForm(FunctionForm):
    """What `def` or `lambda` functions in a list have in common.

    calls     the calls in progress, around all loops, whose variables they read
    names     variables of other calls, which do not change any more: each function has its own
    required  which keyword-only parameters have no default; `defaults`: how many other parameters have one
    made_in   the call that made one of them
    """

    node: Any
    calls: frozenset[int]
    names: tuple[str, ...]
    defaults: int
    required: tuple[bool, ...]
    attributes: tuple[tuple[str, Any], ...]
    made_in: Frame = field(compare=False)


@dataclass(frozen=True)
class _PartialForm(FunctionForm):
    """What partials, or bound methods, in a list have in common: the function is the first part, the values of
    `keywords` the last."""

    keywords: tuple[str, ...]
    method: bool


def form_and_parts(ev: Evaluator, v: Abstract) -> tuple[FunctionForm, tuple[Abstract, ...]] | None:
    """What functions like this one have in common, and the parts of this one; None of what is no such function."""
    if isinstance(v, Bound):
        form: FunctionForm = _PartialForm(tuple(name for name, _ in v.kwargs), v.method)
        return form, (v.fn, *v.args, *(x for _, x in v.kwargs), Static(0))
    if not isinstance(v, Closure):
        return None
    made_in = ev.all_frames[v.frame]
    in_progress = [frame.id for frame in ev.frames]
    around = in_progress[:in_progress.index(ev.loops.heads[0].frame.id) + 1] if ev.loops.heads else in_progress
    calls, names = set[int](), dict[str, Abstract]()
    for name in sorted(free_names(v.node)):
        home = made_in.home(name)
        if home is None:
            continue
        if not _is_call(home) or _is_of_comprehension(home.source.node, v.node, name):
            return None
        if home.id in around:
            calls.add(home.id)
            continue
        value, node = ev.store.vars.get(Key(home.id, name)), home.source.node
        if value is None or name in _rebound(node) or home.id in in_progress and not _bound_once(node, name):
            return None
        names[name] = value
    required = tuple(x is None for x in v.kw_defaults)
    form = _ClosureForm(v.node, frozenset(calls), (*names,), len(v.defaults), required, v.attributes, made_in)
    values = (*v.defaults, *(x for x in v.kw_defaults if x is not None), *names.values())
    return form, values or (Static(0),)


def function_of(ev: Evaluator, form: FunctionForm, parts: tuple[Abstract, ...]) -> Abstract:
    """The function of this form with these parts."""
    if isinstance(form, _PartialForm):
        fn, *args = parts[:-1]
        split = len(args) - len(form.keywords)
        return Bound(fn, tuple(args[:split]), tuple(zip(form.keywords, args[split:])), form.method)
    assert isinstance(form, _ClosureForm)
    if not form.calls <= {frame.id for frame in ev.frames}:
        ev.refuse("SCT310", "a function is taken out of a list, and reads variables of a call that has returned",
                  why="other functions in the list may be of other such calls",
                  hint="pass what it reads by defaults: `lambda z, a=a: a * z`")
    rest = iter(parts[form.defaults:])
    kw_defaults = tuple(None if lacks else next(rest) for lacks in form.required)
    frame = replace(form.made_in, id=ev.addresses.new_frame(), locals=form.made_in.locals | {*form.names})
    ev.all_frames[frame.id] = frame
    for name in form.names:
        ev.store.vars[Key(frame.id, name)] = next(rest)
    in_progress = not form.names and any(f.id == form.made_in.id for f in ev.frames)
    return Closure(form.node, form.made_in.id if in_progress else frame.id, parts[:form.defaults], kw_defaults,
                   form.attributes)


def _is_call(frame: Frame) -> bool:
    """Is this the call of a function that runs to its end at once: no comprehension, and no generator?"""
    of_comprehension = frame.parent is not None and frame.parent.source is frame.source
    return not (of_comprehension or yields(frame.source.node))


_COMPREHENSIONS = (gast.ListComp, gast.SetComp, gast.DictComp, gast.GeneratorExp)


@functools.lru_cache(maxsize=4096)
def _is_of_comprehension(node: Any, function: Any, name: str) -> bool:
    """Is what a function in this one reads by this name a variable of a comprehension around it?"""
    around = (n for n in gast.walk(node) if isinstance(n, _COMPREHENSIONS) and any(
        inner is function for inner in gast.walk(n)))
    targets = (n for comprehension in around for g in comprehension.generators for n in gast.walk(g.target))
    return any(isinstance(n, gast.Name) and n.id == name for n in targets)


@functools.lru_cache(maxsize=4096)
def _rebound(node: Any) -> frozenset[str]:
    """The names that functions in this one declare `nonlocal`."""
    nested = [n for n in gast.walk(node) if isinstance(n, (gast.FunctionDef, gast.Lambda))]
    return frozenset().union(*(declared(n)[1] for n in nested))


@functools.lru_cache(maxsize=4096)
def _bound_once(node: Any, name: str) -> bool:
    """Does a variable of this function keep its value: is it bound at one place, and in no loop?"""
    places = [n for n in gast.walk(node) if n is not node and (
        isinstance(n, gast.Name) and n.id == name and not isinstance(n.ctx, gast.Load)
        or isinstance(n, gast.FunctionDef) and n.name == name)]
    loops = [n for n in gast.walk(node) if isinstance(n, (gast.For, gast.While))]
    return len(places) == 1 and not any(places[0] is n for around in loops for n in gast.walk(around))


def record_of(ev: Evaluator, cell: Slots, schema: ObjectSchema, parts: tuple[Abstract, ...]) -> Abstract:
    """An object, a dict or a function that is an item of the list `cell`, of its parts."""
    if isinstance(schema.cls, MapRef):
        addr = ev.new_addr()
        keys, origin = ("places", *schema.keys[1:]), schema.keys[0].site
        ev.store.cells[addr] = Slots(parts, keys, cell.origin, site=origin)
        return replace(schema.cls, addr=addr)
    if isinstance(schema.cls, FunctionForm):
        return function_of(ev, schema.cls, parts)
    if issubclass(schema.cls, tuple):
        return Tup(parts, schema.keys, schema.cls)
    held = dict(zip(schema.keys, parts))
    record = ev.new_dict(held) if schema.cls is dict else ev.new_object(schema.cls, held)
    ev.store.hold(record.addr)
    return record
