"""Programs -> syntax trees of statements.

    If(test, [], [Jump("break")])   ->   if not test: break
"""

from __future__ import annotations

import ast
import keyword
import linecache
import re
import textwrap
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import pairwise
from typing import Any, TypeGuard

from sct.codegen.polish.augmented_assignment import AUGMENTED
from sct.codegen.polish.variable_names import Names
from sct.codegen.program.statement_ir import (
    Assigned,
    At,
    Block,
    Define,
    If,
    Jump,
    Let,
    Loop,
    Move,
    NewList,
    Pop,
    Push,
    Return,
    Select,
    Statement,
    Tick,
    Update,
    operands,
    statements,
)
from sct.codegen.program.templates import WRITES
from sct.codegen.python.print_expressions import (
    Expressions,
    call,
    constant,
    signed,
    store,
    tuple_of,
    without_sign,
    without_term,
)
from sct.codegen.python.unparse import comment
from sct.errors import Loc
from sct.ir.core import UNDEF, Eqn, Lit, Operand, Value
from sct.ir.pytree import Const, Leaf, Node, Tree
from sct.ir.types import List, Optional, Tensor, Undef
from sct.ir.user_objects import is_namedtuple, makes_itself
from sct.ops import enter, leave

__all__ = ["Statements", "user_line"]

_OPERATORS: dict[str, Any] = {"add": ast.Add, "sub": ast.Sub, "mul": ast.Mult, "div": ast.Div, "add_at": ast.Add}
_OTHER: dict[Any, Any] = {ast.Add: ast.Sub, ast.Sub: ast.Add}


