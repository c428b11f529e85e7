"""Dicts whose keys are known only at run time: what Python does with the keys, with the derivative of the values."""

from __future__ import annotations

import copy
import itertools
import math
from collections import defaultdict
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from oracle import agrees, agrees_in_second_order, refuses, same_value
from programs import memos, tables

import sct
from sct import derivative, value_and_grad


def two_steps_back(x: float, n: int) -> Any:
    memo = {0: x, 1: x * x}
    for i in range(2, n):
        memo[i] = 0.5 * memo[i - 1] + memo[i - 2] * x
    return memo[n - 1]


def paths_in_a_grid(x: float, n: int) -> Any:
    memo: Any = {}
    for i in range(n):
        for j in range(n):
            if i == 0 or j == 0:
                memo[i, j] = x + 0.1 * i
            else:
                memo[i, j] = memo[i - 1, j] * 0.3 + memo[i, j - 1] * math.sin(x)
    return memo[n - 1, n - 1] + len(memo)


def computed_once(x: float, n: int) -> Any:
    memo: Any = {}
    t = 0.0
    for i in range(n):
        k = (i * i) % 7
        if k in memo:
            v = memo[k]
        else:
            v = math.sin(x * k)
            memo[k] = v
        t += v * i
    return t


def computed_where_it_is_none(x: float, n: int) -> Any:
    memo: Any = {}
    t = 0.0
    for i in range(n):
        v = memo.get(i % 5)
        if v is None:
            v = math.sin(x * i)
            memo[i % 5] = v
        t += v * i
    return t


def computed_where_it_raises(x: float, n: int) -> Any:
    memo: Any = {}
    t = 0.0
    for i in range(n):
        try:
            v = memo[i % 5]
        except KeyError:
            v = math.sin(x * i)
            memo[i % 5] = v
        t += v * i
    return t


def computed_by_a_closure(x: float, n: int) -> Any:
    memo: Any = {}

    def at(k: int) -> Any:
        if k in memo:
            return memo[k]
        memo[k] = math.sin(k * x)
        return memo[k]

    return sum(at(i % 4) for i in range(n))


class Table:
    def __init__(self) -> None:
        self.entries: Any = {}

    def at(self, k: int, x: float) -> Any:
        if k not in self.entries:
            self.entries[k] = math.exp(-x * k)
        return self.entries[k]


def computed_by_an_object(x: float, n: int) -> Any:
    table = Table()
    s = 0.0
    for i in range(n):
        s += table.at(i % 6, x) * i
    return s


def read_before_it_is_written(x: float, n: int) -> Any:
    memo: Any = {}
    y = x
    for i in range(n):
        if i > 0:
            y = memo[i - 1] * 0.9 + x * x
        memo[i] = y
    return memo[n - 1]


def states(x: float, n: int) -> Any:
    state: Any = {}
    for _ in range(n):
        new = {}
        for j in range(n):
            new[j] = x * j + state.get(j - 1, x) * 0.5
        state = new
    return sum(state.values())


def pairs(x: float, n: int) -> Any:
    d: Any = {}
    for i in range(n):
        a, b = d.get(i % 4, (x, 1.0))
        d[i % 4] = (a * b * 0.5, b + x)
    return sum(a * b for a, b in d.values())


def arrays(x: float, n: int) -> Any:
    d: Any = {}
    for i in range(n):
        d[i % 4] = d.get(i % 4, np.ones(3)) * x + i
    t = 0.0
    for k, v in sorted(d.items()):
        t += np.sum(v) * k
    return t


def deleted(x: float, n: int) -> Any:
    d: Any = {}
    t = 0.0
    for i in range(n):
        d[i] = x * i
        if i >= 4:
            t += d[i - 4] ** 2
            del d[i - 4]
    return t + len(d)


def taken_out(x: float, n: int) -> Any:
    d: Any = {}
    t = 0.0
    for i in range(n):
        d[i % 7] = x * x * i
        t += d.pop((i * i) % 7, 0.5 * x)
        if (i + 1) % 7 in d:
            t += d.pop((i + 1) % 7) * x
    return t + len(d)


