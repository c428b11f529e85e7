"""Random programs of whole-array statements in a loop, for the Numba backend: stencils, masks, reductions, products,
arrays of positions.

>>> print(generate(0)[0])            # doctest: +SKIP
"""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import numpy as np

SLICES = ["1:-1", "2:", ":-2", "-5:-2", "1:4", "::-1", "k:", ":k", "k % 2:", "-k - 1:"]
UNARY = ["np.sin({})", "({}) ** 2", "-({})", "np.tanh({})", "np.abs({})", "np.exp(-({}) ** 2)", "np.flip({})"]
BINARY = ["{} + {}", "{} - {}", "{} * {}", "np.maximum({}, {})", "np.minimum({}, {})", "{} / (2.0 + np.cos({}))",
          "np.where({0} > {1}, {0}, 2.0 * {1})"]


class Writer:
    """Writes one program; `n` is the size of the vectors, and the matrices have n rows and columns."""

    def __init__(self, seed: int) -> None:
        self.r = random.Random(seed)

    def part(self, length: str) -> str:
        """A part of a vector with `n - 2` elements, or a whole one."""
        name = self.r.choice(["u", "v", "w"])
        if length == "n":
            return self.r.choice([name, name, f"{name}[::-1]", "m[:, k]", "m[k]", "m[-1, :]", "np.sum(m, axis=0)",
                                  "np.sum(m, axis=1)", "(m @ u)", "np.max(m, axis=0)", "m.T[k]", f"{name}[p]",
                                  "m[p, k]", "(v @ m)", "np.einsum('ij,kj->ik', m, m)[k]",
                                  "np.einsum('ji,j->i', m, v)", f"np.concatenate((w[1:], {name}[:1]))",
                                  f"np.stack(({name}, m[k], w), axis=1)[:, k]", f"np.array([u, {name}])[k % 2]"])
        return self.r.choice([f"{name}[1:-1]", f"{name}[2:]", f"{name}[:-2]", "m[k, 1:-1]", "m[2:, k]",
                              f"{name}[:-2][::-1]"])

    def vector(self, length: str, depth: int = 2) -> str:
        r = self.r.random()
        if depth == 0 or r < 0.2:
            return self.part(length)
        if r < 0.45:
            return self.r.choice(UNARY).format(self.vector(length, depth - 1))
        if r < 0.6:
            return f"{self.scalar()} * ({self.vector(length, depth - 1)})"
        return "(" + self.r.choice(BINARY).format(self.vector(length, depth - 1), self.vector(length, depth - 1)) + ")"

    def scalar(self) -> str:
        return self.r.choice(["0.5", "c", "np.sum(u * v)", "np.mean(w)", "u @ w", "np.max(v)", "m[k, 0]", "u[-1]",
                              "np.dot(m[k, :k], v[:k])"])

    def matrix(self, depth: int = 2) -> str:
        r = self.r.random()
        if depth == 0 or r < 0.3:
            return self.r.choice(["m", "m.T", "np.outer(u, v)", "u[:, None] * w", "m - u", "m + v[:, None]",
                                  "np.where(m > 0.3, m, u)", "(m @ m)", "m[p]", "m[:, p]", "(m.T @ m)",
                                  "np.concatenate((m[1:], m[:1]))", "np.einsum('ij,kj,k->ik', m, m, u)",
                                  "np.tensordot(m, m, axes=((0,), (1,)))", "np.mean(m, axis=1, keepdims=True)",
                                  "np.sum(m[:, None, :] * m, axis=2)"])
        return "(" + self.r.choice(BINARY).format(self.matrix(depth - 1), self.matrix(depth - 1)) + ")"

    def statement(self) -> str:
        name = self.r.choice(["u", "v", "w"])
        op = self.r.choice(["=", "+=", "-=", "*="])
        return self.r.choice([
            lambda: f"{name} = 0.3 * {self.vector('n')}",
            lambda: f"{name}[1:-1] {op} 0.3 * {self.vector('n - 2')}",
            lambda: f"{name}[{self.r.choice(SLICES)}] {self.r.choice(['=', '+=', '*='])} 0.3 * {self.scalar()}",
            lambda: f"{name} {self.r.choice(['+=', '*=', '-='])} 0.3 * {self.vector('n')}",
            lambda: f"{name}[k:] {op} 0.3 * {self.r.choice(['u', 'v', 'w'])}[: len(u) - k]",
            lambda: f"m[k] {op} 0.3 * {self.vector('n')}",
            lambda: f"m[:, k] {op} 0.3 * {self.vector('n')}",
            lambda: f"m[1:-1, k] {op} 0.3 * {self.vector('n - 2')}",
            lambda: f"m[:] = 0.3 * {self.matrix()}",
            lambda: f"m = 0.3 * {self.matrix()}",
            lambda: f"c = 0.3 * {self.scalar()}",
            lambda: f"{name}[p] {op} 0.3 * {self.vector('n')}",
            lambda: f"m[p, k] {op} 0.3 * {self.vector('n')}",
            lambda: f"m[:, p] {op} 0.3 * {self.matrix()}",
            lambda: f"np.add.at({name}, p, 0.3 * {self.vector('n')})",
            lambda: f"{name}[k] {self.r.choice(['=', '+='])} 0.3 * {self.scalar()}",
            lambda: f"t = {self.vector('n')}\n        {name} = 0.2 * t + 0.1 * np.cos(t)",
            lambda: f"if c > 0.2:\n            {name} = 0.5 * {self.vector('n')}",
        ])()

    def program(self) -> str:
        body = "\n        ".join(self.statement() for _ in range(self.r.randint(1, 4)))
        return ("def f(u, v, m, c, p):\n    u, v, m = u.copy(), v.copy(), m.copy()\n    w = u + v\n"
                f"    for k in range(3):\n        {body}\n"
                "    return np.sum(u * v) + np.sum(np.sin(w)) + np.sum(m * m) + c\n")


def generate(seed: int) -> tuple[str, Callable[..., Any], tuple[Any, ...]]:
    """The source, the function, and its arguments."""
    source = Writer(seed).program()
    rng = np.random.default_rng(seed)
    n = int(rng.integers(5, 8))
    arrays = (*rng.normal(size=(2, n)), rng.normal(size=(n, n)), 0.4, rng.integers(-n, n, n))
    return source, source_function(source, seed), arrays


def source_function(source: str, seed: int) -> Callable[..., Any]:
    import linecache

    name = f"<numba program {seed}>"
    linecache.cache[name] = (len(source), None, source.splitlines(True), name)
    namespace: dict[str, Any] = {"np": np}
    exec(compile(source, name, "exec"), namespace)
    function: Callable[..., Any] = namespace["f"]
    return function
