"""The rewrite rules, from their table: both sides of each are run on nan, infinities, -0.0, of no elements,
broadcast, in single precision and on ints.

A rule of the table without an example here fails; an example is the term before the rule, written with the ops.
"""

from __future__ import annotations

import inspect
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from handmade import if_

from sct.ir import Builder
from sct.ir.core import Fn, Lit, Value, rebuild
from sct.ir.interp import run
from sct.ir.text import show, type_of
from sct.ir.types import List, Tensor, TypeMismatch
from sct.ops import OPS
from sct.passes.rewriting import driver
from sct.passes.rewriting.table import RULES, Rule, Site

NUMBERS = ("float", "f64", "f64[n]", "f32[n]", "f64[m, n]", "ri64[n]", "f64[0]", "rint", "f32")
PAIRS = (
    ("float", "float"),
    ("f64[n]", "f64[n]"),
    ("f64[n]", "float"),
    ("float", "f64[n]"),
    ("f64[m, n]", "f64[n]"),
    ("f64[n]", "f64[m, n]"),
    ("f32[n]", "f32[n]"),
    ("f32", "f32[n]"),
    ("f64", "f64"),
    ("f64[n]", "f64[1]"),
    ("ri64[n]", "f64[n]"),
    ("f64[0]", "f64[0]"),
    ("f64", "f64[0]"),
    ("rint", "float"),
    ("any_real", "f64[n]"),
)
SPECIAL = np.array([np.nan, np.inf, -np.inf, -0.0, 0.0, 1.5, -2.0, 1e-3])
SIZES = ({"n": 3, "m": 2, "k": 2}, {"n": 1, "m": 1, "k": 1}, {"n": 0, "m": 2, "k": 0})
DRAWS = 12


def op(name: str) -> Callable[..., Any]:
    return OPS[name]


(add, sub, mul, div, neg, pow_, where, sum_, index, store, add_at, zeros_of, expand_like) = map(
    op,
    ("add", "sub", "mul", "div", "neg", "pow", "where", "sum", "index", "store", "add_at", "zeros_of", "expand_like"),
)
(
    matmul,
    transpose,
    squeeze,
    expand_dims,
    append,
    repeat,
    list_of,
    logical_or,
    logical_not,
    lt,
    astype,
    exp,
    logaddexp,
) = map(
    op,
    (
        "matmul",
        "transpose",
        "squeeze",
        "expand_dims",
        "append",
        "repeat",
        "list_of",
        "logical_or",
        "logical_not",
        "lt",
        "astype",
        "exp",
        "logaddexp",
    ),
)
I, ALL = {"key": ("i",)}, {"key": ("s000",)}
M = {"key": ("m",)}
II = {"key": ("i", "i")}


@dataclass(frozen=True)
class Example:
    """The term before a rule, of operands of some types: the usual ones of one or two numbers, or those given.

    applies  whether the rule rewrites it for some of them
    """

    term: Callable[..., Any]
    types: tuple[str, ...] = ()
    applies: bool = True

    def signatures(self) -> list[tuple[str, ...]]:
        n = len(inspect.signature(self.term).parameters)
        if self.types:
            return [tuple(t.strip() for t in sig.split("; ")) for sig in self.types]
        return [(t,) for t in NUMBERS] if n == 1 else list(PAIRS)


def e(term: Callable[..., Any], *types: str) -> Example:
    return Example(term, types)


def unchanged(term: Callable[..., Any], *types: str) -> Example:
    """A term like those of a rule, which the rule must not rewrite."""
    return Example(term, types, applies=False)


def with_element(x: Value, a: Value, g: Value, at: int) -> Any:
    """x[at] += a[at] * g"""
    return add_at(x, mul(index(a, at, **I), g), at, **I)


def with_part(x: Value, a: Value, g: Value, *at: int, key: tuple[str, ...]) -> Any:
    """x[key] += g * a[key]"""
    return add_at(x, mul(g, index(a, *at, key=key)), *at, key=key)


def shared_negation(x: Value, y: Value) -> Any:
    """t = -y; x += t; x += t"""
    t = neg(y)
    return add_at(add_at(x, t, **ALL), t, **ALL)


def selections_of_both_signs(c: Value, x: Value, y: Value) -> Any:
    """x[:] = where(c, -y, 0); x += 3.0 * where(c, y, 0)"""
    return add_at(store(x, where(c, neg(y), 0.0), **ALL), mul(3.0, where(c, y, 0.0)), **ALL)


def hinted(x: Value) -> Value:
    x.hint = "dx"
    return x


def columns(x: Value) -> Any:
    """x[:, :, None]"""
    return index(x, key=("s000", "s000", "n"))


def rows(*xs: Value) -> Any:
    """np.array([*xs])"""
    return op("array")(*xs, tree=tuple(range(len(xs))))


def as_complex(x: Value) -> Any:
    """`x` cast to a complex number, or to an array of them."""
    t = x.type
    assert isinstance(t, Tensor)
    return op("complex")(x) if t.carrier == "py" else astype(x, dtype="c128") if t.is_array else op("to_c128")(x)


