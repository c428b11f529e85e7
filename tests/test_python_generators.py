"""Generator expressions, and what runs through iterators: what Python does, or refused."""

from __future__ import annotations

import dataclasses
import functools
import itertools
import math
import operator
import sys
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from oracle import agrees, refuses

from sct import SctError, value_and_grad

X = np.array([0.7, -0.3, 1.1, 0.4, -0.9, 0.2])
Program = Callable[[np.ndarray], Any]
AGREE: list[Program] = []
REFUSED: list[tuple[Program, str]] = []


def program(f: Program) -> Program:
    """Registers a program that is differentiated."""
    AGREE.append(f)
    return f


def refused(code: str) -> Callable[[Program], Program]:
    """Registers a program that is refused."""
    def register(f: Program) -> Program:
        REFUSED.append((f, code))
        return f

    return register


def say(text: str, v: Any) -> Any:
    print(text, end=";")
    return v


class Number:
    """A number whose operators say that they run."""

    def __init__(self, v: Any) -> None:
        self.v = v

    def __add__(self, other: Any) -> Number:
        print("add")
        return Number(self.v + (other.v if isinstance(other, Number) else other))

    __radd__ = __add__

    def __gt__(self, other: Any) -> Any:
        print("gt")
        return self.v > other.v

    def __lt__(self, other: Any) -> Any:
        print("lt")
        return self.v < other.v


# -- one by one, and all at once -------------------------------------------------------------------------

@program
def max_gen_key(x: np.ndarray) -> Any:
    return max((say("b", v) for v in [x[0], x[1], x[2]]), key=lambda v: say("k", -v))

@program
def min_gen_key(x: np.ndarray) -> Any:
    return min((say("b", v) for v in x), key=lambda v: say("k", v * v))

@program
def sorted_gen_key(x: np.ndarray) -> Any:
    return sorted((say("b", k) for k in range(3)), key=lambda v: say("k", -v))[0] * x[0]

@program
def max_gen_key_n(x: np.ndarray) -> Any:
    return max((say(f"b{k}", k) for k in range(4)), key=lambda v: say(f"k{v}", x[v])) * x[0]

@program
def max_obj(x: np.ndarray) -> Any:
    return max((say("b", Number(v)) for v in [x[0], x[1], x[2]])).v

@program
def sum_obj(x: np.ndarray) -> Any:
    return sum((say("b", Number(v)) for v in [x[0], x[1], x[2]]), Number(0.0)).v

@program
def sum_bad(x: np.ndarray) -> Any:
    return sum((say("b", v) for v in [x[0], None, x[1]]))

@program
def sum_stop(x: np.ndarray) -> Any:
    it = iter([x[0], x[1]])
    return sum((next(it) for _ in range(3)))

@program
def any_stop(x: np.ndarray) -> Any:
    it = iter([x[0], x[1]])
    return x[0] * any((next(it) > 5.0 for _ in range(3)))

@program
def list_stop(x: np.ndarray) -> Any:
    it = iter([x[0], x[1]])
    return sum([next(it) for _ in range(3)])

@program
def join_float(x: np.ndarray) -> Any:
    return len(",".join(map(lambda k: "a" if k < 2 else 1.0, range(3)))) * x[0]

@program
def join_gen(x: np.ndarray) -> Any:
    return len(",".join((str(k) for k in range(3)))) * x[0]

@program
def join_gen_bad(x: np.ndarray) -> Any:
    return len(",".join(("a" if k < 2 else x[0] for k in range(3)))) * x[0]

@program
def join_list_bad(x: np.ndarray) -> Any:
    return len(",".join(["a", x[0]])) * x[0]

@program
def join_list_bad2(x: np.ndarray) -> Any:
    return len(",".join(["a", float(x[0])])) * x[0]

@program
def join_iter_bad(x: np.ndarray) -> Any:
    return len(",".join(iter(["a", None]))) * x[0]

@program
def join_tuple_bad(x: np.ndarray) -> Any:
    return len(",".join(("a", 2))) * x[0]

@program
def join_arr_bad(x: np.ndarray) -> Any:
    return len(",".join(["a", x])) * x[0]

@program
def join_not_iter(x: np.ndarray) -> Any:
    return len(",".join(3)) * x[0]

@program
def join_x(x: np.ndarray) -> Any:
    return len(",".join(x)) * x[0]

@program
def join_dict(x: np.ndarray) -> Any:
    return len(",".join({"a": x[0], "bb": 1})) * x[0]

@program
def gen_next(x: np.ndarray) -> Any:
    g = (v * v for v in x)
    return next(g) + 2 * next(g)

@program
def gen_twice(x: np.ndarray) -> Any:
    g = (v * v for v in x)
    return sum(g) + sum(g)

@program
def gen_part(x: np.ndarray) -> Any:
    g = (v * v for v in x)
    a = next(g)
    return a * 3 + sum(g)

@program
def gen_late(x: np.ndarray) -> Any:
    k = 2.0
    g = (v * k for v in x)
    k = 3.0
    return sum(g)

@program
def gen_first_now(x: np.ndarray) -> Any:
    y = x * 1.0
    g = (v * v for v in y)
    y = x * 2.0
    return sum(g)

@program
def gen_first_err(x: np.ndarray) -> Any:
    g = (v for v in say("first", [1.0, 2.0]))
    print("after")
    return x[0] * sum(g)

@program
def gen_passed(x: np.ndarray) -> Any:

    def h(g):
        return next(g) + sum(g)
    return h((v * v for v in x))

@program
def gen_for(x: np.ndarray) -> Any:
    s = 0.0
    for v in (w * w for w in x):
        s += v
    return s

@program
def gen_zip(x: np.ndarray) -> Any:
    s = 0.0
    for a, b in zip((w * w for w in x), (2 * w for w in x)):
        s += a * b
    return s

