"""Operations on sparse matrices of differentiated numbers, and their attributes."""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from typing import Any, NoReturn

import numpy as np

from sct.frontend.autodiff.implicit_functions import derivative_code, standing_for
from sct.frontend.evaluator.evaluator import Evaluator
from sct.frontend.evaluator.exceptions import named_arguments
from sct.frontend.evaluator.handlers import Args, Kwargs, of_scipy, special
from sct.frontend.heap.inactive import is_varied, template_of
from sct.frontend.heap.subscripts import size_along
from sct.frontend.scipy_library.by_program import array_of_floats
from sct.frontend.scipy_library.sparse.elements import ATTRIBUTES, FORMATS, SparseElements, elements_of, new_matrix
from sct.frontend.scipy_objects.sparse_matrices import SparseFactors, SparseMatrix, is_sparse
from sct.frontend.values.abstract_values import Abstract, DerivedCallable, ObjRef, Ref, Static, Tup
from sct.ir import Operand, Value
from sct.ir.types import BOOL, INT, Tensor, in_words
from sct.ops.linalg.sparse_maps import sparse_matrix, sparse_product, sparse_solution
from sct.ops.program.effects import OBJECT, part
from sct.ops.program.solutions import solver

__all__ = ["attribute", "is_number", "method", "refuse_write", "scaled"]

_NONE = Static(None)


# -- what is computed with them ----------------------------------------------------------------------------------------


def _product(ev: Evaluator, a: SparseElements, x: Abstract) -> Abstract:
    """`A @ x` of an array with one or two axes, or of another sparse matrix."""
    if isinstance(x, ObjRef) or is_sparse(ev, x):
        return _of_two(ev, a, elements_of(ev, x))
    x = _right_hand_side(ev, x, (1, 2), "a product with a sparse matrix")
    obj, form = a.map(ev)
    return ev.wrap(ev.emit(sparse_product, obj, ev.operand(x), *map(ev.operand, (a.data, a.rows, a.cols, a.m)),
                           form=f"{form}product"))


def _right_hand_side(ev: Evaluator, x: Abstract, ranks: Sequence[int], what: str) -> Ref:
    x = ev.array_of_list(x)
    t = ev.type_of(x) if isinstance(x, Ref) else None
    if isinstance(t, Tensor) and t.dtype == "i64":
        x = ev.call(Static(np.asarray), [x], {"dtype": Static(float)})
    elif not isinstance(t, Tensor) or t.rank not in ranks or t.dtype != "f64":
        ev.refuse("SCT205", f"{what} and {in_words(t) if t is not None else 'this object'} is not supported",
                  hint=f"use an array of floats of 64 bits with {' or '.join(map(str, ranks))} axes")
    assert isinstance(x, Ref)
    return x


def _pairs(inner: Any, rows: Any) -> Any:
    """The pairs of positions for which `inner[left] == rows[right]`."""
    order = np.argsort(rows, kind="stable")
    ordered = rows[order]
    first = np.searchsorted(ordered, inner)
    counts = np.searchsorted(ordered, inner, side="right") - first
    left = np.repeat(np.arange(len(inner)), counts)
    return left, order[first[left] + np.arange(len(left)) - (np.cumsum(counts) - counts)[left]]


def _elements_of_product(data: Any, rows: Any, cols: Any, data2: Any, rows2: Any, cols2: Any) -> Any:
    left, right = _pairs(cols, rows2)
    return data[left] * data2[right], rows[left], cols2[right]


def _of_two(ev: Evaluator, a: SparseElements, b: SparseElements) -> Abstract:
    """`A @ B` of sparse matrices."""
    native = ev.emit(sparse_matrix, a.native, b.native, text="_0 @ _1")
    with derivative_code(ev):
        elements = ev.call(Static(_elements_of_product), [a.data, a.rows, a.cols, b.data, b.rows, b.cols])
    data, rows, cols = _parts(elements)
    return new_matrix(ev, f"csr_{a.kind}", native, data, rows, cols, a.m, b.n)