class Statements:
    """Prints blocks; above the statements that differentiate a line of the user's, that line is a comment.

    result   how the results of the function are arranged
    written  names that stand for an array without axes somewhere, which `name += x` would write
    """

    def __init__(self, expressions: Expressions, names: Names, result: Tree, block: Block) -> None:
        self.of, self.names, self.result = expressions, names, result
        self.modules = expressions.modules
        self.inner: Callable[[str, Tree], Sequence[ast.stmt]] | None = None
        self.assigned = _placeholders([*statements(block), *expressions.folded.values()], names)
        self.read = names.live.read
        self.written = {name for v, name in names.names.items() if _is_zero_d(v)}
        self.places: dict[ast.stmt, Loc] = {}
        self.pops: dict[Statement, bool] = {}

    def block(self, block: Block) -> list[ast.stmt]:
        """The statements; `places` has the user's place of each that has one."""
        made: list[ast.stmt] = []
        line: tuple[str, int] | None = None
        self.pops.update(self.popping(block))
        rest = iter(block)
        for s in rest:
            trees = list(self.within(s, rest) if _enters(s) else self.statement(s))
            places = self.parts(s) if trees else []
            loc = places[0] if places else None
            told = next((p for p in places if user_line(p)), None) if isinstance(s, (Let, Update)) else None
            if told is not None and isinstance(s, (Let, Update)):
                new = line != (told.file, told.line) and self.explains(s.eqn)
                made += [comment(user_line(told))] if new else []
                line = told.file, told.line
            elif isinstance(s, (If, Loop)):
                line = None
            made += trees
            self.places.update((tree, loc) for tree in trees if loc is not None)
        return made

    def within(self, s: Let, rest: Iterator[Statement]) -> Iterator[ast.stmt]:
        """`with context:` around what comes until it is left."""
        inner: Block = []
        depth = 1
        for each in rest:
            depth += _enters(each) - (isinstance(each, Let) and each.eqn.op is leave)
            if not depth:
                break
            inner.append(each)
        body = self.block(inner)
        if body:
            yield ast.With([ast.withitem(self.of.of(s), None)], body, None)

    def parts(self, s: Statement) -> list[Loc]:
        """The user's places of a statement and of what is written in it, the last of these first."""
        own = [s.eqn.loc] if isinstance(s, (Let, Update, If, Loop)) and s.eqn is not None else []
        parts = [self.of.folded[x] for x in operands(s) if isinstance(x, Value) and x in self.of.folded]
        found = [*own, *(p.eqn.loc for p in reversed(parts) if isinstance(p, Let))]
        return [loc for loc in found if loc is not None]

    def explains(self, eqn: Eqn) -> bool:
        """Is a statement of a derivative, not one of the user's that is done again?"""
        made_again = any(v in self.names.names and self.names.is_users(v) for v in eqn.outs)
        return not (eqn.primal or made_again or eqn.op.name in ("zeros_of", "repeat", "copy"))

    def popping(self, block: Block) -> Iterator[tuple[Statement, bool]]:
        """Each `v = xs[i]` with `xs.pop(i)` behind it, which are one, and is it the first of the two?  If the user
        wrote two, they raise different texts."""
        for s, after in pairwise(block):
            if isinstance(s, Let) and isinstance(after, Let) and s.eqn.op.name == "index" \
                    and after.eqn.op.name == "remove_at" and self.alike(s.eqn.args, after.eqn.args) \
                    and not after.eqn.attrs.get("deleted") and (s.eqn.loc == after.eqn.loc or not s.eqn.primal) \
                    and s.eqn.out in self.read and isinstance(xs := after.eqn.args[0], Value) \
                    and self.names.same(after.eqn.out, xs):
                yield s, True
                yield after, False

    def alike(self, a: Sequence[Operand], b: Sequence[Operand]) -> bool:
        """Are two rows of operands printed alike?"""
        return a == b or len(a) == len(b) and all(ast.dump(self.of(x)) == ast.dump(self.of(y)) for x, y in zip(a, b))

    def pop(self, eqn: Eqn) -> ast.stmt:
        xs, i = eqn.args
        at = [] if i == Lit(-1) else [self.of(i)]
        return self.assign(eqn.out, call(ast.Attribute(self.of(xs), "pop", ast.Load()), *at))

    def statement(self, s: Statement) -> Iterator[ast.stmt]:
        if isinstance(s, Let) and s in self.pops:
            yield from [self.pop(s.eqn)] if self.pops[s] else []
        elif isinstance(s, Let):
            yield from self.let(s)
        elif isinstance(s, Update):
            yield from self.taken_over(s.eqn.out, s.eqn.args[0])
            whole = s.by.args[0] is s.eqn.args[0]
            target = store(self.names[s.eqn.out]) if whole else self.subscript(s.eqn, s.eqn.out)
            yield self.update(target, s.by, s.value)
        elif isinstance(s, Select):
            yield self.assign(s.value, self.of.of(s))
        elif isinstance(s, Move):
            yield from self.move(s)
        elif isinstance(s, If):
            yield from self.branch(s)
        elif isinstance(s, Loop):
            yield self.loop(s)
        elif isinstance(s, Jump):
            yield ast.Break() if s.kind == "break" else ast.Continue()
        elif isinstance(s, NewList):
            yield self.assign(s.tape, ast.List([], ast.Load()))
        elif isinstance(s, Push):
            append = ast.Attribute(self.of(s.tape), "append", ast.Load())
            yield ast.Expr(call(append, tuple_of([self.of(x) for x in s.operands])))
        elif isinstance(s, Pop):
            yield self.unpack(s.values, call(ast.Attribute(self.of(s.tape), "pop", ast.Load())))
        elif isinstance(s, At):
            yield self.unpack(s.values, ast.Subscript(self.of(s.tape), self.of(s.index), ast.Load()))
        elif isinstance(s, Assigned):
            yield from self.check(s.value)
        elif isinstance(s, Tick):
            op = ast.Add() if s.by > 0 else ast.Sub()
            yield ast.AugAssign(store(self.names[s.count]), op, ast.Constant(abs(s.by), None))
        elif isinstance(s, Define):
            yield self.define(s)
        elif isinstance(s, Return):
            yield ast.Return(self.display(self.result, s.results))

    # -- assignments --------------------------------------------------------------------

    def assign(self, v: Value, value: ast.expr) -> ast.stmt:
        return ast.Assign([store(self.names[v])], value, None)

    def unpack(self, values: Sequence[Value], value: ast.expr) -> ast.stmt:
        read = [store(self.names[v]) if v in self.read else store("_") for v in values]
        if not any(v in self.read for v in values):
            return ast.Expr(value)
        return ast.Assign([tuple_of(read, ast.Store())], value, None)

    def let(self, s: Let) -> Iterator[ast.stmt]:
        eqn, name = s.eqn, s.eqn.op.name
        if name == "raise_":
            yield ast.Raise(*map(self.of, eqn.args))
        elif name in ("store", "add_at"):
            yield from self.taken_over(eqn.out, eqn.args[0])
            yield self.write(eqn)
        elif name in WRITES:
            yield from self.taken_over(eqn.out, eqn.args[0])
            yield self.deletion(s.eqn) if eqn.attrs.get("deleted") else ast.Expr(self.of.of(s))
        elif not any(v in self.read for v in eqn.outs):
            yield ast.Expr(self.of.of(s))
        elif len(eqn.outs) > 1:
            yield self.unpack(eqn.outs, self.of.of(s))
        else:
            yield self.augmented(eqn) or self.assigned_sum(eqn, self.of.of(s))

    def deletion(self, eqn: Eqn) -> ast.stmt:
        """`del xs[i]`"""
        xs, i = eqn.args
        return ast.Delete([ast.Subscript(self.of(xs), self.of(i), ast.Del())])

    def taken_over(self, out: Value, x: Operand) -> Iterator[ast.stmt]:
        """Nothing where `out` shares the variable of the array that it takes over."""
        if not (isinstance(x, Value) and self.names.same(out, x)):
            yield self.assign(out, self.of(x))

    def subscript(self, eqn: Eqn, out: Value) -> Any:
        skip = 1 if eqn.op.name == "index" else 2
        return self.of.subscript(out, eqn.args[skip:], eqn.attrs["key"], ast.Store())

    def write(self, eqn: Eqn) -> ast.stmt:
        """`x[key] = v` or `x[key] += v`"""
        if eqn.op.name == "store":
            return ast.Assign([self.subscript(eqn, eqn.out)], self.of(eqn.args[1]), None)
        if isinstance(eqn.args[1].type, Tensor) and eqn.args[1].type.is_array and _is_whole(eqn):
            value = ast.BinOp(self.of.subscript(eqn.out, eqn.args[2:], eqn.attrs["key"], ast.Load()), ast.Add(),
                              self.of(eqn.args[1]))
            return ast.Assign([self.subscript(eqn, eqn.out)], signed(value), None)
        if "a" not in eqn.attrs["key"]:
            return self.update(self.subscript(eqn, eqn.out), eqn, eqn.args[1])
        key = _as_value(self.subscript(eqn, eqn.out).slice)
        return ast.Expr(call(self.modules.dotted("numpy.add.at"), self.of(eqn.out), key, self.of(eqn.args[1])))

    def check(self, v: Value) -> Iterator[ast.stmt]:
        """Raise as Python does where `v` is not assigned, if None stands for that, or another name than the user's."""
        name = self.names[v]
        text = f"cannot access local variable '{v.hint or name}' where it is not associated with a value"
        error = call(self.modules.builtin("UnboundLocalError"), constant(text, self.modules))
        if name in self.assigned:
            missing = ast.Compare(self.of(v), [ast.Is()], [ast.Constant(None, None)])
            yield ast.If(missing, [ast.Raise(error, None)], [])
        elif v.hint not in (None, name) and self.names.is_users(v):
            handler = ast.ExceptHandler(self.modules.builtin("UnboundLocalError"), None,
                                        [ast.Raise(error, ast.Constant(None, None))])
            yield ast.Try([ast.Expr(self.of(v))], [handler], [], [])

    def augmented(self, eqn: Eqn) -> ast.stmt | None:
        """`x += y`, for numbers and for arrays that are taken over."""
        name, args = eqn.op.name, eqn.args
        if name not in AUGMENTED or eqn.spelling is not None and not eqn.spelling.startswith("operator."):
            return None
        number = self.is_rebound(eqn.out)
        if not number and eqn.inplace is None:
            return None
        orders = [(0, 1), (1, 0)] if name in ("add", "mul") and not eqn.primal else [(0, 1)]
        for k, other in orders:
            x = args[k]
            if isinstance(x, Value) and self.is_variable(x) and self.names.same(eqn.out, x) \
                    and (number or eqn.inplace == k):
                return self.update(store(self.names[eqn.out]), eqn, args[other])
        return None

    def assigned_sum(self, eqn: Eqn, value: ast.expr) -> ast.stmt:
        """x = value, or `x += b - c` of a number where the value is `x + b - c`."""
        name = self.names[eqn.out]
        rest = without_term(value, name) if not eqn.primal and self.is_rebound(eqn.out) else None
        if rest is None:
            return self.assign(eqn.out, value)
        return ast.AugAssign(store(name), *rest)

    def update(self, target: Any, by: Eqn, x: Operand) -> ast.stmt:
        """`target += x`, or `-=` where that takes a sign away."""
        value, op = self.of(x), _OPERATORS[by.op.name]
        positive = without_sign(value) if op in _OTHER and not by.primal else None
        return ast.AugAssign(target, op(), value) if positive is None else ast.AugAssign(target, _OTHER[op](), positive)

    def is_rebound(self, out: Value) -> bool:
        """Does `out += x` assign a new number to the name?"""
        return _is_number(out) and self.names[out] not in self.written

    def is_variable(self, x: Value) -> bool:
        return x not in self.of.folded

    def move(self, s: Move) -> Iterator[ast.stmt]:
        """Parallel assignments, one after the other where no source is overwritten."""
        pairs = [(v, x) for v, x in s.pairs if self.is_move(v, x)]
        while pairs:
            sources = [{self.names[y] for y in self.names.live.leaves([x])} for _, x in pairs]
            free = next((k for k, (v, _) in enumerate(pairs)
                         if not any(self.names[v] in read for j, read in enumerate(sources) if j != k)), None)
            if free is None:
                break
            v, x = pairs.pop(free)
            yield self.assign(v, self.of(x))
        if pairs:
            targets = [store(self.names[v]) for v, _ in pairs]
            yield ast.Assign([tuple_of(targets, ast.Store())], tuple_of([self.of(x) for _, x in pairs]), None)

    def is_move(self, v: Value, x: Operand) -> bool:
        if v not in self.names.names:
            return False
        if isinstance(x, Lit):
            return x.value is not UNDEF or self.names[v] in self.assigned
        return x in self.of.folded or not self.names.same(v, x)

    # -- control ------------------------------------------------------------------------

    def branch(self, s: If) -> Iterator[ast.stmt]:
        then, orelse = self.block(s.then), self.block(s.orelse)
        if not then and not orelse:
            return
        test = self.of(s.test)
        if not then or orelse and isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
            then, orelse, test = orelse, then, _negated(test)
        inner = then[0] if len(then) == 1 and s.eqn is not None and not s.eqn.primal else None
        if isinstance(inner, ast.If) and list(map(ast.dump, inner.orelse)) == list(map(ast.dump, orelse)):
            test, then = ast.BoolOp(ast.And(), [*_terms(test), *_terms(inner.test)]), inner.body
        yield ast.If(test, then, orelse)

    def loop(self, s: Loop) -> ast.stmt:
        body = self.block(s.body)
        if s.tape is not None:
            return ast.While(self.of(s.tape), body, [])
        if s.bounds or s.zipped:
            return ast.For(*self.turns(s), body or [ast.Pass()], [], None)
        if s.test is None:
            return ast.While(ast.Constant(True, None), body, [])
        before, test = s.test
        head = self.block(before)
        if not head:
            return ast.While(self.of(test), body or [ast.Pass()], [])
        leave = ast.If(_negated(self.of(test)), [ast.Break()], [])
        return ast.While(ast.Constant(True, None), [*head, leave, *body], [])

    def turns(self, s: Loop) -> tuple[ast.expr, ast.expr]:
        """What a `for` assigns in each trip, and what it runs over."""
        index = self.names[s.index] if s.index in self.read and s.index is not None else "_"
        pairs: list[tuple[ast.expr, ast.expr]] = []
        if s.bounds and (index != "_" or not s.zipped):
            pairs.append((store(index), self.steps(s)))
        for z in s.zipped:
            read = [store(self.names[v]) if v in self.read else store("_") for v in z.values]
            over = self.of(z.tape)
            pairs.append((tuple_of(read, ast.Store()), self.reversed(over) if z.backwards else over))
        target, over = pairs[0]
        if len(pairs) > 1:
            target = ast.Tuple([t for t, _ in pairs], ast.Store())
            over = call(self.modules.builtin("zip"), *(each for _, each in pairs))
        if index != "_" and not s.bounds:
            target, over = ast.Tuple([store(index), target], ast.Store()), call(self.modules.builtin("enumerate"), over)
        return target, over

    def reversed(self, tree: ast.expr) -> ast.expr:
        return call(self.modules.builtin("reversed"), tree)

    def steps(self, s: Loop) -> ast.expr:
        steps = call(self.modules.builtin("range"), *self.range(s.bounds))
        return self.reversed(steps) if s.reverse and (s.index in self.read or _takes_turns(s.body)) else steps

    def range(self, bounds: tuple[Operand, ...]) -> list[ast.expr]:
        start, stop, step = bounds
        if step != Lit(1):
            return [self.of(start), self.of(stop), self.of(step)]
        return [self.of(stop)] if start == Lit(0) else [self.of(start), self.of(stop)]

    # -- functions ------------------------------------------------------------------------

    def define(self, s: Define) -> ast.stmt:
        outer, self.result = self.result, s.eqn.attrs["result"]
        body = self.block(s.body)
        self.result = outer
        if self.inner is not None and len(s.params) == 1:
            body = [*self.inner(self.names[s.params[0]], s.eqn.attrs["params"]), *body]
        return function(self.names[s.eqn.out], arguments([self.names[p] for p in s.params]), body)

    def display(self, tree: Tree, values: Sequence[Operand]) -> ast.expr:
        """The result as a display of containers."""
        if isinstance(tree, Leaf):
            return self.of(values[tree.index])
        if isinstance(tree, Const):
            return constant(tree.value, self.modules)
        if tree.kind == "rows" and not all(isinstance(c, Leaf) for c in tree.children):
            return self.rows(tree, values)
        children = [self.display(c, values) for c in tree.children]
        if tree.kind == "object":
            return self.made(tree, children)
        if tree.kind == "dict":
            return ast.Dict([constant(k, self.modules) for k in tree.keys], children)
        if tree.kind == "rows":
            return _rows(children)
        return ast.List(children, ast.Load()) if tree.kind == "list" else ast.Tuple(children, ast.Load())

    def made(self, tree: Node, children: list[ast.expr]) -> ast.expr:
        """An object of the class of a gradient: see ir/user_objects.py."""
        cls = self.modules.cls(tree.cls)
        if is_namedtuple(tree.cls) and not makes_itself(tree.cls):
            new = ast.Attribute(ast.Name("tuple", ast.Load()), "__new__", ast.Load())
            return ast.Call(new, [cls, ast.Tuple(children, ast.Load())], [])
        if all(key.isidentifier() and not keyword.iskeyword(key) for key in tree.keys):
            return ast.Call(cls, [], [ast.keyword(k, v) for k, v in zip(tree.keys, children)])
        named = ast.Dict([constant(k, self.modules) for k in tree.keys], children)
        return ast.Call(cls, [], [ast.keyword(None, named)])

    def rows(self, tree: Node, values: Sequence[Operand]) -> ast.expr:
        """`[(v, None) for v in xs]`: a list of tuples of which some parts have no column."""
        columns = [self.display(c, values) for c in tree.children if isinstance(c, Leaf)]
        if not columns:
            return ast.Constant(None)
        names = [f"v{k}" for k in range(len(columns))] if len(columns) > 1 else ["v"]
        new = iter(names)
        row = [ast.Name(next(new), ast.Load()) if isinstance(c, Leaf) else self.display(c, values)
               for c in tree.children]
        target: ast.expr = ast.Name("v", ast.Store())
        if len(columns) > 1:
            target = ast.Tuple([ast.Name(name, ast.Store()) for name in names], ast.Store())
            columns = [ast.Call(ast.Name("zip", ast.Load()), columns, [])]
        return ast.ListComp(ast.Tuple(row, ast.Load()), [ast.comprehension(target, columns[0], [], 0)])


