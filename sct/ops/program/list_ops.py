"""Lists whose length is known only at run time: `list[T]`.

An update is functional (`append` gives the list after it) and is done in place where
`storage` finds that nobody reads the old list any more.  What is read and written by
position, and slices, are `index`, `store` and `add_at`; the length is `dim`.

    xs.append(v)      dv = dxs.pop()
    xs.pop(i)         dxs.insert(i, 0.0), and `+=` there of what is read
    a + b             da = d[:len(a)]; db = d[len(a):]

Cotangents and tangents of a list are lists of its length.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast

import numpy as np

from sct.ir.core import Eqn, Lit, Op, Operand, Value
from sct.ir.dims import Dim, is_ragged, sym, without_classes
from sct.ir.real_ints import unmark_real
from sct.ir.types import (
    INT,
    List,
    Never,
    Optional,
    Tensor,
    Type,
    TypeMismatch,
    base_type,
    in_words,
    join,
    map_sizes,
    size_requirements,
)
from sct.ops import samples
from sct.ops.arrays.concatenate import np_promote
from sct.ops.arrays.creation import dtype_text, item_name, strong, zeros_of
from sct.ops.arrays.indexing import add_at, index, store, with_shape_of
from sct.ops.arrays.shape import dim
from sct.ops.registry import op, placeholders
from sct.ops.scalar.arithmetic import add, floordiv, mod, sub
from sct.ops.scalar.complex_parts import real
from sct.ops.type_rules import item_at, number, numpy_dtype, part_of_list, place_name

__all__ = [
    "append", "copy_list", "empty_lists", "first_max", "first_min", "insert_at",
    "is_length_of_list", "length_of_list", "joined", "known_length", "list_of", "of_list", "order", "permuted",
    "position", "remove_at", "repeat", "repeated", "stacked", "stacked_rows", "sum_list", "unstack",
]


def elem(xs: Operand) -> Type:
    """The type of the elements, at whichever positions they are put."""
    return map_sizes(without_classes, list_type(xs).elem)


def list_type(xs: Operand) -> List:
    if not isinstance(xs.type, List):
        raise TypeMismatch(f"a list is needed, this is {in_words(xs.type)}")
    return xs.type


def part(xs: Operand, start: Any, stop: Any) -> Any:
    """xs[start:stop]"""
    bounds = [b for b in (start, stop) if b is not None]
    return index(xs, *bounds, key=("s" + "".join("0" if b is None else "1" for b in (start, stop)) + "0",))


def at(xs: Operand, i: Any) -> Any:
    return index(xs, i, key=("i",))


def zero(x: Operand) -> Any:
    """The zero cotangent of an element."""
    t = x.type
    return Lit(0j if t.kind == "c" else 0.0) if isinstance(t, Tensor) and t.is_scalar else zeros_of(x)


def lists() -> list[samples.Sample]:
    return [(([1.5, -0.5, 2.0],), {}), (([samples.arrays((2,)), samples.arrays((2,), seed=1)],), {})]


def with_element() -> list[samples.Sample]:
    return [(([1.5, -0.5, 2.0], 0.75), {}), (([samples.arrays((2,))], samples.arrays((2,), seed=1)), {})]


# -- making ----------------------------------------------------------------------------------------


def join_items(a: Type, b: Type) -> Type:
    """The type of the items of a list that holds items of both types."""
    try:
        return join(a, b)
    except TypeMismatch as error:
        raise TypeMismatch(f"the items of this list are of different types: {error}",
                           "use a list for each type, or a tuple") from None


def type_list_of(*xs: Operand, elem: Type | None = None, of_tuple: bool = False) -> List:
    joined = elem
    for x in xs:
        joined = x.type if joined is None else join_items(joined, x.type)
    if joined is None:
        raise TypeMismatch("nothing is known of the elements of an empty list")
    return List(joined)


def emit_list_of(*xs: Operand, elem: Type | None = None, of_tuple: bool = False) -> str:
    """With `of_tuple`, the user's tuple, which is read at run-time positions: its exceptions are those of a tuple."""
    return f"({', '.join(placeholders(len(xs)))}{',' * (len(xs) == 1)})" if of_tuple else "[_args]"


list_of: Op = op("list_of", type=type_list_of, run=lambda *xs, elem=None, of_tuple=False: list(xs),
             defaults={"elem": None, "of_tuple": False}, emit=emit_list_of,
             vjp=lambda ct, y, *xs, **_: [with_shape_of(at(ct, k), x) for k, x in enumerate(xs)], linear_in="all",
             jvp=lambda dxs, y, *xs, **_: list_of(*(zero(x) if d is None else d for d, x in zip(dxs, xs))),
             samples=lambda: [((1.5, -0.5), {}), ((samples.arrays((2,)), samples.arrays((2,), seed=1)), {})],
                 holds=True, allocates=True, complex=True)


