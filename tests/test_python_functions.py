"""Functions as Python has them: scopes, closures, decorators, recursion, truth; the plain call is the oracle.

Each program is differentiated as it is, and with every helper that is called again made a function of its own.
"""

import collections
import functools
import math
import subprocess
import sys
from typing import Any

import numpy as np
import pytest
from oracle import agrees, refuses

import sct.frontend.calls.outlining as repeated
from sct import SctError, value_and_grad

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


# -- more of functions ----------------------------------------------------------------------------


FS = [lambda v, k=k: v * k for k in range(3)]


LATE = [lambda v: v * kk for kk in range(3)]


TABLE = {'sq': lambda v: v * v, 'id': lambda v: v}


def pick(name):
    return TABLE[name]


@program
def uses_listed(x):
    return FS[1](x[0]) + FS[2](x[1]) + LATE[0](x[0])


@program
def uses_table(x):
    return pick('sq')(x[0]) + pick('id')(x[1]) + TABLE['sq'](x[1])


@program
def uses_loop_over(x):
    s = 0.0
    for f in FS:
        s = s + f(x[0]) * f(x[1])
    return s


@program
def uses_loop_dict(x):
    s = 0.0
    for name, f in TABLE.items():
        s = s + f(x[0]) * len(name)
    return s


class Op:

    def __init__(self, k, f):
        self.k, self.f = (k, f)

    def __call__(self, v):
        return self.f(v) * self.k


@program
def uses_objects(x):
    a = Op(x[0], math.sin)
    b = Op(2.0, a)
    c = Op(3.0, b)
    return c(x[1]) + a(x[0])


def retry(times):

    def deco(f):

        @functools.wraps(f)
        def w(*args, **kw):
            r = 0.0
            for k in range(times):
                r = r + f(*args, **kw)
            return r
        return w
    return deco


@retry(2)
def base(v, w=1.0):
    return v * w


@retry(3)
def upper(v):
    return base(v, w=v) + 1.0


@program
def uses_retry(x):
    return upper(x[0]) + base(x[1])


def validated(f):

    @functools.wraps(f)
    def w(v):
        if v < -100:
            raise ValueError('bad')
        return f(v)
    return w


@validated
def sq(v):
    return v * v


@validated
def cube(v):
    return sq(v) * v


@program
def uses_validated(x):
    return cube(x[0]) + sq(x[1])


def counted(f):
    calls = 0

    def w(v):
        nonlocal calls
        calls += 1
        return f(v) * calls
    return w


@program
def uses_counted(x):
    g = counted(lambda v: v * v)
    h = counted(g)
    return g(x[0]) + h(x[1]) + g(x[1])


@program
def uses_attr(x):

    def g(v):
        return v * 2.0
    h = g
    return h(x[0]) if h is g else x[1]


@program
def uses_swap(x):
    f, g = (math.sin, math.cos)
    for k in range(3):
        f, g = (g, f)
    return f(x[0]) * g(x[1])


@program
def uses_choose(x):
    f = math.sin if x[0] > 0.5 else math.cos
    return f(x[1])


@program
def uses_choose_closure(x):
    k = x[0]
    f = (lambda v: v * k) if x[1] > 1.0 else lambda v: v + k
    return f(x[1])


@program
def uses_fold(x):
    return functools.reduce(lambda f, g: lambda v: g(f(v)), [math.sin, lambda v: v * x[1], math.exp])(x[0])


@program
def uses_many_compose(x):
    f = lambda v: v
    for k in range(30):
        f = (lambda g: lambda v: g(v) * 1.01 + 0.01 * x[0])(f)
    return f(x[1])


@program
def uses_many_compose_late(x):
    f = lambda v: v
    for k in range(5):

        def f(v, f=f, k=k):
            return f(v) * x[0] + k
    return f(x[1])


@program
def uses_gen(x):
    return sum((f(x[0]) for f in [math.sin, math.cos])) + x[1]


