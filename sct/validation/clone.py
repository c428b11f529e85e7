"""A copy of all that a function can reach and change, so that it can run and nothing of the user's is touched.

    world = World(kept);  f, args = world.copy(f), world.copy(args)       f(*args) writes into copies only

One memo serves for all of it: what is one object stays one, arrays that share memory share memory, with the same
strides and flags.  Functions get globals and cells of their own, with copies of what they read.  Modules, classes and
functions of libraries are not copied.  What methods of classes and functions of modules read from outside is not
either, as they would not see the copy: it is put back as it was (`Kept`).
"""

from __future__ import annotations

import copy
import dis
import enum
import functools
import io
import itertools
import logging
import random
import sys
import threading
import types
from collections import Counter, OrderedDict, defaultdict, deque
from collections.abc import Callable, Iterator
from types import SimpleNamespace
from typing import Any

import numpy as np

from sct.frontend.calls.opaque_calls import is_library
from sct.ir.user_objects import dict_of, fields_of, get_stored, is_container, is_namedtuple, is_user_class, set_stored

__all__ = ["LARGEST", "Kept", "NotCopied", "World"]

LARGEST = 256 << 20
"""How many bytes of arrays are copied at most."""

MOST_FOLLOWED = 100_000

PLAIN = frozenset((type(None), bool, int, float, complex, str, bytes))
_ATOMS: tuple[type, ...] = (
    *PLAIN, range, slice, type, types.ModuleType, types.CodeType, types.MappingProxyType, type(...),
    type(NotImplemented), types.WrapperDescriptorType, types.MethodDescriptorType, types.GetSetDescriptorType,
    types.MemberDescriptorType, types.MethodWrapperType, np.generic, np.dtype, np.ufunc, enum.Enum, logging.Logger,
    logging.LoggerAdapter, property, staticmethod, classmethod,
    # A file or a lock that is used takes a call that is not made twice.
    io.IOBase, type(threading.Lock()), type(threading.RLock()))
_CACHED = type(functools.lru_cache(len))
_LIBRARIES = frozenset({*sys.stdlib_module_names, "numpy", "scipy", "numba", "sct"} - {"__main__"})
_GLOBAL_STATES = (random.random.__self__, np.random.random.__self__)  # type: ignore[attr-defined]


class NotCopied(Exception):
    """Something that the function reaches cannot be copied."""


@functools.lru_cache(maxsize=1024)
def names_of(code: types.CodeType) -> tuple[frozenset[str], frozenset[str]]:
    """The globals that code reads or writes, with the code of functions in it, and all names in it."""
    variables, names = set(), set(code.co_names)
    for instruction in dis.get_instructions(code):
        if instruction.opname.endswith(("_GLOBAL", "_NAME", "_GLOBALS")):
            variables.add(instruction.argval)
    for const in code.co_consts:
        if isinstance(const, types.CodeType):
            inner = names_of(const)
            variables |= inner[0]
            names |= inner[1]
    return frozenset(variables), frozenset(names)


def _is_atom(x: Any) -> bool:
    return isinstance(x, _ATOMS) or _is_derivative(x) or any(x is s for s in _GLOBAL_STATES) \
        or isinstance(x, types.FunctionType) and _is_known(x) \
        or isinstance(x, types.BuiltinFunctionType) and isinstance(x.__self__, (types.ModuleType, type, type(None)))


def _is_known(f: types.FunctionType) -> bool:
    """Is this a function of a library, which is taken to keep nothing?"""
    return is_library(f) or str(f.__module__).split(".")[0] in _LIBRARIES


def _is_derivative(x: Any) -> bool:
    return hasattr(type(x), "__sct_transform__")


