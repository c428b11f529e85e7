"""Attempts -> `try` statements.

    ok, _, y = attempt(x, of="log", ...); If(ok, [...], [...])   ->   try: y = math.log(x)
                                                                      except ValueError: ...
                                                                      else: ...

Attempts behind one another with the same handler are one `try`, as the user wrote it.
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from sct.codegen.polish.variable_names import Names
from sct.codegen.program.statement_ir import Assign, Block, Evaluate, If, Pop, ReadAt, Statement
from sct.codegen.python.print_expressions import ExpressionPrinter, Modules, load, store, tuple_of
from sct.ir.core import Eqn, Operand, Value, is_effect, is_undef
from sct.ops import attempt

__all__ = ["AttemptPrinter", "definitions"]


@dataclass(eq=False)
class Tried:
    """The parts of a `try` statement.

    passed   names of variables that say what of the body has not raised: false before it, and set in the body
    flags    names of those that say that nothing has raised
    body     what is attempted; `classes`: those of the exceptions; `error`: the name of the exception
    handler  what is done where it has raised; `orelse`: where it has not
    """

    passed: list[str]
    flags: list[str]
    body: list[ast.stmt]
    classes: list[ast.expr]
    error: str | None
    handler: list[ast.stmt]
    orelse: list[ast.stmt]
    trees: list[ast.stmt] = field(default_factory=list)

    @property
    def names(self) -> list[str]:
        return [*self.passed, *self.flags]

    def statements(self) -> list[ast.stmt]:
        """The `try`, with what comes before it."""
        before: list[ast.stmt] = []
        handler, orelse = list(self.handler), list(self.orelse)
        if self.passed:
            before = [ast.Assign([store(name) for name in self.names], _constant(False), None)]
        else:
            handler[:0] = [_set(name, False) for name in self.flags]
        orelse[:0] = [_set(name, True) for name in self.flags]
        except_ = ast.ExceptHandler(tuple_of(self.classes), self.error, handler or [ast.Pass()])
        self.trees = [*before, ast.Try(self.body, [except_], orelse, [])]
        return self.trees


def _constant(value: bool) -> ast.expr:
    return ast.Constant(value, None)


def _set(name: str, value: bool) -> ast.stmt:
    return ast.Assign([store(name)], _constant(value), None)


def definitions(block: Iterable[Statement], names: Mapping[Value, str]) -> Counter[str]:
    """How many statements give a variable a value, apart from reads of tapes, where no forward value is live."""
    count: Counter[str] = Counter()
    for s in block:
        if isinstance(s, Assign):
            count.update(names[v] for v, x in s.pairs if v in names and not is_undef(x)
                         and not (isinstance(x, Value) and names.get(x) == names[v]))
        elif not isinstance(s, (Pop, ReadAt)):
            count.update(names[v] for v in s.targets if v in names)
    return count


def is_plain(s: Statement) -> bool:
    """Is this arithmetic of the user's that raises nothing that is caught, or an assignment?"""
    return isinstance(s, Assign) or isinstance(s, Evaluate) and s.eqn.primal and not s.eqn.regions \
        and not is_effect(s.eqn)


def merged(outer: Tried, between: Sequence[ast.stmt], inner: Tried) -> Tried | None:
    """One `try` for an attempt, what is done where it has not raised, and an attempt behind that.

    None if they catch other classes, which what is between them may raise, or handle them in another way.
    """
    alike = (outer.handler, inner.handler), (outer.classes, inner.classes)
    if outer.error != inner.error or any(list(map(ast.dump, a)) != list(map(ast.dump, b)) for a, b in alike):
        return None
    if not set(outer.names).isdisjoint(inner.names):
        return None
    passed = [_set(name, True) for name in outer.flags]
    return Tried([*outer.names, *inner.passed], inner.flags, [*outer.body, *passed, *between, *inner.body],
                 outer.classes, outer.error, outer.handler, inner.orelse)


def with_branches(tried: Tried, flag: str, then: Sequence[ast.stmt], orelse: Sequence[ast.stmt], is_read: bool) -> bool:
    """Moves the branches of a conditional on a flag, which the two ends of the `try` set, to these ends."""
    ends = tried.handler, tried.orelse
    for raised in (True, False):
        sets = [_only_assignment(end, flag, value) for end, value in zip(ends, (raised, not raised))]
        if None not in sets and not any(_jumps(end) for end in ends):
            for end, s, branch in zip(ends, sets, (then, orelse) if raised else (orelse, then)):
                end[:] = [*(x for x in end if is_read or x is not s), *branch]
            return True
    return False


