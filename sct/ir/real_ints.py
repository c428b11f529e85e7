"""Ints that count as real: what a function is differentiated by, and what is computed from it.

    grad(lambda x: np.sum(x * x))(np.arange(3))    x: ri64[n], an array of ints whose tangent is f64[n]

The values are the ints that they are, so that the function computes what it computes; `ri64`
only says that a derivative passes through.  No rule of an op knows of it: types are derived as of
plain ints, and an int result is real again if an operand by which the op has a derivative is.
When all is differentiated, `plain_ints` takes the mark away.

>>> str(real(Tensor("np", "i64"))), real(Tensor("np", "i64")).kind, str(plain(Tensor("np", "ri64")))
('ri64', 'f', 'i64')
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, TypeVar, cast

from sct.ir.core import Eqn, Fn, Lit, Op, Operand, Value, substitute
from sct.ir.types import Optional, Seq, Tensor, Type, Undef

__all__ = ["as_ints", "counts_as_real", "derived", "plain", "plain_ints", "real"]

T = TypeVar("T", bound=Type)


def counts_as_real(t: Type) -> bool:
    """Is this an int that counts as real, or a list or the like of such?"""
    while isinstance(t, (Seq, Optional, Undef)):
        t = t.elem
    return isinstance(t, Tensor) and t.integral and t.kind == "f"


def real(t: T) -> T:
    """The type of the same ints, which count as real."""
    return _within(t, lambda n: replace(n, dtype="r" + n.dtype) if n.kind == "i" else n)


def plain(t: T) -> T:
    """The type of the same ints, which are nothing but ints."""
    return _within(t, lambda n: replace(n, dtype=n.dtype[1:]) if counts_as_real(n) else n)


def _within(t: T, change: Callable[[Tensor], Tensor]) -> T:
    made: Type = t
    if isinstance(t, (Seq, Optional, Undef)):
        made = type(t)(_within(t.elem, change))
    return cast(T, change(t) if isinstance(t, Tensor) else made)


# -- types of results ---------------------------------------------------------------------------------


def derived(op: Op, args: Sequence[Operand], attrs: Mapping[str, Any], spelling: str | None = None
            ) -> Type | tuple[Type, ...]:
    """The type of what `op` makes of these operands, by its own rule."""
    extra = {"spelling": spelling} if op.spelled else {}
    made = op.type(*as_ints(args), **extra, **attrs)
    if op.nondiff is not None or not any(counts_as_real(x.type) for k, x in enumerate(args) if k not in op.inactive):
        return made
    if not isinstance(made, tuple):
        return real(made)
    # An int beside a float is a position or an exponent.
    return tuple(map(real, made)) if all(isinstance(t, Tensor) and t.kind == "i" for t in made) else made


def as_ints(args: Sequence[Operand]) -> Sequence[Operand]:
    """The operands as rules see them: ints are ints."""
    return [_as_int(x) if isinstance(x, Value) and counts_as_real(x.type) else x for x in args]


def _as_int(x: Value) -> Value:
    made = Value(plain(x.type), x.hint, x.dim)
    made.id = x.id
    return made


# -- taking the mark away ---------------------------------------------------------------------------------


def plain_ints(fn: Fn) -> Fn:
    """`fn` where no int counts as real any more."""
    names: dict[Value, Operand] = {}

    def values(old: Sequence[Value]) -> tuple[Value, ...]:
        new = tuple(Value(plain(v.type), v.hint, v.dim) if counts_as_real(v.type) else v for v in old)
        names.update((v, w) for v, w in zip(old, new) if v is not w)
        return new

    def operands(args: Sequence[Operand]) -> tuple[Operand, ...]:
        return tuple(Lit(x.value, plain(x.as_type)) if isinstance(x, Lit) and x.as_type is not None else x
                     for x in substitute(args, names))

    def visit(f: Fn) -> Fn:
        params = values(f.params)
        eqns = [_plain_eqn(e, operands(e.args), tuple(map(visit, e.regions)), values(e.outs)) for e in f.eqns]
        return f.with_(params=params, eqns=tuple(eqns), results=operands(f.results))

    return visit(fn)


def _plain_eqn(eqn: Eqn, args: tuple[Operand, ...], regions: tuple[Fn, ...], outs: tuple[Value, ...]) -> Eqn:
    attrs = {k: _plain_attr(v) for k, v in eqn.attrs.items()}
    return eqn.with_(args=args, regions=regions, outs=outs, attrs=attrs)


def _plain_attr(x: Any) -> Any:
    if isinstance(x, tuple):
        return tuple(map(_plain_attr, x))
    return plain(x) if isinstance(x, (Tensor, Seq, Optional, Undef)) else x
