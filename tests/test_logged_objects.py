"""Objects and containers in the messages of a logger: their text is made, and they carry on."""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

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
