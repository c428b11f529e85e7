"""Rewriting of adjoint code by the rules of real arithmetic:  x * 1 + 0 * -y  stays;  -(-x) * 1  ->  x

A `Builder(primal=False, rewrite=rewrite)` calls `rewrite` before it builds an equation. The pass `simplify` applies the
rules to every adjoint equation again, in order, together with those that count uses. A rule looks at the equations that
define its operands. It never changes a type, nor assumes that a number is finite unless it says so (`x * 0` stays).
Primal code is not touched.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, cast

from sct.ir.build import Builder, module_of, operand
from sct.ir.check import agree, fits
from sct.ir.core import Eqn, Fn, Lit, Op, Operand, Value, builder_var, is_effect, substitute, walk, with_own_values
from sct.ir.loop_view import loop_view
from sct.ir.real_ints import result_type
from sct.ir.types import Dim, List, Tensor, Type, TypeMismatch
from sct.ir.uses import use_counts
from sct.ops.arrays.creation import full_like, ones, to_f32, zeros, zeros_of
from sct.ops.arrays.indexing import add_at, index, store
from sct.ops.arrays.shape import dim, size
from sct.ops.reductions.reductions import expand_like
from sct.passes.rewriting import list_rules as list_rules
from sct.passes.rewriting import unit_axis_rules as unit_axis_rules
from sct.passes.rewriting.arithmetic_rules import RULES, defining_eqn
from sct.passes.rewriting.cast_rules import uncast_ints
from sct.passes.rewriting.constant_folding import fold_constant
from sct.passes.rewriting.factoring import collect_terms, negate_difference, reorder_product
from sct.passes.rewriting.fused_ops import dot_product, logistic
from sct.passes.rewriting.integer_ranges import IntegerRanges
from sct.passes.rewriting.linalg_rules import transpose_product
from sct.passes.rewriting.mask_rules import (
    clear_masked,
    complementary_masks,
    negated_selection,
    nested_masks,
    redundant_mask,
)
from sct.passes.rewriting.scatter_updates import (
    add_in_branch,
    add_then_read,
    add_through_view,
    is_element,
    without_zeroing,
)

__all__ = ["rewrite", "simplify"]


def rewrite(op: Op, args: Sequence[Operand], attrs: Mapping[str, Any], spelling: str | None) -> Operand | None:
    """The operand to use instead of a new equation `op(*args, **attrs)`, or None."""
    for candidate in _candidates(op, args, attrs):
        if candidate is not None:
            replacement = operand(candidate)
            if _same_type(replacement.type, _result_type(op, args, attrs, spelling)):
                return replacement
    return _in_single_precision(op, args, attrs, spelling)


def _in_single_precision(op: Op, args: Sequence[Operand], attrs: Mapping[str, Any], spelling: str | None
                         ) -> Operand | None:
    """The equation with the scalars of unknown precision cast to f32, if its arrays are f32.

    The result is part of a derivative of single precision arrays, so it must not become double."""
    types = [x.type for x in args if isinstance(x.type, Tensor)]
    unknown = [t.carrier == "any" and t.kind == "f" for t in types]
    if not any(unknown) or len(types) < len(args) or {t.dtype for t in types if t.is_array} != {"f32"} \
            or _result_type(op, args, attrs, spelling) is not None:
        return None
    singles = [to_f32(x) if is_any else x for x, is_any in zip(args, unknown)]
    return cast(Operand, cast(Builder, builder_var.get()).emit(op, singles, attrs, spelling=spelling))


def _candidates(op: Op, args: Sequence[Operand], attrs: Mapping[str, Any]) -> Iterator[Any]:
    for rule in RULES.get(op.name, ()):
        yield rule(*args, **attrs)
    yield fold_constant(op, args)


def _result_type(op: Op, args: Sequence[Operand], attrs: Mapping[str, Any], spelling: str | None) -> Type | None:
    try:
        result = result_type(op, args, attrs, spelling)
    except TypeMismatch:
        return None
    return None if isinstance(result, tuple) else result


def _same_type(t: Type, expected: Type | None) -> bool:
    """Are the types equal, or is `t` a narrower type of float scalars?"""
    if t == expected:
        return True
    if isinstance(t, List) and isinstance(expected, List):
        return _same_type(t.elem, expected.elem)
    return (isinstance(t, Tensor) and isinstance(expected, Tensor) and t.is_scalar
            and t.kind == expected.kind == "f" and fits(t, expected))


def simplify(fn: Fn, *, for_printing: bool = False) -> Fn:
    """`fn` with the rules applied to every adjoint equation.

    for_printing  apply also the rules that choose the form to be printed, which other rules do not match
    """
    pass_ = _Simplify(fn, for_printing)
    fn = pass_.region(fn, Builder(primal=False, rewrite=rewrite))
    return with_own_values(fn, pass_.hints) if pass_.hints else fn


class _Simplify:
    """
    env     for a value that is replaced: its replacement
    uses    for a value: how often it is read
    hints   for a value without a hint: the hint of a selection that it replaces
    reads   the operands of reads of single elements
    sizes   for a size: a param that has it, and the axis
    shaped  for a shape: a param that has it
    ranges  the ranges of the loop indices
    """

    def __init__(self, fn: Fn, for_printing: bool) -> None:
        self.for_printing = for_printing
        self.env: dict[Value, Operand] = {}
        self.uses = use_counts(fn)
        self.ranges = IntegerRanges()
        self.hints: dict[Value, str] = {}
        self.reads = {eqn.args for eqn in walk(fn) if eqn.op is index and is_element(eqn.attrs["key"])}
        self.sizes: dict[Dim, tuple[Value, int]] = {}
        self.shaped: dict[tuple[Dim, ...], Value] = {}
        self.params = frozenset(fn.params)
        for p in fn.params:
            if isinstance(p.type, Tensor):
                self.shaped.setdefault(p.type.shape, p)
            for k, d in enumerate(p.type.shape if isinstance(p.type, Tensor) else ()):
                self.sizes.setdefault(d, (p, k))

    def region(self, fn: Fn, b: Builder) -> Fn:
        with b:
            for eqn in fn.eqns:
                self.eqn(eqn, b)
        return Fn(fn.name, fn.params, tuple(b.eqns), substitute(fn.results, self.env))

    def product(self, eqn: Eqn, args: Sequence[Operand], uses: Mapping[Value, int]) -> Operand | None:
        return reorder_product(eqn, args, uses, for_printing=self.for_printing)

    def element(self, eqn: Eqn, args: Sequence[Operand], uses: Mapping[Value, int]) -> Operand | None:
        """Apply `add_then_read` where an element is updated and read afterwards."""
        is_read = eqn.op is add_at and is_element(eqn.attrs["key"]) and (eqn.out, *eqn.args[2:]) in self.reads
        return add_then_read(eqn, args) if is_read else None

    def integer(self, eqn: Eqn, args: Sequence[Operand], uses: Mapping[Value, int]) -> Operand | None:
        return self.ranges.decide(eqn, args)

    def size(self, eqn: Eqn, args: Sequence[Operand], uses: Mapping[Value, int]) -> Operand | None:
        """Take a size or shape from a param that has it, so that no value is saved for its shape."""
        if eqn.op is expand_like and self.for_printing and (like := uncast_ints(args[1])) is not None and cast(
                Tensor, args[0].type).is_scalar:
            return cast(Operand, full_like(like, args[0], dtype="f64"))
        if eqn.op is expand_like and uses.get(cast(Value, args[1])) == 1:
            if self.for_printing and args[0] in (Lit(1), Lit(1.0)) and (sizes := self.sizes_of(args[1])) is not None:
                return cast(Operand, ones(*sizes, dtype=cast(Tensor, args[1].type).dtype))
            x = self.shaped.get(cast(Tensor, args[1].type).shape, args[1])
            same = x is not args[1] and x.type == args[1].type
            return cast(Operand, expand_like(args[0], x, **eqn.attrs)) if same else None
        if eqn.op is zeros_of and uses.get(cast(Value, args[0])) == 1:
            return self.zeros_like(args[0], eqn.out.type)
        if eqn.op not in (dim, size) or not isinstance(args[0].type, Tensor):
            return None
        if eqn.op is size:
            x = self.shaped.get(args[0].type.shape, args[0])
            return cast(Operand, size(x)) if x is not args[0] else None
        x, k = self.sizes.get(args[0].type.shape[eqn.attrs["axis"]], (args[0], 0))
        return cast(Operand, dim(x, axis=k)) if x is not args[0] else None

    def zeros_like(self, x: Operand, t: Type) -> Operand | None:
        """Zeros of the type `t` and the shape of `x`, which nothing else reads."""
        start = self.carried_from(x)
        if start is not None and x.type == t:
            return cast(Operand, zeros_of(start))
        sizes = self.sizes_of(x)
        if sizes is None or not isinstance(t, Tensor):
            return None
        like = self.shaped.get(t.shape)
        if like is not None and like.type == t:
            return cast(Operand, zeros_of(like))
        return cast(Operand, zeros(*sizes, dtype=t.dtype))

    def carried_from(self, x: Operand) -> Value | None:
        """The param that a loop, of which only `x` is read, carries to its end as `x`, without a change of shape."""
        eqn = defining_eqn(x)
        if eqn is None or eqn.op.name != "loop" or x not in eqn.outs[:eqn.attrs["carries"]] \
                or sum(self.uses[out] for out in eqn.outs) > 1:
            return None
        start = loop_view(eqn).inits[eqn.outs.index(cast(Value, x))]
        fixed = isinstance(x.type, Tensor) and all(d.value is not None or d in self.sizes for d in x.type.shape)
        return cast(Value, start) if fixed and start.type == x.type and start in self.params else None

    def sizes_of(self, x: Operand) -> list[Operand] | None:
        """The shape of `x`, an array that an equation computes, as operands; None if params do not have all sizes."""
        t = x.type
        eqn = defining_eqn(x)
        if not isinstance(t, Tensor) or not t.is_array or eqn is None or eqn.regions or eqn.op in (store, add_at):
            return None
        if any(d.value is None and d not in self.sizes for d in t.shape):
            return None
        return [Lit(d.value) if d.value is not None else cast(Operand, dim(self.sizes[d][0], axis=self.sizes[d][1]))
                for d in t.shape]

    def typed(self, eqn: Eqn) -> Eqn:
        """The equation with the type of its out inferred from its operands, whose types may be narrower now."""
        t = _result_type(eqn.op, eqn.args, eqn.attrs, eqn.spelling)
        if t is None or agree(eqn.out.type, t):
            return eqn
        self.env[eqn.out] = out = Value(t, eqn.out.hint, eqn.out.dim)
        self.uses[out] = self.uses[eqn.out]
        return eqn.replace(outs=(out,))

    def eqn(self, eqn: Eqn, b: Builder) -> None:
        args = substitute(eqn.args, self.env)
        if eqn.primal or eqn.regions or is_effect(eqn) or len(eqn.outs) != 1 or eqn.inplace is not None:
            with self.ranges.inside(eqn, args):
                regions = tuple(self.region(r, b.nested()) for r in eqn.regions)
            b.add(eqn.replace(args=args, regions=regions) if regions or args != eqn.args else eqn)
            return
        b.loc, b.module = eqn.loc, module_of(eqn.spelling)
        start = len(b.eqns)
        replacement = rewrite(eqn.op, args, eqn.attrs, eqn.spelling)
        hides_selection = False
        for rule in (negate_difference, collect_terms, self.product, dot_product, logistic, transpose_product,
                     add_through_view, without_zeroing, add_in_branch, self.element, self.size, nested_masks,
                     complementary_masks, negated_selection, self.integer,
                     *((redundant_mask, clear_masked) if self.for_printing else ())):
            if replacement is not None:
                break
            result = rule(eqn, args, self.uses)
            if result is not None and _same_type(result.type, eqn.out.type):
                replacement, hides_selection = result, rule is redundant_mask
        if replacement is None:
            b.add(eqn if args == eqn.args else self.typed(eqn.replace(args=args)))
            return
        self.env[eqn.out] = replacement
        if isinstance(replacement, Value):
            self.uses[replacement] += self.uses[eqn.out]
            if replacement.hint is None and any(replacement in e.outs for e in b.eqns[start:]):
                replacement.hint = eqn.out.hint
            elif replacement.hint is None and hides_selection and eqn.out.hint is not None:
                self.hints.setdefault(replacement, eqn.out.hint)
