def beam_grad(x, spread, steps):
    # x: float, spread: float, steps: int
    particles_0 = [x]
    particles_1 = [1.0]
    tape = []
    for k in range(steps):
        tape.append((particles_1, len(particles_0)))
        new_0 = []
        new_1 = []
        for p, w in zip(particles_0, particles_1):
            t = spread * w
            t1 = 0.5 * w
            new_0.append(p + t)
            new_1.append(t1)
            if k < 2:
                new_0.append(p - t * x)
                new_1.append(t1)
        particles_1 = new_1
        particles_0 = new_0
    t2 = len(particles_0)
    dparticles_0 = [0.0] * t2
    for i in reversed(range(t2)):
        p = particles_0[i]
        w = particles_1[i]
        # total += w * p * p
        dparticles_0[i] = 2.0 * w * p
    dx = 0.0
    dspread = 0.0
    for k in reversed(range(steps)):
        particles_1, t2 = tape.pop()
        dparticles_0_1 = [0.0] * t2
        for i in reversed(range(t2)):
            w = particles_1[i]
            if k < 2:
                # new.append((p - spread * w * x, 0.5 * w))
                t = dparticles_0.pop()
                t1 = -t * x
                dx -= t * spread * w
                dparticles_0_1[i] += t
            else:
                t1 = 0.0
            # new.append((p + spread * w, 0.5 * w))
            t = dparticles_0.pop()
            dspread += (t1 + t) * w
            dparticles_0_1[i] += t
        dparticles_0 = dparticles_0_1
    dx += dparticles_0[0]
    return dx, dspread
