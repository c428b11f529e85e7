"""Linear filters of images, of `scipy.ndimage`: each element is a sum over the elements around it.

The transpose is the filter with the kernel turned around.  Where the border is 0 or the image is repeated, that is all,
and so it is for a kernel that is even of an image that is mirrored with its edge (`mode="reflect"`, the default):

    y = gaussian_filter(x, 2.0)    dx = gaussian_filter(dy, 2.0)

Else the image is padded with as much as the kernel reaches, which is folded back in the transpose.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from importlib import import_module
from typing import Any

from sct.ir.core import Lit, Op, Operand
from sct.ir.types import Tensor, TypeMismatch
from sct.ops import samples
from sct.ops.arrays.padding import pad, pad_back
from sct.ops.arrays.shape import dim
from sct.ops.registry import op
from sct.ops.scalar.arithmetic import add, floordiv, neg
from sct.ops.type_rules import normalize, number

__all__: list[str] = []

PADS = {"reflect": "symmetric", "nearest": "edge", "mirror": "reflect", "wrap": "wrap", "constant": "constant",
        "grid-mirror": "symmetric", "grid-wrap": "wrap", "grid-constant": "constant"}
"""What NumPy calls the ways in which an image goes on beyond its border."""

WEIGHTS = TypeMismatch("the derivative by the weights of a filter is not supported",
                       hint="differentiate by the image; or write the sum over the weights, `sum(w[k] * shifted ...)`")


def type_filter(x: Operand, *weights: Operand, mode: str = "reflect", **_: Any) -> Tensor:
    t = number(x)
    if any(number(w).kind not in "fi" or not number(w).rank for w in weights):
        raise TypeMismatch("the weights of a filter must be an array of real numbers")
    if not t.rank:
        raise TypeMismatch("a filter of an array without axes is not supported",
                           hint="leave the filter out: it has no axis to work along")
    if t.kind != "f":
        raise TypeMismatch("a filter of numbers that are not real is not supported", hint="convert with astype(float)")
    if mode not in PADS:
        raise TypeMismatch(f"a filter with mode={mode!r} is not supported", hint="use one of " + ", ".join(PADS))
    return Tensor("array", t.dtype, t.shape)


def per_axis(options: Any, rank: int) -> list[Any]:
    """The options of each axis."""
    return list(options) if isinstance(options, (tuple, list)) else [options] * rank


def filter_op(name: str, defaults: dict[str, Any], reach: Callable[..., list[Operand]], reverse: Callable[..., Any],
              is_even: Callable[..., bool], bind: Callable[..., Any], sampled: samples.Samples | None) -> Op:
    """The entry of a filter.

    reach    reach(x, *weights, **options): how far the kernel reaches along each axis, at most
    reverse  reverse(ct, *weights, **options): the filter of the kernel turned around
    is_even  is_even(**options): is the kernel the same when it is turned around?
    """

    def vjp(ct: Operand, y: Operand, x: Operand, *weights: Operand, mode: str = "reflect", cval: float = 0.0,
            **options: Any) -> list[Any]:
        border, fixed = PADS[mode], [WEIGHTS] * len(weights)
        if border in ("constant", "wrap") or border == "symmetric" and is_even(*weights, **options):
            return [reverse(ct, *weights, mode=mode, **options), *fixed]
        widths, rank = reach(x, *weights, **options), number(x).rank
        tree = tuple((k, k) for k in range(rank))
        wide = pad(ct, Lit(0.0), *widths, mode="constant", tree=tree)
        wide = reverse(wide, *weights, mode="constant", **options)
        return [pad_back(wide, x, Lit(0.0), *widths, mode=border, tree=tree)[0], *fixed]

    def jvp(tangents: Sequence[Any], y: Operand, x: Operand, *weights: Operand, cval: float = 0.0,
            **options: Any) -> Any:
        if any(tangent is not None for tangent in tangents[1:]):
            raise WEIGHTS
        return entry(tangents[0], *weights, **options)

    def run(*xs: Any, **options: Any) -> Any:
        return getattr(import_module("scipy.ndimage"), name)(*xs, **options)

    entry = op(f"image_{name}", f"scipy.ndimage.{name}", type=type_filter, vjp=vjp, jvp=jvp, run=run, bind=bind,
               defaults={"mode": "reflect", "cval": 0.0, **defaults}, raises="value", cost="dear", samples=sampled,
               complex=False)
    return entry


def plain(mode: Any, cval: Any, output: Any, axes: Any = None, **options: Any) -> dict[str, Any]:
    """The options of a call; those that are not supported are refused."""
    if output is not None or axes is not None:
        raise TypeError("`output` and `axes` are not supported")
    if isinstance(mode, (list, tuple)):
        raise TypeError("a mode for each axis is not supported")
    return {"mode": mode, "cval": cval} | {
        key: tuple(v) if isinstance(v, list) else v for key, v in options.items()}


def images(*options: dict[str, Any]) -> samples.Samples:
    return lambda: [((samples.arrays((5, 6)),), {"mode": mode, **attrs}) for attrs in options
                    for mode in ("reflect", "constant", "nearest", "mirror", "wrap")]


# -- Gaussian ----------------------------------------------------------------------------------------------------------


def is_even_gaussian(order: Any = 0, **_: Any) -> bool:
    """Is it even along each axis?"""
    return all(k % 2 == 0 for k in per_axis(order, 1))


def gaussian_reach(x: Operand, sigma: Any = None, truncate: float = 4.0, radius: Any = None, axis: int | None = None,
                   **_: Any) -> list[Operand]:
    rank = number(x).rank
    radii = per_axis(radius, rank)
    reach = [int(truncate * s + 0.5) if r is None else r for s, r in zip(per_axis(sigma, rank), radii)]
    return [Lit(r) if axis is None or k in normalize(axis, rank) else Lit(0) for k, r in enumerate(reach)]


def gaussian(name: str, bind: Callable[..., Any], *options: dict[str, Any]) -> None:
    def reverse(ct: Operand, **attrs: Any) -> Any:
        """Each derivative of odd order changes the sign."""
        orders = per_axis(attrs.get("order", 0), number(ct).rank if name == "gaussian_filter" else 1)
        turned = entry(ct, **attrs)
        return neg(turned) if sum(orders) % 2 else turned

    entry = filter_op(name, {"order": 0, "truncate": 4.0, "radius": None, "axis": -1}, gaussian_reach, reverse,
                      is_even_gaussian, bind, images(*options))


gaussian("gaussian_filter", lambda input, sigma, order=0, output=None, mode="reflect", cval=0.0, truncate=4.0, *,
         radius=None, axes=None: ([input], plain(mode, cval, output, axes, sigma=sigma, order=order,
                                                 truncate=truncate, radius=radius)),
         {"sigma": 0.6}, {"sigma": (0.4, 0.7), "order": (0, 1)}, {"sigma": 0.5, "order": 1}, {"sigma": 0.5, "order": 2})
gaussian("gaussian_filter1d", lambda input, sigma, axis=-1, order=0, output=None, mode="reflect", cval=0.0,
         truncate=4.0, *, radius=None: ([input], plain(mode, cval, output, sigma=sigma, axis=axis, order=order,
                                                       truncate=truncate, radius=radius)),
         {"sigma": 0.6}, {"sigma": 0.5, "order": 1, "axis": 0}, {"sigma": 0.5, "order": 2, "truncate": 3.0})


# -- differences: odd along one axis, or even --------------------------------------------------------------------------


def near(x: Operand, **_: Any) -> list[Operand]:
    """These filters reach the next element."""
    return [Lit(1)] * number(x).rank


def difference(name: str, odd: bool, bind: Callable[..., Any]) -> None:
    def reverse(ct: Operand, **attrs: Any) -> Any:
        return neg(entry(ct, **attrs)) if odd else entry(ct, **attrs)

    entry = filter_op(name, {"axis": -1}, near, reverse, lambda **_: not odd, bind,
                      images({}, {"axis": 0}) if odd else images({}))


def bind_along(input: Any, axis: Any = -1, output: Any = None, mode: Any = "reflect", cval: Any = 0.0) -> Any:
    return [input], plain(mode, cval, output, axis=axis)


difference("sobel", True, bind_along)
difference("prewitt", True, bind_along)
difference("laplace", False, lambda input, output=None, mode="reflect", cval=0.0, *, axes=None: (
    [input], plain(mode, cval, output, axes)))


# -- means -------------------------------------------------------------------------------------------------------------


def turned_origin(size: Any, origin: Any) -> Any:
    """The origin of the window that is turned around: of an even size, its middle is not an element."""
    if isinstance(size, tuple) or isinstance(origin, tuple):
        rank = len(size if isinstance(size, tuple) else origin)
        return tuple(turned_origin(n, k) for n, k in zip(per_axis(size, rank), per_axis(origin, rank)))
    return -origin - (size % 2 == 0)


def is_centered(size: Any = 3, origin: Any = 0, **_: Any) -> bool:
    return all(n % 2 for n in per_axis(size, 1)) and not any(per_axis(origin, 1))


def window_reach(x: Operand, size: Any = 3, axis: int | None = None, **_: Any) -> list[Operand]:
    rank = number(x).rank
    return [Lit(n) if axis is None or k in normalize(axis, rank) else Lit(0)
            for k, n in enumerate(per_axis(size, rank))]


def mean(name: str, bind: Callable[..., Any], *options: dict[str, Any]) -> None:
    def reverse(ct: Operand, size: Any = 3, origin: Any = 0, **attrs: Any) -> Any:
        return entry(ct, size=size, origin=turned_origin(size, origin), **attrs)

    defaults = {"origin": 0, **({"size": 3} if name == "uniform_filter" else {"axis": -1})}
    entry = filter_op(name, defaults, window_reach, reverse, is_centered, bind, images(*options))


mean("uniform_filter", lambda input, size=3, output=None, mode="reflect", cval=0.0, origin=0, *, axes=None: (
    [input], plain(mode, cval, output, axes, size=size, origin=origin)),
     {"size": 3}, {"size": 2}, {"size": (2, 3), "origin": (0, 1)}, {"size": 4, "origin": -1})
mean("uniform_filter1d", lambda input, size, axis=-1, output=None, mode="reflect", cval=0.0, origin=0: (
    [input], plain(mode, cval, output, size=size, axis=axis, origin=origin)), {"size": 3}, {"size": 2, "axis": 0})


# -- weights -----------------------------------------------------------------------------------------------------------


def weights_reach(x: Operand, weights: Operand, axis: int | None = None, origin: Any = 0, **_: Any) -> list[Operand]:
    """Half of the weights, and as much as they are moved."""
    rank = number(x).rank
    reach: list[Operand] = []
    for k, moved in enumerate(per_axis(origin, rank)):
        if axis is not None and k not in normalize(axis, rank):
            reach.append(Lit(0))
            continue
        half = floordiv(dim(weights, axis=0 if axis is not None else k), 2)
        reach.append(add(half, abs(moved)) if moved else half)
    return reach


def weighted(first: str, second: str, bind: Callable[..., Any]) -> None:
    """Each of `correlate` and `convolve` is the transpose of the other."""
    entries: dict[str, Op] = {}
    for name, other in ((first, second), (second, first)):
        entries[name] = filter_op(name, {"axis": -1, "origin": 0}, weights_reach,
                                  lambda *xs, other=other, **keywords: entries[other](*xs, **keywords),
                                  lambda *_, **__: False, bind, None)


def bind_weights(input: Any, weights: Any, output: Any = None, mode: Any = "reflect", cval: Any = 0.0,
                 origin: Any = 0, *, axes: Any = None) -> Any:
    return [input, weights], plain(mode, cval, output, axes, origin=origin)


def bind_vector(input: Any, weights: Any, axis: Any = -1, output: Any = None, mode: Any = "reflect", cval: Any = 0.0,
                origin: Any = 0) -> Any:
    return [input, weights], plain(mode, cval, output, axis=axis, origin=origin)


weighted("correlate", "convolve", bind_weights)
weighted("correlate1d", "convolve1d", bind_vector)
