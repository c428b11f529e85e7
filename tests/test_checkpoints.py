"""Checkpointed loops: the same numbers as without, memory as the square root of the number of iterations."""

import tracemalloc
import types
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from programs import checkpoints
from programs.checkpoints import heat, logistic
from trees import copied, flat, leaves, same_bits
from work import work

import sct
from sct import (
    check_grads,
    checkpoint,
    checkpointed,
    grad,
    hessian,
    hvp,
    implicit,
    jacfwd,
    jacrev,
    jvp,
    value_and_grad,
    vjp,
)

CASES = list(checkpoints.INPUTS)


def as_it_is(iterable: Any, slots: int | None = None) -> Any:
    return iterable


def stored(f: Callable[..., Any]) -> Callable[..., Any]:
    """The function without checkpoints."""
    names = {**f.__globals__, "checkpointed": as_it_is, "checkpoint": as_it_is}
    for name, helper in f.__globals__.items():
        if name.startswith("_") and isinstance(helper, types.FunctionType):
            helper = getattr(helper, "__wrapped__", helper)
            names[name] = types.FunctionType(helper.__code__, names, name)
    return types.FunctionType(f.__code__, names, f.__name__, f.__defaults__)


def case(name: str) -> tuple[Callable[..., Any], tuple[Any, ...], tuple[int, ...]]:
    args = checkpoints.INPUTS[name](np.random.default_rng(0))
    return getattr(checkpoints, name), args, tuple(k for k, arg in enumerate(args) if leaves(arg))


@pytest.mark.parametrize("name", CASES)
def test_gradients_are_those_without_checkpoints(name: str) -> None:
    f, args, wrt = case(name)
    derivative = value_and_grad(f, wrt)
    value, gradient = derivative(*args)
    value_of_all, gradient_of_all = value_and_grad(stored(f), wrt)(*args)
    assert same_bits(value, f(*copied(args))) and same_bits(value, value_of_all)
    np.testing.assert_allclose(flat(gradient), flat(gradient_of_all), rtol=1e-13, atol=1e-15)
    assert "checkpoint" not in derivative.source and ("segment" in derivative.source or "_vjp(" in derivative.source)


@pytest.mark.parametrize("name", ["heat", "logistic", "leapfrog", "lorenz", "backwards", "until_large", "half_life",
                                  "rooted", "trajectory", "appended"])
def test_gradients_are_the_same_bits(name: str) -> None:
    f, args, wrt = case(name)
    assert same_bits(grad(f, wrt)(*args), grad(stored(f), wrt)(*args))


@pytest.mark.parametrize("name", CASES)
def test_second_derivatives(name: str) -> None:
    f, args, wrt = case(name)
    if isinstance(args[0], dict):
        return  # its tangents are checked in test_programs
    v = tuple(np.ones_like(x) if isinstance(x, np.ndarray) else 1.0 if k in wrt else None for k, x in enumerate(args))
    of_all = hvp(stored(f), args, v)
    np.testing.assert_allclose(flat(hvp(f, args, v)), flat(of_all), rtol=1e-11, atol=1e-13)
    reverse = jacrev(grad(f))(*args)
    np.testing.assert_allclose(flat(reverse), flat(jacrev(grad(stored(f)))(*args)), rtol=1e-11, atol=1e-13)
    _, pullback = vjp(grad(f), *args)
    np.testing.assert_allclose(
        np.sum(flat(pullback(v[0])[0])), np.sum(flat(of_all)) if len(wrt) == 1 else np.sum(flat(reverse)), rtol=1e-10)


@pytest.mark.parametrize("n", [0, 1, 2, 3, 4, 15, 16, 17])
@pytest.mark.parametrize("slots", [None, 1, 2, 5, 100])
def test_any_number_of_iterations(n: int, slots: int | None) -> None:
    def f(x, r):
        for i in checkpointed(range(n), slots):
            x = r * x * (1.0 - x) + 0.01 * i
        return x

    assert same_bits(value_and_grad(f, (0, 1))(0.3, 3.1), value_and_grad(stored_here(f, n, slots), (0, 1))(0.3, 3.1))


def stored_here(f: Callable[..., Any], n: int, slots: int | None) -> Callable[..., Any]:
    def of_all(x, r):
        for i in range(n):
            x = r * x * (1.0 - x) + 0.01 * i
        return x

    return of_all


