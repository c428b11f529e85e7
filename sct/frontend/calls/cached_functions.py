"""`functools.lru_cache`: a cached function is called again wherever the difference cannot be observed.

    @cache
    def basis(n): ...        basis(3) + basis(3): two calls with equal results

An observable difference is refused: effects and writes, which happen once; variables that change between the
calls; a result that is written; recursion that takes few calls only because of the cache.
"""

from __future__ import annotations

import functools
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from sct.errors import SctError
from sct.frontend.arguments.lift import lift, opaque
from sct.frontend.calls.captured_variables import captured
from sct.frontend.calls.opaque_calls import call_itself
from sct.frontend.evaluator.evaluator import Evaluator
from sct.frontend.evaluator.exceptions import raise_at_run_time, run_or_raise
from sct.frontend.evaluator.handlers import INSTANCES, Args, Kwargs, called, special
from sct.frontend.heap import run_time_dicts
from sct.frontend.heap.inactive import is_varied
from sct.frontend.heap.join_paths import evaluate_branches
from sct.frontend.objects.objects import is_object
from sct.frontend.state.store import Store
from sct.frontend.values.abstract_values import (
    Abstract,
    Bound,
    Cached,
    Closure,
    Container,
    DictRef,
    Frozen,
    Iteration,
    ListRef,
    MapRef,
    ObjRef,
    Origin,
    Ref,
    Slots,
    Static,
    Tup,
    is_literal,
)
from sct.frontend.writes.references import CACHED
from sct.ir import Eqn, Fn, Lit, Value, has_effect, walk
from sct.ir.real_ints import unmark_real
from sct.ir.types import ANY_BOOL, ANY_INT, ANY_NUMBER, ANY_REAL, Tensor, Type
from sct.ops import call, raise_
from sct.ops.program.effects import apply, inactive, python

__all__: list[str] = []

WRITE = "call the function without a cache"


@special(functools.cache)
def cache(ev: Evaluator, args: Args, kwargs: Kwargs) -> Abstract:
    return _with_cache(ev, args[0])


@special(functools.lru_cache)
def lru_cache(ev: Evaluator, args: Args, kwargs: Kwargs) -> Abstract:
    """With a function, or as the decorator that options make."""
    if not args or is_literal(args[0]):
        return Static(functools.cache)
    typed = args[1] if len(args) > 1 else kwargs.get("typed", Static(False))
    if not (isinstance(typed, Static) and isinstance(typed.peek, bool)):
        run_or_raise(ev, lambda: functools.lru_cache(abs, []))  # type: ignore[call-overload]  # raises
    return _with_cache(ev, args[0])


def _with_cache(ev: Evaluator, fn: Abstract) -> Cached:
    """The cached function; the derivative has its cache too, where the function calls itself more than once."""
    memoized = isinstance(fn, Closure) and fn.node in ev.functions.plan.memoized
    return Cached(fn, run_time_dicts.new(ev, ev.loc) if memoized else None)


def wrapped(ev: Evaluator, f: Any, args: Args, kwargs: Kwargs) -> Abstract:
    """A call of a function whose cache was created outside.

    If its free variables may change, the contents of the cache are unknown; if it calls itself more than once, only the
    cache makes it fast.  Then Python calls the function itself.
    """
    refused = ev.functions.plan.opaque.get(f)
    if refused is not None:
        return _called_itself(ev, f, args, kwargs, refused)
    if f not in ev.caches.functions:
        ev.caches.functions[f] = Cached(lift(ev, f.__wrapped__, (f, ("attr", "__wrapped__"))))
    snapshot, reads_before, branching_before = ev.snapshot(), len(ev.outside.reads), len(ev.caches.branching)
    of_constants = not _differentiated(ev, args, kwargs)
    try:
        with ev.caches.inside(of_constants):
            result = _evaluated(ev, ev.caches.functions[f], args, kwargs)
    except SctError as error:
        return _called_itself(ev, f, args, kwargs, error)
    ev.caches.branching.extend(filter(None, [_branching(ev, ev.caches.functions[f])]))
    reads, branching = ev.outside.reads[reads_before:], ev.caches.branching[branching_before:]
    if not reads and not branching or ev.caches.constant:  # the outermost call of constants decides
        return result
    del ev.caches.branching[branching_before:]
    t = ev.type_of(result) if isinstance(result, (Value, Ref)) or is_literal(result) else None
    ev.restore(snapshot)
    refused = _reads_what_may_change(ev, reads[-1]) if reads else branching[-1]
    of_kind = {"c": ANY_NUMBER, "f": ANY_REAL, "i": ANY_INT, "b": ANY_BOOL}
    gives = of_kind[t.kind] if isinstance(t, Tensor) and not t.is_array else None
    return _called_itself(ev, f, args, kwargs, refused, gives)


