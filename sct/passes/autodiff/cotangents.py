"""Cotangents of values: their types, zeros and sums.

An absent cotangent is a symbolic zero.  The cotangent of a scalar may be any real
scalar, that of an array is an array like it (or, until it has to be stored, a scalar
that stands for an array full of it).  Where an array is optional or may be unassigned
there is nothing to make zeros like: there a zero is `None` at run time.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import cast

from sct.errors import SctError
from sct.ir.build import Builder
from sct.ir.core import Eqn, Fn, Lit, Operand, Value, builder_var, is_float
from sct.ir.real_ints import counts_as_real
from sct.ir.types import (
    ANY_REAL,
    ANY_SINGLE,
    NONE,
    List,
    Optional,
    Residuals,
    Seq,
    Tensor,
    Type,
    TypeMismatch,
    Undef,
    join,
)
from sct.ops.arrays.creation import as_dtype, to_f32, to_f64
from sct.ops.arrays.indexing import index
from sct.ops.derivative_helpers import expand_like, unbroadcast, zeros_of
from sct.ops.program.call_ops import call, pack, unpack
from sct.ops.program.control import cond
from sct.ops.program.list_ops import add_lists
from sct.ops.scalar.arithmetic import add, div, floordiv, mod, mul
from sct.ops.scalar.comparison import is_none, unwrap
from sct.ops.scalar.elementary import log
from sct.ops.scalar.selection import logical_not, logical_or, where
from sct.passes.autodiff.derivative_lookup import callees_var
from sct.passes.autodiff.sequence_cotangents import mapped

__all__ = ["Masks", "as_floats", "base", "branch", "choice", "ct_type", "current", "divisors", "explained", "fit",
           "full", "given", "hint", "join_types", "packed", "present", "sized", "unpacked", "zero"]


def current() -> Builder:
    """The block that is being built."""
    return cast(Builder, builder_var.get())


@contextmanager
def explained(eqn: Eqn) -> Iterator[None]:
    """Types that do not go together in the derivative of `eqn` are a refusal of `eqn`."""
    try:
        yield
    except TypeMismatch as error:
        raise SctError("SCT402", f"the derivative of `{eqn.op.name}` is not supported for these types",
                       why=str(error), hint=error.hint or "convert the operands to one dtype", loc=eqn.loc) from error


def base(t: Type) -> Type:
    """The type without what says that the value may be missing."""
    while isinstance(t, (Undef, Optional)):
        t = t.elem
    return t


def ct_type(t: Type) -> Type:
    """The type of a cotangent that is stored, of a value of type `t`."""
    inner = base(t)
    if isinstance(inner, Residuals):
        return Optional(Residuals("d" + inner.of))
    if isinstance(inner, Tensor) and inner.integral:
        inner = replace(inner, dtype="f64")
    if isinstance(inner, Seq):
        inner = type(inner)(ct_type(inner.elem))
    elif isinstance(inner, Tensor) and inner.is_scalar:
        return inner if _is_single(inner) else ANY_REAL
    return inner if inner == t or not isinstance(t, (Undef, Optional)) else Optional(inner)


def divisors(eqn: Eqn) -> Iterator[Value]:
    """The Python numbers that are not 0 where an equation of the user's has run: it would have raised."""
    out = eqn.outs[0].type if eqn.outs else None
    if eqn.primal and isinstance(out, Tensor) and out.carrier == "py" and eqn.op in (div, floordiv, mod, log):
        yield from _factors(eqn.args[0 if eqn.op is log else 1])


def _factors(x: Operand) -> Iterator[Value]:
    if isinstance(x, Value):
        yield x
        eqn = current().defs.get(x)
        for y in eqn.args if eqn is not None and eqn.op is mul else ():
            yield from _factors(y)


def hint(v: Value) -> str | None:
    return v.hint and "d" + v.hint


def zero(v: Operand) -> Operand:
    """The zero cotangent of `v`."""
    t = ct_type(v.type)
    if isinstance(t, Optional):
        return Lit(None, t)
    if isinstance(t, Seq) and not isinstance(t, List):
        return mapped(zero, v)
    if isinstance(v, Lit) and _is_array(v):
        return Lit(0.0, t)  # a number that stands for an array full of it: so does its cotangent
    if isinstance(t, List) or _is_array(v):
        return cast(Operand, zeros_of(v, dtype="f64") if _of_ints(v.type) else zeros_of(v))
    return _narrowed(Lit(0.0), t)


def full(ct: Operand | None, v: Operand) -> Operand:
    """The cotangent `ct` of `v` as it is stored: of the type `ct_type(v.type)`, or narrower."""
    if ct is None:
        return zero(v)
    t = base(v.type)
    if isinstance(t, Tensor) and t.is_array and isinstance(base(ct.type), Tensor) and not _is_array(ct):
        return cast(Operand, expand_like(ct, as_float(present(v)), axis=None, keepdims=False))
    return _narrowed(ct, t)


