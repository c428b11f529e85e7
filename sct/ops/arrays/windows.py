"""Windows that slide over an array: read-only views, in which each element of the array stands many times."""

from __future__ import annotations

from typing import Any

import numpy as np

from sct.ir.core import Operand
from sct.ir.types import Tensor, TypeMismatch
from sct.ops import samples
from sct.ops.arrays.creation import zeros_of
from sct.ops.arrays.indexing import add_at
from sct.ops.arrays.linspace import arange
from sct.ops.arrays.shape import dim, expand_dims, moveaxis, rearranged
from sct.ops.registry import display, op, placeholders, sequence
from sct.ops.scalar.arithmetic import add
from sct.ops.type_rules import Axis, normalize, number, size_of

__all__ = ["sliding_windows"]


def bind_windows(x: Any, window_shape: Any, axis: Any = None, *, subok: Any = False, writeable: Any = False
                 ) -> tuple[list[Any], dict[str, Any]]:
    if writeable is not False:
        raise TypeMismatch("windows that may be written are not supported", "write to the array itself")
    return [x, *sequence(window_shape)], {"axis": tuple(axis) if isinstance(axis, list) else axis}


def in_order(axis: Axis, rank: int) -> tuple[int, ...]:
    """The axes as they are given; an axis may be there twice."""
    return tuple(range(rank)) if axis is None else tuple(normalize(k, rank)[0] for k in sequence(axis))


def type_windows(x: Operand, *sizes: Operand, axis: Axis = None) -> Tensor:
    shape = list(number(x).shape)
    axes = in_order(axis, len(shape))
    if len(axes) != len(sizes):
        raise TypeMismatch("as many window sizes as axes are needed")
    for k, size in zip(axes, sizes):
        shape[k] = shape[k] - size_of(size) + 1
    return rearranged(x, (*shape, *map(size_of, sizes)))


def windows_transposed(ct: Operand, x: Operand, *sizes: Operand, axis: Axis = None) -> list[Any]:
    """The last window is taken back first."""
    axes = in_order(axis, number(x).rank)
    for count in range(len(sizes) - 1, -1, -1):
        k = axes[count]
        before: Any = sliding_windows(x, *sizes[:count], axis=axes[0] if count == 1 else axes[:count]) if count else x
        where = add(expand_dims(arange(dim(ct, axis=k)), axis=1), arange(sizes[count]))
        if k + 2 < number(ct).rank:
            ct = moveaxis(ct, source=-1, destination=k + 1)
        ct = add_at(zeros_of(before), ct, where, key=(*("s000",) * k, "a"))
    return [ct, *[None] * len(sizes)]


def emit_windows(x: Operand, *sizes: Operand, axis: Axis = None) -> str:
    shape = display(list(placeholders(1 + len(sizes), 1)))
    return f"numpy.lib.stride_tricks.sliding_window_view(_0, {shape}{'' if axis is None else ', axis=_axis'})"


def windows_samples() -> list[samples.Sample]:
    x, m, t = samples.arrays((5,)), samples.arrays((4, 5)), samples.arrays((3, 2, 4))
    return [((x, 2), {}), ((x, 5), {}), ((x, 1), {}), ((m, 2, 3), {}), ((m, 2), {"axis": 0}), ((m, 3), {"axis": -1}),
            ((m, 3, 2), {"axis": (1, 0)}), ((t, 2), {"axis": 0}), ((t, 2, 2), {"axis": (0, 2)}),
            ((m, 2, 2), {"axis": (0, 0)}), ((samples.strided((4, 5), -2.0, 2.0), 2, 2), {}),
            ((samples.arrays((4,), dtype="f4"), 2), {})]


sliding_windows = op(
    "sliding_windows", "numpy.lib.stride_tricks.sliding_window_view", type=type_windows, bind=bind_windows,
    run=lambda x, *sizes, axis=None: np.lib.stride_tricks.sliding_window_view(x, sizes, axis), emit=emit_windows,
    linear=windows_transposed, inactive=tuple(range(1, 33)), alias="view", readonly=True, raises="value",
    defaults={"axis": None}, samples=windows_samples)
"""The windows of the given sizes along the axes: the positions stand where the axes do, the windows behind them."""
