"""`numpy.einsum`, and sums of products of labelled arrays for the rules of other products.

A label is a letter, or ".0", ".1", ... for the axes that an ellipsis stands for, counted
from the last, which broadcast as such.

>>> parse("...ij,j", (3, 1))
([['.0', 'i', 'j'], ['j']], ['.0', 'i'])
>>> render([[".0", "i", "j"], ["j"]], [".0", "i"])
'...ij,j->...i'
"""

from __future__ import annotations

import functools
import string
from collections.abc import Sequence
from typing import Any

import numpy as np

from sct.ir.core import Elements, Lit, Op, Operand, Value
from sct.ir.dims import Dim
from sct.ir.types import Opaque, Tensor, TypeMismatch, broadcast_dims
from sct.ops import samples
from sct.ops.arrays.creation import eye, strong
from sct.ops.arrays.indexing import store
from sct.ops.arrays.linspace import arange
from sct.ops.arrays.rearrange import diag
from sct.ops.arrays.shape import dim, expand_dims, transpose
from sct.ops.reductions.reductions import sum_
from sct.ops.registry import op
from sct.ops.scalar.arithmetic import add, mul
from sct.ops.type_rules import number, probe, scalar_or_array

__all__ = ["Labels", "contract", "einsum", "nothing", "parse", "render", "write_view"]

Labels = list[str]


# -- subscripts -----------------------------------------------------------------------------------


def parse(subscripts: str, ranks: Sequence[int]) -> tuple[list[Labels], Labels]:
    """The labels of the axes of each operand and of the result."""
    inputs, arrow, output = subscripts.replace(" ", "").partition("->")
    terms = inputs.split(",")
    if len(terms) != len(ranks):
        raise TypeMismatch(f"einsum: {len(terms)} subscripts for {len(ranks)} operands")
    term_labels = [labels(term, rank) for term, rank in zip(terms, ranks)]
    dots = max((x for one in term_labels for x in one if x[0] == "."), key=lambda x: int(x[1:]), default=None)
    batch = [] if dots is None else [f".{k}" for k in reversed(range(int(dots[1:]) + 1))]
    if arrow:
        head, ellipsis, tail = output.partition("...")
        result = [*head, *(batch if ellipsis else []), *tail]
        if batch and not ellipsis:
            raise TypeMismatch(f"einsum: the result of {subscripts!r} lacks the ellipsis of its operands")
    else:
        letters = sorted(x for one in term_labels for x in one if x[0] != ".")
        result = [*batch, *(x for x in letters if letters.count(x) == 1)]
    if not {*result} <= {x for one in term_labels for x in one} or len({*result}) < len(result):
        raise TypeMismatch(f"einsum: the result of {subscripts!r} names an axis that no operand has, or one twice")
    return term_labels, result


def labels(term: str, rank: int) -> Labels:
    """The labels of one operand."""
    head, ellipsis, tail = term.partition("...")
    free = rank - len(head) - len(tail)
    if free < 0 or free and not ellipsis:
        raise TypeMismatch(f"einsum: the subscripts {term!r} do not fit an array of rank {rank}")
    return [*head, *(f".{k}" for k in reversed(range(free))), *tail]


def render(terms: Sequence[Labels], result: Labels) -> str:
    """The subscripts; an ellipsis where every operand has all of its axes in a row, or none."""
    dots = sorted({x for one in (*terms, result) for x in one if x[0] == "."}, key=lambda x: -int(x[1:]))
    several = [one for one in (*terms, result) if any(x[0] == "." for x in one)]
    together = dots and result in several and all(_joined(one, dots) for one in several)
    used = {x for one in terms for x in one}
    fresh = iter(c for c in string.ascii_letters if c not in used)
    names = {x: "" for x in dots} | {dots[0]: "..."} if together else {x: next(fresh) for x in dots}
    text = ["".join(names.get(x, x) for x in one) for one in (*terms, result)]
    return f"{','.join(text[:-1])}->{text[-1]}"


def _joined(one: Labels, dots: Labels) -> bool:
    at = next(k for k, x in enumerate(one) if x[0] == ".")
    return one[at:at + len(dots)] == dots


# -- sums of products -----------------------------------------------------------------------------


def contract(terms: Sequence[tuple[Any, Labels]], result: Labels, optimize: Any = False) -> Any:
    """The sum of products of labelled arrays, over the labels that are not of the result.

    Labels are distinct within an array, and each of the result stands in some array.
    """
    scalars = [x for x, of in terms if not of]
    arrays = [(x, of) for x, of in terms if of]
    if len(arrays) == 1:
        contracted = _rearranged(*arrays[0], result)
    elif len(arrays) == 2 and all(_is_part(of, result) for _, of in arrays):
        contracted = mul(*(_aligned(x, of, result) for x, of in arrays))
    elif arrays:
        text = render([of for _, of in arrays], result)
        contracted = einsum(*(x for x, _ in arrays), subscripts=text, optimize=optimize)
    else:
        contracted, *scalars = scalars
    for x in scalars:
        contracted = mul(x, contracted)
    return contracted