def _is_single(t: Type) -> bool:
    return t == Tensor("np", "f32")


def _narrowed(ct: Operand, t: Type) -> Operand:
    """`ct` as a scalar if `t` is one; as one of NumPy in single precision if that is `t`: an unknown scalar might
    be double, and make so all that it is multiplied with."""
    if isinstance(t, Tensor) and t.is_scalar:
        ct = _number(ct)
    return cast(Operand, to_f32(ct)) if _is_single(t) and base(ct.type) != t else ct


def _number(ct: Operand) -> Operand:
    """`ct`, of an array of rank 0 the number in it."""
    t = ct.type
    return cast(Operand, index(ct, key=())) if isinstance(t, Tensor) and t.is_array and not t.rank else ct


def _is_array(x: Operand) -> bool:
    t = base(x.type)
    return isinstance(t, Tensor) and t.is_array


def present(v: Operand) -> Operand:
    """`v`, known to be there."""
    return cast(Operand, unwrap(v)) if isinstance(v.type, (Undef, Optional)) else v


def given(ct: Operand, v: Value) -> Operand:
    """The cotangent `ct` of `v`, zeros where it is `None`."""
    return choice(cast(Operand, is_none(ct)), lambda: zero(v), lambda: present(ct))


def _of_ints(t: Type) -> bool:
    """Arrays of ints, which count as real here or where they are joined with others, or lists of such?"""
    while isinstance(t, (Seq, Undef, Optional)):
        t = t.elem
    return isinstance(t, Tensor) and t.is_array and t.integral


def as_float(x: Operand) -> Operand:
    """`x` as derivatives are computed with it: of ints that count as real, floats."""
    if not counts_as_real(x.type) or not isinstance(x.type, Tensor) or x.type.carrier == "py":
        return x
    return cast(Operand, as_dtype(x, "f64"))


def as_floats(eqn: Eqn) -> tuple[tuple[Operand, ...], tuple[Operand, ...]]:
    """The operands and the outs of `eqn` as its rule takes them: an index is the int that it is."""
    args = tuple(x if k in eqn.op.inactive else as_float(x) for k, x in enumerate(eqn.args))
    return args, tuple(map(as_float, eqn.outs))


def fit(ct: Operand, x: Operand, masks: Masks) -> Operand:
    """The cotangent `ct` with the shape and dtype of `x`; what is masked stays so."""
    x = as_float(x)
    t, g = x.type, ct.type
    if not isinstance(t, Tensor) or not isinstance(g, Tensor):
        return ct
    ct = unbroadcast(_narrowed(ct, t) if g in (ANY_REAL, ANY_SINGLE) else ct, x)
    if t.is_scalar:
        ct = _number(ct)
    if isinstance(ct.type, Tensor) and t.carrier in ("np", "array") and ct.type.carrier in ("np", "array") \
            and ct.type.dtype != t.dtype:
        return masks.under(ct, lambda g: cast(Operand, as_dtype(g, t.dtype)))
    if t.carrier == "py" and _is_single(ct.type):
        return masks.under(ct, lambda g: cast(Operand, to_f64(g)))
    return ct


def sized(ct: Operand, x: Operand, made: Sequence[Eqn]) -> Operand:
    """`ct`, which has the shape of `x`, with the sizes of `x` in its type if it is a value of the equations `made`:
    that `x[i:i + k]` has k elements is known of the loop, and not derived again of `dx[i:i + k]`."""
    t, g = x.type, ct.type
    if isinstance(ct, Value) and isinstance(t, Tensor) and isinstance(g, Tensor) and t.is_array and \
            g.rank == t.rank and all(c.value in (None, d.value) for c, d in zip(g.shape, t.shape)) and \
            any(ct in eqn.outs for eqn in made):
        ct.type = Tensor(g.carrier, g.dtype, t.shape)
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


def choice(pred: Operand, then: Callable[[], Operand], orelse: Callable[[], Operand]) -> Operand:
    """The one or the other, by a `cond`."""
    made = []
    for arm in (then, orelse):
        with current().nested() as b:
            result = arm()
        made.append(b.finish("arm", [], [result]))
    return branch(pred, made[0], made[1])[0]


def packed(values: Sequence[Operand], cts: Sequence[Operand | None], of: str) -> Operand:
    """The cotangent of the record `of` of these values: a record of theirs."""
    fields = [full(ct, v) if is_float(v) else Lit(None) for v, ct in zip(values, cts)]
    return cast(Operand, pack(*fields, of="d" + of))


