"""Programs whose path is chosen by the exceptions that they catch."""

import contextlib
import math

import numpy as np


class Infeasible(Exception):
    """A step that leaves the domain."""


class Scaled:
    """Gives an object another scale for as long as it is entered."""

    def __init__(self, model, scale):
        self.model, self.scale = model, scale

    def __enter__(self):
        self.before = self.model.scale
        self.model.scale = self.scale
        return self.model

    def __exit__(self, *exception):
        self.model.scale = self.before


class Model:
    def __init__(self, scale):
        self.scale = scale

    def __call__(self, x):
        return self.scale * math.sin(x)


def log_likelihood_with_jitter(A, y, jitter):
    K = A @ A.T - 0.5 * np.eye(len(A))
    for _ in range(8):
        try:
            L = np.linalg.cholesky(K + jitter * np.eye(len(K)))
            break
        except np.linalg.LinAlgError:
            jitter *= 10.0
    else:
        return -math.inf
    z = np.linalg.solve(L, y)
    return -0.5 * z @ z - np.sum(np.log(np.diag(L)))


def writes_before_the_raise(x, n):
    s = np.zeros(3)
    k = 0
    while k < n:
        try:
            s[0] += x
            s[1] += x / (k - 2)
            s[2] += 0.1 * x * s[1]
        except ZeroDivisionError:
            s[2] += s[0] * s[1]
            if s[0] > 50.0:
                return s[2] * x + s[0]
        k += 1
    return s @ s


def step(x, h):
    if x < h:
        raise Infeasible("too far")
    return math.sqrt(x - h) + x


def line_search(x, h):
    taken = 0.0
    while True:
        try:
            y = step(x, h)
        except Infeasible:
            h *= 0.5
            taken += h * x
            continue
        return y * y + taken


def safe_log_sum(xs):
    total = 0.0
    for x in xs:
        try:
            t = math.log(x)
        except ValueError as error:
            if "domain" in str(error) or "positive" in str(error):
                t = x * x
            else:
                t = 0.0
        else:
            t = 2.0 * t
        total = total + t
    return total


def to_the_end_of_the_list(xs, w):
    total, i = 0.0, 0
    try:
        while True:
            total += xs[i] ** 2 * w
            i += 1
    except IndexError:
        total *= w
    return total


def first_defined(xs):
    for k in range(len(xs)):
        try:
            return math.sqrt(xs[k]) * xs[0]
        except ValueError:
            continue
    return xs[0]


def nested_handlers(x, y):
    try:
        try:
            z = x / y
        except ValueError:
            z = 1.0
        w = math.log(z) + z
    except ZeroDivisionError:
        w = x * 3.0
    except ValueError:
        w = x * x * 5.0
    return w * x


def translated(x):
    try:
        try:
            z = 1.0 / (x - x)
        except ZeroDivisionError as error:
            raise Infeasible("no slope") from error
    except Infeasible:
        z = math.exp(x)
    return z * z + x


def restored(v):
    first = v[0]
    try:
        v[0] = 4.0
        energy = np.sum(v * v * v)
    finally:
        v[0] = first
    return energy + np.sum(v * v)


def suppressed(x):
    y = x
    with contextlib.suppress(ValueError, ZeroDivisionError):
        y = 3.0 * x
        y = y * math.log(-x)
    return y * y


def scaled(x, k):
    model = Model(2.0)
    with Scaled(model, k) as m:
        inside = m(x)
    try:
        with Scaled(model, k * k):
            inside += model(x) * math.log(-x)
    except ValueError:
        inside *= model.scale
    return inside + model(x)


def defaults(x, table):
    total = 0.0
    for key in ("a", "b", "c"):
        try:
            c = table[key]
        except KeyError:
            c = 0.5 * x
        total += c * x**2
    return total


def inverse_or_gradient(A, b):
    try:
        z = np.linalg.solve(A - A, b)
    except np.linalg.LinAlgError:
        z = A.T @ b
    return z @ z


INPUTS = {
    "log_likelihood_with_jitter": lambda rng: (rng.normal(size=(4, 2)), rng.normal(size=4), 0.02),
    "writes_before_the_raise": lambda rng: (1.7, 5),
    "line_search": lambda rng: (1.3, 9.0),
    "safe_log_sum": lambda rng: (np.array([0.5, -1.5, 2.5]),),
    "to_the_end_of_the_list": lambda rng: (rng.normal(size=4), 1.3),
    "first_defined": lambda rng: (np.array([-1.5, -0.5, 2.0, 3.0]),),
    "nested_handlers": lambda rng: (1.5, -0.7),
    "translated": lambda rng: (0.4,),
    "restored": lambda rng: (rng.normal(size=3),),
    "suppressed": lambda rng: (0.7,),
    "scaled": lambda rng: (0.6, 1.4),
    "defaults": lambda rng: (0.9, {"a": 1.5, "c": 0.3}),
    "inverse_or_gradient": lambda rng: (rng.normal(size=(3, 3)), rng.normal(size=3)),
}
