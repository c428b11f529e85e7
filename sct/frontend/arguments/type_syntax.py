"""Types as text, ahead of time: the syntax of `--args` and of annotations, and the types that are tried without them.

    float  int  bool  str  f32  f64[n, m]  f64[...]  (float, f64[n])  {"W": f64[n, m], "b": f64[m]}
    list[float]  list[tuple[float, int]]  list[tuple[f64[m_i], f64[m_i, n]]]
"""

from __future__ import annotations

import ast
import functools
import inspect
import itertools
import linecache
import re
import sys
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, get_args, get_origin

import numpy as np
from numpy.typing import NDArray

from sct.errors import SctError
from sct.frontend.arguments.unloaded import Unloaded
from sct.ir.dims import Dim, of_signature, sym
from sct.ir.pytrees.user_objects import fields_of, get_stored, is_container, make_gradient
from sct.ir.types import (
    BOOL,
    COMPLEX,
    DTYPES,
    FLOAT,
    INT,
    List,
    Opaque,
    Tensor,
    Text,
    Type,
    dtype_name,
    is_supported,
    map_sizes,
)

__all__ = [
    "Columns", "arrays_of_ranks", "fields_by_hint", "guesses", "hints_of", "is_open", "known_value", "parse_type",
    "structure", "tangent_of", "type_text",
]


@dataclass(frozen=True)
class Columns:
    """Stands ahead of time for a list of tuples."""

    types: tuple[List, ...]


_PLAIN: dict[str, Type] = {"float": FLOAT, "int": INT, "bool": BOOL, "complex": COMPLEX, "str": Text()}
_ARRAY = re.compile(r"^(f|i|u|b|c)(\d+)\[(.*)\]$")


def parse_type(text: str) -> Type:
    """The type of a number or an array.

    >>> str(parse_type("f64[n, 3]"))
    'f64[n, 3]'
    """
    text = text.strip()
    if text in _PLAIN:
        return _PLAIN[text]
    if text in DTYPES:
        return Tensor("np", text)
    hit = _ARRAY.match(text)
    dims = [d.strip() for d in hit.group(3).split(",") if d.strip() not in ("", "()")] if hit else []
    if not hit or not all(d.isdigit() or d.isidentifier() for d in dims) or hit.group(1) + hit.group(2) not in DTYPES:
        raise SctError("SCT504", f"`{text}` is not a type",
                       hint='write float, int, bool, str, f64, f64[n], f64[n, m], (float, f64[n]) or {"w": f64[n]}')
    return Tensor("array", hit.group(1) + hit.group(2), tuple(Dim(int(d)) if d.isdigit() else sym(d) for d in dims))


def structure(text: str) -> Any:
    """The types of an argument in the containers that hold them.

    >>> structure("(float, int)")
    (Tensor(carrier='py', dtype='float', shape=()), Tensor(carrier='py', dtype='int', shape=()))
    """
    try:
        return _structure(ast.parse(text.strip(), mode="eval").body)
    except SyntaxError:
        return parse_type(text)


def _structure(node: ast.expr) -> Any:
    if isinstance(node, ast.Dict) and all(isinstance(key, ast.Constant) for key in node.keys):
        return {key.value: _structure(value) for key, value in zip(node.keys, node.values)  # type: ignore[union-attr]
                }
    if isinstance(node, ast.Subscript) and isinstance(node.value, ast.Name) and node.value.id == "list":
        elem = _structure(node.slice)
        return Columns(tuple(map(_list_of, elem))) if isinstance(elem, tuple) else _list_of(elem)
    if isinstance(node, ast.Subscript) and isinstance(node.value, ast.Name) and node.value.id == "tuple":
        return tuple(map(_structure, node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]))
    if isinstance(node, (ast.Tuple, ast.List)):
        parts = [_structure(each) for each in node.elts]
        return parts if isinstance(node, ast.List) else tuple(parts)
    return parse_type(ast.unparse(node))


def _list_of(elem: Type) -> List:
    """A list of such items, whose sizes `m_i` may differ."""
    return List(map_sizes(of_signature, elem))


def tangent_of(x: Any) -> Any:
    """The types of a tangent of a value of these types; None if it has no tangent."""
    if isinstance(x, dict):
        return {key: tangent_of(each) for key, each in x.items()}
    if isinstance(x, (tuple, list)):
        parts = [tangent_of(each) for each in x]
        return parts if isinstance(x, list) else tuple(parts)
    if isinstance(x, List):
        return x if tangent_of(x.elem) is not None else None
    if isinstance(x, Columns):
        return x if None not in map(tangent_of, x.types) else None
    if is_container(type(x)) and not isinstance(x, (Tensor, Opaque)):
        fields = fields_of(x)
        return make_gradient(type(x), fields, [tangent_of(get_stored(x, name)) for name in fields])
    return x if isinstance(x, Tensor) and x.kind in "fc" or isinstance(x, (float, complex)) else None


def known_value(name: str, text: str) -> Any:
    """The literal of `--args "k = 2"`."""
    try:
        return ast.literal_eval(text.strip())
    except (ValueError, SyntaxError):
        raise SctError("SCT504", f"the value `{text.strip()}` given for `{name}` is not a literal") from None


# -- annotations ----------------------------------------------------------------------


