"""What is known of the arguments: facts asked of them, which are guards, and sizes found to be equal.

    for i in range(n): y[i] = x[i]        nothing is asked
    np.sum(x, axis=k)                     what is `k`?  Its answer is a guard
    x + y                                 is len(x) == len(y)?  Put in for each other from here on
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NoReturn, Union

from sct.errors import SctError
from sct.ir import Fn, Op, Operand, Value
from sct.ir.types import Apply, Dim, Optional, Seq, Tensor, Type, Undef, slice_len

__all__ = ["UNKNOWN", "Facts", "Guard", "NeedsStatic", "size_of"]


class _Unknown:
    def __repr__(self) -> str:
        return "unknown"


UNKNOWN = _Unknown()
"""The value of an argument ahead of time."""


class NeedsStatic(Exception):
    """A value must be known at compile time, and depends on a loop index."""

    def __init__(self, value: Value, error: SctError) -> None:
        self.value, self.error = value, error


@dataclass(frozen=True)
class Guard:
    """A fact about the arguments that a specialisation relies on.

    test  the fact in Python, `{0}` being leaf 0, "" if the result is right without it; or a
          function of the leaves, and what it gives; None: it takes sct to tell
    """

    text: str
    holds: Callable[[Sequence[Any]], bool]
    test: str | tuple[Fn, Any] | None = None


SQUARE = frozenset(("inv", "det", "slogdet", "solve", "cholesky", "eigh", "eigvalsh", "matrix_power"))
"""Ops whose first operand must be a square matrix."""


class Facts:
    """The leaves of the arguments, and what has been asked of them.

    params      the flat arguments of the function being built, free variables last
    leaves      their run-time values; UNKNOWN ahead of time
    sizes       where a size is found: (leaf, axis), None for an int
    same_size   symbols of sizes that are known to equal other terms, for good: `guards` of a
                walk of a loop that is done again are dropped, those in `size_guards` are not
    """

    def __init__(self) -> None:
        self.leaves: list[Any] = []
        self.params: list[Value] = []
        self.guards: dict[str, Guard] = {}
        self.sizes: dict[str, At] = {}
        self.size_names: dict[int, str] = {}
        self.same_size: dict[str, Dim] = {}
        self.size_guards: dict[str, Guard] = {}

    @property
    def ahead(self) -> bool:
        """Are there no arguments to ask?"""
        return any(leaf is UNKNOWN for leaf in self.leaves)

    def agree_sizes(self, op: Op, args: Sequence[Operand | float | None]) -> tuple[Operand | float | None, ...]:
        """Ask whether sizes that meet in a broadcast, and are not known to be equal, are."""
        if op.partials is not None or op.name in ("where", "maximum", "minimum", "clip"):
            arrays = [a for a in args if isinstance(a, Value) and isinstance(a.type, Tensor) and a.type.is_array]
            shapes = [a.type.shape for a in arrays if isinstance(a.type, Tensor)]
            for shape in shapes[1:]:
                for p, q in zip(reversed(shapes[0]), reversed(shape)):
                    if not self.same(p, q):
                        self.differ(p, q)
                        self.cannot_broadcast(arrays)
        elif op.name in SQUARE and self.ahead:
            x = args[0].type if isinstance(args[0], Value) else None
            if isinstance(x, Tensor) and x.rank > 1:
                self.same(x.shape[-1], x.shape[-2])
        elif op.name in ("matmul", "dot", "inner") and self.ahead:
            x, y = (a.type for a in args if isinstance(a, Value))
            if isinstance(x, Tensor) and isinstance(y, Tensor) and x.rank and y.rank:
                self.same(x.shape[-1], y.shape[-2 if y.rank > 1 and op.name != "inner" else -1])
        return tuple(args)

    def same(self, p: Dim, q: Dim) -> bool:
        """Record that two sizes are equal, or that one is 1, where the arguments say so; False if neither is so."""
        p, q = self.resolve(p), self.resolve(q)
        if p == q or p.value == 1 or q.value == 1:
            return True
        now = [self.size_now(d) for d in (p, q)]
        if None in now:
            return True
        if now[0] == now[1]:
            self.equate(p, q)
        elif 1 in now:
            self.equate(p if now[0] == 1 else q, Dim(1))
        else:
            return False
        return True

    def agree(self, a: Type, b: Type) -> None:
        """Record which sizes of two types are equal, where the arguments say so."""
        while isinstance(a, (Optional, Undef)) or isinstance(b, (Optional, Undef)):
            a = a.elem if isinstance(a, (Optional, Undef)) else a
            b = b.elem if isinstance(b, (Optional, Undef)) else b
        if isinstance(a, Tensor) and isinstance(b, Tensor) and a.rank == b.rank:
            for p, q in zip(map(self.resolve, a.shape), map(self.resolve, b.shape)):
                now = self.size_now(p)
                if p != q and now is not None and now == self.size_now(q):
                    self.equate(p, q)

    def resolved(self, t: Type) -> Type:
        """A type with what is known of sizes put in."""
        if isinstance(t, Tensor):
            return Tensor(t.carrier, t.dtype, tuple(map(self.resolve, t.shape)))
        if isinstance(t, (Seq, Optional, Undef)):
            return type(t)(self.resolved(t.elem))
        return t

    def equate(self, p: Dim, q: Dim) -> None:
        """Make `p == q` a guard, and put it to use by solving it for a symbol."""
        rest = p - q
        factors = [rest.const, *(c for _, c in rest.terms)]
        name, coef = next(((a, c) for a, c in rest.terms if a in self.sizes and not any(f % c for f in factors)),
                          (None, 0))
        others = rest if name is None else rest - Dim(0, ((name, coef),))
        if not isinstance(name, str) or name in others.symbols:
            return
        self.same_size[name] = Dim(-others.const // coef, tuple((a, -c // coef) for a, c in others.terms))
        text, sizes = f"{p} == {q}", dict(self.sizes)
        sides = size_text(p, sizes), size_text(q, sizes)
        self.size_guards[text] = Guard(text, lambda leaves: size_of(p, sizes, leaves) == size_of(q, sizes, leaves),
                                       None if None in sides else " == ".join(map(str, sides)))

    def differ(self, p: Dim, q: Dim) -> None:
        """NumPy raises where these sizes meet: that they differ, and neither is 1, is a guard."""
        sizes, text = dict(self.sizes), f"{p} != {q}"
        sides = size_text(p, sizes), size_text(q, sizes)

        def holds(leaves: Sequence[Any]) -> bool:
            a, b = size_of(p, sizes, leaves), size_of(q, sizes, leaves)
            return a != b and a != 1 and b != 1

        test = None if None in sides else f"1 != {sides[0]} != {sides[1]} != 1"
        self.size_guards[text] = Guard(text, holds, test)

    def cannot_broadcast(self, arrays: Sequence[Value]) -> NoReturn:
        """What NumPy raises, raised in the program at this place."""
        raise NotImplementedError

    def resolve(self, d: Dim) -> Dim:
        """A size with what is known to be equal put in."""
        for _ in range(20):
            hit = [(a, c) for a, c in d.terms if a in self.same_size]
            if not hit and not any(isinstance(a, Apply) and self.same_size.keys() & Dim(0, ((a, 1),)).symbols
                                   for a, _ in d.terms):
                return d
            total = Dim(d.const)
            for atom, coef in d.terms:
                if isinstance(atom, Apply):
                    args = tuple(None if x is None else self.resolve(x) for x in atom.args)
                    total = total + known_size(atom.fn, args) * coef
                else:
                    total = total + (self.same_size[atom] * coef if atom in self.same_size else Dim(0, ((atom, coef),)))
            if total == d:
                return d
            d = total
        return d

    def size_now(self, d: Dim) -> int | None:
        """The value of a size for the arguments at hand; ahead of time, equal names are equal sizes."""
        if self.ahead:
            return 0 if d.symbols <= self.sizes.keys() else None
        return size_of(d, self.sizes, self.leaves)


def known_size(fn: str, args: tuple[Dim | None, ...]) -> Dim:
    """The size `fn(*args)`, simpler where more is known of the arguments now."""
    given = [a for a in args if a is not None]
    if fn == "slice_len" and args[0] is not None and isinstance(args[3], Dim):
        return slice_len(args[0], args[1], args[2], args[3].const)
    if fn in ("broadcast", "join") and len(given) == 2 and given[0] == given[1]:
        return given[0]
    return Dim(0, ((Apply(fn, args), 1),))


At = tuple[int, Union[int, tuple[int, int], None]]
"""A leaf and its axis; None: its value; (item, axis): the axis of an item of a list."""


def size_of(d: Dim, sizes: Mapping[str, At], leaves: Sequence[Any]) -> int | None:
    """The value of a size for these leaves, None where they do not tell."""
    total = d.const
    for atom, coef in d.terms:
        if isinstance(atom, Apply):
            args = [None if a is None else size_of(a, sizes, leaves) for a in atom.args]
            if atom.fn != "slice_len" or args[0] is None:
                return None
            if any(a is not None and b is None for a, b in zip(atom.args, args)):
                return None
            value: int | None = len(range(args[0])[slice(*args[1:])])
        else:
            at = sizes.get(atom)
            if at is None:
                return None
            leaf, axis = at
            value = _at(leaves[leaf], axis)
        if not isinstance(value, int):
            return None
        total += coef * value
    return total


def _at(x: Any, axis: int | tuple[int, int] | None) -> Any:
    if isinstance(axis, tuple):
        return x[axis[0]].shape[axis[1]]
    return x if axis is None else x.shape[axis]


def size_text(d: Dim, sizes: Mapping[str, At]) -> str | None:
    """The size in Python, `{0}` being leaf 0; None if there is no short way to write it."""
    text = ""
    for atom, coef in d.terms:
        if isinstance(atom, Apply):
            if atom.fn != "slice_len" or atom.args[0] is None:
                return None
            length, *key = [a and size_text(a, sizes) for a in atom.args]
            part = f"len(range({length})[{':'.join(k or '' for k in key)}])"
        else:
            leaf, axis = sizes[atom]
            part = f"{{{leaf}}}"
            if axis is not None:
                part += f".shape[{axis}]" if isinstance(axis, int) else f"[{axis[0]}].shape[{axis[1]}]"
        text += f"{' - ' if coef < 0 else ' + '}{part if abs(coef) == 1 else f'{abs(coef)} * {part}'}"
    if d.const or not d.terms:
        text += f"{' - ' if d.const < 0 else ' + '}{abs(d.const)}"
    return text.removeprefix(" + ")
