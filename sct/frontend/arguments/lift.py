"""Lifting: Python objects that the function reads from outside become abstract values."""

from __future__ import annotations

import datetime
import decimal
import enum
import fractions
import itertools
import re
import types
from collections import OrderedDict, defaultdict
from collections.abc import Hashable, Mapping, MutableMapping, MutableSequence, MutableSet
from dataclasses import dataclass
from types import ModuleType
from typing import TYPE_CHECKING, Any

import numpy as np

from sct.errors import SctError, contains_itself
from sct.frontend.arguments.abstract_arguments import (
    DictArgument,
    add_leaf,
    column_names,
    is_mutable_container,
    list_type,
    note_kinds,
    refuse_subclass,
    schema_of_tree,
    type_of_object,
    type_of_opaque,
)
from sct.frontend.arguments.argument_keys import (
    AT_ONCE,
    MANY_KEYS,
    RecordColumn,
    is_kind_of_keys,
    is_opaque_array,
    item_kind,
    key_of,
    kind_of_rows,
    list_tree,
)
from sct.frontend.arguments.unloaded import Unloaded
from sct.frontend.evaluator.own_methods import HASHING, is_library
from sct.frontend.state.tries import Class
from sct.frontend.values.abstract_values import (
    PLAIN,
    Abstract,
    Array,
    DictRef,
    FreeLeaf,
    Instance,
    ListRef,
    MapRef,
    Origin,
    Path,
    Ref,
    Slots,
    Static,
    Tup,
)
from sct.frontend.values.guarded_numbers import Asked
from sct.frontend.values.guards import UNKNOWN
from sct.frontend.values.in_words import path_in_words
from sct.ir import Lit, Value
from sct.ir.pytrees.kinds import Kind
from sct.ir.pytrees.pytree import STEPS, Leaf, LeafOf, Places, column_texts, paths, read_step
from sct.ir.pytrees.user_objects import (
    fields_of,
    get_stored,
    is_container,
    is_namedtuple,
    is_plain_attribute,
    is_user_class,
)
from sct.ir.types import List, Opaque, Tensor, Type
from sct.ops import BY_CALL
from sct.ops.program.effects import inactive

if TYPE_CHECKING:
    from sct.frontend.evaluator.evaluator import Evaluator

__all__ = [
    "CONTAINERS", "Untyped", "constant_object", "contents_of_mapping", "free_variable", "is_constant_object",
    "is_plain", "lift", "lift_module", "may_be_opaque", "opaque", "read_path", "rooted"]


def read_path(path: Path, root: Any) -> Any:
    """The object at a path now."""
    obj = root if path[0] is None else path[0]
    for kind, name in path[1:]:
        if kind == "global":
            obj = obj.__globals__[name]
        elif kind == "cell":
            obj = obj.__closure__[obj.__code__.co_freevars.index(name)].cell_contents
        elif kind == "attr":
            obj = getattr(obj, name)
        elif kind in STEPS:
            obj = read_step(obj, kind, name)
        else:
            obj = obj[name]
    return obj


DATA = (bool, int, float, str, type(None), np.generic, np.ndarray, tuple, list, dict, set, frozenset)
"""Classes of free variables whose value, or contents, may change between calls."""


@dataclass(frozen=True, eq=False)
class Untyped:
    """Stands ahead of time for an attribute of an object that is bound: `self.NAME`."""

    name: str


def lift(ev: Evaluator, obj: Any, path: Path | None = None) -> Abstract:
    """A Python object as an abstract value; numbers and arrays with a path become parameters."""
    if path is not None and isinstance(obj, DATA):
        ev.outside.reads.append(path_in_words(path))
    return ev.given_back(obj) if isinstance(obj, Asked) else _lift(ev, obj, path)


