"""A generated program: its source, the points it is run at, and how it is loaded and run."""

from __future__ import annotations

import ast
import contextlib
import io
import itertools
import linecache
import math
import signal
import sys
import types
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from tests.fuzz import duals

__all__ = ["Outcome", "Program", "Timeout", "clone", "limit", "run"]

Args = tuple[Any, ...]
_numbers = itertools.count()


class Timeout(BaseException):
    """A run that took too long; no `except Exception` stops it."""


@dataclass(frozen=True)
class Program:
    """Source of a module that defines `f`, and argument tuples to call it with.

    wrt    the positions of the arguments that are differentiated
    """

    source: str
    points: tuple[Args, ...]
    wrt: tuple[int, ...]
    seed: int = 0

    def load(self, dual: bool = False) -> Callable[..., Any]:
        """`f`, from a module whose source is on record; with dual=True, for dual numbers."""
        return self.load_module(dual)["f"]  # type: ignore[no-any-return]

    def load_module(self, dual: bool = False) -> dict[str, Any]:
        filename = f"<fuzz {self.seed} {next(_numbers)}>"
        linecache.cache[filename] = (len(self.source), None, self.source.splitlines(True), filename)
        module = sys.modules[filename] = types.ModuleType(filename)  # what `dataclass` asks for
        namespace = module.__dict__
        namespace.update(math=math, np=np)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # `[] is 1.0` is a warning
            code = compile(self.source, filename, "exec")
        exec(code, namespace)
        if dual:  # functions look names up when they run
            namespace.update(duals.REPLACED)
        return namespace

    def with_source(self, source: str) -> Program:
        return replace(self, source=source)

    def tree(self) -> ast.Module:
        return ast.parse(self.source)


@dataclass
class Outcome:
    """What a call did: a value or an exception, and what it printed."""

    value: Any = None
    error: BaseException | None = None
    printed: str = ""

    def __str__(self) -> str:
        return repr(self.value) if self.error is None else f"{type(self.error).__name__}({self.error})"


def run(f: Callable[..., Any], *args: Any, seconds: float = 2.0) -> Outcome:
    """The outcome of f(*args); warnings and NumPy's floating-point warnings are off."""
    out = io.StringIO()
    with warnings.catch_warnings(), np.errstate(all="ignore"), contextlib.redirect_stdout(out):
        warnings.simplefilter("ignore")
        try:
            with limit(seconds):
                return Outcome(f(*args), None, out.getvalue())
        except (Exception, Timeout) as error:
            return Outcome(None, error, out.getvalue())


@contextlib.contextmanager
def limit(seconds: float) -> Iterator[None]:
    """Raises Timeout inside after so many seconds of CPU time, so whatever else the machine does (main thread only)."""

    def stop(*_: Any) -> None:
        raise Timeout(f"more than {seconds} s")

    before = signal.signal(signal.SIGPROF, stop)
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)


def clone(args: Args) -> Args:
    """A copy of the arguments: same values, layouts, and arrays passed twice."""
    seen: dict[int, np.ndarray] = {}

    def copy(x: Any) -> Any:
        if not isinstance(x, np.ndarray):
            return x
        if id(x) not in seen:
            seen[id(x)] = spread(x) if not (x.flags.c_contiguous or x.flags.f_contiguous) else x.copy(order="K")
        return seen[id(x)]

    return tuple(duals.tree_map(copy, a) for a in args)


def spread(x: np.ndarray) -> np.ndarray:
    """The same elements, not contiguous: every second one of a larger array."""
    new = np.empty(tuple(2 * n for n in x.shape), x.dtype)[tuple(slice(None, None, 2) for _ in x.shape)]
    new[...] = x
    return new


def lines_run(program: Program) -> set[int]:
    """The lines of the source that plain runs at the points execute."""
    f = program.load()
    filename, lines = f.__code__.co_filename, set()

    def trace(frame: Any, event: str, _: Any) -> Any:
        if frame.f_code.co_filename != filename:
            return None
        lines.add(frame.f_lineno)
        return trace

    for point in program.points:
        before = sys.gettrace()
        sys.settrace(trace)
        try:
            run(f, *clone(point))
        finally:
            sys.settrace(before)
    return lines
