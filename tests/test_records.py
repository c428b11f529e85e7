"""Lists of records and of lists: their parts under nested targets, in tangents, and beside powers."""

from __future__ import annotations

import copy
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from oracle import same_value
from test_data import along, moved

import sct
from sct.ir.pytrees.pytree import map_leaves, tree_leaves


@dataclass
class Point:
    v: float
    at: tuple[float, float]


def dicts(n: int) -> list[Any]:
    return [{"v": 0.5 + 0.25 * k, "name": f"p{k}"} for k in range(n)]


def points(n: int) -> list[Any]:
    return [Point(0.5 + 0.25 * k, (0.1 * k, 1.0 - 0.1 * k)) for k in range(n)]


def tuples(n: int) -> list[Any]:
    return [(0.5 + 0.25 * k, "ab"[k % 2]) for k in range(n)]


def nested_dicts(n: int) -> list[Any]:
    return [{"obs": [(0.1 * j, 0.4 + 0.1 * k) for j in range(k % 3)], "v": 1.0 + 0.1 * k} for k in range(n)]


def pairs(n: int) -> list[Any]:
    return [[1.0 + 0.3 * k, 2.0 - 0.1 * k] for k in range(n)]


def powers(recs: Any, p: float) -> Any:
    return sum(r["v"] for r in recs) * p ** 1.5


def powers_of_parts(recs: Any, p: float) -> Any:
    s = 0.0
    for r in recs:
        s += r["v"] ** (p + 0.5)
    return s


def powers_of_attributes(recs: Any, p: float) -> Any:
    return sum(q.v ** p * q.at[1] + q.at[0] ** 2 for q in recs)


def powers_in_tuples(recs: Any, p: float) -> Any:
    s = p
    for v, kind in recs:
        s += v ** p if kind == "a" else v
    return s


def powers_beside_nested_records(recs: Any, p: float) -> Any:
    return sum(r["v"] ** p + sum(t * y for t, y in r["obs"]) for r in recs)


def powers_in_a_dict_of_lists(model: Any, p: float) -> Any:
    return sum(r["v"] for r in model["recs"]) ** p + model["bias"] ** p


def indexed(rows: Any, p: float) -> Any:
    e = 0.0
    for i, (s, n) in enumerate(rows):
        e += p * s * n**2 * i
    return e


def zipped(rows: Any, p: float) -> Any:
    e = 0.0
    for (a, b), c, (s, n) in zip(rows, range(100), rows[::-1]):
        e += a * s * n**2 + p * b * c
    return e


def named_after_the_loop(rows: Any, p: float) -> Any:
    e, s, n, i = 0.0, 5.0, 3.0, 2
    for i, (s, n) in enumerate(rows):
        if s * p > 2.3:
            break
        e += s**2 * n * i
    return e + s * n * i


def deeper_targets(rows: Any, p: float) -> Any:
    e = 0.0
    for i, (j, [s, n]) in enumerate(zip(range(3, 100), rows)):
        e += s * n**2 * (i + j) * p
    return e


def an_item_before_its_parts(rows: Any, p: float) -> Any:
    d = {"i": 1.0}
    for d["i"], (s, n) in zip([p * r[0] for r in rows], rows):
        d["i"] = d["i"] * s * n
    return d["i"]


def in_a_generator(rows: Any, p: float) -> Any:
    return sum(i * s**2 * n * p for i, (s, n) in enumerate(rows, 1))


def in_a_comprehension(rows: Any, p: float) -> Any:
    return sum([s * n**2 * p for i, (s, n) in enumerate(rows) if i != 2])


def in_a_dict_of_lists(d: Any, p: float) -> Any:
    e = 0.0
    for key, (s, n) in d.items():
        e += s**2 * n * (p if key == "k1" else 1.0)
    return e


def in_a_try(rows: Any, p: float) -> Any:
    e = 0.0
    try:
        for i, (s, n) in enumerate(rows):
            e += s**2 * n * i * p
    except ValueError:
        e = e * 2.0 + i
    return e


