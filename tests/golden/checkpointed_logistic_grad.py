import math


def logistic_grad(x, r, n):
    # x: float, r: float, n: int
    segment = math.isqrt(abs(n)) + 1
    tape = []
    for first in range(0, n, segment):
        tape.append(x)
        last = min(first + segment, n)
        for _ in range(first, last):
            x = r * x * (1.0 - x)
    dx = 1.0
    dr = 0.0
    for first in reversed(range(0, n, segment)):
        x = tape.pop()
        last = min(first + segment, n)
        x_tape = []
        for _ in range(first, last):
            x_tape.append(x)
            x = r * x * (1.0 - x)
        for _ in reversed(range(first, last)):
            x = x_tape.pop()
            # x = r * x * (1.0 - x)
            dr_part = dx * (1.0 - x)
            dr += dr_part * x
            dx = r * (dr_part - dx * x)
    return dx, dr
