"""Motion and fields."""

import math

import numpy as np


def rk4(f, y, t, h):
    k1 = f(t, y)
    k2 = f(t + 0.5 * h, y + 0.5 * h * k1)
    k3 = f(t + 0.5 * h, y + 0.5 * h * k2)
    k4 = f(t + h, y + h * k3)
    return y + h / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + k4)


def driven_oscillator(stiffness, damping, start, steps):
    """RK4 on a closure over the parameters."""

    def slope(t, y):
        return np.stack([y[1], -stiffness * y[0] - damping * y[1] + math.cos(t)])

    y = start
    for k in range(steps):
        y = rk4(slope, y, 0.1 * k, 0.1)
    return y @ y


def van_der_pol(mu, x, v, steps):
    """RK4 on tuples of floats, by a lambda."""
    acceleration = lambda x, v: mu * (1.0 - x * x) * v - x
    h = 0.05
    for _ in range(steps):
        p1, q1 = v, acceleration(x, v)
        p2, q2 = v + 0.5 * h * q1, acceleration(x + 0.5 * h * p1, v + 0.5 * h * q1)
        p3, q3 = v + h * q2, acceleration(x + h * p2, v + h * q2)
        x, v = x + h * (p1 + 4.0 * p2 + p3) / 6.0, v + h * (q1 + 4.0 * q2 + q3) / 6.0
    return x * x + v * v


def spring_chain(x, v, stiffness, steps):
    """Masses in a row, symplectic Euler in place; both ends are walls."""
    x = x.copy()
    v = v.copy()
    n = len(x)
    for _ in range(steps):
        for i in range(n):
            left = x[i] - x[i - 1] if i > 0 else x[i]
            right = x[i + 1] - x[i] if i < n - 1 else -x[i]
            v[i] += 0.1 * stiffness * (right - left)
        x += 0.1 * v
    return 0.5 * np.sum(v * v) + np.sum(x * x)


def bouncing_particle(x, v, steps):
    """A particle in a box: reflected at the walls, slower after each bounce."""
    bounces = 0
    for _ in range(steps):
        x += 0.1 * v
        if x < 0.0:
            x = -x
            v = -0.9 * v
            bounces += 1
        elif x > 1.0:
            x = 2.0 - x
            v = -0.9 * v
            bounces += 1
    return x * v if bounces < 100 else 0.0


def nbody(positions, velocities, masses, steps):
    """Pairs by two loops over the rows of 2-d arrays."""
    x = positions.copy()
    v = velocities.copy()
    n = len(masses)
    for _ in range(steps):
        for i in range(n):
            for j in range(n):
                if i == j:
                    continue
                r = x[j] - x[i]
                v[i] += 0.01 * masses[j] * r / (r @ r + 0.1) ** 1.5
        x += 0.01 * v
    return np.sum(x * v)


def lennard_jones(positions):
    """Pair energies within a cut-off."""
    n = positions.shape[0]
    energy = 0.0
    for i in range(n):
        for j in range(i):
            r = positions[i] - positions[j]
            squared = np.sum(r**2)
            if squared > 9.0:
                continue
            inverse = 1.0 / squared**3
            energy += 4.0 * (inverse * inverse - inverse)
    return energy


def leapfrog_energy(q, p, steps):
    """Kicks and drifts in a two-dimensional well, with a gradient written out by hand."""
    for _ in range(steps):
        p = p - 0.05 * q * (1.0 + q @ q)
        q = q + 0.1 * p
        p = p - 0.05 * q * (1.0 + q @ q)
    return 0.5 * p @ p + 0.5 * q @ q


