"""Split: a function with a `boundary` becomes its forward and its backward part.

    f(x): y = ..., dy = boundary(y), dx = g(x, a, dy)   ->   f_forward(x):          return y, pack(a)
                                                             f_backward(x, r, dy):  a, = unpack(r); return g(x, a, dy)

What the backward part reads of the forward part is the record that they hand over, but
for the params that it takes too, and for tests and indices that are made of those again.
"""

from __future__ import annotations

from collections.abc import Sequence

from sct.ir.core import (
    Eqn,
    Fn,
    Lit,
    Operand,
    Value,
    boundary_of,
    called_as,
    free_values,
    is_effect,
    is_float,
    rebuild,
)
from sct.ir.types import Residuals, Tensor
from sct.ops.calls import pack, unpack
from sct.passes.records import one_arm

__all__ = ["split", "split_all"]


def split_all(program: Fn) -> Fn:
    """A program whose functions are in one part each."""
    return program.with_(functions=tuple(part for f in program.functions for part in split(f)))


def split(fn: Fn) -> tuple[Fn, ...]:
    """The two parts of `fn`, or `fn` itself if it has none."""
    at = boundary_of(fn)
    if at is None:
        return (fn,)
    before, middle, after = fn.eqns[:at], fn.eqns[at], fn.eqns[at + 1:]
    params = [fn.params[k] for k in middle.attrs["params"]]
    again, crossing = _crossing(Fn("backward", middle.outs, after, fn.results), before, params)
    of, (forward, backward) = middle.attrs["of"], called_as(fn)
    record, taken = Value(Residuals(of), "residuals"), Value(Residuals(of), "residuals")
    arm = one_arm(before, Fn("", (), (*again, *after), fn.results), crossing)
    if arm is not None:
        before, after = arm.forward(before, record, of), arm.backward((*again, *after), taken)
    else:
        packed = Eqn(pack, tuple(crossing), (record,), {"of": of}, primal=False)
        unpacked = Eqn(unpack, (taken,), tuple(crossing), {"types": tuple(v.type for v in crossing)}, primal=False)
        before, after = (*before, packed), (unpacked, *again, *after)
    second = Fn(backward, (*params, taken, *middle.outs), after, fn.results,
                owned=tuple((len(params) + 1 + j, k) for j, k in middle.attrs["buffers"]))
    return Fn(forward, fn.params, before, (*middle.args, record), owned=fn.owned), rebuild(second, fresh=True)


def _crossing(backward: Fn, before: Sequence[Eqn], params: Sequence[Value]) -> tuple[list[Eqn], list[Value]]:
    """(what the backward part computes again, what it is handed over)."""
    made = {out: eqn for eqn in before for out in eqn.outs}
    again: set[Eqn] = set()

    def is_made_again(v: Operand) -> bool:
        if isinstance(v, Lit) or v in params:
            return True
        eqn = made.get(v)
        if eqn is None or not _is_counting(eqn) or not all(map(is_made_again, eqn.args)):
            return False
        again.add(eqn)
        return True

    crossing = [v for v in free_values(backward) if v not in params and not is_made_again(v)]
    return [eqn for eqn in before if eqn in again], crossing


def _is_counting(eqn: Eqn) -> bool:
    """Is this cheap arithmetic of ints or a test?"""
    return (not eqn.regions and not is_effect(eqn) and eqn.op.cost in ("free", "cheap")
            and all(isinstance(v.type, Tensor) and not v.type.is_array and not is_float(v) for v in eqn.outs))
