"""Replaces a sum of outer products that a loop accumulates by one matrix product after the loop:

    for t ...: dW += outer(a, b)     ->     for t ...: A[t] = a; B[t] = b
                                            dW = A.T @ B

A sum `dv += a` of the same `a` becomes the sum of the rows of A. A tape of such vectors becomes a matrix itself.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from functools import partial
from typing import Any, cast

from sct.ir.build import Builder
from sct.ir.core import Fn, Lit, Operand, Value
from sct.ir.types import Dim, Tensor
from sct.ops.arrays.creation import empty
from sct.ops.arrays.indexing import index, store
from sct.ops.arrays.shape import dim, transpose
from sct.ops.linalg.products import matmul
from sct.ops.reductions.reductions import sum_
from sct.ops.scalar.arithmetic import add
from sct.ops.scalar.selection import pymax
from sct.passes.rewriting.mutable_ir import Block, BlockNode, blocks, to_immutable, to_mutable, within

__all__ = ["batch_reductions"]


def batch_reductions(fn: Fn) -> Fn:
    """`fn` with sums of outer products computed after their loops."""
    return _BatchReductions(fn).run()


class _BatchReductions:
    """
    uses      for a value: how often it is read
    producer  for the out of a node: the node
    home      for a value: the block that binds it
    rows      for a value in a loop: the matrix of its values, one row for each iteration
    sizes     for a size: an argument that has it, and the axis
    """

    def __init__(self, fn: Fn) -> None:
        self.fn, self.top = fn, to_mutable(fn)
        self.uses: Counter[Operand] = Counter()
        self.producer: dict[Operand, BlockNode] = {}
        self.home: dict[Operand, Block] = {}
        self.rows: dict[Operand, Value] = {}
        self.sizes: dict[Dim, tuple[Value, int]] = {}
        for p in fn.params:
            for k, d in enumerate(p.type.shape if isinstance(p.type, Tensor) else ()):
                self.sizes.setdefault(d, (p, k))
        for block in blocks(self.top):
            self.uses.update(block.results)
            self.home.update((p, block) for p in block.params)
            for node in block.nodes:
                self.uses.update(node.args)
                self.register(node)

    def register(self, node: BlockNode) -> None:
        self.producer.update((out, node) for out in node.outs)
        self.home.update((out, node.home) for out in node.outs)

    def run(self) -> Fn:
        loops = [node for block in blocks(self.top) for node in block.nodes if _counts_up(node) and not node.eqn.primal]
        changes = [self.loop(loop) for loop in loops]
        return to_immutable(self.top) if any(changes) else self.fn

    def loop(self, loop: BlockNode) -> bool:
        """Take the sums of outer products out of a loop; were there any?"""
        products = [(k, vectors) for k in range(loop.carries) if (vectors := self.outer_product(loop, k)) is not None]
        for k, (a, b) in products:
            rows = self.matrix(loop, a), self.matrix(loop, b)
            self.replace_carry(loop, k, lambda x, y: matmul(transpose(x), y), *rows)
        for k in range(loop.carries) if products else ():
            total = self.addend(loop, k)
            if total in self.rows:
                self.replace_carry(loop, k, partial(sum_, axis=0), self.rows[total])
        return bool(products)

    def addend(self, loop: BlockNode, k: int) -> Operand | None:
        """What each iteration adds to the carry `k`, if it does not use the carry otherwise."""
        p, r = loop.params[k], loop.body.results[1 + k]
        node = self.producer.get(r)
        if node is None or node.home is not loop.body or node.eqn.primal or node.eqn.op is not add \
                or p not in node.args or self.uses[p] > 1 or self.uses[r] > 1:
            return None
        return node.args[1 - node.args.index(p)]

    def outer_product(self, loop: BlockNode, k: int) -> tuple[Value, Value] | None:
        """The vectors, computed in each iteration, whose outer product is added to the carry `k`."""
        total = self.addend(loop, k)
        node = self.producer.get(total) if total is not None else None
        if node is None or total is None or node.name != "outer" or node.home is not loop.body or self.uses[total] > 1:
            return None
        a, b = node.args
        are_vectors = all(isinstance(x, Value) and self.home[x] is loop.body and _is_vector(x, node.outs[0])
                          and self.has_size(x) for x in (a, b))
        return (cast(Value, a), cast(Value, b)) if are_vectors else None

    def has_size(self, x: Value) -> bool:
        (d,) = cast(Tensor, x.type).shape
        return d.value is not None or d in self.sizes

    def replace_carry(self, loop: BlockNode, k: int, product: Callable[..., Any], *rows: Value) -> None:
        """Keep the carry `k` constant and add the product of the rows to it after the loop."""
        init, out = loop.inits[k], loop.outs[k]
        initial = self.producer.get(init)

        def total() -> Any:
            return product(*rows) if initial is not None and initial.eqn.op.fill == 0.0 else add(init, product(*rows))

        sum_after = self.emit(loop.home, total, after=loop)
        sum_after.hint = out.hint
        loop.body.results[1 + k] = loop.params[k]
        _replace_uses(self.top, out, sum_after)

    # -- matrices -------------------------------------------------------------------------

    def matrix(self, loop: BlockNode, x: Value) -> Value:
        """The matrix whose rows are the values of `x` in the iterations."""
        if x not in self.rows:
            create = self.matrix_of_tape if x in loop.elems else self.new_matrix
            self.rows[x] = self.existing_matrix(loop, x) or create(loop, x)
        return self.rows[x]

    def existing_matrix(self, loop: BlockNode, x: Value) -> Value | None:
        """The matrix of which the loop reads each row, as `x`; None if `x` is computed."""
        node = self.producer.get(x)
        if node is None or node.eqn.op is not index or node.attrs["key"] != ("i",) or node.args[1] is not loop.index:
            return None
        rows = node.args[0]
        if not isinstance(rows, Value) or not isinstance(rows.type, Tensor):
            return None  # a list of arrays is no matrix
        outside = not within(self.home[rows], loop.body)
        return rows if outside and rows.type.shape[0] == loop.bounds[1].dim else None

    def is_count(self, iterations: Operand) -> bool:
        """Is this the number of iterations that a loop has run?"""
        node = self.producer.get(iterations) if isinstance(iterations, Value) else None
        return node is not None and node.name == "loop" and iterations is node.iterations

    def new_matrix(self, loop: BlockNode, x: Value) -> Value:
        """A new matrix, of which each iteration of `loop` writes one row."""
        (width,) = cast(Tensor, x.type).shape

        def allocate() -> Any:
            columns: Any = width.value
            if columns is None:
                argument, axis = self.sizes[width]
                columns = dim(argument, axis=axis)
            iterations = loop.bounds[1]
            positive = iterations.dim is not None and iterations.dim.least >= 0 or self.is_count(iterations)
            return empty(iterations if positive else pymax(iterations, 0), columns, dtype=cast(Tensor, x.type).dtype)

        init = self.emit(loop.home, allocate, before=loop)
        hint = f"{x.hint}s" if x.hint else "rows"
        param, out = Value(init.type, hint), Value(init.type, hint)
        node = self.producer.get(x)
        inside = node is not None and node.home is loop.body
        result = self.emit(loop.body, lambda: store(param, x, cast(Value, loop.index), key=("i",)),
                           after=node if inside else None, first=not inside)
        loop.add_carry(init, param, result, out)
        self.register(loop)
        return out

    def matrix_of_tape(self, loop: BlockNode, x: Value) -> Value:
        """The matrix that replaces the tape of `x`; a new matrix if that is not possible."""
        tape = loop.xs[loop.elems.index(x)]
        forward = self.producer.get(tape)
        if forward is None or not _counts_up(forward) or forward.bounds != loop.bounds or self.uses[tape] > 1 \
                or forward.home is not loop.home or forward.attrs["reverse"] == loop.attrs["reverse"]:
            return self.new_matrix(loop, x)
        yielded = forward.body.results[forward.outs.index(cast(Value, tape))]
        if not isinstance(yielded, Value) or self.home[yielded] is not forward.body:
            return self.new_matrix(loop, x)
        out = self.new_matrix(forward, yielded)
        row = self.emit(loop.body, lambda: index(out, cast(Value, loop.index), key=("i",)), first=True)
        row.hint = x.hint
        loop.args.remove(tape)
        loop.body.params.remove(x)
        _replace_uses(loop.body, x, row)
        return out

    def emit(self, home: Block, make: Callable[[], Any], *, before: BlockNode | None = None,
             after: BlockNode | None = None, first: bool = False) -> Value:
        """Insert the equations that `make` builds as nodes of `home`; the value that it gives."""
        with Builder(primal=False) as b:
            result: Value = make()
        nodes = [BlockNode(e, home, list(e.args), list(e.outs), e.attrs) for e in b.eqns]
        at = home.nodes.index(before) if before else home.nodes.index(after) + 1 if after else 0 if first else None
        at = len(home.nodes) if at is None else at
        home.nodes[at:at] = nodes
        for node in nodes:
            self.register(node)
        return result


def _replace_uses(top: Block, v: Value, replacement: Value) -> None:
    """Let all nodes and results in `top` read `replacement` where they read `v`."""
    for block in blocks(top):
        block.results[:] = [replacement if x is v else x for x in block.results]
        for node in block.nodes:
            node.args[:] = [replacement if x is v else x for x in node.args]


def _counts_up(loop: BlockNode) -> bool:
    """Is this a loop `for i in range(n)` without exits?"""
    return loop.name == "loop" and loop.counted and not loop.exits and loop.bounds[0] == Lit(0) \
        and loop.bounds[2] == Lit(1)


def _is_vector(x: Value, product: Value) -> bool:
    t, of = x.type, product.type
    return isinstance(t, Tensor) and t.is_array and t.rank == 1 and isinstance(of, Tensor) and t.dtype == of.dtype
