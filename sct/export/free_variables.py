"""How an emitted module reads free variables: globals, cells of closures, attributes of `self`.

    SCALE of the user's module      copied: `SCALE`           imported: `model.SCALE`
    self.rate of a method           `self.rate`               a keyword-only parameter
    a cell of a closure             its value, written out    a keyword-only parameter
"""

from __future__ import annotations

import ast
import enum
import functools
import hashlib
import inspect
import re
import sys
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import FunctionType, ModuleType
from typing import Any

import numpy as np

from sct.codegen.python.unparse import unparse
from sct.errors import SctError
from sct.export.argument_checks import exact_conditions, subscripted
from sct.export.copied_definitions import Definitions
from sct.export.identity_checks import containers_in_rows, nested_lists
from sct.export.reading.names import read_names
from sct.export.reading.sources import read_source
from sct.frontend import Traced, list_tree, read_path
from sct.ir.pytrees.pytree import STEPS, Node, text_of_step

__all__ = ["CopiedVariables", "FreeVariables", "ImportedVariables", "literal"]

Leaf = Any
LARGEST_LITERAL = 32
_FORMS = {"len": "len({0}) == {1!r}", "keys": "tuple({0}) == {1!r}", "lacks": "{1!r} not in {0}",
          "many": "len({0}) > {1!r}",
          "no attribute": "not hasattr({0}, {1!r})", "items": "tuple({0}) == {1!r}",
          "pairs": "tuple({0}.items()) == {1!r}", "value": "{0} == {1!r}"}
"""The facts about free variables that a module checks: {0} is the variable, {1} a constant."""


@dataclass
class FreeVariables:
    """Gives expressions for free variables, and collects what they need above the functions of a module.

    imports    import lines
    names      names of the user's module whose definitions are copied
    constants  names and expressions of constants
    comments   comments on free variables that stay parameters
    """

    imports: dict[str, None] = field(default_factory=dict)
    names: dict[str, None] = field(default_factory=dict)
    constants: dict[str, str] = field(default_factory=dict)
    comments: dict[str, None] = field(default_factory=dict)

    def expression(self, traced: Traced, leaf: Leaf, self_name: str | None) -> str | None:
        """The expression for a leaf, None if it stays a keyword-only parameter; `self_name` is that of a method."""
        kind, step = leaf.path[-1]
        if kind not in STEPS:
            return self.whole(traced, leaf, self_name)
        text = self.expression(traced, replace(leaf, path=leaf.path[:-1]), self_name)
        return None if text is None else text_of_step(text, kind, step)

    def whole(self, traced: Traced, leaf: Leaf, self_name: str | None) -> str | None:
        """The expression for a leaf that is no part of a list or a dict."""
        raise NotImplementedError

    def facts(self, traced: Traced, self_name: str | None) -> list[str]:
        """Facts about free variables that may change, as Python expressions."""
        return []

    def outside_containers(self, traced: Traced, self_name: str | None) -> list[str]:
        """Expressions for the lists, dicts and objects among the free variables that no changed argument may be."""
        expressions = []
        nested = {f.path: f.param.type for f in traced.free}
        trees = {path: list_tree(fact) for path, how, fact in traced.identities if how in ("kind", "kinds")}
        for path in traced.apart or ():
            if (text := self.expression_at(traced, path, self_name)) is not None:
                expressions += [text, *nested_lists(text, nested[path])] if path in nested else [text]
                if isinstance(tree := trees.get(path), Node):
                    expressions += containers_in_rows(text, tree)
        return expressions

    def expression_at(self, traced: Traced, path: tuple[Any, ...], self_name: str | None) -> str | None:
        """The expression for the object at a path, or None."""
        raise NotImplementedError

    def class_text(self, cls: type) -> str:
        """The expression for a class."""
        if cls.__module__ == "builtins":
            return cls.__qualname__
        if "<" in cls.__qualname__ or not _is_importable(cls):
            raise SctError("SCT913", f"the class `{cls.__qualname__}` cannot be had from a module of its own",
                           hint="define it at the top of a module")
        return f"{self.module(cls.__module__)}.{cls.__qualname__}"

    def provides_import(self, line: str) -> bool:
        """Is an import line of emitted code unnecessary, because the definitions that it imports are copied?"""
        return False

    def may_change(self, text: str, self_name: str | None) -> bool:
        """May the value of an expression change between calls, so that each call checks it?"""
        return self_name is not None and text.startswith(f"{self_name}.")

    def definition_texts(self, emitted: set[str]) -> list[str]:
        """The definitions above the functions."""
        return []

    def module(self, name: str) -> str:
        self.imports[f"import {name}"] = None
        return name


