"""From a Python function to its AST, with places in the user's file, and liveness of its names."""

from __future__ import annotations

import ast
import functools
import linecache
import sys
import types
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import gast

from sct.errors import Loc, SctError
from sct.frontend.source.private_names import functions_in, mangle_names

__all__ = [
    "Binds", "Liveness", "Matches", "SourceFunction", "declared", "free_names", "loc_of", "local_names", "own_nodes",
    "parameters", "reads", "source_of", "writes",
]

_GAST_FUNCTIONS = (gast.FunctionDef, gast.AsyncFunctionDef, gast.Lambda)
_COMPREHENSIONS = (gast.ListComp, gast.SetComp, gast.DictComp, gast.GeneratorExp)


@dataclass(frozen=True, eq=False)
class SourceFunction:
    """A function's AST: a gast FunctionDef or Lambda, and the file that it stands in."""

    node: Any
    file: str
    name: str
    qualname: str = ""


def loc_of(node: Any, file: str) -> Loc:
    return Loc(file, getattr(node, "lineno", 0), getattr(node, "col_offset", 0),
               getattr(node, "end_lineno", 0) or 0, getattr(node, "end_col_offset", 0) or 0)


@functools.lru_cache(maxsize=64)
def _parse(file: str, text: str, by_pytest: bool
           ) -> tuple[dict[int, list[tuple[ast.AST, str]]], list[types.CodeType]]:
    """Function nodes of a module by first line, with the class in whose body each stands, and every code object
    that the module compiles to.

    by_pytest  compile it as pytest does, which rewrites `assert` statements
    """
    module = ast.parse(text)
    by_line: dict[int, list[tuple[ast.AST, str]]] = {}
    for node, cls in functions_in(module):
        lines = [d.lineno for d in [*getattr(node, "decorator_list", []), node]]
        by_line.setdefault(min(lines), []).append((node, cls))
    return by_line, list(_codes(compile(_rewritten(file, text) if by_pytest else module, file, "exec",
                                        dont_inherit=True)))


def _rewritten(file: str, text: str) -> ast.Module:
    """The module after pytest has rewritten its `assert` statements."""
    module = ast.parse(text)
    pytest: Any = sys.modules["_pytest.assertion.rewrite"]
    hooks = [hook for hook in sys.meta_path if isinstance(hook, pytest.AssertionRewritingHook)]
    pytest.rewrite_asserts(module, text.encode(), file, hooks[0].config if hooks else None)
    return module


def _is_rewritten(code: types.CodeType) -> bool:
    return any(name.startswith("@py") for name in code.co_varnames + code.co_names) or any(
        _is_rewritten(const) for const in code.co_consts if isinstance(const, types.CodeType))


def _codes(code: types.CodeType) -> Iterator[types.CodeType]:
    yield code
    for const in code.co_consts:
        if isinstance(const, types.CodeType):
            yield from _codes(const)


def source_of(code: types.CodeType) -> SourceFunction:
    """The AST of the function that `code` runs.

    Raises SctError SCT201 where there is no source, SCT202 where the source is not
    that of the code (the file was edited after it was imported).
    """
    try:
        return _source_of(code, code.co_filename)
    except SctError:
        linecache.checkcache(code.co_filename)  # the module was loaded again since its text was looked at
        return _source_of(code, code.co_filename)


@functools.lru_cache(maxsize=1024)
def _source_of(code: types.CodeType, _: str) -> SourceFunction:
    """Code of two files may be equal: the file is a part of the key."""
    text = "".join(linecache.getlines(code.co_filename) or _lines_of_loader(code.co_filename))
    if not text:
        raise _missing(code)
    try:
        by_line, codes = _parse(code.co_filename, text, _is_rewritten(code))
    except SyntaxError:
        raise _edited(code) from None
    same = [c for c in codes if c.co_firstlineno == code.co_firstlineno and c.co_name == code.co_name]
    nodes = [(n, cls) for n, cls in by_line.get(code.co_firstlineno, ())
             if getattr(n, "name", "<lambda>") == code.co_name]
    if not same or not nodes:
        raise _edited(code)
    found = [c for c in same if _same_code(c, code)]
    if not found:
        raise _edited(code)
    if len(nodes) > 1:
        nodes = _on_a_line(nodes, text, code) or nodes
    node, cls = nodes[0]
    tree = gast.ast_to_gast(node)
    mangle_names(tree, cls)
    tree = _Matching().visit(tree)
    return SourceFunction(tree, code.co_filename, code.co_name, getattr(code, "co_qualname", code.co_name))


def _lines_of_loader(file: str) -> list[str]:
    """The text of a module that is no file by itself, but is in a zip file, say: its loader has it."""
    for module in list(sys.modules.values()):
        if getattr(module, "__file__", None) == file:
            return linecache.getlines(file, vars(module))
    return []


