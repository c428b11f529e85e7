"""A program over all of Python's types, checked: the plain call is the oracle.

Two copies of its module take the same steps: `f` at each point, and `change()` between them; one calls `f`, the
other the derivatives of its own `f`, compiled once.  At each call they agree on the bits and the type of the value,
on the type and the text of an exception, on what is printed, and leave the arguments as they were.  The gradient
is compared with central differences where two steps and both sides agree: there the function is smooth.
"""

from __future__ import annotations

import copy
import re
from collections.abc import Callable
from typing import Any

import numpy as np

from tests.fuzz import duals
from tests.fuzz.check import Finding, System, Verdict, is_refusal, misfit, raised, reason_of, trace_of
from tests.fuzz.program import Outcome, Program, Timeout, run

__all__ = ["Loaded", "Plain", "check", "same"]

SECONDS = 20.0
"""A compilation and a run that take longer do not end."""
TOLERANCE = 1e-4
MODES = ("value_and_grad", "jvp")


class Plain:
    """Plain Python as the system under test, in the mode `value`: for tests of the fuzzer."""

    def value(self, program: Program) -> Callable[..., Any]:
        f = program.load()
        return lambda *args: (f(*copy.deepcopy(args)), ())


class Session:
    """A module, and the calls and changes that it has seen."""

    def __init__(self, program: Program, modes: tuple[str, ...], system: System) -> None:
        self.program = program
        self.module = program.load_module()
        own = Loaded(program.source, program.points, program.wrt, program.seed, self.module)
        self.calls = {mode: getattr(system, mode)(own) for mode in modes}

    def change(self) -> None:
        if "change" in self.module:
            self.module["change"]()


class Loaded(Program):
    """The program as it is loaded already."""

    def __init__(self, source: str, points: Any, wrt: Any, seed: int, module: dict[str, Any]) -> None:
        super().__init__(source, points, wrt, seed)
        object.__setattr__(self, "module", module)

    module: dict[str, Any]

    def load_module(self, dual: bool = False) -> dict[str, Any]:
        return self.module


def check(program: Program, system: System, modes: tuple[str, ...] | None = None) -> Verdict:
    """The first finding over the modes and points, or ok; each mode has a module of its own."""
    checked = skipped = 0
    verdict = Verdict("ok")
    for mode in MODES[: 1 + (program.seed % 3 == 0)] if modes is None else modes:
        verdict = check_mode(program, system, mode)
        if verdict.status != "ok":
            return verdict
        checked, skipped = checked + verdict.checked, skipped + verdict.skipped
    return Verdict("ok", checked=checked, skipped=skipped)


def check_mode(program: Program, system: System, mode: str) -> Verdict:
    loaded = run(program.load_module)
    if loaded.error is not None:
        return Verdict("unknown", f"does not load: {loaded.error}")
    plain = loaded.value
    compiled = run(lambda: Session(program, (mode,), system), seconds=SECONDS)
    if compiled.error is not None:
        return failed(compiled.error, f"{mode}: ", 0)
    session, checked, skipped = compiled.value, 0, 0
    for number, point in enumerate(program.points):
        if number and "change" in plain:
            run(plain["change"])
            run(session.change)
        args = copy.deepcopy(point)
        expected = run(plain["f"], *args)
        if isinstance(expected.error, Timeout):
            return Verdict("unknown", "the plain function does not end", point=number)
        compared = mode != "value" and is_number(expected)
        gradient, smooth = differences(program, number) if compared else (None, None)
        finding = CHECKS[mode](program, number, session.calls[mode], expected, gradient, smooth)
        if finding is not None:
            status, reason, detail = finding
            return Verdict(status, reason, f"{mode}, point {number}: {detail}", number)
        if smooth is not None:
            checked, skipped = checked + len(smooth), skipped + int(np.sum(~smooth))
    return Verdict("ok", checked=checked, skipped=skipped)


def is_number(out: Outcome) -> bool:
    return out.error is None and isinstance(out.value, (float, np.floating)) and bool(np.isfinite(out.value))


def failed(error: BaseException, detail: str, point: int) -> Verdict:
    status, reason = ("refused", reason_of(error)) if is_refusal(error) else ("failure", raised(error))
    return Verdict(status, reason, detail + trace_of(error), point)


# --- differences ----------------------------------------------------------------------------------


def differences(program: Program, number: int) -> tuple[np.ndarray, np.ndarray]:
    """The gradient at a point, after the calls and changes before it, and where the differences give it.

    They give it where the function is smooth and the rounding of its values, which is that of float32 where the program
    has such numbers, is small beside the gradient.
    """
    carrier = np.float32 if "float32" in program.source else np.float64
    wrt = program.wrt
    at = duals.flat([program.points[number][i] for i in wrt])
    steps = (0.0, 4e-6, -4e-6, 1e-6, -1e-6)
    gradient, smooth = np.zeros(len(at)), np.zeros(len(at), bool)
    for k in range(len(at)):
        values, resolution = [], 0.0
        for step in steps:
            moved = at.copy()
            moved[k] += step
            out = replayed(program, number, moved)
            values.append(float(out.value) if is_number(out) else np.nan)
            resolution = max(resolution, float(np.spacing(carrier(abs(values[-1])))))
        here, right, left, near, close = values
        central, wide = (near - close) / 2e-6, (right - left) / 8e-6
        sides = (right - here) / 4e-6, (here - left) / 4e-6
        scale = 1.0 + abs(central) + 1e-3 * abs(here)
        gradient[k] = central
        smooth[k] = (
            abs(wide - central) < TOLERANCE * scale
            and abs(sides[0] - sides[1]) < 100 * TOLERANCE * scale
            and resolution < 2e-7 * TOLERANCE * (1.0 + abs(central))
        )
    return gradient, smooth


