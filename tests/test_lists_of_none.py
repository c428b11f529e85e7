"""Lists that begin as `[None] * n` and are filled: tables of dynamic programming, caches, histories, layers."""

from __future__ import annotations

import warnings
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from oracle import agrees, agrees_in_second_order

from sct import SctError, grad, value_and_grad

X = np.array([0.3, 0.7])
W = np.array([[0.1, 0.2], [0.3, -0.4]])


def numbers(x: Any, n: int) -> Any:
    xs = [None] * n
    xs[0] = x[0]
    for i in range(1, n):
        xs[i] = xs[i - 1] * x[1] + max(xs[:i])
    return sum(xs) + np.sum(np.array(xs) ** 2)


def layers(x: Any, n: int) -> Any:
    h = [None] * (n + 1)
    h[0] = x
    for i in range(n):
        h[i + 1] = np.tanh(W @ h[i] + x)
    return h[n] @ h[n - 1]


def backwards(x: Any, n: int) -> Any:
    values = [None] * (n + 1)
    values[n] = np.maximum(x - 0.5, 0.0)
    for i in range(n - 1, -1, -1):
        values[i] = 0.9 * values[i + 1] + x
    return np.sum(values[0])


def memo(x: Any, n: int) -> Any:
    known = [None] * (n + 1)

    def fib(k: int) -> Any:
        if k < 2:
            return x[k]
        if known[k] is None:
            known[k] = fib(k - 1) * 0.5 + fib(k - 2)
        return known[k]

    return fib(n)


def table(x: Any, n: int) -> Any:
    t = [[None] * n for _ in range(n)]
    for i in range(n):
        for j in range(n):
            t[i][j] = x[0] + i * j if i == 0 or j == 0 else t[i - 1][j] + t[i][j - 1] * x[1]
    return t[n - 1][n - 1]


def filled_on_a_path(x: Any, n: int) -> Any:
    xs = [None] * n
    for i in range(n):
        if x[0] * i > 0.5:
            xs[i] = np.sin(x) * i
        if i > 3:
            xs[i - 2] = None
    return sum(np.sum(v ** 2) for v in xs if v is not None)


def history(x: Any, n: int) -> Any:
    ring = [None] * 3
    y = x * 1.0
    for i in range(n):
        ring[i % 3] = y
        y = y + 0.1 * np.sin(y) if i < 2 else y + 0.1 * (ring[i % 3] - ring[(i - 1) % 3] + ring[(i - 2) % 3] * x)
    return np.sum(y)