def hints_of(f: Any) -> dict[str, Any]:
    """The annotations of a function or class, each evaluated where it can be.

    Names that are imported under `if TYPE_CHECKING:` are imported for it.
    """
    try:
        return inspect.get_annotations(f, eval_str=True)
    except Exception:  # an annotation may be any expression
        pass
    function = inspect.unwrap(f) if callable(f) else f
    module = sys.modules.get(getattr(function, "__module__", None) or "")
    names: dict[str, Any] = getattr(function, "__globals__", vars(module) if module is not None else {})
    own = vars(function) if isinstance(function, type) else {}
    hints = own.get("__annotations__", {}) if isinstance(function, type) else getattr(function, "__annotations__", {})
    file = getattr(getattr(function, "__code__", None), "co_filename", names.get("__file__"))
    return {name: _evaluated(a, {**names, **own}, file) if isinstance(a, str) else a for name, a in dict(hints).items()}


def _evaluated(annotation: str, names: Mapping[str, Any], file: str | None) -> Any:
    """The value of an annotation; its text where it has none."""
    names = dict(names)
    try:
        read = {part.id for part in ast.walk(ast.parse(annotation, mode="eval")) if isinstance(part, ast.Name)}
        for node in _imports_of_type_checkers("".join(linecache.getlines(file or ""))):
            for alias in node.names:
                if (alias.asname or alias.name.partition(".")[0]) in read - names.keys():
                    fields = {**dict(ast.iter_fields(node)), "names": [alias]}
                    exec(ast.unparse(type(node)(**fields)), names)
        return eval(annotation, names)
    except Exception:  # an annotation may be any expression, and what it imports may be missing
        return annotation


@functools.lru_cache(maxsize=64)
def _imports_of_type_checkers(text: str) -> tuple[ast.Import | ast.ImportFrom, ...]:
    """The imports under `if TYPE_CHECKING:` of a module."""
    try:
        body = ast.parse(text).body
    except (SyntaxError, ValueError):
        return ()
    return tuple(node for outer in body if isinstance(outer, ast.If) and "TYPE_CHECKING" in ast.unparse(outer.test)
                 for node in outer.body if isinstance(node, (ast.Import, ast.ImportFrom)))


def type_text(a: Any) -> str | None:
    """The text of an annotation, None if it says nothing.

    >>> type_text(float), type_text(np.ndarray), type_text("f64[n]")
    ('float', 'f64[...]', 'f64[n]')
    """
    if isinstance(a, Unloaded):
        return None
    if a in (float, int, bool, complex, str):
        return str(a.__name__)
    if isinstance(a, str):
        return a if a in _PLAIN or _ARRAY.match(a) else "f64[...]" if a.endswith("ndarray") else None
    if getattr(a, "dim_str", None) is not None:
        return f"f64[{', '.join(a.dim_str.split())}]"
    if a is np.ndarray or get_origin(a) in (np.ndarray, get_origin(NDArray[Any]), NDArray):
        return f"{dtype_name(next(filter(is_supported, map(np.dtype, _scalar_types(a))), float))}[...]"
    if get_origin(a) is list and get_args(a):
        inner = type_text(get_args(a)[0])
        return None if inner is None or is_open(inner) else f"list[{inner}]"
    if get_origin(a) is tuple and Ellipsis not in get_args(a):
        parts = [type_text(each) for each in get_args(a)]
        return None if None in parts else f"({', '.join(map(str, parts))},)"
    return None


def _scalar_types(a: Any) -> Iterator[type[np.generic]]:
    """The concrete scalar types of NumPy that an annotation names."""
    for arg in get_args(a):
        if isinstance(arg, type) and issubclass(arg, np.generic):
            if not arg.__subclasses__():
                yield arg
        else:
            yield from _scalar_types(arg)


def fields_by_hint(a: Any) -> dict[str, Any]:
    """The attributes that a user's class announces: a dataclass, a named tuple, a class with annotations."""
    if not isinstance(a, type) or not is_container(a):
        return {}
    fields: dict[str, Any] = {}
    for base in reversed(a.__mro__):
        fields.update(hints_of(base) if base is not object else {})
    return fields


# -- guesses --------------------------------------------------------------------------

MOST_GUESSES = 200
_SIZES = "nmkpqrsuvwabcdefgh"
_KINDS = (("float", 0), ("1-D", 1), ("2-D", 2), ("int", 3))


def is_open(text: str | None) -> bool:
    """Does this text leave the type open?"""
    return text is None or text.endswith("[...]")


def guesses(names: Mapping[str, str | None]) -> Iterator[dict[str, str]]:
    """Types to try for these names, the simplest first; each size gets a different name.

    For `f64[...]`, only the rank is open.
    """
    choices = [_KINDS if text is None else _KINDS[1:3] for text in names.values()]
    kinds = sorted(itertools.product(*choices[:5]), key=lambda guess: sum(cost for _, cost in guess))
    for guess in kinds[:MOST_GUESSES]:
        sizes = iter(_SIZES)
        forms = [*guess, *(options[0] for options in choices[5:])]
        yield {name: _guessed(kind, text, sizes) for (name, text), (kind, _) in zip(names.items(), forms)}


def arrays_of_ranks(texts: Iterable[str], ranks: Iterable[int]) -> list[str]:
    """For each `f64[...]` the type of an array with that number of axes; each size gets a different name.

    >>> arrays_of_ranks(["f64[...]", "f32[...]"], [2, 1])
    ['f64[n, m]', 'f32[k]']
    """
    sizes = iter(_SIZES)
    return [f"{text.removesuffix('[...]')}[{', '.join(itertools.islice(sizes, rank))}]"
            for text, rank in zip(texts, ranks)]


def _guessed(kind: str, text: str | None, sizes: Iterator[str]) -> str:
    if not kind[0].isdigit():
        return kind
    dtype = "f64" if text is None else text.removesuffix("[...]")
    return f"{dtype}[{', '.join(itertools.islice(sizes, int(kind[0])))}]"