def replayed(program: Program, number: int, moved: np.ndarray) -> Outcome:
    module = program.load_module()
    for k in range(number):
        run(module["f"], *copy.deepcopy(program.points[k]))
        if "change" in module:
            run(module["change"])
    args = list(copy.deepcopy(program.points[number]))
    for i, arg in zip(program.wrt, duals.rebuild(tuple(args[i] for i in program.wrt), moved)):
        args[i] = arg
    return run(module["f"], *args)


# --- comparisons ----------------------------------------------------------------------------------


def same(x: Any, y: Any) -> bool:
    """Same types, structure and bits."""
    if type(x) is not type(y):
        return False
    if isinstance(x, (np.ndarray, np.generic)):
        return x.dtype == y.dtype and x.shape == y.shape and (x.tobytes() == y.tobytes() or both_nan(x, y))
    if isinstance(x, float):
        return np.float64(x).tobytes() == np.float64(y).tobytes() or both_nan(x, y)
    if isinstance(x, dict):
        return list(x) == list(y) and all(same(x[k], y[k]) for k in x)
    if isinstance(x, (tuple, list)):
        return len(x) == len(y) and all(map(same, x, y))
    return bool(x == y) if isinstance(x, (int, str, type(None), set)) else True


def text(printed: str) -> str:
    """What is printed, without addresses and names of modules: those of two runs differ."""
    return re.sub(r"<fuzz \d+ \d+>", "<fuzz>", re.sub(r"0x[0-9a-f]+", "0x", printed))


def both_nan(x: Any, y: Any) -> bool:
    return bool(np.ndim(x) == 0 and x != x and y != y)


def called(
    program: Program, number: int, f: Callable[..., Any], expected: Outcome, *extra: Any
) -> tuple[Outcome, Finding]:
    """The outcome of the derivative, judged for exceptions, output and changed arguments."""
    args = copy.deepcopy(program.points[number])
    got = run(f, *((args, *extra) if extra else args), seconds=SECONDS)
    if got.error is not None and is_refusal(got.error):
        return got, ("refused", reason_of(got.error), str(got.error))
    if got.error is not None and type(got.error) is not type(expected.error):
        status = "failure" if expected.error is None else "wrong"
        return got, (status, raised(got.error), trace_of(got.error) + f"\nplain: {expected}")
    if expected.error is not None and got.error is None:
        return got, ("wrong", f"no {type(expected.error).__name__}", f"plain: {expected}, got: {got.value!r}")
    if got.error is not None and text(str(expected.error)) != text(str(got.error)):
        return got, ("wrong", "another message", f"plain: {expected}, got: {got}")
    if text(got.printed) != text(expected.printed):
        return got, ("wrong", "other output", f"plain: {expected.printed!r}, got: {got.printed!r}")
    if not same(args, program.points[number]):
        return got, ("wrong", "argument modified", f"{args!r}")
    if got.error is None and (not isinstance(got.value, tuple) or len(got.value) != 2):
        return got, ("wrong", "not a pair", repr(got.value))
    if got.error is None and not same(expected.value, got.value[0]):
        what = "value" if type(expected.value) is type(got.value[0]) else "type of the value"
        return got, ("wrong", what, f"plain: {expected.value!r}, got: {got.value[0]!r}")
    return got, None


def check_value(program: Program, number: int, f: Any, expected: Outcome, *_: Any) -> Finding:
    return called(program, number, f, expected)[1]


def check_gradient(program: Program, number: int, f: Any, expected: Outcome, gradient: Any, smooth: Any) -> Finding:
    got, finding = called(program, number, f, expected)
    if finding or gradient is None:
        return finding
    for i, g in zip(program.wrt, got.value[1]):
        fault = misfit(program.points[number][i], g)
        if fault:
            return "wrong", f"{fault} of the gradient", f"argument {i}: {g!r}"
    return compare("gradient", duals.flat(got.value[1]), gradient, smooth)


def check_jvp(program: Program, number: int, f: Any, expected: Outcome, gradient: Any, smooth: Any) -> Finding:
    rng = np.random.default_rng([program.seed, number])
    point = program.points[number]
    v = [rng.normal(size=np.shape(point[i])) for i in program.wrt]
    tangents = tuple(v[program.wrt.index(i)] if i in program.wrt else None for i in range(len(point)))
    tangents = tuple(float(t) if isinstance(a, float) and t is not None else t for a, t in zip(point, tangents))
    got, finding = called(program, number, f, expected, tangents)
    if finding or gradient is None or not np.all(smooth):
        return finding
    product = gradient @ duals.flat(v)
    return compare("jvp", np.atleast_1d(got.value[1]), np.atleast_1d(product), np.ones(1, bool))


def compare(what: str, got: np.ndarray, expected: np.ndarray, smooth: np.ndarray) -> Finding:
    scale = 1.0 + float(np.max(np.abs(expected[smooth]), initial=0.0))
    with np.errstate(all="ignore"):
        good = np.abs(got - expected) <= 10 * TOLERANCE * scale
    return None if np.all(good[smooth]) else ("wrong", what, f"got {got}, expected {expected}, smooth {smooth}")


CHECKS: dict[str, Callable[..., Finding]] = {
    "value": check_value,
    "value_and_grad": check_gradient,
    "jvp": check_jvp,
}
