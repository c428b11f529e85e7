"""The kind of a list's items is compared at each call by code that agrees with `kind_of_rows` for any list."""

from __future__ import annotations

import collections
import types
import typing
from dataclasses import dataclass, replace
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from trees import same_bits

from sct import derivative, grad, jvp, value_and_grad, vjp
from sct.call_checks import MISS, compile_checks
from sct.frontend import key_of, trace


@dataclass
class Layer:
    w: Any
    b: Any


@dataclass
class Sublayer(Layer):
    pass


class Slotted:
    __slots__ = ("b", "w")

    def __init__(self, w: Any, b: Any = None) -> None:
        self.w = w
        if b is not None:
            self.b = b


class WithDict(Slotted):
    pass


class Watched:
    """Its class runs code where attributes are read."""

    def __init__(self, w: float) -> None:
        self.w = w

    def __getattribute__(self, name: str) -> Any:
        return object.__getattribute__(self, name)


class Point(typing.NamedTuple):
    x: Any
    y: Any


Reordered = types.new_class("Reordered", (Point,), {}, lambda ns: ns.update(x=property(lambda self: self[1])))


def reversed_layer(w: float, b: float) -> Layer:
    layer = object.__new__(Layer)
    layer.b, layer.w = b, w
    return layer


def named(**attributes: Any) -> WithDict:
    x = WithDict(1.0, 2.0)
    vars(x).update(attributes)
    return x


def cyclic() -> Layer:
    layer = Layer(1.0, None)
    layer.b = layer
    return layer


def shared_below() -> list[Any]:
    leaf = Layer(1.0, 2.0)
    return [Layer(leaf, leaf), Layer(leaf, Layer(3.0, 4.0))]


a2, a3, ints = np.ones(2), np.ones(3), np.arange(3)
ITEMS: list[list[Any]] = [
    [1.0], [1], [1.0, 1], [1, 1.0, None], [None], [None, 1.0], [True], [True, 1], ["a"], ["a", None], [1j],
    [np.float64(1)], [np.float32(1)], [np.float64(1), 1.0], [b"a"], [[]], [[], [1.0]], [[1.0]], [[1]], [[1.0, 2]],
    [[1.0], [2]], [[None]], [[1.0], None], [["a"]], [[[1.0]]], [[[]], [[1.0]]], [a2], [a3], [a2, a3], [a2, None],
    [ints], [a2.astype("f4")], [a2.astype(">f8")], [a2.reshape(1, 2)], [np.ones((3, 3))], [np.ones((2, 3))],
    [np.ones(1)], [np.ones(())], [np.ones(0)], [np.array(["a"])], [np.array([None])], [[a2]], [[a2], []],
    [[a2], [a3]], [[], []], [a2, [1.0]], [()], [(1.0,)], [(1,)], [(1.0,), (1,)], [(1.0, 2.0)], [(1.0, "a")],
    [(1.0, None)], [(1.0, None), (2.0, 1.0)], [(None, None)], [(1.0, a2)], [(1.0, a2), (1.0, a3)], [(1.0, a3)],
    [(a2, a2)], [(a2, a3)], [(a3, a2)], [(1.0, [])], [(1.0, [1.0]), (2.0, [])], [(1.0, [1]), (2.0, [2.0])],
    [(1.0, (1.0, 2.0))], [(1.0, (1.0, "b"))], [(1.0,), (1.0, 2.0)], [(1.0, [1.0])], [[(1.0, 2.0)]],
    [[(1.0, 2.0)], []], [(1.0, [(1.0, 2.0)])], [{}], [{"w": 1.0}], [{"w": 1}], [{"w": 1.0}, {"w": 2}],
    [{"w": 1.0, "b": 2.0}], [{"b": 2.0, "w": 1.0}], [{"w": 1.0}, {"b": 1.0}], [{"w": None}], [{1: 1.0}],
    [{np.str_("w"): 1.0}], [{"w": a2, "b": a3}], [{"w": 1.0}, {np.str_("w"): 1.0}], [{"".join("w"): 1.0}],
    [{"w": {"b": 1.0}}], [{"w": [1.0]}], [{"w": [{"b": 1.0}]}], [collections.OrderedDict(w=1.0)], [{"w": 1.0}, None],
    [Layer(1.0, 2.0)], [Layer(1, 2.0)], [Layer(1.0, None)], [Layer(1.0, a2)], [Layer(1.0, Layer(1.0, 2.0))],
    [Sublayer(1.0, 2.0)], [Layer(1.0, 2.0), Sublayer(1.0, 2.0)], [reversed_layer(1.0, 2.0)], [Slotted(1.0, 2.0)],
    [Slotted(1.0)], [Slotted(1.0), Slotted(1.0, 2.0)], [named()], [named(c=1.0)], [WithDict(1.0)], [Watched(1.0)],
    [SimpleNamespace(w=1.0)], [SimpleNamespace(w=1.0, b=2.0)], [SimpleNamespace()], [Point(1.0, 2.0)],
    [Point(1, 2.0)], [Point(1.0, a2)], [Reordered(1.0, 2.0)], shared_below(),
    [Layer(Layer(1.0, 2.0), Layer(1.0, 2.0))], [Point(Point(1.0, 2.0), 3.0)], [lambda: 1.0], [object], [3, "a"],
    [(1.0, 2), ("a", 1)], [{"kind": "a", "w": 1.0}, {"kind": "b"}], [[[[[[[[[[[1.0]]]]]]]]]]],
]
LISTS = [[], [cyclic()], [Layer(1.0, [cyclic()])], *ITEMS, *([*items * 3, *items[:1] * 2] for items in ITEMS)]


