"""What a call passes: the key of its types, and arguments and free variables as abstract values."""

from __future__ import annotations

import enum
import itertools
import types
from collections.abc import Hashable, Mapping, MutableMapping, MutableSequence, MutableSet, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from sct.errors import Loc, SctError
from sct.frontend.heap import dynamic_lists
from sct.frontend.values.abstract_values import (
    Abstract,
    Array,
    DictRef,
    FreeLeaf,
    Instance,
    ListRef,
    ObjRef,
    Path,
    Ref,
    Slots,
    Static,
    Tup,
)
from sct.frontend.values.exact_keys import Same, exact
from sct.frontend.values.guards import UNKNOWN
from sct.frontend.values.type_syntax import Columns
from sct.ir import Value
from sct.ir.pytree import Const, Leaf, Node, Tree, map_tree
from sct.ir.types import INT, NONE, Dim, List, Never, Opaque, Tensor, Type, join, py, sym
from sct.ir.user_objects import fields_of, get_stored, is_container, is_namedtuple, is_plain_attribute, is_user_class
from sct.ops import BY_CALL

if TYPE_CHECKING:
    from sct.frontend.interpreter.interpreter import Evaluator

__all__ = ["ROWS", "Equal", "Unloaded", "Untyped", "add_leaf", "argument", "dtype_name", "is_one_value",
           "is_shared", "key_of", "lift", "opaque", "read_path"]

# -- keys ------------------------------------------------------------------------------------------


def key_of(args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> Hashable:
    """The types of the arguments: two calls with one key have the same abstract arguments.

    >>> key_of((1.0, np.zeros(3)), {}) == key_of((2.0, np.zeros(4)), {})
    True
    """
    sizes: dict[int, int] = {}
    key = tuple([_key(a, sizes) for a in args])
    if not kwargs:
        return key
    return key, tuple([(k, _key(v, sizes)) for k, v in kwargs.items()])


_PLAIN = frozenset((float, int, bool, str, type(None)))


def _key(x: Any, sizes: dict[int, int]) -> Hashable:
    t: Any = type(x)
    if t in _PLAIN:
        return t  # type: ignore[no-any-return]
    if t is np.ndarray:
        # Sizes 0 and 1 are types of their own; other sizes count by which are equal.
        return x.dtype, tuple([s if s < 2 else sizes.setdefault(s, -1 - len(sizes)) for s in x.shape])
    if t is tuple:
        return (t, *[_key(v, sizes) for v in x])
    if t is list or t is dict:
        # One list passed twice is another key than two lists; ids are negative, sizes are not.
        first = sizes.setdefault(-1 - id(x), len(sizes))
        if t is list:
            kind = _kind(x, sizes) or _columns(x, sizes) if len(x) > FEW else None
            return (t, first, ROWS, kind) if kind is not None else (t, first, *[_key(v, sizes) for v in x])
        return t, first, tuple([(k, _key(v, sizes)) for k, v in x.items()]), exact(x)
    if isinstance(x, np.generic):
        return t  # type: ignore[no-any-return]
    if is_container(t):
        if -1 - id(x) in sizes:
            return t, sizes[-1 - id(x)]
        first = sizes.setdefault(-1 - id(x), len(sizes))
        return t, first, tuple([(k, _key(get_stored(x, k), sizes)) for k in fields_of(x)])
    if isinstance(x, np.ndarray):
        raise SctError("SCT506", f"an array of class {t.__name__} is not supported",
                       why="a subclass may give the operators other meanings", hint="pass np.asarray(x)")
    # A method is made anew whenever it is read of its object; equal ones are of one object.
    return Equal(x) if t in _METHODS else Same(x)


_METHODS = (types.MethodType, types.BuiltinMethodType, type([].__len__))


ROWS = "rows"
"""Stands in a key for the items of a list that is one value."""


FEW = 4
"""A list of more items, all alike, is one value, whatever its length; others are taken apart."""


def _kind(xs: list[Any], sizes: dict[int, int]) -> Hashable:
    """The type that the items of a list have in common, as a key; None where they are not alike."""
    kinds = set(map(type, xs))
    if kinds <= _REAL:
        return "real" if len(kinds) > 1 else kinds.pop()
    if len(kinds) > 1:
        return None
    (t,) = kinds
    if t is list:
        inner = {_kind(x, sizes) for x in xs if x}
        if not inner:
            return None  # all are empty: of what they are lists is not known
        if inner <= {float, int, "real"}:
            inner = {"real"} if len(inner) > 1 else inner
        found = inner.pop()
        return (list, found) if not inner and found is not None else None
    if t is np.ndarray:
        first = xs[0]
        if any(x.shape != first.shape or x.dtype != first.dtype for x in xs):
            return None
        return _key(first, sizes)
    return t if issubclass(t, np.number) else None  # type: ignore[return-value]


_REAL = frozenset((float, int))


def _columns(xs: list[Any], sizes: dict[int, int]) -> Hashable:
    """The types of the columns of a list of tuples that are made alike, as a key."""
    if set(map(type, xs)) != {tuple} or len(set(map(len, xs))) > 1:
        return None
    kinds = tuple([_kind(list(column), sizes) or _missing(column) for column in zip(*xs)])
    return (tuple, *kinds) if kinds and None not in kinds else None


def _missing(column: tuple[Any, ...]) -> Hashable:
    """The kind of what has no tangent."""
    return "none" if all(x is None for x in column) else None


def is_one_value(x: Any) -> bool:
    """Is this a list that is one value, whatever its length?"""
    return type(x) is list and len(x) > FEW and (_kind(x, {}) or _columns(x, {})) is not None


def _list_type(ev: Evaluator, xs: list[Any]) -> List | None:
    """The type of a list of items that are all alike."""
    if _kind(xs, {}) is None:
        return None

    def visit(x: Any) -> Type:
        if isinstance(x, list):
            if not x:
                return List(Never())
            found = visit(x[0])
            for each in x[1:] if not isinstance(x[0], np.ndarray) else ():
                found = join(found, visit(each))
            return List(found)
        return type_of_object(ev, x, "")

    made = visit(xs)
    assert isinstance(made, List)
    return made


class Equal(Same):
    """An object that counts by equality."""

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Equal) and bool(self.x == other.x)

    def __hash__(self) -> int:
        return hash(self.x)


