"""Objects of the user's classes that derive from `list` and `dict`: they hold a list or a dict of their items."""

from __future__ import annotations

import copy
import math
from collections.abc import Callable, Iterator
from typing import Any, Generic, TypeVar

import numpy as np
import pytest
from oracle import agrees, agrees_in_second_order, refuses

from sct import grad, jvp, value_and_grad

T = TypeVar("T")


class Vec(list[T], Generic[T]):
    def __add__(self, other: Any) -> Any:
        return Vec(a + b for a, b in zip(self, other))

    def __mul__(self, k: Any) -> Any:
        return Vec([a * k for a in self])

    __rmul__ = __mul__

    def dot(self, other: Any) -> Any:
        return sum(a * b for a, b in zip(self, other))


class Stack(list[Any]):
    limit = 3

    def push(self, v: Any) -> None:
        self.append(v)
        if len(self) > self.limit:
            self.pop(0)

    def peek(self) -> Any:
        return self[-1]

    @property
    def empty(self) -> bool:
        return not self


class Path(list[Any]):
    """A list with an attribute, and with an `__init__` of its own."""

    def __init__(self, start: Any) -> None:
        super().__init__([start])
        self.cost: Any = 0.0

    def append(self, v: Any, cost: Any = 1.0) -> None:
        super().append(v)
        self.cost += cost


class Attributes(dict[str, Any]):
    def __getattr__(self, name: str) -> Any:
        return self[name]

    def __setattr__(self, name: str, value: Any) -> None:
        self[name] = value


class ByMethods(dict[str, Any]):
    __getattr__ = dict.__getitem__
    __setattr__ = dict.__setitem__  # type: ignore[assignment]


class Totals(dict[Any, Any]):
    def __missing__(self, key: Any) -> Any:
        self[key] = 0.0
        return 0.0

    def total(self) -> Any:
        return sum(self.values())


class Named(dict[Any, Any]):
    def __init__(self, name: str, **entries: Any) -> None:
        super().__init__(entries)
        self.name = name


class Unfilled(dict[Any, Any]):
    def __init__(self, k: int) -> None:
        self.k = k


def windows(x: Any, n: int) -> Any:
    s = Stack()
    for i in range(n):
        s.push(x * i)
    total = 0.0
    while not s.empty:
        total += s.peek() ** 2 * len(s)
        s.pop()
    return total


def vectors(x: Any, n: int) -> Any:
    v: Any = Vec([x * i for i in range(n)])
    w = v + v * 2.0
    for _ in range(n):
        w = w + 0.5 * v
    return w.dot(v) + sum(sorted(w)) + sum(reversed(v)) + sum(a * i for i, a in enumerate(v))


def numpy_reads_the_items(x: Any, n: int) -> Any:
    v: Any = Vec(x * i for i in range(n))
    return np.sum(np.array(v) ** 2) + np.dot(v, v) + np.sum(np.ones(n) * v)


def changed_in_place(x: Any, n: int) -> Any:
    v: Any = Vec([x * i for i in range(n + 2)])
    w = v
    w.append(x)
    v[0] = x * x
    v.extend((x, x))
    v += [x]
    w.insert(0, x)
    del v[1]
    return sum(w) + len(v) + (x if v is w else 0.0) + v[-1] * v[0] + sum(v[1:3]) + v.index(x) + v.count(x)


def with_plain_lists(x: Any, n: int) -> Any:
    s, xs = Stack([x] * n), [x * i for i in range(n)]
    return sum(s + xs) * x + sum(xs + s) + len(s * 2) + (x if s == [x] * n else 2.0 * x) + (x if s != xs else 0.0)


def copies(x: Any, n: int) -> Any:
    s = Stack([x * i for i in range(n)])
    t, u, v = copy.copy(s), copy.deepcopy(s), s.copy()
    t.push(x)
    u.append(1.0)
    v.append(x * x)
    return sum(s) + sum(t) * x + sum(u) + sum(v) + (type(t) is Stack) + (type(u) is Stack) + (type(v) is list)


def paths(x: Any, n: int) -> Any:
    best = None
    for i in range(n):
        path = Path(i)
        path.append(i + 1, x * i)
        path.append(i)
        if best is None or path.cost > best.cost:
            best = path
    return x if best is None else best.cost * len(best) + best[0]


def in_lists(x: Any, n: int) -> Any:
    stacks, rows = [Stack() for _ in range(3)], [Vec([x, x * i]) for i in range(n)]
    for i in range(n):
        stacks[i % 3].push(x * i)
    return sum(s.peek() if s else 0.0 for s in stacks) + sum(r.dot(r) for r in rows)


def in_recursion(x: Any, n: int) -> Any:
    def down(s: Stack, k: int) -> Any:
        if k == 0:
            return 0.0
        s.push(x * k)
        return s.peek() + down(s, k - 1)

    return down(Stack(), n)


