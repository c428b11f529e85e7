"""Deques, lists that are kept in order, and choices among candidates: `min` and `max` with a key."""

import bisect
import heapq
import math
from collections import deque

import numpy as np


class Machine:
    def __init__(self, speed, load):
        self.speed = speed
        self.load = load

    def finish(self, work):
        return self.load + work / self.speed


def huffman(p):
    heap = []
    for v in p:
        heapq.heappush(heap, v)
    cost = 0.0
    while len(heap) > 1:
        a = heapq.heappop(heap)
        b = heapq.heappop(heap)
        cost += (a + b) ** 2
        heapq.heappush(heap, a + b)
    return cost


def shortest_paths(w):
    n = len(w)
    dist = np.full(n, np.inf)
    dist[0] = 0.0
    heap = [(0.0, 0)]
    while heap:
        d, u = heapq.heappop(heap)
        if d > dist[u]:
            continue
        for v in range(n):
            nd = d + w[u, v] ** 2
            if nd < dist[v]:
                dist[v] = nd
                heapq.heappush(heap, (nd, v))
    return np.sum(dist)


def events(period):
    queue = [(0.3 * v + 0.1 * i, i) for i, v in enumerate(period)]
    heapq.heapify(queue)
    total = 0.0
    while queue:
        t, i = queue[0]
        if t > 6.0:
            break
        total += math.exp(-0.1 * t) * period[i]
        heapq.heapreplace(queue, (t + period[i], i))
    return total


def largest_squares(x):
    heap = []
    for v in x:
        if len(heap) < 3:
            heapq.heappush(heap, v * v)
        else:
            heapq.heappushpop(heap, v * v)
    return sum(heap) + heap[0]


def trimmed(x):
    deviations = [(abs(v - 0.83), v) for v in x]
    near = heapq.nsmallest(2, deviations)
    far = heapq.nlargest(2, deviations, key=lambda t: t[1])
    return sum(v * v for _, v in near) + 2.0 * sum(d * v for d, v in far)


def three_numbers(x):
    heap = [x[0], x[1] * x[1]]
    heapq.heapify(heap)
    heapq.heappush(heap, x[0] * x[1])
    return heapq.heappop(heap) * 2.0 + heap[0] * heap[1]


