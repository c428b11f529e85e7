"""How sparse matrices are made of differentiated numbers: `csr_matrix((data, (i, j)))`, `diags(d)`."""

from __future__ import annotations

import operator
import sys
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from sct.frontend.autodiff.implicit_functions import derivative_code
from sct.frontend.evaluator.evaluator import Evaluator
from sct.frontend.evaluator.exceptions import named_arguments
from sct.frontend.evaluator.handlers import Args, Kwargs, of_scipy
from sct.frontend.heap.inactive import check_value, give, leave_to_python, template_of
from sct.frontend.heap.subscripts import size_along
from sct.frontend.scipy_library.sparse.elements import FORMATS, SparseElements, elements_of, new_matrix, triples
from sct.frontend.scipy_objects.sparse_matrices import SparseMatrix
from sct.frontend.values.abstract_values import Abstract, ListRef, ObjRef, Ref, Static, Tup
from sct.ir import Operand, Value
from sct.ir.types import INT, Tensor, in_words
from sct.ops.linalg.sparse_maps import sparse_matrix
from sct.ops.program.effects import part

__all__: list[str] = []

_NONE = Static(None)


def _of_format(name: str) -> Callable[..., Abstract]:
    def handle(ev: Evaluator, args: Args, kwargs: Kwargs) -> Abstract:
        arguments = named_arguments(ev, getattr(sys.modules["scipy.sparse"], name), args, kwargs)
        leave_to_python(ev, name, arguments.values())
        if any(key in arguments for key in ("dtype", "maxprint")):
            ev.refuse("SCT205", f"the `dtype` of `{name}` is not supported", hint="pass floats of 64 bits")
        first = arguments["arg1"]
        shape = arguments.get("shape", _NONE)
        if isinstance(first, ObjRef) and issubclass(first.cls, SparseMatrix):
            a = elements_of(ev, first)
            native = ev.emit(sparse_matrix, a.native, text=f"scipy.sparse.{name}(_0)")
            return new_matrix(ev, name, native, a.data, a.rows, a.cols, a.m, a.n)
        items = _items(ev, first)
        if len(items) == 2 and _items(ev, items[1]):
            return _of_positions(ev, name, shape, items[0], *_items(ev, items[1]))
        if len(items) == 3 and name[:3] in ("csr", "csc"):
            return _of_pointers(ev, name, shape, *items)
        if isinstance(first, Ref):
            return _of_dense(ev, name, first)
        ev.refuse("SCT205", f"`{name}` of this is not supported", hint="make it of its elements and their positions")

    return handle


for _format in FORMATS:
    for _kind in ("matrix", "array"):
        of_scipy(f"scipy.sparse.{_format}_{_kind}")(_of_format(f"{_format}_{_kind}"))


def _items(ev: Evaluator, v: Abstract) -> Sequence[Abstract]:
    """The items of a tuple or list of known length."""
    if isinstance(v, Tup):
        return v.items
    return ev.slots(v).items if isinstance(v, ListRef) and ev.slots(v).schema is None else ()


def _vector(ev: Evaluator, what: str, v: Abstract, kind: str) -> Ref:
    """A vector of floats of 64 bits ("f"), or of ints ("i")."""
    x = ev.array_of_list(v)
    t = ev.type_of(x) if isinstance(x, Ref) else None
    if not isinstance(t, Tensor) or t.rank != 1 or t.kind != kind or t.dtype not in ("f64", "i64", "i32"):
        ev.refuse("SCT205", f"{what} of a sparse matrix is {in_words(t) if t is not None else 'no array'}",
                  hint="pass vectors of floats of 64 bits, and of ints")
    assert isinstance(x, Ref)
    return ev.wrap(ev.operand(x))  # type: ignore[return-value]


def _sized(ev: Evaluator, native: Value, shape: Abstract) -> Sequence[Abstract]:
    """The shape of a matrix, as it was given, or as SciPy finds it."""
    sizes = _items(ev, shape)
    if len(sizes) == 2:
        return sizes
    return [ev.emit(part, native, text=f"_0.shape[{k}]", type=INT) for k in (0, 1)]


def _with_shape(ev: Evaluator, text: str, shape: Abstract, operands: list[Operand]) -> str:
    return text if shape == _NONE else f"{text}, shape={template_of(ev, shape, operands)}"


