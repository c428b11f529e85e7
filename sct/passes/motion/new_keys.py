"""New keys: where `key in d` has been False, `d.setdefault(key, n)` adds the key.

    if key not in places:                         if key not in places:
        at = places.setdefault(key, len(xs))          places[key] = len(xs)
        if at == len(xs):                 ->          xs.append(v)
            xs.append(v)
        else:
            xs[at] = v

`places` is the dict of the places of keys in lists, which the frontend makes of a dict of the user.
In:  primal IR. Out: IR that computes the same. The backward pass then needs neither the place nor the list before.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from sct.ir.core import Eqn, Fn, Lit, Operand, Value, is_undef, rebuild, walk
from sct.ir.types import Opaque
from sct.ops.program.control import cond
from sct.ops.program.effects import inactive
from sct.ops.scalar.comparison import eq, not_

__all__ = ["add_new_keys"]

Key = tuple[str, tuple[Operand, ...]]
"""A key of a dict: its text, and the dict with the operands of the key."""

_TEST = re.compile(r"(.*) in _0")
_SETDEFAULT = re.compile(r"_0\.setdefault\((.*), (_\d+)\)")


def add_new_keys(fn: Fn) -> Fn:
    """`fn`, where keys that are not in a dict are added to it without a test."""
    pass_ = _NewKeys()
    eqns = pass_.block(fn.eqns, frozenset())
    return rebuild(fn.replace(eqns=eqns), pass_.replaced) if pass_.replaced else fn


class _NewKeys:
    """
    definitions  the equation of each value
    replaced     values that are others where a key is new: its place, the test for it, and what depends on that
    tests        the tests for keys since a dict was written last
    """

    def __init__(self) -> None:
        self.definitions: dict[Value, Eqn] = {}
        self.replaced: dict[Value, Operand] = {}
        self.tests: dict[Value, Key] = {}

    def block(self, eqns: Iterable[Eqn], absent: frozenset[Key]) -> tuple[Eqn, ...]:
        """The equations of a block, at whose beginning the keys `absent` are not in their dicts."""
        after: list[Eqn] = []
        todo = list(reversed(list(eqns)))
        while todo:
            eqn = todo.pop()
            self.definitions.update(dict.fromkeys(eqn.outs, eqn))
            if (key := self.set_default(eqn)) is not None and key in absent:
                eqn = self.added(eqn, key)
            elif eqn.op is eq and self.read(eqn.args[0]) == self.read(eqn.args[1]) and eqn.args[0] in self.replaced:
                self.replaced[eqn.out] = Lit(True)
                continue
            elif eqn.op is cond and eqn.args[0] in self.replaced and self.read(eqn.args[0]) == Lit(True):
                then = eqn.regions[0]
                self.replaced.update(zip(eqn.outs, then.results))
                todo += reversed(then.eqns)
                continue
            elif eqn.op is cond:
                missing = [[self.tests[v] for v in self.failed(eqn.args[0], holds) if v in self.tests]
                           for holds in (True, False)]
                eqn = self.regions(eqn, self.tests, [absent.union(keys) for keys in missing])
            elif eqn.regions:  # they may run again, or not to their end
                eqn = self.regions(eqn, {}, [frozenset()] * len(eqn.regions))
            after.append(eqn)
            if (key := self.test(eqn)) is not None:
                self.tests[eqn.out] = key
            elif any(self.may_write(inner) for inner in (eqn, *(e for region in eqn.regions for e in walk(region)))):
                absent, self.tests = frozenset(), {}
        return tuple(after)

    def regions(self, eqn: Eqn, tests: dict[Value, Key], absent: list[frozenset[Key]]) -> Eqn:
        """The equation with its regions; at the beginning of each, `tests` are those since the last write."""
        outer, regions = self.tests, []
        inner: dict[Value, Key] = {}
        for region, keys in zip(eqn.regions, absent):
            self.tests = dict(tests)
            regions.append(region.replace(eqns=self.block(region.eqns, keys)))
            inner.update(self.tests)
        self.tests = {**outer, **inner}
        return eqn.replace(regions=tuple(regions))

    def added(self, eqn: Eqn, key: Key) -> Eqn:
        """The equation that adds the key, in place of `eqn`, which would ask whether it is there."""
        text, operands = key
        self.replaced[eqn.out] = eqn.args[-1]
        return eqn.replace(outs=(Value(Opaque()),), attrs={"text": f"_0.__setitem__({text}, _{len(operands)})"})

    def test(self, eqn: Eqn) -> Key | None:
        """The key that `eqn` looks for."""
        match = _TEST.fullmatch(eqn.attrs["text"]) if self.is_of_places(eqn) else None
        return None if match is None else (match[1], self.read_all(eqn.args))

    def set_default(self, eqn: Eqn) -> Key | None:
        """The key for which `eqn` sets a place, if it is not there."""
        match = _SETDEFAULT.fullmatch(eqn.attrs["text"]) if self.is_of_places(eqn) else None
        return None if match is None or match[2] != f"_{len(eqn.args) - 1}" else (
            match[1], self.read_all(eqn.args[:-1]))

    def failed(self, predicate: Operand, holds: bool) -> Iterator[Value]:
        """The tests that are False if the predicate holds, or does not."""
        eqn = self.definitions.get(predicate) if isinstance(predicate, Value) else None
        if eqn is None:
            return
        if eqn.op is not_:
            yield from self.failed(eqn.args[0], not holds)
        elif eqn.op is inactive and not holds:
            yield eqn.out
        elif eqn.op is cond:  # `a and b` holds only if `a` does
            k = eqn.outs.index(predicate)
            then, orelse = (region.results[k] for region in eqn.regions)
            for other, result, holds_first in ((orelse, then, True), (then, orelse, False)):
                if isinstance(other, Lit) and not is_undef(other) and bool(other.value) != holds:
                    yield from self.failed(eqn.args[0], holds_first)
                    yield from self.failed(result, holds)

    def is_of_places(self, eqn: Eqn) -> bool:
        """Is this an expression of a dict of places, which no code of the user sees?"""
        display = self.definitions.get(eqn.args[0]) if eqn.op is inactive and eqn.args and isinstance(
            eqn.args[0], Value) else None
        return display is not None and display.op is inactive and display.attrs["text"].startswith("{")

    def may_write(self, eqn: Eqn) -> bool:
        """May this write a dict?"""
        if self.is_of_places(eqn):
            return not (self.test(eqn) is not None or eqn.attrs["text"].startswith(("_0[", "len(")))
        return any(isinstance(x, Value) and isinstance(x.type, Opaque) for x in eqn.args)

    def read(self, x: Operand) -> Operand:
        while isinstance(x, Value) and x in self.replaced:
            x = self.replaced[x]
        return x

    def read_all(self, xs: tuple[Operand, ...]) -> tuple[Operand, ...]:
        return tuple(map(self.read, xs))
