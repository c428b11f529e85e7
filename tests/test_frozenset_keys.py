"""Keys that are frozensets of strings or ints, which are known only at run time: Python makes and looks up the key."""

from __future__ import annotations

import enum
from typing import Any

import numpy as np
import pytest
from oracle import Programs, agrees

from sct import value_and_grad

KINDS = ["Ar", "Kr", "Kr", "Ar", "Ar", "Kr"]
UNKNOWN = ["Ar", "Kr", "Xe", "Ar", "Ar", "Kr"]
X = [1.0, 2.5, 2.7, -0.3, 0.4, 0.1]

DEPTH = {frozenset(["Ar"]): 1.0, frozenset(["Ar", "Kr"]): 0.8, frozenset(["Kr"]): 1.3}
OF_INTS = {frozenset([1, 2]): 1.0, frozenset([2]): 3.0}
OF_SEVERAL_KINDS = {"Ar": 2.0, frozenset(["Ar"]): 1.0, ("Ar", "Kr"): 0.8}


class Form(enum.Enum):
    SPRING = "spring"
    MORSE = "morse"


FORMS = {frozenset(["Ar"]): (Form.SPRING, {"k": 1.0}), frozenset(["Kr"]): (Form.SPRING, {"k": 1.3}),
         frozenset(["Ar", "Kr"]): (Form.MORSE, {"d": 0.8, "a": 1.5})}

programs = Programs()


@programs((X, KINDS), (X, UNKNOWN))
def of_pairs(x: Any, kinds: Any) -> Any:
    u = 0.0
    for i in range(len(kinds)):
        for j in range(i):
            u += DEPTH[frozenset([kinds[i], kinds[j]])] * (x[i] - x[j]) ** 2
    return u


@programs((X, KINDS))
def of_sorted_pairs(x: Any, kinds: Any) -> Any:
    pairs, u = set(), 0.0
    for i in range(len(kinds)):
        for j in range(i):
            pairs.add((i, j))
    for i, j in sorted(pairs):
        form, p = FORMS[frozenset((kinds[i], kinds[j]))]
        r = x[i] - x[j]
        u += p["k"] * r ** 2 if form is Form.SPRING else p["d"] * np.exp(-p["a"] * r)
    return u


@programs((X, KINDS), (X, UNKNOWN))
def with_a_default(x: Any, kinds: Any) -> Any:
    u = 0.0
    for i in range(len(kinds)):
        key = frozenset({kinds[i], kinds[i - 1]})
        if key in DEPTH:
            u += x[i]
        u += DEPTH.get(key, 2.0) * x[i] ** 2 + DEPTH.get(frozenset([kinds[i], "He"]), 5.0) * x[0]
    return u


@programs((X, KINDS), (X, UNKNOWN))
def of_a_dict_of_the_function(x: Any, kinds: Any) -> Any:
    d = {frozenset(["Ar"]): x[0], frozenset(["Ar", "Kr"]): x[1], frozenset(["Kr"]): x[2]}
    u = 0.0
    for i in range(len(kinds)):
        u += d[frozenset([kinds[i], kinds[i - 1]])] * x[i]
    return u


@programs((X, KINDS), (X, UNKNOWN))
def handled(x: Any, kinds: Any) -> Any:
    u = 0.0
    for kind in kinds:
        try:
            u += DEPTH[frozenset([kind, "Kr"])] * x[0]
        except KeyError:
            u += x[1] ** 2
    return u


@programs((X, [1, 2, 2, 1, 1, 2]), (X, [2, 2, 1, 3, 3, 2]))
def of_ints(x: Any, kinds: Any) -> Any:
    u = 0.0
    for i in range(len(kinds)):
        u += OF_INTS.get(frozenset([kinds[i], kinds[i - 1]]), 7.0) * x[i] ** 2
    return u


@programs((X, ["Ar"] * 6), (X, KINDS))
def among_other_keys(x: Any, kinds: Any) -> Any:
    u = 0.0
    for i in range(len(kinds)):
        u += OF_SEVERAL_KINDS[frozenset([kinds[i]])] * x[i] ** 2
    return u


@programs((X, KINDS), (X, UNKNOWN))
def chosen_by_a_number(x: Any, kinds: Any) -> Any:
    return DEPTH[frozenset([kinds[0], kinds[1] if x[0] > 0.0 else "Ar"])] * x[0] ** 2


@pytest.mark.parametrize(("f", "calls"), programs, ids=lambda p: getattr(p, "__name__", ""))
def test_keys_that_are_frozensets(f: Any, calls: Any) -> None:
    derivative = value_and_grad(f)
    for x, kinds in calls:
        agrees(f, np.array(x), kinds, derivative=derivative)


def test_new_keys_that_are_frozensets() -> None:
    def filled(x: Any, kinds: Any) -> Any:
        d, u = {}, 0.0
        for i in range(len(kinds)):
            key = frozenset([kinds[i], kinds[i - 1]])
            if key not in d:
                d[key] = x[i]
            u += d[key] * x[i]
        return u

    agrees(filled, np.array(X), ["Ar", "Ar", "Ar", "Ar"])


def test_members_in_frozensets() -> None:
    of_members = {frozenset([Form.SPRING]): 1.0, frozenset([Form.MORSE]): 2.0}

    def f(x: Any, forms: Any) -> Any:
        u = 0.0
        for form in forms:
            u += of_members[frozenset([form])] * x[0]
        return u

    agrees(f, np.array(X), [Form.SPRING, Form.MORSE] * 8)
