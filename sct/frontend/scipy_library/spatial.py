"""Distances between points, and rotations of them: functions of `scipy.spatial`.

    cdist(a, b, "cityblock")   ->   what SciPy computes, with the derivative of `_of_pairs`
"""

from __future__ import annotations

import functools
import inspect
import math
import sys
from collections.abc import Callable
from dataclasses import replace
from typing import Any, NoReturn

import numpy as np

from sct.frontend.arguments.lift import opaque
from sct.frontend.autodiff.implicit_functions import derivative_code, standing_for
from sct.frontend.evaluator.evaluator import Evaluator
from sct.frontend.evaluator.exceptions import named_arguments
from sct.frontend.evaluator.handlers import Args, Kwargs, of_scipy, special
from sct.frontend.numpy_library.op_calls import call_named
from sct.frontend.objects.class_of import stand_in_class
from sct.frontend.scipy_library.by_program import Program, array_of_floats, handler, register
from sct.frontend.values.abstract_values import Abstract, ObjRef, Ref, Static
from sct.ir import Value
from sct.ir.dims import Dim
from sct.ir.types import Tensor
from sct.ops.program.effects import OBJECT
from sct.ops.program.solutions import solver

__all__ = ["value_of_rotation"]


# -- distances ---------------------------------------------------------------------------------------------------------


def _root(s: Any, p: Any) -> Any:
    """A root of sums that may be 0, where it has no derivative."""
    return np.where(s > 0.0, np.where(s > 0.0, s, 1.0) ** (1.0 / p), 0.0)


def _direction(u: Any) -> Any:
    return u / np.sqrt(np.sum(u * u, axis=-1, keepdims=True))


def _quotient(x: Any, y: Any) -> Any:
    """A quotient, which is 0 where both are."""
    return np.where(y > 0.0, x / np.where(y > 0.0, y, 1.0), 0.0)


def _of_pairs(u: Any, v: Any, metric: Any, p: Any, weights: Any) -> Any:
    """The distances between points along the last axis."""
    if metric == "cosine":
        return 1.0 - np.sum(_direction(u) * _direction(v), axis=-1)
    if metric == "correlation":
        u, v = u - np.mean(u, axis=-1, keepdims=True), v - np.mean(v, axis=-1, keepdims=True)
        return 1.0 - np.sum(_direction(u) * _direction(v), axis=-1)
    if metric == "jensenshannon":
        u, v = u / np.sum(u, axis=-1, keepdims=True), v / np.sum(v, axis=-1, keepdims=True)
        m = 0.5 * (u + v)
        terms = u * np.log(np.where(u > 0.0, u, 1.0) / np.where(u > 0.0, m, 1.0)) \
            + v * np.log(np.where(v > 0.0, v, 1.0) / np.where(v > 0.0, m, 1.0))
        return _root(0.5 * np.sum(terms, axis=-1), 2.0)
    d = u - v
    if metric == "canberra":
        return np.sum(_quotient(np.abs(d), np.abs(u) + np.abs(v)), axis=-1)
    if metric == "braycurtis":
        return np.sum(np.abs(d), axis=-1) / np.sum(np.abs(u + v), axis=-1)
    if metric == "chebyshev":
        return np.max(np.abs(d), axis=-1)
    if metric == "minkowski":
        powers = np.abs(d) ** p
        return _root(np.sum(powers if weights is None else weights * powers, axis=-1), p)
    if metric == "cityblock":
        return np.sum(np.abs(d) if weights is None else weights * np.abs(d), axis=-1)
    if metric == "sqeuclidean":
        return np.sum(d * d if weights is None else weights * (d * d), axis=-1)
    raise ValueError(f"Unknown Distance Metric: {metric}")


def _squares(u: Any, v: Any, metric: Any, weights: Any, matrix: Any) -> Any:
    """The squares of the distances between points along the last axis."""
    d = u - v
    if metric == "mahalanobis":
        return np.sum(d @ matrix * d, axis=-1)
    if metric == "seuclidean":
        return np.sum(d * d / matrix, axis=-1)
    return np.sum(d * d if weights is None else weights * (d * d), axis=-1)


def _matrix_of(points: Any, metric: Any, V: Any, VI: Any) -> Any:
    """The matrix that distances are relative to: by default, it is computed from all of the points."""
    if metric == "seuclidean":
        return np.var(points, axis=0, ddof=1) if V is None else V
    if metric == "mahalanobis":
        return np.linalg.inv(np.cov(points.T)).T if VI is None else VI
    return None


