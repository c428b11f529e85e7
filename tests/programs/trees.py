"""Trees, linked lists and stacks whose nodes are dicts of constant keys, or tuples: their number is known only at run
time."""

import numpy as np


def grow(X, y, d):
    if d == 0 or len(y) < 2:
        return {"leaf": y.mean()}
    f = d % X.shape[1]
    t = np.median(X[:, f])
    left = X[:, f] < t
    if left.all() or not left.any():
        return {"leaf": y.mean()}
    return {"f": f, "t": t, "l": grow(X[left], y[left], d - 1), "r": grow(X[~left], y[~left], d - 1)}


def predict(node, x):
    while "leaf" not in node:
        node = node["l"] if x[node["f"]] < node["t"] else node["r"]
    return node["leaf"]


def dict_tree(y, X, d):
    tree = grow(X, y, d)
    total = 0.0
    for i in range(len(y)):
        total += (predict(tree, X[i]) - y[i]) ** 2
    return total


def build(xs, lo, hi):
    if hi - lo == 1:
        return {"value": xs[lo], "hits": 0.0}
    mid = (lo + hi) // 2
    return {"split": xs[mid], "left": build(xs, lo, mid), "right": build(xs, mid, hi), "hits": 0.0}


def leaf_of(node, q):
    for _ in range(100):
        node["hits"] += q
        if "value" in node:
            return node
        while "split" in node:
            node = node["left"] if q < node["split"] else node["right"]
    return node


def updated(xs, qs):
    root = build(xs, 0, len(xs))
    total = 0.0
    for q in qs:
        leaf = leaf_of(root, q)
        leaf["value"] *= 1.5
        total += leaf["value"] * leaf["hits"]
        if total > 50.0:
            return total * root["hits"]
    return total + root["hits"]


def cons(x):
    lst = None
    for i in range(len(x)):
        lst = (x[i] * i, lst)
    total = 0.0
    while lst is not None:
        v, lst = lst
        total = total * 0.5 + v * v
    return total


def cons_items(x):
    lst = None
    for v in x:
        lst = (v, lst)
    total = 0.0
    while lst:
        total = np.sin(total + lst[0])
        lst = lst[1]
    return total


def kd(points, depth):
    if len(points) == 0:
        return None
    axis = depth % 2
    order = np.argsort(points[:, axis])
    points = points[order]
    m = len(points) // 2
    return (points[m], kd(points[:m], depth + 1), kd(points[m + 1:], depth + 1))


def nearest(node, q, depth, best):
    if node is None:
        return best
    p, left, right = node
    d = np.sum((p - q) ** 2)
    if d < best:
        best = d
    axis = depth % 2
    diff = q[axis] - p[axis]
    near, far = (left, right) if diff < 0 else (right, left)
    best = nearest(near, q, depth + 1, best)
    if diff * diff < best:
        best = nearest(far, q, depth + 1, best)
    return best


def kd_tree(P, Q):
    root = kd(P, 0)
    return sum(nearest(root, q, 0, 1e9) for q in Q)


def random_expr(x, n):
    if n == 0:
        return ("const", x)
    if n % 3 == 0:
        return ("mul", random_expr(x * 0.9, n - 1), random_expr(x + 0.1, n - 2))
    return ("add", random_expr(np.sin(x), n - 1), ("const", 2.0))


def evaluate(node):
    if node[0] == "const":
        return node[1]
    if node[0] == "add":
        return evaluate(node[1]) + evaluate(node[2])
    return evaluate(node[1]) * evaluate(node[2])


def expression(x, n):
    return evaluate(random_expr(x, n))


def parents(w):
    nodes = [{"w": v, "parent": None, "depth": 0} for v in w]
    for i in range(1, len(nodes)):
        nodes[i]["parent"] = (i - 1) // 2
    total = 0.0
    for node in nodes:
        k = 0
        p = node["parent"]
        while p is not None:
            k += 1
            p = nodes[p]["parent"]
        total += node["w"] * k
    return total


def insert(root, key):
    if root is None:
        return {"key": key, "left": None, "right": None}
    if key < root["key"]:
        root["left"] = insert(root["left"], key)
    else:
        root["right"] = insert(root["right"], key)
    return root


def in_order(node, k):
    if node is None:
        return 0.0, k
    s, k = in_order(node["left"], k)
    s += k * node["key"] ** 2
    t, k = in_order(node["right"], k + 1)
    return s + t, k


def bst(keys):
    root = None
    for key in keys:
        root = insert(root, key)
    return in_order(root, 1)[0]


def dict_list(x):
    head = None
    for v in x:
        head = {"value": v, "next": head}
    total = 0.0
    node = head
    while node is not None:
        total = total * 0.7 + node["value"] ** 2
        node = node["next"]
    return total


def put(t, k):
    if t is None:
        return (k, None, None)
    v, l, r = t
    if k < v:
        return (v, put(l, k), r)
    return (v, l, put(r, k))


