"""Cotangents of values: their types, zeros and sums.

    v: f64[n]  ->  zero(v) = zeros_of(v);  materialize(1.0, v) = expand_like(1.0, v)

In:  a value and contributions to its cotangent. Out: equations in the current block that compute the cotangent.
A cotangent that is absent (Python's `None`) is a symbolic zero. The cotangent of a scalar may be any real scalar;
the cotangent of an array is an array like it, or, until it has to be stored, a scalar that stands for an array of
equal elements. An array that is optional or perhaps unassigned offers no shape for zeros: its zero is `None` at
run time.
"""

from __future__ import annotations

import cmath
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import reduce
from typing import Any, TypeGuard, cast

from sct.errors import SctError
from sct.ir.build import Builder
from sct.ir.core import Eqn, Fn, Lit, Operand, Value, builder_var
from sct.ir.real_ints import counts_as_real
from sct.ir.types import (
    ANY_COMPLEX,
    ANY_REAL,
    ANY_SINGLE,
    DOUBLE,
    INT,
    LONG,
    NARROW,
    List,
    Optional,
    Residuals,
    Seq,
    Tensor,
    Type,
    TypeMismatch,
    Undef,
    base_type,
    join,
    leaf_type,
)
from sct.ops.arrays.creation import as_dtype, none_as_zero, present
from sct.ops.arrays.indexing import add_at, index, store
from sct.ops.arrays.shape import dim
from sct.ops.derivative_helpers import expand_like, unbroadcast, zeros_of
from sct.ops.linalg.masked_products import Mask, tells_nan
from sct.ops.linalg.products import PRODUCTS
from sct.ops.program.call_ops import call
from sct.ops.program.control import cond
from sct.ops.program.list_sums import add_lists
from sct.ops.scalar.arithmetic import add, complex_, mul, sub
from sct.ops.scalar.comparison import eq, is_none, isfinite, lt, ne, unwrap
from sct.ops.scalar.complex_parts import real
from sct.ops.scalar.selection import logical_and, logical_not, logical_or, where
from sct.ops.type_rules import rank
from sct.passes.analysis.loop_layout import emit_loop
from sct.passes.autodiff.derivative_lookup import derivatives_var

__all__ = [
    "Masks", "add_element", "add_to_list", "before_assignment", "conditional", "copy_static_shape", "cotangent_type",
    "current", "d_hint", "if_else", "is_assigned_array", "is_narrow", "mapped", "match_type", "materialize", "or_zeros",
    "padded", "real_part", "refusing_type_mismatch", "set_hint", "unwrap_known", "with_real_ints_as_floats", "zero"]


def current() -> Builder:
    """The builder of the block that is under construction."""
    return cast(Builder, builder_var.get())


@contextmanager
def refusing_type_mismatch(eqn: Eqn) -> Iterator[None]:
    """Turn a type mismatch in the derivative of `eqn` into a refusal at `eqn`."""
    try:
        yield
    except TypeMismatch as error:
        name = (eqn.spelling or eqn.op.name).rpartition(".")[2]
        if eqn.loc is not None and eqn.loc.seen_from is not None:
            raise SctError("SCT402", "the derivative of this result is not supported", loc=eqn.loc,
                           why=f"it is computed by `{name}`: {error}", hint="differentiate another result; or pass "
                           "`sct.stop_gradient(...)` of the arguments, if no derivative is meant to pass") from error
        raise SctError("SCT402", f"the derivative of `{name}` is not supported for these types",
                       why=str(error), hint=error.hint or "convert the operands to one dtype", loc=eqn.loc) from error


def cotangent_type(t: Type) -> Type:
    """The type of a stored cotangent of a value of type `t`."""
    inner = base_type(t)
    if isinstance(inner, Residuals):
        return Optional(Residuals("d" + inner.of))
    if isinstance(inner, Tensor) and inner.integral:
        inner = replace(inner, dtype="f64")
    if isinstance(inner, Seq):
        inner = type(inner)(cotangent_type(present(inner.elem) if isinstance(inner, List) else inner.elem))
    elif isinstance(inner, Tensor) and inner.is_scalar:
        return inner if _is_narrow(inner) else ANY_COMPLEX if inner.kind == "c" else ANY_REAL
    return inner if inner == t or not isinstance(t, (Undef, Optional)) else Optional(inner)


