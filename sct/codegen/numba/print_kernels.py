"""Kernels as functions that Numba compiles.

    def f_grad(x, u):                 @njit(cache=True, error_model="numpy", boundscheck=True)
        <Kernel>               ->     def f_grad_loop(x, n): ...
        return dx, np.sum(u)
                                      def f_grad(x, u):
                                          dx = f_grad_loop(x, n)
                                          return dx, np.sum(u)

Numba's arithmetic does not raise where Python's does, so what may raise is asked: a
kernel raises where the plain code would (and then the plain code runs, and says it).
NumPy's rules for single precision and Python numbers are written out.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from sct.codegen.interface import Interface
from sct.codegen.numba.tape_sizes import DTYPES, LARGER
from sct.codegen.numba.tape_sizes import HELPERS as ROOM
from sct.codegen.polish.inline_expressions import Expression, Folded
from sct.codegen.polish.variable_names import Names
from sct.codegen.program.statement_ir import (
    Block,
    Define,
    If,
    Kernel,
    Let,
    Loop,
    Move,
    Return,
    Select,
    Statement,
    statements,
    targets,
)
from sct.codegen.program.templates import expression
from sct.codegen.python.print_expressions import Expressions, Modules, call, constant, load, store, tuple_of
from sct.codegen.python.print_statements import Statements, arguments, function
from sct.ir.core import UNDEF, Eqn, Lit, Operand, Value
from sct.ir.pytree import Leaf, Node, Tree
from sct.ir.types import Optional, Tensor, Type, Undef

__all__ = ["CompiledExpressions", "CompiledStatements", "TAKEN", "is_plain"]

NJIT = {"cache": True, "error_model": "numpy", "boundscheck": True}

HELPERS = {
    **ROOM,
    "nonzero": '''\
def nonzero(x):
    """`x`, by which Python divides."""
    if x == 0:
        raise ZeroDivisionError("division by zero")
    return x
''',
    "power": '''\
def power(x, y):
    """x ** y, where that is a number for Python."""
    if x == 0 and y < 0:
        raise ZeroDivisionError("zero to a negative power")
    z = x ** y
    if math.isnan(z) and x < 0:
        raise ValueError("a complex number")
    if math.isinf(z) and math.isfinite(x) and math.isfinite(y):
        raise OverflowError("Numerical result out of range")
    return z
''',
    "int_power": '''\
def int_power(x, y):
    """x ** y of ints of NumPy."""
    if y < 0:
        raise ValueError("Integers to negative integer powers are not allowed.")
    return x ** y
''',
    "whole": '''\
def whole(x):
    """`x`, which has an integer part."""
    if not abs(x) < 9.2e18:
        raise OverflowError("cannot convert float to integer")
    return x
''',
}
"""Functions of the emitted module, by name."""

FUNCTION = '''\
def math_{0}(x):
    """math.{0}(x), which raises outside its domain."""
    y = math.{0}(x)
    if math.isnan(y) and not math.isnan(x) or math.isinf(y) and math.isfinite(x):
        raise {1}
    return y
'''
OVERFLOWING = frozenset(["exp", "exp2", "expm1", "cosh", "sinh"])
WHOLE = frozenset(["int", "floor", "ceil", "trunc", "round"])
COMPARISONS = frozenset(["eq", "ne", "lt", "le", "gt", "ge"])


TAKEN = frozenset([*HELPERS, "njit"])
"""Names that are the module's."""


def helper(name: str) -> str:
    if name.startswith("math_"):
        short = name.removeprefix("math_")
        raised = 'OverflowError("math range error")' if short in OVERFLOWING else 'ValueError("math domain error")'
        return FUNCTION.format(short, raised)
    return HELPERS[name]


class _Cast:
    """An operand and the function around it."""

    type: Type

    def __init__(self, x: Operand, by: str) -> None:
        self.x, self.by, self.type = x, by, x.type