def _enters(s: Statement) -> TypeGuard[Let]:
    return isinstance(s, Let) and s.eqn.op is enter


def _rows(columns: Sequence[ast.expr]) -> ast.expr:
    """The tuples that these lists are the columns of:  list(zip(x, y));  [(v, None) for v in x], where one is None."""
    there = [c for c in columns if not (isinstance(c, ast.Constant) and c.value is None)]
    zipped = ast.Call(ast.Name("zip", ast.Load()), there, [])
    if len(there) == len(columns):
        return ast.Call(ast.Name("list", ast.Load()), [zipped], [])
    names = iter(["v", "w"] if len(there) < 3 else [f"v{k}" for k in range(len(there))])
    item = [ast.Name(next(names), ast.Load()) if c in there else c for c in columns]
    targets = [ast.Name(x.id, ast.Store()) for x in item if isinstance(x, ast.Name)]
    target = targets[0] if len(targets) == 1 else ast.Tuple([*targets], ast.Store())
    over = there[0] if len(there) == 1 else zipped
    return ast.ListComp(ast.Tuple(item, ast.Load()), [ast.comprehension(target, over, [], 0)])


def _is_zero_d(x: Value) -> bool:
    t = x.type
    while isinstance(t, (Optional, Undef)):
        t = t.elem
    return isinstance(t, Tensor) and t.is_array and not t.rank


