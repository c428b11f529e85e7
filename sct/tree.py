"""Trees: what arguments and gradients are made of: dicts, lists, tuples, dataclasses, named tuples and objects.

    params = sct.tree.map(lambda p, g: p - rate * g, params, grads)
    vector, unravel = sct.tree.ravel(params)

The leaves are numbers and arrays.  Anything else in a tree (a string, None, a bool) stays as it is.  All functions may
be called inside functions that are differentiated: the frontend recognizes them by `__sct_call__`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from sct.errors import SctError, class_in_words
from sct.ir.pytrees.pytree import is_number, parts_of, step_text, tree_leaves, with_items

__all__ = ["leaves", "map", "ravel"]


def map(f: Callable[..., Any], tree: Any, *others: Any) -> Any:
    """A tree like `tree`, with `f(leaf, *leaves)` in the place of each leaf; `leaves` are those of `others` there.

    f       takes one leaf of each tree
    tree    numbers and arrays in dicts, lists, tuples, dataclasses, named tuples and objects; or one of them alone
    others  trees with the same parts.  Where one has None, as a gradient has for a string or an int, the leaf of `tree`
            stays as it is

    Objects are made without running code of their class.  Raises SctError SCT917 where the parts differ.

    >>> map(lambda p, g: p - 0.5 * g, {"w": [1.0, 2.0], "name": "a"}, {"w": [2.0, 4.0], "name": None})
    {'w': [0.0, 0.0], 'name': 'a'}
    """
    return _mapped(f, (tree, *others), "tree")


def _mapped(f: Callable[..., Any], trees: tuple[Any, ...], at: str) -> Any:
    tree, *others = trees
    if any(other is None for other in others):
        return tree
    parts = parts_of(tree)
    if parts is None:
        if not is_number(tree):
            return tree
        for other in others:
            if parts_of(other) is not None:
                raise _different(at, "a number or an array", other)
        return f(*trees)
    rows = [parts_of(other) for other in others]
    for other, row in zip(others, rows):
        if row is None or row.kind != parts.kind or row.items.keys() != parts.items.keys():
            raise _different(at, _in_words(tree), other)
    return with_items(tree, {
        key: _mapped(f, (part, *(row.items[key] for row in rows if row)), at + step_text(parts, key))
        for key, part in parts.items.items()})


def _different(at: str, wanted: str, other: Any) -> SctError:
    return SctError("SCT917", f"tree.map: the trees differ at `{at}`",
                    why=f"the first one has {wanted} there, another {_in_words(other)}",
                    hint="give trees with the same parts, such as arguments and their gradients")


def _in_words(x: Any) -> str:
    parts = parts_of(x)
    there = "" if parts is None else f" with {', '.join(str(key) for key in parts.items) or 'no parts'}"
    return f"{class_in_words(x)}{there}"


def leaves(tree: Any) -> list[Any]:
    """The numbers and arrays of a tree, left to right.

    >>> leaves({"w": [1.0, 2.0], "name": "a", "b": 3})
    [1.0, 2.0, 3]
    """
    return [leaf for leaf in tree_leaves(tree) if is_number(leaf)]


def ravel(tree: Any) -> tuple[Any, Callable[[Any], Any]]:
    """(vector, unravel): the floats of a tree in a vector, and the function from such a vector to a tree.

    tree     as in `map`; its real or complex numbers and arrays go to the vector, left to right; ints stay in the tree
    vector   1-D array
    unravel  takes a vector of that length, and returns a tree like `tree`

    >>> vector, unravel = ravel({"w": np.array([1.0, 2.0]), "b": 3.0, "n": 4})
    >>> vector
    array([1., 2., 3.])
    >>> unravel(2.0 * vector)
    {'w': array([2., 4.]), 'b': 6.0, 'n': 4}
    """
    floats = [leaf for leaf in leaves(tree) if is_floating(leaf)]
    vector = np.concatenate([np.ravel(leaf) for leaf in floats]) if floats else np.zeros(0)

    def unravel(vector: Any) -> Any:
        if np.shape(vector) != (size,):
            raise SctError("SCT917", f"unravel takes a vector of {size} numbers",
                           why=f"its shape is {np.shape(vector)}")
        position = 0

        def part(leaf: Any) -> Any:
            nonlocal position
            if not is_floating(leaf):
                return leaf
            begin, position = position, position + np.size(leaf)
            values = vector[begin:position] if np.iscomplexobj(leaf) else np.real(vector[begin:position])
            if isinstance(leaf, np.ndarray):
                return values.reshape(leaf.shape).astype(leaf.dtype)
            return type(leaf)(values[0])

        return map(part, tree)

    size = vector.size
    unravel.__dict__.update(__sct_call__="tree_unravel", __sct_tree__=tree)
    return vector, unravel


def is_floating(leaf: Any) -> bool:
    """Is this a leaf that a derivative passes through?"""
    return isinstance(leaf, (float, complex, np.inexact)) or isinstance(leaf, np.ndarray) and leaf.dtype.kind in "fc"


for _function in (map, leaves, ravel):
    _function.__dict__["__sct_call__"] = f"tree_{_function.__name__}"
