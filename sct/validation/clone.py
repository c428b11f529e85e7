"""Copies everything that a function can reach and change, so that it can run without touching the user's objects.

    copier = Copier(shared);  f, args = copier.copy(f), copier.copy(args)       f(*args) writes into copies only

One memo serves all copies: one object stays one object, and arrays that share memory share memory, with the same
strides and flags.  Functions get their own globals and cells, with copies of the values that they read.  Modules,
classes and functions of libraries are not copied.  Nor are the variables that methods of classes and functions of
modules read, because these would not see the copies: `SharedState` restores them.
"""

from __future__ import annotations

import contextvars
import copy
import enum
import functools
import io
import logging
import random
import threading
import types
import weakref
from collections import Counter, OrderedDict, defaultdict, deque
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import numpy as np

from sct.frontend.arguments.argument_aliasing import cell_contents
from sct.frontend.user_rules import note_copy
from sct.frontend.writes.references import (
    CACHED,
    PLAIN,
    is_derivative,
    is_found_in_class,
    is_library_function,
    names_in,
    references,
)
from sct.ir.pytrees.user_objects import (
    dict_of,
    fields_of,
    get_stored,
    is_defined_by_user,
    is_namedtuple,
    is_user_class,
    set_stored,
    slots_of,
)
from sct.validation.compare import is_hashed_by_identity

__all__ = ["LARGEST", "CannotCopy", "Copier", "SharedState"]

LARGEST = 256 << 20
"""At most this many bytes of arrays are copied."""

MOST_FOLLOWED = 100_000

_ATOMS: tuple[type, ...] = (
    *PLAIN, range, slice, type, types.ModuleType, types.CodeType, types.MappingProxyType, type(...),
    type(NotImplemented), types.WrapperDescriptorType, types.MethodDescriptorType, types.GetSetDescriptorType,
    types.MemberDescriptorType, np.generic, np.dtype, np.ufunc, enum.Enum, logging.Logger,
    logging.LoggerAdapter, property, staticmethod, classmethod,
    type(threading.Lock()), type(threading.RLock()))
_TEXTS: tuple[Any, ...] = (io.StringIO, io.BytesIO)
"""Files in memory, whose contents and position can be copied and restored."""

_GLOBAL_STATES = (random.random.__self__, np.random.random.__self__)  # type: ignore[attr-defined]


class CannotCopy(Exception):
    """An object that the function reaches cannot be copied."""


def _is_atom(x: Any) -> bool:
    return isinstance(x, _ATOMS) or is_derivative(x) or any(x is s for s in _GLOBAL_STATES) \
        or isinstance(x, types.FunctionType) and is_library_function(x) \
        or isinstance(x, types.BuiltinFunctionType) and isinstance(x.__self__, (types.ModuleType, type, type(None)))


