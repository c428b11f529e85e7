"""One program, checked: values against plain execution, derivatives against duals.

In: a program, a system (sct, or a stand-in) and how much to check. Out: a verdict. A verdict is
`ok`, `wrong` (another value, derivative, exception, output, or a changed argument), `failure` (an
exception that is neither SctError nor the plain function's), `refused` (SctError) or `unknown`
(the oracle has no answer; the generators' tests hold this near zero).
"""

from __future__ import annotations

import traceback
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from tests.fuzz import duals
from tests.fuzz.program import Outcome, Program, Timeout, clone, run

__all__ = ["Duals", "Sct", "System", "Verdict", "check", "effort"]

RTOL = 1e-8  # of the bound: the sum over paths of absolute products of partials
ATOL = 1e-12
CHAOTIC = 1e10  # where paths are larger than this, rounding is everything: the coordinate is skipped
COMPILE_SECONDS = 60.0
MESSAGES = (ValueError, AssertionError, IndexError)  # raised by the program: the text must be the same


@dataclass(frozen=True)
class Verdict:
    status: str
    reason: str = ""
    detail: str = ""
    point: int = 0
    checked: int = 0
    skipped: int = 0

    def same_kind(self, other: Verdict) -> bool:
        """Whether two verdicts are the same finding: what shrinking keeps."""
        return self.status == other.status and self.reason == other.reason


class System(Protocol):
    """What is under test: for each mode a function that compiles a program."""

    def value_and_grad(self, program: Program) -> Callable[..., Any]: ...
    def grad(self, program: Program) -> Callable[..., Any]: ...
    def jvp(self, program: Program) -> Callable[..., Any]: ...
    def vjp(self, program: Program) -> Callable[..., Any]: ...
    def hvp(self, program: Program) -> Callable[..., Any]: ...


@dataclass(frozen=True)
class Sct:
    """The compiler, by its public names."""

    backend: str = "numpy"

    def value_and_grad(self, program: Program) -> Callable[..., Any]:
        import sct

        derivative = sct.value_and_grad(program.load(), argnums=program.wrt, backend=self.backend)

        def call(*args: Any) -> Any:
            try:
                return derivative(*args)
            except sct.SctError as error:
                if error.code != "SCT305" or len(set(map(id, args))) == len(args):
                    raise
                return self.of_distinct(program, args)

        return call

    def of_distinct(self, program: Program, args: tuple[Any, ...]) -> Any:
        """An array passed twice and written: the function of the one array, as the message says."""
        import sct

        first = [next(k for k, a in enumerate(args) if a is b) for b in args]
        places = sorted(set(first))
        row = ", ".join(f"a{k}" for k in first)
        once = f"\n\ndef once({', '.join(f'a{k}' for k in places)}):\n    return f({row})\n"
        f = program.with_source(program.source + once).load_module()["once"]
        wrt = [k for k in program.wrt if first[k] == k]
        value, grads = sct.value_and_grad(f, argnums=tuple(map(places.index, wrt)), backend=self.backend)(
            *(args[k] for k in places))
        made = dict(zip(wrt, grads))
        return value, tuple(made[k] if k in made else np.zeros_like(args[k]) for k in program.wrt)

    def grad(self, program: Program) -> Callable[..., Any]:
        import sct

        return sct.grad(program.load(), argnums=program.wrt, backend=self.backend)  # type: ignore[no-any-return]

    def jvp(self, program: Program) -> Callable[..., Any]:
        import sct

        f = program.load()
        return lambda primals, tangents: sct.jvp(f, primals, tangents, backend=self.backend)

    def vjp(self, program: Program) -> Callable[..., Any]:
        import sct

        f = program.load()
        return lambda *primals: sct.vjp(f, *primals, backend=self.backend)

    def hvp(self, program: Program) -> Callable[..., Any]:
        import sct

        f = program.load()
        return lambda primals, tangents: sct.hvp(f, primals, tangents, backend=self.backend)


