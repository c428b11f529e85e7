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
import itertools
import re
import sys
import textwrap
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import Any

from sct.codegen import NO_DEFAULT, Interface, Parameter, Source, generate
from sct.errors import SctError
from sct.export.argument_checks import Check, asked, checks, condition, raising
from sct.export.free_variables import Imported, Outside
from sct.export.identity_checks import alone
from sct.export.pullback_checks import HELPER, fitted, pulls_back, tops
from sct.frontend import Traced, signature_comment
from sct.ir.core import rebuild
from sct.ir.pytree import Const, Leaf
from sct.ir.types import Dim
from sct.passes import pipeline

__all__ = ["Writer", "module_of"]


def module_of(traced: Sequence[Traced], open_sizes: Collection[Dim] = ()) -> str:
    """A module with one derivative, compiled for several kinds of arguments; globals are read from their module."""
    writer = Writer(Imported())
    name = traced[0].name
    writer.define(name, writer.add(name, traced, open_sizes=open_sizes))
    return writer.module(f"{name}, written by sct.")


class Writer:
    """Functions added one by one, and what they need.

    outside  how what they read from outside is had
    """

    def __init__(self, outside: Outside) -> None:
        self.outside = outside
        self.functions: list[str] = []
        self.names: set[str] = set()
        self.helpers: dict[tuple[str, ...], dict[str, str]] = {}
        self.imports: dict[str, None] = {}
        self.numpy = False

    def add(self, name: str, traced: Sequence[Traced], itself: str | None = None,
            open_sizes: Collection[Dim] = ()) -> str:
        """The text of a function that is any of these derivatives, whichever serves the arguments.

        itself      the name of the first parameter of a method, that of the object it is bound to
        open_sizes  those of its arrays that may be anything
        """
        if len(traced) == 1:
            return self._function(name, traced[0], itself, checked=True, open_sizes=open_sizes)[0]
        parts = [self._function(f"_{name}_{k}", each, itself, checked=False) for k, each in enumerate(traced, 1)]
        return "\n\n".join([*(part for part, _ in parts), _dispatcher(name, parts)])

    def parameters(self, text: str) -> set[str]:
        """The names of the parameters of a function."""
        (node,) = ast.parse(text).body
        return {part.arg for part in ast.walk(node) if isinstance(part, ast.arg)}

    def define(self, name: str, text: str) -> None:
        """Enter a definition, in order."""
        self.names.add(name)
        self.functions.append(text.strip("\n"))

    def module(self, title: str = "") -> str:
        """The whole text."""
        header = self.outside.header(self.names)
        texts = (*self.functions, *self.outside.constants.values())
        outside = [line for line in self.outside.imports if any(f"{line.split()[-1]}." in text for text in texts)]
        imports = dict.fromkeys([*self.imports, *outside, *(["import numpy as np"] if self.numpy else [])])
        copied = [part for part in header if not _is_import(part)]
        imports.update(dict.fromkeys(part for part in header if _is_import(part)))
        _refuse_clashes(imports)
        values = [f"{name} = {text}" for name, text in self.outside.constants.items()]
        groups = [
            [f'"""{title}"""'] if title else [],
            sorted(line for line in imports if line.startswith("from __future__")),
            sorted((line for line in imports if _is_standard(line) and "__future__" not in line), key=_kind),
            sorted((line for line in imports if not _is_standard(line)), key=_kind),
            list(self.outside.comments),
            [*_short(copied), *values],
        ]
        top = "\n\n".join("\n".join(group) for group in groups if group)
        blocks = [part for part in copied if part not in _short(copied)]
        return "\n\n\n".join(filter(None, [top, *blocks, *self.functions])) + "\n"

    # -- one function -----------------------------------------------------------------

    def _function(self, name: str, traced: Traced, itself: str | None, checked: bool,
                  open_sizes: Collection[Dim] = ()) -> tuple[str, list[Check]]:
        texts = self._texts(traced, itself)
        traced, texts = _merged(traced, texts)
        kept = {f.name for f in traced.free if traced.fn.params.index(f.param) not in texts.keys() | asked(traced)}
        if kept:
            kept -= _names_in(ast.parse(self._generate(name, traced, texts, itself, ()).definition), ast.Load)
            traced = replace(traced, params=tuple(p for p in traced.params if p.name not in kept))
        vary = {leaf: text for leaf, text in texts.items() if self.outside.varies(text, itself)}
        made = checks(traced, texts, vary, self.outside.class_text, self.outside.identities(traced, itself),
                      open_sizes)
        made += alone(traced, self.outside.others(traced, itself))
        source = self._generate(name, traced, texts, itself, made if checked else [])
        self.numpy |= any("np." in c for check in made for c in check.conditions)
        self.imports.update(dict.fromkeys(line for line in source.imports if not self.outside.provides(line)))
        for key, value in source.bindings.items():
            self._bind(key, value)
        text = source.definition
        if pulls_back(traced.fn):
            self.numpy, text = True, f"{HELPER}\n\n{text}"
        return self._without_helpers(text, name), made

    def _without_helpers(self, text: str, name: str) -> str:
        """The last function of a text, as `name`; those that it calls are entered, once, under free names."""
        *helpers, main = re.split(r"\n\n\n(?=def )", text.strip("\n"))
        renamed = self.helpers.get(tuple(helpers))
        if renamed is None:
            taken = {*self.names, *self.outside.names}.union(*(each.values() for each in self.helpers.values()))
            renamed = {old: _free_name(old, taken) for old in (helper[4:helper.index("(")] for helper in helpers)}
            self.helpers[tuple(helpers)] = renamed
            self.functions += [_renamed(helper, renamed) for helper in helpers]
        return re.sub(r"^def \w+", f"def {name}", _renamed(main, renamed))

    def _texts(self, traced: Traced, itself: str | None) -> dict[int, str]:
        """How the leaves that are not arguments are written; those not here stay parameters."""
        found = {traced.fn.params.index(f.param): self.outside.text(traced, f, itself) for f in traced.free}
        return {leaf: text for leaf, text in found.items() if text is not None}

    def _generate(self, name: str, traced: Traced, texts: Mapping[int, str], itself: str | None,
                  made: Sequence[Check]) -> Source:
        """The function; what is outside and assigned to in it has another name there."""
        fn = pipeline.run(traced.fn)
        inner = None
        if pulls_back(fn):
            fn, inner = fitted(fn, traced.result), tops(self.outside.class_text)
        name = _free_name(name, {f.name for f in fn.functions})
        outer = {p.name: texts[p.tree.index] for p in traced.params
                 if isinstance(p.tree, Leaf) and p.tree.index in texts}
        own = [p for p in traced.params if p.name not in outer]
        taken = {re.split(r"[.\[]", text)[0] for text in outer.values()}
        for p in own:
            if p.name in taken:
                raise SctError("SCT914", f"the parameter `{p.name}` hides what is outside under the same name",
                               hint="rename one of them")
        params = [Parameter(itself, tree=Const(None))] if itself is not None else []
        params += [Parameter(p.name, p.kind, NO_DEFAULT if p.default is inspect.Parameter.empty else p.default, p.tree)
                   for p in own]
        comment = signature_comment(traced.fn, own)
        names = {p: text if text.isidentifier() else p for p, text in outer.items()}
        while True:
            bound = [f"{names[p]} = {text}" for p, text in outer.items() if names[p] != text]
            leaves = [Parameter(names[p.name], "outer", tree=p.tree) for p in traced.params if p.name in outer]
            source = generate(fn, Interface(
                name, (*params, *leaves), traced.result, comment,
                (*raising(made), *ast.parse("\n".join(bound)).body), frozenset(taken | {name}), inner))
            main = ast.parse(source.definition).body[-1]
            read, written = _names_in(main, ast.Load), _names_in(main, ast.Store)
            unread = {p for p in outer if names[p] not in read}
            written &= {text for p, text in outer.items() if names[p] == text}
            if not written and not unread:
                return source
            outer = {p: text for p, text in outer.items() if p not in unread}
            names.update({p: f"{text}_" for p, text in outer.items() if text in written})

    def _bind(self, key: str, value: Any) -> None:
        """A default that has no literal form in the signature."""
        text = repr(value)
        try:
            ast.literal_eval(text)
        except (ValueError, SyntaxError):
            raise SctError("SCT914", f"the default of `{key[1:]}` cannot be copied", why=f"it is {text}") from None
        if self.outside.constants.setdefault(key, text) != text:
            raise SctError("SCT914", f"the default of `{key[1:]}` cannot be copied",
                           why="another function has another default of this name", hint="rename the parameter")


