"""Loops over objects of a user's class that are iterators themselves: `__next__` is called until it raises.

    for v in Countdown(x): s += v   ->   while True: try: v = it.__next__() except StopIteration: break; s += v
"""

from __future__ import annotations

import functools
from typing import Any

import gast

from sct.frontend.evaluator.evaluator import Evaluator
from sct.frontend.heap.special_methods import checked
from sct.frontend.loops.generator_functions import bound_to
from sct.frontend.objects.objects import special_call, special_method
from sct.frontend.values.abstract_values import Abstract, ObjRef

__all__ = ["loop_over_object", "own_iterator"]


def own_iterator(ev: Evaluator, v: Abstract) -> Abstract:
    """The result of `__iter__` of an object that defines it; other values as they are."""
    own = special_call(ev, v, "__iter__") if isinstance(v, ObjRef) else None
    if own is None:
        return v
    return own if special_method(ev, own, "__next__") is not None else checked(ev, own, "iter")


def loop_over_object(ev: Evaluator, node: Any, it: Abstract) -> bool:
    """Runs a `for` over an object that has `__next__`; False if this is none."""
    if not isinstance(it, ObjRef) or special_method(ev, it, "__next__") is None:
        return False
    if node.orelse:
        ev.refuse("SCT503", "`else` of a loop over an object that is an iterator itself is not supported",
                  hint="set a flag in front of `break`, and test it behind the loop")
    name, loop = _loop(node)
    live = ev.frames[-1].live
    live.enter(loop, live.leaving(node))
    with bound_to(ev, name, it):
        ev.exec(loop)
    return True


@functools.lru_cache(maxsize=4096)
def _loop(node: Any) -> tuple[str, Any]:
    """The name of the iterator, and the statement."""
    name = f"<iterator {node.lineno} {node.col_offset}>"
    item = gast.Call(gast.Attribute(gast.Name(name, gast.Load(), None, None), "__next__", gast.Load()), [], [])
    stop = gast.ExceptHandler(gast.Name("StopIteration", gast.Load(), None, None), None, [gast.Break()])
    next_item = gast.Try([gast.Assign([node.target], item)], [stop], [], [])
    loop: Any = gast.While(gast.Constant(True, None), [next_item, *node.body], [])
    for n in gast.walk(loop):
        if not hasattr(n, "lineno"):
            gast.copy_location(n, node)
    return name, loop
