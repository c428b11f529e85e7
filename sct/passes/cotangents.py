"""Cotangents of values: their types, zeros and sums.

An absent cotangent is a symbolic zero.  The cotangent of a scalar may be any real
scalar, that of an array is an array like it (or, until it has to be stored, a scalar
that stands for an array full of it).  Where an array is optional or may be unassigned
there is nothing to make zeros like: there a zero is `None` at run time.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import cast

from sct.ir.build import Builder
from sct.ir.core import Eqn, Fn, Lit, Operand, Value, builder_var
from sct.ir.types import ANY_REAL, INT, Optional, Seq, Tensor, Type, TypeMismatch, Undef, join
from sct.ops.adjoint import cast_like, expand_like, unbroadcast, zeros_of
from sct.ops.arithmetic import add, mul
from sct.ops.comparison import is_none, unwrap
from sct.ops.control import cond
from sct.ops.elementwise import logical_not, logical_or, where
from sct.ops.shape import dim
from sct.passes.loops import emit_loop

__all__ = ["Masks", "base", "branch", "ct_type", "current", "fit", "full", "given", "hint", "join_types", "present", "zero"]


def current() -> Builder:
    """The block that is being built."""
    return cast(Builder, builder_var.get())


def base(t: Type) -> Type:
    """The type without what says that the value may be missing."""
    while isinstance(t, (Undef, Optional)):
        t = t.elem
    return t


def ct_type(t: Type) -> Type:
    """The type of a cotangent that is stored, of a value of type `t`."""
    inner = base(t)
    if isinstance(inner, Seq):
        inner = Seq(ct_type(inner.elem))
    elif isinstance(inner, Tensor) and inner.is_scalar:
        return ANY_REAL
    return inner if inner == t or not isinstance(t, (Undef, Optional)) else Optional(inner)


def hint(v: Value) -> str | None:
    return v.hint and "d" + v.hint


def zero(v: Operand) -> Operand:
    """The zero cotangent of `v`."""
    t = ct_type(v.type)
    if isinstance(t, Optional):
        return Lit(None, t)
    if isinstance(t, Seq):
        return _map(lambda x: zero(x), v)
    return Lit(0.0) if t == ANY_REAL else cast(Operand, zeros_of(v))


def full(ct: Operand | None, v: Operand) -> Operand:
    """The cotangent `ct` of `v` as it is stored: of the type `ct_type(v.type)`, or narrower."""
    if ct is None:
        return zero(v)
    t = base(v.type)
    if isinstance(t, Tensor) and t.is_array and isinstance(base(ct.type), Tensor) and not _is_array(ct):
        return cast(Operand, expand_like(ct, present(v), axis=None, keepdims=False))
    return ct


def _is_array(x: Operand) -> bool:
    t = base(x.type)
    return isinstance(t, Tensor) and t.is_array


def present(v: Operand) -> Operand:
    """`v`, known to be there."""
    return cast(Operand, unwrap(v)) if isinstance(v.type, (Undef, Optional)) else v


def given(ct: Operand, v: Value) -> Operand:
    """The cotangent `ct` of `v`, zeros where it is `None`."""
    with current().nested() as then:
        nothing = zero(v)
    with current().nested() as orelse:
        there = present(ct)
    missing = cast(Operand, is_none(ct))
    (out,) = branch(missing, then.finish("then", [], [nothing]), orelse.finish("orelse", [], [there]))
    return out


def fit(ct: Operand, x: Operand) -> Operand:
    """The cotangent `ct` with the shape and dtype of `x`."""
    t, g = x.type, ct.type
    if not isinstance(t, Tensor) or not isinstance(g, Tensor):
        return ct
    ct = unbroadcast(ct, x)
    if isinstance(ct.type, Tensor) and t.carrier in ("np", "array") and ct.type.carrier in ("np", "array") \
            and ct.type.dtype != t.dtype:
        return cast(Operand, cast_like(ct, x))
    return ct


def branch(pred: Operand, then: Fn, orelse: Fn, hints: Sequence[str | None] = ()) -> tuple[Value, ...]:
    """Add a `cond`: its outs, typed by what the two arms result in."""
    types = [join_types(a.type, b.type) for a, b in zip(then.results, orelse.results)]
    return cast("tuple[Value, ...]", current().emit(cond, (pred,), regions=(then, orelse), types=types, hints=hints))


def join_types(a: Type, b: Type) -> Type:
    """The type of a cotangent that is an `a` in one arm and a `b` in the other."""
    try:
        return join(a, b)
    except TypeMismatch:
        return ANY_REAL


def _map(f: Callable[..., Operand], *seqs: Operand) -> Operand:
    """The sequence of `f` of the elements of sequences of one length."""
    elems = [Value(cast(Seq, s.type).elem) for s in seqs]
    with current().nested() as b:
        made = f(*elems)
    body = b.finish("body", [Value(INT), *elems], [Lit(True), made])
    _, (out,) = emit_loop(current(), (Lit(0), dim(seqs[0], axis=0), Lit(1)), False, (), seqs, body)
    return out


class Masks:
    """Sums and products of cotangents that know which elements are zero because they were not
    selected: `where(c, g, 0) * p` is `where(c, g * p, 0)`, so that 0 * inf never arises."""

    def __init__(self) -> None:
        self._known: dict[Operand, tuple[Operand, Operand, bool]] = {}

    def learn(self, eqns: Sequence[Eqn]) -> None:
        """Note the masked values among the outs of new equations."""
        for eqn in eqns:
            if eqn.op is where:
                c, g, h = eqn.args
                if _is_zero(h) or _is_zero(g):
                    self._known[eqn.out] = (c, g, True) if _is_zero(h) else (c, h, False)

    def scale(self, ct: Operand, p: Operand) -> Operand:
        """ct * p"""
        return ct if p == Lit(1.0) else self.under(ct, lambda g: cast(Operand, mul(g, p)))

    def unmasked(self, ct: Operand) -> Operand:
        while ct in self._known:
            ct = self._known[ct][1]
        return ct

    def under(self, ct: Operand, f: Callable[[Operand], Operand]) -> Operand:
        """f(ct), for an `f` that works on each element, under the mask of `ct`."""
        if ct not in self._known:
            return f(ct)
        c, g, kept = self._known[ct]
        made = self.under(g, f)
        return ct if made is g else self._where(c, made, kept)

    def sum(self, a: Operand | None, b: Operand) -> Operand:
        """a + b"""
        if a is None:
            return b
        if isinstance(a.type, Optional) or isinstance(b.type, Optional):
            return self._sum_optional(a, b)
        if isinstance(a.type, Seq):
            return _map(self.sum, a, b)
        if a in self._known and b in self._known:
            (c, g, kept), (d, h, also) = self._known[a], self._known[b]
            if c is d and kept == also:
                return self._where(c, self.sum(g, h), kept)
            return self._where(_either(c, kept, d, also), cast(Operand, add(a, b)), True)
        return cast(Operand, add(a, b))

    def _where(self, c: Operand, g: Operand, kept: bool) -> Operand:
        out = cast(Operand, where(c, g, 0.0) if kept else where(c, 0.0, g))
        self._known[out] = (c, g, kept)
        return out

    def _sum_optional(self, a: Operand, b: Operand) -> Operand:
        if not isinstance(a.type, Optional):
            a, b = b, a
        with current().nested() as then:
            pass
        with current().nested() as orelse:
            total = self.sum(b, present(a))
        (out,) = branch(cast(Operand, is_none(a)), then.finish("then", [], [b]), orelse.finish("orelse", [], [total]))
        return out


def _is_zero(x: Operand) -> bool:
    return isinstance(x, Lit) and x in (Lit(0.0), Lit(0))


def _either(c: Operand, c_kept: bool, d: Operand, d_kept: bool) -> Operand:
    return cast(Operand, logical_or(c if c_kept else logical_not(c), d if d_kept else logical_not(d)))
