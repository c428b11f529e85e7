"""Updates in place: the same numbers as without, nothing of the caller's written, few copies."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import test_ad
from handmade import SQUARE, VEC, for_, function, gradient_of, if_

from sct.ir.check import verify
from sct.ir.core import Eqn, Fn, Lit, walk
from sct.ir.interp import _Interpreter, run
from sct.ir.types import ANY_REAL
from sct.ops import add, dim, div, exp, index, log, lt, mul, neg, store, sub, sum_, zeros
from sct.passes.autodiff.expand import expand
from sct.passes.memory.in_place import storage
from sct.passes.rewriting.driver import rewrite, simplify
from sct.passes.scalar.cse import cse
from sct.passes.scalar.dce import dce

rng = np.random.default_rng(1)
at, put = test_ad.at, test_ad.put


class Counting(_Interpreter):
    """Counts the bytes that are copied."""

    copied = 0

    def eqn(self, eqn: Eqn, env: Any) -> Any:
        outs = super().eqn(eqn, env)
        if eqn.op.name == "copy" or eqn.op.name in ("store", "add_at") and eqn.inplace is None:
            self.copied += outs[0].nbytes
        return outs


def compiled(f: Fn) -> Fn:
    return verify(dce(cse(simplify(expand(f, rewrite=rewrite)))))


def check(fn: Fn, args: list[Any]) -> int:
    """Bytes copied by the function in place, which gives what the functional one gives."""
    done = verify(storage(fn))
    before = [np.copy(a) for a in args]
    want = run(fn, args)
    interpreter = Counting(True)
    made = interpreter.region(done, args, {})
    for a, b in zip(made, want):
        np.testing.assert_allclose(a, b, rtol=1e-13)
    for a, b in zip(args, before):
        np.testing.assert_array_equal(a, b)
    arrays = [r for r in made if isinstance(r, np.ndarray)]
    for k, r in enumerate(arrays):
        assert r.flags.writeable
        assert not any(np.shares_memory(r, other) for other in [*arrays[:k], *args] if isinstance(other, np.ndarray))
    for a, b in zip(run(storage(fn, copies=True), args), want):
        np.testing.assert_array_equal(a, b)
    return interpreter.copied


def prefix(u: Any) -> Any:
    n = dim(u, axis=0)
    (u, _) = for_(n, [u], lambda i, w: [put(w, add(at(w, i), at(w, sub(i, 1))), i)], start=1)
    return at(u, sub(n, 1))


def lu(a: Any) -> Any:
    n = dim(a, axis=0)

    def column(k: Any, a: Any) -> Any:
        def row(i: Any, a: Any) -> Any:
            a = put(a, div(at(a, i, k), at(a, k, k)), i, k)
            (a, _) = for_(n, [a], lambda j, a: [
                put(a, sub(at(a, i, j), mul(at(a, i, k), at(a, k, j))), i, j)], start=add(k, 1))
            return [a]

        return for_(n, [a], row, start=add(k, 1))[:1]

    (a, _) = for_(n, [a], column)
    return for_(n, [Lit(0.0)], lambda i, s: [add(s, log(at(a, i, i)))], types=[ANY_REAL])[0]


def seidel(u: Any) -> Any:
    n = dim(u, axis=0)

    def sweep(t: Any, u: Any) -> Any:
        def cell(i: Any, u: Any) -> Any:
            def inner(j: Any, u: Any) -> Any:
                s = add(add(at(u, sub(i, 1), j), at(u, i, sub(j, 1))), add(at(u, i, add(j, 1)), at(u, add(i, 1), j)))
                return [put(u, mul(0.25, s), i, j)]

            return for_(sub(n, 1), [u], inner, start=1)[:1]

        return for_(sub(n, 1), [u], cell, start=1)[:1]

    (u, _) = for_(2, [u], sweep)
    return sum_(mul(u, u))


def thomas(d: Any, b: Any) -> Any:
    n = dim(d, axis=0)

    def eliminate(i: Any, d: Any, b: Any) -> Any:
        w = div(0.5, at(d, sub(i, 1)))
        return [put(d, sub(at(d, i), mul(w, 0.5)), i), put(b, sub(at(b, i), mul(w, at(b, sub(i, 1)))), i)]

    d, b, _ = for_(n, [d, b], eliminate, start=1)
    x = put(b, div(at(b, sub(n, 1)), at(d, sub(n, 1))), sub(n, 1))
    (x, _) = for_(-1, [x], lambda i, x: [
        put(x, div(sub(at(b, i), mul(0.5, at(x, add(i, 1)))), at(d, i)), i)], start=sub(n, 2), step=-1)
    return sum_(mul(x, x))


def soft_dtw(x: Any, y: Any) -> Any:
    n = dim(x, axis=0)
    r = zeros(add(n, 1), add(n, 1), dtype="f64")

    def row(i: Any, r: Any) -> Any:
        def cell(j: Any, r: Any) -> Any:
            d = sub(at(x, sub(i, 1)), at(y, sub(j, 1)))
            a, b, c = at(r, sub(i, 1), j), at(r, i, sub(j, 1)), at(r, sub(i, 1), sub(j, 1))
            s = neg(log(add(exp(neg(a)), add(exp(neg(b)), exp(neg(c))))))
            return [put(r, add(mul(d, d), s), i, j)]

        return for_(add(n, 1), [r], cell, start=1)[:1]

    (r, _) = for_(add(n, 1), [r], row, start=1)
    return at(r, n, n)


def wave(u: Any, v: Any) -> Any:
    n = dim(u, axis=0)

    def step(t: Any, um: Any, u: Any, up: Any) -> Any:
        def cell(i: Any, up: Any) -> Any:
            lap = sub(add(at(u, sub(i, 1)), at(u, add(i, 1))), mul(2.0, at(u, i)))
            return [put(up, add(sub(mul(2.0, at(u, i)), at(um, i)), mul(0.1, lap)), i)]

        (up, _) = for_(sub(n, 1), [up], cell, start=1)
        return [u, up, um]

    _, u, _, _ = for_(6, [v, u, zeros(n, dtype="f64")], step)
    return sum_(mul(u, u))


def branching(u: Any) -> Any:
    def body(i: Any, w: Any) -> Any:
        e = at(w, i)
        return [if_(lt(e, 1.0), lambda: put(w, mul(e, e), i), lambda: w, [VEC])]

    (w, _) = for_(dim(u, axis=0), [u], body)
    return sum_(mul(w, u))


def rows(a: Any) -> Any:
    """Rows read before the matrix is overwritten, and used after."""
    n = dim(a, axis=0)

    def body(i: Any, a: Any, s: Any) -> Any:
        row = index(a, i, key=("i",))
        a = store(a, mul(row, 0.5), sub(i, 1), key=("i",))
        return [a, add(s, sum_(mul(row, index(a, 0, key=("i",)))))]

    _, s, _ = for_(n, [a, Lit(0.0)], body, start=1, types=[SQUARE, ANY_REAL])
    return s


PROGRAMS: list[tuple[Callable[..., Any], list[Any], Callable[[int], list[Any]]]] = [
    (prefix, [VEC], lambda n: [rng.uniform(0.5, 1.5, n)]),
    (lu, [SQUARE], lambda n: [rng.uniform(0.1, 0.9, (n, n)) + n * np.eye(n)]),
    (seidel, [SQUARE], lambda n: [rng.uniform(0.5, 1.5, (n, n))]),
    (thomas, [VEC, VEC], lambda n: [rng.uniform(2.5, 3.5, n), rng.uniform(0.5, 1.5, n)]),
    (soft_dtw, [VEC, VEC], lambda n: [rng.uniform(0.5, 1.5, n), rng.uniform(0.5, 1.5, n)]),
    (wave, [VEC, VEC], lambda n: [rng.uniform(0.5, 1.5, n), rng.uniform(0.5, 1.5, n)]),
    (branching, [VEC], lambda n: [rng.uniform(0.5, 1.5, n)]),
    (rows, [SQUARE], lambda n: [rng.uniform(0.5, 1.5, (n, n))]),
]
IDS = [p[0].__name__ for p in PROGRAMS]


@pytest.mark.parametrize("body, types, inputs", PROGRAMS, ids=IDS)
@pytest.mark.parametrize("mode", ["primal", "gradient", "second"])
def test_programs(body: Callable[..., Any], types: list[Any], inputs: Callable[[int], list[Any]], mode: str) -> None:
    """Copies are made a constant number of times, not in each trip."""
    f = function(body, *types)
    if mode == "gradient":
        f = gradient_of(f, range(len(types)))
    if mode == "second":
        f = gradient_of(test_ad._second("vjp", "vjp", body, types), [0])
    fn = compiled(f)
    per_element = []
    for n in (4, 8):
        args = inputs(n)
        copied = check(fn, args)
        per_element.append(copied / 8 / sum(a.size for a in args))
    assert per_element[1] <= max(3.0, 1.2 * per_element[0])


@pytest.mark.parametrize("body, types, args", test_ad.CASES, ids=test_ad.IDS)
def test_derivatives(body: Callable[..., Any], types: list[Any], args: list[Any]) -> None:
    f = function(body, *types)
    for fn in (f, gradient_of(f, range(len(types))), gradient_of(test_ad._second("vjp", "vjp", body, types), [0])):
        check(compiled(fn), args)


def test_marks_every_update() -> None:
    fn = storage(compiled(function(lu, SQUARE)))
    assert all(e.inplace == 0 for e in walk(fn) if e.op.name in ("store", "add_at"))
