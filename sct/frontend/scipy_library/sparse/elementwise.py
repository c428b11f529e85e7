"""Functions of the elements of sparse matrices: products by element, powers, elementary functions, and the arrays of
elements and of positions that a matrix holds.

    A.multiply(B)   ->   the elements of A times those of B at the same places

An element may be written as a sum of several, at one place.  What is linear in the elements takes them as they are; for
other functions they are summed first.
"""

from __future__ import annotations

import functools
import operator
import sys
from collections.abc import Callable
from typing import Any

import numpy as np

from sct.frontend.autodiff.implicit_functions import derivative_code, standing_for
from sct.frontend.evaluator.evaluator import Evaluator
from sct.frontend.evaluator.handlers import Args, Kwargs, of_scipy, special
from sct.frontend.heap.inactive import check_value, give
from sct.frontend.objects.objects import store_attribute
from sct.frontend.scipy_library.sparse.algebra import attribute, is_number, method, refuse_write, scaled
from sct.frontend.scipy_library.sparse.elements import (
    ATTRIBUTES,
    FORMATS,
    SparseElements,
    elements_of,
    new_matrix,
    triples,
)
from sct.frontend.scipy_objects.sparse_matrices import SparseMatrix, is_sparse
from sct.frontend.values.abstract_values import Abstract, Frozen, ListRef, ObjRef, Ref, Static, Tup
from sct.ir.dims import sym
from sct.ir.types import Tensor
from sct.ops.linalg.sparse_maps import sparse_matrix
from sct.ops.program.effects import OBJECT, part
from sct.ops.program.solutions import solver

__all__: list[str] = []

_NONE = Static(None)
_CANONICAL = "the elements of this sparse matrix must be sorted and distinct"


# -- the programs ------------------------------------------------------------------------------------------------------


def _summed(data: Any, rows: Any, cols: Any, n: Any) -> Any:
    """The elements, one at each place, by rows."""
    places, which = np.unique(rows * n + cols, return_inverse=True)
    totals = np.zeros(len(places))
    np.add.at(totals, which, data)
    return totals, places // n, places % n


def _at(data: Any, rows: Any, cols: Any, n: Any, rows2: Any, cols2: Any) -> Any:
    """The elements at these places, and 0 where there is none."""
    places, which = np.unique(rows * n + cols, return_inverse=True)
    totals = np.zeros(len(places) + 1)
    np.add.at(totals, which, data)
    wanted = rows2 * n + cols2
    k = np.searchsorted(places, wanted)
    return totals[np.where(np.append(places, -1)[k] == wanted, k, len(places))]


def _broadcast_at(x: Any, m: Any, n: Any, rows: Any, cols: Any) -> Any:
    return np.broadcast_to(x, (m, n))[rows, cols]


def _lower(data: Any, rows: Any, cols: Any, k: Any) -> Any:
    inside = np.flatnonzero(cols - rows <= k)
    return data[inside], rows[inside], cols[inside]


def _upper(data: Any, rows: Any, cols: Any, k: Any) -> Any:
    inside = np.flatnonzero(cols - rows >= k)
    return data[inside], rows[inside], cols[inside]


def _trace(data: Any, rows: Any, cols: Any) -> Any:
    return np.sum(data[np.flatnonzero(rows == cols)])


def _norm(data: Any, rows: Any, cols: Any, n: Any) -> Any:
    totals, _, _ = _summed(data, rows, cols, n)
    return np.sqrt(np.sum(totals * totals))


# -- products and functions of elements --------------------------------------------------------------------------------


@functools.cache
def _class_of_product(name: str, other: str) -> str:
    """The class of `A.multiply(B)`; `other` is that of B, if it is sparse, or its number of axes."""
    sparse = sys.modules["scipy.sparse"]
    a = getattr(sparse, name)(np.eye(2))
    b = np.ones((2,) * int(other)) if other.isdigit() else getattr(sparse, other)(np.eye(2))
    return type(a.multiply(b)).__name__


