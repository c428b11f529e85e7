"""Control flow in emitted code reads as one writes it: bools, returns, exits; and traps, which stay as they are."""

from __future__ import annotations

import ast
import math
import textwrap
from collections.abc import Callable
from typing import Any

import pytest

from sct import grad
from sct.codegen.polish.tape_columns import simplify_tapes
from sct.codegen.program.statement_ir import Block, Evaluate, If, Loop, NewList, Pop, Push
from sct.codegen.python.common_statements import factor_branches, return_once
from sct.ir.core import Eqn, Lit, Value
from sct.ir.types import BOOL, FLOAT
from sct.ops import OPS


def derivative(function: Callable[..., Any], *args: Any) -> tuple[str, Any]:
    """The source of the gradient in the floats among the arguments, which is compared with differences."""
    argnums = tuple(k for k, x in enumerate(args) if isinstance(x, float))
    compiled = grad(function, argnums)
    gradient = compiled(*args)
    for k, d in zip(argnums, gradient):
        low, high = ([*args[:k], args[k] + step, *args[k + 1:]] for step in (-1e-6, 1e-6))
        assert d == pytest.approx((function(*high) - function(*low)) / 2e-6, rel=1e-5, abs=1e-7)
    return compiled.source, gradient


# -- bools ------------------------------------------------------------------------------------


def settled(x: float, n: int) -> float:
    converged = False
    k = 0
    while not converged and k < n:
        step = 0.5 * (x - 2.0 / x)
        x = x - step
        converged = abs(step) < 1e-3
        k += 1
    return x


def unless_negative(x: float, y: float, flag: bool) -> float:
    first = True if x < 0.0 else flag
    second = y > 0.0 if first else True
    third = y if second else False
    return x * y * (first + 2 * second) * third


def test_a_choice_between_a_bool_and_another_is_and_or_or() -> None:
    assert "while not converged and k < n:" in derivative(settled, 3.0, 9)[0]
    for flag in (False, True):
        for x in (-1.5, 1.5):
            for y in (-0.7, 0.7):
                text, _ = derivative(unless_negative, x, y, flag)
    assert "True if" not in text and "else True" not in text and "y if second else False" in text


# -- returns ----------------------------------------------------------------------------------

RETURNS = {
    "one branch": ("if c:\n    x = 1\n    return x\nreturn x", "if c:\n    x = 1\nreturn x"),
    "both": ("if c:\n    x = 1\n    return x\nelse:\n    return x\nreturn x", "if c:\n    x = 1\nreturn x"),
    "nested": ("if a:\n    if b:\n        x = 1\n        return 0\n    return x\nreturn x",
               "if a and b:\n    x = 1\n    return 0\nreturn x"),
    "only the negative": ("if a:\n    return x\nelse:\n    x = 1\nreturn x", "if not a:\n    x = 1\nreturn x"),
    "a test that may raise": ("if a[0]:\n    return x\nreturn x", "if a[0]:\n    pass\nreturn x"),
    "another value": ("if a:\n    x = 1\n    return y\nreturn x",) * 2,
    "a loop": ("for a in b:\n    return x\nreturn x",) * 2,
    "another statement between": ("if a:\n    return x\nx = 2\nreturn x",) * 2,
    "an exception": ("try:\n    return x\nexcept ValueError:\n    pass\nreturn x",) * 2,
}


@pytest.mark.parametrize("name", RETURNS)
def test_equal_returns_are_one(name: str) -> None:
    before, after = RETURNS[name]
    (function,) = ast.parse(f"def f():\n{textwrap.indent(before, '    ')}").body
    assert isinstance(function, ast.FunctionDef)
    assert ast.unparse(ast.Module(return_once(function.body), [])) == after


# -- tapes ------------------------------------------------------------------------------------


def fixed_point(p: float, q: float) -> float:
    for _ in range(100):
        new = q + 0.25 * p * p / (1.0 + p)
        if abs(new - p) < 1e-12:
            break
        p = new
    return p * q


