"""The constructors that `dataclass` and `namedtuple` generate: the defaults are those of the function."""

import dataclasses
from collections import namedtuple
from dataclasses import InitVar, dataclass, field
from typing import NamedTuple

import numpy as np
import pytest

import sct


def same(f, *args):
    """The value and the derivative of `f`, which is linear in its first argument."""
    value, slope = sct.value_and_grad(f)(*args)
    assert value == f(*args)
    assert slope == pytest.approx(f(args[0] + 1.0, *args[1:]) - f(*args))


def make_dataclass(**options):
    @dataclass(**options)
    class D:
        a: float
        c: float = 3.0
    return D


@pytest.mark.parametrize("options", [{}, {"frozen": True}, {"slots": True}])
def test_defaults_of_a_dataclass(options):
    D = make_dataclass(**options)

    def f(x):
        d = D(x)
        return d.a * d.c

    g = sct.value_and_grad(f)
    for default in (3.0, 7.0, np.float64(2.0), 5):
        D.__init__.__defaults__ = (default,)
        assert g(2.0) == (f(2.0), default)
    D.__dataclass_fields__["c"].default = 11.0
    assert g(2.0) == (f(2.0), 5)
    D.__init__.__defaults__ = (6.0, 7.0)
    assert sct.grad(lambda x: D().a * x)(2.0) == 6.0
    D.__init__.__defaults__ = None
    with pytest.raises(TypeError):
        g(2.0)


def test_defaults_of_keywords():
    @dataclass(kw_only=True)
    class D:
        a: float
        c: float = 3.0

    def f(x):
        return D(a=x).c * x

    g = sct.grad(f)
    assert g(1.0) == 3.0
    D.__init__.__kwdefaults__["c"] = 4.0
    assert g(1.0) == 4.0


def test_factories():
    @dataclass
    class D:
        a: float
        c: list = field(default_factory=lambda: [2.0])
        e: dict = field(default_factory=dict, init=False)

    def f(x):
        d = D(x)
        d.c.append(x)
        d.e["k"] = x
        return d.c[0] * d.a + d.c[1] + d.e["k"] + len(d.c)

    same(f, 3.0)
    D.__dataclass_fields__["c"].default_factory = lambda: [9.0]
    D.__dataclass_fields__["e"].default_factory = list
    same(f, 3.0)


def test_attribute_of_the_class():
    """A field that is no parameter is an attribute of the class until it is set."""
    @dataclass
    class D:
        a: float
        c: float = field(default=3.0, init=False)

    def f(x):
        d = D(x)
        return d.a * d.c + len(vars(d))

    g = sct.value_and_grad(f)
    assert g(2.0) == (f(2.0), 3.0)
    D.c = 5.0
    assert g(2.0) == (f(2.0), 5.0)


def test_slot_that_is_no_parameter():
    @dataclass(slots=True)
    class D:
        a: float
        c: float = field(default=3.0, init=False)

    same(lambda x: D(x).a * D(x).c, 2.0)


def test_init_variables():
    @dataclass
    class D:
        a: float
        s: InitVar[float] = 2.0
        b: float = field(init=False)

        def __post_init__(self, s):
            self.b = self.a * s

    def f(x):
        return D(x).b + D(x, x).b

    g = sct.grad(f)
    assert g(3.0) == 8.0
    D.__init__.__defaults__ = (4.0,)
    assert g(3.0) == 10.0


@pytest.mark.parametrize("make", [
    lambda: namedtuple("P", "a b c", defaults=[2.0, 3.0]),
    lambda: NamedTuple("P", [("a", float), ("b", float), ("c", float)])])
def test_named_tuples(make):
    P = make()
    P.__new__.__defaults__ = (2.0, 3.0)

    def f(x):
        p = P(x)
        return p.a * p.b + p.c * x

    g = sct.grad(f)
    assert g(1.0) == 5.0
    P.__new__.__defaults__ = (5.0, 3.0)
    assert g(1.0) == 8.0
    P._field_defaults["b"] = 9.0
    assert g(1.0) == 8.0
    P.__new__.__defaults__ = (None, None)
    assert sct.grad(lambda x: x if P(x).b is None else 2.0 * x)(1.0) == 1.0


@dataclass
class Base:
    a: float
    b: float = 2.0


class Child(Base):
    def __init__(self, x):
        super().__init__(x)
        self.c = x * self.b


class Named(Base):
    def __init__(self, x):
        Base.__init__(self, b=x, a=3.0)


@dataclass
class Grand(Base):
    d: list = field(default_factory=list)


class GrandChild(Grand):
    def __init__(self, x, *args):
        super().__init__(x, *args)
        self.d.append(x)


@dataclass(frozen=True)
class Frozen:
    a: float


class FrozenChild(Frozen):
    def __init__(self, x):
        super().__init__(2.0 * x)


class Equal(Base):
    def __eq__(self, other):
        return super().__eq__(other) is True


@pytest.mark.parametrize("f", [
    lambda x: Child(x).a * Child(x).b + Child(x).c,
    lambda x: Named(x).a * Named(x).b,
    lambda x: sum(GrandChild(x).d) + GrandChild(x, 5.0).b * x,
    lambda x: FrozenChild(x).a,
    lambda x: x if Base(x) == Base(x) else 2.0 * x,
    lambda x: 2.0 * x if dataclasses.replace(Base(x), b=x).b == x else x,
])
def test_constructor_of_a_parent(f):
    same(f, 1.5)


def test_equality_of_a_parent():
    same(lambda x: x if Equal(x) == Equal(x) else 2.0 * x, 1.5)
    same(lambda x: x if Equal(x) == Equal(x + 1.0) else 2.0 * x, 1.5)


def test_constructor_with_wrong_arguments():
    class Wrong(Base):
        def __init__(self, x):
            super().__init__(x, 1.0, 2.0)

    for f in (Wrong, sct.grad(lambda x: Wrong(x).a)):
        with pytest.raises(TypeError, match="takes from 2 to 3 positional arguments but 4 were given"):
            f(1.0)


def test_other_generated_methods():
    class Keyed(Frozen):
        def key(self):
            return super().__hash__()

    with pytest.raises(sct.SctError, match="`__hash__`, which `dataclass` has generated"):
        sct.grad(lambda x: x * Keyed(x).key())(1.0)
