"""Builtins with abstract values, where they are not ops."""

from __future__ import annotations

import collections
import enum
import sys
import types
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

import gast
import numpy as np

from sct.frontend.arguments.lift import contents_of_mapping, lift
from sct.frontend.evaluator.evaluator import Evaluator
from sct.frontend.evaluator.exceptions import raise_at_run_time, refuse_reading, run_or_raise
from sct.frontend.evaluator.handlers import SPECIAL, Args, Kwargs, Special, special
from sct.frontend.evaluator.operands import OF_ROWS
from sct.frontend.evaluator.own_methods import is_library
from sct.frontend.heap import dynamic_list_methods, dynamic_lists, run_time_dicts, run_time_keys
from sct.frontend.heap.array_keys import (
    array_of,
    check_axes,
    check_not_none,
    is_vector_of_unknown_size,
)
from sct.frontend.heap.inactive import by_python
from sct.frontend.heap.join_paths import evaluate_branches
from sct.frontend.heap.sample_calls import hashed
from sct.frontend.heap.special_methods import as_index, checked, plain_numbers
from sct.frontend.heap.subscripts import new_slice, size_along
from sct.frontend.interpreter.expressions import formatted
from sct.frontend.iteration.iteration_space import check_step, is_run_over, items_of, items_taken, length
from sct.frontend.iteration.iterator_protocol import drained, iterable, iterator, most, owner_of, taken
from sct.frontend.iteration.run_time_sets import is_set, size
from sct.frontend.loops.generator_expressions import is_fresh, is_long, quantified, run_through
from sct.frontend.objects import row_attributes
from sct.frontend.objects.class_of import python_class
from sct.frontend.objects.container_objects import contents_of, contents_of_dict
from sct.frontend.objects.objects import is_member, is_object, special_call
from sct.frontend.objects.operators_of_classes import reflected, undefined
from sct.frontend.operators.arithmetic_operators import binary
from sct.frontend.operators.text_formatting import fstring_of, shown
from sct.frontend.operators.truth import as_bool, boolean, truth
from sct.frontend.standard_library import python_fallbacks
from sct.frontend.standard_library.iterator_builtins import looked
from sct.frontend.standard_library.python_fallbacks import all_, any_
from sct.frontend.state.store import type_of
from sct.frontend.values.abstract_values import (
    Abstract,
    Container,
    DefaultRef,
    DictRef,
    Instance,
    Iteration,
    ListRef,
    MapRef,
    ObjRef,
    Ref,
    RunTimeTuple,
    Slots,
    Static,
    Tup,
    is_literal,
)
from sct.frontend.values.guarded_numbers import is_asked
from sct.ir import Lit, Operand, Value
from sct.ir.core import is_effect
from sct.ir.types import FLOAT, INT, Opaque, Tensor, Text, shows_number
from sct.ops import BY_CALL, apply, eq, print_, python, range_length
from sct.ops.program.effects import inactive, lookup, part
from sct.ops.program.list_ops import unstack
from sct.ops.registry import may_raise

__all__ = ["name_of_debugger", "stop_in_debugger"]


@special(range)
def range_(ev: Evaluator, args: Args, kwargs: Kwargs) -> Abstract:
    args = [ev.as_int(a) if isinstance(a, Value) else a
            for a in plain_numbers(ev, *(as_index(ev, a) for a in args))]
    bounds = tuple(_bound_of_range(ev, a) for a in args)
    if len(bounds) == 3:
        check_step(ev, bounds[2])
    return Iteration("range", bounds)


def _bound_of_range(ev: Evaluator, bound: Abstract) -> Abstract:
    """A bound of a range, which raises where it is a float on the path that is taken."""
    t = ev.type_of(bound) if isinstance(bound, (Value, Static)) else None
    if isinstance(t, Tensor) and t.dtype in ("real", "single"):
        return ev.emit(lookup, ev.operand(bound), text="operator.index(_0)", type=INT)  # type: ignore[no-any-return]
    if not isinstance(t, Tensor) or t.kind not in "ib":
        ev.refuse("SCT501", "range takes integers", hint="convert with int(...)")
    return bound


def is_written(f: Any) -> bool:
    """Is this a Python function outside the libraries?"""
    return isinstance(f, types.FunctionType) and not is_library(f)


