"""Likelihoods, losses and filters."""

import math

import numpy as np


def normal_nll(mean, scale, xs):
    z = (xs - mean) / scale
    return 0.5 * np.sum(z * z) + len(xs) * (math.log(scale) + 0.5 * math.log(2.0 * math.pi))


def mixture_nll(logits, means, log_scales, xs):
    """A Gaussian mixture, by a stable log-sum-exp in two dimensions."""
    scales = np.exp(log_scales)
    z = (xs[:, None] - means) / scales
    joint = logits - np.log(np.sum(np.exp(logits))) - log_scales - 0.5 * z**2
    top = np.max(joint, axis=1, keepdims=True)
    return -np.sum(top[:, 0] + np.log(np.sum(np.exp(joint - top), axis=1)))


def softmax_cross_entropy(W, b, inputs, labels):
    """Rows scored against integer labels, by two index arrays."""
    scores = inputs @ W + b
    scores = scores - np.max(scores, axis=1, keepdims=True)
    logs = scores - np.log(np.sum(np.exp(scores), axis=1, keepdims=True))
    return -np.mean(logs[np.arange(len(labels)), labels])


def poisson_regression(w, X, counts):
    rates = np.exp(X @ w)
    return np.sum(rates - counts * np.log(rates))


def student_nll(location, scale, dof, xs):
    """Heavy tails, by math.lgamma in a loop."""
    constant = math.lgamma(0.5 * (dof + 1.0)) - math.lgamma(0.5 * dof) - 0.5 * math.log(dof * math.pi) - math.log(scale)
    total = 0.0
    for x in xs:
        z = (x - location) / scale
        total -= constant - 0.5 * (dof + 1.0) * math.log1p(z * z / dof)
    return total


def huber(w, X, y, width):
    """Residuals beyond the width count linearly."""
    r = np.abs(X @ w - y)
    return np.sum(np.where(r < width, 0.5 * r * r, width * (r - 0.5 * width)))


def ridge_normal_equations(X, y, penalty):
    """The two coefficients in closed form, by the determinant."""
    a = X[:, 0] @ X[:, 0] + penalty
    b = X[:, 0] @ X[:, 1]
    c = X[:, 1] @ X[:, 1] + penalty
    p, q = X[:, 0] @ y, X[:, 1] @ y
    det = a * c - b * b
    w0, w1 = (c * p - b * q) / det, (a * q - b * p) / det
    r = y - X[:, 0] * w0 - X[:, 1] * w1
    return r @ r


def welford(xs):
    """Mean and variance in one pass; only the variance is returned."""
    mean = 0.0
    m2 = 0.0
    for k, x in enumerate(xs, start=1):
        delta = x - mean
        mean += delta / k
        m2 += delta * (x - mean)
    return m2 / (len(xs) - 1)


def autocorrelation(x, lag):
    x = x - np.mean(x)
    return np.sum(x[lag:] * x[:-lag]) / np.sum(x * x)


def exponential_smoothing(level, alpha, beta, ys):
    """Holt's linear trend: one-step forecast errors."""
    trend = 0.0
    loss = 0.0
    for y in ys:
        forecast = level + trend
        loss += (y - forecast) ** 2
        previous = level
        level = alpha * y + (1.0 - alpha) * forecast
        trend = beta * (level - previous) + (1.0 - beta) * trend
    return loss


def garch(omega, alpha, beta, returns):
    variance = omega / (1.0 - alpha - beta)
    total = 0.0
    for r in returns:
        total += math.log(variance) + r * r / variance
        variance = omega + alpha * r * r + beta * variance
    return 0.5 * total


def hidden_markov(start, transition, emission, observed):
    """The forward algorithm, rescaled at every step."""
    forward = start * emission[:, observed[0]]
    total = 0.0
    for t in range(1, len(observed)):
        scale = np.sum(forward)
        total += np.log(scale)
        forward = (forward / scale) @ transition * emission[:, observed[t]]
    return total + np.log(np.sum(forward))


def kalman_position(q, r, ys):
    """Position and velocity; the 2 by 2 covariance is written out."""
    x, v = 0.0, 0.0
    p00, p01, p11 = 1.0, 0.0, 1.0
    nll = 0.0
    for y in ys:
        x = x + v
        p00, p01, p11 = p00 + 2.0 * p01 + p11 + q, p01 + p11, p11 + q
        s = p00 + r
        e = y - x
        k0, k1 = p00 / s, p01 / s
        x, v = x + k0 * e, v + k1 * e
        p00, p01, p11 = p00 - k0 * p00, p01 - k0 * p01, p11 - k1 * p01
        nll += 0.5 * (math.log(s) + e * e / s)
    return nll


def kalman_missing(q, r, ys, seen):
    """Observations that are missing are skipped with `continue`."""
    m, p, nll = 0.0, 1.0, 0.0
    for t in range(len(ys)):
        p += q
        if not seen[t]:
            continue
        s = p + r
        e = ys[t] - m
        nll += 0.5 * (math.log(s) + e**2 / s)
        m += p / s * e
        p -= p * p / s
    return nll


def matrix_factorisation(U, V, rows, columns, ratings):
    """Ratings one at a time, as a recommender reads them."""
    loss = 0.0
    for k in range(len(ratings)):
        error = ratings[k] - U[rows[k]] @ V[columns[k]]
        loss += error**2
    return loss + 0.1 * (np.sum(U**2) + np.sum(V**2))


def skip_gram(embeddings, pairs, negatives):
    """Gathered rows, some of them more than once."""
    a = embeddings[pairs[:, 0]]
    b = embeddings[pairs[:, 1]]
    c = embeddings[negatives]
    return -np.sum(np.log(1.0 / (1.0 + np.exp(-np.sum(a * b, axis=1))))) + np.sum(a * c) ** 2


