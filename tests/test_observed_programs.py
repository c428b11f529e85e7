"""Programs whose helpers run as they are: types that are observed in a run, and which refusal is shown."""

from __future__ import annotations

import configparser
import contextlib
import enum
import functools
import json
import math
import os
import re
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
import pytest

from tests.oracle import agrees, agrees_in_every_mode, refuses


def _agrees(f, calls):
    """As `agrees_in_every_mode`, of a function of a number."""
    def of_list(x, *args):
        return f(x[0], *args) * x[1]

    agrees_in_every_mode(of_list, [([x, 0.8], *args) for x, *args in calls])


# -- what may be run to observe types ------------------------------------------------------------------------------


@functools.lru_cache(maxsize=None)
def cached(n):
    return np.abs(np.random.default_rng(0).random((n, 2)))


@contextlib.contextmanager
def plain():
    yield


@contextlib.contextmanager
def timed(name, clock):
    clock[name] = 0.0
    try:
        yield clock
    finally:
        clock[name] = json.loads("1.5")


class Net:
    training = True

    @contextlib.contextmanager
    def eval_mode(self):
        self.training = False
        try:
            yield self
        finally:
            self.training = True


def rows_in_a_context(x, n):
    z = cached(n)
    total = 0.0
    with plain():
        for row in z:
            total += x * row[0] * x
    return total


def rows_in_a_context_with_a_value(x, n):
    z, clock = cached(n), {}
    total = 0.0
    with timed("a", clock) as seen:
        for row in z:
            total += x * row[1] + seen["a"]
    return total * x * clock["a"]


def rows_in_a_method_as_context(x, n):
    net = Net()
    total = 0.0
    with net.eval_mode() as inner:
        for row in cached(n):
            total += 0.0 if inner.training else x * row[0]
    return total * x if net.training else 0.0


def rows_in_a_local_context(x, n):
    scale = json.loads("[2.0]")

    @contextlib.contextmanager
    def scaled(by):
        yield by * scale[0]

    with scaled(x) as y:
        total = 0.0
        for row in cached(n):
            total += y * row[0] * x
    return total


@pytest.mark.parametrize("f", [rows_in_a_context, rows_in_a_context_with_a_value, rows_in_a_method_as_context,
                               rows_in_a_local_context])
def test_the_body_of_a_context_is_observed(f):
    _agrees(f, [(1.5, 3), (0.7, 4)])


def parsed(text):
    cp = configparser.ConfigParser()
    cp.read_string(text)
    return {k: dict(cp[k]) for k in cp.sections()}


def by_a_helper(x, text):
    config = parsed(text)
    return x ** float(config["a"]["q"])


def in_the_function(x, text):
    cp = configparser.ConfigParser()
    cp.read_string(text)
    total = 0.0
    for name in cp.sections():
        for key, value in cp[name].items():
            total += x ** float(value) * len(key)
    return total


@pytest.mark.parametrize("f", [by_a_helper, in_the_function])
def test_a_config_is_read_as_python_does(f):
    _agrees(f, [(1.5, "[a]\nq=2\n"), (0.5, "[a]\nq=3\nrate=1.5\n[b]\nz=2")])


TOKEN = re.compile(r"\s*(?:(?P<number>\d+)|(?P<name>\w+)|(?P<op>.))")


class Kind(enum.Enum):
    NUMBER = "number"
    NAME = "name"
    OP = "op"


class Token(NamedTuple):
    kind: Kind
    text: str
    index: int


def tokens(text):
    for m in TOKEN.finditer(text):
        yield Token(Kind(m.lastgroup), m.group(m.lastgroup), m.lastindex)


@functools.singledispatch
def size(x):
    return len(x)


@size.register(tuple)
def _(x):
    return 1 + size(x[1]) if x else size([])


def lengths_of_tokens(x, text):
    return x * x * sum(len(t.text) * t.index for t in tokens(text))


def numbers_among_tokens(x, text):
    total = 0.0
    for t in tokens(text):
        if t.kind is Kind.NUMBER:
            total += x ** float(t.text)
    return total


def sizes_by_class(x, text):
    total = 0.0
    for a, b in json.loads(text):
        total += x * x * size(("", a)) * b
    return total


@pytest.mark.parametrize("f", [lengths_of_tokens, numbers_among_tokens])
def test_matches_in_a_generator(f):
    _agrees(f, [(1.5, "a + 2*bc"), (0.5, "3*q - 1")])


def test_a_dispatched_function_that_calls_itself_is_observed():
    _agrees(sizes_by_class, [(1.5, '[["ab", 2], ["c", 0.5]]')])


def unobserved(x, text):
    os.getpid()
    total = 0.0
    for m in re.finditer(r"\d", text):
        total += x * float(m.group())
    return total


def test_the_refusal_says_why_no_type_is_observed():
    refusal = refuses(unobserved, 1.5, "1 2", code="SCT207")
    assert refusal.loc.line == unobserved.__code__.co_firstlineno + 3
    assert "may reach the world outside" in refusal.why


# -- unpacking ---------------------------------------------------------------------------------------------------


class Branch(NamedTuple):
    child: str
    ratio: float