def dtype_name(dtype: np.dtype[Any]) -> str:
    """"f64" of float64; refuses what sct does not differentiate."""
    if dtype.kind in "biuf" and dtype.isnative:
        return "b1" if dtype.kind == "b" else f"{dtype.kind}{8 * dtype.itemsize}"
    if dtype.kind == "c":
        raise SctError("SCT506", "complex arrays are not supported yet")
    raise SctError("SCT506", f"arrays of dtype {dtype} are not supported",
                   hint="use an array for each field" if dtype.names else
                   "convert with astype(float)" if dtype.kind in "Ofi" else "")


# -- abstract arguments ----------------------------------------------------------------------------------


def type_of_object(ev: Evaluator, x: Any, name: str) -> Type:
    """The IR type of a number or array; its sizes become names."""
    if isinstance(x, np.ndarray):
        return Tensor("array", dtype_name(x.dtype), tuple(size_name(ev, s) for s in x.shape))
    if isinstance(x, np.generic) and not isinstance(x, (np.str_, np.bytes_, np.void)):
        return Tensor("np", dtype_name(x.dtype))
    return py(x)


def size_name(ev: Evaluator, size: int) -> Dim:
    if size < 2:
        return Dim(size)
    if size not in ev.size_names:
        ev.size_names[size] = ev.free_name()
    return sym(ev.size_names[size])


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
            for atom, _ in d.terms:
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
        return _rows(ev, x.types, [UNKNOWN] * len(x.types), name)
    if type(x) in (list, dict) or is_container(type(x)) and not isinstance(x, tuple):
        if seen is not None and id(x) in seen:
            known, tree = seen[id(x)]
            return known, map_tree(tree, lambda _: Leaf(_again(ev, x, tree, _)))
        ev.containers_twice = ev.containers_twice or id(x) in ev.containers
        ev.containers.add(id(x))
    made = _argument(ev, x, name, seen)
    if seen is not None and not isinstance(x, (bool, int, float, str, tuple)):
        seen.setdefault(id(x), made)
    return made


