"""The derivatives of a file as a file: every decorated name of it, as a plain function.

    @grad                                            def loss(x):
    def loss(x: float): return SCALE * x      ->         # x: float, SCALE: float
    loss_vg = value_and_grad(loss)                       ...
"""

from __future__ import annotations

import ast
import contextlib
import textwrap
import types
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from sct.errors import Loc, SctError
from sct.export.copied_definitions import Definitions
from sct.export.free_sizes import open_sizes
from sct.export.free_variables import CopiedVariables
from sct.export.reading.file_without_running import opened
from sct.export.reading.names import bound_names, changed_names, statements_without_main
from sct.export.reading.sources import SourceText
from sct.export.write_module import ModuleWriter
from sct.frontend import Traced, Unloaded, Untyped, name_of, root_of, trace_ahead, trace_ranks
from sct.frontend.arguments.type_syntax import hints_of, type_text
from sct.ir.pytrees.pytree import Node

__all__ = ["Decorated", "DecoratedFile"]


@dataclass(frozen=True)
class Decorated:
    """A name of a file that stands for a derivative.

    name       "loss", "Model.loss"
    value      the derivative; of a method, bound to an object whose attributes have types but no values
    types      of the attributes of that object, where the class declares them
    node       the statement that binds the name; None if the name stands for the function itself
    self_name  of a method, the name of its first parameter
    only       the part of a tuple of results that is meant
    refusal    why the function is not known, if it is not
    """

    name: str
    value: Any
    types: Mapping[str, str]
    node: ast.stmt | None
    self_name: str | None = None
    only: int | None = None
    refusal: SctError | None = None

    def with_value(self, value: Any, types: Mapping[str, str] | None = None, only: int | None = None) -> Decorated:
        """Another derivative of the same function."""
        return replace(self, value=value, types={**self.types, **(types or {})}, node=None, only=only)

    @property
    def emitted_name(self) -> str:
        """The name in an emitted module: that of the file, or `f_grad` for a derivative that the file does not have."""
        outer, _, last = self.name.rpartition(".")
        short = last if self.node is not None else self._in_full(name_of(self.value))
        return f"{outer}.{short}" if outer else short

    def _in_full(self, name: str) -> str:
        return name if self.only is None else name.replace("grad_jvp", "hvp")

    def trace(self, types: Mapping[str, str]) -> Traced:
        """The derivative for types of parameters, and those that the class declares."""
        if self.refusal is not None:
            raise self.refusal
        return self._narrowed(trace_ahead(self.value, {**self.types, **types}))

    def trace_ranks(self, types: Mapping[str, str]) -> list[tuple[dict[str, str], Traced]]:
        """As `trace`, for every number of axes of arrays that have any; each with the types of these."""
        if self.refusal is not None:
            raise self.refusal
        ranks = trace_ranks(self.value, {**self.types, **types})
        return [(chosen, self._narrowed(traced)) for chosen, traced in ranks]

    def _narrowed(self, traced: Traced) -> Traced:
        if self.only is None:
            return traced
        assert isinstance(traced.result, Node)
        return replace(traced.only(traced.result.children[self.only]), name=self._in_full(traced.name))

    def compiled_calls(self) -> list[Traced]:
        """The derivative as it was compiled for calls, for each specialization."""
        compiled: list[Traced] = [] if self.refusal is not None else self.value.compiled()
        return compiled if self.only is None else []

    def attributes(self) -> list[str]:
        """The names `self.NAME` of attributes that need a type."""
        stored = getattr(getattr(root_of(self.value), "__self__", None), "__dict__", {})
        return [x.name for x in stored.values() if isinstance(x, Untyped)]


