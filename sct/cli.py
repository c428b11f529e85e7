"""The command `sct`.

    sct show-ir FILE [--function NAME] [--wrt NAMES] [--args "x: f64[n], y: float"]

prints the derivative of the decorated functions of FILE.  FILE is not run: `load`
executes its imports, functions, classes and plain constants, nothing else.

Exit status: 0, all printed; 1, something is refused (said on standard error); 2, a
wrong command line.
"""

from __future__ import annotations
import __future__

import ast
import sys
import types
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import click

from sct.derivative import Derivative
from sct.errors import Loc, SctError
from sct.frontend.trace import parse_type

__all__ = ["load", "main"]


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
def main() -> None:
    """Exact derivatives of plain Python and NumPy functions, as plain Python source."""


@main.command("show-ir")
@click.argument("file", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option("--function", "names", metavar="NAME", multiple=True,
              help="This function, decorated or not (Class.method for a method); may be repeated.")
@click.option("--wrt", metavar="NAMES", help="Parameters to differentiate, separated by commas.")
@click.option("--args", "types", metavar="TYPES", default="", help='Types of parameters: "x: f64[n], y: float".')
def show_ir(file: Path, names: tuple[str, ...], wrt: str | None, types: str) -> None:
    """Print the derivative of every decorated function of FILE.

    FILE is not run: only its imports, functions, classes and assignments of literals
    and of calls of NumPy, math or sct are.
    """
    try:
        tree, module = load(file)
        chosen = list(_chosen(names, tree, module, wrt))
        given = _parse_types(types, chosen)
    except SctError as error:
        _refuse(error)
        sys.exit(1)
    refused = False
    for number, derivative in enumerate(chosen):
        try:
            text = derivative.source_for({p: t for p, t in given.items() if p in _parameters(derivative)})
        except SctError as error:
            refused = True
            _refuse(error)
            continue
        click.echo(("\n\n" if number else "") + text.rstrip("\n"))
    sys.exit(1 if refused else 0)


def _refuse(error: SctError) -> None:
    click.echo(str(error), err=True)


# -- choosing -------------------------------------------------------------------------


def _chosen(
    names: tuple[str, ...], tree: ast.Module, module: types.ModuleType, wrt: str | None
) -> Iterator[Derivative]:
    """The derivatives to print: of the named functions, or of all decorated ones."""
    argnums = tuple(name.strip() for name in wrt.split(",")) if wrt is not None else None
    found = [_named(name, module) for name in names] or list(_decorated(tree, module))
    if not found:
        raise click.UsageError("no function of FILE is decorated with @grad or @value_and_grad; "
                               "choose one with --function NAME")
    for f in found:
        yield _with_argnums(f, argnums)


def _named(name: str, module: types.ModuleType) -> Any:
    f = _look_up(name, module)
    if f is None or isinstance(f, type) or not callable(f):
        functions = [n for n, each in vars(module).items() if isinstance(each, (types.FunctionType, Derivative))]
        raise click.BadParameter(f"there is no function {name!r} in FILE; it has {', '.join(functions) or 'none'}",
                                 param_hint="--function")
    return f


def _look_up(name: str, module: types.ModuleType) -> Any:
    found: Any = module
    for part in name.split("."):
        found = vars(found).get(part) if isinstance(found, (types.ModuleType, type)) else None
    return found


def _decorated(tree: ast.Module, module: types.ModuleType) -> Iterator[Derivative]:
    """Functions and methods that `grad` or `value_and_grad` decorates, in order."""
    for name in _definitions(tree.body):
        f = _look_up(name, module)
        f = f.__func__ if isinstance(f, (staticmethod, classmethod)) else f
        if isinstance(f, Derivative):
            yield f


def _definitions(body: list[ast.stmt], prefix: str = "") -> Iterator[str]:
    for node in body:
        if isinstance(node, ast.FunctionDef) and node.decorator_list:
            yield prefix + node.name
        elif isinstance(node, ast.ClassDef):
            yield from _definitions(node.body, f"{prefix}{node.name}.")


def _with_argnums(f: Any, argnums: tuple[str, ...] | None) -> Derivative:
    if argnums is None:
        return f if isinstance(f, Derivative) else Derivative("grad", f)
    transform = f.__sct_transform__ if isinstance(f, Derivative) else None
    kind, function = (transform.kind, transform.fn) if transform else ("grad", f)
    try:
        return Derivative(kind, function, argnums if len(argnums) > 1 else argnums[0])
    except SctError as error:
        raise click.BadParameter(f"{error.what}; {error.why}", param_hint="--wrt") from None


def _parameters(derivative: Derivative) -> set[str]:
    code = _code(derivative)
    return set(code.co_varnames[: code.co_argcount + code.co_kwonlyargcount])


def _code(f: Any) -> types.CodeType:
    while isinstance(f, Derivative):
        f = f.__sct_transform__.fn
    code: types.CodeType = f.__code__
    return code


# -- --args ---------------------------------------------------------------------------


def _parse_types(text: str, derivatives: list[Derivative]) -> dict[str, str]:
    """`x: f64[n], y: float` as a dict.

    >>> _parse_types("", [])
    {}
    """
    given: dict[str, str] = {}
    known = set().union(*map(_parameters, derivatives))
    for part in _split(text):
        name, colon, type_text = (each.strip() for each in part.partition(":"))
        if not colon or not name.isidentifier() or not type_text:
            raise click.BadParameter(f'{part.strip()!r} is not "name: type"', param_hint="--args")
        if name not in known:
            raise click.BadParameter(f"there is no parameter {name!r}; there are {', '.join(sorted(known))}",
                                     param_hint="--args")
        try:
            parse_type(type_text)
        except SctError as error:
            raise click.BadParameter(f"{error.what}; {error.hint}", param_hint="--args") from None
        given[name] = type_text
    return given


def _split(text: str) -> Iterator[str]:
    """The parts of `text` between commas that are not in brackets.

    >>> list(_split("x: f64[n, m], y: float"))
    ['x: f64[n, m]', ' y: float']
    """
    depth, part = 0, ""
    for character in text:
        depth += (character in "([{") - (character in ")]}")
        if character == "," and depth == 0:
            yield part
            part = ""
        else:
            part += character
    if part.strip():
        yield part


# -- loading --------------------------------------------------------------------------


def load(file: Path) -> tuple[ast.Module, types.ModuleType]:
    """The syntax tree of `file`, and a module in which its definitions were run.

    Run are imports, `def`, `class` and assignments to names whose right side is a
    literal or a call of NumPy, math or sct.  Such an assignment that fails is left
    out: what needs the name is refused by name.
    """
    path = file.resolve()
    tree = _parse(path)
    module = types.ModuleType(path.stem if path.stem not in sys.modules else f"{path.stem} (sct)")
    module.__file__ = str(path)
    sys.modules[module.__name__] = module
    sys.path.insert(0, str(path.parent))
    library: set[str] = set()
    imports = list(_imports(tree.body))
    for node in tree.body:
        if isinstance(node, (ast.Import, ast.ImportFrom)):
            _run(node, imports, module)
            library |= _library_names(node)
        elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            _run(node, imports, module)
            library.discard(node.name)
        elif _is_constant(node, library):
            _run(node, imports, module, optional=True)
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

    What a function compiles to depends on which names its module imports; so they are
    imported in code that never runs, and the function is the same as in FILE.
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
            return
        raise SctError("SCT912", f"{Path(path).name} cannot be loaded: {type(error).__name__}: {error}",
                       loc=loc) from error


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
    for each in vars(module).values():
        if isinstance(each, __future__._Feature):
            flags |= each.compiler_flag
    return flags


def _library_names(node: ast.Import | ast.ImportFrom) -> set[str]:
    """The names of NumPy, math and sct that an import binds."""
    home = getattr(node, "module", None)
    return {
        alias.asname or alias.name.split(".")[0]
        for alias in node.names
        if (home or alias.name).split(".")[0] in ("numpy", "math", "sct")
    }


def _is_constant(node: ast.stmt, library: set[str]) -> bool:
    if isinstance(node, ast.Assign):
        targets = node.targets
    elif isinstance(node, ast.AnnAssign) and node.value is not None:
        targets = [node.target]
    else:
        return False
    parts = [part for target in targets for part in ast.walk(target) if isinstance(part, ast.expr)]
    names = all(isinstance(part, (ast.Name, ast.Tuple, ast.List, ast.Starred)) for part in parts)
    return names and node.value is not None and _is_plain(node.value, library)


def _is_plain(node: ast.AST, library: set[str]) -> bool:
    """A literal, something of NumPy, math or sct, a call of it, or arithmetic on these."""
    if isinstance(node, (ast.Name, ast.Attribute, ast.Subscript)):
        return _root(node, library)
    if isinstance(node, ast.Call):
        return _root(node, library) and not any(
            isinstance(each, ast.Call) and not _root(each, library) for each in ast.walk(node)
        )
    if isinstance(node, (ast.Constant, ast.operator, ast.unaryop, ast.expr_context)):
        return True
    forms = (ast.Tuple, ast.List, ast.Set, ast.Dict, ast.Starred, ast.UnaryOp, ast.BinOp)
    return isinstance(node, forms) and all(_is_plain(part, library) for part in ast.iter_child_nodes(node))


def _root(node: ast.AST, library: set[str]) -> bool:
    """Does `np.linalg.norm`, or `np.zeros(3).reshape(3, 1)`, begin with a library?

    What such a call returns is not called (`sct.grad(f)(x)` runs `f`).
    """
    if isinstance(node, ast.Call):
        return not isinstance(node.func, ast.Call) and _root(node.func, library)
    if isinstance(node, (ast.Attribute, ast.Subscript)):
        return _root(node.value, library)
    return isinstance(node, ast.Name) and node.id in library
