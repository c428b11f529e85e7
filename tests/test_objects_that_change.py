"""The truth, the text and the equality of objects that Python keeps: they hold where the program asks for them."""

from __future__ import annotations

import array
from collections import Counter, deque
from collections.abc import Callable
from typing import Any

import pytest
from oracle import agrees, agrees_in_second_order

from sct import value_and_grad

PROGRAMS: list[Callable[..., Any]] = []


def program(f: Callable[..., Any]) -> Callable[..., Any]:
    PROGRAMS.append(f)
    return f


def filled(n: int, first: int = 0) -> Any:
    q: Any = deque()
    for i in range(first, n):
        q.append(i)
    return q


@program
def branches(x: float, n: int) -> Any:
    q: Any = deque()
    y = x
    if not q:
        q.append(n)
        y = y + 1.0
    if x > 1.0:
        if not q:
            y = 10.0 * x
    return y


@program
def taken_in_a_loop(x: float, n: int) -> Any:
    q = deque(range(n))
    total = 0.0
    for _ in range(2 * n):
        if q:
            total += x * x * q.popleft()
    return total


@program
def leaves_a_loop(x: float, n: int) -> Any:
    q: Any = deque()
    for i in range(n):
        q.append(i)
    total = 0.0
    while True:
        if not q:
            break
        total += x * x * q.popleft()
    return total + x


@program
def choices(x: float, n: int) -> Any:
    q = filled(n, 1)
    total = 0.0
    for k in range(n + 2):
        total += x * x * (q.popleft() if q else 0.5)
        total += x if q and k % 2 == 0 else x * x
    return total


@program
def two_queues(x: float, n: int) -> Any:
    near, far = filled(n), filled(3)
    total = x
    while near or far:
        if near:
            total = total * x + near.pop()
        else:
            far.pop()
            total = total * 0.5
    return total


class Worker:
    def __init__(self, n: int) -> None:
        self.todo = filled(n)

    def step(self, x: float) -> float:
        return x * x * self.todo.popleft() if self.todo else x


@program
def of_an_attribute(x: float, n: int) -> Any:
    worker = Worker(n)
    total = 0.0
    for _ in range(n + 3):
        total += worker.step(x)
    return total * (2.0 if worker.todo else 3.0)


@program
def counters(x: float, n: int) -> Any:
    counts: Counter[int] = Counter()
    total = 0.0
    for k in range(n):
        total += x * x if counts else x
        counts.update([k % 2])
    return total * (x if Counter() == counts else 1.0)


@program
def numbers_of_a_module(x: float, n: int) -> Any:
    kept = array.array("i")
    first = 1.0 if kept else 2.0
    kept.append(n)
    second = 1.0 if kept else 2.0
    return x * first + x * x * second


@program
def texts(x: float, n: int) -> Any:
    q: Any = deque()
    total = 0.0
    for k in range(n):
        total += x * x if f"{q}" == "deque([])" else x
        q.append(k)
    return total


@program
def equality(x: float, n: int) -> Any:
    q: Any = deque()
    before = q == deque()
    q.append(n)
    after = q == deque()
    return x * (2.0 if before else 3.0) * (5.0 if after else x) + (x if q != deque([1]) else 1.0)


@program
def in_a_try(x: float, n: int) -> Any:
    q: Any = deque()
    y = x
    try:
        if not q:
            raise ValueError(n)
    except ValueError:
        q.append(1)
        if x > 1.0:
            if not q:
                y = 10.0 * x
    return y * len(q)


@pytest.mark.parametrize("validated", ["1", "0"])
@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
def test_what_is_asked_holds_there(f: Callable[..., Any], validated: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SCT_VALIDATE", validated)
    for arguments in ([(0.7, 5), (1.5, 5), (1.5, 1)], [(1.5, 1), (0.7, 4)]):
        derivative = value_and_grad(f)
        for x, n in arguments:
            agrees(f, x, n, derivative=derivative)
        agrees_in_second_order(f, *arguments[0])


def test_a_test_asks_for_the_truth_itself() -> None:
    derivative = value_and_grad(leaves_a_loop)
    derivative(0.7, 3)
    assert "if not q:" in derivative.source
    assert "bool(" not in derivative.source


def tallied(x: Any, words: list[str]) -> Any:
    counts: Counter[Any] = Counter(words[0])
    counts[words[0][-1:]] += 1
    for k, word in enumerate(words):
        counts[word.upper() + "!"] += 2
        counts[len(word), k % 2] -= 1
    return x * x * counts["A!"] + x * sum(counts.values())


def test_a_key_that_is_computed_is_evaluated_once() -> None:
    derivative = value_and_grad(tallied)
    for words in (["ab", "a", "ca"], ["b"], ["a", "a", "abc", "a"]):
        agrees(tallied, 0.7, words, derivative=derivative)

    calls: list[str] = []

    def key(word: str) -> str:
        calls.append(word)
        return word

    def f(x: Any, words: list[str]) -> Any:
        counts: Counter[str] = Counter()
        for word in words:
            counts[key(word)] += 1
        return x * counts["a"]

    assert value_and_grad(f)(0.7, ["a", "b", "a"]) == (1.4, 2.0)