def unpacked(ct: Operand, values: Sequence[Operand]) -> Sequence[Operand]:
    """The cotangents of the values, out of the cotangent of the record of them."""
    types = tuple(ct_type(v.type) if is_float(v) else NONE for v in values)
    if not isinstance(ct.type, Optional):
        return cast("Sequence[Operand]", unpack(ct, types=types))
    with current().nested() as absent:
        zeros = [zero(v) if is_float(v) else Lit(None) for v in values]
    with current().nested() as there:
        fields = unpack(present(ct), types=types)
    return branch(cast(Operand, is_none(ct)), absent.finish("absent", [], zeros), there.finish("there", [], fields))


class Masks:
    """Sums and products of cotangents that know which elements are zero because they were not
    selected: `where(c, g, 0) * p` is `where(c, g * p, 0)`, so that 0 * inf never arises."""

    def __init__(self) -> None:
        self._known: dict[Operand, tuple[Operand, Operand, bool]] = {}
        self._added: dict[Operand, tuple[Operand, bool] | None] = {}

    def learn(self, eqns: Sequence[Eqn]) -> None:
        """Note the masked values among the outs of new equations."""
        for eqn in eqns:
            if eqn.op is where:
                c, g, h = eqn.args
                if _is_zero(h) or _is_zero(g):
                    self._known[eqn.out] = (c, g, True) if _is_zero(h) else (c, h, False)

    def sums(self, carry: Operand) -> None:
        """What is added to the carry of a loop is to be noted."""
        self._added[carry] = None

    def after(self, result: Operand, out: Operand, init: Operand | None, outside: Callable[[Operand], bool]) -> None:
        """The carry that is `init`, or zeros, before a loop and `result` after an iteration is `out` in the end."""
        mask = self._added.get(result)
        if mask is None or not outside(mask[0]):
            return
        if init is None:
            self._known[out] = (mask[0], out, mask[1])
        elif init in self._added and self._added[init] in (None, mask):
            self._added[out] = mask

    def select(self, c: Operand, g: Operand) -> Operand:
        """where(c, g, 0)"""
        return self._where(c, g, True)

    def scale(self, ct: Operand, p: Operand) -> Operand:
        """ct * p"""
        return ct if p == Lit(1.0) else self.under(ct, lambda g: cast(Operand, mul(g, p)))

    def unmasked(self, ct: Operand) -> Operand:
        while ct in self._known and self._known[ct][1] is not ct:
            ct = self._known[ct][1]
        return ct

    def under(self, ct: Operand, f: Callable[[Operand], Operand]) -> Operand:
        """f(ct), for an `f` that works on each element, under the mask of `ct`."""
        if ct not in self._known:
            return f(ct)
        c, g, kept = self._known[ct]
        made = f(ct) if g is ct else self.under(g, f)
        return ct if made is g else self._where(c, made, kept)

    def sum(self, a: Operand | None, b: Operand) -> Operand:
        """a + b"""
        if a is None:
            return b
        if isinstance(a.type, Optional) or isinstance(b.type, Optional):
            return self._sum_optional(a, b)
        if isinstance(a.type, List):
            return cast(Operand, add_lists(a, b))
        if isinstance(a.type, Seq):
            return mapped(self.sum, a, b)
        if isinstance(a.type, Residuals):
            name, t = callees_var.get().sum(a.type.of), a.type
            return cast(Operand, call(a, b, callee=name, types=(t,))[0])
        if a in self._known and b in self._known:
            (c, g, kept), (d, h, also) = self._known[a], self._known[b]
            if c is d and (g is a or h is b):
                return self._where(c, cast(Operand, add(a, b)), kept) if kept == also else cast(Operand, add(a, b))
            if c is d:
                return self._where(c, self.sum(g, h), kept) if kept == also else cast(Operand, add(a, b))
            return self._where(_either(c, kept, d, also), cast(Operand, add(a, b)), True)
        total = cast(Operand, add(a, b))
        if a in self._added and b in self._known:
            c, _, kept = self._known[b]
            if self._added[a] in (None, (c, kept)):
                self._added[total] = c, kept
        return total

    def _where(self, c: Operand, g: Operand, kept: bool) -> Operand:
        out = cast(Operand, where(c, g, 0.0) if kept else where(c, 0.0, g))
        self._known[out] = (c, g, kept)
        return out

    def _sum_optional(self, a: Operand, b: Operand) -> Operand:
        if not isinstance(a.type, Optional):
            a, b = b, a
        b, c = a, b
        return choice(cast(Operand, is_none(b)), lambda: c, lambda: self.sum(c, present(b)))


def _is_zero(x: Operand) -> bool:
    return isinstance(x, Lit) and x in (Lit(0.0), Lit(0))


def _either(c: Operand, c_kept: bool, d: Operand, d_kept: bool) -> Operand:
    return cast(Operand, logical_or(c if c_kept else logical_not(c), d if d_kept else logical_not(d)))
