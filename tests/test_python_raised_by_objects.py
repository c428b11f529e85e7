"""Exceptions of operations that objects do not define, where a later call takes the branch: the text of Python."""

import types
from functools import partial

import numpy as np
import pytest

import sct


class Plain:
    def __init__(self, x):
        self.x = x


def make_local():
    class Local:
        def __init__(self, x):
            self.x = x

        @property
        def fixed(self):
            return self.x
    return Local


Local = make_local()


def sets_fixed(x):
    o = Local(x)
    o.fixed = 2.0
    return o.x


RAISE = {
    "len": lambda x: len(Plain(x)),
    "len of a namespace": lambda x: len(types.SimpleNamespace(a=x)),
    "call": lambda x: Plain(x)(),
    "call of a namespace": lambda x: types.SimpleNamespace(a=x)(),
    "attribute": lambda x: Plain(x).y,
    "attribute of a namespace": lambda x: types.SimpleNamespace(a=x).b,
    "sum of a namespace": lambda x: types.SimpleNamespace(a=x) + x,
    "items of a namespace": lambda x: [*types.SimpleNamespace(a=x)],
    "partial": lambda x: partial(Plain(x))(x),
    "partial of a list": lambda x: partial([x])(x),
    "partial of an array": lambda x: partial(np.ones(2) * x)(x),
    "partial of a tuple": lambda x: partial((x,))(x),
    "divmod": lambda x: divmod(Plain, 2),
    "divmod by": lambda x: divmod(2, Plain),
    "divmod of an object": lambda x: divmod(Plain(x), 2),
    "property": sets_fixed,
}


@pytest.mark.parametrize("name", RAISE)
def test_at_a_later_call(name):
    g = RAISE[name]

    def f(x):
        return x * x if x < 2.0 else g(x)

    df = sct.value_and_grad(f)
    assert df(1.0) == (1.0, 2.0)
    with pytest.raises((TypeError, AttributeError)) as expected:
        f(3.0)
    with pytest.raises(type(expected.value)) as raised:
        df(3.0)
    assert str(raised.value) == str(expected.value)


@pytest.mark.parametrize("f", [lambda x: np.transpose(1.5) * x, lambda x: np.sum(np.transpose(x)),
                               lambda x: np.transpose(x) * x, lambda x: np.transpose(np.float64(x)) * x])
def test_transpose_of_a_number(f):
    value, slope = sct.value_and_grad(f)(2.0)
    assert value == f(2.0) and slope == pytest.approx((f(2.0 + 1e-6) - f(2.0 - 1e-6)) / 2e-6)
    assert sct.jvp(f, (2.0,), (1.0,)) == (value, slope)
