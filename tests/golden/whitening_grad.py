import numpy as np


def whitening_grad(A, x):
    # A: f64[n, m, m], x: f64[n, m]
    L = np.linalg.cholesky(np.einsum("bij,bkj->bik", A, A) + np.eye(A.shape[2]))
    L_inv_x_part = np.linalg.solve(L, x[..., None])
    z = L_inv_x_part[..., 0]
    # return np.sum(z**4)
    dz = 4.0 * z**3
    # z = np.linalg.solve(L, x[..., None])[..., 0]
    swapaxes_L = np.swapaxes(L, -1, -2)
    dx_part = np.linalg.solve(swapaxes_L, dz[:, :, None])
    dx = np.squeeze(dx_part, axis=2)
    # L = np.linalg.cholesky(np.einsum("bij,bkj->bik", A, A) + ...
    t = -(swapaxes_L @ (dx_part @ np.swapaxes(L_inv_x_part, -1, -2)))
    dA_part = 0.5 * (np.tril(t) + np.tril(t, -1))
    dA_part = np.linalg.solve(swapaxes_L, dA_part + np.swapaxes(dA_part, -1, -2))
    dA_part = np.linalg.solve(swapaxes_L, np.swapaxes(dA_part, -1, -2))
    dA_part = 0.5 * (np.tril(dA_part) + np.tril(dA_part, -1))
    dA = (dA_part + np.swapaxes(dA_part, -1, -2)) @ A
    return dA, dx
