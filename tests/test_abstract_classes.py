"""Classes derived from those of `collections.abc`, and classes of the standard library that are written in Python."""

from __future__ import annotations

from collections import ChainMap, UserDict, UserList
from collections.abc import Callable, Container, Iterable, Mapping, MutableMapping, MutableSequence, Sequence, Sized
from typing import Any

import numpy as np
import pytest
from oracle import agrees, agrees_in_second_order

from sct import grad, value_and_grad

X = np.array([0.3, 0.7])


class Knots(Sequence):
    def __init__(self, t: Any) -> None:
        self._t = sorted(t)

    def __len__(self) -> int:
        return len(self._t)

    def __getitem__(self, i: Any) -> Any:
        return self._t[i]


class Vector(Sequence):
    def __init__(self, *v: Any) -> None:
        self.v = v

    def __len__(self) -> int:
        return len(self.v)

    def __getitem__(self, i: Any) -> Any:
        """The component at `i`."""
        return self.v[i]

    def __add__(self, other: Any) -> Any:
        return Vector(*[a + b for a, b in zip(self, other)])

    def dot(self, other: Any) -> Any:
        return sum(a * b for a, b in zip(self, other))


def sequence(x: Any, n: int) -> Any:
    knots = Knots([x[0] * 3.0, x[1], 2.0])
    total = sum(v ** 2 for v in knots) + len(knots) + sum(k * v for k, v in enumerate(reversed(knots)))
    v = w = Vector(x[0], 2.0, x[1] ** 2)
    for _ in range(n):
        w = w + v
    a, b, c = w
    return total + w.dot(v) + max(w) + a * b * c + np.sum(np.array(list(w)))


class Parameters(Mapping):
    def __init__(self, d: Any) -> None:
        self._d = dict(d)

    def __getitem__(self, key: Any) -> Any:
        return self._d[key]

    def __iter__(self) -> Any:
        return iter(self._d)

    def __len__(self) -> int:
        return len(self._d)


def mapping(x: Any, n: int) -> Any:
    p = Parameters({"a": x[0], "bc": x[1] ** 2})
    total = sum(p.values()) + ("c" in p) + sum(v ** 2 * len(k) for k, v in p.items())
    return p["a"] * p.get("bc", 1.0) * n + total + p.get("z", x[0]) * len(list(p.keys()))


class Settings(MutableMapping):
    def __init__(self, **entries: Any) -> None:
        self.d = dict(entries)

    def __getitem__(self, key: Any) -> Any:
        return self.d[key]

    def __setitem__(self, key: Any, v: Any) -> None:
        self.d[key] = v

    def __delitem__(self, key: Any) -> None:
        del self.d[key]

    def __iter__(self) -> Any:
        return iter(self.d)

    def __len__(self) -> int:
        return len(self.d)


class Polynomial(MutableSequence):
    def __init__(self, c: Any) -> None:
        self.c = list(c)

    def __getitem__(self, i: Any) -> Any:
        return self.c[i]

    def __setitem__(self, i: Any, v: Any) -> None:
        self.c[i] = v

    def __delitem__(self, i: Any) -> None:
        del self.c[i]

    def __len__(self) -> int:
        return len(self.c)

    def insert(self, i: int, v: Any) -> None:
        self.c.insert(i, v)


def mutable(x: Any, n: int) -> Any:
    c = Settings(a=x[0], b=2.0)
    c.update(b=x[1] ** 2)
    c.setdefault("z", x[0] * n)
    p = Polynomial([1.0, x[0]])
    p.append(x[1] ** 2)
    p.extend([x[0]])
    p[0] = x[1]
    return sum(c.values()) * c.pop("a") + sum(v * x[1] ** k for k, v in enumerate(p)) + p.pop()


class Tree(Iterable, Sized, Container):
    def __init__(self, v: Any, *children: Any) -> None:
        self.v, self.children = v, children

    def __iter__(self) -> Any:
        yield self.v
        for child in self.children:
            yield from child

    def __len__(self) -> int:
        return 1 + sum(map(len, self.children))

    def __contains__(self, v: Any) -> bool:
        return v == len(self)


class Registry(UserDict):
    def __missing__(self, key: Any) -> float:
        return 1.5


def of_the_standard_library(x: Any, n: int) -> Any:
    tree = Tree(x[0], Tree(2.0 * x[1]), Tree(3.0, Tree(x[0] * x[1])))
    settings = ChainMap({"r": 0.5}, {"r": 0.03, "g": 2.0 * x[0]})
    registry = Registry()
    registry["a"] = x[1]
    items = UserList([x[0], 1.0])
    items.append(x[1] ** 2)
    return sum(v ** 2 for v in tree) * len(tree) * (2.0 if 5 in tree else 3.0) + settings["r"] * settings["g"] \
        + registry["a"] * registry["b"] + sum(items) * (n if isinstance(tree, Iterable) else 0.5)


class Squares:
    def __init__(self, x: Any, n: int) -> None:
        self.x, self.n = x, n

    def __getitem__(self, i: int) -> Any:
        if i >= self.n:
            raise IndexError(i)
        return self.x * i + 1.0


def by_position(x: Any, n: int) -> Any:
    total = sum(v ** 2 for v in Squares(x[0], n))
    for v in Squares(x[1], 9 * n):
        if v > 4.4:
            break
        total += v ** 3
    return total


PROGRAMS = [sequence, mapping, mutable, of_the_standard_library, by_position]


@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
def test_program(f: Callable[..., Any], monkeypatch: pytest.MonkeyPatch) -> None:
    for validate in ("0", "1"):
        monkeypatch.setenv("SCT_VALIDATE", validate)
        for n in (2, 9):
            agrees(f, X, n)
    agrees_in_second_order(f, X, 3)


def test_objects_of_such_classes_are_arguments() -> None:
    assert grad(lambda v: v[0] ** 2 * v[1] + sum(v))(Vector(1.0, 2.0)).v == (5.0, 2.0)
    assert grad(lambda x, p: p["a"] * x ** 2 + sum(p.values()) * x)(3.0, Parameters({"a": 1.0, "b": 2.0})) == 9.0


def reads_through_a_chain(x: Any, table: Any) -> Any:
    v = table["a"]
    v[0] = 2.0
    return x * v[0] + table["a"][0]


def writes_what_an_object_holds(x: Any, n: int) -> Any:
    a = [1.0, 2.0]
    chain = ChainMap({"a": a})
    a.append(float(n))
    return x * len(chain["a"])


def appends_to_a_part(x: Any, d: Any) -> Any:
    q = d["q"]
    q.append(2)
    return x * len(q)


@pytest.mark.parametrize("f, argument, value, slope", [
    (reads_through_a_chain, ChainMap({"a": [1.0, 3.0]}), 5.0, 2.0), (writes_what_an_object_holds, 3, 4.5, 3.0),
    (appends_to_a_part, UserDict(q=[1]), 3.0, 2.0)], ids=lambda v: getattr(v, "__name__", ""))
def test_what_such_objects_hold_is_written_as_a_private_copy(f: Any, argument: Any, value: float, slope: float,
                                                             monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SCT_VALIDATE", "0")
    before = repr(argument)
    for _ in range(2):
        assert value_and_grad(f)(1.5, argument) == (value, slope)
        assert repr(argument) == before
