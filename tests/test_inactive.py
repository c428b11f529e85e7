"""What is not differentiated runs as the user wrote it: calls of libraries, objects, iteration over them.

Each program does what Python does (`agrees`): its value bit for bit, its derivative against differences, its arguments
unchanged; the others are refused, and say so.
"""

from __future__ import annotations

import argparse
import collections
import csv
import datetime
import fractions
import io
import itertools
import json
import logging
import math
import random
import re
import statistics
import types
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from sct import SctError, grad, hessian, hvp, jvp, value_and_grad
from tests.oracle import agrees, same_value

Program = Callable[..., Any]
PROGRAMS: list[tuple[Program, tuple[Any, ...]]] = []
LOG = logging.getLogger(__name__)
WRITTEN: list[str] = []


def program(*args: Any) -> Callable[[Program], Program]:
    def register(f: Program) -> Program:
        PROGRAMS.append((f, args))
        return f

    return register


@program(1.3, 3)
def a_parameter_with_the_name_of_a_variable(x, n):
    data = [3, n, 1, 4, 1]
    return x * sorted(data[: n + 2], key=lambda data: -data)[0]


@program(1.3, 2)
def a_differentiated_number_in_a_comprehension(x, n):
    v = 1.0
    for _ in range(n):
        v = v * x
    return sorted([v + k for k in range(n)], key=lambda u: -u)[0]


@program(1.3, ["a", "bb", "a", "ccc"])
def counted_words(x, words):
    s = 0.0
    for word, n in sorted(collections.Counter(words).items()):
        s += n * x ** len(word)
    return s


@program(1.2, '{"coefficients": [1.5, 2.5, 3], "scaled": true}')
def configuration(x, text):
    options = json.loads(text)
    s = x
    for k in options["coefficients"]:
        s = s * x + k
    return s * 2.0 if options["scaled"] else s


@program(0.4, 7)
def monte_carlo(x, seed):
    rng = np.random.default_rng(seed)
    total = 0.0
    for _ in range(20):
        z = rng.standard_normal()
        total += max(math.exp(0.2 * z + x) - 1.1, 0.0) * rng.uniform()
    return total / 20.0


@program(np.array([0.3, 0.9]))
def drawn_arrays(x):
    rng = np.random.default_rng(3)
    noise = rng.normal(size=(4, 2))
    order = rng.permutation(4)
    return np.sum((noise[order] @ x) ** 2) * rng.integers(1, 3)


GENERATOR = np.random.RandomState(2)


@program(np.array([1.3, 0.4, 0.2]), 3)
def draws_of_the_shape_of_an_array(x, seed):
    GENERATOR.seed(seed)
    noise = GENERATOR.normal(0.0, 0.1, x.shape) * GENERATOR.standard_normal((2, len(x)))
    return np.sum((noise + x) ** 2)


@program(np.array([1.3, 0.4]), 3)
def draws_are_arrays_of_the_function(x, seed):
    rng, legacy = np.random.default_rng(seed), np.random.RandomState(seed)
    noise, order = rng.normal(size=(4, 2)), legacy.permutation(4)
    noise *= 0.5
    noise[order[0]] = x
    order[0] = 2
    return np.sum((noise[order] @ x) ** 2)


@program(0.5)
def python_generator(x):
    rng = random.Random(5)
    return sum(math.sin(x * v) for v in [rng.random() for _ in range(6)]) * rng.choice([2.0, 3.0])


@program(1.3, "key=3")
def parsed_by_a_pattern(x, text):
    match = re.match(r"(\w+)=(\d+)", text)
    if match is None:
        return x
    return x ** int(match.group(2)) * len(match.group(1))


@program(1.3, "no number")
def not_parsed_by_a_pattern(x, text):
    match = re.match(r"(\w+)=(\d+)", text)
    if match is None:
        return x * 2.0
    return x ** int(match.group(2))


@program(0.04, [datetime.date(2021, 1, 5), datetime.date(2021, 7, 1), datetime.date(2022, 1, 5)])
def discounted_by_dates(rate, dates):
    start = min(dates)
    return sum(100.0 / (1.0 + rate) ** ((day - start).days / 365.0) for day in dates)


