"""Values read from outside: globals, closures, defaults, attributes, modules; and what changes between calls.

Each place that a value may come from meets each place that may be the first to read it.
"""

from __future__ import annotations

import argparse
import collections
import copy
import dataclasses
import functools
import gc
import importlib.util
import itertools
import logging
import math
import re
import subprocess
import sys
import threading
import types
import weakref
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from oracle import agrees, outcome, refuses, same_value

from sct import SctError, emit, grad, hessian, value_and_grad
from sct import derivative as derivative_module
from sct.call_checks import MISS, compile_checks
from sct.frontend import Guard, Transform, trace
from sct.frontend.values.guards import same_answer

Function = Callable[..., Any]

X = np.array([0.3, 0.7, 1.1])

SOURCES = {
    "array": "np.array([0.2, 0.5, 0.3])",
    "list": "[0.2, 0.5, 0.3]",
    "long list": "[0.2, 0.5, 0.3, 0.1, 0.2, 0.6]",
    "list of arrays": "[np.array([0.2, 0.5, 0.3]), np.array([0.1, 0.2, 0.4])]",
    "list of lists": "[[0.2, 0.5, 0.3], [0.1, 0.2, 0.4]]",
    "tuple": "(0.2, 0.5, 0.3)",
    "tuple of an array": "(np.array([0.2, 0.5, 0.3]), 0.5)",
    "dict": "{'k': np.array([0.2, 0.5, 0.3]), 's': 0.7}",
    "nested dict": "{'a': {'k': np.array([0.2, 0.5, 0.3])}}",
    "object": "Holder(np.array([0.2, 0.5, 0.3]))",
    "dataclass": "Record(np.array([0.2, 0.5, 0.3]), 0.5)",
    "named tuple": "Pair(np.array([0.2, 0.5, 0.3]), 0.5)",
    "namespace": "types.SimpleNamespace(k=np.array([0.2, 0.5, 0.3]))",
}
"""How an object outside is made."""

ITEMS = {"list of arrays": "{0}[1]", "list of lists": "{0}[1]", "tuple of an array": "{0}[0]", "dict": "{0}['k']",
         "nested dict": "{0}['a']['k']", "object": "{0}.k", "dataclass": "{0}.k", "named tuple": "{0}.k",
         "namespace": "{0}.k"}
"""How three numbers are read of it, where it is not they."""

CARRIERS = ("global", "closure", "default", "attribute", "module")

PLACES = {
    "for": """
        for _ in range(3):
            x = np.sin(x) * V[0] + V[1]
        return np.sum(x)""",
    "for, by index": """
        for i in range(3):
            x = np.sin(x) * V[i] + V[2 - i]
        return np.sum(x)""",
    "while": """
        i = 0
        while i < 3:
            x = np.sin(x) * V[0] + V[1]
            i += 1
        return np.sum(x)""",
    "test of while": """
        s = 0.0
        while s < V[0] + V[1]:
            s += 0.2
            x = x * 1.5
        return np.sum(x) + s""",
    "nested loops": """
        for i in range(2):
            for j in range(3):
                x = np.sin(x) * V[j] + V[i]
        return np.sum(x)""",
    "arrays made before it": """
        for i in range(3):
            y = np.zeros(3)
            y[i] = V[i]
            z = np.cos(x) * V[0]
            x = x + y * V[1] + z * V[2]
        return np.sum(x)""",
    "comprehension": """
        y = np.array([np.sum(x) * V[i] + V[0] for i in range(3)])
        return np.sum(y ** 2)""",
    "filter of a comprehension": """
        return sum(t * t for t in x if t > V[0])""",
    "dict comprehension": """
        d = {i: x[i] * V[i] for i in range(3)}
        return d[0] * V[2] + d[2]""",
    "branch in a loop": """
        for _ in range(3):
            if np.sum(x) > 0.0:
                x = np.sin(x) * V[0] + V[1]
            else:
                x = x + V[2]
        return np.sum(x)""",
    "one branch": """
        if x[0] > 0.0:
            x = x * V[0]
        return np.sum(x) + V[1]""",
    "both branches": """
        if x[0] > 5.0:
            x = x * V[0]
        else:
            x = x - V[1]
        return np.sum(x)""",
    "branch that raises": """
        v = V
        if x[0] < 0.0:
            raise ValueError("negative")
        return np.sum(x) * v[0] + v[2]""",
    "named in an arm": """
        if x[0] < 0.0:
            raise ValueError("negative")
        else:
            v = V
        return np.sum(x) * v[0] + v[2]""",
    "raise in a loop": """
        v = V
        t = 0.0
        for k in range(3):
            if x[k] < 0.0:
                raise ValueError("negative")
            t += v[k] * x[k]
        return t""",
    "early return": """
        for _ in range(3):
            x = np.sin(x) * V[0] + V[1]
            if np.sum(x) > 100.0:
                return x[0] * V[2]
        return np.sum(x)""",
    "before and after a loop": """
        v = V
        x = x * V[0]
        for _ in range(2):
            x = x + V[1] * v[0]
        return np.sum(x) * V[2] + v[1]""",
    "append": """
        out = []
        for _ in range(3):
            x = np.sin(x) * V[0] + V[1]
            out.append(np.sum(x) * V[2])
        return sum(out)""",
    "nested def": """
        def rhs(y):
            return y * V[0] + V[1]
        for _ in range(2):
            x = x + rhs(x)
        return np.sum(x)""",
    "lambda": """
        h = lambda y: y * V[0] + V[1]
        return np.sum(h(h(x)))""",
    "default of a nested def": """
        def rhs(y, v=V):
            return y * v[0] + v[1]
        for _ in range(2):
            x = rhs(x)
        return np.sum(x)""",
    "assert": """
        for _ in range(2):
            assert V[0] > 0.0
            x = x * V[1]
        return np.sum(x)""",
    "loop over a tuple": """
        t = 0.0
        for a in (x, V):
            if not np.all(np.isfinite(a)):
                raise ValueError("not finite")
            t = t + np.sum(np.asarray(a)) * x[0]
        return t""",
    "loop over it": """
        t = 0.0
        for a in V:
            t += a * x[0]
        return t * V[1]""",
    "zip": """
        t = 0.0
        for a, b in zip(V, x):
            t += a * b
        return t * V[1]""",
    "conditional expression": """
        for _ in range(2):
            x = x * (V[0] if x[0] > 0.1 else V[1])
        return np.sum(x)""",
    "and, or": """
        t = 0.0
        for i in range(3):
            if x[i] > V[0] and x[i] < 1.0 + V[1] or V[2] > 2.0:
                t += x[i] * V[1]
        return t""",
}
"""Where a value from outside, `V`, is first read."""

HEAD = """
from __future__ import annotations
import types
from dataclasses import dataclass
from typing import Any, NamedTuple
import numpy as np

class Holder:
    def __init__(self, k):
        self.k = k

@dataclass
class Record:
    k: Any
    s: float

class Pair(NamedTuple):
    k: Any
    s: float
"""

TEXTS = {
    "global": "V = {made}\ndef f(x):{body}\n",
    "closure": "def make():\n    V = {made}\n    def f(x):{inner}\n    return f\nf = make()\n",
    "default": "def f(x, V={made}):{body}\n",
    "attribute": "class Model:\n    def __init__(self):\n        self.V = {made}\n    def f(self, x):{inner}\n"
                 "f = Model().f\n",
    "module": "import types as _types\nM = _types.ModuleType('M')\nM.V = {made}\ndef f(x):{body}\n",
}

READ = {"attribute": "self.V", "module": "M.V"}


def written(tmp_path: Any, carrier: str, source: str, place: str) -> types.ModuleType:
    """The module that has this program as `f`."""
    reading = ITEMS.get(source, "{0}").format(READ.get(carrier, "V"))
    body = PLACES[place].replace("\n        ", "\n    ")
    body = re.sub(r"\bV\b(?!=)", reading, body)
    text = HEAD + TEXTS[carrier].format(made=SOURCES[source], body=body, inner=body.replace("\n", "\n    "))
    path = tmp_path / f"{'_'.join((carrier, source, place)).replace(' ', '_')}.py"
    path.write_text(text)
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None and spec.loader is not None
    module = sys.modules[path.stem] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("carrier", CARRIERS)
def test_each_place_is_the_first_to_read(tmp_path: Any, carrier: str, place: str) -> None:
    """Arrays from each carrier in each place; the other sources in turn."""
    names = [*SOURCES]
    other = names[(list(PLACES).index(place) * len(CARRIERS) + CARRIERS.index(carrier)) % len(names)]
    for source in dict.fromkeys(["array", other]):
        agrees(written(tmp_path, carrier, source, place).f, X)


@pytest.mark.parametrize("source", SOURCES)
def test_each_source_is_read_in_loops(tmp_path: Any, source: str) -> None:
    for place in ("for, by index", "nested loops", "branch in a loop", "before and after a loop", "raise in a loop"):
        agrees(written(tmp_path, "global", source, place).f, X)


# -- a variable of the function that starts as what is outside --------------------------------------

W = np.array([0.2, 0.5, 0.3])
NUMBERS = [0.2, 0.5, 0.3]
OPTIONS = {"tol": 1.5, "w": W}
LONG = [0.2, 0.5, 0.3, 0.1, 0.2, 0.6, 0.9, 0.8, 0.7, 0.4]


def starts_as_array(a: float) -> Any:
    x = W
    for _ in range(3):
        x = x * a + 1.0
    return np.sum(x)


def starts_as_array_in_while(a: float) -> Any:
    x = W
    i = 0
    while i < 3:
        x = np.mod(x * a + W, 2.0)
        i += 1
    return np.sum(x * W)


def read_by_a_nested_function(a: float) -> Any:
    def rhs(x: Any) -> Any:
        return a * x + W
    x = W
    for _ in range(3):
        x = x + 0.1 * rhs(x)
    return np.sum(x)


