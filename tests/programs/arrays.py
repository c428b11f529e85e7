"""Statistics, signals and indexing with NumPy's array functions."""

import math

import numpy as np

# -- statistics -----------------------------------------------------------------------------


def standardised_loss(X, w, y):
    """Ridge-free regression on standardised columns."""
    Z = (X - X.mean(axis=0)) / X.std(axis=0, ddof=1)
    r = np.clip(Z @ w - y, -2.0, 2.0)
    return np.average(r * r, weights=np.exp(-np.abs(y)))


def weighted_variance(x, w):
    total = np.sum(w)
    mean = np.sum(w * x) / total
    return np.sum(w * (x - mean) ** 2) / total


def pinball(theta, x, y, q):
    """The quantile loss of a linear model, and the spread of its residuals."""
    r = y - (theta[0] + theta[1] * x + theta[2] * x * x)
    loss = np.mean(np.where(r > 0.0, q * r, (q - 1.0) * r))
    return loss + 0.1 * (np.quantile(r, 0.75) - np.quantile(r, 0.25)) + 0.01 * np.ptp(r)


def robust_scale(x):
    """The median absolute deviation by columns."""
    center = np.median(x, axis=0, keepdims=True)
    return np.sum(np.median(np.abs(x - center), axis=0)) + np.percentile(x, 30.0)


def gini(income):
    """By the sorted incomes."""
    x = np.sort(income)
    n = x.size
    ranks = np.arange(1, n + 1)
    return 2.0 * np.sum(ranks * x) / (n * np.sum(x)) - (n + 1.0) / n


def missing(x, scale):
    """A mean and a deviation where some measurements are missing."""
    z = np.where(x > 1.5, np.nan, x) * scale
    return np.nanmean(z, axis=0) @ np.nanstd(z, axis=0) + np.nanmax(z) - np.nansum(z) / z.size


def trimmed_mean(x, k):
    parts = np.partition(x, (k, x.size - 1 - k))
    return np.mean(np.sort(x)[k : x.size - k]) + parts[k]


# -- finance ---------------------------------------------------------------------------------


def drawdown(returns, fee):
    """The deepest fall of the wealth below its peak so far."""
    wealth = np.cumprod(1.0 + returns - fee)
    peak = np.maximum.accumulate(wealth)
    return np.max((peak - wealth) / peak) + np.log(wealth[-1])


def wiped_out(returns):
    """As above, with days on which nothing is left."""
    wealth = np.cumprod(1.0 + returns, axis=1)
    return np.sum(wealth * np.arange(1.0, wealth.shape[1] + 1.0))


def swap(rates, fixed):
    """Discount factors from forward rates, and a swap on them."""
    factors = np.cumprod(1.0 / (1.0 + 0.5 * rates))
    forward = np.append(1.0, factors[:-1]) / factors - 1.0
    return np.sum(0.5 * (2.0 * forward - fixed) * factors)


# -- signals ---------------------------------------------------------------------------------


def smoothed(x, kernel, mode):
    """A convolution over a padded signal."""
    half = kernel.size // 2
    wide = np.pad(x, half, mode=mode)
    out = np.zeros_like(x)
    for k in range(kernel.size):
        out += kernel[k] * wide[k : k + x.size]
    return np.sum((out - x) ** 2)


def edge_smoothed(x, kernel):
    return smoothed(x, kernel, "edge")


def wrap_smoothed(x, kernel):
    return smoothed(x, kernel, "wrap")


def periodic_laplace(u, c):
    """A stencil with rolls, and one with a frame of zeros."""
    lap = np.roll(u, 1, axis=0) + np.roll(u, -1, axis=0) + np.roll(u, 1, axis=1) + np.roll(u, -1, axis=1) - 4.0 * u
    frame = np.pad(u + c * lap, ((1, 1), (1, 1)))
    return np.sum((frame[1:, :] - frame[:-1, :]) ** 2) + np.sum((frame[:, 1:] - frame[:, :-1]) ** 2)


def upsampled(x, w):
    """Repeat, tile and interleave."""
    twice = np.repeat(x, 2) * np.tile(w, x.size)
    left, right = np.split(twice, 2)
    return np.sum(np.stack((left, right), axis=1).ravel()[::3] ** 2) + np.sum(np.flip(left) * right)


