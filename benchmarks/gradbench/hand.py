"""ht: hand tracking, after ADBench: distances between points and a posed hand, and their Jacobian."""

from functools import partial
from typing import Any

import numpy as np

from sct import jacfwd


def rotation_about(axis):
    n = np.sqrt(np.sum(axis * axis))
    if n < 0.0001:
        return np.eye(3)
    x, y, z = axis / n
    s, c = np.sin(n), np.cos(n)
    return np.array([
        [x * x + (1.0 - x * x) * c, x * y * (1.0 - c) - z * s, x * z * (1.0 - c) + y * s],
        [x * y * (1.0 - c) + z * s, y * y + (1.0 - y * y) * c, y * z * (1.0 - c) - x * s],
        [x * z * (1.0 - c) - y * s, z * y * (1.0 - c) + x * s, z * z + (1.0 - z * z) * c],
    ])


def pose(theta, bones):
    """The parameters of the pose: rotation, scale, translation, and Euler angles of each bone: [3 + bones, 3]."""
    params = np.zeros((3 + bones, 3))
    params[0], params[1], params[2] = theta[:3], 1.0, theta[3:6]
    at = 6
    for finger in range(5):
        params[5 + 4 * finger, :2] = theta[at : at + 2]
        params[6 + 4 * finger, 0] = theta[at + 2]
        params[7 + 4 * finger, 0] = theta[at + 3]
        at += 4
    return params


def rotations(angles):
    """Rz @ Ry @ Rx for Euler angles x, z, y of each bone: [bones, 4, 4]."""
    (cx, cz, cy), (sx, sz, sy) = np.cos(angles).T, np.sin(angles).T
    R = np.zeros((len(angles), 4, 4))
    R[:, 0, 0], R[:, 0, 1], R[:, 0, 2] = cz * cy, cz * sy * sx - sz * cx, cz * sy * cx + sz * sx
    R[:, 1, 0], R[:, 1, 1], R[:, 1, 2] = sz * cy, sz * sy * sx + cz * cx, sz * sy * cx - cz * sx
    R[:, 2, 0], R[:, 2, 1], R[:, 2, 2] = -sy, cy * sx, cy * cx
    R[:, 3, 3] = 1.0
    return R


def vertices(theta, model):
    """The positions of the vertices of the posed hand: [vertices, 3]."""
    params = pose(theta, model["bone_count"])
    relatives = model["base_relatives"] @ rotations(params[3:])
    absolutes = np.empty_like(relatives)
    for i in range(len(relatives)):
        parent = model["parents"][i]
        absolutes[i] = relatives[i] if parent == -1 else absolutes[parent] @ relatives[i]
    transforms = (absolutes @ model["inverse_base_absolutes"])[:, :3, :]
    weighted = np.einsum("vb,bij->vij", model["weights"], transforms)
    positions = np.einsum("vij,vj->vi", weighted, model["base_positions"])
    if model["is_mirrored"]:
        positions[:, 0] *= -1.0
    return positions @ (rotation_about(params[0]) * params[1]).T + params[2]


def simple(theta, points, correspondences, model):
    return (points - vertices(theta, model)[correspondences]).ravel()


def complicated(shifts_and_theta, us, points, correspondences, model):
    """Points lie in triangles, at barycentric coordinates `us`, all of which the first two numbers shift."""
    shifts, theta = shifts_and_theta[:2], shifts_and_theta[2:]
    u, v = (us + shifts).T
    a, b, c = model["triangles"][correspondences].T
    positions = vertices(theta, model)
    hand = u[:, None] * positions[a] + v[:, None] * positions[b] + (1.0 - u - v)[:, None] * positions[c]
    return (points - hand).ravel()


simple_jacobian, complicated_jacobian = jacfwd(simple, backend="numba"), jacfwd(complicated, backend="numba")


def arguments(fields: dict[str, Any]) -> tuple[Any, ...]:
    """The function, its Jacobian, and their arguments."""
    data = fields["data"]
    model = {name: np.array(x, float) if isinstance(x, list) else x for name, x in data["model"].items()}
    model["parents"], model["triangles"] = (np.array(model[name], int) for name in ("parents", "triangles"))
    model["bone_count"], model["is_mirrored"] = int(model["bone_count"]), bool(model["is_mirrored"])
    if model["base_positions"].shape[1] == 3:
        model["base_positions"] = np.column_stack((model["base_positions"], np.ones(len(model["base_positions"]))))
    theta, us = np.array(fields["theta"], float), np.array(fields["us"], float)
    points, correspondences = np.array(data["points"], float), np.array(data["correspondences"], int)
    if not us.size:
        return simple, simple_jacobian, theta, points, correspondences, model
    return complicated, complicated_jacobian, np.append(np.zeros(2), theta), us, points, correspondences, model


def call(fields: dict[str, Any], k: int) -> Any:
    args = arguments(fields)
    return partial(args[k], *args[2:])


EVAL = {"objective": lambda fields: call(fields, 0), "jacobian": lambda fields: call(fields, 1)}
