"""Lists of several kinds of items: tagged and other tuples, dicts, numbers, strings, None, lists, objects, enums.

Each derivative is called again with the kinds permuted, in another order and number, without validation: its value is
that of the plain call, its gradient that of central differences, or it is refused.
"""

from __future__ import annotations

import enum
import importlib.util
import itertools
import random
from collections import namedtuple
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from oracle import agrees, agrees_in_every_mode, outcome

from sct import SctError, hvp, value_and_grad

Pair = namedtuple("Pair", "a b")


class Side(enum.Enum):
    LEFT = 1
    RIGHT = 2


@dataclass
class Weight:
    v: float


KINDS: dict[str, list[Any]] = {
    "tagged": [("+", 1.0), ("+", 2.5)], "otherwise tagged": [("-", 0.5), ("-", 1.5)], "longer": [("+", 1.0, 2.0)],
    "tagged as a number": [("number", 2.0)], "of two": [(1.0, 2.0), (0.5, 0.25)], "of three": [(1.0, 2.0, 3.0)],
    "dict": [{"w": 2.0}, {"w": 0.5}], "tagged dict": [{"op": "+", "w": 1.5}], "float": [2.0, -0.5], "int": [3, 1],
    "bool": [True, False], "the tag": ["+"], "begins with the tag": ["+a", "-b"], "empty": [""], "None": [None],
    "list": [[1.0, 2.0], [3.0]], "object": [Weight(1.5)], "enum": [Side.LEFT, Side.RIGHT],
    "nested": [("+", ("p", 1.0))]}


def term(x: Any, r: Any) -> Any:
    if r is None:
        return 1.01 * x
    if isinstance(r, tuple):
        if isinstance(r[0], str):
            v = r[1]
            if isinstance(v, tuple):
                return x * v[1] * 0.7
            return x * v if r[0] == "+" else x * x * v
        return x * r[0] if len(r) == 2 else x * r[2] * x
    if isinstance(r, dict):
        return r["w"] * x**3
    if isinstance(r, bool):
        return x if r else 2.0 * x
    if isinstance(r, str):
        return len(r) * x + 0.1 * x * x
    if isinstance(r, list):
        return x * len(r) + 0.3 * x**3
    if isinstance(r, Side):
        return x if r is Side.LEFT else 2.0 * x * x
    if isinstance(r, Weight):
        return r.v * x**4
    return r * x**5


def of_argument(x: float, items: Any) -> Any:
    t = 0.0
    for r in items:
        t = t + term(x, r)
    return t


def of_field(x: float, d: Any) -> Any:
    return of_argument(x, d["items"])


def in_tuples(x: float, items: Any) -> Any:
    t = 0.0
    for _, r in items:
        t = t + term(x, r)
    return t


def in_dicts(x: float, items: Any) -> Any:
    t = 0.0
    for d in items:
        t = t + term(x, d["w"])
    return t


GLOBAL: list[Any] = []


def of_global(x: float) -> Any:
    return of_argument(x, GLOBAL)


WAYS: dict[str, tuple[Callable[..., Any], Callable[[list[Any]], tuple[Any, ...]]]] = {
    "argument": (of_argument, lambda items: (items,)), "field": (of_field, lambda items: ({"items": items},)),
    "in tuples": (in_tuples, lambda items: ([("n", r) for r in items],)),
    "in dicts": (in_dicts, lambda items: ([{"w": r} for r in items],)), "global": (of_global, lambda items: ())}


def drawn(kinds: tuple[str, ...], count: int, rng: random.Random) -> list[Any]:
    items = [rng.choice(KINDS[kind]) for kind in kinds]
    items += [rng.choice(KINDS[rng.choice(kinds)]) for _ in range(count - len(kinds))]
    rng.shuffle(items)
    return items


def check(way: str, kinds: tuple[str, ...], count: int, rng: random.Random) -> None:
    f, args_of = WAYS[way]
    derivative = value_and_grad(f)
    orders = ((kinds, 0), (kinds[::-1], 7), (kinds[:1], 0), (kinds[1:], 0))
    for order, more in orders if way != "global" or "None" not in kinds else orders[:2]:
        GLOBAL[:] = items = drawn(order, count + more * (count > 64), rng)
        args = args_of(items)
        derived = outcome(derivative, (1.5, *args))
        if not isinstance(derived.error, SctError):
            agrees(f, 1.5, *args, derivative=derivative)


COMBINATIONS = [*itertools.combinations(KINDS, 2)] + random.Random(1).sample([*itertools.combinations(KINDS, 3)], 60)