ARRAYS = ("f64[n]; f64[n]", "f32[n]; f32[n]", "f64[0]; f64[0]")
EXAMPLES: dict[str, list[Example]] = {
    # arithmetic
    "add_literals": [e(lambda x: add(x, 0)), e(lambda x: add(x, 0.0)), e(lambda x: add(2.0, x))],
    "quotient_of_distances": [e(lambda x: op("quotient")(  # from a point that is none of these
        mul(3.0, y := op("cdist")(x, op("full")(1e3, 1, 2))), y, edge=0.0), "f64[n,2]")],
    "add_zeros": [e(lambda x: add(x, zeros_of(x))), e(lambda x: add(zeros_of(x), x))],
    "add_negated": [e(lambda x, y: add(x, neg(y))), e(lambda x, y: add(neg(x), y)), e(lambda x: add(x, -2.0))],
    "add_to_array": [
        e(lambda x, v: add(x, mul(1.0, v)), "f64[n]; real"),
        unchanged(lambda x, v: add(x, mul(1.0, v)), "f32[n]; real", "float; real"),
    ],
    "add_like": [e(lambda x: add(x, x)), e(lambda x: add(x, mul(3.0, x))), e(lambda x: add(mul(2.0, x), neg(x)))],
    "sub_like": [e(lambda x: sub(mul(3.0, x), x)), e(lambda x: sub(mul(3.0, x), mul(2.0, x)))],
    "sub_literals": [e(lambda x: sub(x, 0.0)), e(lambda x: sub(0.0, x)), e(lambda x: sub(x, -2.0))],
    "sub_negated": [e(lambda x, y: sub(x, neg(y))), e(lambda x, y: sub(neg(x), y))],
    "sub_again": [e(lambda k: sub(add(k, 1), 1), "int"), unchanged(lambda x: sub(add(x, 1.0), 1.0), "float")],
    "sub_zeros": [e(lambda x: sub(x, zeros_of(x))), e(lambda x: sub(zeros_of(x), x))],
    "neg_of": [e(lambda x: neg(neg(x)))],
    "mul_literals": [e(lambda x: mul(1.0, x)), e(lambda x: mul(-1.0, x)), e(lambda x: mul(x, 2.0))],
    "mul_scalar": [e(lambda x, y: mul(x, y))],
    "mul_scaled": [
        e(lambda x: mul(3.0, mul(2.0, x))), e(lambda x: mul(3.0, neg(x))), e(lambda x: mul(3.0, div(x, 2.0))),
        e(lambda x, y: mul(2.0, mul(mul(0.5, x), y))),
    ],
    "mul_by_divisor": [
        e(lambda x, y: mul(div(x, y), y)), e(lambda x, y: mul(y, div(x, y))),
        e(lambda x: mul(div(2.0, x), x), "f64[n]"), e(lambda x: mul(op("quotient")(2.0, x), x), "f64[n]"),
    ],
    "mul_by_quotient_of_itself": [
        e(lambda a, b: mul(div(a, a), b), "f64; f64[n]"), e(lambda a, b: mul(b, div(a, a)), "f64; f64[n]"),
    ],
    "mul_quotient": [
        e(lambda x: mul(3.0, div(2.0, x))),
        e(lambda x, y: mul(x, div(1.0, y))),
        e(lambda x, y: mul(div(-1.0, x), y)),
        e(lambda x, y: mul(x, op("quotient")(1.0, y))),
    ],
    "mul_negated": [e(lambda x, y: mul(neg(x), y)), e(lambda x, y: mul(x, neg(y)))],
    "div_literals": [e(lambda x: div(x, 1.0)), e(lambda x: div(x, -1.0)), e(lambda x: div(mul(3.0, x), 2.0))],
    "div_by_itself": [e(lambda x: div(x, x)), e(lambda x: div(x, x), "f64[n]", "f32[n, m]")],
    "div_by_scaled": [e(lambda x: div(3.0, mul(2.0, x)))],
    "div_scaled": [
        e(lambda s, x, t: div(mul(s, x), t), "f64; f64[n]; f64", "float; f64[n]; float", "f32; f32[n]; f32")
    ],
    "div_negated": [e(lambda x, y: div(neg(x), y)), e(lambda x, y: div(x, neg(y)))],
    "pow_literals": [e(lambda x: pow_(x, 1)), e(lambda x: pow_(x, 2))],
    # complex numbers
    "without_complex": [
        e(term, "float; complex", "f64[n]; c128[n]", "f64[n]; c128", "f64; c128[n]")
        for f in (add, sub, mul)
        for term in (
            lambda x, z, f=f: f(as_complex(x), z),
            lambda x, z, f=f: f(z, as_complex(x)),
            lambda x, z, f=f: f(Lit(2.5 + 0j), z),
        )
    ],
    "real_of_complex": [e(lambda x: op("real")(as_complex(x)), "float", "f64", "f64[n]")],
    "complex_literal": [e(lambda x: op("complex")(1.5), "float"), e(lambda x: op("complex")(1.5, -2.0), "float")],
    "complex_factor": [
        e(lambda x: mul(Lit(2j), 3.0), "float"),
        e(lambda z: mul(Lit(1 + 0j), z), "complex", "c128", "c128[n]"),
    ],
    "conjugate_over_modulus": [
        e(lambda z: mul(op("quotient")(op("conj")(z), r := op("abs")(z), edge=0.0), r), "c128[n]", "complex", "c128"),
        e(lambda z: mul(mul(2.0, r := op("abs")(z)), op("quotient")(op("conj")(z), r, edge=0.0)), "c128[n]"),
    ],
    # shapes
    "expand_scalar": [e(lambda x, y: expand_like(x, y))],
    "mul_expanded": [e(lambda x, y: mul(expand_like(sum_(x), x), y)), e(lambda x, y: mul(y, expand_like(sum_(x), x)))],
    "mul_scalar_expanded": [e(lambda s, x: mul(s, expand_like(s, x)), "f64; f64[n]", "float; f64[n]", "f32; f32[n]")],
    "where_expanded": [
        e(lambda s, x: where(lt(x, 0.5), expand_like(s, x), 0.0), "f64; f64[n]", "f32; f32[n]", "f64; f64[0]"),
        e(lambda s, x: where(lt(x, 0.5), x, expand_like(s, x)), "f64; f64[n]", "f64; f64[m, n]"),
    ],
    "add_expanded": [e(lambda x, y: add(expand_like(sum_(x), x), y)), e(lambda x, y: add(y, expand_like(sum_(x), x)))],
    "sub_expanded": [e(lambda x, y: sub(expand_like(sum_(x), x), y)), e(lambda x, y: sub(y, expand_like(sum_(x), x)))],
    "div_expanded": [
        e(lambda x, y: div(expand_like(sum_(x), x), y)),
        e(lambda x, y: div(expand_like(sum_(x, axis=1), x, axis=1), y), "f64[m, n]; f64[m, n]"),
    ],
    "sum_negated": [e(lambda x: sum_(neg(x))), e(lambda x: sum_(neg(x), axis=0), "f64[n]", "f64[m, n]")],
    "transpose_twice": [
        e(lambda x: transpose(transpose(x)), "f64[m, n]", "f64[m, n, k]"),
        e(lambda x: transpose(transpose(x, axes=(1, 2, 0)), axes=(2, 0, 1)), "f64[m, n, k]"),
    ],
    "reshape_twice": [e(lambda x: op("reshape")(op("reshape")(x, 3, 2), 6), "f64[2, 3]", "f64[6]")],
    "unchanged": [
        e(lambda x: op("reshape")(x, 6), "f64[6]"),
        e(lambda x: op("ravel")(x), "f64[n]"),
        e(lambda x: astype(x, dtype="f64"), "f64[n]"),
        e(lambda x: op("float")(x), "float"),
        e(lambda x: op("broadcast_to")(x, 6), "f64[6]"),
        e(lambda x: squeeze(x), "f64[6]"),
    ],
    # elements
    "add_at_zeros": [
        e(lambda x: add_at(x, 0.0, 0, **I), "f64[3]"),
        e(lambda x: add_at(zeros_of(x), x, None, None, **ALL), "f64[n]"),
        e(lambda x, v: add_at(zeros_of(x), v, 1, **I), "f64[3]; f64", "f32[3]; f32"),
        e(lambda x, v: add_at(store(zeros_of(x), v, 0, **I), v, 1, **I), "f64[3]; f64"),
    ],
    "add_at_filled": [
        e(lambda x, v: add_at(x, expand_like(v, x), None, None, **ALL), "f64[n]; f64", "f32[n]; f32"),
        e(lambda x, y, v: add_at(x, index(expand_like(v, y), None, None, **ALL), None, None, **ALL),
          "f64[n]; f64[n]; f64", "f32[n]; f32[n]; f32"),
        e(lambda x, v: add_at(x, index(store(x, v, None, None, **ALL), None, None, **ALL), None, None, **ALL),
          "f64[n]; f64"),
    ],
    "store_filled": [e(lambda x, v: store(x, expand_like(v, x), None, None, **ALL), "f64[n]; f64", "f32[n]; f32")],
    "write_of_product": [
        *(e(lambda x, w, v, write=write: write(x, mul(expand_like(v, x), w), None, None, **ALL),
            "f64[n, m]; f64[m]; f64", "f64[n, m]; f64[n, 1]; f64", "f32[n, m]; f32[m]; f32")
          for write in (add_at, store)),
        *(e(lambda x, v, write=write: write(x, mul(1.0, v), 0, **I), "f64[3]; real") for write in (add_at, store)),
        unchanged(lambda x, v: add_at(x, mul(1.0, v), 0, **I), "f32[3]; real"),
    ],
    "store_full": [
        e(lambda x, y: store(x, y, None, None, **ALL), *ARRAYS),
        e(lambda x: store(zeros_of(x), 0.0, 1, **I), "f64[3]"),
        e(lambda x, v: store(store(zeros_of(x), v, 0, 1, key=("s000", "i", "i")), 0.0, 0, 0, key=("s000", "i", "i")),
          "f64[n, 2, 2]; f64[n]"),
        unchanged(lambda x, v: store(store(zeros_of(x), v, 0, 1, key=("s000", "i", "i")), 0.0, 0, key=("i",)),
                  "f64[2, 2, 2]; f64[2]"),
    ],
    "unbroadcast_part": [
        e(lambda x, y: op("unbroadcast_like")(index(x, 1, 2, key=("s110",)), index(y, 1, 2, key=("s110",))),
          "f64[n]; f64[n]", "f64[n, m]; f64[n, m]"),
        unchanged(lambda x, y: op("unbroadcast_like")(index(x, 0, 2, key=("s110",)), index(y, 1, 2, key=("s110",))),
                  "f64[n]; f64[n]"),
    ],
    "index_stored": [
        e(lambda x, v: index(store(x, v, 1, **I), 1, **I), "f64[3]; f64"),
        e(lambda x, v: index(add_at(x, v, 1, **I), 2, **I), "f64[3]; f64"),
        e(lambda x: index(x, None, None, **ALL), "f64[n]"),
    ],
    "add_at_full": [e(lambda x, v: add_at(x, v, None, None, **ALL), "f64[n]; f64[n]")],
    "sub_scattered": [e(lambda x, v: sub(store(zeros_of(x), v, 1, **I), x), "f64[3]; f64")],
    "add_scattered": [
        e(lambda x, v: add(x, store(zeros_of(x), v, 1, **I)), "f64[3]; f64", "f32[3]; f32"),
        e(lambda x, v: add(add_at(zeros_of(x), v, 1, **I), x), "f64[3]; f64"),
    ],
    # axes
    "add_at_new_axes": [
        e(lambda x, v: add_at(x, v, None, None, key=("s000", "n")), "f64[n]; f64[n, 1]"),
        e(lambda x, v: add_at(x, v, 0, key=("e", "i")), "f64[n, 1]; f64[n]"),
    ],
    "add_at_expanded": [
        e(lambda x, v: add_at(x, expand_dims(v, axis=1), 1, None, key=("s100", "n")), "f64[3]; f64[2]"),
        e(lambda x, v: add_at(x, expand_dims(v, axis=(0, 2)), 1, key=("n", "s000", "n", "s100")),
          "f64[n, 3]; f64[n, 2]"),
    ],
    "store_new_axes": [e(lambda x, v: store(x, v, key=("s000", "n")), "f64[n]; f64[n, 1]")],
    "squeeze_kept": [
        e(lambda x: squeeze(sum_(x, axis=1, keepdims=True), axis=1), "f64[m, n]"),
        e(lambda x: squeeze(expand_dims(x, axis=1), axis=1), "f64[m, n]", "f64[n]"),
        e(lambda x: squeeze(neg(sum_(x, axis=1, keepdims=True)), axis=1), "f64[m, n]"),
    ],
    # casts
    "multiply_by_one": [e(lambda x: mul(1.0, x), "ri64[n]", "rint", "ri64", "i64[n]")],
    "multiply_any_by_one": [e(lambda x: mul(1.0, x), "any_real")],
    "keep_number": [e(lambda x, y: OPS["number_like"](mul(x, 2.0), y), "float; float", "float; f64", "f64; float",
                      "f64; f64", "f64; f32")],
    "expand_like_floats": [e(lambda ct, x: expand_like(ct, astype(x, dtype="f64"), axis=0), "f64[n]; ri64[m, n]")],
    "shape_alone": [
        e(lambda x: op("dim")(astype(x, dtype="f64"), axis=0), "i64[n]"),
        e(lambda x: op("size")(astype(x, dtype="f64")), "i64[m, n]"),
        e(lambda x: zeros_of(astype(x, dtype="f64")), "i64[n]"),
        e(lambda x, y: op("reshape_like")(y, astype(x, dtype="f64")), "i64[n]; f64[n]"),
        e(lambda x, y: op("unbroadcast_like")(y, astype(x, dtype="f64")), "i64[n]; f64[m, n]"),
    ],
    # lists
    "index_new_item": [
        e(lambda xs, v: index(append(xs, v), -1, **I), "list[float]; float"),
        e(lambda v: index(repeat(v, 3), 1, **I), "float"),
        e(lambda v, w: index(list_of(v, w), 1, **I), "float; float"),
    ],
    "zeros_of_no_items": [e(lambda x: zeros_of(list_of(elem=x.type)), "float")],
    "remove_appended": [e(lambda xs, v: op("remove_at")(append(xs, v), -1), "list[float]; float")],
    "append_removed": [e(lambda xs: append(op("remove_at")(xs, -1), index(xs, -1, **I)), "list[float]")],
    "store_to_appended": [e(lambda xs, v: store(append(xs, v), mul(v, 2.0), -1, **I), "list[float]; float")],
    "add_to_appended": [e(lambda xs, v: add_at(append(xs, 0.0), v, -1, **I), "list[float]; float")],
    "add_zero_lists": [
        e(lambda xs: op("add_lists")(xs, zeros_of(xs)), "list[float]"),
        e(lambda xs, v: op("add_lists")(xs, add_at(zeros_of(xs), v, 1, **I)), "list[float]; float"),
        e(lambda xs, v: op("add_lists")(xs, repeat(v, 3)), "list[float]; float"),
    ],
    # masks
    "or_same": [
        e(lambda c: logical_or(c, c), "b1[n]"),
        e(lambda c, d: logical_or(logical_or(c, d), d), "b1[n]; b1[n]"),
    ],
    "where_same": [e(lambda c, x: where(c, x, x), "b1[n]; f64[n]", "bool; float")],
    "where_decided": [
        e(lambda x, y: where(True, x, y), "f64[n]; f64[n]", "float; float"),
        e(lambda x, y: where(False, x, y), "f64[n]; f64[n]", "float; float")],
    "is_none_of_number": [e(lambda x: op("is_none")(x), "f64[n]", "float")],
    "unwrap_number": [e(lambda x: op("unwrap")(x), "f64[n]", "float")],
    "where_masked": [
        e(lambda c, x, y: where(c, where(c, x, y), y), "b1[n]; f64[n]; f64[n]", "bool; float; float"),
        e(lambda c, x, y: where(c, x, where(c, y, x)), "b1[n]; f64[n]; f64[n]", "b1[n]; f32[n]; f32[n]"),
    ],
    "where_not": [e(lambda c, x, y: where(logical_not(c), x, y), "b1[n]; f64[n]; f64[n]", "b1[m, n]; f64[n]; f64")],
    "where_written": [e(lambda c, x, y: where(c, store(x, 2.0, c, **M), y), "b1[n]; f64[n]; f64[n]")],
    "add_at_masked": [e(lambda c, x: add_at(where(c, 0.0, x), 2.0, c, **M), "b1[n]; f64[n]", "b1[n]; f32[n]")],
    # matrices
    "matmul_negated": [
        e(lambda a, b: matmul(neg(a), b), "f64[m, n]; f64[n, k]", "f64[n]; f64[n]"),
        e(lambda a, b: matmul(a, neg(b)), "f64[m, n]; f64[n, k]", "f32[m, n]; f32[n]"),
    ],
    "outer_negated": [e(lambda a, b: op("outer")(neg(a), b), *ARRAYS), e(lambda a, b: op("outer")(a, neg(b)), *ARRAYS)],
    "outer_scaled": [
        e(lambda c, x, y: mul(c, op("outer")(x, y)),
          "f64; f64[n]; f64[m]", "float; f32[n]; f32[m]", "f32; f32[n]; f32[0]"),
    ],
    "column_scaled": [
        e(lambda c, x, y: mul(c, matmul(x, y)), "f64; f64[n, 1]; f64[1, m]", "float; f32[n, 1]; f32[1, m]"),
        unchanged(lambda c, x, y: mul(c, matmul(x, y)), "f64; f64[n, k]; f64[k, m]"),
    ],
    "matrix_scaled": [
        e(lambda c, a, x: matmul(op("transpose")(mul(c, a)), x), "f64; f64[m, n]; f64[m]", "float; f32[m, n]; f32[m]"),
        e(lambda c, a, x: matmul(x, mul(a, c)), "f64; f64[m, n]; f64[m]", "float; f32[m, n]; f32[m]"),
        unchanged(lambda c, a, x: matmul(x, mul(a, c)), "f64; f64[m, n]; f64[k, m]", "f64; f32[m, n]; f32[m]",
                  "f64; f64[n]; f64[n]"),
    ],
    "add_outer_products": [
        e(lambda x, y, z, w: add(op("outer")(x, y), op("outer")(z, w)), "f64[n]; f64[m]; f64[n]; f64[m]",
          "f32[n]; f32[m]; f32[n]; f32[m]", "f64[0]; f64[m]; f64[0]; f64[m]"),
        e(lambda x, y, z: sub(op("outer")(x, y), op("outer")(z, y)), "f64[n]; f64[m]; f64[n]"),
        e(lambda x, y, z: add(matmul(transpose(rows(x, z)), rows(y, y)), op("outer")(x, x)), "f64[n]; f64[n]; f64[n]"),
    ],
    "solve_negated": [e(lambda a, b: op("solve")(a, neg(b)), "f64[n, n]; f64[n]")],
    "diagonal_of_product": [
        e(lambda a, b: op("diag")(matmul(a, b), k=0), "f64[n, m]; f64[m, n]", "f32[n, n]; f32[n, n]"),
        e(lambda a, b: op("diagonal")(matmul(a, b)), "f64[n, m]; f64[m, n]"),
    ],
    "diagonal_of_outer": [
        e(lambda a, b: op("diagonal")(op("outer")(a, b)), "f64[n]; f64[n]", "f32[n]; f32[n]", "f64[0]; f64[0]"),
        e(lambda a, b: op("diag")(op("outer")(a, b), k=0), "f64[n]; f64[n]"),
    ],
    "diagonal_negated": [
        e(lambda a: op("diagonal")(neg(a)), "f64[n, n]", "f32[n, n]"),
        e(lambda a: op("diag")(neg(a), k=0), "f64[n, n]"),
    ],
    "eigen_sum_as_product": [
        e(op("eigen_sum"), "f64[n]; f64[n]; f64[n, n]; f64[n, n]", "f64[k, n]; f64[k, n]; f64[k, n, n]; f64[k, n, n]"),
    ],
    "singular_sum_as_product": [
        e(op("singular_sum"), "f64[n]; f64[n]; f64[n, n]; f64[n, n]; f64[n, n]",
          "float; f64[k, n]; f64[k, m, n]; f64[k, n, n]; f64[k, m, n]"),
    ],
    "matmul_identity": [
        e(lambda b: matmul(op("eye")(3), b), "f64[3, n]"),
        e(lambda b: matmul(b, op("eye")(3)), "f64[n, 3]"),
        e(lambda c, b: matmul(mul(c, op("eye")(3)), b), "float; f64[3, n]"),
    ],
    "matmul_filled": [
        e(lambda a, g, x: matmul(a, expand_like(g, x)), "f64[m, n]; f64; f64[n]", "f64[n]; f64; f64[n]"),
        e(lambda b, g, x: matmul(expand_like(g, x), b), "f64[n, k]; f64; f64[n]"),
    ],
    "mul_det": [
        e(lambda c, a, b: mul(mul(div(c, d := op("det")(a)), d), b), "f64; f64[n, n]; f64[n, n]"),
    ],
    "mul_sign": [
        e(lambda c, x: mul(mul(c, op("abs")(x)), op("sign")(x))),
        e(lambda c, x: mul(op("sign")(x), mul(2.0, mul(op("fabs")(x), c)))),
        e(lambda c, d, x: mul(mul(c, op("abs")(x)), mul(d, op("sign")(x))), "f64[n]; f64[n]; f64[n]",
          "float; float; float"),
    ],
    "mul_modulus": [
        e(lambda c, x: mul(mul(c, y := op("hypot")(x, x)), op("quotient")(x, y, edge=0.0))),
        e(lambda x: mul(y := op("abs")(z := as_complex(x)), op("quotient")(op("conj")(z), y, edge=0.0))),
        e(lambda c, d, x: mul(mul(op("quotient")(x, y := op("hypot")(x, x), edge=0.0), d), mul(c, y)),
          "f64[n]; f64[n]; f64[n]", "float; float; float"),
    ],
    "mul_norm": [
        e(lambda c, x: mul(op("quotient")(mul(c, y := op("norm")(x)), y), x), "f64; f64[n]", "float; f64[n]"),
        e(lambda c, x: mul(x, op("expand_dims")(op("quotient")(mul(c, y := op("norm")(x, axis=1)), y, edge=0.0),
                                                axis=1)), "f64; f64[m, n]", "float; f64[m, n]", "f64[m]; f64[m, n]"),
        e(lambda c, x: mul(op("quotient")(mul(c, y := op("norm")(z := as_complex(x))), y, edge=0.0), op("conj")(z)),
          "f64; f64[n]"),
    ],
    "swapaxes_twice": [e(lambda x: op("swapaxes")(op("swapaxes")(x, a=0, b=1), a=0, b=1), "f64[m, n]", "f64[m, n, k]")],
    # those of later phases
    "negate_difference": [e(lambda x, y: neg(sub(x, y))), e(lambda x: neg(mul(2.0, x)))],
    "add_products": [e(lambda x, y: add(mul(x, y), mul(y, 2.0)), *ARRAYS, "float; float")],
    "sub_products": [e(lambda x, y: sub(mul(x, y), mul(y, mul(3.0, x))), *ARRAYS, "float; float")],
    "reorder_product": [
        e(lambda x, y: mul(mul(2.0, x), mul(3.0, y)), *ARRAYS, "float; float", "float; f64[n]"),
        e(lambda s, x, t: mul(s, mul(x, t)), "f64; f64[n]; f64"),
        e(lambda x, y, z: mul(mul(2.0, x), div(mul(3.0, y), z)), "f64[n]; f64[n]; f64[n]"),
        e(lambda x, y: mul(mul(2.0, x), div(0.5, y)), "f64[n]; f64[n]", "float; float"),
    ],
    "divide_product": [e(lambda x, y: div(mul(mul(3.0, x), y), 2.0), *ARRAYS, "float; float", "float; f64[n]")],
    "present_product": [e(lambda s, x, t: mul(s, mul(x, t)), "float; float; float", "f64; f64[n]; f64[n]")],
    "dot_product": [e(lambda x, y: sum_(mul(x, y)), *ARRAYS)],
    "logistic": [
        e(lambda x, y: exp(sub(x, logaddexp(x, y))), *ARRAYS),
        e(lambda x, y: exp(sub(y, logaddexp(x, y))), *ARRAYS),
    ],
    "transpose_product": [
        e(lambda a, b: transpose(matmul(transpose(a), b)), "f64[n, m]; f64[n, k]"),
        e(lambda a, b: transpose(matmul(a, transpose(b))), "f64[n, m]; f64[k, m]"),
        e(lambda a: transpose(neg(a)), "f64[n, m]"),
        e(
            lambda a, b: op("swapaxes")(matmul(op("swapaxes")(a, a=1, b=2), b), a=2, b=1),
            "f64[2, n, m]; f64[2, n, k]",
        ),
    ],
    "update_of_row": [
        e(lambda xs, g: store(xs, add_at(index(xs, 1, **I), g, 2, **I), 1, **I), "list[list[float]]; float"),
        e(lambda xs, g: store(xs, store(add_at(index(xs, 1, **I), g, 0, **I), 0.5, 2, **I), 1, **I),
          "list[list[float]]; float")],
    "add_through_view": [
        e(
            lambda x, v: add_at(x, store(zeros_of(index(x, 1, None, key=("s100",))), v, 0, **I), 1, key=("s100",)),
            "f64[3]; f64",
        ),
    ],
    "add_before_zeroing": [
        e(lambda x: add_at(store(x, 0.0, 0, **I), index(x, 0, **I), 1, **I), "f64[3]", "f32[3]"),
    ],
    "add_to_chain": [
        e(lambda x, v: add(add_at(store(zeros_of(x), v, 1, **I), v, 0, **I), where(op("gt")(x, 0.0), x, 0.0)),
          "f64[3]; f64", "f32[3]; f32"),
    ],
    "flip_as_slice": [e(lambda x: op("flip")(x), "f64[n]", "f64[0]", "f32[n]")],
    "sum_einsum": [
        e(lambda x, y: sum_(op("einsum")(x, y, subscripts="nki,kij->nkj"), axis=0), "f64[m, n, k]; f64[n, k, 3]"),
        e(lambda x, y: sum_(op("einsum")(x, y, subscripts="ij,jk->ik"), axis=1), "f64[m, n]; f64[n, k]"),
    ],
    "tensordot_of_part": [
        e(lambda x, y: op("tensordot")(index(x, 0, **I), y, axes=((1,), (2,))), "f64[2, n, 3]; f64[k, n, 3]",
          "f32[2, n, 3]; f32[k, n, 3]"),
        e(lambda x, y: op("tensordot")(y, index(x, 0, **I), axes=((0,), (0,))), "f64[2, 3, m]; f64[3, k, m]"),
    ],
    "einsum_as_product": [
        e(lambda x, y: op("einsum")(x, y, subscripts="nki,nkj->kij"), "f64[m, n, k]; f64[m, n, 3]"),
        e(lambda x, y: op("einsum")(x, y, subscripts="bij,bkj->bki"), "f64[m, n, k]; f64[m, 3, k]"),
        e(lambda x, y: op("einsum")(x, y, subscripts="ij,kj->ki"), "f64[m, n]; f64[k, n]"),
    ],
    "add_matrix_products": [
        e(lambda a, x, y: add(matmul(a, x), matmul(a, y)), "f64[n, m]; f64[m, k]; f64[m, k]",
          "f64[n, m]; f64[m]; f64[m]", "f32[n, m]; f32[m]; f32[m]"),
        e(lambda a, x, y: op("sub")(matmul(x, a), matmul(y, a)), "f64[n, m]; f64[n]; f64[n]",
          "f64[3, n, m]; f64[3, k, n]; f64[3, k, n]"),
    ],
    "einsum_as_tensordot": [
        e(lambda x, y: op("einsum")(x, y, subscripts="ni,ijk->njk"), "f64[m, n]; f64[n, 3, 4]"),
        e(lambda x, y: op("einsum")(x, y, subscripts="nij,nk->kij"), "f64[m, n, 3]; f64[m, k]"),
        e(lambda x, y: op("einsum")(x, y, subscripts="iab,jbka->ijk"), "f64[m, n, 3]; f64[k, 3, 2, n]"),
    ],
    "store_again": [
        e(lambda x, v: store(add_at(x, v, 1, **I), v, 1, **I), "f64[3]; f64"),
        e(lambda x, v: store(x, add(index(x, 1, **I), v), 1, **I), "f64[3]; f64"),
    ],
    "add_to_zeroed": [
        e(lambda x, v: add_at(store(x, 0.0, 1, **I), v, 1, **I), "f64[3]; f64"),
        e(lambda x, v: add_at(store(store(x, 0.0, 1, **I), v, 0, **I), v, 1, **I), "f64[3]; f64"),
        e(lambda x: add_at(add_at(store(x, 0.0, 1, **I), v := index(x, 1, **I), 0, **I), v, 1, **I), "f64[3]"),
    ],
    "read_before_writes": [
        e(lambda x: index(store(x, 0.0, 1, **I), 0, **I), "f64[3]"),
        e(lambda x: index(store(store(x, 0.0, 1, **I), 0.0, 2, **I), 0, **I), "f64[3]", "f32[3]"),
    ],
    "read_of_stored": [
        e(lambda x, v, w: index(add_at(store(x, v, 1, **I), w, 2, **I), 1, **I), "f64[3]; f64; f64",
          "f32[3]; f32; f32"),
        e(lambda x, v, w: index(add_at(store(x, v, 0, key=("s000", "i")), w, 1, key=("s000", "i")), 0,
                                key=("s000", "i")), "f64[2, 2]; f64[2]; f64", "f32[2, 2]; f32[2]; f32"),
        unchanged(lambda x, v, w: index(add_at(store(x, v, 0, key=("s000", "i")), w, 1, key=("s000", "i")), 0,
                                        key=("s000", "i")), "f64[2, 2]; f64; f64", "f64[2, 2]; f32[2]; f64"),
        unchanged(lambda x, v, w: index(add_at(store(x, v, 1, **I), w, -2, **I), 1, **I), "f64[3]; f64; f64"),
        unchanged(lambda x, v, w: index(add_at(store(x, v, 1, **I), w, 1, **I), 1, **I), "f64[3]; f64; f64"),
    ],
    "add_of_zeroed": [
        e(lambda x, v: add(v, index(store(x, 0.0, 1, key=("s100",)), 1, key=("s100",))), "f64[3]; f64[2]",
          "f32[3]; f32[2]"),
        e(lambda x, v: add(index(add_at(store(x, 0.0, 1, **I), v, 2, **I), 1, **I), v), "f64[3]; f64"),
        unchanged(lambda x, v: add(v, index(store(x, 0.0, 1, key=("s100",)), 0, key=("s100",))), "f64[3]; f64[3]"),
        unchanged(lambda x, v: add(v, index(store(x, v, 1, key=("s100",)), 1, key=("s100",))), "f64[3]; f64[2]"),
    ],
    "read_of_view": [
        e(lambda x: index(index(x, 1, key=("s100",)), 0, **I), "f64[3]", "f32[3]"),
        e(lambda x: index(index(x, 1, key=("s100",)), 1, key=("s100",)), "f64[3]"),
        e(lambda x: index(index(x, 1, **I), 0, **I), "f64[2, 3]"),
    ],
    "store_of_stored": [
        e(lambda x, v, w: store(add_at(store(x, v, 1, **I), w, 2, **I), v, 1, **I), "f64[3]; f64; f64"),
        unchanged(lambda x, v, w: store(add_at(store(x, v, 1, **I), w, 2, **I), w, 1, **I), "f64[3]; f64; f64"),
    ],
    "add_to_adjacent": [
        e(lambda x, a, g: with_part(with_element(x, a, g, 2), a, g, 2, key=("s010",)), "f64[3]; f64[3]; f64",
          "f32[3]; f32[3]; f32"),
        e(lambda x, a, g: with_element(with_part(x, a, g, 1, key=("s100",)), a, g, 0), "f64[3]; f64[3]; f64"),
        e(lambda x, a, g: with_part(with_element(x, a, g, 1), a, g, 0, 1, key=("s110",)), "f64[3]; f64[3]; f64"),
        e(lambda x, a, g: add_at(add_at(x, neg(mul(index(a, 0, 1, **II), g)), 1, 0, **II),
                                 neg(mul(g, index(a, 1, 1, key=("s100", "i")))), 1, 1, key=("i", "s100")),
          "f64[2, 3]; f64[3, 2]; f64"),
        *(unchanged(lambda x, a, g, k=k, at=at, key=key: with_part(with_element(x, a, g, k), a, g, *at, key=(key,)),
                    "f64[3]; f64[3]; f64")
          for k, at, key in ((-1, (-1,), "s010"), (1, (2, 1), "s110"), (0, (1, -1), "s110"), (2, (1,), "s010"))),
        unchanged(lambda x, a, g: with_part(with_element(x, a, g, 1), x, g, 1, key=("s010",)), "f64[3]; f64[3]; f64"),
    ],
    "add_then_read": [e(lambda x, v: index(add_at(x, v, 1, **I), 1, **I), "f64[3]; f64", "f32[3]; f32")],
    "nested_masks": [
        e(lambda c, d, x: where(c, where(d, x, 0.0), 0.0), "b1[n]; b1[n]; f64[n]", "b1[n]; b1[n]; f32[n]"),
        e(lambda c, d, x: where(c, 0.0, where(d, 0.0, x)), "b1[n]; b1[n]; f64[n]"),
        e(lambda c, d, x: where(c, 0.0, where(d, x, 0.0)), "b1[n]; b1[n]; f64[n]"),
    ],
    "complementary_masks": [
        e(lambda c, x, y: add(where(c, x, 0.0), where(c, 0.0, y)), "b1[n]; f64[n]; f64[n]"),
        e(lambda c, x, y: add(where(c, x, y), where(c, y, 0.0)), "b1[n]; f64[n]; f64[n]"),
    ],
    "add_negated_selection": [e(lambda c, x, y: add(x, where(c, neg(y), 0.0)), "b1[n]; f64[n]; f64[n]")],
    "sub_negated_selection": [e(lambda c, x, y: sub(x, where(c, neg(y), 0.0)), "b1[n]; f64[n]; f64[n]")],
    "sum_negated_selection": [e(lambda c, y: sum_(where(c, neg(y), 0.0)), "b1[n]; f64[n]")],
    "add_negated_selection_at": [e(lambda c, x, y: add_at(x, where(c, neg(y), 0.0), **ALL), "b1[n]; f64[n]; f64[n]")],
    "store_negated_selection": [e(selections_of_both_signs, "b1[n]; f64[n]; f64[n]")],
    "matmul_negated_selection": [
        e(lambda c, x, y: matmul(x, where(c, neg(y), 0.0)), "b1[n]; f64[m, n]; f64[n]"),
        e(lambda c, x, y: matmul(where(c, 0.0, neg(y)), x), "b1[n]; f64[n]; f64[n]"),
    ],
    "add_shared_negation": [e(shared_negation, "f64[n]; f64[n]", "f64[n]; f64")],
    "redundant_mask": [
        e(lambda c, x: where(c, where(c, x, 0.0), 0.0), "b1[n]; f64[n]"),
        e(lambda c, x: where(c, neg(where(c, x, 0.0)), 0.0), "b1[n]; f64[n]"),
        unchanged(lambda c, d, x: where(c, where(d, x, 0.0), 0.0), "b1[n]; bool; f64[n]"),
        e(lambda c, x: where(c, store(zeros_of(x), 2.0, c, **M), 0.0), "b1[n]; f64[n]"),
        unchanged(lambda c, x: where(c, store(neg(x), 2.0, c, **M), 0.0), "b1[n]; f64[n]"),
    ],
    "clear_masked": [e(lambda c, x: hinted(where(c, 0.0, hinted(neg(x)))), "b1[n]; f64[n]", "b1[n]; f32[n]")],
    "decided_comparison": [
        e(lambda k: op("ge")(add(k, 1), k), "int"),
        e(lambda k: op("gt")(k, add(k, 1)), "int"),
        e(lambda k: op("le")(k, add(k, 1)), "int"),
        e(lambda k: lt(add(k, 1), k), "int"),
    ],
    "decided_extremum": [e(lambda k: op("pymax")(add(k, 1), k), "int"), e(lambda k: op("pymin")(add(k, 1), k), "int")],
    # sums of products
    "sum_scaled": [
        e(lambda c, x, y: sum_(mul(mul(c, x), y), axis=0), "float; f64[n, m]; f64[n, m]", "float; f64[n]; f64[m, n]"),
        e(lambda c, x, y: sum_(mul(x, mul(c, y))), "float; f64[n]; f64[n]", "float; f64[n, m]; f64[0, m]"),
        unchanged(lambda c, x, y: sum_(mul(mul(c, x), y)), "f64[n]; f64[n]; f64[n]"),
    ],
    "sum_broadcast_products": [
        e(lambda x, y: sum_(mul(expand_dims(x, axis=2), y), axis=0),
          "f64[n, m]; f64[n, m, k]", "f64[n, m]; f64[m, k]", "f64[0, m]; f64[0, m, k]"),
        e(lambda x, y: sum_(mul(x, expand_dims(y, axis=1)), axis=1), "f64[n, m]; f64[n]", "f64[n, 0]; f64[n]"),
        unchanged(lambda x, y: sum_(mul(x, y), axis=0), "f64[n, m]; f64[n, m]"),
        unchanged(lambda x, y: sum_(mul(expand_dims(x, axis=2), expand_dims(y, axis=(1, 2))), axis=0),
                  "f64[n, m]; f64[n]"),
        e(lambda x, v: sum_(mul(x, v), axis=-1, keepdims=True), "f64[2, n, m]; f64[m]"),
        e(
            lambda x, y: sum_(mul(columns(x), expand_dims(y, axis=1)), axis=0),
            "f64[n, m]; f64[n, k]", "f32[n, m]; f32[n, k]", "f64[n, 0]; f64[n, k]", "f64[0, m]; f64[0, k]",
        ),
        e(lambda x, y: sum_(mul(expand_dims(y, axis=0), columns(x)), axis=1), "f64[n, m]; f64[m, k]"),
        e(lambda x, y: sum_(mul(expand_dims(x, axis=1), y), axis=-1, keepdims=True), "f64[n, m]; f64[k, m]"),
        e(lambda x, v: sum_(mul(x, v), axis=1), "f64[n, m]; f64[m]", "f32[n, m]; f32[m]", "f64[0, m]; f64[m]"),
        e(lambda x, v: sum_(mul(expand_dims(v, axis=1), x), axis=0), "f64[n, m]; f64[n]", "f64[n, m]; f64[m]"),
        unchanged(lambda x, y: sum_(mul(expand_dims(x, axis=3), y), axis=(0, 1)), "f64[m, n, k]; f64[m, n, 1, 2]"),
        e(lambda g, x, y: sum_(mul(expand_like(g, x, axis=1), expand_dims(y, axis=2)), axis=0),
          "f64[n, k]; f64[n, m, k]; f64[n, m]"),
        e(lambda g, y: sum_(mul(expand_dims(g, axis=1), index(y, 1, None, key=("s000", "s100", "n"))), axis=0),
          "f64[n, 2]; f64[n, 3]"),
    ],
    "sum_matrix_products": [
        e(lambda x, s, v: sum_(squeeze(matmul(x, expand_dims(expand_like(s, v), axis=-1)), axis=-1), axis=0),
          "f64[m, 3, n]; f64; f64[m, n]"),
        e(lambda x, y: sum_(matmul(x, y), axis=0), "f64[k, m, n]; f64[k, n, 2]", "f32[k, m, n]; f32[k, n, 2]"),
        e(lambda x, y: sum_(matmul(op("swapaxes")(x, a=-1, b=-2), y), axis=0), "f64[m, n, 3]; f64[m, n, 2]",
          "f64[0, n, 3]; f64[0, n, 2]", "f64[m, 0, 3]; f64[m, 0, 2]"),
        e(lambda x, y: sum_(matmul(x, op("swapaxes")(y, a=1, b=2)), axis=0), "f64[m, 3, n]; f64[m, 2, n]"),
        e(lambda x, y: sum_(matmul(x, y), axis=(0, 1)), "f64[2, k, m, n]; f64[2, k, n, 2]"),
        e(lambda x, v: sum_(squeeze(matmul(op("swapaxes")(x, a=-1, b=-2), expand_dims(v, axis=-1)), axis=-1), axis=0),
          "f64[m, n, 3]; f64[m, n]"),
    ],
    # sizes of params
    "dim_of_param": [e(lambda x: op("dim")(mul(x, 2.0), axis=0), "f64[n]", "f64[m, n]")],
    "dim_of_list": [
        e(lambda a, b: op("dim")(op("list_of")(a, b)), "float; float", "f64[n]; f64[n]"),
        e(lambda a, b: op("dim")(op("store")(op("list_of")(a, b, a), b, 1, key=("i",))), "float; float"),
    ],
    "size_of_param": [e(lambda x: op("size")(mul(x, 2.0)), "f64[n]", "f64[m, n]")],
    "expand_like_param": [e(lambda s, x: expand_like(s, mul(x, 2.0)), "f64; f64[n]", "f64; f64[m, n]")],
    "ones_of_size": [e(lambda x: expand_like(1.0, mul(x, 2.0)), "f64[n]", "f64[m, n]", "f32[n]")],
    "full_like_ints": [e(lambda s, x: expand_like(s, astype(x, dtype="f64")), "f64; ri64[n]")],
    "zeros_of_size": [
        e(lambda x: zeros_of(mul(x, 2.0)), "f64[n]", "f32[n]"),
        e(lambda x: zeros_of(sum_(x, axis=0)), "f64[m, n]"),
    ],
    "add_in_branch": [
        e(lambda c, x, v: add_at(x, if_(c, lambda: Lit(0.0), lambda: mul(v, 2.0)), 1, **I), "bool; f64[3]; float")
    ],
}


