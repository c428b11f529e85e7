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
    diag_dw = np.diag(dw)
    V_T_dV_plus_diag_dw = V_T @ dV + diag_dw
    t = np.diag(np.full(X.shape[1], np.inf)) + w
    t -= w[:, None]
    t1 = abs(t) > 1e-14 * np.sum(abs(w))
    t = np.where(t1, t, np.nan)
    t = np.divide(
        V_T_dV_plus_diag_dw,
        t,
        out=np.zeros_like(V_T_dV_plus_diag_dw),
        where=V_T_dV_plus_diag_dw.any(axis=0),
    )
    dcentred_factor = 0.5 * (t + t.T) + diag_dw
    dcentred_part = V @ dcentred_factor @ V_T
    dcentred_part = (np.tril(dcentred_part) + np.tril(dcentred_part, -1)) / n
    dcentred = (
        dV_factor @ V_part.T + centred @ dcentred_part + centred @ dcentred_part.T
    )
    # centred = X - X.mean(axis=0)
    dX = dcentred - np.sum(dcentred, axis=0) / n
    return dX
