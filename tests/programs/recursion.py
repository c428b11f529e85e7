"""Functions that call themselves, and one another."""

import math

import numpy as np

from sct import grad


def power(x, n):
    if n == 0:
        return 1.0
    return x * power(x, n - 1)

def tree(x, depth):
    if depth == 0:
        return math.sin(x)
    return tree(0.5 * x, depth - 1) * x + tree(x + 0.1, depth - 1)

def walk(a, i):
    if i == len(a):
        return 0.0
    return a[i] * a[i] + walk(a, i + 1)

def is_even(x, n):
    if n == 0:
        return x
    return math.sin(is_odd(x, n - 1))

def is_odd(x, n):
    if n == 0:
        return 2.0 * x
    return x * is_even(x, n - 1)

def dc(x):
    n = len(x)
    if n == 1:
        return x[0]
    m = n // 2
    return dc(x[:m]) * 0.9 + math.tanh(dc(x[m:]))

def nested(x, n):
    k = 3.0
    def go(y, m):
        if m <= 0:
            return y * k
        return go(y * x, m - 1) + y
    return go(x, n)

def acc(u, i):
    if i >= len(u):
        return u
    u[i] = u[i] * u[i - 1]
    return acc(u, i + 1)

def run_acc(u):
    v = acc(u * 1.0, 1)
    return np.sum(v)

def run_acc2(u):
    acc(u, 1)
    return np.sum(u)

def net(W, h, depth):
    if depth == 0:
        return h
    return np.tanh(W @ net(W, h, depth - 1))

def run_net(W, h):
    return np.sum(net(W, h, 4))

def loopy(x, n):
    s = 0.0
    for i in range(3):
        s += x * power(x + i, n)
    return s

def fib(x, n):
    return x if n < 2 else fib(x, n - 1) * 0.5 + fib(x * x, n - 2)


def evaluated(node, x, y):
    kind = node[0]
    if kind == "x": return x
    if kind == "y": return y
    if kind == "c": return node[1]
    a = evaluated(node[1], x, y)
    if kind == "sin": return math.sin(a)
    b = evaluated(node[2], x, y)
    if kind == "+": return a + b
    if kind == "*": return a * b
    raise ValueError(kind)


TREE = ("+", ("*", ("x",), ("sin", ("y",))), ("*", ("c", 3.0), ("+", ("x",), ("y",))))
def expr(x, y):
    return evaluated(TREE, x, y)

def total(t):
    if isinstance(t, list):
        return sum([total(u) for u in t])
    return t * t
def nestedlist(a):
    return total([a, [a * 2.0, [a + 1.0]], 3.0])

def arraytree(left, right, value, i):
    if i < 0:
        return 0.0
    below = arraytree(left, right, value, left[i]) + arraytree(left, right, value, right[i])
    return value[i] * math.tanh(below) + value[i]

def gcdlike(a, b):
    if b < 0.3:
        return a
    return gcdlike(b, a - 0.5 * b) * 1.1

def hanoi(n, cost):
    if n == 0: return 0.0
    return 2.0 * hanoi(n - 1, cost * 1.1) + cost

def ackermann(x, m, n):
    if m == 0:
        return x * (n + 1)
    if n == 0:
        return ackermann(x, m - 1, 1)
    return ackermann(x, m - 1, n - 1) + math.sin(ackermann(x * 0.9, m, n - 1))

def mergesum(x, lo, hi):
    if hi - lo == 1:
        return x[lo] ** 2
    mid = (lo + hi) // 2
    return mergesum(x, lo, mid) * 0.5 + mergesum(x, mid, hi)

def fft_like(x):
    n = len(x)
    if n == 1:
        return x
    e = fft_like(x[::2])
    o = fft_like(x[1::2])
    t = 0.7 * o
    return np.concatenate([e + t, e - t])
def run_fft(x):
    return np.sum(fft_like(x) ** 2 * np.arange(len(x)))