def _parts(v: Abstract) -> Sequence[Any]:
    assert isinstance(v, Tup)
    return v.items


@special(SparseMatrix.__matmul__)
def _matmul(ev: Evaluator, args: Args, kwargs: Kwargs) -> Abstract:
    return _product(ev, elements_of(ev, args[0]), args[1])


@special(SparseMatrix.__rmatmul__)
def _rmatmul(ev: Evaluator, args: Args, kwargs: Kwargs) -> Abstract:
    """`x @ A`"""
    a, x = elements_of(ev, args[0]), args[1]
    if isinstance(x, ObjRef) or is_sparse(ev, x):
        return _of_two(ev, elements_of(ev, x), a)
    x = _right_hand_side(ev, x, (1,), "a product with a sparse matrix")
    return ev.wrap(ev.emit(sparse_product, a.native, ev.operand(x), *map(ev.operand, (a.data, a.cols, a.rows, a.n)),
                           form="product from the left"))


def is_number(ev: Evaluator, v: Abstract) -> bool:
    t = ev.type_of(v) if isinstance(v, (Value, Ref)) else None
    return isinstance(v, Static) and type(v.value) in (int, float) or isinstance(t, Tensor) and not t.rank and \
        t.kind in "fi" and t.dtype != "f32"


def scaled(ev: Evaluator, a: SparseElements, c: Abstract, text: str, by: Callable[[Any, Any], Any]) -> Abstract:
    native = ev.emit(sparse_matrix, a.native, ev.operand(c), text=text)
    with derivative_code(ev):
        data = ev.call(Static(by), [a.data, c])
    name = a.name if a.name[:3] in FORMATS else f"csr_{a.kind}"
    return new_matrix(ev, name, native, data, a.rows, a.cols, a.m, a.n)


def _times(ev: Evaluator, args: Args, text: str, matmul: Callable[..., Abstract]) -> Abstract:
    a, x = elements_of(ev, args[0]), args[1]
    if is_number(ev, x):
        return scaled(ev, a, x, text, operator.mul)
    if a.kind == "matrix":
        return matmul(ev, args, {})
    return ev.call(Static(SparseMatrix.multiplied), [args[0], x])


special(SparseMatrix.__mul__)(lambda ev, args, kwargs: _times(ev, args, "_0 * _1", _matmul))
special(SparseMatrix.__rmul__)(lambda ev, args, kwargs: _times(ev, args, "_1 * _0", _rmatmul))


@special(SparseMatrix.__truediv__)
def _divided(ev: Evaluator, args: Args, kwargs: Kwargs) -> Abstract:
    if not is_number(ev, args[1]):
        ev.refuse("SCT205", "a sparse matrix is divided only by numbers", hint="multiply by a diagonal matrix")
    return scaled(ev, elements_of(ev, args[0]), args[1], "_0 / _1", operator.truediv)


@special(SparseMatrix.__neg__)
def _negated(ev: Evaluator, args: Args, kwargs: Kwargs) -> Abstract:
    a = elements_of(ev, args[0])
    native = ev.emit(sparse_matrix, a.native, text="-_0")
    with derivative_code(ev):
        data = ev.call(Static(operator.neg), [a.data])
    return new_matrix(ev, a.name, native, data, a.rows, a.cols, a.m, a.n)


def _sum(text: str, sign: int, swapped: bool) -> Callable[..., Abstract]:
    def handle(ev: Evaluator, args: Args, kwargs: Kwargs) -> Abstract:
        a, other = elements_of(ev, args[0]), args[1]
        if swapped and other == Static(0):  # the start of `sum`
            return args[0]
        if not isinstance(other, ObjRef) and not is_sparse(ev, other):
            ev.refuse("SCT205", "a sparse matrix is added only to sparse matrices", hint="use `A.toarray()`")
        b = elements_of(ev, other)
        first, second = (b, a) if swapped else (a, b)
        native = ev.emit(sparse_matrix, first.native, second.native, text=text)
        with derivative_code(ev):
            data = second.data if sign > 0 else ev.call(Static(operator.neg), [second.data])
            parts = [ev.call(Static(np.concatenate), [ev.new_list(pair)]) for pair in (
                (first.data, data), (first.rows, second.rows), (first.cols, second.cols))]
        return new_matrix(ev, f"csr_{a.kind}", native, parts[0], parts[1], parts[2], a.m, a.n)

    return handle


