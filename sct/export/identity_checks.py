"""Checks in plain Python that containers are the same object, or are not, as when the function was compiled.

    a.w = 2.0 * b.w             a is not b                    compiled for two objects
    rows[0][0] = x              len({*map(id, rows)}) == len(rows)
    a.w = x; return MODEL.w     a is not model.MODEL
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from sct.export.argument_checks import Check, child_text
from sct.frontend import Traced
from sct.ir.core import Fn
from sct.ir.pytrees.pytree import Leaf, Node, Tree, column_texts, text_of_step
from sct.ir.types import List, Type

__all__ = ["containers_in_rows", "identity_checks", "nested_lists"]

FEW = 3
"""At most this many pairs are compared one by one."""


@dataclass
class _Containers:
    """The containers of the arguments, found by `visit`.

    numbers   of the containers of an argument, in the order of visiting; one object has one number
    first     the first expression for each number
    repeated  further expressions, each with the first
    kinds     the class of each expression
    rows      starred expressions for the inner lists of nested lists
    """

    fn: Fn
    numbers: Iterator[int] = field(default_factory=lambda: iter(()))
    first: dict[int, str] = field(default_factory=dict)
    repeated: list[tuple[str, str]] = field(default_factory=list)
    kinds: dict[str, object] = field(default_factory=dict)
    rows: list[str] = field(default_factory=list)

    def visit(self, text: str, tree: Tree) -> None:
        if isinstance(tree, Leaf):
            t = self.fn.params[tree.index].type
            if isinstance(t, List) and self.is_new(text, "list"):
                self.rows += nested_lists(text, t)
        elif isinstance(tree, Node):
            kind = tree.cls if tree.kind == "object" else "list" if tree.kind == "rows" else tree.kind
            if kind != "tuple" and not issubclass(tree.cls, tuple) and not self.is_new(text, kind):
                return
            if tree.kind in ("map", "rows"):
                lists = [(text, tree)] if tree.kind == "rows" else [
                    (text_of_step(text, key.name, None), child) for key, child in zip(tree.keys, tree.children)]
                for xs, part in lists:
                    self.rows += containers_in_rows(xs, part) if isinstance(part, Node) else ()
                for leaf, column in column_texts(tree, text).items():
                    self.rows += nested_lists(column, self.fn.params[leaf].type)
                return
            for key, child in zip(tree.keys, tree.children):
                self.visit(child_text(text, tree, key), child)

    def is_new(self, text: str, kind: object) -> bool:
        """Record a container; is it met for the first time?"""
        number = next(self.numbers)
        if number in self.first:
            self.repeated.append((text, self.first[number]))
            return False
        self.first[number], self.kinds[text] = text, kind
        return True


def nested_lists(text: str, t: Type) -> Iterator[str]:
    """Starred expressions for the lists in a list, one for each depth."""
    inner, depth = text, 0
    while isinstance(t, List) and isinstance(t.elem, List):
        yield f"*{inner}" if not depth else f"*({inner})"
        inner = f"row for rows in {text} for row in rows" if not depth else \
            f"row for rows in ({inner}) for row in rows"
        t, depth = t.elem, depth + 1


def containers_in_rows(text: str, tree: Node) -> Iterator[str]:
    """Starred expressions for the lists, dicts and objects that a list of records holds, at every depth.

    >>> list(containers_in_rows("xs", Node("rows", (None,), (Node("dict", ("a",), (Leaf(0),)),))))
    ['*xs']
    """
    def visit(part: str, clauses: str, tree: Tree) -> Iterator[str]:
        if not isinstance(tree, Node) or tree.kind == "member":
            return
        if tree.kind == "kinds":
            is_mutable = "" if all(kind.is_of_class for kind in tree.keys[1:]) else f" if type({part}) in (list, dict)"
            yield f"*({part}{clauses}{is_mutable})"
            return
        if tree.kind != "tuple" and not issubclass(tree.cls, tuple):
            yield f"*{text}" if part == "row" else f"*({part}{clauses})"
        if tree.kind == "rows":
            inner = f"row{clauses.count(' for ')}"
            yield from visit(inner, f"{clauses} for {inner} in {part}", tree.children[0])
        elif tree.kind != "map":
            for key, child in zip(tree.keys, tree.children):
                yield from visit(child_text(part, tree, key), clauses, child)

    yield from visit("row", f" for row in {text}", tree.children[0])


def identity_checks(traced: Traced, outside: Sequence[str]) -> list[Check]:
    """The checks; `outside` are expressions for containers among the free variables."""
    containers = _Containers(traced.fn)
    for p in traced.params:
        if p.name in traced.containers:
            containers.numbers = iter(traced.containers[p.name])
            containers.visit(p.name, p.tree)
    all_checks = [Check((f"{text} is {first}",), "ValueError", f"{text} must be the same object as {first}")
            for text, first in containers.repeated]
    if traced.apart is None:
        return all_checks
    in_arguments = [*containers.first.values(), *containers.rows]
    if containers.rows:
        row = ", ".join(in_arguments) + "," * (len(in_arguments) == 1)
        all_checks.append(Check((f"len({{*map(id, ({row}))}}) == len(({row}))",), "ValueError",
                          "no list, dict or object may be passed twice: one is written"))
    else:
        all_checks += [Check((f"{b} is not {a}",), "ValueError", f"{b} must be another object than {a}: one is written")
                 for a, b in itertools.combinations(in_arguments, 2) if containers.kinds[a] == containers.kinds[b]]
    if outside and in_arguments:
        few = not containers.rows and len(in_arguments) * len(outside) <= FEW \
            and not any(other.startswith("*") for other in outside)
        conditions = tuple(f"{text} is not {other}" for text in in_arguments for other in outside) if few else (
            f"{{*map(id, ({', '.join(in_arguments)},))}}.isdisjoint(map(id, ({', '.join(outside)},)))",)
        names = ", ".join(other for other in outside if not other.startswith("*"))
        all_checks.append(Check(conditions, "ValueError", f"what is written may not be what is read from {names} too"))
    return all_checks
