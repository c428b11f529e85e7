"""Loads a file of the user as a module without running it.

`opened` executes only its imports, functions, classes and plain constants:

    import numpy as np; N = 3; w = np.zeros(N); main()     ->     a module with np, N and w
"""

from __future__ import annotations
import __future__

import ast
import contextlib
import sys
import types
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from sct.errors import SctError
from sct.export.reading.names import bound_names, changed_names, is_docstring, is_main_guard
from sct.export.reading.plain_statements import plain_statements
from sct.export.reading.project import Home, home_of, module_names, not_importable, single_imports
from sct.export.reading.sources import Part, SourceText, read_source
from sct.frontend import NotLoaded, Unloaded

__all__ = ["opened"]


@contextlib.contextmanager
def opened(path: Path) -> Iterator[tuple[SourceText, types.ModuleType]]:
    """The source at `path`, and a module in which its definitions were run, as long as it is needed.

    Names whose statements were not run are bound to an `Unloaded`; a function that needs one is refused by its name.
    What importing prints goes to standard error.
    """
    source, home = read_source(path), home_of(path)
    search, before = [*sys.path], dict(sys.modules)
    sys.path[:0] = [str(root) for root in home.roots[:1]]
    sys.path += [str(root) for root in home.roots[1:]]
    loader = _Loader(home)
    try:
        with contextlib.redirect_stdout(sys.stderr):
            module = loader.load(source, home.name, home.package)
        yield source, module
    finally:
        sys.path[:] = search
        loader.forget(before)


@dataclass
class _Module:
    """A module that is being loaded; `skipped`: has it a statement that is not run?"""

    module: types.ModuleType
    source: SourceText
    skipped: bool = False


class _Loader:
    """Loads a file, and those files of its project that cannot be imported.

    names  the modules that it has added
    """

    def __init__(self, home: Home) -> None:
        self.home = home
        self.names: list[str] = []

    def load(self, source: SourceText, name: str, package: str) -> types.ModuleType:
        """The module of a source."""
        statements = plain_statements(source.statements)
        parent = name.rpartition(".")[0]
        if parent and any(_imports_own_package(node, parent) for node in statements):
            self._import(parent)
        module = types.ModuleType(name if name not in sys.modules else f"_sct_{name.replace('.', '_')}")
        module.__file__, module.__package__ = str(source.path.resolve()), package
        if name == package:
            module.__path__ = [str(source.path.resolve().parent)]
        sys.modules[module.__name__] = module
        self.names.append(module.__name__)
        loading = _Module(module, source)
        imports = {part: list(_imports(part.tree.body)) for part in source.parts}
        plain = set(statements)
        for node in source.statements:
            part = source.part_of(node)
            if node not in plain:
                _skip(loading, node)
            elif isinstance(node, (ast.Import, ast.ImportFrom)):
                self._run_import(loading, node, part)
            else:
                _run(loading, node, part, imports[part])
        return module

    def forget(self, before: Mapping[str, types.ModuleType]) -> None:
        """Remove the modules that were added, and those of packages that were run only in part."""
        packages = {name.partition(".")[0] for name in self.names[1:]}
        for name in [*sys.modules]:
            if name in self.names or name not in before and name.partition(".")[0] in packages:
                del sys.modules[name]
        sys.modules.update({name: before[name] for name in self.names if name in before})

    def _run_import(self, loading: _Module, node: ast.Import | ast.ImportFrom, part: Part) -> None:
        """Run an import.  Where it fails, each of its names is bound by itself, to a stand-in if need be."""
        try:
            _execute(node, [], loading.module, part)
            return
        except SctError as error:
            error.loc = error.loc or loading.source.loc(node)
            raise
        except (Exception, SystemExit):
            pass
        package = str(loading.module.__package__)
        for single in single_imports(node):
            failure = self._import_failure(loading, single, part)
            if failure is None:
                continue
            for module in module_names(single, package):
                self._import(module)
            if (failure := self._import_failure(loading, single, part)) is not None:
                stand_in = not_importable(single, failure)
                setattr(loading.module, stand_in.name, stand_in)

    def _import_failure(self, loading: _Module, node: ast.stmt, part: Part) -> BaseException | None:
        try:
            _execute(node, [], loading.module, part)
        except (Exception, SystemExit) as error:
            return error
        return None

    def _import(self, name: str) -> None:
        """Import a module; one of the project that cannot be imported is loaded without being run."""
        if name in sys.modules:
            return
        try:
            __import__(name)
        except (Exception, SystemExit):
            file = self.home.file_of(name)
            if file is None or name in sys.modules:
                return
            with contextlib.suppress(SctError):
                outer, _, last = name.rpartition(".")
                loaded = self.load(read_source(file), name, name if file.name == "__init__.py" else outer)
                if outer in sys.modules:
                    setattr(sys.modules[outer], last, loaded)


