"""Python numbers and those of NumPy: where one raises and the other does not, and bools that are ints."""

from __future__ import annotations

import functools
import importlib.util
import math
import operator
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from oracle import agrees, outcome, refuses, same_value

from sct import SctError, grad, hessian, hvp, jacfwd, jvp, value_and_grad, vjp

INF = math.inf


# -- what raised nothing raises nothing in the derivative ---------------------------------------


def element(x: np.ndarray, c: float) -> float:
    return x[0] / c


def by_literal(x: np.ndarray) -> float:
    return x[0] / 0.0


def total(x: np.ndarray, c: float) -> float:
    return np.sum(x) / c


def mean_by_hand(x: np.ndarray) -> float:
    return np.sum(x) / len(x)


def several(x: np.ndarray, c: float) -> float:
    return np.log(x[0]) / len(x) / c


def scaled(x: np.ndarray, c: float) -> float:
    return x[0] / (2.0 * c)


def in_a_loop(x: np.ndarray, c: float) -> float:
    s = 0.0
    for v in x:
        s = s + v / c
    return s


def by_the_index(x: np.ndarray) -> float:
    s = 0.0
    for i in range(len(x)):
        s += x[i] / i
    return s


def in_a_branch(x: np.ndarray, c: float) -> float:
    s = x[0]
    if s > 0.5:
        s = s / c
    return s


def of_either_kind(x: np.ndarray, c: float) -> float:
    s = x[0] if x[0] > 0.0 else 1.0
    return s / c


def before_it_is_known(x: np.ndarray, c: float) -> float:
    s = x[0] / c
    return s if c else s + 1.0


@pytest.mark.parametrize("f, args, expected", [
    (element, (np.ones(2), 0.0), [INF, 0.0]),
    (element, (np.ones(2), -0.0), [-INF, 0.0]),
    (element, (np.ones(2), 0), [INF, 0.0]),
    (element, (np.ones(2), False), [INF, 0.0]),
    (element, (np.ones(2, "f4"), 0.0), [INF, 0.0]),
    (element, (np.ones(2), 2.0), [0.5, 0.0]),
    (by_literal, (np.ones(2),), [INF, 0.0]),
    (total, (np.ones(2), 0.0), [INF, INF]),
    (total, (np.ones(2, "f4"), 0.0), [INF, INF]),
    (mean_by_hand, (np.ones(0),), []),
    (several, (np.full(2, 2.0), 0.0), [INF, 0.0]),
    (scaled, (np.ones(2), 0.0), [INF, 0.0]),
    (in_a_loop, (np.ones(2), 0.0), [INF, INF]),
    (by_the_index, (np.ones(3),), [INF, 1.0, 0.5]),
    (in_a_branch, (np.ones(2), 0.0), [INF, 0.0]),
    (in_a_branch, (np.zeros(2), 0.0), [1.0, 0.0]),
    (of_either_kind, (np.ones(2), 0.0), [INF, 0.0]),
    (before_it_is_known, (np.ones(2), 0.0), [INF, 0.0]),
])
def test_numpy_numbers_are_divided_by_python_zeros(f: Callable[..., Any], args: tuple[Any, ...],
                                                   expected: list[float]) -> None:
    value, gradient = calm(value_and_grad(f), args)
    assert same_value(value, calm(f, args))
    np.testing.assert_array_equal(gradient, np.array(expected, args[0].dtype), strict=True)
    np.testing.assert_array_equal(calm(grad(f), args), gradient)


def sine(c: float) -> float:
    return np.sin(c)


def cosine(c: float) -> float:
    return np.cos(c)


def tangent(c: float) -> float:
    return np.tan(c)


def hyperbolic_sine(c: float) -> float:
    return np.sinh(c)


def hyperbolic_cosine(c: float) -> float:
    return np.cosh(c)


def exponential(c: float) -> float:
    return np.exp(c)


def arc_sine(c: float) -> float:
    return np.arcsin(c)


def arc_hyperbolic(c: float) -> float:
    return np.arccosh(c)


def arc_tangent(c: float) -> float:
    return np.arctanh(c)


