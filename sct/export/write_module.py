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
import builtins
import inspect
import itertools
import re
import sys
import textwrap
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from sct.codegen import NO_DEFAULT, Interface, Parameter, Source, generate
from sct.codegen.python.unparse import unparse
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


def module_of(traced: Sequence[Traced], open_sizes: Sequence[Collection[Dim]] = ()) -> str:
    """The text of a module with one derivative, for all its specializations; it imports the modules of its globals.

    open_sizes  for each specialization, the sizes of arrays that need no check
    """
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
            open_sizes: Sequence[Collection[Dim]] = (), doc: str | None = None, owner: str = "") -> str:
        """The text of a function that chooses between these specializations.

        These are defined before it; those with the same code are one function.

        self_name   of a method, the name of its first parameter
        open_sizes  for each specialization, the sizes of arrays that need no check
        doc         its docstring
        owner       of a method, the class
        """
        sizes = [*open_sizes, *[()] * (len(traced) - len(open_sizes))]
        if len(traced) == 1:
            return _documented(self._function(name, traced[0], self_name, True, sizes[0])[0], doc)
        parts: dict[str, list[str]] = {}
        cases: list[tuple[str, list[Check]]] = []
        for specialization, its_sizes in zip(traced, sizes):
            text, all_checks, comment = self._function(f"_{name}", specialization, self_name, False, its_sizes)
            parts.setdefault(text, []).append(comment)
            cases.append((text, all_checks))
        reserved = {*self.names, *self.variables.names}
        names = {text: _free_name(f"_{owner.replace('.', '_')}_{name}_{k}".replace("__", "_"), reserved)
                 for k, text in enumerate(parts, 1)}
        for text, comments in parts.items():
            self.define(names[text], _commented(re.sub(r"^def \w+", f"def {names[text]}", text), comments))
        choices = [(names[text], all_checks) for text, all_checks in cases]
        return _documented(_dispatcher_text(name, cases[0][0], choices), doc)

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
                  open_sizes: Collection[Dim]) -> tuple[str, list[Check], str]:
        """The text of a function, its checks, and a comment on its types.

        checked  has the text the checks and the comment in it?
        """
        texts = self._free_variable_texts(traced, self_name)
        traced, texts = _merge_equal_leaves(traced, texts)
        needed = texts.keys() | leaves_in_guards(traced)
        unread = {f.name for f in traced.free if traced.fn.params.index(f.param) not in needed}
        if unread:
            source, _ = self._generate(name, traced, texts, self_name, ())
            unread -= _names_in(ast.parse(source.definition), ast.Load)
            traced = replace(traced, params=tuple(p for p in traced.params if p.name not in unread))
        checked_leaves = {leaf: text for leaf, text in texts.items() if self.variables.may_change(text, self_name)}
        all_checks = specialization_checks(traced, texts, checked_leaves, self.variables.class_text,
                                           self.variables.facts(traced, self_name), open_sizes)
        all_checks += identity_checks(traced, self.variables.outside_containers(traced, self_name))
        source, comment = self._generate(name, traced, texts, self_name, all_checks if checked else None)
        self.needs_numpy |= any("np." in c for check in all_checks for c in check.conditions)
        self.imports.update(dict.fromkeys(line for line in source.imports if not self.variables.provides_import(line)))
        for key, value in source.bindings.items():
            is_default = any(p.name == key[1:] for p in traced.params)
            self._bind(key, value, f"the default of `{key[1:]}`" if is_default else "a constant")
        text = source.definition
        if returns_pullback(traced.fn):
            self.needs_numpy, text = True, f"{HELPER}\n\n{text}"
        return self._without_helpers(text, name), all_checks, comment

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
                  all_checks: Sequence[Check] | None) -> tuple[Source, str]:
        """The source of the function, and a comment on its types, which is in it if its checks are.

        A free variable whose name is assigned in it gets another local name.
        """
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
                raise SctError("SCT914", f"the parameter `{p.name}` hides a variable of the same name outside",
                               hint="rename one of them")
        params = [Parameter(self_name, tree=Const(None))] if self_name is not None else []
        params += [Parameter(p.name, p.kind, NO_DEFAULT if p.default is inspect.Parameter.empty else p.default, p.tree)
                   for p in arguments]
        comment = signature_comment(traced.fn, arguments)
        names = {p: text if text.isidentifier() else p for p, text in outer_texts.items()}
        while True:
            assignments = [f"{names[p]} = {text}" for p, text in outer_texts.items() if names[p] != text]
            leaves = [Parameter(names[p.name], "outer", tree=p.tree) for p in traced.params if p.name in outer_texts]
            prologue = (*raise_statements(all_checks or ()), *ast.parse("\n".join(assignments)).body)
            source = generate(fn, Interface(
                name, (*params, *leaves), traced.result, comment if all_checks is not None else "", prologue,
                frozenset(reserved | {name}), inner))
            main = ast.parse(source.definition).body[-1]
            read, written = _names_in(main, ast.Load), _names_in(main, ast.Store)
            unread = {p for p in outer_texts if names[p] not in read}
            written &= {text for p, text in outer_texts.items() if names[p] == text}
            if not written and not unread:
                return source, comment
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
    return _with_head(text, f'"""{doc}"""' if "\n" not in doc and not doc.endswith('"') else f'"""{doc}\n"""')


