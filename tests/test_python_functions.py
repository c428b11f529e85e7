"""Functions as Python has them: scopes, closures, decorators, recursion, truth; the plain call is the oracle.

Each program is differentiated as it is, and with every helper that is called again made a function of its own.
"""

import collections
import functools
import math

import numpy as np
import pytest
from oracle import agrees, refuses

import sct.frontend.repeated as repeated

X = np.array([0.7, 1.3])
PROGRAMS = []


def program(f):
    """Registers a program of two numbers."""
    PROGRAMS.append(f)
    return f


@pytest.mark.parametrize("long", [None, 1], ids=["", "outlined"])
@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
def test_agrees(f, long, monkeypatch):
    if long is not None:
        monkeypatch.setattr(repeated, "LONG", long)
    agrees(f, X)


# -- scopes ---------------------------------------------------------------------------------------

i = 2
t = 3.0
K = [1.0, 2.0, 3.0]


@program
def comp_global(x):
    return sum([x[0] * K[i] for i in range(3)]) * i


@program
def comp_param(x):
    ys = [x * 2.0 for x in x]
    return ys[0] * x[1]


@program
def comp_lambda_same(x):
    fs = [lambda v: v * t for t in (t, 2.0)]
    return fs[0](x[0]) + t


@program
def glob_in_nested(x):
    t = x[0]

    def g(v):
        global t
        return v * t
    return g(t) + t


@program
def glob_in_nested2(x):
    t = x[0]

    def g(v):
        global t

        def h(u):
            return u * t
        return h(v)
    return g(t) + t


@program
def nonlocal_counter(x):
    n = 0

    def count(v):
        nonlocal n
        n += 1
        return v * n
    return count(x[0]) + count(x[1]) + count(x[0])


@program
def nonlocal_set_only(x):
    c = x[0]

    def setc(v):
        nonlocal c
        c = v
    if x[1] > 0:
        setc(x[1] * 2.0)
    return c * x[0]


@program
def lam_param(x):
    t = x[0]
    if x[1] > 5.0:
        t = t * 2
    g = lambda t: -t
    return t * g(x[1])


@program
def comp_after_if(x):
    v = x[0]
    if x[1] > 5.0:
        v = v * 2
    ys = [v * 2.0 for v in x]
    return v * ys[1]


@program
def dictcomp_after(x):
    k = x[0]
    for j in range(3):
        k = k * x[1]
    d = {k: x[k] for k in range(2)}
    return k * d[1]


@program
def walrus_comp(x):
    ys = [(y := (v * 2.0)) for v in x]
    return y * ys[0]


@program
def walrus_comp_if(x):
    s = 0.0
    zs = [w for v in x if (w := (v * v)) > 0.1]
    return w * zs[0]


@program
def del_and_rebind(x):
    a = x[0] * 2
    del a
    a = x[1] * 3
    return a


@program
def deleted(x):
    a = x[0]
    del a
    return a  # noqa: F821


@program
def nonlocal_del(x):
    a = x[0]

    def g():
        nonlocal a
        del a
    g()
    return a


@program
def for_target(x):
    for v in x:
        pass
    return v * x[0]


@program
def for_zero(x):
    for v in range(0):
        pass
    return v * x[0]


@program
def nested_shadow(x):
    a = x[0]

    def g(b):
        a = b * 2.0

        def h(c):
            return a * c
        return h(x[1])
    return g(x[0]) + a


@program
def late(x):
    fs = [lambda v: v * k for k in range(3)]
    return fs[0](x[0])


@program
def late_loop(x):
    fs = []
    for k in range(3):
        fs.append(lambda v: v * k)
    return fs[0](x[0]) + fs[2](x[1])


@program
def early(x):
    fs = [lambda v, k=k: v * k for k in range(3)]
    return fs[1](x[0]) + fs[2](x[1])


@program
def early_loop(x):
    fs = {}
    for k in range(3):

        def g(v, k=k):
            return v * k
        fs[k] = g
    return fs[1](x[0]) + fs[2](x[1])


@program
def rhs_ode(x):
    t, u, h = (0.0, x[0], 0.1)

    def rhs(t, u):
        return -u * x[1] + t
    for n in range(4):
        k1 = rhs(t, u)
        u = u + h * rhs(t + h / 2, u + h / 2 * k1)
        t = t + h
    return u


@program
def unbound_until(x):

    def g():
        return q * x[0]
    q = x[1]
    a = g()
    q = 2.0
    return a + g()


@program
def used_before(x):

    def g():
        return q2 * x[0]
    a = g()
    q2 = 1.0
    return a