class CompiledExpressions(Expressions):
    """
    inside   is this code that Numba compiles?
    helpers  the functions that it calls, by name
    """

    def __init__(self, names: Mapping[Value, str], folded: Folded, modules: Modules) -> None:
        super().__init__(names, folded, modules)
        self.inside = False
        self.helpers: dict[str, None] = {}

    def __call__(self, x: Any) -> ast.expr:
        if isinstance(x, _Cast):
            made = self(x.x)
            return call(self.modules.dotted(x.by), made) if "." in x.by else self.helped(x.by, made)
        return super().__call__(x)

    def of(self, s: Expression) -> ast.expr:
        if isinstance(s, Let) and s.eqn.op is LARGER:
            return self.filled(self.helper("reserve") + "(_0, _1)", s.eqn.args, s.eqn)
        if not self.inside or isinstance(s, Select) or s.eqn.op.name == "index":
            return super().of(s)
        if s.eqn.op.name == "where":
            test, then, orelse = map(self, self.cast(s.eqn))
            return ast.IfExp(test, then, orelse)
        return self.equation(s)

    def equation(self, s: Let) -> ast.expr:
        eqn = s.eqn
        args = self.cast(eqn)
        text = expression(s.like)
        if _is_int_power(eqn):
            text = self.helper("int_power") + "(_0, _1)"
        elif may_raise(eqn):
            name = eqn.op.name
            if text.startswith("math.") and text.endswith("(_0)") and name not in WHOLE:
                text = self.helper(f"math_{text.removeprefix('math.').removesuffix('(_0)')}") + "(_0)"
            elif name in ("pow", "mathpow") and _float(eqn.out.type):
                text = self.helper("power") + "(_0, _1)"
                if not any(_float(x.type) for x in eqn.args):
                    args[0] = _Cast(args[0], "numpy.float64")  # a negative power of an int is no int
            elif name in ("div", "floordiv", "mod", "fmod"):
                args[1] = self.divisor(args[1])
            elif name in WHOLE and _float(eqn.args[0].type):
                args[0] = _Cast(args[0], "whole")
        if eqn.op.name == "float" and _dtype(eqn.args[0]) in ("bool", "b1"):
            text = "float(int(_0))"
        return self.filled(text, args, eqn)

    def divisor(self, x: Any) -> Any:
        return x if isinstance(x, Lit) and x.value != 0 else _Cast(x, "nonzero")

    def helped(self, name: str, *args: ast.expr) -> ast.expr:
        return call(load(self.helper(name)), *args)

    def helper(self, name: str) -> str:
        """What the helper `name`, which is needed, is called."""
        self.helpers[name] = None
        return self.own(name)

    def own(self, name: str) -> str:
        """A name of the module's, which a parameter may hide."""
        return f"_{name}" if name in self.modules.hidden else name

    def cast(self, eqn: Eqn) -> list[Any]:
        """The operands of an equation in the precision that NumPy computes in."""
        args: list[Any] = list(eqn.args)
        if not all(map(_is_scalar, (*args, *eqn.outs))):
            return args
        compared = eqn.op.name in COMPARISONS and not any(_dtype(x) == "f64" for x in args)
        if _dtype(eqn.out) == "f32" or compared and any(_dtype(x) == "f32" for x in args):
            return [x if _dtype(x) in ("f32", "b1", "bool") else _Cast(x, "numpy.float32") for x in args]
        return [_Cast(x, "numpy.float64") if _dtype(x) == "f32" else x for x in args]


def may_raise(eqn: Eqn) -> bool:
    """May this raise, as arithmetic of Python numbers does?"""
    python = any(isinstance(v.type, Tensor) and v.type.carrier in ("py", "any") for v in eqn.outs)
    return eqn.primal and eqn.op.raises == "value" and python


def _is_int_power(eqn: Eqn) -> bool:
    """Is this a power of ints of NumPy, by what may be negative?"""
    t = eqn.outs[0].type if eqn.op.name == "pow" else None
    by = eqn.args[1] if len(eqn.args) > 1 else None
    return isinstance(t, Tensor) and t.carrier == "np" and t.kind == "i" and not (
        isinstance(by, Lit) and by.value >= 0)


