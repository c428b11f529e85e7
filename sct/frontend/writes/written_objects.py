"""What functions that run as they are may write: attributes and items of objects, variables, and their arguments.

    def step():
        push(STATE, 1.0)         `heapq.heappush` writes to the items of what `STATE` holds
        fill(STATE)              `fill` writes to its argument
        rows = [0.0] * 3
        rows[0] = 1.0            a new object: nobody else sees the write
"""

from __future__ import annotations

import abc
import builtins
import functools
import types
import typing
from collections import defaultdict, deque
from collections.abc import Collection, Iterator
from typing import Any

import gast
import numpy as np

from sct.errors import SctError
from sct.frontend.arguments.argument_aliasing import cell_contents
from sct.frontend.evaluator.own_methods import is_generated
from sct.frontend.source.bindings import Bindings
from sct.frontend.source.name_scopes import (
    FUNCTIONS,
    body_of,
    declared,
    local_names,
    nodes_in,
    own_nodes,
    parameters,
)
from sct.frontend.source.new_objects import NewObjects
from sct.frontend.source.parse import source_of
from sct.frontend.writes.callees import UNKNOWN, Callees, attribute, is_function_of_library
from sct.frontend.writes.references import PLAIN, is_library_function, is_module_of_library, references
from sct.frontend.writes.written_expressions import (
    ANY_PART,
    changed_object,
    is_followed,
    items_of,
    may_write,
    written_expressions,
    written_part,
)
from sct.ir.pytrees.user_objects import dict_of, is_defined_by_user, is_namedtuple

__all__ = ["METHODS", "Slot", "Writes", "is_users", "owners_of_memory", "writes_by_itself"]

METHODS = (types.MethodType, types.BuiltinMethodType)

Slot = tuple[int, Any]
"""The id of an object, and the name of its attribute; None for its items, and for what is not known."""

_NAMESPACES = frozenset(("globals", "locals", "vars", "modules", "__dict__", "__globals__"))
"""Names by which code reads namespaces."""

_DEEPEST = 3
"""So many items lead from a parameter to what is written in it, at most; what is deeper counts as this deep."""

_CALLED = ("__call__", "__init__", "__new__")
"""The methods that a call of an object may run."""


def is_users(f: Any) -> bool:
    """Is this a function, a method or a class of the user, or an object of such a class?"""
    if isinstance(f, types.FunctionType):
        return not is_library_function(f) or hasattr(f, "__wrapped__")
    if isinstance(f, types.MethodType):
        return isinstance(f.__func__, types.FunctionType) and is_users(f.__func__)
    return is_defined_by_user(f if isinstance(f, type) else type(f)) or hasattr(f, "__wrapped__") or \
        isinstance(f, functools.partial) and (is_users(f.func) or _partial_writes(f)) or isinstance(f, np.vectorize)


def writes_by_itself(f: Any) -> bool:
    """May this function of a library write to its object, or to its arguments?"""
    return may_write(f) or changed_object(f) is not UNKNOWN


def _partial_writes(f: functools.partial[Any]) -> bool:
    """May a partial function of one of a library write to what it holds?"""
    return writes_by_itself(f.func) or "out" in f.keywords or \
        isinstance(f.func, np.ufunc) and len(f.args) > f.func.nin


def owners_of_memory(x: Any) -> Iterator[Any]:
    """The object, and for a view the arrays whose memory it has."""
    yield x
    while isinstance(x, np.ndarray) and x.base is not None:
        x = x.base
        yield x


def _is_changed_by_name(x: Any) -> bool:
    """Does only the assignment of an attribute change this object, or code of the user that is read itself?"""
    cls = type(x)
    return cls in (types.FunctionType, types.ModuleType, type, abc.ABCMeta) or \
        is_defined_by_user(cls) and all(base is object or is_defined_by_user(base) for base in cls.__mro__)


def _holder(x: Any) -> int:
    """The id of what holds the attributes of an object."""
    return id(vars(x) if isinstance(x, types.ModuleType) else x)


def _generated(cls: type) -> Iterator[Any]:
    """The methods that `dataclass` and `namedtuple` have written, which write only into the object that they make."""
    for f in vars(cls).values():
        function = getattr(f, "__wrapped__", getattr(f, "__func__", f))  # `__repr__` is wrapped
        if isinstance(function, types.FunctionType) and (
                is_generated(function, cls) or is_namedtuple(cls) and function.__code__.co_filename == "<string>"):
            yield function