# --- both sides -----------------------------------------------------------------------------------


@dataclass
class Sides:
    """The term and what a rule makes of it, as functions; `all` has every value of the term."""

    before: Fn
    after: Fn
    all: Fn


def rewritten(rule: Rule, name: str, example: Example, types: tuple[str, ...]) -> Sides | None:
    """Both sides for operands of these types; None where the rule does not apply."""
    params = [Value(type_of(t), f"p{k}") for k, t in enumerate(types)]
    try:
        with Builder(primal=False) as b:
            result = example.term(*params)
    except TypeMismatch:
        return None
    at = next((k for k, q in reversed([*enumerate(b.eqns)]) if q.op.name == name), None)
    if at is None:
        return None
    eqn, before = b.eqns[at], Fn("before", tuple(params), tuple(b.eqns), (result,))
    site = Site(before)
    site.eqn = eqn
    with Builder(primal=False) as inner:
        for q in before.eqns[:at]:
            inner.add(q)
        if rule.apply not in driver.applicable(rule.phase, name, eqn.args):
            return None
        made = rule.apply(*(() if rule.phase == "build" else (site,)), *eqn.args, **eqn.attrs)
    if made is None:
        return None
    made = made if isinstance(made, (Value, Lit)) else Lit(made)
    if not driver._same_type(made.type, eqn.out.type):
        return None
    everything = Fn("all", before.params, before.eqns, tuple(o for q in before.eqns for o in q.outs))
    after = before.replace(name="after", eqns=(*inner.eqns, *before.eqns[at + 1:]))
    return Sides(before, rebuild(after, {eqn.out: made}), everything)


