"""Items that are arrays or objects are compared as containers do, one or equal; sets and dicts in loops."""

from __future__ import annotations

import warnings
from collections import Counter, defaultdict
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from oracle import agrees, refuses

from sct import value_and_grad

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


class Eq:
    """A number whose `==` says that it runs."""

    def __init__(self, n: Any) -> None:
        self.n = n

    def __eq__(self, other: object) -> Any:
        print("eq", self.n, other.n if isinstance(other, Eq) else "?")
        return self.n == (other.n if isinstance(other, Eq) else other)


class Owner:
    def __init__(self) -> None:
        self.s: set[int] = set()


# -- one, or equal ---------------------------------------------------------------------------------------

@program
def lt_new(x: np.ndarray) -> Any:
    return x[0] if [x * 1.0] == [x * 1.0] else x[1]

@program
def lt_same(x: np.ndarray) -> Any:
    return x[0] if [x] == [x] else x[1]

@program
def lt_same_y(x: np.ndarray) -> Any:
    y = x * 1.0
    return x[0] if [y] == [y] else x[1]

@program
def lt_tuple_new(x: np.ndarray) -> Any:
    return x[0] if (x * 1.0, 1) == (x * 1.0, 1) else x[1]

@program
def lt_tuple_len(x: np.ndarray) -> Any:
    return x[0] if (x * 1.0, 1) == (x * 1.0,) else x[1]

@program
def lt_list_first_differs(x: np.ndarray) -> Any:
    return x[0] if [1, x * 1.0] == [2, x * 1.0] else x[1]

@program
def lt_dict_new(x: np.ndarray) -> Any:
    return x[0] if {"a": x * 1.0} == {"a": x * 1.0} else x[1]

@program
def lt_dict_same(x: np.ndarray) -> Any:
    y = x * 1.0
    return x[0] if {"a": y} == {"a": y} else x[1]

@program
def lt_ne(x: np.ndarray) -> Any:
    return x[0] if [x * 1.0] != [x * 1.0] else x[1]

@program
def lt_lt(x: np.ndarray) -> Any:
    return x[0] if [x * 1.0] < [x * 1.0] else x[1]

@program
def lt_in(x: np.ndarray) -> Any:
    return x[0] if x * 1.0 in [x * 1.0] else x[1]

@program
def lt_in_same(x: np.ndarray) -> Any:
    return x[0] if x in [x, x * 2.0] else x[1]

@program
def lt_in_second(x: np.ndarray) -> Any:
    y = x * 2.0
    return x[0] if y in [x, y] else x[1]

@program
def lt_in_num(x: np.ndarray) -> Any:
    return x[0] if 1.0 in [x, 1.0] else x[1]

@program
def lt_in_num_first(x: np.ndarray) -> Any:
    return x[0] if 1.0 in [1.0, x] else x[1]

@refused("SCT503")
def lt_in_none(x: np.ndarray) -> Any:
    return x[0] if None in [x, None] else x[1]

@refused("SCT503")
def lt_in_str(x: np.ndarray) -> Any:
    return x[0] if "a" in [x, "a"] else x[1]

@program
def lt_in_arr_in_nums(x: np.ndarray) -> Any:
    return x[0] if x in [1.0, 2.0] else x[1]

@program
def lt_in_tuple(x: np.ndarray) -> Any:
    return x[0] if (x, 1) in [(x, 1)] else x[1]

@program
def lt_in_values(x: np.ndarray) -> Any:
    return x[0] if x in {"a": x}.values() else x[1]

@program
def lt_in_values2(x: np.ndarray) -> Any:
    return x[0] if x * 1.0 in {"a": x}.values() else x[1]

@program
def lt_in_size1(x: np.ndarray) -> Any:
    return x[0] if x[:1] * 1.0 in [x[:1] * 1.0] else x[1]

@program
def lt_eq_size1(x: np.ndarray) -> Any:
    return x[0] if [x[:1] * 1.0] == [x[:1] * 1.0] else x[1]

