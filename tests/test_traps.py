"""Programs that were differentiated wrongly once: aliases, stale values, lambdas, masks, rebound containers."""

from __future__ import annotations

import collections
import functools
import itertools
import math
import warnings
from typing import Any

import numpy as np
import pytest

from sct import SctError, SctWarning, check_grads, grad, jvp, stop_gradient, value_and_grad, vjp

W = np.array([1.0, 2.0])


def same(got: Any, expected: Any) -> None:
    np.testing.assert_allclose(np.asarray(got, float), np.asarray(expected, float), rtol=1e-12, atol=1e-12)


# -- who shares with whom ---------------------------------------------------------------------


def test_one_array_passed_twice_is_two_arguments_where_nothing_is_written() -> None:
    def f(x: np.ndarray, y: np.ndarray) -> Any:
        return np.sum(x * x * y)

    a = np.array([1.0, 2.0])
    derivative = grad(f, (0, 1))
    for dx, expected in zip(derivative(a, a), (2.0 * a * a, a * a)):
        same(dx, expected)
    for dx, expected in zip(derivative(a, 10.0 * a), (20.0 * a * a, a * a)):
        same(dx, expected)


def test_one_list_passed_twice_and_written_is_one_list() -> None:
    def f(p: list[float], q: list[float], c: float) -> float:
        p[0] = p[1] * 3.0
        return q[0] * q[1] * c

    both = [1.0, 2.0]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SctWarning)
        assert value_and_grad(f, 2)(both, both, 1.0) == (12.0, 12.0)
        assert value_and_grad(f, (0, 1))([1.0, 2.0], [1.0, 2.0], 1.0)[0] == 2.0
        with pytest.raises(SctError, match="passed in two places"):
            value_and_grad(f, (0, 1))(both, both, 1.0)


def test_an_argument_that_is_a_global_array_too_is_not_written() -> None:
    def f(x: np.ndarray) -> Any:
        x[0] = 5.0 * x[1]
        return np.sum(x * W)

    with pytest.raises(SctError, match="share memory"):
        value_and_grad(f)(W)
    same(value_and_grad(f)(W.copy())[1], [0.0, 7.0])


def test_a_loop_holds_what_it_runs_over() -> None:
    def f(x: np.ndarray, y: np.ndarray) -> Any:
        for v, w in zip(x, y):
            y = 2.0 + x
            x[1] = w * v
        return np.sum(y)

    x, y = np.array([0.3, -0.2, 0.7]), np.array([1.8, -1.1, 0.4])
    assert value_and_grad(f)(x, y)[0] == f(x.copy(), y)

    def swapped(x: np.ndarray) -> Any:
        u = np.tanh(x)
        for v in x:
            u, x = x, u
            x[1] += v
        return np.sum(x)

    try:
        assert value_and_grad(swapped)(x)[0] == swapped(x.copy())
    except SctError as error:
        assert error.code == "SCT301"


def test_a_container_that_is_rebound_in_a_loop() -> None:
    def decay(p: dict[str, Any], n: int) -> Any:
        q = p
        for _ in range(n):
            q = {"a": q["a"] * 0.5}
        return np.sum(q["a"] * p["a"])

    value, gradient = value_and_grad(decay)({"a": np.array([1.2])}, 2)
    same(value, 0.36)
    same(gradient["a"], [0.6])

    def kept(p: list[float], n: int) -> float:
        r = [0.0]
        q = p
        for k in range(n):
            q = [q[0] * 0.5]
            if k == 1:
                r = q
        return r[0]

    same(value_and_grad(kept)([1.2], 4)[1], [0.25])

    def nested(p: list[float], n: int) -> float:
        q = p
        for _ in range(n):
            for _ in range(2):
                q = [q[0] * 0.5 + q[1], q[1] * p[0]]
            p = q
        return q[0] * p[1]

    assert value_and_grad(nested)([1.2, 0.3], 2)[0] == nested([1.2, 0.3], 2)


def test_one_path_shares_and_another_does_not() -> None:
    def f(x: np.ndarray, c: float) -> Any:
        y = x * 2.0
        z = y if c > 0.0 else y * 3.0
        return z.sum() * y[0]

    same(grad(f)(np.array([1.0, 4.0]), 1.0), [24.0, 4.0])