def operand(t: Any, sizes: dict[str, int], rng: Any, special: bool) -> Any:
    if isinstance(t, List):
        return [operand(t.elem, sizes, rng, special) for _ in range(3)]
    assert isinstance(t, Tensor)
    shape = tuple(d.value if d.value is not None else sizes[str(d)] for d in t.shape)
    dtype = t.dtype.lstrip("r") if t.dtype not in ("real", "rint", "float", "int", "bool") else t.dtype
    if t.kind == "b":
        v = rng.integers(2, size=shape).astype(bool)
    elif t.kind == "c":
        v = np.empty(shape, complex)
        v.real, v.imag = (rng.choice(SPECIAL, size=shape) if special else rng.normal(size=shape) for _ in "ri")
        v = np.asarray(v, np.complex64 if dtype == "c64" else complex)
    elif "i" in dtype:
        v = rng.integers(-2, 4, size=shape)
    else:
        v = rng.choice(SPECIAL, size=shape) if special else rng.normal(size=shape)
        v = np.asarray(v, {"f32": np.float32}.get(dtype, np.float64))
    if t.is_array:
        return np.asarray(v)
    return v[()] if t.carrier == "np" else np.asarray(v)[()].item()


def disagreement(sides: Sides, rule: Rule) -> str:
    """A point at which the two sides differ, as text; empty if there is none."""
    rng, when = np.random.default_rng(0), rule.when
    for sizes in SIZES:
        for draw in range(DRAWS):
            args = [operand(p.type, sizes, rng, draw % 3 > 0) for p in sides.before.params]
            try:
                (want,) = run(sides.before, args)
            except (ArithmeticError, np.linalg.LinAlgError, IndexError, TypeError, ValueError):
                continue  # what the term does not compute, nothing has to agree with
            if when == "finite" and not all(np.all(np.isfinite(v)) for v in values_of([*args, *run(sides.all, args)])):
                continue
            (got,) = run(sides.after, args)
            if not agree(got, want):
                return f"{args}: {want!r} before, {got!r} after"
    return ""


