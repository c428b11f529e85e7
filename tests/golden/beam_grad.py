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
            spread_times_w = spread * w
            half_w = 0.5 * w
            new_0.append(p + spread_times_w)
            new_1.append(half_w)
            if k < 2:
                new_0.append(p - spread_times_w * x)
                new_1.append(half_w)
        particles_1 = new_1
        particles_0 = new_0
    len_particles_0 = len(particles_0)
    dparticles_0 = [0.0] * len_particles_0
    for i in reversed(range(len_particles_0)):
        p = particles_0[i]
        w = particles_1[i]
        # total += w * p * p
        dparticles_0[i] = 2.0 * w * p
    dx = 0.0
    dspread = 0.0
    for k in reversed(range(steps)):
        particles_1, len_particles_0 = tape.pop()
        dparticles_0_now = [0.0] * len_particles_0
        for i in reversed(range(len_particles_0)):
            w = particles_1[i]
            if k < 2:
                # new.append((p - spread * w * x, 0.5 * w))
                dparticles_0_last = dparticles_0.pop()
                dspread_part = -dparticles_0_last * x
                dx -= dparticles_0_last * spread * w
                dparticles_0_now[i] += dparticles_0_last
            else:
                dspread_part = 0.0
            # new.append((p + spread * w, 0.5 * w))
            dparticles_0_last = dparticles_0.pop()
            dspread += (dspread_part + dparticles_0_last) * w
            dparticles_0_now[i] += dparticles_0_last
        dparticles_0 = dparticles_0_now
    dx += dparticles_0[0]
    return dx, dspread
