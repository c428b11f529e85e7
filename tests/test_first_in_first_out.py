"""Lists and deques from whose front items are taken before the statement that appends one: lots, windows, work."""

from __future__ import annotations

from collections import defaultdict, deque, namedtuple
from collections.abc import Callable
from dataclasses import dataclass
from itertools import islice
from typing import Any

import numpy as np
import pytest
from oracle import Programs, agrees, agrees_in_every_mode

from sct import grad

PROGRAMS = program = Programs()
X = [1.07, 2.01, 1.53, 2.97, 0.71, 2.23]
MORE = [*X, 1.1, 1.94, 2.5]
NAMES, MORE_NAMES = list("abaaba"), list("cabbabacc")
QUANTITIES = [2.0, 1.0, 3.0, -4.0, -0.5, 1.0]
MORE_QUANTITIES = [1.0, 2.0, -1.5, 3.0, -2.0, -0.5, 2.5, -4.0, 1.0]


@program((X, [0, 1, 0, 0, 1, 0]), (MORE, [2, 2, 2, 0, 1, 2, 0, 1, 0]))
def lists_in_a_list(x: Any, places: list[int]) -> Any:
    queues: list[Any] = [[] for _ in range(3)]
    s = 0.0
    for k, v in zip(places, x):
        if len(queues[k]) > 1:
            s += queues[k].pop(0) * v
        queues[k].append(v)
    return s + sum(sum(q) for q in queues)


@program((X, [0, 1, 0, 0, 1, 0]), (MORE, [2, 2, 2, 0, 1, 2, 0, 1, 0]))
def deques_in_a_list(x: Any, places: list[int]) -> Any:
    queues: list[Any] = [deque() for _ in range(3)]
    s = 0.0
    for k, v in zip(places, x):
        while len(queues[k]) > 1:
            s += queues[k].popleft() * v
        queues[k].append(v * v)
    return s + len(queues[0])


@program((X, NAMES), (MORE, MORE_NAMES))
def deques_by_name(x: Any, names: list[str]) -> Any:
    queues: Any = defaultdict(deque)
    for name, v in zip(names, x):
        queues[name].append(v)
    s = 0.0
    for name, v in zip(names, x):
        s += queues[name].popleft() * v
        queues[name].append(s)
    return s + sum(len(q) * q[0] for q in queues.values())


@program((X, NAMES), (MORE, MORE_NAMES))
def bounded_deques_by_name(x: Any, names: list[str]) -> Any:
    latest: Any = {}
    s = 0.0
    for name, v in zip(names, x):
        if name not in latest:
            latest[name] = deque(maxlen=2)
        latest[name].append(v)
        s += sum(latest[name]) / len(latest[name])
    return s * latest["a"][0]


@program((X, NAMES), (MORE, MORE_NAMES))
def deques_by_setdefault(x: Any, names: list[str]) -> Any:
    queues: Any = {}
    s = 0.0
    for name, v in zip(names, x):
        queue = queues.setdefault(name, deque())
        while len(queue) > 1:
            s += v - queue.popleft() ** 2
        queue.append(v)
    return s


@program((X, NAMES, QUANTITIES), (MORE, MORE_NAMES, MORE_QUANTITIES))
def lots_by_name(x: Any, names: list[str], quantities: list[float]) -> Any:
    books: Any = defaultdict(deque)
    gain = 0.0
    for name, price, quantity in zip(names, x, quantities):
        if quantity > 0:
            books[name].append((quantity, price))
            continue
        left = -quantity
        while left > 0 and books[name]:
            lot, cost = books[name].popleft()
            sold = min(lot, left)
            gain += sold * (price - cost * cost)
            left -= sold
            if lot > sold:
                books[name].appendleft((lot - sold, cost))
    return gain


class Inventory:
    def __init__(self) -> None:
        self.lots: Any = defaultdict(deque)
        self.gain = 0.0

    def buy(self, name: str, quantity: float, price: Any) -> None:
        self.lots[name].append([quantity, price])

    def sell(self, name: str, quantity: float, price: Any) -> None:
        while quantity > 0 and self.lots[name]:
            lot = self.lots[name][0]
            sold = min(quantity, lot[0])
            self.gain += sold * (price - lot[1]) * price
            lot[0] -= sold
            quantity -= sold
            if lot[0] <= 0:
                self.lots[name].popleft()