class Copier:
    """Copies objects, each of them once.

    shared    objects that are not copied
    copies    by the id of an object, its copy
    alive     the objects that were copied, so that their ids stay theirs
    memories  by the id of an array that owns its memory, the bytes of its copy and the address of their start
    bytes     the size of the arrays copied so far
    reordered  is there a set of several objects that are compared by identity: in what order does the copy give them?
    """

    def __init__(self, shared: SharedState) -> None:
        self.shared = shared
        self.copies: dict[int, Any] = {}
        self.alive: list[Any] = []
        self.memories: dict[int, tuple[np.ndarray[Any, Any], int]] = {}
        self.bytes = 0
        self.reordered = False

    def copy(self, x: Any) -> Any:
        t = type(x)
        if t in PLAIN:
            return x
        if id(x) in self.copies:
            return self.copies[id(x)]
        if _is_atom(x) or x in self.shared:
            return x
        method = next((m for base, m in _COPY_METHODS.items() if t is base), None)
        if method is None:
            method = Copier._object if is_user_class(t) or t is SimpleNamespace else \
                Copier._tuple if is_namedtuple(t) else Copier._other
        return self.remember(x, method(self, x))

    def remember(self, x: Any, copied: Any) -> Any:
        """Enter `copied` as the copy of `x`; returns it."""
        self.copies[id(x)] = copied
        self.alive.append(x)
        return copied

    # -- containers -------------------------------------------------------------------

    def _items(self, xs: Any) -> Any:
        return xs if PLAIN.issuperset(map(type, xs)) else [self.copy(x) for x in xs]

    def _list(self, x: list[Any]) -> list[Any]:
        copied: list[Any] = self.remember(x, [])
        copied.extend(self._items(x))
        return copied

    def _tuple(self, x: tuple[Any, ...]) -> tuple[Any, ...]:
        items = self._items(x)
        return x if all(a is b for a, b in zip(items, x)) else tuple.__new__(type(x), items)

    def _dict(self, x: dict[Any, Any]) -> dict[Any, Any]:
        factory = (self.copy(x.default_factory),) if isinstance(x, defaultdict) else ()
        copied: dict[Any, Any] = self.remember(x, type(x)(*factory))
        for key, value in zip(self._items(list(x)), self._items(list(x.values()))):
            copied[key] = value
        return copied

    def _set(self, x: Any) -> Any:
        by_identity = (is_hashed_by_identity(item) and not _is_atom(item) for item in x)
        self.reordered |= len(x) > 1 and any(by_identity)
        return type(x)(self._items(list(x)))

    def _deque(self, x: deque[Any]) -> deque[Any]:
        copied: deque[Any] = self.remember(x, deque(maxlen=x.maxlen))
        copied.extend(self._items(list(x)))
        return copied

    def _object(self, x: Any) -> Any:
        instance = self.remember(x, SimpleNamespace() if type(x) is SimpleNamespace else object.__new__(type(x)))
        for name in fields_of(x):
            set_stored(instance, name, self.copy(get_stored(x, name)))
        return instance

    def _other(self, x: Any) -> Any:
        if isinstance(x, io.IOBase) and type(x) not in _TEXTS:
            raise CannotCopy(f"a `{type(x).__name__}` cannot be copied: it may be a file")
        try:
            copied = copy.deepcopy(x, self.copies)
        except RecursionError:
            raise
        except Exception as error:  # what copies it may be the user's
            raise CannotCopy(f"a `{type(x).__name__}` cannot be copied: {error}") from None
        if type(copied) is not type(x):  # of a subclass of NumPy's generators
            raise CannotCopy(f"a copy of a `{type(x).__name__}` is a `{type(copied).__name__}`")
        return copied

    # -- arrays -----------------------------------------------------------------------

    def _array(self, x: np.ndarray[Any, Any]) -> Any:
        owner = x
        while isinstance(owner.base, np.ndarray):
            owner = owner.base
        if x.dtype.hasobject:
            return self._other(x)
        memory, start = self._memory(owner)
        if id(x) not in self.copies:
            self.remember(x, np.ndarray(x.shape, x.dtype, memory.data, _address(x) - start, x.strides))
            self.copies[id(x)].flags.writeable = x.flags.writeable
        return self.copies[id(x)]

    def _memory(self, owner: np.ndarray[Any, Any]) -> tuple[np.ndarray[Any, Any], int]:
        """The bytes of the copy of an array that owns its memory, and the address of the first one in the original."""
        if id(owner) in self.memories:
            return self.memories[id(owner)]
        self.bytes += owner.nbytes
        if self.bytes > LARGEST:
            raise CannotCopy(f"what it reads takes more than {LARGEST >> 20} MB")
        copied = owner.copy(order="K")
        memory = copied.ravel(order="K")
        if owner.base is None and copied.strides == owner.strides and np.may_share_memory(memory, copied):
            self.remember(owner, copied)
            copied.flags.writeable = owner.flags.writeable
            memory, start = memory.view(np.uint8), _address(owner)
        else:
            start, end = np.lib.array_utils.byte_bounds(owner)
            memory = np.empty(end - start, np.uint8)
            like = np.ndarray(owner.shape, owner.dtype, memory.data, _address(owner) - start, owner.strides)
            like[...] = owner
        self.alive.append(owner)
        return self.memories.setdefault(id(owner), (memory, start))

    # -- functions --------------------------------------------------------------------

    def code_of(self, f: types.FunctionType) -> types.CodeType:
        """The code of the copy of a function."""
        return f.__code__

    def _function(self, f: types.FunctionType) -> Any:
        namespace = self._globals(f.__globals__)
        code = self.code_of(f)
        cells = tuple(map(self._cell, f.__closure__ or ()))
        function = self.remember(f, types.FunctionType(code, namespace, f.__name__, None, cells or None))
        for name in names_in(f.__code__)[0]:
            if name in f.__globals__ and name not in namespace:
                namespace[name] = self.copy(f.__globals__[name])
        function.__defaults__, function.__kwdefaults__ = self.copy(f.__defaults__), self.copy(f.__kwdefaults__)
        function.__qualname__, function.__module__, function.__doc__ = f.__qualname__, f.__module__, f.__doc__
        function.__annotations__ = f.__annotations__
        for name, value in f.__dict__.items():
            function.__dict__[name] = self.copy(value)
        note_copy(f, function)
        return function

    def _globals(self, namespace: dict[str, Any]) -> dict[str, Any]:
        if id(namespace) not in self.copies:
            self.remember(namespace, {k: v for k, v in namespace.items() if k[:2] == "__" == k[-2:]})
        namespace_copy: dict[str, Any] = self.copies[id(namespace)]
        return namespace_copy

    def _cell(self, cell: Any) -> Any:
        if id(cell) not in self.copies:
            new_cell = self.remember(cell, types.CellType())
            if cell not in self.shared:
                contents = cell_contents(cell)
                if contents:
                    new_cell.cell_contents = self.copy(contents[0])
            else:
                self.copies[id(cell)] = cell
        return self.copies[id(cell)]

    def _method(self, x: types.MethodType) -> Any:
        owner = self.copy(x.__self__)
        return types.MethodType(x.__func__ if is_found_in_class(x) else self.copy(x.__func__), owner)

    def _builtin(self, x: Any) -> Any:
        owner = self.copy(x.__self__)
        return x if owner is x.__self__ else getattr(owner, x.__name__)

    def _partial(self, x: functools.partial[Any]) -> Any:
        new_partial = functools.partial(self.copy(x.func), *self._items(x.args),
                                        **{k: self.copy(v) for k, v in x.keywords.items()})
        vars(new_partial).update({name: self.copy(value) for name, value in vars(x).items()})
        return new_partial

    def _cached(self, x: Any) -> Any:
        return functools.lru_cache(**x.cache_parameters())(self.copy(x.__wrapped__))


