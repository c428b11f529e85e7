"""Calls of user functions: binds the parameters as Python does, and evaluates the body in a frame of its own."""

from __future__ import annotations

import functools
import types
from collections.abc import Container as Container_
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import gast

from sct.errors import SctError
from sct.frontend.arguments.lift import lift, rooted
from sct.frontend.arguments.parameter_defaults import Default, guarded_defaults
from sct.frontend.calls.captured_variables import Outer, captured
from sct.frontend.calls.flattened_arguments import same_kind
from sct.frontend.calls.function_specialization import call_outlined
from sct.frontend.calls.opaque_calls import opaque_call
from sct.frontend.calls.outlining import evaluated_in_line, is_outlined, site_of
from sct.frontend.evaluator.evaluator import Evaluator
from sct.frontend.evaluator.exceptions import bind_or_raise
from sct.frontend.evaluator.handlers import Args, Kwargs
from sct.frontend.heap.dynamic_list_methods import joined_tuples
from sct.frontend.heap.inactive import is_varied
from sct.frontend.interpreter.function_body import inline
from sct.frontend.loops.collected_generators import Collector, collecting
from sct.frontend.loops.generator_functions import new_generator
from sct.frontend.objects.bound_object import begin_private_copy, private_variables
from sct.frontend.objects.linked_objects import begin_columns, column_variables
from sct.frontend.source.name_liveness import Liveness
from sct.frontend.source.name_scopes import (
    TRIES,
    declared,
    local_names,
    nodes_in,
    positional_parameters,
    read_often,
    yields,
)
from sct.frontend.source.parse import SourceFunction, loc_of, source_of
from sct.frontend.state.parts import Frame
from sct.frontend.values.abstract_values import Abstract, Key, Path, RunTimeTuple, StarredItems, Static, Tup
from sct.frontend.values.guards import NeedsStatic
from sct.ir import Value

__all__ = ["call_function", "call_partial", "call_source", "call_user"]


def call_user(ev: Evaluator, fn: Static, f: types.FunctionType, args: Args, kwargs: Kwargs) -> Abstract:
    """A call of a user's function.

    A function with an unsupported construct is called as it is, if no argument depends on a differentiated input.
    """
    refused = ev.functions.plan.opaque.get(f)
    passed = (*args, *kwargs.values())
    if refused is None:
        try:
            return call_function(ev, f, args, kwargs)
        except SctError as error:
            if error.code != "SCT101" and not (
                    _has_try(f.__code__) and not any(is_varied(ev, v) for v in passed)):
                raise
            raise ev.functions.plan.changed(opaque={f: error}) from error
    if any(is_varied(ev, v) or isinstance(v, StarredItems) for v in passed):
        raise refused
    return opaque_call(ev, fn if fn.path is not None else Static(f, (f,)), args, kwargs)


@functools.lru_cache(maxsize=4096)
def _has_try(code: types.CodeType) -> bool:
    """Has the function a `try` or a `with`?  What such a function does with data is often no arithmetic."""
    return any(isinstance(n, (*TRIES, gast.With)) for n in nodes_in(source_of(code).node))


def call_function(ev: Evaluator, f: types.FunctionType, args: Args, kwargs: Kwargs) -> Abstract:
    """Evaluates a call of a Python function whose source is available."""
    cells = dict(zip(f.__code__.co_freevars, f.__closure__ or ()))
    defaults = guarded_defaults(ev, f)
    source = replace(source_of(f.__code__), qualname=f.__qualname__)
    kw = tuple(defaults.get(a.id) for a in source.node.args.kwonlyargs)
    positional = tuple(defaults.values())[:len(f.__defaults__ or ())]
    return call_source(ev, source, args, kwargs, (_Globals(f), _Cells(f, cells), f), positional, kw, None)


class _Globals(dict):  # type: ignore[type-arg]
    """The current globals of `function`."""

    is_cells = False

    def __init__(self, function: Any) -> None:
        super().__init__()
        self.function = function

    def __contains__(self, name: object) -> bool:
        return name in self.function.__globals__

    def __getitem__(self, name: str) -> Any:
        return self.function.__globals__[name]


class _Cells(dict):  # type: ignore[type-arg]
    """The closure cells of `function`."""

    is_cells = True

    def __init__(self, function: Any, cells: Mapping[str, Any]) -> None:
        super().__init__(cells)
        self.function = function


_liveness = functools.lru_cache(maxsize=4096)(Liveness)


