"""Values of the standard library that special methods of a user's classes compute: their types are observed there, too.

Each program computes with a Fraction, a Decimal or a match of a regular expression, in an operator, a property, a
context or an iterator of a class.  Its value is that of the plain call, its gradient agrees with differences.
"""

from __future__ import annotations

import functools
import operator
import re
from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from sct.validation.observed_operands import ObservedOperand, ObservedOperands
from tests.oracle import Programs

program = Programs()


ONE, NONE = Fraction(1), Fraction(0)


class Quantity:
    def __init__(self, value, dims):
        self.value, self.dims = value, dims

    def __mul__(self, other):
        if not isinstance(other, Quantity):
            return Quantity(self.value * other, self.dims)
        return Quantity(self.value * other.value, tuple(a + b for a, b in zip(self.dims, other.dims)))

    __rmul__ = __mul__

    def __truediv__(self, other):
        return Quantity(self.value / other.value, tuple(a - b for a, b in zip(self.dims, other.dims)))

    def __pow__(self, n):
        exponent = Fraction(n).limit_denominator(100)
        return Quantity(self.value ** float(exponent), tuple(d * exponent for d in self.dims))

    def __add__(self, other):
        if self.dims != other.dims:
            raise ValueError("units differ")
        return Quantity(self.value + other.value, self.dims)

    def __radd__(self, other):
        return self if other == 0 else NotImplemented

    def __iadd__(self, other):
        self.dims = tuple(Fraction(str(d)) for d in other.dims)
        self.value += other.value
        return self

    def __neg__(self):
        return Quantity(self.value * float(Fraction(-1)), self.dims)

    def __abs__(self):
        return Quantity(abs(self.value) * float(Fraction("1/2")), self.dims)

    def __float__(self):
        return self.value * float(sum(self.dims, Fraction(1, 2)))

    def __lt__(self, other):
        return sum(self.dims) < sum(other.dims) + Fraction(1, 4)

    def __contains__(self, d):
        return Fraction(d).limit_denominator(10) in self.dims

    def __bool__(self):
        return bool(Fraction(1, 3) in self.dims)

    def __getitem__(self, k):
        return self.value * float(Fraction(k, 3))

    def __setitem__(self, k, value):
        self.value = value * float(Fraction(k, 7))

    def __iter__(self):
        for d in self.dims:
            yield self.value * float(Fraction(str(d)) / 2)


METRE, SECOND = Quantity(1.0, (ONE, NONE)), Quantity(1.0, (NONE, ONE))


@program(([1.5, 9.81], 2), ([0.5, 3.0], 4))
def units(x, n):
    speed = (x[0] * METRE / SECOND) ** 2
    total = x[1] * METRE ** 2 / SECOND ** 2
    for _ in range(n):
        total = total + speed
    return (total ** Fraction(1, 2)).value


@program(([1.5, 9.81],), ([0.5, -3.0],))
def unary_operators(x):
    return abs(-(x[0] * METRE)).value * x[1]


@program(([1.5, 9.81],), ([0.5, -3.0],))
def summed(x):
    return sum([x[0] * METRE, METRE ** 1 * x[1]]).value ** 2


@program(([1.5, 9.81],), ([0.5, -3.0],))
def subscripts(x):
    q = x[0] * METRE
    y = q[2] * x[1]
    q[3] = y
    return q.value * y


@program(([1.5, 9.81],), ([0.5, -3.0],))
def in_place(x):
    q = x[0] * METRE
    q += x[1] * METRE
    return q.value ** 2


@program(([1.5, 9.81],), ([0.5, -3.0],))
def conversions_and_tests(x):
    q = x[0] * METRE
    y = float(q) * x[1] if 1 in q and q < METRE else x[1]
    return y if q else y * y


@program(([1.5, 9.81],), ([0.5, -3.0],))
def iterated(x):
    s = 0.0
    for v in x[0] * METRE:
        s = s + v * x[1]
    return s + sum(v * v for v in METRE * x[1])


class Rounded:
    def __init__(self, digits):
        self.unit = Decimal(1).scaleb(-digits)

    @property
    def step(self):
        return float(Decimal(3) * self.unit)

    @functools.cached_property
    def scale(self):
        return float(self.unit * 7)

    @staticmethod
    def power(digits):
        return float(Decimal(10) ** digits)

    def __enter__(self):
        return float(Decimal("0.5") + self.unit)

    def __exit__(self, *error):
        return None

    def __call__(self, v):
        return v * float(self.unit.normalize())