class CompiledStatements(Statements):
    """
    functions  the kernels, as they are printed
    """

    of: CompiledExpressions

    def __init__(self, expressions: CompiledExpressions, names: Names, interface: Interface, block: Block,
                 options: Mapping[str, Any]) -> None:
        super().__init__(expressions, names, interface.result, block)
        self.interface, self.options = interface, {**NJIT, **options}
        self.functions: list[ast.stmt] = []
        self.called: set[str] = set()
        inside = {s for k in statements(block) if isinstance(k, Kernel) for s in statements(k.body)}
        outside = {v for s in statements(block) if s not in inside for v in _bound(s)}
        self.known = {names[v] for v in outside if v in names.names} | set(names.fixed.values())
        self.assigned |= {names[x] for s in inside if isinstance(s, Let) for x in names.live.leaves(s.eqn.args)
                          if isinstance(x.type, Undef) and x in names.names}
        self.kernels = sum(isinstance(s, Kernel) for s in statements(block))

    def module(self, block: Block) -> tuple[list[ast.stmt], list[ast.stmt]]:
        """The body of the function, and the functions above it."""
        whole = len(block) == 1 and isinstance(block[0], Kernel) and isinstance(block[0].body[-1], Return)
        body = self.compiled(block[0].body) if whole else self.block(block)  # type: ignore[union-attr]
        if not whole:
            body = [*self.placeholders(body), *body]
        return body, [*map(self.helper, sorted(self.of.helpers)), *self.functions]

    def placeholders(self, body: list[ast.stmt]) -> Iterator[ast.stmt]:
        """Values for what kernels are given and some path does not assign: they do not read it there."""
        known = {p.name for p in self.interface.params}
        missing = {name: None for name in _unassigned(body, known, self.called)}
        for v, name in self.names.names.items():
            if name in missing:
                del missing[name]
                yield self.assign(v, self.placeholder(v))

    def helper(self, name: str) -> ast.stmt:
        """A function that kernels call."""
        tree = ast.parse(helper(name))
        assert isinstance(tree.body[0], ast.FunctionDef)
        tree.body[0].name = self.of.own(name)
        for node in _names(tree):
            if node.id in ("np", "math"):
                self.modules.module({"np": "numpy"}.get(node.id, node.id))
        return self.decorated(tree.body[0])

    def decorated(self, tree: Any) -> ast.stmt:
        """A function with @njit(...) above it."""
        self.modules.imports["from numba import njit"] = None
        tree.decorator_list = [ast.Call(load("njit"), [], [
            ast.keyword(k, self.option(v)) for k, v in self.options.items()])]
        made: ast.stmt = tree
        return made

    def option(self, value: Any) -> ast.expr:
        if isinstance(value, tuple):
            return ast.Set([constant(v, self.modules) for v in value])
        return constant(value, self.modules)

    def statement(self, s: Statement) -> Iterator[ast.stmt]:
        if isinstance(s, Kernel):
            yield from self.kernel(s)
        else:
            yield from super().statement(s)

    def compiled(self, body: Block) -> list[ast.stmt]:
        self.of.inside = True
        made = self.block(body)
        self.of.inside = False
        return made

    def kernel(self, s: Kernel) -> Iterator[ast.stmt]:
        """The call of a kernel, and behind it NumPy scalars where Numba gives Python numbers."""
        body = self.compiled(s.body)
        used = {node.id: isinstance(node.ctx, ast.Store) for tree in body for node in _names(tree)}
        stored = {node.id for tree in body for node in _names(tree) if isinstance(node.ctx, ast.Store)}
        before, after = self.names.live.around(s)
        params = self.ordered(used, before, used.keys() & self.known)
        results = [v for v in after if self.names.names.get(v) in stored]
        outs = self.ordered(used, after, stored)
        self.known.update(outs)
        name = f"{self.interface.name}_loop" + (str(len(self.functions) + 1) if self.kernels > 1 else "")
        if outs:
            body.append(ast.Return(tuple_of([load(out) for out in outs])))
        self.functions.append(self.decorated(function(name, arguments(params), body)))
        self.called.add(name)
        made = call(load(name), *map(load, params))
        if outs:
            yield ast.Assign([tuple_of([store(out) for out in outs], ast.Store())], made, None)
        else:
            yield ast.Expr(made)
        for v in results:
            if isinstance(v.type, Tensor) and v.type.carrier == "np":
                name = self.names[v]
                kind = self.modules.dotted(f"numpy.{ {'f': 'float', 'i': 'int', 'b': 'bool_'}[v.type.kind]}"
                                           + ("" if v.type.kind == "b" else v.type.dtype[1:]))
                yield ast.Assign([store(name)], call(kind, load(name)), None)

    def ordered(self, used: Iterable[str], live: Iterable[Value], among: Iterable[str]) -> list[str]:
        """The names of what is live: parameters of the function, then the rest as they come in the text."""
        found = {self.names.names.get(v) for v in live} & set(among)
        first = [p.name for p in self.interface.params if p.name in found]
        return first + [name for name in used if name in found and name not in first]

    # -- what Numba writes otherwise ----------------------------------------------------

    def move(self, s: Move) -> Iterator[ast.stmt]:
        """What is not assigned has a value of its type all the same: kernels take no None."""
        missing = [v for v, x in s.pairs if _is_undefined(x) and self.is_move(v, x)]
        yield from super().move(Move([(v, x) for v, x in s.pairs if not _is_undefined(x)], s.unsure))
        for v in missing:
            yield self.assign(v, self.placeholder(v))

    def placeholder(self, v: Value) -> ast.expr:
        t = _bare(v.type)
        if isinstance(t, Tensor) and t.is_array:
            shape = constant((0,) * t.rank, self.modules)
            if t.dtype == "f64":
                return call(self.modules.dotted("numpy.empty"), shape)
            return call(self.modules.dotted("numpy.empty"), shape, self.modules.dotted(f"numpy.{DTYPES[t.dtype]}"))
        return constant({"b": False, "i": 0}.get(t.kind, 0.0) if isinstance(t, Tensor) else None, self.modules)

    def update(self, target: Any, by: Eqn, x: Operand) -> ast.stmt:
        if not self.of.inside:
            return super().update(target, by, x)
        operand: Any = x
        if may_raise(by) and by.op.name == "div":
            operand = self.of.divisor(x)
        elif _dtype(by.out) == "f32" and _dtype(x) != "f32":
            operand = _Cast(x, "numpy.float32")
        return super().update(target, by, operand)

    def loop(self, s: Loop) -> ast.stmt:
        """Numba does not find the types of what is assigned in a `while True` with one way out."""
        made = super().loop(s)
        if self.of.inside and isinstance(made, ast.While) and isinstance(made.test, ast.Constant) \
                and len([jump for jump in s.jumps if jump.kind == "break"]) == 1 \
                and not any(isinstance(t, If) and t.then + t.orelse == s.jumps for t in s.body):
            made.test = ast.Compare(ast.Constant(1, None), [ast.Eq()], [ast.Constant(1, None)])
        return made

    def steps(self, s: Loop) -> ast.expr:
        """Numba has no `reversed` of a range."""
        if not self.of.inside or not s.reverse or s.index not in self.read:
            return super().steps(s)
        start, stop, step = s.bounds
        if step in (Lit(1), Lit(-1)):
            by = 1 if step == Lit(1) else -1
            bounds = [_plus(self.of(stop), -by), _plus(self.of(start), -by)]
            if by == -1 and _literal(bounds[0]) == 0:
                return call(self.modules.builtin("range"), bounds[1])
            more = [constant(-1, self.modules)] if by == 1 else []
            return call(self.modules.builtin("range"), *bounds, *more)
        first, by_ = self.of(start), self.of(step)
        length = call(self.modules.builtin("len"), call(self.modules.builtin("range"), first, self.of(stop), by_))
        last = ast.BinOp(first, ast.Add(), ast.BinOp(_plus(length, -1), ast.Mult(), by_))
        return call(self.modules.builtin("range"), last, ast.BinOp(first, ast.Sub(), by_),
                    ast.UnaryOp(ast.USub(), by_))


