"""The commands: `sct show-ir`, `emit`, `check`, `cache`."""

from __future__ import annotations

import os
import runpy
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TypeVar

import click
import numpy

from sct.cli.paths import PATHS, Status, files_in, shown
from sct.cli.reports import FORMATS, Report, sct_version
from sct.cli.selection import ARGS, MODE, NAMES, WRT, ArgTypes, Selection
from sct.codegen.cache_directory import cache_dir, clear, stored_modules
from sct.errors import Loc, SctError, internal_error
from sct.export.decorated_file import Decorated, DecoratedFile
from sct.export.reading.sources import STDIN
from sct.export.stages import STAGES, copies_in_loops, stage_text
from sct.frontend import Traced, root_of
from sct.specialization import emit

__all__ = ["main"]

T = TypeVar("T")


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(sct_version(), prog_name="sct")
def main() -> None:
    """Exact derivatives of plain Python and NumPy functions, as plain Python source.

    A PATH is a file of Python, a notebook, a directory, or -, standard input. No file is run: only its imports,
    functions, classes and assignments of literals and of calls of NumPy, math or sct are.
    """


@main.command("show-ir", short_help="Print the derivatives of a file, at a stage of the compiler.")
@PATHS
@NAMES
@WRT
@ARGS
@MODE
@click.option("--stage", type=click.Choice(STAGES), default="source", show_default=True,
              help="How far to compile.")
@click.option("--all-stages", is_flag=True, help="Every stage, one after the other.")
@click.option("--color", type=click.Choice(["auto", "always", "never"]), default="auto", show_default=True,
              help="Highlight; auto: on a terminal, unless NO_COLOR is set.")
def show_ir(paths: tuple[Path, ...], names: tuple[str, ...], wrt: str | None, types: str, mode: str | None, stage: str,
            all_stages: bool, color: str) -> None:
    """Print the derivative of every decorated function, at a stage of the compiler."""
    paint = _highlighter(color)
    arg_types, selection = ArgTypes(types), Selection(names, wrt, mode)
    run = _Run(paths, selection, arg_types)

    def text_of(decorated: Decorated) -> str:
        traced = decorated.trace(arg_types.of(decorated))
        stages = STAGES if all_stages else (stage,)
        texts = [stage_text(traced, name, emit).strip("\n") for name in stages]
        heads = [f"# -- {name} {'-' * (74 - len(name))}\n" if all_stages else "" for name in stages]
        return "\n\n\n".join(head + text for head, text in zip(heads, texts))

    printed = 0

    def show(file: DecoratedFile, chosen: list[Decorated]) -> None:
        nonlocal printed
        head = f"# {shown(file.source.path)}\n\n" if run.has_many else ""
        for decorated in chosen:
            text = run.result(decorated, partial(text_of, decorated))
            if text is not None:
                run.echo(("\n\n" if printed else "") + paint(head + text),
                         color={"always": True, "never": False}.get(color))
                head, printed = "", printed + 1

    run.each(show)
    run.end()


@main.command("emit", short_help="Write the derivatives of a file as a module of its own.")
@PATHS
@click.option("-o", "--output", metavar="OUT", type=click.Path(path_type=Path),
              help="The module to write; of several files, a directory. Without it, standard output.")
@NAMES
@WRT
@ARGS
@MODE
@click.option("--example", "examples", metavar="CALL", multiple=True,
              help='A call of a derivative, "loss(np.ones(3), 2.0)", or a script with calls: it is run, types are '
                   "those of its calls, and each function is compared with Python; may be repeated.")