def _lift(ev: Evaluator, obj: Any, path: Path | None) -> Abstract:
    """A Python object as an abstract value.

    With a path it is read at every call: numbers and arrays become keyword-only
    parameters, other objects are guarded by their identity.  Without one it is a
    constant of Python itself (`math.pi`, a default).
    """
    if path is None:
        if isinstance(obj, tuple) and type(obj) is tuple:
            return Tup(tuple(lift(ev, x) for x in obj))
        if isinstance(obj, np.ndarray):
            ev.refuse("SCT507", "an array that is a default or an attribute of a library is not supported",
                      hint="read the mask of the array" if obj is np.ma.masked else "")
        if isinstance(obj, np.generic):
            if isinstance(obj, np.bool_):
                return ev.call_op(BY_CALL["numpy.logical_not"], Static(not obj), spelling="numpy.logical_not")
            spelling = f"numpy.{type(obj).__name__}"
            if spelling not in BY_CALL or isinstance(obj.item(), np.generic):
                ev.refuse("SCT506", f"a constant of class `{spelling}` is not supported")
            return ev.call_op(BY_CALL[spelling], Static(obj.item()), spelling=spelling)
        return Static(obj)
    if path in ev.outside.free:
        return ev.outside.free[path]
    try:
        lifted = _lift_new(ev, obj, path)
    except RecursionError:
        raise contains_itself(f"`{path[-1][-1] if len(path) < 2 else path[1][-1]}`", ev.loc) from None
    except SctError as refusal:
        if refusal.loc is not None:
            raise
        name = path_in_words(path)
        hint = refusal.hint.replace("pass np.asarray(x)", f"make it np.asarray({name}) outside the function").replace(
            "pass x.data and x.mask", f"make {name}.data and {name}.mask of it outside the function")
        raise SctError(refusal.code, f"`{name}`: {refusal.what}", why=refusal.why, hint=hint, loc=ev.loc) from None
    ev.outside.free[path] = lifted
    if is_mutable_container(obj):
        ev.containers.outside[path] = obj
    if isinstance(lifted, (Ref, ListRef, DictRef, MapRef)):
        ev.captured.paths[lifted.addr] = path
    return lifted


def _lift_new(ev: Evaluator, obj: Any, path: Path) -> Abstract:
    if isinstance(obj, Unloaded):
        raise obj.refusal(ev.loc)
    if isinstance(obj, Untyped):
        return _captured_leaf(ev, _free_leaf(ev, UNKNOWN, ev.outside.attribute_types[obj.name], path, obj))
    kind = kind_of_rows(obj, {}, ev.containers.records) if type(obj) is list else None
    if kind is None:
        note_kinds(ev, obj)
    if kind is not None:
        return _captured_list(ev, obj, kind, path)
    if isinstance(obj, (tuple, list)) and type(obj) in (tuple, list):
        ev.outside.note(path, "type", type(obj))
        ev.outside.note(path, "len", len(obj))
        items = tuple(_lift(ev, x, (*path, ("item", k))) for k, x in enumerate(obj))
        if isinstance(obj, tuple):
            return Tup(items)
        return ListRef(ev.captured.put(Slots(items, origin=Origin.CAPTURED)))
    if is_namedtuple(type(obj)):
        ev.outside.note(path, "type", type(obj))
        fields = fields_of(obj)
        paths = [(*path, ("attr", k) if is_plain_attribute(type(obj), k) else ("item", j))
                 for j, k in enumerate(fields)]
        return Tup(tuple(_lift(ev, get_stored(obj, k), at) for k, at in zip(fields, paths)), fields, type(obj))
    if type(obj) is dict:
        return _lift_dict(ev, obj, path)
    if isinstance(obj, enum.Enum):
        ev.outside.note(path, "is", obj)
        return Static(obj, path)
    if isinstance(obj, (int, float, complex, str, np.generic)):
        refuse_subclass(ev, obj)
    if is_opaque_array(obj):
        return opaque(ev, Static(obj, path))
    if isinstance(obj, (np.ndarray, int, float, complex, np.generic)) and (
            not isinstance(obj, bool) or _is_of_record(ev, path)):
        return _captured_leaf(ev, _free_leaf(ev, obj, type_of_object(ev, obj), path, key_of((obj,), {})))
    if isinstance(obj, (str, bool, type(None))):
        ev.outside.note(path, "value", obj)
        return Static(obj)
    if is_user_class(type(obj)):
        ev.outside.note(path, "type", type(obj))

        def pin() -> None:
            written = ev.functions.plan.written.items()
            if any(at[:len(path)] == path or at == (cls,) and isinstance(obj, cls) for (at, _), (_, cls) in written):
                ev.refuse("SCT302", "an object is used as a whole, and the function writes one of its attributes",
                          why="what uses it would not see the write", hint="return the value that is written")
            ev.outside.note(path, "is", obj)

        if any(at != path and at != (cls,) and isinstance(obj, cls)
               for (at, _), (_, cls) in ev.functions.plan.written.items()):
            ev.refuse("SCT302", f"the function writes an attribute of the object of its method, and reads another "
                      f"object of class `{type(obj).__name__}`", why="they may be one object",
                      hint="return the value that is written")
        return Instance(obj, path, pin)
    if isinstance(obj, CONTAINERS) and path[-1] != ("attr", "__dict__"):
        ev.outside.note(path, "type", type(obj))
        return Instance(obj, path, lambda: _pin_items(ev, obj, path))
    ev.outside.note(path, "is", obj)
    library = isinstance(obj, types.ModuleType) and obj.__name__.split(".")[0] in ("numpy", "math", "scipy", "sct")
    return Static(obj, None if library else path)


