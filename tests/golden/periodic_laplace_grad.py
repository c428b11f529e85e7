import numpy as np


def periodic_laplace_grad(u, c):
    # u: f64[n, m], c: float
    t = np.roll(u, 1, axis=0) + np.roll(u, -1, axis=0)
    lap = t + np.roll(u, 1, axis=1) + np.roll(u, -1, axis=1) - 4.0 * u
    frame = np.pad(u + c * lap, ((1, 1), (1, 1)))
    # return np.sum((frame[1:, :] - frame[:-1, :]) ** 2) + ...
    t = 2.0 * (frame[:, 1:] - frame[:, :-1])
    dframe = np.zeros_like(frame)
    dframe[:, :-1] = -t
    dframe[:, 1:] += t
    t = 2.0 * (frame[1:, :] - frame[:-1, :])
    dframe[:-1, :] -= t
    dframe[1:, :] += t
    # frame = np.pad(u + c * lap, ((1, 1), (1, 1)))
    du = dframe[1:-1, 1:-1]
    dlap = c * du
    # lap = np.roll(u, 1, axis=0) + np.roll(u, -1, axis=0) + np.roll(u, 1, ...
    t = np.roll(dlap, 1, axis=1) + du
    t += np.roll(dlap, -1, axis=1)
    t += np.roll(dlap, 1, axis=0)
    du = t + np.roll(dlap, -1, axis=0) - 4.0 * dlap
    return du
