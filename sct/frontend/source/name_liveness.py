"""Liveness of names: which variables of a function may still be read after each of its statements."""

from __future__ import annotations

from typing import Any

import gast

from sct.frontend.source.name_scopes import (
    FUNCTIONS,
    TRIES,
    body_of,
    free_in,
    free_names,
    nodes_in,
    own_nodes,
    positional_parameters,
    reads_outside,
    returned_names,
    writes,
)
from sct.frontend.source.try_lowering import changes_nothing

__all__ = ["Liveness"]


def _bound(s: gast.With) -> frozenset[str]:
    """Names that a `with` binds for certain: a context may end an exception that the next one raises as it opens."""
    return frozenset().union(*map(writes, s.items if changes_nothing(s) else s.items[:1]))


_RUN_THROUGH = {"all", "any", "dict", "frozenset", "list", "max", "min", "set", "sorted", "sum", "tuple"}


def _runs_through(fn: Any) -> bool:
    """Is this the name of a function that consumes its iterable at once?"""
    if isinstance(fn, gast.Attribute):
        return fn.attr in ("fsum", "prod")
    return isinstance(fn, gast.Name) and fn.id in _RUN_THROUGH


class Liveness:
    """Which names of a function may still be read after a statement.

    after[stmt]   live after the statement
    before[stmt]  live before it, also on paths to a break or continue
    jumps[stmt]   live at the target of a break or continue in the statement
    head[loop]    live before the test or the next item of a loop
    carried[loop] read by an iteration before it binds them
    captured      names that nested functions and stored generator expressions read or bind, and the first parameter
                  of a method that calls `super()`, which reads it: live everywhere
    at_once       generator expressions that are arguments of a builtin, which consumes them at once
    """

    def __init__(self, node: Any) -> None:
        self.after: dict[Any, frozenset[str]] = {}
        self.before: dict[Any, frozenset[str]] = {}
        self.jumps: dict[Any, frozenset[str]] = {}
        self.head: dict[Any, frozenset[str]] = {}
        self.carried: dict[Any, frozenset[str]] = {}
        self._gen: dict[int, tuple[frozenset[str], frozenset[str] | None]] = {}
        self.captured: set[str] = set()
        self._handled: frozenset[str] = frozenset()
        self.at_once: set[Any] = set()
        body = node.body if isinstance(node.body, list) else []
        nodes = list(own_nodes(body_of(node)))
        for n in nodes:
            if isinstance(n, FUNCTIONS):
                self.captured |= free_names(n)
            if isinstance(n, gast.Call) and _runs_through(n.func):
                self.at_once.update(a for a in n.args if isinstance(a, gast.GeneratorExp))
            if isinstance(n, gast.Name) and n.id == "super":
                self.captured.update(positional_parameters(node)[:1])
        for n in nodes:
            if isinstance(n, gast.GeneratorExp) and n not in self.at_once:
                self.captured |= free_in(n)
        self._block(body, frozenset(), frozenset(), frozenset())

    def enter(self, stmt: Any, out: frozenset[str]) -> None:
        """Adds a statement that replaces an expression, after which `out` is live."""
        self._block([stmt], out, frozenset(), frozenset())

    def put_in_place(self, stmt: Any, of: Any) -> None:
        """Adds a statement that stands in the place of another one, with the same names."""
        for live in (self.after, self.before, self.jumps):
            live[stmt] = live.get(of, frozenset())

    def leaving(self, stmt: Any) -> frozenset[str]:
        """Live after the statement, or where a break or continue in it goes."""
        return self.after.get(stmt, frozenset()) | self.jumps.get(stmt, frozenset())

    def _block(self, stmts: list[Any], out: frozenset[str], brk: frozenset[str],
               cont: frozenset[str]) -> frozenset[str]:
        for stmt in reversed(stmts):
            out |= self._handled
            self.after[stmt] = out
            self.jumps[stmt] = brk | cont
            out = self.before[stmt] = self._stmt(stmt, out, brk, cont) | self._handled
        return out

    def _stmt(self, s: Any, out: frozenset[str], brk: frozenset[str], cont: frozenset[str]) -> frozenset[str]:
        if isinstance(s, gast.If):
            brk, cont = brk | out, cont | out  # paths that leave are joined with the others behind the statement
            branches = self._block(s.body, out, brk, cont) | self._block(s.orelse, out, brk, cont)
            return branches | frozenset(reads_outside(s.test))
        if isinstance(s, (gast.For, gast.While)):
            # The body's effect is X -> gen + (X - kill), so one round is the fixpoint.
            out = out | returned_names(s)
            done = self._block(s.orelse, out, brk, cont) | out
            first = writes(s.target) if isinstance(s, gast.For) else set()
            test = reads_outside(s.test if isinstance(s, gast.While) else s.target)
            self.carried[s] = frozenset(test | (self._exposed(s.body)[0] - first))
            head = frozenset(done | self.carried[s])
            self.head[s] = head
            self._block(s.body, head, out, head)
            return head | frozenset(reads_outside(s.iter) if isinstance(s, gast.For) else ())
        if isinstance(s, TRIES):
            return self._try(s, out, brk, cont)
        if isinstance(s, gast.With):
            handled = self._handled
            if not changes_nothing(s):  # its end may be reached from any statement
                self._handled |= out
            inner = self._block(s.body, out, brk, cont) - _bound(s)
            self._handled = handled
            return inner.union(*map(reads_outside, s.items))
        if isinstance(s, gast.Return):
            return reads_outside(s) | brk
        if isinstance(s, gast.Raise):
            return frozenset(reads_outside(s))
        if isinstance(s, gast.Break):
            return brk
        if isinstance(s, gast.Continue):
            return cont
        gen, kill = self._exposed_stmt(s)
        return gen | (out - (kill or frozenset()))

    def _try(self, s: Any, out: frozenset[str], brk: frozenset[str], cont: frozenset[str]) -> frozenset[str]:
        """Any statement of the body may be the last: what the handlers read is live throughout it."""
        handled = self._handled
        if s.finalbody:
            out = self._block(s.finalbody, out, brk, cont)
            brk, cont = brk | out, cont | out
            self._handled |= out
        handlers = frozenset[str]()
        for handler in s.handlers:
            before = self._block(handler.body, out, brk, cont) - (writes(handler.name) if handler.name else set())
            handlers |= before | (reads_outside(handler.type) if handler.type else frozenset())
        orelse = self._block(s.orelse, out, brk, cont)
        self._handled |= handlers
        before = self._block(s.body, orelse, brk, cont) | self._handled
        self._handled = handled
        return before

    def _exposed(self, stmts: list[Any]) -> tuple[frozenset[str], frozenset[str] | None]:
        """(names read before they are bound, names bound for certain; None: never falls through)."""
        gen: frozenset[str] = frozenset()
        kill: frozenset[str] = frozenset()
        for s in stmts:
            g, k = self._exposed_stmt(s)
            gen |= g - kill
            if k is None:
                return gen, None
            kill |= k
        return gen, kill

    def _exposed_stmt(self, s: Any) -> tuple[frozenset[str], frozenset[str] | None]:
        if id(s) not in self._gen:
            self._gen[id(s)] = self._compute(s)
        return self._gen[id(s)]

    def _compute(self, s: Any) -> tuple[frozenset[str], frozenset[str] | None]:
        none: frozenset[str] = frozenset()
        if isinstance(s, gast.If):
            (g1, k1), (g2, k2) = self._exposed(s.body), self._exposed(s.orelse)
            gen = frozenset(reads_outside(s.test)) | g1 | g2
            if k1 is None or k2 is None:
                return gen, k2 if k1 is None else k1
            return gen, k1 & k2
        if isinstance(s, (gast.For, gast.While)):
            first = writes(s.target) if isinstance(s, gast.For) else set()
            gen = frozenset(reads_outside(s.iter if isinstance(s, gast.For) else s.test))
            gen |= (self._exposed(s.body)[0] - first) | self._exposed(s.orelse)[0]
            return gen, none
        if isinstance(s, TRIES):
            parts = [s.body, *(h.body for h in s.handlers), s.orelse, s.finalbody]
            types = [reads_outside(h.type) for h in s.handlers if h.type is not None]
            return none.union(*(self._exposed(p)[0] for p in parts), *types), none
        if isinstance(s, gast.With):
            g, k = self._exposed(s.body)
            gen = (g - _bound(s)).union(*map(reads_outside, s.items))
            if not changes_nothing(s):  # it may end an exception that its body raises
                return gen, _bound(s)
            return gen, None if k is None else k | _bound(s)
        if isinstance(s, (gast.Return, gast.Raise, gast.Break, gast.Continue)):
            return frozenset(reads_outside(s)), None
        walrus = {n.target.id for n in nodes_in(s) if isinstance(n, gast.NamedExpr)}
        return frozenset(reads_outside(s)), frozenset(writes(s) - walrus)