def one_array_many_times(x: Any, n: int) -> Any:
    xs = [None] * n
    for i in range(n):
        xs[i] = x
    total = 0.0
    for i in range(n):
        total += xs[i] @ xs[0] + xs[(i + 1) % n] @ xs[i // 2]
    return total


def looked_for(x: Any, n: int) -> Any:
    xs = [None] * n
    xs[1] = x[0]
    return xs.count(None) * x[1] + (len(xs) if None in xs else 0) * xs[1] + xs.index(None)


def aliases_and_copies(x: Any, n: int) -> Any:
    xs = [None] * n
    same, copy = xs, list(xs)
    for i in range(n):
        same[i] = x[0] * i
    part = xs[:]
    part[0] = x[1]
    return sum(xs) + sum(part) + (1.0 if copy[0] is None else x[1])


def chosen_arrays(x: Any, n: int) -> Any:
    xs = [None if i % 2 else x * i for i in range(n)]
    xs.insert(0, None if n % 2 else x)
    xs.extend([x, 2.0 * x])
    rows = [(None if i % 2 else x + i, i) for i in range(n)]
    total = 0.0
    for v, i in rows:
        if v is None:
            continue
        total += np.sum(v) * i
    return total + sum(np.sum(v ** 2) for v in xs if v is not None)


def chosen_numbers(x: Any, n: int) -> Any:
    xs = []
    for i in range(n):
        xs.append(None if i % 2 else x[0] * i)
    return sum(v for v in xs if v is not None) + sum((v or x[1]) for v in xs[1:])


def drained(x: Any, n: int) -> Any:
    queue = deque(maxlen=3)
    for i in range(n):
        queue.append(None if i % 2 else x * i)
    total = 0.0
    while queue:
        v = queue.popleft()
        if v is not None:
            total += np.sum(v ** 2)
    return total


def best_so_far(x: Any, n: int) -> Any:
    best, xs = None, []
    for i in range(n):
        if x[0] * i > 0.5:
            best = x * i
        xs.append(best)
    return sum(np.sum(v ** 2) for v in xs if v is not None)


def shortest_path(x: Any, n: int) -> Any:
    before, distance = [None] * n, [1e9] * n
    distance[0] = 0.0
    for _ in range(n):
        for i in range(n - 1):
            if distance[i] + x[i % 2] < distance[i + 1]:
                distance[i + 1] = distance[i] + x[i % 2]
                before[i + 1] = i
    steps, at = 0, n - 1
    while at is not None:
        steps, at = steps + 1, before[at]
    return distance[n - 1] * steps


PROGRAMS = [chosen_arrays, chosen_numbers, drained, best_so_far, shortest_path, numbers, layers, backwards, memo, table,
            filled_on_a_path, history, one_array_many_times, looked_for, aliases_and_copies]


@pytest.mark.filterwarnings("ignore::sct.SctWarning")
@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
def test_program(f: Callable[..., Any], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SCT_VALIDATE", "0")
    for n in (3, 5):
        agrees(f, X, n)
        agrees_in_second_order(f, X, n)


def left_empty(x: Any, n: int) -> Any:
    xs = [None] * n
    for i in range(n - 1):
        xs[i] = x[0] * i
    return sum(xs)


def test_none_in_a_sum_raises_as_in_python() -> None:
    agrees(left_empty, X, 4)


def test_the_first_layer_is_the_last() -> None:
    x = X.copy()
    np.testing.assert_allclose(grad(layers)(x, 0), 2.0 * X)
    np.testing.assert_array_equal(x, X)


def at_the_place(x: Any, n: int) -> Any:
    before, best = [None] * n, None
    for i in range(1, n):
        before[i] = i - 1
        if x[i % 2] > 0.5:
            best = i % 2
    total = x[best] ** 2
    for i in range(n):
        if before[i] is not None:
            total += x[before[i] % 2] * i
    return total


def at_no_place(x: Any, n: int) -> Any:
    before = [None] * n
    before[0] = 1
    return np.sum(x[before[n - 1]] * x)


def test_none_as_an_index_is_a_new_axis_to_numpy_and_raises_here() -> None:
    agrees(at_the_place, X, 4)
    for derivative in (grad(at_no_place), value_and_grad(at_no_place)):
        derivative(X, 1)
        with pytest.raises(SctError, match="an index must be an int, not None"):
            derivative(X, 3)


def clipped(x: Any, n: int) -> Any:
    low = None
    for i in range(n):
        if x[i % 2] > 0.6:
            low = x[i % 2] * 0.5
    return np.sum(np.clip(x, low, None) ** 2)


def averaged(x: Any, n: int) -> Any:
    weights = x * x if n > 2 else None
    return np.average(x, weights=weights)


def test_an_argument_that_may_be_left_out_is_checked_where_it_may_be_none() -> None:
    for f, others in ((clipped, (X * 0.5, 2)), (averaged, (X, 1))):
        agrees(f, X, 4)
        derivative = grad(f)
        derivative(X, 4)
        with pytest.raises((SctError, TypeError), match="must be a number or an array, not None"):
            derivative(*others)


def added(x: Any, n: int) -> Any:
    xs = [None] * n
    for k in range(n - 1):
        xs[k] = x[k % 2]
    s = 0.0
    for v in xs:
        s = s + v
    return s


def updated(x: Any, n: int) -> Any:
    s = None
    for k in range(n):
        if x[k] > 5.0:
            s = x[k]
    s *= x[0]
    return s


@pytest.mark.parametrize("f", [added, updated])
def test_an_operator_raises_for_none_whether_it_is_written_as_an_update_or_not(f: Any) -> None:
    agrees(f, X, 2)


def grouped(x: Any, values: Any, n: int) -> Any:
    groups: Any = {"even": [], "odd": []}
    for k, v in enumerate(values):
        groups["odd" if k % 2 else "even"].append(v)
    total = x[0]
    for group in groups.values():
        missing = 0
        for v in group:
            if v is None:
                missing += 1
            else:
                total += n * x[1] * v
        total += n * x[0] ** 2 * missing
    return total


def in_lists_of_lists(x: Any, values: Any, n: int) -> Any:
    rows: Any = [[] for _ in range(3)]
    for k, v in enumerate(values):
        rows[k % 3].append(v)
        rows[(k + 1) % 3].insert(0, None if k == n else x[0] * k)
    return sum(np.sin(v * x[1]) for row in rows for v in row if v is not None)


def by_names_of_run_time(x: Any, values: Any, n: int) -> Any:
    groups: Any = {}
    for k, v in enumerate(values):
        groups.setdefault("abc"[k % (n + 1)], []).append(None if v is None else v * x[0])
    return sum(x[1] * len(g) + sum(v ** 2 for v in g if v is not None) for g in groups.values())


def words(x: Any, values: Any, n: int) -> Any:
    labels: Any = [[], []]
    for k, v in enumerate(values):
        labels[k % 2].append(None if v is None else "high" if v > 0.25 else "low")
    total = x[0] * x[1]
    for row in labels:
        for label in row:
            total *= x[0] if label is None else x[1] if label == "high" else n + 1.0
    return total


@pytest.mark.parametrize("f", [grouped, in_lists_of_lists, by_names_of_run_time, words])
def test_none_among_the_items_of_lists_in_lists(f: Any) -> None:
    values = [None, 0.2, 0.3, None, 0.5, 0.6]
    derivative = value_and_grad(f)
    for n in (0, 1, 2):
        agrees(f, X, values, n)
        assert derivative(X, values, n)[0] == f(X, values, n)
    assert derivative(X, values[::-1][:4], 1)[0] == f(X, values[::-1][:4], 1)


def of_class(x: Any, n: int) -> Any:
    y = x * 2.0 if n > 1 else None
    if isinstance(y, np.ndarray):
        return y.sum()
    if isinstance(y, (str, int)):
        return x[1]
    return x[0] * (3 if isinstance(y, (type(None), float)) else 5)


def of_a_class_of_numbers(x: Any, n: int) -> Any:
    y = x[0] * 2.0 if n > 1 else None
    if isinstance(y, float):
        return y * x[1]
    return x[0] if not isinstance(y, (int, float)) else x[1]


@pytest.mark.parametrize("f", [of_class, of_a_class_of_numbers])
def test_the_class_of_what_may_be_none(f: Any) -> None:
    derivative = value_and_grad(f)
    for n in (2, 0, 1, 3):
        agrees(f, X, n)
        assert derivative(X, n)[0] == f(X, n)


def pairs_of_which_one_has_none(x: Any, n: int) -> Any:
    pairs = [(x[0], None)]
    for i in range(n):
        pairs.append((x[1] * i, 2.0 * x[0]))
    return sum(a if b is None else a * b for a, b in pairs)


def back_pointers(x: Any, n: int) -> Any:
    best: Any = [{"a": (x[0], None), "b": (2 * x[1], None)}]
    for i in range(n):
        column = {}
        for s in ("a", "b"):
            previous, score = max(((r, best[-1][r][0] + x[1] * i) for r in ("a", "b")), key=lambda p: p[1])
            column[s] = (score * (0.9 if s == "a" else x[0]), previous)
        best.append(column)
    last = max(("a", "b"), key=lambda s: best[-1][s][0])
    path = [last]
    for column in reversed(best[1:]):
        path.append(column[path[-1]][1])
    return best[-1][last][0] + sum(x[0] if s == "a" else x[1] for s in path)


def parents(x: Any, n: int) -> Any:
    nodes: Any = [{"value": x[0], "parent": None}]
    for i in range(n):
        nodes.append({"value": x[1] * nodes[i // 2]["value"], "parent": i // 2})
    total, k = 0.0, n
    while k is not None:
        total += nodes[k]["value"] ** 2
        k = nodes[k]["parent"]
    return total


def labels(x: Any, n: int) -> Any:
    best = [(x[0], None, "start")]
    for i in range(n):
        best.append((x[1] * i, i, "step"))
    value, step, label = max(best, key=lambda t: t[0])
    return value * (step if step is not None else 3) + (x[0] if label == "start" else 0.0)


@pytest.mark.parametrize("f", [pairs_of_which_one_has_none, back_pointers, parents, labels])
def test_none_in_some_items_and_a_value_in_others(f: Any) -> None:
    derivative = value_and_grad(f)
    for n in (6, 0, 1, 12):
        agrees(f, X, n)
        assert derivative(X, n)[0] == f(X, n)
    agrees_in_second_order(f, X, 6)


RECORDS = [
    {"age": 0.3, "dose": "low", "mass": None}, {"age": 0.5, "dose": "mid", "mass": 0.1},
    {"age": -0.3, "dose": "high", "mass": 0.4}, {"age": 0.9, "dose": "low", "mass": 0.2},
    {"age": 0.1, "dose": "mid", "mass": None}]


def fields_of_several_types(x: Any, records: Any, least: float) -> Any:
    total = 0.0
    for r in [r for r in records if r["age"] > least]:
        for name, b in (("age", x[0]), ("dose", x[1]), ("mass", x[0] * x[1])):
            v = r[name]
            if v is None:
                continue
            if isinstance(v, str):
                v = {"low": 0.0, "mid": 0.5, "high": 1.0}[v]
            total += b * v
    return total ** 2


def test_fields_of_several_types_of_which_some_are_none() -> None:
    derivative = value_and_grad(fields_of_several_types)
    for least in (0.0, 2.0, -1.0):
        agrees(fields_of_several_types, X, RECORDS, least)
        assert derivative(X, RECORDS, least)[0] == fields_of_several_types(X, RECORDS, least)


@dataclass
class Row:
    wage: float
    income: float | None = None


def test_a_warning_names_an_attribute_that_matters_for_no_record() -> None:
    """`wage` matters for some of the records, `income` for none."""
    def f(rows: Any) -> Any:
        return sum(r.wage ** 2 for r in rows if r.income is not None)

    rows = [Row(1.0, 2.0), Row(3.0), Row(2.0, 0.5)]
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        gradient = grad(f)(rows)
    assert [r.wage for r in gradient] == [2.0, 0.0, 4.0]
    texts = [str(w.message) for w in caught]
    assert any("`income`" in text for text in texts)
    assert not any("`wage`" in text for text in texts)
