import numpy as np


def kalman_matrix_grad(q, F, H, R, ys):
    # q: float, F: f64[n, n], H: f64[1, n], R: f64[1, 1], ys: f64[m, 1]
    n = F.shape[0]
    m = np.zeros(n)
    P = np.eye(n)
    t = q * P
    P1 = P
    tape = []
    for y in ys:
        m = F @ m
        P2 = F @ P1 @ F.T + t
        t1 = H.T
        S = H @ P2 @ t1 + R
        e = y - H @ m
        t1 = P2 @ t1
        t2 = np.linalg.inv(S)
        K = t1 @ t2
        m = m + K @ e
        t3 = K @ H
        P1 = P2 - t3 @ P2
        tape.append((P2, S, e, t1, t2, K, t3, np.linalg.solve(S, e)))
    dm = np.zeros_like(m)
    dP = np.zeros_like(P1)
    t = np.zeros_like(t)
    for _ in reversed(range(len(ys))):
        P2, S, e, t4, t2, K, t3, t1 = tape.pop()
        # ll -= 0.5 * (e @ np.linalg.solve(S, e) + math.log(np.linalg.det(S)))
        t2 = t2.T
        t5 = np.linalg.solve(S.T, 0.5 * e)
        # P = P - K @ H @ P
        t6 = H.T
        # m = m + K @ e
        dK = np.outer(dm, e) - dP @ P2.T @ t6
        de = 0.5 * t1 + t5 + K.T @ dm
        # K = P @ H.T @ np.linalg.inv(S)
        t4 = t2 @ (t4.T @ dK) @ t2
        dS = 0.5 * t2 - np.outer(t5, t1) - t4
        # e = y - H @ m
        dm -= t6 @ de
        # S = H @ P @ H.T + R
        dP = dK @ t2 @ H + dP + t6 @ (dS @ H) - t3.T @ dP
        # P = F @ P @ F.T + q * np.eye(n)
        t += dP
        t1 = F.T
        dP = t1 @ (dP @ F)
        # m = F @ m
        dm = t1 @ dm
    # P = F @ P @ F.T + q * np.eye(n)
    dq = np.sum(t * P)
    return dq
