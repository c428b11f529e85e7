"""What must be accepted: small functions, one construct each; none may be refused.

The name of a parameter chooses the input (INPUTS). Every function is differentiated by all of its
floats and float arrays: the value must be that of the plain call bit for bit, the gradient that of
central differences, and the caller's arrays must come back unchanged. To add a construct, add a
function above the line.
"""

from __future__ import annotations

import contextlib
import enum
import functools
import heapq
import inspect
import itertools
import math
import threading
import types
import warnings
from collections import defaultdict, namedtuple
from typing import Any

import numpy as np
import pytest

from tests.fuzz import duals
from tests.fuzz.check import same_bits
from tests.fuzz.program import clone, run

INPUTS: dict[str, Any] = {
    "a": 0.7,
    "b": -1.3,
    "c": 1.9,
    "n": 4,
    "k": 2,
    "x": np.array([0.5, -1.2, 2.3, 0.9, -0.4]),
    "y": np.array([1.1, 0.3, -0.8, 1.7, -2.1]),
    "A": np.array([[0.6, -1.1, 0.4], [1.5, 0.2, -0.9]]),
    "B": np.array([[0.3, 0.8], [-0.7, 1.4], [0.5, -0.6]]),
    "idx": np.array([3, 0, 3, 1]),
    "pair": (0.4, -0.9),
    "items": [np.array([0.2, 0.7]), np.array([1.3, -0.5])],
    "params": {"w": np.array([0.9, -0.3]), "b": 0.25, "name": "mse", "steps": 2},
    "mode": "double",
    "trips": [(0.4 + 0.3 * k, 1.5 - 0.2 * k) for k in range(6)],
    "flag": True,
}
SCALE = 1.5
OFFSETS = np.array([0.1, 0.2, 0.3, 0.4, 0.5])


class Mode(enum.Flag):
    FIRST = 1
    SECOND = 2


# --- assignments


def tuple_assignment(a, b):
    p, q = a * b, a + b
    return p * q


def tuples_in_order(a, b, pair):
    best = pair if pair < (a, b) else (b, a)
    if (a, b, 1.0) >= (a, b):
        best = (best[0] * best[1], a)
    return best[0] * 2.0 + best[1] * ((b, a) < (b, 0.5)) + (a * b if (a, 2) > (a, 1) else a)


def items_deleted(a, b):
    t, d = [a, b, a * b], {"a": a, "b": b}
    del t[0], d["a"]
    return t[1] * d["b"]


def dict_methods(a, b, c):
    d = {"a": a}
    d.update({"b": b}, c=c)
    p = d.pop("a") + d.pop("z", 1.0)
    return p * d.setdefault("b", 0.0) * d.setdefault("d", c) + sum(d.values())


def list_of_an_array(x, n):
    t = list(x)
    t.extend(x)
    for k in range(n):
        t.append(t[k] * k)
    return sum(t) + sum(x.tolist())


def list_in_a_dict_grows(a, n):
    d = {"even": [], "odd": [a]}
    for k in range(n):
        d["even"].append(a * k)
    return sum(d["even"]) * sum(d["odd"])


def list_in_an_object_grows(a, n):
    stack = types.SimpleNamespace(items=[])
    for k in range(n):
        stack.items.append(a * k)
    return sum(v * v for v in stack.items)


def nested_tuple_assignment(a, b):
    (p, q), r = (a * b, a), math.sin(b)
    return p + q * r


def starred_assignment(a, b, c):
    p, *rest = a * a, b * b, c * c
    return p * rest[0] + rest[1]


def starred_in_front(a, b, c):
    *rest, p = [a, b, c]
    return rest[0] * rest[1] * p


def chained_assignment(a):
    p = q = a * a
    q += a
    return p * q


def augmented_assignment(a, b):
    s = a
    s += b
    s *= a
    s -= 0.5
    s /= b
    s **= 3
    return s


def annotated_assignment(a):
    t: float = a * a
    u: float
    u = t + 1.0
    return t * u


def walrus_in_if(a):
    if (t := a * a) > 0.1:
        return t * a
    return t


def walrus_in_expression(a):
    return (t := math.sin(a)) * t + t


def walrus_in_while(a):
    k = 0
    s = a
    while (k := k + 1) < 4:
        s = s * a + k
    return s


def swap_of_numbers(a, b):
    a, b = b * 2.0, a
    return a - b * b


def assignment_from_an_array(x):
    p, q, r, s, t = x
    return p * q + r * s * t


def del_of_a_name(a):
    t = a * a
    s = t * a
    del t
    return s


# --- branches


