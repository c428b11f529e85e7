"""Arrays on tapes: arrays that an outer loop keeps, in place of what the iterations of an inner loop read of them.

    for k: tape.append(A); for j: A[:, j] *= 2.0   |   for k: A = tape.pop(); ... A[:, k:] ...

In:  a function, and the arrays. Out: the function whose forward loops yield them, and whose backward loops read them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sct.ir.core import Eqn, Fn, Value
from sct.ir.types import Seq

__all__ = ["NewTape", "with_tapes"]


@dataclass(frozen=True)
class NewTape:
    """The loop with the out `forward` yields `array`, which the one with the out `backward` reads as `elem`."""

    forward: Value
    array: Value
    backward: Value
    elem: Value


def with_tapes(fn: Fn, tapes: Sequence[NewTape]) -> Fn:
    """`fn` with these tapes; each array is kept once."""
    return _Tapes(tapes).region(fn) if tapes else fn


class _Tapes:
    def __init__(self, tapes: Sequence[NewTape]) -> None:
        self.tapes = tapes
        self.sequences = {tape.array: Value(Seq(tape.array.type)) for tape in tapes}

    def region(self, fn: Fn) -> Fn:
        return fn.replace(eqns=tuple(map(self.eqn, fn.eqns)))

    def eqn(self, eqn: Eqn) -> Eqn:
        if not eqn.regions:
            return eqn
        eqn = eqn.replace(regions=tuple(map(self.region, eqn.regions)))
        kept = {tape.array: None for tape in self.tapes if tape.forward in eqn.outs}
        read = [tape for tape in self.tapes if tape.backward in eqn.outs]
        if not kept and not read:
            return eqn
        *tests, body = eqn.regions
        body = body.replace(params=(*body.params, *(tape.elem for tape in read)), results=(*body.results, *kept))
        return eqn.replace(args=(*eqn.args, *(self.sequences[tape.array] for tape in read)), regions=(*tests, body),
                           outs=(*eqn.outs, *(self.sequences[array] for array in kept)))