@program
def class_name(x):

    def max(a, b):
        return a + b
    return max(x[0], x[1])


@program
def star(x):

    def g(*a, **k):
        return a[0] * k['b']
    return g(x[0], b=x[1])


@program
def except_like(x):
    s = 0.0
    for v in x:

        def f(w, s=s):
            return w * s + 1.0
        s = f(v)
    return s


@program
def walrus_in_lambda(x):
    f = lambda v: (w := (v * 2.0)) + w
    w = x[1]
    return f(x[0]) * w


@program
def kwonly_shadow(x):
    t = x[0]
    while t < 3.0:
        t = t + 1.0

    def g(*, t, u=t):
        return t * u
    return g(t=x[1]) + t


# -- which function is which ---------------------------------------------------------------------


@program
def fact_y(x):
    Y = lambda f: (lambda x: x(x))(lambda x: f(lambda v: x(x)(v)))
    fact = Y(lambda self: lambda n: x[0] if n == 0 else x[1] * self(n - 1))
    return fact(4)


@program
def fib_y(x):
    Y = lambda f: (lambda x: x(x))(lambda x: f(lambda v: x(x)(v)))
    fib = Y(lambda self: lambda n: x[0] if n < 2 else x[1] * self(n - 1) + self(n - 2))
    return fib(6)


def make(k):

    def f(v, n):
        return v if n <= 0 else make(k + 1.0)(v * k, n - 1)
    return f


@program
def remade(x):
    return make(2.0)(x[0], 3) + make(x[1])(x[1], 2)


@program
def local_remade(x):

    def make(k):

        def f(v, n):
            return v if n <= 0 else make(k * 1.5)(v * k, n - 1)
        return f
    return make(x[0])(x[1], 3) + make(2.0)(x[0], 2)


def build(n):
    if n == 0:
        return lambda v: v
    g = build(n - 1)
    return lambda v: g(v) * 2.0 + 1.0


@program
def even_odd(x):

    def even(v, n):
        return v if n == 0 else odd(v * x[0], n - 1)

    def odd(v, n):
        return -v if n == 0 else even(v + x[1], n - 1)
    return even(x[0], 4) + odd(x[1], 3)


@program
def even_odd_factory(x):

    def pair(a):

        def even(v, n):
            return v if n == 0 else odd(v * a, n - 1)

        def odd(v, n):
            return -v if n == 0 else even(v + a, n - 1)
        return (even, odd)
    e1, o1 = pair(x[0])
    e2, o2 = pair(2.0)
    return e1(x[0], 4) + o2(x[1], 3) + e2(x[1], 2) + o1(1.0, 1)


def compose(*fs):

    def h(v):
        for f in fs:
            v = f(v)
        return v
    return h


@program
def composed(x):
    a = compose(math.sin, lambda v: v * x[0])
    b = compose(a, a, math.cos)
    c = compose(b, a)
    return c(x[1]) + b(x[0])


def curry(f):
    return lambda a: lambda b: f(a, b)


@program
def curried(x):
    mul = curry(lambda a, b: a * b)
    sub = curry(lambda a, b: a - b)
    return mul(x[0])(x[1]) + sub(x[0])(mul(x[1])(2.0))


@program
def partials(x):

    def p(a, b, c=1.0):
        return a * b + c
    f, g = (functools.partial(p, 2.0), functools.partial(p, x[0], c=x[1]))
    h = functools.partial(g, 3.0)
    return f(x[0]) + g(x[1]) + h() + functools.partial(f, c=2.0)(x[1])


@program
def partial_rec(x):

    def p(k, v, n):
        return v if n == 0 else functools.partial(p, k)(v * k, n - 1)
    return functools.partial(p, x[0])(x[1], 3) + functools.partial(p, 3.0)(x[1], 2)


def deco(k):

    def d(f):

        @functools.wraps(f)
        def w(*a, **kw):
            return k * f(*a, **kw)
        return w
    return d


@deco(2.0)
@deco(3.0)
def stacked(v, n=2):
    return v ** n


@deco(5.0)
def rec_deco(v, n):
    return v if n == 0 else rec_deco(v * 0.5, n - 1) + v


@program
def decorated(x):
    return stacked(x[0]) + stacked(x[1], n=3) + rec_deco(x[0], 3)


def nowrap(f):

    def w(*a):
        return f(*a) + 1.0
    return w


@nowrap
def nw(v):
    return nw2(v) * 2.0


@nowrap
def nw2(v):
    return v * v


