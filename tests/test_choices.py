"""Objects that depend on the path: other programs than those of `programs/choices.py`, and what is refused."""

from __future__ import annotations

import enum
from typing import Any

import numpy as np
import pytest
from oracle import agrees
from programs.choices import Box, Circle, Holder, Particle

import sct

X = np.array([0.3, -0.6, 0.9, 1.9, 0.2])


def guarded_by_a_return(x: Any) -> Any:
    found = None
    for v in x:
        if v > 0.8:
            found = Particle(v, 2.0)
            break
    if found is None:
        return 0.0
    return found.x * found.v * x[0]


def raises_where_it_is_none(x: Any) -> Any:
    best = None
    for v in x:
        if v > 5.0:
            best = Particle(v, 1.0)
    return best.x  # type: ignore[attr-defined]


def moved_between_records(x: Any) -> Any:
    here, there = Holder(None), Holder(None)
    s = 0.0
    for v in x:
        here.held, there.held = there.held, Particle(v, v * v)
        if here.held is not None:
            s += here.held.x * there.held.v
    return s


def of_two_classes_by_a_test(x: Any) -> Any:
    s = 0.0
    for v in x:
        shape = Circle(v) if v < 0.5 else Box(v, 2.0)
        if isinstance(shape, Box):
            shape.w += 1.0
        s += shape.area()
    return s


def a_dict_or_none(x: Any) -> Any:
    best = None
    for k, v in enumerate(x):
        if best is None or v > best["x"]:
            best = {"x": v, "k": k}
    return best["x"] ** 2 * best["k"]


def a_list_or_none(x: Any) -> Any:
    best = None
    for v in x:
        if best is None or v * v < best[0]:
            best = [v * v, 2 * v]
    return best[0] * best[1]


def seen_twice(x: Any) -> Any:
    """What one name writes, the list and the other name show."""
    ps = [Particle(v, 1.0) for v in x]
    low = high = None
    for p in ps:
        if low is None or p.x < low.x:
            low = p
        if high is None or p.x > high.x:
            high = p
    low.x += high.x
    high.v = low.x
    return sum(p.x * p.v for p in ps)


def a_class_of_two(x: Any) -> Any:
    s = 0.0
    for v in x:
        cls = Circle if v > 0.5 else (lambda r: Box(r, 1.0))
        s += cls(v).area()
    return s


def in_a_text(x: Any) -> Any:
    best = None
    for v in x:
        if v > 0.5:
            best = Circle(v)
    print(f"{type(best).__name__}: {best is None}")
    return best.r if best else x[0]


class Mode(enum.IntEnum):
    SLOW = 1
    FAST = 3


def an_int_of_an_enum(x: Any) -> Any:
    mode = Mode.SLOW
    s = 0.0
    for v in x:
        s += mode * v
        if v > 0.5:
            mode = Mode.FAST
    return s


@pytest.mark.parametrize("f", [
    guarded_by_a_return, raises_where_it_is_none, moved_between_records, of_two_classes_by_a_test, a_dict_or_none,
    a_list_or_none, seen_twice, a_class_of_two, in_a_text, an_int_of_an_enum])
def test_the_object_is_the_one_of_the_path_taken(f: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SCT_VALIDATE", "0")
    derivative = sct.value_and_grad(f)
    for x in (X, X[::-1].copy(), X[:1], 0.1 * X, np.array([2.0, 1.0, 0.7]) * np.ones((1, 3))[0]):
        agrees(f, x, derivative=derivative)


def test_a_chain_of_records_of_any_depth() -> None:
    """The attribute is a tuple of a number and an object, or None."""
    def f(x: Any) -> Any:
        head = None
        for v in x:
            head = Holder((v, head))
        s, node = 0.0, head
        while node is not None:
            v, node = node.held
            s += v
        return s

    for n in (len(X), 1, 0):
        agrees(f, X[:n])


def test_the_code_reads_as_written() -> None:
    derivative = sct.grad(guarded_by_a_return)
    derivative(X)
    assert "found is None" in derivative.source, derivative.source


@pytest.mark.parametrize("mode", [sct.jvp, sct.hvp])
def test_arrays_that_lists_hold_are_the_callers(mode: Any) -> None:
    """Products are not done in place on what a list shares with an argument or a tangent."""
    def by_a_factor(x: Any, m: float) -> Any:
        ps = [v for v in x]
        return np.sum(ps[-1] * m) if len(ps) > 1 else 0.0

    def appended(x: Any, m: float) -> Any:
        ps, qs = [], []
        for v in x:
            ps.append(v)
            qs.append(2 * v)
        return ps[2] @ qs[2] * qs[2][0] * m + np.sum(ps[1 if m > 0 else 2] * m)

    for f in (by_a_factor, appended):
        x, t = np.arange(1.0, 9.0).reshape(4, 2), np.linspace(0.1, 0.9, 8).reshape(4, 2)
        before = x.copy(), t.copy()
        mode(f, (x, 1.5), (t, 0.5))
        assert np.array_equal(x, before[0]) and np.array_equal(t, before[1])


def hit(x: Any, c: Any) -> Any:
    return None if x < c else x * c


def appended_where_it_is_there(x: Any, n: int) -> Any:
    hits = []
    for i in range(n):
        t = hit(x, 0.1 * i)
        if t is not None:
            hits.append(t)
    return max(hits)


def the_best_so_far(x: Any, n: int) -> Any:
    best, seen = None, []
    for i in range(n):
        t = hit(x, 0.1 * i)
        if t is None:
            continue
        if best is None or t > best:
            best = t
            seen.append(best)
    return sum(seen)


def twice_where_it_is_there(x: Any, n: int) -> Any:
    before, out = None, []
    for i in range(n):
        if before is not None:
            out.append(before * 2)
            out.append(before)
        before = hit(x, 0.1 * i)
    return sum(out)


@pytest.mark.parametrize("f", [appended_where_it_is_there, the_best_so_far, twice_where_it_is_there])
def test_what_is_not_none_on_a_path_is_a_number_there(f: Any) -> None:
    agrees(f, 0.45, 5)
