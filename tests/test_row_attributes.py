"""Attributes that are tuples, and tuples or lists or None, of objects whose number is known only at run time."""

from __future__ import annotations

import copy
import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import pytest
from oracle import Programs, agrees, agrees_in_every_mode, refuses

from sct import value_and_grad

program = Programs()
POSITIONS = [0.086, 0.237, 0.801, 0.582, 0.094, 0.433, 0.478, 0.159, 0.734, 0.113, 0.389, 0.516, 0.867, 0.929, 0.371]
TREES = (POSITIONS[:12], 0.4), (POSITIONS[:14], 0.3), (POSITIONS[1:13], 0.9)
LISTS = tuple(([1.3, 0.7], n) for n in (6, 9, 2, 0, 4))


class Node:
    def __init__(self, x0, y0, size):
        self.x0 = x0
        self.y0 = y0
        self.size = size
        self.mass = 0.0
        self.cx = 0.0
        self.cy = 0.0
        self.children = None
        self.body = None


def insert(node, px, py, m):
    if node.mass == 0.0 and node.children is None:
        node.body = (px, py, m)
        node.mass = m
        node.cx = px
        node.cy = py
        return
    if node.children is None:
        h = node.size / 2
        node.children = [Node(node.x0, node.y0, h), Node(node.x0+h, node.y0, h),
                         Node(node.x0, node.y0+h, h), Node(node.x0+h, node.y0+h, h)]
        bx, by, bm = node.body
        node.body = None
        insert(node.children[quad(node, bx, by)], bx, by, bm)
    insert(node.children[quad(node, px, py)], px, py, m)
    total = node.mass + m
    node.cx = (node.cx*node.mass + px*m)/total
    node.cy = (node.cy*node.mass + py*m)/total
    node.mass = total


def quad(node, px, py):
    h = node.size/2
    return (1 if px >= node.x0+h else 0) + (2 if py >= node.y0+h else 0)


def force(node, px, py, theta):
    if node.mass == 0.0:
        return 0.0, 0.0
    dx = node.cx - px
    dy = node.cy - py
    d2 = dx*dx + dy*dy + 0.1
    if node.children is None or node.size*node.size < theta*theta*d2:
        f = node.mass / (d2*math.sqrt(d2))
        return f*dx, f*dy
    fx, fy = 0.0, 0.0
    for c in node.children:
        a, b = force(c, px, py, theta)
        fx += a
        fy += b
    return fx, fy


@program(*TREES)
def barnes_hut(pos, theta):
    root = Node(0.0, 0.0, 1.0)
    n = len(pos) // 2
    for i in range(n):
        insert(root, pos[2*i], pos[2*i+1], 1.0 + 0.1*i)
    e = 0.0
    for i in range(n):
        fx, fy = force(root, pos[2*i], pos[2*i+1], theta)
        e += fx*fx + fy*fy
    return e * pos[0]


class Quadrant:
    def __init__(self, bounds):
        self.bounds = bounds
        self.center = (0.0, 0.0)
        self.mass = 0.0
        self.children = None
        self.particle = None


def subdivide(node):
    x0, y0, x1, y1 = node.bounds
    xm, ym = 0.5*(x0+x1), 0.5*(y0+y1)
    node.children = [Quadrant((x0, y0, xm, ym)), Quadrant((xm, y0, x1, ym)),
                     Quadrant((x0, ym, xm, y1)), Quadrant((xm, ym, x1, y1))]


def which(node, p):
    x0, y0, x1, y1 = node.bounds
    k = 0
    if p[0] >= 0.5*(x0+x1):
        k += 1
    if p[1] >= 0.5*(y0+y1):
        k += 2
    return k


def put(node, p, m):
    if node.mass == 0.0:
        node.particle = p
        node.center = p
        node.mass = m
        return
    if node.children is None:
        subdivide(node)
        q = node.particle
        node.particle = None
        put(node.children[which(node, q)], q, node.mass)
    put(node.children[which(node, p)], p, m)
    t = node.mass + m
    node.center = ((node.center[0]*node.mass + p[0]*m)/t, (node.center[1]*node.mass + p[1]*m)/t)
    node.mass = t


