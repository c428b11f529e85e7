"""Python is asked: what a function was read as runs beside it, and a difference is a refusal.

Faults of the frontend are planted by changing one of its parts (`tests/planted/`); what is right stays accepted, and
neither the arguments nor the state of the program are touched.
"""

from __future__ import annotations

import contextlib
import functools
import gc
import importlib
import io
import logging
import random
import threading
import time
import warnings
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from types import FunctionType, SimpleNamespace
from typing import Any, ClassVar

import gast
import numpy as np
import pytest
from click.testing import CliRunner

from sct import SctError, grad, hessian, hvp, jacfwd, jacobian, jvp, specialization, value_and_grad, vjp
from sct.cli import main
from sct.frontend.operators.arithmetic_operators import BINARY
from sct.memory_limit import no_collection
from sct.validation.clone import LARGEST, CannotCopy, Copier, SharedState
from sct.validation.compare import same
from sct.validation.quiet import run_quietly
from tests.planted import Tables


@pytest.fixture(autouse=True)
def _first(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SCT_VALIDATE", "first")


def copied(*xs: Any, roots: tuple[Any, ...] = ()) -> tuple[Any, ...]:
    world = Copier(SharedState(*xs, *roots))
    return tuple(map(world.copy, xs))


# -- copies ---------------------------------------------------------------------------


def test_views_of_one_array_are_views_of_one_copy() -> None:
    base = np.arange(24.0).reshape(4, 6)
    views = base[1:, ::2], base.T, base[::-1, 3], base[0, 0:1].reshape(())
    a, b, c, d = copied(*views)
    for x, y in zip(views, (a, b, c, d)):
        assert x.strides == y.strides and x.tobytes() == y.tobytes()
        assert not np.shares_memory(x, y)
    b[...] = 1.0
    assert np.all(a == 1.0) and np.all(c == 1.0) and d == 1.0
    assert base[1, 1] == 7.0


@pytest.mark.parametrize("order", ["C", "F", "permuted"])
def test_layouts_and_flags_stay(order: str) -> None:
    x = np.arange(24.0).reshape(2, 3, 4).copy()
    x = {"C": x, "F": x.copy(order="F"), "permuted": x.transpose(1, 0, 2).copy(order="K")}[order]
    x.flags.writeable = False
    (y,) = copied(x)
    assert y.strides == x.strides and not y.flags.writeable and y.base is None and same(x, y)


@pytest.mark.parametrize("x", [np.zeros((0, 3)), np.array(2.0), np.zeros(3, bool), np.arange(3)[::-1],
                               np.broadcast_to(np.arange(3.0), (2, 3)), np.frombuffer(b"12345678", np.uint8)[1:]])
def test_arrays_of_all_kinds_are_copied(x: np.ndarray) -> None:
    (y,) = copied(x)
    assert same(x, y) and x.strides == y.strides and x.flags.writeable == y.flags.writeable


def test_one_object_stays_one() -> None:
    shared = [np.ones(2)]
    a = {"p": shared, "q": (shared, shared[0])}
    (b,) = copied(a)
    assert b["p"] is b["q"][0] and b["p"][0] is b["q"][1] and b["p"] is not shared


def test_an_object_that_holds_itself_is_copied() -> None:
    x = SimpleNamespace(a=np.ones(2))
    x.me, x.all = x, [x]
    (y,) = copied(x)
    assert y.me is y and y.all[0] is y and y is not x


SCALES = {"k": [1.0, 2.0]}
COUNT = [0]


def reads_globals(x: float) -> float:
    COUNT[0] += 1
    return x * SCALES["k"][0] + helper(x)


def helper(x: float, seen: list[float] = []) -> float:
    seen.append(x)
    SCALES["k"].append(x)
    return x


def test_functions_have_globals_defaults_and_cells_of_their_own() -> None:
    cell = [0.0]

    def closure(x: float) -> float:
        cell.append(x)
        return reads_globals(x) + len(cell)

    (f,) = copied(closure)
    assert f(2.0) == 6.0 and f(2.0) == 7.0
    assert cell == [0.0] and COUNT == [0] and SCALES == {"k": [1.0, 2.0]} and helper.__defaults__ == ([],)


def test_two_functions_share_the_cell_that_they_share() -> None:
    n = 0

    def add() -> None:
        nonlocal n
        n += 1

    def get() -> int:
        return n

    a, g = copied(add, get)
    a()
    assert g() == 1 and get() == 0


class Counter:
    table: ClassVar[list[int]] = [0]

    def __init__(self) -> None:
        self.n = 0

    def step(self) -> None:
        self.n += 1
        self.table.append(1)
        COUNT.append(1)
        drawn.append(GENERATOR.random())


GENERATOR = np.random.default_rng(1)
drawn: list[float] = []


def test_what_methods_read_is_put_back() -> None:
    x = Counter()
    kept = SharedState(x)
    state = GENERATOR.bit_generator.state
    y = Copier(kept).copy(x)
    y.step()
    assert x.n == 0 and y.n == 1 and Counter.table == [0, 1]
    assert kept.restore()
    assert Counter.table == [0] and COUNT == [0] and drawn == [] and state == GENERATOR.bit_generator.state
    assert not kept.restore()


def test_what_cannot_be_copied_is_said() -> None:
    with pytest.raises(CannotCopy, match="`generator` cannot be copied"):
        copied((k for k in [1]))


def test_files_are_not_copied(tmp_path: Path) -> None:
    lock = threading.Lock()
    assert copied([lock])[0] == [lock]
    with (tmp_path / "log").open("w") as file, pytest.raises(CannotCopy, match="TextIOWrapper"):
        copied([file])


def test_files_in_memory_are_copied_with_their_position() -> None:
    for file in (io.StringIO("abc"), io.BytesIO(b"abc")):
        file.read(1)
        (own,) = copied(file)
        assert type(own) is type(file) and own.read() == file.getvalue()[1:]
        assert file.tell() == 1


def test_large_arrays_are_not_copied() -> None:
    with pytest.raises(CannotCopy, match="256 MB"):
        copied(np.broadcast_to(1.0, (1,)), np.empty(LARGEST // 8 + 1))


def test_methods_partials_and_cached_functions_are_copied() -> None:
    held: list[float] = []

    @functools.lru_cache
    def cached(x: float) -> float:
        held.append(x)
        return x

    rng = random.Random(1)
    append, part, c, draw = copied(held.append, functools.partial(held.append, 2.0), cached, rng.random)
    append(1.0)
    part()
    c(3.0)
    before = rng.getstate()
    draw()
    assert held == [] and cached.cache_info().currsize == 0 and rng.getstate() == before


# -- equality -------------------------------------------------------------------------


@pytest.mark.parametrize(("a", "b", "equal"), [
    (1.0, 1.0, True), (1.0, 1, False), (1.0, np.float64(1.0), False), (np.float32(1.0), np.float64(1.0), False),
    (0.0, -0.0, False), (float("nan"), -float("nan"), True), (np.array([np.nan, 1.0]), np.array([-np.nan, 1.0]), True),
    (np.ones(2), np.ones((1, 2)), False), (np.ones(2), np.ones(2, np.float32), False), ([1.0], (1.0,), False),
    ({"a": 1, "b": 2}, {"b": 2, "a": 1}, False), (True, 1, False), ("a", "a", True), (None, 0.0, False),
    (SimpleNamespace(a=1.0), SimpleNamespace(a=1.0), True), (SimpleNamespace(a=1.0), SimpleNamespace(a=1), False),
    ({1, "a"}, {"a", 1}, True), ({1}, {1.0}, False), (frozenset([0.0]), frozenset([-0.0]), False),
    ({1: 2.0}, {True: 2.0}, False)])
def test_types_and_bits_count(a: Any, b: Any, equal: bool) -> None:
    assert same(a, b) is equal and same([a], [b]) is equal


# -- quiet ----------------------------------------------------------------------------


def test_nothing_is_shown_and_generators_are_put_back(capfd: pytest.CaptureFixture[str],
                                                      caplog: pytest.LogCaptureFixture) -> None:
    def noisy() -> float:
        print("out")
        logging.getLogger("noisy").warning("logged %d", 1)
        warnings.warn("warned", stacklevel=1)
        return np.log(np.zeros(1))[0] + random.random() + np.random.rand()

    before = random.getstate(), np.random.get_state()[1].tolist()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        made = run_quietly(noisy)
    assert made.error is None and made.output == "out\nnoisy:WARNING:logged 1\n"
    assert (random.getstate(), np.random.get_state()[1].tolist()) == before
    assert capfd.readouterr() == ("", "") and not caplog.records


def test_a_warning_that_was_shown_once_is_not_shown_again() -> None:
    def warns(x: float) -> float:
        warnings.warn("once", UserWarning, stacklevel=1)
        return x

    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("default")
        for _ in range(3):
            warns(1.0)
            run_quietly(lambda: warns(1.0))
    assert len(caught) == 1


def test_what_does_not_end_is_ended() -> None:
    def endless() -> None:
        while True:
            pass

    assert "does not end" in str(run_quietly(endless, 0.2).error)


def test_a_call_is_ended_although_something_ignores_that_once() -> None:
    def stubborn() -> None:
        while True:
            with contextlib.suppress(BaseException) if not ended else contextlib.nullcontext():
                while True:
                    pass
            ended.append(True)

    ended: list[bool] = []
    assert "does not end" in str(run_quietly(stubborn, 0.1).error)
    assert ended == [True]


# -- functions that are read as they are --------------------------------------------------


def written(x: np.ndarray) -> float:
    x[0] = 2.0 * x[1]
    return np.sum(x * x)


def prints(x: np.ndarray) -> float:
    print("x", x[0])
    return np.sum(x)


def raises(x: np.ndarray) -> float:
    if x[0] > 0.0:
        raise ValueError(f"{x[0]} is positive")
    return x[0]


ARRAY = np.array([1.0, 2.0, 3.0])
HISTORY: list[float] = []


def logs(x: np.ndarray) -> float:
    logging.getLogger(__name__).warning("seen")
    return np.sum(x * ARRAY)


def draws(x: np.ndarray) -> float:
    return np.sum(x) * random.random()


def of_generator(x: np.ndarray) -> float:
    return np.sum(x * GENERATOR.normal(size=3))


class Model:
    def __init__(self) -> None:
        self.w, self.calls = np.array([1.0, 2.0, 3.0]), 0

    def loss(self, x: np.ndarray) -> float:
        return np.sum((self.w * x) ** 2)


@pytest.mark.parametrize("f", [written, logs, draws, of_generator, Model().loss,
                               functools.partial(lambda s, x: np.sum(s * x), 2.0)])
def test_what_is_read_as_it_is_is_validated(f: Callable[..., Any]) -> None:
    x, state = np.ones(3), GENERATOR.bit_generator.state
    g = value_and_grad(f)
    g(x)
    assert g.validated is True
    assert x.tolist() == [1.0, 1.0, 1.0]
    if f is of_generator:
        GENERATOR.bit_generator.state = state
        first = GENERATOR.normal(size=3)
        GENERATOR.bit_generator.state = state
        value, _ = value_and_grad(f)(x)
        assert value == np.sum(x * first)


def test_a_write_through_a_name_of_one_path_is_read_as_it_is() -> None:
    def f(x: np.ndarray, k: int) -> float:
        u = x
        if u[k] > 0.0:
            pass
        else:
            x = 1.5 + u
        x[2] *= 1.5
        return x[0]

    g = grad(f)
    assert g(np.ones(3), 0).tolist() == [1.0, 0.0, 0.0] and g.validated is True


class Single:
    """An object that its class holds too, with methods that read it there."""

    instance: ClassVar[Any] = None
    seen: ClassVar[list[float]] = [1.0, 2.0]
    table: ClassVar[np.ndarray] = np.ones(3)

    def __init__(self) -> None:
        self.k = 2.0

    @classmethod
    def get(cls) -> Any:
        return cls.instance

    def length(self) -> int:
        return len(Single.seen) + len(Single.table)


Single.instance = Single()


def test_an_argument_that_its_class_holds_too_is_compared_and_put_back() -> None:
    def attribute(o: Any) -> Any:
        o.k = o.k * 2.0
        return o.k * o.k

    def items(o: Any, x: list[float]) -> Any:
        x.append(o.k)
        x[0] = 3.0 * x[1]
        return sum(x) * o.k

    def elements(o: Any, a: np.ndarray) -> Any:
        a[1:] = a[:-1] * 2.0
        return np.sum(a * a) * o.k

    for f, args in ((attribute, (Single.instance,)), (items, (Single.instance, Single.seen)),
                    (elements, (Single.instance, Single.table))):
        derived = value_and_grad(f)
        value, _ = derived(*args)
        assert derived.validated is True
        assert Single.instance.k == 2.0 and Single.seen == [1.0, 2.0] and Single.table.tolist() == [1.0, 1.0, 1.0]
        assert value == f(*args)
        Single.instance.k, Single.seen[:], Single.table[:] = 2.0, [1.0, 2.0], 1.0


def test_before_a_call_nothing_is_said() -> None:
    assert "not called" in str(grad(written).validated)


def test_the_real_call_prints_once_and_sees_the_generators_as_they_were(capsys: pytest.CaptureFixture[str]) -> None:
    random.seed(3)
    expected = random.random()
    random.seed(3)

    def f(x: float) -> float:
        print("here")
        return x * random.random()

    g = value_and_grad(f)
    assert g(1.0)[0] == expected and g.validated is True
    assert capsys.readouterr().out == "here\n"


def test_the_exceptions_of_the_function_are_its_own() -> None:
    g = grad(raises)
    with pytest.raises(ValueError, match=r"1\.0 is positive"):
        g(np.ones(3))
    assert g(-np.ones(3)).tolist() == [1.0, 0.0, 0.0]


def test_every_mode_validates() -> None:
    x = np.array([0.5, 1.5])

    def f(x: np.ndarray) -> float:
        return np.sum(x * x * x)

    nested = grad(lambda x: np.sum(grad(f)(x)))
    for made in (grad(f), value_and_grad(f), jacobian(f), jacfwd(f), hessian(f), nested):
        made(x)
        assert made.validated is True
    assert vjp(f, x)[1](1.0)[0].tolist() == (3.0 * x * x).tolist()
    jvp(f, (x,), (x,))
    hvp(f, (x,), (x,))


def test_it_is_turned_off(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SCT_VALIDATE", "0")
    h = grad(lambda x: x * x)
    h(2.0)
    assert h.validated == "SCT_VALIDATE=0"


def test_time_is_not_compared() -> None:
    g = value_and_grad(lambda x: x * time.perf_counter())
    g(2.0)
    assert "each time" in str(g.validated)


def test_what_sct_does_not_see_into_is_called_once(tmp_path: Path) -> None:
    with (tmp_path / "log").open("w") as file:
        def f(x: float) -> float:
            file.write("called\n")
            return x * x

        g = grad(f)
        assert g(2.0) == 4.0
    assert (tmp_path / "log").read_text() == "called\n"
    assert "write" in str(g.validated)


def test_a_large_argument_is_not_copied(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sct.validation.clone.LARGEST", 100)
    h = grad(lambda x: np.sum(x))
    h(np.ones(50))
    assert "MB" in str(h.validated)


def test_errstate_is_that_of_the_caller() -> None:
    def f(x: np.ndarray) -> float:
        return np.sum(np.log(x))

    with np.errstate(all="raise"), pytest.raises(FloatingPointError):
        value_and_grad(f)(np.zeros(3))
    with np.errstate(all="ignore"):
        assert value_and_grad(f)(np.zeros(3))[0] == -np.inf


def test_an_interruption_gets_through() -> None:
    class Stop(KeyboardInterrupt):
        pass

    def stop() -> float:
        raise Stop

    with pytest.raises(Stop):
        run_quietly(stop)


# -- functions that are not -----------------------------------------------------------


@pytest.fixture
def planted_sum(monkeypatch: pytest.MonkeyPatch) -> None:
    """`a + b` is read as `a - b`."""
    monkeypatch.setitem(BINARY, gast.Add, BINARY[gast.Sub])


@pytest.mark.usefixtures("planted_sum")
def test_a_fault_shows_both_values_and_the_line() -> None:
    def f(x: np.ndarray) -> float:
        y = x * 2.0
        z = np.sum(y) + 1.0
        return z * 1.0

    with pytest.raises(SctError) as caught:
        grad(f)(np.array([1.0, 2.0]))
    text = str(caught.value)
    assert caught.value.code == "SCT601" and caught.value.loc is not None
    assert "z = np.sum(y) + 1.0" in text and "np.float64(7.0)" in text and "np.float64(5.0)" in text
    assert "report" in text and "SCT_VALIDATE=0" in text


@pytest.mark.usefixtures("planted_sum")
@pytest.mark.parametrize("mode", [grad, value_and_grad, jacobian, jacfwd, hessian])
def test_a_fault_is_seen_in_every_mode(mode: Callable[..., Any]) -> None:
    x = np.array([1.0, 2.0])
    f: Callable[..., Any] = lambda x: np.sum((x + 1.0) ** 2)
    with pytest.raises(SctError, match="SCT601"):
        mode(f)(x)
    with pytest.raises(SctError, match="SCT601"):
        vjp(f, x)
    with pytest.raises(SctError, match="SCT601"):
        jvp(f, (x,), (x,))
    with pytest.raises(SctError, match="SCT601"):
        hvp(f, (x,), (x,))
    with pytest.raises(SctError, match="SCT601"):
        grad(lambda x: np.sum(grad(f)(x)))(x)


@pytest.mark.usefixtures("planted_sum")
def test_a_refused_function_stays_refused_and_is_not_kept() -> None:
    g = grad(lambda x: x * (x + 1.0))
    for _ in range(2):
        with pytest.raises(SctError, match="SCT601"):
            g(2.0)
    assert g.sources == ()


@pytest.mark.usefixtures("planted_sum")
def test_turned_off_the_fault_is_back(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SCT_VALIDATE", "0")
    assert value_and_grad(lambda x: x * (x + 1.0))(2.0)[0] == 2.0


def test_at_every_call_later_calls_are_compared(monkeypatch: pytest.MonkeyPatch) -> None:
    hidden = [False]

    def helper(x: float) -> float:
        return x

    def f(x: float) -> float:
        return helper(x) if x < 2.0 else x * 2.0

    monkeypatch.setenv("SCT_VALIDATE", "all")
    g = value_and_grad(f)
    assert g(1.0)[0] == 1.0
    specialization = g._family.order[-1][1]
    primal = specialization.validation.primal
    assert primal is not None
    monkeypatch.setattr(specialization.validation, "primal", replace(
        primal, run=lambda *args, **free: (0.0, ()) if hidden[0] else primal.run(*args, **free)))
    assert g(3.0)[0] == 6.0
    hidden[0] = True
    with pytest.raises(SctError, match="SCT601"):
        g(1.5)
    monkeypatch.setenv("SCT_VALIDATE", "first")
    assert g(1.5)[0] == 1.5


def test_a_default_that_keeps_what_it_is_given_is_refused() -> None:
    def f(x: float, seen: list[float] = []) -> float:
        seen.append(x)
        return sum(seen)

    with pytest.raises(SctError, match=r"SCT302|default"):
        value_and_grad(f)(2.0)
    assert f.__defaults__ == ([],)


def test_a_write_to_a_read_only_argument_raises_in_python() -> None:
    x = np.ones(3)
    x.flags.writeable = False
    with pytest.raises((SctError, ValueError), match=r"SCT601|SCT3|read-only"):
        grad(written)(x)


# -- faults that there were, planted again -------------------------------------------------

PLANTED = sorted(each.stem for each in (Path(__file__).parent / "planted").glob("[a-z]*.py"))


@pytest.fixture(params=PLANTED)
def planted(request: pytest.FixtureRequest) -> Any:
    return importlib.import_module(f"tests.planted.{request.param}")


def _given(module: Any) -> list[Any]:
    """The arguments, which the program may write; what is read-only stays so."""
    return list(Copier(SharedState(module.args)).copy(module.args))


def test_without_the_fault_it_is_read_as_it_is(planted: Any) -> None:
    try:
        made = run_quietly(lambda: value_and_grad(planted.program)(*_given(planted)))
        plain = run_quietly(lambda: planted.program(*_given(planted)))
    except SctError as refusal:
        assert refusal.code != "SCT601"
    else:
        if isinstance(made.error, SctError):
            assert made.error.code != "SCT601"
        elif made.error is None:
            assert same(made.value[0], plain.value)


def test_a_planted_fault_gives_what_python_does_not(planted: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    if getattr(planted, "endless", False):
        pytest.skip("it does not end")
    monkeypatch.setenv("SCT_VALIDATE", "0")
    planted.plant(Tables(monkeypatch))
    made = run_quietly(lambda: value_and_grad(_again(planted.program))(*_given(planted)))
    plain = run_quietly(lambda: planted.program(*_given(planted)))
    assert made.error is None, made.error
    assert plain.error is not None or not same(made.value[0], plain.value)


def test_a_planted_fault_is_refused(planted: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    planted.plant(Tables(monkeypatch))
    for mode in (value_and_grad, grad):
        with pytest.raises(SctError) as caught:
            mode(_again(planted.program))(*_given(planted))
        assert caught.value.code == "SCT601", caught.value


def _again(f: Callable[..., Any]) -> Callable[..., Any]:
    """The same function, of which nothing is compiled yet."""
    made = FunctionType(f.__code__.replace(), f.__globals__, f.__name__, f.__defaults__, f.__closure__)
    return made


# -- ahead of time ------------------------------------------------------------------------

FILE = """
import numpy as np
from sct import grad, value_and_grad

@grad
def loss(w, x):
    return np.sum((w @ x - 1.0) ** 2)

class Spring:
    def __init__(self, k):
        self.k = k

    @value_and_grad
    def energy(self, x):
        return 0.5 * np.sum(self.k * x * x)
"""


@pytest.mark.parametrize("script", [False, True])
def test_emit_takes_types_from_examples(script: bool, tmp_path: Path) -> None:
    (tmp_path / "shown.py").write_text(FILE)
    calls = ["loss(np.ones((2, 3)), np.ones(3))", "Spring(np.ones(3)).energy(np.ones(3))"]
    if script:
        (tmp_path / "calls.py").write_text("\n".join(["import numpy as np", "from shown import *", *calls]))
        calls = [str(tmp_path / "calls.py")]
    options = [part for call in calls for part in ("--example", call)]
    result = CliRunner().invoke(main, ["emit", str(tmp_path / "shown.py"), *options])
    assert result.exit_code == 0, result.output
    assert "# w: f64[n, m], x: f64[m]" in result.stdout and "self.k must be a 1-D array" in result.stdout
    space: dict[str, Any] = {}
    exec(result.stdout, space)
    assert space["loss"](np.ones((2, 3)), np.ones(3)).tolist() == [[4.0] * 3] * 2
    assert space["Spring"](np.ones(3)).energy(np.ones(3))[0] == 1.5


@pytest.mark.usefixtures("planted_sum")
def test_emit_refuses_what_an_example_shows_to_be_wrong(tmp_path: Path) -> None:
    (tmp_path / "wrong.py").write_text(FILE.replace("- 1.0", "+ 1.0"))
    command = ["emit", str(tmp_path / "wrong.py"), "--example", "loss(np.ones((2, 3)), np.ones(3))"]
    result = CliRunner().invoke(main, command)
    assert result.exit_code == 1 and "SCT601" in result.stderr


def test_an_example_that_raises_is_a_wrong_command_line(tmp_path: Path) -> None:
    (tmp_path / "raised.py").write_text(FILE)
    result = CliRunner().invoke(main, ["emit", str(tmp_path / "raised.py"), "--example", "loss(1)"])
    assert result.exit_code == 2 and "TypeError" in result.stderr


# -- compiled loops -------------------------------------------------------------------------


def summed(x: np.ndarray) -> float:
    s = 0.0
    for i in range(len(x)):
        s += x[i] * x[i]
    return s


def test_compiled_loops_are_compared_with_numpy(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("numba")
    compiled = specialization.load_compiled

    def wrong(*args: Any) -> Callable[..., Any]:
        run = compiled(*args)
        return lambda *args, **free: run(*args, **free) * (1.0 + 1e-3)

    right = grad(_again(summed), backend="numba")
    assert right(np.ones(4)).tolist() == [2.0] * 4 and right.validated is True
    monkeypatch.setattr(specialization, "load_compiled", wrong)
    with pytest.raises(SctError, match="SCT603"):
        grad(_again(summed), backend="numba")(np.ones(4))
    monkeypatch.setenv("SCT_VALIDATE", "0")
    assert grad(_again(summed), backend="numba")(np.ones(4))[0] == 2.0 * (1.0 + 1e-3)


def test_the_cycles_that_a_function_makes_are_collected_while_it_is_compared() -> None:
    """Compilation is a block without garbage collection; the user's function runs with it."""
    assert gc.isenabled()
    with no_collection():
        assert not gc.isenabled()
        assert run_quietly(gc.isenabled).value
        assert not gc.isenabled()
    assert gc.isenabled()
    gc.disable()
    try:
        with no_collection():
            assert not run_quietly(gc.isenabled).value
        assert not gc.isenabled()
    finally:
        gc.enable()


def test_compilations_that_overlap_in_two_threads_leave_collection_as_it_was() -> None:
    """The first thread enters first and leaves first."""
    entered, may_leave = threading.Event(), threading.Event()

    def second() -> None:
        with no_collection():
            entered.set()
            may_leave.wait(60.0)

    thread = threading.Thread(target=second)
    with no_collection():
        thread.start()
        assert entered.wait(60.0)
        assert not run_quietly(gc.isenabled).value, "the second thread compiles"
    assert not gc.isenabled()
    may_leave.set()
    thread.join()
    assert gc.isenabled() and run_quietly(gc.isenabled).value
    gc.disable()
    try:
        with no_collection():
            assert not run_quietly(gc.isenabled).value
    finally:
        gc.enable()
