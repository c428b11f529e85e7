import numpy as np


def spring_chain_jvp(x, v, stiffness, steps, dx, dv, dstiffness, dsteps):
    # x: f64[n], v: f64[n], stiffness: float, steps: int, dx: f64[n], dv: f64[n],
    # dstiffness: float
    x = x.copy()
    dx = np.copy(dx)
    v = v.copy()
    dv = np.copy(dv)
    n = len(x)
    # v[i] += 0.1 * stiffness * (right - left)
    scaled_dstiffness = 0.1 * dstiffness
    for _ in range(steps):
        for i in range(n):
            if i > 0:
                left = x[i] - x[i - 1]
                dleft = dx[i] - dx[i - 1]
            else:
                left = x[i]
                dleft = dx[i]
            if i < n - 1:
                right = x[i + 1] - x[i]
                dright = dx[i + 1] - dx[i]
            else:
                right = -x[i]
                dright = -dx[i]
            scaled_stiffness = 0.1 * stiffness
            right_minus_left = right - left
            v[i] += scaled_stiffness * right_minus_left
            dv[i] += (
                scaled_dstiffness * right_minus_left
                + (dright - dleft) * scaled_stiffness
            )
        x += 0.1 * v
        dx += 0.1 * dv
    value = 0.5 * np.sum(v * v) + np.sum(x * x)
    t = 0.5 * (2.0 * dv @ v) + 2.0 * dx @ x
    return value, t