@program
def gen_set(x: np.ndarray) -> Any:
    return len(set((k % 2 for k in range(5)))) * x[0]

@program
def gen_star(x: np.ndarray) -> Any:

    def h(*a):
        return a[0] * a[1]
    return h(*(v for v in [x[0], x[1]]))

@program
def gen_unpack(x: np.ndarray) -> Any:
    a, b = (v * v for v in [x[0], x[1]])
    return a - b

@program
def gen_in(x: np.ndarray) -> Any:
    return x[0] * (2 in (k for k in range(5)))

@program
def gen_tuple(x: np.ndarray) -> Any:
    return sum(tuple((v for v in x)))

@program
def gen_array(x: np.ndarray) -> Any:
    return np.sum(np.array(list((v * v for v in x))))

@program
def gen_fromiter(x: np.ndarray) -> Any:
    return np.sum(np.fromiter((v * v for v in x), dtype=float))

@program
def gen_two_levels(x: np.ndarray) -> Any:
    g = (a * b for a in x[:2] for b in x[2:4])
    return next(g) + sum(g)

@program
def gen_if(x: np.ndarray) -> Any:
    g = (v for k, v in enumerate(x) if k % 2)
    return next(g) * sum(g)

@program
def gen_if_dyn(x: np.ndarray) -> Any:
    g = (v for v in x if v > 0.0)
    return sum(g)

@program
def gen_returned(x: np.ndarray) -> Any:

    def mk(k):
        return (v * k for v in x)
    return sum(mk(2.0)) * next(mk(3.0))

@program
def gen_len(x: np.ndarray) -> Any:
    return len((v for v in x))

@program
def gen_chain(x: np.ndarray) -> Any:
    return sum(itertools.chain((v for v in x), (v * v for v in x)))

@program
def gen_islice(x: np.ndarray) -> Any:
    return sum(itertools.islice((v * v for v in x), 3))

@program
def gen_enum(x: np.ndarray) -> Any:
    return sum((k * v for k, v in enumerate((v * v for v in x))))

@program
def gen_loop_break(x: np.ndarray) -> Any:
    g = (v * v for v in [x[0], x[1], x[2]])
    for v in g:
        break
    return sum(g)

@program
def gen_reduce(x: np.ndarray) -> Any:
    return functools.reduce(lambda a, b: a * b, (v + 2.0 for v in x))

@program
def gen_target_scope(x: np.ndarray) -> Any:
    v = 5.0
    g = (v * v for v in x)
    return v * next(g)

@program
def gen_in_loop(x: np.ndarray) -> Any:
    gs = []
    for k in range(3):
        gs.append((v * k for v in [x[0], x[1]]))
    return sum((sum(g) for g in gs))

@program
def gen_big(x: np.ndarray) -> Any:
    return sum((v * v for v in x))

@program
def gen_max_default(x: np.ndarray) -> Any:
    return max((v for v in []), default=x[0])

@program
def gen_min(x: np.ndarray) -> Any:
    return min((v * v for v in x))

@refused("SCT503")
def gen_self(x: np.ndarray) -> Any:
    g = (next(g) for _ in range(2))  # noqa: F821
    return next(g) * x[0]

@program
def gen_walrus(x: np.ndarray) -> Any:
    s = sum(((t := v) for v in [x[0], x[1]]))
    return s * t

@program
def gen_bool(x: np.ndarray) -> Any:
    return x[0] if (v for v in x) else x[1]

@program
def gen_dict(x: np.ndarray) -> Any:
    return dict(((k, x[k]) for k in range(3)))[1]

@refused("SCT503")
def gen_arr_mul(x: np.ndarray) -> Any:
    return x * (v for v in x)

@program
def gen_map(x: np.ndarray) -> Any:
    return sum(map(lambda v: v * v, (w + 1.0 for w in x)))

@program
def gen_filter(x: np.ndarray) -> Any:
    return sum(filter(lambda k: k > 2, (k for k in range(6)))) * x[0]

@program
def gen_accum(x: np.ndarray) -> Any:
    return list(itertools.accumulate((v * v for v in x)))[-1]

@program
def gen_prod(x: np.ndarray) -> Any:
    return math.prod((v for v in x))

@program
def gen_append(x: np.ndarray) -> Any:
    out = []
    out.extend((v * v for v in x))
    return sum(out)

@program
def gen_join_lazy(x: np.ndarray) -> Any:
    g = (say("b", v) for v in [x[0], x[1]])
    print("x")
    a = next(g)
    print("y")
    return a * next(g)


# -- where they stand, and what they read ----------------------------------------------------------------

@program
def g_branch(x: np.ndarray) -> Any:
    g = (v * v for v in x)
    if x[0] > 0:
        a = next(g)
    else:
        a = 1.0
    return a

@refused("SCT503")
def g_branch_use(x: np.ndarray) -> Any:
    g = (v * v for v in [x[0], x[1], x[2]])
    if x[0] > 0:
        a = next(g)
    else:
        a = 1.0
    return a + sum(g)

@program
def g_in_loop_dyn(x: np.ndarray) -> Any:
    s = 0.0
    for k in range(len(x)):
        s += sum((v * x[k] for v in x))
    return s

@program
def g_in_loop_dyn_named(x: np.ndarray) -> Any:
    s = 0.0
    for k in range(len(x)):
        g = (v * x[k] for v in x)
        s += sum(g)
    return s

@program
def g_in_loop_dyn_next(x: np.ndarray) -> Any:
    s = 0.0
    for k in range(len(x)):
        g = (v * x[k] for v in x)
        s += next(g) + next(g)
    return s

@program
def g_loop_outer(x: np.ndarray) -> Any:
    g = (v * v for v in x)
    s = 0.0
    for k in range(len(x)):
        s += next(g)
    return s