def accepted_steps(y: float, k: float) -> float:
    t, h = 0.0, 0.4
    while t < 1.0:
        error = abs(h * h * k * y)
        if error > 0.05:
            h *= 0.5
        else:
            y += h * (k - y * y)
            t += h
            if error < 0.01:
                h *= 1.5
    return y


def partial_sum(x: float, n: int) -> float:
    term, total, k = 1.0, 0.0, 0
    while True:
        if not abs(term) > 1e-6:
            break
        total += term
        term = term * x / (k + 1)
        k += 1
        if k == n:
            break
    return total


@pytest.mark.parametrize(("function", "args"), [
    (fixed_point, (0.7, 0.9)), (accepted_steps, (2.0, 1.5)), (partial_sum, (0.8, 50)), (partial_sum, (0.8, 3)),
    (partial_sum, (0.0, 3))])
def test_an_iteration_without_a_derivative_is_not_on_the_tape(function: Callable[..., Any], args: Any) -> None:
    text, _ = derivative(function, *args)
    forward, backward = text.split("while tape:")
    assert "if" not in backward
    appended = forward.index("tape.append(")
    assert "break" in forward[:appended] or "else:" in forward[:appended]


def scaled_at_the_exit(x: float, n: int) -> float:  # the last iteration changes the derivative, too
    for k in range(n):
        if x > 3.0:
            x *= 0.5
            break
        x = x * 1.1 + 0.1 * x * x
    return x * x


def last_positive(x: float, n: int) -> float:  # an iteration that assigns a constant ends the derivative
    v = x
    for k in range(n):
        if k == 2:
            v = 0.5
        else:
            v = v * x
    return v


def weight_of_index(x: float, n: int) -> float:  # the number of an iteration is read
    total = 0.0
    for k in range(n):
        if math.sin(k * x) > 0.2:
            total += k * x * x
    return total


def both_ways(x: float, n: int) -> float:  # the predicate is a number as well
    total = 0.0
    for k in range(n):
        large = x > 1.5
        if not large:
            total += x * x
        x = x * 1.2 + 0.1 * large
        total += (1 - large) * x
    return total


def flagged_late(x: float, n: int) -> float:  # the flag changes between its negation and the loop's end
    done, total = False, 0.0
    for k in range(n):
        before = not done
        if x > 2.0:
            done = True
        x = x * 1.3
        if before:
            total += x * x
        if done:
            total += 3.0 * x * x
    return total


@pytest.mark.parametrize("function", [scaled_at_the_exit, last_positive, weight_of_index, both_ways, flagged_late])
@pytest.mark.parametrize("n", [0, 1, 4, 9])
def test_an_iteration_with_a_derivative_stays_on_the_tape(function: Callable[..., Any], n: int) -> None:
    derivative(function, 0.9, n)
    second = grad(grad(function))(0.9, n)
    low, high = (grad(function)(0.9 + step, n) for step in (-1e-6, 1e-6))
    assert second == pytest.approx((high - low) / 2e-6, rel=1e-4, abs=1e-6)


def backtracked(a: float, n: int) -> float:
    x = 1.0
    for _ in range(n):
        slope = 2.0 * x - a
        t, tiny = 1.0, False
        while (x - t * slope) ** 2 > 0.9 * x * x:
            t *= 0.5
            if t < 1e-3:
                tiny = True
                break
        if not tiny:
            x = x - t * slope * x
    return x


def test_a_predicate_is_appended_as_it_is_tested() -> None:
    text, _ = derivative(backtracked, 0.7, 3)
    assert "not_" not in text and "append((not" not in text and ", not" not in text


# -- variables that are bound where they are read ---------------------------------------------


def factorised(x: float, shift: float) -> float:
    for _ in range(6):
        try:
            root = math.sqrt(x + shift)
            break
        except ValueError:
            shift = 2.0 * shift
    else:
        raise ValueError("there is no root")
    return root * shift


def first_hit(x: float, v: float, n: int) -> float:
    for k in range(n):
        step = x + 0.1 * v
        if x < 1.0 <= step:
            part = (1.0 - x) / (step - x)
            return (k + part) * v
        x = step
    return x