@special(len)
def len_(ev: Evaluator, args: Args, kwargs: Kwargs) -> Abstract:
    v = ev.text(contents_of_mapping(ev, args[0]) or contents_of(ev, args[0], "__len__"))
    if isinstance(v, Value) and isinstance(v.type, Text):
        return ev.emit(part, v, text="len(_0)", type=INT)  # type: ignore[no-any-return]
    own = special_call(ev, v, "__len__")
    if own is not None:
        return checked(ev, own, "len")
    if isinstance(v, ObjRef):
        return undefined(ev, len, v)
    if isinstance(of := owner_of(v), MapRef):
        return run_time_dicts.size(ev, of)
    if is_set(v):
        return size(ev, v)
    if isinstance(v, Static) and is_written(getattr(type(v.peek), "__len__", None)):
        ev.refuse("SCT503", f"the length of a `{type(v.peek).__name__}` is not supported",
                  why="its class has a `__len__` of its own, on top of a class of Python's",
                  hint="compute it outside the function")
    if isinstance(v, Static) and not isinstance(v, Instance):
        return Static(run_or_raise(ev, lambda: len(v.value)))
    if isinstance(v, Ref):
        shape = ev.shape_of(v)
        n = shape[0].value if shape else None
        if n is None:
            return ev.wrap(length(ev, v))
        check_not_none(ev, v, len)
        return Static(n)
    if isinstance(v, ListRef) and dynamic_lists.is_dynamic(ev, v):
        return ev.wrap(dynamic_lists.length(ev, v))
    if isinstance(v, Iteration) and v.state is not None:
        if v.kind not in ("zip", "map", "filter", "enumerate", "generator"):
            ev.refuse("SCT503", "an iterator has no length", why="Python raises here too")
        raise_at_run_time(ev, "TypeError", f"object of type '{v.kind}' has no len()")
    if isinstance(v, Iteration):
        n = most(ev, v)
        return _range_length(ev, v) if n is None else Static(run_or_raise(ev, lambda: len(range(n))))
    return Static(len(items_of(ev, v)))


def _range_length(ev: Evaluator, v: Iteration) -> Abstract:
    """The length of a range, which is an error where it is no size that an array could have."""
    bounds = [ev.operand(p) for p in v.parts]
    n = bounds[0].dim if len(bounds) == 1 else None
    return ev.wrap(bounds[0] if n is not None and n.least >= 0 else ev.emit(range_length, *bounds))


@special(list)
def list_(ev: Evaluator, args: Args, kwargs: Kwargs) -> Abstract:
    if args and isinstance(args[0], ListRef) and dynamic_lists.is_dynamic(ev, args[0]):
        return dynamic_list_methods.copied(ev, args[0])
    if args and isinstance(owner_of(args[0]), MapRef):
        items = iterable(ev, args[0])
        assert isinstance(items, ListRef)
        return dynamic_list_methods.copied(ev, items) if dynamic_lists.is_dynamic(ev, items) else ev.new_list(())
    if args and isinstance(args[0], Ref) and is_vector_of_unknown_size(ev, args[0]):
        return ev.wrap(ev.emit(unstack, ev.operand(args[0]), plain=False))
    if not args:
        return ev.new_list(())
    return run_through(ev, args[0], lambda v: v if isinstance(v, ListRef) and v is not args[0] else
                       ev.new_list((items_taken if isinstance(v, Iteration) else items_of)(ev, v)))


@special(dict)
def dict_(ev: Evaluator, args: Args, kwargs: Kwargs) -> Abstract:
    entries, args = dict[Any, Abstract](), [contents_of_dict(ev, v) for v in args]
    if args and isinstance(args[0], MapRef):
        if kwargs:
            ev.refuse("SCT503", "keys beside a dict whose keys are known only at run time are not supported",
                      hint="write them into a copy of the dict")
        return run_time_dicts.copied(ev, args[0])
    if args and isinstance(args[0], DictRef):
        run_time_keys.note_search(ev, args[0])
        cell = ev.store.cells[args[0].addr]
        assert isinstance(cell, Slots)
        entries.update(zip(cell.keys, cell.items))
    elif args and isinstance(args[0], Static) and isinstance(args[0].peek, Mapping):
        entries.update({k: Static(v) for k, v in _pairs(ev, args[0]).items()})
    elif args:
        for at, pair in enumerate(one_by_one(ev, args[0])):
            items = items_of(ev, pair)
            if len(items) != 2:
                pairs: list[Any] = [*([k, k] for k in range(at)), items]
                run_or_raise(ev, lambda: dict(pairs))  # noqa: B023
            entries[hashed(ev, items[0])] = items[1]
    entries.update(kwargs)
    row = row_attributes.of_dict(ev, entries) if kwargs else None
    return run_time_dicts.called(ev, ev.new_dict(entries)) if row is None else row


