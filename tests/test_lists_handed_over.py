"""A list that is put into another, and then made anew: `lines.append(line); line = []`.

The list that the name was is then an item of the other list alone, on the paths that have put it there, and the name's
alone on the others.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from oracle import agrees, agrees_in_second_order, refuses

from sct import value_and_grad

XS = [0.3, -0.2, 0.5, 0.7, -1.1, 0.4, 0.9]
YS = [0.3, 0.2, -0.5, 0.7, -1.1, 0.4, 0.9, 1.3, -0.6]


def shape_of(segments: Any) -> Any:
    return sum((k + 1) * sum(s) ** 2 * len(s) for k, s in enumerate(segments))


def runs_of_equal_sign(x: Any, xs: Any) -> Any:
    runs, run = [], []
    for v in xs:
        if run and (v > 0) != (run[-1] > 0):
            runs.append(run)
            run = []
        run.append(v * x)
    runs.append(run)
    return shape_of(runs)


def batches(x: Any, xs: Any) -> Any:
    out, batch = [], []
    for v in xs:
        batch.append(np.sin(v * x))
        if len(batch) == 3:
            out.append(batch)
            batch = []
    if batch:
        out.append(batch)
    return sum(np.prod(np.array(b)) * len(b) for b in out)


def begun_with_an_item(x: Any, xs: Any) -> Any:
    run, runs = [xs[0] * x], []
    for v in xs[1:]:
        if v * run[-1] > 0:
            run.append(v * x)
        else:
            runs.append(run)
            run = [v * v * x]
    return shape_of(runs) + sum(run) ** 3


def parts(xs: Any, cut: Any) -> Any:
    found, part = [], []
    for v in xs:
        if v > 1.2:
            return found
        if v < cut:
            found.append(part)
            part = []
            continue
        part.append(v)
    found.append(part)
    return found


def in_a_helper(x: Any, xs: Any) -> Any:
    return shape_of(parts([v * x for v in xs], 0.0))


def pairs(x: Any, xs: Any) -> Any:
    runs, run = [], []
    for i, v in enumerate(xs):
        if run and v * run[-1][1] < 0:
            runs.append(run)
            run = []
        run.append((i, v ** 3 * x))
    runs.append(run)
    return sum(i * v for r in runs for i, v in r) + sum(r[0][1] * r[-1][1] for r in runs)


def pages(x: Any, xs: Any) -> Any:
    book, page, row = [], [], []
    for v in xs:
        row.append(v * x)
        if len(row) == 2:
            page.append(row)
            row = []
            if len(page) == 2:
                book.append(page)
                page = []
    return sum(p[0][0] * p[1][1] for p in book) + sum(row)


def in_a_while(x: Any, xs: Any) -> Any:
    groups, group, i = [], [], 0
    while i < len(xs):
        v = xs[i]
        i += 1
        if v > 1.0:
            break
        group.append(v * x)
        if len(group) < 2:
            continue
        groups.append(group)
        group = []
    return shape_of(groups) + sum(group) ** 3


class Splitter:
    def __init__(self) -> None:
        self.part: list[Any] = []
        self.parts: list[Any] = []

    def push(self, v: Any) -> None:
        if v < 0:
            self.flush()
        self.part.append(v)

    def flush(self) -> None:
        if self.part:
            self.parts.append(self.part)
            self.part = []


def in_an_object(x: Any, xs: Any) -> Any:
    splitter = Splitter()
    for v in xs:
        splitter.push(v * x)
    splitter.flush()
    return shape_of(splitter.parts)


def in_a_dict(x: Any, xs: Any) -> Any:
    state: dict[str, Any] = {"part": [], "parts": []}
    for v in xs:
        if v < 0:
            state["parts"].append(state["part"])
            state["part"] = []
        state["part"].append(v * x)
    return shape_of(state["parts"]) + sum(state["part"]) ** 3


def in_a_closure(x: Any, xs: Any) -> Any:
    done, part = [], []

    def push(v: Any) -> None:
        nonlocal part
        if v < 0:
            done.append(part)
            part = []
        part.append(v)

    for v in xs:
        push(v * x)
    return shape_of(done) + sum(part) ** 3


def in_a_table(x: Any, xs: Any) -> Any:
    table: list[Any] = [[0.0] for _ in range(4)]
    named: dict[int, Any] = {}
    part, n = [], 0
    for v in xs:
        if v < 0:
            table[n] = part
            named[n] = [v * x]
            part, n = [], n + 1
        part.append(v * x)
    return shape_of(table) + sum(sum(s) for s in named.values())


def arrays(x: Any, xs: Any) -> Any:
    windows, window, n = [], np.zeros(3), 0
    for v in xs:
        if v < 0:
            windows.append(window)
            window, n = np.zeros(3), 0
        window[n % 3] += v * x
        n += 1
    windows.append(window)
    return sum(np.sum(w) ** 2 * w[0] for w in windows)


def in_a_branch(x: Any, xs: Any) -> Any:
    row, rows = [v * x for v in xs], [[1.0]]
    if xs[1] > 0:
        rows.append(row)
        row = [x]
    row.append(xs[3])
    row[0] = 5.0 * x
    return shape_of(rows) + sum(row) ** 3


def written_as_an_item(x: Any, xs: Any) -> Any:
    runs, run = [], []
    for v in xs:
        if v < 0:
            runs.append(run)
            run = []
        run.append(v * x)
        if runs:
            runs[-1].append(v * v)
    return shape_of(runs) + sum(run) ** 3


class Holder:
    def __init__(self) -> None:
        self.part: list[Any] = []


def an_attribute_made_anew(x: Any, xs: Any) -> Any:
    """No other list holds it."""
    holder, total = Holder(), 0.0
    for v in xs:
        if v < 0:
            total += sum(holder.part) ** 2
            holder.part = []
        holder.part.append(v * x)
    return total + sum(holder.part) ** 3


PROGRAMS = [runs_of_equal_sign, batches, begun_with_an_item, in_a_helper, pairs, pages, in_a_while, in_an_object,
            in_a_dict, in_a_closure, in_a_table, arrays, in_a_branch, written_as_an_item, an_attribute_made_anew]


@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
def test_program(f: Callable[..., Any], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SCT_VALIDATE", "0")
    for xs in (XS, YS):
        agrees(f, 0.7, xs)
        agrees_in_second_order(f, 0.7, xs)


def a_name_stays(x: Any, xs: Any) -> Any:
    done, part = [], [x]
    first = part
    for v in xs:
        if v < 0:
            done.append(part)
            part = []
        part.append(v * x)
    return shape_of(done) + sum(part) + sum(first)


def not_always_made_anew(x: Any, xs: Any) -> Any:
    done, part = [], [x]
    for v in xs:
        if v < 0:
            done.append(part)
            if v < -0.5:
                part = []
        part.append(v * x)
    return shape_of(done) + sum(part)


def the_last_is_kept(x: Any, xs: Any) -> Any:
    done, part, last = [], [x], [0.0]
    for v in xs:
        if v < 0:
            done.append(part)
            last = part
            part = []
        part.append(v * x)
        last.append(v)
    return shape_of(done) + sum(part) + sum(last)


def a_slot_stays(x: Any, xs: Any) -> Any:
    row, rows = [v * x for v in xs], [[1.0]]
    box = {"row": row}
    if xs[1] > 0:
        rows.append(row)
        row = [x]
    row[0] = 5.0 * x
    return shape_of(rows) + sum(row) + sum(box["row"])


def an_iterator_stays(x: Any, xs: Any) -> Any:
    row, rows = [v * x for v in xs], [[1.0]]
    items = iter(row)
    if xs[1] > 0:
        rows.append(row)
        row = [x]
    row[0] = 5.0 * x
    return shape_of(rows) + sum(row) + sum(items)


def an_attribute_stays(x: Any, xs: Any) -> Any:
    splitter = Splitter()
    first = splitter.part
    for v in xs:
        splitter.push(v * x)
        first.append(v)
    return shape_of(splitter.parts) + sum(first)


@pytest.mark.parametrize(("f", "code"), [
    (a_name_stays, "SCT301"), (not_always_made_anew, "SCT301"), (the_last_is_kept, "SCT307"),
    (an_attribute_stays, "SCT301")])
def test_another_name_stays(f: Callable[..., Any], code: str) -> None:
    """What is written then, may be an item of the list, or not."""
    refuses(f, 0.7, XS, code=code)


@pytest.mark.parametrize("f", [a_slot_stays, an_iterator_stays])
def test_a_name_that_a_branch_binds_again(f: Callable[..., Any]) -> None:
    derivative = value_and_grad(f)
    for args in ((0.7, XS), (1.3, [1.0, 2.0, -1.0]), (1.3, [1.0, -2.0, 1.0])):
        agrees(f, *args, derivative=derivative)
