"""The graph of aliases: values of arrays and lists, with edges between those that may share memory.

    v = y[1:]; w = v[::2]   ->   the alias class of `v` is {v, y, w}

In:  links, which `storage` adds where values share memory and takes away where it adds a copy. Out: alias classes.
"""

from __future__ import annotations

from collections.abc import Iterable

from sct.ir.core import Operand, Value
from sct.ir.types import holds_array, list_depth
from sct.ir.uses import reachable

__all__ = ["AliasGraph"]


class AliasGraph:
    """Which values may share memory.

    An edge has the depth from which inwards its two values share buffers: 0 for that of an array, 1 for that of a list
    of arrays, and so on. An edge of items stands between lists with buffers of their own that share an array.
    """

    def __init__(self) -> None:
        self._edges: dict[Value, list[tuple[Value, int]]] = {}
        self._item_edges: dict[Value, list[Value]] = {}
        self._targets: dict[Value, list[Value]] = {}

    def link(self, x: Operand, y: Value, shared: int | None = None) -> None:
        """Record that `y`, which is computed from `x`, shares its buffers from the depth `shared` inwards."""
        if isinstance(x, Value) and holds_array(x.type) and holds_array(y.type):
            shared = min(list_depth(x.type), list_depth(y.type)) if shared is None else shared
            self._targets.setdefault(x, []).append(y)
            self._edges.setdefault(x, []).append((y, shared))
            self._edges.setdefault(y, []).append((x, shared))

    def link_items(self, x: Value, y: Value) -> None:
        """Record that the lists `x` and `y` share arrays."""
        self._item_edges.setdefault(x, []).append(y)
        self._item_edges.setdefault(y, []).append(x)

    def unlink(self, x: Value, y: Value) -> None:
        """Record that `x` and `y` share no buffers, since `y` is computed from a copy of `x`."""
        for v, w in ((x, y), (y, x)):
            self._edges[v] = [(z, shared) for z, shared in self._edges.get(v, ()) if z is not w]
        self._targets[x] = [z for z in self._targets.get(x, ()) if z is not y]

    def isolate(self, v: Value) -> None:
        """Record that `v` shares no buffer, and no array in it."""
        for w, _ in self._edges.get(v, ()):
            self.unlink(v, w)
            self.unlink(w, v)
        for w in self._item_edges.pop(v, ()):
            self._item_edges[w] = [z for z in self._item_edges[w] if z is not v]

    def is_linked(self, x: Value, y: Value) -> bool:
        """Is there an edge between the two?"""
        return any(z is y for z, _ in self._edges.get(x, ()))

    def alias_class(self, v: Value, at: int | None = None, *, items: bool = False) -> list[Value]:
        """The values that may share the buffer of `v`, or with `at`, the buffers in it that have the depth `at`.

        items  also those that share an array with it that a list holds which is owned: a list with a buffer of its own
        """
        at = list_depth(v.type) if at is None else at
        aliases = {v: None}
        todo = [v]
        while todo:
            w = todo.pop()
            of_items = self._item_edges.get(w, ()) if items and at == 0 else ()
            for x in (*(x for x, shared in self._edges.get(w, ()) if shared >= at), *of_items):
                if x not in aliases:
                    aliases[x] = None
                    todo.append(x)
        return list(aliases)

    def computed_from(self, values: Iterable[Value]) -> set[Value]:
        """These values, and those computed from them that share memory."""
        return reachable(values, lambda v: (*self._targets.get(v, ()), *self._item_edges.get(v, ())))
