"""check_grads: the derivatives of a function against central differences, and against each other."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from sct.api import jvp, vjp
from sct.derivative import Argnums, Derivative
from sct.errors import SctError, contains_itself
from sct.ir.pytrees.pytree import gradient_with, map_leaves, parts_of, tree_leaves
from sct.tangents import directions_of, tangent_of, type_in_words
from sct.tree import is_floating
from sct.validation.compare import same

__all__ = ["check_grads"]

Function = Callable[..., Any]
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
    narrow = any(leaf.real.dtype.itemsize < 8 for leaf in _leaves([args[i] for i in wrt]))
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
        seeds = [] if scalar else directions_of(args, directions)
        check_grads(inner, (*args, *seeds), argnums=wrt, order=order - 1, rtol=rtol, atol=atol, seed=seed + 1)


check_grads.__dict__["__sct_call__"] = "check_grads"

def _checked_positions(args: Sequence[Any], argnums: Argnums | None) -> tuple[int, ...]:
    """`argnums` as a tuple, by default the indices of all arguments that hold floats."""
    try:
        floating = tuple(i for i, x in enumerate(args) if _leaves(x))
    except RecursionError:
        raise contains_itself("an argument") from None
    requested = floating if argnums is None else argnums if isinstance(argnums, tuple) else (argnums,)
    wrt = tuple(i for i in requested if i in floating and isinstance(i, int))
    if wrt and wrt == requested:
        return wrt
    raise SctError("SCT903", f"check_grads: argnums {requested}", why=f"of the arguments, {floating} hold floats")


def _check_value(f: Function, mode: str, value: Any, got: Any) -> None:
    """Compare values bit for bit; the value of a derivative only up to rounding, as it may be computed differently."""
    close = np.allclose if isinstance(f, Derivative) else same
    expected, actual = _leaves(value), _leaves(got)
    if len(expected) != len(actual) or not all(close(x, y) for x, y in zip(expected, actual)):
        raise _disagreement(f, mode, "plain execution", f"value of {mode}: {got!r}, of the function: {value!r}")


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


def _leaves(x: Any) -> list[np.ndarray[Any, Any]]:
    """The floating-point leaves of `x`."""
    return [np.asarray(leaf) for leaf in tree_leaves(x) if is_floating(leaf)]


def _flat(x: Any) -> np.ndarray[Any, Any]:
    return np.concatenate([np.zeros(0), *(leaf.ravel() for leaf in _leaves(x))])


def _inner_product(a: Any, b: Any) -> Any:
    """The inner product of the leaves that both have: an int may have a cotangent, but has no direction."""
    products: list[Any] = []

    def note(x: Any, y: Any) -> None:
        if is_floating(x) and is_floating(y):
            products.append(np.sum(np.multiply(x, y)))

    map_leaves(note, a, b)
    return np.sum(products).real


def _random(x: Any, rng: np.random.Generator) -> Any:
    """A random tangent of `x`, None where it has no tangent."""
    parts = parts_of(x)
    if parts is not None:
        return gradient_with(x, {key: _random(item, rng) for key, item in parts.items.items()})
    if not is_floating(x):
        return None
    direction = rng.standard_normal(np.shape(x))
    if np.iscomplexobj(x):
        direction = direction + 1j * rng.standard_normal(np.shape(x))
    return tangent_of(x, direction, "")


def _shifted(args: Sequence[Any], directions: Sequence[Any], h: float) -> list[Any]:
    """Copies of the arguments, moved by `h` along the directions; with h = 0 they are equal bit for bit."""

    def move(x: Any, v: Any) -> Any:
        if v is None or h == 0.0 or not is_floating(x):
            return x.copy(order="K") if isinstance(x, np.ndarray) else x
        return x + h * v if not isinstance(x, np.generic) else type(x)(x + h * v)

    return [map_leaves(move, x, v) for x, v in zip(args, directions)]
