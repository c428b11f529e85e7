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
def test_result_larger_than_out(f: Callable[..., Any]) -> None:
    x, y = np.array([1.0, 2.0]), np.array([[0.5, 4.0]])
    if f is summed:
        assert isinstance(attempt(f, x.copy(), y), ValueError)
        refuses(f, x, y, code="SCT501")
    else:
        agrees(f, x, y)


# -- subscripts that are truth values, and no axes --------------------------------------------------------------


FLAGS: dict[str, Callable[[Any], Any]] = {
    "True": lambda x: np.sum(x[True] ** 2),
    "False": lambda x: np.sum(x[False] ** 2) + x[0],
    "made": lambda x: x[bool(1)][0, 2] * x[not x[0] > 9.0][0, 1],
    "met": lambda x: np.sum(x[x[0] > 0.5] ** 2),
    "not met": lambda x: np.sum(x[x[0] < 0.5] ** 2) + x[1],
    "of a matrix": lambda x: np.sum(x.reshape(2, 3)[x[0] > 0.0] ** 2),
    "without axes": lambda x: np.sum(x[np.array(True)] * x[1]),
    "view without axes": lambda x: np.sum(x[x[:1].reshape(()) > 0.0] * x[1]),
    "items of a list": lambda x: [x[0], x[1]][True] * (x[2], x[3])[False],
    "item of a list by a NumPy flag": lambda x: [x[0], x[1]][x[0] > 0.5] * 2.0,
}


@pytest.mark.parametrize("name", FLAGS)
def test_flag_as_subscript(name: str) -> None:
    agrees(FLAGS[name], X)


def zeroed_by_flag(x: np.ndarray) -> float:
    y = np.atleast_1d(np.sqrt(x[0]))
    y[np.abs(x[0]) > 2.0] = 0.0
    return np.sum(y * y)


def no_axes_zeroed_by_flag(x: np.ndarray) -> float:
    y = np.asarray(x[0] * 2.0)
    y[x[0] > 0.5] = 3.0 * x[1]
    return y * 2.0


def scaled_by_flags(x: np.ndarray) -> float:
    y = x * 1.0
    for k in range(3):
        y[x[k] > 0.0] *= x[k]
    np.add.at(y, x[0] > 0.0, 2.0)
    return np.sum(y * y)


def row_by_flag(x: np.ndarray) -> float:
    m = np.outer(x, x)
    row = m[0]
    row[x[0] > 0.5] = x[2]
    return np.sum(m * m)


@pytest.mark.parametrize("f", [zeroed_by_flag, no_axes_zeroed_by_flag, scaled_by_flags, row_by_flag])
def test_write_by_flag(f: Callable[..., Any]) -> None:
    agrees(f, X)


def test_flag_beside_other_subscripts_is_refused() -> None:
    refuses(lambda x: np.sum(x[x[0] > 0.0, 1:]), X, code="SCT501")


@pytest.mark.parametrize("name", ["sum", "prod", "max", "min", "mean", "nansum", "nanmax", "nanmean"])
def test_reduction_over_no_axes(name: str) -> None:
    reduce = getattr(np, name)

    def f(x: np.ndarray) -> float:
        return np.sum(reduce(x, axis=()) ** 2) + np.sum(reduce(x.squeeze(), axis=(), keepdims=True))

    agrees(f, X)


# -- numbers that become arrays in a loop ------------------------------------------------------------------------


START = 1.7
M = np.arange(12.0).reshape(4, 3) / 7.0
V = np.array([0.7, -0.3, 1.1])


def from_global(x: np.ndarray) -> float:
    v = START
    for _ in range(3):
        v = v + x
    return np.sum(v)


def from_item(x: np.ndarray) -> float:
    v = x[0]
    for _ in range(3):
        v = v + x
    return np.sum(v)


def from_argument(a: float) -> float:
    for _ in range(3):
        a = a * np.ones(3)
    return np.sum(a)


def horner(x: np.ndarray) -> float:
    v = 0.0
    for _ in range(3):
        v = v * x[1] + x
    return np.sum(v)


def horner_of_int(x: np.ndarray) -> float:
    v = 0
    for c in (1.0, -2.0, 0.5):
        v = v * x[0] + c * x
    return np.sum(v)


