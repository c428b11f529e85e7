"""Functions of large matrices, which SciPy computes by products with them: eigenvalues and singular values,
exponentials, least squares, and solutions by iteration; the derivatives are those of the whole matrix.

    eigsh(A, 3)   ->   what SciPy computes, with the derivative of `_eigenvalues` of `A.toarray()`
"""

from __future__ import annotations

import operator
import sys
from collections.abc import Sequence
from typing import Any

import numpy as np

from sct.frontend.autodiff.implicit_functions import derivative_code, standing_for
from sct.frontend.evaluator.evaluator import Evaluator
from sct.frontend.evaluator.exceptions import named_arguments
from sct.frontend.evaluator.handlers import Args, Kwargs, of_scipy, special, unread
from sct.frontend.heap.inactive import is_varied, leave_to_python, template_of
from sct.frontend.heap.subscripts import size_along
from sct.frontend.scipy_library.by_program import array_of_floats
from sct.frontend.scipy_library.sparse.elements import elements_of
from sct.frontend.scipy_objects.sparse_matrices import SparseMatrix
from sct.frontend.values.abstract_values import Abstract, ObjRef, Ref, Static, Tup
from sct.ir import Operand, Value
from sct.ir.dims import Dim
from sct.ir.types import BOOL, INT, Tensor
from sct.ops.program.effects import OBJECT, part
from sct.ops.program.solutions import solver
from sct.ops.type_rules import number

__all__: list[str] = []

_NONE = Static(None)


# -- programs ----------------------------------------------------------------------------------------------------------


def _dense(data: Any, rows: Any, cols: Any, m: Any, n: Any) -> Any:
    x = np.zeros((m, n))
    np.add.at(x, (rows, cols), data)
    return x


def _chosen(w: Any, which: Any, k: Any) -> Any:
    """The positions of the `k` numbers that SciPy computes, among all of them in ascending order."""
    order = np.argsort(np.abs(w)) if which in ("LM", "SM") else np.arange(len(w))
    return np.sort(order[len(w) - k:] if which[0] == "L" else order[:k])


def _in_order_of(positions: Any, values: Any) -> Any:
    """The positions of ascending numbers, in the order of these values."""
    return positions[np.argsort(np.argsort(values))]


def _eigenvalues(a: Any, values: Any, which: Any, k: Any) -> Any:
    w = np.linalg.eigvalsh(0.5 * (a + a.T))
    return w[_in_order_of(_chosen(w, which, k), values)]


def _eigenvectors(a: Any, values: Any, vectors: Any, which: Any, k: Any) -> Any:
    """The vectors have the signs of those that SciPy computes."""
    w, v = np.linalg.eigh(0.5 * (a + a.T))
    chosen = _in_order_of(_chosen(w, which, k), values)
    v = v[:, chosen]
    return w[chosen], v * np.sign(np.sum(v * vectors, axis=0))


def _singular_values(a: Any, values: Any, which: Any, k: Any) -> Any:
    s = np.linalg.svd(a, compute_uv=False)[::-1]
    return s[_in_order_of(_chosen(s, which, k), values)]


def _singular_vectors(a: Any, values: Any, vectors: Any, which: Any, k: Any) -> Any:
    u, s, vh = np.linalg.svd(a, full_matrices=False)
    u, s, vh = u[:, ::-1], s[::-1], vh[::-1]
    chosen = _in_order_of(_chosen(s, which, k), values)
    u, vh = u[:, chosen], vh[chosen]
    sign = np.sign(np.sum(u * vectors, axis=0))
    return u * sign, s[chosen], vh * np.expand_dims(sign, 1)


def _exponential(a: Any, b: Any, times: Any, expm: Any) -> Any:
    """The product with the exponential, at one time or at each of several."""
    return expm(a) @ b if times is None else np.stack([expm(t * a) @ b for t in times])


def _least_squares_solution(a: Any, b: Any, damp: Any) -> Any:
    """The damped least-squares solution; without damping, the one of least norm."""
    if damp == 0:
        return np.linalg.lstsq(a, b)[0]
    return np.linalg.solve(a.T @ a + damp**2 * np.eye(a.shape[1]), a.T @ b)


# -- calls -------------------------------------------------------------------------------------------------------------


