"""Finds the first assignment at which two runs diverge: both run again, and the assignments of each line are recorded.

    Recorder of f, Recorder of its emitted primal      ->      Divergence("model.py", 12, "rate", 0.5, 0.25)

Variables of emitted code have the user's names, and its lines map to the user's lines.  Where the two do not assign
a name equally often in a line, its values are not compared.
"""

from __future__ import annotations

import dis
import functools
import re
import sys
import types
from collections import defaultdict
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from sct.validation.compare import same

__all__ = ["Divergence", "Recorder", "first_divergence"]

MOST_EVENTS = 100_000
LARGEST = 10_000

Line = tuple[str, int]


@dataclass(frozen=True)
class Divergence:
    """The first line of the user in which a variable gets different values, and these values."""

    file: str
    line: int
    name: str
    python: Any
    sct: Any


class Recorder:
    """Calls functions and records (line, variable, value) of each assignment in `files`.

    lines  maps lines of emitted code to lines of the user; None if the code is the user's
    """

    def __init__(self, files: frozenset[str], lines: Mapping[int, Line] | None = None) -> None:
        self.files, self.lines = files, lines
        self.events: list[tuple[Line, str, Any]] = []
        self.last: dict[types.FrameType, int] = {}

    def run(self, call: Callable[[], Any]) -> Any:
        before = sys.gettrace()
        sys.settrace(self.trace_call)
        try:
            return call()
        finally:
            sys.settrace(before)

    def trace_call(self, frame: types.FrameType, event: str, arg: Any) -> Any:
        if frame.f_code.co_filename not in self.files or len(self.events) > MOST_EVENTS:
            return None
        return self.trace_line

    def trace_line(self, frame: types.FrameType, event: str, arg: Any) -> Any:
        line = self.last.pop(frame, None)
        if line is not None and event != "exception":
            self.record(frame, line)
        if event == "line":
            self.last[frame] = frame.f_lineno
        return self.trace_line

    def record(self, frame: types.FrameType, line: int) -> None:
        place = (frame.f_code.co_filename, line) if self.lines is None else self.lines.get(line)
        if place is None or len(self.events) > MOST_EVENTS:
            return
        variables = frame.f_locals
        for name in _assigned_names(frame.f_code).get(line, ()):
            x = variables.get(name)
            if isinstance(x, np.ndarray) and x.size <= LARGEST:
                x = x.copy()
            if isinstance(x, (bool, int, float, complex, np.generic, np.ndarray)):
                self.events.append((place, name, x))


@functools.lru_cache(maxsize=256)
def _assigned_names(code: types.CodeType) -> dict[int, frozenset[str]]:
    """The local variables that each line assigns, or may assign an item of."""
    line = 0
    assigned: dict[int, set[str]] = defaultdict(set)
    read: dict[int, set[str]] = defaultdict(set)
    lines_with_item_assignment: set[int] = set()
    for instruction in dis.get_instructions(code):
        line = instruction.starts_line if type(instruction.starts_line) is int else \
            getattr(instruction, "line_number", None) or line
        if instruction.opname.startswith(("STORE_FAST", "STORE_DEREF", "STORE_NAME")):
            assigned[line] |= set(_as_tuple(instruction.argval))
        elif instruction.opname.startswith("LOAD_FAST"):
            read[line] |= set(_as_tuple(instruction.argval))
        elif instruction.opname.startswith("STORE_SUBSCR"):
            lines_with_item_assignment.add(line)
    for k in lines_with_item_assignment:
        assigned[k] |= read[k]
    return {k: frozenset(names) for k, names in assigned.items()}


def _as_tuple(x: Any) -> tuple[str, ...]:
    return x if isinstance(x, tuple) else (x,)


def first_divergence(user: Recorder, sct: Recorder, is_complex: bool) -> Divergence | None:
    """The first assignment of the user whose value differs in sct, or is complex in a program of real numbers."""
    user_values: dict[tuple[Line, str], list[Any]] = defaultdict(list)
    sct_values: dict[tuple[Line, str], list[Any]] = defaultdict(list)
    user_names = {name for _, name, _ in user.events}
    for place, name, x in user.events:
        user_values[place, name].append(x)
    for place, name, x in sct.events:
        sct_values[place, name if name in user_names else re.sub(r"\d+$", "", name)].append(x)
    seen: dict[tuple[Line, str], int] = defaultdict(int)
    for place, name, x in user.events:
        key = place, name
        k, seen[key] = seen[key], seen[key] + 1
        if isinstance(x, complex) and not is_complex:
            return Divergence(*place, name, x, x)
        if len(sct_values[key]) == len(user_values[key]):
            y = sct_values[key][k]
            if type(y) is type(x) and not same(x, y):
                return Divergence(*place, name, x, y)
    return None
