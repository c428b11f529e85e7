"""Lists whose length is not known: specializations, structure of gradients, cost of an append, text."""

from __future__ import annotations

import math
import re
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from programs import lists as programs

import sct
from sct.frontend.arguments.type_syntax import structure

LONG = [0.1 * k % 0.7 for k in range(200)]


def test_another_length_is_the_same_specialization() -> None:
    g = sct.grad(programs.horner)
    for n in (5, 9, 30):
        np.testing.assert_allclose(g([1.0] * n, 0.5), [0.5**k for k in range(n)])
    assert len(g.sources) == 1


def test_a_short_list_is_taken_apart() -> None:
    g = sct.grad(programs.horner)
    assert g([1.0, 2.0, 3.0], 0.5) == [1.0, 0.5, 0.25]
    assert "for" not in g.source


def test_gradients_mirror_lists() -> None:
    Ws = [np.eye(3) * (k + 1) for k in range(6)]
    kept = [W.copy() for W in Ws]
    dx, dWs = sct.grad(programs.layers, argnums=(0, 1))(np.ones(3), Ws)
    assert isinstance(dWs, list) and [d.shape for d in dWs] == [(3, 3)] * 6
    assert all(d.flags.writeable for d in dWs)
    assert not any(np.shares_memory(a, b) for k, a in enumerate(dWs) for b in [*dWs[:k], *Ws, dx])
    assert all(np.array_equal(a, b) for a, b in zip(Ws, kept))


def test_the_callers_list_stays() -> None:
    def f(xs: list[float]) -> float:
        xs.append(xs[0] * 2.0)
        xs[1] = 0.0
        return sum(xs) ** 2

    xs = [1.0, 2.0, 3.0, 4.0, 5.0]
    value, grads = sct.value_and_grad(f)(xs)
    assert xs == [1.0, 2.0, 3.0, 4.0, 5.0]
    assert value == f(list(xs)) and grads == [90.0, 0.0, 30.0, 30.0, 30.0]


def test_tuples_in_a_list_are_columns() -> None:
    g = sct.value_and_grad(programs.error_of_speed)
    rng = np.random.default_rng(0)
    for n in (5, 40, 200):
        trips = [(d, 2.0 * d + 1.0) for d in rng.uniform(1.0, 10.0, n).tolist()]
        value, slope = g(35.0, trips)
        assert value == programs.error_of_speed(35.0, trips)
        assert slope == pytest.approx(sum(-120.0 * (60.0 * d / 35.0 - m) * d for d, m in trips) / 35.0**2 / n)
    assert len(g.sources) == 1 and len(g.source.splitlines()) < 25


def test_the_gradient_of_tuples_in_a_list() -> None:
    corners = [(math.cos(0.9 * k), math.sin(0.9 * k)) for k in range(7)]
    made = sct.grad(programs.area)(corners, 2.0)
    assert all(type(row) is tuple for row in made)
    turned = [*corners[1:], corners[0]], [corners[-1], *corners[:-1]]
    np.testing.assert_allclose(made, [(b[1] - a[1], a[0] - b[0]) for b, a in zip(*turned)])


def test_parts_of_tuples_in_a_list_that_are_not_real() -> None:
    def f(speed: float, trips: Any) -> Any:
        return sum((d * speed) ** 2 * k for d, k in trips)

    trips = [(1.5, k) for k in range(6)]
    expected = [(pytest.approx(2.0 * 1.5 * 9.0 * k), None) for k in range(6)]
    assert sct.grad(f, argnums=1)(3.0, trips) == expected == sct.vjp(f, 3.0, trips)[1](1.0)[1]
    assert sct.grad(f, argnums=1)(3.0, trips[:3]) == expected[:3]
    _, tangent = sct.jvp(f, (3.0, trips), (0.0, [(0.5, None)] * 6))
    assert tangent == pytest.approx(sum(0.5 * d for (d, _) in sct.grad(f, argnums=1)(3.0, trips)))
    sct.check_grads(f, (3.0, trips), order=2)
    made = sct.grad(lambda p: sum(p["w"] * a * b for a, b in p["rows"]))({"w": 2.0, "rows": [(1, 2)] * 6})
    assert made == {"w": 12.0, "rows": None}
    ragged = [(1.0, np.ones(1 + k % 2)) for k in range(6)]
    made = sct.grad(lambda w, rows: sum(w * a * np.sum(v) for a, v in rows))(2.0, ragged)
    assert made == 9.0


@pytest.mark.parametrize("trips, message", [
    ([1.0] * 6, "trips: each row must be a tuple of 2"),
    ([(1.0, 2.0, 3.0)] * 6, "trips: each row must be a tuple of 2"),
    ([(1, 2.0)] * 6, r"trips: each row\[0\] must be a float"), (((1.0, 2.0),) * 6, "trips must be a list"),
])
def test_a_module_checks_tuples_in_a_list(tmp_path: Path, trips: Any, message: str) -> None:
    g = sct.grad(programs.error_of_speed)
    expected = g(35.0, [(1.5, 2.5)] * 6)
    g.save(tmp_path / "made.py")
    made: dict[str, Any] = {}
    exec((tmp_path / "made.py").read_text(), made)
    assert made["error_of_speed_grad"](35.0, [(1.5, 2.5)] * 6) == expected
    with pytest.raises(TypeError, match=message):
        made["error_of_speed_grad"](35.0, trips)


def test_the_type_of_tuples_in_a_list_ahead_of_time() -> None:
    assert structure("list[tuple[float, f64[n]]]") == structure("list[(float, f64[n])]")


