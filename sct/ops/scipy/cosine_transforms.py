"""Cosine and sine transforms of real signals: `dct`, `dst`, their inverses, and those of several axes, of `scipy.fft`.

The transpose of a transform of type 2 is one of type 3, and the other way round; types 1 and 4 are symmetric.  Without
`norm="ortho"` some transforms count the elements at an end half, so the transpose doubles these before it, or halves
them behind it:

    y = dct(x)    dy[0] *= 2.0;  dx = dct(dy, type=3)
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from importlib import import_module
from typing import Any

from sct.ir.core import Op, Operand
from sct.ir.types import Tensor, TypeMismatch
from sct.ops import samples
from sct.ops.arrays.indexing import index, join, store
from sct.ops.linalg.fourier import (
    MISSING,
    OVER_SEVERAL_AXES,
    SWAPPED,
    Axes,
    axes_of,
    crops,
    refuse_overwriting,
    resized,
)
from sct.ops.registry import op, placeholders, sequence
from sct.ops.scalar.arithmetic import mul
from sct.ops.type_rules import number, size_of

__all__: list[str] = []

INVERSE = {1: 1, 2: 3, 3: 2, 4: 4}
"""The type of the transform that is the inverse of one of each type, and its transpose."""
DOUBLED = {("dct", 1): (0, -1), ("dct", 2): (0,), ("dst", 2): (-1,)}
"""The elements that the transpose of a transform doubles before its own."""
HALVED = {("dct", 1): (0, -1), ("dct", 3): (0,), ("dst", 3): (-1,)}
"""The elements that it halves behind it."""
OPTIONS = {"type": 2, "norm": None, "workers": None}


def type_transform(x: Operand, *lengths: Operand, type: int = 2, axes: Axes | None = None, norm: str | None = None,
                   **_: Any) -> Tensor:
    t = number(x)
    if norm not in SWAPPED or type not in INVERSE:
        raise TypeMismatch(f"a transform of type {type!r} with norm={norm!r} is not supported")
    shape = list(t.shape)
    for axis, n in zip(axes_of(x, axes, lengths), lengths):
        shape[axis] = size_of(n)
    return Tensor("array", "f32" if t.dtype == "f16" else t.dtype if t.kind in "fc" else "f64", tuple(shape))


def scaled_at(x: Operand, ends: Sequence[int], axes: Axes, factor: float) -> Any:
    """x with these elements along each of the axes times a factor."""
    for axis in axes:
        for end in ends:
            key, operands = join([*[slice(None)] * axis, end])
            x = store(x, mul(factor, index(x, *operands, key=key)), *operands, key=key)
    return x


def transform(name: str, several: bool) -> None:
    """The entry of a transform, of one axis or of several."""
    kind, inverse, default = name.strip("in"), name.startswith("i"), None if several else (-1,)
    length, along = ("s", "axes") if several else ("n", "axis")

    def run(x: Any, *lengths: Any, axes: Axes | None = default, **options: Any) -> Any:
        options = {key: v for key, v in options.items() if key in OPTIONS}
        size: Any = (lengths or None) if several else lengths[0] if lengths else None
        where: Any = axes if several or axes is None else axes[0]
        return getattr(import_module("scipy.fft"), name)(x, **{length: size, along: where}, **options)

    def emit(x: Operand, *lengths: Operand, axes: Axes | None = default, type: int = 2, norm: str | None = None,
             workers: int | None = None, **_: Any) -> str:
        sizes = list(placeholders(1 + len(lengths), 1))
        more = [f"type={type}"] * (type != 2)
        if sizes:
            more.append(f"s=({', '.join(sizes)}{',' * (len(sizes) == 1)})" if several else f"n={sizes[0]}")
        if axes is not None and axes != default:
            more.append(f"axes={axes!r}" if several else f"axis={axes[0]}")
        more += [f"{key}={v!r}" for key, v in (("norm", norm), ("workers", workers)) if v is not None]
        return f"scipy.fft.{name}({', '.join(['_0', *more])})"

    def bind(x: Any, type: Any = 2, size: Any = None, where: Any = MISSING, norm: Any = None, overwrite_x: Any = False,
             workers: Any = None, orthogonalize: Any = None, **named: Any) -> tuple[list[Any], dict[str, Any]]:
        size, where = named.pop(length, size), named.pop(along, where)
        refuse_overwriting(overwrite_x, None)
        if orthogonalize is not None or named:
            raise TypeError("`orthogonalize` is not supported")
        axes = default if where is MISSING or where is None else tuple(sequence(where))
        return [x, *([] if size is None else sequence(size))], {
            "axes": axes, "type": type, "norm": norm, "workers": workers}

    def linear(ct: Operand, x: Operand, *lengths: Operand, axes: Axes | None = default, type: int = 2,
               norm: str | None = None, workers: int | None = None, **cropped: bool) -> list[Any]:
        over, of = axes_of(x, axes, lengths), partial(entry, norm=norm, workers=workers)
        matrix = kind, INVERSE[type] if inverse else type
        plain = norm != "ortho"
        back = scaled_at(ct, DOUBLED.get(matrix, ()) if plain else (), over, 2.0)
        back = of(back, type=INVERSE[type], axes=axes if axes == default and not lengths else over)
        back = scaled_at(back, HALVED.get(matrix, ()) if plain else (), over, 0.5)
        if lengths:
            back = resized(back, x, over, [cropped[f"crops{k}"] for k in range(len(lengths))])
        return [back, *[None] * len(lengths)]

    def signals() -> list[samples.Sample]:
        x = samples.arrays((4, 5))
        more: list[samples.Sample] = []
        axes: Axes = (0, 1) if several else (1,)
        for norm in SWAPPED:
            more += [((x,), {"type": t, "norm": norm, "axes": default}) for t in INVERSE]
        for n in (3, 6):
            flags = {f"crops{k}": n < x.shape[a] for k, a in enumerate(axes)}
            more += [((x, *[n] * len(axes)), {"type": t, "axes": axes, **flags}) for t in INVERSE]
        return [*more, ((x,), {"type": 1, "axes": (0,)}), ((samples.arrays((3,), dtype="f4"),), {"type": 2})]

    entry: Op = op(f"scipy_{name}", f"scipy.fft.{name}", type=type_transform, run=run, emit=emit, bind=bind,
                   asks=lambda x, *lengths, axes=default, **_: crops(x, lengths, axes_of(x, axes, lengths), False),
                   linear=linear, inactive=tuple(range(1, 33)), raises="value", cost="dear",
                   defaults={"axes": default, **OPTIONS}, samples=signals)


for _name in ("dct", "idct", "dst", "idst"):
    transform(_name, False)
    transform(_name + "n", True)
    OVER_SEVERAL_AXES.add(f"scipy_{_name}n")
