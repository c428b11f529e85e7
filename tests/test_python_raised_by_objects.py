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


def enters(x, e):
    with e as v:
        return x * v


WITHOUT = {
    "__contains__": lambda x, e: x * (2 in e),
    "__iter__": lambda x, e: [i * x for i in e][0],
    "__reversed__": lambda x, e: list(reversed(e))[0] * x,
    "__hash__": lambda x, e: x * len({e: 1}),
    "__len__": lambda x, e: x * len(e),
    "__bool__": lambda x, e: x if e else 2.0 * x,
    "__add__": lambda x, e: e + x,
    "__radd__": lambda x, e: x * (1 + e),
    "__getitem__": lambda x, e: x * e[0],
    "__call__": lambda x, e: x * e(0),
    "__neg__": lambda x, e: -e * x,
    "__float__": lambda x, e: x * float(e),
    "__index__": lambda x, e: x * [1, 2][e],
    "__str__": lambda x, e: x * len(str(e)),
    "__enter__": enters,
    "__exit__": enters,
}


@pytest.mark.parametrize("outside", [False, True])
@pytest.mark.parametrize("name", WITHOUT)
def test_a_special_method_that_is_none(name, outside):
    class Odd:
        def __enter__(self):
            return 2.0

        def __exit__(self, *exception):
            return None

    setattr(Odd, name, None)
    odd, run = Odd(), WITHOUT[name]
    if (outside and run is enters) or (name == "__hash__" and not outside):
        return  # refused: `with` of an object from outside, and keys that are objects of the function

    def f(x):
        return run(x, odd if outside else Odd())

    def handled(x):
        try:
            y = f(x)
        except TypeError as error:
            y = x * len(str(error))
        return y

    with pytest.raises(TypeError) as expected:
        f(3.0)
    with pytest.raises(TypeError) as raised:
        sct.value_and_grad(f)(3.0)
    assert str(raised.value) == str(expected.value)
    if (name, outside) != ("__hash__", True):
        assert sct.value_and_grad(handled)(3.0)[0] == handled(3.0)


@pytest.mark.parametrize("below", [False, True])
def test_a_context_without_an_end(below):
    class Odd:
        def __enter__(self):
            return 2.0

    class Below(Odd):
        pass

    def f(x):
        with (Below if below else Odd)() as v:
            return x * v

    errors = TypeError, AttributeError  # Python 3.10 raises the second
    with pytest.raises(errors) as expected:
        f(3.0)
    with pytest.raises(errors) as raised:
        sct.value_and_grad(f)(3.0)
    assert type(raised.value) is type(expected.value)
    assert str(raised.value) == str(expected.value)