def logarithm(c: float) -> float:
    return np.log(c)


def power(c: float, e: float) -> float:
    return np.power(c, e)


def power_in_double(c: float, e: float) -> float:
    return np.float_power(c, e)


def power_of_literal(c: float) -> float:
    return np.power(c, 2.5)


def remainder(c: float, e: float) -> float:
    return np.mod(c, e)


def quotient(c: float, e: float) -> float:
    return np.divide(c, e)


def inverse(c: float) -> float:
    return np.reciprocal(c)


FUNCTIONS: list[tuple[Callable[..., Any], tuple[float, ...]]] = [
    (sine, (INF,)), (cosine, (INF,)), (tangent, (-INF,)), (hyperbolic_sine, (1e3,)), (hyperbolic_cosine, (-1e3,)),
    (exponential, (1e3,)), (arc_sine, (2.0,)), (arc_hyperbolic, (0.5,)), (arc_tangent, (1.0,)), (arc_tangent, (2.0,)),
    (logarithm, (0.0,)), (logarithm, (-1.0,)), (power, (0.0, 0.5)), (power, (0.0, -0.5)), (power, (-8.0, 1 / 3)),
    (power, (1e300, 3.0)), (power, (0.0, 0.0)), (power_in_double, (0.0, 0.5)), (power_in_double, (-8.0, 0.3)),
    (power_of_literal, (-1.0,)), (power_of_literal, (1e250,)), (remainder, (1.0, 0.0)), (quotient, (1.0, 0.0)),
    (quotient, (0.0, 0.0)), (inverse, (0.0,)),
]


@pytest.mark.parametrize("f, args", FUNCTIONS)
def test_functions_of_numpy_raise_nothing_in_their_derivatives(f: Callable[..., Any], args: tuple[float, ...]) -> None:
    every = tuple(range(len(args)))
    plain = calm(f, args)
    assert same_value(calm(value_and_grad(f, argnums=every), args)[0], plain)
    assert same_value(calm(lambda *xs: jvp(f, xs, (1.0,) * len(xs))[0], args), plain)
    calm(grad(grad(f)), args)


def both_in_python(c: float, e: float) -> float:
    return np.float64(1.0) * c + c / e


def a_logarithm_first(x: np.ndarray, c: float) -> float:
    return x[0] / c + math.log(3.0 * c)


@pytest.mark.parametrize("f, args", [
    (both_in_python, (1.0, 0.0)), (both_in_python, (1.0, 2.0)),
    (a_logarithm_first, (np.ones(2), 0.5)),
])
def test_what_raises_in_python_raises(f: Callable[..., Any], args: tuple[Any, ...]) -> None:
    agrees(f, *args)


def test_what_was_divided_by_in_python_is_not_zero() -> None:
    """There the derivative divides Python numbers."""
    made = value_and_grad(a_logarithm_first)
    made(np.ones(2), 0.5)
    assert "1.0 / c" in made.source
    assert "float64" not in made.source


# -- a table of expressions: x is an array, c a number ------------------------------------------