@program
def g_late_in_loop(x: np.ndarray) -> Any:
    k = 1.0
    g = (v * k for v in x)
    s = 0.0
    for i in range(4):
        k = k + x[i]
    return sum(g)

@program
def g_late_loop_over(x: np.ndarray) -> Any:
    k = 1.0
    s = 0.0
    for v in (w * k for w in x):
        s += v
        k = s
    return s

@program
def g_late_loop_over_list(x: np.ndarray) -> Any:
    k = 1.0
    s = 0.0
    for v in (w * k for w in [x[0], x[1], x[2]]):
        s += v
        k = s
    return s

@program
def g_closure_in(x: np.ndarray) -> Any:
    fs = list((lambda: v * v for v in [x[0], x[1], x[2]]))
    return fs[0]() + fs[1]()

@program
def g_closure_lazy(x: np.ndarray) -> Any:
    g = (lambda: v * v for v in [x[0], x[1], x[2]])
    f = next(g)
    a = f()
    next(g)
    return a * 2 + f()

@program
def g_recursive(x: np.ndarray) -> Any:

    def f(k):
        return x[0] if k == 0 else sum((f(k - 1) * v for v in [x[1], x[2]]))
    return f(2)

@program
def g_recursive_arg(x: np.ndarray) -> Any:

    def f(g, n):
        return 0.0 if n == 0 else next(g) + f(g, n - 1)
    return f((v * v for v in x), 3)

@program
def g_nested(x: np.ndarray) -> Any:
    g = (sum((a * b for a in x[:2])) for b in x)
    return next(g) * sum(g)

@program
def g_nested2(x: np.ndarray) -> Any:
    return sum((sum((a * b for a in x)) for b in x))

@program
def g_shadow(x: np.ndarray) -> Any:
    return sum((v * u for v, u in zip((v * 2 for v in x), x)))

@program
def g_shadow2(x: np.ndarray) -> Any:
    v = x[5]
    return sum((v for v in [v, v * 2.0]))

@program
def g_shadow3(x: np.ndarray) -> Any:
    v = x[5]
    g = (v for v in [v, v * 2.0])
    v = 0.0
    return next(g) + v

@program
def g_comp_shadow(x: np.ndarray) -> Any:
    return sum([k * v for k, v in enumerate([v * v for v in x])])

@program
def g_max_dyn_key(x: np.ndarray) -> Any:
    return max(x, key=lambda v: -v * v)

@program
def g_min_range_key(x: np.ndarray) -> Any:
    return x[min(range(len(x)), key=lambda k: x[k])]

@program
def g_max_range_key(x: np.ndarray) -> Any:
    return x[max(range(6), key=lambda k: x[k])]

@program
def g_max_range_key_n(x: np.ndarray, n=4) -> Any:
    return x[max(range(n), key=lambda k: x[k])]

@program
def g_max_pairs(x: np.ndarray) -> Any:
    return max(((v, k) for k, v in enumerate(x)))[0]

@program
def g_max_pairs_list(x: np.ndarray) -> Any:
    return max(((v, k) for k, v in enumerate([x[0], x[1]])))[0]

@program
def g_max_pairs_key(x: np.ndarray) -> Any:
    return max(enumerate(x), key=lambda p: p[1])[0] * x[0]

@program
def g_max_zip_key(x: np.ndarray) -> Any:
    return max(zip(x, x[::-1]), key=lambda p: p[1])[0]

@program
def g_any_print(x: np.ndarray) -> Any:
    return x[0] if any((say("t", v > 1.0) for v in x)) else x[1]

@program
def g_all_print(x: np.ndarray) -> Any:
    return x[0] if all((say("t", v > -1.0) for v in [x[0], x[1]])) else x[1]

@program
def g_any_named(x: np.ndarray) -> Any:
    g = (say("t", v > 0.5) for v in [x[1], x[2], x[3]])
    return x[0] * any(g) + x[1] * sum((1 for _ in g))

@program
def g_any_named_dyn(x: np.ndarray) -> Any:
    g = (v > 0.5 for v in x)
    return x[0] if any(g) else x[1]

@program
def g_sum_start(x: np.ndarray) -> Any:
    return sum((v for v in x), x[0])

@program
def g_sum_arrays(x: np.ndarray) -> Any:
    return np.sum(sum((x * k for k in range(3))))

@program
def g_sum_arrays_bad(x: np.ndarray) -> Any:
    return np.sum(sum((say("b", x[k:]) for k in range(3))))

@program
def g_sum_tuples(x: np.ndarray) -> Any:
    return sum(((v, v) for v in [x[0], x[1]]), ())[1]

@program
def g_sum_lists(x: np.ndarray) -> Any:
    return sum(sum(([v, v] for v in [x[0], x[1]]), []))  # noqa: RUF017

@program
def g_kwargs_order(x: np.ndarray) -> Any:
    return max((say("b", v) for v in say("it", [x[0], x[1]])), key=say("key", lambda v: v))

@program
def g_sum_start_order(x: np.ndarray) -> Any:
    return sum((say("b", v) for v in say("it", [x[0], x[1]])), say("start", 1.0))

@program
def g_print(x: np.ndarray) -> Any:
    g = (v for v in x)
    print(type(g).__name__)
    return next(g)

@program
def g_is(x: np.ndarray) -> Any:
    g = (v for v in x)
    h = g
    return next(g) if h is g and iter(g) is g else x[1]

@program
def g_in_dict(x: np.ndarray) -> Any:
    d = {"a": (v for v in x)}
    return next(d["a"]) + next(d["a"])

@program
def g_default(x: np.ndarray) -> Any:
    g = (v for v in x[:1])
    next(g)
    return next(g, x[3])

@program
def g_stop(x: np.ndarray) -> Any:
    g = (v for v in x[:1])
    next(g)
    return next(g)

