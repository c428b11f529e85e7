"""Gradients of kernels by hand, as an expert writes them: the value, and the gradients of the active arguments.

`BY_HAND` has them by the name of the kernel. `kernel_table.py` compares them with sct's and times both;
`tests/test_kernel_gradients.py` holds them against JAX.
"""

import math

import numpy as np

from benchmarks import kernels


def gesummv(alpha, beta, A, B, x):
    y = alpha * A @ x + beta * B @ x
    dy = 2.0 * y
    a, b = alpha * dy, beta * dy
    return y @ y, (np.outer(a, x), np.outer(b, x), a @ A + b @ B)


def compute(array_1, array_2, a, b, c):
    out = np.clip(array_1, -0.8, 0.8) * a + array_2 * b + c
    dout = 2.0 * out
    inside = np.abs(array_1) <= 0.8
    return np.sum(out * out), (np.where(inside, a * dout, 0.0), b * dout)


def covariance(data):
    N, M = data.shape
    data = data - np.mean(data, axis=0)
    cov = np.zeros((M, M))
    for i in range(M):
        cov[i:M, i] = cov[i, i:M] = data[:, i] @ data[:, i:M] / (N - 1.0)
    dcov = 2.0 * cov
    d = (np.triu(dcov) + np.tril(dcov, -1).T) / (N - 1.0)
    ddata = data @ (d + d.T)
    return np.sum(cov * cov), (ddata - np.mean(ddata, axis=0),)


def correlation(data):
    N, M = data.shape
    centred = data - np.mean(data, axis=0)
    stddev = np.std(data, axis=0)
    small = stddev <= 0.1
    scale = np.sqrt(float(N)) * np.where(small, 1.0, stddev)
    scaled = centred / scale
    corr = np.eye(M)
    for i in range(M - 1):
        corr[i + 1 : M, i] = corr[i, i + 1 : M] = scaled[:, i] @ scaled[:, i + 1 : M]
    dcorr = 2.0 * corr
    d = np.triu(dcorr, 1) + np.tril(dcorr, -1).T
    ddata = scaled @ (d + d.T) / scale
    dstddev = np.where(small, 0.0, -np.sqrt(float(N)) * np.sum(scaled * ddata, axis=0))
    ddata -= np.mean(ddata, axis=0)
    ddata += centred * (dstddev / (stddev * N))
    return np.sum(corr * corr), (ddata,)


def trisolv(L, b):
    n = len(b)
    x = np.zeros_like(b)
    for i in range(n):
        x[i] = (b[i] - L[i, :i] @ x[:i]) / L[i, i]
    dx = 2.0 * x
    db = np.empty_like(b)
    for i in reversed(range(n)):
        g = db[i] = dx[i] / L[i, i]
        dx[:i] -= g * L[i, :i]
    return x @ x, (-np.tril(np.outer(db, x)), db)


def cholesky(A):
    A, n = A.copy(), A.shape[0]
    A[0, 0] = np.sqrt(A[0, 0])
    for i in range(1, n):
        for j in range(i):
            A[i, j] -= np.dot(A[i, :j], A[j, :j])
            A[i, j] /= A[j, j]
        A[i, i] -= np.dot(A[i, :i], A[i, :i])
        A[i, i] = np.sqrt(A[i, i])
    L = np.tril(A)
    dA = 2.0 * L
    for i in reversed(range(1, n)):
        dA[i, i] *= 0.5 / A[i, i]
        dA[i, :i] -= 2.0 * dA[i, i] * A[i, :i]
        for j in reversed(range(i)):
            dA[i, j] /= A[j, j]
            dA[i, :j] -= dA[i, j] * A[j, :j]
        dA[:i, :i] -= np.tril(np.outer(dA[i, :i], A[i, :i]))
    dA[0, 0] *= 0.5 / A[0, 0]
    return np.sum(L**2), (dA,)