@program
def uses_acker(x):

    def go(m, n, v):
        if m == 0:
            return v * x[0]
        if n == 0:
            return go(m - 1, 1, v + x[1])
        return go(m - 1, n - 1, go(m, n - 1, v))
    return go(1, 2, x[0])


@program
def uses_hanoi(x):
    s = 0.0

    def move(n, a, b):
        nonlocal s
        if n == 0:
            return
        move(n - 1, b, a)
        s = s + a * n
        move(n - 1, a, b)
    move(3, x[0], x[1])
    return s


@program
def uses_mutual_nonlocal(x):
    t = x[0]

    def ping(n):
        nonlocal t
        t = t * x[1]
        return t if n == 0 else pong(n - 1)

    def pong(n):
        nonlocal t
        t = t + x[0]
        return t if n == 0 else ping(n - 1)
    return ping(3) + pong(2) * t


@program
def uses_cps(x):

    def fact(n, k):
        return k(x[0]) if n == 0 else fact(n - 1, lambda v: k(v * n))
    return fact(3, lambda v: v * x[1])


@program
def uses_stream(x):

    def stream(v):
        return (v, lambda: stream(v * x[1]))
    a, rest = stream(x[0])
    b, rest = rest()
    c, rest = rest()
    return a + b * c


@program
def uses_church(x):
    two = lambda f: lambda v: f(f(v))
    three = lambda f: lambda v: f(f(f(v)))
    add = lambda a, b: lambda f: lambda v: a(f)(b(f)(v))
    mul = lambda a, b: lambda f: a(b(f))
    return mul(two, add(two, three))(lambda v: v * x[0] + 0.1)(x[1])


@program
def uses_memo_default(x):

    def g(v, seen=[]):
        return v * 2.0
    return g(x[0]) + g(x[1])


@program
def uses_shadow_builtin(x):
    sum = lambda a: a[0] * a[1]
    len = 3.0
    return sum(x) * len


@program
def uses_star_partial(x):

    def g(*a, **k):
        return sum(a) * k.get('w', 1.0)
    p = functools.partial(g, x[0], w=x[1])
    return p(1.0) + p(2.0, w=3.0) + functools.partial(p, 5.0)()


@program
def uses_default_order(x):

    def mk(v):
        print('default', float(v) > 0)
        return v

    def g(a=mk(x[0]), b=mk(-x[1])):
        return a * b
    print('defined')
    return g() + g(2.0)


@program
def uses_kwdefault(x):

    def g(a, *, b=x[1]):
        return a * b
    x = x * 2.0
    return g(x[0])


@program
def uses_del_closure(x):
    k = x[0]

    def g():
        return k  # noqa: F821
    a = g()
    del k
    return a + g()


# -- truth ----------------------------------------------------------------------------------------

@program
def mode_changes(x):
    mode, s = ('up', 0.0)
    for v in x:
        if mode == 'up':
            s = s + v
        else:
            s = s * v
        mode = 'down' if v > 0.5 else 'up'
    return s


@program
def toggles(x):
    mode, s = ('a', 0.0)
    for k in range(5):
        s = s + (x[0] if mode == 'a' else x[1] * k)
        mode = 'b' if mode == 'a' else 'a'
    return s


@program
def whiles(x):
    state, s, n = ('run', 0.0, 0)
    while state != 'done':
        s = s + x[0] * n
        n += 1
        if n > 3:
            state = 'done'
    return s


@program
def prints(x):
    name = 'start'
    for v in x:
        print(name)
        name = 'big' if v > 1.0 else 'small'
    return x[0] + (name == 'big')


@program
def none_then_str(x):
    prev, s = (None, 0.0)
    for v in x:
        s = s + (1.0 if prev is None else v) * v
        prev = 'p' if v > 1 else None
    return s


@program
def first_in_loop(x):
    for v in x:
        label = 'hi' if v > 1 else 'lo'
    return x[0] if label == 'hi' else x[1]


