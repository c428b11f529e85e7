"""Splits a function with a `boundary` into its forward and its backward part.

    f(x): y = ..., dy = boundary(y), dx = g(x, a, dy)   ->   f_forward(x):          return y, pack(a)
                                                             f_backward(x, r, dy):  a, = unpack(r); return g(x, a, dy)

In:  functions that are differentiated as a whole. Out: two functions for each. The backward part receives a record of
the values of the forward part that it reads, except params that both parts have and values recomputed from them.
"""

from __future__ import annotations

from sct.ir.core import Eqn, Fn, Value, boundary_index, call_names, rebuild
from sct.ir.types import Residuals
from sct.ops.program.call_ops import pack, unpack
from sct.passes.functions.dead_arguments import remove_dead_arguments
from sct.passes.functions.forwarded_params import forwarded_params
from sct.passes.functions.recompute_in_backward import BackwardRecompute
from sct.passes.functions.records_per_iteration import pack_residuals_per_iteration
from sct.passes.functions.residual_records import branch_record

__all__ = ["split", "split_all"]


def split_all(program: Fn, *, keep_raises: bool) -> Fn:
    """`program` with every function split.

    The backward part of a recursive function also takes its forwarded params if that makes the record smaller.
    """
    offers, whole = forwarded_params(program), {f.name: f for f in program.functions}
    without = remove_dead_arguments(program, keep_raises=keep_raises)
    accepted = {f.name: offers[f.name] for f in without.functions
                if f.name in offers and boundary_index(f) is not None and _has_smaller_record(whole[f.name], f)}
    pruned = remove_dead_arguments(program, keep_raises=keep_raises, offers=accepted) if accepted else without
    functions = map(pack_residuals_per_iteration, pruned.functions)
    return pruned.replace(functions=tuple(part for f in functions for part in split(f)))


def _has_smaller_record(offered: Fn, without: Fn) -> bool:
    """Does `offered` have fewer residuals than `without`, whose record no single branch can build?"""
    parts = BackwardRecompute(without)
    return (branch_record(parts.forward, parts.backward, parts.residuals) is None
            and len(BackwardRecompute(offered).residuals) < len(parts.residuals))


def split(fn: Fn) -> tuple[Fn, ...]:
    """The two parts of `fn`, or `fn` itself if it has no boundary."""
    at = boundary_index(fn)
    if at is None:
        return (fn,)
    boundary, parts = fn.eqns[at], BackwardRecompute(fn)
    of, (forward_name, backward_name) = boundary.attrs["of"], call_names(fn)
    record, received = Value(Residuals(of), "residuals"), Value(Residuals(of), "residuals")
    in_branch = branch_record(parts.forward, parts.backward, parts.residuals)
    if in_branch is not None:
        forward = in_branch.forward(parts.forward, record, of)
        backward = in_branch.backward(parts.backward.eqns, received)
    else:
        residuals = tuple(parts.residuals)
        packing = Eqn(pack, residuals, (record,), {"of": of}, primal=False)
        unpacking = Eqn(unpack, (received,), residuals, {"types": tuple(v.type for v in residuals)}, primal=False)
        forward, backward = (*parts.forward, packing), (unpacking, *parts.backward.eqns)
    params = [fn.params[k] for k in boundary.attrs["params"]]
    second = Fn(backward_name, (*params, received, *boundary.outs), backward, fn.results,
                donated_params=tuple((len(params) + 1 + j, k) for j, k in boundary.attrs["buffers"]))
    return (Fn(forward_name, fn.params, forward, (*boundary.args, record), donated_params=fn.donated_params),
            rebuild(second, fresh=True))