@pytest.mark.parametrize("bounds", [(0, -5, 1), (3, 3, 1), (2, 17, 4), (17, 2, -4), (-3, 9, 2), (9, -3, -1)])
def test_any_range(bounds: tuple[int, int, int]) -> None:
    start, stop, step = bounds

    def f(x):
        for i in checkpointed(range(start, stop, step)):
            x = np.sin(x + 0.1 * i) * x
        return x

    def of_all(x):
        for i in range(start, stop, step):
            x = np.sin(x + 0.1 * i) * x
        return x

    assert same_bits(value_and_grad(f)(0.7), value_and_grad(of_all)(0.7))


def peak(f: Callable[..., Any], *args: Any) -> float:
    """Megabytes at the peak of a call."""
    f(*args)
    tracemalloc.start()
    f(*args)
    megabytes = tracemalloc.get_traced_memory()[1] / 1e6
    tracemalloc.stop()
    return megabytes


U = np.linspace(0.0, 1.0, 2000)


def test_memory_grows_as_the_square_root() -> None:
    g, all_kept = grad(heat), grad(stored(heat))
    few, many = peak(g, U, 0.1, 200), peak(g, U, 0.1, 3200)
    assert many < 5.5 * few  # 4 by theory, and what does not depend on the number of iterations
    assert many < 0.1 * peak(all_kept, U, 0.1, 3200)


def test_memory_of_a_derivative_of_a_derivative() -> None:
    v = (np.ones_like(U), None, None)
    few, many = (peak(lambda n: hvp(heat, (U, 0.1, n), v), n) for n in (200, 3200))
    assert many < 5.5 * few
    few, many = (peak(lambda n: vjp(grad(heat), U, 0.1, n)[1](U), n) for n in (200, 3200))
    assert many < 5.5 * few


def test_memory_where_the_end_is_not_known() -> None:
    def f(u, stop):
        for i in checkpointed(range(100_000)):
            u = np.sin(u + 0.1)
            if i > stop:
                break
        return np.sum(u)

    g = grad(f)
    assert peak(g, U, 3200) < 5.5 * peak(g, U, 200) + 4.0


def test_the_work_is_that_of_one_more_evaluation() -> None:
    g, all_kept = grad(heat), grad(stored(heat))
    g(U, 0.1, 5), all_kept(U, 0.1, 5)
    checkpoints, stored_states = (work(df.source, "heat_grad", U, 0.1, 400) for df in (g, all_kept))
    assert checkpoints < 2.5 * stored_states


def test_the_iterable_is_as_it_is_outside() -> None:
    iterable = range(3)
    assert checkpointed(iterable) is iterable and checkpointed(iterable, slots=2) is iterable
    assert list(checkpointed([1, 2])) == [1, 2]


def test_forward_mode_takes_no_notice() -> None:
    value, tangent = jvp(logistic, (0.3, 3.2, 30), (1.0, 0.0, None))
    assert same_bits(value, logistic(0.3, 3.2, 30)) and np.isclose(tangent, grad(logistic)(0.3, 3.2, 30))


def test_a_checkpointed_function_leaves_nothing_behind() -> None:
    @checkpoint
    def f(u):
        for _ in range(50):
            u = np.sin(u + 0.1)
        return u

    def g(u, n):
        for _ in range(n):
            u = f(u)
        return np.sum(u)

    once, often = peak(grad(g), U, 1), peak(grad(g), U, 20)
    assert often < once + 20 * 1.5 * U.nbytes / 1e6
    once, often = (peak(lambda n: hvp(g, (U, n), (U, None)), n) for n in (1, 20))
    assert often < once + 20 * 4.5 * U.nbytes / 1e6


def test_functions_are_told_apart() -> None:
    square, cube = checkpoint(lambda x: x * x), checkpoint(lambda x: x * x * x)

    def scaled(k):
        @checkpoint
        def f(x):
            return k * x

        return f

    def applied(f, x):
        return f(x)

    assert (grad(square)(3.0), grad(cube)(3.0), grad(square)(3.0)) == (6.0, 27.0, 6.0)
    assert (grad(scaled(2.0))(3.0), grad(scaled(5.0))(3.0)) == (2.0, 5.0)
    derivative = grad(applied, 1)
    assert [derivative(f, 3.0) for f in (square, cube, scaled(2.0), scaled(5.0))] == [6.0, 27.0, 2.0, 5.0]


