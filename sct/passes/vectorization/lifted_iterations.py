"""The values of an adjoint loop in all its iterations at once.

In: the view of a loop whose body is arithmetic of numbers and vectors, and updates of the arrays that it carries. Out:
its finals, by operations on arrays; `NotLifted` if an iteration may read or write what another one does.

    for k in range(n): dA[:, k] += B[k] * v      B[k] is lifted to B, the product to outer(v, B), the index k to a slice
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, cast

from sct.ir.affine import DefiningOp, LinearTerm, least_value, term_of
from sct.ir.array_accesses import ArrayAccess, LoopAround, access, never_meet
from sct.ir.build import Builder
from sct.ir.core import Eqn, Lit, Operand, Value
from sct.ir.dims import Dim
from sct.ir.loop_view import LoopView
from sct.ir.types import Tensor
from sct.ops.arrays.creation import zeros_of
from sct.ops.arrays.indexing import add_at, index, join, slice_dim, split, store
from sct.ops.arrays.shape import transpose
from sct.ops.linalg.products import matmul, outer
from sct.ops.reductions.reductions import sum_
from sct.ops.registry import ELEMENTWISE
from sct.ops.scalar.arithmetic import add, div, mul, neg, sub
from sct.ops.type_rules import rank
from sct.passes.rewriting.table import is_full
from sct.passes.vectorization.triangles import Triangle, TriangularPart

__all__ = ["Iterations", "NotLifted", "rank"]


class NotLifted(Exception):
    """The loop stays."""


@dataclass(frozen=True)
class Lifted:
    """The values that a number or a vector has in the iterations.

    axis      of the iterations
    is_new    may the array be larger than those of which it is computed?
    triangle  which elements are those of the vectors, if these are longer or shorter from iteration to iteration
    """

    value: Operand
    axis: int
    is_new: bool = False
    triangle: Triangle | None = None

    def along(self, axis: int) -> Operand:
        """The array with the iterations along this axis."""
        return self.value if axis == self.axis else transpose(self.value)

    def inside(self, axis: int) -> Operand:
        """The same with zeros outside of the triangle."""
        return self.along(axis) if self.triangle is None else self.triangle.inside(self.along(axis), axis)


class Iterations:
    """The iterations of one loop.

    defs      for a value of the body: its equation
    bound     the values of the body that change from iteration to iteration
    lifted    for such a value: its lifted value
    totals    for a value that was summed over the iterations: its sum
    versions  for each version of a carry, by the updates in the body: the array after this update in all iterations
    around    the loops around the body, this one last
    runs      is it certain that there is an iteration?
    left      (matrix, vector) of the sums of products of a column of the matrix with a vector that is a triangle
    right     (matrix, vector) of the products of the columns from one on with such a vector
    """

    def __init__(self, loop: LoopView, b: Builder, around: Sequence[LoopAround], definition: DefiningOp, runs: bool
                 ) -> None:
        self.loop, self.b, self.around, self.definition, self.runs = loop, b, around, definition, runs
        self.defs = {eqn.out: eqn for eqn in loop.body.eqns}
        self.bound: set[Operand] = {x for x in (loop.index, *loop.params) if x is not None}
        self.lifted: dict[Operand, Lifted] = {}
        self.totals: dict[Operand, Any] = {}
        self.versions: dict[Operand, Operand] = {}
        self.left: list[tuple[Operand, Operand]] = []
        self.right: list[tuple[Operand, Operand]] = []
        start, stop, _ = loop.bounds
        self.count: Dim | None = None if start.dim is None or stop.dim is None else stop.dim - start.dim

    def finals(self) -> list[Operand]:
        """The finals of the loop."""
        for init, param, result in zip(self.loop.inits, self.loop.params, self.loop.results):
            self.enter_versions(init, param, result)
        for eqn in self.loop.body.eqns:
            self.b.loc = eqn.loc
            if eqn.out in self.versions:
                self.versions[eqn.out] = self.updated(eqn)
            elif self.bound.isdisjoint(eqn.args):
                self.b.add(eqn)
            else:
                self.bound.add(eqn.out)
                if eqn.args[0] in self.versions:
                    self.lift(eqn.out)  # before the array is updated
        if Counter(self.left) != Counter(self.right):
            raise NotLifted  # zeros would be multiplied by columns that the loop does not read
        finals = [self.versions[r] for r in self.loop.results]
        if any(new.type != old.type for new, old in zip(finals, self.loop.finals)):
            raise NotLifted
        for new, old in zip(finals, self.loop.finals):
            if isinstance(new, Value) and new.hint is None:
                new.hint = old.hint
        return finals

    def enter_versions(self, init: Operand, param: Value, result: Operand) -> None:
        """Follow a carry through its updates; refuse a loop that uses it in another way."""
        version: Operand = param
        reads: list[Eqn] = []
        while True:
            self.versions[version] = init
            users = [eqn for eqn in self.loop.body.eqns if version in eqn.args]
            updates = [eqn for eqn in users if eqn.op is not index]
            reads += [eqn for eqn in users if eqn.op is not add and eqn.op is not add_at]
            if any(version in eqn.args[1:] and eqn.op is not add or eqn.args.count(version) > 1 for eqn in users):
                raise NotLifted
            self.bound.add(version)
            if not updates:
                break
            if len(updates) > 1 or updates[0].op not in (add, add_at, store):
                raise NotLifted
            version = updates[0].out
        if version is not result:
            raise NotLifted
        if reads:
            self.check_divided(param, result)

    def check_divided(self, param: Value, result: Operand) -> None:
        """Refuse the loop if an iteration reads or writes what belongs to another one."""
        version: Operand = param
        all_users: list[Eqn] = []
        while True:
            users = [eqn for eqn in self.loop.body.eqns if version in eqn.args]
            all_users += users
            if version is result:
                break
            version = next(eqn.out for eqn in users if eqn.op is not index)
        if any(eqn.op is add for eqn in all_users):
            raise NotLifted
        sums = [eqn for eqn in all_users if eqn.op is add_at and self.loop.index not in eqn.args]
        divided = [eqn for eqn in all_users if eqn not in sums]
        apart = all(never_meet(self.access(a), self.access(b), len(self.around) - 1) for a in sums for b in divided)
        if not frozenset.intersection(*map(self.owners, divided)) or not apart:
            raise NotLifted

    def access(self, eqn: Eqn) -> ArrayAccess:
        """The part that a read or a write touches, in the loops whose index it names."""
        operands = eqn.args[eqn.op.key_at:]
        loops = self.around if self.loop.index in operands else self.around[:-1]
        return access(eqn.attrs["key"], operands, loops, self.term)

    def term(self, x: Operand) -> LinearTerm | None:
        """`x` as a term of the index and of values that do not change."""
        t = term_of(x, self.definition)
        return t if t is not None and self.bound.isdisjoint(v for v in t.coefs if v is not self.loop.index) else None

    def owners(self, eqn: Eqn) -> frozenset[str]:
        """Rules that tell which iteration reads or writes each element."""
        if (part := self.triangular(eqn)) is not None:
            return part.owners
        items = self.items(eqn)
        if self.loop.index not in items:
            raise NotLifted
        return frozenset({f"axis {items.index(self.loop.index)}"})

    def triangular(self, eqn: Eqn) -> TriangularPart | None:
        """The access of the equation, if that is a triangle in all iterations."""
        key, operands, k = eqn.attrs["key"], eqn.args[eqn.op.key_at:], self.loop.index
        if rank(eqn.args[0]) != 2 or len(key) != 2 or any(item != "i" and item[0] != "s" for item in key) \
                or not isinstance(self.loop.bounds[0], Lit):
            return None
        items, shape = split(key, operands), eqn.args[0].type.shape  # type: ignore[union-attr]
        for along in (0, 1):
            item, other = items[along], items[1 - along]
            if not isinstance(item, slice) or item.step is not None or other is not k and other != slice(None):
                continue
            moves = [b for b in (item.start, item.stop) if b is not None and self.offset(b) is not None]
            still = item.stop if moves and moves[0] is item.start else item.start
            is_end = still is None or still in (Lit(0), Lit(None)) if moves and moves[0] is item.stop else \
                still is None or still == Lit(None) or still.dim == shape[along]
            if len(moves) == 1 and is_end and self.is_covered(shape[1 - along]):
                triangle = Triangle(moves[0] is item.start, cast(int, self.offset(moves[0])))
                return TriangularPart(eqn, triangle, 1 - along if other is k else None, along)
        return None

    def offset(self, bound: Operand) -> int | None:
        """c, if the bound is `k + c` for the number k of the iteration, and not negative."""
        t, start = self.term(bound), self.loop.bounds[0]
        if t is None or self.loop.index is None or t.coefs != {self.loop.index: 1} or not isinstance(start, Lit):
            return None
        ranges = [each.range for each in reversed(self.around) if each.range is not None]
        return t.const + cast(int, start.value) if least_value(t, ranges) >= 0 else None

    def is_covered(self, size: Dim) -> bool:
        """Do the iterations run over all of an axis of this size, but for the last one at most?"""
        start, stop, _ = self.loop.bounds
        return start == Lit(0) and stop.dim is not None and stop.dim in (size, size - 1)

    # -- subscripts ---------------------------------------------------------------------------

    def items(self, eqn: Eqn) -> list[Any]:
        """The items of the subscript of a read or a write: ints and slices; of what changes, the index alone, once."""
        key, operands = eqn.attrs["key"], eqn.args[eqn.op.key_at:]
        k = self.loop.index
        if not isinstance(eqn.args[0].type, Tensor) or any(item != "i" and item[0] != "s" for item in key) \
                or any(x in self.bound and x is not k for x in operands) or operands.count(k) > 1:
            raise NotLifted
        items = split(key, operands)
        if k in operands and not any(item is k for item in items):
            raise NotLifted
        return items

    def lifted_key(self, eqn: Eqn) -> tuple[tuple[str, ...], tuple[Any, ...], int]:
        """The subscript that takes the parts of all iterations, its operands, and the axis of the iterations."""
        items, shape = self.items(eqn), eqn.args[0].type.shape  # type: ignore[union-attr]
        at = next(n for n, item in enumerate(items) if item is self.loop.index)
        start, stop, _ = self.loop.bounds
        part = slice(None if start == Lit(0) else start, None if stop.dim == shape[at] else stop)
        if slice_dim(shape[at], part) != self.count and part.stop is not None:
            raise NotLifted  # what the loop does not run over is not known to be there
        items[at] = part
        key, operands = join(items)
        return key, operands, sum(isinstance(item, slice) for item in items[:at])

    # -- updates ------------------------------------------------------------------------------

    def updated(self, eqn: Eqn) -> Any:
        """The array after this update in all iterations."""
        if eqn.op is add:
            old, term = eqn.args if eqn.args[0] in self.versions else eqn.args[::-1]
            return add(self.versions[old], self.total(term))
        old, x, *operands = eqn.args
        if (part := self.triangular(eqn)) is not None:
            return self.updated_triangle(part, self.versions[old], x)
        if self.loop.index not in operands:
            self.items(eqn)
            return add_at(self.versions[old], self.total(x), *operands, key=eqn.attrs["key"])
        key, bounds, axis = self.lifted_key(eqn)
        rank_of_part = rank(index_type(eqn))
        if x == Lit(0.0) and eqn.op is store and is_full(key) and len(key) == rank(old):
            return zeros_of(self.versions[old])
        return eqn.op(self.versions[old], self.part(x, axis, rank_of_part), *bounds, key=key)

    def updated_triangle(self, part: TriangularPart, old: Operand, x: Operand) -> Any:
        """The array after this update of a triangle, or after the sum of updates from one row or column on."""
        axis, triangle = part.axis, part.triangle
        if part.eqn.op is store:
            if axis is None or x != Lit(0.0) or self.loop.bounds[1].dim != old.type.shape[axis]:  # type: ignore[union-attr]
                raise NotLifted
            return triangle.outside(old, axis)
        if axis is not None:
            lifted = self.lift(x)
            if lifted.triangle != triangle:
                raise NotLifted
            stop = self.loop.bounds[1]
            if stop.dim == old.type.shape[axis]:  # type: ignore[union-attr]
                return add(old, lifted.inside(axis))
            key, bounds = join([slice(None, stop), slice(None)] if axis == 0 else [slice(None), slice(None, stop)])
            return add_at(old, lifted.inside(axis), *bounds, key=key)
        eqn = self.defs.get(x)  # type: ignore[arg-type]
        if eqn is None or eqn.op is not outer or not triangle.above or triangle.offset not in (0, 1):
            raise NotLifted
        u, v = eqn.args if part.along == 1 else eqn.args[::-1]
        read, columns, vectors = self.defs.get(u), self.lift(u), self.lift(v)  # type: ignore[arg-type]
        if read is None or read.op is not index or vectors.triangle != triangle or columns.triangle is not None \
                or columns.axis != part.along:
            raise NotLifted
        self.left.append((read.args[0], v))
        if part.along == 1:
            return add(old, matmul(columns.value, vectors.inside(0)))
        return add(old, matmul(vectors.inside(1), columns.value))

    def part(self, x: Operand, axis: int, of_rank: int) -> Operand:
        """What all iterations write: `x` into parts of this rank, with the iterations along `axis`."""
        if of_rank > 1:
            raise NotLifted
        if x not in self.bound:
            return _column(x) if rank(x) == 1 and axis == 1 else x
        eqn = self.defs.get(x)  # type: ignore[arg-type]
        if eqn is not None and eqn.op is mul and (factors := self.number_and_vector(eqn)) is not None:
            product: Operand = outer(*factors) if axis == 0 else outer(*factors[::-1])
            return product
        if eqn is not None and eqn.op is neg:
            return neg(self.part(eqn.args[0], axis, of_rank))  # type: ignore[no-any-return]
        lifted = self.lift(x)
        if lifted.triangle is not None:
            raise NotLifted
        if rank(x) == 0:
            return _column(lifted.value) if of_rank == 1 and axis == 0 else lifted.value
        return lifted.along(axis)

    def number_and_vector(self, eqn: Eqn) -> tuple[Operand, Operand] | None:
        """The lifted number and the vector, if this is the product of one that changes and one that does not."""
        for s, v in (eqn.args, eqn.args[::-1]):
            if s in self.bound and rank(s) == 0 and v not in self.bound and rank(v) == 1:
                return self.lift(s).value, v
        return None

    # -- sums over the iterations -----------------------------------------------------------------

    def total(self, x: Operand) -> Any:
        """The sum of `x` over the iterations."""
        if x not in self.totals:
            eqn = self.defs.get(x) if isinstance(x, Value) else None
            if eqn is None or x not in self.bound:
                raise NotLifted
            self.totals[x] = self.total_of(eqn)
        return self.totals[x]

    def total_of(self, eqn: Eqn) -> Any:
        changing = [a in self.bound for a in eqn.args]
        if eqn.op in (add, sub) and all(changing) and rank(eqn.args[0]) == rank(eqn.args[1]):
            return eqn.op(*map(self.total, eqn.args))
        if eqn.op is neg or eqn.op is div and not changing[1] and self.keeps_zero(eqn.args[1]):
            return eqn.op(self.total(eqn.args[0]), *eqn.args[1:])
        if eqn.op in (mul, matmul) and not all(changing) and self.keeps_zero(eqn.args[changing[0]]):
            a, b = eqn.args
            return eqn.op(self.total(a), b) if changing[0] else eqn.op(a, self.total(b))
        if eqn.op is mul and all(changing) and (product := self.total_product(*eqn.args)) is not None:
            return product
        lifted = self.lift(eqn.out)
        if lifted.is_new or lifted.triangle is not None:
            raise NotLifted
        return sum_(lifted.value, axis=lifted.axis) if rank(eqn.out) else sum_(lifted.value)

    def keeps_zero(self, factor: Operand) -> bool:
        """Is the sum of no terms, which is 0, also 0 times this factor, or divided by it, or is there a term?"""
        return self.runs or isinstance(factor, Lit) and bool(factor.value) and math.isfinite(factor.value)

    def total_product(self, a: Operand, b: Operand) -> Any:
        """The sum of the products of two values that change; None for two vectors."""
        if rank(a) == rank(b) == 1:
            return None
        x, y = self.lift(a), self.lift(b)
        if x.is_new or y.is_new or x.triangle is not None or y.triangle is not None:
            raise NotLifted
        if rank(a) == rank(b):
            return matmul(x.value, y.value)
        vectors, numbers = (x, y) if rank(a) else (y, x)
        return matmul(vectors.value, numbers.value) if vectors.axis == 1 else matmul(numbers.value, vectors.value)

    # -- lifted values --------------------------------------------------------------------------

    def lift(self, x: Operand) -> Lifted:
        """The lifted value of a value that changes."""
        if x not in self.lifted:
            eqn = self.defs.get(x) if isinstance(x, Value) else None
            if eqn is None or not isinstance(x.type, Tensor) or x.type.kind not in "fb" or rank(x) > 1:
                raise NotLifted
            loc, self.b.loc = self.b.loc, eqn.loc
            self.lifted[x] = self.lifted_eqn(eqn)
            self.b.loc = loc
        return self.lifted[x]

    def lifted_eqn(self, eqn: Eqn) -> Lifted:
        if eqn.op is index:
            return self.lifted_read(eqn)
        if eqn.op is matmul:
            return self.lifted_product(*eqn.args)
        if eqn.op is sum_ and not eqn.op.explicit(eqn.attrs) and rank(eqn.args[0]) == 1:
            x = self.lift(eqn.args[0])
            return Lifted(sum_(x.inside(x.axis), axis=1 - x.axis), 0)
        if eqn.op in ELEMENTWISE and not eqn.attrs and all(isinstance(x.type, Tensor) for x in eqn.args):
            return self.lifted_elementwise(eqn)
        raise NotLifted

    def lifted_read(self, eqn: Eqn) -> Lifted:
        x = eqn.args[0]
        if x in self.bound and x not in self.versions:
            raise NotLifted
        if (part := self.triangular(eqn)) is not None:
            return self.lifted_triangle(part)
        key, operands, axis = self.lifted_key(eqn)
        return Lifted(index(self.versions.get(x, x), *operands, key=key), axis)

    def lifted_triangle(self, part: TriangularPart) -> Lifted:
        stop, x = self.loop.bounds[1], self.versions.get(part.array, part.array)
        if part.axis is None:
            raise NotLifted
        whole = stop.dim == part.array.type.shape[part.axis]  # type: ignore[union-attr]
        rows = slice(None, None if whole else stop)
        key, operands = join([rows, slice(None)] if part.axis == 0 else [slice(None), rows])
        return Lifted(x if whole else index(x, *operands, key=key), part.axis, triangle=part.triangle)

    def lifted_product_of_columns(self, a: Operand, b: Operand) -> Lifted | None:
        """The product of the columns (or the rows) from one on of a matrix, and of a triangle; None of others."""
        for k, (m, v) in enumerate(((a, b), (b, a))):
            eqn = self.defs.get(m)  # type: ignore[arg-type]
            if eqn is not None and eqn.op is transpose:  # m.T @ v is v @ m
                k, m = 1 - k, eqn.args[0]
                eqn = self.defs.get(m)  # type: ignore[arg-type]
            part = self.triangular(eqn) if eqn is not None and eqn.op is index and rank(m) == 2 else None
            if part is not None and part.along == 1 - k and part.axis is None and part.array not in self.bound \
                    and rank(v) == 1 and self.lift(v).triangle == part.triangle and part.triangle.above \
                    and part.triangle.offset in (0, 1):
                self.right.append((part.array, v))
                triangle = self.lift(v).inside(1 - k)
                product = matmul(part.array, triangle) if k == 0 else matmul(triangle, part.array)
                return Lifted(product, 1 - k)
        return None

    def lifted_product(self, a: Operand, b: Operand) -> Lifted:
        """A product of vectors, or of a vector that changes and a matrix that does not."""
        for k, x in enumerate((a, b)):
            if (scaled := self.scaled(x)) is not None:
                c, y = scaled
                product = self.lifted_product(*((y, b), (a, y))[k])
                return replace(product, value=mul(c, product.value))
        if (of_columns := self.lifted_product_of_columns(a, b)) is not None:
            return of_columns
        if a in self.bound and b in self.bound:
            first, second = self.lift(a), self.lift(b)
            if first.triangle != second.triangle:
                raise NotLifted
            products = mul(first.value, second.along(first.axis))
            if first.triangle is not None:
                products = first.triangle.inside(products, first.axis)
            return Lifted(sum_(products, axis=1 - first.axis), 0)
        lifted = self.lift(a if a in self.bound else b)
        if lifted.is_new or lifted.triangle is not None:
            raise NotLifted
        if a in self.bound:
            return Lifted(matmul(lifted.along(0), b), 0, is_new=rank(b) == 2)
        return Lifted(matmul(a, lifted.along(1)), rank(a) - 1, is_new=rank(a) == 2)

    def scaled(self, x: Operand) -> tuple[Operand, Operand] | None:
        """The number that does not change and the vector, if `x` is their product."""
        eqn = self.defs.get(x) if isinstance(x, Value) else None
        for c, y in (eqn.args, eqn.args[::-1]) if eqn is not None and eqn.op is mul and x in self.bound else ():
            if c not in self.bound and rank(c) == 0 and rank(y) == 1:
                return c, y
        return None

    def lifted_elementwise(self, eqn: Eqn) -> Lifted:
        spelling = None if (eqn.spelling or "").startswith("math.") else eqn.spelling
        if spelling is None and not any(c.startswith(("numpy.", "operator.")) for c in eqn.op.calls):
            raise NotLifted
        values = {x: self.lift(x) for x in eqn.args if x in self.bound}
        vectors = sorted((v for x, v in values.items() if rank(x)), key=lambda v: v.is_new)
        if rank(eqn.out) and not vectors:
            raise NotLifted
        axis = vectors[0].axis if vectors else 0
        triangle = vectors[0].triangle if vectors else None
        if any(v.triangle != triangle for v in vectors) \
                or triangle is not None and not self.is_safe_outside(eqn, triangle):
            raise NotLifted
        args = [self.aligned(x, values.get(x), axis, rank(eqn.out)) for x in eqn.args]
        self.b.module = "numpy"
        lifted = self.b.emit(eqn.op, args, spelling=spelling)
        self.b.module = None
        return Lifted(lifted, axis, bool(vectors) and vectors[0].is_new, triangle)

    def is_safe_outside(self, eqn: Eqn, triangle: Triangle) -> bool:
        """Is this arithmetic that may be done outside of the triangle as well?"""
        vectors = [x for x in eqn.args if rank(x)]
        return eqn.op in (add, sub, neg, mul, div) and not (eqn.op is div and rank(eqn.args[1])) \
            and all(x in self.bound and self.lift(x).triangle == triangle for x in vectors)

    def aligned(self, x: Operand, lifted: Lifted | None, axis: int, out_rank: int) -> Operand:
        """An operand such that it meets lifted values of this rank, with the iterations along `axis`."""
        if lifted is None:
            return _column(x) if rank(x) == 1 and axis == 1 else x
        if rank(x) == out_rank:
            return lifted.along(axis) if out_rank else lifted.value
        return _column(lifted.value) if axis == 0 else lifted.value


def _column(x: Operand) -> Operand:
    """x[:, None]"""
    column: Operand = index(x, key=("s000", "n"))
    return column


def index_type(eqn: Eqn) -> Value:
    """A value of the type of the part that an update writes."""
    return Value(index.type(eqn.args[0], *eqn.args[2:], key=eqn.attrs["key"]))  # type: ignore[arg-type]
