"""Arguments as abstract values: each number and array in them becomes a flat parameter of the IR."""

from __future__ import annotations

import enum
import threading
import types
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from sct.errors import SctError
from sct.frontend.arguments.argument_keys import (
    FEW_ITEMS,
    OF_KINDS,
    is_opaque_array,
    item_kind,
    kind_of_map,
    kind_of_rows,
    list_tree,
    map_tree_of,
)
from sct.frontend.arguments.array_sizes import Sizes, arrays_in, flat_sizes, least_size, sizes_along
from sct.frontend.arguments.type_syntax import Columns
from sct.frontend.evaluator.list_items import Place
from sct.frontend.evaluator.own_methods import HASHING
from sct.frontend.values.abstract_values import (
    PLAIN,
    Abstract,
    Array,
    DictRef,
    ListRef,
    MapRef,
    ObjRef,
    Origin,
    Ref,
    Slots,
    Static,
    Tup,
)
from sct.frontend.values.guards import UNKNOWN
from sct.frontend.values.schemas import KindSchema, ListSchema, MemberSchema, ObjectSchema, Schema
from sct.ir import Value
from sct.ir.dims import Dim, is_ragged, ragged, sym
from sct.ir.pytrees.kinds import CODE
from sct.ir.pytrees.pytree import Const, Leaf, Node, Tree, leaf_values, map_tree, paths
from sct.ir.pytrees.pytree import leaves as leaves_of
from sct.ir.pytrees.user_objects import fields_of, get_stored, is_container, is_plain_attribute
from sct.ir.types import INT, List, Lock, Never, Opaque, Tensor, Type, TypeMismatch, dtype_name, join, py

if TYPE_CHECKING:
    from sct.frontend.evaluator.evaluator import Evaluator

__all__ = [
    "LOCKS", "MANY_ITEMS", "DictArgument", "HoldsKinds", "add_leaf", "argument", "column_names",
    "is_mutable_container", "list_type", "note_kinds", "schema_of_tree", "type_of_opaque"]


@dataclass(frozen=True)
class DictArgument:
    """Stands for the place that makes a dict, of one from outside the function; `id`: that of the dict; `alike`: its
    values are, though the keys of dicts among them may differ."""

    id: int
    alike: bool = field(default=False, compare=False)


ARGUMENTS = "arguments"
"""The place of tuples that are arguments."""


def list_type(ev: Evaluator, xs: list[Any]) -> List:
    """The type of a column: a list of items that are all alike."""

    def visit(x: Any) -> Type:
        if isinstance(x, list):
            elem: Type = Never()
            for item in x:
                elem = join(elem, visit(item))
            return List(elem)
        return of_arrays if isinstance(x, np.ndarray) else type_of_object(ev, x)

    first = next(arrays_in(xs), None)
    if first is not None:
        sizes = (sizes_along(xs, axis) for axis in range(first.ndim))
        of_arrays = Tensor("array", _dtype_of(first), tuple(size_of_items(ev, each) for each in sizes))
    t = visit(xs)
    assert isinstance(t, List)
    return t


def _dtype_of(x: np.ndarray | np.generic) -> str:
    """The name of the dtype of an argument; refuses those that are not supported."""
    try:
        return dtype_name(x.dtype)
    except TypeMismatch as error:
        raise SctError("SCT506", str(error), hint=error.hint) from None


def type_of_object(ev: Evaluator, x: Any) -> Type:
    """The IR type of a number or array; its sizes become names."""
    if isinstance(x, np.ndarray):
        return Tensor("array", _dtype_of(x), tuple(size_name(ev, s) for s in x.shape))
    if isinstance(x, np.generic) and not isinstance(x, (np.str_, np.bytes_, np.void)):
        return Tensor("np", _dtype_of(x))
    return py(x)


def size_name(ev: Evaluator, size: int) -> Dim:
    return Dim(size) if size < 2 else sym(_name_of_size(ev, size))


def size_of_items(ev: Evaluator, sizes: tuple[Any, ...]) -> Dim:
    """The size of an axis of the arrays in a list, which has these sizes."""
    each = set(flat_sizes(sizes))
    return size_name(ev, each.pop()) if len(each) == 1 else ragged(_name_of_size(ev, sizes), least_size(each))


def _name_of_size(ev: Evaluator, size: Sizes) -> str:
    if size not in ev.size_names:
        ev.size_names[size] = ev.free_name()
    return ev.size_names[size]


