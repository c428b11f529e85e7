"""What Python does in order: names that a path leaves unbound, prints and exceptions; the plain call is the oracle."""

import math

import numpy as np
import pytest
from oracle import agrees, outcome, same_value

from sct import value_and_grad

X = np.array([0.7, 1.3])


# -- names that a path leaves unbound ---------------------------------------------------------------

UNBOUND = []


def unbound(f):
    """Registers a program of two numbers and a flag, or the trips of a loop: without it a name is unbound."""
    UNBOUND.append(f)
    return f


@pytest.mark.parametrize("n", [0, 1, 2])
@pytest.mark.parametrize("f", UNBOUND, ids=lambda f: f.__name__)
def test_unbound(f, n):
    agrees(f, X, n)


def told(v):
    print("told")
    return v


class Point:
    def __init__(self, v):
        self.v = v
        self.kind = "s"

    def get(self, y):
        return y * self.v


@unbound
def function_of_a_loop(x, n):
    for _ in range(n):
        def h(v):
            return v * 2.0
    return h(x[0])


@unbound
def function_of_a_branch(x, n):
    if n:
        def h(v):
            return v * 2.0
    return h(told(x[0]))


@unbound
def lambda_of_a_loop(x, n):
    for _ in range(n):
        h = lambda v: v * 2.0
    return h(told(x[0]))


@unbound
def lambda_of_a_while(x, n):
    while n > 0:
        h = lambda v: v * 2.0
        n = n - 1
    return h(x[0])


@unbound
def length_of_a_list(x, n):
    if n:
        d = [x[0], x[1]]
    return len(d) * told(x[0])


@unbound
def truth_of_a_list(x, n):
    if n:
        d = [x[0], x[1]]
    return x[0] * (2.0 if d else 3.0)


@unbound
def items_of_a_list(x, n):
    if n:
        d = [x[0], x[1]]
    s = 0.0
    for v in d:
        s = s + v
    return s


@unbound
def second_of_two_lists(x, n):
    if n:
        a = [x[0]]
        b = [x[0], x[1]]
    print("between")
    return len(b) * x[0] + len(a)


@unbound
def an_empty_list(x, n):
    if n:
        d = []
    d.append(told(x[0]))
    return d[0]


@unbound
def list_that_is_printed(x, n):
    if n:
        d = [1.0, 2.0]
    print("before")
    print(d)
    return x[0]


@unbound
def list_by_another_name(x, n):
    if n:
        d = [1.0, 2.0]
    e = d
    return x[0] + 0 * len(e)


@unbound
def list_that_is_passed(x, n):
    if n:
        d = [1.0, 2.0]
    return (lambda q: x[0])(d)


@unbound
def list_that_is_compared(x, n):
    if n:
        d = [1.0, 2.0]
    return x[0] if d is None else x[1]


@unbound
def a_statement_of_its_own(x, n):
    if n:
        d = [1.0, 2.0]
    d
    return x[0]


@unbound
def keys_of_a_dict(x, n):
    if n:
        d = {"a": x[0]}
    s = x[0]
    for k in d:
        s = s + d[k]
    return s


@unbound
def truth_of_a_dict(x, n):
    if n:
        d = {"a": x[0]}
    if d:
        return x[0]
    return x[1]


@unbound
def attribute_of_an_object(x, n):
    if n:
        p = Point(x[0])
    return x[0] if p.kind == "s" else x[1]


@unbound
def method_of_an_object(x, n):
    if n:
        p = Point(x[0])
    return p.get(told(x[1]))


@unbound
def attribute_that_is_set(x, n):
    if n:
        p = Point(x[0])
    p.v = told(2.0)
    return p.v * x[0]


@unbound
def module_of_a_branch(x, n):
    if n:
        import math
    return math.sin(told(x[0]))


@unbound
def length_of_a_tuple(x, n):
    if n:
        t = (x[0], x[1])
    return len(t) * x[0]


@unbound
def an_empty_tuple(x, n):
    if n:
        t = ()
    return len(t) + x[0]


@unbound
def tuple_that_is_unpacked(x, n):
    if n:
        t = (x[0], 1)
    a, b = t
    return a * b


@unbound
def tuple_of_a_loop(x, n):
    for _ in range(n):
        p = (x[0], x[1])
    return len(p) * x[0]


@unbound
def an_iterator(x, n):
    if n:
        t = iter([x[0], x[1]])
    return next(t)


@unbound
def list_of_a_loop(x, n):
    for _ in range(n):
        d = [x[0], x[1]]
    return len(d) * d[0]


@unbound
def string_of_a_loop(x, n):
    for _ in range(n):
        p = "a"
    return x[0] if p == "a" else x[1]


@unbound
def none_of_a_loop(x, n):
    for _ in range(n):
        p = None
    return x[0] if p is None else x[1]


@unbound
def deleted_function(x, n):
    h = lambda v: v * 2.0
    if n:
        del h
    return h(x[0])


