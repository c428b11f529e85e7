"""Objects of several classes, which the program makes by a test at run time: in lists, trees, heaps; their lists."""

from __future__ import annotations

import copy
import enum
import heapq
import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from oracle import Programs, agrees, agrees_in_every_mode, refuses

from sct import value_and_grad

program = Programs()

X, Y = [1.03, 0.23, 0.77, 1.4, 0.62], [0.31, 0.93, 1.17, 0.28, 0.57, 0.89]


class Spring:
    weight = 2.0

    def __init__(self, k: Any) -> None:
        self.k = k

    def energy(self, q: Any) -> Any:
        return self.k * q * self.weight

    @property
    def twice(self) -> Any:
        return 2.0 * self.k

    @staticmethod
    def shifted(q: Any) -> Any:
        return q + 1.0

    @classmethod
    def made(cls, k: Any) -> Any:
        return cls(2.0 * k)

    def __call__(self, q: Any) -> Any:
        return self.k + q

    def __add__(self, other: Any) -> Any:
        return self.k + other

    def __radd__(self, other: Any) -> Any:
        return other + self.k

    def __len__(self) -> int:
        return 2

    def __lt__(self, other: Any) -> Any:
        return self.size() < other.size()

    def size(self) -> Any:
        return self.k

    def __repr__(self) -> str:
        return f"Spring({self.k})"


class Damper:
    weight = 3.0

    def __init__(self, c: Any, d: Any = 0.5) -> None:
        self.c, self.d = c, d

    def energy(self, q: Any) -> Any:
        return self.c * q + self.d * self.weight

    @property
    def twice(self) -> Any:
        return 2.0 * self.c + self.d

    @staticmethod
    def shifted(q: Any) -> Any:
        return q * 2.0

    @classmethod
    def made(cls, k: Any) -> Any:
        return cls(k, k)

    def __call__(self, q: Any) -> Any:
        return self.c * q

    def __add__(self, other: Any) -> Any:
        return self.c * other

    def __radd__(self, other: Any) -> Any:
        return other * self.c

    def __len__(self) -> int:
        return 3

    def __lt__(self, other: Any) -> Any:
        return self.size() < other.size()

    def size(self) -> Any:
        return self.c + self.d

    def __repr__(self) -> str:
        return f"Damper({self.c}, {self.d})"


class Hardening(Spring):
    def energy(self, q: Any) -> Any:
        return super().energy(q) + self.k**2


def parts_of(x: Any) -> Any:
    parts: list[Any] = []
    for i, v in enumerate(x):
        if v > 0.8:
            parts.append(Spring(v))
        elif i % 2:
            parts.append(Damper(v))
        else:
            parts.append(Hardening(v))
    return parts


# -- in lists --------------------------------------------------------------------------------------------


@program((X,), (Y,))
def methods(x: Any) -> Any:
    total = 0.0
    for p in parts_of(x):
        f = p.energy
        total += p.energy(x[0]) * p.twice + p.shifted(x[1]) + p(x[0]) + p.weight * f(2.0) + p.made(x[1]).energy(1.0)
    return total


@program((X,), (Y,))
def operators(x: Any) -> Any:
    total = 1.0
    for p in parts_of(x):
        total = p + total
        total = total + p
        total += len(p) * x[0] + bool(p)
    return total


@program((X,), (Y,))
def written_and_left_early(x: Any) -> Any:
    parts = parts_of(x)
    for k in range(3):
        for p in parts:
            if isinstance(p, Damper):
                p.c *= x[0]
                p.d = p.c**2
            else:
                p.k += 0.1 * k * x[-1]
            if p.energy(1.0) > 4.0:
                break
    return sum((i + 1) * p.energy(x[0]) for i, p in enumerate(parts))


@program((X,), (Y,))
def asked_for_their_class(x: Any) -> Any:
    total = 0.0
    for p in parts_of(x):
        if isinstance(p, Spring):
            total += p.k
        elif isinstance(p, (Damper, Hardening)):
            total += p.c * p.d
        if type(p) is Spring:
            total += 3.0 * p.k
        elif type(p).__name__ == "Damper" or p.__class__ == Hardening:
            total += 7.0 * x[0]
        total += p.k if hasattr(p, "k") else getattr(p, "c", 1.0)
    return total


