"""Sparse matrices of SciPy as constants: products with arrays, and solutions of linear systems.

    A @ x, A.T @ x, A.dot(x), x @ A, spsolve(A, b), splu(A).solve(b)   ->   linear_map(A, x, form=...)

A matrix is guarded by its identity, so that its shape and the type of its elements are known.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from sct.frontend.arguments.lift import opaque
from sct.frontend.evaluator.evaluator import Evaluator
from sct.frontend.evaluator.handlers import Args, Kwargs, of_scipy
from sct.frontend.heap.inactive import by_python, is_varied
from sct.frontend.values.abstract_values import Abstract, DerivedCallable, ObjRef, Ref, Static
from sct.ir import Value
from sct.ir.dims import Dim
from sct.ir.types import Opaque, Tensor, in_words
from sct.ops.linalg.linear_maps import linear_map
from sct.ops.program.effects import OBJECT, apply, inactive, part

__all__ = [
    "SparseFactors", "SparseMatrix", "attribute_of_map", "constants_as_objects", "is_sparse", "linear_method",
    "sparse_product"]


class SparseMatrix:
    """A sparse matrix of differentiated numbers, where the function is evaluated.

    Its methods have handlers, in `scipy_library`.
    """

    __array_priority__ = 10.1

    def __matmul__(self, other: Any) -> Any: ...

    def __rmatmul__(self, other: Any) -> Any: ...

    def __mul__(self, other: Any) -> Any: ...

    def __rmul__(self, other: Any) -> Any: ...

    def __truediv__(self, other: Any) -> Any: ...

    def __add__(self, other: Any) -> Any: ...

    def __radd__(self, other: Any) -> Any: ...

    def __sub__(self, other: Any) -> Any: ...

    def __rsub__(self, other: Any) -> Any: ...

    def __neg__(self) -> Any: ...

    def __getitem__(self, key: Any) -> Any: ...

    def __getattr__(self, name: str) -> Any: ...

    def __setattr__(self, name: str, value: Any) -> None: ...

    def __setitem__(self, key: Any, value: Any) -> None: ...

    def __imul__(self, other: Any) -> Any: ...

    def __itruediv__(self, other: Any) -> Any: ...

    def unread(self, *_: Any) -> Any:
        """Stands for operators that sct does not evaluate."""

    def __pow__(self, other: Any) -> Any: ...

    def __abs__(self) -> Any: ...

    __bool__ = __iter__ = __len__ = __contains__ = unread
    __rtruediv__ = __delitem__ = unread

    def solve(self, b: Any) -> Any:
        """Stands for `spsolve`."""

    def exponential(self, b: Any, *args: Any, **kwargs: Any) -> Any:
        """Stands for `expm_multiply`."""

    def multiplied(self, other: Any) -> Any:
        """Stands for `multiply` of a constant matrix."""

    def converted(self) -> Any:
        """Stands for what makes one of a constant matrix."""

    def other(self, value: Any = None) -> Any:
        """Stands for what SciPy's matrices have besides."""


class SparseFactors:
    """The same for what `splu` returns."""

    def solve(self, rhs: Any, trans: Any = "N") -> Any: ...

    def __getattr__(self, name: str) -> Any: ...


@dataclass(frozen=True)
class _Decomposition:
    """A decomposition that the function computes."""

    shape: tuple[int, int]


_SAME = ("tocsc", "tocsr", "copy")
"""Methods of a matrix that return the same matrix, perhaps in another format."""

Map = tuple[Value, tuple[int, int], bool]
"""The object, its shape, and whether it is a sparse matrix, and not its decomposition."""


def sparse_product(ev: Evaluator, symbol: str, a: Abstract, b: Abstract) -> Abstract | None:
    """`a @ b` or `a * b`, if one of them is a sparse matrix and the other an array; else None."""
    if isinstance(b, Ref) and (entry := _matrix(ev, a, symbol)) is not None:
        return _applied(ev, entry, b, "product", entry[1])
    if isinstance(a, Ref) and (entry := _matrix(ev, b, symbol)) is not None and symbol == "@":
        t = ev.type_of(a)
        rank = t.rank if isinstance(t, Tensor) else 0
        if rank != 1 and is_varied(ev, a):
            ev.refuse("SCT205", f"an array with {rank} axes times a sparse matrix is not supported",
                      hint="write it with the matrix first: `(A.T @ x.T).T`")
        return None if rank != 1 else _applied(ev, entry, a, "product from the left", entry[1][::-1])
    return _of_differentiated(ev, symbol, a, b)


