"""`sct.tree` inside differentiated functions: containers are taken apart, and the function is called for each leaf."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from sct.frontend.arguments.lift import lift
from sct.frontend.evaluator.evaluator import Evaluator
from sct.frontend.evaluator.handlers import Args, Kwargs
from sct.frontend.heap import dynamic_lists
from sct.frontend.heap.sample_calls import by_position, check_arguments
from sct.frontend.objects.objects import check_own
from sct.frontend.values.abstract_values import (
    Abstract,
    DerivedCallable,
    DictRef,
    Instance,
    ListRef,
    MapRef,
    ObjRef,
    Ref,
    Static,
    Tup,
)
from sct.ir import Value
from sct.ir.pytrees.pytree import is_number, parts_of
from sct.ir.pytrees.user_objects import fields_of, get_stored, is_container
from sct.ir.types import Opaque, Tensor, Text

__all__ = ["call_tree_function"]


def call_tree_function(ev: Evaluator, fn: Static, args: Args, kwargs: Kwargs) -> Abstract:
    """A call of `sct.tree.map`, `leaves` or `ravel`, or of a function that `ravel` returned."""
    check_arguments(ev, fn.value, args, kwargs)
    kind = fn.value.__sct_call__
    values = by_position(fn.value, args, kwargs)[0]
    if kind == "tree_map":
        return _mapped(ev, values[0], values[1:])
    if kind == "tree_leaves":
        return ev.new_list(tuple(_leaves(ev, values[0])))
    if kind == "tree_ravel":
        return _raveled(ev, values[0])
    tree, path = fn.value.__sct_tree__, (*(fn.path or (fn.value,)), ("attr", "__sct_tree__"))
    return _unraveled(ev, lift(ev, tree, path), values[0])


# -- the parts of a container -------------------------------------------------------------------------------------


def _parts(ev: Evaluator, v: Abstract) -> tuple[str, Mapping[Any, Abstract]] | None:
    """The kind of a container, and its parts by key; None for a leaf."""
    if isinstance(v, Tup):
        keys = v.fields if v.cls is not tuple else range(len(v.items))
        return "object" if v.cls is not tuple else "sequence", dict(zip(keys, v.items))
    if isinstance(v, (DictRef, ObjRef, ListRef)) and not isinstance(v, MapRef) and not dynamic_lists.is_dynamic(ev, v):
        cell = ev.slots(v)
        if isinstance(v, ObjRef):
            check_own(ev, v)
        kind = "dict" if isinstance(v, DictRef) else "object" if isinstance(v, ObjRef) else "sequence"
        return kind, dict(zip(cell.keys if kind != "sequence" else range(len(cell.items)), cell.items))
    if isinstance(v, Instance) and v.path is not None and is_container(type(v.peek)):
        return "object", {name: lift(ev, get_stored(v.peek, name), (*v.path, ("attr", name)))
                          for name in fields_of(v.peek)}
    return None


def _with_parts(ev: Evaluator, v: Abstract, parts: Mapping[Any, Abstract]) -> Abstract:
    if isinstance(v, Tup):
        return v.with_(parts.values())
    if isinstance(v, (ObjRef, Instance)):
        return ev.new_object(v.cls if isinstance(v, ObjRef) else type(v.peek), dict(parts))
    return ev.new_dict(dict(parts)) if isinstance(v, DictRef) else ev.new_list(tuple(parts.values()))


def _is_number(ev: Evaluator, v: Abstract) -> bool:
    """Is this a leaf that functions are called for?  Refuses what may be one or not."""
    if isinstance(v, Ref):
        return True
    if isinstance(v, Value) and not isinstance(v.type, (Opaque, Text)):
        if isinstance(v.type, Tensor):
            return v.type.kind != "b" or v.type.is_array
        ev.refuse("SCT503", "a part of a tree that may be None is not supported", hint="choose it with `if` before")
    if isinstance(v, Static) and parts_of(v.peek) is None:
        return is_number(v.peek)
    if isinstance(v, Value):
        return False
    ev.refuse("SCT503", "this object is not supported in a tree",
              hint="use dicts, lists, tuples, dataclasses and objects of numbers and arrays")


# -- map ----------------------------------------------------------------------------------------------------------


def _mapped(ev: Evaluator, f: Abstract, trees: Args) -> Abstract:
    tree, *others = trees
    if any(isinstance(other, Static) and other.peek is None for other in others):
        return tree
    if dynamic_lists.is_dynamic(ev, tree):
        each = DerivedCallable(lambda ev, args, kwargs: _mapped(ev, f, args))
        helper = _COMPREHENSIONS.get(len(trees))
        if helper is None or not all(isinstance(other, ListRef) for other in others):
            ev.refuse("SCT917", "tree.map: the trees differ, or are more than three",
                      hint="give trees with the same parts, such as arguments and their gradients")
        return ev.call(Static(helper), [each, *trees])
    parts = _parts(ev, tree)
    if parts is None:
        return ev.call(f, list(trees)) if _is_number(ev, tree) else tree
    rows = [_parts(ev, other) for other in others]
    if any(row is None or row[0] != parts[0] or row[1].keys() != parts[1].keys() for row in rows):
        ev.refuse("SCT917", "tree.map: the trees differ",
                  why=f"the first one has the parts {', '.join(map(str, parts[1]))}",
                  hint="give trees with the same parts, such as arguments and their gradients")
    return _with_parts(ev, tree, {key: _mapped(ev, f, [part, *(row[1][key] for row in rows if row)])
                                  for key, part in parts[1].items()})


def _of_one(f: Any, xs: Any) -> Any:
    return [f(x) for x in xs]


def _of_two(f: Any, xs: Any, ys: Any) -> Any:
    return [f(x, y) for x, y in zip(xs, ys, strict=True)]


def _of_three(f: Any, xs: Any, ys: Any, zs: Any) -> Any:
    return [f(x, y, z) for x, y, z in zip(xs, ys, zs, strict=True)]


_COMPREHENSIONS: dict[int, Callable[..., Any]] = {1: _of_one, 2: _of_two, 3: _of_three}


# -- leaves and vectors -------------------------------------------------------------------------------------------


def _leaves(ev: Evaluator, tree: Abstract) -> list[Abstract]:
    if dynamic_lists.is_dynamic(ev, tree):
        ev.refuse("SCT503", "a list whose length is known only at run time is not supported here",
                  why="its items cannot be listed with other leaves", hint="loop over the list")
    parts = _parts(ev, tree)
    if parts is not None:
        return [leaf for part in parts[1].values() for leaf in _leaves(ev, part)]
    return [tree] if _is_number(ev, tree) else []


def _is_floating(ev: Evaluator, v: Abstract) -> bool:
    if isinstance(v, Static):
        return isinstance(v.peek, (float, complex, np.inexact))
    operand = ev.operand(v)
    return isinstance(operand.type, Tensor) and operand.type.kind in "fc"


def _raveled(ev: Evaluator, tree: Abstract) -> Abstract:
    floats = [leaf for leaf in _leaves(ev, tree) if _is_floating(ev, leaf)]
    if not floats:
        ev.refuse("SCT503", "tree.ravel of a tree without floats is not supported", hint="use the tree as it is")
    vectors = [ev.call(Static(np.ravel), [leaf]) for leaf in floats]
    vector = ev.call(Static(np.concatenate), [Tup(tuple(vectors))])
    return Tup((vector, DerivedCallable(lambda ev, args, kwargs: _unraveled(ev, tree, args[0]))))


def _unraveled(ev: Evaluator, tree: Abstract, vector: Abstract) -> Abstract:
    position: Abstract = Static(0)

    def part(ev: Evaluator, args: Args, kwargs: Kwargs) -> Abstract:
        nonlocal position
        (leaf,) = args
        if not _is_floating(ev, leaf):
            return leaf
        t = leaf.peek if isinstance(leaf, Static) else ev.operand(leaf).type
        is_array = isinstance(leaf, Ref)
        name = getattr(t, "dtype", "float") if is_array or getattr(t, "carrier", "py") == "np" else ""
        helper = _next_array if is_array else _next_numpy if name else _next_complex if _is_complex(t) else _next_float
        real = _is_complex(ev.operand(vector).type) and not _is_complex(t)
        values = ev.call(Static(np.real), [vector]) if real else vector
        both = ev.call(Static(helper), [values, position, leaf])
        assert isinstance(both, Tup)
        value, position = both.items
        return value

    return _mapped(ev, DerivedCallable(part), [tree])


def _is_complex(t: Any) -> bool:
    return isinstance(t, (complex, np.complexfloating)) or getattr(t, "kind", "f") == "c"


def _next_array(vector: Any, begin: Any, like: Any) -> Any:
    end = begin + like.size
    return vector[begin:end].reshape(like.shape).astype(like.dtype), end


def _next_numpy(vector: Any, begin: Any, like: Any) -> Any:
    return vector[begin].astype(like.dtype), begin + 1


def _next_float(vector: Any, begin: Any, like: Any) -> Any:
    return float(vector[begin]), begin + 1


def _next_complex(vector: Any, begin: Any, like: Any) -> Any:
    return complex(vector[begin]), begin + 1