def if_only(a):
    s = a
    if a > 0.5:
        s = a * a
    return s


def if_else(a, b):
    if a < b:
        s = a * a
    else:
        s = b * b * a
    return s


def elif_chain(a):
    if a > 2.0:
        s = a
    elif a > 1.0:
        s = 2.0 * a
    elif a > 0.0:
        s = a * a * a
    else:
        s = 0.0
    return s


def nested_if(a, b):
    s = a
    if a > 0.0:
        if b > 0.0:
            s = a * b
        else:
            s -= b * a
    return s


def ternary(a, b):
    return a * a if a > b else b * b


def and_of_values(a, b):
    return (a and b) * a


def or_of_values(a, b):
    zero = a - a
    return (zero or b) * a


def short_circuit(a, n):
    s = a
    if n == 0 or a / n > 0.1:
        s = a * a
    if n > 9 and 1.0 / (n - n) > 0.0:
        s = 0.0
    return s


def not_of_a_test(a):
    return a * a if not a > 5.0 else a


def chained_comparison(a):
    return a * a if 0.0 < a < 1.0 else a


def letters_of_a_string(a, mode):
    for k, letter in enumerate(mode):
        a = math.sin(a) + k if letter in "aeiou" and letter != mode[k - 1] else 1.5 * a
    return a


def tuples_in_a_list(a, trips):
    for distance, minutes in trips:
        a += distance * a - 0.1 * minutes
    return a * trips[-1][1]


def columns_of_a_list(a, trips):
    distances, minutes = zip(*trips)
    return a * sum(distances) + np.sum(np.array(trips)[:, 1]) + max(minutes)


def branch_on_a_string(a, mode):
    if mode == "double":
        return 2.0 * a
    return a


def branch_on_a_flag(a, flag):
    return a * a if flag else a


def branch_on_none(a):
    t = None
    if t is None:
        t = a * a
    return t


def undefined_on_one_path(a):
    if a > 0.0:
        t = a * a
    if a > 0.0:
        return t
    return a


# --- loops


def for_range(a, n):
    s = a
    for _ in range(n):
        s = s * a + 1.0
    return s


def for_range_start_stop_step(a, n):
    s = 0.0
    for i in range(1, 2 * n, 3):
        s += a**i
    return s


def for_range_downwards(a, n):
    s = a
    for i in range(n, 0, -1):
        s = math.sin(s) * i
    return s


def for_array(x):
    s = 0.0
    for v in x:
        s = s * v + v * v
    return s


def for_rows(A):
    s = 0.0
    for row in A:
        s += np.sum(row) * row[0]
    return s


def for_tuple(a, b):
    s = 1.0
    for v in (a, b, a * b):
        s *= v + 2.0
    return s


def for_list(a, b):
    s = 0.0
    for v in [a, b]:
        s += v * v
    return s


def for_zip(x, y):
    s = 0.0
    for p, q in zip(x, y):
        s += p * q * q
    return s


def for_enumerate(x):
    s = 0.0
    for i, v in enumerate(x):
        s += i * v * v
    return s


def for_enumerate_from_one(x):
    s = 0.0
    for i, v in enumerate(x, 1):
        s += i * v * v
    return s


def for_reversed_range(a, n):
    s = a
    for i in reversed(range(n)):
        s = s * a + i
    return s


def for_reversed_array(x):
    s = 0.0
    for v in reversed(x):
        s = 0.5 * s + v * v
    return s


def nested_for(a, n):
    s = 0.0
    for i in range(n):
        for j in range(i):
            s += math.sin(a * i + j)
    return s


def while_loop(a):
    s = a
    while s < 20.0:
        s = s * 2.0 + a
    return s


def while_true(a):
    s = a
    while True:
        s = s * 1.5 + a
        if s > 10.0:
            break
    return s


def break_out(x):
    s = 0.0
    for v in x:
        if v > 2.0:
            break
        s += v * v
    return s


def continue_on(x):
    s = 0.0
    for v in x:
        if v < 0.0:
            continue
        s += v * v
    return s


def break_of_the_inner_loop(a, n):
    s = a
    for i in range(n):
        for j in range(n):
            if j > i:
                break
            s = math.sin(s) + a
    return s


def return_early(a):
    if a > 0.0:
        return a * a
    b = a + 1.0
    return b


def return_in_a_loop(x):
    s = 0.0
    for v in x:
        s += v * v
        if s > 3.0:
            return s * v
    return s


def return_in_nested_loops(a, n):
    s = a
    for i in range(n):
        for j in range(n):
            s = s * 1.1 + a
            if i * j == 2:
                return s * s
    return s


