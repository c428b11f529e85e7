"""Captured variables: what closures read of the functions around them, passed as arguments when they are outlined.

    def scaled(k):
        def f(v, n): return v if n == 0 else scaled(k)(v * k, n - 1)     f reads `k` and `scaled`
        return f

Two closures are one function if they have the same code and the closures that they reach are linked alike: the calls
whose variables they read are numbered in the order in which they are met.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

import gast

from sct.frontend.evaluator.evaluator import Evaluator
from sct.frontend.source.name_scopes import declared, free_names
from sct.frontend.state.parts import Frame
from sct.frontend.values.abstract_values import (
    Abstract,
    Closure,
    Container,
    Key,
    Slots,
    parts,
)
from sct.ir import Value

__all__ = ["Outer", "captured"]


@dataclass
class Outer:
    """Variables of enclosing calls that closures read or bind.

    keys     the variables, and whether they are bound (`nonlocal`)
    frames   the calls that they belong to, in the order in which they are met
    links    which function reads which variables, by the numbers of calls
    unbound  those that are bound, and have no value yet
    """

    keys: dict[Key, bool] = field(default_factory=dict)
    frames: list[int] = field(default_factory=list)
    links: list[Any] = field(default_factory=list)
    unbound: list[str] = field(default_factory=list)

    def number(self, frame: int) -> int:
        if frame not in self.frames:
            self.frames.append(frame)
        return self.frames.index(frame)

    @property
    def written(self) -> list[Key]:
        return [key for key, rebound in self.keys.items() if rebound]


def captured(ev: Evaluator, call: Frame | None, values: Iterable[Abstract]) -> Outer:
    """The captured variables of the called function, if any, and of the closures in `values`."""
    outer = Outer()
    todo = [] if call is None or call.parent is None else [(call.source.node, call.parent)]
    for v in values:
        todo += _closures(ev, v, set())
    seen = set()
    for code, frame in todo:  # grows meanwhile
        if (code, frame.id) in seen:
            continue
        seen.add((code, frame.id))
        reads: list[Any] = []
        rebound = _rebound(code)
        for name in sorted(free_names(code)):
            home = frame.home(name)
            key = None if home is None else Key(home.id, name)
            if key is None or key not in ev.store.vars:
                if key is not None and name in rebound:
                    outer.unbound.append(name)
                reads.append((name, key is not None))
                continue
            reads.append((name, outer.number(key.frame)))
            if isinstance(ev.store.is_bound(key), Value):
                ev.refuse("SCT204", f"a function that calls itself reads `{name}`, which not every path binds",
                          hint=f"bind `{name}` on every path before the call")
            outer.keys[key] = outer.keys.get(key, False) or name in rebound
            todo += _closures(ev, ev.store.vars[key], set())
        outer.links.append((code, frame.function, outer.number(frame.id), tuple(reads)))
    return outer


def _rebound(node: Any) -> set[str]:
    """The names that a function, or one nested in it, declares `nonlocal`."""
    nested = (n for n in gast.walk(node) if isinstance(n, (gast.FunctionDef, gast.Lambda)))
    return {name for n in nested for name in declared(n)[1]}


def _closures(ev: Evaluator, v: Any, seen: set[int]) -> list[tuple[Any, Frame]]:
    """The functions in a value that were made during evaluation, each with the call that it was made in."""
    held = parts(v)
    if isinstance(v, Container) and v.addr not in seen:
        seen.add(v.addr)
        cell = ev.store.cells[v.addr]
        held = cell.items if isinstance(cell, Slots) else ()
    own = [(v.node, ev.all_frames[v.frame])] if isinstance(v, Closure) else []
    return own + [pair for x in held for pair in _closures(ev, x, seen)]
