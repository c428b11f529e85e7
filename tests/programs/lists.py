"""Lists whose length is known only when the program runs: traces, stacks, tables, layers, filters."""

import math

import numpy as np


def trajectory(x0, k, steps):
    """A trace of states, and a loss over it."""
    xs = [x0]
    for _ in range(steps):
        xs.append(xs[-1] + 0.1 * math.sin(k * xs[-1]))
    loss = 0.0
    for x in xs:
        loss += (x - 1.0) ** 2
    return loss / len(xs)


def states(x, k, steps):
    """States that are arrays; the loss is of the array of them all."""
    trace = []
    for t in range(steps):
        x = np.sin(x) + k * t
        trace.append(x)
    T = np.array(trace)
    return np.sum(T**2) + np.sum(trace[0] * trace[-1])


def history(x, steps):
    """An array that is written in place, of which copies are kept."""
    seen = []
    for _ in range(steps):
        seen.append(x.copy())
        x[0] = x[1] * 0.5
        x = x * 1.1
    return np.sum(np.stack(seen) ** 2)


def edit_distance(a, b):
    """Soft costs in a table of lists."""
    n, m = len(a), len(b)
    D = [[0.0] * (m + 1) for _ in range(n + 1)]
    for i in range(1, n + 1):
        D[i][0] = D[i - 1][0] + 1.0
    for j in range(1, m + 1):
        D[0][j] = D[0][j - 1] + 1.0
    for i in range(1, n + 1):
        for j in range(1, m + 1):
            D[i][j] = min(D[i - 1][j] + 1.0, D[i][j - 1] + 1.0, D[i - 1][j - 1] + (a[i - 1] - b[j - 1]) ** 2)
    return D[n][m]


def best_sum(xs):
    """The best sum of items no two of which are neighbours."""
    best = [0.0] * (len(xs) + 1)
    for i in range(len(xs)):
        best[i + 1] = max(best[i], best[i - 1] + xs[i] if i > 0 else xs[i])
    return best[len(xs)] ** 2


def machine(a, b, n):
    """A stack machine: pushes, and an operation now and then."""
    stack = []
    for k in range(n):
        stack.append(a * (k + 1))
        if k % 3 == 2:
            p = stack.pop()
            q = stack.pop()
            stack.append(p * q + b)
    total = 0.0
    while stack:
        total += stack.pop() ** 2
    return total


def beam(x, spread, steps):
    """Weighted particles that split."""
    particles = [(x, 1.0)]
    for k in range(steps):
        new = []
        for p, w in particles:
            new.append((p + spread * w, 0.5 * w))
            if k < 2:
                new.append((p - spread * w * x, 0.5 * w))
        particles = new
    total = 0.0
    for p, w in particles:
        total += w * p * p
    return total


def layers(x, Ws):
    """A net over a list of weights."""
    for W in Ws:
        x = np.tanh(W @ x)
    return np.sum(x**2)


def horner(coefficients, x):
    y = 0.0
    for c in reversed(coefficients):
        y = y * x + c
    return y


def ragged(x, n):
    """Rows of different lengths."""
    rows = []
    for k in range(1, n):
        rows.append(x[:k] * k)
    total = 0.0
    for row in rows:
        total += np.sum(row**2)
    return total


def window(xs, size):
    """A moving window as a queue."""
    buffer = []
    total = 0.0
    for x in xs:
        buffer.append(x)
        if len(buffer) > size:
            buffer.pop(0)
        mean = sum(buffer) / len(buffer)
        total += (x - mean) ** 2
    return total


def product_trace(A, B):
    """A product of matrices that are lists of lists."""
    n, m, k = len(A), len(B[0]), len(B)
    C = [[0.0] * m for _ in range(n)]
    for i in range(n):
        for j in range(m):
            for l in range(k):
                C[i][j] += A[i][l] * B[l][j]
    return sum(C[i][i] ** 2 for i in range(min(n, m)))


def softmax_loss(xs, k):
    m = max(xs)
    e = [math.exp(x - m) for x in xs]
    s = sum(e)
    return -math.log([v / s for v in e][k])


def pascal(x, n):
    """Rows each made of the last."""
    rows = [[x]]
    for _ in range(n):
        last = rows[-1]
        new = [x]
        for i in range(len(last) - 1):
            new.append(last[i] + last[i + 1] * x)
        new.append(1.0)
        rows.append(new)
    return sum(rows[-1])


def rows_in_place(x, n):
    """Rows of a table under names of their own."""
    D = [[x * (i + j) for j in range(n)] for i in range(n)]
    for i in range(1, n):
        row = D[i]
        above = D[i - 1]
        for j in range(n):
            row[j] = 0.5 * row[j] + above[j] * above[j] + D[0][j]
    return sum(sum(row) for row in D)


def smoothed(xs, weight):
    """Exponential smoothing, parts of the result put together anew."""
    ys = list(xs)
    for i, x in enumerate(ys):
        if i > 0:
            ys[i] = weight * ys[i - 1] + (1.0 - weight) * x
    zs = ys[1:] + ys[:2]
    zs.reverse()
    return sum(y * z for y, z in zip(ys, zs)) + 0.1 * max(zs)


