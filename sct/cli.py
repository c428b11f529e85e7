"""The command `sct`.

    sct show-ir FILE [--function NAME] [--wrt NAMES] [--args "x: f64[n], k = 2"] [--stage STAGE]
    sct emit FILE -o OUT.py
    sct check FILE
    sct cache [--clear]

FILE is not run: only its imports, functions, classes and plain constants are.

Exit status: 0, all is well; 1, something is refused (the reasons are on standard error); 2, a wrong command line.
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
from sct.derivative import Derivative
from sct.errors import Loc, SctError
from sct.export.decorated_file import Decorated, DecoratedFile
from sct.export.stages import STAGES, copies_in_loops, stage_text
from sct.frontend import Traced, root_of, tangent_names, trace_ahead
from sct.frontend.arguments.type_syntax import known_value, structure
from sct.specialization import emit

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
    paint = _highlighter(color)

    def text_of(traced: Traced) -> str:
        stages = STAGES if all_stages else (stage,)
        texts = [stage_text(traced, name, emit).strip("\n") for name in stages]
        heads = [f"# -- {name} {'-' * (74 - len(name))}\n" if all_stages else "" for name in stages]
        return "\n\n\n".join(head + text for head, text in zip(heads, texts))

    def run(file: DecoratedFile) -> Iterator[tuple[Decorated, Callable[[], str]]]:
        chosen = [_with_options(decorated, wrt, mode) for decorated in _chosen_functions(file, names)]
        for decorated, arg_types in zip(chosen, _types_from_args(types, chosen)):
            yield decorated, lambda decorated=decorated, arg_types=arg_types: text_of(  # type: ignore[misc]
                trace_ahead(decorated.value, {**decorated.types, **arg_types}))

    refused = False
    for number, (decorated, compile_one) in enumerate(_run_on_file(file, run)):
        text = _result_or_refusal(decorated, compile_one)
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

    def run(opened: DecoratedFile) -> Iterator[tuple[str, list[SctError]]]:
        for example in examples:
            _run_example(opened, example)
        yield opened.emit()

    text, refused = _run_on_file(file, run)[0]
    for refusal in refused:
        _print_refusal(refusal)
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

    def run(file: DecoratedFile) -> Iterator[tuple[Decorated, Callable[[], Traced]]]:
        chosen = list(_chosen_functions(file, names or () if list(file.decorated()) else tuple(file.functions())))
        for decorated, arg_types in zip(chosen, _types_from_args(types, chosen)):
            yield decorated, lambda decorated=decorated, arg_types=arg_types: _checked_by_emitting(  # type: ignore[misc]
                trace_ahead(decorated.value, {**decorated.types, **arg_types}))

    refused = False
    for decorated, compile_one in _run_on_file(file, run):
        traced = _result_or_refusal(decorated, compile_one)
        refused |= traced is None
        click.echo(f"refused   {decorated.name}" if traced is None else
                   f"accepted  {decorated.name}({' '.join(traced.comment.split())})")
        for variable, loc in copies_in_loops(traced) if traced is not None else ():
            place = f"{loc.file}:{loc.line}: " if loc else ""
            click.echo(f"          {place}a copy of `{variable}` is made in each iteration of a loop")
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


def _run_example(file: DecoratedFile, example: str) -> None:
    """Run a script, or evaluate a call with the names of the file; its calls compile and validate derivatives."""
    try:
        if Path(example).suffix == ".py":
            sys.modules[file.path.stem] = file.module
            runpy.run_path(example, run_name="__main__")
        else:
            eval(example, {"np": numpy, **vars(file.module)})
    except SctError:
        raise
    except Exception as error:
        message = f"{example!r} raises {type(error).__name__}: {error}"
        raise click.BadParameter(message, param_hint="--example") from error
    for decorated in file.decorated():
        for reason in decorated.value.not_validated():
            click.echo(f"{decorated.name}: not compared with Python: {reason}", err=True)


def _checked_by_emitting(traced: Traced) -> Traced:
    emit(traced)
    return traced


# -- refusals -------------------------------------------------------------------------


def _print_refusal(error: SctError) -> None:
    click.echo(str(error), err=True)


def _run_on_file(path: Path, run: Callable[[DecoratedFile], Any]) -> list[Any]:
    """The results of `run` for the file; exits with status 1 if the file is refused."""
    try:
        return list(run(DecoratedFile(path)))
    except SctError as error:
        _print_refusal(error)
        sys.exit(1)


def _result_or_refusal(decorated: Decorated, compile_one: Callable[[], Any]) -> Any:
    """The result of `compile_one`; if it is refused, prints the refusal and returns None."""
    try:
        return compile_one()
    except SctError as error:
        code = getattr(root_of(decorated.value), "__code__", None)
        error.loc = error.loc or (Loc(code.co_filename, code.co_firstlineno) if code else None)
        _print_refusal(error)
        return None


# -- choosing -------------------------------------------------------------------------


def _chosen_functions(file: DecoratedFile, names: tuple[str, ...]) -> Iterator[Decorated]:
    """The named functions of the file, or all decorated ones."""
    chosen = [_function_named(file, name) for name in names] or list(file.decorated())
    if not chosen:
        raise click.UsageError("no function of FILE is decorated with @grad or @value_and_grad; "
                               "choose one with --function NAME")
    yield from chosen


def _function_named(file: DecoratedFile, name: str) -> Decorated:
    decorated = file.derivative_named(name) or file.derivative_of(name, lambda f: Derivative("grad", f))
    if decorated is None:
        raise click.BadParameter(
            f"there is no function {name!r} in FILE; it has {', '.join(file.functions()) or 'none'}",
            param_hint="--function")
    return decorated


def _with_options(chosen: Decorated, wrt: str | None, mode: str | None) -> Decorated:
    """The derivative with respect to other arguments, or in the other mode."""
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
    tangent_derivative = Derivative("jvp", transform.fn)
    return chosen.with_value(tangent_derivative, dict.fromkeys(_without_tangent(by), "= None"))


def _without_tangent(by: Derivative) -> list[str]:
    """The names of the tangents of parameters that `by` does not differentiate with respect to."""
    names = _parameters(by)
    argnums = by.__sct_transform__.argnums
    wanted = argnums if isinstance(argnums, tuple) else (argnums,)
    return [tangent for k, (name, tangent) in enumerate(zip(names, tangent_names(names)))
            if k not in wanted and name not in wanted]


def _parameters(derivative: Any) -> list[str]:
    """The parameters of the function; of a bound method without the first."""
    root = root_of(derivative)
    code = root.__code__
    names = list(code.co_varnames[: code.co_argcount + code.co_kwonlyargcount])
    return names[1:] if hasattr(root, "__self__") else names


# -- --args ---------------------------------------------------------------------------


def _types_from_args(text: str, chosen: list[Decorated]) -> list[dict[str, str]]:
    """`x: f64[n], k = 2` as a dict for each function, of those that are its parameters.

    >>> _types_from_args("", [])
    []
    """
    parameters = [{*_parameters(decorated.value), *decorated.attributes()} for decorated in chosen]
    all_parameters = set().union(*parameters)
    arg_types: dict[str, str] = {}
    for part in _split_at_commas(text):
        is_value = "=" in part and ":" not in part.partition("=")[0]
        name, separator, type_or_value = (piece.strip() for piece in part.partition("=" if is_value else ":"))
        if not separator or not name.replace(".", "_").isidentifier() or not type_or_value:
            raise click.BadParameter(f'{part.strip()!r} is not "name: type" or "name = value"', param_hint="--args")
        if name not in all_parameters:
            raise click.BadParameter(f"there is no parameter {name!r}; there are {', '.join(sorted(all_parameters))}",
                                     param_hint="--args")
        try:
            if is_value:
                known_value(name, type_or_value)
            elif not type_or_value.endswith("[...]"):
                structure(type_or_value)
        except SctError as error:
            raise click.BadParameter(f"{error.what}; {error.hint}".removesuffix("; "), param_hint="--args") from None
        arg_types[name] = f"= {type_or_value}" if is_value else type_or_value
    return [{name: type_or_value for name, type_or_value in arg_types.items() if name in names} for names in parameters]


def _split_at_commas(text: str) -> Iterator[str]:
    """The parts of `text` between commas that are not in brackets.

    >>> list(_split_at_commas("x: f64[n, m], y: float"))
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


def _highlighter(when: str) -> Callable[[str], str]:
    """A function that highlights Python, or leaves text as it is."""
    plain = not sys.stdout.isatty() or "NO_COLOR" in os.environ or os.environ.get("TERM") == "dumb"
    if when == "never" or when == "auto" and plain:
        return lambda text: text
    from pygments import highlight
    from pygments.formatters import TerminalFormatter
    from pygments.lexers import PythonLexer

    return lambda text: str(highlight(text, PythonLexer(stripnl=False), TerminalFormatter())).rstrip("\n")
