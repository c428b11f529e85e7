"""IR -> Python source -> function.

    lower    regions -> blocks, exits -> jumps, sequences -> lists
    prune    what nothing reads is gone
    iterate  loops over positions -> loops over elements
    tidy     branches are merged, codes become flags
    returns  a last branch returns from its arms
    spell    u[i] += x; short parts are written out where they are read
    fold     values -> expressions
    names    values -> variables
    print    expressions and statements -> syntax trees -> text
"""

from __future__ import annotations

import ast
import builtins
import itertools
import keyword
import linecache
import sys
import weakref
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from sct.codegen.interface import Interface, Parameter, Source
from sct.codegen.numba.extract_kernels import flagged, grouped, handed_on, plain_exceptions, way_out_last
from sct.codegen.numba.preallocate_tapes import reserve
from sct.codegen.numba.print_kernels import TAKEN, CompiledExpressions, CompiledStatements, is_plain
from sct.codegen.polish.augmented_assignment import spell
from sct.codegen.polish.dead_statements import prune
from sct.codegen.polish.early_returns import returned_early
from sct.codegen.polish.element_loops import iterate, taken_apart
from sct.codegen.polish.inline_expressions import Folded, fold
from sct.codegen.polish.live_ranges import Liveness
from sct.codegen.polish.simplify_statements import tidy
from sct.codegen.polish.variable_names import Names
from sct.codegen.program.argument_unpacking import parameter
from sct.codegen.program.lower import lower
from sct.codegen.program.scopes import Scope
from sct.codegen.program.statement_ir import Block, Define, Kernel, Let, statements
from sct.codegen.program.templates import STATEMENTS, expression, names_in
from sct.codegen.python.print_expressions import Expressions, Modules
from sct.codegen.python.print_signature import signature
from sct.codegen.python.print_statements import Statements, function
from sct.codegen.python.unparse import Comment, comment, unparse
from sct.errors import Loc
from sct.ir.core import Fn, Value, walk, with_own_values
from sct.ir.pytree import Leaf, Node, Tree
from sct.ir.user_objects import is_namedtuple, makes_itself

__all__ = ["generate", "load"]


def generate(fn: Fn, interface: Interface, *, kernels: Mapping[str, Any] | None = None) -> Source:
    """The source of `fn` as the function that `interface` describes.

    kernels  options of `numba.njit`: loops are functions that Numba compiles
    """
    made = [_definition(f, _plain(f)) for f in fn.functions]
    made.append(_definition(fn, interface, kernels))
    tree = ast.Module([tree for d in made for tree in d.trees], [])
    lines = {line for d in made for line in d.modules.imports}
    imports = tuple(sorted(lines, key=lambda line: (_group(line), line)))
    text = _head(imports) + unparse(tree)
    places = {s: loc for d in made for s, loc in d.places.items()}
    bindings = {name: x for d in made for name, x in d.bindings.items()}
    return Source(text, interface.name, imports, bindings, _lines(tree, text, places))


@dataclass(frozen=True)
class _Definition:
    """A function of the text; `bindings` and `places` as in `Source` and `Statements`."""

    trees: list[ast.stmt]
    modules: Modules
    bindings: Mapping[str, Any]
    places: Mapping[ast.stmt, Loc]


def _definition(fn: Fn, interface: Interface, kernels: Mapping[str, Any] | None = None) -> _Definition:
    fn = with_own_values(fn)  # names are found for them here
    scope = Scope(fn)
    fixed: dict[Value, str] = {}
    block: Block = []
    for p in interface.params:
        value, items = parameter(p.name, p.tree, fn.params)
        fixed[value] = p.name
        block += items
    block = prune([*block, *lower(fn, scope, checks=kernels is not None)])
    if kernels is not None:
        block = spell(compilable(prune(tidy(block)), is_plain(interface, fn.results)))
    else:
        block = spell(returned_early(taken_apart(prune(tidy(iterate(block))))))
    folded = fold(block)
    live = Liveness(block, fixed, folded)
    taken = _taken(block, folded, interface) | (TAKEN if kernels is not None else set())
    names = Names(live, fixed, _users(scope, fn.params), taken, _usual(fn, scope))
    modules = Modules(p.name for p in interface.params)
    args, bindings = signature(interface, modules)
    before: list[ast.stmt] = []
    if kernels is not None:
        of = CompiledExpressions(names.names, folded, modules)
        compiler = CompiledStatements(of, names, interface, block, kernels)
        printer: Statements = compiler
        body, before = compiler.module(block)
    else:
        printer = Statements(Expressions(names.names, folded, modules), names, interface.result, block)
        printer.inner = interface.inner
        body = printer.block(block)
    body = [*map(comment, filter(None, [interface.comment])), *interface.top, *body]
    made = function(interface.name, args, body)
    if kernels is not None and isinstance(block[-1], Kernel):
        made = compiler.decorated(made)
    return _Definition([*before, made], modules, {**bindings, **modules.bindings}, printer.places)


