"""Rotations of `scipy.spatial.transform`: each is SciPy's object, and its quaternion.

    Rotation.from_rotvec(v).apply(x)   ->   what SciPy computes, with the derivative of `_rotated`
"""

from __future__ import annotations

import functools
import inspect
import math
import operator
import sys
from collections.abc import Callable
from typing import Any, NoReturn

import numpy as np

from sct.frontend.arguments.lift import opaque
from sct.frontend.autodiff.implicit_functions import derivative_code, standing_for
from sct.frontend.evaluator.evaluator import Evaluator
from sct.frontend.evaluator.exceptions import named_arguments
from sct.frontend.evaluator.handlers import Args, Kwargs, of_scipy, special
from sct.frontend.heap.inactive import leave_to_python, template_of
from sct.frontend.objects.class_of import stand_in_class
from sct.frontend.scipy_library.by_program import array_of_floats
from sct.frontend.values.abstract_values import Abstract, DerivedCallable, ObjRef, Ref, Static
from sct.ir import Operand, Value
from sct.ir.dims import Dim
from sct.ir.types import Tensor
from sct.ops.program.effects import OBJECT
from sct.ops.program.solutions import solver

__all__ = ["value_of_rotation"]


class Rotations:
    """A `Rotation`, where the function is evaluated; its methods have handlers."""

    def as_matrix(self) -> Any: ...

    def as_quat(self, canonical: Any = False, *, scalar_first: Any = False) -> Any: ...

    def as_rotvec(self, degrees: Any = False) -> Any: ...

    def magnitude(self) -> Any: ...

    def apply(self, vectors: Any, inverse: Any = False) -> Any: ...

    def inv(self) -> Any: ...

    def as_euler(self, seq: Any, degrees: Any = False, *, suppress_warnings: Any = False) -> Any: ...

    def as_mrp(self) -> Any: ...

    def mean(self, weights: Any = None, axis: Any = None) -> Any: ...

    def __mul__(self, other: Any) -> Any: ...

    def __pow__(self, n: Any, modulus: Any = None) -> Any: ...

    def __getitem__(self, at: Any) -> Any: ...

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


def _of_parameters(mrp: Any) -> Any:
    """Of modified Rodrigues parameters."""
    squared = np.sum(mrp * mrp, axis=-1, keepdims=True)
    return np.concatenate((2.0 * mrp, 1.0 - squared), axis=-1) / (1.0 + squared)


def _sum_of_singular_values(a: Any) -> Any:
    return np.sum(np.linalg.norm(a, "nuc", axis=(-2, -1)))


def _of_matrix(matrix: Any, grad: Any) -> Any:
    """Of the orthogonal matrix next to this one: the first part of its polar decomposition."""
    a = grad(_sum_of_singular_values)(matrix)
    trace = a[..., 0, 0] + a[..., 1, 1] + a[..., 2, 2]
    largest = np.argmax(np.stack((a[..., 0, 0], a[..., 1, 1], a[..., 2, 2], trace), axis=-1), axis=-1)
    x, y, z = a[..., 2, 1] - a[..., 1, 2], a[..., 0, 2] - a[..., 2, 0], a[..., 1, 0] - a[..., 0, 1]
    u, v, w = a[..., 1, 0] + a[..., 0, 1], a[..., 2, 0] + a[..., 0, 2], a[..., 2, 1] + a[..., 1, 2]
    rows = [[1.0 - trace + 2.0 * a[..., 0, 0], u, v, x], [u, 1.0 - trace + 2.0 * a[..., 1, 1], w, y],
            [v, w, 1.0 - trace + 2.0 * a[..., 2, 2], z], [x, y, z, 1.0 + trace]]
    result = np.stack(rows[3], axis=-1)
    for k in range(3):
        result = np.where(np.expand_dims(largest, -1) == k, np.stack(rows[k], axis=-1), result)
    return _of_quaternion(result)