@program
def g_tuple_target(x: np.ndarray) -> Any:
    return sum((a * b for a, b in zip(x, x)))

@program
def g_unpack_err(x: np.ndarray) -> Any:
    return sum((a * b for a, b in [(1, 2, 3)]))

@program
def g_dup(x: np.ndarray) -> Any:
    g = (v for v in x)
    return sum((a * b for a, b in zip(g, g)))

@refused("SCT503")
def g_while(x: np.ndarray) -> Any:
    g = (v for v in x)
    s = 0.0
    while s < 1.0:
        s += abs(next(g))
    return s

@program
def g_raise(x: np.ndarray) -> Any:
    g = (math.log(v) for v in [x[0], x[1]])
    a = next(g)
    return a + next(g)

@refused("SCT101")
def g_global_name(x: np.ndarray) -> Any:

    def sum(g):
        return next(g)
    return sum((v for v in x))

@refused("SCT101")
def g_global_name2(x: np.ndarray) -> Any:

    def max(g):
        return g
    k = 2.0
    g = max((v * k for v in x))
    k = 3.0
    return next(g)

@program
def g_list_walrus(x: np.ndarray) -> Any:
    g = ((t := v) for v in [x[0], x[1]])
    return next(g) * t

@program
def g_set_loop(x: np.ndarray) -> Any:
    return sum(set((k % 3 for k in range(7)))) * x[0]

@program
def g_sorted_pairs(x: np.ndarray) -> Any:
    return sorted(((k % 2, k) for k in range(5)))[0][1] + x[0]

@program
def g_argmax(x: np.ndarray) -> Any:
    return max(((k * 0.3 % 1, k) for k in range(5)))[1] * x[0]

@program
def g_np_array(x: np.ndarray) -> Any:
    return np.sum(np.array([v for v in (w * w for w in x)]))

@program
def g_star_np(x: np.ndarray) -> Any:
    return np.sum(np.stack([*(x * k for k in range(3))]))

@program
def g_mat(x: np.ndarray) -> Any:
    A = np.outer(x, x)
    return sum((r @ r for r in A))

@program
def g_mat2(x: np.ndarray) -> Any:
    A = np.outer(x, x)
    return max((np.sum(r) for r in A))

@program
def g_mat3(x: np.ndarray) -> Any:
    A = np.outer(x, x)
    return sum((v for r in A for v in r if v > 0.0))

@program
def g_mat3_named(x: np.ndarray) -> Any:
    A = np.outer(x, x)
    g = (v for r in A for v in r if v > 0.0)
    return sum(g)

@program
def g_nest_dep(x: np.ndarray) -> Any:
    return sum((x[i] * x[j] for i in range(len(x)) for j in range(i)))

@program
def g_extend(x: np.ndarray) -> Any:
    out = []
    out += (v * v for v in x)
    out.extend((v for v in x if v > 0))
    return sum(out)

@program
def g_slice_assign(x: np.ndarray) -> Any:
    out = [0.0] * 3
    out[1:] = (v for v in [x[0], x[1]])
    return sum(out)

@program
def g_return_gen(x: np.ndarray) -> Any:

    def mk():
        k = x[0]
        return (k * v for v in x)
    g = mk()
    return next(g) + sum(g)

@program
def g_partial(x: np.ndarray) -> Any:
    return sum(map(functools.partial(operator.mul, 2.0), (v for v in x)))

@program
def g_reduce_init(x: np.ndarray) -> Any:
    return functools.reduce(lambda a, b: a * b, (v for v in x), 1.0)

@program
def g_reduce_print(x: np.ndarray) -> Any:
    return functools.reduce(lambda a, b: say("r", a * b), (say("b", v) for v in [x[0], x[1], x[2]]))

@program
def g_empty_max(x: np.ndarray) -> Any:
    return max((v for v in []))

@program
def g_empty_max_key(x: np.ndarray) -> Any:
    return max((v for v in []), key=lambda v: v)

@program
def g_max_mixed(x: np.ndarray) -> Any:
    return max((v for v in [x[0], 1, 0.5]))

@program
def g_prod_print(x: np.ndarray) -> Any:
    return math.prod((say("b", v) for v in [x[0], x[1]]))

@program
def g_enumerate_next(x: np.ndarray) -> Any:
    e = enumerate(x)
    next(e)
    return sum((k * v for k, v in e))

@program
def g_zip_next(x: np.ndarray) -> Any:
    e = zip(x, x[::-1])
    next(e)
    return sum((k * v for k, v in e))

@program
def g_map_next(x: np.ndarray) -> Any:
    e = map(lambda v: v * v, x)
    next(e)
    s = 0.0
    for v in e:
        s += v
    return s

@program
def g_gen_next_loop(x: np.ndarray) -> Any:
    e = (v * v for v in x)
    next(e)
    s = 0.0
    for v in e:
        s += v
    return s

@program
def g_islice_gen(x: np.ndarray) -> Any:
    return sum(itertools.islice((v for v in x if True), 2, None))

# -- objects, writes between the items, exceptions -------------------------------------------------------


@dataclasses.dataclass
class P:
    w: float
    k: int


class It:

    def __init__(s, xs):
        s.xs = xs

    def __iter__(s):
        print('iter', end=';')
        return iter(s.xs)

    def __len__(s):
        return len(s.xs)

    def __getitem__(s, k):
        return s.xs[k]


class Gen:

    def __init__(s, xs):
        s.xs = xs

    def __iter__(s):
        return (v * 2 for v in s.xs)

    def items(s):
        return ((k, v) for k, v in enumerate(s.xs))


@program
def o_iter(x: np.ndarray) -> Any:
    return sum(Gen(x)) + sum((k * v for k, v in Gen(x).items()))


@program
def o_iter_for(x: np.ndarray) -> Any:
    s = 0.0
    for v in Gen(x):
        s += v * v
    return s