@pytest.mark.parametrize(("function", "args"), [
    (factorised, (-1.0, 0.3)), (factorised, (1.0, 0.3)), (first_hit, (0.2, 1.5, 20)), (first_hit, (0.2, 1.5, 2))])
def test_a_variable_is_not_checked_where_every_path_binds_it(function: Callable[..., Any], args: Any) -> None:
    text, _ = derivative(function, *args)
    assert not any(part in text for part in ("UnboundLocalError", "= None", "ok = ", "\n        part\n"))


def test_an_exception_leaves_the_loop_as_in_python() -> None:
    compiled = grad(factorised)
    compiled(1.0, 0.3)
    with pytest.raises(ValueError, match="there is no root"):
        compiled(-1e9, 0.3)


def bound_if_there_is_an_iteration(x: float, n: int) -> float:
    done = False
    for k in range(n):
        y = x * x
        if y > 4.0:
            done = True
            break
        x = x + y
    if not done:
        return y
    return x * y


def bound_where_the_flag_is_not(x: float, n: int) -> float:
    done = False
    for k in range(n):
        if x > 4.0:
            y = x * x
            done = k > 2
            break
        x = x * 1.5
    return y if not done else 2.0 * y


def flag_that_is_reset(x: float, n: int) -> float:
    seen = False
    for k in range(n):
        if x > 1.0 and not seen:
            y = x * x
            seen = True
        if k == 3:
            seen = not seen
        x = x * 1.1
    if seen:
        return y * x
    return x


@pytest.mark.parametrize(("function", "x", "n"), [
    (bound_if_there_is_an_iteration, 1.0, 0), (bound_where_the_flag_is_not, 1.0, 0),
    (bound_where_the_flag_is_not, 1.0, 2), (flag_that_is_reset, 0.1, 5)])
def test_an_unbound_variable_raises_as_in_python(function: Callable[..., Any], x: float, n: int) -> None:
    derivative(function, 1.1, 9)
    with pytest.raises(UnboundLocalError) as expected:
        function(x, n)
    with pytest.raises(UnboundLocalError) as raised:
        grad(function)(x, n)
    assert str(raised.value) == str(expected.value)


def flags_of_two_loops(x: float, n: int) -> float:
    total = 0.0
    for i in range(n):
        for j in range(n):
            total += x * (i + j)
            if total > 6.0:
                break
        else:
            total += x * x
            continue
        total -= 0.5 * x
        break
    return total


@pytest.mark.parametrize("n", [0, 1, 3, 6])
def test_a_flag_is_not_copied(n: int) -> None:
    text, _ = derivative(flags_of_two_loops, 0.9, n)
    tree = ast.parse(text)
    copies = [s for s in ast.walk(tree) if isinstance(s, ast.If) and isinstance(s.test, ast.Name)
              and ast.unparse(s.body) in (f"{s.test.id} = True", f"{s.test.id} = False")]
    assert not copies


# -- choices between classes ------------------------------------------------------------------


class Call:
    def __init__(self, strike: float) -> None:
        self.strike = strike

    def payoff(self, price: float) -> float:
        return max(price - self.strike, 0.0)


class Put(Call):
    def payoff(self, price: float) -> float:
        return max(self.strike - price, 0.0)


class Smooth(Call):
    def payoff(self, price: float) -> float:
        return math.exp(price - self.strike) * self.scale()

    def scale(self) -> float:
        return 0.5


KINDS = {"call": Call, "put": Put, "smooth": Smooth, "also a call": Call}


def book(trades: list[tuple[str, float, float]], price: float) -> float:
    total = 0.0
    for kind, strike, quantity in trades:
        total += quantity * KINDS[kind](strike).payoff(price)
    return total


TRADES = [("call", 1.0, 2.0), ("put", 1.2, 1.0), ("smooth", 0.9, 3.0), ("also a call", 0.8, 1.0), ("put", 2.0, 0.5)]


