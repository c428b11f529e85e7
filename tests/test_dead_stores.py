"""Zeros that the reverse of an assignment stores are left out where nothing reads them, and only there."""

import linecache
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from oracle import agrees

from sct import grad, value_and_grad


def triangular_solve(L, b):
    x = np.zeros_like(b)
    for i in range(len(b)):
        x[i] = (b[i] - L[i, :i] @ x[:i]) / L[i, i]
    return x @ x


def windows(L, b):
    out = np.empty((len(b) - 1, 2))
    for i in range(len(b) - 1):
        for j in range(2):
            out[i, j] = L[i, j] * b[i + j] * b[i + 1]
    return np.sum(out * out)


def above_the_diagonal(L, b):
    c = np.zeros_like(L)
    for i in range(len(b) - 1):
        c[i, i + 1 :] = c[i + 1 :, i] = b[i] * L[i, i + 1 :]
    return np.sum(c * c)


def in_a_branch(L, b):
    c = np.empty(len(b))
    for i in range(len(b)):
        if b[i] > 0.3:
            c[i] = L[i, 0] * b[i]
        else:
            c[i] = b[i] * b[i]
    return c @ c


def read_before_too(L, b):
    c = b.copy()
    c[0] = L[0, 0] * b[1]
    for i in range(1, len(b)):
        c[i] = c[i - 1] * L[i, 0]
    return c @ c


def columns(L, b):
    c = np.empty((len(b), 3))
    c[:, 0] = b * L[0]
    c[:, 1] = np.sin(b)
    c[:, 2] = c[:, 0] * b
    return np.sum(c[:, 1] * c[:, 2])


LEFT_OUT = (triangular_solve, windows, above_the_diagonal, in_a_branch, columns)


def with_the_diagonal(L, b):
    c = np.zeros_like(L)
    for i in range(len(b)):
        c[i:, i] = c[i, i:] = b[i] * np.sin(L[i, i:])
    return np.sum(c * c)


def read_in_the_next_iteration(L, b):
    c = b.copy()
    for i in range(len(b) - 1):
        c[i + 1] = c[i] * L[i, i]
        c[i] = b[i] * L[i, 0]
    return c @ c


def overwritten_in_the_next(L, b):
    c = b.copy()
    for i in range(1, len(b)):
        c[i - 1 : i + 1] = b[i] * L[i, 0] * b[i - 1 : i + 1]
    return c @ c


def counted_from_the_end(L, b):
    c = b.copy()
    for i in range(len(b)):
        c[i - 1] = b[i] * L[i, 0]
        c[0] = c[1] * b[i]
    return c @ c


def read_after_the_loop(L, b):
    c = b.copy() * L[0]
    for i in range(len(b)):
        c[i] = b[i] * L[i, 0]
    return c @ c


def sweeps(L, b):
    c = b.copy()
    for _ in range(3):
        for i in range(len(b)):
            c[i] = L[i, 0] * c[i - 1]
    return c @ c


def positions(L, b):
    c = np.zeros(len(b))
    for i in range(len(b)):
        c[(3 * i) % len(b)] = L[i, 0] * b[i]
        c[i // 2] = b[i] * b[i]
    return c @ c


KEPT = (read_before_too, with_the_diagonal, read_in_the_next_iteration, overwritten_in_the_next, counted_from_the_end,
        read_after_the_loop, sweeps, positions)


def arguments(n: int = 5) -> tuple[Any, Any]:
    rng = np.random.default_rng(n)
    return rng.random((n, n)) + 2.0 * np.eye(n), rng.random(n)


def zeros_stored(source: str) -> int:
    return sum(line.strip().endswith("= 0.0") and "[" in line for line in source.splitlines())


@pytest.mark.parametrize("f", LEFT_OUT + KEPT)
def test_gradients(f: Callable[..., Any]) -> None:
    agrees(f, *arguments())


@pytest.mark.parametrize("f", LEFT_OUT)
def test_zeros_that_nothing_reads_are_not_stored(f: Callable[..., Any]) -> None:
    df = grad(f, argnums=(0, 1))
    df(*arguments())
    assert zeros_stored(df.source) == 0, df.source


@pytest.mark.parametrize("f", KEPT)
def test_others_are(f: Callable[..., Any]) -> None:
    df = grad(f, argnums=(0, 1))
    df(*arguments())
    assert zeros_stored(df.source) > 0, df.source


SUBSCRIPTS = ("i", "i + 1", "i - 1", "n - i - 1", "0", "-1", "2", "i:", "i + 1:", ":i", ":i + 1", "1:", ":-1",
              "i:i + 2", "i // 2", "j", "j + 1", ":j", "j:", "i - j")


def random_program(seed: int) -> str:
    """Assignments to parts of two arrays, of other parts, in two loops."""
    rng = np.random.default_rng(seed)

    def part(inner: bool) -> str:
        names = SUBSCRIPTS if inner else SUBSCRIPTS[:-5]
        return f"{rng.choice(('c', 'd'))}[{rng.choice(names)}]"

    def statement(inner: bool) -> str:
        return f"{part(inner)} = s * np.sum({part(inner)}) + {rng.choice(('b', 'c', 'd'))}[{rng.integers(0, 3)}]"

    down = "range(n - 2, 0, -1)" if rng.random() < 0.4 else "range(1, n - 1)"
    body = [f"        {statement(False)}" for _ in range(rng.integers(1, 3))]
    if rng.random() < 0.6:
        body.insert(int(rng.integers(0, len(body) + 1)), "        for j in range(1, i):\n" + "\n".join(
            f"            {statement(True)}" for _ in range(rng.integers(1, 3))))
    return "\n".join(["def f(b, s):", "    n = len(b)", "    c, d = b.copy(), 0.5 * b", f"    for i in {down}:", *body,
                      f"    return np.sum(c * c) + d[{rng.integers(0, 5)}]"])


@pytest.mark.parametrize("seed", range(40))
def test_random_assignments(seed: int) -> None:
    source, name, namespace = random_program(seed), f"<assignments {seed}>", {"np": np}
    linecache.cache[name] = (len(source), None, source.splitlines(keepends=True), name)
    exec(compile(source, name, "exec"), namespace)
    f: Any = namespace["f"]
    b, s = np.random.default_rng(seed).random(6), 0.3
    value, (db, ds) = value_and_grad(f, argnums=(0, 1))(b, s)
    assert value == f(b, s)
    eps = 1e-6
    for k in range(6):
        step = eps * np.eye(6)[k]
        np.testing.assert_allclose(db[k], (f(b + step, s) - f(b - step, s)) / (2 * eps), rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(ds, (f(b, s + eps) - f(b, s - eps)) / (2 * eps), rtol=1e-5, atol=1e-6)