def _matrix(q: Any) -> Any:
    x, y, z, w = q[..., 0], q[..., 1], q[..., 2], q[..., 3]
    rows = [[1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y - z * w), 2.0 * (x * z + y * w)],
            [2.0 * (x * y + z * w), 1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z - x * w)],
            [2.0 * (x * z - y * w), 2.0 * (y * z + x * w), 1.0 - 2.0 * (x * x + y * y)]]
    return np.stack([np.stack(row, axis=-1) for row in rows], axis=-2)


def _with_sign(q: Any, y: Any, canonical: Any = False, scalar_first: Any = False) -> Any:
    """A quaternion and its negative are the same rotation: the one that SciPy gives."""
    if scalar_first:
        q = np.concatenate((q[..., 3:], q[..., :3]), axis=-1)
    return q * np.sign(np.sum(q * y, axis=-1, keepdims=True))


def _vector(q: Any, degrees: Any = False) -> Any:
    """The vector around which the rotation is; its angle is at most half a turn."""
    q = q * np.where(q[..., 3:] < 0.0, -1.0, 1.0)
    squared = np.sum(q[..., :3] ** 2, axis=-1, keepdims=True)
    small = squared < 1e-8
    length = np.sqrt(np.where(small, 1.0, squared))
    factor = np.where(small, 2.0 + squared / 3.0, 2.0 * np.arctan2(length, q[..., 3:]) / length)
    return q[..., :3] * factor * (180.0 / math.pi if degrees else 1.0)


def _angle(q: Any) -> Any:
    return 2.0 * np.arctan2(np.sqrt(np.sum(q[..., :3] ** 2, axis=-1)), np.abs(q[..., 3]))


def _parameters(q: Any) -> Any:
    sign = np.where(q[..., 3:] < 0.0, -1.0, 1.0)
    return sign * q[..., :3] / (1.0 + sign * q[..., 3:])


def _angles(q: Any, seq: Any, degrees: Any) -> Any:
    """The angles of three rotations around axes; capital letters name those of what is rotated."""
    axes = ["xyz".index(letter) for letter in seq.lower()]
    i, j, k = axes[::-1] if seq.isupper() else axes
    if i == k:
        k = 3 - i - j
        sign = (i - j) * (j - k) * (k - i) // 2
        a, b, c, d = q[..., 3], q[..., i], q[..., j], q[..., k] * sign
    else:
        sign = (i - j) * (j - k) * (k - i) // 2
        a, b = q[..., 3] - q[..., j], q[..., i] + q[..., k] * sign
        c, d = q[..., j] + q[..., 3], q[..., k] * sign - q[..., i]
    half, rest = np.arctan2(b, a), np.arctan2(d, c)
    middle = 2.0 * np.arctan2(np.sqrt(c * c + d * d), np.sqrt(a * a + b * b))
    first, last = half - rest, half + rest
    if len(set(axes)) == 3:
        last = last * sign
    angles = np.stack((last, middle, first) if seq.isupper() else (first, middle, last), axis=-1)
    return angles * (180.0 / math.pi if degrees else 1.0)


def _power(q: Any, n: Any) -> Any:
    return _of_vector(n * _vector(q), False)


def _mean(q: Any, weights: Any) -> Any:
    """The eigenvector of the largest eigenvalue."""
    return np.linalg.eigh((q.T if weights is None else q.T * weights) @ q)[1][:, -1]


def _between(times: Any, q: Any, t: Any) -> Any:
    """A rotation by a constant angle in each interval of the times."""
    i = np.clip(np.searchsorted(times, t) - 1, 0, len(times) - 2)
    turned = _vector(_product(_inverse(q[:-1]), q[1:]))
    share = (t - times[i]) / (times[i + 1] - times[i])
    return _product(q[i], _of_vector(turned[i] * np.expand_dims(share, -1), False))


def _rotated(q: Any, vectors: Any, inverse: Any) -> Any:
    return _by_matrix(_matrix(q), vectors, inverse)


def _by_matrix(matrix: Any, vectors: Any, inverse: Any) -> Any:
    if inverse:
        matrix = np.swapaxes(matrix, -1, -2)
    return np.sum(matrix * vectors[..., None, :], axis=-1)


