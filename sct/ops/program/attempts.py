"""Attempts: an op of the user's that may raise an exception that the user's function catches.

    try: y = math.log(x)           ->   ok, e, y = attempt(x, of="log", catches=("ValueError",))
    except ValueError as e: ...         cond(ok, ...)

`ok` tells which path is taken, so the paths are the branches of a conditional, which has a derivative. The exception
and the results are unassigned on the path that has none.
"""

from __future__ import annotations

import builtins
import importlib
import operator
from typing import Any

import numpy as np

from sct.ir.core import UNDEF, Eqn, Operand, is_effect
from sct.ir.interp import call
from sct.ir.real_ints import result_type
from sct.ir.types import BOOL, Type, Undef
from sct.ops.arrays.indexing import subscript, subscript_text
from sct.ops.program.effects import OBJECT, raise_
from sct.ops.registry import OPS, op, placeholders

__all__ = ["attempt", "attempted", "is_caught", "is_of_raise", "may_not_repeat", "trial", "trial_in_place"]


def type_attempt(*args: Operand, of: str, attrs: tuple[tuple[str, Any], ...] = (), spelled: str | None = None,
                 classes: int = 0, gives: int = 1, **_: Any) -> tuple[Type, ...]:
    """A bool, the exception, and the results of the op."""
    result = result_type(OPS[of], args[:len(args) - classes], dict(attrs), spelled)
    types = result if isinstance(result, tuple) else (result,)
    return BOOL, Undef(OBJECT), *(t if isinstance(t, Undef) else Undef(t) for t in types[:gives])


def run_attempt(*args: Any, of: str, attrs: tuple[tuple[str, Any], ...] = (), spelled: str | None = None,
                classes: int = 0, gives: int = 1, catches: tuple[str, ...] = ()) -> tuple[Any, ...]:
    split = len(args) - classes
    try:
        result = call(OPS[of], args[:split], dict(attrs), spelled)
    except (*map(_class, catches), *args[split:]) as error:
        return False, error, *[UNDEF] * gives
    return True, UNDEF, *((result,) if gives == 1 else result if gives else ())


def _class(name: str) -> Any:
    module, _, cls = name.rpartition(".")
    return getattr(importlib.import_module(module or "builtins"), cls)


attempt = op("attempt", type=type_attempt, run=run_attempt, raises="value", effect=True, cost="never", emit="_0",
             defaults={"attrs": (), "spelled": None, "classes": 0, "gives": 1, "catches": ()},
             nondiff="the drivers differentiate what it runs")
"""Run the op `of`, spelled `spelled`, with `attrs`. The classes of exceptions that are caught are named by `catches`,
and the last `classes` operands. If it `gives` no result, the op runs again behind it: it makes a view, or updates."""


def attempted(eqn: Eqn) -> Eqn:
    """The equation that an attempt runs; any other equation itself."""
    if eqn.op is not attempt:
        return eqn
    split = len(eqn.args) - eqn.attrs["classes"]
    return Eqn(OPS[eqn.attrs["of"]], eqn.args[:split], eqn.outs[2:], dict(eqn.attrs["attrs"]), (),
               eqn.attrs["spelled"], eqn.primal, eqn.loc)


def may_not_repeat(eqn: Eqn) -> bool:
    """Has the equation an effect that must not happen twice?  An attempt of arithmetic has none."""
    return is_effect(attempted(eqn))


def is_of_raise(eqn: Eqn) -> bool:
    """Does this raise an exception, or make one?"""
    callee = getattr(builtins, str(eqn.attrs.get("callee", "")).removeprefix("builtins."), None)
    return eqn.op is raise_ or isinstance(callee, type) and issubclass(callee, BaseException)


def run_is_caught(error: BaseException, *classes: Any, catches: tuple[str, ...] = ()) -> bool:
    return isinstance(error, (*map(_class, catches), *classes))


def emit_is_caught(_: Operand, *classes: Operand, catches: tuple[str, ...] = ()) -> str:
    names = [*catches, *(f"_{k}" for k in range(1, len(classes) + 1))]
    return f"isinstance(_0, {names[0] if len(names) == 1 else '(' + ', '.join(names) + ')'})"


is_caught = op("is_caught", type=lambda *_, **__: BOOL, run=run_is_caught, emit=emit_is_caught,
               defaults={"catches": ()}, nondiff="a comparison")
"""Is the exception of one of these classes?"""


def emit_trial(x: Operand, value: Operand, *operands: Operand, key: tuple[str, ...]) -> str:
    items = subscript_text(key, placeholders(len(operands) + 2, 2))
    if any(k[0] == "s" for k in key):
        items = f"numpy.s_[{items}]"
    elif len(key) > 1:
        items = f"({items})"
    return f"operator.setitem(numpy.empty_like(_0), {items}, _1)"


def run_trial(x: Any, value: Any, *operands: Any, key: tuple[str, ...]) -> None:
    operator.setitem(np.empty_like(x), subscript(key, operands), value)


trial = op("trial", type=lambda *_, **__: OBJECT, run=run_trial, emit=emit_trial, raises="value", key_at=2,
           nondiff="it has no result")
"""Raises what `store` raises; of use in an attempt alone."""


def run_trial_in_place(x: Any, y: Any, ufunc: str) -> None:
    getattr(np, ufunc.removeprefix("numpy."))(x, y, out=np.empty_like(x))


trial_in_place = op("trial_in_place", type=lambda *_, **__: OBJECT, run=run_trial_in_place, raises="value",
                    emit=lambda *_, ufunc: f"{ufunc}(_0, _1, out=numpy.empty_like(_0))", nondiff="it has no result")
"""Raises what the augmented assignment `x += y` raises, with its text; of use in an attempt alone."""
