"""Values -> variables: which values share one, and what it is called.

Values that a move joins share a variable where their spans do not meet and the user did
not give them different names; a write in place keeps the variable of what it writes.

    s1 <- s0; for ...: s2 = s1 + x; s1 <- s2      ->   one variable `s`

The user's names come first, then adjoints ("dx"), then t, t1, ...
"""

from __future__ import annotations

import heapq
from bisect import bisect_left, insort
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping
from itertools import chain

from sct.codegen.polish.live_ranges import Liveness, Span
from sct.ir.core import Value
from sct.ir.types import Function, List, Optional, Seq, Tensor, Undef

__all__ = ["Names"]

_TRIES = 6


class _Class:
    """Values that share a variable.

    strong, weak  the hints of the user's values, and of those made by differentiation
    """

    def __init__(self, value: Value, spans: Iterable[Span], strong: bool) -> None:
        self.values = [value]
        self.spans: list[Span] = list(spans)
        hint = [value.hint] if value.hint and value.hint.strip("_") else []
        self.strong: list[str] = hint if strong else []
        self.weak: list[str] = [] if strong else hint

    @property
    def first(self) -> int:
        return self.spans[0][0]

    @property
    def last(self) -> int:
        return self.spans[-1][1]


class Names:
    """The variable of each value.

    fixed   parameters of the function, which keep their names
    users   the values that the user's own code makes: their hints are the user's names
    taken   names that stand for something else in the text
    usual   what values without a name of their own are usually called
    """

    def __init__(self, live: Liveness, fixed: Mapping[Value, str], users: Collection[Value],
                 taken: Collection[str], usual: Mapping[Value, str]) -> None:
        self.live, self.fixed, self.taken, self.usual = live, fixed, set(taken), usual
        self.classes = {v: _Class(v, spans, v in users) for v, spans in live.spans.items()}
        self._join()
        self.names: dict[Value, str] = {}
        self._name()

    def __getitem__(self, value: Value) -> str:
        return self.names[value]

    def same(self, a: Value, b: Value) -> bool:
        """Do two values share a variable?"""
        return self.names.get(a) == self.names.get(b)

    def is_users(self, v: Value) -> bool:
        """Is the variable of `v` one of the user's?"""
        return bool(self.classes[v].strong)

    # -- classes ----------------------------------------------------------------------

    def _join(self) -> None:
        for out, x in self.live.takes:
            self._merge(out, x, must=True)
        moves = sorted(self.live.moves, key=lambda m: -m[0])
        for _, target, source in moves:
            self._merge(target, source)

    def _merge(self, x: Value, y: Value, must: bool = False) -> None:
        a, b = self.classes[x], self.classes[y]
        if a is b or not must and not _agree(a, b) or _meet(a.spans, b.spans) or self._both_fixed(a, b):
            return
        if len(a.spans) < len(b.spans):
            a, b = b, a
        for span in b.spans:
            insort(a.spans, span)
        ahead = b.first < a.first or not a.strong
        a.strong = list(dict.fromkeys([*b.strong, *a.strong] if ahead else [*a.strong, *b.strong]))
        a.weak = list(dict.fromkeys([*b.weak, *a.weak] if ahead else [*a.weak, *b.weak]))
        a.values += b.values
        self.classes.update(dict.fromkeys(b.values, a))

    def _both_fixed(self, a: _Class, b: _Class) -> bool:
        return any(v in self.fixed for v in a.values) and any(v in self.fixed for v in b.values)

    # -- names ------------------------------------------------------------------------

    def _name(self) -> None:
        classes = sorted(dict.fromkeys(self.classes.values()), key=lambda c: (c.first, c.values[0].id))
        users = {name for c in classes for name in c.strong} | set(self.fixed.values())
        pool = _Pool(self.taken)
        for c in classes:
            # Where it is unassigned nothing may be found under its name.
            if c.first > 1 and any(v in self.live.unassigned for v in c.values):
                c.spans.insert(0, (1, c.first - 1))
        for c in classes:
            name = next((self.fixed[v] for v in c.values if v in self.fixed), None)
            if name is not None:
                pool.take(name, c)
                self._set(c, name)
        for strong in (True, False):
            for c in classes:
                if self._is_wanted(c) and (bool(c.strong) and not _is_list(c)) == strong:
                    base = "tape" if _is_list(c) else (c.strong or c.weak or [_default(c, self.usual)])[0]
                    self._set(c, pool.name(base, c, () if strong else users, self._pushed(c, base)))

    def _pushed(self, c: _Class, base: str) -> str | None:
        """What a value that comes out of a list was called when it was appended, if its own name allows."""
        found = [self.live.pairs[v] for v in c.values if v in self.live.pairs]
        name = next((self.names[x] for x in found if isinstance(x, Value) and x in self.names), None)
        return name if name is not None and (not (c.strong or c.weak) or name.rstrip("_0123456789") == base) else None

    def _is_wanted(self, c: _Class) -> bool:
        return c.values[0] not in self.names and any(v in self.live.read for v in c.values)

    def _set(self, c: _Class, name: str) -> None:
        self.names.update(dict.fromkeys(c.values, name))


