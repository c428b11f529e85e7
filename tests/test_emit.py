"""`emit`, `.save` and `sct emit`: modules that stand alone, check what they are for, and compute the same."""

from __future__ import annotations

import ast
import importlib.util
import itertools
import math
import subprocess
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner
from trees import same_bits

import sct
from sct import SctError, grad, value_and_grad
from sct.cli import main
from sct.export.golden import golden_module

_number = itertools.count()


def module_of(text: str) -> ModuleType:
    """The module of that text."""
    module = ModuleType("emitted")
    exec(compile(text, "<emitted>", "exec"), vars(module))
    return module


def imported(path: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec and spec.loader
    module = sys.modules[path.stem] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def square(x: float, y: float) -> float:
    return x * x * y


# -- emit -----------------------------------------------------------------------------

ANSWERS = {
    "grad": 12.0, "value_and_grad": (12.0, 12.0), "jacobian": 12.0, "jacfwd": 12.0, "jacrev": 12.0, "hessian": 6.0,
}


@pytest.mark.parametrize("mode", ANSWERS)
def test_emit_of_every_mode(mode: str) -> None:
    f = getattr(module_of(sct.emit(square, mode)), f"square_{mode}")
    assert f(2.0, 3.0) == ANSWERS[mode]


def test_emit_of_modes_with_directions() -> None:
    value, pullback = module_of(sct.emit(square, "vjp")).square_vjp(2.0, 3.0)
    assert value == 12.0 and pullback(1.0) == (12.0, 4.0)
    assert module_of(sct.emit(square, "jvp")).square_jvp(2.0, 3.0, 1.0, 0.0) == (12.0, 12.0)
    assert module_of(sct.emit(square, "hvp")).square_hvp(2.0, 3.0, 1.0, 0.0) == 6.0


def test_emit_has_argnums_types_values_and_aux() -> None:
    def f(x, k):
        return np.sum(x, axis=k)[0], k

    text = sct.emit(f, "grad", "x", has_aux=True, types={"x": "f64[n, m]", "k": "= 0"})
    made = module_of(text).f_grad
    gradient, aux = made(np.ones((2, 3)), 0)
    assert gradient.tolist() == [[1.0, 0.0, 0.0]] * 2 and aux == 0
    with pytest.raises(ValueError, match="k == 0"):
        made(np.ones((2, 3)), 1)


def test_emit_of_a_wrong_mode() -> None:
    with pytest.raises(SctError, match="SCT906"):
        sct.emit(square, "gradient")


# -- checks ---------------------------------------------------------------------------


def refusals(text: str, name: str, *calls: tuple[Any, ...]) -> list[str]:
    """What each of the calls raises."""
    found = []
    for args in calls:
        with pytest.raises((TypeError, ValueError)) as error:
            getattr(module_of(text), name)(*args)
        found.append(str(error.value))
    return found


def test_types_and_ranks_are_checked() -> None:
    def f(x: "f64[n, m]", y: float, n: int, flag: bool):  # noqa: F821
        return np.sum(x) * y * n if flag else y

    x, text = np.ones((2, 3)), sct.emit(f)
    assert module_of(text).f_grad(x, 2.0, 3, True).tolist() == (6.0 * x).tolist()
    assert refusals(
        text, "f_grad", (x[0], 2.0, 3, True), (x.astype("f4"), 2.0, 3, True), (x.tolist(), 2.0, 3, True),
        (np.matrix(x), 2.0, 3, True), (x, 2, 3, True), (x, 2.0, 3.0, True), (x, 2.0, 3, 1),
    ) == [*["x must be a 2-D array of float64"] * 4, "y must be a float", "n must be an int", "flag must be a bool"]


def test_sizes_that_meet_are_checked() -> None:
    def f(X: "f64[n, m]", w: "f64[k]", y: "f64[p]"):  # noqa: F821
        r = X @ w - y
        return np.sum(r * r)

    text, X, w, y = sct.emit(f, argnums="w"), np.ones((3, 2)), np.ones(2), np.ones(3)
    assert module_of(text).f_grad(X, w, y).tolist() == [6.0, 6.0]
    messages = refusals(text, "f_grad", (X, y, y), (X, w, w))
    assert messages == ["w.shape[0] must be X.shape[1]", "y.shape[0] must be X.shape[0]"]


def test_structures_are_checked() -> None:
    def f(p, pair):
        return np.sum(p["w"] * pair[0]) + p["b"] * pair[1]

    text = sct.emit(f, types={"p": '{"w": f64[n], "b": float}', "pair": "(f64[n], float)"})
    p, pair = {"w": np.ones(2), "b": 1.0}, (np.arange(2.0), 3.0)
    assert same_bits(module_of(text).f_grad(p, pair), {"w": np.arange(2.0), "b": 3.0})
    messages = refusals(text, "f_grad", ({"w": p["w"]}, pair), (p, [*pair]), (p, (pair[1], pair[0])), ([], pair))
    of_p = "p must be a dict with the keys w, b in this order"
    assert messages == [of_p, "pair must be a tuple of 2",
                        "pair[0] must be a 1-D array of float64", of_p]


def test_facts_that_were_asked_are_checked() -> None:
    def f(x, axis=0, name=None):
        return np.sum(x, axis=axis)

    text = sct.emit(f, types={"x": "f64[n]"})
    assert refusals(text, "f_grad", (np.ones(3), 1), (np.ones(3), 0, "a")) == [
        "this derivative is for axis == 0", "name must be None"]


def test_memory_that_is_shared_is_checked() -> None:
    def f(x: "f64[n]", y: "f64[n]"):  # noqa: F821
        x[0] = y[0] * 2.0
        return np.sum(x * y)

    x = np.ones(3)
    (message,) = refusals(sct.emit(f), "f_grad", (x, x[:]))
    assert "np.may_share_memory(x, y)" in message


# -- save -----------------------------------------------------------------------------

MODEL = '''
import numpy as np

SCALE = 2.0
WEIGHTS = np.array([1.0, 2.0, 3.0])
OPTIONS = {"rate": 0.5, "mode": "mse"}

def scaled(x):
    return SCALE * x

def loss(x):
    if OPTIONS["mode"] == "mse":
        return np.sum(scaled(WEIGHTS * x) * OPTIONS["rate"] * x)
    return np.sum(x)

def make(k):
    return lambda x: k * x * x
'''


@pytest.fixture
def model(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """The module of MODEL, importable."""
    monkeypatch.syspath_prepend(str(tmp_path))
    path = tmp_path / f"model_{next(_number)}.py"
    path.write_text(MODEL)
    return imported(path)


def test_save_reads_globals_of_the_module(model: ModuleType, tmp_path: Path) -> None:
    derivative, x = grad(model.loss), np.ones(3)
    result = derivative(x)
    derivative.save(tmp_path / "saved.py")
    saved = imported(tmp_path / "saved.py")
    assert same_bits(saved.loss_grad(x), result)
    model.SCALE = 4.0
    assert same_bits(saved.loss_grad(x), 2.0 * result)
    assert "sct" not in (tmp_path / "saved.py").read_text().replace("written by sct", "")


@pytest.mark.parametrize("name, value, message", [
    ("SCALE", 2, "SCALE must be a float"), ("WEIGHTS", np.ones((3, 1)), "WEIGHTS must be a 1-D array"),
    ("OPTIONS", {"rate": 0.5, "mode": "mae"}, "== \"mse\""), ("OPTIONS", {"mode": "mse", "rate": 0.5}, "tuple"),
])
def test_save_checks_globals(model: ModuleType, tmp_path: Path, name: str, value: Any, message: str) -> None:
    derivative = grad(model.loss)
    derivative(np.ones(3))
    derivative.save(tmp_path / "saved.py")
    setattr(model, name, value)
    with pytest.raises((TypeError, ValueError)) as error:
        imported(tmp_path / "saved.py").loss_grad(np.ones(3))
    assert message in str(error.value)


def test_save_of_several_specializations_dispatches(tmp_path: Path) -> None:
    def f(x, y=2.0, *rest, k=1, **more):
        return x * x * y * k

    derivative = value_and_grad(f)
    calls = [(3.0,), (np.float32(3.0),), (3.0, np.float64(5.0)), (3, 2.0)]
    results = [derivative(*args) for args in calls]
    derivative.save(tmp_path / "saved.py")
    saved = imported(tmp_path / "saved.py").f_value_and_grad
    assert all(same_bits(saved(*args), result) for args, result in zip(calls, results))
    with pytest.raises(TypeError, match="not compiled for arguments like these"):
        saved("a")


@pytest.mark.parametrize(("key", "others"), [
    (1, (1.0, True)), (0.0, (-0.0, 0)), (True, (1,)), ((1, 0.0), ((1, -0.0),)), ("k", ("j",))])
def test_saved_keys_count_by_class_and_sign(tmp_path: Path, key: Any, others: Any) -> None:
    (tmp_path / f"{(name := f'keyed_{next(_number)}')}.py").write_text(
        "def f(d):\n    return sum(v * (2 if isinstance(k, float) else 3) for k, v in d.items())\n")
    derivative = value_and_grad(imported(tmp_path / f"{name}.py").f)
    wanted = derivative({key: 2.0})
    derivative.save(tmp_path / "saved.py")
    saved = imported(tmp_path / "saved.py").f_value_and_grad
    assert same_bits(saved({key: 2.0}), wanted)
    for other in others:
        with pytest.raises(TypeError, match="must be a dict with the keys"):
            saved({other: 2.0})


@pytest.mark.parametrize("others", [({1.0: 2.0}, {1}), ({1: 2.0}, {True}), ({True: 2.0}, {1})])
def test_saved_facts_of_what_is_held_count_by_class(tmp_path: Path, others: Any) -> None:
    (tmp_path / f"{(name := f'held_{next(_number)}')}.py").write_text(
        "D = {1: 2.0}\nS = {1}\n\ndef f(x):\n    return x * D[1] + sum(isinstance(v, float) for v in S) * x\n")
    model = imported(tmp_path / f"{name}.py")
    derivative = grad(model.f)
    derivative(1.5)
    derivative.save(tmp_path / "saved.py")
    saved = imported(tmp_path / "saved.py").f_grad
    assert saved(1.5) == 2.0
    model.D, model.S = others
    with pytest.raises(ValueError, match="this derivative is for"):
        saved(1.5)


def test_save_before_a_call_is_for_the_annotated_types(tmp_path: Path) -> None:
    grad(square).save(tmp_path / "saved.py")
    assert imported(tmp_path / "saved.py").square_grad(2.0, 3.0) == 12.0


def test_save_keeps_what_cannot_be_imported_as_a_keyword(model: ModuleType, tmp_path: Path) -> None:
    derivative = grad(model.make(3.0))
    derivative(2.0)
    derivative.save(str(tmp_path / "saved.py"))
    assert imported(tmp_path / "saved.py").f_grad(2.0, k=3.0) == 12.0


# -- what a module of its own asks, as the API does ------------------------------------

FACTS = '''
import collections, enum, functools, types
import numpy as np

class A:
    def __init__(self, w=2.0):
        self.w = w
    def at(self, x):
        return self.w * x

class B(A):
    def at(self, x):
        return self.w * x * x

class Mode(enum.Enum):
    LINEAR, SQUARE = 1, 2

def square(x):
    return x * x

def linear(x):
    return 3.0 * x

PLACE, MODE, LAW, UFUNC, KIND, FLAG = A(), Mode.LINEAR, square, np.tanh, np.float32, True
HALF, PAIR, NAMES, SPACE = functools.partial(square), [1.0, 2.0], {"a": 1.0, "b": 2.0}, types.SimpleNamespace(k=2.0)
LONG, HELD, ROWS = [1.0, 2.0, 3.0, 4.0, 5.0], [PLACE], [[float(k), 1.0] for k in range(6)]

def of_two(a, b, x):
    a.w = x * x
    return b.w * x

def of_lists(a, b, x):
    a[0] = x * x
    return b[0] * x

def of_an_item(a, b, x):
    a[0].w = x * x
    return b.w * x

def of_rows(rows, x):
    rows[0][0] = x
    return rows[1][0] * x

def of_a_row(rows, row, x):
    row[0] = x * x
    return rows[0][0] * x

def of_deep_rows(rows, x):
    rows[0][0][0] = x
    return rows[1][0][0] * x

def of_place(a, x):
    a.w = x * x
    return PLACE.w * x

def of_held(a, x):
    a.w = x * x
    return HELD[0].w * x

MANY, PAIRS = [A() for _ in range(5)] + [PLACE], [(1.0, PLACE)] + [(2.0, A()) for _ in range(5)]

def of_many(a, x):
    a.w = x * x
    return MANY[-1].w * x

def of_pairs(a, x):
    a.w = x * x
    return sum(weight * held.w for weight, held in PAIRS) * x

def of_pair(a, x):
    a[0] = x * x
    return PAIR[0] * x

def of_long(a, x):
    a[0] = x * x
    return LONG[0] * x

def of_a_row_outside(a, x):
    a[0] = x * x
    return ROWS[0][0] * x

def of_names(a, x):
    a["a"] = x * x
    return NAMES["a"] * x

def of_space(a, x):
    a[0].k = x * x
    return SPACE.k * x

def reads(x):
    y = PLACE.at(x) if MODE is Mode.LINEAR else x
    return y * LAW(x) * HALF(x) * UFUNC(x) + np.array([x], dtype=KIND)[0] * (2.0 if FLAG is True else 3.0)

def in_order(names, x):
    s = 0.0
    for k in names:
        s = s * x + names[k]
    return s

def with_an_attribute(a, x):
    return x * x if hasattr(a, "extra") else x

def over_attributes(a, x):
    s = 0.0
    for k in vars(a):
        s = s * x + getattr(a, k)
    return s

def of_a_flag(n, x):
    return x * x * n if isinstance(n, bool) else x * n

def of_its_class(v, x):
    return x * x if type(v) is float else x * v

def of_the_class_of_a_result(v, x):
    return x * x * v if isinstance(v + 1.0, np.floating) else x * v

def of_mixed(xs, x):
    s = 0.0
    for v in xs:
        s = s * x + v
    return s
'''


def _twice(make: Any) -> Any:
    def given(m: Any) -> Any:
        made = make(m)
        return made, made
    return given


def _rows(n: int = 6) -> list[list[float]]:
    return [[float(k), 1.0] for k in range(n)]


def _other(m: Any) -> Any:
    made = m.A()
    made.extra = 1.0
    return made


def _row_of(rows: Any) -> Any:
    return rows, rows[0]


OTHERS: dict[str, list[tuple[str, Any, Any]]] = {  # the function, what it is compiled for, what it is not
    "objects": [("of_two", lambda m: (m.A(), m.A()), _twice(lambda m: m.A()))],
    "lists": [("of_lists", lambda m: ([1.0], [1.0]), _twice(lambda m: [1.0]))],
    "dicts": [("of_lists", lambda m: ({0: 1.0}, {0: 1.0}), _twice(lambda m: {0: 1.0}))],
    "long lists": [("of_lists", lambda m: ([1.0] * 5, [1.0] * 5), _twice(lambda m: [1.0] * 5))],
    "an item": [("of_an_item", lambda m, n=n: ([m.A() for _ in range(n)], m.A()),
                 lambda m, n=n: (lambda a: ([a, *[m.A() for _ in range(n - 1)]], a))(m.A())) for n in (1, 6)],
    "rows": [("of_rows", lambda m: (_rows(),), lambda m: ([[1.0, 2.0]] * 6,))],
    "a row": [("of_a_row", lambda m: (_rows(), [1.0, 2.0]), lambda m: _row_of(_rows()))],
    "deep rows": [("of_deep_rows", lambda m: ([_rows() for _ in "123456"],), lambda m: ([_rows()] * 6,)),
                  ("of_deep_rows", lambda m: ([_rows() for _ in "123456"],), lambda m: ([[[1.0]] * 6] * 6,))],
    "global object": [("of_place", lambda m: (m.A(),), lambda m: (m.PLACE,)),
                      ("of_held", lambda m: (m.A(),), lambda m: (m.PLACE,)),
                      ("of_many", lambda m: (m.A(),), lambda m: (m.PLACE,)),
                      ("of_pairs", lambda m: (m.A(),), lambda m: (m.PLACE,)),
                      ("of_space", lambda m: ([m.types.SimpleNamespace(k=1.0)],), lambda m: ([m.SPACE],))],
    "global list": [("of_pair", lambda m: ([1.0, 2.0],), lambda m: (m.PAIR,)),
                    ("of_long", lambda m: ([1.0] * 5,), lambda m: (m.LONG,)),
                    ("of_a_row_outside", lambda m: ([1.0, 2.0],), lambda m: (m.ROWS[0],)),
                    ("of_names", lambda m: ({"a": 1.0, "b": 2.0},), lambda m: (m.NAMES,))],
    "keys": [("in_order", lambda m: ({"a": 1.0, "b": 2.0},), lambda m: ({"b": 2.0, "a": 1.0},))],
    "attributes": [("with_an_attribute", lambda m: (m.A(),), lambda m: (_other(m),)),
                   ("with_an_attribute", lambda m: (_other(m),), lambda m: (m.A(),)),
                   ("over_attributes", lambda m: (m.A(),), lambda m: (_other(m),))],
    "a flag": [("of_a_flag", lambda m: (3,), lambda m: (True,)), ("of_a_flag", lambda m: (True,), lambda m: (1,))],
    "a class": [("of_its_class", lambda m: (3.0,), lambda m: (np.float64(3.0),)),
                ("of_the_class_of_a_result", lambda m: (3.0,), lambda m: (np.float64(3.0),))],
    "mixed": [("of_mixed", lambda m: ([1, 2.0] * 4,), lambda m: ([True, 2.0] * 4,))],
}


@pytest.fixture
def facts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.syspath_prepend(str(tmp_path))
    path = tmp_path / f"facts_{next(_number)}.py"
    path.write_text(FACTS)
    return imported(path)


@pytest.mark.parametrize("case", [(name, k) for name, each in OTHERS.items() for k in range(len(each))], ids=str)
@pytest.mark.parametrize("swapped", [False, True])
def test_a_module_serves_what_its_specialization_does(facts: ModuleType, case: tuple[str, int], swapped: bool) -> None:
    name, first, second = OTHERS[case[0]][case[1]]
    first, second = (second, first) if swapped else (first, second)
    f = getattr(facts, name)
    derivative = value_and_grad(f, argnums=f.__code__.co_argcount - 1)
    try:
        value = derivative(*first(facts), 2.0)
    except SctError as refusal:
        assert refusal.code == "SCT305" and swapped
        return
    module = module_of(derivative.module())
    made = getattr(module, f"{name}_value_and_grad")
    assert made(*first(facts), 2.0) == value
    with pytest.raises((TypeError, ValueError), match=r"must be|derivative is for|may not be|may be passed"):
        made(*second(facts), 2.0)


@pytest.mark.parametrize("name, other", [
    ("PLACE", lambda m: m.B()), ("MODE", lambda m: m.Mode.SQUARE), ("LAW", lambda m: m.linear),
    ("UFUNC", lambda m: np.sin), ("KIND", lambda m: np.float64), ("FLAG", lambda m: 1),
    ("HALF", lambda m: m.functools.partial(m.linear)),
])
def test_a_module_asks_what_is_outside(facts: ModuleType, name: str, other: Any) -> None:
    derivative = value_and_grad(facts.reads)
    value = derivative(2.0)
    made = module_of(derivative.module()).reads_value_and_grad
    assert same_bits(made(2.0), value)
    setattr(facts, name, other(facts))
    with pytest.raises(ValueError, match=f"this derivative is for .*{name}"):
        made(2.0)


# -- sct emit -------------------------------------------------------------------------

PROGRAM = '''
"""A model."""
from __future__ import annotations
import math, os
from dataclasses import dataclass

import numpy as np
import sct
from sct import grad, value_and_grad

TAU = 2.0 * math.pi
SCALE = TAU / 2.0
WEIGHTS = np.array([1.0, 2.0])  # two of them
TABLE = {"a": 3.0, "b": (4.0, WEIGHTS)}
MODE = "fast"
COUNT = 3


def log(message, count):
    print(message, count, os.sep)


def helper(x):
    return x * SCALE


@grad
def first(x: float, loss: str = "mse", axis=0) -> float:
    """A docstring."""
    if loss == "mse":
        return helper(x) * TABLE["a"] + math.sin(x)
    return x


@value_and_grad(argnums=("x", "k"))
def second(x: np.ndarray, k: float, *, n: int = 2) -> float:
    total = 0.0
    for _ in range(n):
        total += k * np.sum(WEIGHTS * x)
    if MODE == "fast":
        log("total", COUNT)
    return total * TABLE["b"][0]


def plain(x, y):
    return x * y * COUNT


plain_grad = grad(plain)
again = plain_grad
both = sct.hessian(plain, argnums=(0, 1))
power = grad(lambda x: x ** COUNT)


@grad
def falling(x):
    n = COUNT
    while n > 0:
        x = x * x
        n -= 1
    return x


@dataclass
class Model:
    """A class."""

    rate: float
    weights: np.ndarray
    width = 0.5

    @grad
    def loss(self, w):
        return self.rate * w * w * self.width * np.sum(self.scaled())

    def scaled(self):
        return self.weights * SCALE

    @staticmethod
    @grad
    def still(x: float):
        return x * x * COUNT

    @classmethod
    @grad
    def shared(cls, x: float):
        return x * cls.width * x

    class Inner:
        @grad
        def deep(self, x: float): return x * x


class Old:
    def __init__(self, a: float, b=2):
        self.a, self._b = a, b
        self.a = a
        self.steps = 3

    @value_and_grad
    def loss(self, w: float):
        for _ in range(self.steps):
            w = w * self.a
        return w


if __name__ == "__main__":
    MODE = "slow"
    print(first(2.0))
'''


@pytest.fixture
def emitted(tmp_path: Path):
    """emitted(text): the result of `sct emit` of a file with that text, and the file it writes."""

    def run(text: str | bytes) -> tuple[Any, Path]:
        file, out = tmp_path / f"user_{next(_number)}.py", tmp_path / f"out_{next(_number)}.py"
        file.write_bytes(text if isinstance(text, bytes) else text.encode())
        return CliRunner().invoke(main, ["emit", str(file), "-o", str(out)]), out

    return run


def both_modules(result: Any, out: Path, text: str) -> tuple[ModuleType, ModuleType]:
    """The user's module and the emitted one."""
    assert result.exit_code == 0, result.stderr
    user = out.with_name(f"again_{next(_number)}.py")
    user.write_text(text)
    return imported(user), imported(out)


def test_every_decorated_name_computes_the_same(emitted, capsys) -> None:
    user, made = both_modules(*emitted(PROGRAM), PROGRAM)
    x = np.array([0.5, 1.5])
    calls = {
        "first": [(2.0,), (2.0, "mae")], "second": [(x, 3.0)], "plain_grad": [(2.0, 3.0)], "again": [(2.0, 3.0)],
        "both": [(2.0, 3.0)], "power": [(2.0,)], "falling": [(1.5,)],
    }
    for name, args in calls.items():
        for each in args:
            wanted = getattr(user, name)(*each)
            printed = capsys.readouterr().out
            assert same_bits(getattr(made, name)(*each), wanted), name
            assert capsys.readouterr().out == printed
    pairs = [(m.Model(1.5, x), m.Old(1.5)) for m in (user, made)]
    assert len({float(a.loss(2.0)) for a, _ in pairs}) == len({b.loss(2.0) for _, b in pairs}) == 1
    for name, owner in (("still", "Model"), ("shared", "Model")):
        assert getattr(getattr(made, owner), name)(3.0) == getattr(getattr(user, owner), name)(3.0)
    assert made.Model.Inner().deep(3.0) == 6.0


def test_the_module_stands_alone_and_has_the_signatures(emitted) -> None:
    import inspect

    _, out = emitted(PROGRAM)
    text = out.read_text()
    tree = ast.parse(text)
    modules = {a.name for n in ast.walk(tree) if isinstance(n, ast.Import) for a in n.names}
    modules |= {n.module for n in ast.walk(tree) if isinstance(n, ast.ImportFrom)}
    assert modules == {"__future__", "math", "numpy", "dataclasses"}
    assert "plain(" not in text and "MODE" not in text and "helper" not in text and "# two of them" in text
    made = imported(out)
    assert str(inspect.signature(made.first)) == "(x, loss='mse', axis=0)"
    assert str(inspect.signature(made.second)) == "(x, k, *, n=2)"
    assert str(inspect.signature(made.Model.loss)) == "(self, w)"
    without = f"import sys, runpy\nsys.modules['sct'] = None\nrunpy.run_path({str(out)!r})"
    subprocess.run([sys.executable, "-c", without], check=True, capture_output=True)


def test_methods_check_the_attributes(emitted) -> None:
    _, out = emitted(PROGRAM)
    made = imported(out)
    with pytest.raises(TypeError, match=r"self\.rate must be a float"):
        made.Model("a", np.ones(2)).loss(2.0)
    with pytest.raises(TypeError, match=r"self\.weights must be an array of float64"):
        made.Model(1.0, [1.0]).loss(2.0)


def test_what_is_emitted_is_accepted_again(emitted) -> None:
    _, out = emitted(PROGRAM)
    made = imported(out)
    assert grad(made.first)(2.0) == pytest.approx(-math.sin(2.0))
    assert grad(made.plain_grad)(1.5, 2.0) == 0.0


REFUSED = [
    ("W = np.zeros(2)\nW[0] = 1.0\n", "`W`"),
    ("W = np.zeros(2)\nW += 1.0\n", "`W`"),
    ("W = np.zeros(2)\nprint(W.sort())\n", "`W`"),
    ("W = [1.0, 2.0]\ndef grow():\n    global W\n    W = [3.0]\n", "`W`"),
    ("W = 1.0\nfor i in range(3):\n    W = W + i\n", "`W`"),
]


@pytest.mark.parametrize(("lines", "name"), REFUSED)
def test_values_that_are_not_made_by_plain_statements_are_refused(emitted, lines: str, name: str) -> None:
    use = "W" if "1.0\nfor" in lines else "W[0]"
    result, out = emitted(
        f"import numpy as np\nfrom sct import grad\n{lines}@grad\ndef f(x: float): return x * {use}\n")
    assert result.exit_code == 1 and "SCT914" in result.stderr and name in result.stderr and "^" in result.stderr
    assert not out.exists()


def test_draws_are_not_copied_but_those_of_a_seeded_generator_are(emitted) -> None:
    head = "import numpy as np\nfrom sct import grad\n"
    use = "@grad\ndef f(x: float): return x * np.sum(W)\n"
    result, _ = emitted(f"{head}np.random.seed(0)\nW = np.random.rand(3)\n{use}")
    assert result.exit_code == 1
    text = f"{head}W = np.random.default_rng(3).normal(size=4)\n{use}"
    user, made = both_modules(*emitted(text), text)
    assert same_bits(made.f(2.0), user.f(2.0))


@pytest.mark.parametrize(("text", "message"), [
    ("from sct import grad\ndef make(k): return lambda x: k * x\nf_grad = grad(make(2.0))\n", "f_grad"),
    ("import functools\nfrom sct import grad\n@functools.lru_cache\n@grad\ndef f(x: float): return x\n", "`f`"),
    ("from sct import grad\ndef late(): return 3.0\nW = late()\n@grad\ndef f(x: float): return x * W\n", "`W`"),
    ("from sct import grad\n@grad\ndef f(x: float): yield x\n", "yield"),
    ("import numpy as np\nfrom sct import grad\n@grad\ndef f(x, k): return np.sum(x, axis=k)\n", "needed to compile"),
])
def test_what_cannot_be_emitted_is_refused_with_its_place(emitted, text: str, message: str) -> None:
    result, out = emitted(text)
    assert result.exit_code == 1 and message in result.stderr and "^" in result.stderr and not out.exists()


def test_all_refusals_are_said(emitted) -> None:
    result, _ = emitted("from sct import grad\n@grad\ndef f(x: float): yield x\n@grad\ndef g(x: float): yield x\n")
    assert result.stderr.count("SCT101") == 2


def test_a_name_of_the_user_does_not_hide_another(emitted) -> None:
    text = (
        "import numpy as np\nfrom sct import grad\nSCALE = 2.0\nn = 3\n"
        "def helper(x): return SCALE * x\n"
        "@grad\ndef f(x: float, k: int = 2):\n    for n_ in range(n): x = x * SCALE\n    return helper(x)\n"
    )
    user, made = both_modules(*emitted(text), text)
    assert made.f(2.0) == user.f(2.0)


def test_functions_that_call_themselves(emitted) -> None:
    text = (
        "from sct import grad, value_and_grad\nK = 2.0\n"
        "def power(x, n):\n    if n == 0:\n        return K\n    return x * power(x, n - 1)\n"
        "@grad\ndef f(x: float, n: int): return power(x, n)\n"
        "@value_and_grad\ndef g(x: float, n: int): return power(x * x, n) + K\n"
        "@grad\ndef power_backward(x: float, n: int): return power(x, n)\n"
    )
    result, out = emitted(text)
    user, made = both_modules(result, out, text)
    for name in ("f", "g", "power_backward"):
        assert getattr(made, name)(1.5, 3) == getattr(user, name)(1.5, 3)
    assert out.read_text().count("def ") == 5


def test_a_parameter_that_hides_a_global_of_a_helper_is_refused(emitted) -> None:
    result, _ = emitted(
        "from sct import grad\nSCALE = 2.0\ndef helper(x): return SCALE * x\n"
        "@grad\ndef f(x: float, SCALE: float = 3.0): return helper(x) * SCALE\n")
    assert result.exit_code == 1 and "hides" in result.stderr


def test_constants_of_other_modules_are_imported(emitted, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(tmp_path))
    (tmp_path / "units_of_the_test.py").write_text("METRE = 3.0\nSCALE = 5.0\ndef scaled(x):\n    return SCALE * x\n")
    text = (
        "import units_of_the_test as units\nfrom units_of_the_test import METRE, scaled\nfrom sct import grad\n"
        "@grad\ndef f(x: float): return scaled(x) * METRE * units.METRE\n"
    )
    user, made = both_modules(*emitted(text), text)
    assert made.f(2.0) == user.f(2.0) == 45.0


def test_windows_newlines_unicode_and_a_byte_order_mark(emitted) -> None:
    text = 'from sct import grad\nΔ = 2.0\n@grad\ndef größe(x: float, name="ß"):\n    return x * Δ  # λ\n'
    for data in (text.replace("\n", "\r\n").encode(), b"\xef\xbb\xbf" + text.encode()):
        result, out = emitted(data)
        assert result.exit_code == 0, result.stderr
        assert imported(out).größe(3.0) == 2.0


def test_an_empty_file_gives_an_empty_module(emitted) -> None:
    result, out = emitted("")
    assert result.exit_code == 0 and module_of(out.read_text())


def test_wrong_command_lines(tmp_path: Path) -> None:
    file = tmp_path / "a.py"
    file.write_text("x = 1\n")
    for args in ([str(tmp_path)], [str(tmp_path / "none.py")], [], [str(file), "-o", str(tmp_path)],
                 [str(file), "-o", str(tmp_path / "no" / "such" / "place.py")], [str(file), "--bogus"],
                 [str(file), "-o", str(file)]):
        result = CliRunner().invoke(main, ["emit", *args])
        assert result.exit_code == 2 and "Traceback" not in result.output, args
    assert file.read_text() == "x = 1\n"


def test_without_an_output_it_is_printed(tmp_path: Path) -> None:
    file = tmp_path / "a.py"
    file.write_text("from sct import grad\n@grad\ndef f(x: float): return x * x\n")
    result = CliRunner().invoke(main, ["emit", str(file)])
    assert result.exit_code == 0 and module_of(result.stdout).f(3.0) == 6.0


# -- objects and lists ----------------------------------------------------------------

OBJECTS = '''
from collections import namedtuple
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from sct import grad

@dataclass
class Params:
    w: np.ndarray
    b: float

class Pair(NamedTuple):
    left: float
    params: Params

@grad
def loss(p: Params, x: float) -> float:
    return np.sum(p.w * x) * p.b

@grad
def nested(pair: Pair) -> float:
    return pair.left * np.sum(pair.params.w) * pair.params.b

@grad
def total(xs: list[float], k: float) -> float:
    s = 0.0
    for x in xs:
        s += k * x * x
    return s
'''


def test_objects_and_lists_as_arguments(emitted) -> None:
    user, made = both_modules(*emitted(OBJECTS), OBJECTS)
    w, xs = np.array([1.0, 2.0]), [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]
    for m in (user, made):
        gradient = m.loss(m.Params(w, 3.0), 2.0)
        assert type(gradient) is m.Params and gradient.w.tolist() == [6.0, 6.0] and gradient.b == 6.0
        pair = m.nested(m.Pair(2.0, m.Params(w, 3.0)))
        assert type(pair) is m.Pair and pair.left == 9.0 and pair.params.b == 6.0
        assert m.total(xs, 2.0) == [4.0 * x for x in xs]
    with pytest.raises(TypeError, match="p must be a Params"):
        made.loss(user.Params(w, 3.0), 2.0)
    with pytest.raises(TypeError, match=r"p\.w must be an array"):
        made.loss(made.Params([1.0], 3.0), 2.0)
    with pytest.raises(TypeError, match="xs must be a list; each item must be a float"):
        made.total([1.0, "a"], 2.0)


DEFAULTS = """
from typing import NamedTuple
from sct import value_and_grad

class Spec(NamedTuple):
    p: int = 2
    q: float = 0.5

@value_and_grad
def f(x: float, spec=Spec(), more=(Spec(3), 1.5)):
    return x ** spec.p * spec.q + more[0].p * more[1] * x
"""


def test_a_default_that_is_a_named_tuple(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(tmp_path))
    path = tmp_path / f"defaults_{next(_number)}.py"
    path.write_text(DEFAULTS)
    user = imported(path)
    wanted = [user.f(2.0), user.f(2.0, user.Spec(3, 0.25))]
    assert wanted == [(11.0, 6.5), (11.0, 7.5)]
    user.f.save(tmp_path / "saved.py")
    saved = imported(tmp_path / "saved.py").f_value_and_grad
    assert [saved(2.0), saved(2.0, user.Spec(3, 0.25))] == wanted


def test_save_of_objects_and_lists(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(tmp_path))
    path = tmp_path / f"objects_{next(_number)}.py"
    path.write_text(OBJECTS)
    user = imported(path)
    args = user.Params(np.ones(3), 3.0), 2.0
    wanted = user.loss(*args)
    user.loss.save(tmp_path / "saved.py")
    found = imported(tmp_path / "saved.py").loss_grad(*args)
    assert type(found) is user.Params and same_bits(found.w, wanted.w) and found.b == wanted.b
    xs = [float(k) for k in range(9)]
    wanted = user.total(xs, 2.0)
    user.total.save(tmp_path / "saved.py")
    assert imported(tmp_path / "saved.py").total_grad(xs, 2.0) == wanted


# -- sizes ----------------------------------------------------------------------------


def total(x: "f64[n]", y: "f64[m]"):  # noqa: F821
    return np.sum(np.sin(x) * x) * np.sum(y * y)


@pytest.mark.parametrize("n", [0, 1, 2, 5])
def test_sizes_on_which_the_code_does_not_depend_are_not_checked(n: int) -> None:
    made = module_of(sct.emit(total, argnums=(0, 1))).total_grad
    args = np.arange(1.0, n + 1.0), np.arange(float(n))
    assert same_bits(made(*args), grad(total, (0, 1))(*args))


def test_sizes_on_which_it_depends_are_checked() -> None:
    def f(x: "f64[n, m]", y: "f64[n]"):  # noqa: F821
        return np.sum(x * y[:, None])

    text = sct.emit(f, argnums=1)
    assert module_of(text).f_grad(np.ones((1, 2)), np.ones(1)).tolist() == [2.0]
    assert refusals(text, "f_grad", (np.ones((2, 1)), np.ones(2))) == [
        "x must have more than one element along axis 1"]


# -- methods, partials, objects that are called -----------------------------------------

CALLABLES = '''
import functools
import numpy as np

class Model:
    rate = 0.5
    def __init__(self, a):
        self.a, self.w = a, np.ones(3)
    def loss(self, x):
        return self.a * x * x * self.rate * np.sum(self.w)

def power(x, k, mode="a"):
    return k * x * x if mode == "a" else x

class Twice:
    k = 3.0
    def __call__(self, x):
        return self.k * x * x
'''


@pytest.mark.parametrize("make", [
    lambda m: m.Model(2.0).loss, lambda m: m.functools.partial(m.power, k=2.0), lambda m: m.Twice(),
    lambda m: lambda x: m.power(x, 3.0),
])
def test_save_and_golden_of_callables(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, make) -> None:
    monkeypatch.syspath_prepend(str(tmp_path))
    path = tmp_path / f"callables_{next(_number)}.py"
    path.write_text(CALLABLES)
    f = make(imported(path))
    derivative = grad(f)
    wanted = derivative(3.0)
    made = golden_module(derivative, (3.0,), {})
    assert module_of(made.text).__dict__[made.name](3.0, **made.kwargs) == wanted
    derivative.save(tmp_path / "saved.py")
    owner = getattr(f, "__self__", None)
    own = {"self_a": owner.a, "self_w": owner.w} if owner is not None else {}
    assert getattr(imported(tmp_path / "saved.py"), made.name)(3.0, **own) == wanted


def test_defaults_that_are_containers(emitted) -> None:
    text = (
        "from sct import grad\n@grad\ndef f(x: float, p={'a': 2.0}): return x * x * p['a']\n"
        "@grad\ndef g(x: float, p={'a': 2.0}): return x * p['a']\n"
    )
    user, made = both_modules(*emitted(text), text)
    assert made.f(3.0) == user.f(3.0) == 12.0 and made.g(3.0) == 2.0 and made.f(3.0, {"a": 1.0}) == 6.0
    result, _ = emitted(text.replace("def g(x: float, p={'a': 2.0}", "def g(x: float, p={'a': 5.0}"))
    assert result.exit_code == 1 and "another default" in result.stderr


def test_what_an_assignment_that_fails_was_to_bind_is_not_known(emitted) -> None:
    text = "from sct import grad\nSCALE = 2.0\nSCALE = [1.0][3]\n\n"
    result, out = emitted(text + "@grad\ndef f(x: float) -> float:\n    return x * SCALE\n")
    assert result.exit_code and "SCT914" in result.stderr and not out.exists()
