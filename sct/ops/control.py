"""Ops with regions: branches, loops and derivatives of functions.

The builder is given the types of their outs; passes and codegen know these ops one by one.
"""

from __future__ import annotations

from typing import Any, NoReturn

from sct.ir.core import Op
from sct.ir.types import TypeMismatch
from sct.ops.registry import op

__all__ = ["closure", "cond", "jvp", "loop", "pullback", "vjp"]


def control(name: str, **defaults: Any) -> Op:
    """An op with regions."""

    def given(*_: Any, **__: Any) -> NoReturn:
        raise TypeMismatch(f"the types of `{name}` are given by who builds it")

    return op(name, type=given, defaults=defaults, raises="value", cost="dear",
              nondiff="control flow: the drivers differentiate its regions")


cond = control("cond")
loop = control("loop", counted=False, tested=False, reverse=False)
vjp = control("vjp")
jvp = control("jvp")
pullback = control("pullback")
closure = control("closure")
