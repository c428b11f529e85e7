"""How emitted code gets at what the function reads from outside: globals, closures, attributes of `self`.

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
from dataclasses import dataclass, field
from pathlib import Path
from types import FunctionType, ModuleType
from typing import Any

import numpy as np

from sct.codegen.python.unparse import unparse
from sct.errors import SctError
from sct.export.argument_checks import access
from sct.export.copied_definitions import Definitions, reads
from sct.export.identity_checks import rows_of
from sct.frontend import Traced, read_path

__all__ = ["Copied", "Imported", "Outside", "literal"]

Leaf = Any
LARGEST_LITERAL = 32
_FORMS = {"len": "len({0}) == {1!r}", "keys": "tuple({0}) == {1!r}", "lacks": "{1!r} not in {0}",
          "no attribute": "not hasattr({0}, {1!r})", "items": "tuple({0}) == {1!r}",
          "pairs": "tuple({0}.items()) == {1!r}", "value": "{0} == {1!r}"}
"""The facts about what is outside that a module asks."""


@dataclass
class Outside:
    """What the functions of a module need above them: import lines, names to copy, constants.

    A leaf is written as `text(traced, leaf)`; None: it stays a keyword-only parameter.
    """

    imports: dict[str, None] = field(default_factory=dict)
    names: dict[str, None] = field(default_factory=dict)
    constants: dict[str, str] = field(default_factory=dict)
    comments: dict[str, None] = field(default_factory=dict)

    def text(self, traced: Traced, leaf: Leaf, itself: str | None) -> str | None:
        """The expression for a leaf; `itself` is what the object that a method is bound to is called."""
        raise NotImplementedError

    def identities(self, traced: Traced, itself: str | None) -> list[str]:
        """Facts about what is outside that may change, in Python."""
        return []

    def others(self, traced: Traced, itself: str | None) -> list[str]:
        """The lists, dicts and objects that are read from outside, which the arguments that are written are not."""
        found = []
        nested = {f.path: f.param.type for f in traced.free}
        for path in traced.apart or ():
            if (text := self.place(traced, path, itself)) is not None:
                found += [text, *rows_of(text, nested[path])] if path in nested else [text]
        return found

    def place(self, traced: Traced, path: tuple[Any, ...], itself: str | None) -> str | None:
        """The expression for what is at a path, where there is one."""
        raise NotImplementedError

    def class_text(self, cls: type) -> str:
        """The expression for a class."""
        if cls.__module__ == "builtins":
            return cls.__qualname__
        if "<" in cls.__qualname__ or not _is_importable(cls):
            raise SctError("SCT913", f"the class `{cls.__qualname__}` cannot be had from a module of its own",
                           hint="define it at the top of a module")
        return f"{self.module(cls.__module__)}.{cls.__qualname__}"

    def provides(self, line: str) -> bool:
        """Is an import line of emitted code not needed, because what it binds is copied?"""
        return False

    def varies(self, text: str, itself: str | None) -> bool:
        """May what an expression stands for change, so that it is checked at every call?"""
        return itself is not None and text.startswith(f"{itself}.")

    def header(self, emitted: set[str]) -> list[str]:
        """The definitions above the functions."""
        return []

    def module(self, name: str) -> str:
        self.imports[f"import {name}"] = None
        return name


class Imported(Outside):
    """Read from the user's module whenever the derivative is called."""

    def varies(self, text: str, itself: str | None) -> bool:
        return True

    def text(self, traced: Traced, leaf: Leaf, itself: str | None) -> str | None:
        return self._text(traced, leaf.path)

    def identities(self, traced: Traced, itself: str | None) -> list[str]:
        found = []
        for path, how, fact in traced.identities:
            text = self._text(traced, path)
            if text is None or "defaults__" in text:
                continue  # what is inlined: the function itself
            while how == "is" and isinstance(fact, functools.partial):
                text, fact = f"{text}.func", fact.func
            if how == "type":
                found.append(f"type({text}) is {self.class_text(fact)}")
            elif how == "is" and (other := self._one(fact)) not in (None, text):
                found.append(f"{text} is {other}")
            elif how in _FORMS:
                single = fact is None or isinstance(fact, bool)
                found.append((_FORMS[how] if not single else "{0} is {1!r}").format(text, fact))
        return found

    def _one(self, x: Any) -> str | None:
        """The place where an object was made that is only one; None for what is made again, and for what is code."""
        if isinstance(x, enum.Enum):
            return f"{self.class_text(type(x))}.{x.name}"
        name = getattr(x, "__qualname__", None) or getattr(x, "__name__", None)
        if isinstance(x, ModuleType) or not isinstance(name, str):
            return None
        home = "numpy" if isinstance(x, np.ufunc) else str(getattr(x, "__module__", None))
        found: Any = sys.modules.get(home)
        if found is None or home == "__main__":
            return None
        for step in name.split("."):
            found = getattr(found, step, None)
        if found is not x:
            return None
        return name if home == "builtins" else f"{self.module(home)}.{name}"

    def place(self, traced: Traced, path: tuple[Any, ...], itself: str | None) -> str | None:
        return self._text(traced, path)

    def _text(self, traced: Traced, path: tuple[Any, ...]) -> str | None:
        holder = _function(traced.root if path[0] is None else path[0])
        steps = _steps_from_module(path)
        return self.module(holder.__module__) + steps if steps is not None and _is_importable(holder) else None


