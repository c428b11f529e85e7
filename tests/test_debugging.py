"""`sct.debug`, and functions with `breakpoint()`."""

from __future__ import annotations

import pdb
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import sct
from sct import SctError, grad, value_and_grad, vjp


def refusal(call: Any, **options: bool) -> SctError:
    with pytest.raises(SctError, match="SCT918") as error, np.errstate(all="ignore"), sct.debug(**options):
        call()
    return error.value


def line_of(error: SctError) -> str:
    assert error.loc is not None
    return Path(error.loc.file).read_text().splitlines()[error.loc.line - 1].strip()


# -- the first NaN or infinity ----------------------------------------------------------


def forwards(x: Any) -> Any:
    y = 2.0 * x
    z = np.log(y - 2.0)
    return np.sum(z * z)


def backwards(x: Any) -> Any:
    y = np.sqrt(x)
    total = 0.0
    for i in range(len(x)):
        total += y[i]
    return total


def in_a_loop(x: Any, n: int) -> Any:
    for _ in range(n):
        x = x * x
    return np.sum(x)


def in_a_helper(x: Any) -> Any:
    return np.sum(ratio(x, x - x))


def on_a_tape(x: Any) -> Any:
    for _ in range(5):
        x = x * np.exp(x)
    return x


def overwritten(x: Any) -> Any:
    x = x + 1.0
    x = np.log(x) * x
    return x


def ratio(a: Any, b: Any) -> Any:
    return a / b


@pytest.mark.parametrize("again", [False, True])
@pytest.mark.parametrize(("f", "args", "line", "what"), [
    (forwards, (np.array([2.0, 0.5]),), "z = np.log(y - 2.0)", "nan"),
    (backwards, (np.array([1.0, 0.0]),), "y = np.sqrt(x)", "infinity"),
    (in_a_loop, (np.array([10.0, 2.0]), 12), "x = x * x", "infinity"),
    (in_a_helper, (np.ones(2),), "return a / b", "infinity"),
    (on_a_tape, (np.float64(5.0),), "x = x * np.exp(x)", "infinity"),
    (overwritten, (np.float64(-3.0),), "x = np.log(x) * x", "nan"),
])
def test_the_line_is_named(f: Any, args: Any, line: str, what: str, again: bool) -> None:
    derivative = value_and_grad(f)
    if again:
        with np.errstate(all="ignore"):
            derivative(*args)
    before = sys.gettrace()
    error = refusal(lambda: derivative(*args))
    assert line_of(error) == line and f"the first {what} arises" in str(error) and "^" in str(error)
    assert "in the emitted code" in error.why and sys.gettrace() is before


def test_the_reason_shows_what_was_read() -> None:
    error = refusal(lambda: value_and_grad(overwritten)(np.float64(-3.0)))
    assert "= -2.0" in error.why and "look at these values" == error.hint


def test_a_pullback_is_looked_into() -> None:
    with np.errstate(all="ignore"):
        _, pullback = vjp(backwards, np.array([1.0, 0.0]))
    assert line_of(refusal(lambda: pullback(1.0))) == "y = np.sqrt(x)"


def test_numbers_of_python_and_numpy() -> None:
    assert "infinity" in str(refusal(lambda: value_and_grad(lambda x: np.log(x) * x)(np.float64(0.0))))
    assert line_of(refusal(lambda: grad(lambda x: x * 1e308 * x)(1e10))).startswith("assert line_of")


def test_what_does_not_arise_is_no_finding() -> None:
    def least(x: Any) -> Any:
        best = np.inf
        for v in x:
            best = min(best, v)
        return best * np.sum(x)

    with sct.debug():
        assert value_and_grad(least)(np.array([3.0, 2.0]))[0] == 10.0
        value, g = value_and_grad(lambda x, m: np.nansum(x * x) * m)(np.array([1.0, np.nan]), 2.0)
        assert value == 2.0 and g[0] == 4.0
        assert grad(lambda x: x * x)(3.0) == 6.0


