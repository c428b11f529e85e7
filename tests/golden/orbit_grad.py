import numpy as np

from programs.objects import Body


def orbit_grad(body, mu, steps):
    # body: Body(x: f64[n], v: f64[n], m: float), mu: float, steps: int
    x = body.x
    v = body.v
    m = body.m
    tape = []
    for _ in range(steps):
        t = np.sum(x ** 2)
        t1 = t ** 1.5
        t2 = -mu * m * x / t1
        t3 = 0.05 * t2 / m
        tape.append((x, t, t1, t2, t3))
        v = v + t3
        x = x + 0.05 * v
    t = mu * m
    t1 = np.sqrt(np.sum(x ** 2))
    dx = 2.0 * (t / t1 / t1) * (0.5 / t1) * x
    dmu = -m / t1
    dv = m * v
    dm = 0.5 * np.sum(v ** 2) - mu / t1
    for _ in reversed(range(steps)):
        x, t4, t1, t2, t3 = tape.pop()
        # return body._replace(x=body.x + dt * v, v=v)
        dv += 0.05 * dx
        # v = body.v + dt * force / body.m
        t5 = dv / m
        t6 = t3 @ t5
        # body = moved_on(body, -mu * body.m * body.x / np.sum(body.x**2) ** ...
        t5 *= 0.05 / t1
        t1 = t5 @ x
        dx = dx - t * t5 - 3.0 * (t2 @ t5) * t4 ** 0.5 * x
        dm -= t1 * mu + t6
        dmu -= t1 * m
    return Body(x=dx, v=dv, m=dm), dmu