def read_after_the_loop(a: float) -> Any:
    x = W
    for _ in range(3):
        x = x * a
    return np.sum(x) + np.sum(W * x)


def two_names(a: float) -> Any:
    x, y = W, W
    for _ in range(3):
        x, y = y * a, x + W
    return np.sum(x * y) + np.sum(W)


def name_swaps_with_it(a: float) -> Any:
    x, y = W, W * a
    for _ in range(3):
        x, y = y, x
    return np.sum(x * a) + y[1] * a


def bound_to_it_in_the_loop(a: float) -> Any:
    x = np.ones(3)
    for i in range(4):
        x = W if i == 2 else x * a
    return np.sum(x)


def bound_to_it_at_the_end(a: float) -> Any:
    t = 0.0
    for _ in range(2):
        v = W
        t += v[0] * a
    return t + v[1] * a


def bound_to_a_list_of_it(a: float) -> Any:
    t = 0.0
    for _ in range(2):
        v = NUMBERS
        t += v[0] * a
    return t + v[1] * a


def list_then_another(a: float) -> Any:
    v = NUMBERS
    for _ in range(2):
        v = [v[1] * a, v[2] + NUMBERS[0], v[0]]
    return v[0] + v[1] * v[2] + NUMBERS[1]


def list_that_grows(a: float) -> Any:
    v = LONG
    for _ in range(20):
        v = [*v, v[-1] * a * 0.5]
    return v[-1] + len(v) * a + LONG[0]


def dict_then_another(a: float) -> Any:
    d = OPTIONS
    for _ in range(2):
        d = {"tol": d["tol"] * a, "w": d["w"] * a}
    return d["tol"] + np.sum(d["w"]) * OPTIONS["tol"]


def number_becomes_array(a: float) -> Any:
    p = 0.0
    for _ in range(2):
        p += W * a
    return np.sum(p)


def none_becomes_array(a: float) -> Any:
    p = None
    for _ in range(2):
        p = W * a if p is None else p + W * a
    return np.sum(p)


def written_after_it_was_left(a: float) -> Any:
    x = W
    for i in range(3):
        x = x * a
        x[i] = 1.0
    return np.sum(x) + np.sum(W)


def one_of_two(a: float) -> Any:
    v = W if a > 1.0 else np.ones(3)
    for _ in range(2):
        v = v * a + W
    return np.sum(v)


def branch_rebinds_it(a: float) -> Any:
    v = W
    if a > 1.0:
        v = v * a
    return np.sum(v) * a + np.sum(W)


def copy_is_written(a: float) -> Any:
    x = W.copy()
    for i in range(3):
        x[i] = x[i] * a + W[2 - i]
    return np.sum(x) + np.sum(W) * a


def copy_of_a_list_is_written(a: float) -> Any:
    v = list(LONG)
    for i in range(10):
        v[i] = v[i] * a + LONG[9 - i]
    return sum(v) + sum(LONG) * a


def shallow_copy_of_a_list_grows(a: float) -> Any:
    v, own = copy.copy(LONG), list(LONG)
    v.append(a)
    w = copy.copy(own)
    w[0] = a
    for _ in range(20):
        w.append(a * LONG[1])
    return sum(v) * sum(LONG) + sum(w) * sum(own)


def comprehension_in_a_loop(a: float) -> Any:
    t = 0.0
    for i in range(3):
        row = [W[i] * a + W[j] for j in range(3)]
        t += sum(row) * W[i]
    return t


def loop_in_a_branch_in_a_loop(a: float) -> Any:
    t = a
    for i in range(3):
        if W[i] > 0.25:
            for j in range(2):
                t += W[j] * a * W[i]
        else:
            t = t * W[0]
    return t * W[1]


def last_trips_differ(a: float) -> Any:
    x = W
    prev = x
    for i in range(4):
        if i % 2:
            prev = x
        else:
            x = x * a + prev
    return np.sum(x * prev) + np.sum(W)


STARTS = (
    starts_as_array, starts_as_array_in_while, read_by_a_nested_function, read_after_the_loop, two_names,
    name_swaps_with_it, bound_to_it_in_the_loop, bound_to_it_at_the_end, bound_to_a_list_of_it, list_then_another,
    list_that_grows, dict_then_another, number_becomes_array, none_becomes_array, written_after_it_was_left,
    one_of_two, branch_rebinds_it, copy_is_written, copy_of_a_list_is_written, shallow_copy_of_a_list_grows,
    comprehension_in_a_loop,
    loop_in_a_branch_in_a_loop, last_trips_differ)


@pytest.mark.parametrize("f", STARTS, ids=lambda f: f.__name__)
def test_starts_as_what_is_outside(f: Function) -> None:
    agrees(f, 1.3)
    agrees(f, 0.7)


# -- writes ---------------------------------------------------------------------------------------------


def writes_array(a: float) -> Any:
    W[0] = a
    return np.sum(W)


def writes_through_a_name(a: float) -> Any:
    x = W
    for i in range(2):
        x[i] = a
    return np.sum(x)


def writes_one_of_two(a: float) -> Any:
    v = [a, 2.0, 3.0] if a > 1.0 else NUMBERS
    v[0] = a
    return v[0] + NUMBERS[0]


def writes_the_other_of_two(a: float) -> Any:
    v = NUMBERS if a > 1.0 else [a, 2.0, 3.0]
    v[0] = a
    return v[0] + NUMBERS[0]


def writes_an_array_of_two(a: float) -> Any:
    v = np.ones(3) * a if a > 1.0 else W
    v[0] = a
    return v[0] + W[0]


def appends(a: float) -> Any:
    LONG.append(a)
    return sum(LONG)


def appends_in_a_loop(a: float) -> Any:
    for _ in range(20):
        LONG.append(a)
    return sum(LONG)


def writes_a_dict(a: float) -> Any:
    for _ in range(2):
        OPTIONS["tol"] = a
    return OPTIONS["tol"]


def writes_the_rest_of_a_loop(a: float) -> Any:
    v = NUMBERS
    for _ in range(2):
        v[0] = a
        v = [a, a, a]
    return v[0]


def writes_an_array_in_a_list(a: float) -> Any:
    xs = [W]
    xs[0][1] = a
    return np.sum(W)


@pytest.mark.parametrize("f", (
    writes_array, writes_through_a_name, writes_one_of_two, writes_the_other_of_two, writes_an_array_of_two, appends,
    appends_in_a_loop, writes_a_dict, writes_the_rest_of_a_loop, writes_an_array_in_a_list), ids=lambda f: f.__name__)
@pytest.mark.parametrize("a", (1.3, 0.7))
def test_writes_outside_are_refused(f: Function, a: float) -> None:
    refuses(f, a, code="SCT302")


# -- functions of their own ----------------------------------------------------------------------------


class Node:
    def __init__(self, weight: float, left: Node | None = None, right: Node | None = None) -> None:
        self.weight, self.left, self.right = weight, left, right


def energy(node: Any, level: int = 0) -> Any:
    if node is None:
        return 0.0
    here = np.tanh(node.weight) * 0.5 ** level
    return here ** 2 + energy(node.left, level + 1) * node.weight + energy(node.right, level + 1)


def determinant(m: Any, rows: Any, columns: Any) -> Any:
    if len(rows) == 1:
        return m[rows[0]][columns[0]]
    total, sign = 0.0, 1.0
    for j in range(len(columns)):
        minor = determinant(m, rows[1:], columns[:j] + columns[j + 1:])
        total = total + sign * m[rows[0]][columns[j]] * minor * W[j % 3]
        sign = -sign
    return total


def test_recursion_over_objects() -> None:
    f = lambda a: energy(Node(a, Node(0.2, None, Node(1.1 * a)), Node(-0.4)))
    agrees(f, 0.7)


@pytest.mark.parametrize("n", (2, 3, 4))
def test_recursion_over_lists(n: int) -> None:
    m = np.random.default_rng(n).normal(size=(n, n))
    agrees(lambda m: determinant(m, tuple(range(n)), tuple(range(n))), m)
    agrees(lambda m: determinant(m, tuple(range(n)), tuple(range(n))), m.tolist())


# -- what changes between calls ---------------------------------------------------------------------------


def follows(f: Function, x: Any, *changes: Callable[[], Any]) -> None:
    """Fail unless one derivative does what `f` does before and after each change."""
    derivative = value_and_grad(f)
    for change in (lambda: None, *changes, lambda: None):
        change()
        own = copy.deepcopy(x)
        value, gradient = derivative(own)
        assert same_value(value, f(copy.deepcopy(x))), (value, f(copy.deepcopy(x)))
        differences = check(f, x)
        np.testing.assert_allclose(np.ravel(gradient), differences, rtol=1e-5, atol=1e-6)


def check(f: Function, x: Any) -> list[float]:
    if isinstance(x, float):
        return [float((f(x + 1e-6) - f(x - 1e-6)) / 2e-6)]
    steps = np.eye(x.size).reshape(x.size, *x.shape) * 1e-6
    return [float((f(x + h) - f(x - h)) / 2e-6) for h in steps]


def module_with(tmp_path: Any, text: str) -> Any:
    path = tmp_path / f"changing_{next(_serial)}.py"
    path.write_text("import numpy as np\nimport functools\nimport types\n" + text)
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None and spec.loader is not None
    module = sys.modules[path.stem] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


_serial = itertools.count()

