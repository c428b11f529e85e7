"""The command `sct`.

    sct show-ir FILE [--function NAME] [--wrt NAMES] [--args "x: f64[n], k = 2"] [--stage STAGE]
    sct emit FILE -o OUT.py
    sct check FILE
    sct cache [--clear]

FILE is not run: its imports, functions, classes and plain constants are, nothing else.

Exit status: 0, all is well; 1, something is refused (said on standard error); 2, a
wrong command line.
"""

from __future__ import annotations

import os
import runpy
import sys
from collections.abc import Callable, Iterator
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import click
import numpy

from sct.codegen.cache_directory import cache_dir, clear, stored_modules
from sct.derivative import Derivative, emit
from sct.errors import Loc, SctError
from sct.export.decorated_file import Decorated, File
from sct.export.stages import STAGES, copies_in_loops, stage_text
from sct.frontend import Traced, root_of, tangent_names, trace_ahead
from sct.frontend.values.type_syntax import known_value, structure

__all__ = ["main"]


def _version() -> str:
    try:
        return version("sct-grad")
    except PackageNotFoundError:
        return "unknown"


_FILE = click.argument("file", type=click.Path(exists=True, dir_okay=False, path_type=Path))
_NAMES = click.option("--function", "names", metavar="NAME", multiple=True,
                      help="This function, decorated or not (Class.method for a method); may be repeated.")
_ARGS = click.option("--args", "types", metavar="TYPES", default="",
                     help='Types of parameters, or values: "x: f64[n], p: (float, int), self.a: float, k = 2".')


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(_version(), prog_name="sct")
def main() -> None:
    """Exact derivatives of plain Python and NumPy functions, as plain Python source."""


@main.command("show-ir", short_help="Print the derivatives of FILE, at a stage of the compiler.")
@_FILE
@_NAMES
@click.option("--wrt", metavar="NAMES", help="Parameters to differentiate by, separated by commas.")
@_ARGS
@click.option("--mode", type=click.Choice(["reverse", "forward"]),
              help="The gradient, or the derivative in a direction; by default what the decorator says.")
@click.option("--stage", type=click.Choice(STAGES), default="source", show_default=True,
              help="How far to compile.")
@click.option("--all-stages", is_flag=True, help="Every stage, one after the other.")
@click.option("--color", type=click.Choice(["auto", "always", "never"]), default="auto", show_default=True,
              help="Highlight; auto: on a terminal, unless NO_COLOR is set.")
def show_ir(file: Path, names: tuple[str, ...], wrt: str | None, types: str, mode: str | None, stage: str,
            all_stages: bool, color: str) -> None:
    """Print the derivative of every decorated function of FILE, at a stage of the compiler.

    FILE is not run: only its imports, functions, classes and assignments of literals
    and of calls of NumPy, math or sct are.
    """
    paint = _painter(color)

    def text_of(traced: Traced) -> str:
        wanted = STAGES if all_stages else (stage,)
        texts = [stage_text(traced, each, emit).strip("\n") for each in wanted]
        heads = [f"# -- {each} {'-' * (74 - len(each))}\n" if all_stages else "" for each in wanted]
        return "\n\n\n".join(head + text for head, text in zip(heads, texts))

    def run(file: File) -> Iterator[tuple[Decorated, Callable[[], str]]]:
        chosen = [_with(each, wrt, mode) for each in _chosen(file, names)]
        for each, given in zip(chosen, _given(types, chosen)):
            yield each, lambda each=each, given=given: text_of(  # type: ignore[misc]
                trace_ahead(each.value, {**each.types, **given}))

    refused = False
    for number, (each, make) in enumerate(_attempt(file, run)):
        text = _said(each, make)
        refused |= text is None
        if text is not None:
            click.echo(("\n\n" if number else "") + paint(text), color={"always": True, "never": False}.get(color))
    sys.exit(1 if refused else 0)


@main.command("emit", short_help="Write the derivatives of FILE as a module of its own.")
@_FILE
@click.option("-o", "--output", metavar="OUT.py", type=click.Path(dir_okay=False, path_type=Path),
              help="Where to write it; without it, to standard output.")
