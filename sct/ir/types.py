"""Types of IR values: carrier, dtype and symbolic shape.

A type is what is known about a value before the program runs.  A number is `Tensor(carrier, dtype, shape)`; each
dim of a shape is a `Dim` (`ir.dims`).

>>> str(Tensor("array", "f64", (Dim(2), Dim(3))))
'f64[2, 3]'
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Literal, Union

import numpy as np

from sct.ir.dims import (
    Dim,
    TypeMismatch,
    applied,
    broadcast_dims,
    broadcast_shapes,
    note_size_requirement,
    of_items,
    size_requirements,
)

__all__ = [
    "ActiveObject", "ActiveText", "Carrier", "Function", "Link", "List", "Lock", "MutableException", "Never", "Opaque",
    "Optional", "Residuals", "Seq", "Set", "Tensor", "Text", "Type", "TypeMismatch", "Undef",
    "array", "base_type", "broadcast_dims", "broadcast_shapes", "dtype_in_words", "dtype_name", "holds_array",
    "in_words", "is_supported", "join", "leaf_type", "list_depth", "map_leaf", "map_sizes", "maybe_single",
    "note_size_requirement", "py", "shows_number", "size_requirements",
    "COMPLEX_OF", "DOUBLE", "DTYPES", "LONG", "NARROW", "REAL_OF", "STRONG",
    "ANY_BOOL", "ANY_COMPLEX", "ANY_INT", "ANY_NUMBER", "ANY_REAL", "ANY_SINGLE", "BOOL", "COMPLEX", "FLOAT", "INT",
    "NONE", "NUMBER", "REAL",
]


# -- dtypes -------------------------------------------------------------------------


_LONG_BITS = 8 * np.dtype(np.longdouble).itemsize
LONG = (f"f{_LONG_BITS}", f"c{2 * _LONG_BITS}") if _LONG_BITS > 64 else ()
"""`longdouble` and `clongdouble`, on machines where they are not double."""
DTYPES = ("b1", "i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64", "f16", "f32", "f64", "c64", "c128", *LONG)
"""The dtypes of arrays and of NumPy's numbers, by the kind and the bits."""
_DTYPE_NAMES: dict[np.dtype[Any], str] = {
    np.dtype(bool if name == "b1" else f"{name[0]}{int(name[1:]) // 8}"): name for name in DTYPES}
REAL_OF = {"c64": "f32", "c128": "f64", **({LONG[1]: LONG[0]} if LONG else {})}
COMPLEX_OF = {real: name for name, real in REAL_OF.items()}
DOUBLE = {"f": "f64", "c": "c128"}
NARROW = ("f16", "f32", "c64")
"""Floats and complex numbers of less than double precision."""
STRONG = {"bool": "b1", "int": "i64", "float": "f64", "real": "f64", "complex": "c128"}
"""The dtypes of arrays of Python's numbers."""


def dtype_name(dtype: Any) -> str:
    """The IR's name of anything that NumPy takes for a dtype: `float`, "float32", np.int64.

    >>> dtype_name(float), dtype_name("float32"), dtype_name(bool)
    ('f64', 'f32', 'b1')
    """
    if isinstance(dtype, str) and dtype in DTYPES and dtype not in ("i8", "u8"):  # NumPy's names of 8 bytes
        return dtype
    d = np.dtype(dtype)
    if d not in _DTYPE_NAMES:
        raise TypeMismatch(f"arrays of dtype {d} are not supported", "use an array for each field" if d.names else
                           "convert with astype(float)" if d.kind in "Ofi" else "")
    return _DTYPE_NAMES[d]


def is_supported(dtype: np.dtype[Any]) -> bool:
    return dtype in _DTYPE_NAMES


# -- types --------------------------------------------------------------------------


Carrier = Literal["py", "np", "any", "array"]


