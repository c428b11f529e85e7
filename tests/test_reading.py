"""Emitted code and the user's: comments, the line map, tracebacks, the debugger."""

import contextlib
import io
import math
import pdb
import traceback

import pytest
from oracle import agrees

from sct import grad, value_and_grad

FILE = __file__


def damped(x: float, n: int) -> float:
    v = x
    for _ in range(n):  # no comment for this
        v = math.sin(v) - 0.1 * v  # nor of this
    return v * v


DAMPED = """import math


def damped_grad(x, n):
    # x: float, n: int
    v = x
    tape = []
    for _ in range(n):
        tape.append(v)
        v = math.sin(v) - 0.1 * v
    # return v * v
    dv = 2.0 * v
    for _ in reversed(range(n)):
        v = tape.pop()
        # v = math.sin(v) - 0.1 * v
        dv *= math.cos(v) - 0.1
    return dv
"""


def long(x: float) -> float:
    y = math.sin(x) * math.sin(x + 1.0) * math.sin(x + 2.0) * math.sin(x + 3.0) * math.sin(x + 4.0)
    return y * y


def fails(x: float) -> float:
    y = x * x
    return math.log(y - 4.0)


def line_of(f, text):
    """The number of the line of this file in which `f` has `text`."""
    lines = open(FILE).read().splitlines()
    first = f.__code__.co_firstlineno
    return next(k for k, line in enumerate(lines[first - 1:], first) if text in line)


def emitted_line(d, text):
    return next(k for k, line in enumerate(d.source.splitlines(), 1) if text in line)


def test_the_user_s_line_is_named_above_what_differentiates_it():
    d = grad(damped)
    d(0.3, 3)
    assert d.source == DAMPED


def test_a_long_line_is_cut():
    d = grad(long)
    assert all(len(line) <= 88 for line in d.source.splitlines())
    assert "# y = math.sin(x) * math.sin(x + 1.0) * math.sin(x + 2.0) * math.sin(x ...\n" in d.source


def test_line_map():
    d = grad(damped)
    for _ in range(2):  # ahead of time, and of a call
        place = FILE, line_of(damped, "v = math.sin(v)")
        forward, backward = emitted_line(d, "v = math.sin(v)"), emitted_line(d, "dv *=")
        assert d.line_map.user[forward] == d.line_map.user[backward] == place
        assert d.line_map.emitted[place] == (forward, backward)
        assert d.line_map.user[emitted_line(d, "for _ in range")] == (FILE, line_of(damped, "for _ in range"))
        d(0.3, 3)


def test_traceback_shows_the_emitted_line():
    d = value_and_grad(fails)
    with pytest.raises(ValueError) as caught:
        d(1.0)
    shown = "".join(traceback.format_exception(caught.type, caught.value, caught.tb))
    assert "in fails_value_and_grad\n    " in shown
    assert "math.log(" in shown
    frame = traceback.extract_tb(caught.tb)[-1]
    assert d.line_map.user[frame.lineno] == (FILE, line_of(fails, "math.log"))


def test_debugger_steps_through_the_emitted_code():
    d = grad(damped)
    d(0.3, 3)
    commands, shown = io.StringIO("step\nuntil\nuntil\np n\nlist 1, 20\ncontinue\n"), io.StringIO()
    debugger = pdb.Pdb(stdin=commands, stdout=shown, nosigint=True, readrc=False)
    debugger.use_rawinput = False
    assert debugger.runcall(d._latest.run, 0.3, 3) == d(0.3, 3)
    text = shown.getvalue()
    assert "-> v = x" in text
    assert "(Pdb) 3" in text
    assert "dv *= math.cos(v) - 0.1" in text


def entries(x, d):
    total = 0.0
    for name in ("a", "b", "c"):
        with contextlib.suppress(KeyError, ZeroDivisionError):
            total += x
            total += x * x / d[name]
            total *= 1.5
    return total


def transfers(accounts, moves, fee):
    for source, target, amount in moves:
        if accounts[source] < amount:
            accounts[source] -= fee
            continue
        accounts[source] -= amount * (1.0 + fee)
        accounts[target] += amount
    return math.sqrt(sum(a**2 for a in accounts.values()))


def test_no_exception_is_made_that_nothing_reads():
    derivative = value_and_grad(entries)
    for d in ({"a": 2, "b": 4}, {"a": 0, "b": 4}, {"a": 2, "c": 0}):
        agrees(entries, 1.25, d, derivative=derivative)
        assert "KeyError(" not in derivative.source


def test_lengths_of_lists_of_known_items_are_numbers():
    derivative = value_and_grad(transfers)
    for moves in ([("x", "y", 0.5), ("y", "x", 1.0)], [("y", "x", 9.0), ("x", "y", 0.25)]):
        agrees(transfers, {"x": 1.0, "y": 2.0}, moves, 0.1, derivative=derivative)
        assert "len(" not in derivative.source and "[0.0] * 2" in derivative.source