def for_else(x):
    s = 0.0
    for v in x:
        s += v * v
        if s > 100.0:
            break
    else:
        s = s * s
    return s


def while_else(a):
    k = 0
    s = a
    while k < 3:
        k += 1
        s *= a
    else:
        s += a
    return s


def index_after_the_loop(a, n):
    for i in range(n):
        a = a * 1.1
    return a * i


def undefined_before_the_loop(x):
    for v in x:
        last = v * v
    return last


def integer_start_of_a_sum(x):
    s = 0
    for v in x:
        s += v
    return s * s


def tuple_that_may_be_none(x):
    last = None
    s = 0.0
    for v in x:
        if last is not None:
            p, q = last
            s += p * v + q
        last = (v, v * v)
    return s


def best_so_far(x):
    best = arg = None
    for i, v in enumerate(x):
        if best is None or v > best:
            best, arg = v, (i, v * 2)
    return best * arg[1] + x[arg[0]]


def state_of_arrays_that_may_be_none(x):
    state = None
    s = 0.0
    for i in range(len(x)):
        if state:
            u, k = state
            s += np.sum(u) * k
        state = np.array([x[i], x[i] ** 2]), x[i] * 2
    return s * state[0][1]


def tuple_set_back_to_none(x):
    prev = None
    s = 0.0
    for v in x:
        if prev is None:
            prev = (v, v)
        else:
            s += prev[0] * v
            prev = None
    return s


def found_or_none(x, a):
    def find(low):
        for i, v in enumerate(x):
            if v > low:
                return v, i
        return None

    first, none = find(a), find(100.0)
    return first[0] ** 2 * (1.0 if none is None else none[0])


def rest_of_an_iterator(x):
    it = iter(x)
    first, second = next(it), next(it)
    s = first * second
    for k, v in enumerate(it):
        s += k * v * first
    return s


def iterator_in_pairs(x):
    it = iter(x)
    return sum(p * q for p, q in zip(it, it))


def iterator_of_a_list_that_is_written(a, b):
    xs = [a, b, a * b]
    it = iter(xs)
    xs[0] = b * b
    s = next(it)
    xs[1] = a * a
    for v in it:
        xs[2] = a**3
        s += v * b
    return s


def iterator_beside_a_loop(x):
    weights = iter([2.0, 3.0, 4.0])
    s = next(iter([]), 0.0)
    for i in range(3):
        s += x[i] * next(weights)
    return s


# --- effects


def assertion(a):
    assert a > 0.0, "a must be positive"
    return a * a


def raise_in_an_arm(a):
    if a < 0.0:
        raise ValueError("negative")
    return a * a


def printing(a):
    t = a * a
    print("t is", t)
    return t


def printing_an_fstring(a, n):
    print(f"at {a:.2f} of {n!r}")
    return a * a


def docstring_and_pass(a):
    """A function may say what it does."""
    if a > 100.0:
        pass
    return a * a


def within_a_context(x):
    with np.errstate(divide="ignore"):
        y = np.log(np.abs(x))
    return np.sum(y)


def return_within_contexts(x, mode):
    how = "ignore" if mode == "double" else "warn"
    with warnings.catch_warnings(), np.errstate(all=how) as before:
        warnings.simplefilter("ignore")
        if x[0] > 2.0:
            return x[0]
        return np.sum(x * x) if before is None else x[1]


def jumps_out_of_a_context(x, a):
    s = 0.0
    for v in x:
        with np.errstate(over="ignore"):
            if v < -1.0:
                continue
            if v > 2.0:
                break
            s += np.exp(v * a)
    return s


def loop_in_a_context(x, a):
    with np.errstate(all="ignore"):
        s = 0.0
        for v in x:
            s += v * a
            if s > 100.0:
                return s * s
    return s


LOCK = threading.RLock()


class Ledger:
    def __init__(self):
        self.lock, self.entries, self.reads = threading.Lock(), {}, 0

    def put(self, name, value):
        with self.lock:
            self.entries[name] = value

    def get(self, name):
        with self.lock:
            self.reads += 1
            return self.entries.get(name, 0.0)


def within_locks(x, a):
    ledger = Ledger()
    ledger.put("a", a * a)
    s = 0.0
    for v in x:
        with LOCK as held, ledger.lock:
            if v > 2.0:
                break
            s += v * a * held
        s += ledger.get("a") * v + ledger.get("b")
    return s + ledger.reads


def null_context(a):
    with contextlib.nullcontext(a * a) as b:
        return b * a


def deleted_after_a_loop(x):
    s = 0.0
    for v in x:
        s += v * v
    del v
    return s


