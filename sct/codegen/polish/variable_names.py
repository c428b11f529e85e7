"""Values -> variables: which values share a variable (coalescing), and its name.

    s1 <- s0; for ...: s2 = s1 + x; s1 <- s2      ->   one variable `s`

Values that an assignment joins share a variable if their spans are disjoint and the user did not give them different
names; a write in place keeps the variable of what it writes. Names are the user's first, then those derived from them
("dx"), then t, t1, ...

Invariant: values with one name never have overlapping spans.
"""

from __future__ import annotations

import heapq
from bisect import bisect_left, insort
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import chain, count

from sct.codegen.polish.descriptive_names import Descriptions
from sct.codegen.polish.live_ranges import LiveRanges, Span
from sct.codegen.program.statement_ir import Block
from sct.ir.core import Value
from sct.ir.types import Function, List, Seq, Tensor, base_type

__all__ = ["Names"]

_MAX_TRIES = 6


class _Variable:
    """The values that share a variable, and the names that are proposed for it.

    user_names     the hints of the user's values
    derived_names  the hints of values of adjoint code
    bound_at       the number of the first statement that assigns one of the values
    unbound_at     the number of the last statement where paths part of which some leave one of them unbound
    """

    def __init__(self, value: Value, spans: Iterable[Span], is_users: bool, bound_at: int, unbound_at: int) -> None:
        self.bound_at, self.unbound_at = bound_at, unbound_at
        self.values = [value]
        self.spans: list[Span] = list(spans)
        hint = [value.hint] if value.hint and value.hint.strip("_") else []
        self.user_names: list[str] = hint if is_users else []
        self.derived_names: list[str] = [] if is_users else hint

    @property
    def first(self) -> int:
        return self.spans[0][0]

    @property
    def last(self) -> int:
        return self.spans[-1][1]

    @property
    def has_user_name(self) -> bool:
        return bool(self.user_names)

    def absorb(self, other: _Variable) -> None:
        """Add the values of another variable; its names come first unless this one has a name of the user's."""
        for span in other.spans:
            insort(self.spans, span)
        pair = (self, other) if self.user_names else (other, self)
        self.user_names = list(dict.fromkeys(name for variable in pair for name in variable.user_names))
        self.derived_names = list(dict.fromkeys(name for variable in pair for name in variable.derived_names))
        self.values += other.values
        self.bound_at, self.unbound_at = min(self.bound_at, other.bound_at), max(self.unbound_at, other.unbound_at)


