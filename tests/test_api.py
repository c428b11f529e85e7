"""The public functions: conventions, refusals before tracing, decorators, methods, cache, threads."""

from __future__ import annotations

import contextlib
import functools
import inspect
import math
import pickle
from types import SimpleNamespace

import numpy as np
import pytest

import sct
from sct import SctError, check_grads, grad, hvp, jvp, stop_gradient, value_and_grad, vjp


def product(x: float, y: float) -> float:
    """x times y."""
    return x * y


def power(x: float, n: int = 3) -> float:
    result = 1.0
    for _ in range(n):
        result *= x
    return result


def total(x: np.ndarray) -> float:
    return np.sum(x * x)


# -- conventions ----------------------------------------------------------------------


def test_argnums_are_indices_names_or_tuples() -> None:
    assert grad(product)(2.0, 5.0) == 5.0
    assert grad(product, 1)(2.0, 5.0) == 2.0
    assert grad(product, argnums=-1)(2.0, 5.0) == 2.0
    assert grad(product, argnums="y")(2.0, 5.0) == 2.0
    assert grad(product, argnums=(0, 1))(2.0, 5.0) == (5.0, 2.0)
    assert grad(product, argnums=(1, 0))(2.0, 5.0) == (2.0, 5.0)
    assert grad(product, argnums=("y", 0))(2.0, 5.0) == (2.0, 5.0)
    assert grad(product, argnums=(1,))(2.0, 5.0) == (2.0,)
    assert grad(product, argnums=[0, 1])(2.0, 5.0) == (5.0, 2.0)


def test_value_and_grad_gives_the_pair() -> None:
    assert value_and_grad(product)(2.0, 5.0) == (10.0, 5.0)
    assert value_and_grad(product, argnums=(0, 1))(2.0, 5.0) == (10.0, (5.0, 2.0))


def test_keyword_arguments_and_defaults() -> None:
    assert grad(product)(2.0, y=5.0) == 5.0
    assert grad(product, argnums="y")(x=2.0, y=5.0) == 2.0
    assert grad(power)(2.0) == 12.0
    assert grad(power)(2.0, 2) == 4.0
    assert grad(power)(2.0, n=4) == 32.0


def test_vjp_and_its_pullback() -> None:
    value, pullback = vjp(product, 2.0, 5.0)
    assert value == 10.0
    assert pullback(1.0) == (5.0, 2.0)
    assert pullback(2.0) == (10.0, 4.0)
    assert pullback(1.0) == (5.0, 2.0)


def test_vjp_of_arrays() -> None:
    x = np.array([1.0, 2.0, 3.0])
    value, pullback = vjp(lambda x: x * x, x)
    assert np.array_equal(value, x * x)
    assert np.array_equal(pullback(np.ones(3))[0], 2.0 * x)
    assert np.array_equal(pullback(np.array([1.0, 0.0, 0.0]))[0], [2.0, 0.0, 0.0])


def test_jvp() -> None:
    assert jvp(product, (2.0, 5.0), (1.0, 0.0)) == (10.0, 5.0)
    assert jvp(product, (2.0, 5.0), (1.0, 1.0)) == (10.0, 7.0)
    assert jvp(product, (2.0, 5.0), (None, 1.0)) == (10.0, 2.0)
    assert jvp(product, [2.0, 5.0], [1, 0]) == (10.0, 5.0)
    assert jvp(power, (2.0, 3), (1.0, None)) == (8.0, 12.0)


def test_hvp() -> None:
    assert hvp(lambda x: x * x * x, (2.0,), (1.0,)) == 12.0
    x, v = np.array([1.0, 2.0]), np.array([0.5, -1.0])
    assert np.allclose(hvp(lambda x: np.sum(x * x * x), (x,), (v,)), 6.0 * x * v)


def test_tangents_of_the_last_arguments_may_be_left_out() -> None:
    def f(x, k, mode="cubes"):
        return k * np.sum(x ** 3) if mode == "cubes" else k * x

    x, v = np.array([1.0, 2.0]), np.array([3.0, -1.0])
    assert np.array_equal(hvp(f, (x, 2.0, "cubes"), (v,)), 12.0 * x * v)
    assert np.array_equal(hvp(f, (x, 2.0), (v, 1.0)), 12.0 * x * v + 3.0 * x ** 2)
    assert jvp(f, (x, 2.0, "cubes"), [v]) == (f(x, 2.0), 6.0 * (x ** 2) @ v)