# -- what is read at every call -----------------------------------------------------------------


class Model:
    offset = 2.0

    def __init__(self, scale: float) -> None:
        self.scale = scale

    @classmethod
    def tripled(cls, x: float) -> float:
        return 3.0 * x

    def inner(self, x: float) -> float:
        return self.scale * x

    def loss(self, x: float) -> float:
        return self.inner(x) * x + self.tripled(x) * self.offset


def test_attributes_are_read_at_every_call() -> None:
    model = Model(3.0)
    derivative = grad(model.loss)
    assert derivative(2.0) == 18.0
    model.scale = 5.0
    assert derivative(2.0) == 26.0


def test_mutable_defaults_and_partials_are_read_at_every_call() -> None:
    options = {"k": 2.0}

    def f(x: float, c: dict[str, float] = options) -> float:
        return x * c["k"]

    derivative = grad(f)
    assert derivative(1.0) == 2.0
    options["k"] = 7.0
    assert derivative(1.0) == 7.0

    weights = [1.0]
    bound = grad(functools.partial(lambda w, x: w[0] * x, weights))
    assert bound(1.0) == 1.0
    weights[0] = 5.0
    assert bound(1.0) == 5.0


def test_defaults_tell_functions_of_one_text_apart() -> None:
    def apply(f: Any, x: float) -> float:
        return f(x)

    assert [grad(apply, 1)((lambda x, k=k: x * k), 1.0) for k in (2.0, 3.0)] == [2.0, 3.0]


def test_the_lambda_that_runs_is_the_one_that_is_differentiated() -> None:
    a, b = (lambda x: (lambda y: x * y * 2.0)(1.0)), (lambda x: (lambda y: x * y * 3.0)(1.0))
    assert (grad(a)(1.0), grad(b)(1.0)) == (2.0, 3.0)
    p, q = (lambda x: 1 * x), (lambda x: 1.0 * x)
    assert [type(value_and_grad(f)(3)[0]) for f in (p, q)] == [int, float]
    f = lambda x, c=(lambda t: t * 9.0)(1.0): x * 7.0
    assert grad(f)(1.0) == 7.0


# -- what is differentiated -----------------------------------------------------------------------


def test_stop_gradient_of_an_array() -> None:
    same(grad(lambda x: np.sum(x * stop_gradient(x * x)))(np.array([2.0, 3.0])), [4.0, 9.0])


def test_masks_keep_infinities_out() -> None:
    def read(x: np.ndarray) -> Any:
        y = np.log(x)
        return y[x > 0.0].sum()

    def written(x: np.ndarray) -> Any:
        y = np.log(x)
        y[x <= 0.0] = 0.0
        return y.sum()

    with np.errstate(all="ignore"):
        for f in (read, written):
            same(grad(f)(np.array([0.0, 4.0])), [0.0, 0.25])


def test_slices_beside_index_arrays_accumulate() -> None:
    same(grad(lambda A: A[:, [1, 1]].sum())(np.ones((2, 3))), [[0.0, 2.0, 0.0]] * 2)


def test_a_gradient_that_is_zero_for_want_of_use_warns() -> None:
    with pytest.warns(SctWarning, match="does not depend on `x`"):
        assert grad(lambda x, y: 2.0 * y)(3.0, 1.0) == 0.0


def test_integers_that_are_sizes_too() -> None:
    def f(x: np.ndarray, n: int) -> Any:
        return np.sum(x * np.linspace(0.0, 1.0, n + 1)[1])

    dx, dn = vjp(f, np.ones(3), 4)[1](1.0)
    same(dx, [0.25] * 3)
    assert dn == 0.0


def test_a_tuple_of_gradients_inside() -> None:
    def h(x: float, y: float) -> float:
        return x * x * y

    value, tangent = jvp(lambda x, y: grad(h, argnums=(0, 1))(x, y), (2.0, 3.0), (1.0, 0.0))
    same(value, [12.0, 4.0])
    same(tangent, [6.0, 4.0])


# -- loops and closures that are walked again -------------------------------------------------