@program
def returned(x):
    for v in x:
        if v > 1.0:
            kind = 'big'
            break
    else:
        kind = 'none'
    return v * 2 if kind == 'big' else x[0]


@program
def truth_of_mode(x):
    name = 'fast'
    if x[0] > 5.0 and name:
        return x[0]
    return x[1]


@program
def truth_of_config(x):
    layers = [1.0, 2.0]
    if x[0] > 5.0 and layers:
        return x[0]
    return x[1]


@program
def truth_of_callback(x):
    cb = math.sin
    return cb(x[0]) if x[0] > 5.0 and cb else x[1]


@program
def truth_of_other_way(x):
    return x[0] if x[0] < 5.0 and '' else x[1]


@program
def truth_of_negated(x):
    return x[0] if not (x[0] > 5.0 and 'yes') else x[1]


@program
def truth_of_with_or(x):
    return x[0] if x[0] > 5.0 or [] else x[1]


@program
def truth_of_comprehension(x):
    return sum((v for v in x if v > 0.0 and 'a'))


@program
def truth_of_shape(x):
    return x[0] if x[0] > 5.0 and x.shape else x[1]


@program
def truth_of_raises(x):
    errs = []
    for v in x:
        if v > 50.0:
            errs.append(v)
    if errs and x[0] > 0.0:
        raise ValueError('some')
    return x[0]


@program
def truth_of_queue(x):
    q = [x[0], x[1]]
    s, n = (0.0, 0)
    while q and n < 20:
        v = q.pop(0)
        s += v * v
        if n < 3:
            q.append(v * 0.5)
        n += 1
    return s


@program
def truth_of_empty_range(x):
    return x[0] if range(0) else x[1]


@program
def truth_of_what_ends_a_loop(x):
    v = x[0]
    while v < 5.0 and "a":
        v = v + 1.0
    return v * x[1]


class Held:
    def __init__(self, a):
        self.a = a

    def get(self):
        return self.a


