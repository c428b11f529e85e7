"""Tuples in records that get longer, sums of arrays whose sizes are known only at run time, and lists beside
generators."""

from __future__ import annotations

import csv
import heapq
import io
import itertools
import statistics
from collections import defaultdict, deque, namedtuple
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from oracle import agrees, refuses

from sct import check_grads

W = np.array([[0.1, 0.23], [0.41, 0.35]])
Hypothesis = namedtuple("Hypothesis", "tokens score")


@dataclass
class Path:
    tokens: tuple[int, ...]
    score: float


def beam_of_tuples(W: Any, n: int) -> Any:
    beam: Any = [((0,), 0.0)]
    for _ in range(n):
        new = []
        for tokens, score in beam:
            for t in range(2):
                new.append((tokens + (t,), score + W[tokens[-1], t] * len(tokens)))
        beam = sorted(new, key=lambda p: -p[1])[:3]
    return max(s for _, s in beam)


def beam_of_named_tuples(W: Any, n: int) -> Any:
    beam = [Hypothesis((0,), 0.0)]
    for _ in range(n):
        new = []
        for h in beam:
            for t in range(2):
                new.append(Hypothesis(h.tokens + (t,), h.score + W[h.tokens[-1], t]))
        beam = sorted(new, key=lambda p: -p.score)[:3]
    best = beam[0]
    print(best.tokens)
    return sum(W[i, j] * (k + 1) for k, (i, j) in enumerate(zip(best.tokens, best.tokens[1:]))) + best.score


def beam_of_objects(W: Any, n: int) -> Any:
    beam = [Path((0,), 0.0)]
    for _ in range(n):
        new = []
        for h in beam:
            for t in range(2):
                new.append(Path(h.tokens + (t,), h.score + W[h.tokens[-1], t]))
        new.sort(key=lambda p: -p.score)
        beam = new[:3]
    best = beam[0]
    return sum(W[i, j] * (k + 1) for k, (i, j) in enumerate(zip(best.tokens, best.tokens[1:]))) + best.score


def differentiated_items(W: Any, n: int) -> Any:
    rows: Any = [((W[0, 0],), 0.0)]
    for _ in range(n):
        new = []
        for path, score in rows:
            for t in range(2):
                new.append((path + (W[t, 0] * path[-1],), score + W[0, t]))
        rows = new
    return sum(sum(p) * s for p, s in rows)


def arrays_in_tuples(W: Any, n: int) -> Any:
    rows: Any = [((W[0],), 1.0)]
    for k in range(n):
        t, s = rows[-1]
        rows.append((t + (W[k % 2] * s,), s * 1.5))
    return sum(np.sum(sum(t)) * s for t, s in rows)


def pairs_in_tuples(W: Any, n: int) -> Any:
    rows: Any = [((0, 1),)]
    for k in range(n):
        rows.append(rows[-1] + ((k % 2, 0),))
    return sum(W[i, j] for row in rows for i, j in row)


def items_that_leave_a_queue(W: Any, n: int) -> Any:
    queue: Any = [((), 0.0)]
    total = 0.0
    while queue:
        trail, s = queue.pop(0)
        if len(trail) == n:
            total = total + s * sum(trail)
            continue
        for k in range(2):
            queue.append((trail + (k + 1,), s + W[k, len(trail) % 2]))
    return total


def least_first(W: Any, n: int) -> Any:
    heap: Any = [(0.0, 0, (0,))]
    count = 0
    while True:
        cost, _, path = heapq.heappop(heap)
        if len(path) > n:
            return cost * len(path) + W[path[-1], 0]
        for k in range(2):
            count += 1
            heapq.heappush(heap, (cost + W[path[-1], k], count, path + (k,)))


def compared_paths(W: Any, n: int) -> Any:
    heap: Any = [(0.0, (0,))]
    while True:
        cost, path = heapq.heappop(heap)
        if len(path) > n:
            return cost * len(path) + W[path[-1], 0]
        for k in range(2):
            heapq.heappush(heap, (cost + W[path[-1], k], path + (k,)))


