"""Pytrees: how flat lists of IR values are arranged as Python arguments and results, and containers of Python as trees.

>>> t = Node("dict", ("w", "b"), (Leaf(0), Leaf(1)))
>>> unflatten(t, [10, 20])
{'w': 10, 'b': 20}
>>> parts_of({"w": 1.0, "b": 2.0})
Parts(kind='dict', items={'w': 1.0, 'b': 2.0})
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from types import SimpleNamespace
from typing import Any, Literal, NamedTuple, Union

import numpy as np

from sct.ir.pytrees.kinds import MemberCode, code_of_item, code_text
from sct.ir.pytrees.user_objects import (
    attributes,
    get_stored,
    is_container,
    is_plain_attribute,
    make_gradient,
    replace_attributes,
)
from sct.ir.types import Tensor, Type, leaf_type

__all__ = [
    "PARTS", "STEPS", "Const", "Leaf", "LeafOf", "Node", "EntryPart", "Parts", "Places", "Tree", "becomes_complex",
    "children_of",
    "column", "column_texts", "gradient_with", "holds_complex", "is_number", "leaf_values", "leaves", "map_leaves",
    "map_tree", "merge_shared_leaves", "parts_of", "paths", "read_step", "shared_numbers", "step_text",
    "structure_text", "text_of_step", "tree_leaves", "unflatten", "with_items",
]


@dataclass(frozen=True)
class Leaf:
    """The value at position `index` of the flat list; `number` as in `Node`."""

    index: int
    number: int | None = field(default=None, compare=False)


@dataclass(frozen=True)
class Const:
    """A Python object that is the same at every call (a string option, None); `number` as in `Node`."""

    value: Any
    number: int | None = field(default=None, compare=False)


@dataclass(frozen=True)
class Node:
    """A "tuple", "list", "dict", "object", or "rows": a list of records that are made alike.

    The one child of "rows" is the structure of a record; its leaves are the columns, which are lists.  Where the items
    are of several kinds, it is a node of kind "kinds": the code of the kind, and the structure of each.  A member of an
    enum is a node of kind "member", of its code; a dict of many alike values one of kind "map", of `PARTS`.

    keys    positions, dict keys, or attributes
    cls     the class of the object
    number  which mutable object of a result it is: what has the same number is one object at several places
    """

    kind: str
    keys: tuple[Any, ...]
    children: tuple[Tree, ...]
    cls: Any = field(default=SimpleNamespace, compare=False)
    number: int | None = field(default=None, compare=False)


Tree = Union[Leaf, Const, Node]


def leaves(tree: Tree) -> Iterator[int]:
    """Indices of the leaves, left to right."""
    if isinstance(tree, Leaf):
        yield tree.index
    elif isinstance(tree, Node):
        for child in tree.children:
            yield from leaves(child)


def paths(tree: Tree, at: tuple[Any, ...] = ()) -> Iterator[tuple[tuple[Any, ...], int]]:
    """The pair (keys from the root, leaf index) of every leaf."""
    if isinstance(tree, Leaf):
        yield at, tree.index
    elif isinstance(tree, Node):
        for key, child in zip(tree.keys, tree.children):
            yield from paths(child, (*at, key))


def structure_text(tree: Tree, leaf: Callable[[int], str]) -> str:
    """The structure as Python would write it.

    >>> structure_text(Node("dict", ("w", "b"), (Leaf(0), Leaf(1))), ["f64[n]", "float"].__getitem__)
    '{"w": f64[n], "b": float}'
    """
    if isinstance(tree, Leaf):
        return leaf(tree.index)
    if isinstance(tree, Const):
        return getattr(tree.value, "__name__", repr(tree.value))
    parts = [structure_text(child, leaf) for child in tree.children] if tree.kind != "rows" else []
    if tree.kind == "object":
        return f"{tree.cls.__name__}({', '.join(f'{key}: {part}' for key, part in zip(tree.keys, parts))})"
    if tree.kind == "dict":
        keys = [f'"{key}"' if isinstance(key, str) else repr(key) for key in tree.keys]
        return f"{{{', '.join(f'{key}: {part}' for key, part in zip(keys, parts))}}}"
    if tree.kind == "rows":
        item = structure_text(tree.children[0], lambda k: leaf(k)[len("list["):-1])
        is_tuple = isinstance(tree.children[0], Node) and tree.children[0].kind == "tuple"
        return f"list[tuple[{item[1:-1].rstrip(',')}]]" if is_tuple else f"list[{item}]"
    if tree.kind == "member":
        return f"{tree.cls.__name__}{' | None' * tree.keys[0].optional}"
    if tree.kind == "kinds":
        return " | ".join(parts[1:])
    if tree.kind == "map":
        key, value = (part.removeprefix("list[").removesuffix("]") for part in parts[1:])
        return f"dict[{key}, {value}]"
    inner = f"{parts[0]}, ..." if len(parts) > 4 and len({*parts}) == 1 else ", ".join(parts)
    return f"[{inner}]" if tree.kind == "list" else f"({inner},)" if len(parts) == 1 else f"({inner})"


def map_tree(tree: Tree, leaf: Callable[[int], Tree], const: Callable[[Any], Any] = lambda value: value,
            cls: Callable[[Any, Any], Any] = lambda cls, keys: cls) -> Tree:
    """The tree with every leaf index, constant and class replaced, and without numbers of objects."""
    if isinstance(tree, Leaf):
        return leaf(tree.index)
    if isinstance(tree, Const):
        return Const(const(tree.value))
    children = tuple(map_tree(c, leaf, const, cls) for c in tree.children)
    if tree.kind == "rows" and next(leaves(children[0]), None) is None:
        return Const(None)  # without a column there is no number of rows
    if tree.kind == "member" and not isinstance(children[0], Leaf):
        return children[0]
    return Node(tree.kind, tree.keys, children, cls(tree.cls, tree.keys))


def shared_numbers(tree: Tree) -> set[int]:
    """The numbers of the objects that stand at several places.

    >>> shared_numbers(Node("tuple", (0, 1), (Leaf(0, number=3), Leaf(0, number=3))))
    {3}
    """
    def numbers(t: Tree) -> Iterator[int]:
        if t.number is not None:
            yield t.number
        for child in t.children if isinstance(t, Node) else ():
            yield from numbers(child)

    return {number for number, count in Counter(numbers(tree)).items() if count > 1}


def merge_shared_leaves(tree: Tree) -> tuple[Tree, list[int]]:
    """The tree with one leaf for each object, and the positions of the leaves that are left.

    >>> merge_shared_leaves(Node("list", (0, 1, 2), (Leaf(0, number=3), Leaf(1, number=3), Leaf(2))))[1]
    [0, 2]
    """
    first: dict[int, int] = {}
    kept: dict[int, int] = {}

    def merged(t: Tree) -> Tree:
        if isinstance(t, Leaf):
            index = t.index if t.number is None else first.setdefault(t.number, t.index)
            return replace(t, index=kept.setdefault(index, len(kept)))
        return replace(t, children=tuple(map(merged, t.children))) if isinstance(t, Node) else t

    return merged(tree), [*kept]


def unflatten(tree: Tree, values: Sequence[Any]) -> Any:
    """The Python object that the tree describes, its leaves taken from `values`."""
    if isinstance(tree, Leaf):
        return values[tree.index]
    if isinstance(tree, Const):
        return tree.value
    if tree.kind == "rows":
        return _records(tree.children[0], values)
    parts = [unflatten(c, values) for c in tree.children]
    if tree.kind == "dict":
        return dict(zip(tree.keys, parts))
    if tree.kind == "object":
        return make_gradient(tree.cls, tree.keys, parts)
    return tuple(parts) if tree.kind == "tuple" else parts


def _records(item: Tree, values: Sequence[Any]) -> list[Any]:
    """The list of records with the columns `values`; a column that is None is None in every record."""
    columns = {k: values[k] for k in leaves(item)}
    count = max((len(column) for column in columns.values() if column is not None), default=0)
    return [unflatten(item, {k: None if column is None else column[n] for k, column in columns.items()})  # type: ignore[arg-type]
            for n in range(count)]


def holds_complex(x: Any) -> bool:
    """Is this a complex number or array, or a container with one?

    >>> holds_complex([1.0, {"k": 1j}]), holds_complex((1.0, 2))
    (True, False)
    """
    if isinstance(x, (float, int, str)):
        return False
    if isinstance(x, (np.ndarray, np.generic)):
        return x.dtype.kind == "c"
    if isinstance(x, (tuple, list, dict)):
        return any(map(holds_complex, x.values() if isinstance(x, dict) else x))
    held = attributes(x)
    return isinstance(x, complex) or held is not None and any(map(holds_complex, held.values()))


def becomes_complex(tree: Tree, types: Sequence[Type], value: Any) -> bool:
    """Is a leaf of `value` complex whose type in `types` is real?

    >>> from sct.ir.types import COMPLEX, FLOAT
    >>> becomes_complex(Node("tuple", (0, 1), (Leaf(1), Leaf(0))), [FLOAT, COMPLEX], (1j, 2j))
    True
    """
    if isinstance(tree, Leaf):
        t = leaf_type(types[tree.index])
        return not (isinstance(t, Tensor) and t.kind == "c") and holds_complex(value)
    if isinstance(tree, Const):
        return False
    if tree.kind == "rows":
        return any(becomes_complex(tree.children[0], types, row) for row in value)
    return any(becomes_complex(c, types, part) for c, part in zip(tree.children, children_of(tree, value)))


def children_of(tree: Node, value: Any) -> list[Any]:
    """The part of `value` for each child of `tree`, which is not "rows"."""
    if tree.kind == "object":
        return [get_stored(value, key) for key in tree.keys]
    if tree.kind == "member":
        return [key.of(value) for key in tree.keys]
    if tree.kind == "map":
        return [read_step(value, key.name, None) for key in tree.keys]
    return [value[key] for key in tree.keys]


def leaf_values(tree: Tree, value: Any) -> list[Any]:
    """The leaves of `value`, left to right; "map" and "rows" may be given as the text of an expression, too.

    >>> leaf_values(Node("rows", (None,), (Node("tuple", (0, 1), (Leaf(0), Leaf(1))),)), [(1.0, 2), (3.0, 4)])
    [[1.0, 3.0], [2, 4]]
    """
    if isinstance(tree, Leaf):
        return [value]
    if isinstance(tree, Const):
        return []
    if tree.kind == "kinds":
        return _leaves_of_kinds(tree, value)
    if isinstance(value, str) and tree.kind in ("map", "rows"):
        return [type(value)(text) for text in column_texts(tree, value).values()]
    if tree.kind != "rows":
        return [leaf for c, part in zip(tree.children, children_of(tree, value)) for leaf in leaf_values(c, part)]
    rows = [leaf_values(tree.children[0], row) for row in value]
    return [list(column) for column in zip(*rows)] if rows else [[] for _ in leaves(tree)]


def _leaves_of_kinds(tree: Node, value: Any) -> list[Any]:
    """The code of the kind of an item, and the leaves of each kind."""
    code = code_of_item(tree.keys[1:], value)
    values = [code]
    for kind, child in zip(tree.keys[1:], tree.children[1:]):
        values += leaf_values(child, value) if kind.code == code else kind.fillers
    return values


def column(value: Any, keys: Sequence[Any]) -> Any:
    """The part of `value` at the path `keys` of `paths`; None in the path stands for every item of a list.

    >>> column([{"x": 1.0}, {"x": 2.0}], (None, "x"))
    [1.0, 2.0]
    """
    for n, key in enumerate(keys):
        if key is None:
            return [column(row, keys[n + 1:]) for row in value]
        if isinstance(key, EntryPart):
            value = read_step(value, key.name, None)
            continue
        if isinstance(key, MemberCode):
            return key.of(value)
        value = get_stored(value, key) if is_container(type(value)) else value[key]
    return value


@dataclass(frozen=True)
class EntryPart:
    """In a path: the keys, the values or the places of a dict whose keys are no part of the structure."""

    name: str

    def __str__(self) -> str:
        return self.name


@dataclass(frozen=True)
class LeafOf:
    """The way to a leaf of a list of items of several kinds."""

    tree: Tree
    number: int


PARTS = tuple(map(EntryPart, ("places", "keys", "values")))
"""The keys of a node of kind "map"."""


class Places(dict[Any, int]):
    """The position of each key of a dict."""


def read_step(value: Any, kind: str, step: Any) -> Any:
    """A part of a container of many alike items: a column of a list, the keys or the values of a dict, or their places;
    or the subclasses of a class.

    >>> read_step({"a": 1.0, "b": 2.0}, "places", None)
    {'a': 0, 'b': 1}
    """
    if kind == "column":
        way = step[0]
        return leaf_values(way.tree, value)[way.number] if isinstance(way, LeafOf) else column(value, way)
    if kind == "places":
        return Places({key: place for place, key in enumerate(value)})
    if kind == "subclasses":
        return value.__subclasses__()
    return list(value.values() if kind == "values" else value)


def text_of_step(text: str, kind: str, step: Any) -> str:
    """The expression for that part of the value of `text`.

    >>> text_of_step("d", "values", None)
    'list(d.values())'
    """
    if kind == "column":
        return f"{step[1]}{text}]"
    if kind == "places":
        return f"{{key: place for place, key in enumerate({text})}}"
    if kind == "subclasses":
        return f"{text}.__subclasses__()"
    return f"list({text}.values())" if kind == "values" else f"list({text})"


STEPS = ("column", "keys", "places", "subclasses", "values")
"""The kinds of these parts."""


def column_texts(tree: Tree, text: str, depth: int = 0) -> dict[int, str]:
    """The expression for each leaf of the value of `text`.

    >>> column_texts(Node("rows", (None,), (Node("dict", ("x",), (Leaf(0),)),)), "points")
    {0: "[row['x'] for row in points]"}
    """
    if isinstance(tree, Leaf):
        return {tree.index: text}
    if isinstance(tree, Const):
        return {}
    if tree.kind == "rows":
        row = f"row{depth or ''}"
        texts = column_texts(tree.children[0], row, depth + 1)
        return {leaf: f"[{part} for {row} in {text}]" for leaf, part in texts.items()}
    columns: dict[int, str] = {}
    if tree.kind == "kinds":
        return _texts_of_kinds(tree, text, depth)
    for key, child in zip(tree.keys, tree.children):
        if tree.kind == "map":
            part = text_of_step(text, key.name, None)
        elif tree.kind == "member":
            part = key.text(text)
        elif tree.kind != "object":
            part = f"{text}[{key!r}]"
        else:
            part = f"{text}.{key}" if is_plain_attribute(tree.cls, key) else f"{text}.__dict__[{key!r}]"
        columns.update(column_texts(child, part, depth))
    return columns


def _texts_of_kinds(tree: Node, text: str, depth: int) -> dict[int, str]:
    """The expressions for the code of the kind of an item, and for the leaves of each kind."""
    code, *members = tree.children
    assert isinstance(code, Leaf)
    columns = {code.index: code_text(tree.keys[1:], text)}
    for kind, child in zip(tree.keys[1:], members):
        parts = column_texts(child, text, depth)
        for (leaf, part), other in zip(parts.items(), kind.fillers):
            whole = f"({part})" if isinstance(ast.parse(part, mode="eval").body, ast.IfExp) else part
            columns[leaf] = f"{whole} if {kind.test_text(text, tree.keys[1:])} else {other!r}"
    return columns


# -- containers of Python: dicts, tuples and lists by their items, objects by their attributes --


class Parts(NamedTuple):
    """The items of a dict by key, those of a tuple or a list by position, or the attributes of an object by name."""

    kind: Literal["dict", "object", "sequence"]
    items: dict[Any, Any]


def parts_of(x: Any) -> Parts | None:
    """The parts of a container, None for a leaf. Named tuples are objects."""
    if isinstance(x, dict):
        return Parts("dict", dict(x))
    fields = attributes(x)
    if fields is not None:
        return Parts("object", fields)
    return Parts("sequence", dict(enumerate(x))) if isinstance(x, (tuple, list)) else None


def with_items(x: Any, items: dict[Any, Any]) -> Any:
    """A container like `x`, an object of its class, with these items."""
    if isinstance(x, dict):
        return items
    if attributes(x) is not None:
        return replace_attributes(x, items)
    return [*items.values()] if isinstance(x, list) else tuple(items.values())


def gradient_with(x: Any, items: dict[Any, Any]) -> Any:
    """A container in the form of the gradient by `x`, with these items."""
    if isinstance(x, dict) or attributes(x) is None:
        return with_items(x, items)
    return make_gradient(type(x), [*items], [*items.values()])


def map_leaves(f: Callable[..., Any], x: Any, *others: Any) -> Any:
    """`x` with `f(leaf, *leaves of others)` for each leaf; one of `others` may be None in place of a container.

    >>> map_leaves(lambda a, b: a if b is None else a + b, [1.0, (2.0, 3.0)], [0.5, None])
    [1.5, (2.0, 3.0)]
    """
    parts = parts_of(x)
    if parts is None:
        return f(x, *others)
    rows = [dict.fromkeys(parts.items) if other is None else _items(other) for other in others]
    return with_items(x, {key: map_leaves(f, part, *(row[key] for row in rows)) for key, part in parts.items.items()})


def tree_leaves(x: Any) -> Iterator[Any]:
    """The leaves of a tree, left to right.

    >>> list(tree_leaves({"w": [1.0, 2.0], "b": 3.0}))
    [1.0, 2.0, 3.0]
    """
    parts = parts_of(x)
    if parts is None:
        yield x
    else:
        for part in parts.items.values():
            yield from tree_leaves(part)


def is_number(x: Any) -> bool:
    """Is a leaf a number or an array of numbers, and no bool?"""
    return isinstance(x, (int, float, complex, np.number)) and not isinstance(x, bool) or \
        isinstance(x, np.ndarray) and x.dtype.kind in "iufc"


def step_text(parts: Parts, key: Any) -> str:
    """How Python spells the step to a part: `.name` or `[key]`."""
    return f".{key}" if parts.kind == "object" else f"[{key!r}]"


def _items(x: Any) -> dict[Any, Any]:
    parts = parts_of(x)
    assert parts is not None
    return parts.items