class Copied(Outside):
    """Copied from the user's module, so that nothing of it is needed; else written out, where it is small.

    definitions  of the module of the functions; None if its source cannot be had
    strict       refuse what cannot be copied; else it stays a parameter, with a comment
    """

    def __init__(self, definitions: Definitions | None, namespace: dict[str, Any], strict: bool) -> None:
        super().__init__()
        self.definitions, self.namespace, self.strict = definitions, namespace, strict
        self.made: dict[str, Any] = {}

    @staticmethod
    def of(function: Any, strict: bool = False) -> Copied:
        """For a function of a module that is loaded."""
        function = _function(function)
        file = inspect.getsourcefile(function)
        text = Path(file).read_text(encoding="utf-8") if file and Path(file).is_file() else None
        definitions = None if text is None else Definitions(ast.parse(text), text, str(file))
        return Copied(definitions, function.__globals__, strict)

    def text(self, traced: Traced, leaf: Leaf, itself: str | None) -> str | None:
        holder = _function(traced.root if leaf.path[0] is None else leaf.path[0])
        if leaf.path[1][1] == "__self__" and itself is not None:
            return itself + _steps(leaf.path[2:])
        steps = _steps_from_module(leaf.path)
        if steps is not None and "__defaults__" not in steps and "__kwdefaults__" not in steps:
            if _namespace(holder) is not self.namespace:
                return self.module(holder.__module__) + steps if _is_importable(holder) else None
            name = re.split(r"[.\[]", steps)[1]
            if self._is_copied(name, steps, read_path(leaf.path, traced.root)):
                self.names[name] = None
                return steps[1:]
        return self._written(leaf.name, read_path(leaf.path, traced.root))

    def place(self, traced: Traced, path: tuple[Any, ...], itself: str | None) -> str | None:
        if len(path) > 1 and path[1][1] == "__self__":
            return None if itself is None else itself + _steps(path[2:])
        steps = _steps_from_module(path)
        name = "" if steps is None else re.split(r"[.\[]", steps)[1]
        return steps[1:] if steps is not None and name in self.names else None

    def class_text(self, cls: type) -> str:
        if _namespace(cls) is not self.namespace or self.definitions is None:
            return super().class_text(cls)
        self.names[cls.__qualname__.partition(".")[0]] = None
        return cls.__qualname__

    def provides(self, line: str) -> bool:
        (node,) = ast.parse(line).body
        if not isinstance(node, ast.ImportFrom) or self.definitions is None \
                or node.module != self.namespace.get("__name__"):
            return False
        self.names.update(dict.fromkeys(a.name for a in node.names))
        return True

    def header(self, emitted: set[str]) -> list[str]:
        if self.definitions is None:
            return []
        return self._header(set(self.names), emitted)

    def _header(self, names: set[str], emitted: set[str]) -> list[str]:
        assert self.definitions is not None
        nodes = self.definitions.needed(names, emitted)
        read = names.union(*(reads(node) for node in nodes))
        return [self.definitions.source(node, read) for node in nodes]

    def _is_copied(self, name: str, steps: str, value: Any) -> bool:
        """Is the value what its definition, run by itself, gives?"""
        if self.definitions is None:
            return False
        try:
            text = "\n".join(self._header({name}, set()))
        except SctError:
            if self.strict:
                raise
            return False
        if isinstance(value, (bool, int, float, np.generic, np.ndarray)):
            space: dict[str, Any] = {"__name__": "copied"}
            try:
                exec(compile(text, self.definitions.file, "exec"), space)
                return literal(eval(steps[1:], space)) == literal(value)
            except Exception:  # the user's definition does not run by itself: its value is written instead
                return False
        return True

    def _written(self, name: str, value: Any) -> str | None:
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
    """An expression that is equal to a number or an array, bit for bit."""
    if isinstance(value, np.ndarray):
        formatter: Any = {"all": lambda x: _number(x.item())}
        items = _number(value.item()) if not value.ndim else np.array2string(
            value, separator=", ", threshold=sys.maxsize, max_line_width=88, formatter=formatter)
        return f"np.array({items}, dtype=np.{value.dtype.name})"
    if isinstance(value, np.generic):
        return f"np.{value.dtype.name}({_number(value.item())})"
    return unparse(ast.Constant(value, None)).strip() if isinstance(value, str) else _number(value)


def _number(value: Any) -> str:
    if isinstance(value, float) and not np.isfinite(value):
        return f"float({str(value)!r})".replace("'", '"')
    return repr(value)


def _function(f: Any) -> Any:
    """The function under a method, a partial or an object that is called; a class as it is."""
    while isinstance(f, functools.partial):
        f = f.func
    f = getattr(f, "__func__", f)
    return f if isinstance(f, type) or hasattr(f, "__globals__") else type(f).__call__


def _namespace(holder: Any) -> Any:
    """The globals of the module that a function or a class stands in."""
    if hasattr(holder, "__globals__"):
        return holder.__globals__
    module = sys.modules.get(getattr(holder, "__module__", ""))
    return None if module is None else vars(module)


def _is_importable(holder: Any) -> bool:
    module = sys.modules.get(holder.__module__)
    return module is not None and module.__name__ != "__main__" and vars(module) is _namespace(holder)


def _steps_from_module(path: tuple[Any, ...]) -> str | None:
    """`.SCALE`, `.Model.rate`, `.OPTIONS["rate"]`: how to get at what is there from the module.

    None from the cell of a closure, and from an object, a method or a partial that is called.
    """
    if len(path) > 1 and path[1][0] == "global":
        return _steps([("attr", path[1][1]), *path[2:]])
    if len(path) < 2 or path[1][0] != "attr" or not isinstance(path[0], (type, FunctionType)) \
            or "<" in path[0].__qualname__:
        return None
    return f".{path[0].__qualname__}" + _steps(path[1:])


def _steps(path: Any) -> str:
    text = "".join(f".{key}" if kind == "attr" else access("", [key]) for kind, key in path)
    return re.sub(r'\.__dict__\["(\w+)"\]', r".\1", text)