def test_infinities_may_be_left_out() -> None:
    x = np.array([1.0, 0.0])
    with np.errstate(all="ignore"), sct.debug(inf=False):
        assert np.isinf(value_and_grad(backwards)(x)[1][1])
    assert "nan" in str(refusal(lambda: value_and_grad(forwards)(np.array([2.0, 0.5])), inf=False))
    with np.errstate(all="ignore"), sct.debug(nan=False, inf=False):
        value_and_grad(forwards)(np.array([2.0, 0.5]))


def test_without_the_context_nothing_is_looked_at() -> None:
    with np.errstate(all="ignore"):
        assert np.isnan(value_and_grad(forwards)(np.array([2.0, 0.5]))[0])


# -- breakpoints ------------------------------------------------------------------------


def stops(x: Any, n: int) -> Any:
    y = x * x
    for _ in range(n):
        breakpoint()
        y = y * x
    return y


def stops_by_pdb(x: Any) -> Any:
    y = x * x
    pdb.set_trace()
    return y * y


def test_breakpoints_stop_once_in_the_emitted_code(monkeypatch: pytest.MonkeyPatch) -> None:
    frames: list[Any] = []
    hook = lambda *_, **__: frames.append(sys._getframe(1))
    monkeypatch.setattr(sys, "breakpointhook", hook)
    derivative = value_and_grad(stops)
    assert derivative(2.0, 3) == (32.0, 80.0)
    assert len(frames) == 3 and sys.breakpointhook is hook
    assert {frame.f_code.co_name for frame in frames} == {"stops_value_and_grad"} and frames[0].f_locals["x"] == 2.0
    assert derivative(2.0, 1) == (8.0, 12.0) and len(frames) == 4
    assert grad(grad(stops))(2.0, 1) == 12.0 and len(frames) == 5
    assert derivative.source.count("breakpoint()") == 1
    assert "import" not in sct.emit(stops, types={"x": "float", "n": "int"})