def test_a_test_that_is_known_writes_all_the_same() -> None:
    def f(x: float, y: float) -> float:
        k = 0
        while k < 4 and (x := 0.79) < 0.51:
            k += 1
        return math.cos(y) * x

    value, (dx, dy) = value_and_grad(f, (0, 1))(0.5, 0.2)
    assert value == f(0.5, 0.2) and dx == 0.0
    same(dy, -0.79 * math.sin(0.2))


def bent(x: float) -> float:
    return 0.43 * x + math.cos(x) * math.atan(x)


def pair(x: float, y: float, s: float = 1.5) -> tuple[float, float]:
    s = math.sin(s * y)
    last = lambda t, k: k * math.sin(bent(x=0.82 - s))
    return last(1.08 * math.hypot(y, 1.5), bent(1.5)), x


def test_a_closure_reads_the_call_that_made_it() -> None:
    def f(y: float, a: np.ndarray, n: int) -> float:
        k = 0
        while k < n:
            k += 1
            for _, v in enumerate(a):
                w, _ = pair(1.5, v)
                if k != n:
                    q = pair(y=1.5, x=1.5)[1]
                else:
                    _ = pair(w, v)
        y += q**2
        return y * y

    a = np.array([1.41, -1.613])
    value, dy = value_and_grad(f)(0.7, a, 2)
    assert value == f(0.7, a, 2)
    same(dy, 2.0 * (0.7 + 2.25))
    with pytest.raises(UnboundLocalError, match="'q'"):
        grad(f)(0.7, a, 0)


def test_lists_of_lists_on_a_tape() -> None:
    def f(xs: list[float], n: int) -> float:
        ys = [0.5, 1.5, 1]
        rows = [[v for _ in range(3)] for v in xs]
        for _ in range(1, n):
            if rows[1][1] > 0.15:
                pass
            else:
                rows[2][2] += 1.5
                rows[2].append(sum([w for v, w in zip(ys, xs)]) * rows[0][1])
        return sum(sum(row) for row in rows)

    xs = [-1.3, -1.1, 1.2, -1.1, -0.4]
    value, dxs = value_and_grad(f)(xs, 2)
    assert value == f(xs, 2)
    same(dxs, [3.0 + 2.0 * xs[0] + xs[1] + xs[2], 3.0 + xs[0], 3.0 + xs[0], 3.0, 3.0])


def shrinking(v: np.ndarray, n: int) -> float:
    for _ in range(n):
        v = v[:-1] * v[1:]
    return v[0]


def widening(v: np.ndarray, z: np.ndarray, n: int) -> float:
    for _ in range(n):
        v = v + z * v
    return np.sum(v)


def lengthening(v: np.ndarray, n: int) -> float:
    w = v * v
    for _ in range(n):
        w = np.concatenate((w, w[:2]))
    return np.sum(w * w)


@pytest.mark.parametrize(("f", "args", "wanted"), [
    (shrinking, (np.array([3.0, 2.0]), 1), [2.0, 3.0]),
    (shrinking, (np.array([3.0, 2.0, 5.0]), 2), [20.0, 60.0, 12.0]),
    (widening, (np.array([2.0]), np.array([1.0, 2.0, 3.0]), 2), [29.0]),
    (lengthening, (np.array([1.0, 2.0, 3.0]), 2), [12.0, 96.0, 108.0]),
], ids=["once", "twice", "widening", "lengthening"])
def test_an_array_of_another_size_in_each_trip(f: Any, args: tuple[Any, ...], wanted: list[float]) -> None:
    same(grad(f)(*args), wanted)
    check_grads(f, args, argnums=0, order=2)


def test_views_that_a_helper_returns_are_written_through() -> None:
    def reset(a: np.ndarray, e: float) -> np.ndarray:
        u = float(a[2]) * a
        a[[0, 2, 0]] = a[:1] * e
        a[3] *= a[1] + u[0] * u[1]
        a[1] = a[1] - a[3] / (2.0 + a[0] * a[0])
        return a[::-1]

    def f(x: np.ndarray, y: np.ndarray) -> float:
        z = reset(x, 1.5)
        z[1] = 0.25 * z[0]
        w = reset(y, 0.5)
        w[0] = x[2]
        return (x * z).sum() + (y * w).sum()

    x, y = np.array([1.679, -0.054, -0.165, -1.12]), np.array([0.191, 1.525, -0.175, 0.897])
    check_grads(f, (x, y), order=2)
    value, _ = value_and_grad(f, (0, 1))(x, y)
    assert value == f(x.copy(), y.copy())