def call_source(ev: Evaluator, source: SourceFunction, args: Args, kwargs: Kwargs, of: tuple[Any, Any, Any],
                defaults: tuple[Any, ...], kw_defaults: tuple[Any, ...], parent: Frame | None) -> Abstract:
    """Evaluates a call in a new frame; `of`: the globals, the cells, and the function that they belong to."""
    node = source.node
    if isinstance(node, gast.AsyncFunctionDef):
        raise SctError("SCT101", "`async def` is not supported", hint="write a plain function",
                       loc=loc_of(node, source.file))
    if not ev.frames:
        begin_private_copy(ev)
        arguments = begin_columns(ev, [*args, *kwargs.values()])
        args, kwargs = arguments[:len(args)], dict(zip(kwargs, arguments[len(args):]))
    frame = Frame(ev.addresses.new_frame(), source, *of, _liveness(node), set(local_names(node)), parent,
                  declared(node)[0])
    return _call_bound(ev, frame, bind(ev, source, args, kwargs, defaults, kw_defaults))


def _call_bound(ev: Evaluator, frame: Frame, named: Mapping[str, Abstract]) -> Abstract:
    """Evaluates a call whose parameters are bound to these values."""
    node, parent = frame.source.node, frame.parent
    bound = {Key(frame.id, name): v for name, v in named.items()}
    if yields(node):
        ev.store.vars.update(bound)
        frame = replace(frame, arguments=named)
        if frame.code in ev.functions.plan.collected:
            frame = replace(frame, collector=_collector(ev, frame, [*bound]))
        return new_generator(ev, frame)
    recomputed = ev.functions.recompute(False)
    if recomputed or frame.code in ev.functions.plan.recursive:
        outer = captured(ev, frame, bound.values())
        outer.keys.update(dict.fromkeys(private_variables(ev), True))
        if outer.unbound:
            ev.refuse("SCT204", f"a function that calls itself binds `{outer.unbound[0]}` of a function around it, "
                      "which has no value yet", hint=f"bind `{outer.unbound[0]}` before the call")
        variables = {**bound, **{key: ev.store.vars[key] for key in outer.keys}, **column_variables(ev)}

        def evaluate_outlined() -> Abstract:
            return _with_outer(ev, inline(ev, replace(frame)), outer)

        result = call_outlined(ev, frame, variables, evaluate_outlined, outer, recomputed=recomputed)
        return _rebound(ev, result, outer)
    _no_endless_recursion(ev, frame, named)
    frame = replace(frame, arguments=named)
    site = site_of(ev, frame, bound) if parent is None and not ev.functions.plan.written else None
    if ev.tries.slot is not None:
        ev.functions.plan.single.add(site)  # its body may be left where it raises
    if is_outlined(ev, site):

        def evaluated() -> Abstract:
            own = {name: ev.store.vars[Key(frame.id, name)] for name in named}  # in the heap of the function
            return inline(ev, replace(frame, arguments=own))

        try:
            return call_outlined(ev, frame, {**bound, **column_variables(ev)}, evaluated, Outer(), site)
        except (SctError, NeedsStatic):
            ev.functions.plan.single.add(site)  # in line it may be known what it needs to know
        except RecursionError:  # in line it may be known where it ends
            ev.functions.plan.single.update(each for each in ev.functions.plan.repeated if each[0] == frame.code)
    for name, v in named.items():
        if name in read_often(node) or not _is_read(ev, v):  # an element that is read once is printed where it is read
            ev.give_name(v, name)
    ev.store.vars.update(bound)
    with evaluated_in_line(ev, site):
        try:
            return inline(ev, frame)
        except RecursionError:
            _outline_recursion(ev, frame)
            raise


def _collector(ev: Evaluator, frame: Frame, parameters: Sequence[Key]) -> Collector:
    """How the items of the generator that this call makes are put into a list."""
    node = collecting(frame.source.node)
    items_name = positional_parameters(node)[-1]

    def into(items: Abstract) -> None:
        own = replace(frame, id=ev.addresses.new_frame(), source=replace(frame.source, node=node),
                      live=_liveness(node), locals={*local_names(node)}, arguments={})
        _call_bound(ev, own, {**{key.name: ev.store.vars[key] for key in parameters}, items_name: items})

    def reads() -> list[Key]:
        outer = captured(ev, frame, [ev.store.vars[key] for key in parameters])
        return [*parameters, *outer.keys, *private_variables(ev), *column_variables(ev)]

    return Collector(into, reads)


def _is_read(ev: Evaluator, v: Abstract) -> bool:
    """Is this an element of an array, or another value that takes no arithmetic?"""
    eqn = ev.defs.get(v) if isinstance(v, Value) else None
    return eqn is not None and eqn.op.cost in ("free", "read")


DEEPEST = 40
"""The deepest recursion that is evaluated in line: each call has arguments of a new kind."""