special(SparseMatrix.__add__)(_sum("_0 + _1", 1, False))
special(SparseMatrix.__radd__)(_sum("_0 + _1", 1, True))
special(SparseMatrix.__sub__)(_sum("_0 - _1", -1, False))
special(SparseMatrix.__rsub__)(_sum("_0 - _1", -1, True))


@special(SparseMatrix.solve)
def _spsolve(ev: Evaluator, args: Args, kwargs: Kwargs) -> Abstract:
    """`spsolve(A, b)`"""
    if len(args) != 2 or kwargs:
        ev.refuse("SCT402", "`spsolve` with options is not supported", hint="pass the matrix and the right hand side")
    a, b = elements_of(ev, args[0]), _right_hand_side(ev, args[1], (1,), "`spsolve` of a sparse matrix")
    obj, form = a.map(ev)
    return _solved(ev, obj, b, a, f"{form}spsolve")


def _solved(ev: Evaluator, obj: Value, b: Ref, a: SparseElements, form: str) -> Abstract:
    return ev.wrap(ev.emit(sparse_solution, obj, ev.operand(b), *map(ev.operand, (a.data, a.rows, a.cols)), form=form))


def _iterative(name: str) -> Callable[..., Abstract]:
    def handle(ev: Evaluator, args: Args, kwargs: Kwargs) -> Abstract:
        """`cg(A, b)`: the solution, and 0 if it has converged."""
        is_dense = len(args) == 2 and isinstance(args[0], Ref) and isinstance(ev.type_of(args[0]), Tensor)
        if len(args) != 2 or not isinstance(args[0], ObjRef) and not (
                (is_dense or is_sparse(ev, args[0])) and any(
                    is_varied(ev, v) for v in args)):
            ev.refuse("SCT207", f"`{name}` is left to Python")
        b = _right_hand_side(ev, args[1], (1,), f"`{name}` of a {'' if is_dense else 'sparse '}matrix")
        a = array_of_floats(ev, f"scipy.sparse.linalg.{name}", args[0], (2,)) if is_dense else elements_of(ev, args[0])
        native = a.native if isinstance(a, SparseElements) else ev.operand(a)
        operands: list[Operand] = [native, ev.operand(b)]
        texts = ["_0", "_1"]
        for key, v in kwargs.items():
            if is_varied(ev, v) or (text := template_of(ev, v, operands)) is None:
                ev.refuse("SCT402", f"`{key}` of `{name}` is not supported", hint="pass a number or a constant array")
            texts.append(f"{key}={text}")
        with derivative_code(ev):
            like = _solved(ev, a.native, b, a, "spsolve") if isinstance(a, SparseElements) else ev.call(
                Static(np.linalg.solve), [a, b])
        result = ev.emit(solver, *operands, text=f"scipy.sparse.linalg.{name}({', '.join(texts)})", type=OBJECT)
        info = ev.emit(part, result, text="_0[1]", type=INT)
        converged = ev.emit(part, result, text="_0[1] == 0", type=BOOL)
        return Tup((standing_for(ev, result, like, "_0[0]", converged), info))

    return handle


for _name in ("bicg", "bicgstab", "cg", "cgs", "gcrotmk", "gmres", "lgmres", "minres", "qmr", "tfqmr"):
    of_scipy(f"scipy.sparse.linalg.{_name}")(_iterative(_name))


@of_scipy("scipy.sparse.linalg.splu")
def _splu(ev: Evaluator, args: Args, kwargs: Kwargs) -> Abstract:
    if not args or not isinstance(args[0], ObjRef) or kwargs or len(args) > 1:
        ev.refuse("SCT207", "`splu` is left to Python")
    a = elements_of(ev, args[0])
    native = ev.emit(sparse_matrix, a.native, text="scipy.sparse.linalg.splu(_0)")
    return ev.new_object(SparseFactors, {"_native": native, "_matrix": args[0]})