def add_leaf(ev: Evaluator, x: Any, t: Type, name: str) -> Value:
    """A new flat parameter."""
    v = Value(t, name)
    k = len(ev.params)
    if t == INT:
        v.dim = sym(f"__{name}{k}")
        ev.sizes[f"__{name}{k}"] = (k, None)
    of_list = isinstance(t, List)
    elem = t.elem if isinstance(t, List) else t
    if isinstance(elem, Tensor):
        for axis, d in enumerate(elem.shape):
            for atom, _ in d.terms if not is_ragged(d) else ():
                if isinstance(atom, str):
                    ev.sizes.setdefault(atom, (k, (0, axis) if of_list else axis))
    ev.params.append(v)
    ev.leaves.append(x)
    return v


def argument(ev: Evaluator, x: Any, name: str, seen: dict[int, Any] | None) -> tuple[Abstract, Tree]:
    """An argument, or ahead of time its type, as an abstract value, and how its leaves are arranged.

    seen  the arrays and containers of earlier arguments, where one passed twice is to be one array
    """
    if isinstance(x, (Tensor, Opaque, List)):
        leaf = add_leaf(ev, UNKNOWN, x, name)
        return _typed(ev, leaf), Leaf(ev.params.index(leaf))
    if isinstance(x, Columns):
        leaves = tuple(map(Leaf, range(len(x.types))))
        tree = Node("rows", (None,), (Node("tuple", tuple(range(len(leaves))), leaves),))
        return _rows(ev, tree, x.types, [UNKNOWN] * len(x.types), name)
    if type(x) in (list, dict) or is_container(type(x)) and not isinstance(x, tuple):
        if seen is not None and id(x) in seen:
            earlier, tree = seen[id(x)]
            return earlier, map_tree(tree, lambda _: Leaf(_again(ev, _)))
        ev.containers.pass_on(x)
    abstract_and_tree = _one_value(ev, x, name) or _argument(ev, x, name, seen)
    if seen is not None and not isinstance(x, (bool, int, float, str, tuple)):
        seen.setdefault(id(x), abstract_and_tree)
    return abstract_and_tree


def _one_value(ev: Evaluator, x: Any, name: str) -> tuple[Abstract, Tree] | None:
    """A list of items that are made alike, as columns; None for anything else."""
    kind = kind_of_rows(x, {}, ev.containers.records) if type(x) is list else None
    if kind is None:
        note_kinds(ev, x)
        return None
    tree = list_tree(kind)
    if ev.containers.records is True and kind_of_rows(x, {}, False) is None:
        ev.containers.note_records(x)
    columns = leaf_values(tree, x)
    return _rows(ev, tree, [list_type(ev, column) for column in columns], columns, name)


def note_kinds(ev: Evaluator, x: Any) -> None:
    """Notes a list from outside whose items are of several kinds."""
    if type(x) is list and len(x) > FEW_ITEMS and item_kind(x, {}, OF_KINDS) is not None:
        ev.functions.plan.note_mixed()
        if len(x) > MANY_ITEMS and ev.functions.plan.long_kinds_first:
            raise HoldsKinds(len(x))


class HoldsKinds(Exception):
    """A long list from outside holds items of several kinds: code for each item would be long.

    may_be_taken_apart  is it not so long that compiling this code would take minutes?
    """

    def __init__(self, count: int) -> None:
        super().__init__(count)
        self.may_be_taken_apart = count <= 4 * MANY_ITEMS


MANY_ITEMS = 64
"""A list of more items than this is one value first, also where its items are of several kinds."""


def _again(ev: Evaluator, leaf: int) -> int:
    """A leaf of a container that is passed again: a parameter that nothing reads."""
    add_leaf(ev, ev.leaves[leaf], ev.params[leaf].type, ev.params[leaf].hint or "again")
    return len(ev.params) - 1


