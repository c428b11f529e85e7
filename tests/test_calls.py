"""Forms of calls, builtins, iterators, `match`.

Every function with `@case` is checked: its value bit for bit, its derivatives against
central differences and against each other, twice.
"""

import copy
import functools
import io
import itertools
import linecache
import logging
import math
import operator
import random
import sys
import time
import typing
from functools import partial, reduce

import numpy as np
import pytest
from cases import Cases, check_program

import sct

A, B = np.array([0.5, 1.5, -0.7]), np.array([1.0, 2.0, 3.0])
case = Cases()


@case(1.5, 2.0, 0.3)
def varargs(*xs):
    return xs[0] * xs[1] + sum(xs)


@case(1.5, 2.0, 0.3)
def star_call(a, b, c):
    def g(*args, k=2.0, **kw):
        return args[0] * k + args[1] * kw["z"]

    t = (a, b)
    return g(*t, z=c, **{"k": a})


@case(1.5)
def kwonly(x, *, k=3.0):
    return x * k


@case(1.5, 2.5)
def posonly(x, y, /):
    return x * y


@case(1.5)
def mutable_default(x, acc=[1.0, 2.0]):
    return x * acc[0] + acc[1]


@case(A)
def star_assign(x):
    a, *rest = x
    return a * rest[0] + rest[1]


@case(2.0)
def star_display(x):
    l = [1.0, *[x, x * x], 3.0]
    return sum(l)


@case(2.0)
def late_binding(x):
    fs = []
    for i in range(3):
        fs.append(lambda y: y * i)
    return fs[0](x) + fs[1](x) + fs[2](x)


ACT = {"tanh": np.tanh, "relu": lambda v: np.maximum(v, 0.0), "sq": np.square}


@case(A)
def act_dict(x):
    return np.sum(ACT["tanh"](x) + ACT["relu"](x) + ACT["sq"](x))


@case(2.0)
def adder_result(x):
    def make(k):
        def add(y):
            return y * k

        return add

    return make(x)(3.0) + make(2.0)(x)


@case(2.0)
def partial_inside(x):
    def f(a, b, c=1.0):
        return a * b + c

    g = partial(f, x)
    h = partial(g, c=x)
    return g(3.0) + h(x)


def _f3(a, b, c=1.0):
    return a * b * b + c


G = partial(_f3, 2.0)
H = partial(G, c=4.0)


@case(2.0)
def partial_global(x):
    return G(x) + H(x)


@case(2.0)
def reduce_(x):
    return reduce(lambda a, b: a * b, [x, x + 1, x + 2]) + functools.reduce(operator.add, (x, x), 1.0)


def deco(f):
    @functools.wraps(f)
    def wrapper(*args, **kwargs):
        return 2.0 * f(*args, **kwargs)

    return wrapper


@deco
def helper(x, k=2.0):
    return x**k


@case(2.0)
def wrapped_helper(x):
    return helper(x) + helper(x, k=3.0)


@case(2.0)
@deco
def wrapped_top(x):
    return x**3


def deco2(k):
    def d(f):
        def wrapper(x):
            return k * f(x)

        return wrapper

    return d


@case(2.0)
@deco2(3.0)
def wrapped_noname(x):
    return x**3


@functools.lru_cache(maxsize=None)
def cached(x):
    return x * x


@case(2.0)
def lru_helper(x):
    return cached(x) * 3.0


@case(2.0)
def op_funcs(x):
    return (
        operator.add(x, 1.0) * operator.mul(x, x)
        - operator.neg(x)
        + operator.truediv(x, 2.0)
        + operator.itemgetter(1)([1.0, x])
        + operator.pow(x, 2)
    )


@case(A)
def op_getitem(x):
    return operator.getitem(x, 1) * operator.matmul(x, x)


@case(2.0)
def inner_deco(x):
    def d(f):
        @functools.wraps(f)
        def w(*a):
            return f(*a) * x

        return w

    @d
    def g(y):
        return y * y

    return g(x)


@case(2.0)
def walrus(x):
    if (y := x * x) > 1:
        return y * x
    return x


@case(0.5)
def chained(x):
    return x * 2 if 0 < x < 1 else x


@case(2.0, "sq")
def match_lit(x, mode):
    match mode:
        case "sq":
            return x * x
        case "cube" | "c":
            return x**3
        case _:
            return x


