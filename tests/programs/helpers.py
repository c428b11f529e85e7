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

def lorenz(s, sigma, rho, beta):
    x, y, z = s
    return np.array([sigma * (y - x), x * (rho - z) - y, x * y - beta * z])

def final_x(s, sigma, rho, beta, n, dt):
    for _ in range(n):
        k1 = lorenz(s, sigma, rho, beta)
        k2 = lorenz(s + dt / 2 * k1, sigma, rho, beta)
        k3 = lorenz(s + dt / 2 * k2, sigma, rho, beta)
        k4 = lorenz(s + dt * k3, sigma, rho, beta)
        s = s + dt / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
    return s[0]

def accel(q, m):
    n = len(m)
    a = np.zeros_like(q)
    for i in range(n):
        for j in range(n):
            if i != j:
                d = q[j] - q[i]
                r2 = d @ d + 0.01
                a[i] += m[j] * d / (r2 * math.sqrt(r2))
    return a

def orbits(q, p, m, dt, steps):
    a = accel(q, m)
    for _ in range(steps):
        p = p + 0.5 * dt * a
        q = q + dt * p
        a = accel(q, m)
        p = p + 0.5 * dt * a
    return np.sum(q[0] ** 2)

def relaxed(u, n):
    for k in range(n):
        u[1:-1] = 0.25 * u[:-2] + 0.5 * u[1:-1] + 0.25 * u[2:]
        u[0] = 0.5 * (u[0] + u[1])
        u[-1] = 0.5 * (u[-1] + u[-2])
    return u

def roughness(u, v):
    a = relaxed(u, 3)
    b = relaxed(v, 2)
    return np.sum((a - b) ** 2)


INPUTS = {
    "spread": lambda rng: (100.0, 95.0, 105.0, 0.2),
    "net": lambda rng: ([{"W1": rng.normal(size=(3, 4)), "W2": rng.normal(size=(4, 3)), "g": rng.normal(size=3)}
                         for _ in range(3)], rng.normal(size=(5, 3))),
    "rk4": lambda rng: (rng.normal(size=3), 1.3, 3),
    "smooth": lambda rng: (rng.normal(size=6), 0.3),
    "doubled": lambda rng: (0.4, 0.6),
    "closure_twice": lambda rng: (0.4, 0.6),
    "with_print": lambda rng: (0.4,),
    "final_x": lambda rng: (rng.normal(size=3), 10.0, 28.0, 2.7, 3, 0.01),
    "orbits": lambda rng: (rng.normal(size=(3, 2)), rng.normal(size=(3, 2)), rng.uniform(1.0, 2.0, 3), 0.01, 3),
    "roughness": lambda rng: (rng.normal(size=6), rng.normal(size=6)),
}
