"""Parts of matrices that grow or shrink with the index of a loop, of all iterations at once.

    A[k, k + 1:] for k in range(n)    ->    the elements above the diagonal of A: numpy.triu(A, 1)

What stands outside of the triangle is not known: it may be anything until a mask replaces it by zeros. Masks are
applied to what is added or summed, so that nothing outside is read. In a product of matrices the zeros are multiplied.
So only columns are taken with which the loop multiplies what mirrors the zeros; an infinite element, which makes the
rest of its row nan by that, may then be nan in its own derivative as well.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, cast

from sct.ir.core import Eqn, Operand, Value
from sct.ops.arrays.triangles import tril, triu

__all__ = ["Triangle", "TriangularPart"]


@dataclass(frozen=True)
class Triangle:
    """The elements o of iteration number p for which o >= p + offset (`above`), or o < p + offset."""

    above: bool
    offset: int

    def inside(self, x: Operand, axis: int) -> Operand:
        """`x`, with the iterations along `axis`, with zeros outside of the triangle."""
        return _masked(x, axis, self.above, self.offset)

    def outside(self, x: Operand, axis: int) -> Operand:
        """`x`, with the iterations along `axis`, with zeros in the triangle."""
        return _masked(x, axis, not self.above, self.offset)


def _masked(x: Operand, axis: int, above: bool, offset: int) -> Operand:
    # Along axis 0, o - p >= offset is the upper triangle from that diagonal on; along axis 1, rows and columns swap.
    upper = above == (axis == 0)
    k = offset if above else offset - 1
    mask: Any = triu if upper else tril
    return cast(Operand, mask(x, k=k if axis == 0 else -k))


@dataclass(frozen=True)
class TriangularPart:
    """A read or a write of `x[k, k + c:]`, or of `x[:, k + c:]`, of a matrix.

    eqn       the equation that reads or writes it
    triangle  what is read or written in all iterations
    axis      the axis that the index divides; None if the other axis is read as a whole
    along     the axis of the slice whose bound moves
    """

    eqn: Eqn
    triangle: Triangle
    axis: int | None
    along: int

    @property
    def owners(self) -> frozenset[str]:
        """Rules that tell of each of its elements, by row and column alone, of which iteration it is."""
        if self.axis is None:
            return frozenset()
        by_axis = {f"axis {self.axis}"}
        if self.triangle.above and self.triangle.offset >= 0:
            by_axis.add("least")
        if not self.triangle.above and self.triangle.offset <= 1:
            by_axis.add("greatest")
        return frozenset(by_axis)

    @property
    def array(self) -> Value:
        return cast(Value, self.eqn.args[0])
