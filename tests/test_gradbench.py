"""GradBench's evaluations at small sizes, through its protocol: against JAX, and against numbers that are published."""

import io
import json
from typing import Any

import numpy as np
import pytest

from benchmarks.gradbench import tool
from benchmarks.gradbench.inputs import LARGE, SMALL


def evaluate(module: str, function: str, fields: Any) -> Any:
    message = {"id": 7, "kind": "evaluate", "module": module, "function": function, "input": fields}
    answers = io.StringIO()
    tool.serve(io.StringIO(json.dumps(message) + "\n"), answers)
    answer = json.loads(answers.getvalue())
    assert answer["id"] == 7 and answer["success"], answer
    assert answer["timings"][0]["name"] == "evaluate" and answer["timings"][0]["nanoseconds"] > 0
    return answer["output"]


def flat(tree: Any) -> list[Any]:
    parts = tree.values() if isinstance(tree, dict) else tree
    return [np.asarray(tree)] if not isinstance(tree, (dict, tuple)) else [x for part in parts for x in flat(part)]


@pytest.mark.parametrize("name", SMALL)
def test_derivatives_are_those_of_jax(name: str) -> None:
    pytest.importorskip("jax")
    from benchmarks.gradbench.against_jax import derivative_of
    from benchmarks.gradbench.jax_programs import CALLS

    module, function = derivative_of(name)
    expected = CALLS[module, function](SMALL[name])()
    if module == "ba":
        got = evaluate(module, function, SMALL[name])
        blocks = np.asarray(expected).ravel()
        np.testing.assert_allclose(got["vals"][:30], blocks[:30], rtol=1e-10)
        assert got["vals"][30] == -2.0 * SMALL[name]["w"]
        return
    got = evaluate(module, function, SMALL[name])
    for x, y in zip(flat(got if module == "gmm" else np.array(got)), flat(expected), strict=module == "gmm"):
        if module == "lstm":
            y = np.concatenate([part.ravel() for part in flat(expected)])
        np.testing.assert_allclose(np.ravel(x), np.ravel(y), rtol=1e-9, atol=1e-10)


@pytest.mark.parametrize("name", ["lse", "llsq", "ode", "det", "kmeans", "gmm", "lstm", "ba", "ht", "ht, complicated"])
def test_derivatives_are_those_of_the_objectives(name: str) -> None:
    """By central differences of the objective, as the protocol gives it."""
    module = name.partition(",")[0]
    objective, derivative = tool.EVALS[module]
    fields = SMALL[name]
    varied = {"lse": "x", "llsq": "x", "ode": "x", "det": "A", "kmeans": "centroids", "gmm": "mu",
              "lstm": "main_params", "ba": "cam", "ht": "theta"}[module]
    x, eps = np.array(fields[varied]), 1e-6

    def value(k: int, step: float) -> np.ndarray:
        moved = x.copy()
        moved.flat[k] += step
        output = evaluate(module, objective, {**fields, varied: moved.tolist()})
        return np.array(output["reproj_error"]["elements"] if module == "ba" else output)

    slopes = np.array([(value(k, eps) - value(k, -eps)) / (2.0 * eps) for k in range(x.size)])
    got = evaluate(module, derivative, fields)
    if module == "ode":
        slopes = slopes[:, -1]
    if module == "kmeans":
        nearest = np.argmin(np.sum((np.array(fields["points"])[:, None] - x) ** 2, axis=2), axis=1)
        slopes /= 2.0 * np.repeat(np.bincount(nearest, minlength=len(x)), x.shape[1])
    if module == "ba":
        got = np.array(got["vals"][:30]).reshape(2, 15)[:, :11].T
    elif module == "ht":
        got = np.array(got)[:, -26:].T
    elif module in ("gmm", "lstm"):
        got = np.array(got["mu"] if module == "gmm" else got[: x.size]).ravel()
    np.testing.assert_allclose(np.array(got).reshape(slopes.shape), slopes, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("modes", ["rr", "rf", "fr", "ff"])
def test_nested_descents_give_the_published_numbers(modes: str) -> None:
    assert abs(evaluate("particle", modes, {"w": 0.0}) - 0.2071918746) < 1e-10
    np.testing.assert_allclose(evaluate("saddle", modes, {"start": [1.0, 1.0]}), [8.2463248e-6] * 4, rtol=1e-7)


def test_hello() -> None:
    assert evaluate("hello", "square", 3.0) == 9.0 and evaluate("hello", "double", 3.0) == 6.0


def test_the_sparse_jacobian_of_adjustment_has_gradbench_s_rows() -> None:
    got = evaluate("ba", "jacobian", SMALL["ba"])
    n, m, p = (SMALL["ba"][name] for name in "nmp")
    assert got["rows"][:3] == [0, 15, 30] and got["rows"][-1] == 31 * p
    assert got["cols"][:15] == [*range(11), *range(11 * n, 11 * n + 3), 11 * n + 3 * m]
    assert got["cols"][-1] == 11 * n + 3 * m + p - 1


def test_the_protocol() -> None:
    messages = [{"id": 0, "kind": "start", "eval": "lse"}, {"id": 1, "kind": "define", "module": "lse"},
                {"id": 2, "kind": "define", "module": "none"}, {"id": 3, "kind": "analysis", "of": 2, "valid": True},
                {"id": 4, "kind": "evaluate", "module": "lse", "function": "primal", "input": {"x": "no"}}]
    answers = io.StringIO()
    tool.serve(io.StringIO("\n".join(map(json.dumps, messages))), answers)
    got = list(map(json.loads, answers.getvalue().splitlines()))
    assert got[0] == {"id": 0, "tool": "sct"} and [a.get("success") for a in got[1:3]] == [True, False]
    assert got[3] == {"id": 3} and got[4]["success"] is False and "error" in got[4]


def test_runs_are_repeated_as_asked() -> None:
    output, times = tool.repeated(lambda: 1.0, 5, 0.0)
    assert output == 1.0 and len(times) == 5
    assert sum(tool.repeated(lambda: 1.0, 1, 0.01)[1]) >= 1e7


def test_all_evaluations_are_there() -> None:
    assert set(tool.EVALS) == {"hello", "lse", "llsq", "ode", "det", "kmeans", "gmm", "lstm", "ba", "ht", "particle",
                               "saddle"}
    assert {name.partition(",")[0] for name in LARGE} <= set(tool.EVALS)