def asks_for_axes(x: np.ndarray) -> float:
    v = 0.0
    for k in range(3):
        v = v + x[k] if np.ndim(v) == 0 else v + x
        v = v * x
    return np.sum(v * x[0])


def asks_for_class(x: np.ndarray) -> float:
    v = 0.0
    for _ in range(3):
        if isinstance(v, float):
            v = 2.0
        v = v + x
    return np.sum(v)


def read_before(x: np.ndarray) -> float:
    v, s = 0.0, 0.0
    for _ in range(3):
        s = s + np.sum(v * x[0])
        w = v
        v = v + x
        v = v + np.sum(w + x[1])
    return np.sum(v) + s


def multiplied_up(x: np.ndarray) -> float:
    v = 1.0
    for row in M:
        v = v * (row + x)
    return np.sum(v)


def reversed_difference(x: np.ndarray) -> float:
    v = 0.0
    for _ in range(3):
        v = x - v
        v -= 0.5 * x
    return np.sum(v * v)


def added_in_nest(x: np.ndarray) -> float:
    s = 0.0
    for i in range(4):
        for j in range(i):
            s = s + M[i] * x[j % 3]
    return np.sum(s * x)


def in_tuple(x: np.ndarray) -> float:
    state = 0.0, 1.0
    for _ in range(3):
        a, b = state
        state = a + x, b * x
    return np.sum(state[0] * state[1])


def in_dict(x: np.ndarray) -> float:
    d = {"s": 0.0}
    for k in range(3):
        d["s"] = d["s"] + x * k
    return np.sum(d["s"] * x)


def _total(rows: np.ndarray, x: np.ndarray) -> np.ndarray:
    total = 0.0
    for row in rows:
        total = total + row * x
    return total


def in_helper(x: np.ndarray) -> float:
    return np.sum(_total(M, x) * x[0]) + np.sum(_total(M[:2], x))


def largest(x: np.ndarray) -> float:
    best = x[0]
    for k in range(3):
        best = np.maximum(best, x * M[k])
    return np.sum(best)


def of_other_sizes(x: np.ndarray) -> float:
    v = 0.0
    for k in range(3):
        v = v + x[k:k + 1]
        v = v + x
    return np.sum(v * v)


def stopped(x: np.ndarray) -> float:
    v = 0.0
    for k in range(3):
        v = v + x * k
        if x[k] > 1.0:
            break
    return np.sum(v * v)


def in_while(x: np.ndarray) -> float:
    s, k = 0.0, 0
    while k < 3:
        s = s + x * k
        k += 1
    return np.sum(s * x)


@pytest.mark.parametrize("f", [
    from_global, from_item, horner, horner_of_int, asks_for_axes, asks_for_class, read_before, multiplied_up,
    reversed_difference, added_in_nest, in_tuple, in_dict, in_helper, largest, of_other_sizes, stopped, in_while])
def test_number_becomes_array(f: Callable[..., Any]) -> None:
    agrees(f, V)


def test_argument_becomes_array() -> None:
    agrees(from_argument, 2.0)


def times(x: np.ndarray, n: int) -> float:
    v = 2.0
    for _ in range(n):
        v = v * x
    return np.sum(v + x[0])


def plus(x: np.ndarray, n: int) -> float:
    v = 0.0
    for k in range(n):
        v = v + x * k
    return np.sum(v + x[0])


def geometric(x: np.ndarray, n: int) -> float:
    v = 0.0
    for _ in range(n):
        v = v * x[1] + x
    return np.sum(v)


def geometric_sums(x: np.ndarray, n: int) -> float:
    total = 0.0
    for i in range(n):
        total = total + geometric(x, i)
    return total


@pytest.mark.parametrize("n", [0, 1, 4, 100])
@pytest.mark.parametrize("f", [times, plus])
def test_number_becomes_array_in_any_trips(f: Callable[..., Any], n: int) -> None:
    """In no trips it stays the number."""
    agrees(f, V, n)


def test_number_that_is_used_as_number_first() -> None:
    for n in (0, 5, 100):
        agrees(geometric, V / 4.0, n)
    error = refuses(geometric_sums, V, 100, code="SCT108")
    assert "np.zeros(n)" in str(error)


# -- the layout of what is joined ------------------------------------------------------------------------------


