"""Reads of arrays that a loop writes, done again from the final array; that is sound for any indices."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from handmade import SQUARE, VEC, differences, for_, function, gradient_of, value

from sct.ir.core import Fn, Lit, walk
from sct.ir.interp import run
from sct.ir.types import ANY_REAL, Seq
from sct.ops import add, dim, div, exp, index, mul, sin, store, sub
from sct.passes.pipeline import stages


def at(x: Any, *key: Any) -> Any:
    return index(x, *key, key=("i",) * len(key))


def put(x: Any, v: Any, *key: Any) -> Any:
    return store(x, v, *key, key=("i",) * len(key))


def tapes(fn: Fn) -> int:
    return sum(isinstance(out.type, Seq) for eqn in walk(fn) if eqn.op.name == "loop" for out in eqn.outs)


def product(u: Any) -> Any:
    """x[i] = x[i - 1] * u[i]"""
    n = dim(u, axis=0)
    x, _ = for_(n, [mul(u, 1.0)], lambda i, x: [put(x, sin(mul(at(x, sub(i, 1)), at(u, i))), i)], start=1)
    return at(x, sub(n, 1))


def wrapped(u: Any) -> Any:
    """The first trip reads the last element, which the last trip writes."""
    n = dim(u, axis=0)
    x, _ = for_(n, [mul(u, 1.0)], lambda i, x: [put(x, mul(at(x, sub(i, 1)), at(u, i)), i)])
    return at(x, sub(n, 1))


def thomas(u: Any) -> Any:
    """A tridiagonal solve: forwards, then backwards."""
    n = dim(u, axis=0)

    def down(i: Any, c: Any, d: Any) -> Any:
        m = sub(2.5, mul(at(u, i), at(c, sub(i, 1))))
        return [put(c, div(at(u, i), m), i), put(d, div(sub(1.0, mul(at(u, i), at(d, sub(i, 1)))), m), i)]

    def up(i: Any, x: Any) -> Any:
        return [put(x, sub(at(d, i), mul(at(c, i), at(x, add(i, 1)))), i)]

    c, d, _ = for_(n, [mul(u, 0.4), mul(u, 0.3)], down, start=1)
    x, _ = for_(-1, [mul(d, 1.0)], up, start=sub(n, 2), step=-1)
    return at(x, 0)


def lu(a: Any) -> Any:
    n = dim(a, axis=0)

    def column(k: Any, a: Any) -> Any:
        def row(i: Any, a: Any) -> Any:
            a = put(a, div(at(a, i, k), at(a, k, k)), i, k)
            return [for_(n, [a], lambda j, a: [put(a, sub(at(a, i, j), mul(at(a, i, k), at(a, k, j))), i, j)],
                         start=add(k, 1))[0]]

        return [for_(n, [a], row, start=add(k, 1))[0]]

    a, _ = for_(n, [mul(a, 1.0)], column)
    return for_(n, [Lit(1.0)], lambda i, s: [mul(s, at(a, i, i))], types=[ANY_REAL])[0]


def table(a: Any) -> Any:
    """A dynamic program over a square."""
    n = dim(a, axis=0)

    def row(i: Any, d: Any) -> Any:
        def cell(j: Any, d: Any) -> Any:
            before = exp(mul(at(d, sub(i, 1), j), mul(at(d, i, sub(j, 1)), 0.1)))
            return [put(d, add(before, mul(at(a, i, j), at(d, sub(i, 1), sub(j, 1)))), i, j)]

        return [for_(n, [d], cell, start=1)[0]]

    d, _ = for_(n, [mul(a, 1.0)], row, start=1)
    return at(d, sub(n, 1), sub(n, 1))


def sweeps(u: Any) -> Any:
    """Every sweep overwrites what the one before left."""
    n = sub(dim(u, axis=0), 1)

    def inner(i: Any, x: Any) -> Any:
        return [put(x, sin(mul(at(x, sub(i, 1)), at(x, add(i, 1)))), i)]

    x, _ = for_(2, [mul(u, 1.0)], lambda t, x: [for_(n, [x], inner, start=1)[0]])
    return at(x, 2)


U = np.array([0.3, -0.5, 0.9, 1.3, 0.8])
A = np.array([[2.3, -0.5, 0.9, 0.1], [1.2, 3.4, -0.2, 0.3], [0.2, 0.4, 4.2, 0.3], [0.1, 0.5, -0.2, 3.3]])
KEPT: list[tuple[Callable[..., Any], Any, Any, int]] = [
    (product, VEC, U, 0), (wrapped, VEC, U, 1), (thomas, VEC, U, 0), (lu, SQUARE, A, 1), (table, SQUARE, 0.3 * A, 2),
    (sweeps, VEC, U, 4),
]


@pytest.mark.parametrize("body, type, arg, kept", KEPT, ids=[c[0].__name__ for c in KEPT])
def test_kept(body: Callable[..., Any], type: Any, arg: Any, kept: int) -> None:
    f = function(body, type)
    made = stages(gradient_of(f, [0]), verify=True)
    for stage in ("expanded", "saved"):
        np.testing.assert_allclose(run(made[stage], [arg])[0], differences(value(f), [arg], 0), rtol=1e-5, atol=1e-7)
    assert tapes(made["saved"]) == kept


class _Random:
    """Nested loops that read and write an array at random affine indices, negative ones too."""

    def __init__(self, seed: int) -> None:
        self.rng = random.Random(seed)

    def program(self, u: Any) -> Any:
        self.u = u
        x = self.loop(mul(u, 1.0), [], 0)
        return add(at(x, self.rng.randrange(6)), mul(at(x, 0), at(x, 5)))

    def loop(self, x: Any, indices: list[Any], depth: int) -> Any:
        rng = self.rng
        start = rng.choice([0, 0, 1, 2, *indices[-1:]])
        bounds = rng.choice([(start, rng.choice([3, 4, 5]), 1), (4, -1, -1), (1, 6, 2), (3, 0, -1)])

        def body(i: Any, x: Any) -> Any:
            for _ in range(rng.randint(1, 2)):
                if depth < 2 and rng.random() < 0.4:
                    x = self.loop(x, [*indices, i], depth + 1)
                else:
                    x = self.write(x, [*indices, i])
            return [x]

        return for_(bounds[1], [x], body, start=bounds[0], step=bounds[2])[0]

    def write(self, x: Any, indices: list[Any]) -> Any:
        a, b = at(x, self.key(indices)), at(self.rng.choice([x, x, self.u]), self.key(indices))
        v = self.rng.choice([lambda: mul(a, b), lambda: sin(add(a, mul(b, b))), lambda: mul(0.5, sin(mul(a, b)))])()
        return put(x, v, self.key(indices))

    def key(self, indices: list[Any]) -> Any:
        i = self.rng.choice(indices)
        return self.rng.choice([i, i, sub(i, 1), add(i, 1), sub(4, i), Lit(self.rng.randrange(6)), sub(i, 2)])


@pytest.mark.parametrize("seed", range(150))
def test_random_loops(seed: int) -> None:
    f = function(_Random(seed).program, VEC)
    args = [np.linspace(0.4, 1.6, 9)]
    made = stages(gradient_of(f, [0]), verify=True)
    (want,) = run(made["expanded"], args)
    (got,) = run(made["saved"], args)
    np.testing.assert_allclose(got, want, rtol=1e-7, atol=1e-9)


def test_final_reads_are_used_by_random_loops() -> None:
    """The random programs do test the proof: many of them drop tapes by it."""
    fewer = 0
    for seed in range(40):
        made = stages(gradient_of(function(_Random(seed).program, VEC), [0]))
        fewer += tapes(made["saved"]) < tapes(made["adjoint"])
    assert fewer > 10
