import numpy as np


def kalman_matrix_grad(q, F, H, R, ys):
    # q: float, F: f64[n, n], H: f64[1, n], R: f64[1, 1], ys: f64[m, 1]
    n = F.shape[0]
    m = np.zeros(n)
    P = np.eye(n)
    q_times_P = q * P
    P_now = P
    tape = []
    H_T = H.T
    for y in ys:
        m = F @ m
        P1 = F @ P_now @ F.T + q_times_P
        S = H @ P1 @ H_T + R
        e = y - H @ m
        P_H_T = P1 @ H_T
        inv_S = np.linalg.inv(S)
        K = P_H_T @ inv_S
        m += K @ e
        K_H = K @ H
        P_now = P1 - K_H @ P1
        tape.append((P1, S, e, P_H_T, inv_S, K, K_H, np.linalg.solve(S, e)))
    dm = np.zeros_like(m)
    dP = np.zeros_like(P_now)
    dq_part = np.zeros_like(q_times_P)
    F_T = F.T
    for _ in reversed(range(len(ys))):
        P1, S, e, P_H_T, inv_S, K, K_H, S_inv_e = tape.pop()
        # ll -= 0.5 * (e @ np.linalg.solve(S, e) + math.log(np.linalg.det(S)))
        inv_S_T = inv_S.T
        S_T_inv_half_e = np.linalg.solve(S.T, 0.5 * e)
        # m = m + K @ e
        dK = np.outer(dm, e) - dP @ P1.T @ H_T
        de = 0.5 * S_inv_e + S_T_inv_half_e + K.T @ dm
        # K = P @ H.T @ np.linalg.inv(S)
        dS_term = inv_S_T @ (P_H_T.T @ dK) @ inv_S_T
        dS = 0.5 * inv_S_T - np.outer(S_T_inv_half_e, S_inv_e) - dS_term
        # e = y - H @ m
        dm -= H_T @ de
        # S = H @ P @ H.T + R
        dP = dK @ inv_S_T @ H + dP + H_T @ (dS @ H) - K_H.T @ dP
        # P = F @ P @ F.T + q * np.eye(n)
        dq_part += dP
        dP = F_T @ (dP @ F)
        # m = F @ m
        dm = F_T @ dm
    # P = F @ P @ F.T + q * np.eye(n)
    dq = np.sum(dq_part * P)
    return dq
