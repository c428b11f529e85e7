"""Objects of a user's classes: made inside, from outside, as arguments.

Every function with `@case` is checked: its value bit for bit, its derivatives against
central differences and against each other, twice.
"""

import abc
import copy
import dataclasses
import enum
import functools
import itertools
import math
import types
import typing
from functools import partial

import numpy as np
import pytest
from cases import Cases, check_program

import sct

A, B = np.array([0.5, 1.5, -0.7]), np.array([1.0, 2.0, 3.0])
case = Cases()


class Model:
    scale = 2.0

    def __init__(self, k, w):
        self.k = k
        self.w = w
        self.name = "m"
        self.layers = [1.0, 2.0]

    def f(self, x):
        return self.k * np.sum(self.w * x) * self.scale + self.half + self.st(x[0]) + self.cl(x[1]) + self.layers[1]

    @staticmethod
    def st(v):
        return v * v

    @classmethod
    def cl(cls, v):
        return v * cls.scale

    @property
    def half(self):
        return self.k / 2

    def __call__(self, x):
        return self.f(x) ** 2


class Sub(Model):
    def f(self, x):
        return super().f(x) + 1.0 * x[2]


M = Model(1.5, B)
S = Sub(1.5, B)
case(A)(M.f)
case(A)(S.f)
case(2.0)(Model.st)
case(2.0)(Model.cl)
case(A)(M)


@case(A)
def uses_model(x):
    return M.f(x) + S.f(x) + M(x) + M.half * x[0]


@case(A)
def make_model(x):
    m = Model(x[0], x)
    return m.f(x)


@case(A)
def make_sub(x):
    m = Sub(x[0], x)
    m.k = m.k * 2
    m.k += x[1]
    return m.f(x) + m.half


@dataclasses.dataclass
class P:
    k: float
    b: float = 1.0
    w: typing.Any = None
    name: str = "p"

    def area(self):
        return self.k * self.b


@case(2.0)
def dc_inside(x):
    p = P(x, b=x * 2)
    q = dataclasses.replace(p, k=3.0 * x)
    p.b = p.b + 1
    return p.area() + q.area()


class NT(typing.NamedTuple):
    a: float
    b: float = 2.0

    def prod(self):
        return self.a * self.b


@case(2.0)
def nt_inside(x):
    p = NT(x)
    q = NT(x, x * x)
    r = p._replace(a=x**2)
    a, b = q
    return p.prod() + q.prod() * a * b + r[0] + r.b


@case(P(1.5, 2.0, A))
def dc_arg(p):
    return p.k * np.sum(p.w**2) + p.area()


@case(NT(1.5, 2.5))
def nt_arg(p):
    return p.a * p.b + p.prod()


@case(P(1.5, 2.0, A), A)
def dc_arg2(p, x):
    return p.k * np.sum(p.w**2 * x) + p.area()


class Vec:
    def __init__(self, x, y):
        self.x = x
        self.y = y

    def __add__(self, o):
        return Vec(self.x + o.x, self.y + o.y)

    def __mul__(self, k):
        return Vec(self.x * k, self.y * k)

    def __rmul__(self, k):
        return self * k

    def __neg__(self):
        return Vec(-self.x, -self.y)

    def __matmul__(self, o):
        return self.x * o.x + self.y * o.y

    def __getitem__(self, i):
        return (self.x, self.y)[i]

    def __len__(self):
        return 2

    def __eq__(self, o):
        return isinstance(o, Vec) and self.x == o.x and self.y == o.y

    def __abs__(self):
        return math.sqrt(self @ self)

    def __lt__(self, o):
        return abs(self) < abs(o)

    def __bool__(self):
        return True


@case(2.0)
def vec_ops(x):
    v = Vec(x, 1.0)
    w = Vec(1.0, x) * 2.0 + 3.0 * v
    u = -w
    return v @ w + u[0] * len(u) + abs(u) + (1.0 if v < w else 0.0)


class Mode(enum.Enum):
    A = "a"
    B = "b"


MODE = Mode.A


@case(2.0)
def enums(x):
    if MODE is Mode.A:
        return x * 2
    if MODE == Mode.B:
        return x
    return x * 3


@case(2.0, Mode.B)
def enum_arg(x, m):
    return x * 2 if m is Mode.A else x**2


@case(2.0)
def match_cls(x):
    p = P(x, 3.0)
    match p:
        case NT(a=a):
            return a
        case P(k=k, b=b):
            return k * b * k


