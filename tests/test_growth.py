"""Twice the loop, twice the bytes: no iteration of an emitted gradient copies or allocates a whole array."""

import types
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from oracle import agrees

from sct import grad


def chain_of_frames(T, parents):
    out = np.empty_like(T)
    for i in range(len(T)):
        parent = parents[i]
        out[i] = T[i] if parent == -1 else out[parent] @ T[i]
    return np.sum(out * out)


def row_or_zero(A, rows):
    out = np.zeros_like(A)
    for i in range(1, len(A)):
        if rows[i] >= 0:
            r = out[rows[i]]
            out[i] = np.sin(r) * A[i]
        else:
            out[i] = A[i]
    return np.sum(out * out)


def solve(T, parents):
    x = np.zeros(len(T))
    for i in range(len(T)):
        x[i] = (T[i, 0, 1] + T[i, 1, 0] * x[i - 1]) / (4.0 + T[i, 0, 0])
    return x @ x


def along(T, parents):
    s = np.ones(len(T))
    for i in range(1, len(T)):
        s[i] = s[i - 1] * T[i, 0, 0] + s[i // 2]
        s[i // 2] = 0.5 * s[i]
    return s @ s


def through_views(T, parents):
    x = T[:, 0, 0].copy()
    for i in range(1, len(x)):
        tail = x[1:]
        back = tail[::-1]
        tail[i - 1] = tail[i - 1] * x[0]
        back[i - 1] += np.sin(x[i])
    return x @ x


def frames(n: int) -> tuple[Any, Any]:
    rng = np.random.default_rng(n)
    parents = np.array([-1, *(int(rng.integers(0, i)) for i in range(1, n))])
    return np.eye(2) + 0.1 * rng.normal(size=(n, 2, 2)) / n, parents


def rows(n: int) -> tuple[Any, Any]:
    rng = np.random.default_rng(n)
    return rng.normal(size=(n, 3)), np.array([-1, -1, *(int(rng.integers(0, i)) for i in range(2, n))])


PROGRAMS = ((chain_of_frames, frames), (row_or_zero, rows), (solve, frames), (along, frames), (through_views, frames))


class Counted(np.ndarray):
    """An array that counts the bytes of the arrays that are computed of it."""

    bytes = 0

    def __array_finalize__(self, base: Any) -> None:
        if self.base is None:
            Counted.bytes += self.nbytes


def bytes_of(df: Callable[..., Any], args: tuple[Any, Any]) -> int:
    namespace: dict[str, Any] = {}
    exec(compile(df.source, "<emitted>", "exec"), namespace)  # type: ignore[attr-defined]
    namespace["np"] = types.SimpleNamespace(**{**vars(np), "copy": lambda x: np.array(x, subok=True)})
    emitted = next(f for name, f in namespace.items() if name.endswith("_grad"))
    array = args[0].view(Counted)
    Counted.bytes = 0
    emitted(array, args[1])
    return Counted.bytes


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda p: p[0].__name__)
def test_gradients(program: Any) -> None:
    f, args = program
    agrees(f, *args(6))


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda p: p[0].__name__)
def test_bytes_grow_as_the_loop_does(program: Any) -> None:
    f, args = program
    df = grad(f)
    df(*args(5))
    counts = [bytes_of(df, args(n)) for n in (60, 120, 240)]
    assert counts[0] > 0 and counts[2] - counts[1] <= 2.2 * (counts[1] - counts[0]), (counts, df.source)
