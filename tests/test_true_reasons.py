"""Refusals that a user met with an untrue reason, and programs that were refused for one."""

import operator
from functools import lru_cache, partial

import numpy as np
import pytest
from oracle import agrees, refuses

import sct


def cached_of_ints(x, n):
    @lru_cache
    def g(k):
        return x * k
    return g(n) + g(2)


def named(x):
    def h(y):
        return y * x
    k = (lambda y: y)
    return h(x) * len(h.__name__) + len(k.__name__)


@pytest.mark.parametrize("f, args", [
    (cached_of_ints, (2.0, 3)), (cached_of_ints, (2.0, 2)), (named, (2.0,)),
    (lambda x: np.sum(np.sqrt(x)[None]), (2.0,)), (lambda x: np.sqrt(x)[..., None, None] * np.ones(3), (2.0,)),
    (lambda x: np.sqrt(x)[...] * 2.0, (2.0,)),
    (lambda x: np.where(x < 3.0, x * x, 0.0)[()], (2.0,)), (lambda x: np.float64(x)[None].shape[0] * x, (2.0,))])
def test_accepted(f, args):
    value, pullback = sct.vjp(f, *args)
    assert type(value) is type(f(*args)) and np.array_equal(value, f(*args))
    h = 1e-6
    slope = np.sum(f(args[0] + h, *args[1:]) - f(args[0] - h, *args[1:])) / (2 * h)
    ones = np.ones_like(value) if isinstance(value, np.ndarray) else 1.0
    assert pullback(ones)[0] == pytest.approx(slope)
    assert np.sum(sct.jvp(lambda x: f(x, *args[1:]), args[:1], (1.0,))[1]) == pytest.approx(slope)


def documented(x):
    def h(y):
        "doc"
        return y * x
    return h(x) * len(h.__doc__)


@pytest.mark.parametrize("f, args, text", [
    (documented, (2.0,), "the attribute `__doc__` of a function that is defined inside"),
    (partial(operator.mul, 3.0), (2.0,), "grad(lambda x: mul(3.0, x))"),
    (lru_cache(lambda x: x * x), (2.0,), "grad(lambda x: f(x))"),
])
def test_reason(f, args, text):
    with pytest.raises(sct.SctError) as refusal:
        sct.grad(f)(*args)
    assert text in str(refusal.value)


def called(v):
    return v(1.0)


@pytest.mark.parametrize("f", [
    lambda x: np.vsplit(x, 3)[0], lambda x: np.hsplit(x[0, ...], 1)[0], lambda x: np.dsplit(x, 1)[0],
    lambda x: np.split(x, 3, axis=1)[0], lambda x: x(1.0), lambda x: called([x]), lambda x: called({}),
    lambda x: called({k: x for k in range(int(x[0]))})])
def test_what_python_raises_is_raised(f):
    agrees(lambda x: np.sum(f(x)), np.arange(1.0, 4.0))
    agrees(lambda x: np.sum(f(x)) if x[0] > 9.0 else x[0] ** 2, np.arange(1.0, 4.0))


def clipped_into(x):
    y = np.zeros((2, 3))
    np.clip(x * 2.0, 3.0, 5.0, out=y)
    return np.sum(y * np.arange(6.0).reshape(2, 3))


def test_clip_broadcasts_into_an_out():
    agrees(clipped_into, np.arange(1.0, 4.0))
    assert sct.hessian(clipped_into)(np.arange(1.0, 4.0)).shape == (3, 3)


def into_matrix(x):
    y = np.zeros((2, 3))
    np.cumsum(x, out=y)
    return np.sum(y)


def added_into_one(x):
    y = np.zeros(1)
    y += x
    return np.sum(y)


@pytest.mark.parametrize("f, says, raises", [
    (lambda x: np.max(x, out=np.zeros((), int)) * x[0], "`out` of dtype int64 for a result of dtype float64", False),
    (lambda x: np.sum(x * 1j, out=np.zeros(())) * x[0], "of dtype float64 for a result of dtype complex128", False),
    (lambda x: np.add(x, 0.5, out=np.zeros(3, int)) * x, "cannot cast the result from float64 to int64", True),
    (into_matrix, "a 1-D array of float64 of shape (3,), does not fit into the `out`, a 2-D array of float64", False),
    (added_into_one, "of shape (3,), does not fit into a 1-D array of float64 of shape (1,)", True),
])
def test_a_reason_that_names_numpy_is_true(f, says, raises):
    x = np.arange(1.0, 4.0)
    refusal = refuses(f, x, code="SCT501")
    assert says in refusal.what and ("NumPy raises" in refusal.why) == raises
    if raises:
        with pytest.raises((ValueError, TypeError)):
            f(x)


def of_dtype(x, dtype):
    return np.sum(np.ones(3, dtype=dtype) * x)


def test_a_dtype_that_an_argument_names():
    derivative = sct.value_and_grad(of_dtype)
    for name in ("float64", "float32", "int64", "float64"):
        agrees(of_dtype, np.arange(1.0, 4.0), name, derivative=derivative)
    assert "#" not in refuses(of_dtype, 1.5, "no dtype", code="SCT205").what


def test_a_refusal_names_the_class_of_an_object_and_not_its_address():
    stats = pytest.importorskip("scipy.stats")
    refusal = refuses(lambda x: stats.wishart(3.0, x[0]).logpdf(x[1]), np.ones(2), code="SCT206")
    assert "an object of class `wishart_gen`" in refusal.what and "0x" not in refusal.what
