"""The result of a function -> a display of containers.

    {"W": Leaf(0), "b": Leaf(1)}, (dW, db)   ->   {"W": dW, "b": db}
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Sequence

from sct.codegen.python.print_expressions import ExpressionPrinter, Modules, constant, constant_or_name, tuple_of
from sct.ir.core import Operand
from sct.ir.pytrees.pytree import Const, Leaf, Node, Tree, leaves, shared_numbers
from sct.ir.pytrees.user_objects import has_generated_constructor, is_identifier, is_namedtuple

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
    if tree.kind == "rows":
        return _rows(tree, {k: printer(values[k]) for k in leaves(tree)}, printer)
    children = [shown(c) for c in tree.children]
    return _container(tree, children, printer)


def _container(tree: Node, children: list[ast.expr], printer: ExpressionPrinter) -> ast.expr:
    if tree.kind == "object":
        return _instance(tree, children, printer.modules)
    if tree.kind == "dict":
        return ast.Dict([constant_or_name(k, printer.modules) for k in tree.keys], children)
    return {"list": ast.List, "tuple": ast.Tuple}[tree.kind](children, ast.Load())


def _instance(tree: Node, children: list[ast.expr], modules: Modules) -> ast.expr:
    """An instance of the class of a gradient: see ir/pytrees/user_objects.py."""
    cls = modules.cls(tree.cls)
    if is_namedtuple(tree.cls) and not has_generated_constructor(tree.cls):
        new = ast.Attribute(ast.Name("tuple", ast.Load()), "__new__", ast.Load())
        return ast.Call(new, [cls, ast.Tuple(children, ast.Load())], [])
    if all(is_identifier(key) for key in tree.keys):
        return ast.Call(cls, [], [ast.keyword(k, v) for k, v in zip(tree.keys, children)])
    named = ast.Dict([constant(k, modules) for k in tree.keys], children)
    return ast.Call(cls, [], [ast.keyword(None, named)])


def _rows(tree: Node, columns: dict[int, ast.expr], printer: ExpressionPrinter, depth: int = 0) -> ast.expr:
    """The list of records with these columns: `list(zip(x, y))`, `[{"x": v, "name": None} for v in x]`."""
    (item,) = tree.children
    columns = {k: x for k, x in columns.items() if not (isinstance(x, ast.Constant) and x.value is None)}
    if not columns:
        return ast.Constant(None)
    zipped = ast.Call(ast.Name("zip", ast.Load()), [*columns.values()], [])
    if isinstance(item, Node) and item.kind == "tuple" and [Leaf(k) for k in columns] == [*item.children]:
        return ast.Call(ast.Name("list", ast.Load()), [zipped], [])
    short = ["v", "w"] if len(columns) < 3 and not depth else [f"v{depth or ''}{k}" for k in range(len(columns))]
    name_of = dict(zip(columns, short))

    def shown(part: Tree) -> ast.expr:
        if isinstance(part, Leaf):
            return ast.Name(name_of[part.index], ast.Load()) if part.index in name_of else ast.Constant(None)
        if isinstance(part, Const):
            return constant_or_name(part.value, printer.modules)
        if part.kind == "rows":
            return _rows(part, {k: ast.Name(name_of[k], ast.Load()) for k in leaves(part) if k in name_of}, printer,
                         depth + 1)
        return _container(part, [shown(c) for c in part.children], printer)

    targets: list[ast.expr] = [ast.Name(name, ast.Store()) for name in name_of.values()]
    over = next(iter(columns.values())) if len(columns) == 1 else zipped
    return ast.ListComp(shown(item), [ast.comprehension(tuple_of(targets, ast.Store()), over, [], 0)])
