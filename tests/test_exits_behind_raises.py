"""A path of a loop in a `try` that may raise, and leaves the iteration otherwise: it keeps what the rest would bind.

    try:
        for t in range(n):
            z = 0.9 * y
            if z > 0.6:
                if z > 20.0:
                    raise Diverged
                continue            `y` is read in the next iteration, and not behind the `if`
            y = z
    except Diverged: ...
"""

from __future__ import annotations

import contextlib
import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from oracle import Programs, agrees_in_every_mode, same_value

from sct import value_and_grad

STARTS = (0.5, 2.0, 30.0)
"""Below every bound; above the first one; above the bound at which the programs raise."""


class Diverged(Exception):
    pass


class Worse(Diverged):
    pass


class Particle:
    def __init__(self, position: float) -> None:
        self.position = position


program = Programs()
starts = program(*(([x0, 0.7], 4) for x0 in STARTS))


@starts
def continues(x, n):
    y = x[0]
    try:
        for _ in range(n):
            z = 0.9 * y
            if z > 0.6:
                if z > 20.0:
                    raise Diverged
                continue
            y = z
    except Diverged:
        return x[1]
    return y * y * x[1]


@starts
def breaks(x, n):
    y = x[0]
    try:
        for _ in range(n):
            z = 0.9 * y
            if z > 0.6:
                if z > 20.0:
                    raise Diverged
                break
            y = z * x[1]
    except Diverged:
        y = x[1]
    return y * y * x[1]


@starts
def returns(x, n):
    y = x[0]
    try:
        for k in range(n):
            z = 0.9 * y
            if z > 0.6:
                if z > 20.0:
                    raise Diverged(k)
                return y * k + x[1]
            y = z
    except Diverged:
        return x[1] * 3.0
    return y * y * x[1]


@starts
def returns_or_continues_in_a_while(x, n):
    y, k = x[0], 0
    try:
        while k < n:
            k += 1
            z = y * 0.9 * x[1]
            if z > 0.5:
                if z > 15.0:
                    raise Diverged
                if k == 3:
                    return y * k
                continue
            y = z
    except Diverged:
        return k * x[1]
    return y * x[1]


@starts
def any_exception_in_an_endless_loop(x, n):
    y, k = x[0], 0
    try:
        while True:
            k += 1
            if k > n:
                break
            z = 0.9 * y
            if z > 0.6:
                if z > 20.0:
                    raise Diverged
                continue
            y = z + 0.1 * x[1]
        y = 3.0 * y
    except Exception:
        return x[1] * x[1]
    return y * x[1]


@starts
def asserts(x, n):
    y = x[0]
    with contextlib.suppress(AssertionError):
        for _ in range(n):
            z = 0.9 * y
            if z > 0.6:
                assert z < 20.0
                continue
            y = z
        y = y * x[1]
    return y * y


@starts
def roots(x, n):
    y = x[0]
    try:
        for k in range(n):
            z = 0.9 * y
            if z > 0.6:
                y = 0.3 * y * math.sqrt(20.0 - z) + x[1]
                if k % 2:
                    break
                continue
            y = z
    except ValueError:
        y = 2.0 * x[1] + y
    return y * y


@program(([0.5, 0.7], 4, [2, 0, 1, 1]), ([0.5, 0.7], 4, [1, 1, 1, 1]), ([0.5, 0.7], 3, [0, 0, 5]))
def quotients_of_ints(x, n, ks):
    y = z = x[0]
    try:
        for k in ks:
            z = 0.9 * z
            if k < n - 2:
                z = z + 3 / k
                continue
            y = z * x[1]
    except ZeroDivisionError:
        y = y + x[1]
    return y * z


def checked(z, bound):
    if z > bound:
        raise Worse


def decays(y, n):
    for _ in range(n):
        z = 0.9 * y
        if z > 0.6:
            checked(z, 20.0)
            continue
        y = z
    return y


@starts
def calls_that_raise(x, n):
    try:
        y = decays(x[0], n) * decays(x[1], n)
    except Diverged:
        return x[1]
    return y * y


@starts
def several_carried_variables(x, n):
    a, b, c = x[0], x[1], 1.0
    try:
        for k in range(n):
            z = 0.9 * a
            if z > 0.6:
                b = b * 1.1
                if z > 20.0:
                    raise Worse
                if k > 1:
                    c = c + b
                    continue
                a, b = a * 0.8, a
                continue
            a, b, c = z, a + b, b * c
    except Worse:
        return a * b + c
    return a + b * c


