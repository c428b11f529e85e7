import numpy as np


def whitening_grad(A, x):
    # A: f64[n, m, m], x: f64[n, m]
    L = np.linalg.cholesky(np.einsum("bij,bkj->bik", A, A) + np.eye(A.shape[2]))
    solve_L = np.linalg.solve(L, x[..., None])
    z = solve_L[..., 0]
    # return np.sum(z**4)
    dz = 4.0 * z**3
    # z = np.linalg.solve(L, x[..., None])[..., 0]
    swapaxes_L = np.swapaxes(L, -1, -2)
    solve_swapaxes_L = np.linalg.solve(swapaxes_L, dz[:, :, None])
    dx = np.squeeze(solve_swapaxes_L, axis=2)
    # L = np.linalg.cholesky(np.einsum("bij,bkj->bik", A, A) + ...
    t = -(swapaxes_L @ (solve_swapaxes_L @ np.swapaxes(solve_L, -1, -2)))
    dA_part = 0.5 * (np.tril(t) + np.tril(t, -1))
    solve_swapaxes_L = np.linalg.solve(
        swapaxes_L, dA_part + np.swapaxes(dA_part, -1, -2)
    )
    solve_swapaxes_L = np.linalg.solve(
        swapaxes_L, np.swapaxes(solve_swapaxes_L, -1, -2)
    )
    dA_part = 0.5 * (np.tril(solve_swapaxes_L) + np.tril(solve_swapaxes_L, -1))
    dA = np.einsum("bik,bkj->bij", dA_part, A) + np.einsum("bik,bij->bkj", dA_part, A)
    return dA, dx
