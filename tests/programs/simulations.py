"""Objects with methods that change their own state: held in lists, in other objects, returned by helpers."""

import copy
from dataclasses import dataclass, field

import numpy as np


class Particle:
    def __init__(self, pos, vel):
        self.pos = pos
        self.vel = vel

    def step(self, force, dt):
        self.vel += force * dt
        self.pos += self.vel * dt

    def energy(self):
        return 0.5 * self.vel**2 + 0.5 * self.pos**2


class World:
    def __init__(self):
        self.particles = []
        self.t = 0.0

    def add(self, p):
        self.particles.append(p)

    def step(self, dt):
        for p in self.particles:
            p.step(-p.pos, dt)
        self.t += dt


class Engine:
    def __init__(self, power):
        self.power = power
        self.heat = 0.0

    def run(self, d):
        self.heat += self.power * d


class Car:
    def __init__(self, power):
        self.engine = Engine(power)
        self.v = 0.0

    def go(self, d):
        self.engine.run(d)
        self.v += d / (1.0 + self.engine.heat)


@dataclass
class Body:
    pos: tuple
    tags: list = field(default_factory=list)

    def move(self, d):
        self.pos = (self.pos[0] + d, self.pos[1] * d)
        self.tags.append(d)


class Vector:
    def __init__(self, k):
        self.x = np.array([1.0, 2.0]) * k
        self.v = np.zeros(2)

    def step(self, dt):
        self.v = self.v - dt * self.x
        self.x = self.x + dt * self.v


def oscillators(x0, n):
    """Every object of a list steps by itself."""
    ps = [Particle(x, 0.0) for x in x0]
    for _ in range(n):
        for p in ps:
            p.step(-p.pos, 0.1)
    return sum(p.energy() for p in ps)


def spawned(r, n):
    """The list grows while its objects live."""
    cells = [Particle(1.0, r)]
    for i in range(n):
        for c in cells:
            c.step(-0.1 * c.pos, 0.1)
        if i % 3 == 0:
            cells.append(Particle(0.0, r * (i + 1)))
    return sum(c.energy() for c in cells)


def pairwise(x, n):
    """Objects of one list push each other."""
    ps = [Particle(v, 0.0) for v in x]
    for _ in range(n):
        for i in range(len(ps)):
            for j in range(i + 1, len(ps)):
                a, b = ps[i], ps[j]
                f = 0.1 * (b.pos - a.pos)
                a.vel += f
                b.vel -= f
        for p in ps:
            p.pos += 0.1 * p.vel
    return sum(p.pos**3 for p in ps)


def two_names(x, n):
    """Names of objects in the list, which are also reached by their index."""
    ps = [Particle(v, 1.0) for v in x]
    a, b = ps[0], ps[1]
    for i in range(n):
        q = ps[i % 2]
        q.pos += a.vel * b.pos
        a.vel *= 1.1
    return a.pos * b.pos + ps[0].vel + ps[1].pos


def named_and_listed(x, n):
    """An object is changed after it was put into the list, by the name that it has outside."""
    first = Particle(x[0], x[1])
    ps = [first]
    for i in range(n):
        p = Particle(x[1] * i, 1.0)
        ps.append(p)
        p.step(0.1, 0.2)
    for p in ps:
        p.pos += p.vel
    first.pos *= 2.0
    return first.pos + sum(p.pos**2 for p in ps)


def round_robin(x, n):
    """Objects leave the list and come back behind."""
    queue = [Particle(v, 1.0) for v in x]
    for _ in range(n):
        p = queue.pop(0)
        p.pos += 0.5 * p.vel * x[0]
        queue.append(p)
    return sum(k * p.pos**2 for k, p in enumerate(queue))


def sorted_each_step(x, n):
    """The list is sorted in place, and its first object changed."""
    ps = [Particle(v, 1.0) for v in x]
    for _ in range(n):
        ps.sort(key=lambda p: p.pos)
        ps[0].pos += 0.37 * ps[0].vel
    return sum(k * p.pos**2 for k, p in enumerate(ps))