def test_any_and_all_of_an_array_do_not_grow_with_it() -> None:
    def f(x: np.ndarray) -> Any:
        return x[0] if any(v > 1.0 for v in x if v < 3.0) else 2.0 * x[1]

    derivative = grad(f)
    for n in (3, 300):
        same(derivative(np.linspace(0.0, 0.9, n)), 2.0 * np.eye(n)[1])
        same(derivative(np.linspace(0.0, 2.0, n)), np.eye(n)[0])
    assert len(derivative.sources) == 1


def test_a_list_of_tuples_of_which_a_part_is_not_real() -> None:
    def f(x: np.ndarray, rows: list[Any]) -> Any:
        total = 0.0
        for a, b in rows:
            total += x[a] * b
        return total

    x = np.array([3.0, 4.0])
    for n in (2, 6):
        assert [tuple(row) for row in vjp(f, x, [(0, 0.5), (1, 2.0)] * n)[1](1.0)[1]] == [(None, 3.0), (None, 4.0)] * n
    assert vjp(f, x, [(0, 2), (1, 3)] * 3)[1](1.0)[1] is None


# -- single precision ---------------------------------------------------------------------------


def test_sums_that_begin_with_a_python_number_stay_single() -> None:
    def traced(a: np.ndarray) -> Any:
        trace = 0.0
        for i in range(a.shape[0]):
            trace += np.tanh(a[i, i])
        return np.sum((a + trace) ** 2)

    def durbin(r: np.ndarray) -> Any:
        y = np.empty_like(r)
        alpha = -r[0]
        beta = 1.0
        y[0] = -r[0]
        for k in range(1, len(r)):
            beta *= 1.0 - alpha * alpha
            alpha = -(r[k] + np.dot(np.flip(r[:k]), y[:k])) / beta
            y[:k] += alpha * np.flip(y[:k])
            y[k] = alpha
        return np.sum(y * y)

    def lit(p: np.ndarray, light: np.ndarray) -> Any:
        color = 0.0
        for x in p:
            if x > 0.2:
                color += max(0.0, light @ np.array([x, 1.0 - x])) ** 2
        return color / len(p)

    def decayed(q: np.ndarray, n: int) -> Any:
        log = []
        for k in range(n):
            q = q - 0.1 * q * np.sum(q ** 2)
            if k % 2 == 0:
                log.append(0.5 * np.dot(q, q) - 1.0 / np.linalg.norm(q))
        return sum((a - b) ** 2 for a, b in zip(log[:-1], log[1:])) + q[0]  # noqa: RUF007

    square, three = np.array([[0.3, 0.5], [-0.2, 0.1]]), np.array([0.3, -0.1, 0.25])
    light = np.array([0.4, 0.9])
    for f, args in ((traced, (square,)), (durbin, (three,)), (lit, (three, light)), (decayed, (three, 5))):
        single = tuple(x.astype(np.float32) if isinstance(x, np.ndarray) else x for x in args)
        value, dx = value_and_grad(f)(*single)
        assert value == f(*single) and type(value) is type(f(*single))
        assert dx.dtype == np.float32
        np.testing.assert_allclose(dx, grad(f)(*args), rtol=1e-4, atol=1e-5)
        check_grads(f, single, order=2)


def test_a_dtype_that_changes_in_a_loop_is_refused_by_name() -> None:
    def f(mu: np.ndarray, x: np.ndarray, n: int) -> Any:
        for _ in range(n):
            mu = mu * x
        return np.sum(mu)

    with pytest.raises(SctError, match="`mu` is of one type before this loop") as error:
        grad(f)(np.ones(2, np.float32), np.ones(2), 2)
    assert "a 1-D array of float32 and a 1-D array of float64" in str(error.value)


def test_a_number_of_numpy_is_taken_whole() -> None:
    same(grad(lambda x: (x.sum()[()] ** 2)[()])(W), 2.0 * np.sum(W) * np.ones(2))


def test_check_grads_keeps_the_order_of_the_axes() -> None:
    rng = np.random.default_rng(0)
    for _ in range(20):
        check_grads(lambda x: np.sum(x * 1.1), (np.asfortranarray(rng.normal(size=(9, 17, 3))),))


