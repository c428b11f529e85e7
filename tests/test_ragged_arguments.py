"""Lists from outside whose items are arrays of different sizes, and records of such arrays."""

from __future__ import annotations

import copy
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import pytest

from sct import emit, grad, hvp, jvp, tree, value_and_grad

Rng = np.random.Generator
Program = Callable[..., Any]
Arguments = Callable[[Rng, Sequence[int]], tuple[Any, ...]]
PROGRAMS: list[tuple[Program, Arguments]] = []
"""Functions, with what gives their arguments for records of these sizes."""


def program(arguments: Arguments) -> Callable[[Program], Program]:
    def register(f: Program) -> Program:
        PROGRAMS.append((f, arguments))
        return f
    return register


@dataclass
class Subject:
    """A subject of a panel with its own number of visits."""

    y: Any
    X: Any
    t: Any
    weight: float

    def residuals(self, beta: Any) -> Any:
        return self.y - self.X @ beta


class Mesh(NamedTuple):
    """Points and the segments between them."""

    points: Any
    masses: Any


def pairs(rng: Rng, sizes: Sequence[int]) -> list[Any]:
    return [(rng.normal(size=n), rng.normal(size=(n, 2))) for n in sizes]


def dicts(rng: Rng, sizes: Sequence[int]) -> list[Any]:
    return [{"y": rng.normal(size=n), "X": rng.normal(size=(n, 2)), "id": k} for k, n in enumerate(sizes)]


def subjects(rng: Rng, sizes: Sequence[int]) -> list[Any]:
    return [Subject(rng.normal(size=n), rng.normal(size=(n, 2)), np.sort(rng.uniform(size=n)), rng.uniform())
            for n in sizes]


def vectors(rng: Rng, sizes: Sequence[int]) -> list[Any]:
    return [rng.normal(1.0, 0.5, size=n) for n in sizes]


def with_beta(records: Callable[[Rng, Sequence[int]], list[Any]]) -> Arguments:
    return lambda rng, sizes: (rng.normal(size=2), records(rng, sizes))


# -- by parameters ------------------------------------------------------------------------


@program(with_beta(pairs))
def loop_while_return_and_write(beta: Any, records: Any) -> Any:
    s = 0.0
    for y, X in records:
        r = np.zeros(len(y))
        for t in range(len(y)):
            r[t] = y[t] - X[t] @ beta
            if r[t] > 100.0:
                return s
        r *= 2.0
        k = 0
        while k < len(y) and r[k] < 50.0:
            s += r[k] * y[k] * beta[0]
            k += 1
        s += np.sum(r * r) + np.sum((y - X @ beta) ** 2)
    return s


@program(with_beta(subjects))
def panel_likelihood(beta: Any, panel: Any) -> Any:
    total = 0.0
    for subject in panel:
        r = subject.residuals(beta)
        n = len(subject.y)
        V = np.exp(beta[0]) * np.ones((n, n)) + np.eye(n)
        total += subject.weight * (r @ np.linalg.solve(V, r) + np.linalg.slogdet(V)[1])
    return 0.5 * total


@program(with_beta(dicts))
def choice_sets(beta: Any, choices: Any) -> Any:
    ll = 0.0
    for c in choices:
        u = c["X"] @ beta
        u = u - np.max(u)
        ll += u[0] - np.log(np.sum(np.exp(u))) + 0.0 * c["id"]
    return -ll


@program(with_beta(subjects))
def random_slopes_by_autoregression(beta: Any, panel: Any) -> Any:
    s = 0.0
    for m in panel:
        e = m.y - m.X @ beta
        d = np.diff(m.t)
        s += np.sum((e[1:] - np.exp(-d) * e[:-1]) ** 2 / (1.0 + d)) + e[0] ** 2
    return s


@program(with_beta(dicts))
def helper_in_a_generator(beta: Any, records: Any) -> Any:
    def loss(record: Any) -> Any:
        e = record["y"] - record["X"] @ beta
        return np.sum(np.sqrt(1.0 + e * e)) / len(e)
    return sum(loss(r) for r in records)


@program(with_beta(pairs))
def sandwich(beta: Any, records: Any) -> Any:
    bread = np.zeros((2, 2))
    meat = np.zeros((2, 2))
    for y, X in records:
        bread += X.T @ X
        g = X.T @ (y - X @ beta)
        meat += np.outer(g, g)
    inverse = np.linalg.inv(bread)
    return np.sum(inverse @ meat @ inverse)


