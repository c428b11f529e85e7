"""Containers ask whether two items are one object before they ask whether they are equal, which shows for nan."""

from __future__ import annotations

import dataclasses
import math
from typing import Any

import numpy as np
import pytest

import sct

NAN, OTHER = float("nan"), float("nan")
SCALAR = np.float64("nan")


def among(x: float, xs: Any, v: float) -> float:
    return x * 2.0 if v in xs else x


def counted(x: float, xs: Any, v: float) -> float:
    return x * xs.count(v)  # type: ignore[no-any-return]


def position(x: float, xs: Any, v: float) -> float:
    return x * (1 + xs.index(v))  # type: ignore[no-any-return]


def position_or_none(x: float, xs: Any, v: float) -> float:
    try:
        k = xs.index(v)
    except ValueError:
        k = -1
    return x * k  # type: ignore[no-any-return]


def removed(x: float, xs: Any, v: float) -> float:
    rest = list(xs)
    rest.remove(v)
    return x * sum(u for u in rest if u == u)


def equal(x: float, a: Any, b: Any) -> float:
    return x * 2.0 if a == b else x * x


def unequal(x: float, a: Any, b: Any) -> float:
    return x * 2.0 if a != b else x * x


def smaller(x: float, a: Any, b: Any) -> float:
    return x * 2.0 if a < b else x * x


def as_number(x: float, a: Any, b: Any) -> float:
    return x * ((a == b) + 1)


def greatest(x: float, a: float, b: float) -> float:
    return x * max([(a, 1.0), (b, 2.0)])[1]


def in_loop(x: float, xs: Any, v: float) -> float:
    for u in xs:
        if u in [v]:
            x = x * 1.5
    return x


def computed_twice(x: float, n: float, _: int) -> float:
    a, b = x * n, x * n
    return x * 2.0 if a in [b] else x


def computed_once(x: float, n: float, _: int) -> float:
    a = x * n
    return x * 2.0 if [a] == [a] else x


def of_array(x: float, n: float, k: int) -> float:
    a = np.full(3, n)
    return x * 2.0 if (a[k],) == (a[0],) else x


def of_module(x: float, v: float, _: int) -> float:
    return x * 2.0 if v in (1.0, NAN) else x


@dataclasses.dataclass
class Pair:
    left: float
    right: float


CALLS: list[tuple[Any, list[tuple[Any, Any]]]] = [
    (among, [([NAN], NAN), ([OTHER], NAN), ([1.0, NAN], NAN), ([1.0], NAN), ([], NAN), ([NAN, 2.0], 2.0)]),
    (among, [([OTHER], NAN), ([NAN], NAN), ([OTHER], OTHER)]),
    (among, [((OTHER, 1.0), NAN), ((NAN, 1.0), NAN), ((NAN, 1.0), 1.0)]),
    (among, [([NAN] * 8, NAN), ([OTHER] * 8, NAN), ([1.0] * 8, NAN)]),
    (among, [([1.0, None, NAN], NAN), ([1.0, None, OTHER], NAN)]),
    (among, [([1.0, "a", NAN], NAN), ([1.0, "a", OTHER], NAN)]),
    (among, [([SCALAR], SCALAR), ([np.float64("nan")], SCALAR), ([np.float64(1.0)], np.float64(1.0))]),
    (counted, [([NAN, 1.0], NAN), ([OTHER, 1.0], NAN), ([NAN] * 8, NAN), ([OTHER] * 8, NAN)]),
    (position, [([1.0, NAN], NAN), ([1.0, 2.0], 2.0), ([NAN] * 8, NAN)]),
    (position_or_none, [([1.0, NAN], NAN), ([1.0, OTHER], NAN), ([1.0, 2.0], 2.0)]),
    (removed, [([NAN, 1.0], NAN), ([1.0, NAN, OTHER], NAN), ([1.0, 2.0], 1.0)]),
    (equal, [([NAN], [NAN]), ([OTHER], [NAN]), ([1.0], [1.0]), ([1.0], [2.0])]),
    (equal, [((OTHER, 1.0), (NAN, 1.0)), ((NAN, 1.0), (NAN, 1.0)), ((NAN, 1.0), (NAN, 2.0))]),
    (equal, [({"a": NAN}, {"a": NAN}), ({"a": NAN}, {"a": OTHER}), ({"a": 1.0}, {"a": 1.0})]),
    (equal, [([NAN] * 8, [NAN] * 8), ([NAN] * 8, [OTHER] * 8)]),
    (equal, [([[NAN]], [[NAN]]), ([[NAN]], [[OTHER]])]),
    (equal, [(Pair(1.0, NAN), Pair(1.0, NAN)), (Pair(1.0, NAN), Pair(1.0, OTHER)), (Pair(1.0, 2.0), Pair(1.0, 2.0))]),
    (unequal, [([NAN], [NAN]), ([OTHER], [NAN]), ([1.0], [1.0])]),
    (smaller, [([NAN, 1.0], [NAN, 2.0]), ([NAN, 1.0], [OTHER, 2.0]), ([1.0, 1.0], [1.0, 2.0])]),
    (as_number, [([SCALAR], [SCALAR]), ([SCALAR], [np.float64("nan")]), ([np.float64(1.0)], [np.float64(1.0)])]),
    (greatest, [(NAN, NAN), (OTHER, NAN), (1.0, 1.0), (2.0, 1.0)]),
    (in_loop, [([NAN], NAN), ([OTHER], NAN), ([1.0, NAN], NAN)]),
    (computed_twice, [(1.0, 0), (NAN, 0)]),
    (computed_once, [(1.0, 0), (NAN, 0)]),
    (of_array, [(1.0, 0), (NAN, 0), (NAN, 2)]),
    (of_module, [(1.0, 0), (NAN, 0), (OTHER, 0), (2.0, 0)]),
]


