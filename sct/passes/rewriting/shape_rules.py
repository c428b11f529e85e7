"""Rewrite rules of shapes: broadcasts that an operation does itself, rearrangements that cancel, diagonals of products,
sizes of params."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, cast

from sct.ir.core import Lit, Operand, Value
from sct.ir.dims import Dim
from sct.ir.loop_view import loop_view
from sct.ir.types import Tensor
from sct.ops.arrays.creation import full_like, ones, zeros, zeros_of
from sct.ops.arrays.indexing import add_at, store
from sct.ops.arrays.shape import dim, expand_dims, reshape, size, transpose
from sct.ops.linalg.products import matrix_transpose
from sct.ops.program.list_ops import known_length
from sct.ops.reductions.reductions import expand_like, sum_
from sct.ops.scalar.arithmetic import add, div, mul, neg, sub
from sct.ops.scalar.selection import where
from sct.ops.type_rules import normalize
from sct.passes.rewriting.cast_rules import CASTS, uncast_ints
from sct.passes.rewriting.table import Site, adjoint_eqn, carrier_of, defining_eqn, operands_of, rule, shape_of

__all__: list[str] = []


@rule("expand_like")
def expand_scalar(ct: Operand, x: Operand, **_: Any) -> Any:
    """expand_like(ct, x) -> ct where x is a scalar"""
    return ct if carrier_of(x) != "array" and carrier_of(ct) != "array" else None


@rule("mul", of="expand_like")
def mul_expanded(a: Operand, b: Operand) -> Any:
    """expand_like(g, x) * b -> g * b where that has the shape of x"""
    g, h = unexpanded(a, b), unexpanded(b, a)
    return mul(g, b) if g is not None else mul(a, h) if h is not None else None


@rule("mul", of="expand_like")
def mul_scalar_expanded(a: Operand, b: Operand) -> Any:
    """s * expand_like(g, x) -> expand_like(s * g, x)"""
    eqn = adjoint_eqn(b)
    if eqn is None or eqn.op is not expand_like or shape_of(a) != () or carrier_of(a) == "array":
        return None
    return expand_like(mul(a, eqn.args[0]), eqn.args[1], **eqn.attrs)


@rule("where", of="expand_like")
def where_expanded(c: Operand, a: Operand, b: Operand) -> Any:
    """where(c, expand_like(g, x), b) -> where(c, g, b) where c and g broadcast to the shape of x"""
    g, h = unexpanded(a, c), unexpanded(b, c)
    return where(c, a if g is None else g, b if h is None else h) if g is not None or h is not None else None


@rule("add", of="expand_like")
def add_expanded(a: Operand, b: Operand) -> Any:
    """a + expand_like(g, x) -> a + g where that has the shape of x"""
    g, h = unexpanded(a, b), unexpanded(b, a)
    return add(b, g) if g is not None else add(a, h) if h is not None else None


@rule("sub", of="expand_like")
def sub_expanded(a: Operand, b: Operand) -> Any:
    """a - expand_like(g, x) -> a - g where that has the shape of x"""
    g, h = unexpanded(a, b), unexpanded(b, a)
    return sub(g, b) if g is not None else sub(a, h) if h is not None else None


@rule("div", of="expand_like")
def div_expanded(a: Operand, b: Operand) -> Any:
    """expand_like(g, x) / b -> g / b where that has the shape of x"""
    g = unexpanded(a, b)
    return div(g, b) if g is not None else None


def unexpanded(x: Operand, other: Operand) -> Any:
    """`g` where `x` is `expand_like(g, ...)` and `g` broadcasts with `other` to the shape of `x`, or to that of `other`
    for a number g.

    `g` has an axis of size 1 in place of an axis that was summed, so that it broadcasts like `x`."""
    eqn = adjoint_eqn(x)
    if eqn is None or eqn.op.name != "expand_like" or carrier_of(other) != "array":
        return None
    g, axis, full = eqn.args[0], eqn.attrs.get("axis"), shape_of(x)
    if shape_of(g) == () and full == shape_of(other)[-len(full):]:
        return g
    if shape_of(g) == () or len(shape_of(other)) > len(full):
        return None
    gone = () if eqn.attrs.get("keepdims") or axis is None else normalize(axis, len(full))
    sizes = iter(_to_rank(shape_of(g), len(full) - len(gone)))
    own, others = [None if k in gone else next(sizes) for k in range(len(full))], _to_rank(shape_of(other), len(full))
    if not all(b == size or a == size and b in (None, Dim(1)) for a, b, size in zip(own, others, full)):
        return None
    return g if gone == tuple(range(len(gone))) else expand_dims(g, axis=gone[0] if len(gone) == 1 else gone)


def _to_rank(shape: Sequence[Dim], rank: int) -> list[Dim | None]:
    """The shape with None for leading axes that are not there."""
    return [*[None] * (rank - len(shape)), *shape]


@rule("sum", of="neg")
def sum_negated(x: Operand, **attrs: Any) -> Any:
    """sum(-x) -> -sum(x)"""
    args = operands_of(x, "neg")
    return neg(sum_(args[0], **attrs)) if args is not None else None


@rule("transpose")
def transpose_twice(x: Operand, axes: Any = None) -> Any:
    """transpose(transpose(x)) -> x where the two permutations cancel"""
    eqn = defining_eqn(x)
    if eqn is None or eqn.op is not transpose:
        return None
    inner, rank = eqn.attrs.get("axes"), len(shape_of(x))
    first = inner if inner is not None else tuple(reversed(range(rank)))
    second = axes if axes is not None else tuple(reversed(range(rank)))
    back = [first[k] % rank for k in second]
    return eqn.args[0] if back == list(range(rank)) else None


@rule("reshape", of="reshape")
def reshape_twice(x: Operand, *sizes: Operand) -> Any:
    """reshape(reshape(x, ...), n, m) -> reshape(x, n, m)"""
    args = operands_of(x, "reshape")
    return reshape(args[0], *sizes) if args is not None else None


@rule("reshape", "ravel", "broadcast_to", "astype", "squeeze", "float")
def unchanged(x: Operand, *_: Any, **__: Any) -> Any:
    """reshape(x, ...) -> x where it has that type"""
    return x


# -- sizes and shapes of params, so that no value is saved for its shape ------------------


@rule("diag", "diagonal", phase="simplify", of="matmul")
def diagonal_of_product(site: Site, x: Operand, **attrs: Any) -> Any:
    """diag(A @ B) -> sum(A * B.T, axis=1), where nothing else reads the product, which is square"""
    factors = site.sole_operands(x, "matmul")
    if factors is None or not _is_main_diagonal(x, attrs) or any(len(shape_of(f)) != 2 for f in factors):
        return None
    return sum_(mul(factors[0], matrix_transpose(factors[1])), axis=1)


@rule("diag", "diagonal", phase="simplify", of="outer")
def diagonal_of_outer(site: Site, x: Operand, **attrs: Any) -> Any:
    """diag(outer(a, b)) -> a * b, where nothing else reads the outer product, which is square"""
    vectors = site.sole_operands(x, "outer")
    if vectors is None or not _is_main_diagonal(x, attrs) or any(len(shape_of(v)) != 1 for v in vectors):
        return None
    return mul(*vectors)


@rule("diag", "diagonal", phase="simplify", of="neg")
def diagonal_negated(site: Site, x: Operand, **attrs: Any) -> Any:
    """diag(-A) -> -diag(A), where nothing else reads the negated matrix, which is square"""
    args = site.sole_operands(x, "neg")
    return neg(site.eqn.op(*args, **attrs)) if args is not None and _is_main_diagonal(x, attrs) else None


def _is_main_diagonal(x: Operand, attrs: Mapping[str, Any]) -> bool:
    """Do the attrs of `diag` or `diagonal` ask for the main diagonal of the square matrix `x`?"""
    shape = shape_of(x)
    first = not attrs.get("k") and not attrs.get("offset") and attrs.get("axis1", 0) == 0 and attrs.get("axis2", 1) == 1
    return first and len(shape) == 2 and shape[0] == shape[1]


@rule("dim", phase="simplify")
def dim_of_param(site: Site, x: Operand, *_: Operand, axis: int = 0) -> Any:
    """dim(x, axis=k) -> n, or dim(p, axis=j), where the param n is that size, or the param p has it"""
    if isinstance(x.type, Tensor) and (n := site.ints.get(shape_of(x)[axis])) is not None:
        return n
    p, j = site.sizes.get(shape_of(x)[axis], (x, 0)) if isinstance(x.type, Tensor) else (x, 0)
    return dim(p, axis=j) if p is not x else None


@rule("dim")
def dim_of_list(x: Operand, *_: Operand, axis: int = 0) -> Any:
    """len([a, b]) -> 2;  so for a list with an item replaced"""
    n = known_length(x, defining_eqn)
    return None if n is None else Lit(n)


@rule("size", phase="simplify")
def size_of_param(site: Site, x: Operand) -> Any:
    """size(x) -> size(p) where the param p has that shape"""
    p = site.arrays.get(shape_of(x), x)
    return size(p) if p is not x else None


@rule("expand_like", phase="present", of=CASTS)
def full_like_ints(site: Site, ct: Operand, x: Operand, **_: Any) -> Any:
    """expand_like(c, x.astype(float)) -> full_like(x, c, dtype=float) for a scalar c"""
    like = uncast_ints(x)
    return full_like(like, ct, dtype="f64") if like is not None and carrier_of(ct) != "array" else None


@rule("expand_like", phase="present", of="literal")
def ones_of_size(site: Site, ct: Operand, x: Operand, **_: Any) -> Any:
    """expand_like(1.0, x) -> ones(n, m), where nothing else reads x and params have the sizes"""
    sizes = sizes_of(site, x) if ct in (Lit(1), Lit(1.0)) else None
    return ones(*sizes, dtype=cast(Tensor, x.type).dtype) if sizes is not None else None


@rule("expand_like", phase="simplify")
def expand_like_param(site: Site, ct: Operand, x: Operand, **attrs: Any) -> Any:
    """expand_like(ct, x) -> expand_like(ct, p), where nothing else reads x and the param p has its type"""
    p = site.arrays.get(shape_of(x), x)
    return expand_like(ct, p, **attrs) if p is not x and p.type == x.type and not site.is_shared(x) else None


@rule("zeros_of", phase="simplify")
def zeros_of_size(site: Site, x: Operand, **_: Any) -> Any:
    """zeros_of(x) -> zeros_of(p) or zeros(n, m), where nothing else reads x and params have its shape or sizes"""
    t = site.out.type
    start = carried_from(site, x)
    if start is not None and x.type == t:
        return zeros_of(start)
    sizes = sizes_of(site, x)
    if sizes is None or not isinstance(t, Tensor):
        return None
    like = site.arrays.get(t.shape)
    return zeros_of(like) if like is not None and like.type == t else zeros(*sizes, dtype=t.dtype)


def carried_from(site: Site, x: Operand) -> Value | None:
    """The param that a loop carries to its end as `x` without a change of shape, if only `x` of the loop is read."""
    eqn = defining_eqn(x)
    if eqn is None or eqn.op.name != "loop" or x not in eqn.outs[:eqn.attrs["carries"]] \
            or sum(site.uses[out] for out in eqn.outs) > 1:
        return None
    start = loop_view(eqn).inits[eqn.outs.index(cast(Value, x))]
    fixed = isinstance(x.type, Tensor) and all(d.value is not None or d in site.sizes for d in x.type.shape)
    return cast(Value, start) if fixed and start.type == x.type and start in site.params else None


def sizes_of(site: Site, x: Operand) -> list[Operand] | None:
    """The shape of `x`, an array that an equation computes for one reader, as operands; None if params do not have
    all sizes."""
    t, eqn = x.type, defining_eqn(x)
    if not isinstance(t, Tensor) or not t.is_array or eqn is None or eqn.regions or eqn.op in (store, add_at) \
            or site.is_shared(x) or any(d.value is None and d not in site.sizes for d in t.shape):
        return None
    return [Lit(d.value) if d.value is not None else cast(Operand, dim(site.sizes[d][0], axis=site.sizes[d][1]))
            for d in t.shape]