def _between(XA: Any, XB: Any, _V: Any, _VI: Any, w: Any, p: Any, metric: Any) -> Any:
    return _of_pairs(XA[:, None, :], XB[None, :, :], metric, 2.0 if p is None else p, w)


def _among(X: Any, _V: Any, _VI: Any, w: Any, p: Any, metric: Any) -> Any:
    i, j = np.triu_indices(len(X), 1)
    return _of_pairs(X[i], X[j], metric, 2.0 if p is None else p, w)


def _squares_between(XA: Any, XB: Any, V: Any, VI: Any, w: Any, metric: Any, p: Any) -> Any:
    matrix = _matrix_of(np.concatenate((XA, XB)), metric, V, VI)
    return _squares(XA[:, None, :], XB[None, :, :], metric, w, matrix)


def _squares_among(X: Any, V: Any, VI: Any, w: Any, metric: Any, p: Any) -> Any:
    i, j = np.triu_indices(len(X), 1)
    return _squares(X[i], X[j], metric, w, _matrix_of(X, metric, V, VI))


def _with_exponent_of(x: Any, y: Any, p: Any) -> Any:
    return _of_pairs(x, y, "chebyshev" if p == math.inf else "minkowski", p, None)


def _distance_matrix(x: Any, y: Any, p: Any) -> Any:
    return _with_exponent_of(x[:, None, :], y[None, :, :], p)


def _minkowski(u: Any, v: Any, p: Any, w: Any) -> Any:
    return _of_pairs(u, v, "minkowski", p, w)[()]


_METRICS = frozenset((
    "braycurtis", "canberra", "chebyshev", "cityblock", "correlation", "cosine", "euclidean", "jensenshannon",
    "mahalanobis", "minkowski", "seuclidean", "sqeuclidean"))
_TAKES: dict[str, Callable[[Any], bool]] = {"metric": _METRICS.__contains__}
_MORE = ("V", "VI", "w")


def _either(name: str, of_roots: Program, of_others: Program, usual: Callable[[Args, Kwargs], bool] | None = None
            ) -> None:
    """Registers the handler of distances, which are roots of quadratic forms or others."""
    roots, others = handler(name, replace(of_roots, is_root=True)), handler(name, of_others)

    @of_scipy(name)
    def distances(ev: Evaluator, args: Args, kwargs: Kwargs) -> Abstract:
        if usual is not None and usual(args, kwargs):
            return call_named(ev, name, args, kwargs)
        function = getattr(sys.modules[name.rpartition(".")[0]], name.rpartition(".")[2])
        arguments: dict[str, Any] = named_arguments(ev, function, args, kwargs)
        arguments.update(arguments.pop("kwargs", {}))
        metric = ev.ask(arguments.get("metric", Static("minkowski")), "the metric")
        if arguments.get("w", Static(None)) != Static(None) and metric not in _WEIGHTED:
            ev.refuse("SCT402", f"the derivative of `{name}` with weights is not supported for this metric",
                      hint="write the weighted distance as a formula of NumPy, or use 'minkowski' with `w`")
        return (roots if _is_root(metric, arguments) else others)(ev, args, _with_exponent(ev, kwargs))


_WEIGHTED = ("cityblock", "euclidean", "minkowski", "sqeuclidean")


def _is_root(metric: Any, arguments: dict[str, Any]) -> bool:
    """Are the distances with these arguments roots of quadratic forms, of which the exponents are known?"""
    p = arguments.get("p", Static(2))
    of_two = isinstance(p, Static) and p.value in (None, 2)
    return metric in ("seuclidean", "mahalanobis", "euclidean") or metric == "minkowski" and of_two


def _is_usual(first: int) -> Callable[[Args, Kwargs], bool]:
    """Are these distances ops?  They have `first` arrays, and perhaps a metric."""
    def usual(args: Args, kwargs: Kwargs) -> bool:
        options = args[first:]
        metric = options[0] if options else kwargs.get("metric", Static("euclidean"))
        return metric in (Static("euclidean"), Static("sqeuclidean")) and len(options) < 2 \
            and not set(kwargs) - {"X", "XA", "XB", "metric"}

    return usual


register("scipy.spatial.distance", {
    "mahalanobis": Program(lambda u, v, VI: _squares(u, v, "mahalanobis", None, VI)[()], ("u", "v", "VI"), ranks=(1, 2),
                           is_root=True),
    "seuclidean": Program(lambda u, v, V: float(_squares(u, v, "seuclidean", None, V)), ("u", "v", "V"), ranks=(1,),
                          is_root=True)})
_either("scipy.spatial.distance.minkowski",
        Program(lambda u, v, w, p: float(_squares(u, v, "minkowski", w, None)), ("u", "v", "w"), ("p",), ranks=(0, 1)),
        Program(_minkowski, ("u", "v", "p", "w"), ranks=(0, 1)))