def seen_paths(W: Any, n: int) -> Any:
    queue: Any = deque([((0,), 1.0)])
    seen = set()
    total = 0.0
    while queue:
        path, v = queue.popleft()
        if path in seen or len(path) > n:
            continue
        seen.add(path)
        total += v * W[path[-1], 0]
        for k in range(2):
            queue.append((path + (k,), v * W[path[-1], k]))
    return total


def sorted_rows(W: Any, n: int) -> Any:
    rows: Any = [((0,), W[0, 0])]
    for k in range(n):
        rows.append((rows[-1][0] + (k % 2,), W[k % 2, 1] * rows[-1][1]))
    rows.sort(reverse=True)
    return sum(k * len(t) * s for k, (t, s) in enumerate(rows))


def lengths_by_path(W: Any, n: int) -> Any:
    rows: Any = []
    for k in range(n):
        rows.append((W[0, 0],) if k % 2 else (W[0, 1], 2.0 * k))
    total = 0.0
    for r in rows:
        if len(r) == 2:
            a, b = r
            total += a * b
        else:
            (a,) = r
            total += a * a
    return total


def empty_at_first(W: Any, n: int) -> Any:
    rows: Any = [((), 1.0)]
    for k in range(n):
        t, s = rows[k // 2]
        rows.append(((k, *t), s + W[k % 2, 1]))
    longest = max(rows, key=lambda r: (len(r[0]), r[1]))
    return longest[1] * sum(longest[0]) + len([1 for t, _ in rows if t])


def one_tuple_in_two_records(W: Any, n: int) -> Any:
    rows: Any = [((W[0, 0], 1.0), 0)]
    for k in range(n):
        rows.append((rows[k][0], k))
        rows.append((rows[k][0] + (W[1, 0],), k))
    return sum(sum(t) * (k + 1) for t, k in rows)


def values_of_a_dict(W: Any, n: int) -> Any:
    best: Any = {0: (0.0, (0,))}
    for k in range(1, n + 1):
        cost, path = best[k - 1]
        best[k] = (cost + W[path[-1], k % 2] ** 2, path + (k % 2,))
    cost, path = best[n]
    return cost * len(path) + sum(W[i, i] for i in path)


@pytest.mark.parametrize("f", [
    beam_of_tuples, beam_of_named_tuples, beam_of_objects, differentiated_items, arrays_in_tuples, pairs_in_tuples,
    items_that_leave_a_queue, least_first, compared_paths, seen_paths, sorted_rows, lengths_by_path, empty_at_first,
    one_tuple_in_two_records, values_of_a_dict])
def test_tuples_that_get_longer(f: Callable[..., Any]) -> None:
    for n in (3, 4, 1):
        agrees(f, W, n)
    check_grads(f, (W, 3), order=2)


def test_an_array_in_a_tuple_is_not_written() -> None:
    def f(W: Any, n: int) -> Any:
        v = np.ones(2)
        rows: Any = [((v,), 1.0)]
        for k in range(n):
            t, s = rows[-1]
            rows.append((t + (W[k % 2] * s,), s * 1.5))
        v[0] = W[1, 1]
        return sum(np.sum(sum(t)) * s for t, s in rows)

    refuses(f, W, 3, code="SCT307")


# -- sums of arrays of sizes of run time ---------------------------------------------------------------------

X = np.arange(8.0).reshape(4, 2) + 0.3


def made_of_rows(rate: float, X: Any, n: int) -> Any:
    return [rate * np.array([r[0] * (k + 1) for r in X]) for k in range(n)]


class Stump:
    def __init__(self, v: Any) -> None:
        self.v = v

    def predict_one(self, row: Any) -> Any:
        return self.v * row[0]

    def predict(self, X: Any) -> Any:
        return np.array([self.predict_one(row) for row in X])


def ensemble(rate: float, X: Any, n: int) -> Any:
    stumps = []
    F = np.zeros(len(X))
    for _ in range(n):
        t = Stump(np.mean(X[:, 0] - F))
        stumps.append(t)
        F = F + rate * t.predict(X)
    return np.sum(sum(rate * t.predict(X[1:]) for t in stumps) ** 2)


def sum_from_zero(rate: float, X: Any, n: int) -> Any:
    return np.sum(sum(made_of_rows(rate, X, n)) ** 2)


def sum_from_an_array(rate: float, X: Any, n: int) -> Any:
    return np.sum(sum(made_of_rows(rate, X, n), rate * np.ones(len(X))) ** 2)


def sum_of_one_and_three(rate: float, X: Any, n: int) -> Any:
    parts = []
    for k in range(n):
        parts.append(rate * X[:(1 if k % 2 == 0 else 3), 0])
    return np.sum((sum(parts) + sum(parts[:1])) ** 2)


@pytest.mark.parametrize("f", [ensemble, sum_from_zero, sum_from_an_array, sum_of_one_and_three])
def test_sums_of_arrays(f: Callable[..., Any]) -> None:
    for n in (3, 4, 1):
        agrees(f, 0.3, X, n)
    check_grads(f, (0.3, X, 3), argnums=(0, 1), order=2)


# -- zip of a short list and a generator ----------------------------------------------------------------------


def read(text: str) -> Iterator[tuple[str, float]]:
    for row in csv.DictReader(io.StringIO(text)):
        yield row["kind"], float(row["spread"])


def quotes(rates: list[float], text: str) -> Any:
    return sum([r * s ** 2 for r, (_, s) in zip(rates, read(text))])


def quotes_first(rates: list[float], text: str) -> Any:
    return sum([r * r * s for (kind, s), r in zip(read(text), rates) if kind == "a"])


def written_meanwhile(rates: list[float], text: str) -> Any:
    own = [r * r for r in rates]
    total, k = 0.0, 0
    for r, (_, s) in zip(own, read(text)):
        k += 1
        if k < len(own):
            own[k] = own[k] * r
        total += r * s
    return total


def counted(rates: list[float], text: str) -> Any:
    total = 0.0
    for k, (r, (_, s)) in enumerate(zip(rates, read(text)), 1):
        total += k * r * s
    return total


@pytest.mark.parametrize("f", [quotes, quotes_first, written_meanwhile, counted])
@pytest.mark.parametrize("n", [1, 2, 4, 6])
def test_a_list_beside_a_generator(f: Callable[..., Any], n: int) -> None:
    text = "kind,spread\n" + "".join(f"{'ab'[k % 2]},{k + 1.5}\n" for k in range(5))
    agrees(f, [0.5 + 0.25 * k for k in range(n)], text)
    check_grads(f, ([0.5 + 0.25 * k for k in range(n)], text), order=2)


# -- sets and dicts of keys of run time -----------------------------------------------------------------------


def words_of(x: float, text: str) -> Any:
    names = sorted(set(dict.fromkeys(text.split(), 1)) - {"bb"})
    needs = {}
    for name in text.split():
        needs[name] = len(name)
    return x * len(set(needs) - {"a"}) + x * x * len(names)


def windows(x: float, text: str) -> Any:
    trail: Any = (0,)
    for k in range(len(text)):
        trail = (*trail, k % 2)
    pairs = [tuple(trail[i:i + 2]) for i in range(len(trail) - 1)]
    seen: Any = {}
    for p in pairs:
        seen[p] = seen.get(p, 0) + 1
    return x * len(set(pairs)) + x * x * max(seen.values())


def distances(x: float, text: str) -> Any:
    names = sorted(text.split())
    d = {frozenset(p): x * len(p[0]) + len(p[1]) for p in itertools.combinations(names, 2)}
    new = names[0] + names[1]
    d[frozenset((new, names[2]))] = d[frozenset(names[1:3])] * x
    return sum(d[frozenset((a, b))] ** 2 for a in names for b in names if a != b) + sum(v for v in d.values())


def joined_clusters(x: float, text: str) -> Any:
    clusters = {n: len(n) for n in sorted(text.split())}
    total = 0.0
    while len(clusters) > 1:
        u, v = min(itertools.combinations(sorted(clusters), 2), key=lambda p: clusters[p[0]] + clusters[p[1]])
        nu, nv = clusters.pop(u), clusters.pop(v)
        total += x * nu * nv + x * x
        clusters[f"({u},{v})"] = nu + nv
    return total


def joined_lists(x: float, text: str) -> Any:
    counts: Any = defaultdict(int)
    for line in text.split():
        path: Any = []
        for _ in line:
            path = path + ["N" if x > 0.0 else "V"]
        for g in path:
            counts[g] += 1
    return x * x * counts["N"]


@pytest.mark.parametrize("f", [words_of, windows, distances, joined_clusters, joined_lists])
def test_keys_of_run_time(f: Callable[..., Any]) -> None:
    for text in ("a bb ccc dddd", "aaa b cc", "xx y zzz vvvvv w"):
        agrees(f, 0.5, text)
    check_grads(f, (0.5, "a bb ccc dddd"), order=2)


def tagged(emit: dict[str, float], text: str) -> Any:
    counts: Any = defaultdict(int)
    loss = 0.0
    for line in text.splitlines():
        best: Any = {t: (emit[t], [t]) for t in sorted(emit)}
        for w in line.split()[1:]:
            new = {}
            for t in sorted(emit):
                score, prev = max((best[s][0] + len(w) * emit[s], s) for s in sorted(emit))
                new[t] = (score + emit[t], best[prev][1] + [t])
            best = new
        score, path = max(best.values(), key=lambda p: p[0])
        loss += score
        for w, guess in zip(line.split(), path):
            counts[guess in w] += 1
    return loss + 0.1 * counts[True] * loss


def test_tuples_of_a_number_and_a_list_by_key() -> None:
    emit = {"D": 0.3, "N": 0.5, "V": 0.1}
    for text in ("aN bbV\ncN", "a\nN b c d", "xN yN"):
        agrees(tagged, emit, text)
    check_grads(tagged, (emit, "aN bbV\ncN"), order=2)


# -- merged lists ---------------------------------------------------------------------------------------------


def merged(x: list[float], times: list[float]) -> Any:
    total = 0.0
    for when, kind in heapq.merge([(0.0, 0), (2.0, 0)], ((t, 1) for t in times), [(v, 2) for v in sorted(x)]):
        total = 0.9 * total + when * (kind + 1) * x[0]
    return total


def merged_in_a_generator(x: list[float], times: list[float]) -> Any:
    def events() -> Iterator[Any]:
        for when, k, name in heapq.merge(sorted((s, 0, "dose") for s in x), ((t, 1, "obs") for t in times)):
            if name == "dose":
                yield x[0] * when + k
            else:
                yield x[1] * when

    total = 0.0
    for v in events():
        total += v * v
    return total


def merged_by_key(x: list[float], times: list[float]) -> Any:
    rows = [(t, k) for k, t in enumerate(times)]
    total = 0.0
    for i, (t, v) in enumerate(heapq.merge(rows, sorted(zip(x, x)), key=lambda r: r[0])):
        total += i * v * x[0] + t * x[1]
    return total


def tagged_with(tag: int, xs: Any) -> Iterator[Any]:
    for v in xs:
        yield v, tag


def merged_generators(x: list[float], times: list[float]) -> Any:
    both = heapq.merge(tagged_with(0, sorted(x)), tagged_with(1, times), tagged_with(2, []))
    return sum(i * t * (tag + 1) * x[1] for i, (t, tag) in enumerate(both))


@pytest.mark.parametrize("f", [merged, merged_in_a_generator, merged_by_key, merged_generators])
def test_merged_lists(f: Callable[..., Any]) -> None:
    for x, times in (([0.7, 0.3], [0.1, 0.5, 0.9]), ([0.2, 1.1, 0.4, 0.6, 3.0], [0.3, 2.5]), ([0.3, 0.4], [])):
        agrees(f, x, times)
    check_grads(f, ([0.7, 0.3], [0.1, 0.5, 0.9]), order=2)


# -- statistics ------------------------------------------------------------------------------------------------


def mean_of_a_loop(x: float) -> Any:
    draws = []
    rng = np.random.default_rng(3)
    for _ in range(10):
        total = 0.0
        for _ in range(4):
            total += x * x * rng.standard_normal()
        draws.append(total)
    return statistics.fmean(draws) + np.std(draws)


def test_mean_of_a_list_that_a_loop_makes() -> None:
    agrees(mean_of_a_loop, 0.5)
    check_grads(mean_of_a_loop, (0.5,), order=2)
