"""The order of prints and exceptions in every construct; the plain call is the oracle.

Each program takes an array and a number: what is said as that number raises. So all that is evaluated before that, and
nothing that comes behind it, has been said.

PYTEST_DONT_REWRITE: the programs assert, too.
"""

import contextlib
import functools
import math
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
import pytest
from oracle import outcome, same_value

from sct import SctError, value_and_grad, vjp

X = np.array([0.7, 1.3, 0.4])
STEPS = []


def steps(f):
    """Registers a program."""
    STEPS.append(f)
    return f


def agree(plain, derived, f, n):
    assert (type(derived.error), str(derived.error)) == (type(plain.error), str(plain.error)), (f.__name__, n)
    assert derived.output == plain.output, (f.__name__, n)
    assert repr(getattr(derived.error, "__cause__", None)) == repr(getattr(plain.error, "__cause__", None))
    assert plain.error is not None or same_value(derived.value, plain.value), (f.__name__, n)


@pytest.mark.parametrize("f", STEPS, ids=lambda f: f.__name__)
def test_steps(f, monkeypatch):
    monkeypatch.setenv("SCT_VALIDATE", "0")
    derived = value_and_grad(f)
    for n in range(8):
        try:
            first = outcome(lambda x, n: derived(x, n)[0], (X, n))
            second = outcome(lambda x, n: vjp(lambda x: f(x, n), x)[0], (X, n))
        except SctError as error:
            assert f.__name__ in REFUSED, error
            continue
        plain = outcome(f, (X, n))
        agree(plain, first, f, n)
        agree(plain, second, f, n)


def t(k, v, n):
    """Says k, and raises if it is its turn."""
    print(k)
    if k == n:
        raise ValueError(f"at {k}")
    return v


class Box:
    def __init__(self, v, n=0):
        self.v = v
        self.n = n
    def __getitem__(self, k):
        print("get", k)
        return self.v
    def __setitem__(self, k, v):
        print("set", k)
        self.v = v
    def __add__(self, other):
        print("add")
        return Box(self.v + other.v)
    def __lt__(self, other):
        print("lt")
        return self.v < other.v
    def __bool__(self):
        print("bool")
        return True
    def __len__(self):
        print("len")
        return 2
    def __contains__(self, v):
        print("contains")
        return True
    def __call__(self, *a, **k):
        print("call", len(a), len(k))
        return self.v
    def __iter__(self):
        print("iter")
        return iter([self.v, self.v])
    @property
    def p(self):
        print("p")
        return self.v
    @p.setter
    def p(self, v):
        print("p=")
        self.v = v


def three(a, b=0.0, *args, c=0.0, **kw):
    print("three")
    s = a + b + c
    for v in args:
        s = s + v
    for k in kw:
        s = s + kw[k]
    return s


def gen(n):
    print("start")
    yield t(1, 0, n)
    print("middle")
    yield t(2, 1, n)
    print("end")


@dataclass
class D:
    a: float
    b: float = 2.0
    c: list = field(default_factory=list)
    def __post_init__(self):
        print("post")


class N(NamedTuple):
    a: float
    b: float = 2.0


def guarded(n) -> float:
    try:
        y = t(1, 2.0, n)
        print("body")
        if n == 7:
            return 5.0
    except ValueError as e:
        print("caught", e)
        y = t(2, 3.0, n)
    else:
        print("else")
        y = t(3, y, n)
    finally:
        print("finally")
    return y


@contextlib.contextmanager
def ctx(k, n):
    print("enter", k)
    try:
        yield t(k, k, n)
    finally:
        print("exit", k)


def managed(n) -> float:
    with ctx(1, n) as a, ctx(2, n) as b:
        print("in")
        return float(a + b) * t(3, 1.0, n)


def klass(n) -> float:
    class C:
        print("body")
        a = t(1, 1.0, n)
        def m(self, b=t(2, 1.0, n)):
            return b
    print("after")
    return C().m() + C.a


class Say:
    def __init__(self, v): self.v = v
    def __format__(self, spec):
        print("format", spec)
        return "x"
    def __str__(self):
        print("str")
        return "s"
    def __repr__(self):
        print("repr")
        return "r"
    def __eq__(self, o):
        print("eq")
        return True
    def __hash__(self):
        print("hash")
        return 1
    def __enter__(self):
        print("enter")
        return self.v
    def __exit__(self, *a):
        print("exit")
        return False
    def __mul__(self, o):
        print("mul")
        return self.v * o
    def __rmul__(self, o):
        print("rmul")
        return self.v * o
    def __iadd__(self, o):
        print("iadd")
        self.v = self.v + o
        return self
    def __neg__(self):
        print("neg"); return -self.v
    def __getattr__(self, k):
        print("getattr", k)
        if k == "bad": raise AttributeError("bad")
        return 2.0
    def __float__(self):
        print("float"); return 1.0
    def __index__(self):
        print("index"); return 1
    def __del__(self): pass


class Own(Exception):
    def __init__(self, a, b):
        print("made", a)
        super().__init__(a, b)


class Q:
    def __init__(self, v): self.v = v
    def __str__(self): return "S"
    def __repr__(self): return "R"


def opaque(n):
    return "text"[:n]


@steps
def args(x, n):
    return three(t(1, x[0], n), t(2, x[1], n), t(3, x[2], n))


@steps
def kwargs(x, n):
    return three(t(1, x[0], n), c=t(2, x[1], n), b=t(3, x[2], n))


@steps
def star_args(x, n):
    return three(*[t(1, x[0], n), t(2, x[1], n)], t(3, x[2], n), c=t(4, 2.0, n))


@steps
def star_kwargs(x, n):
    return three(t(1, x[0], n), **{"b": t(2, x[1], n), "d": t(3, x[2], n)}, c=t(4, 1.0, n))


@steps
def star_after_kw(x, n):
    return three(t(1, x[0], n), c=t(2, x[1], n), *(t(3, x[2], n), t(4, 1.0, n)))  # noqa: B026


