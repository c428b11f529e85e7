"""Neighbours, triangulations and hulls of differentiated points."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from oracle import agrees, refuses
from scipy import spatial

from sct import check_grads, grad, hvp, value_and_grad

P = np.random.default_rng(3).uniform(size=(9, 3))


def nearest(p):
    """Of points among themselves, of other points within a distance, and of single points."""
    d, i = spatial.cKDTree(p).query(p, k=3)
    near, _ = spatial.KDTree(p[2:]).query(p[:2] + 0.01, k=2, distance_upper_bound=0.4)
    one, k = spatial.KDTree(p, leafsize=4).query(np.array([0.5, 0.5, 0.5]))
    other, j = spatial.cKDTree(p).query(1.1 * p[0])
    near = np.where(np.isfinite(near), near, 0.0)
    return np.sum(d[:, 1:] * p[i[:, 1:], 0]) + np.sum(near**3) + one * p[k, 0] + other * j


def bonded(p):
    """Pairs that are near, as a molecule's are."""
    tree = spatial.KDTree(p)
    pairs = tree.query_pairs(0.6, output_type="ndarray")
    return np.sum((p[pairs[:, 0]] - p[pairs[:, 1]]) ** 2) + tree.n * tree.m * p[0, 0] + np.sum(tree.data)


def hull(p):
    """In three dimensions, and in two, where the area is the circumference."""
    whole, flat = spatial.ConvexHull(p), spatial.ConvexHull(p[:, :2])
    return whole.volume * whole.area + flat.volume / flat.area + np.sum(p[flat.vertices] ** 2) + len(whole.simplices)


def mesh(p):
    """The squared areas of triangles, and the one around a point."""
    t = spatial.Delaunay(p[:, :2])
    a, b, c = p[t.simplices[:, 0]], p[t.simplices[:, 1]], p[t.simplices[:, 2]]
    return np.sum(np.cross(b - a, c - a) ** 2) + a[t.find_simplex(np.array([[0.5, 0.5]]))[0], 0] \
        + np.sum(p[t.convex_hull]) + np.sum(t.neighbors < 0)


@pytest.mark.parametrize("f", [nearest, bonded, hull, mesh])
def test_program(f: Callable[..., Any]) -> None:
    agrees(f, P)
    check_grads(f, (P,), order=2)


def test_a_simplex_in_closed_form() -> None:
    """A tetrahedron with edges along the axes: volume a b c / 6."""
    f = lambda e: spatial.ConvexHull(np.concatenate((np.zeros((1, 3)), np.diag(e)))).volume
    e = np.array([1.0, 2.0, 3.0])
    np.testing.assert_allclose(grad(f)(e), 1.0 / e, rtol=1e-12)
    np.testing.assert_allclose(hvp(f, (e,), (np.array([1.0, 0.0, 0.0]),)), [0.0, 0.5, 1.0 / 3.0], atol=1e-12)


def test_a_point_inside_of_the_hull_has_no_slope() -> None:
    p = np.array([[0.0, 0.0], [2.0, 0.0], [1.0, 2.0], [1.0, 0.5]])
    f = lambda p: spatial.ConvexHull(p).area + spatial.ConvexHull(p).volume
    value, slope = value_and_grad(f)(p)
    assert value == f(p) and not slope[3].any() and slope[:3].any()


def test_the_distance_to_itself_has_slope_0() -> None:
    assert not grad(lambda p: np.sum(spatial.cKDTree(p).query(p)[0]))(P).any()


def test_fewer_points_than_neighbours() -> None:
    f = lambda p: np.sum(np.nan_to_num(spatial.cKDTree(p).query(p[0], k=3)[0], posinf=0.0) ** 2)
    agrees(f, P[:2])


def test_constants_are_left_to_scipy() -> None:
    tree = spatial.cKDTree(P)
    agrees(lambda x: x * len(tree.query_ball_point(P[0], 0.5)) * len(spatial.ConvexHull(P).equations), 1.5)


@pytest.mark.parametrize(("f", "code"), [
    (lambda p: len(spatial.KDTree(p).query_pairs(0.5)) * p[0, 0], "SCT402"),
    (lambda p: np.sum(spatial.KDTree(p).query(p, p=1)[0]), "SCT402"),
    (lambda p: np.sum(spatial.KDTree(p).query(p, k=[2])[0]), "SCT503"),
    (lambda p: len(spatial.KDTree(p).query_ball_point(p[0], 0.5)) * p[0, 0], "SCT502"),
    (lambda p: np.sum(spatial.ConvexHull(p).equations), "SCT502"),
    (lambda p: np.sum(spatial.Delaunay(p).transform), "SCT502"),
])
def test_refused(f: Callable[..., Any], code: str) -> None:
    refuses(f, P, code=code)
