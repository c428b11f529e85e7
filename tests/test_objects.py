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

import sct

A, B = np.array([0.5, 1.5, -0.7]), np.array([1.0, 2.0, 3.0])
CASES = []


def case(*args):
    """The function is a program, to be called with these arguments."""

    def add(f):
        CASES.append(pytest.param(f, args, id=getattr(f, "__qualname__", type(f).__name__)))
        return f

    return add


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


@pytest.mark.parametrize("f, args", CASES)
def test_derivatives(f, args):
    given = copy.deepcopy(args)
    sct.check_grads(f, given, order=2)
    for x, before in zip(given, args):
        if isinstance(x, np.ndarray):
            np.testing.assert_array_equal(x, before)
