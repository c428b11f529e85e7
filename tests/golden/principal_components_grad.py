import numpy as np


def principal_components_grad(X):
    # X: f64[n, m]
    centred = X - X.mean(axis=0)
    n = len(X)
    w, V = np.linalg.eigh(centred.T @ centred / n)
    t = V[:, -2:]
    t1 = 2.0 / n * (centred @ t) ** 3
    dV = np.zeros_like(V)
    dV[:, -2:] = centred.T @ t1
    dw = np.zeros_like(w)
    dw[-2:] = 0.5 / np.sqrt(w[-2:])
    # w, V = np.linalg.eigh(centred.T @ centred / len(X))
    t2 = np.eye(X.shape[1])
    t3 = 1.0 - t2
    t2 += w
    t4 = V.T
    t2 = t3 / (t2 - w[:, None]) * (t4 @ dV)
    t2 = 0.5 * (t2 + t2.T) + np.diag(dw)
    t2 = V @ t2 @ t4
    t2 = (np.tril(t2) + np.tril(t2, -1)) / n
    dcentred = t1 @ t.T + centred @ t2 + centred @ t2.T
    # centred = X - X.mean(axis=0)
    dX = dcentred - np.sum(dcentred, axis=0) / n
    return dX
