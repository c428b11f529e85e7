"""Instrumented code: the code of the user, in which each expression passes its value to the observer.

    y = x * 2        ->      y = __sct_observe__(0, __sct_operand__(x) * 2)
    g(y)             ->      __sct_observe__(1, __sct_callee__(g)(y))
"""

from __future__ import annotations

import ast
import copy
import functools
import linecache
import types
from typing import Any

from sct.errors import Loc
from sct.frontend.iteration.python_iterators import RUN_OVER
from sct.frontend.source.parse import loc_of, nested_codes, text_around
from sct.frontend.state.observed_types import items_place

__all__ = [
    "ARGUMENT", "ATTRIBUTE", "CALLEE", "IN_PLACE", "ITEMS", "OBSERVE", "OPERAND", "PLACES", "UNPACKED",
    "instrumented_code", "plain_code"]

OBSERVE, ITEMS, CALLEE, ATTRIBUTE = "__sct_observe__", "__sct_items__", "__sct_callee__", "__sct_attribute__"
OPERAND, IN_PLACE, UNPACKED, KEY = "__sct_operand__", "__sct_in_place__", "__sct_unpacked__", "_sct_key_"
ARGUMENT = "__sct_argument__"
"""The names by which instrumented code calls the observer, and names keys that it reads twice."""

PLACES: list[Loc] = []
"""The places of the expressions in all instrumented code, by number: functions of several files may share globals."""


@functools.lru_cache(maxsize=256)
def _instrumented_text(file: str, text: str) -> tuple[list[types.CodeType], list[types.CodeType], list[Loc]]:
    """The code objects of a module, those with instrumented functions in the same order, and the places of its
    expressions by number."""
    instrument = _Instrument(file)
    module = ast.fix_missing_locations(instrument.visit(ast.parse(text)))
    plain, instrumented = (_codes_by_place(source, file) for source in (text, module))
    pairs = [pair for at, codes in plain.items() if len(codes) == len(instrumented.get(at, ()))
             for pair in zip(codes, instrumented[at])]
    return [p for p, _ in pairs], [c for _, c in pairs], instrument.places


def _instrumented_around(code: types.CodeType) -> tuple[list[types.CodeType], list[types.CodeType], list[Loc]]:
    """The same of the module in which the function stands, without its other functions and classes."""
    lines = linecache.getlines(code.co_filename)
    return _instrumented_text(code.co_filename, text_around(code.co_firstlineno, "".join(lines)))


def _codes_by_place(source: Any, file: str) -> dict[tuple[Any, ...], list[types.CodeType]]:
    """The code objects of a module, by what stays where its functions are instrumented.

    Python may compile the functions of a branch that never runs, or drop them."""
    codes: dict[tuple[Any, ...], list[types.CodeType]] = {}
    for code in nested_codes(compile(source, file, "exec", dont_inherit=True)):
        codes.setdefault((code.co_name, code.co_firstlineno, code.co_argcount), []).append(code)
    return codes


def instrumented_code(code: types.CodeType) -> tuple[types.CodeType, list[Loc]]:
    """The instrumented code, or the code itself where there is no source."""
    try:
        plain, instrumented, places = _instrumented_around(code)
    except SyntaxError:
        return code, PLACES
    same = [k for k, c in enumerate(plain) if (c.co_name, c.co_firstlineno, c.co_freevars, c.co_argcount) == (
        code.co_name, code.co_firstlineno, code.co_freevars, code.co_argcount)]
    if len(same) > 1:
        same = [k for k in same if _positions(plain[k]) == _positions(code)]
    return instrumented[same[0]] if same and instrumented[same[0]].co_freevars == code.co_freevars else code, places


def plain_code(code: types.CodeType) -> types.CodeType:
    """The code of the user that is instrumented in `code`."""
    plain, instrumented, _ = _instrumented_around(code)
    return next((p for p, c in zip(plain, instrumented) if c is code), code)


def _positions(code: types.CodeType) -> list[Any]:
    """The places of the instructions, which tell functions on one line apart; unknown before Python 3.11."""
    positions = getattr(code, "co_positions", None)
    return [code] if positions is None else list(positions())