def _plain(fn: Fn) -> Interface:
    """The interface of a function that the emitted one calls: its params and results in a row."""
    names: list[str] = []
    taken = {"np", "math", *keyword.kwlist, *dir(builtins)}
    for p in fn.params:
        base = p.hint if p.hint and p.hint.isidentifier() and p.hint not in taken else "t"
        names.append(next(name for k in itertools.count() if (name := f"{base}{k or ''}") not in names))
    params = tuple(Parameter(name, tree=Leaf(k)) for k, name in enumerate(names))
    results = tuple(Leaf(k) for k in range(len(fn.results)))
    row = Node("tuple", tuple(range(len(results))), results)
    return Interface(fn.name, params, results[0] if len(results) == 1 else row)


def compilable(block: Block, plain: bool) -> Block:
    """The block with kernels in it."""
    handed_on(block)
    flagged(block)
    block = prune(grouped(block, plain))
    plain_exceptions(block)
    block = prune(reserve(block))
    for s in statements(block):
        if isinstance(s, Kernel):
            way_out_last(s.body)
    return block


def load(source: Source, filename: str) -> Callable[..., Any]:
    """The function of the source; tracebacks and debuggers find its text by `filename`."""
    namespace: dict[str, Any] = {"__name__": "sct.emitted", "__sct_lines__": source.lines, "__sct_source__": source,
                                 **source.bindings}
    exec(compile(source.text, filename, "exec"), namespace)
    linecache.cache[filename] = (len(source.text), None, source.text.splitlines(True), filename)
    made: Any = namespace[source.function_name]
    weakref.finalize(made, linecache.cache.pop, filename, None).atexit = False
    made.__source__ = source.text
    found: Callable[..., Any] = made
    return found


def _head(imports: tuple[str, ...]) -> str:
    """The import lines, those of the standard library first."""
    groups = [[line for line in imports if _group(line) == k] for k in range(3)]
    return "".join("\n".join(group) + "\n\n" for group in groups if group) + ("\n" if imports else "")


def _group(line: str) -> int:
    """0: the standard library, 1: NumPy, SciPy and Numba, 2: the user's modules."""
    root = line.split()[1].split(".")[0]
    return 1 if root in ("numba", "numpy", "scipy") else 0 if root in sys.stdlib_module_names else 2


def _lines(tree: ast.Module, text: str, places: Mapping[ast.stmt, Loc]) -> dict[int, Loc]:
    """The user's place of each line: the statements of the text are those of the tree, in order."""
    printed = [s for s in _walk(ast.parse(text)) if not isinstance(s, (ast.Import, ast.ImportFrom))]
    made = [s for s in _walk(tree) if not isinstance(s, Comment)]
    return {p.lineno: places[s] for p, s in zip(printed, made) if s in places}


def _walk(node: ast.AST) -> Iterator[ast.stmt]:
    """The statements in a tree, in the order of the text."""
    for field in ("body", "orelse"):
        for s in getattr(node, field, ()):
            yield s
            yield from _walk(s)


def _users(scope: Scope, params: tuple[Value, ...]) -> set[Value]:
    """The values whose hints are names that the user gave, not names made of those."""
    own = {v for v, (eqn, _) in scope.binder.items() if eqn.primal} | set(params)
    names = {v.hint for v in own}

    def is_derived(hint: str) -> bool:
        return hint[:1] == "d" and (hint[1:] in names or is_derived(hint[1:]))

    return own | {v for v in scope.binder if v.hint is not None and not is_derived(v.hint)}


def _usual(fn: Fn, scope: Scope) -> dict[Value, str]:
    """What a person calls the index of a loop, and the user's result."""
    loops = [eqn for eqn in walk(fn) if eqn.op.name == "loop" and eqn.attrs.get("counted")]
    names = {loop.regions[-1].params[0]: "i" for loop in loops}
    if len(fn.results) > 1:
        made = [r for r in fn.results if isinstance(r, Value) and r in scope.binder and scope.binder[r][0].primal]
        names.update(dict.fromkeys(made, "value"))
    return names


def _taken(block: Block, folded: Folded, interface: Interface) -> set[str]:
    """Names that stand for something else in the text."""
    used = {"np", "math", "enumerate", "range", "reversed", "zip", "len", "builtins", "_", interface.name,
            *keyword.kwlist, *interface.taken}
    used.update(_classes(interface.result))
    for s in (*statements(block), *folded.values()):
        if isinstance(s, Define):
            used.update(_classes(s.eqn.attrs["result"]))
        if isinstance(s, Let) and not s.eqn.regions and s.eqn.op.name not in STATEMENTS:
            used.update(names_in(expression(s.like)))
    return used


def _classes(tree: Tree) -> Iterator[str]:
    """The names of what makes the containers of a result."""
    if isinstance(tree, Node):
        if tree.kind == "object":
            yield tree.cls.__name__
            if is_namedtuple(tree.cls) and not makes_itself(tree.cls):
                yield "tuple"
        if tree.kind == "rows":
            yield from ("list", "zip")
        for child in tree.children:
            yield from _classes(child)
