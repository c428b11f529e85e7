"""Arrays that share memory, and names that are a number here and an array there: as the plain call has it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from oracle import agrees, refuses

import sct

X = np.array([0.7, -0.3, 1.1, 0.4, -0.9, 0.2])

VIEWS: dict[str, Callable[[Any], Any]] = {
    "whole": lambda x: x[...],
    "full slice": lambda x: x[:],
    "empty key": lambda x: x[()],
    "slice": lambda x: x[1:],
    "step": lambda x: x[::2],
    "backwards": lambda x: x[::-1],
    "newaxis": lambda x: x[None],
    "expanded": lambda x: np.expand_dims(x, 0),
    "expanded by none": lambda x: np.expand_dims(x, ()),
    "squeezed": lambda x: x[None].squeeze(),
    "squeezed of none": lambda x: x.squeeze(),
    "reshaped": lambda x: x.reshape(2, 3),
    "raveled": lambda x: x.reshape(2, 3).ravel(),
    "raveled transpose": lambda x: x.reshape(2, 3).T.ravel(),
    "flat copy": lambda x: x.flatten(),
    "transposed": lambda x: x.reshape(2, 3).T,
    "transposed vector": lambda x: x.T,
    "mT": lambda x: x.reshape(2, 3).mT,
    "swapaxes": lambda x: x.reshape(2, 3).swapaxes(0, 1),
    "moveaxis": lambda x: np.moveaxis(x.reshape(2, 3), 0, 1),
    "rollaxis": lambda x: np.rollaxis(x.reshape(2, 3), 1),
    "atleast_1d": lambda x: np.atleast_1d(x),
    "atleast_2d": lambda x: np.atleast_2d(x),
    "atleast_3d": lambda x: np.atleast_3d(x),
    "asarray": lambda x: np.asarray(x),
    "asanyarray": lambda x: np.asanyarray(x),
    "asarray of dtype": lambda x: np.asarray(x, dtype=np.float64),
    "ascontiguousarray": lambda x: np.ascontiguousarray(x),
    "ascontiguousarray of a step": lambda x: np.ascontiguousarray(x[::2]),
    "ascontiguousarray of a transpose": lambda x: np.ascontiguousarray(x.reshape(2, 3).T),
    "array": lambda x: np.array(x),
    "array, copy None": lambda x: np.array(x, copy=None),
    "array, no copy": lambda x: np.array(x, copy=False),
    "copied": lambda x: x.copy(),
    "np.copy": lambda x: np.copy(x),
    "astype": lambda x: x.astype(float),
    "astype, no copy": lambda x: x.astype(float, copy=False),
    "nan_to_num": lambda x: np.nan_to_num(x),
    "nan_to_num in place": lambda x: np.nan_to_num(x, copy=False),
    "real": lambda x: x.real,
    "np.real": lambda x: np.real(x),
    "conj": lambda x: x.conj(),
    "conjugate": lambda x: x.conjugate(),
    "np.conj": lambda x: np.conj(x),
    "view": lambda x: x.view(),
    "flip": lambda x: np.flip(x),
    "fliplr": lambda x: np.fliplr(x.reshape(2, 3)),
    "flipud": lambda x: np.flipud(x.reshape(2, 3)),
    "rot90": lambda x: np.rot90(x.reshape(2, 3)),
    "split": lambda x: np.split(x, 2)[0],
    "array_split": lambda x: np.array_split(x, 4)[1],
    "hsplit": lambda x: np.hsplit(x.reshape(2, 3), 3)[0],
    "vsplit": lambda x: np.vsplit(x.reshape(2, 3), 2)[0],
    "diagonal": lambda x: x.reshape(2, 3).diagonal(),
    "np.diagonal": lambda x: np.diagonal(x.reshape(2, 3), 1),
    "diag": lambda x: np.diag(x.reshape(2, 3)),
    "diag of a vector": lambda x: np.diag(x),
    "part of a diagonal": lambda x: x.reshape(2, 3).diagonal()[:1],
    "broadcast": lambda x: np.broadcast_to(x, (2, 6)),
    "broadcast to its own shape": lambda x: np.broadcast_to(x, (6,)),
    "broadcast, transposed": lambda x: np.broadcast_to(x, (2, 6)).T,
    "broadcast, raveled": lambda x: np.broadcast_to(x, (2, 6)).ravel(),
    "broadcast_arrays": lambda x: np.broadcast_arrays(x, 1.0)[0],
    "broadcast_arrays of others": lambda x: np.broadcast_arrays(x, np.ones((2, 1)))[0],
    "einsum": lambda x: np.einsum("ii->i", x[:4].reshape(2, 2)),
    "einsum, transposed": lambda x: np.einsum("ij->ji", x.reshape(2, 3)),
    "column": lambda x: x.reshape(2, 3)[:, 1],
    "fancy": lambda x: x[[0, 2]],
    "masked": lambda x: x[x > 0.3],
    "0-d": lambda x: x[0, ...],
    "0-d by squeeze": lambda x: x[0:1].squeeze(),
    "0-d by reshape": lambda x: x[:1].reshape(()),
    "matrix_power": lambda x: np.linalg.matrix_power(x[:4].reshape(2, 2), 1),
    "diff of none": lambda x: np.diff(x, n=0),
    "tile": lambda x: np.tile(x, 1),
    "positive": lambda x: +x,
    "imag": lambda x: x.imag,
}
"""What may be a view of its argument, the argument or a copy."""


def base_written(x: np.ndarray, look: Any) -> float:
    y = x * 1.0
    v = look(y)
    y[0] = 3.0 * x[1]
    y[3] = x[2] * x[2]
    return np.sum(v * v) + np.sum(y)


def base_written_in_loop(x: np.ndarray, look: Any) -> float:
    y = x * 1.0
    v = look(y)
    s = 0.0
    for k in range(3):
        y[k] = y[k] * x[k + 1]
        s = s + np.sum(v * v)
    return s


def base_written_in_branch(x: np.ndarray, look: Any) -> float:
    y = x * 1.0
    v = look(y)
    if x[0] > 0.0:
        y[0] = 3.0 * x[1]
    return np.sum(v * v)


def _twice(a: np.ndarray) -> None:
    a *= 2.0


def base_written_in_helper(x: np.ndarray, look: Any) -> float:
    y = x * 1.0
    box = {"view": look(y), "base": y}
    _twice(box["base"])
    return np.sum(box["view"] * box["view"])


def argument_written(x: np.ndarray, look: Any) -> float:
    v = look(x)
    x[0] = 3.0 * x[1]
    return np.sum(v * v) + np.sum(x)


def view_written(x: np.ndarray, look: Any) -> float:
    y = x * 1.0
    v = look(y)
    v[...] = 2.0 * v
    return np.sum(y * x) + np.sum(v)


def view_of_argument_written(x: np.ndarray, look: Any) -> float:
    v = look(x)
    v[...] = 2.0 * v
    return np.sum(x * x) + np.sum(v)


def view_updated(x: np.ndarray, look: Any) -> float:
    y = x * 1.0
    v = look(y)
    v += 2.0
    return np.sum(y * x) + np.sum(v)


def view_updated_in_loop(x: np.ndarray, look: Any) -> float:
    y = x * 1.0
    v = look(y)
    for k in range(3):
        v *= x[k]
    return np.sum(y * x) + np.sum(v)


def view_rebound(x: np.ndarray, look: Any) -> float:
    v = look(x)
    v = v * 2.0
    v = v - 1.0
    return np.sum(v) + np.sum(x * x)


def filled(x: np.ndarray, look: Any) -> float:
    y = x * 1.0
    v = look(y)
    v.fill(2.5)
    return np.sum(y * x)


def computed_into(x: np.ndarray, look: Any) -> float:
    y = x * 1.0
    v = look(y)
    np.multiply(v, 3.0, out=v)
    return np.sum(y * x) + np.sum(v)


def identity(x: np.ndarray, look: Any) -> float:
    v = look(x)
    if v is x:
        return x[0] * 2.0
    return x[1] * 3.0 if v is look(x) else x[2] * 5.0


USES = [base_written, base_written_in_loop, base_written_in_branch, base_written_in_helper, argument_written,
        view_written, view_of_argument_written, view_updated, view_updated_in_loop, view_rebound, filled, computed_into,
        identity]

WRITES = [view_written, view_of_argument_written, view_updated, view_updated_in_loop, filled, computed_into]


ALWAYS = [base_written, view_written, view_rebound, identity]
PAIRS = [(use, view) for k, use in enumerate(USES) for j, view in enumerate(VIEWS) if use in ALWAYS or (j + k) % 4 == 0]


@pytest.mark.parametrize("use, view", PAIRS, ids=lambda v: v if isinstance(v, str) else v.__name__)
@pytest.mark.filterwarnings("ignore")
def test_view(use: Callable[..., Any], view: str) -> None:
    """What is written to an array is seen through its views, and the other way round; NumPy's errors are raised."""
    if view == "broadcast_arrays of others" and use in WRITES:
        refuses(use, X, VIEWS[view], code="SCT304")  # one element stands at several places
    else:
        agrees(use, X, VIEWS[view])


