"""ba: bundle adjustment, after ADBench: the errors of the projections of points, and their sparse Jacobian."""

from functools import partial
from typing import Any

import numpy as np

from sct import vjp


def cross(a, b):
    return np.stack((a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]))


def rotate(axis, X):
    """Rodrigues' formula; vectors are columns."""
    theta = np.sqrt(np.sum(axis * axis, axis=0))
    cos, sin = np.cos(theta), np.sin(theta)
    w = axis / theta
    return X * cos + cross(w, X) * sin + w * (np.sum(w * X, axis=0) * (1.0 - cos))


def project(cam, X):
    Xcam = rotate(cam[:3], X - cam[3:6])
    p = Xcam[:2] / Xcam[2]
    rsq = np.sum(p * p, axis=0)
    p = p * (1.0 + cam[9] * rsq + cam[10] * rsq * rsq)
    return p * cam[6] + cam[7:9]


def reprojection_errors(cam, X, w, feat):
    """For columns of cameras, points and features, one for each observation: [2, p]."""
    return w * (project(cam, X) - feat)


def weight_errors(w):
    return 1.0 - w * w


def arguments(fields: dict[str, Any]) -> tuple[Any, ...]:
    n, m, p = (fields[name] for name in "nmp")
    cams, points = (np.tile(np.array(fields[name], float), (count, 1)) for name, count in (("cam", n), ("x", m)))
    w, feat = np.full(p, float(fields["w"])), np.tile(np.array(fields["feat"], float), (p, 1))
    return cams, points, w, feat


def observed(cams, points, w, feat):
    """Observation i is of the point i mod m, by the camera i mod n."""
    i = np.arange(len(w))
    return cams[i % len(cams)].T, points[i % len(points)].T, w, feat.T


def objective(*args: Any) -> dict[str, Any]:
    cam, X, w, feat = observed(*args)
    errors, count = reprojection_errors(cam, X, w, feat), len(w)
    return {
        "reproj_error": {"elements": errors[:, 0], "repeated": count},
        "w_err": {"element": weight_errors(w)[0], "repeated": count},
    }


def jacobian(cams, points, w, feat) -> dict[str, Any]:
    """The Jacobian in compressed rows: two for each projection, and one for each weight."""
    n, m, p = len(cams), len(points), len(w)
    values, i = blocks(cams, points, w, feat), np.arange(p)
    columns = np.empty((p, 15), int)
    columns[:, :11] = 11 * (i % n)[:, None] + np.arange(11)
    columns[:, 11:14] = 11 * n + 3 * (i % m)[:, None] + np.arange(3)
    columns[:, 14] = 11 * n + 3 * m + i
    _, pullback = vjp(weight_errors, w)
    return {
        "rows": np.concatenate((15 * np.arange(2 * p + 1), 30 * p + 1 + i)),
        "cols": np.concatenate((np.repeat(columns, 2, axis=0).ravel(), 11 * n + 3 * m + i)),
        "vals": np.concatenate((values.ravel(), pullback(np.ones(p))[0])),
    }


def blocks(cams, points, w, feat):
    """The derivatives of both errors of each observation: [p, 2, 15].  No observation depends on another one, so that
    one pull of ones back gives a row of all blocks."""
    args = observed(cams, points, w, feat)
    errors, pullback = vjp(reprojection_errors, *args, backend="numba")
    values = np.empty((len(w), 2, 15))
    for k in range(2):
        ones = np.zeros_like(errors)
        ones[k] = 1.0
        dcam, dX, dw, _ = pullback(ones)
        values[:, k, :11], values[:, k, 11:14], values[:, k, 14] = dcam.T, dX.T, dw
    return values


def ends_of_jacobian(*args: Any) -> dict[str, Any]:
    """Of each array its first 30 entries and the last: what GradBench compares."""
    return {name: np.append(x[:30], x[-1]) for name, x in jacobian(*args).items()}


EVAL = {
    "objective": lambda fields: partial(objective, *arguments(fields)),
    "jacobian": lambda fields: partial(ends_of_jacobian, *arguments(fields)),
}