def type_repeat(v: Operand, n: Operand) -> List:
    return List(v.type)


def counts(_: Operand, n: Operand) -> bool:
    """Is `n` an int, as the number of times that a list is repeated must be?"""
    return isinstance(n.type, Tensor) and n.type.kind in "bi"


repeat: Op = op("repeat", type=type_repeat, run=lambda v, n: [v] * n, emit="[_0] * _1", inactive=(1,), raises="value",
            safe=counts,
            linear=lambda ct, v, n: [sum_list(ct) if isinstance(v.type, Tensor) and v.type.is_scalar
                                     else sum_list(ct, zeros_of(v)), None],
            samples=lambda: [((1.5, 3), {}), ((samples.arrays((2,)), 2), {})], holds=True, allocates=True)

repeated: Op = op("repeated", type=lambda xs, n: List(elem(xs)), run=lambda xs, n: xs * n,
              emit="_0 * _1", inactive=(1,), linear=lambda ct, xs, n: [folded(ct, xs), None], raises="value",
              safe=counts,
              samples=lambda: [(([1.5, -0.5],  3), {}), (([samples.arrays((2,))], 2), {}), (([1.0], 0), {})],
                  holds=True, allocates=True)


def type_folded(ct: Operand, xs: Operand) -> List:
    return List(elem(ct))


def run_folded(ct: list[Any], xs: list[Any]) -> list[Any]:
    zeros = zeros_of.run(xs) if zeros_of.run else []
    return [sum(ct[k::len(xs)], z) for k, z in enumerate(zeros)]


folded: Op = op("folded", type=type_folded, run=run_folded, inactive=(1,),
            emit=lambda ct, xs: "[sum(_0[_k::len(_1)]) for _k in range(len(_1))]",
            linear=lambda g, ct, xs: [repeated(g, floordiv(dim(ct), dim(xs))), None],
                 samples=lambda: [(([1.5, -0.5, 2.0, 0.25], [0.5, 1.0]), {})])


def run_copy_list(xs: list[Any], deep: bool = False) -> list[Any]:
    return [run_copy_list(x, deep) if isinstance(x, list) else x.copy(order="K") if deep and isinstance(x, np.ndarray)
            else x for x in xs]


def copy_text(t: Type, deep: bool, x: str = "_0") -> str:
    """`list(xs)`, `[list(row) for row in xs]`, `[np.copy(v) for v in xs]`"""
    if not isinstance(t, List):
        return f"numpy.copy({x})"
    if isinstance(t.elem, List) or deep and isinstance(t.elem, Tensor) and t.elem.is_array:
        return f"[{copy_text(t.elem, deep, v := item_name(t))} for {v} in {x}]"
    return f"list({x})"


copy_list = op("copy_list", type=lambda xs, deep=False: list_type(xs), run=run_copy_list, samples=lists,
               emit=lambda xs, deep=False: copy_text(xs.type, deep), linear=lambda ct, xs, deep=False: [ct],
               defaults={"deep": False}, holds=True, allocates=True)
"""A new list, and new lists in it; `deep`: of new arrays too."""


empty_lists = op("empty_lists", type=lambda xs: List(List(Never())), run=lambda xs: [[] for _ in xs],
                 emit="[[] for _ in _0]", nondiff="it holds no numbers", samples=lists, allocates=True)
"""As many empty lists as there are items."""


# -- growing and shrinking -------------------------------------------------------------------------


append = op("append", type=lambda xs, v: List(join_items(elem(xs), v.type)), run=lambda xs, v: [*xs, v],
            linear=lambda ct, xs, v: taken_out(ct, -1, v), emit="_0.append(_1)", samples=with_element,
            updates=True, holds=True, allocates=True)


def taken_out(ct: Operand, i: Any, v: Operand) -> list[Any]:
    """The rest of the list, and the element at `i`, which is read first: the cotangent of `v`."""
    dv = with_shape_of(at(ct, i), v)
    return [remove_at(ct, i), dv]


def position_of(i: Operand, xs: Operand) -> Operand:
    """The place of the element at `i`, which may count from the end, that `xs` is without."""
    if isinstance(i, Lit):
        return i if i.value >= 0 else sub(dim(xs), -1 - i.value) if i.value < -1 else dim(xs)
    return mod(i, add(dim(xs), 1))  # type: ignore[no-any-return]