def _is_number(x: Value) -> bool:
    return isinstance(x.type, Tensor) and x.type.is_scalar


def user_line(loc: Loc) -> str:
    """What stands in the user's source there, without a comment; "" for the head of a block, or of no source."""
    text = re.sub(r"\s+#[^\"']*$", "", linecache.getline(loc.file, loc.line).strip())
    return "" if text.endswith(":") else textwrap.shorten(text, _LONGEST, placeholder=" ...")


_LONGEST = 72


def _is_whole(eqn: Eqn) -> bool:
    """Is what is added to an array in a list, which something else may hold?"""
    t, n = eqn.args[0].type, 0
    while isinstance(t, List):
        t, n = t.elem, n + 1
    return n == len(eqn.attrs["key"])


def arguments(names: Iterable[str]) -> ast.arguments:
    return ast.arguments([], [ast.arg(n, None, None) for n in names], None, [], [], None, [])


def function(name: str, args: ast.arguments, body: list[ast.stmt]) -> ast.stmt:
    more: dict[str, Any] = {"type_params": []} if "type_params" in ast.FunctionDef._fields else {}
    return ast.FunctionDef(name, args, body or [ast.Pass()], [], None, None, **more)


def _takes_turns(body: Block) -> bool:
    """Does each trip take its own out of a list?"""
    return any(isinstance(s, (Pop, At)) for s in statements(body))


