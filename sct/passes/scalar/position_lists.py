"""Position lists: a list of ints in a subscript is written where it is read, as the user wrote it.

    t = np.array([k, p]); A[t] = B[t]   ->   A[[k, p]] = B[[k, p]]

In:  IR in which the array of a list without a name may be read by several subscripts. Out: IR in which each of these
has its own, which the printer writes as a list. NumPy makes an array of a list at every read, so what a loop reads, and
does not bind, stays an array.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping

from sct.ir.core import Eqn, Fn, Operand, Value, substitute, walk
from sct.ir.types import Tensor
from sct.ir.uses import use_counts
from sct.ops.arrays.concatenate import array

__all__ = ["is_position_list", "write_position_lists"]


def write_position_lists(fn: Fn) -> Fn:
    """`fn`, where each subscript has its own list of ints."""
    lists = {eqn.out for eqn in walk(fn) if is_position_list(eqn)}
    if not lists:
        return fn
    reads, uses = Counter(x for eqn in walk(fn) for x in _positions(eqn)), use_counts(fn)
    return _region(fn, {x for x in lists if reads[x] == uses[x]}, {})


def is_position_list(eqn: Eqn) -> bool:
    """Is this the array of a list of ints without a name?"""
    return eqn.op is array and eqn.out.hint is None and eqn.attrs.get("dtype") is None and len(eqn.args) > 0 \
        and eqn.attrs.get("tree") == tuple(range(len(eqn.args))) and all(map(_is_int, eqn.args))


def _is_int(x: Operand) -> bool:
    return isinstance(x.type, Tensor) and x.type.is_scalar and x.type.kind == "i"


def _positions(eqn: Eqn) -> Iterator[Value]:
    """The arrays of ints in the subscript of an equation."""
    if eqn.op.key_at is not None and "a" in eqn.attrs["key"]:
        yield from (x for x in eqn.args[eqn.op.key_at:]
                    if isinstance(x, Value) and isinstance(x.type, Tensor) and x.type.is_array)


def _region(fn: Fn, lists: set[Value], bound: Mapping[Value, Eqn]) -> Fn:
    """`fn`, in which the equations `bound` may be repeated."""
    eqns: list[Eqn] = []
    bound = dict(bound)
    for eqn in fn.eqns:
        if len(eqn.outs) == 1 and eqn.out in lists:
            bound[eqn.out] = eqn
        own: dict[Value, Operand] = {}
        for x in dict.fromkeys(_positions(eqn)):
            if x in bound:
                own[x] = copy = Value(x.type)
                eqns.append(bound[x].replace(outs=(copy,)))
        inside = {} if eqn.op.name == "loop" else bound
        eqns.append(eqn.replace(args=substitute(eqn.args, own),
                                regions=tuple(_region(r, lists, inside) for r in eqn.regions)))
    return fn.replace(eqns=tuple(eqns))