def test_pdb_stops_in_the_emitted_code(tmp_path: Path) -> None:
    program = tmp_path / "program.py"
    program.write_text("import pdb\nfrom sct import value_and_grad\ndef f(x):\n    y = x * x\n    pdb.set_trace()\n"
                       "    return y * y\nprint(value_and_grad(f)(3.0))\n")
    done = subprocess.run([sys.executable, program], input="p y\nl\nc\n", capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("> <sct f_value_and_grad") == 1 and "(Pdb) 9.0" in done.stdout
    assert "pdb.set_trace()" in done.stdout and "(81.0, 108.0)" in done.stdout
    assert "import pdb\n" in sct.emit(stops_by_pdb, types={"x": "float"})


def test_a_breakpoint_with_arguments_is_refused() -> None:
    with pytest.raises(SctError, match="SCT206") as error:
        grad(lambda x: (breakpoint("a"), x)[1])(1.0)
    assert "without arguments" in error.value.hint


# -- probes -----------------------------------------------------------------------------


def show(ct: Any) -> None:
    print("cotangent", ct)


def probed(x: Any) -> Any:
    y = sct.probe(x * x, print, show)
    return 3.0 * y * x


def test_a_probe_sees_the_value_and_the_cotangent(capsys: pytest.CaptureFixture[str]) -> None:
    assert probed(2.0) == 24.0 and capsys.readouterr().out == "4.0\n"
    derivative = value_and_grad(probed)
    for _ in range(2):
        assert derivative(2.0) == (24.0, 36.0) and capsys.readouterr().out == "4.0\ncotangent 6.0\n"
    text = sct.emit(probed, types={"x": "float"})
    assert "sct.probe" not in text.replace("# y = sct.probe", "") and "import" not in text
    space: dict[str, Any] = {}
    exec(text, space)
    assert space["probed_grad"](2.0) == 36.0 and capsys.readouterr().out == "4.0\ncotangent 6.0\n"
    assert sct.jvp(probed, (2.0,), (1.0,)) == (24.0, 36.0) and capsys.readouterr().out == "4.0\n"


def test_a_probe_in_a_loop_sees_the_cotangents_backwards(capsys: pytest.CaptureFixture[str]) -> None:
    def f(x: Any) -> Any:
        for i in range(3):
            x = sct.probe(x * 2.0, lambda v: print("value", i, v), backward=lambda ct: print("cotangent", i, ct))
        return np.sum(x)

    assert grad(f)(np.ones(1)).tolist() == [8.0]
    assert capsys.readouterr().out.splitlines() == [
        "value 0 [2.]", "value 1 [4.]", "value 2 [8.]", "cotangent 2 [1.]", "cotangent 1 [2.]", "cotangent 0 [4.]"]


def clipped(x: Any) -> Any:
    for _ in range(2):
        x = sct.probe(x * x, backward=lambda ct: np.clip(ct, -1.0, 1.0))
    return np.sum(x)


def test_a_probe_may_replace_the_cotangent() -> None:
    x = np.array([0.25, 2.0])
    value, g = value_and_grad(clipped)(x)
    assert value == clipped(x)
    assert g.tolist() == [2.0 * 0.25 * 2.0 * 0.25 ** 2, 2.0 * 2.0]
    y, pullback = vjp(lambda x: sct.probe(x, backward=lambda ct: 2.0 * ct), 3.0)
    assert y == 3.0 and pullback(5.0) == (10.0,) and pullback(1.0) == (2.0,)


def test_a_probe_that_only_looks_changes_no_derivative() -> None:
    def f(x: Any) -> Any:
        y = sct.probe(np.sin(x) * x, backward=lambda ct: None)
        return np.sum(y * y)

    def plain(x: Any) -> Any:
        y = np.sin(x) * x
        return np.sum(y * y)

    x = np.array([0.5, 1.5])
    assert np.array_equal(grad(f)(x), grad(plain)(x)) and np.allclose(sct.hessian(f)(x), sct.hessian(plain)(x))
    sct.check_grads(f, (x,), order=2)
    assert np.allclose(sct.jacobian(lambda x: sct.probe(x * x, backward=lambda ct: None))(x), np.diag(2.0 * x))
    before = x.copy()
    grad(lambda x: np.sum(sct.probe(x, backward=lambda ct: ct * 2.0)))(x)
    assert np.array_equal(x, before)


def test_a_breakpoint_in_the_backward_pass(monkeypatch: pytest.MonkeyPatch) -> None:
    frames: list[Any] = []
    monkeypatch.setattr(sys, "breakpointhook", lambda *_, **__: frames.append(sys._getframe(1).f_code.co_name))
    assert value_and_grad(lambda x: sct.probe(x * x, backward=lambda ct: breakpoint()) * x)(2.0) == (8.0, 12.0)
    assert frames == ["f_value_and_grad"]


def test_what_a_probe_refuses() -> None:
    with pytest.raises(SctError, match="SCT917") as error:
        grad(lambda x: sct.probe([x, x], print)[0])(1.0)
    assert "sct.tree.map" in error.value.hint
    assert grad(lambda x: sct.tree.map(lambda x: sct.probe(x, backward=lambda ct: None), [x, x])[0])(1.0) == 1.0
    with pytest.raises((SctError, ValueError)):
        grad(lambda x: np.sum(sct.probe(x, backward=lambda ct: ct[:1])))(np.ones(3))
    assert grad(lambda x: sct.probe(2.0, backward=show) * x)(3.0) == 2.0


def test_a_hook_that_returns_none_on_one_path_or_writes_to_its_value_is_refused() -> None:
    def clipped(x):
        return sct.probe(x, backward=lambda ct: 2.0 if ct > 2.0 else None) * 3.0

    def writes(v):
        v[0] = 7.0

    with pytest.raises(SctError, match="SCT406"):
        grad(clipped)(1.0)
    with pytest.raises(SctError, match="does not take 1 argument, and is called with so many"):
        grad(lambda x: sct.probe(x, None, lambda a, b: None) * 3.0)(1.0)
    with pytest.raises(SctError, match="SCT302"):
        grad(lambda x: np.sum(sct.probe(2.0 * x, writes) * x))(np.ones(3))
