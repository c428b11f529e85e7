"""backend="numba": products, joined arrays, arrays of positions and reductions of rows as loops over elements.

Against the NumPy backend, and against central differences along a random direction.
"""

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

numba = pytest.importorskip("numba")

from trees import copied, flat  # noqa: E402

from sct import grad, hvp, jvp, value_and_grad  # noqa: E402


def checked(f: Callable[..., Any], args: tuple[Any, ...], argnums: tuple[int, ...]) -> Any:
    """The derivative, compiled without a warning, whose results agree with NumPy's and with differences."""
    expected = value_and_grad(f, argnums=argnums)(*args)
    derivative = value_and_grad(f, argnums=argnums, backend="numba")
    given = copied(args)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = derivative(*given)
    np.testing.assert_allclose(flat(found), flat(expected), rtol=1e-9, atol=1e-12)
    np.testing.assert_array_equal(flat(given), flat(args))
    rng, moved, slope = np.random.default_rng(5), [list(args), list(args)], 0.0
    for k, g in zip(argnums, found[1], strict=True):
        direction = rng.normal(size=np.shape(args[k]))
        slope += np.sum(direction * g)
        moved[0][k], moved[1][k] = args[k] + 1e-6 * direction, args[k] - 1e-6 * direction
    assert slope == pytest.approx((f(*moved[0]) - f(*moved[1])) / 2e-6, rel=1e-5, abs=1e-6)
    return derivative


def is_one_kernel(source: str) -> bool:
    """Are all loops in functions that are compiled, and none around calls of them?"""
    return "for " not in source.rpartition("\n\n\n")[2] or "@njit" in source.rpartition("\n\n\n")[2]


def of(*shape: int, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).normal(size=shape)


def layouts(x: np.ndarray) -> list[np.ndarray]:
    return [x, np.asfortranarray(x), x[..., ::-1]]


# -- products ------------------------------------------------------------------------------------


def contractions(A, B, x):
    total = 0.0
    for k in range(3):
        C = np.einsum("vb,bij->vij", A, B) * (k + 1.0)
        D = np.einsum("vij,vj->vi", C, x)
        if k != 1:
            D = D - 0.1 * np.einsum("...i->...i", D)
        total += np.einsum("vi,vi->", D, np.sin(D)) + np.sum(np.einsum("vi,wi->vw", D, D)[0])
    return total


def diagonals(A, x):
    for _ in range(2):
        A = A + 0.3 * np.einsum("ii,i->i", A, x)[:, None]
        x = np.tanh(np.einsum("ji,i,j->i", A, x, x))
    return np.sum(x)


def stacks(A, B, v):
    total = 0.0
    for k in range(3):
        C = (A @ B) @ B[1] * (k + 1.0)
        total += np.sum((C @ v) ** 2) + np.sum(np.tanh(v @ C)) + np.sum(A[0] @ C)
    return total


def recurrent(W, U, x, n):
    h = np.zeros(W.shape[0])
    for t in range(n):
        h = np.tanh(W @ h + U @ x[t] - 0.1 * (W.T @ h))
    return np.sum(h * h)


def mixed_orders(W, X, n):
    total = 0.0
    for _ in range(n):
        X = np.sin(X @ W) + (W @ X.T).T * 0.1
        Y = np.einsum("ij,kj->ik", X, W)
        Z = np.einsum("ji,jab->iab", Y, X.reshape(Y.shape[0], 2, -1))
        total += np.sum(Z * Z) * 1e-3 + np.sum(np.einsum("iab,ic->abc", Z[:5], W[:5]))
    return total


def test_contractions() -> None:
    for A in layouts(of(6, 5)):
        checked(contractions, (A, of(5, 3, 4, seed=1), of(6, 4, seed=2)), (0, 1, 2))
    checked(diagonals, (0.3 * of(4, 4), of(4, seed=1)), (0, 1))


def test_products_of_stacks() -> None:
    for A in layouts(of(6, 4, 4)):
        derivative = checked(stacks, (A, of(6, 4, 4, seed=1), of(4, seed=2)), (0, 1, 2))
    assert is_one_kernel(derivative.source)
    with pytest.raises(ValueError, match="broadcast"):
        derivative(of(6, 4, 4), of(5, 4, 4), of(4))


@pytest.mark.parametrize("n", [1, 3, 40])
def test_small_and_large_matrices(n: int) -> None:
    """BLAS computes products of large ones."""
    W = of(n, n) / (n + 1.0)
    for layout in layouts(W):
        derivative = checked(recurrent, (layout, of(n, 5, seed=1), of(7, 5, seed=2), 6), (0, 1, 2))
    if n > 1:
        assert is_one_kernel(derivative.source)
        assert "matrix_vector(W, h)" in derivative.source
        assert "vector_matrix(" in derivative.source


@pytest.mark.parametrize("n", [2, 20])
def test_products_whose_axes_are_in_any_order(n: int) -> None:
    for X in layouts(of(n + 3, n, seed=1)):
        checked(mixed_orders, (of(n, n) / n, X, 2), (0, 1))


def of_ints(x, A, B):
    total = 0.0
    for k in range(2):
        A = A + k
        last = (A @ B) % 10 + np.einsum("ij,jk->ik", A, B) % 7 + np.tensordot(A, B, 1) % 3
        total += x[k] * last[0, 1] + x[0] * last[1, 0] ** 2
    return total


