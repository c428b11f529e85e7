"""Loads a file of the user as a module without running it.

`load` executes only its imports, functions, classes and plain constants:

    import numpy as np; N = 3; w = np.zeros(N); main()     ->     a module with np, N and w
"""

from __future__ import annotations
import __future__

import ast
import linecache
import sys
import types
from collections.abc import Iterator, Sequence
from pathlib import Path

from sct.errors import Loc, SctError

__all__ = ["load", "plain_statements"]


def load(file: Path) -> tuple[ast.Module, types.ModuleType]:
    """The syntax tree of `file`, and a module in which its definitions were run.

    An assignment that raises is left out; a function that needs its name is refused by name.
    """
    path = file.resolve()
    linecache.cache.pop(str(path), None)
    tree = _parse(path)
    module = types.ModuleType(path.stem if path.stem not in sys.modules else f"_sct_{path.stem}")
    module.__file__ = str(path)
    sys.modules[module.__name__] = module
    sys.path.insert(0, str(path.parent))
    imports = list(_imports(tree.body))
    for node in plain_statements(tree):
        _run(node, imports, module, optional=isinstance(node, (ast.Assign, ast.AnnAssign)))
    return tree, module


def _parse(path: Path) -> ast.Module:
    try:
        return ast.parse(path.read_bytes(), str(path))
    except SyntaxError as error:
        loc = Loc(str(path), error.lineno or 1, max(0, (error.offset or 1) - 1))
        raise SctError("SCT911", f"{path.name} is not valid Python: {error.msg}", loc=loc) from None
    except ValueError as error:
        raise SctError("SCT911", f"{path.name} is not valid Python: {error}") from None


def _run(node: ast.stmt, imports: list[ast.stmt], module: types.ModuleType, optional: bool = False) -> None:
    """Run one statement.

    The bytecode of a function depends on which names its module imports.  So all imports are compiled beside the
    statement, in a branch that never runs.
    """
    path = str(module.__file__)
    loc = Loc(path, node.lineno, node.col_offset)
    never = ast.copy_location(ast.If(ast.copy_location(ast.Constant(False), node), imports, []), node)
    body = [node, never] if imports else [node]
    try:
        exec(compile(ast.Module(body, []), path, "exec", flags=_future_flags(module), dont_inherit=True), vars(module))
    except SctError as error:
        error.loc = error.loc or loc
        raise
    except Exception as error:
        if optional:
            for name in _assigned_names(node):
                vars(module).pop(name, None)  # an earlier value is not the value of the name
            return
        raise SctError("SCT912", f"{Path(path).name} cannot be loaded: {type(error).__name__}: {error}",
                       loc=loc) from error


def _assigned_names(node: ast.stmt) -> Iterator[str]:
    """The names that an assignment binds, or whose objects it changes."""
    targets = node.targets if isinstance(node, ast.Assign) else [node.target] if isinstance(node, ast.AnnAssign) else []
    for target in targets:
        yield from (n.id for n in ast.walk(target) if isinstance(n, ast.Name))


def _imports(body: Sequence[ast.AST]) -> Iterator[ast.stmt]:
    """The imports at module scope, in branches too."""
    for node in body:
        if isinstance(node, ast.Import) or isinstance(node, ast.ImportFrom) and node.module != "__future__":
            yield node
        elif not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.expr)):
            yield from _imports(list(ast.iter_child_nodes(node)))


def _future_flags(module: types.ModuleType) -> int:
    """Compiler flags of the `from __future__` imports that were run."""
    flags = 0
    for feature in vars(module).values():
        if isinstance(feature, __future__._Feature):
            flags |= feature.compiler_flag
    return flags


# -- plain statements ----------------------------------------------------------------------


def plain_statements(tree: ast.Module) -> list[ast.stmt]:
    """The statements at the top of a module whose only effect is to bind names.

    These are imports, functions, classes, and assignments of plain expressions to names.  A plain expression is made
    of literals, functions, names bound by plain statements, calls of NumPy, math or sct, and arithmetic.
    """
    names = _PlainNames()
    return [node for node in tree.body if names.binds(node)]


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
        else:
            return self._assigns(node)
        return True

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


_PLAIN_NODES = (ast.Tuple, ast.List, ast.Set, ast.Dict, ast.Starred, ast.UnaryOp, ast.BinOp, ast.keyword, ast.Slice)


def _arguments_of_inner_calls(node: ast.AST) -> Iterator[ast.AST]:
    """The arguments of calls in a callee: 3 in `np.zeros(3).reshape`."""
    while isinstance(node, (ast.Attribute, ast.Subscript, ast.Call)):
        if isinstance(node, ast.Call):
            yield from (*node.args, *node.keywords)
        node = node.func if isinstance(node, ast.Call) else node.value
