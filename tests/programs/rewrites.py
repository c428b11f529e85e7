"""Programs in which the rules have something to say that few programs need: each is what a user may write."""

import numpy as np

# -- masks ------------------------------------------------------------------------------------


def censored_twice(x, w):
    """A product of what two detectors leave."""
    high = x > 0.5
    low = x < -0.9
    y = np.where(high | low, 0.0, x * w)
    y = np.where(low, 0.0, y * x)
    return np.sum(np.where(high | low, 0.0, y * y))


def refilled(x, w):
    """What is high is taken out, and a part of it is put back."""
    high = x > 0.5
    y = np.where(high, 0.0, x * w)
    y[high] += w * x[high]
    return np.sum(y * y)


# -- stacks -----------------------------------------------------------------------------------


def corrected_estimates(x):
    """The latest estimate is replaced."""
    xs = []
    for v in x:
        xs.append(v * 2.0)
        xs[-1] = xs[-1] * v
    return sum(xs)


def products_on_a_stack(x):
    """The top is looked at: it is taken, and put back."""
    xs = [x[0]]
    for v in x:
        top = xs.pop()
        xs.append(top)
        xs.append(v * top)
    return xs.pop() + len(xs)


def reduced_on_a_stack(x, w):
    """More stays on the stack than is taken."""
    xs = [w]
    s = 0.0
    for v in x:
        if v > 0.0:
            xs.append(v)
        xs.append(v * v)
        s = s + xs.pop() * v
    return s + sum(xs)


# -- shapes -----------------------------------------------------------------------------------


def reshaped_by_way_of_a_row(x, w):
    y = x.reshape(-1).reshape(x.shape[1], x.shape[0])
    return np.sum((y * w) ** 2)


def columns_of_a_vector(x, w):
    y = x[:, None] * w
    return np.sum((y[:, 0] ** 2)[:, None] * y)


def spread_total(x, w):
    s = np.sum(x)
    return np.sum(np.broadcast_to(s, (3,)) * w) + np.mean(s)


# -- matrices ---------------------------------------------------------------------------------


def ridge_residual(A, b):
    return b @ np.linalg.solve(A @ A.T + np.eye(len(b)), -b)


def sums_by_ones(A, b):
    """Sums of rows and columns as products with ones."""
    ones = np.ones(len(b))
    return np.sum(A @ ones * b) + np.sum(ones @ A)


def swapped_there_and_back(T, w):
    U = np.swapaxes(T, 0, 1)
    return np.sum(np.swapaxes(U * w, 0, 1) * T)


def trace_of_product(A, B):
    return np.trace(A @ B @ A)


# -- sums of products -------------------------------------------------------------------------


def linear_of_batches(x, w, v):
    """One matrix and one vector for all items of a batch of batches."""
    return np.sum(np.tanh(x @ w) @ v) + np.sum(np.sin(x @ v))


def correlated(x, w):
    """A product of each window with all filters, as a sum over their common axes."""
    n, k = x.shape[1], w.shape[0]
    out = np.empty((x.shape[0], n - k + 1, w.shape[2]))
    for i in range(n - k + 1):
        out[:, i, :] = np.sum(x[:, i : i + k, :, np.newaxis] * w[np.newaxis, :, :, :], axis=(1, 2))
    return np.sum(out * out)


def scaled_rows(x, s, v):
    return np.sum(np.sin(x * s[:, None])) + np.sum(np.sum(x * v, axis=1) ** 3)


def outer_sums(x, y):
    grid = np.sum(x[:, :, None] * y[:, None, :], axis=0)
    return np.sum(grid * np.cos(grid))


# -- numbers of other kinds -------------------------------------------------------------------


def relative_counts(counts, x):
    """Ints are differentiated as numbers that are real."""
    rest = counts - counts.mean(axis=0)
    return np.sum(rest * rest) + np.sum(counts / counts.sum(axis=1, keepdims=True)) + np.sum(counts.reshape(-1) * x)


def softplus(x, w):
    return np.sum(np.logaddexp(0.0, x * w))


def normal(rng, *shape):
    return rng.normal(size=shape)


MIXED = np.array([0.8, -0.3, 0.7, -1.2])

INPUTS = {
    "censored_twice": lambda rng: (MIXED.copy(), 1.3),
    "refilled": lambda rng: (MIXED.copy(), 1.3),
    "corrected_estimates": lambda rng: (normal(rng, 4),),
    "products_on_a_stack": lambda rng: (normal(rng, 4),),
    "reduced_on_a_stack": lambda rng: (MIXED.copy(), 1.3),
    "reshaped_by_way_of_a_row": lambda rng: (normal(rng, 2, 3), 1.3),
    "columns_of_a_vector": lambda rng: (normal(rng, 4), 1.3),
    "spread_total": lambda rng: (normal(rng, 3), 1.5),
    "ridge_residual": lambda rng: (normal(rng, 3, 3), normal(rng, 3)),
    "sums_by_ones": lambda rng: (normal(rng, 3, 3), normal(rng, 3)),
    "swapped_there_and_back": lambda rng: (normal(rng, 2, 3), 1.5),
    "trace_of_product": lambda rng: (normal(rng, 3, 3), normal(rng, 3, 3)),
    "linear_of_batches": lambda rng: (normal(rng, 2, 3, 4), normal(rng, 4, 4), normal(rng, 4)),
    "correlated": lambda rng: (normal(rng, 2, 6, 3), normal(rng, 3, 3, 2)),
    "scaled_rows": lambda rng: (normal(rng, 3, 4), normal(rng, 3), normal(rng, 4)),
    "outer_sums": lambda rng: (normal(rng, 4, 2), normal(rng, 4, 3)),
    "relative_counts": lambda rng: (np.array([[1, 2], [3, 5]]), 1.5),
    "softplus": lambda rng: (normal(rng, 4), 1.5),
}