@case(2.0, 1)
def match_int(x, n):
    match n:
        case 0:
            y = x
        case 1:
            y = x * x
        case k if k > 5:
            y = x * k
        case _:
            y = x**3
    return y


@case(2.0)
def match_tuple(x):
    match (x, 1.0):
        case (a, 2.0):
            return a
        case (a, b):
            return a * b * 3


@case(2.0)
def lambdas(x):
    return (lambda a: a * 2)(x) + (lambda b: b * b)(x) + (lambda c, d=x: c * d)(x)


# -- builtins
@case(2.0)
def b1(x):
    return pow(x, 3) + round(2.6) * x + abs(-x) + divmod(x, 3.0)[1]


@case(A)
def b2(x):
    return sum(map(lambda v: v * v, x)) + sum(filter(lambda i: i > 1, [1, 2, 3])) * x[0]


@case(A)
def b3(x):
    return sum(v * i for i, v in enumerate(sorted([3, 1, 2], reverse=True))) * x[0]


@case(A)
def b4(x):
    it = iter([x[0], x[1], x[2]])
    first = next(it)
    return first * sum(it) + next(iter([]), 1.0)


@case(A)
def b5(x):
    return sum(a * b for a, b in zip(x, reversed(x)))


@case(A)
def it1(x):
    s = 0.0
    for a, b in itertools.product([x[0], x[1]], [1.0, 2.0]):
        s += a * b
    for a, b in itertools.combinations([x[0], x[1], x[2]], 2):
        s += a * b
    for v in itertools.chain([x[0]], (x[1], x[2])):
        s += v * v
    for a, b in itertools.pairwise([x[0], x[1], x[2]]):
        s += a * b * b
    for a in itertools.accumulate([x[0], x[1]]):
        s += a
    for a in itertools.accumulate([x[0], x[1]], operator.mul):
        s += a
    for a, b in itertools.zip_longest([x[0], x[1]], [1.0], fillvalue=5.0):
        s += a * b
    for a, i in zip([x[0], x[1]], itertools.count(1)):
        s += a * i
    for a, i in zip([x[0], x[1]], itertools.repeat(3.0)):
        s += a * i
    for a in itertools.islice([x[0], x[1], x[2]], 1, None):
        s += a
    for p in itertools.permutations([x[0], x[1]]):
        s += p[0] * p[1] ** 2
    return s


@case(A)
def pairwise_arr(x):
    s = 0.0
    for a, b in itertools.pairwise(x):
        s += a * b
    return s


@case(A, "Hello")
def strings(x, s):
    t = "abc".upper() + "d"
    return (
        x[0]
        * len(t)
        * (2.0 if s.lower() == "hello" else 1.0)
        * (3.0 if "ell" in s else 1.0)
        * (1.0 if s.startswith("H") else 2.0)
    )


CONFIG = {"lr": 0.1, "n": 3, "opts": {"k": 2.0}, "list": [1.0, 2.0]}


@case(2.0)
def config(x):
    return (
        x * CONFIG["lr"] * CONFIG["n"] + CONFIG["opts"]["k"] * x + CONFIG["list"][1] * math.pi + CONFIG.get("zz", 2.0)
    )


@case(A)
def copies(x):
    l = [x, 1.0]
    m = copy.copy(l)
    n = copy.deepcopy(l)
    l[0][0] = 5.0
    return np.sum(m[0]) + np.sum(n[0])


@case(2.0)
def casts(x):
    y: float = typing.cast(float, x)
    z = np.float64(y) * float(np.asarray(x))
    return z


log = logging.getLogger("x")


@case(2.0)
def logs(x):
    log.info("x is %s", x)
    logging.debug("hey")
    t = time.perf_counter()
    log.info("took %s", time.perf_counter() - t)
    return x * x


@case(2.0)
def rnd(x):
    return x * 1.0 + 0.0 * random.random()


@case(A)
def zero_d(x):
    s = np.zeros(())
    s[...] = x[0] * x[1]
    s[()] += x[2]
    return s * 1.0


@case(2.0)
def uni(x):
    d = {"a": x, "b": 2.0}
    return sum(v for v in d.values()) + sum({k: v * 2 for k, v in d.items()}.values())