@steps
def callee_first(x, n):
    return t(1, three, n)(t(2, x[0], n), t(3, x[1], n))


@steps
def too_many(x, n):
    return math.sin(t(1, x[0], n)) + (lambda a: a)(t(2, x[1], n))


@steps
def method_receiver(x, n):
    return t(1, x, n).dot(t(2, x, n))


@steps
def binop(x, n):
    return t(1, x[0], n) + t(2, x[1], n) * t(3, x[2], n) - t(4, 1.0, n)


@steps
def pow_(x, n):
    return t(1, x[0], n) ** t(2, x[1], n) ** t(3, x[2], n)


@steps
def matmul(x, n):
    return t(1, x, n) @ t(2, x, n)


@steps
def unary(x, n):
    return -t(1, x[0], n) + (not t(2, x[1], n)) + +t(3, x[2], n)


@steps
def subscripts(x, n):
    return t(1, x, n)[t(2, 0, n)] * t(3, x, n)[t(4, 1, n)]


@steps
def subscript_2d(x, n):
    y = np.outer(x, x)
    return t(1, y, n)[t(2, 0, n), t(3, 1, n)]


@steps
def slices(x, n):
    return np.sum(t(1, x, n)[t(2, 0, n):t(3, 3, n):t(4, 1, n)])


@steps
def list_subscript(x, n):
    d = [x[0], x[1]]
    return t(1, d, n)[t(2, 0, n)]


@steps
def dict_subscript(x, n):
    d = {"a": x[0], "b": x[1]}
    return t(1, d, n)[t(2, "a", n)]


@steps
def chained(x, n):
    return x[0] if t(1, x[0], n) < t(2, x[1], n) < t(3, x[2], n) < t(4, 9.0, n) else x[1]


@steps
def chained_true(x, n):
    return x[0] if t(1, 0.0, n) < t(2, x[1], n) <= t(3, 5.0, n) != t(4, 9.0, n) else x[1]


@steps
def chained_static(x, n):
    return x[0] if t(1, 0, n) < t(2, 1, n) < t(3, 1, n) < t(4, 5, n) else x[1]


@steps
def boolean(x, n):
    return x[0] if (t(1, x[0], n) > 0 and t(2, x[1], n) > 5) or t(3, x[2], n) > 0 else x[1]


@steps
def boolean_values(x, n):
    return (t(1, 0.0, n) or t(2, x[1], n)) * (t(3, x[0], n) and t(4, x[2], n))


@steps
def boolean_not(x, n):
    return x[0] if not (t(1, x[0], n) > 5 or not t(2, x[1], n) > 5) and t(3, True, n) else x[1]


@steps
def conditional(x, n):
    return t(2, x[0], n) if t(1, x[1], n) > 1.0 else t(3, x[2], n)


@steps
def conditional_nested(x, n):
    return t(2, x[0], n) if t(1, x[1], n) > 2.0 else t(4, x[2], n) if t(3, x[2], n) > 0.1 else t(5, 1.0, n)


@steps
def display_list(x, n):
    d = [t(1, x[0], n), t(2, x[1], n), t(3, x[2], n)]
    return d[1]


@steps
def display_tuple(x, n):
    a, b, c = t(1, x[0], n), t(2, x[1], n), t(3, x[2], n)
    return a * b + c


@steps
def display_dict(x, n):
    d = {t(1, "a", n): t(2, x[0], n), t(3, "b", n): t(4, x[1], n)}
    return d["a"] * d["b"]


@steps
def display_dict_star(x, n):
    d = {t(1, "a", n): t(2, x[0], n), **t(3, {"a": x[1]}, n), t(4, "b", n): t(5, x[1], n)}
    return d["a"] * d["b"]


@steps
def display_dict_twice(x, n):
    d = {t(1, "a", n): t(2, x[0], n), t(3, "a", n): t(4, x[1], n)}
    return d["a"] * len(d)


@steps
def display_set(x, n):
    d = {t(1, 1, n), t(2, 2, n), t(3, 1, n)}
    return x[0] * len(d)


@steps
def display_star(x, n):
    d = [t(1, x[0], n), *t(2, [x[1], x[2]], n), *(t(3, x[0], n),)]
    return d[1] * len(d)


@steps
def listcomp(x, n):
    d = [t(1, v, n) * t(2, w, n) for v in t(3, [x[0], x[1]], n) for w in t(4, [x[1], x[2]], n) if t(5, w, n) > 1.0]
    return sum(d)


@steps
def listcomp_if(x, n):
    d = [t(1, v, n) for v in t(2, [x[0], x[1], x[2]], n) if t(3, v, n) > 0.5 if t(4, v, n) < 1.0]
    return sum(d)


@steps
def listcomp_array(x, n):
    d = [t(1, v, n) for v in t(2, x, n) if t(3, v, n) > 0.5]
    return sum(d)


@steps
def listcomp_range(x, n):
    d = [t(1, x[i], n) * t(2, j, n) for i in range(t(3, 2, n)) for j in range(t(4, i + 1, n))]
    return sum(d)


@steps
def genexp_sum(x, n):
    return sum(t(1, v, n) for v in t(2, x, n) if t(3, v, n) > 0.5)


@steps
def genexp_any(x, n):
    return x[0] if any(t(i + 2, x[i], n) > 1.0 for i in t(1, [0, 1, 2], n)) else x[1]


@steps
def genexp_all(x, n):
    return x[0] if all(t(i + 2, x[i], n) > 1.0 for i in range(t(1, 3, n))) else x[1]


@steps
def genexp_max(x, n):
    return max(t(i + 2, x[i], n) for i in range(t(1, 3, n)))


@steps
def genexp_next(x, n):
    return next(t(i + 2, x[i], n) for i in range(t(1, 3, n)) if x[i] > 1.0)


@steps
def genexp_lazy(x, n):
    g = (t(2, v, n) for v in t(1, x, n))
    print("between")
    return sum(g)