class _Code:
    """The code of a function of the user.

    rebinds  does it read a namespace, in which it may bind other objects to variables?
    calls    the calls in it, each with the objects that may be called, as far as they are known
    loose    functions of the user that it reads otherwise than to call them
    """

    def __init__(self, f: types.FunctionType, writes: Writes) -> None:
        self.f = f
        self.node = source_of(f.__code__).node
        self.writes = writes
        self.cells = dict(zip(f.__code__.co_freevars, f.__closure__ or ()))
        self.bindings = Bindings(self.node)
        self.callees = Callees(self.bindings, self.outside)
        self.variables = NewObjects(self.bindings, self)
        inner = [n for n in nodes_in(self.node) if isinstance(n, gast.ClassDef)]
        self.methods = {n.name for c in inner for n in nodes_in(c) if isinstance(n, gast.FunctionDef)}
        self.rebinds = any(map(self._reads_namespace, nodes_in(self.node)))
        self.calls = [(n, self.callees.candidates(n.func)) for n in nodes_in(self.node) if isinstance(n, gast.Call)]
        self.loose = [x for n in nodes_in(self.node)
                      if isinstance(n, (gast.Name, gast.Attribute)) and not is_followed(n, self.callees)
                      for x in self.callees.candidates(n) if isinstance(x, (types.FunctionType, types.MethodType))]

    def _reads_namespace(self, node: Any) -> bool:
        """Does the node read a namespace, or import something of the user's?"""
        if isinstance(node, gast.alias):
            return not is_function_of_library(x := self.callees.find(node)) and not is_module_of_library(x)
        return getattr(node, "id", getattr(node, "attr", "")) in _NAMESPACES

    def outside(self, name: str) -> Any:
        """The object that a variable from outside is."""
        if name in self.cells:
            return next(iter(cell_contents(self.cells[name])), UNKNOWN)
        return self.f.__globals__.get(name, getattr(builtins, name, UNKNOWN))

    def find(self, node: Any) -> Any:
        """The object that an expression is."""
        return self.callees.find(node)

    def has_own(self, name: str) -> bool:
        """May the method of this name, of a class of the user, return an object that is not new?"""
        return name in self.methods or self.writes.has_own(name)


