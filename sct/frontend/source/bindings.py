"""Bindings: what the source says that the variables of a function hold.

    s, n = STATE, 1          `STATE` is bound to `s`, and 1 to `n`
    s += [2.0]               `[2.0]` is added to `s`
    s[0] = x                 `x` is stored, and `s` is read
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from typing import Any

import gast

from sct.frontend.source.name_scopes import FUNCTIONS, children, declared, nodes_in, parameters

__all__ = ["Bindings"]


class Bindings:
    """The variables of a function or an expression, and of the functions in it, by what is bound to and put into them.

    bound       by the name of a variable, the expressions that are bound to it, definitions and imports among them;
                None where it is not known which
    added       by the name of a variable, what is added to it in place
    stored      what is assigned to the items and attributes of objects, by the target
    reads       by the name of a variable, where it is read
    parents     the node around each node
    parameters  the parameters of the function itself
    outside     the variables that are declared `global` or `nonlocal`
    """

    def __init__(self, node: Any) -> None:
        self.bound: dict[str, list[Any]] = defaultdict(list)
        self.added: dict[str, list[Any]] = defaultdict(list)
        self.stored: dict[Any, Any] = {}
        self.reads: dict[str, list[Any]] = defaultdict(list)
        self.parameters = parameters(node) if isinstance(node, FUNCTIONS) else ()
        self.parents = {child: n for n in nodes_in(node) for child in children(n)}
        functions = [n for n in nodes_in(node) if isinstance(n, FUNCTIONS)]
        self.outside = frozenset[str]().union(*(names for n in functions for names in declared(n)))
        for name in (name for n in functions if n is not node for name in parameters(n)):
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
                for a in n.names:
                    self.bound[a.asname or a.name.split(".")[0]].append(a)

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

    def is_local(self, name: str) -> bool:
        """May the name be a variable of the function, or of one in it?"""
        return name in self.bound or name in self.parameters

    def only_value(self, name: str) -> Any:
        """The one expression that is ever bound to a variable; None if there are others, or it is not known."""
        inside = name not in self.parameters and name not in self.outside and name not in self.added
        return self.bound[name][0] if inside and len(self.bound.get(name, ())) == 1 else None


def _assignments(node: Any) -> Iterator[tuple[Any, Any]]:
    """The targets that a node assigns a value to, with the value."""
    if isinstance(node, gast.Assign):
        yield from ((t, node.value) for t in node.targets)
    elif isinstance(node, (gast.AnnAssign, gast.NamedExpr)) and node.value is not None:
        yield node.target, node.value