JOINED: dict[str, Callable[[Any], Any]] = {
    "concatenate": lambda x: np.concatenate([x, x]),
    "concatenate of transposes": lambda x: np.concatenate([x.T, x.T]),
    "stack": lambda x: np.stack([x, x]),
    "stack of transposes": lambda x: np.stack([x.T, x.T]),
    "copy of a transpose": lambda x: np.array(x.T),
    "array of transposes": lambda x: np.array([x.T, x.T]),
    "product": lambda x: x @ x.T,
    "product in batches": lambda x: np.stack([x, x]).transpose(1, 0, 2) @ np.ones((2, 3, 2)),
}


def joined_raveled(x: np.ndarray, join: Any) -> float:
    y = join(x)
    flat = y.ravel()
    flat[1] = 5.0 * x[0, 1]
    return np.sum(y * y) + np.sum(flat)


@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("name", JOINED)
def test_layout_of_joined(name: str, order: Any) -> None:
    """Whether `ravel` is a view depends on the layout: it is known, or the write is refused."""
    x = np.array(X.reshape(2, 3), order=order)
    try:
        agrees(joined_raveled, x, JOINED[name])
    except sct.SctError as refusal:
        assert refusal.code == "SCT301"


# -- writes in place ---------------------------------------------------------------------------------------------


def _assign(target: Any, value: Any) -> None:
    target[...] = value


def _add(target: Any, value: Any) -> None:
    target += value


def _put(target: Any, at: Any, value: Any) -> None:
    target[at] = value


def _swap(a: Any, b: Any) -> None:
    a[:], b[:] = b, a


def _scale_rows(m: Any, x: Any) -> None:
    for row in m:
        row[0] = 3.0
        row *= x


def _add_reversed_rows(m: Any) -> None:
    for a, b in zip(m, m[::-1]):
        a += b


VECTOR_WRITES: dict[str, Callable[[Any, Any], Any]] = {
    "shifted sum": lambda y, x: _add(y[1:], y[:-1]),
    "reversed": lambda y, x: _assign(y, y[::-1]),
    "shifted": lambda y, x: _assign(y[:-1], y[1:]),
    "product of neighbours": lambda y, x: _assign(y[1:], y[:-1] * y[1:]),
    "swapped halves": lambda y, x: _swap(y[:3], y[3:]),
    "repeated indices": lambda y, x: _put(y, [0, 0, 1], x[1:4]),
    "add.at": lambda y, x: np.add.at(y, [0, 0, 1], x[1:4]),
    "copyto": lambda y, x: np.copyto(y, y[::-1]),
    "copyto, where": lambda y, x: np.copyto(y, 2.0, where=x > 0.0),
    "copyto a part": lambda y, x: np.copyto(y[::2], x[:3]),
    "put": lambda y, x: np.put(y, [0, 2], [1.0, x[1]]),
    "putmask": lambda y, x: np.putmask(y, x > 0.0, x * 2.0),
    "sort": lambda y, x: y.sort(),
    "sort of a view": lambda y, x: y[::2].sort(),
    "through .T": lambda y, x: _assign(y.T[1:3], 3.0),
    "through .real": lambda y, x: _assign(y.real[1:3], x[0]),
    "out by method": lambda y, x: y.clip(0.0, 0.5, out=y),
    "cumsum by method": lambda y, x: y.cumsum(out=y),
    "out of part": lambda y, x: np.add(y[:3], y[3:], out=y[:3]),
    "more than fits": lambda y, x: _assign(y, np.ones((1, 6)) * x[0]),
}
MATRIX_WRITES: dict[str, Callable[[Any, Any], Any]] = {
    "transpose added": lambda m, x: _add(m, m.T),
    "transpose assigned": lambda m, x: _assign(m, m.T * x),
    "rows swapped": lambda m, x: _assign(m[:2], m[1::-1]),
    "rows": _scale_rows,
    "rows of both ends": lambda m, x: _add_reversed_rows(m),
    "rows of the transpose": lambda m, x: _scale_rows(m.T, x),
    "diagonal": lambda m, x: np.fill_diagonal(m, x),
    "diagonal of a part": lambda m, x: np.fill_diagonal(m[1:, 1:], 2.0),
    "matmul": lambda m, x: np.matmul(m, m, out=m),
    "broadcast": lambda m, x: np.multiply(x, 2.0, out=m),
}


