"""Rewriting of adjoint code by the rules of real arithmetic:  x * 1 + 0 * -y  stays;  -(-x) * 1  ->  x

`rewrite` is what a `Builder(primal=False, rewrite=rewrite)` asks before it makes an
equation; the pass `simplify` asks again for every adjoint equation, in order, when
more is known.  A rule looks at the equations that made its operands, never changes a
type, and never assumes that a number is finite (`x * 0` stays).  Primal code is not
touched.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, cast

from sct.ir.build import Builder, module_of, operand
from sct.ir.check import agree, fits
from sct.ir.core import Eqn, Fn, Lit, Op, Operand, Value, builder_var, is_effect, substitute, with_own_values
from sct.ir.real_ints import result_type
from sct.ir.types import Dim, List, Tensor, Type, TypeMismatch
from sct.ops.arrays.creation import full_like, ones, to_f32, zeros, zeros_of
from sct.ops.arrays.indexing import add_at, index, store
from sct.ops.arrays.shape import dim, size
from sct.ops.reductions.reductions import expand_like
from sct.passes.rewriting import list_rules as list_rules
from sct.passes.rewriting import unit_axis_rules as unit_axis_rules
from sct.passes.rewriting.arithmetic_rules import RULES, folded
from sct.passes.rewriting.cast_rules import ints
from sct.passes.rewriting.factoring import collect, negation, product
from sct.passes.rewriting.fused_ops import dotted, logistic
from sct.passes.rewriting.linalg_rules import turned
from sct.passes.rewriting.mask_rules import cleared, complementary, masked, nested, unsigned
from sct.passes.rewriting.scatter_updates import into_arm, is_element, read_back, through_view, without_zeroing

__all__ = ["rewrite", "simplify"]


def rewrite(op: Op, args: Sequence[Operand], attrs: Mapping[str, Any], spelling: str | None) -> Operand | None:
    """What to use instead of a new equation `op(*args, **attrs)`, or None."""
    for made in _candidates(op, args, attrs):
        if made is not None:
            made = operand(made)
            if _same_type(made.type, _type(op, args, attrs, spelling)):
                return made
    return _single(op, args, attrs, spelling)


def _single(op: Op, args: Sequence[Operand], attrs: Mapping[str, Any], spelling: str | None) -> Operand | None:
    """The equation with scalars that may be double made single, where its arrays are: what is
    computed of them is a derivative of arrays of single precision."""
    types = [x.type for x in args if isinstance(x.type, Tensor)]
    unsure = [t.carrier == "any" and t.kind == "f" for t in types]
    if not any(unsure) or len(types) < len(args) or {t.dtype for t in types if t.is_array} != {"f32"} \
            or _type(op, args, attrs, spelling) is not None:
        return None
    singles = [to_f32(x) if is_any else x for x, is_any in zip(args, unsure)]
    return cast(Operand, cast(Builder, builder_var.get()).emit(op, singles, attrs, spelling=spelling))


def _candidates(op: Op, args: Sequence[Operand], attrs: Mapping[str, Any]) -> Iterator[Any]:
    yield folded(op, args)
    for rule in RULES.get(op.name, ()):
        yield rule(*args, **attrs)


def _type(op: Op, args: Sequence[Operand], attrs: Mapping[str, Any], spelling: str | None) -> Type | None:
    try:
        made = result_type(op, args, attrs, spelling)
    except TypeMismatch:
        return None
    return None if isinstance(made, tuple) else made


def _same_type(new: Type, old: Type | None) -> bool:
    """Equal, or both scalars that are floats, the new one known better."""
    if new == old:
        return True
    if isinstance(new, List) and isinstance(old, List):
        return _same_type(new.elem, old.elem)
    return (isinstance(new, Tensor) and isinstance(old, Tensor) and new.is_scalar
            and new.kind == old.kind == "f" and fits(new, old))


def simplify(fn: Fn, *, last: bool = False) -> Fn:
    """`fn` with every adjoint equation asked again; the `last` time, as it is to be read."""
    pass_ = _Simplify(fn, last)
    made = pass_.region(fn, Builder(primal=False, rewrite=rewrite))
    return with_own_values(made, pass_.hints) if pass_.hints else made


class _Simplify:
    """
    hints  of values that have none, those of what is a selection of them
    """

    def __init__(self, fn: Fn, last: bool) -> None:
        self.last = last
        self.env: dict[Value, Operand] = {}
        self.uses: Counter[Value] = Counter()
        self.hints: dict[Value, str] = {}
        self.reads: set[tuple[Operand, ...]] = set()
        self.sizes: dict[Dim, tuple[Value, int]] = {}
        self.shaped: dict[tuple[Dim, ...], Value] = {}
        self.params = frozenset(fn.params)
        self.count(fn)
        for p in fn.params:
            if isinstance(p.type, Tensor):
                self.shaped.setdefault(p.type.shape, p)
            for k, d in enumerate(p.type.shape if isinstance(p.type, Tensor) else ()):
                self.sizes.setdefault(d, (p, k))

    def count(self, fn: Fn) -> None:
        for eqn in fn.eqns:
            self.uses.update(a for a in eqn.args if isinstance(a, Value))
            if eqn.op is index and is_element(eqn.attrs["key"]):
                self.reads.add(eqn.args)
            for region in eqn.regions:
                self.count(region)
        self.uses.update(r for r in fn.results if isinstance(r, Value))

    def region(self, fn: Fn, b: Builder) -> Fn:
        with b:
            for eqn in fn.eqns:
                self.eqn(eqn, b)
        return Fn(fn.name, fn.params, tuple(b.eqns), substitute(fn.results, self.env))

    def product(self, eqn: Eqn, args: Sequence[Operand], uses: Mapping[Value, int]) -> Operand | None:
        return product(eqn, args, uses, last=self.last)

    def element(self, eqn: Eqn, args: Sequence[Operand], uses: Mapping[Value, int]) -> Operand | None:
        """An element that is updated and read afterwards."""
        again = eqn.op is add_at and is_element(eqn.attrs["key"]) and (eqn.out, *eqn.args[2:]) in self.reads
        return read_back(eqn, args) if again else None

    def size(self, eqn: Eqn, args: Sequence[Operand], uses: Mapping[Value, int]) -> Operand | None:
        """A size is asked of an argument, where that has it, so that nothing is kept for its shape."""
        if eqn.op is expand_like and self.last and (like := ints(args[1])) is not None and cast(
                Tensor, args[0].type).is_scalar:
            return cast(Operand, full_like(like, args[0], dtype="f64"))
        if eqn.op is expand_like and uses.get(cast(Value, args[1])) == 1:
            if self.last and args[0] in (Lit(1), Lit(1.0)) and (sizes := self.sizes_of(args[1])) is not None:
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
        """Zeros of the shape of x, which nothing else needs, of the type t."""
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
        """The argument that a loop, of which nothing else is needed, carries to its end as x, in one shape."""
        made = cast(Builder, builder_var.get()).defs.get(cast(Value, x))
        if made is None or made.op.name != "loop" or x not in made.outs[:made.attrs["carries"]] \
                or sum(self.uses[out] for out in made.outs) > 1:
            return None
        start = made.args[3 * made.attrs["counted"] + made.outs.index(cast(Value, x))]
        fixed = isinstance(x.type, Tensor) and all(d.value is not None or d in self.sizes for d in x.type.shape)
        return cast(Value, start) if fixed and start.type == x.type and start in self.params else None

    def sizes_of(self, x: Operand) -> list[Operand] | None:
        """The shape of x, an array that is computed, as operands, where arguments tell it."""
        t = x.type
        made = cast(Builder, builder_var.get()).defs.get(cast(Value, x))
        if not isinstance(t, Tensor) or not t.is_array or made is None or made.regions or made.op in (store, add_at):
            return None
        if any(d.value is None and d not in self.sizes for d in t.shape):
            return None
        return [Lit(d.value) if d.value is not None else cast(Operand, dim(self.sizes[d][0], axis=self.sizes[d][1]))
                for d in t.shape]

    def typed(self, eqn: Eqn) -> Eqn:
        """The equation with its out of the type that its operands, now known better, give it."""
        t = _type(eqn.op, eqn.args, eqn.attrs, eqn.spelling)
        if t is None or agree(eqn.out.type, t):
            return eqn
        self.env[eqn.out] = out = Value(t, eqn.out.hint, eqn.out.dim)
        self.uses[out] = self.uses[eqn.out]
        return eqn.replace(outs=(out,))

    def eqn(self, eqn: Eqn, b: Builder) -> None:
        args = substitute(eqn.args, self.env)
        if eqn.primal or eqn.regions or is_effect(eqn) or len(eqn.outs) != 1 or eqn.inplace is not None:
            regions = tuple(self.region(r, b.nested()) for r in eqn.regions)
            b.add(eqn.replace(args=args, regions=regions) if regions or args != eqn.args else eqn)
            return
        b.loc, b.module = eqn.loc, module_of(eqn.spelling)
        start = len(b.eqns)
        made, by = rewrite(eqn.op, args, eqn.attrs, eqn.spelling), None
        for more in (negation, collect, self.product, dotted, logistic, turned, through_view, without_zeroing, into_arm,
                     self.element, self.size, nested, complementary, unsigned,
                     *((masked, cleared) if self.last else ())):
            if made is None and (found := more(eqn, args, self.uses)) is not None \
                    and _same_type(found.type, eqn.out.type):
                made, by = found, more
        if made is None:
            b.add(eqn if args == eqn.args else self.typed(eqn.replace(args=args)))
            return
        self.env[eqn.out] = made
        if isinstance(made, Value):
            self.uses[made] += self.uses[eqn.out]
            if made.hint is None and any(made in e.outs for e in b.eqns[start:]):
                made.hint = eqn.out.hint
            elif made.hint is None and by is masked and eqn.out.hint is not None:
                self.hints.setdefault(made, eqn.out.hint)
