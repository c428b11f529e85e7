"""Ints that count as real: what is differentiated by is an int, or an array of ints."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import sct
from sct.ops import OPS

X = np.array([3, 1, 4, 2])
M = np.array([[3, 1, 4], [2, 7, 5]])
W = np.array([0.3, -0.7, 1.1, 0.5])
V = np.array([[0.3, -0.7, 1.1], [0.4, 0.2, -0.6]])


def polynomial(x):
    return np.sum(x**3 - 2 * x**2 + x)


def products(x):
    return x @ x + W @ x + np.prod(x) + np.max(x)


def neighbours(x):
    s = 0
    for i in range(len(x)):
        s = s + x[i] * x[i - 1]
    return s


def written(x):
    x[1] = x[0] * x[2]
    x[2:] *= x[1]
    x += 1
    return np.sum(x) * 0.5


def running(x):
    for i in range(1, len(x)):
        x[i] += x[i - 1] * x[i]
    return x[-1] * 0.5


def a_view(x):
    v = x[1:]
    v *= 2
    return np.sum(x * x * W)


def doubling(x):
    s, k = x[0], 0
    while s < 50:
        s = s * x[1 + k % 2] + x[3]
        k += 1
    return s * 0.5


def in_a_list(x):
    made = []
    for v in x:
        made.append(v * v)
    return sum(made) * 0.5


def by_functions(x):
    def power(v, n):
        return 1 if n == 0 else v * power(v, n - 1)

    return power(x[0], 3) * 0.5 + math.sin(x[1]) + np.sum(np.sqrt(x)) + np.sum(np.where(x > 2.5, x * x, -x))


def powers(x):
    return np.sum(x**2.5) + np.sum(2.0**x) + x[0] ** x[1]


def one_arm(x):
    y = np.ones(4)
    if x[0] > 2:
        y = x / 2
    return np.sum(y * W)


def pixels(x):
    return np.sum((x / 255.0 - 0.5) ** 2 * V) + np.sum(x.astype(float) ** 2 * V)


def softmax(x):
    e = np.exp(x - np.max(x, axis=1, keepdims=True))
    return np.sum(V * e / np.sum(e, axis=1, keepdims=True))


def matrices(x):
    return np.sum(np.linalg.inv(x @ x.T) * 0.5) + np.linalg.norm(x) + np.einsum("ij,kj->", x, x)


def through_functions(x):
    waves = np.sin(x) + np.cos(x) * 0.1 + np.sinc(x) + np.cosh(x) * 0.1 - np.sinh(x) * 0.05
    angles = np.arctan2(x, W) + np.logaddexp(x, W)
    return waves @ x + np.sum(angles) + math.lgamma(x[0]) * 0.5 + np.sum(np.exp(W) ** x)


def at_the_edges(x):
    bounded = np.clip(x, W, 3.5) + np.fmax(x, 2.5 * W) + np.nan_to_num(x)
    return np.sum(bounded * W) + np.sum(np.minimum(x, 2.5)) + np.sum(np.maximum(x, W)) + np.sum(x % 2.3)


def in_order(x):
    return np.median(x) + np.sum(np.sort(x) * W) + np.std(x) * np.max(x)


def thinned(x):
    return np.sum(x[::STEP] * W[:2]) + np.sum(x[x > 2.5] * W[2:]) + np.sum(x.reshape(4, 1) * W)


def collected(x):
    y = np.ones(6)
    y[:4] = x
    y[4] += x[1]
    y /= x[2]
    return np.sum(y * y) / x[0] + np.sum(W / x) + x[0] ** 2 * W[0] + x[1:] @ x[:-1]


def shares(x):
    spread = np.std(x) + np.prod(x, axis=1) @ x[:, 0]
    return spread + np.sum(x / x.sum(axis=1, keepdims=True) * V) + np.sum(x.sum(axis=0) * x[0]) + np.sum(x.mean(axis=1))


STEP = 2
PROGRAMS = [(f, X) for f in (polynomial, products, neighbours, written, running, a_view, doubling, in_a_list,
                             by_functions, powers, one_arm, through_functions, at_the_edges, in_order, thinned,
                             collected)] + [(f, M) for f in (pixels, softmax, matrices, shares)]


def differences(f: Any, x: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """Central differences of `f` at the floats that the ints are."""
    made = np.zeros(x.shape)
    for i in np.ndindex(x.shape):
        step = np.zeros(x.shape)
        step[i] = 1e-6
        made[i] = (f(x + step) - f(x - step)) / 2e-6
    return made


@pytest.mark.parametrize("f, x", PROGRAMS, ids=lambda v: getattr(v, "__name__", ""))
def test_arrays_of_ints(f: Any, x: np.ndarray[Any, Any]) -> None:
    given, value, slope = x.copy(), f(x.copy()), differences(f, x)
    result, made = sct.value_and_grad(f)(given)
    assert np.array_equal(given, x) and type(result) is type(value) and result.tobytes() == value.tobytes()
    assert made.dtype == np.float64
    np.testing.assert_allclose(made, slope, rtol=1e-5, atol=1e-5)
    direction = np.linspace(0.5, 1.5, x.size).reshape(x.shape)
    _, tangent = sct.jvp(f, (x,), (direction,))
    np.testing.assert_allclose(tangent, np.sum(slope * direction), rtol=1e-5)
    (pulled,) = sct.vjp(f, x)[1](2.0)
    np.testing.assert_allclose(pulled, 2.0 * made, rtol=1e-12)
    np.testing.assert_allclose(sct.jacrev(f)(x), made, rtol=1e-12)
    step = 1e-6 * direction
    curved = (sct.grad(f)(x + step) - sct.grad(f)(x - step)) / 2e-6
    np.testing.assert_allclose(sct.hvp(f, (x,), (direction,)), curved, rtol=1e-4, atol=1e-4)
    along = np.tensordot(sct.hessian(f)(x), direction, x.ndim)
    np.testing.assert_allclose(along, curved, rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("dtype", ["i1", "i2", "i4", "u1", "u4"])
def test_of_every_width(dtype: str) -> None:
    x = X.astype(dtype)
    value, made = sct.value_and_grad(neighbours)(x)
    assert value == neighbours(x) and type(value) is type(neighbours(x)) and made.dtype == np.float64
    np.testing.assert_array_equal(made, np.roll(X, 1) + np.roll(X, -1))


def test_ints_wrap_in_the_value_and_not_in_the_derivative() -> None:
    x = np.array([200, 3], dtype=np.uint8)
    value, made = sct.value_and_grad(lambda x: np.sum((x * x) * 0.5))(x)
    assert value == np.sum((x * x) * 0.5) and made.tolist() == [200.0, 3.0]


def test_what_is_not_arithmetic_has_derivative_zero() -> None:
    table = np.arange(10.0)

    def f(x, scale):
        total = table[x[0]] + table[x // 2][0] + len(range(x[3])) + np.zeros(x[1] + 3).shape[0]
        return total * scale + np.sum(table[x]) * scale

    value, (dx, dscale) = sct.value_and_grad(f, argnums=(0, 1))(X, 2.0)
    assert value == f(X, 2.0) and not dx.any() and dscale == f(X, 1.0)


def test_python_ints_and_arrays_of_ints() -> None:
    def f(n):
        y = n * np.arange(3)
        s = 0.0
        for i in range(3):
            s += y[i] * 0.5
        return s

    assert sct.grad(f)(3) == 1.5
    k = sct.grad(lambda n: np.sum(np.full(3, 0) + n * np.arange(3) * n) * 1.0)(3)
    assert k == pytest.approx(18.0)
    assert sct.grad(lambda n: n * np.ones(3, dtype=np.float32)[0])(np.int64(3)) == 1.0


def test_ints_that_are_put_into_an_array_of_ints() -> None:
    def f(x):
        y = np.zeros(4, dtype=int)
        for i in range(4):
            y[i] = x[i] * x[i]
        return np.sum(y * W)

    for derivative in (sct.grad(f)(X), sct.jacfwd(f)(X), sct.jacrev(f)(X)):
        np.testing.assert_allclose(derivative, 2.0 * X * W)
    assert sct.grad(lambda n: f(np.full(4, 1) * n))(3) == pytest.approx(6.0 * np.sum(W))


def test_mixed_trees() -> None:
    made = sct.grad(lambda p: np.sum(p["w"] * p["n"]))({"w": np.ones(3), "n": np.arange(3)})
    assert made["w"].tolist() == [0.0, 1.0, 2.0] and made["n"] is None


def test_labels_beside_what_is_differentiated() -> None:
    scores = np.random.default_rng(0).uniform(0.1, 1.0, (4, 5))

    def f(scores, labels):
        return -np.sum(np.log(scores[np.arange(4), labels])) - np.take_along_axis(scores, labels[:, None], axis=1)[0, 0]

    _, pullback = sct.vjp(f, scores, X)
    dscores, dlabels = pullback(1.0)
    np.testing.assert_allclose(dscores, sct.grad(f)(scores, X))
    assert not dlabels.any()


def test_inner_derivatives_by_ints() -> None:
    made = sct.grad(lambda x: np.sum(sct.grad(lambda v: np.sum(v * v * v))(x) * 0.5))(X)
    assert made.tolist() == [9.0, 3.0, 12.0, 6.0]
    assert sct.grad(lambda x: sct.grad(lambda s: np.sum(s * x))(2.0))(X).tolist() == [1.0] * 4


def test_floats_and_ints_are_different_types() -> None:
    g = sct.grad(polynomial)
    for x in (X, X.astype(float), X.astype(np.int32), X):
        g(x)
    assert len(g.sources) == 3


def test_a_write_that_cuts_off_is_refused() -> None:
    def f(x):
        x[0] = x[1] * 0.5
        return np.sum(x) * 1.0

    with pytest.raises(sct.SctError, match="cuts its fraction off") as error:
        sct.grad(f)(X)
    assert error.value.code == "SCT414" and "x[0] = x[1] * 0.5" in str(error.value)


def test_a_constant_may_be_cut_off() -> None:
    def f(x):
        x[0] = 0.7
        return np.sum(x * x) * 1.0

    value, made = sct.value_and_grad(f)(X)
    assert value == f(X.copy()) and made.tolist() == [0.0, 2.0, 8.0, 4.0]


def test_flags_are_refused() -> None:
    with pytest.raises(sct.SctError, match="SCT407"):
        sct.grad(lambda m: np.sum(m * 2.0))(np.array([True, False]))


def test_emitted_text() -> None:
    g = sct.grad(lambda x: np.sum(x * x))
    g(X)
    assert "return 2.0 * x" in g.source or "dx = 2.0 * x" in g.source


@pytest.mark.parametrize("name", sorted(name for name, op in OPS.items() if op.nondiff is None and op.partials))
def test_partials_pass_on_that_ints_count_as_real(name: str) -> None:
    """Where a rule makes an int of ints, it is one that counts as real."""
    from sct.ir import Value
    from sct.ir.dims import sym
    from sct.ir.real_ints import counts_as_real, result_type
    from sct.ir.types import Tensor, TypeMismatch, array

    op = OPS[name]
    for args, attrs in op.samples() if op.samples else ():
        try:
            t = result_type(op, [Value(array("ri64", sym("n"))) for _ in args], attrs, next(iter(op.calls), None))
        except (TypeMismatch, TypeError):
            continue
        assert not isinstance(t, Tensor) or t.kind in "fc" and (not t.integral or counts_as_real(t))


@pytest.mark.parametrize("kind", (int, np.int64, np.int32, np.uint8))
@pytest.mark.parametrize("f", (
    lambda x, i: [x, 2.0, x * x][i] * x, lambda x, i: (x, 3.0, x * x)[i] * i, lambda x, i: {0: 1.0, 1: x}[i] * x,
    lambda x, i: x * [[1.0, x], [x, 2.0]][i][i]))
def test_an_int_that_is_differentiated_by_is_an_index(f: Any, kind: Any) -> None:
    value, pullback = sct.vjp(f, 1.5, kind(1))
    assert value == f(1.5, 1)
    assert pullback(1.0)[0] == pytest.approx(sct.grad(lambda x: f(x, 1))(1.5))


ROWS = np.arange(1.0, 7.0).reshape(3, 2)


def swapped(a: Any, p: int) -> Any:
    a = a * 1.0
    a[[p, 0]] = a[[0, p]]
    return (a * ROWS).sum()


def written_rows(a: Any, p: int) -> Any:
    a = a * a
    a[[p]] = 0.0
    a[[0, p], 1] += a[p, [1, p - 1]]
    return (a * a).sum()


def added_at(a: Any, p: int) -> Any:
    y = a[:, 0] * 1.0
    np.add.at(y, [p, p], a[0, 0])
    return (y * y).sum()


def appended_rows(a: Any, p: int) -> Any:
    rows = []
    for k in range(2):
        rows.append(p - k)
    return (a[rows] ** 2).sum() + (a[[p, 0]][:, [p - 1]] ** 2).sum()


@pytest.mark.parametrize("f", (
    swapped, written_rows, added_at, appended_rows, lambda a, p: a[[[p], [0]], [0, 1]].sum() * a[..., [p - 1]].sum(),
    lambda a, p: sum([a[0, 0]] * p) * sum((a[1, 1],) * p) * sum(p * [a[p, 0]]),
    lambda a, p: a[2, 1] * sum([[a[0, 0]] * p for _ in range(p)][0])))
def test_lists_of_ints_that_are_differentiated_by_are_indices_and_ints_repeat_lists(f: Any) -> None:
    for p in (1, 2):
        value, pullback = sct.vjp(f, ROWS, p)
        assert value == f(ROWS.copy(), p)
        np.testing.assert_allclose(pullback(1.0)[0], sct.grad(f)(ROWS, p))
        tangent = np.cos(ROWS)
        assert sct.jvp(f, (ROWS, p), (tangent, 1.0))[1] == pytest.approx(np.sum(pullback(1.0)[0] * tangent))


@pytest.mark.parametrize("f", (lambda a, i: (a[list(i)] ** 2).sum(), lambda a, i: (a[i.tolist()] ** 2).sum(),
                               lambda a, i: (a[[k for k in i]] ** 2).sum()))
def test_lists_of_an_array_of_ints_that_is_differentiated_by_are_indices(f: Any) -> None:
    for rows in ([1, 2], [0, 0, 2]):
        value, pullback = sct.vjp(f, ROWS, np.array(rows))
        assert value == f(ROWS, np.array(rows))
        np.testing.assert_allclose(pullback(1.0)[0], sct.grad(f)(ROWS, np.array(rows)))


def test_an_int_that_is_differentiated_by_is_the_size_of_a_draw_and_no_parameter() -> None:
    for f in (lambda x, n: x * np.random.normal(size=n).sum(), lambda x, n: x * np.random.randn(n, 2).sum(),
              lambda x, n: x * np.random.exponential(2.0, n).sum()):
        np.random.seed(0)
        want = f(2.0, 3)
        np.random.seed(0)
        value, pullback = sct.vjp(f, 2.0, 3)
        assert value == want and pullback(1.0)[0] == pytest.approx(want / 2.0)
    with pytest.raises(sct.SctError, match="the parameters of `exponential` are numbers of the function"):
        sct.vjp(lambda x, n: x * np.random.exponential(n), 2.0, 3)