def _again(ev: Evaluator, x: Any, tree: Tree, leaf: int) -> int:
    """A leaf of a container that is passed again: a parameter that nothing reads."""
    add_leaf(ev, ev.leaves[leaf], ev.params[leaf].type, ev.params[leaf].hint or "again")
    return len(ev.params) - 1


def _argument(ev: Evaluator, x: Any, name: str, seen: dict[int, Any] | None) -> tuple[Abstract, Tree]:
    if type(x) is list and len(x) > FEW and (t := _list_type(ev, x)) is not None:
        leaf = add_leaf(ev, x, t, name)
        return ev.wrap(leaf, origin="argument"), Leaf(len(ev.params) - 1)
    if type(x) is list and len(x) > FEW and _columns(x, {}) is not None:
        columns = [list(column) for column in zip(*x)]
        return _rows(ev, [_list_type(ev, column) or List(NONE) for column in columns], columns, name)
    if isinstance(x, (tuple, list)) and type(x) in (tuple, list):
        parts = [argument(ev, v, f"{name}_{k}", seen) for k, v in enumerate(x)]
        kind = "tuple" if isinstance(x, tuple) else "list"
        tree: Tree = Node(kind, tuple(range(len(parts))), tuple(t for _, t in parts))
        items = tuple(v for v, _ in parts)
        if kind == "tuple":
            return Tup(items), tree
        return ListRef(_slots(ev, Slots(items, origin="argument"))), tree
    if type(x) is dict:
        for k in x:
            _known_key(ev, k)
        parts = [argument(ev, v, k if isinstance(k, str) and k.isidentifier() else f"{name}_{j}", seen)
                 for j, (k, v) in enumerate(x.items())]
        cell = Slots(tuple(v for v, _ in parts), tuple(x), "argument")
        return DictRef(_slots(ev, cell)), Node("dict", tuple(x), tuple(t for _, t in parts))
    if is_container(type(x)):
        return _object(ev, x, name, seen)
    if isinstance(x, np.ndarray):
        leaf = add_leaf(ev, x, type_of_object(ev, x, name), name)
        if seen is not None and id(x) in seen:
            return seen[id(x)][0], Leaf(ev.params.index(leaf))
        addr = ev.new_addr()
        ev.store.cells[addr] = Array(leaf, "argument", layout=leaf, readonly=frozenset({leaf}))
        return Ref(addr), Leaf(ev.params.index(leaf))
    if isinstance(x, enum.Enum):
        return Static(x), Const(x)
    if isinstance(x, (bool, int, float, np.generic, str)):
        _no_subclass(ev, x)
        leaf = add_leaf(ev, x, Opaque() if isinstance(x, str) else type_of_object(ev, x, name), name)
        return leaf, Leaf(len(ev.params) - 1)
    if isinstance(x, complex):
        raise SctError("SCT506", "complex numbers are not supported", hint="pass the real and the imaginary part")
    if x is None or callable(x) or isinstance(x, (types.ModuleType, np.dtype)):
        return Static(x), Const(x)
    leaf = add_leaf(ev, x, Opaque(), name)
    return leaf, Leaf(len(ev.params) - 1)


def _known_key(ev: Evaluator, k: Any) -> None:
    """Refuse a key of a dict that may be another object in a copy of the dict."""
    if isinstance(k, (tuple, frozenset)):
        for part in k:
            _known_key(ev, part)
    elif not isinstance(k, (enum.Enum, type, np.generic, complex, bytes)) and type(k) not in _PLAIN:
        ev.refuse("SCT503", f"a dict with a key of class `{type(k).__name__}` is not supported as an argument",
                  hint="use strings, numbers or members of an enum as keys")


