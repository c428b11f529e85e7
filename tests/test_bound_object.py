"""Attributes of the object of a differentiated method that it writes: a private copy, and a warning."""

from __future__ import annotations

import copy
import functools
from typing import Any

import numpy as np
import pytest

from sct import SctError, SctWarning, value_and_grad


class Model:
    def __init__(self) -> None:
        self.count, self.w, self.best = 0, 2.0, None

    def loss(self, x: Any) -> Any:
        self.count += 1
        return self.w * x * x * self.count

    def twice(self, x: Any) -> Any:
        return self.loss(x) + self.loss(2.0 * x)

    def on_one_path(self, x: Any) -> Any:
        if x > 0.5:
            self.count += 3
        return x * self.count

    def in_a_loop(self, x: Any) -> Any:
        for i in range(12):
            self.w = self.w * x
            if self.best is None or x * i > self.best:
                self.best = x * i
        return self.w * self.best

    def of_another(self, other: Any, x: Any) -> Any:
        self.count += 1
        return x * other.count + self.count * x

    def of_a_global(self, x: Any) -> Any:
        self.count += 1
        return x * MODEL.count

    def shown(self, x: Any) -> Any:
        self.count += 1
        return len(f"{self}") * x


MODEL = Model()


@pytest.mark.parametrize("name", ["loss", "twice", "on_one_path", "in_a_loop"])
def test_a_private_copy(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SCT_VALIDATE", "0")
    model, untouched = Model(), Model()
    derivative = value_and_grad(getattr(model, name))
    with pytest.warns(SctWarning, match="changes a private copy"):
        value, slope = derivative(0.7)
    plain = [getattr(Model(), name)(x) for x in (0.7, 0.7 + 1e-6, 0.7 - 1e-6)]
    assert value == plain[0] == derivative(0.7)[0] and vars(model) == vars(untouched)
    np.testing.assert_allclose(slope, (plain[1] - plain[2]) / 2e-6, rtol=1e-6)
    model.count, model.w = 4, 3.0
    assert derivative(0.7)[0] == getattr(copy.copy(model), name)(0.7)


@pytest.mark.filterwarnings("ignore::sct.SctWarning")
def test_another_name_of_the_object_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SCT_VALIDATE", "0")
    model = Model()
    derivative = value_and_grad(model.of_another, 1)
    assert derivative(Model(), 0.7)[0] == 0.7
    for refused in (lambda: derivative(model, 0.7), lambda: value_and_grad(MODEL.of_a_global)(0.7),
                    lambda: value_and_grad(model.shown)(0.7)):
        with pytest.raises(SctError):
            refused()


@pytest.mark.filterwarnings("ignore::sct.SctWarning")
def test_a_partial_of_a_bound_method_is_validated() -> None:
    model = Model()
    derivative = value_and_grad(functools.partial(model.loss))
    assert derivative(0.7)[0] == Model().loss(0.7)
    assert derivative.validated is True and model.count == 0
