"""Guards: facts about the arguments under which a specialization is valid, and sizes that are equal.

    for i in range(n): y[i] = x[i]        no guard
    np.sum(x, axis=k)                     the value of `k` is a guard
    x + y                                 len(x) == len(y) is a guard; from here on they are one size
"""

from __future__ import annotations

import functools
import itertools
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NoReturn

from sct.errors import Loc, SctError
from sct.frontend.values.size_terms import At, atoms, known_size, size_text, value_of_size
from sct.ir import Fn, Op, Operand, Value
from sct.ir.dims import Apply, Atom, Dim, applied, linear, sym
from sct.ir.interp import run
from sct.ir.types import FLOAT, INT, List, Tensor, Type, TypeMismatch, base_type, map_sizes
from sct.ops import ELEMENTWISE, index
from sct.ops.type_rules import size_of as size_of_int

__all__ = ["UNKNOWN", "Facts", "Guard", "NeedsFirst", "NeedsStatic"]


class _Unknown:
    def __repr__(self) -> str:
        return "unknown"


UNKNOWN = _Unknown()
"""The value of an argument ahead of time."""


class NeedsStatic(Exception):
    """A value must be known at compile time, and depends on a loop index."""

    def __init__(self, value: Value, error: SctError) -> None:
        self.value, self.error = value, error


class NeedsFirst(NeedsStatic):
    """A loop may be evaluated if its first iteration is evaluated alone; `error` refuses it as a whole."""

    def __init__(self, error: SctError) -> None:
        super().__init__(Value(INT), error)


@dataclass(frozen=True)
class Guard:
    """A fact about the arguments under which a specialization is valid.

    test  the fact in Python, where `{0}` is leaf 0; "" if the result is right without it; or a function of the
          leaves and its result; None if only sct can test it

    what  what has this value, and is read at the place `loc`; "" of other facts

    The leaves are those known when the guard was made; more may follow.
    """

    text: str
    holds: Callable[[Sequence[Any]], bool]
    test: str | tuple[Fn, Any] | None = None
    what: str = ""
    loc: Loc | None = None

    @staticmethod
    def asked(what: str, fn: Fn, value: Any, loc: Loc | None = None) -> Guard:
        """The guard that `fn` of the leaves has this value."""
        n = len(fn.params)
        return Guard(f"{what} == {value!r}", lambda leaves: same_answer(run(fn, list(leaves[:n]))[0], value),
                     (fn, value), what, loc)


def same_answer(now: Any, value: Any) -> bool:
    """Is the answer the same?  Floats are compared with the sign of zeros and with nan, unlike by `==`."""
    return repr(float(now)) == repr(value) if type(value) is float else bool(now == value)


class ItemNames:
    """The names of items of tuples and lists among the parameters: after their position, until the user names them.

    `kp, ki = gains` names the items of `gains` that are called `gains_0` and `gains_1`.  A name that is given to two
    items, as in a loop that is unrolled, names neither.
    """

    def __init__(self) -> None:
        self.unnamed: set[Value] = set()
        self.values: dict[str, list[tuple[Value, str | None]]] = {}

    def add(self, items: Sequence[Value], name: str) -> None:
        """These are items of the parameter `name`, or of items of it; those with keys are named after their keys."""
        self.unnamed.update(item for item in items if (item.hint or "").startswith(f"{name}_"))

    def give(self, name: str, item: Value, value: Value) -> None:
        """The user gives an item that has none a name; `value` stands for it in the body of a derivative."""
        if name in self.values:
            for v, hint in self.values[name]:
                v.hint = hint
            self.values[name] = []
        else:
            self.values[name] = [(v, v.hint) for v in (item, value)]
            self.unnamed.remove(item)
            item.hint = value.hint = name


