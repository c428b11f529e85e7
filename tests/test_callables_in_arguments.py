"""Callables in arguments that hold an object, list or dict which is an argument, too: refused, with a guard."""

import weakref
from collections import Counter, OrderedDict, deque, namedtuple
from functools import lru_cache, partial, wraps
from types import SimpleNamespace

import numpy as np
import pytest

import sct


class Decay:
    def __init__(self, k):
        self.k = k

    def euler(self, y):
        return y - 0.1 * self.k * y

    def scaled(self, s, y):
        return s * self.k * y


class Around:
    def __init__(self, of):
        self.of = of

    def go(self, y):
        return self.of.k * y

    def __call__(self, y):
        return self.of.k * y


Pair = namedtuple("Pair", "k cb")


def product(m, f, y):
    return m.k * f(y)


def wrapped(f):
    @wraps(f)
    def g(y):
        return f(y)
    return g


def replaced(m):
    """A closure whose variable changes."""
    def get(y):
        return m.k * y

    def put(other):
        nonlocal m
        m = other
    return get, put


CALLABLES = {
    "method": lambda m: m.euler,
    "partial": lambda m: partial(m.scaled, 2.0),
    "argument of a partial": lambda m: partial(Decay.euler, m),
    "keyword of a partial": lambda m: partial(lambda y, m: m.k * y, m=m),
    "method of a holder": lambda m: Around(m).go,
    "holder in a closure": lambda m: (lambda y, h=None: Around(m).go(y)),
    "closure": lambda m: lambda y: m.k * y,
    "closure of a closure": lambda m: (lambda g: lambda y: g(y))(lambda y: m.k * y),
    "default": lambda m: lambda y, m=m: m.k * y,
    "list in a closure": lambda m: (lambda ms: lambda y: ms[0].k * y)([m]),
    "dict in a closure": lambda m: (lambda ms: lambda y: ms["m"].k * y)({"m": m}),
    "wraps": lambda m: wrapped(m.euler),
    "cache": lambda m: lru_cache(m.euler),
    "vectorize": lambda m: np.vectorize(m.euler),
    "attribute of the function": lambda m: replaced(m)[0],
}


@pytest.mark.parametrize("name", CALLABLES)
def test_held_by_a_callable(name):
    m = Decay(2.0)
    f = CALLABLES[name](m)
    for argnums in (0, 2):
        with pytest.raises(sct.SctError, match="SCT305"):
            sct.grad(product, argnums=argnums)(m, f, 3.0)


@pytest.mark.parametrize("name", [n for n in CALLABLES if n not in ("vectorize", "cache")])
def test_guarded(name):
    """The object that a callable holds may be an argument in a later call."""
    m, other = Decay(2.0), Decay(5.0)
    f, g = CALLABLES[name](m), sct.grad(product)
    assert g(other, f, 3.0).k == f(3.0)
    with pytest.raises(sct.SctError, match="SCT305"):
        g(m, f, 3.0)
    assert g(other, f, 3.0).k == f(3.0)


def test_variable_of_a_closure_changes():
    m, other = Decay(2.0), Decay(5.0)
    get, put = replaced(other)
    g = sct.grad(product)
    assert g(m, get, 3.0).k == 15.0
    put(m)
    with pytest.raises(sct.SctError, match="SCT305"):
        g(m, get, 3.0)
    put(other)
    assert g(m, get, 3.0).k == 15.0


def of_attribute(m):
    return m.cb(3.0) * m.k


def of_list(m):
    return m.cb[0](3.0) * m.k


def of_dict(m):
    return m.cb["f"](3.0) * m.k


@pytest.mark.parametrize("put, f", [(lambda f: f, of_attribute), (lambda f: [f], of_list), (lambda f: (f,), of_list),
                                    (lambda f: {"f": f}, of_dict)])
@pytest.mark.parametrize("name", ["method", "partial", "closure"])
def test_attribute(put, f, name):
    m = Decay(2.0)
    m.cb = put(CALLABLES[name](m))
    with pytest.raises(sct.SctError, match="SCT305"):
        sct.grad(f)(m)
    with pytest.raises(sct.SctError, match="SCT305"):
        sct.check_grads(f, (m,))


def written(m, z):
    if z > 2:
        m.k = z
    return m.cb(3.0)


def test_written():
    m = Decay(2.0)
    m.cb = m.euler
    for z in (1.5, 2.5):
        with pytest.raises(sct.SctError, match="SCT305"):
            sct.value_and_grad(written, argnums=1)(m, z)


def with_method_of_the_owner(m):
    return m.cb.__self__.k * m.k


def test_owner_is_read():
    m = Decay(2.0)
    m.cb = m.euler
    with pytest.raises(sct.SctError, match="SCT305"):
        sct.grad(with_method_of_the_owner)(m)


@pytest.mark.parametrize("make", [
    lambda: {"m": 2.0}, lambda: SimpleNamespace(m=2.0), lambda: [2.0, 3.0], lambda: Pair(2.0, None)])
def test_other_containers(make):
    c = make()

    def read(x):
        return (x["m"] if isinstance(x, dict) else x[0] if isinstance(x, (list, tuple)) else x.m)

    def f(x, get):
        return read(x) * get()

    with pytest.raises(sct.SctError, match="SCT305"):
        sct.grad(f)(c, lambda: read(c))


def test_not_called():
    """What is not called is not looked into."""
    m = Decay(2.0)
    m.cb = m.euler
    g = sct.grad(lambda m: m.euler(3.0))
    assert g(m).k == pytest.approx(-0.3)
    assert g(m).k == pytest.approx(-0.3)


@pytest.mark.parametrize("f", [np.sin, abs, lambda y: y * y, Decay(3.0).euler, partial(Decay(3.0).scaled, 2.0), Decay])
def test_holds_no_argument(f):
    g = sct.grad(product)
    if f is Decay:
        f = Around(Decay(4.0))
    assert g(Decay(2.0), f, 3.0).k == f(3.0)
    assert g(Decay(7.0), f, 3.0).k == f(3.0)


def test_method_of_the_class():
    """The way out that the hint names."""
    def integrate(m, y):
        for _ in range(3):
            y = m.step(m, y)
        return y

    m = Decay(2.0)
    m.step = Decay.euler
    assert sct.grad(integrate)(m, 1.0).k == pytest.approx(-0.192)


@pytest.mark.parametrize("hold, read", [
    (lambda m: deque([m]), lambda h: h[0].k), (lambda m: Counter({"m": m}), lambda h: h["m"].k),
    (weakref.ref, lambda h: h().k), (lambda m: OrderedDict(m=m), lambda h: h["m"].k)])
def test_object_of_a_library(hold, read):
    """What sct does not see into holds an object of the arguments."""
    m, other = Decay(2.0), Decay(5.0)
    h = hold(m)
    g = sct.grad(lambda m, h: m.k * read(h))
    for _ in range(2):
        with pytest.raises(sct.SctError):
            g(m, h)
        try:
            assert g(other, h).k == 2.0
        except sct.SctError:
            pass