def _inverse(q: Any) -> Any:
    return np.concatenate((-q[..., :3], q[..., 3:]), axis=-1)


def _constructor(name: str, program: Callable[..., Any], options: tuple[str, ...] = (), needs: tuple[str, ...] = (),
                 ranks: tuple[int, ...] = (1, 2)) -> None:
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
        x = _array(ev, f"Rotation.{name}", arguments[key], ranks)
        texts = [repr(asked[k]) if k in options and k != "degrees" else "_0" for k in arguments if k in (key, *options)
                 and k != "degrees"]
        texts += ["degrees=True"] * bool(asked.get("degrees"))
        text = f"scipy.spatial.transform.Rotation.{name}({', '.join(texts)})"
        native = ev.emit(solver, ev.operand(x), text=text, type=OBJECT)
        native.hint = "rotation"
        with derivative_code(ev):
            quaternion = ev.call(Static(program), [x, *(Static(asked[k]) for k in options), *(
                Static(getattr(sys.modules["sct"], key)) for key in needs)])
        return ev.new_object(_class_of_rotations(), {"_native": native, "_quaternion": quaternion})


def _array(ev: Evaluator, name: str, v: Abstract, ranks: tuple[int, ...]) -> Abstract:
    t = ev.type_of(v) if isinstance(v, (Ref, Value, Static)) else None
    if 0 in ranks and isinstance(t, Tensor) and not t.rank and t.kind in "fi":
        return v
    return array_of_floats(ev, name, v, ranks)


_constructor("from_quat", _of_quaternion)
_constructor("from_rotvec", _of_vector, ("degrees",))
_constructor("from_euler", _of_angles, ("seq", "degrees"), ranks=(0, 1, 2))
_constructor("from_mrp", _of_parameters)
_constructor("from_matrix", _of_matrix, needs=("grad",), ranks=(2, 3))


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
    """Registers a method that gives an array; its options must be known."""
    @special(getattr(Rotations, name))
    def handle(ev: Evaluator, args: Args, kwargs: Kwargs) -> Abstract:
        method = getattr(sys.modules["scipy.spatial.transform"].Rotation, name)
        arguments = named_arguments(ev, method, args, kwargs)
        native, q = _parts(ev, arguments.pop("self"))
        asked = {key: bool(ev.ask(v, f"`{key}` of `{name}`")) for key, v in arguments.items()}
        options = {key: Static(value) for key, value in asked.items()}
        with derivative_code(ev):
            # The type of the value is that of the program, which reads it.
            t = ev.operand(ev.call(Static(program), [q, q] if by_value else [q], options)).type
        text = ", ".join(f"{key}={value}" for key, value in asked.items())
        value = ev.emit(solver, native, text=f"_0.{name}({text})", type=t)
        with derivative_code(ev):
            like = ev.call(Static(program), [q, ev.wrap(value)] if by_value else [q], options)
        return standing_for(ev, value, like)


_reads("as_matrix", _matrix)
_reads("as_quat", _with_sign, by_value=True)
_reads("as_rotvec", _vector)
_reads("magnitude", _angle)
_reads("as_mrp", _parameters)


@special(Rotations.as_euler)
def _as_euler(ev: Evaluator, args: Args, kwargs: Kwargs) -> Abstract:
    arguments = named_arguments(ev, Rotations.as_euler, args, kwargs)
    native, q = _parts(ev, arguments["self"])
    seq, degrees = (ev.ask(arguments.get(key, Static(False)), f"`{key}` of `as_euler`") for key in ("seq", "degrees"))
    if not isinstance(seq, str) or len(seq) != 3 or not set(seq.lower()) <= set("xyz"):
        ev.refuse("SCT402", "`as_euler` is differentiated for three axes", hint="name three of them: 'xyz'")
    with derivative_code(ev):
        like = ev.call(Static(_angles), [q, Static(seq), Static(bool(degrees))])
    text = f"_0.as_euler({seq!r}{', degrees=True' * bool(degrees)})"
    return standing_for(ev, ev.emit(solver, native, text=text, type=ev.operand(like).type), like)


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