@program
def o_iter_twice(x: np.ndarray) -> Any:
    g = Gen([x[0], x[1]])
    return sum(g) + sum(g)


@program
def o_it(x: np.ndarray) -> Any:
    return sum((v for v in It([x[0], x[1]])))


@program
def o_it_order(x: np.ndarray) -> Any:
    return max((v for v in say("a", It([x[0], x[1]]))), key=say("k", lambda v: v))


@program
def o_data(x: np.ndarray) -> Any:
    return sum((q.w * q.k for q in [P(x[0], 1), P(x[1], 2)]))


@program
def o_data_g(x: np.ndarray) -> Any:
    g = (P(v, k) for k, v in enumerate(x))
    return sum((q.w * q.k for q in g))


@program
def o_max_data(x: np.ndarray) -> Any:
    return max((P(v, k) for k, v in enumerate([x[0], x[1], x[2]])), key=lambda q: q.w).k * x[0]


@program
def o_max_data_dyn(x: np.ndarray) -> Any:
    return max((P(v, k) for k, v in enumerate(x)), key=lambda q: q.w).w


@program
def o_sorted_gen(x: np.ndarray) -> Any:
    return sorted((k * 7 % 5 for k in range(5)), reverse=True)[0] * x[0]


@program
def o_list_gen_write(x: np.ndarray) -> Any:
    xs = list((v for v in x))
    xs[0] = 3.0
    return sum(xs)


@program
def o_gen_write_between(x: np.ndarray) -> Any:
    xs = [x[0], x[1], x[2]]
    g = (v * v for v in xs)
    a = next(g)
    xs[1] = 5.0
    return a + next(g) + next(g) * 1.0


@program
def o_gen_append_between(x: np.ndarray) -> Any:
    xs = [x[0], x[1]]
    g = (v * v for v in xs)
    a = next(g)
    xs.append(x[2])
    return a + sum(g)


@program
def o_arr_write_between(x: np.ndarray) -> Any:
    y = x * 1.0
    g = (v * v for v in y)
    a = next(g)
    y[1] = 5.0
    return a + sum(g)


@program
def o_arr_write_before(x: np.ndarray) -> Any:
    y = x * 1.0
    g = (v * v for v in y)
    y[1] = 5.0
    return sum(g)


@program
def o_rows_write(x: np.ndarray) -> Any:
    A = np.outer(x, x)
    for r in (q for q in A):
        r[0] = 1.0
    return np.sum(A)


@refused("SCT307")
def o_rows_write_list(x: np.ndarray) -> Any:
    A = np.outer(x, x)
    xs = list((q for q in A))
    xs[0][0] = 1.0
    return np.sum(A)


@program
def o_gen_alias(x: np.ndarray) -> Any:
    y = x * 1.0
    g = (y for _ in range(2))
    a = next(g)
    a[0] = 7.0
    return np.sum(next(g))


@program
def o_gen_side(x: np.ndarray) -> Any:
    log = []
    g = (log.append(v) or v for v in [x[0], x[1], x[2]])
    next(g)
    n = len(log)
    return sum(g) * n * len(log)


@program
def o_gen_side_dyn(x: np.ndarray) -> Any:
    log = []
    g = (log.append(v) or v for v in x)
    s = sum(g)
    return s * len(log)


@program
def o_nonlocal(x: np.ndarray) -> Any:
    n = 0

    def up(v):
        nonlocal n
        n += 1
        return v * n
    return sum((up(v) for v in x)) * n


@program
def o_nonlocal_lazy(x: np.ndarray) -> Any:
    n = 0

    def up(v):
        nonlocal n
        n += 1
        return v * n
    g = (up(v) for v in x)
    a = next(g)
    n = 10
    return a + next(g)


@program
def o_cond_gen(x: np.ndarray) -> Any:
    g = (v for v in x) if x[0] > 0 else (v * 2 for v in x)
    return sum(g)


@program
def o_dict_gens(x: np.ndarray) -> Any:
    d = {k: (v * k for v in x) for k in range(1, 3)}
    return sum(d[1]) + next(d[2])


@program
def o_gen_of_gens(x: np.ndarray) -> Any:
    gs = ((v * k for v in x) for k in range(1, 3))
    return sum((sum(g) for g in gs))


@program
def o_late_gens(x: np.ndarray) -> Any:
    gs = [(v * k for v in x) for k in range(1, 3)]
    return sum((sum(g) for g in gs))


@program
def o_enumerate_start(x: np.ndarray) -> Any:
    return sum((k * v for k, v in enumerate((w * w for w in x), start=3)))


@program
def o_zip_gen_lists(x: np.ndarray) -> Any:
    return sum((a * b for a, b in zip((v for v in x), [1.0, 2.0, 3.0])))


@program
def o_zip_short(x: np.ndarray) -> Any:
    g = (v for v in x)
    s = sum((a * b for a, b in zip([1.0, 2.0], g)))
    return s + next(g)


@program
def o_zip_short2(x: np.ndarray) -> Any:
    g = (v for v in x)
    s = sum((a * b for a, b in zip(g, [1.0, 2.0])))
    return s + next(g)


@program
def o_raise_in(x: np.ndarray) -> Any:

    def bad(v):
        if v < 0:
            raise ValueError("neg")
        return v
    return sum((bad(v) for v in x))


@program
def o_raise_stop(x: np.ndarray) -> Any:

    def bad(v):
        if v < 0:
            raise StopIteration
        return v
    return sum((bad(v) for v in [x[0], x[1]]))


@program
def o_raise_stop_list(x: np.ndarray) -> Any:

    def bad(v):
        if v < 0:
            raise StopIteration("a")
        return v
    return sum([bad(v) for v in [x[0], x[1]]])


