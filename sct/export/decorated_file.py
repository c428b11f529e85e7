"""The derivatives of a file as a file: every decorated name of it, as a plain function.

    @grad                                            def loss(x):
    def loss(x: float): return SCALE * x      ->         # x: float, SCALE: float
    loss_vg = value_and_grad(loss)                       ...
"""

from __future__ import annotations

import ast
import textwrap
import types
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from sct.errors import Loc, SctError
from sct.export.copied_definitions import Definitions, stored, without_main
from sct.export.file_without_running import load
from sct.export.free_sizes import open_sizes
from sct.export.free_variables import Copied
from sct.export.write_module import Writer
from sct.frontend import Traced, Unloaded, Untyped, root_of, trace_ahead
from sct.frontend.values.type_syntax import hints_of, type_text

__all__ = ["Decorated", "File"]


@dataclass(frozen=True)
class Decorated:
    """A name of a file that stands for a derivative.

    name   "loss", "Model.loss"
    value  the derivative; of a method, bound to an object of which the types alone are known
    types  of the attributes of that object, where the class tells
    node   the statement that binds it
    """

    name: str
    value: Any
    types: Mapping[str, str]
    node: ast.stmt | None
    itself: str | None = None

    def with_value(self, value: Any, types: Mapping[str, str] | None = None) -> Decorated:
        """Another derivative of the same function."""
        return replace(self, value=value, types={**self.types, **(types or {})})

    def retrace(self, types: Mapping[str, str]) -> Traced:
        """The derivative for other types."""
        return trace_ahead(self.value, {**self.types, **types})

    def called(self) -> list[Traced]:
        """The derivative as it was compiled for calls, if there were any."""
        compiled: list[Traced] = self.value.compiled()
        return compiled

    def attributes(self) -> list[str]:
        """The names `self.NAME` that may be given a type."""
        own = getattr(getattr(root_of(self.value), "__self__", None), "__dict__", {})
        return [x.name for x in own.values() if isinstance(x, Untyped)]


