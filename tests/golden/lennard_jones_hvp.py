import numpy as np


def lennard_jones_grad_jvp(positions, dpositions):
    # positions: f64[n, m], dpositions: f64[n, m]
    n = positions.shape[0]
    tape = []
    tape1 = []
    for i in range(n):
        for j in range(i):
            r = positions[i] - positions[j]
            dr1 = dpositions[i] - dpositions[j]
            # squared = np.sum(r**2)
            t = 2.0 * r
            squared = np.sum(r ** 2)
            dsquared = dr1 @ t
            tape1.append((dr1, t, squared, dsquared))
            if not squared > 9.0:
                t1 = squared ** 3
                t2 = 3.0 * (squared * squared) * dsquared
                inverse = 1.0 / t1
                dinverse = -inverse * t2 / t1
                tape.append((t1, t2, dinverse))
    dpositions1 = np.zeros_like(positions)
    ddpositions = np.zeros_like(dpositions1)
    denergy = 1.0
    for i in reversed(range(n)):
        for j in reversed(range(i)):
            dr1, t, squared, dsquared = tape1.pop()
            if not squared > 9.0:
                t3, t4, dinverse1 = tape.pop()
                # inverse = 1.0 / squared**3
                t1 = 3.0 * squared * squared
                # energy += 4.0 * (inverse * inverse - inverse)
                t2 = 4.0 * denergy
                dinverse = t2 * (2.0 / t3 - 1.0)
                ddinverse = 2.0 * dinverse1 * t2
                # inverse = 1.0 / squared**3
                t2 = dinverse / t3
                t5 = t2 / t3
                t2 = dinverse1 * t2 + (ddinverse - t2 * t4) / t3 / t3
                t6 = t5 * t1
                # squared = np.sum(r**2)
                t7 = t6 * t
                t = (t2 * t1 + 6.0 * dsquared * squared * t5) * t
                t += 2.0 * t6 * dr1
                # r = positions[i] - positions[j]
                dpositions1[j] += t7
                ddpositions[j] += t
                dpositions1[i] -= t7
                ddpositions[i] -= t
    return dpositions1, ddpositions
