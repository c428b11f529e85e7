"""IR -> Python source -> function: the entry, which puts the parts of code generation in order.

    lower                   regions -> blocks, exits -> jumps, sequences -> lists
    remove_dead_statements  here, and behind other steps that leave dead statements
    loop_over_elements      loops over positions -> loops over elements
    simplify_statements     adjacent conditionals are merged, exit codes become flags
    remove_needless_checks  checks that a variable is bound, where it is
    drop_implied_tests      `if not a and c` -> `if c`, where the forward pass computes c only if not a
    simplify_tapes          predicates on tapes; iterations in which the backward loop does nothing are not there
    join_tapes              tapes that the same iterations fill and empty are one
    unpack_records          records are taken apart where they are read
    return_early            a conditional at the end returns from its branches
    augment_assignments     u[i] += x; short expressions are duplicated for their readers
    inline_expressions      values -> expressions
    LiveRanges, Names       values -> variables
    StatementPrinter        statements -> syntax trees -> text
    hold_views              views of arrays that loops write into are taken once

With `backend="numba"`, `_with_kernels` takes the place of `loop_over_elements`, `drop_implied_tests`, `simplify_tapes`,
`join_tapes`, `unpack_records` and `return_early`, and views stay where they are.
"""

from __future__ import annotations

import ast
import builtins
import itertools
import keyword
import linecache
import sys
import weakref
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Optional

from sct.codegen.interface import Interface, Parameter, Source
from sct.codegen.numba.check_subscripts import check_subscripts
from sct.codegen.numba.compilable_forms import (
    add_bound_flags,
    make_exceptions_plain,
    move_code_behind_loops,
    resolve_list_aliases,
)
from sct.codegen.numba.extract_kernels import extract_kernels
from sct.codegen.numba.helper_functions import RESERVED
from sct.codegen.numba.loops.scalarize import scalarize
from sct.codegen.numba.preallocate_tapes import preallocate_tapes
from sct.codegen.numba.print_kernels import KernelExpressionPrinter, KernelStatementPrinter, is_compilable
from sct.codegen.polish.augmented_assignment import augment_assignments
from sct.codegen.polish.dead_statements import remove_dead_statements
from sct.codegen.polish.early_returns import return_early
from sct.codegen.polish.element_loops import count_by_tapes, loop_over_elements, unpack_records
from sct.codegen.polish.inline_expressions import Inlined, inline_expressions
from sct.codegen.polish.live_ranges import LiveRanges
from sct.codegen.polish.simplify_statements import merge_conditionals, simplify_statements
from sct.codegen.polish.tape_columns import simplify_tapes
from sct.codegen.polish.variable_names import Names
from sct.codegen.program.argument_unpacking import read_whole_arguments, unpacked_parameter, write_into_columns
from sct.codegen.program.bound_checks import remove_needless_checks
from sct.codegen.program.implied_tests import drop_implied_tests
from sct.codegen.program.joined_tapes import join_tapes
from sct.codegen.program.lower import lower
from sct.codegen.program.statement_ir import Block, Define, Evaluate, Kernel, statements
from sct.codegen.program.templates import STATEMENTS, expression, names_in
from sct.codegen.python.common_statements import factor_branches, return_directly, return_once
from sct.codegen.python.held_views import hold_views
from sct.codegen.python.nesting import check_nesting
from sct.codegen.python.placeholders import assign_placeholders_once
from sct.codegen.python.print_expressions import ExpressionPrinter, Modules
from sct.codegen.python.print_signature import function, signature
from sct.codegen.python.print_statements import StatementPrinter
from sct.codegen.python.unparse import begins_statement, comment, logical_lines, statements_in
from sct.errors import Loc
from sct.ir.core import Fn, Operand, Value, walk, with_own_values
from sct.ir.pytrees.pytree import Leaf, Node, Tree
from sct.ir.pytrees.user_objects import has_generated_constructor, is_namedtuple
from sct.ir.types import Residuals
from sct.ir.uses import DefUse
from sct.ops.program.attempts import attempt
from sct.ops.program.call_ops import call, pack, unpack

