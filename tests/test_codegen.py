"""The printer: IR text in, whole Python text out; each is also run against the reference interpreter."""

from __future__ import annotations

import ast
import inspect
import linecache
import re
import time
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from sct.codegen import NO_DEFAULT, Interface, Parameter, generate, load
from sct.codegen.program.statement_ir import Assign, Push
from sct.codegen.python.unparse import WIDTH, same_tree, unparse
from sct.ir import text
from sct.ir.build import Builder
from sct.ir.core import Fn, Value
from sct.ir.dims import sym
from sct.ir.interp import run
from sct.ir.pytrees.pytree import Const, Leaf, Node
from sct.ir.types import FLOAT, array
from sct.ops import BY_CALL, OPS, add, mul


def read(source: str) -> Fn:
    """The function of an IR text, in which `v_1` is one more value called `v`."""
    fn = text.read(source.strip(), OPS, BY_CALL)
    for v in values(fn):
        v.hint = v.hint and re.sub(r"_\d+$", "", v.hint)
    return fn


def values(fn: Fn) -> Iterator[Value]:
    yield from fn.params
    for eqn in fn.eqns:
        yield from eqn.outs
        for region in eqn.regions:
            yield from values(region)


def interface(fn: Fn) -> Interface:
    params = tuple(Parameter(str(p.hint), tree=Leaf(k)) for k, p in enumerate(fn.params))
    if len(fn.results) == 1:
        return Interface("f", params, Leaf(0))
    places = range(len(fn.results))
    return Interface("f", params, Node("tuple", tuple(places), tuple(map(Leaf, places))))


# name: arguments, IR, source
CASES: dict[str, tuple[tuple[Any, ...], str, str]] = {}


def case(name: str, *args: Any, ir: str, source: str) -> None:
    CASES[name] = args, ir, source


case("straight_line", 2.0, 3.0, ir="""
def f(x: float, y: float) -> tuple[float, float]:
    _0: float = operator.add(y, 2.0)
    p: float = operator.mul(x, _0)
    _1: float = operator.sub(p, x)
    dp: float = adj.mul(p, -2.0)
    return _1, dp
""", source="""
def f(x, y):
    p = x * (y + 2.0)
    dp = p * -2.0
    return p - x, dp
""")

case("what_may_raise_keeps_its_order", 0.0, 0.0, ir="""
def f(x: float, y: float) -> float:
    _0: float = operator.truediv(1.0, x)
    _1: float = math.log(y)
    _2: float = operator.sub(_1, _0)
    return _2
""", source="""
import math


def f(x, y):
    inv_x = 1.0 / x
    return math.log(y) - inv_x
""")

case("what_may_be_taken_over_is_folded", np.array([1.0, 2.0]), 3.0, ir="""
def f(x: f64[n], c: float) -> f64[n]:
    _0: f64[n] = adj.exp(x)
    _1: f64[n] = adj.mul(_0, c, inplace=0)
    _2: f64[n] = adj.add(_1, 1.0, inplace=0)
    dx: f64[n] = adj.neg(_2)
    return dx
""", source="""
import numpy as np


def f(x, c):
    dx = -(c * np.exp(x) + 1.0)
    return dx
""")

case("a_sum_that_goes_on", 1.0, 2.0, 3, ir="""
def f(x: float, y: float, n: int) -> float:
    def body(i: int, s: float) -> tuple[bool, float]:
        _0: float = adj.sub(s, x)
        s_1: float = adj.sub(_0, y)
        _1: float = adj.mul(y, x)
        _2: float = adj.neg(_1)
        s_2: float = adj.add(_2, s_1)
        return True, s_2
    s_3, iterations = loop[float, int](0, n, 1, x, body=body, carries=1, counted=True)
    return s_3
""", source="""
def f(x, y, n):
    s = x
    for _ in range(n):
        s -= x + y + y * x
    return s
""")

case("what_is_written_at_once", np.array([1.0, 2.0]), 3.0, ir="""
def f(x: f64[n], y: float) -> f64[n]:
    _0: f64[n] = adj.zeros_of(x)
    _1: f64 = index(x, at[0])
    dv: f64 = adj.mul(y, _1)
    dx: f64[n] = adj.store(_0, dv, at[0], inplace=0)
    return dx
""", source="""
import numpy as np


def f(x, y):
    dx = np.zeros_like(x)
    dx[0] = y * x[0]
    return dx
""")

