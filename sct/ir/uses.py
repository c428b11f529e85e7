"""Def-use analysis: where the values of a function are bound, and where they are read.

    def f(x):
        y = sin(x)          defining_eqn(y) is the equation of sin; uses(x) is one use, by that equation
        z = mul(y, y)       uses(y) is two uses, by the equation of mul at the positions 0 and 1
        return z            uses(z) is one use, by f itself

Regions are included. The analysis holds for the function that it was made for; a pass that replaces equations makes a
new one, or updates its own entries.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Container, Hashable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import NamedTuple, TypeVar, Union

from sct.ir.core import Eqn, Fn, Operand, Value, free_values, rebuild, walk

__all__ = ["DefUse", "Definition", "Use", "operands_read", "outer_reads", "reachable", "replace_values", "use_counts"]

T = TypeVar("T", bound=Hashable)


class Definition(NamedTuple):
    """Where a value is bound: as the out `position` of `eqn`, or as the param `position` of its `region`."""

    eqn: Eqn
    region: Fn | None
    position: int


class Use(NamedTuple):
    """A read of a value: the operand `position` of an equation, or the result `position` of a region."""

    user: Union[Eqn, Fn]
    position: int


class DefUse:
    """The definitions and uses of the values of `fn`, and the places of its equations and regions.

    definitions  value -> its definition; the params of `fn` itself have none
    home         value -> the region in which it is bound
    parent       equation -> the region in which it stands
    owner        region -> its equation; `fn` itself has none
    """

    def __init__(self, fn: Fn) -> None:
        self.fn = fn
        self.definitions: dict[Value, Definition] = {}
        self.home: dict[Value, Fn] = {}
        self.parent: dict[Eqn, Fn] = {}
        self.owner: dict[Fn, Eqn] = {}
        self._enter(fn)

    def _enter(self, region: Fn) -> None:
        home, definitions = self.home, self.definitions
        home.update(dict.fromkeys(region.params, region))
        self.parent.update(dict.fromkeys(region.eqns, region))
        for eqn in region.eqns:
            for inner in eqn.regions:
                self.owner[inner] = eqn
                definitions.update((p, Definition(eqn, inner, k)) for k, p in enumerate(inner.params))
                self._enter(inner)
            for k, out in enumerate(eqn.outs):
                definitions[out] = Definition(eqn, None, k)
                home[out] = region

    @cached_property
    def _uses(self) -> dict[Value, list[Use]]:
        uses: dict[Value, list[Use]] = {}

        def visit(region: Fn) -> None:
            for eqn in region.eqns:
                enter(eqn, eqn.args)
                for inner in eqn.regions:
                    visit(inner)
            enter(region, region.results)

        def enter(user: Eqn | Fn, operands: Sequence[Operand]) -> None:
            for k, x in enumerate(operands):
                if isinstance(x, Value):
                    uses.setdefault(x, []).append(Use(user, k))

        visit(self.fn)
        return uses

    def uses(self, v: Value) -> Sequence[Use]:
        """The reads of `v`, one for each operand or result."""
        return self._uses.get(v, ())

    def definition(self, x: Operand) -> Definition | None:
        """The definition of `x`; None for a literal and for a param of `fn`."""
        return self.definitions.get(x) if isinstance(x, Value) else None

    def defining_eqn(self, x: Operand) -> Eqn | None:
        """The equation that binds `x`; None for a literal and for a param."""
        definition = self.definition(x)
        return definition.eqn if definition is not None and definition.region is None else None

    def defining_op(self, x: Value) -> tuple[str, Sequence[Operand]] | None:
        """The name and the operands of the op that binds a value; None for a param."""
        eqn = self.defining_eqn(x)
        return None if eqn is None else (eqn.op.name, eqn.args)

    def runs_once_from(self, region: Fn, outer: Fn) -> bool:
        """Is `region` the region `outer`, or nested in it through branches of conditionals only?"""
        while region is not outer:
            eqn = self.owner.get(region)
            if eqn is None or eqn.op.name != "cond":
                return False
            region = self.parent[eqn]
        return True


def operands_read(fn: Fn) -> Iterator[Operand]:
    """Every operand and result of `fn` and of the regions in it."""
    for eqn in walk(fn):
        yield from eqn.args
        for region in eqn.regions:
            yield from region.results
    yield from fn.results


def outer_reads(eqn: Eqn) -> Iterator[Operand]:
    """The operands of an equation, and the values around it that its regions read."""
    yield from eqn.args
    for region in eqn.regions:
        yield from free_values(region)


def reachable(start: Iterable[T], following: Callable[[T], Iterable[T]]) -> set[T]:
    """What is reached from `start` in any number of steps, `start` included; `following`: what one step leads to.

    >>> sorted(reachable([3], lambda n: [n // 2, n - n % 2]))
    [0, 1, 2, 3]
    """
    reached: set[T] = set()
    work = list(start)
    while work:
        x = work.pop()
        if x not in reached:
            reached.add(x)
            work += following(x)
    return reached


def use_counts(fn: Fn) -> Counter[Value]:
    """How often each value is read in `fn` and its regions, as an operand or a result."""
    return Counter(x for x in operands_read(fn) if type(x) is Value)


def replace_values(fn: Fn, replacements: Mapping[Value, Operand]) -> Fn:
    """`fn`, which reads the replacements of these values, without the equations that bind one of them alone."""
    return rebuild(_without(fn, replacements), replacements)


def _without(fn: Fn, outs: Container[Value]) -> Fn:
    return fn.replace(eqns=tuple(
        eqn.replace(regions=tuple(_without(r, outs) for r in eqn.regions)) if eqn.regions else eqn
        for eqn in fn.eqns if not (len(eqn.outs) == 1 and eqn.out in outs)))
