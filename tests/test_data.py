"""Data stays data: what is compiled for six records serves any number of them, and is right for them."""

from __future__ import annotations

import copy
import math
from collections import namedtuple
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from oracle import same_value

import sct
from sct.ir.pytrees.pytree import map_leaves, tree_leaves


@dataclass
class Sample:
    name: str
    dose: float
    t: float
    y: float


class Atom:
    def __init__(self, kind: str, charge: float, pos: np.ndarray) -> None:
        self.kind, self.charge, self.pos = kind, charge, pos

    def distance(self, other: Atom) -> Any:
        d = self.pos - other.pos
        return np.sqrt(np.sum(d * d))


Visit = namedtuple("Visit", "t y arm")


def patients(n: int) -> list[Any]:
    return [{"id": f"p{k}", "dose": 1.0 + 0.1 * k, "t": 0.5 + 0.2 * k % 3.0, "y": 0.3 + 0.07 * k, "male": k % 2 == 0}
            for k in range(n)]


def samples(n: int) -> list[Any]:
    return [Sample(f"s{k}", 1.0 + 0.1 * k, 0.5 + 0.2 * k % 3.0, 0.3 + 0.07 * k) for k in range(n)]


def atoms(n: int) -> list[Any]:
    return [Atom("HCO"[k % 3], 0.1 * (k + 1), np.array([0.3 * k, 0.05 * k * k, 1.0])) for k in range(n)]


def subjects(n: int) -> list[Any]:
    return [{"name": f"s{k}", "obs": [(0.1 * j, 0.2 * j + 0.01 * k) for j in range(k % 4)]} for k in range(n)]


def words(n: int) -> list[str]:
    return [("spam", "a", "egg", "toast")[k % 4] + "s" * (k % 3) for k in range(n)]


PATIENTS = patients(6)


def loop_over_dicts(k: float, rows: Any) -> Any:
    s = 0.0
    for r in rows:
        s += (r["y"] - r["dose"] * math.exp(-k * r["t"])) ** 2
    return s


def dict_at_an_index(k: float, rows: Any, i: int) -> Any:
    r, last = rows[i], rows[-1]
    return r["dose"] * math.exp(-k * r["t"]) + k * last["y"] + len(rows)


def flag_of_a_dict(k: float, rows: Any) -> Any:
    s = 0.0
    for r in rows:
        if r["male"]:
            s += k * r["dose"]
        else:
            s += k * k * r["y"]
    return s / len(rows)


def chosen_dicts(k: float, rows: Any) -> Any:
    men = [r for r in rows if r["male"]]
    return sum(k**2 * r["dose"] for r in men) / len(men)


def neighbours_in_a_list_of_dicts(k: float, rows: Any) -> Any:
    s = 0.0
    for i, (a, b) in enumerate(zip(rows, rows[1:])):  # noqa: RUF007
        s += k**2 * (b["t"] - a["t"]) * (a["y"] + b["y"]) / (i + 1)
    return s


def loop_over_dataclasses(k: float, rows: Any) -> Any:
    return sum((p.y - p.dose * math.exp(-k * p.t)) ** 2 for p in rows)


def loop_over_named_tuples(k: float, rows: Any) -> Any:
    s = 0.0
    for v in rows:
        s += (v.y - k * v.t) ** 2 * (2.0 if v.arm == "a" else 1.0)
    return s


def pairs_of_objects(k: float, atoms: Any) -> Any:
    e = 0.0
    for i, a in enumerate(atoms):
        for b in atoms[i + 1:]:
            e += k * k * a.charge * b.charge / a.distance(b)
    return e


def tuples_with_a_string(k: float, rows: Any) -> Any:
    s = 0.0
    for t, y, arm in rows:
        if arm == "a":
            s += (y - k * t) ** 2
        else:
            s += abs(y - k)
    return s


def lists_in_dicts(k: float, subjects: Any) -> Any:
    s = 0.0
    for subject in subjects:
        for t, y in subject["obs"]:
            s += (y - k * t) ** 2
    return s