case("a_question_is_asked_again", 0.5, 3, ir="""
def f(a: float, n: int) -> float:
    _0: bool = operator.gt(a, 1.0)
    def then() -> float:
        return a
    def orelse() -> float:
        return 1.0
    x: float = cond(_0, then=then, orelse=orelse)
    def body(i: int, v: float) -> tuple[bool, float]:
        v_1: float = operator.mul(v, x)
        return True, v_1
    v_2, iterations = loop[float, int](0, n, 1, x, body=body, carries=1, counted=True)
    def then() -> float:
        _1: float = adj.add(v_2, 2.0)
        return _1
    def orelse() -> float:
        return v_2
    s: float = adj.cond(_0, then=then, orelse=orelse)
    return s
""", source="""
def f(a, n):
    if a > 1.0:
        x = a
    else:
        x = 1.0
    v = x
    for _ in range(n):
        v *= x
    if a > 1.0:
        s = v + 2.0
    else:
        s = v
    return s
""")

case("loop_with_a_carry", 0.2, 3, ir="""
def f(x: float, n: int) -> float:
    def body(i: int, v: float) -> tuple[bool, float]:
        _0: float = operator.mul(4.0, v)
        _1: float = operator.sub(1.0, v)
        v_1: float = operator.mul(_0, _1)
        return True, v_1
    v_2, iterations = loop[float, int](0, n, 1, x, body=body, carries=1, counted=True)
    return v_2
""", source="""
def f(x, n):
    v = x
    for _ in range(n):
        v = 4.0 * v * (1.0 - v)
    return v
""")

case("swap", 1.0, 2.0, 3, ir="""
def f(u: float, v: float, n: int) -> tuple[float, float]:
    def body(i: int, u_1: float, v_1: float) -> tuple[bool, float, float]:
        return True, v_1, u_1
    u_2, v_2, iterations = loop[float, float, int](0, n, 1, u, v, body=body, carries=2, counted=True)
    return u_2, v_2
""", source="""
def f(u, v, n):
    for _ in range(n):
        u, v = v, u
    return u, v
""")

case("sum_in_a_swap", 1.0, 2.0, 5, ir="""
def f(a: float, b: float, n: int) -> float:
    def body(i: int, a_1: float, b_1: float) -> tuple[bool, float, float]:
        _0: float = operator.add(a_1, b_1)
        return True, b_1, _0
    a_2, b_2, iterations = loop[float, float, int](1, n, 2, a, b, body=body, carries=2, counted=True)
    return a_2
""", source="""
def f(a, b, n):
    for _ in range(1, n, 2):
        a, b = b, a + b
    return a
""")

case("tested_loop_and_its_iterations", 80.0, ir="""
def f(x: float) -> tuple[float, int]:
    def test(x_1: float) -> bool:
        _0: bool = operator.gt(x_1, 1.0)
        def then() -> bool:
            _1: bool = operator.lt(x_1, 100.0)
            return _1
        def orelse() -> bool:
            return _0
        _2: bool = cond(_0, then=then, orelse=orelse)
        return _2
    def body(x_2: float) -> tuple[bool, float]:
        x_3: float = operator.mul(x_2, 0.5)
        return True, x_3
    x_4, iterations = loop[float, int](x, test=test, body=body, carries=1, tested=True)
    return x_4, iterations
""", source="""
def f(x):
    iterations = 0
    while x > 1.0 and x < 100.0:
        iterations += 1
        x *= 0.5
    return x, iterations
""")

case("break_and_continue", np.array([1.0, -2.0, 3.0, 9.0, 4.0]), 5.0, ir="""
def f(x: f64[n], level: float) -> any_real:
    _0: int(n) = builtins.len(x)
    def body(i: int, total: any_real) -> tuple[bool, any_real]:
        _1: f64 = index(x, at[i])
        _2: b1 = operator.lt(_1, 0.0)
        def then() -> int:
            return 1
        def orelse() -> int:
            return 0
        kind: int = cond(_2, then=then, orelse=orelse)
        _3: bool = operator.eq(kind, 0)
        def then() -> tuple[int, any_real]:
            total_1: f64 = operator.add(total, _1)
            _4: b1 = operator.gt(total_1, level)
            def then() -> int:
                return 2
            def orelse() -> int:
                return 0
            kind_1: int = cond(_4, then=then, orelse=orelse)
            return kind_1, total_1
        def orelse() -> tuple[int, any_real]:
            return kind, total
        kind_2, total_2 = cond[int, any_real](_3, then=then, orelse=orelse)
        _5: bool = operator.lt(kind_2, 2)
        return _5, total_2
    total_3, iterations = loop[any_real, int](0, _0, 1, 0.0, body=body, carries=1, counted=True)
    return total_3
""", source="""
def f(x, level):
    total = 0.0
    for i in range(len(x)):
        x_i = x[i]
        if x_i < 0.0:
            continue
        total += x_i
        if total > level:
            break
    return total
""")