_COPY_METHODS: dict[Any, Callable[[Copier, Any], Any]] = {
    list: Copier._list, tuple: Copier._tuple, dict: Copier._dict, defaultdict: Copier._dict, OrderedDict: Copier._dict,
    Counter: Copier._dict, set: Copier._set, frozenset: Copier._set, deque: Copier._deque, np.ndarray: Copier._array,
    types.FunctionType: Copier._function, types.MethodType: Copier._method, types.BuiltinMethodType: Copier._builtin,
    types.MethodWrapperType: Copier._builtin,
    types.CellType: Copier._cell, functools.partial: Copier._partial, CACHED: Copier._cached}


def _address(x: np.ndarray[Any, Any]) -> int:
    return int(x.__array_interface__["data"][0])


# -- shared state ---------------------------------------------------------------------

NEW_CACHES: weakref.WeakSet[Any] = weakref.WeakSet()
"""Functions that stand in the place of the user's during a run: their caches are their own."""


class SharedState:
    """The objects and variables that methods and functions of modules read: not copied, but restored after a run.

    Everything that `roots` reach is visited once.  Code of classes and of functions of modules runs uncopied and sees
    the original objects; code of other functions is copied and sees copies.

    states     by id, an object or a class that uncopied code may change and its contents at the start
    variables  the globals of uncopied functions: (namespace, name, value)
    attributes their own attributes
    new_caches by id of a function with a cache that a global of an uncopied function names: one with a cache of its own

    caches_are_copied  functions with a cache are called as copies: what their caches hold does not change
    """

    def __init__(self, *roots: Any, caches_are_copied: bool = False) -> None:
        self.seen: dict[tuple[int, bool], Any] = {}
        self.states: dict[int, tuple[Any, Any]] = {}
        self.variables: list[tuple[dict[str, Any], str, Any]] = []
        self.attributes: list[tuple[types.FunctionType, dict[str, Any]]] = []
        self.new_caches: dict[int, Any] = {}
        self.bytes = 0
        todo = [(x, False) for x in roots]
        while todo:
            x, uncopied = todo.pop()
            if type(x) in PLAIN or (id(x), uncopied) in self.seen:
                continue
            self.seen[id(x), uncopied] = x
            if len(self.seen) > MOST_FOLLOWED:
                raise CannotCopy("it reaches too many objects")
            is_class = isinstance(x, type) and is_defined_by_user(x)
            stays = _is_atom(x) or isinstance(x, CACHED) and (caches_are_copied or id(x) in self.new_caches)
            if (is_class or uncopied and not stays) and (state := _current_state(x)) is not None:
                self.bytes += state.nbytes if isinstance(state, np.ndarray) else 0
                self.states[id(x)] = x, state
            if uncopied and isinstance(x, types.FunctionType) and not is_library_function(x):
                variables = [(x.__globals__, name, x.__globals__.get(name)) for name in names_in(x.__code__)[0]
                             if name in x.__globals__]
                self.variables += variables
                self.new_caches.update((id(f), None) for _, _, f in variables if isinstance(f, CACHED))
                self.attributes.append((x, dict(x.__dict__)))
            todo += references(x, uncopied)
        if self.bytes > LARGEST:
            raise CannotCopy(f"what it reads takes more than {LARGEST >> 20} MB")

    def __contains__(self, x: object) -> bool:
        return id(x) in self.states

    def reachable_from(self, *roots: Any) -> frozenset[int]:
        """The ids of the shared objects that the roots hold, at any depth."""
        reached: dict[int, Any] = {}
        todo = list(roots) if self.states else []
        while todo:
            x = todo.pop()
            if type(x) not in PLAIN and id(x) not in reached:
                reached[id(x)] = x
                todo += [y for y, uncopied in references(x, False) if not uncopied]
        return frozenset(reached.keys() & self.states.keys())

    def replace_caches(self) -> None:
        """Has uncopied functions fill new caches until `restore`, and not those of the user."""
        self.new_caches = {id(f): functools.lru_cache(**f.cache_parameters())(f.__wrapped__)
                           for _, _, f in self.variables if isinstance(f, CACHED)}
        for namespace, name, value in self.variables:
            if isinstance(value, CACHED):
                namespace[name] = self.new_caches[id(value)]
                NEW_CACHES.add(namespace[name])

    def restore(self) -> frozenset[int | tuple[int, str]]:
        """Restore everything.  Returns what had changed: ids of objects, and (id of namespace, name) of variables."""
        changed: set[int | tuple[int, str]] = set()
        for x, state in self.states.values():
            now = None if isinstance(x, CACHED) and not _is_empty(x) else _current_state(x)
            if not _same_state(now, state):
                changed.add(id(x))
                _restore(x, state)
        for namespace, name, value in self.variables:
            now = namespace.get(name)
            if now is not value:
                namespace[name] = value
                if now is None or now is not self.new_caches.get(id(value)):
                    changed.add((id(namespace), name))
        for function, own in self.attributes:
            if not _same_state(function.__dict__, own):
                changed.add(id(function))
                _restore(function, own)
        return frozenset(changed)