@special(SparseFactors.solve)
def _solve(ev: Evaluator, args: Args, kwargs: Kwargs) -> Abstract:
    arguments = named_arguments(ev, SparseFactors.solve, args, kwargs)
    assert isinstance(arguments["self"], ObjRef)
    native, matrix = ev.slots(arguments["self"]).items
    if not isinstance(native, Value):
        ev.refuse("SCT502", "which decomposition this is depends on the path", hint="use it in each of the branches")
    a, b = elements_of(ev, matrix), _right_hand_side(ev, arguments["rhs"], (1, 2), "`solve` of a decomposition")
    if ev.ask(arguments.get("trans", Static("N")), "`trans`") == "N":
        return _solved(ev, native, b, a, "solve")
    a.rows, a.cols = a.cols, a.rows
    return _solved(ev, native, b, a, "transposed solve")


# -- what is read of them ----------------------------------------------------------------------------------------------


def _selected(data: Any, rows: Any, cols: Any, at: Any, at2: Any) -> Any:
    """The elements in some rows and columns; None means all."""
    if at is not None:
        i, k = _pairs(at, rows)
        data, rows, cols = data[k], i, cols[k]
    if at2 is not None:
        j, k = _pairs(at2, cols)
        data, rows, cols = data[k], rows[k], j
    return data, rows, cols


_WHOLE = Static(slice(None))


@special(SparseMatrix.__getitem__)
def _item(ev: Evaluator, args: Args, kwargs: Kwargs) -> Abstract:
    """`A[rows, cols]` of slices, or of positions and slices: a matrix."""
    a, key = elements_of(ev, args[0]), args[1]
    is_slice = isinstance(key, Tup) and bool(key.items) and key.items[0] == Static(slice)
    keys = list(key.items) if isinstance(key, Tup) and not is_slice else [key]
    keys += [_WHOLE] * (2 - len(keys))
    if len(keys) == 2 and all(is_number(ev, v) for v in keys):
        return _element(ev, a, keys)
    if a.kind == "matrix":  # a row, or a column, is a matrix
        keys = [ev.call(Static(_from_to), [v]) if len(keys) == 2 and is_number(ev, v) else v for v in keys]
    types = [ev.type_of(v) if isinstance(v, Ref) else None for v in keys]
    crossed = all(isinstance(t, Tensor) and t.rank == 2 for t in types)  # np.ix_
    if len(keys) > 2 or any(is_number(ev, v) for v in keys) or not crossed and all(isinstance(v, Ref) for v in keys):
        ev.refuse("SCT205", "this subscript of a sparse matrix is not supported",
                  hint="use slices, or an array of positions and a slice: `A[rows][:, cols]`, `A[np.ix_(rows, cols)]`")
    operands: list[Operand] = [a.native]
    texts = [_text_of_key(ev, v, operands) for v in keys]
    native = ev.emit(sparse_matrix, *operands, text=f"_0[{', '.join(texts[:1] if keys[1] == _WHOLE else texts)}]")
    with derivative_code(ev):
        places: list[Abstract] = []
        sizes: list[Abstract] = []
        for v, size in zip(keys, (a.m, a.n)):
            if v == _WHOLE:
                places.append(_NONE)
                sizes.append(size)
                continue
            v = ev.call(Static(np.ravel), [v]) if crossed else v
            places.append(ev.call(Static(operator.getitem), [ev.call(Static(np.arange), [size]), v]))
            sizes.append(size_along(ev, places[-1], 0))
        elements = ev.call(Static(_selected), [a.data, a.rows, a.cols, *places])
    data, rows, cols = _parts(elements)
    return new_matrix(ev, a.name, native, data, rows, cols, *sizes)


def _from_to(k: Any) -> Any:
    return slice(k, k + 1 if k != -1 else None)


