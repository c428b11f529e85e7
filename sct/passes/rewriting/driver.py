"""The driver of the rewrite rules of adjoint code, by real arithmetic:  x * 1 + 0 * -y  stays;  -(-x) * 1  ->  x

A `Builder(primal=False, rewrite=rewrite)` calls `rewrite` before it builds an equation. The pass `simplify` applies the
rules to every adjoint equation again, in order, together with those of later phases. A rule looks at the equations that
define its operands. It never changes a type, nor assumes that a number is finite unless it says so (`x * 0` stays).
Primal code is not touched.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, cast

from sct.ir.build import Builder, module_of, operand
from sct.ir.check import agree, fits
from sct.ir.core import Eqn, Fn, Lit, Op, Operand, Value, builder_var, is_effect, substitute, with_own_values
from sct.ir.dims import without_classes
from sct.ir.real_ints import result_type
from sct.ir.types import List, Tensor, Type, TypeMismatch, holds_array, map_sizes
from sct.ops.arrays.creation import to_f32
from sct.passes.rewriting import (
    arithmetic_rules,
    cast_rules,
    element_rules,
    factoring,
    integer_ranges,
    linalg_rules,
    mask_rules,
    shape_rules,
    update_chains,
)
from sct.passes.rewriting.literals import fold_constant
from sct.passes.rewriting.table import RULES, Phase, Rule, Site, names_defining

__all__ = ["BY_OP", "applicable", "rewrite", "simplify"]

FILES = (arithmetic_rules, shape_rules, element_rules, cast_rules, factoring, linalg_rules, update_chains, mask_rules,
         integer_ranges)
"""The files of rules, in the order in which rules for the same op are tried."""


def _by_op() -> dict[tuple[Phase, str], list[Rule]]:
    entries = sorted(RULES, key=lambda entry: [f.__name__ for f in FILES].index(entry.apply.__module__))
    table: dict[tuple[Phase, str], list[Rule]] = {}
    for entry in entries:
        for op in entry.ops:
            table.setdefault((entry.phase, op), []).append(entry)
    return table


BY_OP = _by_op()


def applicable(phase: Phase, op: str, args: Sequence[Operand]) -> Sequence[Callable[..., Any]]:
    """The rules of a phase that may say something of an equation, in order."""
    rules = BY_OP.get((phase, op))
    if rules is None:
        return ()
    names = names_defining(args)
    return [entry.apply for entry in rules if not entry.of or not entry.of.isdisjoint(names)]


def rewrite(op: Op, args: Sequence[Operand], attrs: Mapping[str, Any], spelling: str | None) -> Operand | None:
    """The operand to use instead of a new equation `op(*args, **attrs)`, or None."""
    for apply in applicable("build", op.name, args):
        result = apply(*args, **attrs)
        if result is not None:
            replacement = operand(result)
            if _same_type(replacement.type, _result_type(op, args, attrs, spelling)):
                return replacement
    value = fold_constant(op, args)
    if value is not None and _same_type(operand(value).type, _result_type(op, args, attrs, spelling)):
        return operand(value)
    return _in_single_precision(op, args, attrs, spelling)


def _in_single_precision(op: Op, args: Sequence[Operand], attrs: Mapping[str, Any], spelling: str | None
                         ) -> Operand | None:
    """The equation with the scalars of unknown precision cast to f32, if its arrays are f32.

    The result is part of a derivative of single precision arrays, so it must not become double."""
    if not any([isinstance(x.type, Tensor) and x.type.carrier == "any" for x in args]):
        return None
    types = [x.type for x in args if isinstance(x.type, Tensor)]
    unknown = [t.carrier == "any" and t.kind == "f" for t in types]
    if not any(unknown) or len(types) < len(args) or {t.dtype for t in types if t.is_array} != {"f32"} \
            or _result_type(op, args, attrs, spelling) is not None:
        return None
    singles = [to_f32(x) if is_any else x for x, is_any in zip(args, unknown)]
    return cast(Operand, cast(Builder, builder_var.get()).emit(op, singles, attrs, spelling=spelling))


def _result_type(op: Op, args: Sequence[Operand], attrs: Mapping[str, Any], spelling: str | None) -> Type | None:
    try:
        result = result_type(op, args, attrs, spelling)
    except TypeMismatch:
        return None
    return None if isinstance(result, tuple) else result


def _same_type(t: Type, expected: Type | None) -> bool:
    """Are the types equal, or is `t` a narrower type of float scalars?  Sizes that differ from item to item of a list
    may have other names."""
    if t == expected:
        return True
    if isinstance(t, List) and isinstance(expected, List):
        return _same_type(*(map_sizes(without_classes, each.elem) for each in (t, expected)))
    return (isinstance(t, Tensor) and isinstance(expected, Tensor) and t.is_scalar
            and t.kind == expected.kind and t.kind in "fc" and fits(t, expected))


def simplify(fn: Fn, *, for_printing: bool = False) -> Fn:
    """`fn` with the rules applied to every adjoint equation.

    for_printing  apply also the rules that choose the form to be printed, which other rules do not match
    """
    pass_ = _Simplify(fn, ("present", "simplify") if for_printing else ("simplify",))
    builder = Builder(primal=False, rewrite=rewrite)
    builder.learn(fn)
    fn = pass_.region(fn, builder)
    return with_own_values(fn, pass_.site.hints) if pass_.site.hints else fn


class _Simplify:
    """
    env  for a value that is replaced: its replacement
    """

    def __init__(self, fn: Fn, phases: Sequence[Phase]) -> None:
        self.phases = phases
        self.site = Site(fn)
        self.env: dict[Value, Operand] = {}

    def region(self, fn: Fn, b: Builder) -> Fn:
        with b:
            for eqn in fn.eqns:
                self.eqn(eqn, b)
        return fn.replace(eqns=tuple(b.eqns), results=substitute(fn.results, self.env))

    def eqn(self, eqn: Eqn, b: Builder) -> None:
        current = eqn.replace(args=substitute(eqn.args, self.env))
        if eqn.op.name == "cond" and not eqn.primal and isinstance(current.args[0], Lit):
            branch = eqn.regions[0 if current.args[0].value else 1]
            for inner in branch.eqns:
                self.eqn(inner, b)
            self.env.update(zip(eqn.outs, substitute(branch.results, self.env)))
            return
        if eqn.regions:
            with integer_ranges.inside_loop(self.site, current):
                b.add(current.replace(regions=tuple(self.region(r, b.nested()) for r in eqn.regions)))
            return
        if eqn.primal or is_effect(eqn) or len(eqn.outs) != 1 or eqn.inplace is not None:
            b.add(current)
            return
        b.loc, b.module = eqn.loc, module_of(eqn.spelling)
        start = len(b.eqns)
        replacement = self.replacement(current)
        if replacement is None:
            b.add(eqn if current is eqn else self.typed(current))
            return
        self.env[eqn.out] = replacement
        if len(b.eqns) == start and (isinstance(replacement, Lit) or self.site.uses[replacement]):
            # Nothing new takes the place of the equation, not even in a branch, so its operands are read once less.
            self.site.uses.subtract(x for x in current.args if isinstance(x, Value))
        if isinstance(replacement, Value):
            self.site.uses[replacement] += self.site.uses[eqn.out]
            if any(replacement in e.outs for e in b.eqns[start:]):
                replacement.hint = replacement.hint or eqn.out.hint
                if isinstance(t := eqn.out.type, List) and holds_array(t.elem):
                    replacement.type = t  # which may say more of the sizes of items

    def replacement(self, eqn: Eqn) -> Operand | None:
        """The operand that a rule puts in place of the out of the equation."""
        replacement = rewrite(eqn.op, eqn.args, eqn.attrs, eqn.spelling)
        if replacement is not None:
            return replacement
        self.site.eqn = eqn
        for phase in self.phases:
            for apply in applicable(phase, eqn.op.name, eqn.args):
                result = apply(self.site, *eqn.args, **eqn.attrs)
                if result is not None and _same_type(result.type, eqn.out.type):
                    return cast(Operand, result)
        return None

    def typed(self, eqn: Eqn) -> Eqn:
        """The equation with the type of its out inferred from its operands, whose types may be narrower now."""
        t = _result_type(eqn.op, eqn.args, eqn.attrs, eqn.spelling)
        if t is None or agree(eqn.out.type, t):
            return eqn
        self.env[eqn.out] = out = Value(t, eqn.out.hint, eqn.out.dim)
        self.site.uses[out] = self.site.uses[eqn.out]
        return eqn.replace(outs=(out,))