@program(([1.5, 9.81], 2), ([0.5, -3.0], 3))
def contexts_and_attributes(x, digits):
    rounded = Rounded(digits)
    with rounded as half:
        y = x[0] * half + rounded.step * x[1]
    return y * rounded.scale * x[0] + rounded(x[1]) * Rounded.power(digits)


@dataclass
class Term:
    text: str
    coefficient: float = 1.0

    def __post_init__(self):
        self.power = int(re.fullmatch(r"x(\d+)", self.text)[1])

    def __matmul__(self, x):
        return self.coefficient * x ** self.power


@program(([1.5, 0.3], "x2"), ([0.5, 3.0], "x11"))
def parsed_after_construction(x, text):
    return Term(text, x[1]) @ x[0]


class Base:
    def __init__(self, v):
        self.v = v

    def __add__(self, other):
        return self.v * float(Fraction(1, 3))

    def __radd__(self, other):
        return self.v * float(Fraction(1, 5))


class Derived(Base):
    def __radd__(self, other):
        return self.v * other.v * float(Fraction(1, 7))


@program(([1.5, 0.3],), ([0.5, 3.0],))
def reflected_methods_of_derived_classes(x):
    return (Base(x[0]) + Derived(x[1])) * (Derived(x[0]) + Base(x[1])) + (x[0] + Base(x[1]))


test_programs = program.test()


# -- operands ------------------------------------------------------------------------------------------------


_CALLED: list[str] = []


class Left:
    def __init__(self, v):
        self.v = v

    def __add__(self, other):
        assert not isinstance(other, ObservedOperand)
        _CALLED.append("Left.__add__")
        return NotImplemented if isinstance(other, Other) else ("sum", self, other)

    def __eq__(self, other):
        assert not isinstance(other, ObservedOperand)
        return isinstance(other, Left) and self.v == other.v

    def __lt__(self, other):
        return self.v < other.v if isinstance(other, Left) else NotImplemented

    def __len__(self):
        return self.v


class Sub(Left):
    def __radd__(self, other):
        assert not isinstance(other, ObservedOperand)
        _CALLED.append("Sub.__radd__")
        return "reflected", other, self


class Other:
    __array_ufunc__ = None

    def __radd__(self, other):
        assert not isinstance(other, ObservedOperand)
        _CALLED.append("Other.__radd__")
        return "other", other, self


class Plain:
    pass


_A, _B, _S, _O, _P = Left(2), Left(3), Sub(2), Other(), Plain()
_X = np.array([1.0, 2.0])
_PAIRS = [(_A, _B), (_A, _S), (_S, _A), (_S, _S), (_A, _O), (_O, _A), (_O, _O), (_A, _A), (1, _A), (1, _O), (_X, _O),
          (_P, _P), (_P, _A), (_A, _P)]


def _done(f: Callable[..., Any], *args: Any) -> Any:
    _CALLED.clear()
    try:
        result = f(*args)
    except TypeError:
        result = TypeError
    return result, list(_CALLED)


@pytest.mark.parametrize("f", [operator.add, operator.iadd, operator.eq, operator.ne, operator.lt, operator.ge])
@pytest.mark.parametrize(("a", "b"), _PAIRS)
def test_python_chooses_the_method(f: Callable[..., Any], a: Any, b: Any) -> None:
    operand = ObservedOperands(lambda method, *args: method(*args)).operand
    (plain, called), (result, by_operands) = _done(f, a, b), _done(f, operand(a), operand(b))
    assert called == by_operands
    assert type(plain) is type(result)
    if isinstance(plain, tuple):
        assert all(x is y for x, y in zip(plain, result))
    else:
        assert plain is result or plain == result


@pytest.mark.parametrize("f", [len, bool, str, repr, hash, list, float, abs, iter])
@pytest.mark.parametrize("x", [_A, _S, _O, _P])
def test_builtins_call_the_methods(f: Callable[..., Any], x: Any) -> None:
    builtin = ObservedOperands(lambda method, *args: method(*args)).builtin
    plain, result = _done(f, x), _done(builtin(f), x)
    assert type(plain[0]) is type(result[0])
    assert plain == result or f is iter