def in_an_assignment(rows: Any, p: float) -> Any:
    e = 0.0
    for k in range(len(rows)):
        i, (s, n), e = k * p, rows[k], e * 1.1
        e += s**2 * n * i
    return e


Make = Callable[[int], tuple[Any, ...]]
PROGRAMS: list[tuple[Callable[..., Any], Make]] = [
    *[(f, lambda n: (dicts(n), 1.7)) for f in (powers, powers_of_parts)],
    (powers_of_attributes, lambda n: (points(n), 1.7)),
    (powers_in_tuples, lambda n: (tuples(n), 1.7)),
    (powers_beside_nested_records, lambda n: (nested_dicts(n), 1.7)),
    (powers_in_a_dict_of_lists, lambda n: ({"recs": dicts(n), "bias": 0.3}, 1.7)),
    *[(f, lambda n: (pairs(n), 1.3)) for f in (
        indexed, zipped, named_after_the_loop, deeper_targets, an_item_before_its_parts, in_a_generator,
        in_a_comprehension, in_a_try, in_an_assignment)],
    (in_a_dict_of_lists, lambda n: ({f"k{k}": row for k, row in enumerate(pairs(n))}, 1.3)),
]


def numbers(tree: Any) -> list[float]:
    return [x for x in tree_leaves(tree) if x is not None]