@program((X,), (Y,))
def matched(x: Any) -> Any:
    total = 0.0
    for p in parts_of(x):
        match p:
            case Damper(c=c, d=d):
                total += c * d
            case Hardening(k=k):
                total += 3.0 * k
            case Spring(k=k):
                total += k
    return total


def an_attribute_that_one_class_lacks(x: Any) -> Any:
    total = 0.0
    for p in parts_of(x):
        total += p.k
    return total


@program((X,), (Y,))
def the_least(x: Any) -> Any:
    parts = parts_of(x)
    best = parts[0]
    for p in parts:
        if p < best:
            best = p
    best = best if best.size() < 0.5 else min(parts, key=lambda p: p.energy(1.0))
    parts.sort(key=lambda p: p.size())
    return best.size() ** 2 + sum((i + 1) * p.size() ** 2 for i, p in enumerate(parts))


@program((X,), (Y,))
def moved(x: Any) -> Any:
    parts = parts_of(x)
    kept = [p for p in parts if not isinstance(p, Hardening)]
    parts.reverse()
    last = parts.pop()
    parts.insert(0, Spring(x[0]))
    del parts[1]
    copies = [copy.copy(p) for p in parts]
    for p in copies:
        if isinstance(p, Spring):
            p.k *= 2.0
    same = sum(1.0 for p in kept for q in parts if p is q)
    return sum((i + 1) * p.energy(x[0]) for i, p in enumerate(parts + copies + kept)) + last.energy(2.0) + same * x[0]


@program((X,), (Y,))
def shown(x: Any) -> Any:
    for p in parts_of(x):
        print(f"{p!r}", p)
    return sum(p.energy(x[0]) for p in parts_of(x))


@program((X, 3), (Y, 0), (X, 1))
def a_variable_of_several_classes(x: Any, n: Any) -> Any:
    part = None
    for k in range(n):
        for v in x:
            if v > 0.5 + 0.2 * k:
                part = Spring(v)
            elif v > 0.25:
                part = Damper(v)
            else:
                part = None
            if part is not None and k == 1:
                break
    return x[0] * 2.0 if part is None else part.energy(x[0])


class Idle:
    def step(self, log: Any, v: Any) -> Any:
        return Busy(v) if v > 0.5 else self


class Busy:
    def __init__(self, load: Any) -> None:
        self.load = load

    def step(self, log: Any, v: Any) -> Any:
        log.append(self.load * v)
        self.load *= 0.5
        return Idle() if self.load < 0.2 else self


@program((X, 7), (Y, 4), (X, 0))
def states(x: Any, n: Any) -> Any:
    log: list[Any] = []
    state: Any = Idle()
    for k in range(n):
        state = state.step(log, x[k % len(x)])
    return sum(log) + (state.load if isinstance(state, Busy) else 0.0)


@dataclass
class Body:
    x: Any
    v: Any
    m: Any = 1.0

    def force(self, t: Any) -> Any:
        return 0.0

    def step(self, h: Any, t: Any) -> None:
        self.v += self.force(t) / self.m * h
        self.x += self.v * h


@dataclass
class Driven(Body):
    q: Any = 1.0

    def force(self, t: Any) -> Any:
        return self.q * math.sin(t) - 0.1 * self.x


@dataclass
class Damped(Body):
    drag: Any = 0.2

    def force(self, t: Any) -> Any:
        return -self.drag * self.v


@program((X, 5), (Y, 3), (X, 0))
def bodies(x: Any, n: Any) -> Any:
    all_: list[Any] = []
    for i in range(n):
        at = x[i % len(x)]
        all_.append(Driven(at, 0.1 * i, q=x[0]) if at > 0.5 else Damped(at, 0.2 * i))
    for k in range(4):
        for b in all_:
            b.step(0.1, 0.1 * k)
            if b.x > 1.5:
                break
    return sum(0.5 * b.m * b.v**2 + b.x for b in all_)


