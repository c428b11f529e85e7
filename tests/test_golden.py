"""The emitted source of the issue's programs and of the exemplars, whole.

    pytest tests/test_golden.py --update-golden      writes the files anew; read the diff

A golden file is also executed: it gives what the derivative gives.
"""

import importlib.util
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from programs import (
    arrays,
    calculus,
    checkpoints,
    control,
    estimation,
    exemplars,
    finance,
    helpers,
    issue,
    language,
    linear_algebra,
    lists,
    nested,
    numerics,
    objects,
    physics,
    queues,
    recursion,
    rewrites,
    selections,
    sizes,
    state_machines,
    tapes,
    users,
)
from trees import copied, random_like, same_bits

from sct import Derivative, grad, value_and_grad

GOLDEN = Path(__file__).parent / "golden"


@dataclass(frozen=True)
class Golden:
    name: str
    derivative: Callable[[], Derivative]
    args: Callable[[], tuple[Any, ...]]

    @property
    def path(self) -> Path:
        return GOLDEN / f"{self.name}.py"

    def __str__(self) -> str:
        return self.name


def inputs(module: Any, name: str) -> Callable[[], tuple[Any, ...]]:
    return lambda: module.INPUTS[name](np.random.default_rng(0))


def forward_inputs(module: Any, name: str) -> Callable[[], tuple[Any, ...]]:
    """The inputs and a tangent for each; None for what has none."""

    def args() -> tuple[Any, ...]:
        primals = inputs(module, name)()
        return (*primals, *random_like(primals, np.random.default_rng(1)))

    return args


def gradient(module: Any, name: str, argnums: int | tuple[int, ...], label: str = "") -> Golden:
    function = getattr(module, name)
    return Golden(label or f"{name}_grad", lambda: grad(function, argnums), inputs(module, name))


def valued(module: Any, name: str, argnums: int | tuple[int, ...]) -> Golden:
    function = getattr(module, name)
    return Golden(f"{name}_value_and_grad", lambda: value_and_grad(function, argnums), inputs(module, name))


def forward(module: Any, name: str) -> Golden:
    function = getattr(module, name)
    return Golden(f"{name}_jvp", lambda: Derivative("jvp", function), forward_inputs(module, name))


def second(module: Any, name: str) -> Golden:
    """Forward over reverse: the Hessian in argument 0 times a vector."""
    function = getattr(module, name)
    return Golden(f"{name}_hvp", lambda: Derivative("jvp", grad(function)), forward_inputs(module, name))


def pulled_back(module: Any, name: str, argnums: tuple[int, ...]) -> Golden:
    function = getattr(module, name)
    return Golden(f"{name}_vjp", lambda: Derivative("vjp", function, argnums), inputs(module, name))


def matrix(module: Any, name: str, kind: str, argnums: int) -> Golden:
    """A Jacobian or a Hessian."""
    function = getattr(module, name)
    return Golden(f"{name}_{kind}", lambda: Derivative(kind, function, argnums), inputs(module, name))


