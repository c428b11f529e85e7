"""Equations -> syntax trees of expressions.

In: an equation or a `Select`, the names of variables, and the values that are inlined. Out: an `ast.expr`.

    index(x, 1, -1, key=("s110",))   ->   x[1:-1]

The tree evaluates the operands in the order of the equation, but for a sign that is moved to the front of a product.
"""

from __future__ import annotations

import ast
import builtins
import enum
import math
import re
import sys
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from sct.codegen.polish.inline_expressions import Expression, Inlined
from sct.codegen.program.statement_ir import Select
from sct.codegen.program.templates import expression
from sct.ir.core import UNDEF, Eqn, Lit, Operand, Value
from sct.ir.pytrees.user_objects import dotted_name
from sct.ir.types import List, Optional, Tensor, Undef
from sct.ops.arrays.concatenate import display_of
from sct.ops.arrays.indexing import split
from sct.ops.program.attempts import attempted
from sct.ops.registry import template_tree

__all__ = [
    "ExpressionPrinter", "Modules", "as_value", "call", "conjunction", "constant", "constant_or_name", "load",
    "move_signs", "negated", "store", "tuple_of", "without_bool", "without_sign",
    "without_term",
]

_SHORT = {"numpy": "np"}


class Modules:
    """The names of modules, builtins and classes in the text, where parameters may hide them.

    hidden    the names of the parameters
    function  the name of the function, from which the names of bindings are made
    imports   the import lines that are needed
    bindings  objects that the text names and that no import provides
    """

    def __init__(self, hidden: Iterable[str], function: str) -> None:
        self.hidden, self.function = frozenset(hidden), function
        self.imports: dict[str, None] = {}
        self.bindings: dict[str, Any] = {}

    def module(self, dotted: str) -> ast.expr:
        """A module: `np` for "numpy"."""
        short = _SHORT.get(dotted, dotted)
        name = f"_{short}" if short in self.hidden else short
        alias = f" as {name}" if name != dotted else ""
        self.imports[f"import {dotted}{alias}"] = None
        tree: ast.expr
        first, *rest = name.split(".")
        tree = load(first)
        for part in rest:
            tree = ast.Attribute(tree, part, ast.Load())
        return tree

    def builtin(self, name: str) -> ast.expr:
        return load(name) if name not in self.hidden else ast.Attribute(self.module("builtins"), name, ast.Load())

    def cls(self, cls: type) -> ast.expr:
        """A class by its name, imported from where it is defined."""
        dotted = dotted_name(cls)
        name = f"_{cls.__name__}" if cls.__name__ in self.hidden else cls.__name__
        if dotted is None:
            self.bindings[name] = cls
        else:
            alias = f" as {name}" if name != cls.__name__ else ""
            self.imports[f"from {dotted.rpartition('.')[0]} import {cls.__name__}{alias}"] = None
        return load(name)

    def bound(self, value: Any) -> ast.expr:
        """A name that is bound to the object itself."""
        name = next((name for name, x in self.bindings.items() if x is value), None)
        if name is None:
            name = f"_{self.function}_{len(self.bindings)}"
            while name in self.hidden:
                name += "_"
            self.bindings[name] = value
        return load(name)

    def dotted(self, name: str) -> ast.expr:
        """`numpy.linalg.norm` -> np.linalg.norm"""
        module, _, rest = name.rpartition(".") if name.startswith("scipy.") else name.partition(".")
        while module.startswith("scipy.") and module not in sys.modules:  # an object of a module: scipy.stats.norm
            module = module.rpartition(".")[0]
            rest = name[len(module) + 1 :]
        tree = self.module(module)
        for part in rest.split("."):
            tree = ast.Attribute(tree, part, ast.Load())
        return tree


def load(name: str) -> ast.expr:
    return ast.Name(name, ast.Load())


def store(name: str) -> ast.Name:
    return ast.Name(name, ast.Store())


