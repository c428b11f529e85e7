"""Which refusal is shown, where a program was evaluated in several ways, and refused each time."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from typing import Any

from sct.errors import Loc, SctError, came_further, is_behind
from sct.frontend.evaluator.operands import OF_ROWS

__all__ = ["OF_OBJECTS", "drop_answered", "furthest", "of_attempts", "or_of_rows"]

OF_OBJECTS = ("SCT108", "SCT204", "SCT301", "SCT302", "SCT303", "SCT307", "SCT310", "SCT502", "SCT503", "SCT505")
"""The codes of refusals of programs that may be accepted if objects are rows of columns."""


def drop_answered(refusals: list[SctError], by_way: dict[Any, SctError], positions: Collection[Loc]) -> None:
    """Forgets refusals of what must be known at these places, where the next attempt takes it as known at run time."""
    def is_answered(r: SctError) -> bool:
        return r.code == "SCT505" and r.loc in positions

    refusals[:] = [r for r in refusals if not is_answered(r)]
    for way in [way for way, r in by_way.items() if is_answered(r)]:
        del by_way[way]


def furthest(refusals: Iterable[SctError], met: Iterable[SctError] = ()) -> SctError:
    """The refusal of the attempt that came furthest in the function; of several at one place, the most specific.

    met  refusals of other attempts, which left calls to Python: one that came further than the call in which the
         refused operation is; where that operation itself was left to Python, it stays the reason
    """
    first, *others = refusals
    for other in others:
        asks_more = first.code == "SCT505" != other.code and first.loc == other.loc
        if _is_further(other, first, or_if=asks_more or other.code == "SCT204"):
            first = other
    reason = first.loc
    for other in met:
        if came_further(other, first) and reason not in other.evaluated:
            first = other
    return first


def of_attempts(refusals: Sequence[SctError]) -> SctError:
    """The refusal to show of those of attempts with lists in several forms: the first, unless another came further.

    A refusal of what is to be differentiated by counts as the first.
    """
    first = next((r for r in refusals if r.code == "SCT407"), refusals[0])
    for other in refusals:
        if _is_further(other, first):
            first = other
    return first


def _is_further(other: SctError, first: SctError, or_if: bool = False) -> bool:
    """Did the attempt that `other` ended come further?  Where neither did, the place decides, or `or_if`."""
    return came_further(other, first) or (or_if or is_behind(other, first)) and not came_further(first, other)


def or_of_rows(refusal: SctError, of_rows: SctError) -> SctError:
    """That of the attempt with dicts and tuples as rows, if it came further, or is the reason: where not one operation
    was refused, but what comes out of recursion or a loop."""
    about_trees = refusal.code in ("SCT204", "SCT310") or is_behind(of_rows, refusal)
    return of_rows if of_rows.why == OF_ROWS and about_trees or came_further(of_rows, refusal) else refusal
