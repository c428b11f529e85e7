"""Elimination with row swaps: pivot rows are read from the final array, and what was just written is kept once.

Beside it stand programs in which another row, or another value, would be read so."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from oracle import agrees

from sct import grad

N = 4
A = np.cos(np.arange(1.0, 17.0) ** 2).reshape(N, N)


def eliminated(A, first, sign, rows):
    A = A.copy()
    for k in range(len(A)):
        p = k + np.argmax(np.abs(A[k:, k]))
        A[[k, p]] = A[[p, k]]
        for i in range(k + 1, len(A)):
            A[i, k] /= A[k, k]
            A[i, k + 1 :] -= A[i, k] * A[k, k + 1 :]
    return np.sum(A * A)


def by_copies(A, first, sign, rows):
    A = A.copy()
    for k in range(len(A)):
        p = np.argmax(np.abs(A[k:, k])) + k
        A[k], A[p] = A[p].copy(), A[k].copy()
        A[k + 1 :, k] /= A[k, k]
        A[k + 1 :, k + 1 :] -= np.outer(A[k + 1 :, k], A[k, k + 1 :])
    return np.sum(A * A)


def swapped_with_any_row(A, first, sign, rows):
    A = A.copy()
    for k in range(len(A)):
        p = np.argmax(np.abs(A[:, k]))
        A[[k, p]] = A[[p, k]]
        for i in range(k + 1, len(A)):
            A[i] = np.sin(A[i]) * A[k, k]
    return np.sum(A * A)


def swapped_with_a_row_before(A, first, sign, rows):
    A = A.copy()
    for k in range(first, len(A)):
        p = k - np.argmax(A[k::-1, k])
        A[[k, p]] = A[[p, k]]
        A[k] *= A[k] * A[p]
    return np.sum(A * A)


def rows_of_an_argument(A, first, sign, rows):
    A = A.copy()
    for k in range(len(A)):
        A[k] *= A[k] * A[k, k]
        A[rows[k]] *= A[k]
        A[[k, rows[k]]] = A[[rows[k], k]]
    return np.sum(A * A)


def counted_from_the_end(A, first, sign, rows):
    A = A.copy()
    for k in range(len(A)):
        p = k + sign * np.argmax(A[k])
        A[[k, p]] = A[[p, k]]
        A[k] *= A[k, k] * A[p]
    return np.sum(A * A)


def written_before_it_is_read(A, first, sign, rows):
    A = A.copy()
    for k in range(len(A)):
        for i in range(len(A)):
            A[i, k] = np.sin(A[i, k])
            A[i - 1] *= 0.9
            A[i, k] = np.sin(A[i, k]) * A[i, k]
            A[rows[i], rows[k]] *= 0.7
            A[i, k] *= np.cos(A[i, k])
    return np.sum(A * A)


def rounded_by_the_write(A, first, sign, rows):
    B, s = np.zeros((N, N), np.float32), 0.0
    for k in range(len(A)):
        B[k] = A[k] / 3.0
        B[k, 1] = 2.0
        s += 0.1 * np.sum(np.exp(B[k]) * B[k])
        B[k] = s
        s = np.tanh(0.1 * np.sum(B[k] * B[k]))
    return s


PROGRAMS = (eliminated, by_copies, swapped_with_any_row, swapped_with_a_row_before, rows_of_an_argument,
            counted_from_the_end, written_before_it_is_read)


@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
def test_pivots(f: Callable[..., Any]) -> None:
    for first, sign, rows in ((1, -1, [3, 2, 0, 1]), (0, 0, [0, 0, -1, 1])):
        agrees(f, A, first, sign, np.array(rows), rtol=1e-4)


def test_rounded() -> None:
    gradient = grad(rounded_by_the_write)(A, 0, 0, None)
    direction = np.sin(A)
    ends = [float(rounded_by_the_write(A + h * direction, 0, 0, None)) for h in (1e-2, -1e-2)]
    np.testing.assert_allclose(np.sum(gradient * direction), (ends[0] - ends[1]) / 2e-2, rtol=2e-2)


def test_one_tape_of_numbers() -> None:
    derivative = grad(eliminated)
    derivative(A, 0, 0, None)
    assert derivative.source.count(".append(") == 2, derivative.source
    assert "copy(" not in derivative.source.replace("A.copy()", ""), derivative.source
