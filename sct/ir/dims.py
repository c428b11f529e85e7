"""Dims: the sizes of shapes, as linear terms over named sizes.  Equal terms are equal sizes: `n - 2 + 2 == n`.

>>> n = sym("n")
>>> str(n - 2 + range_len(n, 2))
'n + range_len(n, 2) - 2'
"""

from __future__ import annotations

import math
import zlib
from collections.abc import Callable, Mapping, Sequence
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Union

__all__ = [
    "RAGGED", "Apply", "Dim", "TypeMismatch", "applied", "are_equal", "at_least_zero", "broadcast_dims",
    "broadcast_shapes", "carried_size", "divided", "in_signature", "is_ragged", "linear", "note_size_requirement",
    "of_items", "of_signature", "power", "product", "ragged", "range_len", "size_at", "size_requirements",
    "sizes_by_place", "sizes_of_part", "slice_len", "sym", "without_classes",
]


@dataclass(frozen=True)
class Apply:
    """A size that is not a linear term: `range_len(n, 2)`, `slice_len(n, 0, j, 1)`, `broadcast(n, m)`."""

    fn: str
    args: tuple[Dim | None, ...]

    def __str__(self) -> str:
        return f"{self.fn}({', '.join(map(str, self.args))})"


Atom = Union[str, Apply]


@dataclass(frozen=True)
class Dim:
    """`const + sum(coef * atom)`, atoms in order of their text.

    The name of a symbol tells its bounds: `n`, the size of an argument,
    is neither 0 nor 1; `_k`, a size found at run time, is at least 0; `_many_k`,
    one that is neither 0 nor 1; `__m`, a Python int used as a size, may be anything.
    """

    const: int
    terms: tuple[tuple[Atom, int], ...] = ()

    @property
    def value(self) -> int | None:
        """The size where it is a number, else None."""
        return None if self.terms else self.const

    @property
    def is_of_arguments(self) -> bool:
        """Is it a linear term of sizes of arguments, which a call fixes?"""
        return bool(self.terms) and all(isinstance(atom, str) and not atom.startswith("_") for atom, _ in self.terms)

    @property
    def least(self) -> float:
        """A lower bound."""
        total: float = self.const
        for atom, coef in self.terms:
            total += coef * _least(atom) if coef > 0 else float("-inf")
        return total

    @property
    def never_one(self) -> bool:
        return self.const != 1 if not self.terms else self.least >= 2

    @property
    def symbols(self) -> frozenset[str]:
        """Names of the sizes in this term."""
        names: set[str] = set()
        for atom, _ in self.terms:
            if isinstance(atom, str):
                names.add(atom)
            else:
                names.update(*(a.symbols for a in atom.args if a is not None))
        return frozenset(names)

    def __add__(self, other: Dim | int) -> Dim:
        other = Dim(other) if isinstance(other, int) else other
        if not other.terms or not self.terms:
            return Dim(self.const + other.const, self.terms or other.terms)
        coefs = dict(self.terms)
        for atom, coef in other.terms:
            coefs[atom] = coefs.get(atom, 0) + coef
        return linear(self.const + other.const, coefs)

    def __mul__(self, k: int) -> Dim:
        return Dim(self.const * k, tuple((a, c * k) for a, c in self.terms) if k else ())

    def __neg__(self) -> Dim:
        return self * -1

    def __sub__(self, other: Dim | int) -> Dim:
        return self + -other

    def __str__(self) -> str:
        text = ""
        for atom, coef in sorted(self.terms, key=lambda t: t[1] < 0):
            part = str(atom) if abs(coef) == 1 else f"{abs(coef)} * {atom}"
            text += (" - " if coef < 0 else " + ") + part if text else ("-" if coef < 0 else "") + part
        if not text:
            return str(self.const)
        return text + (f" {'-' if self.const < 0 else '+'} {abs(self.const)}" if self.const else "")