@case(2.0)
def in_set(x):
    return x * (2.0 if "a" in {"a", "b"} else 1.0)


@case([2.0, 3.0])
def list_methods(l):
    l = list(l)
    l.append(1.0)
    return l[0] * l[1] + l.index(1.0) + len(l)


@case(2.0)
def max_key(x):
    return max([1.0, 2.0, -3.0], key=abs) * x + max([], default=2.0) * x + min(x, 3.0)


@case(2.0)
def ns_inside(x):

    return x


@case(2.0)
def gen_any(x):
    return x * (2.0 if any(v > 1 for v in [0.0, 2.0]) else 1.0) * (2.0 if all(i < 3 for i in range(3)) else 1.0)


@case(2.0)
def fmt(x):
    s = f"{x:.3f} {'a'!r}"
    "{} {}".format(1, 2)
    "%d" % 3
    return x * 2


@case(A)
def dyn_sum(x):
    return sum(x) + max(x) * 2 - min(x)


@case(A)
def dyn_any(x):
    return np.sum(x) * (2.0 if any(x > 1) else 1.0) * (3.0 if all(x < 5) else 1.0)


@case(A)
def dyn_reduce(x):
    return reduce(lambda a, b: a * b + b, x) + reduce(operator.add, x, 1.0)


@case(2.0)
def nonlocal_(x):
    s = 0.0

    def add(v):
        nonlocal s
        s += v * v

    add(x)
    add(3 * x)
    for i in range(3):
        add(x * i)
    return s


@case(A)
def nonlocal_loop(x):
    n = 0

    def tick():
        nonlocal n
        n += 1

    s = 0.0
    for v in x:
        if v > 0:
            tick()
        s += v * n
    return s


@case(2.0)
def decorators_args(x):
    def scale(k):
        def deco(f):
            @functools.wraps(f)
            def inner(*a, **kw):
                return k * f(*a, **kw)

            return inner

        return deco

    @scale(x)
    @scale(2.0)
    def g(v, p=2):
        return v**p

    return g(x) + g(x, p=3)


@case(2.0)
def comp_lambda(x):
    fs = [lambda y: y * i for i in range(3)]
    return fs[0](x) + fs[1](x)


@case(2.0)
def default_capture(x):
    fs = [lambda y, i=i: y * i for i in range(3)]
    return fs[0](x) + fs[1](x) + fs[2](x)


@case((1.0, 2.0), {"k": 3.0})
def tup_dict(t, d):
    a, b = t
    return a * b * d["k"]


@case(A)
def unpack_nested(x):
    (a, b), *c = [(x[0], x[1]), x[2], 3.0]
    [d, e] = c
    return a * b * d * e


def gen_kwargs(a, *args, b=2.0, **kwargs):
    return a * b + sum(args) + sum(kwargs.values())


@case(2.0)
def kwfun(x):
    return gen_kwargs(x, x, 1.0, b=x, c=x * x) + gen_kwargs(*[x, 2.0], **{"d": x})


@case(2.0)
def math_of_lists(x):
    return math.prod([x, x + 1]) + math.fsum([x, 1.0]) + math.hypot(x, 1.0) + math.dist([x, 1.0], [0.0, 0.0])


@case(2.0)
def import_in(x):
    import math as m
    from math import cos as c
    from math import sin

    import numpy.linalg

    return m.exp(x) * sin(x) + c(x) + numpy.linalg.norm(np.array([x, 1.0]))


@case(2.0, 3)
def matchn(x, n):
    match n, x:
        case 3, _ if x > 5:
            return x
        case 3, y:
            return y * x
        case _:
            return x**3


@case({"kind": "lin", "w": 2.0}, 3.0)
def match_map(d, x):
    match d:
        case {"kind": "quad", "w": w}:
            return w * x * x
        case {"kind": "lin", "w": w, **rest}:
            return w * x


@case([1.0, 2.0, 3.0])
def match_seq(l):
    match l:
        case []:
            return 0.0
        case [a]:
            return a
        case [a, *rest]:
            return a * rest[0] + rest[-1] ** 2


@case(2.5)
def match_val(x):
    match math.floor(x):
        case 0 | 1:
            y = x
        case 2 | 3:
            y = x * x
        case _:
            y = -x
    return y


