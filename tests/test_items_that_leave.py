"""An item that was read of a list stays the object that it was, whatever is put into its place since."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import pytest
from oracle import agrees, agrees_in_second_order, refuses

from sct import value_and_grad


@dataclass
class Particle:
    v: Any
    items: list[Any] = field(default_factory=list)


def particles(x: Any, n: int) -> list[Any]:
    return [Particle(x * k) for k in range(n)]


def weight(p: Particle) -> Any:
    return p.v * p.v + 3 * sum(p.items)


def rows(x: Any, n: int) -> list[Any]:
    table = []
    for k in range(n):
        table.append([x * k, x * x])
    return table


def total(table: Any) -> Any:
    return sum((k + 1) * sum(row) ** 2 for k, row in enumerate(table))


def put(table: Any, k: int, item: Any) -> float:
    table[k] = item
    return 0.5


def swap_of_an_empty_list(x: Any, n: int) -> Any:
    p, ps = Particle(x), particles(x, n)
    if x > 1:
        p.items = [5 * x * x]
    ps[0], p = p, ps[0]
    return weight(p) + 2 * sum(map(weight, ps))


def swap_by_a_name(x: Any, n: int) -> Any:
    p, ps = Particle(x), particles(x, n)
    p.items = [5 * x * x]
    old = ps[0]
    ps[0] = p
    return weight(old) + 2 * weight(ps[0])


def swap_of_a_row(x: Any, n: int) -> Any:
    table, row = rows(x, n), [x, 7 * x * x]
    worst = min(range(n), key=lambda k: table[k][0])
    table[worst], row = row, table[worst]
    return total(table) + 5 * row[1] + row[0] * x


def swap_in_dicts(x: Any, n: int) -> Any:
    ps, p = [], {"v": x, "items": [5 * x * x]}
    for k in range(n):
        ps.append({"v": x * k, "items": []})
    ps[-1], p = p, ps[-1]
    return p["v"] * x + sum(p["items"]) + 3 * sum(ps[-1]["items"])


def swap_in_an_attribute(x: Any, n: int) -> Any:
    of = Particle(x, rows(x, n))
    row = [x, 7 * x]
    row, of.items[1] = of.items[1], row
    return total(of.items) + row[1] * x


def swap_in_a_dict_of_lists(x: Any, n: int) -> Any:
    table, row = {}, [x, 7 * x]
    for k in range(n):
        table[k] = [x * k, x * x]
    table[0], row = row, table[0]
    return row[1] + 3 * total(table.values())


def swap_of_three(x: Any, n: int) -> Any:
    table = rows(x, n)
    a, table[1], b = table[0], [x, x], table[1]
    return total(table) + 5 * a[1] * x + 7 * b[0] * x


def swap_in_a_loop(x: Any, n: int) -> Any:
    ps, y = particles(x, n), 0.0
    for k in range(n):
        old = ps[k]
        ps[k] = Particle(x * x, [x + k])
        y += weight(old) * (k + 1)
    return y + sum(map(weight, ps))


def an_operand_before_a_write(x: Any, n: int) -> Any:
    table = rows(x, n)
    return [table[1], put(table, 1, [x, 9.0 * x])][0][0] * x + total(table)


def an_argument_before_a_write(x: Any, n: int) -> Any:
    table = rows(x, n)
    return (lambda row: put(table, 0, [9.0 * x, x]) * sum(row))(table[0]) + total(table)


def an_iterator_before_a_write(x: Any, n: int) -> Any:
    table = rows(x, n)
    it = iter(table[1])
    table[1] = [9.0 * x, x]
    return sum(v * v for v in it) + total(table)


def items_before_methods(x: Any, n: int) -> Any:
    ps, y = particles(x, n), 0.0
    for p in ps:
        p.items.append(p.v + 1.0)
    p = ps[0]
    ps.insert(0, Particle(x, [x]))
    y += weight(p)
    p = ps[1]
    ps.append(ps.pop(0))
    y += 2 * weight(p)
    p = ps[0]
    ps.reverse()
    y += 3 * weight(p)
    p = ps[-1]
    del ps[-1]
    return y + 4 * weight(p) + sum(map(weight, ps))


def popped_objects(x: Any, n: int) -> Any:
    ps = [Particle(x * k, [x + k]) for k in range(n)]
    p = ps.pop()
    ps.insert(1, Particle(x, [9 * x]))
    p.items.append(x * x)
    p.items[0] *= x
    return weight(p) + 2 * sum(map(weight, ps))


def popped_dicts(x: Any, n: int) -> Any:
    ps = []
    for k in range(n):
        ps.append({"v": x * k, "items": [x + k]})
    p = ps.pop(0)
    p["items"].append(3 * x * x)
    return p["v"] + sum(p["items"]) * x + sum(q["v"] + sum(q["items"]) for q in ps)


def a_queue_of_rows(x: Any, n: int) -> Any:
    table, row, y = rows(x, n), [x, 2 * x], 0.0
    for k in range(n):
        table.append(row)
        row = table.pop(0)
        row[0] += x * k
        y += row[0] * row[1]
    return y + total(table) + row[1]


def lists_without_items(x: Any, n: int) -> Any:
    ps = particles(x, n)
    ps.insert(0, ps.pop())
    first = ps[0]
    if x > 1:
        ps[0] = Particle(x)
    return weight(first) + sum(map(weight, ps))


PROGRAMS = [swap_of_an_empty_list, swap_by_a_name, swap_of_a_row, swap_in_dicts, swap_in_an_attribute,
            swap_in_a_dict_of_lists, swap_of_three, swap_in_a_loop, an_operand_before_a_write,
            an_argument_before_a_write, an_iterator_before_a_write, items_before_methods, popped_objects, popped_dicts,
            a_queue_of_rows, lists_without_items]


@pytest.mark.parametrize("validate", ["0", "1"])
@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
def test_program(f: Callable[..., Any], validate: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SCT_VALIDATE", validate)
    calls = [(0.7, 3), (1.5, 3), (1.3, 6)]
    for order in (calls, calls[::-1]):
        derivative = value_and_grad(f)
        for args in order:
            agrees(f, *args, derivative=derivative)
    agrees_in_second_order(f, 0.7, 4)


def written_as_popped(x: Any, n: int) -> Any:
    table = rows(x, n)
    row = table[-1]
    popped = table.pop()
    popped.append(3 * x)
    return sum(row) + 2 * sum(popped)


def written_as_popped_of_an_object(x: Any, n: int) -> Any:
    ps = particles(x, n)
    p = Particle(x, [2 * x])
    ps.append(p)
    popped = ps.pop()
    popped.items.append(3 * x)
    return sum(p.items) + 2 * sum(popped.items)


def written_as_popped_of_a_tuple(x: Any, n: int) -> Any:
    pairs = []
    for k in range(n):
        pairs.append((x * k, [x]))
    pair = pairs[-1]
    pairs.pop()[1].append(3 * x)
    return sum(pair[1])


@pytest.mark.parametrize("f", [written_as_popped, written_as_popped_of_a_tuple],
                         ids=lambda f: f.__name__)
def test_a_popped_list_with_another_name_is_not_written(f: Callable[..., Any], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SCT_VALIDATE", "0")
    refuses(f, 0.7, 3, code="SCT307")


def test_a_list_of_an_object_that_is_popped() -> None:
    derivative = value_and_grad(written_as_popped_of_an_object)
    for n in (3, 0, 5):
        agrees(written_as_popped_of_an_object, 0.7, n, derivative=derivative)
