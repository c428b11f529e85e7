def nbody_grad(positions, velocities, masses, steps):
    # positions: f64[n, m], velocities: f64[n, m], masses: f64[n], steps: int
    x = positions.copy()
    v = velocities.copy()
    n = len(masses)
    tape = []
    for _ in range(steps):
        for i in range(n):
            for j in range(n):
                if i == j:
                    t = None
                    t1 = None
                    t2 = None
                    r = None
                else:
                    r = x[j] - x[i]
                    t2 = r @ r + 0.1
                    t = t2 ** 1.5
                    t1 = 0.01 * masses[j] * r / t
                    v[i] += t1
                tape.append((t, t1, t2, r))
        x += 0.01 * v
    for _ in reversed(range(steps)):
        x += 0.01 * v
        for i in reversed(range(n)):
            for j in reversed(range(n)):
                t, t1, t2, r = tape.pop()
                if i != j:
                    # v[i] += 0.01 * masses[j] * r / (r @ r + 0.1) ** 1.5
                    dr = x[i] / t
                    t3 = 3.0 * (t1 @ dr * t2 ** 0.5) * r
                    dr *= 0.01 * masses[j]
                    dr -= t3
                    v[i] -= dr
                    v[j] += dr
    return v, x