@case(2.0)
def type_calls(x):
    t = type(x)
    return t(x) * (2.0 if isinstance(x, (int, float)) else 1.0) + float(str(2.5)) * x


@case(A)
def eq_shapes(x):
    if x.shape != (3,):
        raise ValueError("bad")
    y = x * 2
    assert x.shape == y.shape
    return np.sum(y)


@case(2.0)
def str_cat(x):
    name = "a" + "b"
    n = len(name) * ("-" * 3).count("-")
    return x * n * (1 if f"{name}!" == "ab!" else 2)


@case(2.0)
def set_ops(x):
    return x * len({1, 2}) + sum(sorted({3, 1})) * x + (x if 3 in frozenset((3,)) else 0.0)


@case(A)
def print_things(x):
    print("p", (1, 2), [1.5], {"a": 1}, None, x[0] > 0, end="")
    return np.sum(x)


@case(2.0)
def time_it(x):
    t0 = time.perf_counter()
    y = x * x
    dt = time.perf_counter() - t0
    if dt > 100.0:
        print("slow", dt)
    return y


@case(2.0)
def curried(x):
    add = lambda a: lambda b: lambda c: a * b + c
    return add(x)(x + 1)(x * 2)


@case(2.0)
def compose(x):
    def compose2(*fs):
        return reduce_(lambda f, g: lambda v: f(g(v)), fs)

    reduce_ = functools.reduce
    return compose2(math.sin, lambda v: v * v, math.exp)(x * 0.1)


@case(A)
def vectorized_list(x):
    fs = [np.sin, np.cos, lambda v: v**2]
    return sum(np.sum(f(x)) for f in fs)


@case(A)
def dict_of_fns(x):
    table = {"a": (np.sin, 2.0), "b": (np.cos, 3.0)}
    return sum(k * np.sum(f(x)) for f, k in table.values())


@case(2.0)
def star_dict(x):
    d = {"a": x, **{"b": 2.0}, "c": 3.0}

    def f(a, b, c):
        return a * b + c

    return f(**d)


@case(2.0)
def default_none(x):
    def f(a, b=None):
        return a * (b if b is not None else 2.0)

    return f(x) + f(x, x)


@case(2.0)
def kw_only_default_late(x):
    k = 2.0

    def f(a, *, b=k):
        return a * b

    k = 5.0
    return f(x) + k * x


@case(2.0)
def partialmethod_(x):
    return PM(x).double() + PM(x).triple(2.0)


class PM:
    def __init__(self, v):
        self.v = v

    def times(self, k, plus=0.0):
        return self.v * k + plus

    double = functools.partialmethod(times, 2.0)
    triple = functools.partialmethod(times, plus=1.0)


@case(A)
def np_vectorize_like(x):
    return np.sum(np.array([math.exp(v) for v in x]))


@case(2.0)
def while_else(x):
    i = 0
    while i < 3:
        i += 1
    else:
        x = x * 2
    return x


@case(2.0)
def assert_msg(x):
    assert isinstance(x, float), f"bad {x}"
    assert x > 0, "neg"
    return x * x


@case(2.0)
def global_fn_attr(x):
    return with_attribute.k * x


def with_attribute():
    pass


with_attribute.k = 3.0


@case(2.0)
def multi_ret(x):
    def f(a):
        return a, a * a, [a, {"k": a}]

    p, q, (r, d) = f(x)
    return p + q * r + d["k"]


@case(2.0)
def ternary_chain(x):
    return 1.0 * x if x < 1 else 2.0 * x if x < 3 else 3.0 * x


@case(2.0)
def swap(x):
    a, b = x, 1.0
    a, b = b, a
    (a, b), c = (b, a), 3
    return a * 2 + b * c


@case(2.0)
def chained_assign(x):
    a = b = [x, 1.0]
    a[1] = x * x
    return b[1] * a[0]


@case(2.0)
def zip_star(x):
    pairs = [(x, 1.0), (2.0, x), (x, x)]
    a, b = zip(*pairs)
    return sum(a) * sum(b)


@case(2.0)
def enumerate_start(x):
    return sum(i * v for i, v in enumerate([x, x * x, 3.0], start=1))