def lu(A):
    A, n = A.copy(), A.shape[0]
    for i in range(n):
        for j in range(i):
            A[i, j] -= A[i, :j] @ A[:j, j]
            A[i, j] /= A[j, j]
        for j in range(i, n):
            A[i, j] -= A[i, :i] @ A[:i, j]
    dA = 2.0 * A
    for i in reversed(range(n)):
        dA[:i, i:] -= np.outer(A[i, :i], dA[i, i:])
        dA[i, :i] -= A[:i, i:] @ dA[i, i:]
        for j in reversed(range(i)):
            dA[i, j] /= A[j, j]
            dA[i, :j] -= dA[i, j] * A[:j, j]
        dA[:i, :i] -= np.triu(np.outer(A[i, :i], dA[i, :i]))
    return np.sum(A * A), (dA,)


def gramschmidt(A):
    A, n = A.copy(), A.shape[1]
    Q, R, tape = np.zeros_like(A), np.zeros((n, n)), []
    for k in range(n):
        R[k, k] = np.sqrt(np.dot(A[:, k], A[:, k]))
        Q[:, k] = A[:, k] / R[k, k]
        tape.append(A[:, k + 1 :].copy())
        for j in range(k + 1, n):
            R[k, j] = np.dot(Q[:, k], A[:, j])
            A[:, j] -= Q[:, k] * R[k, j]
    cos_Q = np.cos(Q)
    dQ, dR, dA = cos_Q - np.sin(Q) * Q, 2.0 * R, np.zeros_like(A)
    for k in reversed(range(n)):
        q, dq, d = Q[:, k], dQ[:, k], dA[:, k + 1 :]
        dr = dR[k, k + 1 :] - q @ d
        dq += tape.pop() @ dr - d @ R[k, k + 1 :]
        d += np.outer(q, dr)
        dq /= R[k, k]
        dA[:, k] += dq + (dR[k, k] - q @ dq) * q
    return np.sum(R * R) + np.sum(Q * cos_Q), (dA,)


def durbin(r):
    n = len(r)
    y, alpha, beta = np.empty_like(r), -r[0], 1.0
    y[0] = alpha
    tape = []
    for k in range(1, n):
        tape.append((alpha, beta, y[:k].copy()))
        beta *= 1.0 - alpha * alpha
        alpha = -(r[k] + np.dot(np.flip(r[:k]), y[:k])) / beta
        y[:k] += alpha * np.flip(y[:k])
        y[k] = alpha
    dy, dr, dalpha, dbeta = 2.0 * y, np.zeros_like(r), 0.0, 0.0
    for k in reversed(range(1, n)):
        new_beta, new_alpha = beta, alpha
        alpha, beta, old = tape.pop()
        d = dy[:k]
        g = (dalpha + dy[k] + d @ old[::-1]) / new_beta
        dbeta -= new_alpha * g
        dr[k] -= g
        dr[:k] -= g * old[::-1]
        d += new_alpha * d[::-1] - g * r[:k][::-1]
        dalpha = -2.0 * dbeta * beta * alpha
        dbeta *= 1.0 - alpha * alpha
    dr[0] -= dalpha + dy[0]
    return y @ y, (dr,)


def floyd_warshall(path):
    path, tape = path.copy(), []
    for k in range(len(path)):
        through = np.add.outer(path[:, k], path[k, :])
        tape.append(path <= through)
        path[:] = np.minimum(path, through)
    dpath = 2.0 * path
    for k in reversed(range(len(path))):
        stays = tape.pop()
        dthrough = np.where(stays, 0.0, dpath)
        dpath = np.where(stays, dpath, 0.0)
        dpath[:, k] += np.sum(dthrough, axis=1)
        dpath[k, :] += np.sum(dthrough, axis=0)
    return np.sum(path * path), (dpath,)