GOLDENS = [
    *(gradient(exemplars, pair.name, pair.argnums) for pair in exemplars.PAIRS if not pair.value),
    valued(exemplars, "seed", (0, 1)),
    forward(exemplars, "seed"),
    valued(exemplars, "cube", 0),
    second(exemplars, "cube"),
    valued(exemplars, "logistic_map", 0),
    forward(exemplars, "logistic_map"),
    second(exemplars, "logistic_map"),
    forward(exemplars, "heat"),
    second(exemplars, "recurrence"),
    valued(issue, "taxi", 0),
    valued(issue, "logistic_regression", 0),
    valued(issue, "misfit", 0),
    gradient(issue, "eccentric_anomaly", (0, 1)),
    valued(issue, "miss", 0),
    gradient(issue, "log_determinant", 0),
    gradient(issue, "soft_dtw", 0, "soft_dtw_loops_grad"),
    gradient(issue, "energy", (1, 3)),
    valued(issue, "wave", 0),
    # simulation and control: exits, switches, loops over time
    gradient(control, "sir", (0, 1)),
    gradient(control, "pid", 0),
    gradient(control, "lqr_cost", 0),
    gradient(control, "shortest_path", 0),
    valued(control, "inventory", (0, 2, 3)),
    gradient(control, "thermostat", (0, 1)),
    gradient(physics, "nbody", (0, 1)),
    gradient(physics, "heat_plate", 0),
    gradient(physics, "insulated_rod", 0),
    gradient(physics, "regulator", 0),
    gradient(physics, "thrown", (0, 1)),
    forward(physics, "spring_chain"),
    second(physics, "lennard_jones"),
    pulled_back(physics, "leapfrog_energy", (0, 1)),
    # array functions: medians, running products, paddings, rolls, splits, sorts
    gradient(arrays, "robust_scale", 0),
    gradient(arrays, "drawdown", 0, "running_drawdown_grad"),
    gradient(arrays, "swap", 0),
    gradient(arrays, "periodic_laplace", 0),
    gradient(arrays, "wrap_smoothed", (0, 1)),
    gradient(arrays, "gates", (0, 2)),
    valued(arrays, "gini", 0),
    forward(arrays, "top_k"),
    # statistics and learning
    valued(estimation, "mixture_nll", (0, 1, 2)),
    gradient(estimation, "softmax_cross_entropy", (0, 1)),
    gradient(estimation, "huber", 0),
    gradient(estimation, "welford", 0),
    gradient(estimation, "garch", (0, 1, 2)),
    gradient(estimation, "kalman_missing", (0, 1)),
    gradient(estimation, "perceptron", 0),
    gradient(estimation, "attention", (0, 1, 2)),
    gradient(estimation, "batch_norm", (0, 1, 2)),
    matrix(estimation, "normal_nll", "hessian", 0),
    gradient(estimation, "convolution", (0, 1)),
    # what is not kept: shapes, what is the same in each trip, what is computed already
    gradient(checkpoints, "heat", (0, 1), "checkpointed_heat_grad"),
    gradient(checkpoints, "logistic", (0, 1), "checkpointed_logistic_grad"),
    gradient(checkpoints, "half_life", (0, 1), "checkpointed_half_life_grad"),
    gradient(checkpoints, "recurrent", (0, 1), "checkpointed_recurrent_grad"),
    gradient(checkpoints, "layers", (0, 1), "checkpointed_layers_grad"),
    gradient(tapes, "until_large", 0),
    gradient(lists, "repelled", (0, 1)),
    gradient(objects, "falling", 0),
    gradient(arrays, "transposed_convolution", (0, 1)),
    gradient(tapes, "relaxed", 0),
    gradient(tapes, "chosen_parts", 0),
    gradient(tapes, "mixed", (0, 1)),
    gradient(tapes, "mixed_twice", (0, 1)),
    gradient(tapes, "smoothed_rows", (0, 1)),
    gradient(tapes, "gaussian_scores", (0, 1)),
    gradient(numerics, "multigrid", (0, 1)),
    gradient(numerics, "settled_ranks", 0),
    gradient(numerics, "last_residuals", (0, 1)),
    # finance
    gradient(finance, "black_scholes", (0, 3)),
    gradient(finance, "bond_price", (0, 1)),
    gradient(finance, "drawdown", 0),
    gradient(finance, "american_put", (0, 2)),
    second(finance, "portfolio_risk"),
    # models as classes
    valued(objects, "net_loss", 0),
    gradient(helpers, "final_x", (0, 1, 2, 3)),
    gradient(helpers, "orbits", (0, 1, 2)),
    gradient(helpers, "roughness", (0, 1)),
    gradient(helpers, "net", 0, "blocks_grad"),
    gradient(recursion, "run_spread", (0, 1)),
    gradient(recursion, "tree", 0),
    gradient(recursion, "mergesum", 0),
    gradient(recursion, "is_even", 0),
    gradient(recursion, "linked_list", 0),
    gradient(recursion, "search_tree", 0),
    gradient(objects, "orbit", (0, 1)),
    gradient(objects, "drop", 0),
    gradient(objects, "slope_of_slope", 0),
    # the language: aliases, views, masks, jumps, containers, closures
    gradient(language, "aliased_update", (0, 1)),
    gradient(language, "view_update", 0),
    gradient(language, "masked_write", 0),
    gradient(language, "entropy", 0),
    gradient(language, "duplicate_indices", 0),
    gradient(language, "nested_exits", 0),
    gradient(language, "loop_else", 0),
    gradient(language, "walrus", 0),
    gradient(language, "dictionary", 0),
    gradient(language, "option_string", 0),
    gradient(language, "many_returns", 0),
    gradient(language, "broadcast_shapes", (0, 1, 2)),
    forward(language, "closures"),
    matrix(language, "returned_tuple", "jacobian", 0),
    # Jacobians and Hessians, whole
    matrix(issue, "logistic_regression", "hessian", 0),
    matrix(exemplars, "recurrence", "hessian", 0),
    matrix(exemplars, "heat", "jacrev", 0),
    matrix(users, "pendulum", "jacfwd", 0),
    matrix(numerics, "moving_average", "jacobian", 0),
    # derivatives inside the function, and of the second order
    gradient(nested, "newton_minimum", (0, 1)),
    gradient(nested, "gradient_penalty", 0),
    gradient(nested, "curvature", (0, 1)),
    gradient(nested, "meta_rate", 0),
    # numerics
    gradient(numerics, "cholesky", 0),
    gradient(numerics, "conjugate_gradient", (0, 1)),
    gradient(numerics, "sort_network", 0),
    gradient(numerics, "determinant", 0),
    forward(numerics, "horner"),
    pulled_back(numerics, "moving_average", (0,)),
    gradient(users, "pid_cost", (0, 1, 2)),
    gradient(users, "epidemic", (0, 1)),
    gradient(users, "call_price", (0, 1)),
    gradient(users, "kmeans_loss", 0),
    gradient(users, "kalman_matrix", 0, "kalman_matrix_grad"),
    gradient(users, "spline_energy", 0),
    gradient(users, "pendulum", (0, 1, 2), "pendulum_rk4_grad"),
    gradient(users, "mlp", 0),
    gradient(sizes, "lstm", (0, 1, 2, 3, 4, 5)),
    gradient(sizes, "conv1d", (0, 1, 2), "conv1d_by_slices_grad"),
    forward(sizes, "conv1d"),
    gradient(sizes, "leapfrog_state", (0, 1, 2)),
    gradient(sizes, "red_black", (0, 1)),
    gradient(sizes, "window_sums", (0, 1)),
    second(sizes, "window_sums"),
    gradient(sizes, "unpacked_layers", 0),
    gradient(sizes, "coupling", (0, 1, 2)),
    gradient(sizes, "autocorrelation", 0),
    gradient(users, "softmax_regression", 0),
    gradient(users, "ar2", (0, 1, 2)),
    gradient(users, "hmm", (0, 1)),
    gradient(users, "energy_of_rows", (0, 1)),
    gradient(users, "gains", 1),
    valued(users, "pairs", 1),
    gradient(users, "weighted", 1),
    gradient(users, "elman", 0),
    gradient(users, "smear", (0, 1)),
    gradient(linear_algebra, "gaussian_process", (0, 1)),
    gradient(linear_algebra, "kalman_filter", (0, 2)),
    gradient(linear_algebra, "ridge", (0, 2)),
    gradient(linear_algebra, "leave_one_out", 2),
    gradient(linear_algebra, "principal_components", 0),
    gradient(linear_algebra, "least_squares_qr", (0, 1)),
    gradient(linear_algebra, "nuclear_penalty", 0),
    gradient(linear_algebra, "gaussian_kl", (0, 1)),
    gradient(linear_algebra, "canonical_polyadic", (0, 1, 2)),
    gradient(linear_algebra, "batched_attention", (0, 1, 2)),
    gradient(linear_algebra, "whitening", (0, 1)),
    gradient(calculus, "total_variation", 0),
    gradient(calculus, "mean_of_density", 0),
    gradient(calculus, "deblur", (0, 1)),
    gradient(calculus, "polynomial_fit", 0),
    gradient(calculus, "portfolio", (0, 1)),
    gradient(calculus, "tabulated", (0, 2)),
    valued(lists, "trajectory", (0, 1)),
    gradient(lists, "edit_distance", (0, 1)),
    gradient(lists, "layers", (0, 1)),
    gradient(lists, "window", 0),
    gradient(lists, "horner", (0, 1)),
    gradient(lists, "beam", (0, 1)),
    gradient(lists, "until", (0, 1)),
    valued(lists, "error_of_speed", 0),
    gradient(lists, "area", (0, 1)),
    gradient(lists, "oscillation", (0, 1)),
    gradient(lists, "product_trace", (0, 1)),
    gradient(queues, "huffman", 0),
    gradient(rewrites, "correlated", (0, 1)),
    gradient(rewrites, "linear_of_batches", (0, 1, 2)),
    gradient(tapes, "triangular_product", (1, 2)),
    gradient(selections, "american_tree", (0, 1)),
    gradient(selections, "clipped_control", (0, 1)),
    gradient(selections, "leaky_net", (0, 1, 2)),
    gradient(selections, "huber_regression", (0, 3)),
    gradient(selections, "damped", (0, 1)),
    gradient(selections, "exposed", (0, 1, 2)),
    gradient(selections, "filled", (0, 1, 2)),
    gradient(selections, "soft_threshold", (0, 4)),
    gradient(selections, "income_tax", (0, 1, 2, 3)),
    gradient(selections, "selected_tax", (0, 1, 2)),
    gradient(selections, "marginal_tax", (0, 1)),
    gradient(state_machines, "heater", 0),
    gradient(selections, "activated", (0, 1)),
    gradient(selections, "capped_distance", (0, 1)),
]


