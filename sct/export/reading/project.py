"""The project that a file belongs to: its name as a module, where its imports are looked for, and failing imports.

    src/pkg/sub/model.py, with __init__.py in pkg and sub     the module `pkg.sub.model`, found from src

As pytest does, the package of a file is found by its `__init__.py` files; the directory above the outermost one is
searched for imports, then the directory of the project (that of pyproject.toml) and its `src`.
"""

from __future__ import annotations

import ast
import importlib.util
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from sct.export.reading.sources import STDIN
from sct.frontend import Unloaded

__all__ = ["Home", "home_of", "module_names", "not_importable", "single_imports"]

_MARKERS = ("pyproject.toml", "setup.cfg", "setup.py", "pytest.ini", "tox.ini", ".git")


@dataclass(frozen=True)
class Home:
    """Where a file stands.

    name     of the module
    package  the package that its relative imports start from; "" if it stands in none
    roots    the directories in which modules of the project are looked for
    """

    name: str
    package: str
    roots: tuple[Path, ...]

    def file_of(self, module: str) -> Path | None:
        """The file of a module of the project, None if there is none."""
        for root in self.roots:
            place = root.joinpath(*module.split("."))
            for file in (place.with_suffix(".py") if place.name else place, place / "__init__.py"):
                if file.is_file():
                    return file
        return None


def home_of(path: Path) -> Home:
    """The home of a file; of a notebook and of standard input the directory, which is not a package."""
    if path == STDIN:
        return Home("__stdin__", "", tuple(dict.fromkeys([Path.cwd(), *_project_roots(Path.cwd())])))
    path = path.resolve()
    parts = [] if path.name == "__init__.py" else [path.stem]
    base = path.parent
    if path.suffix != ".ipynb":
        while (base / "__init__.py").is_file() and base.name.isidentifier():
            parts.insert(0, base.name)
            base = base.parent
    package = parts if path.name == "__init__.py" else parts[:-1]
    return Home(".".join(parts) or path.stem, ".".join(package), tuple(dict.fromkeys([base, *_project_roots(base)])))


def _project_roots(directory: Path) -> Iterator[Path]:
    """The directory of the project, and its `src`, if there are any."""
    for root in (directory, *directory.parents):
        if any((root / marker).exists() for marker in _MARKERS):
            yield root
            if (root / "src").is_dir():
                yield root / "src"
            return


# -- imports --------------------------------------------------------------------------


def single_imports(node: ast.Import | ast.ImportFrom) -> Iterator[ast.Import | ast.ImportFrom]:
    """The statement, split into one for each name that it binds."""
    for alias in node.names:
        fields = {**dict(ast.iter_fields(node)), "names": [alias]}
        yield ast.copy_location(type(node)(**fields), node)


def module_names(node: ast.Import | ast.ImportFrom, package: str) -> list[str]:
    """The absolute names of the modules that an import of one name looks for, packages before their modules."""
    (alias,) = node.names
    if isinstance(node, ast.Import):
        full = alias.name
    else:
        try:
            full = importlib.util.resolve_name("." * node.level + (node.module or ""), package)
        except ImportError:
            return []
    parts = full.split(".")
    names = [".".join(parts[:k]) for k in range(1, len(parts) + 1)]
    return [*names, f"{full}.{alias.name}"] if isinstance(node, ast.ImportFrom) and alias.name != "*" else names


def not_importable(node: ast.Import | ast.ImportFrom, error: BaseException) -> Unloaded:
    """Stands for what an import of one name does not find."""
    (alias,) = node.names
    name = alias.asname or alias.name.partition(".")[0]
    reason = f"{type(error).__name__}: {error}".removesuffix(": ")
    return Unloaded(name, f"`{name}` cannot be imported", f"`{ast.unparse(node)}` raises {reason}",
                    f"install it for {sys.executable}, or pass what it gives as an argument"
                    if isinstance(error, ModuleNotFoundError) else "pass what it gives as an argument")
