"""Models that are written with numpy.linalg, einsum and other products."""

import numpy as np


def gaussian_process(log_scale, log_noise, x, y):
    """The negative log-likelihood, by a Cholesky factor."""
    d = (x[:, None] - x) / np.exp(log_scale)
    K = np.exp(-0.5 * d**2) + np.exp(log_noise) * np.eye(len(x))
    L = np.linalg.cholesky(K)
    z = np.linalg.solve(L, y)
    return 0.5 * z @ z + np.sum(np.log(np.diag(L))) + 0.5 * len(x) * np.log(2.0 * np.pi)


def gaussian_process_slogdet(log_scale, log_noise, x, y):
    d = (x[:, None] - x) / np.exp(log_scale)
    K = np.exp(-0.5 * d**2) + np.exp(log_noise) * np.eye(len(x))
    _, logdet = np.linalg.slogdet(K)
    return 0.5 * y @ np.linalg.solve(K, y) + 0.5 * logdet


def kalman_filter(A, C, Q, R, m, P, ys):
    nll = 0.0
    for y in ys:
        m = A @ m
        P = A @ P @ A.T + Q
        S = C @ P @ C.T + R
        e = y - C @ m
        K = np.linalg.solve(S, C @ P).T
        nll += 0.5 * (np.linalg.slogdet(S).logabsdet + e @ np.linalg.solve(S, e))
        m = m + K @ e
        P = P - K @ S @ K.T
    return nll


def kalman_filter_einsum(A, C, Q, R, m, P, ys):
    nll = 0.0
    for t in range(len(ys)):
        m = np.einsum("ij,j->i", A, m)
        P = np.einsum("ij,jk,lk->il", A, P, A) + Q
        S = np.einsum("ij,jk,lk->il", C, P, C) + R
        precision = np.linalg.inv(S)
        e = ys[t] - C @ m
        nll += 0.5 * (np.log(np.linalg.det(S)) + e @ precision @ e)
        K = P @ C.T @ precision
        m = m + K @ e
        P = (np.eye(len(m)) - K @ C) @ P
    return nll


def principal_components(X):
    """Variance and fourth moment along the two leading components."""
    centred = X - X.mean(axis=0)
    w, V = np.linalg.eigh(centred.T @ centred / len(X))
    return np.sum(np.sqrt(w[-2:])) + np.mean((centred @ V[:, -2:]) ** 4)


def spectral_gap(A):
    w = np.linalg.eigvalsh(A @ A.T)
    return (w[-1] - w[-2]) / np.sum(w)


def ridge(X, y, penalty):
    w = np.linalg.solve(X.T @ X + penalty * np.eye(X.shape[1]), X.T @ y)
    r = y - X @ w
    return r @ r + penalty * np.linalg.norm(w) ** 2


def leave_one_out(X, y, penalty):
    """The exact leave-one-out error of ridge regression, from the hat matrix."""
    H = X @ np.linalg.inv(X.T @ X + penalty * np.eye(X.shape[1])) @ X.T
    return np.mean(((y - H @ y) / (1.0 - np.einsum("ii->i", H))) ** 2)


def evidence(X, y, alpha, beta):
    """Of Bayesian linear regression."""
    n, m = X.shape
    S = alpha * np.eye(m) + beta * X.T @ X
    w = beta * np.linalg.solve(S, X.T @ y)
    fit = 0.5 * beta * np.sum((y - X @ w) ** 2) + 0.5 * alpha * w @ w
    return 0.5 * (m * np.log(alpha) + n * np.log(beta)) - fit - 0.5 * np.linalg.slogdet(S)[1]


def gaussian_kl(m0, L0, m1, L1):
    """Between two Gaussians, each given by a mean and a factor of the covariance."""
    S0, S1 = L0 @ L0.T, L1 @ L1.T
    d = m1 - m0
    logs = np.linalg.slogdet(S1)[1] - np.linalg.slogdet(S0)[1]
    return 0.5 * (np.trace(np.linalg.solve(S1, S0)) + d @ np.linalg.solve(S1, d) - len(d) + logs)


