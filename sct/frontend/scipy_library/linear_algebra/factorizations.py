"""Symmetric matrices of few diagonals, by their eigenvalues, and matrices as products of others, of `scipy.linalg`.

    eigh_tridiagonal(d, e)   ->   what SciPy computes, with the derivative of `np.linalg.eigh` of the matrix
    ldl(A)                   ->   what SciPy computes, with the derivative of the elimination with the same pivots
"""

from __future__ import annotations

import operator
import sys
from typing import Any

import numpy as np

from sct.frontend.autodiff.implicit_functions import as_solution, derivative_code, function_of, standing_for
from sct.frontend.evaluator.evaluator import Evaluator
from sct.frontend.evaluator.exceptions import named_arguments
from sct.frontend.evaluator.handlers import Args, Kwargs, of_scipy
from sct.frontend.heap.inactive import leave_to_python
from sct.frontend.heap.subscripts import size_along
from sct.frontend.numpy_library.op_calls import call_named
from sct.frontend.scipy_library.by_program import Program, array_of_floats, handler, register
from sct.frontend.values.abstract_values import Abstract, Ref, Static, Tup
from sct.ir.types import Tensor
from sct.ops.program.effects import OBJECT, part
from sct.ops.program.solutions import solver
from sct.ops.type_rules import number

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
    if a_band.shape[1] == 1:
        a_band, lower = a_band[:1], True
    return _spectrum(_of_band(a_band, lower), eigvals_only, select, select_range, computed)


def _values_of_band(a_band: Any, lower: Any, select: Any, select_range: Any) -> Any:
    if a_band.shape[1] == 1:
        a_band, lower = a_band[:1], True
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


# -- products of matrices ----------------------------------------------------------------------------------------------


def _triangle_first(a: Any, mode: Any, computed: Any) -> Any:
    """R @ Q, by the decomposition of the transposed matrix in reverse order."""
    q, r = np.linalg.qr(a[::-1].T)
    r, q = r.T[::-1, ::-1], q.T[::-1]
    if computed is not None:
        sign = np.sign(np.sum(q * computed[1], axis=1))
        r, q = r * sign, q * np.expand_dims(sign, 1)
    return r, q


def _hessenberg(a: Any, calc_q: Any) -> Any:
    """Householder's reflections, which leave the first element of each column below the diagonal.

    Where the others are 0 already, there is no derivative: SciPy takes another sign for the matrix next to this one.
    """
    h, q = a * 1.0, np.eye(len(a))
    for k in range(len(a) - 2):
        x = h[k + 1:, k]
        length = -np.copysign(np.sqrt(np.sum(x * x)), x[0])
        w = np.concatenate((x[:1] - length, x[1:]))
        w = w / np.sqrt(0.5 * np.sum(w * w)) * np.where(np.any(x[1:] != 0.0), 1.0, np.nan)
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


def _eliminated(rows: Any) -> Any:
    """U, and below its diagonal the elements of L, by Gaussian elimination without pivots."""
    for k in range(min(rows.shape)):
        factor = rows[k + 1:, k] / rows[k, k]
        rows[k + 1:, k + 1:] = rows[k + 1:, k + 1:] - np.outer(factor, rows[k, k + 1:])
        rows[k + 1:, k] = factor
    return rows


def _lu(a: Any, p_indices: Any, computed: Any) -> Any:
    """Elimination in the order of the rows that SciPy has chosen."""
    m, k = len(a), min(a.shape)
    p = computed[0] if computed is not None else np.arange(m) if p_indices else np.eye(m)
    rows = _eliminated(a[np.argsort(p) if p_indices else np.argmax(p, axis=0)])
    return p, np.tril(rows[:, :k], -1) + np.eye(m, k), np.triu(rows[:k])


def _lu_factor(a: Any, computed: Any) -> Any:
    swaps = np.arange(min(a.shape), dtype=np.int32) if computed is None else computed[1]
    order = np.arange(len(a))
    for k in range(len(swaps)):
        other = swaps[k]
        first, second = order[k], order[other]
        order[k], order[other] = second, first
    return _eliminated(a[order]), swaps


def _halves(unknowns: Any, a: Any) -> Any:
    """The two matrices of the shape of `a` whose elements are the unknowns."""
    n = len(a)
    return np.reshape(unknowns[:n * n], (n, n)), np.reshape(unknowns[n * n:], (n, n))


