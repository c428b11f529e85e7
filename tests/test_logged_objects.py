"""Objects and containers in the messages of a logger: their text is made, and they carry on."""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from oracle import agrees, refuses

from sct import value_and_grad

logger = logging.getLogger(__name__)


@dataclass
class Step:
    size: Any
    number: int


class Named:
    def __init__(self, v: Any) -> None:
        self.v = v

    def __repr__(self) -> str:
        return f"Named({self.v:.3f})"


class Plain:
    def __init__(self, v: Any) -> None:
        self.v = v


def objects(x: Any, n: int) -> Any:
    step = Step(x, n)
    logger.warning("%r of 100%% %d and %-20s|", step, n, Named(x))
    for k in range(n):
        logger.info("step %d: %s %r", k, Named(x * k), [x, k])
        logger.log(logging.WARNING, "%s", (x * x, k))
    return step.size * n


def containers(x: Any, n: int) -> Any:
    steps = []
    for k in range(n):
        steps.append(x * k)
        logger.debug("steps %s", steps)
    logging.warning("all %r", {"x": x, "steps": [x, x * n]})
    return sum(steps) * x


@pytest.mark.parametrize("f", [objects, containers], ids=lambda f: f.__name__)
@pytest.mark.parametrize("level", [logging.DEBUG, logging.ERROR])
def test_a_message_is_written_as_python_writes_it(f: Callable[..., Any], level: int, caplog: Any) -> None:
    caplog.set_level(level)
    derivative = value_and_grad(f)
    for x, n in ((0.7, 3), (-1.2, 2), (2.5, 5)):
        caplog.clear()
        f(x, n)
        messages = [record.message for record in caplog.records]
        assert bool(messages) == (level == logging.DEBUG)
        derivative(x, n)
        caplog.clear()
        derivative(x, n)
        assert [record.message for record in caplog.records] == messages
        agrees(f, x, n, derivative=derivative)


def test_an_object_whose_text_is_its_address_is_refused() -> None:
    def f(x: Any) -> Any:
        p = Plain(x)
        logger.info("%r", p)
        return p.v * x

    refuses(f, 0.5, code="SCT503")


class NotConverged(RuntimeError):
    def __init__(self, count, gap):
        super().__init__(f"no convergence after {count} iterations: {gap:.2e}")
        self.count, self.gap = count, gap


def root(x, tolerance):
    y, gap = np.ones(2), np.inf
    for k in range(5):
        new = 0.5 * (y + x / y)
        gap = np.max(np.abs(new - y))
        y = new
        logger.debug("iteration %d", k)
        if gap < tolerance:
            logging.info("converged")
            return y
    raise NotConverged(5, gap)


def or_gap(x, tolerance):
    try:
        y = root(x, tolerance)
    except NotConverged as e:
        return 1e3 + e.gap * e.count
    return np.sum(y * y) * x


def test_what_is_logged_in_a_try_raises_nothing() -> None:
    derivative = value_and_grad(or_gap)
    for tolerance in (1e-2, 1e-30, 1e-3):
        agrees(lambda x: or_gap(x, tolerance), 2.0)
        assert derivative(2.0, tolerance)[0] == or_gap(2.0, tolerance)
    agrees(lambda x: or_gap(x, 1e-2), 700.0)