def test_pairs_of_a_range_do_not_grow_with_it() -> None:
    def f(x: np.ndarray, bound: float) -> Any:
        total = 0.0
        for i, j in itertools.combinations(range(len(x)), 2):
            total += x[i] * x[j] ** 2
            if total > bound:
                break
        else:
            total = -total
        return total

    derivative = value_and_grad(f)
    for n, bound in ((0, 1.0), (1, 1.0), (3, 2.5), (3, 9.0), (60, 70.0), (60, 1e4)):
        x = np.linspace(1.0, 1.1, n)
        value, dx = derivative(x, bound)
        assert value == f(x, bound)
        pairs = list(itertools.combinations(range(n), 2))
        wanted, total = np.zeros(n), 0.0
        for i, j in pairs:
            total += x[i] * x[j] ** 2
            wanted[i] += x[j] ** 2
            wanted[j] += 2.0 * x[i] * x[j]
            if total > bound:
                break
        same(dx, wanted if total > bound else -wanted)
    assert len(derivative.sources) <= 3


def test_lists_of_other_lengths_in_a_list_on_two_paths() -> None:
    def f(x: float, flag: bool, n: int) -> float:
        rows = [[x, 1.0], [2.0 * x, 1.5]]
        rows[0].append(1.5 * x)
        if not flag:
            rows[n % 2] = [1.5, x]
        return sum(sum(row) for row in rows)

    for flag, n, slope in ((True, 2, 4.5), (False, 2, 3.0), (False, 1, 3.5)):
        value, dx = value_and_grad(f)(0.5, flag, n)
        assert value == f(0.5, flag, n)
        same(dx, slope)


# -- containers of libraries that are found outside ----------------------------------------------

EDGES = {0, 3}
QUEUE = collections.deque([1.0])
COUNTS = collections.Counter("ab")
ORDERED = collections.OrderedDict(a=1.0)


def test_what_a_set_or_a_deque_outside_holds_is_read_at_every_call() -> None:
    def f(x: np.ndarray) -> Any:
        total = x[0] * len(EDGES) * QUEUE[-1] * COUNTS["a"] + ORDERED["a"]
        for k in range(len(x)):
            if k not in EDGES:
                total += x[k] ** 2
        return total

    x = np.array([1.0, 2.0, 3.0, 4.0])
    derivative = value_and_grad(f)
    for change in (lambda: None, lambda: EDGES.add(1), lambda: QUEUE.append(3.0), lambda: COUNTS.update("a"),
                   lambda: EDGES.discard(3), lambda: ORDERED.update(a=5.0)):
        change()
        value, dx = derivative(x)
        assert value == f(x)
        inner = np.array([2.0 * v if k not in EDGES else 0.0 for k, v in enumerate(x)])
        same(dx, inner + np.eye(4)[0] * len(EDGES) * QUEUE[-1] * COUNTS["a"])


@pytest.mark.parametrize("f", [
    lambda x: (EDGES.add(7), x * len(EDGES))[1], lambda x: (x * QUEUE[-1], QUEUE.append(2.0))[0],
    lambda x: (COUNTS.update("c"), x * COUNTS["c"])[1],
])
def test_what_a_call_changes_is_no_fact(f: Any) -> None:
    with pytest.raises(SctError, match="SCT302"):
        grad(f)(0.5)


def test_item_of_an_integer_is_one() -> None:
    def f(x: np.ndarray, k: np.ndarray) -> Any:
        i = k[1].item()
        return x[k.item(0)] * x.item(2) ** 2 * (3.0 if isinstance(i, int) else 1.0) + x[i]

    x, k = np.array([2.0, 3.0, 5.0]), np.array([1, 0])
    value, dx = value_and_grad(f)(x, k)
    assert value == f(x, k)
    same(dx, [1.0, 75.0, 90.0])


def test_facts_of_several_steps_are_written_as_checks(tmp_path: Any) -> None:
    def f(x: np.ndarray) -> Any:
        n = x.shape[0]
        return np.sum(x ** 2, axis=n - 2)[0]

    derivative = grad(f)
    derivative(np.ones((2, 3)))
    derivative.save(tmp_path / "made.py")
    scope: dict[str, Any] = {}
    exec((tmp_path / "made.py").read_text(), scope)
    same(scope["f_grad"](np.ones((2, 3))), [[2.0, 0.0, 0.0]] * 2)
    with pytest.raises(ValueError, match="this derivative is for"):
        scope["f_grad"](np.ones((3, 3)))