def methods_of_strings(k: float, words: Any) -> Any:
    s = 0.0
    for w in words:
        if w.startswith("s"):
            s += k
        s += k * k * len(w)
    return s


def records_made_here(k: float, n: int) -> Any:
    rows = []
    for i in range(n):
        rows.append({"t": 0.1 * i, "y": k * i})
    s = 0.0
    for r in rows:
        s += r["t"] * r["y"] ** 2
    return s


def flags(k: float, flags: Any) -> Any:
    s = 0.0
    for flag in flags:
        s += k if flag else k * k
    return s


def best_of_dicts(k: float, rows: Any) -> Any:
    best = rows[0]
    for r in rows:
        if r["y"] > best["y"]:
            best = r
    return k * k * best["dose"]


def records_of_a_module(k: float) -> Any:
    s = 0.0
    for r in PATIENTS:
        s += (r["y"] - k * r["t"]) ** 2
    return s


def layers_in_dicts(params: Any, x: Any) -> Any:
    for p in params:
        x = np.tanh(p["W"] @ x + p["b"])
    return np.sum(x)


def gradient_by_dicts(rows: Any) -> Any:
    return sum(r["x"] ** 2 * r["w"] for r in rows)


def gradient_by_dataclasses(rows: Any) -> Any:
    s = 0.0
    for p in rows:
        s += p.dose * p.y ** 2 + p.t
    return s


def gradient_by_nested_records(subjects: Any) -> Any:
    return sum(t * y**2 for subject in subjects for t, y in subject["obs"])


def layers(n: int) -> list[Any]:
    return [{"W": np.full((2, 2), 0.3) + 0.01 * k, "b": np.full(2, 0.1 * k)} for k in range(n)]


