"""Regular expressions of known strings: they are run when the program is compiled."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable

import numpy as np
import pytest
from oracle import agrees

from sct import grad

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