def d_hint(v: Value) -> str | None:
    """The name hint of a derivative of `v`."""
    return v.hint and "d" + v.hint


def set_hint(x: Operand, name: str | None) -> None:
    """Name `x`, which the last equation of the block binds, if it has no name."""
    eqns = current().eqns
    if isinstance(x, Value) and x.hint is None and eqns and x in eqns[-1].outs:
        x.hint = name


def zero(v: Operand) -> Operand:
    """The zero cotangent of `v`."""
    t = cotangent_type(v.type)
    if isinstance(t, Optional):
        return Lit(None, t)
    if isinstance(t, Seq) and not isinstance(t, List):
        return mapped(zero, v)
    if isinstance(v, Lit) and _is_array(v):
        return Lit(0.0, t)  # the literal stands for an array of equal elements, and so does its cotangent
    if isinstance(t, List) or _is_array(v):
        return cast(Operand, zeros_of(v, dtype="f64") if _of_ints(v.type) else zeros_of(v))
    return _narrowed(Lit(0j) if isinstance(t, Tensor) and t.kind == "c" else Lit(0.0), t)


def materialize(ct: Operand | None, v: Operand) -> Operand:
    """The cotangent `ct` of `v` in its stored form: of the type `cotangent_type(v.type)`, or narrower."""
    if ct is None:
        return zero(v)
    t = base_type(v.type)
    if isinstance(t, Tensor) and t.is_array and isinstance(base_type(ct.type), Tensor) and not _is_array(ct):
        return cast(Operand, expand_like(ct, as_float(unwrap_known(v)), axis=None, keepdims=False))
    return _narrowed(ct, t)


def is_narrow(t: Type) -> TypeGuard[Tensor]:
    """Is this a NumPy scalar of less than double precision, or may it be one?"""
    return t == ANY_SINGLE or _is_narrow(t)


def _is_narrow(t: Type) -> TypeGuard[Tensor]:
    return isinstance(t, Tensor) and t.carrier == "np" and t.dtype in NARROW


def _narrowed(ct: Operand, t: Type) -> Operand:
    """`ct` narrowed to a scalar, or to a NumPy scalar of less than double precision, if `t` is one.

    A scalar of unknown precision might be double and would promote whatever it is multiplied with.
    """
    if isinstance(t, Tensor) and t.is_scalar:
        ct = _number(ct)
    return cast(Operand, as_dtype(ct, t.dtype)) if _is_narrow(t) and base_type(ct.type) != t else ct


def _number(ct: Operand) -> Operand:
    """`ct`, or its only element if it is an array of rank 0."""
    t = ct.type
    return cast(Operand, index(ct, key=())) if isinstance(t, Tensor) and t.is_array and not t.rank else ct


def _is_array(x: Operand) -> bool:
    t = base_type(x.type)
    return isinstance(t, Tensor) and t.is_array


def unwrap_known(v: Operand) -> Operand:
    """`v`, which is known not to be missing, without `Undef` or `Optional`."""
    return cast(Operand, unwrap(v)) if isinstance(v.type, (Undef, Optional)) else v


def or_zeros(ct: Operand, v: Value) -> Operand:
    """The cotangent `ct` of `v`, or zeros if it is `None` at run time."""
    return if_else(cast(Operand, is_none(ct)), lambda: zero(v), lambda: unwrap_known(ct))


def is_assigned_array(result: Operand, param: Value, ct: Operand) -> TypeGuard[Value]:
    """Does each iteration assign an array to the variable of a carry, which has the cotangent `ct` after the loop?"""
    t = result.type
    return isinstance(param.type, Undef) and param.type.elem == t and isinstance(result, Value) \
        and isinstance(t, Tensor) and t.is_array and not isinstance(ct.type, Optional)