@program(with_beta(pairs))
def read_at_positions(beta: Any, records: Any) -> Any:
    s = 0.0
    i = 0
    while i < len(records):
        y, X = records[i]
        s += np.mean((y - X @ beta) ** 2)
        i += 1 if s < 3.0 else 2
    y, X = records[-1]
    return s + np.sum(X[:, 0] * y * beta[1])


@program(with_beta(subjects))
def slices_and_enumerate(beta: Any, panel: Any) -> Any:
    s = 0.0
    for k, m in enumerate(panel[1:]):
        s += (k + 1) * np.sum(m.residuals(beta) ** 2)
    for m in reversed(panel[:2]):
        s += np.sum(m.t * m.residuals(beta))
    return s


@program(with_beta(pairs))
def comprehension_and_stack(beta: Any, records: Any) -> Any:
    errors = [y - X @ beta for y, X in records]
    means = np.array([np.mean(e) for e in errors])
    e = np.concatenate(errors)
    return np.sum((means - means.mean()) ** 2) + np.sum(np.log1p(e * e))


@program(with_beta(dicts))
def sorted_records(beta: Any, records: Any) -> Any:
    s = 0.0
    for k, r in enumerate(sorted(records, key=lambda r: len(r["y"]))):
        s += np.sum((r["y"] - r["X"] @ beta) ** 2) / (k + 1)
    return s


@program(lambda rng, sizes: (rng.normal(size=2), *map(list, zip(*pairs(rng, sizes)))))
def zip_of_two_lists(beta: Any, ys: Any, Xs: Any) -> Any:
    s = 0.0
    for y, X in zip(ys, Xs):
        s += np.sum((y - X @ beta) ** 2) / y.size
    return s


@program(lambda rng, sizes: (rng.normal(size=2), [[(y, X) for y, X in pairs(rng, (n, n + 1))] for n in sizes]))
def schools_of_classes(beta: Any, schools: Any) -> Any:
    s = 0.0
    for school in schools:
        part = 0.0
        for y, X in school:
            part += np.sum((y - X @ beta) ** 2) / len(y)
        s += part ** 2
    return s


@program(lambda rng, sizes: (0.3, vectors(rng, sizes)))
def trajectories(k: Any, paths: Any) -> Any:
    s = 0.0
    for x in paths:
        v = 0.0
        for t in range(1, len(x)):
            v = 0.9 * v + np.sin(k * x[t - 1])
            s += (x[t] - v) ** 2
    return s / len(paths)


# -- by the list --------------------------------------------------------------------------


@program(lambda rng, sizes: (vectors(rng, sizes),))
def sum_over_arrays(xs: Any) -> Any:
    s = 0.0
    for x in xs:
        s += np.sum((x - x.mean()) ** 3) + x[0] * x[-1]
    return s


@program(lambda rng, sizes: (vectors(rng, sizes),))
def moving_average_of_each(xs: Any) -> Any:
    s = 0.0
    for x in xs:
        y = x.copy()
        for t in range(1, len(x)):
            y[t] = 0.5 * y[t - 1] + x[t] ** 2
        s += np.sum(y * x)
    return s


@program(lambda rng, sizes: ([Mesh(rng.normal(size=(n, 2)), rng.uniform(size=n)) for n in sizes],))
def lengths_of_polygons(meshes: Any) -> Any:
    s = 0.0
    for m in meshes:
        d = m.points[1:] - m.points[:-1]
        s += np.sum(np.sqrt(1.0 + np.sum(d ** 2, axis=1))) + np.sum(m.masses[:, None] * m.points ** 2)
    return s


@program(lambda rng, sizes: (pairs(rng, sizes), 0.5))
def by_records(records: Any, c: Any) -> Any:
    s = 0.0
    for i in range(len(records)):
        y, X = records[i]
        s += np.sum(np.tanh(X[:, 0] * y + c)) * X[0, 1]
    return s


@program(lambda rng, sizes: (vectors(rng, sizes),))
def written_and_read_back(xs: Any) -> Any:
    for i in range(len(xs)):
        x = xs[i] * xs[i]
        x[0] = 2.0
        xs[i] = x
    return sum(np.sum(x * x) for x in xs)


@program(lambda rng, sizes: (subjects(rng, sizes),))
def attributes_replaced(panel: Any) -> Any:
    s = 0.0
    for m in panel:
        m.y = m.y - m.y.mean()
    for m in panel:
        s += m.weight * np.sum(m.y ** 2 * m.X[:, 1]) + np.sum(m.t)
    return s