EXPRESSIONS = """
x[0] / c
x.sum() / c
np.sum(x / c)
np.sum(c / x)
x[0] % c
x[0] // c
np.sum(x % c)
x[0] ** c
c ** x[0]
np.sum(x ** c)
np.sum(x) ** -1
x[0] ** -2.0
x[0] / c / c
x[0] / (c * c)
c / x[0]
c % x[0]
divmod(x[0], c)[1]
np.mean(x) / c
np.sqrt(x[0]) / c
np.divide(x[0], c)
np.mod(x[0], c)
float(x[0]) / c
float(x[0]) % c
x[0].item() / c
math.pow(x[0], c)
math.fmod(x[0], c)
math.atan2(x[0], c) / c
np.float32(c) / x[0]
x[0] / (x[0] - x[0] + c)
x[0] / len(x) / c
np.average(x) * c
np.var(x) / c
np.std(x) / c
np.linalg.norm(x) / c
np.prod(x) / c
2.0 / x.size * np.sum(x)
np.log(x[0]) / int(c)
np.exp(x[0] / c)
(x[0] if c else 1.0) / c
""".split("\n")[1:-1]


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """The module of the expressions: `f0(x, c)`, `f1(x, c)`, ..."""
    path = tmp_path_factory.mktemp("numbers") / "expressions_of_numbers.py"
    path.write_text("import math\nimport numpy as np\n" + "".join(
        f"def f{k}(x, c):\n    return {text}\n" for k, text in enumerate(EXPRESSIONS)))
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("k", range(len(EXPRESSIONS)), ids=lambda k: EXPRESSIONS[k].replace(" ", ""))
def test_what_raises_in_a_mode_raises_in_python(written: Any, k: int) -> None:
    """In the modes that give the value it is the same exception; what raises nothing raises nothing in any mode."""
    f = getattr(written, f"f{k}")
    for x in (np.ones(2), np.array([0.0, -1.0]), np.zeros(0)):
        for c in (0, 0.0, -0.0, 2, 2.5, np.float64(0.0)):
            plain = outcome(f, (x, c))
            tangents = (np.ones(x.shape), 1.0)
            calls: list[Callable[..., Any]] = [
                lambda *a: value_and_grad(f, argnums=(0, 1))(*a)[0],
                lambda *a: jvp(f, a, tangents)[0],
            ]
            for call in calls:
                derived = outcome(call, (x, c))
                assert repr(derived.error) == repr(plain.error), (x, c)
                assert plain.error or same_value(derived.value, plain.value) or np.isnan(plain.value), (x, c)
            if not plain.error and x.size:
                assert outcome(lambda *a: hvp(f, a, tangents), (x, c)).error is None, (x, c)


# -- the order of exceptions --------------------------------------------------------------------


def reciprocal(y: float) -> float:
    b = 1.0 / y
    return b


def a_named_part_last(x: float, y: float) -> float:
    return math.log(x) + reciprocal(y)


def a_part_named_here(x: float, y: float) -> float:
    return math.log(x) + (b := 1.0 / y) * b


def logarithm_of_all(x: float, y: float) -> float:
    return math.log(x) + x * y


def range_before_domain(x: float, y: float) -> float:
    return math.log(x) + math.sinh(y)


def quotient_then_logarithm(x: float, y: float) -> float:
    return y / x + math.log(x)


def swapped(x: np.ndarray, i: int, j: int) -> float:
    x[i], x[j] = x[j], x[i]
    return np.sum(x * x[0])


def over_in_a_loop(x: np.ndarray, c: float) -> float:
    s = 0.0
    for i in range(3):
        s += float(x[i]) / c
    return s / c


@pytest.mark.parametrize("f, args", [
    (a_named_part_last, (0.0, 0.0)), (a_named_part_last, (1.0, 0.0)), (a_named_part_last, (2.0, 3.0)),
    (a_part_named_here, (0.0, 0.0)), (a_part_named_here, (2.0, 3.0)),
    (logarithm_of_all, (0.0, 1.0)), (logarithm_of_all, (2.0, 1.0)),
    (range_before_domain, (0.0, 1e3)), (range_before_domain, (1.0, 1e3)),
    (quotient_then_logarithm, (0.0, 1.0)), (quotient_then_logarithm, (-1.0, 1.0)),
    (swapped, (np.arange(3.0), 0, 2)), (swapped, (np.arange(3.0), 4, 5)), (swapped, (np.arange(3.0), 1, -7)),
    (over_in_a_loop, (np.ones(2), 0.0)), (over_in_a_loop, (np.ones(2), 2.0)), (over_in_a_loop, (np.ones(3), 0.0)),
])
def test_the_first_exception_is_that_of_python(f: Callable[..., Any], args: tuple[Any, ...]) -> None:
    agrees(f, *args)
    if isinstance(args[0], float):
        plain, derived = outcome(f, args), outcome(lambda *a: jvp(f, a, (1.0, 1.0))[0], args)
        assert repr(derived.error) == repr(plain.error)


# -- one number has no deviation ----------------------------------------------------------------


def deviation_of_each(x: np.ndarray) -> float:
    return np.sum(np.std(x, axis=()) + x)