def before_assignment(ct: Operand, result: Value) -> Operand:
    """The cotangent of a variable in the iteration before, where this iteration assigns `result` to it."""
    if not isinstance(ct.type, Optional):
        return ct
    return zero(result) if isinstance(ct, Lit) else or_zeros(ct, result)


def _of_ints(t: Type) -> bool:
    """Is this the type of an integer array, or of sequences of them?"""
    t = leaf_type(t)
    return isinstance(t, Tensor) and t.is_array and t.integral


def as_float(x: Operand) -> Operand:
    """`x`, converted to floats if it is an array of ints that count as real."""
    if not counts_as_real(x.type) or not isinstance(x.type, Tensor) or x.type.carrier == "py":
        return x
    return cast(Operand, as_dtype(x, "f64"))


def with_real_ints_as_floats(eqn: Eqn) -> tuple[tuple[Operand, ...], tuple[Operand, ...]]:
    """The operands and outs of `eqn`, ints that count as real converted to floats; inactive operands are left alone."""
    args = tuple(x if k in eqn.op.inactive else as_float(x) for k, x in enumerate(eqn.args))
    return args, tuple(map(as_float, eqn.outs))


def match_type(ct: Operand, x: Operand, masks: Masks) -> Operand:
    """The cotangent `ct` with the shape and dtype of `x`; its mask is preserved.

    That of a real number is the real part of a complex `ct`.
    """
    x = as_float(x)
    t, g = x.type, ct.type
    if not isinstance(t, Tensor) or not isinstance(g, Tensor):
        return ct
    ct = unbroadcast(_narrowed(ct, t) if g in (ANY_REAL, ANY_SINGLE, ANY_COMPLEX) else ct, x)
    if t.is_scalar:
        ct = _number(ct)
    ct = real_part(ct, x, masks)
    if g.kind != "c" and t.kind == "c" and t.carrier in ("py", "any"):
        return masks.map_unmasked(ct, lambda g: cast(Operand, complex_(g)))
    if isinstance(ct.type, Tensor) and t.carrier in ("np", "array") and ct.type.carrier in ("np", "array") \
            and ct.type.dtype != t.dtype:
        return masks.map_unmasked(ct, lambda g: cast(Operand, as_dtype(g, t.dtype)))
    is_double = t.carrier == "py" or t == Tensor("np", "f64")
    if is_double and (is_narrow(ct.type) or isinstance(ct.type, Tensor) and ct.type.dtype in LONG):
        return masks.map_unmasked(ct, lambda g: cast(Operand, as_dtype(g, DOUBLE[t.kind])))
    return ct


def real_part(ct: Operand, x: Operand, masks: Masks) -> Operand:
    """The real part of a complex `ct` if `x` is real: a path on which `x` becomes complex does not make it so."""
    t, g = leaf_type(x.type), leaf_type(ct.type)
    if not isinstance(t, Tensor) or not isinstance(g, Tensor) or g.kind != "c" or t.kind == "c":
        return ct
    if not isinstance(ct.type, Tensor):
        raise TypeMismatch("the items of a list are real on one path and complex on another",
                           "make the list of complex numbers: `[complex(v) for v in xs]`")
    return masks.map_unmasked(ct, lambda g: cast(Operand, real(g)))


def copy_static_shape(ct: Operand, x: Operand, eqns: Sequence[Eqn]) -> Operand:
    """`ct`, which has the shape of `x`, with the sizes of `x` in its type if one of `eqns` binds it.

    That `x[i:i + k]` has k elements follows from the bounds of the loop; it cannot be derived from `dx[i:i + k]`.
    """
    t, g = x.type, ct.type
    if isinstance(ct, Value) and isinstance(t, Tensor) and isinstance(g, Tensor) and t.is_array and \
            g.rank == t.rank and all(c.value in (None, d.value) for c, d in zip(g.shape, t.shape)) and \
            any(ct in eqn.outs for eqn in eqns):
        ct.type = Tensor(g.carrier, g.dtype, t.shape)
    return ct