def test_a_class_that_is_chosen_is_asked_for_once() -> None:
    text, _ = derivative(book, TRADES, 1.05)
    assert text.count('= "Call"') == text.count('= "Put"') == 2 and "payoff" not in "".join(
        line for line in text.splitlines() if "#" not in line)
    with pytest.raises(KeyError, match="forward"):
        grad(book, 1)([*TRADES, ("forward", 1.0, 1.0)], 1.05)


def modes(x: float, n: int) -> float:  # a mode that is another one later, and two that are alike
    mode, last = "up", "none"
    for k in range(n):
        name = "slow" if mode == "up" else "fast" if mode == "down" else "slow"
        mode = "down" if x > 1.5 else "still" if x > 1.2 else "up"
        if name == "slow":
            x = x * 1.3 + (0.1 * x * x if mode == "up" else 0.0)
        elif name == "fast":
            x = x * 0.6
        last = name
    return x * (2.0 if last == "fast" else 3.0 if last == "none" else 1.0)


@pytest.mark.parametrize("n", [0, 1, 2, 5, 8])
def test_a_choice_by_a_name_that_changes(n: int) -> None:
    derivative(modes, 0.9, n)


# -- branches ---------------------------------------------------------------------------------

BRANCHES = {
    "the end": ("if a:\n    x = 1\n    y = x\nelse:\n    x = 2\n    y = x",
                "if a:\n    x = 1\nelse:\n    x = 2\ny = x"),
    "all of one branch": ("if a:\n    y = x\nelse:\n    x = 2\n    y = x", "if not a:\n    x = 2\ny = x"),
    "the beginning": ("if a < 2:\n    x = y\n    z = 1\nelse:\n    x = y", "x = y\nif a < 2:\n    z = 1"),
    "three branches": ("if a:\n    x = 1\n    y = x\nelif b:\n    x = 2\n    y = x\nelse:\n    x = 3\n    y = x",
                       "if a:\n    x = 1\nelif b:\n    x = 2\nelse:\n    x = 3\ny = x"),
    "the predicate reads it": ("if x < 2:\n    x += 1\n    z = 1\nelse:\n    x += 1",) * 2,
    "the predicate reads an element": ("if x[0] < 2:\n    x[0] = y\n    z = 1\nelse:\n    x[0] = y",) * 2,
    "two of three branches": ("if a:\n    x = 1\nelif b:\n    x = 2\n    y = x\nelse:\n    x = 3\n    y = x",) * 2,
    "nothing else": ("if a:\n    x = 1\nelse:\n    x = 1", "x = 1"),
    "a predicate that may raise": ("if f(a):\n    x = 1\nelse:\n    x = 1",) * 2,
    "twice": ("if a:\n    x = y\n    x = y\n    z = z + y\n    z = z + y",
              "if a:\n    x = y\n    z = z + y\n    z = z + y"),
    "exits": ("for a in b:\n    if a:\n        x = 1\n        break\n    else:\n        x = 2\n        break",) * 2,
}


@pytest.mark.parametrize("name", BRANCHES)
def test_what_branches_share_is_there_once(name: str) -> None:
    before, after = BRANCHES[name]
    assert ast.unparse(ast.Module(factor_branches(ast.parse(before).body), [])) == after


# -- strings ----------------------------------------------------------------------------------


def replayed(x: float, words: list[str]) -> float:
    held: list[float] = []
    for word in words:
        if word == "undo" and held:
            x = held.pop()
        elif word in ("double", "again"):
            held.append(x)
            x = 2.0 * x
        elif word not in ("skip", "undo"):
            x = x * float(word) + len(word)
    return x


@pytest.mark.parametrize("last", ["undo", "skip", "3"])
def test_what_is_told_of_strings_is_asked_again(last: str) -> None:
    text, _ = derivative(replayed, 0.7, ["0.5", "double", "-2", "undo", "skip", "undo", "again", last])
    assert 'word == "undo" and len(held) > 0' in text
    assert "dx *= float(word)" in text and "for word in reversed(words):" in text
    assert "raise" not in text and "float_word" not in text