__all__ = ["generate", "load"]


def generate(fn: Fn, interface: Interface, *, numba_options: Mapping[str, Any] | None = None) -> Source:
    """The source of `fn` as the function that `interface` describes.

    numba_options  those of `numba.njit`: loops become functions that Numba compiles
    """
    records: RecordNames = {}
    fn = _with_visible_functions(fn, {p.name for p in interface.params})
    definitions = [_definition(f, _flat_interface(f), records) for f in fn.functions]
    definitions.append(_definition(fn, interface, records, numba_options))
    tree = ast.Module([tree for d in definitions for tree in d.trees], [])
    lines = {line for d in definitions for line in d.modules.imports}
    imports = tuple(sorted(lines, key=lambda line: (_import_group(line), line)))
    head, body = _import_section(imports), logical_lines(tree)
    locs = {s: loc for d in definitions for s, loc in d.locs.items()}
    check_nesting(tree, locs)
    bindings = {name: x for d in definitions for name, x in d.bindings.items()}
    line_locs = _line_locs(tree, body, head.count("\n") + 1, locs)
    return Source("\n".join([head + body[0], *body[1:], ""]), interface.name, imports, bindings, line_locs)


def _with_visible_functions(fn: Fn, params: Collection[str]) -> Fn:
    """The program whose functions have other names than the parameters, which would hide them."""
    taken = {*params, *(f.name for f in fn.functions)}
    new_names: dict[str, str] = {}
    for name in (f.name for f in fn.functions if f.name in params):
        new_names[name] = next(free for k in itertools.count(1) if (free := f"{name}_{k}") not in taken)
        taken.add(new_names[name])

    def renamed(f: Fn) -> Fn:
        eqns = tuple(e.replace(attrs={**e.attrs, "callee": new_names.get(e.attrs["callee"], e.attrs["callee"])})
                     if e.op is call else e.replace(regions=tuple(map(renamed, e.regions))) for e in f.eqns)
        return f.replace(name=new_names.get(f.name, f.name), eqns=eqns)

    return renamed(fn).replace(functions=tuple(map(renamed, fn.functions))) if new_names else fn


@dataclass(frozen=True)
class _Definition:
    """A function of the text; `bindings` and `locs` as in `Source` and `StatementPrinter`."""

    trees: list[ast.stmt]
    modules: Modules
    bindings: Mapping[str, Any]
    locs: Mapping[ast.stmt, Loc]


RecordNames = dict[str, tuple[Optional[str], ...]]
"""The names of the fields of the records of each function that is split into two parts."""


def _definition(fn: Fn, interface: Interface, records: RecordNames,
                numba_options: Mapping[str, Any] | None = None) -> _Definition:
    compiled = numba_options is not None
    fn = with_own_values(fn)  # lowering sets hints of values
    def_use = DefUse(fn)
    block, fixed = _lowered(fn, def_use, interface, compiled)
    inlined = inline_expressions(block)
    live = LiveRanges(block, fixed, inlined)
    reserved = _reserved_names(block, inlined, interface) | (RESERVED if compiled else set())
    names = Names(block, live, fixed, _user_values(def_use, fn.params), reserved, _default_names(fn, def_use, records))
    records.update(_record_names(fn, names))
    modules = Modules((p.name for p in interface.params), interface.name)
    args, bindings = signature(interface, modules)
    helpers: list[ast.stmt] = []
    if numba_options is not None:
        expressions = KernelExpressionPrinter(names.names, inlined, modules)
        kernel_printer = KernelStatementPrinter(expressions, names, interface, block, numba_options)
        printer: StatementPrinter = kernel_printer
        body, helpers = kernel_printer.module(block)
    else:
        printer = StatementPrinter(ExpressionPrinter(names.names, inlined, modules), names, interface.result, block)
        printer.inner_prologue = interface.inner_prologue
        body = return_once(factor_branches(assign_placeholders_once(printer.block(block))))
        callees = {eqn.attrs["callee"] for eqn in walk(fn) if eqn.op is call}
        body = return_directly(body, callees, names.unnamed(), printer.locs)
        body = hold_views(body, names.of_arrays(), args)
    body = [*map(comment, filter(None, [interface.comment])), *interface.prologue, *body]
    definition = function(interface.name, args, body)
    if compiled and isinstance(block[-1], Kernel):
        definition = kernel_printer.decorated(definition, block[-1].is_in_range)
    return _Definition([*helpers, definition], modules, {**bindings, **modules.bindings}, printer.locs)