def test_products_of_ints_are_exact() -> None:
    A, B = np.array([[2**31 + 1, 3], [5, 2**30 + 7]]), np.array([[2**31 - 1, 7], [11, 2**29 + 1]])
    derivative = checked(of_ints, (of(2), A, B), (0,))
    assert derivative(of(2), A, B)[0] == of_ints(of(2), A, B)


# -- joined arrays -------------------------------------------------------------------------------


def joined(x, y, n):
    for k in range(n):
        y = y + 0.1 * np.concatenate((x[:1], x[1:] * y[:-1]))
        z = np.stack((y, x * k, y[::-1]), axis=1)
        w = np.concatenate((z, z[:, 1:] ** 2), axis=-1)
        r = np.array([[np.sin(x[0]), y[1]], [x[2] * k, 1.0]])
        v = np.array([x, 2.0 * y])
        x = x + 1e-2 * (np.sum(w, axis=1) + v[1] - v[0]) + 1e-2 * np.sum(r @ r)
    return np.sum(x * y)


def test_joined_arrays() -> None:
    for x in layouts(of(5)):
        derivative = checked(joined, (x, of(5, seed=1), 3), (0, 1))
    assert is_one_kernel(derivative.source)
    assert not any("np.concatenate" in line.partition("#")[0] for line in derivative.source.splitlines())


# -- arrays of positions -------------------------------------------------------------------------


def gathered(x, i, w):
    x, y = x.copy(), np.zeros(len(w))
    for k in range(3):
        y = y + np.sin(x[i] * w)
        x[i] = 0.5 * y
        x[i] += y * w
        x[k] = x[i[k]]
    return np.sum(y * y) + np.sum(x**3)


def triangles(Q, l, rows, columns):
    total = 0.0
    for k in range(3):
        P = np.zeros_like(Q)
        P[:, rows, columns] = l * (k + 1.0)
        P[0, 1:, rows[0]] += Q[1, 1:, 0]
        total += np.sum(P * P) + np.sum(np.cos(P[:, rows, columns])) + np.sum(Q[:, rows][1, :, 1] ** 3)
    return total


def test_arrays_of_positions() -> None:
    for x in layouts(of(8)):
        derivative = checked(gathered, (x, np.array([1, 3, -1, 3]), of(4, seed=1)), (0, 2))
    with pytest.raises(IndexError, match="out of bounds"):
        derivative(of(8), np.array([1, 3, -9, 3]), of(4))
    rows, columns = np.triu_indices(4, 1)
    checked(triangles, (of(3, 4, 4), of(3, 6, seed=1), rows, columns), (0, 1))


# -- outside of loops -----------------------------------------------------------------------------


def clusters(centroids, points):
    squared = np.sum((points[:, None, :] - centroids[None, :, :]) ** 2, axis=2)
    return np.sum(np.min(squared, axis=1))


def mixture(mu, alpha, x):
    scaled = x[:, None, :] - mu
    terms = alpha - 0.5 * np.sum(scaled**2, axis=2)
    top = np.max(terms, axis=1, keepdims=True)
    return np.sum(np.squeeze(top, axis=1) + np.log(np.sum(np.exp(terms - top), axis=1)))


def updated(x, y):
    x = x - np.mean(x, axis=0)
    x *= 2.0
    z = x[:, None] * y
    z *= np.sum(y, axis=-1)[:, None] - 0.5
    return np.sum(np.max(z * z, axis=1))


def test_reductions_of_rows_outside_of_loops() -> None:
    for points in layouts(of(12, 3)):
        derivative = checked(clusters, (of(4, 3, seed=1), points), (0, 1))
    assert ".reshape(" not in derivative.source
    checked(mixture, (of(4, 3), of(4, seed=1), of(9, 3, seed=2)), (0, 1, 2))
    for x in (of(4), of(8)[::2]):
        checked(updated, (x, of(4, 5, seed=1)), (0, 1))


def test_products_that_are_not_stored_take_no_memory() -> None:
    """The differences of points and centroids are computed where they are read."""
    derivative = grad(clusters, backend="numba")
    derivative(of(4, 3, seed=1), of(12, 3))
    assert "points[i, k] - centroids[j, k]" in derivative.source
    assert "np.empty((k, n, m))" not in derivative.source


@pytest.mark.parametrize(("f", "args"), [
    (contractions, (of(6, 5), of(5, 3, 4, seed=1), of(6, 4, seed=2))), (stacks, (of(6, 4, 4), of(6, 4, 4), of(4))),
    (clusters, (of(4, 3, seed=1), of(12, 3))), (gathered, (of(8), np.array([1, 3, -1, 3]), of(4))),
    (mixed_orders, (of(20, 20) / 20.0, of(22, 20), 2))])
def test_forward_mode_and_second_derivatives(f: Callable[..., Any], args: tuple[Any, ...]) -> None:
    v = np.cos(np.arange(args[0].size, dtype=float)).reshape(args[0].shape)
    gradient = grad(f, backend="numba")(*args)
    tangents = (v, *(None if np.asarray(x).dtype.kind == "i" else 0.0 * x for x in args[1:]))
    _, slope = jvp(f, args, tangents, backend="numba")
    assert slope == pytest.approx(np.sum(v * gradient), rel=1e-9)
    found = hvp(f, args, tangents, backend="numba")
    np.testing.assert_allclose(flat(found), flat(hvp(f, args, tangents)), rtol=1e-7, atol=1e-9)