case("return_out_of_two_loops", 1.5, 3, ir="""
def f(x: float, n: int) -> float:
    def body(i: int, s: float, _0: int) -> tuple[bool, float, int]:
        def body(j: int, s_1: float, _1: int) -> tuple[bool, float, int]:
            s_2: float = operator.mul(s_1, x)
            _2: bool = operator.gt(s_2, 10.0)
            def then() -> int:
                return 5
            def orelse() -> int:
                return 0
            _3: int = cond(_2, then=then, orelse=orelse)
            _4: bool = operator.lt(_3, 2)
            return _4, s_2, _3
        s_3, _5, iterations = loop[float, int, int](0, n, 1, s, 0, body=body, carries=2, counted=True)
        _6: bool = operator.lt(_5, 4)
        def then() -> tuple[int, float]:
            s_4: float = operator.add(s_3, 1.0)
            return 0, s_4
        def orelse() -> tuple[int, float]:
            return 5, s_3
        _7, s_5 = cond[int, float](_6, then=then, orelse=orelse)
        _8: bool = operator.lt(_7, 2)
        return _8, s_5, _7
    s_6, _9, iterations_1 = loop[float, int, int](0, n, 1, x, 0, body=body, carries=2, counted=True)
    _10: bool = operator.lt(_9, 4)
    def then() -> float:
        _11: float = operator.mul(s_6, 2.0)
        return _11
    def orelse() -> float:
        return s_6
    s_7: float = cond(_10, then=then, orelse=orelse)
    return s_7
""", source="""
def f(x, n):
    s = x
    done = False
    for _ in range(n):
        done1 = False
        for _ in range(n):
            s *= x
            if s > 10.0:
                done1 = True
                break
        if done1:
            done = True
            break
        s += 1.0
    if not done:
        s *= 2.0
    return s
""")

case("exit_that_is_computed", 1.0, 9, ir="""
def f(x: float, n: int) -> tuple[float, int]:
    def body(i: int, s: float) -> tuple[bool, float]:
        s_1: float = operator.add(s, x)
        _0: bool = operator.lt(s, 3.0)
        return _0, s_1
    s_2, iterations = loop[float, int](0, n, 1, x, body=body, carries=1, counted=True)
    return s_2, iterations
""", source="""
def f(x, n):
    s = x
    iterations = 0
    for _ in range(n):
        iterations += 1
        s1 = s + x
        s_below = s < 3.0
        s = s1
        if not s_below:
            break
    return s, iterations
""")

case("branches", 0.5, ir="""
def f(x: float) -> float:
    _0: bool = operator.gt(x, 2.0)
    def then() -> float:
        return x
    def orelse() -> float:
        _1: bool = operator.gt(x, 1.0)
        def then() -> float:
            y: float = operator.mul(x, x)
            return y
        def orelse() -> float:
            y_1: float = operator.neg(x)
            return y_1
        y_2: float = cond(_1, then=then, orelse=orelse)
        return y_2
    y_3: float = cond(_0, then=then, orelse=orelse)
    return y_3
""", source="""
def f(x):
    if x > 2.0:
        y = x
    elif x > 1.0:
        y = x * x
    else:
        y = -x
    return y
""")

case("branch_as_an_expression", 0.5, 1.0, ir="""
def f(x: float, y: float) -> float:
    _0: bool = operator.gt(x, y)
    def then() -> float:
        _1: float = operator.truediv(y, x)
        return _1
    def orelse() -> float:
        return y
    _2: float = cond(_0, then=then, orelse=orelse)
    _3: float = operator.mul(2.0, _2)
    return _3
""", source="""
def f(x, y):
    return 2.0 * (y / x if x > y else y)
""")

