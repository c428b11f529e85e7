"""Views of an array that a loop writes into are taken once, before it, and updated in place of parts of the array.

    for i in range(n):               q = x[:2]
        q = x[:2]                    for i in range(n):
        x[2:] -= f(q)          ->        x[2:] -= f(q)
        q = x[:2]                        g(q)
        g(q)

A view has the elements that its array has when they are read. So it does not matter when it is taken, if the name of
the array stands for one array, and the bounds of the slices are the same. The name of the view must stand for nothing
else in the function, and be bound by the first statements of an iteration that have to do with it.
"""

from __future__ import annotations

import ast
import itertools
from collections import Counter
from collections.abc import Iterator, Sequence, Set

from sct.codegen.python.unparse import Comment, is_empty, statements_in

__all__ = ["hold_views"]


def hold_views(body: list[ast.stmt], arrays: Set[str], args: ast.arguments) -> list[ast.stmt]:
    """The statements of the body of a function, changed in place; `arrays`: the names that stand for arrays alone."""
    if any(isinstance(n, (ast.FunctionDef, ast.Lambda)) for s in body for n in ast.walk(s)):
        return body
    if views := _views(body, arrays):
        params = {a.arg for a in (*args.posonlyargs, *args.args, *args.kwonlyargs)}
        body = _in_block(body, _Places(body, views), params)
    _update_views(body, arrays)
    return body


def _update_views(block: Sequence[ast.stmt], arrays: Set[str]) -> None:
    """q = x[:k]; x[:k] += f(q)  ->  q = x[:k]; q += f(q)"""
    taken: dict[str, tuple[str, set[str]]] = {}  # the name of a view of the text, and the names that it depends on
    for s in block:
        for inner in _blocks(s):
            _update_views(inner, arrays)
        if isinstance(s, ast.AugAssign) and isinstance(s.target, ast.Subscript):
            view = taken.get(ast.dump(ast.Subscript(s.target.value, s.target.slice, ast.Load())))
            s.target = s.target if view is None else ast.Name(view[0], ast.Store())
        is_update = isinstance(s, ast.AugAssign) and isinstance(s.target, ast.Name) and s.target.id in arrays
        stored = _stored(s) if not is_update else set()
        taken = {text: view for text, view in taken.items() if stored.isdisjoint(view[1])}
        if isinstance(s, ast.Assign) and (name := _view(s, arrays)) is not None:
            taken.setdefault(ast.dump(s.value), (name, {n.id for n in _names(s)}))


def _views(body: Sequence[ast.stmt], arrays: Set[str]) -> dict[str, str]:
    """For the names that stand for views of one part of one array alone: the text of the statement that says so."""
    statements = list(statements_in(body))
    placeholders = {n.id for s in statements if isinstance(s, ast.Assign) and isinstance(s.value, ast.Constant)
                    for n in s.targets if isinstance(n, ast.Name)}
    arrays = arrays - placeholders
    texts: dict[str, list[str]] = {}
    for s in statements:
        if (name := _view(s, arrays)) is not None:
            texts.setdefault(name, []).append(ast.dump(s))
    stores = Counter(n.id for s in body for n in _names(s) if not isinstance(n.ctx, ast.Load)) if texts else Counter()
    return {name: each[0] for name, each in texts.items() if len({*each}) == 1 and stores[name] == len(each)}


def _view(s: ast.stmt, arrays: Set[str]) -> str | None:
    """The name `q` of a statement `q = x[a:b]`, whose subscript is a slice, or slices, or `q = x.T`."""
    name, value = _bound_name(s), s.value if isinstance(s, ast.Assign) else None
    if isinstance(value, ast.Subscript):
        items = value.slice.elts if isinstance(value.slice, ast.Tuple) else [value.slice]
        of_slices = bool(items) and all(isinstance(item, ast.Slice) for item in items)
        if not of_slices or not all(isinstance(n, _OF_BOUNDS) for item in items for n in ast.walk(item)):
            return None
    elif not isinstance(value, ast.Attribute) or value.attr != "T":
        return None
    return name if isinstance(value.value, ast.Name) and {name, value.value.id} <= arrays else None


_OF_BOUNDS = (ast.Slice, ast.Constant, ast.Name, ast.Load, ast.UnaryOp, ast.USub)