def _only_assignment(end: Sequence[ast.stmt], flag: str, value: bool) -> ast.stmt | None:
    """The statement that sets the flag to this value at one end of a `try`, if nothing else there assigns it."""
    s = next((s for s in end if ast.dump(s) == ast.dump(_set(flag, value))), None)
    targets = [n for x in end for n in ast.walk(x) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)]
    return s if [n.id for n in targets].count(flag) == 1 else None


def _jumps(end: Sequence[ast.stmt]) -> bool:
    return bool(end) and isinstance(end[-1], (ast.Return, ast.Break, ast.Continue, ast.Raise))


class AttemptPrinter:
    """The part of the printer of statements that prints attempts.

    handled         for an attempt: the conditional behind it on whether it has raised
    tried           the parts of each `try`
    definitions     how many statements give a variable a value
    reads_of_flags  how often a value is read
    """

    expr: ExpressionPrinter
    names: Names
    modules: Modules
    read: Collection[Value]
    placeholder_names: set[str]
    handled: dict[Statement, If]
    tried: dict[ast.stmt, Tried]
    definitions: Counter[str]
    reads_of_flags: Counter[Operand]

    def block(self, block: Block) -> list[ast.stmt]:
        raise NotImplementedError

    def unpack(self, values: Sequence[Value], value: ast.expr) -> ast.stmt:
        raise NotImplementedError

    def assign(self, v: Value, value: ast.expr) -> ast.stmt:
        raise NotImplementedError

    def paired(self, block: Block) -> Iterator[Statement]:
        """The statements, without the conditionals that are printed as parts of the `try` before them."""
        before: Statement | None = None
        for s in block:
            if isinstance(s, If) and isinstance(before, Evaluate) and before.eqn.op is attempt \
                    and s.test is before.eqn.outs[0]:
                self.handled[before] = s
            else:
                yield s
            before = s

    def attempt(self, s: Evaluate, paths: If | None) -> Iterator[ast.stmt]:
        """`try: ... except ...: ... else: ...`, with the conditional on whether it raises."""
        ok, error, *results = s.eqn.outs
        value = self.expr.right_side(s)
        body = self.unpack(results, value) if any(v in self.read for v in results) else ast.Expr(value)
        flags = [self.names[ok]] if self.reads_of_flags[ok] > (paths is not None) else []
        then, orelse = ([], []) if paths is None else (self.block(paths.then), self.block(paths.orelse))
        name = None
        if error in self.read:  # Python unbinds the name behind the handler
            name = next(self.names.free(f"{self.names[error]}_"))
            orelse = [self.assign(error, load(name)), *orelse]
        missing = [v for v in results if v in self.read and self.names.names.get(v) in self.placeholder_names]
        placeholders = [self.assign(v, ast.Constant(self.expr.missing)) for v in missing]
        orelse = [*(s for s in placeholders if ast.dump(s) not in map(ast.dump, orelse)), *orelse]
        tried = Tried([], flags, [body], self.caught(s.eqn), name, orelse, then)
        if paths is not None:
            tried = self.merged(tried, paths.then)
        yield from tried.statements()
        self.tried[tried.trees[-1]] = tried

    def merged(self, tried: Tried, then: Block) -> Tried:
        """The `try`, with the one in which its `else` ends, if their handlers are the same."""
        inner = self.tried.get(tried.orelse[-1]) if tried.orelse else None
        at = next((k for k, s in enumerate(then) if s in self.handled), None)
        if inner is None or at is None or not all(map(is_plain, (*then[:at], *then[at + 2:]))) \
                or any(self.definitions[name] > 1 for name in (*tried.names, *inner.names)):
            return tried
        between = tried.orelse[:len(tried.orelse) - len(inner.trees)]
        return merged(tried, between, inner) or tried

    def at_ends(self, s: If, tried: Tried) -> bool:
        """Moves the branches of a conditional on which end of the `try` before it was reached to these ends."""
        if not isinstance(s.test, Value) or s.test in self.expr.inlined or s.test not in self.names.names:
            return False
        is_read = self.reads_of_flags[s.test] > 1
        return with_branches(tried, self.names[s.test], self.block(s.then), self.block(s.orelse), is_read)

    def caught(self, eqn: Eqn) -> list[ast.expr]:
        """The classes of exceptions that an attempt catches."""
        names = [self.modules.dotted(name) if "." in name else self.modules.builtin(name)
                 for name in eqn.attrs["catches"]]
        return [*names, *map(self.expr, eqn.args[len(eqn.args) - eqn.attrs["classes"]:])]