def call(f: ast.expr, *args: ast.expr) -> ast.expr:
    return ast.Call(f, list(args), [])


def tuple_of(items: Sequence[ast.expr], ctx: ast.expr_context | None = None) -> ast.expr:
    """A tuple; a single item stands for itself."""
    return items[0] if len(items) == 1 else ast.Tuple(list(items), ctx or ast.Load())


def _complex(value: complex, modules: Modules) -> ast.expr:
    """`2j`, `-2j` or `1.0 + 2j` where that is this number to the sign of its zeros, else a call of `complex`."""
    real, imag = value.real, value.imag
    finite = math.isfinite(real) and math.isfinite(imag)
    for text in (f"{imag!r}j", f"-{abs(imag)!r}j", f"{real!r} - {abs(imag)!r}j", f"{real!r} + {imag!r}j"):
        if finite and repr(eval(text)) == repr(value):
            return ast.parse(text.replace(".0j", "j"), mode="eval").body
    return call(modules.builtin("complex"), constant(real, modules), constant(imag, modules))


def constant(value: Any, modules: Modules) -> ast.expr:
    """A literal, or an expression of the class and the value of `value`; raises ValueError if there is none."""
    if isinstance(value, enum.Enum):
        raise ValueError(f"{value!r} has no literal form")
    if isinstance(value, np.generic):
        if isinstance(value, np.clongdouble) and value.itemsize > 16:
            raise ValueError(f"{value!r} has no literal form")
        number = value.item()
        return call(ast.Attribute(modules.module("numpy"), type(value).__name__, ast.Load()),
                    constant(str(number) if isinstance(number, np.longdouble) else number, modules))
    if isinstance(value, float) and not math.isfinite(value):
        return _special(value, modules)
    if isinstance(value, (int, float)) and not isinstance(value, bool) and math.copysign(1.0, value) < 0:
        return ast.UnaryOp(ast.USub(), constant(-value, modules))
    if value is None or type(value) in (bool, int, float, str, bytes) or value is Ellipsis:
        return ast.Constant(value, None)
    if type(value) is complex:
        return _complex(value, modules)
    if type(value) in (tuple, list):
        items = [constant(v, modules) for v in value]
        return ast.Tuple(items, ast.Load()) if type(value) is tuple else ast.List(items, ast.Load())
    if type(value) is dict:
        return ast.Dict([constant(k, modules) for k in value], [constant(v, modules) for v in value.values()])
    if isinstance(value, np.dtype):
        return ast.Attribute(modules.module("numpy"), value.name, ast.Load())
    name = getattr(value, "__name__", "")
    if isinstance(value, type) and vars(builtins).get(name) is value:
        return modules.builtin(name)
    raise ValueError(f"{value!r} has no literal form")


def constant_or_name(value: Any, modules: Modules) -> ast.expr:
    """A literal, or a name that is bound to the object where it has none; a set is a new one whenever it is read."""
    if type(value) is set and value:
        return ast.Set([constant_or_name(v, modules) for v in value])
    if type(value) is set:
        return call(modules.builtin("set"))
    try:
        return constant(value, modules)
    except ValueError:
        return modules.bound(value)


def _special(value: float, modules: Modules) -> ast.expr:
    name = "numpy" if "import numpy as np" in modules.imports else "math"
    tree: ast.expr = ast.Attribute(modules.module(name), "nan" if math.isnan(value) else "inf", ast.Load())
    return ast.UnaryOp(ast.USub(), tree) if value < 0 else tree


