"""Numbers, strings and arrays that may be None: what Python does with None, outside a `try` and in one.

Every program is called with None first and with a value first, without validation at the first call.
"""

from __future__ import annotations

import contextlib
import linecache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from oracle import Programs, agrees, agrees_in_every_mode, refuses

from sct import SctError, grad, jvp, value_and_grad, vjp

X = np.array([0.7, 0.3, 0.45, 0.9])
CALLS: list[tuple[int, ...]] = [(0, 1, 2), (2, 1, 0)]
program = Programs()


@pytest.fixture(autouse=True)
def _without_validation(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SCT_VALIDATE", "0")


# -- one expression of a value that may be None ------------------------------------------------------------


PROGRAM = """
import math
import numpy as np

def f(x, n):
    u = None
    for i in range(n):
        u = {value}
    {body}
    return s
"""
IN_A_TRY = "try: s = {}\n    except TypeError: s = x[1] * 100.0"

OF_NUMBERS = [
    "x[0] if u == 1.0 else x[2]", "x[0] if u != 1.0 else x[2]", "x[0] if u == None else x[2]",
    "x[0] if u in (1.0, 5.0) else x[2]", "x[0] if u not in {1.0, 2.0} else x[2]", "x[0] if u else x[2]",
    "x[0] if not u else x[2]", "u or x[2]", "x[0] if 0.0 == u == 1.0 else x[2]", "x[0] if 0.0 < u == 1.0 else x[2]",
    "x[0] if u is None or u == 1.0 else u", "x[0] if (u, 1) == (1.0, 1) else x[2]",
    "sum([x[k] for k in range(3) if k != u])", "x[0] if isinstance(u, float) else x[2]", "u * x[0]", "x[0] + u",
    "u ** 2", "-u", "abs(u)", "u // 2", "x[0] if u < 1 else x[2]", "np.exp(u)", "np.add(u, x[1])",
    "math.sqrt(u)", "np.maximum(u, x[0])", "max(u, x[0])", "min([x[0], u])", "sorted([x[0], u])[0]", "sum([x[0], u])",
    "float(u)", "int(u) * x[0]", "round(u) * x[0]", "(u + 1.0) * 2.0",
]
OF_ARRAYS = [
    "len(u) * x[0]", "x[0] if len(u) != 3 else x[1]", "np.zeros(len(u))[0] + x[0]", "np.sum(x[:len(u)])",
    "sum(k * x[0] for k in range(len(u)))", "len(u[:1]) * x[0]", "len(u[::-1]) * x[0]", "len(list(u)) * x[0]",
    "x[0] if x[0] in u else x[2]", "[v for v in u][0]", "sum(u)", "list(zip(u, u))[0][1]", "list(enumerate(u))[1][1]",
    "x[0] if enumerate(u) else x[1]", "list(reversed(u))[0]", "u[0]", "u[:1][0]", "np.sum(u * 2.0)",
    "sum(len(h) for h in [x, u]) * x[0]",
]
OUTSIDE_OF_TRY = [
    "u.shape[0] * x[0]", "u.ndim * x[0]", "u.size * x[0]", "u.dtype.itemsize * x[0]", "x[:u.shape[0]].sum()",
    "np.outer(u, u).shape[1] * x[0]", "np.zeros(u.shape)[0] + x[0]", "u.T.shape[0] * x[0]", "u[None].ndim * x[0]",
    "u.T[0]", "u.real.shape[0] * x[0]", "u.flat[0]", "(u * 2.0).shape[0] * x[0]",
]
REFUSED_IN_TRY = [
    ("float(i)", e) for e in (
        "len(f'{u}') * x[0]", "len(str(u)) * x[0]", "np.float64(u)", "np.sum(u) + x[0]", "np.size(u) * x[0]",
        "np.zeros_like(u) + x[0]", "np.array([x[0], u])[0]", "np.isclose(u, x[0]) * x[1]")] + [
    ("x[:2]", e) for e in (
        "np.sum(u) + x[0]", "np.array(u).shape[0] * x[0]", "np.dot(u, u)", "u.shape[0] * x[0]", "np.max(u)",
        "np.reshape(u, (2, 1))[0, 0]", "np.where(x[:2] > 0.5, u, 1.0)[0]")]


def written(path: Path, value: str, expression: str, *, in_a_try: bool) -> Any:
    """The program of the expression, in a file of its own."""
    body = (IN_A_TRY if in_a_try else "s = {}").format(expression)
    text = PROGRAM.format(value=value, body=body)
    path.write_text(text)
    linecache.checkcache(str(path))
    namespace: dict[str, Any] = {}
    exec(compile(text, str(path), "exec"), namespace)
    return namespace["f"]


EXPRESSIONS = [
    *[(value, e, t) for e in OF_NUMBERS for value in ("float(i)", "x[i]") for t in (False, True)
      if value == "float(i)" or not any(w in e for w in ("1.0, 5.0", "{1.0", "isinstance", "== 1.0", "!= 1.0"))],
    *[(value, e, t) for e in OF_ARRAYS for value in ("x[:2]", "x[:2] * 2.0") for t in (False, True)],
    *[("x[:2]", e, False) for e in OUTSIDE_OF_TRY],
]


@pytest.mark.filterwarnings("ignore::sct.SctWarning")
@pytest.mark.parametrize(("value", "expression", "in_a_try"), EXPRESSIONS)
def test_expression(value: str, expression: str, in_a_try: bool, tmp_path: Path) -> None:
    f = written(tmp_path / "program.py", value, expression, in_a_try=in_a_try)
    for order in CALLS:
        derivative = value_and_grad(f)
        for n in order:
            agrees(f, X, n, derivative=derivative)


@pytest.mark.parametrize(("value", "expression"), REFUSED_IN_TRY)
def test_what_python_does_with_none_in_a_try_is_refused_where_it_is_not_known(
        value: str, expression: str, tmp_path: Path) -> None:
    f = written(tmp_path / "program.py", value, expression, in_a_try=True)
    for n in (0, 1):
        refuses(f, X, n, code="SCT101")


def test_what_numpy_makes_of_none_is_refused_at_run_time(tmp_path: Path) -> None:
    f = written(tmp_path / "program.py", "x[:2]", "np.array(u).shape[0] * x[0]", in_a_try=False)
    derivative = value_and_grad(f)
    agrees(f, X, 2, derivative=derivative)
    with pytest.raises(SctError, match="must be a number or an array"):
        derivative(X, 0)


@pytest.mark.parametrize("expression", ["np.shape(u)[0] * x[0]", "np.ndim(u) * x[0]"])
def test_facts_that_none_has_as_well_are_refused(expression: str, tmp_path: Path) -> None:
    f = written(tmp_path / "program.py", "x[:2]", expression, in_a_try=False)
    assert "is None" in str(refuses(f, X, 2, code="SCT503"))


# -- where None comes from ---------------------------------------------------------------------------------


class Box:
    def __init__(self) -> None:
        self.a: Any = None


def compared(u: Any) -> Any:
    return u == 1


def length_or_ten(u: Any) -> Any:
    try:
        return len(u)
    except TypeError:
        return 10


def first_two(x: Any, n: int) -> Any:
    if n:
        return x[:2]


def number(n: int) -> Any:
    if n:
        return n


BOTH = [(X, 0), (X, 1), (X, 2), (X, 0)], [(X, 2), (X, 1), (X, 0)]


@program(*BOTH)
def attribute(x, n):
    o = Box()
    for i in range(n):
        o.a = x[:2]
    return len(o.a) * x[0]


@program(*BOTH)
def attribute_compared(x, n):
    o = Box()
    for i in range(n):
        o.a = i
    try:
        return x[0] if o.a == 1 else x[1]
    except TypeError:
        return x[2]


@program(*BOTH)
def lengths_of_items(x, n):
    rows = [None] * 3
    for i in range(n):
        rows[i] = x[:2] * 1.0
    try:
        return sum(len(row) for row in rows) * x[0]
    except TypeError:
        return x[1]


@program(*BOTH)
def items_compared(x, n):
    places = [None] * 3
    for i in range(n):
        places[i] = i
    s = x[3]
    try:
        for place in places:
            s = s + x[0] if place == 1 else s * x[1]
    except TypeError:
        return x[1]
    return s


@program(*BOTH)
def items_looked_for(x, n):
    places = [None] * 3
    for i in range(n):
        places[i] = i
    try:
        return x[0] * places.count(1) if 1 in places else x[2]
    except TypeError:
        return x[1]


@program(*BOTH)
def axes_of_an_item(x, n):
    rows = [None] * 3
    for i in range(n):
        rows[i] = x[:2] * 1.0
    best = rows[1]
    return best.ndim * x[0]


@program(*BOTH)
def length_of_a_value_of_a_dict(x, n):
    d = {}
    for i in range(n):
        d[i] = x[:2] * 1.0
    return len(d.get(1)) * x[0]


@program(*BOTH)
def value_of_a_dict_compared(x, n):
    d = {}
    for i in range(n):
        d[i] = "b"
    try:
        return x[0] if d.get(1) == "b" else x[2]
    except TypeError:
        return x[1]


@program(*BOTH)
def value_of_a_dict_multiplied(x, n):
    d = {}
    for i in range(n):
        d[i] = x[i]
    try:
        return d.get(1) * x[0]
    except TypeError:
        return x[1]


@program(*BOTH)
def a_string(x, n):
    u = "ab" if n else None
    try:
        return x[0] if u == "ab" else x[1]
    except TypeError:
        return x[2]


@program(*BOTH)
def in_a_function(x, n):
    try:
        return x[0] if compared(number(n)) else x[1]
    except TypeError:
        return x[2]


@program(*BOTH)
def in_a_try_of_a_function(x, n):
    return length_or_ten(first_two(x, n)) * x[0]


@program(*BOTH)
def suppressed(x, n):
    u, v, s = number(n), first_two(x, n), x[3]
    with contextlib.suppress(TypeError):
        s = x[0] if u == 1 else x[2]
        s = len(v) * s
    return s


@program(*BOTH)
def in_a_loop(x, n):
    u, s = None, 0.0
    for i in range(n + 2):
        try:
            if u == i - 1:
                s = s + x[i]
            s = s + u * x[0]
        except TypeError:
            s = s * 2.0 + x[1]
        u = i
    return s


@program(*BOTH)
def continued(x, n):
    u, s = None, 0.0
    for i in range(n + 2):
        try:
            s = s + (u + x[i])
        except TypeError:
            u = x[i]
            continue
        u = u * 0.5
    return s


@program(*BOTH)
def with_else(x, n):
    u = number(n)
    try:
        k = u + 1
    except TypeError:
        return x[0]
    else:
        return x[1] * k


@program(*BOTH)
def unpacked(x, n):
    u = first_two(x, n)
    try:
        a, b = u
    except TypeError:
        return x[3]
    return a * b


@program(*BOTH)
def iterator_made_in_a_try(x, n):
    u, s = first_two(x, n), x[0]
    try:
        items = enumerate(u)
    except TypeError:
        return x[1]
    for k, v in items:
        s = s + k * x[2]
    return s


@program(*BOTH)
def item_stored(x, n):
    u = None
    for i in range(n):
        u = x[:2] * 1.0
    try:
        u[0] = x[3]
    except TypeError:
        return x[2]
    return u[0] * u[1]


@program(*BOTH)
def matched(x, n):
    u = number(n)
    try:
        match u:
            case 1:
                return x[0]
            case None:
                return x[1]
            case _:
                return x[2]
    except TypeError:
        return x[3]


@program(*BOTH)
def present_by_a_test(x, n):
    u = number(n)
    if u is None:
        return x[3]
    try:
        return x[0] * u if u == 1 else x[1] * u
    except TypeError:
        return x[2]


@pytest.mark.parametrize(("f", "calls"), program, ids=[f.__name__ for f, _ in program])
def test_program(f: Any, calls: Any) -> None:
    for order in calls:
        derivative = value_and_grad(f)
        for x, n in order:
            agrees(f, x, n, derivative=derivative)


@pytest.mark.parametrize("f", [attribute_compared, value_of_a_dict_multiplied, in_a_try_of_a_function, in_a_loop,
                               suppressed, continued])
def test_in_every_mode(f: Any) -> None:
    x = X.tolist()
    agrees_in_every_mode(lambda x, n: f(np.array(x), n), [(x, 1), (x, 0), (x, 2)])


# -- operations whose result nobody needs ------------------------------------------------------------------


def added(x, n):
    u = number(n)
    u + 1.0
    return x[0]


def item_of_none(x, n):
    u = first_two(x, n)
    u[0]
    return x[0]


def in_an_unused_list(x, n):
    u = number(n)
    w = [u + 1.0]
    return x[0]


def in_a_default(x, n):
    u = number(n)

    def g(a, b=u * 2.0):
        return a

    return g(x[0])


def class_of_a_sum(x, n):
    u = number(n)
    return x[0] * isinstance(u + 1.0, float)


def identity_of_a_sum(x, n):
    u = number(n)
    return x[0] if (u + 1.0) is None else x[1]


def in_a_branch(x, n):
    u, s = None, x[0]
    for i in range(2):
        if n:
            u = x[i]
        u * 2.0
        s = s * x[1]
    return s


def between_prints(x, n):
    u = number(n)
    print("before")
    u + 1
    print("behind")
    return x[0]


DEAD = [added, item_of_none, in_an_unused_list, in_a_default, class_of_a_sum, identity_of_a_sum, in_a_branch,
        between_prints]


@pytest.mark.parametrize("f", DEAD)
def test_an_operation_on_none_raises_though_nobody_needs_its_result(f: Any) -> None:
    for order in CALLS:
        derivative = value_and_grad(f)
        for n in order:
            agrees(f, X, n, derivative=derivative)
    with pytest.raises(TypeError):
        jvp(f, (X, 0), (np.ones(4),))
    with pytest.raises(TypeError):
        vjp(f, X, 0)


def test_no_statement_is_left_of_an_operation_on_what_is_not_none() -> None:
    def f(x: Any, n: int) -> Any:
        u = first_two(x, n)
        if u is None:
            return x[3]
        u * 2.0
        return x[0]

    derivative = value_and_grad(f)
    for n in (0, 1):
        agrees(f, X, n, derivative=derivative)
    assert "2.0" not in derivative.source


def test_a_gradient_that_needs_the_length_of_none_raises() -> None:
    derivative = grad(attribute)
    assert list(derivative(X, 1)) == [2.0, 0.0, 0.0, 0.0]
    with pytest.raises(TypeError, match="has no len"):
        derivative(X, 0)
