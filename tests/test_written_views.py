"""Writes through named views are writes into the array itself: exact, and without a copy of the view in a loop."""

import numpy as np
import pytest
from oracle import agrees, agrees_in_second_order

from sct import grad, jvp

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


CASES = [(first_of_tail, X, 3), (view_before_the_loop, X, 4), (backwards_and_in_steps, X, 5), (rows, A, 3),
         (transposed, A[:, :4], 3), (in_a_branch, X, 4), (boundary, X, 4), (old_view_is_read, X, 3),
         (overlapping, X, 3), (returned, X, 0)]


@pytest.mark.parametrize(("f", "x", "n"), CASES, ids=lambda p: getattr(p, "__name__", ""))
def test_derivatives(f, x, n):
    agrees(f, x.copy(), n)
    direction = np.cos(np.arange(x.size)).reshape(x.shape)
    _, pushed = jvp(f, (x, n), (direction,))
    assert pushed == pytest.approx(np.sum(grad(f)(x, n) * direction), rel=1e-10)
    agrees_in_second_order(f, x.copy(), n)


@pytest.mark.parametrize(("f", "x", "n"), [case for case in CASES if case[0] not in (old_view_is_read, returned)],
                         ids=lambda p: getattr(p, "__name__", ""))
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
