"""Inputs of the evaluations, at any size."""

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

Fields = dict[str, Any]


def lists(**fields: Any) -> Fields:
    return {name: value.tolist() if isinstance(value, np.ndarray) else value for name, value in fields.items()}


def rng() -> np.random.Generator:
    return np.random.default_rng(1)


def lse(n: int) -> Fields:
    return lists(x=rng().normal(size=n))


def llsq(m: int, n: int) -> Fields:
    return lists(x=rng().normal(size=m), n=n)


def ode(n: int, s: int) -> Fields:
    return lists(x=0.5 + rng().random(n), s=s)


def det(ell: int) -> Fields:
    return lists(A=rng().normal(size=ell * ell), ell=ell)


def kmeans(k: int, n: int, d: int) -> Fields:
    points = rng().random((n, d))
    return lists(points=points, centroids=points[:k] + 0.01)


def gmm(d: int, k: int, n: int) -> Fields:
    r = rng()
    return lists(d=d, k=k, n=n, m=0, gamma=1.0, x=r.normal(size=(n, d)), alpha=r.normal(size=k),
                 mu=r.random((k, d)), q=r.normal(size=(k, d)), l=r.normal(size=(k, d * (d - 1) // 2)))


def lstm(l: int, c: int, b: int = 14) -> Fields:
    r = rng()
    return lists(main_params=r.normal(size=(2 * l, 4 * b)), extra_params=r.normal(size=(3, b)),
                 state=r.normal(size=(2 * l, b)), sequence=r.normal(size=(c, b)))


def ba(n: int, m: int, p: int) -> Fields:
    r = rng()
    return lists(n=n, m=m, p=p, cam=r.random(11), x=5.0 + r.random(3), w=0.7, feat=r.random(2))


def ht(c: int, vertices: int, complicated: bool) -> Fields:
    r, bones = rng(), 22

    def transforms() -> np.ndarray:
        T = np.tile(np.eye(4), (bones, 1, 1))
        T[:, :3] += 0.1 * r.normal(size=(bones, 3, 4))
        return T

    model = lists(
        bone_count=bones, parents=[-1, *(int(r.integers(0, i)) for i in range(1, bones))],
        base_relatives=transforms(), inverse_base_absolutes=transforms(), weights=r.random((vertices, bones)) / bones,
        base_positions=np.column_stack((r.normal(size=(vertices, 3)), np.ones(vertices))),
        triangles=r.integers(0, vertices, (2 * vertices, 3)), is_mirrored=complicated)
    data = lists(model=model, points=r.normal(size=(c, 3)), correspondences=r.integers(0, vertices, c))
    return lists(theta=r.normal(size=26), us=r.random((c, 2)) if complicated else [], data=data)


SMALL: dict[str, Fields] = {
    "lse": lse(5), "llsq": llsq(3, 6), "ode": ode(4, 5), "det": det(4), "kmeans": kmeans(3, 12, 2), "gmm": gmm(3, 2, 5),
    "lstm": lstm(2, 5, 3), "ba": ba(2, 3, 7), "ht": ht(4, 10, False), "ht, complicated": ht(4, 10, True),
}
LARGE: dict[str, Callable[[], Fields]] = {
    "lse": partial(lse, 160_000), "llsq": partial(llsq, 16, 4096), "ode": partial(ode, 10_000, 100),
    "det": partial(det, 6), "kmeans": partial(kmeans, 100, 10_000, 8), "gmm": partial(gmm, 10, 25, 1000),
    "gmm, d32": partial(gmm, 32, 25, 1000), "gmm, d2": partial(gmm, 2, 5, 1000), "lstm": partial(lstm, 4, 1024),
    "ba": partial(ba, 49, 7776, 31_843), "ht": partial(ht, 100, 500, False),
    "ht, complicated": partial(ht, 100, 500, True),
}
"""The sizes that are timed: the name of the evaluation, and which size it is."""
