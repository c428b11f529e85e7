"""`np.linalg.vector_norm` over one axis, several and all."""

from __future__ import annotations

import numpy as np
import pytest

from sct import SctError, check_grads, vjp

RNG = np.random.default_rng(0)
A, B = RNG.normal(size=(3, 4)), RNG.normal(size=(2, 3, 4))
AXES = [(A, None), (A, -1), (A, (0,)), (A, (0, 1)), (A, (-1, 0)), (B, (0, 1, 2)), (B, (2, 0)),
        (A + 1j * A[::-1], (1, 0))]


@pytest.mark.parametrize("keepdims", [False, True])
@pytest.mark.parametrize("order", [2, 1, np.inf, 3])
@pytest.mark.parametrize("x, axis", AXES)
def test_vector_norm(x, axis, order, keepdims):
    def f(x):
        return np.linalg.vector_norm(x, axis=axis, ord=order, keepdims=keepdims)

    value, _ = vjp(f, x)
    assert type(value) is type(f(x)) and np.asarray(value).tobytes() == np.asarray(f(x)).tobytes()
    check_grads(f, (x,))


@pytest.mark.parametrize("axis", [(0, 2), (0, 0), 2])
def test_axes_that_are_not_there(axis):
    with pytest.raises((SctError, ValueError)):
        np.linalg.vector_norm(A, axis=axis)
    with pytest.raises((SctError, ValueError)):
        vjp(lambda x: np.linalg.vector_norm(x, axis=axis), A)
