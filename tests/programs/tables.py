"""Dicts of dicts and of lists, filled by keys of the data: tables, groups, counts, postings."""

import math
from collections import defaultdict

WORDS = [("spam", "a", "egg", "toast")[k % 4] + "s" * (k % 3) for k in range(14)]
SENTENCES = [["the", "cat", "sat", "on", "the", "mat", "dog"][i % 3:4 + i % 4] for i in range(9)]


def co_occurrences(alpha, documents):
    table = {}
    for document in documents:
        for a, b in zip(document, document[1:]):  # noqa: RUF007
            row = table.setdefault(a, {})
            row[b] = row.get(b, 0.0) + alpha
    likelihood = 0.0
    for row in table.values():
        total = sum(row.values())
        for c in row.values():
            likelihood += c * math.log((c + alpha * alpha) / (total + 1))
    return likelihood


def transitions(p, words):
    counts = defaultdict(lambda: defaultdict(float))
    for w in words:
        for a, b in zip(w[:-1], w[1:]):  # noqa: RUF007
            counts[a][b] += p
    return sum(v**2 for row in counts.values() for v in row.values())


def rows_by_first_letter(x, words):
    table = {}
    for i, w in enumerate(words):
        if w[0] not in table:
            table[w[0]] = {}
        table[w[0]][w] = table[w[0]].get(w, 0.0) + x * i
    s = 0.0
    for row in table.values():
        for w, v in row.items():
            s += v * v * len(w) / len(row)
    return s


def lists_in_two_levels(x, words):
    table = defaultdict(lambda: defaultdict(list))
    for i, w in enumerate(words):
        table[w[0]][len(w)].append(x * i)
    return sum(sum(v) ** 2 * k for row in table.values() for k, v in row.items())


def groups_of_pairs(x, words):
    groups = defaultdict(list)
    for i, w in enumerate(words):
        groups[w[0]].append((i * 0.1, x * len(w)))
    s = 0.0
    for key, rows in groups.items():
        for a, b in rows:
            s += a * b * b * len(key)
    return s


def group_means(x, words):
    groups = {}
    for i, w in enumerate(words):
        groups.setdefault(w[0], []).append((w, x * i))
    s = 0.0
    for rows in groups.values():
        mean = sum(v for _, v in rows) / len(rows)
        s += sum((v - mean) ** 2 for w, v in rows if len(w) > 2)
    return s


def a_row_with_a_name(x, words):
    table = {}
    for i, w in enumerate(words):
        row = table.setdefault(w[0], {})
        row[len(w)] = x * x * i
        row[i % 3] = row.get(i % 3, 0.0) + x
    return sum(v * k for row in table.values() for k, v in row.items())


def deleted_from_a_row(x, words):
    table = {}
    for i, w in enumerate(words):
        row = table.setdefault(w[0], {})
        row[w] = x * i * x
        if len(row) > 2:
            del row[w]
    return sum(v for row in table.values() for v in row.values())


def postings(x, words):
    index = {}
    for i, w in enumerate(words):
        for c in w:
            if c not in index:
                index[c] = []
            index[c].append(i)
    score = {}
    for c in "age":
        for i in index[c]:
            score[i] = score.get(i, 0.0) + x / len(index[c])
    return max(score.values()) + sum(v**2 for v in score.values())


def statistics_by_key(x, words):
    rows = {}
    for i, w in enumerate(words):
        if w not in rows:
            rows[w] = {"n": 0, "s": 0.0}
        rows[w]["n"] += 1
        rows[w]["s"] += x * i
    return sum((r["s"] / r["n"]) ** 2 for r in rows.values())


def entropy_of_the_large(x, words):
    weights = {w: x * len(w) for w in words}
    large = {k: v * v for k, v in weights.items() if v > 1.0}
    total = sum(large.values())
    return -sum(v / total * math.log(v / total) for v in large.values()) + len(large)


def best_mean(x, words):
    groups = defaultdict(list)
    for i, w in enumerate(words):
        groups[w[0]].append(x * i)
    means = {k: sum(v) / len(v) for k, v in groups.items()}
    best = max(means, key=means.get)
    return means[best] + sum(means[k] ** 2 for k in sorted(means))


def ranks(x, words):
    rank = {w: 1.0 / len(words) for w in words}
    for _ in range(4):
        new = {w: 0.1 * x for w in rank}
        for a, b in zip(words, words[1:]):  # noqa: RUF007
            new[b] += x * rank[a]
        rank = new
    return sum(r * len(w) for w, r in rank.items())


def best_worst_and_order(x, words):
    d = {}
    for i, w in enumerate(words):
        d[w] = d.get(w, 0.0) + x * i
    best = max(d, key=lambda k: d[k])
    worst = min(d.items(), key=lambda item: item[1])
    order = sorted(d, key=d.get, reverse=True)
    return d[best] ** 2 + worst[1] + d[order[0]] * len(order[1])


def joined_dicts(x, words):
    d, e = {}, {}
    for i, w in enumerate(words):
        d[w] = x * i
        e[w[0]] = x * x
    d.update(e)
    f = {**d, "new": x}
    g = d | e
    g |= {"q": x * x}
    return sum(d.values()) + 2 * sum(f.values()) + 3 * sum(g.values()) + len(f)


INPUTS = {
    "entropy_of_the_large": lambda rng: (0.7, WORDS),
    "best_mean": lambda rng: (0.7, WORDS),
    "ranks": lambda rng: (0.7, WORDS),
    "best_worst_and_order": lambda rng: (0.7, WORDS),
    "joined_dicts": lambda rng: (0.7, WORDS),
    "co_occurrences": lambda rng: (0.7, SENTENCES),
    "transitions": lambda rng: (0.7, WORDS),
    "rows_by_first_letter": lambda rng: (0.7, WORDS),
    "lists_in_two_levels": lambda rng: (0.7, WORDS),
    "groups_of_pairs": lambda rng: (0.7, WORDS),
    "group_means": lambda rng: (0.7, WORDS),
    "a_row_with_a_name": lambda rng: (0.7, WORDS),
    "deleted_from_a_row": lambda rng: (0.7, WORDS),
    "postings": lambda rng: (0.7, WORDS),
    "statistics_by_key": lambda rng: (0.7, WORDS),
}
