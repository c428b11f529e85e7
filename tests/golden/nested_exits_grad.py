import numpy as np


def nested_exits_grad(A, limit):
    # A: f64[n, n], limit: float
    n = A.shape[1]
    total = 0.0
    done = False
    tape = []
    for k in range(A.shape[0]):
        done1 = False
        iterations = 0
        for j1 in range(n):
            iterations += 1
            if j1 > k + 1:
                j = j1
                break
            A_i_j = A[k, j1]
            if A_i_j < 0.0:
                j = j1
                continue
            total += A_i_j**2
            if total > limit:
                j = j1
                done1 = True
                break
            j = j1
        tape.append((iterations, done1))
        if done1:
            i = k
            done = True
            break
        total *= 0.9
        i = k
    if done:
        dtotal = A[i, j]
        dA = np.zeros_like(A)
        dA[i, j] = total
    else:
        dA = np.zeros_like(A)
        dtotal = 1.0
    for i in reversed(range(len(tape))):
        iterations, done1 = tape.pop()
        if not done1:
            # total *= 0.9
            dtotal *= 0.9
        for j in reversed(range(iterations)):
            if not j > i + 1:
                A_i_j = A[i, j]
                if not A_i_j < 0.0:
                    # total += A[i, j] ** 2
                    dA[i, j] += 2.0 * dtotal * A_i_j
    return dA
