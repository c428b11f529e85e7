"""What a derivative reads from outside and a call changes that runs as it is: never the value from before the call."""

from __future__ import annotations

import array
import functools
import re
import types
from collections import defaultdict
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

from sct import SctError, value_and_grad


class Counter:
    """Counts, in an attribute of the class."""

    n = 0

    def __init__(self) -> None:
        Counter.n += 1


BOX = [0]
TABLE: dict[str, Any] = {"n": 0}
READ_ONLY = types.MappingProxyType(TABLE)
NUMBERS = np.zeros(3)
FIRST = NUMBERS[:1]
BYTES = array.array("d", [0.0])
COUNTER = Counter()
FILLED: dict[int, int] = {}


def bump(box: list[int]) -> int:
    """Changes what it is given."""
    box[0] += 1
    return 1


BUMP = functools.partial(bump, BOX)
SPACE = types.SimpleNamespace(tick=lambda: bump(BOX))
MADE: Any = defaultdict(lambda: bump(BOX))
PUT = FILLED.__setitem__


def in_class() -> int:
    """Changes an attribute of a class."""
    Counter.n += 1
    return 1


def in_table() -> int:
    """Changes a dict."""
    TABLE["n"] += 1
    return 1


def in_array() -> int:
    """Changes an array."""
    NUMBERS[0] += 1
    return 1


def made(k: int) -> int:
    """Makes the value of a missing key."""
    return int(MADE[k])


PROGRAMS: list[Callable[[float, int], float]] = [
    lambda x, k: x * in_class() + (COUNTER.n * x if k > 3 else 0.0),
    lambda x, k: x * in_class() + (getattr(COUNTER, "n") * x if k > 3 else 0.0),  # noqa: B009
    lambda x, k: x * BUMP() + (BOX[0] * x if k > 3 else 0.0),
    lambda x, k: x * SPACE.tick() + (BOX[0] * x if k > 3 else 0.0),
    lambda x, k: x * made(k) + (BOX[0] * x if k > 3 else 0.0),
    lambda x, k: x * in_table() + (READ_ONLY["n"] * x if k > 3 else 0.0),
    lambda x, k: x * in_array() + (FIRST[0] * x if k > 3 else 0.0),
]


@pytest.fixture(autouse=True)
def start() -> Iterator[None]:
    """Everything is as it was imported."""
    Counter.n, BOX[0], TABLE["n"], NUMBERS[0] = 0, 0, 0, 0.0
    MADE.clear()
    FILLED.clear()
    yield


