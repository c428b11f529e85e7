"""Hyper-dual numbers: third derivatives of plain programs, exact to rounding, without anything of sct.

A number is a + b e1 + c e2 + d e1 e2 + ... with e1**2 == e2**2 == e3**2 == 0. A program that runs on
x + e1 u + e2 v + e3 w gives the third derivative along u, v and w as the coefficient of e1 e2 e3. Arrays of such
numbers are arrays of objects: NumPy's functions call the methods below.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

__all__ = ["HyperDual", "along"]

PAIRS = [(i, j) for i in range(8) for j in range(8) if not i & j]


class HyperDual:
    """Coefficient k is that of the product of those e whose bit is set in k."""

    def __init__(self, coefficients: Any) -> None:
        self.c = list(coefficients)

    def of(self, derivatives: Any) -> HyperDual:
        """f(self), given the values of f and of its first three derivatives at the real part."""
        f0, f1, f2, f3 = derivatives
        h = HyperDual([0.0, *self.c[1:]])
        h2 = h * h
        return f1 * h + (0.5 * f2) * h2 + (f3 / 6.0) * (h2 * h) + f0

    def __add__(self, other: Any) -> Any:
        if isinstance(other, np.ndarray):
            return NotImplemented
        return HyperDual(a + b for a, b in zip(self.c, lifted(other).c))

    def __mul__(self, other: Any) -> Any:
        if isinstance(other, np.ndarray):
            return NotImplemented
        a, b, product = self.c, lifted(other).c, [0.0] * 8
        for i, j in PAIRS:
            product[i | j] += a[i] * b[j]
        return HyperDual(product)

    def __pow__(self, p: Any) -> HyperDual:
        if isinstance(p, HyperDual):
            return (p * self.log()).exp()
        if isinstance(p, int) and p >= 0:
            product = lifted(1.0)
            for _ in range(p):
                product = product * self
            return product
        x = self.c[0]
        return self.of([x ** p, p * x ** (p - 1), p * (p - 1) * x ** (p - 2), p * (p - 1) * (p - 2) * x ** (p - 3)])

    def __rpow__(self, base: float) -> HyperDual:
        return (self * math.log(base)).exp()

    def __truediv__(self, other: Any) -> Any:
        if isinstance(other, np.ndarray):
            return NotImplemented
        return self * lifted(other) ** -1

    def __rtruediv__(self, other: Any) -> HyperDual:
        return lifted(other) * self ** -1

    def __neg__(self) -> HyperDual:
        return self * -1.0

    def __sub__(self, other: Any) -> Any:
        if isinstance(other, np.ndarray):
            return NotImplemented
        return self + -lifted(other)

    def __rsub__(self, other: Any) -> HyperDual:
        return -self + other

    def __abs__(self) -> HyperDual:
        return self if self.c[0] >= 0.0 else -self

    __radd__, __rmul__ = __add__, __mul__
    __lt__ = lambda self, other: self.c[0] < lifted(other).c[0]
    __gt__ = lambda self, other: self.c[0] > lifted(other).c[0]
    __le__ = lambda self, other: self.c[0] <= lifted(other).c[0]
    __ge__ = lambda self, other: self.c[0] >= lifted(other).c[0]

    def exp(self) -> HyperDual:
        return self.of([math.exp(self.c[0])] * 4)

    def log(self) -> HyperDual:
        x = self.c[0]
        return self.of([math.log(x), 1.0 / x, -1.0 / x ** 2, 2.0 / x ** 3])

    def sin(self) -> HyperDual:
        s, c = math.sin(self.c[0]), math.cos(self.c[0])
        return self.of([s, c, -s, -c])

    def cos(self) -> HyperDual:
        s, c = math.sin(self.c[0]), math.cos(self.c[0])
        return self.of([c, -s, -c, s])

    def tanh(self) -> HyperDual:
        t = math.tanh(self.c[0])
        s = 1.0 - t * t
        return self.of([t, s, -2.0 * t * s, s * (6.0 * t * t - 2.0)])

    def arctan(self) -> HyperDual:
        x = self.c[0]
        q = 1.0 / (1.0 + x * x)
        return self.of([math.atan(x), q, -2.0 * x * q * q, (6.0 * x * x - 2.0) * q ** 3])

    def sqrt(self) -> HyperDual:
        return self ** 0.5

    def log1p(self) -> HyperDual:
        return (self + 1.0).log()

    def square(self) -> HyperDual:
        return self * self

    def conjugate(self) -> HyperDual:
        return self


def lifted(x: Any) -> HyperDual:
    return x if isinstance(x, HyperDual) else HyperDual([float(x)] + [0.0] * 7)


def along(f: Callable[[Any], Any], x: Any, u: Any, v: Any, w: Any) -> float:
    """The third derivative of `f` at x along u, v and w."""
    one = lambda a, b, c, d: HyperDual([a, b, c, 0.0, d, 0.0, 0.0, 0.0])
    y = f(one(x, u, v, w) if np.ndim(x) == 0 else np.frompyfunc(one, 4, 1)(x, u, v, w))
    return float(lifted(y.item() if isinstance(y, np.ndarray) else y).c[7])