_READS = ("__iter__", "__getitem__", "keys", "items")


def _pairs(ev: Evaluator, v: Static) -> dict[Any, Any]:
    """The items of a known mapping, which are guarded like all free variables."""
    cls = type(v.peek)
    if not issubclass(cls, dict) or any(isinstance(getattr(cls, name), types.FunctionType) for name in _READS):
        ev.refuse("SCT503", f"a dict of a `{cls.__name__}` is not supported", why="its class defines its items",
                  hint="make the dict outside the function")
    return dict(v.value)


@special(dict.fromkeys)
def fromkeys(ev: Evaluator, args: Args, kwargs: Kwargs) -> Abstract:
    value = args[1] if len(args) > 1 else Static(None)
    if isinstance(args[0], MapRef) or is_run_over(ev, args[0]):
        return ev.call(Static(python_fallbacks.keyed), [args[0], value])
    return run_time_dicts.called(ev, ev.new_dict({hashed(ev, k): value for k in items_of(ev, args[0])}))


@special(collections.defaultdict)
def defaultdict_(ev: Evaluator, args: Args, kwargs: Kwargs) -> Abstract:
    plain_dict = dict_(ev, args[1:], kwargs)
    factory = args[0] if args and args[0] != Static(None) else None
    if isinstance(plain_dict, MapRef):
        return replace(plain_dict, factory=factory)
    if not isinstance(plain_dict, DictRef):
        ev.refuse("SCT503", "a `defaultdict` that is one of many is not supported", why=OF_ROWS, hint="use a dict")
    return plain_dict if factory is None else DefaultRef(plain_dict.addr, factory)


@special(print)
def print__(ev: Evaluator, args: Args, kwargs: Kwargs) -> Abstract:
    attrs = {k: ev.ask(v, f"`{k}` of print") for k, v in kwargs.items()}
    if more := attrs.keys() - {"sep", "end", "file", "flush"}:
        ev.refuse("SCT205", f"`print` with {', '.join(sorted(more))} is not supported")
    attrs = {"sep": " ", "end": "\n", **attrs, "file": _stream(ev, attrs.get("file"))}
    texts: list[Operand] = []
    for a in args:
        start = len(ev.b.eqns)
        texts.append(shown(ev, a))
        eqns = ev.b.eqns[start:]
        if len(texts) > 1 and any(is_effect(e) or may_raise(e) for e in eqns):
            # The texts before it are written before this one is made.
            del ev.b.eqns[start:]
            ev.emit(print_, *texts[:-1], **{**attrs, "end": attrs["sep"]})
            ev.b.eqns.extend(eqns)
            del texts[:-1]
    ev.emit(print_, *texts, **attrs)
    return Static(None)


def _stream(ev: Evaluator, file: Any) -> str:
    """The expression of the stream that `print` writes to; none for the standard output."""
    if file is None or file is sys.stdout:
        return ""
    if file is sys.stderr:
        return "sys.stderr"
    ev.refuse("SCT205", "`print` to this file is not supported", why="it is read when the function is compiled",
              hint="print to `sys.stdout` or `sys.stderr`, or return the text and write it outside the function")


def one_by_one(ev: Evaluator, v: Abstract) -> Iterator[Abstract]:
    """All items; those of an iterator are taken one by one."""
    return drained(ev, v) if isinstance(v, Iteration) and v.state is not None else iter(items_of(ev, v))


