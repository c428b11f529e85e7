"""The writes of functions that run as they are: sct reads free variables once, before they are called.

    def step() -> int:
        try: STATE["n"] += 1            writes what `STATE` holds
        finally: pass
        return STATE["n"]

    def f(x): step(); return x * STATE["n"]        refused: `STATE["n"]` is read before the call

What is stored into, and which methods that change their object are called, is read from the source.  A function without
source may write all that it reaches.
"""

from __future__ import annotations

import functools
import re
import types
import typing
from collections.abc import Iterable, Iterator
from typing import Any

import gast

from sct.errors import SctError
from sct.frontend.arguments.argument_aliasing import cell_contents
from sct.frontend.arguments.lift import CONTAINERS, path_in_words, read_path
from sct.frontend.calls.references import PLAIN, is_library_function, references
from sct.frontend.evaluator.evaluator import Evaluator
from sct.frontend.heap.inactive import IMMUTABLE
from sct.frontend.source.changing_calls import written_expressions
from sct.frontend.source.name_scopes import FUNCTIONS, declared, local_names, nodes_in, parameters
from sct.frontend.source.new_objects import NewObjects
from sct.frontend.source.parse import source_of
from sct.frontend.values.abstract_values import Path
from sct.ir import Eqn, Fn, Value, walk
from sct.ir.pytrees.user_objects import dict_of, is_defined_by_user
from sct.ir.types import List, Opaque, Tensor
from sct.ops.program.effects import apply, inactive
from sct.ops.program.solutions import call_in_rule, ruled_call

__all__ = ["check_outside_writes"]

Slot = tuple[int, Any]
"""The id of an object, and the name of its attribute; None for its items, and for what is not known."""


def check_outside_writes(ev: Evaluator, fn: Fn) -> None:
    """Refuses functions that run as they are, and may write what the function reads, or what is passed to them."""
    leaves = [(p, f) for p, f in zip(ev.params, ev.leaves) if isinstance(p.type, Opaque)]
    callees = {p: f for p, f in leaves if _is_users(f) or _is_method_of_library(f)}
    if not callees:
        return
    written = {p: Writes(f) for p, f in callees.items()}
    ops = (apply, inactive, ruled_call, call_in_rule)
    calls = [eqn for f in (*fn.functions, fn) for eqn in walk(f) if eqn.op in ops]
    read = {slot: path for path in _paths_read(ev) for slot in _slots_read(ev, path)}
    for p, writes in written.items():
        slot = next((s for s in read if writes.may_write(s)), None)
        if slot is not None:
            _refuse(ev, p, callees[p], f"`{path_in_words(read[slot])}`, which is read here too",
                    "sct reads it once, before the call", calls)
        if writes.arguments:
            for eqn in calls:
                if _passes(ev, eqn, p):
                    _refuse(ev, p, callees[p], "its arguments", "sct, or the caller, would not see the write", [eqn])


def _refuse(ev: Evaluator, p: Value, f: Any, what: str, why: str, calls: list[Eqn]) -> None:
    at = next((eqn.loc for eqn in calls if p in eqn.args), next((eqn.loc for eqn in calls), None))
    with ev.at(at):
        name = getattr(f, "__name__", type(f).__name__)
        ev.refuse("SCT302", f"`{name}`, which runs as it is, may write to {what}", why=why,
                  hint="return the value, and write it outside the differentiated function")


def _is_users(f: Any) -> bool:
    """Is this a function, a method or a class of the user, or an object of such a class?"""
    if isinstance(f, types.FunctionType):
        return not is_library_function(f)
    if isinstance(f, types.MethodType):
        return isinstance(f.__func__, types.FunctionType) and _is_users(f.__func__)
    return is_defined_by_user(f if isinstance(f, type) else type(f)) or hasattr(f, "__wrapped__") or \
        isinstance(f, functools.partial) and _is_users(f.func)


def _is_method_of_library(f: Any) -> bool:
    """Is this a method of an object of a library, which may change the object?"""
    return isinstance(f, _METHODS) and type(f.__self__) not in IMMUTABLE and \
        not isinstance(f.__self__, (type, types.ModuleType, *CONTAINERS, *PLAIN))


