"""Arrays that Python holds while it evaluates something else, which binds their names to other arrays.

A loop holds what it runs over, a comprehension its iterable, an operator its left operand, a call its arguments.
Each program is called for several numbers of swaps, in two orders: the first call, which is compared with Python, need
not be the one that shows a fault.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from oracle import agrees, refuses

Program = Callable[..., Any]
EXACT: list[Program] = []
REFUSED: list[Program] = []
ORDERS = (3, 0, 1, 2), (0, 1, 3, 2)


def program(f: Program) -> Program:
    """Registers a program that is differentiated."""
    EXACT.append(f)
    return f


def refused(f: Program) -> Program:
    """Registers a program that is refused: it writes to what may be held."""
    REFUSED.append(f)
    return f


class Pair:
    """Two arrays that swap names."""

    def __init__(self, x: Any) -> None:
        self.u, self.v = x * 1, x * 2

    def swap(self, n: int) -> float:
        for _ in range(n):
            self.u, self.v = self.v, self.u
        return 1.5

    @property
    def swapped(self) -> float:
        return self.swap(3)

    def __add__(self, factor: Any) -> Any:
        self.swap(3)
        return self.u * factor


def swap_items(pair: list[Any], n: int) -> float:
    for _ in range(n):
        pair[0], pair[1] = pair[1], pair[0]
    return 1.5


def steps(u: Any, v: Any, n: int) -> Any:
    """Steps that swap their own names."""
    for _ in range(n):
        v[1:] = u[:-1] * 0.5
        u, v = v, u
    return u


# -- what a loop runs over ---------------------------------------------------------------------------------


@refused
def swapped_in_an_inner_loop(x: Any, n: int) -> Any:
    w, y = x * 1, x * 2
    for z in w:
        for _ in range(n):
            w, y = y, w
        y[2] = z * 2
    return np.sum(w)


@refused
def swapped_in_an_inner_while(x: Any, n: int) -> Any:
    w, y = x * 1, x * 2
    for z in w:
        k = 0
        while k < n:
            w, y = y, w
            k += 1
        y[2] = z * 2
    return np.sum(w)


@refused
def swapped_in_a_loop_over_the_same(x: Any, n: int) -> Any:
    w, y = x * 1, x * 2
    for z in w:
        for _ in w[:n]:
            w, y = y, w
        y[2] = z * 2
    return np.sum(w)


@refused
def enumerated(x: Any, n: int) -> Any:
    w, y = x * 1, x * 2
    for k, z in enumerate(w):
        for _ in range(n):
            w, y = y, w
        y[k - 1] = z * 2
    return np.sum(w)


@refused
def zipped(x: Any, n: int) -> Any:
    w, y, s = x * 1, x * 2, 0.0
    for a, z in zip(y, w):
        for _ in range(n):
            w, y = y, w
        y[2] = z * 2
        s = s + z * a
    return s + np.sum(w)


@refused
def a_slice(x: Any, n: int) -> Any:
    w, y = x * 1, x * 2
    for z in w[1:]:
        for _ in range(n):
            w, y = y, w
        y[2] = z * 2
    return np.sum(w)


@refused
def backwards(x: Any, n: int) -> Any:
    w, y = x * 1, x * 2
    for z in reversed(w):
        for _ in range(n):
            w, y = y, w
        y[1] = z * 2
    return np.sum(w)


@refused
def items_of_a_list_that_are_swapped(x: Any, n: int) -> Any:
    pair = [x * 1, x * 2]
    for z in pair[0]:
        swap_items(pair, n)
        pair[1][2] = z * 2
    return np.sum(pair[0])


@refused
def attributes_that_are_swapped(x: Any, n: int) -> Any:
    pair = Pair(x)
    for z in pair.u:
        pair.swap(n)
        pair.v[2] = z * 2
    return np.sum(pair.u)


@refused
def unrolled(x: Any, n: int) -> Any:
    w, y, s = x * 1, x * 2, 0.0
    for _, z in zip((1, 2, "a"), w):
        for _ in range(n):
            w, y = y, w
        y[2] = z * 2
        s = s + z
    return s + np.sum(w) * 3


@refused
def comprehension(x: Any, n: int) -> Any:
    pair = Pair(x)

    def swap_and_write(z: Any) -> Any:
        pair.swap(n)
        pair.v[2] = z * 2
        return z

    return sum([swap_and_write(z) for z in pair.u]) + np.sum(pair.u)


@refused
def generator(x: Any, n: int) -> Any:
    pair = Pair(x)

    def swap_and_write(z: Any) -> Any:
        pair.swap(n)
        pair.v[2] = z * 2
        return z

    return sum(swap_and_write(z) for z in pair.u) + np.sum(pair.u)


@program
def swapped_and_not_written(x: Any, n: int) -> Any:
    w, y, s = x * 1, x * 2, 0.0
    for z in w:
        for _ in range(n):
            w, y = y, w
        s = s + z * w[0]
    return s + np.sum(w)


@program
def written_after_the_loop(x: Any, n: int) -> Any:
    w, y, s = x * 1, x * 2, 0.0
    for _ in range(n):
        for z in w:
            w, y = y, w
            s = s + z
        y[2] = 5.0
    return s + np.sum(w) * 3


@program
def items_that_have_been_taken(x: Any, n: int) -> Any:
    s = 0.0
    for u in (x * 1, x * 2, x * 3):
        v = x * 4
        for _ in range(n):
            v[1:] = u[:-1] * 0.5
            u, v = v, u
        s = s + np.sum(u)
    return s


@program
def items_of_a_dict_that_have_been_taken(x: Any, n: int) -> Any:
    s = 0.0
    for u in {"a": x * 1, "b": x * 2}.values():
        v = x * 4
        for _ in range(n):
            v[1:] = u[:-1] * 0.5
            u, v = v, u
        s = s + np.sum(u)
    for k, u in enumerate(reversed([x * 1, x * 2])):
        v = x * 4
        if n > 1:
            v[1:] = u[:-1] * 0.5
            u, v = v, u
        v[0] = n
        s = s + np.sum(u) * k
    return s


@refused
def items_that_come_again(x: Any, n: int) -> Any:
    s, items = 0.0, {"a": x * 1, "b": x * 2}
    for _ in range(2):
        for u in items.values():
            v = x * 4
            for _ in range(n):
                v[1:] = u[:-1] * 0.5
                u, v = v, u
            s = s + np.sum(u)
    return s


@refused
def items_that_are_to_come(x: Any, n: int) -> Any:
    s, last = 0.0, x * 2
    for u in (x * 1, last):
        for _ in range(n):
            last, u = u, last
        last[0] = 5.0
        s = s + np.sum(u)
    return s


@program
def items_that_map_has_taken(x: Any, n: int) -> Any:
    def step(u: Any) -> Any:
        v = x * 4
        for _ in range(n):
            v[1:] = u[:-1] * 0.5
            u, v = v, u
        return u

    return sum(np.sum(u) for u in map(step, [x * 1, x * 2]))


@program
def items_of_a_comprehension(x: Any, n: int) -> Any:
    def step(u: Any) -> Any:
        v = x * 4
        for _ in range(n):
            v[1:] = u[:-1] * 0.5
            u, v = v, u
        return u

    a, b = [step(k * x) for k in [1.0, 2.0]]
    return np.sum(a) + 2 * np.sum(b)


@program
def folded(x: Any, n: int) -> Any:
    return np.sum(functools.reduce(functools.partial(steps, n=n), [x * 1, x * 3, x * 2]))


@refused
def folded_and_held(x: Any, n: int) -> Any:
    items = [x * 1, x * 3, x * 2]
    return np.sum(functools.reduce(functools.partial(steps, n=n), items)) + np.sum(items[0])


# -- operands and arguments -------------------------------------------------------------------------------


@program
def left_operand(x: Any, n: int) -> Any:
    w, y = x * 1, x * 2

    def swap() -> float:
        nonlocal w, y
        for _ in range(n):
            w, y = y, w
        return 1.5

    return np.sum(w * swap()) + np.sum(w)


@program
def operand_in_a_list(x: Any, n: int) -> Any:
    pair = [x * 1, x * 2]
    return np.sum(pair[0] * swap_items(pair, n))


@program
def operand_in_a_dict(x: Any, n: int) -> Any:
    pair = {"u": x * 1, "v": x * 2}

    def swap() -> float:
        for _ in range(n):
            pair["u"], pair["v"] = pair["v"], pair["u"]
        return 1.5

    return np.sum(pair["u"] * swap())


@program
def operand_in_an_object(x: Any, n: int) -> Any:
    pair = Pair(x)
    return np.sum(pair.u * pair.swap(n)) + 3 * np.sum(pair.u)


@program
def swapped_by_a_property(x: Any, n: int) -> Any:
    pair = Pair(x)
    return np.sum(pair.u * pair.swapped) + n * np.sum(pair.u)


@program
def swapped_by_an_operator(x: Any, n: int) -> Any:
    pair = Pair(x)
    return np.sum(pair.u * (pair + 2.0)) + n * np.sum(pair.u)


@program
def compared(x: Any, n: int) -> Any:
    pair = Pair(x)
    return np.sum(np.where(pair.u > pair.swap(n), x, 2 * x))


@program
def arguments(x: Any, n: int) -> Any:
    pair = Pair(x)

    def weighted(a: Any, b: Any, c: Any) -> Any:
        return np.sum(a) * b + 3 * np.sum(c)

    return weighted(pair.u, pair.swap(n), pair.u) + weighted(c=pair.u, b=pair.swap(n), a=pair.v)


@program
def spread_arguments(x: Any, n: int) -> Any:
    pair = [x * 1, x * 2]

    def weighted(a: Any, b: Any, c: Any) -> Any:
        return np.sum(a) + 3 * np.sum(b) * c

    return weighted(*pair, swap_items(pair, n))


@program
def argument_of_numpy(x: Any, n: int) -> Any:
    pair = Pair(x)
    return np.sum(np.multiply(pair.u, pair.swap(n))) + pair.u.dot(x * pair.swap(n))


@program
def displays(x: Any, n: int) -> Any:
    pair = Pair(x)
    a, _, b = [pair.u, pair.swap(n), pair.u]
    c, _, d = pair.u, pair.swap(n), pair.u
    items = {"e": pair.u, "f": pair.swap(n), "g": pair.u}
    return np.sum(a + 3 * b + 5 * c + 7 * d + 11 * items["e"] + 13 * items["g"])


@program
def targets(x: Any, n: int) -> Any:
    pair, items = Pair(x), [x, x]

    def place() -> int:
        pair.swap(n)
        return 0

    items[place()], b = pair.u, pair.u
    return np.sum(items[0]) + 3 * np.sum(b)


@program
def rows_of_generators(x: Any, n: int) -> Any:
    pair, s = Pair(x), 0.0
    for a, c in zip((pair.u for _ in range(2)), (pair.swap(n) for _ in range(2))):
        s = s + np.sum(a) * c
    return s


@refused
def augmented(x: Any, n: int) -> Any:
    w, y = x * 1, x * 2

    def swap() -> float:
        nonlocal w, y
        for _ in range(n):
            w, y = y, w
        return 1.5

    w += swap()
    return np.sum(w) + 3 * np.sum(y)


@refused
def augmented_item(x: Any, n: int) -> Any:
    pair = [x * 1, x * 2]
    pair[0] += swap_items(pair, n)
    return np.sum(pair[0]) + 3 * np.sum(pair[1])


@refused
def written_item(x: Any, n: int) -> Any:
    pair = [x * 1, x * 2]
    pair[0][int(swap_items(pair, n))] = 7.0
    return np.sum(pair[0]) + 3 * np.sum(pair[1])


@program
def written_after_a_branch(x: Any, n: int) -> Any:
    pair = Pair(x)

    def swap_and_write() -> float:
        if n > 1:
            pair.u, pair.v = pair.v, pair.u
        pair.u[0] = 5.0
        return 1.5

    return np.sum(pair.u * swap_and_write()) + np.sum(pair.v) * 3


@program
def bound_in_a_branch(x: Any, n: int) -> Any:
    w, y = x * 1, x * 2

    def bind_and_write() -> float:
        nonlocal w
        if n > 1:
            w = y
        w[0] = 5.0
        return 1.5

    return np.sum(w * bind_and_write()) + np.sum(y) * 3


@program
def calls_that_swap_their_own(x: Any, n: int) -> Any:
    total = x * 0.0
    for _ in range(2):
        total += steps(x * 1, x * 2, n)
    return np.sum(total * steps(x * 1, v=x * 2, n=n))


class Solved:
    """An object whose constructor and whose operators take steps."""

    def __init__(self, u: Any, v: Any, n: int) -> None:
        self.u, self.v, self.n = u, v, n
        for _ in range(n):
            self.v[1:] = self.u[:-1] * 0.5
            self.u, self.v = self.v, self.u

    def __call__(self, u: Any, v: Any) -> Any:
        for _ in range(self.n):
            v[1:] = u[:-1] * 0.5
            u, v = v, u
        return u

    def __add__(self, v: Any) -> Any:
        u = self.u
        for _ in range(self.n):
            v[1:] = u[:-1] * 0.5
            u, v = v, u
        return u


@program
def constructor_that_swaps_its_own(x: Any, n: int) -> Any:
    return np.sum(Solved(x * 1, x * 2, n).u)


@program
def object_that_is_called(x: Any, n: int) -> Any:
    solved = Solved(x * 1, x * 2, n)
    return np.sum(solved(x * 3, x * 2)) * np.sum(Solved(x * 1, x * 2, 0)(x * 1, x * 2))


@program
def operator_that_swaps_its_own(x: Any, n: int) -> Any:
    return np.sum(Solved(x * 1, x * 2, n) + x * 3)


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("f", EXACT, ids=lambda f: f.__name__)
def test_exact(f: Program, order: tuple[int, ...]) -> None:
    for n in order:
        agrees(f, np.array([1.0, 2.0, 3.1, 4.3]), n)


@pytest.mark.parametrize("f", REFUSED, ids=lambda f: f.__name__)
def test_refused(f: Program) -> None:
    refuses(f, np.array([1.0, 2.0, 3.1, 4.3]), 1, code="SCT301")