def _no_subclass(ev: Evaluator, x: Any) -> None:
    """Refuse a number or string of a user's class."""
    plain = type(x) is x.dtype.type if isinstance(x, np.generic) else type(x) in _PLAIN
    if not plain:
        kind = next(base for base in (bool, int, float, str, np.generic) if isinstance(x, base))
        ev.refuse("SCT506", f"a `{kind.__name__}` of class `{type(x).__name__}` is not supported",
                  why="a class of its own may give the operators other meanings",
                  hint=f"pass {kind.__name__}(x)" if kind is not np.generic else "")


def _rows(ev: Evaluator, types: Sequence[Any], columns: Sequence[Any], name: str) -> tuple[Abstract, Tree]:
    """A list of tuples as its columns."""
    made = [add_leaf(ev, column, t, f"{name}_{k}") for k, (t, column) in enumerate(zip(types, columns))]
    shape = tuple(range(len(made)))
    return dynamic_lists.new_list(ev, shape, made, origin="argument"), \
        Node("rows", shape, tuple(Leaf(ev.params.index(column)) for column in made))


def _typed(ev: Evaluator, leaf: Value) -> Abstract:
    """A leaf of which the type alone is known."""
    if isinstance(leaf.type, List):
        return ev.wrap(leaf, origin="argument")
    if not isinstance(leaf.type, Tensor) or not leaf.type.is_array:
        return leaf
    addr = ev.new_addr()
    ev.store.cells[addr] = Array(leaf, "argument", layout=leaf, readonly=frozenset({leaf}))
    return Ref(addr)


def _object(ev: Evaluator, x: Any, name: str, seen: dict[int, Any] | None) -> tuple[Abstract, Tree]:
    """An object with attributes; one that holds itself is seen into once."""
    if id(x) in ev.entered:
        leaf = add_leaf(ev, x, Opaque(), name)
        return leaf, Leaf(len(ev.params) - 1)
    ev.entered.add(id(x))
    keys, cls = fields_of(x), type(x)
    for k in keys:
        if not is_plain_attribute(cls, k) and (isinstance(x, tuple) or k not in x.__dict__):
            ev.refuse("SCT503", f"the attribute `{k}` of a `{cls.__name__}` is hidden by another one of its class")
    parts = [argument(ev, get_stored(x, k), k, seen) for k in keys]
    ev.entered.discard(id(x))
    items = tuple(v for v, _ in parts)
    tree = Node("object", keys, tuple(t for _, t in parts), cls)
    if isinstance(x, tuple):
        return Tup(items, keys, cls), tree
    return ObjRef(_slots(ev, Slots(items, keys, "argument")), cls), tree


def _slots(ev: Evaluator, cell: Slots) -> int:
    addr = ev.new_addr()
    ev.store.cells[addr] = cell
    return addr


def is_shared(x: Any) -> bool:
    """Is this a list, a dict or an object, of which a write through one name is seen through others?"""
    return type(x) in (list, dict) or is_container(type(x)) and not isinstance(x, tuple)


# -- free variables ------------------------------------------------------------------------------------------


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
        else:
            obj = obj[name]
    return obj


@dataclass(frozen=True, eq=False)
class Untyped:
    """Stands ahead of time for an attribute of an object that is bound: `self.NAME`."""

    name: str


@dataclass(frozen=True, eq=False)
class Unloaded:
    """Stands for a global of a file that was loaded without the statement that binds it."""

    name: str
    loc: Loc


