"""Scopes of names: which variables a function or a statement reads and binds, and which it takes from outside."""

from __future__ import annotations

import functools
from collections import Counter
from collections.abc import Iterator
from typing import Any

import gast

__all__ = [
    "FUNCTIONS", "TRIES", "body_of", "declared", "element_writes", "free_in", "free_names", "local_names", "nodes_in",
    "own_nodes", "parameters", "positional_parameters", "read_often", "reads", "reads_outside", "returned_names",
    "writes", "yields",
]

FUNCTIONS = (gast.FunctionDef, gast.AsyncFunctionDef, gast.Lambda)

TRIES = (gast.Try,)
"""The statements whose body may end anywhere, in a handler: sct knows them by this table alone."""


_COMPREHENSIONS = (gast.ListComp, gast.SetComp, gast.DictComp, gast.GeneratorExp)


@functools.lru_cache(maxsize=65536)
def children(node: Any) -> tuple[Any, ...]:
    """The nodes directly below a node."""
    return tuple(gast.iter_child_nodes(node))


def nodes_in(node: Any) -> Iterator[Any]:
    """The node and every node below it."""
    todo = [node]
    while todo:
        yield (n := todo.pop())
        todo += children(n)


@functools.lru_cache(maxsize=65536)
def reads(node: Any) -> frozenset[str]:
    """Names that the expression or statement reads, those of nested functions and comprehensions included."""
    if isinstance(node, gast.Name):
        return frozenset([node.id]) if isinstance(node.ctx, (gast.Load, gast.Del)) else frozenset()
    names = frozenset().union(*map(reads, children(node)))
    if isinstance(node, gast.AugAssign) and isinstance(node.target, gast.Name):
        names |= {node.target.id}
    return names


@functools.lru_cache(maxsize=8192)
def read_often(node: Any) -> frozenset[str]:
    """Names that the function reads at more than one place."""
    counts = Counter(n.id for n in nodes_in(node) if isinstance(n, gast.Name) and isinstance(n.ctx, gast.Load))
    return frozenset(name for name, count in counts.items() if count > 1)


@functools.lru_cache(maxsize=65536)
def reads_outside(node: Any) -> frozenset[str]:
    """Names that the expression or statement reads, but for those of comprehensions and lambdas in it."""
    if isinstance(node, gast.Name):
        return reads(node)
    names = frozenset().union(*map(reads_outside, children(node)))
    if isinstance(node, _COMPREHENSIONS):
        own = {n.id for g in node.generators for n in nodes_in(g.target) if isinstance(n, gast.Name)}
        names = names - own | reads_outside(node.generators[0].iter)
    if isinstance(node, gast.Lambda):
        names = reads_outside(node.body).difference(parameters(node)) | reads_outside(node.args)
    if isinstance(node, gast.AugAssign) and isinstance(node.target, gast.Name):
        names |= {node.target.id}
    return names


@functools.lru_cache(maxsize=8192)
def writes(node: Any) -> frozenset[str]:
    """Names that the statement binds or deletes in its own scope: not those of nested functions and comprehensions."""
    names: set[str] = set()
    todo = [node]
    while todo:
        n = todo.pop()
        if isinstance(n, gast.Name) and isinstance(n.ctx, (gast.Store, gast.Del)):
            names.add(n.id)
        if isinstance(n, (gast.FunctionDef, gast.AsyncFunctionDef, gast.ClassDef)):
            names.add(n.name)
        if isinstance(n, (gast.Import, gast.ImportFrom)):
            names |= {a.asname or a.name.split(".")[0] for a in n.names}
        todo += _parts_in_scope(n)
    return frozenset(names)


@functools.lru_cache(maxsize=8192)
def element_writes(node: Any) -> frozenset[str]:
    """Names under which the statement writes elements: `u` of `u[i] = x` and `u[i][j] += x`."""
    names = set()
    for n in nodes_in(node):
        if isinstance(n, gast.Subscript) and isinstance(n.ctx, gast.Store):
            while isinstance(n, gast.Subscript):
                n = n.value
            if isinstance(n, gast.Name):
                names.add(n.id)
    return frozenset(names)