@starts
def arrays(x, n):
    y = np.array([x[0], 0.5 * x[0], x[1]])
    try:
        for _ in range(n):
            z = 0.9 * y
            if z[0] > 0.6:
                if z[0] > 20.0:
                    raise Diverged
                continue
            y = z
    except Diverged:
        return x[1]
    return np.sum(y * y)


@starts
def arrays_that_are_written(x, n):
    y = np.ones(3) * x[0]
    try:
        for k in range(n):
            z = y[k % 3] * 0.9
            if z > 0.6:
                if z > 20.0:
                    raise Diverged
                y = y.copy()
                y[0] = 0.4 * x[1]
                continue
            y = np.ones(3) * z
    except Diverged:
        y[1] = x[1]
    return np.sum(y * y)


@starts
def attributes_and_lists(x, n):
    particle, trail = Particle(x[0]), [x[1]]
    try:
        for _ in range(n):
            z = 0.9 * particle.position
            if z > 0.6:
                if z > 20.0:
                    raise Diverged
                trail.append(z)
                continue
            particle = Particle(z)
            trail = [*trail, z * x[1]]
    except Diverged:
        return sum(trail)
    return particle.position * sum(trail)


@starts
def tuples_and_none(x, n):
    last, pair = None, (x[0], x[1])
    try:
        for k in range(n):
            z = 0.9 * pair[0]
            if z > 0.6:
                if z > 20.0:
                    raise Diverged
                if k == 2:
                    last = z
                continue
            pair, last = (z, pair[1] * z), None
    except Diverged:
        return pair[1]
    return pair[0] * pair[1] if last is None else last * pair[1]


@starts
def loops_in_loops(x, n):
    y = total = x[0]
    try:
        for _ in range(n):
            for k in range(3):
                z = 0.95 * y
                if z > 0.6:
                    if z > 20.0:
                        raise Diverged
                    if k == 1:
                        break
                    continue
                y = z * x[1]
            else:
                total = total + y
                continue
            total = y * 0.5 + total * 0.9
    except Diverged:
        return total * x[1]
    return y * total


@starts
def a_try_in_a_loop(x, n):
    y, total = x[0], 0.0
    for k in range(n):
        try:
            for _ in range(2):
                z = 0.9 * y
                if z > 0.6:
                    if z > 20.0 and k == 2:
                        raise Diverged
                    continue
                y = z
            total = total + y
        except Diverged:
            y = y * x[1]
            continue
        finally:
            total = total * 0.9
    return total * y


@starts
def handlers_by_class(x, n):
    y = total = x[0]
    for k in range(n):
        try:
            z = 0.9 * y
            if z > 0.6:
                if z > 20.0:
                    if k < 2:
                        raise Worse
                    raise Diverged
                total = total + y
                continue
            y = z
        except Worse:
            total = total * x[1]
        except Diverged:
            break
        else:
            total = total - y
    return total * y


@starts
def elif_and_else_of_a_loop(x, n):
    y = x[0]
    try:
        for k in range(n):
            z = 0.9 * y
            if z < 0.3:
                y = z + x[1]
            elif z > 0.6:
                if z > 20.0:
                    raise Diverged
                if k == 3:
                    break
                continue
            else:
                y = z
                continue
            y = y * x[1]
        else:
            y = y + 1.0
    except Diverged:
        y = 2.0
    return y * x[1]


@starts
def matches(x, n):
    y = x[0]
    try:
        for k in range(n):
            z = 0.9 * y
            match k % 3:
                case 0 if z > 0.6:
                    if z > 20.0:
                        raise Diverged
                    continue
                case 1:
                    checked(z, 25.0)
                    continue
            y = z * x[1]
    except Diverged:
        return x[1]
    return y * y


def positions(y, n):
    for _ in range(n):
        z = 0.9 * y
        if z > 0.6:
            if z > 20.0:
                raise Diverged
            continue
        y = z
        yield y


@starts
def generators(x, n):
    total = x[1]
    try:
        for y in positions(x[0], n):
            if y < 0.4:
                checked(y, 0.39)
                continue
            total = total + y
    except Diverged:
        return total * x[1]
    return total * total