def attributes(x: Any, n: int) -> Any:
    p, q = Attributes(a=x, b=2.0), ByMethods({"z": x})
    for _ in range(n):
        p.a = p.a + p.b
        p["b"] = p.b * 0.5
    q.y = q.z * q["z"]
    return p.a * len(p) + sum(v for k, v in p.items() if k != "c") + q.y + q.get("w", x) + sum({**p, **q}.values())


def keys_of_run_time(x: Any, n: int) -> Any:
    d, e, u = Totals(), Named("e", k=x), Unfilled(2)
    for i in range(n):
        d[i % 3] += x * i
        e[i % 4] = x * i
        u[i % u.k] = x + i
    return d.total() + d[7] + len(d) + sum(e.values()) * len(e.name) + sum(v * k for k, v in u.items())


def words(x: Any, n: int) -> Any:
    d = Totals()
    for w in "a b a c b a".split()[:n]:
        d[w] = d[w] * 0.5 + x
    return sum(d[k] * i for i, k in enumerate(d)) + len(dict(d)) + (x if "a" in d else 1.0) * len(d | {"k": 1.0})


class Scaled(list[Any]):
    """A list whose special methods are not those of a list."""

    def __iter__(self) -> Iterator[Any]:
        return (2.0 * v for v in super().__iter__())

    def __len__(self) -> int:
        return 2 * super().__len__()

    def __getitem__(self, i: Any) -> Any:
        return super().__getitem__(i) * 10.0

    def __contains__(self, v: Any) -> bool:
        return bool(v % 2 == 0)

    def __bool__(self) -> bool:
        return False


def special_methods(x: Any, n: int) -> Any:
    s = Scaled([x * i for i in range(n)])
    return sum(s) + len(s) + (s[-1] if len(s) else x) + (x if 4 in s else 0.0) + (x * x if s else 0.0) + sum(list(s))


class Ring(list[Any]):
    def __getitem__(self, i: Any) -> Any:
        return super().__getitem__(i % len(self))


def rings(x: Any, n: int) -> Any:
    r = Ring([x * i for i in range(n + 1)])
    return sum(r[i] for i in range(n + 4)) + sum(a * b for a, b in zip(r, reversed(r)))


def passed_on(x: Any, n: int) -> Any:
    def of(*args: Any, **named: Any) -> Any:
        return sum(args) + sum(named.values())

    return of(*Vec([x, x * x]), **Attributes(z=x)) + of(*[*Vec([x])]) + len(tuple(Stack([n]))) + math.sin(*Stack([x]))


PROGRAMS = [windows, vectors, numpy_reads_the_items, changed_in_place, with_plain_lists, copies, paths, in_lists,
            in_recursion, attributes, keys_of_run_time, words, special_methods, rings, passed_on]


@pytest.mark.parametrize("validate", ["0", "1"])
@pytest.mark.parametrize("f", PROGRAMS)
def test_subclasses_of_list_and_dict(f: Callable[..., Any], validate: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SCT_VALIDATE", validate)
    derivative = value_and_grad(f)
    for n in (3, 1, 6, 2, 0):
        agrees(f, 1.3, n, derivative=derivative)
        assert jvp(f, (1.3, n), (1.0,))[1] == pytest.approx(derivative(1.3, n)[1])
    agrees_in_second_order(f, 1.3, 4)


def test_the_code_is_that_of_lists() -> None:
    derivative = grad(windows)
    derivative(1.3, 3)
    assert "Stack" not in derivative.source and "s.append(v)" in derivative.source


def of_a_lacking_key(x: Any) -> Any:
    return Attributes(a=x).b


def of_a_lacking_attribute(x: Any) -> Any:
    return Stack([x]).push2


def beyond_its_end(x: Any) -> Any:
    return Stack([x])[1]


@pytest.mark.parametrize("f", [of_a_lacking_key, of_a_lacking_attribute, beyond_its_end])
def test_exceptions(f: Callable[..., Any]) -> None:
    agrees(f, 1.3)


class WithNew(list[Any]):
    def __new__(cls, *args: Any) -> Any:
        return super().__new__(cls)


class Itself(dict[str, Any]):
    def __init__(self, **entries: Any) -> None:
        super().__init__(entries)
        self.__dict__ = self


def as_a_result(x: Any) -> Any:
    return Stack([x])


def all_its_attributes(x: Any) -> Any:
    return vars(Path(x))["cost"]


def with_a_number_of_numpy(x: Any) -> Any:
    return (np.float64(2.0) * Vec([x]))[0]


def with_new(x: Any) -> Any:
    return x * len(WithNew([x]))


def its_own_attributes(x: Any) -> Any:
    return Itself(a=x).a


@pytest.mark.parametrize(("f", "code"), [
    (as_a_result, "SCT503"), (all_its_attributes, "SCT203"), (with_a_number_of_numpy, "SCT501"), (with_new, "SCT208"),
    (its_own_attributes, "SCT203")])
def test_what_is_refused(f: Callable[..., Any], code: str) -> None:
    refuses(f, 1.3, code=code)
