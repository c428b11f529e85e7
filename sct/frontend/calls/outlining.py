"""Helpers that are called again:  which calls, evaluated in line, are to be of one function.

    y = f(a) + f(b), f long   ->   def f(x): ...;  y = call(a) + call(b)

A function becomes one of its own where it has more than `LONG` equations and stands in the
program for arguments of one kind more than once.  That is known at the end: then all is
evaluated again.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from sct.errors import SctError
from sct.frontend.calls.flattened_arguments import kind_of
from sct.frontend.evaluator.evaluator import Evaluator
from sct.frontend.evaluator.frames import Frame
from sct.frontend.values.abstract_values import Abstract, Key
from sct.ir import Eqn, Fn, walk
from sct.ir.types import Dim
from sct.ops import call

__all__ = ["Outline", "Sites", "called_once", "evaluated_in_line", "repeated", "site_of"]

LONG = 8
TOO_MUCH = 4000
"""Equations of one function, evaluated again and again: not to be waited for."""


@dataclass
class Sites:
    """What is evaluated as a function of its own.

    recursive  functions that call themselves, as `Frame.code`
    repeated   functions for arguments of a kind; single: those that are called once after all
    in_line    all others are evaluated in line, as long as that is not too much
    opaque     functions that are not evaluated at all, but called, and why
    equal      sizes of arguments that are found to be equal
    """

    recursive: set[Any] = field(default_factory=set)
    repeated: set[Any] = field(default_factory=set)
    single: set[Any] = field(default_factory=set)
    in_line: bool = False
    opaque: dict[Any, SctError] = field(default_factory=dict)
    equal: list[tuple[Dim, Dim]] = field(default_factory=list)


class Outline(Exception):
    """These are to be functions of their own, or not any more: evaluate all again."""

    def __init__(self, **sites: Any) -> None:
        self.sites = sites

    def enter(self, sites: Sites) -> None:
        for name, members in self.sites.items():
            getattr(sites, name).update(members)


@dataclass(frozen=True, eq=False)
class Inlined:
    """A call that was evaluated in line: what it was of, in calls of what, and its equations."""

    site: Any
    around: tuple[Any, ...]
    first: Eqn
    last: Eqn
    size: int


def site_of(ev: Evaluator, frame: Frame, bound: Mapping[Key, Abstract]) -> Any:
    """The function for arguments of this kind; None where it is not one that can be called again."""
    kind = kind_of(ev, bound)
    return None if kind is None else (frame.code, kind)


@contextmanager
def evaluated_in_line(ev: Evaluator, site: Any) -> Iterator[None]:
    """Notes what a call adds to the program."""
    start, block = len(ev.b.eqns), ev.b
    ev.inline_calls_in_progress.append(site)
    try:
        yield
    finally:
        ev.inline_calls_in_progress.pop()
    eqns = block.eqns[start:]
    size = sum(1 for _ in walk(Fn("", (), tuple(eqns), ())))
    if site is None or size <= LONG or site in ev.outlining.single:
        return
    ev.inlined_calls.append(Inlined(site, tuple(ev.inline_calls_in_progress), eqns[0], eqns[-1], size))
    if sum(each.size for each in ev.inlined_calls if each.site == site) > TOO_MUCH:
        raise Outline(repeated={site})


def repeated(ev: Evaluator, fn: Fn) -> set[Any]:
    """The functions that stand in `fn` more than once, but for those in one of them."""
    if ev.outlining.in_line:
        return set()
    there = {eqn for f in (fn, *(f.fn for fs in ev.outlined_functions.values() for f in fs if f.fn)) for eqn in walk(f)}
    in_program = [each for each in ev.inlined_calls if each.first in there and each.last in there]
    counts = Counter(each.site for each in in_program)
    again = {site for site, count in counts.items() if count > 1}
    return {each.site for each in in_program if each.site in again and not again.intersection(each.around)}


def called_once(ev: Evaluator, program: Fn) -> set[Any]:
    """The functions of their own that are called in one place only."""
    counts = Counter(eqn.attrs["callee"] for f in (program, *program.functions) for eqn in walk(f) if eqn.op is call)
    return {f.site for fs in ev.outlined_functions.values() for f in fs
            if f.site is not None and not f.recursive and counts.get(f.name) == 1}
