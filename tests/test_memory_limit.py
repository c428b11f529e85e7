"""The keyword `memory`: store everything if it fits, else keep few states; and refusals where memory does not do."""

import itertools
import pickle
import tracemalloc
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from trees import same_bits

from sct import SctError, grad, hessian, jacrev, value_and_grad, vjp
from sct.memory_limit import bytes_of, in_words, limit, needs


def heat(u, k, n):
    for _ in range(n):
        u[1:-1] += k * u[1:-1] * (u[2:] - 2.0 * u[1:-1] + u[:-2])
    return np.sum(u**2)


def newton(x, tol):
    y = x
    while abs(y * y - x) > tol:
        y = 0.5 * (y + x / y)
    return y


def plate(u, k, n):
    """Loops in one another: the outer one is checkpointed."""
    for _ in range(n):
        for i in range(1, len(u) - 1):
            u[i] = u[i] + k * np.sin(u[i]) * (u[i + 1] - u[i - 1])
    return np.sum(u * u)


def noisy(x, n):
    rng = np.random.default_rng(0)
    for _ in range(n):
        x = x + 0.1 * rng.normal() * x * x
    return x


def _settled(x, n):
    for i in range(n):
        y = np.sin(x) + 0.1 * i
        z = np.cos(y) * x
        x = x + 0.1 * y * z - 0.01 * x * y
    return x


def settled_twice(x, n):
    return np.sum(_settled(_settled(x, n) * 2.0, n + 3))


U = np.linspace(0.0, 1.0, 1000)


def is_checkpointed(derivative: Any) -> bool:
    return "segment" in derivative.source


def peak(f: Callable[[], Any]) -> float:
    tracemalloc.start()
    f()
    size = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return float(size)


def test_what_fits_is_stored_and_the_rest_is_checkpointed() -> None:
    derivative, stored = grad(heat, memory="1MB"), grad(heat)
    for n in (10, 1000, 20, 1000):
        assert same_bits(derivative(U, 0.1, n), stored(U, 0.1, n))
        assert is_checkpointed(derivative) == (n == 1000)
    assert len(derivative.sources) == 2 and not is_checkpointed(stored)
    assert peak(lambda: derivative(U, 0.1, 1000)) < 1.1e6 < peak(lambda: stored(U, 0.1, 100))


def stored_bytes(f: Callable[..., Any], *args: Any) -> int:
    """The estimate for storing everything."""
    derivative = value_and_grad(f, memory="1GB")
    derivative(*args)
    total = derivative._latest.source.tapes[0]
    return 1000 if total is None else needs(total, args)


@pytest.mark.parametrize(("f", "args"), [(plate, (U[:20], 0.1, 90)), (newton, (2.0, 1e-12)),
                                         (settled_twice, (U[:5], 200)), (heat, (U[:9], 0.1, 0))])
@pytest.mark.parametrize("share", [0.5, 1.0])
def test_values_and_gradients(f: Callable[..., Any], args: tuple[Any, ...], share: float) -> None:
    with_memory = value_and_grad(f, memory=max(1, int(share * stored_bytes(f, *args))))
    assert same_bits(with_memory(*args), value_and_grad(f)(*args))
    if args[-1]:  # how many iterations `newton` has is known only at the end
        assert is_checkpointed(with_memory) == (share < 1.0 or f is newton)


def test_second_derivatives_and_pullbacks() -> None:
    args = (U[:6], 0.1, 300)
    np.testing.assert_allclose(jacrev(grad(heat), memory=200_000)(*args), hessian(heat)(*args), atol=1e-12)
    np.testing.assert_allclose(hessian(heat, memory=10**9)(*args), hessian(heat)(*args), atol=1e-12)
    value, pullback = vjp(heat, U[:6], 0.1, 100, memory=9000)
    assert same_bits(value, heat(U[:6].copy(), 0.1, 100))
    assert same_bits(pullback(1.0)[0], grad(heat)(U[:6], 0.1, 100))


def test_a_loop_with_effects_is_stored() -> None:
    derivative = grad(noisy, memory=1_000_000)
    assert same_bits(derivative(0.3, 9), grad(noisy)(0.3, 9)) and not is_checkpointed(derivative)
    with pytest.raises(SctError, match="the backward pass keeps about"):
        grad(noisy, memory=1000)(0.3, 900)


