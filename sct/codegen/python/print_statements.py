"""The statement IR -> syntax trees of statements.

In: a block, the names of variables, and the values that are inlined. Out: a list of `ast.stmt`, and the location in
the user's source of each.

    If(test, [], [Jump("break")])   ->   if not test: break

Values that share a variable need no assignment to each other, and what nothing reads is not assigned.
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, TypeGuard

from sct.codegen.polish.variable_names import Names
from sct.codegen.program.statement_ir import (
    Assign,
    Block,
    CheckBound,
    Define,
    Evaluate,
    If,
    Increment,
    Jump,
    Loop,
    NewList,
    Pop,
    Push,
    ReadAt,
    Return,
    Select,
    Statement,
    Update,
    statements,
)
from sct.codegen.python.print_attempts import definitions
from sct.codegen.python.print_expressions import (
    ExpressionPrinter,
    as_value,
    call,
    conjunction,
    constant,
    move_signs,
    negated,
    store,
    tuple_of,
    without_bool,
    without_sign,
    without_term,
)
from sct.codegen.python.print_list_removals import ListRemovalPrinter
from sct.codegen.python.print_results import display
from sct.codegen.python.print_signature import arguments, function
from sct.codegen.python.unparse import Comment, comment, user_line
from sct.errors import Loc, unbound_error
from sct.ir.core import UNDEF, Eqn, Lit, Operand, Value, is_number
from sct.ir.loop_view import is_counted
from sct.ir.pytrees.pytree import Tree
from sct.ir.types import Optional, Tensor, Undef, base_type
from sct.ops import add_at, attempt, enter, leave
from sct.ops.arrays.indexing import replaces_item, written

__all__ = ["StatementPrinter"]

_OPERATORS: dict[str | None, Any] = {"+=": ast.Add, "-=": ast.Sub, "*=": ast.Mult, "/=": ast.Div}
_OPPOSITE_SIGN: dict[Any, Any] = {ast.Add: ast.Sub, ast.Sub: ast.Add}


class StatementPrinter(ListRemovalPrinter):
    """Prints blocks. The line of the user's source that statements differentiate is a comment above them.

    result             the structure of the function's result
    placeholder_names  variables for which None, or `...`, stands where they are not bound
    arrays_0d          variables that are an array without axes somewhere, into which `name += x` would write
    locs               the location in the user's source of each statement that has one
    last_line          the line from which the end of the block derives that was printed last
    """

    def __init__(self, expressions: ExpressionPrinter, names: Names, result: Tree, block: Block) -> None:
        self.expr, self.names, self.result = expressions, names, result
        self.modules = expressions.modules
        self.inner_prologue: Callable[[str, Tree], Sequence[ast.stmt]] | None = None
        self.placeholder_names = _placeholder_names([*statements(block), *expressions.inlined.values()], names)
        if any(isinstance(s, CheckBound) and isinstance(s.value.type, Undef) and isinstance(s.value.type.elem, Optional)
               and names.names.get(s.value) in self.placeholder_names for s in statements(block)):
            self.expr.missing = ...  # None is a value
        self.read = names.live.read
        self.arrays_0d = {name for v, name in names.names.items() if _is_zero_d(v)}
        self.locs: dict[ast.stmt, Loc] = {}
        self.last_line: tuple[str, int] | None = None
        self.pop_statements: dict[Statement, bool] = {}
        self.handled, self.tried = {}, {}
        self.attempts = any(isinstance(s, Evaluate) and s.eqn.op is attempt for s in statements(block))
        self.definitions = definitions(statements(block), names.names)
        self.reads_of_flags = Counter(x for s in [*statements(block), *expressions.inlined.values()] for x in s.reads)

    def block(self, block: Block) -> list[ast.stmt]:
        """The trees of the statements."""
        trees: list[ast.stmt] = []
        line: tuple[str, int] | None = None
        self.pop_statements.update(self.find_pops(block))
        remaining = iter(list(self.paired(block)))
        for s in remaining:
            tried = self.tried.get(trees[-1]) if trees else None
            if tried is not None and isinstance(s, If) and self.at_ends(s, tried):
                del trees[len(trees) - len(tried.trees):]
                trees += tried.statements()
                self.tried[trees[-1]] = tried
                continue
            printed = list(self.with_block(s, remaining) if _enters_context(s) else self.statement(s))
            if isinstance(s, Loop) and trees and (comprehension := self.comprehension(s, trees[-1], printed)):
                printed = [comprehension]
                trees.pop()
            locs = self.locations(s) if printed else []
            loc = locs[0] if locs else None
            candidates = [s.derives] if isinstance(s, Loop) else locs if isinstance(s, (Evaluate, Update)) else []
            derived_from = next((p for p in candidates if p is not None and user_line(p)), None)
            if derived_from is not None:
                new = line != (derived_from.file, derived_from.line) and (isinstance(s, Loop) or self.is_derivative(s))
                trees += [comment(user_line(derived_from))] if new else []
                line = derived_from.file, derived_from.line
            elif isinstance(s, (If, Loop)):
                if line is not None and printed and _text(printed[0]) == user_line(Loc(*line)):
                    printed = printed[1:]
                line = self.last_line if isinstance(s, Loop) else None
            trees += printed
            self.locs.update((tree, loc) for tree in printed if loc is not None)
        self.last_line = line
        return trees

    def with_block(self, s: Evaluate, remaining: Iterator[Statement]) -> Iterator[ast.stmt]:
        """`with context:` around the statements up to the one that leaves it."""
        inner: Block = []
        depth = 1
        for t in remaining:
            depth += _enters_context(t) - (isinstance(t, Evaluate) and t.eqn.op is leave)
            if not depth:
                break
            inner.append(t)
        body = self.block(inner)
        if body:
            yield ast.With([ast.withitem(self.expr.right_side(s), None)], body, None)

    def locations(self, s: Statement) -> list[Loc]:
        """The user's locations of a statement and of the expressions inlined into it, the last of these first."""
        own = [s.eqn.loc] if isinstance(s, (Evaluate, Update, If, Loop)) and s.eqn is not None else []
        parts = [self.expr.inlined[x] for x in s.operands if isinstance(x, Value) and x in self.expr.inlined]
        locs = [*own, *(p.eqn.loc for p in reversed(parts) if isinstance(p, Evaluate))]
        return [loc for loc in locs if loc is not None]

    def is_derivative(self, s: Statement) -> bool:
        """Is this adjoint code, and not a statement of the user's that is recomputed?"""
        assert isinstance(s, (Evaluate, Update))
        recomputed = any(v in self.names.names and self.names.is_users(v) for v in s.eqn.outs)
        return not (s.eqn.primal or recomputed or s.eqn.op.name in ("zeros_of", "repeat", "copy"))

    def statement(self, s: Statement) -> Iterator[ast.stmt]:
        """The statements of Python for one statement."""
        if isinstance(s, Evaluate) and s in self.pop_statements:
            yield from [self.pop(s.eqn)] if self.pop_statements[s] else []
        elif isinstance(s, Evaluate) and s.eqn.op is attempt:
            yield from self.attempt(s, self.handled.get(s))
        elif isinstance(s, Evaluate):
            yield from self.evaluate(s)
        elif isinstance(s, Update):
            yield from self.rebind(s.eqn.out, s.eqn.args[0])
            whole = s.by.args[0] is s.eqn.args[0]
            target = store(self.names[s.eqn.out]) if whole else self.subscript(s.eqn, s.eqn.out)
            yield self.update(target, s.by, s.value)
        elif isinstance(s, Select):
            yield self.assign(s.value, self.expr.right_side(s))
        elif isinstance(s, Assign):
            yield from self.parallel_assignment(s)
        elif isinstance(s, If):
            yield from self.conditional(s)
        elif isinstance(s, Loop):
            yield self.loop(s)
        elif isinstance(s, Jump):
            yield ast.Break() if s.kind == "break" else ast.Continue()
        elif isinstance(s, NewList):
            yield self.assign(s.tape, ast.List([], ast.Load()))
        elif isinstance(s, Push):
            append = ast.Attribute(self.expr(s.tape), "append", ast.Load())
            yield ast.Expr(call(append, tuple_of([self.expr(x) for x in s.items])))
        elif isinstance(s, Pop):
            yield self.unpack(s.values, call(ast.Attribute(self.expr(s.tape), "pop", ast.Load())))
        elif isinstance(s, ReadAt):
            yield self.unpack(s.values, ast.Subscript(self.expr(s.tape), self.expr(s.index), ast.Load()))
        elif isinstance(s, CheckBound):
            yield from self.check_bound(s.value, s.free, s.always)
        elif isinstance(s, Increment):
            op = ast.Add() if s.by > 0 else ast.Sub()
            yield ast.AugAssign(store(self.names[s.count]), op, ast.Constant(abs(s.by), None))
        elif isinstance(s, Define):
            yield self.define(s)
            for name, constant in s.eqn.attrs.get("attributes", ()):
                target = ast.Attribute(ast.Name(self.names[s.eqn.out], ast.Load()), name, ast.Store())
                yield ast.Assign([target], ast.Constant(constant), lineno=0)
        elif isinstance(s, Return):
            yield ast.Return(display(self.result, s.results, self.expr, self.names.free("shared")))
        else:
            raise AssertionError(f"a statement without a text: {type(s).__name__}")

    # -- assignments --------------------------------------------------------------------

    def unpack(self, values: Sequence[Value], value: ast.expr) -> ast.stmt:
        read = [store(self.names[v]) if v in self.read else store("_") for v in values]
        if not any(v in self.read for v in values):
            return ast.Expr(value)
        return ast.Assign([tuple_of(read, ast.Store())], value, None)

    def evaluate(self, s: Evaluate) -> Iterator[ast.stmt]:
        """The statements of Python for an equation."""
        eqn, name = s.eqn, s.eqn.op.name
        if name == "raise_":
            yield ast.Raise(*map(self.expr, eqn.args))
        elif name in ("store", "add_at", "splice"):
            yield from self.rebind(eqn.out, eqn.args[0])
            yield self.write(eqn)
        elif eqn.op is written:  # in place, through the view
            yield from self.rebind(eqn.out, eqn.args[0])
        elif name == "swapped":
            yield from self.rebind(eqn.out, eqn.args[0])
            yield self.swap(eqn)
        elif eqn.op.updates:
            yield from self.rebind(eqn.out, eqn.args[0])
            deletes = name == "remove_slice" or eqn.attrs.get("deleted")
            yield self.deletion(s.eqn) if deletes else ast.Expr(self.expr.right_side(s))
        elif not any(v in self.read for v in eqn.outs):
            yield _item_statement(self.expr.right_side(s))
        elif len(eqn.outs) > 1:
            yield self.unpack(eqn.outs, self.expr.right_side(s))
        else:
            yield self.augmented(eqn) or self.assigned_sum(eqn, self.expr.right_side(s))

    def rebind(self, out: Value, x: Operand) -> Iterator[ast.stmt]:
        """`out = x` before a write into `x` in place; nothing if the two share a variable."""
        if not (isinstance(x, Value) and self.names.same(out, x)):
            yield self.assign(out, self.expr(x))

    def subscript(self, eqn: Eqn, out: Value) -> Any:
        return self.expr.subscript(out, eqn.args[eqn.op.key_at:], eqn.attrs["key"], ast.Store())

    def write(self, eqn: Eqn) -> ast.stmt:
        """`x[key] = v` or `x[key] += v`"""
        if eqn.op.name in ("store", "splice"):
            return ast.Assign([self.subscript(eqn, eqn.out)], self.expr(eqn.args[1]), None)
        if replaces_item(eqn.args[0], eqn.args[1], eqn.attrs["key"]):
            value = ast.BinOp(self.expr.subscript(eqn.out, eqn.args[2:], eqn.attrs["key"], ast.Load()), ast.Add(),
                              self.expr(eqn.args[1]))
            return ast.Assign([self.subscript(eqn, eqn.out)], move_signs(value), None)
        if "a" not in eqn.attrs["key"]:
            return self.update(self.subscript(eqn, eqn.out), eqn, eqn.args[1])
        key = as_value(self.subscript(eqn, eqn.out).slice)
        return ast.Expr(call(self.modules.dotted("numpy.add.at"), self.expr(eqn.out), key, self.expr(eqn.args[1])))

    def check_bound(self, v: Value, free: bool, always: bool) -> Iterator[ast.stmt]:
        """Raise as Python does where `v` is not bound.

        Python does so itself, unless None stands for the missing value or the variable has another name, or is one
        of a function around.
        """
        name = self.names[v]
        exception, text = unbound_error(v.hint or name, free=free)
        error = call(self.modules.builtin(exception), constant(text, self.modules))
        if always:
            yield ast.Raise(error, None)
        elif name in self.placeholder_names:
            missing = ast.Compare(self.expr(v), [ast.Is()], [ast.Constant(self.expr.missing, None)])
            yield ast.If(missing, [ast.Raise(error, None)], [])
        elif free or v.hint not in (None, name) and self.names.is_users(v):
            handler = ast.ExceptHandler(self.modules.builtin("UnboundLocalError"), None,
                                        [ast.Raise(error, ast.Constant(None, None))])
            yield ast.Try([ast.Expr(self.expr(v))], [handler], [], [])

    def augmented(self, eqn: Eqn) -> ast.stmt | None:
        """`x += y`, for numbers and for arrays that are updated in place."""
        args = eqn.args
        if eqn.op.augmented is None or eqn.spelling is not None and not eqn.spelling.startswith("operator."):
            return None
        number = self.is_rebound(eqn.out)
        if not number and eqn.inplace is None:
            return None
        orders = [(0, 1), (1, 0)] if eqn.op.commutative and not eqn.primal else [(0, 1)]
        for k, other in orders:
            x = args[k]
            if isinstance(x, Value) and self.is_variable(x) and self.names.same(eqn.out, x) \
                    and (number or eqn.inplace == k):
                return self.update(store(self.names[eqn.out]), eqn, args[other])
        return None

    def assigned_sum(self, eqn: Eqn, value: ast.expr) -> ast.stmt:
        """`x = value`, or `x += b - c` if x is a number and the value is `x + b - c`."""
        name = self.names[eqn.out]
        rest = without_term(value, name) if not eqn.primal and self.is_rebound(eqn.out) else None
        if rest is None:
            return self.assign(eqn.out, value)
        return ast.AugAssign(store(name), *rest)

    def update(self, target: Any, by: Eqn, x: Operand) -> ast.stmt:
        """`target += x`, or `-=` where that removes a sign."""
        value, op = self.expr(x), _OPERATORS["+=" if by.op is add_at else by.op.augmented]
        positive = without_sign(value) if op in _OPPOSITE_SIGN and not by.primal else None
        if positive is None:
            return ast.AugAssign(target, op(), value)
        return ast.AugAssign(target, _OPPOSITE_SIGN[op](), positive)

    def is_rebound(self, out: Value) -> bool:
        """Does `out += x` assign a new number to the name?"""
        return is_number(out) and self.names[out] not in self.arrays_0d

    def is_variable(self, x: Value) -> bool:
        return x not in self.expr.inlined

    def parallel_assignment(self, s: Assign) -> Iterator[ast.stmt]:
        """Parallel assignments, one after the other as long as none overwrites a source of another."""
        pairs = [(v, x) for v, x in s.pairs if self.needs_assignment(v, x)]
        while pairs:
            sources = [{self.names[y] for y in self.names.live.leaves([x])} for _, x in pairs]
            free = next((k for k, (v, _) in enumerate(pairs)
                         if not any(self.names[v] in read for j, read in enumerate(sources) if j != k)), None)
            if free is None:
                break
            v, x = pairs.pop(free)
            yield self.assign(v, self.expr(x))
        if pairs:
            targets = [store(self.names[v]) for v, _ in pairs]
            yield ast.Assign([tuple_of(targets, ast.Store())], tuple_of([self.expr(x) for _, x in pairs]), None)

    def needs_assignment(self, v: Value, x: Operand) -> bool:
        """Must `v = x` be printed?  Not if they share a variable, or nothing reads `v`."""
        if v not in self.names.names:
            return False
        if isinstance(x, Lit):
            return x.value is not UNDEF or self.names[v] in self.placeholder_names
        return x in self.expr.inlined or not self.names.same(v, x)

    # -- control ------------------------------------------------------------------------

    def conditional(self, s: If) -> Iterator[ast.stmt]:
        """An `if`, below the comment that both branches begin with; nested ones of adjoint code are joined by `and`."""
        then, orelse = self.block(s.then), self.block(s.orelse)
        if not then and not orelse:
            return
        test = conjunction(without_bool(self.expr(s.test)))
        if then and orelse and (line := _text(then[0])) is not None and line == _text(orelse[0]):
            yield then[0]
            then, orelse = then[1:], orelse[1:]
        if not then or orelse and isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
            then, orelse, test = orelse, then, negated(test)
        inner = then[0] if len(then) == 1 and s.eqn is not None and not s.eqn.primal else None
        if isinstance(inner, ast.If) and list(map(ast.dump, inner.orelse)) == list(map(ast.dump, orelse)):
            test, then = conjunction(test, inner.test), inner.body
        yield ast.If(test, then, orelse)

    def loop(self, s: Loop) -> ast.stmt:
        body = self.block(s.body)
        if s.tape is not None:
            return ast.While(self.expr(s.tape), body, [])
        if s.bounds or s.zipped:
            return ast.For(*self.for_header(s), body or [ast.Pass()], [], None)
        if s.test is None:
            return ast.While(ast.Constant(True, None), body, [])
        head = self.block(s.head)
        if not head:
            return ast.While(without_bool(self.expr(s.test)), body or [ast.Pass()], [])
        leave = ast.If(negated(without_bool(self.expr(s.test))), [ast.Break()], [])
        return ast.While(ast.Constant(True, None), [*head, leave, *body], [])

    def comprehension(self, s: Loop, empty: ast.stmt, printed: list[ast.stmt]) -> ast.stmt | None:
        """`xs = [f(y) for y in ys]` for a loop that does nothing but append to a list that is empty before it.

        Where an exception is handled, the items before it may be read."""
        match (empty, printed):
            case (ast.Assign([ast.Name(name)], ast.List([])), [ast.For(target, over, [ast.Expr(ast.Call(
                    ast.Attribute(ast.Name(of), "append"), [item]))])]) if of == name and not self.attempts:
                pass
            case _:
                return None
        moved = [v for t in s.body if isinstance(t, Assign) for v, _ in t.pairs]
        used = {n.id for tree in (target, over, item) for n in ast.walk(tree) if isinstance(n, ast.Name)}
        if name in used or any(self.names.names.get(v, name) != name for v in moved):
            return None
        if ast.unparse(item) == ast.unparse(target):
            values: ast.expr = call(self.modules.builtin("list"), over)
        else:
            values = ast.ListComp(item, [ast.comprehension(target, over, [], 0)])
        return ast.Assign([ast.Name(name, ast.Store())], values, None)

    def for_header(self, s: Loop) -> tuple[ast.expr, ast.expr]:
        """The target and the iterable of a `for`."""
        index = self.names[s.index] if s.index in self.read and s.index is not None else "_"
        pairs: list[tuple[ast.expr, ast.expr]] = []
        if s.bounds and (index != "_" or not s.zipped):
            pairs.append((store(index), self.range_call(s)))
        for z in s.zipped:
            read = [store(self.names[v]) if v in self.read else store("_") for v in z.values]
            over = self.expr(z.tape)
            pairs.append((tuple_of(read, ast.Store()), self.reversed(over) if z.backwards else over))
        target, over = pairs[0]
        if len(pairs) > 1:
            target = ast.Tuple([t for t, _ in pairs], ast.Store())
            over = call(self.modules.builtin("zip"), *(iterable for _, iterable in pairs))
        if index != "_" and not s.bounds:
            target, over = ast.Tuple([store(index), target], ast.Store()), call(self.modules.builtin("enumerate"), over)
        return target, over

    def reversed(self, tree: ast.expr) -> ast.expr:
        return call(self.modules.builtin("reversed"), tree)

    def range_call(self, s: Loop) -> ast.expr:
        """The values of the index, in order: `range(n)`, `reversed(range(n))`, `itertools.count()`."""
        if not is_counted(s.bounds):
            return self.count_call(s)
        values = call(self.modules.builtin("range"), *self.range(s.bounds))
        once = isinstance(s.bounds[0], Lit) and s.bounds[1:] == (Lit(s.bounds[0].value + 1), Lit(1))
        in_order = once or s.index not in self.read and not _reads_lists(s.body)
        return self.reversed(values) if s.reverse and not in_order else values

    def count_call(self, s: Loop) -> ast.expr:
        start, _, step = s.bounds
        bounds = [start, step] if step != Lit(1) else [start] if start != Lit(0) else []
        return call(self.modules.dotted("itertools.count"), *map(self.expr, bounds))

    def range(self, bounds: tuple[Operand, ...]) -> list[ast.expr]:
        start, stop, step = bounds
        if step != Lit(1):
            return [self.expr(start), self.expr(stop), self.expr(step)]
        return [self.expr(stop)] if start == Lit(0) else [self.expr(start), self.expr(stop)]

    # -- functions ------------------------------------------------------------------------

    def define(self, s: Define) -> ast.stmt:
        outer, self.result = self.result, s.eqn.attrs["result"]
        body = self.block(s.body)
        self.result = outer
        is_pullback = s.eqn.attrs.get("escapes", True)
        if is_pullback and self.inner_prologue is not None and len(s.params) == 1:
            body = [*self.inner_prologue(self.names[s.params[0]], s.eqn.attrs["params"]), *body]
        return function(self.names[s.eqn.out], arguments([self.names[p] for p in s.params]), body)