def vector_written(x: np.ndarray, write: Any) -> float:
    y = x * 1.0
    v = y[1:]
    write(y, x)
    return np.sum(y * x) + np.sum(v * v)


def matrix_written(x: np.ndarray, write: Any) -> float:
    m = np.outer(x, x)
    v = m[0]
    write(m, x)
    return np.sum(m * x) + np.sum(v * v)


@pytest.mark.parametrize("name", VECTOR_WRITES)
def test_vector_is_written(name: str) -> None:
    agrees(vector_written, X, VECTOR_WRITES[name])


@pytest.mark.parametrize("name", MATRIX_WRITES)
def test_matrix_is_written(name: str) -> None:
    agrees(matrix_written, X, MATRIX_WRITES[name])


def ints_plus_floats(x: np.ndarray) -> float:
    n = np.arange(6)
    n += x
    return np.sum(n * x)


def flags_plus_int(x: np.ndarray) -> float:
    b = x > 0.0
    b += 1
    return np.sum(b * x)


def longer_sum(x: np.ndarray) -> float:
    y = x[:1] * 1.0
    y += x
    return np.sum(y)


def more_axes(x: np.ndarray) -> float:
    y = x * 1.0
    y += np.ones((2, 6))
    return np.sum(y)


@pytest.mark.parametrize("f", [ints_plus_floats, flags_plus_int])
def test_result_of_another_kind_is_refused(f: Callable[..., Any]) -> None:
    assert isinstance(attempt(f, X.copy()), TypeError)
    refuses(f, X, code="SCT501")


@pytest.mark.parametrize("f", [longer_sum, more_axes])
def test_result_that_does_not_fit_raises(f: Callable[..., Any]) -> None:
    agrees(f, X)


def flags_written(x: np.ndarray) -> float:
    b = x > 0.0
    b |= x < -0.5
    b ^= True
    n = np.arange(6)
    n *= 2
    n //= 3
    n += b
    return np.sum(n * x) + np.sum(b * x)


def shared_without_axes(x: np.ndarray) -> float:
    y = np.asarray(x[0] * 1.0)
    z = y
    y += x[1]
    s = np.array(0.0)
    t = s
    for k in range(3):
        s += x[k] ** 2
    return z * 1.0 + t


def view_without_axes(x: np.ndarray) -> float:
    y = x[0:1].squeeze()
    y *= x[1]
    z = x[2]
    z *= x[1]
    return x[0] * 2.0 + y + x[2] * z


def views_in_containers(x: np.ndarray) -> float:
    y = x * 1.0
    rows = [y] * 2
    rows[0][0] = 5.0
    first, *rest = y, y[1:]
    rest[0][0] = 4.0
    for k, part in enumerate(np.split(y, 3)):
        part *= x[k]
    return np.sum(rows[1] * x) + np.sum(first)


def index_of_view_rebound(x: np.ndarray) -> float:
    y = x * 1.0
    i = 1
    v = y[i:]
    i = 3
    v[0] = 5.0
    y = y[::-1]
    v[1] = x[0]
    return np.sum(y * x[i])


def swapped_names(x: np.ndarray) -> float:
    a, b = x * 1.0, x * 2.0
    for k in range(3):
        a, b = b, a
        a[k] = b[k] * x[k]
    return np.sum(a * x) + np.sum(b)


@pytest.mark.parametrize("f", [flags_written, shared_without_axes, view_without_axes, views_in_containers,
                               index_of_view_rebound, swapped_names])
def test_written_program(f: Callable[..., Any]) -> None:
    agrees(f, X)


def convolved(x: np.ndarray, w: np.ndarray) -> float:
    out = np.empty((x.shape[0] - 1, w.shape[1]))
    for i in range(x.shape[0] - 1):
        out[i, :] = np.sum(x[i:i + 2, None] * w, axis=0)
    return np.sum(out * out)


def test_cotangent_with_a_read_only_view_is_not_copied() -> None:
    """A part of it is broadcast, and read after that part is overwritten: the part is copied."""
    w = np.arange(8.0).reshape(2, 4) / 5.0
    agrees(convolved, X, w)
    derivative = sct.grad(convolved)
    derivative(X, w)
    assert "np.copy(dout)" not in derivative.source


