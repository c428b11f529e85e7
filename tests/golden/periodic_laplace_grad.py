import numpy as np


def periodic_laplace_grad(u, c):
    # u: f64[n, m], c: float
    roll_u_plus_roll_u = np.roll(u, 1, axis=0) + np.roll(u, -1, axis=0)
    lap = roll_u_plus_roll_u + np.roll(u, 1, axis=1) + np.roll(u, -1, axis=1) - 4.0 * u
    frame = np.pad(u + c * lap, ((1, 1), (1, 1)))
    # return np.sum((frame[1:, :] - frame[:-1, :]) ** 2) + ...
    dframe_part = 2.0 * (frame[:, 1:] - frame[:, :-1])
    dframe = np.zeros_like(frame)
    dframe[:, :-1] = -dframe_part
    dframe[:, 1:] += dframe_part
    dframe_part = 2.0 * (frame[1:, :] - frame[:-1, :])
    dframe[:-1, :] -= dframe_part
    dframe[1:, :] += dframe_part
    # frame = np.pad(u + c * lap, ((1, 1), (1, 1)))
    du = dframe[1:-1, 1:-1]
    dlap = c * du
    # lap = np.roll(u, 1, axis=0) + np.roll(u, -1, axis=0) + np.roll(u, 1, ...
    roll_dlap_plus_du = np.roll(dlap, 1, axis=1) + du
    roll_dlap_plus_du += np.roll(dlap, -1, axis=1)
    roll_dlap_plus_du += np.roll(dlap, 1, axis=0)
    du = roll_dlap_plus_du + np.roll(dlap, -1, axis=0) - 4.0 * dlap
    return du