case("what_a_path_does_not_assign", 2.0, 1.0, ir="""
def f(x: float, c: float) -> float:
    _0: bool = operator.gt(x, c)
    def then() -> float:
        y: float = operator.mul(x, x)
        return y
    def orelse() -> undef[float]:
        return undef[float]
    y_1: undef[float] = cond(_0, then=then, orelse=orelse)
    y_2: float = unwrap(y_1)
    return y_2
""", source="""
def f(x, c):
    if x > c:
        y = x * x
    return y
""")

case("raise_in_an_arm", 4.0, ir="""
def f(x: float) -> float:
    _0: bool = operator.lt(x, 0.0)
    def then() -> tuple[()]:
        _1: object = fstring(x, parts=('negative: ', ('', '')))
        _2: object = python(_1, callee='ValueError')
        raise_(_2)
        return ()
    def orelse() -> tuple[()]:
        return ()
    cond(_0, then=then, orelse=orelse)
    _3: float = math.sqrt(x)
    return _3
""", source="""
import math


def f(x):
    if x < 0.0:
        raise ValueError(f"negative: {x}")
    return math.sqrt(x)
""")

case("one_list_of_two_values", 0.5, 3, ir="""
def f(x: float, n: int) -> tuple[float, float]:
    def body(i: int, v: float) -> tuple[bool, float, float, float]:
        _0: float = math.exp(v)
        v_1: float = operator.mul(_0, v)
        return True, v_1, v, _0
    v_2, iterations, vs, es = loop[float, int, seq[float], seq[float]](0, n, 1, x, body=body, carries=1, counted=True)
    def body(i_1: int, dv: float, v_3: float, _1: float) -> tuple[bool, float]:
        _2: float = adj.mul(_1, v_3)
        _3: float = adj.add(_2, _1)
        dv_1: float = adj.mul(dv, _3)
        return True, dv_1
    dv_2, _4 = adj.loop[float, int](0, n, 1, 1.0, vs, es, body=body, carries=1, counted=True, reverse=True)
    return v_2, dv_2
""", source="""
import math


def f(x, n):
    v = x
    tape = []
    for _ in range(n):
        exp_v = math.exp(v)
        tape.append((v, exp_v))
        v = exp_v * v
    dv = 1.0
    for _ in reversed(range(n)):
        v_prev, exp_v = tape.pop()
        dv *= exp_v * v_prev + exp_v
    return v, dv
""")

case("flat_list_of_a_nest", 0.5, 3, ir="""
def f(x: float, n: int) -> tuple[float, float]:
    def body(i: int, v: float) -> tuple[bool, float, seq[float]]:
        def body(j: int, v_1: float) -> tuple[bool, float, float]:
            v_2: float = math.sin(v_1)
            return True, v_2, v_1
        v_3, iterations, vs = loop[float, int, seq[float]](0, i, 1, v, body=body, carries=1, counted=True)
        return True, v_3, vs
    v_4, iterations_1, vss = loop[float, int, seq[seq[float]]](0, n, 1, x, body=body, carries=1, counted=True)
    def body(i_1: int, dv: float, vs_1: seq[float]) -> tuple[bool, float]:
        def body(j_1: int, dv_1: float, v_5: float) -> tuple[bool, float]:
            _0: float = adj.math.cos(v_5)
            dv_2: float = adj.mul(dv_1, _0)
            return True, dv_2
        dv_3, _1 = adj.loop[float, int](0, i_1, 1, dv, vs_1, body=body, carries=1, counted=True, reverse=True)
        return True, dv_3
    dv_4, _2 = adj.loop[float, int](0, n, 1, 1.0, vss, body=body, carries=1, counted=True, reverse=True)
    return v_4, dv_4
""", source="""
import math


def f(x, n):
    v = x
    tape = []
    for i in range(n):
        for _ in range(i):
            tape.append(v)
            v = math.sin(v)
    dv = 1.0
    for i in reversed(range(n)):
        for _ in reversed(range(i)):
            v_prev = tape.pop()
            dv *= math.cos(v_prev)
    return v, dv
""")

