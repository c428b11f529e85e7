"""Array statements that become loops over elements: the element of their result at any position is known.

    v = np.einsum("ij,j->i", A, x)   ->   yes
    v = np.linalg.solve(A, x)        ->   no

Invariant: the sizes of the operands are proved to agree, or are checked when the loops run.
"""

from __future__ import annotations

from sct.codegen.numba.extract_kernels import ON_TRUTH_VALUES
from sct.codegen.numba.loops.index_ranges import Ranges
from sct.codegen.numba.loops.joined_arrays import JOINS
from sct.codegen.numba.loops.loop_nests import bound, is_array, shape_of, size_source, tensor
from sct.codegen.numba.loops.matrix_products import labels
from sct.codegen.numba.tape_arrays import KERNEL_DTYPES, array_dtype
from sct.ir.core import Eqn, Lit, Operand, Value, is_effect
from sct.ir.dims import Dim
from sct.ir.types import INT, Tensor, Undef
from sct.ops import ELEMENTWISE, OPS, may_raise
from sct.ops.arrays.indexing import split

__all__ = ["REPEATING", "WRITES", "SupportedStatements", "part_written"]

WRITES = frozenset(["store", "add_at"])
REPEATING = frozenset(["matmul", "dot", "outer", "einsum", "tensordot"])
"""Ops that read an element of an operand for several elements of the result."""


class SupportedStatements:
    """The statements of a block that become loops.

    can_check  may what is compiled raise, so that all of it runs again as NumPy?
    """

    def __init__(self, ranges: Ranges, can_check: bool) -> None:
        self.ranges, self.can_check = ranges, can_check

    def __contains__(self, eqn: Eqn) -> bool:
        """Does the equation become loops, alone or as a part of another statement?"""
        if len(eqn.outs) != 1 or eqn.regions or is_effect(eqn) or eqn.attrs.get("effect"):
            return False
        arrays = [x for x in (*eqn.args, *eqn.outs) if is_array(x)]
        if not arrays or not all(_is_compiled_dtype(x) and shape_of(x) for x in arrays):
            return False
        if eqn.op.name in JOINS and any(isinstance(x.type, Undef) for x in eqn.args):
            return False
        if not all(is_array(x) or array_dtype(x.type) or x == Lit(None) for x in (*eqn.args, *eqn.outs)):
            return False
        if eqn.op.name in WRITES:
            return self.is_write(eqn)
        if eqn.op.name == "index":
            return is_array(eqn.out) and self.is_key(eqn) and self.has_sizes(eqn)
        if eqn.op.name in JOINS:
            return not may_raise(eqn) and self.has_sizes(eqn)
        return self.is_op(eqn)

    def is_op(self, eqn: Eqn) -> bool:
        name = eqn.op.name
        raises = may_raise(_of_machine_ints(eqn))
        if name in REPEATING and not _has_elements(eqn):
            return False
        broadcasts = eqn.op in ELEMENTWISE and is_array(eqn.out)
        if broadcasts and not all(self.broadcasts(x, shape_of(eqn.out)) for x in eqn.args if is_array(x)):
            if eqn.op.elements is not None or eqn.op.raises == "value" and raises or not self.can_check \
                    or not all(self.may_agree(x, shape_of(eqn.out)) for x in eqn.args if is_array(x)):
                return False
        elif raises and name not in ("max", "min", "einsum") and not (name == "matmul" and self.batch_may_agree(eqn)):
            return False
        if eqn.op.elements is None:
            if eqn.op not in ELEMENTWISE or not eqn.op.compiled or name in ("astype",) or eqn.spelling == "numpy.cbrt":
                return False
            bools = all((t := tensor(x)) is not None and t.kind == "b" for x in eqn.args)
            if bools and name not in ON_TRUTH_VALUES:
                return False
        return not is_array(eqn.out) or self.has_sizes(eqn)

    def broadcasts(self, x: Operand, shape: tuple[Dim, ...]) -> bool:
        """Is it proved that x broadcasts to this shape?"""
        own = shape_of(x)
        return len(own) <= len(shape) and all(d == e or d.value == 1 for d, e in zip(own[::-1], shape[::-1]))

    def may_agree(self, x: Operand, shape: tuple[Dim, ...]) -> bool:
        """May the sizes of x agree with those of this shape, which is checked when the loops run?"""
        own = shape_of(x)
        return len(own) <= len(shape) and all(d == e or d.value == 1 or None in (d.value, e.value)
                                              for d, e in zip(own[::-1], shape[::-1]))

    def batch_may_agree(self, eqn: Eqn) -> bool:
        """May a product of stacks of matrices raise only as the sizes of the stacks differ, which is checked?"""
        x, y = map(shape_of, eqn.args)
        return self.can_check and len(x) > 1 < len(y) and x[-1] == y[-2] and all(
            d == e or 1 in (d.value, e.value) or None in (d.value, e.value) for d, e in zip(x[-3::-1], y[-3::-1]))

    def has_sizes(self, eqn: Eqn) -> bool:
        return all(size_source(eqn, k) is not None for k in range(len(shape_of(eqn.out))))

    def is_key(self, eqn: Eqn) -> bool:
        """Is a subscript made of ints, and of slices whose steps are literals; or of slices and arrays of positions?"""
        key = eqn.attrs["key"]
        operands = eqn.args[1:] if eqn.op.name == "index" else eqn.args[2:]
        if "a" in key and not self.is_key_of_arrays(eqn.args[0], key, operands):
            return False
        if not all(k in ("i", "n", "e", "a") or k[0] == "s" for k in key):
            return False
        return all(item.step is None or isinstance(item.step, Lit) and item.step.value
                   for item in split(key, operands) if isinstance(item, slice))

    def is_key_of_arrays(self, x: Operand, key: tuple[str, ...], operands: tuple[Operand, ...]) -> bool:
        """Are the arrays of positions of one shape, side by side, and is there no int or new axis?"""
        arrays = [k for k in operands if is_array(k)]
        places = [n for n, k in enumerate(key) if k == "a"]
        return (self.can_check and not {"i", "n", "m"} & {*key} and len({shape_of(k) for k in arrays}) == 1
                and places == list(range(places[0], places[-1] + 1)))

    def is_write(self, eqn: Eqn) -> bool:
        key = eqn.attrs["key"]
        if eqn.inplace != 0 or not self.is_key(eqn) or "n" in key:
            return False
        if all(k == "i" for k in key) and len(key) == len(shape_of(eqn.args[0])):
            return False  # of one element
        to, of = tensor(eqn.args[0]), tensor(eqn.args[1])
        if to is None or of is None or not (to.kind == "f" or to.dtype == of.dtype):
            return False
        part = part_written(eqn)
        shape = shape_of(part.out)
        if not all(size_source(part, k) is not None for k in range(len(shape))):
            return False
        x = eqn.args[1]
        return not is_array(x) or self.broadcasts(x, shape) or self.can_check and self.may_agree(x, shape)