def run_over_where_keys_are_deleted(x: float, n: int) -> Any:
    queue: Any = {}
    t = 0.0
    for i in range(n):
        queue[i % 9, "a"] = x * math.sin(i) * x
        if len(queue) > 4:
            best = (0, "a")
            for k in queue:
                if k[0] > best[0]:
                    best = k
            t += queue.pop(best) * 0.5
    for k in list(queue):
        if k[0] % 2:
            del queue[k]
    for (k, _), v in queue.items():
        t += k * v
    return t + sum(queue.values()) + len(queue)


def copied(x: float, n: int) -> Any:
    d: Any = {}
    for i in range(n):
        d[i % 5] = x * x * i
    e, f = dict(d), d.copy()
    for i in range(n):
        e[i] = x
        f[i % 3] *= 3.0
    return sum(d.values()) + 2 * sum(e.values()) + 3 * sum(f.values()) + len(e)


def weights(x: float, words: Any) -> Any:
    c: Any = defaultdict(float)
    for w in words:
        c[w] += x * len(w)
    s = 0.0
    for k, v in c.items():
        s += v * v * len(k)
    return s


def counts(x: float, words: Any) -> Any:
    c: Any = {}
    for w in words:
        c[w] = c.get(w, 0) + 1
    return sum(x**v for v in c.values()) / len(c)


def sums(x: float, words: Any) -> Any:
    c: Any = {}
    for w in words:
        c[w] = c.get(w, 0.0) + x
    return max(v**2 for v in c.values()) + (len(c) if c else 0)


def started(x: float, words: Any) -> Any:
    c: Any = {}
    for i, w in enumerate(words):
        c.setdefault(w, x * x * i)
        c[w] *= 1.5
    return max(c.values()) - min(c.values())


def made_by_a_function(x: float, words: Any) -> Any:
    d: Any = defaultdict(lambda: x)
    for i, w in enumerate(words):
        d[w] = d[w] * d[w] * 0.1 + i
    s = 0.0
    for k in sorted(d):
        s += d[k] * len(k)
    return s


def written_by_a_helper(x: float, words: Any) -> Any:
    def add(d: Any, k: str, v: float) -> None:
        d[k] = d.get(k, 0.0) + v

    d: Any = {}
    for w in words:
        add(d, w, x * len(w))
        add(d, w[0], x * x)
    return sum(v * v for v in d.values())


def written_while_a_loop_runs_over_it(x: float, words: Any) -> Any:
    d: Any = {}
    for i, w in enumerate(words):
        d[w] = x * i
    for k in d:
        d[k] *= 2.0
    for k, v in d.items():
        d[k] = v * x
    return max(d.values()) + min(d.values())


def lists(x: float, words: Any) -> Any:
    d: Any = defaultdict(list)
    for i, w in enumerate(words):
        d[w].append(x * i)
    return sum(max(v) ** 2 * len(v) for v in d.values())


def lists_of_a_dict(x: float, words: Any) -> Any:
    d: Any = {}
    none = list(d.values())
    none.append(x)
    for i, w in enumerate(words):
        d[w] = x * i
    values, keys, items = list(d.values()), list(d), list(d.items())
    for i, w in enumerate(words):
        d[w + "z"] = 5.0 * x * i
    return sum(values) * len(keys) + sum(v * len(k) for k, v in items) + sum(none) + sum(d.values()) * x


def numbered(x: float, words: Any) -> Any:
    d: Any = {}
    for i, w in enumerate(words):
        d[w, len(w)] = x * i
    s = 0.0
    for i, ((w, n), v) in enumerate(d.items()):
        s += v * d[w, n] * (i + n)
        d[w, n] = x
    return s + sum(d.values())


