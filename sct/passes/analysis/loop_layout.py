"""Loops that differentiation adds, and how values move through loops and conditionals."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from sct.ir.build import Builder
from sct.ir.core import Eqn, Fn, Lit, Operand, Value, walk
from sct.ir.loop_view import LoopView, loop_view
from sct.ir.types import INT, Seq, Tensor, Type, join
from sct.ops.program.control import loop
from sct.ops.scalar.arithmetic import add, mul

__all__ = ["emit_loop", "flows", "moving_sizes", "positions", "type_after_iteration"]


def emit_loop(builder: Builder, bounds: Sequence[Operand], reverse: bool, inits: Sequence[Operand],
              xs: Sequence[Operand], body: Fn, *,
              mirrors: tuple[int, ...] = (), **attrs: Any) -> tuple[tuple[Value, ...], tuple[Value, ...]]:
    """Add a counted loop without exits; (its final carries, its ys)."""
    n = len(inits)
    params, yields = body.params[1:1 + n], body.results[1 + n:]
    types: list[Type] = [*(p.type for p in params), INT, *(Seq(y.type) for y in yields)]
    hints = [*(p.hint for p in params), None, *(y.hint for y in yields)]
    attrs = {"counted": True, "tested": False, "reverse": reverse, "carries": n, "mirrors": mirrors, **attrs}
    outs = builder.emit(loop, (*bounds, *inits, *xs), attrs, regions=(body,), types=types, hints=hints)
    return outs[:n], outs[n + 1:]


def positions(loop: LoopView) -> Sequence[Operand]:
    """The range of the positions that the loop reached."""
    if not loop.exits:
        return loop.bounds
    if loop.index is None:
        return (Lit(0), loop.iterations, Lit(1))
    start, _, step = loop.bounds
    length = loop.iterations if step == Lit(1) else mul(loop.iterations, step)
    return (start, length if start == Lit(0) else add(start, length), step)


def type_after_iteration(param: Type, result: Type) -> Type:
    """The type of a carry at the end of an iteration, which may leave it with other sizes."""
    both = join(param, result)
    if not (isinstance(both, Tensor) and isinstance(result, Tensor)):
        return both
    return Tensor(both.carrier, both.dtype, result.shape)


def moving_sizes(fn: Fn) -> set[str]:
    """Names of the sizes that differ between the iterations of a loop in `fn`:  v = v[1:]"""
    names: set[str] = set()
    for eqn in walk(fn):
        if eqn.op is loop:
            view = loop_view(eqn)
            for p, r in zip(view.params, view.results):
                if isinstance(p.type, Tensor) and isinstance(r.type, Tensor):
                    names.update(*(d.symbols for d, after in zip(p.type.shape, r.type.shape) if d != after))
    return names


def flows(eqn: Eqn) -> Iterator[tuple[Operand, Value]]:
    """The pairs (source, target) by which values enter and leave the regions of a `cond` or loop."""
    if eqn.op.name == "cond":
        for branch in eqn.regions:
            yield from zip(branch.results, eqn.outs)
    elif eqn.op.name == "loop":
        loop = loop_view(eqn)
        yield from zip(loop.xs, loop.elems)
        yield from zip(loop.yields, loop.ys)
        for sources in (loop.inits, loop.results):
            yield from zip(sources, loop.params)
            yield from zip(sources, loop.finals)
