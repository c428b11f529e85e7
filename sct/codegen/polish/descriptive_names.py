"""Names of values without a name of their own, after what they are.

    math.exp(z) -> exp_z        1.0 / s -> inv_s        (a - b) ** 2 -> a_minus_b_sq        u[i - 1] -> u_prev

A value that has no short description is named after the variable whose statement it is a part of: `h_exp`.

Invariant: a name depends on the expression of the value alone, so that a change elsewhere does not change it.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator, Mapping, Sequence

from sct.codegen.polish.inline_expressions import Inlined
from sct.codegen.program.statement_ir import (
    Assign,
    Block,
    Evaluate,
    NewList,
    Pop,
    Push,
    ReadAt,
    Select,
    Statement,
    Update,
    statements,
)
from sct.codegen.program.templates import STATEMENTS, expression
from sct.ir.core import Eqn, Lit, Operand, Value, is_number
from sct.ir.types import BOOL, INT, Residuals, Tensor
from sct.ops.arrays.indexing import split
from sct.ops.program.inner_lists import path_of
from sct.ops.registry import template_tree

__all__ = ["Descriptions"]

_MAX_LENGTH = 18
_MAX_DEPTH = 3
_MAX_READERS = 4
_MAX_VISITED = 12
_FUNCTION_WORDS = {"zeros_like": "zeros", "ones_like": "ones", "full_like": "full", "maximum": "max", "minimum": "min",
                   "searchsorted": "position", "concatenate": "joined", "absolute": "abs"}
_BETWEEN = {"add": "plus", "sub": "minus", "mul": "times", "div": "over", "quotient": "over", "floordiv": "over",
            "mod": "mod", "pow": "to", "matmul": "", "outer": "", "solve": "inv", "dot": "dot", "gt": "above",
            "ge": "from", "lt": "below", "le": "upto", "eq": "equals", "ne": "not", "and_": "and", "or_": "or",
            "logical_and": "and", "logical_or": "or"}
_USES = {"add": "term", "sub": "term", "mul": "factor", "div": "factor", "matmul": "factor", "outer": "factor"}
_MASKS = frozenset(["gt", "ge", "lt", "le", "eq", "ne", "not_", "logical_not", "logical_and", "logical_or", "and_",
                    "or_"])
_OUTCOMES = {"gt": "above", "ge": "above", "lt": "below", "le": "below"}
_WITH_LITERAL = {("mul", 2): "twice_{}", ("mul", 0.5): "half_{}", ("div", 2): "half_{}", ("mul", -1): "neg_{}",
                 ("pow", 2): "{}_sq", ("pow", 3): "{}_cubed", ("pow", 0.5): "sqrt_{}", ("pow", -1): "inv_{}",
                 ("add", 1): "{}_plus_one", ("sub", 1): "{}_minus_one", ("gt", 0): "{}_positive",
                 ("lt", 0): "{}_negative", ("eq", 0): "{}_is_zero", ("ne", 0): "{}_nonzero"}
_WITH_FIRST_LITERAL = {("mul", 2): "twice_{}", ("mul", 0.5): "half_{}", ("mul", -1): "neg_{}", ("div", 1): "inv_{}",
                       ("add", 1): "one_plus_{}", ("sub", 1): "one_minus_{}"}
_ANY_FIRST_LITERAL = {"mul": "scaled_{}", "add": "shifted_{}", "div": "over_{}"}
_ANY_LITERAL = {"mul": "scaled_{}", "div": "scaled_{}", "add": "shifted_{}", "sub": "shifted_{}", "pow": "{}_power",
                "gt": "{}_above", "ge": "{}_above", "lt": "{}_below", "le": "{}_below", "eq": "{}_mask",
                "ne": "{}_mask"}
_POSITIONS = {0: "first", 1: "second", 2: "third", 3: "fourth", 4: "fifth", -1: "last"}
_ALL = slice(None)
_SLICES = {(Lit(1), None): "tail", (None, Lit(-1)): "head", (Lit(1), Lit(-1)): "inner"}


class Descriptions:
    """Describes the values of a block.

    name_of      the name of a value that has one: the user's, or one derived from that
    pushed_as    for a value that is read from a list: the operand that was appended
    definitions  the expression of each value that has one
    readers      the statements that read a value
    assignments  the first statement that assigns a value
    order        the position of a value among those that are assigned
    pushed       the operands that are appended to a list
    part_names   the results of `as_part`
    """

    def __init__(self, block: Block, inlined: Inlined, pushed_as: Mapping[Value, Operand],
                 name_of: Callable[[Value], str | None]) -> None:
        self.name_of, self.pushed_as, self.inlined = name_of, pushed_as, inlined
        self.part_names: dict[Value, str | None] = {}
        self.definitions: dict[Value, Evaluate | Select] = {}
        self.readers: dict[Value, list[Statement]] = {}
        self.assignments: dict[Value, Statement] = {}
        self.order: dict[Value, int] = {}
        self.pushed: dict[Value, tuple[Operand, ...]] = {}
        for s in (*statements(block), *inlined.values()):
            if isinstance(s, (Evaluate, Select)) and len(s.targets) == 1:
                self.definitions.setdefault(s.targets[0], s)
            for v in s.targets:
                self.assignments.setdefault(v, s)
                self.order.setdefault(v, len(self.order))
            if isinstance(s, Push):
                self.pushed.setdefault(s.tape, s.items)
            for x in s.reads:
                if isinstance(x, Value):
                    self.readers.setdefault(x, []).append(s)

    def name(self, values: Sequence[Value]) -> str | None:
        """A name for the variable of these values, which have none: updates in place keep the name.

        What branches or iterations assign has the name of its expression only if it is the same in all.
        """
        values = sorted(values, key=lambda v: self.order.get(v, -1))
        joined = [v for v in values if isinstance(self.assignments.get(v), Assign)]
        values = [y for v in values if isinstance(y := self.pushed_as.get(v, v), Value) and y in self.definitions]
        if joined and len({self.described(v, _MAX_DEPTH) for v in values}) != 1:
            return self.as_part(joined[-1])
        names = (name for length in (_MAX_LENGTH, _MAX_LENGTH + 6) for v in values for name in
                 (self.described(v, _MAX_DEPTH, length), self.as_part(v) if length == _MAX_LENGTH else None))
        return next(filter(None, names), None) or next(filter(None, map(self.as_comparison, values)), None)

    def as_comparison(self, v: Value) -> str | None:
        """The first variable that is compared, and the outcome: mid**3 - p > 0 -> mid_is_above"""
        s = self.definitions.get(v)
        word = _OUTCOMES.get(s.eqn.op.name) if isinstance(s, Evaluate) else None
        while word is not None and s is not None and s.operands:
            x = s.operands[0]
            if not isinstance(x, Value):
                return None
            if (name := self.name_of(x)) is not None:
                return f"{name}_is_{word}"
            s = self.definitions.get(x)
        return None

    def alternative(self, values: Sequence[Value], base: str, is_users: bool) -> str | None:
        """Another name for a variable where `base` is taken: which of the values with this name it is.

        x = x.copy()         ->  x_copy       x = tape.pop()  ->  x_prev       y, residuals = f(x)  ->  y_residuals
        dx = f_backward(dy)  ->  dx_y         tape = []       ->  x_tape       x = x0               ->  x_now
        dx = dx + dy         ->  dx_new
        """
        s = next((self.assignments[v] for v in values if v in self.assignments), None)
        if isinstance(s, NewList):
            pushed = (self.name_of(x) for x in self.pushed.get(s.tape, ()) if isinstance(x, Value))
            return next((f"{name}_{base}" for name in pushed if name), None)
        if isinstance(s, Evaluate) and s.eqn.op.name == "call":
            return self.result_of_call(s.eqn, values, base)
        if isinstance(s, Evaluate):
            is_arithmetic = not is_users and not s.eqn.primal and s.eqn.op.name in _BETWEEN
            word = "copy" if s.eqn.op.name == "copy" else "new" if is_arithmetic else None
        else:
            word = {Pop: "prev", ReadAt: "prev", Assign: "now"}.get(type(s))
        return None if word is None or values[0].type == BOOL else f"{base}_{word}"

    def result_of_call(self, eqn: Eqn, values: Sequence[Value], base: str) -> str | None:
        """The name of a result: of residuals after another result, of a cotangent after that of the callee's result."""
        if isinstance(values[0].type, Residuals):
            return next((f"{name}_{base}" for v in eqn.outs if v not in values and (name := self.name_of(v))), None)
        names = [self.name_of(x) for x in eqn.args if isinstance(x, Value)]
        return next((f"{base}_{name[1:]}" for name in names if name and name[0] == base[0] == "d" and name[1:]), None)

    # -- what a value is ----------------------------------------------------------------------

    def described(self, x: Operand | None, depth: int, max_length: int = _MAX_LENGTH) -> str | None:
        """A description of `x` that is not longer than `max_length`."""
        if not isinstance(x, Value):
            return None
        pushed = self.pushed_as.get(x)
        x = pushed if isinstance(pushed, Value) else x
        name = self.name_of(x)
        if name is not None:
            return name
        s = self.definitions.get(x)
        if not isinstance(s, Evaluate) or not depth:
            return None
        text = self.expression(s.eqn, depth - 1, _function(s))
        if text is None and _is_int(x) and x not in self.inlined:
            text = self.as_part(x)
        return text if text is not None and len(text) <= max_length and text.isidentifier() else None

    def expression(self, eqn: Eqn, depth: int, function: str | None) -> str | None:
        """A description of what an equation computes; `function` is the one that it calls, if it does."""
        name, args = eqn.op.name, eqn.args
        if name == "index":
            return self.element(eqn, depth)
        if name == "item_of" and isinstance(args[1], Lit):
            key = args[1].value
            return key if isinstance(key, str) else self.form(f"{{}}_{key}", args[0], depth)
        if name == "zeros_of":
            return self.form("d{}", args[0], depth)
        if (logit := self.logit(eqn)) is not None:
            return self.form("sigmoid_{}", logit, depth + 1)
        if name == "transpose":
            return self.form("{}_T", args[0], depth)
        if name == "dim" and not eqn.attrs.get("axis"):
            return self.form("len_{}", args[0], depth)
        if name in ("neg", "not_", "logical_not"):
            return self.form("neg_{}" if name == "neg" else "not_{}", args[0], depth)
        if (word := _compared_word(eqn)) is not None:
            return self.form(f"{{}}_is_{word}", args[0], depth)
        if match := re.fullmatch(r"_(\d) (not )?in _(\d)", str(eqn.attrs.get("text", ""))):
            item, container = (self.described(args[int(match[k])], depth) for k in (1, 3))
            return item and container and f"{item}_{'not_in' if match[2] else 'in'}_{container}"
        if name in _BETWEEN and len(args) == 2:
            return self.operator("dot" if name == "matmul" and is_number(eqn.out) else name, *args, depth)
        if function is None:
            return None
        if name == "where":
            return self.form("masked_{}", args[1], depth) if isinstance(args[2], Lit) else None
        operands = [x for x in args if isinstance(x, Value) and not _is_size(x)]
        return self.form(f"{function}_{{}}", operands[0], depth) if operands else None

    def logit(self, eqn: Eqn) -> Operand | None:
        """The `z` of 1.0 / (1.0 + exp(-z))."""
        chain = [("div", 0, 1), ("add", 0, 1), ("exp", None, 0), ("neg", None, 0)]
        x: Operand = eqn.outs[0]
        for name, one, k in chain:
            s = self.definitions.get(x) if isinstance(x, Value) else None
            if not isinstance(s, Evaluate) or s.eqn.op.name != name:
                return None
            if one is not None and s.eqn.args[one] not in (Lit(1), Lit(1.0)):
                return None
            x = s.eqn.args[k]
        return x

    def operator(self, name: str, a: Operand, b: Operand, depth: int) -> str | None:
        """An operator between two operands: a - 1.0 -> a_minus_one, a * b -> a_times_b"""
        if isinstance(b, Lit) and b == Lit(1) and name in ("add", "sub") and isinstance(a, Value) and _is_int(a):
            return self.form("{}_next" if name == "add" else "{}_prev", a, depth)
        if isinstance(b, Lit):
            return self.form(_WITH_LITERAL.get((name, b.value)) or _ANY_LITERAL.get(name), a, depth)
        if isinstance(a, Lit):
            return self.form(_WITH_FIRST_LITERAL.get((name, a.value)) or _ANY_FIRST_LITERAL.get(name), b, depth)
        if a is b and name == "mul":
            return self.form("{}_sq", a, depth)
        first, second = self.described(a, depth), self.described(b, depth)
        if first is None or second is None:
            return None
        return "_".join(filter(None, (first, _BETWEEN[name], second)))

    def element(self, eqn: Eqn, depth: int) -> str | None:
        """A part of an array or list: x[i] -> x_i, x[0] -> x_first, x[i - 1] -> x_prev, x[1:] -> x_part"""
        x, *operands = eqn.args
        items = [item for item in split(eqn.attrs["key"], operands) if item not in (None, Ellipsis, _ALL)]
        words = [self.position(item, depth) for item in items]
        return self.form("_".join(["{}", *map(str, words)]) if words and None not in words else "{}_part", x, depth)

    def position(self, item: object, depth: int) -> str | None:
        """A word for an index or a slice."""
        if isinstance(item, slice):
            if item.step is None and (item.start, item.stop) in _SLICES:
                return _SLICES[item.start, item.stop]
            bound = self.described(item.stop if item.start is None else item.start, depth)
            return bound and f"{'upto' if item.start is None else 'from'}_{bound}"
        if isinstance(item, Lit):
            return _POSITIONS.get(item.value)
        s = self.definitions.get(item) if isinstance(item, Value) else None
        if isinstance(s, Evaluate) and s.eqn.op.name in ("add", "sub") and s.eqn.args[1] == Lit(1):
            return "next" if s.eqn.op.name == "add" else "prev"
        return self.described(item, depth) if isinstance(item, Value) else None

    def form(self, form: str | None, x: Operand, depth: int) -> str | None:
        text = self.described(x, depth)
        return None if text is None or form is None else form.format(text)

    # -- what a value is a part of ------------------------------------------------------------

    def as_part(self, v: Value) -> str | None:
        """The name of the variable whose statement `v` is a part of, and what `v` is there."""
        if v not in self.part_names:
            self.part_names[v] = None
            names = (f"{target}_{self.role(v)}" for target in self.named_readers(v))
            self.part_names[v] = self.as_position(v) or next(names, None)
        return self.part_names[v]

    def as_position(self, v: Value) -> str | None:
        """The name of an array that is indexed by `v`, or cut at it, and what `v` is there."""
        eqns = (s.eqn for s in self.readers.get(v, []) if isinstance(s, Evaluate) and _is_int(v))
        roles = ((eqn.args[0], role) for eqn in eqns if (role := _role_of_position(eqn, v)) is not None)
        return next((f"{name}_{role}" for x, role in roles if (name := self.described(x, 1)) is not None), None)

    def role(self, v: Value) -> str:
        """The quantity that `v` is, or what its readers use it for."""
        s = self.definitions.get(v)
        if isinstance(s, Select):
            return "choice"
        primal = s is not None and s.eqn.primal
        if s is not None and s.eqn.op.name in _MASKS:
            return "mask"
        if s is not None and primal and (function := _function(s)) is not None:
            return function
        readers = [t for t in self.readers.get(v, []) if isinstance(t, Evaluate) and t.eqn.primal == primal]
        if v.type == INT and any(t.eqn.op.fill is not None and v in t.eqn.args for t in readers):
            return "size"
        if any(primal and _function(t) is not None for t in readers):
            return "arg"
        if any(t.eqn.op.name == "div" and t.eqn.args[1] is v for t in readers):
            return "den"
        uses = {_USES.get(t.eqn.op.name) for t in readers}
        return next(iter(uses)) or "part" if len(uses) == 1 else "part"

    def named_readers(self, v: Value) -> Iterator[str]:
        """The names of the values that are computed of `v`, the nearest first; of the user's arithmetic, the user's."""
        primal = v in self.definitions and _is_primal(self.definitions[v])
        work, seen = [v], {v}
        for x in work:
            if len(seen) > _MAX_VISITED:
                return
            readers = [s for s in self.readers.get(x, []) if not primal or _is_primal(s)]
            for s in readers if len(readers) <= _MAX_READERS else ():
                outs = [t for t, source in s.pairs if source is x] if isinstance(s, Assign) else s.targets
                for out in outs:
                    name = self.name_of(out)
                    if name is not None:
                        yield name
                    elif out not in seen:
                        seen.add(out)
                        work.append(out)


