"""Minimum cut of a flow network (Dinic): which nodes stay on the side of the source.

>>> net = Network()
>>> net.edge("s", "a", 3.0); net.edge("a", "t", 1.0)
>>> net.source_side("s", "t") == {"s", "a"}
True
"""

from __future__ import annotations

from collections import deque
from collections.abc import Hashable

__all__ = ["Network"]

Node = Hashable


class Network:
    """Directed edges with capacities."""

    def __init__(self) -> None:
        self.to: list[Node] = []
        self.left: list[float] = []
        self.out: dict[Node, list[int]] = {}

    def edge(self, a: Node, b: Node, capacity: float) -> None:
        """Add an edge; its reverse is the edge with the number next to it."""
        for x, y, c in ((a, b, capacity), (b, a, 0.0)):
            self.out.setdefault(x, []).append(len(self.to))
            self.to.append(y)
            self.left.append(c)

    def source_side(self, source: Node, sink: Node) -> set[Node]:
        """The nodes that the source reaches once the flow is greatest: the smallest such side."""
        while sink in (level := self._levels(source)):
            untried = {node: list(edges) for node, edges in self.out.items()}
            while self._augment(source, sink, level, untried):
                pass
        return set(level)

    def _levels(self, source: Node) -> dict[Node, int]:
        level: dict[Node, int] = {source: 0}
        queue = deque([source])
        while queue:
            node = queue.popleft()
            for e in self.out.get(node, ()):
                if self.left[e] > 0 and self.to[e] not in level:
                    level[self.to[e]] = level[node] + 1
                    queue.append(self.to[e])
        return level

    def _augment(self, source: Node, sink: Node, level: dict[Node, int], untried: dict[Node, list[int]]) -> bool:
        """Push flow along one shortest path, if there is one left."""
        path: list[int] = []
        node = source
        while node != sink:
            edges = untried.get(node, [])
            while edges and not (self.left[edges[-1]] > 0 and level.get(self.to[edges[-1]]) == level[node] + 1):
                edges.pop()
            if edges:
                path.append(edges[-1])
                node = self.to[edges[-1]]
            elif path:
                node = self.to[path.pop() ^ 1]
                untried[node].pop()
            else:
                return False
        flow = min(self.left[e] for e in path)
        for e in path:
            self.left[e] -= flow
            self.left[e ^ 1] += flow
        return True