_either("scipy.spatial.distance_matrix",
        Program(lambda x, y, p: _squares(x[:, None, :], y[None, :, :], "minkowski", None, None), ("x", "y"), ("p",),
                ranks=(2,)),
        Program(_distance_matrix, ("x", "y"), ("p",), ranks=(2,)))
_either("scipy.spatial.minkowski_distance",
        Program(lambda x, y, p: _squares(x, y, "minkowski", None, None), ("x", "y"), ("p",), ranks=(1, 2, 3)),
        Program(_with_exponent_of, ("x", "y"), ("p",), ranks=(1, 2, 3)))
_either("scipy.spatial.distance.pdist",
        Program(_squares_among, ("X", *_MORE), ("metric", "p"), ranks=(0, 1, 2), takes=_TAKES),
        Program(_among, ("X", *_MORE, "p"), ("metric",), ranks=(0, 1, 2), takes=_TAKES), _is_usual(1))
_either("scipy.spatial.distance.cdist",
        Program(_squares_between, ("XA", "XB", *_MORE), ("metric", "p"), ranks=(0, 1, 2), takes=_TAKES),
        Program(_between, ("XA", "XB", *_MORE, "p"), ("metric",), ranks=(0, 1, 2), takes=_TAKES), _is_usual(2))


def _with_exponent(ev: Evaluator, kwargs: Kwargs) -> Kwargs:
    """The keywords; an exponent that is known is a float, at least 1."""
    p = kwargs.get("p", Static(None))
    if not isinstance(p, Static) or p.value is None:
        return kwargs
    if type(p.value) not in (int, float) or not 1.0 <= p.value < math.inf:
        ev.refuse("SCT402", f"distances with `p={p.value}` are not differentiated",
                  hint="write them out with functions of NumPy")
    return {**kwargs, "p": Static(float(p.value))}


# -- rotations ---------------------------------------------------------------------------------------------------------


class Rotations:
    """A `Rotation`, where the function is evaluated; its methods have handlers."""

    def as_matrix(self) -> Any: ...

    def as_quat(self) -> Any: ...

    def as_rotvec(self) -> Any: ...

    def magnitude(self) -> Any: ...

    def apply(self, vectors: Any, inverse: Any = False) -> Any: ...

    def inv(self) -> Any: ...

    def __mul__(self, other: Any) -> Any: ...

    def other(self, value: Any = None) -> Any:
        """Stands for what SciPy's objects have besides."""


@functools.cache
def _class_of_rotations() -> Any:
    """Their class, for which `isinstance` holds that holds for SciPy's."""
    return stand_in_class(Rotations, sys.modules["scipy.spatial.transform"].Rotation, Rotations.other)


# The programs compute with quaternions, whose real part is the last of their four numbers.


def _of_quaternion(quat: Any) -> Any:
    return quat / np.sqrt(np.sum(quat * quat, axis=-1, keepdims=True))


def _of_vector(rotvec: Any, degrees: Any) -> Any:
    """Of rotations around vectors by their lengths, which may be 0."""
    rotvec = rotvec * (math.pi / 180.0 if degrees else 1.0)
    squared = np.sum(rotvec * rotvec, axis=-1, keepdims=True)
    small = squared < 1e-6
    angle = np.sqrt(np.where(small, 1.0, squared))
    factor = np.where(small, 0.5 - squared / 48.0 + squared * squared / 3840.0, np.sin(0.5 * angle) / angle)
    real = np.where(small, 1.0 - squared / 8.0 + squared * squared / 384.0, np.cos(0.5 * angle))
    return np.concatenate((rotvec * factor, real), axis=-1)


def _product(p: Any, q: Any) -> Any:
    """The rotation q, and then p."""
    u, v, a, b = p[..., :3], q[..., :3], p[..., 3:], q[..., 3:]
    imaginary = a * v + b * u + np.cross(u, v)
    return np.concatenate((imaginary, a * b - np.sum(u * v, axis=-1, keepdims=True)), axis=-1)


def _of_angles(angles: Any, seq: Any, degrees: Any) -> Any:
    """Of rotations around axes: capital letters name those of what is rotated."""
    half = angles * (math.pi / 360.0 if degrees else 0.5)
    result = None
    for k in range(len(seq)):
        angle = half if np.ndim(angles) == 0 else half[..., k]
        axis = "xyz".index(seq[k].lower())
        parts = [0.0 * angle] * 4
        parts[axis], parts[3] = np.sin(angle), np.cos(angle)
        each = np.array(parts) if np.ndim(angle) == 0 else np.stack(parts, axis=-1)
        if result is None:
            result = each
        else:
            result = _product(result, each) if seq.isupper() else _product(each, result)
    return result


