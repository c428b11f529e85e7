"""What a derivative remembers between calls, and that it never serves a specialization that is not for them.

Adversarial calls: each is compared with a derivative that is compiled anew for it.
"""

from __future__ import annotations

import copy
import functools
import gc
import itertools
import linecache
import math
import multiprocessing
import pickle
import threading
import warnings
import weakref
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from trees import same_bits

from sct import SctWarning, derivative, grad, hessian, jacrev, jvp, value_and_grad, vjp
from sct.call_checks import MISS
from sct.frontend import key_of


def product(x: float, y: float) -> float:
    return x * y


@pytest.fixture
def compilations(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The names of what is compiled during the test."""
    made: list[str] = []
    specialize = derivative.specialize

    def counted(*given):
        result = specialize(*given)
        made.append(result.traced.name)
        return result

    monkeypatch.setattr(derivative, "specialize", counted)
    return made


# -- what compiles once --------------------------------------------------------------


def test_a_second_call_does_not_compile(compilations) -> None:
    d = grad(lambda x, n: x * n)
    for k in range(5):
        d(float(k), k)
    assert len(compilations) == 1


def test_sizes_do_not_compile_again(compilations) -> None:
    d = grad(lambda x: np.sum(x * x))
    for n in range(2, 8):
        assert np.array_equal(d(np.ones(n)), np.full(n, 2.0))
    assert len(compilations) == 1


def test_types_compile_again(compilations) -> None:
    d = grad(lambda x: np.sum(x * x))
    assert d(3.0) == d(np.float64(3.0)) == 6.0
    d(np.ones(3))
    assert len(compilations) == 3


def test_a_lambda_in_a_loop_compiles_once(compilations) -> None:
    def step(w: float, x: float) -> float:
        return grad(lambda w: (w * x - 1.0) ** 2)(w)

    slopes = [step(w, x) for w, x in ((1.0, 2.0), (3.0, 4.0), (5.0, 6.0))]
    assert slopes == [2.0 * (w * x - 1.0) * x for w, x in ((1.0, 2.0), (3.0, 4.0), (5.0, 6.0))]
    assert len(compilations) == 1


def test_a_closure_array_in_a_loop_compiles_once(compilations) -> None:
    def loss(w, x):
        return np.sum((x * w - 1.0) ** 2)

    w = 0.5
    for k in range(1, 5):
        x = np.full(k + 2, 0.1)
        w -= 0.1 * float(grad(lambda w: loss(w, x))(w))
    assert len(compilations) == 1


def test_vjp_and_jvp_compile_once(compilations) -> None:
    for k in range(4):
        jvp(product, (1.0 + k, 2.0), (1.0, 0.0))
        vjp(product, 1.0 + k, 2.0)[1](1.0)
    assert len(compilations) <= 2


SCALE = 2.0


def scaled(x: float) -> float:
    return SCALE * x


def test_globals_are_read_at_every_call(monkeypatch) -> None:
    d = grad(scaled)
    assert d(1.0) == 2.0
    monkeypatch.setitem(globals(), "SCALE", 5.0)
    assert d(1.0) == 5.0


def helper(x: float) -> float:
    return x * x


def uses_helper(x: float) -> float:
    return helper(x)


def test_a_replaced_helper_is_seen(monkeypatch) -> None:
    d = grad(uses_helper)
    assert d(3.0) == 6.0
    monkeypatch.setitem(globals(), "helper", lambda x: 5.0 * x)
    assert d(3.0) == 5.0


def test_functions_with_the_same_code_and_other_defaults() -> None:
    def make(k):
        def f(x, factor=k):
            return x * factor

        return f

    assert [grad(make(k))(1.0) for k in (2.0, 3.0)] == [2.0, 3.0]


def test_closures_with_the_same_code() -> None:
    def make(k):
        return lambda x: x * k

    derivatives = [grad(make(k)) for k in (2.0, 3.0, 4)]
    assert [d(1.0) for d in derivatives] == [2.0, 3.0, 4.0]
    assert [d(1.0) for d in reversed(derivatives)] == [4.0, 3.0, 2.0]


def test_too_many_specializations_warn(monkeypatch) -> None:
    monkeypatch.setattr(derivative, "MOST_SPECIALIZATIONS", 2)
    d = grad(lambda x: np.sum(x * x))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        d(np.ones(3))
        d(np.ones((3, 3)))
    with pytest.warns(SctWarning, match="more than 2"):
        d(np.ones((3, 3, 3)))
    assert len(d.sources) == 2
    assert np.array_equal(d(np.ones((3, 3))), np.full((3, 3), 2.0))


def taken(x: float, n: int) -> float:
    return sum(v * x for v in itertools.takewhile(lambda v: v * x < 20.0, itertools.count(1)))


def along(x: np.ndarray, axis: int) -> float:
    return float(np.sum(np.sum(x, axis=axis) ** 2))


def warnings_of(f: Callable[..., Any], calls: list[tuple[Any, ...]]) -> tuple[int, list[str]]:
    """How many versions these calls compile, and the texts of the warnings."""
    d = grad(f)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        for args in calls:
            d(*args)
    return len(d.sources), [str(w.message) for w in caught if issubclass(w.category, SctWarning)]


def test_a_value_that_decides_the_code_of_eight_versions_is_named() -> None:
    line = taken.__code__.co_firstlineno + 1
    count, (message,) = warnings_of(taken, [(20.0 / k - 0.01, 3) for k in range(1, 12)])
    assert count == 11
    assert message.startswith("taken_grad was compiled 8 times for arguments of the same types, each time for another "
                              "value that decides the code: ")
    assert message.endswith(f"test_cache.py:{line})")


def test_a_value_is_named_once_though_the_oldest_versions_are_dropped(monkeypatch) -> None:
    def taken_here(x: float, n: int) -> float:
        return sum(v * x for v in itertools.takewhile(lambda v: v * x < 20.0, itertools.count(1)))

    monkeypatch.setattr(derivative, "MOST_SPECIALIZATIONS", 8)
    calls = [(20.0 / k - 0.01, 3) for k in range(1, 10)]
    count, messages = warnings_of(taken_here, [*calls[:8], (np.float64(calls[0][0]), 3), calls[8]])
    assert count == 8
    assert ["that decides the code" in message for message in messages] == [True, False, False]


def test_seven_versions_give_no_warning() -> None:
    def taken_here(x: float, n: int) -> float:
        return sum(v * x for v in itertools.takewhile(lambda v: v * x < 20.0, itertools.count(1)))

    assert warnings_of(taken_here, [(20.0 / k - 0.01, 3) for k in range(1, 8)]) == (7, [])
    assert warnings_of(along, [(np.ones((2, 3, 4)), k) for k in (0, 1, 2, -1, -2, -3)]) == (6, [])


def test_threads_share_one_compilation(compilations) -> None:
    d = grad(lambda x, y: math.sin(x) * y)
    results: list[float] = []
    start = threading.Barrier(8)

    def work(k: int) -> None:
        start.wait()
        results.append(d(float(k), 2.0) - 2.0 * math.cos(float(k)))

    threads = [threading.Thread(target=work, args=(k,)) for k in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results == [0.0] * 8
    assert len(compilations) == 1


# -- never a wrong specialization -----------------------------------------------------


def outcome(d: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """What a call gives, or the kind of error that it raises."""
    try:
        return d(*args, **kwargs)
    except Exception as error:
        return type(error), getattr(error, "code", None)


@pytest.fixture
def anew(monkeypatch: pytest.MonkeyPatch) -> Callable[..., Any]:
    """anew(make, args, kwargs): the outcome without any cache."""

    def run(make: Callable[[], Callable[..., Any]], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        with monkeypatch.context() as patch:
            patch.setattr(derivative, "_families", {})
            return outcome(make(), args, kwargs)

    return run


def assert_same(got: Any, expected: Any, what: object) -> None:
    kinds = [isinstance(x, tuple) and isinstance(x[0], type) for x in (got, expected)]
    assert got == expected if all(kinds) else same_bits(got, expected), f"{what}: {got!r}, compiled anew {expected!r}"


def tried(f: Callable[..., Any], calls: list[tuple[Any, ...]], anew: Callable[..., Any]) -> None:
    """Every call after every other one."""
    make = lambda: value_and_grad(f)
    calls = [call if len(call) == 2 and isinstance(call[1], dict) else (call, {}) for call in calls]
    expected = [anew(make, *call) for call in calls]
    shared = make()
    for i, j in itertools.product(range(len(calls)), repeat=2):
        for k in (i, j, j):
            assert_same(outcome(shared, *calls[k]), expected[k], calls[k])


def summed(x):
    return np.sum(x * x)


def test_types_of_one_argument(anew) -> None:
    class Sub(np.ndarray):
        pass

    wide = np.arange(1.0, 13.0).reshape(3, 4)
    tried(summed, [
        (2.0,), (2,), (True,), (np.float64(2.0),), (np.float32(2.0),), (np.int64(2),), (np.bool_(True),), (1j,), ("a",),
        (None,), (np.array(2.0),), (np.zeros(0),), (np.ones(1),), (np.ones(3),), (np.ones(4),), (wide,), (wide.T,),
        (wide[:1],), (wide[:, :1],), (wide[:, ::2],), (np.ones((3, 3)),), (np.ones((0, 3)),), (np.ones((2, 3, 4)),),
        (np.ones(3, np.float32),), (np.ones(3, np.int64),), (np.ones(3, bool),), (np.ones(3, ">f8"),),
        (np.ones(3, object),), (np.ones(3).view(Sub),), (np.ones(3, complex),), ([1.0, 2.0],), ((1.0, 2.0),),
    ], anew)


def test_sizes_that_are_equal_and_that_are_not(anew) -> None:
    sizes = (0, 1, 2, 3)
    tried(lambda a, b: np.sum(a * 2.0) * np.sum(b), [(np.ones(n), np.full(m, 0.5)) for n in sizes for m in sizes], anew)
    tried(lambda a, b: np.sum(a * b), [(np.ones(n), np.full(m, 0.5)) for n in sizes for m in sizes], anew)
    shapes = [(1, 1), (2, 2), (2, 3), (3, 2), (1, 3)]
    tried(lambda a, b: np.sum(a @ b), [(np.ones(p), np.ones(q)) for p in shapes for q in shapes], anew)


def test_the_second_argument(anew) -> None:
    tried(lambda x, n: x * n, [(3.0, n) for n in (2, 2.0, True, np.int64(2), np.float64(2.0), np.ones(1))], anew)
    tried(lambda x, mode: x * x if mode == "square" else x, [(3.0, "square"), (3.0, "other"), (3.0, None)], anew)
    x = np.arange(6.0).reshape(2, 3)
    tried(lambda x, axis: np.sum(np.max(x, axis=axis)), [(x, 0), (x, 1), (x, -1), (x, None), (x.T, 0), (x, True)], anew)


def test_calls_by_keyword(anew) -> None:
    def f(x, y=2.0, *, z=3.0):
        return x * y + z * x

    tried(f, [((1.0,), {}), ((1.0, 4.0), {}), ((1.0,), {"y": 4.0}), ((1.0,), {"z": 4.0}), ((), {"x": 1.0}),
              ((1.0,), {"y": 4.0, "z": 5.0}), ((1.0,), {"z": 5.0, "y": 4.0}), ((), {"y": 4.0, "x": 1.0}),
              ((1.0,), {"y": 4}), ((1.0,), {"y": np.ones(1)}), ((1.0,), {"w": 4.0}), ((), {}), ((1.0, 2.0, 3.0), {}),
              ((1.0,), {"x": 1.0})], anew)
    tried(lambda x, **more: x * more["a"] - more["b"],
          [((1.0,), {"a": 2.0, "b": 3.0}), ((1.0,), {"b": 3.0, "a": 2.0}), ((1.0,), {"a": 2, "b": 3.0})], anew)
    tried(lambda *xs: sum(xs), [(1.0,), (1.0, 2.0), (1.0, 2), (1.0, 2.0, 3.0)], anew)


@pytest.mark.filterwarnings("ignore:.*does not depend")
def test_containers(anew) -> None:
    w, b = np.ones(3), np.full(3, 0.5)
    tried(lambda p: np.sum(p["w"]) * 2.0, [
        ({"w": w},), ({"w": w, "b": b},), ({"b": b, "w": w},), ({"w": 2.0},), ({"w": w, "b": 1},), ({"w": w, 1: b},),
        ({"w": [1.0, 2.0]},), ({},), ({"w": w, "b": w},), ([w],)], anew)
    one = [1.0, 2.0]
    tried(lambda p, q: p[0] * q[1], [(one, one), (one, [1.0, 2.0]), (one, (1.0, 2.0)), ((1.0, 2.0), one), (one, [1, 2]),
                                     ([1.0], one), (one, [1.0])], anew)


def test_lists_of_any_length(anew) -> None:
    x, y = np.ones(3), np.full(2, 0.5)
    tried(lambda p: sum([each * 2.0 for each in p]) if len(p) else 0.0, [
        ([1.0],), ([1.0] * 4,), ([1.0] * 5,), ([1.0] * 9,), ([1] * 5,), ([1.0, 2, 3.0, 4.0, 5.0],), ([],),
        ([np.float32(1.0)] * 5,), ((1.0,) * 5,)], anew)
    tried(lambda p, x: np.sum(sum([each * x for each in p])), [
        ([x] * 5, x), ([x] * 6, x), ([x] * 4, x), ([y] * 5, x), ([y] * 5, y), ([x] * 5, y), ([np.ones(1)] * 5, x),
        ([x, x, x, x, y], x), ([x.astype(np.float32)] * 5, x), ([2.0] * 5, x)], anew)


def test_a_specialization_serves_exactly_the_calls_of_its_key() -> None:
    """Of random arguments: the checks that are written as code accept what has the same key, and nothing else."""
    shared = [1.0, 2.0]
    held = {"w": np.ones(3), "b": 2.0}
    pool = [
        1.0, 2.0, 3, True, "a", None, np.float32(1.0), np.float64(2.0), np.int64(1), np.ones(3), np.ones(4), np.ones(1),
        np.ones(0), np.ones((3, 4)), np.ones((4, 4)), np.ones((1, 3)), np.ones(3, np.float32), np.ones(3, int),
        np.array(2.0), (1.0, 2.0), (1.0, 2), (), [], shared, [3.0, 4.0], [1.0, 2], [1.0] * 5, [2.0] * 7, [1] * 5,
        [np.ones(3)] * 5, [np.ones(4)] * 5, held, dict(held), {"b": 2.0, "w": np.ones(4)}, {"w": [np.ones(3), shared]},
        {"w": [np.ones(4), [1.0, 1.0]]}, ({"a": 1.0}, [shared, shared]), ({"a": 2.0}, [[1.0, 2.0], [1.0, 2.0]]), first,
        second, Layer(scale=2.0), Layer(scale=3.0), Layer(scale=np.ones(3)), Layer(other=2.0), math.sin,
    ]
    rng = np.random.default_rng(0)

    def f(x, *more):
        return x * 2.0

    for _ in range(60):
        args = (1.5, *(pool[k] for k in rng.integers(len(pool), size=rng.integers(1, 4))))
        calls = [args, *((1.5, *(pool[k] if rng.random() < 0.5 else x for x, k in zip(args[1:], row)))
                         for row in rng.integers(len(pool), size=(25, 3)))]
        d = grad(f)
        assert d(*args) == 2.0
        match = d._match
        for call in calls:
            assert (match(call, {}) is not MISS) == (key_of(call, {}) == key_of(args, {})), (args, call)


def test_a_list_that_changes() -> None:
    d = grad(lambda p: sum(p) * p[0])
    p = [1.0, 2.0]
    assert d(p) == [4.0, 1.0]
    p.append(3.0)
    assert d(p) == [7.0, 1.0, 1.0]
    p[0] = 2
    assert d(p) == [None, 2.0, 2.0]
    p[:] = [3.0]
    assert d(p) == [6.0]


def test_arrays_that_share_memory(anew) -> None:
    def f(a, b):
        a[0] = 3.0 * b[1]
        return np.sum(a * b)

    x, y = np.array([1.0, 2.0, 4.0]), np.array([5.0, 6.0, 7.0])
    tried(f, [(x, y), (x, x), (x, x[:]), (x[:2], x[1:]), (x[:2], y[1:]), (x, x.copy()), (x[::-1], x)], anew)
    assert np.array_equal(x, [1.0, 2.0, 4.0])


def test_layouts(anew) -> None:
    def f(x):
        v = x.reshape(-1)
        v[0] = 7.0
        return np.sum(x * x)

    wide = np.arange(12.0).reshape(3, 4)
    tried(f, [(wide,), (wide.T,), (wide[:, ::2],), (np.asfortranarray(wide),), (wide[:1],)], anew)


CONSTANT: Any = 2.0


def reads_global(x):
    if isinstance(CONSTANT, (tuple, list)):
        return x * CONSTANT[0]
    if isinstance(CONSTANT, dict):
        return x * CONSTANT["a"]
    if isinstance(CONSTANT, str):
        return x * len(CONSTANT)
    return x if CONSTANT is None else CONSTANT(x) if callable(CONSTANT) else x * np.sum(CONSTANT)


def test_a_global_of_any_type(anew, monkeypatch) -> None:
    values = [2.0, 3.0, 2, True, np.float64(3.0), np.ones(3), np.ones(1), np.ones((2, 2), np.float32), (2.0, 1.0),
              [2.0, 1.0], (2.0,), {"a": 5.0}, {"a": 5}, {"a": 5.0, "b": 1.0}, "abc", "ab", None, math.sin, helper,
              lambda x: 4.0 * x]
    with_values(functools.partial(value_and_grad, reads_global), values, anew, monkeypatch)


def with_values(make: Callable[[], Callable[..., Any]], values: list[Any], anew: Any, monkeypatch: Any) -> None:
    """The global has every value after every other one."""
    d = make()
    expected = []
    for value in values:
        monkeypatch.setitem(globals(), "CONSTANT", value)
        expected.append(anew(make, (1.5,), {}))
    for pair in itertools.product(range(len(values)), repeat=2):
        for k in pair:
            monkeypatch.setitem(globals(), "CONSTANT", values[k])
            assert_same(outcome(d, (1.5,), {}), expected[k], values[k])
    monkeypatch.delitem(globals(), "CONSTANT")
    assert_same(outcome(d, (1.5,), {}), anew(make, (1.5,), {}), "no global")


def reads_all(x):
    if isinstance(CONSTANT, dict):
        return sum([x * CONSTANT[k] for k in CONSTANT]), list(CONSTANT)
    return sum([x * c for c in CONSTANT]), CONSTANT + type(CONSTANT)()


def test_a_global_container_of_any_length(anew, monkeypatch) -> None:
    values = [(2.0, 1.0), [2.0, 1.0], (2.0,), [2.0], [2, 1.0], (), {"a": 5.0}, {"b": 5.0}, {"a": 5.0, "b": 1.0},
              {"b": 1.0, "a": 5.0}, {"a": (1.0,)}]
    with_values(functools.partial(value_and_grad, reads_all, has_aux=True), values, anew, monkeypatch)


def test_a_global_that_is_changed_inside(monkeypatch) -> None:
    monkeypatch.setitem(globals(), "CONSTANT", held := [2.0])
    d = grad(reads_global)
    assert d(1.0) == 2.0
    held[0] = 3.0
    assert d(1.0) == 3.0
    held[0] = 4
    assert d(1.0) == 4.0


def test_a_closure_cell(anew) -> None:
    def make():
        held: Any = 2.0

        def f(x):
            return np.sum(held * x)

        def put(value):
            nonlocal held
            held = value

        return f, put

    f, put = make()
    d = value_and_grad(f)
    calls = list(itertools.product(
        [2.0, 3, np.ones(3), np.ones(2), np.ones(1), np.ones((3, 3)), np.float32(2.0), np.ones(0)],
        [1.5, np.ones(3), np.ones(2)]))
    expected = []
    for value, x in calls:
        put(value)
        expected.append(anew(lambda: value_and_grad(f), (x,), {}))
    for pair in itertools.product(range(len(calls)), repeat=2):
        for k in pair:
            put(calls[k][0])
            assert_same(outcome(d, (calls[k][1],), {}), expected[k], calls[k])


def test_a_closure_array_of_another_size_than_the_argument() -> None:
    def make(y):
        return lambda x: np.sum(x * x) + np.sum(y) * np.sum(np.ones_like(x))

    for n, m in ((3, 3), (4, 3), (3, 4), (4, 4), (5, 1), (1, 5), (2, 3)):
        x = np.arange(1.0, n + 1)
        assert np.array_equal(grad(make(np.ones(m)))(x), 2.0 * x)


def with_default(x, factor=2.0, *, power=1.0):
    return x * factor * power


def calls_with_default(x):
    return with_default(x)


@pytest.mark.parametrize("f", [with_default, calls_with_default])
def test_a_changed_default(f, monkeypatch) -> None:
    d = grad(f)
    assert d(1.0) == 2.0
    monkeypatch.setattr(with_default, "__defaults__", (5.0,))
    assert d(1.0) == 5.0
    monkeypatch.setattr(with_default, "__kwdefaults__", {"power": 3.0})
    assert d(1.0) == 15.0
    with_default.__kwdefaults__["power"] = 4.0
    assert d(1.0) == 20.0
    monkeypatch.setattr(with_default, "__defaults__", None)
    assert isinstance(outcome(d, (1.0,), {}), tuple)


def first(x):
    return 3.0 * x


def second(x):
    return 4.0 * x


def calls_first(x):
    return first(x)


@pytest.mark.parametrize("f", [first, calls_first])
def test_changed_code(f, monkeypatch) -> None:
    d = grad(f)
    assert d(1.0) == 3.0
    monkeypatch.setattr(first, "__code__", second.__code__)
    assert d(1.0) == 4.0


def test_functions_as_arguments(anew) -> None:
    tried(lambda x, f: f(x) * x, [(1.5, f) for f in (first, second, math.sin, np.cos, functools.partial(product, 2.0))],
          anew)


def test_a_method(anew) -> None:
    class Model:
        scale: Any = 2.0

        def loss(self, x):
            return np.sum(self.scale * x * x)

    model = Model()
    d = value_and_grad(model.loss)
    for scale in (2.0, 3.0, 2, np.ones(2), np.ones(3), 4.0):
        model.scale = scale
        for x in (1.5, np.ones(2)):
            assert_same(outcome(d, (x,), {}), anew(lambda: value_and_grad(model.loss), (x,), {}), (scale, x))


class Layer:
    """What its methods look at differs between objects."""

    shared = 2.0

    def __init__(self, **attributes: Any) -> None:
        self.__dict__.update(attributes)

    def scaled(self, x):
        return np.sum(self.scale * x * self.shared)

    def biased(self, x):
        return x * self.bias if hasattr(self, "bias") else x * getattr(self, "slope", 7.0)

    def chosen(self, x):
        return 3.0 * x if self is THE_LAYER else 4.0 * x

    def listed(self, x):
        return x if self in [THE_LAYER] else 5.0 * x

    def shown(self, x):
        return x * self.act(x), self

    def act(self, x):
        return 2.0 * x

    @value_and_grad
    def decorated(self, x):
        return np.sum(self.scale * x * self.act(x))


THE_LAYER = Layer(scale=1.0)


def double_act(x):
    return 6.0 * x


@pytest.mark.parametrize("name", ["scaled", "biased", "chosen", "listed", "decorated"])
def test_methods_of_many_objects(name, anew) -> None:
    layers = [THE_LAYER, Layer(scale=2.0), Layer(scale=3), Layer(scale=np.ones(3)), Layer(scale=np.ones(2), bias=4.0),
              Layer(scale=2.0, bias=3), Layer(scale=1.5, slope=9.0), Layer(scale=2.0, shared=5.0), Layer(),
              Layer(scale=2.0, act=double_act)]

    def make(layer: Layer) -> Callable[..., Any]:
        return layer.decorated if name == "decorated" else value_and_grad(getattr(layer, name))

    calls = [(layer, x) for layer in layers for x in (1.5, np.ones(3))]
    expected = [anew(functools.partial(make, layer), (x,), {}) for layer, x in calls]
    for i, j in itertools.product(range(len(calls)), repeat=2):
        for k in (i, j):
            layer, x = calls[k]
            assert_same(outcome(make(layer), (x,), {}), expected[k], (vars(layer), x))


def test_a_method_compiles_once_for_its_class(compilations) -> None:
    for k in range(5):
        layer = Layer(scale=float(k))
        assert layer.decorated(1.0) == (2.0 * k, 4.0 * k)
        assert grad(layer.scaled)(1.0) == 2.0 * k
    assert len(compilations) <= 2


def test_an_object_that_changes(compilations) -> None:
    layer = Layer()
    d = grad(layer.biased)
    assert d(1.0) == 7.0
    layer.slope = 8.0
    assert d(1.0) == 8.0
    layer.bias = 9.0
    assert d(1.0) == 9.0
    del layer.bias
    assert d(1.0) == 8.0
    layer.slope = 5.0
    assert d(1.0) == 5.0
    assert len(compilations) == 3


def test_an_object_in_a_closure_or_result() -> None:
    def make(layer):
        return lambda x: layer.scaled(x)

    assert [grad(make(Layer(scale=k)))(1.0) for k in (1.0, 2.0, 3)] == [2.0, 4.0, 6.0]
    for layer in (Layer(scale=1.0), Layer(scale=2.0)):
        result = outcome(grad(layer.shown, has_aux=True), (1.0,), {})
        assert isinstance(result[0], type) or result[1] is layer


def test_objects_are_let_go() -> None:
    def step(k: float) -> weakref.ref[Layer]:
        layer = Layer(scale=k, big=np.ones(10))
        layer.decorated(1.0)
        grad(layer.scaled)(1.0)
        grad(lambda x: layer.scaled(x))(1.0)
        return weakref.ref(layer)

    held = [step(float(k)) for k in range(3)]
    gc.collect()
    assert [ref() for ref in held] == [None] * 3


# -- memory ---------------------------------------------------------------------------


def test_arguments_and_closures_are_let_go() -> None:
    def step(n: int) -> list[weakref.ref[Any]]:
        x, y, z = np.ones(n), np.ones(n), np.ones((n, 2))

        def f(x, z):
            x[0] = 3.0
            return np.sum(x * y) + np.sum(z.reshape(-1))

        grad(f)(x, z)
        vjp(f, x, z)[1](1.0)
        jvp(f, (x, z), (x, z))
        return [weakref.ref(each) for each in (x, y, z, f)]

    held = [ref for n in (3, 4, 1, 5) for ref in step(n)]
    gc.collect()
    assert [ref() for ref in held] == [None] * len(held)


def test_a_lambda_in_a_long_loop_takes_no_memory() -> None:
    def run(n: int) -> int:
        for k in range(n):
            assert grad(lambda w: w * k)(1.0) == k
        gc.collect()
        return sum(1 for _ in gc.get_objects())

    run(10)
    before = run(100)
    assert run(10_000) - before < 200


def test_families_are_bounded(monkeypatch) -> None:
    monkeypatch.setattr(derivative, "_families", {})
    monkeypatch.setattr(derivative, "MOST_FAMILIES", 3)
    made = [grad(eval(f"lambda x: {k} * x")) for k in range(6)]
    assert len(derivative._families) == 3
    del made
    ds = [grad(first), grad(second), grad(helper), grad(summed), grad(calls_first)]
    for _ in range(2):
        assert [d(2.0) for d in ds] == [3.0, 4.0, 4.0, 4.0, 3.0]


def test_the_guard_of_a_size_computes_nothing_but_the_size() -> None:
    def f(x: np.ndarray, n: int) -> float:
        a, b = np.exp(x), np.zeros(len(x))
        for _ in range(n):
            b = b * x + a
        both = np.concatenate([a, b])
        return float(np.sum(both) * {4: 2.0, 6: 3.0}[len(both)])

    d = grad(f)
    d(np.ones(2), 3)
    (specialization,) = d._specializations()
    (guard,) = specialization.traced.guards
    assert {eqn.op.name for eqn in guard.test[0].eqns} <= {"dim", "add", "mul"}


def test_the_text_of_a_dropped_specialization_is_dropped(monkeypatch) -> None:
    monkeypatch.setattr(derivative, "MOST_SPECIALIZATIONS", 1)
    d = grad(lambda x: np.sum(x * x))
    d(1.0)
    gc.collect()
    before = sum(name.startswith("<sct") for name in linecache.cache)
    with pytest.warns(SctWarning):
        d(np.ones(3))
        d(np.ones((3, 3)))
    gc.collect()
    assert sum(name.startswith("<sct") for name in linecache.cache) == before


# -- copies and other processes -------------------------------------------------------


@grad(argnums=1)
def decorated(x: float, y: float) -> float:
    return x * y * y


class Named:
    scale = 3.0

    @value_and_grad
    def loss(self, x: float) -> float:
        return self.scale * x * x

    def plain(self, x: float) -> float:
        return self.scale * x


def test_derivatives_pickle_and_copy() -> None:
    assert pickle.loads(pickle.dumps(decorated)) is copy.copy(decorated) is copy.deepcopy(decorated) is decorated
    assert pickle.loads(pickle.dumps(Named.loss)) is Named.loss
    for make in (pickle_round, copy.copy, copy.deepcopy):
        assert make(grad(product, argnums=(0, "y")))(2.0, 5.0) == (5.0, 2.0)
        assert make(value_and_grad(with_aux, has_aux=True))(3.0) == ((9.0, 4.0), 6.0)
        assert make(hessian(helper))(3.0) == 2.0
        assert make(grad(grad(helper)))(3.0) == 2.0
        assert make(grad(decorated))(3.0, 5.0) == 10.0
        assert make(grad(Named().plain))(2.0) == 3.0
        assert make(Named().loss)(2.0) == (12.0, 12.0)
        assert make(grad(functools.partial(product, 4.0)))(2.0) == 4.0
    used = grad(product)
    used(2.0, 3.0)
    assert "def product_grad" in pickle_round(used).source
    with pytest.raises((AttributeError, pickle.PicklingError)):
        pickle.dumps(grad(lambda x: x))


def with_aux(x: float) -> tuple[float, float]:
    return x * x, x + 1.0


def pickle_round(x: Any) -> Any:
    return pickle.loads(pickle.dumps(x))


def test_derivatives_in_spawned_processes() -> None:
    with multiprocessing.get_context("spawn").Pool(2) as pool:
        assert pool.starmap(decorated, [(2.0, 3.0), (1.0, 4.0)]) == [12.0, 8.0]
        assert pool.map(jacrev(helper), [2.0, 3.0]) == [4.0, 6.0]


# -- threads --------------------------------------------------------------------------


def test_threads_compile_once_a_key(compilations, monkeypatch) -> None:
    monkeypatch.setattr(derivative, "_families", {})
    shared = [grad(summed), value_and_grad(summed), jacrev(summed), grad(lambda x: np.sum(np.sin(x)))]
    inputs = [2.0, np.float64(2.0), np.ones(3), np.ones((2, 3))]
    results: list[tuple[int, int, Any]] = []
    errors: list[BaseException] = []
    start = threading.Barrier(8)

    def work(seed: int) -> None:
        try:
            order = np.random.default_rng(seed).permutation(len(shared) * len(inputs))
            start.wait()
            for n in order:
                i, j = divmod(int(n), len(inputs))
                results.append((i, j, shared[i](inputs[j])))
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not errors
    assert len(compilations) == len(shared) * len(inputs)
    assert len(results) == 8 * len(compilations)
    for i, j, got in results:
        assert same_bits(got, shared[i](inputs[j]))