class Sensor:
    def __init__(self, seed: int) -> None:
        self.rng = np.random.default_rng(seed)
        self.readings = 0

    def read(self) -> Any:
        self.readings += 1
        return self.rng.normal()

    @property
    def law(self) -> statistics.NormalDist:
        return statistics.NormalDist(0.5, 1.0)


@program(0.5)
def objects_that_hold_generators(x):
    sensor = Sensor(3)
    total = 0.0
    for _ in range(4):
        total += (sensor.read() - x) ** 2
    return total * sensor.law.cdf(1.0) * sensor.readings


@program(2.0, "a,1.5\nb,2\n")
def table_in_a_text(x, text):
    rows = [line.split(",") for line in text.splitlines()]
    s = 0.0
    for row in rows:
        s += float(row[1]) * x ** len(row[0])
    return s


@program(np.array([0.5, 1.5, 2.5]))
def histogram_of_data(x):
    counts, edges = np.histogram(np.array([0.1, 1.0, 2.0, 2.5]), bins=3)
    return np.sum(x * counts) * edges[1]


@program(1.5)
def rational_numbers(x):
    series = [fractions.Fraction(1)]
    for n in range(1, 5):
        series.append(fractions.Fraction(1, n) - series[-1] / 2)
    return x * float(series[-1])


@program(2.0, {"w1": 2.0, "b": 3.0})
def bounded_buffer(x, weights):
    buffer = collections.deque([1, 2, 3], maxlen=2)
    return x * buffer[0] * len(buffer) + sum(weights.values())


@program(0.3, [3.0, 1.0, 2.0])
def statistics_of_data(x, data):
    centre, spread = statistics.mean(data), statistics.stdev(data)
    return math.exp(-((x - centre) ** 2) / (2.0 * spread**2)) * statistics.median(data)


@program(0.3)
def logged(x):
    LOG.info("at %s", datetime.datetime(2021, 1, 1).isoformat())
    return x * datetime.timedelta(days=1.5).total_seconds()


@program(1.1, [2, 3, 5])
def pairs_of_data(x, data):
    s = 0.0
    for a, b in itertools.combinations(sorted(set(data)), 2):
        s += x ** math.gcd(a, b) * (a + b)
    return s


@program(1.5)
def containers_that_the_function_changes(x):
    counts = collections.Counter("aab")
    counts["z"] += 2
    del counts["a"]
    options = json.loads('{"a": [1, 2]}')
    options["a"].append(3.5)
    options["b"] = 4
    return x ** sum(counts.values()) * len(options) * sum(options["a"])


@program(np.array([0.1, 0.2]), "x,y\n1,2\n2,3.5\n")
def rows_of_a_csv_text(theta, text):
    loss, rows = 0.0, list(csv.DictReader(io.StringIO(text)))
    for row in rows:
        loss += (theta[0] + theta[1] * float(row["x"]) - float(row["y"])) ** 2
    return loss / len(rows)


@program(1.5, ["b", "a", "cde", "zz"])
def whole_expressions(x, names):
    position = {name: k for k, name in enumerate(sorted(set(names)))}
    longest = max(names, key=lambda name: (len(name), name))
    lengths = {len(name) for name in names}
    return x ** position["b"] * len(longest) + x * len(lengths)


@program(0.3, "Hello World")
def sums_over_what_python_makes(p, text):
    counts = collections.Counter(c for c in text.lower() if c.isalpha())
    total = sum(counts.values())
    return -sum(n / total * math.log(p + (1.0 - p) * n / total) for _, n in counts.most_common(3))


@program(0.05, [{"date": datetime.date(2021, 5, 1), "amount": 10.0},
                {"date": datetime.date(2020, 5, 1), "amount": -5.0}])
def cash_flows(rate, flows):
    flows = sorted(flows, key=lambda flow: flow["date"])
    start = flows[0]["date"]
    return sum(flow["amount"] / (1.0 + rate) ** ((flow["date"] - start).days / 365.0) for flow in flows)


@program(1.5)
def a_generator_that_is_made_before_its_items(x):
    queue = json.loads("[1, 2]")
    items = (x**k for k in queue)
    queue.append(3)
    return sum(items)


@program(1.3, '{"a": [1.5, 2.5], "b": [3.0]}')
def nested_loops_over_what_python_makes(x, text):
    table = json.loads(text)
    s = 0.0
    for k, (name, weights) in enumerate(table.items()):
        for w in weights:
            s += x**k * w * len(name)
    for p, q in zip(table["a"], reversed(table["a"])):
        s += x * p * q
    return s + sum(x * w for weights in table.values() for w in weights) + max(x * w for w in table["a"])