def _least(atom: Atom) -> float:
    if isinstance(atom, Apply):
        least = [d.least for d in atom.args if d is not None]
        if atom.fn == "prod":
            return math.prod(max(0, low) for low in least)
        if atom.fn == "range_len":
            return -(-least[0] // least[1]) if least[0] > 0 else 0
        if atom.fn == "pow" and least[0] >= 0:
            return min(1, least[0])
        if atom.fn in ("mul", "pow") or atom.fn == "floordiv" and not (least[0] >= 0 and least[1] > 0):
            return float("-inf")
        return 0
    if atom.startswith("_") and not atom.startswith("__"):
        return 2 if atom.removeprefix(_RAGGED).startswith(_MANY) else 0
    return float("-inf") if atom.startswith("__") else 2


def sym(name: str) -> Dim:
    """The size called `name`."""
    return Dim(0, ((name, 1),))


# -- sizes that differ from item to item of a list -------------------------------------

_RAGGED, _ITEM, _MANY = "_ragged", "_item", "_many"
_OF_ITEM = "_i"

RAGGED = sym(_RAGGED)
"""The size of an axis of the items of a list, which may differ from item to item."""


def ragged(name: str, least: int) -> Dim:
    """The size of an axis of class `name`, which may differ from item to item, and is at least so much.

    Axes of one class have, at one position, one size: in a list of records `(y, X)` that of `y` and the first of `X`.

    >>> str(size_at(ragged("m", 2), "i", "")), size_at(ragged("m", 2), "i", "").least
    ('_many_m_i', 2)
    """
    return sym(f"{_RAGGED}{_ITEM if least < 2 else _MANY}_{name}")


def is_ragged(d: Dim) -> bool:
    """Is this a size that may differ from item to item?"""
    return any(name.startswith(_RAGGED) and d == sym(name) for name in d.symbols)


def size_at(d: Dim, place: str, own: str) -> Dim:
    """The size, in the array at a place of a list, of an axis of its items; `own`: what no other axis is called."""
    if d == RAGGED:
        return sym(f"{_ITEM}{own}")
    return sym(f"{_name_of(d).removeprefix(_RAGGED)}_{place}") if is_ragged(d) else d


def sizes_by_place(d: Dim, place: str) -> Dim | None:
    """The size that differs from item to item and is `d` at this place; None if `d` is no size at it.

    >>> size_at(sizes_by_place(sym("_many_m_v3"), "v3"), "v4", "")
    Dim(const=0, terms=(('_many_m_v4', 1),))
    """
    for name in d.symbols:
        if d == sym(name) and name.startswith((f"{_ITEM}_", f"{_MANY}_")) and name.endswith(f"_{place}"):
            return sym(f"{_RAGGED}{name.removesuffix(f'_{place}')}")
    return None


def sizes_of_part(d: Dim, part: str) -> Dim:
    """The size of an axis of the items of a part of a list, or of the list in another order, which has this name."""
    return sym(f"{_name_of(d)}_{part}") if is_ragged(d) and d != RAGGED else d


def without_classes(d: Dim) -> Dim:
    """The size of an axis of the items of a list whose items stand at other positions than those of a class."""
    return RAGGED if is_ragged(d) else d


def in_signature(d: Dim) -> Dim:
    """The size as the types of a signature show it: `m_i`, the size of item `i`."""
    return sym(f"{_name_of(d).rpartition('_')[2]}{_OF_ITEM}") if is_ragged(d) else d


def of_signature(d: Dim) -> Dim:
    """The size of items of a list, of which a signature shows this."""
    names = [name.removesuffix(_OF_ITEM) for name in d.symbols if name.endswith(_OF_ITEM)]
    return ragged(names[0], 2) if names else d


def _name_of(d: Dim) -> str:
    (name,) = d.symbols
    return name


def carried_size(name: str, k: object) -> Dim:
    """A size that changes from iteration to iteration, or from call to call, and has this name in each."""
    return sym(f"_carried{zlib.crc32(name.encode())}_{k}")


def of_items(d: Dim) -> Dim:
    """The size of an axis of items of a list, where that of one of them is `d`: ragged if another may have another."""
    differs = any(isinstance(atom, Apply) and atom.fn == "join" for atom, _ in d.terms)
    varies = any(name.startswith(("_carried", _RAGGED)) for name in d.symbols)
    return RAGGED if (differs or varies) and not is_ragged(d) else d


def linear(const: int, coefs: Mapping[Atom, int]) -> Dim:
    """const + sum(coef * atom), with the atoms in order."""
    return Dim(const, tuple(sorted([(a, c) for a, c in coefs.items() if c], key=lambda t: str(t[0]))))


def applied(fn: str, *args: Dim | None) -> Dim:
    """The size `fn(*args)`, an atom of terms."""
    return Dim(0, ((Apply(fn, args), 1),))


def at_least_zero(d: Dim) -> bool:
    return d.least >= 0


def slice_len(n: Dim, start: Dim | None, stop: Dim | None, step: int = 1,
              positive: Callable[[Dim], bool] = at_least_zero) -> Dim:
    """`len(range(n)[start:stop:step])` as a term, linear where that is provable.

    positive  whether a term is provably not negative

    >>> n = sym("n")
    >>> str(slice_len(n, Dim(1), Dim(-1))), str(slice_len(n, Dim(1), Dim(-1), 2))
    ('n - 2', 'range_len(n - 2, 2)')
    """
    if n.value is not None and all(d is None or d.value is not None for d in (start, stop)):
        bounds = slice(None if start is None else start.const, None if stop is None else stop.const, step)
        return Dim(len(range(n.value)[bounds]))
    if step in (1, -1) and start is None and stop is None:
        return n
    if step > 0:
        lo, hi = Dim(0) if start is None else start, n if stop is None else stop
        lo = n + lo if not positive(lo) and positive(-lo - 1) else lo
        from_end = not positive(hi) and positive(-hi - 1)
        hi = n + hi if from_end else hi
        # A stop before the start, or before 0, gives nothing: as a range of a negative number.
        if positive(lo) and (from_end or hi == n or positive(hi)) and positive(n - hi):
            return range_len(hi - lo, step, positive)
    stop = None if step > 0 and stop == n else stop
    return applied("slice_len", n, start, stop, Dim(step))


def range_len(stop: Dim, step: int = 1, positive: Callable[[Dim], bool] = at_least_zero) -> Dim:
    """`len(range(0, stop, step))` as a term, for a positive step."""
    if stop.value is not None:
        return Dim(len(range(0, stop.value, step)))
    if all(c % step == 0 for _, c in stop.terms):
        stop, step = Dim(-(-stop.const // step), tuple((a, c // step) for a, c in stop.terms)), 1
    if step == 1 and positive(stop):
        return stop
    (atom, coef), *more = stop.terms
    if isinstance(atom, Apply) and atom.fn == "range_len" and coef == 1 and not more and stop.const <= 0 \
            and atom.args[0] is not None and atom.args[1] == Dim(1):
        stop = atom.args[0] + stop.const
    return applied("range_len", stop, Dim(step))


def product(sizes: Sequence[Dim], positive: Callable[[Dim], bool] = at_least_zero) -> Dim:
    """The product of terms, linear where all but one are numbers."""
    factor, others = 1, []
    for d in sizes:
        if d.value is None:
            others.append(d)
        else:
            factor *= d.value
    if len(others) < 2:
        return (others[0] if others else Dim(1)) * factor
    fn = "prod" if all(map(positive, others)) else "mul"
    return applied(fn, *sorted(others, key=str)) * factor


def power(a: Dim, b: Dim) -> Dim:
    """a ** b, where `b` is at least 0; small powers are products: `n ** 2 == n * n`."""
    if b.value is not None and 0 <= b.value < (4 if a.terms else 64):
        return product((a,) * b.value)
    return applied("pow", a, b)


def divided(a: Dim, b: Dim) -> Dim:
    """`a // b` as a term, linear where that is exact."""
    if b.value and all(c % b.value == 0 for c in (a.const, *(c for _, c in a.terms))):
        return Dim(a.const // b.value, tuple((x, c // b.value) for x, c in a.terms))
    if a.value is not None and b.value:
        return Dim(a.value // b.value)
    return applied("floordiv", a, b)


class TypeMismatch(Exception):
    """The operands of a call have types that do not go together; the call is refused, with this hint."""

    def __init__(self, why: str, hint: str = "") -> None:
        super().__init__(why)
        self.hint = hint


# -- sizes that NumPy requires to be equal ---------------------------------------------


_requirements: ContextVar[list[bool] | None] = ContextVar("size_requirements", default=None)


def note_size_requirement(proved: bool) -> None:
    """Note that NumPy requires something of the sizes, and whether it is proved; type rules call this."""
    requirements = _requirements.get()
    if requirements is not None:
        requirements.append(proved)


def size_requirements(rule: Callable[[], object]) -> list[bool]:
    """For each requirement of NumPy on the sizes in a call: is it proved?  `rule` types the call."""
    requirements: list[bool] = []
    token = _requirements.set(requirements)
    try:
        rule()
    finally:
        _requirements.reset(token)
    return requirements


def are_equal(a: Dim, b: Dim) -> bool:
    """Are these terms equal as sizes, which are not negative?

    >>> are_equal(sym("__i") - 1, range_len(sym("__i") - 1))
    True
    """
    return a == b or range_len(a) == range_len(b)


def broadcast_dims(a: Dim, b: Dim) -> Dim:
    """The size of the broadcast of two dims, given that NumPy accepts them."""
    note_size_requirement(1 in (a.value, b.value) or are_equal(a, b))
    if a == b or b.value == 1:
        return a
    if a.value == 1:
        return b
    if a.value is not None and b.value is not None:
        raise TypeMismatch(f"operands could not be broadcast together: sizes {a} and {b}")
    if a.value is not None and a.never_one:
        return a
    if b.value is not None and b.never_one:
        return b
    if a.never_one:
        return a
    if b.never_one:
        return b
    if are_equal(a, b):
        return a
    return applied("broadcast", a, b)


def broadcast_shapes(*shapes: tuple[Dim, ...]) -> tuple[Dim, ...]:
    """NumPy's broadcast of shapes; raises `TypeMismatch` where it must fail."""
    rank = max(map(len, shapes), default=0)
    if not rank:
        return ()
    out = [Dim(1)] * rank
    for shape in shapes:
        for k, d in enumerate(shape, rank - len(shape)):
            out[k] = broadcast_dims(out[k], d)
    return tuple(out)