def lift(ev: Evaluator, obj: Any, path: Path | None) -> Abstract:
    """A Python object as an abstract value.

    With a path it is read at every call: numbers and arrays become keyword-only
    parameters, other objects are guarded by their identity.  Without one it is a
    constant of Python itself (`math.pi`, a default).
    """
    if path is None:
        if isinstance(obj, tuple) and type(obj) is tuple:
            return Tup(tuple(map(ev.lift, obj)))
        if isinstance(obj, np.ndarray):
            ev.refuse("SCT507", "an array that is a default or an attribute of a library is not supported")
        if isinstance(obj, np.generic):
            if isinstance(obj, np.bool_):
                return ev.call_op(BY_CALL["numpy.logical_not"], Static(not obj), spelling="numpy.logical_not")
            spelling = f"numpy.{obj.dtype.name}"
            if spelling not in BY_CALL:
                ev.refuse("SCT506", f"a constant of class `{spelling}` is not supported")
            return ev.call_op(BY_CALL[spelling], Static(obj.item()), spelling=spelling)
        return Static(obj)
    if path in ev.free:
        return ev.free[path]
    try:
        made = _lift(ev, obj, path)
    except SctError as refusal:
        if refusal.loc is not None:
            raise
        name = str(path[-1][-1])
        hint = refusal.hint.replace("pass np.asarray(x)", f"make it np.asarray({name}) outside the function")
        raise SctError(refusal.code, f"`{name}`: {refusal.what}", why=refusal.why, hint=hint, loc=ev.loc) from None
    ev.free[path] = made
    if is_shared(obj):
        ev.found_outside[path] = obj
    if isinstance(made, (Ref, ListRef, DictRef)):
        ev.captured.paths[made.addr] = path
    return made


def _lift(ev: Evaluator, obj: Any, path: Path) -> Abstract:
    if isinstance(obj, Unloaded):
        raise SctError("SCT914", f"the value of `{obj.name}` is not known", loc=obj.loc,
                       why="it is made by a statement that sct does not run",
                       hint="assign it with a literal or a call of NumPy, or make it an argument")
    if isinstance(obj, Untyped):
        return _captured(ev, _free_leaf(ev, UNKNOWN, ev.attributes[obj.name], path, obj))
    if type(obj) is list and len(obj) > FEW and (t := _list_type(ev, obj)) is not None:
        return _captured(ev, _free_leaf(ev, obj, t, path, key_of((obj,), {})))
    if isinstance(obj, (tuple, list)) and type(obj) in (tuple, list):
        ev.identities[path, "type"] = (path, type(obj))
        ev.identities[path, "len"] = (path, len(obj))
        items = tuple(lift(ev, x, (*path, ("item", k))) for k, x in enumerate(obj))
        if isinstance(obj, tuple):
            return Tup(items)
        return ListRef(ev.captured.put(Slots(items, origin="captured")))
    if is_namedtuple(type(obj)):
        ev.identities[path, "type"] = (path, type(obj))
        fields = fields_of(obj)
        paths = [(*path, ("attr", k) if is_plain_attribute(type(obj), k) else ("item", j))
                 for j, k in enumerate(fields)]
        return Tup(tuple(lift(ev, get_stored(obj, k), at) for k, at in zip(fields, paths)), fields, type(obj))
    if type(obj) is dict:
        ev.identities[path, "type"] = (path, dict)
        ev.identities[path, "keys"] = (path, tuple(obj))
        items = tuple(lift(ev, x, (*path, ("item", k))) for k, x in obj.items())
        return DictRef(ev.captured.put(Slots(items, tuple(obj), "captured")))
    if isinstance(obj, enum.Enum):
        ev.identities[path, "is"] = (path, obj)
        return Static(obj, path)
    if isinstance(obj, (int, float, str, np.generic)):
        _no_subclass(ev, obj)
    if isinstance(obj, np.ndarray) or isinstance(obj, (int, float, np.generic)) and not isinstance(obj, bool):
        return _captured(ev, _free_leaf(ev, obj, type_of_object(ev, obj, ""), path, key_of((obj,), {})))
    if isinstance(obj, (str, bool, type(None))):
        ev.identities[path, "value"] = (path, obj)
        return Static(obj)
    if is_user_class(type(obj)):
        ev.identities[path, "type"] = (path, type(obj))

        def pin() -> None:
            ev.identities[path, "is"] = (path, obj)

        return Instance(obj, path, pin)
    if isinstance(obj, _CHANGING):
        ev.identities[path, "type"] = (path, type(obj))
        return Instance(obj, path, lambda: _pin_items(ev, obj, path))
    ev.identities[path, "is"] = (path, obj)
    library = isinstance(obj, types.ModuleType) and obj.__name__.split(".")[0] in ("numpy", "math", "scipy", "sct")
    return Static(obj, None if library else path)