@steps
def genexp_never(x, n):
    g = (t(2, v, n) for v in t(1, x, n))
    print("between")
    return x[0]


@steps
def genexp_zip(x, n):
    return sum(a * b for a, b in zip((t(1, v, n) for v in x), (t(2, v, n) for v in x)))


@steps
def map_lazy(x, n):
    m = map(lambda v: t(2, v, n), t(1, x, n))
    print("between")
    return sum(m)


@steps
def filter_lazy(x, n):
    m = filter(lambda v: t(2, v, n) > 0.5, t(1, x, n))
    print("between")
    return sum(m)


@steps
def map_two(x, n):
    return sum(map(lambda a, b: t(3, a * b, n), (t(1, v, n) for v in x), (t(2, v, n) for v in x[:2])))


@steps
def enumerate_lazy(x, n):
    s = 0.0
    for i, v in enumerate(t(1, v, n) for v in x):
        s = s + t(2, v, n) * i
    return s


@steps
def reduce_(x, n):
    return functools.reduce(lambda a, b: t(1, a, n) * t(2, b, n), t(3, x, n), t(4, 1.0, n))


@steps
def sorted_key(x, n):
    d = sorted([3, 1, 2], key=lambda v: t(v, -v, n))
    return x[0] * d[0]


@steps
def max_key(x, n):
    return max([x[0], x[1], x[2]], key=lambda v: t(1, -v, n))


@steps
def max_args(x, n):
    return max(t(1, x[0], n), t(2, x[1], n), t(3, x[2], n))


@steps
def dictcomp(x, n):
    d = {t(1, k, n): t(2, v, n) for k, v in t(3, [("a", x[0]), ("b", x[1])], n) if t(4, v, n) > 0.1}
    return d["a"] * d["b"]


@steps
def dictcomp_two(x, n):
    d = {t(1, (i, j), n): t(2, x[i] * x[j], n) for i in range(2) for j in t(3, (0, 1), n)}
    return d[1, 0] * d[0, 1]


@steps
def setcomp(x, n):
    d = {t(1, i % 2, n) for i in t(2, range(3), n) if t(3, i, n) >= 0}
    return x[0] * len(d)


@steps
def fstring(x, n):
    print(f"{t(1, x[0], n):.2f} {t(2, 'a', n)!r} {t(3, x[1], n):{t(4, 6, n)}.{t(5, 2, n)}f}")
    return x[0] * x[1]


@steps
def fstring_unused(x, n):
    s = f"{t(1, x[0], n):.2f} {t(2, 'a', n)!r}"
    return x[0] * x[1]


@steps
def format_(x, n):
    print("{} {b}".format(t(1, x[0], n), b=t(2, x[1], n)))
    return x[0]


@steps
def percent(x, n):
    print("%s %s" % (t(1, x[0], n), t(2, x[1], n)))
    return x[0]


@steps
def print_args(x, n):
    print(t(1, x[0], n), t(2, x[1], n), sep=t(3, "-", n), end=t(4, "!", n))
    return x[0]


@steps
def assign_subscript(x, n):
    y = np.zeros(3)
    t(2, y, n)[t(3, 1, n)] = t(1, x[0], n)
    return y[1]


@steps
def assign_slice(x, n):
    y = np.zeros(3)
    t(2, y, n)[t(3, 0, n):t(4, 2, n)] = t(1, x[:2], n)
    return y[1]


@steps
def assign_list(x, n):
    y = [0.0, 0.0]
    t(2, y, n)[t(3, 1, n)] = t(1, x[0], n)
    return y[1]


@steps
def assign_dict(x, n):
    y = {}
    t(2, y, n)[t(3, "k", n)] = t(1, x[0], n)
    return y["k"]


@steps
def assign_attr(x, n):
    y = Box(x[0])
    t(2, y, n).v = t(1, x[1], n)
    return y.v


@steps
def aug_subscript(x, n):
    y = np.ones(3)
    t(1, y, n)[t(2, 1, n)] += t(3, x[0], n)
    return y[1]


@steps
def aug_list(x, n):
    y = [1.0, x[1]]
    t(1, y, n)[t(2, 1, n)] *= t(3, x[0], n)
    return y[1]


@steps
def aug_dict(x, n):
    y = {"a": x[1]}
    t(1, y, n)[t(2, "a", n)] *= t(3, x[0], n)
    return y["a"]


@steps
def aug_attr(x, n):
    y = Box(x[0])
    t(1, y, n).v += t(2, x[1], n)
    return y.v


@steps
def aug_name(x, n):
    s = x[0]
    s += t(1, x[1], n)
    s *= t(2, s, n)
    return s


@steps
def aug_name_order(x, n):
    s = x[0]
    def g():
        nonlocal s
        s = t(1, x[1], n)
        return s
    s += g()
    return s


@steps
def binop_name_order(x, n):
    s = x[0]
    def g():
        nonlocal s
        s = t(1, x[1], n)
        return s
    return s + g() + s


@steps
def list_grow_order(x, n):
    d = [x[0]]
    return len(d) * (d.append(t(1, x[1], n)) or 1) * len(d) * d[-1]


@steps
def aug_property(x, n):
    y = Box(x[0])
    t(1, y, n).p += t(2, x[1], n)
    return y.v


@steps
def aug_item_protocol(x, n):
    y = Box(x[0])
    t(1, y, n)[t(2, "k", n)] += t(3, x[1], n)
    return y.v


@steps
def multiple_targets(x, n):
    y = np.zeros(3)
    a = t(2, y, n)[t(3, 0, n)] = t(4, y, n)[t(5, 1, n)] = t(1, x[0], n)
    return a * y[0] + y[1]


@steps
def tuple_targets(x, n):
    y = [0.0, 0.0]
    t(3, y, n)[t(4, 0, n)], t(5, y, n)[t(6, 1, n)] = t(1, x[0], n), t(2, x[1], n)
    return y[0] * y[1]


@steps
def index_target(x, n):
    y = np.zeros(3)
    i, y[i] = t(1, 2, n), t(2, x[0], n)
    return y[2] * x[1]