def _is_of_record(ev: Evaluator, path: Path) -> bool:
    """Is what is at this path a part of one of several records of one class, in a list or a dict?"""
    for n, (kind, _) in enumerate(path[1:-1], 1):
        holder = read_path(path[:n], ev.outside.root) if kind == "item" else None
        items = list(holder.values()) if type(holder) is dict else holder if type(holder) is list else []
        classes = set(map(type, items))
        if len(items) > 1 and len(classes) == 1 and all(cls in (dict, tuple) or is_container(cls) for cls in classes):
            return True
    return False


CONTAINERS = (MutableSet, MutableMapping, MutableSequence, types.MappingProxyType, memoryview)
"""Sets, deques, counters, views of them, ...: their items are guarded when the function reads them."""


def _pin_items(ev: Evaluator, obj: Any, path: Path) -> None:
    """Guards the items of a container of a library: they may differ in the next call."""
    ev.containers.guarded.add(id(obj))
    if id(obj) in ev.containers.changed:
        ev.refuse("SCT302", f"a `{type(obj).__name__}` that is read is changed by a call in the same function",
                  why="its contents are read once, before the call",
                  hint="pass it as a list, or change it outside the function")
    how, items = ("pairs", tuple(obj.items())) if isinstance(obj, Mapping) else ("items", tuple(obj))
    if any(type(x) not in PLAIN for x in itertools.chain.from_iterable(items if how == "pairs" else [items])):
        ev.refuse("SCT503", f"a `{type(obj).__name__}` with items other than numbers and strings is not supported",
                  why="sct could not notice if such items changed between calls",
                  hint="pass it as a list or a dict")
    ev.outside.note(path, how, items)


def _captured_leaf(ev: Evaluator, leaf: Value) -> Abstract:
    """The abstract value of a number, array or list that is a free variable."""
    if isinstance(leaf.type, List):
        column = Ref(ev.captured.put(Array(leaf, Origin.CAPTURED)))
        return ListRef(ev.captured.put(Slots((column,), origin=Origin.CAPTURED, schema=0)))
    if isinstance(leaf.type, Tensor) and leaf.type.is_array:
        return Ref(ev.captured.put(Array(leaf, Origin.CAPTURED, layout=leaf)))
    return leaf


def _lift_dict(ev: Evaluator, obj: dict[Any, Any], path: Path) -> DictRef | MapRef:
    ev.without_own(Static(tuple(obj)), "a key of a dict", HASHING)
    ev.outside.note(path, "type", type(obj))
    kinds = _kinds_of(ev, obj) if len(obj) > MANY_KEYS else None
    if kinds is not None and (many := _captured_dict(ev, obj, kinds, path)) is not None:
        return many
    ev.outside.note(path, "keys", tuple(obj))
    items = tuple(_lift(ev, x, (*path, ("item", k))) for k, x in obj.items())
    argument = DictArgument(id(obj), kinds is not None)
    return DictRef(ev.captured.put(Slots(items, tuple(obj), Origin.CAPTURED, site=argument)))


_MAPPINGS = (OrderedDict, defaultdict, types.MappingProxyType)


def contents_of_mapping(ev: Evaluator, v: Abstract) -> Abstract | None:
    """The items of an ordered or a default dict from outside, as a dict that is only read; None for other objects, and
    where the values are neither functions nor alike, or hold arrays."""
    if not isinstance(v, Instance) or type(v.peek) not in _MAPPINGS or v.path is None:
        return None
    obj, path = v.peek, v.path
    key = (*path, ("contents", None))
    if key not in ev.outside.free:
        kinds = _kinds_of(ev, obj)
        of_functions = bool(obj) and all(map(callable, obj.values()))
        if not of_functions and (kinds is None or _holds_arrays(kinds["values"])) or id(obj) in ev.containers.changed:
            return None
        ev.containers.guarded.add(id(obj))
        ev.outside.reads.append(path_in_words(path))
        ev.outside.free[key] = _lift_dict(ev, obj, path)
    return ev.outside.free[key]