class Dense:
    def __init__(self, w: Any, b: Any) -> None:
        self.w, self.b = w, b

    def __call__(self, h: Any) -> Any:
        return np.tanh(self.w @ h + self.b)


class Centred:
    def __init__(self, scale: Any) -> None:
        self.scale = scale

    def __call__(self, h: Any) -> Any:
        return self.scale * (h - h.mean())


class Relu:
    def __call__(self, h: Any) -> Any:
        return np.maximum(h, 0.0)


@program((X, 5), (X, 2), (X, 0))
def layers(x: Any, n: Any) -> Any:
    w, net = np.array([[x[0], x[1]], [x[2], x[3]]]), []  # type: ignore[var-annotated]
    for k in range(n):
        net.append(Dense(w * (k + 1.0), w[0]) if k % 3 == 0 else Centred(x[3]) if k % 3 == 1 else Relu())
    h = np.array([0.3 * x[1], -0.2])
    for f in net:
        h = f(h)
    return h @ h


# -- in trees and heaps ----------------------------------------------------------------------------------


class Number:
    def __init__(self, v: Any) -> None:
        self.v = v


class Both:
    def __init__(self, op: Any, left: Any, right: Any) -> None:
        self.op, self.left, self.right = op, left, right


class Minus:
    def __init__(self, of: Any) -> None:
        self.of = of


def value_of(e: Any) -> Any:
    if isinstance(e, Number):
        return e.v
    if isinstance(e, Minus):
        return -value_of(e.of)
    a, b = value_of(e.left), value_of(e.right)
    return a + b if e.op == "+" else a * b


def derived(e: Any) -> Any:
    match e:
        case Number():
            return Number(0.5)
        case Minus(of=of):
            return Minus(derived(of))
        case Both(op="*", left=left, right=right):
            return Both("+", Both("*", derived(left), right), Both("*", left, derived(right)))


@program((X, 4), (Y, 2), (X, 0))
def expressions(x: Any, n: Any) -> Any:
    e: Any = Number(x[0])
    for i in range(n):
        e = Both("*", e, Number(x[i % len(x)])) if i % 2 else Minus(e)
    return value_of(e) + value_of(derived(e)) * x[0]


class Leaf:
    def __init__(self, x: Any, m: Any) -> None:
        self.x, self.m = x, m

    def insert(self, x: Any, m: Any, lo: Any, hi: Any) -> Any:
        node = Inner(0.5 * (lo + hi))
        node.insert(self.x, self.m, lo, hi)
        return node.insert(x, m, lo, hi)

    def potential(self, z: Any) -> Any:
        return self.m / (abs(z - self.x) + 0.1)


class Inner:
    def __init__(self, mid: Any) -> None:
        self.mid, self.left, self.right = mid, None, None

    def insert(self, x: Any, m: Any, lo: Any, hi: Any) -> Any:
        if x < self.mid:
            self.left = Leaf(x, m) if self.left is None else self.left.insert(x, m, lo, self.mid)
        else:
            self.right = Leaf(x, m) if self.right is None else self.right.insert(x, m, self.mid, hi)
        return self

    def potential(self, z: Any) -> Any:
        return sum(c.potential(z) for c in (self.left, self.right) if c is not None)


@program((X,), (Y,))
def a_tree_of_leaves_and_inner_nodes(x: Any) -> Any:
    root: Any = Leaf(x[0], 1.0)
    for i in range(1, len(x)):
        root = root.insert(x[i], 1.0 + x[i], 0.0, 2.0)
    return root.potential(0.5)


class Arrival:
    def __init__(self, size: Any) -> None:
        self.size = size

    def fire(self, level: Any) -> Any:
        return level + self.size


class Departure:
    def __init__(self, fraction: Any) -> None:
        self.fraction = fraction

    def fire(self, level: Any) -> Any:
        return level * (1.0 - self.fraction)