@steps
def swap(x, n):
    y = [x[0], x[1]]
    i = 0
    i, y[i] = 1, t(1, x[2], n)
    return y[1] * x[0]


@steps
def unpack_star(x, n):
    a, *b, c = t(1, x[0], n), t(2, x[1], n), t(3, x[2], n), t(4, 1.0, n)
    return a * b[0] * c + len(b)


@steps
def unpack_nested(x, n):
    (a, b), c = t(1, (x[0], x[1]), n), t(2, x[2], n)
    return a * b * c


@steps
def unpack_wrong(x, n):
    a, b = t(1, [x[0], x[1], x[2]], n) if n == 1 else t(2, [x[0]] * 3, n)
    return a * b


@steps
def unpack_genexp(x, n):
    a, b = (t(i + 1, x[i], n) for i in range(2))
    return a * b


@steps
def unpack_genexp_wrong(x, n):
    a, b = (t(i + 1, x[i], n) for i in range(3))
    return a * b


@steps
def defaults(x, n):
    def g(a, b=t(1, x[0], n), *, c=t(2, x[1], n)):
        print("g")
        return a * b * c
    print("defined")
    return g(t(3, x[2], n)) + g(1.0, t(4, 2.0, n))


@steps
def lambda_default(x, n):
    g = lambda a, b=t(1, x[0], n): t(2, a * b, n)
    print("defined")
    return g(t(3, x[2], n))


@steps
def decorators(x, n):
    def deco(k):
        print("deco", k)
        def inner(f):
            print("inner", k)
            def wrapped(v):
                print("wrapped", k)
                return f(v) * k
            return wrapped
        return inner
    @deco(t(1, 2.0, n))
    @deco(t(2, 3.0, n))
    def g(v, w=t(3, x[1], n)):
        print("g")
        return v * w
    print("defined")
    return g(t(4, x[0], n))


@steps
def annotations(x, n):
    def g(v: t(1, float, n)) -> t(2, float, n):
        return v * 2.0
    a: t(3, float, n) = t(4, x[0], n)
    return g(a)


@steps
def with_errstate(x, n):
    with np.errstate(divide=t(1, "ignore", n)):
        y = t(2, x[0], n)
        print("in")
    print("out")
    return y


@steps
def assert_message(x, n):
    assert t(1, x[0], n) > n * 100.0 - 50.0, t(2, "message", n)
    return x[0]


@steps
def assert_fails(x, n):
    assert t(1, x[0], n) > 1.0, f"message {t(2, 'm', n)} {t(3, x[1], n):.2f}"
    return x[0]


@steps
def assert_tuple(x, n):
    assert t(1, x[0], n) > 1.0, (t(2, "a", n), t(3, 1, n))
    return x[0]


@steps
def raise_from(x, n):
    if t(1, x[0], n) > 0.5:
        raise KeyError(t(2, "k", n)) from ValueError(t(3, "v", n))
    return x[0]


@steps
def raise_class(x, n):
    y = x[0]
    if t(1, y, n) > 0.5:
        raise ZeroDivisionError
    return y


@steps
def raise_value(x, n):
    if t(1, x[0], n) > 0.5:
        raise ValueError(t(2, x[1], n), t(3, n, n))
    return x[0]


@steps
def raise_after_write(x, n):
    y = np.zeros(2)
    y[t(1, 0, n)] = x[0]
    print(y)
    y[t(2, n, n)] = x[1]
    print(y)
    return y[0] * y[1]


@steps
def generator_inactive(x, n):
    s = 0.0
    for i in gen(n):
        print("body", i)
        s = s + x[i] * t(5, 1.0, n)
    return s


@steps
def generator_list(x, n):
    g = gen(n)
    print("made")
    s = 0.0
    for i in list(g):
        print("body", i)
        s = s + x[i]
    return s


@steps
def generator_never(x, n):
    g = gen(n)
    print("made")
    return x[0]


@steps
def generator_zip(x, n):
    s = 0.0
    for i, v in zip(gen(n), x):
        print("body")
        s = s + v * i
    return s


@steps
def for_else(x, n):
    s = 0.0
    for v in t(1, x, n):
        if t(2, v, n) > 5.0:
            break
        s = s + v
    else:
        s = s * t(3, 2.0, n)
        print("else")
    return s


@steps
def for_else_break(x, n):
    s = 0.0
    for i in range(t(1, 3, n)):
        if i == n - 2:
            print("break", i)
            break
        s = s + t(i + 2, x[i], n)
    else:
        print("else")
        s = s * 2.0
    return s


@steps
def while_else(x, n):
    s = x[0]
    i = 0
    while t(1, s, n) < 3.0 and t(2, i, n) < 4:
        s = s * t(3, 1.5, n)
        i = i + 1
        if i == n - 3:
            continue
        print("end", i)
    else:
        print("else")
        s = s + t(4, x[1], n)
    return s


@steps
def for_target(x, n):
    y = np.zeros(3)
    for y[t(1, 0, n)] in t(2, x, n):  # noqa: B020
        print("body")
    return y[0]


@steps
def for_iter_once(x, n):
    s = 0.0
    for v in t(1, [x[0], x[1]], n):
        for w in t(2, (x[1], x[2]), n):
            s = s + t(3, v, n) * t(4, w, n)
    return s


@steps
def for_dict(x, n):
    s = 0.0
    for k, v in t(1, {"a": x[0], "b": x[1]}, n).items():
        print(k)
        s = s + t(2, v, n)
    return s


@steps
def walrus(x, n):
    return (y := t(1, x[0], n)) * t(2, y, n) + (z := t(3, y, n)) * z


@steps
def walrus_while(x, n):
    i = 0
    s = x[0]
    while (s := t(1, s * 1.5, n)) < 3.0:
        i = i + 1
    return s * i


@steps
def walrus_comp(x, n):
    d = [y for v in x if (y := t(1, v, n)) > 0.5]
    return sum(d) + y


