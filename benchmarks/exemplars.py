"""The exemplars: functions as a user writes them and the gradients a careful
numerical programmer would write by hand for them.

They are what emitted gradients should read like, and one side of `gradient.py`;
`handwritten.py` lists their inputs and checks every pair.
"""

import math

import numpy as np


# 1. Straight line, scalars (types known: no unbroadcast, no zeros, no copies).
#    `grad` may drop arithmetic that only the value needs, and with it its domain
#    errors; `value_and_grad` keeps both.
def seed(x1: float, x2: float) -> float:
    return math.log(x1) + x1 * x2 - math.sin(x2)


def seed_grad(x1, x2):
    dx1 = 1.0 / x1 + x2
    dx2 = x1 - math.cos(x2)
    return dx1, dx2


# 2. Primal and derivative share subexpressions (x * x is computed once).
def cube(x: float) -> float:
    return x * x * x


def cube_value_and_grad(x):
    t = x * x
    return x * t, 3.0 * t


# 3. A loop: only what the adjoint needs is kept, one tape for it.
def logistic_map(x: float, n: int) -> float:
    v = x
    for i in range(n):
        v = 4.0 * v * (1.0 - v)
    return v


def logistic_map_grad(x, n):
    tape = []
    v = x
    for i in range(n):
        tape.append(v)
        v = 4.0 * v * (1.0 - v)
    dv = 1.0
    for i in reversed(range(n)):
        v = tape.pop()
        dv *= 4.0 - 8.0 * v
    return dv


# 4. A branch and a while loop with a data-dependent trip count; nothing that
#    is not differentiated (the test, the counter, the print) is in the
#    backward pass.
def newton_sqrt(a: float) -> float:
    x = a if a > 1.0 else 1.0
    steps = 0
    while abs(x * x - a) > 1e-10:
        x = 0.5 * (x + a / x)
        steps += 1
    return x


def newton_sqrt_grad(a):
    tape = []
    if a > 1.0:
        x = a
    else:
        x = 1.0
    while abs(x * x - a) > 1e-10:
        tape.append(x)
        x = 0.5 * (x + a / x)
    da = 0.0
    dx = 1.0
    while tape:
        x = tape.pop()
        t = 0.5 * dx / x
        da += t
        dx = 0.5 * dx - t * a / x
    if a > 1.0:
        da += dx
    return da


# 5. Early exits out of a loop: nothing to tape but the number of trips.
def first_crossing(x: np.ndarray, level: float) -> float:
    total = 0.0
    for value in x:
        if value < 0.0:
            continue
        total += value * value
        if total > level:
            return math.sqrt(total)
    return total


def first_crossing_grad(x, level):
    total = 0.0
    crossed = False
    trips = 0
    for value in x:
        trips += 1
        if value < 0.0:
            continue
        total += value * value
        if total > level:
            crossed = True
            break
    if crossed:
        dtotal = 0.5 / math.sqrt(total) if total else math.inf
    else:
        dtotal = 1.0
    dx = np.zeros_like(x)
    for i in reversed(range(trips)):
        if x[i] < 0.0:
            continue
        dx[i] = 2.0 * x[i] * dtotal
    return dx


# 6. In-place stencil: linear, so nothing is taped; the adjoint works in place
#    in one buffer, as the primal does; the caller's array is left alone.
def heat(u: np.ndarray, steps: int, c: float) -> float:
    for t in range(steps):
        u[1:-1] += c * (u[:-2] - 2.0 * u[1:-1] + u[2:])
    return np.sum(u * u)


def heat_grad(u, steps, c):
    u = u.copy(order="K")
    for t in range(steps):
        u[1:-1] += c * (u[:-2] - 2.0 * u[1:-1] + u[2:])
    du = 2.0 * u
    for t in range(steps):
        t1 = c * du[1:-1]
        du[1:-1] -= 2.0 * t1
        du[:-2] += t1
        du[2:] += t1
    return du


# 7. Scalar loop over array elements: O(1) work per element in both passes.
def recurrence(a: np.ndarray, x0: float) -> float:
    x = x0
    for i in range(len(a)):
        x = math.tanh(a[i] * x)
    return x


def recurrence_grad(a, x0):
    tape = []
    x = x0
    for i in range(len(a)):
        tape.append(x)
        x = math.tanh(a[i] * x)
    y = x
    da = np.zeros_like(a)
    dx = 1.0
    for i in reversed(range(len(a))):
        x = tape.pop()
        t = dx * (1.0 - y * y)
        da[i] = t * x
        dx = t * a[i]
        y = x
    return da, dx


# 8. A model held in a dict, with fields that are not differentiated.
def mlp_loss(params: dict, x: np.ndarray, y: np.ndarray) -> float:
    h = np.tanh(x @ params["W1"] + params["b1"])
    out = h @ params["W2"] + params["b2"]
    if params["loss"] == "mse":
        return np.mean((out - y) ** 2)
    return np.mean(np.abs(out - y))


def mlp_loss_grad(params, x, y):
    W2 = params["W2"]
    h = np.tanh(x @ params["W1"] + params["b1"])
    out = h @ W2 + params["b2"]
    r = out - y
    if params["loss"] == "mse":  # a run-time test as in the primal, not baked in
        dout = 2.0 / r.size * r
    else:
        dout = np.sign(r) / r.size
    db2 = np.sum(dout, axis=0)
    dW2 = h.T @ dout
    t = dout @ W2.T
    t *= 1.0 - h * h
    db1 = np.sum(t, axis=0)
    dW1 = x.T @ t
    return {"W1": dW1, "b1": db1, "W2": dW2, "b2": db2, "loss": None}


# 9. A recurrent layer: the weight gradient is one matrix product after the
#     loop instead of one outer product and one addition per step.
def rnn(W: np.ndarray, xs: np.ndarray, h: np.ndarray) -> float:
    for t in range(len(xs)):
        h = np.tanh(W @ h + xs[t])
    return h @ h


def rnn_grad(W, xs, h):
    n = len(xs)
    hs = np.empty((n + 1, len(h)))
    hs[0] = h
    for t in range(n):
        h = np.tanh(W @ h + xs[t])
        hs[t + 1] = h
    dz = np.empty((n, len(h)))
    dh = 2.0 * h
    for t in reversed(range(n)):
        h = hs[t + 1]
        dz[t] = dh * (1.0 - h * h)
        dh = W.T @ dz[t]
    return dz.T @ hs[:-1]
