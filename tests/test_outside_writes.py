"""Functions that run as they are, and write: to classes, globals, and what is passed to them.

Each program does what Python does, once, or is refused; nothing is changed by the runs that sct makes on copies.
"""

from __future__ import annotations

import array
import collections
import copy
import csv
import datetime
import functools
import io
import itertools
import json
import random
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pytest

from sct import SctError, grad, hvp, value_and_grad

Program = Callable[..., Any]


@pytest.fixture(params=("first", "0"), autouse=True)
def validate(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SCT_VALIDATE", request.param)


# -- the state of classes ----------------------------------------------------------------------------------------


class Store:
    """Has class state, of which `reset` makes it new."""

    count = 0
    made = 0
    cache: ClassVar[dict[float, float]] = {}
    log: ClassVar[list[float]] = []
    one: Any = None

    def __new__(cls) -> Any:
        Store.made += 1
        return object.__new__(cls)

    def __init__(self) -> None:
        Store.count += 1

    @classmethod
    def cached(cls, k: float) -> float:
        if k not in cls.cache:
            cls.cache[k] = 2.0 * k
        cls.log.append(k)
        return cls.cache[k]

    @classmethod
    def instance(cls) -> Any:
        if cls.one is None:
            cls.one = 3.0
        return cls.one


class Numbered:
    ids = itertools.count()

    @staticmethod
    def number() -> Any:
        return float(next(Numbered.ids))


class Slotted:
    __slots__ = ("n",)


class Ticker:
    slotted = Slotted()

    @classmethod
    def tick(cls) -> Any:
        cls.slotted.n += 1
        return 2.0


def reset() -> None:
    Store.count, Store.made, Store.one = 0, 0, None
    Store.cache, Store.log = {}, []
    Ticker.slotted.n = 0
    NUMBERS.clear()
    NUMBERS.update(n=0)
    HISTORY.clear()
    vars(counted_itself).pop("n", None)


def bump() -> Any:
    Store.count += 1
    return 2.0


def state() -> Any:
    return (Store.count, Store.made, Store.one, dict(Store.cache), list(Store.log), Ticker.slotted.n, dict(NUMBERS),
            list(HISTORY), counted_itself.__dict__.get("n"))


def counts(x):
    return x * bump()


def constructs(x):
    Store()
    return x * x


def caches(x):
    return x * Store.cached(2.0)


def has_one_instance(x):
    return x * Store.instance()


def ticks(x):
    return x * Ticker.tick()


def counted_itself() -> float:
    counted_itself.n = getattr(counted_itself, "n", 0) + 1  # type: ignore[attr-defined]
    return 2.0


def calls_a_function_that_counts(x):
    return x * counted_itself()


NUMBERS: dict[str, Any] = {"n": 0}
HISTORY: list[float] = []


def remember(k) -> float:
    try:
        return NUMBERS[k]
    except KeyError:
        NUMBERS[k] = 2.0
        HISTORY.append(2.0)
        return 2.0


def remembers(x):
    return x * remember("k")


@pytest.mark.parametrize("f", [
    counts, constructs, caches, has_one_instance, ticks, calls_a_function_that_counts, remembers])
def test_done_once_a_call(f: Program) -> None:
    reset()
    value = f(1.5)
    once = state()
    f(1.5)
    twice = state()
    reset()
    derivative = value_and_grad(f)
    assert derivative(1.5) == (value, 3.0 if f is constructs else value / 1.5)
    assert state() == once
    assert derivative(1.5)[0] == value
    assert state() == twice


def reads_a_counter(x):
    return x * bump() * Store.count


def step() -> int:
    try:
        NUMBERS["n"] += 1
    finally:
        pass
    return NUMBERS["n"]


def reads_a_global_dict(x):
    step()
    return x * NUMBERS["n"]


def push(v) -> int:
    try:
        HISTORY.append(v)
    finally:
        pass
    return 1


def reads_a_global_list(x):
    return x * push(1.0) * len(HISTORY)


TOTAL = 0


def total() -> int:
    global TOTAL
    try:
        TOTAL += 1
    finally:
        pass
    return TOTAL


def reads_a_global_number(x):
    total()
    return x * TOTAL


ARRAY = np.array([1.0, 2.0])


def grow() -> float:
    try:
        np.add(ARRAY, 1.0, out=ARRAY)
    finally:
        pass
    return 1.0


def reads_a_global_array(x):
    return x * grow() * ARRAY[0]


def pushes(n):
    HISTORY.append(n)
    yield 1.0


def sum_of_a_generator(n) -> float:
    return sum(pushes(n))


def reads_what_a_generator_writes(x):
    return x * sum_of_a_generator(3) * len(HISTORY)


def counter() -> Program:
    n = 0

    def increase() -> int:
        nonlocal n
        try:
            n += 1
        finally:
            pass
        return n

    def reads_a_variable_of_a_closure(x):
        increase()
        return x * n

    return reads_a_variable_of_a_closure


def numbers_of_a_class(x):
    return x * Numbered.number()


@pytest.mark.parametrize("f", [
    reads_a_counter, reads_a_global_dict, reads_a_global_list, reads_a_global_number, reads_a_global_array,
    reads_what_a_generator_writes, counter(), numbers_of_a_class], ids=lambda f: f.__name__)
def test_a_read_of_what_a_call_may_write_is_refused(f: Program) -> None:
    reset()
    before = state(), TOTAL, ARRAY.tolist()
    with pytest.raises(SctError):
        value_and_grad(f)(1.5)
    assert (state(), TOTAL, ARRAY.tolist()) == before


# -- arguments ---------------------------------------------------------------------------------------------------


def overwrite(a) -> float:
    try:
        a[0] = 7.0
    finally:
        pass
    return 1.0


def put(q) -> int:
    try:
        q.append(3)
    finally:
        pass
    return len(q)


def reads_an_overwritten_argument(x, a):
    return x * overwrite(a) * a[0]


def reads_what_is_put(x, q):
    return x * put(q) * len(q)


@pytest.mark.parametrize(("f", "argument"), [
    (reads_an_overwritten_argument, np.zeros(2)), (reads_an_overwritten_argument, [1.0, 2.0]),
    (reads_an_overwritten_argument, {0: 1.0}), (reads_what_is_put, collections.deque([1])),
    (reads_what_is_put, [1.0])], ids=lambda v: getattr(v, "__name__", ""))
def test_writes_to_arguments_are_made_in_copies_or_refused(f: Program, argument: Any) -> None:
    before = repr(argument)
    value = f(1.5, copy.deepcopy(argument))
    try:
        assert value_and_grad(f)(1.5, argument)[0] == value
    except SctError as refusal:
        assert refusal.code in ("SCT302", "SCT207", "SCT101")
    assert repr(argument) == before


def appends(x, q):
    q.append(2)
    return x * len(q)


@pytest.mark.parametrize(("f", "argument"), [
    (appends, collections.deque([1])), (appends, array.array("d", [1.0]))], ids=lambda v: getattr(v, "__name__", ""))
def test_methods_that_change_an_object_of_the_caller_are_refused(f: Program, argument: Any) -> None:
    before = repr(argument)
    for _ in range(2):
        with pytest.raises(SctError, match="SCT302"):
            value_and_grad(f)(1.5, argument)
        assert repr(argument) == before


def test_a_data_frame_of_the_caller_is_not_sorted() -> None:
    pandas = pytest.importorskip("pandas")

    def f(x, frame):
        frame.sort_values("a", inplace=True)
        return x * frame["a"].iloc[0]

    frame = pandas.DataFrame({"a": [2.0, 1.0]})
    with pytest.raises(SctError, match="SCT302"):
        value_and_grad(f)(1.5, frame)
    assert frame["a"].tolist() == [2.0, 1.0]


class Log:
    def __init__(self) -> None:
        self.lines: list[float] = []
        self.table: dict[str, float] = {}


LOG = Log()


def logs(x):
    LOG.lines.append(1.0)
    return x * len(LOG.lines)


def enters(x):
    LOG.table.update(q=2.0)
    return x * LOG.table["q"]


def adds_to_a_list_of_python(x):
    table = json.loads('{"w": [1.0]}')
    weights = table["w"]
    weights += [1.0]
    return x * len(table["w"])


def adds_to_a_counter(x):
    counts = collections.Counter("ab")
    same = counts
    same += collections.Counter("a")
    return x * counts["a"]


def sorts_dates(x):
    days = [datetime.date.fromisoformat(text) for text in "2001-01-02 2001-01-01".split()]
    days.sort()
    return x * days[0].day


@pytest.mark.parametrize(("f", "code"), [
    (logs, "SCT302"), (enters, "SCT302"), (adds_to_a_list_of_python, "SCT307"), (adds_to_a_counter, "SCT307"),
    (sorts_dates, "SCT503")])
def test_objects_that_other_names_hold(f: Program, code: str) -> None:
    with pytest.raises(SctError) as caught:
        value_and_grad(f)(1.5)
    assert caught.value.code == code
    assert vars(LOG) == {"lines": [], "table": {}}


def test_a_list_that_a_method_of_a_text_makes_is_changed() -> None:
    def f(x, text):
        words = text.split()
        words.append("q")
        return x * len(words)

    derivative = value_and_grad(f)
    for text in ("a b", "a", "a b c"):
        assert derivative(1.5, text) == (f(1.5, text), float(len(text.split()) + 1))


def test_an_object_that_refuses_to_be_copied() -> None:
    class Options(dict):  # type: ignore[type-arg]
        __getattr__ = dict.__getitem__

    with pytest.raises(SctError, match="SCT203"):
        value_and_grad(lambda x, options: x * options.a)(1.5, Options(a=2.0))


def read_only(a) -> float:
    total = 0.0
    try:
        total += float(a.sum())
    finally:
        pass
    return total


def test_reads_of_arguments_are_fine() -> None:
    assert value_and_grad(lambda x, a: x * read_only(a) * a[0])(1.5, np.array([2.0, 3.0])) == (15.0, 10.0)


# -- files in memory ---------------------------------------------------------------------------------------------


class Reader:
    def __init__(self, text: str) -> None:
        self.file = io.StringIO(text)


FILE = io.StringIO("abc")


def size(x, file):
    return x * len(file.read())


def size_of_an_item(x, files):
    return x * len(files["a"].read())


def size_of_an_attribute(x, reader):
    return x * len(reader.file.read())


def size_of_a_global(x, _):
    return x * len(FILE.read())


def rows(x, file):
    s = 0.0
    for row in csv.reader(file):
        s += x * float(row[0])
    return s


@pytest.mark.parametrize(("f", "make"), [
    (size, lambda: io.StringIO("abc")), (size, lambda: io.BytesIO(b"abc")),
    (size_of_an_item, lambda: {"a": io.StringIO("abc")}), (size_of_an_attribute, lambda: Reader("abc")),
    (size_of_a_global, lambda: FILE.seek(0)), (rows, lambda: io.StringIO("1\n2\n")),
])
def test_files_in_memory_are_read_once(f: Program, make: Callable[[], Any]) -> None:
    derivative = value_and_grad(f)
    for _ in range(2):
        assert derivative(1.5, make()) == (4.5, 3.0)


def test_files_are_not_read_by_trial_runs(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("1\n2\n")

    def first_row(x, file):
        return x * float(next(csv.reader(file))[0])

    with open(tmp_path / "a") as file:
        with pytest.raises(SctError):
            value_and_grad(first_row)(1.5, file)
        assert file.tell() == 0


# -- caches ------------------------------------------------------------------------------------------------------


class Cached:
    @staticmethod
    @functools.lru_cache
    def load(k: float) -> float:
        print("loading")
        return 2.0 * k


def test_a_cache_of_a_class_is_filled_by_the_derivative_alone(capsys: pytest.CaptureFixture[str]) -> None:
    Cached.load.cache_clear()
    derivative = value_and_grad(lambda x, k: x * Cached.load(k))
    assert derivative(1.5, 2.0) == (6.0, 4.0)
    assert (capsys.readouterr().out, Cached.load.cache_info().currsize) == ("loading\n", 1)
    assert derivative(2.5, 2.0) == (10.0, 4.0)
    assert capsys.readouterr().out == ""


# -- objects of libraries -----------------------------------------------------------------------------------------


SEEDS, DRAWS, PYTHON = np.random.SeedSequence(4), np.random.default_rng(3), random.Random(5)


def counts_before_and_after(x: float) -> Any:
    before = SEEDS.n_children_spawned
    child = SEEDS.spawn(1)[0]
    return x * before + x**2 * SEEDS.n_children_spawned * (child is not None)


def a_state_after_a_draw(x: float) -> Any:
    draw = DRAWS.normal()
    return x * draw + x**2 * (DRAWS.bit_generator.state["state"]["state"] % 1000)


@pytest.mark.parametrize("f", [counts_before_and_after, a_state_after_a_draw])
def test_an_attribute_of_an_object_that_a_method_may_change_is_refused(f: Program) -> None:
    with pytest.raises(SctError) as caught:
        value_and_grad(f)(1.5)
    assert caught.value.code == "SCT302"
    assert "which is read here too" in str(caught.value)


def a_copy_draws_the_same(x: float) -> Any:
    twin = copy.deepcopy(DRAWS)
    return x * DRAWS.normal() + x**2 * twin.normal()


def a_copy_of_a_generator_of_python(x: float) -> Any:
    twin = copy.deepcopy(PYTHON)
    return x * PYTHON.random() + x**2 * twin.random()


@pytest.mark.parametrize("f", [a_copy_draws_the_same, a_copy_of_a_generator_of_python])
def test_a_deep_copy_of_a_generator_is_another_one(f: Program) -> None:
    states = DRAWS.bit_generator.state, PYTHON.getstate()
    expected = f(1.5)
    DRAWS.bit_generator.state, _ = states[0], PYTHON.setstate(states[1])
    value, slope = value_and_grad(f)(1.5)
    assert value == expected
    draw = expected / (1.5 + 1.5**2)  # both are the same number
    assert abs(slope - draw * (1.0 + 2.0 * 1.5)) < 1e-12


def test_methods_of_what_does_not_change_write_nothing() -> None:
    def f(x: float, today: datetime.date = datetime.date(2024, 3, 15), share: Fraction = Fraction(1, 3)) -> float:
        days = (today.replace(month=today.month + 1) - today).days
        return x * x * days * float(share.limit_denominator(10) * share.numerator)

    assert grad(f)(1.3) == pytest.approx(2 * 1.3 * 31 / 3)
    assert hvp(f, (1.3,), (1.0,)) == pytest.approx(2 * 31 / 3)


# -- writes to classes, and to the class of an object -------------------------------------------------------------


class Square:
    factor = 2.0

    def of(self, x: Any) -> Any:
        return x * x


class Triple:
    factor = 3.0

    def of(self, x: Any) -> Any:
        return x * 3.0


class Derived(Square):
    pass


SHAPE, DERIVED = Square(), Derived()


def set_class(k: int) -> None:
    SHAPE.__class__ = Triple if k else Square


def set_class_by_name(k: int) -> None:
    name = "__class__"
    setattr(SHAPE, name, Triple if k else Square)


def set_class_of_a_default(k: int, shape: Any = SHAPE) -> None:
    shape.__class__ = Triple if k else Square


def set_class_in_a_loop(k: int) -> None:
    for shape in [SHAPE]:
        shape.__class__ = Triple if k else Square


def set_bases(k: int) -> None:
    Derived.__bases__ = (Triple,) if k else (Square,)


def set_attribute_of_the_class(k: int) -> None:
    Square.factor = 7.0 if k else 2.0


READS: dict[str, Callable[[Any], Any]] = {
    "a method": lambda x: SHAPE.of(x) * DERIVED.of(x),
    "an attribute": lambda x: SHAPE.factor * x * DERIVED.factor,
    "an attribute of the class": lambda x: Square.factor * Derived.factor * x * type(SHAPE).factor,
    "an instance": lambda x: x * isinstance(SHAPE, Square) * isinstance(DERIVED, Square),
    "a subclass": lambda x: x * issubclass(Derived, Square) * (type(SHAPE) is Square),
}


@pytest.mark.parametrize("write", [
    set_class, set_class_by_name, set_class_of_a_default, set_class_in_a_loop, set_bases, set_attribute_of_the_class])
@pytest.mark.parametrize("read", READS)
def test_what_a_call_writes_to_a_class_is_read_after_it_or_refused(write: Program, read: str) -> None:
    def f(x: float, k: int) -> Any:
        write(k)
        return READS[read](x)

    for k in (1, 0):
        write(0)
        value = f(1.5, k)
        write(0)
        try:
            assert value_and_grad(f)(1.5, k)[0] == value
        except SctError as refusal:
            assert refusal.code == "SCT302"
    write(0)