@steps
def del_item(x, n):
    d = [x[0], x[1], x[2]]
    del t(1, d, n)[t(2, 0, n)]
    print(len(d))
    return d[0]


@steps
def del_dict(x, n):
    d = {"a": x[0], "b": x[1]}
    del t(1, d, n)[t(2, "a", n)]
    print(len(d))
    return d["b"]


@steps
def del_several(x, n):
    d = {"a": x[0], "b": x[1], "c": x[2]}
    del d[t(1, "a", n)], d[t(2, "b", n)]
    return d["c"]


@steps
def del_missing(x, n):
    d = {"a": x[0], "b": x[1]}
    print("before")
    del d["a"], d[t(1, "a", n)]
    return d["b"]


@steps
def nonlocal_(x, n):
    s = x[0]
    def g(k):
        nonlocal s
        s = t(k, s * 2.0, n)
        return s
    a = g(1) + g(2) * g(3)
    return a * s


@steps
def closure_late(x, n):
    s = x[0]
    g = lambda: t(2, s, n)
    s = t(1, x[1], n)
    return g()


@steps
def return_tuple(x, n):
    def g():
        return t(1, x[0], n), t(2, x[1], n)
    a, b = g()
    return a * t(3, b, n)


@steps
def early_return(x, n):
    for i in range(3):
        if t(i + 1, x[i], n) > 1.0:
            return t(5, x[i], n)
    return t(6, x[0], n)


@steps
def protocol(x, n):
    a, b = Box(t(1, x[0], n)), Box(t(2, x[1], n))
    c = a + b
    return c["k"] if a < b and a else c.p


@steps
def protocol_iter(x, n):
    a = Box(t(1, x[0], n))
    s = 0.0
    for v in a:
        s = s + t(2, v, n)
    return s * len(a) if 1.0 in a else s


@steps
def protocol_call(x, n):
    a = Box(x[0])
    return t(1, a, n)(t(2, 1, n), k=t(3, 2, n))


@steps
def dataclass_(x, n):
    d = D(t(1, x[0], n), b=t(2, x[1], n))
    d.c.append(t(3, x[2], n))
    return d.a * d.b * d.c[0]


@steps
def namedtuple_(x, n):
    d = N(b=t(1, x[0], n), a=t(2, x[1], n))
    return d.a ** d.b


@steps
def partial(x, n):
    g = functools.partial(three, t(1, x[0], n), c=t(2, x[1], n))
    print("made")
    return g(t(3, x[2], n))


@steps
def array_display(x, n):
    return np.sum(np.array([[t(1, x[0], n), t(2, x[1], n)], [t(3, x[2], n), t(4, 1.0, n)]]) ** 2)


@steps
def np_kwargs(x, n):
    return np.sum(np.clip(t(1, x, n), t(2, 0.5, n), t(3, 1.0, n)), axis=t(4, 0, n))


@steps
def np_where(x, n):
    return np.sum(np.where(t(1, x, n) > 0.5, t(2, x, n), t(3, x * 2.0, n)))


@steps
def match_(x, n):
    match t(1, (x[0], 1), n):
        case (a, 2):
            return a
        case (a, b) if t(2, a, n) > 5.0:
            return t(3, a, n)
        case (a, b):
            return t(4, a, n) * 2.0


@steps
def isinstance_(x, n):
    return x[0] if isinstance(t(1, x[0], n), t(2, float, n)) else x[1]


@steps
def getattr_(x, n):
    return getattr(t(1, Box(x[0]), n), t(2, "v", n), t(3, 1.0, n))


@steps
def in_(x, n):
    return x[0] if t(1, 1, n) in t(2, [1, 2], n) and t(3, "a", n) not in t(4, {"b": 1}, n) else x[1]


@steps
def is_(x, n):
    return x[0] if t(1, None, n) is t(2, None, n) else x[1]


@steps
def nested_calls(x, n):
    return three(three(t(1, x[0], n), t(2, x[1], n)), three(t(3, x[2], n)))


@steps
def recursive(x, n):
    def g(k, v):
        print("g", k)
        if k == 0:
            return t(9, v, n)
        return t(k, v, n) * g(k - 1, v * 0.5) + t(k + 3, v, n)
    return g(3, x[0])


@steps
def unused(x, n):
    t(1, x[0], n)
    y = t(2, x[1], n)
    [t(3, v, n) for v in x]
    t(4, x, n)[0]
    x[1] * t(5, 1.0, n)
    return x[0]


@steps
def unused_arith(x, n):
    y = 1.0 / (n - 1)
    print("after")
    z = [1.0, 2.0][n]
    print("after")
    w = {"a": 1}["a" if n < 2 else "b"]
    print("after")
    x[n]
    print("end")
    return x[0]


@steps
def pop_order(x, n):
    d = [x[0], x[1], x[2]]
    return d.pop() * t(1, d.pop(), n) + t(2, d.pop(0), n) * len(d)


@steps
def extend(x, n):
    d = [x[0]]
    d.extend(t(1, v, n) for v in x)
    d += [t(2, x[1], n)]
    d.insert(t(3, 0, n), t(4, x[2], n))
    return d[0] * len(d)


@steps
def setdefault(x, n):
    d = {"a": x[0]}
    return d.setdefault(t(1, "a", n), t(2, x[1], n)) * d.get(t(3, "b", n), t(4, x[2], n))


@steps
def dict_update(x, n):
    d = {"a": x[0]}
    d.update(t(1, {"b": x[1]}, n), c=t(2, x[2], n))
    return d["a"] * d["b"] + d["c"]


@steps
def isinst_raise(x, n):
    s = 0.0
    for i in range(3):
        try_ = t(i + 1, x[i], n)
        if try_ > 1.0:
            continue
        s = s + try_
        print("end of", i)
    return s


@steps
def try_(x, n):
    try:
        y = t(1, x[0], n)
        print("body")
    except ValueError as e:
        print("caught", e)
        y = t(2, x[1], n)
    else:
        print("else")
        y = t(3, y, n)
    finally:
        print("finally")
    return y