def _of_positions(ev: Evaluator, name: str, shape: Abstract, data: Abstract, rows: Abstract, cols: Abstract
                  ) -> Abstract:
    if name.startswith("coo"):
        give(ev, [data, rows, cols], True)  # SciPy makes no copies of them
    data = _vector(ev, "`data`", data, "f")
    rows, cols = (_vector(ev, "a position", v, "i") for v in (rows, cols))
    operands = [ev.operand(v) for v in (data, rows, cols)]
    text = _with_shape(ev, "(_0, (_1, _2))", shape, operands)
    native = ev.emit(sparse_matrix, *operands, text=f"scipy.sparse.{name}({text})")
    return new_matrix(ev, name, native, data, rows, cols, *_sized(ev, native, shape))


def _of_pointers(ev: Evaluator, name: str, shape: Abstract, data: Abstract, indices: Abstract, indptr: Abstract
                 ) -> Abstract:
    give(ev, [data, indices, indptr], True)
    data = _vector(ev, "`data`", data, "f")
    indices, indptr = (_vector(ev, "a position", v, "i") for v in (indices, indptr))
    operands = [ev.operand(v) for v in (data, indices, indptr)]
    text = _with_shape(ev, "(_0, _1, _2)", shape, operands)
    native = ev.emit(sparse_matrix, *operands, text=f"scipy.sparse.{name}({text})")
    # SciPy sorts the arrays that it holds, which are those of the function, when it needs them sorted.
    check_value(ev, native, "_0.has_canonical_format", "the indices of this sparse matrix must be sorted and distinct")
    with derivative_code(ev):
        along = ev.call(Static(_lines), [indptr])
    rows, cols = (along, indices) if name.startswith("csr") else (indices, along)
    return new_matrix(ev, name, native, data, rows, cols, *_sized(ev, native, shape))


def _lines(indptr: Any) -> Any:
    """The row of each element in the format CSR."""
    return np.repeat(np.arange(len(indptr) - 1), np.diff(indptr))


def _of_dense(ev: Evaluator, name: str, x: Ref) -> Abstract:
    t = ev.type_of(x)
    if not isinstance(t, Tensor) or t.rank != 2 or t.dtype != "f64":
        ev.refuse("SCT205", f"`{name}` of {in_words(t)} is not supported", hint="pass a matrix of floats of 64 bits")
    x = ev.wrap(ev.operand(x))  # type: ignore[assignment]
    m, n = (size_along(ev, x, k) for k in (0, 1))
    with derivative_code(ev):
        data, rows, cols = ev.call(Static(_all_elements), [x]).items  # type: ignore[union-attr]
    native = ev.emit(sparse_matrix, ev.operand(x), text=f"scipy.sparse.{name}(_0)")
    return new_matrix(ev, name, native, data, rows, cols, m, n)


def _all_elements(x: Any) -> Any:
    m, n = x.shape
    return np.ravel(x), np.repeat(np.arange(m), n), np.tile(np.arange(n), m)


def _diagonals(ev: Evaluator, name: str, diagonals: Abstract, offsets: Abstract, shape: Abstract,
               options: dict[str, Abstract]) -> Abstract:
    """`diags(diagonals, offsets)`"""
    several = _items(ev, offsets)
    parts = list(_items(ev, diagonals)) if several or not isinstance(diagonals, Ref) else [diagonals]
    if isinstance(diagonals, Ref) and several:
        parts = [ev.call(Static(operator.getitem), [diagonals, Static(k)]) for k in range(len(several))]
    elif not several and parts and not isinstance(parts[0], Ref):
        parts = [diagonals]  # a list of numbers
    places = [ev.ask(k, "an offset of a diagonal") for k in several or [offsets]]
    if len(parts) != len(places) or not parts:
        ev.refuse("SCT205", f"`{name}` with another number of diagonals than of offsets is not supported")
    operands: list[Operand] = []
    columns, rows, cols = [], [], []
    for x, k in zip(parts, places):
        x, count = _diagonal(ev, name, x, int(k), _items(ev, shape))
        columns.append(x)
        with derivative_code(ev):
            at = ev.call(Static(np.arange), [count])
            beside = at if k == 0 else ev.call(Static(operator.add), [at, Static(abs(int(k)))])
        rows.append(beside if k < 0 else at)
        cols.append(beside if k > 0 else at)
    text = template_of(ev, diagonals, operands)
    if text is None:
        ev.refuse("SCT205", f"these diagonals of `{name}` are not supported", hint="pass a list of vectors")
    texts = [text, *[f"{key}={template_of(ev, v, operands)}" for key, v in options.items()]]
    native = ev.emit(sparse_matrix, *operands, text=f"scipy.sparse.{name}({', '.join(texts)})")
    size = ev.call(Static(operator.add), [ev.call(Static(len), [columns[0]]), Static(abs(int(places[0])))])
    m, n = _items(ev, shape) or (size, size)
    with derivative_code(ev):
        data, i, j = (v[0] if len(v) == 1 else ev.call(Static(np.concatenate), [ev.new_list(tuple(v))])
                      for v in (columns, rows, cols))
    return new_matrix(ev, f"coo_{'array' if name.endswith('array') else 'matrix'}", native, data, i, j, m, n)