class ExpressionPrinter:
    """Prints operands and right-hand sides, given the names of variables and the values that are inlined."""

    def __init__(self, names: Mapping[Value, str], inlined: Inlined, modules: Modules) -> None:
        self.names, self.inlined, self.modules = names, inlined, modules
        self.missing: Any = None  # what stands for a value that is not bound

    def __call__(self, x: Operand) -> ast.expr:
        if isinstance(x, Lit):
            return constant_or_name(self.missing if x.value is UNDEF else x.value, self.modules)
        inlined = self.inlined.get(x)
        return load(self.names[x]) if inlined is None else self.right_side(inlined)

    def right_side(self, s: Expression) -> ast.expr:
        """The right-hand side of a statement."""
        if isinstance(s, Select):
            return self.select(s)
        eqn = attempted(s.eqn)
        if eqn.op.name == "index":
            return self.subscript(eqn.args[0], eqn.args[1:], eqn.attrs["key"], ast.Load())
        return self.fill(expression(s.like), eqn.args, eqn)

    def fill(self, template: str, args: Sequence[Operand], eqn: Eqn) -> ast.expr:
        """A template with these operands and the attributes of `eqn`."""
        attrs = {f"_{k}": v for k, v in eqn.attrs.items()}
        tree: ast.expr = _TemplateFilling(args, attrs, self)(template_tree(template))
        if eqn.op.name == "not_" and isinstance(tree, ast.UnaryOp) and isinstance(tree.operand, ast.Compare) and \
                isinstance(tree.operand.ops[0], (ast.Is, ast.In)):
            tree = negated(tree.operand)
        return tree if eqn.primal and not _adds_negative(eqn) else move_signs(tree)

    def subscript(self, x: Operand, key: Sequence[Operand], kinds: tuple[str, ...],
                  ctx: ast.expr_context) -> ast.Subscript:
        """`x[...]`, or `x[i][...]` of a list."""
        tree, t = self(x), x.type
        while isinstance(t, (List, Optional, Undef)) and len(kinds) > 1:
            if isinstance(t, List):
                tree = ast.Subscript(tree, self._items(key[:1], kinds[:1]), ast.Load())
                key, kinds = key[1:], kinds[1:]
            t = t.elem
        return ast.Subscript(tree, self._items(key, kinds), ctx)

    def _items(self, key: Sequence[Operand], kinds: tuple[str, ...]) -> ast.expr:
        items = [self._item(item) for item in split(kinds, key)]
        return items[0] if len(items) == 1 else ast.Tuple(items, ast.Load())

    def _item(self, item: Any) -> ast.expr:
        if isinstance(item, slice):
            return ast.Slice(*(None if b is None else self(b) for b in (item.start, item.stop, item.step)))
        if item is None or item is Ellipsis:
            return ast.Constant(item, None)
        inlined = self.inlined.get(item)
        if inlined is not None and not isinstance(inlined, Select) and inlined.eqn.op.name == "array" \
                and inlined.eqn.attrs.get("tree") and inlined.eqn.attrs.get("dtype") is None:
            return self.fill(display_of(inlined.eqn.attrs["tree"]), inlined.eqn.args, inlined.eqn)
        return self(item)

    def select(self, s: Select) -> ast.expr:
        if s.kind == "if":
            test = without_bool(self(s.test))
            if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
                return ast.IfExp(test.operand, self(s.orelse), self(s.then))
            return ast.IfExp(test, self(s.then), self(s.orelse))
        test, op = self(s.test), ast.And() if s.kind == "and" else ast.Or()
        other, opposite = (s.then, s.orelse) if s.kind == "and" else (s.orelse, s.then)
        if other == Lit(s.kind == "or") and opposite is not s.test:
            test, other = negated(test), opposite
        values: list[ast.expr] = []
        for part in (test, self(other)):
            values += part.values if isinstance(part, ast.BoolOp) and type(part.op) is type(op) else [part]
        return ast.BoolOp(op, values)


def _adds_negative(eqn: Eqn) -> bool:
    """Is this `x + -1` of Python numbers, which is `x - 1`?"""
    if eqn.op.name not in ("add", "sub") or not isinstance(eqn.args[1], Lit):
        return False
    x, y = eqn.args[0].type, eqn.args[1].value
    return type(y) in (int, float) and y < 0 and isinstance(x, Tensor) and x.carrier == "py" and x.kind in "if"


