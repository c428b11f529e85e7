import numpy as np


def whitening_grad(A, x):
    # A: f64[n, m, m], x: f64[n, m]
    L = np.linalg.cholesky(np.einsum("bij,bkj->bik", A, A) + np.eye(A.shape[2]))
    t = np.linalg.solve(L, x[..., None])
    z = t[..., 0]
    # return np.sum(z**4)
    dz = 4.0 * z ** 3
    # z = np.linalg.solve(L, x[..., None])[..., 0]
    t1 = np.swapaxes(L, -1, -2)
    t2 = np.linalg.solve(t1, dz[:, :, None])
    dx = np.squeeze(t2, axis=2)
    # L = np.linalg.cholesky(np.einsum("bij,bkj->bik", A, A) + ...
    t = -(t1 @ (t2 @ np.swapaxes(t, -1, -2)))
    t = 0.5 * (np.tril(t) + np.tril(t, -1))
    t = np.linalg.solve(t1, t + np.swapaxes(t, -1, -2))
    t = np.linalg.solve(t1, np.swapaxes(t, -1, -2))
    t = 0.5 * (np.tril(t) + np.tril(t, -1))
    dA = np.einsum("bik,bkj->bij", t, A) + np.einsum("bik,bij->bkj", t, A)
    return dA, dx
