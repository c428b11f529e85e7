"""Folds, batches and bootstrap samples: `np.array_split` of permutations, in numbers known only at run time."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
from oracle import Programs, agrees, agrees_in_every_mode, refuses

import sct

program = Programs()
CALLS = ([0.7], 36, 3), ([1.3], 40, 5), ([0.43], 7, 4), ([0.9], 3, 5)


def data(n: int) -> Any:
    return np.sin(np.arange(n) * 1.0), np.column_stack([np.ones(n), np.arange(n) / n])


def error(X: Any, y: Any, train: Any, test: Any, ridge: Any) -> Any:
    w = np.linalg.solve(X[train].T @ X[train] + ridge * np.eye(2), X[train].T @ y[train])
    return np.mean((X[test] @ w - y[test]) ** 2)


@program(*CALLS[:3])
def of_the_other_folds(xs: Any, n: int, k: int) -> Any:
    y, X = data(n)
    folds = np.array_split(np.arange(n), k)
    total = 0.0
    for i in range(k):
        train = np.concatenate([f for j, f in enumerate(folds) if j != i])
        total += error(X, y, train, folds[i], xs[0])
    return total / k


@program(*CALLS[:3])
def of_a_difference(xs: Any, n: int, k: int) -> Any:
    y, X = data(n)
    order = np.arange(n)
    return np.mean([error(X, y, np.setdiff1d(order, fold), fold, xs[0]) for fold in np.array_split(order, k)])


@program(*CALLS[:3])
def of_masks(xs: Any, n: int, k: int) -> Any:
    y, X = data(n)
    errors = []
    for fold in np.array_split(np.random.default_rng(1).permutation(n), k):
        mask = np.ones(n, dtype=bool)
        mask[fold] = False
        errors.append(error(X, y, mask, ~mask, xs[0]))
    return np.mean(errors) + np.std(errors)


def folds_of(n: int, k: int, rng: Any) -> Iterator[Any]:
    order = rng.permutation(n)
    for fold in np.array_split(order, k):
        yield np.setdiff1d(order, fold), fold


@program(*CALLS[:3])
def of_a_generator(xs: Any, n: int, k: int) -> Any:
    y, X = data(n)
    scores = [error(X, y, train, test, xs[0]) for train, test in folds_of(n, k, np.random.default_rng(2))]
    return sum(scores) / len(scores)


@program(*CALLS)
def of_batches(xs: Any, n: int, k: int) -> Any:
    rng, y = np.random.default_rng(0), np.linspace(0.0, 1.0, n) * xs[0]
    m = 0.0
    for _ in range(3):
        for part in np.array_split(rng.permutation(n), n // 3):
            m = 0.5 * m + y[part].sum() ** 2
    return m * k


@program(*CALLS[:3])
def of_differentiated_parts(xs: Any, n: int, k: int) -> Any:
    parts = np.array_split(np.linspace(0.0, 1.0, n) * xs[0], k)
    return sum(p.mean() ** 2 for p in parts) + parts[0][0] * parts[-1][-1]


@program(*CALLS)
def with_momentum(xs: Any, n: int, k: int) -> Any:
    rng, (y, X) = np.random.default_rng(0), data(n)
    w, m = np.zeros(2) + xs[0], 0.0
    for part in np.array_split(rng.permutation(n), 3):
        m = 0.9 * m + X[part].T @ (X[part] @ w - y[part]) / len(part)
        w = w - 0.1 * m
    return np.sum(w ** 2) * k


@program(*CALLS)
def of_samples(xs: Any, n: int, k: int) -> Any:
    rng, y = np.random.default_rng(1), data(n)[0] * xs[0] + xs[0] ** 2
    means = []
    for _ in range(k):
        means.append(y[rng.integers(0, len(y), size=len(y))].mean())
    return np.std(means) + np.mean(means)


@pytest.mark.parametrize("validate", ["0", "1"])
@pytest.mark.parametrize(("f", "calls"), program, ids=lambda each: getattr(each, "__name__", None))
def test_folds(f: Callable[..., Any], calls: Any, validate: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SCT_VALIDATE", validate)
    agrees_in_every_mode(f, calls)


def test_one_compilation_serves_every_number_of_parts() -> None:
    def f(x: float, n: int) -> Any:
        y, m = np.linspace(0.0, 1.0, n) * x, 0.0
        for part in np.array_split(np.random.default_rng(0).permutation(n), n // 3):
            m = 0.5 * m + y[part].sum() ** 2
        return m

    derivative = sct.grad(f)
    for n in (36, 40, 47):
        derivative(0.7, n)
    assert len(derivative.sources) == 1


def test_no_parts() -> None:
    derivative = sct.value_and_grad(of_differentiated_parts)
    for k in (2, 0, -1):
        agrees(of_differentiated_parts, [0.7], 6, k, derivative=derivative)


def with_momentum_in_parts_of_run_time(xs: Any, n: int, k: int) -> Any:
    m = 0.0
    for part in np.array_split(np.arange(n), k):
        m = np.tanh(m) + xs[0] * np.ones(3) * len(part)
    return np.sum(m)


def test_a_number_that_becomes_an_array_is_the_reason() -> None:
    assert "v = np.zeros(n)" in refuses(with_momentum_in_parts_of_run_time, [0.7], 9, 3, code="SCT108").hint