def emit_file(paths: tuple[Path, ...], output: Path | None, names: tuple[str, ...], wrt: str | None, types: str,
              mode: str | None, examples: tuple[str, ...]) -> None:
    """Write a module that imports nothing of sct and defines every decorated name of a file.

    Each has the signature that it has in the file, and is the plain function that computes
    the same.  Derivatives that --function, --wrt or --mode ask for are called f_grad, f_jvp, and so on.
    Nothing is written where something is refused.
    """
    arg_types, selection = ArgTypes(types), Selection(names, wrt, mode)
    run = _Run(paths, selection, arg_types, may_be_none=not names)
    if run.has_many and (output is None or output.suffix == ".py"):
        raise click.BadParameter("of several files, it must be a directory", param_hint="-o")

    def write(file: DecoratedFile, chosen: list[Decorated]) -> None:
        place = output and (output / _output_name(paths, file.source.path) if run.has_many else output)
        if place is not None and place.exists() and file.source.path != STDIN and place.samefile(file.source.path):
            raise click.BadParameter(f"{place} is {shown(file.source.path)} itself", param_hint="-o")
        if not chosen and run.has_many:
            return
        for example in examples:
            _run_example(file, chosen, example)
        text, refused = file.emit(chosen, arg_types.of)
        for refusal in refused:
            run.refuse(refusal)
        if not refused:
            _write(place, text, run)

    run.each(write)
    run.end()


def _output_name(paths: tuple[Path, ...], file: Path) -> Path:
    """The path of a module below the directory of all modules."""
    for path in paths:
        if path.is_dir() and file.is_relative_to(path.resolve()):
            return file.relative_to(path.resolve()).with_suffix(".py")
    return Path(file.name).with_suffix(".py")


def _write(place: Path | None, text: str, run: _Run) -> None:
    if place is None:
        run.echo(text, nl=False)
        return
    try:
        if run.has_many:
            place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text, encoding="utf-8")
    except OSError as error:
        raise click.BadParameter(f"{place} cannot be written: {error.strerror}", param_hint="-o") from None


@main.command("check", short_help="Say which functions are accepted.")
@PATHS
@NAMES
@ARGS
@click.option("--all/--decorated", "all_functions", default=None,
              help="All functions, or only decorated ones; by default all where none is decorated.")
@click.option("--format", "form", type=click.Choice(["text", *FORMATS]), default="text", show_default=True,
              help="text for people, json for programs, github for annotations of a pull request, sarif for tools.")
def check(paths: tuple[Path, ...], names: tuple[str, ...], types: str, all_functions: bool | None, form: str) -> None:
    """Say which decorated functions are accepted, and where arrays are copied in a loop."""
    arg_types = ArgTypes(types)
    reports: list[Report] = []

    def checked(every: bool) -> _Run:
        run = _Run(paths, Selection(names, functions=every), arg_types, quiet=form != "text",
                   may_be_none=bool(all_functions is False))

        def report_all(file: DecoratedFile, chosen: list[Decorated]) -> None:
            for decorated in chosen:
                reports.append(_report(run, file, decorated, arg_types))
                if form == "text":
                    run.echo(reports[-1].text(run.has_many))

        run.each(report_all, or_all=all_functions is None and not names)
        reports.extend(Report(path, "", refusal=refusal) for path, refusal in run.unreadable)
        return run

    run = checked(bool(all_functions))
    if not names and all_functions is None and run.has_many and not run.selection.chosen:
        reports.clear()
        run = checked(True)
    if form != "text":
        run.echo(FORMATS[form](reports), nl=form != "github" or bool(FORMATS[form](reports)))
    elif run.has_many:
        refused = sum(not report.accepted for report in reports)
        run.echo(f"{len(reports) - refused} accepted, {refused} refused")
    run.end()


def _report(run: _Run, file: DecoratedFile, decorated: Decorated, arg_types: ArgTypes) -> Report:
    def compiled() -> Traced:
        traced = decorated.trace(arg_types.of(decorated))
        emit(traced)
        return traced

    traced = run.result(decorated, compiled)
    if traced is None:
        return Report(file.source.path, decorated.name, refusal=run.refusals[-1])
    types = " ".join(traced.comment.split())
    return Report(file.source.path, decorated.name, types, copies=list(copies_in_loops(traced)))