@program((X, 4.0), (Y, 2.0))
def events(x: Any, end: Any) -> Any:
    queue: list[Any] = []
    t = 0.0
    for i, v in enumerate(x):
        t += v
        heapq.heappush(queue, (t, i, Departure(0.3 * v) if i % 3 == 2 else Arrival(v)))
    level = area = now = 0.0
    while queue:
        t, _, event = heapq.heappop(queue)
        if t > end:
            break
        area, now, level = area + level * (t - now), t, event.fire(level)
    return area


# -- lists that are their attributes ---------------------------------------------------------------------


class Account:
    def __init__(self, balance: Any) -> None:
        self.balance, self.history = balance, [balance]

    def step(self, rate: Any) -> None:
        self.balance *= 1.0 + rate
        self.history.append(self.balance)


class Savings(Account):
    def step(self, rate: Any) -> None:
        self.balance += 0.5
        self.history.append(self.balance * rate)


@program((X, 5), (Y, 0))
def accounts(x: Any, n: Any) -> Any:
    all_ = []
    for i, v in enumerate(x):
        all_.append(Account(v) if i % 2 else Savings(v))
    for _ in range(n):
        for a in all_:
            a.step(0.1 * x[0])
    return sum(max(a.history) - 0.3 * a.history[-1] + len(a.history) for a in all_)


class Node:
    def __init__(self, v: Any) -> None:
        self.v, self.children, self.parent = v, [], None  # type: ignore[var-annotated]

    def add(self, node: Any) -> None:
        self.children.append(node)
        node.parent = self

    def total(self) -> Any:
        return self.v + 0.5 * sum(c.total() for c in self.children)

    def depth(self) -> Any:
        return 0 if self.parent is None else 1 + self.parent.depth()