def _is_part(of: Labels, result: Labels) -> bool:
    """Are these labels of the result, in its order?"""
    return of == [label for label in result if label in of]


def _aligned(x: Operand, of: Labels, result: Labels) -> Any:
    """x with new axes, so that it broadcasts against the result."""
    first = result.index(of[0])
    new = tuple(k - first for k, label in enumerate(result) if k > first and label not in of)
    return expand_dims(x, axis=new[0] if len(new) == 1 else new) if new else x


def _rearranged(x: Operand, of: Labels, result: Labels) -> Any:
    gone = tuple(k for k, label in enumerate(of) if label not in result)
    left = [label for label in of if label in result]
    if gone:
        x = sum_(x, axis=gone[0] if len(gone) == 1 else gone)
    order = tuple(left.index(label) for label in result)
    if order == tuple(range(len(order))):
        return x
    return transpose(x) if order == tuple(reversed(range(len(order)))) else transpose(x, axes=order)


# -- the op ---------------------------------------------------------------------------------------


def type_einsum(*xs: Operand, subscripts: str, optimize: Any = False) -> Tensor:
    types = [number(x) for x in xs]
    terms, result = parse(subscripts, [t.rank for t in types])
    sizes: dict[str, Dim] = {}
    for t, of in zip(types, terms):
        for label, d in zip(of, t.shape):
            sizes[label] = broadcast_dims(sizes.get(label, Dim(1)), d)
    return scalar_or_array({probe(_product, *map(strong, types))}, tuple(sizes[label] for label in result))


def _product(*xs: Any) -> Any:
    return np.einsum(",".join("i" * len(xs)) + "->i", *xs)


def run_einsum(*xs: Any, subscripts: str, optimize: Any = False) -> Any:
    return np.einsum(subscripts, *xs, optimize=optimize)


def emit_einsum(*xs: Operand, subscripts: str, optimize: Any = False) -> str:
    return "numpy.einsum(_subscripts, _args)" if optimize is False else \
        "numpy.einsum(_subscripts, _args, optimize=_optimize)"


def bind_einsum(*args: Any, optimize: Any = False) -> tuple[list[Any], dict[str, Any]]:
    """einsum("ij,j", A, x) or einsum(A, [0, 1], x, [1])"""
    first = args[0].value if isinstance(args[0], Lit) else args[0]
    if isinstance(first, str) or isinstance(first, Value) and isinstance(first.type, Opaque):
        return list(args[1:]), {"subscripts": first, "optimize": optimize}
    terms = ",".join(map(_letters, args[1::2]))
    result = "->" + _letters(args[-1]) if len(args) % 2 else ""
    return list(args[:-1:2] if len(args) % 2 else args[::2]), {"subscripts": terms + result, "optimize": optimize}


def _letters(axes: Any) -> str:
    return "".join("..." if k is Ellipsis else string.ascii_letters[k] for k in axes)


def einsum_vjp(ct: Operand, y: Operand, *xs: Operand, subscripts: str, optimize: Any = False) -> list[Any]:
    """Of an operand: the sum of products of the others with ct."""
    terms, result = parse(subscripts, [number(x).rank for x in xs])
    strategy = optimize if isinstance(optimize, (bool, str)) else True
    return [_cotangent(ct, result, k, xs, terms, strategy) for k in range(len(xs))]


def _cotangent(ct: Operand, result: Labels, k: int, xs: Sequence[Operand], terms: Sequence[Labels],
               optimize: Any) -> Any:
    """A label that x has twice is two labels, and an identity matrix; what only x has is broadcast."""
    x, own = xs[k], list(terms[k])
    factors: list[tuple[Any, Labels]] = [(ct, result)]
    factors += [_distinct(z, of) for j, (z, of) in enumerate(zip(xs, terms)) if j != k]
    if len(own) == 2 and own[0] == own[1] and any(own[0] in of for _, of in factors):
        return diag(contract(factors, own[:1], optimize), k=0)
    for axis, label in enumerate(terms[k]):
        first = terms[k].index(label)
        if first < axis:
            own[axis] = _unused([own, *(of for _, of in factors)])
            factors.append((eye(dim(x, axis=first), dtype=number(x).dtype), [label, own[axis]]))
    there = {label for _, of in factors for label in of}
    contracted = contract(factors, [label for label in own if label in there], optimize)
    missing = tuple(axis for axis, label in enumerate(own) if label not in there)
    if not missing or len(missing) == len(own):
        return contracted
    return expand_dims(contracted, axis=missing[0] if len(missing) == 1 else missing)


def _distinct(z: Operand, of: Labels) -> tuple[Any, Labels]:
    """z with its diagonal taken where it has a label twice."""
    once = list(dict.fromkeys(of))
    return (z, of) if once == of else (einsum(z, subscripts=render([of], once), optimize=False), once)


def _unused(terms: Sequence[Labels]) -> str:
    return next(c for c in string.ascii_letters if all(c not in of for of in terms))