def gates(x, h, W):
    """A cell of a recurrent net: one product, split into four."""
    i, f, g, o = np.split(W @ np.concatenate((x, h)), 4)
    c = np.tanh(g) / (1.0 + np.exp(-i)) + 0.3 / (1.0 + np.exp(-f))
    return np.sum(np.tanh(c) / (1.0 + np.exp(-o)))


# -- indexing --------------------------------------------------------------------------------


def cross_entropy(logits, labels):
    """Softmax cross-entropy, the probabilities picked along an axis."""
    shifted = logits - np.max(logits, axis=1, keepdims=True)
    log_p = shifted - np.log(np.sum(np.exp(shifted), axis=1, keepdims=True))
    return -np.mean(np.take_along_axis(log_p, labels[:, None], axis=1))


def histogram(x, weights, bins):
    """A histogram of soft weights."""
    h = np.zeros(bins)
    np.add.at(h, np.clip((x * bins).astype(int), 0, bins - 1), weights * x)
    p = (h + 0.1) / np.sum(h + 0.1)
    return -np.sum(p * np.log(p))


def crowding(points):
    """Each point's distance to its nearest neighbour."""
    d = np.sqrt(np.sum((points[:, None] - points[None]) ** 2, axis=-1) + 1e-3)
    np.fill_diagonal(d, 10.0)
    return np.sum(np.min(d, axis=1)) + np.trace(d) + np.sum(np.diag(d, 1))


def top_k(scores, values, k):
    """The values of the best scores, by a soft weight."""
    best = np.argsort(scores)[::-1][:k]
    weights = np.exp(scores[best])
    return np.sum(weights * values[best]) / np.sum(weights)


def scattered(a, v):
    """Writes along an axis, by a mask, and through the parts of a split."""
    b = a * a
    np.put_along_axis(b, np.array([[0], [2]]), v[:2, None], axis=1)
    np.copyto(b, 2.0 * b, where=a < 0.0)
    left, right = np.hsplit(b, [2])
    left *= v[0]
    right[0] = np.sort(right[0])
    np.flip(b)[0, 0] = v[2]
    b.put([1, 3], v[2])
    return np.sum(b * b * np.arange(1.0, b.size + 1.0).reshape(b.shape))


def safe_ratio(x, y):
    """Divided where that is possible; the results written into arrays."""
    out = np.zeros_like(x)
    np.divide(x, y, out=out, where=np.abs(y) > 0.2)
    logs = np.log(x, out=np.full_like(x, -1.0), where=x > 0.0)
    np.multiply(out, logs, out)
    return np.sum(out, where=x < 1.2) + np.max(out, initial=0.3) + np.maximum(out, 0.0, out=out).sum()


def tariff(x, rates):
    """Piecewise in three ways."""
    a = np.piecewise(x, [x < 0.5, x > 1.2], [lambda v: rates[0] * v * v, lambda v: rates[1] * v, 0.25])
    b = np.select([x < 0.5, x < 1.2], [rates[0] * x, np.sqrt(x)], default=rates[2])
    c = np.choose((x > 0.9).astype(int), [x * rates[1], x * x])
    return np.sum(a * b + c)


def assembled(A, b, c):
    """Blocks, rows and columns put together and taken apart."""
    K = np.block([[A, b[:, None]], [b[None, :], np.array([[c]])]])
    rows = np.vstack((K, np.hstack((b, c))))
    first, *_, last = np.vsplit(rows, rows.shape[0])
    upper = np.triu(K, 1)
    ends = np.sum(np.insert(b, 1, c) ** 3) + np.delete(b, 0) @ b[1:]
    return np.sum(np.rot90(upper) * K) + np.sum(first * last) + ends


def mesh_energy(x, y, k):
    """A function on a grid, with its axes moved about."""
    X, Y = np.meshgrid(x, y, indexing="ij")
    f = np.sin(k * X) * np.cos(Y) + np.dstack((X, Y)).sum(axis=-1)
    g = np.rollaxis(f, 1) if f.ndim == 2 else f
    p, q = np.broadcast_arrays(x[:, None], y)
    moved = np.sum(g.T * f) + np.sum(np.atleast_2d(x) * np.outer(y, p[:, 0]))
    return moved + np.sum(p * q) / np.linspace(1.0, k, 4)[-1]


def spectrum(a, lo):
    """Log-spaced frequencies and odd functions of them."""
    f = np.geomspace(lo, 3.0, 5)
    g = np.logspace(0.0, lo, 5)
    return np.sum(np.sinc(a[0] * f) + np.logaddexp2(a[1] * g, f)) + math.dist((lo, 1.0), (a[0], a[1])) + math.fsum(
        [lo, a[0] * lo, math.prod([lo, a[1], 2.0])])


