"""Numbers of every kind in a function that is differentiated: the value is that of the plain call in type and in bits,
and the gradient is of the type of the argument."""

from __future__ import annotations

import importlib.util
import itertools
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from oracle import same_value

import sct

A = {
    "float": 1.5, "int": 3, "f64": np.float64(1.5), "f32": np.float32(1.5), "f16": np.float16(1.5), "i8": np.int8(3),
    "i64": np.int64(3), "0d": np.array(1.5), "0d32": np.array(1.5, "f4"), "vector": np.array([1.5, 2.25]),
    "vector32": np.array([1.5, 2.25], "f4"), "ints": np.array([3, 4]),
}
B = {
    "int": 2, "bool": True, "float": 2.5, "f64": np.float64(2.5), "f32": np.float32(2.5), "i8": np.int8(2),
    "u8": np.uint8(2), "i64": np.int64(2), "b1": np.bool_(True), "0d": np.array(2.5), "0d32": np.array(2.5, "f4"),
}

EXPRESSIONS = """
a + b
b - a
a * b + True
a / b
b / a
a ** b
b ** a
a ** 2 - a ** -1
divmod(a, b)[1] + a
a // b + a % b
abs(-a) * b
round(b) * a
-a + (not b)
min(a, b)
max(b, a, 0)
sum([a, b])
sum((a * v for v in (1, b)), 0.5)
np.where(a > b, a, b)
np.where(b, a, 0.5)
np.maximum(a, b)
np.hypot(a, b)
np.float32(a) * b
np.float64(a) * b
np.square(a) + b
np.clip(a, 0.5, None)
a if b else 1
a and b * a
a * (a > b) + b * (a <= b)
np.array([a, b])[0] * b
np.array([a, 1.0]).sum() * b
np.sum([a, b])
np.full(2, a) * b
np.ones(2, np.float32) * a * b
np.int8(2) * a
""".split("\n")[1:-1]

STATEMENTS = """
s = 0; for _ in range(2): s += a * b; return s
s = 1; for _ in range(3): s = max(s, a); return s * b
s = b; for _ in range(2): s = s * a; return s
s = True; while s < 4: s = s + a; return s
s = a; for _ in range(2): s = np.float64(s) * b; return s
s = b; if a > 100: s = a; return s * a
s = 0; if a > 1: s = a; return s * b
s = [0, 1]; s[0] += a; s.append(b * a); return sum(s)
s = {'p': 0, 'q': b}; s['p'] += a; return s['p'] * s['q']
y = np.zeros(2); y[0] = a; y[1] += a * b; return y
y = np.zeros(2, np.float32); y[0] = a; y[1] += b; y *= 2; return y[0] * y[1]
y = a; y -= 1; y *= b; y /= 2; return y
def g(t, u=b): return t * u; return g(a) + g(a, 2) + g(1, 0.5)
def g(t): return t if t > 100 else 0; return g(a) * b + a
y = np.array([1.0, 2**60]); return y * a
y = np.array([1, 2**60]); return y * a
""".split("\n")[1:-1]


def text(statement: str) -> str:
    """The lines of a body that is written in one line."""
    return "".join(f"    {part}\n" for part in statement.split("; "))


PROGRAMS = [f"    return {e}\n" for e in EXPRESSIONS] + [text(s) for s in STATEMENTS]


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """The module of the programs: `f0(a, b)`, `f1(a, b)`, ..."""
    path = tmp_path_factory.mktemp("carriers") / "programs_of_carriers.py"
    path.write_text("import numpy as np\n" + "".join(f"def f{k}(a, b):\n{body}\n" for k, body in enumerate(PROGRAMS)))
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


PAIRS = list(itertools.product(A, B))
EACH = 4
"""How many pairs of kinds each program is tried on; the next program is tried on others."""


@pytest.mark.parametrize("k", range(len(PROGRAMS)), ids=lambda k: PROGRAMS[k].strip().replace("\n", ";"))
def test_kinds_of_numbers(written: Any, k: int) -> None:
    f = getattr(written, f"f{k}")
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        for j in range(EACH):
            agrees_in_kind(f, *PAIRS[(k * 29 + j * 37) % len(PAIRS)])


def agrees_in_kind(f: Callable[..., Any], first: str, second: str) -> None:
    a, b = A[first], B[second]
    try:
        plain = f(np.copy(a) if isinstance(a, np.ndarray) else a, b)
    except (ArithmeticError, TypeError, ValueError) as error:
        with pytest.raises((type(error), sct.SctError)):
            sct.vjp(f, a, b)
        return
    try:
        value, _ = sct.vjp(f, a, b)
    except sct.SctError as refusal:
        assert refusal.code < "SCT6", (first, second)
        return
    assert same_value(value, plain), (first, second, value, plain)
    if np.ndim(plain) or not isinstance(plain, (float, np.floating, np.ndarray)):
        return
    value, gradient = sct.value_and_grad(f)(a, b)
    assert same_value(value, plain), (first, second)
    assert is_like(gradient, a), (first, second, gradient)


def is_like(gradient: Any, x: Any) -> bool:
    """A number of NumPy in double precision is fine for a float, and floats are for ints."""
    floats = np.asarray(x).dtype if np.asarray(x).dtype.kind == "f" else np.dtype(float)
    if isinstance(x, np.ndarray):
        return isinstance(gradient, np.ndarray) and gradient.dtype == floats and gradient.shape == x.shape
    return isinstance(gradient, (float, np.floating)) and np.asarray(gradient).dtype == floats


def either(a: Any, b: Any) -> Any:
    s = b
    if a > 100:
        s = a
    return s * a


def summed(a: Any, b: Any) -> Any:
    s = 0
    for _ in range(2):
        s += a * b
    return s


@pytest.mark.parametrize("f, a, b, slope", [
    (either, np.float64(1.5), 2, 2.0), (either, np.float64(1.5), True, 1.0), (either, 1.5, 2, 2.0),
    (summed, np.int64(2), np.array(2.5, "f4"), 5.0), (summed, 2, np.float32(2.5), 5.0),
    (summed, np.float16(2.0), 2.5, 5.0), (summed, 2.0, np.float16(2.5), 5.0),
    (lambda a, b: np.hypot(a, b), 3.0, np.float32(4.0), 0.6), (lambda a, b: +a, np.float16(2.0), 1, 1.0),
])
def test_a_gradient_is_a_float_of_the_precision_of_the_argument(f: Any, a: Any, b: Any, slope: float) -> None:
    gradient = sct.grad(f)(a, b)
    assert is_like(gradient, a)
    np.testing.assert_allclose(gradient, slope, rtol=1e-6)


def test_an_array_of_objects_is_refused() -> None:
    with pytest.raises(sct.SctError, match="array of objects"):
        sct.grad(lambda a: np.sum(np.array([1.0, 2**70]) * a))(1.5)
