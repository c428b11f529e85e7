import numpy as np


def moving_average_vjp(x, width):
    # x: f64[n], width: int
    running = np.sum(x[:width])
    t = running / width
    total = t ** 2
    n = len(x)
    tape = []
    for i in range(width, n):
        running += x[i] - x[i - width]
        t1 = running / width
        tape.append(t1)
        total += t1 ** 2
    x = np.copy(x)

    def pullback(dtotal):
        dx = np.zeros_like(x)
        # total += (running / width) ** 2
        t1 = 2.0 * dtotal
        drunning = 0.0
        dwidth = 0.0
        for i, t2 in zip(reversed(range(width, n)), reversed(tape)):
            # total += (running / width) ** 2
            t3 = t1 * t2 / width
            drunning += t3
            dwidth -= t2 * t3
            # running += x[i] - x[i - width]
            dx[i - width] -= drunning
            dx[i] += drunning
        # total = (running / width) ** 2
        t1 = 2.0 * dtotal * t / width
        dwidth -= t * t1
        # running = np.sum(x[:width])
        dx[:width] += drunning + t1
        return dx, dwidth

    return total, pullback