class Duals:
    """The oracle as the system under test: for tests of the fuzzers themselves."""

    def value_and_grad(self, program: Program) -> Callable[..., Any]:
        return lambda *args: (program.load()(*clone(args)), gradient(program, args))

    def grad(self, program: Program) -> Callable[..., Any]:
        return lambda *args: self.value_and_grad(program)(*args)[1]

    def jvp(self, program: Program) -> Callable[..., Any]:
        def jvp(primals: Any, tangents: Any) -> Any:
            value, grads = self.value_and_grad(program)(*primals)
            return value, duals.flat(grads) @ duals.flat([tangents[i] for i in program.wrt])

        return jvp

    def vjp(self, program: Program) -> Callable[..., Any]:
        def vjp(*primals: Any) -> Any:
            value, grads = self.value_and_grad(program)(*primals)
            out: dict[int, Any] = dict(zip(program.wrt, grads))

            def pullback(ct: float) -> tuple[Any, ...]:
                return tuple(duals.tree_map(lambda g: ct * g, out.get(i, ())) for i in range(len(primals)))

            return value, pullback

        return vjp

    def hvp(self, program: Program) -> Callable[..., Any]:
        def hvp(primals: Any, tangents: Any) -> Any:
            self.value_and_grad(program)(*primals)
            h, _, _ = second(program, primals, duals.flat(tangents[0]))
            return duals.rebuild(primals[0], h)

        return hvp


def oracle(program: Program, args: tuple[Any, ...], wrt: tuple[int, ...] | None = None) -> tuple[Any, ...]:
    return duals.differentiate(program.load(dual=True), args, program.wrt if wrt is None else wrt)


def gradient(program: Program, args: tuple[Any, ...]) -> tuple[Any, ...]:
    _, g, _ = oracle(program, args)
    return duals.rebuild(tuple(args[i] for i in program.wrt), g)  # type: ignore[no-any-return]


def second(program: Program, args: tuple[Any, ...], v: np.ndarray) -> tuple[np.ndarray, np.ndarray, float]:
    """(Hessian of argument 0 times v, smooth, scale), by differences of the duals' gradient."""
    x = duals.flat(args[0])
    bound = oracle(program, args, (0,))[2]

    def at(step: float) -> np.ndarray:
        moved = (duals.rebuild(args[0], x + step * v), *args[1:])
        return oracle(program, moved, (0,))[1]  # type: ignore[no-any-return]

    wide, narrow = ((at(h) - at(-h)) / (2 * h) for h in (4e-5, 1e-5))
    scale = 1.0 + float(np.max(bound, initial=0.0)) + float(np.max(np.abs(narrow), initial=0.0))
    return narrow, np.abs(wide - narrow) < 1e-5 * scale, scale


def effort(seed: int) -> tuple[str, ...]:
    """The modes to check: value_and_grad and jvp always, second order on a tenth."""
    extra = {3: ("hvp",), 5: ("vjp", "grad"), 8: ("vjp", "grad")}
    return ("value_and_grad", "jvp", *extra.get(seed % 10, ()))


def check(program: Program, system: System, modes: tuple[str, ...] | None = None) -> Verdict:
    """The first finding over the points and modes, or ok."""
    modes = effort(program.seed) if modes is None else modes
    checked = skipped = 0
    made = run(lambda: {mode: getattr(system, mode)(program) for mode in modes}, seconds=COMPILE_SECONDS)
    if made.error is not None:
        status = "refused" if is_refusal(made.error) else "unknown"
        return Verdict(status, reason_of(made.error) if status == "refused" else f"does not load: {made.error}")
    compiled = made.value
    for number, point in enumerate(program.points):
        known = Point(program, number, point)
        known.exact = getattr(system, "backend", "numpy") == "numpy"
        if known.problem:
            return Verdict("unknown", known.problem, point=number)
        for mode in modes[:1] if known.aliased else modes:
            found = CHECKS[mode](known, compiled[mode])
            if found is not None:
                status, reason, detail = found
                return Verdict(status, reason, f"{mode}, point {number}: {detail}", number)
        checked += known.checked
        skipped += known.skipped
    return Verdict("ok", checked=checked, skipped=skipped)