def _commented(text: str, comments: Sequence[str]) -> str:
    """The text of a function with a comment on the types of each of its specializations."""
    lines = [line.strip() for comment in comments for line in comment.split("\n") if line]
    return _with_head(text, "\n".join(f"# {line}" for line in lines)) if lines else text


def _with_head(text: str, head: str) -> str:
    """The text of a function with lines at the top of its body."""
    lines = text.split("\n")
    end = next(k for k, line in enumerate(lines, 1) if line.endswith(":"))
    return "\n".join([*lines[:end], textwrap.indent(head, "    "), *lines[end:]])


def _dispatcher_text(name: str, text: str, choices: Sequence[tuple[str, list[Check]]]) -> str:
    """A function with the parameters of that text, which calls the first of these functions whose checks hold."""
    (first, *_) = ast.parse(text).body
    assert isinstance(first, ast.FunctionDef)
    args = first.args
    passed = [*(a.arg for a in [*args.posonlyargs, *args.args]), *([f"*{args.vararg.arg}"] if args.vararg else []),
              *(f"{a.arg}={a.arg}" for a in args.kwonlyargs), *([f"**{args.kwarg.arg}"] if args.kwarg else [])]
    common = list(_common_checks([all_checks for _, all_checks in choices]))
    hoisted = {condition for check in common for condition in check.conditions}
    lines = [unparse(stmt).strip("\n") for stmt in raise_statements(common)]
    lines += [f"if {conjunction(all_checks, hoisted)}:\n    return {part}({', '.join(passed)})"
              for part, all_checks in choices]
    lines.append(f'raise TypeError("{name} was not compiled for arguments like these")')
    return f"def {name}({ast.unparse(args)}):\n" + textwrap.indent("\n".join(lines), "    ")


def _common_checks(cases: Sequence[list[Check]]) -> Iterator[Check]:
    """The checks that all cases have; without those of sizes and of the number of axes.

    A condition may rely on those before it with the same names, so these must be common, too.
    """
    everywhere = set.intersection(*({c for check in checks for c in check.conditions} for checks in cases))
    differing: set[str] = set()
    for check in cases[0]:
        kept: list[str] = []
        for c in check.conditions:
            if _SIZE.search(c):
                continue
            names = _names_in(ast.parse(c), ast.Load) - vars(builtins).keys() - {"np"}
            if c in everywhere and not names & differing:
                kept.append(c)
            else:
                differing |= names
        if kept and kept[0] == check.conditions[0]:
            yield check if len(kept) == len(check.conditions) else replace(
                check, conditions=tuple(kept), message=_RANK.sub("an array", check.message))
        elif kept:
            differing |= _names_in(ast.parse(kept[0]), ast.Load)


_SIZE = re.compile(r"\.(ndim|shape)\b")
_RANK = re.compile(r"an? \d-D array")


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
                raise SctError("SCT914", f"`{name}` stands for both {seen[name]} and {full} in the emitted text")

