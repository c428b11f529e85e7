"""A loop equation taken apart by the roles of its operands, params and results.

    loop(start, stop, step, *inits, *xs), body(index, *params, *elems) -> (go, *results, *yields)
    outs = (*finals, iterations, *ys)
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from sct.ir.build import Builder
from sct.ir.core import Eqn, Fn, Lit, Operand, Value, walk
from sct.ir.types import INT, Seq, Tensor, Type
from sct.ops.program.control import loop
from sct.ops.scalar.arithmetic import add, mul

__all__ = ["Loop", "emit_loop", "flows", "moving_sizes", "parts", "positions"]


@dataclass(frozen=True)
class Loop:
    """The parts of a loop; `bounds` and `index` are empty for a loop that is not counted."""

    eqn: Eqn
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

    @property
    def exits(self) -> bool:
        """May the loop end before its range does?"""
        return self.index is None or self.go != Lit(True)


def parts(eqn: Eqn) -> Loop:
    counted, n, body = bool(eqn.attrs["counted"]), int(eqn.attrs["carries"]), eqn.regions[-1]
    bounds, args, params = eqn.args[:3 * counted], eqn.args[3 * counted:], body.params[counted:]
    go, *results = body.results
    return Loop(
        eqn, body, bounds, args[:n], args[n:], body.params[0] if counted else None, params[:n], params[n:],
        go, tuple(results[:n]), tuple(results[n:]), eqn.outs[:n], eqn.outs[n], eqn.outs[n + 1:])


def emit_loop(builder: Builder, bounds: Sequence[Operand], reverse: bool, inits: Sequence[Operand],
              xs: Sequence[Operand], body: Fn) -> tuple[tuple[Value, ...], tuple[Value, ...]]:
    """Add a counted loop without exits: its final carries and its ys."""
    n = len(inits)
    params, yields = body.params[1:1 + n], body.results[1 + n:]
    types: list[Type] = [*(p.type for p in params), INT, *(Seq(y.type) for y in yields)]
    hints = [*(p.hint for p in params), None, *(y.hint for y in yields)]
    attrs = {"counted": True, "tested": False, "reverse": reverse, "carries": n}
    outs = builder.emit(loop, (*bounds, *inits, *xs), attrs, regions=(body,), types=types, hints=hints)
    return outs[:n], outs[n + 1:]


def positions(loop: Loop) -> Sequence[Operand]:
    """The range of the positions that the loop reached."""
    if not loop.exits:
        return loop.bounds
    if loop.index is None:
        return (Lit(0), loop.iterations, Lit(1))
    start, _, step = loop.bounds
    length = loop.iterations if step == Lit(1) else mul(loop.iterations, step)
    return (start, length if start == Lit(0) else add(start, length), step)


def moving_sizes(fn: Fn) -> set[str]:
    """Names of the sizes that are others in another iteration of a loop in `fn`:  v = v[1:]"""
    found: set[str] = set()
    for eqn in walk(fn):
        if eqn.op is loop:
            made = parts(eqn)
            for p, r in zip(made.params, made.results):
                if isinstance(p.type, Tensor) and isinstance(r.type, Tensor):
                    found.update(*(d.symbols for d, after in zip(p.type.shape, r.type.shape) if d != after))
    return found


def flows(eqn: Eqn) -> Iterator[tuple[Operand, Value]]:
    """How values get into and out of the regions of a `cond` or a loop: (source, target)."""
    if eqn.op.name == "cond":
        for branch in eqn.regions:
            yield from zip(branch.results, eqn.outs)
    elif eqn.op.name == "loop":
        loop = parts(eqn)
        yield from zip(loop.xs, loop.elems)
        yield from zip(loop.yields, loop.ys)
        for sources in (loop.inits, loop.results):
            yield from zip(sources, loop.params)
            yield from zip(sources, loop.finals)