def pull(node, p, theta):
    ax = ay = 0.0
    stack = [node]
    while stack:
        nd = stack.pop()
        if nd.mass == 0.0:
            continue
        cx, cy = nd.center
        dx, dy = cx - p[0], cy - p[1]
        r2 = dx**2 + dy**2 + 0.1
        x0, _, x1, _ = nd.bounds
        if nd.children is None or (x1-x0)**2 < theta**2*r2:
            ax += nd.mass*dx/r2**1.5
            ay += nd.mass*dy/r2**1.5
        else:
            for c in nd.children:
                stack.append(c)
    return ax, ay


@program(*TREES)
def barnes_hut_of_tuples(pos, theta):
    root = Quadrant((0.0, 0.0, 1.0, 1.0))
    n = len(pos) // 2
    for i in range(n):
        put(root, (pos[2*i], pos[2*i+1]), 1.0 + 0.1*i)
    e = 0.0
    for i in range(n):
        fx, fy = pull(root, (pos[2*i], pos[2*i+1]), theta)
        e += fx*fx + fy*fy
    return e * pos[0]


@program(*TREES)
def barnes_hut_by_loops(pos, theta):
    root = Quadrant((0.0, 0.0, 1.0, 1.0))
    n = len(pos) // 2
    for i in range(n):
        p = (pos[2*i], pos[2*i+1])
        m = 1.0 + 0.1*i
        node = root
        while True:
            if node.mass == 0.0:
                node.particle = p
                node.center = p
                node.mass = m
                break
            if node.children is None:
                subdivide(node)
                q = node.particle
                c = node.children[which(node, q)]
                c.particle = q
                c.center = q
                c.mass = node.mass
                node.particle = None
            t = node.mass + m
            node.center = ((node.center[0]*node.mass + p[0]*m)/t, (node.center[1]*node.mass + p[1]*m)/t)
            node.mass = t
            node = node.children[which(node, p)]
    e = 0.0
    for i in range(n):
        fx, fy = pull(root, (pos[2*i], pos[2*i+1]), theta)
        e += fx*fx + fy*fy
    return e * pos[0]


class Split:
    def __init__(self, point, axis, left, right):
        self.point = point
        self.axis = axis
        self.left = left
        self.right = right


def build(points, depth):
    if not points:
        return None
    axis = depth % 2
    points = sorted(points, key=lambda p: p[axis])
    mid = len(points)//2
    return Split(points[mid], axis, build(points[:mid], depth+1), build(points[mid+1:], depth+1))


def nearest(node, target, best):
    if node is None:
        return best
    d = (node.point[0]-target[0])**2 + (node.point[1]-target[1])**2
    if d < best:
        best = d
    diff = target[node.axis] - node.point[node.axis]
    near, far = (node.left, node.right) if diff < 0 else (node.right, node.left)
    best = nearest(near, target, best)
    if diff*diff < best:
        best = nearest(far, target, best)
    return best