@case(2.0)
def dict_iter(x):
    d = {"a": x, "b": x * x}
    d.update(c=3.0)
    s = 0.0
    for k in d:
        s += d[k]
    for k, v in sorted(d.items()):
        s += v
    return s + len(d) + d.setdefault("z", 1.0) + d.pop("a")


@case(2.0)
def str_fmt(x):
    key = "layer_{}".format(2)
    d = {"layer_2": x}
    key2 = "layer_%d" % 2
    return d[key] * d[f"layer_{1 + 1}"] * d[key2]


@case(2.0)
def slice_obj(x):
    l = [x, x * 2, x * 3, x * 4]
    s = slice(1, 3)
    return sum(l[s]) + sum(l[::-1][:2]) + l[-1]


@case(A)
def slice_arr(x):
    s = slice(1, None)
    i = (slice(None),)
    return np.sum(x[s]) + np.sum(x[i] ** 2)


@case(2.0)
def any_gen(x):
    return x if any(math.isnan(v) for v in [1.0, 2.0]) else x * 2


@case(2.0)
def lambda_default_expr(x):
    return (lambda *a, k=2.0, **kw: sum(a) * k * kw.get("z", 1.0))(x, x, z=x)


@case(2.0)
def closure_counter(x):
    def make():
        n = 0

        def inc():
            nonlocal n
            n += 1
            return n

        return inc

    c = make()
    c()
    c()
    return x * c()


@case(2.0)
def list_ops(x):
    l = [1.0] * 2 + [x]
    l += [x * x]
    l.insert(0, 3.0)
    l.extend((x,))
    l[0:1] = (2.0, x)
    return sum(l) + l.pop() + l.pop(0)


@case(2.0)
def bit_ops(x):
    return x * ((5 & 3) | (1 << 2)) + (7 >> 1) + (x if not (1 ^ 1) else 0)


@case(2.0)
def int_float_mix(x):
    return x**2 // 1 * 0 + x * 7 // 2 * 0 + x % 1.5 + (-x) * 2


@case(2.0)
def numeric_methods(x):
    return x * (2.5).as_integer_ratio()[0] + 0.0 + x.real


@case(2.0)
def complex_dispatch(x):
    ops = {"+": operator.add, "*": operator.mul, "neg": operator.neg}
    prog = [("+", 1.0), ("*", x), ("neg",)]
    acc = x
    for name, *args in prog:
        acc = ops[name](acc, *args)
    return acc


@case(A)
def ellipsis_none(x):
    return np.sum(x[..., None] * x[None, ...]) + np.sum(x[...])


@case(2.0, None)
def optional_arg(x, b):
    return x * 2 if b is None else x * b


@case(2.0, True)
def bool_arg(x, flag):
    if flag:
        return x * 3
    return x


@case(2.0, "add")
def getattr_op(x, name):
    return getattr(operator, name)(x, x)


@pytest.mark.parametrize("f, args", case.params)
def test_derivatives(f, args):
    check_program(f, args)


# -- what the function raises, its derivative raises ---------------------------------------------------


def needs_two(a, b, *, c=1.0):
    return a * b * c


class Thing:
    def method(self, a):
        return a


class NT(typing.NamedTuple):
    a: float
    b: str


RAISING = {
    "a missing key": lambda x: {"a": x}["b"],
    "an index out of range": lambda x: [x, x][3],
    "an index of a tuple": lambda x: (x,)[-2],
    "a missing argument": lambda x: needs_two(x),
    "too many arguments": lambda x: needs_two(x, x, x),
    "an unknown keyword": lambda x: needs_two(x, x, d=x),
    "an argument given twice": lambda x: needs_two(x, x, a=x),
    "a missing argument of a method": lambda x: Thing().method(),
    "too many arguments of a method": lambda x: Thing().method(x, x),
    "a call of a number": lambda x: x(2),
    "a call of an object": lambda x: Thing()(x),
    "a call of nothing": lambda x: {}.get("f")(x),
    "an operator that is not defined": lambda x: (Thing() + x) * x,
    "an operator that is not defined on the left": lambda x: x * Thing(),
    "an order that is not defined": lambda x: x if Thing() < Thing() else 2.0 * x,
    "too many items to unpack": lambda x: [a for a, b in [(x, x, x)]][0],
    "too few items to unpack": lambda x: [a for a, b, *c in [(x,)]][0],
    "arguments of a class": lambda x: Thing(x),
    "fields of a named tuple": lambda x: NT(x, "a", 1.0),
    "a field that is missing": lambda x: NT(b=x),
    "a write of a field": lambda x: setattr(NT(x, "a"), "a", x),
    "a missing attribute": lambda x: Thing().nothing * x,
    "a missing attribute of a module": lambda x: math.nothing * x,
    "pop of nothing": lambda x: [].pop() * x,
    "a position of nothing": lambda x: [1, 2].index(3) * x,
    "next of nothing": lambda x: next(iter([])) * x,
    "the largest of nothing": lambda x: max([]) * x,
    "reduce of nothing": lambda x: reduce(operator.add, []) * x,
    "a string method": lambda x: "a".index("b") * x,
}


