"""Variables that several paths leave unbound are None from the start.

    if a:                      y = z = None
        y = None               if a:
        z = None                   ...
        ...               ->   elif b:
    elif b:                        y = f(x)
        y = f(x)               else:
        z = None                   y = g(x)
    else:                          z = h(x)
        y = g(x)
        z = h(x)

An assignment of None moves before a conditional if no path reads the variable before it assigns it, and every path
to the end of the conditional assigns it: then nobody sees the value that the variable had before.
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence

from sct.codegen.python.long_lines import WIDTH
from sct.codegen.python.nesting import TRIES
from sct.codegen.python.print_expressions import negated
from sct.codegen.python.unparse import Comment, is_empty, statements_in

__all__ = ["assign_placeholders_once"]

_State = Mapping[str, frozenset[str]]
"""What each variable may be at a place: "before", as it was before the conditional, "none" or "bound"."""

_BEFORE, _NONE, _BOUND = (frozenset([word]) for word in ("before", "none", "bound"))


def assign_placeholders_once(body: Sequence[ast.stmt]) -> list[ast.stmt]:
    """The statements of the body of a function, where placeholders are assigned before a conditional."""
    if sum(_is_set_to_none(s) is not None for s in statements_in(body)) < 2:
        return list(body)
    inner = [n for s in body for n in ast.walk(s) if isinstance(n, (ast.FunctionDef, ast.Lambda))]
    return _in_block(body, frozenset().union(*map(_names_in, inner)), 1)


def _in_block(body: Sequence[ast.stmt], fixed: frozenset[str], depth: int) -> list[ast.stmt]:
    """The statements of a block, `depth` levels inside a module; variables in `fixed` stay as they are."""
    statements: list[ast.stmt] = []
    for s in body:
        if isinstance(s, ast.FunctionDef):
            s.body = assign_placeholders_once(s.body)
        elif not isinstance(s, (*TRIES, ast.With)):  # where an exception may end, any statement may be the last
            names = [name for name in _movable(s) if name not in fixed] if isinstance(s, ast.If) else []
            if names:
                _Removal(set(names)).walk([s], dict.fromkeys(names, _BEFORE))
                statements += _assignments_of_none(names, WIDTH - 4 * depth)
            for block in (getattr(s, "body", None), getattr(s, "orelse", None)):
                if isinstance(block, list) and block:
                    block[:] = _in_block(block, fixed, depth + 1)
        elif isinstance(s, TRIES) and s.orelse:
            s.orelse[:] = _in_block(s.orelse, fixed, depth + 1)
        statements.append(s)
    return statements


def _assignments_of_none(names: Sequence[str], width: int) -> Iterator[ast.stmt]:
    """`x = y = None`, as many lines as the width asks for."""
    line: list[str] = []
    for name in names:
        if line and len(" = ".join([*line, name, "None"])) > width:
            yield _assignment(line)
            line = []
        line.append(name)
    yield _assignment(line)


def _assignment(names: Iterable[str]) -> ast.stmt:
    return ast.Assign([ast.Name(name, ast.Store()) for name in names], ast.Constant(None, None), None)


def _movable(conditional: ast.If) -> list[str]:
    """The variables that branches of the conditional set to None, if that may happen before it and saves lines."""
    set_to_none = list(filter(None, map(_is_set_to_none, ast.walk(conditional))))
    if len(set_to_none) < 2:
        return []
    names = list(dict.fromkeys(set_to_none))
    paths = _Paths(set(names))
    end = paths.walk([conditional], dict.fromkeys(names, _BEFORE))
    if end is not None:
        paths.seen_before |= _of_before(end)
    needless = {name: paths.needless[name] for name in names if name not in paths.seen_before}
    return [name for name, count in needless.items() if count > 1 or count and sum(needless.values()) > 2]


def _is_set_to_none(s: ast.AST) -> str | None:
    """The variable that this statement sets to None, and does nothing else."""
    alone = isinstance(s, ast.Assign) and len(s.targets) == 1 and isinstance(s.targets[0], ast.Name) \
        and isinstance(s.value, ast.Constant) and s.value.value is None
    return s.targets[0].id if alone else None  # type: ignore[attr-defined]


def _of_before(state: _State) -> set[str]:
    return {name for name, may_be in state.items() if "before" in may_be}


def _joined(ends: Iterable[_State | None]) -> _State | None:
    """The state behind paths that meet; None stands for one that does not get there."""
    states = [end for end in ends if end is not None]
    return {name: frozenset().union(*(s[name] for s in states)) for name in states[0]} if states else None


class _Paths:
    """Follows some variables through the paths of a conditional.

    seen_before  those whose value from before the conditional may be seen, or of which that is hard to tell
    needless     the number of assignments of None that are needless if the variable is None from the start
    loops        the number of loops around, inside the conditional
    """

    def __init__(self, names: set[str]) -> None:
        self.names = names
        self.seen_before: set[str] = set()
        self.needless: Counter[str] = Counter()
        self.loops = 0

    def walk(self, body: list[ast.stmt], state: _State | None) -> _State | None:
        """The state at the end of a block; None if no path gets there."""
        for s in list(body):
            if state is None:
                return None
            name = _is_set_to_none(s)
            if name is not None and name in self.names:
                if not state[name] & _BOUND:
                    self.needless[name] += 1
                    self.leave_out(body, s)
                state = {**state, name: _NONE}
            else:
                state = self.statement(s, state)
        return state

    def leave_out(self, body: list[ast.stmt], s: ast.stmt) -> None:
        """The statement of the block is needless if its variable is None from the start."""

    def statement(self, s: ast.stmt, state: _State) -> _State | None:
        if isinstance(s, ast.If):
            self.read(s.test, state)
            return _joined([self.walk(s.body, state), self.walk(s.orelse, state)])
        if isinstance(s, (ast.For, ast.While)):
            return self.loop(s, state)
        if isinstance(s, (ast.Break, ast.Continue)):
            if not self.loops:
                self.seen_before |= _of_before(state)
            return None
        if not isinstance(s, _SIMPLE):
            leaves = any(isinstance(n, (ast.Break, ast.Continue)) for n in ast.walk(s))
            self.seen_before |= self.names & _names_in(s) | (_of_before(state) if leaves else set())
            return state
        self.read(s, state)
        stored = _names_in(s, ast.Store) & self.names
        if isinstance(s, ast.AugAssign):
            self.seen_before |= stored & _of_before(state)
        return None if isinstance(s, (ast.Return, ast.Raise)) else {**state, **dict.fromkeys(stored, _BOUND)}

    def loop(self, s: ast.For | ast.While, state: _State) -> _State:
        """A loop: what it assigns counts as bound in it and after it, since an iteration may follow another one."""
        stored = _names_in(s, ast.Store) & self.names
        self.seen_before |= _of_before(state) & stored
        state = {**state, **dict.fromkeys(stored, _BOUND)}
        self.read(s.iter if isinstance(s, ast.For) else s.test, state)
        self.loops += 1
        self.walk(s.body, state)
        self.loops -= 1
        self.walk(s.orelse, state)
        return state

    def read(self, node: ast.AST, state: _State) -> None:
        self.seen_before |= _of_before(state) & _names_in(node, ast.Load)


_SIMPLE = (ast.Assign, ast.AugAssign, ast.Expr, ast.Return, ast.Raise, ast.Pass, ast.Assert, Comment)


class _Removal(_Paths):
    """Leaves out the assignments of None that are needless."""

    def leave_out(self, body: list[ast.stmt], s: ast.stmt) -> None:
        body.remove(s)

    def statement(self, s: ast.stmt, state: _State) -> _State | None:
        end = super().statement(s, state)
        if isinstance(s, ast.If):
            if is_empty(s.orelse):
                s.orelse = []
            if is_empty(s.body):
                s.body, s.orelse, s.test = s.orelse or [ast.Pass()], [], negated(s.test) if s.orelse else s.test
        return end


def _names_in(node: ast.AST, context: type[ast.expr_context] | None = None) -> set[str]:
    return {n.id for n in ast.walk(node)
            if isinstance(n, ast.Name) and (context is None or isinstance(n.ctx, context))}
