"""Trees, linked lists and stacks whose nodes are dicts of constant keys, or tuples: rows of columns, as objects are."""

from __future__ import annotations

import copy
import heapq
from collections import deque
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from oracle import agrees, agrees_in_second_order, refuses
from programs import trees

from sct import SctError, grad, jvp, value_and_grad


@pytest.fixture(autouse=True)
def not_validated(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SCT_VALIDATE", "0")


def predicted(node, x):
    if "leaf" in node:
        return node["leaf"]
    if x[node["f"]] < node["t"]:
        return predicted(node["l"], x)
    return predicted(node["r"], x)


def dict_tree_rec(y, X, d):
    tree = trees.grow(X, y, d)
    return sum((predicted(tree, X[i]) - y[i]) ** 3 for i in range(len(y)))


def merge(xs):
    if len(xs) == 1:
        return (xs[0],)
    m = len(xs) // 2
    return (merge(xs[:m]), merge(xs[m:]), np.sum(xs))


def weight(node, depth):
    if len(node) == 1:
        return node[0] * depth
    l, r, w = node
    return weight(l, depth + 1) + weight(r, depth + 1) + w * w


def lengths(xs):
    return weight(merge(xs), 0)


def huffman(w):
    heap = [(w[i], i, ("leaf", i)) for i in range(len(w))]
    heapq.heapify(heap)
    k = len(w)
    while len(heap) > 1:
        a, _, left = heapq.heappop(heap)
        b, _, right = heapq.heappop(heap)
        heapq.heappush(heap, (a + b, k, ("node", left, right)))
        k += 1
    return cost(heap[0][2], w, 0)


def cost(node, w, depth):
    if node[0] == "leaf":
        return w[node[1]] * depth
    return cost(node[1], w, depth + 1) + cost(node[2], w, depth + 1)


def cell(pos, mass, size, depth):
    m = np.sum(mass)
    com = (mass[:, None] * pos).sum(axis=0) / m
    children = []
    if len(mass) > 1 and depth < 6:
        mid = pos.mean(axis=0)
        for sx in (False, True):
            inside = (pos[:, 0] > mid[0]) == sx
            if inside.any() and not inside.all():
                children.append(cell(pos[inside], mass[inside], size / 2, depth + 1))
    return {"mass": m, "com": com, "size": size, "children": children}


def potential(node, p, theta):
    r = np.sqrt(np.sum((node["com"] - p) ** 2) + 0.01)
    if not node["children"] or node["size"] / r < theta:
        return node["mass"] / r
    total = 0.0
    for c in node["children"]:
        total += potential(c, p, theta)
    return total


def barnes_hut(pos, mass):
    root = cell(pos, mass, 4.0, 0)
    return sum(potential(root, p, 0.7) for p in pos)


def stack_walk(xs):
    root = merge3(xs)
    stack, total = [(root, 0)], 0.0
    while stack:
        node, depth = stack.pop()
        if node is None:
            continue
        total += node[0] * depth
        stack.append((node[1], depth + 1))
        stack.append((node[2], depth + 1))
    return total


def merge3(xs):
    if len(xs) == 0:
        return None
    m = len(xs) // 2
    return (xs[m], merge3(xs[:m]), merge3(xs[m + 1:]))


def make(x, n):
    if n == 0:
        return {"kind": "leaf", "value": x}
    return {"kind": "node", "left": make(x * 0.5, n - 1), "right": make(np.cos(x), n - 1), "scale": x}


def total(node):
    if node["kind"] == "leaf":
        return node["value"] ** 2
    return node["scale"] * (total(node["left"]) + total(node["right"]))


def kinds(x, n):
    return total(make(x, n))


def huffman_dict(w):
    heap = []
    for i in range(len(w)):
        heapq.heappush(heap, (w[i], i, {"symbol": i}))
    count = len(w)
    while len(heap) > 1:
        a, _, left = heapq.heappop(heap)
        b, _, right = heapq.heappop(heap)
        heapq.heappush(heap, (a + b, count, {"left": left, "right": right}))
        count += 1
    def walk(node, depth):
        if "symbol" in node:
            return depth * w[node["symbol"]]
        return walk(node["left"], depth + 1) + walk(node["right"], depth + 1)
    return walk(heap[0][2], 0)


def arena(x):
    nodes = []
    for i in range(len(x)):
        node = {"v": x[i], "left": None, "right": None, "n": 1}
        nodes.append(node)
        if i:
            at = nodes[0]
            while True:
                at["n"] += 1
                side = "left" if x[i] < at["v"] else "right"
                if at[side] is None:
                    at[side] = node
                    break
                at = at[side]
    return sum(node["v"] ** 2 * node["n"] for node in nodes)


def trie(x):
    root = {"zero": None, "one": None, "count": 0.0}
    for i, v in enumerate(x):
        node = root
        for b in range(3):
            bit = "one" if (i >> b) & 1 else "zero"
            if node[bit] is None:
                node[bit] = {"zero": None, "one": None, "count": 0.0}
            node = node[bit]
            node["count"] += v
    def depth_sum(node, d):
        if node is None:
            return 0.0
        return d * node["count"] ** 2 + depth_sum(node["zero"], d + 1) + depth_sum(node["one"], d + 1)
    return depth_sum(root, 0)


def path_tree(xs):
    def build(lo, hi):
        if hi - lo <= 2:
            return (np.sum(xs[lo:hi]),)
        mid = (lo + hi) // 2
        return (xs[mid], build(lo, mid), build(mid, hi))
    tree = build(0, len(xs))
    out = 0.0
    for q in xs:
        node = tree
        while len(node) > 1:
            node = node[1] if q < node[0] else node[2]
        out += node[0] * q
    return out


def matched(x, n):
    def value(node):
        match node:
            case ("const", v):
                return v
            case ("add", a, b):
                return value(a) + value(b)
            case ("mul", a, b):
                return value(a) * value(b)
    def rnd(x, n):
        if n == 0:
            return ("const", x)
        if n % 2:
            return ("mul", rnd(x * 0.9, n - 1), ("const", x))
        return ("add", rnd(np.sin(x), n - 1), rnd(x, n - 2))
    return value(rnd(x, n))


def stump(X, r, d):
    if d == 0 or len(r) < 2:
        return {"value": r.mean()}
    j = d % X.shape[1]
    t = X[:, j].mean()
    m = X[:, j] <= t
    if m.all():
        return {"value": r.mean()}
    return {"j": j, "t": t, "left": stump(X[m], r[m], d - 1), "right": stump(X[~m], r[~m], d - 1)}


def pred(tree, x):
    if "value" in tree:
        return tree["value"]
    return pred(tree["left"] if x[tree["j"]] <= tree["t"] else tree["right"], x)


def boosting(y, X, n):
    trees, f = [], np.zeros(len(y))
    for k in range(n):
        tree = stump(X, y - f, 2)
        trees.append(tree)
        for i in range(len(y)):
            f[i] += 0.5 * pred(tree, X[i])
    return np.sum((y - f) ** 2) + sum(pred(t, X[0]) for t in trees)


def tree_like(x, d):
    if d == 0:
        return ("tip", x, [])
    return ("inner", x * d, [tree_like(x * 0.5 + k, d - 1) for k in range(2)])


def like(node):
    _, length, children = node
    if not children:
        return np.exp(-length)
    p = 1.0
    for c in children:
        p *= like(c)
    return p * length


def newick(x, d):
    return like(tree_like(x, d))


RNG = np.random.default_rng(0)
SEVEN, THREE, ONE = RNG.uniform(0.2, 2.0, 7), RNG.uniform(0.2, 2.0, 3), np.array([0.7])
POINTS = RNG.normal(size=(7, 2))
VECTORS = [(SEVEN,), (THREE,), (ONE,)]
DEPTHS = [(0.7, 2), (0.7, 0), (1.3, 3)]
DATA = [(SEVEN, POINTS, 2), (SEVEN, POINTS, 0), (THREE, POINTS[:3], 3)]

CALLS: list[tuple[Callable[..., Any], list[tuple[Any, ...]]]] = [
    (trees.dict_tree, DATA),
    (dict_tree_rec, DATA),
    (trees.updated, [(np.sort(SEVEN), THREE), (np.sort(THREE), SEVEN), (ONE, THREE), (np.sort(THREE), 9 * SEVEN)]),
    (trees.cons, [*VECTORS, (np.zeros(0),)]),
    (trees.cons_items, [*VECTORS, (np.zeros(0),)]),
    (trees.kd_tree, [(POINTS, POINTS[:3] + 0.1), (POINTS[:3], POINTS - 0.1), (POINTS[:1], POINTS[1:3])]),
    (trees.expression, [(0.7, 4), (0.7, 0), (0.7, 7)]),
    (lengths, VECTORS),
    (huffman, VECTORS),
    (huffman_dict, VECTORS),
    (barnes_hut, [(POINTS, SEVEN), (POINTS[:3], THREE), (POINTS[:1], ONE)]),
    (trees.parents, VECTORS),
    (trees.bst, VECTORS),
    (trees.dict_list, VECTORS),
    (trees.persistent, VECTORS),
    (stack_walk, VECTORS),
    (kinds, DEPTHS),
    (arena, VECTORS),
    (trie, VECTORS),
    (path_tree, VECTORS),
    (trees.helpers, [*VECTORS, (np.zeros(0),)]),
    (trees.array_nodes, [(POINTS,), (POINTS[:3],), (POINTS[:1],)]),
    (trees.segments, VECTORS),
    (matched, [(0.7, 4), (0.7, 0), (0.7, 1)]),
    (boosting, [(SEVEN, POINTS, 2), (SEVEN, POINTS, 0), (THREE, POINTS[:3], 3)]),
    (newick, DEPTHS),
    (trees.mixed, VECTORS),
]


@pytest.mark.parametrize(("f", "calls"), CALLS, ids=[f.__name__ for f, _ in CALLS])
def test_one_derivative_for_all_data(f: Callable[..., Any], calls: list[tuple[Any, ...]]) -> None:
    derivative = value_and_grad(f)
    for args in calls:
        agrees(f, *args, derivative=derivative, rtol=1e-4)
    x, *others = calls[0]
    agrees_in_second_order(f, x, *others, rtol=1e-4, atol=1e-5)
    v = np.ones_like(x) if isinstance(x, np.ndarray) else 1.0
    assert jvp(f, (x, *others), (v,))[1] == pytest.approx(np.sum(derivative(x, *others)[1]), rel=1e-10)


LEAF = {"leaf": 2.0}
SPLIT = trees.split()
OTHER = {"f": 1, "t": -0.2, "l": trees.split(), "r": {"leaf": 0.5}}


@pytest.mark.parametrize("tree", [SPLIT, LEAF, OTHER], ids=["split", "leaf", "deeper"])
def test_a_tree_is_an_argument(tree: Any) -> None:
    agrees(trees.arg_tree, tree, SEVEN)
    agrees(trees.arg_predict, tree, POINTS)
    agrees(trees.arg_update, tree, SEVEN)


@pytest.mark.parametrize("expr", [("const", 2.0), ("var",), ("add", ("mul", ("var",), ("const", 3.0)), ("var",))])
def test_an_expression_is_an_argument(expr: Any) -> None:
    assert value_and_grad(trees.arg_expr, 1)(expr, 0.7)[0] == trees.arg_expr(expr, 0.7)
    slope = (trees.arg_expr(expr, 0.7 + 1e-6) - trees.arg_expr(expr, 0.7 - 1e-6)) / 2e-6
    assert grad(trees.arg_expr, 1)(expr, 0.7) == pytest.approx(slope)


def test_a_gradient_by_a_tree_has_its_form() -> None:
    before = copy.deepcopy(OTHER)
    gradient = grad(trees.arg_update)(OTHER, SEVEN)
    assert before == OTHER
    assert gradient.keys() == OTHER.keys() and gradient["l"].keys() == OTHER["l"].keys()


def tree(x, n):
    if n == 0:
        return {"v": x}
    return {"l": tree(x * 0.5, n - 1), "r": tree(x + 1.0, n - 1), "w": x}


def pairs(x, n):
    lst = None
    for i in range(n):
        lst = (x * i, lst)
    return lst


def tagged(x, n):
    if n == 0:
        return ("leaf", x)
    return ("node", tagged(x * 0.5, n - 1), tagged(x + 1.0, n - 1), x)


USES: list[Callable[[Any, int], Any]] = []


def use(f: Callable[[Any, int], Any]) -> Callable[[Any, int], Any]:
    USES.append(f)
    return f


@use
def truths(x, n):
    t = tree(x, n)
    return x if t else 2 * x


@use
def classes(x, n):
    t = tree(x, n)
    return x * isinstance(t, dict) + 3 * x * isinstance(t, (list, tuple)) + x * (type(t) is dict) \
        + 5 * x * isinstance(tagged(x, n), tuple)


@use
def copies(x, n):
    t = tree(x, n)
    u, w, v = copy.copy(t), t.copy(), dict(t)
    for other in (u, w, v):
        if "w" in other:
            other["w"] = 5.0 * x
    return (t["w"] + u["w"] * v["w"] + w["w"]) * x if n else x


@use
def missing(x, n):
    return tree(x, n)["none"] * x


@use
def got(x, n):
    t = tree(x, n)
    total = 0.0
    while t.get("l") is not None:
        total += len(t) * t.get("w", 1.0)
        t = t["l"]
    return total + t.get("v", 2.0)


@use
def aliases(x, n):
    t = tree(x, n)
    u = t
    if "w" in u:
        u["w"] = 7.0 * x
        return t["w"] * x if t is u else 0.0
    return 0.0 * x


@use
def one_list(x, n):
    nodes = [tree(x * k, k) for k in range(n + 1)]
    nodes.append(nodes[0])
    if "v" in nodes[-1]:
        nodes[-1]["v"] *= 3.0
    return sum(t["v"] if "v" in t else t["w"] for t in nodes)


@use
def generated(x, n):
    def leaves(t):
        stack = [t]
        while stack:
            t = stack.pop()
            if "v" in t:
                yield t["v"]
            else:
                stack += [t["l"], t["r"]]
    return sum(v ** 2 for v in leaves(tree(x, n)))


@use
def caught(x, n):
    t = tree(x, n)
    try:
        return t["v"] * x
    except KeyError:
        return t["w"] * 3.0


@use
def empty_end(x, n):
    history, now = (), x
    for _ in range(n):
        history = (now, history)
        now = now * 1.5
    total = 0.0
    while history:
        now, history = history
        total += now ** 2
    return total


@use
def from_the_end(x, n):
    return tagged(x, n)[-1] ** 2


@use
def out_of_range(x, n):
    return tagged(x, n)[7] * x


@use
def sliced(x, n):
    t = tagged(x, n)
    if t[0] == "node":
        a, b = t[1:3]
        return x * len(a) + len(b)
    return x * len(t[1:])


@use
def of_another_length(x, n):
    _, v = tagged(x, n)
    return v * x


@use
def none_unpacked(x, n):
    v, _ = pairs(x, n)
    return v * x


@use
def written(x, n):
    t = pairs(x, n)
    if t is not None:
        t[0] = 2.0
    return x


@use
def turned_around(x, n):
    other, lst = None, pairs(x, n)
    while lst is not None:
        v, lst = lst
        other = (v, other)
    total, w = 0.0, 1.0
    while other:
        total, w, other = total + w * other[0], 0.5 * w, other[1]
    return total


@use
def mapped(x, n):
    def each(lst, g):
        return None if lst is None else (g(lst[0]), each(lst[1], g))
    def summed(lst):
        return 0.0 if lst is None else lst[0] ** 2 + summed(lst[1])
    return summed(each(pairs(x, n), np.sin))


@use
def stacks_in_a_dict(x, n):
    stacks = {}
    for i in range(n + 2):
        stacks[i % 2] = (x * i, stacks.get(i % 2))
    total = 0.0
    for stack in stacks.values():
        while stack is not None:
            total += stack[0] ** 2
            stack = stack[1]
    return total


@use
def stacks_in_a_list(x, n):
    stacks = [None] * 3
    for i in range(n + 3):
        stacks[i % 3] = (x * i, stacks[i % 3])
    total = 0.0
    for stack in stacks:
        while stack is not None:
            total += stack[0] ** 2
            stack = stack[1]
    return total


@use
def shown(x, n):
    last = None
    for i in range(n):
        last = (x * i, i)
    print(last)
    return 0.0 * x if last is None else last[0] ** 2


@use
def in_two_lists(x, n):
    points = [{"x": x * i} for i in range(n)]
    far = [p for p in points if p["x"] > 0.5]
    for p in far:
        p["x"] = 2.0 * p["x"]
    return sum((p["x"] for p in points), 0.0 * x)


@use
def one_of_several_kinds(x, n):
    def made(x, n):
        if n == 0:
            return ("const", x)
        if n % 2:
            return ("add", made(x * 0.5, n - 1), made(x + 1.0, n - 1))
        return ("mul", made(x * 0.5, n - 1), made(x + 1.0, n - 1))

    def value(t):
        if t[0] in ("add", "mul"):
            a, b = value(t[1]), value(t[2])
            return a + b if "add" == t[0] else a * b
        return t[1]

    return value(made(x, n))


@use
def walked_to_the_end(x, n):
    t = tagged(x, n)
    while t[0] == "node":
        t = t[2]
    return t[1] * x


@use
def made_by_calls(x, n):
    def made(v, d):
        return dict(v=v) if d == 0 else dict(l=made(v * 0.5, d - 1), r=made(v + 1.0, d - 1), w=v)

    def total(t):
        return t["v"] if "v" in t else t["w"] * total(t["l"]) + total(t["r"])

    return total(made(x, n))


@use
def with_other_items(x, n):
    head = None
    for i in range(n):
        head = {"v": x * i, "next": head}
    total = 0.0 * x
    while head is not None:
        other = {**head, "v": head["v"] + 1.0}
        total += other["v"] * head["v"]
        head = other["next"]
    return total


@use
def on_a_deque(x, n):
    queue, total = deque([tree(x, n)]), 0.0
    while queue:
        t = queue.popleft()
        if "v" in t:
            total += t["v"] ** 2
        else:
            queue.extend([t["l"], t["r"]])
    return total


@pytest.mark.parametrize("f", USES, ids=[f.__name__ for f in USES])
def test_what_python_does_with_them(f: Callable[..., Any]) -> None:
    derivative = value_and_grad(f)
    for args in ((0.7, 2), (0.7, 0), (1.3, 1)):
        agrees(f, *args, derivative=derivative)


def new_key(x, n):
    t = tree(x, n)
    t["extra"] = x
    return t["extra"] * x


def deleted(x, n):
    t = tree(x, n)
    if "w" in t:
        del t["w"]
    return x


def popped(x, n):
    return tree(x, n).pop("w") * x


def united(x, n):
    t = tree(x, n)
    t |= {"w": x}
    return t["w"]


def equal(x, n):
    return x if tree(x, n) == tree(x, n) else 2 * x


def returned(x, n):
    return pairs(x, n)


def printed(x, n):
    print(tree(x, n))
    return x


def a_key(x, n):
    return x * len({tree(x, n): 1})


def unknown_key(x, n):
    t, key = tree(x, n), "v"
    for _ in range(n):
        key = key + "w"
    return t[key] * x


REFUSED = [(new_key, "SCT307", "a new key"), (deleted, "SCT307", "`del`"), (popped, "SCT307", "`pop`"),
           (united, "SCT307", "`|=`"), (equal, "SCT503", "a comparison"), (printed, "SCT503", "one of many"),
           (unknown_key, "SCT503", "a key")]


@pytest.mark.parametrize(("f", "code", "text"), REFUSED, ids=[f.__name__ for f, *_ in REFUSED])
def test_other_uses_are_refused(f: Callable[..., Any], code: str, text: str) -> None:
    error = refuses(f, 0.7, 2, code=code)
    assert text in error.what and "run time" in error.why


@pytest.mark.parametrize("f", [returned, a_key])
def test_they_are_neither_results_nor_keys(f: Callable[..., Any]) -> None:
    with pytest.raises(SctError):
        value_and_grad(f)(0.7, 2)


def number_or_tuple(x, n):
    def made(x, n):
        return x if n == 0 else (made(x * 0.5, n - 1), made(x + 1.0, n - 1))

    def total(t):
        return total(t[0]) + 2.0 * total(t[1]) if isinstance(t, tuple) else t

    return total(made(x, n))


def starred(x, n):
    def total(t):
        kind, *rest = t
        return rest[0] if kind == "leaf" else total(rest[0]) * rest[2]

    return total(tagged(x, n))


@pytest.mark.parametrize(("f", "code"), [(number_or_tuple, "SCT204"), (starred, "SCT503")])
def test_tuples_beside_numbers_and_their_rest(f: Callable[..., Any], code: str) -> None:
    refuses(f, 0.7, 2, code=code)


def test_a_tangent_inside_a_function() -> None:
    def tangent(tree, x, dtree, dx):
        return jvp(trees.arg_tree, (tree, x), (dtree, dx))[1]

    value, gradient = value_and_grad(tangent, 1)(SPLIT, SEVEN, trees.split(), SEVEN)
    slope = trees.arg_tree(trees.split(), SEVEN)
    assert value == pytest.approx(trees.arg_tree(SPLIT, SEVEN) + slope)
    assert gradient == pytest.approx(np.array([slope / SEVEN[0], *[0.0] * 6]))


def test_equal_weights_compare_the_nodes() -> None:
    def tied(w):
        heap = []
        for v in w:
            heapq.heappush(heap, (v, {"leaf": v}))
        while len(heap) > 1:
            a, left = heapq.heappop(heap)
            b, right = heapq.heappop(heap)
            heapq.heappush(heap, (a + b, {"l": left, "r": right}))
        node = heap[0][1]
        while "leaf" not in node:
            node = node["l"]
        return node["leaf"] ** 2

    derivative = value_and_grad(tied)
    agrees(tied, np.array([0.5, 1.25, 3.0]), derivative=derivative)
    with pytest.raises(NotImplementedError, match="put numbers that differ"):
        derivative(np.array([1.0, 1.0]))


def test_the_columns_have_names() -> None:
    derivative = value_and_grad(trees.dict_list)
    derivative(SEVEN)
    assert "node = record_next[node]" in derivative.source and "record_value.append(v)" in derivative.source


def test_what_was_accepted_is_as_it_was() -> None:
    def records(x):
        points = [{"x": v, "y": 2.0 * v} for v in x]
        return sum(p["x"] * p["y"] for p in points)

    derivative = grad(records)
    derivative(SEVEN)
    assert "record" not in derivative.source.replace("records", "")