@pytest.mark.parametrize("k", range(len(PROGRAMS)))
@pytest.mark.parametrize("validate", ["first", "0"])
def test_a_call_that_changes_what_is_read_is_refused(k: int, validate: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the branch is not taken at first, too; with the comparison with Python and without it."""
    monkeypatch.setenv("SCT_VALIDATE", validate)
    derivative = value_and_grad(PROGRAMS[k])
    for branch in (1, 5):
        with pytest.raises(SctError) as caught:
            derivative(1.5, branch)
            derivative(1.5, 5)
        assert caught.value.code in ("SCT302", "SCT601"), caught.value


def test_a_bound_method_of_a_list(monkeypatch: pytest.MonkeyPatch) -> None:
    """`append`, too."""
    rows: list[int] = []
    push = rows.append

    def f(x: float, k: int) -> float:
        push(k)
        return x * (len(rows) if k > 3 else 1)

    for validate in ("first", "0"):
        monkeypatch.setenv("SCT_VALIDATE", validate)
        derivative = value_and_grad(f)
        with pytest.raises(SctError):
            derivative(1.5, 1)
            derivative(1.5, 5)


def test_a_bound_method_that_writes(monkeypatch: pytest.MonkeyPatch) -> None:
    """`PUT(...)` writes into the dict that it is bound to."""
    def f(x: float) -> float:
        PUT(len(FILLED), 1)
        return x * len(FILLED)

    for validate in ("first", "0"):
        monkeypatch.setenv("SCT_VALIDATE", validate)
        with pytest.raises(SctError):
            value_and_grad(f)(1.5)


def test_what_views_of_dicts_and_arrays_hold_is_read_at_each_call() -> None:
    """A read-only view of a dict, and a view of memory, are no constants."""
    memory = memoryview(BYTES)
    derivative = value_and_grad(lambda x: x * READ_ONLY["n"] + x * memory[0])
    for n in range(3):
        TABLE["n"], BYTES[0] = n, 0.5 * n
        assert derivative(2.0) == (3.0 * n, 1.5 * n)


@functools.singledispatch
def dispatched(k: Any) -> int:
    """Counts its calls."""
    BOX[0] += 1
    return BOX[0]


def counted(k: int) -> int:
    """Counts, too."""
    BOX[0] += k
    return BOX[0]


def test_the_comparison_with_python_leaves_nothing_behind() -> None:
    """The first call counts once, although the function was compiled, observed and compared for it."""
    frozen = types.MappingProxyType({"n": BOX})

    def through_a_view(x: float) -> float:
        frozen["n"][0] += 1
        return x * frozen["n"][0]

    counts = map(counted, [1] * 20)

    def by_an_iterator(x: float) -> float:
        def tick() -> int:
            return next(counts)
        return x * tick()

    for f in (lambda x: x * dispatched(2), through_a_view, by_an_iterator):
        BOX[0] = 0
        derivative = value_and_grad(f)
        for n in (1, 2):
            try:
                assert derivative(1.5) == (1.5 * n, float(n)), f
            except SctError as refusal:
                assert refusal.code != "SCT601", refusal
                assert BOX[0] == 0
                break
            assert BOX[0] == n


class Meta(type):
    """A metaclass with a property."""

    @property
    def read(cls) -> int:
        """Counts its reads."""
        BOX[0] += 1
        return BOX[0]


class Measured(metaclass=Meta):
    """A class whose attribute `read` is computed."""


def test_a_property_of_a_metaclass_is_refused() -> None:
    """It is code that runs at each read; compilation does not run it."""
    with pytest.raises(SctError, match="a property of its metaclass"):
        value_and_grad(lambda x: x * Measured.read)(1.5)
    assert BOX[0] == 0


PATTERN = re.compile(r"a(\d)")


def test_a_method_of_an_object_of_a_library_is_compiled_once() -> None:
    """`PATTERN.match` is another object at each read, and the same method."""
    def f(x: float, text: str) -> float:
        match = PATTERN.match(text)
        return x * int(match.group(1)) if match else x

    derivative = value_and_grad(f)
    for text, slope in (("a3", 3.0), ("a4", 4.0), ("b", 1.0), ("a5", 5.0)):
        assert derivative(0.5, text) == (0.5 * slope, slope)
    assert len(derivative._specializations()) <= 2


FEW, MANY = np.ones(3), np.ones(5)
DATED = [("depot", 0.5), ("swap", 2.0), ("swap", 3.0), ("swap", 4.0), ("swap", 5.0)]


def test_arrays_of_several_sizes_and_columns_of_one_list_are_read_beside_a_call() -> None:
    """None of them changes, so nothing is refused."""
    def of_arrays(x: float) -> Any:
        return x * FEW.sum() * MANY.sum() * bump([0])

    def of_columns(x: float) -> float:
        total = 0.0
        for kind, years in DATED:
            total += bump([0]) * years * len(kind)
        return x * total

    assert value_and_grad(of_arrays)(2.0) == (30.0, 15.0)
    assert value_and_grad(of_columns)(2.0) == (of_columns(2.0), of_columns(1.0))


class Remembered:
    """Calls a function once for each argument, and counts its hits."""

    def __init__(self, function: Any) -> None:
        self.function = function
        self.reset()

    def reset(self) -> None:
        self.results: dict[int, int] = {}
        self.hits = 0
        self.last: Any = None

    def __call__(self, n: int) -> int:
        if n in self.results:
            self.hits += 1
        else:
            self.results[n] = self.function(n)
        self.last = n if n > 2 else None
        return self.results[n]


@Remembered
def factorial(n: int) -> int:
    return 1 if n < 2 else n * factorial(n - 1)


def test_an_object_that_runs_as_it_is_may_change_itself() -> None:
    def f(x: float, n: int) -> float:
        return sum(x ** i / factorial(i) for i in range(n)) * 1.0

    derivative = value_and_grad(f)
    for n in (4, 2, 6, 4, 7):
        states = []
        for call in (f, derivative):
            factorial.reset()
            value = call(1.2, n)
            states.append((value if call is f else value[0], dict(factorial.results), factorial.hits, factorial.last))
        assert states[0] == states[1]
    factorial.reset()


@pytest.mark.parametrize("read", [lambda: factorial.hits, lambda: len(factorial.results), lambda: factorial.last or 0])
def test_what_such_an_object_changes_is_not_read_besides(read: Any) -> None:
    def f(x: float, n: int) -> float:
        return sum(x ** i / factorial(i) for i in range(n)) * read()

    factorial.reset()
    with pytest.raises(SctError):
        value_and_grad(f)(1.2, 4)
    factorial.reset()
