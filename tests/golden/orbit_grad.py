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
    t = np.sum(v ** 2)
    t1 = mu * m
    t4 = np.sqrt(np.sum(x ** 2))
    dx = 2.0 * (t1 / t4 / t4) * (0.5 / t4) * x
    dmu = -m / t4
    dv = m * v
    dm = 0.5 * t - mu / t4
    for _ in reversed(range(steps)):
        x, t4, t, t2, t3 = tape.pop()
        # return body._replace(x=body.x + dt * v, v=v)
        dv += 0.05 * dx
        # v = body.v + dt * force / body.m
        t5 = dv / m
        t6 = t3 @ t5
        # body = moved_on(body, -mu * body.m * body.x / np.sum(body.x**2) ** ...
        t5 *= 0.05 / t
        t = t5 @ x
        dx = dx - t1 * t5 - 3.0 * (t2 @ t5) * t4 ** 0.5 * x
        dm -= t * mu + t6
        dmu -= t * m
    return Body(x=dx, v=dv, m=dm), dmu
