"""`match`: rewritten to `if`, with two expressions of its own.

    match p:                      if Matches(p, Point(x=a)):
        case Point(x=a): body         Binds(p, Point(x=a)); body
        case _: rest              else: rest
"""

from __future__ import annotations

import collections.abc
from collections.abc import Callable, Iterator
from typing import Any

import gast
import numpy as np

from sct.frontend.evaluator.evaluator import Evaluator
from sct.frontend.evaluator.exceptions import raise_at_run_time, run_or_raise
from sct.frontend.evaluator.handlers import expression
from sct.frontend.evaluator.lookup_guards import is_subclass_of
from sct.frontend.heap.join_paths import evaluate_branches
from sct.frontend.interpreter.assignment import assign, doing
from sct.frontend.interpreter.attributes import attribute_if_any
from sct.frontend.iteration.iteration_space import items_of
from sct.frontend.objects.class_of import python_class
from sct.frontend.objects.linked_objects import is_row_display
from sct.frontend.operators.choices import for_each, told
from sct.frontend.operators.comparisons import compare_one
from sct.frontend.operators.truth import boolean, truth
from sct.frontend.source.match_lowering import Binds, Matches
from sct.frontend.values.abstract_values import SLICE, Abstract, DictRef, Iteration, ListRef, Ref, Static, Tup
from sct.ir import Lit, Value, has_effect
from sct.ir.pytrees.user_objects import is_user_class
from sct.ir.types import Tensor

__all__: list[str] = []

Test = Callable[[], Abstract]


@expression(Matches)
def matches(ev: Evaluator, node: Any) -> Abstract:
    return _all(ev, _tests(ev, ev.eval(node.subject), node.pattern))


@expression(Binds)
def binds(ev: Evaluator, node: Any) -> Abstract:
    _bind(ev, ev.eval(node.subject), node.pattern)
    return Static(True)


def _all(ev: Evaluator, tests: Iterator[Test]) -> Abstract:
    """Do all tests hold?  Those after the first that fails are not run."""
    test = next(tests, None)
    if test is None:
        return Static(True)
    t = truth(ev, test())
    if isinstance(t, Lit):
        return _all(ev, tests) if t.value else Static(False)
    rest: list[Abstract] = []

    def others() -> Abstract:
        rest.append(_all(ev, tests))
        return rest[0]

    joined = evaluate_branches(ev, t, others, lambda: Static(False))
    return boolean(t) if rest == [Static(True)] else joined


def _tests(ev: Evaluator, v: Abstract, p: Any) -> Iterator[Test]:
    """The conditions for `v` to match the pattern."""
    if isinstance(p, gast.MatchValue):
        yield lambda: compare_one(ev, gast.Eq(), v, ev.eval(p.value))
    elif isinstance(p, gast.MatchSingleton):
        yield lambda: compare_one(ev, gast.Is(), v, Static(p.value))
    elif isinstance(p, gast.MatchAs):
        if p.pattern is not None:
            yield from _tests(ev, v, p.pattern)
    elif isinstance(p, gast.MatchOr):
        yield lambda: _any(ev, v, p)
    elif is_row_display(v):
        yield lambda: told(ev, v, lambda m: _all(ev, _tests(ev, m, p)))
    else:
        if isinstance(p, gast.MatchClass):
            yield lambda: _is_of_class(ev, v, p)
        parts = _parts(ev, v, p)
        yield lambda: Static(parts is not None)
        for x, inner in parts or ():
            yield from _tests(ev, x, inner)


