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

from sct.frontend.arguments.lift import CONTAINERS, path_in_words, read_path
from sct.frontend.evaluator.evaluator import Evaluator
from sct.frontend.heap.inactive import IMMUTABLE
from sct.frontend.values.abstract_values import Path
from sct.frontend.writes.references import PLAIN
from sct.frontend.writes.written_objects import METHODS, Slot, Writes, is_users, owners_of_memory, writes_by_itself
from sct.ir import Eqn, Fn, Value, walk
from sct.ir.types import List, Opaque, Tensor
from sct.ops.program.effects import apply, inactive
from sct.ops.program.solutions import call_in_rule, ruled_call

__all__ = ["check_outside_writes"]


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


def _is_method_of_library(f: Any) -> bool:
    """Is this a method of an object of a library, which may change the object?"""
    return isinstance(f, METHODS) and type(f.__self__) not in IMMUTABLE and \
        not isinstance(f.__self__, (type, types.ModuleType, *CONTAINERS, *PLAIN))


# -- what is read --------------------------------------------------------------------------------------------


def _paths_read(ev: Evaluator) -> Iterable[Path]:
    return [*(leaf.path for leaf in ev.outside.leaves), *(path for path, _ in ev.outside.facts.values())]


def _slots_read(ev: Evaluator, path: Path) -> Iterator[Slot]:
    """The slots that are read on the way to a free variable, and its contents."""
    for n in range(1, len(path) + 1):
        try:
            x = read_path(path[:n], ev.outside.root)
        except (AttributeError, LookupError, ValueError):
            return
        if n == len(path):
            if type(x) in PLAIN or isinstance(x, (types.ModuleType, types.FunctionType, type)):
                return
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
            yield from ((id(y), name) for y in (x, *(x.__mro__ if isinstance(x, type) else type(x).__mro__)))
        else:
            yield id(x), None


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