def _holds_arrays(kind: Any) -> bool:
    return isinstance(kind, tuple) and (isinstance(kind[0], np.dtype) or any(map(_holds_arrays, kind)))


def _kinds_of(ev: Evaluator, obj: dict[Any, Any]) -> dict[str, Hashable] | None:
    """The kinds of the keys and of the values of a dict of alike values; None for other dicts."""
    kinds = {name: item_kind(list(xs), {}, ev.containers.records, True)
             for name, xs in (("keys", obj), ("values", obj.values()))}
    return None if None in kinds.values() or not is_kind_of_keys(kinds["keys"]) else kinds


def _captured_dict(ev: Evaluator, obj: dict[Any, Any], kinds: dict[str, Hashable], path: Path) -> MapRef | None:
    """A dict of many alike values, if its keys are to be known only at run time."""
    plan, argument = ev.functions.plan, DictArgument(id(obj))
    if plan.known_keys or plan.known_arguments or len(obj) <= AT_ONCE and (argument, "values") not in plan.dicts:
        return None
    lists = {"keys": list(obj), "values": list(obj.values())}
    plan.dicts.add((argument, "values"))
    ev.outside.note(path, "many", MANY_KEYS)
    places = _free_leaf(ev, Places(), Opaque(), (*path, ("places", "places")), (Places,))
    parts = [_captured_list(ev, xs, kinds[name], (*path, (name, name))) for name, xs in lists.items()]
    return MapRef(ev.captured.put(Slots((places, *parts), ("places", *lists), Origin.CAPTURED, site=argument)))


def _captured_list(ev: Evaluator, xs: list[Any], kind: Hashable, path: Path) -> Abstract:
    """A list of items that are made alike: its columns are parameters."""
    tree = list_tree(kind)
    if isinstance(tree, Leaf):
        return _captured_leaf(ev, _free_leaf(ev, xs, list_type(ev, xs), path, key_of((xs,), {}, ev.containers.records)))
    if kind_of_rows(xs, {}, False) is None:
        ev.containers.note_records(xs)
    of_kinds = any(isinstance(key, Kind) for keys, _ in paths(tree) for key in keys)
    ev.outside.note(path, "kinds" if of_kinds else "kind", kind)
    columns = []
    for k, ((keys, _), text) in enumerate(zip(paths(tree), column_texts(tree, "").values())):
        way: Any = LeafOf(tree, k) if of_kinds else keys
        values = read_step(xs, "column", (way, text[:-1]))
        at = (*path, ("column", (way, text[:-1])))
        leaf = _free_leaf(ev, values, list_type(ev, values), at,
                          key_of((RecordColumn(values),), {}, ev.containers.records))
        columns.append(Ref(ev.captured.put(Array(leaf, Origin.CAPTURED))))
    return ListRef(ev.captured.put(Slots(tuple(columns), origin=Origin.CAPTURED, schema=schema_of_tree(tree))))


def _names_in(kind: str, step: Any) -> tuple[Any, ...]:
    """The parts of a step that may give a name to what is read there."""
    if kind != "column":
        return (step,)
    return tuple(column_names(step[0].tree, "")[step[0].number].split("_")) if isinstance(step[0], LeafOf) else step[0]


_NAMELESS = frozenset(("__dict__", "__defaults__", "__kwdefaults__", "__wrapped__", "__func__", "_field_defaults",
                       "__dataclass_fields__"))


def _free_leaf(ev: Evaluator, obj: Any, t: Type, path: Path, key: Any) -> Value:
    begin = next((n for n in range(len(path), 0, -1) if path[:n] in ev.outside.default_names), 1)
    steps = [name for kind, step in path[begin:] for name in _names_in(kind, step)
             if name is not None]
    parts = ["self" if name == "__self__" else str(name) for name in steps if name not in _NAMELESS]
    if begin > 1:
        parts.insert(0, ev.outside.default_names[path[:begin]])
    of_root = path[0].__name__ if isinstance(path[0], type) else "free"
    name = "_".join(p for p in parts if p.isidentifier() or p.isdigit()) or of_root
    taken = {*ev.outside.parameter_names, *(p.hint for p in ev.params)}
    while name in taken:
        name += "_"
    leaf = add_leaf(ev, obj, t, name)
    ev.outside.leaves.append(FreeLeaf(name, path, leaf, key))
    return leaf


