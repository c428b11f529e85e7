"""What the function itself would raise here: it is raised when the derivative runs, and not before.

    d["c"]   ->   raise KeyError("c")
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NoReturn

from sct.frontend.evaluator import Dead, Evaluator
from sct.ir import Lit
from sct.ops import raise_
from sct.ops.effects import python

__all__ = ["attempted", "die"]


def die(ev: Evaluator, exception: str, *args: Any) -> NoReturn:
    """Raise a builtin exception at run time, here; nothing after it is evaluated."""
    ev.emit(raise_, ev.emit(python, *map(Lit, args), callee=exception))
    raise Dead


def attempted(ev: Evaluator, run: Callable[[], Any]) -> Any:
    """`run()`, on what is known now; what it raises, the program raises when it comes to this place."""
    try:
        return run()
    except (LookupError, TypeError, ValueError, AttributeError, ArithmeticError, ImportError) as error:
        if any(not isinstance(a, (str, int, float, bool, type(None))) for a in error.args):
            ev.refuse("SCT505", f"this fails: {error!r}")
        die(ev, type(error).__name__, *error.args)
