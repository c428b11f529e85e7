"""Writes through named views are writes into the array itself: exact, and without a copy of the view in a loop."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from oracle import agrees, agrees_in_second_order

from sct import check_grads, grad, jacfwd, jacrev, jvp, value_and_grad

X = np.linspace(0.5, 1.5, 12)
A = np.linspace(0.5, 1.5, 20).reshape(4, 5)


def first_of_tail(y, n):
    for _ in range(n):
        v = y[1:]
        v[0] = v[0] * y[0]
    return y.sum()


def view_before_the_loop(y, n):
    v = y[1:]
    for i in range(n):
        v[i] = v[i] * y[0]
        v[0] += y[i]
    return y.sum()


def backwards_and_in_steps(y, n):
    back = y[::-1]
    for i in range(1, n):
        w = back[2:]
        w[i] = w[i - 1] * y[i]
        u = w[1::-1]
        u[1] += y[-1]
    return y @ y


def rows(y, n):
    for i in range(1, n):
        row = y[i, 1:]
        row[0] = row[0] * y[0, 0]
        for j in range(1, len(row)):
            row[j] = row[j - 1] * row[j]
    return y[-1] @ y[n - 1]


def transposed(y, n):
    t = y.T
    for i in range(1, n):
        column = t[1:, i]
        column[0] = column[1] * y[0, i]
        t[2, 0] += t[0, 2]
    return np.sum(y * y)


def in_a_branch(y, n):
    for i in range(n):
        v = y[i:]
        if y[0] > 0.6:
            v[0] *= y[0]
        elif v[1] > 0.2:
            v[1:] *= 0.5
    return y @ y


def boundary(u, n):
    inner = u[1:-1]
    for _ in range(n):
        inner += 0.1 * (u[2:] - 2.0 * inner + u[:-2])
        inner[0] = 0.0
    return u @ u


def old_view_is_read(y, n):
    for i in range(n):
        before = y[1:].copy()
        v = y[1:]
        v[0] = y[2] * before[1]
        y[1] += before[0] * v[0]
    return y @ y


def overlapping(y, n):
    v, w = y[1:], y[:-1]
    for i in range(n):
        v[i] = w[i] * w[i + 1]
        w[1:] += v[:-1]
        v[:] = w * 0.5
    return y @ y


def returned(y, n):
    v = y[1:]
    v[0] = y[0] * y[2]
    z = y * 1.0
    v[1] = z[2] * v[0]
    return (v * z[1:]) @ v


def relaxed_tail(y, n):
    v = y[1:]
    for _ in range(n):
        v[1:] -= v[:-1] * 0.4
        v *= y[0]
    return v @ v


def backwards_in_every_second(y, n):
    odd = y[::2]
    back = odd[::-1]
    for _ in range(n):
        back[1:] -= back[:-1] * 0.4
        odd *= y[1]
    return y @ y


def squares_of_the_inner(y, n):
    inner = y[1:-1]
    for _ in range(n):
        inner[0] = y[0]
        inner *= inner * y[-1]
    return y @ y


def written_twice_in_a_branch(y, n):
    for _ in range(n):
        v = y[2:]
        if y[0] > 0.3:
            v[1:] += v[:-1] * y[1]
            v[-1] = y[-1] * y[0]
    return y @ y


def base_between_views(y, n):
    v = y[1:]
    for i in range(n):
        v[1:] -= v[:-1] * 0.4
        if i > 0:
            v *= y[0]
        back = v[::-1]
        back[0] *= v[0]
        y[0] += v[1] * v[2]
    return y @ y


def history_of_views(y, n):
    v = y[1:]
    total = 0.0
    for i in range(n):
        before = v[1:]
        v[1:] += v[:-1] * y[0]
        total += before @ v[1:]
        v *= 0.5 + v * v * 0.1
    return total + y @ y


WITHOUT_COPIES = [(first_of_tail, X, 3), (view_before_the_loop, X, 4), (backwards_and_in_steps, X, 5), (rows, A, 3),
                  (transposed, A[:, :4], 3), (in_a_branch, X, 4), (boundary, X, 4), (overlapping, X, 3)]
CASES = [*WITHOUT_COPIES, (old_view_is_read, X, 3), (returned, X, 0), (relaxed_tail, X, 3),
         (backwards_in_every_second, X, 3), (squares_of_the_inner, X, 2), (written_twice_in_a_branch, X, 3),
         (base_between_views, X, 3), (history_of_views, X, 3)]


@pytest.mark.parametrize(("f", "x", "n"), CASES, ids=lambda p: getattr(p, "__name__", ""))
def test_derivatives(f, x, n):
    agrees(f, x.copy(), n)
    direction = np.cos(np.arange(x.size)).reshape(x.shape)
    _, pushed = jvp(f, (x, n), (direction,))
    assert pushed == pytest.approx(np.sum(grad(f)(x, n) * direction), rel=1e-10)
    agrees_in_second_order(f, x.copy(), n)
    second = jacfwd(grad(f))(x, n)
    np.testing.assert_allclose(second, jacrev(grad(f))(x, n), rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize(("f", "x", "n"), CASES, ids=lambda p: getattr(p, "__name__", ""))
def test_later_calls(f, x, n):
    df = value_and_grad(f)
    for iterations in (0, 1, n):
        agrees(f, x.copy(), iterations, derivative=df)


@pytest.mark.parametrize(("f", "x", "n"), WITHOUT_COPIES, ids=lambda p: getattr(p, "__name__", ""))
def test_no_iteration_copies(f, x, n):
    df = grad(f)
    df(x, n)
    loops = df.source.split("for ", 1)[1]
    assert "np.copy(" not in loops, df.source


@pytest.mark.parametrize(("f", "x", "n"), [CASES[0], CASES[2]], ids=lambda p: getattr(p, "__name__", ""))
def test_compiled(f, x, n):
    pytest.importorskip("numba")

    def total(y, n):
        f(y, n)
        s = 0.0
        for k in range(len(y)):
            s += y[k] * y[k]
        return s

    df = grad(total, backend="numba")
    np.testing.assert_allclose(df(x, n), grad(total)(x, n), rtol=1e-12)
    assert "np.copy(v)" not in df.source


def test_reads_as_the_user_wrote_it():
    df = grad(first_of_tail)
    df(X, 3)
    assert "v[0] = v_first * y[0]" in df.source
    assert "y[1:] =" not in df.source


def test_the_length_of_a_view_is_on_no_tape():
    df = grad(rows)
    df(A, 3)
    assert "m_prev = y.shape[1] - 1" in df.source and df.source.count(".append(") == 1
    for m in (3, 7):  # the same code for other sizes
        x = np.linspace(0.5, 1.5, 4 * m).reshape(4, m)
        np.testing.assert_allclose(df(x, 3), grad(rows)(x, 3))
        agrees(rows, x, 3)


def constant_row(y, n):
    v = y[1:]
    for _ in range(n):
        v[0] = 2.0
    return np.sum(y * y)


def row_into_row(y, n):
    for _ in range(n):
        y[:1] = y[1:2] * y[0, 0]
        y[0] -= y[1] * y[2]
    return np.sum(y * y)


def orthogonal_columns(y, n):
    for j in range(n):
        q = y[:, j]
        for k in range(j):
            q -= (y[:, k] @ q) * y[:, k]
        q /= np.sqrt(q @ q)
    return np.sum(y[0] ** 3)


@pytest.mark.parametrize("f", [constant_row, row_into_row, orthogonal_columns])
def test_rows_and_columns_compiled(f):
    pytest.importorskip("numba")

    def copied(x, n):
        return f(x.copy(), n)

    x = 0.2 + np.cos(np.arange(12.0) ** 2).reshape(4, 3)
    compiled, derivative = value_and_grad(copied, backend="numba"), value_and_grad(copied)
    for n in (2, 0, 3):
        agrees(copied, x, n, derivative=derivative)
        for a, b in zip(compiled(x, n), derivative(x, n)):
            np.testing.assert_allclose(a, b, rtol=1e-9, atol=1e-12)


def row_in_order(x):
    s = 0.0
    for i in range(len(x)):
        y = x * 2.0
        row = np.asarray(y[i], order="C")
        row[0] = 5.0 * x[i, 1]
        s = s + y[i, 0] * row[1]
    return s


def column_in_order(x):
    s = 0.0
    for j in range(x.shape[1]):
        y = x * 2.0
        column = np.ascontiguousarray(y[:, j])
        column[0] = 5.0 * x[0, j]
        s = s + y[0, j] * column[0]
        if s > 50.0:
            return s
    return s


def rows_that_are_added(x):
    y = (x * 1.0).T
    for i in range(1, len(y)):
        above, row = np.asarray(y[i - 1], order="C"), np.asarray(y[i], order="C")
        row += above * 2.0
    return (y ** 2).sum()


@pytest.mark.parametrize("f", [row_in_order, column_in_order, rows_that_are_added])
def test_whether_a_row_is_copied_is_told_by_the_layout(f: Callable[..., Any]) -> None:
    x = np.random.default_rng(0).random((3, 3))
    for y in (x, np.asfortranarray(x)):
        agrees(f, y)
    check_grads(f, (x,), order=2)
    derivative = value_and_grad(f)
    for y in (x, np.asfortranarray(x), x):
        assert derivative(y)[0] == f(y)
