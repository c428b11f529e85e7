"""`if key not in d: d[key] = v` adds the key: the emitted code asks once, and the backward pass removes the item."""

from __future__ import annotations

from typing import Any

import pytest
from oracle import agrees_in_every_mode

from sct import value_and_grad

NAMES = ["a", "b", "a", "c", "b", "a", "d"]
NUMBERS = [1.1, 2.2, 0.3, 3.4, 0.5, 1.6, 2.7]
CALLS = [([0.5], NAMES, NUMBERS), ([0.7], NAMES[:6], NUMBERS[:6]), ([1.2], ["a"] * 7, NUMBERS)]


def totals(p, names, xs):
    (r,) = p
    d = {}
    for n, x in zip(names, xs):
        if n not in d:
            d[n] = 0.0
        d[n] += x * r
    return sum(v * v for v in d.values())


def groups(p, names, xs):
    (r,) = p
    d = {}
    for n, x in zip(names, xs):
        if n not in d:
            d[n] = []
        d[n].append(x * r)
    t = 0.0
    for n, vs in d.items():
        m = sum(vs) / len(vs)
        for v in vs:
            t += (v - m) ** 2 + m
    return t


def otherwise(p, names, xs):
    (r,) = p
    d = {}
    for n, x in zip(names, xs):
        if n in d:
            d[n] += x * r
        else:
            d[n] = x * x
    return sum(v * v for v in d.values())


def skips(p, names, xs):
    (r,) = p
    d = {}
    t = 0.0
    for n, x in zip(names, xs):
        if n in d:
            t += d[n] * x
            continue
        d[n] = r * x
    return t + sum(d.values())


def both(p, names, xs):
    (r,) = p
    d = {}
    for n, x in zip(names, xs):
        if x > 1.0 and n not in d:
            d[n] = r * x
        elif n in d:
            d[n] *= r
    return sum(v * v for v in d.values())


def pairs(p, names, xs):
    (r,) = p
    d = {}
    for n, x in zip(names, xs):
        if (n, x > 1.0) not in d:
            d[n, x > 1.0] = x * r
        else:
            d[n, x > 1.0] *= x
    return sum(v * v for v in d.values())


def nested(p, names, xs):
    (r,) = p
    d = {}
    for n, x in zip(names, xs):
        if n not in d:
            if x > 1.0:
                d[n] = r * x
            else:
                d[n] = r + x
        d[n] *= x
    return sum(v * v for v in d.values())


NEW = (totals, groups, otherwise, skips, both, pairs, nested)


def old_test(p, names, xs):
    """The test is older than a write."""
    (r,) = p
    d = {}
    for n, x in zip(names, xs):
        new = n not in d
        d[n] = x * r
        if new:
            d[n] = d[n] + 2.0 * x
    return sum(v * v for v in d.values())


def asked_again(p, names, xs):
    """The first test is older than the write, the second one is not."""
    (r,) = p
    d = {}
    t = 0.0
    for n, x in zip(names, xs):
        new = n not in d
        d[n] = x * r
        if n in d and new:
            d[n] = x * x * r
        t += d[n]
    return t + sum(v * v for v in d.values())


def in_a_loop(p, names, xs):
    """Only the first iteration finds no key."""
    (r,) = p
    d = {}
    for n, x in zip(names, xs):
        if n not in d:
            for k in range(3):
                d[n] = x * r * k + 1.0
    return sum(v * v for v in d.values())


def by_a_helper(p, names, xs):
    """A call between the test and the write adds the key."""
    (r,) = p
    d = {}

    def value(n, depth):
        if depth > 2:
            return r
        if n not in d:
            d[n] = value(n, depth + 1) + value(n + "x", depth + 1) * r
        return d[n] + 0.0

    t = 0.0
    for n, x in zip(names, xs):
        t += value(n, 0) * x
    return t + sum(d.values())


def deleted(p, names, xs):
    """The key comes back."""
    (r,) = p
    d = {"a": 0.0}
    for n, x in zip(names, xs):
        if n not in d:
            d[n] = x * r
            d.pop("a", 0.0)
        d["a"] = x * r
        d["a"] += d[n]
    return sum(v * v for v in d.values())


def another_key(p, names, xs):
    (r,) = p
    d = {}
    for n, x in zip(names, xs):
        if n not in d:
            d["b"] = x * r
            d[n] = x * r * r
        d[n] += 1.0
    return sum(v * v for v in d.values())


def rebound(p, names, xs):
    """The name stands for another dict."""
    (r,) = p
    d = {}
    e = {"a": r}
    for n, x in zip(names, xs):
        if n not in d:
            d, e = e, d
        d[n] = x * r
    return sum(v * v for v in d.values()) + sum(v for v in e.values())


TRAPS = (old_test, asked_again, in_a_loop, by_a_helper, another_key, rebound)


@pytest.mark.parametrize("f", (*NEW, *TRAPS, deleted), ids=lambda f: f.__name__)
def test_in_every_mode(f: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SCT_VALIDATE", "0")
    agrees_in_every_mode(f, CALLS)


@pytest.mark.parametrize("f", NEW, ids=lambda f: f.__name__)
def test_it_is_not_asked_again_whether_the_key_is_new(f: Any) -> None:
    derivative = value_and_grad(f)
    derivative(*CALLS[0])
    assert "setdefault" not in derivative.source and "d_places[" in derivative.source


@pytest.mark.parametrize("f", TRAPS, ids=lambda f: f.__name__)
def test_what_may_be_there_is_asked(f: Any) -> None:
    derivative = value_and_grad(f)
    derivative(*CALLS[0])
    assert "setdefault" in derivative.source


def test_groups_are_not_copied_in_each_iteration() -> None:
    derivative = value_and_grad(groups)
    derivative(*CALLS[0])
    assert "list(row)" not in derivative.source