CHANGES: dict[str, tuple[str, tuple[str, ...]]] = {
    "a number": ("K = 2.0\ndef f(x):\n    return np.sum(x * K)\n", ("K = 3.0", "K = 5", "K = True", "K = -0.0")),
    "a number that is asked": (
        "N = 2\nK = 1.5\ndef f(x):\n    t = [0.0] * N\n    for i in range(N):\n        t[i] = x[i] * K\n"
        "    return sum(t) * K\n", ("N = 3", "K = 2.5", "N = 2", "K = 3")),
    "an axis": ("A = 0\nW = np.ones((3, 3))\ndef f(x):\n    return np.sum(np.sum(W * x, axis=A) ** 2)\n",
                ("A = 1", "A = None", "A = -1", "W = np.arange(9.0).reshape(3, 3)", "A = (0, 1)")),
    "a flag": ("B = True\ndef f(x):\n    return np.sum(x) if B else np.sum(x * x)\n",
               ("B = False", "B = None", "B = 1", "B = ''", "B = 'a'", "B = 0.0")),
    "a string": ("S = 'a'\ndef f(x):\n    return np.sum(x) if S == 'a' else np.sum(x * x) * len(S)\n",
                 ("S = 'b'", "S = 'bcd'", "S = 'a'")),
    "None": ("V = None\ndef f(x):\n    return np.sum(x) if V is None else np.sum(x * V)\n",
             ("V = 2.0", "V = np.array([1.0, 2.0, 3.0])", "V = None", "V = 3")),
    "an array": ("W = np.ones(3)\ndef f(x):\n    return np.sum(W * x * x)\n", (
        "W = np.array([1.0, 2.0, 3.0])", "W[1] = 7.0", "W = np.ones(1)", "W = np.ones((2, 3))", "W = 2.0",
        "W = np.array(3.0)", "W = np.ones(3, dtype=np.float32)", "W = np.arange(3)", "W = np.float64(2.0)",
        "W = np.ones((3, 2)).T", "W = np.array([True, False, True])")),
    "an array in a loop": (
        "W = np.ones(3)\ndef f(x):\n    t = 0.0\n    for w in W:\n        t += np.sum(x) * w * W[0]\n    return t\n",
        ("W = np.array([1.0, 2.0])", "W[0] = 5.0", "W = np.zeros(0)", "W = [1.0, 2.0]", "W = (2.0,)")),
    "a list": ("L = [1.0, 2.0]\ndef f(x):\n    return sum([np.sum(a * x) for a in L])\n", (
        "L.append(3.0)", "L[0] = 9.0", "L.extend([4.0] * 6)", "L.pop()", "del L[3:]", "L = [1, 2]", "L = [np.ones(3)]",
        "L = (1.0, 2.0)", "L = np.ones(2)")),
    "a dict": ("D = {'a': 1.0, 'b': 2.0}\ndef f(x):\n    return sum(D.values()) * np.sum(x) + D['a']\n", (
        "D['a'] = 5.0", "D['c'] = 4.0", "del D['b']", "D['a'] = np.ones(3)[0]", "D = {'c': 1.0, 'a': 2.0}")),
    "a nested dict": (
        "D = {'p': {'w': [1.0, 2.0]}}\ndef f(x):\n    t = 0.0\n    for k in range(2):\n"
        "        t += D['p']['w'][k] * x[k]\n    return t\n",
        ("D['p']['w'][1] = 5.0", "D['p'] = {'w': (3.0, 4.0)}", "D['p']['w'] = np.ones(2)")),
    "a tuple": ("T = (1.0, np.ones(3))\ndef f(x):\n    a, b = T\n    return np.sum(a * b * x)\n", (
        "T = (2.0, np.ones(3))", "T[1][0] = 4.0", "T = [1.0, 2.0]", "T = (np.ones(3), 2)")),
    "a set": ("S = {1, 2}\ndef f(x):\n    return np.sum(x) if 2 in S else np.sum(x * x)\n",
              ("S.add(3)", "S.discard(2)")),
    "an object": (
        "class P:\n    def __init__(self, k):\n        self.k = k\n    def scale(self, x):\n        return self.k * x\n"
        "class Q(P):\n    def scale(self, x):\n        return self.k * x * x\nO = P(2.0)\ndef own(x):\n    return x\n"
        "def f(x):\n    t = 0.0\n    for i in range(2):\n        t += np.sum(O.scale(x)) * O.k\n    return t\n",
        ("O.k = 3.0", "O = P(4.0)", "O.k = np.ones(3)[0]", "O = Q(2.0)", "O.__class__ = P", "P.scale = Q.scale",
         "O.scale = own")),
    "a class attribute": (
        "class P:\n    k = 2.0\nO = P()\ndef f(x):\n    return np.sum(x) * O.k * P.k\n",
        ("P.k = 3.0", "O.k = 4.0", "P.k = 5", "del O.k")),
    "a function": (
        "def h(x):\n    return x * 2.0\ndef square(x):\n    return x * x\ndef times(k):\n    return lambda x: k * x\n"
        "def f(x):\n    return np.sum(h(x))\n", (
            "h = square", "h = np.sin", "h = functools.partial(np.multiply, 3.0)", "h = times(5.0)", "h = times(6.0)",
            "h = functools.partial(h)")),
    "the code of a function": (
        "def h(x, k=2.0):\n    return x * k\ndef g(x, k=2.0):\n    return x * x * k\n"
        "def f(x):\n    return np.sum(h(x))\n",
        ("h.__code__ = g.__code__", "h.__defaults__ = (3.0,)", "h.__defaults__ = (np.ones(3),)")),
    "a mutable default of a helper": (
        "def h(x, ws=[1.0, 2.0]):\n    return sum(ws) * x\ndef f(x):\n    return np.sum(h(x))\n",
        ("h.__defaults__[0].append(3.0)", "h.__defaults__[0][0] = 7.0", "h.__defaults__ = ([1.0],)")),
    "its own default": ("def f(x, k=2.0):\n    return np.sum(x * k)\n",
                        ("f.__defaults__ = (3.0,)", "f.__defaults__ = (3,)", "f.__defaults__ = (np.ones(3),)")),
    "its own mutable default": (
        "def f(x, ws=[1.0, 2.0], *, d={'a': np.ones(3)}):\n    return np.sum(sum(ws) * x * d['a'])\n", (
            "f.__defaults__[0].append(3.0)", "f.__defaults__[0][0] = 7.0", "f.__kwdefaults__['d']['a'][1] = 5.0",
            "f.__kwdefaults__['d']['a'] = 2.0", "f.__defaults__ = ((1.0, 2.0),)")),
    "its own code": ("def f(x):\n    return np.sum(x)\ndef g(x):\n    return np.sum(x * x)\n",
                     ("f.__code__ = g.__code__",)),
    "a module": ("M = types.ModuleType('M')\nM.k = 2.0\nM.w = np.ones(3)\ndef f(x):\n    t = x\n"
                 "    for _ in range(2):\n        t = t * M.k * M.w\n    return np.sum(t)\n",
                 ("M.k = 3.0", "M.w = np.arange(3.0)", "M.w[0] = 4.0", "M.w = 2.0")),
    "a cell": ("def make():\n    k = 2.0\n    def f(x):\n        t = x\n        for _ in range(2):\n"
               "            t = t * k\n        return np.sum(t)\n    def change(v):\n"
               "        nonlocal k\n        k = v\n    return f, change\n"
               "f, change = make()\n", ("change(3.0)", "change(np.ones(3))", "change(4)", "change(np.float32(2.0))")),
    "where a loop starts": (
        "W = np.ones(3)\ndef f(x):\n    y = W\n    for _ in range(2):\n        y = y * x\n    return np.sum(y)\n",
        ("W[1] = 3.0", "W = np.arange(3.0)", "W = np.ones((2, 3))", "W = np.ones(1)")),
    "a partial": ("def g(x, w, k=2.0):\n    return np.sum(x * w * k)\nf = functools.partial(g, w=np.ones(3))\n",
                  ("f.keywords['w'][1] = 3.0", "f.keywords['w'] = 2.0", "f.keywords['k'] = 3.0",
                   "g.__defaults__ = (4.0,)")),
    "a partial with another state": (
        "def g(x, w=2.0, *more):\n    return np.sum(x * w) + len(more)\np = functools.partial(g)\n"
        "q = functools.partial(p)\ndef f(x):\n    return p(x) + q(x)\n",
        ("p.__setstate__((np.sum, (), {}, {}))", "p.__setstate__((g, (), {'w': 3.0}, {}))",
         "p.__setstate__((np.dot, (np.ones(3),), {}, {}))", "p.__setstate__((g, (np.ones(3), 5.0), {}, {}))",
         "p.__setstate__((g, (), {}, {}))")),
    "its own partial with another state": (
        "def g(w, x):\n    return np.sum(x * w)\ndef h(w, v, x):\n    return w * v * x[0]\n"
        "f = functools.partial(g, 2.0)\n",
        ("f.__setstate__((g, (3.0,), {}, {}))", "f.__setstate__((h, (3.0, 2.0), {}, {}))",
         "f.__setstate__((h, (3.0, 4.0), {}, {}))", "f.__setstate__((g, (np.ones(3),), {}, {}))")),
    "an object that is run over by position": (
        "class K:\n    def __init__(self):\n        self.w, self.n = np.arange(4.0), 4\n"
        "    def __getitem__(self, i):\n        if i >= self.n:\n            raise IndexError\n"
        "        return self.w[i]\nk = K()\nitem = lambda self, i: [1.0, 2.0][i]\n"
        "its = lambda self: iter([self.n, 3])\n"
        "def f(x):\n    t = 0.0\n    for w in k:\n        t += w * np.sum(x * x)\n"
        "    return t + sum(v * x[0] for v in k) + sum([v * i for i, v in enumerate(k)]) * x[1]\n",
        ("k.n = 3", "k.w = k.w * 2.0", "k.w[1] = 5.0", "k.n = 1", "K.__getitem__ = item", "K.__iter__ = its",
         "del K.__iter__")),
    "an object that gives the items of a list": (
        "class K:\n    def __init__(self, *w):\n        self.w = list(w)\n"
        "    def __getitem__(self, i):\n        return self.w[i]\nk = K(K(1.0, 2.0), K(3.0))\n"
        "def f(x):\n    t = 0.0\n    for r in k:\n        for w in r:\n            t += w * np.sum(x * x)\n"
        "    return t\n", ("k.w[1].w.append(4.0)", "k.w.append(K())", "k.w[0] = [7.0]", "del k.w[:2]")),
    "an item of a class": (
        "class K:\n    n = 2.0\n    def __class_getitem__(cls, i):\n        return i * cls.n\n"
        "class L(K):\n    n = 3.0\ndef of_class(cls, i):\n    return i * 7.0 + cls.n\n"
        "def square(i):\n    return i * i\n"
        "def f(x):\n    return np.sum(K[x] * L[2.0])\n",
        ("L.n = 5.0", "K.__class_getitem__ = classmethod(of_class)", "K.__class_getitem__ = staticmethod(square)",
         "K.__class_getitem__ = square", "K.__class_getitem__ = classmethod(of_class)",
         "L.__class_getitem__ = staticmethod(square)", "del L.__class_getitem__")),
}


