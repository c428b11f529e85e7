"""Forms in which published packages are written, each reduced from a function of `tests/packages`."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from oracle import agrees, refuses
from scipy.interpolate import bisplev, bisplrep, splev, splrep

Function = Callable[..., Any]

CASES: list[tuple[Function, tuple[Any, ...]]] = []


def case(*args: Any) -> Callable[[Function], Function]:
    """A program, and arguments of a call; a program may have several."""
    def add(f: Function) -> Function:
        CASES.append((f, args))
        return f

    return add


@case(1.5)
@case(np.array([1.5, 2.0]))
def a_name_for_what_may_be_a_series(x):
    y = x * x
    try:
        y.name = "squares"
    except AttributeError:
        y = 3.0 * y
    return np.sum(y)


@case(1.5)
@case(np.float64(1.5))
@case(np.array([1.5, 2.0]))
def an_item_of_what_may_be_a_number(x):
    y = x * x
    try:
        y[0] = 2.0 * y[0]
    except (TypeError, IndexError):
        y = 2.0 * y
    return np.sum(y)


@case(1.5)
@case(np.array(1.5))
def one_axis_of_a_number(x):
    return np.sum(x * x, axis=0, dtype=np.float64) + np.max(x, axis=-1) * np.prod(x, axis=0)


@case(1.5)
@case(np.array([1.5, 0.0]))
def a_flag_as_the_subscript_of_a_number(x):
    y = np.empty_like(x)
    bad = np.isclose(x, 0.0)
    y[~bad] = np.sin(x)[~bad] / x[~bad] if np.ndim(x) else np.sin(x)[~bad]
    y[bad] = 1.0
    return np.sum(y)


@case(np.array([0.3, 0.8]))
def a_guess_that_is_a_number_for_unknowns_that_are_an_array(x):
    r, k, close = 0.1, 0, False
    while k < 100 and not close:
        new = r - ((r + 1.0) ** 2 - 1.0 - x) / (2.0 * (r + 1.0))
        close = np.all(np.abs(new - r) < 1e-9)
        k += 1
        r = new
    return np.sum(r * x)


@case(np.array([0.3, 0.8]), 1)
@case(np.array([0.3, 0.8]), 2)
@case(np.array([0.3, 0.8]), 4)
def a_number_that_becomes_an_array_in_a_loop_with_exits(x, n):
    r = 0.1
    for k in range(500):
        if n > 3:
            continue
        r = (r + 1.0) ** 0.5 * x + 0.1 * k
        if n == 1:
            return np.sum(r)
        if k > 20:
            break
    return np.sum(r) * x[0]


@case(np.array([0.3, 1.7]), 5)
@case(np.array([0.3, 1.7]), 1)
def steps_between_arrays(x, n):
    return np.sum(np.linspace(x, 2.0 * x + 1.0, n) ** 2) + np.sum(np.linspace(0.0, x, n, endpoint=False))


def test_steps_between_single_floats() -> None:
    refuses(lambda x: np.sum(np.linspace(x, 2.0 * x, 4)), np.ones(2, np.float32), code="SCT501")


FITS = [[0.3 * k, 1.0, -0.2] for k in range(14)]


def horner(coefficients, x):
    y = 0.0
    for c in coefficients:
        y = y * x + c
    return y


@case(3.2)
def fits_by_pieces(x):
    """Each piece has a loop; the time to compile must not double with each."""
    if x < 1.0: y = horner(FITS[0], x)
    elif x < 2.0: y = horner(FITS[1], x)
    elif x < 3.0: y = horner(FITS[2], x)
    elif x < 4.0: y = horner(FITS[3], x)
    elif x < 5.0: y = horner(FITS[4], x)
    elif x < 6.0: y = horner(FITS[5], x)
    elif x < 7.0: y = horner(FITS[6], x)
    elif x < 8.0: y = horner(FITS[7], x)
    elif x < 9.0: y = horner(FITS[8], x)
    elif x < 10.0: y = horner(FITS[9], x)
    elif x < 11.0: y = horner(FITS[10], x)
    elif x < 12.0: y = horner(FITS[11], x)
    elif x < 13.0: y = horner(FITS[12], x)
    else: y = horner(FITS[13], x)
    return 2.0 * y


KNOTS = splrep(np.linspace(0.0, 3.0, 8), np.sin(np.linspace(0.0, 3.0, 8)))


@case(0.7)
@case(np.array([-0.5, 0.7, 3.5]))
def a_spline_of_fitpack(x):
    knots, coefficients, degree = KNOTS
    return np.sum(x * splev(x, KNOTS) + splev(x, (list(knots), 2.0 * coefficients, degree), der=1))


X, Y = np.meshgrid(np.linspace(0.0, 1.0, 6), np.linspace(0.0, 2.0, 6))
SURFACE = bisplrep(X.ravel(), Y.ravel(), np.sin(X + Y * Y).ravel(), kx=3, ky=1, s=0)


@case(np.array([0.3, 0.7]))
@case(np.array([1.5, 0.7]))
def a_surface_of_fitpack(x):
    return float(bisplev(x[0], x[1], SURFACE)) * x[0] + bisplev(x[1] / 2.0, 0.3, SURFACE)


class Advice(Exception):
    pass


def show(advice):
    print("advice:" if isinstance(advice, Advice) else "", str(advice))


@case(0.7)
def an_exception_that_is_shown_and_not_raised(x):
    show(Advice("use another function"))
    return x * x


@pytest.mark.parametrize(("f", "args"), CASES, ids=lambda v: getattr(v, "__name__", ""))
def test_it_is_differentiated_as_it_stands(f: Function, args: tuple[Any, ...]) -> None:
    agrees(f, *args)


def test_a_relative_import_in_a_function_is_of_its_package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    package = tmp_path / "rotations_of_its_own"
    package.mkdir()
    (package / "__init__.py").write_text("")
    (package / "angles.py").write_text("def half(x):\n    return 0.5 * x\n")
    (package / "turns.py").write_text("def f(x):\n    from . import angles\n    from .angles import half\n"
                                      "    return angles.half(x) * half(x)\n")
    monkeypatch.syspath_prepend(tmp_path)
    agrees(importlib.import_module("rotations_of_its_own.turns").f, 1.5)