def survivors(x, n):
    """The list is made anew, of objects of the old one."""
    ps = [Particle(v, 0.0) for v in x]
    for _ in range(n):
        for p in ps:
            p.step(-p.pos, 0.3)
        ps = [p for p in ps if p.pos > -0.2]
    return sum(p.pos**2 for p in ps)


def fastest(x):
    """A name moves from object to object, and the one that it ends at is changed."""
    ps = [Particle(v, 0.0) for v in x]
    best = ps[0]
    for p in ps:
        p.vel += p.pos
        if p.vel > best.vel:
            best = p
    best.pos += x[0]
    return best.pos + sum(p.pos**2 for p in ps)


def by_branch(x, n):
    """Which object is changed depends on the path."""
    ps = [Particle(v, 1.0) for v in x]
    a = ps[0]
    for i, p in enumerate(ps):
        if p.pos > 0.4:
            p.pos *= x[1]
            a.vel += p.pos
        else:
            p.vel -= a.vel
        q = ps[0] if i % 2 == 0 else ps[1]
        q.pos += x[0]
    return sum(p.pos**2 + p.vel for p in ps) * a.vel


def world(x, n):
    """The list is an attribute of another object."""
    w = World()
    for v in x:
        w.add(Particle(v, 0.0))
    for _ in range(n):
        w.step(0.1)
    return sum(p.energy() for p in w.particles) + w.t


def cars(x, n):
    """The objects of the list hold objects."""
    fleet = [Car(v * v + 0.1) for v in x]
    e = fleet[0].engine
    for _ in range(n):
        for c in fleet:
            c.go(x[1])
    e.heat += x[0]
    return sum(c.v * c.engine.heat for c in fleet) + e.heat


def tuples_and_lists(x, n):
    """Attributes that are tuples, and lists that grow."""
    bodies = [Body((v, 1.0)) for v in x]
    for _ in range(n):
        for b in bodies:
            b.move(0.5 + x[0] * 0.1)
    return sum(b.pos[0] * b.pos[1] + sum(b.tags) for b in bodies)


def dicts(x, n):
    """Records that are dicts."""
    rows = [{"a": v, "b": 0.0} for v in x]
    for i in range(n):
        for r in rows:
            r["b"] += r["a"] * i
            r["a"] *= 0.9
    return sum(r["b"] * r["a"] for r in rows)


def vectors(x, n):
    """Attributes that are arrays, bound anew."""
    bodies = [Vector(v) for v in x]
    for _ in range(n):
        for b in bodies:
            b.step(0.1)
    return sum(np.sum(b.x**2) for b in bodies)


def caught(x):
    """A `try` between two changes of one object."""
    ps = [Particle(v, 0.0) for v in x]
    a = ps[0]
    for p in ps:
        try:
            p.vel += 1.0
            if p.pos < 0.6:
                raise ValueError("too small")
            p.vel += p.pos
        except ValueError:
            p.vel -= 0.5 * a.vel
    return sum(p.pos**2 * p.vel for p in ps)


def copied(x):
    """A copy is another object."""
    ps = [Particle(v, 0.0) for v in x]
    c = copy.copy(ps[0])
    for p in ps:
        p.pos *= 2.0
    c.pos += 1.0
    return c.pos + ps[0].pos ** 2


def numbers_and_steps(rng):
    return rng.uniform(0.1, 1.5, 6), 5


INPUTS = {
    **dict.fromkeys(("oscillators", "pairwise", "two_names", "named_and_listed", "round_robin", "sorted_each_step",
                     "survivors", "by_branch", "world", "cars", "tuples_and_lists", "dicts", "vectors"),
                    numbers_and_steps),
    "spawned": lambda rng: (0.6, 8),
    **dict.fromkeys(("fastest", "caught", "copied"), lambda rng: (rng.uniform(0.1, 1.5, 6),)),
}
