"""`except FloatingPointError`: operations raise it only where `np.errstate` or `np.seterr` says so.

    try: y = g(x)                         a guard: np.geterr() has no 'raise' when the derivative is called;
    except FloatingPointError: y = 0.0    what is left are the `raise` statements of the program
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from sct.frontend.state.state import State
from sct.frontend.values.abstract_values import Abstract, Static
from sct.frontend.values.guards import Guard

__all__ = ["SETTERS", "guards_of_settings", "note_settings"]

SETTERS = (np.seterr, np.seterrcall)
"""The functions that set which operations raise a FloatingPointError, from there on."""

_SILENT = frozenset(("ignore", "warn", "print", "log", None))


def note_settings(ev: State, settings: Iterable[Abstract]) -> None:
    """The program says here what operations do in place of raising a FloatingPointError, or that they raise it."""
    if not all(isinstance(v, Static) and isinstance(v.peek, (str, type(None))) and v.peek in _SILENT for v in settings):
        ev.tries.note_float_errors()


def guards_of_settings(ev: State) -> tuple[Guard, ...]:
    """The guard that no operation raises a FloatingPointError, if the program handles that."""
    if ev.tries.handles_float_errors is None:
        return ()
    inside = ev.tries.sets_float_errors
    if inside or not ev.ahead and not _are_silent():
        with ev.at(ev.tries.handles_float_errors):
            ev.refuse("SCT101", "`except FloatingPointError` is not supported where operations of NumPy may raise it",
                      why=f"{'the function' if inside else 'the caller'} lets them raise it, by np.errstate or "
                          "np.seterr, and which of them do is not known",
                      hint="check for the bad case first, with `if`" if inside else
                      "call the derivative where np.geterr() has no 'raise' and no 'call'")
    return (Guard("np.geterr() has no 'raise' and no 'call'", _are_silent,
                  "not any(how in ('raise', 'call') for how in np.geterr().values())"),)


def _are_silent(leaves: Any = ()) -> bool:
    """Do the settings of the caller let no operation of NumPy raise a FloatingPointError?"""
    return {"raise", "call"}.isdisjoint(np.geterr().values())