@pytest.mark.parametrize("way", WAYS)
def test_every_item_is_taken_as_what_it_is(way: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SCT_VALIDATE", "0")
    rng = random.Random(len(way))
    for kinds in COMBINATIONS if way == "argument" else rng.sample(COMBINATIONS, 30):
        check(way, kinds, 70, rng)
    for kinds in rng.sample(COMBINATIONS, 20):
        check(way, kinds, 3, rng)


@pytest.mark.parametrize("other", [
    "-", "+", "", "+a", {"w": 2.0}, 2.0, None, True, ("-", 1.0), [1.0], {"op": "+", "w": 2.0}], ids=repr)
def test_tagged_tuples_beside_other_items(other: Any) -> None:
    x = [1.5]

    def f(x: Any, items: Any) -> Any:
        return of_argument(x[0], items)

    agrees_in_every_mode(f, [(x, [("+", 1.0), other] * 40), (x, [other, ("+", 2.0), ("+", -1.0)] * 30)])
    assert hvp(of_argument, (1.5, [("+", 1.0), other] * 40), (1.0,)) is not None


@pytest.mark.parametrize(("tagged", "other"), [
    (("number", 1.0), 2.0), (("str", 1.0), "ab"), (("list", 1.0), [1.0, 2.0]), (("bool", 1.0), True),
    (("tuple of 2", 1.0), (1.0, 2.0)), (("dict of w", 1.0), {"w": 1.0}), (("a", 1.0), {"t": "a", "w": 2.0}),
    (("'number'", 1.0), ("number", 2.0)), (("None", 1.0), None)], ids=repr)
def test_a_tag_that_looks_like_a_kind(tagged: Any, other: Any) -> None:
    derivative = value_and_grad(of_argument)
    for items in ([tagged, other] * 40, [tagged, other, 3.0] * 30, [other, tagged] * 50):
        agrees(of_argument, 1.5, items, derivative=derivative)


def test_the_class_is_asked_before_the_text() -> None:
    derivative = value_and_grad(of_argument)
    derivative(1.5, [("+", 1.0), {"w": 2.0}] * 40)
    assert 'items_kind = ["+" if type(row) is tuple else "dict of w" for row in items]' in derivative.source
    derivative(1.5, [("+", 1.0), ("-", 1.0, 2.0)] * 40)
    assert "items_kind = [row[0] for row in items]" in derivative.source


def exported(x: float, items: Any) -> Any:
    return of_argument(x, items)


def test_an_emitted_module_takes_items_of_several_kinds(tmp_path: Path) -> None:
    derivative = value_and_grad(exported)
    items = [("+", 1.0), {"w": 2.0}, 3.0, None] * 20
    expected = derivative(1.5, items)
    derivative.save(tmp_path / "beside.py")
    spec = importlib.util.spec_from_file_location("beside", tmp_path / "beside.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    assert module.exported_value_and_grad(1.5, items) == expected
    derivative(1.5, ["+", None] * 40)
    derivative.save(tmp_path / "beside.py")
    spec.loader.exec_module(module)
    assert module.exported_value_and_grad(1.5, items) == expected
    for wrong in (4.0j, ("-", 1.0), {"v": 1.0}, ("+", 1.0, 2.0)):
        with pytest.raises(TypeError, match=r"items|not compiled for"):
            module.exported_value_and_grad(1.5, [*items, wrong])


def of_pairs(x: float, items: Any) -> Any:
    t = x
    for r in items:
        t = t + (x * x if isinstance(r, Pair) else x)
    return t


def test_isinstance_of_a_tuple_with_a_dict() -> None:
    derivative = value_and_grad(of_pairs)
    for items in ([("a", {"w": 1.0})] * 70, [("a", {"w": 1.0}), Pair(1.0, 2.0)] * 40, [("a", {"w": 1.0})] * 3):
        agrees(of_pairs, 1.5, items, derivative=derivative)


def removed(x: float, items: Any, v: Any) -> Any:
    rest = list(items)
    if v in rest:
        rest.remove(v)
    return x * x * len(rest)


def test_a_number_is_no_string() -> None:
    derivative = value_and_grad(removed)
    for items, v in (([1.0, "a"], "a"), ([1.0, "a"], 1.0), ([1.0, "a"], "b"), ([1.0, "a", 2.0, "b"], 2.0)):
        agrees(removed, 1.5, items, v, derivative=derivative)


def met_again(x: float, items: Any) -> Any:
    t = x
    for r in items:
        if r in items:
            t = t + x * x
    return t


def test_a_search_of_a_long_list_ends() -> None:
    items = [1.0, "a", ("a", 1.0), None] * 18
    agrees(met_again, 1.5, items)
    with pytest.raises(SctError, match="of several kinds is searched"):
        value_and_grad(met_again)(1.5, items * 4)