class World:
    """Copies with one memo.

    kept  objects that are not copied
    """

    def __init__(self, kept: Kept) -> None:
        self.kept = kept
        self.memo: dict[int, Any] = {}
        self.alive: list[Any] = []
        self.memories: dict[int, tuple[np.ndarray[Any, Any], int]] = {}
        self.bytes = 0

    def copy(self, x: Any) -> Any:
        t = type(x)
        if t in PLAIN:
            return x
        if id(x) in self.memo:
            return self.memo[id(x)]
        if _is_atom(x) or x in self.kept:
            return x
        maker = next((m for base, m in _MAKERS.items() if t is base), None)
        if maker is None:
            maker = World._object if is_user_class(t) or t is SimpleNamespace else \
                World._tuple if is_namedtuple(t) else World._other
        made = maker(self, x)
        self.enter(x, made)
        return made

    def enter(self, x: Any, made: Any) -> Any:
        """`made` is the copy of `x` from here on."""
        self.memo[id(x)] = made
        self.alive.append(x)
        return made

    # -- containers -------------------------------------------------------------------

    def _items(self, xs: Any) -> Any:
        return xs if PLAIN.issuperset(map(type, xs)) else [self.copy(x) for x in xs]

    def _list(self, x: list[Any]) -> list[Any]:
        made: list[Any] = self.enter(x, [])
        made.extend(self._items(x))
        return made

    def _tuple(self, x: tuple[Any, ...]) -> tuple[Any, ...]:
        items = self._items(x)
        return x if all(a is b for a, b in zip(items, x)) else tuple.__new__(type(x), items)

    def _dict(self, x: dict[Any, Any]) -> dict[Any, Any]:
        factory = (self.copy(x.default_factory),) if isinstance(x, defaultdict) else ()
        made: dict[Any, Any] = self.enter(x, type(x)(*factory))
        for key, value in zip(self._items(list(x)), self._items(list(x.values()))):
            made[key] = value
        return made

    def _set(self, x: Any) -> Any:
        return type(x)(self._items(list(x)))

    def _deque(self, x: deque[Any]) -> deque[Any]:
        made: deque[Any] = self.enter(x, deque(maxlen=x.maxlen))
        made.extend(self._items(list(x)))
        return made

    def _object(self, x: Any) -> Any:
        made = self.enter(x, type(x).__new__(type(x)) if type(x) is SimpleNamespace else object.__new__(type(x)))
        for name in fields_of(x):
            set_stored(made, name, self.copy(get_stored(x, name)))
        return made

    def _other(self, x: Any) -> Any:
        try:
            return copy.deepcopy(x, self.memo)
        except (TypeError, ValueError, AttributeError, copy.Error) as error:
            raise NotCopied(f"a `{type(x).__name__}` cannot be copied: {error}") from None

    # -- arrays -----------------------------------------------------------------------

    def _array(self, x: np.ndarray[Any, Any]) -> Any:
        owner = x
        while isinstance(owner.base, np.ndarray):
            owner = owner.base
        if x.dtype.hasobject:
            return self._other(x)
        memory, start = self._memory(owner)
        if id(x) not in self.memo:
            self.enter(x, np.ndarray(x.shape, x.dtype, memory.data, _address(x) - start, x.strides))
            self.memo[id(x)].flags.writeable = x.flags.writeable
        return self.memo[id(x)]

    def _memory(self, owner: np.ndarray[Any, Any]) -> tuple[np.ndarray[Any, Any], int]:
        """The bytes of a copy of the array that others are views into, and where they begin in the original."""
        if id(owner) in self.memories:
            return self.memories[id(owner)]
        self.bytes += owner.nbytes
        if self.bytes > LARGEST:
            raise NotCopied(f"what it reads takes more than {LARGEST >> 20} MB")
        made = owner.copy(order="K")
        memory = made.ravel(order="K")
        if owner.base is None and made.strides == owner.strides and np.may_share_memory(memory, made):
            self.enter(owner, made)
            made.flags.writeable = owner.flags.writeable
            memory, start = memory.view(np.uint8), _address(owner)
        else:
            start, end = np.lib.array_utils.byte_bounds(owner)
            memory = np.empty(end - start, np.uint8)
            like = np.ndarray(owner.shape, owner.dtype, memory.data, _address(owner) - start, owner.strides)
            like[...] = owner
        self.alive.append(owner)
        return self.memories.setdefault(id(owner), (memory, start))

    # -- functions --------------------------------------------------------------------

    def _function(self, f: types.FunctionType) -> Any:
        code = f.__code__
        space = self._globals(f.__globals__)
        cells = tuple(map(self._cell, f.__closure__ or ()))
        made = self.enter(f, types.FunctionType(code, space, f.__name__, None, cells or None))
        for name in names_of(code)[0]:
            if name in f.__globals__ and name not in space:
                space[name] = self.copy(f.__globals__[name])
        made.__defaults__, made.__kwdefaults__ = self.copy(f.__defaults__), self.copy(f.__kwdefaults__)
        made.__qualname__, made.__module__, made.__doc__ = f.__qualname__, f.__module__, f.__doc__
        made.__annotations__ = f.__annotations__
        for name, value in f.__dict__.items():
            made.__dict__[name] = self.copy(value)
        return made

    def _globals(self, space: dict[str, Any]) -> dict[str, Any]:
        if id(space) not in self.memo:
            self.enter(space, {k: v for k, v in space.items() if k[:2] == "__" == k[-2:]})
        made: dict[str, Any] = self.memo[id(space)]
        return made

    def _cell(self, cell: Any) -> Any:
        if id(cell) not in self.memo:
            made = self.enter(cell, types.CellType())
            if cell not in self.kept:
                with_contents = _contents(cell)
                if with_contents:
                    made.cell_contents = self.copy(with_contents[0])
            else:
                self.memo[id(cell)] = cell
        return self.memo[id(cell)]

    def _method(self, x: types.MethodType) -> Any:
        owner = self.copy(x.__self__)
        function = x.__func__
        return types.MethodType(function if _is_of_class(x) else self.copy(function), owner)

    def _builtin(self, x: Any) -> Any:
        owner = self.copy(x.__self__)
        return x if owner is x.__self__ else getattr(owner, x.__name__)

    def _partial(self, x: functools.partial[Any]) -> Any:
        made = functools.partial(self.copy(x.func), *self._items(x.args),
                                 **{k: self.copy(v) for k, v in x.keywords.items()})
        vars(made).update({name: self.copy(value) for name, value in vars(x).items()})
        return made

    def _cached(self, x: Any) -> Any:
        return functools.lru_cache(**x.cache_parameters())(self.copy(x.__wrapped__))


