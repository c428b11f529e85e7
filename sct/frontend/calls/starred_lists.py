"""Calls with the items of a list whose length is known only at run time: `f(*xs)`, `f(a, *xs, b, key=c)`.

    area(*sides)     def area(a, b): ...     ->   area(sides[0], sides[1]), where there are two, else a TypeError
    join(a, *texts)  def join(*parts): ...   ->   parts = (a, *texts)
    max(*xs)         of numbers              ->   max(xs), where there are at least two, else a TypeError
    math.hypot(*xs)                          ->   the same, of any number of them
    itertools.chain(*lists)                  ->   itertools.chain.from_iterable(lists)
"""

from __future__ import annotations

import inspect
import itertools
import math
import types
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import gast
import numpy as np

from sct.errors import SctError
from sct.frontend.evaluator.evaluator import Evaluator
from sct.frontend.evaluator.exceptions import raise_at_run_time
from sct.frontend.evaluator.handlers import Args, Kwargs
from sct.frontend.evaluator.lookup_guards import in_class
from sct.frontend.evaluator.own_methods import is_generated, is_library
from sct.frontend.heap import dynamic_list_methods, dynamic_lists
from sct.frontend.heap.join_paths import evaluate_branches
from sct.frontend.interpreter.comprehensions import attempted
from sct.frontend.iteration.iteration_space import items_of
from sct.frontend.objects.objects import special_method
from sct.frontend.operators.choices import for_each
from sct.frontend.source.parse import source_of
from sct.frontend.user_rules import rule_of
from sct.frontend.values.abstract_values import (
    Abstract,
    Bound,
    Choice,
    Closure,
    ListRef,
    Method,
    ObjRef,
    RunTimeTuple,
    StarredItems,
    Static,
)
from sct.frontend.values.guards import NeedsStatic
from sct.ir import Lit, Operand, Value
from sct.ir.types import List, Never, Tensor
from sct.ops import eq, lt
from sct.ops.program.list_sums import hypot_list

__all__ = ["StarredList", "called_with_items", "starred_list"]

MOST_COUNTS = 8
"""A function that takes more numbers of arguments is not called for each of them."""


@dataclass
class StarredList:
    """The arguments of a call from the first star on that stands before a list of run time.

    need  the refusal, where it has to be known how many these are
    """

    items: Abstract
    need: NeedsStatic
    is_own: bool = False

    def extend(self, ev: Evaluator, v: Abstract, is_starred: bool) -> None:
        """One more argument behind these, or all items of one with a star."""
        if not self.is_own:
            self.items, self.is_own = ev.temporaries.hold(ev.call(Static(list), [self.items])), True
        ev.call(Method(self.items, "extend" if is_starred else "append"), [v])


def starred_list(ev: Evaluator, args: list[Abstract], v: Abstract) -> StarredList | None:
    """Appends the items of `v` to `args`; if their number is known only at run time, they are returned as a list."""
    try:
        args += map(ev.temporaries.hold, attempted(ev, lambda: items_of(ev, v, lambda x: [*x])))
        return None
    except NeedsStatic as need:
        return StarredList(ev.temporaries.hold(v), need)


def called_with_items(ev: Evaluator, fn: Abstract, before: Args, starred: StarredList, kwargs: Kwargs) -> Abstract:
    """`fn(*before, *starred, **kwargs)`."""
    try:
        xs: Abstract = starred.items.of if isinstance(starred.items, RunTimeTuple) else starred.items
        if not isinstance(xs, ListRef):
            xs = ev.call(Static(list), [xs])
    except (SctError, NeedsStatic):
        raise starred.need from None
    functions = fn.members if isinstance(fn, Choice) else (fn,)
    if any(isinstance(f, Value) for f in functions):
        ev.refuse("SCT504", "which function is called here with a list of arguments is known only at run time",
                  hint="call each function in a branch of its own")
    if not isinstance(xs, ListRef) or not dynamic_lists.is_dynamic(ev, xs) or not all(
            _takes_any_number(f, kwargs) or _rest(ev, f) is not None or _counts(ev, f, kwargs) for f in functions):
        raise starred.need
    call = _Call(ev, list(before), xs, kwargs, dynamic_lists.length(ev, xs), starred.need)
    return for_each(ev, fn, call.of)