@program
def o_raise_stop_dyn(x: np.ndarray) -> Any:

    def bad(v):
        if v < 0:
            raise StopIteration
        return v
    return sum((bad(v) for v in x))


@program
def o_max_ties(x: np.ndarray) -> Any:
    return max([x[0], x[0] * 1.0, x[1]], key=lambda v: v)


@program
def o_min_int_key(x: np.ndarray) -> Any:
    return min(range(5), key=lambda k: (k - 2) ** 2) * x[0]


@program
def o_max_str_key(x: np.ndarray) -> Any:
    return len(max(["a", "bbb", "cc"], key=len)) * x[0]


@program
def o_max_dict_key(x: np.ndarray) -> Any:
    d = {"a": 1.0, "b": 3.0}
    return x[0] * d[max(d, key=d.get)]


@program
def o_max_multi(x: np.ndarray) -> Any:
    return max(x[0], x[1], x[2], key=lambda v: -v)


@program
def o_max_key_arr(x: np.ndarray) -> Any:
    return np.sum(max([x, x * 2.0], key=lambda v: np.sum(v)))


@program
def o_max_key_default(x: np.ndarray) -> Any:
    return max((v for v in x if v > 100), key=lambda v: v, default=x[0])


@program
def o_max_key_filter(x: np.ndarray) -> Any:
    return max((v for v in x if v > 0), key=lambda v: -v)


@program
def o_max_filter(x: np.ndarray) -> Any:
    return max((v for v in x if v > 0))


@program
def o_min_rows(x: np.ndarray) -> Any:
    return min((r for r in np.outer(x, x)), key=lambda r: np.sum(r))[0]


@program
def o_min_rows2(x: np.ndarray) -> Any:
    return min(np.outer(x, x), key=np.sum)[0]


@program
def o_min_rows3(x: np.ndarray) -> Any:
    return np.sum(sorted(np.outer(x, x), key=lambda r: 1)[0])


@program
def o_any_idx(x: np.ndarray) -> Any:
    return x[0] if any((x[i] > x[i + 1] for i in range(len(x) - 1))) else x[1]


@program
def o_first(x: np.ndarray) -> Any:
    return next((v for v in x if v < 0))


@program
def o_first_known(x: np.ndarray) -> Any:
    return x[next((k for k in range(5) if k > 2))]


@program
def o_first_default(x: np.ndarray) -> Any:
    return next((v for v in x if v > 100), x[0])


@program
def o_count_gen(x: np.ndarray) -> Any:
    return x[0] * sum((1 for v in x if v > 0))


@program
def o_dict_from_zip(x: np.ndarray) -> Any:
    return dict(zip("abc", (v for v in x)))["b"]


@program
def o_star_print(x: np.ndarray) -> Any:
    print(*(k for k in range(3)))
    return x[0]


@program
def o_matmul_gen(x: np.ndarray) -> Any:
    return np.dot(x, np.array(tuple((v * v for v in x))))


# -- recursion, loops, variables that are bound later ----------------------------------------------------


@program
def r_gen_rec(x: np.ndarray) -> Any:

    def f(xs, n):
        if n == 0:
            return 0.0
        return sum((v * v for v in xs)) + f(xs, n - 1)
    return f(x, 3)


@program
def r_gen_rec2(x: np.ndarray) -> Any:

    def f(n):
        if n == 0:
            return x[0]
        g = (v * f(n - 1) for v in x[:2])
        return next(g) + next(g)
    return f(2)


@program
def r_gen_kept_in_rec(x: np.ndarray) -> Any:

    def f(g, n):
        if n == 0:
            return x[0]
        return next(g) * f(g, n - 1)
    return f(iter([x[1], x[2], x[3]]), 3)


@program
def r_gen_dyn_rec(x: np.ndarray) -> Any:

    def f(k):
        if x[k] > 1.0:
            return x[k]
        return x[k] + sum((v * 0.1 for v in x)) * f(k + 1)
    return f(0)


@program
def r_gen_in_while(x: np.ndarray) -> Any:
    s = x[0]
    while s < 10.0:
        s = s + sum((v * v for v in x))
    return s


@program
def r_gen_in_while_lazy(x: np.ndarray) -> Any:
    s = x[0]
    while s < 10.0:
        g = (v * v for v in x)
        s = s + next(g) + next(g)
    return s


@program
def r_gen_before_while(x: np.ndarray) -> Any:
    s = x[0]
    g = (v * s for v in x)
    while s < 10.0:
        s = s + 1.0
    return sum(g)


@program
def r_gen_late_number(x: np.ndarray) -> Any:
    n = 2
    g = (v * n for v in x)
    n = 3
    m = next(g)
    n = x[1]
    return m + next(g)


@program
def r_gen_late_undefined(x: np.ndarray) -> Any:
    g = (v * q for v in x)  # noqa: F821
    q = x[0]
    return sum(g)


@program
def r_gen_late_undefined2(x: np.ndarray) -> Any:
    g = (v * q2 for v in x)  # noqa: F821
    r = next(g)
    q2 = 1.0
    return r


@program
def r_gen_deleted(x: np.ndarray) -> Any:
    k = 2.0
    g = (v * k for v in x)
    del k
    return next(g)


@program
def r_gen_branch_late(x: np.ndarray) -> Any:
    k = 2.0
    g = (v * k for v in x)
    if x[0] > 0:
        k = 3.0
    return sum(g)


@program
def r_gen_param(x: np.ndarray) -> Any:

    def f(k):
        g = (v * k for v in x)
        k = k * 2
        return sum(g)
    return f(2.0) + f(3.0)


@program
def r_gen_loop_var(x: np.ndarray) -> Any:
    out = []
    for k in range(3):
        out.append(sum((v * k for v in x)))
    return sum(out)


@program
def r_gen_loop_var_dyn(x: np.ndarray) -> Any:
    out = []
    for k in range(len(x)):
        out.append(max((v * k for v in x)))
    return sum(out)