@unbound
def deleted_list(x, n):
    h = [x[0]]
    if n:
        del h
    return len(h) * x[0]


@unbound
def deleted_when_unbound(x, n):
    if n:
        h = [x[0]]
    del h
    return x[0]


@unbound
def bound_again_in_a_loop(x, n):
    if n:
        d = [x[0]]
    for _ in range(n - 1):
        d = [x[1]]
    return len(d) * x[0] + d[0]


@unbound
def bound_after_all(x, n):
    if n:
        d = [x[0]]
    d = [x[1]]
    return len(d) * x[0] + d[0]


@unbound
def bound_in_every_second_trip(x, n):
    for k in range(n):
        if k == 1:
            d = [x[0], x[1]]
    return len(d) * x[0]


@unbound
def bound_before_a_break(x, n):
    for k in range(n):
        if k > 0:
            break
        d = [x[0], x[1]]
    return len(d) * x[0]


@unbound
def name_of_a_comprehension(x, n):
    if n:
        d = [x[0]]
    s = sum([d * 2.0 for d in [x[0], x[1]]])
    return s + len(d)


@unbound
def read_in_an_arm(x, n):
    if n:
        d = [x[0], x[1]]
    if x[0] > 0.5:
        return len(d) * x[0]
    return x[1]


@unbound
def read_in_a_loop(x, n):
    if n:
        d = [x[0], x[1]]
    s = x[0]
    for k in range(2):
        print(k)
        s = s + len(d)
    return s


@unbound
def read_before_it_is_bound(x, n):
    s = x[0]
    for k in range(2):
        if k + n > 1:
            s = s + len(d)  # noqa: F821
        d = [x[0], x[1]]
    return s


# -- which of two exceptions ------------------------------------------------------------------------

RAISING = []


def raising(*args):
    """Registers a program with arguments for which it raises; several of its parts may."""
    def entered(f):
        RAISING.append(pytest.param(f, args, id=f"{f.__name__}{len(RAISING)}"))
        return f
    return entered


@pytest.mark.parametrize("f, args", RAISING)
def test_raising(f, args):
    agrees(f, *args)


@raising(0.0)
@raising(-1.0)
def logarithm(x):
    return math.log(x)


@raising(1000.0, 0.0)
def power_and_quotient(x, y):
    return math.exp(x) + 1.0 / y


@raising(1000.0, 0.0)
def quotient_and_power(x, y):
    return 1.0 / y + math.exp(x)


@raising(-1.0, 0.0)
def logarithm_and_quotient(x, y):
    return math.log(x) * (x / y)


@raising(np.ones(3), 5)
@raising(np.ones(3), 7)
@raising(np.ones(3), -7)
def two_elements(x, n):
    return x[n] + x[7]


@raising(np.ones((3, 3)), 5)
@raising(np.ones((3, 3)), -7)
def elements_of_a_matrix(x, n):
    return math.log(x[n - 1, 1]) * x[1, n] + x[n, n + 1]


@raising(np.ones(3), 0)
def elements_of_an_empty_array(x, n):
    y = np.zeros(n)
    for i in range(n):
        y[i] = x[i]
    return y[n - 1] + y[0]


@raising([1.0, 2.0], 2)
@raising([1.0, 2.0], -3)
def items(x, n):
    return x[n] * x[n - 1]


@raising(0.0, np.ones(2), 5)
def element_and_quotient(x, y, n):
    return y[n] * (1.0 / x)


@raising(0.0, np.ones(2), 5)
def quotient_and_element(x, y, n):
    return (1.0 / x) * y[n]


@raising(0.0, np.ones(2), 5)
def element_before_a_branch(x, y, n):
    a = y[n] * x
    return a / x if x > 1 else 1.0 / x


@raising(0.0, [1.0], 3)
def written_and_read(x, y, n):
    y[n] = y[n] + 1.0 / x
    return y[0]


@raising(0.0, [1.0], 3)
def read_then_divided(x, y, n):
    a = y[n]
    b = 1.0 / x
    y[n] = a + b
    return y[0]


@raising(0.0, [1.0], 3)
def divided_then_written(x, y, n):
    b = 1.0 / x
    y[n] += b
    return y[0]


@raising(-1.0, 4)
def in_trips(x, n):
    s = x
    for k in range(n):
        s = s * 2.0 + math.sqrt(s + 3.0) / (k - 2)
    return s


# -- sizes that NumPy does not accept ---------------------------------------------------------------

SIZED = []


def sized(f):
    """Registers a program of an array of three numbers, and a number that a size is made of."""
    SIZED.append(f)
    return f


@pytest.mark.parametrize("f", SIZED, ids=lambda f: f.__name__)
def test_sizes(f, monkeypatch):
    monkeypatch.setenv("SCT_VALIDATE", "0")
    derived = value_and_grad(f)
    for n in range(6):
        args = np.array([0.7, 1.3, 0.4]), n
        plain, made = outcome(f, args), outcome(derived, args)
        assert (type(made.error), str(made.error)) == (type(plain.error), str(plain.error)), n
        assert made.output == plain.output, n
        assert plain.error is not None or same_value(made.value[0], plain.value), n