VALUES = {
    "string": ('v = "a" if x[0] > C else ""',),
    "string_num": ('v = "a" if x[0] > C else 0.0',),
    "none_num": ('v = None if x[0] > C else x[1]',),
    "none_zero": ('v = None if x[0] > C else 0',),
    "none_str": ('v = None if x[0] > C else "b"',),
    "none_list": ('v = None if x[0] > C else [1.0]',),
    "none_tuple": ('v = None if x[0] > C else (x[0], 1.0)',),
    "none_array": ('v = None if x[0] > C else x[:1]',),
    "lists": ('v = [x[0]] if x[0] > C else []',),
    "lists2": ('v = [x[0], 1.0] if x[0] > C else [2.0]',),
    "grown": ('v = []', 'for e in x:', '    if e > C: v.append(e)'),
    "popped": ('v = [x[0], x[1]]', 'for e in x:', '    if e > C: v.pop()'),
    "dicts": ('v = {"a": x[0]} if x[0] > C else {}',),
    "dict_num": ('v = {"a": x[0]} if x[0] > C else 0',),
    "callables": ('v = math.sin if x[0] > C else math.cos',),
    "callable_none": ('v = math.sin if x[0] > C else None',),
    "closures": ('v = (lambda u: u) if x[0] > C else None',),
    "numbers": ('v = 0 if x[0] > C else 2.5',),
    "number_bool": ('v = False if x[0] > C else x[1]',),
    "tuples": ('v = (x[0],) if x[0] > C else ()',),
    "tuples2": ('v = (x[0], 1.0) if x[0] > C else (1.0, 2.0)',),
    "array_num": ('v = x[:1] if x[0] > C else 0.0',),
    "array1": ('v = x[:1] * 0 if x[0] > C else x[1:]',),
    "range": ('v = range(int(x[0] * 3))',),
    "range3": ('v = range(3, int(x[0] * 5), 1)',),
    "iters": ('v = zip([], [])',),
    "iter2": ('v = enumerate([]) if x[0] > C else map(abs, [])',),
    "shape": ('v = x.shape',),
    "set": ('v = {1, 2} if x[0] > C else set()',),
    "obj": ('v = Held(0.0) if x[0] > C else Held(1.0)',),
    "obj_none": ('v = Held(0.0) if x[0] > C else None',),
    "and_value": ('v = x[0] > C and "yes"',),
    "or_value": ('v = x[0] > C or [1]',),
    "and_num": ('v = x[0] > C and x[1]',),
    "loop_none": ('v = None', 'for e in x:', '    if e > C: v = e'),
    "loop_str": ('v = ""', 'for e in x:', '    if e > C: v = "s"'),
    "loop_tuple": ('v = None', 'for e in x:', '    if e > C: v = (e, 1.0)'),
    "partial": ('v = functools.partial(max, 1.0) if x[0] > C else 0',),
    "method": ('v = Held(1.0).get',),
}
USES = {
    "if": ('if v:', '    return x[0] * 2', 'return x[1] * 3'),
    "not": ('if not v:', '    return x[0] * 2', 'return x[1] * 3'),
    "ifexp": ('return x[0] * 2 if v else x[1] * 3',),
    "and": ('if x[1] > 1.0 and v:', '    return x[0] * 2', 'return x[1] * 3'),
    "or": ('if x[1] > 2.0 or v:', '    return x[0] * 2', 'return x[1] * 3'),
    "bool": ('return x[0] * bool(v) + x[1]',),
    "notv": ('return x[0] * (not v) + x[1]',),
    "assert": ('assert v, "no"', 'return x[0] * 2'),
    "while": ('n = 0', 'while v and n < 3:', '    n += 1', 'return x[0] * n + x[1]'),
    "orvalue": ('w = v or 2.0', 'return x[0] * (w if isinstance(w, float) else 3.0)'),
    "andvalue": ('w = v and 2.0', 'return x[0] * (2.0 if w else 3.0)'),
    "comp": ('return sum([e for e in x if v]) + x[0]',),
    "chain": ('return x[0] if (x[1] > 1 and (v or x[0] > 3)) else x[1]',),
    "anyall": ('return x[0] if any([v, False]) else x[1]',),
}


def written(name, value, use, bound, path):
    """The program that uses a value, in a file of its own."""
    lines = [line.replace("C", bound) for line in (*VALUES[value], *USES[use])]
    text = "\n    ".join(["def f(x):", *lines]) + "\n"
    path.write_text(text)
    namespace = {"np": np, "math": math, "functools": functools, "Held": Held, "__name__": name}
    exec(compile(text, str(path), "exec"), namespace)
    return namespace["f"]


@pytest.mark.parametrize("k, value", list(enumerate(VALUES)), ids=str)
def test_truth(k, value, tmp_path):
    """Of values that paths agree on, and of those that they do not: as Python has it, or refused."""
    uses = list(USES)
    others = [(uses[(k + n) % len(uses)], "0.5") for n in (0, 5)]
    for j, (use, bound) in enumerate([("if", "0.5"), ("if", "5.0"), *others]):
        f = written(f"truth_{value}_{j}", value, use, bound, tmp_path / f"f{j}.py")
        try:
            agrees(f, X)
        except SctError as error:
            assert error.code in ("SCT501", "SCT502", "SCT504", "SCT505"), error


# -- augmented assignment, and None or a tuple ----------------------------------------------------


@program
def aug_name_array(x):
    y = x * 1.0
    z = y

    def g():
        nonlocal y
        y = y * 2.0
        return 1.0
    y += g()
    return np.sum(y * x) + np.sum(z)


@program
def aug_name_number(x):
    y = x[0]

    def g():
        nonlocal y
        y = y * 2.0
        return y
    y += g()
    return y * x[1]


@program
def aug_name_list(x):
    y = [x[0]]
    z = y

    def g():
        nonlocal y
        y = [5.0]
        return [x[1]]
    y += g()
    return y[0] * y[1] + z[1] + len(y)


