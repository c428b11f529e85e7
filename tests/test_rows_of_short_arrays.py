"""Arrays of few rows whose cotangents are broadcast: each row's is of the row's shape, in every mode."""

import numpy as np
import pytest
from oracle import agrees_in_every_mode, refuses

from sct import grad, hvp, jvp, value_and_grad, vjp
from sct.ir.core import Fn
from sct.ir.dims import Dim
from sct.ir.types import Tensor
from sct.passes import pipeline

LOCAL = {
    "zeros": lambda x, n: filled(np.zeros((n, 3)), x), "full": lambda x, n: np.full((n, 3), x[0]) * x[1],
    "outer": lambda x, n: np.outer(np.arange(1.0, n + 1.0), np.array([x[0], x[1], x[0] * x[1]])),
    "stack": lambda x, n: np.stack([np.full(3, x[0] + k * x[1]) for k in range(n)]),
    "tile": lambda x, n: np.tile(np.array([x[0], x[1], 1.0]), (n, 1)),
    "added": lambda x, n: np.ones((n, 3)) * x[0] + x[1],
    "cube": lambda x, n: np.ones((n, 2, 3)) * x[0] + x[1],
}
READ = {
    "product": lambda a: product(a), "first": lambda a: a[0].sum() * 2.0, "last": lambda a: a[-1].mean() ** 2,
    "listed": lambda a: sum(row.sum() ** 2 for row in a), "element": lambda a: a[0].sum() * a[-1].ravel()[-1],
    "constant": lambda a: 3.0 * a[0].sum(),
}


def filled(a, x):
    for k in range(len(a)):
        a[k] = x[k % 2] * (k + 1)
    return a


def product(a):
    t = 1.0
    for k in range(len(a)):
        t *= a[k].sum()
    return t


@pytest.mark.parametrize("read", READ)
@pytest.mark.parametrize("local", LOCAL)
def test_local_arrays(local, read) -> None:
    make, of = LOCAL[local], READ[read]
    for n in (1, 2, 4, 5):
        agrees_in_every_mode(lambda x: of(make(x, n)), [([0.7, 1.3],), ([1.1, 0.4],)])


@pytest.mark.parametrize("shape", ((1, 3), (2, 3), (1, 1), (1, 2, 2), (3, 1)))
@pytest.mark.parametrize("read", READ)
def test_arguments(read, shape) -> None:
    of, x = READ[read], 0.5 + 0.1 * np.arange(np.prod(shape)).reshape(shape)
    f, v = (lambda x, k: k * of(x)), np.cos(np.arange(float(x.size))).reshape(shape)
    (value, (gradient, by_k)), h = value_and_grad(f, (0, 1))(x, 2.0), 1e-6
    assert value == f(x, 2.0) and gradient.shape == shape and by_k == pytest.approx(of(x), rel=1e-12)
    slope = (f(x + h * v, 2.0) - f(x - h * v, 2.0)) / (2.0 * h)
    assert np.sum(gradient * v) == pytest.approx(slope, rel=1e-6)
    assert jvp(f, (x, 2.0), (v, 0.0))[1] == pytest.approx(slope, rel=1e-6)
    np.testing.assert_array_equal(vjp(f, x, 2.0)[1](1.0)[0], gradient)
    np.testing.assert_allclose(
        hvp(f, (x, 2.0), (v, 0.0)), (grad(f)(x + h * v, 2.0) - grad(f)(x - h * v, 2.0)) / (2.0 * h),
        rtol=1e-5, atol=1e-8)


def test_a_result_of_another_type_is_refused_without_checks_after_every_pass(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SCT_VERIFY", "0")

    def damaged(fn: Fn) -> Fn:
        fn.eqns[-1].out.type = Tensor("array", "f64", (Dim(1),))
        return fn

    passes = pipeline.passes
    monkeypatch.setattr(pipeline, "passes", lambda fn, keep=None: {**passes(fn, keep), "initial zeros": damaged})
    refuses(lambda x: np.sum(np.sin(x) @ x), np.ones(3), code="SCT602")
