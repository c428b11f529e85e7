"""Parameters that are cheap to pass to the backward part of a function as well.

    def f(x, a, n): ... f(x * 2, a, n - 1) ...   ->   {"f": {a, n}}

In:  a program whose functions have two parts. Out: for each function, the arrays that every call passes on unchanged
and, if the function is recursive, its params that are ints or bools. From these the backward part recomputes values
that it would otherwise receive as residuals.
"""

from __future__ import annotations

from collections.abc import Mapping

from sct.ir.core import Eqn, Fn, Value, boundary_index, call_names, is_float, walk
from sct.ir.types import Tensor
from sct.ir.uses import reachable

__all__ = ["forwarded_params", "is_scalar"]


def forwarded_params(program: Fn) -> dict[str, set[Value]]:
    """Such params, by the name of the function."""
    functions = [f for f in program.functions if boundary_index(f) is not None]
    recursive = _recursive(program)
    forwarded = {f.name: {p for k, p in enumerate(f.params) if is_scalar(p) and not is_float(p) and f.name in recursive
                          or isinstance(p.type, Tensor) and p.type.is_array and k not in dict(f.donated_params)}
                 for f in functions}
    while any([_withdraw(f, forwarded, program) for f in functions]):
        pass
    return forwarded


def is_scalar(x: Value) -> bool:
    return isinstance(x.type, Tensor) and not x.type.is_array


def _withdraw(f: Fn, forwarded: Mapping[str, set[Value]], program: Fn) -> bool:
    """Withdraw the arrays of `f` for which some call passes another value; were there any?"""
    changed = set()
    for caller in (program.replace(functions=()), *program.functions):
        passed_on = forwarded.get(caller.name, set(caller.params) if caller.name == program.name else set())
        for eqn in walk(caller):
            if eqn.op.name == "call" and eqn.attrs["callee"] == call_names(f)[0]:
                changed |= {p for p, x in zip(f.params, eqn.args) if not is_scalar(p) and x not in passed_on}
    withdrawn = changed & forwarded[f.name]
    forwarded[f.name].difference_update(withdrawn)
    return bool(withdrawn)


def _recursive(program: Fn) -> set[str]:
    """The functions that call themselves, directly or through others."""
    function_of = {name: f.name for f in program.functions for name in call_names(f)}
    calls = {f.name: {function_of[eqn.attrs["callee"]] for eqn in walk(f) if _is_call(eqn)} for f in program.functions}
    return {name for name in calls if name in reachable(calls[name], calls.__getitem__)}


def _is_call(eqn: Eqn) -> bool:
    return eqn.op.name == "call"