@special(divmod)
def divmod_(ev: Evaluator, args: Args, kwargs: Kwargs) -> Abstract:
    a, b = args
    if is_object(a, b):
        own = reflected(ev, a, b, "__divmod__", "__rdivmod__")
        return own if own is not None else undefined(ev, divmod, a, b)
    a, b = plain_numbers(ev, a, b)
    if any(isinstance(v, Static) and isinstance(v.peek, type) for v in (a, b)) and not is_member(a, b):
        return undefined(ev, divmod, a, b)
    if is_member(a, b):
        own = reflected(ev, a, b, "__divmod__", "__rdivmod__")
        return own if own is not None else undefined(ev, divmod, a, b)
    numbers = [type_of(x) for x in (a, b) if isinstance(x, Value) or is_literal(x)]
    if len(numbers) == 2 and all(isinstance(t, Tensor) and t.carrier == "py" for t in numbers) and FLOAT in numbers:
        zero = ev.emit(eq, b, Lit(0)) if isinstance(b, Value) else Lit(b == Static(0))
        if zero != Lit(False):
            evaluate_branches(ev, zero, lambda: run_or_raise(ev, lambda: divmod(1.0, 0.0)), lambda: None)
    return Tup((binary(ev, gast.FloorDiv, a, b), binary(ev, gast.Mod, a, b)))


@special(pow)
def pow_(ev: Evaluator, args: Args, kwargs: Kwargs) -> Abstract:
    operands = [*args, *(kwargs[k] for k in ("base", "exp", "mod") if k in kwargs)]
    if len(operands) == 2:
        return binary(ev, gast.Pow, operands[0], operands[1])
    values = [ev.known(a, "an argument of `pow`") for a in operands]
    return Static(run_or_raise(ev, lambda: pow(*values)))


def _on_known(f: Any) -> Special:
    """Registers a builtin that is evaluated at compile time, on known values."""
    def handler(ev: Evaluator, args: Args, kwargs: Kwargs) -> Abstract:
        if f is ord and len(args) == 1 and (value := by_python(ev, "ord({0})", *args)) is not None:
            return value
        values = [ev.known(a, f"an argument of `{f.__name__}`") for a in args]
        return lift(ev, run_or_raise(ev, lambda: f(*values)))

    return handler


for _f in (ord, chr, hex, oct, bin):
    SPECIAL[id(_f)] = _on_known(_f)


def _quantifier(stops: bool) -> Special:
    def handler(ev: Evaluator, args: Args, kwargs: Kwargs) -> Abstract:
        if isinstance(args[0], Iteration) and is_fresh(ev, args[0]):
            return quantified(ev, args[0], stops)
        if is_run_over(ev, args[0]) or is_long(ev, args[0]):
            return ev.call(Static(any_ if stops else all_), args)
        items = iterator(ev, args[0])
        return looked(ev, lambda: taken(ev, items), stops)

    return handler


SPECIAL[id(any)], SPECIAL[id(all)] = _quantifier(True), _quantifier(False)


def _text(conversion: str, run: Any) -> Special:
    def handler(ev: Evaluator, args: Args, kwargs: Kwargs) -> Abstract:
        if len(args) > 1 or kwargs:
            ev.refuse("SCT205", "`str` of bytes is not supported", hint="decode them outside the function")
        v = args[0] if args else Static("")
        if isinstance(v, Static) and not is_asked(v.peek):
            return Static(run(v.value))
        if isinstance(v, (Tup, RunTimeTuple, Container, Static)):
            if run is ascii:
                ev.refuse("SCT503", "`ascii` of this object is not supported", hint="format its parts")
            return boolean(shown(ev, v, ("repr",) if conversion else ("str", "repr")))
        return fstring_of(ev, [(conversion, "")], [ev.operand(v)])

    return handler


SPECIAL[id(str)], SPECIAL[id(repr)] = _text("", str), _text("r", repr)
SPECIAL[id(ascii)] = _text("a", ascii)


@special(format)
def format_(ev: Evaluator, args: Args, kwargs: Kwargs) -> Abstract:
    """`format(v, spec)` as an f-string."""
    return formatted(ev, [(args[0], "", args[1] if len(args) > 1 else Static(""))], lambda piece: piece)


@special(np.shape)
def shape_(ev: Evaluator, args: Args, kwargs: Kwargs) -> Abstract:
    (v,) = args
    x = ev.wrap(array_of(ev, v)) if isinstance(v, (Tup, ListRef)) else v
    return Tup(tuple(size_along(ev, x, k) for k in range(_rank(ev, x, "np.shape"))))