def _no_endless_recursion(ev: Evaluator, frame: Frame, arguments: Mapping[str, Abstract]) -> None:
    """Outlines a function that calls itself with arguments of the same kind.

    One that traverses a container has arguments of a new kind in each call, and ends with the container.
    """
    around = ev.frames[ev.enclosing.callers:]
    if any(f.code == frame.code and same_kind(ev, (f, f.arguments), (frame, arguments)) for f in around):
        raise ev.functions.plan.changed(recursive={frame.code})
    if sum(f.source.node is frame.source.node for f in ev.frames) > DEEPEST:
        _outline_recursion(ev, frame)
        ev.refuse("SCT204", f"calls of `{frame.source.name}` are nested more than {DEEPEST} deep, each another "
                  "function or one with new kinds of arguments", hint="write it as a loop")


def _outline_recursion(ev: Evaluator, frame: Frame) -> None:
    """Outlines a function that calls itself too deep to be evaluated in line, unless a call around it may still be."""
    around = ev.frames[ev.enclosing.callers:]
    if any(f is not frame and f.code == frame.code for f in around) and all(
            f.site is None for f in ev.functions.in_progress):
        raise ev.functions.plan.changed(recursive={frame.code})


def _with_outer(ev: Evaluator, result: Abstract, outer: Outer) -> Abstract:
    """The result of an outlined closure, with the new values of the captured variables that it writes."""
    written = tuple(ev.bound(ev.variable(key)) for key in outer.written)
    return Tup((result, *written)) if written else result


def _rebound(ev: Evaluator, result: Abstract, outer: Outer) -> Abstract:
    """The result of a call of an outlined closure; binds the captured variables that it has written."""
    if not outer.written:
        return result
    assert isinstance(result, Tup)
    for key, v in zip(outer.written, result.items[1:]):
        ev.store.bind(key, v)
    return result.items[0]


def bind(ev: Evaluator, source: SourceFunction, args: Args, kwargs: Kwargs,
         defaults: tuple[Any, ...], kw_defaults: tuple[Any, ...]) -> dict[str, Abstract]:
    """The arguments by parameter, as Python binds them; raises its TypeError if they do not fit."""
    a = source.node.args
    positional = positional_parameters(source.node)
    optional = dict(zip(positional[len(positional) - len(defaults):], defaults))
    optional.update({p.id: d for p, d in zip(a.kwonlyargs, kw_defaults) if d is not None})
    starred = args[-1] if args and isinstance(args[-1], StarredItems) else None
    args = args if starred is None else args[:-1]
    places = bind_or_raise(ev, source.name, source.qualname, _parameter_text(a, optional), len(args), tuple(kwargs))
    values = [*args, *kwargs.values()]
    bound: dict[str, Abstract] = {}
    for name, place in places.items():
        if isinstance(place, tuple):
            bound[name] = _rest(ev, Tup(tuple(values[k] for k in place)), starred)
        elif isinstance(place, dict):
            bound[name] = ev.new_dict({key: values[k] for key, k in place.items()})
        elif place is None:
            default = optional[name]
            bound[name] = default.lifted() if isinstance(default, Default) else default
        else:
            bound[name] = values[place]
    return bound


def _rest(ev: Evaluator, first: Tup, starred: StarredItems | None) -> Abstract:
    """What `*args` of a function is."""
    if starred is None:
        return first
    items = RunTimeTuple(starred.of)
    return joined_tuples(ev, first, items) if first.items else items


def _parameter_text(a: Any, optional: Container_[str]) -> tuple[str, ...]:
    """The parameter list as source text, with `None` for each default."""

    def shown(p: Any) -> str:
        return f"{p.id}=None" if p.id in optional else str(p.id)

    parts = [*map(shown, a.posonlyargs), *["/"] * bool(a.posonlyargs), *map(shown, a.args)]
    parts += [f"*{a.vararg.id}"] if a.vararg is not None else ["*"] * bool(a.kwonlyargs)
    return *parts, *map(shown, a.kwonlyargs), *([f"**{a.kwarg.id}"] if a.kwarg is not None else [])


def call_partial(ev: Evaluator, f: functools.partial[Any], args: Args, kwargs: Kwargs) -> Abstract:
    """A call of a partial, whose parts `__setstate__` may replace."""
    at = ev.anchor(f)
    names = (*at, ("attr", "keywords"))
    ev.outside.note(names, "keys", tuple(f.keywords))
    ev.outside.note((*at, ("attr", "args")), "len", len(f.args))
    if id(f.func) not in ev.outside.anchors:
        ev.outside.note((*at, ("attr", "func")), "is", f.func)
    first = [_bound(ev, f"args_{k}", x, (*at, ("attr", "args"), ("item", k))) for k, x in enumerate(f.args)]
    named = {k: _bound(ev, k, x, (*at, ("attr", "keywords"), ("item", k))) for k, x in f.keywords.items()
             if k not in kwargs}
    return ev.call(rooted(ev, f.func), [*first, *args], {**named, **kwargs})


def _bound(ev: Evaluator, name: str, x: Any, path: Path) -> Abstract:
    """An argument that a partial binds."""
    ev.outside.default_names.setdefault(path, name)
    return lift(ev, x, path)


