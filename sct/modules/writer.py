"""Derivatives -> the text of a module that defines them as plain functions.

    f_grad of  def f(x: float): return SCALE * x      ->      SCALE = 2.0

                                                              def f_grad(x):
                                                                  # x: float, SCALE: float
                                                                  if not isinstance(x, float):
                                                                      raise TypeError("x must be a float")
                                                                  return SCALE
"""

from __future__ import annotations

import ast
import inspect
import sys
import textwrap
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from sct.codegen import NO_DEFAULT, Interface, Parameter, Source, generate
from sct.errors import SctError
from sct.frontend import Traced
from sct.ir.tree import Const, Leaf
from sct.modules.checks import Check, checks, condition, raising
from sct.modules.outside import Outside
from sct.passes import manager

__all__ = ["Writer"]


class Writer:
    """Functions added one by one, and what they need.

    outside  how what they read from outside is had
    """

    def __init__(self, outside: Outside, *, imported: bool = False) -> None:
        self.outside, self.imported = outside, imported
        self.functions: list[str] = []
        self.names: set[str] = set()
        self.imports: dict[str, None] = {}
        self.numpy = False

    def add(self, name: str, traced: Sequence[Traced], itself: str | None = None) -> str:
        """The text of a function that is any of these derivatives, whichever serves the arguments.

        itself  the name of the first parameter of a method, that of the object it is bound to
        """
        if len(traced) == 1:
            return self._function(name, traced[0], itself, checked=True)[0]
        parts = [self._function(f"_{name}_{k}", each, itself, checked=False) for k, each in enumerate(traced, 1)]
        return "\n\n".join([*(part for part, _ in parts), _dispatcher(name, parts)])

    def define(self, name: str, text: str) -> None:
        """Enter a definition, in order."""
        self.names.add(name)
        self.functions.append(text.strip("\n"))

    def module(self, title: str = "") -> str:
        """The whole text."""
        header = self.outside.header(self.names)
        imports = dict.fromkeys([*self.imports, *self.outside.imports, *(["import numpy as np"] if self.numpy else [])])
        copied = [part for part in header if not _is_import(part)]
        imports.update(dict.fromkeys(part for part in header if _is_import(part)))
        _refuse_clashes(imports)
        values = [f"{name} = {text}" for name, text in self.outside.constants.items()]
        groups = [
            [f'"""{title}"""'] if title else [],
            sorted(line for line in imports if line.startswith("from __future__")),
            sorted(line for line in imports if _is_standard(line) and "__future__" not in line),
            sorted(line for line in imports if not _is_standard(line)),
            list(self.outside.comments),
            [*_short(copied), *values],
        ]
        top = "\n\n".join("\n".join(group) for group in groups if group)
        blocks = [part for part in copied if part not in _short(copied)]
        return "\n\n\n".join(filter(None, [top, *blocks, *self.functions])) + "\n"

    # -- one function -----------------------------------------------------------------

    def _function(self, name: str, traced: Traced, itself: str | None, checked: bool) -> tuple[str, list[Check]]:
        with_ = {traced.fn.params.index(f.param): self.outside.text(traced, f, itself) for f in traced.free}
        texts = {leaf: text for leaf, text in with_.items() if text is not None}
        kinds = dict.fromkeys(_names(traced, texts), "outer")
        made = checks(_with_kinds(traced, kinds), texts if self.imported else {},
                      self.outside.identities(traced, itself))
        source = self._generate(name, traced, kinds, texts, itself, made if checked else [])
        self.numpy |= any("np." in c for check in made for c in check.conditions)
        self.imports.update(dict.fromkeys(source.imports))
        for key, value in source.bindings.items():
            self._bind(key, value)
        return source.definition, made

    def _generate(self, name: str, traced: Traced, kinds: Mapping[str, str], texts: Mapping[int, str],
                  itself: str | None, made: Sequence[Check]) -> Source:
        """The function; what is outside and assigned to in it has another name there."""
        params = [Parameter(p.name, kinds.get(p.name, p.kind),
                            NO_DEFAULT if p.default is inspect.Parameter.empty else p.default, p.tree)
                  for p in traced.params]
        own = {p.name for p in params if p.kind != "outer"}
        if itself is not None:
            params.insert(0, Parameter(itself, "positional", tree=Const(None)))
        by_name = _names(traced, texts)
        fn = manager.run(traced.fn)
        renamed: dict[str, str] = {}
        while True:
            outer = [f"{renamed.get(p, p)} = {text}" for p, text in by_name.items() if renamed.get(p, p) != text]
            taken = {text.split(".")[0].split("[")[0] for text in by_name.values()}
            for root in taken & own:
                raise SctError("SCT914", f"the parameter `{root}` hides what is outside under the same name",
                               hint="rename one of them")
            named = tuple(Parameter(renamed.get(p.name, p.name), p.kind, p.default, p.tree) for p in params)
            top = (*raising(made), *ast.parse("\n".join(outer)).body)
            source = generate(fn, Interface(name, named, traced.result, traced.comment, top, frozenset(taken | {name})))
            written = _assigned(source.definition) & {text for p, text in by_name.items() if renamed.get(p, p) == text}
            if not written:
                return source
            renamed.update({text: f"{text}_" for text in written})

    def _bind(self, key: str, value: Any) -> None:
        """A default that has no literal form in the signature."""
        if isinstance(value, (list, dict)):
            self.outside.constants[key] = repr(value)
        else:
            raise SctError("SCT914", f"the default of `{key[1:]}` cannot be copied", why=f"it is {value!r}")