def _parts_in_scope(node: Any) -> list[Any]:
    """The parts of a node that are evaluated in the scope in which it stands, and bind names there."""
    if isinstance(node, (*FUNCTIONS, gast.ClassDef)):
        args = getattr(node, "args", None)
        defaults = [] if args is None else [d for d in (*args.defaults, *args.kw_defaults) if d is not None]
        return [*getattr(node, "decorator_list", ()), *getattr(node, "bases", ()), *defaults]
    if isinstance(node, gast.comprehension):
        return [node.iter, *node.ifs]
    return [*children(node)]


@functools.lru_cache(maxsize=8192)
def returned_names(node: Any) -> frozenset[str]:
    """Names that the `return` statements in a statement read."""
    return frozenset[str]().union(*(reads(n) for n in nodes_in(node) if isinstance(n, gast.Return)))


def positional_parameters(node: Any) -> tuple[str, ...]:
    """Names of the parameters that a function takes by position."""
    return tuple(p.id for p in (*node.args.posonlyargs, *node.args.args))


@functools.lru_cache(maxsize=8192)
def parameters(node: Any) -> tuple[str, ...]:
    """Names of the parameters of a function."""
    a = node.args
    return tuple(p.id for p in (*a.posonlyargs, *a.args, a.vararg, *a.kwonlyargs, a.kwarg) if p is not None)


@functools.lru_cache(maxsize=8192)
def declared(node: Any) -> tuple[frozenset[str], frozenset[str]]:
    """The names that a function declares `global`, and those that it declares `nonlocal`."""
    names: dict[type, set[str]] = {gast.Global: set(), gast.Nonlocal: set()}
    for n in own_nodes(body_of(node)):
        if isinstance(n, (gast.Global, gast.Nonlocal)):
            names[type(n)].update(n.names)
    return frozenset(names[gast.Global]), frozenset(names[gast.Nonlocal])


@functools.lru_cache(maxsize=8192)
def local_names(node: Any) -> frozenset[str]:
    """The variables of a function: its parameters and what it binds."""
    return frozenset(parameters(node)).union(*map(writes, body_of(node))).difference(*declared(node))


@functools.lru_cache(maxsize=8192)
def free_names(node: Any) -> frozenset[str]:
    """Names that a function, or one nested in it, reads or binds without being local to it."""
    outside, rebound = declared(node)
    return (rebound.union(*map(free_in, body_of(node))) - local_names(node)) - outside


def free_in(node: Any) -> frozenset[str]:
    """Names that are read where `node` stands, in the functions and comprehensions in it too."""
    if isinstance(node, FUNCTIONS):
        return free_names(node).union(*map(free_in, _parts_in_scope(node)))
    if isinstance(node, _COMPREHENSIONS):
        own = {n.id for g in node.generators for n in nodes_in(g.target) if isinstance(n, gast.Name)}
        inside = frozenset[str]().union(*map(free_in, children(node)))
        return inside - own | free_in(node.generators[0].iter)
    if isinstance(node, gast.Name):
        return reads(node)
    own_target = isinstance(node, gast.AugAssign) and isinstance(node.target, gast.Name)
    return frozenset([node.target.id] if own_target else ()).union(*map(free_in, children(node)))


def body_of(node: Any) -> list[Any]:
    return node.body if isinstance(node.body, list) else [node.body]


@functools.lru_cache(maxsize=8192)
def yields(node: Any) -> bool:
    """Does the statement, or the function, yield?"""
    own = own_nodes(body_of(node) if isinstance(node, FUNCTIONS) else [node])
    return any(isinstance(n, (gast.Yield, gast.YieldFrom)) for n in own)


def own_nodes(stmts: list[Any]) -> Iterator[Any]:
    """Every node of these statements, nested functions as one node each."""
    todo = list(stmts)
    while todo:
        n = todo.pop()
        yield n
        if not isinstance(n, FUNCTIONS):
            todo += children(n)
