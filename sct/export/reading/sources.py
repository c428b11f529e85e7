"""The text of a file, a notebook or standard input, and its syntax tree.

    model.py                 one part: the file
    analysis.ipynb           one part for each cell of code, "analysis.ipynb:cell 3"; magics are left out
    -                        standard input, "<stdin>"

A notebook is JSON, so no library reads it.
"""

from __future__ import annotations

import ast
import functools
import importlib.util
import json
import linecache
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sct.errors import Loc, SctError

__all__ = ["STDIN", "Part", "SourceText", "read_source"]

STDIN = Path("-")


@dataclass(frozen=True, eq=False)
class Part:
    """A text that Python compiles as a whole; `file` is its name in places and in `linecache`."""

    file: str
    text: str
    tree: ast.Module

    @functools.cached_property
    def lines(self) -> list[str]:
        """The lines as Python counts them: form feeds do not end one."""
        return self.text.split("\n")


@dataclass(frozen=True, eq=False)
class SourceText:
    """The parts of a file, in order."""

    path: Path
    parts: tuple[Part, ...]

    @property
    def name(self) -> str:
        return "<stdin>" if self.path == STDIN else self.path.name

    @functools.cached_property
    def statements(self) -> list[ast.stmt]:
        """The statements at the top level."""
        return [node for part in self.parts for node in part.tree.body]

    @functools.cached_property
    def _part_of(self) -> dict[ast.AST, Part]:
        return {node: part for part in self.parts for node in ast.walk(part.tree)}

    def part_of(self, node: ast.AST) -> Part:
        """The part that a node of it stands in."""
        return self._part_of[node]

    def loc(self, node: ast.stmt) -> Loc:
        """The place of a statement."""
        return Loc(self.part_of(node).file, node.lineno, node.col_offset)


def read_source(path: Path) -> SourceText:
    """The source at `path`; `-` is standard input.  Raises SctError SCT911 where it is not Python."""
    if path == STDIN:
        text = _decoded(sys.stdin.buffer.read(), "<stdin>")
        return SourceText(path, (_part("<stdin>", "<stdin>", text, cached=True),))
    path = path.resolve()
    try:
        content = path.read_bytes()
    except OSError as error:
        raise SctError("SCT911", f"{path.name} cannot be read: {error.strerror}") from None
    if path.suffix == ".ipynb":
        cells = [_part(f"{path}:cell {number}", f"cell {number} of {path.name}", text, cached=True, magics=True)
                 for number, text in _cells(content, path.name)]
        return SourceText(path, tuple(cells))
    linecache.cache.pop(str(path), None)
    return SourceText(path, (_part(str(path), path.name, _decoded(content, path.name)),))


def _decoded(content: bytes, name: str) -> str:
    """The text, by its byte order mark or its declaration of an encoding (PEP 263)."""
    try:
        return importlib.util.decode_source(content)
    except (SyntaxError, UnicodeDecodeError, LookupError) as error:
        raise SctError("SCT911", f"{name} is not valid Python: {getattr(error, 'msg', error)}") from None


def _part(file: str, name: str, text: str, cached: bool = False, magics: bool = False) -> Part:
    """The part with that text; `cached` enters it in `linecache`, since no file has this text."""
    try:
        text, tree = _without_magics(text, file) if magics else (text, ast.parse(text, file))
    except SyntaxError as error:
        loc = Loc(file, error.lineno or 1, max(0, (error.offset or 1) - 1))
        if cached:
            _remember(file, text)
        raise SctError("SCT911", f"{name} is not valid Python: {error.msg}",
                       loc=loc if error.lineno else None) from None
    except (ValueError, RecursionError, MemoryError) as error:
        raise SctError("SCT911", f"{name} is not valid Python: {error or 'it is nested too deeply'}") from None
    if cached:
        _remember(file, text)
    return Part(file, text, tree)


def _remember(file: str, text: str) -> None:
    linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)


# -- notebooks ------------------------------------------------------------------------


def _cells(content: bytes, name: str) -> Iterator[tuple[int, str]]:
    """The number and the text of each cell of code; as in ruff and nbconvert, other cells count too."""
    try:
        notebook = json.loads(content)
        cells = notebook["cells"] if "cells" in notebook else [
            cell for sheet in notebook["worksheets"] for cell in sheet["cells"]]
        texts = [(number, _cell_text(cell)) for number, cell in enumerate(cells, 1) if cell["cell_type"] == "code"]
        metadata = notebook.get("metadata", {})
        language = metadata.get("kernelspec", {}).get("language") or metadata.get("language_info", {}).get("name")
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        raise SctError("SCT911", f"{name} is not a notebook", why="it is not the JSON of one") from None
    if language not in (None, "python"):
        raise SctError("SCT911", f"{name} is a notebook of {language}, not of Python")
    yield from texts


def _cell_text(cell: dict[str, Any]) -> str:
    text = cell["source"] if "source" in cell else cell["input"]
    return text if isinstance(text, str) else "".join(text)


_MAGIC = re.compile(r"(?P<indent>\s*)(?P<target>[^=#%!?]+=\s*)?[%!?].*|(?P<before_help>\s*)[^#]*\?\s*")
_CELLS_OF_PYTHON = re.compile(r"\s*%%(time|timeit|capture|prun|python|python3)\b")


def _without_magics(text: str, file: str) -> tuple[str, ast.Module]:
    """The text of a cell without magics, and its tree.

    A line is a magic only where Python cannot parse it: `% n` may continue an expression, or stand in a string.  As in
    IPython it becomes a call, which is not run.
    """
    lines = text.split("\n")
    first = next((k for k, line in enumerate(lines) if line.strip()), 0)
    if lines[first].lstrip().startswith("%%"):
        lines = [""] + lines[first + 1:] if _CELLS_OF_PYTHON.match(lines[first]) else [""]
        lines[:0] = [""] * first
    while True:
        text = "\n".join(lines)
        try:
            return text, ast.parse(text, file)
        except SyntaxError as error:
            number = (error.lineno or 0) - 1
            magic = _MAGIC.fullmatch(lines[number]) if 0 <= number < len(lines) else None
            if magic is None:
                raise
            end = number
            while lines[end].endswith("\\") and end + 1 < len(lines):
                end += 1
            indent = magic["before_help"] if magic["indent"] is None else magic["indent"]
            lines[number:end + 1] = [f"{indent}{magic['target'] or ''}get_ipython()", *[""] * (end - number)]