@program
def lt_eq_size0(x: np.ndarray) -> Any:
    return x[0] if [x[:0] * 1.0] == [x[:0] * 1.0] else x[1]

@program
def lt_index_same(x: np.ndarray) -> Any:
    return x[[x, x * 2.0].index(x)]

@program
def lt_index_second(x: np.ndarray) -> Any:
    y = x * 2.0
    return x[[x, y].index(y)]

@program
def lt_index_num(x: np.ndarray) -> Any:
    return x[[1, x, 2].index(1)]

@program
def lt_index_num2(x: np.ndarray) -> Any:
    return x[[1, x, 2].index(2)]

@program
def lt_count_same(x: np.ndarray) -> Any:
    return x[0] * [x, 1, 1].count(x)

@program
def lt_count_new(x: np.ndarray) -> Any:
    return x[0] * [x].count(x * 1.0)

@program
def lt_count_num(x: np.ndarray) -> Any:
    return x[0] * [1, 1, 2].count(1)

@program
def lt_count_x0(x: np.ndarray) -> Any:
    v = x[0]
    return x[0] * [v, v, x[1]].count(v)

@program
def lt_count_eq(x: np.ndarray) -> Any:
    return x[0] * [x[0], x[0], x[1]].count(x[0])

@program
def lt_index_eq(x: np.ndarray) -> Any:
    return x[[x[0], x[1]].index(x[1])]

@program
def lt_remove_same(x: np.ndarray) -> Any:
    y = x * 2.0
    xs = [x, y]
    xs.remove(x)
    return np.sum(xs[0])

@program
def lt_remove_second(x: np.ndarray) -> Any:
    y = x * 2.0
    xs = [x, y]
    xs.remove(y)
    return np.sum(xs[0])

@program
def lt_remove_num(x: np.ndarray) -> Any:
    xs = [1, x, 2]
    xs.remove(1)
    return np.sum(xs[0])

@program
def lt_tuple_index(x: np.ndarray) -> Any:
    return x[(x, 1).index(x)]

@program
def lt_tuple_index2(x: np.ndarray) -> Any:
    return x[(x, 1).index(1)]

@program
def lt_tuple_count(x: np.ndarray) -> Any:
    return x[0] * (x, 1).count(x)

@program
def lt_tuple_count1(x: np.ndarray) -> Any:
    return x[0] * (1, x, 1).count(1)

@program
def lt_index_str(x: np.ndarray) -> Any:
    return x[["a", x, "b"].index("a")]

@refused("SCT503")
def lt_index_str2(x: np.ndarray) -> Any:
    return x[["a", x, "b"].index("b")]

@program
def lt_nested(x: np.ndarray) -> Any:
    return x[0] if [[x * 1.0]] == [[x * 1.0]] else x[1]

@program
def lt_nested_same(x: np.ndarray) -> Any:
    y = x * 1.0
    return x[0] if [[y], 2] == [[y], 2] else x[1]

@program
def lt_slice_view(x: np.ndarray) -> Any:
    return x[0] if [x[:2]] == [x[:2]] else x[1]

@program
def lt_np_scalar(x: np.ndarray) -> Any:
    return x[0] if [x[0]] == [x[0]] else x[1]

@program
def lt_nan(x: np.ndarray) -> Any:
    y = x[0] * float("nan")
    return x[0] if [y] == [y] else x[1]

@program
def lt_nan2(x: np.ndarray) -> Any:
    y = float("nan")
    return x[0] if [y] == [y] else x[1]

@program
def lt_nan3(x: np.ndarray) -> Any:
    return x[0] if [float("nan")] == [float("nan")] else x[1]

@program
def lt_nan_in(x: np.ndarray) -> Any:
    y = float(x[0]) * float("nan")
    return x[0] if y in [y] else x[1]

@program
def lt_nan_arr(x: np.ndarray) -> Any:
    y = x * float("nan")
    return x[0] if y[0] in [y[0]] else x[1]

@program
def lt_arr_eq_list(x: np.ndarray) -> Any:
    return x[0] if (x == [1, 2, 3, 4, 5, 6]).any() else x[1]

