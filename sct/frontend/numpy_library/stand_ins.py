"""Functions of libraries as programs of simpler calls: these are evaluated in their place, where a differentiated
number enters.

    np.tril_indices_from(a)    ->   np.tril_indices(a.shape[0])
    np.polyder(p)              ->   p[:-1] * np.arange(len(p) - 1, 0, -1)
    np.vectorize(f)(x)         ->   np.array([f(v) for v in x.tolist()])

Each gives the bits of the function that it stands for, and has its signature.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from sct.frontend.state.observed_types import gives_eigenvalues

__all__ = [
    "STAND_INS", "as_roots", "leading_zeros", "part_of", "piecewise_of_number", "size_of_series", "trimmed",
    "vectorized", "without_leading_zeros"]

STAND_INS: dict[int, Callable[..., Any]] = {}
"""The programs, by the identity of the function behind NumPy's dispatch that each stands for."""


def _stands_for(*functions: Any) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    def register(program: Callable[..., Any]) -> Callable[..., Any]:
        STAND_INS.update({id(getattr(f, "__wrapped__", f)): program for f in functions})
        return program

    return register


# -- positions ---------------------------------------------------------------------------------------------------------


@_stands_for(np.diag_indices_from)
def _diag_indices_from(arr: Any) -> Any:
    if arr.ndim < 2:
        raise ValueError("input array must be at least 2-d")
    for n in arr.shape[1:]:
        if n != arr.shape[0]:
            raise ValueError("All dimensions of input must be of equal length")
    return (np.arange(arr.shape[0]),) * arr.ndim


@_stands_for(np.tril_indices_from)
def _tril_indices_from(arr: Any, k: Any = 0) -> Any:
    if arr.ndim != 2:
        raise ValueError("input array must be 2-d")
    if arr.shape[0] == arr.shape[1]:
        return np.tril_indices(arr.shape[0], k)
    return np.nonzero(np.arange(arr.shape[0])[:, None] >= np.arange(arr.shape[1]) - k)


@_stands_for(np.triu_indices_from)
def _triu_indices_from(arr: Any, k: Any = 0) -> Any:
    if arr.ndim != 2:
        raise ValueError("input array must be 2-d")
    if arr.shape[0] == arr.shape[1]:
        return np.triu_indices(arr.shape[0], k)
    return np.nonzero(np.arange(arr.shape[0])[:, None] <= np.arange(arr.shape[1]) - k)


@_stands_for(np.lexsort)
def _lexsort(keys: Any, axis: Any = -1) -> Any:
    """The last key counts most: each one sorts again, and leaves equal items in their order."""
    order = np.argsort(keys[0], axis, kind="stable")
    for key in keys[1:]:
        more = np.argsort(np.take_along_axis(key, order, axis), axis, kind="stable")
        order = np.take_along_axis(order, more, axis)
    return order


@_stands_for(np.trim_zeros)
def _trim_zeros(filt: Any, trim: Any = "fb") -> Any:
    first, last = 0, len(filt)
    if "f" in trim.lower():
        while first < last and filt[first] == 0.0:
            first = first + 1
    if "b" in trim.lower():
        while last > first and filt[last - 1] == 0.0:
            last = last - 1
    return filt[first:last]


def as_roots(r: Any, p: Any) -> Any:
    """Stands for `r`, the roots of the polynomial, with their derivative."""


@gives_eigenvalues
@_stands_for(np.roots)
def _roots(p: Any) -> Any:
    """Of a real constant, too, with a matrix without rows: the result has one type on every path."""
    p = np.asarray(p)
    if p.ndim == 0:
        raise TypeError("dispatcher for __array_function__ did not return an iterable")
    if p.ndim != 1:
        raise ValueError("Input must be a rank-1 array.")
    coefficients = p
    there = np.nonzero(p)[0]
    end = np.max(there + 1, initial=0)
    zeros = (len(p) - end) * min(len(there), 1)
    p = p[np.min(there, initial=len(p)):end]
    if p.dtype.kind not in "fc":
        p = p.astype(float)
    if p.dtype.kind == "c" and len(p) < 2:
        roots = np.array([])
    else:
        companion = np.eye(max(len(p) - 1, 0), k=-1, dtype=p.dtype)
        companion[:1] = -p[1:] / p[:1]
        roots = np.linalg.eigvals(companion)
    return as_roots(np.hstack((roots, np.zeros(zeros, roots.dtype))), coefficients)


@_stands_for(np.asarray_chkfinite)
def _asarray_chkfinite(a: Any, dtype: Any = None, order: Any = None) -> Any:
    a = np.asarray(a, dtype=dtype)
    if not np.all(np.isfinite(a)):
        raise ValueError("array must not contain infs or NaNs")
    return a


# -- polynomials -------------------------------------------------------------------------------------------------------