def _current_state(x: Any) -> Any:
    """The contents of an object or a class; None if it cannot change.

    Raises CannotCopy if they could not be restored.
    """
    t = type(x)
    if isinstance(x, type):
        return _attributes_of_class(x)
    if t in (list, dict, set, deque, OrderedDict, Counter, defaultdict):
        return t.copy(x)
    if t is np.ndarray:
        return x.copy(order="K")
    if t is types.CellType:
        return cell_contents(x)
    if t in _TEXTS:
        return x.__getstate__()
    if isinstance(x, random.Random):
        return x.getstate()
    if isinstance(x, np.random.Generator):
        return copy.deepcopy(x.bit_generator.state)
    if isinstance(x, np.random.RandomState):
        return copy.deepcopy(x.get_state(legacy=False))
    if is_user_class(t):
        return {name: get_stored(x, name) for name in fields_of(x)}
    if isinstance(x, CACHED) and _is_empty(x):
        return ()
    if isinstance(x, (io.IOBase, threading.local, contextvars.ContextVar, CACHED)) or \
            hasattr(t, "__next__") or hasattr(t, "__setitem__"):
        raise CannotCopy(f"a `{t.__name__}` that a class or a module holds cannot be restored")
    return None if isinstance(x, types.FunctionType) or not hasattr(x, "__dict__") else dict(dict_of(x))