# -- match ---------------------------------------------------------------------------------


class Matches(gast.expr):  # type: ignore[misc]
    """Does `subject` match `pattern`?"""

    _fields = ("subject", "pattern")


class Binds(gast.expr):  # type: ignore[misc]
    """Bind the names of a pattern that `subject` matches; `names` are they."""

    _fields = ("subject", "pattern", "names")


class _Matching(gast.NodeTransformer):  # type: ignore[misc]
    """`match` as `if`: see patterns.py."""

    def visit_Match(self, node: Any) -> Any:
        self.generic_visit(node)
        name = f"match_{node.lineno}"
        first = gast.copy_location(gast.Assign([gast.Name(name, gast.Store(), None, None)], node.subject, None), node)
        rest: list[Any] = []
        for case in reversed(node.cases):
            rest = [self._case(case, gast.Name(name, gast.Load(), None, None), rest)]
        for n in gast.walk(rest[0]):
            if not hasattr(n, "lineno"):
                gast.copy_location(n, node)
        return [first, *rest]

    def _case(self, case: Any, subject: Any, orelse: list[Any]) -> Any:
        found = {n.name for n in gast.walk(case.pattern) if isinstance(n, (gast.MatchAs, gast.MatchStar)) and n.name}
        found |= {n.rest for n in gast.walk(case.pattern) if isinstance(n, gast.MatchMapping) and n.rest}
        place = case.pattern
        test = gast.copy_location(Matches(subject, case.pattern), place)
        names = [gast.Name(n, gast.Store(), None, None) for n in sorted(found)]
        bind = gast.copy_location(Binds(subject, case.pattern, names), place)
        body = case.body
        if case.guard is not None:
            test = gast.copy_location(gast.BoolOp(gast.And(), [test, *[bind] * bool(names), case.guard]), place)
        elif names:
            body = [gast.copy_location(gast.Expr(bind), place), *body]
        return gast.copy_location(gast.If(test, body, orelse), place)


def _on_a_line(nodes: list[tuple[Any, str]], text: str, code: types.CodeType) -> list[tuple[Any, str]]:
    """Those of several lambdas that begin on one line which compile to `code`.

    Each is compiled where it stands, at a line number of its own by which its code is known.
    """
    module = ast.parse(text)
    lambdas = [n for n in ast.walk(module) if isinstance(n, ast.Lambda) and n.lineno == code.co_firstlineno]
    places = {}
    for k, n in enumerate(lambdas):
        places[_FAR + k] = n.col_offset, n.end_lineno, n.end_col_offset
        n.lineno = n.end_lineno = _FAR + k
        n.end_col_offset = n.col_offset + 1
    codes = _codes(compile(module, code.co_filename, "exec", dont_inherit=True))
    same = {places[c.co_firstlineno] for c in codes if c.co_firstlineno in places and _same_code(c, code)}
    return [(n, cls) for n, cls in nodes if (n.col_offset, n.end_lineno, n.end_col_offset) in same]


_FAR = 1_000_000


def _same_code(a: types.CodeType, b: types.CodeType) -> bool:
    """Are these compiled from the same text?  Constants count by type and bits."""
    if a.co_code != b.co_code or a.co_names != b.co_names or a.co_varnames != b.co_varnames:
        return False
    return len(a.co_consts) == len(b.co_consts) and all(map(_same_constant, a.co_consts, b.co_consts))


def _same_constant(a: object, b: object) -> bool:
    if isinstance(a, types.CodeType) and isinstance(b, types.CodeType):
        return _same_code(a, b)
    if isinstance(a, tuple) and isinstance(b, tuple):
        return len(a) == len(b) and all(map(_same_constant, a, b))
    return type(a) is type(b) and (isinstance(a, frozenset) and a == b or repr(a) == repr(b))


def _missing(code: types.CodeType) -> SctError:
    return SctError("SCT201", f"the source of `{code.co_name}` cannot be had",
                    why=f"there is no text for {code.co_filename}",
                    hint="define the function in a file (or a notebook cell), not in exec'd text")


def _edited(code: types.CodeType) -> SctError:
    if code.co_filename == "<string>":
        return _missing(code)  # the text there is of something else that was executed
    return SctError("SCT202", f"the source of `{code.co_name}` is not what runs",
                    why=f"{code.co_filename} was changed after it was imported", hint="import it again",
                    loc=Loc(code.co_filename, code.co_firstlineno))


# -- names -----------------------------------------------------------------------------


@functools.lru_cache(maxsize=65536)
def reads(node: Any) -> frozenset[str]:
    """Names that the expression or statement reads, nested functions included."""
    if isinstance(node, gast.Name):
        return frozenset([node.id]) if isinstance(node.ctx, (gast.Load, gast.Del)) else frozenset()
    found = frozenset().union(*map(reads, gast.iter_child_nodes(node)))
    if isinstance(node, gast.AugAssign) and isinstance(node.target, gast.Name):
        found |= {node.target.id}
    return found


