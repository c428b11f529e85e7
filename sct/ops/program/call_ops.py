"""Calls of the functions of a program, and what the two parts of a differentiated one hand over.

    y, r = call(x, callee="f_forward")          dx, = call(x, r, dy, callee="f_backward")

`reverse` writes both parts as one function, `boundary` between them: what the backward
part reads of the forward part is then an ordinary value.  The pass `split` makes two
functions of it, the values that cross the boundary a record: `pack`, `unpack`.
"""

from __future__ import annotations

from typing import Any, NoReturn

from sct.ir.core import Operand
from sct.ir.types import Residuals, Seq, Tensor, Type
from sct.ops.registry import op, placeholders

__all__ = ["boundary", "call", "pack", "unpack"]


def given(*_: Operand, types: tuple[Type, ...], **__: Any) -> tuple[Type, ...]:
    """The types of the outs are an attr: who makes the call knows the function."""
    return types


def by_driver(*_: Any, **__: Any) -> NoReturn:
    raise NotImplementedError("the drivers of reverse and forward mode differentiate calls")


call = op("call", type=given, defaults={"effect": False, "donates": (), "recomputed": False}, cost="dear",
          raises="value", vjp=by_driver, jvp=by_driver, complex=True,
          emit=lambda *args, callee, **_: f"{callee}({', '.join(placeholders(len(args)))})")
"""callee   the name of the function
types    the types of its results
effect   does it have one?
donates  pairs (operand, out): the function may compute the out in the operand's buffer
recomputed  the transpose evaluates the function again, and keeps no record of this call"""

boundary = op("boundary", type=given, effect=True, cost="never", nondiff="it is between the parts of a function",
              complex=True)
"""The results of the forward part -> the params of the backward part that are not residuals.

of       the name of the records
params   the positions of the params of the function that the backward part takes too
buffers  pairs (out, cotangent): the out is donated to the cotangent"""


def run_pack(*args: Any, of: str) -> tuple[Any, ...]:
    return args


def emit_pack(*args: Operand, of: str) -> str:
    """A record of one number, array or list is that; None, and records in records, are told from it."""
    if len(args) == 1:
        return "_0" if isinstance(args[0].type, (Tensor, Seq)) else "(_0,)"
    return f"({', '.join(placeholders(len(args)))})"


def emit_unpack(_: Operand, types: tuple[Type, ...]) -> str:
    return "_0[0]" if len(types) == 1 and not isinstance(types[0], (Tensor, Seq)) else "_0"


def run_unpack(record: tuple[Any, ...], **_: Any) -> tuple[Any, ...]:
    return record


pack = op("pack", type=lambda *_, of: Residuals(of), run=run_pack, emit=emit_pack, cost="free", vjp=by_driver,
          jvp=by_driver, complex=True)
unpack = op("unpack", type=given, run=run_unpack, emit=emit_unpack, cost="free", vjp=by_driver, jvp=by_driver,
            complex=True)
