import numpy as np


def principal_components_grad(X):
    # X: f64[n, m]
    centred = X - X.mean(axis=0)
    n = len(X)
    w, V = np.linalg.eigh(centred.T @ centred / n)
    V_part = V[:, -2:]
    dV_factor = 2.0 / n * (centred @ V_part) ** 3
    dV = np.zeros_like(V)
    dV[:, -2:] = centred.T @ dV_factor
    dw = np.zeros_like(w)
    dw[-2:] = 0.5 / np.sqrt(w[-2:])
    # w, V = np.linalg.eigh(centred.T @ centred / len(X))
    V_T = V.T
    V_T_dV = V_T @ dV
    t = np.diag(np.full(X.shape[1], np.inf)) + w
    t -= w[:, None]
    divide_V_T_dV = np.divide(
        V_T_dV, t, out=np.zeros_like(V_T_dV), where=V_T_dV.any(axis=0)
    )
    dcentred_factor = 0.5 * (divide_V_T_dV + divide_V_T_dV.T) + np.diag(dw)
    dcentred_part = V @ dcentred_factor @ V_T
    dcentred_part = (np.tril(dcentred_part) + np.tril(dcentred_part, -1)) / n
    dcentred = (
        dV_factor @ V_part.T + centred @ dcentred_part + centred @ dcentred_part.T
    )
    # centred = X - X.mean(axis=0)
    dX = dcentred - np.sum(dcentred, axis=0) / n
    return dX