@starts
def a_loop_that_is_unrolled(x, n):
    y = x[0]
    try:
        for scale in (0.9, 0.8 * x[1], 1.1):
            z = scale * y
            if z > 0.5:
                if z > 20.0:
                    raise Diverged
                continue
            y = z
    except Diverged:
        return x[1]
    return y * y


def halved(x):
    if x > 0.7:
        raise ValueError("too large")
    return 0.5 * x


below_and_above = program(*(([x0, 0.4], 4) for x0 in (0.27, 0.55, 0.65, 0.8, -0.9)))


@below_and_above
def a_break_behind_a_call_that_raises(x, n):
    y = x[0]
    try:
        for v in (1.1, x[1]):
            if y > 0.5:
                if y > 0.6:
                    halved(y)
                    break
            y = y + halved(v - 0.5)
    except Exception:
        return y * x[1]
    return y * y


@below_and_above
def a_continue_behind_a_call_that_raises(x, n):
    y = total = x[0]
    try:
        for v in range(n):
            w = 0.1 * v * x[1]
            if y > 0.5:
                if y > 0.6:
                    total = total + halved(y) * w
                    continue
                total = total + y
            elif v > 2:
                halved(y - 3.0)
                break
            y = y + halved(w)
    except Exception:
        return y * x[1]
    return y * total


@below_and_above
def a_return_behind_a_call_that_raises(x, n):
    y, v = x[0], x[1]
    try:
        if y > 0.5:
            if y > 0.6:
                halved(y)
                return y * y
        y = y + halved(v)
    except Exception:
        return y * v
    return y * y * v


@below_and_above
def a_return_in_a_loop_behind_a_call_that_raises(x, n):
    y = x[0]
    try:
        for v in range(n):
            w = y * v
            if y > 0.5:
                if y > 0.6:
                    w = halved(y)
                    return w * y if v == 2 else y * x[1]
                elif y > 0.52:
                    y = y + 0.01
                    continue
            y = y + halved(w * x[1]) * 0.3
    except Exception:
        return y * x[1]
    return y * y


@below_and_above
def operands_that_raise(x, n):
    y = z = x[0]
    try:
        for v in range(n):
            y = (v > 1 and math.sqrt(0.5 - y)) or y + 0.1 * x[1]
            z = z + (y if v % 2 else math.log(0.75 - y))
            x[1], y = (y, z) if z > 0.0 else (math.asin(z * 0.3), y + 0.01)
        y = 3.0 * y
    except Exception:
        return y * z
    return y + z


@pytest.mark.parametrize("f, calls", program, ids=lambda x: getattr(x, "__name__", ""))
def test_each_path_keeps_what_it_has_not_bound(
    f: Callable[..., Any], calls: list[tuple[Any, ...]], monkeypatch: pytest.MonkeyPatch
) -> None:
    agrees_in_every_mode(f, calls)
    monkeypatch.setenv("SCT_VALIDATE", "0")
    agrees_in_every_mode(f, calls[::-1])


def test_no_path_of_the_loop_is_without_the_variable() -> None:
    derivative = value_and_grad(continues)
    derivative(*program[0][1][0])
    assert "None" not in derivative.source


class Vignetted(Exception):
    pass


def _through_two_loops(d):
    for s in (14.0, 15.0):
        for _ in range(2):
            if d > s:
                raise Vignetted
            g = np.ones(2)
        d = d * g[0] * d
    return d


def loops_of_a_callee(x, n):
    """The loops bind one name, in two copies of one statement, under a `try` in a loop."""
    t = 0.0
    for _ in range(n):
        try:
            t += _through_two_loops(x)
        except Vignetted:
            pass
    return t


@pytest.mark.parametrize(("x", "n"), [(0.3, 2), (20.0, 3), (14.5, 2), (2.0, 1)])
def test_a_name_that_a_loop_in_a_callee_binds_is_carried_once(x: float, n: int) -> None:
    value, slope = value_and_grad(loops_of_a_callee)(x, n)
    assert same_value(value, loops_of_a_callee(x, n))
    central = (loops_of_a_callee(x + 1e-6, n) - loops_of_a_callee(x - 1e-6, n)) / 2e-6
    assert slope == pytest.approx(central, rel=1e-6)
