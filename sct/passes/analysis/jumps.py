"""Values that jump: what is computed from a differentiated number and is constant between its jumps.

    n = int(x); return x * n   ->   `int` of `x`, which the result depends on: its derivative is that of a constant
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

from sct.errors import Loc
from sct.ir.core import Eqn, Fn, Operand, Value, is_float, walk
from sct.ir.types import Tensor
from sct.passes.analysis.activity import varied_values

__all__ = ["JUMPING", "jumps"]

JUMPING = {"int": "`int(...)`", "round": "`round(...)`", "eq": "a comparison for equality",
           "ne": "a comparison for equality", "dict_key": "the place in a dict"}
"""The ops, by name, and what the user has written."""
_OWN = str(Path(__file__).parents[2])
"""The directory of the compiler, which has Python functions of its own for some of Python's."""


def jumps(fn: Fn, wrt: Iterable[Value], results: Iterable[Operand]) -> Iterator[tuple[Loc, str]]:
    """The places of the user's at which a number that depends on `wrt` becomes one that jumps, which a result depends
    on, with what is there."""
    varied = varied_values(fn, wrt)
    needed = _needed(fn, results)
    for eqn in walk(fn):
        if eqn.op.name not in JUMPING or eqn.args[1:] == eqn.args[:1]:  # x != x asks for nan
            continue
        if eqn.primal and eqn.loc is not None and eqn.out in needed and \
                not eqn.loc.file.startswith(_OWN) and any(x in varied and _is_number(x) for x in eqn.args):
            yield eqn.loc, JUMPING[eqn.op.name]


def _is_number(x: Operand) -> bool:
    return is_float(x) and isinstance(x.type, Tensor) and x.type.is_scalar


def _needed(fn: Fn, results: Iterable[Operand]) -> set[Operand]:
    """The values on which the results may depend, by numbers or by control flow."""
    sources: dict[Operand, list[Operand]] = {}
    _collect(fn, sources)
    needed = set(results)
    todo = list(needed)
    while todo:
        for x in sources.get(todo.pop(), ()):
            if x not in needed:
                needed.add(x)
                todo.append(x)
    return needed


def _collect(fn: Fn, sources: dict[Operand, list[Operand]]) -> None:
    """Enters what each value is computed from: an out of an equation with regions, from its operands and the results
    of the regions; a param of a region, from the operands and the results."""
    for eqn in fn.eqns:
        reads = [*eqn.args, *(r for region in eqn.regions for r in region.results)]
        for value in _bound(eqn):
            sources.setdefault(value, []).extend(reads)
        for region in eqn.regions:
            _collect(region, sources)


def _bound(eqn: Eqn) -> list[Value]:
    return [*eqn.outs, *(p for region in eqn.regions for p in region.params)]
