"""The pass `choose_residuals`: what is kept on tapes; that nothing else changes."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from handmade import MAT, VEC, differences, for_, function, gradient_of, if_, tangent_of, value, while_
from test_ad import CASES, IDS, _second

from sct.ir.check import verify
from sct.ir.core import Fn, Lit, walk
from sct.ir.interp import run
from sct.ir.types import ANY_BOOL, ANY_REAL, BOOL, FLOAT, INT, Seq
from sct.ops import abs_, add, cos, dim, div, exp, gt, index, lt, mul, not_, sin, sqrt, sub, tanh
from sct.passes.autodiff.expand import expand
from sct.passes.pipeline import stages
from sct.passes.rematerialization.choose_residuals import choose_residuals
from sct.passes.rematerialization.min_cut import Network
from sct.passes.rewriting.driver import rewrite


def at(x: Any, *key: Any) -> Any:
    return index(x, *key, key=("i",) * len(key))


def tapes(fn: Fn) -> int:
    """How many tapes the loops of `fn` write."""
    return sum(isinstance(out.type, Seq) for eqn in walk(fn) if eqn.op.name == "loop" for out in eqn.outs)


# -- what is kept -------------------------------------------------------------------------


def logistic(x: Any, n: Any) -> Any:
    return for_(n, [x], lambda i, v: [mul(mul(4.0, v), sub(1.0, v))])[0]


def newton(a: Any) -> Any:
    start = if_(gt(a, 1.0), lambda: a, lambda: Lit(1.0))
    return while_([start, 0], lambda x, k: gt(abs_(sub(mul(x, x), a)), 1e-10),
                  lambda x, k: [mul(0.5, add(x, div(a, x))), add(k, 1)])[0]


def recurrence(a: Any, x: Any) -> Any:
    return for_(dim(a, axis=0), [x], lambda i, x: [tanh(mul(at(a, i), x))], types=[ANY_REAL])[0]


def crossing(x: Any, level: Any) -> Any:
    def body(i: Any, total: Any, done: Any) -> Any:
        v = at(x, i)

        def rest() -> Any:
            t = add(total, mul(v, v))
            c = gt(t, level)
            return [not_(c), t, c]

        return if_(lt(v, 0.0), lambda: [True, total, done], rest, types=[BOOL, ANY_REAL, ANY_BOOL])

    t, d, _ = for_(dim(x, axis=0), [0.0, False], body, exits=True, types=[ANY_REAL, ANY_BOOL])
    return if_(d, lambda: sqrt(t), lambda: t, types=[ANY_REAL])


def linear(x: Any, n: Any) -> Any:
    return for_(n, [x], lambda i, v: [sub(mul(v, 0.5), 1.0)])[0]


def counted_by_hand(u: Any) -> Any:
    """The index of a `while` loop is the position."""
    return while_([0, 1.0], lambda k, s: lt(k, dim(u, axis=0)), lambda k, s: [add(k, 1), mul(s, at(u, k))],
                  types=[INT, ANY_REAL])[1]


def rows(a: Any, y: Any) -> Any:
    """Elements of outer arrays and scalars of the outer loop are got at in the inner one."""
    def outer(i: Any, s: Any) -> Any:
        c = mul(s, y)
        t = for_(dim(a, axis=1), [0.0], lambda j, p: [add(p, mul(c, mul(at(a, i, j), at(a, i, j))))],
                 types=[ANY_REAL])[0]
        return [add(s, t)]

    return for_(dim(a, axis=0), [1.0], outer, types=[ANY_REAL])[0]


def dear(x: Any, n: Any) -> Any:
    """exp is not done twice."""
    return for_(n, [x], lambda i, v: [mul(exp(mul(v, 0.1)), v)])[0]


U = np.array([0.3, -0.5, 0.9, 1.3])
A = np.array([[0.3, -0.5, 0.9], [1.2, 0.4, -0.2]])
KEPT: list[tuple[Callable[..., Any], list[Any], list[Any], int]] = [
    (logistic, [FLOAT, INT], [0.2, 3], 1), (newton, [FLOAT], [7.0], 1), (newton, [FLOAT], [0.3], 1),
    (recurrence, [VEC, FLOAT], [U, 0.7], 1), (crossing, [VEC, FLOAT], [U, 1.0], 0),
    (crossing, [VEC, FLOAT], [U, 1e3], 0), (linear, [FLOAT, INT], [0.3, 4], 0), (counted_by_hand, [VEC], [U], 1),
    (rows, [MAT, FLOAT], [A, 1.5], 1), (dear, [FLOAT, INT], [0.3, 3], 2),
]


@pytest.mark.parametrize("body, types, args, kept", KEPT, ids=[c[0].__name__ for c in KEPT])
def test_kept(body: Callable[..., Any], types: list[Any], args: list[Any], kept: int) -> None:
    f = function(body, *types)
    wrt = [k for k, t in enumerate(types) if t != INT]
    made = stages(gradient_of(f, wrt), verify=True)
    assert tapes(made["saved"]) == kept
    for stage in ("expanded", "adjoint", "saved"):
        for k, got in zip(wrt, run(made[stage], args)):
            np.testing.assert_allclose(got, differences(value(f), args, k), rtol=1e-5, atol=1e-7)


# -- nothing else changes -----------------------------------------------------------------


def same_at_every_stage(fn: Fn, args: list[Any]) -> None:
    made = stages(fn, verify=True)
    want = run(made["expanded"], args)
    for stage in ("adjoint", "saved"):
        for a, b in zip(run(made[stage], args), want):
            np.testing.assert_allclose(a, b, rtol=1e-8, atol=1e-10)


@pytest.mark.parametrize("body, types, args", CASES, ids=IDS)
def test_stages_agree(body: Callable[..., Any], types: list[Any], args: list[Any]) -> None:
    same_at_every_stage(gradient_of(function(body, *types), range(len(types))), args)


@pytest.mark.parametrize("inner", ["vjp", "jvp"])
@pytest.mark.parametrize("outer", ["vjp", "jvp"])
@pytest.mark.parametrize("body, types, args", CASES, ids=IDS)
def test_stages_agree_at_second_order(body: Callable[..., Any], types: list[Any], args: list[Any], outer: str,
                                      inner: str) -> None:
    h = _second(outer, inner, body, types)
    if outer == "vjp":
        same_at_every_stage(gradient_of(h, [0]), args)
    else:
        same_at_every_stage(tangent_of(h, 0), [*args, np.ones(np.shape(args[0]))[()]])


class _Random:
    """A random program of scalars: nested loops with exits, branches, element reads and writes of carries."""

    def __init__(self, seed: int) -> None:
        self.rng = random.Random(seed)

    def program(self, u: Any, x: Any) -> Any:
        self.u = u
        values = self.block([x, Lit(0.7)], 0, [])
        return add(values[-1], mul(values[-2], 0.5))

    def block(self, values: list[Any], depth: int, ints: list[Any]) -> list[Any]:
        values = list(values)
        for _ in range(self.rng.randint(1, 3)):
            values.append(self.step(values, depth, ints))
        return values

    def step(self, values: list[Any], depth: int, ints: list[Any]) -> Any:
        pick = self.rng.choice
        kind = pick(["arith", "arith", "read", "loop", "loop", "while", "cond"] if depth < 3 else ["arith", "read"])
        if kind == "read" and ints:
            return mul(at(self.u, pick(ints)), pick(values))
        if kind == "cond":
            return if_(gt(pick(values), 0.5), lambda: self.block(values, depth + 1, ints)[-1],
                       lambda: pick(values), [ANY_REAL])
        if kind == "loop":
            return self.loop(values, depth, ints)
        if kind == "while":
            made = while_([0, pick(values)], lambda k, s: lt(k, 3),
                          lambda k, s: [add(k, 1), self.block([*values, s], depth + 1, [*ints, k])[-1]],
                          types=[INT, ANY_REAL])
            return made[1]
        return self.arith(values)

    def arith(self, values: list[Any]) -> Any:
        a, b = self.rng.choice(values), self.rng.choice(values)
        return self.rng.choice([
            lambda: mul(a, b), lambda: add(a, mul(b, 0.5)), lambda: sin(mul(a, b)), lambda: tanh(sub(a, b)),
            lambda: div(a, add(mul(b, b), 1.0)), lambda: cos(a)])()

    def loop(self, values: list[Any], depth: int, ints: list[Any]) -> Any:
        rng, exits = self.rng, self.rng.random() < 0.3

        def body(i: Any, s: Any, t: Any) -> Any:
            inner = self.block([*values, s, t], depth + 1, [*ints, i])
            made = [tanh(inner[-1]), rng.choice([s, sin(t), mul(inner[-1], 0.3)])]
            return [lt(made[0], 0.6), *made] if exits else made

        made = for_(rng.randint(0, 4), [rng.choice(values), rng.choice(values)], body, exits=exits,
                    types=[ANY_REAL, ANY_REAL])
        return tanh(add(made[0], made[1]))


@pytest.mark.parametrize("seed", range(40))
def test_random_programs(seed: int) -> None:
    f = function(_Random(seed).program, VEC, FLOAT)
    args = [np.linspace(-1.0, 1.0, 5), 0.4]
    g = gradient_of(f, [0, 1])
    same_at_every_stage(g, args)
    plain = verify(expand(g))
    kept = verify(choose_residuals(plain))
    for a, b in zip(run(kept, args), run(plain, args)):
        np.testing.assert_allclose(a, b, rtol=1e-12, atol=0)
    if seed % 4 == 0:
        (gx,) = [gradient_of(f, [1])]
        same_at_every_stage(gradient_of(verify(expand(gx, rewrite=rewrite)), [0, 1]), args)


# -- the cut ------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(20))
def test_minimum_cut(seed: int) -> None:
    rng = random.Random(seed)
    n = 6
    edges = {(a, b): float(rng.randint(1, 9)) for a in range(n) for b in range(n) if a != b and rng.random() < 0.5}

    def cost(side: set[int]) -> float:
        return sum(c for (a, b), c in edges.items() if a in side and b not in side)

    net = Network()
    for (a, b), c in edges.items():
        net.edge(a, b, c)
    net.edge(0, 1, 0.0)
    best = min(cost({0, *(k for k in range(2, n) if mask >> k & 1)}) for mask in range(1 << n))
    assert cost({a for a in net.source_side(0, 1) if isinstance(a, int)}) == best