def histogram_loss(x, edges, target):
    """Soft counts, accumulated bin by bin."""
    counts = np.zeros(len(target))
    for value in x:
        for k in range(len(target)):
            weight = math.exp(-((value - edges[k]) ** 2))
            if weight < 1e-3:
                continue
            counts[k] += weight
    return np.sum((counts / np.sum(counts) - target) ** 2)


def perceptron(layers, x):
    """A list of layers, each a tuple of weights and bias."""
    for k, (W, b) in enumerate(layers):
        x = x @ W + b
        if k < len(layers) - 1:
            x = np.maximum(x, 0.1 * x)
    return np.mean(x**2)


def attention(query, key, value):
    scores = query @ key.T / math.sqrt(query.shape[1])
    scores = np.exp(scores - np.max(scores, axis=-1, keepdims=True))
    weights = scores / np.sum(scores, axis=-1, keepdims=True)
    return np.sum((weights @ value) ** 2)


def convolution(image, kernel):
    """A valid convolution by loops over the kernel."""
    n, m = image.shape
    p, q = kernel.shape
    out = np.zeros((n - p + 1, m - q + 1))
    for a in range(p):
        for b in range(q):
            out += kernel[a, b] * image[a : a + n - p + 1, b : b + m - q + 1]
    return np.mean(np.tanh(out))


def gru_cell(params, xs, h):
    """A recurrent cell with its weights in a dict."""
    for x in xs:
        z = 1.0 / (1.0 + np.exp(-(params["Wz"] @ x + params["Uz"] @ h)))
        candidate = np.tanh(params["Wh"] @ x + params["Uh"] @ (z * h))
        h = (1.0 - z) * h + z * candidate
    return np.sum(h * h)


def batch_norm(x, scale, shift, eps):
    mean = x.mean(axis=0)
    centred = x - mean
    variance = (centred**2).mean(axis=0)
    return np.sum((scale * centred / np.sqrt(variance + eps) + shift) ** 3)


def _emissions(rng):
    transition, emission = 0.1 + rng.random((3, 3)), 0.1 + rng.random((3, 2))
    start = np.array([0.5, 0.3, 0.2])
    return start, transition / transition.sum(axis=1, keepdims=True), emission, np.array([0, 1, 1, 0, 1])


def _ratings(rng):
    rows, columns = np.array([0, 1, 2, 1, 0]), np.array([1, 0, 1, 1, 1])
    return rng.normal(size=(3, 2)), rng.normal(size=(2, 2)), rows, columns, rng.normal(size=5)


def _cell(rng):
    params = {name: rng.normal(size=(3, 2 if name[0] == "W" else 3)) for name in ("Wz", "Uz", "Wh", "Uh")}
    return params, rng.normal(size=(4, 2)), rng.normal(size=3)


INPUTS = {
    "normal_nll": lambda rng: (0.3, 1.4, rng.normal(size=6)),
    "mixture_nll": lambda rng: (rng.normal(size=3), rng.normal(size=3), 0.3 * rng.normal(size=3), rng.normal(size=7)),
    "softmax_cross_entropy": lambda rng: (
        rng.normal(size=(3, 4)),
        rng.normal(size=4),
        rng.normal(size=(5, 3)),
        np.array([0, 3, 1, 1, 2]),
    ),
    "poisson_regression": lambda rng: (0.3 * rng.normal(size=3), rng.normal(size=(6, 3)), np.arange(6.0)),
    "student_nll": lambda rng: (0.1, 1.3, 4.5, rng.normal(size=5)),
    "huber": lambda rng: (rng.normal(size=3), rng.normal(size=(8, 3)), rng.normal(size=8), 1.0),
    "ridge_normal_equations": lambda rng: (rng.normal(size=(6, 2)), rng.normal(size=6), 0.1),
    "welford": lambda rng: (rng.normal(size=7),),
    "autocorrelation": lambda rng: (rng.normal(size=8), 2),
    "exponential_smoothing": lambda rng: (0.2, 0.4, 0.3, rng.normal(size=8)),
    "garch": lambda rng: (0.1, 0.1, 0.7, rng.normal(size=8)),
    "hidden_markov": _emissions,
    "kalman_position": lambda rng: (0.1, 0.5, rng.normal(size=6)),
    "kalman_missing": lambda rng: (0.1, 0.5, rng.normal(size=6), np.array([True, False, True, True, False, True])),
    "matrix_factorisation": _ratings,
    "skip_gram": lambda rng: (
        rng.normal(size=(5, 3)),
        np.array([[0, 1], [1, 2], [0, 4], [0, 0]]),
        np.array([3, 3, 1, 2]),
    ),
    "histogram_loss": lambda rng: (rng.normal(size=6), np.array([-1.0, 0.0, 1.0, 4.0]), np.array([0.2, 0.5, 0.3, 0.0])),
    "perceptron": lambda rng: (
        [(rng.normal(size=(3, 4)), rng.normal(size=4)), (rng.normal(size=(4, 2)), rng.normal(size=2))],
        rng.normal(size=(5, 3)),
    ),
    "attention": lambda rng: (rng.normal(size=(3, 2)), rng.normal(size=(4, 2)), rng.normal(size=(4, 3))),
    "convolution": lambda rng: (rng.normal(size=(5, 6)), rng.normal(size=(2, 3))),
    "gru_cell": _cell,
    "batch_norm": lambda rng: (rng.normal(size=(6, 3)), rng.normal(size=3), rng.normal(size=3), 1e-5),
}