def values_of(x: Any) -> Iterator[Any]:
    if isinstance(x, list):
        for v in x:
            yield from values_of(v)
    else:
        yield x


def agree(got: Any, want: Any) -> bool:
    if isinstance(want, list):
        return isinstance(got, list) and len(got) == len(want) and all(map(agree, got, want))
    single = any(getattr(v, "dtype", None) == np.float32 for v in (got, want))
    same = np.shape(got) == np.shape(want) and getattr(got, "dtype", None) == getattr(want, "dtype", None)
    return same and bool(np.allclose(got, want, rtol=1e-5 if single else 1e-12, atol=1e-15, equal_nan=True))


Entry = tuple[str, Rule]


def table() -> list[Entry]:
    """(op, rule) of all rules but those of casts that NumPy does itself."""
    return [(op, r) for r in RULES for op in r.ops if r.apply.__name__ != "without_cast"]


def named(entry: Entry) -> str:
    return f"{entry[1].apply.__name__}-{entry[0]}"


def all_sides(entry: Entry) -> list[Sides]:
    name, rule = entry
    examples = EXAMPLES.get(rule.apply.__name__, ())
    sides = (rewritten(rule, name, ex, types) for ex in examples for types in ex.signatures())
    return [s for s in sides if s is not None]


@pytest.mark.parametrize("entry", table(), ids=named)
def test_both_sides_agree(entry: Entry) -> None:
    sides = all_sides(entry)
    assert sides, "no example of this rule: give it one"
    for pair in sides:
        fault = disagreement(pair, entry[1])
        assert not fault, f"{show(pair.before)}\n{show(pair.after)}\n{fault}"