def _any(ev: Evaluator, v: Abstract, p: Any) -> Abstract:
    def go(k: int) -> Abstract:
        t = truth(ev, _all(ev, _tests(ev, v, p.patterns[k])))
        if isinstance(t, Lit):
            return Static(True) if t.value else go(k + 1) if k + 1 < len(p.patterns) else Static(False)
        if any(isinstance(n, (gast.MatchAs, gast.MatchStar)) and n.name for n in gast.walk(p)):
            ev.refuse("SCT503", "which of these patterns matches is known only at run time, and they bind names",
                      hint="write a case each")
        if k + 1 == len(p.patterns):
            return boolean(t)
        return evaluate_branches(ev, t, lambda: Static(True), lambda: go(k + 1))  # type: ignore[no-any-return]

    return go(0)


def _parts(ev: Evaluator, v: Abstract, p: Any) -> list[tuple[Abstract, Any]] | None:
    """The parts of `v` with their patterns; None where `v` is of another form."""
    if isinstance(p, gast.MatchSequence):
        return _sequence(ev, v, p)
    if isinstance(p, gast.MatchMapping):
        if not isinstance(v, DictRef):
            _refuse_such(ev, v, collections.abc.Mapping)
            return None
        cell = ev.slots(v)
        keys = [ev.key(ev.eval(k), "a key of a pattern") for k in p.keys]
        if any(k not in cell.keys for k in keys):
            return None
        parts = [(cell.items[cell.keys.index(k)], inner) for k, inner in zip(keys, p.patterns)]
        if p.rest is not None:
            rest = {k: x for k, x in zip(cell.keys, cell.items) if k not in keys}
            parts.append((ev.new_dict(rest), gast.MatchAs(None, p.rest)))
        return parts
    return _class(ev, v, p)


def _sequence(ev: Evaluator, v: Abstract, p: Any) -> list[tuple[Abstract, Any]] | None:
    if isinstance(v, Ref) and np.ndarray.__flags__ & SEQUENCE:
        ev.refuse("SCT503", "a pattern of items for an array is not supported", hint="make a list or a dict of it")
    seen_into = isinstance(v, (Tup, ListRef)) or isinstance(v, Iteration) and v.kind == "range"
    if not seen_into or isinstance(v, Tup) and v.fields == SLICE:
        _refuse_such(ev, v, collections.abc.Sequence, (str, bytes, bytearray))
        return None
    items = items_of(ev, v)
    star = next((k for k, q in enumerate(p.patterns) if isinstance(q, gast.MatchStar)), None)
    if star is None:
        return list(zip(items, p.patterns)) if len(items) == len(p.patterns) else None
    tail = len(p.patterns) - star - 1
    if len(items) < star + tail:
        return None
    stop = len(items) - tail
    middle: list[tuple[Abstract, Any]] = []
    if p.patterns[star].name is not None:
        middle = [(ev.new_list(items[star:stop]), gast.MatchAs(None, p.patterns[star].name))]
    return [*zip(items[:star], p.patterns), *middle, *zip(items[stop:], p.patterns[star + 1:])]


SEQUENCE = 1 << 5
"""`Py_TPFLAGS_SEQUENCE`: objects of the class match patterns of items.  From NumPy 2.5 on, arrays do."""


def _refuse_such(ev: Evaluator, v: Abstract, kind: Any, but: tuple[type, ...] = ()) -> None:
    """Refuses a value that is of this kind, or may be."""
    v = ev.text(v)
    tensor = isinstance(v, Value) and isinstance(v.type, Tensor)
    cls = None if tensor else python_class(ev, v)
    # Registration gives the immutable classes of Python no other patterns.
    of_kind = cls is not None and (is_subclass_of(ev, cls, kind) if is_user_class(cls) else issubclass(cls, kind))
    if cls is not None and of_kind and not issubclass(cls, but):
        ev.refuse("SCT503", f"a pattern for a `{cls.__name__}` is not supported", hint="make a list or a dict of it")


_WHOLE = (bool, bytearray, bytes, dict, float, frozenset, int, list, set, str, tuple)
"""Classes whose one positional pattern is for the object itself."""


