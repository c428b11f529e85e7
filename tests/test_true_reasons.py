"""Refusals that a user met with an untrue reason, and programs that were refused for one."""

import copy
import enum
import functools
import heapq
import json
from collections import OrderedDict, defaultdict, deque
from functools import lru_cache

import numpy as np
import pytest
import scipy.interpolate
import scipy.ndimage
import scipy.sparse
from oracle import agrees, refuses

import sct


def cached_of_ints(x, n):
    @lru_cache
    def g(k):
        return x * k
    return g(n) + g(2)


def named(x):
    def h(y):
        return y * x
    k = (lambda y: y)
    return h(x) * len(h.__name__) + len(k.__name__)


@pytest.mark.parametrize("f, args", [
    (cached_of_ints, (2.0, 3)), (cached_of_ints, (2.0, 2)), (named, (2.0,)),
    (lambda x: np.sum(np.sqrt(x)[None]), (2.0,)), (lambda x: np.sqrt(x)[..., None, None] * np.ones(3), (2.0,)),
    (lambda x: np.sqrt(x)[...] * 2.0, (2.0,)),
    (lambda x: np.where(x < 3.0, x * x, 0.0)[()], (2.0,)), (lambda x: np.float64(x)[None].shape[0] * x, (2.0,))])
def test_accepted(f, args):
    value, pullback = sct.vjp(f, *args)
    assert type(value) is type(f(*args)) and np.array_equal(value, f(*args))
    h = 1e-6
    slope = np.sum(f(args[0] + h, *args[1:]) - f(args[0] - h, *args[1:])) / (2 * h)
    ones = np.ones_like(value) if isinstance(value, np.ndarray) else 1.0
    assert pullback(ones)[0] == pytest.approx(slope)
    assert np.sum(sct.jvp(lambda x: f(x, *args[1:]), args[:1], (1.0,))[1]) == pytest.approx(slope)


def documented(x):
    def h(y):
        "doc"
        return y * x
    return h(x) * len(h.__doc__)


@pytest.mark.parametrize("f, args, text", [
    (documented, (2.0,), "the attribute `__doc__` of a function that is defined inside"),
    (lru_cache(lambda x: x * x), (2.0,), "grad(lambda x: f(x))"),
])
def test_reason(f, args, text):
    with pytest.raises(sct.SctError) as refusal:
        sct.grad(f)(*args)
    assert text in str(refusal.value)


def called(v):
    return v(1.0)


@pytest.mark.parametrize("f", [
    lambda x: np.vsplit(x, 3)[0], lambda x: np.hsplit(x[0, ...], 1)[0], lambda x: np.dsplit(x, 1)[0],
    lambda x: np.split(x, 3, axis=1)[0], lambda x: x(1.0), lambda x: called([x]), lambda x: called({}),
    lambda x: called({k: x for k in range(int(x[0]))})])
def test_what_python_raises_is_raised(f):
    agrees(lambda x: np.sum(f(x)), np.arange(1.0, 4.0))
    agrees(lambda x: np.sum(f(x)) if x[0] > 9.0 else x[0] ** 2, np.arange(1.0, 4.0))


def clipped_into(x):
    y = np.zeros((2, 3))
    np.clip(x * 2.0, 3.0, 5.0, out=y)
    return np.sum(y * np.arange(6.0).reshape(2, 3))


def test_clip_broadcasts_into_an_out():
    agrees(clipped_into, np.arange(1.0, 4.0))
    assert sct.hessian(clipped_into)(np.arange(1.0, 4.0)).shape == (3, 3)


def into_matrix(x):
    y = np.zeros((2, 3))
    np.cumsum(x, out=y)
    return np.sum(y)


@pytest.mark.parametrize("f, says, raises", [
    (lambda x: np.max(x, out=np.zeros((), int)) * x[0], "`out` of dtype int64 for a result of dtype float64", False),
    (lambda x: np.sum(x * 1j, out=np.zeros(())) * x[0], "of dtype float64 for a result of dtype complex128", False),
    (lambda x: np.add(x, 0.5, out=np.zeros(3, int)) * x, "cannot cast the result from float64 to int64", True),
    (into_matrix, "a 1-D array of float64 of shape (3,), does not fit into the `out`, a 2-D array of float64", False),
])
def test_a_reason_that_names_numpy_is_true(f, says, raises):
    x = np.arange(1.0, 4.0)
    refusal = refuses(f, x, code="SCT501")
    assert says in refusal.what and ("NumPy raises" in refusal.why) == raises
    if raises:
        with pytest.raises((ValueError, TypeError)):
            f(x)