@program(lambda rng, sizes: ([{"W": rng.normal(size=(b, a)), "b": rng.normal(size=b)}
                              for a, b in zip((2, *sizes), sizes)], rng.normal(size=2)))
def network_of_layers(layers: Any, x: Any) -> Any:
    for layer in layers:
        x = np.tanh(layer["W"] @ x + layer["b"])
    return np.sum(x * x)


SIZES = (3, 5, 4), (2, 7, 3, 4, 6), (6, 2, 5, 3), (1, 3, 2), (4, 4, 4)


def arguments_of(make: Arguments, sizes: Sequence[int]) -> tuple[Any, ...]:
    return make(np.random.default_rng(len(sizes)), sizes)


def agrees(f: Program, args: tuple[Any, ...], derivative: Any) -> None:
    """Value and arguments are Python's; the derivatives agree with central differences and with each other."""
    before, expected = copy.deepcopy(args), f(*copy.deepcopy(args))
    value, gradient = derivative(*args)
    assert type(value) is type(expected) and np.float64(value).tobytes() == np.float64(expected).tobytes()
    assert np.array_equal(tree.ravel(args)[0], tree.ravel(before)[0])
    x, unravel = tree.ravel(args[0])
    g = tree.ravel(gradient)[0]
    v = np.random.default_rng(1).normal(size=x.size)

    def at(t: float) -> tuple[Any, ...]:
        return copy.deepcopy((unravel(x + t * v), *args[1:]))

    assert g @ v == pytest.approx((f(*at(1e-6)) - f(*at(-1e-6))) / 2e-6, rel=1e-5, abs=1e-6)
    assert jvp(f, args, (unravel(v),))[1] == pytest.approx(g @ v, rel=1e-9, abs=1e-9)
    ahead, behind = (tree.ravel(derivative(*at(t))[1])[0] for t in (1e-5, -1e-5))
    product = tree.ravel(hvp(f, args, (unravel(v),)))[0]
    assert product == pytest.approx((ahead - behind) / 2e-5, rel=1e-4, abs=1e-5)


@pytest.mark.parametrize(("f", "make"), PROGRAMS, ids=[f.__name__ for f, _ in PROGRAMS])
def test_as_python_does(f: Program, make: Arguments) -> None:
    """Value, gradient, pushforward and second derivative, for calls of one derivative with other sizes."""
    derivative = value_and_grad(f)
    for sizes in SIZES:
        agrees(f, arguments_of(make, sizes), derivative)


@pytest.mark.parametrize(("f", "make"), PROGRAMS, ids=[f.__name__ for f, _ in PROGRAMS])
def test_one_program_for_any_number_of_records(f: Program, make: Arguments) -> None:
    """Other numbers of records and other sizes compile nothing."""
    derivative = grad(f)
    for sizes in ((3, 5, 4, 2, 6), (2, 7, 3, 4, 6, 5, 8), range(2, 32)):
        derivative(*arguments_of(make, list(sizes)))
    assert len(derivative.sources) == 1


def squares(beta: Any, records: Any) -> Any:
    s = 0.0
    for r in records:
        s += np.sum((r["y"] - r["X"] @ beta) ** 2) * np.sum(r["z"])
    return s


def with_weights(rng: Rng, sizes: Sequence[int], weights: Sequence[int]) -> list[Any]:
    return [{**r, "z": rng.normal(size=n)} for r, n in zip(dicts(rng, sizes), weights)]


def test_sizes_that_are_equal_in_each_record_decide_the_code() -> None:
    """Another call may have other equalities, a size of 1, or one size: each is right, and compiled once."""
    rng, derivative = np.random.default_rng(0), value_and_grad(squares)
    beta = rng.normal(size=2)
    for count, sizes, weights in ((1, (3, 4, 5), (3, 4, 5)), (1, (2, 6, 3, 4), (2, 6, 3, 4)), (2, (3, 4, 5), (4, 5, 6)),
                                  (2, (5, 2, 3), (2, 3, 7)), (3, (3, 1, 5), (4, 5, 6)), (4, (4, 4, 4), (4, 5, 6)),
                                  (4, (2, 6, 3, 4), (2, 6, 3, 4))):
        agrees(squares, (beta, with_weights(rng, sizes, weights)), derivative)
        assert len(derivative.sources) == count