def tree_of(x: Any) -> Any:
    root = Node(x[0])
    nodes = [root]
    for i in range(1, len(x)):
        node = Node(x[i])
        nodes[(i - 1) // 2].add(node)
        nodes.append(node)
    return root, nodes


@program((X,), (Y,))
def children(x: Any) -> Any:
    root, nodes = tree_of(x)
    others = root.children
    others.append(Node(x[0]))
    return root.total() + len(others) + sum(n.v * n.depth() for n in nodes)


@program((X,), (Y,))
def children_that_are_replaced(x: Any) -> Any:
    root, nodes = tree_of(x)
    before = root.children
    root.children = [nodes[-1]]
    return root.total() + sum(c.v for c in before)


@program((X, 5), (Y, 3))
def shortest_paths(x: Any, n: Any) -> Any:
    nodes = [Node(math.inf) for i in range(n)]
    for i in range(n):
        nodes[i].children.append(nodes[(i + 1) % n])
        nodes[i].children.append(nodes[(i + 2) % n])
    nodes[0].v = 0.0
    queue = [(0.0, 0)]
    while queue:
        d, i = heapq.heappop(queue)
        for k, node in enumerate(nodes[i].children):
            e = d + x[(i + k) % len(x)] * (1.0 + 0.9 * k)
            if e < node.v:
                node.v = e
                heapq.heappush(queue, (e, (i + k + 1) % n))
    return sum(node.v for node in nodes)


# -- other attributes ------------------------------------------------------------------------------------


class Mode(enum.Enum):
    ON = 1
    OFF = 2


def squared(v: Any) -> Any:
    return v * v


class Machine:
    def __init__(self, v: Any, mode: Any) -> None:
        self.v, self.mode, self.f = v, mode, None

    def step(self) -> None:
        if self.mode is Mode.ON:
            self.v *= 1.1
            if self.v > 1.2:
                self.mode = Mode.OFF

    def output(self) -> Any:
        return self.v if self.f is None else self.f(self.v)


class Squaring(Machine):
    def __init__(self, v: Any) -> None:
        super().__init__(v, Mode.ON)
        self.f: Any = squared


@program((X, 4), (Y, 0))
def enums_and_functions(x: Any, n: Any) -> Any:
    machines = []
    for i, v in enumerate(x):
        machines.append(Squaring(v) if v < 0.9 else Machine(v, Mode.ON if i % 2 else Mode.OFF))
    for k in range(n):
        for m in machines:
            m.step()
            if k == 2 and isinstance(m, Squaring):
                m.f = math.sin
    return sum(m.output() * m.mode.value for m in machines)


class Mass:
    def __init__(self, at: Any, v: Any) -> None:
        self.at, self.v = at, v

    def force(self) -> Any:
        return -self.at


class Dragged(Mass):
    def __init__(self, at: Any, v: Any, drag: Any) -> None:
        super().__init__(at, v)
        self.drag = drag

    def force(self) -> Any:
        return -self.at - self.drag * self.v


def masses(x: Any) -> Any:
    all_: list[Any] = []
    for v in x:
        if v > 0.8:
            all_.append(Mass(np.array([v, 0.0]), np.array([0.0, v])))
        else:
            all_.append(Dragged(np.array([v, 1.0]), np.array([0.5, v]), 0.2))
    return all_


@program((X, 5), (Y, 0))
def arrays_written_in_place(x: Any, n: Any) -> Any:
    all_ = masses(x)
    first, one, other = all_[0].at, all_[1], all_[1]
    for _ in range(n):
        for m in all_:
            m.v += 0.1 * m.force()
            m.at += 0.1 * m.v
            if m.at[0] > 1.5:
                break
    one.v[0] = 3.0 * x[1]
    other.v += x[0]
    return sum(m.at @ m.v for m in all_) + first @ first + one.v @ other.v


def an_array_of_two_objects(x: Any) -> Any:
    all_ = masses(x)
    for _ in range(2):
        all_[1].v += x[0]
        all_[0].v = all_[1].v
    return sum(m.at @ m.v for m in all_)


class Twice:
    def __init__(self, at: Any) -> None:
        self.at, self.same = at, at


def an_array_of_two_attributes(x: Any) -> Any:
    all_: list[Any] = []
    for v in x:
        all_.append(Twice(np.array([v, 1.0])) if v > 0.5 else Mass(np.array([v, 2.0]), np.zeros(2)))
    for m in all_:
        m.at *= 2.0
    return sum(m.same.sum() if isinstance(m, Twice) else m.at.sum() for m in all_)


@pytest.mark.parametrize(("f", "calls"), program, ids=lambda v: getattr(v, "__name__", ""))
def test_it_is_what_python_does(f: Callable[..., Any], calls: list[tuple[Any, ...]],
                                monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SCT_VALIDATE", "0")
    agrees_in_every_mode(f, calls)


# -- the rest --------------------------------------------------------------------------------------------


def of_the_arguments(e: Any, x: Any) -> Any:
    return value_of(Both("*", e, Number(x))) + x


def test_objects_of_the_arguments() -> None:
    e = Both("+", Minus(Number(2.0)), Both("*", Number(3.0), Number(0.5)))
    value, (by_e, by_x) = value_and_grad(of_the_arguments, argnums=(0, 1))(e, 0.7)
    assert value == of_the_arguments(e, 0.7)
    assert (by_e.left.of.v, by_e.right.left.v, by_e.right.right.v) == pytest.approx((-0.7, 0.35, 2.1))
    assert by_x == pytest.approx(0.5)


def names_of_another_list(x: Any) -> Any:
    root, nodes = tree_of(x)
    before = root.children
    root.children = [nodes[-1]]
    before.append(nodes[0])
    return root.total() + len(before)


def one_list_in_two_objects(x: Any) -> Any:
    shared: list[Any] = []
    nodes = []
    for v in x:
        node = Node(v)
        node.children = shared
        nodes.append(node)
    nodes[0].children.append(nodes[-1])
    return sum(len(n.children) * n.v for n in nodes)


@pytest.mark.parametrize("f", [names_of_another_list, one_list_in_two_objects, an_array_of_two_objects,
                               an_array_of_two_attributes])
def test_lists_and_arrays_with_other_names_are_not_misread(f: Any) -> None:
    refuses(f, np.array(X), code="SCT307")


def two_of_one_name(x: Any) -> Any:
    parts: list[Any] = []
    for v in x:
        parts.append(Spring(v) if v > 0.5 else _OTHER(v))
    return sum(p.energy(x[0]) for p in parts)


_OTHER = type("Spring", (), {"__init__": Damper.__init__, "energy": Damper.energy, "weight": 1.0})


def test_classes_of_one_name_are_told_apart_or_refused() -> None:
    refuses(two_of_one_name, np.array(X), code="SCT310")


def test_an_attribute_that_one_class_lacks() -> None:
    agrees(an_attribute_that_one_class_lacks, np.array(X))
    agrees(an_attribute_that_one_class_lacks, np.array([1.5, 0.9]))


def test_a_column_says_the_class() -> None:
    derivative = value_and_grad(bodies)
    derivative(np.array(X), 5)
    assert 'body_class.append("Driven")' in derivative.source
    assert 'if body_class[b] == "Damped":' in derivative.source
    agrees(bodies, X, 5, derivative=derivative)


class Scale:
    def __init__(self, k: Any) -> None:
        self.k = k


class Plus:
    def __init__(self, k: Any, rest: Any) -> None:
        self.k, self.rest = k, rest


class Times:
    def __init__(self, left: Any, right: Any) -> None:
        self.left, self.right = left, right


def evaluated(e: Any, at: Any) -> Any:
    match e:
        case Times(left=left, right=right):
            return evaluated(left, at) * evaluated(right, at)
        case Plus(k=k, rest=rest):
            return k + evaluated(rest, at)
        case Scale(k=k):
            return at * k


@pytest.mark.parametrize("n", [3, 7, 0])
def test_attributes_in_patterns_of_a_recursive_function(n: int) -> None:
    def f(x: Any, n: int) -> Any:
        e: Any = Scale(2)
        for i in range(n):
            e = Times(e, Scale(i + 1)) if i % 2 else Plus(x[0], e)
        return evaluated(e, x[1])

    agrees_in_every_mode(f, [(X, n)])


# -- attributes of one class, read in a `try` ----------------------------------------------------------------


class Unknown(KeyError):
    pass


class Held:
    def __init__(self, name: str, amount: float) -> None:
        self.name, self.amount = name, amount


class Moved:
    def __init__(self, day: int, source: str, target: str, amount: float) -> None:
        self.day, self.source, self.target, self.amount = day, source, target, amount


class Charged:
    def __init__(self, day: int, name: str, fraction: float) -> None:
        self.day, self.name, self.fraction = day, name, fraction


class Ledger:
    def __init__(self, held: Any) -> None:
        self.held = {each.name: each for each in held}

    def __getitem__(self, name: str) -> Any:
        try:
            return self.held[name]
        except KeyError:
            raise Unknown(name) from None

    def apply(self, what: Any) -> None:
        if isinstance(what, Moved):
            source, target = self[what.source], self[what.target]
            source.amount -= what.amount
            target.amount += what.amount
        else:
            each = self.held[what.name]
            each.amount -= what.fraction * each.amount


def balances(x: float, names: Any, entries: Any) -> Any:
    ledger = Ledger([Held(name, x * i) for i, name in enumerate(names)])
    missed = 0
    for each in sorted((Moved(*e) if len(e) == 4 else Charged(*e) for e in entries), key=lambda e: e.day):
        try:
            ledger.apply(each)
        except Unknown:
            missed += 1
    return sum(h.amount ** 2 for h in ledger.held.values()) + missed


def test_an_attribute_of_one_class_is_a_key_in_a_try() -> None:
    entries = [(9, "a", "b", 0.4), (1, "a", "b", 3.0), (2, "a", 0.1), (3, "b", "c", 2.0), (3, "c", 0.1)]
    for names, some in ((["a", "b"], entries[:3]), (list("abc"), entries), (["a", "b", "c"], entries[::-1])):
        agrees(balances, 1.2, names, some)
    agrees(balances, 1.2, ["a", "b"], [*entries[:3], (4, "a", "zz", 1.0)])