def test_stop_gradient() -> None:
    assert stop_gradient(3.0) == 3.0
    assert grad(lambda x: x * stop_gradient(x))(3.0) == 3.0


def test_derivatives_nest() -> None:
    assert grad(grad(power))(2.0) == 12.0
    assert grad(grad(grad(power)))(2.0) == 6.0
    assert grad(lambda x: x * grad(lambda y: x * y * y)(x))(3.0) == 54.0
    assert grad(lambda x: jvp(power, (x,), (1.0,))[1])(2.0) == 12.0
    assert jvp(grad(power), (2.0,), (1.0,)) == (12.0, 12.0)


def test_perturbations_are_not_confused() -> None:
    assert grad(lambda x: x * grad(lambda y: x + y)(1.0))(1.0) == 1.0
    assert jvp(lambda x: x * jvp(lambda y: x + y, (1.0,), (1.0,))[1], (1.0,), (1.0,))[1] == 1.0


def test_an_int_argument_counts_as_a_float() -> None:
    assert grad(lambda x: x * x)(3) == 6.0
    assert value_and_grad(lambda x: x * x)(3) == (9, 6.0)
    assert jvp(lambda x: x * x, (3,), (1.0,)) == (9, 6.0)


def test_gradients_mirror_the_argument() -> None:
    params = {"w": np.array([1.0, 2.0]), "b": 0.5, "name": "layer"}
    gradient = grad(lambda p: np.sum(p["w"] * p["w"]) + p["b"] * p["b"])(params)
    assert list(gradient) == ["w", "b", "name"]
    assert np.array_equal(gradient["w"], [2.0, 4.0]) and gradient["b"] == 1.0 and gradient["name"] is None


def test_has_aux() -> None:
    assert grad(lambda x: (x * x, x + 1.0), has_aux=True)(3.0) == (6.0, 4.0)
    assert value_and_grad(lambda x: (x * x, x + 1.0), has_aux=True)(3.0) == ((9.0, 4.0), 6.0)


def test_gradients_are_owned_and_arguments_are_left_alone() -> None:
    x = np.array([1.0, 2.0])
    first, second = grad(lambda a, b: np.sum(a + b), argnums=(0, 1))(x, x.copy())
    first[0] = 7.0
    assert second[0] == 1.0

    def doubled(x):
        x *= 2.0
        return np.sum(x)

    assert np.array_equal(grad(doubled)(x), [2.0, 2.0])
    assert np.array_equal(x, [1.0, 2.0])


def test_what_is_passed_twice_has_two_derivatives() -> None:
    def f(x, y):
        return np.sum(x * y * y)

    def inside(b):
        first, second = grad(f, argnums=(0, 1))(b, b)
        (third, fourth) = vjp(f, b, b)[1](1.0)
        return first, second, third, fourth, jvp(f, (b, b), (b, 0.0 * b))[1]

    b = np.array([1.0, 2.0])
    x, y = grad(f, argnums=(0, 1))(b, b)
    assert np.array_equal(x, b * b) and np.array_equal(y, 2.0 * b * b)
    values, tangents = jvp(inside, (b,), (b,))
    for got, expected in zip(values, (x, y, x, y, np.sum(b ** 3))):
        assert np.array_equal(got, expected)
    for got, expected in zip(tangents, (2.0 * x, 2.0 * y, 2.0 * x, 2.0 * y, 3.0 * np.sum(b ** 3))):
        assert np.array_equal(got, expected)
    nested = grad(lambda p, q: np.sum(p["w"] * q["w"] ** 2), argnums=(0, 1))
    params = {"w": b}
    assert np.array_equal(nested(params, params)[0]["w"], x) and np.array_equal(nested(params, params)[1]["w"], y)