class Names:
    """The variable of each value.

    fixed          the parameters of the function, which keep their names
    users          the values whose hints are the user's names
    reserved       names that have another meaning in the text
    default_names  the customary names of some values without a hint
    """

    def __init__(self, block: Block, live: LiveRanges, fixed: Mapping[Value, str], users: Collection[Value],
                 reserved: Collection[str], default_names: Mapping[Value, str]) -> None:
        self.live, self.fixed, self.reserved, self.default_names = live, fixed, set(reserved), default_names
        self.variables = {
            v: _Variable(v, spans, v in users, live.first.get(v, 0), live.maybe_unbound.get(v, 0))
            for v, spans in live.spans.items()}
        self._coalesce()
        self.descriptions = Descriptions(block, live.inlined, live.pushed_as, self._own_name)
        self.names: dict[Value, str] = {}
        self._choose_names()

    def __getitem__(self, value: Value) -> str:
        return self.names[value]

    def same(self, a: Value, b: Value) -> bool:
        """Do two values share a variable?"""
        return self.names.get(a) == self.names.get(b)

    def of_arrays(self) -> set[str]:
        """The variables that stand for arrays alone."""
        others = {name for v, name in self.names.items() if not (isinstance(v.type, Tensor) and v.type.is_array)}
        return set(self.names.values()) - others

    def unnamed(self) -> set[str]:
        """The variables whose names say nothing: t, t1, ..."""
        own = {self.names[v] for v in self.variables if v in self.names and self._own_name(v)}
        return {name for name in self.names.values() if name.rstrip("0123456789") == "t"} - own

    def free(self, base: str) -> Iterator[str]:
        """Names like `base` that no variable has."""
        taken = {*self.names.values(), *self.reserved}
        return (name for name in chain((base,), map(f"{base}{{}}".format, count(1)))
                if name not in taken)

    def is_users(self, v: Value) -> bool:
        """Is the variable of `v` one of the user's?"""
        return self.variables[v].has_user_name

    # -- coalescing -------------------------------------------------------------------

    def _coalesce(self) -> None:
        """Join variables, those of writes in place first, then those of assignments in the innermost loops.

        Of several variables that one value is assigned to, that with its name comes first."""
        for out, x in self.live.inplace_pairs:
            self._merge(out, x, must=True)
        copies = Counter((depth, source) for depth, _, source in self.live.moves)
        moves = sorted(self.live.moves, key=lambda m: (-m[0], copies[m[0], m[2]] > 1 and m[1].hint != m[2].hint))
        for _, target, source in moves:
            self._merge(target, source)

    def _merge(self, x: Value, y: Value, must: bool = False) -> None:
        a, b = self.variables[x], self.variables[y]
        if a is b or not must and not _names_agree(a, b) or _overlap(a.spans, b.spans) or self._both_fixed(a, b) \
                or not must and self._is_bound_before(a, b):
            return
        if len(a.spans) < len(b.spans):
            a, b = b, a
        a.absorb(b)
        self.variables.update(dict.fromkeys(b.values, a))

    @staticmethod
    def _is_bound_before(a: _Variable, b: _Variable) -> bool:
        """Would a variable have a value where paths part, although one path must find it unbound?"""
        return a.bound_at < b.unbound_at or b.bound_at < a.unbound_at

    def _both_fixed(self, a: _Variable, b: _Variable) -> bool:
        return any(v in self.fixed for v in a.values) and any(v in self.fixed for v in b.values)

    # -- names ------------------------------------------------------------------------

    def _choose_names(self) -> None:
        variables = sorted(dict.fromkeys(self.variables.values()), key=lambda c: (c.first, c.values[0].id))
        user_names = {name for c in variables for name in c.user_names} | set(self.fixed.values())
        pool = _NamePool(self.reserved)
        maybe_unbound = {c for c in variables if any(v in self.live.maybe_unbound for v in c.values)}
        for c in maybe_unbound:
            # Before it is bound, reading its name must raise, so no other variable may have the name there.
            if c.first > 1:
                c.spans.insert(0, (1, c.first - 1))
        # Python's message has the name: it is the user's, if need be at the cost of an earlier value of that variable.
        variables.sort(key=lambda c: c not in maybe_unbound)
        for c in variables:
            name = next((self.fixed[v] for v in c.values if v in self.fixed), None)
            if name is not None:
                pool.occupy(name, c)
                self._set_name(c, name)
        for users_turn in (True, False):
            for c in variables:
                if self._needs_name(c) and (c.has_user_name and not _is_tape(c)) == users_turn:
                    base = self._base_name(c)
                    avoid = () if users_turn else user_names
                    more = self.descriptions.alternative(c.values, base, c.has_user_name) if self._hint(c) else None
                    self._set_name(c, pool.name(base, c, avoid, self._name_when_pushed(c, base), more))

    def _base_name(self, c: _Variable) -> str:
        if _is_tape(c):
            return "tape"
        own = self._own_name(c.values[0])
        pushed = None if own else self._pushed_name(c)
        return own or self.descriptions.name(c.values) or (f"{pushed}_prev" if pushed else "t")

    def _pushed_name(self, c: _Variable) -> str | None:
        """The name under which a value that is read from a list was appended."""
        pushed = [self.live.pushed_as[v] for v in c.values if v in self.live.pushed_as]
        return next((self.names[x] for x in pushed if isinstance(x, Value) and x in self.names), None)

    def _own_name(self, v: Value) -> str | None:
        """The name of the variable of `v` that does not describe its expression."""
        c = self.variables.get(v)
        if c is None:
            return v.hint or _default_name([v], self.default_names)
        if name := next((self.fixed[v] for v in c.values if v in self.fixed), None):
            return name
        return self._hint(c) or _default_name(c.values, self.default_names)

    def _hint(self, c: _Variable) -> str | None:
        return next(iter(c.user_names or c.derived_names), None)

    def _name_when_pushed(self, c: _Variable, base: str) -> str | None:
        """The name under which a value was appended, unless it has another name of its own."""
        name = self._pushed_name(c)
        named_after = f"{base}_" in f"{name}_" or name is not None and name.rstrip("_0123456789") == base
        return name if named_after or not (c.user_names or c.derived_names) else None

    def _needs_name(self, c: _Variable) -> bool:
        return c.values[0] not in self.names and any(v in self.live.read for v in c.values)

    def _set_name(self, c: _Variable, name: str) -> None:
        self.names.update(dict.fromkeys(c.values, name))


