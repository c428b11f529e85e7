"""Where the two runs part: both again, with what each line of the user's assigns written down.

The emitted code's variables have the user's names and its lines are known to be of the user's; where the two do not
assign a name equally often in a line, nothing is said of it.
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

__all__ = ["Parting", "Recorder", "parting"]

MOST_EVENTS = 100_000
LARGEST = 10_000

Line = tuple[str, int]


@dataclass(frozen=True)
class Parting:
    """The first line of the user's in which a variable gets another value."""

    file: str
    line: int
    name: str
    python: Any
    sct: Any


class Recorder:
    """Calls functions, and notes (line, variable, value) of each assignment in `files`.

    lines  the user's line of each line, None for those that are the user's
    """

    def __init__(self, files: frozenset[str], lines: Mapping[int, Line] | None = None) -> None:
        self.files, self.lines = files, lines
        self.events: list[tuple[Line, str, Any]] = []
        self.last: dict[types.FrameType, int] = {}

    def run(self, call: Callable[[], Any]) -> Any:
        before = sys.gettrace()
        sys.settrace(self.enter)
        try:
            return call()
        finally:
            sys.settrace(before)

    def enter(self, frame: types.FrameType, event: str, arg: Any) -> Any:
        if frame.f_code.co_filename not in self.files or len(self.events) > MOST_EVENTS:
            return None
        return self.step

    def step(self, frame: types.FrameType, event: str, arg: Any) -> Any:
        line = self.last.pop(frame, None)
        if line is not None and event != "exception":
            self.note(frame, line)
        if event == "line":
            self.last[frame] = frame.f_lineno
        return self.step

    def note(self, frame: types.FrameType, line: int) -> None:
        place = (frame.f_code.co_filename, line) if self.lines is None else self.lines.get(line)
        if place is None or len(self.events) > MOST_EVENTS:
            return
        now = frame.f_locals
        for name in _assigned(frame.f_code).get(line, ()):
            x = now.get(name)
            if isinstance(x, np.ndarray) and x.size <= LARGEST:
                x = x.copy()
            if isinstance(x, (bool, int, float, complex, np.generic, np.ndarray)):
                self.events.append((place, name, x))


@functools.lru_cache(maxsize=256)
def _assigned(code: types.CodeType) -> dict[int, frozenset[str]]:
    """The local variables that each line assigns, or may write into."""
    line = 0
    names: dict[int, set[str]] = defaultdict(set)
    read: dict[int, set[str]] = defaultdict(set)
    writes: set[int] = set()
    for instruction in dis.get_instructions(code):
        line = instruction.starts_line if type(instruction.starts_line) is int else \
            getattr(instruction, "line_number", None) or line
        if instruction.opname.startswith(("STORE_FAST", "STORE_DEREF", "STORE_NAME")):
            names[line] |= set(_names(instruction.argval))
        elif instruction.opname.startswith("LOAD_FAST"):
            read[line] |= set(_names(instruction.argval))
        elif instruction.opname.startswith("STORE_SUBSCR"):
            writes.add(line)
    return {k: frozenset(names[k] | (read[k] if k in writes else set())) for k in {*names, *writes}}


def _names(x: Any) -> tuple[str, ...]:
    return x if isinstance(x, tuple) else (x,)


def parting(user: Recorder, sct: Recorder) -> Parting | None:
    """The first assignment of the user's to which another value belongs, or a complex number, which sct has none of."""
    theirs: dict[tuple[Line, str], list[Any]] = defaultdict(list)
    ours: dict[tuple[Line, str], list[Any]] = defaultdict(list)
    known = {name for _, name, _ in user.events}
    for place, name, x in user.events:
        theirs[place, name].append(x)
    for place, name, x in sct.events:
        ours[place, name if name in known else re.sub(r"\d+$", "", name)].append(x)
    count: dict[tuple[Line, str], int] = defaultdict(int)
    for place, name, x in user.events:
        key = place, name
        k, count[key] = count[key], count[key] + 1
        if isinstance(x, complex):
            return Parting(*place, name, x, x)
        if len(ours[key]) == len(theirs[key]) and type(ours[key][k]) is type(x) and not same(x, ours[key][k]):
            return Parting(*place, name, x, ours[key][k])
    return None