def _changed(ev: Evaluator, native: Value, text: str, operands: list[Operand], program: Any, args: Args) -> Abstract:
    """Another rotation, by SciPy and by a program for the quaternion."""
    with derivative_code(ev):
        quaternion = ev.call(Static(program), args)
    return ev.new_object(_class_of_rotations(), {
        "_native": ev.emit(solver, native, *operands, text=text, type=OBJECT), "_quaternion": quaternion})


@special(Rotations.__pow__)
def _pow(ev: Evaluator, args: Args, kwargs: Kwargs) -> Abstract:
    native, q = _parts(ev, args[0])
    n = _array(ev, "Rotation.__pow__", args[1], (0,)) if not isinstance(args[1], Static) else args[1]
    return _changed(ev, native, "_0 ** _1", [ev.operand(n)], _power, [q, n])


@special(Rotations.__getitem__)
def _item(ev: Evaluator, args: Args, kwargs: Kwargs) -> Abstract:
    native, q = _parts(ev, args[0])
    operands: list[Operand] = [native]
    at: Any = args[1].value if isinstance(args[1], Static) else None
    is_slice = isinstance(at, slice)
    text = ":".join("" if end is None else str(end) for end in (at.start, at.stop, at.step)) if is_slice else \
        template_of(ev, args[1], operands)
    if text is None:
        ev.refuse("SCT205", "this part of rotations is not supported", hint="use a number or a slice")
    return _changed(ev, native, f"_0[{text}]", operands[1:], operator.getitem, [q, args[1]])


@special(Rotations.mean)
def _mean_of(ev: Evaluator, args: Args, kwargs: Kwargs) -> Abstract:
    arguments = named_arguments(ev, Rotations.mean, args, kwargs)
    native, q = _parts(ev, arguments["self"])
    if arguments.get("axis", Static(None)) != Static(None):
        ev.refuse("SCT402", "`axis` of `Rotation.mean` is not supported", hint="leave it out")
    weights = arguments.get("weights", Static(None))
    if weights == Static(None):
        return _changed(ev, native, "_0.mean()", [], _mean, [q, weights])
    weights = _array(ev, "Rotation.mean", weights, (1,))
    return _changed(ev, native, "_0.mean(_1)", [ev.operand(weights)], _mean, [q, weights])


@of_scipy("scipy.spatial.transform.Slerp")
def _slerp(ev: Evaluator, args: Args, kwargs: Kwargs) -> Abstract:
    """Rotations at times, between which one reads them."""
    arguments = named_arguments(ev, sys.modules["scipy.spatial.transform"].Slerp, args, kwargs)
    if not isinstance(arguments["rotations"], ObjRef):
        leave_to_python(ev, "Slerp", arguments.values())
        ev.refuse("SCT402", "`Slerp` of constant rotations is not differentiated by its times",
                  hint="pass sct.stop_gradient(...) of these")
    native, q = _parts(ev, arguments["rotations"])
    times = ev.call(Static(np.asarray), [ev.array_of_list(arguments["times"])], {"dtype": Static(float)})
    table: Value = ev.emit(solver, ev.operand(times), native, text="scipy.spatial.transform.Slerp(_0, _1)", type=OBJECT)
    table.hint = "slerp"

    def read(ev: Evaluator, args: Args, kwargs: Kwargs) -> Abstract:
        t = args[0] if args else kwargs["times"]
        at = ev.call(Static(np.asarray), [ev.array_of_list(t)], {"dtype": Static(float)})
        return _changed(ev, table, "_0(_1)", [ev.operand(t)], _between, [times, q, at])

    return DerivedCallable(read)


@special(Rotations.other)
def _unread(ev: Evaluator, args: Args, kwargs: Kwargs) -> NoReturn:
    ev.refuse("SCT203", "this attribute of a `Rotation` is not supported",
              why="sct reads matrices, quaternions, vectors and angles of rotations, and what they rotate",
              hint="compute it from the matrix or the quaternion")