def _unassigned(body: list[ast.stmt], known: set[str], kernels: set[str]) -> Iterator[str]:
    """The arguments of calls of kernels that are not surely assigned; `known`, what is, grows."""
    for s in body:
        inner = [getattr(s, field) for field in ("body", "orelse") if hasattr(s, field)]
        if isinstance(s, ast.If):
            arms = [set(known), set(known)]
            for arm, assigned in zip(inner, arms):
                yield from _unassigned(arm, assigned, kernels)
            ends = [a for arm, a in zip(inner, arms) if not (arm and isinstance(arm[-1], _LEAVES))]
            known |= set.intersection(*ends) if ends else set()
        elif isinstance(s, ast.With):
            yield from _unassigned(s.body, known, kernels)
        elif inner:
            more = {node.id for node in _names(s.target)} if isinstance(s, ast.For) else set()
            more |= {a.arg for a in s.args.args} if isinstance(s, ast.FunctionDef) else set()
            for block in inner:
                yield from _unassigned(block, known | more, kernels)
        else:
            for node in ast.walk(s):
                if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in kernels:
                    yield from (a.id for a in node.args if isinstance(a, ast.Name) and a.id not in known)
            known |= {node.id for node in _names(s) if isinstance(node.ctx, ast.Store)}


_LEAVES = (ast.Return, ast.Raise, ast.Break, ast.Continue)