@pytest.mark.parametrize("f", [horner, multiplied_up, reversed_difference, added_in_nest, in_tuple, of_other_sizes])
def test_number_becomes_array_in_other_modes(f: Callable[..., Any]) -> None:
    """A tangent that starts as a number may be written, element by element."""
    gradient = sct.grad(f)
    np.testing.assert_allclose(sct.jacfwd(f)(V), gradient(V))
    rows = [(gradient(V + h) - gradient(V - h)) / 2e-6 for h in 1e-6 * np.eye(3)]
    np.testing.assert_allclose(sct.hessian(f)(V), rows, atol=1e-6)


ITEMS = {
    "of a sum": lambda x: np.sum(x * x, keepdims=True).item(),
    "of a slice": lambda x: (x[:1] * x[1]).item(),
    "of two axes": lambda x: np.sum(x[:, None] * x, keepdims=True).item(),
    "by one index": lambda x: np.sum(x ** 3, keepdims=True).item(0),
    "from behind": lambda x: np.sum(x[:, None] * x, keepdims=True).item(-1) * x[2],
    "of more than one": lambda x: np.zeros((3, 2)).item() * x[0],
    "of none": lambda x: x[:0].item() * x[0]}


@pytest.mark.parametrize("name", ITEMS)
def test_item_of_an_array_of_one_element(name: str) -> None:
    agrees(ITEMS[name], X)


def test_item_of_an_array_of_any_size() -> None:
    agrees(lambda x: x[x > 1.0].item() * 2.0, X)
    with pytest.raises(ValueError, match="size 1"):
        sct.value_and_grad(lambda x: x.item() * 2.0)(X)
    refuses(lambda x: x.reshape(2, 3).item(4) * 2.0, X, code="SCT503")


# -- reshapes that fail -------------------------------------------------------------------------------------


def written_through_reshape(x: Any, k: int) -> Any:
    y = x.reshape(3, 2).T.reshape(k, 2)
    y[0] *= 2.0
    return y.sum()


def read_only_after_reshape(x: Any) -> Any:
    y = np.diagonal(x.reshape(x.shape[0], -1))
    y *= 2.0
    return y.sum()


def growing_reshape(x: Any, k: int) -> Any:
    total = 0.0
    for i in range(k):
        total += x.reshape(i + 1, -1).T.reshape(-1)[0]
    return total


RESHAPES: tuple[Callable[..., Any], ...] = (
    lambda x, k: x.reshape(k, -1).T.reshape(-1)[0], lambda x, k: x.reshape(k, -1).T.ravel()[1],
    lambda x, k: x.reshape(k, 2)[::-1].reshape(-1)[0], lambda x, k: x.reshape(k, -1)[:, ::-1].reshape(-1)[0],
    lambda x, k: x.reshape(2, 3)[k].reshape(-1, 1).T.reshape(-1)[0], written_through_reshape, growing_reshape)


@pytest.mark.parametrize("f", RESHAPES)
@pytest.mark.parametrize("k", (3, 4, 1, 5, 2))
def test_a_reshape_raises_as_in_python_also_under_views_and_reshapes(f: Callable[..., Any], k: int) -> None:
    if f is not written_through_reshape or k in (4, 5, 3):
        agrees(f, X.copy(), k)


def test_compiled_code_is_not_used_where_a_reshape_starts_to_fail() -> None:
    derivative = sct.value_and_grad(RESHAPES[0])
    for k in (2, 4, 3, 5, 1, 2):
        try:
            wanted = RESHAPES[0](X, k)
        except ValueError as error:
            with pytest.raises(ValueError, match=str(error).replace("(", r"\(").replace(")", r"\)")):
                derivative(X, k)
        else:
            assert derivative(X, k)[0] == wanted


@pytest.mark.parametrize("shape", ((0, 2), (2, 2)))
def test_a_reshape_of_no_elements_raises_before_what_follows(shape: tuple[int, ...]) -> None:
    agrees(read_only_after_reshape, np.ones(shape))
    agrees(lambda x: x.reshape(x.shape[0], -1).sum(), np.ones(shape))


