"""IR -> Python source -> function.

    lower    regions -> blocks, exits -> jumps, sequences -> lists
    prune    what nothing reads is gone
    fold     values -> expressions
    names    values -> variables
    print    expressions and statements -> syntax trees -> text
"""

from __future__ import annotations

import ast
import builtins
import keyword
import linecache
from collections.abc import Callable, Iterator
from typing import Any

from sct.codegen.expressions import Expressions, Modules, constant
from sct.codegen.fold import fold
from sct.codegen.interface import NO_DEFAULT, Interface, Parameter, Source
from sct.codegen.live import Liveness
from sct.codegen.lower import lower
from sct.codegen.names import Names
from sct.codegen.parts import Scope
from sct.codegen.program import Block, Let
from sct.codegen.prune import prune
from sct.codegen.statements import Statements, function
from sct.codegen.templates import ITEM, expression
from sct.codegen.unparse import Comment, unparse
from sct.ir.core import Eqn, Fn, Lit, Value, walk
from sct.ir.tree import Leaf, Node, Tree
from sct.ir.types import Opaque

__all__ = ["generate", "load"]


def generate(fn: Fn, interface: Interface) -> Source:
    """The source of `fn` as the function that `interface` describes."""
    scope = Scope(fn)
    arguments = _Arguments(fn, interface)
    block = [*arguments.taken_apart, *lower(fn, scope)]
    block = prune(block)
    folded = fold(block)
    live = Liveness(block, arguments.fixed, folded)
    users = {v for v in (*scope.binder, *live.spans) if _is_users(v, scope)} | set(arguments.leaves)
    indices = {eqn.regions[-1].params[0] for eqn in walk(fn) if eqn.op.name == "loop" and eqn.attrs.get("counted")}
    names = Names(live, arguments.fixed, users, _taken(fn, interface), indices)
    modules = Modules(p.name for p in interface.params)
    printer = Statements(Expressions(names.names, folded, modules), names, interface.result, block)
    body = printer.block(block)
    bindings: dict[str, Any] = {}
    tree = function(interface.name, _signature(interface, modules, bindings), body)
    comment = [Comment(interface.comment)] if interface.comment else []
    text = unparse(ast.Module([*comment, tree], []))
    imports = tuple(sorted(modules.imports))
    head = "\n".join(imports) + "\n\n\n" if imports else ""
    return Source(head + text, interface.name, imports, bindings)


def load(source: Source, filename: str) -> Callable[..., Any]:
    """The function of the source; tracebacks and debuggers find its text by `filename`."""
    namespace: dict[str, Any] = {"__name__": "sct.emitted", **source.bindings}
    exec(compile(source.text, filename, "exec"), namespace)
    linecache.cache[filename] = (len(source.text), None, source.text.splitlines(True), filename)
    made: Any = namespace[source.function_name]
    made.__source__ = source.text
    found: Callable[..., Any] = made
    return found


def _is_users(v: Value, scope: Scope) -> bool:
    found = scope.binder.get(v)
    return found is not None and found[0].primal


class _Arguments:
    """How the values that `fn` takes are found in the arguments.

    fixed         the values that are parameters themselves, or containers, with their names
    taken_apart   the statements that take values out of containers
    leaves        the values taken out
    """

    def __init__(self, fn: Fn, interface: Interface) -> None:
        self.fn = fn
        self.fixed: dict[Value, str] = {}
        self.taken_apart: Block = []
        self.leaves: list[Value] = list(fn.params)
        for p in interface.params:
            self._take(p)

    def _take(self, p: Parameter) -> None:
        if isinstance(p.tree, Leaf):
            self.fixed[self.fn.params[p.tree.index]] = p.name
        else:
            container = Value(Opaque(), p.name)
            self.fixed[container] = p.name
            self.taken_apart += self._items(p.tree, container)

    def _items(self, tree: Tree, container: Value) -> Iterator[Let]:
        if not isinstance(tree, Node):
            return
        for key, child in zip(tree.keys, tree.children):
            if isinstance(child, Leaf):
                value = self.fn.params[child.index]
                yield Let(Eqn(ITEM, (container, Lit(key)), (value,)))
            elif isinstance(child, Node):
                value = Value(Opaque(), key if isinstance(key, str) and key.isidentifier() else None)
                yield Let(Eqn(ITEM, (container, Lit(key)), (value,)))
                yield from self._items(child, value)


def _signature(interface: Interface, modules: Modules, bindings: dict[str, Any]) -> ast.arguments:
    groups: dict[str, list[Parameter]] = {}
    for p in interface.params:
        groups.setdefault(p.kind, []).append(p)

    def args(kind: str) -> list[ast.arg]:
        return [ast.arg(p.name, None, None) for p in groups.get(kind, ())]

    def default(p: Parameter) -> ast.expr:
        try:
            return constant(p.default, modules)
        except ValueError:
            bindings[f"_{p.name}"] = p.default
            return ast.Name(f"_{p.name}", ast.Load())

    ordered = groups.get("positional_only", []) + groups.get("positional", [])
    vararg, kwarg = args("varargs") or [None], args("varkeywords") or [None]
    keywords = groups.get("keyword", [])
    return ast.arguments(
        args("positional_only"), args("positional"), vararg[0], args("keyword"),
        [None if p.default is NO_DEFAULT else default(p) for p in keywords], kwarg[0],
        [default(p) for p in ordered if p.default is not NO_DEFAULT])


def _taken(fn: Fn, interface: Interface) -> set[str]:
    """Names that stand for something else in the text."""
    used = {"np", "math", "range", "reversed", "zip", "len", "builtins", "_", interface.name, *keyword.kwlist}
    for eqn in walk(fn):
        if not eqn.regions and eqn.op.name not in ("store", "add_at", "index"):
            used.update(n.id for n in ast.walk(ast.parse(expression(eqn), mode="eval")) if isinstance(n, ast.Name))
    return {name for name in used if name in keyword.kwlist or hasattr(builtins, name) or name in
            ("np", "math", "_", interface.name) or not name.startswith("_")}
