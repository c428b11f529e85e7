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
                    t = r @ r + 0.1
                    t1 = t ** 1.5
                    t2 = 0.01 * masses[j] * r / t1
                    tape.append((r, t, t1, t2))
                    v[i] += t2
        x += 0.01 * v
    for _ in reversed(range(steps)):
        x += 0.01 * v
        for i in reversed(range(n)):
            for j in reversed(range(n)):
                if i != j:
                    r, t6, t3, t4 = tape.pop()
                    # v[i] += 0.01 * masses[j] * r / (r @ r + 0.1) ** 1.5
                    dr = x[i] / t3
                    t2 = 3.0 * (t4 @ dr * t6 ** 0.5) * r
                    dr *= 0.01 * masses[j]
                    dr -= t2
                    v[i] -= dr
                    v[j] += dr
    return v, x
