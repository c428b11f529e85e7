"""Objects in lists from outside are compared by identity and written, in calls that pass them by other names too."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import pytest

from sct import SctError, value_and_grad


class Body:
    def __init__(self, m: float) -> None:
        self.m = m


def bodies(n: int) -> list[Body]:
    return [Body(1.0 + k) for k in range(n)]


PLACE = Body(3.0)
HELD = [*bodies(5), PLACE]
BY_NAME = {f"b{k}": b for k, b in enumerate(HELD)}
PAIRS = [(f"b{k}", b) for k, b in enumerate(HELD)]
NAMES = [PLACE, *bodies(2)]


# -- compared ------------------------------------------------------------------------------------------------


def loop(k, xs, one):
    t = 0.0
    for b in xs:
        if b is one:
            t += k * b.m
        else:
            t += k
    return t


def comprehension(k, xs, one):
    return k * sum(b.m for b in xs if b is one)


def last(k, xs, one):
    return k * (2.0 if xs[-1] is one else 3.0)


def contained(k, xs, one):
    return k * (2.0 if one in xs else 3.0)


def position(k, xs, one):
    return k * (xs.index(one) if one in xs else 11)


def removed(k, xs, one):
    xs = list(xs)
    if one in xs:
        xs.remove(one)
    return k * sum(b.m for b in xs)


def largest(k, xs, one):
    return k * (2.0 if max(xs, key=lambda b: b.m) is one else 3.0)


def best(k, xs, one):
    b = one
    for other in xs:
        if other.m * k > b.m * k:
            b = other
    return k * sum(2.0 * c.m if c is b else c.m for c in xs)


def in_pairs(k, xs, one):
    t = 0.0
    for b, m in [(b, b.m) for b in xs]:
        if b is one:
            t += k * m
        else:
            t -= k
    return t


def queue(k, xs, one):
    todo, n = [xs[0]], 0
    while todo:
        b = todo.pop()
        if b is one:
            return k * b.m * 5
        n += 1
        if n < len(xs):
            todo.append(xs[n])
    return k * 3


def last_outside(k, xs, one):
    return k * (2.0 if HELD[-1] is one else 3.0)


def two_outside(k, xs, one):
    return k * (2.0 if HELD[-1] is PLACE else 3.0)


def any_outside(k, xs, one):
    return k * (2.0 if any(b is one for b in HELD) else 3.0)


def contained_outside(k, xs, one):
    return k * (2.0 if one in HELD else 3.0)


def values_outside(k, xs, one):
    t = 0.0
    for b in BY_NAME.values():
        t += k * (b.m if b == one else 1.0)
    return t


def pairs_outside(k, xs, one):
    t = 0.0
    for name, b in PAIRS:
        if b is one:
            t += k * b.m
    return t


# -- written -------------------------------------------------------------------------------------------------


def items(k, xs, one):
    for b in xs:
        b.m *= k
    return one.m * k


def chosen(k, xs, one):
    max(xs, key=lambda b: b.m).m = k * k
    return one.m * k


def held(k, xs, one):
    one.m = k * k
    return HELD[-1].m * k + HELD[0].m


def held_in_pairs(k, xs, one):
    one.m = k * k
    return sum(b.m * k for name, b in PAIRS)


def item_of_argument(k, xs, one):
    xs[0].m = k * k
    return PLACE.m * k + sum(b.m for b in HELD)


PROGRAMS = (loop, comprehension, last, contained, position, removed, largest, best, in_pairs, queue, last_outside,
            two_outside, any_outside, contained_outside, values_outside, pairs_outside, items, chosen, held,
            held_in_pairs, item_of_argument)
REFUSED = {"last_outside", "two_outside", "any_outside", "contained_outside", "values_outside", "pairs_outside"}
"""Objects outside that are compared may be refused in any call."""


def plain(f: Callable[..., float], *args: Any) -> float:
    """The value of the plain call; what it writes is put back."""
    state = [(b, b.m) for b in (*args[1], args[2], *HELD, *NAMES)]
    value = f(*args)
    for b, m in state:
        b.m = m
    return value


@pytest.mark.parametrize("n", [1, 3, 6])
@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
def test_one_derivative_for_calls_in_which_other_objects_are_one(f: Any, n: int, monkeypatch: pytest.MonkeyPatch
                                                                 ) -> None:
    """Without the comparison with Python: it sees the first call alone."""
    monkeypatch.setenv("SCT_VALIDATE", "0")
    derivative = value_and_grad(f)
    xs, other = bodies(n), Body(5.0)
    calls = [(xs, other), (xs, xs[0]), (xs, xs[-1]), (xs, PLACE), ([PLACE, *xs], other), ([*xs, PLACE], PLACE),
             (xs, other)]
    for args in calls:
        value = plain(f, 0.3, *args)
        difference = (plain(f, 0.3 + 1e-6, *args) - plain(f, 0.3 - 1e-6, *args)) / 2e-6
        before = [b.m for b in (*args[0], args[1])]
        try:
            got, slope = derivative(0.3, *args)
        except SctError as refusal:
            among = any(b is PLACE for b in (*args[0], args[1]))
            assert refusal.code in ("SCT305", "SCT503") and (among or f.__name__ in REFUSED)
            continue
        assert got == value and slope == pytest.approx(difference, rel=1e-6)
        assert [b.m for b in (*args[0], args[1])] == before


def test_lists_of_any_number_of_records_share_their_code() -> None:
    derivative = value_and_grad(items)
    texts = set()
    for n in (1, 2, 4, 5, 9):
        xs = bodies(n)
        assert derivative(0.5, xs, Body(2.0))[0] == items(0.5, copy.deepcopy(xs), Body(2.0))
        texts.add(derivative.source)
    assert len(texts) == 1