@program
def aug_attr(x):
    o = Held(x[0])

    def g():
        o.a = 10.0
        return x[1]
    o.a += g()
    return o.a * x[0]


@program
def aug_attr_array(x):
    o = Held(x * 1.0)
    w = o.a

    def g():
        o.a = x * 3.0
        return x[1]
    o.a += g()
    return np.sum(o.a * w)


@program
def aug_attr_list(x):
    o = Held([x[0]])
    w = o.a
    o.a += [x[1]]
    return w[0] * w[1] + len(o.a)


@program
def aug_sub(x):
    y = x * 1.0

    def g():
        y[0] = 10.0
        return x[1]
    y[0] += g()
    return y[0] * x[0]


@program
def aug_sub_array_written(x):
    y = x * 1.0

    def g():
        y[0] = 10.0
        return x[1]
    y += g()
    return y[0] * x[0] + y[1]


@program
def aug_dict(x):
    d = {'a': x[0]}

    def g():
        d['a'] = 10.0
        return x[1]
    d['a'] += g()
    return d['a'] * x[0]


@program
def aug_dict_array(x):
    d = {'a': x * 1.0}
    w = d['a']

    def g():
        d['a'] = x * 4.0
        return x[1]
    d['a'] += g()
    return np.sum(d['a'] * w)


@program
def aug_list_list(x):
    d = [[x[0]], [2.0]]
    w = d[0]
    d[0] += [x[1]]
    return w[0] * w[1] + len(d[0])


@program
def aug_tuple_array(x):
    t = (x * 1.0, 1.0)
    t[0][0] += x[1]
    return t[0][0] * x[0]


@program
def aug_key_once(x):
    n = []

    def k():
        n.append(1)
        return 0
    y = x * 1.0
    y[k()] += len(n) * x[1]
    return y[0] * len(n)


@program
def aug_mask(x):
    y = x * 1.0
    y[x > 1.0] += x[0]
    y[[0, 0]] += x[1]
    return y[0] * y[1]


@program
def aug_slice(x):
    y = np.concatenate([x, x])
    z = y[1:]

    def g():
        nonlocal y
        y = y * 5.0
        return x[0]
    y[1:3] += g()
    return np.sum(y) * z[0]


@program
def perhaps_eq(x):
    p = None
    for v in x:
        if p == (v, 1.0):
            return v * 3.0
        p = (v, 1.0)
    return x[0] if p == (x[1], 1.0) else x[1]


@program
def perhaps_ne(x):
    p, s = (None, 0.0)
    for v in x:
        if p != (v, 1.0):
            s = s + v
        if v > 0.5:
            p = (v, 1.0)
    return s * x[0]


def compared_in_a_tuple(x):
    t = (x[0], "a") if x[0] > 0.5 else (x[1], [1])
    return x[0] if t == (x[0], "a") else x[1]


def asked_for_none(x):
    t = (x[0], math.sin) if x[0] > 0.5 else (x[1], None)
    return t[0] if t[1] is None else x[1]


def test_what_paths_disagree_on_is_compared_on_each():
    agrees(compared_in_a_tuple, X)
    agrees(compared_in_a_tuple, X[::-1].copy())


def test_what_is_none_on_one_path_is_asked_for():
    agrees(asked_for_none, X)
    agrees(asked_for_none, X[::-1].copy())


# -- caches ---------------------------------------------------------------------------------------


@functools.lru_cache(maxsize=None)
def outer_cached(x):
    return x * x


@functools.cache
def table(n):
    return [float(k) for k in range(n)]


@functools.lru_cache
def basis(n):
    return np.arange(n) * 2.0


@functools.cache
def power(v, n):
    return 1.0 if n == 0 else v * power(v, n - 1)


@functools.cache
def fibo(n):
    return 1.0 if n < 2 else fibo(n - 1) + fibo(n - 2)