@dataclass
class _Call:
    """A call with some arguments that are known, and the `n` items of the list `xs` behind them."""

    ev: Evaluator
    before: list[Abstract]
    xs: ListRef
    kwargs: Kwargs
    n: Operand
    need: NeedsStatic

    def of(self, f: Abstract) -> Abstract:
        if f == Static(itertools.chain):
            of_items = self.ev.call(Static(itertools.chain.from_iterable), [self.xs])
            return self.ev.call(f, [*self.before, of_items])
        if _takes_any_number(f, self.kwargs):
            return self.of_numbers(f)
        rest = _rest(self.ev, f)
        counts = range(rest) if rest is not None else range(_counts(self.ev, f, self.kwargs).stop + 1)
        return self.for_each_count(f, range(max(counts.stop - len(self.before), 0)), rest is not None)

    def of_numbers(self, f: Abstract) -> Abstract:
        """`max`, `min` or `math.hypot` of any number of numbers."""
        ev, column = self.ev, self.with_those_before()
        if not isinstance(column, ListRef) or not self.kwargs and not _is_of_numbers(ev, column):
            raise self.need
        if f == Static(math.hypot):
            numbers = dynamic_lists.as_column(ev, column)
            never = isinstance(numbers.type, List) and isinstance(numbers.type.elem, Never)
            return Static(0.0) if never else ev.wrap(ev.emit(hypot_list, numbers))
        if len(self.before) < 2:
            evaluate_branches(ev, ev.emit(lt, self.n, 2 - len(self.before), spelling="operator.lt"),
                              lambda: self.for_each_count(f, range(2 - len(self.before)), False), lambda: Static(None))
        return ev.call(f, [column], self.kwargs)

    def with_those_before(self) -> Abstract:
        if not self.before:
            return self.xs
        xs = self.ev.call(Static(list), [self.ev.new_list(tuple(self.before))])
        self.ev.call(Method(xs, "extend"), [self.xs])
        return xs

    def for_each_count(self, f: Abstract, counts: range, has_rest: bool) -> Abstract:
        """The call with as many items as there are; with a number of them that `f` does not take, it raises.

        has_rest  with more items than these, `*args` of `f` takes what is left
        """
        if not counts:
            return self.with_rest(f, counts.start) if has_rest else _wrong_number(self.ev)
        k = counts.start
        result: Abstract = evaluate_branches(
            self.ev, self.ev.emit(eq, self.n, k, spelling="operator.eq"), lambda: self.with_items(f, k, has_rest),
            lambda: self.for_each_count(f, counts[1:], has_rest))
        return result

    def items(self, count: int) -> list[Abstract]:
        return [dynamic_lists.element(self.ev, self.xs, Lit(k)) for k in range(count)]

    def with_items(self, f: Abstract, count: int, has_rest: bool) -> Abstract:
        try:
            return attempted(self.ev, lambda: self.ev.call(f, [*self.before, *self.items(count)], self.kwargs))
        except (SctError, NeedsStatic):
            if has_rest or len(self.before) + count in _counts(self.ev, f, self.kwargs):
                raise
            return _wrong_number(self.ev)

    def with_rest(self, f: Abstract, count: int) -> Abstract:
        ev, xs = self.ev, self.xs
        first = self.items(count)
        behind = dynamic_list_methods.part(ev, xs, slice(Lit(count), None)) if count else xs
        rest = StarredItems(dynamic_list_methods.tuple_of(ev, behind).of)
        return ev.call(f, [*self.before, *first, rest], self.kwargs)