_METHODS = (types.MethodType, types.BuiltinMethodType)


# -- what is read --------------------------------------------------------------------------------------------


def _paths_read(ev: Evaluator) -> Iterable[Path]:
    return [*(leaf.path for leaf in ev.outside.leaves), *(path for path, _ in ev.outside.facts.values())]


def _slots_read(ev: Evaluator, path: Path) -> Iterator[Slot]:
    """The slots that are read on the way to a free variable, and its contents."""
    for n in range(1, len(path) + 1):
        try:
            x = read_path(path[:n], ev.outside.root)
        except (AttributeError, LookupError, ValueError):
            return
        if n == len(path):
            if type(x) in PLAIN or isinstance(x, (types.ModuleType, types.FunctionType, type)):
                return
            yield id(x), None
            return
        how, name = path[n]
        if how == "global":
            yield id(x.__globals__), name
        elif how == "cell":
            yield id(x.__closure__[x.__code__.co_freevars.index(name)]), None
        elif how == "attr" and isinstance(x, types.ModuleType):
            yield id(vars(x)), name
        elif how == "attr":
            yield from ((id(y), name) for y in (x, *(x.__mro__ if isinstance(x, type) else type(x).__mro__)))
        else:
            yield id(x), None


def _passes(ev: Evaluator, eqn: Eqn, p: Value) -> bool:
    """May this call give the function an array, a container or an object of the caller?"""
    text = str(eqn.attrs.get("text", ""))
    method = re.match(r"_0\.\w+\(", text) is not None and isinstance(eqn.args[0], Value) and \
        isinstance(eqn.args[0].type, Opaque) and eqn.args[0] not in ev.params
    if p not in eqn.args and not method:
        return False
    return re.search(r"[\[{]", text) is not None or any(
        isinstance(x, Value) and (isinstance(x.type, List) or isinstance(x.type, Tensor) and x.type.is_array or
                                  x is not p and _is_mutable(ev.leaf_of(x)))
        for x in eqn.args)


def _is_mutable(x: Any) -> bool:
    """Is this an argument that a function may change, and that no type is known of?"""
    return x is not None and not isinstance(x, (str, bytes, int, float)) and not callable(x)


# -- what is written -----------------------------------------------------------------------------------------


