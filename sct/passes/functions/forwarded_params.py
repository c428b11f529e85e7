"""Params of a function that it costs its backward part little to be given too.

Those are arrays that every call hands down as they are, and where a function calls itself
numbers that are counted with: the backward part then computes again from them what would
be handed over in records.
"""

from __future__ import annotations

from collections.abc import Mapping

from sct.ir.core import Eqn, Fn, Value, boundary_of, called_as, is_float, walk
from sct.ir.types import Tensor

__all__ = ["handed", "is_scalar"]


def handed(program: Fn) -> dict[str, set[Value]]:
    """Such params, by the name of the function."""
    functions = [f for f in program.functions if boundary_of(f) is not None]
    recursive = _recursive(program)
    offered = {f.name: {p for k, p in enumerate(f.params) if is_scalar(p) and not is_float(p) and f.name in recursive
                        or isinstance(p.type, Tensor) and p.type.is_array and k not in dict(f.owned)}
               for f in functions}
    while any([_drop(f, offered, program) for f in functions]):
        pass
    return offered


def is_scalar(x: Value) -> bool:
    return isinstance(x.type, Tensor) and not x.type.is_array


def _drop(f: Fn, offered: Mapping[str, set[Value]], program: Fn) -> bool:
    """Take back the arrays of `f` that some call does not hand down; were there any?"""
    made = set()
    for caller in (program.with_(functions=()), *program.functions):
        mine = offered.get(caller.name, set(caller.params) if caller.name == program.name else set())
        for eqn in walk(caller):
            if eqn.op.name == "call" and eqn.attrs["callee"] == called_as(f)[0]:
                made |= {p for p, x in zip(f.params, eqn.args) if not is_scalar(p) and x not in mine}
    taken = made & offered[f.name]
    offered[f.name].difference_update(taken)
    return bool(taken)


def _recursive(program: Fn) -> set[str]:
    """The functions that call themselves, directly or by others."""
    of = {name: f.name for f in program.functions for name in called_as(f)}
    calls = {f.name: {of[eqn.attrs["callee"]] for eqn in walk(f) if _is_call(eqn)} for f in program.functions}
    return {name for name in calls if name in _reached(calls, name)}


def _is_call(eqn: Eqn) -> bool:
    return eqn.op.name == "call"


def _reached(calls: Mapping[str, set[str]], start: str) -> set[str]:
    found: set[str] = set()
    work = [start]
    while work:
        new = calls[work.pop()] - found
        found |= new
        work += new
    return found
