"""The writes of functions that run as they are: sct reads free variables once, before they are called.

    def step() -> int:
        try: STATE["n"] += 1            writes what `STATE` holds
        finally: pass
        return STATE["n"]

    def f(x): step(); return x * STATE["n"]        refused: `STATE["n"]` is read before the call

What is stored into, and which methods that change their object are called, is read from the source.  A function without
source may write all that it reaches.
"""

from __future__ import annotations

import re
import types
from collections.abc import Iterable, Iterator
from typing import Any

from sct.frontend.arguments.lift import CONTAINERS, read_path
from sct.frontend.evaluator.evaluator import Evaluator
from sct.frontend.heap.inactive import IMMUTABLE
from sct.frontend.numpy_library.random_draws import is_generator
from sct.frontend.values.abstract_values import Path
from sct.frontend.values.in_words import path_in_words
from sct.frontend.writes.references import PLAIN
from sct.frontend.writes.written_objects import METHODS, Slot, Writes, is_users, owners_of_memory, writes_by_itself
from sct.ir import Eqn, Fn, Value, walk
from sct.ir.types import List, Opaque, Tensor, base_type
from sct.ops import loop
from sct.ops.program.attempts import attempted
from sct.ops.program.effects import apply, inactive, part, runs_code_of_operands
from sct.ops.program.solutions import call_in_rule, ruled_call

__all__ = ["check_outside_writes", "check_rewritten_results"]


def check_outside_writes(ev: Evaluator, fn: Fn) -> None:
    """Refuses functions that run as they are, and may write what the function reads, or what is passed to them."""
    leaves = [(p, f) for p, f in zip(ev.params, ev.leaves) if isinstance(p.type, Opaque)]
    callees = {p: f for p, f in leaves if is_users(f) or _is_method_of_library(f) or writes_by_itself(f)}
    if not callees:
        return
    written = {p: Writes(f) for p, f in callees.items()}
    ops = (apply, inactive, ruled_call, call_in_rule)
    calls = [eqn for f in (*fn.functions, fn) for eqn in walk(f) if eqn.op in ops]
    read = {slot: path for path in _paths_read(ev) for slot in _slots_read(ev, path)}
    for p, writes in written.items():
        slot = next((s for s in read if writes.may_write(s)), None)
        if slot is not None:
            _refuse(ev, p, callees[p], f"`{path_in_words(read[slot])}`, which is read here too",
                    "sct reads it once, before the call", calls)
        if writes.arguments:
            for eqn in calls:
                if _passes(ev, eqn, p):
                    _refuse(ev, p, callees[p], "its arguments", "sct, or the caller, would not see the write", [eqn])


def _refuse(ev: Evaluator, p: Value, f: Any, what: str, why: str, calls: list[Eqn]) -> None:
    at = next((eqn.loc for eqn in calls if p in eqn.args), next((eqn.loc for eqn in calls), None))
    with ev.at(at):
        name = getattr(f, "__name__", type(f).__name__)
        ev.refuse("SCT302", f"`{name}`, which runs as it is, may write to {what}", why=why,
                  hint="return the value, and write it outside the differentiated function")


def check_rewritten_results(ev: Evaluator, fn: Fn) -> None:
    """Evaluates the function again if Python may hold an array that it reads, and a call that may write to it can
    follow."""
    if ev.functions.plan.rereads:
        return
    eqns = [*_with_repetition(fn, False), *(each for f in fn.functions for each in _with_repetition(f, True))]
    calls = [repeated for eqn, repeated in eqns if runs_code_of_operands(eqn) and not _draws(ev, eqn)]
    if (any(calls) or len(calls) > 1) and any(_gives_array(ev, eqn) for eqn, _ in eqns):
        raise ev.functions.plan.with_rereads()


def _with_repetition(fn: Fn, repeated: bool) -> Iterator[tuple[Eqn, bool]]:
    """The equations, each with whether it may run more than once."""
    for eqn in fn.eqns:
        yield attempted(eqn), repeated
        for region in eqn.regions:
            yield from _with_repetition(region, repeated or eqn.op is loop)


def _gives_array(ev: Evaluator, eqn: Eqn) -> bool:
    """Does this give an array that Python may hold?  Functions of NumPy and draws make new ones."""
    if eqn.op not in (apply, inactive, part) or str(eqn.attrs.get("text", "")).startswith("numpy.") or _draws(ev, eqn):
        return False
    return any(isinstance(t := base_type(out.type), Tensor) and t.is_array for out in eqn.outs)


def _draws(ev: Evaluator, eqn: Eqn) -> bool:
    """Is this a call of a method of a generator of random numbers?"""
    return bool(eqn.args) and is_generator(ev, eqn.args[0])


def _is_method_of_library(f: Any) -> bool:
    """Is this a method of an object of a library, which may change the object?"""
    return isinstance(f, METHODS) and type(f.__self__) not in IMMUTABLE and \
        not isinstance(f.__self__, (type, types.ModuleType, *CONTAINERS, *PLAIN))


# -- what is read --------------------------------------------------------------------------------------------


def _paths_read(ev: Evaluator) -> Iterable[Path]:
    return [*(leaf.path for leaf in ev.outside.leaves), *(path for path, _ in ev.outside.facts.values())]


def _slots_read(ev: Evaluator, path: Path) -> Iterator[Slot]:
    """The slots that are read on the way to a free variable, and its contents."""
    x = None
    for n in range(1, len(path) + 1):
        try:
            owner, x = x, read_path(path[:n], ev.outside.root)
        except (AttributeError, LookupError, ValueError):
            return
        if n == len(path):
            if type(x) in PLAIN or isinstance(x, (types.ModuleType, types.FunctionType, type)):
                return
            yield id(x), "__class__"
            yield from ((id(y), None) for y in owners_of_memory(x))
            return
        how, name = path[n]
        if how == "global":
            yield id(x.__globals__), name
        elif how == "cell":
            yield id(x.__closure__[x.__code__.co_freevars.index(name)]), None
        elif how == "attr" and isinstance(x, types.ModuleType):
            yield id(vars(x)), name
        elif how == "attr":
            classes = x.__mro__ if isinstance(x, type) else type(x).__mro__
            yield from ((id(y), name) for y in (x, *classes))
            yield from ((id(y), "__bases__") for y in classes)
        else:
            yield id(x), None
            if path[n - 1] == ("attr", "__dict__"):
                yield id(owner), name


def _passes(ev: Evaluator, eqn: Eqn, p: Value) -> bool:
    """May this call give the function an array, a container or an object of the caller?"""
    text = str(eqn.attrs.get("text", ""))
    method = re.match(r"_0\.\w+\(", text) is not None and isinstance(eqn.args[0], Value) and \
        isinstance(eqn.args[0].type, Opaque) and eqn.args[0] not in ev.params
    if p not in eqn.args and not method:
        return False
    return re.search(r"[\[{]", text) is not None or any(
        isinstance(x, Value) and (isinstance(x.type, List) or isinstance(x.type, Tensor) and x.type.is_array or
                                  x is not p and _is_mutable(ev.leaf_of(x)))
        for x in eqn.args)


def _is_mutable(x: Any) -> bool:
    """Is this an argument that a function may change, and that no type is known of?"""
    return x is not None and not isinstance(x, (str, bytes, int, float)) and not callable(x)
