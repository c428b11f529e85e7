"""Comprehensions over known items."""

from __future__ import annotations

from typing import Any

import gast

from sct.frontend.bindings import assign
from sct.frontend.evaluator import Evaluator, expression
from sct.frontend.expressions import truth
from sct.frontend.iteration import items_of
from sct.frontend.values import Abstract, Key
from sct.ir import Lit

__all__ = ["listcomp"]


@expression(gast.ListComp)
def listcomp(ev: Evaluator, node: Any) -> Abstract:
    made: list[Abstract] = []

    def go(k: int) -> None:
        if k == len(node.generators):
            made.append(ev.eval(node.elt))
            return
        gen = node.generators[k]
        for item in items_of(ev, ev.eval(gen.iter)):
            assign(ev, gen.target, item)
            tests = [truth(ev, ev.eval(t)) for t in gen.ifs]
            if not all(isinstance(t, Lit) for t in tests):
                ev.refuse("SCT104", "a comprehension whose test is known only at run time is not supported yet",
                          hint="use a loop over an array, or np.where")
            if all(isinstance(t, Lit) and t.value for t in tests):
                go(k + 1)

    frame = ev.frames[-1]
    names = {n.id for g in node.generators for n in gast.walk(g.target) if isinstance(n, gast.Name)}
    shadowed = {n: ev.store.vars.get(Key(frame.id, n)) for n in names}
    added = names - frame.locals
    frame.locals |= added
    try:
        go(0)
    finally:
        frame.locals -= added
        for n, old in shadowed.items():
            ev.store.vars.pop(Key(frame.id, n), None)
            if old is not None:
                ev.store.vars[Key(frame.id, n)] = old
    return ev.new_list(tuple(made))
