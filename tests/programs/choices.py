"""Objects that depend on the path: None or a record, one of two classes, a function that is swapped."""

import math

import numpy as np


class Particle:
    def __init__(self, x, v, m=1.0):
        self.x, self.v, self.m = x, v, m


class Circle:
    def __init__(self, r):
        self.r = r

    def area(self):
        return math.pi * self.r**2

    def __mul__(self, k):
        return Circle(self.r * k)


class Box:
    def __init__(self, w, h):
        self.w, self.h = w, h

    def area(self):
        return self.w * self.h

    def __mul__(self, k):
        return Box(self.w * k, self.h * k)


class Holder:
    def __init__(self, held):
        self.held = held


class Oscillator:
    def __init__(self, k):
        self.k = k

    def euler(self, y, h):
        return y - h * self.k * y

    def midpoint(self, y, h):
        return y - h * self.k * (y - 0.5 * h * self.k * y)


def lightest(x):
    """The usual search: None, then the best of what was seen."""
    ps = [Particle(xi, 0.5 * xi, 1.0 + xi**2) for xi in x]
    best = None
    for p in ps:
        if best is None or p.m < best.m:
            best = p
    return best.x * best.v + best.m


def heaviest_is_moved(x):
    """What was found is in the list, and is written there."""
    ps = [Particle(v, 1.0, v * v) for v in x]
    for _ in range(3):
        best = None
        for p in ps:
            if p.v > 0 and (best is None or p.m > best.m):
                best = p
        if best is None:
            break
        best.v = -best.v * 0.5
        best.x *= 2.0
    return sum(p.x * p.v for p in ps)


def _find(ps, limit):
    for p in ps:
        if p.x > limit:
            return p
    return None


def found_by_a_helper(x):
    ps = [Particle(v, v * 2) for v in x]
    p, q = _find(ps, 0.9), _find(ps, 100.0)
    s = 0.0
    if p is not None:
        s += p.x * p.v
    if q is not None:
        s += q.x
    if not q:
        s *= 2.0
    return s * x[0]


def last_two(x):
    """Records that move from name to name."""
    a = b = None
    s = 0.0
    for v in x:
        a, b = b, Particle(v, v**2)
        if a is not None:
            s += a.x * b.v
    return s + (a.x if a else 0.0)


def held_by_another(x):
    node = Holder(None)
    s = 0.0
    for v in x:
        if node.held is not None:
            s += node.held.x * v
        node.held = Particle(v, 1.0)
    return s


def pair_with_distance(x):
    best = None
    for k, v in enumerate(x):
        d = (v - 1.0) ** 2
        if best is None or d < best[1]:
            best = (Particle(v, v * k), d)
    return best[0].v * best[1]


def vectors(X):
    """Records of arrays, in a list."""
    rows = [Particle(v, 2 * v, v[0]) for v in X]
    best = None
    for r in rows:
        if best is None or abs(r.m - 0.6) < abs(best.m - 0.6):
            best = r
    return best.x @ best.v * best.m


def shapes(x):
    """Objects of two classes."""
    shape = Circle(1.0)
    s = 0.0
    for v in x:
        s += (shape * 2.0).area() * v
        shape = Box(v, 2.0) if v > 0.8 else Circle(v)
    return s + shape.area()


def swapped_functions(a, n):
    f, g = np.sin, np.cos
    for _ in range(n):
        a = f(a) + 0.5 * g(a)
        f, g = g, f
    return a


def swapped_lambdas(a, n):
    grow, shrink = lambda v: v * 1.5 - 0.1 * v**2, lambda v: math.tanh(v)
    for _ in range(n):
        a = grow(a)
        grow, shrink = shrink, grow
    return a


def callback_set_later(x):
    callback = None
    s = 0.0
    for v in x:
        if callback is not None:
            s += callback(v)
        if v > 0.5:
            callback = lambda a: a * a
    return s + x[0]


def scheme_by_state(a, n):
    """A method chosen by what was computed."""
    s = Oscillator(a)
    y, step = 1.0, s.euler
    for _ in range(n):
        y = step(y, 0.1)
        step = s.midpoint if y < 0.8 else s.euler
    return y


def none_is_read(x):
    """Where nothing was found, reading its attribute raises, as in Python."""
    best = None
    for v in x:
        if v > 100.0:
            best = Particle(v, 1.0)
    try:
        return best.x
    except AttributeError:
        return x[0] ** 2


INPUTS = {
    **dict.fromkeys(
        ("lightest", "heaviest_is_moved", "found_by_a_helper", "last_two", "held_by_another", "pair_with_distance",
         "shapes", "callback_set_later", "none_is_read"), lambda rng: (rng.uniform(0.1, 1.5, 6),)),
    "vectors": lambda rng: (rng.uniform(0.1, 1.5, (5, 3)),),
    **dict.fromkeys(("swapped_functions", "swapped_lambdas", "scheme_by_state"), lambda rng: (0.7, 5)),
}