def deviation_of_each_kept(x: np.ndarray) -> float:
    return np.sum(x.std(axis=(), keepdims=True) * x)


def variance_of_each(x: np.ndarray) -> float:
    return np.sum(np.var(x, axis=()) + x * x)


def deviation_where_there_are_numbers(x: np.ndarray) -> float:
    return np.sum(np.nanstd(x, axis=()) + x)


def deviation_of_the_first(x: np.ndarray) -> float:
    return np.std(x[:1]) + x[0]


def deviation_of_some(x: np.ndarray, k: int = 1) -> float:
    return np.std(x[:k]) + x[0]


def deviation_of_columns(x: np.ndarray) -> float:
    return np.sum(np.std(x[:, None], axis=1) + x)


def deviation_of_selected(x: np.ndarray) -> float:
    return np.std(x, where=x > 2.5) + x[0]


@pytest.mark.parametrize("f", [
    deviation_of_each, deviation_of_each_kept, variance_of_each, deviation_where_there_are_numbers,
    deviation_of_the_first, deviation_of_some, deviation_of_columns, deviation_of_selected,
])
@pytest.mark.parametrize("x", [np.array([1.0, -2.0, 3.0]), np.array([3.0])])
def test_one_number_has_no_deviation(f: Callable[..., Any], x: np.ndarray) -> None:
    agrees(f, x)
    assert np.all(np.isfinite(hessian(f)(x)))
    np.testing.assert_allclose(jacfwd(f)(x), grad(f)(x))


# -- a number that a loop makes an array ----------------------------------------------------------


def total_of_a_while(x: np.ndarray, n: int) -> float:
    s, k = 0.0, 0
    while k < n:
        s = s + x
        k += 1
    return np.sum(x * s) + np.ndim(s)


def total_of_a_for(x: np.ndarray, n: int) -> float:
    s = 0
    for k in range(n):
        s = s - x * k
    return np.sum(x * s) + np.ndim(s)


def total_of_rows(x: np.ndarray, n: int) -> float:
    s = 0.0
    for row in np.ones((n, 1)) * x:
        s += row * x
    return np.sum(s * x) + (x[0] if isinstance(s, float) else x[1])


@pytest.mark.parametrize("f", [total_of_a_while, total_of_a_for, total_of_rows])
@pytest.mark.parametrize("trips", [(0, 1, 3), (3, 1, 0), (1, 0, 3)])
def test_a_number_becomes_an_array(f: Callable[..., Any], trips: tuple[int, ...]) -> None:
    """Of no trips it is the number still: that is another specialization, or a refusal."""
    derivative = value_and_grad(f)
    x = np.array([0.5, 2.0])
    for n in trips:
        try:
            value, gradient = derivative(x, n)
        except SctError as error:
            assert n == 0 and error.code == "SCT108"
            continue
        assert same_value(value, f(x, n))
        assert gradient.shape == x.shape
        agrees(f, x, n)


def by_what_it_is(x: np.ndarray) -> float:
    s = 0.0
    for row in x:
        if row[0] > 0.0:
            s = s + row
    return np.sum(s * x[0])


def until_it_is_large(x: np.ndarray) -> float:
    s = 0.0
    k = np.sum(x)
    while k > 1.0:
        s = s + x
        k = k * 0.5
    return np.sum(s * x)


def test_what_may_stay_a_number_becomes_no_array() -> None:
    refuses(by_what_it_is, np.ones((40, 2)), code="SCT502")
    agrees(until_it_is_large, np.full(2, 2.1))
    agrees(until_it_is_large, np.full(2, 0.25))


# -- bools that are ints, and truths that are anything --------------------------------------------


def flag_or_int(x: float, c: bool, flag: bool) -> float:
    v = flag if c else 2
    return x * (3.0 if isinstance(v, bool) else 1.0) * v


def flag_or_float(x: float, c: bool, flag: bool) -> float:
    v = flag if c else 2.5
    return x * (3.0 if isinstance(v, bool) else 2.0 if isinstance(v, int) else 1.0)