_MAKERS: dict[Any, Callable[[World, Any], Any]] = {
    list: World._list, tuple: World._tuple, dict: World._dict, defaultdict: World._dict, OrderedDict: World._dict,
    Counter: World._dict, set: World._set, frozenset: World._set, deque: World._deque, np.ndarray: World._array,
    types.FunctionType: World._function, types.MethodType: World._method, types.BuiltinMethodType: World._builtin,
    types.CellType: World._cell, functools.partial: World._partial, _CACHED: World._cached}


def _address(x: np.ndarray[Any, Any]) -> int:
    return int(x.__array_interface__["data"][0])


def _contents(cell: Any) -> tuple[Any, ...]:
    try:
        return (cell.cell_contents,)
    except ValueError:
        return ()


def _is_of_class(x: types.MethodType) -> bool:
    """Is this a method that the class of its object has?"""
    cls = x.__self__ if isinstance(x.__self__, type) else type(x.__self__)
    return any(x.__func__ is getattr(v, "__func__", v) for base in cls.__mro__ for v in vars(base).values())


# -- what is not copied ---------------------------------------------------------------


class Kept:
    """What methods and functions of modules read from outside: not copied, and put back by `restore`.

    Everything that `roots` reach is looked at once; the code of classes and of functions of modules is followed as it
    is, that of other functions as their copies will be.
    """

    def __init__(self, *roots: Any) -> None:
        self.seen: dict[tuple[int, bool], Any] = {}
        self.states: dict[int, tuple[Any, Any]] = {}
        self.names: list[tuple[dict[str, Any], str, Any]] = []
        self.bytes = 0
        todo = [(x, False) for x in roots]
        while todo:
            x, real = todo.pop()
            if type(x) in PLAIN or (id(x), real) in self.seen:
                continue
            self.seen[id(x), real] = x
            if len(self.seen) > MOST_FOLLOWED:
                raise NotCopied("it reaches too many objects")
            if real and not _is_atom(x) and (state := _state(x)) is not None:
                self.bytes += state.nbytes if isinstance(state, np.ndarray) else 0
                self.states[id(x)] = x, state
            if real and isinstance(x, types.FunctionType) and not _is_known(x):
                self.names += [(x.__globals__, name, x.__globals__.get(name)) for name in names_of(x.__code__)[0]
                               if name in x.__globals__]
            todo += _reached(x, real)
        if self.bytes > LARGEST:
            raise NotCopied(f"what it reads takes more than {LARGEST >> 20} MB")

    def __contains__(self, x: object) -> bool:
        return id(x) in self.states

    def among(self, *roots: Any) -> frozenset[int]:
        """Which of these objects the roots lead to, by what they hold: their ids."""
        found: dict[int, Any] = {}
        todo = list(roots) if self.states else []
        while todo:
            x = todo.pop()
            if type(x) not in PLAIN and id(x) not in found:
                found[id(x)] = x
                todo += [y for y, real in _reached(x, False) if not real]
        return frozenset(found.keys() & self.states.keys())

    def restore(self) -> frozenset[int | tuple[int, str]]:
        """Put everything back, and say what was changed: ids of objects, and variables of modules."""
        changed: set[int | tuple[int, str]] = set()
        for x, state in self.states.values():
            now = _state(x)
            if not _alike(now, state):
                changed.add(id(x))
                _put_back(x, state)
        for space, name, value in self.names:
            if space.get(name) is not value:
                changed.add((id(space), name))
                space[name] = value
        return frozenset(changed)