def _diagonal(ev: Evaluator, name: str, x: Abstract, k: int, shape: Sequence[Abstract]) -> tuple[Abstract, Abstract]:
    """The elements of a diagonal, and their number; a number stands for as many as there is room for."""
    v = x if isinstance(x, Ref) else ev.call(Static(np.asarray), [x], {"dtype": Static(float)})
    t = ev.type_of(v)
    one = isinstance(t, Tensor) and (not t.rank or ev.resolve(t.shape[0]).value == 1)
    if not one or not shape:
        v = _vector(ev, "a diagonal", ev.call(Static(np.atleast_1d), [v]), "f")
        return v, size_along(ev, v, 0)
    m, n = shape
    if not ev.ask(ev.call(Static(operator.eq), [m, n]), "whether the matrix is square"):
        ev.refuse("SCT205", f"`{name}` of numbers, for a matrix that is not square, is not supported",
                  hint="pass vectors in place of numbers")
    count = m if k == 0 else ev.call(Static(operator.sub), [m, Static(abs(k))])
    with derivative_code(ev):
        return ev.call(Static(np.multiply), [ev.call(Static(np.ones), [count]), v]), count


def _of_diagonals(name: str) -> Callable[..., Abstract]:
    def handle(ev: Evaluator, args: Args, kwargs: Kwargs) -> Abstract:
        arguments = named_arguments(ev, getattr(sys.modules["scipy.sparse"], name), args, kwargs)
        leave_to_python(ev, name, arguments.values())
        if "dtype" in arguments:
            ev.refuse("SCT205", f"the `dtype` of `{name}` is not supported", hint="pass floats of 64 bits")
        options = {key: v for key, v in arguments.items() if key != "diagonals"}
        return _diagonals(ev, name, arguments["diagonals"], arguments.get("offsets", Static(0)),
                          arguments.get("shape", _NONE), options)

    return handle


for _name in ("diags", "diags_array"):
    of_scipy(f"scipy.sparse.{_name}")(_of_diagonals(_name))


def _elements_of_diagonals(data: Any, offsets: Any, m: Any, n: Any) -> Any:
    """Column j of `data` holds the elements in column j of the matrix."""
    ends = [min(data.shape[1], n, m + k) for k in offsets]
    cols = [np.arange(max(k, 0), max(k, 0, end)) for k, end in zip(offsets, ends)]
    rows = [j - k for k, j in zip(offsets, cols)]
    return np.concatenate([data[i, j] for i, j in enumerate(cols)]), np.concatenate(rows), np.concatenate(cols)


def _of_dia(ev: Evaluator, text: str, name: str, data: Abstract, offsets: Abstract, m: Abstract, n: Abstract
            ) -> Abstract:
    """`dia_matrix((data, offsets), shape=(m, n))`, `spdiags(data, offsets, m, n)`"""
    places = Tup(tuple(Static(int(ev.ask(k, "an offset of a diagonal"))) for k in _items(ev, offsets) or [offsets]))
    x = ev.call(Static(np.atleast_2d), [ev.call(Static(np.array), [data])])
    t = ev.type_of(x)
    if not isinstance(t, Tensor) or t.rank != 2 or t.dtype != "f64":
        ev.refuse("SCT205", f"these diagonals of `{name}` are not supported", hint="pass a matrix of floats of 64 bits")
    x = ev.wrap(ev.operand(x))
    operands = [ev.operand(x), *(ev.as_int(ev.operand(v)) for v in (m, n))]
    listed = f"[{', '.join(str(v.value) for v in places.items if isinstance(v, Static))}]"
    native = ev.emit(sparse_matrix, *operands, text=text.format(listed))
    with derivative_code(ev):
        values, rows, cols = _items(ev, ev.call(Static(_elements_of_diagonals), [x, places, m, n]))
    return new_matrix(ev, f"dia_{'array' if name.endswith('array') else 'matrix'}", native, values, rows, cols, m, n)