def _item_statement(value: ast.expr) -> ast.stmt:
    """The statement that evaluates an expression: `d[k] = v` for `d.__setitem__(k, v)`."""
    match value:
        case ast.Call(ast.Attribute(ast.Name() as owner, "__setitem__"), [key, item], []):
            return ast.Assign([ast.Subscript(owner, key, ast.Store())], item, None)
        case ast.Call(ast.Attribute(ast.Name() as owner, "__delitem__"), [key], []):
            return ast.Delete([ast.Subscript(owner, key, ast.Del())])
    return ast.Expr(value)


def _enters_context(s: Statement) -> TypeGuard[Evaluate]:
    return isinstance(s, Evaluate) and s.eqn.op is enter


def _is_zero_d(x: Value) -> bool:
    t = base_type(x.type)
    return isinstance(t, Tensor) and t.is_array and not t.rank


def _reads_lists(body: Block) -> bool:
    """Does each iteration read an element of a list?"""
    return any(isinstance(s, (Pop, ReadAt)) for s in statements(body))


def _text(tree: ast.stmt) -> str | None:
    """The text of a comment."""
    return tree.text if isinstance(tree, Comment) else None


def _placeholder_names(block: Iterable[Statement], names: Names) -> set[str]:
    """Variables that are read where they are not bound, and their copies: None stands for the missing value."""
    placeholders: set[str] = set()
    for s in block:
        maybe_unbound: Iterable[Operand] = ()
        copies: Iterable[Value] = ()
        if isinstance(s, Assign):
            pairs = [(v, x) for v, x in s.pairs if x in s.maybe_unbound and v in names.names
                     and isinstance(x, Value) and not names.same(v, x)]
            copies, maybe_unbound = [v for v, _ in pairs], [x for _, x in pairs]
        elif isinstance(s, Select):
            branches = (*s.conditional.then, *s.conditional.orelse)
            maybe_unbound = [x for m in branches if isinstance(m, Assign) for _, x in m.pairs if x in m.maybe_unbound]
            copies = [s.value] if maybe_unbound and s.value in names.names else []
        elif isinstance(s, Push):
            maybe_unbound = [x for x in s.items if x in s.maybe_unbound]
        elif isinstance(s, Evaluate) and s.eqn.op.name in ("pack", "reverse_levels"):
            maybe_unbound = [x for x, like in zip(s.eqn.args, s.like.args) if isinstance(like.type, Undef)]
        placeholders.update(names[v] for x in maybe_unbound if isinstance(x, Value) for v in names.live.leaves([x]))
        placeholders.update(names[v] for v in copies)
    return placeholders