@program(1.1)
def words_of_a_constant_text(x):
    s = 0.0
    for word, n in sorted(collections.Counter("the cat the dog a cat".split()).items()):
        s += n * x ** len(word)
    return s


@program(1.5, 3)
@program(1.5, 3)
def a_key_that_is_not_a_number(x, n):
    return x * collections.Counter({float("nan"): n, "b": n})["b"]


@program(1.5, [3, 1, 2])
def drawn_in_a_key(x, data):
    rng = random.Random(0)
    return x * sorted(data, key=lambda v: rng.random())[0] * sorted(data, key=lambda v: rng.random())[-1]


@program(1.5, '["a", "b"]')
def an_object_that_is_read_in_a_comprehension(x, text):
    known = json.loads(text)
    return x * len({name for name in ("b", "c", "a") if name in known}) * x ** len(known)


@program(1.5, [3, 1, 2])
def sorted_by_a_key(x, data):
    ordered = sorted(data, key=lambda v: -v)
    return x ** ordered[0] - x * ordered[-1]


@program(1.5, 3)
def lists_that_an_expression_changes(x, n):
    stack = [1, 2, n]
    taken = [stack.pop() for _ in range(2)]
    return x * sum(taken) * len(stack)


@program(1.2, r"\d")
def words_that_match(x, pattern):
    expression = re.compile(pattern)
    s = 0.0
    for i, word in enumerate(["alpha1", "b22", "c"]):
        if expression.search(word):
            s += x**i
    return s


@program(1.5, datetime.date(2021, 5, 1))
def scaled_by_the_week(x, day):
    if day.weekday() >= 6:
        return x * 2.0
    return x * day.isocalendar()[1]


@pytest.mark.parametrize(("f", "args"), PROGRAMS, ids=lambda v: getattr(v, "__name__", ""))
def test_does_what_python_does(f: Program, args: tuple[Any, ...]) -> None:
    agrees(f, *args)
    x = args[0]
    tangent = np.ones_like(x) if isinstance(x, np.ndarray) else 1.0
    value, g = value_and_grad(f)(*args)
    if len(args) == 1:
        primal, derivative = jvp(f, (x,), (tangent,))
        assert same_value(primal, value) or primal == value
        np.testing.assert_allclose(derivative, np.sum(g * tangent), rtol=1e-10)


def groups_of_a_data_frame(w, frame):
    loss = 0.0
    for _, group in frame.groupby("g"):
        loss += np.mean((group["x"].values * w[0] + w[1] - group["y"].values) ** 2)
    return loss


def test_a_data_frame() -> None:
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"g": ["a", "b", "a"], "x": [1.0, 2.0, 3.0], "y": [2.0, 3.0, 4.0]})
    agrees(groups_of_a_data_frame, np.array([0.5, 0.1]), frame)


class Option:
    def __init__(self, terms: str) -> None:
        self.terms = terms

    def price(self, spot):
        strike = json.loads(self.terms)["strike"]
        rng = np.random.default_rng(len(self.terms))
        return sum(max(spot * math.exp(0.1 * rng.normal()) - strike, 0.0) for _ in range(5))

    @classmethod
    def default(cls, spot):
        return cls('{"strike": 1.5}').price(spot)

    def __call__(self, spot):
        return self.price(spot) * statistics.mean([1.0, 2.0])


@pytest.mark.parametrize("f", [Option('{"strike": 1.5}').price, Option.default, Option('{"strike": 0.5}')],
                         ids=("method", "classmethod", "instance"))
def test_methods(f: Program) -> None:
    agrees(f, 1.6)


def test_an_unequal_split_raises_as_in_python() -> None:
    agrees(lambda x: np.sum(np.split(x, 7)[0]), np.ones(3))


def test_second_derivatives() -> None:
    h = 1e-5
    second = (grad(monte_carlo)(0.4 + h, 7) - grad(monte_carlo)(0.4 - h, 7)) / (2.0 * h)
    np.testing.assert_allclose(hessian(monte_carlo)(0.4, 7), second, rtol=1e-6)
    np.testing.assert_allclose(hvp(python_generator, (0.5,), (1.0,)), hessian(python_generator)(0.5))