class ImportedVariables(FreeVariables):
    """Free variables are read from the user's module at each call."""

    def may_change(self, text: str, self_name: str | None) -> bool:
        return True

    def whole(self, traced: Traced, leaf: Leaf, self_name: str | None) -> str | None:
        return self._module_expression(traced, leaf.path)

    def facts(self, traced: Traced, self_name: str | None) -> list[str]:
        facts = []
        for path, how, fact in traced.identities:
            text = self._module_expression(traced, path)
            if text is None or "defaults__" in text:
                continue  # the function itself, which is compiled
            while how == "is" and isinstance(fact, functools.partial):
                text, fact = f"{text}.func", fact.func
            if how == "type":
                facts.append(f"type({text}) is {self.class_text(fact)}")
            elif how == "is" and (other := self._singleton(fact)) not in (None, text):
                facts.append(f"{text} is {other}")
            elif how in _FORMS:
                single = fact is None or isinstance(fact, bool)
                facts.append((_FORMS[how] if not single else "{0} is {1!r}").format(text, fact))
                if how in ("keys", "items", "pairs"):
                    facts.extend(exact_conditions(f"{text}.items()" if how == "pairs" else text, fact))
        return facts

    def _singleton(self, x: Any) -> str | None:
        """The expression for a function, class or enum member that its module has under its name, else None."""
        if isinstance(x, enum.Enum):
            return f"{self.class_text(type(x))}.{x.name}"
        name = getattr(x, "__qualname__", None) or getattr(x, "__name__", None)
        if isinstance(x, ModuleType) or not isinstance(name, str):
            return None
        home = "numpy" if isinstance(x, np.ufunc) else str(getattr(x, "__module__", None))
        named: Any = sys.modules.get(home)
        if named is None or home == "__main__":
            return None
        for step in name.split("."):
            named = getattr(named, step, None)
        if named is not x:
            return None
        return name if home == "builtins" else f"{self.module(home)}.{name}"

    def expression_at(self, traced: Traced, path: tuple[Any, ...], self_name: str | None) -> str | None:
        return self._module_expression(traced, path)

    def _module_expression(self, traced: Traced, path: tuple[Any, ...]) -> str | None:
        holder = _underlying_function(traced.root if path[0] is None else path[0])
        steps = _steps_from_module(path)
        return self.module(holder.__module__) + steps if steps is not None and _is_importable(holder) else None


class CopiedVariables(FreeVariables):
    """Free variables are copied from the user's module, or small values are written as literals.

    definitions  of the module of the functions; None without its source
    strict       refuse a value that cannot be copied; else it stays a parameter, with a comment
    """

    def __init__(self, definitions: Definitions | None, namespace: dict[str, Any], strict: bool) -> None:
        super().__init__()
        self.definitions, self.namespace, self.strict = definitions, namespace, strict

    @staticmethod
    def of(function: Any, strict: bool = False) -> CopiedVariables:
        """For a function of an imported module."""
        function = _underlying_function(function)
        file = inspect.getsourcefile(function)
        definitions = Definitions(read_source(Path(file))) if file and Path(file).is_file() else None
        return CopiedVariables(definitions, function.__globals__, strict)

    def whole(self, traced: Traced, leaf: Leaf, self_name: str | None) -> str | None:
        holder = _underlying_function(traced.root if leaf.path[0] is None else leaf.path[0])
        if leaf.path[1][1] == "__self__" and self_name is not None:
            return self_name + _steps(leaf.path[2:])
        steps = _steps_from_module(leaf.path)
        if steps is not None and "__defaults__" not in steps and "__kwdefaults__" not in steps:
            if _module_namespace(holder) is not self.namespace:
                return self.module(holder.__module__) + steps if _is_importable(holder) else None
            name = re.split(r"[.\[]", steps)[1]
            if self._is_copied(name, steps, read_path(leaf.path, traced.root)):
                self.names[name] = None
                return steps[1:]
        return self._as_literal(leaf.name, read_path(leaf.path, traced.root))

    def expression_at(self, traced: Traced, path: tuple[Any, ...], self_name: str | None) -> str | None:
        if len(path) > 1 and path[1][1] == "__self__":
            return None if self_name is None else self_name + _steps(path[2:])
        steps = _steps_from_module(path)
        name = "" if steps is None else re.split(r"[.\[]", steps)[1]
        return steps[1:] if steps is not None and name in self.names else None

    def class_text(self, cls: type) -> str:
        if _module_namespace(cls) is not self.namespace or self.definitions is None:
            return super().class_text(cls)
        self.names[cls.__qualname__.partition(".")[0]] = None
        return cls.__qualname__

    def provides_import(self, line: str) -> bool:
        (node,) = ast.parse(line).body
        if not isinstance(node, ast.ImportFrom) or self.definitions is None \
                or node.module != self.namespace.get("__name__"):
            return False
        self.names.update(dict.fromkeys(a.name for a in node.names))
        return True

    def definition_texts(self, emitted: set[str]) -> list[str]:
        if self.definitions is None:
            return []
        return self._definition_texts(set(self.names), emitted)

    def _definition_texts(self, names: set[str], emitted: set[str]) -> list[str]:
        assert self.definitions is not None
        nodes = self.definitions.statements_for(names, emitted)
        read = names.union(*(read_names(node) for node in nodes))
        return [self.definitions.source_of(node, read) for node in nodes]

    def _is_copied(self, name: str, steps: str, value: Any) -> bool:
        """Does the copied definition give this value?"""
        if self.definitions is None:
            return False
        try:
            text = "\n".join(self._definition_texts({name}, set()))
        except SctError:
            if self.strict:
                raise
            return False
        if isinstance(value, (bool, int, float, np.generic, np.ndarray)):
            space: dict[str, Any] = {"__name__": "copied"}
            try:
                exec(compile(text, str(self.definitions.source.path), "exec"), space)
                return literal(eval(steps[1:], space)) == literal(value)
            except Exception:  # the user's definition does not run by itself: its value is written instead
                return False
        return True

    def _as_literal(self, name: str, value: Any) -> str | None:
        if not isinstance(value, (bool, int, float, str, np.generic, np.ndarray)):
            if not self.strict:
                return None
            raise SctError("SCT914", f"`{name}` cannot be copied", why=f"it is a {type(value).__name__}")
        if isinstance(value, np.ndarray) and value.size > LARGEST_LITERAL:
            if self.strict:
                raise SctError("SCT914", f"`{name}` cannot be copied",
                               why=f"it is an array of {value.size} elements that no plain statement makes")
            digest = hashlib.sha256(value.tobytes()).hexdigest()[:16]
            self.comments[f"# {name}: shape {value.shape}, {value.dtype}, sha256 {digest}"] = None
            return None
        text = literal(value)
        if not isinstance(value, np.ndarray):
            return text
        if self.constants.setdefault(name, text) != text:
            raise SctError("SCT914", f"`{name}` cannot be copied", why="two values of this name are needed")
        if "np." in text:
            self.imports["import numpy as np"] = None
        return name


