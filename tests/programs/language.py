"""Constructs of Python and of NumPy's arrays, each in a program that would use them."""

import itertools
import math

import numpy as np


def scale_rows(A, factors):
    """A helper that writes into its argument."""
    for i in range(len(factors)):
        A[i] *= factors[i]


def written_by_helper(A, factors):
    B = A.copy()
    scale_rows(B, factors)
    scale_rows(B.T, factors)
    return np.sum(B * B)


def aliased_update(x, y):
    """`z = y` shares memory: the update is seen through both names."""
    z = y = y.copy()
    z += x
    return np.sum(y * z)


def view_update(x):
    """A write through a slice reaches the array, also through a view of the view."""
    y = x.copy()
    v = y[1:]
    v *= 2.0
    w = v[::2]
    w += x[0]
    return np.sum(y**2)


def reshaped_view(x):
    y = x.copy()
    grid = y.reshape(2, -1)
    grid[0] *= grid[1]
    grid.T[1, 1] = 3.0 * y[0]
    return np.sum(y * np.arange(len(y)))


def diagonal_views(A):
    """Rows of a transposed copy, bound by a loop over the array."""
    B = A.copy()
    total = 0.0
    for row in B.T:
        row[1:] += row[0]
        total += row @ row
    return total + np.sum(B)


def negative_steps(x):
    y = x[::-1].copy()
    y[::2] *= x[: len(y[::2])]
    y[-2::-2] += 1.0
    return np.sum(y * x)


def masked_write(x):
    y = x.copy()
    y[x < 0.0] = 0.0
    y[x > 1.0] *= 0.5
    return np.sum(y**2)


def duplicate_indices(x, index):
    """Repeated positions: the last write wins, reads accumulate."""
    y = np.zeros(4)
    y[index] = x**2
    y[index] += x
    return np.sum(y**2) + np.sum(x[index % 3] ** 3)


def scattered_add(x, index, size):
    y = np.zeros(size)
    for k in range(len(index)):
        y[index[k]] += x[k]
    return np.sum(y**3)


def swapped_elements(x):
    y = x.copy()
    y[0], y[-1] = y[-1], 2.0 * y[0]
    y[1:3] = y[2], y[1]
    return np.sum(y * np.arange(1.0, len(y) + 1.0) ** 2)


def overlapping_slices(x):
    """The right side is read before the left is written."""
    y = x.copy()
    y[1:] = y[:-1] * y[1:]
    y[:-1] += y[1:]
    return y @ y


def writes_in_branches(x, level):
    y = x.copy()
    for i in range(len(y)):
        if y[i] > level:
            y[i] = level + 0.1 * (y[i] - level)
        elif i > 0:
            y[i] += y[i - 1]
    return np.sum(y * y)


def rows_swapped(A):
    """Whole rows change places through a copy."""
    B = A.copy()
    for i in range(len(B) - 1):
        kept = B[i].copy()
        B[i] = B[i + 1]
        B[i + 1] = kept * 0.5
    return np.sum(B * A)


def nested_exits(A, limit):
    """A return out of two loops, a break and a continue inside."""
    total = 0.0
    for i in range(A.shape[0]):
        for j in range(A.shape[1]):
            if j > i + 1:
                break
            if A[i, j] < 0.0:
                continue
            total += A[i, j] ** 2
            if total > limit:
                return total * A[i, j]
        total *= 0.9
    return total


def loop_else(x, limit):
    total = 0.0
    for value in x:
        if value > limit:
            total += value**3
            break
        total += value
    else:
        total *= total
    return total


def while_else(x, n):
    while n > 0:
        n -= 1
        x = x * x - 0.3
        if x > 2.0:
            break
    else:
        x = 3.0 * x
    return x


def short_circuit(a, b):
    """`and` and `or` give one of their operands."""
    c = a > 0.0 and a * b
    d = b < 0.0 or b**2
    e = (a > b > 0.0) or a
    return (c + d) * (a if not e else b)


def walrus(x):
    total = 0.0
    k = 0
    while (square := x[k] * x[k]) < 2.0:
        total += square
        if (k := k + 1) == len(x):
            break
    return total


def unpacked(x):
    first, *middle, last = x[0] * 2.0, x[1], x[2], x[3] ** 2
    (a, b), c = middle, first + last
    d = e = a * b
    d += c
    return d * e + len(middle)


def keyword_arguments(x, power=2, *, scale=1.5, shift=None):
    y = scale * x**power
    if shift is not None:
        y += shift
    return y


def called_with_keywords(x, y):
    return keyword_arguments(x, scale=y) + keyword_arguments(y, 3, shift=x) + keyword_arguments(scale=2.0, x=x)


def option_string(x, mode):
    if mode == "square":
        return np.sum(x**2)
    if mode == "cube":
        return np.sum(x**3)
    raise ValueError(f"unknown mode {mode}")


def returned_tuple(x, y):
    """Results in a tuple, one of them an array."""
    z = x * y
    return np.sum(z), z[1:], {"mean": np.mean(x), "count": len(x)}


