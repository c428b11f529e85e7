"""Symmetric matrices of few diagonals, by their eigenvalues, and matrices as products of others, of `scipy.linalg`.

    eigh_tridiagonal(d, e)   ->   what SciPy computes, with the derivative of `np.linalg.eigh` of the matrix
    ldl(A)                   ->   what SciPy computes, with the derivative of the elimination with the same pivots
"""

from __future__ import annotations

from typing import Any

import numpy as np

from sct.frontend.scipy_library.by_program import Program, register

__all__: list[str] = []


# -- symmetric matrices of few diagonals -------------------------------------------------------------------------------


def _of_diagonals(d: Any, e: Any) -> Any:
    return np.diag(d) + np.diag(e, 1) + np.diag(e, -1)


def _of_band(band: Any, lower: Any) -> Any:
    """The symmetric matrix of a band: the diagonals from the main one down, or from the highest to the main one."""
    n = band.shape[1]
    a = np.zeros((n, n))
    for k in range(band.shape[0]):
        i = np.arange(n - k)
        diagonal = band[k, :n - k] if lower else band[band.shape[0] - 1 - k, k:]
        a[i + k, i] = diagonal
        a[i, i + k] = diagonal
    return a


def _chosen(values: Any, select: Any, select_range: Any) -> Any:
    """All of them, or those with positions from the first number of the range to the last one."""
    return values if select in ("a", "all") else values[..., select_range[0]:select_range[1] + 1]


def _spectrum(a: Any, without_vectors: Any, select: Any, select_range: Any, computed: Any) -> Any:
    """The eigenvalues, and perhaps the vectors, which have the signs of those that SciPy computes."""
    if without_vectors:
        return _chosen(np.linalg.eigvalsh(a), select, select_range)
    w, v = np.linalg.eigh(a)
    w, v = _chosen(w, select, select_range), _chosen(v, select, select_range)
    return (w, v) if computed is None else (w, v * np.sign(np.sum(v * computed[1], axis=0)))


def _of_tridiagonal(d: Any, e: Any, eigvals_only: Any, select: Any, select_range: Any, computed: Any) -> Any:
    return _spectrum(_of_diagonals(d, e), eigvals_only, select, select_range, computed)


def _values_of_tridiagonal(d: Any, e: Any, select: Any, select_range: Any) -> Any:
    return _spectrum(_of_diagonals(d, e), True, select, select_range, None)


def _spectrum_of_band(a_band: Any, lower: Any, eigvals_only: Any, select: Any, select_range: Any, computed: Any) -> Any:
    return _spectrum(_of_band(a_band, lower), eigvals_only, select, select_range, computed)


def _values_of_band(a_band: Any, lower: Any, select: Any, select_range: Any) -> Any:
    return _spectrum(_of_band(a_band, lower), True, select, select_range, None)


def _band_factor(ab: Any, lower: Any) -> Any:
    """The band of the factor; the elements beyond the matrix stay what they are."""
    n, factor, band = ab.shape[1], np.linalg.cholesky(_of_band(ab, lower)), ab * 1.0
    for k in range(ab.shape[0]):
        i = np.arange(n - k)
        if lower:
            band[k, :n - k] = factor[i + k, i]
        else:
            band[ab.shape[0] - 1 - k, k:] = factor[i + k, i]
    return band


def _solved_by_band(cb: Any, b: Any) -> Any:
    """The solution for a matrix that is the product of a triangle, given as its band, with the transposed triangle."""
    return _solved_by_factor(cb[0], b, cb[1])


def _solved_by_factor(cb: Any, b: Any, lower: Any) -> Any:
    n = cb.shape[1]
    factor = np.zeros((n, n))
    for k in range(cb.shape[0]):
        i = np.arange(n - k)
        factor[i + k, i] = cb[k, :n - k] if lower else cb[cb.shape[0] - 1 - k, k:]
    return np.linalg.solve(factor @ factor.T, b)


# -- products of matrices ----------------------------------------------------------------------------------------------