def _attributes_of_class(cls: type) -> dict[str, Any]:
    """The attributes of a class, without those in which Python itself keeps what it has computed."""
    return {name: value for name, value in vars(cls).items() if name not in _KEPT_BY_PYTHON}


_KEPT_BY_PYTHON = ("__slotnames__", "__annotations__", "__annotations_cache__")
"""By `copy` and `pickle`, and where the annotations of a class that has none are read."""


def _same_state(a: Any, b: Any) -> bool:
    if isinstance(a, np.ndarray):
        return bool(a.shape == b.shape and a.tobytes() == b.tobytes())
    if isinstance(a, dict):
        return list(a) == list(b) and all(x is y or _same_part(x, y) for x, y in zip(a.values(), b.values()))
    if isinstance(a, (list, tuple, deque)):
        return len(a) == len(b) and all(x is y or _same_part(x, y) for x, y in zip(a, b))
    return bool(a == b)


def _same_part(x: Any, y: Any) -> bool:
    """Are two parts of a state equal?  They are numbers, or parts of the state of a random generator."""
    if type(x) is not type(y):
        return False
    return _same_state(x, y) if isinstance(x, (dict, tuple, np.ndarray)) else type(x) in PLAIN and bool(x == y)


def _is_empty(cache: Any) -> bool:
    """Has a function with a cache not been called since the cache was made or cleared?"""
    info = cache.cache_info()
    return bool(info == info._replace(hits=0, misses=0, currsize=0))


def _restore(x: Any, state: Any) -> None:
    if isinstance(x, type):
        _restore_class(x, state)
    elif isinstance(x, _TEXTS):
        x.__setstate__(state)
    elif isinstance(x, CACHED):
        x.cache_clear()
    elif isinstance(x, (list, deque)):
        x.clear()
        x.extend(state)
    elif isinstance(x, (dict, set)):
        x.clear()
        x.update(state)
    elif isinstance(x, np.ndarray):
        x[...] = state
    elif isinstance(x, types.CellType):
        if state:
            x.cell_contents = state[0]
        elif cell_contents(x):
            del x.cell_contents
    elif isinstance(x, random.Random):
        x.setstate(state)
    elif isinstance(x, np.random.Generator):
        x.bit_generator.state = state
    elif isinstance(x, np.random.RandomState):
        x.set_state(state)
    else:
        for name in fields_of(x):
            slot = slots_of(type(x)).get(name)
            if slot is None:
                del x.__dict__[name]
            else:
                slot.__delete__(x)
        for name, value in state.items():
            set_stored(x, name, value)


def _restore_class(cls: type, state: dict[str, Any]) -> None:
    """Give a class the attributes that it had."""
    for name, value in _attributes_of_class(cls).items():
        if name not in state:
            type.__delattr__(cls, name)
        elif value is not state[name]:
            type.__setattr__(cls, name, state[name])
    for name in state.keys() - vars(cls).keys():
        type.__setattr__(cls, name, state[name])
