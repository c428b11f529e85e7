"""Functions that run as they are and write what a global holds, under another name than that of the global.

Each is refused where the differentiated function reads the global, too.
"""

from __future__ import annotations

import contextlib
from collections import defaultdict
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from sct import SctError, value_and_grad

STATE: Any = {"n": 0, "m": [1.0], "d": {"n": 0}}
OTHER: Any = [{"n": 0}]
ARR = np.zeros(3)
PROBES: list[Callable[..., Any]] = []


def probe(f: Callable[..., Any]) -> Callable[..., Any]:
    PROBES.append(f)
    return f


class Err(Exception):
    table: Any


ERR = Err()
ERR.table = STATE


@probe
def tuple_target() -> float:
    try:
        s, n = STATE, 1
        s["n"] += n
    finally:
        pass
    return 1.0


@probe
def nested_tuple() -> float:
    try:
        (a, (s, n)) = 1, (STATE, 1)
        s["n"] += n
    finally:
        pass
    return 1.0


@probe
def star() -> float:
    try:
        a, *s = 1, STATE
        s[0]["n"] += 1
    finally:
        pass
    return 1.0


@probe
def item_of_new() -> float:
    try:
        s = [STATE]
        s[0]["n"] += 1
    finally:
        pass
    return 1.0


@probe
def appended() -> float:
    try:
        s = []
        s.append(STATE)
        s[0]["n"] += 1
    finally:
        pass
    return 1.0


@probe
def aliased() -> float:
    try:
        s = []
        t = s
        t.append(STATE)
        s[0]["n"] += 1
    finally:
        pass
    return 1.0


@probe
def dict_item() -> float:
    try:
        s = {}
        s["k"] = STATE
        s["k"]["n"] += 1
    finally:
        pass
    return 1.0


@probe
def dict_display() -> float:
    try:
        s = {"k": STATE}
        s["k"]["n"] += 1
    finally:
        pass
    return 1.0


@probe
def imported() -> float:
    try:
        from test_written_globals import STATE as s
        s["n"] += 1
    finally:
        pass
    return 1.0


@probe
def imported_module() -> float:
    try:
        import test_written_globals as m
        m.STATE["n"] += 1
    finally:
        pass
    return 1.0


@probe
def class_body() -> float:
    try:
        class s:
            table = STATE
        s.table["n"] += 1
    finally:
        pass
    return 1.0


@probe
def decorated() -> float:
    try:
        @(lambda f: STATE)
        def s():
            pass
        s["n"] += 1
    finally:
        pass
    return 1.0


@probe
def decorated_class() -> float:
    try:
        @(lambda f: STATE)
        class s: pass
        s["n"] += 1
    finally:
        pass
    return 1.0


@probe
def excepted() -> float:
    try:
        raise ERR
    except Err as e:
        e.table["n"] += 1
    return 1.0


@probe
def matched() -> float:
    try:
        match STATE:
            case s:
                s["n"] += 1
    finally:
        pass
    return 1.0


@probe
def matched_as() -> float:
    try:
        match STATE:
            case {"d": s}:
                s["n"] += 1
    finally:
        pass
    return 1.0


@probe
def matched_star() -> float:
    try:
        match OTHER:
            case [*s]:
                s[0]["n"] += 1
    finally:
        pass
    return 1.0


@probe
def matched_rest() -> float:
    try:
        match STATE:
            case {"n": _, **s}:
                s["d"]["n"] += 1
    finally:
        pass
    return 1.0


@probe
def with_as() -> float:
    try:
        with contextlib.nullcontext(STATE) as s:
            s["n"] += 1
    finally:
        pass
    return 1.0


@probe
def for_in() -> float:
    try:
        for s in [STATE]:
            s["n"] += 1
    finally:
        pass
    return 1.0


@probe
def for_tuple() -> float:
    try:
        for i, s in enumerate([STATE]):
            s["n"] += 1
    finally:
        pass
    return 1.0


@probe
def walrus() -> float:
    try:
        if (s := STATE):
            s["n"] += 1
    finally:
        pass
    return 1.0


@probe
def walrus_comp() -> float:
    try:
        [s := t for t in [STATE]]
        s["n"] += 1
    finally:
        pass
    return 1.0


@probe
def comp() -> float:
    try:
        [t.update(n=1) for t in [STATE]]
    finally:
        pass
    return 1.0


@probe
def inner_param() -> float:
    try:
        def inner(p):
            p["n"] += 1
        inner(STATE)
    finally:
        pass
    return 1.0


@probe
def lambda_param() -> float:
    try:
        (lambda p: p.update(n=1))(STATE)
    finally:
        pass
    return 1.0


@probe
def inner_default() -> float:
    try:
        def inner(p=STATE):
            p["n"] += 1
        inner()
    finally:
        pass
    return 1.0


@probe
def default_of_a_parameter(p=STATE) -> float:
    try:
        p["n"] += 1
    finally:
        pass
    return 1.0


@probe
def parameter_under_another_name(p=STATE) -> float:
    try:
        if p is None:
            p = {}
        s = p
        s["n"] += 1
    finally:
        pass
    return 1.0


@probe
def maximum() -> float:
    try:
        s = max(STATE, {}, key=len)
        s["n"] += 1
    finally:
        pass
    return 1.0


