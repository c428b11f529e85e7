"""Cotangents of products whose own cotangent is masked because what it belongs to may be nan.

    r = y - X @ b;  s = sum(r[ok] ** 2),  ok = isfinite(r)

    db = -X.T @ where(ok, 2 * r, 0)     is nan if a row of X has a nan, since 0 * nan is nan
    db = -where(ok[:, None], X, 0).T @ where(ok, 2 * r, 0)

An element of an operand is left out if all the elements of the product are masked to which it contributes. Other masks,
such as that of a ReLU, do not say that a number is nan; products below them stay as they are.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from string import ascii_letters
from typing import Any, NamedTuple

from sct.ir.build import Builder
from sct.ir.core import Eqn, Op, Operand, Value, builder_var
from sct.ir.types import Tensor
from sct.ops.arrays.creation import zeros_of
from sct.ops.arrays.indexing import store
from sct.ops.arrays.shape import expand_dims, flatten, moveaxis, ravel, reshape, squeeze, swapaxes, transpose
from sct.ops.derivative_helpers import unbroadcast
from sct.ops.linalg.einsum import Labels, einsum, parse
from sct.ops.linalg.norms import norm
from sct.ops.linalg.products import PRODUCTS, dot, inner, labelled, matmul, outer
from sct.ops.linalg.tensor_products import summed, tensordot
from sct.ops.reductions.reductions import all_, any_, max_, mean, min_, prod, sum_
from sct.ops.scalar.comparison import eq, isfinite, isinf, isnan, ne
from sct.ops.scalar.selection import logical_not, logical_or, where
from sct.ops.type_rules import number

__all__ = ["Mask", "kept_elements", "tells_nan", "transposed_under_mask"]

_MOVES = (reshape, ravel, flatten, squeeze, expand_dims, transpose, swapaxes, moveaxis)
_REDUCTIONS = (sum_, mean, max_, min_, prod, norm)


class Mask(NamedTuple):
    """A mask: which elements are kept, or which are left out."""

    c: Operand
    keeps: bool

    def of(self, x: Operand) -> Any:
        """`x`, and 0 where it is masked."""
        return where(self.c, x, 0.0) if self.keeps else where(self.c, 0.0, x)


def tells_nan(c: Operand, deep: int = 8) -> bool:
    """Is this mask, or array of positions, computed from tests for nan or infinities?"""
    builder: Builder = builder_var.get()  # type: ignore[assignment]
    eqn = builder.defs.get(c) if isinstance(c, Value) and deep else None
    if eqn is None or not isinstance(c.type, Tensor) or c.type.kind not in "bi" or c.type.is_scalar:
        return False
    if eqn.op in (ne, eq):
        return len(set(eqn.args)) == 1
    return eqn.op in (isnan, isfinite, isinf) or any(tells_nan(x, deep - 1) for x in eqn.args)


def kept_elements(x: Operand, read: Mask | None, at: Sequence[Operand], key: tuple[str, ...]) -> Mask | None:
    """The mask of `x` of which only the elements at a key are read, which are not nan, or of which `read` is the mask
    of the cotangent; None if neither says what is nan."""
    if read is None and not any(map(tells_nan, at)):
        return None
    if read is None and key == ("m",):
        return Mask(_with_axes(at[0], tuple(range(number(at[0]).rank, number(x).rank))), True)
    kept: Any = True if read is None else read.c if read.keeps else logical_not(read.c)
    return Mask(store(zeros_of(x, dtype="bool"), kept, *at, key=key), True)


def transposed_under_mask(eqn: Eqn, mask: Mask, g: Operand, ct: Operand, args: Sequence[Operand],
                          rule: Callable[[Operand], Sequence[Any]]) -> list[tuple[Any, Mask | None]] | None:
    """The cotangents of the operands of an op whose own cotangent `ct` is `mask.of(g)`, by its rule, and masks outside
    which they are zero; None for ops that are not known here."""
    if (moved := _moved_mask(mask, eqn.op, args, eqn.attrs)) is not None:
        return [(x if x is None else moved.of(x), None) for x in rule(g)]
    if (labels := _product_labels(eqn.op, args, eqn.attrs)) is not None:
        return [*_transposed_product(eqn, mask, g, ct, args, labels)]
    return [*_transposed_bilinear(eqn, ct, args, rule(ct))] if eqn.op in PRODUCTS else None


def _moved_mask(mask: Mask, op: Op, args: Sequence[Operand], attrs: Mapping[str, Any]) -> Mask | None:
    """The mask of the cotangent of the operand of an op that moves elements or reduces axes; None for other ops."""
    if not number(mask.c).rank:
        return mask if op in (*_MOVES, *_REDUCTIONS) else None
    if op in _REDUCTIONS:
        return mask if attrs.get("keepdims") else Mask(expand_dims(mask.c, axis=attrs["axis"]), mask.keeps)
    assert op.linear is not None or op not in _MOVES
    return Mask(op.linear(mask.c, *args, **attrs)[0], mask.keeps) if op in _MOVES and op.linear is not None else None


def _product_labels(op: Op, args: Sequence[Operand], attrs: Mapping[str, Any]) -> tuple[list[Labels], Labels] | None:
    """The labels of the axes of the operands of a product, and of the product; None for other ops."""
    if not all(isinstance(x.type, Tensor) for x in args):
        return None
    ranks = [number(x).rank for x in args]
    if op is einsum:
        terms, result = parse(attrs["subscripts"], ranks)
        distinct = all(len({*term}) == len(term) for term in terms)
        return (terms, result) if distinct and not any(x[0] == "." for term in terms for x in term) else None
    if op is outer and ranks == [1, 1]:
        return [["a"], ["b"]], ["a", "b"]
    if op is tensordot and 0 not in ranks:
        gone = summed(args[0], args[1], attrs.get("axes", 2))
        x, y = list(ascii_letters[:ranks[0]]), list(ascii_letters[26:26 + ranks[1]])
        for i, j in zip(*gone):
            y[j] = x[i]
        return [x, y], [label for label in (*x, *y) if label in x and label not in y or label not in x]
    if op in (matmul, dot, inner) and 0 not in ranks and (op is not matmul or max(ranks) < 3):
        x, y, z = labelled(args[0], args[1], -1 if op is inner else max(ranks[1] - 2, 0))
        return [x, y], z
    if op is matmul and min(ranks) == 1:
        batch, rows, columns = list(ascii_letters[:max(ranks) - 2]), ["X"] * (ranks[0] > 1), ["Z"] * (ranks[1] > 1)
        x, y = [*batch, "X", "Y"], [*batch, "Y", "Z"]
        return [x if rows else ["Y"], y if columns else ["Y"]], [*batch, *rows, *columns]
    if op is matmul and (min(ranks) == 2 or ranks[0] == ranks[1]):
        batch = list(ascii_letters[:max(ranks) - 2])
        x, y = ([*(batch if rank > 2 else []), *rest] for rank, rest in zip(ranks, (["X", "Y"], ["Y", "Z"])))
        return [x, y], [*batch, "X", "Z"]
    return None


def _transposed_product(eqn: Eqn, mask: Mask, g: Operand, ct: Operand, args: Sequence[Operand],
                        labels: tuple[list[Labels], Labels]) -> Iterator[tuple[Any, Mask | None]]:
    assert eqn.op.vjp is not None
    terms, result = labels
    of = _varying(mask.c, result)
    for k, term in enumerate(terms):
        if {*of} <= {*term}:
            yield _aligned(mask, of, term).of(eqn.op.vjp(g, eqn.out, *args, **eqn.attrs)[k]), None
            continue
        kept = [x if j == k else _without_masked(x, mask, of, other)
                for j, (x, other) in enumerate(zip(args, terms))]
        term_ct = eqn.op.vjp(ct, eqn.out, *kept, **eqn.attrs)[k]
        yield term_ct, _aligned(mask, of, term) if {*of} & {*term} else None


def _transposed_bilinear(eqn: Eqn, ct: Operand, args: Sequence[Operand],
                         cts: Sequence[Any]) -> Iterator[tuple[Any, Mask]]:
    """The same for products without labels: an element of an operand that is nan and has the cotangent 0 is left out
    of the cotangent of the other operand."""
    assert eqn.op.vjp is not None
    masks = [Mask(logical_or(isfinite(x), ne(unbroadcast(dx, x), 0.0)), True) for x, dx in zip(args, cts)]
    x, y = (mask.of(x) for mask, x in zip(masks, args))
    yield eqn.op.vjp(ct, eqn.out, args[0], y, **eqn.attrs)[0], masks[0]
    yield eqn.op.vjp(ct, eqn.out, x, args[1], **eqn.attrs)[1], masks[1]


def _varying(c: Operand, result: Labels) -> Labels:
    """The labels of the axes of a mask of a product: those along which it varies."""
    sizes = number(c).shape
    return [label for label, n in zip(result[len(result) - len(sizes):], sizes) if n.value != 1]


def _without_masked(x: Operand, mask: Mask, of: Labels, term: Labels) -> Any:
    """The operand, and 0 where all is masked to which it contributes."""
    return _aligned(mask, of, term).of(x) if {*of} & {*term} else x


def _aligned(mask: Mask, of: Labels, term: Labels) -> Mask:
    """The mask of an operand with these labels: an element is kept if one along the other labels of the mask is."""
    c = mask.c
    ones = tuple(k for k, n in enumerate(number(c).shape) if n.value == 1)
    if ones:
        c = squeeze(c, axis=ones)
    gone = tuple(k for k, label in enumerate(of) if label not in term)
    if gone:
        c = (any_ if mask.keeps else all_)(c, axis=gone[0] if len(gone) == 1 else gone)
    left = [label for label in of if label in term]
    order = [label for label in term if label in left]
    if not order:
        return Mask(c, mask.keeps)
    if left != order:
        c = transpose(c, axes=tuple(left.index(label) for label in order))
    first = term.index(order[0])
    new = tuple(k - first for k, label in enumerate(term) if k > first and label not in order)
    return Mask(_with_axes(c, new), mask.keeps)


def _with_axes(c: Operand, new: tuple[int, ...]) -> Any:
    return expand_dims(c, axis=new[0] if len(new) == 1 else new) if new else c
