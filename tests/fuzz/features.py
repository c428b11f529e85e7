"""The features of each family: constructs found in the tree of a program, with a least share.

A program has a feature if a plain run at one of its points reaches the construct: what is written
but never run does not count.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from tests.fuzz.program import Program, lines_run

__all__ = ["CALLS", "CONTROL", "EXCEPTIONS", "HEAP", "LISTS", "Feature", "features_of"]

Nodes = Iterator[ast.AST]
LOOPS = (ast.For, ast.While)


@dataclass(frozen=True)
class Feature:
    """A construct; at least `share` of the programs run it."""

    name: str
    share: float
    find: Callable[[ast.Module], Iterable[ast.AST]]


def features_of(program: Program, features: tuple[Feature, ...]) -> set[str]:
    """The features that plain runs at the program's points reach."""
    tree, lines = program.tree(), lines_run(program)
    for parent in ast.walk(tree):
        for child in ast.iter_child_nodes(parent):
            child.parent = parent  # type: ignore[attr-defined]
    return {f.name for f in features if any(getattr(node, "lineno", 0) in lines for node in f.find(tree))}


# --- control ------------------------------------------------------------------------------------


def nodes(*kinds: type[ast.AST]) -> Any:
    def find(tree: ast.Module) -> Nodes:
        return (n for n in ast.walk(tree) if isinstance(n, kinds))

    return find


def ancestors(node: ast.AST) -> Nodes:
    while hasattr(node, "parent"):
        node = node.parent
        if isinstance(node, (ast.FunctionDef, ast.Lambda)):
            return
        yield node


def inside(kind: type[ast.AST], at_least: int, *parents: type[ast.AST]) -> Any:
    """Nodes of a kind with so many of the parents around them, in one function."""

    def find(tree: ast.Module) -> Nodes:
        for n in ast.walk(tree):
            if isinstance(n, kind) and sum(isinstance(a, parents) for a in ancestors(n)) >= at_least:
                yield n

    return find


def where(kind: type[ast.AST], test: Any) -> Any:
    def find(tree: ast.Module) -> Nodes:
        return (n for n in ast.walk(tree) if isinstance(n, kind) and test(n))

    return find


def calls(test: Any) -> Any:
    return where(ast.Call, lambda n: isinstance(n.func, ast.Name) and test(n))


def iterates(*names: str) -> Any:
    def test(n: ast.For) -> bool:
        return isinstance(n.iter, ast.Call) and getattr(n.iter.func, "id", "") in names

    return where(ast.For, test)


def late_closures(tree: ast.Module) -> Iterable[ast.AST]:
    """Lambdas that read a name which is assigned again below them."""
    for function in ast.walk(tree):
        if not isinstance(function, ast.FunctionDef):
            continue
        stores = [n for n in ast.walk(function) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)]
        for n in ast.walk(function):
            if isinstance(n, ast.Lambda):
                read = {m.id for m in ast.walk(n.body) if isinstance(m, ast.Name)}
                if any(w.id in read and w.lineno > n.lineno for w in stores):
                    yield n


def functions_of(tree: ast.Module) -> dict[str, ast.FunctionDef]:
    return {n.name: n for n in tree.body if isinstance(n, ast.FunctionDef)}


def called_in(function: ast.AST) -> list[tuple[str, ast.AST]]:
    return [(n.func.id, n) for n in ast.walk(function) if isinstance(n, ast.Call) and isinstance(n.func, ast.Name)]


def calls_back(steps: int) -> Any:
    """Calls of a function by itself, or by one that it calls."""

    def find(tree: ast.Module) -> Iterable[ast.AST]:
        known = functions_of(tree)
        for name, function in known.items():
            for callee, node in called_in(function):
                if steps == 1 and callee == name:
                    yield node
                if steps == 2 and callee != name and name in [c for c, _ in called_in(known.get(callee, ast.Pass()))]:
                    yield node

    return find


def called_again(tree: ast.Module) -> Iterable[ast.AST]:
    """Calls of long functions, but for the first."""
    for name, function in functions_of(tree).items():
        made = [n for c, n in called_in(tree) if c == name]
        if len(list(ast.walk(function))) > 80 and len(made) > 1:
            yield from made


