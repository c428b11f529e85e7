import numpy as np


def kalman_matrix_grad(q, F, H, R, ys):
    # q: float, F: f64[n, n], H: f64[1, n], R: f64[1, 1], ys: f64[m, 1]
    n = F.shape[0]
    m = np.zeros(n)
    P = np.eye(n)
    P1 = P
    tape = []
    for y in ys:
        m = F @ m
        P2 = F @ P1 @ F.T + q * P
        t = H.T
        S = H @ P2 @ t + R
        e = y - H @ m
        t = P2 @ t
        t1 = np.linalg.inv(S)
        K = t @ t1
        m = m + K @ e
        t2 = K @ H
        P1 = P2 - t2 @ P2
        tape.append((P2, S, e, t, t1, K, t2, np.linalg.solve(S, e)))
    dm = np.zeros_like(m)
    dP = np.zeros_like(P1)
    dq = 0.0
    for _ in reversed(range(len(ys))):
        P2, S, e, t3, t1, K, t2, t = tape.pop()
        # ll -= 0.5 * (e @ np.linalg.solve(S, e) + math.log(np.linalg.det(S)))
        t4 = np.linalg.solve(S.T, 0.5 * e)
        dS = 0.5 * np.linalg.inv(S).T - np.outer(t4, t)
        # P = P - K @ H @ P
        t5 = H.T
        # m = m + K @ e
        dK = np.outer(dm, e) - dP @ P2.T @ t5
        de = 0.5 * t + t4 + K.T @ dm
        # K = P @ H.T @ np.linalg.inv(S)
        t = t1.T
        t1 = t @ (t3.T @ dK) @ t
        dS -= t1
        # e = y - H @ m
        dm -= t5 @ de
        # S = H @ P @ H.T + R
        dP = dK @ t @ H + dP + t5 @ (dS @ H) - t2.T @ dP
        # P = F @ P @ F.T + q * np.eye(n)
        dq += np.sum(dP * P)
        t = F.T
        dP = t @ (dP @ F)
        # m = F @ m
        dm = t @ dm
    return dq