@main.command("cache", short_help="Show the directory of compiled modules, or empty it.")
@click.option("--clear", "empty", is_flag=True, help="Remove all modules.")
def cache(empty: bool) -> None:
    """Show where the Numba backend keeps compiled modules, and how many it keeps.

    The directory is SCT_CACHE_DIR, or one among the user's caches.
    """
    directory = cache_dir()
    click.echo(directory)
    click.echo(f"{clear(directory)} modules removed" if empty else f"{len(stored_modules(directory))} modules")


def _run_example(file: DecoratedFile, chosen: list[Decorated], example: str) -> None:
    """Run a script, or evaluate a call with the names of the file; its calls compile and validate derivatives."""
    names = {**vars(file.module), **{x.emitted_name: x.value for x in chosen if "." not in x.emitted_name}}
    try:
        if Path(example).suffix == ".py":
            sys.modules[file.source.path.stem] = file.module
            runpy.run_path(example, run_name="__main__")
        else:
            eval(example, {"np": numpy, **names})
    except SctError:
        raise
    except Exception as error:
        message = f"{example!r} raises {type(error).__name__}: {error}"
        raise click.BadParameter(message, param_hint="--example") from error
    for decorated in chosen:
        for reason in decorated.value.not_validated() if decorated.refusal is None else ():
            click.echo(f"{decorated.name}: not compared with Python: {reason}", err=True)


# -- running over files ---------------------------------------------------------------


class _Run:
    """A run of a command over the files of its paths.

    refusals    all refusals so far; the exit status is 1 if there is one
    unreadable  the files that are refused as a whole
    """

    def __init__(self, paths: tuple[Path, ...], selection: Selection, arg_types: ArgTypes, *, quiet: bool = False,
                 may_be_none: bool = False) -> None:
        files = files_in(paths)
        if STDIN in files and len(files) > 1:
            raise click.UsageError("- stands alone")
        if not files:
            raise click.UsageError(f"there is no file of Python in {', '.join(map(shown, paths))}")
        self.where = ", ".join(map(shown, paths))
        self.has_many = len(files) > 1 or any(path.is_dir() for path in paths)
        self.status = Status(files)
        self.echo = self.status.echo
        self.selection, self.arg_types, self.quiet, self.may_be_none = selection, arg_types, quiet, may_be_none
        self.refusals: list[SctError] = []
        self.unreadable: list[tuple[Path, SctError]] = []

    def each(self, work: Callable[[DecoratedFile, list[Decorated]], None], or_all: bool = False) -> None:
        """Do the work for each file, with the functions that are asked for.

        or_all  of a single file without decorated functions, all functions
        """
        for path in self.status.each():
            try:
                with DecoratedFile.opened(path) as file:
                    chosen = self.selection.of(file)
                    if or_all and not chosen and not self.has_many:
                        self.selection.functions = True
                        chosen = self.selection.of(file)
                    if not self.has_many:
                        self._check_command_line(chosen)
                    work(file, chosen)
            except click.ClickException:
                raise
            except Exception as error:
                refusal = error if isinstance(error, SctError) else internal_error(error, Loc(str(path), 1))
                self.unreadable.append((path, refusal))
                self.refuse(refusal)

    def _check_command_line(self, chosen: list[Decorated] | None = None) -> None:
        if not self.may_be_none and (not self.refusals or self.selection.names):
            self.selection.check(self.where)
        self.arg_types.check(chosen or [])

    def result(self, decorated: Decorated, compile_one: Callable[[], T]) -> T | None:
        """The result of `compile_one`; None if it is refused."""
        try:
            return compile_one()
        except SctError as error:
            refusal = error
        except Exception as error:
            refusal = internal_error(error, None)
        code = getattr(root_of(decorated.value), "__code__", None)
        refusal.loc = refusal.loc or (Loc(code.co_filename, code.co_firstlineno) if code else None)
        self.refuse(refusal)
        return None

    def refuse(self, refusal: SctError) -> None:
        """Record a refusal, and print it."""
        self.refusals.append(refusal)
        if not self.quiet:
            self.echo(str(refusal), err=True)

    def end(self) -> None:
        """Leave the command with its exit status."""
        if self.has_many:
            self._check_command_line()
        sys.exit(1 if self.refusals else 0)


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