@program
def lt_list_eq_arr(x: np.ndarray) -> Any:
    return x[0] if ([1, 2, 3, 4, 5, 6] == x).all() else x[1]

@program
def lt_if_arr(x: np.ndarray) -> Any:
    return x[0] if x == x else x[1]

@program
def lt_zero_d(x: np.ndarray) -> Any:
    y = np.sum(x)
    return x[0] if [np.asarray(y)] == [np.asarray(y)] else x[1]

@program
def lt_loop(x: np.ndarray) -> Any:
    s = 0.0
    for k in range(len(x)):
        s += x[k] if [x * k] == [x * k] else 1.0
    return s

@program
def t6_list(x: np.ndarray) -> Any:
    t = ([x[0]], 1)
    t[0] += [x[1]]
    return t[0][0]

@program
def t6_print(x: np.ndarray) -> Any:
    xs = [x[0]]
    t = (xs, 1)

    def show():
        print(len(xs))
        return [x[1]]
    t[0] += show()
    return t[0][0]

@program
def t6_num(x: np.ndarray) -> Any:
    t = (x[0], 1)
    t[0] += x[1]
    return t[0]

@program
def t6_arr(x: np.ndarray) -> Any:
    t = (x * 1.0, 1)
    t[0] += 1.0
    return t[0][0]

@program
def t6_arr_bad(x: np.ndarray) -> Any:
    t = (x * 1.0, 1)
    t[0] += x[:2]
    return t[0][0]

@program
def t6_list_bad(x: np.ndarray) -> Any:
    t = ([x[0]], 1)
    t[0] += 3
    return t[0][0]

@program
def t6_mul(x: np.ndarray) -> Any:
    t = (x[0], 1)
    t[1] *= 2
    return t[0]

@program
def t6_idx(x: np.ndarray) -> Any:
    t = (x[0], 1)
    t[5] += 2
    return t[0]

@refused("SCT303")
def t6_str(x: np.ndarray) -> Any:
    t = "abc"
    t[0] += "d"
    return x[0]

@refused("SCT101")
def t6_del(x: np.ndarray) -> Any:
    t = (x[0], 1)
    del t[0]
    return x[0]

@refused("SCT303")
def t6_range(x: np.ndarray) -> Any:
    r = range(3)
    r[0] += 1
    return x[0]

@program
def t6_set(x: np.ndarray) -> Any:
    r = {1, 2}
    r[0] += 1
    return x[0]

@program
def t6_arg_alias(x: np.ndarray) -> Any:
    xs = [x[0]]
    t = (xs, 1)
    t[0].append(x[1])
    return xs[1]

@program
def t6_dyn(x: np.ndarray) -> Any:
    xs = []
    for v in x:
        xs.append(v)
    t = (xs, 1)
    t[0] += [x[1]]
    return xs[1]

@program
def e_dict(x: np.ndarray) -> Any:
    return x[0] if {"a": Eq(1), "b": Eq(2)} == {"b": Eq(3), "a": Eq(1)} else x[1]

@program
def e_dict_missing(x: np.ndarray) -> Any:
    return x[0] if {"a": Eq(1), "b": Eq(2)} == {"c": Eq(3), "a": Eq(1)} else x[1]

@program
def e_list(x: np.ndarray) -> Any:
    return x[0] if [Eq(1), Eq(2)] == [Eq(1), Eq(3)] else x[1]

@program
def e_list_len(x: np.ndarray) -> Any:
    return x[0] if [Eq(1), Eq(2)] == [Eq(1)] else x[1]

@program
def e_tuple_len(x: np.ndarray) -> Any:
    return x[0] if (Eq(1), Eq(2)) == (Eq(1),) else x[1]

@program
def e_in(x: np.ndarray) -> Any:
    return x[0] if Eq(2) in [Eq(1), Eq(2), Eq(3)] else x[1]

@program
def e_index(x: np.ndarray) -> Any:
    return x[[Eq(1), Eq(2), Eq(3)].index(Eq(2))]