case("a_list_says_when_to_end", 5.0, ir="""
def f(x: float) -> tuple[float, float]:
    def test(v: float) -> bool:
        _0: bool = operator.gt(v, 1.0)
        return _0
    def body(v_1: float) -> tuple[bool, float, float]:
        v_2: float = math.sqrt(v_1)
        v_3: float = operator.sub(v_2, 0.1)
        return True, v_3, v_2
    v_4, iterations, vs = loop[float, int, seq[float]](x, test=test, body=body, carries=1, tested=True)
    def body(_1: int, dv: float, v_5: float) -> tuple[bool, float]:
        _2: float = adj.div(0.5, v_5)
        dv_1: float = adj.mul(dv, _2)
        return True, dv_1
    dv_2, _3 = adj.loop[float, int](0, iterations, 1, 1.0, vs, body=body, carries=1, counted=True, reverse=True)
    return v_4, dv_2
""", source="""
import math


def f(x):
    v = x
    tape = []
    while v > 1.0:
        v = math.sqrt(v)
        tape.append(v)
        v -= 0.1
    dv = 1.0
    while tape:
        v_prev = tape.pop()
        dv *= 0.5 / v_prev
    return v, dv
""")

case("appended_where_it_is_made", 0.5, 3, ir="""
def f(x: float, n: int) -> tuple[float, any_real]:
    def body(i: int, v: float) -> tuple[bool, float, undef[float], float]:
        _0: bool = operator.gt(v, 1.0)
        def then() -> tuple[float, float]:
            _1: float = math.exp(v)
            v_1: float = operator.mul(_1, v)
            return v_1, _1
        def orelse() -> tuple[float, undef[float]]:
            v_2: float = operator.mul(v, 2.0)
            return v_2, undef[float]
        v_3, _2 = cond[float, undef[float]](_0, then=then, orelse=orelse, mirrors=(2,))
        return True, v_3, _2, v
    v_4, iterations, es, vs = loop[float, int, seq[undef[float]], seq[float]](0, n, 1, x,
        body=body, carries=1, counted=True, mirrors=(1,))
    def body(i_1: int, dv: any_real, v_6: float, _4: undef[float]) -> tuple[bool, any_real]:
        _5: bool = operator.gt(v_6, 1.0)
        def then() -> any_real:
            _6: float = adj.unwrap(_4)
            _7: float = adj.add(v_6, 1.0)
            _8: any_real = adj.mul(dv, _6)
            dv_1: any_real = adj.mul(_8, _7)
            return dv_1
        def orelse() -> any_real:
            _9: any_real = adj.mul(2.0, dv)
            return _9
        dv_2: any_real = adj.cond(_5, then=then, orelse=orelse, mirrors=(2,))
        return True, dv_2
    dv_3, _10 = adj.loop[any_real, int](0, n, 1, 1.0, vs, es,
        body=body, carries=1, counted=True, mirrors=(1,), reverse=True)
    return v_4, dv_3
""", source="""
import math


def f(x, n):
    v = x
    tape = []
    v_tape = []
    for _ in range(n):
        v_tape.append(v)
        if v > 1.0:
            exp_v = math.exp(v)
            tape.append(exp_v)
            v = exp_v * v
        else:
            v *= 2.0
    dv = 1.0
    for _ in reversed(range(n)):
        v_prev = v_tape.pop()
        if v_prev > 1.0:
            exp_v = tape.pop()
            dv = dv * exp_v * (v_prev + 1.0)
        else:
            dv *= 2.0
    return v, dv
""")

case("placeholders_of_an_exit", 1.0, 9, ir="""
def f(x: float, n: int) -> tuple[float, any_real]:
    def body(i: int, s: float) -> tuple[bool, float, bool, undef[float]]:
        _0: bool = operator.gt(s, 3.0)
        def then() -> tuple[bool, float, undef[float]]:
            return False, s, undef[float]
        def orelse() -> tuple[bool, float, float]:
            t: float = operator.mul(s, 0.3)
            s_1: float = operator.add(s, t)
            return True, s_1, t
        _1, s_2, t_1 = cond[bool, float, undef[float]](_0, then=then, orelse=orelse, mirrors=(2,))
        return _1, s_2, _0, t_1
    s_3, iterations, cs, ts = loop[float, int, seq[bool], seq[undef[float]]](0, n, 1, x,
        body=body, carries=1, counted=True, mirrors=(1,))
    def body(i_1: int, ds: any_real, c: bool, t_2: undef[float]) -> tuple[bool, any_real]:
        def then() -> any_real:
            return ds
        def orelse() -> any_real:
            _2: float = adj.unwrap(t_2)
            _3: any_real = adj.mul(ds, _2)
            return _3
        ds_1: any_real = adj.cond(c, then=then, orelse=orelse, mirrors=(2,))
        return True, ds_1
    ds_2, _4 = adj.loop[any_real, int](0, iterations, 1, 1.0, cs, ts,
        body=body, carries=1, counted=True, mirrors=(1,), reverse=True)
    return s_3, ds_2
""", source="""
def f(x, n):
    s = x
    tape = []
    for _ in range(n):
        if s > 3.0:
            break
        t = s * 0.3
        tape.append(t)
        s += t
    ds = 1.0
    while tape:
        t = tape.pop()
        ds *= t
    return s, ds
""")

