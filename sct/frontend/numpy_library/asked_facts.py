"""Facts of the arguments on which the type or the derivative of an op depends: which of two vectors is longer, say.

    convolve(a, v, "same")   ->   convolve(a, v, mode="same", longer=True), and a guard: a is at least as long as v
                                  or a `cond` on `len(a) >= len(v)`, where only the run tells
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from sct.frontend.evaluator.evaluator import Evaluator
from sct.frontend.heap.join_paths import evaluate_branches
from sct.frontend.state.observed_types import observed_call
from sct.frontend.values.abstract_values import Abstract
from sct.frontend.values.guards import NeedsStatic
from sct.ir import Op, Operand, Value
from sct.ir.real_ints import result_type
from sct.ir.types import Tensor, Type, TypeMismatch

__all__ = ["in_each_case"]

_IN_WORDS = {
    "longer": "which of the two vectors is longer", "wide": "whether the matrix has more columns than rows",
    "crops": "whether the transform leaves the end of its argument out", "odd": "whether the length is odd",
    "is_complex": "whether the eigenvalues are complex", "count": "how many diagonals the matrix has",
    "of_a": "how many elements the first vector has", "of_b": "how many elements the second vector has"}
"""What is asked, by the name of the attr."""


def in_each_case(ev: Evaluator, op: Op, spelling: str, flat: Sequence[Operand], attrs: Mapping[str, Any],
                 apply: Callable[[Mapping[str, Any], str | None], Abstract]) -> Abstract:
    """The result of `apply`, which gets the attrs that are facts of the arguments, and the dtype of the result, if a
    fact follows from that alone; a `cond` on the facts that only the run tells."""
    answers, dtype, tests = _facts(ev, op, spelling, flat, attrs)

    def from_here(tests: Sequence[tuple[str, Value]], told: Mapping[str, Any]) -> Abstract:
        if not tests:
            return apply(told, dtype)
        (name, test), *rest = tests
        result: Abstract = evaluate_branches(ev, test, lambda: from_here(rest, {**told, name: True}),
                                             lambda: from_here(rest, {**told, name: False}))
        return result

    return from_here(tests, answers)


def _facts(ev: Evaluator, op: Op, spelling: str, flat: Sequence[Operand], attrs: Mapping[str, Any]
           ) -> tuple[dict[str, Any], str | None, list[tuple[str, Value]]]:
    """The facts that are asked; the dtype of the result; and the tests of the facts that only the run tells.

    One whose default is None may be unknown: the size of an array that a loop selects, say.  One that depends on the
    dtype of the result is what that was in the observed run.
    """
    assert op.asks is not None
    start = len(ev.b.eqns)
    try:
        with ev.b:
            asked = op.asks(*flat, **attrs)
    except TypeMismatch as error:
        ev.refuse("SCT501", str(error))
    ev.defs.update((out, eqn) for eqn in ev.b.eqns[start:] for out in eqn.outs)
    answers: dict[str, Any] = {}
    observed: str | None = None
    tests: list[tuple[str, Value]] = []
    for name, (v, assumed, *by_dtype) in asked.items():
        try:
            what = f"{_IN_WORDS[name.rstrip('0123456789')]}, on which the derivative of `{spelling}` depends,"
            answers[name] = ev.ask(v, what, assumed) if isinstance(v, Value) else v
        except NeedsStatic as error:
            if by_dtype:
                observed = _observed_dtype(ev, spelling, error)
                answers[name] = by_dtype[0](observed)
            elif op.defaults.get(name, False) is not None:
                if type(assumed) is not bool or not _are_alike(op, spelling, flat, attrs, name):
                    raise
                tests.append((name, v))
    return answers, observed, tests


def _are_alike(op: Op, spelling: str, flat: Sequence[Operand], attrs: Mapping[str, Any], name: str) -> bool:
    """Does only the size of the result depend on this fact?"""
    first, other = (result_type(op, flat, {**attrs, name: answer}, spelling) for answer in (True, False))
    kinds = [[_kind(t) for t in (types if isinstance(types, tuple) else (types,))] for types in (first, other)]
    return kinds[0] == kinds[1]


def _kind(t: Type) -> object:
    return (t.carrier, t.dtype, t.rank) if isinstance(t, Tensor) else t


def _observed_dtype(ev: Evaluator, spelling: str, error: NeedsStatic) -> str:
    """The dtype of the array that this call gave in the latest of the observed runs that made it."""
    types, latest = observed_call(ev, ev.loc, ev.frames)
    dtypes = sorted({str(t[1]) for t in latest or types if t[0] == "array"})
    if latest and len(dtypes) > 1:
        ev.refuse("SCT505", f"the result of `{spelling}` is real or complex",
                  why=f"it was an array of {' and of '.join(dtypes)} in one call",
                  hint="make the matrix complex: `np.linalg.eigvals(A + 0j)`")
    if not dtypes or any(t[0] != "array" for t in types):
        raise error
    return dtypes[0]