@program
def e_count(x: np.ndarray) -> Any:
    return x[0] * [Eq(1), Eq(2), Eq(2)].count(Eq(2))

@program
def e_remove(x: np.ndarray) -> Any:
    xs = [Eq(1), Eq(2), Eq(3)]
    xs.remove(Eq(2))
    return x[0] * len(xs)

@program
def e_remove_missing(x: np.ndarray) -> Any:
    xs = [Eq(1), Eq(2), Eq(3)]
    xs.remove(Eq(5))
    return x[0] * len(xs)

@program
def e_index_missing(x: np.ndarray) -> Any:
    return x[[x[0], x[1]].index(x[2])]

@program
def e_index_missing_f(x: np.ndarray) -> Any:
    return x[[x[0], x[1]].index(float(x[2]))]

@program
def e_index_missing_s(x: np.ndarray) -> Any:
    return x[["a", "b"].index("c")]

@program
def e_index_bounds(x: np.ndarray) -> Any:
    return x[[1, 2, 1, 3].index(1, 1)]

@program
def e_index_bounds2(x: np.ndarray) -> Any:
    return x[[1, 2, 1, 3].index(1, -3, -1)]

@program
def e_index_bounds3(x: np.ndarray) -> Any:
    return x[[1, 2, 1, 3].index(3, 1, 3)]

@program
def e_tuple_missing(x: np.ndarray) -> Any:
    return x[(1, 2).index(3)]

@program
def e_count_nan(x: np.ndarray) -> Any:
    y = float(x[0]) * float("nan")
    return x[0] * [y, y, 1.0].count(y)

@program
def e_index_nan(x: np.ndarray) -> Any:
    y = float(x[0]) * float("nan")
    return x[[1.0, y].index(y)]

@program
def e_if_arr(x: np.ndarray) -> Any:
    if x > 0:
        return x[0]
    return x[1]

@program
def e_if_arr1(x: np.ndarray) -> Any:
    if x[:1] > 0:
        return x[0]
    return x[1]

@program
def e_not_arr(x: np.ndarray) -> Any:
    return x[0] if not x else x[1]

@program
def e_and_arr(x: np.ndarray) -> Any:
    return x[0] if x > 0 and x < 1 else x[1]

@program
def e_while_arr(x: np.ndarray) -> Any:
    while x > 5:
        x = x - 1
    return x[0]

@program
def e_assert_arr(x: np.ndarray) -> Any:
    assert x > -5
    return x[0]

@program
def e_bool_arr(x: np.ndarray) -> Any:
    return x[0] * bool(x)

@program
def e_empty(x: np.ndarray) -> Any:
    return x[0] if x[:0] else x[1]

@program
def e_mat(x: np.ndarray) -> Any:
    return x[0] if np.outer(x, x) else x[1]

@program
def e_any_mat(x: np.ndarray) -> Any:
    return x[0] if any(np.outer(x, x) > 0) else x[1]

@program
def e_any_rows(x: np.ndarray) -> Any:
    return x[0] if any((r > 0 for r in np.outer(x, x))) else x[1]

@program
def e_max_mat(x: np.ndarray) -> Any:
    return np.sum(max(np.outer(x, x)))

@program
def e_chain_cmp(x: np.ndarray) -> Any:
    return x[0] if 0 < x < 1 else x[1]


# -- loops whose test raises -----------------------------------------------------------------------------

@program
def w_dead(x: np.ndarray) -> Any:
    while [1, 2][5] > 0:
        x = x * 2
    return x[0]

@program
def w_dead_print(x: np.ndarray) -> Any:
    while print("a") or {}["k"]:
        x = x * 2
    return x[0]

@program
def w_arr(x: np.ndarray) -> Any:
    while x > 5:
        x = x - 1
    return x[0]

@program
def w_later(x: np.ndarray) -> Any:
    k = 0
    while k < 2 or x[k] > (1, 2)[k]:
        k += 1
    return x[k]

@program
def w_else(x: np.ndarray) -> Any:
    while {}["k"]:
        x = x * 2
    else:
        print("no")
    return x[0]