class DecoratedFile:
    """A file of the user, loaded without being run, and the derivatives in it."""

    def __init__(self, source: SourceText, module: types.ModuleType) -> None:
        self.source, self.module = source, module

    @staticmethod
    @contextlib.contextmanager
    def opened(path: Path) -> Iterator[DecoratedFile]:
        """The file at a path, as long as it is needed."""
        with opened(path) as (source, module):
            yield DecoratedFile(source, module)

    def look_up(self, name: str) -> Any:
        """The object of a dotted name, or None."""
        value: Any = self.module
        for part in name.split("."):
            value = vars(value).get(part) if isinstance(value, (types.ModuleType, type)) else None
        return value

    def decorated(self) -> Iterator[Decorated]:
        """Every name that stands for a derivative, in order."""
        for node in self.source.statements:
            yield from self._derivatives_in(node, "")

    def _derivatives_in(self, node: ast.stmt, prefix: str) -> Iterator[Decorated]:
        if isinstance(node, ast.ClassDef):
            for member in node.body:
                yield from self._derivatives_in(member, f"{prefix}{node.name}.")
        elif isinstance(node, ast.FunctionDef) and node.decorator_list:
            decorated = self._derivative_named(prefix + node.name, node)
            if decorated is None and any(map(self._calls_sct, node.decorator_list)):
                decorated = self._unloaded(prefix + node.name, node)
            if decorated is not None:
                yield decorated
        elif isinstance(node, (ast.Assign, ast.AnnAssign)):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            for name in [part.id for target in targets for part in ast.walk(target) if isinstance(part, ast.Name)]:
                decorated = self._derivative_named(prefix + name, node)
                if decorated is not None:
                    yield decorated

    def _derivative_named(self, name: str, node: ast.stmt) -> Decorated | None:
        """The derivative that a statement binds to that name, ready to be compiled ahead of time."""
        value = self.look_up(name)
        if not hasattr(_unwrapped(value), "__sct_transform__"):
            return None
        try:
            return self.bind(name, value, self._owner(name), node)
        except SctError as error:
            error.loc = error.loc or self._loc_of(node)
            return Decorated(name, _unwrapped(value), {}, node, refusal=error)

    def named(self, name: str, derivative: Callable[[Any], Any]) -> Decorated | None:
        """The derivative of that name, or `derivative` of the function of that name."""
        for decorated in self.decorated():
            if decorated.name == name:
                return decorated
        value = self.look_up(name)
        function = _unwrapped(value)
        if not isinstance(function, types.FunctionType):
            return self._unloaded(name, None)
        try:
            wrapped = derivative(function)
            return self.bind(name, wrapped if value is function else type(value)(wrapped), self._owner(name), None)
        except SctError as error:
            return Decorated(name, function, {}, None, refusal=error)

    def _unloaded(self, name: str, node: ast.stmt | None) -> Decorated | None:
        """The refusal of a name whose definition, or that of its class, could not be run."""
        first = name.partition(".")[0]
        value = self.look_up(first)
        defined = node or next((x for x in self.source.statements if first in bound_names(x)), None)
        return Decorated(name, None, {}, node, refusal=value.refusal(self._loc_of(defined))) \
            if isinstance(value, Unloaded) else None

    def _owner(self, name: str) -> Any:
        """The class that a dotted name is looked up in."""
        return self.look_up(name.rpartition(".")[0]) if "." in name else None

    def functions(self) -> list[str]:
        """The names of all functions, methods and derivatives."""
        defined = {node.name for node in self.source.statements if isinstance(node, (ast.FunctionDef, ast.ClassDef))}
        functions = [name for name, x in vars(self.module).items() if self._is_here(name)
                     and (_is_function(x) or isinstance(x, Unloaded) and name in defined)]
        methods = [f"{name}.{method}" for name, cls in vars(self.module).items() if isinstance(cls, type)
                   and self._is_here(name) for method, x in vars(cls).items() if _is_function(x) and method[:2] != "__"]
        return functions + methods

    def _is_here(self, name: str) -> bool:
        """Is this bound by a statement of the file, and not imported?"""
        return any(name in changed_names(node) for node in self.source.statements
                   if not isinstance(node, (ast.Import, ast.ImportFrom)))

    def bind(self, name: str, value: Any, owner: Any, node: ast.stmt | None) -> Decorated:
        """The derivative `value`, if it is a method bound to an object of its class."""
        if isinstance(value, staticmethod) or not isinstance(owner, type):
            return Decorated(name, _unwrapped(value), {}, node)
        if isinstance(value, classmethod):
            return Decorated(name, value.__func__.__get__(owner), {}, node, _first_parameter(value.__func__))
        attribute_types, self_name = _instance_without_values(owner, self.source.statements)
        return Decorated(name, value.__get__(self_name), attribute_types, node, _first_parameter(value))

    # -- the emitted module -----------------------------------------------------------

    def emit(self, chosen: Sequence[Decorated], types_of: Callable[[Decorated], Mapping[str, str]]
             ) -> tuple[str, list[SctError]]:
        """The text of the module of these derivatives, and the refusals.

        types_of  gives the types of the parameters of one
        """
        definitions = Definitions(self.source)
        variables = CopiedVariables(definitions, vars(self.module), strict=True)
        writer = ModuleWriter(variables)
        refused: list[SctError] = []
        methods: dict[ast.stmt, str] = {}
        emitted_names: dict[int, str] = {}
        writer.names |= {decorated.emitted_name.partition(".")[0] for decorated in chosen}
        statements = [self._statement_around(decorated) for decorated in chosen]
        for node in [*self.source.statements, None]:
            for decorated in (x for x, around in zip(chosen, statements) if around is node):
                name = decorated.emitted_name
                if decorated.self_name is None and "." not in name and id(decorated.value) in emitted_names:
                    writer.define(name, f"{name} = {emitted_names[id(decorated.value)]}")
                    continue
                emitted_names[id(decorated.value)] = name
                try:
                    definition = _definition(writer, decorated, types_of(decorated))
                except SctError as error:
                    error.loc = error.loc or self._loc_of(decorated.node)
                    refused.append(error)
                    continue
                method = self._method_of(decorated)
                if method is None:
                    writer.define(name, definition)
                else:
                    kept = methods.get(method) or textwrap.dedent(definitions.source_of(method))
                    text = _with_decorators(method, definition)
                    methods[method] = text if decorated.node is not None else f"{kept}\n\n{text}"
            if isinstance(node, ast.ClassDef) and any(inner in methods for inner in ast.walk(node)):
                writer.define(node.name, _class_text(node, methods, definitions))
                replaced = {x.node for x in chosen if x.node is not None}
                variables.names.update(dict.fromkeys(definitions.names_needed_by(node, replaced)))
        return self._module_text(writer, chosen, refused)

    def _module_text(self, writer: ModuleWriter, chosen: Sequence[Decorated], refused: list[SctError]
                     ) -> tuple[str, list[SctError]]:
        is_whole = len(chosen) == len(list(self.decorated())) and all(x.node is not None for x in chosen)
        if is_whole:
            refused = [*refused, *self._unseen_derivatives(writer.names)]
        if refused:
            return "", refused
        try:
            return writer.module(f"Derivatives of {self.source.name}, written by `sct emit`."), []
        except SctError as error:
            return "", [error]

    def _statement_around(self, decorated: Decorated) -> ast.stmt | None:
        """The statement of the file, a function, class or assignment, in which the derivative stands."""
        first = decorated.name.partition(".")[0]
        binding = [node for node in self.source.statements if first in bound_names(node)]
        return decorated.node if decorated.node in binding else binding[-1] if binding else None

    def _method_of(self, decorated: Decorated) -> ast.stmt | None:
        """The statement that defines the method; None if the derivative is not of a method."""
        if "." not in decorated.name or decorated.node is not None:
            return decorated.node if "." in decorated.name else None
        body: Sequence[ast.stmt] = self.source.statements
        node: ast.stmt | None = None
        for step in decorated.name.split("."):
            node = next((n for n in reversed(body) if isinstance(n, (ast.FunctionDef, ast.ClassDef)) and n.name == step
                         ), None)
            body = node.body if isinstance(node, ast.ClassDef) else ()
        return node

    def _unseen_derivatives(self, names: set[str]) -> Iterator[SctError]:
        """Refusals for names that a call of sct binds which was not run, so that there is no derivative."""
        for node in statements_without_main(self.source.statements):
            if not isinstance(node, (ast.FunctionDef, ast.Assign, ast.AnnAssign)):
                continue
            values = [node.value] if not isinstance(node, ast.FunctionDef) and node.value else []
            expressions = node.decorator_list if isinstance(node, ast.FunctionDef) else values
            targets = node.targets if isinstance(node, ast.Assign) else [getattr(node, "target", None)]
            names_here = [node.name] if isinstance(node, ast.FunctionDef) else [
                part.id for target in targets if target for part in ast.walk(target) if isinstance(part, ast.Name)]
            if any(self._calls_sct(expression) for expression in expressions) and not names & set(names_here):
                yield SctError("SCT915", f"`{', '.join(names_here)}` is not a derivative that sct can see",
                               why="it is made by a call that is not run, or decorated by something else too",
                               loc=self._loc_of(node))

    def _loc_of(self, node: ast.stmt | None) -> Loc | None:
        return self.source.loc(node) if node is not None else None

    def _calls_sct(self, node: ast.expr) -> bool:
        """Does the expression call a function of sct that makes derivatives, or name it as a decorator?"""
        for part in ast.walk(node):
            f = part.func if isinstance(part, ast.Call) else part if part is node else None
            function = self.look_up(ast.unparse(f)) if isinstance(f, (ast.Name, ast.Attribute)) else None
            if getattr(function, "__sct_call__", "") in (
                    "grad", "value_and_grad", "jacobian", "jacfwd", "jacrev", "hessian"):
                return True
        return False


