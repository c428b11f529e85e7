"""Texts that NumPy makes of differentiated arrays and numbers are printed; no number is read from them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import sct

X = np.array([0.7, -1.25, 3.0])


def reported(x: Any, n: int) -> Any:
    beta = x * x
    for i in range(n):
        print("beta", np.array2string(beta, precision=3), np.array_str(beta[:2], precision=2))
        beta = beta * x
    print(np.array_repr(beta), np.format_float_positional(beta[0], precision=3), np.format_float_scientific(beta[1]))
    return np.sum(beta)


def separated(x: Any, n: int) -> Any:
    text = np.array2string(np.sin(x), separator=", ", max_line_width=40, threshold=2) + "."
    print(f"{n}: {text}")
    return np.sum(x * x)


def of_data(x: Any, n: int) -> Any:
    digits = np.array2string(np.arange(n))
    return np.sum(x * x) * len(digits)


def in_options(x: Any, n: int) -> Any:
    with np.printoptions(precision=n + 1):
        print(np.array2string(x * 1.23456789))
    return np.sum(x * x)


@pytest.mark.parametrize("f", [reported, separated, of_data, in_options])
def test_texts_are_as_python_prints_them(f: Any, capsys: pytest.CaptureFixture[str]) -> None:
    derivative = sct.value_and_grad(f)
    for x, n in ((X, 2), (X, 0), (X[:2], 1), (-X, 3)):
        derivative(x, n)  # compiled
        capsys.readouterr()
        value = f(x, n)
        printed = capsys.readouterr().out
        got, dx = derivative(x, n)
        assert (got, capsys.readouterr().out) == (value, printed)
        for k in range(len(x)):
            step = np.eye(len(x))[k] * 1e-6
            assert dx[k] == pytest.approx((f(x + step, n) - f(x - step, n)) / 2e-6, rel=1e-6)
        tangent = sct.jvp(f, (x, n), (np.ones(len(x)),))[1]
        assert tangent == pytest.approx(np.sum(dx), rel=1e-12)
        second = sct.hvp(f, (x, n), (np.ones(len(x)),))
        product = second[1] if isinstance(second, tuple) else second
        assert product == pytest.approx(
            (sct.grad(f)(x + 1e-5, n) - sct.grad(f)(x - 1e-5, n)) / 2e-5, rel=1e-5)


def test_what_would_lose_a_derivative_is_refused() -> None:
    def read(x: Any) -> Any:
        return np.sum(x) * float(np.array2string(x)[1:4])

    def by_function(x: Any) -> Any:
        print(np.array2string(x, formatter={"float_kind": lambda v: f"{v:.1f}"}))
        return np.sum(x)

    with pytest.raises(sct.SctError, match="SCT207: a number is read from a text"):
        sct.grad(read)(X)
    with pytest.raises(sct.SctError, match=r"SCT205: an argument of `np\.array2string`"):
        sct.grad(by_function)(X)
