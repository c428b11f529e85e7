"""Lists, dicts and objects that contain themselves, and classes with a metaclass: refused for what they are."""

import pytest

import sct


class Tree:
    def __init__(self, v, parent=None):
        self.v, self.parent, self.kids = v, parent, []


def family():
    o = Tree(2.0)
    o.kids.append(Tree(3.0, o))
    return o


def cyclic(kind):
    x = {"v": 2.0} if kind == "dict" else [2.0]
    inner = (x,) if kind == "tuple" else {"x": x} if kind == "dict in list" else x
    if isinstance(x, dict):
        x["me"] = inner
    else:
        x.append(inner)
    return x


def first(x):
    return next(iter(x.values())) if isinstance(x, dict) else x[0]


@pytest.mark.parametrize("kind", ["dict", "list", "tuple", "dict in list"])
@pytest.mark.parametrize("run", [
    lambda x: sct.grad(first)(x), lambda x: sct.value_and_grad(lambda k, y: k * first(y))(2.0, x),
    lambda x: sct.vjp(first, x), lambda x: sct.jvp(first, (x,), (x,)), lambda x: sct.check_grads(first, (x,)),
    lambda x: sct.grad(lambda k: k * first(x))(2.0),
    lambda x: sct.grad(lambda k, y: k * first(y))(2.0, y=x)])
def test_arguments(kind, run):
    with pytest.raises(sct.SctError, match="contains itself"):
        run(cyclic(kind))


def test_nested_deeply():
    x = 1.0
    for _ in range(100_000):
        x = [x]
    with pytest.raises(sct.SctError, match="nested too deeply"):
        sct.grad(lambda x: 1.0)(x)
    while isinstance(x, list):
        x = x.pop()


def returns_object(x):
    a = Tree(x)
    a.parent = a
    return x * x, a


def returns_list(x):
    a = [x]
    a.append((a,))
    return x * x, a


@pytest.mark.parametrize("f", [returns_object, returns_list])
def test_results(f):
    with pytest.raises(sct.SctError, match="as a result contains itself"):
        sct.grad(f, has_aux=True)(2.0)


def test_references_back():
    o = family()
    assert sct.grad(lambda o: o.kids[0].v * o.v)(o).v == 3.0
    with pytest.raises(sct.SctError, match="`v` of an object that holds the one it is read from"):
        sct.grad(lambda o: o.kids[0].parent.v)(o)


class Calling(type):
    def __call__(cls, *args):
        return super().__call__(*args)


class Silent(type):
    pass


def made_by(metaclass):
    class Made(metaclass=metaclass):
        def __init__(self, v):
            self.v = v
    return Made


@pytest.mark.parametrize("metaclass", [Calling, Silent])
def test_metaclass(metaclass):
    Made = made_by(metaclass)
    with pytest.raises(sct.SctError, match="metaclass"):
        sct.grad(lambda x: Made(x).v)(2.0)


def makes_kids_in_a_loop(x, n):
    root = Tree(x)
    for k in range(n):
        root.kids.append(Tree(x * k, root))
    return sum(kid.v for kid in root.kids)


def climbs(x, n):
    root = Tree(x)
    root.kids.append(Tree(2.0 * x, root))
    node, s = root.kids[0], 0.0
    while node.parent is not None:
        s += node.v
        node = node.parent
    return s + node.v * n


@pytest.mark.parametrize(("f", "slope"), [(makes_kids_in_a_loop, lambda n: n * (n - 1) / 2), (climbs, lambda n: n + 2)])
def test_parents_and_kids_in_loops(f, slope):
    derivative = sct.value_and_grad(f)
    for n in (3, 1, 0, 5):
        assert derivative(1.5, n) == (f(1.5, n), slope(n))


def test_a_tuple_that_gets_longer():
    def f(x, n):
        h = ()
        for k in range(n):
            h = h + (x * k,)
        return sum(h)

    for n in (3, 1, 0):
        assert sct.value_and_grad(f)(1.5, n) == (f(1.5, n), n * (n - 1) / 2)
