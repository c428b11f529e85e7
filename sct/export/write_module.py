"""Writes the text of a module that defines derivatives as plain functions.

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
from sct.export.argument_checks import Check, conjunction, leaves_in_guards, raise_statements, specialization_checks
from sct.export.free_variables import FreeVariables, ImportedVariables
from sct.export.identity_checks import identity_checks
from sct.export.pullback_checks import HELPER, returns_pullback, structure_checks_of, with_checked_cotangents
from sct.frontend import Traced, signature_comment
from sct.ir.core import rebuild
from sct.ir.dims import Dim
from sct.ir.pytrees.pytree import Const, Leaf
from sct.passes import pipeline

__all__ = ["ModuleWriter", "module_of"]


def module_of(traced: Sequence[Traced], open_sizes: Collection[Dim] = ()) -> str:
    """The text of a module with one derivative, for all its specializations; it imports the modules of its globals."""
    writer = ModuleWriter(ImportedVariables())
    name = traced[0].name
    writer.define(name, writer.function_text(name, traced, open_sizes=open_sizes))
    return writer.module(f"{name}, written by sct.")


class ModuleWriter:
    """Collects functions, and the imports, constants and helper functions that they need.

    variables  decides how free variables are read
    functions  the texts of functions and other definitions, in order
    names      the names that they bind
    helpers    by the texts of helper functions, their new names
    """

    def __init__(self, variables: FreeVariables) -> None:
        self.variables = variables
        self.functions: list[str] = []
        self.names: set[str] = set()
        self.helpers: dict[tuple[str, ...], dict[str, str]] = {}
        self.imports: dict[str, None] = {}
        self.needs_numpy = False

    def function_text(self, name: str, traced: Sequence[Traced], self_name: str | None = None,
            open_sizes: Collection[Dim] = (), doc: str | None = None) -> str:
        """The text of a function that dispatches between these specializations.

        self_name   of a method, the name of its first parameter
        open_sizes  sizes of arrays that need no check
        doc         its docstring
        """
        if len(traced) == 1:
            return _documented(self._function(name, traced[0], self_name, checked=True, open_sizes=open_sizes)[0], doc)
        parts = [self._function(f"_{name}_{k}", specialization, self_name, checked=False)
                 for k, specialization in enumerate(traced, 1)]
        return "\n\n".join([*(part for part, _ in parts), _documented(_dispatcher_text(name, parts), doc)])

    def parameters(self, text: str) -> set[str]:
        """The names of the parameters of a function."""
        (node,) = ast.parse(text).body
        return {part.arg for part in ast.walk(node) if isinstance(part, ast.arg)}

    def define(self, name: str, text: str) -> None:
        """Append a definition."""
        self.names.add(name)
        self.functions.append(text.strip("\n"))

    def module(self, title: str = "") -> str:
        """The text of the module."""
        header = self.variables.definition_texts(self.names)
        texts = (*self.functions, *self.variables.constants.values())
        used = [line for line in self.variables.imports if any(f"{line.split()[-1]}." in text for text in texts)]
        imports = dict.fromkeys([*self.imports, *used, *(["import numpy as np"] if self.needs_numpy else [])])
        copied = [part for part in header if not _is_import(part)]
        imports.update(dict.fromkeys(part for part in header if _is_import(part)))
        _refuse_clashes(imports)
        values = [f"{name} = {text}" for name, text in self.variables.constants.items()]
        groups = [
            [f'"""{title}"""'] if title else [],
            sorted(line for line in imports if line.startswith("from __future__")),
            sorted((line for line in imports if _is_standard(line) and "__future__" not in line), key=_import_order),
            sorted((line for line in imports if not _is_standard(line)), key=_import_order),
            list(self.variables.comments),
            [*_one_line_definitions(copied), *values],
        ]
        top = "\n\n".join("\n".join(group) for group in groups if group)
        blocks = [part for part in copied if part not in _one_line_definitions(copied)]
        return "\n\n\n".join(filter(None, [top, *blocks, *self.functions])) + "\n"

    # -- one function -----------------------------------------------------------------

    def _function(self, name: str, traced: Traced, self_name: str | None, checked: bool,
                  open_sizes: Collection[Dim] = ()) -> tuple[str, list[Check]]:
        texts = self._free_variable_texts(traced, self_name)
        traced, texts = _merge_equal_leaves(traced, texts)
        needed = texts.keys() | leaves_in_guards(traced)
        unread = {f.name for f in traced.free if traced.fn.params.index(f.param) not in needed}
        if unread:
            unread -= _names_in(ast.parse(self._generate(name, traced, texts, self_name, ()).definition), ast.Load)
            traced = replace(traced, params=tuple(p for p in traced.params if p.name not in unread))
        checked_leaves = {leaf: text for leaf, text in texts.items() if self.variables.may_change(text, self_name)}
        all_checks = specialization_checks(traced, texts, checked_leaves, self.variables.class_text,
                                           self.variables.facts(traced, self_name), open_sizes)
        all_checks += identity_checks(traced, self.variables.outside_containers(traced, self_name))
        source = self._generate(name, traced, texts, self_name, all_checks if checked else [])
        self.needs_numpy |= any("np." in c for check in all_checks for c in check.conditions)
        self.imports.update(dict.fromkeys(line for line in source.imports if not self.variables.provides_import(line)))
        for key, value in source.bindings.items():
            is_default = any(p.name == key[1:] for p in traced.params)
            self._bind(key, value, f"the default of `{key[1:]}`" if is_default else "a constant")
        text = source.definition
        if returns_pullback(traced.fn):
            self.needs_numpy, text = True, f"{HELPER}\n\n{text}"
        return self._without_helpers(text, name), all_checks

    def _without_helpers(self, text: str, name: str) -> str:
        """The last function of a text, called `name`.  The helpers before it are added once, under free names."""
        *helpers, main = re.split(r"\n\n\n(?=def )", text.strip("\n"))
        renamed = self.helpers.get(tuple(helpers))
        if renamed is None:
            reserved = {*self.names, *self.variables.names}.union(*(names.values() for names in self.helpers.values()))
            renamed = {old: _free_name(old, reserved) for old in (helper[4:helper.index("(")] for helper in helpers)}
            self.helpers[tuple(helpers)] = renamed
            self.functions += [_renamed(helper, renamed) for helper in helpers]
        return re.sub(r"^def \w+", f"def {name}", _renamed(main, renamed))

    def _free_variable_texts(self, traced: Traced, self_name: str | None) -> dict[int, str]:
        """The expressions of the leaves that are free variables; other leaves stay parameters."""
        texts = {traced.fn.params.index(f.param): self.variables.expression(traced, f, self_name) for f in traced.free}
        return {leaf: text for leaf, text in texts.items() if text is not None}

    def _generate(self, name: str, traced: Traced, texts: Mapping[int, str], self_name: str | None,
                  all_checks: Sequence[Check]) -> Source:
        """The source of the function.  A free variable whose name is assigned in it gets another local name."""
        fn = pipeline.run(traced.fn)
        inner = None
        if returns_pullback(fn):
            fn, inner = with_checked_cotangents(fn, traced.result), structure_checks_of(self.variables.class_text)
        name = _free_name(name, {f.name for f in fn.functions})
        outer_texts = {p.name: texts[p.tree.index] for p in traced.params
                 if isinstance(p.tree, Leaf) and p.tree.index in texts}
        arguments = [p for p in traced.params if p.name not in outer_texts]
        reserved = {re.split(r"[.\[]", text)[0] for text in outer_texts.values()}
        for p in arguments:
            if p.name in reserved:
                raise SctError("SCT914", f"the parameter `{p.name}` hides what is outside under the same name",
                               hint="rename one of them")
        params = [Parameter(self_name, tree=Const(None))] if self_name is not None else []
        params += [Parameter(p.name, p.kind, NO_DEFAULT if p.default is inspect.Parameter.empty else p.default, p.tree)
                   for p in arguments]
        comment = signature_comment(traced.fn, arguments)
        names = {p: text if text.isidentifier() else p for p, text in outer_texts.items()}
        while True:
            assignments = [f"{names[p]} = {text}" for p, text in outer_texts.items() if names[p] != text]
            leaves = [Parameter(names[p.name], "outer", tree=p.tree) for p in traced.params if p.name in outer_texts]
            prologue = (*raise_statements(all_checks), *ast.parse("\n".join(assignments)).body)
            source = generate(fn, Interface(
                name, (*params, *leaves), traced.result, comment, prologue, frozenset(reserved | {name}), inner))
            main = ast.parse(source.definition).body[-1]
            read, written = _names_in(main, ast.Load), _names_in(main, ast.Store)
            unread = {p for p in outer_texts if names[p] not in read}
            written &= {text for p, text in outer_texts.items() if names[p] == text}
            if not written and not unread:
                return source
            outer_texts = {p: text for p, text in outer_texts.items() if p not in unread}
            names.update({p: f"{text}_" for p, text in outer_texts.items() if text in written})

    def _bind(self, key: str, value: Any, what: str) -> None:
        """Define a constant for an object, a default or another, that has no literal form in the text."""
        try:
            text = self._expression(value)
        except (ValueError, SyntaxError):
            raise SctError("SCT914", f"{what} cannot be copied", why=f"it is {value!r}") from None
        if self.variables.constants.setdefault(key, text) != text:
            raise SctError("SCT914", f"{what} cannot be copied",
                           why="another function has another default of this name", hint="rename the parameter")

    def _expression(self, value: Any) -> str:
        """The expression of a named tuple, a tuple or a literal; ValueError or SyntaxError for others."""
        if isinstance(value, tuple) and hasattr(value, "_fields"):
            fields = (f"{name}={self._expression(x)}" for name, x in zip(value._fields, value))
            return f"{self.variables.class_text(type(value))}({', '.join(fields)})"
        if type(value) is tuple:
            return f"({''.join(f'{self._expression(x)}, ' for x in value)})"
        ast.literal_eval(repr(value))
        return repr(value)


def _merge_equal_leaves(traced: Traced, texts: Mapping[int, str]) -> tuple[Traced, dict[int, str]]:
    """Merges the leaves that have the same expression."""
    first: dict[str, int] = {}
    equal = {leaf: first[text] for leaf, text in texts.items() if first.setdefault(text, leaf) != leaf}
    fn = traced.fn
    body = rebuild(fn.replace(params=()), {fn.params[k]: fn.params[j] for k, j in equal.items()})
    params = tuple(p for p in traced.params if not (isinstance(p.tree, Leaf) and p.tree.index in equal))
    return (replace(traced, fn=body.replace(params=fn.params), params=params),
            {leaf: text for leaf, text in texts.items() if leaf not in equal})


def _free_name(name: str, taken: Collection[str]) -> str:
    return next(candidate for k in itertools.count(1) if (candidate := name if k == 1 else f"{name}_{k}") not in taken)


def _renamed(text: str, names: Mapping[str, str]) -> str:
    return re.sub(r"\b\w+\b", lambda hit: names.get(hit[0], hit[0]), text)


def _names_in(tree: ast.AST, context: type[ast.expr_context]) -> set[str]:
    return {node.id for node in ast.walk(tree) if isinstance(node, ast.Name) and isinstance(node.ctx, context)}


def _documented(text: str, doc: str | None) -> str:
    """The text of a function with a docstring."""
    if not doc:
        return text
    doc = inspect.cleandoc(doc).replace("\\", r"\\").replace('"""', r'\"\"\"')
    quoted = f'"""{doc}"""' if "\n" not in doc and not doc.endswith('"') else f'"""{doc}\n"""'
    (*_, main) = ast.parse(text).body
    lines = text.split("\n")
    end = next(k for k in range(main.lineno, len(lines) + 1) if lines[k - 1].endswith(":"))
    return "\n".join([*lines[:end], textwrap.indent(quoted, "    "), *lines[end:]])


