"""Values read from outside: globals, closures, defaults, attributes, modules; and what changes between calls.

Each place that a value may come from meets each place that may be the first to read it.
"""

from __future__ import annotations

import importlib.util
import re
import sys
import types
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from oracle import agrees, refuses

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
    one_of_two, branch_rebinds_it, copy_is_written, copy_of_a_list_is_written, comprehension_in_a_loop,
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
