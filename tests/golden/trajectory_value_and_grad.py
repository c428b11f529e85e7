import math


def trajectory_value_and_grad(x0, k, steps):
    # x0: float, k: float, steps: int
    xs = [x0]
    tape = []
    for _ in range(steps):
        xs_last = xs[-1]
        tape.append(xs_last)
        xs.append(xs_last + 0.1 * math.sin(k * xs_last))
    len_xs = len(xs)
    loss = 0.0
    for x in xs:
        loss += (x - 1.0) ** 2
    value = loss / len_xs
    dxs = [0.0] * len_xs
    for i in reversed(range(len_xs)):
        x = xs[i]
        # loss += (x - 1.0) ** 2
        dxs[i] = 2.0 * (x - 1.0) / len_xs
    dk = 0.0
    for _ in reversed(range(steps)):
        xs_last = tape.pop()
        # xs.append(xs[-1] + 0.1 * math.sin(k * xs[-1]))
        dxs_last = dxs.pop()
        dk_factor = 0.1 * dxs_last * math.cos(k * xs_last)
        dk += dk_factor * xs_last
        dxs[-1] += dxs_last + dk_factor * k
    dx0 = dxs[0]
    return value, (dx0, dk)
