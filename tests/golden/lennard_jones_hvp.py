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
                squared_cubed = squared**3
                dinverse_factor = 3.0 * (squared * squared) * dsquared
                inverse = 1.0 / squared_cubed
                dinverse = -inverse * dinverse_factor / squared_cubed
                tape.append((squared_cubed, dinverse_factor, dinverse))
    dpositions_now = np.zeros_like(positions)
    ddpositions = np.zeros_like(dpositions_now)
    denergy = 1.0
    for i in reversed(range(n)):
        for j in reversed(range(i)):
            dr_new, twice_r, squared, dsquared = dr_tape.pop()
            if not squared > 9.0:
                squared_cubed, dinverse_factor, dinverse = tape.pop()
                # inverse = 1.0 / squared**3
                dpositions_factor = 3.0 * squared * squared
                # energy += 4.0 * (inverse * inverse - inverse)
                scaled_denergy = 4.0 * denergy
                dinverse_new = scaled_denergy * (2.0 / squared_cubed - 1.0)
                ddinverse = 2.0 * dinverse * scaled_denergy
                # inverse = 1.0 / squared**3
                t = dinverse_new / squared_cubed
                dpositions_factor1 = t / squared_cubed
                ddpositions_factor = (
                    dinverse * t
                    + (ddinverse - t * dinverse_factor) / squared_cubed / squared_cubed
                )
                dpositions_factor2 = dpositions_factor1 * dpositions_factor
                # squared = np.sum(r**2)
                dpositions_part = dpositions_factor2 * twice_r
                ddpositions_term = (
                    ddpositions_factor * dpositions_factor
                    + 6.0 * dsquared * squared * dpositions_factor1
                ) * twice_r
                ddpositions_term += 2.0 * dpositions_factor2 * dr_new
                # r = positions[i] - positions[j]
                dpositions_now[j] += dpositions_part
                ddpositions[j] += ddpositions_term
                dpositions_now[i] -= dpositions_part
                ddpositions[i] -= ddpositions_term
    return dpositions_now, ddpositions
