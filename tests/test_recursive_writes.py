"""Functions that call themselves more than once, write into an array that all calls share, and read it as a whole.

Programs are put together from ways of writing, of reading, of calling, and of sharing the array: each call overwrites
what an earlier one has read, so its residuals must be a copy.
"""

import importlib.util
import itertools
import random
import re

import numpy as np
import pytest
from oracle import agrees, agrees_in_second_order

WRITES = (
    "b[1] += x[1]",
    "b[0] = b[0] * x[0] + x[1]",
    "b += x",
    "b[1:] *= x[1:]",
    "b[n] = x[2] * b[1]",
    "np.multiply(b, x, out=b)",
    "if b[1] < 20.0:\n            b[1] += x[1]",
    "for i in range(3):\n            b[i] += x[i] * x[0]",
    "w = b[1:]\n        w[0] = w[0] * x[0]",
)
READS = (
    "b @ b",
    "np.sum(b ** 2)",
    "np.sum(np.sin(b)) * b[0]",
    "np.dot(b[1:], x[1:] * b[:2])",
    "b[1] * b[1]",
    "sum([v * v for v in b])",
)
CALLS = (
    "return rec(x, b, n - 1) + rec(x, b, n - 1)",
    "r = 0.0\n    for _ in range(2):\n        r += rec(x, b, n - 1)\n    return r",
    "r = rec(x, b, n - 1)\n    b[2] *= x[0]\n    return r * np.sum(b) + rec(x, b, n - 1)",
    "return sum([rec(x, b, n - k) for k in range(1, n + 1)])",
    "r, k = 1.0, 0\n    while k < 2:\n        r = r + rec(x, b, n - 1) * x[1]\n        k += 1\n    return r",
    "w = b[1:]\n    r = rec(x, b, n - 1)\n    return r * np.sum(w) + rec(x, b, n - 1)",
    "return other(x, b, n) + rec(x, b, n - 1)\n\n\ndef other(x, b, n):\n    return rec(x, b, n - 1) * b[1]",
)
RECURSION = """
def rec(x, b, n):
    if n == 0:
        {write}
        return {read}
    {calls}
"""
BY = {
    "an argument": "{recursion}\n\ndef f(x, n):\n    return rec(x, np.ones(3), n) * 1.0\n",
    "an array of the caller": "{recursion}\n\ndef f(x, n):\n    b = x * 2.0\n    return rec(x, b, n) * np.sum(b)\n",
    "a closure": """
def f(x, n):
    b = np.ones(3)
    {nested}
    return rec(x, b, n) + b[1]
""",
    "an attribute": """
class Solver:
    def __init__(self, x):
        self.x, self.b = x, np.ones(3)

    def rec(self, x, b, n):
        if n == 0:
            {method_write}
            return {method_read}
        return self.rec(x, b, n - 1) + self.rec(x, b, n - 1)


def f(x, n):
    return Solver(x).rec(x, None, n) * 1.0
""",
}


def program(write: str, read: str, calls: str, by: str) -> str:
    """The source of a module with the function `f(x, n)`."""
    recursion = RECURSION.format(write=write, read=read, calls=calls)
    nested = recursion.strip().replace("\n", "\n    ")
    method = {"method_write": write.replace("\n", "\n    "), "method_read": read}
    of_self = {at: re.sub(r"\bb\b", "self.b", text) for at, text in method.items()}
    return "import numpy as np\n\n" + BY[by].format(recursion=recursion, nested=nested, **of_self)


PROGRAMS = [program(*parts) for parts in random.Random(1).sample([*itertools.product(WRITES, READS, CALLS, BY)], 50)]


@pytest.mark.parametrize("source", PROGRAMS, ids=range(len(PROGRAMS)))
def test_each_call_keeps_what_it_has_read(source: str, tmp_path) -> None:
    file = tmp_path / "recursive_writes.py"
    file.write_text(source)
    spec = importlib.util.spec_from_file_location("recursive_writes", file)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    x = np.array([0.5, 0.7, -0.3])
    for n in (0, 1, 2):
        agrees(module.f, x, n)
    agrees_in_second_order(module.f, x, 2)