def _imports_own_package(node: ast.stmt, package: str) -> bool:
    """Does a statement import a part of the package that it stands in, which imports the package itself first?"""
    top = package.partition(".")[0]
    return any(inner.level > 0 or (inner.module or "").partition(".")[0] == top
               if isinstance(inner, ast.ImportFrom) else
               isinstance(inner, ast.Import) and any(a.name.partition(".")[0] == top for a in inner.names)
               for inner in ast.walk(node))


def _skip(loading: _Module, node: ast.stmt) -> None:
    """Bind the names of a statement that is not run to stand-ins."""
    if is_docstring(node) or is_main_guard(node):
        return
    loading.skipped = True
    names = changed_names(node) - vars(loading.module).keys()
    if isinstance(node, (ast.Assign, ast.AnnAssign)):
        names |= _assigned_names(node)
    for name in names:
        setattr(loading.module, name, Unloaded.not_run(name, loading.source.loc(node)))


def _run(loading: _Module, node: ast.stmt, part: Part, imports: list[ast.stmt]) -> None:
    """Run one statement.  What an assignment that raises would bind is not known."""
    module = loading.module
    optional = not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef))
    try:
        _execute(node, imports, module, part)
    except NotLoaded as error:
        for name in bound_names(node):
            setattr(module, name, Unloaded(name, error.what, error.why, error.hint, error.loc))
    except SctError as error:
        error.loc = error.loc or loading.source.loc(node)
        raise
    except (Exception, SystemExit) as error:
        loc = loading.source.loc(node)
        if optional:
            for name in bound_names(node):
                setattr(module, name, Unloaded.not_run(name, loc))
            return
        reason = f"{type(error).__name__}: {error}"
        if not loading.skipped:
            raise SctError("SCT912", f"{loading.source.name} cannot be loaded: {reason}", loc=loc) from error
        why = f"it raises {reason}, where only definitions and plain assignments of the file are run"
        for name in bound_names(node):
            setattr(module, name, Unloaded(name, f"the definition of `{name}` cannot be run", why,
                                           "assign what it needs with literals or calls of NumPy", loc))


def _execute(node: ast.stmt, imports: list[ast.stmt], module: types.ModuleType, part: Part) -> None:
    """Execute one statement.

    The bytecode of a function depends on which names its module imports.  So all imports are compiled beside the
    statement, in a branch that never runs.
    """
    never = ast.copy_location(ast.If(ast.copy_location(ast.Constant(False), node), imports, []), node)
    body = [node, never] if imports else [node]
    code = compile(ast.Module(body, []), part.file, "exec", flags=_future_flags(module), dont_inherit=True)
    exec(code, vars(module))


def _assigned_names(node: ast.Assign | ast.AnnAssign) -> set[str]:
    """The names that an assignment binds."""
    targets = node.targets if isinstance(node, ast.Assign) else [node.target]
    return {n.id for target in targets for n in ast.walk(target)
            if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}


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
