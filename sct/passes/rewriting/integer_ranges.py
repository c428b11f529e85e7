"""Comparisons and extrema of ints that the ranges of the loop indices decide.

    for t in range(1, n): max(t - 1, 0), t >= 1     ->     t - 1, True

Derivatives of powers ask such questions of their exponents.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from sct.ir.affine import least_value, loop_range, term_of
from sct.ir.array_accesses import LoopAround, access, never_meet
from sct.ir.core import Eqn, Lit, Operand, Value
from sct.ir.loop_view import loop_view
from sct.ir.types import INT
from sct.ops.scalar.comparison import gt, le, lt
from sct.ops.scalar.selection import pymax
from sct.passes.rewriting.table import Site, defining_eqn, rule

__all__ = ["are_apart", "are_equal", "inside_loop", "is_at_least"]


@contextmanager
def inside_loop(site: Site, eqn: Eqn) -> Iterator[None]:
    """In the regions of `eqn`, where the index of the loop, if it is one, has its range."""
    index_range = loop_range(loop_view(eqn), _definition) if eqn.op.name == "loop" else None
    ranges = site.ranges
    site.ranges = ranges if index_range is None else [index_range, *ranges]
    yield
    site.ranges = ranges


@rule("ge", "gt", "le", "lt", phase="simplify")
def decided_comparison(site: Site, x: Operand, y: Operand) -> Operand | None:
    """t >= 1 -> True, or False where it never holds"""
    if x.type != INT or y.type != INT:
        return None
    op = site.eqn.op
    if op in (le, lt):
        x, y = y, x
    strict = int(op in (gt, lt))
    return Lit(True) if is_at_least(site, x, y, strict) else Lit(False) if is_at_least(site, y, x, 1 - strict) else None


@rule("pymax", "pymin", phase="simplify")
def decided_extremum(site: Site, *args: Operand) -> Operand | None:
    """max(t - 1, 0) -> t - 1 where t >= 1"""
    if len(args) != 2 or any(x.type != INT for x in args):
        return None
    x, y = args
    greater, less = (x, y) if is_at_least(site, x, y) else (y, x)
    if not is_at_least(site, greater, less):
        return None
    return greater if site.eqn.op is pymax else less


def is_at_least(site: Site, x: Operand, y: Operand, by: int = 0) -> bool:
    """Is `x >= y + by` in all iterations?"""
    a, b = term_of(x, _definition), term_of(y, _definition)
    return a is not None and b is not None and least_value(a - b, site.ranges) >= by


def are_equal(site: Site, x: Operand, y: Operand, by: int = 0) -> bool:
    """Is `x == y + by` in all iterations?"""
    return is_at_least(site, x, y, by) and is_at_least(site, y, x, -by)


def are_apart(site: Site, key: Sequence[str], at: Sequence[Operand], other_key: Sequence[str], other: Sequence[Operand]
              ) -> bool:
    """Do two subscripts, in one iteration of the loops around, never name an element in common?"""
    loops = [LoopAround(r.index, r.index, r) for r in reversed(site.ranges)]
    a, b = (access(k, operands, loops, lambda x: term_of(x, _definition))
            for k, operands in ((key, at), (other_key, other)))
    return never_meet(a, b, len(loops))


def _definition(v: Value) -> tuple[str, Sequence[Operand]] | None:
    eqn = defining_eqn(v)
    return None if eqn is None else (eqn.op.name, eqn.args)
