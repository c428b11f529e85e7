"""The result of a function -> a display of containers.

    {"W": Leaf(0), "b": Leaf(1)}, (dW, db)   ->   {"W": dW, "b": db}
"""

from __future__ import annotations

import ast
import keyword
from collections.abc import Callable, Iterable, Sequence

from sct.codegen.python.print_expressions import ExpressionPrinter, Modules, constant, constant_or_name
from sct.ir.core import Operand
from sct.ir.pytree import Const, Leaf, Node, Tree, shared_numbers
from sct.ir.user_objects import has_generated_constructor, is_namedtuple

__all__ = ["display"]


def display(tree: Tree, values: Sequence[Operand], printer: ExpressionPrinter, free_names: Iterable[str]) -> ast.expr:
    """The display of a tree, where Leaf(i) is `values[i]`.

    An object that stands at several places gets a free name at the first of them: `[shared := [x, y], shared]`.
    """
    names = iter(free_names)
    numbers = shared_numbers(tree)
    bound: dict[int, ast.expr] = {}

    def shown(part: Tree) -> ast.expr:
        if part.number not in numbers:
            return _display(part, values, printer, shown)
        if part.number not in bound:
            whole = _display(part, values, printer, shown)
            name = whole.id if isinstance(whole, ast.Name) else next(names)
            bound[part.number] = ast.Name(name, ast.Load())
            return whole if isinstance(whole, ast.Name) else ast.NamedExpr(ast.Name(name, ast.Store()), whole)
        return bound[part.number]

    return shown(tree)


def _display(tree: Tree, values: Sequence[Operand], printer: ExpressionPrinter,
             shown: Callable[[Tree], ast.expr]) -> ast.expr:
    if isinstance(tree, Leaf):
        return printer(values[tree.index])
    if isinstance(tree, Const):
        return constant_or_name(tree.value, printer.modules)
    if tree.kind == "rows" and not all(isinstance(c, Leaf) for c in tree.children):
        return _rows_with_nested(tree, shown)
    children = [shown(c) for c in tree.children]
    if tree.kind == "object":
        return _instance(tree, children, printer.modules)
    if tree.kind == "dict":
        return ast.Dict([constant_or_name(k, printer.modules) for k in tree.keys], children)
    if tree.kind == "rows":
        return _rows(children)
    return ast.List(children, ast.Load()) if tree.kind == "list" else ast.Tuple(children, ast.Load())


def _instance(tree: Node, children: list[ast.expr], modules: Modules) -> ast.expr:
    """An instance of the class of a gradient: see ir/user_objects.py."""
    cls = modules.cls(tree.cls)
    if is_namedtuple(tree.cls) and not has_generated_constructor(tree.cls):
        new = ast.Attribute(ast.Name("tuple", ast.Load()), "__new__", ast.Load())
        return ast.Call(new, [cls, ast.Tuple(children, ast.Load())], [])
    if all(key.isidentifier() and not keyword.iskeyword(key) for key in tree.keys):
        return ast.Call(cls, [], [ast.keyword(k, v) for k, v in zip(tree.keys, children)])
    named = ast.Dict([constant(k, modules) for k in tree.keys], children)
    return ast.Call(cls, [], [ast.keyword(None, named)])


def _rows_with_nested(tree: Node, shown: Callable[[Tree], ast.expr]) -> ast.expr:
    """`[(v, None) for v in xs]`: a list of tuples, some of whose items are not columns."""
    columns = [shown(c) for c in tree.children if isinstance(c, Leaf)]
    if not columns:
        return ast.Constant(None)
    names = [f"v{k}" for k in range(len(columns))] if len(columns) > 1 else ["v"]
    unused = iter(names)
    row = [ast.Name(next(unused), ast.Load()) if isinstance(c, Leaf) else shown(c)
           for c in tree.children]
    target: ast.expr = ast.Name("v", ast.Store())
    if len(columns) > 1:
        target = ast.Tuple([ast.Name(name, ast.Store()) for name in names], ast.Store())
        columns = [ast.Call(ast.Name("zip", ast.Load()), columns, [])]
    return ast.ListComp(ast.Tuple(row, ast.Load()), [ast.comprehension(target, columns[0], [], 0)])


def _rows(columns: Sequence[ast.expr]) -> ast.expr:
    """The list of tuples with these columns: `list(zip(x, y))`, or `[(v, None) for v in x]` where one is None."""
    present = [c for c in columns if not (isinstance(c, ast.Constant) and c.value is None)]
    zipped = ast.Call(ast.Name("zip", ast.Load()), present, [])
    if len(present) == len(columns):
        return ast.Call(ast.Name("list", ast.Load()), [zipped], [])
    names = iter(["v", "w"] if len(present) < 3 else [f"v{k}" for k in range(len(present))])
    item = [ast.Name(next(names), ast.Load()) if c in present else c for c in columns]
    targets = [ast.Name(x.id, ast.Store()) for x in item if isinstance(x, ast.Name)]
    target = targets[0] if len(targets) == 1 else ast.Tuple([*targets], ast.Store())
    over = present[0] if len(present) == 1 else zipped
    return ast.ListComp(ast.Tuple(item, ast.Load()), [ast.comprehension(target, over, [], 0)])