def mlp(x, w1, b1, w2, b2, w3, b3):
    h1 = np.maximum(x @ w1 + b1, 0)
    h2 = np.maximum(h1 @ w2 + b2, 0)
    y = kernels.softmax(h2 @ w3 + b3)
    d3 = y.copy()
    d3[:, 0] -= 1.0
    d2 = np.where(h2 > 0.0, d3 @ w3.T, 0.0)
    d1 = np.where(h1 > 0.0, d2 @ w2.T, 0.0)
    return -np.sum(np.log(y[:, 0])), (
        x.T @ d1, np.sum(d1, axis=0), h1.T @ d2, np.sum(d2, axis=0), h2.T @ d3, np.sum(d3, axis=0),
    )


def conv2d_bias(x, weights, bias):
    y = kernels.conv2d(x, weights) + bias
    dy, K = 2.0 * y, weights.shape[0]
    H, W = dy.shape[1:3]
    dx, dweights = np.zeros_like(x), np.empty_like(weights)
    for a in range(K):
        for b in range(K):
            dx[:, a : a + H, b : b + W, :] += dy @ weights[a, b].T
            dweights[a, b] = np.tensordot(x[:, a : a + H, b : b + W, :], dy, axes=((0, 1, 2), (0, 1, 2)))
    return np.sum(y * y), (dx, dweights, np.sum(dy, axis=(0, 1, 2)))


def lstm(main_params, extra_params, state, sequence):
    """The four gates of a cell are the rows of one array."""
    state, layers, b = state.copy(), len(main_params) // 2, sequence.shape[1]
    weights, biases = main_params[::2].reshape(layers, 4, b), main_params[1::2].reshape(layers, 4, b)
    total, tape = 0.0, []
    for t in range(len(sequence) - 1):
        x, cells = sequence[t] * extra_params[0], []
        for layer in range(layers):
            inputs = np.array([x, state[2 * layer], x, state[2 * layer]])
            gates = inputs * weights[layer] + biases[layer]
            gates[:3] = 1.0 / (1.0 + np.exp(-gates[:3]))
            gates[3] = np.tanh(gates[3])
            old = state[2 * layer + 1].copy()
            state[2 * layer + 1] = old * gates[0] + gates[1] * gates[3]
            out = np.tanh(state[2 * layer + 1])
            cells.append((inputs, gates, old, out))
            x = state[2 * layer] = gates[2] * out
        y = x * extra_params[1] + extra_params[2]
        exp_y = np.exp(y)
        rest = 2.0 + np.sum(exp_y)
        tape.append((cells, x, exp_y / rest))
        total += np.sum(sequence[t + 1] * (y - math.log(rest)))
    count = (len(sequence) - 1) * b
    dweights, dbiases, dextra = np.zeros_like(weights), np.zeros_like(biases), np.zeros_like(extra_params)
    dstate = np.zeros_like(state)
    for t in reversed(range(len(sequence) - 1)):
        cells, x, shares = tape.pop()
        dy = (np.sum(sequence[t + 1]) * shares - sequence[t + 1]) / count
        dextra[2] += dy
        dextra[1] += dy * x
        dx = dy * extra_params[1]
        for layer in reversed(range(layers)):
            inputs, gates, old, out = cells.pop()
            dhidden = dstate[2 * layer] + dx
            dcell = dstate[2 * layer + 1] + dhidden * gates[2] * (1.0 - out * out)
            d = np.array([dcell * old, dcell * gates[3], dhidden * out, dcell * gates[1]])
            d[:3] *= gates[:3] * (1.0 - gates[:3])
            d[3] *= 1.0 - gates[3] * gates[3]
            dbiases[layer] += d
            dweights[layer] += d * inputs
            d *= weights[layer]
            dx = d[0] + d[2]
            dstate[2 * layer], dstate[2 * layer + 1] = d[1] + d[3], dcell * gates[0]
        dextra[0] += dx * sequence[t]
    dmain = np.empty_like(main_params)
    dmain[::2], dmain[1::2] = dweights.reshape(layers, -1), dbiases.reshape(layers, -1)
    return -total / count, (dmain, dextra)


BY_HAND = {
    f.__name__: f
    for f in (gesummv, compute, covariance, correlation, trisolv, cholesky, lu, gramschmidt, durbin, floyd_warshall,
              mlp, conv2d_bias, lstm)
}
