"""Long helpers that are called again: functions of their own in the derivative."""

import math

import numpy as np


def cdf(x):
    return 0.5 * (1.0 + math.erf(x / math.sqrt(2.0)))

def black(S, K, T, r, s):
    d1 = (math.log(S / K) + (r + 0.5 * s * s) * T) / (s * math.sqrt(T))
    d2 = d1 - s * math.sqrt(T)
    return S * cdf(d1) - K * math.exp(-r * T) * cdf(d2)
def spread(S, K1, K2, s):
    return black(S, K1, 1.0, 0.02, s) - 2.0 * black(S, K2, 1.0, 0.02, s) + black(S, K2 + 10.0, 2.0, 0.02, s)

def block(x, W1, W2, g):
    m = np.mean(x, axis=-1, keepdims=True)
    v = np.mean((x - m) ** 2, axis=-1, keepdims=True)
    y = (x - m) / np.sqrt(v + 1e-5) * g
    h = np.maximum(y @ W1, 0.0)
    return x + h @ W2
def net(params, x):
    for p in params:
        x = block(x, p["W1"], p["W2"], p["g"])
    return np.mean(x ** 2)

def deriv(y, k):
    a = k * (y[1] - y[0])
    b = y[0] * (2.0 - y[2]) - y[1]
    c = y[0] * y[1] - 0.7 * y[2]
    return np.array([a, b, c])
def rk4(y0, k, n):
    y = y0
    h = 0.01
    for i in range(n):
        k1 = deriv(y, k)
        k2 = deriv(y + 0.5 * h * k1, k)
        k3 = deriv(y + 0.5 * h * k2, k)
        k4 = deriv(y + h * k3, k)
        y = y + h / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + k4)
    return np.sum(y * y)

def relax(u, i, c):
    l, r = u[i - 1], u[i + 1]
    m = 0.25 * l + 0.5 * u[i] + 0.25 * r
    u[i] = m + c * (l * r - m * m) + 0.1 * math.sin(m) * math.cos(l) * math.exp(-r * r)
def smooth(u, c):
    for i in range(1, len(u) - 1):
        relax(u, i, c)
    for i in reversed(range(1, len(u) - 1)):
        relax(u, i, c)
    return np.sum(u * u)


def doubled(x, y):
    """Two calls a level: as code in line it is 2 ** 6 copies."""
    def level(x, y, n):
        if n == 0:
            return x * y + math.sin(x)
        a = level(x * 0.5, y, n - 1)
        b = level(x + y, y * 0.9, n - 1)
        return a * b + math.tanh(a - b)

    return level(x, y, 6)


def closure_twice(x, k):
    def long(z, w):
        a = math.sin(z * k) + w
        b = math.cos(a * w) - z
        c = a * b + k
        d = math.exp(-c * c) + a / (1.0 + b * b)
        return d * c + math.tanh(a * b * c) + math.sqrt(1.0 + d * d)

    return long(x, 0.3) * long(x * x, 0.7)


def with_print(x):
    def noisy(z, name):
        a = math.sin(z) + math.cos(z * z) * z
        b = a * a + math.exp(-a) - z / (1.0 + a * a)
        c = math.tanh(a * b) + a * b - math.sqrt(1.0 + b * b)
        print(name, z > 0.0)
        return a * b * c + math.log(1.0 + c * c)

    return noisy(x, "first") + noisy(x * 2.0, "second")


INPUTS = {
    "spread": lambda rng: (100.0, 95.0, 105.0, 0.2),
    "net": lambda rng: ([{"W1": rng.normal(size=(3, 4)), "W2": rng.normal(size=(4, 3)), "g": rng.normal(size=3)}
                         for _ in range(3)], rng.normal(size=(5, 3))),
    "rk4": lambda rng: (rng.normal(size=3), 1.3, 3),
    "smooth": lambda rng: (rng.normal(size=6), 0.3),
    "doubled": lambda rng: (0.4, 0.6),
    "closure_twice": lambda rng: (0.4, 0.6),
    "with_print": lambda rng: (0.4,),
}
