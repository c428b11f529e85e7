"""The features of the Python family: constructs that plain runs of `f` reach, each with a least share."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator
from typing import Any

from tests.fuzz.features import LOOPS, Feature, Nodes, inside, nodes, where
from tests.fuzz.outside import GLOBALS

__all__ = ["PYTHON"]

COMPREHENSIONS = (ast.ListComp, ast.DictComp, ast.SetComp, ast.GeneratorExp)


def variable(*prefixes: str) -> Callable[[ast.AST], bool]:
    """Is this a variable of one of the types with these names?"""
    pattern = re.compile(rf"({'|'.join(prefixes)})\d+")
    return lambda n: isinstance(n, ast.Name) and pattern.fullmatch(n.id) is not None


def is_global(n: ast.AST) -> bool:
    return isinstance(n, ast.Name) and n.id in GLOBALS and isinstance(n.ctx, ast.Load)


def global_read(*around: type[ast.AST]) -> Any:
    """A global that is read in one of these."""

    def find(tree: ast.Module) -> Nodes:
        for outer in ast.walk(tree):
            if isinstance(outer, around):
                yield from (n for n in ast.walk(outer) if is_global(n))

    return find


def read_in_helper(tree: ast.Module) -> Nodes:
    for function in tree.body:
        if isinstance(function, ast.FunctionDef) and function.name not in ("f", "change"):
            yield from (n for n in ast.walk(function) if is_global(n))


def inner_functions(tree: ast.Module) -> Nodes:
    return where(ast.FunctionDef, lambda n: hasattr(n.parent, "parent"))(tree)  # type: ignore[no-any-return]


def read_in_inner(tree: ast.Module) -> Nodes:
    for inner in (*inner_functions(tree), *nodes(ast.Lambda)(tree)):
        yield from (n for n in ast.walk(inner) if is_global(n))


def kind(node: ast.expr) -> str:
    """What an expression is, as far as its text tells."""
    if isinstance(node, ast.Constant):
        return type(node.value).__name__
    if isinstance(node, ast.Name):
        by_name = {
            "MODE": "str",
            "EMPTY": "str",
            "mode": "str",
            "NOTHING": "NoneType",
            "TABLE": "dict",
            "NAMES": "list",
        }
        if node.id in by_name or re.fullmatch(r"[a-z]+\d+", node.id):
            return by_name.get(node.id) or node.id.rstrip("0123456789")
    return type(node).__name__


def is_no_number(node: ast.expr) -> bool:
    return kind(node) in {
        "str",
        "NoneType",
        "dict",
        "list",
        "List",
        "Dict",
        "Tuple",
        "Set",
        "s",
        "xs",
        "es",
        "d",
        "t",
        "c",
        "p",
        "h",
        "q",
        "ys",
        "u",
        "o",
    }


def truths(tree: ast.Module) -> Nodes:
    """What is not a number, where its truth is asked."""
    for n in ast.walk(tree):
        asked: list[ast.expr] = []
        if isinstance(n, (ast.If, ast.While, ast.IfExp)):
            asked = [n.test]
        elif isinstance(n, ast.BoolOp):
            asked = n.values
        elif isinstance(n, ast.UnaryOp) and isinstance(n.op, ast.Not):
            asked = [n.operand]
        yield from filter(is_no_number, asked)


def used_as_value(n: ast.BoolOp) -> bool:
    return not isinstance(n.parent, (ast.If, ast.While, ast.IfExp, ast.BoolOp, ast.UnaryOp))  # type: ignore[attr-defined]


def compared(*ops: type[ast.cmpop]) -> Any:
    return where(ast.Compare, lambda n: isinstance(n.ops[0], ops))


def across(n: ast.Compare) -> bool:
    return isinstance(n.ops[0], (ast.Eq, ast.NotEq)) and kind(n.left) != kind(n.comparators[0])


def call(*names: str) -> Any:
    return where(ast.Call, lambda n: getattr(n.func, "id", getattr(n.func, "attr", "")) in names)


def named(*names: str) -> Any:
    return where(ast.Name, lambda n: n.id in names)


def attribute(*names: str) -> Any:
    return where(ast.Attribute, lambda n: n.attr in names)


def alias(tree: ast.Module) -> Nodes:
    shared = variable("xs", "es", "d", "y", "p", "rows", "ys")
    return (
        n
        for n in ast.walk(tree)
        if isinstance(n, ast.Assign) and shared(n.targets[0]) and isinstance(n.value, ast.Name)
    )


def shadows(tree: ast.Module) -> Nodes:
    """Parameters of inner functions, and variables of comprehensions, with the name of a variable outside."""
    for function in tree.body:
        if not isinstance(function, ast.FunctionDef):
            continue
        inner = [n for n in ast.walk(function) if isinstance(n, (ast.FunctionDef, ast.Lambda)) and n is not function]
        own = {a.arg for a in function.args.args} | set(stored(function))
        for g in inner:
            yield from (a for a in g.args.args if a.arg in own)
        for c in ast.walk(function):
            if isinstance(c, ast.comprehension) and isinstance(c.target, ast.Name) and c.target.id in own:
                yield c.target


def stored(function: ast.AST) -> Iterator[str]:
    """The names that statements of the function itself assign."""
    for n in ast.iter_child_nodes(function):
        if not isinstance(n, (ast.FunctionDef, ast.Lambda, *COMPREHENSIONS)):
            if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store):
                yield n.id
            yield from stored(n)


def twice(*prefixes: str) -> Any:
    """A second read of a variable of this type."""
    test = variable(*prefixes)

    def find(tree: ast.Module) -> Nodes:
        seen: set[str] = set()
        for n in ast.walk(tree):
            if test(n) and isinstance(n.ctx, ast.Load):  # type: ignore[attr-defined]
                if n.id in seen:  # type: ignore[attr-defined]
                    yield n
                seen.add(n.id)  # type: ignore[attr-defined]

    return find


def augmented(*kinds: type[ast.AST]) -> Any:
    return where(ast.AugAssign, lambda n: isinstance(n.target, kinds))


def augmented_name(*prefixes: str) -> Any:
    test = variable(*prefixes)
    return where(ast.AugAssign, lambda n: test(n.target))


def mutable_default(tree: ast.Module) -> Nodes:
    pushes = call("push")(tree)
    inner = (
        d
        for n in ast.walk(tree)
        if isinstance(n, ast.FunctionDef) and n.name != "push"
        for d in n.args.defaults
        if isinstance(d, ast.List)
    )
    yield from pushes
    yield from inner


def carries(tree: ast.Module) -> Nodes:
    """`y = 0.0` before a loop in which `y = y + <array>`."""
    test = variable("y")
    for n in inside(ast.Assign, 1, *LOOPS)(tree):
        if test(n.targets[0]) and isinstance(n.value, ast.BinOp) and ast.unparse(n.value.left) == n.targets[0].id:
            yield n


def in_f(find: Any) -> Any:
    """Only in `f`: what the library of definitions writes anyway does not count."""

    def below(tree: ast.Module) -> Nodes:
        f = [n for n in tree.body if isinstance(n, ast.FunctionDef) and n.name == "f"]
        return find(ast.Module([*f], []))  # type: ignore[no-any-return]

    return below


IN_F = (
    Feature("global in a loop", 0.15, global_read(*LOOPS)),
    Feature("global in a branch", 0.10, global_read(ast.If)),
    Feature("global in a comprehension", 0.12, global_read(*COMPREHENSIONS)),
    Feature("global in an inner function", 0.08, read_in_inner),
    Feature("attribute of a global object", 0.15, where(ast.Attribute, lambda n: is_global(n.value))),
    Feature("truth of no number", 0.30, truths),
    Feature("and, or as a value", 0.12, where(ast.BoolOp, used_as_value)),
    Feature("comparison across types", 0.08, where(ast.Compare, across)),
    Feature("identity", 0.15, compared(ast.Is, ast.IsNot)),
    Feature("membership", 0.05, compared(ast.In, ast.NotIn)),
    Feature("isinstance, hasattr, callable", 0.05, call("isinstance", "hasattr", "callable")),
    Feature("type of", 0.03, call("type")),
    Feature("string", 0.30, where(ast.Constant, lambda n: isinstance(n.value, str))),
    Feature("None", 0.12, where(ast.Constant, lambda n: n.value is None)),
    Feature(
        "bool in arithmetic",
        0.01,
        where(ast.BinOp, lambda n: variable("b")(n.left) or kind(n.left) in ("bool", "Compare")),
    ),
    Feature("dict", 0.15, nodes(ast.Dict)),
    Feature("set", 0.03, nodes(ast.Set, ast.SetComp)),
    Feature("dict views", 0.06, attribute("items", "keys", "values")),
    Feature("enum", 0.04, named("Color", "Level")),
    Feature("dataclass", 0.12, named("Point", "Frozen", "Loose")),
    Feature("class with operators", 0.12, named("Unit", "Sub")),
    Feature(
        "class as a value",
        0.01,
        where(ast.Subscript, lambda n: isinstance(n.value, ast.List) and "Unit" in ast.unparse(n.value)),
    ),
    Feature("descriptor or property", 0.04, attribute("once", "each", "level", "total")),
    Feature("bound method or class method", 0.06, attribute("norm", "grow", "of", "keep", "half")),
    Feature("lambda", 0.15, nodes(ast.Lambda)),
    Feature("inner def", 0.10, inner_functions),
    Feature("shadowing parameter", 0.08, shadows),
    Feature("factory", 0.10, call("make", "rec", "compose", "times")),
    Feature("made by a factory", 0.08, named("m1", "m2", "r1", "r2", "c1", "c2", "LAYERS", "FUNCTIONS")),
    Feature("decorated", 0.01, named("one", "two")),
    Feature("partial", 0.02, call("partial")),
    Feature("default", 0.02, named("defaulted")),
    Feature("mutable default", 0.02, mutable_default),
    Feature("helper that logs", 0.15, named("log", "says")),
    Feature(
        "two effects in one expression",
        0.02,
        where(ast.BinOp, lambda n: "log(" in ast.unparse(n.left) and re.search(r"log\(|says\(", ast.unparse(n.right))),
    ),
    Feature("effects in a display", 0.01, where(ast.Dict, lambda n: "log(" in ast.unparse(n))),
    Feature("print", 0.10, call("print")),
    Feature("alias", 0.08, alias),
    Feature("append or extend", 0.08, attribute("append", "extend", "insert")),
    Feature("pop, del or clear", 0.04, lambda tree: [*attribute("pop", "clear")(tree), *nodes(ast.Delete)(tree)]),
    Feature("list += or *=", 0.01, augmented_name("xs", "es")),
    Feature("augmented attribute", 0.01, augmented(ast.Attribute)),
    Feature("augmented item", 0.03, augmented(ast.Subscript)),
    Feature("augmented name", 0.20, augmented(ast.Name)),
    Feature("iterator", 0.15, call("iter", "map", "zip", "filter", "enumerate", "reversed")),
    Feature("iterator used twice", 0.05, twice("it")),
    Feature("next", 0.04, call("next")),
    Feature("itertools", 0.03, named("itertools")),
    Feature("any, all", 0.05, call("any", "all")),
    Feature("map of an effect", 0.02, where(ast.Call, lambda n: ast.unparse(n).startswith("map(log"))),
    Feature("for", 0.40, nodes(ast.For)),
    Feature("while", 0.05, nodes(ast.While)),
    Feature("break or continue", 0.01, nodes(ast.Break, ast.Continue)),
    Feature("early return", 0.03, inside(ast.Return, 1, ast.If)),
    Feature("carry that becomes an array", 0.04, carries),
    Feature(
        "carry that starts from None",
        0.01,
        where(ast.IfExp, lambda n: isinstance(n.test, ast.Compare) and "is None" in ast.unparse(n.test)),
    ),
    Feature("comprehension", 0.40, nodes(*COMPREHENSIONS)),
    Feature("nested comprehension", 0.02, where(ast.ListComp, lambda n: isinstance(n.elt, ast.ListComp))),
    Feature("unpacking or swap", 0.06, where(ast.Assign, lambda n: isinstance(n.targets[0], ast.Tuple))),
    Feature("starred", 0.02, nodes(ast.Starred)),
    Feature("assignment expression", 0.01, nodes(ast.NamedExpr)),
    Feature("f-string", 0.02, nodes(ast.JoinedStr)),
    Feature("match", 0.02, nodes(ast.Match)),
    Feature("raise", 0.001, nodes(ast.Raise)),
    Feature("assert", 0.02, nodes(ast.Assert)),
)
PYTHON = (
    *(Feature(f.name, f.share, in_f(f.find)) for f in IN_F),
    Feature("global in a helper", 0.08, read_in_helper),
)