# --- calls


def power(base, exponent=2, *, factor=1.0):
    return factor * base**exponent


def both(p, q):
    return p * q, p + q


def sign_of(v):
    if v > 0.0:
        return v
    return -2.0 * v


def call_with_positions(a):
    return power(a, 3)


def call_with_keywords(a):
    return power(exponent=3, base=a, factor=a)


def call_with_defaults(a):
    return power(a)


def call_with_two_results(a, b):
    p, q = both(a, b)
    return p * q


def call_with_early_returns(a, b):
    return sign_of(a) + sign_of(b) * a


def call_in_a_loop(x):
    s = 0.0
    for v in x:
        s += sign_of(v)
    return s


def call_with_stars(a, b):
    p, q = both(*(a, b))
    options = {"exponent": 3, "factor": p}
    return power(q, **options)


def closure(a, b):
    def line(t):
        return a * t + b

    return line(2.0) * line(a)


def closure_over_a_name_assigned_later(a):
    scaled = lambda t: t * s
    s = a
    first = scaled(2.0)
    s = a * a
    return first + scaled(3.0)


def lambda_expression(a):
    square = lambda t: t * t
    return square(square(a))


def function_as_argument(a):
    def twice(g, t):
        return g(g(t))

    return twice(math.sin, a) + twice(lambda t: t * a, a)


def function_as_result(a, b):
    def adder(t):
        return lambda u: u * t

    return adder(a)(b)


def variable_arguments(a, b):
    def total(*values):
        s = 0.0
        for v in values:
            s += v * v
        return s

    return total(a, b, a * b)


def global_number_and_array(x):
    return SCALE * np.sum(x * OFFSETS)


# --- containers


def tuple_argument(pair):
    return pair[0] * pair[1] + pair[0]


def list_argument(items):
    return np.sum(items[0] * items[1])


def dict_argument(params):
    return np.sum(params["w"] ** 2) * params["b"]


def dict_argument_with_options(params):
    s = params["b"]
    for _ in range(params["steps"]):
        s = s * 2.0 + params["w"][0]
    return s if params["name"] == "mse" else 0.0


def local_tuple(a, b):
    t = (a * b, a)
    return t[0] * t[1] * len(t)


def local_list_written(a, b):
    t = [a, b, 0.0]
    t[2] = t[0] * t[1]
    t[0] += 1.0
    return t[0] * t[2]


def local_dict_written(a, b):
    t = {"p": a}
    t["q"] = b * t["p"]
    t["p"] *= 2.0
    return t["p"] + t["q"]


def local_list_appended(a, b):
    t = []
    t.append(a * b)
    t.append(a)
    return t[0] * t[-1]


def list_comprehension(a, b):
    t = [v * v for v in (a, b, 2.0)]
    return t[0] + t[1] * t[2]


def nested_containers(a, b):
    t = {"p": [a, (b, a * b)]}
    return t["p"][0] * t["p"][1][1]


def default_of_a_dict(x):
    total = defaultdict(float)
    parts = defaultdict(list, z=[1.0])
    for i in range(len(x)):
        total[i % 2] += x[i] ** 2
        parts["even" if i % 2 == 0 else "odd"].append(x[i])
    copied = total.copy()
    return total[0] * total[1] * sum(parts["even"]) + len(parts) * sum(parts["odd"]) + copied["none"]


def flags_and_sets(a):
    mode = Mode.FIRST | Mode.SECOND
    s = 0.0
    if mode & Mode.FIRST and not mode & ~Mode.FIRST & ~Mode.SECOND:
        s += a
    if Mode.SECOND in mode and len({1, 2} & {2, 3}) == 1:
        s += a * a
    return s


def nearly_equal_numbers(a):
    if math.isclose(a, 1.0):
        return a
    return a**3 if math.isclose(a, 0.75, rel_tol=1e-3, abs_tol=0.2) else a * a


# --- reads of arrays


def read_element(x):
    return x[1] * x[-1]


def read_slice(x):
    return np.sum(x[1:3] * x[-2:])


def read_step(x):
    return np.sum(x[::2] ** 2)


def read_backwards(x, y):
    return np.sum(x[::-1] * y)


def read_dynamic_slice(x, k):
    return np.sum(x[k:] ** 2) + np.sum(x[:k])


def read_none(x, y):
    return np.sum((x[:, None] * y[None, :]) ** 2)


def read_ellipsis(A):
    return np.sum(A[..., 1] ** 2)


def read_integer_array(x, idx):
    return np.sum(x[idx] ** 2)