@dataclass
class Nuclide:
    name: str
    branches: list[Branch] = field(default_factory=list)
    gammas: dict[str, float] = field(default_factory=dict)


def chain_of(text):
    chain = {}
    for line in text.splitlines():
        name, _, tail = line.partition(":")
        nuclide = Nuclide(name.strip())
        for item in filter(None, map(str.strip, tail.split(","))):
            child, ratio = item.split("=")
            nuclide.branches.append(Branch(child, float(ratio)))
        chain[nuclide.name] = nuclide
    return chain


def branches_by_name(x, text):
    chain = chain_of(text)
    total = 0.0
    for name in chain:
        for child, ratio in chain[name].branches:
            total += x * x * ratio * len(child)
    return total


def branches_in_a_generator(x, text):
    chain = chain_of(text)
    return x * sum(x * ratio for n in chain.values() for child, ratio in n.branches if child != "Q")


def first_branch(x, text):
    total = 0.0
    for nuclide in chain_of(text).values():
        if nuclide.branches:
            child, ratio = nuclide.branches[0]
            total += x * x * ratio * len(child)
    return total


@pytest.mark.parametrize("f", [branches_by_name, branches_in_a_generator, first_branch])
def test_items_of_several_types_are_unpacked(f):
    _agrees(f, [(1.5, "A: B=0.7, C=0.3\nBB: C=1\nC:"), (0.5, "A: B=2")])


def pairs(x, text):
    total = 0.0
    for name, value in json.loads(text):
        total += x * x * value * len(name)
    return total


def test_lists_are_unpacked():
    _agrees(pairs, [(1.5, '[["ab", 2.5], ["c", 0.5]]'), (1.5, '[["ab", 1.0]]')])


# -- exceptions of lists ------------------------------------------------------------------------------------------


class Stop(Exception):
    def __init__(self, value):
        self.value = value


def _stops(of):
    def f(x, ps):
        seen = []
        try:
            for p in ps:
                seen.append(p * x)
                if p * x > 2.0:
                    raise Stop(of(seen))
        except Stop as e:
            return -1.0 - e.value * x
        return x * x
    return f


@pytest.mark.parametrize("of", [max, min, sum, math.fsum, lambda xs: sorted(xs)[-1], lambda xs: xs[0] * xs[-1]])
def test_an_exception_carries_what_is_computed_of_a_list(of):
    _agrees(_stops(of), [(1.5, [1.0, 1.1, 2.0, 0.5]), (1.5, [0.1, 0.2])])


def two_handlers(x, ps):
    seen = []
    try:
        for p in ps:
            if p * x > 2.0:
                raise Stop(max(seen))
            seen.append(p * x)
    except Stop as e:
        return -1.0 - e.value * x
    except ValueError:
        return x ** 3
    return x * x


def test_max_of_an_empty_list_goes_to_its_handler():
    _agrees(two_handlers, [(1.5, [1.0, 1.1, 2.0, 0.5]), (1.5, [2.0, 1.0]), (1.5, [0.1])])


# -- which refusal is shown ----------------------------------------------------------------------------------------


class Missed(Exception):
    def __init__(self, surface):
        self.surface = surface


@dataclass(frozen=True)
class Surface:
    z: float

    def hit(self, y):
        if abs(y) > 1.0:
            raise Missed(self)
        return y * self.z


def misses(x, ys):
    total = 0.0
    for y in ys:
        with contextlib.suppress(Missed):
            total += Surface(x).hit(y)
    return total


def test_an_object_in_an_exception() -> None:
    agrees(misses, 1.5, [0.5, 2.0])


class Affine:
    def __init__(self, a):
        self.a = a

    @classmethod
    def scale(cls, x, y=1.0):
        return cls(x * y)

    @classmethod
    def power(cls, x, y=1.0):
        return cls(x ** 2 * y)


def by_name_and_list(x, text):
    total = 0.0
    for name, args in re.findall(r"(\w+)\(([^)]*)\)", text):
        values = [x if a == "x" else float(a) for a in args.split()]
        total += getattr(Affine, name)(*values).a
    return total


def by_branches_and_list(x, text):
    total = 0.0
    for name, args in re.findall(r"(\w+)\(([^)]*)\)", text):
        values = [x if a == "x" else float(a) for a in args.split()]
        total += Affine.scale(*values).a if name == "scale" else Affine.power(*values).a
    return total


def test_a_function_chosen_at_run_time_with_a_list_of_arguments():
    text = "scale(x 2)power(x)scale(3 x)"
    assert "each function in a branch" in refuses(by_name_and_list, 1.5, text, code="SCT504").hint
    _agrees(by_branches_and_list, [(1.5, text), (0.5, "power(2 x)")])


def opaque_helper(text):
    counts = {}
    for word in text.split():
        counts.setdefault(word, []).append(len(word))
    return counts


def refused_behind_a_helper(x, text):
    table = opaque_helper(text)
    total = 0.0
    for word in table:
        total += x * len(table[word])
    return total * eval("x")


def test_the_refusal_is_that_of_what_came_furthest():
    refusal = refuses(refused_behind_a_helper, 1.5, "a b a", code="SCT206")
    assert refusal.loc.line == refused_behind_a_helper.__code__.co_firstlineno + 5