def until(xs, limit):
    """The items before the first that is too large, without the negative ones."""
    out = []
    for x in xs:
        if x > limit:
            break
        if x < 0.0:
            continue
        out.append(x * limit)
    if not out:
        return limit * limit
    return sum(out) / len(out)


def error_of_speed(speed, trips):
    """The squared error of a speed over trips, which are tuples."""
    total = 0.0
    for distance, minutes in trips:
        error = distance / speed * 60.0 - minutes
        total += error * error
    return total / len(trips)


def area(corners, scale):
    """The shoelace formula, with neighbours that are the list turned by one."""
    total = 0.0
    for (x0, y0), (x1, y1) in zip(corners, corners[1:] + corners[:1]):
        total += x0 * y1 - x1 * y0
    return 0.5 * scale * total


GRID = [0.0, 0.5, 1.0, 2.0, 4.0, 4.5]


def steps_of_a_grid(x, rates):
    """Lists of different lengths in step: neighbours of a grid from outside, and of an argument."""
    v = x
    for t0, t1 in zip(GRID, GRID[1:]):  # noqa: RUF007
        v = v + 0.1 * (t1 - t0) * v * t0
    for r, q, t in zip(rates, rates[2:], GRID):
        v = v + r * r * q * t * v
    for r, t in zip(rates[::2], GRID):
        v = v * (1.0 + r * t)
    return v


def events(log, rate):
    """Tuples of two floats and an array; some are overwritten, some appended."""
    log[1] = (rate, 0.5, log[0][2])
    log.append((rate * rate, 1.5, log[-1][2] * rate))
    total = 0.0
    for k, (t, weight, v) in enumerate(log):
        if k % 2:
            total += weight * t * t
        total += rate * v.sum()
    return total


def oscillation(x, v, steps):
    """A trace of tuples, and the array of it."""
    trace = [(x, v)]
    for _ in range(steps):
        v -= 0.1 * math.sin(x)
        x += 0.1 * v
        trace.append((x, v))
    states = np.array(trace)
    return np.sum(states[:, 0] ** 2) + 0.5 * states[-1, 1]


def floats(rng, n):
    return [float(v) for v in rng.normal(size=n)]


def matrix(rng, n, m):
    return [floats(rng, m) for _ in range(n)]


def repelled(x, v, steps):
    """Forces start as zeros in three dimensions, so that the positions have three, too."""
    for _ in range(steps):
        forces = [np.zeros(3) for _ in x]
        for i in range(len(x)):
            for j in range(i):
                d = x[i] - x[j]
                force = d / (d @ d) ** 1.5
                forces[i] = forces[i] + force
                forces[j] = forces[j] - force
        for i in range(len(x)):
            v[i] = v[i] + 0.1 * forces[i]
            x[i] = x[i] + 0.1 * v[i]
    return sum(float(u @ u) for u in v)


INPUTS = {
    "repelled": lambda rng: (list(rng.normal(size=(6, 3))), list(rng.normal(size=(6, 3))), 2),
    "steps_of_a_grid": lambda rng: (0.4, floats(rng, 7)),
    "trajectory": lambda rng: (0.4, 1.3, 6),
    "states": lambda rng: (rng.normal(size=3), 0.2, 4),
    "history": lambda rng: (rng.normal(size=3), 4),
    "edit_distance": lambda rng: (floats(rng, 6), floats(rng, 5)),
    "best_sum": lambda rng: (floats(rng, 8),),
    "machine": lambda rng: (0.3, 0.7, 7),
    "beam": lambda rng: (0.6, 0.1, 4),
    "layers": lambda rng: (rng.normal(size=3), [rng.normal(size=(3, 3)) for _ in range(8)]),
    "horner": lambda rng: (floats(rng, 7), 0.7),
    "ragged": lambda rng: (rng.normal(size=4), 4),
    "window": lambda rng: (floats(rng, 9), 3),
    "product_trace": lambda rng: (matrix(rng, 6, 5), matrix(rng, 5, 6)),
    "softmax_loss": lambda rng: (floats(rng, 6), 2),
    "pascal": lambda rng: (0.4, 4),
    "rows_in_place": lambda rng: (0.3, 4),
    "smoothed": lambda rng: (floats(rng, 6), 0.4),
    "error_of_speed": lambda rng: (35.0, list(zip(floats(rng, 9), floats(rng, 9)))),
    "area": lambda rng: (list(zip(floats(rng, 7), floats(rng, 7))), 1.3),
    "events": lambda rng: ([(t, 1.0, rng.normal(size=2)) for t in floats(rng, 6)], 0.8),
    "oscillation": lambda rng: (0.4, 0.9, 7),
    "until": lambda rng: ([0.1, -0.3, 0.5, 0.2, 0.9, 0.4], 0.7),
}

GRADIENTS = {
    "horner": lambda c, x: {0: [x**k for k in range(len(c))],
                            1: sum(k * v * x ** (k - 1) for k, v in enumerate(c) if k)},
}
