"""Sums of outer products over the iterations of a loop are one product of matrices after it:

    for t ...: dW += outer(a, b)     ->     for t ...: A[t] = a; B[t] = b
                                            dW = A.T @ B

and `dv += a` of the same `a` is the sum of the rows of A.  What a tape holds one of each
iteration is such a matrix already: the list becomes one.
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
from sct.passes.motion.scatter_to_store import ZEROS
from sct.passes.rewriting.mutable_ir import Block, Node, blocks, freeze, thaw, within

__all__ = ["stack"]


def stack(fn: Fn) -> Fn:
    """`fn` with such sums taken out of loops."""
    return _Stack(fn).run()


class _Stack:
    """
    rows   the matrix of what a value is in each iteration of a loop
    sizes  where an argument has a size
    """

    def __init__(self, fn: Fn) -> None:
        self.fn, self.top = fn, thaw(fn)
        self.uses: Counter[Operand] = Counter()
        self.maker: dict[Operand, Node] = {}
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
                self.enter(node)

    def enter(self, node: Node) -> None:
        self.maker.update((out, node) for out in node.outs)
        self.home.update((out, node.home) for out in node.outs)

    def run(self) -> Fn:
        loops = [node for block in blocks(self.top) for node in block.nodes if _counts_up(node) and not node.eqn.primal]
        changed = [self.loop(loop) for loop in loops]
        return freeze(self.top) if any(changed) else self.fn

    def loop(self, loop: Node) -> bool:
        """Take the sums out of a loop; were there any?"""
        found = [(k, made) for k in range(loop.carries) if (made := self.outer(loop, k)) is not None]
        for k, (a, b) in found:
            rows = self.matrix(loop, a), self.matrix(loop, b)
            self.settle(loop, k, lambda x, y: matmul(transpose(x), y), *rows)
        for k in range(loop.carries) if found else ():
            total = self.added(loop, k)
            if total in self.rows:
                self.settle(loop, k, partial(sum_, axis=0), self.rows[total])
        return bool(found)

    def added(self, loop: Node, k: int) -> Operand | None:
        """What each iteration adds to a carry that it does not use otherwise."""
        p, r = loop.params[k], loop.body.results[1 + k]
        made = self.maker.get(r)
        if made is None or made.home is not loop.body or made.eqn.primal or made.eqn.op is not add \
                or p not in made.args or self.uses[p] > 1 or self.uses[r] > 1:
            return None
        return made.args[1 - made.args.index(p)]

    def outer(self, loop: Node, k: int) -> tuple[Value, Value] | None:
        """The vectors, new in each iteration, whose product is added."""
        total = self.added(loop, k)
        made = self.maker.get(total) if total is not None else None
        if made is None or total is None or made.name != "outer" or made.home is not loop.body \
                or self.uses[total] > 1:
            return None
        a, b = made.args
        ok = all(isinstance(x, Value) and self.home[x] is loop.body and _is_vector(x, made.outs[0])
                 and self.has_size(x) for x in (a, b))
        return (cast(Value, a), cast(Value, b)) if ok else None

    def has_size(self, x: Value) -> bool:
        (d,) = cast(Tensor, x.type).shape
        return d.value is not None or d in self.sizes

    def settle(self, loop: Node, k: int, product: Callable[..., Any], *rows: Value) -> None:
        """The carry ends as it began, plus the product of the rows that is made after the loop."""
        init, out = loop.inits[k], loop.outs[k]
        made = self.maker.get(init)

        def total() -> Any:
            return product(*rows) if made is not None and made.name in ZEROS else add(init, product(*rows))

        new = self.emit(loop.home, total, after=loop)
        loop.body.results[1 + k] = loop.params[k]
        new.hint = out.hint
        for block in blocks(self.top):
            block.results[:] = [new if x is out else x for x in block.results]
            for node in block.nodes:
                node.args[:] = [new if x is out else x for x in node.args]

    # -- matrices -------------------------------------------------------------------------

    def matrix(self, loop: Node, x: Value) -> Value:
        """What `x` is in each iteration, as rows."""
        if x not in self.rows:
            whole = self.whole(loop, x)
            self.rows[x] = whole or (self.taped(loop, x) if x in loop.elems else self.filled(loop, x))
        return self.rows[x]

    def whole(self, loop: Node, x: Value) -> Value | None:
        """The matrix whose rows the loop reads as `x`, from the first to the last."""
        made = self.maker.get(x)
        if made is None or made.eqn.op is not index or made.attrs["key"] != ("i",) or made.args[1] is not loop.index:
            return None
        rows = made.args[0]
        if not isinstance(rows, Value) or not isinstance(rows.type, Tensor):
            return None  # the arrays of a list are no rows of one
        outside = not within(self.home[rows], loop.body)
        return rows if outside and rows.type.shape[0] == loop.bounds[1].dim else None

    def is_count(self, iterations: Operand) -> bool:
        """Is it how many iterations a loop ran?"""
        made = self.maker.get(iterations) if isinstance(iterations, Value) else None
        return made is not None and made.name == "loop" and iterations is made.iterations

    def filled(self, loop: Node, x: Value) -> Value:
        """The matrix that the iterations of `loop` write."""
        (width,) = cast(Tensor, x.type).shape

        def begin() -> Any:
            columns: Any = width.value
            if columns is None:
                argument, axis = self.sizes[width]
                columns = dim(argument, axis=axis)
            iterations = loop.bounds[1]
            known = iterations.dim is not None and iterations.dim.least >= 0 or self.is_count(iterations)
            return empty(iterations if known else pymax(iterations, 0), columns, dtype=cast(Tensor, x.type).dtype)

        init = self.emit(loop.home, begin, before=loop)
        hint = f"{x.hint}s" if x.hint else "rows"
        param, out = Value(init.type, hint), Value(init.type, hint)
        made = self.maker.get(x)
        inside = made is not None and made.home is loop.body
        result = self.emit(loop.body, lambda: store(param, x, cast(Value, loop.index), key=("i",)),
                           after=made if inside else None, first=not inside)
        loop.add_carry(init, param, result, out)
        self.enter(loop)
        return out

    def taped(self, loop: Node, x: Value) -> Value:
        """The matrix in place of a tape; written here, where the tape cannot be one."""
        tape = loop.xs[loop.elems.index(x)]
        forward = self.maker.get(tape)
        if forward is None or not _counts_up(forward) or forward.bounds != loop.bounds or self.uses[tape] > 1 \
                or forward.home is not loop.home or forward.attrs["reverse"] == loop.attrs["reverse"]:
            return self.filled(loop, x)
        yielded = forward.body.results[forward.outs.index(cast(Value, tape))]
        if not isinstance(yielded, Value) or self.home[yielded] is not forward.body:
            return self.filled(loop, x)
        out = self.filled(forward, yielded)
        row = self.emit(loop.body, lambda: index(out, cast(Value, loop.index), key=("i",)), first=True)
        row.hint = x.hint
        loop.args.remove(tape)
        loop.body.params.remove(x)
        for block in blocks(loop.body):
            block.results[:] = [row if r is x else r for r in block.results]
            for node in block.nodes:
                node.args[:] = [row if a is x else a for a in node.args]
        return out

    def emit(self, home: Block, make: Callable[[], Any], *, before: Node | None = None, after: Node | None = None,
             first: bool = False) -> Value:
        """What `make` makes, as nodes of `home`."""
        with Builder(primal=False) as b:
            made: Value = make()
        nodes = [Node(e, home, list(e.args), list(e.outs), e.attrs) for e in b.eqns]
        at = home.nodes.index(before) if before else home.nodes.index(after) + 1 if after else 0 if first else None
        at = len(home.nodes) if at is None else at
        home.nodes[at:at] = nodes
        for node in nodes:
            self.enter(node)
        return made


def _counts_up(loop: Node) -> bool:
    """Is this `for i in range(n)`, to the end?"""
    return loop.name == "loop" and loop.counted and not loop.exits and loop.bounds[0] == Lit(0) \
        and loop.bounds[2] == Lit(1)


def _is_vector(x: Value, product: Value) -> bool:
    t, of = x.type, product.type
    return isinstance(t, Tensor) and t.is_array and t.rank == 1 and isinstance(of, Tensor) and t.dtype == of.dtype