def test_two_records_are_flattened() -> None:
    """The code for two records of different sizes has no loop over them; of one size, or more, it has."""
    rng, derivative = np.random.default_rng(0), grad(squares)
    for sizes, loops in (((3, 4), False), ((3, 3), True), ((3, 4, 5), True)):
        derivative(rng.normal(size=2), with_weights(rng, sizes, sizes))
        assert ("for " in derivative.source) == loops


RECORDS = dicts(np.random.default_rng(3), (3, 5, 4))


def of_a_global(beta: Any) -> Any:
    return sum(np.sum((r["y"] - r["X"] @ beta) ** 2) for r in RECORDS)


class Model:
    """An object that holds records."""

    def __init__(self, records: Any) -> None:
        self.records = records

    def loss(self, beta: Any) -> Any:
        s = 0.0
        for r in self.records:
            s += np.sum((r["y"] - r["X"] @ beta) ** 2)
        return s


def test_records_of_globals_closures_and_attributes(monkeypatch: pytest.MonkeyPatch) -> None:
    def of_a_closure(records: Any) -> Program:
        return lambda beta: sum(np.sum((r["y"] - r["X"] @ beta) ** 2) for r in records)

    rng = np.random.default_rng(0)
    for sizes in ((3, 5, 4), (4, 2), (2, 3, 4, 5, 6, 7), range(2, 32)):
        records = dicts(rng, list(sizes))
        monkeypatch.setattr("test_ragged_arguments.RECORDS", records)
        for f in (of_a_global, of_a_closure(records), Model(records).loss):
            derivative = value_and_grad(f)
            agrees(f, (rng.normal(size=2),), derivative)
            assert len(derivative.sources) <= 2  # one of them for two records


def test_a_module_checks_the_sizes() -> None:
    """A derivative that stands alone takes other numbers of records, and refuses other equalities."""
    def f(beta: Any, records: Any) -> Any:
        return sum(np.sum((r["y"] - r["X"] @ beta) ** 2) * np.sum(r["z"]) for r in records)

    rng, derivative = np.random.default_rng(0), grad(f)
    beta = rng.normal(size=2)
    derivative(beta, with_weights(rng, (3, 4, 5), (3, 4, 5)))
    names: dict[str, Any] = {}
    exec(derivative.module(), names)
    records = with_weights(rng, (2, 6, 3, 4), (2, 6, 3, 4))
    assert np.array_equal(names["f_grad"](beta, records), derivative(beta, records))
    for sizes, weights in (((3, 4, 5), (4, 5, 6)), ((3, 1, 5), (3, 1, 5))):
        with pytest.raises(ValueError, match=r"must have the shape \(m_i"):
            names["f_grad"](beta, with_weights(rng, sizes, weights))


def test_modules_compare_the_sizes_of_two_lists() -> None:
    def f(xs: Any, ys: Any) -> Any:
        return sum(x @ y for x, y in zip(xs, ys))

    rng, derivative = np.random.default_rng(0), grad(f)
    xs, ys = (vectors(rng, (2, 3, 4, 5, 6)) for _ in range(2))
    derivative(xs, ys)
    names: dict[str, Any] = {}
    exec(derivative.module(), names)
    assert all(map(np.array_equal, names["f_grad"](xs, ys), ys))
    with pytest.raises(ValueError, match="ys: each item must have the shape"):
        names["f_grad"](xs, ys[::-1])


def test_types_ahead_of_time() -> None:
    """The types in the comment of the code are types that can be given."""
    derivative = grad(zip_of_two_lists)
    derivative(*arguments_of(PROGRAMS[10][1], (3, 5, 4, 2, 6)))
    text = derivative.source_for({"beta": "f64[n]", "ys": "list[f64[m_i]]", "Xs": "list[f64[m_i, n]]"})
    assert text == derivative.source


def test_a_module_written_ahead_of_time() -> None:
    """It takes the tangents of the records as another list of the same sizes."""
    names: dict[str, Any] = {}
    types = {"beta": "f64[n]", "records": "list[tuple[f64[m_i], f64[m_i, n]]]"}
    exec(emit(comprehension_and_stack, "jvp", types=types), names)
    (beta, records), (v, tangents) = (arguments_of(with_beta(pairs), (3, 5, 4)) for _ in range(2))
    pushed = names["comprehension_and_stack_jvp"]
    assert pushed(beta, records, v, tangents) == pytest.approx(
        jvp(comprehension_and_stack, (beta, records), (v, tangents)))
    with pytest.raises(ValueError, match="drecords: each"):
        pushed(beta, records, v, tangents[::-1])