def _element(ev: Evaluator, a: SparseElements, key: Sequence[Abstract]) -> Abstract:
    """`A[i, j]`"""
    with derivative_code(ev):
        like = ev.call(Static(_sum_at), [a.data, a.rows, a.cols, a.m, a.n, *key])
    at = [ev.as_int(ev.operand(k)) for k in key]
    return standing_for(ev, ev.emit(solver, a.native, *at, text="_0[_1, _2]", type=ev.operand(like).type), like)


def _sum_at(data: Any, rows: Any, cols: Any, m: Any, n: Any, i: Any, j: Any) -> Any:
    return np.sum(data[np.flatnonzero((rows == i % m) & (cols == j % n))])


def _text_of_key(ev: Evaluator, v: Abstract, operands: list[Operand]) -> str:
    parts: Sequence[Abstract] = [v]
    if isinstance(v, Static) and isinstance(v.value, slice):
        parts = [Static(v.value.start), Static(v.value.stop), Static(v.value.step)]
    elif isinstance(v, Tup) and v.items and v.items[0] == Static(slice):
        parts = v.items[1:]
    texts = ["" if x == _NONE else template_of(ev, x, operands) for x in parts]
    if None in texts:
        ev.refuse("SCT205", "this subscript of a sparse matrix is not supported", hint="use slices, or arrays of ints")
    return ":".join(texts[:2] if texts[2:] == [""] else texts)  # type: ignore[arg-type]


def method(f: Callable[..., Abstract]) -> Callable[[Any], Any]:
    """A property whose value is a method; `f` takes the elements of the matrix first."""
    def read(self: Any) -> Any: ...

    def handle(ev: Evaluator, args: Args, kwargs: Kwargs) -> Abstract:
        a = elements_of(ev, args[0])
        return DerivedCallable(lambda ev, args, kwargs: f(ev, a, args, kwargs))

    special(read)(handle)
    return read


def attribute(f: Callable[..., Abstract]) -> Callable[[Any], Any]:
    """A property."""
    def read(self: Any) -> Any: ...

    special(read)(lambda ev, args, kwargs: f(ev, elements_of(ev, args[0])))
    return read


def _transposed(ev: Evaluator, a: SparseElements, args: Args = (), kwargs: Kwargs | None = None) -> Abstract:
    obj, form = a.map(ev)
    name = {"csr": "csc", "csc": "csr"}.get(a.name[:3], "coo")
    native = obj if form else ev.emit(part, a.native, text="_0.T", type=OBJECT)
    return new_matrix(ev, f"{name}_{a.kind}", native, a.data, a.cols, a.rows, a.n, a.m)


def _reformatted(name: str) -> Callable[..., Abstract]:
    def convert(ev: Evaluator, a: SparseElements, args: Args, kwargs: Kwargs) -> Abstract:
        native = ev.emit(sparse_matrix, a.native, text=f"_0.{name}()")
        kind = a.name[:3] if name == "copy" else name[2:] if name[2:] in FORMATS else "coo"
        return new_matrix(ev, f"{kind}_{a.kind}", native, a.data, a.rows, a.cols, a.m, a.n)

    return convert


def _dense(ev: Evaluator, a: SparseElements, args: Args, kwargs: Kwargs) -> Abstract:
    with derivative_code(ev):
        like = ev.call(Static(_as_array), [a.data, a.rows, a.cols, a.m, a.n])
    return standing_for(ev, ev.emit(solver, a.native, text="_0.toarray()", type=ev.operand(like).type), like)


def _as_array(data: Any, rows: Any, cols: Any, m: Any, n: Any) -> Any:
    y = np.zeros((m, n))
    np.add.at(y, (rows, cols), data)
    return y


def _main_diagonal(ev: Evaluator, a: SparseElements, args: Args, kwargs: Kwargs) -> Abstract:
    if args or kwargs:
        ev.refuse("SCT205", "`diagonal` of another diagonal than the main one is not supported")
    with derivative_code(ev):
        like = ev.call(Static(_on_diagonal), [a.data, a.rows, a.cols, a.m, a.n])
    return standing_for(ev, ev.emit(solver, a.native, text="_0.diagonal()", type=ev.operand(like).type), like)