OTHERS = {
    "f64": ("float", "rint", "f64", "f64[()]", "f64[1]", "any_real"),
    "f32": ("f32", "f32[()]", "f32[1]", "any_real"),
    "b1": ("bool", "b1[()]", "b1[1]"),
    "i64": ("i64", "i64[()]"),
    "ri64": ("rint", "ri64", "ri64[()]"),
    "float": ("rint", "f64", "any_real"),
}


def with_others(example: Example) -> Iterator[tuple[str, ...]]:
    """The types of the example where one or all of its operands are numbers, or arrays that broadcast."""
    for types in example.signatures():
        for k, t in enumerate(types):
            for other in OTHERS.get(t.partition("[")[0], ()):
                yield (*types[:k], other, *types[k + 1 :])
        yield tuple(OTHERS.get(t.partition("[")[0], (t,))[0] for t in types)


@pytest.mark.parametrize("entry", table(), ids=named)
def test_numbers_in_place_of_arrays(entry: Entry) -> None:
    name, rule = entry
    for ex in EXAMPLES[rule.apply.__name__]:
        for types in dict.fromkeys(with_others(ex)):
            if (pair := rewritten(rule, name, ex, types)) is not None:
                fault = disagreement(pair, entry[1])
                assert not fault, f"{show(pair.before)}\n{show(pair.after)}\n{fault}"