@functools.cache
def noisy(n):
    print('computing', n)
    return n * 2.0


@program
def cache_outer(x):
    return outer_cached(x[0]) * outer_cached(x[1])


@program
def cache_table(x):
    return table(3)[1] * x[0] + table(2)[1] * x[1]


@program
def cache_basis(x):
    return np.sum(basis(2) * x) * basis(3)[1]


@program
def cache_power(x):
    return power(x[0], 3) + power(x[1], 2)


@program
def cache_local(x):

    @functools.cache
    def g(n):
        return x[0] * n
    return g(2) + g(2) * g(3)


@program
def cache_local_rec(x):

    @functools.lru_cache(maxsize=None)
    def g(n):
        return x[0] if n == 0 else g(n - 1) * x[1]
    return g(4)


@program
def cache_options(x):

    @functools.lru_cache(None)
    def g(n, k=2):
        return x[0] * n ** k
    return g(2) + g(3, k=1)


@program
def cache_raise(x):

    @functools.cache
    def g(n):
        if n < 0:
            raise ValueError('neg')
        return x[0] * n
    return g(2) + g(-1)


@program
def cache_unhashable(x):

    @functools.cache
    def g(v):
        return v[0]
    return g(x)


@program
def cache_in_loop(x):
    s = 0.0

    @functools.cache
    def g(n):
        return x[0] * n
    for k in range(4):
        s = s + g(k % 2) * x[1]
    return s


def cache_effect(x):
    return noisy(2) * x[0] + noisy(2) * x[1]


def cache_no_write(x):

    @functools.lru_cache(None)
    def g(n):
        x[0] += 1.0
        return x[0] * n
    return g(2) + g(2) * g(3)


def cache_fib(x):
    return fibo(5) * x[0]


def cache_fib_of_inputs(x):

    @functools.cache
    def f(k):
        return x[0] if k < 2 else f(k - 1) + 0.5 * f(k - 2)
    return f(7)


def cache_no_changes(x):
    k = x[0]

    @functools.cache
    def g(n):
        return k * n
    a = g(2)
    k = x[1]
    return a * g(2)


def cache_no_changes_array(x):
    y = x * 1.0

    @functools.cache
    def g(n):
        return y[0] * n
    a = g(2)
    y[0] = 10.0
    return a * g(2)


def cache_no_changes_loop(x):
    k = x[0]

    @functools.cache
    def g(n):
        return k * n
    s = 0.0
    for j in range(3):
        s = s + g(2)
        k = k * x[1]
    return s


def cache_no_result_written(x):

    @functools.cache
    def g(n):
        return np.ones(n) * x[0]
    a = g(2)
    a[0] = 5.0
    return np.sum(g(2)) * x[1]


def cache_no_types(x):

    @functools.cache
    def g(n):
        return n * 2
    return x[0] * g(2) + x[1] * (g(2.0) / 3)


def cache_no_nonlocal(x):
    c = 0.0

    @functools.cache
    def g(n):
        nonlocal c
        c = c + x[0]
        return n * 1.0
    g(1)
    g(1)
    return c


def cache_no_append(x):
    log = []

    @functools.cache
    def g(n):
        log.append(n)
        return x[0] * n
    g(1)
    g(1)
    return g(1) * len(log)


class M:

    def __init__(self, k):
        self.k = k

    @functools.lru_cache(None)  # noqa: B019
    def get(self, v):
        return self.k * v


m = M(3.0)


def cache_method(x):
    return m.get(x[0]) + m.get(x[1])


def cache_no_method(x):
    o = M(x[0])
    a = o.get(2.0)
    o.k = x[1]
    return a * o.get(2.0)


CACHE_TOLD = [
    cache_no_write, cache_no_changes, cache_no_changes_array,
    cache_no_changes_loop, cache_no_result_written, cache_no_types, cache_no_nonlocal, cache_no_append,
    cache_no_method, cache_method,
]


