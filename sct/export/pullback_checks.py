"""Pullbacks in a module check and convert their cotangents, as `sct.vjp` does.

    def pullback(dz):                      def pullback(dz):
        dx = dz * y               ->           dz = cotangent_like(dz, z)
        return dx                              dx = dz * y
                                               return dx
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Sequence

from sct.export.argument_checks import raise_statements, structure_checks
from sct.ir.core import Eqn, Fn, Op, Operand, Value
from sct.ir.pytrees.pytree import Leaf, Node, Tree
from sct.ir.types import List, Tensor

__all__ = ["HELPER", "returns_pullback", "structure_checks_of", "with_checked_cotangents"]

HELPER = '''\
def cotangent_like(ct, value):
    """`ct` as a cotangent of `value`: of its shape, in its dtype; None is zero."""
    if isinstance(value, list):
        if type(ct) is not list or len(ct) != len(value):
            raise TypeError(f"a cotangent must be a list of {len(value)}")
        return [cotangent_like(c, v) for c, v in zip(ct, value)]
    made = np.asarray(np.zeros(np.shape(value)) if ct is None else ct)
    kinds = "biufc" if np.iscomplexobj(value) else "biuf"
    if made.dtype.kind not in kinds or made.shape != np.shape(value):
        raise TypeError(f"a cotangent must be a number or an array of shape {np.shape(value)}")
    return made.astype(np.result_type(value), copy=False)[()]
'''
"""A function of each module with a pullback.  Its result may be the cotangent itself, which is never overwritten."""

LIKE = Op("cotangent_like", lambda *_: None, emit="cotangent_like(_0, _1)",  # type: ignore[arg-type]
          nondiff="a check")


def returns_pullback(fn: Fn) -> bool:
    """Does the function return a pullback?"""
    return any(eqn.op.name == "pullback" or _is_pullback(eqn) for eqn in fn.eqns)


def _is_pullback(eqn: Eqn) -> bool:
    return eqn.op.name == "closure" and bool(eqn.attrs.get("escapes", True))


def with_checked_cotangents(fn: Fn, result: Tree) -> Fn:
    """`fn`, ready to print, with pullbacks that convert their cotangents to the shape and dtype of the value."""
    assert isinstance(result, Node)
    copied = {eqn.out: eqn.args[0] for eqn in fn.eqns if eqn.op.name in ("copy", "copy_list")}
    values = [copied.get(r, r) if isinstance(r, Value) else r for r in fn.results]  # copied after the pullback is made
    return fn.replace(eqns=tuple(
        _with_checked_params(eqn, values, result.children[0]) if _is_pullback(eqn) else eqn for eqn in fn.eqns))


def _with_checked_params(eqn: Eqn, values: Sequence[Operand], value: Tree) -> Eqn:
    (region,) = eqn.regions
    matching_values = {j: values[k] for j, k in _pairs(eqn.attrs["params"], value)}
    params, conversions = [], []
    for j, p in enumerate(region.params):
        unchecked = p
        if isinstance(p.type, (List, Tensor)) and j in matching_values:
            unchecked = Value(p.type, p.hint)
            conversions.append(Eqn(LIKE, (unchecked, matching_values[j]), (p,), primal=False))
        params.append(unchecked)
    return eqn.replace(regions=(region.replace(params=tuple(params), eqns=(*conversions, *region.eqns)),))


def _pairs(ct: Tree, value: Tree) -> Iterator[tuple[int, int]]:
    """Pairs of corresponding leaves of two trees of one structure."""
    if isinstance(ct, Leaf) and isinstance(value, Leaf):
        yield ct.index, value.index
    elif isinstance(ct, Node) and isinstance(value, Node):
        for a, b in zip(ct.children, value.children):
            yield from _pairs(a, b)


def structure_checks_of(class_text: Callable[[type], str]) -> Callable[[str, Tree], Sequence[ast.stmt]]:
    """Gives the first statements of a pullback, which check the structure of its parameter."""
    return lambda name, tree: raise_statements(structure_checks(name, tree, class_text))