UNSIGNED = ("zeros_of",)  # zero: no sign to plant


def wrong(sides: Sides) -> Sides:
    """The sides with a wrong sign, or a wrong truth, or an item too many, after the rule."""
    after = sides.after
    (result,) = after.results
    with Builder(primal=False) as b:
        t = result.type
        if isinstance(t, List):
            planted = append(result, index(result, 0, **I) if isinstance(t.elem, List) else 1.0)
        else:
            planted = logical_not(result) if t.kind == "b" else neg(result)
    return Sides(sides.before, Fn("wrong", after.params, (*after.eqns, *b.eqns), (planted,)), sides.all)


@pytest.mark.parametrize("entry", [t for t in table() if t[0] not in UNSIGNED], ids=named)
def test_a_planted_sign_is_found(entry: Entry) -> None:
    assert any(disagreement(wrong(sides), entry[1]) for sides in all_sides(entry))


# --- casts ------------------------------------------------------------------------------------------


def cast_terms(name: str) -> Iterator[tuple[Example, tuple[str, ...]]]:
    """The op of ints that are cast to floats, and of floats."""
    f = OPS[name]
    for types in ("i64[n]",), ("i64[n]", "f64[n]"), ("f64[n]", "i64[n]"), ("i64[n]", "f64"), ("i64[m, n]", "f64[n]"):

        def term(*args: Any) -> Any:
            return f(*(astype(a, dtype="f64") if a.type.dtype == "i64" else a for a in args))

        yield Example(term), types