class Point:
    """Plain execution and oracle at one point."""

    def __init__(self, program: Program, number: int, args: tuple[Any, ...]) -> None:
        self.program, self.args = program, args
        self.rng = np.random.default_rng([program.seed, number])
        self.plain = run(lambda: program.load()(*clone(args)))
        self.problem, self.checked, self.skipped = "", 0, 0
        self.exact = True
        arrays = [id(a) for a in args if isinstance(a, np.ndarray)]
        self.aliased = len(set(arrays)) < len(arrays)
        if isinstance(self.plain.error, Timeout):
            self.problem = "the plain function does not end"
        elif self.plain.error is None:
            self.run_oracle()

    def run_oracle(self) -> None:
        out = run(lambda: oracle(self.program, self.args), seconds=20.0)
        if out.error is not None:
            self.problem = f"oracle: {type(out.error).__name__}: {out.error}"
            return
        value, self.gradient, self.bound = out.value
        plain = self.plain.value
        if not isinstance(plain, (int, float, np.integer, np.floating)):
            self.problem = "the value is not a number"
        elif not np.isclose(float(value), float(plain), rtol=1e-6, atol=1e-9, equal_nan=True):
            self.problem = "oracle: another value"

    def directions(self) -> tuple[Any, ...]:
        """A random tangent for every argument; None for those that are not differentiated."""
        out: list[Any] = []
        for i, arg in enumerate(self.args):
            v = self.rng.normal(size=duals.flat(arg).size)
            out.append(duals.tree_map(only_floats, duals.rebuild(arg, v)) if i in self.program.wrt else None)
        return tuple(out)


def only_floats(x: Any) -> Any:
    return x if duals.is_float(x) else None


Finding = tuple[str, str, str] | None


def call(known: Point, f: Callable[..., Any], *args: Any) -> tuple[Outcome, Finding]:
    """f(*args), judged for exceptions, output and changed arguments."""
    before = clone(args)
    args = clone(args)
    got = run(f, *args, seconds=COMPILE_SECONDS)
    plain = known.plain
    if got.error is not None and is_refusal(got.error):
        return got, ("refused", reason_of(got.error), str(got.error))
    if got.error is not None and type(got.error) is not type(plain.error):
        status = "failure" if plain.error is None else "wrong"
        return got, (status, raised(got.error), trace_of(got.error) + f"\nplain: {plain}")
    if plain.error is not None and got.error is None:
        return got, ("wrong", f"no {type(plain.error).__name__}", f"plain: {plain}, got: {got.value!r}")
    if isinstance(plain.error, MESSAGES) and str(plain.error) != str(got.error):
        return got, ("wrong", "another message", f"plain: {plain}, got: {got}")
    if got.printed != plain.printed:
        return got, ("wrong", "other output", f"plain: {plain.printed!r}, got: {got.printed!r}")
    if not same_bits(args, before):
        return got, ("wrong", "argument modified", f"{args!r}")
    return got, None


FAULTS = ("SCT601", "SCT602", "SCT603")
"""Refusals that say that something is wrong with sct."""


def is_refusal(error: BaseException) -> bool:
    return any(c.__name__ == "SctError" for c in type(error).__mro__) and getattr(error, "code", "") not in FAULTS


def reason_of(error: BaseException) -> str:
    return f"{getattr(error, 'code', 'SCT???')} {getattr(error, 'what', error)}"


def raised(error: BaseException) -> str:
    """The exception and the function that raised it: what makes two failures one."""
    frames = traceback.extract_tb(error.__traceback__)
    last = frames[-1] if frames else None
    path = Path(last.filename) if last else Path("nowhere")
    where = f"{path.parent.name}/{path.name}:{last.name}" if last and path.exists() else "emitted code"
    return f"{type(error).__name__} in {where}"


def trace_of(error: BaseException) -> str:
    frames = traceback.extract_tb(error.__traceback__)[-3:]
    return "".join(traceback.format_list(frames)) + f"{type(error).__name__}: {error}"


