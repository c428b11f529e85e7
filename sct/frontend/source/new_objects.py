"""New objects: which variables of a function hold nothing but objects that the function makes itself.

    rows = [[0.0] * 3 for _ in range(4)]      new, and so are its items, to which `rows[i][j] = x` writes
    s, n = STATE, 1                           `s` is what the global holds
    s = [STATE]                               `s` is new, its item is not
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from typing import Any

import gast

from sct.frontend.source.changing_calls import changes_object, writes_arguments, writes_keyword
from sct.frontend.source.name_scopes import FUNCTIONS, children, nodes_in, parameters

__all__ = ["NewObjects"]

_MAKERS = (gast.Constant, gast.List, gast.Tuple, gast.Dict, gast.Set, gast.ListComp, gast.SetComp, gast.DictComp,
           gast.BinOp, gast.Compare, gast.JoinedStr, gast.Lambda)
"""Expressions that make a new object."""

_MAKING = frozenset((
    "list", "dict", "set", "tuple", "sorted", "sum", "abs", "round", "frozenset", "array", "copy", "Decimal",
    "Fraction", "defaultdict", "Counter", "deque", "OrderedDict"))
"""Functions that make a new object, whose items may be those of their arguments."""

_MAKING_NUMBERS = frozenset((
    "str", "int", "float", "bool", "len", "bytes", "complex", "date", "datetime", "timedelta", "range", "zeros",
    "ones", "empty", "full", "arange", "linspace", "zeros_like", "ones_like", "empty_like", "deepcopy", "perf_counter",
    "time"))
"""Functions that make a new object with new items, or one that does not change."""

_MODULES = frozenset(("np", "numpy", "copy", "collections", "datetime", "decimal", "fractions"))
"""Names of modules with such functions; the others are those of objects with such methods."""

_PUTTING_ONE = frozenset(("append", "appendleft", "insert", "setdefault", "add"))
"""Methods that put an argument into their object, and not its items."""

_READING = frozenset(("len", "sum", "float", "int", "str", "bool", "print", "isinstance", "enumerate", "zip", "any",
                      "all", "reversed", "repr"))
"""Functions that put nothing into their arguments."""


def _is_new(node: Any) -> bool:
    """Does the expression make a new object?"""
    if isinstance(node, gast.Call):
        return _name_of(node) in _MAKING or _name_of(node) in _MAKING_NUMBERS
    return isinstance(node, _MAKERS)


def _name_of(call: Any) -> str:
    return str(call.func.attr if isinstance(call.func, gast.Attribute) else getattr(call.func, "id", ""))


class NewObjects:
    """The variables of a function, and of those in it, by what is bound to them and put into them.

    bound    by the name of a variable, the expressions that are bound to it; None where it is not known which
    added    by the name of a variable, what is added to it in place
    stored   what is assigned to the items and attributes of objects, by the target
    reads    by the name of a variable, where it is read
    parents  the node around each node
    """

    def __init__(self, node: Any) -> None:
        self.bound: dict[str, list[Any]] = defaultdict(list)
        self.added: dict[str, list[Any]] = defaultdict(list)
        self.stored: dict[Any, Any] = {}
        self.reads: dict[str, list[Any]] = defaultdict(list)
        self.parameters = parameters(node)
        self.parents = {child: n for n in nodes_in(node) for child in children(n)}
        inside = [n for n in nodes_in(node) if isinstance(n, FUNCTIONS) and n is not node]
        for name in (name for n in inside for name in parameters(n)):
            self.bound[name].append(None)
        assigned: set[Any] = set()
        for n in nodes_in(node):
            if isinstance(n, gast.AugAssign) and isinstance(n.target, gast.Name):
                self.added[n.target.id].append(n.value)
                assigned.add(n.target)
            for target, value in _assignments(n):
                assigned.update(nodes_in(target))
                self._bind(target, value)
        for n in nodes_in(node):
            if isinstance(n, gast.Name) and isinstance(n.ctx, gast.Load):
                self.reads[n.id].append(n)
            elif isinstance(n, gast.Name) and isinstance(n.ctx, gast.Store) and n not in assigned:
                self.bound[n.id].append(None)
            elif isinstance(n, (gast.FunctionDef, gast.AsyncFunctionDef, gast.ClassDef)) and n is not node:
                self.bound[n.name].append(None if n.decorator_list else n)
            elif isinstance(n, (gast.Import, gast.ImportFrom)):
                for name in (a.asname or a.name.split(".")[0] for a in n.names):
                    self.bound[name].append(None)

    def _bind(self, target: Any, value: Any) -> None:
        if isinstance(target, gast.Name):
            self.bound[target.id].append(value)
        elif isinstance(target, gast.Starred):
            self._bind(target.value, None)
        elif isinstance(target, (gast.Tuple, gast.List)):
            parts = value.elts if isinstance(value, (gast.Tuple, gast.List)) else ()
            in_pairs = len(parts) == len(target.elts) and not any(
                isinstance(x, gast.Starred) for x in (*target.elts, *parts))
            for x, part in zip(target.elts, parts if in_pairs else [None] * len(target.elts)):
                self._bind(x, part)
        else:
            self.stored[target] = value

    def holds(self, name: str, depth: int, asked: frozenset[Any] = frozenset()) -> bool:
        """Is every object that the variable holds a new one, and so are what it holds, so deep?

        asked  the variables of which this is asked already
        """
        if (name, depth) in asked:
            return True
        asked |= {(name, depth)}
        if not all(self.makes(value, depth, asked) for value in self.bound.get(name, ())):
            return False
        return not depth or all(self.makes(value, depth, asked) for value in self.added[name]) and \
            all(self._leaves_alone(n, depth, asked) for n in self.reads[name])

    def makes(self, value: Any, depth: int, asked: frozenset[Any] = frozenset()) -> bool:
        """Does the expression make a new object, in which there are new objects alone, so deep?"""
        if isinstance(value, gast.Name):
            return value.id in self.bound and value.id not in self.parameters and self.holds(value.id, depth, asked)
        if isinstance(value, (gast.FunctionDef, gast.AsyncFunctionDef, gast.ClassDef)):
            return not depth
        if not _is_new(value) or isinstance(value, gast.Lambda) and depth:
            return False
        return not depth or all(self.makes(x, depth - k, asked) for k, x in _contents(value))

    def _leaves_alone(self, node: Any, depth: int, asked: frozenset[Any]) -> bool:
        """Does nothing come into the object of a variable where it is read here, but for new objects?"""
        steps = 0
        parent = self.parents.get(node)
        while isinstance(parent, (gast.Subscript, gast.Attribute)) and parent.value is node:
            node, parent, steps = parent, self.parents.get(parent), steps + 1
        if isinstance(getattr(node, "ctx", None), gast.Store):
            value = parent.value if isinstance(parent, gast.AugAssign) else self.stored.get(node)
            sliced = isinstance(node, gast.Subscript) and isinstance(node.slice, (gast.Slice, gast.Tuple))
            return steps > depth + sliced or self.makes(value, depth - steps + sliced, asked)
        if isinstance(node, gast.Attribute) and changes_object(f".{node.attr}"):
            if not isinstance(parent, gast.Call) or parent.func is not node:
                return False
            level = depth - steps
            levels = (level,) if node.attr in _PUTTING_ONE else (level, level + 1)
            return level < 0 or all(self.makes(x, k, asked) for x in (*parent.args, *parent.keywords) for k in levels)
        if steps >= depth or isinstance(parent, (gast.Return, gast.Compare, gast.If, gast.While, gast.FormattedValue)):
            return True
        if isinstance(parent, gast.Subscript):
            return parent.slice is node
        if isinstance(parent, gast.Call) and parent.func is not node:
            changes = writes_arguments(f".{_name_of(parent)}") or any(writes_keyword(k.arg) for k in parent.keywords)
            return steps + 1 >= depth and (_name_of(parent) in _READING or _is_new(parent)) and not changes
        gives_items = isinstance(parent, (gast.For, gast.comprehension, gast.BinOp, gast.Starred))
        return isinstance(parent, gast.Call) or gives_items and steps + 1 >= depth


def _assignments(node: Any) -> Iterator[tuple[Any, Any]]:
    """The targets that a node assigns a value to, with the value."""
    if isinstance(node, gast.Assign):
        yield from ((t, node.value) for t in node.targets)
    elif isinstance(node, (gast.AnnAssign, gast.NamedExpr)) and node.value is not None:
        yield node.target, node.value


def _contents(value: Any) -> list[tuple[int, Any]]:
    """What a new object holds: 1 and an item, or 0 and what its items are taken from."""
    if isinstance(value, (gast.List, gast.Tuple, gast.Set)):
        return [(0, x.value) if isinstance(x, gast.Starred) else (1, x) for x in value.elts]
    if isinstance(value, gast.Dict):
        return [(1 if key is not None else 0, x) for key, x in zip(value.keys, value.values)]
    if isinstance(value, (gast.ListComp, gast.SetComp)):
        return [(1, value.elt)]
    if isinstance(value, gast.DictComp):
        return [(1, value.value)]
    if isinstance(value, gast.BinOp):
        operands = value.left, value.right
        repeated = [x for x in operands if isinstance(value.op, gast.Mult) and isinstance(x, (gast.List, gast.Tuple))]
        return [(0, x) for x in repeated or operands]
    if isinstance(value, gast.Call) and _name_of(value) in _MAKING:
        if _name_of(value) == "defaultdict":
            makers = [x.body if isinstance(x, gast.Lambda) else gast.Call(x, [], []) for x in value.args[:1]]
            return [*((1, x) for x in makers), *((0, x) for x in value.args[1:])]
        of = value.func.value if isinstance(value.func, gast.Attribute) else None
        taken = value.args if of is None or getattr(of, "id", "") in _MODULES else [of, *value.args]
        return [*((0, x) for x in taken), *((1, k.value) for k in value.keywords)]
    return []
