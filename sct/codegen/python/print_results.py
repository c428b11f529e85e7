"""The result of a function -> a display of containers.

    {"W": Leaf(0), "b": Leaf(1)}, (dW, db)   ->   {"W": dW, "b": db}
"""

from __future__ import annotations

import ast
import keyword
from collections.abc import Callable, Iterable, Sequence

from sct.codegen.python.print_expressions import ExpressionPrinter, Modules, constant, constant_or_name, tuple_of
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
    children = [shown(c) for c in tree.children]
    if tree.kind == "object":
        return _instance(tree, children, printer.modules)
    if tree.kind == "dict":
        return ast.Dict([constant_or_name(k, printer.modules) for k in tree.keys], children)
    if tree.kind == "rows":
        return _rows(tree, children)
    return {"list": ast.List, "tuple": ast.Tuple}[tree.kind](children, ast.Load())


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


def _rows(tree: Node, items: Sequence[ast.expr]) -> ast.expr:
    """The list of tuples with these columns: `list(zip(x, y))`, or `[(v, None) for v in x]` if some are no columns."""
    columns = [x for x, child in zip(items, tree.children)
               if isinstance(child, Leaf) and not (isinstance(x, ast.Constant) and x.value is None)]
    if not columns:
        return ast.Constant(None)
    zipped = ast.Call(ast.Name("zip", ast.Load()), columns, [])
    if len(columns) == len(items):
        return ast.Call(ast.Name("list", ast.Load()), [zipped], [])
    names = ["v", "w"] if len(columns) < 3 else [f"v{k}" for k in range(len(columns))]
    name_of = dict(zip(map(id, columns), names))
    row = [ast.Name(name_of[id(x)], ast.Load()) if id(x) in name_of else x for x in items]
    targets: list[ast.expr] = [ast.Name(name, ast.Store()) for name in name_of.values()]
    over = ast.comprehension(tuple_of(targets, ast.Store()), columns[0] if len(columns) == 1 else zipped, [], 0)
    return ast.ListComp(ast.Tuple(row, ast.Load()), [over])
