"""The errors that sct raises on purpose: a code, the place, what is refused, why, and what to write instead.

At the end words for them: what objects of other libraries are called, how to convert them, and what Python says of
names that are not bound.
"""

from __future__ import annotations

import functools
import itertools
import linecache
import os
import re
import textwrap
from collections.abc import Callable, Collection
from dataclasses import dataclass, field
from decimal import Decimal
from fractions import Fraction
from typing import Any

__all__ = [
    "INTERNAL", "NO_DERIVATIVE", "PACKAGES", "Loc", "SctError", "SctWarning", "add_source_note", "came_further",
    "caret", "class_in_words", "complex_refusal", "contains_itself", "conversion_hint", "internal_error", "is_behind",
    "memory_refusal", "raised_at", "unbound_error", "user_text", "without_compiler_frames",
]


@dataclass(frozen=True)
class Loc:
    """A place in the user's source: file, 1-based lines, 0-based columns.

    seen_from  of a place in a function of sct that stands for one of a library: the place of the user's call
    """

    file: str
    line: int
    col: int = 0
    end_line: int = 0
    end_col: int = 0
    seen_from: Loc | None = field(default=None, compare=False, repr=False)


class SctError(Exception):
    """A program, or a call, that sct does not differentiate.

    code   "SCT101", ...: stable, one for each kind of refusal
    what   what is not supported, in one clause
    why    the reason, if it is not clear from `what`
    hint   what to write instead
    loc    the place in the user's source
    """

    def __init__(self, code: str, what: str, *, why: str = "", hint: str = "", loc: Loc | None = None) -> None:
        self.code, self.what, self.why, self.hint, self.loc = code, what, why, hint, loc
        self.candidates: tuple[Loc | None, ...] = ()  # places of expressions around it that may be left to Python
        self.evaluated: Collection[Loc | None] = ()  # places of what was evaluated to its end before
        self.around: tuple[Loc | None, ...] = ()  # places of what was not: the innermost first, in all functions
        self.has_displays = False  # of dicts of constant keys, or of tuples, which may be rows of columns
        super().__init__(what)

    def __reduce__(self) -> tuple[Callable[..., Any], tuple[str, str]]:
        return functools.partial(type(self), why=self.why, hint=self.hint, loc=self.loc), (self.code, self.what)

    def __str__(self) -> str:
        lines = [f"{self.code}: {self.what}"]
        if self.loc is not None:
            lines += caret(self.loc.seen_from or self.loc)
        lines += [f"{label}: {text}" for label, text in (("why", self.why), ("hint", self.hint)) if text]
        return "\n".join(lines)


def came_further(a: SctError, b: SctError) -> bool:
    """Has the evaluation that `a` ended passed the place of `b`, and the other not that of `a`?"""
    return _has_passed(a, b) and not _has_passed(b, a)


def _has_passed(a: SctError, b: SctError) -> bool:
    """Has the evaluation that `a` ended passed the place of `b`, or a call in which `b` is?

    What is refused after an evaluation has come to its end is behind all places.
    """
    if b.evaluated and not b.around:
        return False
    return a.loc is not None and (b.loc in a.evaluated or any(
        p in a.evaluated and p not in b.evaluated for p in b.around))


def is_behind(a: SctError, b: SctError) -> bool:
    """Is the place of `a` behind that of `b`, or that of the outermost statement in which they differ?"""
    places = itertools.zip_longest(reversed((a.loc, *a.around)), reversed((b.loc, *b.around)), fillvalue=None)
    p, q = next(((p, q) for p, q in places if p != q), (None, None))
    return p is not None and q is not None and p.file == q.file and (p.line, p.col) > (q.line, q.col)


class SctWarning(UserWarning):
    """A warning of sct."""


def caret(loc: Loc) -> list[str]:
    """The user's line, with carets under the construct.

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


def user_text(loc: Loc | None) -> str:
    """The user's text at this place."""
    if loc is None:
        return "this value"
    lines = linecache.getlines(loc.file)[loc.line - 1 : loc.end_line]
    if not lines:
        return "this value"
    lines[-1] = lines[-1][: loc.end_col]
    text = " ".join("".join(lines)[loc.col :].split())
    return f"`{textwrap.shorten(text, 50, placeholder=' ...')}`"


NO_DERIVATIVE = "no derivative"
"""What the message of a `RuntimeError` begins with that emitted code raises where a value turns out to have none."""

INTERNAL = "SCT602"
"""The code of the refusal for an error inside sct."""


def internal_error(error: Exception, loc: Loc | None) -> SctError:
    """The refusal for an error inside sct; raise it from that error."""
    return SctError(INTERNAL, f"sct failed at this: {type(error).__name__}: {error}", loc=loc,
                    why="this is a fault of sct, not of the function",
                    hint="please report it with the function; SCT_TRACEBACK=full shows where it is")


def without_compiler_frames(refusal: SctError) -> SctError:
    """The refusal with a traceback that begins at the user's call; SCT_TRACEBACK=full keeps the compiler's frames."""
    if os.environ.get("SCT_TRACEBACK") == "full":
        return refusal
    refusal.__suppress_context__ = True
    return refusal.with_traceback(None)


def complex_refusal(loc: Loc | None) -> SctError:
    """The refusal of a program in which a number becomes complex."""
    return SctError("SCT102", "a number becomes complex here, which is not supported", loc=loc,
                    why="a power of a negative number whose exponent is no integer is complex",
                    hint="test for the negative base before, or compute with its absolute value")