def _multiplied(ev: Evaluator, a: SparseElements, args: Args, kwargs: Kwargs) -> Abstract:
    """`A.multiply(B)`"""
    (other,) = (*args, *kwargs.values())
    text = "_0.multiply(_1)"
    if is_number(ev, other):
        return scaled(ev, a, other, text, operator.mul)
    if isinstance(other, ObjRef) or is_sparse(ev, other):
        b = elements_of(ev, other)
        _check_sizes(ev, a, b)
        native = ev.emit(sparse_matrix, a.native, b.native, text=text)
        with derivative_code(ev):
            factors = ev.call(Static(_at), [b.data, b.rows, b.cols, b.n, a.rows, a.cols])
            data = ev.call(Static(operator.mul), [a.data, factors])
        return new_matrix(ev, _class_of_product(a.name, b.name), native, data, a.rows, a.cols, a.m, a.n)
    x = ev.array_of_list(other)
    t = ev.type_of(x) if isinstance(x, Ref) else None
    if not isinstance(t, Tensor) or t.rank not in (1, 2) or t.dtype not in ("f64", "i64"):
        ev.refuse("SCT205", "a sparse matrix is multiplied only by numbers, matrices and vectors",
                  hint="convert it to an array of floats")
    native = ev.emit(sparse_matrix, a.native, ev.operand(x), text=text)
    with derivative_code(ev):
        factors = ev.call(Static(_broadcast_at), [x, a.m, a.n, a.rows, a.cols])
        data = ev.call(Static(operator.mul), [a.data, factors])
    return new_matrix(ev, _class_of_product(a.name, str(t.rank)), native, data, a.rows, a.cols, a.m, a.n)


def _check_sizes(ev: Evaluator, a: SparseElements, b: SparseElements) -> None:
    for size, other in ((a.m, b.m), (a.n, b.n)):
        if not ev.ask(ev.call(Static(operator.eq), [size, other]), "whether the matrices have one shape"):
            ev.refuse("SCT205", "sparse matrices of different shapes are not multiplied by element",
                      hint="make them of one shape")


def _by_element(ev: Evaluator, a: SparseElements, text: str, f: Callable[..., Any], *more: Abstract) -> Abstract:
    """`f` of each of the elements; `f(0)` is 0."""
    native = ev.emit(sparse_matrix, a.native, *map(ev.operand, more), text=text)
    with derivative_code(ev):
        data, rows, cols = triples(ev.call(Static(_summed), [a.data, a.rows, a.cols, a.n]))
        data = ev.call(Static(f), [data, *more])
    return new_matrix(ev, a.name, native, data, rows, cols, a.m, a.n)


def _power(ev: Evaluator, a: SparseElements, args: Args, kwargs: Kwargs) -> Abstract:
    (n,) = (*args, *kwargs.values())
    if not isinstance(n, Static) or type(n.value) not in (int, float) or n.value <= 0:
        ev.refuse("SCT205", "`power` of a sparse matrix takes a positive number that is known",
                  hint="compute with the elements before the matrix is made of them")
    return _by_element(ev, a, f"_0.power({n.value!r})", operator.pow, n)


def _elementary(name: str, f: Callable[..., Any]) -> Callable[[Any], Any]:
    return method(lambda ev, a, args, kwargs: _by_element(ev, a, f"_0.{name}()", f))


@special(SparseMatrix.multiplied)
def _of_constants(ev: Evaluator, args: Args, kwargs: Kwargs) -> Abstract:
    """`K.multiply(x)` of a matrix of constants."""
    return _multiplied(ev, elements_of(ev, args[0]), args[1:], kwargs)


@special(SparseMatrix.__pow__)
def _to_the_power(ev: Evaluator, args: Args, kwargs: Kwargs) -> Abstract:
    """`A ** 2`: by element of an array, a product of matrices of a matrix."""
    a = elements_of(ev, args[0])
    if a.kind == "matrix":
        ev.refuse("SCT205", "a power of a sparse matrix is not supported", hint="write the product of matrices")
    return _power(ev, a, args[1:], kwargs)


@special(SparseMatrix.__abs__)
def _absolute(ev: Evaluator, args: Args, kwargs: Kwargs) -> Abstract:
    return _by_element(ev, elements_of(ev, args[0]), "abs(_0)", np.abs)


# -- what is read of them ----------------------------------------------------------------------------------------------


def _array_of_elements(ev: Evaluator, a: SparseElements) -> Abstract:
    """`A.data`: as COO is given it; else of a matrix with one element at each place, in a defined order."""
    name = a.name[:3]
    if name not in FORMATS:
        ev.refuse("SCT205", f"`data` of a matrix of the class `{a.name}` is not supported",
                  hint="convert it to CSR")
    t = Tensor("array", "f64", (sym(f"_elements{a.native.id}"),))
    eqn = ev.defs.get(a.native)
    text = "" if eqn is None else str(eqn.attrs.get("text", ""))
    is_as_given = name == "coo" and text.startswith(f"scipy.sparse.{a.name}((_0, (_1, _2))")
    if name != "coo":
        check_value(ev, a.native, "_0.has_canonical_format", _CANONICAL)
    elif not is_as_given:
        check_value(ev, a.native, "len(set(zip(_0.row, _0.col))) == _0.nnz", "the elements of this sparse matrix must "
                    "be distinct")
    value = ev.emit(solver, a.native, text="_0.data", type=t)
    with derivative_code(ev):
        like = a.data if is_as_given else _elements_at(ev, a, *(ev.wrap(ev.emit(
            solver, a.native, text=f"_0.tocoo().{axis}.astype(int)", type=Tensor("array", "i64", t.shape)))
            for axis in ("row", "col")))
    result = standing_for(ev, value, like)
    assert isinstance(result, Ref)
    ev.freeze(result.addr, why=Frozen.RULED)
    return result


