"""Dicts that have a key on some paths alone: a loop is left between two writes, an exception comes before one."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from sct import SctError, hessian, value_and_grad
from tests.oracle import same_value

Program = Callable[[float, int], Any]


class Layer:
    def __init__(self):
        self.grads = {}

    def backward(self, x, i):
        self.grads["b"] = x * i
        if self.grads["b"] > 1.0:
            raise StopIteration(i)
        self.grads["W"] = np.ones(2) * x
        return self.grads["W"].sum() + self.grads["b"]


def left_by_break(x, n):
    d, s = {"z": 1.5}, 0.0
    for i in range(n):
        d["y"] = x * i
        if s > 1.0:
            break
        d["b"] = np.ones(2) * x
        s += d["b"].sum() * x + d["y"]
    return s * d["z"] if n == 0 else s


def left_by_an_exception(x, n):
    layer, s = Layer(), 0.0
    try:
        for i in range(n):
            s += layer.backward(x, i) * x
    except StopIteration:
        pass
    return s


def left_by_return(x, n):
    d, s = {}, 0.0

    def steps():
        nonlocal s
        for i in range(n):
            d["y"] = x * i
            if s > 1.0:
                return i
            d["b"] = x * x
            s += d["b"] + d["y"]
        return 100

    return steps() * s


def bound_to_another_dict(x, n):
    layer, s = Layer(), 0.0
    for i in range(n):
        layer.grads["y"] = x * i
        if s > 1.0:
            break
        layer.grads["b"] = x * x
        s += layer.grads["b"]
    layer.grads = {"b": x}
    return s * layer.grads["b"]


def kept_in_a_list(x, n):
    d, s, log = {}, 0.0, []
    for i in range(n):
        d["y"] = x * i
        log.append(d)
        if s > 1.0:
            break
        d["b"] = x * x
        s += d["b"] + d["y"]
    return s * len(log)


def in_a_loop(x, n):
    d, s = {}, 0.0
    for _ in range(2):
        for i in range(n):
            d["y"] = x * i
            if s > 1.0:
                break
            d["b"] = x * x
            s += d["b"] + d["y"]
    return s


def asked_afterwards(x, n):
    d, s = {"z": 1.0}, 0.0
    for i in range(n):
        d["y"] = x * i
        if s > 1.0:
            break
        d["b"] = x * x
        s += d["b"] + d["y"]
    return s * len(d) + (d["b"] if "b" in d else 2.0 * x)


PROGRAMS = [left_by_break, left_by_an_exception, left_by_return, bound_to_another_dict, kept_in_a_list, in_a_loop,
            asked_afterwards]


@pytest.mark.parametrize("f", PROGRAMS)
def test_a_key_that_nobody_reads_is_no_obstacle(f: Program) -> None:
    derivative, curvature = value_and_grad(f), hessian(f)
    for x, n in ((0.3, 5), (5.0, 3), (0.3, 1), (-2.0, 4), (0.3, 0)):
        value, slope = derivative(x, n)
        assert same_value(value, f(x, n))
        np.testing.assert_allclose(slope, (f(x + 1e-6, n) - f(x - 1e-6, n)) / 2e-6, rtol=1e-6, atol=1e-8)
        central = (derivative(x + 1e-6, n)[1] - derivative(x - 1e-6, n)[1]) / 2e-6
        np.testing.assert_allclose(curvature(x, n), central, rtol=1e-6, atol=1e-7)


def reads_its_length(x, w):
    d = {"a": x}
    if np.sum(w * x) > 1.0:
        d["b"] = np.ones(2) * x
    return x * len(d)


def copies(x, w):
    d = {"a": x}
    if np.sum(w * x) > 1.0:
        d["b"] = np.ones(2) * x
    return copy.copy(d)["a"]


@pytest.mark.parametrize("f", [reads_its_length, copies])
def test_a_dict_is_read_where_its_keys_are_known(f: Callable[..., Any]) -> None:
    """Each outcome of the test is compiled, or the derivative is refused: it is never that of other keys."""
    derivative = value_and_grad(f)
    for x in (0.1, 3.0, 0.2):
        try:
            value, slope = derivative(x, np.ones(3))
        except SctError as refusal:
            assert refusal.code in ("SCT310", "SCT503")
        else:
            assert same_value(value, f(x, np.ones(3)))
            np.testing.assert_allclose(slope, (f(x + 1e-6, np.ones(3)) - f(x - 1e-6, np.ones(3))) / 2e-6, rtol=1e-6)
