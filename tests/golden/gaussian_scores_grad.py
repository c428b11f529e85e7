import numpy as np


def gaussian_scores_grad(S, xs):
    # S: f64[n, n], xs: f64[m, n]
    tape = []
    for x in xs:
        t = np.outer(x, x)
        S = S + t
        t1 = np.linalg.inv(S)
        tape.append((t, t1, x @ t1))
    dS = np.zeros_like(S)
    dxs = np.zeros_like(xs)
    for i in reversed(range(len(xs))):
        t2, t1, t = tape.pop()
        x = xs[i]
        # total += x @ np.linalg.inv(S) @ x + math.log(np.linalg.det(S))
        t3 = t1.T
        dS += t3
        dS -= t3 @ t2 @ t3
        # S = S + np.outer(x, x)
        dxs[i] = t1 @ x + t + dS @ x + x @ dS
    return dS, dxs
