import numpy as np


def kalman_filter_grad(A, C, Q, R, m, P, ys):
    # A: f64[n, n], C: f64[m, n], Q: f64[n, n], R: f64[m, m], m: f64[n], P: f64[n, n],
    # ys: f64[k, m]
    tape = []
    tape1 = []
    for y in ys:
        tape.append(m)
        m = A @ m
        t = A @ P
        P1 = t @ A.T + Q
        t1 = C @ P1
        S = t1 @ C.T + R
        e = y - C @ m
        t1 = np.linalg.solve(S, t1)
        K = t1.T
        m = m + K @ e
        t2 = K @ S
        tape1.append((P, t, S, e, t1, np.linalg.solve(S, e), t2))
        P = P1 - t2 @ K.T
    dm = np.zeros_like(m)
    dP = np.zeros_like(P)
    dA = np.zeros_like(A)
    dQ = np.zeros_like(Q)
    for _ in reversed(range(len(ys))):
        P, t3, S, e, t1, t, t2 = tape1.pop()
        m = tape.pop()
        K = t1.T
        # P = P - K @ S @ K.T
        t4 = dP @ K
        t5 = S.T
        # m = m + K @ e
        dK = np.outer(dm, e) - (dP.T @ t2 + t4 @ t5)
        # nll += 0.5 * (np.linalg.slogdet(S).logabsdet + e @ ...
        t2 = np.linalg.solve(t5, 0.5 * e)
        de = t1 @ dm + 0.5 * t + t2
        dS = 0.5 * np.linalg.inv(S).T - (t1 @ t4 + np.outer(t2, t))
        # K = np.linalg.solve(S, C @ P).T
        t = np.linalg.solve(t5, dK.T)
        dS -= t @ t1.T
        # e = y - C @ m
        t1 = C.T
        dm -= t1 @ de
        # S = C @ P @ C.T + R
        t += dS @ C
        dP += t1 @ t
        # P = A @ P @ A.T + Q
        dQ += dP
        t = dP @ A
        dA += dP.T @ t3
        t1 = A.T
        dP = t1 @ t
        # m = A @ m
        t1 = t1 @ dm
        dA = dA + t @ P.T + np.outer(dm, m)
        dm = t1
    return dA, dQ