@sized
def unused_add(x, n):
    print("a")
    y = x + x[:n]
    print("b")
    return x[0]


@sized
def unused_add_loop(x, n):
    for i in range(2):
        print("a")
        y = x + x[:n + i]
        print("b")
    return x[0]


@sized
def add_in_loop(x, n):
    s = 0.0
    for i in range(2):
        print("a")
        y = x + x[:n + i]
        print("b")
        s = s + np.sum(y)
    return s


@sized
def add_before_told(x, n):
    s = 0.0
    for i in range(2):
        s = s + np.sum((x + x[:n + i])*told(x))
    return s


@sized
def unused_reshape(x, n):
    print("a")
    y = x.reshape(n, 1)
    print("b")
    return x[0]


@sized
def reshape_told(x, n):
    return np.sum(x.reshape(n, 1) * told(2.0))


@sized
def unused_reshape_loop(x, n):
    for i in range(2):
        print("a")
        y = x.reshape(n + i, 1)
        print("b")
    return x[0]


@sized
def reshape_told_loop(x, n):
    s = 0.0
    for i in range(2):
        s = s + np.sum(x.reshape(n + i, 1) * told(2.0))
    return s


@sized
def unused_matmul(x, n):
    print("a")
    y = x @ x[:n]
    print("b")
    return x[0]


@sized
def unused_matmul_loop(x, n):
    for i in range(2):
        print("a")
        y = x @ x[:n + i]
        print("b")
    return x[0]


@sized
def matmul_told_loop(x, n):
    s = 0.0
    for i in range(2):
        s = s + (x @ x[:n + i])*told(2.0)
    return s


@sized
def store_loop(x, n):
    for i in range(2):
        print("a")
        y = np.zeros(3)
        y[:n] = x[i:]
        print("b")
    return x[0]


@sized
def concat(x, n):
    for i in range(2):
        print("a")
        y = np.stack([x[:n], x[i:]])
        print("b")
    return x[0]


@sized
def maxempty(x, n):
    print("a")
    y = np.max(x[n:])
    print("b")
    return x[0]


@sized
def maxempty_told(x, n):
    return np.max(x[n:])*told(x[0])


@sized
def maxempty_loop(x, n):
    s = 0.0
    for i in range(2):
        print("a")
        y = np.max(x[n + i:])
        print("b")
        s = s + np.max(x[n + i:])*told(x[0])
    return s


@sized
def argmax_unused(x, n):
    print("a")
    i = np.argmax(x[n:])
    print("b")
    return x[0]


@sized
def zeros_unused(x, n):
    for i in range(2):
        print("a")
        y = np.zeros(2 - n)
        print("b")
    return x[0]


@sized
def arange_unused(x, n):
    for i in range(2):
        print("a")
        y = np.arange(0, 3, n)
        print("b")
    return x[0]


@sized
def unpack_arr(x, n):
    print("a")
    _a, _b = x[:n]
    print("b")
    return x[0]


@sized
def broadcast_to(x, n):
    print("a")
    b = np.broadcast_to(x[:n], (3,))
    print("b")
    return x[0]


@sized
def outer_idx(x, n):
    print("a")
    b = x[[0, n]]
    print("b")
    return x[0]


@sized
def mask_idx(x, n):
    for i in range(2):
        print("a")
        m = np.ones(n + i, dtype=bool)
        b = x[m]
        print("b")
    return x[0]


@sized
def where_loop(x, n):
    for i in range(2):
        print("a")
        y = np.where(x[:n + i] > 0, x, 0.0)
        print("b")
    return x[0]


@sized
def dimtup(x, n):
    for i in range(2):
        print("a")
        y = np.einsum("i,i->", x, x[:n + i])
        print("b")
    return x[0]


@sized
def hoisted(x, n):
    s = 0.0
    m = n
    for i in range(1, 3):
        s = s + 1.0 / (n - i)
        y = x + x[:m]
        s = s + np.sum(y)
    return s


@sized
def not_hoisted_from_a_loop_that_does_not_run(x, n):
    s = x[0] * n
    zeros = np.zeros((len(x), len(x)))
    for i in range(0, len(x), -1):
        w = np.linalg.inv(zeros * x[0])
        s = s + np.sum(w)
    return s


@sized
def hoisted2(x, n):
    s = 0.0
    for j in range(1, n):
      for i in range(1, 3):
        s = s + 1.0 / (n - i)
        y = x + x[:j]
        s = s + np.sum(y)
    return s


@sized
def hoisted3(x, n):
    s = 0.0
    for j in range(1, n):
      for i in range(1, 3):
        z = [1.0, 2.0][n - i - 1]
        y = x.reshape(j, 1)
        s = s + np.sum(y) * z
    return s