@dataclass(frozen=True)
class Tensor:
    """A number or an array of numbers.

    carrier: "py" (a Python number), "np" (a NumPy scalar), "any" (a scalar that
    may be either), "array" (an ndarray of any rank, 0 included).
    dtype: "bool", "int", "float", "real" (int or float), "complex", "number" (float or complex) for "py"; "bool",
    "int", "real", "single" (a Python number or a NumPy float32), "complex" and "number", of double precision,
    for "any"; "b1", "i64", "f32", "f64", "c128", ... else.
    "rint", "ri64", ...: an int that counts as real (`ir.real_ints`).
    """

    carrier: Carrier
    dtype: str
    shape: tuple[Dim, ...] = ()

    @property
    def kind(self) -> str:
        """'b', 'i', 'f' or 'c'; 'f' of an int that counts as real, 'c' of what may be complex."""
        return _KINDS.get(self.dtype) or _KINDS[self.dtype[0]]

    @property
    def integral(self) -> bool:
        """Are these ints, whether they count as real or not?"""
        return self.kind == "i" or self.counts_as_real

    @property
    def counts_as_real(self) -> bool:
        """Are these ints that count as real?"""
        return self.dtype[0] == "r" and self.dtype != "real"

    @property
    def rank(self) -> int:
        return len(self.shape)

    @property
    def is_scalar(self) -> bool:
        return self.carrier != "array"

    @property
    def is_array(self) -> bool:
        return self.carrier == "array"

    def __str__(self) -> str:
        if self.carrier == "array":
            return f"{self.dtype}[{', '.join(map(str, self.shape)) or '()'}]"
        return f"any_{self.dtype}" if self.carrier == "any" else self.dtype


_KINDS = {"bool": "b", "int": "i", "float": "f", "real": "f", "single": "f", "complex": "c", "number": "c",
          "b": "b", "i": "i", "u": "i", "f": "f", "c": "c", "r": "f"}


@dataclass(frozen=True)
class Seq:
    """The values that a loop yields, one for each iteration, read by position."""

    elem: Type

    def __str__(self) -> str:
        return f"seq[{self.elem}]"


@dataclass(frozen=True)
class List(Seq):
    """A Python list of the user, of unknown length; an update makes a new list.

    An axis along which its arrays may have different sizes is `RAGGED`.
    """

    def __post_init__(self) -> None:
        object.__setattr__(self, "elem", map_sizes(of_items, self.elem))

    def __str__(self) -> str:
        return f"list[{self.elem}]"


@dataclass(frozen=True)
class Optional:
    """`None` or a value."""

    elem: Type

    def __str__(self) -> str:
        return f"optional[{self.elem}]"


@dataclass(frozen=True)
class Undef:
    """A variable that some path does not assign; it is read by `unwrap`."""

    elem: Type

    def __str__(self) -> str:
        return f"undef[{self.elem}]"


@dataclass(frozen=True)
class Opaque:
    """An object that is passed on but not differentiated."""

    def __str__(self) -> str:
        return "object"


@dataclass(frozen=True)
class Text(Opaque):
    """A string."""

    def __str__(self) -> str:
        return "str"


@dataclass(frozen=True)
class ActiveObject(Opaque):
    """An exception that is made of a differentiated number: a number that is read from it would have lost its
    derivative."""

    def __str__(self) -> str:
        return "active_object"


@dataclass(frozen=True)
class ActiveText(ActiveObject):
    """A string that shows a differentiated number."""

    def __str__(self) -> str:
        return "active_str"


@dataclass(frozen=True)
class MutableException(ActiveObject):
    """An exception that carries lists, dicts or objects, which may change: it stands for its class alone, and what it
    carries is known where it is handled."""

    def __str__(self) -> str:
        return "mutable_exception"


@dataclass(frozen=True)
class Lock(Opaque):
    """A lock of `threading`."""

    def __str__(self) -> str:
        return "lock"


@dataclass(frozen=True)
class Set(Opaque):
    """A set of Python that the function makes."""

    def __str__(self) -> str:
        return "set"


@dataclass(frozen=True)
class Never:
    """The result of a branch that raises."""

    def __str__(self) -> str:
        return "never"


@dataclass(frozen=True)
class Function:
    """A pullback."""

    def __str__(self) -> str:
        return "function"


@dataclass(frozen=True)
class Residuals:
    """The record of residuals that the forward part of the function `of` hands to its backward part.

    Only these two look into it.  If `of` is a record itself, its cotangent or tangent.
    """

    of: str

    def __str__(self) -> str:
        return f"residuals[{self.of}]"