def read_list_of_integers(x):
    return np.sum(x[[0, 2, 2]] ** 2)


def read_mask(x):
    return np.sum(x[x > 0.0] ** 2)


def read_matrix_element(A, k):
    return A[1, k] * A[0, 0] + A[1][0]


def read_row_and_column(A):
    return np.sum(A[0] * A[1]) * np.sum(A[:, 2])


# --- writes of arrays


def write_element(x):
    z = x * 2.0
    z[1] = z[0] * z[2]
    return np.sum(z**2)


def write_argument(x):
    x[0] = x[1] * x[2]
    return np.sum(x**2)


def write_slice(x, y):
    z = x.copy()
    z[1:-1] = y[2:] * x[:-2]
    return np.sum(z * z)


def write_step(x, a):
    z = np.zeros(5)
    z[::2] = a
    z[1::2] = x[:2] * a
    return np.sum(z**2)


def write_everything(x, y):
    z = np.empty(5)
    z[:] = x
    z[...] = z * y
    return np.sum(z * z)


def write_integer_array(x, y, idx):
    z = x * 1.0
    z[idx] = y[:4]
    return np.sum(z**2)


def write_mask(x, a):
    z = x * 1.0
    z[z < 0.0] = a
    return np.sum(z**2)


def write_matrix_element(A, a):
    C = A.copy()
    C[1, 2] = a * C[0, 0]
    return np.sum(C**2)


def write_row(A, B):
    C = np.zeros((2, 3))
    C[0] = B[:, 1]
    C[1, :] = A[0] * A[1]
    return np.sum(C**3)


def augmented_element(x):
    z = x * 1.0
    z[2] += z[0] * z[1]
    z[0] *= z[2]
    return np.sum(z)


def augmented_slice(x):
    x[1:-1] += 0.1 * (x[:-2] - 2.0 * x[1:-1] + x[2:])
    return np.sum(x**2)


def augmented_overlapping(x):
    x[1:] *= x[:-1]
    return np.sum(x**2)


def augmented_duplicates(x, y, idx):
    z = x * 1.0
    z[idx] += y[:4] ** 2
    return np.sum(z**2)


def augmented_mask(x, a):
    z = x * 1.0
    z[x > 0.0] *= a
    return np.sum(z**2)


def augmented_whole(x, y):
    z = x * 1.0
    z += y
    z *= z
    return np.sum(z)


def write_in_a_branch(x, a):
    z = x * 1.0
    if a > 0.0:
        z[0] = a * z[1]
    else:
        z[1] = 0.0
    return np.sum(z**2)


def write_in_a_loop(x):
    z = np.zeros_like(x)
    for i in range(1, len(x)):
        z[i] = z[i - 1] * 0.5 + x[i] ** 2
    return np.sum(z**2)


def write_in_nested_loops(A):
    C = np.zeros((3, 3))
    for i in range(3):
        for j in range(i + 1):
            C[i, j] = A[0, i] * A[1, j]
    return np.sum(C**2)


# --- aliases and views


def alias_written(x):
    z = x * 1.0
    u = z
    u[0] = z[1] * 2.0
    return np.sum(z**2)


def slice_view_written(x):
    z = x * 1.0
    v = z[1:4]
    v *= z[0]
    return np.sum(z**2)


def original_written_under_a_view(x):
    z = x * 1.0
    v = z[::2]
    z[2] = z[0] * z[1]
    return np.sum(v**2)


def transpose_view_written(A):
    C = A * 1.0
    v = C.T
    v[0] = v[1] * 2.0
    return np.sum(C**2)


def reshape_view_written(A):
    C = A * 1.0
    v = C.reshape(3, 2)
    v[0, 1] *= v[2, 0]
    return np.sum(C**2)


def ravel_view_written(A):
    C = A * 1.0
    v = C.ravel()
    v[1:] += v[:-1]
    return np.sum(C**2)


def row_view_written(A):
    C = A * 1.0
    row = C[0]
    row *= C[1]
    return np.sum(C**2)


def reversed_view_written(x):
    z = x * 1.0
    z[::-1][0] = z[0] * z[1]
    return np.sum(z**2)


def view_of_a_view(x):
    z = x * 1.0
    v = z[1:]
    w = v[::2]
    w[1] = w[0] * z[0]
    return np.sum(z**2)


def rows_written_in_a_loop(A):
    C = A * 1.0
    for row in C:
        row[1:] += row[0]
    return np.sum(C**2)


def view_before_the_loop(x):
    z = x * 1.0
    v = z[1:]
    for i in range(3):
        v[i] = v[i] * z[i]
    return np.sum(z**2)


