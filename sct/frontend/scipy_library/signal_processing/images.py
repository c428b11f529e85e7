"""Functions of images, of `scipy.ndimage`: moved and scaled ones, filters of windows, Gaussian ones by their width, and
sums over labels.

    shift(x, (0.5, c))   ->   what SciPy computes, with the derivative of `_shifted`
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from sct.frontend.evaluator.evaluator import Evaluator
from sct.frontend.evaluator.handlers import Args, Kwargs, of_scipy
from sct.frontend.heap.inactive import is_varied
from sct.frontend.numpy_library.op_calls import call_named
from sct.frontend.scipy_library.by_program import Program, handler, register
from sct.frontend.scipy_library.grids import sampled
from sct.frontend.values.abstract_values import Abstract, Static

__all__: list[str] = []


# -- between the elements ----------------------------------------------------------------------------------------------


def _grid(sizes: Any) -> Any:
    """The coordinates of the elements of an image of these sizes."""
    axes = [np.arange(1.0 * n) for n in sizes]
    return axes if len(axes) == 1 else np.meshgrid(*axes, indexing="ij")


def _shifted(x: Any, shift: Any, order: Any, mode: Any, cval: Any, prefilter: Any, spline_filter1d: Any) -> Any:
    grid = _grid(x.shape)
    points = [grid[k] - (shift if np.ndim(shift) == 0 else shift[k]) for k in range(x.ndim)]
    return sampled(x, points, order, mode, cval, prefilter, spline_filter1d)


def _zoomed(x: Any, zoom: Any, order: Any, mode: Any, cval: Any, prefilter: Any, spline_filter1d: Any) -> Any:
    factors = zoom if isinstance(zoom, (tuple, list)) else (zoom,) * x.ndim
    sizes = [round(x.shape[k] * factors[k]) for k in range(x.ndim)]
    grid = _grid(sizes)
    points = [grid[k] * ((x.shape[k] - 1.0) / np.maximum(sizes[k] - 1.0, 1.0)) for k in range(x.ndim)]
    return sampled(x, points, order, mode, cval, prefilter, spline_filter1d)


def _transformed(x: Any, matrix: Any, offset: Any, order: Any, mode: Any, cval: Any, prefilter: Any,
                 spline_filter1d: Any) -> Any:
    if matrix.ndim == 2 and matrix.shape[1] == x.ndim + 1:  # of homogeneous coordinates
        offset = matrix[:, -1]
    grid = _grid(x.shape)
    points = []
    for k in range(x.ndim):
        point = 0.0 if offset is None else offset if np.ndim(offset) == 0 else offset[k]
        if matrix.ndim == 1:
            points.append(point + grid[k] * matrix[k])
            continue
        for j in range(x.ndim):
            point = point + grid[j] * matrix[k, j]
        points.append(point)
    return sampled(x, points, order, mode, cval, prefilter, spline_filter1d)


def _rotated(x: Any, angle: Any, reshape: Any, order: Any, mode: Any, cval: Any, prefilter: Any,
             spline_filter1d: Any, cosdg: Any, sindg: Any) -> Any:
    n, m = x.shape
    c, s = cosdg(angle), sindg(angle)
    rows, columns = n, m
    if reshape:
        rows = int(max(0.0, s * m, c * n, c * n + s * m) - min(0.0, s * m, c * n, c * n + s * m) + 0.5)
        columns = int(max(0.0, c * m, -s * n, c * m - s * n) - min(0.0, c * m, -s * n, c * m - s * n) + 0.5)
    i, j = _grid((rows, columns))
    u, v = 0.5 * (rows - 1), 0.5 * (columns - 1)
    points = [(0.5 * (n - 1) - (c * u + s * v)) + i * c + j * s, (0.5 * (m - 1) - (c * v - s * u)) - i * s + j * c]
    return sampled(x, points, order, mode, cval, prefilter, spline_filter1d)


_FILTER, _OPTIONS = ("scipy.ndimage.spline_filter1d",), ("order", "mode", "cval", "prefilter")
_TAKES: dict[str, Callable[[Any], bool]] = {
    "order": (1, 2, 3).__contains__, "mode": ("constant", "nearest", "mirror").__contains__}
_RANKS = (0, 1, 2, 3, 4)
register("scipy.ndimage", {
    "shift": Program(_shifted, ("input", "shift"), _OPTIONS, ranks=_RANKS, needs=_FILTER, takes=_TAKES),
    "zoom": Program(_zoomed, ("input",), ("zoom", *_OPTIONS), needs=_FILTER, takes=_TAKES),
    "affine_transform": Program(_transformed, ("input", "matrix", "offset"), _OPTIONS, ranks=_RANKS, needs=_FILTER,
                                takes=_TAKES),
    "rotate": Program(_rotated, ("input", "angle"), ("reshape", *_OPTIONS), ranks=(0, 2), takes=_TAKES,
                      needs=(*_FILTER, "scipy.special.cosdg", "scipy.special.sindg"))})


# -- windows around the elements ---------------------------------------------------------------------------------------

_PADDED = {"reflect": "symmetric", "mirror": "reflect", "nearest": "edge", "wrap": "wrap", "constant": "constant"}


def _smoothed(x: Any, sigma: Any, axes: Any, order: Any, mode: Any, cval: Any, truncate: Any, correlate1d: Any) -> Any:
    """Gaussian filters along axes; how far they reach does not depend on sigma, but where it jumps."""
    for axis in axes:
        s = sigma if np.ndim(sigma) == 0 else sigma[axis]
        reach = int(truncate * s + 0.5)
        t = np.arange(-reach, reach + 1.0)
        weights = np.exp(-0.5 / (s * s) * t * t)
        weights = weights / np.sum(weights)
        times = order[axis] if isinstance(order, tuple) else order
        if times == 1:
            weights = weights * t / (s * s)
        if times == 2:
            weights = weights * (t * t / (s * s) - 1.0) / (s * s)
        x = correlate1d(x, weights, axis=axis, mode=mode, cval=cval)
    return x


def _gaussian(input: Any, sigma: Any, order: Any, mode: Any, cval: Any, truncate: Any, correlate1d: Any) -> Any:
    return _smoothed(input, sigma, range(input.ndim), order, mode, cval, truncate, correlate1d)


def _gaussian_line(input: Any, sigma: Any, axis: Any, order: Any, mode: Any, cval: Any, truncate: Any,
                   correlate1d: Any) -> Any:
    return _smoothed(input, sigma, [axis], order, mode, cval, truncate, correlate1d)


def _is_small(order: Any) -> bool:
    return all(k in (0, 1, 2) for k in (order if isinstance(order, tuple) else [order]))


_BY_WIDTH = {
    name: handler(f"scipy.ndimage.{name}", Program(
        program, ("input", "sigma"), (*axis, "order", "mode", "cval", "truncate"), ranks=(0, 1, 2, 3),
        needs=("scipy.ndimage.correlate1d",), takes={"order": _is_small}))
    for name, program, axis in (("gaussian_filter", _gaussian, ()), ("gaussian_filter1d", _gaussian_line, ("axis",)))}


def _by_width(name: str) -> Callable[..., Abstract]:
    def handle(ev: Evaluator, args: Args, kwargs: Kwargs) -> Abstract:
        """With a constant width, it is an op."""
        sigma = args[1] if len(args) > 1 else kwargs.get("sigma", Static(None))
        if is_varied(ev, sigma):
            return _BY_WIDTH[name](ev, args, kwargs)
        return call_named(ev, f"scipy.ndimage.{name}", args, kwargs)

    return handle


for _name in _BY_WIDTH:
    of_scipy(f"scipy.ndimage.{_name}")(_by_width(_name))


def _windows(x: Any, sizes: Any, mode: Any, cval: Any, flipped: Any = False) -> Any:
    """The elements around each element, along as many more axes; one more is before it, or behind it if `flipped`."""
    widths = [((n - 1) // 2, n // 2) if flipped else (n // 2, (n - 1) // 2) for n in sizes]
    if mode == "constant":
        x = np.pad(x, widths, constant_values=cval)
    else:
        x = np.pad(x, widths, mode=_PADDED[mode])  # type: ignore[call-overload]
    return np.lib.stride_tricks.sliding_window_view(x, tuple(sizes))


def _sizes(x: Any, size: Any) -> Any:
    return list(size) if isinstance(size, (tuple, list)) else [size] * x.ndim


def _largest(x: Any, size: Any, mode: Any, cval: Any) -> Any:
    return np.max(_windows(x, _sizes(x, size), mode, cval), axis=tuple(range(-x.ndim, 0)))


def _least(x: Any, size: Any, mode: Any, cval: Any) -> Any:
    return np.min(_windows(x, _sizes(x, size), mode, cval), axis=tuple(range(-x.ndim, 0)))


def _ranked(x: Any, sizes: Any, rank: Any, mode: Any, cval: Any) -> Any:
    windows = _windows(x, sizes, mode, cval)
    count = 1
    for n in sizes:
        count = count * n
    return np.sort(windows.reshape(x.shape + (count,)), axis=-1)[..., rank]


def _middle(x: Any, size: Any, mode: Any, cval: Any) -> Any:
    sizes = _sizes(x, size)
    return _ranked(x, sizes, int(np.prod(sizes)) // 2, mode, cval)


def _percentile(x: Any, percentile: Any, size: Any, mode: Any, cval: Any) -> Any:
    sizes = _sizes(x, size)
    count = int(np.prod(sizes))
    part = percentile + 100.0 if percentile < 0.0 else percentile
    return _ranked(x, sizes, count - 1 if part == 100.0 else int(count * part / 100.0), mode, cval)


def _weighed(x: Any, weights: Any, mode: Any, cval: Any, flipped: Any = False) -> Any:
    """The sums of the windows, with weights."""
    windows = _windows(x, weights.shape, mode, cval, flipped)
    return np.sum(windows * weights, axis=tuple(range(-x.ndim, 0)))


def _convolved(x: Any, weights: Any, mode: Any, cval: Any) -> Any:
    return _weighed(x, np.flip(weights), mode, cval, True)


def _along(x: Any, weights: Any, axis: Any, mode: Any, cval: Any, flipped: Any = False) -> Any:
    x = np.moveaxis(x, axis, -1)
    n = weights.shape[0]
    width = ((n - 1) // 2, n // 2) if flipped else (n // 2, (n - 1) // 2)
    widths = [(0, 0)] * (x.ndim - 1) + [width]
    if mode == "constant":
        x = np.pad(x, widths, constant_values=cval)
    else:
        x = np.pad(x, widths, mode=_PADDED[mode])  # type: ignore[call-overload]
    return np.moveaxis(np.lib.stride_tricks.sliding_window_view(x, n, axis=-1) @ weights, -1, axis)


def _convolved_along(x: Any, weights: Any, axis: Any, mode: Any, cval: Any) -> Any:
    return _along(x, weights[::-1], axis, mode, cval, True)


def _sizes_along(x: Any, size: Any, axis: Any) -> Any:
    sizes = [1] * x.ndim
    sizes[axis] = size
    return sizes


def _largest_along(x: Any, size: Any, axis: Any, mode: Any, cval: Any) -> Any:
    return _largest(x, _sizes_along(x, size, axis), mode, cval)


def _least_along(x: Any, size: Any, axis: Any, mode: Any, cval: Any) -> Any:
    return _least(x, _sizes_along(x, size, axis), mode, cval)


def _of_rank(x: Any, rank: Any, size: Any, mode: Any, cval: Any) -> Any:
    return _ranked(x, _sizes(x, size), rank, mode, cval)


def _opening(x: Any, size: Any, mode: Any, cval: Any) -> Any:
    return _largest(_least(x, size, mode, cval), size, mode, cval)


def _closing(x: Any, size: Any, mode: Any, cval: Any) -> Any:
    return _least(_largest(x, size, mode, cval), size, mode, cval)


def _bright(x: Any, size: Any, mode: Any, cval: Any) -> Any:
    return x - _opening(x, size, mode, cval)


def _dark(x: Any, size: Any, mode: Any, cval: Any) -> Any:
    return _closing(x, size, mode, cval) - x


def _difference(x: Any, size: Any, mode: Any, cval: Any) -> Any:
    return _largest(x, size, mode, cval) - _least(x, size, mode, cval)


def _second_difference(x: Any, size: Any, mode: Any, cval: Any) -> Any:
    return _largest(x, size, mode, cval) + _least(x, size, mode, cval) - 2.0 * x


def _laplacian(x: Any, sigma: Any, mode: Any, cval: Any, gaussian_filter: Any) -> Any:
    return sum([gaussian_filter(x, sigma, order=tuple([2 * (k == axis) for k in range(x.ndim)]), mode=mode, cval=cval)
                for axis in range(x.ndim)])


def _steepness(x: Any, sigma: Any, mode: Any, cval: Any, gaussian_filter: Any) -> Any:
    slopes = [gaussian_filter(x, sigma, order=tuple([1 * (k == axis) for k in range(x.ndim)]), mode=mode, cval=cval)
              for axis in range(x.ndim)]
    size = np.abs(slopes[0])
    for slope in slopes[1:]:
        size = np.hypot(size, slope)
    return size


_EDGE = ("mode", "cval")
_MODES: dict[str, Callable[[Any], bool]] = {"mode": lambda m: m in _PADDED, "size": lambda n: n is not None}
_ODD: dict[str, Callable[[Any], bool]] = {
    **_MODES, "size": lambda n: all(type(k) is int and k % 2 for k in (n if isinstance(n, (tuple, list)) else (n,)))}
_GAUSSIAN = ("scipy.ndimage.gaussian_filter",)
register("scipy.ndimage", {
    "maximum_filter": Program(_largest, ("input",), ("size", *_EDGE), takes=_MODES),
    "minimum_filter": Program(_least, ("input",), ("size", *_EDGE), takes=_MODES),
    "maximum_filter1d": Program(_largest_along, ("input",), ("size", "axis", *_EDGE), takes=_MODES),
    "minimum_filter1d": Program(_least_along, ("input",), ("size", "axis", *_EDGE), takes=_MODES),
    "rank_filter": Program(_of_rank, ("input",), ("rank", "size", *_EDGE), takes=_MODES),
    **{name: Program(program, ("input",), ("size", *_EDGE), takes=_ODD) for name, program in (
        ("grey_opening", _opening), ("grey_closing", _closing), ("white_tophat", _bright), ("black_tophat", _dark),
        ("morphological_gradient", _difference), ("morphological_laplace", _second_difference))},
    "grey_dilation": Program(_largest, ("input",), ("size", *_EDGE), takes=_ODD),
    "grey_erosion": Program(_least, ("input",), ("size", *_EDGE), takes=_ODD),
    "median_filter": Program(_middle, ("input",), ("size", *_EDGE), takes=_MODES),
    "percentile_filter": Program(_percentile, ("input",), ("percentile", "size", *_EDGE), takes=_MODES),
    "gaussian_laplace": Program(_laplacian, ("input",), ("sigma", *_EDGE), takes=_MODES, needs=_GAUSSIAN),
    "gaussian_gradient_magnitude": Program(_steepness, ("input",), ("sigma", *_EDGE), takes=_MODES, needs=_GAUSSIAN)})


def _by_weights(name: str, program: Program) -> None:
    """A filter is an op where its weights are constants; by these, it has the derivative of a program."""
    @of_scipy(f"scipy.ndimage.{name}")
    def handle(ev: Evaluator, args: Args, kwargs: Kwargs) -> Abstract:
        weights = args[1] if len(args) > 1 else kwargs.get("weights")
        if weights is None or not is_varied(ev, weights) or set(kwargs) - {"input", "weights", *program.options}:
            return call_named(ev, f"scipy.ndimage.{name}", args, kwargs)
        return handler(f"scipy.ndimage.{name}", program)(ev, args, kwargs)


_PAIR = ("input", "weights")
_by_weights("correlate", Program(_weighed, _PAIR, _EDGE, takes=_MODES))
_by_weights("convolve", Program(_convolved, _PAIR, _EDGE, takes=_MODES))
_by_weights("correlate1d", Program(_along, _PAIR, ("axis", *_EDGE), takes=_MODES))
_by_weights("convolve1d", Program(_convolved_along, _PAIR, ("axis", *_EDGE), takes=_MODES))


# -- sums over labels --------------------------------------------------------------------------------------------------


def _masks(x: Any, labels: Any, index: Any) -> Any:
    """Which elements belong to a label: 1 for these, in a row for each of several labels."""
    if labels is None:
        return np.ones(x.size)
    labels = np.ravel(np.broadcast_to(labels, x.shape))
    if index is None:
        return 1.0 * (labels > 0)
    return 1.0 * (labels == (index if np.ndim(index) == 0 else np.expand_dims(index, 1)))


def _of_one_shape(x: Any, labels: Any) -> Any:
    """As SciPy broadcasts the input and its labels."""
    return (x, labels) if labels is None else np.broadcast_arrays(x, labels)


def _labelled_sum(x: Any, labels: Any, index: Any) -> Any:
    x, labels = _of_one_shape(x, labels)
    return _masks(x, labels, index) @ np.ravel(x)


def _labelled_mean(x: Any, labels: Any, index: Any) -> Any:
    x, labels = _of_one_shape(x, labels)
    masks = _masks(x, labels, index)
    return masks @ np.ravel(x) / np.sum(masks, axis=-1)


def _labelled_variance(x: Any, labels: Any, index: Any) -> Any:
    x, labels = _of_one_shape(x, labels)
    masks = _masks(x, labels, index)
    count, x = np.sum(masks, axis=-1), np.ravel(x)
    mean = masks @ x / count
    deviations = x - (mean if np.ndim(mean) == 0 else np.expand_dims(mean, 1))
    return np.sum(masks * deviations**2, axis=-1) / count


def _labelled_deviation(x: Any, labels: Any, index: Any) -> Any:
    """That of a single element is 0, whatever the element is."""
    variance = _labelled_variance(x, labels, index)
    return np.where(variance > 0.0, np.sqrt(np.where(variance > 0.0, variance, 1.0)), 0.0)[()]


def _labelled_maximum(x: Any, labels: Any, index: Any) -> Any:
    x, labels = _of_one_shape(x, labels)
    masks = _masks(x, labels, index)
    return np.max(np.where(masks > 0.0, np.ravel(x), -np.inf), axis=-1)


def _labelled_minimum(x: Any, labels: Any, index: Any) -> Any:
    x, labels = _of_one_shape(x, labels)
    masks = _masks(x, labels, index)
    return np.min(np.where(masks > 0.0, np.ravel(x), np.inf), axis=-1)


def _center(x: Any) -> Any:
    grid = _grid(x.shape)
    return tuple([np.sum(x * grid[k]) / np.sum(x) for k in range(x.ndim)])


_LABELLED = ("input", "labels", "index")
register("scipy.ndimage", {
    "sum": Program(_labelled_sum, _LABELLED, ranks=_RANKS, counts=_LABELLED[1:]),
    "sum_labels": Program(_labelled_sum, _LABELLED, ranks=_RANKS, counts=_LABELLED[1:]),
    "mean": Program(_labelled_mean, _LABELLED, ranks=_RANKS, counts=_LABELLED[1:]),
    "variance": Program(_labelled_variance, _LABELLED, ranks=_RANKS, counts=_LABELLED[1:]),
    "standard_deviation": Program(_labelled_deviation, _LABELLED, ranks=_RANKS, counts=_LABELLED[1:]),
    "maximum": Program(_labelled_maximum, _LABELLED, ranks=_RANKS, counts=_LABELLED[1:]),
    "minimum": Program(_labelled_minimum, _LABELLED, ranks=_RANKS, counts=_LABELLED[1:]),
    "center_of_mass": Program(_center, ("input",))})