def _merged(traced: Traced, texts: Mapping[int, str]) -> tuple[Traced, dict[int, str]]:
    """Leaves of one text are one."""
    first: dict[str, int] = {}
    again = {leaf: first[text] for leaf, text in texts.items() if first.setdefault(text, leaf) != leaf}
    fn = traced.fn
    body = rebuild(fn.with_(params=()), {fn.params[k]: fn.params[j] for k, j in again.items()})
    params = tuple(p for p in traced.params if not (isinstance(p.tree, Leaf) and p.tree.index in again))
    return (replace(traced, fn=body.with_(params=fn.params), params=params),
            {leaf: text for leaf, text in texts.items() if leaf not in again})


def _free_name(name: str, taken: Collection[str]) -> str:
    return next(each for k in itertools.count(1) if (each := name if k == 1 else f"{name}_{k}") not in taken)


def _renamed(text: str, names: Mapping[str, str]) -> str:
    return re.sub(r"\b\w+\b", lambda hit: names.get(hit[0], hit[0]), text)


def _names_in(tree: ast.AST, context: type[ast.expr_context]) -> set[str]:
    return {node.id for node in ast.walk(tree) if isinstance(node, ast.Name) and isinstance(node.ctx, context)}


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


def _kind(line: str) -> tuple[bool, str]:
    """Import lines before lines of names that are imported."""
    return line.startswith("from"), line


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