@pytest.mark.parametrize("what", CHANGES)
def test_changes_between_calls_are_seen(tmp_path: Any, what: str) -> None:
    text, changes = CHANGES[what]
    module = module_with(tmp_path, text)
    follows(module.f, X, *(lambda each=each: exec(each, vars(module)) for each in changes))  # type: ignore[misc]


ABSENT = {
    "a name of a builtin": ("def f(x):\n    return abs(x[0]) * np.sum(x)\n", ("abs = np.square", "del abs")),
    "a name that nothing binds": (
        "def f(x):\n    return np.sum(later(x)) if x[0] > 0.0 else 0.0\n", ("later = np.square", "del later")),
    "a name in a helper of another module": (
        "M = types.ModuleType('M')\nM.g = lambda x: x\ndef h(x):\n    return max(x[0], 0.1) * x\n"
        "def f(x):\n    return np.sum(h(x)) * M.g(2.0)\n", ("max = min", "M.g = lambda x: x * x")),
    "an attribute of a module": (
        "M = types.ModuleType('M')\ndef f(x):\n    return np.sum(x) * getattr(M, 'w', 3.0)\n",
        ("M.w = 2.0", "del M.w")),
    "an attribute of a namespace": (
        "C = types.SimpleNamespace(a=1.0)\ndef f(x):\n    return np.sum(x) * (C.w if hasattr(C, 'w') else C.a)\n",
        ("C.w = 2.0", "C.w = np.ones(3)[0]", "del C.w")),
    "an attribute of a function": (
        "def hook(x):\n    return x\ndef f(x):\n    return np.sum(x) * getattr(hook, 'w', 3.0)\n",
        ("hook.w = 2.0", "del hook.w")),
    "an attribute of a class": (
        "class K:\n    pass\nO = K()\ndef f(x):\n"
        "    return np.sum(x) * getattr(K, 'w', 3.0) * getattr(type(O), 'v', 2.0) * getattr(O, 'u', 5.0)\n",
        ("K.w = 2.0", "K.v = 4.0", "K.v = 5.0", "K.u = 7.0", "O.u = 8.0", "del K.w, O.u")),
    "an attribute that nothing has": (
        "class K:\n    pass\nO = K()\ndef f(x):\n    return np.sum(x) * O.w\n", ("O.w = 2.0", "del O.w", "K.w = 3.0")),
    "a slot": (
        "class S:\n    __slots__ = ('w', 'v')\nO = S()\ndef f(x):\n    return np.sum(x) * getattr(O, 'w', 3.0)\n", (
            "O.v = 2.0", "O.w = 2.0", "O.w = 4.0", "del O.w")),
    "an attribute that a property hides": (
        "class K:\n    def __init__(self):\n        self.w = 2.0\nO = K()\ndef f(x):\n    return np.sum(x) * O.w\n",
        ("K.w = property(lambda self: 5.0)", "del K.w", "K.w = 7.0")),
    "a method of a base class": (
        "class A:\n    def go(self, x):\n        return x\nclass B(A):\n    pass\nclass C(B):\n    pass\nO = C()\n"
        "def f(x):\n    return np.sum(O.go(x))\n",
        ("B.go = lambda self, x: x * x", "C.go = lambda self, x: x * x * x", "O.go = np.sin", "del O.go, C.go, B.go",
         "A.go = lambda self, x: 2.0 * x", "C.go = staticmethod(lambda x: 7.0 * x)",
         "C.go = classmethod(lambda cls, x: 8.0 * x)")),
    "a base class": (
        "class A:\n    def go(self, x):\n        return x\nclass A2:\n    def go(self, x):\n        return x * x\n"
        "class B(A):\n    pass\nO = B()\ndef f(x):\n    return np.sum(O.go(x)) * isinstance(O, A2)\n",
        ("B.__bases__ = (A2,)", "B.__bases__ = (A, A2)")),
    "what super finds": (
        "class A:\n    def go(self, x):\n        return x\nclass B(A):\n    pass\nclass C(B):\n"
        "    def go(self, x):\n        return super().go(x) * 2.0\nO = C()\ndef f(x):\n    return np.sum(O.go(x))\n",
        ("B.go = lambda self, x: x * x", "del B.go", "A.go = lambda self, x: x * x * x")),
    "the truth of an object": (
        "class E:\n    pass\nO = E()\ndef f(x):\n    return np.sum(x) if O else np.sum(x * x)\n",
        ("E.__len__ = lambda self: 0", "E.__bool__ = lambda self: True", "del E.__bool__", "del E.__len__")),
    "a call of an object": (
        "class E:\n    pass\nO = E()\ndef f(x):\n    return np.sum(O(x)) if callable(O) else np.sum(x)\n",
        ("E.__call__ = lambda self, x: x * x", "del E.__call__")),
    "the equality of objects": (
        "class E:\n    pass\nA, B = E(), E()\ndef f(x):\n    return np.sum(x) if A == B or B != B else np.sum(x * x)\n",
        ("E.__eq__ = lambda self, other: True", "E.__ne__ = lambda self, other: True", "del E.__eq__", "del E.__ne__")),
    "operators": (
        "class E:\n    def __radd__(self, other):\n        return other\nclass D(E):\n    pass\nA, B = E(), D()\n"
        "def f(x):\n    return np.sum(x) * (2.0 + A) * (A + B).k if hasattr(E, '__add__') else np.sum(x) * (2.0 + B)\n",
        ("D.__radd__ = lambda self, other: 7.0", "E.k = 3.0", "del D.__radd__")),
    "a registered class": (
        "import abc\nclass A(abc.ABC):\n    pass\nclass B:\n    pass\nO = B()\ndef f(x):\n"
        "    return np.sum(x) if isinstance(O, A) or issubclass(float, (int, A)) else np.sum(x * x)\n",
        ("A.register(float)", "A.register(B)")),
    "what makes an object": (
        "import dataclasses\n@dataclasses.dataclass\nclass D:\n    a: float = 1.0\ndef f(x):\n    d = D(x[0])\n"
        "    return d.a * D().a\ndef init(self, a=5.0):\n    self.a = 2.0 * a\n",
        ("D.__init__ = init", "D.a = property(lambda self: self.b, lambda self, v: setattr(self, 'b', v * 7.0))")),
    "hooks of attributes": (
        "class K:\n    w = 2.0\nO = K()\ndef f(x):\n    return np.sum(x) * O.w * (O.v if hasattr(O, 'v') else 1.0)\n",
        ("K.__getattr__ = lambda self, name: 5.0", "K.v = 3.0")),
}


@pytest.mark.parametrize("what", ABSENT)
def test_what_appears_between_calls_is_seen(tmp_path: Any, what: str) -> None:
    text, changes = ABSENT[what]
    module = module_with(tmp_path, text)
    derivative = value_and_grad(module.f)
    for k, change in enumerate(("pass", *changes, "pass")):
        path = tmp_path / f"change_{next(_serial)}_{k}.py"
        path.write_text(change)
        exec(compile(change, str(path), "exec"), vars(module))
        plain, derived = outcome(module.f, (X,)), outcome(derivative, (X,))
        assert repr(derived.error) == repr(plain.error), change
        if plain.error is None:
            assert same_value(derived.value[0], plain.value), (change, derived.value, plain.value)
            np.testing.assert_allclose(derived.value[1], check(module.f, X), rtol=1e-5, atol=1e-6)


# -- functions of libraries that are replaced ------------------------------------------------------------


def of_math(x: Any) -> Any:
    return math.sin(x) * 2.0


def of_numpy(x: Any) -> Any:
    return np.tanh(x) + np.sum([x, x])


def square(x: Any) -> Any:
    return x * x


@functools.wraps(math.sin)
def doubled(x: Any) -> Any:
    return 2.0 * x


@pytest.mark.parametrize("other", (square, doubled, lambda x: x * x * x))
@pytest.mark.parametrize(("f", "module", "name"), ((of_math, math, "sin"), (of_numpy, np, "tanh")))
def test_a_function_of_a_library_that_is_replaced(monkeypatch: pytest.MonkeyPatch, f: Function, module: Any, name: str,
                                                  other: Function) -> None:
    for change in (False, True, False, True):
        with monkeypatch.context() as patch:
            if change:
                patch.setattr(module, name, other)
            agrees(f, 1.3)


@pytest.mark.parametrize(("f", "module", "name"), ((of_math, math, "cos"), (of_numpy, np, "tanh")))
def test_what_the_derivative_calls_may_be_replaced(monkeypatch: pytest.MonkeyPatch, f: Function, module: Any,
                                                   name: str) -> None:
    derivative = grad(f)
    wanted = derivative(0.4)
    with monkeypatch.context() as patch:
        patch.setattr(module, name, square)
        if f is of_math:
            refuses(f, 0.4, code="SCT206")
            with pytest.raises(SctError, match="SCT206"):
                derivative(0.4)
        else:
            assert derivative(0.4) != wanted
    assert derivative(0.4) == wanted