@case(2.0)
def attr(x):
    return M.k * x + (x if hasattr(M, "zz") else 2 * x)


class Base(abc.ABC):
    def __init__(self, k):
        self.k = k

    @abc.abstractmethod
    def energy(self, x): ...
    def __call__(self, x):
        return self.energy(x) * 2


class Spring(Base):
    def energy(self, x):
        return 0.5 * self.k * x**2


class Quartic(Spring):
    def __init__(self, k, c):
        super().__init__(k)
        self.c = c

    def energy(self, x):
        return super().energy(x) + self.c * x**4


class Retried(Spring):
    def energy(self, x):
        try:
            y = super().energy(x)
            if y > 1.0:
                raise ValueError
        except ValueError:
            y = super().energy(0.5 * x)  # the last read of `self`
        return y


@case(1.5, 2.0)
@case(0.5, 2.0)
def super_in_a_handler(x, k):
    return Retried(k).energy(x)


@case(1.5, 2.0)
def poly(x, k):
    total = 0.0
    for pot in [Spring(k), Quartic(k, x)]:
        total += pot(x)
    return total


POTS = [Spring(2.0), Quartic(1.0, 0.5)]


@case(1.5)
def poly_global(x):
    return sum(p(x) for p in POTS)


class Particle:
    def __init__(self, x, v):
        self.x = x
        self.v = v

    def step(self, dt, k):
        a = -k * self.x
        self.v += a * dt
        self.x += self.v * dt


@case(1.0, 0.5, 2.0)
def simulate(x, v, k):
    p = Particle(x, v)
    for _ in range(10):
        p.step(0.1, k)
    return p.x**2 + p.v**2


@case(np.array([1.0, 2.0]), 0.5, 6)
def simulate_arr(x, k, n):
    p = Particle(x * 1.0, np.zeros(2))
    for _ in range(n):
        p.step(0.1, k)
    return np.sum(p.x**2)


@case(Particle(1.0, 0.5), 2.0)
def simulate_arg(p, k):
    for _ in range(10):
        p.step(0.1, k)
    return p.x * p.v


@case(2.0)
def branch_obj(x):
    p = Particle(x, 1.0)
    if x > 1:
        p.x = p.x * 3
    else:
        p.v = x
    return p.x * p.v


@dataclasses.dataclass(frozen=True)
class Cfg:
    lr: float = 0.1
    n: int = 3
    layers: tuple = (1.0, 2.0)


CFG = Cfg()


@case(2.0)
def cfg_global(x):
    for i in range(CFG.n):
        x = x - CFG.lr * x * CFG.layers[0]
    return x


@case(2.0, Cfg(lr=0.3))
def cfg_arg(x, c):
    for i in range(c.n):
        x = x - c.lr * x
    return x


@dataclasses.dataclass
class Node:
    w: typing.Any
    b: float
    kids: list = dataclasses.field(default_factory=list)

    def __post_init__(self):
        self.w2 = self.w * 2


@case(2.0)
def dc_post(x):
    n = Node(x, x * x)
    n.kids.append(Node(x, 3.0))
    return n.w2 * n.b + n.kids[0].w2


@case({"a": Cfg(), "b": [Cfg(lr=2.0)]}, 3.0)
def nested_arg(d, x):
    return d["a"].lr * x + d["b"][0].lr * x * x


@case(2.0)
def asdict_(x):
    c = Cfg(lr=x)
    d = dataclasses.asdict(c)
    return (
        d["lr"] * x
        + dataclasses.astuple(c)[0]
        + sum(getattr(c, f.name) for f in dataclasses.fields(c) if f.name == "lr")
    )


@case(2.0)
def ns(x):
    s = types.SimpleNamespace(a=x, b=2.0)
    s.c = s.a * s.b
    return s.c + s.a


@case(types.SimpleNamespace(a=1.0, b=A))
def ns_arg(s):
    return s.a * np.sum(s.b**2)


class Net:
    def __init__(self, sizes, rng):
        self.W = [rng.normal(size=(m, n)) for m, n in itertools.pairwise(sizes)]
        self.act = np.tanh

    def __call__(self, x):
        for W in self.W:
            x = self.act(x @ W)
        return np.sum(x**2)


NET = Net([3, 4, 2], np.random.default_rng(0))
case(A)(NET)


@case(NET, A)
def net_arg(net, x):
    return net(x)


class Registry:
    funcs: typing.ClassVar = {"sq": lambda v: v * v, "id": lambda v: v}

    @classmethod
    def get(cls, name):
        return cls.funcs[name]


