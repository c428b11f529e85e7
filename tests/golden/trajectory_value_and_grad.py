import math


def trajectory_value_and_grad(x0, k, steps):
    # x0: float, k: float, steps: int
    xs = [x0]
    tape = []
    for _ in range(steps):
        t = xs[-1]
        tape.append(t)
        xs.append(t + 0.1 * math.sin(k * t))
    t1 = len(xs)
    loss = 0.0
    for x in xs:
        loss += (x - 1.0) ** 2
    value = loss / t1
    dxs = [0.0] * t1
    for i in reversed(range(t1)):
        x = xs[i]
        # loss += (x - 1.0) ** 2
        dxs[i] = 2.0 * (x - 1.0) / t1
    dk = 0.0
    for _ in reversed(range(steps)):
        t = tape.pop()
        # xs.append(xs[-1] + 0.1 * math.sin(k * xs[-1]))
        t2 = dxs.pop()
        t3 = 0.1 * t2 * math.cos(k * t)
        dk += t3 * t
        dxs[-1] += t2 + t3 * k
    dx0 = dxs[0]
    return value, (dx0, dk)