class _Instrument(ast.NodeTransformer):
    """Wraps expressions, the iterables of loops, callees and operands in calls of the observer."""

    def __init__(self, file: str) -> None:
        self.file = file
        self.places = PLACES

    def _wrapped(self, name: str, node: Any, place: Loc) -> Any:
        self.places.append(place)
        call = ast.Call(ast.Name(name, ast.Load()), [ast.Constant(len(self.places) - 1), node], [])
        return ast.copy_location(call, node)

    def _value(self, node: Any) -> Any:
        self.generic_visit(node)
        return self._wrapped(OBSERVE, node, loc_of(node, self.file))

    visit_BoolOp = visit_ListComp = visit_SetComp = visit_DictComp = visit_GeneratorExp = _value

    def _operand(self, node: Any) -> Any:
        """The expression, whose value is an operand."""
        if isinstance(node, (ast.Constant, ast.JoinedStr)):
            return node
        return ast.copy_location(ast.Call(ast.Name(OPERAND, ast.Load()), [node], []), node)

    def visit_BinOp(self, node: ast.BinOp) -> Any:
        self.generic_visit(node)
        node.left, node.right = self._operand(node.left), self._operand(node.right)
        return self._wrapped(OBSERVE, node, loc_of(node, self.file))

    def visit_UnaryOp(self, node: ast.UnaryOp) -> Any:
        self.generic_visit(node)
        node.operand = self._operand(node.operand)
        return self._wrapped(OBSERVE, node, loc_of(node, self.file))

    def visit_Compare(self, node: ast.Compare) -> Any:
        """The objects themselves are compared by `is`, and searched for by `in`."""
        self.generic_visit(node)
        if all(isinstance(op, (ast.Eq, ast.NotEq, ast.Lt, ast.LtE, ast.Gt, ast.GtE)) for op in node.ops):
            node.left, node.comparators = self._operand(node.left), [*map(self._operand, node.comparators)]
        elif len(node.ops) == 1 and isinstance(node.ops[0], (ast.In, ast.NotIn)):
            node.comparators = [self._operand(node.comparators[0])]
        return self._wrapped(OBSERVE, node, loc_of(node, self.file))

    def _tested(self, node: Any) -> Any:
        self.generic_visit(node)
        node.test = self._operand(node.test)
        return self._wrapped(OBSERVE, node, loc_of(node, self.file)) if isinstance(node, ast.IfExp) else node

    visit_If = visit_While = visit_IfExp = _tested

    def visit_withitem(self, node: ast.withitem) -> Any:
        self.generic_visit(node)
        node.context_expr = self._operand(node.context_expr)
        return node

    def visit_Subscript(self, node: ast.Subscript) -> Any:
        self.generic_visit(node)
        node.value = self._operand(node.value)
        return self._wrapped(OBSERVE, node, loc_of(node, self.file)) if isinstance(node.ctx, ast.Load) else node

    def visit_Attribute(self, node: ast.Attribute) -> Any:
        self.generic_visit(node)
        private = node.attr.startswith("__") and not node.attr.endswith("__")
        if private or not isinstance(node.ctx, ast.Load):
            return node
        read = ast.Call(ast.Name(ATTRIBUTE, ast.Load()), [node.value, ast.Constant(node.attr)], [])
        return self._wrapped(OBSERVE, ast.copy_location(read, node), loc_of(node, self.file))

    def visit_Call(self, node: ast.Call) -> Any:
        zero_argument_super = isinstance(node.func, ast.Name) and node.func.id in ("super", "locals", "vars", "globals")
        places = [None if isinstance(a, ast.Starred) else items_place(loc_of(a, self.file)) for a in node.args]
        runs_over = isinstance(node.func, ast.Name) and node.func.id in [f.__name__ for f in RUN_OVER]
        self.generic_visit(node)
        if runs_over:
            node.args = [a if place is None else self._wrapped(ARGUMENT, a, place)
                         for a, place in zip(node.args, places)]
        if not zero_argument_super:
            node.func = ast.copy_location(ast.Call(ast.Name(CALLEE, ast.Load()), [node.func], []), node.func)
        return self._wrapped(OBSERVE, node, loc_of(node, self.file))

    def _loop(self, node: Any) -> Any:
        place = items_place(loc_of(node.iter, self.file))
        self.generic_visit(node)
        node.iter = self._wrapped(ITEMS, node.iter, place)
        if isinstance(node.target, (ast.Tuple, ast.List)):
            node.iter = self._wrapped(UNPACKED, node.iter, loc_of(node.target, self.file))
        return node

    visit_For = visit_comprehension = _loop

    def visit_Assign(self, node: ast.Assign) -> Any:
        place = items_place(loc_of(node.value, self.file))
        self.generic_visit(node)
        if any(isinstance(t, (ast.Tuple, ast.List)) for t in node.targets) and len(node.targets) == 1:
            of_one = ast.copy_location(ast.Tuple([node.value], ast.Load()), node.value)
            unpacked = self._wrapped(UNPACKED, of_one, loc_of(node.targets[0], self.file))
            items = ast.List([ast.Starred(unpacked, ast.Load())], ast.Load())
            only = ast.copy_location(ast.Subscript(items, ast.Constant(0), ast.Load()), node.value)
            node.value = self._wrapped(ITEMS, only, place)
        return node

    def visit_AugAssign(self, node: ast.AugAssign) -> Any:
        node = copy.deepcopy(node)
        owner: Any = node.target
        keys: list[ast.Assign] = []
        while isinstance(owner, ast.Attribute) or isinstance(owner, ast.Subscript) and not any(
                isinstance(part, (ast.Slice, ast.Starred)) for part in getattr(owner.slice, "elts", [owner.slice])):
            if isinstance(owner, ast.Subscript) and not isinstance(owner.slice, (ast.Name, ast.Constant)):
                name, key = f"{KEY}{len(keys)}", self.visit(owner.slice)  # evaluated once, though it is read twice
                keys.insert(0, ast.copy_location(ast.Assign([ast.Name(name, ast.Store())], key), node))
                owner.slice = ast.copy_location(ast.Name(name, ast.Load()), key)
            owner = owner.value
        if not isinstance(owner, ast.Name):
            self.generic_visit(node)
            return [*keys, node]
        target = copy.deepcopy(node.target)
        target.ctx = ast.Load()
        read = ast.copy_location(ast.Expr(self._wrapped(OBSERVE, target, loc_of(node, self.file))), node)
        operator = ast.Constant(type(node.op).__name__)
        updated = ast.Call(ast.Name(IN_PLACE, ast.Load()),
                           [operator, self.visit(copy.deepcopy(target)), self.visit(node.value)], [])
        update = ast.copy_location(ast.Assign([self.visit(node.target)], ast.copy_location(updated, node)), node)
        return [update, read] if isinstance(node.target, ast.Name) else [*keys, read, update, read]

    def visit_JoinedStr(self, node: ast.JoinedStr) -> Any:
        for part in node.values:
            if isinstance(part, ast.FormattedValue):
                part.value = self._operand(self.visit(part.value))
        return node

    def visit_match_case(self, node: Any) -> Any:
        node.guard = self.visit(node.guard) if node.guard is not None else None
        node.body = [y for s in node.body for x in [self.visit(s)] for y in (x if isinstance(x, list) else [x])]
        return node

    def _definition(self, node: Any) -> Any:
        """Decorators, defaults and annotations are no part of the function's computation; lambdas in them may be."""
        arguments = [] if isinstance(node, ast.ClassDef) else [*node.args.defaults, *node.args.kw_defaults]
        for outside in [*node.decorator_list, *arguments]:
            self._in_lambdas(outside)
        node.body = [y for s in node.body for x in [self.visit(s)] for y in (x if isinstance(x, list) else [x])]
        return node

    visit_FunctionDef = visit_ClassDef = _definition

    def _in_lambdas(self, node: ast.AST | None) -> None:
        if isinstance(node, ast.Lambda):
            node.body = self.visit(node.body)
        elif node is not None:
            for child in ast.iter_child_nodes(node):
                self._in_lambdas(child)

    def visit_AnnAssign(self, node: ast.AnnAssign) -> Any:
        node.value = self.visit(node.value) if node.value is not None else None
        return node