def _lowered(fn: Fn, def_use: DefUse, interface: Interface, compiled: bool) -> tuple[Block, dict[Value, str]]:
    """The statements of a function, before expressions are inlined, and the values with the names of parameters."""
    fixed: dict[Value, str] = {}
    block: Block = []
    whole: dict[tuple[Operand, ...], tuple[str, bool]] = {}
    for p in interface.params:
        value, items = unpacked_parameter(p.name, p.tree, fn.params)
        fixed[value] = p.name
        block += items
        if isinstance(p.tree, Node) and p.tree.kind in ("list", "tuple") and items and not compiled:
            whole[tuple([s.eqn.out for s in items])] = p.name, p.tree.kind == "tuple"
    block, lists = read_whole_arguments([*block, *lower(fn, def_use, checks=compiled)], whole)
    fixed.update(lists)
    block = remove_dead_statements(write_into_columns(block))
    if compiled:
        block = remove_dead_statements(simplify_statements(block))
        block = _with_kernels(block, is_compilable(interface, fn.results))
    else:
        block = remove_dead_statements(simplify_statements(loop_over_elements(block)))
        block = drop_implied_tests(remove_needless_checks(block))
        block = merge_conditionals(remove_dead_statements(join_tapes(simplify_tapes(block))))
        block = return_early(unpack_records(count_by_tapes(block)))
    return augment_assignments(block), fixed


def _with_kernels(block: Block, whole: bool) -> Block:
    """The block with kernels in it; `whole` as for `extract_kernels`."""
    resolve_list_aliases(block)
    add_bound_flags(block)
    block = remove_dead_statements(scalarize(block))
    block = remove_dead_statements(extract_kernels(block, whole))
    make_exceptions_plain(block)
    check_subscripts(block)
    block = remove_dead_statements(preallocate_tapes(block))
    for s in statements(block):
        if isinstance(s, Kernel):
            move_code_behind_loops(s.body)
    return block


def _flat_interface(fn: Fn) -> Interface:
    """The interface of a function that the emitted one calls: positional parameters, and a flat tuple of results."""
    names: list[str] = []
    reserved = {"np", "math", *keyword.kwlist, *dir(builtins)}
    reserved.update(eqn.attrs["callee"] for eqn in walk(fn) if eqn.op is call)
    for p in fn.params:
        base = p.hint if p.hint and p.hint.isidentifier() and p.hint not in reserved else "t"
        names.append(next(name for k in itertools.count() if (name := f"{base}{k or ''}") not in names))
    params = tuple(Parameter(name, tree=Leaf(k)) for k, name in enumerate(names))
    results = tuple(Leaf(k) for k in range(len(fn.results)))
    flat = Node("tuple", tuple(range(len(results))), results)
    return Interface(fn.name, params, results[0] if len(results) == 1 else flat)


def load(source: Source, filename: str) -> Callable[..., Any]:
    """The function that the source defines; tracebacks and debuggers find its text by `filename`."""
    namespace: dict[str, Any] = {"__name__": "sct.emitted", "__sct_lines__": source.lines, "__sct_source__": source,
                                 **source.bindings}
    exec(compile(source.text, filename, "exec"), namespace)
    linecache.cache[filename] = (len(source.text), None, source.text.splitlines(True), filename)
    function: Any = namespace[source.function_name]
    weakref.finalize(function, linecache.cache.pop, filename, None).atexit = False
    function.__source__ = source.text
    loaded: Callable[..., Any] = function
    return loaded