def _differentiated(ev: Evaluator, args: Args, kwargs: Kwargs) -> bool:
    return any(is_varied(ev, v) for v in (*args, *kwargs.values()))


def _reads_what_may_change(ev: Evaluator, what: str) -> SctError:
    return SctError("SCT204", f"a cached function reads `{what}`, which may change between its calls",
                    why="the cache returns the result of the first call with the same arguments",
                    hint=f"pass it as an argument, or {WRITE}", loc=ev.loc)


def _called_itself(ev: Evaluator, f: Any, args: Args, kwargs: Kwargs, refused: SctError, gives: Type | None = None
                   ) -> Abstract:
    """A call that Python makes, whose cache is that of Python; `gives`: the type of its result, if that is a number."""
    if _differentiated(ev, args, kwargs):
        raise refused
    if gives is None and f not in ev.functions.plan.opaque:
        raise ev.functions.plan.changed(opaque={f: refused})
    ev.outside.default_names.setdefault((f,), f.__name__)
    passed, named = [_as_it_is(ev, v) for v in args], {name: _as_it_is(ev, v) for name, v in kwargs.items()}
    try:
        result = call_itself(ev, Static(f, (f,)), passed, named, gives)
    except SctError:
        raise refused from None
    _keep(ev, result)
    return result


def _as_it_is(ev: Evaluator, v: Abstract) -> Abstract:
    """An object from outside, as an operand: the function itself is called with it."""
    return opaque(ev, v) if isinstance(v, Static) and v.path is not None and is_object(v) else v


INSTANCES[CACHED] = wrapped


@called(Cached)
def call_cached(ev: Evaluator, fn: Cached, args: Args, kwargs: Kwargs) -> Abstract:
    result = _evaluated(ev, fn, args, kwargs)
    refused = _branching(ev, fn)
    if refused is not None:
        raise refused
    return result


def _evaluated(ev: Evaluator, fn: Cached, args: Args, kwargs: Kwargs) -> Abstract:
    """The result of a call, which is kept."""
    arguments: dict[int | str, Abstract] = dict(enumerate(args))
    arguments.update(kwargs.items())
    for v in arguments.values():
        _hashable(ev, v)
    _same_as_before(ev, fn, arguments)
    if fn.memo is not None:
        return _looked_up(ev, fn, fn.memo, args, kwargs)
    before, block, mark = ev.store.copy(), ev.b, len(ev.b.eqns)
    result = ev.call(fn.fn, args, kwargs)
    _pure(ev, before, block.eqns[mark:])
    _keep(ev, result)
    return result


def _looked_up(ev: Evaluator, fn: Cached, memo: MapRef, args: Args, kwargs: Kwargs) -> Abstract:
    """The entry of the cache for these arguments, or the result of the function, which becomes the entry."""
    if kwargs:
        ev.refuse("SCT204", "a cached function that calls itself is called with keyword arguments",
                  hint="pass the arguments by position")
    key = args[0] if len(args) == 1 and not isinstance(args[0], Tup) else Tup(tuple(args))

    def computed() -> Abstract:
        result = ev.call(fn.fn, args, {})
        _keep(ev, result)
        run_time_dicts.assign(ev, memo, key, result)
        return run_time_dicts.item(ev, memo, key)

    there = ev.operand(run_time_dicts.contains(ev, memo, key))
    if isinstance(there, Lit):
        return computed()
    return evaluate_branches(  # type: ignore[no-any-return]
        ev, there, lambda: run_time_dicts.item(ev, memo, key), computed)


def _hashable(ev: Evaluator, v: Abstract) -> None:
    if isinstance(v, Tup) and v.cls is tuple:
        for x in v.items:
            _hashable(ev, x)
    elif isinstance(v, (Ref, ListRef, DictRef)):
        kind = "numpy.ndarray" if isinstance(v, Ref) else "list" if isinstance(v, ListRef) else "dict"
        raise_at_run_time(ev, "TypeError", f"unhashable type: '{kind}'")
    elif isinstance(v, (Tup, ObjRef)):
        ev.refuse("SCT204", "a cached function is called with an object",
                  why="its results depend on which objects are equal", hint=f"pass numbers, or {WRITE}")