class _Pool:
    """Names and where each is in use."""

    def __init__(self, taken: set[str]) -> None:
        self.taken = taken
        self.used: dict[str, list[Span]] = defaultdict(list)
        self.made: dict[str, int] = defaultdict(int)
        self.busy: dict[str, list[tuple[int, int]]] = defaultdict(list)
        self.kinds: dict[str, str] = {}

    def take(self, name: str, c: _Class) -> None:
        for span in c.spans:
            insort(self.used[name], span)

    def name(self, base: str, c: _Class, avoid: Collection[str], first: str | None = None) -> str:
        """The first of base, base1, ... that is free where `c` is live; before them `first`."""
        for k, name in enumerate(chain([first] if first else [], _candidates(base))):
            if name in self.taken or name in avoid and name != first:
                continue
            if k < _TRIES and self.kinds.setdefault(name, _kind(c)) == _kind(c) and not _meet(self.used[name], c.spans):
                self.take(name, c)
                return name
            if k >= _TRIES:
                break
        return self.far(base, c, avoid)

    def far(self, base: str, c: _Class, avoid: Collection[str]) -> str:
        """The same where many are in use: one whose last use is over, else a new one."""
        busy = self.busy[base]
        while busy and busy[0][0] < c.first:
            k = heapq.heappop(busy)[1]
            used = self.used[_numbered(base, k)]
            if not _meet(used, c.spans):
                break
            heapq.heappush(busy, (used[-1][1], k))
        else:
            k = self.made[base] = max(self.made[base], _TRIES - 1) + 1
            while (name := _numbered(base, k)) in self.taken or name in avoid or self.used[name]:
                k = self.made[base] = k + 1
        heapq.heappush(busy, (c.last, k))
        name = _numbered(base, k)
        self.take(name, c)
        return name


def _kind(c: _Class) -> str:
    """Values of different kinds do not take turns in one variable, unless the user's do."""
    t = c.values[0].type
    return "any" if c.strong else ("array " if t.is_array else "") + t.kind if isinstance(t, Tensor) else "object"


def _candidates(base: str) -> Iterator[str]:
    if base in ("i", "j", "k"):
        yield from "ijk"[" ijk".index(base) - 1:]
    k = 0
    while True:
        yield _numbered(base, k)
        k += 1


def _numbered(base: str, k: int) -> str:
    if not k:
        return base
    return f"{base}_{k}" if base[-1].isdigit() else f"{base}{k}"


def _default(c: _Class, usual: Mapping[Value, str]) -> str:
    """The name of values that have none."""
    for v in c.values:
        if v in usual:
            return usual[v]
    if isinstance(c.values[0].type, Function):
        return "pullback"
    return next((str(v.dim) for v in c.values if v.dim is not None and str(v.dim).isidentifier()
                 and not str(v.dim).startswith("_")), "t")


def _is_list(c: _Class) -> bool:
    t = c.values[0].type
    while isinstance(t, (Undef, Optional)):
        t = t.elem
    return isinstance(t, Seq) and not isinstance(t, List)


def _agree(a: _Class, b: _Class) -> bool:
    """Can one name serve both?"""
    return not a.strong or not b.strong or a.strong == b.strong


def _meet(a: list[Span], b: list[Span]) -> bool:
    """Does a span of `a` overlap one of `b`?  Both are sorted and have no overlaps inside."""
    if len(a) < len(b):
        a, b = b, a
    for start, end in b:
        k = bisect_left(a, (start, -1))
        if k < len(a) and a[k][0] <= end or k and a[k - 1][1] >= start:
            return True
    return False
