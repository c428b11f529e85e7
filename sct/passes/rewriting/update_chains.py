"""Simplifies chains of updates of one cotangent array.

    t = d[k]; d[k] = 0; d[j] += a; d[k] += t + b       ->  d[j] += a; d[k] += b
    d[k] += a; d[k] = b                                ->  d[k] = b
    d[k] += a; t = d[k]                                ->  t = d[k] + a; d[k] = t
    d[k] = 0; t = d[k + 1]                             ->  t = d[k + 1]; d[k] = 0
    t = d[k]; d[k] = 0; d[j] += t                      ->  d[j] += d[k]; d[k] = 0
    d[k] = a; d[k + 1] += b; t = d[k]                  ->  d[k] = a; d[k + 1] += b; t = a
    d[1:] = 0; t = a + d[1:]                           ->  d[1:] = 0; t = a
    d[k] += x[k] * a; d[:k] += x[:k] * a               ->  d[: k + 1] += x[: k + 1] * a
    v = 0.0 if c else w; d[k] += v                     ->  if not c: d[k] += w
    v = zeros; v[0] = a; d[1:] += v                    ->  d[1] += a
    row = d[k]; row[j] += a; d[k] = row                ->  d[k][j] += a
    d = zeros; d[0] = a; d += where(c, v, 0)           ->  d = where(c, v, 0); d[0] += a
    e[j] = 0; d = zeros; d[0] = a; d += e              ->  e[j] = 0; e[0] += a

The first chain is left by reversing `u[k] += ...`. Addition commutes, so the additions between may have any keys;
stores between are to other elements. Only the chain itself may read the arrays in it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any, cast

from sct.ir.build import Builder
from sct.ir.core import Eqn, Lit, Operand, Value, builder_var
from sct.ir.types import List, Tensor
from sct.ir.uses import outer_reads
from sct.ops.arrays.indexing import add_at, index, indexed_shape, join, split, store
from sct.ops.scalar.arithmetic import add, neg
from sct.ops.scalar.selection import where
from sct.passes.rewriting.factoring import Expansion, Term, factored_sum
from sct.passes.rewriting.integer_ranges import are_apart, are_equal, is_at_least
from sct.passes.rewriting.literals import number
from sct.passes.rewriting.table import (
    Site,
    adjoint_eqn,
    defining_eqn,
    is_element,
    is_zeros,
    operands_of,
    rule,
    shape_of,
    writes_once,
)

__all__: list[str] = []

REACH = 30
"""How many equations back a `cond` may stand, so that the pass takes linear time."""


@rule("store", phase="simplify", when="finite")
def store_again(site: Site, x: Operand, value: Operand, *at: Operand, key: tuple[str, ...]) -> Any:
    """x[k] += a; x[k] = b -> x[k] = b;  x[k] = x[k] + b -> x[k] += b"""
    update = site.sole_eqn(x)
    if update is not None and update.op in (store, add_at) and _names(update, key, at, 2):
        return store(update.args[0], value, *at, key=key)
    terms = without_element(site, x, value, at, key)
    return None if terms is None else added_to(x, value, terms, at, key)


@rule("add_at", phase="simplify", of="store add_at", when="finite")
def add_to_zeroed(site: Site, x: Operand, value: Operand, *at: Operand, key: tuple[str, ...]) -> Any:
    """t = x[k]; x[k] = 0; ...; x[k] += t + b -> ...; x[k] += b;  x[k] = 0; ...; x[k] += b -> x[k] = b; ..."""
    chain: list[Eqn] = []
    while (update := site.sole_eqn(x)) is not None and (update.op is add_at or _is_apart(site, update, key, at)):
        chain.append(update)
        x = update.args[0]
    if update is None or update.op is not store or not is_zeros(update.args[1]) or not _names(update, key, at, 2) \
            or not writes_once(key):
        return None
    x = update.args[0]
    terms = without_element(site, x, value, at, key)
    total = None if terms is None else added_to(_updated(x, chain), value, terms, at, key)
    return _updated(store(x, value, *at, key=key), chain) if total is None else total


@rule("index", phase="simplify", of="store")
def read_before_writes(site: Site, x: Operand, *at: Operand, key: tuple[str, ...]) -> Any:
    """x[j] = 0; t = x[k] -> t = x[k]; x[j] = 0, for another element k"""
    if not is_element(key):
        return None  # a view, which would be copied before the write
    block = cast(Builder, builder_var.get())
    chain: list[Eqn] = []
    read = x
    while (write := adjoint_eqn(read)) is not None and write.op is store and is_zeros(write.args[1]) \
            and _is_apart(site, write, key, at) and _is_movable(block, write, chain):
        chain.append(write)
        read = write.args[0]
    if not chain:
        return None
    element = index(read, *at, key=key)
    for write in reversed(chain):
        block.eqns.remove(write)
        block.eqns.append(write)
    return element


@rule("index", phase="simplify", of="store add_at")
def read_of_stored(site: Site, x: Operand, *at: Operand, key: tuple[str, ...]) -> Any:
    """x[k] = v; x[j] += a; t = x[k] -> x[k] = v; x[j] += a; t = v, for other elements j; the same for slices"""
    return stored_value(site, x, at, key)


@rule("store", phase="simplify", of="store add_at")
def store_of_stored(site: Site, x: Operand, value: Operand, *at: Operand, key: tuple[str, ...]) -> Any:
    """x[k] = v; x[j] += a; x[k] = v -> x[k] = v; x[j] += a, for other elements j"""
    return x if stored_value(site, x, at, key) == value else None


@rule("add", phase="simplify", of="index")
def add_of_zeroed(site: Site, a: Operand, b: Operand) -> Any:
    """x[k] = 0; t = a + x[k] -> x[k] = 0; t = a"""
    for part, other in ((b, a), (a, b)):
        read = adjoint_eqn(part)
        if read is not None and read.op is index and other.type == part.type:
            assignment = last_store(site, read.args[0], read.args[1:], read.attrs["key"])
            if assignment is not None and is_zeros(assignment.args[1]):
                return other
    return None


def stored_value(site: Site, x: Operand, at: Sequence[Operand], key: tuple[str, ...]) -> Operand | None:
    """The value that has been assigned to the part `x[key]`, and not overwritten since."""
    assignment = last_store(site, x, at, key) if writes_once(key) else None
    if assignment is None:
        return None
    value = assignment.args[1]
    is_whole = is_element(key) or isinstance(x.type, Tensor) and value.type == site.out.type
    return value if is_whole else None


def last_store(site: Site, x: Operand, at: Sequence[Operand], key: tuple[str, ...]) -> Eqn | None:
    """The assignment to the part `x[key]`, if that was not overwritten since."""
    update = adjoint_eqn(x)
    for _ in range(REACH):
        if update is None or update.op is store and _names(update, key, at, 2) or not _is_apart(site, update, key, at):
            break
        update = adjoint_eqn(update.args[0])
    return update if update is not None and update.op is store and _names(update, key, at, 2) else None


@rule("add_at", phase="simplify", of="add_at")
def add_to_adjacent(site: Site, x: Operand, value: Operand, *at: Operand, key: tuple[str, ...]) -> Any:
    """x[k] += a[k] * g; x[:k] += a[:k] * g -> x[: k + 1] += a[: k + 1] * g"""
    update = site.sole_eqn(x)
    if update is None or update.op is not add_at or not isinstance(x.type, Tensor):
        return None
    (g, element), (gs, part) = sorted([(update.args[1], split(update.attrs["key"], update.args[2:])),
                                       (value, split(key, at))], key=lambda each: len(shape_of(each[0])))
    expansion = Expansion(site)
    target, (a, *others), (b, *more) = joined_subscript(site, element, part), expansion.terms(g, 1.0), \
        expansion.terms(gs, 1.0)
    if target is None or others or more or a.coef != b.coef:
        return None
    common = Counter(a.factors) & Counter(b.factors)
    reads = [[defining_eqn(v) for v in (Counter(term.factors) - common).elements()] for term in (a, b)]
    if any(len(eqns) != 1 or eqns[0] is None or eqns[0].op is not index for eqns in reads) \
            or any(shape_of(v) != () for v in common):
        return None
    read, reads_of_part = (cast(Eqn, eqns[0]) for eqns in reads)
    source = joined_subscript(site, *(split(e.attrs["key"], e.args[1:]) for e in (read, reads_of_part)))
    if source is None or read.args[0] != reads_of_part.args[0] or _is_updated(read.args[0]):
        return None
    (target_key, target_at), (source_key, source_at) = join(target), join(source)
    factor = index(read.args[0], *source_at, key=source_key)
    if shape_of(factor) != indexed_shape(shape_of(x), target_key, target_at):
        return None
    total = factored_sum([Term(a.coef, (*common.elements(), factor))], expansion)
    return add_at(update.args[0], total, *target_at, key=target_key)


def joined_subscript(site: Site, element: Sequence[Any], part: Sequence[Any]) -> list[Any] | None:
    """The subscript of an element and of the part that ends before it, or starts behind it, along one axis."""
    places = [k for k, (p, q) in enumerate(zip(element, part)) if p != q]
    if len(element) != len(part) or len(places) != 1:
        return None
    k, = places
    p, q = element[k], part[k]
    if not isinstance(q, slice) or q.step is not None or isinstance(p, slice) or p is None or p is Ellipsis \
            or not is_at_least(site, p, Lit(0)):
        return None
    if q.stop is not None and are_equal(site, q.stop, p) and (q.start is None or is_at_least(site, q.start, Lit(0))
                                                              and is_at_least(site, p, q.start)):
        joined = slice(q.start, add(p, 1))
    elif q.start is not None and are_equal(site, q.start, p, 1) and (
            q.stop is None or is_at_least(site, q.stop, q.start)):
        joined = slice(p, q.stop)
    else:
        return None
    return [*element[:k], joined, *element[k + 1:]]


def _is_updated(x: Operand) -> bool:
    """Has a later version of this array been computed in the block?"""
    return any(e.op.updates and e.args[0] == x for e in cast(Builder, builder_var.get()).eqns[-REACH:])


def _is_apart(site: Site, update: Eqn, key: tuple[str, ...], at: Sequence[Operand]) -> bool:
    """Does the equation write elements that `key` does not name?"""
    return update.op in (store, add_at) and are_apart(site, update.attrs["key"], update.args[2:], key, at)


def _is_movable(block: Builder, eqn: Eqn, chain: Sequence[Eqn]) -> bool:
    """Do only the equations of the chain read, in this block, what the equation binds?"""
    for later in reversed(block.eqns[-REACH:]):
        if later is eqn:
            return True
        if later not in chain and eqn.out in outer_reads(later):
            return False
    return False


def without_element(site: Site, x: Operand, value: Operand, at: Sequence[Operand], key: tuple[str, ...]
                    ) -> tuple[list[Term], Expansion] | None:
    """The terms of `value` but `x[key]`, if that is one of them, with their expansion."""
    if not writes_once(key):
        return None
    expansion = Expansion(site)
    terms = expansion.terms(value, 1.0)
    rest = [t for t in terms if t.coef != 1.0 or len(t.factors) != 1 or not _is_read(t.factors[0], x, at, key)]
    return (rest, expansion) if len(rest) == len(terms) - 1 else None


def added_to(x: Operand, value: Operand, rest: tuple[list[Term], Expansion], at: Sequence[Operand],
             key: tuple[str, ...]) -> Any:
    """`x` with the sum of the terms added to `x[key]`, to which `value` was to be assigned."""
    terms, expansion = rest
    if not terms:
        return x
    added = factored_sum(terms, expansion)
    if isinstance(x.type, List) and added.type != value.type:
        return None  # a number cannot be added to an array in a list
    return add_at(x, added, *at, key=key)


@rule("add_at", phase="simplify")
def add_then_read(site: Site, x: Operand, value: Operand, *at: Operand, key: tuple[str, ...]) -> Any:
    """x[i] += v; t = x[i] -> t = x[i] + v; x[i] = t"""
    if not is_element(key) or (site.out, *at) not in site.elements:
        return None
    return store(x, add(index(x, *at, key=key), value), *at, key=key)


@rule("add_at", phase="present", of="neg")
def add_shared_negation(site: Site, x: Operand, value: Operand, *at: Operand, key: tuple[str, ...]) -> Any:
    """t = -v; x[j] += t; y[k] += t -> x[j] -= v; y[k] -= v"""
    args = operands_of(value, "neg")
    if args is None or not site.is_shared(value) or not writes_once(key):
        return None
    return add_at(x, neg(args[0]), *at, key=key)


@rule("add_at", phase="present", of="store")
def add_before_zeroing(site: Site, x: Operand, value: Operand, *at: Operand, key: tuple[str, ...]) -> Any:
    """t = x[j]; x[j] = 0; x[k] += t -> t = x[j]; x[k] += t; x[j] = 0, for other elements k"""
    write, read = site.sole_eqn(x), site.sole_eqn(value)
    if write is None or read is None or write.op is not store or not is_zeros(write.args[1]) or read.op is not index \
            or not _is_read(value, write.args[0], write.args[2:], write.attrs["key"]) \
            or not _is_apart(site, write, key, at):
        return None
    return store(add_at(write.args[0], value, *at, key=key), *write.args[1:], **write.attrs)


@rule("add_at", phase="simplify", of="store add_at")
def add_through_view(site: Site, x: Operand, value: Operand, *at: Operand, key: tuple[str, ...]) -> Any:
    """v = zeros; v[j] = a; x[k] += v -> x[k][j] += a"""
    parts: list[tuple[Operand, Any]] = []
    view = split(key, at)
    while (write := site.sole_eqn(value)) is not None and write.op in (store, add_at):
        parts.append((write.args[1], compose_subscripts(view, split(write.attrs["key"], write.args[2:]))))
        value = write.args[0]
        if write.op is store and not is_zeros(value):
            return None
    if not parts or not is_zeros(value) or any(items is None for _, items in parts):
        return None
    for v, items in reversed(parts):
        key_, operands = join(items)
        x = add_at(x, v, *operands, key=key_)
    return x


@rule("store", phase="simplify", of="store add_at")
def update_of_row(site: Site, x: Operand, value: Operand, *at: Operand, key: tuple[str, ...]) -> Any:
    """row = x[k]; row[j] += a; x[k] = row -> x[k][j] += a, in a list of lists"""
    if not isinstance(value.type, List) or set(key) != {"i"}:
        return None
    chain: list[Eqn] = []
    while (update := site.sole_eqn(value)) is not None and update.op in (store, add_at) \
            and set(update.attrs["key"]) == {"i"}:
        chain.append(update)
        value = update.args[0]
    if not chain or not _is_read(value, x, at, key):
        return None
    for update in reversed(chain):
        x = update.op(x, update.args[1], *at, *update.args[2:], key=(*key, *update.attrs["key"]))
    return x


@rule("add", phase="simplify", of="store add_at")
def add_to_chain(site: Site, x: Operand, v: Operand) -> Any:
    """d = zeros; d[j] = a; d[k] += b; d += where(c, v, 0) -> d = where(c, v, 0); d[j] += a; d[k] += b

    The same where the array that the chain is added to has been updated, and so has a buffer.
    """
    for start, end in ((v, x), (x, v)):
        origin = site.sole_eqn(start)
        if origin is None or origin.op not in (where, store, add_at) or start.type != site.out.type:
            continue
        chain: list[Eqn] = []
        while (update := site.sole_eqn(end)) is not None and update.op in (store, add_at):
            chain.append(update)
            end = update.args[0]
        adds = all(e.op is add_at or e is chain[-1] and writes_once(e.attrs["key"]) for e in chain)
        if chain and is_zeros(end) and adds:
            if origin.op is where:
                site.offer_hint(start)
                _move_to_end(origin)
            return _with_added(start, chain)
    return None


@rule("index", phase="simplify", of="index")
def read_of_view(site: Site, x: Operand, *at: Operand, key: tuple[str, ...]) -> Any:
    """x[1:][0] -> x[1];  x[1:][2:] -> x[3:]"""
    view = site.sole_eqn(x)
    if view is None or view.op is not index or view.out.hint is not None or not isinstance(x.type, Tensor):
        return None
    items = compose_subscripts(split(view.attrs["key"], view.args[1:]), split(key, at))
    if items is None:
        return None
    key, operands = join(items)
    return index(view.args[0], *operands, key=key)


def compose_subscripts(view: Sequence[Any], items: Sequence[Any]) -> list[Any] | None:
    """The subscript k with `x[k]` equal to `x[view][items]`; None if it would depend on sizes."""
    rest = list(items)
    if any(item is None or item is Ellipsis or isinstance(item.type, Tensor) and item.type.is_array
           for item in (*view, *items) if not isinstance(item, slice)):
        return None
    out: list[Any] = []
    for item in view:
        part = item if not isinstance(item, slice) or not rest else _compose_item(item, rest.pop(0))
        if part is None:
            return None
        out.append(part)
    return [*out, *rest]


def _compose_item(whole: slice, item: Any) -> Any:
    """`x[whole][item]` as one item, with literal positions that count from the same end."""
    start, stop, step = (0 if b is None else number(b) for b in (whole.start, whole.stop, whole.step))
    if whole == slice(None):
        return item
    if step != 0 or start is None or start < 0 or stop is None or stop > 0 or whole.stop is not None and stop == 0:
        return None
    if isinstance(item, slice):
        first, last = (0 if b is None else number(b) for b in (item.start, item.stop))
        is_literal = first is not None and first >= 0 and (item.stop is None or last is not None and last < 0)
        if not is_literal or item.step is not None and (number(item.step) or 0) <= 0:
            return None
        bounds = [Lit(start + first) if start + first else None, Lit(stop + last) if stop + last else None]
        return slice(bounds[0], bounds[1], item.step)
    at = number(item)
    return None if at is None else Lit(start + at if at >= 0 else stop + at)


def _updated(x: Operand, chain: Sequence[Eqn]) -> Operand:
    """`x` after the updates of a chain, which is given last first."""
    for e in reversed(chain):
        x = cast(Operand, e.op(x, *e.args[1:], **e.attrs))
    return x


def _with_added(x: Operand, chain: Sequence[Eqn]) -> Operand:
    """`x` with what a chain of updates, which is given last first, assigns or adds to zeros."""
    for e in reversed(chain):
        x = cast(Operand, add_at(x, *e.args[1:], key=e.attrs["key"]))
    return x


def _is_read(v: Operand, x: Operand, at: Sequence[Operand], key: tuple[str, ...]) -> bool:
    """Is `v` equal to `x[key]`?"""
    read = adjoint_eqn(v)
    return read is not None and read.op is index and read.args[0] == x and _names(read, key, at, 1)


def _names(eqn: Eqn, key: tuple[str, ...], at: Sequence[Operand], first: int) -> bool:
    """Does the equation read or write the elements `key`, whose operands stand from `first` on?"""
    return eqn.attrs["key"] == key and eqn.args[first:] == at


@rule("add_at", phase="simplify", of="cond")
def add_in_branch(site: Site, x: Operand, value: Operand, *at: Operand, key: tuple[str, ...]) -> Any:
    """v = 0.0 if c else w; x[k] += v -> if not c: x[k] += w"""
    block = cast(Builder, builder_var.get())
    conditional = site.sole_eqn(value)
    if conditional is None or conditional.op.name != "cond":
        return None
    outs = conditional.outs
    k = outs.index(cast(Value, value))
    branches = [branch.results[k] for branch in conditional.regions]
    if not _is_zeros_in_a_branch(conditional, k) or not all(isinstance(v.type, Tensor) for v in branches):
        return None
    place = _position(block.eqns, conditional, {a for a in (x, *at) if isinstance(a, Value) and a not in outs})
    j = outs.index(x) if isinstance(x, Value) and x in outs else None
    if place is None or any(a in outs for a in at) or j is not None and site.is_shared(x):
        return None
    regions = []
    for branch in conditional.regions:
        with block.nested() as inner:
            for eqn in branch.eqns:
                inner.add(eqn)
            before, v = x if j is None else branch.results[j], branch.results[k]
            after = before if is_zeros(v) else add_at(before, v, *at, key=key)
        results = [r for i, r in enumerate(branch.results) if i not in (k, j)]
        regions.append(inner.finish(branch.name, branch.params, [*results, after]))
    out = Value(site.out.type, site.out.hint)
    block.eqns[place] = conditional = conditional.replace(
        outs=(*(o for i, o in enumerate(outs) if i not in (k, j)), out), regions=tuple(regions))
    block.defs.update((o, conditional) for o in conditional.outs)
    return out


def _is_zeros_in_a_branch(conditional: Eqn, k: int) -> bool:
    """Does a branch of the conditional, or of one in it, give zeros?"""
    for branch in conditional.regions:
        v = branch.results[k]
        inner = next((eqn for eqn in branch.eqns if eqn.op.name == "cond" and v in eqn.outs), None)
        if is_zeros(v) or inner is not None and _is_zeros_in_a_branch(inner, inner.outs.index(cast(Value, v))):
            return True
    return False


def _move_to_end(eqn: Eqn) -> None:
    """Move an equation of the block behind what else reads its operands, so that it can take over their buffer."""
    eqns = cast(Builder, builder_var.get()).eqns
    if (place := _position(eqns, eqn, set())) is not None:
        eqns.append(eqns.pop(place))


def _position(eqns: Sequence[Eqn], eqn: Eqn, reads: set[Value]) -> int | None:
    """The position of `eqn` in the block, if none of the values `reads` is bound after it."""
    for at in range(len(eqns) - 1, max(-1, len(eqns) - 1 - REACH), -1):
        if eqns[at] is eqn:
            return at
        if not reads.isdisjoint(eqns[at].outs):
            return None
    return None