case("pullback", 2.0, 3, ir="""
def f(x: float, n: int) -> tuple[float, function]:
    def body(i: int, v: float) -> tuple[bool, float, float]:
        v_1: float = math.sin(v)
        return True, v_1, v
    v_2, iterations, vs = loop[float, int, seq[float]](0, n, 1, x, body=body, carries=1, counted=True)
    def pullback(dv: float) -> float:
        def body(i_1: int, dv_1: float, v_3: float) -> tuple[bool, float]:
            _0: float = adj.math.cos(v_3)
            dv_2: float = adj.mul(dv_1, _0)
            return True, dv_2
        dv_3, _1 = adj.loop[float, int](0, n, 1, dv, vs, body=body, carries=1, counted=True, reverse=True)
        return dv_3
    pullback: function = adj.closure(
        body=pullback, names=('ct',), params=Leaf(0), result=Node('tuple', (0,), (Leaf(0),)))
    return v_2, pullback
""", source="""
import math


def f(x, n):
    v = x
    tape = []
    for _ in range(n):
        tape.append(v)
        v = math.sin(v)

    def pullback(dv):
        for i in reversed(range(n)):
            v_prev = tape[i]
            dv *= math.cos(v_prev)
        return (dv,)

    return v, pullback
""")

case("stencil_in_place", np.arange(6.0), 2, 0.1, ir="""
def f(u: f64[n], steps: int, c: float) -> f64[n]:
    u_1: f64[n] = adj.copy(u)
    def body(i: int, u_2: f64[n]) -> tuple[bool, f64[n]]:
        _0: f64[n - 2] = index(u_2, at[1:-1])
        _1: f64[n - 2] = index(u_2, at[:-2])
        _2: f64[n - 2] = operator.mul(2.0, _0)
        _3: f64[n - 2] = operator.sub(_1, _2)
        _4: f64[n - 2] = index(u_2, at[2:])
        _5: f64[n - 2] = operator.add(_3, _4)
        _6: f64[n - 2] = operator.mul(c, _5)
        _7: f64[n - 2] = operator.add(_0, _6)
        u_3: f64[n] = store(u_2, _7, at[1:-1], inplace=0)
        return True, u_3
    u_4, iterations = loop[f64[n], int](0, steps, 1, u_1, body=body, carries=1, counted=True)
    du: f64[n] = adj.mul(2.0, u_4)
    def body(i_1: int, du_1: f64[n]) -> tuple[bool, f64[n]]:
        _8: f64[n - 2] = adj.index(du_1, at[1:-1])
        _9: f64[n - 2] = adj.mul(c, _8)
        du_2: f64[n] = adj.add_at(du_1, _9, at[2:], inplace=0)
        du_3: f64[n] = adj.add_at(du_2, _9, at[:-2], inplace=0)
        _10: f64[n - 2] = adj.mul(-2.0, _9)
        du_4: f64[n] = adj.add_at(du_3, _10, at[1:-1], inplace=0)
        return True, du_4
    du_5, _11 = adj.loop[f64[n], int](0, steps, 1, du, body=body, carries=1, counted=True, reverse=True)
    return du_5
""", source="""
import numpy as np


def f(u, steps, c):
    u = np.copy(u)
    for _ in range(steps):
        u[1:-1] += c * (u[:-2] - 2.0 * u[1:-1] + u[2:])
    du = 2.0 * u
    for _ in range(steps):
        c_times_du_inner = c * du[1:-1]
        du[2:] += c_times_du_inner
        du[:-2] += c_times_du_inner
        du[1:-1] -= 2.0 * c_times_du_inner
    return du
""")