def falling(x: np.ndarray, a: float, n: int) -> float:
    if n > 0:
        z = x * a
        s = z @ z * a * falling(x, a * a, n - 1)
    else:
        z = x + 1.0
        s = a
    z[1] = 7.0
    if z[1] + z[0] > 1000.0:
        s = s + 1.0
    return s


def test_what_a_record_holds_is_not_overwritten() -> None:
    check_grads(falling, (np.array([1.0, 2.0, 3.0]), 0.7, 2), argnums=1, order=2)


def test_a_filtered_sum_in_a_lambda() -> None:
    f = lambda rows: sum(a for a, kept in rows if kept) * 1.0
    assert grad(f)([(1.0, True), (2.0, False), (3.0, True)]) == [(1.0, None), (0.0, None), (1.0, None)]


def or_else_itself(x, y):
    w = math.atan(x and 1.5) * y
    return 1.28 * y + 0.81 * w + 0.68 * x


def part_of_a_branch(x, y):
    u = x * y if x < 0.0 else y
    v = math.sin(u) if x < 0.0 else math.exp(u)
    return u * v + 0.68 * x


def two_branches(x, y):
    if x < 0.0:
        u = x
        w = math.sin(x) * y
    else:
        u = y
        w = math.cos(y) * x
    return math.tanh(u) * w + u * u


@pytest.mark.parametrize("h", [or_else_itself, part_of_a_branch, two_branches])
@pytest.mark.parametrize("args", [(-0.143, 1.339, 1.777), (0.6, -1.2, -0.4), (0.0, 0.7, 0.3)])
@pytest.mark.parametrize("argnums", [0, 1, (0, 1, 2)])
def test_a_helper_reads_a_parameter_in_one_branch_of_its_backward_part(h, args, argnums) -> None:
    def f(x, y, z):
        if x < 0.5:
            x += h(z, x) + y
        else:
            y += h(x=z, y=x)
        return x * h(y, x)

    assert value_and_grad(f, argnums=argnums)(*args)[0] == f(*args)
    check_grads(f, args, argnums=argnums, order=2)


def test_a_call_for_nothing_is_not_emitted() -> None:
    def f(x, y, z):
        if x:
            x += or_else_itself(z, x)
        else:
            y += or_else_itself(x=z, y=x)
        return x

    gradient = grad(f, argnums=(0, 2))
    assert gradient(0.5, 1.0, 0.25) == pytest.approx((1.0 + 1.28 + 0.81 * math.atan(1.5), 0.68))
    assert "or_else_itself()" not in gradient.source


# -- what only a later call shows -------------------------------------------------------------


def test_the_else_of_a_loop_whose_test_binds_a_name() -> None:
    def f(x: float, n: int) -> float:
        i, s = 0, 0.0
        for k in range(n):
            i = 0
            while (i := i + 1) < k:
                s += x * i
                if i == 3:
                    break
                if i == 5:
                    return s
            else:
                s += x * x * k
        return s

    def g(x: float, n: int) -> float:
        i = 0
        while (i := i + 1) < n:
            if i > 4:
                break
        else:
            return x * x
        return x

    for function in (f, g):
        derivative = value_and_grad(function)
        for n in (6, 3, 0, 9, 4):
            value, slope = derivative(1.7, n)
            assert value == function(1.7, n)
            same(slope, (function(1.7 + 0.25, n) - function(1.7 - 0.25, n)) / 0.5)


def test_the_default_of_the_largest_item() -> None:
    def f(x: float, n: int) -> float:
        numbers = []
        while n > 0:
            numbers.append(n)
            n -= 1
        return x * max(numbers, default=7) + x * min(numbers, default=2)

    def g(x: float, n: int) -> float:
        return max([x * k + 1.0 for k in range(n)], default=x * 3.0)

    for function in (f, g):
        derivative = value_and_grad(function)
        for n in (3, 0, 30, 0, 1):
            assert derivative(1.5, n) == (function(1.5, n), 2.0 * (function(2.0, n) - function(1.5, n)))