def singles(x, w):
    """In single precision."""
    z = np.cumsum(np.pad(x, 1, mode="reflect"))
    return np.sum(np.sort(z)[1:-1] * w) + np.std(z) + np.median(x * w)


def normal(rng, *shape):
    return rng.normal(size=shape)


def spread(rng, n):
    """Numbers in no order, none equal, between 0.1 and 1.9."""
    return (0.1 + 1.8 * (rng.permutation(n) + 0.3) / n).astype(float)


def stiffness(k, u, ends):
    """Springs between nodes, put together by `np.ix_`."""
    K = np.zeros((len(u), len(u)))
    for e in range(len(k)):
        K[np.ix_(ends[e], ends[e])] += k[e] * np.array([[1.0, -1.0], [-1.0, 1.0]])
    inner = K[np.ix_([0, 2], np.arange(1, len(u)))]
    return u @ K @ u + np.sum(inner ** 2)


def transposed_convolution(x, w, stride):
    out = np.zeros((len(x) - 1) * stride + len(w))
    for i in range(len(x)):
        for j in range(len(w)):
            out[i * stride + j] += x[i] * w[j]
    return np.sum(out * out)


INPUTS = {
    "transposed_convolution": lambda rng: (rng.normal(size=5), rng.normal(size=3), 2),
    "stiffness": lambda rng: (rng.uniform(1.0, 2.0, size=3), rng.normal(size=4), np.array([[0, 1], [1, 2], [3, 1]])),
    "standardised_loss": lambda rng: (normal(rng, 6, 3), normal(rng, 3), normal(rng, 6)),
    "weighted_variance": lambda rng: (normal(rng, 5), rng.uniform(0.5, 2.0, 5)),
    "pinball": lambda rng: (normal(rng, 3), normal(rng, 9), normal(rng, 9), 0.3),
    "robust_scale": lambda rng: (normal(rng, 6, 3),),
    "gini": lambda rng: (rng.uniform(0.5, 5.0, 8),),
    "missing": lambda rng: (spread(rng, 12).reshape(4, 3), 1.3),
    "trimmed_mean": lambda rng: (normal(rng, 9), 2),
    "drawdown": lambda rng: (0.2 * normal(rng, 9), 0.01),
    "wiped_out": lambda rng: (np.array([[0.1, -1.0, 0.3, 0.2], [0.1, 0.2, -0.4, 0.3], [-1.0, 0.5, -1.0, 0.1]]),),
    "swap": lambda rng: (rng.uniform(0.01, 0.05, 6), 0.03),
    "edge_smoothed": lambda rng: (normal(rng, 7), rng.uniform(0.1, 0.4, 3)),
    "wrap_smoothed": lambda rng: (normal(rng, 7), rng.uniform(0.1, 0.4, 5)),
    "periodic_laplace": lambda rng: (normal(rng, 4, 5), 0.2),
    "upsampled": lambda rng: (normal(rng, 6), normal(rng, 2)),
    "gates": lambda rng: (normal(rng, 3), normal(rng, 2), normal(rng, 8, 5)),
    "cross_entropy": lambda rng: (normal(rng, 4, 3), np.array([2, 0, 1, 1])),
    "histogram": lambda rng: (rng.uniform(0.05, 0.95, 9), normal(rng, 9) ** 2, 4),
    "crowding": lambda rng: (normal(rng, 5, 2),),
    "top_k": lambda rng: (normal(rng, 7), normal(rng, 7), 3),
    "scattered": lambda rng: (normal(rng, 2, 4), normal(rng, 3)),
    "safe_ratio": lambda rng: (np.array([0.5, -1.0, 1.7, 0.8]), np.array([2.0, 0.1, -0.7, 0.4])),
    "tariff": lambda rng: (spread(rng, 8), normal(rng, 3)),
    "assembled": lambda rng: (normal(rng, 3, 3), normal(rng, 3), 1.4),
    "mesh_energy": lambda rng: (normal(rng, 3), normal(rng, 4), 1.7),
    "spectrum": lambda rng: (normal(rng, 2), 0.7),
    "singles": lambda rng: (spread(rng, 5).astype(np.float32), spread(rng, 5).astype(np.float32)),
}