CASTS = [(op, r) for r in RULES for op in r.ops if r.apply.__name__ == "without_cast"]


@pytest.mark.filterwarnings("ignore:Mean of empty slice")
def test_casts_that_numpy_does_itself() -> None:
    """f(x.astype(float), y) and f(x, y), for every elementwise op that has a rule and takes such operands."""
    fired = Counter()
    for entry in CASTS:
        for example, types in cast_terms(entry[0]):
            try:
                sides = rewritten(entry[1], entry[0], example, types)
            except TypeError:
                continue  # of another number of operands
            if sides is not None:
                fired[entry[0]] += 1
                fault = disagreement(sides, entry[1])
                assert not fault, f"{show(sides.before)}\n{show(sides.after)}\n{fault}"
    assert len(fired) >= len(CASTS) // 2, sorted(fired)


def test_an_example_is_of_a_rule() -> None:
    assert set(EXAMPLES) == {entry[1].apply.__name__ for entry in table()}


def test_rules_apply_to_their_examples_and_to_no_others() -> None:
    entries = table()
    for name, examples in EXAMPLES.items():
        of = [(op, rule) for op, rule in entries if rule.apply.__name__ == name]
        applies = [any(rewritten(rule, op, ex, types) is not None for op, rule in of for types in ex.signatures())
                   for ex in examples]
        assert applies == [ex.applies for ex in examples], name