def test_the_module_stands_alone(tmp_path: Path) -> None:
    derivative = value_and_grad(monte_carlo)
    value, g = derivative(0.4, 7)
    namespace: dict[str, Any] = {}
    text = derivative.module()
    assert "import sct" not in text
    exec(compile(text, str(tmp_path / "module.py"), "exec"), namespace)
    assert namespace["monte_carlo_value_and_grad"](0.4, 7) == (value, g)


def test_it_reads_like_hand_written_code() -> None:
    derivative = value_and_grad(monte_carlo)
    derivative(0.4, 7)
    assert "rng = np.random.default_rng(seed)\n" in derivative.source
    assert "z = rng.standard_normal()\n" in derivative.source


# -- types that change ------------------------------------------------------------------------------------------


def scaled_by_a_number_in_a_text(x, text):
    return x * json.loads(text)["scale"]


def test_another_type_at_a_later_call() -> None:
    derivative = value_and_grad(scaled_by_a_number_in_a_text)
    for scale in (1.5, 2.5, 3, 1.5, True):
        assert derivative(2.0, json.dumps({"scale": scale})) == (2.0 * scale, scale)


class CodedError(Exception):
    def __init__(self, message: str, code: Any) -> None:
        super().__init__(message.strip())
        self.code = code


def by_its_code(x, n):
    try:
        if x < n:
            raise CodedError("low", n)
    except CodedError as error:
        return x * error.code + len(error.args)
    return x


def by_its_class(x, n):
    try:
        if x < n:
            raise CodedError("low", n)
    except Exception as error:
        return x * (4 if isinstance(error, CodedError) else 5)
    return x


def by_what_it_holds(x, o):
    return o.w * x if hasattr(o, "w") else x * x


def test_what_the_first_call_did_not_reach() -> None:
    for calls, f in (([0, 5, 0, 7], by_its_class),
                     ([types.SimpleNamespace(), argparse.Namespace(w=3.0), argparse.Namespace()], by_what_it_holds)):
        derivative = value_and_grad(f)
        for argument in calls:
            assert derivative(1.5, argument)[0] == f(1.5, argument)


def test_a_refused_call_is_observed() -> None:
    derivative = value_and_grad(by_its_code)
    assert derivative(1.5, 0) == (1.5, 1.0)
    with pytest.raises(SctError) as caught:  # CodedError may have had an effect
        derivative(1.5, 5)
    assert caught.value.code == "SCT209"
    assert [derivative(1.5, n) for n in (5, 0, 7)] == [(8.5, 5.0), (1.5, 1.0), (11.5, 7.0)]


def test_another_type_after_an_effect() -> None:
    def f(x, rng, texts):
        for text in texts:
            x = x * rng.random() * json.loads(text)
        return x

    derivative, rng = value_and_grad(f), random.Random(0)
    derivative(2.0, rng, ["1.5", "2.5"])
    with pytest.raises(SctError) as caught:
        derivative(2.0, rng, ["1.5", "2"])
    assert caught.value.code == "SCT209"
    assert caught.value.what == "`json.loads(text)` must be a float"
    rng.seed(1)
    value = derivative(2.0, rng, ["1.5", "2"])[0]
    assert value == f(2.0, random.Random(1), ["1.5", "2"])


def test_a_path_that_the_first_call_does_not_take() -> None:
    def f(x, text):
        options = json.loads(text)
        return x * options["scale"] if "scale" in options else x

    derivative = value_and_grad(f)
    assert derivative(2.0, "{}") == (2.0, 1.0)
    assert derivative(2.0, '{"scale": 1.5}') == (3.0, 1.5)
    assert derivative(2.0, "{}") == (2.0, 1.0)


def test_a_loop_that_the_first_call_does_not_enter() -> None:
    def f(x, text):
        s = sum(x * v for v in json.loads(text))
        for v in json.loads(text):
            s += x**v
        return s + x

    derivative = value_and_grad(f)
    for values in ([], [1, 2], [1.5], []):
        value, slope = derivative(2.0, json.dumps(values))
        assert value == f(2.0, json.dumps(values))
        np.testing.assert_allclose(slope, 1.0 + sum(v + v * 2.0 ** (v - 1) for v in values))


# -- values that are None at one call, and another at the next -------------------------------------------------------