def _is_primal(s: Statement) -> bool:
    return not isinstance(s, (Evaluate, Update)) or s.eqn.primal


def _function(s: Evaluate) -> str | None:
    """The function that the expression of `s` calls: "exp" of `math.exp(_0)`, "sum" of `_0.sum()`."""
    if s.eqn.op.name in STATEMENTS or s.eqn.regions:
        return None
    tree = template_tree(expression(s.like))
    if not isinstance(tree, ast.Call):
        return None
    name = tree.func.attr if isinstance(tree.func, ast.Attribute) else getattr(tree.func, "id", "")
    return _FUNCTION_WORDS.get(name, name).strip("_")


def _compared_word(eqn: Eqn) -> str | None:
    """A word for None or the string with which an equation compares its operand: "off" of `mode == "off"`."""
    if eqn.op.name == "is_none":
        return "none"
    text = ""
    if eqn.op.name == "eq" and isinstance(eqn.args[1], Lit) and isinstance(eqn.args[1].value, str):
        text = eqn.args[1].value
    elif eqn.op.name == "part" and (match := re.fullmatch("_0 == '([^']*)'", eqn.attrs["text"])):
        text = match[1]
    word = text.rpartition(".")[2].lower()
    return word if word.isidentifier() and not word[-1].isdigit() else None


def _is_size(x: Value) -> bool:
    return x.dim is not None


def _role_of_position(eqn: Eqn, v: Value) -> str | None:
    """What `v` is in the subscript of the first operand: an index, or a bound of a slice; None if it is not in it."""
    first = {"index": 1, "store": 2, "add_at": 2}.get(eqn.op.name)
    if first is None:
        return "index" if v in path_of(eqn) else None
    items = split(eqn.attrs["key"], eqn.args[first:])
    bounds = {"start": [i.start for i in items if isinstance(i, slice)],
              "end": [i.stop for i in items if isinstance(i, slice)], "index": items}
    return next((role for role, operands in bounds.items() if v in operands), None)


def _is_int(x: Value) -> bool:
    return isinstance(x.type, Tensor) and x.type.integral
