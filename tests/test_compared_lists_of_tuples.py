"""Lists and tuples of tuples, whose length is known only at run time, compared with others; and in exceptions."""

from __future__ import annotations

import pytest
from oracle import Programs, agrees, agrees_in_every_mode, refuses

from sct import grad


@pytest.fixture(autouse=True)
def not_validated(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SCT_VALIDATE", "0")


program = Programs()
COUNTS = [([1.5, 0.7], n) for n in (3, 0, 1, 2, 6)]


@program(*COUNTS)
def tuple_of_fixed_length(x, n):
    kept = [(k, p) for k, p in (("m", 1), ("s", n)) if p != 0]
    if tuple(kept) != (("m", 1),):
        return x[0]
    return x[0] * x[1]


@program(*COUNTS)
def lists(x, n):
    kept = [(k, p) for k, p in [("m", i) for i in range(n)] if p != 0]
    if kept == [("m", 1), ("m", 2)] or [] == kept:
        return x[0] ** 3
    return x[0] * x[1]


@program(*COUNTS)
def two_of_run_time(x, n):
    kept = [(x[0] * k, k) for k in range(n) if k != 1]
    other = [(x[0] * k, k) for k in range(3) if k != 1]
    return x[0] ** 3 if kept == other else x[0] * x[1]


@program(*COUNTS)
def nested(x, n):
    kept = [(k, (k, "a")) for k in range(n) if k != 1]
    return x[0] ** 3 if kept == [(0, (0, "a")), (2, (2, "a"))] else x[0] * x[1]


@program(*COUNTS)
def of_other_items(x, n):
    kept = [(k, k) for k in range(n) if k != 1]
    if kept == [0, 2] or tuple(kept) == ((0, 0, 0),) or tuple(kept) == [(0, 0)]:
        return x[0]
    return x[0] ** 3 if tuple(kept) == () else x[0] * x[1]


@program(*COUNTS)
def in_an_assert(x, n):
    kept = sorted([(k, "b") for k in range(n) if k != 1])
    if kept != [(0, "b"), (2, "b")]:
        raise AssertionError((len(kept), n, ("m", x[0])))  # pytest changes the text of an `assert`
    return x[0] ** 3


@program(*COUNTS)
def raised_with_a_tuple(x, n):
    if n > 1.7 * x[0]:
        raise ValueError((n, x[0]), "s")
    if n > 1:
        raise KeyError((n, "a", (n,)))
    return x[0] ** 3


@program(*COUNTS)
def raised_with_all_items(x, n):
    kept = [(k, "b") for k in range(n) if k != 1]
    if len(kept) > 3:
        raise TypeError(tuple(kept))
    values = [x[0] * k for k in range(n)]
    if len(values) > 2:
        raise TypeError(tuple(values), n)
    return x[0] ** 3


@program(*COUNTS)
def caught_with_a_tuple(x, n):
    try:
        if n > 1.7 * x[0]:
            raise ValueError((n, x[1]), "s")
    except ValueError as e:
        k, v = e.args[0]
        return k * v * x[0]
    return x[0] ** 3


@pytest.mark.parametrize(("f", "calls"), program, ids=lambda v: v.__name__ if callable(v) else "")
def test_comparisons_and_exceptions(f, calls) -> None:
    agrees_in_every_mode(f, calls)


def test_the_order_of_lists_of_tuples_is_refused() -> None:
    def f(x, n):
        return x if [(x * k, k) for k in range(n) if k != 1] < [(x, 2)] else x * x

    assert "`==` and `!=`" in str(refuses(f, 1.5, 3, code="SCT503"))


def test_a_list_that_leaves_the_function_in_an_exception_is_refused_where_it_is_raised() -> None:
    def f(x, n):
        kept = [(k, "b") for k in range(n) if k != 1]
        if len(kept) > 3:
            raise TypeError(kept)
        return x * x

    agrees(f, 1.5, 3)
    with pytest.raises(NotImplementedError, match="a list or dict"):
        grad(f)(1.5, 9)