def _matrix(ev: Evaluator, name: str, v: Abstract) -> tuple[Operand, Abstract]:
    """The matrix as SciPy gets it, and the whole of it, as code of the derivative."""
    if isinstance(v, Ref) and isinstance(ev.type_of(v), Tensor):
        x = array_of_floats(ev, f"scipy.sparse.linalg.{name}", v, (2,))
        return ev.operand(x), x
    a = elements_of(ev, v)
    with derivative_code(ev):
        return a.native, ev.call(Static(_dense), [a.data, a.rows, a.cols, a.m, a.n])


def _called(ev: Evaluator, name: str, arguments: dict[str, Abstract], operands: list[Operand], is_array: Sequence[str]
            ) -> str:
    """The text of the call: the first of its parameters are the operands."""
    texts = [f"_{k}" for k in range(len(operands))]
    for key, v in list(arguments.items())[len(operands):]:
        if is_varied(ev, v):
            ev.refuse("SCT402", f"`{name}` is not differentiated by `{key}`", hint="pass sct.stop_gradient(...) of it")
        text = template_of(ev, v, operands)
        if text is None or is_array and key in is_array:
            ev.refuse("SCT402", f"`{key}` of `{name}` is not supported", hint=f"leave `{key}` out")
        texts.append(f"{key}={text}")
    return f"scipy.sparse.linalg.{name}({', '.join(texts)})"


def _bound(ev: Evaluator, name: str, args: Args, kwargs: Kwargs) -> dict[str, Abstract]:
    arguments = named_arguments(ev, getattr(sys.modules["scipy.sparse.linalg"], name), args, kwargs)
    leave_to_python(ev, name, arguments.values())
    return arguments


def _some(name: str, programs: Sequence[Any], refused: Sequence[str], whichs: Sequence[str]) -> None:
    """Registers a function that computes some eigenvalues or singular values, and perhaps vectors."""
    flag = "return_eigenvectors" if name == "eigsh" else "return_singular_vectors"

    @of_scipy(f"scipy.sparse.linalg.{name}")
    def handle(ev: Evaluator, args: Args, kwargs: Kwargs) -> Abstract:
        arguments = _bound(ev, name, args, kwargs)
        for key in refused:
            if arguments.get(key, _NONE) != _NONE:
                ev.refuse("SCT402", f"`{name}` with `{key}` is not differentiated", hint="use the functions "
                          "of scipy.linalg")
        k = ev.ask(arguments.get("k", Static(6)), f"`k` of `{name}`")
        which = ev.ask(arguments.get("which", Static("LM")), f"`which` of `{name}`")
        vectors = ev.ask(arguments.get(flag, Static(True)), f"`{flag}` of `{name}`")
        if which not in whichs or vectors not in (True, False):
            ev.refuse("SCT402", f"`{name}` with `which={which!r}` and `{flag}={vectors!r}` is not differentiated",
                      hint=f"use one of {', '.join(map(repr, whichs))}, and True or False")
        if all(arguments.get(key, _NONE) == _NONE for key in ("v0", "rng", "random_state")):
            ev.refuse("SCT402", f"`{name}` begins with random numbers", why="its digits differ from call to call",
                      hint="give where it begins: `rng=0`")
        native, dense = _matrix(ev, name, arguments["A"])
        size = ev.call(Static(min), [size_along(ev, dense, axis) for axis in (0, 1)])
        if ev.ask(ev.call(Static(operator.ge), [Static(k), size]), "whether these are all of them"):
            ev.refuse("SCT402", f"`{name}` of a matrix of this size is not differentiated for `k={k}`",
                      why="SciPy computes all of them in another way", hint="use the functions of scipy.linalg")
        operands = [native]
        text = _called(ev, name, arguments, operands, ())
        rows, count = number(ev.operand(dense)).shape[0], Dim(k)
        result: Value = ev.emit(solver, *operands, text=text, type=OBJECT if vectors else
                                Tensor("array", "f64", (count,)))
        result.hint = "spectrum"
        if not vectors:
            with derivative_code(ev):
                like = ev.call(Static(programs[0]), [dense, ev.wrap(result), Static(which), Static(k)])
            return standing_for(ev, result, like)
        at = ["_0[0]", "_0[1]"] if name == "eigsh" else ["_0[1]", "_0[0]"]
        own = [ev.wrap(ev.emit(part, result, text=text, type=Tensor("array", "f64", shape)))
               for text, shape in zip(at, ((count,), (rows, count)))]
        with derivative_code(ev):
            like = ev.call(Static(programs[1]), [dense, *own, Static(which), Static(k)])
        assert isinstance(like, Tup)
        return Tup(tuple(standing_for(ev, result, x, f"_0[{j}]") for j, x in enumerate(like.items)))