def _bound(s: Statement) -> Sequence[Value]:
    """What a statement assigns, as the index of a loop or a parameter of a function too."""
    more = s.params if isinstance(s, Define) else (s.index,) if isinstance(s, Loop) and s.index is not None else ()
    return (*targets(s), *more)


def is_plain(interface: Interface, results: Sequence[Operand]) -> bool:
    """Can the function be a kernel as it is: its arguments numbers and arrays, its result tuples of them?"""
    def flat(tree: Tree) -> bool:
        if isinstance(tree, Node):
            return tree.kind == "tuple" and all(map(flat, tree.children))
        return isinstance(tree, Leaf)

    numpy = any(isinstance(x.type, Tensor) and x.type.carrier == "np" for x in results)
    leaves = all(isinstance(p.tree, Leaf) and p.kind == "positional" for p in interface.params)
    return leaves and flat(interface.result) and not numpy and not interface.top


def _names(tree: ast.AST) -> Iterator[ast.Name]:
    """The names in a tree, in the order of the text."""
    if isinstance(tree, ast.Name):
        yield tree
    for child in ast.iter_child_nodes(tree):
        yield from _names(child)


def _plus(tree: ast.expr, c: int) -> ast.expr:
    """tree + c"""
    known = _literal(tree)
    if known is not None:
        return _signed(known + c)
    if isinstance(tree, ast.BinOp) and isinstance(tree.op, (ast.Add, ast.Sub)):
        by = _literal(tree.right)
        if by is not None:
            return _plus(tree.left, c + (by if isinstance(tree.op, ast.Add) else -by))
    return tree if not c else ast.BinOp(tree, ast.Add() if c > 0 else ast.Sub(), _signed(abs(c)))


def _signed(c: int) -> ast.expr:
    size = ast.Constant(abs(c), None)
    return size if c >= 0 else ast.UnaryOp(ast.USub(), size)


def _literal(tree: ast.expr) -> int | None:
    if isinstance(tree, ast.UnaryOp) and isinstance(tree.op, ast.USub):
        known = _literal(tree.operand)
        return None if known is None else -known
    return tree.value if isinstance(tree, ast.Constant) and isinstance(tree.value, int) else None


def _is_undefined(x: Operand) -> bool:
    return isinstance(x, Lit) and x.value is UNDEF


def _bare(t: Type) -> Type:
    while isinstance(t, (Undef, Optional)):
        t = t.elem
    return t


def _dtype(x: Any) -> str:
    t = _bare(x.type)
    return t.dtype if isinstance(t, Tensor) and t.is_scalar else ""


def _is_scalar(x: Any) -> bool:
    return bool(_dtype(x))


def _float(t: Type) -> bool:
    t = _bare(t)
    return isinstance(t, Tensor) and t.kind == "f"
