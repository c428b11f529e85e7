"""Dual numbers run through a plain function: an oracle that shares no code with sct.

In: a function's namespace, and its arguments. Out: the value and the derivatives with respect to
every float of the arguments, in one run, by exact forward differentiation. A `Dual` carries the
value, one derivative a direction, and one bound a direction: the sum over paths of the absolute
products of partials, which says how exactly two right answers must agree.

Arrays are object arrays of duals, so views, aliases, swaps and writes are NumPy's own. `math`,
`numpy` and `float` are replaced in the namespace by versions that know duals.

    value, gradient, bound = differentiate(namespace, "f", args, wrt=(0,))
"""

from __future__ import annotations

import contextlib
import io
import math
import types
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

FLOOR = 1e-6  # partials count at least this much in the bounds: `1 - y * y` is off by an epsilon
ZERO = np.zeros(1)


class Dual:
    """A number with derivatives `d` and bounds `m` in every direction."""

    __slots__ = ("d", "m", "v")

    def __init__(self, v: Any, d: np.ndarray = ZERO, m: np.ndarray = ZERO) -> None:
        self.v, self.d, self.m = v, d, m

    def __add__(self, other: Any) -> Any:
        return binary(self, other, lambda a, b: a + b, lambda z, a, b: (1.0, 1.0))

    def __radd__(self, other: Any) -> Any:
        return binary(other, self, lambda a, b: a + b, lambda z, a, b: (1.0, 1.0))

    def __sub__(self, other: Any) -> Any:
        return binary(self, other, lambda a, b: a - b, lambda z, a, b: (1.0, -1.0))

    def __rsub__(self, other: Any) -> Any:
        return binary(other, self, lambda a, b: a - b, lambda z, a, b: (1.0, -1.0))

    def __mul__(self, other: Any) -> Any:
        return binary(self, other, lambda a, b: a * b, lambda z, a, b: (b, a))

    def __rmul__(self, other: Any) -> Any:
        return binary(other, self, lambda a, b: a * b, lambda z, a, b: (b, a))

    def __truediv__(self, other: Any) -> Any:
        return binary(self, other, lambda a, b: a / b, lambda z, a, b: (1.0 / b, -z / b))

    def __rtruediv__(self, other: Any) -> Any:
        return binary(other, self, lambda a, b: a / b, lambda z, a, b: (1.0 / b, -z / b))

    def __mod__(self, other: Any) -> Any:
        return binary(self, other, lambda a, b: a % b, lambda z, a, b: (1.0, -(a // b)))

    def __rmod__(self, other: Any) -> Any:
        return binary(other, self, lambda a, b: a % b, lambda z, a, b: (1.0, -(a // b)))

    def __floordiv__(self, other: Any) -> Any:
        return binary(self, other, lambda a, b: a // b, lambda z, a, b: (0.0, 0.0))

    def __rfloordiv__(self, other: Any) -> Any:
        return binary(other, self, lambda a, b: a // b, lambda z, a, b: (0.0, 0.0))

    def __pow__(self, other: Any) -> Any:
        return binary(self, other, lambda a, b: a**b, power_partials)

    def __rpow__(self, other: Any) -> Any:
        return binary(other, self, lambda a, b: a**b, power_partials)

    def __neg__(self) -> Dual:
        return Dual(-self.v, -self.d, self.m)

    def sum(self) -> Dual:
        """A NumPy scalar has the methods of an array."""
        return self

    def __pos__(self) -> Dual:
        return Dual(+self.v, self.d, self.m)

    def __abs__(self) -> Dual:
        return unary(self, abs, lambda y, x: float(x > 0) - float(x < 0))

    def __lt__(self, other: Any) -> Any:
        return compare(self, other, lambda a, b: a < b)

    def __le__(self, other: Any) -> Any:
        return compare(self, other, lambda a, b: a <= b)

    def __gt__(self, other: Any) -> Any:
        return compare(self, other, lambda a, b: a > b)

    def __ge__(self, other: Any) -> Any:
        return compare(self, other, lambda a, b: a >= b)

    def __eq__(self, other: Any) -> Any:
        return compare(self, other, lambda a, b: a == b)

    def __ne__(self, other: Any) -> Any:
        return compare(self, other, lambda a, b: a != b)

    __hash__ = None  # type: ignore[assignment]

    def __bool__(self) -> bool:
        return bool(self.v)

    def __int__(self) -> int:
        return int(self.v)

    def __floor__(self) -> int:
        return math.floor(self.v)

    def __ceil__(self) -> int:
        return math.ceil(self.v)

    def __trunc__(self) -> int:
        return math.trunc(self.v)

    def __round__(self, digits: int | None = None) -> Any:
        return round(self.v, digits)

    def __format__(self, spec: str) -> str:
        return format(self.v, spec)

    def __str__(self) -> str:
        return str(self.v)

    def __repr__(self) -> str:
        return repr(self.v)


def value_of(x: Any) -> Any:
    return x.v if isinstance(x, Dual) else x


def linear(v: Any, *terms: tuple[Any, Any]) -> Any:
    """The dual with value v and derivative sum(partial * operand)."""
    duals = [(p, x) for p, x in terms if isinstance(x, Dual)]
    if not duals:
        return v
    d = sum(p * x.d for p, x in duals)
    m = sum((abs(p) + FLOOR) * x.m for p, x in duals)
    return Dual(v, d, m)


def unary(x: Any, f: Callable[[Any], Any], partial: Callable[[Any, Any], Any]) -> Any:
    y = f(value_of(x))
    return linear(y, (partial(y, x.v), x)) if isinstance(x, Dual) else y


def binary(x: Any, y: Any, f: Callable[[Any, Any], Any], partials: Callable[[Any, Any, Any], Any]) -> Any:
    if isinstance(x, np.ndarray) or isinstance(y, np.ndarray):
        return NotImplemented
    a, b = value_of(x), value_of(y)
    z = f(a, b)
    p, q = partials(z, a, b)
    return linear(z, (p, x), (q, y))


def compare(x: Any, y: Any, f: Callable[[Any, Any], Any]) -> Any:
    return NotImplemented if isinstance(y, np.ndarray) else f(value_of(x), value_of(y))


def power_partials(z: Any, a: Any, b: Any) -> tuple[Any, Any]:
    p = b * a ** (b - 1) if b != 0 else 0.0
    return p, z * math.log(a) if a > 0 else 0.0


# --- functions of one number, and of two ------------------------------------------------------

UNARY: dict[str, Callable[[Any, Any], Any]] = {
    "sin": lambda y, x: math.cos(x),
    "cos": lambda y, x: -math.sin(x),
    "tan": lambda y, x: 1.0 / math.cos(x) ** 2,
    "exp": lambda y, x: y,
    "expm1": lambda y, x: y + 1.0,
    "log": lambda y, x: 1.0 / x,
    "log1p": lambda y, x: 1.0 / (1.0 + x),
    "sqrt": lambda y, x: 0.5 / y,
    "tanh": lambda y, x: 1.0 / math.cosh(x) ** 2 if abs(x) < 300 else 0.0,
    "sinh": lambda y, x: math.cosh(x),
    "cosh": lambda y, x: math.sinh(x),
    "atan": lambda y, x: 1.0 / (1.0 + x * x),
    "asin": lambda y, x: 1.0 / math.sqrt(1.0 - x * x),
    "fabs": lambda y, x: float(x > 0) - float(x < 0),
    "erf": lambda y, x: 2.0 / math.sqrt(math.pi) * math.exp(-x * x),
}
BINARY: dict[str, Callable[[Any, Any, Any], Any]] = {
    "hypot": lambda z, a, b: (a / z if z else 0.0, b / z if z else 0.0),
    "atan2": lambda z, a, b: (b / (a * a + b * b), -a / (a * a + b * b)),
    "pow": power_partials,
    "fmod": lambda z, a, b: (1.0, -math.trunc(a / b)),
    "copysign": lambda z, a, b: (math.copysign(1.0, a) * math.copysign(1.0, b), 0.0),
}
NUMPY_NAMES = {"arctan": "atan", "arcsin": "asin", "abs": "fabs", "absolute": "fabs", "square": "square"}


def lift(f: Callable[..., Any], partials: Callable[..., Any]) -> Callable[..., Any]:
    def one(x: Any) -> Any:
        return unary(x, f, partials)

    def two(x: Any, y: Any) -> Any:
        return binary(x, y, f, partials)

    return one if partials.__code__.co_argcount == 2 else two


def make_math() -> types.SimpleNamespace:
    table = {name: getattr(math, name) for name in dir(math) if not name.startswith("_")}
    table.update({name: lift(getattr(math, name), p) for name, p in {**UNARY, **BINARY}.items()})
    for name in ("isnan", "isfinite", "isinf"):
        table[name] = lambda x, f=getattr(math, name): f(value_of(x))
    return types.SimpleNamespace(**table)


def extreme_of_two(x: Any, y: Any, larger: bool) -> Any:
    """np.maximum and np.minimum; at a tie the derivative is that of the first operand."""
    a, b = value_of(x), value_of(y)
    return x if a == b or (a > b) == larger else y


def clip(x: Any, low: Any, high: Any) -> Any:
    return extreme_of_two(extreme_of_two(x, low, True), high, False)


def extreme(x: Any, axis: int | None, larger: bool) -> Any:
    """max and min over an axis; ties share the derivative evenly."""
    x = np.asarray(x)
    if axis is not None:
        return np.apply_along_axis(lambda row: boxed(extreme(row, None, larger)), axis, x)
    values = [value_of(e) for e in x.ravel()]
    best = max(values) if larger else min(values)
    ties = [e for e in x.ravel() if value_of(e) == best]
    return linear(best, *((1.0 / len(ties), e) for e in ties))


def boxed(x: Any) -> np.ndarray:
    box = np.empty((), object)
    box[()] = x
    return box


def objects(x: np.ndarray) -> np.ndarray:
    """A float array as an array of duals; other arrays as they are."""
    if x.dtype.kind != "f":
        return x
    out = room(x)
    for at in np.ndindex(x.shape):
        out[at] = Dual(x[at])
    return out


def room(x: np.ndarray) -> np.ndarray:
    """An object array of the shape and layout of x: what is a view of x must be one of it."""
    if x.flags.c_contiguous or x.flags.f_contiguous:
        return np.empty_like(x, dtype=object)
    return np.empty(tuple(2 * n for n in x.shape), object)[tuple(slice(None, None, 2) for _ in x.shape)]


class DualNumpy:
    """numpy for arrays of duals: creation gives duals, elementwise functions know them."""

    def __init__(self) -> None:
        for name in ("zeros", "ones", "empty", "full", "linspace", "arange", "eye", "zeros_like", "ones_like"):
            setattr(self, name, self._creator(getattr(np, name)))
        self.empty_like = self.zeros_like
        self.full_like = lambda x, v: objects(np.zeros_like(x, dtype=float)) + v
        spelled = {**{n: n for n in UNARY if hasattr(np, n)}, **NUMPY_NAMES}
        for name, of in spelled.items():
            f, partial = getattr(np, name), UNARY.get(of, lambda y, x: 2.0 * x)
            setattr(self, name, np.frompyfunc(lift(f, partial), 1, 1))
        for name, of in {"hypot": "hypot", "arctan2": "atan2", "power": "pow"}.items():
            setattr(self, name, np.frompyfunc(lift(getattr(np, name), BINARY[of]), 2, 1))
        self.maximum = np.frompyfunc(lambda x, y: extreme_of_two(x, y, True), 2, 1)
        self.minimum = np.frompyfunc(lambda x, y: extreme_of_two(x, y, False), 2, 1)
        self.clip = np.frompyfunc(clip, 3, 1)
        self.max = lambda x, axis=None: extreme(x, axis, True)
        self.min = lambda x, axis=None: extreme(x, axis, False)

    def __getattr__(self, name: str) -> Any:
        return getattr(np, name)

    @staticmethod
    def _creator(f: Callable[..., Any]) -> Callable[..., Any]:
        def create(*args: Any, **kwargs: Any) -> np.ndarray:
            args = tuple(
                np.zeros_like(a, dtype=float) if isinstance(a, np.ndarray) and a.dtype == object else a for a in args
            )
            return objects(f(*args, **kwargs))

        return create

    def array(self, x: Any, dtype: Any = None) -> np.ndarray:
        out = np.array(x, object)
        floats = any(not isinstance(e, (int, np.integer, bool)) for e in out.ravel())
        return out if floats or dtype is float else np.array(x)

    asarray = array


def dual_float(x: Any = 0.0) -> Any:
    return Dual(float(x.v), x.d, x.m) if isinstance(x, Dual) else float(x)


REPLACED = {"math": make_math(), "np": DualNumpy(), "float": dual_float}


# --- running a function on duals --------------------------------------------------------------


def leaves(arg: Any) -> Iterator[Any]:
    """The floats and float arrays of an argument, in order."""
    if isinstance(arg, dict):
        for each in arg.values():
            yield from leaves(each)
    elif isinstance(arg, (tuple, list)):
        for each in arg:
            yield from leaves(each)
    elif is_float(arg):
        yield arg


def is_float(arg: Any) -> bool:
    return isinstance(arg, (float, np.floating)) or isinstance(arg, np.ndarray) and arg.dtype.kind == "f"


def tree_map(f: Callable[[Any], Any], arg: Any) -> Any:
    if isinstance(arg, dict):
        return {k: tree_map(f, v) for k, v in arg.items()}
    if isinstance(arg, (tuple, list)):
        return type(arg)(tree_map(f, v) for v in arg)
    return f(arg)


def flat(args: Any) -> np.ndarray:
    """All floats of the arguments in one vector."""
    parts = [np.asarray(x, float).ravel() for x in leaves(args)]
    return np.concatenate(parts) if parts else np.zeros(0)


def rebuild(args: Any, vector: np.ndarray) -> Any:
    """The arguments with their floats taken from a vector; layouts and dtypes are kept."""
    used = 0

    def take(x: Any) -> Any:
        nonlocal used
        if not is_float(x):
            return x.copy(order="K") if isinstance(x, np.ndarray) else x
        part = vector[used : used + np.size(x)]
        used += np.size(x)
        if not isinstance(x, np.ndarray):
            return type(x)(part[0])
        new = np.empty_like(x)
        new[...] = part.reshape(x.shape)
        return new

    return tree_map(take, args)


def seeded(args: tuple[Any, ...], wrt: tuple[int, ...]) -> tuple[Any, ...]:
    """The arguments with a dual for every float; the floats of `wrt` are the directions."""
    size = sum(np.size(x) for i in wrt for x in leaves(args[i]))
    used = 0
    seen: dict[int, np.ndarray] = {}  # one array passed twice stays one array

    def seed(x: Any) -> Any:
        nonlocal used
        if not is_float(x):
            return x.copy() if isinstance(x, np.ndarray) else x
        if id(x) in seen:
            used += np.size(x)
            return seen[id(x)]
        unit = np.zeros((np.size(x), size))
        unit[np.arange(np.size(x)), used + np.arange(np.size(x))] = 1.0
        used += np.size(x)
        if not isinstance(x, np.ndarray):
            return Dual(x, unit[0], unit[0])
        out = room(x)
        for k, at in enumerate(np.ndindex(x.shape)):
            out[at] = Dual(x[at], unit[k], unit[k])
        seen[id(x)] = out
        return out

    constant = [tree_map(lambda x: objects(x) if isinstance(x, np.ndarray) else x, a) for a in args]
    return tuple(tree_map(seed, a) if i in wrt else constant[i] for i, a in enumerate(args))


def differentiate(function: Callable[..., Any], args: tuple[Any, ...], wrt: tuple[int, ...]) -> tuple[Any, ...]:
    """(value, gradient, bound) of a function loaded with REPLACED in its namespace."""
    size = sum(np.size(x) for i in wrt for x in leaves(args[i]))
    with np.errstate(all="ignore"), contextlib.redirect_stdout(io.StringIO()):
        out = function(*seeded(args, wrt))
    if isinstance(out, np.ndarray) and out.shape == ():
        out = out[()]
    if not isinstance(out, Dual):
        return out, np.zeros(size), np.zeros(size)
    return out.v, out.d + np.zeros(size), out.m + np.zeros(size)


def differences(f: Callable[..., Any], args: tuple[Any, ...], wrt: tuple[int, ...]) -> tuple[np.ndarray, np.ndarray]:
    """(central differences, smooth): smooth where two step sizes agree, so no kink is near."""
    chosen = tuple(args[i] for i in wrt)
    x = flat(chosen)

    def at(vector: np.ndarray) -> float:
        new = list(tree_map(lambda a: a.copy() if isinstance(a, np.ndarray) else a, args))
        for i, a in zip(wrt, rebuild(chosen, vector)):
            new[i] = a
        return float(f(*new))

    def central(step: float) -> np.ndarray:
        units = step * np.eye(len(x))
        return np.array([(at(x + u) - at(x - u)) / (2 * step) for u in units])

    wide, narrow = central(1e-5), central(2.5e-6)
    scale = np.maximum(1.0, np.abs(narrow))
    return narrow, np.abs(wide - narrow) < 1e-4 * scale
