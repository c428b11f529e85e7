"""Facts of sizes and types that the result of a loop, a branch, a function or a call of SciPy has: the program is the
same whether they are known when it is compiled, or only when it runs.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import sct
from sct.frontend.user_rules import _rules
from tests.oracle import agrees, agrees_in_second_order, refuses

pytest.importorskip("scipy")
import scipy.fft
import scipy.integrate
import scipy.linalg
import scipy.signal

RNG = np.random.default_rng(0)
X = RNG.normal(size=8) + 0.5
WIDE, TALL, SQUARE = RNG.normal(size=(3, 5)), RNG.normal(size=(5, 3)), RNG.normal(size=(4, 4)) + 3.0 * np.eye(4)


# -- where the facts are lost ------------------------------------------------------------------------------------------


def filled(x: Any) -> Any:
    y = np.empty(x.shape)
    for i in range(len(x)):
        y[i] = x[i] * 1.5
    return y


def listed(x: Any) -> Any:
    rows = []
    for row in x:
        rows.append(row * 1.5)
    return np.array(rows)


def stacked(x: Any) -> Any:
    rows = []
    for row in x:
        if np.sum(row) < 1e9:
            rows.append(row + 0.5 * row**2)
    return np.stack(rows) if x.ndim > 1 else np.array(rows)


def chosen(x: Any) -> Any:
    if x.ravel()[0] > 9.0:
        y = x[1:]
    else:
        y = x * 2.0
    return y


def selected(x: Any) -> Any:
    return x[np.sum(np.abs(x), axis=tuple(range(1, x.ndim))) < 1e9] * 2.0


PLACES = [filled, listed, stacked, chosen, selected]


def once_and_twice(f: Callable[..., Any], place: Callable[..., Any]) -> Callable[..., Any]:
    return lambda x: f(place(x)) + 0.5 * f(place(x + 0.1))


OF_VECTORS: dict[str, Callable[[Any], Any]] = {
    "polyfit": lambda y: np.sum(np.polyfit(np.arange(len(y)), y, 2)),
    "roots": lambda y: np.sum(np.abs(np.roots(y))),
    "same": lambda y: np.sum(np.convolve(y, [0.5, 1.0, 0.25], "same") ** 2),
    "shorter": lambda y: np.sum(np.convolve(y, np.arange(1.0, 12.0), "same") ** 2),
    "valid": lambda y: np.sum(np.correlate(y, y[:3], "valid") ** 2),
    "by a window": lambda y: np.sum(np.convolve(y, scipy.signal.firwin(11, 0.3), "valid") ** 2),
    "fftconvolve": lambda y: np.sum(scipy.signal.fftconvolve(y, scipy.signal.firwin(5, 0.3), "same") ** 2),
    "shorter in SciPy": lambda y: np.sum(scipy.signal.convolve(y, scipy.signal.firwin(11, 0.3), "same") ** 2),
    "valid in SciPy": lambda y: np.sum(scipy.signal.convolve(y, scipy.signal.firwin(11, 0.3), "valid") ** 2),
    "rfft": lambda y: np.sum(np.abs(np.fft.rfft(y, n=5)) ** 2),
    "padded": lambda y: np.sum(np.abs(np.fft.rfft(y, n=13)) ** 2),
    "fft": lambda y: np.sum(np.abs(np.fft.fft(y, n=5)) ** 2),
    "irfft": lambda y: np.sum(np.fft.irfft(y, n=6) ** 2),
    "dct": lambda y: np.sum(scipy.fft.dct(y, n=5) ** 3)}

OF_MATRICES: dict[str, Callable[[Any], Any]] = {
    "qr": lambda a: np.sum(np.linalg.qr(a)[1] ** 3) + np.sum(np.linalg.qr(a)[0][0]),
    "svd": lambda a: np.sum(np.linalg.svd(a, full_matrices=False)[1] ** 3),
    "pinv": lambda a: np.sum(np.linalg.pinv(a) ** 2),
    "rfft2": lambda a: np.sum(np.abs(np.fft.rfft2(a, (4, 4))) ** 2)}

OF_SQUARES: dict[str, Callable[[Any], Any]] = {
    "cosm": lambda a: np.sum(scipy.linalg.cosm(0.1 * a)),
    "eigvals": lambda a: np.sum(np.abs(np.linalg.eigvals(a)) ** 3), "slogdet": lambda a: np.linalg.slogdet(a)[1]}


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("name", OF_VECTORS)
def test_of_vectors(name: str, place: Callable[..., Any]) -> None:
    agrees(lambda x: OF_VECTORS[name](place(x)), X)


@pytest.mark.parametrize("place", [filled, listed, chosen])
@pytest.mark.parametrize("name", OF_MATRICES)
@pytest.mark.parametrize("a", [WIDE, TALL, SQUARE])
def test_of_matrices(name: str, place: Callable[..., Any], a: Any) -> None:
    agrees(lambda x: OF_MATRICES[name](place(x)), a, rtol=1e-4)


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("name", OF_SQUARES)
def test_of_square_matrices(name: str, place: Callable[..., Any]) -> None:
    agrees(lambda x: OF_SQUARES[name](place(x)), SQUARE, rtol=1e-4)


@pytest.mark.parametrize("name", OF_VECTORS)
def test_in_second_order_and_forward(name: str) -> None:
    def f(x: Any) -> Any:
        return OF_VECTORS[name](listed(x))

    agrees_in_second_order(f, X, rtol=1e-4, atol=1e-5)
    v = RNG.normal(size=X.shape)
    assert sct.jvp(f, (X,), (v,))[1] == pytest.approx(sct.grad(f)(X) @ v, rel=1e-9)


def by_the_longer(x: Any, y: Any, mode: str) -> Any:
    return np.sum(np.convolve(listed(x), stacked(y), mode) ** 2)


def by_the_first(x: Any, y: Any, mode: str) -> Any:
    return np.sum(scipy.signal.convolve(listed(x), stacked(y), mode) ** 2)


@pytest.mark.parametrize("f", [by_the_longer, by_the_first])
@pytest.mark.parametrize("mode", ["full", "same", "valid"])
def test_one_derivative_for_vectors_of_any_lengths(f: Callable[..., Any], mode: str) -> None:
    derivative = sct.value_and_grad(f)
    for m, n in ((7, 3), (3, 7), (4, 4), (6, 1), (1, 6), (5, 4)):
        agrees(f, X[:m], X[-n:], mode, derivative=derivative)


# -- functions of the program ------------------------------------------------------------------------------------------


def matrix(x: float, n: int = 3) -> Any:
    b = np.arange(n * n).reshape(n, n) * 0.1 + x * np.eye(n)
    return b @ b.T + np.diag(np.arange(1.0, n + 1))


TWICE: dict[str, Callable[[Any], Any]] = {
    "qr": lambda a: np.linalg.qr(a)[1][0, 1], "svd": lambda a: abs(np.linalg.svd(a)[0][0, 1]),
    "full": lambda a: abs(np.linalg.svd(a, full_matrices=True)[2][0, 1]),
    "rfft": lambda a: np.sum(np.abs(np.fft.rfft(a[0], n=5))), "polyfit": lambda a: np.polyfit(np.arange(3), a[0], 1)[0],
    "roots": lambda a: np.sum(np.abs(np.roots(a[0]))), "cosm": lambda a: np.sum(scipy.linalg.cosm(a)),
    "reshape": lambda a: np.sum(a.reshape(9)[::2] ** 2), "unpacked": lambda a: sum(row[0] * row[1] for row in a),
    "cross": lambda a: np.cross(a[0], a[1] ** 2)[1]}


@pytest.mark.parametrize("name", TWICE)
def test_of_a_function_that_is_called_twice(name: str) -> None:
    def f(x: float) -> Any:
        return TWICE[name](matrix(x)) + TWICE[name](matrix(2.0 * x))

    agrees(f, 0.7)
    agrees_in_second_order(f, 0.7, rtol=1e-4)


def of_two_sizes(x: float) -> Any:
    return np.linalg.qr(matrix(x))[1][0, 1] + np.linalg.qr(matrix(2.0 * x, 4))[1][0, 1] + np.linalg.qr(
        matrix(x + 1.0, 2))[1][0, 1]


def rows_of(x: float, m: int) -> Any:
    y = np.outer(np.arange(1.0, m + 1), np.arange(2.0)) * x
    y[0] += x**2
    y[-1] *= np.sin(x)
    return np.concatenate([y, y[::2] + x, np.ones((m, 2)) * x])


def test_of_a_function_that_is_called_with_several_sizes() -> None:
    agrees(of_two_sizes, 0.7)
    agrees(lambda x: np.sum(rows_of(x, 3) ** 2) + np.sum(rows_of(2.0 * x, 4)[1:] ** 2) + np.sum(rows_of(x, 3)), 0.7)


@pytest.mark.parametrize("bounds", [(1.0,), (1.0, 6.0), (0.0, 7.0, 2.0), (-1.0, 4.0), (3.0, 1.0), (1.0, 2.5),
                                    (1, 6.0, 2)])
def test_arange_of_whole_floats(bounds: tuple[Any, ...]) -> None:
    agrees(lambda x: np.sum(np.arange(*bounds) * x) + len(np.arange(*bounds)), 0.7)
    if len(bounds) == 2:
        agrees(lambda x, n: np.sum(np.arange(bounds[0], n + 1) * x) + np.sum(np.ones(n) * x), 0.7, 4)


# -- results of SciPy --------------------------------------------------------------------------------------------------


SERIES: dict[str, Callable[[Any], Any]] = {
    "welch": lambda x: scipy.signal.welch(x, nperseg=4)[1], "periodogram": lambda x: scipy.signal.periodogram(x)[1],
    "filtfilt": lambda x: scipy.signal.filtfilt([0.5, 0.5], [1.0], x),
    "lfilter": lambda x: scipy.signal.lfilter([0.5, 0.5], [1.0], x)}


@pytest.mark.parametrize("name", SERIES)
def test_of_results_of_scipy(name: str) -> None:
    agrees(lambda x: np.polyfit(np.arange(len(SERIES[name](x))), SERIES[name](x), 1)[0], X)
    agrees(lambda x: np.sum(np.convolve(x, SERIES[name](x), "same") ** 2), X)
    agrees(lambda x: np.sum(np.abs(np.fft.rfft(SERIES[name](x), n=7)) ** 2), X)


def decay(a: float) -> Any:
    return scipy.integrate.solve_ivp(lambda t, y: -a * y, (0.0, 4.0), [1.0], t_eval=np.arange(5.0), rtol=1e-9).y[0]


def test_of_a_trajectory() -> None:
    agrees(lambda a: np.polyfit(np.arange(5.0), decay(a), 1)[0], 0.7)
    agrees(lambda a: np.sum(np.abs(np.fft.rfft(decay(a), n=8)) ** 2), 0.7)


# -- items of arrays of unknown sizes ----------------------------------------------------------------------------------


def extended(x: Any) -> Any:
    out = [x[0]]
    out.extend(listed(x))
    out.extend(np.array([v for v in x if v > 0.0])[1:])
    return sum(v * (k + 1) for k, v in enumerate(out)) * len(out)


def extended_by_an_iterator(x: Any) -> Any:
    out = [1.0]
    out.extend(v * v for v in listed(x))
    out.extend(map(np.sin, listed(x)))
    out.extend(reversed(listed(x)))
    return sum(v * (k + 1) for k, v in enumerate(out))


def extended_by_pairs(x: Any) -> Any:
    out: list[Any] = []
    out.extend(zip(listed(x), x))
    return sum(a * b**2 for a, b in out)


def extended_by_rows(x: Any) -> Any:
    out: list[Any] = []
    out.extend(np.outer(listed(x), x))
    return sum(row[0] * row[1] for row in out)


def extended_by_a_generator_that_writes(x: Any) -> Any:
    out: list[Any] = []
    log: list[Any] = []

    def items() -> Any:
        for v in listed(x):
            log.append(v)
            yield v * v

    out.extend(items())
    return sum(out) + 2.0 * sum(log)


def as_a_tuple(x: Any) -> Any:
    items, rows = tuple(listed(x)), tuple(np.outer(listed(x), x))
    return items[1] * items[-1] * len(items) + rows[1][0] * rows[-1][1]


def in_a_list(x: Any) -> Any:
    rows = list(np.outer(listed(x), x))
    return np.sum(np.stack(rows)[1] ** 2) + sorted(listed(x))[1]


ITEMS = [extended, extended_by_an_iterator, extended_by_pairs, extended_by_rows, extended_by_a_generator_that_writes,
         as_a_tuple, in_a_list]


@pytest.mark.parametrize("f", ITEMS)
def test_items_of_arrays_of_unknown_sizes(f: Callable[..., Any]) -> None:
    derivative = sct.value_and_grad(f)
    for n in (8, 3, 2):
        agrees(f, X[:n], derivative=derivative)
    agrees_in_second_order(f, X, rtol=1e-4, atol=1e-5)


def extended_by_a_solution(a: float, until: float) -> Any:
    out: list[Any] = []
    times = np.arange(5.0)
    out.extend(scipy.integrate.odeint(lambda y, t: -a * y, [1.0], times[times <= until], rtol=1e-9, atol=1e-9)[1:, 0])
    out.extend(decay(a))
    return sum(v * (k + 1) for k, v in enumerate(out))


def test_a_list_is_extended_by_a_solution() -> None:
    for until in (2.5, 3.0):
        agrees(extended_by_a_solution, 0.7, until)


# -- what does not fit, and is not reached -----------------------------------------------------------------------------


def assembled(a: float, n: int) -> Any:
    k = np.zeros((n, n))
    for i in range(n):
        if i == 0:
            k[0, 0] += a * a
        else:
            k[i - 1:i + 1, i - 1:i + 1] += a * np.array([[1, -1], [-1, 1]])
    return np.sum(k * np.arange(n))


def written_in_a_branch(x: Any, y: Any, fits: bool) -> Any:
    z = x * 1.0
    if fits:
        np.multiply(x, y, out=z)
    else:
        z = z * np.sum(y)
    return np.sum(z)


def written_in_a_loop(x: Any, y: Any, count: int) -> Any:
    z = x * 1.0
    for _ in range(count):
        z *= y
    return np.sum(z)


def written_in_a_try(x: Any, y: Any) -> Any:
    z = x * 1.0
    try:
        z += y
    except ValueError:
        z = z * 3.0
    return np.sum(z)


def test_a_write_that_does_not_fit_raises_where_it_is_run() -> None:
    derivative = sct.value_and_grad(assembled)
    for n in (1, 2, 3, 1, 0):
        agrees(assembled, 0.3, n, derivative=derivative)
    for f, options in ((written_in_a_branch, (False, True)), (written_in_a_loop, (0, 1, 2))):
        derivative = sct.value_and_grad(f)
        for m, n in ((1, 3), (3, 3), (3, 1), (1, 1), (1, 0)):
            for option in options:
                agrees(f, X[:m], X[:n], option, derivative=derivative)
    for m, n in ((1, 3), (3, 3), (3, 1)):
        agrees(written_in_a_try, X[:m], X[:n])


# -- roots -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("p", [[1.0, 2.0, 3.0, 2.0], [1.0, 3.0, 2.0], [1.0, 1.0, 2.0], [0.0, 1.0, 5.0, 2.0, 0.0], [2.0],
                               [1.0, 2.0]])
def test_roots(p: list[float]) -> None:
    moved = np.array(p) != 0.0

    def f(x: Any) -> Any:
        return np.sum(np.abs(np.roots(filled(x * moved))) ** 2)

    agrees(f, np.array(p))
    agrees(lambda x: np.sum(np.abs(np.roots(x * moved)) ** 2), np.array(p))
    agrees(lambda x: np.sum(np.abs(np.roots(x * moved * (1.0 + 0.5j))) ** 2), np.array(p))


def test_roots_of_what_is_no_polynomial() -> None:
    for p in (np.zeros(2), np.zeros(0)):
        agrees(lambda x: np.sum(np.abs(np.roots(x))), p)
    for p in (np.ones((2, 2)), np.array(2.0)):
        refuses(lambda x: np.sum(np.abs(np.roots(x))), p, code="SCT207")


# -- a call that is not known ------------------------------------------------------------------------------------------


def test_a_rule_holds_behind_a_loop() -> None:
    def of_roots(x: Any) -> Any:
        return np.sum(np.abs(np.roots(filled(x))))

    rules = dict(_rules)
    sct.rule(np.roots, vjp=lambda ct, y, p: p * 0.0 + 7.0)
    try:
        np.testing.assert_allclose(sct.grad(of_roots)(np.array([1.0, 3.0, 2.0])), 7.0 * 1.5)
    finally:
        _rules.clear()
        _rules.update(rules)


def test_no_message_has_a_name_of_sct() -> None:
    refusal = refuses(lambda x: np.cross(listed(x), listed(x))[0] * 1.0, X[:3], code="SCT505")
    assert "how many elements" in refusal.what
