"""Rewrite rules of matrix products: signs move outwards, identities vanish, a transposed product is a product, and so
is a sum of products of elements.

    A.T @ -e  ->  -(A.T @ e)        (A.T @ B).T  ->  B.T @ A
    sum(A[:, :, None] * B[:, None, :], axis=0)  ->  A.T @ B
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import permutations
from typing import Any, cast

from sct.ir.build import Builder
from sct.ir.core import Eqn, Lit, Operand, builder_var, is_number
from sct.ir.dims import Dim
from sct.ir.types import Tensor
from sct.ops.arrays.concatenate import array
from sct.ops.arrays.indexing import index
from sct.ops.arrays.shape import dim, expand_dims, reshape, reshape_like, swapaxes, transpose
from sct.ops.linalg.einsum import contract, parse
from sct.ops.linalg.linalg import solve
from sct.ops.linalg.products import matmul, matrix_transpose, outer
from sct.ops.linalg.spectra import rows
from sct.ops.linalg.tensor_products import product_over
from sct.ops.linalg.tensor_products import summed as summed_axes
from sct.ops.reductions.reductions import expand_like, sum_
from sct.ops.scalar.arithmetic import add, conj_of, mul, neg
from sct.ops.type_rules import normalize
from sct.passes.rewriting.table import (
    Site,
    adjoint_eqn,
    defining_eqn,
    is_full,
    is_result_of,
    operands_of,
    rule,
    shape_of,
)

__all__: list[str] = []


@rule("matmul", of="neg")
def matmul_negated(a: Operand, b: Operand) -> Any:
    """-a @ b -> -(a @ b);  a @ -b -> -(a @ b)"""
    if (args := operands_of(a, "neg")) is not None:
        return neg(matmul(args[0], b))
    return neg(matmul(a, args[0])) if (args := operands_of(b, "neg")) is not None else None


@rule("outer", of="neg")
def outer_negated(a: Operand, b: Operand) -> Any:
    """outer(-a, b) -> -outer(a, b);  outer(a, -b) -> -outer(a, b)"""
    if (args := operands_of(a, "neg")) is not None:
        return neg(outer(args[0], b))
    return neg(outer(a, args[0])) if (args := operands_of(b, "neg")) is not None else None


@rule("mul", phase="present", of="outer", when="finite")
def outer_scaled(site: Site, a: Operand, b: Operand) -> Any:
    """c * outer(x, y) -> outer(c * x, y) for a number c, where nothing else reads the product"""
    for c, product in ((a, b), (b, a)):
        vectors = site.sole_operands(product, "outer")
        if vectors is not None and is_number(c) and vectors_of_one_dtype(*vectors):
            scaled = mul(c, vectors[0])
            return outer(scaled, vectors[1]) if scaled.type == vectors[0].type else None
    return None


@rule("mul", phase="present", of="matmul", when="finite")
def column_scaled(site: Site, a: Operand, b: Operand) -> Any:
    """c * (x @ y) -> (c * x) @ y for a number c and a column x, where nothing else reads the product"""
    factors = site.sole_operands(b, "matmul") if is_number(a) else None
    if factors is None or not all(map(_is_float_array, factors)) or len(shape_of(factors[0])) != 2 \
            or len(shape_of(factors[1])) != 2 or shape_of(factors[0])[1].value != 1:
        return None
    scaled = mul(a, factors[0])
    return matmul(scaled, factors[1]) if scaled.type == factors[0].type else None


@rule("matmul", phase="simplify", when="finite")
def matrix_scaled(site: Site, a: Operand, b: Operand) -> Any:
    """(c * A).T @ x -> A.T @ (c * x);  x @ (c * A) -> (c * x) @ A for a number c and a vector x"""
    for matrix, x in ((a, b), (b, a)):
        turned = defining_eqn(matrix)
        is_turned = is_matrix_transpose(turned)
        scaled = defining_eqn(cast(Eqn, turned).args[0]) if is_turned else turned
        if scaled is None or scaled.op is not mul or len(shape_of(scaled.out)) != 2 or len(shape_of(x)) != 1 \
                or not _is_float_array(x):
            continue
        for c, inner in (scaled.args, scaled.args[::-1]):
            if is_number(c) and inner.type == scaled.out.type and mul(c, x).type == x.type:
                inner = matrix_transpose(inner) if is_turned else inner
                return matmul(inner, mul(c, x)) if matrix is a else matmul(mul(c, x), inner)
    return None


@rule("add", "sub", phase="present", of="outer matmul")
def add_outer_products(site: Site, a: Operand, b: Operand) -> Any:
    """outer(x, y) + outer(z, w) -> array([x, z]).T @ array([y, w]), and so on, where nothing else reads the products"""
    terms = rows_of_sum(site, a), rows_of_sum(site, b)
    if None in terms:
        return None
    (xs, ys), (zs, ws) = cast("tuple[Rows, Rows]", terms)
    if not vectors_of_one_dtype(*xs, *ys, *zs, *ws) or xs[0].type != zs[0].type or ys[0].type != ws[0].type:
        return None
    if site.eqn.op is not add:
        zs = tuple(neg(z) for z in zs)
    left, right = (array(*rows, tree=tuple(range(len(rows)))) for rows in ((*xs, *zs), (*ys, *ws)))
    return matmul(transpose(left), right)


@rule("add", "sub", phase="present", of="matmul", when="finite")
def add_matrix_products(site: Site, a: Operand, b: Operand) -> Any:
    """a @ x + a @ y -> a @ (x + y);  x @ a + y @ a -> (x + y) @ a, where nothing else reads the products"""
    left, right = site.sole_operands(a, "matmul"), site.sole_operands(b, "matmul")
    if left is None or right is None or not all(map(_is_float_array, (*left, *right))):
        return None
    for k in (0, 1):
        x, y = left[1 - k], right[1 - k]
        if left[k] is right[k] and x.type == y.type and len(shape_of(x)) <= len(shape_of(left[k])):
            return matmul(left[k], site.eqn.op(x, y)) if k == 0 else matmul(site.eqn.op(x, y), left[k])
    return None


@rule("eigen_sum", phase="simplify")
def eigen_sum_as_product(site: Site, ct: Operand, w: Operand, v: Operand, a: Operand) -> Any:
    """eigen_sum(ct, w, V, A) -> conj(V) * ct @ V.T"""
    return matmul(mul(conj_of(v, v), rows(ct)), matrix_transpose(v))


@rule("singular_sum", phase="simplify")
def singular_sum_as_product(site: Site, ct: Operand, s: Operand, u: Operand, vh: Operand, a: Operand) -> Any:
    """singular_sum(ct, s, U, Vh, A) -> conj(U * ct @ Vh)"""
    return conj_of(matmul(mul(u, rows(ct) if shape_of(ct) else ct), vh), a)


Rows = tuple[tuple[Operand, ...], tuple[Operand, ...]]


def rows_of_sum(site: Site, x: Operand) -> Rows | None:
    """The vectors of a product, or of a sum of products that `add_outer_products` has made."""
    if (vectors := site.sole_operands(x, "outer")) is not None:
        return vectors[:1], vectors[1:]
    factors = site.sole_operands(x, "matmul") or (Lit(0.0), Lit(0.0))
    left = (operands_of(factors[0], "transpose") or (Lit(0.0),))[0]
    rows = operands_of(left, "array"), operands_of(factors[1], "array")
    return (rows[0], rows[1]) if rows[0] is not None and rows[1] is not None else None


def vectors_of_one_dtype(*xs: Operand) -> bool:
    types = [x.type for x in xs]
    return all(isinstance(t, Tensor) and t.is_array and t.rank == 1 and t.kind == "f" for t in types) \
        and len({t.dtype for t in types if isinstance(t, Tensor)}) == 1


@rule("solve", of="neg")
def solve_negated(a: Operand, b: Operand) -> Any:
    """solve(A, -b) -> -solve(A, b)"""
    args = operands_of(b, "neg")
    return neg(solve(a, args[0])) if args is not None else None


@rule("matmul", of="eye mul", when="finite")
def matmul_identity(a: Operand, b: Operand) -> Any:
    """eye @ b -> b;  a @ eye -> a;  (c * eye) @ b -> c * b;  a @ (c * eye) -> c * a"""
    for eye, x in ((a, b), (b, a)):
        factors = operands_of(eye, "mul") or (None, eye)
        if is_identity(factors[1]) and (factors[0] is None or shape_of(factors[0]) == ()):
            return x if factors[0] is None else mul(factors[0], x)
    return None


def is_identity(x: Operand) -> bool:
    eqn = adjoint_eqn(x)
    return eqn is not None and eqn.op.name == "eye" and not eqn.attrs.get("k") and len(eqn.args) == 1


@rule("matmul", of="expand_like", when="finite")
def matmul_filled(a: Operand, b: Operand) -> Any:
    """a @ (a vector full of g) -> g * sum(a, axis=-1);  (a vector full of g) @ b -> g * sum(b, axis=-2)"""
    if (g := vector_fill_value(b)) is not None:
        return mul(g, summed(a, -1))
    return mul(g, summed(b, -2)) if (g := vector_fill_value(a)) is not None else None


def summed(x: Operand, axis: int) -> Any:
    """The sums of the rows (-1) or the columns (-2) of matrices, or of a vector."""
    rank = len(shape_of(x))
    if rank != 2:
        return sum_(x) if rank == 1 else sum_(x, axis=axis)
    inner = operands_of(x, "transpose")
    return sum_(x, axis=axis + 2) if inner is None else sum_(*inner, axis=-1 - axis)


def vector_fill_value(x: Operand) -> Any:
    """The number with which a vector is filled."""
    args = operands_of(x, "expand_like") if len(shape_of(x)) == 1 else None
    return args[0] if args is not None and shape_of(args[0]) == () else None


@rule("mul", of="mul", when="finite")
def mul_det(a: Operand, b: Operand) -> Any:
    """(c / d * d) * B -> c * B where d = det(A), 0 only where its derivative raises: that of log(det(A)) is inv(A).T"""
    args = operands_of(a, "mul")
    parts = operands_of(args[0], "div") if args is not None and is_result_of(args[1], "det") else None
    return mul(parts[0], b) if args is not None and parts is not None and parts[1] is args[1] else None


@rule("swapaxes")
def swapaxes_twice(x: Operand, a: int, b: int) -> Any:
    """swapaxes(swapaxes(x, a, b), a, b) -> x"""
    inner = defining_eqn(x)
    return inner.args[0] if inner is not None and inner.op is swapaxes and inner.attrs == {"a": a, "b": b} else None


def is_matrix_transpose(eqn: Eqn | None) -> bool:
    """Does the equation transpose matrices?"""
    if eqn is None or eqn.op not in (transpose, swapaxes):
        return False
    rank = len(shape_of(eqn.args[0]))
    if eqn.op is transpose:
        return rank == 2 and eqn.attrs.get("axes") in (None, (1, 0))
    return sorted(eqn.attrs[k] % rank for k in "ab") == [rank - 2, rank - 1]


@rule("transpose", "swapaxes", phase="simplify", of="neg matmul")
def transpose_product(site: Site, x: Operand, **_: Any) -> Any:
    """(a.T @ b).T -> b.T @ a;  (a @ b.T).T -> b @ a.T;  (-a).T -> -a.T, where nothing else reads the operand"""
    if not is_matrix_transpose(site.eqn):
        return None
    if (inside := site.sole_operands(x, "neg")) is not None:
        return neg(site.eqn.op(*inside, **site.eqn.attrs))
    factors = site.sole_operands(x, "matmul")
    if factors is None or min(len(shape_of(x)) for x in factors) < 2:
        return None
    eqns = [defining_eqn(x) for x in factors]
    if not any(map(is_matrix_transpose, eqns)):
        return None
    a, b = (cast(Eqn, e).args[0] if is_matrix_transpose(e) else matrix_transpose(x) for e, x in zip(eqns, factors))
    return matmul(b, a)


@rule("sum", phase="simplify", of="mul")
def dot_product(site: Site, x: Operand, **attrs: Any) -> Any:
    """sum(x * y) -> x @ y for vectors, where nothing else reads the product"""
    factors = None if attrs.get("keepdims") else site.sole_operands(x, "mul")
    if factors is None:
        return None
    a, b = (f.type for f in factors)
    vectors = isinstance(a, Tensor) and a.is_array and a.rank == 1 and a.kind == "f" and a == b
    return matmul(*factors) if vectors else None


# -- sums of products: a matrix product, without the array of all products ----------------------------


@rule("sum", phase="simplify", of="mul", when="finite")
def sum_scaled(site: Site, x: Operand, **attrs: Any) -> Any:
    """sum(x * (c * y)) -> c * sum(x * y) for a literal c, where nothing else reads the products"""
    factors = site.sole_operands(x, "mul") or ()
    for k, f in enumerate(factors):
        scaled = site.sole_operands(f, "mul")
        if scaled is not None and is_number(scaled[0]) and shape_of(factors[1 - k]):
            return mul(scaled[0], sum_(mul(factors[1 - k], scaled[1]), **attrs))
    return None


@rule("sum", phase="simplify", of="mul", when="finite")
def sum_broadcast_products(site: Site, x: Operand, axis: Any = None, keepdims: bool = False) -> Any:
    """sum(x[:, :, None] * y[:, None, :], axis=0) -> x.T @ y, where nothing else reads the product

    Each axis of the product is summed and of both factors, or kept and of one; those of one factor come first."""
    factors = site.sole_operands(x, "mul")
    if factors is None or not all(map(_is_float_array, factors)):
        return None
    (a, of_a), (b, of_b) = (without_new_axes(f, shape_of(x)) for f in factors)
    summed = normalize(axis, len(shape_of(x)))
    kept = [k for k in range(len(shape_of(x))) if k not in summed]
    if not summed or not kept:
        return None
    if {*of_a} & {*of_b} != {*summed}:
        repeat = {*of_a} != {*of_b} and {*of_a} | {*of_b} == {*range(len(shape_of(x)))}
        terms = [(f, [chr(ord("i") + k) for k in of]) for f, of in ((a, of_a), (b, of_b))]
        return contracted(terms, [chr(ord("i") + k) for k in kept]) if repeat and not keepdims else None
    if kept[0] in of_b:
        a, of_a, b, of_b = b, of_b, a, of_a
    if [k for of in (of_a, of_b) for k in of if k in kept] != kept:
        return None
    i, j = ([of.index(k) for k in summed] for of in (of_a, of_b))
    product = contracted_over(a, b, i, j)
    return expand_dims(product, axis=summed[0] if len(summed) == 1 else summed) if keepdims else product


@rule("sum", phase="simplify", of="matmul squeeze", when="finite")
def sum_matrix_products(site: Site, x: Operand, axis: Any = None, keepdims: bool = False) -> Any:
    """sum(x @ y, axis=0) -> tensordot(x, y, axes=((0, 2), (0, 1))), where nothing else reads the products"""
    column = site.sole_eqn(x) if is_result_of(x, "squeeze") else None
    products = x if column is None else column.args[0]
    factors, rank = site.sole_operands(products, "matmul"), len(shape_of(products))
    if factors is None or keepdims or rank < 3 or normalize(axis, len(shape_of(x))) != tuple(range(rank - 2)) \
            or not all(_is_float_array(f) and shape_of(f)[:-2] == shape_of(products)[:-2] for f in factors):
        return None
    (a, i), (b, j) = ((_transposed(f), 3 - k) if is_matrix_transpose(defining_eqn(f)) else (f, k)
                      for f, k in zip(factors, (1, 2)))
    if column is not None:
        spread = defining_eqn(b)
        if spread is None or spread.op is not expand_dims \
                or any(normalize(eqn.attrs["axis"], rank) != (rank - 1,) for eqn in (column, spread)):
            return None
        b = spread.args[0]
    batch = range(rank - 2)
    return contracted_over(a, b, [*batch, rank - i], [*batch, rank - j])


@rule("sum", phase="simplify", of="einsum", when="finite")
def sum_einsum(site: Site, x: Operand, axis: Any = None, keepdims: bool = False) -> Any:
    """sum(einsum("nki,kij->nkj", x, y), axis=0) -> einsum("ki,kij->kj", sum(x, axis=0), y), where nothing else reads it

    What one factor alone is summed over, that factor is summed over first."""
    eqn = site.sole_eqn(x) if is_result_of(x, "einsum") and not keepdims else None
    labelled = None if eqn is None else labels_of(eqn.args, eqn.attrs["subscripts"])
    if eqn is None or labelled is None or len(labelled[0]) != 2:
        return None
    terms, result = labelled
    summed = normalize(axis, len(result))
    result = [label for k, label in enumerate(result) if k not in summed]
    return contracted(list(zip(eqn.args, terms)), result)


def contracted(factors: Sequence[tuple[Operand, list[str]]], result: list[str]) -> Any:
    """The sum of products of two labelled arrays, each of which is first summed over what it alone is summed over."""
    terms = []
    for k, (x, of) in enumerate(factors):
        own = tuple(n for n, label in enumerate(of) if label not in result and label not in factors[1 - k][1])
        terms.append((sum_(x, axis=own[0] if len(own) == 1 else own) if own else x,
                      [label for n, label in enumerate(of) if n not in own]))
    return contract(terms, result) if all(of for _, of in terms) and result else None


@rule("einsum", phase="present")
def einsum_as_product(site: Site, *xs: Operand, subscripts: str, **_: Any) -> Any:
    """einsum("nki,nkj->kij", x, y) -> x.transpose(1, 2, 0) @ y.transpose(1, 0, 2):  a product of matrices is BLAS"""
    labelled = labels_of(xs, subscripts)
    if labelled is None or len(xs) != 2:
        return None
    (of_a, of_b), result = labelled
    both = [label for label in of_a if label in of_b]
    batch, summed = ([label for label in both if (label in result) == kept] for kept in (True, False))
    if len(summed) != 1 or len(of_a) != len(both) + 1 or len(of_b) != len(both) + 1 or len(result) != len(batch) + 2:
        return None
    a, b = xs
    if result[-2:-1] != [label for label in of_a if label not in both]:
        a, of_a, b, of_b = b, of_b, a, of_a
    batch = result[:-2]
    if {*batch} | {*summed} != {*both} or result[-2] not in of_a:
        return None
    left, right = [*batch, result[-2], *summed], [*batch, *summed, result[-1]]
    return matmul(_with_axes(a, of_a, left), _with_axes(b, of_b, right))


@rule("einsum", phase="present", when="finite")
def einsum_as_tensordot(site: Site, *xs: Operand, subscripts: str, **_: Any) -> Any:
    """einsum("ij,jkl->ikl", x, y) -> tensordot(x, y, axes=1), where each factor has axes of its own: that is BLAS"""
    labelled = labels_of(xs, subscripts)
    if labelled is None or len(xs) != 2:
        return None
    terms, result = labelled
    summed = [label for label in terms[0] if label in terms[1]]
    if len(result) < (3 if len(summed) < 2 else 2):
        return None
    for (x, of_x), (y, of_y) in permutations(zip(xs, terms)):
        own = [[label for label in of if label not in summed] for of in (of_x, of_y)]
        if summed and all(own) and own[0] + own[1] == result:
            return contracted_over(x, y, [of_x.index(k) for k in summed], [of_y.index(k) for k in summed])
    return None


@rule("tensordot", phase="present", of="index")
def tensordot_of_part(site: Site, x: Operand, y: Operand, axes: Any = 2) -> Any:
    """tensordot(x[:, k], y, axes=((1,), (2,))) -> (x[:, k] @ y.reshape(-1, n).T).reshape(...)

    Of parts, which are small, `tensordot` takes several times as long."""
    i, j = summed_axes(x, y, axes)
    shape = (shape_of(x), shape_of(y))
    if len(i) != 1 or min(map(len, shape)) < 2 or not all(map(_is_float_array, (x, y))) or shape[0][i[0]].least < 1:
        return None
    a, b = _as_rows(site, x, i[0]), _as_rows(site, y, j[0])
    if a is None or b is None:
        return None
    result = cast(Tensor, site.out.type).shape
    if (like := site.arrays.get(result)) is not None:
        return reshape_like(matmul(a, transpose(b)), like)
    sizes = [_size(site, v, k) for v, (at,), of in zip((x, y), (i, j), shape) for k in range(len(of)) if k != at]
    return reshape(matmul(a, transpose(b)), *sizes)


def _size(site: Site, x: Operand, axis: int) -> Any:
    """The size of `x` along an axis; if it is no param, as the size of a param where one has it."""
    param, k = (x, axis) if x in site.params else site.sizes.get(shape_of(x)[axis], (x, axis))
    return dim(param, axis=k)


def _as_rows(site: Site, x: Operand, axis: int) -> Any:
    """The matrix of the vectors of `x` along its first or last axis; None for an axis between."""
    rank, size = len(shape_of(x)), _size(site, x, axis)
    if axis not in (0, rank - 1):
        return None
    if rank == 2:
        return x if axis else transpose(x)
    return reshape(x, -1, size) if axis else transpose(reshape(x, size, -1))


def labels_of(xs: Sequence[Operand], subscripts: str) -> tuple[list[list[str]], list[str]] | None:
    """The labels of the axes of float arrays and of the result; None if an array has a label twice or an ellipsis, or
    if one of them repeats along an axis."""
    if not all(map(_is_float_array, xs)) or len({x.type.dtype for x in xs}) > 1:  # type: ignore[union-attr]
        return None
    terms, result = parse(subscripts, [len(shape_of(x)) for x in xs])
    sizes: dict[str, Dim] = {}
    for x, of in zip(xs, terms):
        if len({*of}) < len(of) or any(label[0] == "." for label in of) \
                or any(sizes.setdefault(label, size) != size for label, size in zip(of, shape_of(x))):
            return None
    return terms, result


def _with_axes(x: Operand, of: Sequence[str], order: Sequence[str]) -> Operand:
    """`x`, whose axes have these labels, with its axes in another order."""
    axes = tuple(of.index(label) for label in order)
    if axes == tuple(range(len(axes))):
        return x
    is_of_matrices = axes[:-2] == tuple(range(len(axes) - 2))
    return cast(Operand, matrix_transpose(x) if is_of_matrices else transpose(x, axes=axes))


def contracted_over(a: Operand, b: Operand, i: Sequence[int], j: Sequence[int]) -> Any:
    """The sum of products over the axes i of a and j of b; of matrices and vectors by `@`, of one number by its sum."""
    m, n = len(shape_of(a)), len(shape_of(b))
    filled = operands_of(b, "expand_like") if n == len(j) else None
    if filled is not None and shape_of(filled[0]) == ():
        return mul(filled[0], sum_(a, axis=i[0] if len(i) == 1 else tuple(i)))
    if n == 1 and tuple(i) == (m - 1,):
        return matmul(a, b)
    if len(i) == 1 and max(m, n) <= 2:
        return matmul(transpose(a) if i[0] < m - 1 else a, transpose(b) if j[0] else b)
    return product_over(a, b, tuple(i), tuple(j))


def without_new_axes(x: Operand, shape: Sequence[Dim]) -> tuple[Operand, list[int]]:
    """A factor without its new axes, along which it repeats, and the axes of the product that it has; none if it also
    repeats along an axis of its own."""
    axes = [*range(len(shape) - len(shape_of(x)), len(shape))]
    while (eqn := defining_eqn(x)) is not None:
        inner, key, new = eqn.args[0], eqn.attrs.get("key", ()), cast(Sequence[int], ())
        if eqn.op is expand_dims:
            new = normalize(eqn.attrs["axis"], len(axes))
        elif eqn.op is expand_like and shape_of(inner):
            aligned = eqn.attrs.get("keepdims") or eqn.attrs.get("axis") is None
            new = range(len(axes) - len(shape_of(inner))) if aligned else normalize(eqn.attrs["axis"], len(axes))
        elif eqn.op is index and "n" in key and all(item[0] in "ns" for item in key):
            new = tuple(k for k, item in enumerate(key) if item == "n")
            rest = tuple(item for item in key if item != "n")
            inner = inner if is_full(rest) else _without_axes(eqn, rest, new)
        else:
            break
        x, axes = inner, [k for position, k in enumerate(axes) if position not in new]
    return x, axes if all(size == shape[k] for k, size in zip(axes, shape_of(x))) else []


def _without_axes(eqn: Eqn, key: tuple[str, ...], axes: Sequence[int]) -> Operand:
    """The read of slices, by a key without these new axes.  Sizes of slices keep what guards tell of them."""
    t = cast(Tensor, eqn.out.type)
    shape = tuple(size for k, size in enumerate(t.shape) if k not in axes)
    builder = cast(Builder, builder_var.get())
    (part,) = builder.emit(index, eqn.args, {"key": key}, types=[Tensor(t.carrier, t.dtype, shape)])
    return cast(Operand, part)


def _is_float_array(x: Operand) -> bool:
    return isinstance(x.type, Tensor) and x.type.is_array and x.type.kind == "f"


def _transposed(x: Operand) -> Operand:
    return cast(Eqn, defining_eqn(x)).args[0]