@program
def w_in_for(x: np.ndarray) -> Any:
    s = 0.0
    for v in x:
        while x > 5:
            s += v
    return s

@program
def w_in_if(x: np.ndarray) -> Any:
    s = x[0]
    if x[1] > 0:
        while x > 5:
            s += 1
    return s

@program
def w_in_if2(x: np.ndarray) -> Any:
    s = x[0]
    if x[1] < 0:
        while x > 5:
            s += 1
    return s


# -- sets and dicts in loops -----------------------------------------------------------------------------

@program
def s_while(x: np.ndarray) -> Any:
    s = set()
    k = 0
    while k < 5:
        s = s | {k % 3}
        k += 1
    return x[0] * len(s)

@program
def s_while_data(x: np.ndarray) -> Any:
    s = {0}
    v = x[0]
    while v < 3.0:
        s = s | {1}
        v = v * 2.0
    return v * len(s)

@program
def s_while_add(x: np.ndarray) -> Any:
    s = set()
    k = 0
    while k < 4:
        s.add(k % 2)
        k += 1
    return x[0] * len(s)

@program
def s_for_data(x: np.ndarray) -> Any:
    s = set()
    for k in range(len(x)):
        if x[k] > 0:
            s = s | {k}
    return x[0] * len(s)

@program
def s_for_data_add(x: np.ndarray) -> Any:
    s = set()
    for k in range(len(x)):
        if x[k] > 0:
            s.add(k)
    return x[0] * len(s)

@program
def s_rebuilt(x: np.ndarray) -> Any:
    s = {0, 1}
    v = x[0]
    while v < 3.0:
        s = {k + 1 for k in s}
        v = v * 2.0
    return v * sum(s)

@program
def s_swap(x: np.ndarray) -> Any:
    a, b = ({1}, {2, 3})
    v = x[0]
    while v < 3.0:
        a, b = (b, a)
        v = v * 2.0
    return v * len(a)

@program
def s_same(x: np.ndarray) -> Any:
    a = {1, 2}
    v = x[0]
    while v < 3.0:
        a = {1, 2}
        v = v * 2.0
    return v * len(a)

@program
def s_same_for(x: np.ndarray) -> Any:
    a = {1}
    s = 0.0
    for v in x:
        a = {1, 2}
        s += v
    return s * len(a)

@program
def s_in_loop_read(x: np.ndarray) -> Any:
    a = {1}
    s = 0.0
    for v in x:
        s += v * len(a)
        a = {1, 2}
    return s

@program
def s_break(x: np.ndarray) -> Any:
    a = {1}
    for v in x:
        if v > 1.0:
            a = {1, 2, 3}
            break
    return x[0] * len(a)

@program
def s_branch(x: np.ndarray) -> Any:
    a = {1}
    if x[0] > 0:
        a = {1, 2}
    return x[0] * len(a)

@program
def s_branch_add(x: np.ndarray) -> Any:
    a = {1}
    if x[0] > 0:
        a.add(2)
    return x[0] * len(a)

@program
def s_pop(x: np.ndarray) -> Any:
    a = {1, 2, 3}
    v = x[0]
    while a:
        v = v * a.pop()
    return v

@program
def s_alias(x: np.ndarray) -> Any:
    a = {1}
    b = a
    a |= {2}
    return x[0] * len(b)

@program
def s_alias2(x: np.ndarray) -> Any:
    a = {1}
    b = a
    a = a | {2}
    return x[0] * len(b)

@program
def s_update(x: np.ndarray) -> Any:
    a = {1}
    a.update([2, 3])
    return x[0] * len(a)

@program
def s_literal_twice(x: np.ndarray) -> Any:
    s = 0.0
    for k in range(3):
        a = {0}
        a |= {k}
        s += x[k] * len(a)
    return s

@program
def s_frozen(x: np.ndarray) -> Any:
    s = frozenset()
    for k in range(3):
        s = s | {k}
    return x[0] * len(s)

@program
def d_while(x: np.ndarray) -> Any:
    d = {}
    k = 0
    while k < 3:
        d[k] = x[k]
        k += 1
    return d[0] + d[2]

