"""Ints that count as real: the function is differentiated by them, or they are computed from such ints.

    grad(lambda x: np.sum(x * x))(np.arange(3))    x: ri64[n], an array of ints whose tangent is f64[n]

The mark `r` of a dtype says only that a derivative passes through; the values stay ints, so that the function
computes what it computes without sct.  Rules of ops do not know the mark: types are derived for unmarked ints, and
an int result is marked if a differentiable operand is.  `unmark_all` removes the marks once everything is
differentiated.

>>> str(mark_real(Tensor("np", "i64"))), mark_real(Tensor("np", "i64")).kind, str(unmark_real(Tensor("np", "ri64")))
('ri64', 'f', 'i64')
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, TypeVar, cast

from sct.ir.core import Eqn, Fn, Lit, Op, Operand, Value, substitute
from sct.ir.types import Optional, Seq, Tensor, Type, TypeMismatch, Undef, leaf_type, map_leaf

__all__ = ["counts_as_real", "mark_real", "operands_as_ints", "result_type", "takes_complex", "unmark_all",
           "unmark_real"]

T = TypeVar("T", bound=Type)


def counts_as_real(t: Type) -> bool:
    """Is this an int that counts as real, or a list of such ints?"""
    leaf = t if type(t) is Tensor else leaf_type(t)
    return isinstance(leaf, Tensor) and leaf.counts_as_real


def mark_real(t: T) -> T:
    """The type in which ints count as real."""
    return _map_tensors(t, lambda n: replace(n, dtype="r" + n.dtype) if n.kind == "i" else n)


def unmark_real(t: T) -> T:
    """The type in which ints do not count as real."""
    return _map_tensors(t, lambda n: replace(n, dtype=n.dtype[1:]) if n.counts_as_real else n)


def _map_tensors(t: T, change: Callable[[Tensor], Tensor]) -> T:
    return cast(T, map_leaf(lambda leaf: change(leaf) if isinstance(leaf, Tensor) else leaf, t))


# -- types of results ---------------------------------------------------------------------------------


def result_type(op: Op, args: Sequence[Operand], attrs: Mapping[str, Any], spelling: str | None = None
            ) -> Type | tuple[Type, ...]:
    """The type of the result of `op` for these operands, by the op's own rule; a tuple for several results."""
    extra = {"spelling": spelling} if op.spelled else {}
    if all([type(x.type) is Tensor and x.type.dtype in _PLAIN for x in args]):
        return op.type(*args, **extra, **attrs)
    if not takes_complex(op) and any([type(x.type) is Tensor and x.type.kind == "c" for x in args]):
        variant = next((call for call in op.calls if call.startswith(f"{spelling}(")), spelling or op.name)
        raise TypeMismatch(f"`{variant}` of complex numbers is not supported",
                           "compute with the real and the imaginary part")
    if not any([counts_as_real(x.type) for x in args]):
        return op.type(*args, **extra, **attrs)
    plain_type = op.type(*operands_as_ints(args), **extra, **attrs)
    differentiable = () if op.nondiff is not None else (x for k, x in enumerate(args) if k not in op.inactive)
    if not any(counts_as_real(x.type) for x in differentiable):
        return plain_type
    if not isinstance(plain_type, tuple):
        return mark_real(plain_type)
    # An int beside a float is a position or an exponent.
    all_ints = all(isinstance(t, Tensor) and t.kind == "i" for t in plain_type)
    return tuple(map(mark_real, plain_type)) if all_ints else plain_type


_PLAIN = frozenset(("bool", "int", "float", "real", "single", "b1", "i8", "i16", "i32", "i64", "u8", "u16", "u32",
                    "u64", "f16", "f32", "f64"))
"""The dtypes of numbers that are not complex and carry no mark."""


def takes_complex(op: Op) -> bool:
    """Is the op right for complex operands?"""
    return op.linear is not None if op.complex is None else op.complex


def operands_as_ints(args: Sequence[Operand]) -> Sequence[Operand]:
    """The operands as rules see them, without marks."""
    return [_as_int(x) if isinstance(x, Value) and counts_as_real(x.type) else x for x in args]


def _as_int(x: Value) -> Value:
    unmarked = Value(unmark_real(x.type), x.hint, x.dim)
    unmarked.id = x.id
    return unmarked


# -- removing the marks ---------------------------------------------------------------------------------


def unmark_all(fn: Fn) -> Fn:
    """`fn` without marks."""
    names: dict[Value, Operand] = {}

    def values(old: Sequence[Value]) -> tuple[Value, ...]:
        new = tuple(Value(unmark_real(v.type), v.hint, v.dim) if counts_as_real(v.type) else v for v in old)
        names.update((v, w) for v, w in zip(old, new) if v is not w)
        return new

    def operands(args: Sequence[Operand]) -> tuple[Operand, ...]:
        return tuple(Lit(x.value, unmark_real(x.as_type)) if isinstance(x, Lit) and x.as_type is not None else x
                     for x in substitute(args, names))

    def visit(f: Fn) -> Fn:
        params = values(f.params)
        eqns = [_plain_eqn(e, operands(e.args), tuple(map(visit, e.regions)), values(e.outs)) for e in f.eqns]
        return f.replace(params=params, eqns=tuple(eqns), results=operands(f.results))

    return visit(fn)


def _plain_eqn(eqn: Eqn, args: tuple[Operand, ...], regions: tuple[Fn, ...], outs: tuple[Value, ...]) -> Eqn:
    attrs = {k: _plain_attr(v) for k, v in eqn.attrs.items()}
    return eqn.replace(args=args, regions=regions, outs=outs, attrs=attrs)


def _plain_attr(x: Any) -> Any:
    if isinstance(x, tuple):
        return tuple(map(_plain_attr, x))
    return unmark_real(x) if isinstance(x, (Tensor, Seq, Optional, Undef)) else x
