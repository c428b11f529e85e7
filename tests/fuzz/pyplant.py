"""Programs misread on purpose, as a frontend would that is wrong about Python: the fuzzer must find each.

A planted bug is a mutation of the program (a `map` that is run when it is made, a truth that is always true):
the system under test is given the mutated text and is compared with the plain run of the original.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

from tests.fuzz.check import System, Verdict
from tests.fuzz.plant import Changer, Mutation
from tests.fuzz.program import Program
from tests.fuzz.pychecks import Loaded, check
from tests.fuzz.pyfeatures import across, is_no_number, used_as_value, variable

__all__ = ["READINGS", "Misread", "first_seed"]


class Misread:
    """A system that is given the mutated program."""

    def __init__(self, system: System, mutation: Mutation) -> None:
        self.system, self.mutation = system, mutation

    def mutated(self, program: Program) -> Program | None:
        tree = program.tree()
        for parent in ast.walk(tree):
            for child in ast.iter_child_nodes(parent):
                child.parent = parent  # type: ignore[attr-defined]
        changer = Changer(self.mutation)
        source = ast.unparse(ast.fix_missing_locations(changer.visit(tree))) + "\n"
        return Program(source, program.points, program.wrt, program.seed) if changer.count else None

    def given(self, program: Loaded) -> Loaded:
        """The mutated program, loaded; its `change` is that of the module under test."""
        mutated = self.mutated(program) or program.with_source(program.source)
        module = mutated.load_module()
        program.module.update(change=module.get("change", lambda: None))
        return Loaded(mutated.source, program.points, program.wrt, program.seed, module)

    def value(self, program: Loaded) -> Callable[..., Any]:
        return self.system.value(self.given(program))  # type: ignore[attr-defined, no-any-return]

    def value_and_grad(self, program: Loaded) -> Callable[..., Any]:
        return self.system.value_and_grad(self.given(program))


def first_seed(
    generate: Callable[[int], Program], reading: str, system: System, mode: str, most: int = 600
) -> tuple[int, Verdict] | None:
    """The first seed whose check sees the misreading."""
    misread = Misread(system, READINGS[reading])
    for seed in range(most):
        program = generate(seed)
        if misread.mutated(program) is not None:
            verdict = check(program, misread, (mode,))
            if verdict.status == "wrong" and check(program, system, (mode,)).status == "ok":
                return seed, verdict
    return None


def call(name: str, *args: ast.expr) -> ast.Call:
    return ast.Call(ast.Name(name, ast.Load()), list(args), [])


def is_call(n: ast.AST, *names: str) -> bool:
    return isinstance(n, ast.Call) and isinstance(n.func, ast.Name) and n.func.id in names


# --- the misreadings --------------------------------------------------------------------------------


def truth_of_no_number_is_true(n: ast.AST) -> ast.AST | None:
    """`test and ""`"""
    if not isinstance(n, ast.BoolOp) or not is_no_number(n.values[-1]) or used_as_value(n):
        return None
    return ast.BoolOp(n.op, [*n.values[:-1], ast.Constant(True)])


def items_of_global_are_the_first(n: ast.AST) -> ast.AST | None:
    """`K[1]` in a loop is `K[0]`: an address that is given out twice."""
    named = isinstance(n, ast.Subscript) and isinstance(n.value, ast.Name) and n.value.id in ("K", "W", "ITEMS")
    return ast.Subscript(n.value, ast.Constant(0), n.ctx) if named and isinstance(n.slice, ast.Constant) else None


def map_is_eager(n: ast.AST) -> ast.AST | None:
    return call("iter", call("list", n)) if is_call(n, "map", "zip", "filter") else None


def iterator_starts_again(n: ast.AST) -> ast.AST | None:
    is_made = isinstance(n, ast.Assign) and variable("it")(n.targets[0])
    return ast.Assign(n.targets, call("list", n.value), lineno=n.lineno) if is_made else None


def views_are_copies(n: ast.AST) -> ast.AST | None:
    is_view = (
        isinstance(n, ast.Call) and isinstance(n.func, ast.Attribute) and n.func.attr in ("keys", "items", "values")
    )
    return call("list", n) if is_view else None  # type: ignore[arg-type]


def list_is_rebound(n: ast.AST) -> ast.AST | None:
    """`xs += ys` and `xs *= 2` make a new list."""
    return rebound(n, "xs", "es", "z", "d")


def array_is_rebound(n: ast.AST) -> ast.AST | None:
    return rebound(n, "y", "x")


def rebound(n: ast.AST, *prefixes: str) -> ast.AST | None:
    if not isinstance(n, ast.AugAssign) or not isinstance(n.target, ast.Name) or not variable(*prefixes)(n.target):
        return None
    value = n.value
    if isinstance(n.op, ast.Add) and prefixes[0] == "xs":
        value = call("list", value)
    return ast.Assign([n.target], ast.BinOp(ast.Name(n.target.id, ast.Load()), n.op, value), lineno=n.lineno)


def alias_is_copy(n: ast.AST) -> ast.AST | None:
    same = isinstance(n, ast.Assign) and isinstance(n.value, ast.Name) and variable("xs", "es", "d", "y")(n.targets[0])
    if not same or n.value.id in ("None", "x"):  # type: ignore[attr-defined]
        return None
    copied = ast.Call(ast.Attribute(n.value, "copy", ast.Load()), [], [])  # type: ignore[attr-defined]
    return ast.Assign(n.targets, copied, lineno=n.lineno)  # type: ignore[attr-defined]


def descriptor_is_attribute(n: ast.AST) -> ast.AST | None:
    """`Knob.level` is not asked: what is written is what is read."""
    is_made = isinstance(n, ast.Assign) and is_call(n.value, "Clip")
    return ast.Assign(n.targets, ast.Constant(None), lineno=n.lineno) if is_made else None


def cached_property_is_property(n: ast.AST) -> ast.AST | None:
    is_cached = isinstance(n, ast.Attribute) and n.attr == "cached_property"
    return ast.Name("property", ast.Load()) if is_cached else None


def closures_of_one_code_are_one(n: ast.AST) -> ast.AST | None:
    twin = {"m2": "m1", "r2": "r1"}.get(getattr(n.targets[0], "id", "")) if isinstance(n, ast.Assign) else None
    return ast.Assign(n.targets, ast.Name(twin, ast.Load()), lineno=n.lineno) if twin else None  # type: ignore[attr-defined]


def decorators_are_dropped(n: ast.AST) -> ast.AST | None:
    if not isinstance(n, ast.FunctionDef) or not any(is_call(d, "times") for d in n.decorator_list):
        return None
    n.decorator_list = []
    return n


def any_reads_everything(n: ast.AST) -> ast.AST | None:
    if not is_call(n, "any", "all") or isinstance(n.args[0], ast.ListComp):  # type: ignore[attr-defined]
        return None
    return ast.Call(n.func, [call("list", n.args[0])], [])  # type: ignore[attr-defined]


def values_before_keys(n: ast.AST) -> ast.AST | None:
    if not isinstance(n, ast.Dict) or None in n.keys or "says" not in ast.unparse(n):
        return None
    keys, values = (ast.List(part, ast.Load()) for part in (n.keys, n.values))  # type: ignore[arg-type]
    return ast.parse(
        f"(lambda values: dict(zip({ast.unparse(keys)}, values)))({ast.unparse(values)})", mode="eval"
    ).body


def right_operand_first(n: ast.AST) -> ast.AST | None:
    if not isinstance(n, ast.BinOp) or "log(" not in ast.unparse(n.left):
        return None
    both = ast.unparse(ast.BinOp(ast.Name("left", ast.Load()), n.op, ast.Name("right", ast.Load())))
    text = f"(lambda right: (lambda left: {both})({ast.unparse(n.left)}))({ast.unparse(n.right)})"
    return ast.parse(text, mode="eval").body


def default_is_made_at_each_call(n: ast.AST) -> ast.AST | None:
    if not isinstance(n, ast.FunctionDef) or not any(isinstance(d, ast.List) for d in n.args.defaults):
        return None
    last = n.args.args[-1].arg
    n.body.insert(0, ast.parse(f"{last} = list({last})").body[0])
    return n


def or_is_a_bool(n: ast.AST) -> ast.AST | None:
    return call("bool", n) if isinstance(n, ast.BoolOp) and used_as_value(n) else None


def identity_is_equality(n: ast.AST) -> ast.AST | None:
    if not isinstance(n, ast.Compare) or not isinstance(n.ops[0], (ast.Is, ast.IsNot)):
        return None
    return ast.Compare(n.left, [ast.Eq() if isinstance(n.ops[0], ast.Is) else ast.NotEq()], n.comparators)


def equality_across_types_is_true(n: ast.AST) -> ast.AST | None:
    return ast.Constant(isinstance(n.ops[0], ast.Eq)) if isinstance(n, ast.Compare) and across(n) else None


def objects_are_equal_by_fields(n: ast.AST) -> ast.AST | None:
    return ast.Constant(True) if isinstance(n, ast.Compare) and ast.unparse(n).startswith("Loose") else None


def assertion_has_no_text(n: ast.AST) -> ast.AST | None:
    return ast.Assert(n.test, None) if isinstance(n, ast.Assert) and n.msg is not None else None


def cache_is_dropped(n: ast.AST) -> ast.AST | None:
    if not isinstance(n, ast.FunctionDef) or not any("lru_cache" in ast.unparse(d) for d in n.decorator_list):
        return None
    n.decorator_list = []
    return n


def maximum_is_a_float(n: ast.AST) -> ast.AST | None:
    return call("float", n) if is_call(n, "max", "min") else None


def repeated_lists_are_copies(n: ast.AST) -> ast.AST | None:
    if not isinstance(n, ast.BinOp) or not isinstance(n.op, ast.Mult) or not isinstance(n.left, ast.List):
        return None
    return ast.BinOp(n.left, ast.Add(), ast.parse(ast.unparse(n.left), mode="eval").body)


def reflected_is_plain(n: ast.AST) -> ast.AST | None:
    """`k * p` asks `p.__mul__`."""
    if not isinstance(n, ast.FunctionDef) or n.name != "__rmul__":
        return None
    n.body = ast.parse("return self * k").body
    return n


def globals_are_those_of_the_first_call(n: ast.AST) -> ast.AST | None:
    if not isinstance(n, ast.FunctionDef) or n.name != "change":
        return None
    n.body = [ast.Pass()]
    return n


READINGS: dict[str, Mutation] = {
    m.__name__: m
    for m in (
        truth_of_no_number_is_true,
        items_of_global_are_the_first,
        map_is_eager,
        iterator_starts_again,
        views_are_copies,
        list_is_rebound,
        array_is_rebound,
        alias_is_copy,
        descriptor_is_attribute,
        cached_property_is_property,
        closures_of_one_code_are_one,
        decorators_are_dropped,
        any_reads_everything,
        values_before_keys,
        right_operand_first,
        default_is_made_at_each_call,
        or_is_a_bool,
        identity_is_equality,
        equality_across_types_is_true,
        objects_are_equal_by_fields,
        assertion_has_no_text,
        cache_is_dropped,
        maximum_is_a_float,
        repeated_lists_are_copies,
        reflected_is_plain,
        globals_are_those_of_the_first_call,
    )
}