def simpson(f, a, b, fa, fb, fm, depth):
    m = 0.5 * (a + b)
    l = f(0.5 * (a + m)); r = f(0.5 * (m + b))
    s1 = (b - a) / 6 * (fa + 4 * fm + fb)
    s2 = (b - a) / 12 * (fa + 4 * l + 2 * fm + 4 * r + fb)
    if depth == 0 or abs(s1 - s2) < 1e-6:
        return s2
    return simpson(f, a, m, fa, fm, l, depth - 1) + simpson(f, m, b, fm, fb, r, depth - 1)
def integral(k):
    f = lambda t: math.exp(-k * t * t)
    return simpson(f, 0.0, 1.0, f(0.0), f(1.0), f(0.5), 6)

class Model:
    def __init__(self): self.c = 0.7
    def go(self, x, n):
        if n == 0: return x * self.c
        return math.sin(self.go(x * 0.9, n - 1)) + self.c
M = Model()
def method(x, n):
    return M.go(x, n)

def whileinside(x, n):
    if n == 0:
        return x
    s = 0.0
    k = 0
    while k < n:
        s = s + whileinside(x * 0.8 + k, n - 1)
        if s > 50.0:
            break
        k += 1
    return math.sin(s)

def loop_with_inplace(u, n):
    if n == 0:
        return np.sum(u)
    v = u.copy()
    for i in range(1, len(v)):
        v[i] = v[i] + 0.3 * v[i - 1] * u[i]
    return loop_with_inplace(v, n - 1) + v[0]

def kw(x, *, depth=3, scale=1.5):
    if depth == 0: return x
    return scale * kw(x * x, depth=depth - 1, scale=scale * 0.5)

def tup(x, n):
    if n == 0:
        return x, 1.0
    a, b = tup(x * 0.5, n - 1)
    return a * b + x, a - b
def run_tup(x, n):
    a, b = tup(x, n)
    return a * b

def vec(params, x, n):
    if n == 0: return x
    return np.tanh(params["W"] @ vec(params, x, n - 1) + params["b"])
def run_vec(params, x):
    return np.sum(vec(params, x, 3))

def inner_grad(x, n):
    def h(y, m):
        if m == 0: return y
        return math.sin(h(y * y, m - 1))
    return grad(h)(x, n) * x

def sort_like(a, i):
    if i == len(a) - 1:
        return a[i]
    if a[i] > a[i + 1]:
        a[i], a[i + 1] = a[i + 1], a[i]
    return sort_like(a, i + 1) + 0.1 * a[i] ** 2


def spread(depth, v, acc):
    if depth == 0:
        acc[0] += v * v
        return v
    acc[depth] *= v
    left = spread(depth - 1, 0.5 * v, acc)
    return left + spread(depth - 1, v + acc[0], acc)


def run_spread(v, acc):
    return spread(3, v, acc) + acc.sum()


def counted(x, n):
    total = 0.0
    calls = 0
    states = np.zeros(2)

    def visit(v, depth):
        nonlocal total, calls, states
        calls += 1
        total += v * depth
        states = states + v * np.array([1.0, x])
        if depth > 0:
            visit(v * 0.5, depth - 1)
            visit(v + 0.1, depth - 1)

    visit(x, n)
    first = calls
    visit(2 * x, 1)
    return total / calls * first + np.sum(states ** 2)


def alternately(x, n):
    product = 1.0

    def multiply(k):
        nonlocal product
        product *= x
        return product if k == 0 else shift(k - 1)

    def shift(k):
        nonlocal product
        product += x
        return product * x if k == 0 else multiply(k - 1)

    return multiply(n) + product


def searched(x, n):
    found = False
    where = 0.0

    def search(low, high, depth):
        nonlocal found, where
        if found:
            return
        middle = 0.5 * (low + high)
        if depth == 0 or abs(middle * middle - x) < 0.05:
            found = True
            where = middle * x
            return
        if middle * middle < x:
            search(middle, high, depth - 1)
        else:
            search(low, middle, depth - 1)

    search(0.1 * x, x + 1.0, n)
    return where if found else x