def swap_of_arrays(x, y):
    u, v = x * 1.0, y * 1.0
    u, v = v, u
    u[0] = v[1] * 3.0
    return np.sum(u**2 * v)


def swap_in_a_loop(x, n):
    u, v = x * 1.0, x * 0.0
    for _ in range(n):
        v[1:] = u[:-1] * u[1:]
        u, v = v, u
    return np.sum(u * u + v)


def rotation_of_three(x, n):
    u, v, w = x * 1.0, x * 0.5, np.zeros(5)
    for _ in range(n):
        w[:] = 1.5 * v - u
        u, v, w = v, w, u
    return np.sum(v**2 + u)


def alias_in_a_list(x, y):
    u, v = x * 1.0, y * 1.0
    held = [u, v]
    held[0][1:] += held[1][:-1]
    return np.sum(u**2 * v)


def alias_in_a_dict(x):
    state = {"u": x * 1.0}
    u = state["u"]
    u *= 2.0
    state["u"][0] = u[1]
    return np.sum(state["u"] ** 2)


def fill(target, value):
    target[1:] = value * target[0]


def bump(target):
    target += 1.0
    return target


def middle(target):
    return target[1:-1]


def helper_writes_its_argument(x, a):
    z = x * 1.0
    fill(z, a)
    return np.sum(z**2)


def helper_returns_its_argument(x):
    z = x * 1.0
    w = bump(z)
    w[0] = z[1] * z[2]
    return np.sum(z**2)


def helper_returns_a_view(x, a):
    z = x * 1.0
    middle(z)[:] = a
    return np.sum(z**2 * x)


def closure_writes(x, a):
    z = x * 1.0

    def put(i, v):
        z[i] = v * z[i]

    put(0, a)
    put(1, a * a)
    return np.sum(z**2)


def one_array_as_two_arguments(x):
    def add(p, q):
        p[1:] += q[:-1]

    z = x * 1.0
    add(z, z)
    return np.sum(z**2)


# --- attributes, methods, functions of arrays


def shape_and_size(A):
    n, m = A.shape
    return np.sum(A) * n * m / A.size + A.ndim * A[0, 0] * len(A)


def methods(A, x):
    return A.sum() * A.mean() + x.max() * x.min() + A.T.dot(A[:, 0]).sum() + x.copy().reshape(5, 1).sum()


def products(A, B, x, y):
    return np.sum((A @ B) ** 2) + np.dot(x, y) + np.sum(np.outer(x, y) * 0.1) + (B @ A[:, 1]) @ A[0]


def reductions(A):
    return np.sum(np.sum(A, axis=0) ** 2) + np.mean(A) * np.max(A) + np.sum(A.min(axis=1, keepdims=True) * A)


def elementwise(x):
    return np.sum(np.sin(x) * np.exp(x) + np.tanh(x) ** 2 + np.sqrt(1.0 + x**2) + np.log(2.0 + x * x) - np.abs(x))


def where_maximum_clip(x, y):
    return np.sum(np.where(x > 0.0, x * x, y) + np.maximum(x, 0.6) * np.minimum(x, y) + np.clip(y, -1.0, 1.0) ** 2)


def creation(x):
    z = np.ones(5) + np.zeros_like(x) + np.arange(5) * x + np.full(5, 0.5)
    return np.sum(z**2)


def joining(x, y):
    joined = np.sum(np.concatenate((x, y[1:])) ** 2) * np.sum(np.stack((x, y)) ** 3)
    return joined + np.sum(np.array([x[0], y[1] * x[2]]))


def scalar_functions(a, b):
    s = math.exp(a) + math.log(1.0 + a) * math.sqrt(a) + math.atan2(a, b) + math.hypot(a, b) + math.pow(a, 2.5)
    return s + abs(b) + max(a, b) * min(a, b, 1.0) + a % 0.4 + a // 0.4 * a + float(a) + math.fabs(b)


def integers_are_inactive(a, x):
    i = int(a * 3.0)
    return x[i % 5] * a + round(a) * a + math.floor(a + 1.0) * a


def fits_of_what_masks_select(x, y):
    total = 0.0
    for k in range(2):
        chosen = x > 0.2 - k
        total += np.polyval(np.polyfit(x[chosen], y[chosen], 1), 0.3)
    return total


# --- tables by keys of the data


def memo_in_a_recursion(a, n):
    memo = {}

    def f(k):
        if k < 2:
            return a
        if k not in memo:
            memo[k] = f(k - 1) * a + f(k - 2)
        return memo[k]

    return f(n)