@functools.lru_cache(maxsize=8192)
def writes(node: Any) -> frozenset[str]:
    """Names that the statement binds or deletes in its own scope: not those of nested functions and comprehensions."""
    found: set[str] = set()
    todo = [node]
    while todo:
        n = todo.pop()
        if isinstance(n, gast.Name) and isinstance(n.ctx, (gast.Store, gast.Del)):
            found.add(n.id)
        if isinstance(n, (gast.FunctionDef, gast.AsyncFunctionDef, gast.ClassDef)):
            found.add(n.name)
        if isinstance(n, (gast.Import, gast.ImportFrom)):
            found |= {a.asname or a.name.split(".")[0] for a in n.names}
        todo += _parts_in_scope(n)
    return frozenset(found)


def _parts_in_scope(node: Any) -> list[Any]:
    """The parts of a node that are evaluated in the scope in which it stands, and bind names there."""
    if isinstance(node, (*_GAST_FUNCTIONS, gast.ClassDef)):
        args = getattr(node, "args", None)
        defaults = [] if args is None else [d for d in (*args.defaults, *args.kw_defaults) if d is not None]
        return [*getattr(node, "decorator_list", ()), *getattr(node, "bases", ()), *defaults]
    if isinstance(node, gast.comprehension):
        return [node.iter, *node.ifs]
    return list(gast.iter_child_nodes(node))


@functools.lru_cache(maxsize=8192)
def parameters(node: Any) -> tuple[str, ...]:
    """Names of the parameters of a function."""
    a = node.args
    return tuple(p.id for p in (*a.posonlyargs, *a.args, a.vararg, *a.kwonlyargs, a.kwarg) if p is not None)


@functools.lru_cache(maxsize=8192)
def declared(node: Any) -> tuple[frozenset[str], frozenset[str]]:
    """The names that a function declares `global`, and those that it declares `nonlocal`."""
    found: dict[type, set[str]] = {gast.Global: set(), gast.Nonlocal: set()}
    for n in own_nodes(_body(node)):
        if isinstance(n, (gast.Global, gast.Nonlocal)):
            found[type(n)].update(n.names)
    return frozenset(found[gast.Global]), frozenset(found[gast.Nonlocal])


@functools.lru_cache(maxsize=8192)
def local_names(node: Any) -> frozenset[str]:
    """The variables of a function: its parameters and what it binds."""
    return frozenset(parameters(node)).union(*map(writes, _body(node))).difference(*declared(node))


@functools.lru_cache(maxsize=8192)
def free_names(node: Any) -> frozenset[str]:
    """Names that a function, or one nested in it, reads or binds and that are not its own."""
    outside, rebound = declared(node)
    return (rebound.union(*map(free_in, _body(node))) - local_names(node)) - outside


def free_in(node: Any) -> frozenset[str]:
    """Names that are read where `node` stands, in the functions and comprehensions in it too."""
    if isinstance(node, _GAST_FUNCTIONS):
        return free_names(node).union(*map(free_in, _parts_in_scope(node)))
    if isinstance(node, _COMPREHENSIONS):
        own = {n.id for g in node.generators for n in gast.walk(g.target) if isinstance(n, gast.Name)}
        inside = frozenset[str]().union(*map(free_in, gast.iter_child_nodes(node)))
        return inside - own | free_in(node.generators[0].iter)
    if isinstance(node, gast.Name):
        return reads(node)
    own_target = isinstance(node, gast.AugAssign) and isinstance(node.target, gast.Name)
    return frozenset([node.target.id] if own_target else ()).union(*map(free_in, gast.iter_child_nodes(node)))


def _body(node: Any) -> list[Any]:
    return node.body if isinstance(node.body, list) else [node.body]


def own_nodes(stmts: list[Any]) -> Iterator[Any]:
    """Every node of these statements, nested functions as one node each."""
    todo = list(stmts)
    while todo:
        n = todo.pop()
        yield n
        if not isinstance(n, _GAST_FUNCTIONS):
            todo += gast.iter_child_nodes(n)


def _bound(s: gast.With) -> frozenset[str]:
    """Names that the contexts of a `with` are bound to."""
    return frozenset().union(*map(writes, s.items))


_RUN_THROUGH = {"all", "any", "dict", "frozenset", "list", "max", "min", "set", "sorted", "sum", "tuple"}


def _runs_through(fn: Any) -> bool:
    """Is this the name of a function that runs through what it is given, and does not keep it?"""
    if isinstance(fn, gast.Attribute):
        return fn.attr in ("fsum", "prod")
    return isinstance(fn, gast.Name) and fn.id in _RUN_THROUGH


