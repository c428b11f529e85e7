"""Methods and class attributes of exceptions that the program raises and handles."""

from __future__ import annotations

import numpy as np
from oracle import agrees_in_every_mode, refuses

X = np.array([0.7, 1.3])
CALLS = [(X, n) for n in (1, 0, 2)]


class Excess(Exception):
    scale = 1.5

    def __init__(self, by):
        super().__init__(by)
        self.by = by

    def penalty(self, k):
        return self.by * k + self.scale

    @property
    def twice(self):
        return 2 * self.by


class Large(Excess):
    scale = 3.0

    def penalty(self, k):
        return super().penalty(k) * self.twice + super().twice + super().scale


class Scaled(Excess):
    def __init__(self, by):
        super().__init__(by)
        self.scale = by**2


class ScaledByName(Excess):
    def __init__(self, by):
        super().__init__(by)
        for name in ("scale",):
            setattr(self, name, by**2)


def of_the_base_class(x, n):
    try:
        if n == 1:
            raise Large(x[0] * x[1])
    except Large as e:
        return e.penalty(2.0) * x[1]
    return x.sum()


def of_the_class(x, n):
    try:
        if n == 1:
            raise Large(x[0] * x[1])
        if n == 2:
            raise Excess(x[0])
    except Excess as e:
        return e.scale * e.by * x[1]
    return x.sum()


def test_a_method_calls_that_of_the_base_class():
    agrees_in_every_mode(of_the_base_class, CALLS)


def test_a_value_of_the_class():
    agrees_in_every_mode(of_the_class, CALLS)


def of_the_exception(x, n):
    try:
        if n == 1:
            raise Scaled(x[0])
    except Excess as e:
        return e.scale * x[1]
    return x.sum()


def set_by_name(x, n):
    try:
        if n == 1:
            raise ScaledByName(x[0])
    except Excess as e:
        return e.scale * x[1]
    return x.sum()


def test_an_attribute_of_the_exception_hides_that_of_its_class():
    for f in (of_the_exception, set_by_name):
        refuses(f, X, 1, code="SCT207")


def kept_method(x, n):
    try:
        if n == 1:
            raise Excess(x[0])
    except Excess as e:
        penalty = e.penalty
    else:
        penalty = abs
    return penalty(3.0) * x[1]


def test_a_bound_method_of_an_exception_is_no_function_for_another_path():
    refuses(kept_method, X, 1, code="SCT502")