@pytest.mark.parametrize("f", (lambda x, k: np.median(x[x > k]) * 1.0, lambda x, k: np.median(x[x > k] * x[0])))
def test_the_gradient_of_the_median_of_no_elements_does_not_raise(f: Callable[..., Any]) -> None:
    for k in (9.0, 0.1):
        np.testing.assert_allclose(sct.grad(f)(X, k), 0.0 if k == 9.0 else sct.jacfwd(f)(X, k), equal_nan=True)


def test_a_result_that_does_not_fit_raises_with_the_shapes() -> None:
    def f(x: Any, y: Any) -> Any:
        x = x * 1.0
        x += y
        return x.sum()

    derivative = sct.value_and_grad(f)
    for m, n in ((1, 4), (4, 4), (4, 1), (1, 1), (1, 0), (1, 3)):
        agrees(f, np.ones(m), np.ones(n), derivative=derivative)


EMPTY: list[tuple[Any, tuple[int, ...]]] = [
    (lambda x: np.max(x, initial=0.5) + np.sum(x), (0,)),
    (lambda x: np.min(x * 2.0, initial=0.5) * 3.0, (0,)),
    (lambda x: x.max(initial=-1.0) ** 2, (0,)),
    (lambda x: np.sum(np.max(x, axis=1, initial=0.25) ** 2), (2, 0)),
    (lambda x: np.sum(x.min(axis=0, initial=0.25, keepdims=True) ** 2), (0, 3)),
    (lambda x: np.sum(np.max(x, axis=0, initial=0.25)), (2, 0)),
    (lambda x: np.max(x, initial=-1.0, where=x > 0.0) * 2.0, (0,)),
    (lambda x: np.sum(np.max(x, axis=(0, 1), initial=-1.0)), (0, 2)),
]


@pytest.mark.parametrize("f, shape", EMPTY)
@pytest.mark.filterwarnings("error")
def test_extremes_of_no_elements_have_the_initial_value(f: Any, shape: tuple[int, ...]) -> None:
    derivative, x = sct.value_and_grad(f), np.zeros(shape)
    for full in (False, True, False):
        x = np.random.default_rng(1).normal(size=tuple(k or 3 for k in shape)) if full else np.zeros(shape)
        value, dx = derivative(x)
        assert value == f(x) and dx.shape == x.shape
        t = np.ones(x.shape)
        assert sct.jvp(f, (x,), (t,)) == (value, pytest.approx(np.sum(dx)))
        np.testing.assert_allclose(np.sum(dx), (f(x + 1e-6 * t) - f(x - 1e-6 * t)) / 2e-6, atol=1e-6)
        assert sct.hessian(f)(x).shape == x.shape * 2


@pytest.mark.parametrize("shape", [(0,), (3,)])
def test_the_initial_value_of_an_extreme_has_a_derivative(shape: tuple[int, ...]) -> None:
    for f in (lambda x, a: np.max(x, initial=a) ** 2, lambda x, a: 2.0 * np.min(-x, initial=-a) ** 2):
        x = np.linspace(0.25, 1.0, 3)[:shape[0]]
        for a in (3.0, 0.5):
            dx, da = sct.grad(f, (0, 1))(x, a)
            assert dx.shape == x.shape
            assert da == pytest.approx((f(x, a + 1e-6) - f(x, a - 1e-6)) / 2e-6, rel=1e-6, abs=1e-8)
            assert sct.jvp(f, (x, a), (None, 1.0))[1] == pytest.approx(da)


CROSSED: list[Callable[..., Any]] = [
    lambda A: np.sum(np.cross(A, A[::-1] ** 2)) if A.shape[-1] == 3 else np.sum(A ** 2),
    lambda A: np.sum(A ** 2) if A.shape[-1] != 3 else np.sum(np.cross(A, A[::-1] ** 2)),
    lambda A: (np.sum(np.cross(A, A ** 2)) if A.shape[1] == 3 else A[0, 0] ** 3) + np.sum(A ** 2),
    lambda A: np.sum([np.sum(np.cross(v, A[0] ** 2)) if len(v) == 3 else np.sum(v ** 2) for v in A]),
    lambda A: np.sum(A @ A if A.shape[0] == A.shape[1] else A ** 2),
]


