"""Wrong derivatives on purpose: each must be found by a fuzzer, or the fuzzer is not one.

A planted bug is a mutation of the program: the system differentiates a mutated source (a view
made a copy, `continue` made `pass`, ...) but still returns the value of the original, as a
compiler would whose backward pass is wrong. So only the check of the gradient can find it.
"""

from __future__ import annotations

import ast
import contextlib
import io
from collections.abc import Callable
from typing import Any

from tests.fuzz.check import Sct, System, Verdict, check, is_refusal, oracle
from tests.fuzz.duals import rebuild
from tests.fuzz.program import Program, clone, run

__all__ = ["PLANTS", "Planted", "found"]

Mutation = Callable[[ast.AST], "ast.AST | None"]  # the new node, or None where it does not apply


def found(
    generate: Callable[[int], Program], plant: str, system: System, most: int = 500
) -> tuple[int, Verdict] | None:
    """The first seed whose check sees the planted bug."""
    planted = Planted(system, PLANTS[plant])
    for seed in range(most):
        program = generate(seed)
        if planted.mutated(program) is None:
            continue
        verdict = check(program, planted, ("value_and_grad",))
        if verdict.status == "wrong":
            return seed, verdict
    return None


class Planted(Sct):
    """A system whose gradients are those of the mutated program."""

    def __init__(self, system: System, mutation: Mutation) -> None:
        self.system, self.mutation = system, mutation

    def mutated(self, program: Program) -> Program | None:
        tree = program.tree()
        changer = Changer(self.mutation)
        source = ast.unparse(ast.fix_missing_locations(changer.visit(tree))) + "\n"
        return program.with_source(source) if changer.count else None

    def value_and_grad(self, program: Program) -> Callable[..., Any]:
        mutated = self.mutated(program)
        f = program.load()
        wrong = self.system.value_and_grad(mutated or program)

        def value_and_grad(*args: Any) -> Any:
            value = f(*clone(args))
            with contextlib.redirect_stdout(io.StringIO()):
                out = run(wrong, *clone(args), seconds=20.0)
            if out.error is not None and is_refusal(out.error):
                raise out.error
            if out.error is not None:  # the mutated program fails: the bug does not show here
                return value, rebuild(tuple(args[i] for i in program.wrt), oracle(program, args)[1])
            return value, out.value[1]

        return value_and_grad


class Changer(ast.NodeTransformer):
    """Applies a mutation wherever it applies."""

    def __init__(self, mutation: Mutation) -> None:
        self.mutation, self.count, self.loops = mutation, 0, 0

    def visit(self, node: ast.AST) -> Any:
        for child in ast.iter_child_nodes(node):
            child.parent = node  # type: ignore[attr-defined]
        node = self.generic_visit(node)
        new = self.mutation(node)
        if new is None:
            return node
        self.count += 1
        return new


def above(node: ast.AST, *kinds: type[ast.AST]) -> ast.AST | None:
    """The nearest enclosing node of these kinds, in one function."""
    while hasattr(node, "parent") and not isinstance(node, ast.FunctionDef):
        node = node.parent
        if isinstance(node, kinds):
            return node
    return None


def method_call(value: ast.expr, name: str) -> ast.expr:
    return ast.Call(ast.Attribute(value, name, ast.Load()), [], [])


# --- control ------------------------------------------------------------------------------------


def ignore_break(n: ast.AST) -> ast.AST | None:
    return ast.Pass() if isinstance(n, ast.Break) and isinstance(above(n, ast.For, ast.While), ast.For) else None


def ignore_continue(n: ast.AST) -> ast.AST | None:
    return ast.Pass() if isinstance(n, ast.Continue) else None


def return_in_loop_is_constant(n: ast.AST) -> ast.AST | None:
    inside = isinstance(n, ast.Return) and above(n, ast.For, ast.While) and not isinstance(n.value, ast.Tuple)
    return ast.Return(ast.Constant(1.0)) if inside else None


def no_loop_else(n: ast.AST) -> ast.AST | None:
    return (
        type(n)(**{**dict(ast.iter_fields(n)), "orelse": []})
        if isinstance(n, (ast.For, ast.While)) and n.orelse
        else None
    )


def no_accumulation(n: ast.AST) -> ast.AST | None:
    if not isinstance(n, ast.AugAssign) or not isinstance(n.target, ast.Name) or n.target.id[-1].isdigit():
        return None
    return ast.Assign([n.target], n.value, lineno=n.lineno) if isinstance(n.op, ast.Add) else None


