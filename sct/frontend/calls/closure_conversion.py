"""Closure conversion: values of the program that an outlined function reads become its params.

    def g(y): return x * y; call g(2.0)   ->   def g(y, x): return x * y; call g(2.0, x)
"""

from __future__ import annotations

from collections.abc import Mapping

from sct.frontend.evaluator.evaluator import Evaluator
from sct.ir import Eqn, Fn, Value, free_values, has_effect, rebuild, walk
from sct.ops import call

__all__ = ["closed"]


def closed(ev: Evaluator, fn: Fn) -> Fn:
    """`fn` with the outlined functions that it calls; each call passes the values that the function reads, and says
    whether it has an effect."""
    table = {f.name: f.fn for f in ev.functions if f.fn is not None}
    called = _reached(fn, table)
    if not called:
        return fn
    free = {name: dict.fromkeys(free_values(f)) for name, f in called.items()}
    effects = {name for name, f in called.items() if any(map(has_effect, f.eqns))}
    callees = {name: set(_callees(f)) for name, f in called.items()}
    changed = True
    while changed:
        before = sum(map(len, free.values())), len(effects)
        for name in called:
            for callee in callees[name]:
                free[name].update(free[callee])
                effects |= {name} if callee in effects else set()
        changed = before != (sum(map(len, free.values())), len(effects))

    def converted(f: Fn) -> Fn:
        extra = {v: Value(v.type, v.hint, v.dim) for v in free[f.name]}
        body = rebuild(region(f), dict(extra))
        return body.replace(params=(*body.params, *extra.values()))

    def region(f: Fn) -> Fn:
        return f.replace(eqns=tuple(map(eqn, f.eqns)))

    def eqn(e: Eqn) -> Eqn:
        if e.op is not call:
            return e.replace(regions=tuple(map(region, e.regions)))
        name = e.attrs["callee"]
        return e.replace(args=(*e.args, *free[name]), attrs={**e.attrs, "effect": name in effects})

    return region(fn).replace(functions=tuple(converted(f) for f in called.values()))


def _callees(fn: Fn) -> list[str]:
    return [e.attrs["callee"] for e in walk(fn) if e.op is call]


def _reached(fn: Fn, table: Mapping[str, Fn]) -> dict[str, Fn]:
    reached: dict[str, Fn] = {}
    todo = _callees(fn)
    while todo:
        name = todo.pop()
        if name not in reached:
            reached[name] = table[name]
            todo += _callees(table[name])
    return {name: f for name, f in table.items() if name in reached}