PROGRAMS: list[tuple[Callable[..., Any], Callable[[int], tuple[Any, ...]]]] = [
    (loop_over_dicts, lambda n: (0.3, patients(n))),
    (dict_at_an_index, lambda n: (0.3, patients(n), n // 2)),
    (flag_of_a_dict, lambda n: (0.3, patients(n))),
    (chosen_dicts, lambda n: (0.3, patients(n))),
    (neighbours_in_a_list_of_dicts, lambda n: (0.3, patients(n))),
    (loop_over_dataclasses, lambda n: (0.3, samples(n))),
    (loop_over_named_tuples, lambda n: (0.3, [Visit(0.1 * k, 0.2 * k, "ab"[k % 2]) for k in range(n)])),
    (pairs_of_objects, lambda n: (0.3, atoms(n))),
    (tuples_with_a_string, lambda n: (0.31, [(0.1 * k, 0.3 * k, "ab"[k % 2]) for k in range(n)])),
    (lists_in_dicts, lambda n: (0.3, subjects(n))),
    (methods_of_strings, lambda n: (0.3, words(n))),
    (records_made_here, lambda n: (0.3, n)),
    (flags, lambda n: (0.3, [k % 3 == 0 for k in range(n)])),
    (best_of_dicts, lambda n: (0.3, patients(n))),
    (layers_in_dicts, lambda n: (layers(n), np.array([0.1, 0.2]))),
    (gradient_by_dicts, lambda n: ([{"x": 0.1 * k, "w": 1.0 + k, "name": "a"} for k in range(n)],)),
    (gradient_by_dataclasses, lambda n: (samples(n),)),
    (gradient_by_nested_records, lambda n: (subjects(n),)),
]


def moved(tree: Any, step: float) -> Any:
    """The tree with each float moved along one direction."""
    weights = iter(np.cos(np.arange(1.0, 100_000.0)))

    def move(x: Any) -> Any:
        if isinstance(x, np.ndarray):
            return x + step * np.array([next(weights) for _ in range(x.size)]).reshape(x.shape)
        return x + step * float(next(weights)) if isinstance(x, float) else x

    return map_leaves(move, tree)


def along(gradient: Any) -> float:
    """The derivative along the direction of `moved`."""
    weights = iter(np.cos(np.arange(1.0, 100_000.0)))
    return sum(float(x) * next(weights) for leaf in tree_leaves(gradient) if leaf is not None
               for x in np.ravel(leaf).tolist())


@pytest.mark.parametrize("f, make", PROGRAMS, ids=[f.__name__ for f, _ in PROGRAMS])
def test_the_amount_of_data_is_not_compiled(f: Callable[..., Any], make: Callable[[int], tuple[Any, ...]]) -> None:
    g = sct.value_and_grad(f)
    texts = []
    for n in (6, 96):
        args = make(n)
        before = copy.deepcopy(args)
        value, gradient = g(*args)
        texts.append(g.source)
        assert repr(list(tree_leaves(args))) == repr(list(tree_leaves(before)))
        assert same_value(value, f(*make(n)))
        h = 1e-6
        slope = (f(moved(args[0], h), *args[1:]) - f(moved(args[0], -h), *args[1:])) / (2.0 * h)
        assert along(gradient) == pytest.approx(slope, rel=1e-5, abs=1e-7)
    assert texts[0] == texts[1] and len(g.sources) == 1


@pytest.mark.parametrize("f, make", PROGRAMS[:14], ids=[f.__name__ for f, _ in PROGRAMS[:14]])
def test_other_modes_over_data(f: Callable[..., Any], make: Callable[[int], tuple[Any, ...]]) -> None:
    k, *rest = make(7)
    first = sct.grad(f)(k, *rest)
    assert sct.jvp(lambda k: f(k, *rest), (k,), (1.0,))[1] == pytest.approx(first, rel=1e-12)
    assert sct.vjp(lambda k: f(k, *rest), k)[1](1.0)[0] == pytest.approx(first, rel=1e-12)
    h = 1e-5
    slope = (sct.grad(f)(k + h, *rest) - sct.grad(f)(k - h, *rest)) / (2.0 * h)
    assert sct.grad(sct.grad(f))(k, *rest) == pytest.approx(slope, rel=1e-4, abs=1e-6)


def test_records_of_a_module_are_read_at_each_call(monkeypatch: pytest.MonkeyPatch) -> None:
    g = sct.value_and_grad(records_of_a_module)
    for n in (6, 96):
        monkeypatch.setitem(globals(), "PATIENTS", patients(n))
        value, slope = g(0.4)
        assert same_value(value, records_of_a_module(0.4))
        assert slope == pytest.approx(sum(-2.0 * r["t"] * (r["y"] - 0.4 * r["t"]) for r in PATIENTS))
    assert len(g.sources) == 1
    PATIENTS[3]["t"] = 2  # an int: other columns
    assert same_value(g(0.4)[0], records_of_a_module(0.4))
    for r in PATIENTS:
        r["z"] = 1.0
    assert same_value(g(0.4)[0], records_of_a_module(0.4))


def test_records_that_are_written_are_taken_apart() -> None:
    def f(k: float, rows: Any) -> Any:
        for r in rows:
            r["pred"] = k * r["t"]
        return sum((r["y"] - r["pred"]) ** 2 for r in rows)

    g = sct.value_and_grad(f)
    for n in (6, 9, 6):
        rows = patients(n)
        value, slope = g(0.3, rows)
        assert rows == patients(n) and same_value(value, f(0.3, patients(n)))
        assert slope == pytest.approx(sum(-2.0 * r["t"] * (r["y"] - 0.3 * r["t"]) for r in rows))
    assert len(g.sources) == 2


def test_records_whose_structure_changes_are_compiled_again() -> None:
    g = sct.value_and_grad(loop_over_dicts)
    for change in (lambda r: None, lambda r: r.update(z=1.0), lambda r: r.update(t=2), lambda r: r.pop("id", None)):
        rows = patients(8)
        change(rows[3])  # type: ignore[no-untyped-call]
        assert same_value(g(0.3, rows)[0], loop_over_dicts(0.3, rows))
        for r in rows:
            change(r)  # type: ignore[no-untyped-call]
        assert same_value(g(0.3, rows)[0], loop_over_dicts(0.3, rows))


def test_gradients_have_the_form_of_the_records() -> None:
    g = sct.grad(gradient_by_dicts)([{"x": 0.5, "w": 2.0, "name": "a"}] * 6)
    assert g == [{"x": 2.0, "w": 0.25, "name": None}] * 6
    d = sct.grad(gradient_by_dataclasses)(samples(7))
    assert [type(p) for p in d] == [Sample] * 7 and d[2].name is None and d[2].t == 1.0
    nested = sct.grad(gradient_by_nested_records)(subjects(6))
    assert [list(s) for s in nested] == [["name", "obs"]] * 6
    assert nested[0]["obs"] == [] and nested[2]["obs"][1] == pytest.approx((0.22**2, 2.0 * 0.1 * 0.22))


def test_a_tangent_of_records() -> None:
    rows = [{"x": 0.5, "w": 2.0, "name": "a"}] * 6
    tangent = [{"x": 1.0, "w": None, "name": None}] * 6
    assert sct.jvp(gradient_by_dicts, (rows,), (tangent,))[1] == pytest.approx(12.0)


def test_modules_check_the_structure_of_records() -> None:
    g = sct.grad(loop_over_dicts)
    expected = g(0.3, patients(6))
    space: dict[str, Any] = {}
    exec(g.module(), space)
    run = space["loop_over_dicts_grad"]
    assert run(0.3, patients(6)) == expected and run(0.3, patients(20)) == g(0.3, patients(20))
    for change, message in ((lambda r: r.pop("id"), "must be a dict with the keys"), (lambda r: r.update(t=2), "float"),
                            (lambda r: r.update(z=1), "must be a dict with the keys")):
        rows = patients(6)
        change(rows[3])  # type: ignore[no-untyped-call]
        with pytest.raises(TypeError, match=message):
            run(0.3, rows)


# -- what is read at a position or by a key that is known only at run time -------------------------------------


def steps(x: float) -> int:
    """A position that depends on a loop: 2 for 0.3."""
    i = 0
    while x > i * 0.2:
        i += 1
    return i


def segment(x: float, knots: Any) -> Any:
    i = 0
    while i < len(knots) - 2 and knots[i + 1] < x:
        i += 1
    w = (x - knots[i]) / (knots[i + 1] - knots[i])
    return w * w


def of_a_list(x: float, xs: Any) -> Any:
    return x * xs[steps(x)] + sum(xs[:steps(x)]) + xs[-steps(x)] * x


def of_a_tuple(x: float, xs: Any) -> Any:
    return x * xs[steps(x)] + x * len(xs)


def of_a_list_made_here(x: float) -> Any:
    c = [x, 2.0, x * x]
    c[steps(x)] = x * c[steps(x)]
    return c[steps(x)] + c[0]


def of_words(x: float, names: Any) -> Any:
    return x * len(names[steps(x)])


def of_a_dict(x: float, coefficients: Any) -> Any:
    return sum(coefficients[i % 3] * x**i for i in range(9))


def of_strings(x: float, letters: Any) -> Any:
    weights = {"a": x, "b": 2.0, "c": x * x}
    s = 0.0
    for c in letters:
        s += weights[c] if c in weights else 0.5 * x
        s += weights.get(c, x)
    return s


def of_pairs(x: float, n: int) -> Any:
    grid = {(0, 0): 1.0, (0, 1): x, (1, 0): x * x, (1, 1): 3.0}
    s = 0.0
    for i in range(n):
        s += x * grid[i % 2, (i + 1) % 2]
    return s


def of_neighbours(x: float, order: Any) -> Any:
    graph = {"a": ["b", "c"], "b": ["c"], "c": []}
    s = 0.0
    for node in order:
        for other in graph[node]:
            s += x * x if other == "c" else x
    return s


def of_labels(x: float, n: int) -> Any:
    rates = []
    for k in range(n):
        rates.append(x * x + k)
    curve = {f"{k}y": rate * x for k, rate in enumerate(rates, start=1)}
    for k in range(n):
        curve["%d" % k + "y"] = x**3 if k == 1 else x
    return curve["1y"] + curve[f"{n}y"] * max(curve.values())


@pytest.mark.parametrize("f, args", [
    (of_labels, (4,)),
    (segment, ([0.0, 0.2, 0.25, 0.8],)), (segment, ([0.0, 0.2, 0.25, 0.8, 1.6],)), (of_a_list, ([1.0, 2.5, 3.0],)),
    (of_a_list, ([1.0, 2.5, 3.0] * 4,)), (of_a_tuple, ((1.0, 2.5, 3.0),)), (of_a_tuple, ((1.0, 2.5, 3.0) * 3,)),
    (of_a_list_made_here, ()), (of_words, (["a", "bb", "ccc"],)), (of_words, (["a", "bb", "ccc"] * 5,)),
    (of_a_dict, ({0: 1.0, 1: 2.0, 2: 3.0},)), (of_strings, (list("abcd"),)), (of_strings, (list("abcd") * 9,)),
    (of_pairs, (100,)), (of_neighbours, (list("abcab"),))], ids=lambda x: getattr(x, "__name__", ""))
def test_positions_and_keys_of_run_time(f: Callable[..., Any], args: tuple[Any, ...]) -> None:
    g = sct.value_and_grad(f)
    g(0.3, *args)
    compiled = len(g.sources)
    for x in (0.3, 0.21, 0.39):
        value, slope = g(x, *args)
        assert same_value(value, f(x, *args))
        assert slope == pytest.approx((f(x + 1e-6, *args) - f(x - 1e-6, *args)) / 2e-6, rel=1e-5)
    assert sct.grad(sct.grad(f))(0.3, *args) == pytest.approx(
        (g(0.3 + 1e-5, *args)[1] - g(0.3 - 1e-5, *args)[1]) / 2e-5, rel=1e-4, abs=1e-7)
    assert len(g.sources) == compiled


def from_text(text: str, n: int) -> float:
    return float(text) if n == 0 else from_text(text, n - 1) * 2.0


@pytest.mark.parametrize("f", [
    lambda x: sum(float(k) for k in {f"{x}": 1.0}), lambda x: sum(float(k) for k in {"%s" % x, "2.0"}),
    lambda x: float(min(f"{v}" for v in (x, x * x))), lambda x: float(str(x) if x > 0.0 else "1.0"),
    lambda x: from_text(f"{x}", 3), lambda x: float(("+" + f"{x}")[1:]), lambda x: float("".join([f"{x}"][:1])),
    lambda x: int(f"{int(x + 1.0)}") * x if x > 5.0 else float(",".join(f"{v}" for v in [x] * 3)[:3])])
def test_a_number_is_not_read_from_the_text_of_a_differentiated_one(f: Callable[[float], float]) -> None:
    with pytest.raises(sct.SctError, match=r"SCT207|SCT401"):
        sct.grad(f)(0.5)


def test_a_missing_key_raises() -> None:
    g = sct.value_and_grad(lambda x, letters: sum({"a": x, "b": 2.0}[c] for c in letters))
    assert g(0.3, list("abab" * 2)) == (4.0 * 0.3 + 8.0, 4.0)
    with pytest.raises(KeyError, match="'z'"):
        g(0.3, list("abzabb"))


def test_the_gradient_by_a_dict_that_is_read_by_keys_of_run_time() -> None:
    def f(theta: Any, letters: Any) -> Any:
        return sum(theta[c] ** 2 for c in letters)

    g = sct.grad(f)
    assert g({"a": 0.5, "b": 2.0, "c": 1.0}, list("abbabb")) == {"a": 2.0, "b": 16.0, "c": 0.0}
    assert g({"a": 0.5, "b": 2.0, "c": 1.0}, list("ccccccc")) == {"a": 0.0, "b": 0.0, "c": 14.0}
    assert len(g.sources) == 1


# -- order, and what a list holds ------------------------------------------------------------------------------


def trapezoids(k: float, rows: Any) -> Any:
    s, before = 0.0, 0.0
    for r in sorted(rows, key=lambda r: r["t"]):
        s += k * k * (r["t"] - before) * r["y"]
        before = r["t"]
    return s


def by_two_keys(k: float, rows: Any) -> Any:
    ordered = sorted(rows, key=lambda r: (r["male"], -r["t"]), reverse=True)
    return k * k * ordered[0]["y"] + ordered[1]["t"] * k


def sorted_words(k: float, words: Any) -> Any:
    s = 0.0
    for i, w in enumerate(sorted(words)):
        s += k * k * i * len(w)
    return s


def sorted_here(k: float, n: int) -> Any:
    events = []
    for i in range(n):
        events.append((math.cos(2.0 * i) * k, i))
    events.sort(key=lambda e: e[0])
    s = 0.0
    for j, (t, i) in enumerate(events):
        s += t * j + k * k * i * j
    return s


def sorted_indices(k: float, n: int) -> Any:
    order = sorted(range(n), key=lambda i: -math.sin(i))
    return sum(k**j * i for j, i in enumerate(order))


def membership(k: float, words: Any, wanted: str) -> Any:
    if wanted in words:
        return k * words.index(wanted) + k * k * words.count(wanted)
    return k * k


def quantile(xs: Any, k: float) -> Any:
    ys = sorted(xs, reverse=True)
    return ys[0] * k + ys[len(ys) // 2] ** 2 + sum(ys[-2:])


ORDER: list[tuple[Callable[..., Any], Callable[[int], tuple[Any, ...]]]] = [
    (trapezoids, lambda n: (0.3, patients(n)[::-1])),
    (by_two_keys, lambda n: (0.3, patients(n))),
    (sorted_words, lambda n: (0.3, words(n))),
    (sorted_here, lambda n: (0.3, n)),
    (sorted_indices, lambda n: (0.3, n)),
    (membership, lambda n: (0.3, words(n), "toast" if n > 50 else "no")),
    (quantile, lambda n: ([math.sin(3.0 * i) for i in range(n)], 0.5)),
]


@pytest.mark.parametrize("f, make", ORDER, ids=[f.__name__ for f, _ in ORDER])
def test_order_is_not_compiled(f: Callable[..., Any], make: Callable[[int], tuple[Any, ...]]) -> None:
    test_the_amount_of_data_is_not_compiled(f, make)
    if f is not quantile:
        test_other_modes_over_data(f, make)


def test_sorting_is_stable() -> None:
    def f(k: float, rows: Any) -> Any:
        return sum(k * i * r["x"] for i, r in enumerate(sorted(rows, key=lambda r: r["g"], reverse=True)))

    rows = [{"g": "ab"[k % 2], "x": 1.0 + k} for k in range(9)]
    assert sct.value_and_grad(f)(0.5, rows)[0] == f(0.5, rows)


def test_the_list_is_sorted_in_place_under_all_its_names() -> None:
    def f(xs: Any) -> Any:
        ys = xs
        xs.sort()
        return ys[0] * 2.0 + ys[-1] ** 2

    xs = [0.5, -1.0, 2.0, 0.1, 0.2, 0.3]
    assert sct.value_and_grad(f)(xs) == (2.0, [0.0, 2.0, 4.0, 0.0, 0.0, 0.0])
    assert xs[0] == 0.5


def test_what_is_read_by_a_key_of_run_time_is_not_written_elsewhere() -> None:
    def lists(x: float, letters: Any) -> Any:
        d = {"a": [1.0], "b": [x]}
        for c in letters:
            d[c].append(x)
        return sum(d["a"]) * sum(d["b"])

    def of_a_tuple_of_lists(x: float) -> Any:
        t = ([x], [2.0], [3.0])
        t[steps(x)].append(x * x)
        return sum(t[2]) * sum(t[1])

    letters = list("abbaba")
    value, slope = sct.value_and_grad(lists)(0.3, letters)
    assert same_value(value, lists(0.3, letters))
    assert slope == pytest.approx((lists(0.3 + 1e-6, letters) - lists(0.3 - 1e-6, letters)) / 2e-6)
    with pytest.raises(sct.SctError, match="SCT307"):
        sct.value_and_grad(of_a_tuple_of_lists)(0.3)
