"""What a pullback in a module is given is checked there, as `sct.vjp` checks it.

    def pullback(dz):                      def pullback(dz):
        dx = dz * y               ->           dz = cotangent_like(dz, z)
        return dx                              dx = dz * y
                                               return dx
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Sequence

from sct.export.argument_checks import arranged, raising
from sct.ir.core import Eqn, Fn, Op, Operand, Value
from sct.ir.pytree import Leaf, Node, Tree
from sct.ir.types import List, Tensor

__all__ = ["HELPER", "fitted", "pulls_back", "tops"]

HELPER = '''\
def cotangent_like(ct, value):
    """`ct` as a cotangent of `value`: of its shape, in its dtype; None is zero."""
    if isinstance(value, list):
        if type(ct) is not list or len(ct) != len(value):
            raise TypeError(f"a cotangent must be a list of {len(value)}")
        return [cotangent_like(c, v) for c, v in zip(ct, value)]
    made = np.asarray(np.zeros(np.shape(value)) if ct is None else ct)
    if made.dtype.kind not in "biuf" or made.shape != np.shape(value):
        raise TypeError(f"a cotangent must be a number or an array of shape {np.shape(value)}")
    return made.astype(np.result_type(value), copy=False)[()]
'''
"""In a module with a pullback; what it gives is written into nowhere."""

LIKE = Op("cotangent_like", lambda *_: None, emit="cotangent_like(_0, _1)",  # type: ignore[arg-type]
          nondiff="a check")


def pulls_back(fn: Fn) -> bool:
    """Is a pullback among its results?"""
    return any(eqn.op.name in ("pullback", "closure") for eqn in fn.eqns)


def fitted(fn: Fn, result: Tree) -> Fn:
    """`fn`, ready to print, with pullbacks that fit what they are given to the value."""
    assert isinstance(result, Node)
    copied = {eqn.out: eqn.args[0] for eqn in fn.eqns if eqn.op.name in ("copy", "copy_list")}
    values = [copied.get(r, r) if isinstance(r, Value) else r for r in fn.results]  # copied after the pullback is made
    return fn.with_(eqns=tuple(
        _fitted(eqn, values, result.children[0]) if eqn.op.name == "closure" else eqn for eqn in fn.eqns))


def _fitted(eqn: Eqn, values: Sequence[Operand], value: Tree) -> Eqn:
    (region,) = eqn.regions
    beside = {j: values[k] for j, k in _pairs(eqn.attrs["params"], value)}
    params, made = [], []
    for j, p in enumerate(region.params):
        given = p
        if isinstance(p.type, (List, Tensor)) and j in beside:
            given = Value(p.type, p.hint)
            made.append(Eqn(LIKE, (given, beside[j]), (p,), primal=False))
        params.append(given)
    return eqn.with_(regions=(region.with_(params=tuple(params), eqns=(*made, *region.eqns)),))


def _pairs(ct: Tree, value: Tree) -> Iterator[tuple[int, int]]:
    """The leaves of two trees of one structure, side by side."""
    if isinstance(ct, Leaf) and isinstance(value, Leaf):
        yield ct.index, value.index
    elif isinstance(ct, Node) and isinstance(value, Node):
        for a, b in zip(ct.children, value.children):
            yield from _pairs(a, b)


def tops(class_text: Callable[[type], str]) -> Callable[[str, Tree], Sequence[ast.stmt]]:
    """What stands first in a pullback, by the name and the structure of what it takes: checks of the structure."""
    return lambda name, tree: raising(arranged(name, tree, class_text))
