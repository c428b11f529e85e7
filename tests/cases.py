"""Programs with their arguments, collected by a decorator, and how each is checked."""

import copy
from typing import Any

import numpy as np
import pytest

import sct

__all__ = ["Cases", "check_program"]


class Cases:
    """`@case(*args)` above a function adds it to `params`."""

    def __init__(self) -> None:
        self.params: list[Any] = []

    def __call__(self, *args: Any) -> Any:
        def add(f: Any) -> Any:
            self.params.append(pytest.param(f, args, id=getattr(f, "__qualname__", type(f).__name__)))
            return f

        return add


def check_program(f: Any, args: tuple[Any, ...]) -> None:
    """Its derivatives agree with differences and with each other, twice; the caller's arrays are as they were."""
    given = copy.deepcopy(args)
    sct.check_grads(f, given, order=2)
    for x, before in zip(given, args):
        if isinstance(x, np.ndarray):
            np.testing.assert_array_equal(x, before)
