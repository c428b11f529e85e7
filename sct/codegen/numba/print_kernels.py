"""Kernels -> functions that Numba compiles.

In: a block with `Kernel` statements. Out: the module: helpers, kernels, and the function that calls them.

    def f_grad(x, u):                 @njit(cache=True, error_model="numpy")
        <Kernel>               ->     def f_grad_loop(x, n): ...
        return dx, np.sum(u)
                                      def f_grad(x, u):
                                          dx = f_grad_loop(x, n)
                                          return dx, np.sum(u)

Invariant: a kernel computes what the plain code computes, and raises where that raises. Numba's arithmetic does not
raise where Python's does, so helpers test the operands of operations that may raise. Where a kernel raises, the plain
code runs and raises the exception that the user sees. NumPy's rules for single precision with Python numbers are
written out.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from sct.codegen.interface import Interface
from sct.codegen.numba.helper_functions import helper_source
from sct.codegen.numba.loops.loop_nests import LAST, NOT_EMPTY, START, WITHIN
from sct.codegen.numba.loops.matrix_products import MATRIX_PRODUCTS
from sct.codegen.numba.tape_arrays import KERNEL_DTYPES, LARGER, MORE_ROWS
from sct.codegen.polish.inline_expressions import Expression, Inlined
from sct.codegen.polish.variable_names import Names
from sct.codegen.program.recover_jumps import COMPARISONS
from sct.codegen.program.statement_ir import (
    Assign,
    Block,
    Evaluate,
    If,
    Kernel,
    Loop,
    Return,
    Select,
    Statement,
    statements,
)
from sct.codegen.program.templates import expression
from sct.codegen.python.print_expressions import ExpressionPrinter, Modules, call, constant, load, store, tuple_of
from sct.codegen.python.print_signature import arguments, function
from sct.codegen.python.print_statements import StatementPrinter
from sct.ir.core import Eqn, Lit, Operand, Value, is_undef
from sct.ir.pytrees.pytree import Leaf, Node, Tree, shared_numbers
from sct.ir.types import Tensor, Type, Undef, base_type

__all__ = ["KernelExpressionPrinter", "KernelStatementPrinter", "is_compilable"]

NJIT = {"cache": True, "error_model": "numpy"}

HELPER_OPS = {LARGER: "reserve", MORE_ROWS: "reserve_rows",
              WITHIN: "within", START: "slice_start", LAST: "slice_last", NOT_EMPTY: "not_empty",
              **{op: op.name for op in MATRIX_PRODUCTS.values()}}
"""Ops that call a helper."""

TO_INTEGER = frozenset(["int", "floor", "ceil", "trunc", "round"])


class _Cast:
    """An operand with a call of `function` around it."""

    type: Type

    def __init__(self, x: Operand, function: str) -> None:
        self.x, self.function, self.type = x, function, x.type


class KernelExpressionPrinter(ExpressionPrinter):
    """Prints expressions of kernels with the checks and casts that Numba needs.

    in_kernel  is this code that Numba compiles?
    helpers    the names of the helpers that it calls
    """

    def __init__(self, names: Mapping[Value, str], inlined: Inlined, modules: Modules) -> None:
        super().__init__(names, inlined, modules)
        self.in_kernel = False
        self.helpers: dict[str, None] = {}

    def __call__(self, x: Any) -> ast.expr:
        if isinstance(x, _Cast):
            tree, f = self(x.x), x.function
            return call(self.modules.dotted(f), tree) if "." in f else self.call_helper(f, tree)
        return super().__call__(x)

    def right_side(self, s: Expression) -> ast.expr:
        if isinstance(s, Evaluate) and s.eqn.op in HELPER_OPS:
            return self.fill(self.helper(HELPER_OPS[s.eqn.op]) + expression(s.eqn)[len(HELPER_OPS[s.eqn.op]):],
                             s.eqn.args, s.eqn)
        if not self.in_kernel or isinstance(s, Select) or s.eqn.op.name == "index":
            return super().right_side(s)
        if s.eqn.op.name == "where":
            test, then, orelse = map(self, self.promoted(s.eqn))
            return ast.IfExp(test, then, orelse)
        return self.equation(s)

    def equation(self, s: Evaluate) -> ast.expr:
        """The right-hand side of an equation in a kernel."""
        eqn = s.eqn
        args = self.promoted(eqn)
        text = expression(s.like)
        if _is_int_power(eqn):
            text = self.helper("int_power") + "(_0, _1)"
        elif may_raise(eqn):
            name = eqn.op.name
            if text.startswith("math.") and text.endswith("(_0)") and name not in TO_INTEGER:
                text = self.helper(f"math_{text.removeprefix('math.').removesuffix('(_0)')}") + "(_0)"
            elif name in ("pow", "mathpow") and _is_float(eqn.out.type):
                text = self.helper("power") + "(_0, _1)"
                if not any(_is_float(x.type) for x in eqn.args):
                    args[0] = _Cast(args[0], "numpy.float64")  # a negative power of an int is no int
            elif name in ("div", "floordiv", "mod", "fmod"):
                args[1] = self.divisor(args[1])
            elif name in TO_INTEGER and _is_float(eqn.args[0].type):
                args[0] = _Cast(args[0], "whole")
        elif eqn.op.name in ("reshape", "reshape_like"):
            args[0] = _Cast(args[0], "numpy.ascontiguousarray")  # Numba reshapes no others
        if eqn.op.name == "float" and _dtype(eqn.args[0]) in ("bool", "b1"):
            text = "float(int(_0))"
        return self.fill(text, args, eqn)

    def divisor(self, x: Any) -> Any:
        return x if isinstance(x, Lit) and x.value != 0 else _Cast(x, "nonzero")

    def call_helper(self, name: str, *args: ast.expr) -> ast.expr:
        return call(load(self.helper(name)), *args)

    def helper(self, name: str) -> str:
        """The name of the helper `name` in the module, which needs it from now on."""
        self.helpers[name] = None
        return self.module_name(name)

    def module_name(self, name: str) -> str:
        """The spelling of a name of the module, with an underscore if a parameter hides it."""
        return f"_{name}" if name in self.modules.hidden else name

    def promoted(self, eqn: Eqn) -> list[Any]:
        """The operands of an equation, cast to the precision in which NumPy computes."""
        args: list[Any] = list(eqn.args)
        if not all(map(_is_scalar, (*args, *eqn.outs))):
            return args
        compared = eqn.op.name in COMPARISONS and not any(_dtype(x) == "f64" for x in args)
        if _dtype(eqn.out) == "f32" or compared and any(_dtype(x) == "f32" for x in args):
            return [x if _dtype(x) in ("f32", "b1", "bool") else _Cast(x, "numpy.float32") for x in args]
        return [_Cast(x, "numpy.float64") if _dtype(x) == "f32" else x for x in args]


def may_raise(eqn: Eqn) -> bool:
    """Is this arithmetic of Python numbers that may raise?"""
    python = any(isinstance(v.type, Tensor) and v.type.carrier in ("py", "any") for v in eqn.outs)
    return eqn.primal and eqn.op.raises == "value" and python


def _is_int_power(eqn: Eqn) -> bool:
    """Is this a power of NumPy integers whose exponent may be negative?"""
    t = eqn.outs[0].type if eqn.op.name == "pow" else None
    by = eqn.args[1] if len(eqn.args) > 1 else None
    return isinstance(t, Tensor) and t.carrier == "np" and t.kind == "i" and not (
        isinstance(by, Lit) and by.value >= 0)


class KernelStatementPrinter(StatementPrinter):
    """Prints kernels as functions and their calls.

    kernel_functions  the kernels that are printed
    kernel_names      their names
    bound_names       variables that are bound outside kernels
    """

    expr: KernelExpressionPrinter

    def __init__(self, expressions: KernelExpressionPrinter, names: Names, interface: Interface, block: Block,
                 options: Mapping[str, Any]) -> None:
        super().__init__(expressions, names, interface.result, block)
        self.interface, self.options = interface, {**NJIT, **options}
        self.kernel_functions: list[ast.stmt] = []
        self.kernel_names: set[str] = set()
        inside = {s for k in statements(block) if isinstance(k, Kernel) for s in statements(k.body)}
        outside = {v for s in statements(block) if s not in inside for v in s.bound}
        self.bound_names = {names[v] for v in outside if v in names.names} | set(names.fixed.values())
        self.placeholder_names |= {
            names[x] for s in inside if isinstance(s, Evaluate) for x in names.live.leaves(s.eqn.args)
            if isinstance(x.type, Undef) and x in names.names}
        self.kernel_count = sum(isinstance(s, Kernel) for s in statements(block))

    def module(self, block: Block) -> tuple[list[ast.stmt], list[ast.stmt]]:
        """The body of the function, and the helpers and kernels that stand above it."""
        first = block[0]
        if len(block) == 1 and isinstance(first, Kernel) and isinstance(first.body[-1], Return):
            body = self.compiled(first.body)
        else:
            body = self.block(block)
            body = [*self.placeholders(body), *body]
        return body, [*map(self.helper, sorted(self.expr.helpers)), *self.kernel_functions]

    def placeholders(self, body: list[ast.stmt]) -> Iterator[ast.stmt]:
        """Values for arguments of kernels that are not bound on every path; the kernels do not read them there."""
        bound = {p.name for p in self.interface.params}
        missing = {name: None for name in _unbound_arguments(body, bound, self.kernel_names)}
        for v, name in self.names.names.items():
            if name in missing:
                del missing[name]
                yield self.assign(v, self.placeholder(v))

    def helper(self, name: str) -> ast.stmt:
        """A function that kernels call."""
        tree = ast.parse(helper_source(name))
        assert isinstance(tree.body[0], ast.FunctionDef)
        tree.body[0].name = self.expr.module_name(name)
        for node in _names_in(tree):
            if node.id in ("np", "math"):
                self.modules.module({"np": "numpy"}.get(node.id, node.id))
        return self.decorated(tree.body[0], True)

    def decorated(self, tree: Any, is_in_range: bool) -> ast.stmt:
        """A function with @njit(...) above it; Numba checks its subscripts if they may be out of range."""
        self.modules.imports["from numba import njit"] = None
        options = self.options if is_in_range else {**self.options, "boundscheck": True}
        tree.decorator_list = [ast.Call(load("njit"), [], [
            ast.keyword(k, self.option(v)) for k, v in options.items()])]
        decorated: ast.stmt = tree
        return decorated

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
        self.expr.in_kernel = True
        trees = self.block(body)
        self.expr.in_kernel = False
        return trees

    def kernel(self, s: Kernel) -> Iterator[ast.stmt]:
        """The call of a kernel, and casts to NumPy scalars, for which Numba returns Python numbers."""
        body = self.compiled(s.body)
        used = {node.id: isinstance(node.ctx, ast.Store) for tree in body for node in _names_in(tree)}
        stored = {node.id for tree in body for node in _names_in(tree) if isinstance(node.ctx, ast.Store)}
        before, after = self.names.live.around(s)
        params = self.ordered(used, before, used.keys() & self.bound_names)
        type_of = {self.names.names.get(v): v.type for v in after}
        outs = self.ordered(used, after, stored)
        self.bound_names.update(outs)
        name = f"{self.interface.name}_loop" + (str(len(self.kernel_functions) + 1) if self.kernel_count > 1 else "")
        if outs:
            body.append(ast.Return(tuple_of([load(out) for out in outs])))
        self.kernel_functions.append(self.decorated(function(name, arguments(params), body), s.is_in_range))
        self.kernel_names.add(name)
        kernel_call = call(load(name), *map(load, params))
        if outs:
            yield ast.Assign([tuple_of([store(out) for out in outs], ast.Store())], kernel_call, None)
        else:
            yield ast.Expr(kernel_call)
        for out in outs:
            t = type_of[out]
            if isinstance(t, Tensor) and t.carrier == "np":
                scalar = self.modules.dotted(f"numpy.{KERNEL_DTYPES[t.dtype]}")
                yield ast.Assign([store(out)], call(scalar, load(out)), None)

    def ordered(self, used: Iterable[str], live: Iterable[Value], among: Iterable[str]) -> list[str]:
        """The names of live values: parameters of the function, then the others in the order of the text."""
        live_names = {self.names.names.get(v) for v in live} & set(among)
        first = [p.name for p in self.interface.params if p.name in live_names]
        return first + [name for name in used if name in live_names and name not in first]

    # -- statements that print differently for Numba ------------------------------------

    def parallel_assignment(self, s: Assign) -> Iterator[ast.stmt]:
        """A variable that is not bound gets a value of its type, since kernels take no None."""
        missing = [v for v, x in s.pairs if is_undef(x) and self.needs_assignment(v, x)]
        yield from super().parallel_assignment(Assign([(v, x) for v, x in s.pairs if not is_undef(x)], s.maybe_unbound))
        for v in missing:
            yield self.assign(v, self.placeholder(v))

    def placeholder(self, v: Value) -> ast.expr:
        t = base_type(v.type)
        if isinstance(t, Tensor) and t.is_array:
            shape = constant((0,) * t.rank, self.modules)
            if t.dtype == "f64":
                return call(self.modules.dotted("numpy.empty"), shape)
            scalar = self.modules.dotted(f"numpy.{KERNEL_DTYPES[t.dtype]}")
            return call(self.modules.dotted("numpy.empty"), shape, scalar)
        return constant({"b": False, "i": 0, "f": 0.0}[t.kind] if isinstance(t, Tensor) else None, self.modules)

    def update(self, target: Any, by: Eqn, x: Operand) -> ast.stmt:
        if not self.expr.in_kernel:
            return super().update(target, by, x)
        operand: Any = x
        if may_raise(by) and by.op.name == "div":
            operand = self.expr.divisor(x)
        elif _dtype(by.out) == "f32" and _dtype(x) != "f32":
            operand = _Cast(x, "numpy.float32")
        return super().update(target, by, operand)

    def loop(self, s: Loop) -> ast.stmt:
        """A `while True` with one `break` becomes `while 1 == 1`: Numba infers no types for variables of the former."""
        tree = super().loop(s)
        if self.expr.in_kernel and isinstance(tree, ast.While) and isinstance(tree.test, ast.Constant) \
                and len([jump for jump in s.jumps if jump.kind == "break"]) == 1 \
                and not any(isinstance(t, If) and t.then + t.orelse == s.jumps for t in s.body):
            tree.test = ast.Compare(ast.Constant(1, None), [ast.Eq()], [ast.Constant(1, None)])
        return tree

    def range_call(self, s: Loop) -> ast.expr:
        """A reversed range is written as a range downwards, since Numba has no `reversed` of a range."""
        if not self.expr.in_kernel or not s.reverse or s.index not in self.read:
            return super().range_call(s)
        start, stop, step = s.bounds
        if step in (Lit(1), Lit(-1)):
            by = 1 if step == Lit(1) else -1
            bounds = [_plus(self.expr(stop), -by), _plus(self.expr(start), -by)]
            if by == -1 and _int_literal(bounds[0]) == 0:
                return call(self.modules.builtin("range"), bounds[1])
            more = [constant(-1, self.modules)] if by == 1 else []
            return call(self.modules.builtin("range"), *bounds, *more)
        first, by_ = self.expr(start), self.expr(step)
        length = call(self.modules.builtin("len"), call(self.modules.builtin("range"), first, self.expr(stop), by_))
        last = ast.BinOp(first, ast.Add(), ast.BinOp(_plus(length, -1), ast.Mult(), by_))
        return call(self.modules.builtin("range"), last, ast.BinOp(first, ast.Sub(), by_),
                    ast.UnaryOp(ast.USub(), by_))

    def count_call(self, s: Loop) -> ast.expr:
        """Numba has no `itertools.count`: a range to a bound that no loop reaches."""
        if not self.expr.in_kernel:
            return super().count_call(s)
        return call(self.modules.builtin("range"), *self.range(s.bounds))


def _unbound_arguments(body: list[ast.stmt], bound: set[str], kernels: set[str]) -> Iterator[str]:
    """The arguments of calls of kernels that are not bound on every path; names that are, are added to `bound`."""
    for s in body:
        inner = [getattr(s, field) for field in ("body", "orelse") if hasattr(s, field)]
        if isinstance(s, ast.If):
            bound_in = [set(bound), set(bound)]
            for branch, names in zip(inner, bound_in):
                yield from _unbound_arguments(branch, names, kernels)
            ends = [a for branch, a in zip(inner, bound_in) if not (branch and isinstance(branch[-1], _LEAVES))]
            bound |= set.intersection(*ends) if ends else set()
        elif isinstance(s, ast.With):
            yield from _unbound_arguments(s.body, bound, kernels)
        elif inner:
            own = {node.id for node in _names_in(s.target)} if isinstance(s, ast.For) else set()
            own |= {a.arg for a in s.args.args} if isinstance(s, ast.FunctionDef) else set()
            for block in inner:
                yield from _unbound_arguments(block, bound | own, kernels)
        else:
            for node in ast.walk(s):
                if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in kernels:
                    yield from (a.id for a in node.args if isinstance(a, ast.Name) and a.id not in bound)
            bound |= {node.id for node in _names_in(s) if isinstance(node.ctx, ast.Store)}


_LEAVES = (ast.Return, ast.Raise, ast.Break, ast.Continue)


def is_compilable(interface: Interface, results: Sequence[Operand]) -> bool:
    """Can the whole function be a kernel: its arguments numbers and arrays, its result tuples of them?"""
    def flat(tree: Tree) -> bool:
        if isinstance(tree, Node):
            return tree.kind == "tuple" and all(map(flat, tree.children))
        return isinstance(tree, Leaf)

    numpy = any(isinstance(x.type, Tensor) and x.type.carrier == "np" for x in results)
    leaves = all(isinstance(p.tree, Leaf) and p.kind == "positional" for p in interface.params)
    result = flat(interface.result) and not shared_numbers(interface.result)
    return leaves and result and not numpy and not interface.prologue


def _names_in(tree: ast.AST) -> Iterator[ast.Name]:
    """The names in a tree, in the order of the text."""
    if isinstance(tree, ast.Name):
        yield tree
    for child in ast.iter_child_nodes(tree):
        yield from _names_in(child)


def _plus(tree: ast.expr, c: int) -> ast.expr:
    """tree + c"""
    constant = _int_literal(tree)
    if constant is not None:
        return _int_constant(constant + c)
    if isinstance(tree, ast.BinOp) and isinstance(tree.op, (ast.Add, ast.Sub)):
        right = _int_literal(tree.right)
        if right is not None:
            return _plus(tree.left, c + (right if isinstance(tree.op, ast.Add) else -right))
    return tree if not c else ast.BinOp(tree, ast.Add() if c > 0 else ast.Sub(), _int_constant(abs(c)))


def _int_constant(c: int) -> ast.expr:
    size = ast.Constant(abs(c), None)
    return size if c >= 0 else ast.UnaryOp(ast.USub(), size)


def _int_literal(tree: ast.expr) -> int | None:
    if isinstance(tree, ast.UnaryOp) and isinstance(tree.op, ast.USub):
        magnitude = _int_literal(tree.operand)
        return None if magnitude is None else -magnitude
    return tree.value if isinstance(tree, ast.Constant) and isinstance(tree.value, int) else None


def _dtype(x: Any) -> str:
    t = base_type(x.type)
    return t.dtype if isinstance(t, Tensor) and t.is_scalar else ""


def _is_scalar(x: Any) -> bool:
    return bool(_dtype(x))


def _is_float(t: Type) -> bool:
    t = base_type(t)
    return isinstance(t, Tensor) and t.kind == "f"
