"""Functions that call themselves and write attributes and items of what they are given: parsers, counters, memos."""

import heapq
from collections import namedtuple
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pytest
from oracle import agrees, agrees_in_second_order

from sct import hvp, value_and_grad

X = np.array([0.7, 1.3])


class Parser:
    def __init__(self, text, env):
        self.tokens, self.at, self.env = text.split(), 0, env

    def peek(self):
        return self.tokens[self.at] if self.at < len(self.tokens) else None

    def take(self):
        token = self.tokens[self.at]
        self.at += 1
        return token

    def total(self):
        v = self.product()
        while self.peek() in ("+", "-"):
            v = v + self.product() if self.take() == "+" else v - self.product()
        return v

    def product(self):
        v = self.atom()
        while self.peek() in ("*", "/"):
            op = self.take()
            w = self.atom()
            v = v * w if op == "*" else v / w
        return v

    def atom(self):
        token = self.take()
        if token == "(":
            v = self.total()
            if self.take() != ")":
                raise SyntaxError("expected )")
            return v
        return self.env[token] if token in self.env else float(token)


def parsed(x, text):
    return Parser(text, {"x": x[0], "y": x[1]}).total()


TEXTS = ["x + y", "x * ( y + 2 )", "( x + 2 ) * y - x / ( y + 1 )", "1", "( ( x ) )",
         "( 2 * x ) * ( y / ( x - 3 ) ) - ( x - ( y - x ) )"]


def test_a_parser_is_compiled_once_for_all_texts():
    derivative = value_and_grad(parsed)
    for text in TEXTS:
        agrees(parsed, X, text, derivative=derivative)
        agrees_in_second_order(parsed, X, text)
    for text in ("( x", "x + z", "x +"):
        agrees(parsed, X, text, derivative=derivative)
    assert len(derivative.sources) == 1


class Memo:
    def __init__(self, x):
        self.x, self.held, self.calls = x, {}, 0

    def value(self, n):
        self.calls += 1
        if n < 2:
            return self.x
        if n not in self.held:
            self.held[n] = self.value(n - 1) * 0.5 + self.value(n - 2) * self.x
        return self.held[n]


def test_a_memo_that_counts_its_calls():
    def f(x, n):
        memo = Memo(x[0] + x[1])
        return memo.value(n) * memo.calls + len(memo.held)

    derivative = value_and_grad(f)
    for n in (6, 1, 12):
        agrees(f, X, n, derivative=derivative)


@dataclass
class Totals:
    leaves: int = 0
    energy: float = 0.0
    deepest: int = 0
    at_end: bool = False
    centre: list = field(default_factory=lambda: [0.0, 0.0])


Split = namedtuple("Split", "low high")


def quadrature(g, a, b, totals, depth, tol):
    m = 0.5 * (a + b)
    coarse, fine = (b - a) * g(m), 0.5 * (b - a) * (g(0.5 * (a + m)) + g(0.5 * (m + b)))
    if abs(fine - coarse) < tol or depth > 8:
        totals.leaves += 1
        totals.energy += fine * fine
        totals.deepest = max(totals.deepest, depth)
        totals.centre[0] += m * fine
        totals.centre[1] = fine
        totals.at_end = b == 2.0
        return fine
    return quadrature(g, a, m, totals, depth + 1, tol) + quadrature(g, m, b, totals, depth + 1, tol)


def test_numbers_of_a_dataclass_and_items_of_a_list_in_it():
    def f(x, tol):
        totals = Totals()
        area = quadrature(lambda t: x[0] * t * t + np.sin(x[1] * t), 0.0, 2.0, totals, 0, tol)
        return area + totals.energy * totals.leaves + totals.deepest + totals.centre[0] * totals.centre[1] + (
            x[0] if totals.at_end else 0.0)

    derivative = value_and_grad(f)
    for tol in (1e-3, 1e-2, 10.0):
        agrees(f, X, tol, derivative=derivative)
    agrees_in_second_order(f, X, 1e-3)


def test_a_dict_of_known_keys_and_an_attribute_bound_to_an_array_or_a_tuple():
    class Walk:
        def __init__(self, x):
            self.state, self.last, self.where = x, None, (0.0, 0)

        def step(self, n, log):
            if n == 0:
                return np.sum(self.state)
            self.last = self.state
            self.state = np.sin(self.state) * log["gain"]
            self.where = (self.where[0] + self.state[0], n)
            log["gain"] = log["gain"] * 1.1
            log["steps"] += 1
            return self.step(n - 1, log) + self.state[0] * n

    def f(x, n):
        walk, log = Walk(x), {"gain": x[1], "steps": 0}
        total = walk.step(n, log)
        return total * log["gain"] + log["steps"] + walk.where[0] * walk.where[1] + np.sum(walk.state)

    derivative = value_and_grad(f)
    for n in (4, 1, 0):
        agrees(f, X, n, derivative=derivative)
    agrees_in_second_order(f, X, 3)


def test_an_attribute_bound_to_what_was_given_under_another_name():
    class Swap:
        def __init__(self, a, b):
            self.a, self.b = a, b

        def run(self, n):
            if n == 0:
                return
            self.a, self.b = self.b, self.a
            self.a[0] = self.a[0] * 2.0
            self.run(n - 1)

    def f(x, n):
        swap = Swap(x * 1.0, x * x)
        swap.run(n)
        return swap.a[0] * 3.0 + swap.b[0] * swap.b[1]

    for n in (0, 1, 2, 5):
        agrees(f, X, n)


