"""Objects in lists of any length: other arguments, and aliases that are refused rather than misread."""

from __future__ import annotations

import copy
from typing import Any

import numpy as np
import pytest
from oracle import agrees, refuses
from programs import simulations

import sct

X = np.array([1.0, 2.0, 0.5, 0.7, 0.3])
Y = np.array([0.1, 1.2])


class Point:
    def __init__(self, x: Any, y: Any = 1.0) -> None:
        self.x, self.y = x, y


@pytest.mark.parametrize("name", sorted(simulations.INPUTS))
def test_one_derivative_serves_other_arguments(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SCT_VALIDATE", "0")
    f = getattr(simulations, name)
    derivative = sct.value_and_grad(f)
    steps = f.__code__.co_argcount > 1
    first = (lambda x: 0.3 * len(x)) if name == "spawned" else (lambda x: x)
    for x, n in ((X, 3), (X[::-1].copy(), 7), (Y, 4), (X, 0)):
        agrees(f, first(x), *([n] if steps else []), derivative=derivative)


def test_a_list_of_objects_is_columns() -> None:
    g = sct.grad(simulations.oscillators)
    g(X, 3)
    assert "class" not in g.source and "ps_1[i] = vel" in g.source


def twice(x: Any, n: int) -> Any:
    p = Point(x[0])
    ps = []
    for _ in range(n):
        ps.append(p)
    ps[0].x = 3.0 * x[1]
    return ps[n - 1].x * p.x


def filtered_and_read(x: Any, n: int) -> Any:
    ps = [Point(v) for v in x]
    qs = [p for p in ps if p.x > 0.0]
    qs[0].x = x[0] * 2.0
    return sum(p.x**2 for p in ps)


def sliced_and_read(x: Any, n: int) -> Any:
    ps = [Point(v) for v in x]
    ps[1:][0].x = x[0] * 2.0
    return sum(p.x**2 for p in ps)


def popped_and_read(x: Any, n: int) -> Any:
    ps = [Point(v) for v in x]
    q = ps[0]
    p = ps.pop(0)
    p.x = 7.0 * x[0]
    return q.x + sum(r.x**2 for r in ps)


def popped_and_written(x: Any, n: int) -> Any:
    ps = [Point(v) for v in x]
    q = ps[0]
    p = ps.pop(0)
    q.x = 7.0 * x[0]
    return p.x


def replaced_and_read(x: Any, n: int) -> Any:
    ps = [Point(v) for v in x]
    a = ps[0]
    ps[0] = Point(x[1])
    for p in ps:
        p.x *= 2.0
    return a.x + sum(p.x**2 for p in ps)


def at_two_places(x: Any, n: int) -> Any:
    ps = [Point(v) for v in x]
    ps[0] = ps[1]
    ps[0].x = 5.0 * x[0]
    return sum(p.x**2 for p in ps)


def appended_by_a_condition(x: Any, n: int) -> Any:
    ps, log = [Point(v) for v in x], []
    for p in ps:
        log.append(p)
    ps[0].x = 5.0 * x[0]
    return sum(p.x**2 for p in log)


def sorted_and_written(x: Any, n: int) -> Any:
    ps = [Point(v) for v in x]
    a = ps[0]
    ps.sort(key=lambda p: p.x)
    ps[0].x += 0.35
    a.y = x[0]
    return sum(k * p.x**2 * p.y for k, p in enumerate(ps)) + a.x


def from_the_end(x: Any, n: int) -> Any:
    ps = [Point(v) for v in x]
    last = ps[-1]
    ps.append(Point(x[0]))
    ps[-1].x = 9.0 * x[0]
    return last.x + ps[-1].x


def repeated(x: Any, n: int) -> Any:
    ps = [Point(x[0])] * n
    ps[0].x = x[1]
    return ps[n - 1].x


def of_the_first_iteration(x: Any, n: int) -> Any:
    p = Point(x[0])
    ps = [Point(x[1]), p]
    for _ in range(n):
        ps.append(Point(0.25))
        p.x = 3.0 * x[0]
        p = Point(0.125)
    return sum(q.x for q in ps)


def of_the_first_iteration_in_a_new_list(x: Any, n: int) -> Any:
    p = Point(x[0])
    some = [Point(x[1]), p]
    for _ in range(n):
        some = [*some, Point(0.25)]
        p.x = 3.0 * x[0]
        p = Point(0.125)
    return sum(q.x for q in some) + p.x


def of_some_iterations(x: Any, n: int) -> Any:
    p = Point(x[0])
    a = [Point(x[1]), p]
    for k in range(n):
        a = a + [Point(0.25)]
        p.x = 3.0 * x[0]
        if k == 1:
            p = Point(0.125)
    return sum(q.x for q in a) + p.x


def sorted_behind_a_loop(x: Any, n: int) -> Any:
    p = Point(x[0])
    ps = [Point(x[1]), p]
    for q in ps:
        q.y = q.y * 0.5
    ps = sorted(ps, key=lambda q: q.x)
    for q in ps:
        q.y = q.y * 0.5
    return p.y * x[2] + sum(q.x * q.y for q in ps)


@pytest.mark.parametrize("f", [
    sorted_behind_a_loop, of_the_first_iteration, of_the_first_iteration_in_a_new_list, of_some_iterations, twice,
    filtered_and_read, sliced_and_read, popped_and_read, popped_and_written, replaced_and_read, at_two_places,
    appended_by_a_condition, sorted_and_written, from_the_end, repeated])
def test_an_object_may_have_any_names(f: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SCT_VALIDATE", "0")
    agrees(f, X, 3)


def test_a_name_that_an_iteration_binds_to_the_first_object() -> None:
    def f(x: Any, n: int) -> Any:
        p = Point(x[0])
        ps, q = [p], p
        for k in range(n):
            ps.append(Point(x[1]))
            q = ps[k]
            q.y = q.y * x[2]
        return p.y * x[0] + sum(r.x * r.y for r in ps) + q.y

    derivative = sct.value_and_grad(f)
    for n in (0, 1, 2, 3):
        agrees(f, X, n, derivative=derivative)


def test_the_copies_of_the_hint_are_right() -> None:
    def f(x: Any) -> Any:
        ps = [Point(v) for v in x]
        qs = [copy.copy(p) for p in ps if p.x > 0.4]
        for q in qs:
            q.x *= 2.0
        a = copy.copy(ps[0])
        ps[0].x = 3.0
        return sum(p.x**2 for p in ps) + sum(q.x**3 for q in qs) + a.x

    agrees(f, X)


class Body:
    def __init__(self, pos: Any, vel: Any) -> None:
        self.pos, self.vel = pos, vel


def _of_one_array(X: Any) -> Any:
    zero = np.zeros(2)
    bodies = [Body(x.copy(), zero) for x in X]
    for b in bodies:
        b.vel += b.pos
    return sum(b.vel @ b.vel for b in bodies)


def _of_a_row(X: Any) -> Any:
    bodies = [Body(x, x * 0.1) for x in X]
    for b in bodies:
        b.pos += 1.0
    return np.sum(X * X)


def _in_two_lists(X: Any) -> Any:
    bodies = [Body(x.copy(), x * 0.1) for x in X]
    seen = []
    for b in bodies:
        seen.append(b.pos)
        b.pos += b.vel
    return sum(x @ x for x in seen)


def _with_a_name(X: Any) -> Any:
    bodies = []
    for x in X:
        y = 2.0 * x
        bodies.append(Body(y, x * 0.1))
    for b in bodies:
        b.pos += b.vel
    return y @ y


def _in_two_attributes(X: Any) -> Any:
    bodies = [Body(x.copy(), x * 0.1) for x in X]
    for b in bodies:
        b.pos = b.vel
    for b in bodies:
        b.pos += 1.0
    return sum(b.pos @ b.vel for b in bodies)


@pytest.mark.parametrize("f", [_of_one_array, _of_a_row, _in_two_lists, _with_a_name, _in_two_attributes])
def test_arrays_that_something_else_holds_are_not_written_in_a_list(f: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SCT_VALIDATE", "0")
    refuses(f, np.arange(1.0, 13.0).reshape(6, 2), code="SCT307")