@case(2.0, "sq")
def registry(x, name):
    return Registry.get(name)(x)


@case(2.0)
def method_dict(x):
    s = Spring(3.0)
    table = {"e": s.energy, "c": s, "p": partial(s.energy)}
    return table["e"](x) + table["c"](x) + table["p"](x)


class WithProp:
    def __init__(self, v):
        self._v = v

    @property
    def v(self):
        return self._v * 2

    @v.setter
    def v(self, new):
        self._v = new / 2

    @functools.cached_property
    def c(self):
        return self._v**2


@case(2.0)
def props(x):
    w = WithProp(x)
    w.v = w.v + x
    w.v *= 2
    return w.v * w.c


WP = WithProp(3.0)


@case(2.0)
def props_global(x):
    return WP.v * x + WP.c * x * x


class Slotted:
    __slots__ = ("a", "b")

    def __init__(self, a, b):
        self.a = a
        self.b = b


@case(Slotted(1.0, 2.0))
def slotted(s):
    return s.a * s.b**2


@case(2.0)
def slotted_in(x):
    s = Slotted(x, 3.0)
    s.a += 1
    return s.a * s.b


class Poly:
    def __init__(self, c):
        self.c = list(c)

    def __call__(self, x):
        r = 0.0
        for c in reversed(self.c):
            r = r * x + c
        return r

    def __iter__(self):
        return iter(self.c)

    def __len__(self):
        return len(self.c)

    def __contains__(self, v):
        return v in self.c

    def __getitem__(self, i):
        return self.c[i]

    def __setitem__(self, i, v):
        self.c[i] = v

    def __iadd__(self, o):
        self.c = [a + b for a, b in zip(self.c, o.c)]
        return self

    def __eq__(self, o):
        return self.c == o.c

    def __pow__(self, n):
        return Poly([c**n for c in self.c])

    def __float__(self):
        return self.c[0] * 1.0


@case(2.0)
def poly_ops(x):
    p = Poly([x, 2.0, 3.0])
    q = Poly([1.0, x, x])
    p += q
    p[1] = p[1] * 2
    return p(x) + sum(p) + len(p) * p[0] + sum(v for v in q**2) + float(q) * x


class Ab(typing.NamedTuple):
    a: typing.Any
    b: typing.Any


@dataclasses.dataclass
class Tree:
    v: float
    left: typing.Any = None
    right: typing.Any = None


def total(t):
    return 0.0 if t is None else t.v**2 + total(t.left) * total(t.right) + t.v


@case(Tree(1.0, Tree(2.0, Tree(0.5)), Tree(3.0)))
def tree_arg(t):
    return total(t)


@dataclasses.dataclass
class Layer:
    W: typing.Any
    b: typing.Any

    def __call__(self, x):
        return np.tanh(x @ self.W + self.b)


RNG = np.random.default_rng(0)
LAYERS = [Layer(RNG.normal(size=(3, 3)), RNG.normal(size=3)) for _ in range(3)]


@case([Layer(RNG.normal(size=(3, 3)), RNG.normal(size=3)) for _ in range(2)], A)
def layers(ls, x):
    for l in ls:
        x = l(x)
    return np.sum(x**2)


@case([Layer(RNG.normal(size=(3, 3)), RNG.normal(size=3)) for _ in range(6)], A)
def many_layers(ls, x):
    for l in ls:
        x = l(x)
    return np.sum(x**2)


@case(A)
def layers_global(x):
    for l in LAYERS:
        x = l(x)
    return np.sum(x**2)


class State:
    def __init__(self, u):
        self.u = u
        self.t = 0.0
        self.hist = []

    def step(self, k):
        v = self.u
        for i in range(1, len(v)):
            v[i] -= k * v[i - 1]
        self.t += k


@case(A, 0.3)
def inplace_state(x, k):
    s = State(x.copy())
    w = s.u
    s.step(k)
    s.step(k * 2)
    return np.sum(w) * s.t


@case(A, 0.3, 4)
def inplace_loop(x, k, n):
    s = State(x.copy())
    for _ in range(n):
        s.step(k)
    return np.sum(s.u) * s.t


@case(State(A.copy()), 0.3)
def inplace_arg(s, k):
    s.step(k)
    s.step(k)
    return np.sum(s.u**2) * s.t


@case(2.0)
def alias_obj(x):
    a = types.SimpleNamespace(v=x, o=None)
    b = a
    c = copy.copy(a)
    b.v = b.v * 3
    a.o = b
    return a.v * c.v + a.o.v


