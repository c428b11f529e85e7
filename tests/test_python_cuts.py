"""A number that is differentiated keeps its derivative wherever it goes, or the program is refused.

The value is right where a derivative is cut, so that no comparison of values sees it: each function here
is compared with central differences.
"""

from __future__ import annotations

import array
import bisect
import collections
import copy
import decimal
import enum
import fractions
import functools
import heapq
import io
import itertools
import json
import math
import operator
import pickle
import statistics
import struct
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from sct import SctError, SctWarning, value_and_grad
from tests.oracle import refuses, same_value

Program = Callable[[float], Any]


def holds(f: Program, x: Any) -> bool:
    """Is the value that of Python bit for bit, and the derivative that of differences?  False: it is refused."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SctWarning)
        try:
            value, slope = value_and_grad(f)(x)
        except SctError as e:
            assert "-->" in str(e), e
            return False
    step = 1e-6
    assert same_value(value, f(x)), (value, f(x))
    expected = (float(f(x + step)) - float(f(x - step))) / (2.0 * step)
    np.testing.assert_allclose(float(slope), expected, rtol=1e-5, atol=1e-6)
    return True


# -- text --------------------------------------------------------------------------------------------


class Field:
    def __init__(self, v: float) -> None:
        self.text = format(v)

    @property
    def value(self) -> float:
        return float(self.text)


class Shown:
    def __init__(self, v: float) -> None:
        self.v = v

    def __repr__(self) -> str:
        return f"{self.v!r}"

    def __format__(self, spec: str) -> str:
        return format(self.v, spec)


@dataclass
class Pair:
    a: float
    b: float


def parse(text: str) -> float:
    return float(text.split("=")[1])


def csv(x: float) -> float:
    line = ",".join(map(str, [x, 2.0 * x]))
    a, b = [float(s) for s in line.split(",")]
    return a * b


TEXT: dict[str, Program] = {
    "format_g": lambda x: float(format(x, ".17g")) * x,
    "format": lambda x: float(format(x)) * x,
    "format_method": lambda x: float("{:.17g}".format(x)) * x,
    "format_method_of_list": lambda x: float("{}".format([x])[1:-1]) * x,
    "format_key": lambda x: float("{a}".format(a=x)) * x,
    "format_map": lambda x: float("{a}".format_map({"a": x})) * x,
    "ascii": lambda x: float(ascii(x)) * x,
    "repr": lambda x: float(repr(x)) * x,
    "str": lambda x: float(str(x)) * x,
    "percent": lambda x: float("%.17g" % x) * x,
    "percent_tuple": lambda x: float("%s" % (x,)) * x,
    "percent_dict": lambda x: float("%(a)s" % {"a": x}) * x,
    "fstring": lambda x: float(f"{x}") * x,
    "fstring_nested": lambda x: float(f"{f'{x}'}") * x,
    "fstring_list": lambda x: float(f"{[x]}"[1:-1]) * x,
    "fstring_object": lambda x: float(f"{Shown(x)}") * x,
    "repr_object": lambda x: float(repr(Shown(x))) * x,
    "repr_dataclass": lambda x: parse(repr(Pair(x, 1.0)).split(",")[0]) * x,
    "join": lambda x: float(",".join([str(x)])) * x,
    "csv": csv,
    "strip": lambda x: float(str(x).strip()) * x,
    "concat": lambda x: float("1" + str(x)) * x,
    "replace": lambda x: float(str(x).replace(",", ".")) * x,
    "record": lambda x: Field(x).value ** 2,
    "dunder_str": lambda x: float(x.__str__()) * x,
    "dunder_repr": lambda x: float(x.__repr__()) * x,
    "dunder_format": lambda x: float(x.__format__(".17g")) * x,
    "float_repr": lambda x: float(float.__repr__(x)) * x,
    "hex": lambda x: float.fromhex(x.hex()) * x,
    "float_hex": lambda x: float.fromhex(float.hex(x)) * x,
    "json": lambda x: json.loads(json.dumps(x)) * x,
    "json_list": lambda x: json.loads(json.dumps([x]))[0] * x,
    "json_text": lambda x: json.loads(f"{x}") * x,
    "float_json": lambda x: float(json.loads(f"{x}")) * x,
    "float_dumps": lambda x: float(json.dumps(x)) * x,
    "np_float_text": lambda x: np.float64(str(x)) * x,
    "np_array_text": lambda x: np.array([str(x)]).astype(float)[0] * x,
    "np_array_text_dtype": lambda x: np.array([str(x)], dtype=float)[0] * x,
    "np_array_to_str": lambda x: np.array([x]).astype(str).astype(float)[0] * x,
    "np_fromstring": lambda x: np.fromstring(f"{x}", sep=" ")[0] * x,
    "np_loadtxt": lambda x: np.loadtxt(io.StringIO(f"{x}")) * x,
    "np_array2string": lambda x: float(np.array2string(np.array([x]))[1:-1]) * x,
    "np_format_float": lambda x: float(np.format_float_positional(x)) * x,
    "text_in_dict": lambda x: float({"a": f"{x}"}["a"]) * x,
    "text_in_list": lambda x: sum([float(t) for t in [f"{x}", "1.0"]]) * x,
    "decimal": lambda x: float(decimal.Decimal(x)) * x,
    "decimal_text": lambda x: float(decimal.Decimal(str(x))) * x,
    "fraction": lambda x: float(fractions.Fraction(x)) * x,
    "fraction_text": lambda x: float(fractions.Fraction(str(x))) * x,
    "error_args": lambda x: ValueError(x).args[0] * x,
    "error_text": lambda x: float(str(ValueError(x))) * x,
    "encode": lambda x: float(str(x).encode()) * x,
    "complex_text": lambda x: complex(str(x)).real * x,
    "string_io": lambda x: float(io.StringIO(f"{x}").read()) * x,
    "literal_eval": lambda x: __import__("ast").literal_eval(f"{x}") * x,
    "branch": lambda x: float(f"{x}" if x > 0.0 else "0.0") * x,
    "set_text": lambda x: float(str({x})[1:-1]) * x,
    "dict_text": lambda x: float(str({x: 1})[1:].split(":")[0]) * x,
    "rounded": lambda x: float(f"{x:.3f}") * x,
}


# -- sets and keys -----------------------------------------------------------------------------------


def set_loop(x: float) -> float:
    s = 0.0
    for t in {x, 2.0 * x}:
        s += t * t
    return s


def set_add(x: float) -> float:
    s: set[float] = set()
    s.add(x)
    s.add(1.0)
    return sum(s) ** 2


def set_branch(x: float) -> float:
    s = {x} if x > 0.0 else {2.0 * x}
    return sum(s) * x


def set_branches_equal(x: float, y: float = 0.0) -> float:
    if x > 0.0:
        d = {x: 1.0}
    else:
        d = {2.0 * x: 1.0}
    return sum(d) * x


def set_after_loop(x: float) -> float:
    s: Any = {1.0}
    v = x
    for _ in range(3):
        v = v * x
        s = {v, 0.25}
    return sum(s) * x


def set_closure(x: float) -> float:
    s = {x, 0.25}

    def inner(y: float) -> float:
        return sum(s) * y

    return inner(x) + inner(2.0 * x)


def set_returned(x: float) -> float:
    def make(y: float) -> set[float]:
        return {y, y * y}

    return sum(make(x)) * sum(make(2.0 * x))


def set_of_array(x: float) -> float:
    v = np.array([x, 2.0, x])
    return sum(set(v)) * x


def set_of_tolist(x: float) -> float:
    v = np.array([x, 2.0, x])
    return sum(set(v.tolist())) * x


def set_for_while(x: float) -> float:
    todo, total = {x, 2.0}, 0.0
    while total < 10.0:
        for t in todo:
            total = total + t * x
    return total


def key_loop(x: float) -> float:
    w = {x: 2.0, 0.5: 1.0}
    return sum(v * k ** 2 for k, v in w.items())


def key_assign(x: float) -> float:
    d = {}
    d[x] = 1.0
    return sum(k * v for k, v in d.items()) * x


def key_setdefault(x: float) -> float:
    d: dict[float, float] = {}
    d.setdefault(x, 3.0)
    return sum(k * v for k, v in d.items()) * x


def key_update(x: float) -> float:
    d = {1.0: 2.0}
    d.update({x: 3.0})
    return sum(k * v for k, v in d.items()) * x


def key_popitem(x: float) -> float:
    k, v = {0.25: 1.0, x: 3.0}.popitem()
    return k * v * x


def key_augmented(x: float) -> float:
    d = {x: 1.0}
    d[x] += x
    return sum(k * v for k, v in d.items()) * x


def key_default(x: float) -> float:
    d: Any = collections.defaultdict(float)
    d[x] += x
    return sum(k * v for k, v in d.items()) * x


def key_merge(x: float) -> float:
    d = {x: 2.0} | {0.5: x}
    return sum(k * v for k, v in d.items())


def key_star(x: float) -> float:
    d = {**{x: 2.0}, 0.5: x}
    return sum(k * v for k, v in d.items())


def key_counter(x: float) -> float:
    c = collections.Counter([x, x, 2.0])
    return sum(k * v for k, v in c.items())


def key_counter_values(x: float) -> float:
    c = collections.Counter({"a": x})
    c["a"] += x
    return sum(c.values()) * x


def key_first_wins(x: float) -> float:
    d = {x: 1.0, x * 1.0: 2.0}
    return sum(k * v for k, v in d.items()) * x


def key_memo(x: float) -> float:
    memo: dict[float, float] = {}

    def square(v: float) -> float:
        if v not in memo:
            memo[v] = v * v
        return memo[v]

    return square(x) + square(x) + square(2.0)


def key_invert(x: float) -> float:
    d = {"a": x, "b": 2.0}
    inverse = {v: k for k, v in d.items()}
    return sum(v for v in inverse) * len(inverse[2.0]) * x


def key_match(x: float) -> float:
    match {x: 2.0}:
        case {**rest}:
            return sum(rest) * x
    return 0.0


def key_loop_only_values(x: float) -> float:
    d = {x: 2.0, 0.5: x}
    return sum([v for _, v in d.items()]) * x


def key_len(x: float) -> float:
    return len({x, 2.0, 2.0 * 1.0}) * x


def key_in(x: float) -> float:
    return x if x in {1.75, 2.0} else 2.0 * x


def key_get(x: float) -> float:
    return {x: 3.0}.get(x, 1.0) * x


def key_inactive(x: float) -> float:
    d = {0.5: x, 2.0: 3.0}
    return sum(k * v for k, v in d.items()) * sum({0.5, 2.0})


def grid(x: float) -> float:
    total = 0.0
    ts = sorted({0.0, x, 1.0})
    for a, b in itertools.pairwise(ts):
        total += (b - a) * a
    return total


KEYS: dict[str, Program] = {
    "set_sum": lambda x: sum({x, 2.0}) * x,
    "set_max": lambda x: max({x, 0.5}) ** 2,
    "set_min": lambda x: min({x, 5.0}) ** 2,
    "set_sorted": lambda x: sorted({x, 0.5, 9.0})[1] ** 2,
    "set_loop": set_loop,
    "set_comp": lambda x: sum({t * t for t in (x, 2.0)}),
    "set_call": lambda x: sum(set([x, 2.0])) ** 2,
    "set_call_tuple": lambda x: sum(set((x, 2.0))) ** 2,
    "set_call_generator": lambda x: sum(set(t * x for t in (x, 2.0))) ** 2,
    "set_of_set": lambda x: sum(set({x, 2.0})) ** 2,
    "set_add": set_add,
    "set_union": lambda x: sum({x} | {2.0}) ** 2,
    "set_union_method": lambda x: sum({x}.union({2.0})) ** 2,
    "set_difference": lambda x: sum({x, 2.0} - {2.0}) ** 2,
    "set_intersection": lambda x: sum({x, 2.0} & {x * 1.0}) ** 2,
    "set_symmetric": lambda x: sum({x, 2.0} ^ {2.0}) ** 2,
    "set_list": lambda x: list({x})[0] ** 2,
    "set_tuple": lambda x: tuple({x})[0] ** 2,
    "set_star": lambda x: [*{x}][0] ** 2,
    "set_unpacked": lambda x: (lambda a: a * a)(*{x}),
    "set_target": lambda x: [a * x for (a,) in [{x}]][0],
    "set_next": lambda x: next(iter({x})) ** 2,
    "set_pop": lambda x: {x}.pop() ** 2,
    "set_copy": lambda x: sum({x}.copy()) ** 2,
    "set_deepcopy": lambda x: sum(copy.deepcopy({x})) ** 2,
    "set_array": lambda x: np.sum(np.array(list({x, 2.0}))) ** 2,
    "set_fsum": lambda x: math.fsum({x, 2.0}) ** 2,
    "set_prod": lambda x: math.prod({x, 2.0}) ** 2,
    "set_mean": lambda x: statistics.mean({x, 2.0}) ** 2,
    "set_map": lambda x: sum(map(math.sin, {x, 2.0})) ** 2,
    "set_filter": lambda x: sum(filter(None, {x, 2.0})) ** 2,
    "set_enumerate": lambda x: sum(i * t for i, t in enumerate({x})) + sum(t for _, t in enumerate({x})) * x,
    "set_zip": lambda x: sum(a * b for a, b in zip({x}, [x])),
    "set_chain": lambda x: sum(itertools.chain({x}, {2.0})) ** 2,
    "set_product": lambda x: sum(a * b for a, b in itertools.product({x}, {x * x})),
    "set_reduce": lambda x: functools.reduce(operator.add, {x}) ** 2,
    "set_dict_keys": lambda x: sum({x: 1.0}.keys() | {2.0}) ** 2,
    "set_tuple_item": lambda x: [a for a, b in {(x, 1.0)}][0] ** 2,
    "set_branch": set_branch,
    "set_branches_equal": set_branches_equal,
    "set_after_loop": set_after_loop,
    "set_closure": set_closure,
    "set_returned": set_returned,
    "set_of_array": set_of_array,
    "set_of_tolist": set_of_tolist,
    "set_for_while": set_for_while,
    "set_any": lambda x: x * any({x, 2.0}),
    "set_max_key": lambda x: max({x, 0.5}, key=lambda t: t * t) ** 2,
    "frozen": lambda x: sum(frozenset([x, 2.0])) ** 2,
    "frozen_in_set": lambda x: sum([t for s in {frozenset([x])} for t in s]) ** 2,
    "key_loop": key_loop,
    "key_sum": lambda x: sum({x: 1.0}) ** 2,
    "key_list": lambda x: list({x: 1.0})[0] ** 2,
    "key_reversed": lambda x: list(reversed({x: 1.0}))[0] ** 2,
    "key_sorted": lambda x: sorted({x: 1.0, 0.5: 2.0})[1] ** 2,
    "key_fromkeys": lambda x: sum(dict.fromkeys([x, 1.0])) ** 2,
    "key_pairs": lambda x: sum(dict([(x, 1.0)])) ** 2,
    "key_zip": lambda x: sum(dict(zip([x], [1.0]))) ** 2,
    "key_copy": lambda x: sum({x: 1.0}.copy()) ** 2,
    "key_dict": lambda x: sum(dict({x: 1.0})) ** 2,
    "key_deepcopy": lambda x: sum(copy.deepcopy({x: 1.0})) ** 2,
    "key_assign": key_assign,
    "key_setdefault": key_setdefault,
    "key_update": key_update,
    "key_popitem": key_popitem,
    "key_augmented": key_augmented,
    "key_default": key_default,
    "key_merge": key_merge,
    "key_star": key_star,
    "key_counter": key_counter,
    "key_counter_values": key_counter_values,
    "key_first_wins": key_first_wins,
    "key_memo": key_memo,
    "key_invert": key_invert,
    "key_match": key_match,
    "key_comp": lambda x: sum({k: 1.0 for k in (x, 2.0)}) ** 2,
    "key_tuple": lambda x: next(iter({(x, 1): 2.0}))[0] ** 2,
    "key_tuple_list": lambda x: [k for k in {(x, 1): 2.0}][0][0] ** 2,
    "key_max": lambda x: max({x: 3.0, 0.5: 1.0}, key=lambda k: -k) * x,
    "key_max_get": lambda x: max({x: 3.0, 0.5: 1.0}, key={x: 3.0, 0.5: 1.0}.get) * x,
    "grid": grid,
}

KEPT: dict[str, Program] = {
    "key_len": key_len, "key_in": key_in, "key_get": key_get, "key_inactive": key_inactive,
    "key_loop_only_values": key_loop_only_values,
    "key_lookup": lambda x: {x: x * x}[x] * x,
    "set_len": lambda x: len({x}) * x,
    "set_equal": lambda x: x if {x} == {1.75} else 2.0 * x,
    "set_subset": lambda x: x if {x} <= {1.75, 2.0} else 2.0 * x,
    "set_inactive": lambda x: sum({1.5, 2.0}) * x,
    "set_bool": lambda x: x if {x} else 0.0,
}


@pytest.mark.parametrize("x", [0.7, 1.7])
@pytest.mark.parametrize("name", KEYS)
def test_a_number_that_leaves_a_set_or_a_key_has_its_derivative(name: str, x: float) -> None:
    holds(KEYS[name], x)
    holds(KEYS[name], np.float64(x))


@pytest.mark.parametrize("x", [0.7, 1.7])
@pytest.mark.parametrize("name", KEPT)
def test_what_a_set_or_a_key_is_only_asked_is_kept(name: str, x: float) -> None:
    assert holds(KEPT[name], x)


@pytest.mark.parametrize("x", [0.7, 1.7])
@pytest.mark.parametrize("name", TEXT)
def test_a_number_that_is_read_from_text_has_its_derivative(name: str, x: float) -> None:
    if name != "rounded":
        holds(TEXT[name], x)


# -- all other ways in and out -----------------------------------------------------------------------


class Level(enum.Enum):
    LOW = 0.5
    HIGH = 1.75


class Ordered:
    def __init__(self, v: float) -> None:
        self.v = v

    def __lt__(self, other: Ordered) -> bool:
        return self.v < other.v


@functools.total_ordering
class Total:
    def __init__(self, v: float) -> None:
        self.v = v

    def __lt__(self, other: Total) -> bool:
        return self.v < other.v

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Total) and self.v == other.v

    def __hash__(self) -> int:
        return hash(self.v)


def heap(x: float) -> float:
    h = [2.0, x, 0.5]
    heapq.heapify(h)
    return heapq.heappop(h) * x + heapq.heappop(h) * 2.0 + heapq.heappop(h)


def heap_push(x: float) -> float:
    h: list[float] = []
    heapq.heappush(h, x)
    heapq.heappush(h, 0.1)
    return h[1] * x


def insort(x: float) -> float:
    v = [0.1, 5.0]
    bisect.insort(v, x)
    return v[1] * x


def rotate(x: float) -> float:
    d = collections.deque([x, 2.0, 3.0])
    d.rotate(1)
    return d[1] * x


def deque_max(x: float) -> float:
    d = collections.deque([x, 2.0], maxlen=2)
    d.append(x * x)
    return sum(d) * x


def out_of_place(x: float) -> float:
    y = np.zeros(3)
    np.put(y, [1], x)
    np.copyto(y[2:], x)
    y.fill(x)
    return np.sum(y) * x


def view_bits(x: float) -> float:
    bits = np.array([x]).view(np.int64)
    return bits.view(np.float64)[0] * x


def setattrs(x: float) -> float:
    n = SimpleNamespace(a=x)
    for name in ("b", "c"):
        setattr(n, name, n.a * x)
    return vars(n)["b"] * sum([getattr(n, name) for name in ("a", "c")])


WAYS: dict[str, Program] = {
    # bytes, copies and other carriers
    "struct": lambda x: struct.unpack("d", struct.pack("d", x))[0] * x,
    "tobytes": lambda x: np.frombuffer(np.array([x]).tobytes())[0] * x,
    "frombuffer": lambda x: np.frombuffer(np.array([x]))[0] * x,
    "array_array": lambda x: array.array("d", [x])[0] * x,
    "pickle": lambda x: pickle.loads(pickle.dumps(x)) * x,
    "pickle_list": lambda x: pickle.loads(pickle.dumps([x]))[0] * x,
    "copy": lambda x: copy.copy(x) * x,
    "copy_list": lambda x: copy.copy([x])[0] * x,
    "deepcopy": lambda x: copy.deepcopy(x) * x,
    "deepcopy_nested": lambda x: copy.deepcopy({"a": [x]})["a"][0] * x,
    "decimal_product": lambda x: float(decimal.Decimal(x) * 2) * x,
    "fraction_sum": lambda x: float(fractions.Fraction(x) + 1) * x,
    "memoryview": lambda x: memoryview(np.array([x]))[0] * x,
    "view_bits": view_bits,
    "view_same": lambda x: np.array([x]).view(np.float64)[0] * x,
    "complex": lambda x: complex(x, 1.0).real * x,
    "complex_abs": lambda x: abs(complex(x, 1.0)) * x,
    "np_complex": lambda x: np.real(np.array([x]) * 1j * -1j)[0] * x,
    "slice_start": lambda x: slice(x, 2.0).start * x,
    "range_start": lambda x: range(int(x), 5).start * x,
    "partial_args": lambda x: functools.partial(max, x).args[0] * x,
    "partial": lambda x: functools.partial(operator.mul, x)(x),
    "closure_cell": lambda x: (lambda: x).__closure__[0].cell_contents * x,  # type: ignore[index]
    "default": lambda x: (lambda a=x: a * x)(),
    "default_read": lambda x: (lambda a=x: a).__defaults__[0] * x,  # type: ignore[index]
    "namespace": setattrs,
    "exception": lambda x: ValueError("a", x).args[1] * x,
    "type_call": lambda x: type(x)(x) * x,
    "float_new": lambda x: float.__new__(float, x) * x,
    "dunder_add": lambda x: (1.0).__add__(x) * x,
    "dunder_mul": lambda x: (2.0).__mul__(x) * x,
    "dunder_own": lambda x: x.__mul__(x),
    "dunder_rsub": lambda x: (1.0).__rsub__(x) * x,
    "dunder_pow": lambda x: (2.0).__pow__(x) * x,
    "dunder_divmod": lambda x: (2.0).__divmod__(x)[1] * x,
    "dunder_float": lambda x: x.__float__() * x,
    "float_add": lambda x: float.__add__(1.0, x) * x,
    "real": lambda x: x.real * x,
    "imag": lambda x: x.imag * x,
    "conjugate": lambda x: x.conjugate() * x,
    "is_integer": lambda x: x * x.is_integer() + x,
    "integer_ratio": lambda x: x.as_integer_ratio()[0] / x.as_integer_ratio()[1] * x,
    "hash": lambda x: hash(x) * 0.0 + x * x,
    "hash_value": lambda x: float(hash(x * 1e-3)) / 2.0 ** 61 * x,
    "np_item": lambda x: np.array([x]).item() * x,
    "np_tolist": lambda x: np.array([x, 2.0]).tolist()[0] * x,
    "np_asarray": lambda x: np.asarray(x)[()] * x,
    "np_float64": lambda x: np.float64(x) * x,
    "np_float32_array": lambda x: np.sum(np.array([2.0 * x]).astype(np.float64)) * x,
    # math
    "fabs": lambda x: math.fabs(x) * x,
    "copysign": lambda x: math.copysign(x, -1.0) * x,
    "fmod": lambda x: math.fmod(x, 0.4) * x,
    "fmod_by": lambda x: math.fmod(5.0, x) * x,
    "remainder": lambda x: math.remainder(x, 0.4) * x,
    "mod": lambda x: (x % 0.4) * x,
    "mod_by": lambda x: (5.0 % x) * x,
    "floordiv": lambda x: (x // 0.4) * x,
    "divmod": lambda x: divmod(x, 0.4)[1] * x + divmod(5.0, x)[1],
    "modf": lambda x: math.modf(x)[0] * x,
    "frexp": lambda x: math.frexp(x)[0] * x,
    "ldexp": lambda x: math.ldexp(x, 3) * x,
    "frexp_ldexp": lambda x: math.ldexp(*math.frexp(x)) * x,
    "trunc": lambda x: (x - math.trunc(x)) * x,
    "int_fraction": lambda x: (x - int(x)) * int(x + 1.0),
    "round": lambda x: round(x, 3) + x * x if x < 0.0 else round(x * 0.0, 3) + x * x,
    "ulp": lambda x: math.ulp(x) + x * x,
    "nextafter": lambda x: math.nextafter(x, 9.0) * x,
    "nextafter_from": lambda x: math.nextafter(2.0, x + 9.0) * x,
    "dist": lambda x: math.dist([x, 1.0], [0.0, 3.0]) * x,
    "hypot": lambda x: math.hypot(x, 1.0, x) * x,
    "fsum": lambda x: math.fsum([x, 1.0, x]) * x,
    "prod": lambda x: math.prod([x, 2.0, x]) * x,
    "prod_start": lambda x: math.prod([2.0], start=x) * x,
    "sum_start": lambda x: sum([2.0], x) * x,
    "gamma": lambda x: math.gamma(x) * math.lgamma(x),
    "pow3": lambda x: pow(x, 2) * x,
    "max_default": lambda x: max([], default=x) * x,
    # NumPy
    "np_modf": lambda x: np.modf(np.array([x, 2.3 * x]))[0][1] * x,
    "np_frexp": lambda x: np.frexp(np.array([x]))[0][0] * x,
    "np_ldexp": lambda x: np.ldexp(x, 2) * x,
    "np_spacing": lambda x: np.spacing(x) + x * x,
    "np_nextafter": lambda x: np.nextafter(x, 9.0) * x,
    "np_nextafter_array": lambda x: np.sum(np.nextafter(np.array([x, 2.0]), np.inf)) * x,
    "np_heaviside": lambda x: np.heaviside(x, 0.5) * x,
    "np_rint": lambda x: (x - np.rint(x)) * x,
    "np_fix": lambda x: (x - np.fix(x)) * x,
    "np_trunc": lambda x: (x - np.trunc(x)) * x,
    "np_around": lambda x: (x - np.around(x)) * x,
    "np_unwrap": lambda x: np.sum(np.unwrap(np.array([x, x + 7.0, 2.0])) ** 2),
    "np_gradient": lambda x: np.sum(np.gradient(np.array([x, x * x, 2.0])) ** 2),
    "np_gradient_by": lambda x: np.sum(np.gradient(np.array([1.0, 4.0, 2.0]), x) ** 2),
    "np_mod": lambda x: np.mod(5.0, x) * np.remainder(x, 0.4),
    "np_divmod": lambda x: np.divmod(5.0, x)[1] * x,
    "np_float_power": lambda x: np.float_power(x, 2.5),
    "np_unique": lambda x: np.sum(np.unique(np.array([x, 2.0, x])) ** 2),
    "np_unique_counts": lambda x: np.sum(np.unique(np.array([x, 2.0, x]), return_counts=True)[0] ** 2),
    "np_union1d": lambda x: np.sum(np.union1d(np.array([x]), np.array([2.0])) ** 2),
    "np_intersect1d": lambda x: np.sum(np.intersect1d(np.array([x]), np.array([x])) ** 2),
    "np_setdiff1d": lambda x: np.sum(np.setdiff1d(np.array([x]), np.array([2.0])) ** 2),
    "np_setxor1d": lambda x: np.sum(np.setxor1d(np.array([x]), np.array([2.0])) ** 2),
    "np_searchsorted": lambda x: np.searchsorted(np.array([0.1, 1.0]), x) * x,
    "np_digitize": lambda x: np.digitize(np.array([x]), np.array([0.1, 1.0]))[0] * x,
    "np_histogram": lambda x: np.sum(np.histogram(np.array([x, 1.0]), bins=2, range=(0.0, 3.0))[0]) * x,
    "np_histogram_weights": lambda x: np.sum(np.histogram(
        np.array([0.5, 1.0]), bins=2, range=(0.0, 3.0), weights=np.array([x, x * x]))[0]) * x,
    "np_histogram_edges": lambda x: np.sum(np.histogram(np.array([x, 3.0]), bins=2)[1] ** 2),
    "np_bincount": lambda x: np.sum(np.bincount(np.array([0, 1]), weights=np.array([x, x * x])) ** 2),
    "np_interp_x": lambda x: np.interp(x, np.array([0.0, 1.0, 2.0]), np.array([1.0, 3.0, 4.0])) * x,
    "np_interp_xp": lambda x: np.interp(0.3, np.array([0.0, x, 2.0]), np.array([1.0, 3.0, 4.0])) * x,
    "np_interp_fp": lambda x: np.interp(0.3, np.array([0.0, 1.0, 2.0]), np.array([1.0, x, 4.0])) * x,
    "np_interp_left": lambda x: np.interp(-0.3, np.array([0.0, 1.0]), np.array([1.0, 2.0]), left=x) * x,
    "np_percentile": lambda x: np.percentile(np.array([x, 2.5, 0.1]), 40.0) * x,
    "np_percentile_q": lambda x: np.percentile(np.array([1.0, 2.5, 0.1]), 10.0 * x) * x,
    "np_quantile": lambda x: np.quantile(np.array([x, 2.5, 0.1]), 0.4) * x,
    "np_median": lambda x: np.median(np.array([x, 2.5, 0.1])) * x,
    "np_sort": lambda x: np.sort(np.array([x, 2.5, 0.1]))[1] * x,
    "np_partition": lambda x: np.partition(np.array([x, 2.5, 0.1]), 1)[1] * x,
    "np_clip": lambda x: np.clip(2.0, 0.0, x) * np.clip(x, 0.1, 3.0),
    "np_vectorize": lambda x: np.sum(np.vectorize(lambda t: t * x)(np.array([x, 2.0]))),
    "np_frompyfunc": lambda x: np.sum(np.frompyfunc(lambda t: t * x, 1, 1)(np.array([x, 2.0])).astype(float)),
    "np_apply_along": lambda x: np.sum(np.apply_along_axis(lambda t: t * x, 0, np.array([x, 2.0]))),
    "np_apply_over": lambda x: np.sum(np.apply_over_axes(np.sum, np.array([[x, 2.0]]), [0, 1])) * x,
    "np_fromiter": lambda x: np.sum(np.fromiter((t * x for t in (x, 2.0)), float)),
    "np_fromfunction": lambda x: np.sum(np.fromfunction(lambda i: i * x, (3,))) * x,
    "np_array_list": lambda x: np.sum(np.array(list(t * x for t in (x, 2.0)))),
    "np_array_dtype_int": lambda x: np.sum(np.array([x, 2.0], dtype=int)) * x,
    "np_array_generator": lambda x: np.sum(np.stack([t * np.ones(2) for t in (x, 2.0)])) * x,
    "np_piecewise": lambda x: np.sum(np.piecewise(np.array([x, -1.0]), [np.array([True, False])], [x, 2.0])) * x,
    "np_select": lambda x: np.sum(np.select([np.array([True, False])], [np.array([x, x])], default=x)) * x,
    "np_full": lambda x: np.sum(np.full(3, x)) * x,
    "np_full_like": lambda x: np.sum(np.full_like(np.zeros(3), x)) * x,
    "np_full_int": lambda x: np.sum(np.full(3, x, dtype=int)) * x,
    "np_full_like_int": lambda x: np.sum(np.full_like(np.array([1, 2]), x)) * x,
    "np_linspace": lambda x: np.sum(np.linspace(0.0, x, 4) ** 2) * x,
    "np_linspace_step": lambda x: np.linspace(0.0, x, 4, retstep=True)[1] * x,
    "np_arange": lambda x: np.sum(np.arange(0.0, 3.0, x) ** 2),
    "np_logspace": lambda x: np.sum(np.logspace(0.0, x, 4)),
    "np_geomspace": lambda x: np.sum(np.geomspace(1.0, x + 1.0, 4)),
    "np_tri": lambda x: np.sum(np.tri(2) * x) * x,
    "np_pad_values": lambda x: np.sum(np.pad(np.ones(2), 1, constant_values=x)) * x,
    "np_where": lambda x: np.where(x > 0.0, x, 0.0) * x,
    "np_nan_to_num": lambda x: np.nan_to_num(np.array([np.nan]), nan=x)[0] * x,
    "np_sum_initial": lambda x: np.sum(np.ones(2), initial=x) * x,
    "np_prod_initial": lambda x: np.prod(np.ones(2), initial=x) * x,
    "np_max_initial": lambda x: np.max(np.zeros(2), initial=x) * x,
    "np_average": lambda x: np.average(np.array([1.0, 2.0]), weights=np.array([x, 1.0])) * x,
    "np_trapezoid_dx": lambda x: np.trapezoid(np.array([1.0, 2.0]), dx=x) * x,
    "np_norm_ord": lambda x: np.linalg.norm(np.array([1.0, 2.0]), x + 1.0) * x,
    "np_var_mean": lambda x: np.var(np.array([1.0, x]), ddof=1) * x,
    "np_var_ddof": lambda x: np.var(np.array([1.0, 3.0]), ddof=0.1 * x) * x,
    "np_std_ddof": lambda x: np.std(np.array([1.0, 3.0]), ddof=0.1 * x) * x,
    "np_cov_ddof": lambda x: np.sum(np.cov(np.array([1.0, 3.0]), aweights=np.array([x, 1.0]))) * x,
    "np_convolve": lambda x: np.sum(np.convolve(np.array([1.0, x]), np.array([x, 1.0])) ** 2),
    "np_diff_prepend": lambda x: np.sum(np.diff(np.array([1.0, 2.0]), prepend=x) ** 2),
    "np_ediff1d": lambda x: np.sum(np.ediff1d(np.array([1.0, 2.0]), to_end=x) ** 2),
    "np_insert": lambda x: np.sum(np.insert(np.array([1.0, 2.0]), 1, x) ** 2),
    "np_put": out_of_place,
    "np_fill_diagonal": lambda x: np.sum(np.diag(np.array([x, 1.0])) ** 2),
    "np_isclose": lambda x: np.sum(np.isclose(np.array([x]), 1.0)) * x + x,
    "np_astype_chain": lambda x: np.array([x]).astype(np.float64).astype(float)[0] * x,
    "np_astype_int": lambda x: np.array([x]).astype(int).astype(float)[0] * x,
    "np_astype_object": lambda x: np.array([x]).astype(object)[0] * x,
    "np_structured": lambda x: np.array([(x, 1)], dtype=[("a", float), ("b", int)])["a"][0] * x,
    "np_object": lambda x: np.array([x, None], dtype=object)[0] * x,
    "np_meshgrid": lambda x: np.sum(np.meshgrid(np.array([x, 1.0]), np.array([2.0]))[0]) * x,
    "np_polyfit": lambda x: np.polyfit(np.array([0.0, 1.0]), np.array([x, 2.0]), 1)[0] * x,
    "np_roots": lambda x: np.real(np.roots(np.array([1.0, -x]))[0]) * x,
    "np_poly": lambda x: np.sum(np.poly(np.array([x, 1.0]))) * x,
    "np_tile": lambda x: np.sum(np.tile(x, 3)) * x,
    "np_repeat": lambda x: np.sum(np.repeat(x, 3)) * x,
    "np_ufunc_reduce": lambda x: np.add.reduce(np.array([x, 2.0])) * x,
    "np_ufunc_outer": lambda x: np.sum(np.multiply.outer(np.array([x, 2.0]), np.array([x]))),
    "np_ufunc_at": lambda x: np.sum(np.add.accumulate(np.array([x, 2.0]))) * x,
    "np_ndenumerate": lambda x: sum(v * x for _, v in np.ndenumerate(np.array([x, 2.0]))),
    "np_flat": lambda x: sum(v * x for v in np.array([x, 2.0]).flat),
    "np_nditer": lambda x: sum(float(v) * x for v in np.nditer(np.array([x, 2.0]))),
    "np_lexsort": lambda x: np.array([x, 0.5])[np.lexsort((np.array([x, 0.5]),))][1] * x,
    "np_argsort": lambda x: np.array([x, 0.5])[np.argsort(np.array([x, 0.5]))][1] * x,
    "np_choose": lambda x: np.choose(np.array([0, 1]), [x, 2.0 * x])[1] * x,
    "np_cross": lambda x: np.sum(np.cross(np.array([x, 1.0, 2.0]), np.array([1.0, x, 0.0])) ** 2),
    "np_real_if_close": lambda x: np.real_if_close(np.array([x]))[0] * x,
    "np_copy": lambda x: np.copy(x) * x,
    "np_block": lambda x: np.sum(np.block([x, 2.0])) * x,
    "np_char": lambda x: float(np.char.add(str(x), "")) * x,
    "np_datetime": lambda x: np.timedelta64(int(x * 10), "s").astype(float) * 0.0 + x,
    "np_ma": lambda x: np.ma.masked_array([x, 2.0], [False, True]).sum() * x,
    "np_matrix": lambda x: np.asmatrix(np.array([[x]]))[0, 0] * x,
    "np_memoryview": lambda x: np.asarray(memoryview(np.array([x])))[0] * x,
    "np_packbits": lambda x: np.packbits(np.array([x > 0.0]))[0] * x,
    # orders
    "sorted": lambda x: sorted([x, 2.5, 0.1])[1] * x,
    "sorted_key": lambda x: sorted([1.0, 2.0], key=lambda t: t * x)[0] * x,
    "sorted_key_value": lambda x: sorted([x, 2.0, 0.1], key=lambda t: -t)[1] * x,
    "sorted_pairs": lambda x: sorted([(x, 1.0), (0.5, 2.0)])[1][0] * x,
    "sorted_objects": lambda x: sorted([Ordered(x), Ordered(0.5)])[1].v * x,
    "total_objects": lambda x: max(Total(x), Total(0.5)).v * x,
    "set_objects": lambda x: sum([t.v for t in {Total(x)}]) * x,
    "heap": heap,
    "heap_push": heap_push,
    "nlargest": lambda x: heapq.nlargest(2, [x, 2.5, 0.1])[1] * x,
    "nsmallest": lambda x: heapq.nsmallest(2, [x, 2.5, 0.1])[1] * x,
    "heap_merge": lambda x: sum(heapq.merge([x], [2.5])) * x,
    "bisect": lambda x: [1.0, x, 3.0][bisect.bisect([0.1, 5.0], x)] * x,
    "insort": insort,
    "mean": lambda x: statistics.mean([x, 2.0]) * x,
    "fmean": lambda x: statistics.fmean([x, 2.0]) * x,
    "median": lambda x: statistics.median([x, 2.0, 0.1]) * x,
    "stdev": lambda x: statistics.stdev([x, 2.0, 0.1]) * x,
    "mode": lambda x: statistics.mode([x, x, 0.1]) * x,
    "quantiles": lambda x: statistics.quantiles([x, 2.0, 0.1])[0] * x,
    "geometric": lambda x: statistics.geometric_mean([x, 2.0]) * x,
    "normal": lambda x: statistics.NormalDist(0.0, 1.0).pdf(x) * x,
    "accumulate": lambda x: list(itertools.accumulate([x, 2.0, x]))[2] * x,
    "accumulate_mul": lambda x: list(itertools.accumulate([x, 2.0], operator.mul, initial=x))[2] * x,
    "count": lambda x: next(itertools.islice(itertools.count(x, x), 2, None)) * x,
    "repeat": lambda x: sum(itertools.repeat(x, 3)) * x,
    "cycle": lambda x: sum(itertools.islice(itertools.cycle([x, 2.0]), 3)) * x,
    "groupby": lambda x: sum(k * len(list(g)) for k, g in itertools.groupby([x, x, 2.0])) * x,
    "groupby_key": lambda x: sum(k for k, _ in itertools.groupby([1.0, 2.0], key=lambda t: t * x)) * x,
    "pairwise": lambda x: sum(a * b for a, b in itertools.pairwise([x, 2.0, x])),
    "starmap": lambda x: sum(itertools.starmap(operator.mul, [(x, 2.0)])) * x,
    "compress": lambda x: sum(itertools.compress([x, 2.0], [1, 0])) * x,
    "takewhile": lambda x: sum(itertools.takewhile(lambda t: t < 2.0, [x, 3.0])) * x,
    "permutations": lambda x: sum(a * b for a, b in itertools.permutations([x, 2.0])),
    "tee": lambda x: sum(itertools.tee([x, 2.0])[1]) * x,
    "zip_longest": lambda x: sum(a * b for a, b in itertools.zip_longest([1.0, 2.0], [x], fillvalue=x)),
    "reduce": lambda x: functools.reduce(lambda a, b: a * b, [x, 2.0, x]),
    "reduce_start": lambda x: functools.reduce(operator.add, [2.0], x) * x,
    "cache": lambda x: functools.lru_cache(lambda t: t * x)(x),
    "rotate": rotate,
    "deque": deque_max,
    "chain_map": lambda x: collections.ChainMap({"a": x})["a"] * x,
    "ordered_dict": lambda x: list(collections.OrderedDict([("a", x)]).values())[0] * x,
    "user_list": lambda x: collections.UserList([x])[0] * x,
    "itemgetter": lambda x: operator.itemgetter(0)([x, 2.0]) * x,
    "attrgetter": lambda x: operator.attrgetter("v")(Ordered(x)) * x,
    "methodcaller": lambda x: operator.methodcaller("__mul__", x)(x),
    "enum_value": lambda x: Level(1.75 if x > 0.0 else 0.5).value * x,
    "enum_of": lambda x: (Level(x).value if x == 1.75 else 1.0) * x,
    "index": lambda x: [0.5, x].index(x) * x + x,
    "in_list": lambda x: x if x in [1.75] else 2.0 * x,
    "remove": lambda x: [t for t in [x, 0.5] if t != 0.5][0] * x,
    "is": lambda x: x if x is not None else 0.0,
}


@pytest.mark.parametrize("x", [0.7, 1.7])
@pytest.mark.parametrize("name", WAYS)
def test_a_number_keeps_its_derivative_on_its_way(name: str, x: float) -> None:
    holds(WAYS[name], x)
    holds(WAYS[name], np.float64(x))


EXACT = ("set_sum", "set_max", "set_loop", "set_comp", "set_union", "set_list", "set_array", "set_closure", "frozen",
         "key_loop", "key_assign", "key_popitem", "key_merge", "key_fromkeys", "key_tuple", "key_first_wins")


@pytest.mark.parametrize("name", EXACT)
def test_a_number_that_leaves_a_set_or_a_key_in_its_own_block_is_not_refused(name: str) -> None:
    assert holds(KEYS[name], 0.7)


def test_a_number_is_not_read_from_a_set_that_another_block_made() -> None:
    error = refuses(set_joined, 0.7, 1, code="SCT401")
    assert "use a list instead of a set" in str(error)


def set_joined(x: float, n: int) -> float:
    if n > 0:
        y = x * x
        s = {y}
    else:
        raise ValueError
    return sum(s) * x


def test_a_number_is_not_read_from_text() -> None:
    assert "does not carry a derivative" in str(refuses(TEXT["format"], 0.7, code="SCT207"))
    assert "does not carry a derivative" in str(refuses(TEXT["float_json"], 0.7, code="SCT207"))


def test_text_is_shown(capsys: pytest.CaptureFixture[str]) -> None:
    def f(x: float) -> float:
        print({x}, {x: 1}, [{x}], frozenset({x}), format(x, ".3f"), ascii(x), "{a:.2f}".format_map({"a": x}))
        print(f"{({x})} {({x: {x}})!s}")
        return x * x

    f(0.7)
    plain = capsys.readouterr().out
    assert value_and_grad(f)(0.7) == (f(0.7), 1.4)
    assert capsys.readouterr().out == plain * 2


def test_a_numpy_number_leaves_a_set_as_one() -> None:
    def f(x: float, v: np.ndarray) -> float:
        return sum({v[0]}) / 0.0 * 0.0 + x * sum({v[0]: 1.0})

    with np.errstate(all="ignore"):
        value, _ = value_and_grad(f)(0.7, np.array([2.0]))
        assert same_value(value, f(0.7, np.array([2.0])))


def test_an_int_that_is_differentiated_leaves_a_set_with_its_derivative() -> None:
    assert value_and_grad(lambda n: sum({n, 2}) * n * 1.0)(3) == (15.0, 8.0)


# -- what raises raises, be its result used or not ----------------------------------------------------


W = np.ones(3)
UNUSED: dict[str, tuple[Callable[..., Any], Any, Any]] = {
    "broadcast_to": (lambda x, w: np.broadcast_to(w, x.shape), np.ones(3), np.ones(2)),
    "reshape": (lambda x, k: x.reshape(-1, k), 3, 2),
    "max": (lambda x, w: w.max(), np.ones(2), np.ones(0)),
    "argmax": (lambda x, w: np.argmax(w), np.ones(2), np.ones(0)),
    "stack": (lambda x, w: np.stack([x, w]), np.ones(3), np.ones(2)),
    "concatenate": (lambda x, w: np.vstack([x, w]), np.ones(3), np.ones(2)),
    "tile": (lambda x, k: np.tile(x, k), 2, -1),
    "repeat": (lambda x, k: np.repeat(x, k), 2, -1),
    "add": (lambda x, w: x + w, np.ones(3), np.ones(2)),
    "dot": (lambda x, w: x @ w, np.ones(3), np.ones(2)),
    "index": (lambda x, k: x[k], 2, 5),
    "inv": (lambda x, w: np.linalg.inv(w), np.eye(2), np.zeros((2, 2))),
    "range": (lambda x, k: range(1, 2, 0) if k else None, 0, 1),
}


@pytest.mark.parametrize("name", UNUSED)
def test_what_raises_raises_where_its_result_is_not_used(name: str) -> None:
    check, good, bad = UNUSED[name]

    def f(x: np.ndarray, w: Any) -> float:
        check(x, w)
        return float(np.sum(x ** 2))

    derivative = value_and_grad(f)
    x = np.arange(1.0, 4.0)
    assert same_value(derivative(x, good)[0], f(x, good))
    with pytest.raises(Exception) as plain:
        f(x, bad)
    with pytest.raises(type(plain.value)) as caught:
        derivative(x, bad)
    assert str(caught.value) == str(plain.value)
