import numpy as np


def gaussian_scores_grad(S, xs):
    # S: f64[n, n], xs: f64[m, n]
    tape = []
    for x in xs:
        x_x = np.outer(x, x)
        S = S + x_x
        inv_S = np.linalg.inv(S)
        tape.append((x_x, inv_S, x @ inv_S))
    dS = np.zeros_like(S)
    dxs = np.zeros_like(xs)
    for i in reversed(range(len(xs))):
        x_x, inv_S, x_inv_S = tape.pop()
        x = xs[i]
        # total += x @ np.linalg.inv(S) @ x + math.log(np.linalg.det(S))
        inv_S_T = inv_S.T
        dS += inv_S_T
        dS -= inv_S_T @ x_x @ inv_S_T
        # S = S + np.outer(x, x)
        dxs[i] = inv_S @ x + x_inv_S + dS @ x + x @ dS
    return dS, dxs
