"""Functions that put an argument into itself, or two into each other."""

from __future__ import annotations

import copy
from typing import Any

import pytest

import sct


class Node:
    def __init__(self) -> None:
        self.value = 2.0


def ring(x: float, node: Any) -> float:
    node.next = node
    node.value = x * node.value
    return node.next.next.value * x  # type: ignore[no-any-return]


def grown(x: float, xs: Any) -> float:
    xs.append(xs)
    return x * x * len(xs)


def read_back(x: float, xs: Any) -> float:
    xs.append(xs)
    xs[0] = x * 3.0
    return x * xs[-1][-1][0] if xs[-1] is xs else x  # type: ignore[no-any-return]


def in_a_list(x: float, xs: Any) -> float:
    xs.append([xs])
    return x * x * len(xs[-1][0])


def of_a_dict(x: float, d: Any) -> float:
    d["self"] = d
    d["w"] = x * x
    return d["self"]["self"]["w"]  # type: ignore[no-any-return]


def of_a_tuple(x: float, pair: Any) -> float:
    pair[0].append(pair)
    return x * x * len(pair[0])


@pytest.mark.parametrize(("f", "arguments"), [
    (ring, [Node(), Node()]), (grown, [[], [1.0], [1.0, 2.0]]), (read_back, [[1.0], [1.0, 2.0]]),
    (in_a_list, [[], [1.0]]), (of_a_dict, [{}, {"w": 1.0}]), (of_a_tuple, [([],), ([1.0], 2.0)])])
def test_an_argument_is_put_into_itself(f: Any, arguments: list[Any]) -> None:
    derivative = sct.value_and_grad(f)
    for argument in arguments:
        value, dx = derivative(1.5, argument)
        assert value == f(1.5, copy.deepcopy(argument))
        up, down = (f(1.5 + h, copy.deepcopy(argument)) for h in (1e-6, -1e-6))
        assert dx == pytest.approx((up - down) / 2e-6, rel=1e-6)
        assert sct.jvp(f, (1.5, argument), (1.0,)) == (value, dx)
        assert sct.hessian(f)(1.5, argument) == pytest.approx(dx / 1.5, rel=1e-12)
        if isinstance(argument, list):
            assert argument in ([], [1.0], [1.0, 2.0])  # the caller's own stays as it is


def test_two_arguments_hold_each_other() -> None:
    def f(x: float, a: Any, b: Any) -> float:
        a.next, b.next = b, a
        a.value = x
        return x * a.next.next.value + b.value  # type: ignore[no-any-return]

    a, b = Node(), Node()
    assert sct.value_and_grad(f)(1.5, a, b) == (1.5 * 1.5 + 2.0, 3.0)
    assert sct.hessian(f)(1.5, a, b) == 2.0
    assert vars(a) == vars(b) == {"value": 2.0}


def test_what_has_no_end_is_said() -> None:
    def in_loop(x: float, xs: Any, n: int) -> float:
        for _ in range(n):
            xs.append(xs)
        return x * len(xs)

    def returned(x: float, xs: Any, n: int) -> Any:
        xs.append(xs)
        return xs

    for f in (in_loop, returned):
        with pytest.raises(sct.SctError, match="contains itself, or is nested too deeply"):
            sct.grad(f)(1.5, [1.0], 2)