def _same_as_before(ev: Evaluator, fn: Cached, arguments: Mapping[int | str, Abstract]) -> None:
    """Refuses a function whose result may differ from that of the call before: then the cache would be observable."""
    outer = captured(ev, None, (fn.fn, *arguments.values()))
    state = [x for key in outer.keys for x in _contents(ev, ev.store.vars[key], set())]
    kinds = {name: _kind(ev, v) for name, v in arguments.items()}
    function = ev.functions.in_progress[-1] if ev.functions.in_progress else None
    where = fn, function, 0 if function is None else function.round
    first, types = ev.caches.states.setdefault(where, (state, {}))
    if first != state:
        ev.refuse("SCT204", "a cached function reads a variable that changes between its calls",
                  why="the cache returns the result of the first call", hint=f"pass it as an argument, or {WRITE}")
    if any(types.setdefault(name, kind) != kind for name, kind in kinds.items()):
        ev.refuse("SCT204", "a cached function is called with numbers of different types",
                  why="equal numbers of two types share one result, which is of the type of the first call",
                  hint="pass numbers of one type: `float(x)`")


def _contents(ev: Evaluator, v: Abstract, seen: set[int]) -> Iterator[object]:
    """The current contents of a variable, for comparison."""
    yield v
    parts: tuple[Any, ...] = v.items if isinstance(v, Tup) else ()
    if isinstance(v, (Ref, Container)) and v.addr not in seen:
        seen.add(v.addr)
        cell = ev.store.cells[v.addr]
        if isinstance(cell, Slots):
            parts = cell.items
        else:
            yield cell.value
    for x in parts:
        yield from _contents(ev, x, seen)


def _kind(ev: Evaluator, v: Abstract) -> object:
    t = ev.type_of(v)
    if isinstance(v, Tup):
        return tuple(_kind(ev, x) for x in v.items)
    t = unmark_real(t) if isinstance(t, Tensor) else t  # an int that is differentiated by is an int of Python
    return (t.carrier, t.kind) if isinstance(t, Tensor) else type(t)


def _pure(ev: Evaluator, before: Store, eqns: Iterable[Eqn]) -> None:
    """Refuse effects and writes: they happen in the first call alone."""
    now = ev.store
    written = any(now.vars.get(key) != v for key, v in before.vars.items()) or now.writes_since(before)
    if written or _has_effects(ev, eqns, set()):
        ev.refuse("SCT204", "a cached function has an effect, or writes to an object that it has not created",
                  why="Python does that only in the first of the calls with the same arguments",
                  hint="return the value, and write it where the function is called")


def _has_effects(ev: Evaluator, eqns: Iterable[Eqn], seen: set[str]) -> bool:
    """Do equations, or functions that they call, have an effect?  An exception is not kept."""
    for eqn in walk(Fn("", (), tuple(eqns), ())):
        if eqn.op is call:
            name = eqn.attrs["callee"]
            bodies = [f.fn for f in ev.functions if f.name == name and f.fn is not None]
            if name not in seen and any(_has_effects(ev, fn.eqns, seen | {name}) for fn in bodies):
                return True
        elif not eqn.regions and has_effect(eqn) and eqn.op not in (raise_, python) and not _calls_cached(ev, eqn):
            return True
    return False


def _calls_cached(ev: Evaluator, eqn: Eqn) -> bool:
    """Does Python call a function with a cache here?  A second call has no effect."""
    callee = eqn.args[0] if eqn.op in (apply, inactive) and eqn.args else None
    return isinstance(callee, Value) and isinstance(ev.leaf_of(callee), CACHED)


def _branching(ev: Evaluator, fn: Cached) -> SctError | None:
    """The refusal of a function that calls itself more than once; one of the program gets a cache in the derivative."""
    if fn.memo is not None:
        return None
    node = fn.fn.node if isinstance(fn.fn, Closure) else None
    for (code, *_), functions in ev.functions.specialized.items():
        of = code[0] is node if node is not None else isinstance(fn.fn, Static) and code[1] is fn.fn.value
        for f in functions if of else ():
            if f.fn is not None and sum(e.op is call and e.attrs["callee"] == f.name for e in walk(f.fn)) > 1:
                if node is not None:
                    raise ev.functions.plan.changed(memoized={node})
                return SctError("SCT204", f"`{f.name}` is cached and calls itself more than once",
                                why="the derivative has no cache, and would take exponential time",
                                hint="write it as a loop that fills an array", loc=ev.loc)
    return None


def _keep(ev: Evaluator, v: Abstract) -> None:
    """Forbids writes to a cached result: other calls return it too."""
    if isinstance(v, (Closure, Bound, Iteration)):
        ev.refuse("SCT204", "a function whose results are kept returns a function or an iterator", hint=WRITE)
    parts = v.items if isinstance(v, Tup) else ()
    if isinstance(v, (Ref, Container)):
        cell = ev.store.cells[v.addr]
        parts = cell.items if isinstance(cell, Slots) else ()
        if cell.frozen in (Frozen.NO, Frozen.HELD) and cell.origin in (Origin.FRESH, Origin.PYTHON):
            ev.store.cells[v.addr] = replace(cell, frozen=Frozen.CACHED)
    for x in parts:
        _keep(ev, x)

