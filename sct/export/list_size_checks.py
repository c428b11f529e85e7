"""The sizes of the arrays in lists as plain Python checks at the top of a function.

    recs: list[tuple[f64[m_i], f64[m_i, n]]], b: f64[n]

    all(row[0].shape[0] > 1 for row in recs)
    all(row[1].shape[0] == row[0].shape[0] and row[1].shape[1] == b.shape[0] for row in recs)
"""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field

from sct.codegen.python.unparse import unparse
from sct.ir.dims import Dim, in_signature, is_ragged
from sct.ir.types import Tensor, Type, leaf_type, list_depth

__all__ = ["list_size_checks"]

Loops = tuple[tuple[str, str], ...]
"""The variable and the list of each loop, the outer one first."""


@dataclass
class _Sizes:
    """Writes the conditions of the arrays of one list after the other.

    first       the expression of a size where it was met first
    of_classes  the expression of a size that differs from item to item, and its loops, where it was met first
    open_sizes  sizes that may be 0 or 1
    """

    first: dict[Dim, str]
    open_sizes: Collection[Dim]
    of_classes: dict[Dim, tuple[str, Loops]] = field(default_factory=dict)

    def conditions(self, part: str, loops: Loops, shape: tuple[Dim, ...]) -> Iterator[str]:
        """The conditions on each array `part`."""
        for axis, d in enumerate(shape):
            size = f"{part}.shape[{axis}]"
            of_class = self.of_classes.get(d)
            if d.value is not None:
                yield f"{size} == {d.value}"
            elif d in self.first:
                yield f"{size} == {self.first[d]}"
            elif of_class is not None:
                if of_class[1] == loops:
                    yield f"{size} == {of_class[0]}"
            else:
                if is_ragged(d):
                    self.of_classes[d] = size, loops
                else:
                    self.first[d] = _of_first(size, loops)
                    yield f"{size} == {self.first[d]}"
                if d.least >= 2 and d not in self.open_sizes:
                    yield f"{size} > 1"

    def of_other_lists(self, part: str, loops: Loops, shape: tuple[Dim, ...]) -> Iterator[str]:
        """The conditions that sizes are, one by one, those of the items of another list."""
        for axis, d in enumerate(shape):
            size, over = self.of_classes.get(d, ("", loops))
            if over != loops:
                yield f"{_listed(f'{part}.shape[{axis}]', loops)} == {_listed(size, over)}"


def list_size_checks(lists: Mapping[str, Type], first: dict[Dim, str], open_sizes: Collection[Dim]
                     ) -> Iterator[tuple[tuple[str, ...], str]]:
    """The conditions on the sizes of the arrays in each of these lists, and the message where one does not hold.

    first       the expressions of sizes of arrays that are checked before
    open_sizes  sizes that may be 0 or 1
    """
    sizes = _Sizes(first, open_sizes)
    for text, t in lists.items():
        leaf = leaf_type(t)
        if not isinstance(leaf, Tensor) or not leaf.is_array:
            continue
        part, loops = _item_of(text, list_depth(t))
        each = " and ".join(sizes.conditions(part, loops, leaf.shape))
        every = [f"all({each}{_clauses(loops)})"] if each else []
        shape = ", ".join(map(str, map(in_signature, leaf.shape)))
        yield (*every, *sizes.of_other_lists(part, loops, leaf.shape)), \
            f"{loops[0][1]}: each {part} must have the shape ({shape}{',' * (leaf.rank == 1)})"


def _item_of(text: str, depth: int) -> tuple[str, Loops]:
    """The expression of an item of the list, or of lists so deep in it, and the loops over them.

    >>> _item_of("[[row1[0] for row1 in row] for row in xs]", 2)
    ('row1[0]', (('row', 'xs'), ('row1', 'row')))
    """
    node: ast.expr = ast.parse(text, mode="eval").body
    loops = []
    for level in range(depth):
        if isinstance(node, ast.ListComp):
            (generator,) = node.generators
            loops.append((unparse(generator.target).strip(), unparse(generator.iter).strip()))
            node = node.elt
        else:
            name = f"item{level or ''}"
            loops.append((name, unparse(node).strip()))
            node = ast.Name(name)
    return unparse(node).strip(), tuple(loops)


def _clauses(loops: Loops) -> str:
    return "".join(f" for {target} in {over}" for target, over in loops)


def _listed(size: str, loops: Loops) -> str:
    """The list of a size in all items, with a list for each list in it."""
    for target, over in reversed(loops):
        size = f"[{size} for {target} in {over}]"
    return size


def _of_first(size: str, loops: Loops) -> str:
    """The size in the first item; the first list of several may be empty."""
    if len(loops) > 1:
        return f"next({size}{_clauses(loops)})"
    ((target, over),) = loops
    return f"{over}[0]{size.removeprefix(target)}"