def test_what_is_passed_twice_and_written_has_none() -> None:
    def f(a, b, c):
        a[0] = 3.0 * b[1] * c
        return np.sum(a * b)

    x = np.array([1.0, 2.0])
    for argnums in (0, 1, (0, 1), (1, 2)):
        with pytest.raises(SctError, match="passed in two places") as error:
            grad(f, argnums)(x, x, 1.0)
        assert error.value.code == "SCT305" and "lambda" in error.value.hint
        with pytest.raises(SctError, match="passed in two places"):
            grad(lambda b, argnums=argnums: jvp(grad(f, argnums), (b, b, 1.0), (b, b, None))[1])(x)
    assert grad(f, 2)(x, x, 1.0) == 72.0
    assert np.array_equal(grad(lambda b: f(b, b, 1.0))(x), [0.0, 40.0])
    assert np.array_equal(grad(f)(x, x.copy(), 1.0), [0.0, 2.0])


class Spring:
    def __init__(self, k):
        self.k = k


def writes_an_item(a, b, c):
    a[0] = b[1] * 3.0 * c
    return a[0] * b[0] + a[1]


def writes_an_entry(a, b, c):
    a["k"] = b["k"] * 2.0
    return a["k"] * b["k"] * c


def writes_an_attribute(a, b, c):
    a.k *= 2.0
    return a.k * b.k * c


def appends(a, b, c):
    a.append(b[0])
    return b[-1] * b[0] * c + len(b)


def writes_an_array_in_it(a, b, c):
    a[0][1] = b[0][0] * c
    return np.sum(b[0])


def writes_a_row(a, b, c):
    a[0][1] = b[0][0] * c
    return b[0][1] * a[0][0]


def writes_one_of_many(a, b, c):
    for i in range(1, len(a)):
        a[i] = b[i - 1] * c
    return b[-1]


@pytest.mark.parametrize(("f", "make"), (
    (writes_an_item, lambda: [1.0, 2.0]), (writes_an_entry, lambda: {"k": 2.0, "m": 1.0}),
    (writes_an_attribute, lambda: Spring(2.0)), (writes_an_attribute, lambda: SimpleNamespace(k=2.0)),
    (appends, lambda: [1.0, 2.0]), (appends, lambda: [1.0] * 6),
    (writes_an_array_in_it, lambda: [np.array([1.0, 2.0])]),
    (writes_a_row, lambda: [[1.0, 2.0]]), (writes_one_of_many, lambda: [1.0, 2.0, 3.0, 4.0, 5.0, 6.0])))
def test_a_container_that_is_passed_twice_and_written_has_none(f, make) -> None:
    for derivative in (grad(f), grad(f, 1), grad(f, (0, 1)), grad(f, (1, 2)), lambda *args: vjp(f, *args)):
        with pytest.raises(SctError, match="passed in two places") as error:
            one = make()
            derivative(one, one, 1.5)
        assert error.value.code == "SCT305" and "lambda" in error.value.hint
        derivative(make(), make(), 1.5)
    for g in (lambda both: f(*both, 1.5), lambda both: f(both[0], both[1], 1.5)):
        with pytest.raises(SctError, match="passed in two places"):
            one = make()
            grad(g)((one, one))
    one = make()
    value, by_c = value_and_grad(f, 2)(one, one, 1.5)
    one = make()
    assert value == f(one, one, 1.5)
    ends = [(lambda one: f(one, one, 1.5 + step))(make()) for step in (1e-6, -1e-6)]
    assert by_c == pytest.approx((ends[0] - ends[1]) / 2e-6, abs=1e-6)
    grad(lambda b: f(b, b, 1.5))(make())


def test_a_container_that_is_passed_twice_and_read_has_two_derivatives() -> None:
    def f(a, b):
        other = [0.0]
        other[0] = a[0] * b[1]
        return other[0] * b[0]

    one = [2.0, 3.0]
    assert grad(f, (0, 1))(one, one) == ([6.0, 0.0], [6.0, 4.0])
    assert grad(f, 0)(one, one) == [6.0, 0.0]
    assert grad(lambda m: f(*m))([one, one]) == [[6.0, 0.0], [6.0, 4.0]]
    spring = Spring(2.0)
    by_a, by_b = grad(lambda a, b: a.k * b.k ** 2, (0, 1))(spring, spring)
    assert (by_a.k, by_b.k) == (4.0, 8.0)


