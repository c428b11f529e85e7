"""Objects that get attributes in a loop or on one path, dicts that get keys there, and what programs read of these."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import asdict, dataclass, field
from typing import Any, ClassVar

import numpy as np
import pytest
from oracle import agrees, refuses

from sct import SctError, grad, value_and_grad

X = np.array([2.0, 0.7])


class Box:
    def __init__(self, x):
        self.x = x


class Fit:
    def run(self, x, n):
        self.w = 0.1
        for k in range(n):
            self.residual = x - self.w
            self.loss = np.sum(self.residual ** 2)
            self.step = k
            self.w = self.w + 0.01 * np.sum(self.residual)
            if self.loss < 1e-3:
                break
        return self

    def factor(self, K):
        jitter = 1e-10
        while True:
            try:
                self.L = np.linalg.cholesky(K + jitter * np.eye(len(K)))
                break
            except np.linalg.LinAlgError:
                jitter *= 10.0
        return self


def attributes_of_a_loop(x):
    fit = Fit().run(x, 30)
    return fit.loss + fit.w + np.sum(fit.residual) * fit.step


def attribute_of_a_retried_step(x):
    return np.sum(Fit().factor(np.outer(x, x) + np.eye(2)).L ** 2)


def attributes_of_branches(x):
    a, b = Box(x), Box(x)
    if x[0] > 1.0:
        a.y, b.y = x[1] * 2.0, 3.0 * x
    else:
        a.other, a.y = x[0], x[0]
    alias = b
    total = np.sum(b.x) * a.y
    return total + np.sum(alias.y) if x[0] > 1.0 else total


def keys_of_branches(x):
    costs, seen = defaultdict(float), {}
    for k in range(9):
        costs["a"] += x[0] * k
        if x[1] * k > 1.0:
            costs["b"] += x[1]
            costs["c"] += 1.0
    if x[0] > 1.0:
        seen["u"] = x[1] ** 2
    seen["v"] = x[0]
    return sum(costs.values()) * costs["b"] + sum(seen.values()) + seen.get("u", 0.0)


REACTIONS = [(Counter({"A": 1, "B": 2}), Counter(C=1), 0.5), (Counter({"C": 1}), Counter(A=2), 2.0)]


def counters_of_the_module(x):
    places, change, c = {"A": 0, "B": 1, "C": 2}, np.zeros(3), np.array([x[0], x[1], 0.2])
    for lhs, rhs, rate in REACTIONS:
        v = rate
        for s, n in lhs.items():
            v = v * c[places[s]] ** n
        for s, n in rhs.items():
            change[places[s]] += n * v
    return np.sum(change ** 2)


@dataclass
class Result:
    weights: np.ndarray
    history: list


def record_with_a_list_as_a_dict(x):
    history = []
    for k in range(10):
        history.append(np.sum(x) * k)
        if history[-1] > 7.0:
            break
    d = asdict(Result(x * 2.0, history))
    return d["history"][-1] + np.sum(d["weights"])


def item_of_an_array_of_unknown_size(x):
    W = np.random.RandomState(0).randn(1, 2)
    return (W @ x).item() ** 2


class OfClass(Box):
    y = 7.0


class Account:
    n, total = 0, 0.0

    def deposit(self, v):
        if v > 1.0:
            self.n += 1
            self.total += v


@dataclass
class Tank:
    area: float
    level: float = field(default=0.5, init=False)
    fills: int = field(default=0, init=False)


def defaults_of_the_class(x):
    b, tank = OfClass(x), Tank(x[1])
    if x[0] > 1.0:
        b.y = x[0]
    for _ in range(9):
        if tank.level > 2.0:
            tank.fills += 1
            tank.level = x[0]
        tank.level += x[1] * 0.5
    return b.y * tank.level * tank.fills + getattr(tank, "area", 1.0) + hasattr(b, "y")


def defaults_of_objects_of_a_loop(x):
    first, second = Account(), Account()
    for k in range(9):
        last = Account()
        if k * x[1] > 1.0:
            first.n += 1
            last.n = k
        first, second = second, first
    kept = Account()
    if x[0] > 1.0:
        kept.n = 4
    return first.n * x[0] + second.n * x[1] + last.n * x[0] ** 2 + hasattr(kept, "n") * getattr(kept, "n", 9)


def defaults_of_objects_in_a_list(x):
    accounts = [Account() for _ in range(round(x[0]) + 4)]
    for k, a in enumerate(accounts):
        a.deposit(x[1] * k)
    return sum(a.total * a.n for a in accounts if a.n) + len(accounts)


@pytest.mark.parametrize("f", [
    attributes_of_a_loop, attribute_of_a_retried_step, attributes_of_branches, keys_of_branches,
    counters_of_the_module, record_with_a_list_as_a_dict, item_of_an_array_of_unknown_size, defaults_of_the_class,
    defaults_of_objects_of_a_loop, defaults_of_objects_in_a_list])
def test_agrees(f: Any) -> None:
    agrees(f, X)
    agrees(f, np.array([0.6, 0.3]))


class Named(Box):
    y: ClassVar[list] = [7.0]


def of_the_object_or_a_list_of_its_class(x):
    b = Named(x)
    if x > 1.0:
        b.y = [x]
    return b.y[0] * x


def defaults_among_its_own(x):
    b = OfClass(x)
    if x > 1.0:
        b.y = x
    return b.y * len(vars(b))


def defaults_handed_out(x):
    accounts = [Account() for _ in range(round(x) + 4)]
    for a in accounts:
        a.deposit(x)
    return x, accounts


def asked_whether_it_is_there(x):
    b = Box(x)
    if x > 1.0:
        b.y = x
    return x if hasattr(b, "y") else 2.0 * x


def counted_with_the_others(x):
    b = Box(x)
    if x > 1.0:
        b.y = x
    return x * len(vars(b))


def caught_where_it_is_not_there(x):
    b = Box(x)
    if x > 1.0:
        b.y = x
    try:
        r = b.y
    except AttributeError:
        r = -x
    return r * x


def a_pair_set_in_a_loop(x):
    b = Box(x)
    for k in range(round(x)):
        b.pair = x, x * k
    return b.pair[1]


@pytest.mark.parametrize(("f", "code"), [
    (of_the_object_or_a_list_of_its_class, "SCT310"), (defaults_among_its_own, "SCT503"),
    (a_pair_set_in_a_loop, "SCT502"),     (asked_whether_it_is_there, "SCT503"),
    (counted_with_the_others, "SCT503"), (caught_where_it_is_not_there, "SCT503")])
def test_whether_an_attribute_is_there_is_not_guessed(f: Any, code: str) -> None:
    refuses(f, 2.0, code=code)


def test_objects_with_defaults_are_not_handed_out() -> None:
    with pytest.raises(SctError, match="whether this object has the attribute `n`"):
        grad(defaults_handed_out, has_aux=True)(2.0)


def test_an_attribute_that_no_path_has_set_raises() -> None:
    def f(x):
        b = Box(x)
        if x > 1.0:
            b.y = x
        return b.y * x

    agrees(f, 2.0)
    with pytest.raises((AttributeError, NameError)):
        value_and_grad(f)(0.5)
