"""Which statements of a file are run: those whose only effect is to bind names.

    import numpy as np; N = 3; w = np.zeros(N); main()     ->     all but `main()`
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

__all__ = ["is_type_checking", "plain_statements"]


def plain_statements(body: Sequence[ast.stmt]) -> list[ast.stmt]:
    """The statements at the top of a module whose only effect is to bind names.

    These are imports, functions, classes, and assignments of plain expressions to names.  A plain expression is made
    of literals, functions, names bound by plain statements, calls of NumPy, math or sct, and arithmetic.  A `try`
    around imports is plain if all its statements are, and so is an `if` that asks for the version of Python.
    `sct.rule(f, vjp=g)` is plain, too.
    """
    names = _PlainNames()
    return [node for node in body if names.binds(node)]


def is_type_checking(node: ast.AST) -> bool:
    """Is this `if TYPE_CHECKING: ...`, whose body type checkers alone read?"""
    return isinstance(node, ast.If) and ast.unparse(node.test).rpartition(".")[2] == "TYPE_CHECKING"


_LIBRARIES = ("numpy", "math", "sct")


class _PlainNames:
    """The names that plain statements have bound so far.

    library    names of NumPy, math, sct and functools.partial, and their libraries
    constants  names of values
    functions  names of functions and classes of the module, and of values that contain them
    """

    def __init__(self) -> None:
        self.library: dict[str, str] = {}
        self.constants: set[str] = set()
        self.functions: set[str] = set()

    def binds(self, node: ast.stmt) -> bool:
        """Is the statement plain?  If so, records the names that it binds."""
        if isinstance(node, (ast.Import, ast.ImportFrom)):
            self._imports(node)
        elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            self.library.pop(node.name, None)
            self.functions.add(node.name)
        elif isinstance(node, ast.Pass) or self._gives_rule(node):
            return True
        elif is_type_checking(node):
            assert isinstance(node, ast.If)
            return all([self.binds(inner) for inner in node.orelse])
        elif isinstance(node, ast.If) and _asks_for_the_platform(node.test):
            return all([self.binds(inner) for inner in (*node.body, *node.orelse)])
        elif isinstance(node, ast.Try) and any(isinstance(n, (ast.Import, ast.ImportFrom)) for n in node.body):
            parts = [*node.body, *node.orelse, *node.finalbody, *(n for h in node.handlers for n in h.body)]
            return all([self.binds(inner) for inner in parts])
        else:
            return self._assigns(node)
        return True

    def _gives_rule(self, node: ast.stmt) -> bool:
        """Is this `sct.rule(f, vjp=g)`, whose only effect is on sct?"""
        call = node.value if isinstance(node, ast.Expr) else None
        if not isinstance(call, ast.Call) or self.library_of(call) != "sct":
            return False
        arguments = [*call.args, *(k.value for k in call.keywords)]
        return ast.unparse(call.func).rpartition(".")[2] == "rule" and all(
            isinstance(x, (ast.Constant, ast.Lambda)) or isinstance(x, (ast.Name, ast.Attribute)) and _is_dotted(x)
            for x in arguments)

    def _imports(self, node: ast.Import | ast.ImportFrom) -> None:
        for alias in node.names:
            full = f"{node.module}.{alias.name}" if isinstance(node, ast.ImportFrom) else alias.name
            name = alias.asname or alias.name
            if full == "functools":
                self.library[f"{name}.partial"] = "sct"
            elif full.startswith("numpy.random.") and not full.endswith("default_rng"):
                continue
            elif full.split(".")[0] in _LIBRARIES or full == "functools.partial":
                library = full.split(".")[0] if full != "functools.partial" else "sct"
                self.library[name if alias.asname else name.split(".")[0]] = library

    def _assigns(self, node: ast.stmt) -> bool:
        targets = node.targets if isinstance(node, ast.Assign) else [getattr(node, "target", None)]
        value = node.value if isinstance(node, (ast.Assign, ast.AnnAssign)) else None
        parts = [part for target in targets if target for part in ast.walk(target) if isinstance(part, ast.expr)]
        if not all(isinstance(part, (ast.Name, ast.Tuple, ast.List, ast.Starred)) for part in parts):
            return False
        if value is None or not self.is_plain_expression(value):
            return False
        reads = {part.id for part in ast.walk(value) if isinstance(part, ast.Name)}
        kind = self.functions if reads & self.functions else self.constants
        kind |= {part.id for part in parts if isinstance(part, ast.Name)}
        return True

    def is_plain_expression(self, node: ast.AST, functions: bool = True) -> bool:
        """Has the expression no effects, and the same value at every evaluation?"""
        if isinstance(node, ast.Name):
            return node.id in self.library or node.id in self.constants or functions and node.id in self.functions
        if isinstance(node, ast.Attribute):
            return self.library_of(node) is not None
        if isinstance(node, ast.Subscript):
            return self.is_plain_expression(node.value, functions) and self.is_plain_expression(node.slice, functions)
        if isinstance(node, ast.Call):
            library = self.library_of(node)
            parts = [*node.args, *node.keywords, *_arguments_of_inner_calls(node.func)]
            functions = functions and library == "sct"
            return library is not None and all(self.is_plain_expression(part, functions) for part in parts)
        if isinstance(node, ast.Lambda):
            return functions and not node.args.defaults and not any(node.args.kw_defaults)
        if isinstance(node, (ast.Constant, ast.operator, ast.unaryop, ast.expr_context)):
            return True
        return isinstance(node, _PLAIN_NODES) and all(
            self.is_plain_expression(part, functions) for part in ast.iter_child_nodes(node))

    def library_of(self, node: ast.AST) -> str | None:
        """The library at the root of `np.linalg.norm` or `np.zeros(3).reshape(3, 1)`.

        None if the callee is itself a call (`sct.grad(f)(x)` runs `f`), and for random numbers, unless they come from
        a generator with a seed.
        """
        if isinstance(node, ast.Call):
            return None if isinstance(node.func, ast.Call) else self.library_of(node.func)
        if isinstance(node, ast.Attribute):
            inner = node.value
            if node.attr != "default_rng" and isinstance(inner, ast.Attribute) and inner.attr == "random":
                return None
            if isinstance(inner, ast.Call) and not inner.args and ast.unparse(inner.func).endswith("default_rng"):
                return None
            return self.library.get(ast.unparse(node)) or self.library_of(inner)
        if isinstance(node, ast.Subscript):
            return self.library_of(node.value)
        return self.library.get(node.id) if isinstance(node, ast.Name) else None


def _is_dotted(node: ast.expr) -> bool:
    """Is this `a.b.c`?"""
    while isinstance(node, ast.Attribute):
        node = node.value
    return isinstance(node, ast.Name)


def _asks_for_the_platform(test: ast.expr) -> bool:
    """Does the test compare the version of Python, or the platform, with literals?"""
    asked = [part for part in ast.walk(test) if isinstance(part, ast.Attribute)]
    return bool(asked) and all(ast.unparse(part) in ("sys.version_info", "sys.platform", "os.name") for part in asked) \
        and not any(isinstance(part, (ast.Call, ast.NamedExpr)) for part in ast.walk(test))


_PLAIN_NODES = (ast.Tuple, ast.List, ast.Set, ast.Dict, ast.Starred, ast.UnaryOp, ast.BinOp, ast.keyword, ast.Slice)


def _arguments_of_inner_calls(node: ast.AST) -> Iterator[ast.AST]:
    """The arguments of calls in a callee: 3 in `np.zeros(3).reshape`."""
    while isinstance(node, (ast.Attribute, ast.Subscript, ast.Call)):
        if isinstance(node, ast.Call):
            yield from (*node.args, *node.keywords)
        node = node.func if isinstance(node, ast.Call) else node.value