def removed(ct: Operand, xs: Operand, i: Operand, deleted: bool = False) -> list[Any]:
    z = zero(at(xs, i))
    return [append(ct, z) if i == Lit(-1) else insert_at(ct, z, position_of(i, ct)), None]


def run_remove(xs: list[Any], i: int, deleted: bool = False) -> list[Any]:
    rest = list(xs)
    if deleted:
        del rest[i]
    else:
        rest.pop(i)
    return rest


def remove_text(xs: Operand, i: Operand, deleted: bool = False) -> str:
    return "_0.__delitem__(_1)" if deleted else "_0.pop()" if i == Lit(-1) else "_0.pop(_1)"


remove_at = op("remove_at", type=lambda xs, i, deleted=False: List(elem(xs)), run=run_remove, linear=removed,
               inactive=(1,), raises="value", emit=remove_text, defaults={"deleted": False},
               samples=lambda: [((x, i), attrs) for (x,), _ in lists() for i in (-1, 0, 1, -2)
                                for attrs in ({}, {"deleted": True})], updates=True, allocates=True)
"""`xs.pop(i)`; `deleted`: `del xs[i]`, which raises another text."""


def run_insert(xs: list[Any], v: Any, i: int) -> list[Any]:
    longer = list(xs)
    longer.insert(i, v)
    return longer


insert_at = op("insert_at", type=lambda xs, v, i: List(join_items(elem(xs), v.type)), run=run_insert, inactive=(2,),
               linear=lambda ct, xs, v, i: [*taken_out(ct, i, v), None], emit="_0.insert(_2, _1)",
               samples=lambda: [((*x, i), {}) for x, _ in with_element() for i in (0, 1)], updates=True, holds=True,
               allocates=True)


def type_joined(xs: Operand, ys: Operand) -> List:
    return List(join_items(elem(xs), elem(ys)))


def run_joined(xs: list[Any], ys: list[Any]) -> list[Any]:
    return [*xs, *ys]


def pairs() -> list[samples.Sample]:
    return [((x, [*x, *x]), {}) for (x,), _ in lists()]


joined = op("joined", type=type_joined, run=run_joined, emit="_0 + _1", samples=pairs, holds=True, allocates=True,
            linear=lambda ct, xs, ys: [part(ct, None, dim(xs)), part(ct, dim(xs), None)])


# -- order -----------------------------------------------------------------------------------------


def type_order(*keys: Operand, reverse: bool = False) -> List:
    for key in keys:
        elem(key)
    return List(INT)


def run_order(*keys: list[Any], reverse: bool = False) -> list[int]:
    rows = list(zip(*keys)) if len(keys) > 1 else keys[0]
    return sorted(range(len(rows)), key=rows.__getitem__, reverse=reverse)


def order_text(*keys: Operand, reverse: bool = False) -> str:
    rows = f"list(zip({', '.join(placeholders(len(keys)))}))" if len(keys) > 1 else "_0"
    return f"sorted(range(len(_0)), key={rows}.__getitem__{', reverse=True' if reverse else ''})"


order = op("order", type=type_order, run=run_order, emit=order_text, defaults={"reverse": False}, raises="value",
           nondiff="a permutation is piecewise constant", allocates=True,
           samples=lambda: [(([1.5, -0.5, 2.0],), {}), (([1.5, -0.5, 1.5], [2.0, 1.0, 0.5]), {"reverse": True})])
"""The positions of the items of a list in the order of their keys; of keys that are tuples, the columns are given."""

permuted: Op = op("permuted", type=lambda xs, at: part_of_list(list_type(xs), place_name(at)),
                  run=lambda xs, at: [xs[k] for k in at],
                  emit="[_0[_k] for _k in _1]", inactive=(1,), holds=True, allocates=True,
                  linear=lambda ct, xs, at: [permuted(ct, order(at)), None],
                  samples=lambda: [(([1.5, -0.5, 2.0], [2, 0, 1]), {}),
                                   (([samples.arrays((2,)), samples.arrays((2,), seed=1)], [1, 0]), {})])
"""The items of a list at the positions of a permutation, whose inverse is the order of these positions."""


# -- all elements ----------------------------------------------------------------------------------


def sum_text(xs: Operand, start: Operand | None = None, filled: bool = False) -> str:
    return "sum(_0)" if start is None else "sum(_0, _1)"


