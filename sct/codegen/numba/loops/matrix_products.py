"""Products of matrices, for which helpers of kernels call BLAS where the matrices are large.

    C = A @ B                            ->   C = matrix_product(A, B)
    v = np.einsum("vb,bij->vij", w, T)   ->   v = matrix_product(w, T.reshape(b, i * j)).reshape(v, i, j)
"""

from __future__ import annotations

import functools
import importlib.util
import math
from collections.abc import Sequence

from sct.codegen.numba.loops.loop_nests import Nest, is_array, shape_of, tensor
from sct.ir.core import Eqn, Op, Operand, Value
from sct.ir.dims import Dim
from sct.ir.types import Tensor
from sct.ops import OPS
from sct.ops.linalg.einsum import Labels, parse
from sct.ops.linalg.tensor_products import summed
from sct.ops.type_rules import number, size_dim

__all__ = ["MATRIX_PRODUCTS", "is_matrix_product", "labels", "multiply"]

PRODUCTS = frozenset(["matmul", "dot", "einsum", "tensordot"])

SMALL = 8
"""Below this size, loops of a literal number of iterations are faster."""


def _product(name: str) -> Op:
    return Op(name, lambda x, y: Tensor("array", "f64", (*number(x).shape[:-1], *number(y).shape[1:])),
              emit=f"{name}(_0, _1)", nondiff="of kernels", compiled=True)


MATRIX_PRODUCTS = {(2, 2): _product("matrix_product"), (2, 1): _product("matrix_vector"),
                   (1, 2): _product("vector_matrix")}
"""The helper, by the numbers of axes of the operands."""


def labels(eqn: Eqn) -> tuple[list[Labels], Labels]:
    """The labels of the axes of the operands and of the result of a product, as of an einsum."""
    ranks = [len(shape_of(x)) for x in eqn.args]
    if eqn.op.name == "einsum":
        return parse(eqn.attrs["subscripts"], ranks)
    (a, b), (m, n) = eqn.args, ranks
    i, j = summed(a, b, eqn.attrs["axes"]) if eqn.op.name == "tensordot" else ((m - 1,), (max(n - 2, 0),))
    x, y = [f"m{k}" for k in range(m)], [f"n{k}" for k in range(n)]
    for p, q in zip(i, j):
        y[q] = x[p]
    return [x, y], [label for label in (*x, *y) if not (label in x and label in y)]


def is_matrix_product(eqn: Eqn) -> bool:
    """Is this a product of matrices that may be large?  Numba calls BLAS by way of SciPy."""
    if eqn.op.name not in PRODUCTS or len(eqn.args) != 2:
        return False
    if importlib.util.find_spec("scipy") is None:
        return False
    if not all(is_array(x) and (t := tensor(x)) is not None and t.dtype == "f64" for x in (*eqn.args, *eqn.outs)):
        return False
    terms, result = labels(eqn)
    first, second, both = _groups(terms)
    sizes = {label: d for x, of in zip(eqn.args, terms) for label, d in zip(of, shape_of(x))}
    if any(len({*of}) < len(of) for of in terms) or {*first, *second} != {*result} or not both \
            or any(sizes[label] != d for x, of in zip(eqn.args, terms) for label, d in zip(of, shape_of(x))):
        return False
    if result != first + second or not result:
        return False
    if not (first and second if eqn.op.name in ("einsum", "tensordot") else max(map(len, terms)) <= 2):
        return False
    return all(_literal(group, sizes) >= SMALL for group in (first, second, both) if group)


def multiply(nest: Nest, eqn: Eqn) -> None:
    """Add the statements of a product to those before the loops."""
    terms, result = labels(eqn)
    x, y = (nest.renamed.get(z, z) if isinstance(z, Value) else z for z in eqn.args)
    if all(len(of) <= 2 for of in terms) and terms[0][-1] == terms[1][0]:
        transposed = nest.ranges.definitions.get(x)
        if transposed is not None and transposed.op.name == "transpose" and len(terms[1]) == 1:
            x, y = y, transposed.args[0]  # A.T @ y is y @ A, and BLAS takes contiguous matrices
        nest.append(Eqn(MATRIX_PRODUCTS[len(shape_of(x)), len(shape_of(y))], (x, y), (eqn.out,), primal=False), 0)
        return
    first, second, both = _groups(terms)
    x = _matrix(nest, x, terms[0], (first, both))
    y = _matrix(nest, y, terms[1], (both, second))
    product = nest.emit(MATRIX_PRODUCTS[2, 2], (x, y))
    sizes = [nest.size_of_result(eqn, k) for k in range(len(result))]
    nest.append(Eqn(OPS["reshape"], (product, *sizes), (eqn.out,), primal=False), 0)


def _groups(terms: Sequence[Labels]) -> tuple[Labels, Labels, Labels]:
    """The labels that only the first operand has, those that only the second one has, and those that both have."""
    x, y = terms
    return [i for i in x if i not in y], [i for i in y if i not in x], [i for i in x if i in y]


def _literal(group: Labels, sizes: dict[str, Dim]) -> float:
    """The number of elements along some axes, infinite where it is not literal."""
    return math.prod(math.inf if (n := sizes[label].value) is None else n for label in group)


def _matrix(nest: Nest, x: Operand, of: Labels, groups: tuple[Labels, Labels]) -> Operand:
    """The operand as a matrix, whose two axes are these groups of its axes."""
    rows, columns = groups
    order = tuple(of.index(label) for label in (*rows, *columns))
    sizes = [functools.reduce(OPS["mul"], (nest.size(x, of.index(label)) for label in group)) for group in groups]
    shape = shape_of(x)
    if order != tuple(range(len(of))):
        x = nest.emit(OPS["transpose"], (x,), {"axes": order})
    if len(rows) == len(columns) == 1:
        return x
    matrix = Value(Tensor("array", "f64", tuple(size_dim([shape[of.index(label)] for label in g]) for g in groups)))
    nest.append(Eqn(OPS["reshape"], (x, *sizes), (matrix,), primal=False), 0)
    return matrix