def flag_or_numpy(x: float, c: bool, flag: bool) -> float:
    v = flag if c else np.int64(2)
    return x * (3.0 if isinstance(v, bool) else 2.0 if isinstance(v, np.integer) else 1.0)


def python_or_numpy_truth(x: float, c: bool, flag: bool) -> float:
    v = flag if c else np.float64(x) > 0.0
    w = v + v
    return x * (3.0 if isinstance(w, (bool, np.bool_)) else 1.0) * w


def product_of_truths(x: float, c: bool, flag: bool) -> float:
    v = (flag if c else np.float64(x) > 0.0) * flag
    return x * (3.0 if isinstance(v, (bool, np.bool_)) else 1.0) * v


def less_a_flag(x: float, c: bool, flag: bool) -> float:
    v = flag if c else 2
    w = v - flag
    return x * (3.0 if isinstance(w, bool) else 1.0) * w


def added_to_in_a_loop(x: float, c: bool, flag: bool) -> float:
    v = flag
    for k in range(40):
        if c:
            v = v + k
    return x * (3.0 if isinstance(v, bool) else 1.0) * v


def largest_of_mixed(x: float, c: bool, flag: bool) -> float:
    v = max([flag, c, 0])
    return x * (3.0 if isinstance(v, bool) else 1.0) * v


def either_or_zero(x: float, c: bool, flag: bool) -> float:
    v = flag or (0 if c else 2)
    return x * (3.0 if isinstance(v, bool) else 1.0) * v


def compared(x: float, c: bool, flag: bool) -> float:
    v = (flag if c else 2) == 1
    return x * (3.0 if isinstance(v, bool) else 1.0) * v


@pytest.mark.parametrize("f", [
    flag_or_int, flag_or_float, flag_or_numpy, python_or_numpy_truth, product_of_truths, less_a_flag,
    added_to_in_a_loop, largest_of_mixed, either_or_zero, compared,
])
@pytest.mark.parametrize("c", [False, True])
@pytest.mark.parametrize("flag", [False, True])
def test_a_bool_is_told_from_an_int(f: Callable[..., Any], c: bool, flag: bool) -> None:
    agrees(f, 2.0, c, flag)


def filled_with_either(x: float, c: bool) -> float:
    w = np.full(3, 1 if c else 2.5)
    w[0] = x
    return np.sum(w)


def made_of_either(x: float, c: bool) -> float:
    v = 1 if c else 2.5
    w = np.array([v, v])
    w[0] = x
    return np.sum(w)


def made_of_a_sum(x: float, c: bool) -> float:
    v = 0
    for _ in range(40 if c else 0):
        v = v + 0.5
    w = np.array([v, v])
    w[0] = x
    return np.sum(w)


def sums_of_either(x: float, c: bool) -> float:
    v = 1 if c else 2.5
    w = np.cumsum([v, v, v])
    w[1] = x
    return np.sum(w)


def made_of_floats(x: float, c: bool) -> float:
    v = 1 if c else 2.5
    w = np.array([float(v), v])
    w[0] = x
    return np.sum(w * np.array([v, x]))


@pytest.mark.parametrize("c", [False, True])
def test_the_dtype_of_what_is_made_of_either_is_not_known(c: bool) -> None:
    """An array of ints cuts off what is written into it."""
    for f in (filled_with_either, made_of_either, made_of_a_sum, sums_of_either):
        refuses(f, 0.7, c, code="SCT501")
    agrees(made_of_floats, 0.7, c)


class Odd:
    def __eq__(self, other: object) -> Any:
        return 2.5

    __hash__ = None  # type: ignore[assignment]


FOUND = {"number": 2, "array": np.array([1.0, 2.0]), "word": "two", "odd": Odd()}


def found(key: str) -> Any:
    try:
        return FOUND[key]
    except KeyError:
        return None


def times_what_it_compares_to(x: float, key: str) -> float:
    return x * (found(key) == 2)


def by_the_class_of_a_comparison(x: float, key: str) -> float:
    v = found(key) == 2
    return x * (3.0 if isinstance(v, bool) else 1.0)


def where_it_is_equal(x: float, key: str) -> float:
    return 3.0 * x if found(key) == 2 else x