def same_bits(x: Any, y: Any) -> bool:
    """Same types, structure and bits."""
    if isinstance(x, np.ndarray):
        same = isinstance(y, np.ndarray) and (x.dtype, x.shape) == (y.dtype, y.shape)
        return same and x.tobytes() == y.tobytes()
    if type(x) is not type(y):
        return False
    if isinstance(x, dict):
        return list(x) == list(y) and all(same_bits(x[k], y[k]) for k in x)
    if isinstance(x, (tuple, list)):
        return len(x) == len(y) and all(map(same_bits, x, y))
    if isinstance(x, (float, np.floating)):
        return np.float64(x).tobytes() == np.float64(y).tobytes()
    return bool(x == y)


def same_value(known: Point, value: Any) -> Finding:
    plain = known.plain.value
    if same_bits(plain, value):
        return None
    numbers = not known.exact and isinstance(plain, float) and isinstance(value, float)
    if type(plain) is not type(value) and not numbers:
        return "wrong", "type of the value", f"plain: {plain!r}, got: {value!r}"
    if not known.exact and np.isclose(float(plain), float(value), rtol=1e-9, atol=1e-12, equal_nan=True):
        return None  # contracts 1.3: bit for bit holds for NumPy; so does the carrier
    strided = any(isinstance(a, np.ndarray) and not (a.flags.c_contiguous or a.flags.f_contiguous) for a in known.args)
    if strided and np.isclose(float(plain), float(value), rtol=1e-12):
        return None  # contracts 1.3: a copy of a strided argument may round otherwise
    return "wrong", "value", f"plain: {plain!r}, got: {value!r}"


def check_value_and_grad(known: Point, f: Callable[..., Any]) -> Finding:
    got, found = call(known, f, *known.args)
    if found or got.error is not None:
        return found
    if not isinstance(got.value, tuple) or len(got.value) != 2:
        return "wrong", "not a pair", repr(got.value)
    return same_value(known, got.value[0]) or check_gradient(known, got.value[1])


def check_grad(known: Point, f: Callable[..., Any]) -> Finding:
    if known.plain.error is not None:
        return None  # contracts 1.2: grad may drop arithmetic that only the value needs
    got, found = call(known, f, *known.args)
    return found or check_gradient(known, got.value)


def check_gradient(known: Point, grads: Any) -> Finding:
    wrt = known.program.wrt
    if not isinstance(grads, tuple) or len(grads) != len(wrt):
        return "wrong", "structure of the gradient", repr(grads)
    for i, g in zip(wrt, grads):
        fault = misfit(known.args[i], g)
        if fault:
            return "wrong", f"{fault} of the gradient", f"argument {i}: {g!r}"
    arrays = [g for g in duals.leaves(grads) if isinstance(g, np.ndarray)]
    if shared(arrays) or not all(g.flags.writeable for g in arrays):
        return "wrong", "gradients share memory or cannot be written", repr(grads)
    return compare(known, "gradient", duals.flat(merged(known, grads)), known.gradient, known.bound)


def merged(known: Point, grads: tuple[Any, ...]) -> list[Any]:
    """Gradients with those of an array passed twice added up at its first place, as in the oracle."""
    out = list(grads)
    args = [known.args[i] for i in known.program.wrt]
    for later, arg in enumerate(args):
        first = next(k for k, a in enumerate(args) if a is arg)
        if isinstance(arg, np.ndarray) and first < later:
            out[first], out[later] = out[first] + out[later], np.zeros_like(arg)
    return out


def misfit(arg: Any, g: Any) -> str:
    """What of a gradient does not mirror its argument."""
    if isinstance(arg, dict):
        if not isinstance(g, dict) or list(g) != list(arg):
            return "structure"
        return next(filter(None, (misfit(arg[k], g[k]) for k in arg)), "")
    if isinstance(arg, (tuple, list)):
        if type(g) is not type(arg) or len(g) != len(arg):
            return "structure"
        return next(filter(None, map(misfit, arg, g)), "")
    if not duals.is_float(arg):
        return "" if g is None else "structure"
    if isinstance(arg, np.ndarray):
        if not isinstance(g, np.ndarray):
            return "type"
        return "shape" if g.shape != arg.shape else "dtype" if g.dtype != arg.dtype else ""
    return "" if isinstance(g, (float, np.floating)) else "type"