@pytest.mark.parametrize("f", CROSSED)
def test_an_expression_that_is_not_taken_may_not_fit(f: Any) -> None:
    derivative, rng = sct.value_and_grad(f), np.random.default_rng(5)
    for shape in ((2, 2), (2, 3), (4, 5), (2, 2), (3, 3), (1, 3), (2, 1)):
        A, t = rng.normal(size=shape), rng.normal(size=shape)
        kept = A.copy()
        value, dA = derivative(A)
        assert value == f(A) and np.array_equal(A, kept)
        np.testing.assert_allclose(sct.jvp(f, (A,), (t,))[1], np.sum(dA * t))
        np.testing.assert_allclose(np.sum(dA * t), (f(A + 1e-6 * t) - f(A - 1e-6 * t)) / 2e-6, rtol=1e-6, atol=1e-7)
        change = (derivative(A + 1e-6 * t)[1] - derivative(A - 1e-6 * t)[1]) / 2e-6
        np.testing.assert_allclose(sct.hvp(f, (A,), (t,)), change, rtol=1e-5, atol=1e-6)


def test_an_expression_that_is_taken_must_fit() -> None:
    refuses(lambda A: np.sum(np.cross(A, A)) if A.shape[-1] < 3 else np.sum(A), np.ones((2, 2)), code="SCT501")
    f = lambda x: np.sum(np.cross(x, x)) if x[0] > 5.0 else np.sum(x ** 2)
    derivative = sct.value_and_grad(f)
    for _ in range(2):
        assert derivative(np.ones(2))[1].tolist() == [2.0, 2.0]
        refuses(f, np.full(2, 6.0), code="SCT501")
        with pytest.raises(sct.SctError, match="SCT501"):
            derivative(np.full(2, 6.0))


def concatenated(v: Any, n: int) -> Any:
    a = v
    before = v[:1]
    for k in range(n):
        before = a
        a = np.concatenate((a, v * k))
    return np.sum(a * a) * np.sum(before)


def appended(v: Any, n: int) -> Any:
    a = np.zeros(0)
    for k in range(n):
        a = np.append(a, v[0] * k)
    return a @ a + np.sum(v)


def convolved_again(v: Any, n: int) -> Any:
    a = np.ones(1)
    for _ in range(n):
        a = np.convolve(a, v)
    return np.sum(a * np.arange(len(a)))


def stacked(v: Any, n: int) -> Any:
    a = v[None, :]
    for k in range(n):
        a = np.vstack((a, v * k, a[:1]))
    return np.sum(a * np.arange(len(a))[:, None])


@pytest.mark.parametrize("f", [concatenated, appended, convolved_again, stacked])
def test_an_array_grows_in_each_iteration(f: Any) -> None:
    for n in (3, 0):
        agrees(f, X[:2], n)


WITH_NAN = np.array([1.0, np.nan, 3.0, -2.0])
ROWS_WITH_NAN = np.array([[1.0, np.nan, 3.0], [2.0, 3.5, np.nan]])


@pytest.mark.parametrize(("f", "x"), [
    (lambda x: x[np.nanargmax(x)], WITH_NAN),
    (lambda x: x[np.nanargmin(2.0 * x)] ** 2 + np.nansum(x, keepdims=True)[0], WITH_NAN),
    (lambda x: np.sum(x[np.arange(2), np.nanargmax(x, axis=1)] ** 2), ROWS_WITH_NAN),
    (lambda x: np.sum(np.take_along_axis(x, np.nanargmin(x, axis=0, keepdims=True), 0) ** 2), ROWS_WITH_NAN),
    (lambda x: np.sum(np.take_along_axis(x, np.nanargmax(x, axis=0)[None], 0) ** 2), ROWS_WITH_NAN),
    (lambda x: np.sum(x, keepdims=np._NoValue) + np.max(x, initial=np._NoValue) * np.mean(x, where=np._NoValue),
     np.array([1.0, 2.5, 0.5]))])
def test_positions_of_extrema_beside_nan(f: Any, x: Any) -> None:
    """NumPy's functions hand on keywords that have no value, as if they were left out."""
    finite = np.isfinite(x)

    def of_finite(v: Any) -> Any:
        y = np.full_like(x, np.nan)
        y[finite] = v
        return f(y)

    agrees(of_finite, x[finite])
    agrees(f, x[finite]) if finite.all() else None
    assert np.all(sct.grad(f)(x)[~finite] == 0.0)