class Liveness:
    """Which names of a function may still be read after a statement.

    after[stmt]   live after the statement
    before[stmt]  live before it, on its way to a break or continue included
    jumps[stmt]   live where a break or continue in the statement goes
    head[loop]    live before the test or next item of a loop
    carried[loop] read by an iteration before it binds them
    captured      names that nested functions, and generator expressions that may be kept, read or bind: live
                  everywhere
    at_once       the generator expressions that are arguments of a builtin, which runs through them
    """

    def __init__(self, node: Any) -> None:
        self.after: dict[Any, frozenset[str]] = {}
        self.before: dict[Any, frozenset[str]] = {}
        self.jumps: dict[Any, frozenset[str]] = {}
        self.head: dict[Any, frozenset[str]] = {}
        self.carried: dict[Any, frozenset[str]] = {}
        self._gen: dict[int, tuple[frozenset[str], frozenset[str] | None]] = {}
        self.captured: set[str] = set()
        self.at_once: set[Any] = set()
        body = node.body if isinstance(node.body, list) else []
        for n in own_nodes(_body(node)):
            if isinstance(n, _GAST_FUNCTIONS):
                self.captured |= free_names(n)
            if isinstance(n, gast.Call) and _runs_through(n.func):
                self.at_once.update(a for a in n.args if isinstance(a, gast.GeneratorExp))
        for n in own_nodes(_body(node)):
            if isinstance(n, gast.GeneratorExp) and n not in self.at_once:
                self.captured |= free_in(n)
        self._block(body, frozenset(), frozenset(), frozenset())

    def enter(self, stmt: Any, out: frozenset[str]) -> None:
        """Add a statement that stands for an expression, after which `out` is live."""
        self._block([stmt], out, frozenset(), frozenset())

    def leaving(self, stmt: Any) -> frozenset[str]:
        """Live after the statement, or where a break or continue in it goes."""
        return self.after.get(stmt, frozenset()) | self.jumps.get(stmt, frozenset())

    def _block(self, stmts: list[Any], out: frozenset[str], brk: frozenset[str],
               cont: frozenset[str]) -> frozenset[str]:
        for stmt in reversed(stmts):
            self.after[stmt] = out
            self.jumps[stmt] = brk | cont
            out = self.before[stmt] = self._stmt(stmt, out, brk, cont)
        return out

    def _stmt(self, s: Any, out: frozenset[str], brk: frozenset[str], cont: frozenset[str]) -> frozenset[str]:
        if isinstance(s, gast.If):
            arms = self._block(s.body, out, brk, cont) | self._block(s.orelse, out, brk, cont)
            return arms | frozenset(reads(s.test))
        if isinstance(s, (gast.For, gast.While)):
            # The body's effect is X -> gen + (X - kill), so one round is the fixpoint.
            returned = {name for n in gast.walk(s) if isinstance(n, gast.Return) for name in reads(n)}
            out = out | returned
            done = self._block(s.orelse, out, brk, cont) | out
            first = writes(s.target) if isinstance(s, gast.For) else set()
            test = reads(s.test) if isinstance(s, gast.While) else set()
            self.carried[s] = frozenset(test | (self._exposed(s.body)[0] - first))
            head = frozenset(done | self.carried[s])
            self.head[s] = head
            self._block(s.body, head, out, head)
            return head | frozenset(reads(s.iter) if isinstance(s, gast.For) else ())
        if isinstance(s, gast.With):
            inner = self._block(s.body, out, brk, cont) - _bound(s)
            return inner.union(*map(reads, s.items))
        if isinstance(s, gast.Return):
            return frozenset(reads(s))
        if isinstance(s, gast.Raise):
            return frozenset(reads(s))
        if isinstance(s, gast.Break):
            return brk
        if isinstance(s, gast.Continue):
            return cont
        gen, kill = self._exposed_stmt(s)
        return gen | (out - (kill or frozenset()))

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
            gen = frozenset(reads(s.test)) | g1 | g2
            if k1 is None or k2 is None:
                return gen, k2 if k1 is None else k1
            return gen, k1 & k2
        if isinstance(s, (gast.For, gast.While)):
            first = writes(s.target) if isinstance(s, gast.For) else set()
            gen = frozenset(reads(s.iter if isinstance(s, gast.For) else s.test))
            gen |= (self._exposed(s.body)[0] - first) | self._exposed(s.orelse)[0]
            return gen, none
        if isinstance(s, gast.With):
            g, k = self._exposed(s.body)
            return (g - _bound(s)).union(*map(reads, s.items)), None if k is None else k | _bound(s)
        if isinstance(s, (gast.Return, gast.Raise, gast.Break, gast.Continue)):
            return frozenset(reads(s)), None
        walrus = {n.target.id for n in gast.walk(s) if isinstance(n, gast.NamedExpr)}
        return frozenset(reads(s)), frozenset(writes(s) - walrus)