REPLACED_BEFORE = """
import functools, math
import numpy as np

genuine = np.sum, np.tanh

def square(v):
    return v * v

class Cubed:
    def __call__(self, v):
        return v * v * v

@functools.wraps(genuine[0])
def first(v):
    return 3.0 * v[0]

def half(v):
    return 0.5 * v

half.__name__ = half.__qualname__ = "cosh"
half.__module__ = "numpy"
math.sin, np.sum, np.exp, np.cosh, np.linalg.inv = square, first, Cubed(), half, lambda a: a * a
np.maximum = np.minimum
np.matmul = lambda a, b: 3.0 * a

import sct
from numpy import sum as total

def close(f, x, wanted):
    value, gradient = sct.value_and_grad(f)(x)
    assert value == f(x) and np.all(np.asarray(gradient) == wanted), (value, gradient)

close(lambda x: math.sin(x), 2.0, 4.0)
close(lambda x: np.sum(x), np.ones(2), [3.0, 0.0])
close(lambda x: total(x), np.ones(2), [3.0, 0.0])
close(lambda x: np.exp(x), 2.0, 12.0)
close(lambda x: np.maximum(x, 5.0) * x, 2.0, 4.0)
close(lambda x: np.linalg.inv(x), 3.0, 6.0)
close(lambda x: np.matmul(x, x), 3.0, 3.0)
try:
    close(lambda x: np.cosh(x), 2.0, 0.5)
except sct.SctError as refusal:
    assert refusal.code == "SCT206"
np.sum = genuine[0]
close(lambda x: np.sum(x * x), np.ones(2), [2.0, 2.0])
"""


