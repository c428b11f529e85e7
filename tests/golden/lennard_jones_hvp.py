import numpy as np


def lennard_jones_grad_jvp(positions, dpositions):
    # positions: f64[n, m], dpositions: f64[n, m]
    n = positions.shape[0]
    tape = []
    dr_tape = []
    for i in range(n):
        for j in range(i):
            r = positions[i] - positions[j]
            dr_new = dpositions[i] - dpositions[j]
            # squared = np.sum(r**2)
            twice_r = 2.0 * r
            squared = np.sum(r**2)
            dsquared = dr_new @ twice_r
            dr_tape.append((dr_new, twice_r, squared, dsquared))
            if not squared > 9.0:
                inverse = 1.0 / squared**3
                dinverse = -3.0 * (squared * squared) * dsquared * inverse * inverse
                tape.append((inverse, dinverse))
    dpositions_now = np.zeros_like(positions)
    ddpositions = np.zeros_like(dpositions_now)
    denergy = 1.0
    for i in reversed(range(n)):
        for j in reversed(range(i)):
            dr_new, twice_r, squared, dsquared = dr_tape.pop()
            if not squared > 9.0:
                inverse, dinverse = tape.pop()
                # inverse = 1.0 / squared**3
                dpositions_factor = 3.0 * squared * squared
                # energy += 4.0 * (inverse * inverse - inverse)
                dinverse_new = 4.0 * denergy * (2.0 * inverse - 1.0)
                # inverse = 1.0 / squared**3
                dpositions_part = dinverse_new * inverse
                dpositions_factor1 = dpositions_part * inverse
                ddpositions_term = (8.0 * denergy * inverse + dinverse_new) * inverse
                dpositions_factor2 = dpositions_factor1 * dpositions_factor
                ddpositions_factor = (
                    dinverse * (ddpositions_term + dpositions_part) * dpositions_factor
                    + 6.0 * (dsquared * squared) * dpositions_factor1
                )
                # squared = np.sum(r**2)
                dpositions_part1 = dpositions_factor2 * twice_r
                ddpositions_part = (
                    ddpositions_factor * twice_r + 2.0 * dpositions_factor2 * dr_new
                )
                # r = positions[i] - positions[j]
                dpositions_now[j] += dpositions_part1
                ddpositions[j] += ddpositions_part
                dpositions_now[i] -= dpositions_part1
                ddpositions[i] -= ddpositions_part
    return dpositions_now, ddpositions
