"""`with ExitStack()`: the contexts that its statements enter."""

from __future__ import annotations

import contextlib
from contextlib import ExitStack
from typing import Any

import numpy as np
import pytest
from oracle import agrees, refuses


class Noted:
    def __init__(self, log: list[Any], k: Any) -> None:
        self.log, self.k = log, k

    def __enter__(self) -> Any:
        self.log.append(self.k)
        return self.k

    def __exit__(self, *exception: Any) -> None:
        self.log.append(-2.0 * self.k)


def in_order(x: Any) -> Any:
    log: list[Any] = []
    with ExitStack() as stack:
        p = stack.enter_context(Noted(log, x))
        log.append(10.0)
        q = stack.enter_context(Noted(log, x * x))
        y = p * q
    return sum(v * (i + 1) for i, v in enumerate(log)) + y


def in_a_loop(x: Any) -> Any:
    s = 0.0
    for i in range(9):
        with np.errstate(all="ignore"), contextlib.ExitStack() as stack:
            stack.enter_context(np.errstate(divide="ignore"))
            stack.enter_context(contextlib.suppress(ZeroDivisionError))
            if i % 3 == 2:
                continue
            s += x / (i - 4)
            s += 1.0
    return s


@pytest.mark.parametrize("f", [in_order, in_a_loop])
def test_contexts_of_a_stack(f: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SCT_VALIDATE", "0")
    agrees(f, 0.7)


def in_a_loop_of_its_own(x: Any) -> Any:
    with ExitStack() as stack:
        for _ in range(2):
            stack.enter_context(np.errstate(all="ignore"))
        return x


def called_back(x: Any) -> Any:
    with ExitStack() as stack:
        stack.callback(print, "end")
        return x


def read_behind(x: Any) -> Any:
    with ExitStack() as stack:
        stack.enter_context(np.errstate(all="ignore"))
    return x if stack else 2.0 * x


@pytest.mark.parametrize(("f", "code"), [
    (in_a_loop_of_its_own, "SCT101"), (called_back, "SCT101"), (read_behind, "SCT502")])
def test_other_uses_of_a_stack_are_refused(f: Any, code: str) -> None:
    refuses(f, 0.7, code=code)