@dataclass(frozen=True)
class Link:
    """A reference to an object whose class is `of`, or one of several, `a | b`: the number of its row in columns.

    classes  the classes of Python, in the order of their names; the text of the IR does not show them
    """

    of: str
    classes: tuple[type, ...] = field(default=(), compare=False, repr=False)

    @property
    def cls(self) -> type | None:
        """The class, where there is only one."""
        return self.classes[0] if len(self.classes) == 1 else None

    def __or__(self, other: Link) -> Link:
        """A reference to an object of one of the classes of both.

        >>> str(Link("node") | Link("leaf | node"))
        'link[leaf | node]'
        """
        pairs = (pair for link in (self, other) for pair in itertools.zip_longest(link.of.split(" | "), link.classes))
        classes = dict(sorted(pairs, key=lambda pair: pair[0]))
        return Link(" | ".join(classes), tuple(cls for cls in classes.values() if cls is not None))

    def __str__(self) -> str:
        return f"link[{self.of}]"


Type = Union[Tensor, Seq, Optional, Undef, Opaque, Never, Function, Residuals, Link]

BOOL, INT, FLOAT, REAL = (Tensor("py", d) for d in ("bool", "int", "float", "real"))
COMPLEX, NUMBER = Tensor("py", "complex"), Tensor("py", "number")
ANY_BOOL, ANY_INT, ANY_REAL, ANY_SINGLE = (Tensor("any", d) for d in ("bool", "int", "real", "single"))
ANY_COMPLEX, ANY_NUMBER = Tensor("any", "complex"), Tensor("any", "number")
NONE = Optional(Never())


def base_type(t: Type) -> Type:
    """The type of a value that is there: `t` without `Optional` and `Undef` around it."""
    while isinstance(t, (Optional, Undef)):
        t = t.elem
    return t


def leaf_type(t: Type) -> Type:
    """The type of the innermost items: `t` without sequences, `Optional` and `Undef` around it."""
    while isinstance(t, (Seq, Optional, Undef)):
        t = t.elem
    return t


def map_leaf(change: Callable[[Type], Type], t: Type) -> Type:
    """The type with its `leaf_type` changed."""
    return type(t)(map_leaf(change, t.elem)) if isinstance(t, (Seq, Optional, Undef)) else change(t)


def map_sizes(change: Callable[[Dim], Dim], t: Type) -> Type:
    """The type with the sizes of its innermost arrays changed."""
    return map_leaf(lambda leaf: Tensor(leaf.carrier, leaf.dtype, tuple(map(change, leaf.shape)))
                    if isinstance(leaf, Tensor) else leaf, t)


def list_depth(t: Type) -> int:
    """How many sequences are nested in the type."""
    depth = 0
    while isinstance(t, (Seq, Optional, Undef)):
        depth, t = depth + isinstance(t, Seq), t.elem
    return depth


def holds_array(t: Type) -> bool:
    """Is this the type of an array or a list, of a sequence of them, or of one that may be missing?"""
    while isinstance(t, (Seq, Optional, Undef)):
        if isinstance(t, List):
            return True
        t = t.elem
    return isinstance(t, Tensor) and t.is_array


_NAMES = {"b": "bool", "i": "int", "u": "uint", "f": "float", "c": "complex"}
_NUMBERS = {"bool": "a bool", "int": "an int", "rint": "an int", "float": "a float", "real": "a float or an int",
            "single": "a number", "complex": "a complex number", "number": "a number"}


def dtype_in_words(dtype: str) -> str:
    """The dtype in a message to the user.

    >>> dtype_in_words("f64"), dtype_in_words("b1"), dtype_in_words("float")
    ('float64', 'bool', 'float')
    """
    sized = re.fullmatch(r"r?([biufc])(\d+)", dtype)  # r: ints that count as real
    if sized is None:
        return "int" if dtype == "rint" else dtype
    return "bool" if dtype == "b1" else _NAMES[sized[1]] + sized[2]


def in_words(t: Type) -> str:
    """The type in a message to the user.

    >>> in_words(array("f64", 2, 3)), in_words(Optional(FLOAT))
    ('a 2-D array of float64', 'a float or None')
    """
    if isinstance(t, Tensor):
        if t.carrier == "any":
            return {"bool": "a truth value", "int": "an integer", "complex": "a complex number"}.get(t.dtype,
                                                                                                     "a number")
        if t.carrier == "py":
            return _NUMBERS[t.dtype]
        name = dtype_in_words(t.dtype)
        return f"a {t.rank}-D array of {name}" if t.is_array else f"a numpy.{name}"
    if t == NONE:
        return "None"
    if isinstance(t, Optional):
        return f"{in_words(t.elem)} or None"
    if isinstance(t, Undef):
        return f"{in_words(t.elem)} that some path does not assign"
    if isinstance(t, Seq):
        return f"a list whose items are each {in_words(t.elem)}"
    if isinstance(t, Link):
        return f"an object of class `{t.of}`"
    return {Never: "a value of a path that raises", Function: "a pullback", Residuals: "a record of a derivative",
            Opaque: "an object", Text: "a string", ActiveText: "a string", ActiveObject: "an object", Lock: "a lock",
            MutableException: "an exception", Set: "a set"}[type(t)]


