import numpy as np


def regulator_grad(controls, start, drift, gain):
    # controls: f64[n, m], start: f64[k], drift: f64[k, k], gain: f64[k, m]
    n = len(controls)
    x = start
    tape = []
    for k in range(n):
        controls_k = controls[k]
        tape.append((x, 0.1 * controls_k))
        x = drift @ x + gain @ controls_k
    # return cost + x @ x
    dx = 2.0 * x
    dcontrols = np.zeros_like(controls)
    for k in reversed(range(n)):
        x, scaled_controls_k = tape.pop()
        # cost += x @ x + 0.1 * controls[k] @ controls[k]
        dcontrols[k] = gain.T @ dx + 2.0 * scaled_controls_k
        dx = drift.T @ dx + 2.0 * x
    return dcontrols
