import numpy as np

from programs.objects import Body


def orbit_grad(body, mu, steps):
    # body: Body(x: f64[n], v: f64[n], m: float), mu: float, steps: int
    x = body.x
    v = body.v
    m = body.m
    tape = []
    for _ in range(steps):
        sum_x_sq = np.sum(x**2)
        sum_x_sq_power = sum_x_sq**1.5
        force = -mu * m * x / sum_x_sq_power
        v_term = 0.05 * force / m
        tape.append((x, sum_x_sq, sum_x_sq_power, force, v_term))
        v = v + v_term
        x = x + 0.05 * v
    mu_times_m = mu * m
    sqrt_sum_x_sq = np.sqrt(np.sum(x**2))
    dx = mu_times_m / sqrt_sum_x_sq / sqrt_sum_x_sq / sqrt_sum_x_sq * x
    dmu = -m / sqrt_sum_x_sq
    dv = m * v
    dm = 0.5 * np.sum(v**2) - mu / sqrt_sum_x_sq
    for _ in reversed(range(steps)):
        x, sum_x_sq, sum_x_sq_power, force, v_term = tape.pop()
        # return body._replace(x=body.x + dt * v, v=v)
        dv += 0.05 * dx
        # v = body.v + dt * force / body.m
        dv_over_m = dv / m
        dm_term = v_term @ dv_over_m
        # body = moved_on(body, -mu * body.m * body.x / np.sum(body.x**2) ** ...
        dv_over_m *= 0.05 / sum_x_sq_power
        dmu_factor = dv_over_m @ x
        dx = dx - mu_times_m * dv_over_m - 3.0 * (force @ dv_over_m) * sum_x_sq**0.5 * x
        dm -= dmu_factor * mu + dm_term
        dmu -= dmu_factor * m
    return Body(x=dx, v=dv, m=dm), dmu