def test_a_number_in_a_string_that_shows_none_raises_as_in_python() -> None:
    with pytest.raises(ValueError, match="could not convert string to float: 'abc'"):
        grad(replayed)(0.7, ["0.5", "2", "3", "4", "abc"])


# -- tapes --------------------------------------------------------------------------------------


def test_conditionals_in_conditionals_on_what_is_the_same_in_all_items_are_decided() -> None:
    tape, total, read = (Value(FLOAT, name) for name in ("tape", "total", "read"))
    inner, outer = Value(BOOL), Value(BOOL)
    adds = Eqn(OPS["add"], (total, read), (Value(FLOAT),), {})
    block: Block = [
        NewList(tape),
        Loop([Push(tape, (Lit(True), Lit(True), total))], bounds=(Lit(0), Lit(3), Lit(1))),
        Loop([Pop(tape, (outer, inner, read), tape),
              If(outer, [If(inner, [Evaluate(adds, adds)], [])], [])], bounds=(Lit(0), Lit(3), Lit(1))),
    ]
    simplify_tapes(block)
    loop = block[-1]
    assert isinstance(loop, Loop)
    pop, addition = loop.body
    assert isinstance(pop, Pop) and pop.values == (read,) and isinstance(addition, Evaluate)


def chained(x: float, words: list[str]) -> float:
    negative = False
    for word in words:
        if word.isdigit() and x > 0.5:
            x = x * float(word)
        elif x > 9.0 and not negative:
            negative = word == "minus"
        elif word.startswith("z") or x < -4.0:
            negative = not negative
        elif len(word) > 1 and x > 0.2 or negative:
            x = -x * x
    return x


def exited(x: float, words: list[str]) -> float:
    for word in words:
        small = x < 3.0
        if small and word == "skip":
            continue
        if not small:
            large = x > 9.0
            if large:
                break
            if x > 5.0 and word != "last":
                x = 0.5 * x * x
    return x


def reset(x: float, words: list[str]) -> float:
    armed = False
    for word in words:
        if x < 2.0:
            armed = False
            x = x + 1.0
        elif not armed:
            armed = x < 4.0
            if armed and word != "b":
                x = x * x
        if armed:
            x = 1.1 * x
    return x


@pytest.mark.parametrize("function", [chained, exited, reset])
@pytest.mark.parametrize("x", [0.3, 0.7, 1.6, 2.5, 6.0, 11.0])
def test_a_test_that_another_implies_is_dropped(function: Callable[..., Any], x: float) -> None:
    text, _ = derivative(function, x, ["3", "minus", "zz", "ab", "skip", "b", "b", "4", "aa", "last", "x", "7"])
    if function is chained:
        assert "x, t, t1 = tape.pop()" in text and "elif t1:" in text and text.count("pop()") == 1


# -- loops ------------------------------------------------------------------------------------


def kept_items(x: float, n: int) -> float:
    s = 0.0
    for j in range(1, n):
        items = [i for i in range(j)]
        squares = [(x + i) ** 2 for i in items]
        while items:
            s += squares[items.pop()] * x
    return s


def handled(x: float, n: int) -> float:
    items = []
    try:
        for i in range(n):
            items.append(x / (2 - i))
    except ZeroDivisionError:
        pass
    return sum(items) * x


def equal_branches(x: float, n: int) -> float:
    s = 0.0
    for i in range(n):
        if x > 0.1 * i:
            s += x * 1.0
        else:
            s += x
    return s * s


def once(x: float, n: int) -> float:
    s = 0.5
    for _ in range(1):
        s += math.sin(s * x)
        for _ in range(n):
            s = s * x + math.cos(s)
    return s


def test_loops_that_append_are_comprehensions() -> None:
    source, _ = derivative(kept_items, 0.4, 4)
    assert "items = list(range(j))" in source
    source, _ = derivative(handled, 0.4, 5)
    assert "items.append(" in source


def test_branches_that_are_equal_are_one() -> None:
    source, _ = derivative(equal_branches, 0.4, 6)
    assert "if " not in source


def test_one_iteration_has_no_order() -> None:
    source, _ = derivative(once, 0.4, 3)
    assert "reversed(range(1))" not in source
