"""`match`: a pattern that does not match is one of which Python says so; what is not known is tested or refused."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import pytest
from oracle import agrees, refuses

from sct import SctError, grad, hessian, jvp, value_and_grad

Function = Callable[..., Any]


@dataclasses.dataclass
class Weight:
    v: float


def of_two_paths(x: Any, flag: Any) -> Any:
    y = 1 if flag else 2.5
    match y:
        case int():
            return x * x * 2
        case float():
            return x * 3
    return x * 5


def bound(x: Any, flag: Any) -> Any:
    y = 1 if flag else 2.5
    match (x, [y, 3], {"a": y}):
        case (float(), [int(v), w], {"a": int(u)}):
            return x * v * w * u
        case (float(), [float(v) as z, w], {"a": float(u)}) if z == v:
            return x * x * v * w * u
    return 7 * x


def with_a_value(x: Any, flag: Any) -> Any:
    y = 1 if flag else 2.5
    match y:
        case int(3) | float(1.5):
            return x
        case int(1) | float(2.5):
            return x * x
    return 7 * x


def in_a_function(x: Any, flag: Any) -> Any:
    y = 1 if flag else 2.5

    def g(v: Any) -> Any:
        match v:
            case int() as q:
                return q * x
            case float():
                return v * x * x

    return g(y) + g(2) + g(x)


def of_a_loop(x: Any, flag: Any) -> Any:
    w = 0
    for i in range(int(flag)):
        w += x / (i + 1)
    match w:
        case int(0):
            return x * 100
        case float():
            return w * w
    return -x


@pytest.mark.parametrize("f", [of_two_paths, bound, with_a_value, in_a_function, of_a_loop])
def test_the_class_of_a_number_that_depends_on_the_path(f: Function) -> None:
    first = value_and_grad(f)
    for flag in (True, False, True):
        agrees(f, 0.5, flag)
        agrees(f, 0.5, flag, derivative=first)
        slope = (f(0.5 + 1e-6, flag) - f(0.5 - 1e-6, flag)) / 2e-6
        assert jvp(f, (0.5, flag), (1.0, None))[1] == pytest.approx(slope, rel=1e-6)
        bend = (grad(f)(0.5 + 1e-5, flag) - grad(f)(0.5 - 1e-5, flag)) / 2e-5
        assert hessian(f)(0.5, flag) == pytest.approx(bend, rel=1e-6)


def items(x: Any, data: Any) -> Any:
    acc = x
    for c in data:
        match c:
            case int():
                acc += 10 * c * x
            case float(v):
                acc += v * x * x
            case _:
                acc -= 100.0
    return acc


def int_or_bool(x: Any, data: Any) -> Any:
    acc = x
    for c in data:
        match c:
            case int() | bool():
                acc += 10 * x
            case _:
                acc -= 100.0 * x * x
    return acc


def parts(x: Any, data: Any) -> Any:
    acc = x
    for c in data:
        match (c, 1.0), Weight(c), {"w": c}:
            case [int(), *r], Weight(v=int(v)), {"w": int()}:
                acc += len(r) * v * x
            case [float(), *r], Weight(float(v)), {"w": float(w)}:
                acc += len(r) * v * w * x * x
            case _:
                acc -= 100.0
    return acc


def of_json(x: Any, data: Any) -> Any:
    return items(x, json.loads(json.dumps(data)))


@pytest.mark.parametrize("f", [items, int_or_bool, parts])
def test_the_classes_of_items(f: Function) -> None:
    first = value_and_grad(f)
    for data in ([3, 2, 1.5, 4, 5], [3, 2.0], [1.0, 2.0, 3.0, 2.5, 1.5], [1, 2, 3, 4, 5], [True, 2.0, 0.5, 1.5, 2]):
        agrees(f, 0.5, data)
        agrees(f, 0.5, data, derivative=first)


@pytest.mark.parametrize("data", [[3, 2, 1.5, 4, 5], [3, 2.0]])
def test_the_classes_of_what_python_reads(data: Any) -> None:
    agrees(of_json, 0.5, data)


def test_a_slice_is_no_sequence() -> None:
    def of_a_slice(x: Any, i: Any) -> Any:
        match slice(i, i + 2):
            case [_, _, _, _]:
                return x
            case (_, _, _):
                return x * 2
            case slice():
                return x * x
        return 7 * x

    def its_class(x: Any, i: Any) -> Any:
        s = slice(i, i + 2)
        return x * (x if isinstance(s, tuple) else 3.0) * (s == slice(0, 2)) + x * bool(s)

    def its_items(x: Any, i: Any) -> Any:
        _first, *_ = slice(i, i + 2)
        return x

    def its_first(x: Any, i: Any) -> Any:
        return x * slice(i, i + 2)[1]

    for f in (of_a_slice, its_class, its_items, its_first):
        for i in (0, 1):
            agrees(f, 0.5, i)


def test_a_pattern_for_what_is_no_class() -> None:
    number = int | float

    def f(x: Any) -> Any:
        match x:
            case number():
                return x
        return 2 * x

    agrees(f, 0.5)


def test_a_number_that_may_be_none() -> None:
    def f(x: Any, n: Any) -> Any:
        best = None
        for i in range(n):
            best = x * i
        match best:
            case float():
                return best
        return -7.0 * x

    def g(x: Any, n: Any) -> Any:
        best = None
        for i in range(n):
            best = x * i
        match best:
            case 3:
                return x
            case [_, _]:
                return x
        return -7.0 * x

    def values(x: Any, n: Any) -> Any:
        best = None
        for i in range(n):
            best = x * i
        match best:
            case 3 | "a":
                return x
            case 1.0:
                return 3 * x
            case None:
                return 5 * x
        return 7 * x * x

    refuses(g, 0.5, 2, code="SCT504")
    for h in (f, values):
        first = value_and_grad(h)
        for n in (0, 1, 3):
            agrees(h, 0.6, n)
            agrees(h, 0.6, n, derivative=first)


def test_a_class_that_no_number_has() -> None:
    def f(x: Any, data: Any) -> Any:
        acc = x
        for c in data:
            match c:
                case str() | np.ndarray() | None:
                    acc += 1.0
                case complex():
                    acc -= 2.0
                case int() | float():
                    acc += c * x
        return acc

    agrees(f, 0.5, [1, 2.0, 3, 4.0, 5])


def test_a_text_of_run_time_is_a_string() -> None:
    kinds = ["a", "bb", "ccc"]

    def f(x: Any, n: Any) -> Any:
        total = 0.0
        for i in range(n):
            match kinds[i % 3]:
                case "a":
                    total += x
                case str(s):
                    total += x ** len(s)
        return total

    agrees(f, 1.5, 7)
    agrees(f, 1.5, 70)


class Pair:
    __match_args__: Any = ("a", "b")

    def __init__(self, a: Any, b: Any) -> None:
        self.a, self.b = a, b


class PairBelow(Pair):
    pass


@dataclasses.dataclass
class Generated:
    a: float
    b: float


class Tuple(NamedTuple):
    a: float
    b: float


OUTSIDE = PairBelow(2.0, 3.0)


def first_of_a_pair(x: Any) -> Any:
    match Pair(x, 3.0):
        case Pair(u):
            return u * x
        case Pair(a=u):
            return u
    return 2 * x


def an_attribute_twice(x: Any) -> Any:
    match Pair(x, 3.0):
        case Pair(u, a=v):
            return u * v
    return 2 * x


def inherited(x: Any) -> Any:
    match OUTSIDE:
        case PairBelow(u):
            return u * x
    return x


def in_a_choice_of_patterns(x: Any) -> Any:
    match [PairBelow(x, 2.0)]:
        case [PairBelow(2.0) | PairBelow(1.44)]:
            return x * 3.0
    return x


@pytest.mark.parametrize("f", [first_of_a_pair, an_attribute_twice, inherited, in_a_choice_of_patterns])
def test_attributes_of_positional_patterns_that_change(f: Function, monkeypatch: pytest.MonkeyPatch) -> None:
    derivative = value_and_grad(f)
    agrees(f, 1.2, derivative=derivative)
    for names in (("b", "a"), ("a",), ("c", "b"), ["a"], (1,), "ab", None, ("b", "a")):
        monkeypatch.setattr(Pair, "__match_args__", names)
        agrees(f, 1.2, derivative=derivative)
    monkeypatch.setattr(PairBelow, "__match_args__", ("a", "b"), raising=False)
    agrees(f, 1.2, derivative=derivative)
    monkeypatch.delattr(PairBelow, "__match_args__")
    agrees(f, 1.2, derivative=derivative)
    monkeypatch.delattr(Pair, "__match_args__")
    agrees(f, 1.2, derivative=derivative)


@pytest.mark.parametrize("cls", [Generated, Tuple])
def test_attributes_of_generated_classes_that_change(cls: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    def f(x: Any) -> Any:
        match cls(x, 2.0):
            case cls(u, v):
                return u * v * x + u

    derivative = value_and_grad(f)
    agrees(f, 1.2, derivative=derivative)
    monkeypatch.setattr(cls, "__match_args__", ("b", "a"))
    agrees(f, 1.2, derivative=derivative)


@pytest.mark.parametrize(("kind", "outside"), [(k, o) for k in (Sequence, Mapping) for o in (False, True)])
def test_a_class_that_is_registered_later(kind: Any, outside: bool) -> None:
    class Items:
        pass

    class Below(Items):
        def __len__(self) -> int:
            return 2

        def __getitem__(self, i: Any) -> Any:
            return 3.0

        def get(self, k: Any, default: Any = None) -> Any:
            return default

    items = Below()

    def f(x: Any) -> Any:
        match items if outside else Below():
            case [a, b]:
                return a * x + b * x * x
            case {}:
                return 7.0 * x
        return x

    derivative = value_and_grad(f)
    agrees(f, 1.2, derivative=derivative)
    kind.register(Items)
    with pytest.raises(SctError, match="SCT503"):
        derivative(1.2)


class Counted:
    def __init__(self, a: Any) -> None:
        self.value, self.n = a, 0

    @property
    def a(self) -> Any:
        self.n += 1
        return self.value * self.n

    @property
    def b(self) -> Any:
        return self.value * 2.0

    @property
    def c(self) -> Any:
        print("read")
        return self.value


def computed(x: Any) -> Any:
    match Counted(x):
        case Counted(b=u):
            return u * x
    return x


def by_values(x: Any) -> Any:
    of = Counted(2.0)
    match of:
        case Counted(a=5.0):
            return x * 5.0
        case Counted(a=4.0 | 3.0, c=2.0):
            return x * x * of.n
    return x * of.n * 7.0


def counted(x: Any) -> Any:
    of = Counted(x)
    match of:
        case Counted(a=u):
            return u * x * of.n
    return x


def told(x: Any) -> Any:
    match [Counted(x)]:
        case [Counted(c=u)]:
            return u * x
    return x


def test_attributes_of_patterns_that_code_computes() -> None:
    for f in (computed, by_values):
        agrees(f, 1.2)
    for f in (counted, told):
        refuses(f, 1.2, code="SCT503")