@pytest.mark.filterwarnings("ignore::sct.SctWarning")
@pytest.mark.parametrize(("f", "calls"), CALLS)
def test_containers_find_the_same_nan(f: Any, calls: list[tuple[Any, Any]], monkeypatch: pytest.MonkeyPatch) -> None:
    """One derivative is called with all of these, in both orders."""
    monkeypatch.setenv("SCT_VALIDATE", "0")
    for order in (calls, calls[::-1]):
        derivative, gradient, second = sct.value_and_grad(f), sct.grad(f), sct.hessian(f)
        for args in order:
            value, dx = derivative(1.5, *args)
            assert value == f(1.5, *args)
            step = 1e-6
            assert dx == pytest.approx((f(1.5 + step, *args) - f(1.5 - step, *args)) / (2 * step), abs=1e-6)
            assert gradient(1.5, *args) == dx
            assert sct.jvp(f, (1.5, *args), (1.0,)) == (value, dx)
            assert second(1.5, *args) == (2.0 if f in (equal, unequal, smaller) and value == 1.5 * 1.5 else 0.0)


@pytest.mark.parametrize("f", [position, removed])
def test_another_nan_is_not_there(f: Any) -> None:
    derivative = sct.value_and_grad(f)
    for xs in ([1.0, OTHER], [1.0, NAN], [OTHER] * 8):
        if any(v is NAN for v in xs):
            assert derivative(1.5, xs, NAN)[0] == f(1.5, xs, NAN)
            continue
        with pytest.raises(ValueError, match="not in list"):
            derivative(1.5, xs, NAN)


def of_paths(x: float, n: float, c: int) -> float:
    a = x * n
    b = a if c > 0 else x
    return x * 2.0 if b in (a,) else x


def of_list(x: float, n: float, c: int) -> float:
    xs = []
    for i in range(c):
        xs.append(x * n + i)
    return x * 2.0 if [xs[0]] == [xs[-1]] else x


def of_loop(x: float, n: float, c: int) -> float:
    low, high = x, n
    for i in range(c + 1):
        before, low = low, low * (0.5 if i % 2 else 1.0)
        if (before, high) == (low, n):
            x = x + 1.0
    return x + low


def called_again(a: float, b: float, k: int) -> float:
    if k == 0:
        return 2.0 if a in [b] else 1.0
    return called_again(a, b, k - 1)


def of_recursion(x: float, n: float, c: int) -> float:
    return x * called_again(x * n, x * n, c)


@pytest.mark.filterwarnings("ignore::sct.SctWarning")
@pytest.mark.parametrize("f", [of_paths, of_list, of_recursion, of_loop])
def test_computed_nans_are_refused_where_they_decide(f: Any) -> None:
    derivative, gradient = sct.value_and_grad(f), sct.grad(f)
    for n, c in ((1.0, 2), (2.0, 2), (1.0, 1), (NAN, 2), (3.0, 2)):
        if math.isnan(n) and f is not of_loop:
            for g in (derivative, gradient):
                with pytest.raises(NotImplementedError, match="two nans"):
                    g(1.5, n, c)
        else:
            assert derivative(1.5, n, c)[0] == f(1.5, n, c)


def test_handlers_do_not_see_what_only_the_derivative_raises() -> None:
    def f(x: float, n: float, c: int) -> float:
        try:
            y = of_paths(x, n, c)
        except Exception:
            y = 0.0
        return y

    with pytest.raises(sct.SctError, match="SCT101: a `try` handles what is raised here: sct does not know"):
        sct.value_and_grad(f)(1.5, NAN, 2)


def looked_up(x: float, d: Any, v: float) -> float:
    return x * d.get(v, 7.0)  # type: ignore[no-any-return]


def key_of_dict(x: float, d: Any, v: float) -> float:
    return x * 2.0 if (1, v) in d else x


@pytest.mark.parametrize(("f", "d"), [(looked_up, {NAN: 1.0}), (looked_up, {OTHER: 1.0}), (among, {NAN: 1.0}),
                                      (key_of_dict, {(1, NAN): 1.0}), (key_of_dict, {(1, OTHER): 1.0})])
def test_keys_that_are_nan_are_refused(f: Any, d: Any) -> None:
    with pytest.raises(sct.SctError, match=r"(?s)SCT503.*is nan.*which objects"):
        sct.value_and_grad(f)(1.5, d, NAN)


def test_modules_ask_too(tmp_path: Any) -> None:
    for f in (among, equal):
        derivative = sct.value_and_grad(f)
        a, b = ([1.0, NAN], NAN) if f is among else ([NAN], [NAN])
        derivative(1.5, a, b)
        derivative.save(tmp_path / "module.py")
        scope: dict[str, Any] = {}
        exec((tmp_path / "module.py").read_text(), scope)
        module = scope[f"{f.__name__}_value_and_grad"]
        other = ([1.0, OTHER], NAN) if f is among else ([OTHER], [NAN])
        assert module(1.5, a, b)[0] == f(1.5, a, b)
        assert module(1.5, *other)[0] == f(1.5, *other)