def _reached(x: Any, real: bool) -> Iterator[tuple[Any, bool]]:
    """What an object leads to; and is it reached as it is, not as a copy?"""
    if _is_derivative(x):
        yield x.__sct_transform__.fn, True
    elif isinstance(x, dict):
        yield from ((v, real) for v in itertools.chain(x, x.values()) if type(v) not in PLAIN)
    elif isinstance(x, (list, tuple, set, frozenset, deque)):
        yield from ((v, real) for v in x if type(v) not in PLAIN)
    elif isinstance(x, types.FunctionType):
        if _is_known(x):
            return
        variables, names = names_of(x.__code__)
        for name in variables:
            value = x.__globals__.get(name)
            if isinstance(value, types.ModuleType):
                yield from _of_module(value, names)
            else:
                yield value, real
        yield from ((cell, real) for cell in x.__closure__ or ())
        yield from ((v, real) for v in (x.__defaults__, x.__kwdefaults__, x.__dict__))
    elif isinstance(x, types.CellType):
        yield from ((v, real) for v in _contents(x))
    elif isinstance(x, types.MethodType):
        yield x.__self__, real
        yield x.__func__, real or _is_of_class(x)
    elif isinstance(x, types.BuiltinMethodType):
        yield x.__self__, real
    elif isinstance(x, functools.partial):
        yield from ((v, real) for v in (x.func, x.args, x.keywords, x.__dict__))
    elif isinstance(x, (_CACHED, staticmethod, classmethod)):
        yield x.__wrapped__, real
    elif isinstance(x, property):
        yield from ((v, real) for v in (x.fget, x.fset, x.fdel))
    elif isinstance(x, type):
        yield from _of_class(x)
    elif is_container(type(x)) or isinstance(x, BaseException):
        yield type(x), True
        yield from ((v, real) for v in dict_of(x).values())


def _of_class(cls: type) -> Iterator[tuple[Any, bool]]:
    if is_user_class(cls):
        for base in cls.__mro__[:-1]:
            yield from ((v, True) for v in vars(base).values() if type(v) not in PLAIN)


def _of_module(module: types.ModuleType, names: frozenset[str]) -> Iterator[tuple[Any, bool]]:
    if module.__name__.split(".")[0] in _LIBRARIES:
        return
    for name in names & vars(module).keys():
        value = vars(module)[name]
        if isinstance(value, types.ModuleType):
            yield from _of_module(value, names - {name})
        else:
            yield value, True


def _state(x: Any) -> Any:
    """What an object holds now; None if it does not change, or not so that it could be put back."""
    t = type(x)
    if t in (list, dict, set, deque, OrderedDict, Counter, defaultdict):
        return t.copy(x)
    if t is np.ndarray:
        return x.copy(order="K")
    if t is types.CellType:
        return _contents(x)
    if isinstance(x, random.Random):
        return x.getstate()
    if isinstance(x, np.random.Generator):
        return copy.deepcopy(x.bit_generator.state)
    if isinstance(x, np.random.RandomState):
        return copy.deepcopy(x.get_state(legacy=False))
    if is_user_class(t) or t is SimpleNamespace:
        return dict(dict_of(x))
    return None


def _alike(a: Any, b: Any) -> bool:
    if isinstance(a, np.ndarray):
        return bool(a.shape == b.shape and a.tobytes() == b.tobytes())
    if isinstance(a, dict):
        return list(a) == list(b) and all(x is y or _alike_state(x, y) for x, y in zip(a.values(), b.values()))
    if isinstance(a, (list, tuple, deque)):
        return len(a) == len(b) and all(x is y or _alike_state(x, y) for x, y in zip(a, b))
    return bool(a == b)


def _alike_state(x: Any, y: Any) -> bool:
    """Are the parts of a state equal: numbers, and what the state of a random generator is made of?"""
    if type(x) is not type(y):
        return False
    return _alike(x, y) if isinstance(x, (dict, tuple, np.ndarray)) else type(x) in PLAIN and bool(x == y)


def _put_back(x: Any, state: Any) -> None:
    if isinstance(x, (list, deque)):
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
        elif _contents(x):
            del x.cell_contents
    elif isinstance(x, random.Random):
        x.setstate(state)
    elif isinstance(x, np.random.Generator):
        x.bit_generator.state = state
    elif isinstance(x, np.random.RandomState):
        x.set_state(state)
    else:
        vars(x).clear()
        vars(x).update(state)
