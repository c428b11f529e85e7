"""May-alias groups: arrays that may share a buffer since paths disagree, or since a result may be a view or a copy.

    row = A[0] if best else A[1]      # A and `row` are a group: neither may be written
    A[2] = A[2] / norm(row)           # `row` is dead here: A may be written again

A group holds the address of every array that may share the buffer of one of them.  A member may be written where no
other member can be read any more.  An array that is frozen without a group stays frozen: not all of its aliases are
known.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from sct.frontend.state.store import Store, reached
from sct.frontend.state.tries import is_slot
from sct.frontend.values.abstract_values import CAPTURED, Abstract, Array, Frozen, Key
from sct.ir.types import Tensor

if TYPE_CHECKING:
    from sct.frontend.state.state import State

__all__ = ["freeze_group", "join_groups", "thaw", "thaw_at_back_edge"]


def freeze_group(ev: State, *addrs: int) -> None:
    """Forbids writes to these arrays, of which one may be a view of another, while a second one of them can be read."""
    before = ev.store.alias_groups
    have_groups = _are_known(ev.store, addrs)
    group = frozenset(addrs).union(*(before.get(addr, ()) for addr in addrs))
    ev.freeze(*addrs)
    if have_groups:
        _record(ev.store, group)


def thaw(ev: State, addr: int) -> list[str]:
    """Allows writes to an array if no other member of its group can be read any more; else the names of those that
    can."""
    return _thaw(ev, ev.store, addr, ev.live_in_statement, ev.temporaries.values)


def thaw_at_back_edge(ev: State, end: Store, live: Callable[[Key], bool], held: Sequence[Abstract]) -> None:
    """Allows writes to the arrays of which no other member can be read behind an iteration.

    held  values that no name need be bound to
    """
    for addr in list(end.alias_groups):
        _thaw(ev, end, addr, live, held)


def _thaw(ev: State, store: Store, addr: int, live: Callable[[Key], bool], held: Sequence[Abstract]) -> list[str]:
    cell, group = store.cells[addr], store.alias_groups.get(addr)
    if group is None or not isinstance(cell, Array) or cell.frozen != Frozen.AMBIGUOUS:
        return []
    if any(a <= CAPTURED or ev.enclosing.can_read(a) for a in group):
        return []

    def lead_to_others(*values: Abstract) -> bool:
        return not reached(values, [store.cells]).isdisjoint(group - {addr})

    variables = [key for key, v in store.vars.items() if live(key) and lead_to_others(v)]
    if not variables and not lead_to_others(*held):
        store.cells[addr] = replace(cell, frozen=Frozen.NO)
    return sorted({key.name for key in variables if not is_slot(key)})


def join_groups(left: Store, right: Store, joined: Store, pairs: Collection[tuple[object, object]],
                addrs: dict[tuple[object, object], int]) -> None:
    """The groups behind a join of two paths.

    pairs  what each reference leads to on the two paths: an address, or a copy at an address that the join has made
    addrs  the addresses that the join has made, by such a pair
    """
    paths = [path for path in (left, right) if not path.dead]
    if not any(path.alias_groups for path in paths) and not _disagree(joined, paths):
        return
    linked = [frozenset(a for a in (*map(_address, pair), addrs.get(pair)) if a is not None) for pair in pairs]
    groups = [group for path in paths for group in path.alias_groups.values()]
    for group in _components([*linked, *groups]):
        if all(_are_known(path, group) for path in paths):
            _record(joined, group)


def _disagree(joined: Store, paths: Iterable[Store]) -> bool:
    """Has the join frozen an array?"""
    before = {addr for path in paths for addr, cell in path.cells.items() if cell.frozen}
    return any(cell.frozen == Frozen.AMBIGUOUS and addr not in before for addr, cell in joined.cells.items())


def _are_known(path: Store, addrs: Iterable[int]) -> bool:
    """Are these arrays on this path, with all that may share their buffers in their groups?"""
    cells = [(addr, path.cells[addr]) for addr in addrs if addr in path.cells]
    return all(isinstance(cell, Array) and isinstance(cell.value.type, Tensor) and
               (not cell.frozen or addr in path.alias_groups) for addr, cell in cells)


def _record(store: Store, group: frozenset[int]) -> None:
    for addr in group & store.cells.keys():
        if store.cells[addr].frozen == Frozen.AMBIGUOUS:
            store.alias_groups[addr] = group


def _address(at: object) -> int | None:
    """The address of one side of a pair; None where the reference is undefined on that path."""
    if isinstance(at, tuple):
        kind, addr = at
        return addr if kind == "copy" else None
    return at if isinstance(at, int) else None


def _components(sets: Iterable[frozenset[int]]) -> Iterator[frozenset[int]]:
    """The unions of sets that overlap, directly or through others, of more than one address."""
    component: dict[int, frozenset[int]] = {}
    for group in sets:
        union = group.union(*(component.get(addr, ()) for addr in group))
        component.update(dict.fromkeys(union, union))
    yield from {group for group in component.values() if len(group) > 1}