def _import_section(imports: tuple[str, ...]) -> str:
    """The import lines, those of the standard library first."""
    groups = [[line for line in imports if _import_group(line) == k] for k in range(3)]
    return "".join("\n".join(group) + "\n\n" for group in groups if group) + ("\n" if imports else "")


def _import_group(line: str) -> int:
    """0: the standard library; 1: NumPy, SciPy and Numba; 2: the user's modules."""
    root = line.split()[1].split(".")[0]
    return 1 if root in ("numba", "numpy", "scipy") else 0 if root in sys.stdlib_module_names else 2


def _line_locs(tree: ast.Module, lines: Sequence[str], number: int, locs: Mapping[ast.stmt, Loc]) -> dict[int, Loc]:
    """The location in the user's source of each line; `number` is that of the first of the logical `lines`.

    The lines have the statements of the tree in the same order.
    """
    numbers = itertools.accumulate((1 + line.count("\n") for line in lines), initial=number)
    starts = [n for n, line in zip(numbers, lines) if begins_statement(line)]
    return {n: locs[s] for n, s in zip(starts, statements_in(tree.body), strict=True) if s in locs}


def _user_values(def_use: DefUse, params: tuple[Value, ...]) -> set[Value]:
    """The values whose hints are the user's names, and not names that differentiation derives from them."""
    own = {v for v, d in def_use.definitions.items() if d.eqn.primal} | set(params)
    names = {v.hint for v in own}

    def is_derived(hint: str) -> bool:
        return hint[:1] == "d" and (hint[1:] in names or is_derived(hint[1:]))

    return own | {v for v in def_use.definitions if v.hint is not None and not is_derived(v.hint)}


def _record_names(fn: Fn, names: Names) -> RecordNames:
    """The names of the values that `fn` packs into records."""
    return {eqn.attrs["of"]: tuple(names.names.get(x) if isinstance(x, Value) else None for x in eqn.args)
            for eqn in walk(fn) if eqn.op is pack}


def _default_names(fn: Fn, def_use: DefUse, records: RecordNames) -> dict[Value, str]:
    """The customary names of loop indices and of the user's result, and of fields of records."""
    loops = [eqn for eqn in walk(fn) if eqn.op.name == "loop" and eqn.attrs.get("counted")]
    names = {loop.regions[-1].params[0]: "i" for loop in loops}
    for eqn in walk(fn):
        if eqn.op is attempt:
            names[eqn.outs[0]], names[eqn.outs[1]] = "ok", "error"
        if eqn.op is unpack and isinstance(record := eqn.args[0].type, Residuals):
            names.update((v, name) for v, name in zip(eqn.outs, records.get(record.of, ())) if name is not None)
    if len(fn.results) > 1:
        primal = [r for r in fn.results
                  if isinstance(r, Value) and r in def_use.definitions and def_use.definitions[r].eqn.primal]
        names.update(dict.fromkeys(primal, "value"))
    return names


def _reserved_names(block: Block, inlined: Inlined, interface: Interface) -> set[str]:
    """Names that have another meaning in the text, so that no variable may have them."""
    used = {"np", "math", "enumerate", "range", "reversed", "zip", "len", "builtins", "_", interface.name,
            *keyword.kwlist, *interface.reserved}
    used.update(_classes(interface.result))
    for s in (*statements(block), *inlined.values()):
        if isinstance(s, Define):
            used.update(_classes(s.eqn.attrs["result"]))
        if isinstance(s, Evaluate) and not s.eqn.regions and s.eqn.op.name not in STATEMENTS:
            used.update(names_in(expression(s.like)))
    return used


def _classes(tree: Tree) -> Iterator[str]:
    """The names of the classes and builtins that construct the containers of a result."""
    if isinstance(tree, Node):
        if tree.kind == "object":
            yield tree.cls.__name__
            if is_namedtuple(tree.cls) and not has_generated_constructor(tree.cls):
                yield "tuple"
        if tree.kind == "rows":
            yield from ("list", "zip")
        for child in tree.children:
            yield from _classes(child)
