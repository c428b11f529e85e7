import math


def gains_grad(x, k):
    # x: f64[n], k: float
    s = 1.0
    tape = []
    for v in x:
        s_times_v = s * v
        sin_s_times_v = math.sin(s_times_v)
        tape.append((s_times_v, sin_s_times_v))
        s += k * sin_s_times_v
    ds = 1.0
    dk = 0.0
    for v in reversed(x):
        s_times_v, sin_s_times_v = tape.pop()
        # s += k * math.sin(s * v)
        dk += ds * sin_s_times_v
        ds += ds * k * math.cos(s_times_v) * v
    return dk