def of_dtype(x, dtype):
    return np.sum(np.ones(3, dtype=dtype) * x)


def test_a_dtype_that_an_argument_names():
    derivative = sct.value_and_grad(of_dtype)
    for name in ("float64", "float32", "int64", "float64"):
        agrees(of_dtype, np.arange(1.0, 4.0), name, derivative=derivative)
    assert "#" not in refuses(of_dtype, 1.5, "no dtype", code="SCT205").what


def test_a_refusal_names_the_class_of_an_object_and_not_its_address():
    stats = pytest.importorskip("scipy.stats")
    refusal = refuses(lambda x: stats.wishart(3.0, x[0]).logpdf(x[1]), np.ones(2), code="SCT206")
    assert "an object of class `wishart_gen`" in refusal.what and "0x" not in refusal.what


def searched_pairs(x, n):
    cells, seen = [], []
    for i in range(n):
        cells.append((i, (i * i, "a"), None if i == 2 else x * i))
        if (key := (i % 3, i % 2)) not in seen:
            seen.append(key)
    y = x if (2, (4, "a"), None) in cells and (3, (9, "a"), None) not in cells and 7 not in cells else 3.0 * x
    return y * len(seen) * seen.index((0, 1)) * (1 + cells.count((1, 2)))


def searched_numbers(x, n):
    values = [None] * n
    for i in range(1, n, 2):
        values[i] = x * i
    found = [i for i in range(9) if x * i in values]
    try:
        values.remove(x * 100.0)
    except ValueError as error:
        x = x + len(str(error))
    values.remove(None)
    return x * values.count(None) + sum(found) * x + (None in values) * x * values.index(None)


def searched_elements(x):
    items = list(x)
    return np.sum(x * x) * items.count(2.5) if 2.5 in items and 7 not in x.tolist() else np.sum(x)


def differences_between_ends(x):
    inner = np.ediff1d(x, to_end=x[0] * x, to_begin=3)
    last = np.ediff1d(x, [1.0, 2.0])[-1] * np.ediff1d(np.array([1, 4]), 5)[1]
    return np.sum(inner ** 2 * np.arange(6.0)) + last * x[0]


def differences_of_ints(x):
    try:
        return np.sum(np.ediff1d(np.arange(3), to_end=x[0]) * x)
    except TypeError as error:
        return np.sum(x * x) * len(str(error))


@pytest.mark.parametrize("f, args", [
    (searched_pairs, (0.7, 8)), (searched_numbers, (0.7, 7)), (searched_elements, (np.array([1.0, 2.5, 3.0]),)),
    (differences_between_ends, (np.array([1.0, 3.0, 2.5]),)), (differences_of_ints, (np.array([1.0, 3.0, 2.5]),))])
def test_is_python(f, args, monkeypatch):
    monkeypatch.setenv("SCT_VALIDATE", "0")
    if f is searched_elements:  # differences would move what is looked for
        value, gradient = sct.value_and_grad(f)(*args)
        assert value == f(*args) and np.array_equal(gradient, 2.0 * args[0])
    else:
        agrees(f, *args)


class Named:
    def __init__(self, v):
        self.v = v


def test_what_is_searched_for_in_a_list_of_objects_is_compared():
    def f(x, n):
        items = [Named(x * i) for i in range(n)]
        return sum(item.v for item in items) * (2.0 if None in items else 1.0)

    assert "any(y is None for y in xs)" in str(refuses(f, 0.7, 7, code="SCT505"))

    def g(x, n):
        items = [Named(x * i) for i in range(n)]
        return sum(item.v for item in items) * (2.0 if any(y is None for y in items) else 1.0)

    agrees(g, 0.7, 7)


def drawn(x, seed, n):
    rng = np.random.default_rng([seed, n])
    np.random.seed(seed)
    return np.sum(x * rng.normal(size=(n, 3))) * np.random.rand(n)[0] * rng.choice(n) + x[rng.integers(0, n)]


def test_seeds_and_sizes_are_no_numbers_to_differentiate_by():
    x = np.array([1.0, -2.0, 0.5])
    value, pullback = sct.vjp(drawn, x, 4, 3)
    assert value == drawn(x, 4, 3) and pullback(1.0)[1:] == (0.0, 0.0)
    expected = [(drawn(x + h, 4, 3) - drawn(x - h, 4, 3)) / 2e-6 for h in 1e-6 * np.eye(3)]
    np.testing.assert_allclose(pullback(1.0)[0], expected, rtol=1e-6)
    with pytest.raises(sct.SctError, match="SCT207"):
        sct.vjp(lambda x, n: x * np.random.default_rng(1).normal(n), 2.0, 3)