def second_of_or(n: ast.AST) -> ast.AST | None:
    value = isinstance(n, ast.BoolOp) and isinstance(getattr(n, "parent", None), (ast.BinOp, ast.Assign, ast.Call))
    return n.values[-1] if value else None  # type: ignore[attr-defined]


def defaults_always(n: ast.AST) -> ast.AST | None:
    if not isinstance(n, ast.Call) or not any(k.arg in ("s", "t") for k in n.keywords):
        return None
    return ast.Call(n.func, n.args, [k for k in n.keywords if k.arg not in ("s", "t")])


def early_closure(n: ast.AST) -> ast.AST | None:
    """`lambda t: t * a` keeps the `a` of its making."""
    if not isinstance(n, ast.Lambda) or n.args.defaults:
        return None
    own = {a.arg for a in n.args.args}
    names = sorted({m.id for m in ast.walk(n.body) if isinstance(m, ast.Name) and len(m.id) == 1} - own)
    if not names:
        return None
    n.args.args += [ast.arg(name) for name in names]
    n.args.defaults = [ast.Name(name, ast.Load()) for name in names]
    return n


def sequential_tuple(n: ast.AST) -> ast.AST | None:
    """`a, b = b, a` one after the other."""
    if not isinstance(n, ast.Assign) or not isinstance(n.targets[0], ast.Tuple) or not isinstance(n.value, ast.Tuple):
        return None
    pairs = list(zip(n.targets[0].elts, n.value.elts))
    if len(pairs) != len(n.targets[0].elts) or any(isinstance(t, (ast.Starred, ast.Tuple)) for t, _ in pairs):
        return None
    both = [ast.Assign([t], v, lineno=n.lineno) for t, v in pairs]
    return ast.If(ast.Constant(True), both, [])


def first_comparison_only(n: ast.AST) -> ast.AST | None:
    return ast.Compare(n.left, n.ops[:1], n.comparators[:1]) if isinstance(n, ast.Compare) and len(n.ops) > 1 else None


def else_never(n: ast.AST) -> ast.AST | None:
    return ast.If(n.test, n.body, []) if isinstance(n, ast.If) and n.orelse and above(n, ast.For, ast.While) else None


def one_trip_less(n: ast.AST) -> ast.AST | None:
    """The first trip of a loop over values is lost."""
    if not isinstance(n, ast.For) or not isinstance(n.iter, (ast.Tuple, ast.List)):
        return None
    n.iter.elts = n.iter.elts[1:]
    return n


# --- heap ---------------------------------------------------------------------------------------


def view_is_copy(n: ast.AST) -> ast.AST | None:
    return copied_value(n, ast.Subscript)


def transpose_is_copy(n: ast.AST) -> ast.AST | None:
    return method_call(n, "copy") if isinstance(n, ast.Attribute) and n.attr == "T" else None


def alias_is_copy(n: ast.AST) -> ast.AST | None:
    return copied_value(n, ast.Name)


def copied_value(n: ast.AST, kind: type[ast.expr]) -> ast.AST | None:
    if not isinstance(n, ast.Assign) or not isinstance(n.value, kind) or not isinstance(n.targets[0], ast.Name):
        return None
    return ast.Assign(n.targets, method_call(n.value, "copy"), lineno=n.lineno)


def duplicates_accumulate(n: ast.AST) -> ast.AST | None:
    """`y[idx] += v` as if every repetition counted."""
    if not isinstance(n, ast.AugAssign) or not isinstance(n.op, ast.Add) or not is_indices(n.target):
        return None
    return one_by_one(n.target, n.value, cleared=False)  # type: ignore[arg-type]


def every_writer_wins(n: ast.AST) -> ast.AST | None:
    """`y[idx] = v` sends a cotangent to every writer of an element, not to the last one."""
    if not isinstance(n, ast.Assign) or not is_indices(n.targets[0]):
        return None
    return one_by_one(n.targets[0], n.value, cleared=True)  # type: ignore[arg-type]


def is_indices(n: ast.AST) -> bool:
    """Three positions: a list of constants, or the argument `idx`."""
    if not isinstance(n, ast.Subscript):
        return False
    return isinstance(n.slice, ast.List) or isinstance(n.slice, ast.Name) and n.slice.id == "idx"


