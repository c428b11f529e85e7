"""Abstract values as trees of leaves, which are numbers and arrays, and back."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Mapping, MutableMapping, MutableSequence, MutableSet
from dataclasses import replace
from typing import Any, NoReturn

from sct.errors import contains_itself
from sct.frontend.arguments.abstract_arguments import schema_of_tree
from sct.frontend.evaluator.evaluator import Evaluator
from sct.frontend.heap import dynamic_lists
from sct.frontend.heap.dynamic_list_methods import known_tuple
from sct.frontend.objects.container_objects import ITEMS
from sct.frontend.objects.objects import check_set
from sct.frontend.state.store import refuse_unset
from sct.frontend.values.abstract_values import (
    DELETED,
    SLICE,
    Abstract,
    Choice,
    Container,
    DefaultRef,
    DictRef,
    Iteration,
    ListRef,
    MapRef,
    ObjRef,
    OptionalTuple,
    Poison,
    Ref,
    RunTimeTuple,
    Static,
    Tup,
    is_literal,
)
from sct.frontend.values.exact_keys import Same
from sct.frontend.values.guarded_numbers import is_asked
from sct.frontend.values.guards import NeedsStatic
from sct.frontend.values.in_words import abstract_in_words
from sct.frontend.values.item_schemas import (
    holds_functions,
    holds_kinds,
    holds_members,
    holds_optional_tuples,
    map_leaves,
    parts_of,
)
from sct.frontend.values.schemas import ListSchema, MemberSchema, ObjectSchema, Schema
from sct.ir import Value
from sct.ir.pytrees.kinds import MemberCode
from sct.ir.pytrees.pytree import Const, Leaf, Node, Tree, map_tree
from sct.ir.pytrees.pytree import leaves as leaves_of
from sct.ir.pytrees.user_objects import is_namedtuple

__all__ = ["check_class", "is_leaf", "rebuild_tree", "tree_of", "with_leaves"]


def tree_of(ev: Evaluator, v: Abstract, leaves: list[Abstract], where: str = "here",
            numbers: dict[Any, int] | None = None) -> Tree:
    """The structure of `v`; its numbers and arrays are appended to `leaves`.

    numbers  those of the mutable objects, for a structure that says which are one
    """
    try:
        tree = _tree_of(ev, v, leaves, where, numbers)
    except RecursionError:
        raise contains_itself(f"a list, a dict or an object {where}", ev.loc or ev.returned_at) from None
    same = None if numbers is None else _identity(v)
    return tree if same is None or numbers is None else replace(tree, number=numbers.setdefault(same, len(numbers)))


def _tree_of_schema(schema: Schema, first: int) -> Tree:
    """The structure of an item of a list; its leaves are the columns from number `first` on."""
    if isinstance(schema, int):
        return Leaf(first + schema)
    if isinstance(schema, Static):
        return Const(schema.value)
    if isinstance(schema, ListSchema):
        return Node("rows", (None,), (_tree_of_schema(schema.item, first),))
    children = tuple(_tree_of_schema(part, first) for part in parts_of(schema))
    if isinstance(schema, MemberSchema):
        return Node("member", (MemberCode(schema.cls),), children, schema.cls)
    if not isinstance(schema, ObjectSchema):
        return Node("tuple", tuple(range(len(children))), children)
    return Node("dict" if schema.cls is dict else "object", schema.keys, children, schema.cls)


def _classes_in(tree: Tree) -> Iterator[tuple[Any, tuple[Any, ...]]]:
    """The classes of the objects in a structure, and their attributes."""
    if isinstance(tree, Node):
        if tree.kind == "object":
            yield tree.cls, tree.keys
        for child in tree.children:
            yield from _classes_in(child)


def check_class(ev: Evaluator, cls: Any, keys: tuple[Any, ...], where: str) -> None:
    """Refuses an object that is handed out, if it would be another one than that of the function."""
    if where in ("here", "as an argument"):
        return
    if any(cls is own for own in ev.containers.classes.values()):
        with ev.at(ev.loc or ev.returned_at):
            ev.refuse("SCT503", f"an object of a class that the function makes is not supported {where}",
                      hint="make the class outside the function, at the top of a module")
    for of, name in sorted(ev.functions.plan.inherited, key=str):
        if of is cls and name in keys:
            refuse_unset(ev, name)


def _check_unnamed(ev: Evaluator, v: Tup, where: str) -> None:
    """Refuses a named tuple of which only the names are known."""
    if v.fields and v.fields != SLICE:
        with ev.at(ev.loc or ev.returned_at):
            ev.refuse("SCT503", f"a named tuple of SciPy is not supported {where}",
                      hint="make a tuple of it, with `tuple(...)`, or use its items")


def _identity(v: Abstract) -> Any:
    """A key that is equal for the same list, dict, object, set or array; None for immutable values."""
    if isinstance(v, Container):
        return v.addr
    if isinstance(v, Ref):
        return None if v.object is None else (v.addr, v.path, v.object)
    return Same(v.peek) if isinstance(v, Static) and isinstance(v.peek, MutableSet) else None


def _check_items(ev: Evaluator, schema: Schema, where: str) -> None:
    """Refuses a list whose items are no structure of numbers and arrays."""
    if holds_optional_tuples(schema):
        ev.refuse("SCT503", f"a list of tuples and None is not supported {where}", hint="give it only the tuples")
    if where == "as a result" and holds_members(schema):
        with ev.at(ev.loc or ev.returned_at):
            ev.refuse("SCT503", f"a list of members of enums is not supported {where}",
                      hint="make a list of their names or values")
    if where == "as a result" and holds_kinds(schema):
        with ev.at(ev.loc or ev.returned_at):
            ev.refuse("SCT503", f"a list of items of several kinds is not supported {where}",
                      hint="make a list for each kind of item")
    if holds_functions(schema):
        with ev.at(ev.loc or ev.returned_at):
            ev.refuse("SCT503", f"a list of functions is not supported {where}", hint="make a list of what they give")


def _tree_of(ev: Evaluator, v: Abstract, leaves: list[Abstract], where: str, numbers: dict[Any, int] | None) -> Tree:
    if isinstance(v, Tup):
        items = tuple(tree_of(ev, x, leaves, where, numbers) for x in v.items)
        if v.cls is tuple:
            _check_unnamed(ev, v, where)
            return Node("tuple", tuple(range(len(items))), items)
        check_class(ev, v.cls, v.fields, where)
        return Node("object", v.fields, items, v.cls)
    if isinstance(v, RunTimeTuple):
        with contextlib.suppress(NeedsStatic):
            return tree_of(ev, known_tuple(ev, v), leaves, where, numbers)
    if dynamic_lists.is_dynamic(ev, v):
        assert isinstance(v, ListRef)
        first, schema = len(leaves), ev.slots(v).schema or 0
        _check_items(ev, schema, where)
        leaves += dynamic_lists.column_refs(ev, v)
        item = _tree_of_schema(schema, first)
        for cls, keys in _classes_in(item):
            check_class(ev, cls, keys, where)
        return Leaf(first) if schema == 0 else Node("rows", (None,), (item,))
    if isinstance(v, MapRef):
        ev.refuse("SCT503", f"a dict whose keys are known only at run time is not supported {where}",
                  hint="use lists of its keys and of its values")
    if isinstance(v, ObjRef) and ITEMS in ev.slots(v).keys:
        with ev.at(ev.loc or ev.returned_at):
            maker = "dict" if issubclass(v.cls, dict) else "list"
            ev.refuse("SCT503", f"a {v.cls.__name__} is not supported {where}",
                      hint=f"make a {maker} of it: `{maker}(...)`")
    if isinstance(v, Container):
        cell = ev.slots(v)
        children = tuple(tree_of(ev, x, leaves, where, numbers) for x in cell.items)
        if isinstance(v, DefaultRef):
            cls = "a defaultdict" if v.factory is not None else "an OrderedDict"
            ev.refuse("SCT503", f"{cls} is not supported {where}", hint="make a dict of it: `dict(d)`")
        if isinstance(v, DictRef):
            return Node("dict", cell.keys, children)
        if isinstance(v, ObjRef):
            check_set(ev, v)
            check_class(ev, v.cls, cell.keys, where)
            return Node("object", cell.keys, children, v.cls)
        return Node("list", tuple(range(len(children))), children)
    if is_leaf(v):
        leaves.append(v)
        return Leaf(len(leaves) - 1)
    if isinstance(v, Static):
        if where == "as a result":
            _can_be_returned(ev, v)
        return Const(v.value)
    if isinstance(v, Choice) and (one := ev.settled(v)) != v:
        return tree_of(ev, one, leaves, where, numbers)
    if isinstance(v, Choice):
        ev.refuse("SCT502", f"one of several objects is not supported {where}", why="which one depends on the path",
                  hint="return a number or an array of it")
    _refuse(ev, v, where)


def _refuse(ev: Evaluator, v: Abstract, where: str) -> NoReturn:
    """Refuses a value that has no structure."""
    if isinstance(v, Poison) and v != DELETED:
        with ev.at(ev.loc or ev.returned_at):
            ev.refuse("SCT503", f"a value that sct does not know is not supported {where}", why=v.reason, hint=v.hint)
    what = abstract_in_words(v) if isinstance(v, (OptionalTuple, RunTimeTuple)) else "a function or a range"
    with ev.at(ev.loc or ev.returned_at):
        if isinstance(v, Iteration) and v.state is not None:
            ev.refuse("SCT503", f"an iterator is not supported {where}", why="its items are computed when they are "
                      "asked for", hint="make a list of it: `list(...)`")
        ev.refuse("SCT503", f"{what} is not supported {where}",
                  hint="make a list of it: `list(...)`" if isinstance(v, RunTimeTuple) else "")


def _can_be_returned(ev: Evaluator, v: Static) -> None:
    """Refuses a result that is a different object, or holds different numbers, in the next call."""
    if is_asked(v.peek):
        ev.cut("a number in a set that is returned depends on a differentiated input")
    if v.path is not None and isinstance(v.peek, (MutableSet, MutableMapping, MutableSequence)):
        with ev.at(ev.loc or ev.returned_at):
            ev.refuse("SCT503", f"a `{type(v.peek).__name__}` from outside is not supported as a result",
                      why="sct tracks its contents, not which object it is", hint="return a copy of it, or a list")


def rebuild_tree(ev: Evaluator, tree: Tree, leaf: Callable[[int], Abstract],
                 numbered: dict[int, Abstract] | None = None) -> Abstract:
    """The abstract value of a structure; parts with one number are one object."""
    numbered = {} if numbered is None else numbered
    if tree.number is None:
        return _rebuilt(ev, tree, leaf, numbered)
    if tree.number not in numbered:
        numbered[tree.number] = _rebuilt(ev, tree, leaf, numbered)
    return numbered[tree.number]


def _rebuilt(ev: Evaluator, tree: Tree, leaf: Callable[[int], Abstract], numbered: dict[int, Abstract]) -> Abstract:
    if isinstance(tree, Leaf):
        return leaf(tree.index)
    if isinstance(tree, Const):
        return Static(tree.value)
    if tree.kind == "rows":
        numbers = list(leaves_of(tree))
        local = map_tree(tree, lambda k: Leaf(numbers.index(k)))
        return _list_of_columns(ev, schema_of_tree(local), {k: leaf(n) for k, n in enumerate(numbers)})
    items = tuple(rebuild_tree(ev, c, leaf, numbered) for c in tree.children)
    if tree.kind == "tuple":
        return Tup(items)
    if tree.kind == "object":
        if is_namedtuple(tree.cls):
            return Tup(items, tree.keys, tree.cls)
        return ev.new_object(tree.cls, dict(zip(tree.keys, items)))
    return ev.new_dict(dict(zip(tree.keys, items))) if tree.kind == "dict" else ev.new_list(items)


def _list_of_columns(ev: Evaluator, schema: Schema, parts: Mapping[int, Abstract]) -> Abstract:
    """The list of items of this schema with these columns; a column that is None is None in every item."""
    full = [ev.read(x) if isinstance(x, Ref) else dynamic_lists.as_column(ev, x) for x in parts.values()
            if isinstance(x, (Ref, ListRef))]
    if not full:
        return Static(None)
    present = [k for k, part in parts.items() if part != Static(None)]
    return ev.new_dynamic_list(map_leaves(schema, lambda k: present.index(k) if k in present else Static(None)), full)


def with_leaves(ev: Evaluator, v: Abstract, leaves: Iterator[Abstract]) -> Abstract:
    """`v` with its leaves replaced; lists and dicts stay the objects that they are."""
    if isinstance(v, Tup):
        return v.with_(with_leaves(ev, x, leaves) for x in v.items)
    if isinstance(v, Container):
        cell = ev.slots(v)
        ev.store.cells[v.addr] = replace(cell, items=tuple(with_leaves(ev, x, leaves) for x in cell.items))
        return v
    return next(leaves) if is_leaf(v) else v


def is_leaf(v: Abstract) -> bool:
    return isinstance(v, (Value, Ref)) or is_literal(v) and isinstance(v, Static) and isinstance(v.value, (int, float,
                                                                                                           complex))