def dictionary(model):
    """Fields read and made, one of them a list, some not differentiated."""
    sizes = {"n": len(model["x"]), "scale": 2.0}
    out = {}
    out["y"] = model["x"] * model["gain"] * sizes["scale"]
    if model["bias"] is not None:
        out["y"] = out["y"] + model["bias"]
    terms = [np.sum(out["y"]), np.sum(out["y"] ** 2)]
    return sum_of(terms) / sizes["n"] if model["name"] == "mean" else terms[0]


def sum_of(terms):
    total = 0.0
    for term in terms:
        total = total + term
    return total


def closures(x, y):
    """Functions made in a function: one reads a name that is bound again."""
    factor = x

    def scaled(t):
        return factor * t

    def twice(f, t):
        return f(f(t))

    first = twice(scaled, y)
    factor = y
    return first + twice(scaled, x) + twice(lambda t: t * t, x)


def zipped(x, y, weights):
    total = 0.0
    for k, (a, b) in enumerate(zip(x, reversed(y), strict=True)):
        total += weights[k] * a * b
    for a, b in zip(x[1:], x, strict=False):
        total += (a - b) ** 2
    for w in (0.5, 2.0):
        total *= w + weights[0]
    return total


def integer_arithmetic(x, n):
    """Ints choose elements; their arithmetic is not differentiated."""
    total = 0.0
    k = n
    while k:
        k, digit = divmod(k, 3) if k > 100 else (k // 3, k % 3)
        total += x[digit] * (digit + 1) ** 2
    return total / max(1, n.bit_length() if False else n)


def shadowed(dx, x):
    """Names that a gradient would use."""
    dy = dx * x
    np_ = math.sin(dy)
    tape = np_ * dx
    return tape + dy * x


def zero_trips(x, n):
    """A loop that may not run leaves an int where it would make a float."""
    total = 0
    for i in range(n):
        total = total + x**i
    return x * (total + 1)


def defined_on_one_path(x):
    if x > 0.0:
        kind = "positive"
        y = x**2
    else:
        kind = "negative"
    if kind == "positive":
        return y + 1.0
    return -x


def asserted(x):
    total = 0.0
    for value in x:
        assert value > -10.0, f"too low: {value}"
        total += math.sqrt(value + 10.0)
    if total <= 0.0:
        raise ValueError("not positive")
    return total


def many_returns(x):
    if x < -1.0:
        return -x
    if x < 0.0:
        return x * x
    y = math.sqrt(x)
    if y < 1.0:
        return y
    return math.log(x) + 1.0


def broadcast_shapes(x, y, z):
    """A column, a row and a scalar together."""
    grid = x[:, None] * y[None, :] + z
    grid = np.where(grid > 0.0, grid, 0.1 * grid)
    return np.sum(grid / (1.0 + np.sum(grid**2, axis=1, keepdims=True))) + np.max(grid)


def stacked(x, y):
    a = np.stack([x, y, x * y], axis=1)
    b = np.concatenate([a, a[:1] ** 2], axis=0)
    return np.sum(np.outer(b[:, 0], b[:, 1]) @ b) + np.mean(np.transpose(b).reshape(-1))


def methods(x):
    y = x.reshape(2, 3).T.copy()
    y = y.dot(y.T)
    return y.sum() + y.mean(axis=0).max() - x.min() + x.astype(float).ravel()[0]


def single_precision(x, w):
    """float32 in, float32 out."""
    h = np.tanh(w @ x)
    return np.sum(h * h)


def zero_dimensional(x, y):
    """Arrays without axes."""
    return x * np.sin(y) + y[()] ** 2


def masked_sums(x):
    """Values at bad places are computed and not chosen."""
    safe = np.where(x > 0.0, x, 1.0)
    return np.sum(np.where(x > 0.0, np.log(safe), 0.0)) + np.sum(np.clip(x, -0.5, 0.5) ** 2)


def entropy(p):
    """What 0 log 0 warns of is no news."""
    with np.errstate(divide="ignore", invalid="ignore"):
        terms = p * np.log(p)
    return -np.sum(np.where(p > 0.0, terms, 0.0))


def repulsion(points):
    energy = 0.0
    for p, q in itertools.combinations(points, 2):
        energy += 1.0 / np.sqrt(np.sum((p - q) ** 2))
    return energy


def grids(table, n):
    out = np.zeros_like(table)
    for at, v in np.ndenumerate(table):
        out[at] = v * (1.0 + at[0])
        table[-1, -1] *= 0.9
    total = 0.0
    for i, j in np.ndindex(table.shape):
        if i == j:
            continue
        total += out[i, j] ** 2 * table[i, j]
    for sign, k, m in itertools.product((1.0, -0.5), range(n), range(n)):
        total += sign * table[k % 2, 0] * out[m % 2, 1]
    return total


def pairs_until(x, bound):
    x = x.copy()
    total = 0.0
    for a, b in itertools.combinations_with_replacement(x, 2):
        x[-1] += 0.1 * a
        total += a * b ** 2
    for i, j in itertools.combinations(range(1, len(x)), 2):
        total += x[i] * x[j]
        if total > bound:
            break
    else:
        total *= x[0]
    return total + sum(x[i] * x[j] for i, j in itertools.product(range(len(x)), repeat=2) if i < j)


def lagrange(xs, ys, t):
    total = 0.0
    for j, y in enumerate(ys):
        total += y * math.prod((t - x) / (xs[j] - x) for m, x in enumerate(xs) if m != j)
    return total


def quantified(x, low):
    total = math.prod(v * v for v in x) + math.fsum(v * low for v in x)
    for j in range(len(x)):
        if any(v > x[j] for v in x if v > low):
            total += x[j] ** 2
        if all(v >= x[j] for v in x):
            total *= x[j]
    a, *rest = sorted(k % 3 for k in range(1, 4))
    return total + low * a * rest[1] + dict((k, k * low) for k in range(3))[2]


INPUTS = {
    "repulsion": lambda rng: (rng.normal(size=(4, 2)),),
    "grids": lambda rng: (rng.normal(size=(2, 3)), 3),
    "pairs_until": lambda rng: (rng.uniform(0.5, 1.5, size=5), 8.0),
    "lagrange": lambda rng: (np.array([0.0, 1.0, 2.5, 4.0]), rng.normal(size=4), 0.7),
    "quantified": lambda rng: (rng.uniform(0.5, 2.0, size=5), 0.8),
    "written_by_helper": lambda rng: (rng.normal(size=(3, 3)), rng.normal(size=3)),
    "aliased_update": lambda rng: (rng.normal(size=4), rng.normal(size=4)),
    "view_update": lambda rng: (rng.normal(size=6),),
    "reshaped_view": lambda rng: (rng.normal(size=6),),
    "diagonal_views": lambda rng: (rng.normal(size=(3, 3)),),
    "negative_steps": lambda rng: (rng.normal(size=5),),
    "masked_write": lambda rng: (2.0 * rng.normal(size=8),),
    "duplicate_indices": lambda rng: (rng.normal(size=5), np.array([0, 2, 2, 3, 0])),
    "scattered_add": lambda rng: (rng.normal(size=5), np.array([0, 2, 2, 3, 0]), 4),
    "swapped_elements": lambda rng: (rng.normal(size=5),),
    "overlapping_slices": lambda rng: (rng.normal(size=5),),
    "writes_in_branches": lambda rng: (rng.normal(size=7), 0.4),
    "rows_swapped": lambda rng: (rng.normal(size=(3, 2)),),
    "nested_exits": lambda rng: (rng.normal(size=(4, 4)), 1.5),
    "loop_else": lambda rng: (rng.normal(size=5), 0.6),
    "while_else": lambda rng: (0.6, 4),
    "short_circuit": lambda rng: (1.7, 0.6),
    "walrus": lambda rng: (np.array([0.3, -0.8, 1.1, 2.0, 0.1]),),
    "unpacked": lambda rng: (rng.normal(size=4),),
    "called_with_keywords": lambda rng: (1.2, 0.7),
    "option_string": lambda rng: (rng.normal(size=4), "cube"),
    "returned_tuple": lambda rng: (rng.normal(size=3), rng.normal(size=3)),
    "dictionary": lambda rng: ({"x": rng.normal(size=3), "gain": 1.3, "bias": None, "name": "mean"},),
    "closures": lambda rng: (1.2, 0.7),
    "zipped": lambda rng: (rng.normal(size=4), rng.normal(size=4), rng.normal(size=4)),
    "integer_arithmetic": lambda rng: (rng.normal(size=3), 50),
    "shadowed": lambda rng: (1.2, 0.7),
    "zero_trips": lambda rng: (1.2, 0),
    "defined_on_one_path": lambda rng: (1.2,),
    "asserted": lambda rng: (rng.normal(size=3),),
    "many_returns": lambda rng: (2.3,),
    "broadcast_shapes": lambda rng: (rng.normal(size=3), rng.normal(size=4), 0.3),
    "stacked": lambda rng: (rng.normal(size=3), rng.normal(size=3)),
    "methods": lambda rng: (rng.normal(size=6),),
    "single_precision": lambda rng: (rng.normal(size=3).astype("f4"), rng.normal(size=(2, 3)).astype("f4")),
    "zero_dimensional": lambda rng: (np.array(1.2), np.array(0.7)),
    "entropy": lambda rng: (rng.uniform(0.1, 1.0, size=4),),
    "masked_sums": lambda rng: (rng.normal(size=6),),
}

GRADIENTS = {
    "aliased_update": lambda x, y: {0: 2.0 * (x + y), 1: 2.0 * (x + y)},
    "scattered_add": lambda x, index, size: {0: 3.0 * (np.bincount(index, x, size) ** 2)[index]},
    "zero_trips": lambda x, n: {0: 1.0},
}
