"""Around the function: pools of processes, tracebacks, notes on run-time errors."""

from __future__ import annotations

import concurrent.futures
import math
import multiprocessing
import pickle
import sys
import traceback
from typing import Any

import joblib
import numpy as np
import pytest

from sct import SctError, grad, jvp, value_and_grad, vjp
from sct.errors import Loc


@grad
def refused(w: float) -> float:
    try:
        return w
    except ValueError:
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


@pytest.mark.skipif(sys.version_info < (3, 11), reason="exceptions have no notes before 3.11")
def test_an_explicit_raise_names_its_line() -> None:
    def positive(x: np.ndarray) -> Any:
        if x[0] < 0.0:
            raise ValueError("negative")
        return np.sum(x)

    with pytest.raises(ValueError, match="negative") as caught:
        grad(positive)(np.array([-1.0, 2.0]))
    assert caught.value.__notes__[0].endswith('raise ValueError("negative")')