CALLS = (
    Feature("calls itself", 0.30, calls_back(1)),
    Feature("calls what calls it", 0.06, calls_back(2)),
    Feature("long function called again", 0.20, called_again),
    Feature("for", 0.30, nodes(ast.For)),
    Feature("while", 0.15, nodes(ast.While)),
    Feature("return in a branch", 0.50, inside(ast.Return, 1, ast.If)),
)

CONTROL = (
    Feature("if", 0.70, nodes(ast.If)),
    Feature("elif or else", 0.35, where(ast.If, lambda n: n.orelse)),
    Feature("for", 0.50, nodes(ast.For)),
    Feature("while", 0.32, nodes(ast.While)),
    Feature("nested loops", 0.15, inside(ast.AugAssign, 2, *LOOPS)),
    Feature("branch in a loop in a branch", 0.20, inside(ast.If, 2, ast.If, *LOOPS)),
    Feature("break", 0.20, nodes(ast.Break)),
    Feature("continue", 0.10, nodes(ast.Continue)),
    Feature("return in a branch", 0.20, inside(ast.Return, 1, ast.If)),
    Feature("return in a loop", 0.10, inside(ast.Return, 1, *LOOPS)),
    Feature("return in nested loops", 0.02, inside(ast.Return, 2, *LOOPS)),
    Feature("loop else", 0.15, where(ast.For, lambda n: n.orelse)),
    Feature("while else", 0.05, where(ast.While, lambda n: n.orelse)),
    Feature("while True", 0.10, where(ast.While, lambda n: isinstance(n.test, ast.Constant))),
    Feature(
        "range with a step", 0.12, where(ast.Call, lambda n: len(n.args) == 3 and getattr(n.func, "id", "") == "range")
    ),
    Feature("for over an array", 0.10, where(ast.For, lambda n: isinstance(n.iter, ast.Name))),
    Feature("for over a tuple or list", 0.10, where(ast.For, lambda n: isinstance(n.iter, (ast.Tuple, ast.List)))),
    Feature("zip", 0.04, iterates("zip")),
    Feature("enumerate", 0.04, iterates("enumerate")),
    Feature("reversed", 0.06, iterates("reversed")),
    Feature("ternary", 0.25, nodes(ast.IfExp)),
    Feature("and or or", 0.40, nodes(ast.BoolOp)),
    Feature("not", 0.10, where(ast.UnaryOp, lambda n: isinstance(n.op, ast.Not))),
    Feature("chained comparison", 0.25, where(ast.Compare, lambda n: len(n.ops) > 1)),
    Feature("walrus", 0.25, nodes(ast.NamedExpr)),
    Feature("augmented assignment", 0.70, nodes(ast.AugAssign)),
    Feature("tuple assignment", 0.40, where(ast.Assign, lambda n: isinstance(n.targets[0], (ast.Tuple, ast.List)))),
    Feature("starred assignment", 0.10, nodes(ast.Starred)),
    Feature("chained assignment", 0.15, where(ast.Assign, lambda n: len(n.targets) > 1)),
    Feature("annotated assignment", 0.08, nodes(ast.AnnAssign)),
    Feature("helper call", 0.40, calls(lambda n: n.func.id.startswith("h"))),
    Feature("keyword argument", 0.20, calls(lambda n: n.keywords)),
    Feature("lambda", 0.17, nodes(ast.Lambda)),
    Feature("nested def", 0.12, where(ast.FunctionDef, lambda n: n.name.startswith("g"))),
    Feature("closure call", 0.15, calls(lambda n: n.func.id.startswith("g"))),
    Feature("closure over a name assigned later", 0.06, late_closures),
    Feature("assert", 0.12, nodes(ast.Assert)),
    Feature("raise in an arm", 0.01, inside(ast.Raise, 1, ast.If)),
    Feature("print", 0.08, calls(lambda n: n.func.id == "print")),
    Feature("max or min", 0.20, calls(lambda n: n.func.id in ("max", "min"))),
)


