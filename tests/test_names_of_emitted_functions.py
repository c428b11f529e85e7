"""Functions that the text of a derivative calls, and parameters and free variables of the same names."""

import json

import numpy as np
import pytest
from oracle import agrees, agrees_in_second_order

from sct import check_grads

power_forward = 2.0
power_backward = 3.0
power_vjp = 1.5
power_jvp = 0.5


def power(x, n):
    if n == 0:
        return np.sin(x) * x
    return power(x, n - 1) * power(x, n - 1) * x


def power_1(x, n):
    return x if n == 0 else power_1(x, n - 1) * power(x, n - 1)


class Layer:
    power_forward = 2.0


class Node:
    def __init__(self, kids):
        self.kids = kids

    def size(self, x):
        return x * len(self.kids)


def node_of(items):
    return Node([node_of(item) if isinstance(item, list) else item for item in items])


@pytest.mark.parametrize("text", ["[1, [2, 3], [[4]]]", "[1, 2]", "[]"])
def test_a_function_that_is_called_and_read(text):
    def f(x, text):
        return node_of(json.loads(text)).size(x)

    agrees(f, 1.5, text)


def free_variables(x, n):
    return power(x, n) * power_backward + power_forward * x * power_jvp * power_vjp


def a_parameter(power_forward, n):
    return power(power_forward, n) * power_backward


def a_list(power_forward, n):
    return power(power_forward[0], n) * power_forward[1]


def a_dict(power_backward, n):
    return power(power_backward["x"], n) * power_backward["k"]


def an_attribute_of_a_class(x, n):
    return power(x, n) * Layer.power_forward


def functions_with_like_names(x, n):
    return power(x, n) * power_1(x, n)


@pytest.mark.parametrize(("f", "x"), [
    (free_variables, 0.7), (a_parameter, 0.7), (a_list, [0.7, 2.0]), (a_dict, {"x": 0.7, "k": 2.0}),
    (an_attribute_of_a_class, 0.7), (functions_with_like_names, 0.7)])
def test_names_of_parts_of_functions(f, x):
    agrees(f, x, 2)
    if isinstance(x, float):
        agrees_in_second_order(f, x, 2)
        check_grads(f, (x, 2), order=2)