def move_signs(tree: ast.expr) -> ast.expr:
    """Fold the sign of a term into the sum, and put the sign of a product in front; both are exact.

    a + -2.0 * b   ->   a - 2.0 * b
    -(a * b)       ->   -a * b
    """
    if isinstance(tree, ast.UnaryOp) and isinstance(tree.op, ast.USub):
        return _negative(tree.operand)
    if not isinstance(tree, ast.BinOp):
        return tree
    left, right = without_sign(tree.left), without_sign(tree.right)
    if isinstance(tree.op, (ast.Add, ast.Sub)) and right is not None:
        return ast.BinOp(tree.left, ast.Sub() if isinstance(tree.op, ast.Add) else ast.Add(), right)
    if isinstance(tree.op, ast.Add) and left is not None:
        return ast.BinOp(tree.right, ast.Sub(), left)
    return tree


def without_term(tree: ast.expr, name: str) -> tuple[ast.operator, ast.expr] | None:
    """The sum `name + rest` or `name - rest` as the operator and `rest`; None if it has no term `name`."""
    terms = list(_terms(tree, True))
    term_of_name = next((t for t in terms if t[0] and isinstance(t[1], ast.Name) and t[1].id == name), None)
    if term_of_name is None or len(terms) == 1:
        return None
    terms.remove(term_of_name)
    (first, rest), *more = sorted(terms, key=lambda t: not t[0])
    for plus, term in more:
        rest = ast.BinOp(rest, ast.Add() if plus is first else ast.Sub(), term)
    return ast.Add() if first else ast.Sub(), rest


def _terms(tree: ast.expr, plus: bool) -> Iterator[tuple[bool, ast.expr]]:
    """The terms of nested sums and differences, each with whether it is added."""
    if isinstance(tree, ast.BinOp) and isinstance(tree.op, (ast.Add, ast.Sub)):
        yield from _terms(tree.left, plus)
        yield plus is isinstance(tree.op, ast.Add), tree.right
    else:
        yield plus, tree


def _negative(tree: ast.expr) -> ast.expr:
    """`-tree`, the sign in front of a product or quotient; two signs are none."""
    positive = without_sign(tree)
    if positive is not None:
        return positive
    if isinstance(tree, ast.BinOp) and isinstance(tree.op, (ast.Mult, ast.Div)):
        return ast.BinOp(_negative(tree.left), tree.op, tree.right)
    return ast.UnaryOp(ast.USub(), tree)


def without_sign(tree: ast.expr) -> ast.expr | None:
    """`tree` without its leading minus; None where it has none."""
    if isinstance(tree, ast.UnaryOp) and isinstance(tree.op, ast.USub):
        return tree.operand
    if isinstance(tree, ast.BinOp) and isinstance(tree.op, (ast.Mult, ast.Div)):
        left = without_sign(tree.left)
        return None if left is None else ast.BinOp(left, tree.op, tree.right)
    return None


def conjunction(*tests: ast.expr) -> ast.expr:
    """Whether all of these hold, where only the truth counts: without operands of `and` that are True."""
    parts = [part for test in tests for part in (
        test.values if isinstance(test, ast.BoolOp) and isinstance(test.op, ast.And) else [test])]
    parts = [part for part in parts if not (isinstance(part, ast.Constant) and part.value is True)] or parts[:1]
    return parts[0] if len(parts) == 1 else ast.BoolOp(ast.And(), parts)


def without_bool(test: ast.expr) -> ast.expr:
    """A test whose truth Python asks for itself: `q` for `bool(q)`, `not q` for `not bool(q)`."""
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        return ast.UnaryOp(test.op, without_bool(test.operand))
    called = isinstance(test, ast.Call) and isinstance(test.func, ast.Name) and test.func.id == "bool"
    return test.args[0] if called and len(test.args) == 1 and not test.keywords else test  # type: ignore[attr-defined]


