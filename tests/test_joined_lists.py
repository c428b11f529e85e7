"""`np.concatenate`, `np.stack` and their like of lists whose length is known only at run time.

Values, and what is raised for an empty list or for arrays that do not fit, are those of the plain call; gradients are
those of central differences, and every mode agrees with them.
"""

from typing import Any

import numpy as np
import pytest
from oracle import agrees, refuses

import sct


def grown(x: np.ndarray, n: int) -> list[np.ndarray]:
    xs = []
    for k in range(n):
        xs.append(np.sin(x) * (k + 1.0))
    return xs


def ragged(x: np.ndarray, n: int) -> list[np.ndarray]:
    xs = []
    for k in range(n):
        xs.append(x[:k] * (k + 1.0))
    return xs


def numbers(x: np.ndarray, n: int) -> list[float]:
    xs = []
    for k in range(n):
        xs.append(x[k % 3] * (k + 1.0))
    return xs


def weighed(y: np.ndarray) -> Any:
    return np.sum(y**3 * np.arange(1.0, y.size + 1.0).reshape(y.shape)) + y.shape[-1]


def row(x: np.ndarray) -> np.ndarray:
    return x.reshape(1, 3)


def column(x: np.ndarray) -> np.ndarray:
    return x.reshape(3, 1)


JOINED = {
    "concatenate": lambda x, n: weighed(np.concatenate(grown(x, n))),
    "concatenate of parts": lambda x, n: weighed(np.concatenate(ragged(x, n))),
    "concatenate rows": lambda x, n: weighed(np.concatenate(grown(row(x), n))),
    "concatenate along rows": lambda x, n: weighed(np.concatenate(grown(row(x), n), 1)),
    "concatenate along the last axis": lambda x, n: weighed(np.concatenate(grown(column(x), n), axis=-1)),
    "concatenate more": lambda x, n: weighed(np.concatenate([x] + grown(x, n))),
    "stack": lambda x, n: weighed(np.stack(grown(x, n))),
    "stack columns": lambda x, n: weighed(np.stack(grown(x, n), axis=1)),
    "stack along the last axis": lambda x, n: weighed(np.stack(grown(row(x), n), -1)),
    "stack numbers": lambda x, n: weighed(np.stack(numbers(x, n))),
    "stack parts": lambda x, n: weighed(np.stack(ragged(x, n))),
    "vstack": lambda x, n: weighed(np.vstack(grown(x, n))),
    "vstack rows": lambda x, n: weighed(np.vstack(grown(row(x), n))),
    "vstack parts": lambda x, n: weighed(np.vstack(ragged(x, n))),
    "hstack": lambda x, n: weighed(np.hstack(grown(x, n))),
    "hstack of parts": lambda x, n: weighed(np.hstack(ragged(x, n))),
    "hstack of columns": lambda x, n: weighed(np.hstack(grown(column(x), n))),
    "hstack of numbers": lambda x, n: weighed(np.hstack(numbers(x, n))),
    "column_stack": lambda x, n: weighed(np.column_stack(grown(x, n))),
    "column_stack of columns": lambda x, n: weighed(np.column_stack(grown(column(x), n))),
}


@pytest.mark.parametrize("f", JOINED.values(), ids=JOINED)
def test_joined(f: Any) -> None:
    x, step, derivative = np.array([0.5, 1.0, 2.0]), 1e-6, sct.value_and_grad(f)
    for n in (4, 0, 1):
        agrees(f, x, n, derivative=derivative)
    n = 1 if f in (JOINED["stack parts"], JOINED["vstack parts"]) else 3
    slope, t = sct.grad(f)(x, n), np.array([1.0, 0.5, -1.0])
    np.testing.assert_allclose(sct.jvp(f, (x, n), (t, None))[1], slope @ t)
    second = [(sct.grad(f)(x + step * e, n) - sct.grad(f)(x - step * e, n)) / (2 * step) for e in np.eye(3)]
    for mode in (sct.hessian(f), sct.jacrev(sct.grad(f))):
        np.testing.assert_allclose(mode(x, n), second, rtol=1e-5, atol=1e-4)


def test_an_argument_that_is_a_list_of_arrays() -> None:
    def f(xs: list[np.ndarray]) -> Any:
        return weighed(np.concatenate(xs)) + weighed(np.vstack(xs))

    derivative = sct.value_and_grad(f)
    for k in (6, 5, 9):
        agrees(f, [np.linspace(0.2, 1.0 + j, 3) for j in range(k)], derivative=derivative)


def test_the_gradient_reads_as_written_by_hand() -> None:
    derivative = sct.grad(JOINED["concatenate of parts"])
    derivative(np.ones(3), 4)
    assert "np.split(" in derivative.source and "np.cumsum([len(v) for v in xs])[:-1])" in derivative.source


def test_refused() -> None:
    x = np.ones(3)
    assert "`axis=None`" in refuses(lambda x, n: np.sum(np.concatenate(grown(x, n), axis=None)), x, 3,
                                    code="SCT205").what
    refuses(lambda x, n: np.sum(np.vstack(numbers(x, n))), x, 3, code="SCT501")
    agrees(lambda x, n: np.sum(np.concatenate([np.ravel(v) for v in grown(row(x), n)])), x, 3)
    derivative = sct.value_and_grad(lambda x, n: np.sum(sum(grown(x, n), np.zeros(3)) ** 2))
    for n in (3, 0, 5):
        agrees(lambda x, n: np.sum(sum(grown(x, n), np.zeros(3)) ** 2), x, n, derivative=derivative)


