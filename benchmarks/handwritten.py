"""Hand-written gradients: what `gradient.py` measures sct against.

Comes in: nothing.  Goes out: `PAIRS`, each a function, its hand-written gradient
and inputs of two sizes: small ones to check with, large ones to time with.

    python -m benchmarks.handwritten      checks every pair against central differences
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from benchmarks import exemplars, programs

Rng = np.random.Generator


@dataclass(frozen=True)
class Pair:
    """A function, its hand-written gradient in `argnums`, and its inputs."""

    function: Callable[..., Any]
    gradient: Callable[..., Any]
    argnums: int | tuple[int, ...]
    small: Callable[[Rng], tuple[Any, ...]]
    large: Callable[[Rng], tuple[Any, ...]]
    value: bool = False  # the gradient comes with the value, as value_and_grad gives it

    @property
    def name(self) -> str:
        return self.function.__name__


def tridiagonal(rng: Rng, n: int) -> tuple[Any, ...]:
    return rng.normal(size=n), 4.0 + rng.random(n), rng.normal(size=n), rng.normal(size=n)


def perceptron(rng: Rng, n: int, width: int) -> tuple[Any, ...]:
    params = {
        "W1": rng.normal(size=(width, width)),
        "b1": rng.normal(size=width),
        "W2": rng.normal(size=(width, 2)),
        "b2": rng.normal(size=2),
        "loss": "mse",
    }
    return params, rng.normal(size=(n, width)), rng.normal(size=(n, 2))


def classes(rng: Rng, n: int, m: int) -> tuple[Any, ...]:
    return rng.normal(size=m), rng.normal(size=(n, m)), np.where(rng.random(n) < 0.5, -1.0, 1.0)


def system(rng: Rng, n: int) -> tuple[Any, ...]:
    return (rng.normal(size=(n, n)) + n * np.eye(n),)


def layer(rng: Rng, n: int, width: int) -> tuple[Any, ...]:
    return rng.normal(size=(width, width)) / math.sqrt(width), rng.normal(size=(n, width)), rng.normal(size=width)


def option(rng: Rng, n: int) -> tuple[Any, ...]:
    return 100.0, 0.2, rng.normal(size=n), 0.03, 95.0, 60.0


EXEMPLARS = (
    Pair(exemplars.seed, exemplars.seed_grad, (0, 1), lambda rng: (2.0, 5.0), lambda rng: (2.0, 5.0)),
    Pair(exemplars.cube, exemplars.cube_value_and_grad, 0, lambda rng: (1.3,), lambda rng: (1.3,), value=True),
    Pair(exemplars.logistic_map, exemplars.logistic_map_grad, 0, lambda rng: (0.2, 3), lambda rng: (0.2, 500)),
    Pair(exemplars.newton_sqrt, exemplars.newton_sqrt_grad, 0, lambda rng: (7.0,), lambda rng: (9000.0,)),
    Pair(
        exemplars.first_crossing,
        exemplars.first_crossing_grad,
        0,
        lambda rng: (rng.normal(size=8), 1.0),
        lambda rng: (rng.normal(size=1000), 400.0),
    ),
    Pair(
        exemplars.heat,
        exemplars.heat_grad,
        0,
        lambda rng: (rng.normal(size=8), 3, 0.1),
        lambda rng: (rng.normal(size=1000), 100, 0.1),
    ),
    Pair(
        exemplars.recurrence,
        exemplars.recurrence_grad,
        (0, 1),
        lambda rng: (rng.normal(size=5), 0.7),
        lambda rng: (rng.normal(size=1000), 0.7),
    ),
    Pair(
        exemplars.mlp_loss,
        exemplars.mlp_loss_grad,
        0,
        lambda rng: perceptron(rng, 5, 3),
        lambda rng: perceptron(rng, 100, 20),
    ),
    Pair(exemplars.rnn, exemplars.rnn_grad, 0, lambda rng: layer(rng, 4, 3), lambda rng: layer(rng, 100, 20)),
)

FURTHER = (
    Pair(
        programs.thomas,
        programs.thomas_grad,
        (0, 1, 2, 3),
        lambda rng: tridiagonal(rng, 6),
        lambda rng: tridiagonal(rng, 500),
    ),
    Pair(
        programs.seidel,
        programs.seidel_grad,
        (0, 1),
        lambda rng: (rng.normal(size=6), rng.normal(size=6), 3),
        lambda rng: (rng.normal(size=100), rng.normal(size=100), 10),
    ),
    Pair(programs.lu_logdet, programs.lu_logdet_grad, 0, lambda rng: system(rng, 4), lambda rng: system(rng, 40)),
    Pair(
        programs.soft_dtw,
        programs.soft_dtw_grad,
        0,
        lambda rng: (rng.normal(size=4), rng.normal(size=5), 0.7),
        lambda rng: (rng.normal(size=25), rng.normal(size=30), 0.7),
    ),
    Pair(
        programs.pendulum,
        programs.pendulum_grad,
        (0, 1, 2),
        lambda rng: (0.8, 0.3, 9.81, 10),
        lambda rng: (0.8, 0.3, 9.81, 500),
    ),
    Pair(
        programs.barrier_option,
        programs.barrier_option_grad,
        (0, 1),
        lambda rng: option(rng, 10),
        lambda rng: option(rng, 252),
    ),
    Pair(
        programs.kalman,
        programs.kalman_grad,
        (0, 1),
        lambda rng: (0.1, 0.5, rng.normal(size=8)),
        lambda rng: (0.1, 0.5, rng.normal(size=500)),
    ),
    Pair(
        programs.sir_loss,
        programs.sir_loss_grad,
        (0, 1),
        lambda rng: (0.6, 0.2, rng.random(8)),
        lambda rng: (0.6, 0.2, rng.random(500)),
    ),
    Pair(
        programs.smooth,
        programs.smooth_grad,
        0,
        lambda rng: (rng.normal(size=12), 2),
        lambda rng: (rng.normal(size=300), 5),
    ),
    Pair(
        programs.logistic_loss,
        programs.logistic_loss_grad,
        0,
        lambda rng: classes(rng, 10, 3),
        lambda rng: classes(rng, 400, 30),
    ),
)

PAIRS = EXEMPLARS + FURTHER


def copied(value: Any) -> Any:
    """A copy with arrays of its own."""
    if isinstance(value, dict):
        return {key: copied(item) for key, item in value.items()}
    return value.copy() if isinstance(value, np.ndarray) else value


def differences(f: Callable[[Any], float], x: Any, eps: float = 1e-6) -> Any:
    """The gradient of `f` at `x`, a float, an array or a dict of these, by central differences."""
    if isinstance(x, dict):
        return {key: differences(lambda item, key=key: f({**x, key: item}), x[key]) for key in x}
    if isinstance(x, str):
        return None
    if isinstance(x, float):
        return (f(x + eps) - f(x - eps)) / (2.0 * eps)
    gradient = np.empty_like(x)
    for k in np.ndindex(x.shape):
        low, high = x.copy(), x.copy()
        low[k] -= eps
        high[k] += eps
        gradient[k] = (f(high) - f(low)) / (2.0 * eps)
    return gradient


def agree(got: Any, expected: Any, name: str) -> None:
    """Gradients of equal structure with equal leaves, to the accuracy of differences."""
    if isinstance(expected, dict):
        for key in expected:
            agree(got[key], expected[key], f"{name}, {key}")
    elif expected is None or isinstance(expected, str):
        assert got == expected, name
    else:
        np.testing.assert_allclose(got, expected, rtol=2e-5, atol=2e-6, err_msg=name)


def check(pair: Pair, rng: Rng) -> None:
    """The hand-written gradient against differences; the arguments come back unchanged."""
    args = pair.small(rng)
    before = copied(dict(enumerate(args)))
    gradients = pair.gradient(*args)
    if pair.value:
        value, gradients = gradients
        assert value == pair.function(*args), pair.name
    agree(dict(enumerate(args)), before, f"{pair.name} changed an argument")
    argnums = pair.argnums if isinstance(pair.argnums, tuple) else (pair.argnums,)
    gradients = gradients if isinstance(pair.argnums, tuple) else (gradients,)
    for i, got in zip(argnums, gradients, strict=True):

        def at(x: Any, i: int = i) -> Any:
            return pair.function(*[copied(x if j == i else arg) for j, arg in enumerate(args)])

        agree(got, differences(at, args[i]), f"{pair.name}, argument {i}")


def main() -> None:
    for pair in PAIRS:
        check(pair, np.random.default_rng(0))
    print(f"{len(PAIRS)} hand-written gradients agree with central differences")


if __name__ == "__main__":
    main()
