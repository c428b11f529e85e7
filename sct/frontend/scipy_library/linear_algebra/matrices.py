"""Functions of matrices of `scipy.linalg`: those that are differentiated where their result is real, and those that
have the derivative of a program.
"""

from __future__ import annotations

import operator
import sys
from collections.abc import Sequence
from typing import Any

import numpy as np

from sct.errors import SctError
from sct.frontend.autodiff.implicit_functions import derivative_code, standing_for
from sct.frontend.evaluator.evaluator import Evaluator
from sct.frontend.evaluator.exceptions import named_arguments
from sct.frontend.evaluator.handlers import Args, Kwargs, of_scipy
from sct.frontend.heap.inactive import check_value, leave_to_python
from sct.frontend.heap.subscripts import size_along
from sct.frontend.scipy_library.by_program import Program, array_of_floats, handler, register
from sct.frontend.state.fixpoint import Dead
from sct.frontend.values.abstract_values import Abstract, Ref, Static, Tup
from sct.frontend.values.guards import NeedsStatic
from sct.ir import Op, Value
from sct.ops.program.solutions import solver
from sct.ops.scipy.linear_systems import has_full_rank, root_of
from sct.ops.scipy.matrix_logarithms import fractional_power_of, logm_of

__all__: list[str] = []


# -- functions whose result may be complex -----------------------------------------------------------------------------


_BY_EIGENVALUES = "use the eigenvalues: `w, v = np.linalg.eig(A)`, `(v * np.log(w)) @ np.linalg.inv(v)`"
"""What gives the logarithm of a complex matrix; its powers likewise."""



def _real(name: str, parameters: Sequence[str], entry: Op) -> None:
    """Registers a function of a matrix; `entry` is the op of what it has computed, which has the derivative."""
    library = f"scipy.linalg.{name}"

    @of_scipy(library)
    def handle(ev: Evaluator, args: Args, kwargs: Kwargs) -> Abstract:
        if len(args) + len(kwargs) != len(parameters) or not set(kwargs) <= set(parameters[len(args):]):
            ev.refuse("SCT402", f"`{name}` with more than {' and '.join(f'`{p}`' for p in parameters)} is not "
                      "differentiated", hint="leave the other arguments out")
        arguments = [*args, *(kwargs[p] for p in parameters[len(args):])]
        leave_to_python(ev, name, arguments)
        x = ev.operand(array_of_floats(ev, library, arguments[0], (2,), entry is root_of, _BY_EIGENVALUES))
        operands = [x, *map(ev.operand, arguments[1:])]
        text = f"{library}({', '.join(f'_{k}' for k in range(len(operands)))})"
        value = ev.emit(solver, *operands, text=text, type=x.type)
        is_real = x.type.kind == "f"  # type: ignore[union-attr]
        check_value(ev, value, f"_0.dtype == '{'float64' if is_real else 'complex128'}'",
                    f"the result of `{name}` of this matrix must be {'real' if is_real else 'complex'}")
        return ev.wrap(ev.emit(entry, value, *operands))


_real("sqrtm", ("A",), root_of)
_real("logm", ("A",), logm_of)
_real("fractional_matrix_power", ("A", "t"), fractional_power_of)


# -- matrices whose elements are those of vectors ----------------------------------------------------------------------


def _toeplitz(c: Any, r: Any) -> Any:
    """Each diagonal has one number: those of the first column `c`, and of the first row `r`."""
    first_row = r if r is not None else np.conj(c) if np.iscomplexobj(c) else c
    v = np.concatenate((c[::-1], first_row[1:]))
    return v[np.arange(len(c))[::-1, None] + np.arange(len(first_row))]


def _hankel(c: Any, r: Any) -> Any:
    """Each antidiagonal has one number: those of the first column `c`, and of the last row `r`."""
    last_row = np.zeros_like(c) if r is None else r
    v = np.concatenate((c, last_row[1:]))
    return v[np.arange(len(c))[:, None] + np.arange(len(last_row))]


def _circulant(c: Any) -> Any:
    k = np.arange(len(c))
    return c[(k[:, None] - k) % len(c)]


def _fiedler(a: Any) -> Any:
    return np.abs(a[:, None] - a)