def heat_plate(u, steps, rate):
    """Two dimensions, in place, a source in the middle."""
    u = u.copy()
    n, m = u.shape
    for _ in range(steps):
        inner = u[:-2, 1:-1] + u[2:, 1:-1] + u[1:-1, :-2] + u[1:-1, 2:] - 4.0 * u[1:-1, 1:-1]
        u[1:-1, 1:-1] += rate * inner
        u[n // 2, m // 2] += 0.1
    return np.mean(u**2)


def advection(u, speed, steps):
    """Upwind differences; the side depends on the sign of the speed."""
    u = u.copy()
    for _ in range(steps):
        if speed > 0.0:
            u[1:] -= 0.1 * speed * (u[1:] - u[:-1])
        else:
            u[:-1] -= 0.1 * speed * (u[1:] - u[:-1])
    return np.sum(u**3)


def burgers(u, steps):
    """A nonlinear stencil through two buffers that swap."""
    new = np.zeros_like(u)
    old = u.copy()
    for _ in range(steps):
        new[0] = old[0]
        new[-1] = old[-1]
        new[1:-1] = old[1:-1] - 0.05 * old[1:-1] * (old[2:] - old[:-2])
        new[1:-1] += 0.02 * (old[2:] - 2.0 * old[1:-1] + old[:-2])
        old, new = new, old
    return old @ old


def insulated_rod(diffusivity, start, steps):
    """A rod that is kept cold at one end, and insulated at the other."""
    u = start.copy()
    for _ in range(steps):
        before = u.copy()
        u[1:-1] = before[1:-1] + diffusivity * (before[2:] - 2.0 * before[1:-1] + before[:-2])
        u[0] = 0.0
        u[-1] = u[-2]
    return np.sum(u**2)


def regulator(controls, start, drift, gain):
    """The cost of a linear system that is steered."""
    x = start
    cost = 0.0
    for k in range(len(controls)):
        cost += x @ x + 0.1 * controls[k] @ controls[k]
        x = drift @ x + gain @ controls[k]
    return cost + x @ x


def thrown(state, params, steps):
    """A ball with drag, by midpoint steps; the position and the velocity are tuples."""
    def acceleration(v, w):
        return -drag * v * w

    x, v = state
    drag, dt = params
    for _ in range(steps):
        k1 = (v, acceleration(v, abs(v)))
        k2 = (v + 0.5 * dt * k1[1], acceleration(v + 0.5 * dt * k1[1], abs(v)))
        x, v = x + dt * k2[0], v + dt * k2[1]
    return x


def projectile_range(speed, angle, drag):
    """A shot followed until it lands; the last step is interpolated."""
    x = y = 0.0
    vx = speed * math.cos(angle)
    vy = speed * math.sin(angle)
    while True:
        scale = drag * math.hypot(vx, vy)
        vx, vy = vx - 0.05 * scale * vx, vy - 0.05 * (9.81 + scale * vy)
        next_x, next_y = x + 0.05 * vx, y + 0.05 * vy
        if next_y < 0.0:
            return x + (next_x - x) * y / (y - next_y)
        x, y = next_x, next_y


def cooling(temperatures, ambient, rate, minutes):
    """Cups that cool; one below the drinking temperature is not followed further."""
    total = 0.0
    for temperature in temperatures:
        t = temperature
        minute = 0
        while minute < minutes and t > 40.0:
            t -= rate * (t - ambient)
            minute += 1
        total += t
    return total


def ray_through_layers(angle, indices, depths):
    """Snell's law down a stack; total reflection ends the path."""
    offset = 0.0
    sine = math.sin(angle) * indices[0]
    for k in range(len(indices)):
        ratio = sine / indices[k]
        if abs(ratio) >= 1.0:
            return -offset
        offset += depths[k] * ratio / math.sqrt(1.0 - ratio * ratio)
    return offset


def rigid_rotation(points, rx, ry, rz):
    """Points turned by a vector, by Rodrigues' formula."""
    angle = math.sqrt(rx * rx + ry * ry + rz * rz)
    c, s = math.cos(angle), math.sin(angle)
    x, y, z = rx / angle, ry / angle, rz / angle
    total = 0.0
    for p in points:
        along = x * p[0] + y * p[1] + z * p[2]
        px = p[0] * c + (y * p[2] - z * p[1]) * s + x * along * (1.0 - c)
        py = p[1] * c + (z * p[0] - x * p[2]) * s + y * along * (1.0 - c)
        total += px * py
    return total


INPUTS = {
    "driven_oscillator": lambda rng: (2.0, 0.3, rng.normal(size=2), 5),
    "van_der_pol": lambda rng: (1.2, 0.5, 0.1, 8),
    "spring_chain": lambda rng: (rng.normal(size=4), rng.normal(size=4), 1.5, 4),
    "bouncing_particle": lambda rng: (0.35, 1.7, 20),
    "nbody": lambda rng: (rng.normal(size=(3, 2)), rng.normal(size=(3, 2)), 1.0 + rng.random(3), 3),
    "lennard_jones": lambda rng: (np.array([[0.0, 0.0], [1.1, 0.2], [0.3, 1.2], [5.0, 5.0]]),),
    "leapfrog_energy": lambda rng: (rng.normal(size=2), rng.normal(size=2), 4),
    "heat_plate": lambda rng: (rng.normal(size=(5, 6)), 3, 0.1),
    "advection": lambda rng: (rng.normal(size=7), 0.8, 4),
    "burgers": lambda rng: (rng.normal(size=7), 5),
    "insulated_rod": lambda rng: (0.2, rng.normal(size=6), 4),
    "regulator": lambda rng: (
        rng.normal(size=(4, 2)), rng.normal(size=3), rng.normal(size=(3, 3)), rng.normal(size=(3, 2))),
    "thrown": lambda rng: ((0.5, 2.0), (0.3, 0.1), 4),
    "projectile_range": lambda rng: (12.0, 0.7, 0.02),
    "cooling": lambda rng: (np.array([90.0, 43.0, 70.0]), 20.0, 0.05, 10),
    "ray_through_layers": lambda rng: (0.4, np.array([1.0, 1.3, 1.5]), np.array([1.0, 0.5, 2.0])),
    "rigid_rotation": lambda rng: (rng.normal(size=(4, 3)), 0.3, -0.4, 0.9),
}