class File:
    """A file of the user's, loaded without being run, and the derivatives in it."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.tree, self.module = load(path)
        self.text = path.read_bytes().decode("utf-8-sig")
        for node in without_main(self.tree.body):
            for name in stored(node) - vars(self.module).keys():
                loc = Loc(str(path.resolve()), node.lineno, node.col_offset)
                setattr(self.module, name, Unloaded(name, loc))

    def look_up(self, name: str) -> Any:
        """The object of a dotted name, None if there is none."""
        found: Any = self.module
        for part in name.split("."):
            found = vars(found).get(part) if isinstance(found, (types.ModuleType, type)) else None
        return found

    def decorated(self) -> Iterator[Decorated]:
        """Every name that stands for a derivative, in order."""
        for node in self.tree.body:
            yield from self._of(node, "")

    def _of(self, node: ast.stmt, prefix: str) -> Iterator[Decorated]:
        if isinstance(node, ast.ClassDef):
            for each in node.body:
                yield from self._of(each, f"{prefix}{node.name}.")
        elif isinstance(node, ast.FunctionDef) and node.decorator_list:
            found = self.named(prefix + node.name, node)
            if found is not None:
                yield found
        elif isinstance(node, (ast.Assign, ast.AnnAssign)):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            for name in [part.id for target in targets for part in ast.walk(target) if isinstance(part, ast.Name)]:
                found = self.named(prefix + name, node)
                if found is not None:
                    yield found

    def named(self, name: str, node: ast.stmt | None = None) -> Decorated | None:
        """The derivative of that name, ready to be compiled ahead of time."""
        value = self.look_up(name)
        owner = self.look_up(name.rpartition(".")[0]) if "." in name else None
        plain = value.__func__ if isinstance(value, (staticmethod, classmethod)) else value
        if not hasattr(plain, "__sct_transform__"):
            return None
        return self.bound(name, value, owner, node)

    def undecorated(self, name: str, derivative: Callable[[Any], Any]) -> Decorated | None:
        """The derivative of a function of that name."""
        value = self.look_up(name)
        owner = self.look_up(name.rpartition(".")[0]) if "." in name else None
        plain = value.__func__ if isinstance(value, (staticmethod, classmethod)) else value
        if not isinstance(plain, types.FunctionType):
            return None
        made = derivative(plain)
        return self.bound(name, type(value)(made) if value is not plain else made, owner, None)

    def functions(self) -> list[str]:
        """The names of all functions and methods, and of what stands for a derivative."""
        own = [name for name, x in vars(self.module).items() if _is_function(x) and self._is_here(name)]
        methods = [f"{name}.{each}" for name, cls in vars(self.module).items() if isinstance(cls, type)
                   and self._is_here(name) for each, x in vars(cls).items() if _is_function(x) and each[:2] != "__"]
        return own + methods

    def _is_here(self, name: str) -> bool:
        """Is this bound by a statement of the file, and not imported?"""
        return any(name in stored(node) for node in self.tree.body
                   if not isinstance(node, (ast.Import, ast.ImportFrom)))

    def bound(self, name: str, value: Any, owner: Any, node: ast.stmt | None) -> Decorated:
        """A derivative; of a method, bound to an object of its class."""
        if isinstance(value, staticmethod) or not isinstance(owner, type):
            plain = value.__func__ if isinstance(value, staticmethod) else value
            return Decorated(name, plain, {}, node)
        if isinstance(value, classmethod):
            return Decorated(name, value.__func__.__get__(owner), {}, node, _first_parameter(value.__func__))
        known, itself = _specimen(owner, self.tree)
        return Decorated(name, value.__get__(itself), known, node, _first_parameter(value))

    # -- the file that is made --------------------------------------------------------

    def emit(self) -> tuple[str, list[SctError]]:
        """The text of the module, and what was refused."""
        definitions = Definitions(self.tree, self.text, str(self.path))
        outside = Copied(definitions, vars(self.module), strict=True)
        writer = Writer(outside)
        refused: list[SctError] = []
        methods: dict[ast.stmt, str] = {}
        made: dict[int, str] = {}
        writer.names |= {each.name.partition(".")[0] for each in self.decorated()}
        for node in self.tree.body:
            for each in self._of(node, ""):
                if each.itself is None and "." not in each.name and id(each.value) in made:
                    writer.define(each.name, f"{each.name} = {made[id(each.value)]}")
                    continue
                made[id(each.value)] = each.name
                try:
                    short = each.name.rpartition(".")[2]
                    traced = each.called()
                    ahead = [] if traced else [trace_ahead(each.value, each.types)]
                    sizes = open_sizes(ahead[0], each.retrace) if ahead else ()
                    text = writer.add(short, traced or ahead, each.itself, sizes)
                except SctError as error:
                    error.loc = error.loc or _place(self.path, each.node)
                    refused.append(error)
                    continue
                if "." in each.name and each.node is not None:
                    methods[each.node] = text
                else:
                    writer.define(each.name, text)
            if isinstance(node, ast.ClassDef) and any(inner in methods for inner in ast.walk(node)):
                writer.define(node.name, self._class(node, methods, definitions))
                outside.names.update(dict.fromkeys(definitions.reads_of(node, methods)))
        refused += self._missing(writer.names)
        if refused:
            return "", refused
        try:
            return writer.module(f"Derivatives of {self.path.name}, written by `sct emit`."), []
        except SctError as error:
            return "", [error]

    def _class(self, node: ast.ClassDef, methods: Mapping[ast.stmt, str], definitions: Definitions) -> str:
        """The text of a class with its decorated methods replaced."""
        lines = definitions.source(node).splitlines()
        start = min([node.lineno, *(d.lineno for d in node.decorator_list)])
        inside = [n for n in ast.walk(node) if isinstance(n, ast.FunctionDef) and n in methods]
        for inner in sorted(inside, key=lambda n: -n.lineno):
            assert inner.end_lineno is not None
            kept = [d for d in inner.decorator_list if ast.unparse(d) in ("staticmethod", "classmethod")]
            first = min([inner.lineno, *(d.lineno for d in inner.decorator_list)])
            text = "".join(f"@{ast.unparse(d)}\n" for d in kept) + methods[inner].strip("\n")
            lines[first - start:inner.end_lineno - start + 1] = textwrap.indent(
                text, " " * inner.col_offset).splitlines()
        return "\n".join(lines)

    def _missing(self, names: set[str]) -> Iterator[SctError]:
        """Names that a call of sct binds, and that were not made because it was not run."""
        for node in without_main(self.tree.body):
            if not isinstance(node, (ast.FunctionDef, ast.Assign, ast.AnnAssign)):
                continue
            text = [*node.decorator_list] if isinstance(node, ast.FunctionDef) else [node.value] if node.value else []
            targets = node.targets if isinstance(node, ast.Assign) else [getattr(node, "target", None)]
            bound = [node.name] if isinstance(node, ast.FunctionDef) else [
                part.id for target in targets if target for part in ast.walk(target) if isinstance(part, ast.Name)]
            if any(self._calls_sct(each) for each in text) and not names & set(bound):
                yield SctError("SCT915", f"`{', '.join(bound)}` is not a derivative that sct can see",
                               why="it is made by a call that is not run, or decorated by something else too",
                               loc=_place(self.path, node))

    def _calls_sct(self, node: ast.expr) -> bool:
        """Is a function of sct that makes derivatives called here, or named as a decorator?"""
        for part in ast.walk(node):
            f = part.func if isinstance(part, ast.Call) else part if part is node else None
            found = self.look_up(ast.unparse(f)) if isinstance(f, (ast.Name, ast.Attribute)) else None
            if getattr(found, "__sct_call__", "") not in ("", "stop_gradient", "vjp", "jvp", "hvp"):
                return True
        return False


def _is_function(x: Any) -> bool:
    return isinstance(x, (types.FunctionType, staticmethod, classmethod)) or hasattr(x, "__sct_transform__")


def _place(path: Path, node: ast.stmt | None) -> Loc | None:
    return Loc(str(path), node.lineno, node.col_offset) if node is not None else None


def _first_parameter(f: Any) -> str:
    code: types.CodeType = root_of(f).__code__
    return code.co_varnames[0]


# -- objects --------------------------------------------------------------------------


def _specimen(cls: type, tree: ast.Module) -> tuple[dict[str, str], Any]:
    """An object of a class whose attributes are not known, and the types that the class gives them."""
    made: Any = object.__new__(cls)
    known: dict[str, str] = {}
    for base in reversed(cls.__mro__[:-1]):
        fields = {name: type_text(type(value)) for name, value in vars(base).items()
                  if isinstance(value, (float, int, np.ndarray)) and not name.startswith("__")}
        fields.update({name: type_text(hint) or fields.get(name) for name, hint in hints_of(base).items()})
        node = next((n for n in ast.walk(tree) if isinstance(n, ast.ClassDef) and n.name == base.__name__), None)
        for name, text in (_assigned_to_self(base, node) if node else {}).items():
            fields[name] = fields.get(name) or text
        for name, text in fields.items():
            try:
                object.__setattr__(made, name, Untyped(f"self.{name}"))
            except AttributeError:
                continue  # a property
            if text is not None:
                known[f"self.{name}"] = text
    return known, made


def _assigned_to_self(cls: type, node: ast.ClassDef) -> dict[str, str | None]:
    """The attributes that methods assign or read, with the types that annotations and literals give them."""
    found: dict[str, str | None] = {}
    for method in node.body:
        if not isinstance(method, ast.FunctionDef) or not method.args.args:
            continue
        hints = hints_of(getattr(cls, method.name, None)) if method.name == "__init__" else {}
        own = method.args.args[0].arg
        for part in ast.walk(method):
            if isinstance(part, ast.Attribute) and ast.unparse(part.value) == own and not hasattr(cls, part.attr):
                found.setdefault(part.attr, None)
            for target, value in _assignments(part):
                if isinstance(target, ast.Attribute) and ast.unparse(target.value) == own:
                    text = type_text(hints.get(value.id)) if isinstance(value, ast.Name) else _literal_type(value)
                    found[target.attr] = found.get(target.attr) or text
    return found


def _assignments(stmt: ast.AST) -> Iterator[tuple[ast.expr, ast.expr | None]]:
    """(target, value) of an assignment, item by item."""
    if isinstance(stmt, ast.Assign):
        for target in stmt.targets:
            if isinstance(target, ast.Tuple) and isinstance(stmt.value, ast.Tuple):
                yield from zip(target.elts, stmt.value.elts)
            else:
                yield from ((part, stmt.value if part is target else None) for part in ast.walk(target)
                            if isinstance(part, ast.Attribute))
    elif isinstance(stmt, (ast.AnnAssign, ast.AugAssign)):
        yield stmt.target, stmt.value


def _literal_type(value: ast.expr | None) -> str | None:
    if isinstance(value, ast.Constant) and type(value.value) in (bool, int, float, str):
        return type(value.value).__name__
    if isinstance(value, ast.Call) and isinstance(value.func, ast.Name) and value.func.id in ("float", "int", "bool"):
        return value.func.id
    return None