@_stands_for(np.polyder)
def _polyder(p: Any, m: Any = 1) -> Any:
    if m < 0:
        raise ValueError("Order of derivative must be positive (see polyint)")
    p = np.asarray(p)
    for _ in range(m):
        p = p[:-1] * np.arange(len(p) - 1, 0, -1)
    return p


@_stands_for(np.polyint)
def _polyint(p: Any, m: Any = 1, k: Any = None) -> Any:
    if m < 0:
        raise ValueError("Order of integral must be positive (see polyder)")
    constants = np.zeros(m) if k is None else np.atleast_1d(k)
    if len(constants) == 1 and m > 1:
        constants = constants[0] * np.ones(m)
    if len(constants) < m:
        raise ValueError("k must be a scalar or a rank-1 array of length 1 or >m.")
    p = np.asarray(p)
    for j in range(m):
        p = np.concatenate((p / np.arange(len(p), 0, -1), constants[j:j + 1]))
    return p


def _padded(a: Any, n: Any) -> Any:
    """The coefficients, with as many zeros before them."""
    return np.concatenate((np.zeros(n), a)) if n > 0 else a


@_stands_for(np.polyadd)
def _polyadd(a1: Any, a2: Any) -> Any:
    a1, a2 = np.atleast_1d(a1), np.atleast_1d(a2)
    return _padded(a1, len(a2) - len(a1)) + _padded(a2, len(a1) - len(a2))


@_stands_for(np.polysub)
def _polysub(a1: Any, a2: Any) -> Any:
    a1, a2 = np.atleast_1d(a1), np.atleast_1d(a2)
    return _padded(a1, len(a2) - len(a1)) - _padded(a2, len(a1) - len(a2))


def leading_zeros(c: Any) -> Any:
    """How many coefficients at the start are zero; one is not counted if all are."""
    first = 0
    while first < len(c) - 1 and c[first] == 0.0:
        first = first + 1
    return first


def size_of_series(c: Any) -> Any:
    """The number of coefficients without zeros of the highest powers, which stand last; one stays."""
    last = len(c)
    while last > 1 and c[last - 1] == 0.0:
        last = last - 1
    return last


def part_of(c: Any, start: Any, stop: Any) -> Any:
    """Stands for `c[start:stop]`; there is no derivative where that leaves out zeros of the highest powers."""


def trimmed(c: Any) -> Any:
    """The coefficients without zeros of the highest powers, which stand last."""
    return part_of(c, 0, size_of_series(c))


def without_leading_zeros(a: Any) -> Any:
    """The coefficients without zeros of the highest powers, which stand first."""
    a = np.atleast_1d(a)
    return part_of(a, leading_zeros(a), len(a))


@_stands_for(np.polymul)
def _polymul(a1: Any, a2: Any) -> Any:
    return np.convolve(without_leading_zeros(a1), without_leading_zeros(a2))


# -- reductions --------------------------------------------------------------------------------------------------------


@_stands_for(np.nanmedian)
def _nanmedian(a: Any) -> Any:
    a = np.ravel(a)
    return np.median(a[~np.isnan(a)])


# -- functions of numbers, applied to the elements of arrays -----------------------------------------------------------


@_stands_for(np.vectorize)
def vectorized(pyfunc: Any, otypes: Any = None, doc: Any = None, excluded: Any = ()) -> Any:
    """The function that `np.vectorize` makes of `pyfunc`, which is called with numbers of Python."""

    def of_arrays(*args: Any, **kwargs: Any) -> Any:
        places = [k for k in range(len(args)) if k not in excluded]
        names = [name for name in kwargs if name not in excluded]
        arrays = np.broadcast_arrays(*[args[k] for k in places], *[kwargs[name] for name in names])
        shape = arrays[0].shape
        if otypes is None and arrays[0].size == 0:
            raise ValueError("cannot call `vectorize` on size 0 inputs unless `otypes` is set")

        def of_numbers(*numbers: Any) -> Any:
            positional, named = [*args], {**kwargs}
            for k in range(len(places)):
                positional[places[k]] = numbers[k]
            for k in range(len(names)):
                named[names[k]] = numbers[len(places) + k]
            return pyfunc(*positional, **named)

        results = [of_numbers(*numbers) for numbers in zip(*[np.ravel(a).tolist() for a in arrays])]
        first = of_numbers(*[np.ravel(a)[0] for a in arrays]) if otypes is None else None
        if isinstance(first, tuple):
            return tuple([np.array([r[k] for r in results], type(first[k])).reshape(shape)
                          for k in range(len(first))])
        return np.array(results, type(first) if otypes is None else otypes[0]).reshape(shape)

    return of_arrays


def piecewise_of_number(x: Any, conditions: Any, functions: Any, *more: Any, **options: Any) -> Any:
    masks = [np.reshape(c, (1,)) for c in (conditions if isinstance(conditions, (list, tuple)) else [conditions])]
    return np.reshape(np.piecewise(np.reshape(x, (1,)), masks, functions, *more, **options), ())
