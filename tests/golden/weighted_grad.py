def weighted_grad(x, k):
    # x: f64[n], k: float
    s = 0.0
    tape = []
    for i, v in enumerate(x):
        tape.append(s)
        s = k * s * v + i
    ds = 1.0
    dk = 0.0
    for v in reversed(x):
        s = tape.pop()
        # s = k * s * v + i
        ds_times_v = ds * v
        ds = ds_times_v * k
        dk += ds_times_v * s
    return dk