def negated(test: ast.expr) -> ast.expr:
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        return test.operand
    if isinstance(test, ast.Compare) and len(test.ops) == 1 and type(test.ops[0]) in _NEGATED:
        return ast.Compare(test.left, [_NEGATED[type(test.ops[0])]()], test.comparators)
    return ast.UnaryOp(ast.Not(), test)


_NEGATED: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Eq: ast.NotEq, ast.NotEq: ast.Eq, ast.Is: ast.IsNot, ast.IsNot: ast.Is, ast.In: ast.NotIn, ast.NotIn: ast.In}


def as_value(key: ast.expr) -> ast.expr:
    """A subscript as an expression: `(slice(None), i)` for `:, i`."""
    if isinstance(key, ast.Tuple):
        return ast.Tuple([as_value(item) for item in key.elts], ast.Load())
    if isinstance(key, ast.Slice):
        bounds = [key.lower, key.upper, key.step] if key.step is not None else [key.lower, key.upper]
        if key.lower is None and key.step is None:
            bounds = [key.upper]
        return call(ast.Name("slice", ast.Load()), *(b or ast.Constant(None, None) for b in bounds))
    return key


class _TemplateFilling:
    """Replaces the placeholders of a template by operands and attributes.

    variables  those of the comprehensions in the template
    renamed    for a variable that has the name of what its comprehension is over: another name
    """

    def __init__(self, args: Sequence[Operand], attrs: Mapping[str, Any], printer: ExpressionPrinter) -> None:
        self.args, self.attrs, self.printer = args, attrs, printer
        self.variables: set[str] = set()
        self.renamed: dict[str, str] = {}

    def __call__(self, node: Any) -> Any:
        if isinstance(node, ast.Name):
            return self._name(node)
        if isinstance(node, ast.ListComp):
            variables, over = _names_in(*(g.target for g in node.generators)), _names_in(self(node.generators[0].iter))
            self.variables |= variables
            self.renamed.update((v, f"{v}_item") for v in variables & over)
        dotted = _dotted(node, self.variables) if isinstance(node, ast.Attribute) else None
        if dotted is not None:
            return self.printer.modules.dotted(dotted)
        if isinstance(node, list):
            return [x for item in node for x in self._several(item)]
        if isinstance(node, ast.AST) and node._fields:
            return type(node)(*[self(getattr(node, name, None)) for name in node._fields])
        return node

    def _name(self, node: ast.Name) -> ast.expr:
        name = node.id
        if name in self.attrs:
            return constant(self.attrs[name], self.printer.modules)
        if _is_placeholder(name):
            return self.printer(self.args[int(name[1:])])
        if name in self.renamed:
            return ast.Name(self.renamed[name], node.ctx)
        return self.printer.modules.builtin(name) if hasattr(builtins, name) else node

    def _several(self, item: Any) -> list[Any]:
        if isinstance(item, ast.Name) and item.id == "_args":
            return [self.printer(x) for x in self.args]
        return [self(item)]


def _names_in(*trees: ast.AST) -> set[str]:
    return {n.id for tree in trees for n in ast.walk(tree) if isinstance(n, ast.Name)}


def _is_placeholder(name: str) -> bool:
    """Does the name stand for an operand?  The name of a module may begin with an underscore too."""
    return name[0] == "_" and name[1:].isdigit()


def _dotted(node: ast.Attribute, variables: Collection[str]) -> str | None:
    """The dotted name, as "numpy.linalg.norm", if the tree is a name in a module.

    variables  those of the comprehensions in the template
    """
    parts = [node.attr]
    tree: ast.expr = node.value
    while isinstance(tree, ast.Attribute):
        parts.append(tree.attr)
        tree = tree.value
    if isinstance(tree, ast.Name) and not _is_placeholder(tree.id) and not hasattr(builtins, tree.id) and \
            tree.id not in variables and \
            not re.fullmatch("_[^_].*_", tree.id):  # a variable of a lambda or a comprehension in the template
        return ".".join([tree.id, *reversed(parts)])
    return None
