"""Debugging: `sct.debug` names the user's line where the first NaN or infinity arises.

    with sct.debug():
        grad(loss)(w)          SCT918: the first nan arises here, with a caret under the user's line

Emitted code runs under a trace function of Python, which looks at its variables after each line.  A value arises where
a statement makes it from finite ones; the line map of the emitted module says which line of the user that is.
"""

from __future__ import annotations

import ast
import contextlib
import functools
import linecache
import sys
from collections.abc import Iterator, Mapping
from types import FrameType
from typing import Any

import numpy as np

from sct.codegen.python.nesting import TRIES
from sct.errors import Loc, SctError
from sct.ir.pytrees.pytree import tree_leaves

__all__ = ["debug"]


@contextlib.contextmanager
def debug(*, nan: bool = True, inf: bool = True) -> Iterator[None]:
    """Within this context, derivatives raise SctError SCT918 at the line where the first NaN or infinity arises.

    nan  look for NaN
    inf  look for infinities

    The line is one of the user's function, whether the value arises in its own arithmetic or in the backward pass; the
    reason shows the statement of the emitted code.  What is NaN or infinite in the arguments, or written as such
    (`best = np.inf`), does not count.  Derivatives are slower in it.  The Numba backend is not looked into.  An error
    ends the search: Python stops a trace function that raises, so enter the context again for the next call.

    >>> import sct
    >>> def f(x):
    ...     return (x - 1.0) * np.log(x)
    >>> with sct.debug():
    ...     sct.grad(f)(np.float64(0.0))  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    sct.errors.SctError: SCT918: the first infinity arises here
    ...
    """
    before = sys.gettrace()
    sys.settrace(_Tracer(nan, inf))
    try:
        yield
    finally:
        sys.settrace(before)


class _Tracer:
    """The trace function of a thread: it looks into frames of emitted code alone."""

    def __init__(self, nan: bool, inf: bool) -> None:
        self.nan, self.inf = nan, inf

    def __call__(self, frame: FrameType, event: str, arg: Any) -> Any:
        if event != "call" or "__sct_lines__" not in frame.f_globals or _is_validated(frame):
            return None
        return _TracedFrame(self, frame)

    def what(self, value: Any) -> str:
        """"nan" or "infinity" if a number or an array holds one that is looked for, else ""."""
        if not isinstance(value, (float, complex, np.inexact)) and not (
                isinstance(value, np.ndarray) and value.dtype.kind in "fc"):
            return ""
        if self.nan and np.any(np.isnan(value)):
            return "nan"
        return "infinity" if self.inf and np.any(np.isinf(value)) else ""


def _is_validated(frame: FrameType) -> bool:
    """Does the validation of a new specialization run this frame?"""
    outer = frame.f_back
    while outer is not None:
        if outer.f_globals.get("__name__", "").startswith("sct.validation"):
            return True
        outer = outer.f_back
    return False


class _TracedFrame:
    """The trace function of one call of emitted code.

    line       the line that has run when the next event comes
    nonfinite  the variables that are NaN or infinite already, and the lists whose last item is
    values     the variables before the line ran
    """

    def __init__(self, tracer: _Tracer, frame: FrameType) -> None:
        self.tracer, self.line = tracer, frame.f_lineno
        self.values = dict(frame.f_locals)
        self.nonfinite = self._nonfinite(self.values)
        self.variables = frozenset(frame.f_code.co_varnames)

    def _nonfinite(self, variables: Mapping[str, Any]) -> dict[str, str]:
        return {name: what for name, value in variables.items() if (what := self._what(value))}

    def _what(self, value: Any) -> str:
        """What is looked for in a variable: in a list, which may be a tape, in its last item."""
        if type(value) is list:
            return next(filter(None, map(self.tracer.what, tree_leaves(value[-1:]))), "")
        return self.tracer.what(value)

    def __call__(self, frame: FrameType, event: str, arg: Any) -> Any:
        if event in ("line", "return"):
            values = dict(frame.f_locals)
            now = self._nonfinite(values)
            if event == "return":
                now.update({f"result {k}": what for k, leaf in enumerate(tree_leaves(arg))
                            if (what := self.tracer.what(leaf))})
            new = [what for name, what in now.items() if name not in self.nonfinite]
            if new:
                self._look_at(frame, new[0])
            self.nonfinite, self.values, self.line = now, values, frame.f_lineno
        return self

    def _look_at(self, frame: FrameType, what: str) -> None:
        """Raises the error, if the statement that has run reads finite variables alone."""
        text = "".join(linecache.getlines(frame.f_code.co_filename, frame.f_globals))
        statement, reads = _statements(text).get(self.line, ("", frozenset()))
        read = reads & self.variables
        if not read or read & self.nonfinite.keys():
            return
        lines = frame.f_globals["__sct_lines__"]
        before = [line for line in lines if line <= self.line]
        loc: Loc | None = lines[max(before)] if before else None
        raise SctError("SCT918", f"the first {what} arises here", loc=loc,
                       why=f"in the emitted code, `{statement}` makes it from "
                           + ", ".join(f"{name} = {_short(self.values.get(name))}" for name in sorted(read)),
                       hint="look at these values" + (
                           "; sct.debug(inf=False) looks only for NaN" if what == "infinity" else ""))


def _short(value: Any) -> str:
    """A value in a few words."""
    if isinstance(value, np.ndarray) and value.size > 4:
        numbers = value.dtype.kind in "iuf"
        return f"an array of shape {value.shape}" + (f" from {value.min():g} to {value.max():g}" if numbers else "")
    text = str(value)
    return text if len(text) <= 60 else f"{text[:57]}..."


def _appended_to(node: ast.AST) -> list[ast.expr]:
    """The expression `tape`, if this is a call `tape.append(...)`."""
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "append":
        return [node.func.value]
    return []


@functools.lru_cache(maxsize=64)
def _statements(text: str) -> dict[int, tuple[str, frozenset[str]]]:
    """For each line of a text, the innermost statement of it, and the names that this computes with.

    A statement that only moves a value computes with none: `y = x`, `y = tape.pop()`.
    """
    statements: dict[int, tuple[str, frozenset[str]]] = {}
    for node in ast.walk(ast.parse(text)):
        if not isinstance(node, ast.stmt) or isinstance(node, ast.FunctionDef):
            continue
        parts: list[ast.AST] = [node]
        if isinstance(node, (ast.If, ast.While)):
            parts = [node.test]
        elif isinstance(node, ast.For):
            parts = [node.target, node.iter]
        elif isinstance(node, (ast.With, *TRIES)):
            continue
        receivers = {receiver for top in parts for part in ast.walk(top) for receiver in _appended_to(part)}
        names = {part.id for top in parts for part in ast.walk(top) if isinstance(part, ast.Name)
                 and (isinstance(part.ctx, ast.Load) or isinstance(node, ast.AugAssign)) and part not in receivers}
        if not any(isinstance(part, (ast.BinOp, ast.AugAssign)) or isinstance(part, ast.Call) and not (
                isinstance(part.func, ast.Attribute) and part.func.attr in ("pop", "append"))
                for top in parts for part in ast.walk(top)):
            names = set()
        shown = ast.unparse(node).partition("\n")[0]
        end = max(getattr(part, "end_lineno", node.lineno) for part in parts)
        for line in range(node.lineno, end + 1):
            statements[line] = (shown, frozenset(names))
    return statements
