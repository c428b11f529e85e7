"""Initial zeros: a carried derivative starts as an array in place of the literal 0.0, if an iteration writes into it;
an array of which all rows are written need not be zeros before.

    dv = 0.0; for ...: dv = -dv; dv[i] += 1.0   ->   dv = zeros_of(x); for ...: dv = -dv; dv[i] += 1.0
    d = zeros_of(x); d[0] = a; d[1] = b         ->   d = empty_like(x); d[0] = a; d[1] = b         (of two rows)
    d = zeros_of(x); d[0] = a; d[1] = b         ->   d = array([a, b])                             (of two numbers)

In:  loops whose derivatives of arrays may start as a literal with the type of an array. Out: the same, where the
literal remains only if arithmetic alone reads it, which broadcasts. The array `x` of that type is any value in scope.
"""

from __future__ import annotations

from collections.abc import Sequence

from sct.ir.core import Eqn, Fn, Lit, Operand, Value
from sct.ir.loop_view import loop_view
from sct.ir.types import ANY_REAL, FLOAT, Tensor
from sct.ir.uses import use_counts
from sct.ops.arrays.concatenate import array
from sct.ops.arrays.creation import empty_like, zeros_of
from sct.ops.arrays.indexing import store
from sct.ops.program.control import loop
from sct.ops.registry import ELEMENTWISE

__all__ = ["initial_zeros"]


def initial_zeros(fn: Fn, around: Sequence[Value] = ()) -> Fn:
    """`fn` with arrays of zeros in place of such literals; `around` holds the values in scope around `fn`."""
    in_scope = [*around, *fn.params]
    eqns: list[Eqn] = []
    for eqn in fn.eqns:
        new_eqn = eqn.replace(regions=tuple(initial_zeros(r, in_scope) for r in eqn.regions)) if eqn.regions else eqn
        if eqn.op is loop:
            first = 3 * eqn.attrs["counted"]
            for k, (x, p) in enumerate(zip(loop_view(new_eqn).inits, loop_view(new_eqn).params)):
                like = next((v for v in in_scope if v.type == p.type), None)
                if is_literal(x) and like is not None and is_written(p, new_eqn.regions[-1]):
                    zeros = Value(p.type, p.hint)
                    eqns.append(Eqn(zeros_of, (like,), (zeros,), primal=False, loc=eqn.loc))
                    new_eqn = new_eqn.replace(args=(*new_eqn.args[:first + k], zeros, *new_eqn.args[first + k + 1:]))
        eqns.append(new_eqn)
        in_scope += new_eqn.outs
    return fn.replace(eqns=tuple(_without_needless_zeros(eqns, fn)))


def _without_needless_zeros(eqns: Sequence[Eqn], fn: Fn) -> Sequence[Eqn]:
    """The equations, with `empty_like` in place of zeros into each row of which they write before anything reads it.

    A few numbers that are written one after the other are a display."""
    rows = {eqn.out: eqn.out.type.shape[0].value for eqn in eqns
            if eqn.op is zeros_of and isinstance(eqn.out.type, Tensor) and eqn.out.type.rank}
    if not any(rows.values()):
        return eqns
    uses = use_counts(fn)
    chains: dict[Operand, list[Eqn]] = {v: [] for v, n in rows.items() if n}
    needless: set[Value] = set()
    displays: dict[Eqn, Eqn | None] = {}
    for eqn in eqns:
        if eqn.op is not store or eqn.args[0] not in chains or uses[eqn.args[0]] != 1:  # type: ignore[index]
            continue
        stores = chains[eqn.out] = [*chains[eqn.args[0]], eqn]
        zeros = stores[0].args[0]
        written = {s.args[2].value % rows[zeros] for s in stores if _writes_row(s)}  # type: ignore[union-attr, index]
        if len(written) != rows[zeros]:  # type: ignore[index]
            continue
        needless.add(zeros)  # type: ignore[arg-type]
        if len(written) == len(stores) <= MOST_DISPLAYED and all(map(_writes_number, stores)):
            displays.update(dict.fromkeys(stores))
            displays[eqn] = _display(stores)
            needless.discard(zeros)
            displays.update({e: None for e in eqns if e.outs == (zeros,)})
    kept = (displays.get(eqn, eqn) for eqn in eqns)
    return [eqn.replace(op=empty_like) if eqn.outs and eqn.outs[0] in needless else eqn for eqn in kept if eqn]


MOST_DISPLAYED = 4


def _writes_row(eqn: Eqn) -> bool:
    """Does the store write a row, or an element, whose index is a literal?"""
    first, *rest = eqn.attrs["key"]
    return first == "i" and set(rest) <= {"s000"} and isinstance(eqn.args[2], Lit)


def _writes_number(eqn: Eqn) -> bool:
    """Does the store write a real number of double precision, or a Python float, into a vector of these?"""
    x, number = eqn.args[0].type, eqn.args[1]
    return eqn.attrs["key"] == ("i",) and isinstance(x, Tensor) and x.dtype == "f64" and x.rank == 1 \
        and isinstance(number, Value) and number.type in (Tensor("np", "f64"), FLOAT, ANY_REAL)


def _display(stores: Sequence[Eqn]) -> Eqn:
    """The array of what the stores write."""
    n, last = len(stores), stores[-1]
    numbers = {s.args[2].value % n: s.args[1] for s in stores}  # type: ignore[union-attr]
    return Eqn(array, tuple(numbers[k] for k in range(n)), last.outs,
               {"tree": tuple(range(n)), "dtype": None}, primal=False, loc=last.loc)


def is_literal(x: Operand) -> bool:
    """Is this the literal zero with the type of an array?"""
    return isinstance(x, Lit) and isinstance(x.as_type, Tensor) and x.as_type.is_array \
        and isinstance(x.value, float) and x.value == 0.0


def is_written(param: Value, body: Fn) -> bool:
    """Does adjoint code of the body write into `param`, or into a result of elementwise arithmetic on `param` alone?"""
    arithmetic: set[Operand] = {param}
    for eqn in body.eqns:
        if eqn.primal and param in eqn.args:
            return False
        if eqn.op.name in ("store", "add_at") and not eqn.primal and eqn.args[0] in arithmetic:
            return True
        arrays = [a for a in eqn.args if isinstance(a.type, Tensor) and a.type.is_array]
        if eqn.op in ELEMENTWISE and arrays and arithmetic.issuperset(arrays):
            arithmetic.update(eqn.outs)
    return False