_CHANGING = (MutableSet, MutableMapping, MutableSequence)
"""Sets, deques, counters, ...: what they hold is read where the function asks for it, and guarded."""


def _pin_items(ev: Evaluator, obj: Any, path: Path) -> None:
    """Make what a container of a library holds a fact: it may be another one in the next call."""
    ev.known_whole.add(id(obj))
    if id(obj) in ev.changed:
        ev.refuse("SCT302", f"a `{type(obj).__name__}` that is read is changed by a call in the same function",
                  why="what it holds is read once, before", hint="pass it as a list, or change it outside the function")
    how, items = ("pairs", tuple(obj.items())) if isinstance(obj, MutableMapping) else ("items", tuple(obj))
    if any(type(x) not in _PLAIN for x in itertools.chain.from_iterable(items if how == "pairs" else [items])):
        ev.refuse("SCT503", f"a `{type(obj).__name__}` that holds other things than numbers and strings",
                  why="whether it holds the same in the next call is not found out",
                  hint="pass it as a list or a dict")
    ev.identities[path, how] = (path, items)


def _captured(ev: Evaluator, leaf: Value) -> Abstract:
    """A number, array or list that is read from outside."""
    if isinstance(leaf.type, List):
        column = Ref(ev.captured.put(Array(leaf, "captured")))
        return ListRef(ev.captured.put(Slots((column,), origin="captured", rows=0)))
    if isinstance(leaf.type, Tensor) and leaf.type.is_array:
        return Ref(ev.captured.put(Array(leaf, "captured", layout=leaf)))
    return leaf


_NAMELESS = frozenset(("__dict__", "__defaults__", "__kwdefaults__", "__wrapped__", "__func__", "_field_defaults",
                       "__dataclass_fields__"))


def _free_leaf(ev: Evaluator, obj: Any, t: Type, path: Path, key: Any) -> Value:
    begin = next((n for n in range(len(path), 0, -1) if path[:n] in ev.names), 1)
    parts = ["self" if name == "__self__" else str(name) for _, name in path[begin:] if name not in _NAMELESS]
    if begin > 1:
        parts.insert(0, ev.names[path[:begin]])
    name = "_".join(p for p in parts if p.isidentifier() or p.isdigit()) or "free"
    taken = {*ev.parameter_names, *(p.hint for p in ev.params)}
    while name in taken:
        name += "_"
    leaf = add_leaf(ev, obj, t, name)
    ev.free_leaves.append(FreeLeaf(name, path, leaf, key))
    return leaf


_MADE_OUTSIDE = {
    "default_rng": "draw outside the function, and pass the numbers; draws of a generator of the module are fine",
    "RandomState": "draw outside the function, and pass the numbers; draws of `np.random` itself are fine"}


def opaque(ev: Evaluator, fn: Static) -> Value:
    """A callable that sct does not see into, as a parameter."""
    name, path = getattr(fn.value, "__name__", str(fn.value)), fn.path
    shared = np.random.random.__self__  # type: ignore[attr-defined]
    if path is None and (fn.value is np.random.seed or getattr(fn.value, "__self__", None) is shared):
        path = (np.random, ("attr", name))
    if path is None:
        ev.refuse("SCT206", f"`{name}` is not supported yet",
                  hint=_MADE_OUTSIDE.get(name, "write it out, or compute it outside the function and pass it"))
    key = (path, "opaque")
    if key not in ev.free:
        ev.free[key] = _free_leaf(ev, fn.value, Opaque(), path, key_of((fn.value,), {}))
    made = ev.free[key]
    assert isinstance(made, Value)
    return made