def _is_of_class(ev: Evaluator, v: Abstract, p: Any) -> Abstract:
    """Is `v` of the class of the pattern?  `isinstance` tells, at run time where it must."""
    cls = ev.eval(p.cls)
    if not isinstance(cls, Static):
        ev.refuse("SCT504", "the class of a pattern must be known")
    if not isinstance(cls.peek, type):
        run_or_raise(ev, lambda: _as_pattern(cls.peek))  # raises
    return ev.call(Static(isinstance), [v, cls])


def _as_pattern(cls: Any) -> bool:
    match None:
        case cls():
            return True
    return False


def _class(ev: Evaluator, v: Abstract, p: Any) -> list[tuple[Abstract, Any]] | None:
    """The attributes of `v`, which is of the class of the pattern; None where it lacks one."""
    cls = ev.eval(p.cls)
    assert isinstance(cls, Static)
    named = _match_args(ev, cls) if p.patterns else ()
    parts: list[tuple[Abstract, Any]] = [(v, q) for q in p.patterns] if named is None else []
    count, allowed = len(p.patterns), 1 if named is None else len(named)
    if count > allowed:
        raise_at_run_time(ev, "TypeError", f"{cls.value.__name__}() accepts {allowed} positional "
                          f"sub-pattern{'s' * (allowed != 1)} ({count} given)")
    names = [*(named or ())[:count], *p.kwd_attrs]
    if repeated := [name for k, name in enumerate(names) if name in names[:k]]:
        raise_at_run_time(ev, "TypeError", f"{cls.value.__name__}() got multiple sub-patterns for attribute "
                          f"{repeated[0]!r}")
    for name, q in zip(names, [*p.patterns[:len(named or ())], *p.kwd_patterns]):
        x = attribute_if_any(ev, v, name)
        if x is None:
            return None
        parts.append((x, q))
    return parts


def _match_args(ev: Evaluator, cls: Static) -> tuple[str, ...] | None:
    """The attributes that positional patterns are for; None if the one pattern is for the object itself."""
    wanted = cls.value
    args = attribute_if_any(ev, cls, "__match_args__")
    if args is None:
        return None if issubclass(wanted, _WHOLE) else ()
    kind = python_class(ev, args)
    if kind is not tuple:
        raise_at_run_time(ev, "TypeError", f"{wanted.__name__}.__match_args__ must be a tuple (got {kind.__name__})")
    names = tuple(ev.ask(x, "an item of `__match_args__`") for x in items_of(ev, args))
    if other := [type(name) for name in names if type(name) is not str]:
        raise_at_run_time(ev, "TypeError", f"__match_args__ elements must be strings (got {other[0].__name__})")
    return names


def _bind(ev: Evaluator, v: Abstract, p: Any) -> None:
    """Bind the names of a pattern that `v` matches."""
    if isinstance(p, gast.MatchAs):
        if p.pattern is not None:
            _bind(ev, v, p.pattern)
        if p.name is not None:
            assign(ev, gast.Name(p.name, gast.Store(), None, None), v)
    elif isinstance(p, gast.MatchOr):
        for one in p.patterns:
            t = _all(ev, _tests(ev, v, one))
            if isinstance(t, Static) and t.value:
                return _bind(ev, v, one)
    elif is_row_display(v):
        for_each(ev, v, doing(lambda m: _bind(ev, m, p)))
    elif not isinstance(p, (gast.MatchValue, gast.MatchSingleton)):
        before, block, mark = ev.store.copy(), ev.b, len(ev.b.eqns)
        parts = _parts(ev, v, p)
        if isinstance(p, gast.MatchClass) and (
                ev.store.writes_since(before) or any(map(has_effect, block.eqns[mark:]))):
            ev.refuse("SCT503", "an attribute in a pattern is computed by code that writes, or has an effect",
                      why="sct computes it once to test it, and once to bind it",
                      hint="read the attribute before the `match`, and match its value")
        for x, inner in parts or ():
            _bind(ev, x, inner)