@steps
def try_inactive(x, n):
    return x[0] * guarded(n)


@steps
def with_inactive(x, n):
    return x[0] * managed(n)


@steps
def class_inactive(x, n):
    return x[0] * klass(n)


@steps
def fmt_bad_then_told(x, n):
    s = f"{x[0]:q} {t(1, x[1], n)}"
    return x[0]


@steps
def fmt_objects(x, n):
    a = Say(x[0])
    print(f"{t(1, a, n):abc} {t(2, a, n)!r} {t(3, a, n)} {t(4, a, n)!s:>5}")
    return x[0]


@steps
def str_repr(x, n):
    a = Say(x[0])
    print(t(1, a, n), str(t(2, a, n)), repr(a), [a])
    return x[0]


@steps
def mul_rmul(x, n):
    a = Say(x[0])
    return t(1, a, n) * t(2, 2.0, n) + t(3, 3.0, n) * t(4, a, n)


@steps
def iadd(x, n):
    a = Say(x[0])
    b = a
    a += t(1, x[1], n)
    a += t(2, x[2], n)
    return -b + a.v


@steps
def getattr_missing(x, n):
    a = Say(x[0])
    return a.foo * t(1, x[1], n) + getattr(a, "bad", t(2, 1.0, n))


@steps
def hasattr_(x, n):
    a = Say(x[0])
    return x[0] if hasattr(t(1, a, n), "bad") else x[1]


@steps
def own_exception(x, n):
    if x[0] > 0.5:
        raise Own(t(1, 1, n), t(2, "b", n))
    return x[0]


@steps
def index_protocol(x, n):
    return x[Say(x[0])] * t(1, x[0], n)


@steps
def zip_short(x, n):
    s = 0.0
    for a, b in zip([x[0], x[1], x[2]], [1.0, 2.0]):
        s = s + t(1, a * b, n)
    return s


@steps
def zip_strict(x, n):
    s = 0.0
    for a, b in zip([x[0], x[1], x[2]], [1.0, 2.0], strict=True):
        s = s + t(1, a * b, n)
    return s


@steps
def zip_strict_n(x, n):
    s = 0.0
    for a, b in zip(x, range(n), strict=True):
        print("body")
        s = s + a * b
    return s


@steps
def nested_break(x, n):
    s = 0.0
    for i in range(3):
        for j in range(3):
            if i * 3 + j == n:
                print("break")
                break
            s = s + t(10 + i * 3 + j, x[j], n)
        else:
            print("else", i)
            continue
        print("after", i)
        if n > 4:
            return s * x[0]
    else:
        print("all")
    return s


@steps
def while_true(x, n):
    i = 0
    s = x[0]
    while True:
        print(i)
        if i == n:
            break
        s = s * x[i % 3]
        i += 1
        if s < 0.1:
            raise ValueError(f"small {i}")
    return s


@steps
def early_print(x, n):
    if n == 1:
        print("one")
        return x[0]
    print("rest")
    if n == 2:
        raise KeyError(n)
    elif n == 3:
        return x[1] / (n - 3)
    return x[n]


@steps
def divide_print(x, n):
    a = 1.0 / (n - 1)
    print("a")
    b = x[n]
    print("b")
    c = math.log(2.5 - n)
    print("c")
    d = [1.0, 2.0, 3.0][n - 1]
    print("d")
    e = int("123"[n:])
    print("e")
    return x[0] * d + a * b * c + e


@steps
def unused_all(x, n):
    1.0 / (n - 1)
    print("a")
    x[n]
    print("b")
    math.log(2.5 - n)
    print("c")
    [1.0, 2.0, 3.0][n - 1]
    print("d")
    int("123"[n:])
    print("e")
    float("1.5"[n:])
    print("f")
    10 % (n - 2)
    print("g")
    math.sqrt(3 - n)
    math.acos(n)
    print("h")
    2 ** n / 0.0 ** (1 - n)
    return x[0]


@steps
def arith_one_expr(x, n):
    return t(1, x[0], n) / (n - 2.0) + math.log(t(2, 3.5 - n, n)) + t(3, x, n)[n] + math.exp(t(4, 1000, n) * (n > 3))


@steps
def call_wrong(x, n):
    print("a")
    g = lambda a: a
    if n == 1:
        return g(t(1, x[0], 0), t(2, x[1], 0))
    if n == 2:
        return x[0].foo
    if n == 3:
        return t(1, x[0], 0) + "a"
    if n == 4:
        return len(t(4, 1.0, 0)) * x[0]
    if n == 5:
        return undefined_name * x[0]  # noqa: F821
    if n == 6:
        a, b = 1.0, 2.0, 3.0
    return x[0]


@steps
def append_before(x, n):
    d = []
    for i in range(4):
        d.append(x[i])
        print(len(d))
    return d[0]


@steps
def list_append_then_raise(x, n):
    d = [x[0]]
    d.append(t(1, x[1], n))
    d[n] = x[2]
    print(d[0] > 0, len(d))
    d.insert(t(2, 0, n), d.pop(n))
    print(len(d))
    d.remove(x[0])
    print(len(d))
    return d[0] + d.index(x[2])


@steps
def dict_missing(x, n):
    d = {"a": x[0]}
    if n > 1:
        d["b"] = t(1, x[1], n)
    print("k")
    return d["b"] * x[0]


@steps
def slice_assign_list(x, n):
    d = [x[0], x[1], x[2]]
    d[t(1, 0, n):t(2, 2, n)] = [t(3, v, n) for v in x]
    print(len(d))
    del d[t(4, 0, n):t(5, 2, n)]
    return d[0]


@steps
def star_assign_attr(x, n):
    class_ = Say(x[0])
    *class_.v, b = t(1, [x[0], x[1]], n)
    return b * len(class_.v)


@steps
def default_mutable(x, n):
    def g(v, acc=[]):
        acc.append(t(1, v, n))
        return sum(acc)
    return g(x[0]) + g(x[1])