@program(*TREES)
def nearest_neighbours(pos, theta):
    pts = [(pos[2*i], pos[2*i+1]) for i in range(len(pos)//2)]
    root = build(pts, 0)
    return nearest(root, (0.3, theta), 1e9) + nearest(root, (0.8, theta), 1e9)


class Link:
    def __init__(self, payload, nxt):
        self.payload = payload
        self.nxt = nxt


@program(*TREES)
def tuples_in_a_linked_list(pos, theta):
    head = None
    for i in range(len(pos)//2):
        head = Link((pos[2*i], pos[2*i+1]), head)
    t = 0.0
    while head is not None:
        a, b = head.payload
        t = t*theta + a*b
        head = head.nxt
    return t


@program(*TREES)
def tuples_or_none_in_a_linked_list(pos, theta):
    head = None
    for i in range(len(pos)//2):
        head = Link((pos[2*i], pos[2*i+1]) if i % 3 else None, head)
    t = 0.0
    while head is not None:
        if head.payload is not None:
            a, b = head.payload
            t = t*theta + a*b
        else:
            t *= theta
            head.payload = (t, theta)
            t += head.payload[0]*head.payload[1]
        head = head.nxt
    return t


class Cell:
    def __init__(self, p, nxt):
        self.p = p
        self.nxt = nxt


class Pair(NamedTuple):
    x: float
    y: float


@program(*LISTS)
def named_tuples(x, n):
    h = None
    for i in range(n):
        h = Cell(Pair(x[0]*i, x[1]), h)
    t = 0.0
    while h is not None:
        h.p = h.p._replace(x=h.p.x*h.p.y)
        t += h.p.x + h.p.y
        h = h.nxt
    return t


@program(*LISTS)
def tuples_in_tuples(x, n):
    h = None
    for i in range(n):
        h = Cell(((x[0]*i, x[1]), i), h)
    t = 0.0
    while h is not None:
        (a, b), k = h.p
        t += a*b*k
        h.p = ((b, a), k+1)
        t += h.p[0][0]*h.p[1]
        h = h.nxt
    return t


class Fork:
    def __init__(self, v, kids):
        self.v = v
        self.kids = kids


@program(*LISTS)
def tuples_of_nodes_or_none(x, n):
    r = None
    for i in range(n):
        r = Fork(x[0]*i + x[1], (r, None)) if i % 2 else Fork(x[0]+i, (None, r))
    def total(t):
        if t is None:
            return 0.0
        a, b = t.kids
        return t.v*t.v + total(a) + 2*total(b)
    return total(r)


class Branching:
    def __init__(self, v):
        self.v = v
        self.kids = None


@program(*LISTS)
def lists_or_none(x, n):
    r = Branching(x[0])
    cur = r
    for i in range(n):
        cur.kids = [Branching(x[1]*i), Branching(x[0]+i)]
        cur = cur.kids[i % 2]
    t = 0.0
    st = [r]
    while st:
        c = st.pop()
        t += c.v**2
        if not c.kids:
            t += 1.0
            continue
        for k in c.kids:
            k.v *= 1.1
            st.append(k)
        if len(c.kids) > 1 and c.v > 5:
            c.kids = None
    st = [r]
    while st:
        c = st.pop()
        t += c.v
        if c.kids is not None:
            st += c.kids
    return t


@program(*LISTS)
def names_of_a_list_or_none(x, n):
    r = Branching(x[0])
    cur = r
    for i in range(n):
        if cur.kids is None:
            cur.kids = []
        ks = cur.kids
        ks.append(Branching(x[1]*i))
        if i % 3 == 2:
            cur = ks[0]
        cur.v += x[0]
    t = 0.0
    st = [(r, 0)]
    while st:
        c, d = st.pop()
        t += c.v*d + c.v
        for k in c.kids or []:
            st.append((k, d+1))
    return t


@program(*LISTS)
def copies(x, n):
    h = None
    for i in range(n):
        h = Cell((x[0]*i, x[1]), h)
    g = h
    t = 0.0
    while g is not None:
        c = copy.copy(g)
        c.p = (c.p[1], c.p[0]*2)
        t += c.p[0]*c.p[1]*g.p[0]
        g = g.nxt
    return t


@dataclass
class Box:
    v: Any
    box: Any = None
    kids: Any = None


@program(*LISTS)
def records_with_defaults(x, n):
    r = Box(x[0])
    cur = r
    for i in range(n):
        cur.box = (x[0]*i, x[1]*i)
        cur.kids = [Box(x[1]+i)]
        cur = cur.kids[0]
    t = 0.0
    cur = r
    while cur.kids is not None:
        lo, hi = cur.box
        t += (hi-lo)*cur.v
        cur = cur.kids[0]
    return t + (cur.box[0] if cur.box else cur.v)


@program(*LISTS)
def arrays_in_tuples(x, n):

    h = None
    for i in range(n):
        h = Cell((np.array([x[0], i]), x[1]), h)
    t = 0.0
    while h is not None:
        a, b = h.p
        a[0] += b
        t += h.p[0][0] * h.p[0][1]
        h = h.nxt
    return t


@program(*LISTS)
def comparisons_of_tuples(x, n):

    h = None
    for i in range(n):
        h = Cell((x[0]*i, x[1], i), h)
    t = 0.0
    best = None
    while h is not None:
        if h.p == (0.0, x[1], 0):
            t += 1
        if best is None or h.p > best:
            best = h.p
        t += len(h.p)*sum(h.p)
        h = h.nxt
    return t + (best[0] if best is not None else 0.0)


class Shape1:
    def __init__(self, c):
        self.c = c
    def e(self):
        return self.c[0]*self.c[1]


class Shape2:
    def __init__(self, c, r):
        self.c = c
        self.r = r
    def e(self):
        return self.c[0]+self.c[1]*self.r


class Shape3:
    def __init__(self, c):
        self.c = c
    def e(self):
        return self.c[0]


@program(*LISTS)
def tuples_of_several_classes(x, n):

    ps = None
    lst = []
    for i in range(n):
        p = Shape1((x[0]*i, x[1])) if i % 3 == 0 else Shape2((x[0], x[1]+i), i) if i % 3 == 1 else Shape3((x[0]*2,))
        lst.append(p)
    t = 0.0
    for p in lst:
        t += p.e() + p.c[0]
        p.c = (p.c[0]*2,) if isinstance(p, Shape3) else (p.c[1], p.c[0])
        t += p.c[0]
    return t


@program(*LISTS)
def an_item_by_a_number_of_the_run(x, n):

    h = None
    for i in range(n):
        h = Cell((x[0]*i, x[1], i), h)
    t = 0.0
    k = 0
    while h is not None:
        t += h.p[k] * 2
        k = (k+1) % 3
        h = h.nxt
    return t


@program(*LISTS)
def tuples_that_become_none(x, n):

    h = None
    for i in range(n):
        h = Cell(None, h)
    t = 0.0
    k = 0
    g = h
    while g is not None:
        if k % 2:
            g.p = (x[0]*k, x[1])
        k += 1
        g = g.nxt
    while h is not None:
        if h.p:
            t += h.p[0]*h.p[1]
        q = h.p
        h.p = None
        if q is not None:
            t += q[0]
        if h.p is None:
            t += 1
        h = h.nxt
    return t


def none_is_unpacked(x, n):

    h = None
    for i in range(n):
        h = Cell(None if i == 4 else (x[0], x[1]), h)
    t = 0.0
    while h is not None:
        a, b = h.p
        t += a*b
        h = h.nxt
    return t


def none_is_run_over(x, n):

    r = Branching(x[0])
    for i in range(n):
        if i != 3:
            r.kids = [Branching(x[1])]
        r = r.kids[0] if r.kids else Branching(x[0])
    t = 0.0
    for k in r.kids:
        t += k.v
    return t


class Expression:
    def __init__(self, op, *args):
        self.op, self.args = op, args

    def evaluated(self, x):
        if self.op == "x":
            return x
        values = [a.evaluated(x) for a in self.args]
        if self.op == "+":
            return sum(values)
        if self.op == "sin":
            return math.sin(values[0])
        product = 1.0
        for v in values:
            product *= v
        return product


@program(*LISTS)
def an_expression(x, n):
    e = Expression("x")
    for i in range(n):
        if i % 3 == 0:
            e = Expression("*", e, Expression("x"))
        elif i % 3 == 1:
            e = Expression("sin", e)
        else:
            e = Expression("+", e, Expression("x"), Expression("x"))
    return e.evaluated(x[0] * x[1])


@program(*LISTS)
def tuples_of_two_lengths(x, n):
    h = None
    for i in range(n):
        h = Cell((x[0], x[1] * i) if i % 2 else (x[0] * i,), h)
    t = 0.0
    while h is not None:
        for v in h.p:
            t += v * v
        h.p = (*h.p, t)
        t += len(h.p) * h.p[-1]
        h = h.nxt
    return t


@program(*LISTS)
def tuples_of_any_length(x, n):
    h = None
    for i in range(n):
        h = Cell(tuple(x[0] * j * j for j in range(i)), h)
    t = 0.0
    while h is not None:
        before = h.p
        h.p = ()
        t += x[1] * sum(before) + len(h.p)
        h = h.nxt
    return t


@pytest.mark.parametrize(("f", "calls"), program, ids=lambda p: getattr(p, "__name__", ""))
def test_agrees(f: Callable[..., Any], calls: list[tuple[Any, ...]]) -> None:
    agrees_in_every_mode(f, calls)


def tuples_of_two_lengths_or_none(x, n):
    h = None
    for i in range(n):
        h = Cell((x[0], x[1]) if i % 3 == 0 else (x[0],) if i % 3 == 1 else None, h)
    t = 0.0
    while h is not None:
        if h.p is not None:
            t += sum(h.p)
        h = h.nxt
    return t


def tuples_or_numbers(x, n):
    h = None
    for i in range(n):
        h = Cell((x[0], x[1]) if i % 2 else x[0], h)
    t = 0.0
    while h is not None:
        t += h.p[0] if isinstance(h.p, tuple) else h.p
        h = h.nxt
    return t


def identity_of_tuples(x, n):
    h = None
    for i in range(n):
        h = Cell((x[0] * i, x[1]), h)
    t = 0.0
    first = h
    while h is not None:
        t += h.p[0] * (2.0 if h.p is first.p else 1.0)
        h = h.nxt
    return t


@pytest.mark.parametrize("f", [tuples_of_two_lengths_or_none, tuples_or_numbers])
def test_what_has_no_columns_is_evaluated_object_by_object(f: Callable[..., Any]) -> None:
    """Of few objects."""
    for n in (6, 0, 1, 3, 9):
        agrees(f, [1.3, 0.7], n)


@pytest.mark.parametrize(("f", "code"), [(identity_of_tuples, "SCT503")])
def test_what_has_no_columns_is_refused(f: Callable[..., Any], code: str) -> None:
    refuses(f, [1.3, 0.7], 6, code=code)


@pytest.mark.parametrize(("f", "message"), [
    (none_is_unpacked, "cannot unpack non-iterable NoneType object"),
    (none_is_run_over, "'NoneType' object is not iterable")])
def test_none_raises_what_python_raises(f: Callable[..., Any], message: str) -> None:
    for run in (f, value_and_grad(f)):
        with pytest.raises(TypeError) as caught:
            run([1.3, 0.7], 6)
        assert str(caught.value) == message


def cells(n: int, gaps: bool) -> Any:
    head = None
    for i in range(n):
        head = Cell(None if gaps and i % 2 else (float(i), 2.0), head)
    return head


def longer_than_the_argument(x: float, head: Any) -> float:
    for i in range(3):
        head = Cell((x * i, x), head)
    each = head
    while each is not None:
        if each.p is not None:
            each.p = (each.p[1], x)
        each = each.nxt
    total = 0.0
    while head is not None:
        if head.p is not None:
            total += head.p[0] * x + head.p[1] * x * x
        head = head.nxt
    return total


@pytest.mark.parametrize("gaps", [False, True])
def test_objects_of_the_caller_keep_their_tuples(gaps: bool) -> None:
    derivative = value_and_grad(longer_than_the_argument)
    for n in (5, 9, 1, 0):
        head = cells(n, gaps)
        before = head and head.p
        value, gradient = derivative(1.5, head)
        up, down = (longer_than_the_argument(x, cells(n, gaps)) for x in (1.5 + 1e-6, 1.5 - 1e-6))
        assert value == longer_than_the_argument(1.5, cells(n, gaps))
        assert gradient == pytest.approx((up - down) / 2e-6, rel=1e-6)
        assert (head and head.p) == before


class Vertex:
    """An object with a list of edges: other objects, each with a number."""

    def __init__(self) -> None:
        self.out: list[tuple[Vertex, float]] = []


def test_lists_of_tuples_with_objects_are_refused() -> None:
    """A column holds lists of values, not of tuples."""
    def f(w: list[float], edges: list[tuple[int, int]]) -> float:
        vertices = []
        for _ in range(len(w)):
            vertices.append(Vertex())
        for (a, b), x in zip(edges, w):
            vertices[a].out.append((vertices[b], x * x))
        return sum(x for v in vertices for _, x in v.out)

    assert refuses(f, [1.0, 2.0, 0.5, 0.7, 0.3, 0.9], [(k, (k + 1) % 3) for k in range(6)], code="SCT307")