def _matrix(q: Any) -> Any:
    x, y, z, w = q[..., 0], q[..., 1], q[..., 2], q[..., 3]
    rows = [[1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y - z * w), 2.0 * (x * z + y * w)],
            [2.0 * (x * y + z * w), 1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z - x * w)],
            [2.0 * (x * z - y * w), 2.0 * (y * z + x * w), 1.0 - 2.0 * (x * x + y * y)]]
    return np.stack([np.stack(row, axis=-1) for row in rows], axis=-2)


def _with_sign(q: Any, y: Any) -> Any:
    """A quaternion and its negative are the same rotation: the one that SciPy gives."""
    return q * np.sign(np.sum(q * y, axis=-1, keepdims=True))


def _vector(q: Any) -> Any:
    """The vector around which the rotation is; its angle is at most half a turn."""
    q = q * np.where(q[..., 3:] < 0.0, -1.0, 1.0)
    squared = np.sum(q[..., :3] ** 2, axis=-1, keepdims=True)
    small = squared < 1e-8
    length = np.sqrt(np.where(small, 1.0, squared))
    return q[..., :3] * np.where(small, 2.0 + squared / 3.0, 2.0 * np.arctan2(length, q[..., 3:]) / length)


def _angle(q: Any) -> Any:
    return 2.0 * np.arctan2(np.sqrt(np.sum(q[..., :3] ** 2, axis=-1)), np.abs(q[..., 3]))


def _rotated(q: Any, vectors: Any, inverse: Any) -> Any:
    return _by_matrix(_matrix(q), vectors, inverse)


def _by_matrix(matrix: Any, vectors: Any, inverse: Any) -> Any:
    if inverse:
        matrix = np.swapaxes(matrix, -1, -2)
    return np.sum(matrix * vectors[..., None, :], axis=-1)


def _inverse(q: Any) -> Any:
    return np.concatenate((-q[..., :3], q[..., 3:]), axis=-1)


def _constructor(name: str, program: Callable[..., Any], options: tuple[str, ...] = ()) -> None:
    """Registers a function that makes rotations of an array."""
    @of_scipy(f"scipy.spatial.transform.Rotation.{name}")
    def handle(ev: Evaluator, args: Args, kwargs: Kwargs) -> Abstract:
        function = getattr(sys.modules["scipy.spatial.transform"].Rotation, name)
        signature = inspect.signature(function)
        arguments = named_arguments(ev, function, args, kwargs)
        asked = {key: ev.ask(arguments.get(key, Static(parameter.default)), f"`{key}` of `{name}`")
                 for key, parameter in signature.parameters.items() if key in options or key in arguments
                 and parameter.default is not parameter.empty}
        for key, value in asked.items():
            if key not in options and value != signature.parameters[key].default:
                ev.refuse("SCT402", f"`{key}` of `Rotation.{name}` is not supported", hint=f"leave `{key}` out")
        key = next(key for key in signature.parameters if key not in options and key not in asked)
        x = _array(ev, f"Rotation.{name}", arguments[key], (0, 1, 2) if name == "from_euler" else (1, 2))
        texts = [repr(asked[k]) if k in options and k != "degrees" else "_0" for k in arguments if k in (key, *options)
                 and k != "degrees"]
        texts += ["degrees=True"] * bool(asked.get("degrees"))
        text = f"scipy.spatial.transform.Rotation.{name}({', '.join(texts)})"
        native = ev.emit(solver, ev.operand(x), text=text, type=OBJECT)
        native.hint = "rotation"
        with derivative_code(ev):
            quaternion = ev.call(Static(program), [x, *(Static(asked[k]) for k in options)])
        return ev.new_object(_class_of_rotations(), {"_native": native, "_quaternion": quaternion})


def _array(ev: Evaluator, name: str, v: Abstract, ranks: tuple[int, ...]) -> Abstract:
    t = ev.type_of(v) if isinstance(v, (Ref, Value, Static)) else None
    if 0 in ranks and isinstance(t, Tensor) and not t.rank and t.kind in "fi":
        return v
    return array_of_floats(ev, name, v, ranks)


_constructor("from_quat", _of_quaternion)
_constructor("from_rotvec", _of_vector, ("degrees",))
_constructor("from_euler", _of_angles, ("seq", "degrees"))


