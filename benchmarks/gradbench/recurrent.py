"""lstm: the loss of a recurrent network whose weight matrices are diagonal, after ADBench."""

from functools import partial
from typing import Any

import numpy as np

from sct import grad


def sigmoid(x):
    return 1.0 / (1.0 + np.exp(-x))


def cell_step(weight, bias, hidden, cell, x):
    forget = sigmoid(x * weight[0] + bias[0])
    ingate = sigmoid(hidden * weight[1] + bias[1])
    outgate = sigmoid(x * weight[2] + bias[2])
    change = np.tanh(hidden * weight[3] + bias[3])
    cell = cell * forget + ingate * change
    return outgate * np.tanh(cell), cell


def predict(main_params, extra_params, state, x):
    """The prediction for the next input; `state` becomes the next state."""
    x = x * extra_params[0]
    for layer in range(len(state) // 2):
        weight, bias = main_params[2 * layer].reshape(4, -1), main_params[2 * layer + 1].reshape(4, -1)
        x, cell = cell_step(weight, bias, state[2 * layer], state[2 * layer + 1], x)
        state[2 * layer], state[2 * layer + 1] = x, cell
    return x * extra_params[1] + extra_params[2]


def loss(main_params, extra_params, state, sequence):
    state, total = state.copy(), 0.0
    for t in range(len(sequence) - 1):
        y = predict(main_params, extra_params, state, sequence[t])
        normal = y - np.log(np.sum(np.exp(y)) + 2.0)
        total += np.sum(sequence[t + 1] * normal)
    return -total / sequence[1:].size


loss_grad = grad(loss, argnums=(0, 1), backend="numba")


def arguments(fields: dict[str, Any]) -> tuple[np.ndarray, ...]:
    return tuple(np.array(fields[name], float) for name in ("main_params", "extra_params", "state", "sequence"))


def jacobian(*args: np.ndarray) -> np.ndarray:
    return np.concatenate([part.ravel() for part in loss_grad(*args)])


EVAL = {
    "objective": lambda fields: partial(loss, *arguments(fields)),
    "jacobian": lambda fields: partial(jacobian, *arguments(fields)),
}