def height_sum(t, d):
    return 0.0 if t is None else d * t[0] + height_sum(t[1], d + 1) + height_sum(t[2], d + 1)


def persistent(x):
    t = None
    for v in x:
        t = put(t, v)
    return height_sum(t, 1)


def arg_tree(tree, x):
    node = tree
    while "leaf" not in node:
        node = node["l"] if x[node["f"]] < node["t"] else node["r"]
    return node["leaf"] * x[0]


def arg_predict(tree, X):
    return sum(predict(tree, x) ** 2 for x in X)


def arg_update(tree, x):
    for v in x:
        node = tree
        while "leaf" not in node:
            node = node["l"] if v < node["t"] else node["r"]
        node["leaf"] += v * node["leaf"]
    total = 0.0
    for v in x:
        node = tree
        while "leaf" not in node:
            node = node["l"] if v < node["t"] else node["r"]
        total += node["leaf"] ** 2
    return total


def arg_expr(expr, x):
    if expr[0] == "const":
        return expr[1]
    if expr[0] == "var":
        return x
    a, b = arg_expr(expr[1], x), arg_expr(expr[2], x)
    return a + b if expr[0] == "add" else a * b


def push(stack, v):
    return (v, stack)


def pop(stack):
    v, rest = stack
    return v, rest


def helpers(x):
    stack = None
    for v in x:
        stack = push(stack, v * v)
    s, k = 0.0, 1
    while stack is not None:
        v, stack = pop(stack)
        s += v * k
        k += 1
    return s


def array_nodes(X):
    head = None
    for row in X:
        head = {"row": row * 2.0, "next": head}
    s = np.zeros(X.shape[1])
    while head:
        s = s + np.sin(head["row"])
        head["row"][0] += 1.0
        s[0] += head["row"][0] ** 2
        head = head["next"]
    return np.sum(s)


def seg(xs, lo, hi):
    if lo == hi:
        return {"lo": lo, "hi": hi, "sum": xs[lo], "l": None, "r": None}
    m = (lo + hi) // 2
    l, r = seg(xs, lo, m), seg(xs, m + 1, hi)
    return {"lo": lo, "hi": hi, "sum": l["sum"] + r["sum"], "l": l, "r": r}


def query(node, a, b):
    if node is None or b < node["lo"] or node["hi"] < a:
        return 0.0
    if a <= node["lo"] and node["hi"] <= b:
        return node["sum"]
    return query(node["l"], a, b) + query(node["r"], a, b)


def update(node, i, v):
    if node["lo"] == node["hi"]:
        node["sum"] = v
        return
    update(node["l"] if i <= node["l"]["hi"] else node["r"], i, v)
    node["sum"] = node["l"]["sum"] + node["r"]["sum"]


def segments(xs):
    n = len(xs)
    root = seg(xs, 0, n - 1)
    s = 0.0
    for i in range(n):
        s += query(root, i // 2, i) ** 2
        update(root, i, s * 0.1)
    return s


def mixed(x):
    best = None
    hist = None
    for i in range(len(x)):
        if best is None or x[i] > best["v"]:
            best = {"v": x[i], "i": i}
        hist = (best["v"] * x[i], hist)
    s = best["v"] * best["i"]
    while hist:
        h, hist = hist
        s += h ** 2
    return s


def split():
    right = {"f": 1, "t": 0.1, "l": {"leaf": 1.0}, "r": {"leaf": -1.0}}
    return {"f": 0, "t": 0.5, "l": {"leaf": 3.0}, "r": right}


INPUTS = {
    "dict_tree": lambda rng: (rng.normal(size=7), rng.normal(size=(7, 2)), 2),
    "updated": lambda rng: (np.sort(rng.uniform(0.2, 2.0, 7)), rng.uniform(0.2, 2.0, 3)),
    "cons": lambda rng: (rng.normal(size=4),),
    "cons_items": lambda rng: (rng.normal(size=4),),
    "kd_tree": lambda rng: (rng.normal(size=(7, 2)), rng.normal(size=(3, 2))),
    "expression": lambda rng: (0.7, 4),
    "parents": lambda rng: (rng.normal(size=6),),
    "bst": lambda rng: (rng.normal(size=6),),
    "dict_list": lambda rng: (rng.normal(size=5),),
    "persistent": lambda rng: (rng.normal(size=6),),
    "arg_tree": lambda rng: (split(), rng.normal(size=2)),
    "arg_predict": lambda rng: (split(), rng.normal(size=(4, 2))),
    "arg_update": lambda rng: (split(), rng.normal(size=4)),
    "arg_expr": lambda rng: (("add", ("mul", ("var",), ("const", 3.0)), ("var",)), 0.7),
    "helpers": lambda rng: (rng.normal(size=5),),
    "array_nodes": lambda rng: (rng.normal(size=(4, 3)),),
    "segments": lambda rng: (rng.normal(size=5),),
    "mixed": lambda rng: (rng.normal(size=5),),
}
