"""Copies of objects from outside: `copy.copy(self)`, `copy.deepcopy(self)`."""

from __future__ import annotations

import copy
from typing import Any

import numpy as np
import pytest

from sct import SctError, hvp, value_and_grad


class Filter:
    order = 2

    def __init__(self) -> None:
        self.w, self.history, self.gain = np.array([1.0, 2.0, 3.0]), [0.5, 1.5], 0.3
        self.me: Any = None

    def scaled(self, factor: Any) -> Any:
        other = copy.copy(self)
        other.w = self.w * factor
        other.order = other.order + 1
        return other

    def chain(self, x: Any) -> Any:
        f = self
        for _ in range(3):
            f = f.scaled(x)
        return np.sum(f.w) * f.order + self.gain * np.sum(self.w * x)

    def in_place(self, x: Any) -> Any:
        other = copy.deepcopy(self)
        other.w[0] = x[1] * other.w[2]
        other.history.append(x[0] ** 2)
        return np.sum(other.w * x) + sum(other.history) + self.w[0] * x[2]

    def shared(self, x: Any) -> Any:
        other = copy.copy(self)
        other.w[0] = x[0]
        return np.sum(other.w)

    def of_itself(self, x: Any) -> Any:
        other = copy.copy(self)
        other.gain = x[0]
        return other.gain * x[1] if other.me is None else other.me.gain * x[2] + other.gain * other.gain


class Saved(Filter):
    def __getstate__(self) -> Any:
        return {"w": np.ones(3), "history": [], "gain": 1.0}

    def written(self, x: Any) -> Any:
        other = copy.copy(self)
        other.w = other.w * x
        return np.sum(other.w)


X = np.array([0.3, 0.7, 1.2])


@pytest.mark.parametrize("name", ["chain", "in_place", "of_itself"])
def test_the_copy_is_an_object_of_the_function(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SCT_VALIDATE", "0")
    model = Filter()
    if name == "of_itself":
        model.me = model
    f = getattr(model, name)
    derivative = value_and_grad(f)
    for _ in range(2):
        before = (model.w.copy(), [*model.history], model.gain)
        value, slope = derivative(X)
        np.testing.assert_equal((model.w, model.history, model.gain), before)
        assert value == f(X)
        differences = [(f(X + e) - f(X - e)) / 2e-6 for e in 1e-6 * np.eye(3)]
        np.testing.assert_allclose(slope, differences, rtol=1e-7)
        second = hvp(f, (X,), (np.ones(3),))
        rise = value_and_grad(f)(X + 1e-6)[1] - value_and_grad(f)(X - 1e-6)[1]
        np.testing.assert_allclose(second, rise / 2e-6, rtol=1e-6, atol=1e-8)
        # The next call finds other attributes, and more of them.
        model.w, model.history, model.added = model.w * 1.5, [*model.history, 4.0], 1.0  # type: ignore[attr-defined]


def test_a_shallow_copy_shares_its_parts() -> None:
    with pytest.raises(SctError, match=r"SCT302(.|\n)*copy it first"):
        value_and_grad(Filter().shared)(X)


def test_parts_that_are_one_object_are_refused_whenever_they_become_so() -> None:
    model = Filter()
    derivative = value_and_grad(model.in_place)
    derivative(X)
    model.me = model
    with pytest.raises(SctError, match=r"SCT208(.|\n)*holds one object twice"):
        derivative(X)


def test_the_class_may_say_what_a_copy_is() -> None:
    with pytest.raises(SctError, match=r"SCT208(.|\n)*`__getstate__`"):
        value_and_grad(Saved().written)(X)


def test_the_first_copy_of_a_class_is_no_write_to_it() -> None:
    """Python keeps the names of the slots in the class then: `__slotnames__`."""

    class Tank:
        def __init__(self, level: Any) -> None:
            self.level = level

    def squared(x: Any) -> Any:
        tank = copy.copy(Tank(x))
        return tank.level * tank.level

    assert value_and_grad(squared)(3.0) == (9.0, 6.0)