def _unwrapped(x: Any) -> Any:
    """The function in a static method or class method."""
    return x.__func__ if isinstance(x, (staticmethod, classmethod)) else x


def _is_function(x: Any) -> bool:
    return isinstance(x, (types.FunctionType, staticmethod, classmethod)) or hasattr(x, "__sct_transform__")


def _definition(writer: ModuleWriter, decorated: Decorated, arg_types: Mapping[str, str]) -> str:
    """The text of a derivative, as it was compiled for calls, or else for its annotations."""
    outer, _, name = decorated.emitted_name.rpartition(".")
    doc = getattr(root_of(decorated.value), "__doc__", None) if decorated.node is not None else None
    if compiled := decorated.compiled_calls():
        return writer.function_text(name, compiled, decorated.self_name, (), doc, outer)
    ahead = decorated.trace_ranks(arg_types)
    any_sizes = [open_sizes(traced, partial(_retrace, decorated, {**arg_types, **types})) for types, traced in ahead]
    return writer.function_text(name, [traced for _, traced in ahead], decorated.self_name, any_sizes, doc, outer)


def _retrace(decorated: Decorated, types: Mapping[str, str], more: Mapping[str, str]) -> Traced:
    return decorated.trace({**types, **more})


def _with_decorators(method: ast.stmt, definition: str) -> str:
    """The definition of a derivative of a method, decorated as the method is."""
    assert isinstance(method, ast.FunctionDef)
    decorators = [d for d in map(ast.unparse, method.decorator_list) if d in ("staticmethod", "classmethod")]
    return "".join(f"@{d}\n" for d in decorators) + definition.strip("\n")