def _terms(test: ast.expr) -> list[ast.expr]:
    """What is joined by `and`."""
    return test.values if isinstance(test, ast.BoolOp) and isinstance(test.op, ast.And) else [test]


def _negated(test: ast.expr) -> ast.expr:
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        return test.operand
    if isinstance(test, ast.Compare) and len(test.ops) == 1 and type(test.ops[0]) in _OPPOSITE:
        return ast.Compare(test.left, [_OPPOSITE[type(test.ops[0])]()], test.comparators)
    return ast.UnaryOp(ast.Not(), test)


_OPPOSITE: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Eq: ast.NotEq, ast.NotEq: ast.Eq, ast.Is: ast.IsNot, ast.IsNot: ast.Is}


def _placeholders(made: Iterable[Statement], names: Names) -> set[str]:
    """Variables that are read on paths that do not assign them: None stands for what is missing."""
    found: set[str] = set()
    for s in made:
        unsure: Iterable[Operand] = ()
        if isinstance(s, Move):
            unsure = [x for v, x in s.pairs if x in s.unsure and v in names.names
                      and isinstance(x, Value) and not names.same(v, x)]
        elif isinstance(s, Select):
            arms = (*s.made_of.then, *s.made_of.orelse)
            unsure = [x for m in arms if isinstance(m, Move) for _, x in m.pairs if x in m.unsure]
        elif isinstance(s, Push):
            unsure = [x for x in s.operands if x in s.unsure]
        elif isinstance(s, Let) and s.eqn.op.name in ("pack", "turned"):
            unsure = [x for x, like in zip(s.eqn.args, s.like.args) if isinstance(like.type, Undef)]
        found.update(names[v] for x in unsure if isinstance(x, Value) for v in names.live.leaves([x]))
    return found


def _as_value(key: ast.expr) -> ast.expr:
    """A subscript as an expression: `(slice(None), i)` for `:, i`."""
    if isinstance(key, ast.Tuple):
        return ast.Tuple([_as_value(item) for item in key.elts], ast.Load())
    if isinstance(key, ast.Slice):
        bounds = [key.lower, key.upper, key.step] if key.step is not None else [key.lower, key.upper]
        if key.lower is None and key.step is None:
            bounds = [key.upper]
        return call(ast.Name("slice", ast.Load()), *(b or ast.Constant(None, None) for b in bounds))
    return key
