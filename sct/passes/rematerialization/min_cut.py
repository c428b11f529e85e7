"""Minimum cut of a flow network, by Dinic's algorithm: the vertices on the side of the source.

>>> net = Network()
>>> net.edge("s", "a", 3.0); net.edge("a", "t", 1.0)
>>> net.source_side("s", "t") == {"s", "a"}
True
"""

from __future__ import annotations

from collections import deque
from collections.abc import Hashable

__all__ = ["Network"]

Vertex = Hashable


class Network:
    """A directed graph with capacities.

    target    for an edge: the vertex at its end
    left      for an edge: its capacity that is not used yet
    edges_of  for a vertex: the edges that leave it
    """

    def __init__(self) -> None:
        self.target: list[Vertex] = []
        self.left: list[float] = []
        self.edges_of: dict[Vertex, list[int]] = {}

    def edge(self, a: Vertex, b: Vertex, capacity: float) -> None:
        """Add an edge and its reverse, whose numbers differ in the last bit."""
        for x, y, c in ((a, b, capacity), (b, a, 0.0)):
            self.edges_of.setdefault(x, []).append(len(self.target))
            self.target.append(y)
            self.left.append(c)

    def source_side(self, source: Vertex, sink: Vertex) -> set[Vertex]:
        """The vertices that the source reaches when the flow is greatest: the smallest side of a minimum cut."""
        while sink in (level := self._levels(source)):
            untried = {vertex: list(edges) for vertex, edges in self.edges_of.items()}
            while self._augment(source, sink, level, untried):
                pass
        return set(level)

    def _levels(self, source: Vertex) -> dict[Vertex, int]:
        level: dict[Vertex, int] = {source: 0}
        queue = deque([source])
        while queue:
            vertex = queue.popleft()
            for e in self.edges_of.get(vertex, ()):
                if self.left[e] > 0 and self.target[e] not in level:
                    level[self.target[e]] = level[vertex] + 1
                    queue.append(self.target[e])
        return level

    def _augment(self, source: Vertex, sink: Vertex, level: dict[Vertex, int],
                 untried: dict[Vertex, list[int]]) -> bool:
        """Push flow along one shortest path, if there is one left."""
        path: list[int] = []
        vertex = source
        while vertex != sink:
            edges = untried.get(vertex, [])
            while edges and not (self.left[edges[-1]] > 0 and level.get(self.target[edges[-1]]) == level[vertex] + 1):
                edges.pop()
            if edges:
                path.append(edges[-1])
                vertex = self.target[edges[-1]]
            elif path:
                vertex = self.target[path.pop() ^ 1]
                untried[vertex].pop()
            else:
                return False
        flow = min(self.left[e] for e in path)
        for e in path:
            self.left[e] -= flow
            self.left[e ^ 1] += flow
        return True