def test_an_amount_that_does_not_do_is_refused() -> None:
    with pytest.raises(SctError, match="with few states of the outer loops") as caught:
        grad(heat, memory="100kB")(U, 0.1, 1000)
    assert caught.value.code == "SCT918" and "100 KB" in str(caught.value) and caught.value.loc is not None


@pytest.mark.parametrize("memory", ["2 apples", "", 0, -3, 1.5, "0GB", True])
def test_what_is_no_amount(memory: Any) -> None:
    with pytest.raises(SctError, match="is no amount of memory"):
        grad(heat, memory=memory)


def test_amounts() -> None:
    assert [bytes_of(m) for m in (None, 7, "2GB", "1.5 MB", "4KiB", "10", "3g")] == [
        None, 7, 2_000_000_000, 1_500_000, 4096, 10, 3_000_000_000]
    assert [in_words(x) for x in (12, 8100, 2.5e9, 3e12)] == ["12 B", "8.1 KB", "2.5 GB", "3 TB"]


def test_tapes_that_do_not_fit_are_refused_before_anything_runs() -> None:
    ran = []

    def counted(u, k, n):
        ran.append(n)
        for _ in range(n):
            u[1:-1] += k * u[1:-1] * (u[2:] - 2.0 * u[1:-1] + u[:-2])
        return np.sum(u**2)

    with pytest.raises(SctError, match="TB"):
        grad(heat)(U, 0.1, 10**9)
    derivative = grad(heat)
    expected = derivative(U, 0.1, 5)
    for _ in range(2):
        with pytest.raises(SctError, match="values of each iteration of a loop") as caught:
            derivative(U, 0.1, 10**9)
        assert caught.value.code == "SCT918" and "memory=" in caught.value.hint
    assert same_bits(derivative(U, 0.1, 5), expected) and not ran and limit() > 10**8


def test_running_out_of_memory_is_a_refusal_where_the_count_is_not_known() -> None:
    def endless(x, stop):
        for i in itertools.count():
            x = x * 0.5
            if i == stop:
                raise MemoryError
            if i > 100:
                break
        return np.sin(x)

    def tape_of(x, stop):
        y = 0.0
        for i in itertools.count():
            x = np.sin(x)
            y += np.sum(np.empty(2**50 if i == stop else 3))
            if i > 100:
                break
        return x + y

    with pytest.raises(SctError, match="run out of memory") as caught:
        value_and_grad(tape_of)(0.3, 200), value_and_grad(tape_of)(0.3, 20)
    assert caught.value.code == "SCT918" and isinstance(caught.value.__cause__, MemoryError)
    with pytest.raises(MemoryError):
        value_and_grad(endless)(0.3, 5)


def test_the_guard_is_in_a_module_that_is_saved(tmp_path: Path) -> None:
    derivative = grad(heat, memory="1MB")
    expected = derivative(U, 0.1, 1000)
    derivative(U, 0.1, 10)
    derivative.save(tmp_path / "saved.py")
    names: dict[str, Any] = {}
    exec((tmp_path / "saved.py").read_text(), names)
    assert same_bits(names["heat_grad"](U.copy(), 0.1, 1000), expected)
    assert "sct" not in (tmp_path / "saved.py").read_text().split('"""')[2]





def test_a_derivative_with_memory_is_pickled() -> None:
    again = pickle.loads(pickle.dumps(grad(heat, memory="1MB")))
    assert same_bits(again(U, 0.1, 1000), grad(heat)(U, 0.1, 1000)) and is_checkpointed(again)


def root(x, tolerance):
    y = x
    for _ in range(10**12):
        step = 0.5 * (y - x / y)
        y -= step
        if abs(step) < tolerance:
            break
    return y


def test_a_loop_that_is_left_early_is_not_refused_for_its_bound():
    value, slope = value_and_grad(root)(2.0, 1e-12)
    assert value == root(2.0, 1e-12)
    assert abs(slope - 0.5 / np.sqrt(2.0)) < 1e-9


def test_the_hint_is_about_loops_that_there_are() -> None:
    def one(x: Any) -> Any:
        v = x
        for _ in range(400):
            v = np.sin(v) * x
        return np.sum(v)

    def two(x: Any) -> Any:
        v = x
        for _ in range(20):
            for _ in range(20):
                v = np.sin(v) * x
        return np.sum(v)

    for f, names_inner_loops in ((one, False), (two, True)):
        with pytest.raises(SctError) as caught:
            grad(f, memory="1 KB")(np.ones(100))
        assert caught.value.code == "SCT918" and ("inner loops" in caught.value.hint) == names_inner_loops
