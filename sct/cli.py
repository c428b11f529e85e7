"""The command `sct`.

    sct show-ir FILE [--function NAME] [--wrt NAMES] [--args "x: f64[n], y: float"]

prints the derivative of the decorated functions of FILE.  FILE is not run: `load`
executes its imports, functions, classes and plain constants, nothing else.

Exit status: 0, all printed; 1, something is refused (said on standard error); 2, a
wrong command line.
"""

from __future__ import annotations

import ast
import sys
import types
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click

from sct.derivative import Derivative
from sct.errors import SctError
from sct.frontend.typetext import parse_type
from sct.modules.decorated import File
from sct.modules.loading import load

__all__ = ["main"]


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


@main.command("emit")
@click.argument("file", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option("-o", "--output", metavar="OUT.py", type=click.Path(dir_okay=False, path_type=Path),
              help="Where to write it; without it, to standard output.")
def emit(file: Path, output: Path | None) -> None:
    """Write a module that imports nothing of sct and defines every decorated name of FILE.

    Each has the signature that it has in FILE, and is the plain function that computes
    the same.  FILE is not run.  Nothing is written where something is refused.
    """
    try:
        text, refused = File(file).emit()
    except SctError as error:
        text, refused = "", [error]
    for each in refused:
        _refuse(each)
    if refused:
        sys.exit(1)
    if output is None:
        click.echo(text, nl=False)
        return
    try:
        output.write_text(text, encoding="utf-8")
    except OSError as error:
        raise click.BadParameter(f"{output} cannot be written: {error.strerror}", param_hint="-o") from None


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
