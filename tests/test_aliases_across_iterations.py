"""Names that each iteration binds to another array or view, and writes where none of them is read any more; arrays that
a key of run time takes out of a container, and that are written."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from oracle import Programs, agrees_in_every_mode, refuses

program = Programs()
X, Y, Z = np.array([0.3, 0.7, -1.2, 0.5]), np.array([1.3, -0.7, 1.2, 0.9, 0.4]), np.array([0.6, 2.0, 0.1])
ROWS = (X,), (Y,), (Z,)
KEYS = (X, ["lo", "hi", "hi", "lo"]), (Y, ["hi"]), (Z, []), (X, ["hi", "lo", "lo"] * 4)


# -- names that a loop rebinds -----------------------------------------------------------------------------------------


@program(*ROWS)
def the_row_before(x: Any) -> Any:
    table, prev = np.outer(x, x), None
    for row in table:
        if prev is not None:
            row -= 0.3 * prev
        prev = row
    return np.sum(table ** 2)


@program(*ROWS)
def the_row_before_in_a_slice(x: Any) -> Any:
    table = np.outer(x, x)
    prev = table[0]
    for row in table[1:]:
        row += 0.5 * prev
        prev = row
    return np.sum(table ** 2)


@program(*((x, gain) for x in (X, Y, 4.0 * X) for gain in (0.4, 1.9)))
def the_row_before_that_may_be_none(x: Any, gain: float) -> Any:
    states, prev, lost = np.zeros((len(x), 2)), None, 0
    for i, z in enumerate(x):
        row = states[i]
        try:
            row[:] = prev + gain * (z - prev[0])
        except TypeError:
            row[:] = z
            lost += 1
        row[1] *= 0.5
        prev = row
        if abs(row[0]) > 3.0:
            break
    return states.sum() + lost * gain + states[i, 0]


@program(*ROWS)
def the_best_window(x: Any) -> Any:
    u = x * 1.0
    best = u[:2]
    for k in range(1, len(u) - 1):
        if u[k:k + 2].sum() > best.sum():
            best = u[k:k + 2]
    u[0] = 2.0 * best[1]
    return np.sum(u ** 2)


@program(*((x, n) for x in (X, Y) for n in (0, 1, 2, 5)))
def one_of_two_arrays_in_each_iteration(x: Any, n: int) -> Any:
    u, v = x * 1.0, x * 2.0
    z = u
    for _ in range(n):
        s = z.sum()
        u[1] = 0.1 * s
        z = v if s > 0.5 else u
    u[0] = 3.0 * x[1]  # `z` may be `u` or `v`, which are no aliases of one another
    return np.sum(u ** 2) + 3.0 * np.sum(v)


@program(*((x, n) for x in (X, Y) for n in (0, 1, 2, 5)))
def in_nested_loops(x: Any, n: int) -> Any:
    u, v = x * 1.0, x * 2.0
    z = u
    for i in range(n):
        for k in range(i):
            z = (v if k % 2 else u)[k % 2:]
        t = z[0]
        v[1] += 0.3 * t
        z = u[1:]
        u[0] = v[1] * z[0]
        z = u
    return np.sum(u * v)


@program(*((x, n) for x in (X, Y) for n in (3, 4, 5)))
def in_the_body_of_a_try(x: Any, n: int) -> Any:
    u = x * 1.0
    side = u[:2] if n > 3 else u[-2:]
    try:
        u[n] = side.sum()
        u[0] = 5.0 * x[1]
    except IndexError:
        u[0] = 3.0 * x[2]
    return np.sum(u ** 2)


# -- arrays that a key of run time takes out of a container ------------------------------------------------------------


@program(*KEYS)
def of_overlapping_views(x: Any, names: Any) -> Any:
    w = x * 2.0
    part = {"lo": w[:2], "hi": w[1:]}
    for name in names:
        part[name][:] *= 0.5
        w[0] += part[name].sum()
    return np.sum(w ** 2) + part["lo"][1]


@program(*KEYS)
def of_several_arrays(x: Any, names: Any) -> Any:
    w, z = x * 2.0, np.sin(x)
    part = {"lo": w, "hi": z}
    for name in names:
        part[name] *= 0.5
        part[name][1:] += w[0] * z[1]
    return np.sum(w ** 2) + 3.0 * z.sum()


@program(*KEYS)
def under_a_name(x: Any, names: Any) -> Any:
    w = x * 2.0
    part = {"lo": w[:2], "hi": w[1:]}
    for name in names:
        v = part[name]
        v *= 0.5
        n = 0
        while np.abs(v).sum() > 0.5 and n < 3:
            v *= 0.7
            n += 1
            if v[0] < -2.0:
                return w.sum() * x[0]
        v[n % len(v)] += v[1] * w[-1]
        v[1:] = v[1:] * v[0]
    return np.sum(w ** 2) + part["lo"][0]


@program(*KEYS)
def of_a_list_and_a_tuple(x: Any, names: Any) -> Any:
    w, z = x * 2.0, np.sin(x)
    rows, pair = [w, z, w[1:]], (z, w)
    for i in range(len(names)):
        rows[i % 3][1:] *= 0.5 + z[0]
        rows[-(i % 2)] -= 0.1
        r = pair[i % 2]
        r[0] = r[1] * pair[(i + 1) % 2][-1]
    return np.sum(w ** 2) + 3.0 * z.sum()


@program(*KEYS)
def of_pairs_of_views(x: Any, names: Any) -> Any:
    w = x * 2.0
    pairs = {"lo": (w[:2], w[2:]), "hi": (w[1:], w[:-1])}
    for name in names:
        a, b = pairs[name]
        a[0] += b.sum()
        b *= np.tanh(a[0])
    return np.sum(w ** 2)


def scaled(v: Any, by: Any) -> Any:
    v *= by
    return v.sum()


@program(*KEYS)
def in_functions_and_methods(x: Any, names: Any) -> Any:
    w, s = x * 2.0, 0.0
    part = {"lo": w[:2], "hi": w[1:]}
    for name in names:
        s += scaled(part[name], 0.5 + w[0])
        np.multiply(part[name], 0.9, out=part[name])
        part[name].sort()
        part[name][part[name].argmax()] -= 1.0
    return np.sum(w ** 2 * np.arange(len(w))) * s


@pytest.mark.parametrize("validate", ["0", "1"])
@pytest.mark.parametrize(("f", "calls"), program, ids=lambda each: getattr(each, "__name__", None))
def test_program(f: Callable[..., Any], calls: Any, validate: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SCT_VALIDATE", validate)
    agrees_in_every_mode(f, calls)


# -- what is refused -----------------------------------------------------------------------------------------------


def the_best_window_is_read_behind_the_write(x: Any) -> Any:
    u = x * 1.0
    best = u[:2]
    for k in range(1, len(u) - 1):
        if u[k:k + 2].sum() > best.sum():
            best = u[k:k + 2]
    u[0] = 2.0 * best[1]
    return np.sum(u ** 2) * best[0]


def a_path_to_a_break_reads_the_name(x: Any) -> Any:
    u = x * 1.0
    r = u[:2]
    for i in range(1, len(u) - 1):
        if u[i] > 1.0:
            u[0] = 5.0
            break
        r = u[i:i + 2]
    return r[0] * r[1]


@pytest.mark.parametrize(("f", "name"), [(the_best_window_is_read_behind_the_write, "best"),
                                         (a_path_to_a_break_reads_the_name, "r")])
def test_the_refusal_names_the_names_that_are_read_later(f: Callable[..., Any], name: str) -> None:
    assert f"`{name}` may be read later" in refuses(f, np.linspace(0.1, 2.0, 12), code="SCT301").why
