"""Dense derivatives: the function runs once, then its transpose once a row, or its tangent once a column.

    jac = empty((m, n))                          mode="reverse": a basis cotangent of each result
    for i in range(m):
        dy = zeros(m); dy[i] = 1.0
        jac[i] = <the cotangents of x, given dy>

What the function does (prints, draws, raises) is in front of these loops.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import cast

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
from sct.passes.autodiff.cotangents import current, full, zero
from sct.passes.autodiff.forward import forward
from sct.passes.autodiff.linearize import pushed
from sct.passes.autodiff.residuals import Tape
from sct.passes.autodiff.reverse import pulled

__all__ = ["jacobian"]

INDICES = "ijklmnpq"

Step = Callable[[Sequence[Value], Sequence[Operand]], Sequence[Operand]]


def jacobian(fn: Fn, wrt: Sequence[int], seeded: Sequence[int], mode: str, name: str = "jac", *,
             rewrite: Rewrite | None = None) -> Fn:
    """`fn` with the derivatives of the results at `seeded` by the params at `wrt` as further results, row by row."""
    if mode == "forward" and len(wrt) == 1 and not number(fn.params[wrt[0]]).rank:
        return _beside(fn, wrt[0], seeded, rewrite)
    tape = Tape(fn)
    calls = any(eqn.op is call for eqn in walk(fn))
    if calls and any(map(has_effect, fn.eqns)):
        # The tangent of a call runs the function again, its adjoint does not.
        mode = "reverse"
    blocks: dict[tuple[int, int], Operand] = {}
    with Builder(primal=False, rewrite=rewrite) as b:
        if mode == "reverse":
            for y in seeded:
                made = _swept(fn.results[y], [(fn.results[y], fn.params[x]) for x in wrt], mode, name,
                              lambda ct, y=y: pulled(fn, wrt, {y: ct}, tape, among=seeded))  # type: ignore[misc]
                blocks.update(((y, x), block) for x, block in zip(wrt, made))
        else:
            for x in wrt:
                made = _swept(fn.params[x], [(fn.results[y], fn.params[x]) for y in seeded], mode, name,
                              lambda t, x=x: _again(fn, x, t, seeded, rewrite) if calls  # type: ignore[misc]
                              else pushed(fn, {x: t}, seeded, tape))
                blocks.update(((y, x), block) for y, block in zip(seeded, made))
    return fn.with_(eqns=(*tape.taped(fn.eqns), *b.eqns),
                    results=(*fn.results, *(blocks[y, x] for y in seeded for x in wrt)))


def _beside(fn: Fn, x: int, seeded: Sequence[int], rewrite: Rewrite | None) -> Fn:
    """By one number there is one column: its tangents are computed beside the values."""
    with Builder(primal=False, rewrite=rewrite) as b:
        tangent = full(Lit(1.0), fn.params[x])
    made = forward(fn, [x], [tangent], rewrite=rewrite)
    return made.with_(eqns=(*b.eqns, *made.eqns), results=(*fn.results, *_tangents(fn, made, seeded)))


def _again(fn: Fn, x: int, tangent: Operand, seeded: Sequence[int], rewrite: Rewrite | None) -> list[Operand]:
    """The tangents of some results given that of a param, from another run of `fn`."""
    copy = rebuild(fn, fresh=True)
    copy = rebuild(copy, dict(zip(copy.params, fn.params)))
    made = forward(copy.with_(params=fn.params), [x], [tangent], rewrite=rewrite)
    current().eqns += made.eqns
    return _tangents(fn, made, seeded)


def _tangents(fn: Fn, made: Fn, seeded: Sequence[int]) -> list[Operand]:
    """Those of the results at `seeded`, of what `forward` made of `fn`."""
    tangents = dict(zip((k for k, r in enumerate(fn.results) if is_float(r)), made.results[len(fn.results):]))
    return [tangents[k] for k in seeded]


def _swept(over: Operand, pairs: Sequence[tuple[Operand, Operand]], mode: str, name: str,
           apply: Callable[[Operand], Sequence[Operand]]) -> Sequence[Operand]:
    """The blocks of `pairs` (result, param): `apply` of each basis element of `over` is one row or column of each."""
    rank = number(over).rank
    if rank == 0:
        made = apply(full(Lit(1.0), over))
        return [full(x, like) for x, (y, p) in zip(made, pairs) for like in [p if mode == "reverse" else y]]

    def step(at: Sequence[Value], blocks: Sequence[Operand]) -> Sequence[Operand]:
        unit = store(zero(over), 1.0, *at, key=("i",) * rank)
        unit.hint = f"d{over.hint or 'y'}"
        around = [() if mode == "reverse" else ("s000",) * number(y).rank for y, _ in pairs]
        return [store(block, x, *at, key=(*whole, *("i",) * rank))
                for block, x, whole in zip(blocks, apply(unit), around)]

    blocks = []
    for y, x in pairs:
        t = block_type(y, x, mode)
        blocks.append(empty(*_sizes(y), *_sizes(x), dtype=t.dtype))
        blocks[-1].hint = name if len(pairs) == 1 else f"{name}_{(x if mode == 'reverse' else y).hint or 'x'}"
    return _nest(_sizes(over), blocks, step)


def _sizes(x: Operand) -> list[Operand]:
    found: list[Operand] = []
    for axis, size in enumerate(number(x).shape):
        known = size.value
        spelling = "builtins.len" if number(x).rank == 1 else None
        found.append(Lit(known) if known is not None else
                     cast(Operand, current().emit(dim, (x,), {"axis": axis}, spelling=spelling)))
    return found


def _nest(sizes: Sequence[Operand], carries: Sequence[Operand], step: Step, at: Sequence[Value] = ()
          ) -> Sequence[Operand]:
    """A loop for each of `sizes`, `step` in the innermost."""
    if not sizes:
        return step(at, carries)
    i = Value(INT, INDICES[len(at) % len(INDICES)])
    params = [Value(c.type, c.hint) for c in carries]
    with current().nested() as b:
        results = _nest(sizes[1:], params, step, (*at, i))
    body = Fn("body", (i, *params), tuple(b.eqns), (Lit(True), *results))
    finals, _ = emit_loop(current(), (Lit(0), sizes[0], Lit(1)), False, carries, (), body)
    return finals
