"""Which lists, dicts and objects must be one and which must not, as plain Python.

    a.w = 2.0 * b.w             a is not b                    compiled for two objects
    rows[0][0] = x              len({*map(id, rows)}) == len(rows)
    a.w = x; return MODEL.w     a is not model.MODEL
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from sct.export.argument_checks import Check, part
from sct.frontend import Traced
from sct.ir.core import Fn
from sct.ir.pytree import Leaf, Node, Tree
from sct.ir.types import List, Type

__all__ = ["alone", "rows_of"]

FEW = 3
"""How many pairs are compared one by one."""


@dataclass
class _Places:
    """Where the containers of the arguments are.

    first  by number: the expression for each
    again  expressions for one that has another one already
    kinds  what each of the expressions is of
    rows   those of the lists in lists that are one value, to be unpacked
    """

    fn: Fn
    numbers: Iterator[int] = field(default_factory=lambda: iter(()))
    first: dict[int, str] = field(default_factory=dict)
    again: list[tuple[str, str]] = field(default_factory=list)
    kinds: dict[str, object] = field(default_factory=dict)
    rows: list[str] = field(default_factory=list)

    def visit(self, text: str, tree: Tree) -> None:
        if isinstance(tree, Leaf):
            t = self.fn.params[tree.index].type
            if isinstance(t, List) and self.enter(text, "list"):
                self.rows += rows_of(text, t)
        elif isinstance(tree, Node):
            kind = tree.cls if tree.kind == "object" else "list" if tree.kind == "rows" else tree.kind
            if kind != "tuple" and not issubclass(tree.cls, tuple) and not self.enter(text, kind):
                return
            for key, child in zip(tree.keys, tree.children):
                if tree.kind != "rows":
                    self.visit(part(text, tree, key), child)
                elif isinstance(child, Leaf):
                    self.rows += rows_of(part(text, tree, key), self.fn.params[child.index].type)

    def enter(self, text: str, kind: object) -> bool:
        """Is this container met for the first time?"""
        number = next(self.numbers)
        if number in self.first:
            self.again.append((text, self.first[number]))
            return False
        self.first[number], self.kinds[text] = text, kind
        return True


def rows_of(text: str, t: Type) -> Iterator[str]:
    """The lists in a list, at each depth."""
    over, depth = text, 0
    while isinstance(t, List) and isinstance(t.elem, List):
        yield f"*{over}" if not depth else f"*({over})"
        over = f"row for rows in {text} for row in rows" if not depth else \
            f"row for rows in ({over}) for row in rows"
        t, depth = t.elem, depth + 1


def alone(traced: Traced, outside: Sequence[str]) -> list[Check]:
    """The checks; `outside` are expressions for the lists, dicts and objects that are read from outside."""
    found = _Places(traced.fn)
    for p in traced.params:
        if p.name in traced.containers:
            found.numbers = iter(traced.containers[p.name])
            found.visit(p.name, p.tree)
    made = [Check((f"{text} is {first}",), "ValueError", f"{text} must be the same object as {first}")
            for text, first in found.again]
    if traced.apart is None:
        return made
    own = [*found.first.values(), *found.rows]
    if found.rows:
        row = ", ".join(own) + "," * (len(own) == 1)
        made.append(Check((f"len({{*map(id, ({row}))}}) == len(({row}))",), "ValueError",
                          "no list, dict or object may be passed twice: one is written"))
    else:
        made += [Check((f"{b} is not {a}",), "ValueError", f"{b} must be another object than {a}: one is written")
                 for a, b in itertools.combinations(own, 2) if found.kinds[a] == found.kinds[b]]
    if outside and own:
        few = not found.rows and len(own) * len(outside) <= FEW and not any(other.startswith("*") for other in outside)
        conditions = tuple(f"{text} is not {other}" for text in own for other in outside) if few else (
            f"{{*map(id, ({', '.join(own)},))}}.isdisjoint(map(id, ({', '.join(outside)},)))",)
        names = ", ".join(other for other in outside if not other.startswith("*"))
        made.append(Check(conditions, "ValueError", f"what is written may not be what is read from {names} too"))
    return made
