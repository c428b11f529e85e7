"""Arrays, lists and objects that a conditional chooses, and that are written behind it: `side = a if v < 0 else b`."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from oracle import Programs, agrees_in_every_mode, refuses

import sct

program = Programs()
CALLS = ([0.7], 6), ([1.3], 1), ([0.43], 9), ([0.2], 3), ([0.6], 0)


@program(*CALLS)
def of_lists(xs: Any, n: int) -> Any:
    (x,) = xs
    left, right = [], []
    for i in range(n):
        v = x * (i - 2)
        side = left if v < 0 else right
        side.append(v)
        side.append(2 * v)
    return sum(left) ** 2 + sum(right) + len(left)


@program(*CALLS)
def at_once(xs: Any, n: int) -> Any:
    (x,) = xs
    left, right = [], []
    for i in range(n):
        v = x * (i - 2)
        (left if v < 0 else right).append(v)
    return sum(left) ** 2 + sum(right)


@program(([0.7], ["buy", "sell", "buy"]), ([0.3], []), ([1.2], ["sell"] * 7))
def of_two_names(xs: Any, sides: Any) -> Any:
    (x,) = xs
    bid, ask = [x], [2.0 * x]
    for side in sides:
        a, b = (bid, ask) if side == "buy" else (ask, bid)
        a.append(x * len(b))
        if len(b) > 2:
            b.pop(0)
    return sum(bid) - 2.0 * sum(ask)


class Book:
    def __init__(self) -> None:
        self.bids: list[Any] = []
        self.asks: list[Any] = []

    def submit(self, side: str, price: Any, quantity: Any) -> Any:
        book, other = (self.bids, self.asks) if side == "buy" else (self.asks, self.bids)
        filled = 0.0
        while other and quantity > 0 and (other[0][0] <= price if side == "buy" else other[0][0] >= price):
            p, q = other[0]
            take = min(q, quantity)
            filled += take * p
            quantity -= take
            if take == q:
                other.pop(0)
            else:
                other[0] = (p, q - take)
        if quantity > 0:
            book.append((price, quantity))
            book.sort(key=lambda t: -t[0] if side == "buy" else t[0])
        return filled


@program(*CALLS)
def of_order_book(xs: Any, n: int) -> Any:
    (x,) = xs
    book, total = Book(), 0.0
    for i in range(n):
        total += book.submit("buy" if i % 2 else "sell", 10.0 + x * (1.0 if i % 2 else -1.0) * (i % 3), 1.0 + i % 4)
    return total + sum(p * q for p, q in book.bids) - sum(p * q for p, q in book.asks)


@program(*CALLS)
def of_arrays(xs: Any, n: int) -> Any:
    (x,) = xs
    a, b = np.zeros(3), np.zeros(3)
    for i in range(n):
        (a if i % 2 else b)[i % 3] += x * i
        (a if i % 3 else b)[0] -= x * x
    return np.sum(a * b) + np.sum(a)


@program(*CALLS)
def of_views(xs: Any, n: int) -> Any:
    (x,) = xs
    A = np.arange(6.0).reshape(2, 3) * x
    for i in range(n):
        if x * i > 1.5:
            part = A[0, 1:]
        elif i % 2:
            part = A[1, :2]
        else:
            part = A[1, 1:]
        part[0] += x
        if i == 4:
            continue
        part[-1] *= 0.9
        if i == 7:
            break
    return np.sum(A ** 2)


@program(*CALLS)
def of_halves(xs: Any, n: int) -> Any:
    (x,) = xs
    A = np.ones((3, 4)) * x
    part = A[:, :2] if x > 0.5 else A[:, 2:]
    part[0] = x * x
    part *= 2.0
    return np.sum(A ** 2) * n


class Account:
    def __init__(self) -> None:
        self.total: Any = 0.0
        self.items: list[Any] = []

    def add(self, v: Any) -> None:
        self.total += v
        self.items.append(v)


@program(*CALLS)
def of_objects(xs: Any, n: int) -> Any:
    (x,) = xs
    gains, losses = Account(), Account()
    for i in range(n):
        v = x * (i - 2)
        account = gains if v >= 0 else losses
        account.add(v)
        account.total += 0.5 * x
    return gains.total * 2 + losses.total ** 2 + sum(gains.items)


@program(*CALLS)
def of_a_match(xs: Any, n: int) -> Any:
    (x,) = xs
    gains, losses = Account(), Account()
    for i in range(n):
        match i % 3:
            case 0:
                account = gains
            case 1:
                account = losses
            case _:
                account = gains
        account.add(x * (i - 2))
    return gains.total * 2 + losses.total ** 2 + sum(gains.items)


@program(*CALLS)
def of_dicts(xs: Any, n: int) -> Any:
    (x,) = xs
    p, q = {"v": x}, {"v": 1.0}
    for i in range(n):
        (p if x * i > 1.0 else q)["v"] = 1.0
        d = p if i % 2 else q
        d["v"] = d["v"] * x + i
    return p["v"] + 2 * q["v"]


@program(*CALLS)
def of_queues(xs: Any, n: int) -> Any:
    (x,) = xs
    first, second = deque([x]), deque([1.0, x])
    total = 0.0
    for i in range(n):
        shorter = first if len(first) <= len(second) else second
        shorter.append(x * i)
        if i % 2:
            total += shorter.popleft()
    return total + sum(first)


def put(bucket: Any, v: Any) -> None:
    bucket.append(v)
    bucket.append(v * v)


@program(*CALLS)
def in_a_call(xs: Any, n: int) -> Any:
    (x,) = xs
    low, high = [], []
    for i in range(n):
        put(low if x * i < 1.0 else high, x * i)
    return sum(low) + 2 * sum(high)


@program(*CALLS)
def in_nested_loops(xs: Any, n: int) -> Any:
    (x,) = xs
    stack, other = [x], []
    for i in range(n):
        target = stack
        if i % 2:
            target = other
        for k in range(3):
            if k == i:
                break
            target.append(x * k)
        else:
            target.append(1.0)
    return sum(stack) ** 2 + sum(other)


@program(*CALLS)
def with_a_return(xs: Any, n: int) -> Any:
    (x,) = xs
    a, b = [1.0], [2.0]
    for i in range(n):
        t = a if i % 2 else b
        if i == 5:
            return sum(a) * x
        t.append(x * i)
        t[0] += x
    return sum(a) + 2 * sum(b)


@program(*CALLS)
def with_a_handler(xs: Any, n: int) -> Any:
    (x,) = xs
    w, g = np.array([x, 1.0, 2.0]), np.zeros(3)
    for i in range(n):
        target = w if i % 2 == 0 else g
        try:
            target[i] += x
        except IndexError:
            target[0] -= x
    return np.sum(w) + 2 * np.sum(g)


@program(*CALLS)
def of_the_best(xs: Any, n: int) -> Any:
    (x,) = xs
    best, best_cost = None, None
    A = np.ones((n + 1, 2)) * np.arange(1.0, n + 2)[:, None] * x
    for i in range(n + 1):
        cost = (A[i, 0] - 1.03) ** 2
        if best is None or cost < best_cost:
            best, best_cost = A[i].copy(), cost
        A[0] = A[0] * 0.9 + 0.1
    return np.sum(best ** 2) + np.sum(A)


@pytest.mark.parametrize("validate", ["0", "1"])
@pytest.mark.parametrize(("f", "calls"), program, ids=lambda each: getattr(each, "__name__", None))
def test_writes_behind_branches(f: Callable[..., Any], calls: Any, validate: str, monkeypatch: pytest.MonkeyPatch
                                ) -> None:
    monkeypatch.setenv("SCT_VALIDATE", validate)
    agrees_in_every_mode(f, calls)


def test_the_text_has_the_write_in_each_branch() -> None:
    derivative = sct.value_and_grad(at_once)
    derivative([0.7], 6)
    assert derivative.source.count("left.append(v)") == derivative.source.count("right.append(v)") == 1


# -- deques that learn late that they hold differentiated numbers ---------------------------------------------------


class Window:
    def __init__(self, size: int) -> None:
        self.items: Any = deque([0.0], maxlen=size)

    def add(self, v: Any) -> None:
        self.items.append(v)
        if len(self.items) > 3:
            self.items = deque([0.5], maxlen=4)

    def mean(self) -> Any:
        return sum(self.items) / len(self.items)


late = Programs()


@late(*CALLS)
def begun_again(xs: Any, n: int) -> Any:
    (x,) = xs
    window, total = Window(4), 0.0
    for i in range(n):
        window.add(x * i)
        total += window.mean()
    return total


@late(*CALLS)
def of_constants_first(xs: Any, n: int) -> Any:
    (x,) = xs
    window, total = Window(4), 0.0
    for i in range(n):
        window.add(float(i))
    for i in range(n):
        window.add(x * i)
        total += window.mean()
    return total


@late(*CALLS)
def made_on_one_path(xs: Any, n: int) -> Any:
    (x,) = xs
    items, total = deque(maxlen=3), 0.0
    for i in range(3):
        items.append(0.0)
    for i in range(n):
        if i == 2:
            items = deque([1.0], maxlen=3)
        items.append(x * i)
        total += sum(items)
    return total


@late(*CALLS)
def of_two_windows(xs: Any, n: int) -> Any:
    (x,) = xs
    a, b, total = Window(2), Window(3), 0.0
    for i in range(n):
        (a if i % 2 else b).add(x * i)
        total += a.mean() * b.mean()
    return total


@late(*CALLS)
def of_an_item(xs: Any, n: int) -> Any:
    (x,) = xs
    q = deque([1.0, 2.0])
    for i in range(n):
        q[0] += x
    return q[0] * x + q[1]


@pytest.mark.parametrize("validate", ["0", "1"])
@pytest.mark.parametrize(("f", "calls"), late, ids=lambda each: getattr(each, "__name__", None))
def test_deques_that_learn_late(f: Callable[..., Any], calls: Any, validate: str, monkeypatch: pytest.MonkeyPatch
                                ) -> None:
    monkeypatch.setenv("SCT_VALIDATE", validate)
    agrees_in_every_mode(f, calls)


# -- what is refused -----------------------------------------------------------------------------------------------


def from_an_iteration_before(x: Any) -> Any:
    a, b = [x[0]], [x[1]]
    current = a
    for v in x:
        current.append(v)
        current = b
    return sum(a) - 2.0 * sum(b)


def of_a_name_that_the_test_changes(x: Any) -> Any:
    a, b = [x[0]], [x[1]]
    t = 1.0
    for v in x:
        t += (a if (t := 2.0 * t) > 4.0 * v else b).pop() + len(a)
        a.append(v)
        b.append(v)
    return t


def test_what_another_iteration_chooses_is_refused() -> None:
    refuses(from_an_iteration_before, np.ones(5), code="SCT301")
    refuses(of_a_name_that_the_test_changes, np.ones(5), code="SCT301")