def test_none_has_no_derivative() -> None:
    def positive(x):
        if x > 0.0:
            return x * x

    def largest(xs):
        best = None
        for x in xs:
            if best is None or x > best:
                best = x
        return best

    for transform in (grad, value_and_grad, sct.jacrev, sct.jacfwd, sct.hessian):
        d = transform(positive)
        d(1.0)
        with pytest.raises(TypeError, match="None"):
            d(-1.0)
        with pytest.raises(TypeError, match="None"):
            transform(largest)(np.zeros(0))
    assert np.array_equal(grad(largest)(np.array([1.0, 3.0, 2.0])), [0.0, 1.0, 0.0])
    assert jvp(positive, (-1.0,), (1.0,)) == (None, None)


def test_effects_happen_once_in_a_pullback_inside(capsys) -> None:
    def f(x):
        for i in range(2):
            print("trip", i, x)
            if x > 100.0:
                raise ValueError("large")
        return x * x * x

    def g(x):
        value, pullback = vjp(f, x)
        return pullback(1.0)[0] * value + pullback(2.0)[0]

    d = value_and_grad(g)
    assert d(2.0) == (120.0, 264.0)
    assert capsys.readouterr().out == "trip 0 2.0\ntrip 1 2.0\n"
    with pytest.raises(ValueError, match="large"):
        d(200.0)
    assert capsys.readouterr().out == "trip 0 200.0\n"


