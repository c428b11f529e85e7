"""A loop equation by the roles of its operands, params, results and outs.

    loop(start, stop, step, *inits, *xs), body(index, *params, *elems) -> (go, *results, *yields)
    outs = (*finals, iterations, *ys)
"""

from __future__ import annotations

import sys
from dataclasses import dataclass

from sct.ir.core import Eqn, Fn, Lit, Operand, Value

__all__ = ["WITHOUT_END", "LoopView", "is_counted", "loop_view"]

WITHOUT_END = Lit(sys.maxsize)
"""The bound of a range that only an exit ends."""


def is_counted(bounds: tuple[Operand, ...]) -> bool:
    """Does a loop with these bounds run over a range that ends?"""
    return bool(bounds) and bounds[1] not in (WITHOUT_END, Lit(-WITHOUT_END.value))


@dataclass(frozen=True)
class LoopView:
    """A loop equation by the roles of its operands, params, results and outs; `test` is None if it is not tested."""

    eqn: Eqn
    test: Fn | None
    body: Fn
    bounds: tuple[Operand, ...]
    inits: tuple[Operand, ...]
    xs: tuple[Operand, ...]
    index: Value | None
    params: tuple[Value, ...]
    elems: tuple[Value, ...]
    go: Operand
    results: tuple[Operand, ...]
    yields: tuple[Operand, ...]
    finals: tuple[Value, ...]
    iterations: Value
    ys: tuple[Value, ...]
    reverse: bool

    @property
    def exits(self) -> bool:
        """May the loop end before its range does?"""
        return self.index is None or self.go != Lit(True)


def loop_view(eqn: Eqn) -> LoopView:
    counted, n, body = bool(eqn.attrs.get("counted")), int(eqn.attrs["carries"]), eqn.regions[-1]
    args, params = eqn.args[3 * counted:], body.params[counted:]
    go, *results = body.results
    return LoopView(
        eqn, eqn.regions[0] if eqn.attrs.get("tested") else None, body, eqn.args[:3 * counted], args[:n], args[n:],
        body.params[0] if counted else None, params[:n], params[n:], go, tuple(results[:n]), tuple(results[n:]),
        eqn.outs[:n], eqn.outs[n], eqn.outs[n + 1:], bool(eqn.attrs.get("reverse")))