def cells(x: float, positions: Any) -> Any:
    cells: Any = {}
    for i in range(len(positions)):
        cells.setdefault(int(positions[i] // 1.0), []).append(i)
    e = 0.0
    for key, members in cells.items():
        for i in members:
            for j in cells.get(key + 1, []):
                e += x * x * (positions[i] - positions[j]) ** 2
    return e


def words(n: int) -> list[str]:
    return [("spam", "a", "egg", "toast")[k % 4] + "s" * (k % 3) for k in range(n)]


OF_NUMBERS = [two_steps_back, paths_in_a_grid, computed_once, computed_where_it_is_none, computed_where_it_raises,
              computed_by_a_closure, computed_by_an_object, read_before_it_is_written, states, pairs, arrays, deleted,
              taken_out, run_over_where_keys_are_deleted, copied, memos.fibonacci_like, memos.fibonacci_cached,
              memos.memo_with_a_start, memos.memo_of_arrays, memos.chebyshev, memos.appended_to_a_list]
OF_WORDS = [weights, counts, sums, started, made_by_a_function, written_by_a_helper, written_while_a_loop_runs_over_it,
            lists, lists_of_a_dict, numbered, tables.transitions, tables.rows_by_first_letter,
            tables.lists_in_two_levels, tables.groups_of_pairs, tables.group_means, tables.a_row_with_a_name,
            tables.deleted_from_a_row, tables.postings, tables.statistics_by_key, tables.entropy_of_the_large,
            tables.best_mean, tables.ranks, tables.best_worst_and_order, tables.joined_dicts]

PROGRAMS: list[tuple[Callable[..., Any], Callable[[int], Any]]] = [
    *((f, lambda n: n) for f in OF_NUMBERS), *((f, words) for f in OF_WORDS),
    (cells, lambda n: np.linspace(0.0, 9.0, n))]


@pytest.mark.parametrize("f, make", PROGRAMS, ids=[f.__name__ for f, _ in PROGRAMS])
def test_keys_of_run_time(f: Callable[..., Any], make: Callable[[int], Any]) -> None:
    g = sct.value_and_grad(f)
    for n in (12, 31, 17):
        data = make(n)
        before = copy.deepcopy(data)
        value, slope = g(0.7, data)
        assert np.array_equal(before, data)
        assert same_value(value, f(0.7, make(n)))
        assert slope == pytest.approx((f(0.7 + 1e-6, data) - f(0.7 - 1e-6, data)) / 2e-6, rel=1e-5, abs=1e-6)
        assert sct.jvp(lambda x: f(x, data), (0.7,), (1.0,))[1] == pytest.approx(slope, rel=1e-12)
        assert sct.vjp(lambda x: f(x, data), 0.7)[1](1.0)[0] == pytest.approx(slope, rel=1e-12)
    assert len(g.sources) == 1
    curvature = (g(0.7 + 1e-5, data)[1] - g(0.7 - 1e-5, data)[1]) / 2e-5
    assert sct.grad(sct.grad(f))(0.7, data) == pytest.approx(curvature, rel=1e-4, abs=1e-5)


def held_by_a_name(x: float, words: Any) -> Any:
    table: Any = {}
    for i, w in enumerate(words):
        table.setdefault(w[0], {})[w] = x * i
    row = table["s"]
    table["s"] = {}
    row["n"] = x * x
    return sum(row.values()) + sum(v for r in table.values() for v in r.values())


def taken_from_a_list(x: float, words: Any) -> Any:
    rows: Any = []
    for i, w in enumerate(words):
        rows.append({})
        rows[-1][w] = x * i
        rows[0][w] = x
    first = rows[0]
    rows.pop(0)
    first["q"] = x * 5
    rows[0]["p"] = x * 7
    return sum(first.values()) + sum(v * (k + 1) for k, row in enumerate(rows) for v in row.values())


def one_row_at_several_keys(x: float, words: Any) -> Any:
    table: Any = {}
    row = {}
    for i, w in enumerate(words):
        row[w] = x * i
        table[w[0]] = row
    table["s"]["z"] = x * x
    return sum(v for r in table.values() for v in r.values())


def rows_that_change_places(x: float, words: Any) -> Any:
    table: Any = {}
    for i, w in enumerate(words):
        table.setdefault(w[0], {})[w] = x * i
    table["a"], table["s"] = table["s"], table["a"]
    table["a"]["q"] = x * x
    return sum(v * len(k) for k in table for v in table[k].values())


def one_list_with_two_names(x: float, words: Any) -> Any:
    table: Any = defaultdict(list)
    named = table["s"]
    for i, w in enumerate(words):
        table[w[0]].append((x * i, w))
    return sum(a * len(b) for a, b in named) + len(named)


def a_shallow_copy(x: float, words: Any) -> Any:
    table: Any = {}
    for i, w in enumerate(words):
        table.setdefault(w[0], {})[w] = x * i
    copied = table.copy()
    copied["s"]["n"] = x * x
    table["a"]["k"] = 3 * x
    return sum(v for r in table.values() for v in r.values()) + 2 * sum(v for r in copied.values() for v in r.values())


@pytest.mark.parametrize("f", [held_by_a_name, taken_from_a_list, one_row_at_several_keys, rows_that_change_places,
                               one_list_with_two_names, a_shallow_copy], ids=lambda f: f.__name__)
def test_rows_with_several_names_are_right_or_refused(f: Callable[..., Any], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SCT_VALIDATE", "0")
    try:
        value, slope = sct.value_and_grad(f)(0.7, words(12))
    except sct.SctError as refusal:
        assert refusal.code != "SCT602"
        return
    assert same_value(value, f(0.7, words(12)))
    assert slope == pytest.approx((f(0.7 + 1e-6, words(12)) - f(0.7 - 1e-6, words(12))) / 2e-6, rel=1e-5)


def test_a_missing_key_raises_as_in_python() -> None:
    def f(x: float, words: Any) -> Any:
        d = {}
        for w in words[:-1]:
            d[w] = x
        return sum(d[w] for w in words)

    def taken(x: float, words: Any) -> Any:
        d = {}
        for w in words:
            d[w, 1] = x
        s = 0.0
        for w in words:
            s += d.pop((w, 1))
        return s

    derivative = sct.value_and_grad(f)
    agrees(f, 0.5, ["a", "b", "a"] * 5, derivative=derivative)
    agrees(f, 0.5, ["a", "b"] * 5 + ["c"], derivative=derivative)
    derivative = sct.value_and_grad(taken)
    agrees(taken, 0.5, list("abcdefghi"), derivative=derivative)
    agrees(taken, 0.5, list("abcdefgha"), derivative=derivative)


def test_a_dict_that_changes_size_in_a_loop_over_it() -> None:
    def f(x: float, words: Any) -> Any:
        d: Any = {}
        for w in words:
            d[w] = x
        for w in d:
            d[w + "s"] = x
        return len(d) * x

    agrees(f, 0.5, ["a", "b"] * 5)


def test_keys_that_are_deleted_in_a_loop_over_them() -> None:
    def f(x: float, n: int) -> Any:
        d = {}
        for i in range(n):
            d[i] = x
        for k in d:
            del d[k]
        return len(d) * x

    agrees(f, 0.5, 20)
    refuses(f, 0.5, 300, code="SCT306")


def test_an_iterator_of_a_dict_that_is_written_since() -> None:
    def f(x: float, n: int) -> Any:
        d: Any = {}
        for i in range(n):
            d[i] = x
        it = iter(d.values())
        for i in range(n):
            d[i % 7, "a"] = 5.0 * x
        return sum(v for v in it)

    refuses(f, 0.5, 300, code="SCT306")


SUCCESSORS = {1: [2, 3], 2: [3], 3: [4, 5, 6], 5: [1]}
OTHERS = {1: [4, 3], 2: [1, 2, 3], 3: [2]}


def test_a_list_of_one_of_several_dicts_from_outside() -> None:
    def walk(x: float, n: int) -> Any:
        nodes = [1]
        for _ in range(n):
            nodes.extend(SUCCESSORS.get(nodes[-1], ()))
            nodes.extend(OTHERS[nodes[0]] if nodes[-1] in OTHERS else [])
        return sum(x**k for k in nodes)

    def by_turns(x: float, n: int) -> Any:
        t = 0.0
        for k in range(n):
            row = SUCCESSORS[k % 3 + 1] if x * k > 1.0 else OTHERS[k % 3 + 1]
            for j in row:
                t += x**j
        return t

    def none_at_some(x: float, n: int) -> Any:
        rows: Any = {}
        for k in range(n):
            rows.setdefault(k % 3, []).append(x * k)
        t = 0.0
        for k in range(n):
            for v in rows.get(k % 5, ()):
                t += v * v
        return t

    for f in (walk, by_turns, none_at_some):
        agrees(f, 0.9, 7)


def test_a_list_of_one_of_several_lists_is_not_written() -> None:
    def f(x: float, n: int) -> Any:
        own = [[x * x] for _ in range(n)]
        t = 0.0
        for k in range(n):
            row = SUCCESSORS[k % 3 + 1] if k % 2 == 0 else own[k]
            own[k].append(x)
            t += sum(row) ** 2
        return t

    refuses(f, 0.9, 7, code="SCT302")


def rank(d: float, links: dict[str, list[str]], ranks: dict[str, float]) -> Any:
    for _ in range(3):
        new = {}
        for node in ranks:
            new[node] = (1.0 - d) / len(ranks)
        for node, outs in links.items():
            for out in outs:
                new[out] += d * ranks[node] / len(outs)
        ranks = new
    return sum(r * r for r in ranks.values())


def of_words(weights: dict[str, float], words: list[str]) -> Any:
    t = 0.0
    for k, w in enumerate(words):
        t += weights[w] ** 2 * k + weights.get(w + "s", 1.0)
    return t + sum(w * len(name) for name, w in weights.items() if name in words)


def graph(n: int) -> dict[str, list[str]]:
    return {f"n{k}": [f"n{(7 * k + 3 * j + 1) % n}" for j in range(1 + k % 4)] for k in range(n)}


def test_a_loop_over_an_argument_of_many_keys_is_one_loop() -> None:
    links = graph(18)
    weights = {name: 0.1 * k + 0.3 for k, name in enumerate([*links, "n"])}
    agrees(rank, 0.85, links, {name: weights[name] for name in links})
    words = ["n1", "n", "n2", "n3", "n1"]
    g = sct.grad(of_words)
    slopes = g(weights, words)
    assert slopes["n1"] == 2.0 * 0.4 * 4 + 2.0 and list(slopes) == list(weights)
    assert g.source.count("for ") == 5
    tangent = dict.fromkeys(weights, 1.0)
    np.testing.assert_allclose(sct.jvp(of_words, (weights, words), (tangent, None))[1], sum(slopes.values()))
    assert sct.hvp(of_words, (weights, words), (tangent, None))["n1"] == 8.0


def test_an_argument_of_many_keys_that_is_written_or_returned() -> None:
    def written(weights: Any) -> Any:
        for name in weights:
            weights[name] = weights[name] * len(name)
        return sum(v * v for v in weights.values())

    def returned(weights: Any) -> Any:
        return {name: v * v for name, v in weights.items()}

    def of_one_list(links: Any, row: Any, weights: Any) -> Any:
        row.append("n2")
        return sum(weights[outs[-1]] for outs in links.values())

    links = graph(17)
    weights = {name: 0.1 * k + 0.3 for k, name in enumerate(links)}
    agrees(written, weights)
    cts = dict.fromkeys(weights, 1.0)
    assert sct.vjp(returned, weights)[1](cts)[0] == {name: 2.0 * v for name, v in weights.items()}
    squares = sct.grad(lambda d: sum(v * v for v in d.values()))
    assert squares({math.inf: 1.0, **dict.fromkeys(range(17), 0.5)})[math.inf] == 2.0
    row = ["n1"]
    slopes = sct.grad(of_one_list, 2)({**links, "n0": row}, row, weights)
    assert slopes["n2"] == 1.0 + sum(outs[-1] == "n2" for name, outs in links.items() if name != "n0")


def test_lists_passed_twice_beside_a_dict_of_run_time_keys() -> None:
    def f(x: float, a: Any, b: Any) -> Any:
        a.append(x)
        memo: Any = {}
        for k in range(9):
            memo[k % 4] = memo.get(k % 4, 0.0) + x * k
        return sum(memo.values()) + sum(b)

    one = [1.0, 2.0]
    agrees(f, 0.5, one, one)


def test_the_emitted_code_is_as_one_would_write_it() -> None:
    g = sct.grad(weights)
    g(0.5, words(20))
    assert "at = c_places.setdefault(w, len_c)" in g.source
    assert "c[at] += x * len(w)" in g.source and "dx += dc[at] * len(w)" in g.source


def test_the_paths_disagree_on_which_dict_is_written() -> None:
    def f(x: float, n: int) -> Any:
        a: Any = {}
        b: Any = {}
        for i in range(n):
            d = a if i % 2 else b
            d[i] = x * i
        return sum(a.values())

    derivative = value_and_grad(f)
    for n in (30, 3, 1, 0):
        agrees(f, 0.5, n, derivative=derivative)


@pytest.mark.parametrize("f", OF_WORDS[4:], ids=lambda f: f.__name__)
def test_the_code_does_not_depend_on_the_amount_of_data(f: Callable[..., Any], monkeypatch: pytest.MonkeyPatch) -> None:
    texts = []
    for n in (12, 192):
        monkeypatch.setattr(derivative, "_families", {})  # each is compiled for its own data
        g = sct.value_and_grad(f)
        g(0.7, words(n))
        texts.append(g.source)
    assert texts[0] == texts[1]


def after_the_first(x, words):
    d, s, before = {"a": x, "b": 2 * x}, 0.0, None
    for word in words:
        if before is not None:
            s += d[before] * d[word]
        before = word
    return s


def with_a_default(x, words):
    d, s = {"a": x, "b": x * x}, 0.0
    for word in (None if len(words) == 1 else words[1], words[0]):
        s += d.get(word, 3 * x)
    return s


def of_none(x, words):
    d, s, before = {"a": x, "b": x * x, None: 3 * x}, 0.0, None
    for word in words:
        s += d[before] * (1.5 if before in ("a", "b") else 1.0)
        before = word
    return s


@pytest.mark.parametrize("f", [after_the_first, with_a_default, of_none])
def test_keys_that_are_strings_or_none(f):
    for words in (["a", "b", "a"], ["b"], ["b", "b", "a", "a"]):
        value, slope = value_and_grad(f)(1.3, words)
        assert value == f(1.3, words)
        assert slope == pytest.approx((f(1.3 + 1e-6, words) - f(1.3 - 1e-6, words)) / 2e-6, rel=1e-7)


def test_a_key_that_is_none_is_missing():
    def f(x, words):
        d, s, before = {"a": x}, 0.0, None
        for word in words:
            s += d[before]
            before = word
        return s

    with pytest.raises(KeyError, match="None"):
        value_and_grad(f)(1.3, ["a"])


def test_empty_tuples_are_no_items():
    def f(x, keys):
        d = {}
        for i, k in enumerate(keys):
            d.setdefault(k, ())
            d[k] = d[k] + (x * i,)
        return sum(map(sum, d.values()))

    def as_lists(x, keys):
        d = {}
        for i, k in enumerate(keys):
            d.setdefault(k, []).append(x * i)
        return sum(map(sum, d.values()))

    assert "use lists" in refuses(f, 1.5, [1, 2, 3, 1, 2, 4, 5, 1], code="SCT310").hint
    agrees(as_lists, 1.5, [1, 2, 3, 1, 2, 4, 5, 1])


def test_dicts_of_two_places_that_meet_have_the_keys_of_both():
    def in_a_loop(x, weights, edges):
        out = {}
        for _, v, _ in edges:
            out.setdefault(v, {})
        nodes = sorted(out)
        base = {n: weights.get(n, 0.1) * x for n in nodes}
        rank = dict(base)
        for _ in range(20):
            dangling = sum(rank[n] for n in nodes if not out[n])
            new = {}
            for n in nodes:
                new[n] = 0.5 * base[n] + 0.1 * dangling
            rank = new
        order = sorted(rank.items(), key=lambda kv: (-kv[1], kv[0]))
        return order[0][1] * len(order[0][0])

    def in_a_branch(x, weights, edges):
        first = {}
        for u, _, w in edges:
            first[u] = first.get(u, 0.0) + w * x
        if x > 0.5:
            second = {}
            for _, v, w in edges:
                second[v] = x * x * w
            first = second
        return sum(v * (i + 1) for i, (_, v) in enumerate(sorted(first.items())))

    edges = [("a", "b", 1.0), ("b", "c", 2.0), ("c", "a", 0.5), ("a", "c", 0.7), ("d", "c", 1.0), ("c", "e", 0.4)]
    for f in (in_a_loop, in_a_branch):
        derivative = value_and_grad(f)
        for x in (0.85, 0.2):
            agrees(f, x, {"a": 0.3, "d": 0.2}, edges)
            for some in (edges, edges[:2], edges[:4]):
                assert derivative(x, {"a": 0.3, "d": 0.2}, some)[0] == f(x, {"a": 0.3, "d": 0.2}, some)


def the_last_of_a_loop(x, n, names):
    for i in range(n):
        new = {}
        for k in names:
            new[k] = x * (i + 1)
    return new["a"] * x + len(new)


def an_early_return(x, n, names):
    """What is returned is read behind the loop."""
    links = {}
    for a, b in itertools.pairwise(names):
        links.setdefault(a, {})[b] = x
        links.setdefault(b, {})[a] = 2.0 * x
    s, at = 0.0, names[0]
    while s < 6.0:
        for w in links[at].values():
            s += w
        at = names[1]
    for i in range(n):
        new = {}
        for k in links:
            new[k] = s * x
        if s > 12.0:
            return new[at]
        s += x
    return s


def in_one_branch(x, n, names):
    if n > 2:
        new = {}
        for k in names:
            new[k] = new.get(k, 0.0) + x
    t = x
    if n > 2:
        t += new["a"] * x + len(new)
    return t


@pytest.mark.parametrize("f", [the_last_of_a_loop, an_early_return, in_one_branch])
def test_dicts_that_are_bound_first_in_a_loop_or_a_branch(f: Callable[..., Any]) -> None:
    derivative = value_and_grad(f)
    for n in (3, 20, 1, 0):
        agrees(f, 1.4, n, ["a", "b", "c", "a"], derivative=derivative)
        agrees(f, 0.7, n, ["b", "a"], derivative=derivative)
    agrees_in_second_order(f, 1.4, 3, ["a", "b", "c", "a"])


# -- dicts that are emptied --------------------------------------------------------------------------------


def sums_of_each_round(x: float, names: list[str], n: int) -> Any:
    d: Any = {}
    total = 0.0
    for k in range(n):
        for i, name in enumerate(names):
            d[name] = d[name] * x if name in d else x * (i + 1)
        total += sum(d.values()) * len(d)
        if k % 2:
            d.clear()
    return total + sum(v * v for _, v in d.items())


def emptied_when_full(x: float, names: list[str], n: int) -> Any:
    cache: Any = {}
    total = 0.0
    for k in range(n):
        for name in names:
            if name not in cache:
                if len(cache) >= 2:
                    cache.clear()
                cache[name] = x * x * len(name) + k
            total += cache[name]
    return total


def emptied_under_another_name(x: float, names: list[str], n: int) -> Any:
    d: Any = {}
    same = d
    for name in names:
        d[name] = x
    total = sum(d.values())
    same.clear()
    for name in names:
        d.setdefault(name, []).append(x * n)
    return total + sum(len(v) * v[0] for v in d.values())


class Cells:
    def __init__(self, size: float) -> None:
        self.size = size
        self.members: Any = defaultdict(list)

    def build(self, points: Any) -> None:
        self.members.clear()
        for i, p in enumerate(points):
            self.members[int(p // self.size), i % 2].append(i)


def cells_of_moving_points(x: float, names: list[str], n: int) -> Any:
    cells, total = Cells(0.5), 0.0
    points = [x * k for k in range(len(names))]
    for _ in range(n):
        cells.build(points)
        for (cell, _), members in cells.members.items():
            for i in members:
                for j in members:
                    total += points[i] * points[j] * (cell + 1)
        points = [0.9 * p + 0.01 for p in points]
    return total


@pytest.mark.parametrize("f", (sums_of_each_round, emptied_when_full, emptied_under_another_name,
                               cells_of_moving_points), ids=lambda f: f.__name__)
def test_dicts_that_are_emptied(f: Callable[..., Any]) -> None:
    each = value_and_grad(f)
    for args in ((1.23, list("abcab"), 4), (0.92, list("xyxyxzzzw"), 3), (1.1, ["q"], 2)):
        agrees(f, *args)
        agrees_in_second_order(f, *args)
        same_value(each(*args)[0], f(*args))


def test_a_dict_that_is_emptied_in_a_loop_over_it() -> None:
    def f(x: float, names: list[str]) -> Any:
        d: Any = {}
        for name in names:
            d[name] = x
        total = 0.0
        for key in d:
            total += d[key]
            if total > 3.0:
                d.clear()
        return total

    for g in (f, value_and_grad(f)):
        with pytest.raises(RuntimeError, match="changed size during iteration"):
            g(1.3, list("abcab"))
