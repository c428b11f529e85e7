"""Regular expressions of known strings: they are run when the program is compiled."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable

import numpy as np
import pytest
from oracle import agrees

from sct import check_grads, grad

SPEC = """
infect: S + I -> 2 I @ beta
recover: I -> R @ gamma
"""
NUMBER = re.compile(r"(?P<count>\d+)?\s*(?P<name>[A-Z]\w*)")


def side(text):
    counts = defaultdict(int)
    for part in text.split("+"):
        n, name = NUMBER.match(part.strip()).groups()
        counts[name] += int(n) if n else 1
    return dict(counts)


def reactions(y, beta, gamma):
    rates = {"beta": beta, "gamma": gamma}
    index = {"S": 0, "I": 1, "R": 2}
    dy = np.zeros(3)
    for line in SPEC.strip().split("\n"):
        _, equation, rate = re.split(r":|@", line)
        left, right = map(side, equation.split("->"))
        v = rates[rate.strip()]
        for name, n in left.items():
            v = v * y[index[name]] ** n
        for name, n in left.items():
            dy[index[name]] -= n * v
        for name, n in right.items():
            dy[index[name]] += n * v
    return np.sum(dy * np.array([1.0, 2.0, 5.0]))


def named(y, beta, gamma):
    match = NUMBER.search("...3 Fe2")
    if match is None or not match:
        return y[0]
    found = match.groupdict()
    return y[0] ** int(found["count"]) * beta + len(found["name"]) * gamma + match.start() + match.end("name") * y[1]


def listed(y, beta, gamma):
    total = 0.0
    for word in re.findall(r"[a-z]+", "beta gamma beta"):
        total += {"beta": beta, "gamma": gamma}[word] ** 2
    for match in re.finditer(r"(\d)(\w)?", "1a 2 3b"):
        if (letter := match[2]) is not None:
            total += y[int(match.group(1)) - 1] * len(letter)
    first = next(re.finditer("[xy]", "zxy"))
    return total * float(re.sub(r"[,;]", ".", "2;5")) + len(re.escape("a+b")) * y[0] + first.start() * y[1]


def flagged(y, beta, gamma):
    if re.fullmatch(r"ABC", "abc", re.IGNORECASE) and not re.match("b", "abc"):
        return y[0] * beta
    return gamma


def handled(y, beta, gamma):
    try:
        re.compile("(")
    except re.error:
        return y[2] * gamma
    return beta


def many(y, beta, gamma):
    text = " ".join(["12"] * 100)
    total = 0.0
    for match in re.finditer(r"\d+", text):
        total = total + beta * float(match.group()) * y[0]
    return total * gamma


@pytest.mark.filterwarnings("ignore:.*does not depend on")
@pytest.mark.parametrize("f", [reactions, named, listed, flagged, handled, many], ids=lambda f: f.__name__)
def test_program(f: Callable[..., float]) -> None:
    agrees(lambda y, beta, gamma: f(y, beta, gamma) + 0.0 * (np.sum(y) + beta * gamma),
           np.array([0.9, 0.2, 0.1]), 1.4, 0.3)


def test_nothing_of_them_is_left() -> None:
    derivative = grad(reactions, (0, 1, 2))
    derivative(np.array([0.9, 0.2, 0.1]), 1.4, 0.3)
    assert "re" not in re.findall(r"\w+", re.sub("#.*", "", derivative.source))


def test_another_pattern_outside() -> None:
    global NUMBER
    f = lambda y: named(y, 1.4, 0.3)
    derivative = grad(f)
    y = np.array([0.9, 0.2, 0.1])
    before = NUMBER
    assert derivative(y)[1] == 8.0
    try:
        NUMBER = re.compile(r"(?P<count>\d+)?\s*(?P<name>[A-Z])")
        assert derivative(y)[1] == 6.0
    finally:
        NUMBER = before


class Words:
    def __init__(self):
        self.number = re.compile(r"\d+")

    def total(self, x, text):
        return sum([x * int(w) for w in text.split() if self.number.fullmatch(w)])


def found(x, text):
    number = re.compile(r"(\d+)")
    return x * int(number.search(text)[1]) + x * x * int(number.search(text, 1)[1])


def one_after_the_other(x, text):
    number, total, at = re.compile(r"(\d+)"), 0.0, 0
    while True:
        m = number.search(text, at)
        if m is None:
            return total
        total, at = total * x + int(m[1]), m.end()


def with_flags(x, text):
    word, line = re.compile(r"[a-z_0]+", re.IGNORECASE), re.compile(r"^\d", re.MULTILINE)
    return x * len(word.sub("", text)) + x * x * len(line.findall(text))


def passed_on(x, text):
    def numbers(pattern):
        return [int(m.group()) for m in pattern.finditer(text)]

    find = re.compile(r"\d+").search
    return sum(x ** k * n for k, n in enumerate(numbers(re.compile(r"\d+")))) * int(find(text)[0])


def of_bytes(x, text):
    return x * len(re.compile(rb"\d").findall(text.encode()))


@pytest.mark.parametrize("text", ["12 3 Abc_0 4", "7 88\n1 x", "1 2"])
@pytest.mark.parametrize("f", [
    found, one_after_the_other, with_flags, passed_on, of_bytes, lambda x, text: Words().total(x, text)])
def test_a_regular_expression_that_the_function_makes(f, text):
    agrees(f, 1.5, text)
    check_grads(f, (1.5, text), order=2)