def where_it_is_less(x: float, key: str) -> float:
    return 3.0 * x if not found(key) != 2 else x


def by_a_word(x: float, key: str) -> float:
    return x * (key == "odd") + 2.0 * x * (key != "odd")


@pytest.mark.parametrize("key", list(FOUND))
def test_what_is_unknown_may_compare_to_anything(key: str) -> None:
    """Its truth is asked at run time; that it is a bool is not assumed."""
    if key == "array":
        refuses(times_what_it_compares_to, 2.0, key, code="SCT404")
    else:
        agrees(times_what_it_compares_to, 2.0, key)
    for f in (where_it_is_equal, where_it_is_less, by_a_word, by_the_class_of_a_comparison):
        agrees(f, 2.0, key)


def calm(f: Callable[..., Any], args: tuple[Any, ...]) -> Any:
    """What the call gives; it warns of nothing, and raises nothing."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        result = outcome(f, args)
    assert result.error is None, result.error
    return result.value


def root(a: Any) -> Any:
    return a ** 0.5


def root_in_a_loop(a: Any) -> Any:
    for _ in range(3):
        a = pow(a, 1.5) + a
    return a


def root_beside(a: Any) -> Any:
    return a * 2.0, {"root": [a ** (1 / 3)]}


def root_in_an_array(a: Any) -> Any:
    return np.sum(np.array([a ** -0.5, 1.0]) * a)


def root_of_a_helper(a: Any) -> Any:
    return sum(map(root, [a, a])) + functools.reduce(operator.pow, [a, 0.5])


@pytest.mark.parametrize("f", (root, root_in_a_loop, root_in_an_array, root_of_a_helper))
@pytest.mark.parametrize("number", (float, int))
def test_a_number_that_becomes_complex_in_a_later_call_is_refused(f: Any, number: Any) -> None:
    for mode in (grad, value_and_grad, hessian, lambda f: lambda a: jvp(f, (a,), (1.0,)),
                 lambda f: lambda a: vjp(f, a)):
        derivative = mode(f)
        for a in (2, -2, 3, -3, 4):
            if a > 0:
                derivative(number(a))
                continue
            with pytest.raises(SctError, match="SCT102: a number becomes complex"):
                derivative(number(a))


def test_a_complex_part_of_a_result_is_refused() -> None:
    derivative = value_and_grad(root_beside, has_aux=True)
    assert derivative(8.0)[0][1]["root"] == [8.0 ** (1 / 3)]
    with pytest.raises(SctError, match="SCT102"):
        derivative(-8.0)


def test_integral_powers_of_negative_numbers() -> None:
    for a in (2.0, -2.0):
        agrees(lambda a: a ** 3.0 + a ** -1 + a ** 2, a)


def test_powers_of_negative_numbers_in_a_direction_in_which_the_exponent_rests() -> None:
    for x in (-2.0, np.float64(-2.0), np.array([-2.0, 0.0])):
        at_rest = jvp(lambda x, p: x ** p, (x, 3.0), (x / x if np.ndim(x) == 0 else np.ones(2), 0.0))[1]
        np.testing.assert_array_equal(at_rest, 3.0 * x**2)
    assert np.isnan(jvp(lambda x, p: x ** p, (np.float64(-2.0), 3.0), (1.0, 1.0))[1])
    assert hvp(lambda x, p: x ** p, (-2.0, 3.0), (1.0, 0.0)) == -12.0



# -- numbers that are ints on one path and floats on another ---------------------------------------------------


def neutral(x: Any, a: Any, half: bool) -> Any:
    v = a / 2 if half else a * 2
    total = 0.0
    for w in (v * 1.0, 1.0 * v, v / 1, v / 1.0, v - 0.0, np.multiply(v, 1.0), np.true_divide(v, 1)):
        total += x * w ** 20
    return total


def floor_of_counts(x: Any, counts: Any) -> Any:
    total = 0.0
    for c in counts:
        h = np.full(4, max(c, 1.5) / 1.0)
        h[0] = 0.25
        total += np.sum(h) * x
    return total


def bools(x: Any, hit: Any, n: Any, first: bool) -> Any:
    v, w = hit[0] if first else n[1], True if first else 2
    return x * (sum([v, v, 1]) + len(f"{w * 1}") + (v + 0) + (0 + v))


def test_a_product_with_one_makes_a_float_of_an_int() -> None:
    for f, of_one_kind, other in (
            (neutral, (np.int64(10), True), (np.int64(10), False)),
            (floor_of_counts, (np.array([1, 0, 1, 1]),), (np.array([1, 0, 5, 3]),)),
            (bools, (np.array([True]), np.array([3, 20]), False), (np.array([True]), np.array([3, 20]), True))):
        derivative = value_and_grad(f)
        derivative(1.5, *of_one_kind)  # the run that is validated does not show the other kind
        value, slope = derivative(1.5, *other)
        assert same_value(value, f(1.5, *other))
        assert slope == pytest.approx(f(2.5, *other) - f(1.5, *other))


def cubed(x: Any, a: Any, half: bool) -> Any:
    v, w, u = a / 2 if half else a * 2, max(a, 1.5), 0.5
    for _ in range(2):
        if not half:
            u = a
    choices = [v, 1.5]
    return x * v * v * v + x * w * w * w + x * u * u * u + x * choices[0] * choices[0] * v


def test_a_derivative_that_is_a_product_of_such_numbers_is_one_of_floats() -> None:
    for derivative in (value_and_grad(cubed), lambda *args: jvp(lambda x: cubed(x, *args[1:]), args[:1], (1.0,))):
        derivative(1.5, np.int64(3), True)
        large = np.int64(7 * 10 ** 9)
        value, slope = derivative(1.5, large, False)
        assert same_value(value, cubed(1.5, large, False))
        assert slope == pytest.approx(cubed(2.5, large, False) - cubed(1.5, large, False))


def test_a_product_of_sizes_that_do_not_fit_raises_also_where_its_value_is_not_needed() -> None:
    for product in (operator.matmul, np.dot):
        for x, w in (((3, 4), (3,)), ((3,), (4,)), ((3, 4), (3, 2)), ((2, 3), (2, 2, 2)), ((1,), (5,)), ((3, 4), (1,))):
            def total(x: Any, w: Any, product: Any = product) -> Any:
                return np.sum(product(x, w))

            derivative = grad(total)
            with pytest.raises(ValueError) as of_python:
                total(np.ones(x), np.ones(w))
            with pytest.raises(ValueError) as raised:
                derivative(np.ones(x), np.ones(w))
            assert str(raised.value) == str(of_python.value)
            assert derivative(np.ones((3, 4)), np.ones(4)).shape == (3, 4)


def row_written(x: Any, v: Any) -> Any:
    x[0] = v
    return np.sum(x ** 2 * np.arange(12).reshape(3, 4))


def written_at_positions(x: Any, v: Any) -> Any:
    x[[0, 1]] = v
    return np.sum(x)


def chosen(x: Any, v: Any) -> Any:
    return np.sum(np.where(x[0] > 0.0, v, 1.0))


def test_writes_and_choices_of_sizes_that_do_not_fit_raise_what_numpy_raises() -> None:
    for f in (row_written, written_at_positions, chosen):
        for v in (np.ones(3), np.ones((1, 3))):
            agrees(f, np.ones((3, 4)), v)
        assert grad(f)(np.ones((3, 4)), np.ones(4)).shape == (3, 4)


def test_an_index_that_divides_by_zero() -> None:
    def f(x: float, n: int) -> float:
        return x * [1.0, x, 3.0][n % 0] if n > 3 else x * [1.0, x][n // 1]

    def handled(x: float, n: int) -> float:
        try:
            return x * [1.0, 2.0][n // 0]
        except ZeroDivisionError:
            return x * x * n

    derivative = value_and_grad(f)
    assert derivative(1.5, 1) == (2.25, 3.0)
    for run in (f, derivative):
        with pytest.raises(ZeroDivisionError, match="modulo by zero"):
            run(1.5, 5)
    assert value_and_grad(handled)(1.5, 3) == (6.75, 9.0)