@steps
def kw_only_missing(x, n):
    def g(*, a):
        return a
    print("b")
    return g(t(1, x[0], n)) if n == 3 else g(a=t(2, x[1], n))


@steps
def sum_start(x, n):
    return sum([t(1, v, n) for v in x], t(2, 1.0, n))


@steps
def min_max_multi(x, n):
    return min(t(1, x[0], n), max(t(2, x[1], n), t(3, x[2], n)), key=lambda v: t(4, v, n))


@steps
def any_all_list(x, n):
    return x[0] if any([t(1, False, n), t(2, True, n), t(3, True, n)]) and all([t(4, 1, n), t(5, 0, n)]) else x[1]


@steps
def divmod_(x, n):
    a, b = divmod(t(1, 7.5, n), t(2, n - 3.0, n))
    return a * x[0] + b


@steps
def round_(x, n):
    return round(t(1, x[0], n), t(2, 1, n)) * x[1]


@steps
def pow3(x, n):
    return pow(t(1, x[0], n), t(2, 2, n))


@steps
def isinstance_order(x, n):
    return t(1, x[0], n) if isinstance(t(2, x, n), np.ndarray) and not t(3, n > 4, n) else t(4, x[1], n)


@steps
def comp_in_comp(x, n):
    m = [[t(1, a * b, n) for b in t(2, x[:2], n)] for a in t(3, x[:2], n) if t(4, True, n)]
    return sum(sum(r) for r in m)


@steps
def comp_star(x, n):
    return sum([*[t(1, v, n) for v in x], *(t(2, v, n) for v in [x[0]])])


@steps
def lambda_ifexp(x, n):
    g = lambda a, b=t(1, 1.0, n): t(2, a, n) if t(3, b, n) > 0 else t(4, b, n)
    return g(t(5, x[0], n))


@steps
def chained_in(x, n):
    return x[0] if t(1, 1, n) < t(2, 2, n) in t(3, [2], n) else x[1]


@steps
def nested_or(x, n):
    a = t(1, 0, n) or t(2, "", n) or t(3, None, n) or t(4, x[0], n)
    return a * 2.0


@steps
def and_chain(x, n):
    a = t(1, 1, n) and t(2, x[1], n) and t(3, x[0], n)
    return a * 2.0


@steps
def not_in(x, n):
    return x[0] if t(1, 3, n) not in [t(2, 1, n), t(3, 3, n)] else x[1]


@steps
def write_before_raise(x, n):
    y = np.zeros(3)
    for i in range(4):
        y[i] = x[0] * i
        print(y)
    return y[0]


@steps
def write_args(x, n):
    x[0] = t(1, 5.0, n)
    x[1] += t(2, x[0], n)
    x[n] = 1.0
    return x[0] * x[1]


@steps
def np_out(x, n):
    y = np.zeros(3)
    np.multiply(t(1, x, n), t(2, 2.0, n), out=t(3, y, n))
    return y[0]


@steps
def np_concat(x, n):
    return np.sum(np.concatenate([t(1, x, n), t(2, x[:n], n)]) * t(3, 1.0, n))


@steps
def stack_shape(x, n):
    return np.sum(np.array([t(1, x[:2], 0), t(2, x[1:], 0)]) @ t(3, x[:2], n))


@steps
def nested_function_raise(x, n):
    def inner(k):
        if k == n:
            raise IndexError(k)
        print("in", k)
        return x[k % 3]
    return inner(0) * inner(1) + inner(2) / (inner(3) + inner(4))


@steps
def recursion_raise(x, n):
    def f(k, v):
        if k == n:
            raise RecursionError(k)
        print(k)
        return v if k > 5 else f(k + 1, v * x[0]) + f(9, v)
    return f(0, x[1])


@steps
def cond_expr_effects(x, n):
    a = (t(1, x[0], n) if n > 2 else t(2, x[1], n)) * (t(3, x[2], n) if n < 5 else t(4, x[0], n))
    return a


@steps
def tern_raise(x, n):
    a = x[n] if n < 5 else 1.0 / (n - 5)
    print("a")
    b = (1.0 / n) if x[0] > 0.5 else 2.0
    print("b")
    return a * b


@steps
def assert_in_loop(x, n):
    s = 0.0
    for i, v in enumerate(x):
        assert i != n, f"trip {i} {t(1, i, 0)}"
        s = s + v
        print(i)
    return s


@steps
def while_cond_raises(x, n):
    i = 0
    s = 1.0
    while x[i] > 0.0 and 1.0 / (n - i) != 3.0:
        print(i)
        s = s * x[i]
        i = i + 1
    return s


@steps
def for_range_raises(x, n):
    s = 0.0
    for i in range(0, 6, n - 1):
        print(i)
        s = s + x[i]
    return s


@steps
def range_computed(x, n):
    s = 0.0
    for i in range(t(1, 0, n), t(2, 3, n), t(3, 1, n)):
        s = s + x[i]
    return s


@steps
def enumerate_start(x, n):
    s = 0.0
    for i, v in enumerate(t(1, x, n), t(2, 5, n)):
        s = s + i * v
    return s


@steps
def reversed_sorted(x, n):
    s = 0.0
    for v in reversed(t(1, [x[0], x[1]], n)):
        s = s * 2 + t(2, v, n)
    for k in sorted(t(3, {"b": 1, "a": 2}, n)):
        print(k)
    return s


@steps
def iter_next(x, n):
    it = iter(t(1, [x[0], x[1]], n))
    a = next(it)
    print("a")
    b = next(it)
    print("b")
    c = next(it, t(2, 1.0, n))
    if n == 3:
        next(it)
    return a * b * c


@steps
def tuple_compare(x, n):
    return x[0] if (t(1, 1, n), t(2, x[0], n)) < (t(3, 1, n), t(4, x[1], n)) else x[1]