class Facts:
    """The leaves of the arguments, and the guards on them.

    params      the flat arguments of the function being built, free variables last
    item_names  the names of those that are items of tuples and lists
    leaves      their run-time values; UNKNOWN ahead of time
    sizes       the place of a size: (leaf, axis), with None for an int; or the term that it is computed by
    index_ranges  the first and the last value of the index of a loop, by its symbol
    lengths     the sizes that are the length of the list with these columns
    same_size   symbols of sizes, and terms that are not linear, with the terms that they equal
    terms       terms with equal ones replaced, until more is known
    size_facts  guards on sizes ("==", "<=", "!="), and the atom that an equality was solved for; they stay when a
                round of a loop is repeated, other guards are dropped
    """

    def __init__(self) -> None:
        self.leaves: list[Any] = []
        self.params: list[Value] = []
        self.item_names = ItemNames()
        self.guards: dict[str, Guard] = {}
        self.sizes: dict[str, At] = {}
        self.size_names: dict[Hashable, str] = {}
        self.index_ranges: dict[str, tuple[Dim, Dim]] = {}
        self.lengths: dict[tuple[Operand, ...], list[Dim]] = {}
        self.same_size: dict[Atom, Dim] = {}
        self.terms: dict[Dim, Dim] = {}
        self.size_facts: dict[tuple[str, Dim, Dim], Atom | None] = {}

    def name_item(self, name: str, item: Operand, value: Value) -> None:
        """The user gives a name to `item`, if that is an item of a parameter; `value` stands for it in a derivative."""
        if isinstance(item, Value) and item in self.item_names.unnamed and (
                name in self.item_names.values or all(p.hint != name for p in self.params)):
            self.item_names.give(name, item, value)

    def reset_guards(self, guards: Mapping[str, Guard]) -> None:
        """Goes back to these guards; facts on sizes stay."""
        self.guards = dict(guards)

    @property
    def ahead(self) -> bool:
        """Are there no arguments to ask?"""
        return any(leaf is UNKNOWN for leaf in self.leaves)

    def noted_length(self, columns: Sequence[Operand], n: Operand) -> Operand:
        """The length `n` of the list with these columns."""
        self.lengths.setdefault(tuple(columns), []).append(size_of_int(n))
        return n

    def ask_classes(self) -> None:
        """Make it a guard that the floats among the leaves are Python's own: NumPy's are floats too."""
        for k, p in enumerate(self.params):
            if p.type == FLOAT:
                self.guards.setdefault(f"the class of {k}", Guard(
                    f"type of {p.hint}", lambda leaves, k=k: type(leaves[k]) is float,  # type: ignore[misc]
                    f"type({{{k}}}) is float"))

    def agree_sizes(self, op: Op, args: Sequence[Operand | float | None], attrs: Mapping[str, Any]) -> None:
        """Ask whether sizes that meet in a broadcast, and are not known to be equal, are."""
        if op in ELEMENTWISE:
            arrays = [a for a in args if isinstance(a, Value) and isinstance(a.type, Tensor) and a.type.is_array]
            shapes = [a.type.shape for a in arrays if isinstance(a.type, Tensor)]
            for shape in shapes[1:]:
                for p, q in zip(reversed(shapes[0]), reversed(shape)):
                    if not self.same(p, q):
                        self.differ(p, q)
                        self.cannot_broadcast([a for a in args if a is not None])
        elif op.updates and args and isinstance(xs := args[0], Value) and isinstance(xs.type, List):
            for operand in args[:2]:
                if isinstance(operand, Value):
                    operand.type = self.resolved(operand.type)  # equal sizes are one size of the items
        elif op.name == "store":
            base, value, *at = args
            part, whole = part_of(base, at, attrs), value.type if isinstance(value, Value) else None
            if isinstance(part, Tensor) and isinstance(whole, Tensor):
                for p, q in zip(reversed(part.shape), reversed(whole.shape)):
                    if not self.same(p, q):
                        self.differ(p, q)
                        self.cannot_store(value, base, at, attrs)
                    if self.is_too_large(q, p):
                        self.cannot_store(value, base, at, attrs)
        elif op.square and self.ahead:
            x = args[0].type if isinstance(args[0], Value) else None
            if isinstance(x, Tensor) and x.rank > 1:
                self.same(x.shape[-1], x.shape[-2])
        elif op.name in ("matmul", "dot", "inner"):
            x, y = (a.type if isinstance(a, Value) else None for a in args)
            if isinstance(x, Tensor) and isinstance(y, Tensor) and x.rank and y.rank:
                p, q = x.shape[-1], y.shape[-2 if y.rank > 1 and op.name != "inner" else -1]
                if self.are_unequal(p, q) and op.name != "inner":
                    self.cannot_multiply(op, *args[:2])  # type: ignore[arg-type]

    def same(self, p: Dim, q: Dim) -> bool:
        """Records that two sizes of arrays are equal, or that one is 1, where the arguments say so; False if
        neither is so."""
        p, q = self.resolve(p), self.resolve(q)
        if p == q or p.value == 1 or q.value == 1:
            return True
        for ask in (False, True):
            for d in (p, q):
                self.within(d, (p, q), ask)
            p, q = self.resolve(p), self.resolve(q)
            if p == q:
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

    def are_unequal(self, p: Dim, q: Dim) -> bool:
        """Are two sizes that must be equal unequal for these arguments?  That they are, or are not, is a guard."""
        if not self.same(p, q):
            self.differ(p, q)
            return True
        p, q = self.resolve(p), self.resolve(q)
        if 1 not in (p.value, q.value) or p == q:
            return False
        other = q if p.value == 1 else p
        if (self.size_now(other) or 0) < 2:
            return False
        self.size_facts.setdefault(("<=", Dim(2), other), None)
        return True

    def is_too_large(self, p: Dim, q: Dim) -> bool:
        """Is a size that is written into a part of size 1 another?  That it is, is a guard."""
        p, q = self.resolve(p), self.resolve(q)
        now = self.size_now(p)
        if q.value != 1 or now is None:
            return False
        if now == 1:
            self.equate(p, Dim(1))
        elif now == 0:
            self.equate(p, Dim(0))
        else:
            self.size_facts.setdefault(("<=", Dim(2), p), None)
        return now != 1

    def agree(self, a: Type, b: Type) -> None:
        """Records which sizes of two types are equal, where the arguments say so."""
        a, b = base_type(a), base_type(b)
        if isinstance(a, Tensor) and isinstance(b, Tensor) and a.rank == b.rank:
            for p, q in zip(map(self.resolve, a.shape), map(self.resolve, b.shape)):
                now = self.size_now(p)
                if p != q and now is not None and now == self.size_now(q) and not (self.ahead and opaque(p - q)):
                    self.equate(p, q)

    def resolved(self, t: Type) -> Type:
        """The type with equal sizes replaced by one term."""
        return map_sizes(self.resolve, t)

    def equate(self, p: Dim, q: Dim) -> None:
        """Make `p == q` a guard, and put it to use by solving it for a symbol, or for a term that is not linear."""
        p, q = self.resolve(p), self.resolve(q)
        if p == q:
            return
        # Not `m = range_len(n, 2)`, if it can be helped: of `m` it is known that it is neither 0 nor 1.
        solved = sorted(self.solutions(p - q), key=lambda s: s[1].least < (2 if alone(s[1]) else 0))
        self.size_facts["==", p, q] = solved[0][0] if solved else None
        if solved:
            self.learn(*solved[0])
            self.close()
        for quotient in [] if solved else list(atoms(p - q)):
            self.name_part(quotient)

    def learn(self, atom: Atom, value: Dim) -> None:
        """From here on `atom` is `value`."""
        if self.same_size.get(atom) != value:
            self.same_size[atom] = value
            self.terms.clear()

    def solutions(self, rest: Dim) -> Iterator[tuple[Atom, Dim]]:
        """Solutions of `rest == 0` for each atom: symbols first, then nonlinear atoms, long terms first."""
        factors = [rest.const, *(c for _, c in rest.terms)]
        for atom, coef in sorted(rest.terms, key=lambda t: -len(str(t[0])) if isinstance(t[0], Apply) else -10**6):
            others = rest - Dim(0, ((atom, coef),))
            is_own = isinstance(atom, Apply) or atom in self.sizes
            if is_own and not any(f % coef for f in factors) and atom not in atoms(others):
                yield atom, Dim(-others.const // coef, tuple((a, -c // coef) for a, c in others.terms))

    def close(self) -> None:
        """Terms that are not linear are equal where their parts are."""
        for atom in [a for a in self.same_size if isinstance(a, Apply)]:
            value = self.same_size[atom]
            new = alone(known_size(atom.fn, [None if x is None else self.resolve(x) for x in atom.args]))
            if new is not None and new not in atoms(self.resolve(value)):
                self.learn(new, self.same_size.get(new, value))

    def within(self, d: Dim, sizes: Sequence[Dim], ask: bool) -> None:
        """Simplifies slices in a term that end inside of the axis; guards on sizes where this is not known."""
        for part in list(atoms(d)) if ask and opaque(d) else ():
            if not (self.ahead and isinstance(part, Apply)):
                self.name_part(part)
        for atom, _ in self.resolve(d).terms:
            if isinstance(atom, Apply) and atom.fn in ("slice_len", "range_len"):
                asked: list[tuple[str, Dim, Dim]] = []
                positive = functools.partial(self.positive, sizes=sizes, asked=asked if ask else None)
                size = known_size(atom.fn, atom.args, positive)
                if size != applied(atom.fn, *atom.args):
                    self.learn(atom, size)
                    for fact in asked:
                        self.size_facts.setdefault(fact, None)
                    self.close()

    def name_part(self, atom: Atom) -> None:
        """Ask of an int, and of a quotient that is exact, whether it is 0, 1 or more, as of the sizes of arguments."""
        if atom in self.same_size:
            return
        if isinstance(atom, Apply):
            a, b = atom.args if atom.fn == "floordiv" else (None, None)
            now = None if a is None else self.size_now(a)
            if a is None or b is None or not b.value or now is None or now % b.value:
                return
            if (name := self.named(Dim(0, ((atom, 1),)))) is not None:
                self.learn(atom, name)
                self.equate(a, name * b.value)
        elif atom.startswith("__") and atom in self.sizes:
            at = self.sizes[atom]
            hint = None if isinstance(at, Dim) else self.params[at[0]].hint
            if (name := self.named(sym(atom), hint or "n")) is not None:
                self.learn(atom, name)

    def named(self, d: Dim, *wanted: str) -> Dim | None:
        """A size that is computed as 0, 1 or a symbol that is neither; None where it is no size, or not known."""
        now = self.size_now(d)
        if now is None or now < 0:
            return None
        if now < 2 and not self.ahead:
            self.equate(d, Dim(now))
            return Dim(now)
        name = self.free_name(*wanted)
        self.size_facts["<=", Dim(2), d] = name
        self.sizes[name] = d
        return sym(name)

    def free_name(self, *wanted: str) -> str:
        """A name for a size, one that is wanted if it is free."""
        taken = {*self.sizes, *self.size_names.values()}
        names = itertools.chain(wanted, "nmkpqrsuvw", map("n{}".format, itertools.count()))
        return next(name for name in names if name not in taken)

    def positive(self, d: Dim, sizes: Sequence[Dim], asked: list[tuple[str, Dim, Dim]] | None) -> bool:
        """Is a term never negative, given that `sizes` are sizes of arrays?  Else the arguments are `asked`, if at
        all."""
        low = multiplied(self.lowest(self.resolve(d)))
        if low.least >= 0 or any((low - size).least >= 0 for size in sizes):
            return True
        now = self.size_now(low)
        if asked is None or now is None or now < 0 or (-low - 1).least >= 0:
            return False
        more, less = sides_of(low)
        asked.append(("<=", less, more))
        return True

    def lowest(self, d: Dim) -> Dim:
        """A lower bound of a term over the iterations of the loops around."""
        for name, (low, high) in reversed(self.index_ranges.items()):
            coef = dict(d.terms).get(name, 0)
            d = d + ((low if coef > 0 else high) - Dim(0, ((name, 1),))) * coef
        return d

    def differ(self, p: Dim, q: Dim) -> None:
        """NumPy raises where these sizes meet: that they differ, and neither is 1, is a guard."""
        self.size_facts["!=", self.resolve(p), self.resolve(q)] = None

    def size_guards(self) -> list[Guard]:
        """The guards on sizes, without those that follow from the others."""
        symbols: dict[Atom, Dim] = {atom: d for atom, d in self.same_size.items() if isinstance(atom, str)}
        kept, resolved = dict(self.size_facts), dict[Dim, Dim]()
        for (how, p, q), solved in self.size_facts.items():
            del kept[how, p, q]
            slack = resolve(q - p, symbols, resolved)
            if how == "<=" and solved not in slack.symbols:
                others = [resolve(d - c, symbols, resolved) for h, c, d in kept if h == "<="]
                follows = slack.least >= 0 or any((slack - other).least >= 0 for other in others)
            else:
                follows = not isinstance(solved, str) and slack == Dim(0)
            if not follows:
                kept[how, p, q] = solved
        return [self.size_guard(*fact) for fact in kept]

    def size_guard(self, how: str, p: Dim, q: Dim) -> Guard:
        sizes, holds = dict(self.sizes), HOLDS[how]
        terms = (*p.terms, *q.terms)
        if how == "==" and (len((p - q).terms) < len(terms) or p.const and q.const or any(c < 0 for _, c in terms)):
            p, q = sides_of(p - q)
        sides = size_text(p, sizes), size_text(q, sizes)
        test = f"1 != {sides[0]} != {sides[1]} != 1" if how == "!=" else f"{sides[0]} {how} {sides[1]}"
        return Guard(f"{p} {how} {q}", lambda leaves: holds(*(value_of_size(d, sizes, leaves) for d in (p, q))),
                     None if None in sides else test)

    def cannot_broadcast(self, operands: Sequence[Any]) -> NoReturn:
        """Raises at run time what NumPy raises here."""
        raise NotImplementedError

    def cannot_multiply(self, op: Op, x: Value, y: Value) -> NoReturn:
        """The same for a product of matrices or vectors."""
        raise NotImplementedError

    def cannot_store(self, value: Any, base: Any, at: Sequence[Any], attrs: Mapping[str, Any]) -> NoReturn:
        """The same for a write of an array into a part of another."""
        raise NotImplementedError

    def resolve(self, d: Dim) -> Dim:
        """The size with equal terms replaced."""
        return resolve(d, self.same_size, self.terms)

    def size_now(self, d: Dim) -> int | None:
        """The value of a size for the current arguments; ahead of time, equal names are equal sizes."""
        if self.ahead:
            is_computed = d.symbols <= self.sizes.keys() and size_text(d, self.sizes) is not None
            return 0 if is_computed else None
        return value_of_size(d, self.sizes, self.leaves)


HOLDS: Mapping[str, Callable[[Any, Any], bool]] = {
    "==": lambda p, q: p == q, "<=": lambda p, q: p <= q, "!=": lambda p, q: 1 != p != q != 1}


def part_of(base: Operand | float | None, at: Sequence[Any], attrs: Mapping[str, Any]) -> Type | None:
    """The type of the part of an array that is written."""
    if not isinstance(base, Value) or not isinstance(base.type, Tensor):
        return None
    try:
        part = index.type(base, *at, **attrs)
    except TypeMismatch:
        return None
    return None if isinstance(part, tuple) else part


def opaque(d: Dim) -> bool:
    """Has a term a part that is not linear?"""
    return any(isinstance(atom, Apply) for atom, _ in d.terms)


def resolve(d: Dim, same: Mapping[Atom, Dim], resolved: dict[Dim, Dim]) -> Dim:
    """The term with equal parts replaced until nothing changes; `resolved` caches results."""
    if not same or not d.terms:
        return d

    def known(atom: Atom) -> Dim | None:
        if atom in same or isinstance(atom, str):
            return same.get(atom)
        return known_size(atom.fn, [None if x is None else resolve(x, same, resolved) for x in atom.args])

    total = d
    for _ in range(20 if d not in resolved else 0):
        coefs, const = dict[Atom, int](), total.const
        for atom, coef in total.terms:
            size = known(atom)
            const += 0 if size is None else size.const * coef
            for a, c in ((atom, 1),) if size is None else size.terms:
                coefs[a] = coefs.get(a, 0) + c * coef
        if const == total.const and coefs == dict(total.terms):
            break
        total = linear(const, coefs)
    return resolved.setdefault(d, total)


def alone(d: Dim) -> Atom | None:
    """The atom that a term is, if it is one."""
    return d.terms[0][0] if len(d.terms) == 1 and d == Dim(0, ((d.terms[0][0], 1),)) else None


def sides_of(d: Dim) -> tuple[Dim, Dim]:
    """Two terms without a minus: `d` is the one less the other."""
    less = Dim(max(-d.const, 0), tuple((a, -c) for a, c in d.terms if c < 0))
    return d + less, less


def multiplied(d: Dim) -> Dim:
    """A term of the sign of `d`, or below it: `n - 2 * (n // 4)` is `(4 * n - 2 * n) / 4` at least."""
    for atom, coef in d.terms:
        if isinstance(atom, Apply) and atom.fn == "floordiv" and coef < 0:
            a, b = atom.args
            if a is not None and b is not None and b.value:
                return multiplied((d - Dim(0, ((atom, coef),))) * b.value + a * coef)
    return d
