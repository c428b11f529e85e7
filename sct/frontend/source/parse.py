"""From a Python function to its AST, with places in the user's file."""

from __future__ import annotations

import ast
import contextlib
import functools
import linecache
import re
import sys
import types
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import gast

from sct.errors import Loc, SctError
from sct.frontend.source.match_lowering import MatchLowering
from sct.frontend.source.private_names import functions_in, mangle_names
from sct.frontend.source.stack_lowering import StackLowering
from sct.frontend.source.try_lowering import TryLowering

__all__ = ["SourceFunction", "loc_of", "nested_codes", "note_file", "source_of", "text_around"]


@dataclass(frozen=True, eq=False)
class SourceFunction:
    """A function's AST: a gast FunctionDef or Lambda, and the file that it stands in."""

    node: Any
    file: str
    name: str
    qualname: str = ""


@functools.lru_cache(maxsize=65536)
def loc_of(node: Any, file: str) -> Loc:
    return Loc(file, getattr(node, "lineno", 0), getattr(node, "col_offset", 0),
               getattr(node, "end_lineno", 0) or 0, getattr(node, "end_col_offset", 0) or 0)


@functools.lru_cache(maxsize=256)
def text_around(line: int, text: str) -> str:
    """The statements of a module that are on a line, at their places, and its imports: they compile to what they do in
    the whole module, in which a name that is imported is called in another way."""
    lines = text.split("\n")
    around = [""] * len(lines)
    for span, may_import in _statements(text):
        if may_import or line in span:
            at = slice(span.start - 1, span.stop - 1)
            around[at] = lines[at]
    return "\n".join(around)


@functools.lru_cache(maxsize=64)
def _statements(text: str) -> list[tuple[range, bool]]:
    """The lines of the statements of a module, of those that share a line together; may they be or hold imports?"""
    spans: list[tuple[range, bool]] = []
    for node in ast.parse(text).body:
        first = min(n.lineno for n in (node, *getattr(node, "decorator_list", ())))
        last = node.end_lineno or first
        may_import = not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Assign,
                                           ast.AnnAssign, ast.AugAssign, ast.Expr))
        if spans and first in spans[-1][0]:
            before, might_import = spans.pop()
            first, last, may_import = before.start, max(last, before.stop - 1), may_import or might_import
        spans.append((range(first, last + 1), may_import))
    return spans


@functools.lru_cache(maxsize=256)
def _parse(file: str, text: str, by_pytest: bool
           ) -> tuple[dict[int, list[tuple[ast.AST, str]]], list[types.CodeType]]:
    """Function nodes of a module by first line, with the class in whose body each stands, and every code object
    that the module compiles to.

    by_pytest  compile it as pytest does, which rewrites `assert` statements
    """
    module = ast.parse(text)
    by_line: dict[int, list[tuple[ast.AST, str]]] = {}
    for node, cls in functions_in(module):
        lines = [d.lineno for d in [*getattr(node, "decorator_list", []), node]]
        by_line.setdefault(min(lines), []).append((node, cls))
    return by_line, list(nested_codes(compile(_rewritten(file, text) if by_pytest else module, file, "exec",
                                        flags=ast.PyCF_ALLOW_TOP_LEVEL_AWAIT, dont_inherit=True)))  # as in a notebook


def _rewritten(file: str, text: str) -> ast.Module:
    """The module after pytest has rewritten its `assert` statements."""
    module = ast.parse(text)
    pytest: Any = sys.modules["_pytest.assertion.rewrite"]
    hooks = [hook for hook in sys.meta_path if isinstance(hook, pytest.AssertionRewritingHook)]
    pytest.rewrite_asserts(module, text.encode(), file, hooks[0].config if hooks else None)
    return module


def _is_rewritten(code: types.CodeType) -> bool:
    return any(name.startswith("@py") for name in code.co_varnames + code.co_names) or any(
        _is_rewritten(const) for const in code.co_consts if isinstance(const, types.CodeType))


def nested_codes(code: types.CodeType) -> Iterator[types.CodeType]:
    """The code object, and those of the functions in it."""
    yield code
    for const in code.co_consts:
        if isinstance(const, types.CodeType):
            yield from nested_codes(const)


def source_of(code: types.CodeType) -> SourceFunction:
    """The AST of the function that `code` runs.

    Raises SctError SCT201 where there is no source, SCT202 where the source is not
    that of the code (the file was edited after it was imported).
    """
    for file in _pickled_files if code.co_filename == _ERASED else ():
        with contextlib.suppress(SctError):
            return _source_of(code, file)
    file = _file_of(code)
    try:
        return _source_of(code, file)
    except SctError:
        linecache.checkcache(file)  # the module was loaded again since its text was looked at
        return _source_of(code, file)


def _file_of(code: types.CodeType) -> str:
    """The file of the source; that of the module for one of the standard library that is frozen into the interpreter.
    """
    frozen = re.fullmatch(r"<frozen ([\w.]+)>", code.co_filename)
    file = None if frozen is None else getattr(sys.modules.get(frozen[1]), "__file__", None)
    return file or code.co_filename