@click.option("--example", "examples", metavar="CALL", multiple=True,
              help='A call of a decorated name, "loss(np.ones(3), 2.0)", or a script with calls: it is run, types are '
                   "those of its calls, and each function is compared with Python; may be repeated.")
def emit_file(file: Path, output: Path | None, examples: tuple[str, ...]) -> None:
    """Write a module that imports nothing of sct and defines every decorated name of FILE.

    Each has the signature that it has in FILE, and is the plain function that computes
    the same.  FILE is not run.  Nothing is written where something is refused.
    """
    if output is not None and output.exists() and output.samefile(file):
        raise click.BadParameter(f"{output} is FILE itself", param_hint="-o")

    def run(opened: File) -> Iterator[tuple[str, list[SctError]]]:
        for example in examples:
            _run_example(opened, example)
        yield opened.emit()

    text, refused = _attempt(file, run)[0]
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


@main.command("check", short_help="Say which functions of FILE are accepted.")
@_FILE
@_NAMES
@_ARGS
def check(file: Path, names: tuple[str, ...], types: str) -> None:
    """Say which decorated functions of FILE are accepted, and where arrays are copied in a loop.

    Without decorated functions, all functions of FILE are checked.  FILE is not run.
    """

    def run(file: File) -> Iterator[tuple[Decorated, Callable[[], Traced]]]:
        chosen = list(_chosen(file, names or () if list(file.decorated()) else tuple(file.functions())))
        for each, given in zip(chosen, _given(types, chosen)):
            yield each, lambda each=each, given=given: _compiled(  # type: ignore[misc]
                trace_ahead(each.value, {**each.types, **given}))

    refused = False
    for each, make in _attempt(file, run):
        traced = _said(each, make)
        refused |= traced is None
        click.echo(f"refused   {each.name}" if traced is None else
                   f"accepted  {each.name}({' '.join(traced.comment.split())})")
        for what, loc in copies_in_loops(traced) if traced is not None else ():
            place = f"{loc.file}:{loc.line}: " if loc else ""
            click.echo(f"          {place}a copy of `{what}` is made in each trip of a loop")
    sys.exit(1 if refused else 0)


@main.command("cache", short_help="Show the directory of compiled modules, or empty it.")
@click.option("--clear", "empty", is_flag=True, help="Remove all modules.")
def cache(empty: bool) -> None:
    """Show where the Numba backend keeps compiled modules, and how many it keeps.

    The directory is SCT_CACHE_DIR, or one among the user's caches.
    """
    directory = cache_dir()
    click.echo(directory)
    click.echo(f"{clear(directory)} modules removed" if empty else f"{len(stored_modules(directory))} modules")


def _run_example(file: File, example: str) -> None:
    """Run a script, or evaluate a call among the names of the file; what is called is compiled and compared."""
    try:
        if Path(example).suffix == ".py":
            sys.modules[file.path.stem] = file.module
            runpy.run_path(example, run_name="__main__")
        else:
            eval(example, {"np": numpy, **vars(file.module)})
    except SctError:
        raise
    except Exception as error:
        what = f"{example!r} raises {type(error).__name__}: {error}"
        raise click.BadParameter(what, param_hint="--example") from error
    for each in file.decorated():
        for reason in each.value.not_validated():
            click.echo(f"{each.name}: not compared with Python: {reason}", err=True)


def _compiled(traced: Traced) -> Traced:
    emit(traced)
    return traced


# -- refusals -------------------------------------------------------------------------


def _refuse(error: SctError) -> None:
    click.echo(str(error), err=True)


def _attempt(path: Path, run: Callable[[File], Any]) -> list[Any]:
    """What `run` yields of the file; the end, with status 1, if it is refused."""
    try:
        return list(run(File(path)))
    except SctError as error:
        _refuse(error)
        sys.exit(1)


def _said(each: Decorated, make: Callable[[], Any]) -> Any:
    """What is made of a function; None, and said, if it is refused."""
    try:
        return make()
    except SctError as error:
        code = getattr(root_of(each.value), "__code__", None)
        error.loc = error.loc or (Loc(code.co_filename, code.co_firstlineno) if code else None)
        _refuse(error)
        return None