def _of_diagonal_format(name: str) -> Callable[..., Abstract]:
    def handle(ev: Evaluator, args: Args, kwargs: Kwargs) -> Abstract:
        arguments = named_arguments(ev, getattr(sys.modules["scipy.sparse"], name), args, kwargs)
        leave_to_python(ev, name, arguments.values())
        items, sizes = _items(ev, arguments["arg1"]), _items(ev, arguments.get("shape", _NONE))
        if len(items) != 2 or len(sizes) != 2 or set(arguments) - {"arg1", "shape"}:
            ev.refuse("SCT205", f"`{name}` of this is not supported", hint="pass the data, the offsets and the shape")
        text = f"scipy.sparse.{name}((_0, {{}}), shape=(_1, _2))"
        return _of_dia(ev, text, name, items[0], items[1], sizes[0], sizes[1])

    return handle


for _name in ("dia_matrix", "dia_array"):
    of_scipy(f"scipy.sparse.{_name}")(_of_diagonal_format(_name))


@of_scipy("scipy.sparse.spdiags")
def _spdiags(ev: Evaluator, args: Args, kwargs: Kwargs) -> Abstract:
    arguments = named_arguments(ev, sys.modules["scipy.sparse"].spdiags, args, kwargs)
    leave_to_python(ev, "spdiags", arguments.values())
    if "n" not in arguments or "format" in arguments:
        ev.refuse("SCT205", "`spdiags` with other arguments than `data, diags, m, n` is not supported",
                  hint="pass the data, the offsets and both sizes")
    return _of_dia(ev, "scipy.sparse.spdiags(_0, {}, _1, _2)", "spdiags", arguments["data"], arguments["diags"],
                   arguments["m"], arguments["n"])


# -- of other matrices -------------------------------------------------------------------------------------------------


def _two_matrices(ev: Evaluator, name: str, args: Args) -> tuple[SparseElements, SparseElements]:
    if len(args) != 2 or not any(isinstance(v, ObjRef) for v in args):
        ev.refuse("SCT207", f"`{name}` is left to Python")
    return elements_of(ev, args[0]), elements_of(ev, args[1])


@of_scipy("scipy.sparse.kron")
def _kron(ev: Evaluator, args: Args, kwargs: Kwargs) -> Abstract:
    a, b = _two_matrices(ev, "kron", args)
    native = ev.emit(sparse_matrix, a.native, b.native, text=f"scipy.sparse.kron(_0, _1{_options(ev, 'kron', kwargs)})")
    with derivative_code(ev):
        data, rows, cols = triples(ev.call(Static(_elements_of_kron), [
            a.data, a.rows, a.cols, b.data, b.rows, b.cols, b.m, b.n]))
        m, n = (ev.call(Static(operator.mul), pair) for pair in ((a.m, b.m), (a.n, b.n)))
    return new_matrix(ev, f"coo_{a.kind}", native, data, rows, cols, m, n)


def _elements_of_kron(data: Any, rows: Any, cols: Any, data2: Any, rows2: Any, cols2: Any, m: Any, n: Any) -> Any:
    return (np.ravel(np.outer(data, data2)), np.ravel(m * rows[:, None] + rows2), np.ravel(n * cols[:, None] + cols2))


def _elements_of_sum(data: Any, rows: Any, cols: Any, m: Any, data2: Any, rows2: Any, cols2: Any, n: Any) -> Any:
    """Of `kron(eye(n), A) + kron(B, eye(m))`"""
    ones, at, ones2, at2 = np.ones(n), np.arange(n), np.ones(m), np.arange(m)
    first = _elements_of_kron(ones, at, at, data, rows, cols, m, m)
    second = _elements_of_kron(data2, rows2, cols2, ones2, at2, at2, m, m)
    return [np.concatenate((v, w)) for v, w in zip(first, second)]


@of_scipy("scipy.sparse.kronsum")
def _kronsum(ev: Evaluator, args: Args, kwargs: Kwargs) -> Abstract:
    a, b = _two_matrices(ev, "kronsum", args)
    text = f"scipy.sparse.kronsum(_0, _1{_options(ev, 'kronsum', kwargs)})"
    native = ev.emit(sparse_matrix, a.native, b.native, text=text)
    with derivative_code(ev):
        data, rows, cols = _items(ev, ev.call(Static(_elements_of_sum), [
            a.data, a.rows, a.cols, a.m, b.data, b.rows, b.cols, b.m]))
        size = ev.call(Static(operator.mul), [a.m, b.m])
    return new_matrix(ev, f"csr_{a.kind}", native, data, rows, cols, size, size)