def one_by_one(target: ast.Subscript, value: ast.expr, cleared: bool) -> ast.stmt:
    """The elements of the value added at their positions, one after the other."""
    base, key = ast.unparse(target.value), target.slice
    at = [ast.unparse(e) for e in key.elts] if isinstance(key, ast.List) else [f"idx[{k}]" for k in range(3)]
    lines = [f"values = np.zeros({len(at)}) + ({ast.unparse(value)})"]
    lines += [f"{base}[{k}] = 0.0" for k in at] if cleared else []
    lines += [f"{base}[{k}] += values[{i}]" for i, k in enumerate(at)]
    return ast.parse("if True:\n    " + "\n    ".join(lines)).body[0]


def reversed_is_forward(n: ast.AST) -> ast.AST | None:
    if not isinstance(n, ast.Slice) or n.step is None or ast.unparse(n.step) != "-1" or n.lower or n.upper:
        return None
    return ast.Slice(None, None, None)


def swap_is_lost(n: ast.AST) -> ast.AST | None:
    if not isinstance(n, ast.Assign) or not above(n, ast.For, ast.While) or not isinstance(n.targets[0], ast.Tuple):
        return None
    names = [ast.unparse(e) for e in n.targets[0].elts]
    values = [ast.unparse(e) for e in n.value.elts] if isinstance(n.value, ast.Tuple) else []
    return ast.Pass() if sorted(names) == sorted(values) else None


def mask_is_everything(n: ast.AST) -> ast.AST | None:
    """`y[mask] = v` writes every element."""
    if not isinstance(n, (ast.Assign, ast.AugAssign)):
        return None
    target = n.targets[0] if isinstance(n, ast.Assign) else n.target
    if not isinstance(target, ast.Subscript) or not isinstance(target.slice, ast.Compare):
        return None
    target.slice = ast.Slice(None, None, None)
    return n


def overwritten_keeps_gradient(n: ast.AST) -> ast.AST | None:
    """`y[i] = v` does not clear the cotangent of the old element."""
    if (
        not isinstance(n, ast.Assign)
        or not isinstance(n.targets[0], ast.Subscript)
        or isinstance(n.targets[0].slice, ast.Constant)
    ):
        return None
    return ast.AugAssign(n.targets[0], ast.Add(), n.value)


def helper_writes_are_lost(n: ast.AST) -> ast.AST | None:
    if not isinstance(n, ast.Call) or not isinstance(n.func, ast.Name) or n.func.id not in ("w0", "w1"):
        return None
    return ast.Call(n.func, [method_call(n.args[0], "copy"), *n.args[1:]], n.keywords)


def rows_are_copies(n: ast.AST) -> ast.AST | None:
    if not isinstance(n, ast.For) or not isinstance(n.iter, (ast.Name, ast.Attribute)):
        return None
    return ast.For(n.target, method_call(n.iter, "copy"), n.body, n.orelse, lineno=n.lineno)


def container_holds_copies(n: ast.AST) -> ast.AST | None:
    inside = isinstance(n, (ast.List, ast.Tuple)) and isinstance(getattr(n, "parent", None), ast.Assign)
    if not inside or n.parent.value is not n or not isinstance(n.parent.targets[0], ast.Name):  # type: ignore[attr-defined]
        return None
    return type(n)([method_call(e, "copy") for e in n.elts], ast.Load())  # type: ignore[attr-defined, call-arg]


def branch_write_is_lost(n: ast.AST) -> ast.AST | None:
    target = n.target if isinstance(n, ast.AugAssign) else None
    return ast.Pass() if isinstance(target, ast.Subscript) and above(n, ast.If) else None


def augmented_is_assignment(n: ast.AST) -> ast.AST | None:
    if not isinstance(n, ast.AugAssign) or not isinstance(n.target, ast.Subscript) or not isinstance(n.op, ast.Add):
        return None
    return ast.Assign([n.target], n.value, lineno=n.lineno)


# --- aliases ------------------------------------------------------------------------------------


def item_is_copy(n: ast.AST) -> ast.AST | None:
    """`row = rows[i]` makes a copy."""
    value = n.value if isinstance(n, ast.Assign) else None
    is_item = isinstance(value, ast.Subscript) and not isinstance(value.slice, ast.Slice)
    return copied_value(n, ast.Subscript) if is_item else None


# --- lists --------------------------------------------------------------------------------------


def call_of(n: ast.AST, method: str) -> ast.Call | None:
    """`xs.method(...)`"""
    is_call = isinstance(n, ast.Call) and isinstance(n.func, ast.Attribute) and n.func.attr == method
    return n if is_call else None  # type: ignore[return-value]


def pop_takes_the_first(n: ast.AST) -> ast.AST | None:
    call = call_of(n, "pop")
    return ast.Call(call.func, [ast.Constant(0)], []) if call is not None and not call.args else None


