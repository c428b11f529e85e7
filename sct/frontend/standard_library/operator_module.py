"""The functions of the module `operator`: the operators that they are, of any object.

    operator.add(a, b)   ->   a + b
    itemgetter(1)(x)     ->   x[1]
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import gast

from sct.frontend.arguments.lift import lift
from sct.frontend.evaluator.evaluator import Evaluator
from sct.frontend.evaluator.exceptions import run_or_raise
from sct.frontend.evaluator.handlers import SPECIAL, Args, Kwargs, instances, special
from sct.frontend.heap.subscripts import assign_item, delete_item, item
from sct.frontend.interpreter.attributes import get
from sct.frontend.operators.arithmetic_operators import BINARY, UNARY, binary, unary
from sct.frontend.operators.comparisons import COMPARE, compare_one
from sct.frontend.operators.truth import as_bool, negated, truth
from sct.frontend.values.abstract_values import Abstract, Static, Tup

__all__: list[str] = []

Made = Callable[..., Abstract]


def _register(f: Any, run: Made) -> None:
    SPECIAL[id(f)] = lambda ev, args, kwargs: run(ev, *args)


def _binary(kind: type) -> Made:
    return lambda ev, a, b: binary(ev, kind, a, b)


def _compare(op: Any) -> Made:
    return lambda ev, a, b: compare_one(ev, op, a, b)


def _unary(kind: type) -> Made:
    return lambda ev, v: unary(ev, kind, v)


for _kind, (_, _run) in BINARY.items():
    _register(_run, _binary(_kind))
for _kind, (_, _not) in UNARY.items():
    _register(_not, _unary(_kind))
for _kind, (_, _run) in COMPARE.items():
    _register(_run, _compare(_kind()))
_register(operator.is_, _compare(gast.Is()))
_register(operator.is_not, _compare(gast.IsNot()))
_register(operator.contains, lambda ev, owner, x: compare_one(ev, gast.In(), x, owner))
_register(operator.concat, _binary(gast.Add))
_register(operator.getitem, item)
_register(operator.abs, lambda ev, v: ev.call(Static(abs), [v]))
_register(operator.index, lambda ev, v: ev.call(Static(int), [v]))
_register(operator.truth, lambda ev, v: as_bool(ev, truth(ev, v)))


@special(operator.setitem)
def setitem(ev: Evaluator, args: Args, kwargs: Kwargs) -> Abstract:
    assign_item(ev, *args)
    return Static(None)


@special(operator.delitem)
def delitem(ev: Evaluator, args: Args, kwargs: Kwargs) -> Abstract:
    delete_item(ev, *args)
    return Static(None)


@special(operator.not_)
def not__(ev: Evaluator, args: Args, kwargs: Kwargs) -> Abstract:
    return negated(ev, args[0])


# -- what is made of names and keys -------------------------------------------------------------------------


def _maker(cls: Any) -> None:
    @special(cls)
    def make(ev: Evaluator, args: Args, kwargs: Kwargs) -> Abstract:
        values = [ev.ask(a, "an argument of this function") for a in args]
        named = {k: ev.ask(v, f"`{k}`") for k, v in kwargs.items()}
        return Static(run_or_raise(ev, lambda: cls(*values, **named)))


for _cls in (operator.itemgetter, operator.attrgetter, operator.methodcaller):
    _maker(_cls)


@instances(operator.itemgetter)
def call_itemgetter(ev: Evaluator, f: Any, args: Args, kwargs: Kwargs) -> Abstract:
    items = [item(ev, args[0], Static(key)) for key in f.__reduce__()[1]]
    return items[0] if len(items) == 1 else Tup(tuple(items))


@instances(operator.attrgetter)
def call_attrgetter(ev: Evaluator, f: Any, args: Args, kwargs: Kwargs) -> Abstract:
    attributes = []
    for dotted in f.__reduce__()[1]:
        v = args[0]
        for name in dotted.split("."):
            v = get(ev, v, name)
        attributes.append(v)
    return attributes[0] if len(attributes) == 1 else Tup(tuple(attributes))


@instances(operator.methodcaller)
def call_methodcaller(ev: Evaluator, f: Any, args: Args, kwargs: Kwargs) -> Abstract:
    constructor, arguments = f.__reduce__()
    named = getattr(constructor, "keywords", {})
    name, *rest = arguments if not named else (*constructor.args, *arguments)
    return ev.call(get(ev, args[0], name), [lift(ev, x) for x in rest], {k: lift(ev, x) for k, x in named.items()})
