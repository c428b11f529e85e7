"""The public functions: grad, value_and_grad, jacobian, hessian, vjp, jvp, hvp, stop_gradient, check_grads, emit.

Arguments and results follow JAX.  All but `check_grads` and `emit` may be called inside functions that are
differentiated: the frontend recognizes them by `__sct_call__`.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, TypeVar, overload

import numpy as np

from sct.derivative import Argnums, Derivative, call_once, check_backend, check_function
from sct.errors import SctError
from sct.export.free_sizes import open_sizes
from sct.export.write_module import module_of
from sct.frontend import Traced, Transform, trace_ahead
from sct.ir.pytree import Node
from sct.ir.user_objects import attributes, make_gradient, replace_attributes
from sct.tangents import Pullback, tangent_of, type_in_words

__all__ = ["Derivative", "check_grads", "emit", "grad", "hessian", "hvp", "jacfwd", "jacobian", "jacrev", "jvp",
           "stop_gradient", "value_and_grad", "vjp"]

T = TypeVar("T")
Function = Callable[..., Any]


@overload
def grad(f: Function, argnums: Argnums = 0, *, has_aux: bool = False, backend: str = "numpy") -> Derivative: ...
@overload
def grad(
    f: None = None, argnums: Argnums = 0, *, has_aux: bool = False, backend: str = "numpy"
) -> Callable[[Function], Derivative]: ...
def grad(f: Function | None = None, argnums: Argnums = 0, *, has_aux: bool = False, backend: str = "numpy") -> Any:
    """The gradient of `f` with respect to the arguments `argnums`, indices or names.

    A function or a decorator, bare or with options; a tuple of argnums gives a tuple
    of gradients.  With `has_aux`, `f` returns (value, aux) and the derivative
    (gradient, aux).

    >>> grad(lambda x: x * x)(3.0)
    6.0
    """
    return _derivative("grad", f, argnums, has_aux, backend)


@overload
def value_and_grad(
    f: Function, argnums: Argnums = 0, *, has_aux: bool = False, backend: str = "numpy"
) -> Derivative: ...
@overload
def value_and_grad(
    f: None = None, argnums: Argnums = 0, *, has_aux: bool = False, backend: str = "numpy"
) -> Callable[[Function], Derivative]: ...
def value_and_grad(
    f: Function | None = None, argnums: Argnums = 0, *, has_aux: bool = False, backend: str = "numpy"
) -> Any:
    """(value, gradient) of `f`, from one run of it; otherwise as `grad`.

    >>> value_and_grad(lambda x: x * x)(3.0)
    (9.0, 6.0)
    """
    return _derivative("value_and_grad", f, argnums, has_aux, backend)


@overload
def jacobian(f: Function, argnums: Argnums = 0, *, has_aux: bool = False, backend: str = "numpy") -> Derivative: ...
@overload
def jacobian(
    f: None = None, argnums: Argnums = 0, *, has_aux: bool = False, backend: str = "numpy"
) -> Callable[[Function], Derivative]: ...
def jacobian(f: Function | None = None, argnums: Argnums = 0, *, has_aux: bool = False, backend: str = "numpy") -> Any:
    """All derivatives of the numbers that `f` returns with respect to those in the arguments `argnums`.

    For an output of shape (m,) and an argument of shape (n,) an array of shape (m, n).
    Outputs and arguments may be containers: the result is arranged as the output, each
    leaf as the arguments.  It is `jacfwd` where the arguments hold no more numbers than
    the output, else `jacrev`; both can be asked for by name.  `f` runs once.

    >>> jacobian(lambda x: (x * x, 3.0 * x))(2.0)
    (4.0, 3.0)
    """
    return _derivative("jacobian", f, argnums, has_aux, backend)


@overload
def jacfwd(f: Function, argnums: Argnums = 0, *, has_aux: bool = False, backend: str = "numpy") -> Derivative: ...
@overload
def jacfwd(
    f: None = None, argnums: Argnums = 0, *, has_aux: bool = False, backend: str = "numpy"
) -> Callable[[Function], Derivative]: ...
def jacfwd(f: Function | None = None, argnums: Argnums = 0, *, has_aux: bool = False, backend: str = "numpy") -> Any:
    """`jacobian`, a column at a time: best where there are few numbers in the arguments.

    >>> jacfwd(lambda x: x * np.array([1.0, 2.0]))(3.0)
    array([1., 2.])
    """
    return _derivative("jacfwd", f, argnums, has_aux, backend)


@overload
def jacrev(f: Function, argnums: Argnums = 0, *, has_aux: bool = False, backend: str = "numpy") -> Derivative: ...
@overload
def jacrev(
    f: None = None, argnums: Argnums = 0, *, has_aux: bool = False, backend: str = "numpy"
) -> Callable[[Function], Derivative]: ...
def jacrev(f: Function | None = None, argnums: Argnums = 0, *, has_aux: bool = False, backend: str = "numpy") -> Any:
    """`jacobian`, a row at a time: best where there are few numbers in the output.

    >>> jacrev(lambda x: x[0] * x[1])(np.array([2.0, 3.0]))
    array([3., 2.])
    """
    return _derivative("jacrev", f, argnums, has_aux, backend)


@overload
def hessian(f: Function, argnums: Argnums = 0, *, has_aux: bool = False, backend: str = "numpy") -> Derivative: ...
@overload
def hessian(
    f: None = None, argnums: Argnums = 0, *, has_aux: bool = False, backend: str = "numpy"
) -> Callable[[Function], Derivative]: ...
def hessian(f: Function | None = None, argnums: Argnums = 0, *, has_aux: bool = False, backend: str = "numpy") -> Any:
    """All second derivatives of `f`, forward over reverse: `jacfwd` of `jacrev`.

    >>> hessian(lambda x: x[0] * x[0] * x[1])(np.array([2.0, 3.0]))
    array([[6., 4.],
           [4., 0.]])
    """
    return _derivative("hessian", f, argnums, has_aux, backend)


def _derivative(kind: str, f: Function | None, argnums: Argnums, has_aux: bool, backend: str) -> Any:
    check_backend(backend)
    if f is None:
        return lambda function: Derivative(kind, function, argnums, has_aux, backend)
    return Derivative(kind, f, argnums, has_aux, backend)


def vjp(f: Function, *primals: Any, has_aux: bool = False, backend: str = "numpy") -> tuple[Any, ...]:
    """(f(*primals), pullback); the pullback takes a cotangent of the value and returns
    a tuple of cotangents, one for each primal.  It may be called any number of times, and
    pickled if its residuals can be.  With `has_aux`, `f` returns (value, aux), and aux
    comes after the pullback.

    >>> value, pullback = vjp(lambda x, y: x * y, 2.0, 5.0)
    >>> pullback(1.0)
    (5.0, 2.0)
    """
    check_backend(backend)
    check_function("vjp", f)
    if not primals:
        raise SctError("SCT904", "vjp takes the function and its arguments", hint="vjp(f, x)")
    value, run, *aux = call_once(Transform("vjp", f, tuple(range(len(primals))), has_aux), *primals, backend=backend)

    return value, Pullback(value, run), *aux


def jvp(f: Function, primals: Sequence[Any], tangents: Sequence[Any], *, has_aux: bool = False,
        backend: str = "numpy") -> tuple[Any, ...]:
    """(f(*primals), its derivative in the direction `tangents`).

    A tangent has the structure of its primal.  None stands for zero, and for the tangent of
    a string, an int in a container, or None.  With `has_aux`, `f` returns (value, aux), and
    aux comes last.

    >>> jvp(lambda x, y: x * y, (2.0, 5.0), (1.0, 0.0))
    (10.0, 5.0)
    """
    check_backend(backend)
    check_function("jvp", f)
    _check_pairs("jvp", primals, tangents)
    if _is_none(tangents):
        raise SctError("SCT904", "jvp: no argument has a tangent", why="every tangent is None")
    directions = _directions(primals, tangents)
    transform = Transform("jvp", f, has_aux=has_aux)
    value_and_tangent: tuple[Any, ...] = call_once(transform, *primals, *directions, backend=backend)
    return value_and_tangent


def hvp(f: Function, primals: Sequence[Any], tangents: Sequence[Any], *, backend: str = "numpy") -> Any:
    """The Hessian of `f` with respect to argument 0, times `tangents`: forward over reverse.

    >>> hvp(lambda x: x * x * x, (2.0,), (1.0,))
    12.0
    """
    check_backend(backend)
    _check_pairs("hvp", primals, tangents)
    return jvp(grad(f), primals, tangents, backend=backend)[1]


def emit(
    f: Function,
    mode: str = "grad",
    argnums: Argnums = 0,
    *,
    has_aux: bool = False,
    types: Mapping[str, str] | None = None,
) -> str:
    """The text of a module that defines a derivative of `f`, without calling it.

    `mode` is "grad", "value_and_grad", "jacobian", "jacfwd", "jacrev", "hessian", "vjp",
    "jvp" or "hvp"; jvp and hvp take the tangents after the arguments.  `types` has types
    of parameters (`{"x": "f64[n]"}`) or their values (`{"k": "= 2"}`); others come from
    annotations and defaults, else they are the simplest under which `f` types.

    >>> print(emit(lambda x: x * x).partition("def ")[2], end="")
    f_grad(x):
        # x: float
        if not isinstance(x, float):
            raise TypeError("x must be a float")
        dx = 2.0 * x
        return dx
    """
    if mode not in MODES:
        raise SctError("SCT906", f"there is no mode {mode!r}", hint=f"one of {', '.join(MODES)}")
    check_function(mode, f)
    if mode == "hvp":
        target = Transform("jvp", grad(f))
    elif mode in ("vjp", "jvp"):
        wrt = tuple(range(len(inspect.signature(f).parameters))) if mode == "vjp" else 0
        target = Transform(mode, f, wrt, has_aux)
    else:
        target = Derivative(mode, f, argnums, has_aux).__sct_transform__

    def compiled(more: Mapping[str, str]) -> Traced:
        traced = trace_ahead(target, {**(types or {}), **more})
        if mode != "hvp":
            return traced
        assert isinstance(traced.result, Node)
        return replace(traced.only(traced.result.children[1]), name=traced.name.replace("grad_jvp", "hvp"))

    traced = compiled({})
    return module_of([traced], open_sizes(traced, compiled))


MODES = ("grad", "value_and_grad", "jacobian", "jacfwd", "jacrev", "hessian", "vjp", "jvp", "hvp")


def stop_gradient(x: T) -> T:
    """`x` itself, which derivatives treat as a constant.

    >>> grad(lambda x: x * stop_gradient(x))(3.0)
    3.0
    """
    return x


for _function in (grad, value_and_grad, jacobian, jacfwd, jacrev, hessian, vjp, jvp, hvp, stop_gradient):
    _function.__dict__["__sct_call__"] = _function.__name__


# -- tangents -------------------------------------------------------------------------


def _check_pairs(name: str, primals: object, tangents: object) -> None:
    for label, argument in (("primals", primals), ("tangents", tangents)):
        if not isinstance(argument, (tuple, list)):
            raise SctError("SCT904", f"{name}: {label} is a tuple, one item for each argument of the function",
                           why=f"got {type_in_words(argument)}", hint=f"{name}(f, (x,), (dx,))")
    assert isinstance(primals, (tuple, list)) and isinstance(tangents, (tuple, list))
    if len(primals) != len(tangents):
        raise SctError("SCT904", f"{name}: {len(primals)} primals and {len(tangents)} tangents")
    if not primals:
        raise SctError("SCT904", f"{name}: there are no primals", hint=f"{name}(f, (x,), (dx,))")


def _directions(primals: Sequence[Any], tangents: Sequence[Any]) -> list[Any]:
    """The tangents in the form of their primals; None for an argument that has none."""
    return [
        None if _is_none(tangent) else tangent_of(primal, tangent, f"the tangent of argument {i}")
        for i, (primal, tangent) in enumerate(zip(primals, tangents))
    ]


def _is_none(tangent: Any) -> bool:
    if isinstance(tangent, dict):
        return all(map(_is_none, tangent.values()))
    fields = attributes(tangent)
    if fields is not None:
        return all(map(_is_none, fields.values()))
    if isinstance(tangent, (tuple, list)):
        return all(map(_is_none, tangent))
    return tangent is None


# -- check_grads ----------------------------------------------------------------------

STEPS = tuple(10.0 ** -k for k in range(2, 9))


def check_grads(
    f: Function,
    args: Sequence[Any],
    *,
    argnums: Argnums | None = None,
    order: int = 1,
    rtol: float | None = None,
    atol: float | None = None,
    seed: int = 0,
) -> None:
    """Compare the derivatives of `f` at `args` with central differences.

    For a random direction v and a random cotangent c it compares jvp(v) with differences
    (one of several step sizes must agree), <c, jvp(v)> with <vjp(c), v>, and the values
    with `f(*args)`, bit for bit.  `argnums` are indices, by default those of all
    floating-point arguments.  With `order=2`, the derivative is checked in the same way.

    Raises SctError with the numbers where two of them differ.

    >>> check_grads(lambda x, y: x * y, (2.0, 5.0), order=2)
    """
    if not isinstance(args, (tuple, list)):
        raise SctError("SCT904", "check_grads: args is a tuple", why=f"got {type_in_words(args)}",
                       hint="check_grads(f, (x,))")
    wrt = _checked_positions(args, argnums)
    rng = np.random.default_rng(seed)
    directions = [_random(x, rng) if i in wrt else None for i, x in enumerate(args)]
    narrow = any(leaf.dtype.itemsize < 8 for leaf in _leaves([args[i] for i in wrt]))
    rtol = rtol if rtol is not None else 2e-2 if narrow else 1e-5
    atol = atol if atol is not None else 1e-3 if narrow else 1e-7

    value = f(*_shifted(args, directions, 0.0))
    value_jvp, tangent = jvp(f, args, directions)
    value_vjp, pullback = vjp(f, *args)
    _check_value(f, "jvp", value, value_jvp)
    _check_value(f, "vjp", value, value_vjp)
    _check_differences(f, args, directions, tangent, rtol, atol)
    cotangent = _random(value, rng)
    cotangents = pullback(cotangent)
    forward = _inner_product(cotangent, tangent)
    backward = sum(_inner_product(directions[i], cotangents[i]) for i in wrt)
    if not np.isclose(forward, backward, rtol=rtol, atol=atol, equal_nan=True):
        raise _disagreement(f, "vjp", "jvp", f"<ct, jvp(v)> = {forward}, <vjp(ct), v> = {backward}")
    if order > 1:
        scalar = isinstance(value, (float, np.floating))
        inner = Derivative("grad", f, wrt) if scalar else Derivative("jvp", f)
        seeds = [] if scalar else _directions(args, directions)
        check_grads(inner, (*args, *seeds), argnums=wrt, order=order - 1, rtol=rtol, atol=atol, seed=seed + 1)


def _checked_positions(args: Sequence[Any], argnums: Argnums | None) -> tuple[int, ...]:
    """`argnums` as a tuple, by default the indices of all arguments that hold floats."""
    floating = tuple(i for i, x in enumerate(args) if _leaves(x))
    requested = floating if argnums is None else argnums if isinstance(argnums, tuple) else (argnums,)
    wrt = tuple(i for i in requested if i in floating and isinstance(i, int))
    if wrt and wrt == requested:
        return wrt
    raise SctError("SCT903", f"check_grads: argnums {requested}", why=f"of the arguments, {floating} hold floats")


def _check_value(f: Function, mode: str, value: Any, got: Any) -> None:
    """Compare values bit for bit; the value of a derivative only up to rounding, as it may be computed differently."""
    close = np.allclose if isinstance(f, Derivative) else _identical
    expected, actual = _leaves(value), _leaves(got)
    if len(expected) != len(actual) or not all(close(x, y) for x, y in zip(expected, actual)):
        raise _disagreement(f, mode, "plain execution", f"value of {mode}: {got!r}, of the function: {value!r}")


def _identical(x: np.ndarray[Any, Any], y: np.ndarray[Any, Any]) -> bool:
    return x.dtype == y.dtype and x.shape == y.shape and x.tobytes() == y.tobytes()


def _check_differences(
    f: Function, args: Sequence[Any], directions: Sequence[Any], tangent: Any, rtol: float, atol: float
) -> None:
    exact = _flat(tangent)
    tried = []
    for h in STEPS:
        ahead, behind = _flat(f(*_shifted(args, directions, h))), _flat(f(*_shifted(args, directions, -h)))
        slope = (ahead - behind) / (2.0 * h)
        if slope.shape == exact.shape and np.allclose(
            slope, exact, rtol=0.0, atol=atol + rtol * float(np.max(np.abs(exact), initial=0.0)), equal_nan=True
        ):
            return
        tried.append(f"differences with step {h:.0e}: {slope}")
    raise _disagreement(f, "jvp", "central differences", "\n     ".join([f"jvp: {exact}", *tried]))


def _disagreement(f: Function, mode: str, other: str, numbers: str) -> SctError:
    return SctError("SCT905", f"{mode} of {getattr(f, '__name__', 'f')} disagrees with {other}", why=numbers)


def _map(leaf: Callable[..., Any], x: Any, *others: Any) -> Any:
    """`x` with `leaf` applied to its floating-point leaves; everything else is copied."""
    if isinstance(x, dict):
        return {key: _map(leaf, x[key], *(o and o[key] for o in others)) for key in x}
    fields = attributes(x)
    if fields is not None:
        return replace_attributes(
            x, {k: _map(leaf, v, *(o if o is None else getattr(o, k) for o in others)) for k, v in fields.items()})
    if isinstance(x, (tuple, list)):
        parts = [_map(leaf, item, *(o and o[i] for o in others)) for i, item in enumerate(x)]
        return parts if isinstance(x, list) else tuple(parts)
    if isinstance(x, (float, complex, np.inexact)) or (isinstance(x, np.ndarray) and x.dtype.kind in "fc"):
        return leaf(x, *others)
    return x.copy() if isinstance(x, np.ndarray) else x


def _leaves(x: Any) -> list[np.ndarray[Any, Any]]:
    leaves: list[np.ndarray[Any, Any]] = []
    _map(lambda leaf: leaves.append(np.asarray(leaf)), x)
    return leaves


def _flat(x: Any) -> np.ndarray[Any, Any]:
    return np.concatenate([np.zeros(0), *(leaf.ravel() for leaf in _leaves(x))])


def _inner_product(a: Any, b: Any) -> Any:
    return np.sum(_flat(a) * _flat(b))


def _random(x: Any, rng: np.random.Generator) -> Any:
    """A random tangent of `x`, None where it has no tangent."""
    if isinstance(x, dict):
        return {key: _random(item, rng) for key, item in x.items()}
    fields = attributes(x)
    if fields is not None:
        return make_gradient(type(x), list(fields), [_random(item, rng) for item in fields.values()])
    if isinstance(x, (tuple, list)):
        parts = [_random(item, rng) for item in x]
        return parts if isinstance(x, list) else tuple(parts)
    return tangent_of(x, rng.standard_normal(np.shape(x)), "") if _leaves(x) else None


def _shifted(args: Sequence[Any], directions: Sequence[Any], h: float) -> list[Any]:
    """Copies of the arguments, moved by `h` along the directions; with h = 0 they are equal bit for bit."""

    def move(x: Any, v: Any) -> Any:
        if v is None or h == 0.0:
            return x.copy(order="K") if isinstance(x, np.ndarray) else x
        return x + h * v if not isinstance(x, np.generic) else type(x)(x + h * v)

    return [_map(move, x, v) for x, v in zip(args, directions)]