@program((X, NAMES, QUANTITIES), (MORE, MORE_NAMES, MORE_QUANTITIES))
def lots_of_an_object(x: Any, names: list[str], quantities: list[float]) -> Any:
    inventory = Inventory()
    for name, price, quantity in zip(names, x, quantities):
        if quantity > 0:
            inventory.buy(name, quantity, price)
        else:
            inventory.sell(name, -quantity, price)
    return inventory.gain


Lot = namedtuple("Lot", "quantity cost")


@program((X, QUANTITIES), (MORE, MORE_QUANTITIES))
def lots_of_records(x: Any, quantities: list[float]) -> Any:
    lots: list[Lot] = []
    gain = 0.0
    for price, quantity in zip(x, quantities):
        left = -quantity
        while left > 0 and lots:
            lot = lots.pop(0)
            sold = min(lot.quantity, left)
            gain += sold * (price - lot.cost) * price
            left -= sold
            if lot.quantity > sold:
                lots.insert(0, Lot(lot.quantity - sold, lot.cost))
        if quantity > 0:
            lots.append(Lot(quantity, price))
    return gain


@dataclass
class Job:
    size: Any
    round: int


@program((X[:3], 2), (X, 3))
def work_of_records(x: Any, n: int) -> Any:
    queue = deque(Job(v, 0) for v in x)
    total = 0.0
    while queue:
        job = queue.popleft()
        total += job.size * job.size
        if job.round < n:
            queue.append(Job(job.size * 0.5, job.round + 1))
            if job.size > 1.5:
                queue.append(Job(job.size * 0.4, job.round + 1))
    return total


@program((X[:3], 2), (X, 3))
def round_robin(x: Any, n: int) -> Any:
    jobs = deque((k, x[k]) for k in range(len(x)))
    time, done = 0.0, 0.0
    while jobs:
        k, left = jobs.popleft()
        slice_ = min(left, 0.31 * n)
        time += slice_
        if left > 0.31 * n:
            jobs.append((k, left - slice_))
        else:
            done += time * time * (k + 1)
    return done


@program((X, 3), (MORE, 4), (X, 20))
def grown_and_sliced(x: Any, n: int) -> Any:
    grown = []
    for k, v in enumerate(x):
        if k < n:
            grown.append(v * k)
    s = sum(islice(grown, 2)) ** 2
    for a, b in zip(grown, islice(grown, 1, None)):
        s += a * b
    for v in islice(grown, 1, n, 2):
        s += v * v
    return s


@pytest.mark.parametrize(("f", "calls"), PROGRAMS, ids=lambda f: getattr(f, "__name__", ""))
def test_in_every_mode(f: Callable[..., Any], calls: list[tuple[Any, ...]]) -> None:
    agrees_in_every_mode(f, calls)


def item_too_early(x: Any, first: int) -> Any:
    queues: list[Any] = [[] for _ in range(2)]
    s = 0.0
    for k, v in enumerate(x):
        if k >= first:
            s += queues[k % 2][0] * v
        queues[k % 2].append(v)
    return s


def taken_too_early(x: Any, first: int) -> Any:
    queues: Any = defaultdict(deque)
    s = 0.0
    for k, v in enumerate(x):
        if k >= first:
            s += queues[k % 2][0] * v + queues[k % 2].popleft()
        queues[k % 2].append(v)
    return s


def never_filled(x: Any, first: int) -> Any:
    queues: list[Any] = [[] for _ in range(2)]
    s = 0.0
    for k, v in enumerate(x):
        s += v
        if k >= first:
            s += queues[k % 2].pop()
    return s


@pytest.mark.parametrize("f", [item_too_early, taken_too_early, never_filled])
@pytest.mark.parametrize("first", [0, 1, 2, 9])
def test_an_empty_list_raises_what_python_raises(f: Callable[..., Any], first: int) -> None:
    agrees(f, np.array(X), first)


def test_a_deque_of_what_is_not_differentiated_is_one_of_python() -> None:
    def f(x: float, n: int) -> float:
        waiting = deque(range(n))
        s = 0.0
        while waiting:
            s += x * waiting.popleft()
        return s

    derivative = grad(f)
    assert derivative(0.5, 4) == 6.0
    assert "deque" in derivative.source
