"""Sparse matrices of SciPy as constants, in programs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from oracle import agrees, refuses, same_value
from scipy.sparse.linalg import splu, spsolve

from sct import check_grads, grad, jacfwd, jacobian, jvp, value_and_grad

N = 6
LAPLACE = sp.diags([np.full(N - 1, -1.0), np.full(N, 2.5), np.full(N - 1, -0.7)], [-1, 0, 1]).tocsr()
WIDE = sp.random(4, N, density=0.6, random_state=0, format="csc")
ARRAY, COMPLEX = sp.csr_array(LAPLACE), LAPLACE * 1j
FACTORS = splu(LAPLACE.tocsc())
X = np.array([0.3, 0.8, -1.2, 0.5, 0.9, 1.4])


def residual(x):
    r = LAPLACE @ x - x ** 2
    return r @ r + np.sum(LAPLACE.T @ x * x) + np.sum(LAPLACE.dot(x) ** 3) + np.sum((x @ LAPLACE) ** 2)


def least_squares(x):
    return np.sum((WIDE.T @ (WIDE @ x)) ** 2) + np.sum((WIDE.T.dot(WIDE.dot(x))) * x)


def matrix_of_columns(x):
    return np.sum(np.sin(WIDE @ np.outer(x, x)) ** 2) + np.sum((ARRAY @ np.stack([x, x * x], 1)) ** 2)


def implicit_heat(x):
    """Implicit steps in time, with one decomposition for all."""
    u = x.copy()
    lu = splu(LAPLACE.tocsc())
    for _ in range(3):
        u = lu.solve(u + 0.1 * u ** 2)
    return np.sum(u ** 2)


def solutions(x):
    y = spsolve(LAPLACE, np.cos(x)) + FACTORS.solve(x) + FACTORS.solve(x * x, "T")
    return np.sum(y ** 2) + np.sum(spsolve(LAPLACE.T, x))


class Beam:
    def __init__(self) -> None:
        self.stiffness = LAPLACE

    def energy(self, x):
        return 0.5 * x @ (self.stiffness @ x)


PROGRAMS = [residual, least_squares, matrix_of_columns, implicit_heat, solutions, Beam().energy]


@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
def test_program(f: Callable[..., Any]) -> None:
    agrees(f, X)
    check_grads(f, (X,), order=2)
    derivative = value_and_grad(f)
    for x in (X, 2.0 * X, X[::-1]):
        value, slope = derivative(x)
        assert same_value(value, f(x))
        np.testing.assert_allclose(jvp(f, (x,), (X,))[1], slope @ X, rtol=1e-9)


def test_jacobians_are_the_matrix() -> None:
    for a in (LAPLACE, WIDE, sp.coo_array(WIDE), LAPLACE.astype(int)):
        for transform in (jacobian, jacfwd):
            np.testing.assert_allclose(transform(lambda x, a=a: a @ x)(X), a.toarray())
            y = X[:a.shape[0]].copy()
            np.testing.assert_allclose(transform(lambda y, a=a: a.T @ y)(y), a.toarray().T)


def test_a_matrix_as_an_argument() -> None:
    f = lambda x, a: np.sum((a @ x) ** 2) + np.sum(a.T @ (a @ x))
    derivative = value_and_grad(f)
    for a in (LAPLACE, WIDE, sp.csr_array(WIDE), LAPLACE.toarray(), WIDE):
        value, slope = derivative(X, a)
        assert same_value(value, f(X, a))
        dense = a if isinstance(a, np.ndarray) else a.toarray()
        np.testing.assert_allclose(slope, 2.0 * dense.T @ (dense @ X) + dense.T @ (dense @ np.ones(X.size)), rtol=1e-12)


def test_elements_that_change_are_read_at_each_call() -> None:
    a = LAPLACE.copy()
    derivative = grad(lambda x: np.sum(a @ x))
    before = derivative(X)
    a.data *= 2.0
    np.testing.assert_allclose(derivative(X), 2.0 * before)


def test_the_text() -> None:
    derivative = value_and_grad(implicit_heat)
    derivative(X)
    assert derivative.source.count("splu(") == 1 and '.solve(du, "T")' in derivative.source


@pytest.mark.parametrize(("code", "f"), [
    ("SCT205", lambda x: (ARRAY * x.reshape(1, 1, -1)).sum()),
    ("SCT506", lambda x: np.sum(LAPLACE + x)), ("SCT506", lambda x: np.sum(COMPLEX @ x).real),
    ("SCT205", lambda x: np.sum(LAPLACE @ np.stack([x, x]))), ("SCT205", lambda x: np.sum(np.stack([x, x]) @ LAPLACE)),
    ("SCT205", lambda x: np.sum(FACTORS.solve(np.stack([x, x], 1)))),
    ("SCT402", lambda x: spsolve(LAPLACE, [*x])[0]), ("SCT402", lambda x: spsolve(np.diag(x), x)[0]),
    ("SCT205", lambda x: spsolve(LAPLACE, np.stack([x, x], 1))[0, 0])])
def test_refused(code: str, f: Callable[..., Any]) -> None:
    assert refuses(f, X, code=code).hint
