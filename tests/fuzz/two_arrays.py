"""What the families of programs over two arrays and an int have in common: the function, its arguments."""

from __future__ import annotations

import numpy as np

from tests.fuzz.program import Program
from tests.fuzz.source import Random, Writer

__all__ = ["SIZE", "OfTwoArrays"]

SIZE = 3


class OfTwoArrays:
    """Writes a program `f(u, w, n)` of two arrays of `SIZE` numbers.

    family  of which random numbers depend; `header`: the definitions before the function
    counts  the values of `n`, one for each point: other paths than the first point takes
    """

    family: str
    header: str
    counts: tuple[int, ...]

    def __init__(self, seed: int) -> None:
        self.r = Random(f"{self.family} {seed}")
        self.seed = seed
        self.w = Writer()

    def body(self) -> str:
        """Writes the statements; the expression of the result, in which `s` is a number."""
        raise NotImplementedError

    def start(self) -> None:
        """Writes the names and containers that may hold one array twice."""
        raise NotImplementedError

    def program(self) -> Program:
        for line in self.header.splitlines():
            self.w.line(line)
        with self.w.block("def f(u, w, n):"):
            self.start()
            self.w.line("s = 0.0")
            self.w.line(f"return {self.body()}")
        points = tuple(map(self.point, range(len(self.counts))))
        return Program(self.w.text(), points, (0, 1), self.seed)

    def point(self, k: int) -> tuple[object, ...]:
        rng = np.random.default_rng([self.seed, k])
        return rng.uniform(-1.0, 1.0, SIZE), rng.uniform(-1.0, 1.0, SIZE), self.counts[k]