def insert_appends(n: ast.AST) -> ast.AST | None:
    call = call_of(n, "insert")
    if call is None or not isinstance(call.func, ast.Attribute):
        return None
    return ast.Call(ast.Attribute(call.func.value, "append", ast.Load()), call.args[1:], [])


def append_in_branch_is_zero(n: ast.AST) -> ast.AST | None:
    call = call_of(n, "append") if above(n, ast.If) else None
    pair = call is not None and isinstance(call.args[0], (ast.Tuple, ast.List))
    return ast.Call(call.func, [ast.Constant(0.0)], []) if call is not None and not pair else None


def item_of_row_is_lost(n: ast.AST) -> ast.AST | None:
    target = n.targets[0] if isinstance(n, ast.Assign) else None
    deep = isinstance(target, ast.Subscript) and isinstance(target.value, ast.Subscript)
    return ast.Pass() if deep else None


def list_runs_backwards(n: ast.AST) -> ast.AST | None:
    if not isinstance(n, ast.For) or not isinstance(n.iter, ast.Name):
        return None
    backwards = ast.Call(ast.Name("reversed", ast.Load()), [n.iter], [])
    return ast.For(n.target, backwards, n.body, n.orelse, lineno=n.lineno)


def comprehension_takes_all(n: ast.AST) -> ast.AST | None:
    if not isinstance(n, ast.ListComp) or not n.generators[0].ifs:
        return None
    first = n.generators[0]
    return ast.ListComp(n.elt, [ast.comprehension(first.target, first.iter, [], 0), *n.generators[1:]])


def slice_is_the_list(n: ast.AST) -> ast.AST | None:
    """`ys = xs[1:]` starts at the first item."""
    if not isinstance(n, ast.Slice) or n.lower is None or n.upper is not None or n.step is not None:
        return None
    return ast.Slice(None, ast.UnaryOp(ast.USub(), n.lower), None)


# --- exceptions ---------------------------------------------------------------------------------


def handler_does_nothing(n: ast.AST) -> ast.AST | None:
    return ast.ExceptHandler(n.type, n.name, [ast.Pass()]) if isinstance(n, ast.ExceptHandler) else None


def last_handler_takes_all(n: ast.AST) -> ast.AST | None:
    if not isinstance(n, ast.Try) or len(n.handlers) < 2:
        return None
    n.handlers = n.handlers[-1:]
    return n


def finally_is_lost(n: ast.AST) -> ast.AST | None:
    if not isinstance(n, ast.Try) or not n.finalbody or not n.handlers:
        return None
    n.finalbody = []
    return n


def else_is_lost(n: ast.AST) -> ast.AST | None:
    if not isinstance(n, ast.Try) or not n.orelse:
        return None
    n.orelse = []
    return n


def yields_of_a_loop_are_lost(n: ast.AST) -> ast.AST | None:
    is_yield = isinstance(n, ast.Expr) and isinstance(n.value, ast.Yield)
    return ast.Pass() if is_yield and above(n, ast.For, ast.While) else None


ALIASES = (
    item_is_copy,
)
BUFFERS = (
    ignore_break,
    sequential_tuple,
)
EXCEPTIONS = (
    handler_does_nothing,
    last_handler_takes_all,
    finally_is_lost,
    else_is_lost,
    yields_of_a_loop_are_lost,
)
LISTS = (
    pop_takes_the_first,
    insert_appends,
    append_in_branch_is_zero,
    item_of_row_is_lost,
    list_runs_backwards,
    comprehension_takes_all,
    slice_is_the_list,
    overwritten_keeps_gradient,
    augmented_is_assignment,
)
CONTROL = (
    ignore_break,
    ignore_continue,
    return_in_loop_is_constant,
    no_loop_else,
    no_accumulation,
    second_of_or,
    defaults_always,
    early_closure,
    sequential_tuple,
    first_comparison_only,
    else_never,
    one_trip_less,
)
HEAP = (
    view_is_copy,
    transpose_is_copy,
    alias_is_copy,
    duplicates_accumulate,
    every_writer_wins,
    reversed_is_forward,
    swap_is_lost,
    mask_is_everything,
    overwritten_keeps_gradient,
    helper_writes_are_lost,
    rows_are_copies,
    container_holds_copies,
    branch_write_is_lost,
    augmented_is_assignment,
)
PLANTS: dict[str, Mutation] = {m.__name__: m for m in (*ALIASES, *CONTROL, *EXCEPTIONS, *HEAP, *LISTS)}