def conditional(pred: Operand, then: Fn, orelse: Fn, hints: Sequence[str | None] = (),
                **attrs: Any) -> tuple[Value, ...]:
    """Add a `cond`; its outs have the joined types of the results of its two branches."""
    types = [join(a.type, b.type) for a, b in zip(then.results, orelse.results)]
    outs = current().emit(cond, (pred,), attrs, regions=(then, orelse), types=types, hints=hints)
    return cast("tuple[Value, ...]", outs)


def if_else(pred: Operand, then: Callable[[], Operand], orelse: Callable[[], Operand]) -> Operand:
    """A `cond` whose branches are built by `then` and `orelse`; its only out."""
    branches = []
    for branch in (then, orelse):
        with current().nested() as block:
            result = branch()
        branches.append(block.finish("branch", [], [result]))
    return conditional(pred, branches[0], branches[1])[0]


class Masks:
    """Sums and products of cotangents that respect which elements are zero because `where` did not select them.

        where(c, g, 0) * p  ->  where(c, g * p, 0)        0 * inf never arises

    _items    for a sequence of masked cotangents: the mask of each item; None if that is not the same
    _masked   for a masked cotangent: (mask, values, whether the values stand where the mask is true)
    _sparse   cotangents that are zero where the program does not read the elements they belong to
    _tells    masks that say what is nan, since they are made to
    _tracked  for the carry of a loop and the sums that start from it: the mask of all that was added so far,
              None before the first addition
    """

    def __init__(self) -> None:
        self._items: dict[Operand, Mask | None] = {}
        self._masked: dict[Operand, tuple[Operand, Operand, bool]] = {}
        self._sparse: set[Operand] = set()
        self._tells: set[Operand] = set()
        self._tracked: dict[Operand, tuple[Operand, bool] | None] = {}

    def record(self, eqns: Sequence[Eqn]) -> None:
        """Record which outs of new equations are masked."""
        for eqn in eqns:
            if eqn.op is where:
                c, g, h = eqn.args
                if h in _ZEROS or g in _ZEROS:
                    self._masked[eqn.out] = (c, g, True) if h in _ZEROS else (c, h, False)

    @contextmanager
    def region(self) -> Iterator[None]:
        """Forget the masks of a region behind it: what they mask may be bound outside, where they are not."""
        outside, self._masked = self._masked, dict(self._masked)
        yield
        self._masked = outside

    def track_sums(self, carry: Operand) -> None:
        """Record the masks of the terms that are added to the carry of a loop."""
        self._tracked[carry] = None

    def carry_out_of_loop(self, result: Operand, out: Operand, init: Operand | None,
                          outside: Callable[[Operand], bool]) -> None:
        """Record the mask of `out`, the final value of a carry that starts as `init` (None: zeros) and becomes `result`
        in each iteration. `outside` says whether a value is bound outside the loop."""
        mask = self._tracked.get(result)
        if mask is None or not outside(mask[0]):
            return
        if init is None:
            self._masked[out] = (mask[0], out, mask[1])
        elif init in self._tracked and self._tracked[init] in (None, mask):
            self._tracked[out] = mask

    def enter_items(self, items: Mapping[Operand, Value]) -> None:
        """Record the masks of the current items of sequences of cotangents in a loop."""
        for seq, item in items.items():
            if seq in self._items and isinstance(item.type, Tensor) and item.type.is_array:
                self.keep(item, self._items[seq] or Mask(cast(Operand, ne(item, 0.0)), True))

    def leave_items(self, seq: Operand, masks: Sequence[Mask], outside: Callable[[Operand], bool]) -> None:
        """Record the masks of the items of `seq`, which a loop yields; `outside`: is a value bound outside the loop?"""
        if masks:
            self._items[seq] = masks[0] if len(masks) == 1 and outside(masks[0].c) else None

    def all_of(self, ct: Operand) -> list[Mask]:
        """The masks of `ct`, the outer one first."""
        c, values, on_true = self._masked.get(ct, (ct, ct, True))
        return [] if ct not in self._masked else [Mask(c, on_true), *(self.all_of(values) if values is not ct else [])]

    def mask(self, c: Operand, g: Operand) -> Operand:
        """where(c, g, 0)"""
        return self._where(c, g, True)

    def multiply(self, ct: Operand, p: Operand) -> Operand:
        """ct * p"""
        if p == Lit(1.0):
            return ct
        return self.map_unmasked(ct, lambda g: cast(Operand, mul(g, p)), isinstance(p, Lit) and cmath.isfinite(p.value))

    def unmasked(self, ct: Operand) -> Operand:
        while ct in self._masked and self._masked[ct][1] is not ct:
            ct = self._masked[ct][1]
        return ct

    def of_nan(self, ct: Operand) -> tuple[Mask, Operand] | None:
        """The mask of `ct` that tells nan or infinities from other numbers, and the values below it; None without."""
        above, values = None, ct
        while values in self._masked and values is not above:
            above = values
            c, values, on_true = self._masked[above]
            if c in self._tells or tells_nan(c):
                return Mask(c, on_true), values if values.type == ct.type else ct
        return None

    def keep(self, ct: Operand, mask: Mask) -> None:
        """Record a mask outside which `ct` is zero already."""
        if ct not in self._masked:
            self._masked[ct] = (mask.c, ct, mask.keeps)

    def leave_out_nan(self, ct: Operand, y: Value) -> None:
        """Record that elements of `y` which are nan contribute 0 where `ct`, its sparse cotangent, is 0."""
        if isinstance(y.type, Tensor) and isinstance(ct.type, Tensor) and self.of_nan(ct) is None:
            kept = cast(Operand, logical_or(isfinite(y), ne(ct, 0.0)))
            self._tells.add(kept)
            self.keep(ct, Mask(kept, True))

    def is_sparse(self, ct: Operand) -> bool:
        """Is this zero where elements are not read: is it written at positions, in a loop, a branch or a function?"""
        eqn = current().defs.get(ct) if isinstance(ct, Value) else None
        return ct in self._sparse or eqn is not None and (
            eqn.op in (add_at, store) or eqn.op.name in ("call", "cond", "loop") or self.of_nan(ct) is not None or
            eqn.op in (add, sub) and all(map(self.is_sparse, eqn.args)))

    def keep_sparse(self, ct: Operand, eqn: Eqn) -> None:
        """Record that `ct` is sparse, as the cotangent of the out of `eqn` is from which it is computed: a sum of
        products over what is not read is not."""
        if rank(ct) >= (1 if eqn.op.linear is not None else max(*map(rank, eqn.outs), 1)) and eqn.op not in PRODUCTS:
            self._sparse.add(ct)

    def map_unmasked(self, ct: Operand, f: Callable[[Operand], Operand], linear: bool = True) -> Operand:
        """`f(ct)` for an elementwise `f`, applied under the mask of `ct`; `linear`: 0 remains 0."""
        if ct not in self._masked:
            return f(ct)
        c, g, on_true = self._masked[ct]
        mapped_value = f(ct) if g is ct else self.map_unmasked(g, f, linear)
        if g is ct and linear:
            self.keep(mapped_value, Mask(c, on_true))
            return mapped_value
        return ct if mapped_value is g else self._where(c, mapped_value, on_true)

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
            return cast(Operand, call(a, b, callee=derivatives_var.get().sum(a.type.of), types=(a.type,))[0])
        if a in self._masked and b in self._masked:
            return self._sum_masked(a, b)
        total = cast(Operand, add(a, b))
        if a in self._tracked and b in self._masked:
            c, _, on_true = self._masked[b]
            if self._tracked[a] in (None, (c, on_true)):
                self._tracked[total] = c, on_true
        return total

    def _sum_masked(self, a: Operand, b: Operand) -> Operand:
        (c, g, c_on_true), (d, h, d_on_true) = self._masked[a], self._masked[b]
        for mask, keeps, other in ((c, c_on_true, b), (d, d_on_true, a)):
            if c is not d and Mask(mask, keeps) in self.all_of(other):
                return self._where(mask, cast(Operand, add(a, b)), keeps)
        if c is not d:
            return self._where(logical_or(self._whole_mask(a), self._whole_mask(b)), cast(Operand, add(a, b)), True)
        if c_on_true != d_on_true:
            return cast(Operand, add(a, b))
        return self._where(c, cast(Operand, add(a, b)) if g is a or h is b else self.sum(g, h), c_on_true)

    def _whole_mask(self, ct: Operand) -> Operand:
        """Where all the masks of `ct` keep its values."""
        kept = [cast(Operand, mask.c if mask.keeps else logical_not(mask.c)) for mask in self.all_of(ct)]
        return reduce(lambda c, d: cast(Operand, logical_and(d, c)), reversed(kept))

    def _where(self, c: Operand, g: Operand, on_true: bool) -> Operand:
        out = cast(Operand, where(c, g, 0.0) if on_true else where(c, 0.0, g))
        self._masked[out] = (c, g, on_true)
        return out

    def _sum_optional(self, a: Operand, b: Operand) -> Operand:
        optional, other = (a, b) if isinstance(a.type, Optional) else (b, a)
        return if_else(cast(Operand, is_none(optional)), lambda: other,
                       lambda: self.sum(other, unwrap_known(optional)))


