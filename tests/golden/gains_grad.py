import math


def gains_grad(x, k):
    # x: f64[n], k: float
    s = 1.0
    tape = []
    for v in x:
        t = s * v
        t1 = math.sin(t)
        tape.append((t, t1))
        s += k * t1
    ds = 1.0
    dk = 0.0
    for v in reversed(x):
        t, t1 = tape.pop()
        # s += k * math.sin(s * v)
        dk += ds * t1
        ds += ds * k * math.cos(t) * v
    return dk