def _triangle_first(a: Any, mode: Any, computed: Any) -> Any:
    """R @ Q, by the decomposition of the transposed matrix in reverse order."""
    if mode == "full" and a.shape[0] < a.shape[1]:
        raise ValueError("the last rows of Q are any basis")
    q, r = np.linalg.qr(a[::-1].T)
    r, q = r.T[::-1, ::-1], q.T[::-1]
    if computed is not None:
        sign = np.sign(np.sum(q * computed[1], axis=1))
        r, q = r * sign, q * np.expand_dims(sign, 1)
    return r, q


def _hessenberg(a: Any, calc_q: Any) -> Any:
    """Householder's reflections, which leave the first element of each column below the diagonal."""
    h, q = a * 1.0, np.eye(len(a))
    for k in range(len(a) - 2):
        x = h[k + 1:, k]
        if np.all(x[1:] == 0.0):
            raise ValueError("the sign of the next row jumps here")
        length = -np.copysign(np.sqrt(np.sum(x * x)), x[0])
        w = np.concatenate((x[:1] - length, x[1:]))
        w = w / np.sqrt(0.5 * np.sum(w * w))
        h[k + 1:] = h[k + 1:] - np.outer(w, w @ h[k + 1:])
        h[:, k + 1:] = h[:, k + 1:] - np.outer(h[:, k + 1:] @ w, w)
        q[:, k + 1:] = q[:, k + 1:] - np.outer(q[:, k + 1:] @ w, w)
    return (np.triu(h, -1), q) if calc_q else np.triu(h, -1)


def _ldl(A: Any, lower: Any, computed: Any) -> Any:
    """Elimination with the pivots that SciPy has chosen: numbers, and matrices of two rows."""
    half = np.tril(A) if lower else np.triu(A)
    a = half + half.T - np.diag(np.diag(A))
    n = len(a)
    if computed is None:
        return a, a, np.arange(n)
    order = computed[2] if lower else computed[2][::-1]
    pivots = computed[1] if lower else computed[1][::-1, ::-1]
    rest = a[np.ix_(order, order)]
    factor, d = np.eye(n), np.zeros((n, n))
    k = 0
    while k < n:
        end = k + 2 if k + 1 < n and pivots[k + 1, k] != 0.0 else k + 1
        d[k:end, k:end] = rest[k:end, k:end]
        beside = rest[end:, k:end]
        factor[end:, k:end] = np.linalg.solve(rest[k:end, k:end], beside.T).T
        rest[end:, end:] = rest[end:, end:] - factor[end:, k:end] @ beside.T
        k = end
    place = np.argsort(order)
    return (factor[place], d, computed[2]) if lower else (factor[place][:, ::-1], d[::-1, ::-1], computed[2])


_RANGE: dict[str, Any] = {"select": ("a", "all", "i", "index").__contains__}
register("scipy.linalg", {
    "eigvalsh_tridiagonal": Program(_values_of_tridiagonal, ("d", "e"), ("select", "select_range"), ranks=(1,),
                                    takes=_RANGE),
    "eigh_tridiagonal": Program(_of_tridiagonal, ("d", "e"), ("eigvals_only", "select", "select_range"), ranks=(1,),
                                takes=_RANGE, by_value=True),
    "eigvals_banded": Program(_values_of_band, ("a_band",), ("lower", "select", "select_range"), ranks=(2,),
                              takes=_RANGE),
    "eig_banded": Program(_spectrum_of_band, ("a_band",), ("lower", "eigvals_only", "select", "select_range"),
                          ranks=(2,), takes=_RANGE, by_value=True),
    "cholesky_banded": Program(_band_factor, ("ab",), ("lower",), ranks=(2,)),
    "rq": Program(_triangle_first, ("a",), ("mode",), ranks=(2,), takes={"mode": ("full", "economic").__contains__},
                  by_value=True),
    "hessenberg": Program(_hessenberg, ("a",), ("calc_q",), ranks=(2,)),
    "ldl": Program(_ldl, ("A",), ("lower",), ranks=(2,), by_value=True)})