def _argument(ev: Evaluator, x: Any, name: str, seen: dict[int, Any] | None) -> tuple[Abstract, Tree]:
    if isinstance(x, (tuple, list)) and type(x) in (tuple, list):
        first = len(ev.params)
        parts = [argument(ev, v, f"{name}_{k}", seen) for k, v in enumerate(x)]
        ev.item_names.add(ev.params[first:], name)
        kind = "tuple" if isinstance(x, tuple) else "list"
        tree: Tree = Node(kind, tuple(range(len(parts))), tuple(t for _, t in parts))
        items = tuple(v for v, _ in parts)
        if kind == "tuple":
            return Tup(items, place=ARGUMENTS), tree
        return ListRef(_slots(ev, Slots(items, origin=Origin.ARGUMENT))), tree
    if type(x) is dict:
        alike = kind_of_map(x, {}, ev.containers.records)
        if alike is not None and ev.containers.maps:
            return _map(ev, x, map_tree_of(alike), name)
        for k in x:
            _known_key(ev, k)
        parts = [argument(ev, v, k if isinstance(k, str) and k.isidentifier() else f"{name}_{j}", seen)
                 for j, (k, v) in enumerate(x.items())]
        cell = Slots(tuple(v for v, _ in parts), tuple(x), Origin.ARGUMENT,
                     site=DictArgument(id(x), alike is not None))
        return DictRef(_slots(ev, cell)), Node("dict", tuple(x), tuple(t for _, t in parts))
    if is_container(type(x)):
        return _object(ev, x, name, seen)
    if isinstance(x, np.ndarray) and not is_opaque_array(x):
        leaf = add_leaf(ev, x, type_of_object(ev, x), name)
        if seen is not None and id(x) in seen:
            return seen[id(x)][0], Leaf(ev.params.index(leaf))
        addr = ev.new_addr()
        ev.store.cells[addr] = Array(leaf, Origin.ARGUMENT, layout=leaf, readonly=frozenset({leaf}))
        return Ref(addr), Leaf(ev.params.index(leaf))
    if isinstance(x, enum.Enum):
        return Static(x), Const(x)
    if isinstance(x, (bool, int, float, complex, np.generic, str)) and not is_opaque_array(x):
        refuse_subclass(ev, x)
        leaf = add_leaf(ev, x, type_of_object(ev, x), name)
        return leaf, Leaf(len(ev.params) - 1)
    if callable(x):
        ev.callable_arguments[id(x)] = x
    if x is None or callable(x) or isinstance(x, (types.ModuleType, np.dtype)):
        return Static(x), Const(x)
    ev.callable_arguments[id(x)] = x
    leaf = add_leaf(ev, x, type_of_opaque(x), name)
    return leaf, Leaf(len(ev.params) - 1)


def type_of_opaque(x: Any) -> Opaque:
    """The type of an object that sct does not see into."""
    return Lock() if isinstance(x, LOCKS) else Opaque()


LOCKS = (type(threading.Lock()), type(threading.RLock()))


def _known_key(ev: Evaluator, k: Any) -> None:
    """Refuse a key of a dict that may be another object in a copy of the dict."""
    if isinstance(k, (tuple, frozenset)):
        for part in k:
            _known_key(ev, part)
    elif isinstance(k, (enum.Enum, type)):
        ev.without_own(Static(k), "a key of a dict", HASHING)
    elif not isinstance(k, (np.generic, complex, bytes)) and type(k) not in PLAIN:
        ev.refuse("SCT503", f"a dict with a key of class `{type(k).__name__}` is not supported as an argument",
                  hint="use strings, numbers or members of an enum as keys")


def refuse_subclass(ev: Evaluator, x: Any) -> None:
    """Refuse a number or string of a user's class."""
    plain = type(x) is x.dtype.type if isinstance(x, np.generic) else type(x) in PLAIN
    if not plain:
        kind = next(base for base in (bool, int, float, complex, str, np.generic) if isinstance(x, base))
        ev.refuse("SCT506", f"a `{kind.__name__}` of class `{type(x).__name__}` is not supported",
                  why="a subclass may redefine operators",
                  hint=f"pass {kind.__name__}(x)" if kind is not np.generic else "")


def _rows(ev: Evaluator, tree: Tree, types: Sequence[Any], columns: Sequence[Any], name: str
          ) -> tuple[Abstract, Tree]:
    """A list of this structure as its columns."""
    first = len(ev.params)
    for t, column, own in zip(types, columns, column_names(tree, name)):
        add_leaf(ev, column, t, own)
    xs = ev.new_dynamic_list(schema_of_tree(tree), ev.params[first:], origin=Origin.ARGUMENT)
    ev.store.own(xs.addr)  # `check_aliasing` makes a guard of it where that matters
    return xs, map_tree(tree, lambda k: Leaf(first + k))