def _on_diagonal(data: Any, rows: Any, cols: Any, m: Any, n: Any) -> Any:
    y = np.zeros(m if m == n else min(m, n))
    k = np.flatnonzero(rows == cols)
    np.add.at(y, rows[k], data[k])
    return y


def _total(ev: Evaluator, a: SparseElements, args: Args, kwargs: Kwargs) -> Abstract:
    axis = (*args, *kwargs.values(), _NONE)[0]
    if axis == _NONE:
        with derivative_code(ev):
            like = ev.call(Static(np.sum), [a.data])
        return standing_for(ev, ev.emit(solver, a.native, text="_0.sum()", type=ev.operand(like).type), like)
    k = ev.ask(axis, "`axis`")
    if a.kind != "array" or k not in (0, 1, -1, -2):
        ev.refuse("SCT205", "`sum` of a sparse matrix along an axis is not supported", why="it is a `np.matrix`",
                  hint="multiply by ones: `A.T @ np.ones(A.shape[0])`" if k in (0, -2) else
                  "multiply by ones: `A @ np.ones(A.shape[1])`")
    with derivative_code(ev):
        like = ev.call(Static(_sums), [a.data, *((a.cols, a.n) if k in (0, -2) else (a.rows, a.m))])
    return standing_for(ev, ev.emit(solver, a.native, text=f"_0.sum({k})", type=ev.operand(like).type), like)


def _sums(data: Any, places: Any, n: Any) -> Any:
    y = np.zeros(n)
    np.add.at(y, places, data)
    return y


def _line(is_row: bool) -> Callable[..., Abstract]:
    def read(ev: Evaluator, a: SparseElements, args: Args, kwargs: Kwargs) -> Abstract:
        """`A.getrow(i)`, `A.getcol(j)`"""
        key = ev.call(Static(_from_to), [*args, *kwargs.values()])
        self = new_matrix(ev, a.name, a.native, a.data, a.rows, a.cols, a.m, a.n)
        return _item(ev, [self, Tup((key, _WHOLE) if is_row else (_WHOLE, key))], {})

    return read


ATTRIBUTES.update({
    "getrow": method(_line(True)), "getcol": method(_line(False)),
    "T": attribute(_transposed), "transpose": method(_transposed),
    "shape": attribute(lambda ev, a: Tup((a.m, a.n))), "ndim": attribute(lambda ev, a: Static(2)),
    "nnz": attribute(lambda ev, a: ev.emit(part, a.native, text="_0.nnz", type=INT)),
    "dot": method(lambda ev, a, args, kwargs: _product(ev, a, *args)),
    "toarray": method(_dense), "diagonal": method(_main_diagonal), "sum": method(_total),
    **{name: method(_reformatted(name)) for name in ("tocsr", "tocsc", "tocoo", "todia", "tolil", "copy")}})


@special(SparseMatrix.__getattr__, SparseMatrix.other, SparseMatrix.unread, SparseFactors.__getattr__)
def _unread(ev: Evaluator, args: Args, kwargs: Kwargs) -> NoReturn:
    ev.refuse("SCT203", "this attribute or operator of a sparse matrix is not supported",
              why="sct reads its products and sums, solutions with it, its parts and `toarray`, as its elements are "
              "differentiated", hint="compute it before the matrix is made, from the arrays that it is made of")


@special(SparseMatrix.__imul__, SparseMatrix.__itruediv__)
def _in_place(ev: Evaluator, args: Args, kwargs: Kwargs) -> NoReturn:
    ev.refuse("SCT303", "a write to a sparse matrix is not supported", why="SciPy changes the matrix itself, under "
              "each of its names", hint="write `A = A * c`")


@special(SparseMatrix.__setitem__)
def refuse_write(ev: Evaluator, args: Args, kwargs: Kwargs) -> NoReturn:
    ev.refuse("SCT303", "a write to a sparse matrix is not supported",
              hint="make it of all its elements: `csr_matrix((data, (rows, cols)))`")