# -- read-only arguments --------------------------------------------------------------------------------


def locked(x: np.ndarray) -> np.ndarray:
    y = x.copy()
    y.flags.writeable = False
    return y


def assigned(x: np.ndarray) -> float:
    x[0] = 2.0
    return np.sum(x ** 2)


def assigned_through_view(x: np.ndarray) -> float:
    v = x[1:]
    v[0] = 2.0
    return np.sum(x ** 2)


def updated(x: np.ndarray) -> float:
    x += 2.0
    return np.sum(x ** 2)


def assigned_in_branch(x: np.ndarray) -> float:
    if x[0] > 0.5:
        x[1] = 2.0
    return np.sum(x ** 2)


def assigned_after_join(x: np.ndarray) -> float:
    y = x
    if x[0] < 0.5:
        y = x * 2.0
    y[1] = x[2]
    return np.sum(y * y)


def copy_assigned(x: np.ndarray) -> float:
    x = x.copy()
    x[0] = 2.0
    return np.sum(x ** 2)


def only_read(x: np.ndarray) -> float:
    return np.sum(x[1:] ** 2)


@pytest.mark.parametrize("f", [assigned, assigned_through_view, updated, assigned_in_branch, copy_assigned, only_read,
                               assigned_after_join])
def test_read_only_argument(f: Callable[..., Any]) -> None:
    """The flag is asked where the argument is written, and at each call."""
    derivative = sct.value_and_grad(f)
    for x in (X.copy(), locked(X), X.copy(), locked(-X)):
        plain, made = attempt(f, x.copy() if x.flags.writeable else x), attempt(derivative, x)
        if isinstance(made, sct.SctError):
            assert f is assigned_after_join
        elif isinstance(plain, Exception):
            assert (type(made), str(made)) == (type(plain), str(plain))
        else:
            assert made[0] == plain


