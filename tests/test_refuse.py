"""What must be refused, and where: invalid programs with the expected message on the offending line.

A program is a module in CASES; a line with the comment `# SCT3: fragment` is where the error must
point, with a code of that class (SCT1xx syntax, 2xx names and calls, 3xx heap and aliases, 4xx
derivatives, 5xx types and arguments) and a message that contains the fragment (none: any message).
`f` is differentiated by its first argument; `x` and `y` are arrays, `a` and `b` floats, `n` an int.
"""

from __future__ import annotations

import linecache
import re
from typing import Any

import numpy as np
import pytest

from tests.fuzz.check import same_bits
from tests.fuzz.program import clone

INPUTS: dict[str, Any] = {
    "a": 0.7,
    "b": -1.3,
    "n": 3,
    "x": np.array([0.5, -1.2, 2.3]),
    "y": np.array([1.1, 0.3, -0.8]),
}

CASES = {
    # --- SCT1: syntax
    "generator": """
def f(a):
    yield a * a  # SCT1:
""",
    "`yield` inside an expression": """
def parts(a):
    b = (yield a) or 2.0  # SCT1:
    yield a * b

def f(a):
    s = 0.0
    for v in parts(a):
        s += v
    return s
""",
    "`send`": """
def parts(a):
    b = yield a
    yield a * b

def f(a):
    g = parts(a)
    next(g)
    return g.send(2.0)  # SCT2:
""",
    "a generator as a result": """
def parts(a):
    yield a

def f(a):
    return parts(a)  # SCT5:
""",
    "a generator that a loop has left": """
def parts(x):
    for v in x:
        yield v * v

def f(x):
    g = parts(x)
    for v in g:
        if v > 1.0:
            break
    return sum(g)  # SCT5:
""",
    "a generator taken from in a loop": """
def parts(a):
    while True:
        a = a * 0.5
        yield a

def f(a):
    g = parts(a)
    s = 0.0
    while s < 0.5:
        s += next(g)  # SCT5:
    return s
""",
    "a generator that calls itself to no known depth, whose loop ends early": """
def halves(a):
    yield a
    if a > 1e-30:
        yield from halves(a * 0.5)

def f(a):
    s = 0.0
    for v in halves(a):  # SCT2:
        s += v
        if s > 1.5 * a:
            break
    return s
""",
    "async": """
async def f(a):  # SCT1:
    return a * a
""",
    "await": """
async def g(a):
    return a

def f(a):
    async def h():  # SCT1:
        return await g(a)
    return a * a
""",
    "global write": """
total = 0.0

def f(a):
    global total
    total = a * a  # SCT1:
    return total
""",
    "try": """
def power(a, n):
    return 1.0 / a if n == 0 else a * power(a, n - 1)

def f(a, n=3):
    try:
        s = power(a, n)  # SCT1:
    except ZeroDivisionError:
        s = a
    return s
""",
    "with": """
def f(a):
    with open("data.txt") as file:  # SCT1:
        s = a * a
    return s
""",
    "with of a context that catches": """
import contextlib

def f(a):
    s = a
    with contextlib.suppress(MemoryError):  # SCT1:
        s = np.log(a)
    return s
""",
    "with of what a context gives": """
import warnings

def f(a):
    with warnings.catch_warnings(record=True) as w:  # SCT1:
        s = a * a
    return s * len(w)
""",
    "generator used again": """
def terms(x):
    for v in x:
        yield v
def f(x):
    it = terms(x)
    s = 0.0
    for v in it:
        if v > 1.0:
            break
        s += v
    for v in it:  # SCT5: used again
        s += v * v
    return s
""",
    "next of a generator in a loop": """
def terms(x):
    for v in x:
        yield v
def f(x):
    it = terms(x)
    s = 0.0
    while True:
        v = next(it, None)  # SCT5: its position depends on the path
        if v is None:
            break
        s += v
    return s
""",
    "tuple that may be None, returned": """
def f(x):
    last = None
    for v in x:
        last = (v, v)
    return last  # SCT
""",
    "defaultdict printed": """
from collections import defaultdict

def f(a):
    d = defaultdict(float)
    d["a"] += a
    print(d)  # SCT5:
    return d["a"]
""",
    "class": """
def f(a):
    class Box:  # SCT1:
        pass
    return a * a
""",
    "match that binds by the value": """
def f(a, n):
    match n:
        case (1 as k) | (2 as k):  # SCT5: write a case each
            return a * k
        case _:
            return a
"""  ,
    "generator expression of a function that is called as a builtin": """
def f(a):
    def sum(parts):
        return next(parts)
    return sum(v * v for v in (a, a + 1.0))  # SCT1:
""",
    "del of an element": """
def f(x):
    del x[0]  # SCT1:
    return x[0]
""",
    "complex result": """
def f(a):
    z = a * 2j
    return z  # SCT4:
""",
    # --- SCT2: names and calls
    "eval": """
def f(a):
    return eval("a * a")  # SCT2:
""",
    "exec": """
def f(a):
    exec("b = a")  # SCT2:
    return a
""",
    "recursion without an end": """
def power(a, n):
    return a * power(a, n - 1)

def f(a, n):
    return power(a, n)  # SCT2: returns on no path
""",
    "recursion that returns two kinds of things": """
def f(a, n):
    if n == 0:
        return a
    return a, f(a, n - 1)  # SCT5:
""",
    "recursion that adds a key to a dict": """
def deeper(d, a, n):
    if n == 0:
        d["b"] = a
        return 0.0
    return deeper(d, a * a, n - 1) + a

def f(a, n):
    d = {}
    return deeper(d, a, n) + d["b"]  # SCT2: writes into a list or dict
""",
    "write through a view that a recursion returns": """
def head(y, n):
    return y[:2] if n == 0 else head(y[1:], n - 1)

def f(x, n):
    y = x * 1.0
    v = head(y, 1)
    v[0] = 3.0  # SCT3: may be an alias
    return (y * y).sum()
""",
    "write under a view that a recursion returned": """
def head(y, n):
    return y[:2] if n == 0 else head(y[1:], n - 1)

def f(x, n):
    y = x * 1.0
    v = head(y, 1)
    y[1] = 3.0  # SCT3: may be an alias
    return (v * v).sum()
""",
    "write through one of two results that share memory": """
def both(x, n):
    y = x * x
    return (y, y[1:]) if n == 0 else both(x, n - 1)

def f(x, n):
    a, b = both(x, 2)
    b[0] = 0.5  # SCT3: may be an alias
    return (a * a).sum()
""",
    "number that is an int on one path times an array of ints": """
def f(a, n):
    x = 2 if a > 1.0 else a
    y = x * np.arange(3)  # SCT5: the dtype of the result may be any of
    return (y * y).sum()
""",
    "recursion over ever new flags": """
def power(a, flag):
    if flag == "ab":
        return a
    return a * power(a, flag + "a")  # SCT2:

def f(a, n):
    return power(a, "b")
""",
    "opaque function of an active value": """
import decimal

def f(a):
    return float(decimal.Decimal(a))  # SCT4:
""",
    "numpy function without a rule": """
def f(x):
    return np.sum(np.poly(x))  # SCT2:
""",
    "numpy function with an unknown keyword": """
def f(x):
    return np.sum(np.sin(x, order="F"))  # SCT205
""",
    "a ufunc at some places, the others undefined": """
def f(x):
    return np.sum(np.log(x, where=x > 0.0))  # SCT205
""",
    "a ufunc into an array of ints": """
def f(x):
    y = np.zeros(3, dtype=int)
    np.sin(x, out=y)  # SCT501
    return np.sum(y)
""",
    "repeated values of put": """
def f(x):
    y = x * 2.0
    np.put(y, [0, 1, 2], x[:2])  # SCT205
    return np.sum(y)
""",
    "pad by a statistic": """
def f(x):
    return np.sum(np.pad(x, 1, mode="mean"))  # SCT501
""",
    "insert of a list of positions": """
def f(x):
    return np.sum(np.insert(x, [0, 1], 2.0))  # SCT205
""",
    "a ufunc method": """
def f(x):
    y = x * 2.0
    np.multiply.at(y, y > 1.0, 3.0)  # SCT205
    return np.sum(y)
""",
    "opaque method of an active value": """
def f(x):
    return float(x.tobytes()[0])  # SCT2:
""",
    "a derivative of a bool": """
from sct import grad

def f(a):
    return grad(lambda v: v > 1.0)(a)  # SCT4: hint: return a float
""",
    "a method of arrays": """
def f(x):
    return np.sum(x.getfield(np.float64))  # SCT2: the method `getfield` of arrays
""",
    "a method of numbers": """
def f(a):
    return a.is_integer() * a  # SCT2: the method `is_integer` of numbers
""",
    "super of one argument": """
class Box:
    def of(self, v):
        return super(Box).of(v)  # SCT2: `super` with one argument

def f(a):
    return Box().of(a)
""",
    "a `__new__` of its own": """
class Box:
    def __new__(cls, v):
        return object.__new__(cls)

def f(a):
    return Box(a).v  # SCT2: `__new__`
""",
    "a draw that depends on the input": """
rng = np.random.default_rng(0)

def f(a):
    return rng.normal(a, 1.0)  # SCT2: shift and scale
""",
    "getattr by a name": """
def f(x):
    s = 0.0
    for k, v in enumerate(x):
        s += getattr(math, ("sin", "cos")[k % 2])(v)  # SCT
    return s
""",
    # --- SCT3: heap and aliases
    "ambiguous write in a loop": """
def f(x, y):
    u, v = x * 1.0, y * 1.0
    z = v
    for i in range(3):
        z[0] = x[i]  # SCT3:
        if x[i] > 0.0:
            z = u
    return np.sum(u * v)
""",
    "ambiguous ternary in a loop": """
def f(x, y):
    u, v = x * 1.0, y * 1.0
    z = v
    for i in range(3):
        z[0] += x[i]  # SCT3:
        z = u if x[i] > 0.0 else z
    return np.sum(u * v)
""",
    "alias made in a loop": """
def f(x, y):
    z, u = x * 1.0, y * 1.0
    for i in range(3):
        z[i] = u[0] * x[i]  # SCT3:
        if x[i] > 1.0:
            z = u
    return np.sum(z * u)
""",
    "holder that depends on the trips": """
def f(x, n):
    u, v = x * 1.0, x * 2.0
    a = u
    for i in range(n):
        u, v = v, u
    u[0] += 1.0  # SCT3:
    return np.sum(a * v)
""",
    "write of an attribute": """
class Box:
    pass

box = Box()

def f(a):
    box.value = a * a  # SCT3:
    return a
""",
    "write of an attribute of self": """
class Box:
    def __init__(self):
        self.calls = 0

    def value(self, a):
        self.calls += 1  # SCT3: attribute `calls`
        return a * a

f = Box().value
f = (lambda value: lambda a: value(a))(f)
""",
    "write of an attribute of a frozen object": """
import dataclasses

Point = dataclasses.make_dataclass("Point", ["v"], frozen=True)

def f(a):
    p = Point(a)
    p.v = a * a  # SCT3: use a local, a dict or an array
    return p.v
""",
    "write of a global array": """
state = np.zeros(3)

def f(a):
    state[0] = a  # SCT3:
    return state[0] * a
""",
    "write of an array of the closure": """
def make():
    state = np.zeros(3)

    def f(a):
        state[0] = a  # SCT3:
        return state[0] * a

    return f

f = make()
""",
    "array in a list is written": """
def f(x, n):
    t = []
    for i in range(n):
        x[0] = x[1] * i  # SCT307: copy
        t.append(x)
    return t[0][0]
""",
    "list that changes its length under a loop": """
def f(a, n):
    t = [a] * n
    for x in t:
        t.append(x * a)  # SCT306: position
    return t[0]
""",
    "list of arrays and numbers": """
def f(x, n):
    t = []
    for i in range(n):  # SCT310: list
        if i % 2 == 0:
            t.append(x)
        else:
            t.append(1.0)
    return t[0][0]
""",
    # --- SCT4: derivatives
    "string result": """
def f(a):
    return "value"  # SCT4:
""",
    "boolean result": """
def f(a):
    return a > 0.0  # SCT4:
""",
    "array result of grad": """
def f(x):
    return x * x  # SCT4:
""",
    "no result": """
def f(a):  # SCT4:
    b = a * a
""",
    # --- SCT5: types and arguments
    "rank that changes": """
def f(x, n):
    z = x
    for i in range(n):
        z = z[None]  # SCT5:
    return np.sum(z)
""",
    "array or string": """
def f(x, y):
    for i in range(3):
        if x[i] > 0.0:
            z = x
        else:
            z = "none"
    return np.sum(z)  # SCT5:
""",
    "float as an index": """
def f(x):
    return x[1.0]  # SCT5:
""",
    "float written into integers": """
def f(x):
    z = np.arange(3)
    z += x  # SCT5:
    return np.sum(z)
""",
}