def _elements_at(ev: Evaluator, a: SparseElements, rows: Abstract, cols: Abstract) -> Abstract:
    return ev.call(Static(_at), [a.data, a.rows, a.cols, a.n, rows, cols])


@special(SparseMatrix.__setattr__)
def _set_attribute(ev: Evaluator, args: Args, kwargs: Kwargs) -> Abstract:
    """`A.data = v`: the matrix holds another array, as it is."""
    self, name, value = args
    a = elements_of(ev, self)
    t = ev.type_of(value) if isinstance(value, Ref) else None
    if name != Static("data") or a.name[:3] not in ("csr", "csc") or not isinstance(t, Tensor) or t.rank != 1 \
            or t.dtype != "f64":
        refuse_write(ev, args, kwargs)
    give(ev, [value], True)
    check_value(ev, a.native, "_0.has_canonical_format", _CANONICAL)
    native = ev.emit(sparse_matrix, a.native, ev.operand(value), text="type(_0)((_1, _0.indices, _0.indptr), _0.shape)")
    size = sym(f"_elements{native.id}")
    with derivative_code(ev):
        places = {f"_{axis}s": ev.wrap(ev.emit(solver, native, text=f"_0.tocoo().{axis}.astype(int)", type=Tensor(
            "array", "i64", (size,)))) for axis in ("row", "col")}
    assert isinstance(self, ObjRef)
    for key, x in {"_native": native, "_data": ev.wrap(ev.operand(value)), **places}.items():
        store_attribute(ev, self, key, x)
    return _NONE


@of_scipy("scipy.sparse.find")
def _found(ev: Evaluator, args: Args, kwargs: Kwargs) -> Abstract:
    """`find(A)`: the rows, the columns and the elements that are not 0."""
    if len(args) != 1 or not isinstance(args[0], ObjRef):
        ev.refuse("SCT207", "`find` is left to Python")
    a = elements_of(ev, args[0])
    parts = ev.emit(solver, a.native, text="scipy.sparse.find(_0)", type=OBJECT)
    check_value(ev, parts, "_0[0].dtype == _0[1].dtype == 'int32'", "the positions of this sparse matrix must have 32 "
                "bits")
    size = sym(f"_elements{parts.id}")
    rows, cols, data = (ev.emit(solver, parts, text=f"_0[{k}]", type=Tensor("array", dtype, (size,)))
                        for k, dtype in enumerate(("i32", "i32", "f64")))
    rows, cols = ev.wrap(rows), ev.wrap(cols)
    with derivative_code(ev):
        like = _elements_at(ev, a, *(ev.call(ev.call(Static(getattr), [v, Static("astype")]), [Static(int)])
                                     for v in (rows, cols)))
    return Tup((rows, cols, standing_for(ev, data, like)))


def _positions(key: str) -> Callable[[Any], Any]:
    def read(ev: Evaluator, a: SparseElements) -> Abstract:
        held = ("indices", "indptr") if a.name[:3] in ("csr", "csc") else ("row", "col") if a.name[:3] == "coo" else ()
        if key not in held:
            ev.refuse("SCT203", f"`{key}` of a matrix of the class `{a.name}` is not supported", hint="convert it to "
                      f"{'CSR' if key.startswith('ind') else 'COO'}")
        check_value(ev, a.native, f"_0.{key}.dtype == 'int32'", "the positions of this sparse matrix must have 32 bits")
        size = sym(f"_{'lines' if key == 'indptr' else 'elements'}{a.native.id}")
        value = ev.wrap(ev.emit(part, a.native, text=f"_0.{key}", type=Tensor("array", "i32", (size,))))
        assert isinstance(value, Ref)
        ev.freeze(value.addr, why=Frozen.RULED)
        return value

    return attribute(read)


def _number(text: str, program: Callable[..., Any], with_size: bool = False) -> Callable[..., Abstract]:
    """A number that is computed from all of the elements."""
    def read(ev: Evaluator, a: SparseElements, args: Args = (), kwargs: Kwargs | None = None) -> Abstract:
        if args or kwargs:
            ev.refuse("SCT205", f"`{text.partition('(')[0].rpartition('.')[2]}` of a sparse matrix with options is not "
                      "supported", hint="use `A.toarray()`")
        with derivative_code(ev):
            like = ev.call(Static(program), [a.data, a.rows, a.cols, *([a.n] if with_size else [])])
        return standing_for(ev, ev.emit(solver, a.native, text=text, type=ev.operand(like).type), like)

    return read