_ZEROS = (Lit(0.0), Lit(0))
IfElse = Callable[[Operand, Callable[[], Operand], Callable[[], Operand]], Operand]


def mapped(f: Callable[..., Operand], *seqs: Operand) -> Operand:
    """The sequence of the values of `f` on the elements of sequences of equal length."""
    return _loop_over(seqs[0], lambda k, *elems: f(*elems), *seqs)


def add_element(total: Operand, i: Operand, plus: Callable[[Operand], Operand], if_else: IfElse) -> Operand:
    """`total` with `plus` applied to its element at `i`, which may count from the end."""
    at = i
    if not isinstance(i, Lit) or i.value < 0:
        at = cast(Operand, where(lt(i, 0), add(i, dim(total, axis=0)), i))
    return _loop_over(total, lambda k, e: if_else(cast(Operand, eq(k, at)), lambda: plus(e), lambda: e), total)


def padded(ct: Operand, seq: Operand, zero: Callable[[Operand], Operand], if_else: IfElse) -> Operand:
    """The cotangent of `seq`, extended with zeros where a loop ended before it had read all of `seq`."""
    length = cast(Operand, dim(ct, axis=0))

    def element(k: Operand, x: Operand) -> Operand:
        return if_else(cast(Operand, lt(k, length)), lambda: cast(Operand, index(ct, k, key=("i",))), lambda: zero(x))

    return _loop_over(seq, element, seq)


def _loop_over(like: Operand, f: Callable[..., Operand], *seqs: Operand) -> Operand:
    builder = cast(Builder, builder_var.get())
    elems = [Value(cast(Seq, s.type).elem) for s in seqs]
    position = Value(INT)
    with builder.nested() as b:
        result = f(position, *elems)
    body = b.finish("body", [position, *elems], [Lit(True), result])
    length = cast(Operand, dim(like, axis=0))
    _, (out,) = emit_loop(builder, (Lit(0), length, Lit(1)), False, (), seqs, body)
    return out


def add_to_list(xs: Operand, ct: Operand, at: Sequence[Operand], key: tuple[str, ...]) -> Operand:
    """The list `xs` with `ct` added to its element, or to its slice."""
    if isinstance(ct.type, Optional):
        ct = cast(Operand, none_as_zero(ct))
    if isinstance(ct.type, List):
        ct, write = cast(Operand, add_lists(index(xs, *at, key=key), ct)), store
    else:
        write = add_at
    return cast(Operand, write(xs, ct, *at, key=key))