# -- choosing -------------------------------------------------------------------------


def _chosen(file: File, names: tuple[str, ...]) -> Iterator[Decorated]:
    """The named functions of the file, or all decorated ones."""
    found = [_named(file, name) for name in names] or list(file.decorated())
    if not found:
        raise click.UsageError("no function of FILE is decorated with @grad or @value_and_grad; "
                               "choose one with --function NAME")
    yield from found


def _named(file: File, name: str) -> Decorated:
    found = file.named(name) or file.undecorated(name, lambda f: Derivative("grad", f))
    if found is None:
        raise click.BadParameter(
            f"there is no function {name!r} in FILE; it has {', '.join(file.functions()) or 'none'}",
            param_hint="--function")
    return found


def _with(chosen: Decorated, wrt: str | None, mode: str | None) -> Decorated:
    """The derivative by other arguments, or in the other mode."""
    transform = chosen.value.__sct_transform__
    argnums: Any = transform.argnums if wrt is None else tuple(name.strip() for name in wrt.split(","))
    argnums = argnums[0] if wrt is not None and len(argnums) == 1 else argnums
    if wrt is None and mode is None:
        return chosen
    try:
        by = Derivative(transform.kind if transform.kind != "jvp" else "grad", transform.fn, argnums)
    except SctError as error:
        raise click.BadParameter(f"{error.what}; {error.why}", param_hint="--wrt") from None
    if mode != "forward":
        return chosen.with_value(by)
    made = Derivative("jvp", transform.fn)
    return chosen.with_value(made, dict.fromkeys(_without_tangent(by), "= None"))


def _without_tangent(by: Derivative) -> list[str]:
    """The tangents of the parameters that are not differentiated by."""
    names = _parameters(by)
    argnums = by.__sct_transform__.argnums
    wanted = argnums if isinstance(argnums, tuple) else (argnums,)
    return [tangent for k, (name, tangent) in enumerate(zip(names, tangent_names(names)))
            if k not in wanted and name not in wanted]


def _parameters(derivative: Any) -> list[str]:
    """The parameters of the function, without that of the object that a method is bound to."""
    root = root_of(derivative)
    code = root.__code__
    names = list(code.co_varnames[: code.co_argcount + code.co_kwonlyargcount])
    return names[1:] if hasattr(root, "__self__") else names


# -- --args ---------------------------------------------------------------------------


def _given(text: str, chosen: list[Decorated]) -> list[dict[str, str]]:
    """`x: f64[n], k = 2` for each function that has such parameters.

    >>> _given("", [])
    []
    """
    known = [{*_parameters(each.value), *each.attributes()} for each in chosen]
    every = set().union(*known)
    given: dict[str, str] = {}
    for part in _split(text):
        is_value = "=" in part and ":" not in part.partition("=")[0]
        name, found, what = (each.strip() for each in part.partition("=" if is_value else ":"))
        if not found or not name.replace(".", "_").isidentifier() or not what:
            raise click.BadParameter(f'{part.strip()!r} is not "name: type" or "name = value"', param_hint="--args")
        if name not in every:
            raise click.BadParameter(f"there is no parameter {name!r}; there are {', '.join(sorted(every))}",
                                     param_hint="--args")
        try:
            known_value(name, what) if is_value else what.endswith("[...]") or structure(what)
        except SctError as error:
            raise click.BadParameter(f"{error.what}; {error.hint}".removesuffix("; "), param_hint="--args") from None
        given[name] = f"= {what}" if is_value else what
    return [{name: what for name, what in given.items() if name in names} for names in known]


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


# -- colour ---------------------------------------------------------------------------


def _painter(when: str) -> Callable[[str], str]:
    """What highlights Python, if it is wanted."""
    plain = not sys.stdout.isatty() or "NO_COLOR" in os.environ or os.environ.get("TERM") == "dumb"
    if when == "never" or when == "auto" and plain:
        return lambda text: text
    from pygments import highlight
    from pygments.formatters import TerminalFormatter
    from pygments.lexers import PythonLexer

    return lambda text: str(highlight(text, PythonLexer(stripnl=False), TerminalFormatter())).rstrip("\n")
