"""Common subexpressions:  a = f(x); b = f(x); g(a, b)  ->  a = f(x); g(a, a)

What comes in is any IR; what goes out computes the same bits.  A primal equation is
replaced by a primal one of the same op, spelling and operands; an adjoint equation
by any that has the same op and operands.  Inner regions use outer values.  Effects,
and arrays made in order to be written, stay as they are.  What IEEE arithmetic rounds
exactly is computed here where the operands are literals:  math.sqrt(0.25)  ->  0.5
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping, Sequence
from typing import Any

from sct.ir.check import fits
from sct.ir.core import Eqn, Fn, Lit, Loc, Operand, Value, has_effect, substitute, with_own_values
from sct.ir.types import FLOAT, Tensor, Type
from sct.ops.program.list_ops import HOLDS, UPDATES
from sct.passes.analysis.type_inference import retype

__all__ = ["ALLOCATIONS", "COMMUTATIVE", "cse", "frozen"]

ALLOCATIONS = frozenset({
    "zeros", "ones", "empty", "full", "zeros_like", "ones_like", "empty_like", "full_like", "copy", "array", "arange",
    "linspace", "zeros_of", *HOLDS, *UPDATES} - {"index"})
COMMUTATIVE = frozenset({"add", "mul", "maximum", "minimum", "logical_and", "logical_or", "eq", "ne", "hypot"})


EXACT = frozenset({"add", "sub", "mul", "div", "neg", "sqrt"})


def cse(fn: Fn) -> Fn:
    """`fn` with equal pure equations made one."""
    pass_ = _Cse()
    made = pass_.region(fn)
    made = with_own_values(made, pass_.hints) if pass_.hints else made
    return retype(made) if pass_.narrowed else made


class _Cse:
    """
    narrowed  is a cotangent known better than its type says?
    hints     of values that have none, those of what is merged into them
    """

    def __init__(self) -> None:
        self.narrowed = False
        self.hints: dict[Value, str] = {}
        self.env: dict[Value, Operand] = {}
        self.primal: dict[Hashable, tuple[Value, ...]] = {}
        self.adjoint: dict[Hashable, tuple[Value, ...]] = {}
        self.log: list[tuple[dict[Hashable, tuple[Value, ...]], Hashable]] = []
        self.merged_locs: dict[Value, tuple[Loc, ...]] = {}

    def region(self, fn: Fn) -> Fn:
        mark = len(self.log)
        kept = [new for eqn in fn.eqns if (new := self.eqn(eqn)) is not None]
        eqns = [e.replace(merged_locs=e.merged_locs + self.merged_locs.get(e.outs[0], ())) if e.outs else e
                for e in kept]
        results = substitute(fn.results, self.env)
        while len(self.log) > mark:
            table, key = self.log.pop()
            del table[key]
        return Fn(fn.name, fn.params, tuple(eqns), results)

    def eqn(self, eqn: Eqn) -> Eqn | None:
        args = substitute(eqn.args, self.env)
        if eqn.op.name == "loop":
            self.invariant_carries(eqn, args)
        if eqn.regions or args != eqn.args:
            eqn = eqn.replace(args=args, regions=tuple(map(self.region, eqn.regions)))
        if eqn.op.name == "cond":
            self.equal_arms(eqn)
        if not eqn.outs or eqn.op.name in ALLOCATIONS or eqn.op.name == "closure" or has_effect(eqn):
            return eqn
        literal = exact_literal(eqn)
        if literal is not None:
            self.env[eqn.out] = literal
            return None
        found = self.lookup(eqn)
        if found is None:
            return eqn
        if eqn.primal and eqn.loc is not None:
            self.merged_locs[found[0]] = (*self.merged_locs.get(found[0], ()), eqn.loc)
        for old, new in zip(eqn.outs, found):
            self.env[old] = new
            self.named(new, old.hint)
        return None

    def named(self, v: Value, hint: str | None) -> None:
        if v.hint is None and hint is not None:
            self.hints.setdefault(v, hint)

    def lookup(self, eqn: Eqn) -> tuple[Value, ...] | None:
        """The outs of an equal equation before; if there is none, this one is entered."""
        exact = _key(eqn)
        loose: Hashable = (eqn.op, frozen(eqn.attrs), _unordered(eqn), tuple(_kind(v.type) for v in eqn.outs))
        loose = exact if eqn.regions else loose
        table, key = (self.primal, exact) if eqn.primal else (self.adjoint, loose)
        found = table.get(key)
        if found is not None:
            return found
        self.enter(self.adjoint, loose, eqn.outs)
        if eqn.primal:
            self.enter(self.primal, exact, eqn.outs)
        return None

    def enter(self, table: dict[Hashable, tuple[Value, ...]], key: Hashable, outs: tuple[Value, ...]) -> None:
        if key not in table:
            table[key] = outs
            self.log.append((table, key))

    def invariant_carries(self, eqn: Eqn, args: Sequence[Operand]) -> None:
        """A carry that the body hands back as it is, is its initial value."""
        n, counted = eqn.attrs["carries"], eqn.attrs["counted"]
        body = eqn.regions[-1]
        for k in range(n):
            param, out, init = body.params[counted + k], eqn.outs[k], args[3 * counted + k]
            narrower = not eqn.primal and init.type != param.type and fits(init.type, param.type)
            if body.results[1 + k] == param and (narrower or init.type == param.type == out.type):
                self.narrowed |= narrower
                if not eqn.primal and isinstance(init, Value):
                    self.named(init, param.hint)
                self.env[param] = self.env[out] = init
                if eqn.attrs["tested"]:
                    self.env[eqn.regions[0].params[k]] = init

    def equal_arms(self, eqn: Eqn) -> None:
        """An out that is the same outer value in both branches is that value."""
        then, orelse = eqn.regions
        for out, a, b in zip(eqn.outs, then.results, orelse.results):
            if a == b and a.type == out.type:
                self.env[out] = a


def exact_literal(eqn: Eqn) -> Lit | None:
    """The Python float that `eqn` computes of Python numbers, the same on every machine."""
    if eqn.op.name not in EXACT or eqn.op.run is None or eqn.outs[0].type != FLOAT:
        return None
    values = [a.value for a in eqn.args if isinstance(a, Lit) and type(a.value) in (int, float)]
    if len(values) < len(eqn.args):
        return None
    try:
        made = eqn.op.run(*values)
    except (ArithmeticError, ValueError):
        return None
    return Lit(made) if type(made) is float and math.isfinite(made) else None


def _key(eqn: Eqn) -> Hashable:
    return (eqn.op, frozen(eqn.attrs), eqn.spelling, tuple(map(_operand, eqn.args)),
            tuple(_kind(v.type) for v in eqn.outs), _regions(eqn) if eqn.regions else ())


def _unordered(eqn: Eqn) -> tuple[Hashable, ...]:
    args = tuple(map(_operand, eqn.args))
    return tuple(sorted(args, key=hash)) if eqn.op.name in COMMUTATIVE else args


def _operand(x: Operand) -> Hashable:
    return x.id if isinstance(x, Value) else x


def _kind(t: Type) -> Hashable:
    return (t.carrier, t.dtype, t.rank) if isinstance(t, Tensor) else t


def _regions(eqn: Eqn) -> Hashable:
    """The regions with the values that they bind numbered in order: equal up to names."""
    numbers: dict[Value, int] = {}

    def bind(values: Sequence[Value]) -> Hashable:
        for v in values:
            numbers[v] = len(numbers)
        return tuple(_kind(v.type) for v in values)

    def read(args: Sequence[Operand]) -> Hashable:
        return tuple(("local", numbers[a]) if isinstance(a, Value) and a in numbers else _operand(a) for a in args)

    def region(fn: Fn) -> Hashable:
        return bind(fn.params), tuple(map(inner, fn.eqns)), read(fn.results)

    def inner(e: Eqn) -> Hashable:
        head = (e.op, frozen(e.attrs), e.spelling, e.primal, read(e.args))
        return (*head, tuple(map(region, e.regions)), bind(e.outs))

    return tuple(map(region, eqn.regions))


def frozen(value: Any) -> Hashable:
    """A hashable that tells attributes apart (`1`, `1.0` and `True` are three)."""
    if isinstance(value, Mapping):
        return tuple(sorted((k, frozen(v)) for k, v in value.items()))
    if isinstance(value, (tuple, list)):
        return (type(value), *map(frozen, value))
    return (type(value).__name__, repr(value))