@program
def r_gen_loop_lazy_list(x: np.ndarray) -> Any:
    gs = []
    for k in range(3):
        gs.append((v * k for v in x))
    return sum((next(g) for g in gs))


@program
def r_gen_aug(x: np.ndarray) -> Any:
    s = 0.0
    g = (s + v for v in x)
    for k in range(3):
        s += next(g)
    return s


@program
def r_gen_view_elem(x: np.ndarray) -> Any:
    A = np.outer(x, x)
    g = (A[k] for k in range(3))
    r = next(g)
    r[0] = 5.0
    return np.sum(A)


@program
def r_gen_two_levels_late(x: np.ndarray) -> Any:
    k = 1.0
    g = (a * b * k for a in x[:2] for b in x[2:4])
    s = next(g)
    k = 2.0
    s += next(g)
    k = 3.0
    return s + sum(g)


@program
def r_gen_two_levels_inner_late(x: np.ndarray) -> Any:
    y = x * 1.0
    g = (a * b for a in x[:2] for b in y[:2])
    s = next(g)
    y = x * 3.0
    return s + sum(g)


@program
def r_gen_two_levels_err(x: np.ndarray) -> Any:
    g = (a * b for a in [1.0, 2.0] for b in say("in", [x[0]]))
    print("made")
    return sum(g)


@program
def r_gen_if_print(x: np.ndarray) -> Any:
    return sum((v for v in [x[0], x[1], x[2]] if say("t", True)))


@program
def r_gen_if_mix(x: np.ndarray) -> Any:
    g = (v for k, v in enumerate([x[0], x[1], x[2]]) if say("t", k != 1))
    return next(g) + next(g) * 2


@program
def r_gen_if_known_dyn(x: np.ndarray) -> Any:
    g = (v for k, v in enumerate(x) if k % 2 == 0)
    return sum(g)


@program
def r_gen_cond_expr(x: np.ndarray) -> Any:
    return sum((v if v > 0 else -v for v in x))


@program
def r_gen_cond_named(x: np.ndarray) -> Any:
    g = (v if v > 0 else -v for v in x)
    return next(g) + sum(g)


@program
def r_gen_lambda_default(x: np.ndarray) -> Any:
    fs = [lambda v, k=k: v * k for k in (j * 2.0 for j in range(3))]
    return fs[1](x[0]) + fs[2](x[1])


@program
def r_sorted_key_order(x: np.ndarray) -> Any:
    return sorted([x[0] * 0 + 2, 1], key=lambda v: say("k", 1))[0] + x[1]


@program
def r_gen_str(x: np.ndarray) -> Any:
    return len("".join((c for c in "abc" if c != "b"))) * x[0]


@program
def r_gen_fstr(x: np.ndarray) -> Any:
    print(", ".join((f"{v:.2f}" for v in x)))
    return x[0]


@program
def r_gen_fstr_list(x: np.ndarray) -> Any:
    print(" ".join([f"{v:.2f}" for v in [x[0], x[1]]]))
    return x[0]


@program
def r_gen_str_sep(x: np.ndarray) -> Any:
    print("-".join(map(str, range(3))))
    return x[0]


@program
def r_gen_str_vals(x: np.ndarray) -> Any:
    print("-".join((str(v) for v in [x[0], 1])))
    return x[0]


@program
def r_gen_str_dyn(x: np.ndarray) -> Any:
    print("-".join((str(v) for v in x)))
    return x[0]


@program
def r_join_empty(x: np.ndarray) -> Any:
    return len("".join([])) + x[0]


@program
def r_join_np_str(x: np.ndarray) -> Any:
    return len("".join(np.array(["a", "b"]))) + x[0]


@program
def r_join_bytes(x: np.ndarray) -> Any:
    return len(b"".join([b"a", b"b"])) + x[0]


@pytest.mark.parametrize("f", AGREE, ids=lambda f: f.__name__)
def test_agrees(f: Program) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        agrees(f, X)


def changing(x):
    yield x
    if x > 0:
        x = x * 2
    yield x * x


def delegating(x):
    q = 1.5 * x
    yield from changing(q)
    yield q


def looping(x):
    q = 1.5 * x
    for y in changing(q):
        yield y + q
    yield q


@program
def a_branch_in_a_generator_that_another_one_asks_for_items(x):
    a, b, c = looping(x[0])
    d = [*delegating(x[1]), a]
    return a * b * c + d[1] * d[2] + d[3]


@pytest.mark.parametrize(("f", "code"), REFUSED, ids=lambda v: getattr(v, "__name__", v))
def test_refused(f: Program, code: str) -> None:
    refuses(f, X, code=code)


LONG: list[Program] = [
    lambda x: sum(map(lambda v: v * v, x)),
    lambda x: max(map(lambda v: v * v, x)),
    lambda x: max(x, key=lambda v: v * v),
    lambda x: x[min(range(len(x)), key=lambda k: x[k])],
    lambda x: functools.reduce(lambda p, q: p + q, map(lambda v: v * v, x)),
    lambda x: sum(list(map(lambda v: v * v, x))),
    lambda x: sum(v * v for v in x),
    lambda x: max(v * v for v in x),
    lambda x: x[0] if any(v * v > 5.0 for v in x) else x[1],
    lambda x: x[0] if all(map(lambda v: v * v < 5.0, x)) else x[1],
]


@pytest.mark.parametrize("f", LONG, ids=lambda f: str(f.__code__.co_firstlineno))
def test_the_derivative_does_not_grow_with_what_is_run_over(f: Program) -> None:
    derivative = value_and_grad(f)
    lengths = set()
    for n in (100, 1000):
        x = np.sin(np.arange(float(n)))
        assert derivative(x)[0] == f(x)
        lengths.add(len(derivative.source.splitlines()))
    assert len(lengths) == 1 and max(lengths) < 60