def power_in_a_text(x, text):
    match = re.search(r"k=(\d+)", text)
    n = int(match.group(1)) if match is not None else 1
    return x**n


def number_of_a_match(x, text):
    return x * float(re.match(r"(\d+)", text).group(1))


def rate_or_default(x, text):
    return x * (json.loads(text).get("rate") or 0.1)


def rate_if_any(x, text):
    rate = json.loads(text).get("rate")
    if rate is None:
        rate = 0.5
    return x * rate


def two_that_may_be_missing(x, text):
    a, b = (lambda d: (d.get("rate"), d.get("b")))(json.loads(text))
    return x * (a or 1.0) * (b or 2.0)


def first_above_one(text):
    for k in json.loads(text):
        if k > 1:
            return k
    return None


def found_by_a_function(x, text):
    k = first_above_one(text)
    return x * k if k is not None else x


def matches_in_a_loop(x, text):
    s = 0.0
    for word in text.split():
        if re.match("a", word):
            s += x
        match = re.match(r"b(\d)", word)
        if match:
            s += x ** int(match.group(1))
    return s + x


def is_null(x, text):
    return x * 2.0 if json.loads(text) is None else x


def day_of_a_date(x, text):
    return x * datetime.date.fromisoformat(text).day


def valid(x, text):
    json.loads(text)
    return x


