"""Calls of library functions with too few or too many arguments, or other keywords: the derivative raises what Python
raises, at the same place."""

from __future__ import annotations

import builtins
import functools
import importlib.util
import inspect
import itertools
import math
import operator
import types
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np
import pytest
from oracle import agrees, outcome

from sct import SctError, value_and_grad
from sct.frontend.evaluator.handlers import SPECIAL, special_key
from sct.frontend.numpy_library.op_calls import spelling_of

# -- every function that sct has a handler for ---------------------------------------------------------------------

MODULES = {"": builtins, "math.": math, "operator.": operator, "functools.": functools, "itertools.": itertools,
           "np.": np, "np.linalg.": np.linalg}
OWNERS = {"[x]": [], "{'a': x}": {}, "(x, x)": (), "'abc'": "", "x": 1.0, "(np.ones(2) * x)": np.ones(2),
          "np.float64(x)": np.float64(1.0)}
NEVER_RUN = ("breakpoint", "compile", "eval", "exec", "globals", "input", "locals", "open", "tofile", "dump")


def is_handled(f: Any) -> bool:
    try:
        return special_key(f) in SPECIAL or spelling_of(f) is not None
    except TypeError:
        return False


def functions(prefix: str) -> Iterator[str]:
    for name, f in vars(MODULES[prefix]).items():
        if name[0] != "_" and name not in NEVER_RUN and callable(f) and is_handled(f):
            yield prefix + name


def methods(owner: str) -> Iterator[str]:
    for name in dir(OWNERS[owner]):
        if name[0] != "_" and name not in (*NEVER_RUN, "mT") and callable(getattr(OWNERS[owner], name, None)):
            yield f"{owner}.{name}"