@pytest.mark.parametrize("f", [pytest.param(f, id=name) for name, f in RAISING.items()])
def test_raises_the_same(f):
    with pytest.raises((LookupError, TypeError, AttributeError, ValueError, StopIteration)) as plain:
        f(2.0)
    with pytest.raises(type(plain.value)) as derived:
        sct.value_and_grad(f)(2.0)
    assert type(derived.value) is type(plain.value)
    assert derived.value.args == plain.value.args


def test_the_other_path_does_not_raise():
    def f(x, d):
        return d["b"] * x if x > 0.0 else d["a"] * x

    assert sct.grad(f)(-1.0, {"a": 3.0}) == 3.0
    with pytest.raises(KeyError, match="b"):
        sct.grad(f)(1.0, {"a": 3.0})


# -- effects ------------------------------------------------------------------------------------------


def test_logging_happens_once(caplog):
    def f(x):
        y = x * x
        log.warning("y is %s of %s", y, np.array([1.0]))
        logging.getLogger("other").error("again")
        return y * y

    with caplog.at_level(logging.WARNING):
        assert sct.grad(f)(2.0) == 32.0
    assert [r.getMessage() for r in caplog.records] == ["y is 4.0 of [1.]", "again"]


def test_random_numbers_are_drawn_once():
    def f(x, rng):
        noise = GENERATOR.normal(0.0, 1.0, 3)
        return np.sum(x * noise) * random.uniform(1.0, 2.0) * GENERATOR.random()

    random.seed(1)
    GENERATOR.bit_generator.state = np.random.default_rng(5).bit_generator.state
    value, dx = sct.value_and_grad(f)(A, None)
    random.seed(1)
    rng = np.random.default_rng(5)
    noise, u, v = rng.normal(0.0, 1.0, 3), random.uniform(1.0, 2.0), rng.random()
    assert value == np.sum(A * noise) * u * v
    np.testing.assert_allclose(dx, noise * u * v)


GENERATOR = np.random.default_rng(0)


def test_text_of_containers(capsys):
    def f(x):
        print((x,), [x, np.float64(1.5)], {"a": x, 2: None}, NT(x, "b"), sep="|")
        print(f"{(x, 1)} {[x]!r} {x:.2f}", str((x, 2)), repr("s"))
        return x * x

    f(2.0)
    plain = capsys.readouterr().out
    sct.grad(f)(2.0)
    assert capsys.readouterr().out == plain


def test_sum_of_floats_is_the_builtin():
    def f(a, b, c, d):
        return sum([a, b, c, d])

    args = (1e16, 1.0, -1e16, 1e-3)
    value, grads = sct.value_and_grad(f, (0, 1, 2, 3))(*args)
    assert value == f(*args)
    assert grads == (1.0, 1.0, 1.0, 1.0)


# -- where functions come from -----------------------------------------------------------------------


def cell(text, name):
    """Text as IPython runs a cell: compiled under a name that `linecache` knows."""
    file = f"<ipython-input-{name}>"
    linecache.cache[file] = (len(text), None, text.splitlines(True), file)
    namespace = {"np": np, "__name__": "__main__"}
    exec(compile(text, file, "exec"), namespace)
    return namespace


def test_cells_of_a_notebook():
    cell("def helper(x):\n    return x * x\n", 1)
    made = cell("def helper(x):\n    return 3.0 * x\n\nf = lambda x: helper(x) * x; g = lambda x: helper(x)\n", 2)
    assert sct.grad(made["f"])(2.0) == 12.0
    assert sct.grad(made["g"])(2.0) == 3.0