@program
def nowraps(x):
    return nw(x[0]) + nw2(x[1])


class A:

    def __init__(self, k):
        self.k = k


def meth(self, v):
    return self.k * v if v < 10 else self.run(v - 1.0)


class B:

    def __init__(self, k):
        self.k = k


A.run = meth


B.run = meth


a, b = (A(2.0), B(3.0))


@program
def methods(x):
    return a.run(x[0]) + b.run(x[1]) + A(x[0]).run(x[1])


@program
def in_list(x):
    fs = [compose(lambda v, k=k: v * k) for k in range(1, 4)]
    return fs[0](x[0]) + fs[1](x[1]) + fs[2](x[0])


@program
def in_dict(x):
    ops = {'a': compose(math.sin), 'b': compose(math.cos, math.sin)}
    return sum([f(x[0]) for f in ops.values()]) * ops['a'](x[1])


def static_args(v, mode, n):
    if n == 0:
        return v
    if mode == 'a':
        return static_args(v * 2.0, 'b', n - 1)
    return static_args(v + 1.0, 'a', n - 1)


@program
def modes(x):
    return static_args(x[0], 'a', 3) + static_args(x[1], 'b', 2)


def call_rec(g, v, n):
    return g(v) if n == 0 else call_rec(g, g(v), n - 1)


@program
def callables(x):
    k = x[0]
    return call_rec(math.sin, x[0], 2) + call_rec(lambda v: v * k, x[1], 3) + call_rec(lambda v: v + k, x[1], 2)


def other_type(v, n):
    return v if n == 0 else other_type(v * 2, n - 1)


@program
def types(x):
    return other_type(x, 2)[0] + other_type(x[1], 2) + other_type(3, 1) * x[0]


def none_arg(v, w, n):
    return v if n == 0 else none_arg(v * (1.0 if w is None else w), w, n - 1)


@program
def nones(x):
    return none_arg(x[0], None, 2) + none_arg(x[0], x[1], 3)


@program
def counter(x):

    def mk():
        c = 0.0

        def inc(v):
            nonlocal c
            c += v
            return c
        return inc
    p, q = (mk(), mk())
    return p(x[0]) + p(x[1]) + q(x[1]) + p(1.0) * q(x[0])


@program
def counter_rec(x):
    c = 0.0

    def go(n):
        nonlocal c
        c += x[0] * n
        return 0.0 if n == 0 else go(n - 1) + x[1]
    return go(3) * c


@program
def default_capture(x):
    k = x[0] * 2

    def g(v, k=k):
        return v * k

    def rec(v, n):
        return v if n == 0 else rec(g(v), n - 1)
    return rec(x[1], 3)


@program
def default_array(x):
    k = x * 2

    def g(v, k=k):
        return v * k[0]

    def rec(v, n):
        return v if n == 0 else rec(g(v), n - 1)
    return rec(x[1], 3)


@program
def partial_capture(x):
    g = functools.partial(lambda a, v: a * v, x[0])

    def rec(v, n):
        return v if n == 0 else rec(g(v), n - 1)
    return rec(x[1], 3)


@program
def closure_in_partial(x):
    k = x[0]

    def mulk(a, v):
        return a * v * k
    g = functools.partial(mulk, 2.0)

    def rec(v, n):
        return v if n == 0 else rec(g(v), n - 1)
    return rec(x[1], 3)


P = collections.namedtuple('P', 'x y')


def nt(p, n):
    return p.x if n == 0 else nt(P(p.x * p.y, p.y + 1.0), n - 1)


@program
def named(x):
    return nt(P(x[0], x[1]), 3)


def listarg(fs, v, n):
    return v if n == 0 else listarg(fs, fs[0](fs[1](v)), n - 1)


@program
def lists_of_functions(x):
    return listarg([math.sin, lambda v: v * x[0]], x[1], 2) + listarg((math.cos, lambda v: v - x[0]), x[1], 2)


def poly(c):

    def p(v):
        r = 0.0
        for a in c:
            r = r * v + a
        return r
    return p


@program
def polys(x):
    p, q = (poly([1.0, x[0], 2.0]), poly([x[1], 3.0]))
    return p(x[0]) * q(x[1]) + p(q(x[0]))


hook = lambda v: v * 2.0


def via_hook(v):
    return hook(v)


@program
def hooks(x):
    return via_hook(x[0]) + hook(x[1])



def test_a_function_that_makes_its_result_is_no_function_of_its_own():
    def f(x):
        return build(3)(x[0])

    error = refuses(f, X, code="SCT204")
    assert "returns a function that it makes" in str(error)