def load(name: str) -> tuple[dict[str, Any], str]:
    filename = f"<refuse {name}>"
    source = CASES[name]
    linecache.cache[filename] = (len(source), None, source.splitlines(True), filename)
    namespace: dict[str, Any] = {"__name__": filename, "np": np, "math": __import__("math")}
    exec(compile(source, filename, "exec"), namespace)
    return namespace, filename


def expectation(name: str) -> tuple[int, str, str]:
    """(line, class of the code, fragment of the message) of the comment in a program."""
    for number, line in enumerate(CASES[name].splitlines(), 1):
        found = re.search(r"# SCT(\d*):?\s*(.*)$", line)
        if found:
            return number, found[1], found[2]
    raise AssertionError(f"{name} marks no line")


def arguments_of(f: Any) -> tuple[Any, ...]:
    return tuple(INPUTS[n] for n in f.__code__.co_varnames[: f.__code__.co_argcount])


@pytest.mark.parametrize("name", list(CASES))
def test_programs_load(name: str) -> None:
    assert callable(load(name)[0]["f"])
    expectation(name)


@pytest.mark.parametrize("name", list(CASES))
def test_refused(name: str) -> None:
    import sct

    namespace, filename = load(name)
    line, kind, fragment = expectation(name)
    args = arguments_of(namespace["f"])
    given = clone(args)
    with pytest.raises(sct.SctError) as caught:
        sct.value_and_grad(namespace["f"], argnums=0)(*given)
    error = caught.value
    assert re.fullmatch(r"SCT[1-5]\d\d", error.code)
    assert error.code.startswith(f"SCT{kind}"), str(error)
    assert fragment in f"{error.what}\nwhy: {error.why}\nhint: {error.hint}"  # not in the line, which shows it too
    assert error.loc is not None, str(error)
    assert (error.loc.file, error.loc.line) == (filename, line), str(error)
    assert same_bits(given, clone(args))