def _schur_equations(unknowns: Any, a: Any) -> Any:
    """Z is orthogonal, A @ Z == Z @ T, and T is upper triangular but for blocks of two rows with equal diagonals."""
    n = len(a)
    t, z = _halves(unknowns, a)
    diagonal = np.diag(t)
    block = np.diag(t, -1) != 0.0
    below = np.tril(t, -1)
    below[np.arange(1, n), np.arange(n - 1)] = np.where(block, diagonal[1:] - diagonal[:-1], np.diag(t, -1))
    return np.concatenate((np.ravel(a @ z - z @ t), np.ravel(np.triu(z.T @ z - np.eye(n)) + below)))


@of_scipy("scipy.linalg.schur")
def _schur(ev: Evaluator, args: Args, kwargs: Kwargs) -> Abstract:
    """The decomposition in real numbers is the solution of as many equations; in complex ones it has free phases."""
    arguments = named_arguments(ev, sys.modules["scipy.linalg"].schur, args, kwargs)
    leave_to_python(ev, "schur", arguments.values())
    a = array_of_floats(ev, "scipy.linalg.schur", arguments.pop("a"), (2,))
    if ev.ask(arguments.pop("output", Static("real")), "`output` of `schur`") not in ("real", "r"):
        ev.refuse("SCT402", "`schur` in complex numbers is not differentiated",
                  why="each column of Z has a phase that is free", hint="use the real form, or scipy.linalg.eigvals")
    if any(v != Static(None) for v in arguments.values()):
        ev.refuse("SCT402", "`schur` with other options than `output` is not differentiated", hint="leave them out")
    result = ev.emit(solver, ev.operand(a), text="scipy.linalg.schur(_0)", type=OBJECT)
    result.hint = "decomposition"
    t = number(ev.operand(a))
    parts = [ev.wrap(ev.emit(part, result, text=f"_0[{k}]", type=t)) for k in (0, 1)]
    with derivative_code(ev):
        flat = ev.new_list(tuple(ev.call(Static(np.ravel), [x]) for x in parts))
        unknowns = ev.call(Static(np.concatenate), [flat])
        equations = function_of(ev, Static(_schur_equations), [unknowns, a], {}, "the equations")
        solved = ev.wrap(as_solution(ev, ev.operand(unknowns), equations.fn))
        like = ev.call(Static(_halves), [solved, a])
    assert isinstance(like, Tup)
    return Tup(tuple(standing_for(ev, result, x, f"_0[{k}]") for k, x in enumerate(like.items)))


def _of_any_sizes(name: str, program: Program) -> None:
    """Registers a decomposition that is an op, of square matrices; others have the derivative of a program."""
    by_elimination = handler(name, program)

    @of_scipy(name)
    def handle(ev: Evaluator, args: Args, kwargs: Kwargs) -> Abstract:
        a = args[0] if args else kwargs.get("a")
        t = ev.type_of(a) if isinstance(a, Ref) else None
        by_indices = kwargs.get("p_indices", Static(False)) != Static(False)
        if isinstance(t, Tensor) and t.rank == 2 and (by_indices or ev.are_unequal(*t.shape)):
            return by_elimination(ev, args, kwargs)
        return call_named(ev, name, args, kwargs)


_of_any_sizes("scipy.linalg.lu", Program(_lu, ("a",), ("p_indices",), ranks=(2,), complex=True, by_value=True))
_of_any_sizes("scipy.linalg.lu_factor", Program(_lu_factor, ("a",), ranks=(2,), complex=True, by_value=True))

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
    "hessenberg": Program(_hessenberg, ("a",), ("calc_q",), ranks=(2,)),
    "ldl": Program(_ldl, ("A",), ("lower",), ranks=(2,), by_value=True)})
_TRIANGLE_FIRST = handler("scipy.linalg.rq", Program(_triangle_first, ("a",), ("mode",), ranks=(2,), takes={
    "mode": ("full", "economic").__contains__}, by_value=True))


@of_scipy("scipy.linalg.rq")
def _rq(ev: Evaluator, args: Args, kwargs: Kwargs) -> Abstract:
    """Of a matrix with more columns than rows, the whole of Q is not determined."""
    arguments = named_arguments(ev, sys.modules["scipy.linalg"].rq, args, kwargs)
    a = arguments["a"]
    t = ev.type_of(a) if isinstance(a, Ref) else None
    if isinstance(t, Tensor) and t.rank == 2 and arguments.get("mode", Static("full")) == Static("full"):
        leave_to_python(ev, "rq", [a])
        if ev.ask(ev.call(Static(operator.lt), [size_along(ev, a, 0), size_along(ev, a, 1)]), "whether it is wide"):
            ev.refuse("SCT402", "`rq` of a matrix with more columns than rows is not differentiated",
                      why="the first rows of Q are any basis of a space", hint="pass mode='economic'")
    result: Abstract = _TRIANGLE_FIRST(ev, args, kwargs)
    return result