@steps
def string_ops(x, n):
    s = "a,b,c".split(t(1, ",", n))
    print(s[n % 4])
    print("-".join([t(2, "a", n), t(3, "b", n)]))
    return x[0] * len(s)


@steps
def unbound_local(x, n):
    for i in range(n):
        print("trip", i)
        y = x[0]
    print("after", n)
    z = y * 2.0
    print(i)
    return z


@steps
def unbound_branch(x, n):
    if n > 2:
        y = 1.0 / (n - 3)
    print("mid")
    return x[0] * y


@steps
def del_unbound(x, n):
    y = x[0]
    if n > 2:
        del y
    print("mid")
    return t(1, x[1], n) * y


@steps
def except_names(x, n):
    s = x[0]
    if n == 1:
        raise NotImplementedError
    if n == 2:
        raise StopIteration(t(1, 3, 0))
    if n == 3:
        raise ArithmeticError("x", t(2, 1, 0)) from None
    if n == 4:
        raise OSError(2, "no")
    if n == 5:
        raise KeyError((1, "a"))
    if n == 6:
        raise 5  # noqa: B016
    return s


@steps
def deleted1(x, n):
    y = x[0]
    if n > 2:
        del y
    print("mid")
    return t(1, x[1], n) * y


@steps
def deleted2(x, n):
    y = x[0] * 2.0
    for i in range(n):
        del y
        print("mid")
        if i == 0:
            y = x[1]
    return x[1] * y


@steps
def deleted3(x, n):
    y = x * 2.0
    if x[0] * n > 2:
        del y
    print("mid")
    return t(1, x[1], n) * y[0]


@steps
def deleted4(x, n):
    for i in range(n):
        y = x[i % 3] * 2.0
        z = y * y
        del y
    return z


@steps
def deleted5(x, n):
    y = x[0] * 2.0
    for i in range(n):
        del y
    return x[1]


@steps
def deleted6(x, n):
    y = x[0] * 2.0
    for i in range(n):
        if i == 2:
            del y
            break
    return x[1] * y


@steps
def deleted7(x, n):
    y = x[0] * 2.0
    del y
    print("a")
    return y  # noqa: F821


@steps
def deleted8(x, n):
    y = x[0] * 2.0
    del y
    y = x[1]
    return y


@steps
def deleted9(x, n):
    y = x[0] * 2.0
    if n > 2:
        del y
        y = x[2]
    else:
        del y
    if n > 2:
        return y
    return x[1]


@steps
def deleted10(x, n):
    y = x[0]
    if n > 2:
        del y
    else:
        del y
    print("a")
    y = 2.0
    return y * x[0]


@steps
def deleted11(x, n):
    if n:
        y = x[0]
    del y
    return x[1]


@steps
def deleted12(x, n):
    y = x[0]
    def g():
        return y
    if n > 3:
        del y
    return g() * 2.0


@steps
def deleted13(x, n):
    y = x[0]
    i = 0
    while i < n:
        i += 1
        if i == 3:
            del y
        elif i == 4:
            y = x[1]
    return y * 2.0


@steps
def deleted14(x, n):
    y = x[0] if n else None
    if n > 3:
        del y
    return x[0] if y is None else y


@steps
def deleted15(x, n):
    k = 3
    if x[0] * n > 2:
        del k
    return x[0] * k


@steps
def deleted16(x, n):
    k = (x[0], 2)
    if x[0] * n > 2:
        del k
    return x[0] * k[0]


@steps
def deleted17(x, n):
    del x
    print("a")
    return x[0]  # noqa: F821


@steps
def deleted18(x, n):
    if n > 2:
        del x
    print("a")
    return x[0]


@steps
def divmod1(x, n):
    y = 7.5 * n
    a, b = divmod(t(1, y, n), t(2, n - 3, n))
    return a * x[0] + b


@steps
def divmod2(x, n):
    a, b = divmod(t(1, 7, n), t(2, n - 3, n))
    return a * x[0] + b


@steps
def divmod3(x, n):
    a, b = divmod(n * 1.5, 2.5)
    return a * x[0] + b


@steps
def divmod4(x, n):
    a, b = divmod(n * 1.5, 0)
    return a * x[0] + b


@steps
def divmod5(x, n):
    a, b = divmod(x[0], n - 3.0)
    return a * x[0] + b


@steps
def divmod6(x, n):
    a, b = divmod(3, 2.0)
    return a * x[0] + b


@steps
def formatted1(x, n):
    s = f"{x[0]:q} {t(1, x[1], n)}"
    return x[0]


@steps
def formatted2(x, n):
    print(f"{n:d} {n:c} {t(1, 2, n)} {x[0]:8.3f} {x[1]!r:>30}")
    return x[0]


@steps
def formatted3(x, n):
    print("a", f"{opaque(n):>6} {t(1, 2, n)} {x[0]:8.3f}")
    return x[0]


@steps
def formatted4(x, n):
    s = f"{opaque(n):d} {t(1, 2, n)} {x[0]:8.3f}"
    return x[0]


@steps
def formatted5(x, n):
    q = Q(x[0])
    print(f"{q!r} {q!s} {q} {[q]} {q!a} {[q]!s}", repr([q]), str([q]), repr(q), str(q))
    return x[0]


@steps
def formatted6(x, n):
    s = f"{x:.2f} {t(1, 2, n)}"
    return x[0]


@steps
def formatted7(x, n):
    s = f"{n * 2:.2f} {n > 2:d} {n > 2} {t(1, 2, n)}"
    print(s)
    return x[0]


@steps
def formatted8(x, n):
    y = n if n > 2 else 1.5
    s = f"{y:d} {t(1, 2, n)}"
    return x[0]


REFUSED = {
    "percent", "assert_tuple", "generator_inactive", "generator_list", "generator_zip", "unused_arith", "try_",
    "getattr_missing", "hasattr_", "call_wrong", "slice_assign_list", "comp_star", "except_names", "deleted2",
    "deleted5", "deleted6", "deleted13"}
"""Programs that are refused for some of the numbers."""