def shows_number(t: Type) -> bool:
    """Is this the type of a string or an exception that shows a differentiated number, or of a list of these?"""
    return isinstance(leaf_type(t), ActiveObject)


def py(value: object) -> Type:
    """The type of a Python literal; that of None is `NONE`, an optional of nothing."""
    if value is None:
        return NONE
    for cls, t in ((bool, BOOL), (int, INT), (float, FLOAT), (complex, COMPLEX)):
        if isinstance(value, cls):
            return t
    return Text() if isinstance(value, str) else Opaque()


def array(dtype: str, *shape: Dim | int) -> Tensor:
    """`array("f64", sym("n"), 3)` is `f64[n, 3]`."""
    return Tensor("array", dtype, tuple(Dim(d) if isinstance(d, int) else d for d in shape))


def join(a: Type, b: Type) -> Type:
    """The least type that holds the values of both paths.

    Sizes that differ become `Dim` terms `join(a, b)`.  Raises `TypeMismatch` where rank or kind differ.
    """
    if a == b or isinstance(b, Never):
        return a
    if isinstance(a, Never):
        return b
    for wrap in (Undef, Optional):
        if isinstance(a, wrap) or isinstance(b, wrap):
            return wrap(join(a.elem if isinstance(a, wrap) else a, b.elem if isinstance(b, wrap) else b))
    if isinstance(a, Seq) and type(a) is type(b):
        return type(a)(join(a.elem, b.elem))
    if isinstance(a, Opaque) and isinstance(b, Opaque):
        if all(isinstance(t, (Text, ActiveText)) for t in (a, b)):
            return ActiveText()
        kinds = MutableException, ActiveObject, Opaque
        return next(kind for kind in kinds if isinstance(a, kind) or isinstance(b, kind))()
    if isinstance(a, Link) and isinstance(b, Link):
        return a | b
    if not (isinstance(a, Tensor) and isinstance(b, Tensor)):
        raise TypeMismatch(f"{in_words(a)} and {in_words(b)}")
    if a.is_array and b.is_array:
        marked = a if a.dtype[0] == "r" else b  # ints that count as real on one path do so on both
        if a.rank != b.rank or a.dtype != b.dtype and {marked.dtype[1:]} != {a.dtype, b.dtype} - {marked.dtype}:
            raise TypeMismatch(f"{in_words(a)} and {in_words(b)}")
        return Tensor("array", marked.dtype, tuple(map(_join_dims, a.shape, b.shape)))
    if a.is_array or b.is_array:
        raise TypeMismatch(f"{in_words(a)} and {in_words(b)}")
    if "c" in (a.kind, b.kind):
        return _join_complex(a, b)
    ints = all(t.kind == "b" or t.integral for t in (a, b))
    if a.carrier == b.carrier == "py":
        if "f" in (a.kind, b.kind):
            return Tensor("py", "rint") if ints else REAL
        return ANY_INT  # a bool is an int, but NumPy and `isinstance` tell them apart
    wider = max(a.kind, b.kind, key="bif".index)
    if wider == "f" and ints:
        return Tensor("any", "rint")
    if wider == "f" and maybe_single(a) and maybe_single(b):
        return ANY_SINGLE
    return {"b": ANY_BOOL, "i": ANY_INT, "f": ANY_REAL}[wider]


def _join_complex(a: Tensor, b: Tensor) -> Tensor:
    """The join of scalars, one of which is or may be complex."""
    if "c64" in (a.dtype, b.dtype):
        raise TypeMismatch(f"{in_words(a)} and {in_words(b)}")
    carrier: Carrier = "py" if a.carrier == b.carrier == "py" else "any"
    real = "number" in (a.dtype, b.dtype) or a.kind != b.kind
    return Tensor(carrier, "number" if real else "complex")


def maybe_single(t: Tensor) -> bool:
    """May a scalar of this type be a Python number or a NumPy number of single precision?"""
    return t.carrier == "py" or t.is_scalar and t.dtype in ("f32", "single", "bool", "b1")


def _join_dims(a: Dim, b: Dim) -> Dim:
    return a if a == b else applied("join", a, b)
