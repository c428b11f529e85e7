"""What sct raises on purpose: a code, the place, what, why, and what to write instead."""

from __future__ import annotations

import linecache
from dataclasses import dataclass

__all__ = ["Loc", "SctError", "SctWarning", "caret"]


@dataclass(frozen=True)
class Loc:
    """A place in the user's source: file, 1-based lines, 0-based columns."""

    file: str
    line: int
    col: int = 0
    end_line: int = 0
    end_col: int = 0


class SctError(Exception):
    """A program, or a call, that sct does not differentiate.

    code   "SCT101", ...: stable, one for each kind of refusal
    what   what is not supported, in one clause
    why    the reason, if it is not plain from `what`
    hint   what to write instead
    loc    the place in the user's source
    """

    def __init__(self, code: str, what: str, *, why: str = "", hint: str = "", loc: Loc | None = None) -> None:
        self.code, self.what, self.why, self.hint, self.loc = code, what, why, hint, loc
        super().__init__(what)

    def __str__(self) -> str:
        lines = [f"{self.code}: {self.what}"]
        if self.loc is not None:
            lines += caret(self.loc)
        lines += [f"{label}: {text}" for label, text in (("why", self.why), ("hint", self.hint)) if text]
        return "\n".join(lines)


class SctWarning(UserWarning):
    """What sct warns of on purpose."""


def caret(loc: Loc) -> list[str]:
    """The user's line with a caret under the construct.

    >>> caret(Loc("<no file>", 3, 4))
    ['  --> <no file>:3:5']
    """
    lines = [f"  --> {loc.file}:{loc.line}:{loc.col + 1}"]
    text = linecache.getline(loc.file, loc.line).rstrip("\n")
    if text:
        end = loc.end_col if loc.end_line == loc.line and loc.end_col > loc.col else len(text)
        number = str(loc.line)
        shown = text.expandtabs(1)
        lines += [f"  {number} | {shown}", f"  {' ' * len(number)} | {' ' * loc.col}{'^' * max(1, end - loc.col)}"]
    return lines