class Ring:
    def __init__(self, v):
        self.v, self.next = v, None


def ring(x, n):
    nodes = [Ring(x * i) for i in range(n)]
    for i in range(n):
        nodes[i].next = nodes[(i + 1) % n]
    first = nodes[0]
    return first.next.v + nodes[0].v * x


def copied_ring(x, n):
    nodes = [Ring(x * i) for i in range(n)]
    for i in range(n):
        nodes[i].next = nodes[(i + 1) % n]
    first = copy.deepcopy(nodes[0])
    return first.next.v + nodes[0].v * x


OBJECTS = [1.0, np.array([1, None])]


def test_the_reason_is_at_its_place():
    agrees(ring, 0.7, 7)
    refusal = refuses(copied_ring, 0.7, 7, code="SCT208")
    assert "deepcopy" in str(refusal)
    assert "`OBJECTS[1]`" in str(refuses(lambda x: x * OBJECTS[1][0], 0.7, code="SCT506"))


def kept(x, n):
    base = np.arange(3.0)

    @lru_cache
    def rows(k):
        out = []
        for _ in range(k):
            out.append(base)
        return out
    return sum(np.sum(rows(k)[-1] * x) for k in range(1, n)) + len(rows(2)) * x


def test_what_a_cached_function_puts_into_a_list_is_not_written():
    agrees(kept, 0.7, 40)


@pytest.mark.parametrize("argument, made", [
    (deque([1.0, 2.0]), list), (OrderedDict(a=1.0, b=2.0), dict), (defaultdict(float, a=1.0, b=2.0), dict)])
def test_a_container_that_is_not_seen_into_is_named(argument, made):
    def f(c):
        return c[0] * c[1] if isinstance(c, (list, deque)) else c["a"] * c["b"]

    with pytest.raises(sct.SctError, match=f"SCT408(.|\\n)*{type(argument).__name__}") as refusal:
        sct.grad(f)(argument)
    assert f"{made.__name__}(" in refusal.value.hint
    agrees(f, made(argument))


def test_a_defaultdict_is_no_alias_of_its_lists():
    def f(d, x):
        return x * d["a"][0] * len(d["a"])

    d = defaultdict(list, a=[1.0, 2.0])
    assert sct.grad(f, 1)(d, 3.0) == 2.0


def too_small(v):
    if v < 0:
        raise ValueError(f"{v!r}")
    return v


def its_text(x):
    try:
        return too_small(x)
    except ValueError as error:
        return float(str(error)) ** 2 + x


def raised_again(x):
    try:
        try:
            return too_small(x)
        except ValueError as error:
            raise KeyError(error.args[0]) from error
    except KeyError as error:
        return float("%s" % error.args) ** 2 + x


def texts_in_a_list(x):
    texts = []
    for v in (x, 2 * x):
        try:
            too_small(v)
        except ValueError as error:
            texts.append(f"{error}")
    return sum(float(t) for t in texts) + x


@pytest.mark.parametrize("f", [its_text, raised_again, texts_in_a_list])
@pytest.mark.parametrize("first", [None, 1.5])
def test_a_number_that_an_exception_shows_is_not_read(f, first, monkeypatch) -> None:
    monkeypatch.setenv("SCT_VALIDATE", "0")
    derivative = sct.value_and_grad(f)
    with pytest.raises(sct.SctError, match=r"a number is read from (a text|an exception)"):
        if first is not None:
            derivative(first)
        derivative(-1.5)


def its_argument(x):
    try:
        if x < 0:
            raise ValueError(x)
        return x
    except ValueError as error:
        return float(error.args[0]) ** 2 + x


def test_a_number_that_an_exception_carries_is_read() -> None:
    for x in (-1.5, 1.5):
        agrees(its_argument, x)


def test_an_exception_that_shows_a_number_is_printed_and_kept(monkeypatch) -> None:
    monkeypatch.setenv("SCT_VALIDATE", "0")

    def f(x):
        texts = []
        try:
            y = too_small(x)
        except ValueError as error:
            print("failed:", error)
            texts.append(f"{error}")
            y = x * x
        return y * (1 + len(texts))

    agrees(f, -1.5)
    agrees(f, 1.5)