def _map(ev: Evaluator, x: dict[Any, Any], tree: Node, name: str) -> tuple[Abstract, Tree]:
    """A dict of many alike values, of this structure: the place of each key, and the columns of the keys and values."""
    first, columns = len(ev.params), leaf_values(tree, x)
    places = add_leaf(ev, columns[0], Opaque(), f"{name}_places")
    lists = []
    for part, child in zip(tree.keys[1:], tree.children[1:]):
        numbers = list(leaves_of(child))
        own = map_tree(child, lambda k: Leaf(numbers.index(k)))  # noqa: B023
        values = [columns[k] for k in numbers]
        lists.append(_rows(ev, own, [list_type(ev, xs) for xs in values], values, f"{name}_{part}")[0])
    cell = Slots((places, *lists), tuple(part.name for part in tree.keys), Origin.ARGUMENT, site=DictArgument(id(x)))
    return MapRef(_slots(ev, cell)), map_tree(tree, lambda k: Leaf(first + k))


def column_names(tree: Tree, name: str) -> list[str]:
    """Names for the columns of a list: keys, attributes, or positions.

    >>> column_names(Node("rows", (None,), (Node("tuple", (0, 1), (Leaf(0), Leaf(1))),)), "points")
    ['points_0', 'points_1']
    """
    if isinstance(tree, Leaf):
        return [name]
    own = [[key for key in keys if isinstance(key, str) and key.isidentifier()] for keys, _ in paths(tree)]
    return [f"{name}_{CODE}" if keys == [CODE] else keys[-1] if keys else f"{name}_{k}" for k, keys in enumerate(own)]


def schema_of_tree(tree: Tree) -> Schema:
    """The schema of the items of a list of this structure, whose leaves are numbered from 0."""

    def visit(part: Tree) -> Schema:
        if isinstance(part, Leaf):
            return part.index
        if isinstance(part, Const):
            return Static(part.value)
        children = tuple(map(visit, part.children))
        if part.kind == "rows":
            return ListSchema(children[0])
        if part.kind == "map":
            return ObjectSchema(MapRef(0), (Place(DictArgument(0), frozenset()), "keys", "values"), children)
        if part.kind == "tuple":
            return children
        if part.kind == "member":
            return MemberSchema(part.cls, *children)  # type: ignore[arg-type]
        if part.kind == "kinds":
            code, *kinds = children
            assert isinstance(code, int)
            return KindSchema(code, tuple(kind.code for kind in part.keys[1:]), tuple(kinds))
        return ObjectSchema(dict if part.kind == "dict" else part.cls, part.keys, children)

    schema = visit(tree)
    return schema.item if isinstance(schema, ListSchema) else schema


def _typed(ev: Evaluator, leaf: Value) -> Abstract:
    """The abstract value of a leaf of this type, ahead of time."""
    if isinstance(leaf.type, List):
        return ev.wrap(leaf, origin=Origin.ARGUMENT)
    if not isinstance(leaf.type, Tensor) or not leaf.type.is_array:
        return leaf
    addr = ev.new_addr()
    ev.store.cells[addr] = Array(leaf, Origin.ARGUMENT, layout=leaf, readonly=frozenset({leaf}))
    return Ref(addr)


def _object(ev: Evaluator, x: Any, name: str, seen: dict[int, Any] | None) -> tuple[Abstract, Tree]:
    """An object with attributes; one that holds itself is seen into once."""
    if id(x) in ev.containers.in_progress:
        ev.callable_arguments[id(x)] = x
        leaf = add_leaf(ev, x, Opaque(), name)
        return leaf, Leaf(len(ev.params) - 1)
    ev.containers.in_progress.add(id(x))
    keys, cls = fields_of(x), type(x)
    for k in keys:
        if not is_plain_attribute(cls, k) and (isinstance(x, tuple) or k not in x.__dict__):
            ev.refuse("SCT503", f"the attribute `{k}` of a `{cls.__name__}` is hidden by an attribute of its class")
    parts = [argument(ev, get_stored(x, k), k, seen) for k in keys]
    ev.containers.in_progress.discard(id(x))
    items = tuple(v for v, _ in parts)
    tree = Node("object", keys, tuple(t for _, t in parts), cls)
    if isinstance(x, tuple):
        return Tup(items, keys, cls), tree
    return ObjRef(_slots(ev, Slots(items, keys, Origin.ARGUMENT, unset=frozenset())), cls), tree


def _slots(ev: Evaluator, cell: Slots) -> int:
    addr = ev.new_addr()
    ev.store.cells[addr] = cell
    return addr


def is_mutable_container(x: Any) -> bool:
    """Is this a list, a dict or an object: something that is seen to change through all its names?"""
    return type(x) in (list, dict) or is_container(type(x)) and not isinstance(x, tuple)
