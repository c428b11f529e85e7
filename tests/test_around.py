"""Around the function: pools of processes, tracebacks, notes on run-time errors."""

from __future__ import annotations

import concurrent.futures
import fractions
import importlib
import math
import multiprocessing
import pickle
import subprocess
import sys
import traceback
import zipfile
from pathlib import Path
from typing import Any

import joblib
import numpy as np
import pytest
import scipy.sparse

from sct import SctError, grad, jvp, value_and_grad, vjp
from sct.errors import Loc

pytest_plugins = ["pytester"]


@grad
def refused(w: float) -> float:
    try:
        return w
    except MemoryError:
        return 0.0


@grad
def cubed(w: float) -> float:
    return w * w * w


# -- other processes --------------------------------------------------------------------


def test_a_refusal_survives_pickling() -> None:
    error = SctError("SCT101", "what", why="why", hint="hint", loc=Loc(__file__, 3, 4))
    copy = pickle.loads(pickle.dumps(error))
    assert type(copy) is SctError and str(copy) == str(error)
    assert (copy.code, copy.what, copy.why, copy.hint, copy.loc) == ("SCT101", "what", "why", "hint", error.loc)


def in_pool(method: str) -> Any:
    with multiprocessing.get_context(method).Pool(1) as pool:
        assert pool.map(cubed, [2.0]) == [12.0]
        return pool.map_async(refused, [1.0]).get(timeout=60)


def in_executor(method: str) -> Any:
    with concurrent.futures.ProcessPoolExecutor(1, multiprocessing.get_context(method)) as executor:
        assert list(executor.map(cubed, [2.0])) == [12.0]
        return list(executor.map(refused, [1.0], timeout=60))


def in_joblib(_: str) -> Any:
    assert joblib.Parallel(2)(joblib.delayed(cubed)(w) for w in (1.0, 2.0)) == [3.0, 12.0]
    return joblib.Parallel(2, timeout=60)(joblib.delayed(refused)(1.0) for _ in range(2))


@pytest.mark.parametrize(("run", "method"), [
    (in_pool, "fork"), (in_pool, "spawn"), (in_executor, "fork"), (in_joblib, ""),
])
def test_a_refusal_comes_back_from_another_process(run: Any, method: str) -> None:
    if method and method not in multiprocessing.get_all_start_methods():
        pytest.skip(f"no {method} on this system")
    with pytest.raises(SctError, match="SCT101"):
        run(method)


OF_MAIN = """
import multiprocessing, sys
import joblib
from sct import SctError, grad, jacrev

K = 2.0

@grad
def square(w):
    return K * w * w

class Model:
    def __init__(self, k):
        self.k = k

    @grad
    def loss(self, w):
        return self.k * w * w * K

@grad
def power(w, n=3):
    return w if n == 0 else w * raised(w, n - 1)

def raised(w, n=2):
    return w if n == 0 else w * raised(w, n - 1)

def uses(w):
    return square(w) + Model(2.0).loss(w)

@grad
def refused(w):
    try:
        return w
    except MemoryError:
        return 0.0

if __name__ == "__main__":
    given = [1.0, 2.0]
    for f in (square, Model(3.0).loss, power, uses, jacrev(raised)):
        plain = [f(w) for w in given]
        assert joblib.Parallel(2)(joblib.delayed(f)(w) for w in given) == plain
        with multiprocessing.get_context("spawn").Pool(1) as pool:
            assert pool.map(f, given) == plain
    try:
        joblib.Parallel(2)(joblib.delayed(refused)(w) for w in given)
    except SctError as refusal:
        assert refusal.code == "SCT101"
    else:
        raise AssertionError
"""