def summed(x: Any, n: int) -> Any:
    xs, s = grown(x, n), 0.0
    for i in range(n):
        some = [x * j for j in range(i % 3 + 1) if j * i < n]
        s += np.sum(sum(some) / len(some)) + np.sum(sum(xs[i:]) * x)
    return weighed(sum(xs)) + s


def test_the_sum_of_a_list_of_arrays_that_is_not_empty(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SCT_VALIDATE", "0")
    x, derivative = np.array([0.5, -0.0, 2.0]), sct.value_and_grad(summed)
    for n in (4, 1, 5):
        agrees(summed, x, n, derivative=derivative)
    with pytest.raises(TypeError, match="begin with an array"):
        derivative(x, 0)
    agrees(lambda xs: weighed(sum(xs) if xs else xs), [x * k for k in range(1, 7)])


def rank_of_rows(x: Any, n: int) -> Any:
    rows = np.array([x * k for k in range(n)])
    return np.sum(x) * 2.0 if rows.ndim == 2 else np.sum(x) * 5.0


def shape_of_rows(x: Any, n: int) -> Any:
    rows = []
    for k in range(n):
        rows.append(x * k)
    return np.sum(x) * len(np.array(rows).shape)


@pytest.mark.parametrize("f", [rank_of_rows, shape_of_rows])
def test_the_axes_of_an_array_of_an_empty_list_are_not_those_of_a_filled_one(f: Any) -> None:
    x = np.array([0.5, 1.5])
    derivative = sct.value_and_grad(f)
    agrees(f, x, 3, derivative=derivative)
    with pytest.raises(sct.SctError, match="an empty list makes an array with one axis"):
        derivative(x, 0)


def _rows(x: Any, n: int) -> list[Any]:
    return [x * k for k in range(n)]


def rank_of_sum(x: Any, n: int) -> Any:
    rows = []
    for k in range(n):
        rows.append(x * k)
    return np.sum(x) * (1 + np.ndim(np.sum(rows, axis=0)))


def shape_of_scaled_mean(x: Any, n: int) -> Any:
    return np.sum(x ** 2) * len((2.0 * np.sum(_rows(x, n), axis=0)).shape)


def class_of_sum(x: Any, n: int) -> Any:
    return np.sum(x ** 2) * (3.0 if isinstance(np.sum(_rows(x, n), axis=0), np.ndarray) else 4.0)


def dtype_of_positions(x: Any, n: int) -> Any:
    return np.sum(x ** 2) * (2.0 if np.array([k for k in range(n)]).dtype == float else 3.0)


def kind_of_truths(x: Any, n: int) -> Any:
    return np.sum(x ** 2) * (2.0 if np.array([k > 1 for k in range(n)]).dtype.kind == "f" else 3.0)


def items_of_the_dtype(x: Any, n: int) -> Any:
    half = np.zeros(2, dtype=(2 * np.cumsum([k for k in range(n)])).dtype)
    half[0] = 1.5
    return np.sum(x ** 2) * half[0]


def class_of_total(x: Any, n: int) -> Any:
    return np.sum(x ** 2) * (2.0 if type(np.sum([k for k in range(n)])) is np.float64 else 3.0)


@pytest.mark.parametrize(("f", "message"), [
    (rank_of_sum, "one axis, not 2"), (shape_of_scaled_mean, "one axis, not 2"), (class_of_sum, "one axis, not 2"),
    (dtype_of_positions, "floats, not of ints"), (kind_of_truths, "floats, not of truths"),
    (items_of_the_dtype, "floats, not of ints"), (class_of_total, "floats, not of ints"),
])
def test_what_is_computed_from_an_empty_list_has_another_type(f: Any, message: str) -> None:
    x = np.array([0.5, 1.5])
    derivative = sct.value_and_grad(f)
    agrees(f, x, 3, derivative=derivative)
    with pytest.raises(sct.SctError, match=message):
        derivative(x, 0)
    agrees(f, x, 2, derivative=derivative)


def axes_of_others(x: Any, n: int) -> Any:
    shifted = x + np.sum(_rows(np.ones(2), n), axis=0)
    return np.sum(shifted ** 2) * shifted.ndim


def dtype_that_is_said(x: Any, n: int) -> Any:
    at = np.array([k for k in range(n)], dtype=int)
    return np.sum(x ** 2) * (2.0 if at.dtype == int else 3.0)


def order_of_an_empty_list(x: Any, n: int) -> Any:
    return np.sum(x ** 2) * (2.0 if np.argsort([k for k in range(n)]).dtype == int else 3.0)


@pytest.mark.parametrize("f", [axes_of_others, dtype_that_is_said, order_of_an_empty_list])
def test_a_type_that_an_empty_list_does_not_change_is_read(f: Any) -> None:
    x = np.array([0.5, 1.5])
    derivative = sct.value_and_grad(f)
    for n in (3, 0, 1):
        agrees(f, x, n, derivative=derivative)


def positions(x: Any, t: float) -> Any:
    above = [k for k, v in enumerate(x) if v > t]
    y = x * x
    y[above] = 0.0
    return np.sum(x[above] ** 3) + np.sum(y)


def test_an_empty_list_of_positions_is_an_index() -> None:
    x = np.array([0.5, 1.5, 2.5])
    derivative = sct.value_and_grad(positions)
    for t in (1.0, 9.0, 0.0):
        agrees(positions, x, t, derivative=derivative)