class Writes:
    """The free variables and objects that a function, and those that it may call, may write.

    slots       attributes of objects, and the items of objects
    whole       ids of objects of which any part may be written
    arguments   may the arguments be written?
    parameters  by the id of a function, the parameters that it writes into, and how deep
    methods     by name, the methods of the user's classes
    owner       the object of a library of which this is a method: its attributes may be written
    by_items    may the items of an object be attributes or variables, as those of a namespace are?
    """

    def __init__(self, callee: Any) -> None:
        self.slots: set[Slot] = set()
        self.whole: set[int] = set()
        self.arguments = may_write(callee)
        self.owner: Any = None
        self.by_items = False
        self.reached: dict[int, Any] = {}
        self.owners: dict[int, type] = {}
        self.parameters: dict[int, dict[str, int]] = defaultdict(dict)
        self.methods: dict[str, list[types.FunctionType]] = defaultdict(list)
        self.returning_new: dict[int, bool] = {}
        if changed_object(callee) is not UNKNOWN:
            self._write([callee.__self__])
        if is_users(callee):
            self._reach([callee])
            self._read()
        elif isinstance(callee, METHODS):
            self.owner = callee.__self__

    def may_write(self, slot: Slot) -> bool:
        of, name = slot
        return slot in self.slots or of in self.whole or of == id(self.owner) and name not in (None, "__class__") and \
            not isinstance(getattr(self.owner, name, None), METHODS)

    def _read(self) -> None:
        """Reads the code of all functions that are reached."""
        codes = []
        generated = {id(f) for cls in self.reached.values() if isinstance(cls, type) for f in _generated(cls)}
        for f in [x for x in self.reached.values() if isinstance(x, types.FunctionType) and not is_library_function(x)
                  and id(x) not in generated]:
            try:
                codes.append(_Code(f, self))
            except SctError:
                self._all(f)
        self.by_items = any(code.rebinds for code in codes)
        for code in codes:
            self._function(code)
        before = None
        while before != (before := {k: dict(names) for k, names in self.parameters.items()}):
            for code in codes:
                for call, callees in code.calls:
                    self._call(code, call, callees)
        loose = [x for code in codes for x in code.loose] + list(self._held())
        if any(may_write(x) or self._writes_parameters(x) for x in loose) or any(map(self._is_operator, codes)):
            self.arguments = True
            self._write(self.reached.values())

    def _reach(self, todo: list[Any]) -> dict[int, Any]:
        """Everything that the objects refer to, at any depth."""
        reached: dict[int, Any] = {}
        while todo:
            x = todo.pop()
            if type(x) in PLAIN or id(x) in reached:
                continue
            reached[id(x)] = x
            if isinstance(x, type) and is_defined_by_user(x) and id(x) not in self.reached:
                for base in x.__mro__:
                    self._note_methods(base)
            changed = changed_object(x)
            self._write([] if changed is UNKNOWN else [changed])
            todo += [y for y, _ in references(x, True)]
            if not isinstance(x, (type, types.FunctionType)) and is_defined_by_user(type(x)):
                todo += [type(x), *dict_of(x).values()]
        self.reached.update(reached)
        return reached

    def _note_methods(self, cls: type) -> None:
        for name, v in vars(cls).items():
            f = getattr(v, "__func__", getattr(v, "fget", v))
            if not isinstance(v, staticmethod):
                self.owners.setdefault(id(f), cls)
            if isinstance(f, types.FunctionType) and is_defined_by_user(cls) and not is_generated(f, cls):
                self.methods[name].append(f)

    def _held(self) -> Iterator[Any]:
        """Functions that containers and objects hold: where they are called is not known."""
        for x in list(self.reached.values()):
            if isinstance(x, dict):
                yield from (v for k, v in x.items() if k != "__wrapped__")
            elif isinstance(x, (list, tuple, set, frozenset, deque)):
                yield from x
            elif isinstance(x, functools.partial):
                yield from (x.func, *x.args, *x.keywords.values())
                if _partial_writes(x):
                    self._write(self._reach([x]).values())
            elif not isinstance(x, (type, types.FunctionType)) and is_defined_by_user(type(x)):
                yield from dict_of(x).values()

    # -- the code of a function ------------------------------------------------------------------------------------

    def _function(self, code: _Code) -> None:
        f, node = code.f, code.node
        for name in {name for n in nodes_in(node) if isinstance(n, gast.Global) for name in n.names}:
            self.slots.add((id(f.__globals__), name))
        nonlocals = {name for n in nodes_in(node) if isinstance(n, FUNCTIONS)
                     for name in declared(n)[1]}
        for name, cell in code.cells.items():
            if name in nonlocals:
                self.slots.add((id(cell), None))
        for target in written_expressions(node, code.callees):
            if target is None:
                self._all(f)
            else:
                self._target(code, target)

    def _all(self, f: types.FunctionType) -> None:
        """It may write all that it reaches, its arguments among it, and bind other objects to variables."""
        self._write(self._reach(self._roots(f)).values())
        self.slots |= {(id(f.__globals__), name) for name in f.__globals__}
        self.slots |= {(id(cell), None) for cell in f.__closure__ or ()}
        self._any_argument(f)

    def _any_argument(self, f: types.FunctionType) -> None:
        self.arguments = True
        code = f.__code__
        count = code.co_argcount + code.co_kwonlyargcount + bool(code.co_flags & 4) + bool(code.co_flags & 8)
        self.parameters[id(f)].update(dict.fromkeys(code.co_varnames[:count], _DEEPEST))

    def _unknown(self, code: _Code, part: str | None) -> None:
        """It may write to this part of an object that is not known."""
        if code.rebinds:
            return self._all(code.f)
        self._write_part(self._reach(self._roots(code.f)).values(), part)
        self._any_argument(code.f)

    def _roots(self, f: types.FunctionType) -> list[Any]:
        """What a function finds objects from without being given them: its variables, and those of its class."""
        cls = self.owners.get(id(f))
        return [f] if cls is None else [f, cls, *(self._instances(f, cls) or ())]

    def _write(self, objects: Collection[Any]) -> None:
        """Any part of these objects may be written."""
        self.whole |= {id(y) for x in objects for y in owners_of_memory(x)}
        self.whole |= {id(vars(x)) for x in objects if isinstance(x, types.ModuleType)}

    def _write_part(self, objects: Collection[Any], part: str | None) -> None:
        """This part of one of these objects may be written; None stands for what a method of a library changes,
        too."""
        namespaces = {id(x) for x in objects if isinstance(x, dict)}
        whole = []
        for x in objects:
            if self.by_items or part == ANY_PART or not _is_changed_by_name(x) or \
                    id(dict_of(x)) in namespaces and not isinstance(x, types.FunctionType):
                whole.append(x)
            elif part is not None:
                self.slots.add((_holder(x), part))
        self._write(whole)

    def _target(self, code: _Code, target: Any) -> None:
        """Notes what a write into an attribute or the items of an expression, or by one of its methods, changes."""
        attributes = []
        owner = target.value if isinstance(target, (gast.Attribute, gast.Subscript)) else target
        name = target.attr if isinstance(target, gast.Attribute) else None
        while isinstance(owner, (gast.Attribute, gast.Subscript)):
            attributes.append(owner.attr if isinstance(owner, gast.Attribute) else None)
            owner = owner.value
        if not isinstance(owner, gast.Name):
            if not code.variables.makes(owner, len(attributes)):
                self._unknown(code, written_part(target))
            return
        owners = self._variable(code, owner.id, len(attributes), written_part(target))
        if owners is None:
            return
        for part in reversed(attributes):
            objects = [y for x in owners for y in attribute(x, part)]
            if part is None or not objects:
                self._write_part(self._reach(list(owners)).values(), written_part(target))
                return
            owners = objects
        self.slots |= {(_holder(x), name) for x in owners}
        if name is None:
            self._write(owners)

    def _variable(self, code: _Code, name: str, depth: int, part: str | None) -> list[Any] | None:
        """The objects that a variable may be; None if writes to them are of no concern, or have been noted.

        depth  so many items and attributes lead from the variable to what is written
        part   what is written, as `written_part` says it
        """
        f, node, bound = code.f, code.node, code.bindings.bound
        cls = self.owners.get(id(f))
        if cls is not None and parameters(node)[:1] == (name,):
            return self._instances(f, cls)
        if name in parameters(node):
            self.arguments = True
            self._write(self._reach([f.__defaults__, f.__kwdefaults__]).values())
            written = self.parameters[id(f)]
            written[name] = min(max(written.get(name, 0), depth), _DEEPEST)
        if name in bound and not code.variables.holds(name, 0 if name in parameters(node) else depth):
            self._unknown(code, part)
        declared_outside = {name for n in nodes_in(node) if isinstance(n, FUNCTIONS) for name in declared(n)[0]}
        if name in local_names(node) and name not in declared_outside:
            return None
        if name in code.cells:
            return list(cell_contents(code.cells[name]))
        return [f.__globals__[name]] if name in f.__globals__ else None

    def _instances(self, f: types.FunctionType, cls: type) -> list[Any] | None:
        """The possible first parameters of a method: the class and its subclasses, and objects of them."""
        if f.__name__ == "__init__":
            return None
        return [x for x in list(self.reached.values()) if isinstance(x, cls) or
                isinstance(x, type) and (issubclass(x, cls) or is_defined_by_user(x) and not typing.is_typeddict(x)
                                         and issubclass(cls, x))]

    # -- calls of functions that write into their parameters -------------------------------------------------------

    def _call(self, code: _Code, call: Any, callees: list[Any]) -> None:
        """Notes what the call of a function of the user writes, which writes into its parameters."""
        for x in callees:
            x = getattr(x, "__wrapped__", x) if not isinstance(x, types.FunctionType) else x
            if isinstance(x, types.FunctionType):
                self._passed(code, call, x)
        if not callees or not isinstance(callees[0], types.FunctionType):
            names = (call.func.attr,) if isinstance(call.func, gast.Attribute) and not callees else _CALLED
            for f in (f for name in names for f in self.methods.get(name, ())):
                self._passed(code, call, f)

    def _passed(self, code: _Code, call: Any, f: types.FunctionType) -> None:
        """Notes the writes into the arguments that become parameters which the function writes into."""
        written = self.parameters.get(id(f))
        if not written:
            return
        names = () if id(f) in self.owners else f.__code__.co_varnames[:f.__code__.co_argcount]
        deepest = max(written.values())
        starred = any(isinstance(x, gast.Starred) for x in call.args)
        for k, x in enumerate(call.args):
            depth = written.get(names[k]) if k < len(names) and not starred else deepest
            if depth is not None:
                self._target(code, items_of(x.value, depth + 2) if isinstance(x, gast.Starred) else
                             items_of(x, depth + 1))
        keywords = {*f.__code__.co_varnames[:f.__code__.co_argcount + f.__code__.co_kwonlyargcount]}
        for keyword in call.keywords:
            depth = written.get(keyword.arg) if keyword.arg in keywords else deepest
            if depth is not None:
                self._target(code, items_of(keyword.value, depth + (1 if keyword.arg is not None else 2)))

    def _writes_parameters(self, f: Any) -> bool:
        return id(getattr(f, "__func__", f)) in self.parameters and bool(self.parameters[id(getattr(f, "__func__", f))])

    def _is_operator(self, code: _Code) -> bool:
        """Is this a special method, which expressions other than calls run, that writes into what it is given?"""
        name = code.f.__name__
        return id(code.f) in self.owners and name.startswith("__") and name.endswith("__") and \
            name not in _CALLED and self._writes_parameters(code.f)

    # -- what methods of the user return ---------------------------------------------------------------------------

    def has_own(self, name: str) -> bool:
        """May the method of this name, of a class of the user, return an object that is not new?"""
        return not all(map(self._returns_new, self.methods.get(name, ())))

    def _returns_new(self, f: types.FunctionType) -> bool:
        if id(f) not in self.returning_new:
            self.returning_new[id(f)] = True  # as far as a method that calls itself is concerned
            try:
                code = _Code(f, self)
            except SctError:
                self.returning_new[id(f)] = False
                return False
            values = [n.value for n in own_nodes(body_of(code.node)) if isinstance(n, gast.Return)]
            self.returning_new[id(f)] = all(v is None or code.variables.makes(v, 0) for v in values)
        return self.returning_new[id(f)]