def _class_text(node: ast.ClassDef, methods: Mapping[ast.stmt, str], definitions: Definitions) -> str:
    """The text of a class in which these methods are replaced."""
    lines = definitions.source_of(node).split("\n")
    start = min([node.lineno, *(d.lineno for d in node.decorator_list)])
    inside = [n for n in ast.walk(node) if isinstance(n, ast.FunctionDef) and n in methods]
    for inner in sorted(inside, key=lambda n: -n.lineno):
        assert inner.end_lineno is not None
        first = min([inner.lineno, *(d.lineno for d in inner.decorator_list)])
        lines[first - start:inner.end_lineno - start + 1] = textwrap.indent(
            methods[inner], " " * inner.col_offset).split("\n")
    return "\n".join(lines)


def _first_parameter(f: Any) -> str:
    code: types.CodeType = root_of(f).__code__
    return code.co_varnames[0]


# -- objects --------------------------------------------------------------------------


def _instance_without_values(cls: type, body: list[ast.stmt]) -> tuple[dict[str, str], Any]:
    """An object of a class, with attributes without values; and the types that the class declares for them."""
    instance: Any = object.__new__(cls)
    attribute_types: dict[str, str] = {}
    for base in reversed(cls.__mro__[:-1]):
        fields = {name: type_text(type(value)) for name, value in vars(base).items()
                  if isinstance(value, (float, int, np.ndarray)) and not name.startswith("__")}
        fields.update({name: type_text(hint) or fields.get(name) for name, hint in hints_of(base).items()})
        node = next((n for top in body for n in ast.walk(top)
                     if isinstance(n, ast.ClassDef) and n.name == base.__name__), None)
        for name, text in (_assigned_to_self(base, node) if node else {}).items():
            fields[name] = fields.get(name) or text
        for name, text in fields.items():
            try:
                object.__setattr__(instance, name, Untyped(f"self.{name}"))
            except AttributeError:
                continue  # a property
            if text is not None:
                attribute_types[f"self.{name}"] = text
    return attribute_types, instance


def _assigned_to_self(cls: type, node: ast.ClassDef) -> dict[str, str | None]:
    """The attributes that methods assign or read, with their types where annotations or literals tell."""
    attribute_types: dict[str, str | None] = {}
    for method in node.body:
        if not isinstance(method, ast.FunctionDef) or not method.args.args:
            continue
        hints = hints_of(getattr(cls, method.name, None)) if method.name == "__init__" else {}
        self_name = method.args.args[0].arg
        for part in ast.walk(method):
            if isinstance(part, ast.Attribute) and ast.unparse(part.value) == self_name and not hasattr(cls, part.attr):
                attribute_types.setdefault(part.attr, None)
            for target, value in _assignments(part):
                if isinstance(target, ast.Attribute) and ast.unparse(target.value) == self_name:
                    text = type_text(hints.get(value.id)) if isinstance(value, ast.Name) else _literal_type(value)
                    attribute_types[target.attr] = attribute_types.get(target.attr) or text
    return attribute_types


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