def _dispatcher_text(name: str, parts: Sequence[tuple[str, list[Check]]]) -> str:
    """A function that calls the first of these specializations whose checks hold."""
    (first, *_) = ast.parse(parts[0][0]).body
    assert isinstance(first, ast.FunctionDef)
    args = first.args
    passed = [*(a.arg for a in [*args.posonlyargs, *args.args]), *([f"*{args.vararg.arg}"] if args.vararg else []),
              *(f"{a.arg}={a.arg}" for a in args.kwonlyargs), *([f"**{args.kwarg.arg}"] if args.kwarg else [])]
    lines = [f"if {conjunction(all_checks)}:\n    return _{name}_{k}({', '.join(passed)})"
             for k, (_, all_checks) in enumerate(parts, 1)]
    lines.append(f'raise TypeError("{name} was not compiled for arguments like these")')
    return f"def {name}({ast.unparse(args)}):\n" + textwrap.indent("\n".join(lines), "    ")


# -- layout ---------------------------------------------------------------------------

def _is_import(text: str) -> bool:
    return text.startswith(("import ", "from "))


def _is_standard(line: str) -> bool:
    return line.split()[1].split(".")[0] in sys.stdlib_module_names


def _import_order(line: str) -> tuple[bool, str]:
    """Sorts `import` lines before `from` lines."""
    return line.startswith("from"), line


def _one_line_definitions(parts: Sequence[str]) -> list[str]:
    """The definitions other than functions and classes, which stand together without blank lines."""
    return [part for part in parts if not part.lstrip().startswith(("def ", "class ", "@", "async "))]


def _refuse_clashes(imports: Mapping[str, None]) -> None:
    """Refuse imports that bind one name to two objects."""
    seen: dict[str, str] = {}
    for line in imports:
        (node,) = ast.parse(line).body
        assert isinstance(node, (ast.Import, ast.ImportFrom))
        for alias in node.names:
            name, full = alias.asname or alias.name, f"{getattr(node, 'module', '')}.{alias.name}"
            if seen.setdefault(name, full) != full:
                raise SctError("SCT914", f"`{name}` stands for both {seen[name]} and {full} in what is emitted")

