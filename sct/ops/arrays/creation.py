"""New arrays, copies and conversions of dtype."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from sct.ir.core import Op, Operand
from sct.ir.dims import Dim
from sct.ir.types import (
    COMPLEX,
    FLOAT,
    NONE,
    STRONG,
    List,
    Never,
    Optional,
    Tensor,
    Type,
    TypeMismatch,
    dtype_name,
    in_words,
    list_depth,
    note_size_requirement,
)
from sct.ops import samples
from sct.ops.registry import display, op, placeholders, sequence
from sct.ops.type_rules import number, numpy_dtype, size_of

__all__ = [
    "as_dtype", "astype", "copy", "empty", "empty_like", "eye", "full", "full_like", "none_as_zero", "ones",
    "ones_like", "strong", "to_c64", "to_c128", "to_f32", "to_f64", "to_i64", "zeros", "zeros_like", "zeros_of",
]

CONSTANT = "its elements do not depend on the operands"


def dtype_text(dtype: str) -> str:
    """A dtype as emitted code spells it.

    >>> dtype_text("f32"), dtype_text("b1")
    ('numpy.float32', 'bool')
    """
    return "bool" if dtype == "b1" else f"numpy.{numpy_dtype(dtype).name}"


def strong(t: Tensor) -> str:
    """The dtype of an array made of numbers of this type."""
    if t.carrier in ("np", "array"):
        return t.dtype
    if t.dtype == "number":
        raise TypeMismatch("whether this number is real or complex is not known", "convert it: `complex(...)`")
    return STRONG.get(t.dtype, "f64")


def optional_dtype(dtype: Any) -> str | None:
    return None if dtype is None else dtype_name(dtype)


# -- of a shape --------------------------------------------------------------------------------


def shape_of(sizes: Sequence[Operand]) -> tuple[Dim, ...]:
    shape = tuple(map(size_of, sizes))
    note_size_requirement(all(d.least >= 0 for d in shape))
    return shape


FILL = {"zeros": 0.0, "ones": 1.0, "empty": None}


def sized(name: str) -> Op:
    """zeros, ones, empty: the operands are the sizes."""
    call = getattr(np, name)

    def emit(*sizes: Operand, dtype: str = "f64") -> str:
        shape = display(list(placeholders(len(sizes))))
        return f"numpy.{name}({shape})" if dtype == "f64" else f"numpy.{name}({shape}, dtype={dtype_text(dtype)})"

    return op(name, f"numpy.{name}", type=lambda *n, dtype="f64": Tensor("array", dtype, shape_of(n)),
              run=lambda *n, dtype="f64": call(n, dtype=numpy_dtype(dtype)), emit=emit, defaults={"dtype": "f64"},
              bind=lambda shape, dtype=None: (sequence(shape), {"dtype": optional_dtype(dtype) or "f64"}),
              cost="never" if name == "empty" else "dear", complex=True, nondiff=CONSTANT, allocates=True,
              fill=FILL[name], layout="C",
              samples=lambda: [((2, 3), {"dtype": d}) for d in ("f64", "f32", "i64", "b1")] + [((3,), {}), ((), {})])


zeros, ones, empty = sized("zeros"), sized("ones"), sized("empty")


def type_full(value: Operand, *sizes: Operand, dtype: str | None = None) -> Tensor:
    return Tensor("array", dtype or strong(number(value)), shape_of(sizes))


def run_full(value: Any, *sizes: int, dtype: str | None = None) -> Any:
    return np.full(sizes, value, dtype=None if dtype is None else numpy_dtype(dtype))


def bind_full(shape: Any, fill_value: Any, dtype: Any = None) -> tuple[list[Any], dict[str, Any]]:
    return [fill_value, *sequence(shape)], {"dtype": optional_dtype(dtype)}


def emit_full(value: Operand, *sizes: Operand, dtype: str | None = None) -> str:
    shape = display(list(placeholders(1 + len(sizes), 1)))
    return f"numpy.full({shape}, _0)" if dtype is None else f"numpy.full({shape}, _0, dtype={dtype_text(dtype)})"


full = op("full", "numpy.full", type=type_full, run=run_full, bind=bind_full, emit=emit_full, defaults={"dtype": None},
          inactive=tuple(range(1, 33)), linear=lambda ct, v, *n, dtype=None: [ct, *[None] * len(n)],
          samples=lambda: [((1.5, 2, 3), {}), ((1.5, 2), {"dtype": "f32"}), ((np.float32(2.5), 3), {}), ((1.5, 0), {})],
          allocates=True, layout="C")


def type_eye(*sizes: Operand, k: int = 0, dtype: str = "f64") -> Tensor:
    return Tensor("array", dtype, shape_of((sizes[0], sizes[-1])))


def run_eye(*sizes: int, k: int = 0, dtype: str = "f64") -> Any:
    return np.eye(sizes[0], sizes[-1], k=k, dtype=numpy_dtype(dtype))


def emit_eye(*sizes: Operand, k: int = 0, dtype: str = "f64") -> str:
    offset = "" if k == 0 else ", k=_k"
    return f"numpy.eye(_args{offset}{'' if dtype == 'f64' else f', dtype={dtype_text(dtype)}'})"


def bind_eye(N: Any, M: Any = None, k: Any = 0, dtype: Any = None) -> tuple[list[Any], dict[str, Any]]:
    return [N] if M is None else [N, M], {"k": k, "dtype": optional_dtype(dtype) or "f64"}


eye = op("eye", "numpy.eye numpy.identity", type=type_eye, run=run_eye, emit=emit_eye, bind=bind_eye,
         defaults={"k": 0, "dtype": "f64"}, complex=True, nondiff=CONSTANT,
         samples=lambda: [((3,), {}), ((0,), {"dtype": "b1"}), ((2, 3), {"k": 1}), ((3, 2), {"k": -1, "dtype": "f32"})],
         layout="C")


# -- like another array ------------------------------------------------------------------------


def like(name: str) -> Op:
    call = getattr(np, f"{name}_like")

    def rule(x: Operand, dtype: str | None = None) -> Tensor:
        return Tensor("array", dtype or strong(number(x)), number(x).shape)

    def run(x: Any, dtype: str | None = None) -> Any:
        return call(x, dtype=None if dtype is None else numpy_dtype(dtype))

    def emit(x: Operand, dtype: str | None = None) -> str:
        return f"numpy.{name}_like(_0)" if dtype is None else f"numpy.{name}_like(_0, dtype={dtype_text(dtype)})"

    return op(f"{name}_like", f"numpy.{name}_like", type=rule, run=run, emit=emit, defaults={"dtype": None},
              bind=lambda a, dtype=None: ([a], {"dtype": optional_dtype(dtype)}), complex=True, nondiff=CONSTANT,
              shapes=(0,), cost="never" if name == "empty" else "dear", allocates=True, fill=FILL[name],
              samples=likes(), layout="K")


def likes(*more: Any) -> samples.Samples:
    def make() -> list[samples.Sample]:
        x = samples.arrays((2, 3))
        return [((x, *more), {}), ((x, *more), {"dtype": "f32"}), ((samples.arrays((3,), dtype="f4"), *more), {}),
                ((1.5, *more), {}), ((np.ones((0, 2)), *more), {}), ((samples.strided((3, 2), 0.0, 1.0), *more), {})]

    return make


zeros_like, ones_like, empty_like = like("zeros"), like("ones"), like("empty")


def type_full_like(x: Operand, value: Operand, dtype: str | None = None) -> Tensor:
    return Tensor("array", dtype or strong(number(x)), number(x).shape)


def run_full_like(x: Any, value: Any, dtype: str | None = None) -> Any:
    return np.full_like(x, value, dtype=None if dtype is None else numpy_dtype(dtype))


def emit_full_like(x: Operand, value: Operand, dtype: str | None = None) -> str:
    return "numpy.full_like(_0, _1)" if dtype is None else f"numpy.full_like(_0, _1, dtype={dtype_text(dtype)})"


full_like = op("full_like", "numpy.full_like", type=type_full_like, run=run_full_like, emit=emit_full_like,
               bind=lambda a, fill_value, dtype=None: ([a, fill_value], {"dtype": optional_dtype(dtype)}),
               defaults={"dtype": None}, inactive=(0,), shapes=(0,),
               linear=lambda ct, x, v, dtype=None: [None, ct],
               samples=likes(0.75), allocates=True, layout="K")


def type_zeros_of(x: Operand, dtype: str | None = None) -> Type:
    return zero_type(x.type, dtype)


def present(t: Type) -> Type:
    """The type of the items of a list of cotangents that are not None: None has the zero 0.0."""
    return t.elem if isinstance(t, Optional) and isinstance(t.elem, Tensor) else t


def zero_type(t: Type, dtype: str | None) -> Type:
    if isinstance(t, List):
        return List(t.elem if isinstance(t.elem, Never) else zero_type(t.elem, dtype))
    t = present(t)
    if t == NONE:
        return t
    if not isinstance(t, Tensor):
        raise TypeMismatch(f"there is no zero of {in_words(t)}")
    return Tensor("array", dtype or t.dtype, t.shape) if t.is_array else COMPLEX if t.kind == "c" else FLOAT


def run_zeros_of(x: Any, dtype: str | None = None) -> Any:
    if isinstance(x, list):
        return [run_zeros_of(v, dtype) for v in x]
    return np.zeros_like(x, dtype and numpy_dtype(dtype)) if isinstance(x, np.ndarray) else \
        0j if isinstance(x, (complex, np.complexfloating)) else 0.0


def item_name(t: List) -> str:
    """The variable for the items of a list, in a comprehension."""
    depth = list_depth(t)
    return ("v", "row", "rows")[depth - 1] if depth < 4 else f"rows{depth}"


def zeros_text(t: Type, dtype: str | None, x: str = "_0") -> str:
    """`[0.0] * len(xs)`, `[np.zeros_like(v) for v in xs]`, `[[0.0] * len(row) for row in xs]`"""
    if isinstance(t, List):
        if isinstance(t.elem, Never):
            return "[]"
        if t.elem == NONE:
            return f"[None] * len({x})"
        if isinstance(elem := present(t.elem), Tensor) and elem.is_scalar:
            return f"[{zeros_text(elem, dtype)}] * len({x})"
        return f"[{zeros_text(t.elem, dtype, v := item_name(t))} for {v} in {x}]"
    if present(t) != t:
        return f"0.0 if {x} is None else {zeros_text(present(t), dtype, x)}"
    if not isinstance(t, Tensor) or not t.is_array:
        return "0j" if isinstance(t, Tensor) and t.kind == "c" else "0.0"
    return f"numpy.zeros_like({x})" if dtype is None else f"numpy.zeros_like({x}, dtype={dtype_text(dtype)})"


zeros_of = op("zeros_of", type=type_zeros_of, complex=True, nondiff=CONSTANT, samples=samples.layouts, run=run_zeros_of,
              shapes=(0,), defaults={"dtype": None}, emit=lambda x, dtype=None: zeros_text(x.type, dtype),
              allocates=True, fill=0.0)


none_as_zero = op("none_as_zero", type=lambda ct: present(ct.type), run=lambda ct: 0.0 if ct is None else ct,
                  emit="0.0 if _0 is None else _0", alias="same", linear=lambda ct, x: [ct], complex=True,
                  samples=lambda: [((samples.arrays((3,)),), {})])
"""The cotangent of an item of a list that may be None, as lists of cotangents have it."""


# -- copies and conversions: the driver casts cotangents back --------------------------------------


def type_copy(x: Operand, spelling: str | None = None) -> Type:
    """`numpy.copy` of a scalar is an array of rank 0."""
    t = number(x)
    return Tensor("array", strong(t), t.shape) if spelling == "numpy.copy" else t


copy = op("copy", "numpy.copy .copy copy.copy", type=type_copy, spelled=True,
          run=lambda x: x.copy(order="K") if isinstance(x, np.ndarray) else x, linear=lambda ct, x: [ct],
          emit=lambda x: "numpy.copy(_0)" if number(x).is_array else "_0", samples=samples.layouts,
          elements=lambda e, at, x: e.read(x, at),
          allocates=True, layout="K")


def run_astype(x: Any, dtype: str) -> Any:
    converted = np.asarray(x).astype(numpy_dtype(dtype))
    return converted if isinstance(x, np.ndarray) else converted[()]


def type_astype(x: Operand, dtype: str) -> Tensor:
    t = number(x)
    return Tensor("array" if t.is_array else "np", dtype, t.shape)


astype = op("astype", ".astype", type=type_astype, run=run_astype,
            bind=lambda a, dtype: ([a], {"dtype": dtype_name(dtype)}), linear=lambda ct, x, dtype: [ct],
            emit=lambda x, dtype: cast_text(x, dtype),
            samples=lambda: [((samples.arrays((3,), dtype=a),), {"dtype": b})
                             for a in ("f8", "f4", "i8") for b in ("f64", "f32", "i64")], layout="K")


def cast_text(x: Operand, dtype: str) -> str:
    return f"_0.astype({dtype_text(dtype)})" if number(x).is_array else f"{dtype_text(dtype)}(_0)"


def scalar_type(dtype: str) -> Op:
    """`numpy.float32(x)`: a conversion of a number or an array."""
    call = numpy_dtype(dtype).type

    def rule(x: Operand) -> Tensor:
        return Tensor("array" if number(x).rank else "np", dtype, number(x).shape)

    derivative: dict[str, Any] = {"linear": lambda ct, x: [ct]}
    if dtype[0] != "c":
        derivative["complex"] = False
    if dtype[0] not in "fc":
        derivative = {"nondiff": "an int is constant between its jumps", "complex": False, "raises": "value",
                      "safe": lambda x: number(x).carrier in ("np", "array") or number(x).kind == "b"}
    if dtype != "f16":  # of which there are no differences
        derivative["samples"] = lambda: [((1.5,), {}), ((samples.arrays((3,)),), {}), ((np.float32(0.5),), {})]
    return op(f"to_{dtype}", f"numpy.{call.__name__}", type=rule, run=call, emit=f"numpy.{call.__name__}(_0)",
              alias="maybe", **derivative, compiled=dtype in ("f64", "f32", "i64"))


to_f64, to_f32, to_i64 = scalar_type("f64"), scalar_type("f32"), scalar_type("i64")
to_c128, to_c64, to_f16 = scalar_type("c128"), scalar_type("c64"), scalar_type("f16")
for _dtype in ("i8", "i16", "i32", "u8", "u16", "u32", "u64"):
    scalar_type(_dtype)


def as_dtype(x: Operand, dtype: str) -> Any:
    """`x` converted: an array, or a number of NumPy."""
    convert = {"f64": to_f64, "f32": to_f32, "f16": to_f16, "c128": to_c128, "c64": to_c64}.get(dtype)
    return astype(x, dtype=dtype) if convert is None or number(x).is_array else convert(x)
