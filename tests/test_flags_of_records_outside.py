"""Flags of records in small lists and dicts of attributes and globals: values of run time, which compile nothing."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

from sct import value_and_grad
from tests.oracle import agrees


@dataclass
class Stratum:
    x: np.ndarray
    events: list[bool]
    censored: bool
    centered: bool = True


class Study:
    def __init__(self, flags: tuple[bool, ...], axes: int = 0) -> None:
        self.strata = {f"s{k}": Stratum(np.arange(1.0, 3.0 + k), [flag, not flag], flag)
                       for k, flag in enumerate(flags)}
        self.tables = [{"rate": 0.5 + k, "fixed": flag} for k, flag in enumerate(flags[:2])]
        self.keeps = axes == 0

    def loss(self, b):
        total = 0.0
        for name, s in self.strata.items():
            eta = s.x * b[0]
            if not s.censored:
                total += np.sum(eta)
            for k in range(len(s.events)):
                total += b[1] * s.x[k] ** 2 if s.events[k] else 0.0
            total += np.sum(np.sum(np.outer(eta, eta), axis=0, keepdims=s.centered))
        for row in self.tables:
            total = total + (b[0] ** 2 if row["fixed"] else row["rate"] * b[1])
        return total if self.keeps else total * b[0]


def test_other_flags_are_compiled_once() -> None:
    f = Study((True, False, True)).loss
    value_and_grad(f)([0.7, 1.2])
    for flags in ((True, False, True), (False, False, True), (True, True, False), (False, False, False)):
        df = value_and_grad(Study(flags).loss)
        agrees(Study(flags).loss, [0.7, 1.2], derivative=df)
        assert len(df.sources) == 1  # type: ignore[attr-defined]
    agrees(Study((True, False, True), 1).loss, [0.7, 1.2])


LAYERS: list[dict[str, Any]] = [{"w": 2.0, "bias": True}, {"w": np.ones(2), "bias": False}]


def layers(x):
    for layer in LAYERS:
        x = np.sum(layer["w"] * x) if layer["bias"] else layer["w"] * x[0] if np.ndim(x) else layer["w"] * x
    return np.sum(x)


@pytest.mark.parametrize("flags", [(True, False), (False, False), (True, True)])
def test_a_flag_that_decides_types_may_be_asked(flags: tuple[bool, bool], monkeypatch: pytest.MonkeyPatch) -> None:
    for layer, flag in zip(LAYERS, flags):
        monkeypatch.setitem(layer, "bias", flag)
    agrees(layers, 0.7)