_ERASED = "<dynamic-code>"
"""The name of the file of code that cloudpickle has pickled by value."""

_pickled_files: dict[str, None] = {}
"""The files of functions that were pickled by value, which their globals name."""


def note_file(f: types.FunctionType) -> None:
    """Notes the file of a function that was pickled by value: that of functions that were pickled with it, too."""
    if f.__code__.co_filename == _ERASED and isinstance(file := f.__globals__.get("__file__"), str):
        _pickled_files[file] = None


@functools.lru_cache(maxsize=1024)
def _source_of(code: types.CodeType, file: str) -> SourceFunction:
    """The AST, if it is in that file.  Code of two files may be equal: the file is a part of the key."""
    text = "".join(linecache.getlines(file) or _lines_of_loader(file))
    if not text:
        raise _missing(code)
    by_pytest = _is_rewritten(code)
    try:
        text = text if by_pytest else text_around(code.co_firstlineno, text)
        by_line, codes = _parse(file, text, by_pytest)
    except SyntaxError:
        raise _edited(code) from None
    same = [c for c in codes if c.co_firstlineno == code.co_firstlineno and c.co_name == code.co_name]
    nodes = [(n, cls) for n, cls in by_line.get(code.co_firstlineno, ())
             if getattr(n, "name", "<lambda>") == code.co_name]
    if not same or not nodes:
        raise _edited(code)
    matching = [c for c in same if _same_code(c, code)]
    if not matching:
        raise _edited(code)
    if len(nodes) > 1:
        nodes = _on_a_line(nodes, text, code) or nodes
    node, cls = nodes[0]
    tree = gast.ast_to_gast(node)
    if "__" in text:
        mangle_names(tree, cls)
    for words, lowering in _LOWERINGS:
        if any(word in text for word in words):
            tree = lowering().visit(tree)
    return SourceFunction(tree, file, code.co_name, getattr(code, "co_qualname", code.co_name))


_LOWERINGS = (("ExitStack",), StackLowering), (("match",), MatchLowering), (("try", "with"), TryLowering)
"""What is rewritten, in this order, with the words that are in the text of every function in which something is."""


def _lines_of_loader(file: str) -> list[str]:
    """The text of a module that is no file by itself, but is in a zip file, say: its loader has it."""
    for module in list(sys.modules.values()):
        if getattr(module, "__file__", None) == file:
            return linecache.getlines(file, vars(module))
    return []


def _on_a_line(nodes: list[tuple[Any, str]], text: str, code: types.CodeType) -> list[tuple[Any, str]]:
    """Of several lambdas that begin on one line, those that compile to `code`.

    Each is compiled in place with a unique line number, which identifies its code.
    """
    module = ast.parse(text)
    lambdas = [n for n in ast.walk(module) if isinstance(n, ast.Lambda) and n.lineno == code.co_firstlineno]
    places = {}
    for k, n in enumerate(lambdas):
        places[_FAR + k] = n.col_offset, n.end_lineno, n.end_col_offset
        n.lineno = n.end_lineno = _FAR + k
        n.end_col_offset = n.col_offset + 1
    codes = nested_codes(compile(module, code.co_filename, "exec", dont_inherit=True))
    same = {places[c.co_firstlineno] for c in codes if c.co_firstlineno in places and _same_code(c, code)}
    return [(n, cls) for n, cls in nodes if (n.col_offset, n.end_lineno, n.end_col_offset) in same]


_FAR = 1_000_000


def _same_code(a: types.CodeType, b: types.CodeType) -> bool:
    """Are these compiled from the same text?  Constants count by type and bits."""
    names = "co_code", "co_names", "co_varnames", "co_freevars", "co_cellvars"
    if any(getattr(a, name) != getattr(b, name) for name in names):
        return False
    return len(a.co_consts) == len(b.co_consts) and all(map(_same_constant, a.co_consts, b.co_consts))


def _same_constant(a: object, b: object) -> bool:
    if isinstance(a, types.CodeType) and isinstance(b, types.CodeType):
        return _same_code(a, b)
    if isinstance(a, tuple) and isinstance(b, tuple):
        return len(a) == len(b) and all(map(_same_constant, a, b))
    return type(a) is type(b) and (isinstance(a, frozenset) and a == b or repr(a) == repr(b))


def _missing(code: types.CodeType) -> SctError:
    return SctError("SCT201", f"the source of `{code.co_name}` is not available",
                    why=f"there is no text for {code.co_filename}",
                    hint="define the function in a file (or a notebook cell), not in exec'd text")


def _edited(code: types.CodeType) -> SctError:
    if code.co_filename == "<string>":
        return _missing(code)  # the text there is of something else that was executed
    return SctError("SCT202", f"the source of `{code.co_name}` does not match the code that runs",
                    why=f"{code.co_filename} was changed after it was imported", hint="import it again",
                    loc=Loc(code.co_filename, code.co_firstlineno))