EXCEPTIONS = (
    Feature("handler runs", 0.30, lambda tree: (n.body[0] for n in nodes(ast.ExceptHandler)(tree))),
    Feature("try in a loop", 0.15, inside(ast.Try, 1, *LOOPS)),
    Feature("try in a try", 0.05, inside(ast.Try, 1, ast.Try)),
    Feature("loop in a try", 0.10, inside(ast.For, 1, ast.Try)),
    Feature("exit from a try", 0.10, lambda tree: (n for kind in (ast.Return, ast.Break, ast.Continue)
                                                   for n in inside(kind, 1, ast.Try)(tree))),
    Feature("else", 0.10, lambda tree: (n.orelse[0] for n in nodes(ast.Try)(tree) if n.orelse)),
    Feature("finally", 0.10, lambda tree: (n.finalbody[0] for n in nodes(ast.Try)(tree) if n.finalbody)),
    Feature("with", 0.10, nodes(ast.With)),
    Feature("yield", 0.30, nodes(ast.Yield)),
    Feature("yield in a loop", 0.05, inside(ast.Yield, 1, *LOOPS)),
    Feature("yield from", 0.01, nodes(ast.YieldFrom)),
    Feature("for", 0.40, nodes(ast.For)),
    Feature("while", 0.20, nodes(ast.While)),
)

# --- heap ---------------------------------------------------------------------------------------


def assigned(test: Any) -> Any:
    """Assignments `name = value` whose value passes the test."""
    return where(ast.Assign, lambda n: isinstance(n.targets[0], ast.Name) and test(n.value))


def is_array_name(n: ast.AST) -> bool:
    return isinstance(n, ast.Name)


def has_slice(n: ast.AST) -> bool:
    return isinstance(n, ast.Subscript) and any(isinstance(m, (ast.Slice, ast.Constant)) for m in key_of(n))


def key_of(n: ast.Subscript) -> list[ast.expr]:
    return n.slice.elts if isinstance(n.slice, ast.Tuple) else [n.slice]


def steps(*values: str) -> Any:
    return where(ast.Slice, lambda n: n.step is not None and ast.unparse(n.step) in values)


def targets(n: ast.AST) -> list[ast.expr]:
    if isinstance(n, ast.Assign):
        return n.targets
    return [n.target] if isinstance(n, ast.AugAssign) else []


def is_index_array(n: ast.AST) -> bool:
    if not isinstance(n, ast.Subscript):
        return False
    key = key_of(n)[0]
    return isinstance(key, ast.List) or isinstance(key, ast.Name) and key.id in INDEX_NAMES


INDEX_NAMES = {"idx", *"uvwzbcghpq"}  # a name of an array as the subscript: integer indices


def writes(kind: type[ast.AST], test: Any, inside_of: tuple[type[ast.AST], ...] = ()) -> Any:
    """Assignments through a subscript that passes the test, in one of the given statements."""

    def find(tree: ast.Module) -> Nodes:
        for n in inside(kind, 1 if inside_of else 0, *(inside_of or (ast.If,)))(tree):
            if any(isinstance(t, ast.Subscript) and test(t) for t in targets(n)):
                yield n

    return find


def method(*names: str) -> Any:
    return where(ast.Call, lambda n: isinstance(n.func, ast.Attribute) and n.func.attr in names)


def through_rows(tree: ast.Module) -> Nodes:
    """Writes through the row of a loop over a matrix."""
    for loop in ast.walk(tree):
        if isinstance(loop, ast.For):
            rows = {m.id for m in ast.walk(loop.target) if isinstance(m, ast.Name)}
            for n in ast.walk(loop):
                if any(names_of(t) and names_of(t)[0] in rows for t in targets(n)):
                    yield n


def names_of(n: ast.AST) -> list[str]:
    return [m.id for m in ast.walk(n) if isinstance(m, ast.Name)]


def through_views(tree: ast.Module) -> Nodes:
    """Writes through a name that was bound to a view or to another name."""
    for function in ast.walk(tree):
        if not isinstance(function, ast.FunctionDef):
            continue
        bound = {n.targets[0].id for n in ast.walk(function) if is_binding(n)}  # type: ignore[attr-defined]
        for n in ast.walk(function):
            if any(
                names_of(t)[0] in bound
                for t in targets(n)
                if isinstance(t, ast.Subscript) or isinstance(n, ast.AugAssign)
            ):
                yield n