def _takes_any_number(f: Abstract, kwargs: Kwargs) -> bool:
    """Is this one of the functions of a library that are called with a list, of any length?"""
    return f in (Static(max), Static(min)) and {*kwargs} <= {"key"} or not kwargs and f in (
        Static(math.hypot), Static(itertools.chain))


def _is_of_numbers(ev: Evaluator, xs: Abstract) -> bool:
    if not isinstance(xs, ListRef) or not dynamic_lists.is_dynamic(ev, xs):
        return False
    columns = [x.type for x in dynamic_lists.columns(ev, xs) if isinstance(x, Value)]
    elem = columns[0].elem if len(columns) == 1 and isinstance(columns[0], List) else None
    return isinstance(elem, Never) or isinstance(elem, Tensor) and not elem.is_array


def _parameters(ev: Evaluator, f: Abstract) -> tuple[Any, Sequence[Any], int] | None:
    """The parameters of a function of the user, the defaults of the last of them, and how many the call itself binds,
    such as `self`."""
    if isinstance(f, Closure):
        return (f.node.args, f.defaults, 0) if isinstance(f.node, (gast.Lambda, gast.FunctionDef)) else None
    if isinstance(f, Bound):
        of = _parameters(ev, f.fn)
        return None if of is None or f.kwargs else (*of[:2], of[2] + len(f.args))
    if isinstance(f, ObjRef):
        method = special_method(ev, f, "__call__")
        return None if method is None else _parameters(ev, method)
    function = f.peek if isinstance(f, Static) else None
    bound = int(isinstance(function, (types.MethodType, type)))
    if isinstance(function, types.MethodType):
        function = function.__func__
    elif isinstance(function, type):
        init, where = in_class(ev, function, "__init__")
        function = None if isinstance(init, types.FunctionType) and is_generated(init, where) else init
    if not isinstance(function, types.FunctionType) or is_library(function) or rule_of(function) is not None or \
            hasattr(function, "__wrapped__") or hasattr(function, "__sct_transform__") or ev.enclosing.rules:
        return None
    return source_of(function.__code__).node.args, function.__defaults__ or (), bound


def _rest(ev: Evaluator, f: Abstract) -> int | None:
    """How many arguments a function of the user with `*args` takes by position before these; None of others."""
    of = _parameters(ev, f)
    if of is None or of[0].vararg is None:
        return None
    a, _, bound = of
    return max(len(a.posonlyargs) + len(a.args) - bound, 0)


def _counts(ev: Evaluator, f: Abstract, kwargs: Kwargs) -> range:
    """How many arguments the function takes by position; empty if that is not known, or without a limit."""
    of = _parameters(ev, f)
    if of is not None:
        a, defaults, bound = of
        most = len(a.posonlyargs) + len(a.args) - bound
        least = most - len(defaults) - sum(p.id in kwargs for p in a.args)
        return range(0) if a.vararg is not None or most < 0 else _few(max(least, 0), most)
    if isinstance(f, Bound) and not f.kwargs:
        inner = _counts(ev, f.fn, kwargs)
        return range(max(inner.start - len(f.args), 0), max(inner.stop - len(f.args), 0))
    if not isinstance(f, Static) or kwargs:
        return range(0)
    if f.value is math.log:
        return range(1, 3)
    if isinstance(f.value, np.ufunc):
        return range(f.value.nin, f.value.nin + 1)
    try:
        parameters = inspect.signature(f.value).parameters.values()
    except (TypeError, ValueError):
        return range(0)
    if any(p.kind is p.VAR_POSITIONAL or p.kind is p.KEYWORD_ONLY and p.default is p.empty for p in parameters):
        return range(0)
    by_position = [p for p in parameters if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    return _few(sum(p.default is p.empty for p in by_position), len(by_position))


def _few(least: int, most: int) -> range:
    return range(least, most + 1) if most - least < MOST_COUNTS else range(0)


def _wrong_number(ev: Evaluator) -> Abstract:
    raise_at_run_time(ev, "TypeError", "the function does not take so many arguments")
