"""`sct.tree`: map, leaves and ravel, outside and inside differentiated functions."""

from __future__ import annotations

from collections import namedtuple
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from trees import same_bits

import sct
from sct import SctError, grad, value_and_grad

Pair = namedtuple("Pair", "left right")


@dataclass
class Layer:
    W: np.ndarray
    b: float
    name: str = "dense"


class Model:
    def __init__(self, scale: float) -> None:
        self.scale, self.layers = scale, [Layer(np.ones((2, 2)), 0.5), Layer(np.full((2, 2), 2.0), 1.5)]


def params() -> dict[str, Any]:
    return {"w": np.array([1.0, 2.0]), "pair": Pair(3.0, [4.0, np.float32(5.0)]), "layer": Layer(np.ones((2, 2)), 0.5),
            "n": 3, "name": "a", "none": None}


def loss(p: Any) -> Any:
    return (np.sum(p["w"] ** 2) * p["pair"].left + p["pair"].right[0] * p["pair"].right[1] * p["n"]
            + np.sum(p["layer"].W) * p["layer"].b)


# -- outside --------------------------------------------------------------------------


def test_a_step_of_gradient_descent() -> None:
    p = params()
    before = params()
    g = grad(loss)(p)
    stepped = sct.tree.map(lambda p, g: p - 0.1 * g, p, g)
    assert same_bits(p, before)
    assert stepped["w"].tolist() == [1.0 - 0.1 * 6.0, 2.0 - 0.1 * 12.0] and stepped["n"] == 3 and stepped["name"] == "a"
    assert isinstance(stepped["pair"], Pair) and stepped["pair"].left == 3.0 - 0.1 * 5.0 and stepped["none"] is None
    layer = stepped["layer"]
    assert type(layer) is Layer and layer.b == 0.5 - 0.1 * 4.0 and layer.name == "dense"


def test_objects_and_their_gradients() -> None:
    model = Model(2.0)
    g = grad(lambda m: m.scale * sum(np.sum(layer.W * layer.W) * layer.b for layer in m.layers))(model)
    assert isinstance(g, SimpleNamespace)
    stepped = sct.tree.map(lambda p, g: p + g, model, g)
    assert type(stepped) is Model and stepped is not model and type(stepped.layers[0]) is Layer
    assert stepped.layers[0].W.tolist() == [[3.0, 3.0]] * 2 and model.layers[0].W.tolist() == [[1.0, 1.0]] * 2


def test_map_of_one_leaf_and_of_several_trees() -> None:
    assert sct.tree.map(lambda x: 2.0 * x, 3.0) == 6.0
    assert sct.tree.map(lambda a, b, c: a + b * c, (1.0, [2.0]), (3.0, [4.0]), (5.0, [6.0])) == (16.0, [26.0])
    assert sct.tree.map(lambda a: -a, {"b": 1.0, "a": True, "c": "x"}) == {"b": -1.0, "a": True, "c": "x"}
    assert list(sct.tree.map(lambda a, b: a + b, {"b": 1.0, "a": 2.0}, {"a": 10.0, "b": 20.0}).items()) == [
        ("b", 21.0), ("a", 12.0)]


@pytest.mark.parametrize(("first", "other", "at"), [
    ({"a": 1.0}, {"b": 1.0}, "tree"), ([1.0, 2.0], [1.0], "tree"), (1.0, [1.0], "tree"),
    ({"a": [1.0, (2.0,)]}, {"a": [1.0, 2.0]}, "tree['a'][1]"), (Pair(1.0, 2.0), (1.0, 2.0), "tree"),
    ({"a": Layer(1.0, 2.0)}, {"a": {"W": 1.0}}, "tree['a']"),
])
def test_trees_that_differ(first: Any, other: Any, at: str) -> None:
    with pytest.raises(SctError, match="SCT917") as error:
        sct.tree.map(lambda a, b: a, first, other)
    assert f"`{at}`" in str(error.value) and "hint" in str(error.value)


def test_leaves_and_ravel() -> None:
    p = params()
    assert [np.shape(leaf) for leaf in sct.tree.leaves(p)] == [(2,), (), (), (), (2, 2), (), ()]
    vector, unravel = sct.tree.ravel(p)
    assert vector.tolist() == [1.0, 2.0, 3.0, 4.0, 5.0, 1.0, 1.0, 1.0, 1.0, 0.5]
    assert same_bits(unravel(vector), p)
    assert sct.tree.ravel(grad(loss)(p))[0].shape == vector.shape
    with pytest.raises(SctError, match="a vector of 10 numbers"):
        unravel(vector[1:])
    empty, back = sct.tree.ravel({"n": 1})
    assert empty.shape == (0,) and back(empty) == {"n": 1}