def memory_refusal(what: str, why: str, loc: Loc | None) -> SctError:
    """The refusal of a gradient whose tapes do not fit into memory."""
    return SctError("SCT918", what, why=why, loc=loc,
                    hint='say how much it may use, grad(f, memory="2GB"): it keeps few states of long loops then')


_OF_COMPLEX = re.compile("'complex'|(not|convert) complex|complex (to|number)")
"""Matches messages of Python about a value that is a complex number."""


def contains_itself(what: str, loc: Loc | None = None) -> SctError:
    """The refusal of a list, a dict or an object without an end; raise it from a RecursionError."""
    return SctError("SCT503", f"{what} contains itself, or is nested too deeply", loc=loc,
                    hint="pass and return containers without references back to themselves")


def raised_at(error: BaseException) -> tuple[Loc | None, list[Any]]:
    """The place in the user's source of what raised an exception in emitted code, and the sources of that code."""
    place: Loc | None = None
    sources: list[Any] = []
    traceback = error.__traceback__
    while traceback is not None:
        module = traceback.tb_frame.f_globals
        place = module.get("__sct_lines__", {}).get(traceback.tb_lineno, place)
        sources += [module["__sct_source__"]] if "__sct_source__" in module else []
        traceback = traceback.tb_next
    return place, sources


def add_source_note(error: BaseException) -> None:
    """Add a note with the user's file and line to an exception that emitted code raised (Python 3.11 and later).

    `__sct_lines__` of an emitted module maps its lines to places.  Exceptions of the user's own `raise` and `assert`
    get no note.

    Raises SctError SCT102 if the error comes from a number that has become complex in a program of real numbers,
    SCT415 if the code has found that a value has no derivative, and SCT918 if memory has run out in a program that
    keeps values of loops.
    """
    place, sources = raised_at(error)
    of_reals = not any(getattr(source, "is_complex", False) for source in sources)
    has_tapes = any(getattr(source, "tapes", ("0", "0")) != ("0", "0") for source in sources)
    if place is None or isinstance(error, SctError):
        return
    if linecache.getline(place.file, place.line).lstrip().startswith(("raise", "assert")):
        return
    if of_reals and type(error) is TypeError and _OF_COMPLEX.search(str(error)):
        raise complex_refusal(place) from error
    if type(error) is RuntimeError and (what := str(error).removeprefix(f"{NO_DERIVATIVE}: ")) != str(error):
        raise SctError("SCT415", f"this value has no derivative: {what}", loc=place, why="it jumps here, or it solves "
                       "no equation, or one whose solution is not smooth", hint="if a solver computes it, change the "
                       "start, the tolerance or the number of iterations, or test its `success`; or write "
                       "`sct.stop_gradient(...)` around the value, if no derivative is meant to pass") from error
    if isinstance(error, MemoryError) and has_tapes:
        raise memory_refusal("the gradient has run out of memory", "the backward pass of a loop needs values of each "
                             "iteration, which are kept", place) from error
    if not hasattr(error, "add_note"):
        return
    note = f"raised by {place.file}:{place.line}: {linecache.getline(place.file, place.line).strip()}"
    if note not in getattr(error, "__notes__", ()):
        error.add_note(note)


_CONVERSIONS = {
    "astropy": "{0}.value", "cupy": "{0}.get()", "dask": "{0}.compute()", "jax": "np.asarray({0})",
    "jaxlib": "np.asarray({0})", "pandas": "{0}.to_numpy()", "pint": "{0}.magnitude", "polars": "{0}.to_numpy()",
    "scipy": "{0}.toarray()", "sympy": "float({0})", "tensorflow": "{0}.numpy()",
    "torch": "{0}.detach().numpy()", "xarray": "{0}.to_numpy()",
}
"""By the package of its class, how to get the array or number out of an object."""

PACKAGES = frozenset(_CONVERSIONS)


def class_in_words(x: object) -> str:
    """The class of an object with its package and an article.

    >>> class_in_words(Fraction(1, 2))
    'a fractions.Fraction'
    """
    cls = type(x)
    package = cls.__module__.partition(".")[0]
    name = cls.__qualname__ if package in ("builtins", "__main__") else f"{package}.{cls.__qualname__}"
    return f"{'an' if name[0] in 'aeiouAEIOU' else 'a'} {name}"


def conversion_hint(x: Any, name: str) -> str:
    """The hint how to convert the argument `x` of the parameter `name`; "" where there is none.

    >>> conversion_hint(Fraction(1, 2), "ratio")
    'pass float(ratio)'
    """
    if isinstance(x, (Decimal, Fraction)):
        return f"pass float({name})"
    if type(x).__name__ == "MaskedArray":
        return f"pass {name}.data and {name}.mask, and write data[~mask]"
    package = type(x).__module__.partition(".")[0]
    return f"pass {_CONVERSIONS[package].format(name)}" if package in _CONVERSIONS else ""


_SNIPPETS = {
    False: "def read():\n    return _name_\n    _name_ = 0\nread()",
    True: "def around():\n    def read():\n        return _name_\n    read()\n    _name_ = 0\naround()",
}


def unbound_error(name: str, *, free: bool) -> tuple[str, str]:
    """The exception and its text; `free`: of a variable of a function around.

    >>> unbound_error("y", free=True)[0]
    'NameError'
    """
    exception, text = _error(free)
    return exception, text.replace("_name_", name)


@functools.cache
def _error(free: bool) -> tuple[str, str]:
    try:
        exec(_SNIPPETS[free], {})
    except NameError as error:
        return type(error).__name__, str(error)
    raise AssertionError("the variable is bound")
