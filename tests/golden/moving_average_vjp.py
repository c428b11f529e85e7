import numpy as np


def moving_average_vjp(x, width):
    # x: f64[n], width: int
    running = np.sum(x[:width])
    running_over_width = running / width
    total = running_over_width**2
    n = len(x)
    tape = []
    for i in range(width, n):
        running += x[i] - x[i - width]
        running_over_width1 = running / width
        tape.append(running_over_width1)
        total += running_over_width1**2
    x = np.copy(x)

    def pullback(dtotal):
        dx = np.zeros_like(x)
        # total += (running / width) ** 2
        twice_dtotal = 2.0 * dtotal
        drunning = 0.0
        for i, running_over_width1 in zip(reversed(range(width, n)), reversed(tape)):
            # total += (running / width) ** 2
            drunning += twice_dtotal * running_over_width1 / width
            # running += x[i] - x[i - width]
            dx[i - width] -= drunning
            dx[i] += drunning
        # running = np.sum(x[:width])
        dx[:width] += drunning + 2.0 * dtotal * running_over_width / width
        return (dx,)

    return total, pullback
