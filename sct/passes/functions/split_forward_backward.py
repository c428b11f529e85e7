"""Split: a function with a `boundary` becomes its forward and its backward part.

    f(x): y = ..., dy = boundary(y), dx = g(x, a, dy)   ->   f_forward(x):          return y, pack(a)
                                                             f_backward(x, r, dy):  a, = unpack(r); return g(x, a, dy)

What the backward part reads of the forward part is the record that they hand over, but
for the params that it takes too, and for what it computes again from those.
"""

from __future__ import annotations

from sct.ir.core import Eqn, Fn, Value, boundary_of, called_as, rebuild
from sct.ir.types import Residuals
from sct.ops.program.call_ops import pack, unpack
from sct.passes.functions.dead_arguments import prune
from sct.passes.functions.forwarded_params import handed
from sct.passes.functions.recompute_in_backward import Again
from sct.passes.functions.records_per_iteration import one_record_a_trip
from sct.passes.functions.residual_records import one_arm

__all__ = ["split", "split_all"]


def split_all(program: Fn, *, keep_raises: bool = False) -> Fn:
    """A program whose functions are in one part each.

    A function that calls itself is given more of its params again, if there is less to hand over then.
    """
    offers, whole = handed(program), {f.name: f for f in program.functions}
    plain = prune(program, keep_raises=keep_raises)
    asked = {f.name: offers[f.name] for f in plain.functions
             if f.name in offers and boundary_of(f) is not None and _gains(f, whole[f.name])}
    given = prune(program, keep_raises=keep_raises, offers=asked) if asked else plain
    return given.with_(functions=tuple(part for f in given.functions for part in split(one_record_a_trip(f))))


def _gains(plain: Fn, offered: Fn) -> bool:
    """Does the function hand over less if it takes more params, where not all is made in one arm?"""
    found = Again(plain)
    return (one_arm(found.before, found.after, found.crossing) is None
            and len(Again(offered).crossing) < len(found.crossing))


def split(fn: Fn) -> tuple[Fn, ...]:
    """The two parts of `fn`, or `fn` itself if it has none."""
    at = boundary_of(fn)
    if at is None:
        return (fn,)
    middle, made = fn.eqns[at], Again(fn)
    of, (forward, backward) = middle.attrs["of"], called_as(fn)
    record, taken = Value(Residuals(of), "residuals"), Value(Residuals(of), "residuals")
    arm = one_arm(made.before, made.after, made.crossing)
    if arm is not None:
        before, after = arm.forward(made.before, record, of), arm.backward(made.after.eqns, taken)
    else:
        crossing = made.crossing
        packed = Eqn(pack, tuple(crossing), (record,), {"of": of}, primal=False)
        unpacked = Eqn(unpack, (taken,), tuple(crossing), {"types": tuple(v.type for v in crossing)}, primal=False)
        before, after = (*made.before, packed), (unpacked, *made.after.eqns)
    params = [fn.params[k] for k in middle.attrs["params"]]
    second = Fn(backward, (*params, taken, *middle.outs), after, fn.results,
                owned=tuple((len(params) + 1 + j, k) for j, k in middle.attrs["buffers"]))
    return Fn(forward, fn.params, before, (*middle.args, record), owned=fn.owned), rebuild(second, fresh=True)
