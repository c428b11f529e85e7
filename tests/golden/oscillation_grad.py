import math

import numpy as np


def oscillation_grad(x, v, steps):
    # x: float, v: float, steps: int
    trace_0 = [x]
    trace_1 = [v]
    tape = []
    for _ in range(steps):
        tape.append(x)
        v -= 0.1 * math.sin(x)
        x += 0.1 * v
        trace_0.append(x)
        trace_1.append(v)
    states = np.array(list(zip(trace_0, trace_1)))
    dstates = np.zeros_like(states)
    dstates[-1, 1] = 0.5
    dstates[:, 0] += 2.0 * states[:, 0]
    # states = np.array(trace)
    dtrace_0 = dstates[:, 0].tolist()
    dtrace_1 = dstates[:, 1].tolist()
    dv = 0.0
    dx = 0.0
    for _ in reversed(range(steps)):
        x = tape.pop()
        # trace.append((x, v))
        dtrace_1_last = dtrace_1.pop()
        dtrace_0_last = dtrace_0.pop()
        dx += dtrace_0_last
        # x += 0.1 * v
        dv += dtrace_1_last + 0.1 * dx
        # v -= 0.1 * math.sin(x)
        dx -= 0.1 * dv * math.cos(x)
    dv += dtrace_1[0]
    dx += dtrace_0[0]
    return dx, dv