def running_median(x):
    window = []
    total = 0.0
    for v in x:
        bisect.insort(window, v * 2.0)
        total += window[len(window) // 2] * v
    return total


def inserted_pairs(x):
    pairs = []
    for i, v in enumerate(x):
        bisect.insort_left(pairs, (v, i * v))
    bisect.insort(pairs, (0.7, x[0]), key=lambda t: t[0])
    return sum(a * b * k for k, (a, b) in enumerate(pairs))


def inserted(x):
    xs = []
    for k, v in enumerate(x):
        xs.insert(k - 2, v * v)
        xs.insert(2 * k, v)
    return sum((i + 1) * v for i, v in enumerate(xs))


def earliest_machine(x):
    machines = [Machine(v, 1.0) for v in x]
    for k in range(5):
        m = min(machines, key=lambda m: m.finish(2.0 + 0.1 * k))
        m.load = m.finish(2.0 + 0.1 * k)
    return sum(m.load ** 2 for m in machines)


def best_and_worst(x):
    ms = []
    for v in x:
        ms.append(Machine(v, v * v + 1.0))
    fast = max(ms, key=lambda m: m.speed)
    slow = min(ms, key=lambda m: m.finish(0.3))
    return fast.load * slow.speed + slow.load


def cheapest(x):
    candidates = []
    for k, v in enumerate(x):
        candidates.append(((v - 0.61) ** 2, k))
    cost, k = min(candidates)
    return cost + 3.0 * max(candidates)[0] + x[k]


def with_default(x):
    large = [(v * v, v) for v in x if v > 0.9]
    a, _ = max(large, default=(0.0, 1.0))
    _, b = min(large, key=lambda t: -t[0] * t[1], default=(2.0, 1.0))
    return a + b * x[0]


def rows(x):
    parts = []
    for k in range(len(x) - 1):
        parts.append(x[k:k + 2] * (k + 1.0))
    best = max(parts, key=lambda r: np.sum(r))
    return np.sum(best * best)


class Smoother:
    def __init__(self, n):
        self.window = deque(maxlen=n)
        self.last = deque([0.0, 0.0], maxlen=2)

    def __call__(self, v):
        self.window.append(v)
        y = sum(self.window) / len(self.window) + 0.5 * self.last[0] - 0.1 * self.last[-1]
        self.last.appendleft(y)
        return y


def smoothed(x):
    smoother = Smoother(3)
    return sum(smoother(v) ** 2 for v in x)


def moving_average(x):
    window = deque(maxlen=2)
    total = 0.0
    for v in x:
        window.append(v)
        total += (v - sum(window) / len(window)) ** 2
    return total


def waiting_line(x):
    line = deque()
    t = 0.0
    waited = 0.0
    for s in x:
        t += 0.62
        line.append(t + s)
        while line and line[0] < t:
            waited += line.popleft() ** 2
    while line:
        waited += line.pop()
    return waited


def recent_gradients(x):
    recent = deque(maxlen=3)
    for _ in range(5):
        recent.append(2.0 * x + np.sin(x))
        mean = np.zeros_like(x)
        for g in recent:
            mean = mean + g
        x = x - 0.1 * mean / len(recent)
    return np.sum(x * x) + np.mean(np.array(recent))


def pairs_in_window(x):
    window = deque([(0.5, 1.0)], maxlen=4)
    total = 0.0
    for i, v in enumerate(x):
        window.append((v, v * 0.1 * i))
        a, b = window[0]
        c, d = window[-1]
        total += a * d - b * c * 0.5
    return total


def delayed(x):
    delay = deque(maxlen=2)
    total = 0.0
    for v in x:
        if len(delay) == delay.maxlen:
            total += delay.popleft() * v
        delay.append(v)
    return total + sum(delay)


def rotated(x):
    ring = deque(x)
    for _ in range(3):
        ring.rotate(1)
        ring[0] = ring[0] * 1.5
    ring.rotate(-1)
    other = ring.copy()
    other.extend([x[0], 2.0])
    other.extendleft(x)
    other.reverse()
    return sum((i + 1) * v for i, v in enumerate(other)) + len(ring) * ring[1]


def walked(x):
    queue = deque([(0, 1.0)])
    total = 0.0
    seen = 0
    while queue:
        i, w = queue.popleft()
        seen += 1
        if i < len(x):
            total += w * x[i]
            if seen < 12:
                queue.append((i + 1, w * x[i]))
                queue.append((i + 2, w * 0.5))
    return total


def by_special_methods(x):
    costs = [v * (2.5 - v) for v in x]
    table = {"first": x[0], "last": x[-1] ** 2, "mean": sum(costs) / len(costs)}
    best = max(range(len(costs)), key=costs.__getitem__)
    dear = max(table, key=table.__getitem__)
    return costs[best] * table[dear] + sum(map(x.__getitem__, (0, -1))) * costs.__len__()


def numbers(rng):
    return (rng.permutation(np.linspace(0.4, 1.3, 6)) + rng.uniform(0.0, 0.05, 6),)


NAMES = ("huffman", "events", "largest_squares", "trimmed", "three_numbers", "running_median", "inserted_pairs",
         "inserted", "earliest_machine", "best_and_worst", "cheapest", "with_default", "rows", "smoothed",
         "moving_average", "waiting_line", "recent_gradients", "pairs_in_window", "delayed", "rotated", "walked",
         "by_special_methods")
INPUTS = {**dict.fromkeys(NAMES, numbers), "shortest_paths": lambda rng: (rng.uniform(0.2, 1.5, (4, 4)),)}