case("copies_where_nothing_is_taken_over", np.arange(4.0), np.array([0, 0, 2]), ir="""
def f(x: f64[n], idx: i64[m]) -> tuple[f64[n], f64[n]]:
    y: f64[n] = store(x, 1.0, at[0])
    z: f64[n] = add_at(y, 2.0, at[idx])
    return y, z
""", source="""
import numpy as np


def f(x, idx):
    y = np.copy(x)
    y[0] = 1.0
    z = np.copy(y)
    np.add.at(z, idx, 2.0)
    return y, z
""")

case("names_that_are_taken", 2.0, 3.0, ir="""
def f(t: float, dx: float) -> tuple[float, float, float]:
    sum: float = operator.mul(t, dx)
    x: float = math.sin(sum)
    dx_1: float = adj.mul(x, x)
    _0: float = operator.add(x, dx_1)
    _1: float = operator.mul(_0, _0)
    lambda_: float = operator.mul(_1, dx_1)
    return lambda_, sum, dx
""", source="""
import math


def f(t, dx):
    sum = t * dx
    x = math.sin(sum)
    dx_new = x * x
    x_plus_dx = x + dx_new
    lambda_ = x_plus_dx * x_plus_dx * dx_new
    return lambda_, sum, dx
""")


@pytest.mark.parametrize("name", CASES)
def test_text(name: str) -> None:
    _, ir, source = CASES[name]
    fn = read(ir)
    assert generate(fn, interface(fn)).text == source.lstrip("\n")


@pytest.mark.parametrize("name", CASES)
def test_value(name: str) -> None:
    """What is printed computes what the IR means; arguments are left as they were."""
    args, ir, _ = CASES[name]
    fn = read(ir)
    emitted = load(generate(fn, interface(fn)), f"<sct test {name}>")
    given = [a.copy() if isinstance(a, np.ndarray) else a for a in args]
    expected, got = outcome(lambda: run(fn, args)), outcome(lambda: emitted(*given))
    got = [got] if len(fn.results) == 1 else got
    assert_same(got, expected)
    assert_same(given, list(args))


def outcome(call: Any) -> Any:
    try:
        return call()
    except (ArithmeticError, ValueError) as error:
        return [f"{type(error).__name__}: {error}"]


def assert_same(got: Any, expected: Any) -> None:
    assert len(got) == len(expected)
    for a, b in zip(got, expected):
        if isinstance(a, str) and a.endswith(str(b)[-8:]):
            continue
        if callable(a):
            assert_same(a(0.5), b(0.5))
            assert_same(a(0.5), b(0.5))  # a second time: a pullback takes nothing away
        else:
            np.testing.assert_array_equal(a, b)


# -- the interface ------------------------------------------------------------------------


def linear(*names: str) -> Fn:
    """The sum of floats."""
    params = [Value(FLOAT, name) for name in names]
    total = params[0]
    with Builder() as b:
        for p in params[1:]:
            total = add(total, p)
    return b.finish("f", params, [total])


def test_signature() -> None:
    fn = linear("a", "b", "c", "d")
    params = (
        Parameter("a", "positional_only", tree=Leaf(0)),
        Parameter("b", default=-2.0, tree=Leaf(1)),
        Parameter("c", "keyword", NO_DEFAULT, Leaf(2)),
        Parameter("d", "keyword", np.float64(3.0), Leaf(3)),
        Parameter("more", "varkeywords", tree=Const(None)),
    )
    source = generate(fn, Interface("f", params, Leaf(0), "a: float"))
    assert source.text == """import numpy as np


def f(a, /, b=-2.0, *, c, d=np.float64(3.0), **more):
    # a: float
    return a + b + c + d
"""
    assert load(source, "<sct test>")(1.0, c=4.0) == 6.0


def test_default_without_a_literal() -> None:
    default = object()
    source = generate(linear("a"), Interface("f", (Parameter("a", default=default, tree=Leaf(0)),), Leaf(0)))
    assert source.bindings == {"_a": default}
    assert load(source, "<sct test>")() is default