@case(2.0, 5)
def while_obj(x, n):
    s = types.SimpleNamespace(v=x, i=0)
    while s.i < n:
        s.v = s.v + 0.1 * x * s.v
        s.i += 1
        if s.v > 100:
            break
    return s.v


@case(2.0)
def early(x):
    class_ = Ab

    def f(p):
        if p.a > 1.0:
            return Ab(p.b, p.a * 2)
        return p

    q = f(Ab(x, x * x))
    return q.a + q.b * q[0]


@case(A)
def loop_nt(x):
    p = Ab(0.0, 1.0)
    for v in x:
        p = Ab(p.a + v * p.b, p.b * 1.1)
    return p.a * p.b


@case(A)
def loop_replace(x):
    p = Ab(a=0.0, b=1.0)
    for v in x:
        p = p._replace(a=p.a + v * v)
    return p.a * p.b


@case(A)
def list_of_nt(x):
    ps = []
    for v in x:
        ps.append(Ab(v, v * v))
    s = 0.0
    for p in ps:
        s += p.a * p.b
    return s


@case(A)
def list_of_dc(x):
    ps = []
    for v in x:
        ps.append(Layer(v, v * v))
    s = 0.0
    for p in ps:
        s += p.W * p.b
    return s


@case(A)
def comp_dc(x):
    return sum(p.W * p.b for p in [Layer(v, v * 2) for v in x])


@case(Layer(A, 2.0), 3.0)
def inner_grad(p, y):
    g = sct.grad(lambda q: np.sum(q.W**3) * q.b**2 * y)(p)
    return np.sum(g.W) + g.b


@case(2.0)
def inner_grad_made(x):
    def f(p):
        return p.W**2 * p.b

    g = sct.grad(f)(Layer(x, x * x))
    v, g2 = sct.value_and_grad(f)(Two(x, 3.0))
    return g.W * g.b + v * g2.W


@dataclasses.dataclass
class Two:
    W: float
    b: float


@case(2.0)
def inner_jvp(x):
    v, t = sct.jvp(lambda p: Ab(p.W * p.b, p.W), (Two(x, 2.0),), (Two(1.0, x),))
    return v.a * t.a + t.b


@case(2.0)
def inner_vjp(x):
    v, back = sct.vjp(lambda p: Ab(p.W * p.b, p.W), Two(x, 2.0))
    (d,) = back(Ab(x, 1.0))
    return v.a * d.W + d.b


def long_helper(p, x):
    y = p.W * x
    y = np.sin(y) + p.b
    y = y * y
    y = np.exp(-y)
    y = y + p.W
    y = np.tanh(y)
    y = y * p.b
    y = np.cos(y)
    y = y + x
    y = y * 2
    y = y - p.b
    y = np.sin(y) * y
    y = y + 1
    y = np.sqrt(y * y + 1)
    return y + np.log(y + 2) * np.sin(y) + y**3


@case(Two(0.5, 1.5), 0.3)
def repeated_obj(p, x):
    return long_helper(p, x) + long_helper(p, x * 2) * long_helper(Two(x, 2.0), 1.0)


class Integrator:
    def __init__(self, k):
        self.k = k

    def f(self, x):
        y = self.k * x
        y = np.sin(y) + 1
        y = y * y
        y = np.exp(-y)
        y = y + x
        y = np.tanh(y)
        y = y * 3
        y = np.cos(y)
        y = y + x
        y = y * 2
        y = y - x
        y = np.sin(y) * y
        y = y + 1
        y = np.sqrt(y * y + 1)
        return y

    def run(self, x):
        return self.f(x) + self.f(self.f(x))


I = Integrator(0.7)
case(0.3)(I.run)


@case(0.3)
def repeated_method(x):
    return Integrator(x).run(x)


@case(Ab(1.0, {"w": A, "n": [2.0, 3.0]}))
def deep_arg(p):
    return p.a * np.sum(p.b["w"]) * p.b["n"][1]


@case(A)
def tuple_eq(x):
    p = Ab(1, 2)
    q = (1, 2)
    return (
        np.sum(x)
        * (2.0 if p == q else 1.0)
        * (3.0 if Layer(1, 2) == Layer(1, 2) else 1.0)
        * (5.0 if [1, 2] != [1, 3] else 1.0)
    )


@case(2.0)
def obj_dict(x):
    d = {Ab(1, 2): x, "k": 3.0} if False else {(1, 2): x, "k": 3.0}
    return d[(1, 2)] * d["k"]


