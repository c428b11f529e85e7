"""Which sizes of arrays emitted code does not depend on, so that nothing need be checked of them.

A size with a name, `n`, is neither 0 nor 1 where the function is compiled: 1 would be
broadcast, a loop might run no trip.  Where the code for 0 and for 1 is the very same, it
is the code for every size.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace

from sct.codegen import Interface, Parameter, generate
from sct.errors import SctError
from sct.frontend import Traced, Untyped
from sct.ir.core import walk
from sct.ir.pytree import Leaf, Node, Tree, leaves, structure_text
from sct.ir.types import Dim, List, Opaque, Tensor, Type
from sct.passes import pipeline

__all__ = ["open_sizes"]

MOST_EQUATIONS, MOST_SIZES = 150, 4

Retrace = Callable[[Mapping[str, str]], Traced]


def open_sizes(traced: Traced, retrace: Retrace) -> frozenset[Dim]:
    """The sizes that may be anything; `retrace` compiles for other types of parameters."""
    sizes = {d for v in traced.fn.params for d in _shape(v.type) if d.value is None}
    if not 0 < len(sizes) <= MOST_SIZES or sum(1 for _ in walk(traced.fn)) > MOST_EQUATIONS:
        return frozenset()
    text = _text(traced)

    def same(known: Mapping[Dim, Dim]) -> bool:
        try:
            return _text(retrace(dict(_types(traced, known)))) == text
        except SctError:
            return False

    found = [d for d in sorted(sizes, key=str) if same({d: Dim(1)}) and same({d: Dim(0)})]
    if len(found) > 1 and not all(same(dict(zip(found, chosen)))
                                  for chosen in itertools.product((Dim(0), Dim(1)), repeat=len(found))):
        return frozenset()
    return frozenset(found)


def _shape(t: Type) -> tuple[Dim, ...]:
    return t.shape if isinstance(t, Tensor) and t.is_array else ()


def _text(traced: Traced) -> str:
    params = tuple(Parameter(p.name, p.kind, tree=p.tree) for p in traced.params)
    return generate(pipeline.run(traced.fn), Interface("f", params, traced.result)).definition


def _types(traced: Traced, known: Mapping[Dim, Dim]) -> Iterator[tuple[str, str]]:
    """Types of the parameters that have one of these sizes, with the sizes put in."""
    free = {traced.fn.params.index(f.param): f for f in traced.free}
    for p in traced.params:
        if isinstance(p.tree, Leaf) and p.tree.index in free:
            attribute = free[p.tree.index].key
            if isinstance(attribute, Untyped):
                yield from _of(traced, attribute.name, p.tree, known)
        else:
            yield from _of(traced, p.name, p.tree, known)


def _of(traced: Traced, name: str, tree: Tree, known: Mapping[Dim, Dim]) -> Iterator[tuple[str, str]]:
    if isinstance(tree, Node) and tree.kind == "object":
        for key, child in zip(tree.keys, tree.children):
            yield from _of(traced, f"{name}.{key}", child, known)
    elif any(d in known for k in leaves(tree) for d in _shape(traced.fn.params[k].type)):
        yield name, structure_text(tree, lambda k: _type(traced.fn.params[k].type, known))


def _type(t: Type, known: Mapping[Dim, Dim]) -> str:
    if isinstance(t, Tensor):
        return str(replace(t, shape=tuple(known.get(d, d) for d in t.shape)))
    return "str" if isinstance(t, Opaque) else f"list[{_type(t.elem, known)}]" if isinstance(t, List) else str(t)
