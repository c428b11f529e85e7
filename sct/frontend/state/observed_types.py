"""Types of values that sct cannot read from the source, as they were observed in a run.

An observed type is hashable:

    ("number", "float", float)     ("array", "float64", 2)     ("tuple", (t, u))     ("object", cls)
    ("object", cls, dtype, 1) of an array of dates, texts or records

The types of the items of an iterable are entered at `items_place`, together with ("iterable", its class); the types of
the objects of methods at `owner_place`: of class methods ("class", cls). The types of all runs are entered at a place,
those of the latest at its `latest_place`, too.
"""

from __future__ import annotations

import ast
import itertools
import os
import pathlib
import re
import types
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from sct.errors import Loc
from sct.ir.core import Lit, Operand
from sct.ir.dims import sym
from sct.ir.types import ANY_BOOL, ANY_INT, ANY_REAL, BOOL, FLOAT, INT, Tensor, Text, Type, dtype_name, is_supported

if TYPE_CHECKING:
    from sct.frontend.state.parts import Frame
    from sct.frontend.state.state import State

__all__ = [
    "Observations", "Observed", "class_of_call", "class_of_generator", "gives_eigenvalues", "holds_no_number",
    "is_of_latest", "is_of_sct", "is_pure", "items_place", "latest_place", "numeric_type", "observed_call",
    "observed_dtype", "observed_type", "owner_place", "type_of_expression", "types_in_sct"]

F = TypeVar("F", bound=Callable[..., Any])

Observed = tuple[Any, ...]
Observations = Mapping[Loc, frozenset[Observed]]

_DEEPEST, _LONGEST = 3, 8
"""Tuples are described to this depth and up to this length; others are objects."""


def items_place(loc: Loc) -> Loc:
    """The place of the items of the iterable at this place: a place that no expression has."""
    return replace(loc, col=-1 - loc.col)


def owner_place(loc: Loc) -> Loc:
    """The place of the objects of the bound methods at this place: a place that no expression has."""
    return replace(loc, end_col=-1 - loc.end_col)


def latest_place(loc: Loc) -> Loc:
    """The place of the types of the latest run: a place that no expression has."""
    return replace(loc, line=-loc.line)


def is_of_latest(place: Loc) -> bool:
    return place.line < 0


_GIVE_EIGENVALUES: set[Callable[..., Any]] = set()
"""Functions of libraries, and those that stand for them, whose result has the dtype of the eigenvalues in it."""


def gives_eigenvalues(f: F) -> F:
    """`f`, of whose result the dtype of the eigenvalues in it is observed."""
    _GIVE_EIGENVALUES.add(f)
    return f


def observed_call(ev: State, loc: Loc | None, frames: Sequence[Frame]) -> tuple[frozenset[Observed], ...]:
    """The types that were observed where the user calls what gives the result of the call at `loc`, in these frames:
    those of all runs, and those of the latest one."""
    for frame in reversed(frames):
        if frame.function not in _GIVE_EIGENVALUES:
            break
        loc = frame.called_at
    return ev.observed(loc), ev.observed(latest_place(loc)) if loc is not None else frozenset()


def observed_dtype(ev: State, frame: Frame) -> str | None:
    """The one dtype of the arrays that the call in the innermost frame gave in the latest observed run."""
    _, latest = observed_call(ev, frame.called_at, ev.frames[:-1])
    dtypes = {str(t[1]) for t in latest if t[0] == "array"}
    return dtypes.pop() if len(dtypes) == 1 and all(t[0] == "array" for t in latest) else None


def observed_type(value: Any, depth: int = 0) -> Observed:
    """The type of a value, as far as sct distinguishes types.

    >>> observed_type((1, np.zeros((2, 3))))
    ('tuple', (('number', 'int', <class 'int'>), ('array', 'float64', 2)))
    """
    cls = type(value)
    if cls in (bool, int, float, complex):
        return "number", cls.__name__, cls
    if isinstance(value, (np.bool_, np.number)) and is_supported(value.dtype):
        kind = "bool" if value.dtype.kind == "b" else "int" if value.dtype.kind in "iu" else \
            "complex" if value.dtype.kind == "c" else "float"
        return "number", kind, cls
    if cls is np.ndarray and is_supported(value.dtype):
        return "array", str(value.dtype), value.ndim
    if isinstance(value, (np.ndarray, np.void)) and value.dtype.kind in "mMUSV":
        return "object", cls, value.dtype, value.ndim
    if cls is tuple and len(value) <= _LONGEST and depth < _DEEPEST:
        return "tuple", tuple(observed_type(x, depth + 1) for x in value)
    return "object", cls


def holds_no_number(t: Observed) -> bool:
    """Is this the type of strings, of bools or of None?"""
    return t in (("object", str), ("object", type(None))) or t[:2] == ("number", "bool")


def class_of_generator(text: str) -> type | None:
    """The class of the generator of random numbers that a call makes; None for other calls."""
    maker = re.match(r"numpy\.random\.(default_rng|Generator|RandomState)\(", text)
    return None if maker is None else np.random.RandomState if maker[1] == "RandomState" else np.random.Generator


