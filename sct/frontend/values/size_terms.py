"""Size terms: their values for given arguments, and their text in Python.

>>> n = sym("n")
>>> value_of_size(range_len(n, 2), {"n": (0, 0)}, [np.zeros(7)])
4
>>> size_text(range_len(n, 2), {"n": (0, 0)})
'len(range(0, {0}.shape[0], 2))'
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Union

from sct.ir.dims import Apply, Atom, Dim, applied, divided, power, product, range_len, slice_len
from sct.ir.types import TypeMismatch, broadcast_dims
from sct.ops.type_rules import size_dim

__all__ = ["At", "atoms", "is_function", "known_size", "range_size", "substituted", "value_of_size", "size_text"]

At = Union[tuple[int, Union[int, tuple[int, int], None]], Dim]
"""A leaf and its axis; None: its value; (item, axis): the axis of an item of a list.  Or a function of the leaves."""


def atoms(d: Dim) -> Iterator[Atom]:
    """The atoms of a term, those in others too."""
    for atom, _ in d.terms:
        yield atom
        for x in atom.args if isinstance(atom, Apply) else ():
            yield from () if x is None else atoms(x)


def is_function(d: Dim) -> bool:
    """Is the size a function of the sizes that it names?  It is not where the values of arrays or the path decide."""
    return not any(isinstance(atom, Apply) and atom.fn in ("join", "residuals") for atom in atoms(d))


# -- what it is simpler, where more is known ---------------------------------------------------


def known_size(fn: str, args: Sequence[Dim | None], positive: Callable[[Dim], bool] = lambda d: d.least >= 0) -> Dim:
    """The size `fn(*args)`, simpler where more is known of the arguments now."""
    operands = [a for a in args if a is not None]
    if fn == "slice_len" and args[0] is not None and args[3] is not None:
        return slice_len(args[0], args[1], args[2], args[3].const, positive)
    if fn == "range_len":
        return range_len(operands[0], operands[1].const, positive)
    if fn in ("prod", "mul"):
        return size_dim(operands) if fn == "prod" else product(operands, positive)
    if fn in ("floordiv", "pow"):
        return divided(*operands) if fn == "floordiv" else power(*operands)
    if fn == "broadcast":
        try:
            return broadcast_dims(*operands)
        except TypeMismatch:  # on a path that raises
            return applied(fn, *args)
    return operands[0] if fn == "join" and operands[0] == operands[1] else applied(fn, *args)


def substituted(d: Dim, sizes: Mapping[str, Dim | None]) -> Dim | None:
    """The size with other terms for the sizes that it names; None where one of them has none.

    >>> str(substituted(range_len(sym("m") + 1, 2), {"m": sym("n") - 1}))
    'range_len(n, 2)'
    """
    total = Dim(d.const)
    for atom, coef in d.terms:
        if isinstance(atom, Apply):
            args = [None if a is None else substituted(a, sizes) for a in atom.args]
            lost = any(a is not None and x is None for a, x in zip(atom.args, args))
            part = None if lost else known_size(atom.fn, args)
        else:
            part = sizes.get(atom)
        if part is None:
            return None
        total = total + part * coef
    return total


# -- for arguments at hand ---------------------------------------------------------------------


def _broadcast(a: int, b: int) -> int | None:
    return a if a == b or b == 1 else b if a == 1 else None


NOW: Mapping[str, Callable[..., int | None]] = {
    "slice_len": lambda n, start, stop, step: len(range(n)[start:stop:step]),
    "range_len": lambda stop, step: len(range(0, stop, step)),
    "prod": lambda *sizes: math.prod(sizes),
    "mul": lambda *sizes: math.prod(sizes),
    "floordiv": lambda a, b: a // b if b else None,
    "pow": lambda a, b: a**b if 0 <= b < 64 else None,
    "arange": lambda start, stop, step: len(range(start, stop, step)) if step else None,
    "broadcast": _broadcast,
    "min": min,
}


def range_size(*bounds: int) -> int:
    """`len(range(*bounds))`, however large."""
    items = range(*bounds)
    return items.index(items[-1]) + 1 if items else 0


def value_of_size(d: Dim, sizes: Mapping[str, At], leaves: Sequence[Any]) -> int | None:
    """The value of a size for these leaves, None where they do not tell."""
    total = d.const
    for atom, coef in d.terms:
        value: Any
        if isinstance(atom, Apply):
            args = [None if a is None else value_of_size(a, sizes, leaves) for a in atom.args]
            if atom.fn not in NOW or any(a is not None and b is None for a, b in zip(atom.args, args)):
                return None
            value = NOW[atom.fn](*args)
        else:
            at = sizes.get(atom)
            if at is None:
                return None
            value = value_of_size(at, sizes, leaves) if isinstance(at, Dim) else _at(leaves[at[0]], at[1])
        if not isinstance(value, int):
            return None
        total += coef * value
    return total


def _at(x: Any, axis: int | tuple[int, int] | None) -> Any:
    if isinstance(axis, tuple):
        return x[axis[0]].shape[axis[1]]
    return x if axis is None else x.shape[axis]


# -- in Python ------------------------------------------------------------------------------------


def size_text(d: Dim, sizes: Mapping[str, At]) -> str | None:
    """The size in Python, `{0}` being leaf 0; None if there is no short way to write it."""
    text = ""
    for atom, coef in d.terms:
        part = _atom_text(atom, sizes)
        if part is None:
            return None
        part = f"({part})" if abs(coef) != 1 and " " in part and not part.endswith(")") else part
        text += f"{' - ' if coef < 0 else ' + '}{part if abs(coef) == 1 else f'{abs(coef)} * {part}'}"
    if d.const or not d.terms:
        text += f"{' - ' if d.const < 0 else ' + '}{abs(d.const)}"
    return f"-{text[3:]}" if text.startswith(" - ") else text[3:]


def _atom_text(atom: Atom, sizes: Mapping[str, At]) -> str | None:
    at = atom if isinstance(atom, Apply) else sizes[atom]
    if isinstance(at, Apply):
        return _applied_text(at, sizes)
    if isinstance(at, Dim):
        return size_text(at, sizes)
    leaf, axis = at
    if axis is None:
        return f"{{{leaf}}}"
    return f"{{{leaf}}}.shape[{axis}]" if isinstance(axis, int) else f"{{{leaf}}}[{axis[0]}].shape[{axis[1]}]"


def _applied_text(atom: Apply, sizes: Mapping[str, At]) -> str | None:
    args = [None if a is None else size_text(a, sizes) for a in atom.args]
    if any(a is not None and text is None for a, text in zip(atom.args, args)):
        return None
    if atom.fn == "slice_len":
        return f"len(range({args[0]})[{':'.join(text or '' for text in args[1:])}])"
    if atom.fn == "range_len":
        return f"max({args[0]}, 0)" if args[1] == "1" else f"len(range(0, {args[0]}, {args[1]}))"
    if atom.fn == "arange":
        return f"len(range({', '.join(map(str, args))}))"
    if atom.fn == "min":
        return f"min({', '.join(map(str, args))})"
    sign = SIGNS.get(atom.fn)
    return sign and sign.join(f"({text})" if " " in str(text) else str(text) for text in args)


SIGNS = {"prod": " * ", "mul": " * ", "floordiv": " // ", "pow": " ** "}