def _rank(ev: Evaluator, x: Abstract, name: str) -> int:
    check_not_none(ev, x, np.shape)
    check_axes(ev, x)
    t = ev.type_of(x) if isinstance(x, (Ref, Value)) or is_literal(x) else None
    if not isinstance(t, Tensor):
        ev.refuse("SCT503", f"`{name}` of this object is not supported", hint="give it an array or a number")
    return t.rank


@special(np.ndim)
def ndim_(ev: Evaluator, args: Args, kwargs: Kwargs) -> Abstract:
    (v,) = args
    return Static(_rank(ev, ev.wrap(array_of(ev, v)) if isinstance(v, (Tup, ListRef)) else v, "np.ndim"))


def _convert(name: str, cls: Any) -> Special:
    def handler(ev: Evaluator, args: Args, kwargs: Kwargs) -> Abstract:
        if len(args) != 1 or kwargs:  # the digits of an int with their base
            values = [ev.known(a, "an argument of this function") for a in args]
            named = {k: ev.ask(x, f"`{k}`") for k, x in kwargs.items()}
            return Static(run_or_raise(ev, lambda: cls(*values, **named)))
        (v,) = args
        for method in {"float": ("float", "index"), "int": ("int", "index")}.get(name, ()):
            own = special_call(ev, v, f"__{method}__")
            if own is not None:
                return ev.call(Static(cls), [checked(ev, own, method, python_class(ev, v).__name__)])
        if cls is bool:
            return as_bool(ev, truth(ev, v))
        if ev.tries.handled:
            check_not_none(ev, v, cls)
        if isinstance(v, Static) and (is_literal(v) or isinstance(v.peek, enum.Enum)):
            return Static(run_or_raise(ev, lambda: cls(v.value)))
        if (value := by_python(ev, f"{name}({{0}})", v)) is not None:
            return value
        if isinstance(v, Value) and isinstance(v.type, Opaque):
            eqn = ev.defs.get(v)
            if eqn is not None and eqn.op is apply:  # what it is given is not differentiated, or it is refused
                return ev.emit(python, v, callee=name, type=FLOAT if cls is float else INT)  # type: ignore[no-any-return]
            if shows_number(v.type):
                refuse_reading(ev, (v,))
            ev.refuse_object(v, "a number made of")
        return ev.call_op(BY_CALL[f"builtins.{name}"], v, spelling=f"builtins.{name}")

    return handler


for _name, _cls in (("float", float), ("int", int), ("bool", bool)):
    SPECIAL[id(_cls)] = _convert(_name, _cls)


@special(slice)
def slice_(ev: Evaluator, args: Args, kwargs: Kwargs) -> Abstract:
    start, stop, step = (Static(None), *args, Static(None)) if len(args) == 1 else (*args, Static(None))[:3]
    return new_slice(ev, start, stop, step)


def _refused(name: str) -> Special:
    """The handler of a builtin function that is not supported."""

    def handler(ev: Evaluator, args: Args, kwargs: Kwargs) -> Abstract:
        ev.refuse("SCT206", f"`{name}` is not supported in a differentiated function",
                  hint="call it outside the differentiated function, and pass its result")

    return handler


def name_of_debugger(f: Any) -> str | None:
    """The name of a function that starts a debugger, which sct never calls itself; None for other functions."""
    if f is breakpoint:
        return "breakpoint"
    pdb = sys.modules.get("pdb")
    if pdb is None or not isinstance(f, (types.FunctionType, types.MethodType)):
        return None
    return "pdb.set_trace" if f == pdb.set_trace else None  # which pytest replaces by a method of its own


def stop_in_debugger(ev: Evaluator, name: str, args: Args, kwargs: Kwargs) -> Abstract:
    """A call of a function that starts a debugger: the derivative stops in the emitted code, in its place."""
    if args or kwargs:
        ev.refuse("SCT206", f"`{name}` with arguments is not supported", hint="call it without arguments")
    ev.emit(inactive, text=f"{name}()")
    return Static(None)


for _builtin in (eval, exec, compile, globals, locals, input, open):
    SPECIAL[id(_builtin)] = _refused(_builtin.__name__)