def flipped(x, n):
    def down(k, y, positive):
        if k == 0:
            return not positive, y
        turned, z = down(k - 1, y * x, not positive)
        return not turned, z + x

    positive, y = down(n, x, True)
    return y if positive else -y


class Link:
    def __init__(self, value, next=None):
        self.value, self.next = value, next


def linked_list(x, n):
    head = Link(1.0)
    for i in range(n):
        head = Link(x * i, head)
    node = head
    while node.next is not None:
        node.value = math.sin(node.value) + node.next.value
        node = node.next
    node.value = x * x
    total = 0.0
    while head is not None:
        total = x * total + head.value
        head = head.next
    return total


class Node:
    def __init__(self, key):
        self.key, self.left, self.right = key, None, None


def inserted(node, key):
    if node is None:
        return Node(key)
    if key < node.key:
        node.left = inserted(node.left, key)
    else:
        node.right = inserted(node.right, key)
    return node


def weighted(node, depth):
    if node is None:
        return 0.0
    return node.key**2 / depth + weighted(node.left, depth + 1) + weighted(node.right, depth + 1)


def search_tree(keys):
    root = None
    for key in keys:
        root = inserted(root, key)
    return weighted(root, 1)


LEFT, RIGHT = np.array([1, 3, -1, -1]), np.array([2, -1, -1, -1])

INPUTS = {
    "power": lambda rng: (1.7, 5),
    "tree": lambda rng: (0.7, 4),
    "walk": lambda rng: (rng.normal(size=6), 0),
    "is_even": lambda rng: (0.8, 5),
    "dc": lambda rng: (rng.normal(size=7),),
    "nested": lambda rng: (1.2, 3),
    "run_acc": lambda rng: (rng.normal(size=5),),
    "run_acc2": lambda rng: (rng.normal(size=5),),
    "run_net": lambda rng: (rng.normal(size=(3, 3)), rng.normal(size=3)),
    "loopy": lambda rng: (0.9, 3),
    "fib": lambda rng: (0.7, 6),
    "expr": lambda rng: (0.5, 0.7),
    "nestedlist": lambda rng: (0.4,),
    "arraytree": lambda rng: (LEFT, RIGHT, rng.normal(size=4), 0),
    "gcdlike": lambda rng: (3.1, 1.7),
    "hanoi": lambda rng: (4, 1.3),
    "ackermann": lambda rng: (0.5, 2, 2),
    "mergesum": lambda rng: (rng.normal(size=7), 0, 7),
    "run_fft": lambda rng: (rng.normal(size=8),),
    "integral": lambda rng: (1.3,),
    "method": lambda rng: (0.4, 3),
    "whileinside": lambda rng: (0.5, 3),
    "loop_with_inplace": lambda rng: (rng.normal(size=4), 3),
    "kw": lambda rng: (0.9,),
    "run_tup": lambda rng: (0.8, 4),
    "run_vec": lambda rng: ({"W": rng.normal(size=(3, 3)), "b": rng.normal(size=3)}, rng.normal(size=3)),
    "inner_grad": lambda rng: (0.8, 3),
    "sort_like": lambda rng: (rng.normal(size=5), 0),
    "run_spread": lambda rng: (0.7, rng.normal(size=5)),
    "counted": lambda rng: (0.7, 3),
    "alternately": lambda rng: (0.7, 5),
    "searched": lambda rng: (0.7, 6),
    "flipped": lambda rng: (0.7, 3),
    "linked_list": lambda rng: (0.7, 6),
    "search_tree": lambda rng: (rng.normal(size=6),),
}

GRADIENTS = {"power": lambda x, n: {0: n * x ** (n - 1)}}