def _convolution_matrix(a: Any, n: Any, mode: Any) -> Any:
    """The matrix whose product with a vector of size n is its convolution with `a`."""
    zeros = np.zeros(n - 1)
    v = np.concatenate((zeros, a, zeros))
    matrix = v[np.arange(len(a) + n - 1)[:, None] + np.arange(n)[::-1]]
    short = min(n, len(a)) - 1
    if mode == "same":
        return matrix[short // 2:len(matrix) - short + short // 2]
    return matrix if mode == "full" else matrix[short:len(matrix) - short]


# -- eigenvalues and solutions -----------------------------------------------------------------------------------------


def _least_squares(a: Any, b: Any, cond: Any) -> Any:
    return np.linalg.lstsq(a, b, cond)


def _overdetermined(a: Any, b: Any, cond: Any) -> Any:
    x, residuals, rank, s = np.linalg.lstsq(a, b, cond)
    return x, np.sum(residuals), rank, s


_OF_TABLE = handler("scipy.linalg.lstsq", Program(
    _least_squares, ("a", "b"), ("cond",), ranks=(1, 2), complex=True))
_OF_VECTOR = handler("scipy.linalg.lstsq", Program(
    _overdetermined, ("a", "b"), ("cond",), ranks=(1, 2), complex=True, reads={1: "_0[1].reshape(())[()]"}))


@of_scipy("scipy.linalg.lstsq")
def _lstsq(ev: Evaluator, args: Args, kwargs: Kwargs) -> Abstract:
    """The residual of a vector is a number where there are more equations than unknowns, of full rank; else an array of
    size 0."""
    arguments = named_arguments(ev, sys.modules["scipy.linalg"].lstsq, args, kwargs)
    a, b = (ev.call(Static(np.asarray), [arguments[key]]) for key in "ab")
    is_vector = isinstance(a, Ref) and isinstance(b, Ref) and (len(ev.shape_of(a)), len(ev.shape_of(b))) == (2, 1)
    is_tall = is_vector and ev.ask(ev.call(Static(operator.gt), [size_along(ev, a, 0), size_along(ev, a, 1)]),
                                   "whether there are more equations than unknowns")
    is_number = is_tall and _has_full_rank(ev, a, b, arguments.get("cond", Static(None)))
    return (_OF_VECTOR if is_number else _OF_TABLE)(ev, args, kwargs)


def _has_full_rank(ev: Evaluator, a: Abstract, b: Abstract, cond: Abstract) -> bool:
    """Has the matrix, in the call that is compiled, as many independent columns as columns?  It is guarded; where it is
    known only at run time, the rank is full: the residual of another one raises ValueError."""
    cutoff = [] if cond == Static(None) else [ev.operand(cond)]
    try:
        full = ev.emit(has_full_rank, ev.operand(a), ev.operand(b), *cutoff)
        return bool(ev.ask(ev.wrap(full), "the rank of the matrix"))
    except (NeedsStatic, SctError):
        return True


def _symmetric_pseudoinverse(a: Any) -> Any:
    return np.linalg.pinv(np.tril(a) + np.tril(a, -1).T)


def _nuclear_norm(a: Any) -> Any:
    return np.linalg.norm(a, "nuc")


def _polar(a: Any, side: Any, grad: Any) -> Any:
    """The derivative of the sum of the singular values is U @ Vh; it has a derivative where they are equal."""
    u = grad(_nuclear_norm)(a)
    return u, u.T @ a if side == "right" else a @ u.T


def _nearest_rotation(A: Any, B: Any, grad: Any) -> Any:
    """The orthogonal matrix that maps A nearest to B, and the sum of the singular values."""
    product = (B.T @ A).T
    return grad(_nuclear_norm)(product), _nuclear_norm(product)


def _superposed(data1: Any, data2: Any, grad: Any) -> Any:
    """Both sets of points, of size 1 around their means, the second one turned and scaled to the first; and how far
    they are apart.
    """
    a, b = data1 - np.mean(data1, axis=0), data2 - np.mean(data2, axis=0)
    a, b = a / np.sqrt(np.sum(a * a)), b / np.sqrt(np.sum(b * b))
    rotation, scale = _nearest_rotation(a, b, grad)
    b = b @ rotation.T * scale
    return a, b, np.sum((a - b) ** 2)


def _products_of_columns(a: Any, b: Any) -> Any:
    return np.reshape(np.expand_dims(a, 1) * b, (a.shape[0] * b.shape[0], a.shape[1]))


def _frechet(A: Any, E: Any, compute_expm: Any, expm: Any) -> Any:
    """The exponential and its derivative along E, as blocks of one exponential."""
    n = len(A)
    whole = np.zeros((2 * n, 2 * n))
    whole[:n, :n] = A
    whole[:n, n:] = E
    whole[n:, n:] = A
    power = expm(whole)
    return (power[:n, :n], power[:n, n:]) if compute_expm else power[:n, n:]


def _some_eigenvalues(a: Any, lower: Any, subset_by_index: Any) -> Any:
    a = np.tril(a) + np.tril(a, -1).T if lower else np.triu(a) + np.triu(a, 1).T
    return np.linalg.eigvalsh(a)[subset_by_index[0]:subset_by_index[1] + 1]


of_scipy("scipy.linalg.eigvalsh(subset_by_index=)")(handler("scipy.linalg.eigvalsh", Program(
    _some_eigenvalues, ("a",), ("lower", "subset_by_index"), ranks=(2,))))
register("scipy.spatial", {"procrustes": Program(
    _superposed, ("data1", "data2"), ranks=(2,), needs=("sct.grad",))})
register("scipy.linalg", {
    "orthogonal_procrustes": Program(_nearest_rotation, ("A", "B"), ranks=(2,), needs=("sct.grad",)),
    "polar": Program(_polar, ("a",), ("side",), ranks=(2,), needs=("sct.grad",)),
    "khatri_rao": Program(_products_of_columns, ("a", "b"), ranks=(2,), complex=True),
    "expm_frechet": Program(_frechet, ("A", "E"), ("compute_expm",), ranks=(2,), needs=("scipy.linalg.expm",)),
    "toeplitz": Program(_toeplitz, ("c", "r"), ranks=(1,), integers=True, complex=True),
    "hankel": Program(_hankel, ("c", "r"), ranks=(1,), integers=True, complex=True),
    "circulant": Program(_circulant, ("c",), ranks=(1,), integers=True, complex=True),
    "fiedler": Program(_fiedler, ("a",), ranks=(1,), integers=True),
    "convolution_matrix": Program(_convolution_matrix, ("a",), ("n", "mode"), ranks=(1,)),
    "pinvh": Program(_symmetric_pseudoinverse, ("a",), ranks=(2,))})


# -- angles between spaces ---------------------------------------------------------------------------------------------


def _principal_angles(A: Any, B: Any) -> Any:
    """The angles by their cosines and, where these are near 1, by their sines; and have they a derivative? Spaces that
    must intersect have angles of 0, which stay; other angles near 0 have none, as a modulus."""
    p, q = np.linalg.qr(A)[0], np.linalg.qr(B)[0]
    cosines = p.T @ q
    across = q - p @ cosines if A.shape[1] >= B.shape[1] else p - q @ cosines.T
    size = min(A.shape[0], A.shape[1], B.shape[1])
    fixed = min(size, max(0, A.shape[1] + B.shape[1] - A.shape[0]))
    moving = size - fixed
    if moving == 0:
        return np.zeros(fixed), True
    c = np.linalg.svd(cosines, compute_uv=False)[::-1][:moving]
    s = np.linalg.svd(across, compute_uv=False)[:moving]
    large = c * c < 0.5
    angles = np.where(large, np.arccos(np.where(large, c, 0.0)), np.arcsin(np.where(large, 0.0, s)))
    has_full_rank = np.linalg.matrix_rank(A) == A.shape[1] and np.linalg.matrix_rank(B) == B.shape[1]
    return np.concatenate((angles, np.zeros(fixed))), bool(has_full_rank and np.all(s > 1e-7))


@of_scipy("scipy.linalg.subspace_angles")
def _subspace_angles(ev: Evaluator, args: Args, kwargs: Kwargs) -> Abstract:
    name = "subspace_angles"
    arguments = named_arguments(ev, sys.modules["scipy.linalg"].subspace_angles, args, kwargs)
    leave_to_python(ev, name, arguments.values())
    a, b = (array_of_floats(ev, name, arguments[key], (2,)) for key in "AB")
    try:
        with derivative_code(ev):
            angles = ev.call(Static(_principal_angles), [a, b])
    except Dead:
        ev.refuse("SCT402", f"`{name}` is not differentiated for these arguments", why="SciPy raises an exception: the "
                  "matrices have different numbers of rows")
    assert isinstance(angles, Tup)
    like, regular = angles.items
    computed = ev.emit(solver, ev.operand(a), ev.operand(b), text=f"scipy.linalg.{name}(_0, _1)",
                       type=ev.operand(like).type)
    flag = ev.operand(regular)
    return standing_for(ev, computed, like, converged=flag if isinstance(flag, Value) else None, error="an angle "
                        "between the spaces is 0, or the columns of a matrix depend on one another")
