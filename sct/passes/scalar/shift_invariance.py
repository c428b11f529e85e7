"""Finds maxima that only guard against overflow, and stops their derivative:

    m = max(x); e = exp(x - m); y = e / sum(e)    ->    m = stop_gradient(max(x)); ...

The derivative of a softmax with respect to the maximum that it subtracts is zero, and so is that of
`m + log(sum(exp(x - m)))`.  A maximum is such a shift if every value that is computed from it has one of these
derivatives with respect to it, and no result of its region has one that is not zero:

    plus    c, as for x - m: c is -1
    times   c * y, as for y = exp(x - m)

Each holds element by element: `along` says which axis of the maximum an axis of the value is; along the others the
same element of the maximum counts, so that only these may be summed over.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import cast

from sct.ir.core import Eqn, Fn, Operand, Value, free_values, is_float, substitute
from sct.ir.dims import Dim
from sct.ir.real_ints import counts_as_real
from sct.ir.types import Tensor
from sct.ops.arrays.indexing import store
from sct.ops.program.attempts import attempt
from sct.ops.scalar.arithmetic import stop_gradient
from sct.ops.type_rules import normalize
from sct.passes.analysis.activity import TO_TEXT
from sct.passes.rewriting.literals import number
from sct.passes.rewriting.table import is_full

__all__ = ["stop_shifts"]

Axes = tuple[int | None, ...]


@dataclass(frozen=True)
class Shift:
    """The derivative by the maximum: `factor` times the scalars of `over` (1) or divided by them (-1), times the value
    itself if `times`."""

    times: bool
    factor: float
    over: tuple[tuple[Value, int], ...]
    along: Axes


class _NoShiftError(Exception):
    """The derivative has another form."""


EXTREMA = ("max", "min", "maximum", "minimum", "pymax", "pymin")


def stop_shifts(fn: Fn) -> Fn:
    """`fn`, in which no derivative is taken with respect to a maximum that does not change the results."""
    eqns: list[Eqn] = []
    env: dict[Value, Operand] = {}
    for k, eqn in enumerate(fn.eqns):
        eqns.append(eqn.replace(args=substitute(eqn.args, env), regions=tuple(map(stop_shifts, eqn.regions))))
        if eqn.op.name in EXTREMA and _is_float(eqn.out) and _is_shift(eqn.out, fn.eqns[k + 1:], fn.results):
            env[eqn.out] = fixed = Value(eqn.out.type, eqn.out.hint)
            eqns.append(Eqn(stop_gradient, (eqn.out,), (fixed,), primal=eqn.primal, loc=eqn.loc))
    return fn if all(map(operator.is_, eqns, fn.eqns)) else fn.replace(eqns=tuple(eqns))


def _is_float(x: Value) -> bool:
    """Is this a float?  An int that counts as real would be another type behind `stop_gradient`."""
    return is_float(x) and not counts_as_real(x.type)


def _is_shift(m: Value, eqns: Sequence[Eqn], results: Sequence[Operand]) -> bool:
    """Have the results the derivative zero with respect to `m`?"""
    shifts = {m: Shift(False, 1.0, (), tuple(None if d == Dim(1) else k for k, d in enumerate(_shape(m))))}
    try:
        for eqn in eqns:
            reads = any(x in shifts for x in (*eqn.args, *(x for region in eqn.regions for x in free_values(region))))
            if reads and not _is_constant(eqn):
                shift = _shift(eqn, [None if k in eqn.op.inactive else shifts.get(cast(Value, x))
                                     for k, x in enumerate(eqn.args)])
                if shift is not None and shift.factor:
                    shifts[eqn.out] = shift
    except _NoShiftError:
        return False
    return len(shifts) > 1 and not any(x in shifts for x in results)


def _is_constant(eqn: Eqn) -> bool:
    """Has the equation the derivative zero, whatever it reads?  What Python evaluates itself may be anything."""
    opaque = eqn.regions or eqn.op is attempt or eqn.op.name in TO_TEXT
    return eqn.op.nondiff is not None and not opaque and all(isinstance(out.type, Tensor) for out in eqn.outs)


def _shift(eqn: Eqn, of: list[Shift | None]) -> Shift | None:
    """The derivative of the out of an equation, of those of its operands; None if it is zero."""
    name, attrs = eqn.op.name, eqn.attrs
    if eqn.regions or len(eqn.outs) != 1:
        raise _NoShiftError
    if not any(of):
        return None
    whole = eqn.op is store and is_full(attrs["key"])
    if name in ELEMENTWISE or whole:
        rank = len(_shape(eqn.out))
        operands = [s and replace(s, along=(*[None] * (rank - len(s.along)), *s.along)) for s in of]
        return operands[1] if whole else ELEMENTWISE[name](eqn.args, operands)
    (first, *others) = of
    if first is None or any(others):
        raise _NoShiftError
    if name in ("sum", "mean", "max", "min"):
        gone = normalize(attrs.get("axis"), len(first.along))
        if any(first.along[k] is not None for k in gone) or name == "sum" and not first.times:
            raise _NoShiftError
        return replace(first, along=tuple(k for axis, k in enumerate(first.along)
                                          if axis not in gone or attrs.get("keepdims")))
    if name == "matmul" and first.times and first.along[-1] is None and len(_shape(eqn.args[1])) <= 2:
        return replace(first, along=(*first.along[:-1], *[None] * (len(_shape(eqn.args[1])) - 1)))
    return replace(first, along=_rearranged(eqn, first.along))


def _rearranged(eqn: Eqn, along: Axes) -> Axes:
    """The axes of the maximum that those of a rearranged array are."""
    name, attrs = eqn.op.name, eqn.attrs
    if name in ("expand_dims", "squeeze", "reshape") or name == "index" and set(attrs["key"]) <= {"n", "e", "s000"}:
        sizes, new = _shape(eqn.args[0]), _shape(eqn.out)
        if [d for d in sizes if d != Dim(1)] == [d for d in new if d != Dim(1)]:  # only axes of size 1 come and go
            kept = iter(k for k, d in zip(along, sizes) if d != Dim(1))
            return tuple(None if d == Dim(1) else next(kept) for d in new)
    if name == "transpose":
        axes = attrs.get("axes") or tuple(reversed(range(len(along))))
        return tuple(along[k] for k in axes)
    raise _NoShiftError


def _sum(args: Sequence[Operand], of: Sequence[Shift | None], sign: int = 1) -> Shift | None:
    a, b = of
    if a is None or b is None:
        one = cast(Shift, a or b)
        if one.times:
            raise _NoShiftError
        return one if b is None else replace(one, factor=sign * one.factor)
    if replace(a, factor=b.factor) != b or a.times and a != b:
        raise _NoShiftError
    return a if a.times else replace(a, factor=a.factor + sign * b.factor)


def _product(args: Sequence[Operand], of: Sequence[Shift | None], power: int = 1) -> Shift | None:
    """Of a product (`power` 1) or of a quotient (-1)."""
    a, b = of
    if a is not None and b is not None:
        if not a.times or replace(a, factor=b.factor) != b:
            raise _NoShiftError
        return replace(a, factor=a.factor + power * b.factor)
    one = cast(Shift, a or b)
    if one.times:
        return one if b is None else replace(one, factor=power * one.factor)
    other = args[0 if a is None else 1]
    if a is None and power == -1 or _shape(other) != ():
        raise _NoShiftError
    if isinstance(other, Value):
        return replace(one, over=_cancelled(one.over, other, power))
    if not (c := number(other)):
        raise _NoShiftError
    return replace(one, factor=one.factor * c if power == 1 else one.factor / c)


def _cancelled(over: tuple[tuple[Value, int], ...], x: Value, power: int) -> tuple[tuple[Value, int], ...]:
    """The scalars with one more, which cancels its inverse."""
    if (x, -power) in over:
        k = over.index((x, -power))
        return over[:k] + over[k + 1:]
    return (*over, (x, power))


def _same(args: Sequence[Operand], of: Sequence[Shift | None]) -> Shift | None:
    return of[0]


def _negated(args: Sequence[Operand], of: Sequence[Shift | None]) -> Shift | None:
    s = cast(Shift, of[0])
    return s if s.times else replace(s, factor=-s.factor)


def _exponential(args: Sequence[Operand], of: Sequence[Shift | None], times: bool = True) -> Shift | None:
    """Of `exp`, or of its inverse."""
    s = cast(Shift, of[0])
    if s.times == times:
        raise _NoShiftError
    return replace(s, times=times)


def _power(args: Sequence[Operand], of: Sequence[Shift | None]) -> Shift | None:
    s, c = of[0], number(args[1])
    if s is None or not s.times or not c:
        raise _NoShiftError
    return replace(s, factor=s.factor * c)


def _selected(args: Sequence[Operand], of: Sequence[Shift | None]) -> Shift | None:
    """Of `where(c, a, b)`; 0 has every derivative of the form c * y."""
    _, a, b = of
    for s, t, other in ((a, b, args[2]), (b, a, args[1])):
        if s is not None and (s == t or t is None and s.times and number(other) == 0):
            return s
    raise _NoShiftError


ELEMENTWISE: dict[str, Callable[..., Shift | None]] = {
    "add": _sum, "sub": partial(_sum, sign=-1), "mul": _product, "div": partial(_product, power=-1), "neg": _negated,
    "exp": _exponential, "log": partial(_exponential, times=False), "pow": _power, "where": _selected,
    "copy": _same, "pos": _same}
"""The rules of ops that apply to each element."""


def _shape(x: Operand) -> tuple[Dim, ...]:
    return x.type.shape if isinstance(x.type, Tensor) else ()