class _NamePool:
    """The names of variables, and the spans where each is in use.

    kind_of      name -> the kind of values that have it
    in_use       base -> (last position of its spans, number) of the numbered names, as a heap
    last_number  base -> the largest number in use
    """

    def __init__(self, reserved: set[str]) -> None:
        self.reserved = reserved
        self.spans: dict[str, list[Span]] = defaultdict(list)
        self.last_number: dict[str, int] = defaultdict(int)
        self.in_use: dict[str, list[tuple[int, int]]] = defaultdict(list)
        self.kind_of: dict[str, str] = {}

    def occupy(self, name: str, c: _Variable) -> None:
        for span in c.spans:
            insort(self.spans[name], span)

    def name(self, base: str, c: _Variable, avoid: Collection[str], preferred: str | None, more: str | None) -> str:
        """The first of `preferred`, base, `more`, base1, ... that is free where `c` is live."""
        kind = _kind(c)
        for k, name in enumerate(filter(None, _candidates(base, preferred, more))):
            if name in self.reserved or name in avoid and name != preferred:
                continue
            if k >= _MAX_TRIES:
                break
            if self.kind_of.setdefault(name, kind) == kind and not _overlap(self.spans[name], c.spans):
                self.occupy(name, c)
                return name
        return self.numbered_name(base, c, avoid)

    def numbered_name(self, base: str, c: _Variable, avoid: Collection[str]) -> str:
        """A name whose last use is over, or else a new one; in logarithmic time where there are many."""
        heap = self.in_use[base]
        while heap and heap[0][0] < c.first:
            k = heapq.heappop(heap)[1]
            used = self.spans[_numbered(base, k)]
            if not _overlap(used, c.spans):
                break
            heapq.heappush(heap, (used[-1][1], k))
        else:
            k = self.last_number[base] = max(self.last_number[base], _MAX_TRIES - 1) + 1
            while (name := _numbered(base, k)) in self.reserved or name in avoid or self.spans[name]:
                k = self.last_number[base] = k + 1
        heapq.heappush(heap, (c.last, k))
        name = _numbered(base, k)
        self.occupy(name, c)
        return name


def _kind(c: _Variable) -> str:
    """The kind of a variable; only variables of one kind take turns under a name, but for the user's own."""
    t = base_type(c.values[0].type)
    return "any" if c.user_names else ("array " if t.is_array else "") + t.kind if isinstance(t, Tensor) else "object"


def _candidates(base: str, preferred: str | None, more: str | None) -> Iterator[str | None]:
    yield preferred
    if base in ("i", "j", "k"):
        yield from "ijk"[" ijk".index(base) - 1:]
    yield base
    yield more
    k = 1
    while True:
        yield _numbered(base, k)
        k += 1


def _numbered(base: str, k: int) -> str:
    if not k:
        return base
    return f"{base}_{k}" if base[-1].isdigit() else f"{base}{k}"


def _default_name(values: Sequence[Value], default_names: Mapping[Value, str]) -> str | None:
    """The customary name of a variable whose values have no hint."""
    for v in values:
        if v in default_names:
            return default_names[v]
    if isinstance(values[0].type, Function):
        return "pullback"
    return next((str(v.dim) for v in values if v.dim is not None and str(v.dim).isidentifier()
                 and not str(v.dim).startswith("_")), None)


def _is_tape(c: _Variable) -> bool:
    t = base_type(c.values[0].type)
    return isinstance(t, Seq) and not isinstance(t, List)


def _names_agree(a: _Variable, b: _Variable) -> bool:
    """Can both have one name?  A cotangent does not take the name of another variable of the user's."""
    first, second = a.user_names or a.derived_names, b.user_names or b.derived_names
    either_is_users = bool(a.user_names or b.user_names)
    return not (either_is_users and first and second) or first == second


def _overlap(a: list[Span], b: list[Span]) -> bool:
    """Does a span of `a` overlap one of `b`?  Both lists are sorted, and their spans disjoint."""
    if len(a) < len(b):
        a, b = b, a
    for start, end in b:
        k = bisect_left(a, (start, -1))
        if k < len(a) and a[k][0] <= end or k and a[k - 1][1] >= start:
            return True
    return False