def type_sum(xs: Operand, start: Operand | None = None, filled: bool = False) -> Type:
    """Python adds to the int 0 where there is no start, which is the sum of no items; `filled`: there is an item."""
    t, first = base_type(elem(xs)), INT if start is None else start.type
    if not isinstance(t, Tensor) or not isinstance(first, Tensor):
        raise TypeMismatch(f"a sum of {in_words(t)} is not supported")
    if t.is_array:
        if any(map(is_ragged, t.shape)):
            raise TypeMismatch("a sum of arrays whose sizes may differ is not supported", "add them in a loop")
        if not first.is_array and not filled:
            raise TypeMismatch("a sum of arrays begins with the number 0: of an empty list it is that number",
                               "begin with an array: `sum(xs, np.zeros(n))`")
        return sum_of(first, t)
    return sum_of(first, t) if filled and t.kind == "c" else join(first, sum_of(t, first))


def sum_of(a: Type, b: Type) -> Type:
    """The type of `a + b`."""
    return cast(Tensor, add.type(Value(a), Value(b), spelling="operator.add"))


def is_sum(xs: Operand, start: Operand | None = None, filled: bool = False) -> bool:
    """Is there no None among the items, and are their sizes the same?"""
    items = Value(unmark_real(xs.type))
    return not isinstance(elem(xs), Optional) and all(size_requirements(lambda: type_sum(items, start, filled)))


def sum_transposed(ct: Operand, xs: Operand, start: Operand | None = None, filled: bool = False) -> list[Any]:
    t = base_type(elem(xs))
    of_item = real(ct) if number(ct).kind == "c" and isinstance(t, Tensor) and t.kind != "c" else ct
    return [repeat(of_item, dim(xs)), *([] if start is None else [ct])]


sum_list: Op = op("sum_list", type=type_sum, run=lambda xs, *start, **_: sum(xs, *start), emit=sum_text,
                  linear=sum_transposed, defaults={"filled": False}, raises="value",
                  safe=is_sum,
                  samples=lambda: [(([1.5, -0.5, 2.0],), {}), (([1.5, -0.5], 0.25), {}),
                                   (([samples.arrays((2,))], samples.arrays((2,), seed=1)), {}),
                                   (([samples.arrays((2,)), samples.arrays((2,), seed=1)],), {"filled": True})])

position = op("position", type=lambda xs, v: INT, run=lambda xs, v: xs.index(v), emit="_0.index(_1)",
              nondiff="a position is an integer", samples=lambda: [(([1.5, -0.5, 2.0], -0.5), {})])


def extremum(name: str) -> Any:
    """`max(xs)`: the derivative follows the element that it returns, the first of equal ones."""
    call = {"max": max, "min": min}[name]

    def rule(ct: Operand, y: Value, xs: Operand) -> list[Any]:
        return [add_at(zeros_of(xs), ct, position(xs, y), key=("i",))]

    return op(f"first_{name}", type=lambda xs: elem(xs), run=lambda xs: call(xs), emit=f"{name}(_0)", vjp=rule,
              jvp=lambda dxs, y, xs: with_shape_of(at(dxs[0], position(xs, y)), y), raises="value",
              samples=lambda: [(([1.5, -0.5, 2.0],), {}), (([0.5],), {})])


first_max, first_min = extremum("max"), extremum("min")


# -- lengths ---------------------------------------------------------------------------------------


def known_length(x: Operand, defining_eqn: Callable[[Operand], Eqn | None]) -> int | None:
    """The length of a list that is made of single items, some of which may have been replaced."""
    eqn = defining_eqn(x)
    while eqn is not None and eqn.op is store and isinstance(eqn.out.type, List):
        eqn = defining_eqn(eqn.args[0])
    return len(eqn.args) if eqn is not None and eqn.op is list_of else None


# -- arrays of lists -----------------------------------------------------------------------------------


_LENGTH = "_len"


def length_of_list(name: str) -> Dim:
    """The size of an axis that is made of a list."""
    return sym(f"{_LENGTH}{name}")


def is_length_of_list(d: Dim) -> bool:
    """Is this the size of an axis that was made of a list?"""
    return any(name.startswith(_LENGTH) for name in d.symbols)


def rows_as(name: str, emit: str, run: Callable[..., Any], back: Callable[[], Op]) -> Op:
    return op(name, type=lambda rows, array, row: number(rows), run=run, emit=emit, inactive=(1, 2), shapes=(1, 2),
              alias="maybe", linear=lambda ct, rows, array, row: [back()(ct, array, row), None, None],
              samples=lambda: [((samples.arrays((3, 2)), np.ones((3, 2)), np.ones(2)), {})])