@program
def d_while_data(x: np.ndarray) -> Any:
    d = {"a": x[0]}
    v = x[0]
    while v < 3.0:
        d["a"] = d["a"] * 2.0
        v = v * 2.0
    return d["a"]

@program
def d_rebuilt(x: np.ndarray) -> Any:
    d = {"a": x[0]}
    v = x[0]
    while v < 3.0:
        d = {"a": d["a"] * 2.0}
        v = v * 2.0
    return d["a"]

@refused("SCT503")
def d_rebuilt_keys(x: np.ndarray) -> Any:
    d = {"a": x[0]}
    v = x[0]
    while v < 3.0:
        d = {"b": v}
        v = v * 2.0
    return sum(d.values())

@program
def d_new_key_data(x: np.ndarray) -> Any:
    d = {"a": x[0]}
    v = x[0]
    while v < 3.0:
        d["b"] = v
        v = v * 2.0
    return sum(d.values())

@program
def d_for_keys(x: np.ndarray) -> Any:
    d = {}
    for k in range(len(x)):
        d[k] = x[k]
    return d[0] + d[5]

@program
def d_for_keys_data(x: np.ndarray) -> Any:
    d = {}
    for k in range(len(x)):
        if x[k] > 0:
            d[k] = x[k]
    return sum(d.values())

@program
def d_pop_loop(x: np.ndarray) -> Any:
    d = {"a": x[0], "b": x[1]}
    s = 0.0
    while d:
        _, v = d.popitem()
        s += v
    return s

@program
def d_merge(x: np.ndarray) -> Any:
    d = {"a": x[0]}
    v = x[0]
    while v < 3.0:
        d = {**d, "a": v}
        v = v * 2.0
    return d["a"]

@program
def d_merge_or(x: np.ndarray) -> Any:
    d = {"a": x[0]}
    v = x[0]
    while v < 3.0:
        d = d | {"a": v}
        v = v * 2.0
    return d["a"]

@refused("SCT503")
def d_order(x: np.ndarray) -> Any:
    d = {"a": x[0], "b": x[1]}
    v = x[0]
    while v < 3.0:
        d = {"b": d["a"], "a": d["b"]}
        v = v * 2.0
    return list(d.values())[0] * v

@program
def d_alias(x: np.ndarray) -> Any:
    d = {"a": x[0]}
    e = d
    v = x[0]
    while v < 3.0:
        d = {"a": v}
        v = v * 2.0
    return d["a"] + e["a"]

@program
def d_alias_write(x: np.ndarray) -> Any:
    d = {"a": x[0]}
    e = d
    v = x[0]
    while v < 3.0:
        d["a"] = v
        v = v * 2.0
    return d["a"] + e["a"]

@program
def d_alias_write_after(x: np.ndarray) -> Any:
    d = {"a": x[0]}
    e = d
    v = x[0]
    while v < 3.0:
        d = {"a": v}
        v = v * 2.0
    d["a"] = 7.0
    return d["a"] + e["a"]

@refused("SCT502")
def d_break(x: np.ndarray) -> Any:
    d = {"a": x[0]}
    for v in x:
        if v > 1.0:
            d = {"a": v, "c": 1.0}
            break
    return sum(d.values())

@program
def d_get(x: np.ndarray) -> Any:
    d = {}
    s = 0.0
    for v in x:
        s += v * d.get("n", 1)
        d["n"] = 2
    return s

@program
def d_setdefault(x: np.ndarray) -> Any:
    d = {}
    s = 0.0
    for v in x:
        s += v * d.setdefault("n", v)
    return s

@program
def d_count(x: np.ndarray) -> Any:
    d = {}
    for k in [0, 1, 0, 2]:
        d[k] = d.get(k, 0) + x[k]
    return d[0] * d[2]

@program
def d_default(x: np.ndarray) -> Any:
    d = defaultdict(float)
    for k in range(len(x)):
        d[k % 2] += x[k]
    return d[0] * d[1]

