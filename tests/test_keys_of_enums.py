"""Tables whose keys are members of enums that depend on the path, and strings of arguments that decide what is made."""

from __future__ import annotations

import enum
from collections.abc import Callable
from typing import Any

import pytest

from tests.oracle import Programs, refuses

program = Programs()


class S(enum.Enum):
    IDLE = enum.auto()
    HEAT = enum.auto()
    COOL = enum.auto()


class Level(enum.IntEnum):
    LOW = 1
    HIGH = 2


class Own(enum.Enum):
    A = 1
    B = 2

    def __hash__(self):
        return 7


TABLE = {(S.IDLE, "cold"): S.HEAT, (S.HEAT, "hot"): S.COOL, (S.COOL, "cold"): S.HEAT}
X = ([1.5, 19.0], 8), ([2.5, 15.0], 20), ([0.5, 30.0], 3)


def kind(t):
    return "cold" if t < 18.0 else "hot" if t > 22.0 else "ok"


@program(*X)
def transitions(x, n):
    state, t, energy = S.IDLE, x[1], 0.0
    for _ in range(n):
        state = TABLE.get((state, kind(t)), state)
        if state is S.HEAT:
            energy += x[0]
            t += x[0] * 0.5
        elif state is S.COOL:
            energy += 0.1 * x[0] * t
            t -= 0.05 * t
        else:
            t -= 0.3
    return energy + 0.01 * t


@program(*X)
def rates(x, n):
    rate = {S.IDLE: 0.0, S.HEAT: x[0], S.COOL: -x[0] * x[1]}
    state, s = S.IDLE, x[1]
    for k in range(n):
        s += rate[state] + (1.0 if state in rate else 2.0)
        state = S.HEAT if s < 20.0 + k else S.COOL
    return s


@program(*X)
def pairs_of_members(x, n):
    gain = {(S.HEAT, Level.LOW): x[0], (S.HEAT, Level.HIGH): x[1], (S.COOL, Level.LOW): 2.0, (S.COOL, Level.HIGH): 3.0}
    s = x[1]
    for k in range(n):
        state = S.HEAT if s < 20.0 + k else S.COOL
        level = Level.HIGH if k % 3 == 1 else Level.LOW
        s += 0.1 * gain[state, level] * x[0]
        s += gain.get((state, Level.LOW), 5.0)
    return s


@program(*X)
def written(x, n):
    count, energy = {S.HEAT: 0, S.COOL: 0}, {S.IDLE: 0.5, S.HEAT: 0.0, S.COOL: x[1]}
    s = x[1]
    for k in range(n):
        state = S.HEAT if s < 20.3 + 0.9 * k else S.COOL
        count[state] += 1
        energy[state] += x[0] * s
        if count[state] > 2:
            energy[state] = energy[state] * 0.5 + energy[S.IDLE] * x[0]
        s += 1.5 if state is S.HEAT else -2.0 * x[0]
    return sum(energy.values()) * (1 + count[S.HEAT]) + s


@program(*X)
def positions(x, n):
    totals, s = [0.0, x[0]], x[1]
    for k in range(n):
        level = Level.HIGH if s > 20.3 + 0.9 * k else Level.LOW
        totals[level - 1] += x[0] * s
        s += 1.5 if level is Level.LOW else -2.0
    return totals[0] * totals[1]


class SGD:
    def __init__(self, rate):
        self.rate, self.state = rate, {}

    def update(self, key, g):
        m = self.state.get(key)
        self.state[key] = g if m is None else 0.5 * m + g
        return self.rate * self.state[key]


class Adam(SGD):
    def update(self, key, g):
        s = self.state.setdefault(key, {"m": 0.0, "v": 0.0})
        s["m"] = 0.9 * s["m"] + 0.1 * g
        s["v"] = 0.99 * s["v"] + 0.01 * g * g
        return self.rate * s["m"] / (s["v"] + 1e-2) ** 0.5


OPTIMIZERS = {"sgd": SGD, "adam": Adam}


def descend(optimizer, x, n):
    w = {"a": x[0], "b": x[1]}
    for _ in range(n):
        for key in w:
            w[key] = w[key] - optimizer.update(key, w[key] * w["a"])
    return w["a"] * w["b"]


@program(([0.7, 0.2], "sgd", 5), ([0.7, 0.2], "adam", 4), ([0.3, 0.9], "sgd", 6))
def classes_by_a_key(x, name, n):
    return descend(OPTIMIZERS[name](0.1), x, n)


@program(([0.7, 0.2], "sgd", 5), ([0.7, 0.2], "adam", 4), ([0.3, 0.9], "sgd", 6), ([0.3, 0.9], "lbfgs", 6))
def classes_by_comparisons(x, name, n):
    if name == "sgd":
        optimizer = SGD(0.1)
    elif name == "adam":
        optimizer = Adam(0.2)
    else:
        raise ValueError(name)
    return descend(optimizer, x, n)


test_programs = program.test()


def a_key_that_may_be_missing(x, n):
    state, s = S.IDLE, x[1]
    for _ in range(n):
        state = TABLE[state, kind(s)]
        s += x[0]
    return s


def members_with_a_hash_of_their_own(x, n):
    rate, s = {Own.A: x[0], Own.B: x[1]}, 0.0
    for _ in range(n):
        s += rate[Own.A if s < 3.0 else Own.B]
    return s


def written_members_with_a_hash_of_their_own(x, n):
    rate, s = {Own.A: x[0], Own.B: x[1]}, 0.0
    for _ in range(n):
        rate[Own.A if s < 3.0 else Own.B] += x[0]
        s += x[0]
    return rate[Own.A] + s


def members_among_strings(x, n):
    rate, s = {S.HEAT: x[0], "S.COOL": x[1]}, 0.0
    for _ in range(n):
        s += rate.get(S.HEAT if s < 3.0 else S.COOL, 1.0)
    return s


@pytest.mark.parametrize(("f", "code"), [
    (a_key_that_may_be_missing, "SCT505"), (members_with_a_hash_of_their_own, "SCT503"),
    (written_members_with_a_hash_of_their_own, "SCT503"),
    (members_among_strings, "SCT505")])
def test_refused(f: Callable[..., Any], code: str) -> None:
    refuses(f, *X[0], code=code)