def test_containers() -> None:
    fn = linear("w", "w", "b", "rest")
    first, second, third, fourth = fn.params
    with Builder() as b:
        total = add(mul(first, second), add(mul(third, third), fourth))
    fn = b.finish("f", fn.params, [total, first])
    tree = Node("dict", ("w", "b"), (Node("list", (0, 1), (Leaf(0), Leaf(1))), Leaf(2)))
    params = (Parameter("params", tree=tree), Parameter("rest", "varargs", tree=Node("tuple", (0,), (Leaf(3),))))
    result = Node("dict", ("total", "parts", "kind"), (Leaf(0), Node("list", (0,), (Leaf(1),)), Const("mse")))
    source = generate(fn, Interface("f", params, result))
    assert source.text == """def f(params, *rest):
    w1 = params["w"]
    w = w1[0]
    b = params["b"]
    return {"total": w * w1[1] + (b * b + rest[0]), "parts": [w], "kind": "mse"}
"""
    made = load(source, "<sct test>")({"w": [2.0, 3.0], "b": 1.0}, 4.0)
    assert made == {"total": 11.0, "parts": [2.0], "kind": "mse"}


def test_parameter_that_hides_a_module() -> None:
    x = Value(array("f64", sym("n")), "np")
    with Builder() as b:
        y = b.emit(OPS["exp"], [x], spelling="numpy.exp")
    source = generate(b.finish("f", [x], [y]), Interface("f", (Parameter("np", tree=Leaf(0)),), Leaf(0)))
    assert source.text == """import numpy as _np


def f(np):
    return _np.exp(np)
"""


def test_load() -> None:
    source = generate(linear("a", "b"), interface(linear("a", "b")))
    f = load(source, "<sct test f>")
    assert f.__source__ == source.text  # type: ignore[attr-defined]
    assert inspect.getsource(f) == source.text
    assert linecache.getline("<sct test f>", 2) == "    return a + b\n"


# -- text -----------------------------------------------------------------------------------


@pytest.mark.parametrize("line", [
    "x = (a + b) * c - d ** -e ** (f - 1)",
    "x = (-a) ** b + -a ** b - (a - (b - c)) / (d / e)",
    "x = not (a and (b or c)) or not a < b",
    "x = (a if b else c) if (d if e else f) else g",
    "x[1:-1, ::2, ..., None] = x[i][j].T[:, 0] + (1).real + (a + b).sum(axis=(0,), keepdims=True)",
    "x = {'a': [1, (2,), ()], 'b': -0.0, 'c': 'it\\'s \"quoted\"'}",
    "x = f'{a!r:>{width}} {{}} {b[0]:.3f} {c}'",
    "a, b = b, (a, b)",
    "return_value = " + " + ".join(f"coefficient_{k} * power_{k}" for k in range(12)),
    "x = function(" + ", ".join(f"argument_{k}(value, {k})" for k in range(12)) + ")[0]",
    "x = (first, [" + ", ".join(f"(name_{k}, other_name_{k}, {k} + third_name_{k})" for k in range(5)) + "])",
    "if " + " and ".join(f"some_condition_{k} < limit" for k in range(9)) + ":\n    pass",
    "def f(" + ", ".join(f"parameter_{k}=None" for k in range(12)) + "):\n    return (a,)",
])
def test_unparse(line: str) -> None:
    tree = ast.parse(line)
    printed = unparse(tree)
    assert same_tree(ast.parse(printed), tree), printed
    assert max(map(len, printed.splitlines())) <= WIDTH, printed


def test_time_is_linear() -> None:
    """5,000 lines, all of whose values live until the end, in seconds."""
    x = Value(FLOAT, "x")
    with Builder() as b:
        made = [x]
        for _ in range(2500):
            made.append(mul(made[-1], x))
        total = x
        for v in reversed(made):
            total = add(mul(total, v), v)
    fn = b.finish("f", [x], [total])
    start = time.perf_counter()
    source = generate(fn, interface(fn))
    assert time.perf_counter() - start < 20.0
    assert load(source, "<sct test>")(0.5) == run(fn, [0.5])[0]


def test_an_operand_that_is_replaced_is_unbound_as_the_one_before() -> None:
    """A statement knows of what now stands in the place of an operand that not every path binds."""
    v, x, y = (Value(FLOAT) for _ in range(3))
    moved, pushed = Assign([(v, x)], frozenset([x])), Push(v, (x,), frozenset([x]))
    for s in (moved, pushed):
        s.replace_operands(lambda operand: y if operand is x else operand)
        assert s.maybe_unbound == {y}