def run(path: Path, args: tuple[Any, ...]) -> Any:
    """What the derivative in a golden file returns: its last function."""
    spec = importlib.util.spec_from_file_location(f"golden_{path.stem}", path)
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    functions = [each for each in vars(module).values() if getattr(each, "__module__", None) == module.__name__]
    return functions[-1](*args)


@pytest.mark.parametrize("golden", GOLDENS, ids=str)
def test_golden(golden: Golden, update_golden: bool) -> None:
    derivative, args = golden.derivative(), golden.args()
    result = derivative(*copied(args))
    if update_golden:
        golden.path.parent.mkdir(exist_ok=True)
        golden.path.write_text(derivative.source)
    command = f"pytest tests/test_golden.py -k {golden} --update-golden"
    assert golden.path.exists(), f"there is no {golden.path.name}; write it by: {command}"
    assert derivative.source == golden.path.read_text(), f"the source changed; if it is meant to: {command}"
    assert same_bits(applied(run(golden.path, copied(args))), applied(result))


def applied(result: Any) -> Any:
    """What is compared: of a value and its pullback, what that gives for one, two times."""
    if isinstance(result, tuple) and callable(result[-1]):
        value, pullback = result
        return value, pullback(1.0), pullback(1.0)
    return result


def test_there_are_sixty() -> None:
    assert len({golden.name for golden in GOLDENS}) == len(GOLDENS) >= 60


def test_no_golden_is_left_over() -> None:
    assert {path.name for path in GOLDEN.glob("*.py")} <= {golden.path.name for golden in GOLDENS}