def literal(value: Any) -> str:
    """An expression whose value is a number or an array, bit for bit."""
    if isinstance(value, np.ndarray):
        formatter: Any = {"all": lambda x: _number_text(x.item())}
        items = _number_text(value.item()) if not value.ndim else np.array2string(
            value, separator=", ", threshold=sys.maxsize, max_line_width=88, formatter=formatter)
        return f"np.array({items}, dtype=np.{value.dtype.type.__name__})"
    if isinstance(value, np.generic):
        return f"np.{type(value).__name__}({_number_text(value.item())})"
    return unparse(ast.Constant(value, None)).strip() if isinstance(value, str) else _number_text(value)


def _number_text(value: Any) -> str:
    if isinstance(value, np.longdouble):
        return repr(str(value))
    if isinstance(value, float) and not np.isfinite(value):
        return f"float({str(value)!r})".replace("'", '"')
    return repr(value)


def _underlying_function(f: Any) -> Any:
    """The function of a method, a partial or a callable object; a class itself."""
    while isinstance(f, functools.partial):
        f = f.func
    f = getattr(f, "__func__", f)
    return f if isinstance(f, type) or hasattr(f, "__globals__") else type(f).__call__


def _module_namespace(holder: Any) -> Any:
    """The globals of the module of a function or a class."""
    if hasattr(holder, "__globals__"):
        return holder.__globals__
    module = sys.modules.get(getattr(holder, "__module__", ""))
    return None if module is None else vars(module)


def _is_importable(holder: Any) -> bool:
    module = sys.modules.get(holder.__module__)
    return module is not None and module.__name__ != "__main__" and vars(module) is _module_namespace(holder)


def _steps_from_module(path: tuple[Any, ...]) -> str | None:
    """The steps from the module to a free variable: `.SCALE`, `.Model.rate`, `.OPTIONS["rate"]`.

    None for a cell of a closure, and for an attribute of a callable object, a method or a partial.
    """
    if len(path) > 1 and path[1][0] == "global":
        return _steps([("attr", path[1][1]), *path[2:]])
    if len(path) < 2 or path[1][0] not in ("attr", "subclasses") or not isinstance(path[0], (type, FunctionType)) \
            or "<" in path[0].__qualname__:
        return None
    return f".{path[0].__qualname__}" + _steps(path[1:])


def _steps(path: Any) -> str:
    text = "".join(f".{key}" if kind == "attr" else text_of_step("", kind, key) if kind == "subclasses"
                   else subscripted("", [key]) for kind, key in path)
    return re.sub(r'\.__dict__\["(\w+)"\]', r".\1", text)
