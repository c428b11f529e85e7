"""The arrays of a list whose length is known only at run time, joined to one array, and the cotangents of its items.

    y = np.concatenate(xs)      dxs = np.split(dy, np.cumsum([len(v) for v in xs])[:-1])
    y = np.vstack(xs)           dxs = list(dy), of vectors
"""

from __future__ import annotations

from typing import Any, cast

import numpy as np

from sct.ir.core import Op, Operand
from sct.ir.dims import sym
from sct.ir.types import List, Tensor, Type, TypeMismatch, in_words
from sct.ops import samples
from sct.ops.arrays.creation import strong
from sct.ops.arrays.shape import moveaxis
from sct.ops.program.list_ops import list_type, unstack
from sct.ops.registry import op
from sct.ops.type_rules import item_at

__all__ = ["JOINS", "concatenated"]

JOINS = ("concatenate", "stack", "vstack", "hstack", "column_stack")
"""Functions of NumPy that make one array of a list of arrays."""


def place_of(call: str, axis: int | None, rank: int) -> tuple[int, bool] | None:
    """The axis along which the function puts arrays of this rank one after the other, and whether it is a new one."""
    if call in ("concatenate", "stack"):
        is_new = call == "stack"
        axis, most = axis or 0, rank + is_new
        return (axis % most, is_new) if -most <= axis < most else None
    if call == "hstack":
        return (min(rank, 2) - 1, False) if rank else (0, True)
    along = 0 if call == "vstack" else 1
    return None if rank == 0 else (along, rank == 1)


def place(xs: Operand, call: str, axis: int | None) -> tuple[int, bool, Tensor]:
    t = list_type(xs).elem
    position = place_of(call, axis, t.rank) if isinstance(t, Tensor) else None
    if position is None or not isinstance(t, Tensor):
        raise TypeMismatch(f"`np.{call}` of {in_words(xs.type)} is not supported")
    return *position, t


def type_concatenated(xs: Operand, call: str = "concatenate", axis: int | None = None) -> Tensor:
    """How long the axis is, only the list knows."""
    along, is_new, t = place(xs, call, axis)
    size = sym(f"_joined{getattr(xs, 'id', 0)}_{call}{along}")
    t = cast(Tensor, item_at(List(t), "any", str(getattr(xs, "id", 0))))
    return Tensor("array", strong(t), (*t.shape[:along], size, *t.shape[along + (not is_new):]))


def run_concatenated(xs: Any, call: str = "concatenate", axis: int | None = None) -> Any:
    return getattr(np, call)(xs) if axis is None else getattr(np, call)(xs, axis=axis)


def concatenated_text(xs: Operand, call: str = "concatenate", axis: int | None = None) -> str:
    return f"numpy.{call}(_0)" if axis is None else f"numpy.{call}(_0, axis={axis})"


def concatenated_vjp(ct: Operand, xs: Operand, call: str = "concatenate", axis: int | None = None) -> list[Any]:
    along, is_new, _ = place(xs, call, axis)
    if not is_new:
        return [parts_of(ct, xs, axis=along)]
    return [unstack(moveaxis(ct, source=along, destination=0) if along else ct)]


def alike(*shape: int) -> list[Any]:
    return [samples.arrays(shape), samples.arrays(shape, seed=1)]


def concatenated_samples() -> list[samples.Sample]:
    return [((alike(3),), {}), ((alike(2, 3),), {"axis": 1}), ((alike(2, 3),), {"axis": -2}), ((alike(2, 3)[:1],), {}),
            (([1.5, -0.5],), {"call": "hstack"}), ((alike(2, 3),), {"call": "stack", "axis": -1}),
            *(((xs,), {"call": call}) for call in JOINS[1:] for xs in (alike(3), alike(2, 3)))]


concatenated: Op = op("concatenated", type=type_concatenated, run=run_concatenated, emit=concatenated_text,
                      defaults={"call": "concatenate", "axis": None}, raises="value", linear=concatenated_vjp,
                      samples=concatenated_samples)


def type_parts(y: Operand, xs: Operand, axis: int = 0) -> Type:
    t, like = y.type, list_type(xs).elem
    if not isinstance(t, Tensor) or not isinstance(like, Tensor) or t.rank != like.rank:
        raise TypeMismatch(f"parts of {in_words(t)} like {in_words(xs.type)}")
    return List(Tensor("array", t.dtype, like.shape))


def run_parts(y: Any, xs: Any, axis: int = 0) -> Any:
    return np.split(y, np.cumsum([v.shape[axis] for v in xs])[:-1], axis=axis)


def parts_text(y: Operand, xs: Operand, axis: int = 0) -> str:
    if axis == 0:
        return "numpy.split(_0, numpy.cumsum([len(v) for v in _1])[:-1])"
    return f"numpy.split(_0, numpy.cumsum([v.shape[{axis}] for v in _1])[:-1], axis={axis})"


parts_of: Op = op("parts_of", type=type_parts, run=run_parts, emit=parts_text, defaults={"axis": 0}, inactive=(1,),
                  alias="view", linear=lambda ct, y, xs, axis=0: [concatenated(ct, axis=axis or None), None],
                  samples=lambda: [((samples.arrays((6,)), alike(3)), {}),
                                   ((samples.arrays((2, 6)), alike(2, 3)), {"axis": 1})], holds=True, allocates=True)
"""The parts of an array that are as large as the arrays of the list."""