class Writes:
    """The free variables and objects that a function, and those that it may call, may write.

    slots      attributes of objects, and the items of objects
    whole      ids of objects of which any part may be written
    arguments  may the arguments be written?
    owner      the object of a library of which this is a method: its attributes may be written
    """

    def __init__(self, callee: Any) -> None:
        self.slots: set[Slot] = set()
        self.whole: set[int] = set()
        self.arguments = False
        self.owner = None if _is_users(callee) else callee.__self__
        self.reached: dict[int, Any] = {}
        self.owners: dict[int, type] = {}
        if self.owner is None:
            self._reach([callee])
        for x in list(self.reached.values()):
            if isinstance(x, types.FunctionType) and not is_library_function(x):
                self._function(x)

    def may_write(self, slot: Slot) -> bool:
        of, name = slot
        return slot in self.slots or of in self.whole or of == id(self.owner) and name is not None and \
            not isinstance(getattr(self.owner, name, None), _METHODS)

    def _reach(self, todo: list[Any]) -> dict[int, Any]:
        """Everything that the objects refer to, at any depth."""
        reached: dict[int, Any] = {}
        while todo:
            x = todo.pop()
            if type(x) in PLAIN or id(x) in reached:
                continue
            reached[id(x)] = x
            if isinstance(x, type) and is_defined_by_user(x):
                for base in x.__mro__:
                    for v in vars(base).values():
                        self.owners.setdefault(id(getattr(v, "__func__", getattr(v, "fget", v))), base)
            todo += [y for y, _ in references(x, True)]
            if not isinstance(x, (type, types.FunctionType)) and is_defined_by_user(type(x)):
                todo += [type(x), *dict_of(x).values()]
        self.reached.update(reached)
        return reached

    def _function(self, f: types.FunctionType) -> None:
        try:
            node = source_of(f.__code__).node
        except SctError:
            self._all(f)
            return
        for name in {name for n in nodes_in(node) if isinstance(n, gast.Global) for name in n.names}:
            self.slots.add((id(f.__globals__), name))
        nonlocals = {name for n in nodes_in(node) if isinstance(n, FUNCTIONS)
                     for name in declared(n)[1]}
        for name, cell in zip(f.__code__.co_freevars, f.__closure__ or ()):
            if name in nonlocals:
                self.slots.add((id(cell), None))
        variables = NewObjects(node)
        for target in written_expressions(node):
            self._target(f, node, variables, target)

    def _all(self, f: types.FunctionType) -> None:
        """It may write all that it reaches, and its arguments."""
        self.arguments = True
        self.whole |= self._reach([f]).keys()
        self.slots |= {(id(f.__globals__), name) for name in f.__globals__}

    def _target(self, f: types.FunctionType, node: Any, variables: NewObjects, target: Any) -> None:
        """Notes what a write into an attribute or the items of an expression, or by one of its methods, changes."""
        attributes = []
        owner = target.value if isinstance(target, (gast.Attribute, gast.Subscript)) else target
        name = target.attr if isinstance(target, gast.Attribute) else None
        while isinstance(owner, (gast.Attribute, gast.Subscript)):
            attributes.append(owner.attr if isinstance(owner, gast.Attribute) else None)
            owner = owner.value
        if not isinstance(owner, gast.Name):
            if not variables.makes(owner, len(attributes)):
                self._all(f)
            return
        owners = self._variable(f, node, variables, owner.id, len(attributes))
        if owners is None:
            return
        for attribute in reversed(attributes):
            objects = [y for x in owners for y in _attribute(x, attribute)]
            if attribute is None or not objects:
                self.whole |= self._reach(list(owners)).keys()
                return
            owners = objects
        self.slots |= {(id(vars(x) if isinstance(x, types.ModuleType) else x), name) for x in owners}
        if name is None:
            self.whole |= {id(x) for x in owners}

    def _variable(self, f: types.FunctionType, node: Any, variables: NewObjects, name: str, depth: int
                  ) -> list[Any] | None:
        """The objects that a variable may be; None if writes to them are of no concern, or have been noted.

        depth  so many items and attributes lead from the variable to what is written
        """
        cls = self.owners.get(id(f))
        if cls is not None and parameters(node)[:1] == (name,):
            return self._instances(f, cls)
        if name in parameters(node):
            self.arguments = True
            self.whole |= self._reach([f.__defaults__, f.__kwdefaults__]).keys()
        if name in variables.bound and not variables.holds(name, 0 if name in parameters(node) else depth):
            self._all(f)
        declared_outside = {name for n in nodes_in(node) if isinstance(n, FUNCTIONS) for name in declared(n)[0]}
        if name in local_names(node) and name not in declared_outside:
            return None
        cells = dict(zip(f.__code__.co_freevars, f.__closure__ or ()))
        if name in cells:
            return list(cell_contents(cells[name]))
        return [f.__globals__[name]] if name in f.__globals__ else None

    def _instances(self, f: types.FunctionType, cls: type) -> list[Any] | None:
        """The possible first parameters of a method: the class and its subclasses, and objects of them."""
        if f.__name__ == "__init__":
            return None
        return [x for x in list(self.reached.values()) if isinstance(x, cls) or
                isinstance(x, type) and (issubclass(x, cls) or is_defined_by_user(x) and not typing.is_typeddict(x)
                                         and issubclass(cls, x))]


def _attribute(x: Any, name: str | None) -> list[Any]:
    """The attribute of an object, if it is found without running code."""
    if name is None:
        return []
    classes = x.__mro__ if isinstance(x, type) else type(x).__mro__
    places: list[Any] = [] if isinstance(x, type) else [vars(x) if isinstance(x, types.ModuleType) else dict_of(x)]
    places += map(vars, classes)
    return next(([place[name]] for place in places if name in place), [])
