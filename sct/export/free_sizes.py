"""Finds the sizes of arrays on which emitted code does not depend, so that a module need not check them.

A named size `n` is neither 0 nor 1 when the function is compiled: 1 might be broadcast, and 0 might leave a loop
without iterations.  Where the code for 0 and for 1 is the same text, it is correct for every size.

    def f(x: "f64[n]"): return np.sum(x * x)     ->     {n}
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace

from sct.codegen import Interface, Parameter, generate
from sct.errors import SctError
from sct.frontend import Traced, Untyped
from sct.ir.core import walk
from sct.ir.dims import Dim, in_signature
from sct.ir.pytrees.pytree import Leaf, Node, Tree, leaves, structure_text
from sct.ir.types import List, Opaque, Tensor, Type, map_sizes
from sct.passes import pipeline
from sct.passes.analysis.activity import empty_as_others

__all__ = ["open_sizes"]

MOST_EQUATIONS, MOST_SIZES = 150, 4

Retrace = Callable[[Mapping[str, str]], Traced]


def open_sizes(traced: Traced, retrace: Retrace) -> frozenset[Dim]:
    """The sizes that need no check; `retrace` compiles for other types of parameters."""
    sizes = {d for v in traced.fn.params for d in _shape(v.type) if d.value is None}
    if not 0 < len(sizes) <= MOST_SIZES or sum(1 for _ in walk(traced.fn)) > MOST_EQUATIONS:
        return frozenset()
    emitted = _emitted_text(traced)

    def same(chosen_sizes: Mapping[Dim, Dim]) -> bool:
        try:
            with empty_as_others():
                return _emitted_text(retrace(dict(_types_with_sizes(traced, chosen_sizes)))) == emitted
        except SctError:
            return False

    single = [d for d in sorted(sizes, key=str) if same({d: Dim(1)}) and same({d: Dim(0)})]
    if len(single) > 1 and not all(same(dict(zip(single, values)))
                                  for values in itertools.product((Dim(0), Dim(1)), repeat=len(single))):
        return frozenset()
    return frozenset(single)


def _shape(t: Type) -> tuple[Dim, ...]:
    return t.shape if isinstance(t, Tensor) and t.is_array else ()


def _emitted_text(traced: Traced) -> str:
    params = tuple(Parameter(p.name, p.kind, tree=p.tree) for p in traced.params)
    return generate(pipeline.run(traced.fn), Interface("f", params, traced.result)).definition


def _types_with_sizes(traced: Traced, chosen_sizes: Mapping[Dim, Dim]) -> Iterator[tuple[str, str]]:
    """The types of the parameters that have one of these sizes, with numbers in their place."""
    free = {traced.fn.params.index(f.param): f for f in traced.free}
    for p in traced.params:
        if isinstance(p.tree, Leaf) and p.tree.index in free:
            attribute = free[p.tree.index].key
            if isinstance(attribute, Untyped):
                yield from _parameter_types(traced, attribute.name, p.tree, chosen_sizes)
        else:
            yield from _parameter_types(traced, p.name, p.tree, chosen_sizes)


def _parameter_types(traced: Traced, name: str, tree: Tree, chosen_sizes: Mapping[Dim, Dim]
                     ) -> Iterator[tuple[str, str]]:
    if isinstance(tree, Node) and tree.kind == "object":
        for key, child in zip(tree.keys, tree.children):
            yield from _parameter_types(traced, f"{name}.{key}", child, chosen_sizes)
    elif any(d in chosen_sizes for k in leaves(tree) for d in _shape(traced.fn.params[k].type)):
        yield name, structure_text(tree, lambda k: _type_text(traced.fn.params[k].type, chosen_sizes))


def _type_text(t: Type, chosen_sizes: Mapping[Dim, Dim]) -> str:
    if isinstance(t, Tensor):
        return str(replace(t, shape=tuple(chosen_sizes.get(d, d) for d in t.shape)))
    if isinstance(t, List):
        return f"list[{_type_text(map_sizes(in_signature, t.elem), chosen_sizes)}]"
    return "str" if isinstance(t, Opaque) else str(t)