def _parts(ev: Evaluator, v: Abstract) -> tuple[Value, Abstract]:
    """The object of SciPy, and the quaternion."""
    if isinstance(v, ObjRef) and v.cls is _class_of_rotations():
        cell = ev.slots(v)
        slots = dict(zip(cell.keys, cell.items))
        if isinstance(slots["_native"], Value):
            return slots["_native"], slots["_quaternion"]
    ev.refuse("SCT502", "this is no rotation, or which one it is depends on the path",
              hint="use it in each of the branches")


def _reads(name: str, program: Callable[..., Any], by_value: bool = False) -> None:
    """Registers a method that gives an array."""
    @special(getattr(Rotations, name))
    def handle(ev: Evaluator, args: Args, kwargs: Kwargs) -> Abstract:
        native, q = _parts(ev, args[0])
        with derivative_code(ev):
            # The type of the value is that of the program, which reads it.
            t = ev.operand(ev.call(Static(program), [q, q] if by_value else [q])).type
        value = ev.emit(solver, native, text=f"_0.{name}()", type=t)
        with derivative_code(ev):
            like = ev.call(Static(program), [q, ev.wrap(value)] if by_value else [q])
        return standing_for(ev, value, like)


_reads("as_matrix", _matrix)
_reads("as_quat", _with_sign, by_value=True)
_reads("as_rotvec", _vector)
_reads("magnitude", _angle)


@special(Rotations.apply)
def _apply(ev: Evaluator, args: Args, kwargs: Kwargs) -> Abstract:
    """The vectors, rotated."""
    arguments = named_arguments(ev, Rotations.apply, args, kwargs)
    native, q = _parts(ev, arguments["self"])
    vectors = array_of_floats(ev, "Rotation.apply", arguments["vectors"], (1, 2))
    inverse = bool(ev.ask(arguments.get("inverse", Static(False)), "`inverse` of `Rotation.apply`"))
    with derivative_code(ev):
        like = ev.call(Static(_rotated), [q, vectors, Static(inverse)])
    text = f"_0.apply(_1{', inverse=True' * inverse})"
    return standing_for(ev, ev.emit(solver, native, ev.operand(vectors), text=text, type=ev.operand(like).type), like)


def value_of_rotation(ev: Evaluator, fn: Static, args: Args, kwargs: Kwargs) -> Abstract | None:
    """Vectors under a single rotation from outside; None for other calls."""
    cls = getattr(sys.modules.get("scipy.spatial.transform"), "Rotation", None)
    owner: Any = getattr(fn.peek, "__self__", None)
    if cls is None or type(owner) is not cls or fn.path is None or fn.peek.__name__ != "apply" or not owner.single:
        return None
    native = opaque(ev, Static(owner, (*fn.path, ("attr", "__self__"))))
    arguments = named_arguments(ev, Rotations.apply, [Static(None), *args], kwargs)
    vectors = array_of_floats(ev, "Rotation.apply", arguments["vectors"], (1, 2))
    inverse = bool(ev.ask(arguments.get("inverse", Static(False)), "`inverse` of `Rotation.apply`"))
    matrix = ev.wrap(ev.emit(solver, native, text="_0.as_matrix()", type=Tensor("array", "f64", (Dim(3), Dim(3)))))
    with derivative_code(ev):
        like = ev.call(Static(_by_matrix), [matrix, vectors, Static(inverse)])
    text = f"_0.apply(_1{', inverse=True' * inverse})"
    return standing_for(ev, ev.emit(solver, native, ev.operand(vectors), text=text, type=ev.operand(like).type), like)


@special(Rotations.inv)
def _inv(ev: Evaluator, args: Args, kwargs: Kwargs) -> Abstract:
    native, q = _parts(ev, args[0])
    with derivative_code(ev):
        inverse = ev.call(Static(_inverse), [q])
    return ev.new_object(_class_of_rotations(), {
        "_native": ev.emit(solver, native, text="_0.inv()", type=OBJECT), "_quaternion": inverse})


@special(Rotations.__mul__)
def _mul(ev: Evaluator, args: Args, kwargs: Kwargs) -> Abstract:
    (a, p), (b, q) = _parts(ev, args[0]), _parts(ev, args[1])
    with derivative_code(ev):
        both = ev.call(Static(_product), [p, q])
    return ev.new_object(_class_of_rotations(), {
        "_native": ev.emit(solver, a, b, text="_0 * _1", type=OBJECT), "_quaternion": both})


@special(Rotations.other)
def _unread(ev: Evaluator, args: Args, kwargs: Kwargs) -> NoReturn:
    ev.refuse("SCT203", "this attribute of a `Rotation` is not supported",
              why="sct reads matrices, quaternions, vectors and angles of rotations, and what they rotate",
              hint="compute it from the matrix or the quaternion")
