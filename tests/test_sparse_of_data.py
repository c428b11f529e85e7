"""Sparse matrices of SciPy that are made of differentiated numbers, in programs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from oracle import agrees, refuses
from scipy.sparse.linalg import cg, expm_multiply, gmres, inv, norm, splu, spsolve

from sct import check_grads, grad, value_and_grad

X = np.array([0.3, 1.2, 0.7, 2.1, 1.5, 0.4])
N = 6
I, J = np.arange(N), (np.arange(N) + 1) % N
LAPLACE = sp.diags([np.ones(N - 1), np.full(N, -2.0), np.ones(N - 1)], [-1, 0, 1]).tocsr()


def chain(e):
    """A chain of springs: what is assembled has several terms at an element; one end is held."""
    n = len(e)
    i = np.arange(n)
    rows, cols = np.concatenate([i, i, i + 1, i + 1]), np.concatenate([i, i + 1, i, i + 1])
    stiffness = sp.coo_matrix((np.concatenate([e, -e, -e, e]), (rows, cols)), shape=(n + 1, n + 1)).tocsr()
    free, load = np.arange(1, n + 1), np.zeros(n + 1)
    load[-1] = e[0]
    u = np.zeros(n + 1)
    u[free] = spsolve(stiffness[free][:, free], load[free])
    energy = u @ (stiffness @ u)
    return energy + np.sum(spsolve(stiffness[1:, 1:], load[1:]) * e) + stiffness[2, 1] * stiffness[-1, -1]


def diffusion(k):
    """Implicit steps, in which the matrix depends on the state."""
    u = np.ones(len(k))
    for _ in range(3):
        a = sp.identity(len(k)) - 0.1 * sp.diags(k * u) @ LAPLACE
        u = spsolve(a.tocsc(), u + 0.1 * k)
    return u @ u


def bands(k):
    a = sp.diags([-k[1:], 2.0 + k, -k[:-1]], [-1, 0, 1], format="csc")
    lu = splu(a)
    u = k
    for _ in range(3):
        u = lu.solve(u)
    v, info = cg((a @ a.T).tocsr(), k, rtol=1e-13)
    w, _ = gmres(a, np.ones(len(k)), rtol=1e-13)
    return u @ u + np.sum(lu.solve(k, "T") * v * w) + info + np.sum(lu.solve(np.stack([k, k * k], 1)) ** 2)


def blocks(v):
    a = sp.csr_matrix((v, (I, J)), shape=(N, N))
    two = sp.bmat([[a, a.T], [sp.eye(N), None]], format="csc") + sp.kron(sp.eye(2), a) / v[0]
    x = np.arange(2.0 * N)
    wide = sp.hstack((a, 2.0 * a)) @ x + sp.vstack([a, -a]).T @ x
    return np.sum((two @ x) ** 2) + np.sum(wide**2) + v @ a @ v + np.sum(sum([a, a * 3]).dot(np.outer(v, v)) ** 2)


def diagonals_of_one_number(v):
    x = np.arange(1.0, 5.0)
    a = sp.diags([v[:1], v[1], v[:3]], [0, -2, 1], shape=(4, 4)) @ x
    return np.sum(a**2) + np.sum((sp.diags([v[:1]], [0]) @ x[:1]) ** 2) + np.sum((sp.diags(v[:1], -1) @ x[:2]) ** 2)


def read(v):
    a = sp.csr_array((v, np.array([0, 2, 1, 0, 2, 3]), np.array([0, 2, 3, 3, 6])), shape=(4, 4))
    dense = sp.csr_matrix(np.outer(v, v))
    return (a.sum() * a.diagonal() @ v[:4] + a.sum(axis=1) @ v[2:] + np.sum((a @ a).toarray() ** 2) + a.shape[0]
            + np.sum(dense * v) * a[1:, [0, 2, 2]].toarray()[0, 1] * isinstance(dense, sp.csr_matrix))


def by_element(v):
    """Elements of which two are at one place, in formats with another order, and a place without one."""
    a = sp.coo_matrix((v, ([0, 0, 1, 2, 2, 0], [0, 2, 1, 0, 2, 0])), shape=(4, 4))
    b, c = a.tocsc(), sp.csr_matrix(np.outer(v[:4] - v[0], v[:4]))
    weights = np.arange(1.0, 6.0)
    again = sp.csc_matrix((np.exp(b.data), b.indices, b.indptr), shape=b.shape)
    return np.sum(b.data**2 * weights) + a.multiply(c).sum() + b.power(3).sum() + abs(a).sqrt().mean() + norm(c) \
        + again.sum() + c.sin().multiply(v[:4]).sum() + (2.0 * LAPLACE).multiply(np.outer(v, v)).sum()


def of_others(v):
    a = sp.csr_array((v, (I, J)), shape=(N, N)) + 3.0 * sp.eye_array(N)
    x = np.arange(1.0, 2.0 * N + 1.0)
    held = sp.spdiags(np.array([v, v * v]), [-1, 2], N, N + 1) @ x[:N + 1]
    return np.sum((sp.block_diag([a, a * a]) @ x) ** 2) + np.sum(inv(a.tocsc()).toarray() ** 2) + np.sum(held**2) \
        + np.sum((sp.kronsum(a, sp.csr_matrix(np.ones((2, 2)))) @ x) ** 2) + sp.tril(a, -1).sum() \
        + np.sum(expm_multiply(LAPLACE, v) ** 2) + np.sum((-LAPLACE.multiply(v)).toarray() ** 2) \
        + sp.csr_matrix(a).getrow(1).sum()


@pytest.mark.parametrize("f", [chain, diffusion, bands, blocks, diagonals_of_one_number, read, by_element, of_others],
                         ids=lambda f: f.__name__)
def test_program(f: Callable[..., Any]) -> None:
    agrees(f, X)
    check_grads(f, (X,), order=2 if f in (read, by_element) else 1)


def test_the_gradient_is_one_transposed_solve() -> None:
    def compliance(k):
        a = sp.diags(2.0 + k) - LAPLACE
        return np.sum(spsolve(a.tocsc(), X))

    derivative = value_and_grad(compliance)
    value, slope = derivative(X)
    a = np.diag(2.0 + X) - LAPLACE.toarray()
    u = np.linalg.solve(a, X)
    np.testing.assert_allclose(value, u.sum())
    np.testing.assert_allclose(slope, -u * np.linalg.solve(a.T, np.ones(N)))
    assert derivative.source.count("spsolve(") == 2 and ".T, " in derivative.source


def test_a_matrix_of_constants_and_differentiated_numbers() -> None:
    def inside(x):
        a = sp.coo_matrix((np.arange(6.0), (I, J))).tocsr()
        return np.sum((a @ x) ** 2) + np.sum((x[0] * LAPLACE) @ X) + np.sum(spsolve(sp.eye(N, format="csc"), x))

    agrees(inside, X)


def test_refused() -> None:
    make = lambda v: sp.csr_matrix((v, (I, J)))

    def held(v):
        w = v * 1.0
        a = sp.coo_matrix((w, (I, J)))
        w[0] = 9.0
        return (a @ X).sum()

    def scaled_in_place(v):
        a = make(v)
        a *= 2.0
        return (a @ X).sum()

    def written(v):
        a = make(v)
        a[0, 0] = v[1]
        return (a @ X).sum()

    refuses(held, X, code="SCT307")
    for f in (scaled_in_place, written):
        assert refuses(f, X, code="SCT303").hint
    for f in (lambda v: make(v).todense().sum(), lambda v: make(v).max()):
        assert refuses(f, X, code="SCT203").why
    for f in (lambda v: (make(v) ** 2).sum(), lambda v: make(v).power(v[0]).sum()):
        assert refuses(f, X, code="SCT205").hint
    refuses(lambda v: make(v * 1j).sum().real, X, code="SCT205")
    with pytest.raises(Exception, match="sorted and distinct"):
        grad(lambda v: sp.csr_matrix((v, np.array([2, 0, 1, 0, 2, 3]), np.array([0, 2, 3, 6]))).sum())(X)
    with pytest.raises(Exception, match="real numbers"):
        grad(lambda v: np.sum((sp.csr_matrix((1j * np.ones(N), (I, J))) @ v).imag))(X)


# -- the arrays that matrices hold -------------------------------------------------------------------------------------


def as_given(x):
    """COO holds elements as they are given, also several at one place."""
    a = sp.coo_matrix((x, (np.zeros(N, int), np.arange(N) % 2)), shape=(3, 3))
    return np.sum(a.data**3 * np.arange(N)) + np.sum(a.tocsr().data ** 2 * a.tocsr().indices) + a.nnz


def of_others(x):
    a = sp.csr_matrix((x, (I, J))).tocoo()
    rows, cols, values = sp.find(sp.csr_matrix(np.diag(x)))
    dense = sp.coo_matrix(np.outer(x[:2], x[:2]))
    total = np.sum(values**2 * (rows + 2 * cols)) + np.sum(dense.data * dense.row)
    return np.sum(a.data**2 * a.row * (1 + a.col)) + total


def other_elements(x):
    a = sp.csr_matrix((x, (I, J)))
    b, y = a, a @ X
    a.data = np.exp(a.data)
    z = b @ y
    a.data = a.data * x[0]
    return np.sum(z**2) + np.sum(b.data**2 * a.indices) + a.T.sum()


@pytest.mark.parametrize("f", [as_given, of_others, other_elements], ids=lambda f: f.__name__)
def test_arrays_of_elements(f: Callable[..., Any]) -> None:
    agrees(f, X)
    check_grads(f, (X,), order=2)


def test_an_array_that_a_matrix_holds_is_not_written() -> None:
    def f(x):
        a, v = sp.csr_matrix((x, (I, J))), x * 1.0
        a.data = v
        v[0] = 0.0
        return np.sum(a @ X)

    refuses(f, X, code="SCT307")
    with pytest.raises(Exception, match="distinct"):
        grad(lambda v: np.sum((sp.coo_matrix((v, (I * 0, J * 0))) * 2.0).data))(X)