_METHODS = {"@": ("__matmul__", "__rmatmul__"), "*": ("__mul__", "__rmul__")}


def _of_differentiated(ev: Evaluator, symbol: str, a: Abstract, b: Abstract) -> Abstract | None:
    """The same of a sparse matrix that the function makes of constants, and of a differentiated array or number."""
    for matrix, x, method in zip((a, b), (b, a), _METHODS[symbol]):
        if is_sparse(ev, matrix) and isinstance(x, (Ref, Value)) and is_varied(ev, x):
            return ev.call(Static(getattr(SparseMatrix, method)), [matrix, x])
    return None


def constants_as_objects(ev: Evaluator, *values: Abstract) -> Sequence[Abstract]:
    """The operands, where sparse matrices from outside are objects with which Python computes."""
    return [opaque(ev, v) if isinstance(v, Static) and is_sparse(ev, v) else v for v in values]


def is_sparse(ev: Evaluator, v: Abstract) -> bool:
    """Is this a sparse matrix of constants?"""
    if "scipy.sparse" not in sys.modules or not isinstance(v, (Static, Value)):
        return False
    sparse = sys.modules["scipy.sparse"]
    example = _example(ev, v)
    if sparse.issparse(example):
        return example.ndim == 2 and example.dtype in ("float64", "float32", "int64")
    eqn = ev.defs.get(v) if isinstance(v, Value) else None
    types = ev.observed(eqn.loc) if eqn is not None and isinstance(v.type, Opaque) else frozenset()  # type: ignore
    return bool(types) and all(t[0] == "object" and issubclass(t[1], (sparse.spmatrix, sparse.sparray)) for t in types)


def attribute_of_map(ev: Evaluator, owner: Abstract, name: str) -> Abstract | None:
    """`A.T`, which is made anew whenever it is read, and `A.dot` and `lu.solve` of objects that the function makes."""
    entry = _map(ev, owner) if name in ("T", "dot", "solve") else None
    if entry is None and not (name in ("dot", "multiply") and is_sparse(ev, owner)):
        return None
    if entry is not None and name == "T":
        return ev.emit(part, entry[0], text="_0.T", type=OBJECT) if entry[2] else None
    if isinstance(owner, Static):
        return None

    def call(ev: Evaluator, args: Args, kwargs: Kwargs) -> Abstract:
        value = _called(ev, owner, name, args, kwargs)
        if value is not None:
            return value
        method = by_python(ev, f"{{0}}.{name}", owner)
        if method is None:
            ev.refuse("SCT203", f"the method `{name}` of a sparse matrix is not supported with these arguments",
                      hint="pass an array of float64")
        return ev.call(method, args, kwargs)

    return DerivedCallable(call)


def linear_method(ev: Evaluator, fn: Static, args: Args, kwargs: Kwargs) -> Abstract | None:
    """`A.dot(x)`, `lu.solve(b)`; None for other calls."""
    if fn.path is None or len(fn.path) < 2 or not isinstance(fn.path[-1], tuple):
        return None
    owner, (kind, name) = getattr(fn.peek, "__self__", None), fn.path[-1]
    is_method = kind == "attr" and name in ("dot", "solve", "multiply") and owner is not None
    return _called(ev, Static(owner, fn.path[:-1]), str(name), args, kwargs) if is_method else None


def _called(ev: Evaluator, owner: Abstract, name: str, args: Args, kwargs: Kwargs) -> Abstract | None:
    if name == "multiply":
        x = args[0] if args else None
        differentiated = isinstance(x, ObjRef) or isinstance(x, (Ref, Value)) and is_varied(ev, x)
        return ev.call(Static(SparseMatrix.multiplied), [owner, *args]) if differentiated and is_sparse(
            ev, owner) else None
    if not args or not isinstance(args[0], Ref):
        return None
    if name == "dot":
        return sparse_product(ev, "@", owner, args[0]) if len(args) == 1 and not kwargs else None
    entry = _map(ev, owner)
    if entry is None or entry[2]:
        return None
    trans = kwargs.get("trans", args[1] if len(args) > 1 else Static("N"))
    if len(args) + len(kwargs) > 2 or not isinstance(trans, Static) or trans.value not in ("N", "T", "H"):
        return None
    return _applied(ev, entry, args[0], "solve" if trans.value == "N" else "transposed solve", entry[1])