@of_scipy("scipy.sparse.linalg.inv")
def _inverse(ev: Evaluator, args: Args, kwargs: Kwargs) -> Abstract:
    """The inverse, all elements of which may differ from 0."""
    if len(args) != 1 or kwargs or not isinstance(args[0], ObjRef):
        ev.refuse("SCT207", "`inv` is left to Python")
    a = elements_of(ev, args[0])
    native = ev.emit(sparse_matrix, a.native, text="scipy.sparse.linalg.inv(_0)")
    with derivative_code(ev):
        data, rows, cols = triples(ev.call(Static(_elements_of_inverse), [a.data, a.rows, a.cols, a.m]))
    return new_matrix(ev, f"csc_{a.kind}", native, data, rows, cols, a.m, a.n)


def _elements_of_inverse(data: Any, rows: Any, cols: Any, m: Any) -> Any:
    x = np.zeros((m, m))
    np.add.at(x, (rows, cols), data)
    return _all_elements(np.linalg.inv(x))


def _options(ev: Evaluator, name: str, kwargs: Kwargs) -> str:
    if any(key != "format" for key in kwargs):
        ev.refuse("SCT205", f"`{name}` with other options than `format` is not supported")
    return "".join(f", format={ev.ask(v, '`format`')!r}" for v in kwargs.values())


def _joined(name: str) -> Callable[..., Abstract]:
    def handle(ev: Evaluator, args: Args, kwargs: Kwargs) -> Abstract:
        blocks = _rows_of_blocks(ev, name, args[0]) if len(args) == 1 else []
        if not any(isinstance(v, ObjRef) for row in blocks for v in row):
            ev.refuse("SCT207", f"`{name}` is left to Python")
        if not all(len(row) == len(blocks[0]) for row in blocks):
            ev.refuse("SCT205", f"`{name}` of rows with different numbers of blocks is not supported")
        elements = [[None if v == _NONE else elements_of(ev, v) for v in row] for row in blocks]
        there = [e for row in elements for e in row if e is not None]
        heights = [next((e.m for e in row if e is not None), None) for row in elements]
        widths = [next((row[k].n for row in elements if row[k] is not None), None)  # type: ignore[union-attr]
                  for k in range(len(blocks[0]))]
        if None in heights or None in widths:
            ev.refuse("SCT205", f"`{name}` with a row or column without a block is not supported")
        places = {id(e): f"_{k}" for k, e in enumerate(there)}
        lines = [", ".join("None" if e is None else places[id(e)] for e in row) for row in elements]
        text = "[" + ", ".join(f"[{line}]" for line in lines) + "]" if name in ("bmat", "block_array") else \
            f"[{', '.join(lines)}]" if name == "vstack" else f"[{lines[0]}]"
        native = ev.emit(sparse_matrix, *(e.native for e in there),
                       text=f"scipy.sparse.{name}({text}{_options(ev, name, kwargs)})")
        with derivative_code(ev):
            data, rows, cols, m, n = _side_by_side(ev, elements, heights, widths)
        return new_matrix(ev, f"coo_{there[0].kind}", native, data, rows, cols, m, n)

    return handle


def _rows_of_blocks(ev: Evaluator, name: str, blocks: Abstract) -> list[list[Abstract]]:
    parts = list(_items(ev, blocks))
    if name == "hstack":
        return [parts]
    return [[v] for v in parts] if name == "vstack" else [list(_items(ev, row)) for row in parts]


def _side_by_side(ev: Evaluator, elements: Sequence[Sequence[Any]], heights: Sequence[Any], widths: Sequence[Any]
                  ) -> Sequence[Any]:
    """The elements of a matrix of blocks, and its shape."""
    columns: tuple[list[Abstract], list[Abstract], list[Abstract]] = ([], [], [])
    top: Abstract = Static(0)
    left: Abstract = Static(0)
    for row, height in zip(elements, heights):
        left = Static(0)
        for e, width in zip(row, widths):
            if e is not None:
                for column, v in zip(columns, (e.data, _moved(ev, e.rows, top), _moved(ev, e.cols, left))):
                    column.append(v)
            left = _moved(ev, width, left)
        top = _moved(ev, height, top)
    return [*(ev.call(Static(np.concatenate), [ev.new_list(tuple(v))]) for v in columns), top, left]


def _moved(ev: Evaluator, v: Abstract, by: Abstract) -> Abstract:
    return v if by == Static(0) else ev.call(Static(operator.add), [v, by])


for _name in ("bmat", "block_array", "hstack", "vstack"):
    of_scipy(f"scipy.sparse.{_name}")(_joined(_name))