def cache_in_a_recursion(a, n):
    @functools.cache
    def f(k):
        return a if k < 2 else f(k - 1) * a + f(k - 2)

    return f(n)


def groups_of_tuples(a, idx):
    groups = defaultdict(list)
    for at, i in enumerate(idx):
        groups[int(i)].append((a * at, at + 1))
    return sum(v * w for rows in groups.values() for v, w in rows)


def rows_of_a_table(a, idx):
    table = {}
    for at, i in enumerate(idx):
        row = table.setdefault(int(i) % 2, {})
        row[int(i)] = row.get(int(i), 0.0) + a * at
    return sum(v * v * k for row in table.values() for k, v in row.items())


def dict_made_by_a_loop(a, idx):
    total = {}
    for at, i in enumerate(idx):
        total[int(i)] = total.get(int(i), 0.0) + a * at
    large = {k: v * v for k, v in total.items() if v > 0.5}
    return sum(large.values()) / len(large)


def sorted_by_its_values(a, idx):
    total = {}
    for at, i in enumerate(idx):
        total[int(i)] = total.get(int(i), 0.0) + a * at
    return sum(total[k] * r for r, k in enumerate(sorted(total, key=total.get), 1))


def labels_of_a_loop(x):
    curve = {}
    for k, v in enumerate(x):
        curve[f"{k}y"] = v * v
    return curve["2y"] * max(curve.values())


def events_with_a_name(a, c, n):
    events = [(0.0, 0, "arrive")]
    total, k = a, 0
    while events and k < n + 3:
        t, customer, kind = heapq.heappop(events)
        k += 1
        total += t * c if kind == "arrive" else t * t * customer
        heapq.heappush(events, (t + c * k, k, "leave" if k % 3 else "arrive"))
    return total


def report_of_a_loop(x, mode):
    lines, head = [], mode + ":"
    for k, v in enumerate(x):
        head += f" {v:.1f}"
        if v > 0.0:
            lines.append(f"{k:02d} {v:8.3f}")
    text = "\n".join(lines)
    return np.sum(x) * len(text) + (x[0] if head[:6] == "double" and text > "00" else 0.0)


def tables_are_shown(x):
    squares, kept = {}, []
    for k, v in enumerate(x):
        squares[3 * k] = v * v
        if v > 0.5:
            kept.append(v)
    print(squares, kept)
    return sum(squares.values()) + (x[0] if len(f"{kept} {squares}") > 20 else 0.0)


def table_is_shown_before_and_after_a_deletion(x):
    table = {}
    for k, v in enumerate(x):
        table[3 * k] = v * v
    before = f"{table}"
    del table[3]
    after = f"{table}"
    return sum(table.values()) + (x[0] if len(after) < len(before) else 0.0)


def pairs_are_chained(x, y):
    pairs = [[p, q] for p, q in zip(x, y)]
    flat = list(itertools.chain.from_iterable(pairs))
    return sum(flat[::2]) * sum(v * v for v in sum(pairs, []))  # noqa: RUF017


def star_of_a_list_of_a_loop(x):
    squares = [v * v for v in x if v < 2.0]
    first, *rest = squares
    *most, before, last = rest
    return first * sum(rest) + last * len(most) - before


def members_of_a_loop(x, n):
    total = 0.0
    for i, p in enumerate(x):
        for k, q in enumerate(x):
            if k in (i, n) or i in {0, 2}:
                continue
            total += p * q
    return total


def window_of_a_signal(x):
    window = np.hanning(4)
    window /= window.sum()
    return np.sum(np.convolve(x, window, mode="same") ** 2)


def texts_of_numbers(x, mode):
    log, rows = [], []
    for k, v in enumerate(x):
        log.append(f"{k}: {v:.3f}".upper().rjust(12, ".") + mode.ljust(9).replace("d", "D"))
        rows.append((k, (v * v, "v"), {"half": v / 2.0}, None))
    print("\n".join(log).title(), rows, f"{x[0]:.1f}".strip("0").isdigit())
    return np.sum(x) * (2.0 if log[0].endswith(("E", "e ")) else 1.0) + sum(r[1][0] for r in rows)


def class_of_the_function(x):
    Point = namedtuple("Point", ["x", "y", "w"], defaults=[0.5])
    p = Point(x[0], 1.0)
    for v in x:
        p = p._replace(x=p.x + v * p.y, y=p.y * 0.5)
    print(p, Point._fields)
    return p.x * p.y * isinstance(p, Point) + p.w


def order_of_words(a, mode):
    words = [f"{mode}{k}" for k in range(3)]
    return sum(a**k for k, w in enumerate(words) if w > "double0" and w < mode + "2")


