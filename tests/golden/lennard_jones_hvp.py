import numpy as np


def lennard_jones_grad_jvp(positions, dpositions):
    # positions: f64[n, m], dpositions: f64[n, m]
    n = positions.shape[0]
    tape = []
    tape1 = []
    for i in range(n):
        for j in range(i):
            r = positions[i] - positions[j]
            dr = dpositions[i] - dpositions[j]
            squared = np.sum(r ** 2)
            dsquared = dr @ (2.0 * r)
            tape1.append((r, dr, squared, dsquared))
            if not squared > 9.0:
                t = squared ** 3
                t1 = 3.0 * (squared * squared) * dsquared
                inverse = 1.0 / t
                dinverse = -inverse * t1 / t
                tape.append((t, t1, dinverse))
    dpositions1 = np.zeros_like(positions)
    ddpositions = np.zeros_like(dpositions1)
    denergy = 1.0
    for i in reversed(range(n)):
        for j in reversed(range(i)):
            r, dr, squared, dsquared = tape1.pop()
            if squared > 9.0:
                dsquared1 = 0.0
                ddsquared = 0.0
            else:
                t2, t3, dinverse1 = tape.pop()
                # energy += 4.0 * (inverse * inverse - inverse)
                t = 4.0 * denergy
                dinverse = t * (2.0 / t2 - 1.0)
                ddinverse = 2.0 * dinverse1 * t
                # inverse = 1.0 / squared**3
                t = dinverse / t2
                t1 = t / t2
                t = dinverse1 * t + (ddinverse - t * t3) / t2 / t2
                t4 = 3.0 * squared * squared
                dsquared1 = -t1 * t4
                ddsquared = -(t * t4 + 6.0 * dsquared * squared * t1)
            # squared = np.sum(r**2)
            ddr = 2.0 * r
            dr1 = dsquared1 * ddr
            ddr *= ddsquared
            ddr += 2.0 * dsquared1 * dr
            # r = positions[i] - positions[j]
            dpositions1[j] -= dr1
            ddpositions[j] -= ddr
            dpositions1[i] += dr1
            ddpositions[i] += ddr
    return dpositions1, ddpositions