def module_of(calls: list[str], tmp_path: Any) -> types.ModuleType:
    """One function for each call: it prints before it and after it."""
    lines = ["import functools, itertools, math, operator", "import numpy as np"]
    for k, call in enumerate(calls):
        lines += [f"def f{k}(x):", "    print('before')", f"    {call}", "    print('after')", "    return x * 2.0"]
    path = tmp_path / "calls.py"
    path.write_text("\n".join(lines), encoding="utf-8")
    spec = importlib.util.spec_from_file_location("calls", path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


REFUSED_BEFORE = ("SCT203", "SCT205", "SCT206", "SCT207", "SCT303", "SCT401", "SCT501", "SCT503")


@pytest.mark.parametrize("family", [*MODULES, *OWNERS])
def test_each_function_raises_what_python_raises(family: str, tmp_path: Any) -> None:
    """Where Python raises a TypeError, the derivative does, or the call is refused: the latter is the exception."""
    names = functions(family) if family in MODULES else methods(family)
    given = ("", "zz=1", "x, zz=1", "[x, 2.0], zz=1", ", ".join(["x"] * 14))
    calls = [f"{name}({args})" for name in names for args in given]
    module, wrong, alike, refused = module_of(calls, tmp_path), [], 0, 0
    for k, call in enumerate(calls):
        f = getattr(module, f"f{k}")
        plain = outcome(f, (1.5,))
        if not isinstance(plain.error, TypeError):
            continue
        try:
            derived = outcome(value_and_grad(f), (1.5,))
        except SctError as refusal:
            refused += refusal.code != "SCT203"
            if refusal.code not in REFUSED_BEFORE:
                wrong.append((call, str(plain.error), str(refusal).split("\n")[0]))
            continue
        if (type(derived.error), str(derived.error), derived.output) == (TypeError, str(plain.error), plain.output):
            alike += 1
        else:
            wrong.append((call, str(plain.error), repr(derived.error)))
    assert not wrong
    assert alike > 20 * refused, (alike, refused)


# -- where they stand --------------------------------------------------------------------------------------------


class Sized:
    def __init__(self, n: Any) -> None:
        self.n = n

    def __len__(self) -> int:
        return 3

    def __abs__(self) -> Any:
        return self.n


class Row(NamedTuple):
    a: Any
    b: float = 1.0


add_all = functools.partial(math.hypot, 1.0)
middle = operator.itemgetter(1)


def abs_of_two(x):
    return abs(x, 1)


def abs_of_an_object_and_a_number(x):
    return abs(Sized(x), 1)


def length_of_two(x):
    return len(Sized(x), x) * x


def sum_with_two_keywords(x):
    return sum([x], start=0, k=1)


def hypot_by_name(x):
    return math.hypot(x=x)


def sqrt_by_name(x):
    return math.sqrt(x=x)


def log_of_three(x):
    return math.log(x, 2.0, 3.0)


def partial_of_hypot(x):
    return add_all(x, zz=2.0)


def item_of_two(x):
    return middle((x, x), 1)


def int_of_three(x):
    return int("1", 2, 3) * x


def sorted_by_position(x):
    return sorted([x, 2.0], lambda v: -v)[0]


def sorted_by_comparison(x):
    return sorted([x, 2.0], cmp=lambda a, b: a - b)[0]


def largest_with_another_keyword(x):
    return max(x, 2.0, key=abs, d=2)


def smallest_with_default_of_two(x):
    return min(x, 2.0, default=3.0)


def reduce_of_a_function(x):
    return functools.reduce(lambda a, b: a + b) + x


def print_with_another_keyword(x):
    print(x, sepp=1)
    return x


def two_items_to_append(x):
    xs = [x]
    xs.append(1.0, 2.0)
    return xs[0]


def nothing_to_get(x):
    return {1: x}.get()


def list_of_two(x):
    return list([1], [2])[0] * x


def insert_by_name(x):
    xs = [x]
    xs.insert(0, object=x)
    return xs[0]


def count_in_a_named_tuple(x):
    return Row(x).count() * x


def append_to_a_list_that_grew(x):
    xs = []
    for k in range(round(x) + 3):
        xs.append(k * x)
    xs.append()
    return xs[0]


def sum_of_an_array_by_another_name(x):
    return (np.ones(3) * x).sum(axes=0)


def method_that_is_bound_to_a_name(x):
    put = [x].append
    put()
    return x


def only_on_one_path(x):
    if x > 1.0:
        return abs(x, x)
    return x


def not_on_this_path(x):
    return abs(x, x) if x > 3.0 else 2.0 * x


def in_a_loop(x):
    total = 0.0
    for k in range(3):
        print(k)
        total += x
        if k == 1:
            total += math.sin(x, k)
    return total


def in_a_helper(x):
    def power(*args, **kwargs):
        print("power")
        return pow(*args, **kwargs)

    return power(x, 2.0) + power(x)


def spread(x):
    return divmod(*[x, 2.0, 3.0])[0]


def spread_by_name(x):
    return round(x, **{"digits": 1})


def arguments_first(x):
    return abs(print("first") or x, print("second") or x)


def absolute_list(x):
    return abs([x, 2.0])


def pair_of_a_list(x):
    return divmod([x], 2)


def enumerated_from_a_float(x):
    return list(enumerate([x], x))[0][1]


def partial_of_a_number(x):
    return functools.partial(x)


def attribute_of_a_number_by_number(x):
    return getattr(x, 1)


def count_from_a_list(x):
    return next(itertools.count([x]))


def sum_of_a_number(x):
    return sum(x)


def position_that_is_a_text(x):
    xs = [x, 2.0]
    return xs.pop("0")


def list_as_a_key(x):
    return {1: x}.get([1])


def axis_that_is_a_text(x):
    return np.sum(np.ones(3) * x, axis="0")


def decimals_that_are_a_list(x):
    return np.round(np.ones(2) * x, [1])[0]


def by_name_what_must_be_there(x):
    return sum(v for v in itertools.accumulate(iterable=[x, 2.0])) + np.ndim(a=x)


class Plain:
    pass


def absolute_object(x):
    return abs(Sized(x)) + abs(Plain())


def rounded_object(x):
    return round(Plain(), 1) * x


def loop_over_an_object(x):
    for v in Plain():
        x += v
    return x


def sum_of_an_object(x):
    return sum(Plain()) * x


def object_unpacked(x):
    a, b = Plain()
    return a * b * x


def named_tuple_made_of_one(x):
    return Row._make([x]).a


def named_tuple_made_of_two(x):
    return Row._make([x, 2.0]).a


def attribute_of_an_object_by_number(x):
    return getattr(Sized(x), 2)


def next_of_a_list(x):
    return next([x])


def by_name_what_comes_first(x):
    return round(number=x * 1.2345, ndigits=2) + sum(itertools.repeat(object=x, times=3)) + np.dot(a=[x], b=[2.0])


def has_signature(f: Any) -> bool:
    """Does Python say which parameters the function has?"""
    try:
        return bool(inspect.signature(f).parameters)
    except ValueError:
        return False


PROGRAMS = [abs_of_two, abs_of_an_object_and_a_number, length_of_two, sum_with_two_keywords, hypot_by_name,
            sqrt_by_name, log_of_three, partial_of_hypot, item_of_two, int_of_three, sorted_by_position,
            sorted_by_comparison, largest_with_another_keyword, smallest_with_default_of_two, reduce_of_a_function,
            two_items_to_append, nothing_to_get, list_of_two, insert_by_name,
            count_in_a_named_tuple, append_to_a_list_that_grew, sum_of_an_array_by_another_name,
            method_that_is_bound_to_a_name, only_on_one_path, not_on_this_path, in_a_loop, in_a_helper, spread,
            spread_by_name, arguments_first, absolute_list, pair_of_a_list, enumerated_from_a_float,
            partial_of_a_number, attribute_of_a_number_by_number, count_from_a_list, sum_of_a_number,
            position_that_is_a_text, list_as_a_key, axis_that_is_a_text, decimals_that_are_a_list,
            by_name_what_must_be_there, absolute_object, rounded_object, loop_over_an_object, sum_of_an_object,
            object_unpacked, named_tuple_made_of_one, named_tuple_made_of_two, attribute_of_an_object_by_number,
            next_of_a_list]
PROGRAMS += [print_with_another_keyword] * has_signature(print) + [by_name_what_comes_first] * has_signature(np.dot)


@pytest.mark.parametrize("f", PROGRAMS)
def test_as_python_does(f: Callable[..., Any]) -> None:
    agrees(f, 1.5)