def test_text_that_is_gone_is_refused():
    namespace = {}
    exec("def f(x):\n    return x * x\n", namespace)
    with pytest.raises(sct.SctError, match=r"SCT201.*is not available"):
        sct.grad(namespace["f"])(2.0)


def test_helpers_of_other_modules(tmp_path, monkeypatch):
    (tmp_path / "helpers_a.py").write_text("from helpers_b import scale\ndef twice(x):\n    return 2.0 * scale(x)\n")
    (tmp_path / "helpers_b.py").write_text("K = 5.0\ndef scale(x):\n    return K * x * x\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    import helpers_a
    import helpers_b

    def f(x):
        return helpers_a.twice(x)

    df = sct.grad(f)
    assert df(1.0) == 20.0
    helpers_b.K = 7.0
    assert df(1.0) == 28.0
    monkeypatch.setattr(helpers_b, "scale", lambda x: x)
    assert df(1.0) == 28.0  # helpers_a has its own name for it
    monkeypatch.setattr(helpers_a, "scale", lambda x: x)
    assert df(1.0) == 2.0
    for name in ("helpers_a", "helpers_b"):
        sys.modules.pop(name)


def test_a_helper_edited_since_import_is_refused(tmp_path, monkeypatch):
    file = tmp_path / "edited_helper.py"
    file.write_text("def scale(x):\n    return 5.0 * x * x\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    import edited_helper

    file.write_text("def scale(x):\n    return 6.0 * x * x\n")
    linecache.checkcache(str(file))
    with pytest.raises(sct.SctError, match="SCT202"):
        sct.grad(lambda x: edited_helper.scale(x))(1.0)
    sys.modules.pop("edited_helper")


def test_what_is_emitted_reads_naturally():
    def f(x, *rest, k=2.0, **options):
        return k * x * sum(rest) * options["scale"]

    df = sct.grad(f)
    assert df(2.0, 3.0, 4.0, scale=5.0) == 70.0
    assert "def f_grad(x, *rest, k=2.0, **options):" in df.source


def test_an_iterator_that_was_left_early_goes_on():
    def f(x):
        it = iter([x, x * x, 3.0])
        for v in it:
            if v > 1.0:
                break
        return next(it)

    df = sct.grad(f)
    assert df(2.0) == 4.0
    assert df(1.5) == 3.0
    with pytest.raises(StopIteration):
        df(0.5)


def stepped(x, s=-0.48, t=2):
    for j in range(2, 6, 2):
        if j:
            t += x
        else:
            s, t = (t, s)
        k = 0
        while (k := k + 1) < 4:
            t = t * s
    return s


def stepped_twice(x, y):
    if stepped(y, t=x):
        pass
    return stepped(y, t=1.5)


def test_the_bound_of_an_inner_loop_is_part_of_a_record() -> None:
    """A record of an iteration holds the iteration count of the inner loop, which the backward loop runs over."""
    value, slopes = sct.value_and_grad(stepped_twice, argnums=(0, 1))(0.842, 1.332)
    assert value == stepped_twice(0.842, 1.332)
    assert slopes == (0.0, 0.0)


def test_print_to_a_stream(capsys: pytest.CaptureFixture[str]) -> None:
    """What is printed to the standard error goes there, once, and the derivative's text says so."""
    def f(x):
        if x < 0.0:
            print("negative:", x, file=sys.stderr)
        print(f"{x:.1f}", 2, sep="-", file=sys.stderr, flush=True)
        print("out", file=sys.stdout)
        return x * x

    of = sct.value_and_grad(f)
    for x, err in ((2.0, "2.0-2\n"), (-2.0, "negative: -2.0\n-2.0-2\n"), (3.0, "3.0-2\n")):
        assert of(x) == (x * x, 2.0 * x)
        assert capsys.readouterr() == ("out\n", err)
    assert 'print("negative:", x, file=sys.stderr)' in of.source

    log = io.StringIO()

    def to_a_file(x):
        print(x, file=log)
        return x * x

    with pytest.raises(sct.SctError, match="SCT205"):
        sct.grad(to_a_file)(1.0)