def part_written(eqn: Eqn) -> Eqn:
    """The read of the part that a statement writes."""
    x, _, *operands = eqn.args
    t = OPS["index"].type(bound(x), *map(bound, operands), key=eqn.attrs["key"])
    assert not isinstance(t, tuple)
    return Eqn(OPS["index"], (x, *operands), (Value(t),), {"key": eqn.attrs["key"]}, primal=False)


def _has_elements(eqn: Eqn) -> bool:
    """Has a product elements: is its rule for operands of these ranks, and do the sizes that meet agree?"""
    if not all(map(is_array, eqn.args)):
        return False
    shapes = [shape_of(x) for x in eqn.args]
    if eqn.op.name == "einsum":
        terms, _ = labels(eqn)
        sizes: dict[str, set[Dim]] = {}
        for shape, of in zip(shapes, terms):
            for label, d in zip(of, shape):
                sizes.setdefault(label, set()).add(d)
        return all(len({d for d in dims if d.value != 1}) <= 1 for dims in sizes.values())
    if eqn.op.name in ("matmul", "tensordot"):
        return True
    return all(len(shape) <= (1 if eqn.op.name == "outer" else 2) for shape in shapes)


def _of_machine_ints(eqn: Eqn) -> Eqn:
    """The equation with 64 bits for Python's ints, as they have in kernels: each is near a float."""
    return eqn.replace(args=tuple(Value(Tensor("np", "i64"), dim=x.dim) if isinstance(x, Value) and x.type == INT else x
                                  for x in eqn.args))


def _is_compiled_dtype(x: Operand) -> bool:
    t = tensor(x)
    return t is not None and t.dtype in KERNEL_DTYPES