def batched_attention(query, key, value):
    scores = np.einsum("bhqd,bhkd->bhqk", query, key) / np.sqrt(query.shape[-1])
    weights = np.exp(scores - np.max(scores, axis=-1, keepdims=True))
    weights = weights / np.sum(weights, axis=-1, keepdims=True)
    return np.sum(np.einsum("...qk,...kd->...qd", weights, value) ** 2)


def bilinear_layer(W, x, y, bias):
    """A tensor of weights contracted with two batches of features."""
    return np.sum(np.tanh(np.einsum("bi,oij,bj->bo", x, W, y, optimize=True) + bias))


def canonical_polyadic(A, B, C, target):
    return np.sum((np.einsum("ir,jr,kr->ijk", A, B, C) - target) ** 2)


def tucker(core, U, V, target):
    made = np.tensordot(U, np.tensordot(V, core, axes=((1,), (1,))), axes=((1,), (1,)))
    return np.sum((made - target) ** 2)


def nuclear_penalty(X, Y, penalty):
    return 0.5 * np.sum((X - Y) ** 2) + penalty * np.sum(np.linalg.svd(X, compute_uv=False))


def nearest_rotation(A, B):
    """The polar factor of A, applied to B: a smooth function of the singular vectors."""
    U, _, Vh = np.linalg.svd(A)
    return np.sum((U @ Vh @ B) ** 3)


def low_rank(X):
    U, s, Vh = np.linalg.svd(X, full_matrices=False)
    return np.sum((X - (U[:, :1] * s[:1]) @ Vh[:1]) ** 4)


def least_squares_qr(X, y):
    Q, R = np.linalg.qr(X)
    return np.sum(np.linalg.solve(R, Q.T @ y) ** 2)


def least_squares(X, y):
    w, _, _, s = np.linalg.lstsq(X, y)
    return np.sum(w**3) + s[0]


def minimum_norm(X, y):
    return np.sum((np.linalg.pinv(X) @ y) ** 2)


def lyapunov(A, Q):
    """The stationary covariance of a linear system, by a Kronecker product."""
    n = len(A)
    vec = np.linalg.solve(np.eye(n * n) - np.kron(A, A), Q.reshape(-1))
    return np.trace(vec.reshape(n, n))


def markov(P, start, n):
    return np.sum((start @ np.linalg.matrix_power(P, n)) ** 2)


def exponential(A, x):
    """exp(A) @ x by squaring."""
    step = np.eye(len(A)) + A / 32.0 + A @ A / 2048.0
    return np.sum(np.linalg.matrix_power(step, 32) @ x)


def many_systems(A, B, c):
    """Batches of systems, of inverses and of determinants."""
    M = A @ np.swapaxes(A, -1, -2) + np.eye(A.shape[-1])
    return np.sum(np.linalg.solve(M, B) ** 2) + np.sum(np.linalg.inv(M) @ c) + np.sum(np.linalg.det(M))


def whitening(A, x):
    """Cholesky factors of a batch of matrices."""
    L = np.linalg.cholesky(np.einsum("bij,bkj->bik", A, A) + np.eye(A.shape[-1]))
    z = np.linalg.solve(L, x[..., None])[..., 0]
    return np.sum(z**4)


def norms(X, v):
    total = np.linalg.norm(X) + np.linalg.norm(X, "nuc") + np.linalg.norm(X, 2) + np.linalg.norm(X, -2)
    total += np.linalg.norm(X, 1) + np.linalg.norm(X, -np.inf) + np.sum(np.linalg.norm(X, axis=1))
    return total + np.linalg.norm(v, 1) * np.linalg.norm(v, np.inf) + np.linalg.norm(v, 3) + np.linalg.cond(X)


