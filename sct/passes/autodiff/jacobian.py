"""Dense derivatives: the function runs once, then its pullback once for each row or its pushforward for each column.

    jac = empty((m, n))                          mode="reverse": a basis cotangent of each result
    for i in range(m):
        dy = zeros(m); dy[i] = 1.0
        jac[i] = <the cotangents of x, given dy>

In:  a region, and which of its params and results to differentiate. Out: the region with one block of the Jacobian for
each pair as a further result. The effects of the function stand before the loops over rows or columns and happen once.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import cast

from sct.errors import SctError
from sct.ir.build import Builder, Rewrite
from sct.ir.core import Fn, Lit, Operand, Value, has_effect, is_float, rebuild, walk
from sct.ir.types import INT
from sct.ops.arrays.creation import empty
from sct.ops.arrays.indexing import store
from sct.ops.arrays.shape import dim
from sct.ops.program.call_ops import call
from sct.ops.program.control import block_type
from sct.ops.type_rules import number
from sct.passes.analysis.loop_layout import emit_loop
from sct.passes.autodiff.cotangents import current, materialize, zero
from sct.passes.autodiff.forward import forward
from sct.passes.autodiff.linearize import pushforward
from sct.passes.autodiff.residuals import ResidualTaps
from sct.passes.autodiff.reverse import pullback

__all__ = ["derivative_blocks", "jacobian", "tangents_again"]

INDICES = "ijklmnpq"

SweepStep = Callable[[Sequence[Value], Sequence[Operand]], Sequence[Operand]]


def jacobian(fn: Fn, wrt: Sequence[int], seeded: Sequence[int], mode: str, name: str = "jac", *,
             rewrite: Rewrite | None = None) -> Fn:
    """`fn` with the derivatives of the results at `seeded` by the params at `wrt` as further results, row by row."""
    if mode == "forward" and len(wrt) == 1 and not number(fn.params[wrt[0]]).rank:
        return _single_column(fn, wrt[0], seeded, rewrite)
    taps = ResidualTaps(fn)
    calls = any(eqn.op is call for eqn in walk(fn))
    if calls and any(map(has_effect, fn.eqns)):
        # In forward mode a call runs its function again, in reverse mode it does not.
        if any(number(fn.results[y]).kind == "c" for y in seeded) and not all(
                number(fn.params[x]).kind == "c" for x in wrt):
            raise SctError("SCT405", "the output is complex, and the function has effects", hint="move the effects out")
        mode = "reverse"
    with Builder(primal=False, rewrite=rewrite) as b:
        blocks = derivative_blocks(fn, wrt, seeded, mode, taps, name)
    return fn.replace(eqns=(*taps.with_taps(fn.eqns), *b.eqns),
                      results=(*fn.results, *(blocks[y, x] for y in seeded for x in wrt)))


def derivative_blocks(fn: Fn, wrt: Sequence[int], seeded: Sequence[int], mode: str, taps: ResidualTaps,
                      name: str = "jac") -> dict[tuple[int, int], Operand]:
    """Add the derivatives of the results of `fn` at `seeded` by its params at `wrt` to the current block.

    The block reads the values of `fn` through `taps`.
    """
    blocks: dict[tuple[int, int], Operand] = {}
    if mode == "reverse":
        for y in seeded:
            row = _sweep(fn.results[y], [(fn.results[y], fn.params[x]) for x in wrt], mode, name,
                         lambda ct, y=y: pullback(fn, wrt, {y: ct}, taps, among=seeded))  # type: ignore[misc]
            blocks.update(((y, x), block) for x, block in zip(wrt, row))
        return blocks
    calls = any(eqn.op is call for eqn in walk(fn))
    for x in wrt:
        column = _sweep(fn.params[x], [(fn.results[y], fn.params[x]) for y in seeded], mode, name,
                        lambda t, x=x: tangents_again(fn, {x: t}, seeded) if calls  # type: ignore[misc]
                        else pushforward(fn, {x: t}, seeded, taps))
        blocks.update(((y, x), block) for y, block in zip(seeded, column))
    return blocks


def _single_column(fn: Fn, x: int, seeded: Sequence[int], rewrite: Rewrite | None) -> Fn:
    """The derivative by a number has one column: its tangents are computed beside the primal values."""
    with Builder(primal=False, rewrite=rewrite) as b:
        tangent = materialize(Lit(1.0), fn.params[x])
    tangent_fn = forward(fn, [x], [tangent], rewrite=rewrite)
    results = (*fn.results, *_tangents(fn, tangent_fn, seeded))
    return tangent_fn.replace(eqns=(*b.eqns, *tangent_fn.eqns), results=results)


def tangents_again(fn: Fn, tangents: Mapping[int, Operand], seeded: Sequence[int]) -> list[Operand]:
    """Add the tangents of some results, given those of some params, to the current block, from a copy of `fn`."""
    copy = rebuild(fn, fresh=True)
    copy = rebuild(copy, dict(zip(copy.params, fn.params)))
    tangent_fn = forward(copy.replace(params=fn.params), list(tangents), list(tangents.values()),
                         rewrite=current().rewrite)
    current().eqns += tangent_fn.eqns
    return _tangents(fn, tangent_fn, seeded)


def _tangents(fn: Fn, tangent_fn: Fn, seeded: Sequence[int]) -> list[Operand]:
    """The tangents of the results at `seeded`; `tangent_fn` is the forward derivative of `fn`."""
    tangents = dict(zip((k for k, r in enumerate(fn.results) if is_float(r)), tangent_fn.results[len(fn.results):]))
    return [tangents[k] for k in seeded]


def _sweep(over: Operand, pairs: Sequence[tuple[Operand, Operand]], mode: str, name: str,
           apply: Callable[[Operand], Sequence[Operand]]) -> Sequence[Operand]:
    """The blocks of `pairs` (result, param): `apply` maps a basis element of `over` to one row or column of each."""
    rank = number(over).rank
    if rank == 0:
        derivatives = apply(materialize(Lit(1.0), over))
        likes = [x if mode == "reverse" else y for y, x in pairs]
        return [materialize(d, like) for d, like in zip(derivatives, likes)]

    def step(position: Sequence[Value], blocks: Sequence[Operand]) -> Sequence[Operand]:
        unit = store(zero(over), 1.0, *position, key=("i",) * rank)
        unit.hint = f"d{over.hint or 'y'}"
        around = [() if mode == "reverse" else ("s000",) * number(y).rank for y, _ in pairs]
        return [store(block, x, *position, key=(*whole, *("i",) * rank))
                for block, x, whole in zip(blocks, apply(unit), around)]

    blocks = []
    for y, x in pairs:
        t = block_type(y, x, mode)
        blocks.append(empty(*_sizes(y), *_sizes(x), dtype=t.dtype))
        blocks[-1].hint = name if len(pairs) == 1 else f"{name}_{(x if mode == 'reverse' else y).hint or 'x'}"
    return _loop_nest(_sizes(over), blocks, step)


def _sizes(x: Operand) -> list[Operand]:
    sizes: list[Operand] = []
    for axis, size in enumerate(number(x).shape):
        static = size.value
        spelling = "builtins.len" if number(x).rank == 1 else None
        sizes.append(Lit(static) if static is not None else
                     cast(Operand, current().emit(dim, (x,), {"axis": axis}, spelling=spelling)))
    return sizes


def _loop_nest(sizes: Sequence[Operand], carries: Sequence[Operand], step: SweepStep, position: Sequence[Value] = ()
          ) -> Sequence[Operand]:
    """A loop for each of `sizes`, with `step` in the innermost."""
    if not sizes:
        return step(position, carries)
    i = Value(INT, INDICES[len(position) % len(INDICES)])
    params = [Value(c.type, c.hint) for c in carries]
    with current().nested() as b:
        results = _loop_nest(sizes[1:], params, step, (*position, i))
    body = Fn("body", (i, *params), tuple(b.eqns), (Lit(True), *results))
    finals, _ = emit_loop(current(), (Lit(0), sizes[0], Lit(1)), False, carries, (), body)
    return finals
