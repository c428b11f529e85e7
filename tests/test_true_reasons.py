"""Refusals that a user met with an untrue reason, and programs that were refused for one."""

import operator
from functools import lru_cache, partial

import numpy as np
import pytest

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
    (lambda x: np.sqrt(x)[...] * 2.0, (2.0,)), (lambda x: np.float64(x)[None].shape[0] * x, (2.0,))])
def test_accepted(f, args):
    value, pullback = sct.vjp(f, *args)
    assert type(value) is type(f(*args)) and np.array_equal(value, f(*args))
    h = 1e-6
    slope = np.sum(f(args[0] + h, *args[1:]) - f(args[0] - h, *args[1:])) / (2 * h)
    ones = np.ones_like(value) if isinstance(value, np.ndarray) else 1.0
    assert pullback(ones)[0] == pytest.approx(slope)


class Scaled:
    scale = 1.0

    def go(self, x, n):
        for _ in range(n):
            self.scale *= x
        return self.scale


def documented(x):
    def h(y):
        "doc"
        return y * x
    return h(x) * len(h.__doc__)


@pytest.mark.parametrize("f, args, text", [
    (lambda x, n: Scaled().go(x, n), (2.0, 3), "an object that gets new attributes"),
    (documented, (2.0,), "the attribute `__doc__` of a function that is defined inside"),
    (partial(operator.mul, 3.0), (2.0,), "grad(lambda x: mul(3.0, x))"),
    (lru_cache(lambda x: x * x), (2.0,), "grad(lambda x: f(x))"),
])
def test_reason(f, args, text):
    with pytest.raises(sct.SctError) as refusal:
        sct.grad(f)(*args)
    assert text in str(refusal.value)