def chain(A, B, C, x):
    return np.sum(np.linalg.multi_dot([A, B, C, x]) ** 2) + np.vdot(A, A) + np.sum(np.inner(B, C.T) ** 3)


def _system(rng):
    A, C = 0.4 * rng.normal(size=(3, 3)), rng.normal(size=(2, 3))
    return A, C, 0.1 * np.eye(3), 0.5 * np.eye(2), rng.normal(size=3), np.eye(3), rng.normal(size=(4, 2))


def _stochastic(rng):
    P = 0.1 + rng.random((3, 3))
    return P / P.sum(axis=1, keepdims=True), np.array([0.2, 0.5, 0.3]), 5


def _tall(rng):
    return rng.normal(size=(5, 3))


INPUTS = {
    "gaussian_process": lambda rng: (0.1, -1.0, rng.normal(size=5), rng.normal(size=5)),
    "gaussian_process_slogdet": lambda rng: (0.1, -1.0, rng.normal(size=5), rng.normal(size=5)),
    "kalman_filter": _system,
    "kalman_filter_einsum": _system,
    "principal_components": lambda rng: (_tall(rng),),
    "spectral_gap": lambda rng: (_tall(rng).T,),
    "ridge": lambda rng: (_tall(rng), rng.normal(size=5), 0.3),
    "leave_one_out": lambda rng: (_tall(rng), rng.normal(size=5), 0.3),
    "evidence": lambda rng: (_tall(rng), rng.normal(size=5), 0.7, 1.3),
    "gaussian_kl": lambda rng: (
        rng.normal(size=3),
        rng.normal(size=(3, 3)) + 2.0 * np.eye(3),
        rng.normal(size=3),
        rng.normal(size=(3, 3)) + 2.0 * np.eye(3),
    ),
    "batched_attention": lambda rng: (
        rng.normal(size=(2, 2, 3, 4)),
        rng.normal(size=(2, 2, 5, 4)),
        rng.normal(size=(2, 2, 5, 3)),
    ),
    "bilinear_layer": lambda rng: (
        rng.normal(size=(2, 3, 4)),
        rng.normal(size=(5, 3)),
        rng.normal(size=(5, 4)),
        rng.normal(size=2),
    ),
    "canonical_polyadic": lambda rng: (*(rng.normal(size=(k, 2)) for k in (3, 4, 2)), rng.normal(size=(3, 4, 2))),
    "tucker": lambda rng: (
        rng.normal(size=(2, 3)),
        rng.normal(size=(4, 2)),
        rng.normal(size=(5, 3)),
        rng.normal(size=(4, 5)),
    ),
    "nuclear_penalty": lambda rng: (_tall(rng), rng.normal(size=(5, 3)), 0.3),
    "nearest_rotation": lambda rng: (rng.normal(size=(3, 3)), rng.normal(size=(3, 2))),
    "low_rank": lambda rng: (_tall(rng).T,),
    "least_squares_qr": lambda rng: (_tall(rng), rng.normal(size=5)),
    "least_squares": lambda rng: (_tall(rng), rng.normal(size=(5, 2))),
    "minimum_norm": lambda rng: (_tall(rng).T, rng.normal(size=3)),
    "lyapunov": lambda rng: (0.3 * rng.normal(size=(3, 3)), rng.normal(size=(3, 3))),
    "markov": _stochastic,
    "exponential": lambda rng: (rng.normal(size=(3, 3)), rng.normal(size=3)),
    "many_systems": lambda rng: (rng.normal(size=(4, 3, 3)), rng.normal(size=(3, 2)), rng.normal(size=3)),
    "whitening": lambda rng: (rng.normal(size=(4, 3, 3)), rng.normal(size=(4, 3))),
    "norms": lambda rng: (_tall(rng), rng.normal(size=4)),
    "chain": lambda rng: (rng.normal(size=(2, 3)), *rng.normal(size=(2, 3, 3)), rng.normal(size=3)),
}
