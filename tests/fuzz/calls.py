"""Programs of functions that call themselves, one another, and long ones again and again.

The bodies are those of the family `control`; every call of a function in itself or in another that
may lead back to it comes with a smaller depth.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from tests.fuzz.control import Control, Helper, Scope
from tests.fuzz.features import CALLS as FEATURES
from tests.fuzz.program import Program

__all__ = ["FEATURES", "generate"]


class Calls(Control):
    """`depths` has what a call of a function gives for its last parameter."""

    HELPERS = (1, 2, 2)

    def __init__(self, seed: int) -> None:
        super().__init__(seed)
        self.depths: dict[str, str] = {}
        self.budget += 10

    def helper(self, k: int, globals_: list[str]) -> None:
        if self.r.chance(0.4):
            self.recursive([self.shape(f"h{k}"), self.shape(f"g{k}")], globals_)
        elif self.r.chance(0.65):
            self.recursive([self.shape(f"h{k}")], globals_)
        else:
            self.long(k, globals_)

    def shape(self, name: str) -> Helper:
        return Helper(name, self.r.randint(1, 2), (), self.r.chance(0.2))

    def recursive(self, group: list[Helper], globals_: list[str]) -> None:
        """Functions that call themselves and one another, a depth `m` at most."""
        r, others = self.r, list(self.helpers)
        for h in group:
            self.pair = h.pair
            floats = ["x", "y"][: h.positional]
            with self.w.block(f"def {h.name}({', '.join([*floats, 'm'])}):"):
                scope = Scope(floats, ["m"], reads=list(globals_), fixed=("m",))
                self.helpers = list(others)
                with self.w.block("if m <= 0:"):
                    base = scope.copy()
                    if not (r.chance(0.5) and self.block(base, 1, 1)):
                        self.final(base)
                self.helpers = [*others, *group]
                self.depths.update({each.name: "m - 1" for each in group})
                if not self.block(scope, r.randint(1, 3), 2):
                    self.ending(scope, group)
        self.pair = False
        self.helpers = [*others, group[0]]
        self.depths[group[0].name] = r.choice(("1", "2"))

    def ending(self, s: Scope, group: list[Helper]) -> None:
        """A result that takes a call, so that the function does go on."""
        h = self.r.choice(group)
        call = f"{self.call(h, s, 1)}{'[0]' if h.pair else ''}"
        self.w.line(f"down = math.tanh({call})")
        s.define("down")
        self.final(s)

    def long(self, k: int, globals_: list[str]) -> None:
        """A function of many lines, whose calls are not worth to be written out."""
        h = self.shape(f"h{k}")
        self.pair = h.pair
        floats = ["x", "y"][: h.positional]
        with self.w.block(f"def {h.name}({', '.join(floats)}):"):
            scope = Scope(floats, reads=list(globals_))
            if not self.block(scope, self.r.randint(5, 8), 2):
                self.final(scope)
        self.pair = False
        self.helpers.append(h)

    def call(self, h: Helper, s: Scope, depth: int) -> str:
        if h.name not in self.depths:
            return super().call(h, s, depth)
        return f"{super().call(replace(h, defaults=()), s, depth)[:-1]}, m={self.depths[h.name]})"

    def num(self, s: Scope, depth: int) -> Any:
        """Calls in loops would be too many."""
        kept = self.helpers
        if s.loop:
            self.helpers = [h for h in kept if h.name not in self.depths]
        try:
            return super().num(s, depth)
        finally:
            self.helpers = kept


def generate(seed: int) -> Program:
    return Calls(seed).program()