def test_ravel_of_complex_numbers() -> None:
    vector, unravel = sct.tree.ravel([1.0, 2.0j])
    assert vector.dtype == complex and unravel(np.array([3.0 + 1.0j, 4.0j])) == [3.0, 4.0j]
    assert sct.tree.ravel([np.ones(2, np.float32)])[0].dtype == np.float32


# -- inside ---------------------------------------------------------------------------


def short(p: Any) -> Any:
    return np.sum(p["w"] ** 2) * p["pair"].left + np.sum(p["layer"].W) * p["layer"].b * p["n"]


def after_a_step(p: Any, rate: float) -> Any:
    g = grad(short)(p)
    return short(sct.tree.map(lambda p, g: p - rate * g, p, g))


def test_a_derivative_through_a_step() -> None:
    p = params()
    value, slope = value_and_grad(after_a_step, "rate")(p, 0.01)
    assert value == after_a_step(p, 0.01)
    assert np.isclose(slope, (after_a_step(p, 0.01 + 1e-6) - after_a_step(p, 0.01 - 1e-6)) / 2e-6, rtol=1e-6)
    sct.check_grads(after_a_step, (p, 0.01), order=2)


def test_inside_as_outside() -> None:
    def program(p: Any, scale: float) -> Any:
        doubled = sct.tree.map(lambda x: scale * x, p)
        return sum(np.sum(leaf * leaf) for leaf in sct.tree.leaves(doubled)), doubled

    p = params()
    (value, doubled), g = value_and_grad(program, "scale", has_aux=True)(p, 2.0)
    wanted, theirs = program(p, 2.0)
    assert value == wanted and same_bits(doubled, theirs)
    assert np.isclose(g, 2.0 * value / 2.0)
    assert "import sct" not in sct.emit(lambda p, s: program(p, s)[0], argnums=1,
                                        types={"p": "(f64[n], float)", "s": "float"})


def test_ravel_inside() -> None:
    def program(p: Any) -> Any:
        vector, unravel = sct.tree.ravel(p)
        return np.sum(vector ** 3) + loss(unravel(vector * vector))

    p = {**params(), "pair": Pair(3.0, [4.0, 5.0])}
    value, g = value_and_grad(program)(p)
    assert value == program(p)
    sct.check_grads(program, (p,), order=2)
    assert g["name"] is None and g["w"].shape == (2,)


def test_unravel_of_outside_in_an_optimization() -> None:
    vector, unravel = sct.tree.ravel(params())
    f = value_and_grad(lambda v: loss(unravel(v)))
    value, g = f(vector)
    assert value == loss(params())
    assert np.allclose(g, sct.tree.ravel(grad(loss)(params()))[0])
    assert f(2.0 * vector)[0] == loss(unravel(2.0 * vector))
    other, unravel = sct.tree.ravel({**params(), "n": 4})
    assert f(other)[0] == loss(unravel(other))


@pytest.mark.parametrize("count", [3, 7])
def test_lists_of_any_length(count: int) -> None:
    def program(ws: Any, vs: Any, rate: float) -> Any:
        stepped = sct.tree.map(lambda w, v: w - rate * v * w, ws, vs)
        return sum(np.sum(w * w) for w in stepped)

    ws, vs = [np.full(2, 1.0 + k) for k in range(count)], [np.full(2, 0.5 * k) for k in range(count)]
    value, _ = value_and_grad(program, "rate")(ws, vs, 0.1)
    assert value == program(ws, vs, 0.1)
    sct.check_grads(program, (ws, vs, 0.1))
    layers = [{"W": w, "b": 1.0, "name": "a"} for w in ws]
    f = lambda layers, s: sum(np.sum(x["W"] ** 2) * x["b"] for x in sct.tree.map(lambda p: s * p, layers))
    assert value_and_grad(f, 1)(layers, 2.0)[0] == f(layers, 2.0)


def test_what_is_refused_inside() -> None:
    with pytest.raises(SctError, match="SCT917"):
        grad(lambda x: sct.tree.map(lambda a, b: a * b, {"a": x}, {"b": x})["a"])(1.0)
    with pytest.raises(SctError, match="SCT503"):
        grad(lambda xs: sct.tree.leaves([xs, 1.0])[0] * xs[0])([1.0] * 7)
    with pytest.raises(TypeError):
        grad(lambda x: sct.tree.map(lambda a: a * x))(1.0)