@program
def d_counter(x: np.ndarray) -> Any:
    c = Counter([1, 1, 2])
    return x[0] * c[1]

@program
def l_while_rebuilt(x: np.ndarray) -> Any:
    xs = [x[0]]
    v = x[0]
    while v < 3.0:
        xs = [v] + xs
        v = v * 2.0
    return sum(xs) * len(xs)

@program
def t_while_rebuilt(x: np.ndarray) -> Any:
    xs = (x[0],)
    v = x[0]
    while v < 3.0:
        xs = (v,) + xs
        v = v * 2.0
    return sum(xs) * len(xs)

@program
def str_while(x: np.ndarray) -> Any:
    xs = "a"
    v = x[0]
    while v < 3.0:
        xs = xs + "b"
        v = v * 2.0
    return v * len(xs)

@program
def set_in_dict(x: np.ndarray) -> Any:
    d = {"s": {1}}
    v = x[0]
    while v < 3.0:
        d["s"] = d["s"] | {2}
        v = v * 2.0
    return v * len(d["s"])

@program
def set_in_list(x: np.ndarray) -> Any:
    d = [{1}]
    for k in range(3):
        d[0] |= {k}
    return x[0] * len(d[0])

@program
def set_attr(x: np.ndarray) -> Any:
    owner = Owner()
    for k in range(len(x)):
        owner.s = owner.s | {k % 2}
    return x[0] * len(owner.s)

@program
def set_nested(x: np.ndarray) -> Any:
    s = set()
    for i in range(2):
        for j in range(3):
            s = s | {i + j}
    return x[0] * len(s)

@program
def set_seen(x: np.ndarray) -> Any:
    seen = set()
    s = 0.0
    for k in [1, 2, 1, 3]:
        if k in seen:
            continue
        seen.add(k)
        s += x[k]
    return s

@program
def set_sym(x: np.ndarray) -> Any:
    s = {1, 2}
    v = x[0]
    while v < 3.0:
        s ^= {2}
        v = v * 2.0
    return v * len(s)


# -- keys that are equal, and of another class or sign, where paths meet -------------------------------------------


@program
def keys_of_branches(x: np.ndarray) -> Any:
    d = {1: x[0]}
    if x[1] > 0:
        d = {1.0: x[0]}
    return d[1] * sum(2 if isinstance(k, float) else 3 for k in d)

@program
def signs_of_branches(x: np.ndarray) -> Any:
    if x[1] > 0:
        d = {0.0: x[0]}
    else:
        d = {-0.0: x[0]}
    return d[0] * sum(np.copysign(2.0, k) for k in d)

@program
def tuples_of_branches(x: np.ndarray) -> Any:
    d = {(1, "a"): x[0]}
    if x[1] > 0:
        d = {(True, "a"): x[2]}
    print(*d)
    return d[1, "a"]

@program
def keys_of_expressions(x: np.ndarray) -> Any:
    d = {1: x[0]} if x[1] > 0 else {1.0: x[0]}
    e = {0.0: x[0]} if x[0] > 0 else {-0.0: x[0]}
    print(*d, *e)
    return d[1] * sum(2 if isinstance(k, float) else 3 for k in d) + e[0] * sum(np.copysign(2.0, k) for k in e)

@program
def keys_of_branches_alike(x: np.ndarray) -> Any:
    d = {1.0: x[0], (0.0, 1): x[2]} if x[1] > 0 else {1.0: x[1], (0.0, 1): x[0]}
    return d[1] * d[0, 1] * sum(2 if isinstance(k, float) else 3 for k in d)

@refused("SCT502")
def keys_of_trips(x: np.ndarray) -> Any:
    d = {1: x[0]}
    for v in x:
        d = {1.0: v}
    return d[1] * sum(2 if isinstance(k, float) else 3 for k in d)

@refused("SCT502")
def keys_of_trips_of_a_while(x: np.ndarray) -> Any:
    d, v = {0.0: x[0]}, x[0]
    while v < 3.0:
        v = v * 2.0 * np.sum([np.copysign(1.0, k) for k in d])
        d = {-0.0: v}
    return v