@pytest.mark.parametrize("f, make", PROGRAMS, ids=[f.__name__ for f, _ in PROGRAMS])
def test_programs(f: Callable[..., Any], make: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    for validate in ("1", "0"):
        monkeypatch.setenv("SCT_VALIDATE", validate)
        g = sct.value_and_grad(f)
        for n in (6, 4, 9, 5, 6):
            args = make(n)
            value, gradient = g(*args)
            assert repr(args) == repr(make(n)) and same_value(value, f(*make(n)))
            h = 1e-6
            slope = (f(moved(args[0], h), args[1]) - f(moved(args[0], -h), args[1])) / (2.0 * h)
            assert along(gradient) == pytest.approx(slope, rel=1e-5, abs=1e-7)


@pytest.mark.parametrize("f, make", PROGRAMS, ids=[f.__name__ for f, _ in PROGRAMS])
def test_other_modes(f: Callable[..., Any], make: Make) -> None:
    for n in (4, 6):
        first, p = make(n)
        gradient = sct.grad(f)(first, p)
        by_p = sct.grad(f, argnums=1)(first, p)
        assert sct.jvp(f, (first, p), (gradient, 1.0))[1] == pytest.approx(
            sum(x * x for x in numbers(gradient)) + by_p, rel=1e-11)
        assert numbers(sct.vjp(f, first, p)[1](1.0)) == pytest.approx(numbers((gradient, by_p)), rel=1e-12)
        h = 1e-5
        slope = (sct.grad(f, argnums=1)(first, p + h) - sct.grad(f, argnums=1)(first, p - h)) / (2.0 * h)
        assert sct.grad(sct.grad(f, argnums=1), argnums=1)(first, p) == pytest.approx(slope, rel=1e-4, abs=1e-6)
        sct.check_grads(f, (first, p))


def test_a_power_that_becomes_complex_is_refused_by_lists_of_records() -> None:
    g = sct.grad(powers_of_parts)
    assert len(g(dicts(6), 1.0)) == 6
    with pytest.raises(sct.SctError, match="SCT"):
        g([{"v": -1.0, "name": "a"}] * 6, 1.0)


def test_lists_that_do_not_fit_their_targets_raise_as_in_python() -> None:
    g = sct.grad(indexed)
    assert len(g(pairs(6), 1.3)) == 6
    for row, message in (([1.0], "not enough values to unpack"), ([1.0, 2.0, 3.0], "too many values to unpack")):
        with pytest.raises(ValueError, match=message):
            g([*pairs(5), row], 1.3)


# -- tangents of lists that are taken apart ------------------------------------------------------------------


def by_keys(d: Any, txs: Any) -> Any:
    for k, z in txs:
        d[k] += z * z
    return d["x"] ** 2 * d["y"]


def by_keys_of_dicts(d: Any, txs: Any) -> Any:
    for r in txs:
        d[r["to"]] = d[r["to"]] * r["z"]
    return d["x"] ** 2 * d["y"]


def by_keys_of_triples(d: Any, txs: Any) -> Any:
    for a, b, z in txs:
        d[a] -= z * d[b]
        d[b] += z
    return d["x"] ** 2 * d["y"]


TAKEN_APART: list[tuple[Callable[..., Any], Callable[[int], Any]]] = [
    (by_keys, lambda n: [("xy"[k % 2], 0.5 + 0.1 * k) for k in range(n)]),
    (by_keys_of_dicts, lambda n: [{"to": "xy"[k % 2], "z": 0.5 + 0.1 * k} for k in range(n)]),
    (by_keys_of_triples, lambda n: [("xy"[k % 2], "yx"[k % 2], 0.5 + 0.1 * k) for k in range(n)]),
]


@pytest.mark.parametrize("f, make", TAKEN_APART, ids=[f.__name__ for f, _ in TAKEN_APART])
def test_tangents_of_lists_whose_strings_are_keys(f: Callable[..., Any], make: Callable[[int], Any]) -> None:
    state = {"x": 1.0, "y": 2.0}
    for n in (4, 5, 7, 5):
        txs = make(n)
        before = copy.deepcopy((state, txs))
        value, pull = sct.vjp(f, state, txs)
        by_state, by_txs = pull(1.0)
        assert same_value(value, f(copy.deepcopy(state), txs))
        expected = sum(x * x for x in numbers(by_txs))
        assert sct.jvp(f, (state, txs), (None, by_txs))[1] == pytest.approx(expected, rel=1e-12)
        both = expected + sum(x * x for x in numbers(by_state))
        assert sct.jvp(f, (state, txs), (by_state, by_txs))[1] == pytest.approx(both, rel=1e-12)
        assert (state, txs) == before
        sct.check_grads(f, (state, txs))

        def by_list(txs: Any, state: Any) -> Any:
            return f(state, txs)

        h = 1e-6
        up, down = (along(sct.grad(by_list)(moved(txs, s), state)) for s in (h, -h))
        direction = sct.grad(by_list)(txs, state)
        weights = iter(np.cos(np.arange(1.0, 100.0)))
        direction = map_leaves(lambda x: None if x is None else float(next(weights)), direction)
        second = along(sct.hvp(by_list, (txs, state), (direction, None)))
        assert second == pytest.approx((up - down) / (2.0 * h), rel=1e-6)


def test_a_tangent_of_another_length_is_refused() -> None:
    state, txs = {"x": 1.0, "y": 2.0}, [("x", 2.0)] * 6
    with pytest.raises(sct.SctError, match="SCT904"):
        sct.jvp(by_keys, (state, txs), (None, [(None, 1.0)] * 5))

    def inside(state: Any, txs: Any, direction: Any) -> Any:
        return sct.jvp(by_keys, (state, txs), (None, direction))[1]

    run = sct.value_and_grad(inside)
    assert run(state, txs, [(None, 1.0)] * 6)[0] == inside(state, txs, [(None, 1.0)] * 6)
    with pytest.raises((ValueError, sct.SctError)):
        run(state, txs, [(None, 1.0)] * 5)


# -- ints among floats ---------------------------------------------------------------------------------------


def scaled_sum(xs: Any, a: float) -> Any:
    s = 0.0
    for x in xs:
        s += x * x * a
    return s


def by_position(xs: Any, a: float) -> Any:
    return xs[0] * a**2 + xs[1] ** 2 * xs[2]


def of_dicts(rows: Any, a: float) -> Any:
    return sum(r["v"] ** 2 * a for r in rows)


def of_dicts_of_lists(rows: Any, a: float) -> Any:
    return sum(v**2 * a**2 for r in rows for v in r["vs"])


def of_points(rows: Any, a: float) -> Any:
    return sum(q.v**2 * a * q.at[0] for q in rows)


def of_lists(rows: Any, a: float) -> Any:
    return sum(s**2 * t * a for s, t in rows)


def in_a_dict(model: Any, a: float) -> Any:
    return sum(x**2 for x in model["xs"]) * model["scale"] * a**2


def of_keys(rows: Any, a: float) -> Any:
    d = {"x": a, "y": 1.0}
    for r in rows:
        d[r["to"]] += r["v"] * d["x"]
    return d["x"] * d["y"]


def mixed(n: int) -> list[Any]:
    return [k + 1 if k % 2 == 0 else 0.5 * k for k in range(n)]


MIXED: list[tuple[Callable[..., Any], Callable[[int], Any]]] = [
    (scaled_sum, mixed),
    (by_position, mixed),
    (of_dicts, lambda n: [{"v": x, "k": 1} for x in mixed(n)]),
    (of_dicts_of_lists, lambda n: [{"vs": mixed(k)} for k in range(n)]),
    (of_points, lambda n: [Point(x, (1.0, 2.0)) for x in mixed(n)]),
    (of_lists, lambda n: [[2, 0.5 + k] for k in range(n)]),
    (in_a_dict, lambda n: {"xs": mixed(n), "scale": 2}),
    (of_keys, lambda n: [{"to": "xy"[k % 2], "v": x} for k, x in enumerate(mixed(n))]),
]


@pytest.mark.parametrize("f, make", MIXED, ids=[f.__name__ for f, _ in MIXED])
def test_the_modes_agree_about_ints_among_floats(f: Callable[..., Any], make: Callable[[int], Any]) -> None:
    g = sct.value_and_grad(f)
    for n in (4, 5, 8, 5):
        xs = make(n)
        value, gradient = g(xs, 0.5)
        assert same_value(value, f(xs, 0.5)) and xs == make(n)
        floats = map_leaves(lambda x, d: d if isinstance(x, float) else None, xs, gradient)
        for tangent in (gradient, floats):
            expected = along_tangent(gradient, tangent)
            assert sct.jvp(f, (xs, 0.5), (tangent, None))[1] == pytest.approx(expected, rel=1e-12)
        assert numbers(sct.vjp(f, xs, 0.5)[1](1.0)[0]) == pytest.approx(numbers(gradient), rel=1e-12)
        sct.check_grads(f, (xs, 0.5), order=2)
        h = 1e-6
        slope = (f(moved(xs, h), 0.5) - f(moved(xs, -h), 0.5)) / (2.0 * h)
        weights = map_leaves(lambda x, y: y - x if isinstance(x, float) else None, xs, moved(xs, 1.0))
        assert along_tangent(gradient, weights) == pytest.approx(slope, rel=1e-5)


def along_tangent(gradient: Any, tangent: Any) -> float:
    leaves = [(d, v) for d, v in zip(tree_leaves(gradient), tree_leaves(tangent)) if None not in (d, v)]
    return sum(d * v for d, v in leaves)


def test_ints_among_floats_in_a_long_list_count_as_floats() -> None:
    assert sct.grad(scaled_sum)([1, 2.0, 3, 4.0], 0.5) == [None, 2.0, None, 4.0]
    assert sct.grad(scaled_sum)([1, 2.0, 3, 4.0, 5], 0.5) == [1.0, 2.0, 3.0, 4.0, 5.0]
    with pytest.raises(sct.SctError, match="SCT904"):
        sct.jvp(scaled_sum, ([1, 2.0, 3, 4.0], 0.5), ([1.0] * 4, 0.0))
