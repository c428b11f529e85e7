"""pad: the widths are operands, `tree` says how they are written.

A border of constants is cut off in the transpose.  Every other mode repeats elements:
which, is told by padding their positions.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from sct.ir.core import Lit, Operand
from sct.ir.types import Tensor, TypeMismatch
from sct.ops import samples
from sct.ops.arrays.creation import zeros
from sct.ops.arrays.indexing import add_at, index, join
from sct.ops.arrays.shape import dim, rearranged, shape_of
from sct.ops.reductions.reductions import sum_
from sct.ops.registry import flatten_nest, op
from sct.ops.scalar.arithmetic import add, sub
from sct.ops.type_rules import number, size_of

__all__ = ["pad", "pad_positions"]

MODES = ("constant", "edge", "reflect", "symmetric", "wrap")


def bind_pad(array: Any, pad_width: Any, mode: Any = "constant", *,
             constant_values: Any = 0) -> tuple[list[Any], dict[str, Any]]:
    widths, tree = flatten_nest(pad_width)
    return [array, constant_values, *widths], {"mode": mode, "tree": tree}


def per_axis(x: Operand, widths: Sequence[Operand], tree: Any) -> list[tuple[Operand, Operand]]:
    """(before, after) for each axis, as NumPy broadcasts what is written."""
    try:
        pairs = np.broadcast_to(np.array(tree), (number(x).rank, 2))
    except ValueError as error:
        raise TypeMismatch("pad_width does not fit the axes of the array") from error
    return [(widths[a], widths[b]) for a, b in pairs]


def type_pad(x: Operand, value: Operand, *widths: Operand, mode: str = "constant", tree: Any = 0) -> Tensor:
    if mode not in MODES:
        raise TypeMismatch(f"pad with mode={mode!r} is not supported: {', '.join(MODES)} are")
    if number(value).kind == "c" and number(x).kind != "c":
        raise TypeMismatch("pad of real numbers with complex ones is not supported", "use x.astype(complex)")
    if number(value).rank:
        raise TypeMismatch("pad with several constant values is not supported")
    pairs = per_axis(x, widths, tree)
    return rearranged(x, [d + size_of(a) + size_of(b) for d, (a, b) in zip(number(x).shape, pairs)])


def nested(tree: Any, leaves: Sequence[Any]) -> Any:
    return leaves[tree] if isinstance(tree, int) else tuple(nested(part, leaves) for part in tree)


def run_pad(x: Any, value: Any, *widths: Any, mode: str = "constant", tree: Any = 0) -> Any:
    call: Any = np.pad
    more = {"constant_values": value} if mode == "constant" else {}
    return call(x, nested(tree, widths), mode, **more)


def written(tree: Any) -> str:
    """The text of the widths, with placeholders."""
    if isinstance(tree, int):
        return f"_{tree + 2}"
    return f"({', '.join(map(written, tree))}{',' if len(tree) == 1 else ''})"


def emit_pad(x: Operand, value: Operand, *widths: Operand, mode: str = "constant", tree: Any = 0) -> str:
    text = f"numpy.pad(_0, {written(tree)}"
    if mode != "constant":
        return text + ", mode=_mode)"
    return text + (")" if value in (Lit(0), Lit(0.0)) else ", constant_values=_1)")


def inside(before: Operand, after: Operand, n: Any) -> Any:
    """The slice that is not border, of an axis that had size n."""
    start = None if before == Lit(0) else before
    if isinstance(after, Lit):
        return slice(start, -after.value or None)
    return slice(start, add(before, n))


def pad_back(ct: Operand, x: Operand, value: Operand, *widths: Operand, mode: str = "constant",
             tree: Any = 0) -> list[Any]:
    pairs = per_axis(x, widths, tree)
    rest = [None] * len(widths)
    if mode == "constant":
        names, operands = join([inside(a, b, dim(x, axis=k)) for k, (a, b) in enumerate(pairs)])
        kept = index(ct, *operands, key=names)
        return [kept, None if isinstance(value, Lit) else sub(sum_(ct), sum_(kept)), *rest]
    for k, (a, b) in enumerate(pairs):
        if a == b == Lit(0):
            continue
        positions = pad_positions(dim(x, axis=k), a, b, mode=mode)
        folded = zeros(*shape_of(x)[:k + 1], *shape_of(ct)[k + 1:], dtype=number(ct).dtype)
        ct = add_at(folded, ct, positions, key=(*("s000",) * k, "a"))
    return [ct, None, *rest]


def pads() -> Iterable[samples.Sample]:
    x, m = samples.arrays((4,)), samples.arrays((3, 4))
    for mode in MODES:
        yield (x, 0, 1), {"mode": mode, "tree": 0}
        yield (x, 0, 1, 2), {"mode": mode, "tree": (0, 1)}
        yield (m, 0, 1, 0, 0, 2), {"mode": mode, "tree": ((0, 1), (2, 3))}
        yield (m, 0, 1, 2), {"mode": mode, "tree": (0, 1)}
        yield (m, 0, 1), {"mode": mode, "tree": (0,)}
    yield (x, 0.75, 2), {"mode": "constant", "tree": 0}
    yield (samples.arrays((4,), dtype="f4"), 0, 1), {"mode": "reflect", "tree": 0}
    yield (samples.arrays((4,), dtype="f4"), 0, 1), {"mode": "constant", "tree": 0}


pad = op("pad", "numpy.pad", type=type_pad, run=run_pad, bind=bind_pad, emit=emit_pad, inactive=tuple(range(2, 33)),
         defaults={"mode": "constant", "tree": 0}, linear=pad_back, raises="shape", samples=pads,
         layout="operands")


def emit_positions(n: Operand, before: Operand, after: Operand, mode: str) -> str:
    return f"numpy.pad(numpy.arange(_0), {'_1' if before == after else '(_1, _2)'}, mode=_mode)"


pad_positions = op("pad_positions", run=lambda n, a, b, mode: np.pad(np.arange(n), (a, b), mode),
                   type=lambda n, a, b, mode: Tensor("array", "i64", (size_of(n) + size_of(a) + size_of(b),)),
                   emit=emit_positions, nondiff="a position has no derivative",
                   samples=lambda: [((4, 1, 2), {"mode": m}) for m in MODES[1:]] + [((4, 1, 1), {"mode": "wrap"})])
