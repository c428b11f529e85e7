import numpy as np


def kalman_filter_grad(A, C, Q, R, m, P, ys):
    # A: f64[n, n], C: f64[m, n], Q: f64[n, n], R: f64[m, m], m: f64[n], P: f64[n, n],
    # ys: f64[k, m]
    tape = []
    P_tape = []
    for y in ys:
        tape.append(m)
        m = A @ m
        A_P = A @ P
        P1 = A_P @ A.T + Q
        C_P = C @ P1
        S = C_P @ C.T + R
        e = y - C @ m
        S_inv_C_P = np.linalg.solve(S, C_P)
        K = S_inv_C_P.T
        m += K @ e
        K_S = K @ S
        P_tape.append((P, A_P, S, e, S_inv_C_P, np.linalg.solve(S, e), K_S))
        P = P1 - K_S @ K.T
    dm = np.zeros_like(m)
    dP = np.zeros_like(P)
    dA = np.zeros_like(A)
    dQ = np.zeros_like(Q)
    C_T = C.T
    A_T = A.T
    for _ in reversed(range(len(ys))):
        P, A_P, S, e, S_inv_C_P, S_inv_e, K_S = P_tape.pop()
        m = tape.pop()
        K = S_inv_C_P.T
        # P = P - K @ S @ K.T
        dP_K = dP @ K
        S_T = S.T
        # m = m + K @ e
        dK = np.outer(dm, e) - (dP.T @ K_S + dP_K @ S_T)
        # nll += 0.5 * (np.linalg.slogdet(S).logabsdet + e @ ...
        S_T_inv_half_e = np.linalg.solve(S_T, 0.5 * e)
        de = S_inv_C_P @ dm + 0.5 * S_inv_e + S_T_inv_half_e
        dS = 0.5 * np.linalg.inv(S).T - (
            S_inv_C_P @ dP_K + np.outer(S_T_inv_half_e, S_inv_e)
        )
        # K = np.linalg.solve(S, C @ P).T
        S_T_inv_dK_T = np.linalg.solve(S_T, dK.T)
        dS -= S_T_inv_dK_T @ S_inv_C_P.T
        # e = y - C @ m
        dm -= C_T @ de
        # S = C @ P @ C.T + R
        S_T_inv_dK_T += dS @ C
        dP += C_T @ S_T_inv_dK_T
        # P = A @ P @ A.T + Q
        dQ += dP
        dP_A = dP @ A
        dA += dP.T @ A_P
        dP = A_T @ dP_A
        # m = A @ m
        A_T_dm = A_T @ dm
        dA = dA + dP_A @ P.T + np.outer(dm, m)
        dm = A_T_dm
    return dA, dQ
