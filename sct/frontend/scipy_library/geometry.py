"""Neighbours, triangulations and hulls of points that may be differentiated: which points belong together is constant.

    d, i = KDTree(p).query(x)   ->   i as SciPy computes it, and d with the derivative of |x - p[i]|
    ConvexHull(p).volume        ->   what SciPy computes, with the derivative of the sum of its simplices
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from sct.frontend.autodiff.implicit_functions import derivative_code, standing_for
from sct.frontend.evaluator.evaluator import Evaluator
from sct.frontend.evaluator.exceptions import named_arguments
from sct.frontend.evaluator.handlers import Args, Kwargs, library_object, of_scipy
from sct.frontend.heap.inactive import leave_to_python
from sct.frontend.scipy_library.by_program import array_of_floats
from sct.frontend.values.abstract_values import Abstract, DerivedCallable, Ref, Static, Tup
from sct.frontend.values.constant_text import text_of
from sct.ir import Operand, Value
from sct.ir.dims import Dim, sym
from sct.ir.types import FLOAT, INT, Tensor
from sct.ops.program.effects import OBJECT, part
from sct.ops.program.solutions import solver

__all__: list[str] = []


# -- neighbours --------------------------------------------------------------------------------------------------------


def _distances(points: Any, x: Any, i: Any) -> Any:
    """From each point to its neighbours; infinite where there is none, and 0 with slope 0 to itself."""
    if np.ndim(i) == np.ndim(x):
        x = x[..., None, :]
    squares = np.sum((x - points[np.minimum(i, len(points) - 1)]) ** 2, axis=-1)
    roots = np.sqrt(np.where(squares > 0.0, squares, 1.0))
    return np.where(squares > 0.0, roots, 0.0)


def _distance(points: Any, x: Any, i: Any) -> Any:
    return float(_distances(points, x, i))


def _tree(name: str) -> Any:
    def handle(ev: Evaluator, args: Args, kwargs: Kwargs) -> Abstract:
        arguments = named_arguments(ev, _as_tree, args, kwargs)
        leave_to_python(ev, name, arguments.values())
        points, native = _points_and_native(ev, name, arguments, "data")

        def query(ev: Evaluator, args: Args, kwargs: Kwargs) -> Abstract:
            return _neighbours(ev, name, points, native, named_arguments(ev, _as_query, args, kwargs))

        def pairs(ev: Evaluator, args: Args, kwargs: Kwargs) -> Abstract:
            asked = named_arguments(ev, _as_pairs, args, kwargs)
            if asked.get("output_type") != Static("ndarray") or set(asked) != {"r", "output_type"}:
                ev.refuse("SCT402", f"`query_pairs` of a `{name}` of differentiated points gives a set",
                          hint="ask for an array: `query_pairs(r, output_type='ndarray')`")
            nearest = ev.emit(solver, native, ev.operand(asked["r"]), text="_0.query_pairs(_1, output_type='ndarray')",
                            type=Tensor("array", "i64", (sym(f"_pairs{native.id}_{len(ev.b.eqns)}"), Dim(2))))
            return ev.wrap(nearest)

        return library_object(ev, f"a `{name}` of differentiated points", {
            "data": points, "query": DerivedCallable(query), "query_pairs": DerivedCallable(pairs),
            **{key: ev.emit(part, native, text=f"_0.{key}", type=INT) for key in ("n", "m")}},
            ("query_ball_point", "query_ball_tree", "count_neighbors", "sparse_distance_matrix", "maxes", "mins"))

    return handle


def _as_tree(data: Any, leafsize: Any = 10, compact_nodes: Any = True, copy_data: Any = False,
             balanced_tree: Any = True, boxsize: Any = None) -> None:
    """The parameters of both classes."""


def _as_query(x: Any, k: Any = 1, eps: Any = 0.0, p: Any = 2.0, distance_upper_bound: Any = np.inf, workers: Any = 1
              ) -> None:
    """The parameters of `query`."""


def _as_pairs(r: Any, p: Any = 2.0, eps: Any = 0.0, output_type: Any = "set") -> None:
    """The parameters of `query_pairs`."""


def _neighbours(ev: Evaluator, name: str, points: Ref, native: Value, asked: Mapping[str, Abstract]) -> Abstract:
    """The distances of the nearest points, and their positions."""
    x = array_of_floats(ev, f"scipy.spatial.{name}.query", asked["x"], (1, 2))
    k = ev.ask(asked.get("k", Static(1)), "`k` of `query`")
    if type(k) is not int or set(asked) - {"x", "k", "distance_upper_bound", "workers"}:
        ev.refuse("SCT402", f"`query` of a `{name}` of differentiated points is not supported with these options",
                  why="the distances are those of Euclid", hint="pass a number `k`, and leave out `p` and `eps`")
    shape = (*ev.shape_of(x)[:-1], *([Dim(k)] if k > 1 else []))
    operands: list[Operand] = [native, ev.operand(x)]
    texts = ["_1", *([f"k={k}"] if k > 1 else [])]
    if "distance_upper_bound" in asked:
        operands.append(ev.operand(asked["distance_upper_bound"]))
        texts.append("distance_upper_bound=_2")
    nearest = ev.emit(solver, *operands, text=f"_0.query({', '.join(texts)})", type=OBJECT)
    of_array = Tensor("array", "i64", shape)
    i = ev.wrap(ev.emit(part, nearest, text="_0[1]", type=of_array) if shape else ev.emit(
        part, nearest, text="_0[1]", type=INT if name == "cKDTree" else Tensor("np", "i64")))
    with derivative_code(ev):
        like = ev.wrap(ev.operand(ev.call(Static(_distances if shape else _distance), [points, x, i])))
    return Tup((standing_for(ev, nearest, like, "_0[0]"), i))


for _name in ("KDTree", "cKDTree"):
    of_scipy(f"scipy.spatial.{_name}")(_tree(_name))


# -- triangulations and hulls ------------------------------------------------------------------------------------------


def _volume(points: Any, simplices: Any, corners: Any) -> Any:
    """The sum of the simplices over the faces of a hull, with the mean of its corners."""
    edges = points[simplices] - np.mean(points[corners], axis=0)
    return float(np.sum(np.abs(np.linalg.det(edges))) / math.factorial(points.shape[1]))


def _area(points: Any, simplices: Any, corners: Any) -> Any:
    """The sum of the faces of a hull: in two dimensions, its circumference."""
    p = points[simplices]
    edges = p[:, 1:] - p[:, :1]
    gram = np.sum(edges[:, :, None, :] * edges[:, None, :, :], axis=-1)
    return float(np.sum(np.sqrt(np.linalg.det(gram))) / math.factorial(points.shape[1] - 1))


def _points_and_native(ev: Evaluator, name: str, arguments: Mapping[str, Abstract], first: str) -> tuple[Ref, Value]:
    """The points, and the object that SciPy makes of them."""
    points = array_of_floats(ev, f"scipy.spatial.{name}", arguments[first], (2,))
    own = {key: ev.ask(v, f"`{key}` of `{name}`") for key, v in arguments.items() if key != first}
    texts = [f"{key}={text_of(v)}" for key, v in own.items()]
    native: Value = ev.emit(solver, ev.operand(points), text=f"scipy.spatial.{name}({', '.join(['_0', *texts])})",
                            type=OBJECT)
    native.hint = {"Delaunay": "triangles", "ConvexHull": "hull"}.get(name, "tree")
    return points, native


def _parts(ev: Evaluator, native: Value, shapes: Mapping[str, Sequence[Dim]]) -> dict[str, Abstract]:
    return {key: ev.wrap(ev.emit(part, native, text=f"_0.{key}", type=Tensor("array", "i32", tuple(shape))))
            for key, shape in shapes.items()}


def _as_qhull(points: Any, incremental: Any = False, qhull_options: Any = None) -> None:
    """The parameters of both classes."""


@of_scipy("scipy.spatial.Delaunay")
def _delaunay(ev: Evaluator, args: Args, kwargs: Kwargs) -> Abstract:
    arguments = named_arguments(ev, _as_qhull, args, kwargs)
    leave_to_python(ev, "Delaunay", arguments.values())
    points, native = _points_and_native(ev, "Delaunay", arguments, "points")
    d, count = ev.shape_of(points)[1], sym(f"_simplices{native.id}")

    def find(ev: Evaluator, args: Args, kwargs: Kwargs) -> Abstract:
        x = array_of_floats(ev, "scipy.spatial.Delaunay.find_simplex", args[0], (1, 2))
        if len(args) != 1 or kwargs:
            ev.refuse("SCT402", "`find_simplex` with options is not supported", hint="pass only the points")
        return ev.wrap(ev.emit(solver, native, ev.operand(x), text="_0.find_simplex(_1)",
                               type=Tensor("array", "i32", ev.shape_of(x)[:-1])))

    return library_object(ev, "a `Delaunay` of differentiated points", {
        "points": points, "find_simplex": DerivedCallable(find), **_parts(ev, native, {
            "simplices": (count, d + 1), "neighbors": (count, d + 1), "convex_hull": (sym(f"_faces{native.id}"), d)})},
        ("transform", "equations", "coplanar", "vertex_to_simplex", "vertex_neighbor_vertices", "lift_points",
         "plane_distance", "vertices"))


@of_scipy("scipy.spatial.ConvexHull")
def _hull(ev: Evaluator, args: Args, kwargs: Kwargs) -> Abstract:
    arguments = named_arguments(ev, _as_qhull, args, kwargs)
    leave_to_python(ev, "ConvexHull", arguments.values())
    points, native = _points_and_native(ev, "ConvexHull", arguments, "points")
    d, count = ev.shape_of(points)[1], sym(f"_faces{native.id}")
    whole = _parts(ev, native, {"vertices": (sym(f"_corners{native.id}"),), "simplices": (count, d),
                                "neighbors": (count, d)})
    sizes = {}
    for key, program in (("volume", _volume), ("area", _area)):
        with derivative_code(ev):
            like = ev.wrap(ev.operand(ev.call(Static(program), [
                points, whole["simplices"], whole["vertices"]])))
        sizes[key] = standing_for(ev, ev.emit(part, native, text=f"_0.{key}", type=FLOAT), like)
    return library_object(ev, "a `ConvexHull` of differentiated points", {"points": points, **whole, **sizes},
                          ("equations", "coplanar", "good", "max_bound", "min_bound"))
