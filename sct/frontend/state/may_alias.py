"""Arrays that may share a buffer, since paths or iterations disagree, or since a result may be a view or a copy.

    row = A[0] if best else A[1]      # A and `row` are aliases, maybe: neither may be written
    A[2] = A[2] / norm(row)           # `row` is dead here: A may be written again

`Store.aliases` has, for an array that is frozen, the addresses of all arrays that may share its buffer.  It may be
written where none of the others can be read any more.  Not all aliases are known of an array that is frozen and has no
entry: it stays frozen.  The relation is symmetric, but not transitive: after `z = u if c else v`, `z` may be `u` or
`v`, which are no aliases of one another.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NoReturn

from sct.frontend.state.store import Store, reached
from sct.frontend.values.abstract_values import CAPTURED, Abstract, Array, Cell, Frozen, Key, Ref, Slots
from sct.ir.types import List, Tensor, base_type

if TYPE_CHECKING:
    from sct.frontend.state.state import State

__all__ = ["ATTRIBUTE_WRITE", "UNKNOWN", "Relation", "freeze_together", "is_ambiguous", "join_aliases", "record",
           "refuse_frozen", "related", "thaw", "thaw_at_back_edge"]

Relation = dict[Any, frozenset[Any]]
"""For each array, by what identifies it, those that may share its buffer."""

UNKNOWN = "unknown"
"""Among the aliases of an array: others, which are not known."""

ATTRIBUTE_WRITE = "a write to an attribute of an object"


def refuse_frozen(ev: State, addr: int, cell: Array | Slots, what: str, aliases: Sequence[str]) -> NoReturn:
    """Refuses a write to an array or container that is frozen; `aliases`: other names that can be read."""
    if cell.frozen in (Frozen.HELD, Frozen.STALE) and what == ATTRIBUTE_WRITE:
        ev.refuse("SCT307", f"{what} that is an item of a list or a value of a dict, too",
                  why=f"{Frozen.HELD.value}, and sct cannot keep the two in step",
                  hint="put a copy into the list: `append(copy.copy(x))`; change an item by replacing it: "
                       "`x = copy.copy(xs[i])`, change `x`, then `xs[i] = x`")
    if cell.frozen == Frozen.HELD and addr in ev.containers.passed_out:
        ev.refuse("SCT307", f"{what} into an array, list or dict that an object of Python may hold",
                  why="it was passed to a call that sct does not see into, and the result may share its memory",
                  hint="pass a copy to the call: `f(x.copy())`")
    if cell.frozen == Frozen.HELD:
        ev.refuse("SCT307", f"{what} into an array, list or dict that is an item of a list or a value of a "
                  "dict, too",
                  why=f"{Frozen.HELD.value}, and sct cannot keep the two in step",
                  hint="put a copy into the list: `append(x.copy())`; change an item by replacing it: `x = "
                       "xs[i].copy()`, write to `x`, then `xs[i] = x`; write to rows of `a` in `for r in a`")
    ev.functions.plan.ambiguous.update(ev.containers.chosen.get(addr, ()))
    if isinstance(cell, Slots):
        ev.refuse("SCT301", f"{what} through a name that may be an alias",
                  why=cell.frozen.value.replace("this array", "it").replace(", or on its order in memory", ""),
                  hint="put them into a list, and let the path choose the index: `both = [a, b]`, `both[k].append(v)`")
    later = f", and {' and '.join(f'`{name}`' for name in aliases)} may be read later" * bool(aliases)
    ev.refuse("SCT301", f"{what} through a name that may be an alias", why=cell.frozen.value + later,
              hint="if no other name is to see it, write to a copy: `z = z.copy()`; else use one name, and indices")


def freeze_together(ev: State, *addrs: int) -> None:
    """Forbids writes to these arrays, of which one may be a view of another, while a second one of them can be read."""
    store = ev.store
    are_known = not any(has_unknown_aliases(store, addr) for addr in addrs)
    together = frozenset[int]().union(*(may_share(store, addr) for addr in addrs))
    before = {addr: may_share(store, addr) for addr in together if not has_unknown_aliases(store, addr)}
    ev.freeze(*addrs)
    for addr, aliases in before.items() if are_known else ():
        record(store, addr, aliases | together)


def thaw(ev: State, addr: int) -> list[str]:
    """Allows writes to an array if none of its aliases can be read any more; else the names of those that
    can."""
    return _thaw(ev, ev.store, addr, ev.live_in_statement, ev.temporaries.values)


def thaw_at_back_edge(ev: State, end: Store, live: Callable[[Key], bool], held: Sequence[Abstract]) -> None:
    """Allows writes to the arrays of which no alias can be read behind an iteration.

    held  values that no name need be bound to
    """
    for addr in list(end.aliases):
        _thaw(ev, end, addr, live, held)


def _thaw(ev: State, store: Store, addr: int, live: Callable[[Key], bool], held: Sequence[Abstract]) -> list[str]:
    cell, aliases = store.cells[addr], store.aliases.get(addr)
    if aliases is None or not is_ambiguous(cell):
        return []
    if any(a <= CAPTURED or ev.enclosing.can_read(a) for a in aliases):
        return []

    def lead_to_others(*values: Abstract) -> bool:
        return not reached(values, [store.cells]).isdisjoint(aliases - {addr})

    variables = [key for key, v in store.vars.items() if live(key) and lead_to_others(v)]
    if not variables and not lead_to_others(*held):
        store.cells[addr] = replace(cell, frozen=Frozen.NO)
    return sorted({key.name for key in variables if key.name.isidentifier()})


def has_unknown_aliases(store: Store, addr: int) -> bool:
    """May the array at this address have aliases that are not noted?"""
    cell = store.cells.get(addr)
    return cell is not None and bool(cell.frozen) and addr not in store.aliases


def may_share(store: Store, addr: int) -> frozenset[int]:
    """The addresses of the arrays that may share the buffer of the one at `addr`, and that address."""
    return store.aliases.get(addr, frozenset()) | {addr}


def is_held(ev: State, v: Ref) -> bool:
    """May a name, a container, the code around, or an expression but that which gave it hold this array?"""
    store, addr = ev.store, v.addr
    if addr <= CAPTURED or ev.enclosing.can_read(addr) or may_share(store, addr) != {addr} or store.cells[addr].frozen:
        return True
    items = [x for cell in store.cells.values() if isinstance(cell, Slots) for x in cell.items]
    held = [x for x in ev.temporaries.values if x is not v]
    return addr in reached([*store.vars.values(), *held, *items], [store.cells])


def is_ambiguous(cell: Cell | None) -> bool:
    """Is this an array that is frozen since paths disagree on its aliases?"""
    return isinstance(cell, Array) and cell.frozen == Frozen.AMBIGUOUS and isinstance(
        base_type(cell.value.type), (List, Tensor))


def record(store: Store, addr: int, aliases: frozenset[int]) -> None:
    """Notes the aliases of an array, if it is frozen since paths disagree on them."""
    cell = store.cells.get(addr)
    if is_ambiguous(cell):
        store.aliases[addr] = aliases | {addr}


def related(pairs: Collection[tuple[Any, int]], store: Store) -> Relation:
    """What may share a buffer, of what leads to these addresses on this path."""
    leading: dict[int, set[Any]] = defaultdict(set)
    for x, addr in pairs:
        leading[addr].add(x)
    relation: Relation = {}
    for x, addr in pairs:
        unknown = (UNKNOWN,) if has_unknown_aliases(store, addr) else ()
        relation[x] = relation.get(x, frozenset()).union(unknown, *(leading[a] for a in may_share(store, addr)
                                                                    if a in leading))
    return relation


def join_aliases(left: Store, right: Store, joined: Store, pairs: Collection[tuple[object, object]],
                 addrs: Mapping[tuple[object, object], int]) -> None:
    """The aliases behind a join of two paths.

    pairs  what each reference leads to on the two paths: an address, or a copy at an address that the join has made
    addrs  the addresses that the join has made, by such a pair
    """
    frozen = [addr for addr, cell in joined.cells.items() if is_ambiguous(cell)]
    if not frozen:
        return
    both: list[tuple[int, Any, Any]] = [(addr, addr, addr) for addr in joined.cells]
    for a, b in pairs:
        copy = next((x[1] for x in (a, b) if isinstance(x, tuple) and x[0] == "copy"), None)
        at = copy if copy is not None else addrs.get((a, b))
        if isinstance(at, int):
            both.append((at, a, b))
    relations = [related([(at, side[k]) for at, *side in both if side[k] in path.cells], path)
                 for k, path in enumerate((left, right)) if not path.dead]
    for addr in frozen:
        aliases: frozenset[Any] = frozenset().union(*(relation.get(addr, ()) for relation in relations))
        if UNKNOWN not in aliases:
            record(joined, addr, aliases)