@probe
def ifexp() -> float:
    try:
        s = STATE if True else {}
        s["n"] += 1
    finally:
        pass
    return 1.0


@probe
def boolop() -> float:
    try:
        s = {} or STATE
        s["n"] += 1
    finally:
        pass
    return 1.0


@probe
def listed() -> float:
    try:
        s = list([STATE])
        s[0]["n"] += 1
    finally:
        pass
    return 1.0


@probe
def copied() -> float:
    try:
        s = STATE.copy()
        s["d"]["n"] += 1
    finally:
        pass
    return 1.0


@probe
def chained() -> float:
    try:
        s = t = STATE
        t["n"] += 1
    finally:
        pass
    return 1.0


@probe
def asarray() -> float:
    try:
        s = np.asarray(ARR)
        s[0] += 1
        STATE["n"] += 0
    finally:
        pass
    return 1.0


@probe
def augadd() -> float:
    try:
        s = []
        s += [STATE]
        s[0]["n"] += 1
    finally:
        pass
    return 1.0


@probe
def extend() -> float:
    try:
        s = []
        s.extend([STATE])
        s[0]["n"] += 1
    finally:
        pass
    return 1.0


@probe
def slicing() -> float:
    try:
        s = [None]
        s[:] = [STATE]
        s[0]["n"] += 1
    finally:
        pass
    return 1.0


@probe
def put_by_function() -> float:
    try:
        s = []
        into(s)
        s[0]["n"] += 1
    finally:
        pass
    return 1.0


def into(s): s.append(STATE)


@probe
def method_of_item() -> float:
    try:
        s = [STATE]
        s[0].update(n=1)
    finally:
        pass
    return 1.0


@probe
def for_target_sub() -> float:
    try:
        for STATE["n"] in range(3):
            pass
    finally:
        pass
    return 1.0


@probe
def with_target() -> float:
    try:
        with contextlib.nullcontext(3) as STATE["n"]:
            pass
    finally:
        pass
    return 1.0


@probe
def iadd_or() -> float:
    global STATE
    try:
        t = STATE
        t |= {"n": 3}
    finally:
        pass
    return 1.0


@probe
def via_get() -> float:
    try:
        s = {"k": STATE}
        s.get("k")["n"] += 1
    finally:
        pass
    return 1.0


@probe
def via_pop() -> float:
    try:
        s = [STATE]
        t = s.pop()
        t["n"] += 1
    finally:
        pass
    return 1.0


@probe
def setitem_method() -> float:
    try:
        STATE.__setitem__("n", 1)
    finally:
        pass
    return 1.0


@probe
def dict_setitem() -> float:
    try:
        dict.__setitem__(STATE, "n", 1)
    finally:
        pass
    return 1.0


@probe
def bound_method() -> float:
    try:
        put = STATE.update
        put(n=1)
    finally:
        pass
    return 1.0


@probe
def bound_method2() -> float:
    try:
        list(map(OTHER[0].setdefault, ["q"]))
        list(map(STATE.update, [{"n": 1}]))
    finally:
        pass
    return 1.0


@pytest.mark.parametrize("validate", ["first", "0"])
@pytest.mark.parametrize("f", PROBES, ids=lambda f: f.__name__)
def test_a_write_under_another_name_is_refused(
        f: Callable[..., Any], validate: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SCT_VALIDATE", validate)
    before = repr((STATE, OTHER, ARR))
    with pytest.raises(SctError, match="SCT302"):
        value_and_grad(lambda x: x * f() * (STATE["n"] + STATE["d"]["n"] + ARR[0] + OTHER[0]["n"]))(1.5)
    assert repr((STATE, OTHER, ARR)) == before


def counts(a) -> float:
    try:
        STATE["d"]["n"] += len(STATE)
    finally:
        pass
    return float(a[0])


def test_a_write_to_one_global_is_no_write_to_another() -> None:
    a = np.array([2.0, 3.0])
    try:
        assert value_and_grad(lambda x, a: x * counts(a) * a[0] * ARR.size)(1.5, a) == (18.0, 12.0)
        assert STATE["d"]["n"] == 3
    finally:
        STATE["d"]["n"] = 0


def table(a) -> float:
    rows = [[0.0] * 3 for _ in range(4)]
    try:
        for i in range(4):
            rows[i][i % 3] += a[i % 2]
    finally:
        pass
    return rows[1][1]


def groups(a) -> float:
    found = defaultdict(list)
    try:
        for i in range(4):
            found[i % 2].append(a[0])
    finally:
        pass
    return float(sum(found[0]))


def pairs(a) -> float:
    s, n = [], 1
    try:
        for v in a:
            s.append(v)
            n += 1
    finally:
        pass
    return float(s[0] * n)


def appended_rows(a) -> float:
    rows = []
    try:
        for _ in range(3):
            rows.append([])
            rows[-1].append(a[0])
    finally:
        pass
    return float(len(rows) * rows[0][0])


@pytest.mark.parametrize("f", [table, groups, pairs, appended_rows], ids=lambda f: f.__name__)
def test_writes_to_what_the_function_makes_are_its_own(f: Callable[..., Any]) -> None:
    a = np.array([2.0, 3.0])
    assert value_and_grad(lambda x, a: x * f(a) * a[0])(1.5, a) == (1.5 * f(a) * 2.0, f(a) * 2.0)
    assert a.tolist() == [2.0, 3.0]
