"""Functions that call themselves and keep what they have computed: memo dicts, caches, lists that they write."""

import functools
import math
from functools import cache, lru_cache

import numpy as np


def fibonacci_like(x, n):
    memo = {}

    def f(k):
        if k < 2:
            return x**k
        if k in memo:
            return memo[k]
        memo[k] = x * f(k - 1) + 0.5 * f(k - 2)
        return memo[k]

    return f(n)


def fibonacci_cached(x, n):
    @cache
    def f(k):
        if k < 2:
            return 1.0 + x * k
        return x * f(k - 1) + 0.5 * f(k - 2)

    return f(n)


def edit_distance(costs, s, t):
    @lru_cache(maxsize=None)
    def d(i, j):
        if i == 0:
            return j * costs[0]
        if j == 0:
            return i * costs[1]
        if s[i - 1] == t[j - 1]:
            return d(i - 1, j - 1)
        return min(d(i - 1, j) + costs[1], d(i, j - 1) + costs[0], d(i - 1, j - 1) + costs[2])

    return d(len(s), len(t))


def american_put(sigma, spot, strike, rate, n):
    dt = 1.0 / n
    up = math.exp(sigma * math.sqrt(dt))
    p = (math.exp(rate * dt) - 1 / up) / (up - 1 / up)
    memo = {}

    def value(i, j):
        if (i, j) in memo:
            return memo[(i, j)]
        s = spot * up ** (2 * j - i)
        if i == n:
            v = max(strike - s, 0.0)
        else:
            kept = math.exp(-rate * dt) * (p * value(i + 1, j + 1) + (1 - p) * value(i + 1, j))
            v = max(kept, strike - s)
        memo[(i, j)] = v
        return v

    return value(0, 0)


def memoize(function):
    table = {}

    @functools.wraps(function)
    def wrapper(*args):
        if args not in table:
            table[args] = function(*args)
        return table[args]

    return wrapper


def paths_in_a_lattice(x, n):
    @memoize
    def count(i, j):
        if i == 0 or j == 0:
            return 1.0
        return x * count(i - 1, j) + (1 - x) * count(i, j - 1)

    return count(n, n + 1)