@pytest.mark.parametrize("f", [
    lambda x, n: np.sum(np.stack(x * k for k in range(n))),
    lambda x, n: x @ (x * k for k in range(n)),
], ids=["stack", "matmul"])
def test_a_refusal_names_no_part_of_sct(f: Callable[[np.ndarray, int], Any]) -> None:
    with pytest.raises(SctError) as caught:
        value_and_grad(f)(X, 3)
    assert not any(part in str(caught.value) for part in ("'Ref'", "'Iteration'", "a function is not"))


class Positions:
    def __init__(self, x: Any) -> None:
        self.x = x

    __getitem__ = lambda self, i: self.x[i]


POSITIONS = Positions([1.0, 2.0, 3.0])


@pytest.mark.parametrize("get", [lambda x: POSITIONS, lambda x: Positions(x), lambda x: Positions([x[0], x[1]])],
                         ids=["outside", "an array", "a list"])
@pytest.mark.parametrize("run", [
    lambda x, p: sum(v * k for k, v in enumerate(p)) * x[0],
    lambda x, p: sum(p) * x[1],
    lambda x, p: [v * x[0] for v in p][-1],
    lambda x, p: max(v * x[0] for v in p),
    lambda x, p: list(p)[1] * x[0],
], ids=["enumerate", "sum", "list", "max", "second"])
def test_an_object_whose_items_a_lambda_gives(get: Program, run: Callable[[Any, Any], Any]) -> None:
    agrees(lambda x: run(x, get(x)), X)


def test_a_lambda_that_yields_is_refused() -> None:
    terms = lambda x: (yield x * 2.0)
    refuses(lambda x: sum(terms(x[0])), X, code="SCT101")


def multiples(x: Any, n: int) -> Any:
    return [x[0] * (k + 1) for k in range(n)]


def chained_in_a_loop(x: Any, n: int) -> Any:
    total = 0.0
    for k, v in enumerate(itertools.chain(multiples(x, n), (x[1], 2.0), multiples(x, 2))):
        if v > 3.0:
            return v * total
        total += k * v
    return total


def accumulated_in_a_loop(x: Any, n: int) -> Any:
    total = 0.0
    for k, v in enumerate(itertools.accumulate(multiples(x, n)), 1):
        total += v / k
    return total


OF_RUN_TIME: list[Any] = [
    chained_in_a_loop, accumulated_in_a_loop,
    lambda x, n: sum(itertools.chain(multiples(x, n), [x[1]])),
    lambda x, n: max(itertools.chain(multiples(x, n), [x[1]])),
    lambda x, n: len(list(itertools.chain(multiples(x, n), multiples(x, n)))) * x[0],
    lambda x, n: sum(a * b for a, b in itertools.pairwise(itertools.chain(multiples(x, n), [x[1]]))),
    lambda x, n: sum(itertools.chain.from_iterable([multiples(x, n), multiples(x * x, n)])),
    lambda x, n: sum(itertools.accumulate(multiples(x, n))),
    lambda x, n: sum(itertools.accumulate(multiples(x, n), lambda p, q: p * q)),
    lambda x, n: list(itertools.accumulate(multiples(x, n), lambda p, q: p * q, initial=2.0))[-1] * x[1],
    lambda x, n: max(itertools.accumulate(multiples(x, n), max, initial=x[1])),
    lambda x, n: sum(v * w for v, w in zip(itertools.accumulate(multiples(x, n)), multiples(x, n))),
    lambda x, n: sum(itertools.takewhile(lambda v: v < 6.0, itertools.accumulate(multiples(x, n)))),
    lambda x, n: sum(itertools.islice(itertools.accumulate(multiples(x, n)), 2)),
    lambda x, n: sum(itertools.accumulate(v * v for v in multiples(x, n))),
    lambda x, n: sum(itertools.accumulate(itertools.chain([x[1]], multiples(x, n)))),
    lambda x, n: sum(itertools.starmap(pow, [(x[0] * k, 2) for k in range(n)])),
    lambda x, n: sum(map(lambda a, b: a * b, multiples(x, n), multiples(x * x, n))),
    lambda x, n: sum(itertools.starmap(lambda k, v: k * v, enumerate(multiples(x, n)))),
    lambda x, n: all(itertools.starmap(lambda k, v: k < v, enumerate(multiples(x, n)))) * x[0],
]


@pytest.mark.parametrize("f", OF_RUN_TIME, ids=lambda f: str(f.__code__.co_firstlineno))
def test_iterators_of_lists_of_run_time(f: Any) -> None:
    derivative = value_and_grad(f)
    for n in (7, 2, 0, 1, 3):
        agrees(f, X, n, derivative=derivative)


def permutations(items: Any) -> Any:
    if len(items) <= 1:
        yield items
    else:
        for i in range(len(items)):
            for rest in permutations(items[:i] + items[i + 1:]):
                yield [items[i]] + rest


def listed_permutations(items: Any) -> Any:
    if len(items) <= 1:
        return [items]
    found = []
    for i in range(len(items)):
        for rest in listed_permutations(items[:i] + items[i + 1:]):
            found.append([items[i]] + rest)
    return found


@pytest.mark.parametrize("limit", [1000, 10_000])
def test_a_generator_that_calls_itself_may_return_a_list_instead(limit: int) -> None:
    def of(function: Any) -> Any:
        return lambda x, n: sum(p[0] * p[-1] for p in function([x[0] * (i + 1) for i in range(n)]))

    before = sys.getrecursionlimit()
    sys.setrecursionlimit(max(limit, 600))
    try:
        with pytest.raises(SctError, match="list"):
            value_and_grad(of(permutations))(X, 3)
        agrees(of(listed_permutations), X, 3)
    finally:
        sys.setrecursionlimit(before)