@case(2.0)
def prop_none(x):
    t = Tree(x)
    if t.left is None:
        t.left = Tree(x * 2)
    return t.left.v * t.v


@case(2.0)
def default_obj(x, p=Two(3.0, 4.0)):
    return x * p.W + p.b


@case(2.0)
def default_named_tuple(x, p=NT(3.0)):
    return x * p.a + p.prod()


@case(2.0)
def default_that_holds_a_named_tuple(x, ps=(NT(3.0), 0.5), *, q=NT(1.0, 0.25)):
    return x * ps[0].b + ps[1] * q.prod()


class Meta:
    registry: typing.ClassVar = {}

    def __init_subclass__(cls, **kw):
        Meta.registry[cls.__name__] = cls


class Child(Meta):
    def go(self, x):
        return x * 3


@case(2.0)
def subclass_registry(x):
    return Meta.registry["Child"]().go(x)


class Generic_(typing.Generic[typing.TypeVar("T")]):
    def __init__(self, v):
        self.v = v

    def get(self):
        return self.v


@case(2.0)
def generic(x):
    return Generic_[float](x).get() * 2 + Generic_(x).get()


@case(2.0)
def nested_fn_obj(x):
    p = Two(x, 1.0)

    def bump(k):
        p.b = p.b * k + x

    bump(2.0)
    bump(x)
    return p.b


@case(2.0)
def obj_ternary(x):
    p = Two(x, 1.0) if x > 1 else Two(1.0, x)
    return p.W * 3 + p.b


@case(2.0)
def obj_in_loop_new(x):
    best = Two(0.0, 0.0)
    for i in range(4):
        c = Two(x * i, x + i)
        if c.W > best.W:
            best = c
    return best.W * best.b


@pytest.mark.parametrize("f, args", case.params)
def test_derivatives(f, args):
    check_program(f, args)


# -- gradients mirror the argument ----------------------------------------------------------------------


@dataclasses.dataclass
class Params:
    w: typing.Any
    b: float
    name: str = "p"
    n: int = 3


@dataclasses.dataclass
class Checked:
    k: float

    def __post_init__(self):
        if self.k <= 0.0:
            raise ValueError("k must be positive")


class Pair(typing.NamedTuple):
    u: float
    v: typing.Any


class Plain:
    def __init__(self, k):
        self.k = k
        self.label = "plain"


def energy(p, x):
    return p.b * np.sum(p.w * x) + p.n * p.b**2


def test_gradient_of_a_dataclass_is_one():
    p = Params(A.copy(), 2.0)
    value, dp = sct.value_and_grad(energy)(p, B)
    assert value == energy(p, B)
    assert type(dp) is Params
    np.testing.assert_array_equal(dp.w, 2.0 * B)
    assert dp.b == np.sum(A * B) + 12.0
    assert dp.name is None
    assert dp.n is None


def test_gradient_of_a_named_tuple_is_one():
    dp = sct.grad(lambda p: p.u * np.sum(p.v) + p[0])(Pair(2.0, A))
    assert type(dp) is Pair
    assert dp.u == np.sum(A) + 1.0
    np.testing.assert_array_equal(dp.v, np.full(3, 2.0))


@pytest.mark.parametrize("p", [Checked(2.0), Plain(2.0), types.SimpleNamespace(k=2.0)], ids=lambda p: type(p).__name__)
def test_gradient_of_other_objects_is_a_namespace(p):
    dp = sct.grad(lambda p: -(p.k**3))(p)
    assert type(dp) is types.SimpleNamespace
    assert dp.k == -12.0


def test_jvp_and_vjp_of_objects():
    def f(p):
        return Pair(p.b * p.b, p.w * p.b)

    p = Params(A, 2.0)
    value, dot = sct.jvp(f, (p,), (Params(B, 1.0, None, None),))
    assert type(value) is Pair
    assert type(dot) is Pair
    assert (value.u, dot.u) == (4.0, 4.0)
    np.testing.assert_allclose(dot.v, B * 2.0 + A)
    value, pullback = sct.vjp(f, p)
    (dp,) = pullback(Pair(1.0, B))
    assert type(dp) is Params
    np.testing.assert_allclose(dp.w, 2.0 * B)
    np.testing.assert_allclose(dp.b, 4.0 + np.sum(A * B))


def test_a_tangent_of_another_form_is_refused():
    with pytest.raises(sct.SctError, match="attributes"):
        sct.jvp(lambda p: p.b, (Params(A, 2.0),), (types.SimpleNamespace(b=1.0),))