def test_what_python_sets_when_it_raises_is_not_known(monkeypatch) -> None:
    monkeypatch.setenv("SCT_VALIDATE", "0")

    def converted(x):
        try:
            return too_small(x)
        except ValueError as error:
            raise KeyError("small") from error

    def causes(x):
        try:
            return converted(x)
        except KeyError as error:
            n, e = 0, error
            while e is not None:
                n, e = n + 1, e.__cause__
            return n * x

    def cause(x):
        try:
            return converted(x)
        except KeyError as error:
            return x * len(repr(error.__cause__))

    for f in (causes, cause):
        for x in (1.5, -1.5):
            refuses(f, x, code="SCT203")


class TooLong(Exception):
    def __init__(self, norm, limit=2.0):
        super().__init__("too long")
        self.norm, self.limit = norm, limit


def scaled_by_an_exception(x):
    try:
        if np.sum(x) > 1.0:
            raise TooLong(np.linalg.norm(x))
        y = np.sum(x)
    except TooLong as error:
        y = np.sum(x) * error.norm
    return y


def scaled_by_a_variable(x):
    norm = np.linalg.norm(x)
    try:
        if np.sum(x) > 1.0:
            raise TooLong(norm)
        y = np.sum(x)
    except TooLong as error:
        y = np.sum(x) * norm
    return y


@pytest.mark.parametrize("f", [scaled_by_an_exception, scaled_by_a_variable])
def test_a_norm_that_an_exception_carries_is_differentiated(f) -> None:
    agrees(f, np.array([0.5, 1.5]))
    agrees(f, np.array([0.5, 0.1]))


def limited(x, limit):
    try:
        if limit > 3:
            raise TooLong(0.0, 2 * limit)
        y = x
    except TooLong as error:
        y = x * error.limit
    return y


def test_a_handler_that_no_call_has_reached_is_right_at_the_first() -> None:
    derivative = sct.value_and_grad(limited)
    for limit, expected in ((1, (1.5, 1.0)), (5, (15.0, 10.0)), (1, (1.5, 1.0))):
        assert derivative(1.5, limit) == expected


def weighted(x, text):
    if len(text) > 2:
        x = x * json.loads(text)[0]
    return x * x


def test_a_type_that_no_call_has_shown_is_observed() -> None:
    derivative = sct.value_and_grad(weighted)
    for text, expected in (("", (2.25, 3.0)), ("[2.0]", (9.0, 12.0)), ("", (2.25, 3.0))):
        assert derivative(1.5, text) == expected


def test_builtins_are_given_no_rule() -> None:
    assert "rule" not in refuses(lambda x: x * id(x), 1.5, code="SCT206").hint


class Side(enum.Flag):
    LEFT = 1
    RIGHT = 2


def sides(x, n, of=lambda side: side):
    passed = []
    for i in range(n):
        passed.append(of(Side.LEFT | Side.RIGHT if i % 3 else Side.RIGHT))
    s = 0.0
    for side in passed:
        s += x if side == of(Side.LEFT | Side.RIGHT) else x * x
    return s


def test_a_list_of_flags_that_are_no_members_is_named_as_one() -> None:
    refusal = refuses(sides, 1.5, 9, code="SCT310")
    assert "a test_true_reasons.Side is put into a list" in refusal.what and "`value`" in refusal.hint
    agrees(lambda x, n: sides(x, n, lambda side: side.value), 1.5, 9)


def test_a_refusal_in_what_stands_for_a_function_is_that_of_its_call() -> None:
    def pairs(x, n):
        return functools.reduce(lambda a, b: (a, b), [x * i for i in range(n)])[0]

    def lists(x, n):
        heap = []
        for i in range(n):
            heapq.heappush(heap, [x * i] * i)
        return heapq.heappop(heap)[0]

    for f, code, line in ((pairs, "SCT502", 1), (lists, "SCT307", 3)):
        refusal = refuses(f, 1.5, 20, code=code)
        assert refusal.loc.file == __file__ and refusal.loc.line == f.__code__.co_firstlineno + line
        assert "which it calls" not in refusal.why


def behind_a_set(x, n):
    seen, best = set(), x
    for k in range(n):
        best = x * np.ones(2) if k * k % 7 in seen else 2.0 * x * np.ones(2)
        if len(seen) > 4:
            best = (x, k)
        seen = seen | {k * k % 7}
    return best[0]