def numbered(xs: list[Any], ys: list[Any]) -> float:
    return 1.0


@pytest.mark.parametrize("records", [True, False, 2])
def test_the_code_agrees_with_the_key(records: Any) -> None:
    """With each list as one argument, and another list or array as the next."""
    key = lambda *args: key_of(args, {}, records)
    traced = trace(lambda x, xs, ys: x, (1.0, [], []))
    straight = 0
    for y in ([2.0], [a2] * 5, a3):
        keys = [key(1.0, xs, y) for xs in LISTS]
        for xs, own in zip(LISTS, keys):
            checked = compile_checks(_with_key(traced, own, records), lambda *args: True)(traced.root)
            answers = [checked((1.0, other, y), {}) is not MISS for other in LISTS]
            assert answers == [own == other for other in keys], xs
            straight += sum(answers)
    assert straight > 3 * len(LISTS)


def _with_key(traced: Any, key: Any, records: Any) -> Any:
    return replace(traced, key=key, records=records, guards=(), identities=(), apart=None, bind=lambda args, kwargs: [])


def affine(x: float, layers: list[Any]) -> float:
    for layer in layers:
        x = x * layer.w + layer.b
    return x


@pytest.mark.filterwarnings("ignore:.*does not depend")
def test_calls_with_other_lists_compile_once_for_each_kind(monkeypatch: pytest.MonkeyPatch) -> None:
    compiled = []
    specialize = derivative.specialize
    monkeypatch.setattr(derivative, "specialize", lambda *args: compiled.append(1) or specialize(*args))
    d = value_and_grad(affine)
    lists = [[Layer(2.0, 1.0)], [Layer(2.0, 1.0)] * 3, [Layer(0.5, k) for k in (1.0, 2.0)],
             [Layer(2, 1.0), Layer(3.0, 1.0)], [SimpleNamespace(w=2.0, b=1.0)] * 6,
             [Slotted(2.0, 1.0), Slotted(3.0, 1.0)], []]
    for _ in range(2):
        for layers in lists:
            slope = np.prod([layer.w for layer in layers])
            assert same_bits(d(1.5, layers), (affine(1.5, layers), float(slope)))
    assert len(compiled) == 5
    assert all(vjp(affine, 1.5, layers)[1](1.0)[0] == d(1.5, layers)[1] for layers in lists)


def test_a_derivative_made_anew_is_served_by_that_of_the_latest_call(monkeypatch: pytest.MonkeyPatch) -> None:
    layers = [Layer(2.0, 1.0)] * 3
    expected = [8.0, 8.0, 8.0]
    assert [grad(affine)(1.0, layers) for _ in range(3)] == expected
    with monkeypatch.context() as patch:
        patch.setattr(derivative, "key_of", None)
        assert grad(affine)(1.0, layers) == 8.0
    assert [grad(affine)(1.0, xs) for xs in (layers, layers[:1], [Layer(2, 1)] * 3)] == [8.0, 2.0, 8.0]
    assert jvp(affine, (1.0, layers), (1.0,)) == jvp(affine, (1.0, layers), (1.0,)) == (15.0, 8.0)