_MADE_OUTSIDE = {
    "default_rng": "draw outside the function, and pass the numbers; draws of a generator of the module are fine",
    "RandomState": "draw outside the function, and pass the numbers; draws of `np.random` itself are fine"}


def opaque(ev: Evaluator, fn: Static) -> Value:
    """A callable that sct does not see into, as a parameter; a regular expression that the function has made."""
    name, path = getattr(fn.value, "__name__", str(fn.value)), fn.path
    shared = np.random.random.__self__  # type: ignore[attr-defined]
    if path is None and (fn.value is np.random.seed or getattr(fn.value, "__self__", None) is shared):
        path = (np.random, ("attr", name))
    if path is None and isinstance(fn.value, re.Pattern):
        flags = int(fn.value.flags & ~re.UNICODE) if isinstance(fn.value.pattern, str) else fn.value.flags
        text = "re.compile(_0, _1)" if flags else "re.compile(_0)"
        pattern: Value = ev.emit(inactive, Lit(fn.value.pattern), *([Lit(flags)] if flags else ()), text=text)
        return pattern
    if path is None:
        shown = f"`{name}`" if hasattr(fn.value, "__name__") else f"an object of class `{type(fn.value).__name__}`"
        ev.refuse("SCT206", f"{shown} is not supported yet",
                  hint=_MADE_OUTSIDE.get(name, "write it out, or compute it outside the function and pass it"))
    key = (path, "opaque")
    if key not in ev.outside.free:
        ev.outside.free[key] = _free_leaf(
            ev, fn.value, type_of_opaque(fn.value), path, key_of((fn.value,), {}))
    param = ev.outside.free[key]
    assert isinstance(param, Value)
    return param


def may_be_opaque(v: Static) -> bool:
    """Is there a way to this object, or a text that makes it?"""
    return v.path is not None or isinstance(v.value, re.Pattern)


def is_constant_object(v: Abstract | None) -> bool:
    """Is this a date, a duration, a fraction or a decimal number from outside?"""
    return isinstance(v, Static) and v.path is not None and type(v.peek) in _CONSTANTS


def constant_object(ev: Evaluator, v: Abstract | None) -> Value | None:
    """A date, a duration, a fraction or a decimal number from outside, as an object of run time; None of others."""
    return opaque(ev, v) if isinstance(v, Static) and is_constant_object(v) else None


_CONSTANTS = frozenset((datetime.date, datetime.datetime, datetime.timedelta, decimal.Decimal, fractions.Fraction))


def exception_class(ev: Evaluator, v: Static) -> Class:
    """The class of exceptions `v`, as handlers name it."""
    if v.value.__module__ in ("builtins", "numpy.linalg"):
        return Class(v.value)
    return Class(v.value, opaque(ev, v if v.path is not None else Static(v.value, (v.value,))))


def free_variable(ev: Evaluator, holder: Any, name: str) -> Abstract:
    """A global or closure variable of the function `holder.function`."""
    function = holder.function
    if holder.is_cells:
        value = holder[name].cell_contents
        if is_library(function) and is_plain(value):
            return lift(ev, value)  # no one else has the cell
        return lift(ev, value, (*ev.anchor(function), ("cell", name)))
    return lift(ev, holder[name], (*ev.module_of(function), ("global", name)))


def is_plain(x: Any) -> bool:
    """Is it a number, a string or None, or a tuple of these?"""
    return all(map(is_plain, x)) if type(x) is tuple else x is None or type(x) in (bool, int, float, str)


def rooted(ev: Evaluator, f: Any) -> Static:
    """A callable as an abstract value; the root, and what it wraps, are looked up from the root at each call."""
    path = ev.outside.anchors.get(id(f))
    if path is None or not is_user_class(type(f)) or hasattr(f, "__sct_transform__"):
        return Static(f, path)
    lifted = lift(ev, f, path)
    assert isinstance(lifted, Static)
    return lifted


def lift_module(ev: Evaluator, module: ModuleType) -> Abstract:
    """A module that the function imports."""
    return lift(ev, module, (module,))