def test_a_function_of_a_library_that_is_replaced_before_sct_is_imported(tmp_path: Any) -> None:
    script = tmp_path / "script.py"
    script.write_text(REPLACED_BEFORE)
    done = subprocess.run([sys.executable, str(script)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


# -- functions that share code --------------------------------------------------------------------------


def closure(k: Any) -> Function:
    def f(x: Any) -> Any:
        t = x
        for _ in range(2):
            t = t * k
        return np.sum(t)
    return f


class Line:
    def __init__(self, k: Any) -> None:
        self.k = k

    def __call__(self, x: Any) -> Any:
        return np.sum(self.k * x)

    def method(self, x: Any) -> Any:
        return np.sum(self.k * x * x)


class Curve(Line):
    def __call__(self, x: Any) -> Any:
        return np.sum(self.k * x * x)


def bound_to(x: Any, k: Any, *, power: int = 2) -> Any:
    return np.sum(k * x ** power)


SHARED: dict[str, Callable[[Any], Function]] = {
    "closures": closure,
    "partials of closures": lambda k: functools.partial(lambda y, x: np.sum(k * y * x), 2.0),
    "partials of closures by keyword": lambda k: functools.partial(lambda x, y: np.sum(k * y * x), y=2.0),
    "partials": lambda k: functools.partial(bound_to, k=k),
    "partials by position": lambda k: functools.partial(lambda k, x: np.sum(k * x), k),
    "partials of partials": lambda k: functools.partial(functools.partial(bound_to, power=3), k=k),
    "partials of methods": lambda k: functools.partial(Line(k).method),
    "partials of objects": lambda k: functools.partial(Line(k)),
    "defaults": lambda k: lambda x, k=k: np.sum(k * x),
    "defaults by keyword": lambda k: lambda x, *, k=k: np.sum(k * x),
    "defaults that are tuples": lambda k: lambda x, p=(k, 2.0): np.sum(p[0] * x * p[1]),
    "defaults that are dicts": lambda k: lambda x, p={"k": k}: np.sum(p["k"] * x),
    "defaults that are lists": lambda k: lambda x, p=[k, k]: np.sum(p[0] * x * p[1]),
    "defaults that are objects": lambda k: lambda x, p=Line(k): p(x) * np.sum(p.k),
    "methods": lambda k: Line(k).method,
    "objects": Line,
    "objects of two classes": lambda k: Line(k) if np.sum(k) > 2.5 else Curve(k),
    "functions of functions": lambda k: functools.wraps(closure(k))(lambda x, g=closure(k): g(x)),
}


@pytest.mark.parametrize("how", SHARED)
def test_functions_of_one_code_are_told_apart(how: str) -> None:
    for k in (2.0, 3.0, 5, np.ones(3), np.arange(3.0), np.float32(2.0), 2.0):
        f = SHARED[how](k)
        agrees(f, X)


def test_functions_of_one_code_share_a_derivative_that_follows() -> None:
    made = [closure(k) for k in (2.0, 3.0)]
    derivatives = [value_and_grad(f) for f in made]
    for _ in range(2):
        for f, derivative in zip(made, derivatives):
            assert derivative(X)[0] == f(X)
    assert derivatives[0].source is derivatives[1].source


# -- compiled once, and nothing is kept ------------------------------------------------------------------


@pytest.fixture
def compiled(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What has been compiled."""
    names: list[str] = []
    original = derivative_module.specialize

    def counted(transform: Any, *args: Any, **kwargs: Any) -> Any:
        names.append(transform.kind)
        return original(transform, *args, **kwargs)

    monkeypatch.setattr(derivative_module, "specialize", counted)
    return names


def loss(w: Any, x: Any) -> Any:
    return np.sum(np.tanh(x @ w) ** 2)


BATCHES: dict[str, Callable[[Any], Function]] = {
    "a partial": lambda x: functools.partial(loss, x=x),
    "a partial by position": lambda x: functools.partial(lambda x, w: loss(w, x), x),
    "a closure": lambda x: lambda w: loss(w, x),
    "a default": lambda x: lambda w, x=x: loss(w, x),
    "a default by keyword": lambda x: lambda w, *, x=x: loss(w, x),
    "a list that is a default": lambda x: lambda w, x=[x, x]: loss(w, x[0]) + loss(w, x[1]),
    "a dict that is a default": lambda x: lambda w, x={"x": x}: loss(w, x["x"]),
    "an object that is a default": lambda x: lambda w, x=Line(x): loss(w, x.k),
    "an object": lambda x: Loss(x),
    "a method": lambda x: Loss(x).value,
    "a partial of a method": lambda x: functools.partial(Loss(x).value),
    "a closure over an object": lambda x: (lambda o: lambda w: o.value(w))(Loss(x)),
    "a partial of a closure": lambda x: functools.partial(lambda w, k: loss(w, x) * k, k=2.0),
}


class Loss:
    def __init__(self, x: Any) -> None:
        self.x = x

    def __call__(self, w: Any) -> Any:
        return loss(w, self.x)

    def value(self, w: Any) -> Any:
        return loss(w, self.x)


@pytest.mark.parametrize("how", BATCHES)
def test_batches_share_what_is_compiled_and_are_not_kept(compiled: list[str], how: str) -> None:
    w = np.ones((4, 3))
    alive = []
    gc.freeze()  # what other tests hold is not looked through
    for k in range(4):
        x = np.random.default_rng(k).normal(size=(5, 4))
        f = BATCHES[how](x)
        value, gradient = value_and_grad(f)(w)
        assert value == f(w)
        h = np.zeros((4, 3))
        h[1, 2] = 1e-6
        np.testing.assert_allclose(gradient[1, 2], (f(w + h) - f(w - h)) / 2e-6, rtol=1e-5)
        alive.append(weakref.ref(x))
        del x, f
    gc.collect()
    gc.unfreeze()
    assert len(compiled) == 1
    assert not any(ref() is not None for ref in alive)


SCALE = 2.0
COUNT = 6
LOGGER = logging.getLogger("outside")


def asks_then_reads(x: Any, n: Any) -> Any:
    rows = [0.0] * n
    for k in range(n):
        rows[k] = x * k
    return SCALE * sum(rows)


def asks_what_is_outside(x: Any, n: Any) -> Any:
    total = 0.0
    for r in list(range(0, COUNT - 1, 2)):
        total = total + x * r
    return total * SCALE * n


def logs(x: Any, n: Any) -> Any:
    LOGGER.debug("step %d", n)
    return x * SCALE


def sizes_then_reads(x: Any, n: Any) -> Any:
    h = np.cross(np.ones(3) * x, np.arange(3.0))
    return np.sum(h * SCALE * n)


@pytest.mark.parametrize("f", (asks_then_reads, asks_what_is_outside, logs, sizes_then_reads), ids=lambda f: f.__name__)
def test_compiled_once(compiled: list[str], f: Function) -> None:
    derivative = value_and_grad(f)
    for _ in range(4):
        assert derivative(1.5, 3)[0] == f(1.5, 3)
    assert len(compiled) == 1


def test_methods_of_one_object_are_one_argument(compiled: list[str]) -> None:
    o = Line(2.0)
    derivative = grad(lambda x, m: m(x))
    assert derivative(X, o.method) is not None and derivative(X, o.method) is not None
    assert len(compiled) == 1
    np.testing.assert_array_equal(derivative(X, Line(3.0).method), 6.0 * X)


@pytest.mark.parametrize("error", (ZeroDivisionError, IndexError, ValueError))
def test_a_guard_without_an_answer_is_a_miss(error: type[Exception]) -> None:
    assert guarded(error)((1.0,), {}) is MISS


def test_a_guard_that_fails_is_a_fault() -> None:
    with pytest.raises(TypeError, match="a fault"):
        guarded(TypeError)((1.0,), {})


def guarded(error: type[Exception]) -> Any:
    def holds(leaves: Any) -> bool:
        raise error("a fault")
    f = lambda x: x * x
    traced = replace(trace(Transform("grad", f, 0), (1.0,)), guards=(Guard("it holds", holds),))
    return compile_checks(traced, lambda x: x)(f)


def test_asked_floats_are_told_apart_by_sign() -> None:
    assert same_answer(-0.0, -0.0) and same_answer(float("nan"), float("nan")) and same_answer(np.float64(2.0), 2.0)
    assert not same_answer(-0.0, 0.0) and not same_answer(2.0, 3.0) and same_answer(True, True)


# -- defaults that are written -------------------------------------------------------------------------


def keeps_in_a_list(x: Any, acc: Any = []) -> Any:
    acc.append(x)
    return sum(acc)


def keeps_in_a_dict(x: Any, memo: Any = {}) -> Any:
    memo["x"] = x
    return memo["x"] * 2.0


def keeps_in_an_array(x: Any, acc: Any = np.zeros(2)) -> Any:
    acc[0] = x
    return np.sum(acc)


def keeps_in_an_object(x: Any, o: Any = Line(2.0)) -> Any:
    o.k = x
    return o.k * 2.0


def keeps_by_keyword(x: Any, *, acc: Any = []) -> Any:
    for _ in range(3):
        acc.append(x)
    return sum(acc)


def keeps_in_a_helper(x: Any) -> Any:
    return keeps_in_a_list(x)


@pytest.mark.parametrize("f", (keeps_in_a_list, keeps_in_a_dict, keeps_in_an_array, keeps_in_an_object,
                               keeps_by_keyword, keeps_in_a_helper), ids=lambda f: f.__name__)
def test_writes_into_a_default_are_refused(f: Function) -> None:
    error = refuses(f, 2.0, code="SCT302")
    assert f is keeps_in_an_object or "the next call would see" in error.why


def test_a_default_that_is_passed_is_written() -> None:
    agrees(keeps_in_a_list, 2.0, [1.0])
    agrees(keeps_in_an_array, 2.0, np.ones(2))
    derivative = value_and_grad(keeps_in_a_list)
    assert derivative(2.0, acc=[1.0, 3.0])[0] == 6.0
    assert keeps_in_a_list.__defaults__ == ([],)


def by_position(w: Any, lr: float = 0.5, x: Any = W, k: float = 2.0) -> Any:
    return np.sum(w * x) * lr * k


@pytest.mark.parametrize(("args", "kwargs"), (
    ((), {}), ((0.1,), {}), ((0.1, np.ones(3)), {}), ((0.1, np.ones(3), 3.0), {}), ((), {"x": np.ones(3)}),
    ((), {"k": 3.0}), ((0.1,), {"x": np.ones(3)}), ((), {"x": np.ones(3), "lr": 2.0}), ((), {"k": 1.0, "x": 2.0}),
))
def test_defaults_are_passed_or_not(args: Any, kwargs: Any) -> None:
    others = [functools.partial(by_position, k=4.0)] if len(args) < 3 else []
    for f in (by_position, lambda w, lr=0.5, x=W, k=2.0: by_position(w, lr, x, k), *others):
        for _ in range(2):
            value, gradient = value_and_grad(f)(X, *args, **kwargs)
            assert value == f(X, *args, **kwargs)
            assert value == pytest.approx(np.sum(gradient * X))


def test_differentiated_by_a_default() -> None:
    f = lambda w, x=W, k=2.0: np.sum(w * x * k)
    for _ in range(2):
        np.testing.assert_array_equal(grad(f, 1)(X), 2.0 * X)
        assert grad(f, "k")(X) == np.sum(X * W)
    g = lambda w, x=W[::-1].copy(), k=3.0: np.sum(w * x * k)
    assert grad(g, 2)(X) == np.sum(X * W[::-1])


# -- what shares memory ---------------------------------------------------------------------------------

SHARING = np.array([1.0, 2.0])
HOLDS = [SHARING, *(SHARING * k for k in range(2, 7))]
COLUMNS = np.arange(6.0).reshape(3, 2)


def writes_first(y: Any, other: Any) -> Any:
    y[0] = y[1] * 3.0
    return np.sum(y * y) + sum([np.sum(x) for x in other])


def writes_what_is_in_a_list(y: Any) -> Any:
    y[0] = y[1] * 3.0
    return sum([x[0] * x[1] for x in HOLDS]) + np.sum(y * y)


def writes_what_is_outside_too(y: Any) -> Any:
    y[0] = y[1] * 3.0
    return np.sum(SHARING * y)


def writes_its_own(y: Any, a: Any, b: Any) -> Any:
    t = np.zeros(2)
    for i in range(2):
        t[i] = y[i] * a[0] + b[1]
    return np.sum(t * a)


@pytest.mark.parametrize("others", (
    lambda y: [y, *(np.ones(2) * k for k in range(4))], lambda y: [y[::-1], *(np.ones(2) * k for k in range(4))],
    lambda y: [[y, np.ones(2)], *([np.ones(2), np.ones(2)] for k in range(4))], lambda y: (y[1:], y), lambda y: y[1:],
    lambda y: {"a": y[:1]}.values() and [y[:1]],
))
def test_an_argument_that_shares_memory_with_another_is_not_written(others: Function) -> None:
    y = np.array([1.0, 2.0])
    given = others(y)
    derivative = value_and_grad(writes_first)
    assert derivative(y, np.ones(2))[0] == writes_first(y.copy(), np.ones(2))
    for call in (derivative, value_and_grad(writes_first)):
        with pytest.raises(SctError) as caught:
            call(y, given)
        assert caught.value.code == "SCT305" and "-->" in str(caught.value)


@pytest.mark.parametrize("f", (writes_what_is_in_a_list, writes_what_is_outside_too), ids=lambda f: f.__name__)
def test_what_is_outside_and_passed_is_not_written(f: Function) -> None:
    agrees(f, SHARING.copy())
    derivative = value_and_grad(f)
    derivative(SHARING.copy())
    for call in (derivative, value_and_grad(f)):
        with pytest.raises(SctError, match="SCT305"):
            call(SHARING)
    agrees(f, SHARING.copy())


def writes_a_row(rows: Any, x: float) -> Any:
    rows[0][0] = x * x
    return rows[1][0] * x


def grows_a_row(rows: Any, x: float) -> Any:
    rows[0].append(x)
    return len(rows[1]) * x


def writes_rows_in_a_loop(rows: Any, x: float) -> Any:
    for row in rows:
        row[0] = row[0] * x
    return rows[0][0] * x


def writes_a_row_that_is_passed(both: Any, x: float) -> Any:
    rows, row = both
    row[0] = x * x
    return rows[0][0] * x


def scale(row: Any, x: float, n: int) -> Any:
    for _ in range(n):
        row[0] = row[0] * x


def writes_through_a_helper(rows: Any, x: float) -> Any:
    scale(rows[0], x, 3)
    return rows[1][0] * x


def writes_an_item_of_a_pair(rows: Any, x: float) -> Any:
    rows[0][1][0] = x * x
    return rows[1][1][0] * x


def writes_a_row_of_a_slice(rows: Any, x: float) -> Any:
    part = rows[1:]
    part[0][0] = x * x
    return part[1][0] * x


def reads_a_row_that_a_slice_writes(rows: Any, x: float) -> Any:
    row = rows[0]
    part = rows[:]
    part[0][0] = x * x
    return row[0] * x


@pytest.mark.parametrize("f, fresh, alike", [
    *((f, lambda n=n: [[1.0, 2.0] for _ in range(n)], lambda n=n: [[1.0, 2.0]] * n) for n in (3, 6)
      for f in (writes_a_row, grows_a_row, writes_rows_in_a_loop, writes_through_a_helper, writes_a_row_of_a_slice,
                reads_a_row_that_a_slice_writes)),
    (writes_a_row_that_is_passed, lambda: ([[1.0] * 7 for _ in range(6)], [1.0] * 7),
     lambda: (lambda rows: (rows, rows[0]))([[1.0] * 7 for _ in range(6)])),
    (writes_a_row_that_is_passed, lambda: ([[1.0] for _ in range(6)], [1.0]),
     lambda: (lambda rows: (rows, rows[0]))([[1.0] for _ in range(6)])),
    (writes_an_item_of_a_pair, lambda: [(1.0, [1.0]) for _ in range(6)], lambda: [(1.0, [1.0])] * 6),
])
def test_a_row_that_is_there_twice_is_one(f: Function, fresh: Function, alike: Function) -> None:
    """A write to one of the rows is a write to the other: it is counted so, or refused."""
    derivative = value_and_grad(f, argnums=1)
    try:
        assert derivative(fresh(), 2.0)[0] == f(fresh(), 2.0)
    except SctError as refusal:
        assert refusal.code == "SCT307"
    for call in (derivative, value_and_grad(f, argnums=1)):
        try:
            assert call(alike(), 2.0)[0] == f(alike(), 2.0)
        except SctError as refusal:
            assert refusal.code in ("SCT305", "SCT307")
            assert "-->" in str(refusal)


def test_columns_share_no_memory() -> None:
    def f(x: Any, y: Any) -> Any:
        x[0] = 0.0
        return np.sum(x * y)
    derivative = grad(f)
    for columns in (COLUMNS, COLUMNS.copy(), COLUMNS.T.copy().T):
        np.testing.assert_array_equal(derivative(columns[:, 0], columns[:, 1]), [0.0, 3.0, 5.0])
    with pytest.raises(SctError, match="SCT305"):
        derivative(COLUMNS[:, 0], COLUMNS[::-1, 0])


def test_what_is_not_written_may_share_memory() -> None:
    for a, b in ((SHARING, SHARING), (SHARING, SHARING[::-1]), (COLUMNS[0], COLUMNS[0, ::-1])):
        agrees(lambda y, a=a, b=b: writes_its_own(y, a, b), np.array([1.0, 2.0]))
    value_and_grad(writes_its_own)(SHARING, SHARING, SHARING[::-1])


# -- modules that are written ----------------------------------------------------------------------------


def over_an_array(w: Any) -> Function:
    def f(x: np.ndarray, n: int) -> Any:
        s = 0.0
        for i in range(n):
            s += x[i] * s + x[i] ** 2
        return s + np.sum(w * x)
    return f


@pytest.mark.parametrize("mode", ("grad", "value_and_grad", "hessian", "jacobian", "jvp", "vjp"))
def test_what_facts_are_about_is_a_parameter(mode: str) -> None:
    assert ", *, w):" in emit(over_an_array(W), mode)


def test_a_saved_derivative_reads_what_is_outside(tmp_path: Any) -> None:
    text = ("K = np.array([0.2, 0.5, 0.3])\ndef f(x):\n    for _ in range(2):\n        x = x * K[0] * K[1]\n"
            "    return np.sum(x)\n")
    module = module_with(tmp_path, text)
    for make in (grad, hessian):
        derivative = make(module.f)
        wanted = derivative(X)
        derivative.save(tmp_path / "saved.py")
        saved = module_with(tmp_path, (tmp_path / "saved.py").read_text())
        np.testing.assert_array_equal(getattr(saved, f"f_{make.__name__}")(X), wanted)


class Scaled:
    """Its methods read what is outside, and the function that is differentiated does not."""

    def __init__(self, k: Any) -> None:
        self.k = k

    def value(self, x: Any) -> Any:
        return self.scaled(x) * self.k

    def scaled(self, x: Any) -> Any:
        for w in NUMBERS:
            x = x * w + W[0]
        return np.sum(x)


def test_a_method_of_a_method_reads_what_is_outside() -> None:
    agrees(Scaled(2.0).value, X)
    agrees(lambda x: Scaled(3.0).value(x), X)


# -- modules that are loaded again -----------------------------------------------------------------------


def loaded(path: Any, name: str, text: str) -> Any:
    path.write_text("import numpy as np\nfrom sct import grad\n" + text)
    importlib.invalidate_caches()
    return importlib.reload(sys.modules[name]) if name in sys.modules else importlib.import_module(name)


@pytest.fixture
def fresh(tmp_path: Any, monkeypatch: pytest.MonkeyPatch) -> tuple[Any, str]:
    """The path and the name of a module that is not there yet."""
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    monkeypatch.syspath_prepend(str(tmp_path))
    name = f"loaded_{next(_serial)}"
    return tmp_path / f"{name}.py", name


def test_a_decorated_function_is_loaded_again(fresh: tuple[Any, str]) -> None:
    for text, wanted in (("x**2", 4.0), ("x**3", 12.0), ("x*2.0 + 1.0", 2.0), ("x**2", 4.0)):
        module = loaded(*fresh, f"@grad\ndef d(x):\n    return {text}\n")
        assert module.d(2.0) == wanted


def test_a_helper_is_loaded_again(fresh: tuple[Any, str]) -> None:
    module = loaded(*fresh, "K = 2.0\ndef h(x):\n    return x * K\n")

    def f(x: Any) -> Any:
        for _ in range(2):
            x = module.h(x)
        return x
    derivative = value_and_grad(f)
    assert derivative(3.0) == (12.0, 4.0)
    for text, wanted in (("x + K", (7.0, 1.0)), ("x * x", (81.0, 108.0)), ("x * K", (12.0, 4.0))):
        loaded(*fresh, f"K = 2.0\n\ndef h(x):\n    return {text}\n")
        assert derivative(3.0) == wanted
    loaded(*fresh, "K = 3.0\n\ndef h(x):\n    return x * K\n")
    assert derivative(3.0) == (27.0, 9.0)


def test_code_is_replaced_in_place(fresh: tuple[Any, str]) -> None:
    """As `%autoreload` does it: functions keep their identity, and get the new code."""
    module = loaded(*fresh, "def h(x):\n    return x * 2.0\ndef f(x):\n    return h(x)\n")
    f, h, derivative = module.f, module.h, value_and_grad(module.f)
    assert derivative(3.0) == (6.0, 2.0)
    module = loaded(*fresh, "def h(x):\n    return x * 5.0\ndef f(x):\n    return h(x) + h(x)\n")
    h.__code__, f.__code__ = module.h.__code__, module.f.__code__
    assert derivative(3.0) == (30.0, 10.0)
    module.h = h
    assert derivative(3.0) == (30.0, 10.0)


def test_what_was_edited_and_not_loaded_again_is_refused(fresh: tuple[Any, str]) -> None:
    module = loaded(*fresh, "def f(x):\n    return x * 2.0\n")
    fresh[0].write_text("import numpy as np\n\n\n\ndef f(x):\n    return x * 5.0\n")
    with pytest.raises(SctError, match=r"SCT20[12]"):
        grad(module.f)(2.0)


def seeded(x: float) -> Any:
    np.random.seed(3)
    return np.mean((x + np.random.randn(5)) ** 2) * np.random.uniform(1.0, 2.0)


def seeded_in_a_loop(x: float) -> Any:
    total = 0.0
    for k in range(3):
        np.random.seed(k)
        total += x * np.random.rand() + np.sum(np.random.normal(0.0, 2.0, size=(2, 3)) * x)
    return total


def seeded_elsewhere(x: float) -> Any:
    def noise(n: int) -> Any:
        np.random.seed(1)
        return np.random.standard_normal(n) + np.random.rand(n)
    return np.sum(np.sin(x + noise(4)))


@pytest.mark.parametrize("f", [seeded, seeded_in_a_loop, seeded_elsewhere])
def test_draws_of_numpy_itself_happen_as_they_would(f: Any) -> None:
    agrees(f, 0.7)
    agrees(f, 0.7)


def test_a_generator_that_the_function_makes() -> None:
    for f in (lambda x: x * np.random.default_rng(3).normal(), lambda x: x * np.random.RandomState(3).normal()):
        agrees(f, 0.7)


# -- attributes of arguments that come and go ------------------------------------------------------------


class Slotted:
    __slots__ = ("w",)


class SlottedAndMore(Slotted):
    pass


class Kept(dict):  # type: ignore[type-arg]
    pass


class Held:
    pass


class Failure(Exception):
    pass


class Meta(type):
    pass


class OfMeta(metaclass=Meta):
    pass


def a_function(x: Any) -> Any:
    return x


HOLDERS: tuple[Function, ...] = (
    argparse.Namespace, types.SimpleNamespace, Slotted, SlottedAndMore, Kept, Failure, OfMeta, threading.local,
    lambda: type("Made", (), {}), lambda: types.FunctionType(a_function.__code__, {}),
    lambda: functools.partial(a_function), lambda: types.ModuleType("made"), Held)


def with_a_default(o: Any, x: Any) -> Any:
    return getattr(o, "w", 3.0) * x


def if_it_has_one(o: Any, x: Any) -> Any:
    return o.w * x if hasattr(o, "w") else x * x


def of_its_dict(o: Any, x: Any) -> Any:
    return vars(o).get("w", 3.0) * x


def of_its_dict_as_an_attribute(o: Any, x: Any) -> Any:
    return x * x if "w" in o.__dict__ else x


@pytest.mark.parametrize("f", (with_a_default, if_it_has_one, of_its_dict, of_its_dict_as_an_attribute),
                         ids=lambda f: f.__name__)
@pytest.mark.parametrize("holder", range(len(HOLDERS)))
@pytest.mark.parametrize("values", ((None, 5.0), (5.0, None), (5.0, 6.0)), ids=str)
@pytest.mark.parametrize("same", (False, True))
def test_an_attribute_of_an_argument_is_looked_up_at_every_call(f: Function, holder: int, values: Any,
                                                                same: bool) -> None:
    derivative = value_and_grad(f, argnums=1)
    o = HOLDERS[holder]()
    for value in values:
        o = o if same else HOLDERS[holder]()
        if value is not None:
            o.w = value
        elif hasattr(o, "w"):
            del o.w
        try:
            wanted: Any = f(o, 2.0)
        except Exception as error:
            wanted = repr(error)
        try:
            assert derivative(o, 2.0)[0] == wanted
        except SctError as refusal:
            assert refusal.code in ("SCT203", "SCT206")
        except (TypeError, AttributeError) as error:
            assert repr(error) == wanted


# -- a deque that is found outside, an empty list of positions, rows of different lengths ------------------


QUEUE = collections.deque([1.0, 2.0], maxlen=4)
RAGGED = [[1.0], [1.0, 2.0], [3.0, 4.0, 5.0], [1.0], [2.0, 2.0]]


def over_a_queue(x: Any) -> Any:
    s = 0.0
    for v in QUEUE:
        s = s * x[0] + v
    return s + len(QUEUE) * x[1] + sum(QUEUE)


def over_ragged_rows(x: Any) -> Any:
    s = 0.0
    for row in RAGGED:
        for v in row:
            s = s * x[0] + v
    for i in range(len(RAGGED)):
        s = s + RAGGED[i][-1] * sum(RAGGED[i]) * x[1]
    return s


@pytest.mark.parametrize("f", (over_a_queue, over_ragged_rows))
def test_what_is_held_outside_is_read_at_every_call(monkeypatch: pytest.MonkeyPatch, f: Function) -> None:
    queue, rows = QUEUE.copy(), [list(row) for row in RAGGED]
    monkeypatch.setitem(globals(), "QUEUE", queue)
    monkeypatch.setitem(globals(), "RAGGED", rows)
    derivative = value_and_grad(f)
    for change in (lambda: None, lambda: queue.append(3.0), queue.popleft, lambda: rows[2].append(0.5),
                   lambda: rows.append([7.0]), lambda: queue.extend([1, 2.5, 3.0])):
        change()
        assert derivative(X)[0] == f(X)
    agrees(f, X)


def no_positions(x: Any) -> Any:
    return x[[]].sum() + np.sum(x[[], ...]) + x[0] * len(x[[]])


def no_rows(x: Any) -> Any:
    m = np.outer(x, x)
    m[[]] = 5.0
    return np.sum(m[:, []]) + np.sum(m)


@pytest.mark.parametrize("f", (no_positions, no_rows))
def test_an_empty_list_selects_nothing(f: Function) -> None:
    agrees(f, X)


w = k = 4.0


def scaled_by_w(v: Any) -> Any:
    return v * w * k


def star_of_that_name(*w: Any) -> Any:
    return scaled_by_w(w[0])


def keywords_of_that_name(x: Any, **w: Any) -> Any:
    return scaled_by_w(x)


def list_of_that_name(w: Any) -> Any:
    return scaled_by_w(w[0] * w[1])


def dict_of_that_name(k: Any) -> Any:
    return scaled_by_w(k["w"] * k["k"])


def times(k: float) -> Callable[[Function], Function]:
    return lambda f: lambda *args: f(*args) * k


def through(f: Function) -> Function:
    return lambda *a, **k: f(*a, **k)


@pytest.mark.parametrize(("f", "x"), (
    (star_of_that_name, 1.5), (keywords_of_that_name, 1.5), (list_of_that_name, [1.5, 2.0]),
    (dict_of_that_name, {"w": 1.5, "k": 3.0}), (through(times(5.0)(lambda x: x * x)), 1.5)))
def test_a_parameter_has_the_name_of_a_variable_outside(f: Function, x: Any) -> None:
    agrees(f, x)


def test_an_emitted_parameter_has_the_name_of_a_variable_outside() -> None:
    text = emit(keywords_of_that_name, types={"x": "float"})
    space: dict[str, Any] = {}
    exec(compile(text, "emitted", "exec"), space)


# -- keys and members that are equal, and of another class or sign -------------------------------------------


@dataclasses.dataclass(frozen=True)
class Unit:
    n: int
    scale: float = dataclasses.field(default=1.0, compare=False)


def text_of_keys(d: Any) -> Any:
    return sum(d.values()), [f"{k!r}" for k in d]


def classes_of_keys(d: Any) -> Any:
    s = 0.0
    for k, v in d.items():
        s = s + v * (2 if isinstance(k, float) else 3 if isinstance(k, bool) else 5)
    return s


def signs_of_keys(d: Any) -> Any:
    return sum(v * math.copysign(2.0, k) for k, v in d.items())


def attributes_of_keys(d: Any) -> Any:
    return sum(v * k.scale for k, v in d.items())


ONES: tuple[Any, ...] = ({1: 2.0}, {1.0: 2.0}, {True: 2.0}, {np.int64(1): 2.0}, {1: 2.0})
ZEROS: tuple[Any, ...] = ({0.0: 2.0}, {-0.0: 2.0}, {0: 2.0}, {-0.0: 3.0})
PAIRS: tuple[Any, ...] = ({(1, 0.0): 2.0}, {(1.0, 0.0): 2.0}, {(1, -0.0): 2.0}, {(True, 0): 2.0})
UNITS: tuple[Any, ...] = ({Unit(1): 2.0}, {Unit(1, 5.0): 2.0}, {Unit(1): 3.0}, {Unit(True): 2.0})  # type: ignore

KEYED = ((text_of_keys, ONES), (text_of_keys, ZEROS), (text_of_keys, PAIRS), (classes_of_keys, ONES),
         (classes_of_keys, ZEROS), (signs_of_keys, ZEROS))


@pytest.mark.parametrize("order", (1, -1))
@pytest.mark.parametrize(("f", "dicts"), KEYED)
def test_keys_of_an_argument_count_by_class_and_sign(f: Any, dicts: Any, order: int) -> None:
    def inside(d: Any) -> Any:
        return f({"inner": d}["inner"])

    def with_a_neighbour(d: Any) -> Any:
        return f(d["inner"])

    for program, given in ((f, dicts), (inside, dicts), (with_a_neighbour, [{"inner": d} for d in dicts])):
        derivative = value_and_grad(program, has_aux=f is text_of_keys)
        for d in given[::order]:
            assert repr(derivative(d)[0]) == repr(program(d))


HELD: Any = {}


class Holder:
    held: Any = None


@pytest.mark.parametrize("order", (1, -1))
@pytest.mark.parametrize(("f", "dicts"), (*KEYED, (attributes_of_keys, UNITS)))
def test_keys_that_are_found_outside_count_by_class_and_sign(monkeypatch: pytest.MonkeyPatch, f: Any, dicts: Any,
                                                             order: int) -> None:
    def of_a_global(x: Any) -> Any:
        made = f(HELD)
        return (x * made[0], made[1]) if isinstance(made, tuple) else x * made

    def of_a_class(x: Any) -> Any:
        made = f(Holder.held)
        return (x * made[0], made[1]) if isinstance(made, tuple) else x * made

    cell: Any = None

    def of_a_closure(x: Any) -> Any:
        made = f(cell)
        return (x * made[0], made[1]) if isinstance(made, tuple) else x * made

    for program in (of_a_global, of_a_class, of_a_closure):
        derivative = value_and_grad(program, has_aux=f is text_of_keys)
        for cell in dicts[::order]:
            monkeypatch.setitem(globals(), "HELD", cell)
            monkeypatch.setattr(Holder, "held", cell)
            assert repr(derivative(1.5)[0]) == repr(program(1.5))


def classes_of_members(x: Any) -> Any:
    return x + x * sum(math.copysign(3.0, v) * (2 if isinstance(v, float) else 5) for v in Holder.held)


@pytest.mark.parametrize("kinds", (
    ({1}, {1.0}, {True}, {1, 2}), ({0.0}, {-0.0}, {0}), ({-0.0}, {0.0}), (frozenset([1]), frozenset([1.0])),
    (collections.deque([1, 2]), collections.deque([1.0, 2]), collections.deque([True, 2])),
    (collections.Counter({1: 1}), collections.Counter({1.0: 1}), collections.Counter({1: True})),
    (collections.OrderedDict({0.0: 1}), collections.OrderedDict({-0.0: 1})),
    ((0.0, 1), (-0.0, 1), (0, 1)), ([1], [1.0], [True])))
def test_members_of_what_is_found_outside_count_by_class_and_sign(monkeypatch: pytest.MonkeyPatch, kinds: Any) -> None:
    derivative = value_and_grad(classes_of_members)
    for held in kinds:
        monkeypatch.setattr(Holder, "held", held)
        assert repr(derivative(1.5)[0]) == repr(classes_of_members(1.5))


class Linked:
    def __init__(self, scale: float) -> None:
        self.scale = scale
        self.next: Any = None


def test_attributes_of_a_key_that_change(monkeypatch: pytest.MonkeyPatch) -> None:
    a, b = Linked(2.0), Linked(3.0)
    a.next, b.next = b, a
    monkeypatch.setitem(globals(), "HELD", {a: 1.5, b: 2.5})

    def weighted(x: Any) -> Any:
        return x * attributes_of_keys(HELD) + x * sum(k.next.scale for k in HELD)

    derivative = value_and_grad(weighted)
    for change in (lambda: None, lambda: setattr(a, "scale", 7.0), lambda: setattr(b, "scale", -0.0)):
        change()
        assert derivative(1.5)[0] == weighted(1.5)


TALLY = collections.Counter("aab")


def test_a_missing_key_of_a_counter_from_outside_is_zero() -> None:
    def f(x: float, key: str) -> float:
        return x * TALLY[key] + x * TALLY["zz"]

    df = value_and_grad(f)
    assert [df(2.0, key)[0] for key in ("a", "b", "q")] == [4.0, 2.0, 0.0]
    TALLY["zz"] = 3
    assert df(2.0, "a") == (10.0, 5.0)
    assert TALLY == {"a": 2, "b": 1, "zz": 3}


COUNTS = collections.defaultdict(float, a=1.5)


def test_a_missing_key_of_a_default_dict_from_outside_is_refused_and_not_written() -> None:
    def f(x: float) -> float:
        return x * COUNTS["a"] + x * COUNTS[KEY]

    global KEY
    KEY = "a"
    df = value_and_grad(f)
    assert df(2.0) == (6.0, 3.0)
    COUNTS["a"] = 2.0
    assert df(2.0) == (8.0, 4.0)
    KEY = "b"
    with pytest.raises(SctError, match="SCT503"):
        df(2.0)
    assert dict(COUNTS) == {"a": 2.0}


@pytest.mark.parametrize("name", ["base", "flags", "strides", "itemsize", "nbytes", "data", "ctypes"])
def test_an_attribute_of_arrays_that_is_no_method_is_refused(tmp_path: Any, name: str) -> None:
    f = module_with(tmp_path, f"def f(x): return x.sum() * (2.0 if x.{name} is None else 3.0)\n").f
    with pytest.raises(SctError, match="SCT203"):
        value_and_grad(f)(np.ones(3))


KEY = "a"


@pytest.mark.parametrize(("text", "change"), [
    ("import dataclasses\n@dataclasses.dataclass\nclass P:\n    a: float\n    b: float = 1.0\n"
     f"def f(x):\n    p = P(x[0], 2.0)\n    return {result}\n", "del P.__dataclass_fields__['b']")
    for result in ("sum(dataclasses.astuple(p))", "dataclasses.replace(p, a=x[1]).a", "len(repr(P(1.0))) * x[0]",
                   "len(dataclasses.asdict(p)) * x[0]", "len(dataclasses.fields(P)) * x[0]", "x[0] * (p == P(x[0]))")
] + [("import collections\nP = collections.namedtuple('P', 'a b')\n"
      "def f(x):\n    p = P(x[0], x[1])\n    return p.a * p.b\n",
      "P._fields = ('a',)")])
def test_other_fields_than_methods_were_generated_for_are_refused(tmp_path: Any, text: str, change: str) -> None:
    module = module_with(tmp_path, text)
    derivative = value_and_grad(module.f)
    agrees(module.f, X, derivative=derivative)
    exec(change, vars(module))
    with pytest.raises(SctError, match="SCT208"):
        derivative(X)