@program
def a_key_that_is_replaced(x: np.ndarray) -> Any:
    d = {1: x[0]}
    for v in x:
        del d[1]
        d[True] = v
    print(*d)
    return d[1]

@program
def a_key_that_stays(x: np.ndarray) -> Any:
    d = {1: x[0]}
    for v in x:
        d[1.0] = d[True] + v
    print(*d)
    return d[1]

@program
def keys_of_few_trips(x: np.ndarray) -> Any:
    d, s = {1: x[0]}, 0.0
    for k in (1.0, True, 1):
        s = s + d[1] * sum(2 if isinstance(k, float) else 3 if isinstance(k, bool) else 5 for k in d)
        d = {k: s}
    print(*d)
    return s

def _long(d: Any, x: Any) -> Any:
    w = sum(2.0 if isinstance(k, float) else 3.0 if isinstance(k, bool) else 5.0 for k in d)
    t = x
    for _ in range(3):
        t = t * d[1] + np.sin(t) * x * w
    a = t * x + np.cos(t)
    b = a * t - x
    c = b * np.tanh(a) + t
    e = np.sin(c) * b - a
    f = e * 0.1 + np.cos(c) * b
    return a + b * 0.1 + c * 0.01 + e + f

@program
def keys_of_calls(x: np.ndarray) -> Any:
    first, last = _long({1: x[0]}, x[1]), _long({1: x[2]}, x[3])
    return first + _long({1.0: x[0]}, x[1]) * 2 + _long({True: x[0]}, x[1]) * 3 + last

@program
def keys_of_calls_of_itself(x: np.ndarray) -> Any:
    def again(d: Any, k: int) -> Any:
        if d[1] > 5 or k > 8:
            return d[1] * sum(2 if isinstance(q, float) else 3 for q in d)
        return again({1.0: d[1] + 1.0}, k + 1)

    return again({1: x[0]}, 0)


@pytest.mark.parametrize("f", AGREE, ids=lambda f: f.__name__)
def test_agrees(f: Program) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        agrees(f, X)


@pytest.mark.parametrize(("f", "code"), REFUSED, ids=lambda v: getattr(v, "__name__", v))
def test_refused(f: Program, code: str) -> None:
    refuses(f, X, code=code)


@pytest.mark.parametrize("f", [keys_of_branches, signs_of_branches, tuples_of_branches, keys_of_expressions])
def test_keys_of_branches_in_several_calls(f: Program) -> None:
    derivative = value_and_grad(f)
    for x in (X, -X, X * 2, -X):
        assert derivative(x)[0] == f(x)


# -- the smallest of tuples with items of several classes ----------------------------------------------------------

EMPTY = ""
HALF = 1.5


def smallest_of_constants(x):
    return x * min((1.5, EMPTY), (1, 2))[0]


def smallest_of_numbers(x):
    return x * min((x, EMPTY), (1, 2))[0]


def largest_of_nested_tuples(x):
    return x * max(((x, None), 1.0), ((HALF, "a"), 2.0))[0][0]


def largest_of_lists(x):
    return x * max([x, "a"], [HALF, None])[0]


@pytest.mark.parametrize("f", [smallest_of_constants, smallest_of_numbers, largest_of_nested_tuples, largest_of_lists])
@pytest.mark.parametrize("x", [0.7, 1.0, 1.5, 2.3])
def test_items_after_the_first_that_differ_are_not_compared(f, x):
    """Whether Python raises a TypeError depends on which numbers are equal."""
    agrees(f, x)


@pytest.mark.parametrize("flag", [1, True, 0, False, np.bool_(True), np.int64(1), 1.0, None, "s"])
def test_an_argument_that_is_a_bool(flag):
    def f(x, flag):
        if flag is True:
            return x * x
        return x * 5.0 if flag is False else x * 3.0

    assert value_and_grad(f)(2.0, flag) == (f(2.0, flag), {4.0: 4.0, 10.0: 5.0, 6.0: 3.0}[f(2.0, flag)])