_some("eigsh", (_eigenvalues, _eigenvectors), ("M", "sigma", "Minv", "OPinv"), ("LM", "SM", "LA", "SA"))
_some("svds", (_singular_values, _singular_vectors), (), ("LM", "SM"))


@special(SparseMatrix.exponential)
def _exponentials(ev: Evaluator, args: Args, kwargs: Kwargs) -> Abstract:
    """`expm_multiply` of a differentiated matrix."""
    name = "expm_multiply"
    arguments = _bound(ev, name, args, kwargs)
    native, dense = _matrix(ev, name, arguments["A"])
    b = array_of_floats(ev, f"scipy.sparse.linalg.{name}", arguments["B"], (1, 2))
    steps = {key: ev.ask(arguments[key], f"`{key}` of `{name}`") for key in ("start", "stop", "num", "endpoint")
             if arguments.get(key, _NONE) != _NONE}
    operands = [native, ev.operand(b)]
    text = _called(ev, name, arguments, operands, ())
    times: Abstract = Static(tuple(map(float, np.linspace(**steps)))) if steps else _NONE
    with derivative_code(ev):
        like = ev.call(Static(_exponential), [dense, b, times, Static(sys.modules["scipy.linalg"].expm)])
    return standing_for(ev, ev.emit(solver, *operands, text=text, type=ev.operand(like).type), like)


def _least_squares(name: str, others: int, refused: Sequence[str]) -> None:
    @of_scipy(f"scipy.sparse.linalg.{name}")
    def handle(ev: Evaluator, args: Args, kwargs: Kwargs) -> Abstract:
        arguments = _bound(ev, name, args, kwargs)
        damp = ev.ask(arguments.get("damp", Static(0.0)), f"`damp` of `{name}`")
        native, dense = _matrix(ev, name, arguments["A"])
        b = array_of_floats(ev, f"scipy.sparse.linalg.{name}", arguments["b"], (1,))
        operands = [native, ev.operand(b)]
        text = _called(ev, name, arguments, operands, refused)
        result: Value = ev.emit(solver, *operands, text=text, type=OBJECT)
        result.hint = "fit"
        converged = ev.emit(part, result, text="_0[1] in (0, 1, 2, 4, 5)", type=BOOL)
        with derivative_code(ev):
            like = ev.call(Static(_least_squares_solution), [dense, b, Static(damp)])
        x = standing_for(ev, result, like, "_0[0]", converged)
        counts = [ev.wrap(ev.emit(part, result, text=f"_0[{k}]", type=INT)) for k in (1, 2)]
        return Tup((x, *counts, *[unread(f"the norms that `{name}` returns", ["the solution"])] * others))


_least_squares("lsqr", 7, ("calc_var", "x0"))
_least_squares("lsmr", 5, ("x0",))


def _triangular(ev: Evaluator, args: Args, kwargs: Kwargs) -> Abstract:
    """`spsolve_triangular` of a matrix, the other half of which is 0."""
    name = "spsolve_triangular"
    arguments = _bound(ev, name, args, kwargs)
    if not isinstance(arguments["A"], (ObjRef, Value, Static)):
        ev.refuse("SCT402", f"`{name}` of a dense matrix is not differentiated", hint="use "
                  "scipy.linalg.solve_triangular")
    native, dense = _matrix(ev, name, arguments["A"])
    b = array_of_floats(ev, f"scipy.sparse.linalg.{name}", arguments["b"], (1, 2))
    operands = [native, ev.operand(b)]
    text = _called(ev, name, arguments, operands, ("overwrite_A", "overwrite_b", "unit_diagonal"))
    with derivative_code(ev):
        like = ev.call(Static(np.linalg.solve), [dense, b])
    return standing_for(ev, ev.emit(solver, *operands, text=text, type=ev.operand(like).type), like)


of_scipy("scipy.sparse.linalg.spsolve_triangular")(_triangular)
