"""Tests for nan: the values whose elements a program may leave out since they are nan or infinite.

    r = y - X @ b;  for i in range(n): if np.isfinite(r[i]): s += r[i] ** 2

In:  a function. Out: the values that such a test depends on, and those that depend on what is tested.
Their cotangents are written element by element, so that those of elements left out are still zero; but no mask of the
program says which. The transpose of an operation on them leaves out the numbers that are nan and have the cotangent 0.
A test of all elements at once (`if not np.isfinite(loss)`, `if np.isnan(x).any(): raise ...`) leaves none out.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import chain

from sct.ir.check import always_raises
from sct.ir.core import Eqn, Fn, Operand, Value, is_float, walk
from sct.ir.loop_view import loop_view
from sct.ir.types import Tensor
from sct.ops.arrays.indexing import index
from sct.ops.program.call_ops import call
from sct.ops.registry import ELEMENTWISE
from sct.ops.scalar.comparison import tests_nan
from sct.passes.analysis.activity import dependences, reach

__all__ = ["perhaps_left_out"]


def perhaps_left_out(fn: Fn, callee_tests: Callable[[str], bool]) -> set[Value]:
    """The values that a test for nan or infinities of elements depends on, and those that depend on what it tests.

    callee_tests  says whether the function of a name, or one that it calls, has such tests: then all that it is given
                  may be tested
    """
    tests = [(eqn, in_loop) for eqn, in_loop in _equations(fn, False) if tests_nan(eqn)]
    passed = {x for eqn in walk(fn) if eqn.op is call and callee_tests(eqn.attrs["callee"])
             for x in eqn.args if isinstance(x, Value) and is_float(x)}
    if not tests and not passed:
        return set()
    read_from = dict(_elements(fn))
    uses: dict[Operand, list[Eqn]] = {}
    for eqn in walk(fn):
        for x in eqn.args:
            uses.setdefault(x, []).append(eqn)
    tested = passed | {x for eqn, in_loop in tests for x in eqn.args if isinstance(x, Value)
              if _selects(eqn.out, uses, in_loop or x in read_from)}
    edges = dependences(fn) if tested else []
    upstream = reach(tested, ((dst, src) for src, dst in edges))
    adjoint = {out for eqn in walk(fn) if not eqn.primal for out in eqn.outs}
    return upstream | reach([*tested, *(read_from[x] for x in tested if x in read_from)], edges) \
        | reach(upstream, edges) & adjoint


def _equations(fn: Fn, in_loop: bool) -> Iterator[tuple[Eqn, bool]]:
    """The equations of `fn`, and whether they are in a loop of it."""
    for eqn in fn.eqns:
        yield eqn, in_loop
        yield from chain.from_iterable(_equations(region, in_loop or eqn.op.name == "loop") for region in eqn.regions)


def _selects(test: Operand, uses: dict[Operand, list[Eqn]], of_element: bool) -> bool:
    """Does this outcome of a test of elements select some of them?"""
    readers: Sequence[Eqn] = uses.get(test, ())
    if isinstance(test.type, Tensor) and test.type.is_scalar:
        return of_element and not all(eqn.op.name == "cond" and any(map(always_raises, eqn.regions)) for eqn in readers)
    return any(_selects(eqn.out, uses, of_element) if eqn.op in ELEMENTWISE or eqn.op.name in ("any", "all") else True
               for eqn in readers)


def _elements(fn: Fn) -> Iterator[tuple[Operand, Value]]:
    """The elements and parts that are read from arrays and lists, each with what it is read from."""
    for eqn in walk(fn):
        if eqn.op is index and isinstance(eqn.args[0], Value):
            yield eqn.out, eqn.args[0]
        elif eqn.op.name == "loop":
            loop = loop_view(eqn)
            yield from ((element, x) for x, element in zip(loop.xs, loop.elems) if isinstance(x, Value))