@pytest.mark.parametrize("validate", ("first", "0"))
@pytest.mark.parametrize(("f", "texts"), [
    (power_in_a_text, ("q", "k=3", "k=2")), (number_of_a_match, ("q", "12", "7")),
    (rate_or_default, ("{}", '{"rate": 3.0}', '{"rate": 0.0}')),
    (rate_if_any, ("{}", '{"rate": 3.0}', '{"rate": null}')),
    (two_that_may_be_missing, ("{}", '{"rate": 3.0}', '{"b": 3.0}')),
    (found_by_a_function, ("[1.0]", "[3.0]", "[3.0, 1.0]")), (matches_in_a_loop, ("q", "a q", "b3 q a", "a b2")),
    (is_null, ("null", "3", '"a"', "[1]")), (day_of_a_date, ("bad", "2020-01-03", "worse")),
    (valid, ("{bad", "1", "[]")),
], ids=lambda v: getattr(v, "__name__", ""))
def test_none_at_one_call(f: Program, texts: tuple[str, ...], validate: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SCT_VALIDATE", validate)
    for order in (texts, texts[::-1]):
        derivative = value_and_grad(lambda x, text, f=f: f(x, text))
        for text in (*order, *order):
            try:
                expected = f(1.5, text)
            except (AttributeError, ValueError) as error:
                with pytest.raises(type(error), match=re.escape(str(error))):
                    derivative(1.5, text)
                continue
            value, slope = derivative(1.5, text)
            assert value == expected
            np.testing.assert_allclose(slope, (f(1.5 + 1e-6, text) - f(1.5 - 1e-6, text)) / 2e-6, rtol=1e-6)


def test_ahead_of_time_types_are_not_known() -> None:
    with pytest.raises(SctError):
        _ = value_and_grad(scaled_by_a_number_in_a_text).source


# -- what may not run twice ----------------------------------------------------------------------------------------


def test_the_function_runs_on_copies_only(tmp_path: Path) -> None:
    file = tmp_path / "written"

    def f(x):
        WRITTEN.append("once")
        with open(file, "a") as stream:
            stream.write("once")
        return x * statistics.mean([1.0, 2.0])

    with pytest.raises(SctError):
        value_and_grad(f)(2.0)
    assert not file.exists()
    assert not WRITTEN


class Recorder:
    def __init__(self, file: Path) -> None:
        self.file = file

    def record(self) -> float:
        self.file.write_text("once")
        return statistics.mean([1.0, 2.0])


def test_methods_that_write_files_do_not_run(tmp_path: Path) -> None:
    def f(x, recorder):
        return x * recorder.record()

    with pytest.raises(SctError):
        value_and_grad(f)(2.0, Recorder(tmp_path / "written"))
    assert not (tmp_path / "written").exists()


def test_generators_of_random_numbers_are_not_advanced() -> None:
    def f(x, rng):
        return x * float(np.sum(rng.choice(np.arange(5.0), 3)))

    ours, plain = np.random.default_rng(1), np.random.default_rng(1)
    value, _ = value_and_grad(f)(2.0, ours)
    assert value == f(2.0, plain)
    assert ours.random() == plain.random()


# -- aliases -----------------------------------------------------------------------------------------------------


@dataclass
class Draws:
    scale: float
    sign: float = 1.0

    def mean(self, x, seed=0):
        rng = np.random.default_rng(seed)
        return self.sign * np.mean(x * self.scale * rng.standard_normal((3, len(x))))


def test_classes_that_dataclass_has_generated_methods_for() -> None:
    def f(x):
        return sum(d.mean(x) for d in [Draws(1.0), Draws(2.0, -1.0), Draws(3.0)])

    value, slope = value_and_grad(f)(np.arange(3.0))
    assert value == f(np.arange(3.0))
    np.testing.assert_allclose(slope, np.random.default_rng(0).standard_normal((3, 3)).sum(0) * 2.0 / 9.0)


OF_MODULE = np.random.default_rng(3)


def shuffled(x, rng):
    own, order, items, rows = np.random.default_rng(0), np.arange(len(x)), [v * v for v in x], np.outer(x, x)
    for _ in range(3):
        own.shuffle(order)
        x = x + 0.1 * x[order] ** 2
    rng.shuffle(rows)
    own.shuffle(items)
    OF_MODULE.shuffle(x[2:])
    np.random.shuffle(order)
    return np.sum(x * order) + sum(k * v for k, v in enumerate(items)) + np.sum(rows[:, 0] * order)


def test_shuffle_is_differentiated_and_draws_what_it_draws() -> None:
    derivative, x = value_and_grad(shuffled), np.arange(6.0) + 1.0

    def values(f):
        OF_MODULE.bit_generator.state = np.random.default_rng(3).bit_generator.state
        np.random.seed(4)
        rng = np.random.default_rng(5)
        return [f(x, rng) for _ in range(3)]

    results = values(derivative)
    assert [v for v, _ in results] == values(shuffled)
    step = 1e-6 * np.cos(np.arange(6.0))
    ends = [values(lambda x, rng, s=s: shuffled(x + s * step, rng)) for s in (1.0, -1.0)]
    np.testing.assert_allclose([g @ step for _, g in results], (np.array(ends[0]) - ends[1]) / 2.0, atol=1e-12)


def changes_what_a_loop_runs_over(x, n):
    queue = json.loads("[1, 2]")
    for k in queue:
        if len(queue) < n:
            queue.append(3)
        x = x * k
    return x


def shuffles_a_list(x, n):
    order = list(range(n))
    random.Random(1).shuffle(order)
    return x * order[0]


def a_list_in_an_object_that_changes(x, n):
    queue, items = json.loads("[]"), [1.0]
    queue.append(items)
    items.append(2.0)
    return x * len(queue[0]) * n


def a_list_under_a_key_of_an_object(x, n):
    table, items = json.loads("{}"), [1.0]
    table["items"] = items
    items.append(2.0)
    return x * len(table["items"]) * n


def lists_of_a_sorted_list(x, n):
    rows = [[2.0], [1.0]]
    ordered = sorted(rows)
    ordered[0].append(float(n))
    return x * len(rows[1])


def an_array_in_an_object(x, n):
    queue, values = json.loads("[]"), np.zeros(n)
    queue.append(values)
    values[0] = 3.0
    return x * queue[0][0]


def a_differentiated_number_in_a_window(x, n):
    window = collections.deque(maxlen=n)
    for k in range(4):
        window.append(x * k)
    return sum(window)


def a_differentiated_number_in_a_buffer(x, n):
    buffer = collections.deque([x, 2.0], maxlen=n)
    buffer.append(x * x)
    return buffer[0] * buffer[1]


def a_differentiated_number_of_a_branch(x, n):
    v = x * x if n > 1 else 2.0
    return statistics.mean([v, 1.0])


def a_differentiated_number_of_a_loop(x, n):
    v = 1.0
    for _ in range(n):
        v = v * x
    return statistics.mean([v, 1.0])


def lists_of_numbers_that_are_passed(x, n):
    """A new array shares no memory with them."""
    p, rows, s = [1.0, 2.0, 3.0], [[1.0, 2.0], [3.0, 5.0]], 0.0
    for i in range(n):
        s += np.abs(np.roots(p)[0]) * x + np.histogram_bin_edges(rows, 2)[1] * x
        p[1] = 1.0 + i
        rows[1][0] = 4.0
    return s


def an_array_that_is_passed(x, n):
    p, s = np.arange(3.0), 0.0
    for i in range(n):
        s += np.histogram_bin_edges(p, 2)[1] * x
        p[1] = 1.0 + i
    return s


def test_lists_of_numbers_may_be_written_after_a_call() -> None:
    agrees(lists_of_numbers_that_are_passed, 3.0, 3)


def test_the_reason_of_an_array_that_python_may_hold() -> None:
    with pytest.raises(SctError, match="an object of Python may hold") as caught:
        value_and_grad(an_array_that_is_passed)(3.0, 2)
    assert caught.value.code == "SCT307" and "passed to a call" in str(caught.value.why)


def a_differentiated_number_in_a_text(x, n):
    return float(json.loads(json.dumps(x))) * n


@pytest.mark.parametrize(("f", "argument", "code"), [
    (changes_what_a_loop_runs_over, 4, "SCT306"),
    (shuffles_a_list, 6, "SCT207"),
    (a_list_in_an_object_that_changes, 2, "SCT307"),
    (a_list_under_a_key_of_an_object, 2, "SCT307"), (an_array_in_an_object, 2, "SCT307"),
    (lists_of_a_sorted_list, 2, "SCT307"),
    (a_differentiated_number_of_a_branch, 2, "SCT207"), (a_differentiated_number_of_a_loop, 2, "SCT207"),
    (a_differentiated_number_in_a_text, 2, "SCT401"),
], ids=lambda v: getattr(v, "__name__", ""))
def test_refused(f: Program, argument: Any, code: str) -> None:
    with pytest.raises(SctError) as caught:
        value_and_grad(f)(3.0, argument)
    assert caught.value.code == code


@pytest.mark.parametrize("f", [a_differentiated_number_in_a_buffer, a_differentiated_number_in_a_window])
def test_a_deque_of_differentiated_numbers(f: Program) -> None:
    agrees(f, 3.0, 2)


def never(x: Any) -> Any:
    if 0:  # Python compiles the comprehension, and drops it
        print([v for v in x])
    return x * x


def test_types_are_observed_beside_a_branch_that_never_runs() -> None:
    agrees(lambda x: x * len(re.findall("a+", "aabaa")) * x, 1.5)


@pytest.mark.parametrize("texts", [("2.0", "true", "3", "false", "2.5"), ("true", "2", "false"), ("1", "0.5", "true")])
def test_a_number_that_becomes_a_bool(texts: tuple[str, ...]) -> None:
    def f(x: float, text: str) -> float:
        v = json.loads(text)
        return x * v + (x * x if v else x) * (v + v)

    derivative = value_and_grad(f)
    for text in texts:
        assert derivative(1.5, text)[0] == f(1.5, text)
        assert derivative(1.5, text)[1] == pytest.approx((f(1.5 + 1e-6, text) - f(1.5 - 1e-6, text)) / 2e-6)


def test_shuffle_of_the_random_module() -> None:
    """The reason is true, and the order that the hint draws is differentiated."""
    def of_the_module(x, seed):
        xs = [x, 2.0 * x, 3.0 * x]
        random.shuffle(xs)
        return xs[0]

    def of_a_generator(x, seed):
        xs = [x, 2.0 * x, 3.0 * x]
        random.Random(seed).shuffle(xs)
        return xs[0]

    def of_positions(x, seed):
        order = list(range(3))
        random.Random(seed).shuffle(order)
        return x * order[0]

    def followed(x, seed):
        rng = random.Random(seed)
        xs = [x, 2.0 * x, 3.0 * x]
        order = rng.sample(range(len(xs)), len(xs))
        xs = [xs[k] for k in order]
        return xs[0] * xs[1]

    for f in (of_the_module, of_a_generator, of_positions):
        with pytest.raises(SctError, match="SCT207") as caught:
            value_and_grad(f)(1.5, 1)
        assert "does not see into" in caught.value.what and "Python source" not in str(caught.value)
        assert "random.sample" in caught.value.hint and "sct.rule" not in caught.value.hint
    for seed in range(4):
        y, slope = value_and_grad(followed)(1.5, seed)
        assert y == followed(1.5, seed) and slope == pytest.approx(2.0 * y / 1.5)