def test_a_pullback_may_be_called_again() -> None:
    value, pullback = sct.vjp(programs.window, LONG[:9], 3)
    first, again = pullback(1.0), pullback(1.0)
    assert first == again and value == programs.window(LONG[:9], 3)


def test_tangents_of_lists() -> None:
    xs = LONG[:6]
    dxs = [1.0] * 6
    _, tangent = sct.jvp(programs.softmax_loss, (xs, 2), (dxs, None))
    assert tangent == pytest.approx(0.0, abs=1e-15)  # a shift of all is no change


def steps(f: Callable[..., Any], *args: Any) -> int:
    """How many instructions of Python a call takes."""
    made = 0

    def trace(frame: Any, event: str, _: Any) -> Any:
        nonlocal made
        frame.f_trace_opcodes = True
        made += event == "opcode"
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        f(*args)
    finally:
        sys.settrace(before)
    return made


@pytest.mark.parametrize("name, args", [
    ("trajectory", lambda n: (0.4, 1.3, n)),
    ("machine", lambda n: (0.3, 0.01, n)),
    ("best_sum", lambda n: (LONG[:n],)),
    ("until", lambda n: (LONG[:n], 0.9)),
    ("states", lambda n: (np.ones(3), 0.1, n)),
    ("window", lambda n: (LONG[:n], 3)),
])
def test_an_append_takes_constant_time(name: str, args: Callable[[int], tuple[Any, ...]],
                                       monkeypatch: pytest.MonkeyPatch) -> None:
    """Four times the trips, four times the instructions; and no copy of a list hides in one of them."""
    monkeypatch.setenv("SCT_VALIDATE", "first")  # only the steps of the derivative count
    g = sct.value_and_grad(getattr(programs, name))
    steps(g, *args(50))  # the code is prepared for being traced
    assert 3.0 < steps(g, *args(200)) / steps(g, *args(50)) < 4.2
    copies = [line for line in g.source.splitlines() if re.match(r"\s{8}.*\blist\(", line)]
    assert not copies


def test_a_table_of_lists_is_written_in_place() -> None:
    g = sct.value_and_grad(programs.edit_distance)
    g(LONG[:6], LONG[:5])
    assert "D[i][j] = " in g.source and "dD[i - 1][j - 1] += " in g.source
    assert "list(" not in g.source


def test_loops_read_as_they_are_written() -> None:
    g = sct.value_and_grad(programs.trajectory)
    g(0.4, 1.3, 6)
    assert "xs.append(" in g.source and "for x in xs:" in g.source and "dxs.pop()" in g.source


def _pops_and_appends(x: np.ndarray, n: int) -> Any:
    xs, s = [x[0] ** 2, x[1] ** 3, x[0] * x[1]], 0.0
    for k in range(n):
        s = s + xs.pop() * xs[-1] * x[2] ** k
        xs.append(s)
    return s


def _pops_tuples(x: np.ndarray, n: int) -> Any:
    xs, s = [(x[0] ** 2, x[1]), (x[1] ** 3, x[2]), (x[0] * x[1], x[0])], 0.0
    for _ in range(n):
        a, b = xs.pop(0)
        s = s + a * b * b
    return s


def _pops_at_both_ends(x: np.ndarray, n: int) -> Any:
    xs = []
    for k in range(n):
        xs.append(x * (k + 1))
    s = 0.0
    while len(xs) > 1:
        a = xs.pop()
        s = s + np.sum(a * xs.pop(len(xs) // 2)) * x[0]
    return s


def test_a_list_has_columns_from_the_second_visit_of_a_loop_on() -> None:
    def f(x: Any, n: Any) -> Any:
        ys, s = [x, 0.5, 2 * x], x
        for v in ys[:2]:
            for _ in range(n):
                ys = ys[:]
            s += sorted(ys)[0] * v + ys[-1]
            if s < 0:
                ys.extend([v, 1.5])
        return s

    derivative = sct.value_and_grad(f)
    for x, n in ((0.7, 2), (0.7, 0), (-0.7, 2), (-0.7, 3)):
        value, slope = derivative(x, n)
        assert value == f(x, n)
        assert slope == pytest.approx((f(x + 1e-6, n) - f(x - 1e-6, n)) / 2e-6, rel=1e-6)


@pytest.mark.parametrize("n", (3, 2, 1))
@pytest.mark.parametrize("f", (_pops_and_appends, _pops_tuples, _pops_at_both_ends))
def test_derivatives_of_removals(f: Any, n: int) -> None:
    x, step = np.array([0.5, 1.5, 0.7]), 1e-6
    value, slope = sct.value_and_grad(f)(x, n)
    assert value == f(x, n)
    differences = [(f(x + step * e, n) - f(x - step * e, n)) / (2 * step) for e in np.eye(3)]
    np.testing.assert_allclose(slope, differences, rtol=1e-5, atol=1e-6)
    for e in np.eye(3):
        both = sct.jvp(lambda x: f(x, n), (x,), (e,))
        assert both[0] == value
        np.testing.assert_allclose(both[1], slope @ e)
    second = [(sct.grad(f)(x + step * e, n) - sct.grad(f)(x - step * e, n)) / (2 * step) for e in np.eye(3)]
    for derivative in (sct.hessian(f), sct.jacfwd(sct.jacfwd(f)), sct.jacrev(sct.grad(f))):
        np.testing.assert_allclose(derivative(x, n), second, rtol=1e-5, atol=1e-5)