@of_scipy("scipy.sparse.linalg.spsolve")
def _spsolve(ev: Evaluator, args: Args, kwargs: Kwargs) -> Abstract:
    if args and isinstance(args[0], ObjRef) or args and _matrix(ev, args[0], "@") is None and is_sparse(ev, args[0]):
        return ev.call(Static(SparseMatrix.solve), args, kwargs)
    entry = _matrix(ev, args[0], "@") if len(args) == 2 and not kwargs else None
    if entry is None or not isinstance(args[1], Ref):
        ev.refuse("SCT402", "`spsolve` is differentiated only by its right hand side",
                  hint="pass a sparse matrix that is made outside the function, and an array")
    result = _applied(ev, entry, args[1], "spsolve", entry[1])
    if result is None:
        ev.refuse("SCT205", "this right hand side of `spsolve` is not supported", hint="use a vector of float64")
    return result


@of_scipy("scipy.sparse.linalg.expm_multiply")
def _exponential(ev: Evaluator, args: Args, kwargs: Kwargs) -> Abstract:
    entry = _matrix(ev, args[0], "@") if len(args) == 2 and not kwargs else None
    value = _applied(ev, entry, args[1], "exponential", entry[1]) if entry and isinstance(args[1], Ref) else None
    return value if value is not None else ev.call(Static(SparseMatrix.exponential), args, kwargs)


def _applied(ev: Evaluator, entry: Map, x: Ref, form: str, shape: tuple[int, int]) -> Abstract | None:
    """The map of `x`, None if Python may compute it; `shape` is that of the map as a matrix."""
    obj, _, _ = entry
    t = ev.type_of(x)
    assert isinstance(t, Tensor)
    solves = "solve" in form
    if t.dtype != "f64" or t.rank not in ((1,) if solves else (1, 2)):
        if not is_varied(ev, x):
            return None
        ev.refuse("SCT205", f"a sparse matrix and {in_words(t)} are not supported",
                  hint="solve for one vector after the other, in a loop" if solves else
                  "use an array of float64 with one or two axes")
    if not ev.same(t.shape[0], Dim(shape[0 if solves else 1])):
        if not is_varied(ev, x):
            return None
        ev.refuse("SCT205", f"a sparse matrix of shape {shape} and an array of another size do not fit",
                  hint="use an array of its size")
    sizes = shape[::-1] if solves else shape
    eqn = ev.defs.get(obj)
    if eqn is not None and eqn.op is part and form in ("product", "spsolve"):  # of a matrix that is transposed
        form, obj = f"transposed {form}", eqn.args[0]  # type: ignore[assignment]
    return ev.wrap(ev.emit(linear_map, obj, ev.operand(x), form=form, sizes=sizes))


def _matrix(ev: Evaluator, v: Abstract, symbol: str) -> Map | None:
    """The sparse matrix `v` of real numbers, if `v op x` is a product of matrices; else None."""
    entry = _map(ev, v)
    if entry is None or not entry[2]:
        return None
    sparse = sys.modules["scipy.sparse"]
    return entry if symbol == "@" or isinstance(_example(ev, v), sparse.spmatrix) else None


def _map(ev: Evaluator, v: Abstract) -> Map | None:
    """The object `v`, if it is a sparse matrix or its decomposition by `splu`."""
    if "scipy.sparse" not in sys.modules or not isinstance(v, (Static, Value)):
        return None
    x = _example(ev, v)
    is_matrix = sys.modules["scipy.sparse"].issparse(x)
    if not is_matrix and not isinstance(x, _Decomposition) and type(x).__name__ != "SuperLU" or len(x.shape) != 2:
        return None
    if is_matrix and x.dtype not in (np.dtype(float), np.dtype(int), np.dtype(np.float32)):
        return None
    return opaque(ev, v) if isinstance(v, Static) else v, x.shape, is_matrix


def _example(ev: Evaluator, v: Abstract) -> Any:
    """The object that `v` stands for, or one like it."""
    if isinstance(v, Static):
        return v.peek if v.path is not None else None
    if not isinstance(v, Value) or not isinstance(v.type, Opaque):
        return None
    eqn = ev.defs.get(v)
    if eqn is None:
        return ev.leaf_of(v)
    if eqn.op is apply and len(eqn.args) == 1 and isinstance(eqn.args[0], Value):
        method = ev.leaf_of(eqn.args[0])  # A.tocsc()
        return method.__self__ if getattr(method, "__name__", "") in _SAME and hasattr(method, "__self__") else None
    text, of = eqn.attrs.get("text"), eqn.args[0] if len(eqn.args) == 1 else None
    base = _example(ev, of) if isinstance(of, Value) else None
    if base is None:
        return None
    if eqn.op is part and text == "_0.T":
        return base.T
    if eqn.op is inactive and text == "scipy.sparse.linalg.splu(_0)":
        return _Decomposition(base.shape)
    return None