def class_of_call(text: str, maker: str) -> type | None:
    """The class of the value of an expression, if it is the same whatever the operands are.

    maker  the expression that gave its first operand
    """
    if re.fullmatch(r"(str|repr)\(_\d+\)", text):
        return str
    if re.fullmatch(r"frozenset\(([^()]*|\([^()]*\))\)", text):
        return frozenset
    generator = class_of_generator(maker)
    if generator is not None and text.startswith("_0.") and callable(getattr(generator, text[3:], None)):
        return types.BuiltinMethodType
    return class_of_generator(text)


def type_of_expression(text: str) -> Type | None:
    """The type of an expression that gives a number of one class, whatever its operands are."""
    if re.fullmatch(r"(int|len|ord)\(_\d+\)", text):
        return INT
    if re.fullmatch(r"float\(_\d+\)", text):
        return FLOAT
    tests = (r"(bool|callable|hasattr|isinstance|issubclass)\([^()]*\)", r"_\d+ (not )?in (_\d+|\([^()]*\))",
             r"getattr\(_\d+, '__func__', None\) is _\d+\.\w+")
    return BOOL if any(re.fullmatch(test, text) for test in tests) else None


def is_pure(text: str, operands: Iterable[Operand]) -> bool:
    """Is the expression computed from strings and numbers alone, and does it change nothing?"""
    plain = (isinstance(x, Lit) or isinstance(x.type, Text) or isinstance(x.type, Tensor) and x.type.carrier == "py"
             for x in operands)
    nodes = ast.walk(ast.parse(text, mode="eval").body)
    return all(plain) and all(isinstance(n, _PURE_NODES) and (
        not isinstance(n, ast.Name) or re.fullmatch(r"_\d+|float|int|len|ord", n.id)) for n in nodes)


_PURE_NODES = (ast.Name, ast.Constant, ast.Tuple, ast.Compare, ast.Call, ast.expr_context, ast.cmpop)


def types_in_sct(text: str, place: Loc | None) -> frozenset[Observed]:
    """The types of an expression in a function of sct that stands for one of a library, where objects are compared."""
    if place is None or not is_of_sct(place.file):
        return frozenset()
    compared = r"(_\d+|\((_\d+, )*_\d+,?\))"
    if re.fullmatch(rf"{compared} (<|<=|==|!=|>=|>) {compared}", text):
        return frozenset([("number", "bool", bool)])
    return frozenset([("number", "int", int)]) if re.fullmatch(r"len\(.*\)", text) else frozenset()


def numeric_type(types: frozenset[Observed]) -> tuple[Type, str, str] | None:
    """The type of numbers and of arrays, the check that a value is of it, and its name in messages."""
    kinds = {t[0] for t in types}
    if kinds == {"number"}:
        names, classes = {t[1] for t in types}, {t[2] for t in types}
        if len(classes) == 1 and (exact := _EXACT.get(min(classes, key=str))) is not None:
            return exact
        if "float" in names and names <= {"bool", "int", "float"} and len(names) > 1 and np.bool_ not in classes:
            words = "an int or a float" if "bool" not in names else "a bool, an int or a float"
            return ANY_REAL, "isinstance(_0, (int, float, numpy.integer))", words
        if names == {"bool", "int"} and np.bool_ not in classes:
            return ANY_INT, _NUMBERS["int"][1], "a bool or an int"
        if len(names) == 1 and not any(t[2] is np.float32 for t in types):
            return _NUMBERS.get(names.pop())
    if kinds == {"array"} and len(types) == 1:
        ((_, dtype, rank),) = types
        shape = tuple(sym(f"_count_observed{next(_sizes)}") for _ in range(rank))
        return (Tensor("array", dtype_name(dtype), shape),
                f"isinstance(_0, numpy.ndarray) and _0.dtype == {dtype!r} and _0.ndim == {rank}",
                f"a {rank}-D array of {dtype}")
    return None


_sizes = itertools.count()

_EXACT: dict[type, tuple[Type, str, str]] = {
    bool: (BOOL, "type(_0) is bool", "a bool"), int: (INT, "type(_0) is int", "an int"),
    float: (FLOAT, "type(_0) is float", "a float"),
    np.float64: (Tensor("np", "f64"), "isinstance(_0, numpy.float64)", "a np.float64")}

_NUMBERS: dict[str, tuple[Type, str, str]] = {
    "bool": (ANY_BOOL, "isinstance(_0, (bool, numpy.bool_))", "a bool"),
    "int": (ANY_INT, "isinstance(_0, (int, numpy.integer))", "an int"),
    "float": (ANY_REAL, "isinstance(_0, float)", "a float")}
"""The types of numbers, their checks, and their names in messages."""

_SCT = f"{pathlib.Path(__file__).parents[2]}{os.sep}"
"""The directory of sct."""


def is_of_sct(file: str) -> bool:
    """Does the file belong to sct, whose functions stand for those of libraries?"""
    return file.startswith(_SCT)
