import numpy as np


def moving_average_jacobian(x, width):
    # x: f64[n], width: int
    running = np.sum(x[:width])
    running_over_width = running / width
    n = len(x)
    tape = []
    for i in range(width, n):
        running += x[i] - x[i - width]
        tape.append(running / width)
    dx = np.zeros_like(x)
    drunning = 0.0
    for i in reversed(range(width, n)):
        running_over_width1 = tape.pop()
        # total += (running / width) ** 2
        drunning += 2.0 * running_over_width1 / width
        # running += x[i] - x[i - width]
        dx[i - width] -= drunning
        dx[i] += drunning
    # running = np.sum(x[:width])
    dx[:width] += drunning + 2.0 * running_over_width / width
    return dx