def test_the_effects_of_functions_that_call_themselves_happen_once_in_a_pullback_inside(capsys) -> None:
    def powers(x, n):
        memo = {}

        def f(k):
            if k not in memo:
                print(k, np.random.rand() < 2.0)
                memo[k] = x if k == 0 else x * f(k - 1) + f(k // 2)
            return memo[k]

        return f(n) + 0.0 * f(n - 1)

    def g(x):
        value, pullback = vjp(powers, x, 3)
        return pullback(value)[0] + pullback(1.0)[0]

    p = np.poly1d([1.0, 2.0, 2.0, 1.0, 0.0])
    expected = (p(0.7) + 1.0) * p.deriv(2)(0.7) + p.deriv()(0.7) ** 2
    np.testing.assert_allclose(grad(g)(0.7), expected)
    assert capsys.readouterr().out == "3 True\n2 True\n1 True\n0 True\n"


def test_a_pullback_in_an_equation_that_is_solved(capsys) -> None:
    import scipy.optimize

    def cube(x):
        return x**3

    def printed(x):
        print(x)
        return x**3

    def root(f, x):
        _, pullback = vjp(f, x)
        return scipy.optimize.brentq(lambda r: r - pullback(x)[0], 0.0, 9.0)

    np.testing.assert_allclose(grad(root, 1)(cube, 1.1), 9.0 * 1.1**2)
    with pytest.raises(SctError, match="is called in an equation that is solved"):
        grad(root, 1)(printed, 1.1)


def test_a_float_beside_single_precision_has_a_float_gradient() -> None:
    x = np.ones(3, np.float32)
    for f in (lambda s, x: np.sum(s * x), lambda s, x: np.sum((2.0 * s) * x + s), lambda s, x: s * np.float32(2.0)):
        assert isinstance(grad(f)(2.0, x), float)
        assert isinstance(vjp(f, 2.0, x)[1](1.0)[0], float)
        assert grad(f)(np.float32(2.0), x).dtype == np.float32


def test_what_the_function_raises_is_raised() -> None:
    with pytest.raises(ValueError):
        value_and_grad(lambda x: math.log(x))(-1.0)
    with pytest.raises(TypeError):
        grad(product)(1.0)
    with pytest.raises(TypeError):
        grad(product)(1.0, 2.0, 3.0)


# -- decorators and objects -----------------------------------------------------------


@grad
def bare(x: float) -> float:
    """The square."""
    return x * x


@grad(argnums=1)
def with_options(x: float, y: float) -> float:
    return x * y * y


@value_and_grad(argnums=(0, "y"))
def with_value(x: float, y: float) -> float:
    return x * y


def test_decorators() -> None:
    assert bare(3.0) == 6.0
    assert with_options(2.0, 3.0) == 12.0
    assert with_value(2.0, 3.0) == (6.0, (3.0, 2.0))


def test_a_derivative_looks_like_its_function() -> None:
    assert (bare.__name__, bare.__doc__, bare.__module__) == ("bare", "The square.", __name__)
    assert str(inspect.signature(grad(product))) == str(inspect.signature(product))
    assert "bare" in repr(bare)
    assert grad.__sct_call__ == "grad" and vjp.__sct_call__ == "vjp" and hvp.__sct_call__ == "hvp"
    assert bare.__sct_transform__.kind == "grad"


class Model:
    def __init__(self, scale: float) -> None:
        self.scale = scale

    def loss(self, w: float, x: float) -> float:
        return self.scale * w * w * x

    @grad
    def slope(self, w: float, x: float) -> float:
        return self.scale * w * w * x

    @value_and_grad(argnums=1)
    def slope_of_x(self, w: float, x: float) -> float:
        return self.scale * w * w * x

    @staticmethod
    @grad
    def square(x: float) -> float:
        return x * x


def test_index_0_of_a_method_is_the_first_argument_after_self() -> None:
    model = Model(2.0)
    assert grad(model.loss)(3.0, 1.0) == 12.0
    assert grad(model.loss, argnums=1)(3.0, 1.0) == 18.0
    assert model.slope(3.0, 1.0) == 12.0
    assert model.slope_of_x(3.0, 1.0) == (18.0, 18.0)
    assert Model.square(3.0) == model.square(3.0) == 6.0


def test_attributes_of_self_are_read_at_every_call() -> None:
    model = Model(2.0)
    assert model.slope(3.0, 1.0) == 12.0
    model.scale = 4.0
    assert model.slope(3.0, 1.0) == 24.0
    assert Model(1.0).slope(3.0, 1.0) == 6.0


def test_partial() -> None:
    assert grad(functools.partial(product, y=5.0))(2.0) == 5.0


def test_derivatives_pickle() -> None:
    assert pickle.loads(pickle.dumps(bare)) is bare
    copied = pickle.loads(pickle.dumps(grad(product, argnums=1)))
    assert copied(2.0, 5.0) == 2.0


# -- source ---------------------------------------------------------------------------


def test_source_before_and_after_a_call() -> None:
    fresh = grad(product)
    assert "def product_grad(x, y" in fresh.source
    fresh(2.0, 5.0)
    assert "def product_grad(x, y" in fresh.source
    assert "sct" not in fresh.source.split("def ")[1]


def test_source_is_that_of_the_latest_call_if_it_raised() -> None:
    def f(x: float) -> float:
        if np.sum(x) > 5.0:
            raise ValueError("too large")
        return np.sum(x * x)

    derivative = value_and_grad(f)
    for x, text in ((np.ones(9), "x: f64[n]"), (np.ones((3, 3)), "x: f64[n, n]"), (np.ones(2), "x: f64[n]"),
                    (9.0, "x: float"), (np.ones((3, 3)), "x: f64[n, n]"), (np.ones(7), "x: f64[n]")):
        with contextlib.suppress(ValueError):
            derivative(x)
        assert f"# {text}\n" in derivative.source and derivative.validated is True
        assert derivative.line_map is not None
    value, slope = derivative(np.ones(2))
    assert value == 2.0 and slope.tolist() == [2.0, 2.0]


def test_source_runs_without_sct() -> None:
    def f(x: float, n: int) -> float:
        v = x
        for i in range(n):
            v = 4.0 * v * (1.0 - v)
        return v

    d = value_and_grad(f)
    expected = d(0.3, 5)
    namespace: dict[str, object] = {}
    exec(d.source, namespace)
    assert namespace["f_value_and_grad"](0.3, 5) == expected


def test_sources_holds_every_specialization() -> None:
    d = grad(lambda x: np.sum(x * x))
    d(np.ones(3))
    d(np.ones((3, 2)))
    assert len(d.sources) == 2 and d.sources[-1] == d.source


def test_ir_after_every_stage() -> None:
    d = grad(product)
    d(2.0, 5.0)
    for stage in ("primal", "optimized", "expanded", "adjoint", "saved", "storage"):
        assert d.ir(stage).startswith("def ")
    assert "vjp" in d.ir("primal") and "vjp" not in d.ir("expanded")
    with pytest.raises(SctError, match="stage"):
        d.ir("nonsense")


# -- refusals before tracing ----------------------------------------------------------


@pytest.mark.parametrize("transform", [grad, value_and_grad])
@pytest.mark.parametrize(
    ("argnums", "message"),
    [
        (2, "no positional argument 2"),
        (-3, "no positional argument -3"),
        ("z", "no parameter 'z'"),
        ((0, 5), "no positional argument 5"),
        ((), "empty"),
        ((0, 0), "twice"),
        ((0, "x"), "twice"),
        (True, "neither an index nor a name"),
        (1.0, "neither an index nor a name"),
        (None, "neither an index nor a name"),
    ],
)
def test_wrong_argnums(transform, argnums, message) -> None:
    with pytest.raises(SctError, match=message) as error:
        transform(product, argnums=argnums)
    assert error.value.code == "SCT903" and "(x" in str(error.value)


@pytest.mark.parametrize("wrong", [3.0, "f", object(), int, np.ones(2)])
def test_what_is_not_a_function(wrong) -> None:
    for transform in (grad, value_and_grad):
        with pytest.raises(SctError) as error:
            transform(wrong)
        assert error.value.code == "SCT902"
    with pytest.raises(SctError):
        vjp(wrong, 1.0)
    with pytest.raises(SctError):
        jvp(wrong, (1.0,), (1.0,))


def test_functions_without_python_code_are_refused_with_a_hint() -> None:
    for f in ([].append, "a".join, dict.get):
        with pytest.raises(SctError, match="lambda x") as error:
            grad(f)
        assert error.value.code == "SCT902"


def test_staticmethod_below_grad_is_refused() -> None:
    with pytest.raises(SctError, match="above @grad"):
        grad(staticmethod(product))


def test_other_backends_are_refused() -> None:
    for call in (
        lambda: grad(product, backend="jax"),
        lambda: grad(backend=None),
        lambda: vjp(product, 1.0, 2.0, backend="x"),
        lambda: jvp(product, (1.0, 2.0), (1.0, 2.0), backend="x"),
        lambda: hvp(product, (1.0, 2.0), (1.0, 2.0), backend="x"),
    ):
        with pytest.raises(SctError) as error:
            call()
        assert error.value.code == "SCT901"


@pytest.mark.parametrize(
    ("primals", "tangents"),
    [
        (2.0, 1.0),
        ((2.0, 5.0), (1.0, 0.0, 0.0)),
        ((2.0, 5.0), ()),
        ((2.0, 5.0), (None, None)),
        ((2.0, 5.0), ("1", 0.0)),
        ((2.0, 5.0), (np.ones(3), 0.0)),
        ((2.0, 5.0), ((1.0,), 0.0)),
        ((2.0, 5.0), (1j, 0.0)),
        ((), ()),
    ],
)
def test_wrong_tangents(primals, tangents) -> None:
    for transform in (jvp, hvp):
        with pytest.raises(SctError) as error:
            transform(product, primals, tangents)
        assert error.value.code == "SCT904"


def test_wrong_tangents_of_containers() -> None:
    def f(p, mode):
        return p["w"] * p["w"]

    params = {"w": 2.0, "n": 3}
    assert jvp(f, (params, "mse"), ({"w": 1.0, "n": None}, None)) == (4.0, 4.0)
    for wrong in ({"w": 1.0}, {"w": 1.0, "n": 1.0}, {"w": 1.0, "m": None}, [1.0, None], 1.0):
        with pytest.raises(SctError, match="argument 0"):
            jvp(f, (params, "mse"), (wrong, None))
    with pytest.raises(SctError, match="argument 1"):
        jvp(f, (params, "mse"), (None, 1.0))


def test_wrong_cotangents() -> None:
    _, pullback = vjp(lambda x: x * x, np.ones(3))
    for wrong in (1.0, np.ones(2), np.ones((3, 1)), (np.ones(3),), "x"):
        with pytest.raises(SctError, match="cotangent"):
            pullback(wrong)
    with pytest.raises(SctError):
        vjp(product)


def test_tangents_take_the_dtype_of_their_primals() -> None:
    x = np.ones(3, dtype=np.float32)
    value, tangent = jvp(lambda x: x * x, (x,), (np.ones(3),))
    assert value.dtype == tangent.dtype == np.float32


# -- check_grads ----------------------------------------------------------------------


def test_check_grads_accepts() -> None:
    check_grads(product, (2.0, 5.0), order=2)
    check_grads(power, (1.5, 4), order=2)
    check_grads(total, (np.array([1.0, -2.0, 0.5]),), order=2)
    check_grads(lambda x: np.sin(x) * x, (np.linspace(0.0, 1.0, 4),), order=2)
    check_grads(lambda x: x * x, (np.linspace(0.0, 1.0, 4, dtype=np.float32),))
    check_grads(lambda p, y: (p[0] * y, p[1]), ([2.0, np.ones(3)], 0.5), argnums=0)
    check_grads(product, (2.0, 5.0), argnums=(1,))


def test_check_grads_of_any_number_of_arguments() -> None:
    check_grads(lambda *a: np.hypot(*a), (np.full(3, 1.5), np.ones(3)), order=3)
    check_grads(lambda x, *a: x * a[0] ** 2, (np.ones(3), 1.5, 0.5), order=3)
    check_grads(lambda *a, **options: a[0] * a[1], (1.5, 2.0), order=3)


@pytest.mark.parametrize("f", [lambda: 1.0, lambda **options: 1.0, lambda x, *, k=1.0: x * k])
def test_jvp_of_too_many_arguments_raises_as_a_call_does(f) -> None:
    with pytest.raises(TypeError):
        jvp(f, (1.5, 2.0, 0.5), (1.0, 1.0, 1.0))


def test_check_grads_finds_a_wrong_derivative() -> None:
    with pytest.raises(SctError, match="central differences") as error:
        check_grads(lambda x: x * stop_gradient(x), (3.0,))
    assert error.value.code == "SCT905" and "jvp" in error.value.why and "step" in error.value.why


def test_check_grads_refuses_wrong_arguments() -> None:
    for args, argnums in ((2.0, None), (("x",), None), ((2.0,), 3), ((2.0,), "x")):
        with pytest.raises(SctError):
            check_grads(lambda x: x, args, argnums=argnums)


def test_public_names() -> None:
    for name in sct.__all__:
        assert getattr(sct, name) is not None


def test_what_wraps_a_derivative_is_not_one() -> None:
    def doubled(f):
        @functools.wraps(f)
        def wrapper(x):
            return 2.0 * f(x)

        return wrapper

    assert grad(doubled(grad(lambda x: x * x)))(3.0) == 4.0


def test_sizes_found_equal_inside_a_loop_are_a_guard() -> None:
    def f(x: np.ndarray, y: np.ndarray, n: int) -> float:
        s = 0.0
        for _ in range(n):
            s += np.sum(x[1:] * y)
        return s

    derivative, y = grad(f), np.ones(3)
    assert derivative(np.arange(4.0), y, 2).tolist() == [0.0, 2.0, 2.0, 2.0]
    assert derivative(np.arange(2.0), y, 2).tolist() == [0.0, 6.0]


def test_facts_that_are_asked_of_two_unnamed_values_are_two() -> None:
    def f(x: np.ndarray, k: int, m: int) -> float:
        return np.sum(np.sum(x * x, axis=k + 0) ** 2) + np.sum(np.sum(x * x, axis=m + 0) ** 2)

    x = np.arange(6.0).reshape(2, 3)
    derivative = grad(f)
    derivative(x, 0, 0)
    columns, rows = (2.0 * np.sum(x * x, axis=a, keepdims=True) * 2.0 * x for a in (0, 1))
    assert np.allclose(derivative(x, 0, 1), columns + rows)


def test_an_attribute_set_on_the_object_comes_before_that_of_its_class() -> None:
    class Model:
        rate = 0.5

        def loss(self, w: float) -> float:
            return self.rate * w

    model = Model()
    derivative = grad(model.loss)
    assert derivative(2.0) == 0.5
    model.rate = 3.0
    assert derivative(2.0) == 3.0


def test_class_methods_are_called_with_the_class() -> None:
    class Model:
        rate = 3.0

        @classmethod
        @grad(argnums=1)
        def loss(cls, x: float, y: float) -> float:
            return cls.rate * x * y * y

    class Other(Model):
        rate = 5.0

    assert Model.loss(2.0, 4.0) == 48.0 and Other.loss(2.0, 4.0) == 80.0 and Model().loss(2.0, 4.0) == 48.0