# ---------------------------------------------------------------------------------------------

HELPERS = {"power", "both", "sign_of", "fill", "bump", "middle"}
NOT_DIFFERENTIATED = ("n", "k", "idx", "mode", "flag")
SNIPPETS = [
    f
    for name, f in list(globals().items())
    if isinstance(f, types.FunctionType) and f.__module__ == __name__ and name not in HELPERS
]


def arguments_of(f: Any) -> tuple[tuple[Any, ...], tuple[int, ...]]:
    names = list(inspect.signature(f).parameters)
    return tuple(INPUTS[n] for n in names), tuple(i for i, n in enumerate(names) if n not in NOT_DIFFERENTIATED)


def test_there_are_sixty() -> None:
    assert len(SNIPPETS) >= 60


@pytest.mark.parametrize("f", SNIPPETS, ids=lambda f: f.__name__)
def test_inputs_are_smooth(f: Any) -> None:
    args, wrt = arguments_of(f)
    result = run(lambda: duals.differences(f, args, wrt))
    assert result.error is None, result
    assert result.value[1].all()


@pytest.mark.parametrize("f", SNIPPETS, ids=lambda f: f.__name__)
def test_accepted(f: Any) -> None:
    import sct

    args, wrt = arguments_of(f)
    plain = run(f, *clone(args))
    expected, _ = run(lambda: duals.differences(f, args, wrt)).value
    given = clone(args)
    got = run(sct.value_and_grad(f, argnums=wrt), *given, seconds=60.0)
    if got.error is not None:
        raise got.error
    value, grads = got.value
    assert same_bits(value, plain.value), (value, plain.value)
    assert got.printed == plain.printed
    assert same_bits(given, clone(args)), "an argument was modified"
    np.testing.assert_allclose(duals.flat(grads), expected, rtol=1e-5, atol=1e-7)


# --- a function that raises raises the same from its derivative (contracts 1.7)


def name_not_defined(a):
    return a * undefined_name  # noqa: F821


def shapes_do_not_go_together(x):
    return np.sum(x[:2] * x)


def index_out_of_range(x, k):
    return x[k + 7] * 2.0


def division_by_zero(a, n):
    return a / (n - n)


def logarithm_of_a_negative(b):
    return math.log(b)


def assertion_that_fails(a):
    assert a < 0.0, "not negative"
    return a


def raise_taken(a, n):
    if n > 1:
        raise KeyError(n)
    return a


def undefined_here(a):
    if a < 0.0:
        t = a
    return t * a


RAISING = [
    name_not_defined,
    shapes_do_not_go_together,
    index_out_of_range,
    division_by_zero,
    logarithm_of_a_negative,
    assertion_that_fails,
    raise_taken,
    undefined_here,
]


@pytest.mark.parametrize("f", RAISING, ids=lambda f: f.__name__)
def test_raises_the_same(f: Any) -> None:
    import sct

    args, wrt = arguments_of(f)
    with pytest.raises(Exception) as plain:
        f(*clone(args))
    with pytest.raises(type(plain.value)) as got:
        sct.value_and_grad(f, argnums=wrt)(*clone(args))
    assert type(got.value) is type(plain.value)
    assert str(got.value).splitlines()[:1] == str(plain.value).splitlines()[:1]  # pytest adds to an assert's


# --- results that are containers: through vjp and jvp


def tuple_result(a, b):
    return a * b, a + b


def list_result(a, b):
    return [a * b, b * b]


def dict_result(a, b):
    return {"p": a * b, "q": (a, b * b)}


@pytest.mark.parametrize("f", [tuple_result, list_result, dict_result], ids=lambda f: f.__name__)
def test_accepted_results(f: Any) -> None:
    import sct

    a, b, da, db = 0.7, -1.3, 0.4, 1.1
    value, pullback = sct.vjp(f, a, b)
    assert same_bits(value, f(a, b))
    same, tangent = sct.jvp(f, (a, b), (da, db))
    assert same_bits(same, value)
    eps = 1e-6
    expected = (duals.flat(f(a + eps * da, b + eps * db)) - duals.flat(f(a - eps * da, b - eps * db))) / (2 * eps)
    np.testing.assert_allclose(duals.flat(tangent), expected, rtol=1e-6)
    seeds = duals.rebuild(value, np.linspace(0.5, 1.5, len(expected)))
    grads = pullback(seeds)
    np.testing.assert_allclose(grads[0] * da + grads[1] * db, duals.flat(seeds) @ expected, rtol=1e-6)