def shared(arrays: list[np.ndarray]) -> bool:
    return any(np.shares_memory(a, b) for k, a in enumerate(arrays) for b in arrays[:k])


def compare(known: Point, what: str, got: np.ndarray, expected: np.ndarray, bound: np.ndarray) -> Finding:
    use = np.isfinite(expected) & (bound < CHAOTIC)
    known.checked += len(use)
    known.skipped += int(np.sum(~use))
    with np.errstate(all="ignore"):
        good = np.abs(got - expected) <= RTOL * bound + ATOL
    if np.all(good[use]):
        return None
    return "wrong", what, f"got {got}, expected {expected}, bound {bound}"


def check_jvp(known: Point, f: Callable[..., Any]) -> Finding:
    tangents = known.directions()
    got, found = call(known, f, known.args, tangents)
    if found or got.error is not None:
        return found
    if not isinstance(got.value, tuple) or len(got.value) != 2:
        return "wrong", "not a pair", repr(got.value)
    value, tangent = got.value
    v = duals.flat([tangents[i] for i in known.program.wrt])
    expected, bound = known.gradient @ v, known.bound @ np.abs(v)
    return same_value(known, value) or compare(known, "jvp", *map(np.atleast_1d, (tangent, expected, bound)))


def check_vjp(known: Point, f: Callable[..., Any]) -> Finding:
    got, found = call(known, f, *known.args)
    if found or got.error is not None:
        return found
    value, pullback = got.value
    tangents = known.directions()
    v = duals.flat([tangents[i] for i in known.program.wrt])
    for seed in (1.0, -2.5):  # a pullback may be called again
        out = run(pullback, seed)
        if out.error is not None:
            return "failure", f"pullback: {raised(out.error)}", trace_of(out.error)
        grads = out.value if isinstance(out.value, tuple) else (out.value,)
        if len(grads) != len(known.args):
            return "wrong", "structure of the pullback's result", repr(out.value)
        product = duals.flat([grads[i] for i in known.program.wrt]) @ v
        scale = abs(seed) * known.bound @ np.abs(v)
        expected = seed * (known.gradient @ v)
        found = compare(known, "pullback", *map(np.atleast_1d, (product, expected, scale)))
        if found:
            return found
    return same_value(known, value)


def check_hvp(known: Point, f: Callable[..., Any]) -> Finding:
    if known.plain.error is not None or 0 not in known.program.wrt:
        return None
    v = known.rng.normal(size=duals.flat(known.args[0]).size)
    zeros = (duals.rebuild(a, np.zeros(duals.flat(a).size)) for a in known.args)
    tangents = [duals.tree_map(only_floats, z) if i in known.program.wrt else None for i, z in enumerate(zeros)]
    tangents[0] = duals.rebuild(known.args[0], v)
    expected = run(lambda: second(known.program, known.args, v), seconds=20.0)
    if expected.error is not None:
        return None
    h, smooth, scale = expected.value
    got, found = call(known, f, known.args, tuple(tangents))
    if found or got.error is not None:
        return found
    fault = misfit(known.args[0], got.value)
    if fault:
        return "wrong", f"{fault} of hvp", repr(got.value)
    mine = duals.flat(got.value)
    use = smooth & np.isfinite(h) & (scale < CHAOTIC)
    known.checked += len(use)
    known.skipped += int(np.sum(~use))
    if np.all(np.abs(mine - h)[use] <= 1e-4 * scale):
        return None
    return "wrong", "hvp", f"got {mine}, expected {h}"


CHECKS: dict[str, Callable[[Point, Callable[..., Any]], Finding]] = {
    "value_and_grad": check_value_and_grad,
    "grad": check_grad,
    "jvp": check_jvp,
    "vjp": check_vjp,
    "hvp": check_hvp,
}