def _in_block(block: list[ast.stmt], places: _Places, bound: set[str]) -> list[ast.stmt]:
    """The statements of a block, inner loops first; `bound`: the names that are certainly bound before it."""
    views, bound = places.views, set(bound)
    statements: list[ast.stmt] = []
    taken: dict[str, set[str]] = {}  # with the names that the view depends on

    def add(s: ast.stmt) -> None:
        name = _bound_name(s)
        takes_view = name in views and ast.dump(s) == views[name]
        if takes_view and name in taken:
            return  # it has been taken in this block
        stored = _stored(s) if taken else set()
        for view in [view for view, of in taken.items() if not stored.isdisjoint(of)]:
            del taken[view]
        if takes_view and name is not None:
            taken[name] = {n.id for n in _names(s)} - {name}
        statements.append(s)

    for s in block:
        inner_bound = bound | (_stored(s.target) if isinstance(s, ast.For) else set())
        for inner in _blocks(s):
            inner[:] = _in_block(inner, places, inner_bound)
        if isinstance(s, (ast.For, ast.While)):
            held = {name: v for name, v in _held(s, views, bound) if places.is_seen_alone(name, s)}
            _remove(s, {views[name] for name in held})
            for view in held.values():
                add(view)
        add(s)
        if isinstance(s, (ast.Assign, ast.AugAssign)):
            bound |= _stored(s)
    return statements


def _held(loop: ast.For | ast.While, views: dict[str, str], bound: set[str]
          ) -> Iterator[tuple[str, ast.stmt]]:
    """The views that the loop takes in every iteration, before it reads them, of what it does not bind."""
    stored, read = _stored(loop), {n.id for n in _names(loop.iter if isinstance(loop, ast.For) else loop.test)}
    for s in loop.body:
        name = _bound_name(s)
        if name in views and views[name] == ast.dump(s) and name not in read:
            of = {n.id for n in _names(s) if n.id != name}
            if of <= bound and of.isdisjoint(stored):
                yield name, s
        read |= {n.id for n in _names(s)}


class _Places:
    """Where views are taken and read, in the order of the text.

    taken, read  for a view: the number of each statement that takes or reads it, and the blocks around that, the
                 innermost last
    loops        the numbers of the first statement of a loop and of the one behind it
    """

    def __init__(self, body: Sequence[ast.stmt], views: dict[str, str]) -> None:
        self.views = views
        self.taken: dict[str, list[tuple[int, tuple[int, ...]]]] = {name: [] for name in views}
        self.read: dict[str, list[tuple[int, tuple[int, ...]]]] = {name: [] for name in views}
        self.loops: dict[ast.stmt, tuple[int, int]] = {}
        self.count = 0
        self._enter(body, ())

    def _enter(self, block: Sequence[ast.stmt], around: tuple[int, ...]) -> None:
        around = (*around, self.count)
        for s in block:
            start = self.count
            self.count += 1
            name = _bound_name(s)
            if name in self.views and name is not None and ast.dump(s) == self.views[name]:
                self.taken[name].append((start, around))
            for n in (n for part in _head(s) for n in _names(part)):
                if n.id in self.views and isinstance(n.ctx, ast.Load):
                    self.read[n.id].append((start, around))
            for inner in _blocks(s):
                self.count += 1
                self._enter(inner, around)
            self.loops[s] = start, self.count

    def is_seen_alone(self, name: str, loop: ast.stmt) -> bool:
        """Is the view taken before each of its reads outside of the loop, behind the loop once more?"""
        start, end = self.loops[loop]
        taken = [(at, around[-1]) for at, around in self.taken[name] if not start <= at < end]
        return all(any(before < at and block in around and not before < start < at for before, block in taken)
                   for at, around in self.read[name] if not start <= at < end)


def _head(s: ast.stmt) -> Iterator[ast.AST]:
    """The parts of a statement that are no statements."""
    inner = {id(x) for block in _blocks(s) for x in block}
    for child in ast.iter_child_nodes(s):
        if id(child) not in inner:
            yield child


def _blocks(s: ast.stmt) -> Iterator[list[ast.stmt]]:
    for field in ("body", "orelse", "finalbody"):
        if isinstance(inner := getattr(s, field, None), list) and inner:
            yield inner
    for handler in getattr(s, "handlers", ()):
        yield handler.body


def _names(node: ast.AST) -> Iterator[ast.Name]:
    return (n for n in ast.walk(node) if isinstance(n, ast.Name))


def _stored(node: ast.AST) -> set[str]:
    return {n.id for n in _names(node) if not isinstance(n.ctx, ast.Load)}


def _bound_name(s: ast.stmt) -> str | None:
    """The one name that the statement assigns to."""
    target = s.targets[0] if isinstance(s, ast.Assign) and len(s.targets) == 1 else None
    return target.id if isinstance(target, ast.Name) else None


def _remove(loop: ast.For | ast.While, texts: set[str]) -> None:
    """Leave out these statements, in the loop and in what is in it, and comments on them alone."""
    blocks: list[list[ast.stmt]] = [loop.body] if texts else []
    while blocks:
        block = blocks.pop()
        kept: list[ast.stmt] = []
        for s, behind in itertools.zip_longest(block, block[1:]):
            if not isinstance(s, ast.Assign) or ast.dump(s) not in texts:
                kept.append(s)
            elif kept and isinstance(kept[-1], Comment) and (behind is None or isinstance(behind, Comment)):
                kept.pop()
        block[:] = [ast.Pass()] if is_empty(kept) else kept
        blocks += [inner for s in block for inner in _blocks(s)]