def test_solutions_are_told_apart() -> None:
    root, cube_root = (implicit(lambda a: a ** 0.5, lambda x, a: x * x - a),
                       implicit(lambda a: a ** (1.0 / 3.0), lambda x, a: x * x * x - a))
    assert np.isclose(grad(root)(4.0), 0.25) and np.isclose(grad(cube_root)(8.0), 1.0 / 12.0)


class Wave:
    def __init__(self, k):
        self.k = k

    @checkpoint
    def height(self, x):
        return np.sin(x * self.k)

    @grad
    @checkpoint
    def slope(self, x):
        return np.sin(x * self.k)


def test_methods() -> None:
    wave, other = Wave(2.0), Wave(3.0)
    assert wave.height(0.3) == np.sin(0.6)
    for of in (wave, other):
        expected = of.k * np.cos(of.k * 0.3)
        assert np.isclose(grad(of.height)(0.3), expected) and np.isclose(of.slope(0.3), expected)
        assert np.isclose(grad(lambda x, of=of: of.height(x))(0.3), expected)
        assert np.isclose(grad(lambda x, of=of: of.height(of.height(x)))(0.3),
                          of.k * np.cos(of.k * np.sin(of.k * 0.3)) * expected)


def test_all_kinds_of_derivatives_of_a_checkpointed_function() -> None:
    W, h = np.linspace(-0.5, 0.5, 9).reshape(3, 3), np.array([0.3, -0.2, 0.7])
    layer, plain = checkpoints._layer, checkpoints._layer.__wrapped__

    def recomputed(h):
        return layer(W, h)

    def of_all(h):
        return plain(W, h)

    np.testing.assert_allclose(jacrev(recomputed)(h), jacrev(of_all)(h), rtol=1e-13)
    np.testing.assert_allclose(jacfwd(recomputed)(h), jacrev(of_all)(h), rtol=1e-13)
    np.testing.assert_allclose(jacrev(jacrev(recomputed))(h), hessian(of_all)(h), atol=1e-13)
    check_grads(layer, (W, h))
    assert layer.__name__ == "_layer" and same_bits(layer(W, h), plain(W, h))


def test_what_is_no_function() -> None:
    with pytest.raises(sct.SctError, match="checkpoint takes a function"):
        checkpoint(3.0)


@checkpoint
def noisy(x):
    return x * np.random.normal()


def test_effects_of_a_checkpointed_function_are_refused() -> None:
    with pytest.raises(sct.SctError, match="a checkpointed function has an effect") as caught:
        grad(lambda x: noisy(x) + x)(0.5)
    assert caught.value.code == "SCT508" and caught.value.loc is not None


def drawn(x, n):
    rng = np.random.default_rng(0)
    for _ in checkpointed(range(n)):
        x = x + rng.normal() * x  # SCT508: a checkpointed loop has an effect
    return x


def printed(x, n):
    for _ in checkpointed(range(n)):
        print(x)  # SCT508: a checkpointed loop has an effect
        x = x * x
    return x


def in_a_comprehension(x, n):
    return sum([x * i for i in checkpointed(range(n))])  # SCT503: `checkpointed` is not what a `for` statement


def enumerated(x, n):
    for i, _ in enumerate(checkpointed(range(n))):  # SCT503: `checkpointed` is not what a `for` statement runs over
        x = x * i
    return x


def no_slots(x, n):
    for _ in checkpointed(range(n), slots=0):  # SCT504: `slots` of `checkpointed` is an int of at least 1
        x = x * x
    return x


def of_a_product(x, n):
    import itertools

    for i, _ in checkpointed(itertools.product(range(n), range(n))):  # SCT503: a loop over this cannot be checkpointed
        x = x * i
    return x


@pytest.mark.parametrize("f", [drawn, printed, in_a_comprehension, enumerated, no_slots, of_a_product])
def test_refusals(f: Callable[..., Any]) -> None:
    import inspect

    lines = inspect.getsource(f).splitlines()
    (marked,) = [line for line in lines if "# SCT" in line]
    code, _, what = marked.partition("# ")[2].partition(": ")
    with pytest.raises(sct.SctError) as caught:
        grad(f)(0.5, 4)
    assert caught.value.code == code and what in caught.value.what
    assert caught.value.loc is not None and lines.index(marked) == caught.value.loc.line - f.__code__.co_firstlineno


def test_a_draw_before_the_loop_is_the_way_out() -> None:
    def f(x, n):
        noise = np.random.default_rng(0).normal(size=n)
        for i in checkpointed(range(n)):
            x = x + noise[i] * x
        return x

    assert np.isclose(grad(f)(0.5, 6), f(1.0, 6))