def is_binding(n: ast.AST) -> bool:
    if not isinstance(n, ast.Assign) or not isinstance(n.targets[0], ast.Name):
        return False
    v = n.value
    return isinstance(v, (ast.Name, ast.Attribute)) or has_slice(v)


def is_swap(n: ast.Assign) -> bool:
    t, v = n.targets[0], n.value
    if not isinstance(t, ast.Tuple) or not isinstance(v, ast.Tuple):
        return False
    return sorted(map(ast.unparse, t.elts)) == sorted(map(ast.unparse, v.elts))


def np_call(*names: str) -> Any:
    return where(ast.Call, lambda n: isinstance(n.func, ast.Attribute) and n.func.attr in names)


def user_call(*first: str) -> Any:
    return where(ast.Call, lambda n: isinstance(n.func, ast.Name) and n.func.id[0] in first and n.func.id[-1].isdigit())


HEAP = (
    Feature("alias", 0.10, assigned(is_array_name)),
    Feature("view bound to a name", 0.25, assigned(has_slice)),
    Feature("write through an alias or view", 0.15, through_views),
    Feature("negative step", 0.25, steps("-1", "-2")),
    Feature("step of two", 0.25, steps("2")),
    Feature("transpose", 0.14, where(ast.Attribute, lambda n: n.attr == "T")),
    Feature("reshape or ravel", 0.15, method("reshape", "ravel")),
    Feature("swap or rotation", 0.12, where(ast.Assign, is_swap)),
    Feature("swap in a loop", 0.04, lambda tree: (n for n in inside(ast.Assign, 1, *LOOPS)(tree) if is_swap(n))),
    Feature("write of an element", 0.30, writes(ast.Assign, lambda t: not has_slice(t) and not is_index_array(t))),
    Feature("write of a slice", 0.25, writes(ast.Assign, has_slice)),
    Feature("augmented write", 0.55, writes(ast.AugAssign, lambda t: True)),
    Feature("augmented write of a whole array", 0.15, where(ast.AugAssign, lambda n: isinstance(n.target, ast.Name))),
    Feature("write in a branch", 0.20, writes(ast.AugAssign, lambda t: True, (ast.If,))),
    Feature("write in a loop", 0.25, writes(ast.AugAssign, lambda t: True, LOOPS)),
    Feature(
        "write in a branch in a loop",
        0.04,
        lambda tree: (n for n in writes(ast.AugAssign, lambda t: True, LOOPS)(tree) if in_branch(n)),
    ),
    Feature("y[idx] = v", 0.08, writes(ast.Assign, is_index_array)),
    Feature("y[idx] += v", 0.12, writes(ast.AugAssign, is_index_array)),
    Feature("mask", 0.15, where(ast.Subscript, lambda n: isinstance(n.slice, ast.Compare))),
    Feature("helper that writes", 0.30, user_call("w")),
    Feature("closure that writes", 0.05, user_call("g")),
    Feature("list, tuple or dict of arrays", 0.12, assigned(lambda v: isinstance(v, (ast.List, ast.Tuple, ast.Dict)))),
    Feature("write through a container", 0.05, writes(ast.AugAssign, lambda t: names_of(t)[0][0] in "ldtb")),
    Feature("write through a row", 0.08, through_rows),
    Feature("for", 0.40, nodes(ast.For)),
    Feature("while", 0.08, nodes(ast.While)),
    Feature("if", 0.35, nodes(ast.If)),
    Feature("break or continue", 0.04, nodes(ast.Break, ast.Continue)),
    Feature("where", 0.15, np_call("where")),
    Feature("maximum or minimum", 0.12, np_call("maximum", "minimum")),
    Feature("sum", 0.60, np_call("sum")),
    Feature("dot or @", 0.17, where(ast.BinOp, lambda n: isinstance(n.op, ast.MatMult))),
    Feature("gather", 0.08, where(ast.Subscript, lambda n: isinstance(n.ctx, ast.Load) and is_index_array(n))),
    Feature("2-d", 0.40, where(ast.Name, lambda n: n.id == "A")),
)