@pytest.mark.parametrize("f", CACHE_TOLD, ids=lambda f: f.__name__)
def test_a_cache_that_can_be_told_is_refused(f):
    refuses(f, X, code="SCT301" if f is cache_no_result_written else "SCT204")


def test_a_cache_is_empty_again_after_a_run_in_which_types_are_observed():
    M.get.cache_clear()
    refuses(cache_no_method, X, code="SCT204")
    assert M.get.cache_info().currsize == 0


def test_a_cached_function_that_calls_itself_twice_has_its_cache():
    agrees(cache_fib_of_inputs, X)


def test_a_cached_function_of_what_is_not_differentiated_runs_as_it_is(capsys):
    agrees(cache_fib, X)
    noisy.cache_clear()
    value_and_grad(cache_effect)(X)
    assert capsys.readouterr().out == "computing 2\n"


# -- keywords given twice ----------------------------------------------------------------------------------


def scaled_by(a: Any, b: Any = 0.0) -> Any:
    return a * 2.0 + b


def loud(f: Any) -> Any:
    return lambda *a, **kw: f(*a, verbose=True, **kw)


@loud
def spoken(x: Any, verbose: bool = False) -> Any:
    return x * 2.0 if verbose else x


GIVEN = {"a": 3.0}


@pytest.mark.parametrize("f", (
    lambda x: scaled_by(**{"a": x}, **{"a": 2.0}), lambda x: scaled_by(a=x, **{"a": 2.0}),
    lambda x: scaled_by(**GIVEN, a=x), lambda x: scaled_by(**{"b": x}, a=1.0, b=x), lambda x: dict(a=x, **{"a": 2.0}),
    lambda x: (lambda **k: k["a"])(**{"a": x}, **{"a": 2.0}), lambda x: functools.partial(scaled_by, a=x, **GIVEN)(),
    lambda x: sum([x], **{"start": 1.0}, **{"start": 2.0}), lambda x: spoken(x, verbose=False), spoken,
    lambda x: scaled_by(x, **{1: 2.0}), lambda x: x if x < 1.0 else spoken(x, verbose=True),
    lambda x: scaled_by(**{"a": x}, **{"b": 2.0})))
def test_a_keyword_is_given_once(f: Any) -> None:
    agrees(f, 1.3)


# -- attributes of numbers ---------------------------------------------------------------------------------


NUMBERS = (lambda x: x, lambda x: math.sin(x), lambda x: x > 1.0, lambda x: int(x), lambda x: x + 1)


@pytest.mark.parametrize("number", NUMBERS)
@pytest.mark.parametrize("name", ("sum", "shape", "T", "copy", "item", "ndim", "size", "dtype", "mean", "nope", "real"))
@pytest.mark.parametrize("carrier", (float, np.float64))
def test_numbers_of_python_have_no_attributes_of_arrays(carrier: Any, name: str, number: Any) -> None:
    agrees(lambda x: x * 2.0 if hasattr(number(x), name) else x, carrier(1.3))
    if not hasattr(number(carrier(1.3)), name):
        agrees(lambda x: x * 2.0 if getattr(number(x), name) is None else x, carrier(1.3))


def test_asserts_are_left_out_where_python_leaves_them_out(tmp_path: Any) -> None:
    path = tmp_path / "asserts.py"
    path.write_text("import sct\ndef f(x):\n    assert x < 1.0, 'big'\n    return x * 2.0\n"
                    "print(sct.value_and_grad(f)(1.5))\n")
    done = subprocess.run([sys.executable, "-O", str(path)], capture_output=True, text=True, check=True)
    assert done.stdout == "(3.0, 2.0)\n"


def test_lambdas_on_a_line_that_read_different_variables() -> None:
    def double(v):
        return 2.0 * v

    def triple(v):
        return 3.0 * v

    first, second = lambda x: double(x[0]) * x[1], lambda x: triple(x[0]) * x[1]
    agrees(first, X)
    agrees(second, X)