def einsum_jvp(tangents: Sequence[Any], y: Operand, *xs: Operand, **attrs: Any) -> Any:
    total: Any = None
    for k, dx in enumerate(tangents):
        if dx is not None:
            part = einsum(*xs[:k], dx, *xs[k + 1:], **attrs)
            total = part if total is None else add(total, part)
    return total


def is_view(*xs: Operand, subscripts: str, optimize: Any = False) -> str:
    """One array, no sum: its axes in another order, or its diagonal."""
    terms, result = parse(subscripts, [number(x).rank for x in xs])
    return "view" if len(xs) == 1 and {*terms[0]} == {*result} else "none"


def nothing(*xs: Operand) -> Lit:
    """The sum of no products: an int of ints, whose sums a float does not hold."""
    return Lit(0 if all(number(x).kind in "bi" for x in xs) else 0.0)


def einsum_elements(e: Elements, at: Sequence[Any], *xs: Operand, subscripts: str, optimize: Any = False) -> Any:
    """The sum, over the labels that are not of the result, of products of elements."""
    terms, result = parse(subscripts, [number(x).rank for x in xs])
    sizes = {label: e.size(x, axis) for x, of in zip(xs, terms) for axis, (label, d) in
             enumerate(zip(of, number(x).shape)) if label not in result and d.value != 1}

    def term(*k: Any) -> Any:
        position = {**dict(zip(result, at)), **dict(zip(sizes, k))}
        elements = [e.read(x, [0 if d.value == 1 else position[label] for label, d in zip(of, number(x).shape)])
                    for x, of in zip(xs, terms)]
        return functools.reduce(mul, elements)

    return e.total(add, nothing(*xs), list(sizes.values()), term) if sizes else term()


def write_view(x: Operand, new: Operand, subscripts: str) -> Any:
    """x, whose view `einsum(subscripts, x)` is written to be `new`: by an array of positions for each axis."""
    (term,), result = parse(subscripts, [number(x).rank])
    positions = []
    for axis, label in enumerate(term):
        others = tuple(k for k, name in enumerate(result) if name != label)
        along = arange(dim(x, axis=axis))
        positions.append(expand_dims(along, axis=others) if others else along)
    return store(x, new, *positions, key=("a",) * len(term))


def einsums() -> list[samples.Sample]:
    cases: list[tuple[str, tuple[tuple[int, ...], ...]]] = [
        ("ij,jk->ik", ((2, 3), (3, 4))), ("ij,jk", ((2, 3), (3, 4))), ("i,i", ((3,), (3,))), ("i,j->ij", ((3,), (2,))),
        ("ii", ((3, 3),)), ("ii->i", ((3, 3),)), ("ij->ji", ((2, 3),)), ("ij->i", ((2, 3),)), ("ij->", ((2, 3),)),
        ("ba", ((2, 3),)), ("i->", ((3,),)), ("ijk->k", ((2, 3, 4),)), ("iij->ij", ((3, 3, 2),)),
        ("ij,jk,kl->il", ((2, 3), (3, 4), (4, 2))), ("ij,kl->i", ((2, 3), (4, 2))), ("ij,ij->", ((2, 3), (2, 3))),
        ("bij,bjk->bik", ((5, 2, 3), (5, 3, 4))), ("...ij,...jk->...ik", ((5, 2, 3), (3, 4))),
        ("...ij,jk", ((5, 2, 3), (3, 4))), ("i...,i...->...", ((3, 2), (3, 4, 2))), ("...", ((2, 3),)),
        ("...i->...", ((4, 2, 3),)), ("...ii->...i", ((2, 3, 3),)), ("ij,j->ij", ((2, 3), (3,))),
        ("ii,i->i", ((3, 3), (3,))), ("ij,jk->ik", ((2, 3), (1, 4))), ("ij,jk->ik", ((2, 0), (0, 4))),
        (",i->i", ((), (3,))), ("iij,jk->k", ((2, 2, 3), (3, 4))),
        ("b q d, b k d -> b q k", ((2, 3, 4), (2, 5, 4))), ("iii->", ((2, 2, 2),)), ("...i,...i", ((2, 3), (3,)))]
    entries = [(tuple(samples.arrays(s, seed=k) for k, s in enumerate(shapes)), {"subscripts": text, "optimize": False})
            for text, shapes in cases]
    x, y = samples.arrays((2, 3), dtype="f4"), samples.arrays((3,), dtype="f4", seed=1)
    entries += [((x, z), {"subscripts": text, "optimize": False}) for z, text in ((y, "ij,j->i"), (2.0, "ij,->j"))]
    return [*entries, (entries[13][0], {"subscripts": "ij,jk,kl->il", "optimize": True})]


einsum: Op = op("einsum", "numpy.einsum", type=type_einsum, run=run_einsum, emit=emit_einsum, bind=bind_einsum,
                defaults={"optimize": False}, vjp=einsum_vjp, jvp=einsum_jvp, alias=is_view, raises="shape",
                cost="dear", elements=einsum_elements, samples=einsums, complex=True, linear_in="each")
