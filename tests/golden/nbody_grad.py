def nbody_grad(positions, velocities, masses, steps):
    # positions: f64[n, m], velocities: f64[n, m], masses: f64[n], steps: int
    x = positions.copy()
    v = velocities.copy()
    n = len(masses)
    tape = []
    for _ in range(steps):
        for i in range(n):
            for j in range(n):
                if i != j:
                    r = x[j] - x[i]
                    shifted_r_dot_r = r @ r + 0.1
                    v_den = shifted_r_dot_r**1.5
                    v_part = 0.01 * masses[j] * r / v_den
                    tape.append((r, shifted_r_dot_r, v_den, v_part))
                    v[i] += v_part
        x += 0.01 * v
    dx = v
    dv = x
    for _ in reversed(range(steps)):
        # x += 0.01 * v
        dv += 0.01 * dx
        for i in reversed(range(n)):
            for j in reversed(range(n)):
                if i != j:
                    r, shifted_r_dot_r, v_den, v_part = tape.pop()
                    # v[i] += 0.01 * masses[j] * r / (r @ r + 0.1) ** 1.5
                    dr = dv[i] / v_den
                    dr_term = 3.0 * (v_part @ dr * shifted_r_dot_r**0.5) * r
                    dr *= 0.01 * masses[j]
                    dr -= dr_term
                    # r = x[j] - x[i]
                    dx[i] -= dr
                    dx[j] += dr
    return dx, dv