def in_branch(node: ast.AST) -> bool:
    while not isinstance(node, ast.FunctionDef):
        node = node.parent  # type: ignore[attr-defined]
        if isinstance(node, ast.If):
            return True
    return False


# --- lists ----------------------------------------------------------------------------------------


def in_loop(found: Any) -> Any:
    return lambda tree: (n for n in found(tree) if any(isinstance(p, LOOPS) for p in ancestors(n)))


def in_arm(found: Any) -> Any:
    return lambda tree: (n for n in found(tree) if any(isinstance(p, ast.If) for p in ancestors(n)))


def over(test: Callable[[ast.expr], bool]) -> Any:
    return where(ast.For, lambda n: test(n.iter))


def starts(*letters: str) -> Callable[[ast.expr], bool]:
    return lambda v: isinstance(v, ast.Name) and v.id.startswith(letters)


def of_calls(*names: str) -> Callable[[ast.expr], bool]:
    return lambda v: isinstance(v, ast.Call) and isinstance(v.func, ast.Name) and v.func.id in names


def is_deep(t: ast.expr) -> bool:
    return isinstance(t, ast.Subscript) and isinstance(t.value, ast.Subscript)


def is_part(t: ast.expr) -> bool:
    return isinstance(t, ast.Subscript) and isinstance(t.slice, ast.Slice)


LISTS = (
    Feature("append", 0.60, method("append")),
    Feature("append in a loop", 0.40, in_loop(method("append"))),
    Feature("append in a branch", 0.15, in_arm(method("append"))),
    Feature("pop", 0.40, method("pop")),
    Feature("pop in a loop", 0.25, in_loop(method("pop"))),
    Feature("insert", 0.10, method("insert")),
    Feature("extend", 0.05, method("extend")),
    Feature("reverse", 0.03, method("reverse")),
    Feature("write of an item", 0.40, writes(ast.Assign, lambda t: True)),
    Feature("augmented write of an item", 0.25, writes(ast.AugAssign, lambda t: True)),
    Feature("write in a loop", 0.25, in_loop(writes(ast.Assign, lambda t: True))),
    Feature("comprehension", 0.40, nodes(ast.ListComp)),
    Feature("comprehension with a test", 0.10, where(ast.ListComp, lambda n: any(g.ifs for g in n.generators))),
    Feature("slice", 0.30, where(ast.Subscript, lambda n: isinstance(n.slice, ast.Slice))),
    Feature("write of a slice", 0.06, writes(ast.Assign, is_part)),
    Feature("deletion of a slice", 0.03, where(ast.Delete, lambda n: is_part(n.targets[0]))),
    Feature("alias", 0.03, assigned(starts("xs", "ys"))),
    Feature("for over a list", 0.20, over(starts("xs", "ys"))),
    Feature("for over pairs", 0.06, over(starts("ps"))),
    Feature("for over rows", 0.04, over(starts("rs"))),
    Feature("for over arrays", 0.05, over(starts("zs"))),
    Feature("enumerate", 0.10, over(of_calls("enumerate"))),
    Feature("zip", 0.06, over(of_calls("zip"))),
    Feature("reversed", 0.04, over(of_calls("reversed"))),
    Feature("write of an item of a row", 0.10, writes(ast.Assign, is_deep)),
    Feature("append to a row", 0.06, where(ast.Call, lambda n: isinstance(n.func, ast.Attribute)
                                           and n.func.attr == "append" and isinstance(n.func.value, ast.Subscript))),
    Feature("while", 0.15, nodes(ast.While)),
    Feature("stack", 0.05, where(ast.While, lambda n: starts("stack")(n.test))),
    Feature("break or continue", 0.05, nodes(ast.Break, ast.Continue)),
    Feature("sum, max or min", 0.60, where(ast.Call, lambda n: of_calls("sum", "max", "min")(n))),
    Feature("array of a list", 0.10, np_call("array")),
    Feature("product of arrays in a list", 0.15, where(ast.BinOp, lambda n: isinstance(n.op, ast.MatMult))),
    Feature("product in a loop", 0.04, in_loop(where(ast.BinOp, lambda n: isinstance(n.op, ast.MatMult)))),
    Feature("helper that appends", 0.05, where(ast.Call, lambda n: of_calls("push")(n))),
)