def test_mutual_recursion_with_objects_passed_along():
    class Tally:
        def __init__(self):
            self.even, self.odd = 0.0, 0.0

    def even(n, x, tally):
        tally.even += x[0] * n
        return 1.0 if n == 0 else odd(n - 1, x, tally) * x[1]

    def odd(n, x, tally):
        tally.odd = tally.odd * x[1] + n
        return 0.0 if n == 0 else even(n - 1, x, tally) + tally.even

    def f(x, n):
        tally = Tally()
        y = even(n, x, tally)
        return y + tally.even * tally.odd

    derivative = value_and_grad(f)
    for n in (5, 2, 0):
        agrees(f, X, n, derivative=derivative)
    agrees_in_second_order(f, X, 5)


def test_the_writes_are_seen_between_calls_in_a_loop():
    class Budget:
        def __init__(self, left):
            self.left = left

        def spend(self, x, depth):
            if self.left <= 0:
                return 0.0
            self.left -= 1
            return x if depth == 0 else self.spend(x * 0.5, depth - 1) + self.spend(x * x, depth - 1)

    def f(x, left):
        budget, total = Budget(left), 0.0
        for k in range(4):
            total += budget.spend(x[0], k) * x[1] + budget.left
        return total

    for left in (40, 8):
        agrees(f, X, left)


def test_two_arguments_may_be_one_object():
    class Box:
        def __init__(self, v):
            self.v = v

    def double(a, b, n):
        if n == 0:
            return
        a.v = a.v * 2.0
        b.v = b.v + 1.0
        double(a, b, n - 1)

    def apart(x, n):
        a, b = Box(x[0]), Box(x[1])
        double(a, b, n)
        return a.v * b.v

    def same(x, n):
        a = Box(x[0])
        double(a, a, n)
        return a.v

    agrees(apart, X, 3)
    agrees(same, X, 3)


@pytest.mark.parametrize("n", [0, 1, 4])
def test_what_is_read_by_recursion_is_what_was_written_before_it(n):
    class Chain:
        scale = 1.0

        def __init__(self, x):
            self.x, self.product = x, 1.0

        def go(self, n):
            before = self.product
            self.product = self.product * self.x[0] + self.scale
            inner = self.go(n - 1) if n > 0 else self.x[1]
            after = self.product
            self.product = after + before * inner
            return inner * self.product

    agrees(lambda x, n: Chain(x).go(n), X, n)
    agrees_in_second_order(lambda x, n: Chain(x).go(n), X, n)


def test_closures_that_call_one_another_and_append_to_one_list():
    def f(x, n):
        log = []

        def even(k, a):
            log.append(a)
            return a if k == 0 else odd(k - 1, a * x[0])

        def odd(k, a):
            return a + 1.0 if k == 0 else even(k - 1, a + x[1])

        return even(n, x[0]) + sum(log) * len(log)

    derivative = value_and_grad(f)
    for n in (1, 0, 5, 4):
        agrees(f, X, n, derivative=derivative)
    assert len(derivative.sources) == 1
    agrees_in_second_order(f, X, 5)


@dataclass
class Cell:
    at: int
    axis: int
    lower: Any = None
    upper: Any = None


def planted(points, places, depth=0):
    if not places:
        return None
    axis = depth % points.shape[1]
    places = sorted(places, key=lambda i: points[i, axis])
    m = len(places) // 2
    return Cell(places[m], axis, planted(points, places[:m], depth + 1), planted(points, places[m + 1:], depth + 1))


class Neighbours:
    def __init__(self, points, values, k=3):
        self.points, self.values, self.k = points, values, k
        self.root = planted(points, list(range(len(points))))

    def nearest(self, q):
        heap = []

        def visit(cell):
            if cell is None:
                return
            item = (-((self.points[cell.at] - q) ** 2).sum(), cell.at)
            if len(heap) < self.k:
                heapq.heappush(heap, item)
            elif item > heap[0]:
                heapq.heapreplace(heap, item)
            gap = q[cell.axis] - self.points[cell.at, cell.axis]
            near, far = (cell.lower, cell.upper) if gap < 0 else (cell.upper, cell.lower)
            visit(near)
            if len(heap) < self.k or gap**2 < -heap[0][0]:
                visit(far)

        visit(self.root)
        return [(-d, i) for d, i in heap]


def interpolated(values, points, q):
    return sum(values[i] ** 2 * d for d, i in Neighbours(points, values).nearest(q))


def test_second_order_of_functions_that_one_branch_of_a_recursion_calls() -> None:
    points, values, q = np.random.default_rng(1).normal(size=(7, 2)), np.arange(7.0) + 1.0, np.full(2, 0.1)
    distances = ((points - q) ** 2).sum(axis=1)
    nearest = np.argsort(distances)[:3]
    product = np.zeros(7)
    product[nearest] = 2.0 * distances[nearest]
    assert hvp(interpolated, (values, points, q), (np.ones(7),)) == pytest.approx(product)