def _mean(ev: Evaluator, a: SparseElements, args: Args, kwargs: Kwargs) -> Abstract:
    if args or kwargs:
        ev.refuse("SCT205", "`mean` of a sparse matrix along an axis is not supported",
                  hint="multiply by ones: `A @ np.ones(A.shape[1])`")
    with derivative_code(ev):
        total, count = ev.call(Static(np.sum), [a.data]), ev.call(Static(operator.mul), [a.m, a.n])
        like = ev.call(Static(operator.truediv), [total, count])
    return standing_for(ev, ev.emit(solver, a.native, text="_0.mean()", type=ev.operand(like).type), like)


def _dense(ev: Evaluator, a: SparseElements, args: Args, kwargs: Kwargs) -> Abstract:
    if a.kind == "matrix" or args or kwargs:
        ev.refuse("SCT203", "`todense` of this sparse matrix is not supported", why="it is a `np.matrix`",
                  hint="use `A.toarray()`")
    return ev.call(ev.call(Static(getattr), [_again(ev, a), Static("toarray")]), [])


def _again(ev: Evaluator, a: SparseElements) -> ObjRef:
    return new_matrix(ev, a.name, a.native, a.data, a.rows, a.cols, a.m, a.n)


_ELEMENTARY: dict[str, Callable[..., Any]] = {name: getattr(np, name) for name in (
    "arcsin", "arcsinh", "arctan", "arctanh", "expm1", "log1p", "sin", "sinh", "sqrt", "tan", "tanh")}
ATTRIBUTES.update({
    "data": attribute(_array_of_elements), "multiply": method(_multiplied), "power": method(_power),
    "mean": method(_mean), "trace": method(_number("_0.trace()", _trace)), "todense": method(_dense),
    **{key: _positions(key) for key in ("indices", "indptr", "row", "col")},
    **{name: _elementary(name, f) for name, f in _ELEMENTARY.items()}})


@of_scipy("scipy.sparse.linalg.norm")
def _frobenius(ev: Evaluator, args: Args, kwargs: Kwargs) -> Abstract:
    if len(args) != 1 or kwargs or not isinstance(args[0], ObjRef):
        ev.refuse("SCT207", "`norm` is left to Python")
    return _number("scipy.sparse.linalg.norm(_0)", _norm, True)(ev, elements_of(ev, args[0]))


def _triangle(name: str, program: Callable[..., Any]) -> Callable[..., Abstract]:
    def handle(ev: Evaluator, args: Args, kwargs: Kwargs) -> Abstract:
        if not args or not isinstance(args[0], ObjRef) or set(kwargs) - {"k"} or len(args) > 2:
            ev.refuse("SCT207", f"`{name}` is left to Python")
        a = elements_of(ev, args[0])
        k = int(ev.ask((*args[1:], *kwargs.values(), Static(0))[0], "`k`"))
        native = ev.emit(sparse_matrix, a.native, text=f"scipy.sparse.{name}(_0{f', {k}' if k else ''})")
        with derivative_code(ev):
            data, rows, cols = triples(ev.call(Static(program), [a.data, a.rows, a.cols, Static(k)]))
        return new_matrix(ev, f"coo_{a.kind}", native, data, rows, cols, a.m, a.n)

    return handle


of_scipy("scipy.sparse.tril")(_triangle("tril", _lower))
of_scipy("scipy.sparse.triu")(_triangle("triu", _upper))


@of_scipy("scipy.sparse.block_diag")
def _block_diagonal(ev: Evaluator, args: Args, kwargs: Kwargs) -> Abstract:
    """As the matrix of blocks, without the blocks beside the diagonal."""
    mats = args[0] if args else _NONE
    parts = mats.items if isinstance(mats, Tup) else ev.slots(mats).items if isinstance(mats, ListRef) and \
        ev.slots(mats).schema is None else ()
    if not any(isinstance(v, ObjRef) for v in parts) or not args or set(kwargs) - {"format"}:
        ev.refuse("SCT207", "`block_diag` is left to Python",
                  why="no block is a sparse matrix that sct sees into, or it has another option than `format`",
                  hint="make a sparse matrix of each block that depends on what is differentiated")
    if not all(isinstance(v, ObjRef) or is_sparse(ev, v) for v in parts):
        ev.refuse("SCT205", "`block_diag` of sparse matrices and others is not supported",
                  hint="make sparse matrices of all of them")
    rows = [ev.new_list(tuple(v if k == j else _NONE for j in range(len(parts)))) for k, v in enumerate(parts)]
    return ev.call(Static(sys.modules["scipy.sparse"].bmat), [ev.new_list(tuple(rows))], kwargs)