def in_an_expression(x, n):
    for i in range(n):
        w = x * np.ones(2) if x > n else [x, x]
        x = x + w[i % 2]
    return x


def test_the_refusal_of_the_attempt_that_came_furthest_is_said() -> None:
    for f in (behind_a_set, in_an_expression):
        refusal = refuses(f, 1.5, 90, code="SCT502")
        assert refusal.why == "an array on one path and something else on another"


def moved_by_slices(x):
    y = np.outer(x, x)
    w = np.s_[:-1, ::2]
    y[w] -= 0.5 * y[np.s_[1:]][:, ::2]
    return np.sum(y[np.index_exp[1:, 1]] ** 2) + np.sum(y**2)


def of_constant_matrices(x):
    k = scipy.sparse.kron(scipy.sparse.eye(3), np.ones((2, 1)), format="csr")
    return np.sum(scipy.sparse.eye(3, format="csr").dot(x) ** 2) + np.sum(k.dot(x) ** 3) + np.sum(
        scipy.sparse.diags([1.0, 2.0, 3.0]).dot(np.outer(x, x)))


@pytest.mark.parametrize("f", [moved_by_slices, of_constant_matrices])
def test_programs_that_are_plain(f):
    agrees(f, np.array([0.7, -0.3, 1.1]))


def test_it_is_no_use_to_call_again():
    def f(c, n):
        ps = [np.polynomial.Polynomial([1.0])]
        for _ in range(n):
            ps.append(ps[-1] * np.polynomial.Polynomial(c))
        return ps[-1](0.3)

    derivative, hints = sct.value_and_grad(f), []
    for _ in range(3):
        with pytest.raises(sct.SctError) as refusal:
            derivative(np.array([1.0, 2.0]), 2)
        hints.append(refusal.value.hint)
    assert not any("call it again" in hint for hint in hints[1:])


def a_value_of_a_dict_that_is_replaced(x):
    g = {"lo": [], "hi": []}
    g["hi" if x > 1.2 else "lo"].append(x)
    cur = g["lo"]
    g["lo"] = [1.0]
    cur.append(2.0)
    return sum(cur) + sum(g["lo"]) * sum(g["hi"])


def a_value_of_a_dict_that_is_copied(x):
    g = {"lo": [], "hi": []}
    g["hi" if x > 1.2 else "lo"].append(x)
    cur = g["lo"].copy()
    g["lo"] = [1.0]
    cur.append(2.0)
    return sum(cur) + sum(g["lo"]) * sum(g["hi"])


def test_a_list_that_is_a_value_of_a_dict():
    refusal = refuses(a_value_of_a_dict_that_is_replaced, 0.5, code="SCT307")
    assert "a value of a dict" in str(refusal)
    assert "it was put into a list or a dict" in str(refusal)
    assert ".copy()" in refusal.hint
    for x in (0.5, 1.5):
        agrees(a_value_of_a_dict_that_is_copied, x)


def of_two_kinds(x, k):
    values = []
    if k > 0.0:
        values.append(x * 1j)
    if k > 1.0:
        values.append(x)
    return np.real(np.sum(sum(values)))


X = np.arange(1.0, 4.0)


@pytest.mark.parametrize("f, args, what, hint", [
    (lambda x: scipy.ndimage.gaussian_filter(x, 1.0) * 1.0, (np.array(0.4),),
     "a filter of an array without axes", "leave the filter out"),
    (lambda x: scipy.ndimage.maximum_filter(x, 3) * 1.0, (np.array(0.4),), "with 1 or 2 or 3 axes",
     "write it out with functions of NumPy"),
    (lambda x: np.array(x, copy=True, order="F").ravel("A")[1], (np.ones((2, 3)),), "may change the memory order",
     "if nothing reads the array in its memory order"),
    (lambda k: scipy.interpolate.CubicSpline(X, k)(1.5), (np.array([1, 2, 3]),), "of a 1-D array of int64", "float64"),
    (lambda x: np.linalg.norm(x, 2, axis=(0, 1, 2)), (np.ones((2, 3, 2)),),
     "of a 3-D array of float64 over axis=(0, 1, 2)", "vector_norm"),
    (of_two_kinds, (X, 2.0), "the items of this list are of different types: a 1-D array of complex128 and a 1-D",
     "use a list for each type"),
])
def test_a_message_says_what_is_wrong(f, args, what, hint):
    with pytest.raises(sct.SctError) as refusal:
        sct.vjp(f, *args)
    assert what in refusal.value.what and hint in refusal.value.hint