class Recurrence:
    def __init__(self, p):
        self.p = p
        self.memo = {}

    def value(self, k):
        if k == 0:
            return 1.0
        if k not in self.memo:
            self.memo[k] = self.p * self.value(k - 1) + self.value(k // 2) * 0.1
        return self.memo[k]


def memo_of_an_object(x, n):
    return Recurrence(x).value(n)


def memo_as_an_argument(x, n):
    def f(k, memo):
        if k in memo:
            return memo[k]
        memo[k] = x * k + 1.0 if k < 2 else f(k - 1, memo) * x + 0.3 * f(k - 2, memo)
        return memo[k]

    memo = {}
    return f(n, memo) + sum(memo.values()) + len(memo)


def memo_with_a_start(x, n):
    memo = {0: 1.0, 1: x}

    def f(k):
        if k not in memo:
            memo[k] = f(k - 1) * x + 0.3 * f(k - 2)
        return memo[k]

    f(n)
    return sum(k * v for k, v in memo.items())


def two_that_call_each_other(x, n):
    memo = {}

    def even(k):
        if k == 0:
            return x
        if ("even", k) not in memo:
            memo["even", k] = odd(k - 1) + x
        return memo["even", k]

    def odd(k):
        if k == 0:
            return x * x
        if ("odd", k) not in memo:
            memo["odd", k] = even(k - 1) * 1.1
        return memo["odd", k]

    return even(n) + odd(n)


def memo_of_arrays(x, n):
    memo = {}

    def f(k):
        if k == 0:
            return np.ones(3) * x
        if k in memo:
            return memo[k]
        memo[k] = np.sin(f(k - 1)) + f(k // 2)
        return memo[k]

    return np.sum(f(n))


def chebyshev(x, n):
    @cache
    def basis(k):
        if k == 0:
            return np.ones(4)
        if k == 1:
            return x * np.arange(4.0)
        return 2 * x * basis(k - 1) - basis(k - 2)

    return np.sum(basis(n) * basis(3))


def memo_of_pairs(x, n):
    memo = {}

    def f(k):
        if k == 0:
            return (x, 1.0)
        if k in memo:
            return memo[k]
        a, b = f(k - 1)
        c, d = f(k // 2)
        memo[k] = (a + d * x, b * 0.5 + c)
        return memo[k]

    a, b = f(n)
    return a * b


def cached_in_a_loop(x, n):
    @lru_cache(maxsize=None)
    def f(k, m):
        if k < 2:
            return x * m
        return f(k - 1, m) * 0.5 + f(k - 2, m + 1) * x

    return sum(i * f(i, 1) for i in range(n))


def b_splines(c, n):
    knots = [0.1 * i for i in range(n + 5)]

    @cache
    def basis(i, p):
        if p == 0:
            return 1.0 if knots[i] <= 0.35 < knots[i + 1] else 0.0
        left = (c[0] - knots[i]) / (knots[i + p] - knots[i])
        right = (knots[i + p + 1] - c[1]) / (knots[i + p + 1] - knots[i + 1])
        return left * basis(i, p - 1) + right * basis(i + 1, p - 1)

    return sum(i * basis(i, 2) for i in range(n))


def knapsack(x, n):
    weights = [1 + i % 4 for i in range(n)]
    values = [x * (i % 5 + 1) for i in range(n)]

    @lru_cache(None)
    def best(i, room):
        if i == n:
            return 0.0
        without = best(i + 1, room)
        if weights[i] > room:
            return without
        return max(without, values[i] + best(i + 1, room - weights[i]))

    return best(0, 7)


def appended_to_a_list(x, n):
    out = []

    def step(k):
        if k == 0:
            out.append(x)
            return x
        v = step(k - 1) * 0.5 + out[-1] * x
        out.append(v)
        return v

    last = step(n)
    return last + sum(out) * len(out)


def bands(weights, s):
    memo = {}

    def match(i, j):
        if i >= j:
            return 1.0
        if (i, j) in memo:
            return memo[i, j]
        r = match(i + 1, j) * weights[0]
        for k in range(i + 1, j):
            if s[i] == s[k]:
                r += weights[1] * match(i + 1, k) * match(k + 1, j) * 0.1
        memo[i, j] = r
        return r

    return match(0, len(s))


def numbers_as_keys(x, n):
    total = {}
    for i in range(n):
        t = 0.25 * (i % 5)
        total[t] = total.get(t, 0.0) + x * i
    return sum(k * v * v for k, v in total.items())


def read_by_characters(table, text):
    at = {"a": 0, "b": 1, "c": 2}
    s = 1.0
    for i in range(len(text) - 1):
        s = s * 0.5 + table[at[text[i]], at[text[i + 1]]] * table[at[text[i - 1]], 0]
        if text[i : i + 2] == "ab":
            s = s * 1.1
    return s


INPUTS = {
    "fibonacci_like": lambda rng: (0.9, 9),
    "fibonacci_cached": lambda rng: (0.9, 9),
    "edit_distance": lambda rng: (np.array([1.0, 1.1, 1.57]), "kitten", "sitting"),
    "american_put": lambda rng: (0.3, 100.0, 105.0, 0.02, 6),
    "paths_in_a_lattice": lambda rng: (0.4, 5),
    "memo_of_an_object": lambda rng: (0.7, 9),
    "memo_as_an_argument": lambda rng: (0.7, 9),
    "memo_with_a_start": lambda rng: (0.7, 9),
    "two_that_call_each_other": lambda rng: (0.7, 7),
    "memo_of_arrays": lambda rng: (0.7, 9),
    "chebyshev": lambda rng: (0.7, 7),
    "memo_of_pairs": lambda rng: (0.7, 9),
    "cached_in_a_loop": lambda rng: (0.7, 8),
    "b_splines": lambda rng: (np.array([0.5, 0.2]), 7),
    "knapsack": lambda rng: (0.7, 6),
    "appended_to_a_list": lambda rng: (0.7, 6),
    "bands": lambda rng: (np.array([0.3, 0.6]), "abcababc"),
    "numbers_as_keys": lambda rng: (0.7, 12),
    "read_by_characters": lambda rng: (rng.normal(size=(3, 3)), "abcabbacab"),
}