of_list: Op = rows_as("of_list", "numpy.reshape(_0, _1.shape)", lambda rows, array, row: np.reshape(rows, array.shape),
                      lambda: rows_of_list)
"""Rows in the shape of an array that was made of a list of as many: one axis, if there are none."""

rows_of_list: Op = rows_as("rows_of_list", "numpy.reshape(_0, (-1, _2.size))",
                           lambda rows, array, row: np.reshape(rows, (-1, np.size(row))), lambda: of_list)


def type_stacked(xs: Operand, dtype: str | None = None) -> Tensor:
    """One more axis for each list; how long it is only the list knows."""
    t: Type = xs.type
    outer: list[Dim] = []
    while isinstance(t, List):
        outer.append(length_of_list(f"{getattr(xs, 'id', 0)}_{len(outer)}"))
        t = t.elem
    if not isinstance(t, Tensor):
        raise TypeMismatch(f"an array of {in_words(xs.type)} is not supported")
    t = cast(Tensor, item_at(List(t), "any", str(getattr(xs, "id", 0))))
    return Tensor("array", dtype or strong(t), (*outer, *t.shape))


def stacked_text(xs: Operand, dtype: str | None = None) -> str:
    return "numpy.array(_0)" if dtype is None else f"numpy.array(_0, dtype={dtype_text(dtype)})"


def run_stacked(xs: Any, dtype: str | None = None) -> Any:
    return np.array(xs, dtype=None if dtype is None else numpy_dtype(dtype))


stacked: Op = op("stacked", type=type_stacked, run=run_stacked, emit=stacked_text, defaults={"dtype": None},
             linear=lambda ct, xs, dtype=None: [unstack(ct, depth=depth(xs.type))], samples=lists)


def depth(t: Type) -> int:
    n = 0
    while isinstance(t, List):
        n, t = n + 1, t.elem
    return n


def type_unstack(x: Operand, depth: int = 1, plain: bool = True) -> Type:
    t = x.type
    if not isinstance(t, Tensor) or t.rank < depth:
        raise TypeMismatch(f"a list of {in_words(t)} is not supported")
    inner: Type = Tensor("array", t.dtype, t.shape[depth:])
    if t.rank == depth:
        inner = Tensor("py", {"c": "complex", "f": "float", "i": "int",
                              "b": "bool"}[t.kind]) if plain else Tensor("np", t.dtype)
    for _ in range(depth):
        inner = List(inner)
    return inner


def run_unstack(x: Any, depth: int = 1, plain: bool = True) -> Any:
    if x.ndim == depth and plain:
        return x.tolist()
    return [run_unstack(row, depth - 1, plain) if depth > 1 else row for row in x]


def unstack_text(x: Operand, depth: int = 1, plain: bool = True) -> str:
    t = x.type
    assert isinstance(t, Tensor)
    if t.rank == depth and plain:
        return "_0.tolist()"
    text = "list(_0)"
    for _ in range(depth - 1):
        text = text.replace("_0", "w").join(["[", " for w in _0]"])
    return text


unstack: Op = op("unstack", type=type_unstack, run=run_unstack, emit=unstack_text,
                 defaults={"depth": 1, "plain": True}, alias="view",
                 linear=lambda ct, x, depth=1, plain=True: [stacked(ct)],
                 samples=lambda: [((samples.arrays((3,)),), {}), ((samples.arrays((3, 2)),), {}),
                                  ((samples.arrays((3,)),), {"plain": False}),
                                  ((samples.arrays((3, 2)),), {"depth": 2})], holds=True, allocates=True)
"""The rows of an array, or its numbers; not `plain`: as NumPy's scalars."""


def type_stacked_rows(*columns: Operand) -> Tensor:
    types = [type_stacked(xs) for xs in columns]
    first = types[0]
    if any(depth(xs.type) > 1 for xs in columns) or any(t.shape[1:] != first.shape[1:] for t in types):
        raise TypeMismatch("an array of tuples that are not made alike is not supported")
    return Tensor("array", np_promote([t.dtype for t in types]), (first.shape[0], Dim(len(types)), *first.shape[1:]))


stacked_rows = op("stacked_rows", type=type_stacked_rows, run=lambda *columns: np.array(list(zip(*columns))),
                  emit=lambda *columns: f"numpy.array(list(zip({', '.join(placeholders(len(columns)))})))",
                  linear=lambda ct, *columns: [unstack(index(ct, k, key=("s000", "i"))) for k in range(len(columns))],
                  samples=lambda: [((xs, xs[::-1]), {}) for (xs,), _ in lists()])
"""The array of a list of tuples, which is given as its columns."""