def test_derivatives_of_a_script_in_other_processes(tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text(OF_MAIN)
    done = subprocess.run([sys.executable, str(script)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def smooth(x: np.ndarray, n: int) -> Any:
    y = x * x
    for k in range(n):
        for i in range(len(x)):
            y[i] = y[i] * y[i - 1] * math.sin(x[k])
    return y


def total(p: dict[str, Any]) -> Any:
    s = 0.0
    for v in p["v"]:
        s = s + v * v * p["k"]
    return s


@pytest.mark.parametrize("backend", ["numpy", "numba"])
def test_a_pullback_survives_pickling(backend: str) -> None:
    x = np.array([0.3, -0.4, 0.8])
    _, pullback = vjp(smooth, x, 3, backend=backend)
    again = pickle.loads(pickle.dumps(pickle.loads(pickle.dumps(pullback))))
    for ct in (np.ones(3), np.arange(3)):
        for a, b in zip(pullback(ct), again(ct)):
            np.testing.assert_array_equal(a, b)
    with pytest.raises(SctError, match="SCT904"):
        again(np.ones(2))
    _, pullback = vjp(total, {"k": 2.0, "v": x}, backend=backend)
    assert str(pickle.loads(pickle.dumps(pullback))(1.0)) == str(pullback(1.0))


def pulled(w: float) -> Any:
    return vjp(lambda v: v * v * v, w)[1]


def test_a_pullback_comes_back_from_another_process() -> None:
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        assert pool.map(pulled, [2.0])[0](1.0) == (12.0,)


# -- tracebacks -------------------------------------------------------------------------


def frames_of_sct(error: BaseException) -> int:
    return sum("/sct/" in frame.filename.replace("\\", "/") for frame in traceback.extract_tb(error.__traceback__))


@pytest.mark.parametrize("call", [
    lambda: refused(1.0),
    lambda: jvp(refused, (1.0,), (1.0,)),
    lambda: vjp(refused, 1.0),
])
def test_the_traceback_of_a_refusal_is_short(call: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(SctError) as caught:
        call()
    assert frames_of_sct(caught.value) <= 2
    assert caught.value.__context__ is None or caught.value.__suppress_context__
    monkeypatch.setenv("SCT_TRACEBACK", "full")
    with pytest.raises(SctError) as caught:
        call()
    assert frames_of_sct(caught.value) > 5


def logs(x: float, n: int) -> float:
    s = 0.0
    for i in range(n):
        s = s + math.log(x - i)
    return s


@pytest.mark.skipif(sys.version_info < (3, 11), reason="exceptions have no notes before 3.11")
@pytest.mark.parametrize("backend", ["numpy", "numba"])
def test_an_error_of_emitted_code_names_the_line_of_the_user(backend: str) -> None:
    derivative = value_and_grad(logs, backend=backend)
    for _ in range(2):  # the first call compiles, the second finds what was compiled
        with pytest.raises(ValueError) as caught:
            derivative(1.5, 3)
        (note,) = caught.value.__notes__
        assert note.startswith(f"raised by {__file__}:") and note.endswith("s = s + math.log(x - i)")


def test_an_explicit_raise_is_left_as_the_user_wrote_it() -> None:
    def positive(x: np.ndarray) -> Any:
        if x[0] < 0.0:
            raise ValueError("negative")
        return np.sum(x)

    with pytest.raises(ValueError, match="negative") as caught:
        grad(positive)(np.array([-1.0, 2.0]))
    assert not getattr(caught.value, "__notes__", ())


# -- objects of other libraries -----------------------------------------------------------

MATRIX = scipy.sparse.eye(2, format="csr")


def scaled(x: float, k: Any) -> Any:
    return x * k


@pytest.fixture
def library(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """A package called pandas in a directory of installed packages, with a class written in Python."""
    directory = tmp_path / "site-packages" / "pandas"
    directory.mkdir(parents=True)
    (directory / "__init__.py").write_text("""
class Series:
    def __init__(self, data):
        self.data = data
    def __mul__(self, other):
        return Series([x * other for x in self.data])
    __rmul__ = __mul__
    def to_numpy(self):
        return self.data

def work(x):
    y = x * 2.0
    eval("1")
    return y
""")
    monkeypatch.syspath_prepend(str(directory.parent))
    for name in ("pandas",):
        monkeypatch.delitem(sys.modules, name, raising=False)
    yield importlib.import_module("pandas")
    sys.modules.pop("pandas", None)


def test_an_argument_of_another_library_is_named_with_what_to_pass(library: Any) -> None:
    with pytest.raises(SctError) as caught:
        grad(scaled)(1.0, library.Series([1.0]))
    assert "a pandas.Series is not supported" in caught.value.what
    assert caught.value.hint == "pass k.to_numpy()"
    assert "return x * k" in str(caught.value)


def test_a_number_of_another_class_is_named_with_what_to_pass() -> None:
    with pytest.raises(SctError) as caught:
        grad(scaled)(1.0, fractions.Fraction(1, 3))
    assert caught.value.hint == "pass float(k)"


def test_a_global_of_another_library_is_named() -> None:
    def product(x: np.ndarray) -> Any:
        return np.sum(MATRIX + x)

    with pytest.raises(SctError) as caught:
        grad(product)(np.ones(2))
    assert "a scipy.csr_matrix" in caught.value.what and "toarray()" in caught.value.hint


def test_a_refusal_inside_an_installed_package_points_at_the_line_of_the_user(library: Any) -> None:
    def calls(x: float) -> Any:
        return library.work(x)

    with pytest.raises(SctError) as caught:
        grad(calls)(1.0)
    assert caught.value.loc is not None and caught.value.loc.file == __file__
    assert "return library.work(x)" in str(caught.value)
    assert "site-packages" in caught.value.why


# -- where the source is ------------------------------------------------------------------


def test_source_in_a_zip_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with zipfile.ZipFile(tmp_path / "packed.zip", "w") as file:
        file.writestr("zipped_model.py", "def square(x):\n    return x * x\n")
    monkeypatch.syspath_prepend(str(tmp_path / "packed.zip"))
    module = importlib.import_module("zipped_model")
    assert grad(module.square)(3.0) == 6.0
    sys.modules.pop("zipped_model")


def test_a_file_edited_while_pytest_runs_it_is_refused(pytester: pytest.Pytester) -> None:
    """pytest rewrites `assert`: the code that runs is compared with what the file compiles to after that."""
    pytester.makepyfile(test_edited="""
        import linecache
        import pathlib
        import pytest
        from sct import SctError, value_and_grad

        def f(x):
            assert x > 0
            return x * 2.0

        def g(x):
            assert x > 0, "positive"
            return x * 3.0

        def test_edited():
            assert value_and_grad(g)(1.0) == (3.0, 3.0)
            p = pathlib.Path(__file__)
            p.write_text(p.read_text().replace("x * 2.0", "x * 7.0", 1))
            linecache.clearcache()
            with pytest.raises(SctError, match="SCT202"):
                value_and_grad(f)(1.0)
        """)
    pytester.runpytest_inprocess("-p", "no:cacheprovider").assert_outcomes(passed=1)


OP_OF_MAIN = """
from sct import grad
from sct.ops.registry import op

def root(a):
    return a ** 0.5

def slope(a):
    return 0.5 / root(a)

slope_op = op("slope_of_main", "__main__.slope", type=lambda a: a.type, run=slope, nondiff="it has none")
op("root_of_main", "__main__.root", type=lambda a: a.type, run=root, partials=lambda y, a: [slope_op(a)])
derivative = grad(lambda a: root(a) * 3.0)
assert derivative(4.0) == 0.75
assert derivative.source.startswith("import __main__")
"""


def test_an_op_of_the_script_that_runs(tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text(OP_OF_MAIN)
    done = subprocess.run([sys.executable, str(script)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