def attempt(f: Callable[..., Any], *args: Any) -> Any:
    """What the call gives, or its exception."""
    try:
        return f(*args)
    except Exception as error:
        return error


# -- out= -------------------------------------------------------------------------------------------------


OUT_OVERLAPS = {
    "ufunc, shifted": lambda y: np.add(y[:-1], y[1:], out=y[1:]),
    "ufunc, reversed": lambda y: np.multiply(y[::-1], 2.0, out=y),
    "ufunc, tuple": lambda y: np.add(y, 1.0, out=(y,)),
    "ufunc, by position": lambda y: np.sin(y, y),
    "ufunc, where": lambda y: np.multiply(y, 3.0, out=y, where=y > 0.0),
    "smaller operand": lambda y: np.add(y[:1], y[0], out=y),
    "clip": lambda y: np.clip(y, -0.5, 0.5, out=y[::-1]),
    "cumsum": lambda y: np.cumsum(y, out=y),
    "sum": lambda y: np.sum(y.reshape(2, 3), axis=0, out=y[:3]),
    "dot": lambda y: np.dot(np.ones((6, 6)), y, out=y),
    "matmul": lambda y: np.matmul(np.ones((6, 6)), y, out=y),
    "take": lambda y: np.take(y, [5, 4, 3, 2, 1, 0], out=y),
}


def with_out(x: np.ndarray, compute: Any) -> float:
    y = x * 1.0
    made = compute(y)
    return np.sum(y * x) + np.sum(made)


@pytest.mark.parametrize("name", OUT_OVERLAPS)
def test_out_shares_memory(name: str) -> None:
    agrees(with_out, X, OUT_OVERLAPS[name])


@pytest.mark.parametrize("compute", [
    lambda y: np.concatenate([y[3:], y[:3]], out=y),
    lambda y: np.stack([y[2:4], y[:2]], out=y[:4].reshape(2, 2)),
])
def test_out_written_part_by_part_is_refused(compute: Any) -> None:
    refuses(with_out, X, compute, code="SCT303")


def divided(x: np.ndarray, y: np.ndarray) -> float:
    out = np.zeros_like(x)
    np.divide(x, y, out=out, where=np.abs(y) > 0.2)
    return np.sum(out)


def multiplied(x: np.ndarray, y: np.ndarray) -> float:
    out = np.zeros_like(x)
    np.multiply(x, y, out=out)
    return np.sum(out)


def summed(x: np.ndarray, y: np.ndarray) -> float:
    out = np.zeros_like(x)
    np.sum(y, axis=0, keepdims=True, out=out)
    return np.sum(out * x)


def added(x: np.ndarray, y: np.ndarray) -> float:
    x += y
    return np.sum(x)


@pytest.mark.parametrize("f", [divided, multiplied, summed, added])
def test_result_larger_than_out_is_refused(f: Callable[..., Any]) -> None:
    x, y = np.array([1.0, 2.0]), np.array([[0.5, 4.0]])
    assert isinstance(attempt(f, x.copy(), y), ValueError)
    refuses(f, x, y, code="SCT501")
