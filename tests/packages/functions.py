"""The public functions of packages whose plain call works on generated floats and arrays.

In:  the name of a package. Out: its usable functions with arguments, in an order that a seed decides.
A function is usable if its value is a finite float, a finite array of floats, or a flat tuple of these, and central
differences of two step sizes agree on a derivative that is not zero.
"""

from __future__ import annotations

import contextlib
import copy
import importlib
import inspect
import io
import itertools
import pkgutil
import random
import signal
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

LEFT_OUT = {"all", "conftest", "examples", "numba", "test", "tests", "vectorized"}
"""Modules of tests, and those that compile or wrap the functions of other modules."""

MOST_PARAMETERS = 8
TRIES = 60

KINDS: dict[str, Callable[[random.Random], Any]] = {
    "fraction": lambda rng: round(rng.uniform(0.2, 0.8), 3),
    "number": lambda rng: round(rng.uniform(1.5, 4.0), 3),
    "tens": lambda rng: round(rng.uniform(20.0, 90.0), 2),
    "hundreds": lambda rng: round(rng.uniform(200.0, 400.0), 1),
    "count": lambda rng: rng.randint(2, 4),
    "vector of 3": lambda rng: [round(rng.uniform(0.2, 2.0), 3) for _ in range(3)],
    "vector": lambda rng: [round(rng.uniform(0.2, 2.0), 3) for _ in range(5)],
    "matrix": lambda rng: [[round(rng.uniform(0.2, 2.0), 3) for _ in range(3)] for _ in range(3)],
}


@dataclass(frozen=True)
class Case:
    """A function of a package, by its public name, and arguments: floats, ints, and lists that stand for arrays."""

    package: str
    name: str
    args: list[Any]

    def load(self) -> tuple[Callable[..., Any], list[Any]]:
        """The function, and its arguments as it is called with them."""
        module, _, name = self.name.rpartition(".")
        return getattr(importlib.import_module(module), name), \
            [np.array(a) if isinstance(a, list) else a for a in self.args]


def public_functions(root: str) -> dict[str, Callable[..., Any]]:
    """The functions of Python that the package defines and that have a public name, each by its shortest one."""
    modules = [root]
    package = importlib.import_module(root)
    if hasattr(package, "__path__"):
        modules += [m.name for m in pkgutil.walk_packages(package.__path__, root + ".", onerror=lambda name: None)]
    names: dict[Callable[..., Any], str] = {}
    for module in sorted(modules, key=lambda m: (m.count("."), m)):
        if any(part in LEFT_OUT or part.startswith("_") for part in module.split(".")):
            continue
        with contextlib.suppress(Exception, SystemExit):  # a module of an optional dependency
            for name, f in vars(importlib.import_module(module)).items():
                if inspect.isfunction(f) and not name.startswith("_") and f.__module__.split(".")[0] == root:
                    names.setdefault(f, f"{module}.{name}")
    return {names[f]: f for f in sorted(names, key=names.__getitem__)}


def leaves(value: Any) -> list[Any] | None:
    """The floats and arrays of a result; None where it has others, or they are not finite."""
    parts = list(value) if type(value) in (tuple, list) else [value]
    real = all(isinstance(p, float) or isinstance(p, np.ndarray) and p.dtype.kind == "f" for p in parts)
    return parts if parts and real and all(np.all(np.isfinite(p)) and np.size(p) for p in parts) else None


def total(value: Any) -> Any:
    """The sum of all numbers of a result."""
    return sum(np.sum(v) for v in value) if type(value) in (tuple, list) else np.sum(value)


def differentiated(args: list[Any]) -> tuple[int, ...]:
    """The positions of the floats and arrays."""
    return tuple(k for k, a in enumerate(args) if not isinstance(a, int))


def differences(f: Callable[..., Any], args: list[Any], relative: float) -> list[Any]:
    """The gradient of the sum of the results, by central differences with steps relative to the numbers."""
    gradients = []
    for k in differentiated(args):
        x = np.array(args[k], float)
        gradient = np.zeros_like(x)
        for index in np.ndindex(x.shape):
            step = relative * abs(x[index])
            values = []
            for sign in (1.0, -1.0):
                moved = x.copy()
                moved[index] += sign * step
                own = [a.copy() if isinstance(a, np.ndarray) else a for a in args]
                own[k] = moved if moved.ndim else float(moved)
                values.append(total(f(*own)))
            gradient[index] = (values[0] - values[1]) / (2.0 * step)
        gradients.append(gradient)
    return gradients


def gradient(f: Callable[..., Any], args: list[Any]) -> tuple[list[Any], list[Any]] | None:
    """The gradient, extrapolated from differences of two step sizes, and its error: how far these are apart, and the
    rounding of the values; None where they do not agree, or it is zero."""
    wide, narrow = differences(f, args, 2e-4), differences(f, args, 1e-4)
    largest = max(float(np.max(np.abs(g))) for g in narrow)
    agree = all(np.allclose(a, b, rtol=1e-4, atol=1e-6 * largest) for a, b in zip(wide, narrow))
    if not agree or largest == 0.0:
        return None
    rounding = np.finfo(float).eps * abs(total(f(*copy.deepcopy(args)))) / 1e-4
    errors = [np.max(np.abs(b - a)) + rounding / np.min(np.abs(args[k]))
              for a, b, k in zip(wide, narrow, differentiated(args))]
    return [(4.0 * b - a) / 3.0 for a, b in zip(wide, narrow)], errors


@contextlib.contextmanager
def quiet(seconds: int) -> Iterator[None]:
    """A context without output and warnings, and with a limit of time."""
    def late(*_: Any) -> None:
        raise TimeoutError

    before = signal.signal(signal.SIGALRM, late)
    signal.alarm(seconds)
    try:
        with contextlib.redirect_stdout(io.StringIO()), warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


def is_usable(case: Case) -> bool:
    """Whether the plain call works, twice alike, and has a derivative that differences can tell."""
    try:
        with quiet(5):
            f, args = case.load()
            first, second = leaves(f(*args)), leaves(f(*case.load()[1]))
            return first is not None and second is not None and all(map(np.array_equal, first, second)) \
                and gradient(f, case.load()[1]) is not None
    except (Exception, SystemExit):
        return False


def usable(package: str, root: str, seed: int) -> Iterator[Case]:
    """The usable functions, in an order that the seed decides, each with the first arguments that work."""
    order = list(public_functions(root).items())
    random.Random(f"{seed} {root}").shuffle(order)
    for name, f in order:
        rng = random.Random(f"{seed} {name}")
        try:
            parameters = inspect.signature(f).parameters.values()
        except (TypeError, ValueError):
            continue
        required = [p for p in parameters if p.default is p.empty and p.kind in (p.POSITIONAL_ONLY,
                                                                                p.POSITIONAL_OR_KEYWORD)]
        if not 1 <= len(required) <= MOST_PARAMETERS:
            continue
        alike = [(kind,) * len(required) for kind in KINDS]
        rng.shuffle(alike)
        mixed = (tuple(rng.choice(list(KINDS)) for _ in required) for _ in range(TRIES if len(required) > 1 else 0))
        for kinds in itertools.chain(alike, mixed):
            case = Case(package, name, [KINDS[kind](rng) for kind in kinds])
            if differentiated(case.args) and is_usable(case):
                yield case
                break
