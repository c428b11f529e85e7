"""Backward loops whose iterations have parts of arrays of their own become operations on arrays; others stay."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from oracle import agrees

from sct import grad, hvp, jvp, value_and_grad


def triangle(A, B):
    C = np.zeros(A.shape)
    for i in range(A.shape[0]):
        for k in range(A.shape[1]):
            C[i, : i + 1] += A[i, k] * B[: i + 1, k]
    return np.sum(C * C)


def two_products(A, B):
    C = np.zeros(A.shape)
    for i in range(A.shape[0]):
        for k in range(A.shape[1]):
            C[i, : i + 1] += A[: i + 1, k] * 0.5 * B[i, k] + B[: i + 1, k] * 0.7 * A[i, k]
    return np.sum(C * C)


def rows_above(A, B):
    B = B.copy()
    for i in range(B.shape[0]):
        for j in range(B.shape[1]):
            B[i, j] += np.dot(A[i + 1 :, i], B[i + 1 :, j])
    return np.sum(B * B)


def rows_below(A, B):
    B = B.copy()
    for i in range(B.shape[0] - 1, -1, -1):
        for j in range(B.shape[1]):
            B[i, j] += np.dot(A[:i, i], B[:i, j])
    return np.sum(B * B)


def one_by_one(A, B):
    C, t = A.copy(), np.empty(A.shape[1])
    for i in range(A.shape[0]):
        for j in range(A.shape[1]):
            C[:i, j] += 0.3 * B[i, j] * A[i, :i]
            t[j] = B[:i, j] @ A[i, :i]
        C[i, :] += B[i, :] * A[i, i] + 0.3 * t
    return np.sum(C * C)


def weighted_rows(A, B):
    s = 0.0
    for i in range(len(A)):
        s += np.sum(A[i] * B[i]) * A[0, 1] / B[i, 0]
    return s * s


def inner_part(A, B):
    s = 0.0
    for k in range(1, A.shape[1] - 1):
        s += (A[1:, k] - B[:-1, k]) @ B[1:, 0] * A[2, k]
    return s * s


def column_after_column(A, B):
    C = A.copy()
    for k in range(A.shape[1]):
        C[:, k] = 2.0 * C[:, k] * B[0, k]
        C[1:, k] += B[1:, k]
    return np.sum(C * C)


def products_with_a_matrix(A, B):
    y = np.zeros(A.shape)
    for i in range(len(A)):
        y[i] = A[i] @ B.T @ B
    return np.sum(y * y)


def differences(A, B):
    s = 0.0
    for i in range(len(A)):
        s += np.sum(np.tanh(A[i] - B[0]))
    return s * s


def right_of_the_block(A, B):
    C = A.copy()
    for i in range(len(A)):
        for j in range(i, len(A)):
            C[i, j] -= C[i, :i] @ C[:i, j]
    return np.sum(C * C) * B[0, 1]


def below_the_block(A, B):
    C = A.copy()
    for i in range(1, len(A)):
        for j in range(i, len(A)):
            C[j, i - 1] -= C[:i, i - 1] @ C[j, :i] * B[i, i]
    return np.sum(C * C)


def products_of_columns(A, B):
    C = np.zeros(A.shape)
    for k in range(A.shape[1]):
        C[k:, k] = C[k, k:] = A[:, k] @ A[:, k:] / 3.0
    return np.sum(C * C * B)


def products_of_other_columns(A, B):
    M = A.shape[1]
    C = np.eye(M)
    for k in range(M - 1):
        C[k + 1 : M, k] = C[k, k + 1 : M] = A[:, k] @ A[:, k + 1 :]
    return np.sum(C * C * B)


def products_of_rows(A, B):
    C = np.zeros(A.shape)
    for k in range(len(A)):
        C[k, k:] = A[k:, :] @ A[k, :]
    return np.sum(C * C * B)


def below(A, B):
    C = A.copy()
    for k in range(len(A)):
        C[k + 1 :, k] = 2.0 * B[k + 1 :, k] - A[k, k + 1 :]
    return np.sum(C * C)


def up_to_the_diagonal(A, B):
    C = A * B
    for k in range(len(A)):
        C[k, : k + 1] += 0.5 * B[k, : k + 1]
        C[k, k] += A[k, : k + 1] @ B[: k + 1, k]
    return np.sum(C * C)


TRIANGLES = (products_of_columns, products_of_other_columns, products_of_rows, below)

LIFTED = (*TRIANGLES, triangle, two_products, rows_above, rows_below, one_by_one, right_of_the_block)
ON_TAPES = (weighted_rows, products_with_a_matrix,
            inner_part, column_after_column, differences)


def of_the_row_before(A, B):
    C = A.copy()
    for i in range(1, len(A)):
        C[i] += C[i - 1] * B[i]
    return np.sum(C * C)


def of_another_column(A, B):
    C = A.copy()
    for k in range(A.shape[1]):
        C[1:, k] += B[1:, k] * C[1:, 0]
    return np.sum(C * C)


def to_another_row(A, B):
    C = A.copy()
    for i in range(len(A)):
        C[i] *= B[i]
        C[-1] += B[i]
    return np.sum(C * C)


def all_pairs(A, B):
    x, s = A[:, 0], 0.0
    for i in range(len(x)):
        s += np.sum(np.tanh(x[i] - x)) * B[i, 0]
    return s * s


def rows_in_turn(A, B):
    v = B[0].copy()
    for i in range(len(A)):
        v = v * A[i]
    return v @ v


def until_large(A, B):
    s = 0.0
    for i in range(len(A)):
        s += A[i] @ B[i]
        if s > 1e6:
            break
    return s * s


def of_the_block_itself(A, B):
    C = A.copy()
    for i in range(1, len(A)):
        for j in range(i, len(A)):
            C[i, j] -= C[i, : i + 1] @ C[: i + 1, j] * B[0, 1]
    return np.sum(C * C)


def from_a_negative_column(A, B):
    C = A.copy()
    for i in range(1, len(A)):
        for j in range(i, len(A)):
            C[i, j - 2] -= C[i, :i] @ C[:i, j] * B[0, 1]
    return np.sum(C * C)


def empty_at_last(A, B):
    C = A.copy()
    for i in range(len(A)):
        for j in range(i + 1, len(A)):
            C[i, j] -= 0.5 * C[i, : i + 1] @ C[: i + 1, j] * B[i, j]
    return np.sum(C * C)


def columns_of_two_matrices(A, B):
    C = np.zeros(A.shape)
    for k in range(A.shape[1]):
        C[k, k:] = A[:, k] @ B[:, k:]
    return np.sum(C * C)


def some_columns(A, B):
    C = np.zeros(A.shape)
    for k in range(A.shape[1] - 2):
        C[k, k:] = A[:, k] @ A[:, k:]
    return np.sum(C * C * B)


def overlapping_rows(A, B):
    C = A.copy()
    for k in range(len(A) - 1):
        C[k, k:] = C[k + 1, k:] * B[k, 0]
        C[k:, k] = C[k:, k + 1] + B[k, k]
    return np.sum(C * C)


KEPT = (columns_of_two_matrices, some_columns, overlapping_rows, up_to_the_diagonal, of_the_row_before,
        of_another_column, to_another_row, all_pairs, rows_in_turn, until_large, of_the_block_itself,
        from_a_negative_column, empty_at_last, below_the_block)


def rows_behind(A, B):
    C = np.zeros(A.shape)
    for k in range(len(A) - 1):
        C[k, k + 1 :] = 0.5 * (A[:, k] @ A[:, k + 1 :]) * B[k, k + 1 :]
    return np.sum(C * C)


def overwritten_but_the_last(A, B):
    C = A.copy()
    for k in range(A.shape[1] - 1):
        C[:, k] = B[:, k + 1 :] @ B[k, k + 1 :] * A[:, k]
    return np.sum(C * C)


def added_in_each(A, B):
    C = np.zeros(A.shape)
    for k in range(A.shape[1] - 1):
        C[:, k] += A[:, k + 1 :] @ B[k, k + 1 :] + A[:, k]
    return np.sum(C * C)


BUT_THE_LAST = (rows_behind, overwritten_but_the_last, added_in_each)


def square(n: int = 4) -> tuple[Any, Any]:
    rng = np.random.default_rng(n)
    return rng.normal(size=(n, n)), 1.5 + rng.random((n, n))


@pytest.mark.parametrize("f", [*LIFTED, *ON_TAPES, *KEPT, *BUT_THE_LAST])
def test_gradients(f: Callable[..., Any]) -> None:
    agrees(f, *square())
    df = value_and_grad(f, argnums=(0, 1))
    for n in (4, 7, 3):
        args = square(n)
        value, (dA, dB) = df(*args)
        assert value == f(*args)
        directions = square(n + 1)
        dA_along, dB_along = (d[:n, :n] for d in directions)
        slope = jvp(f, args, (dA_along, dB_along))[1]
        np.testing.assert_allclose(np.sum(dA * dA_along) + np.sum(dB * dB_along), slope, rtol=1e-9)


@pytest.mark.parametrize("f", [*LIFTED, *ON_TAPES, *KEPT, *BUT_THE_LAST])
def test_second_derivatives(f: Callable[..., Any]) -> None:
    A, B = square()
    direction, _ = square(5)
    direction, eps = direction[:4, :4], 1e-6
    expected = (grad(f)(A + eps * direction, B) - grad(f)(A - eps * direction, B)) / (2.0 * eps)
    got = hvp(f, (A, B), (direction, None))
    np.testing.assert_allclose(got, expected, rtol=1e-4, atol=1e-4 * np.max(np.abs(expected)) + 1e-6)


@pytest.mark.parametrize("f", LIFTED)
def test_such_loops_become_array_operations(f: Callable[..., Any]) -> None:
    df = grad(f, argnums=(0, 1))
    df(*square())
    backward = df.source.rpartition("tape")[2] if "reversed" not in df.source else df.source.partition("reversed")[2]
    assert sum("for" in line and "#" not in line for line in backward.splitlines()) <= 1 and ".append" not in df.source


@pytest.mark.parametrize("f", KEPT)
def test_dependent_and_larger_ones_stay(f: Callable[..., Any]) -> None:
    df = grad(f, argnums=(0, 1))
    df(*square())
    assert "reversed(" in df.source or df.source.count("for ") > 1


@pytest.mark.parametrize("f", TRIANGLES)
def test_triangles_are_masks(f: Callable[..., Any]) -> None:
    df = grad(f, argnums=(0, 1))
    df(*square())
    assert "np.tri" in df.source and "for " not in df.source.partition("# return")[2]


def test_one_product_of_columns() -> None:
    """The last column, with which no iteration begins, takes part as well."""
    df = grad(products_of_other_columns)
    df(*square())
    assert df.source.partition("# C[")[2].count(" @ ") == 2  # one is in the comment


def test_what_all_iterations_add_is_added_at_once() -> None:
    def rows_and_columns(A, B):
        c = np.zeros(len(A))
        for i in range(len(A)):
            c = c + 2.0 * A[i]
            c = c + B[:, i]
        return np.sum(c * c)

    agrees(rows_and_columns, *square())
    df = grad(rows_and_columns, argnums=(0, 1))
    dA, dB = df(*square())
    assert "for " not in df.source.partition("# return")[2]
    A, B = square()
    c = 2.0 * (2.0 * np.sum(A, axis=0) + np.sum(B, axis=1))
    np.testing.assert_allclose(dA, np.broadcast_to(2.0 * c, A.shape))
    np.testing.assert_allclose(dB, np.broadcast_to(c[:, None], B.shape))


def test_an_infinite_element_makes_no_other_row_nan() -> None:
    def finite_products(A):
        C = np.zeros((A.shape[1], A.shape[1]))
        for k in range(A.shape[1]):
            C[k:, k] = C[k, k:] = A[:, k] @ A[:, k:]
        return np.sum(np.where(np.isfinite(C), C, 0.0) ** 2)

    A, _ = square()
    A[1, 2] = np.inf
    with np.errstate(invalid="ignore"):
        dA = grad(finite_products)(A)
    assert np.all(np.isnan(dA[1])) and np.all(np.isfinite(dA[[0, 2, 3]]))


def test_single_precision_stays_single() -> None:
    for f in LIFTED + ON_TAPES:
        A, B = (x.astype(np.float32) for x in square())
        dA, dB = grad(f, argnums=(0, 1))(A, B)
        assert dA.dtype == dB.dtype == np.float32
        np.testing.assert_allclose(dA, grad(f)(A.astype(float), B.astype(float)), rtol=1e-3, atol=1e-3)


def gram_schmidt(A):
    Q = np.zeros_like(A)
    R = np.zeros(A.shape)
    for k in range(A.shape[1]):
        R[k, k] = np.sqrt(np.dot(A[:, k], A[:, k]))
        Q[:, k] = A[:, k] / R[k, k]
        for j in range(k + 1, A.shape[1]):
            R[k, j] = np.dot(Q[:, k], A[:, j])
            A[:, j] -= Q[:, k] * R[k, j]
    return np.sum(R * R) + np.sum(Q * np.cos(Q))


def two_last_columns(A):
    s = 0.0
    for _ in range(3):
        for j in range(A.shape[1] - 2, A.shape[1]):
            c = A[:, j]
            s += (c @ c) * np.sum(c)
            A[:, j] = c * 0.9 + A[:, 0]
    return s


def last_column_twice(A):
    for k in range(3):
        for j in range(-1, A.shape[1]):
            c = A[:, j]
            A[:, j] = c * (c @ A[:, 0]) * 0.1
    return np.sum(A)


def overwritten_before(A):
    for k in range(A.shape[1]):
        for j in range(k + 1, A.shape[1]):
            c = A[:, j]
            A[:, j] = c * (A[:, k] @ c)
            A[:, j] += c * (A[:, j] @ c)
    return np.sum(A)


@pytest.mark.parametrize("f", [gram_schmidt, two_last_columns, last_column_twice, overwritten_before])
@pytest.mark.parametrize("n", [1, 3, 5])
def test_columns_that_each_iteration_overwrites(f: Callable[..., Any], n: int) -> None:
    A = np.eye(n + 2) + 0.1 * np.random.default_rng(n).normal(size=(n + 2, n + 2))
    agrees(f, A[:n, :n] if f is gram_schmidt or n > 1 else A)


def test_one_array_is_kept_in_place_of_its_columns() -> None:
    df = grad(gram_schmidt)
    df(np.eye(4) + 0.1)
    backward = df.source.partition("reversed")[2]
    assert df.source.count(".append(") == 1 and "for " not in backward, df.source


def divided_by_a_root(v, x, c):
    y = np.zeros(x.shape)
    for k in range(x.shape[0] - 2):
        y[k] = x[k, 0] * v / np.sqrt(c)
    return np.sum(y * y)


def sum_over_a_number(v, x, c):
    s = 0.0
    for k in range(x.shape[0] - 2):
        s = s + np.sum(x[k] * v) / c
    return s


@pytest.mark.parametrize("f", [divided_by_a_root, sum_over_a_number])
def test_a_loop_without_iterations_computes_nothing(f):
    derivative = grad(f)
    derivative(np.ones(3), np.arange(15.0).reshape(5, 3), 2.0)
    for c in (0.0, np.inf):
        with np.errstate(all="ignore"):
            assert np.array_equal(derivative(np.ones(3), np.ones((2, 3)), c), np.zeros(3))


def scaled_by_first(x, W):
    t = 0.0
    for w in W:
        t += np.sum(x) * w * W[0]
    return t


@pytest.mark.parametrize("n", [3, 0])
def test_an_element_is_not_read_where_a_loop_has_no_iterations(n):
    x, W = np.array([0.3, 0.7]), np.arange(1.0, 4.0)
    derivative = value_and_grad(scaled_by_first)
    derivative(x, W)
    value, dx = derivative(x, W[:n])
    assert value == scaled_by_first(x, W[:n])
    assert np.allclose(dx, W[0] * np.sum(W[:n]))