def test_the_argument_is_not_changed():
    def f(s):
        s.k = s.k * 2.0
        s.w[0] = s.k
        return np.sum(s.w) * s.k

    s = types.SimpleNamespace(k=1.5, w=A.copy())
    ds = sct.grad(f)(s)
    assert s.k == 1.5
    np.testing.assert_array_equal(s.w, A)
    np.testing.assert_allclose(ds.k, 2.0 * (3.0 + A[1] + A[2]) + 6.0)
    np.testing.assert_array_equal(ds.w, [0.0, 3.0, 3.0])


def test_one_object_twice_is_one_object():
    def f(s, t, x):
        s.k = s.k * 2.0
        return s.k * t.k * x

    s = types.SimpleNamespace(k=3.0)
    assert sct.value_and_grad(f, 2)(s, s, 1.0) == (36.0, 36.0)
    assert sct.value_and_grad(f)(s, types.SimpleNamespace(k=3.0), 1.0)[0] == 18.0
    with pytest.raises(sct.SctError, match="passed in two places"):
        sct.grad(f)(s, s, 1.0)


def test_an_object_that_holds_itself():
    s = types.SimpleNamespace(k=3.0)
    s.me = s
    assert sct.grad(lambda x, s: x * s.k)(2.0, s) == 3.0


def test_objects_that_cannot_be_made_again_are_refused_as_results():
    with pytest.raises(sct.SctError, match=r"SCT409.*Plain"):
        sct.vjp(lambda x: Plain(x), 2.0)


# -- what is outside is read at every call --------------------------------------------------------------


class Gauge:
    scale = 2.0

    def __init__(self, k):
        self.k = k

    @property
    def half(self):
        return self.k / 2.0

    def loss(self, x):
        return self.k * x * self.scale + self.half * x

    def gain(self, x):
        return self.factor(x) * x

    @staticmethod
    def factor(x):
        return 2.0


def test_attributes_are_read_at_every_call(monkeypatch):
    m = Gauge(3.0)
    dl = sct.grad(m.loss)
    assert dl(1.0) == 7.5
    m.k = 4.0
    assert dl(1.0) == 10.0
    monkeypatch.setattr(Gauge, "scale", 10.0)
    assert dl(1.0) == 42.0
    m.scale = 1.0
    assert dl(1.0) == 6.0
    m.k = A
    with pytest.raises(sct.SctError):
        dl(1.0)
    m.k = 4
    assert dl(1.0) == 6.0


def test_methods_that_are_replaced(monkeypatch):
    m = Gauge(3.0)
    dg = sct.grad(m.gain)
    assert dg(5.0) == 2.0
    monkeypatch.setattr(Gauge, "factor", staticmethod(lambda x: x))
    assert dg(5.0) == 10.0
    monkeypatch.setattr(Gauge, "factor", lambda self, x: x * x)
    assert dg(5.0) == 75.0
    m.factor = lambda x: 1.0
    assert dg(5.0) == 1.0


def test_a_method_of_the_class():
    assert sct.grad(Gauge.loss, argnums=1)(Gauge(3.0), 1.0) == 7.5
    assert sct.grad(Gauge.loss)(Gauge(3.0), 1.0).k == 2.5


def test_a_decorated_method():
    class Quadratic:
        def __init__(self, k):
            self.k = k

        @sct.grad
        def slope(self, x):
            return self.k * x * x

        def twice(self, x):
            return 2.0 * self.slope(x)

    q = Quadratic(3.0)
    assert q.slope(2.0) == 12.0
    assert sct.grad(q.twice)(2.0) == 12.0


# -- what is emitted -------------------------------------------------------------------------------------


def test_what_is_emitted_reads_naturally():
    dp = sct.grad(energy)
    dp(Params(A, 2.0), B)
    assert "p.w" in dp.source
    assert "return Params(w=" in dp.source
    assert f"from {__name__} import Params" in dp.source


def test_a_class_of_a_function_is_bound():
    @dataclasses.dataclass
    class Local:
        k: float

    def f(p):
        return p.k**2

    dp = sct.grad(f)
    assert dp(Local(3.0)) == Local(6.0)
    assert "import" not in dp.source


def test_super_in_a_method_without_parameters_raises_as_in_python() -> None:
    class Careless(Spring):
        def energy(*args):
            return super().energy(args[1])

    with pytest.raises(RuntimeError, match=r"super\(\): no arguments"):
        sct.grad(lambda x: Careless(1.0).energy(x))(2.0)