def _names(traced: Traced, texts: Mapping[int, str]) -> dict[str, str]:
    """The texts of leaves by the parameters that these are."""
    return {p.name: texts[p.tree.index] for p in traced.params if isinstance(p.tree, Leaf) and p.tree.index in texts}


def _with_kinds(traced: Traced, kinds: Mapping[str, str]) -> Traced:
    return replace(traced, params=tuple(replace(p, kind=kinds.get(p.name, p.kind)) for p in traced.params))


def _assigned(text: str) -> set[str]:
    return {node.id for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Name)
            and isinstance(node.ctx, ast.Store)}


def _dispatcher(name: str, parts: Sequence[tuple[str, list[Check]]]) -> str:
    """A function that calls the first of these that serves the arguments."""
    (first, *_) = ast.parse(parts[0][0]).body
    assert isinstance(first, ast.FunctionDef)
    args = first.args
    passed = [*(a.arg for a in [*args.posonlyargs, *args.args]), *([f"*{args.vararg.arg}"] if args.vararg else []),
              *(f"{a.arg}={a.arg}" for a in args.kwonlyargs), *([f"**{args.kwarg.arg}"] if args.kwarg else [])]
    lines = [f"if {condition(made)}:\n    return _{name}_{k}({', '.join(passed)})"
             for k, (_, made) in enumerate(parts, 1)]
    lines.append(f'raise TypeError("{name} was not compiled for arguments like these")')
    return f"def {name}({ast.unparse(args)}):\n" + textwrap.indent("\n".join(lines), "    ")


# -- layout ---------------------------------------------------------------------------

def _is_import(text: str) -> bool:
    return text.startswith(("import ", "from "))


def _is_standard(line: str) -> bool:
    return line.split()[1].split(".")[0] in sys.stdlib_module_names


def _short(parts: Sequence[str]) -> list[str]:
    """Definitions that stand together: not functions and classes."""
    return [part for part in parts if not part.lstrip().startswith(("def ", "class ", "@", "async "))]


def _refuse_clashes(imports: Mapping[str, None]) -> None:
    """Two modules under one name."""
    seen: dict[str, str] = {}
    for line in imports:
        (node,) = ast.parse(line).body
        assert isinstance(node, (ast.Import, ast.ImportFrom))
        for alias in node.names:
            name, full = alias.asname or alias.name, f"{getattr(node, 'module', '')}.{alias.name}"
            if seen.setdefault(name, full) != full:
                raise SctError("SCT914", f"`{name}` stands for both {seen[name]} and {full} in what is emitted")

