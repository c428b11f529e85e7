"""Loops whose first iteration makes keys and attributes, as the states of optimizers and filters are made."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from oracle import agrees, agrees_in_every_mode, agrees_in_second_order

from sct import SctError, grad


def momentum(rate: Any, n: int) -> Any:
    state, x = {}, np.array([1.0, 0.5])
    for _ in range(n):
        m = 0.9 * state.setdefault("w", 0.0) + x
        state["w"] = m
        x = x - rate * m
    return np.sum(x)


def adam(rate: Any, n: int) -> Any:
    state, x = {}, np.array([1.0, -0.5])
    for _ in range(n):
        g = 2.0 * x
        if "m" not in state:
            state["m"], state["v"], state["t"] = np.zeros_like(x), np.zeros_like(x), 0
        state["t"] += 1
        state["m"] = 0.9 * state["m"] + 0.1 * g
        state["v"] = 0.99 * state["v"] + 0.01 * g ** 2
        m, v = state["m"] / (1.0 - 0.9 ** state["t"]), state["v"] / (1.0 - 0.99 ** state["t"])
        x = x - rate * m / (np.sqrt(v) + 1e-3)
    return np.sum(x ** 2)


class Momentum:
    def __init__(self, rate: Any) -> None:
        self.rate, self.state = rate, {}

    def step(self, name: str, w: Any, g: Any) -> Any:
        if name not in self.state:
            self.state[name] = np.zeros_like(w)
        self.state[name] = 0.9 * self.state[name] + g
        return w - self.rate * self.state[name]


def two_parameters(rate: Any, n: int) -> Any:
    optimizer, w, b = Momentum(0.1 * rate), np.ones(3), 0.5
    for _ in range(n):
        residual = np.sum(w) + b - 1.0
        w = optimizer.step("w", w, 2.0 * residual * np.ones(3))
        b = optimizer.step("b", b, 2.0 * residual)
    return np.sum(w ** 2) + b


class Filter:
    def __init__(self, a: Any) -> None:
        self.a = a

    def __call__(self, v: Any) -> Any:
        if not hasattr(self, "y"):
            self.y = v
        self.y = self.a * self.y + (1.0 - self.a) * v
        return self.y


def filtered(a: Any, n: int) -> Any:
    smooth, total = Filter(a), 0.0
    for k in range(n):
        total += smooth(a * k * k % 7) ** 2
    smooth.z = getattr(smooth, "z", 1.0) + a
    return total * smooth.z


def until(a: Any, n: int) -> Any:
    d, k = {}, 0
    while k < n:
        d["before"] = d.get("now", a)
        d["now"] = d["before"] * 0.5 + a * a * k
        k += 1
    return d["now"] * d["before"]


EDGES = {"c": ("a", "b"), "b": ("a",), "a": ()}


class Graph:
    def __init__(self, x: Any) -> None:
        self.edges, self.weights = EDGES, {"a": x, "b": x * x, "c": 2.0}

    def order(self, target: str) -> list[str]:
        seen, todo = {}, [target]
        while todo:
            node = todo.pop()
            if node in seen or node not in self.edges:
                continue
            seen[node] = [to for to in self.edges[node]]
            todo += seen[node]
        return list(seen)


def of_known_items(x: Any, n: int) -> Any:
    graph, total = Graph(x), 0.0
    for k, node in enumerate(graph.order("c")):
        total += graph.weights[node] * (k + 1)
    return total * n


PROGRAMS = [of_known_items, momentum, adam, two_parameters, filtered, until]


@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
def test_program(f: Callable[..., Any], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SCT_VALIDATE", "0")
    for n in (1, 3, 30):
        agrees(f, 0.03, n)
    agrees_in_second_order(f, 0.03, 30)


@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
def test_more_iterations_are_no_longer_a_program(f: Callable[..., Any]) -> None:
    sources = []
    for n in (20, 60):
        derivative = grad(f)
        derivative(0.03, n)
        sources.append(derivative.source)
    assert sources[0] == sources[1]


def test_an_attribute_that_a_later_iteration_sets_is_refused() -> None:
    def f(a: Any, n: int) -> Any:
        smooth, total = Filter(a), 0.0
        for k in range(n):
            if a * k > 2.0:
                smooth.z = a * k
            if hasattr(smooth, "z"):
                total += smooth.z
        return total

    with pytest.raises(SctError, match="SCT503: whether this object has the attribute `z` is known only at run time"):
        grad(f)(0.5, 30)


# -- loops over batches, whose step is an argument ------------------------------------------------------------


class Buffered:
    def __init__(self, params: Any, rate: Any) -> None:
        self.params, self.rate, self.state = params, rate, {k: {} for k in params}

    def step(self, grads: Any) -> None:
        for k, g in grads.items():
            s = self.state[k]
            if "buf" not in s:
                s["buf"] = np.zeros_like(g)
            s["buf"] *= 0.9
            s["buf"] += g
            self.params[k] -= self.rate * s["buf"]


def by_batches(x: Any, n: int, size: int = 2) -> Any:
    data = np.cos(np.arange(3.0 * n)).reshape(n, 3)
    p = {"w": np.ones(3)}
    optimizer = Buffered(p, 0.1 * x[0])
    for i in range(0, len(data), size):
        batch = data[i:i + size]
        optimizer.step({"w": batch.T @ (batch @ p["w"]) / size})
    return np.sum(p["w"] ** 2)


def batches(data: Any, size: int) -> Any:
    for i in range(0, len(data), size):
        yield data[i:i + size]


def in_epochs(x: Any, n: int, size: int = 2) -> Any:
    data = np.cos(np.arange(3.0 * n)).reshape(n, 3)
    p = {"w": np.ones(3)}
    optimizer = Buffered(p, 0.1 * x[0])
    for _ in range(2):
        for batch in batches(data, size):
            optimizer.step({"w": batch.T @ (batch @ p["w"]) / size})
    return np.sum(p["w"] ** 2)


def backwards(x: Any, n: int, step: int = -1) -> Any:
    state: dict[str, Any] = {}
    for k in range(n, 0, step):
        if "s" not in state:
            state["s"] = x[0] * k
        state["s"] = state["s"] * 0.5 + np.sin(x[0] * k)
    return state.get("s", x[0]) * 2.0


@pytest.mark.parametrize("validate", ["1", "0"])
@pytest.mark.parametrize("f", [by_batches, in_epochs], ids=lambda f: f.__name__)
def test_batches(f: Callable[..., Any], validate: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SCT_VALIDATE", validate)
    agrees_in_every_mode(f, [([0.3], 41), ([0.3], 41, 3), ([0.7], 12, 5), ([0.7], 1)])


@pytest.mark.parametrize("f", [by_batches, in_epochs], ids=lambda f: f.__name__)
def test_more_batches_are_no_longer_a_program(f: Callable[..., Any]) -> None:
    for n in (40, 400):
        derivative = grad(f)
        derivative([0.3], n)
        assert len(derivative.source.splitlines()) < 130


def test_steps_of_another_sign() -> None:
    agrees(backwards, [0.3], 5)
    agrees(backwards, [0.3], 5, 1)
    agrees(backwards, [0.3], 5, 0)
