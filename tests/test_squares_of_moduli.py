"""Second derivatives at 0 of functions that read the squares of absolute values, norms and distances.

Each function of six numbers is compared with central differences, at 0 and elsewhere.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from scipy.spatial import distance, distance_matrix

from sct import checkpointed, grad, hessian, hvp, jacfwd, jacrev, jvp, value_and_grad

norm = np.linalg.norm
ZERO, ELSEWHERE = np.zeros(6), np.array([0.3, -0.2, 0.1, 0.4, 0.25, -0.6])
V = np.array([1.0, -2.0, 0.5, 3.0, 1.5, -1.0])
ORIGIN = np.zeros((1, 3))


def rows(x: Any) -> Any:
    return norm(x.reshape(2, 3), axis=1)


def huber(r: Any) -> Any:
    return r ** 2 if r < 1.0 else 2.0 * r - 1.0


def huber_of_array(r: Any) -> Any:
    return np.sum(np.where(r < 1.0, r ** 2, 2.0 * r - 1.0))


def selected(x: Any) -> Any:
    d = rows(x) ** 2
    return d[d < 1.0].sum()


def kernel(x: Any) -> Any:
    squares = distance.cdist(x.reshape(2, 3), ORIGIN) ** 2
    return np.sum(np.where(squares < 9.0, np.exp(-squares), 0.0))


def branches(x: Any) -> Any:
    r = norm(x)
    return r ** 2 if x[0] > 1.0 else np.exp(-r ** 2)


def spline(x: Any) -> Any:
    q = norm(x) / 1.5
    if q < 1.0:
        return 1.0 - 1.5 * q ** 2 + 0.75 * q ** 4
    return 0.25 * max(2.0 - q, 0.0) ** 3


def while_loop(x: Any) -> Any:
    r, k, total = norm(x), 0, 0.0
    while k < 3:
        total += k * r * r / 2.0
        k += 1
    return total


def rows_in_a_loop(x: Any) -> Any:
    total = 0.0
    for r in rows(x):
        if r < 1.0:
            total += r * (0.5 * r)
    return total


def last_of_a_loop(x: Any) -> Any:
    r, total = norm(x[:3]), 0.0
    for k in range(1, 4):
        total += min(r ** 2, 1.0)
        r = norm(x[k:])
    return total + r ** 2


def in_checkpoints(x: Any) -> Any:
    total = 0.0
    for k in checkpointed(range(4)):
        total = total + huber(norm(x[k:k + 2]))
    return total


def in_a_list(x: Any) -> Any:
    lengths = []
    for k in range(len(x)):
        if k % 2:
            lengths.append(norm(x[k:]))
    return sum(min(r ** 2, 4.0) for r in lengths)


def in_an_array(x: Any) -> Any:
    lengths = np.zeros(3)
    for k in range(3):
        lengths[k] = norm(x[2 * k:2 * k + 2])
    return huber_of_array(np.roll(lengths, 1)[::-1])


def in_a_dict(x: Any) -> Any:
    lengths = {k: norm(x[k:k + 3]) for k in range(3)}
    return sum(min(r * r, 4.0) for r in lengths.values())


def length(x: Any) -> Any:
    return norm(x) if x[0] < 1.0 else norm(x - 1.0)


def of_a_helper(x: Any) -> Any:
    return min(length(x) ** 2, 5.0)


def nearest(x: Any) -> Any:
    best = 10.0
    for k in range(3):
        best = min(best, norm(x - k))
    return best ** 2


def chamfer(x: Any) -> Any:
    return np.sum(distance.cdist(x.reshape(2, 3), np.array([[0.0, 0.0, 0.0], [1.0, 2.0, 3.0]])).min(axis=1) ** 2)


def caught(x: Any) -> Any:
    r = norm(x)
    try:
        y = math.pow(r, 2)
    except OverflowError:
        y = 1.0
    return y


def scaled(x: Any) -> Any:
    r = np.exp(x[5]) * norm(x[:5]) / (1.0 + x[5])
    return min(r ** 2, 5.0)


def of_inner_gradient(x: Any) -> Any:
    return np.sum(grad(lambda y: min(norm(y) ** 2, 4.0))(x) * x)


FUNCTIONS: list[Callable[[Any], Any]] = [
    selected, kernel, branches, spline, while_loop, rows_in_a_loop, last_of_a_loop, in_checkpoints, in_a_list,
    in_an_array, in_a_dict, of_a_helper, nearest, chamfer, caught, scaled, of_inner_gradient,
    lambda x: min(norm(x) ** 2, 5.0), lambda x: np.minimum(norm(x) ** 2, 5.0),
    lambda x: np.clip(norm(x) ** 2, 0.0, 5.0), lambda x: max(0.0, 1.0 - norm(x) ** 2) ** 2,
    lambda x: np.sum(np.maximum(1.0 - rows(x) ** 2, 0.0)),
    lambda x: huber(norm(x)), lambda x: huber(math.hypot(*x)), lambda x: huber(math.dist(x, [0.0] * 6)),
    lambda x: huber(math.dist(np.zeros(6), x)), lambda x: huber(norm(x.reshape(2, 3), "fro")),
    lambda x: huber(norm(x, ord=2)), lambda x: huber(norm(x[:3] + 1j * x[3:])),
    lambda x: huber(abs(complex(x[0], x[1]))), lambda x: sum(huber(abs(v)) for v in x),
    lambda x: huber_of_array(np.abs(x)), lambda x: huber_of_array(np.hypot(x[:3], x[3:])),
    lambda x: huber_of_array(norm(x.reshape(3, 1, 2), axis=(1, 2), keepdims=True)),
    lambda x: huber_of_array(distance.pdist(x.reshape(2, 3))),
    lambda x: huber_of_array(distance_matrix(x.reshape(2, 3), ORIGIN)),
    lambda x: huber_of_array(distance.cdist(x.reshape(2, 3), ORIGIN, "seuclidean", V=np.array([1.0, 2.0, 3.0]))),
    lambda x: huber(distance.minkowski(x, np.zeros(6), 2)), lambda x: huber(np.linalg.norm(x) / 2.0),
    lambda x: min(np.square(norm(x)), 5.0), lambda x: min(np.power(norm(x), 2.0), 5.0),
    lambda x: min(rows(x) @ rows(x), 5.0), lambda x: min(norm(rows(x)) ** 2, 5.0),
    lambda x: np.einsum("i,i,i->", rows(x), np.array([1.0, 2.0]), rows(x)),
    lambda x: (np.array([1.0, 2.0]) * rows(x)) @ rows(x), lambda x: np.sum(np.minimum(rows(x), 1.0) ** 2),
    lambda x: np.sum(np.clip(rows(x), 0.0, 1.0) ** 2), lambda x: np.sum(np.sort(rows(x)) ** 2),
    lambda x: rows(x)[0] ** 2 + min(rows(x)[1] ** 2, 2.0), lambda x: min(-norm(x) * (0.5 * norm(x)) / -2.0, 5.0)]


@pytest.mark.parametrize("f", FUNCTIONS)
def test_second_derivatives(f: Callable[[Any], Any]) -> None:
    for at in (ZERO, ELSEWHERE):
        x = at.copy()
        value, slope = value_and_grad(f)(x)
        assert value == f(x)
        step = 1e-5 * V
        change = (f(x + step) - f(x - step)) / 2e-5
        np.testing.assert_allclose([slope @ V, jvp(f, (x,), (V,))[1]], change, rtol=1e-6, atol=1e-8)
        expected = (grad(f)(x + step) - grad(f)(x - step)) / 2e-5
        np.testing.assert_allclose(hvp(f, (x,), (V,)), expected, rtol=1e-5, atol=1e-6)
        np.testing.assert_allclose(hessian(f)(x) @ V, expected, rtol=1e-5, atol=1e-6)
        np.testing.assert_array_equal(x, at)


@pytest.mark.parametrize("f", [selected, branches, rows_in_a_loop, in_a_list, nearest, scaled])
def test_other_modes(f: Callable[[Any], Any]) -> None:
    expected = hessian(f)(ZERO)
    assert np.any(expected)
    for second in (jacfwd(grad(f)), jacrev(grad(f)), jacfwd(jacfwd(f))):
        np.testing.assert_allclose(second(ZERO), expected, rtol=1e-12, atol=1e-12)


def test_exponents_of_run_time() -> None:
    f = lambda x, n: np.sum(rows(x) ** n)
    for n, at_zero in ((2, 2.0), (3, 0.0), (1, 0.0)):
        np.testing.assert_allclose(hvp(f, (ZERO, n), (V,)), at_zero * V)
        change = (grad(f)(ELSEWHERE + 1e-5 * V, n) - grad(f)(ELSEWHERE - 1e-5 * V, n)) / 2e-5
        np.testing.assert_allclose(hvp(f, (ELSEWHERE, n), (V,)), change, rtol=1e-6)


def test_exponents_that_are_floats() -> None:
    for f in (lambda x, p: np.sum(np.abs(x) ** p), lambda x, p: sum(math.pow(abs(v), p) for v in x)):
        for p, at_zero in ((2.0, 2.0), (3.0, 0.0), (2.5, 0.0)):
            np.testing.assert_array_equal(hvp(f, (ZERO, p), (V,)), at_zero * V)
            change = (grad(f)(ELSEWHERE + 1e-5 * V, p) - grad(f)(ELSEWHERE - 1e-5 * V, p)) / 2e-5
            np.testing.assert_allclose(hvp(f, (ELSEWHERE, p), (V,)), change, rtol=1e-6, atol=1e-6)
            x, log = np.abs(ELSEWHERE), np.log(np.abs(ELSEWHERE))
            np.testing.assert_allclose(hessian(f, 1)(ELSEWHERE, p), np.sum(x**p * log**2))
            slopes = np.sign(ELSEWHERE) * x ** (p - 1.0) * (p * log + 1.0)
            np.testing.assert_allclose(jacfwd(grad(f, 1))(ELSEWHERE, p), slopes)


ROOTS: list[Callable[[Any], Any]] = [
    lambda x: np.sqrt(np.sum(x**2)) ** 2, lambda x: np.sqrt(x @ x) ** 3, lambda x: math.sqrt(x @ x) ** 2,
    lambda x: (r := np.sqrt(x @ x)) * r, lambda x: np.where((r := np.sqrt(np.sum(x**2))) > 0.0, r**3, 0.0),
    lambda x: np.sum(np.sqrt(np.sum(np.outer(x, x) ** 2, axis=1)) ** 2), lambda x: np.sum(np.sqrt(x * x) ** 3),
    lambda x: np.sqrt(x @ x) ** 4, lambda x: math.sqrt(x @ x) ** 5]


@pytest.mark.parametrize("f", ROOTS)
def test_powers_of_roots(f: Callable[[Any], Any]) -> None:
    """The root has an infinite slope at 0, and its square and its cube have none."""
    for x in (ZERO, ELSEWHERE):
        value, slope = value_and_grad(f)(x)
        assert value == f(x)
        change = (f(x + 1e-6 * V) - f(x - 1e-6 * V)) / 2e-6
        np.testing.assert_allclose([slope @ V, jvp(f, (x,), (V,))[1]], change, rtol=1e-6, atol=1e-9)


def test_single_precision_and_numba() -> None:
    f = lambda x: huber(norm(x))
    second = hvp(f, (ZERO.astype("f4"),), (V.astype("f4"),))
    assert second.dtype == np.float32
    np.testing.assert_array_equal(second, 2.0 * V)
    np.testing.assert_array_equal(hessian(rows_in_a_loop, backend="numba")(ZERO), hessian(rows_in_a_loop)(ZERO))


def test_a_gradient_is_not_changed() -> None:
    """Without second derivatives, the program is what it was."""
    f = lambda x: min(norm(x) ** 2, 5.0)
    gradient = grad(f)
    gradient(ZERO)
    assert "2.0 * norm_x" in gradient.source


def test_factors_without_a_square() -> None:
    for f in (lambda x: np.cos(norm(x)), lambda x: (1.0 - norm(x)) * (1.0 + norm(x))):
        np.testing.assert_array_equal(hvp(f, (ZERO,), (V,)), 0.0)  # docs/limits.md says so


# -- rules of products with moduli ----------------------------------------------------------------------------------


def test_a_distance_vanishes_with_its_differences() -> None:
    for f in (lambda x: math.dist(x, [1.0, 2.0, 3.0]) ** 2 * x[0], lambda x: math.dist(x, [0, 0, 0]) ** 2 * x[0]):
        for x in (np.array([1.0, 2.0, 3.0]), np.array([0.5, -1.0, 2.0]), np.zeros(3)):
            t = V[:3]
            change = (f(x + 1e-6 * t) - f(x - 1e-6 * t)) / 2e-6
            np.testing.assert_allclose(grad(f)(x) @ t, change, rtol=1e-7, atol=1e-9)
            change = (grad(f)(x + 1e-6 * t) - grad(f)(x - 1e-6 * t)) / 2e-6
            np.testing.assert_allclose(hvp(f, (x,), (t,)), change, rtol=1e-6, atol=1e-8)


def test_the_diagonal_of_a_product_that_is_not_square() -> None:
    a, da = np.arange(9.0).reshape(3, 3), V[:3] * np.ones((3, 3))
    for b in (np.ones((3, 4)), np.arange(6.0).reshape(3, 2), np.arange(9.0).reshape(3, 3)):
        f = lambda a, b=b: np.diag(a @ b)
        np.testing.assert_allclose(jvp(f, (a,), (da,))[1], np.diag(da @ b))
    f = lambda a: np.diag(a @ np.ones((3, 4)))
    np.testing.assert_allclose(jvp(f, (a,), (da,))[1], np.diag(da @ np.ones((3, 4))))


def test_complex_multiples_of_a_modulus() -> None:
    def f(x: Any) -> Any:
        z = x[:3] + 1j * x[3:]
        return np.real(norm(z) * np.exp(1j * norm(z)) * (2.0 + 1j))

    np.testing.assert_allclose(grad(f)(ELSEWHERE) @ V, (f(ELSEWHERE + 1e-6 * V) - f(ELSEWHERE - 1e-6 * V)) / 2e-6,
                               rtol=1e-7)
    change = (grad(f)(ELSEWHERE + 1e-6 * V) - grad(f)(ELSEWHERE - 1e-6 * V)) / 2e-6
    np.testing.assert_allclose(hvp(f, (ELSEWHERE,), (V,)), change, rtol=1e-6)


def complex_products(x: Any) -> Any:
    r = np.abs(x)
    return np.real(np.vdot(r * 1j, r * 1j))


def complex_products_that_vary(x: Any) -> Any:
    r, z = rows(x), x[:2] + 1j * x[2:4]
    return np.real(np.vdot(r * z / (2.0 - 1j), r * (2.0 + 1j)) + np.vdot(-r, 1j * r * z) + np.dot(r * z, r * 1j))


@pytest.mark.parametrize("f", [complex_products, complex_products_that_vary])
def test_vdot_conjugates_its_first_operand(f: Callable[[Any], Any]) -> None:
    for x in (ZERO, ELSEWHERE):
        value, slope = value_and_grad(f)(x)
        assert value == f(x)
        np.testing.assert_allclose(slope @ V, (f(x + 1e-6 * V) - f(x - 1e-6 * V)) / 2e-6, rtol=1e-6, atol=1e-8)
        change = (grad(f)(x + 1e-5 * V) - grad(f)(x - 1e-5 * V)) / 2e-5
        np.testing.assert_allclose(hvp(f, (x,), (V,)), change, rtol=1e-5, atol=1e-6)
