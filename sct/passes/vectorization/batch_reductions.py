"""Replaces a sum of outer products that a loop accumulates by one matrix product after the loop:

    for t ...: dW += outer(a, b)     ->     for t ...: A[t] = a; B[t] = b
                                            dW = A.T @ B

A sum `dv += a` of the same `a` becomes the sum of the rows of A. A tape of such vectors becomes a matrix itself.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import Any, cast

from sct.ir.build import Builder
from sct.ir.core import Eqn, Fn, Lit, Operand, Value, rebuild, regions
from sct.ir.dims import Dim
from sct.ir.loop_view import LoopView, loop_view
from sct.ir.types import Tensor
from sct.ir.uses import DefUse
from sct.ops.arrays.creation import empty
from sct.ops.arrays.indexing import index, store
from sct.ops.arrays.shape import dim, transpose
from sct.ops.linalg.products import matmul
from sct.ops.reductions.reductions import sum_
from sct.ops.scalar.arithmetic import add
from sct.ops.scalar.selection import pymax

__all__ = ["batch_reductions"]


def batch_reductions(fn: Fn) -> Fn:
    """`fn` with sums of outer products computed after their loops."""
    return _BatchReductions(fn).run()


@dataclass
class _LoopChanges:
    """Carries that a loop leaves as they are, tapes that it reads no more, and carries (init, param, result, out)
    that it gets."""

    constant: set[int] = field(default_factory=set)
    unread: set[Operand] = field(default_factory=set)
    carries: list[tuple[Value, Value, Value, Value]] = field(default_factory=list)


class _BatchReductions:
    """
    rows         for a value in a loop: the matrix of its values, one row for each iteration
    sizes        for a size: an argument that has it, and the axis
    changes      for a loop: its changes
    before       for an equation: the new equations in front of it
    after        for an equation, or for a region: the new equations behind it, or at the start of the region
    replacement  for a value: the value that is read in its place
    """

    def __init__(self, fn: Fn) -> None:
        self.fn, self.def_use = fn, DefUse(fn)
        self.rows: dict[Operand, Value] = {}
        self.sizes: dict[Dim, tuple[Value, int]] = {}
        self.changes: dict[Eqn, _LoopChanges] = defaultdict(_LoopChanges)
        self.before: dict[Eqn, list[Eqn]] = defaultdict(list)
        self.after: dict[Eqn | Fn, list[Eqn]] = defaultdict(list)
        self.replacement: dict[Value, Operand] = {}
        for p in fn.params:
            for k, d in enumerate(p.type.shape if isinstance(p.type, Tensor) else ()):
                self.sizes.setdefault(d, (p, k))

    def run(self) -> Fn:
        loops = [eqn for region in regions(self.fn) for eqn in region.eqns if _counts_up(eqn) and not eqn.primal]
        changes = [self.loop(loop_view(eqn)) for eqn in loops]
        return rebuild(self.rebuilt(self.fn), self.replacement) if any(changes) else self.fn

    def loop(self, loop: LoopView) -> bool:
        """Take the sums of outer products out of a loop; were there any?"""
        carries = range(len(loop.params))
        products = [(k, vectors) for k in carries if (vectors := self.outer_product(loop, k)) is not None]
        for k, (a, b) in products:
            rows = self.matrix(loop, a), self.matrix(loop, b)
            self.replace_carry(loop, k, lambda x, y: matmul(transpose(x), y), *rows)
        for k in carries if products else ():
            total = self.addend(loop, k)
            if total in self.rows and k not in self.changes[loop.eqn].constant:
                self.replace_carry(loop, k, partial(sum_, axis=0), self.rows[total])
        return bool(products)

    def is_read_once(self, x: Operand) -> bool:
        return isinstance(x, Value) and len(self.def_use.uses(x)) <= 1

    def is_bound_in(self, x: Operand, region: Fn) -> bool:
        return isinstance(x, Value) and self.def_use.home.get(x) is region

    def addend(self, loop: LoopView, k: int) -> Operand | None:
        """The term that each iteration adds to the carry `k`, if it does not use the carry otherwise."""
        p, r = loop.params[k], loop.results[k]
        eqn = self.def_use.defining_eqn(r)
        if eqn is None or not self.is_bound_in(r, loop.body) or eqn.primal or eqn.op is not add \
                or p not in eqn.args or not self.is_read_once(p) or not self.is_read_once(r):
            return None
        return eqn.args[1 - eqn.args.index(p)]

    def outer_product(self, loop: LoopView, k: int) -> tuple[Value, Value] | None:
        """The vectors, computed in each iteration, whose outer product is added to the carry `k`."""
        total = self.addend(loop, k)
        eqn = self.def_use.defining_eqn(total) if total is not None else None
        if eqn is None or total is None or eqn.op.name != "outer" or not self.is_bound_in(total, loop.body) \
                or not self.is_read_once(total):
            return None
        a, b = eqn.args
        are_vectors = all(isinstance(x, Value) and self.is_bound_in(x, loop.body) and _is_vector(x, eqn.out)
                          and self.has_size(x) for x in (a, b))
        return (cast(Value, a), cast(Value, b)) if are_vectors else None

    def has_size(self, x: Value) -> bool:
        (d,) = cast(Tensor, x.type).shape
        return d.value is not None or d in self.sizes

    def replace_carry(self, loop: LoopView, k: int, product: Callable[..., Any], *rows: Value) -> None:
        """Keep the carry `k` constant and add the product of the rows to it after the loop."""
        init, out = self.replacement.get(cast(Value, loop.inits[k]), loop.inits[k]), loop.finals[k]
        initial = self.def_use.defining_eqn(init)

        def total() -> Any:
            return product(*rows) if initial is not None and initial.op.fill == 0.0 else add(init, product(*rows))

        sum_after, eqns = _built(total)
        sum_after.hint = out.hint
        self.after[loop.eqn][:0] = eqns
        self.changes[loop.eqn].constant.add(k)
        self.replacement[out] = sum_after

    # -- matrices -------------------------------------------------------------------------

    def matrix(self, loop: LoopView, x: Value) -> Value:
        """The matrix whose rows are the values of `x` in the iterations."""
        if x not in self.rows:
            create = self.matrix_of_tape if x in loop.elems else self.new_matrix
            self.rows[x] = self.existing_matrix(loop, x) or create(loop, x)
        return self.rows[x]

    def existing_matrix(self, loop: LoopView, x: Value) -> Value | None:
        """The matrix whose rows the loop reads as `x`; None if `x` is computed."""
        eqn = self.def_use.defining_eqn(x)
        if eqn is None or eqn.op is not index or eqn.attrs["key"] != ("i",) or eqn.args[1] is not loop.index:
            return None
        rows = eqn.args[0]
        if not isinstance(rows, Value) or not isinstance(rows.type, Tensor):
            return None  # a list of arrays is no matrix
        inside = any(self.is_bound_in(rows, region) for region in regions(loop.body))
        return rows if not inside and rows.type.shape[0] == loop.bounds[1].dim else None

    def is_count(self, iterations: Operand) -> bool:
        """Is this the number of iterations that a loop has run?"""
        eqn = self.def_use.defining_eqn(iterations)
        return eqn is not None and eqn.op.name == "loop" and iterations is loop_view(eqn).iterations

    def new_matrix(self, loop: LoopView, x: Value) -> Value:
        """A new matrix; each iteration of `loop` writes one of its rows."""
        (width,) = cast(Tensor, x.type).shape

        def allocate() -> Any:
            columns: Any = width.value
            if columns is None:
                argument, axis = self.sizes[width]
                columns = dim(argument, axis=axis)
            iterations = loop.bounds[1]
            positive = iterations.dim is not None and iterations.dim.least >= 0 or self.is_count(iterations)
            return empty(iterations if positive else pymax(iterations, 0), columns, dtype=cast(Tensor, x.type).dtype)

        init, eqns = _built(allocate)
        self.before[loop.eqn] += eqns
        hint = f"{x.hint}s" if x.hint else "rows"
        param, out = Value(init.type, hint), Value(init.type, hint)
        result, eqns = _built(lambda: store(param, x, cast(Value, loop.index), key=("i",)))
        producer = self.def_use.defining_eqn(x)
        self.after[producer if producer is not None and self.is_bound_in(x, loop.body) else loop.body][:0] = eqns
        self.changes[loop.eqn].carries.append((init, param, result, out))
        return out

    def matrix_of_tape(self, loop: LoopView, x: Value) -> Value:
        """The matrix that replaces the tape of `x`; a new matrix if that is not possible."""
        tape = loop.xs[loop.elems.index(x)]
        eqn, parent = self.def_use.defining_eqn(tape), self.def_use.parent
        if eqn is None or not _counts_up(eqn) or not self.is_read_once(tape) or parent[eqn] is not parent[loop.eqn]:
            return self.new_matrix(loop, x)
        forward = loop_view(eqn)
        yielded = forward.yields[forward.ys.index(tape)] if tape in forward.ys else None
        if forward.bounds != loop.bounds or forward.reverse == loop.reverse \
                or not isinstance(yielded, Value) or not self.is_bound_in(yielded, forward.body):
            return self.new_matrix(loop, x)
        out = self.new_matrix(forward, yielded)
        row, eqns = _built(lambda: index(out, cast(Value, loop.index), key=("i",)))
        row.hint = x.hint
        self.after[loop.body][:0] = eqns
        self.changes[loop.eqn].unread |= {tape, x}
        self.replacement[x] = row
        return out

    # -- the new function ---------------------------------------------------------------

    def rebuilt(self, fn: Fn) -> Fn:
        eqns = [*self.after[fn]]
        for eqn in fn.eqns:
            eqns += [*self.before[eqn], self.rebuilt_eqn(eqn), *self.after[eqn]]
        return fn.replace(eqns=tuple(eqns))

    def rebuilt_eqn(self, eqn: Eqn) -> Eqn:
        inner = tuple(map(self.rebuilt, eqn.regions))
        if eqn not in self.changes:
            return eqn.replace(regions=inner)
        loop, changes, body = loop_view(eqn), self.changes[eqn], inner[-1]
        inits, params, results, outs = zip(*changes.carries) if changes.carries else ((), (), (), ())
        kept = [p if k in changes.constant else r for k, (p, r) in enumerate(zip(loop.params, loop.results))]
        body = body.replace(
            params=(cast(Value, loop.index), *loop.params, *params,
                    *(e for e in loop.elems if e not in changes.unread)),
            results=(loop.go, *kept, *results, *loop.yields))
        return eqn.replace(
            args=(*loop.bounds, *loop.inits, *inits, *(x for x in loop.xs if x not in changes.unread)),
            outs=(*loop.finals, *outs, loop.iterations, *loop.ys), regions=(body,),
            attrs={**eqn.attrs, "carries": len(loop.params) + len(inits)})


def _built(make: Callable[[], Any]) -> tuple[Value, list[Eqn]]:
    """The value that `make` gives, and the equations that compute it."""
    with Builder(primal=False) as b:
        result: Value = make()
    return result, b.eqns


def _counts_up(eqn: Eqn) -> bool:
    """Is this a loop `for i in range(n)` without exits?"""
    return eqn.op.name == "loop" and bool(eqn.attrs["counted"]) and not loop_view(eqn).exits \
        and eqn.args[0] == Lit(0) and eqn.args[2] == Lit(1)


def _is_vector(x: Value, product: Value) -> bool:
    t, of = x.type, product.type
    return isinstance(t, Tensor) and t.is_array and t.rank == 1 and isinstance(of, Tensor) and t.dtype == of.dtype
