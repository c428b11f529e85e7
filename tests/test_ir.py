"""The IR: its text, its verifier and its interpreter."""

import math

import numpy as np
import pytest

from sct.ir import check, text
from sct.ir.check import IRError, verify
from sct.ir.core import Eqn, Fn, Lit, Value, undef
from sct.ir.dims import RAGGED, sym
from sct.ir.interp import run
from sct.ir.pytrees.pytree import Const, Leaf, Node
from sct.ir.types import (
    ANY_REAL,
    BOOL,
    FLOAT,
    INT,
    REAL,
    List,
    Optional,
    Seq,
    Tensor,
    Type,
    Undef,
    array,
    base_type,
    holds_array,
    leaf_type,
    list_depth,
    map_leaf,
    map_sizes,
    py,
)
from sct.ops import BY_CALL, OPS


def read(source: str) -> Fn:
    return text.read(source, OPS, BY_CALL)


LOOP = """
def f(x: f64[n], y: float, n: int(n)) -> float:
    q: float = operator.add(y, 2.0)
    def body(i: int, s: any_real, dead: float) -> tuple[bool, any_real, float, float]:
        e: f64 = index(x, at[i])
        c: any_bool = lt(s, y)
        def then() -> float:
            a: float = math.sin(q)
            return a
        def orelse() -> float:
            return -0.0
        r: float = cond(c, then=then, orelse=orelse)
        s_1: any_real = adj.add(s, r)
        d: float = mul(dead, 2.0)
        return True, s_1, d, r
    z, last, count, rs = loop[any_real, float, int, seq[float]](0, n, 1, 0.0, 1.0, body=body, carries=2, counted=True)
    total: f64 = ndarray.sum(x, axis=0)
    part: f64[n - 2] = index(x, at[1:-1])
    print_(total, 'hi', sep=',')
    return z, part, nan, -inf
"""

WHILE = """
def f(a: float, limit: int) -> float:
    def test(s: float, k: int) -> bool:
        t: bool = lt(k, limit)
        return t
    def body(s: float, k: int) -> tuple[bool, float, int, int]:
        k_1: int = operator.add(k, 1)
        s_1: float = mul(s, a)
        go: bool = lt(s_1, 100.0)
        return go, s_1, k_1, k
    r, last, iterations, ks = loop[float, int, int, seq[int]](1.0, 0, test=test, body=body, carries=2, tested=True)
    def back(i: int, t: float, k: int) -> tuple[bool, float, float]:
        f: float = mul(k, 1.0)
        u: float = add(t, f)
        return True, u, f
    t, k, fs = loop[float, int, seq[float]](0, iterations, 1, 0.0, ks, body=back, carries=1, counted=True, reverse=True)
    return r, last, iterations, t
"""


@pytest.mark.parametrize("source", [LOOP, WHILE])
def test_text_round_trip(source):
    fn = verify(read(source))
    shown = text.show(fn)
    again = read(shown)
    assert text.show(again) == shown
    assert text.same(fn, again)


def test_text_keeps_names_apart():
    x, y, z = (Value(FLOAT, h) for h in ("x", "x", None))
    fn = Fn("f", (x, y, z), (), (y, z))
    assert text.show(fn) == "def f(x: float, x_1: float, _0: float) -> tuple[float, float]:\n    return x_1, _0\n"


@pytest.mark.parametrize("literal", [
    Lit(1), Lit(True), Lit(1.0), Lit(-0.0), Lit(-3), Lit(math.nan), Lit(-math.inf), Lit("it's"), Lit(None),
    undef(array("f64", sym("n"))), Lit(None, Optional(FLOAT)), Lit(0.0, ANY_REAL)])
def test_literals_round_trip(literal):
    (back,) = read(text.show(Fn("f", (), (), (literal,)))).results
    assert back == literal and back.type == literal.type


@pytest.mark.parametrize("type", [
    BOOL, INT, FLOAT, REAL, ANY_REAL, Tensor("np", "f32"), array("i64"), array("b1", 3, sym("n") - 2),
    array("f64", sym("n") * 2 + sym("m")), Seq(Seq(FLOAT)), Undef(array("f64", sym("n"))), Optional(FLOAT)])
def test_types_round_trip(type):
    assert text.type_of(str(type)) == type


def test_attributes_round_trip():
    attrs = {"a": (1,), "b": [1, [2.0, None]], "c": Node("dict", ("k", 3), (Leaf(0), Const("s"))), "d": FLOAT,
             "e": {"x": (True, "y")}, "f": sym("n") - 2}
    out = Value(Tensor("np", "f64"), "y")
    x = Value(array("f64", sym("n")), "x")
    eqn = Eqn(OPS["sum"], (x,), (out,), attrs, primal=False, inplace=0)
    fn = Fn("f", (x,), (eqn,), (out,))
    assert text.same(read(text.show(fn)), fn)


@pytest.mark.parametrize("key, shown", [
    (("s110", "i"), "at[1:-1, i]"), (("e", "n", "s001"), "at[..., None, ::2]"), (("a",), "at[k]"), (("m",), "at[m]"),
    (("s000",), "at[:]"), ((), "at[()]")])
def test_keys_round_trip(key, shown):
    x, i = Value(array("f64", 4, 5), "x"), Value(INT, "i")
    k, m = Value(array("i64", 3), "k"), Value(array("b1", 4), "m")
    operands = {"s110": (Lit(1), Lit(-1)), "i": (i,), "s001": (Lit(2),), "a": (k,), "m": (m,)}
    args = (x, *(o for item in key for o in operands.get(item, ())))
    eqn = Eqn(OPS["index"], args, (Value(array("f64"), "y"),), {"key": key})
    fn = Fn("f", (x, i, k, m), (eqn,), (eqn.out,))
    assert shown in text.show(fn)
    assert text.same(read(text.show(fn)), fn)


def test_same_tells_apart():
    a = read("def f(x: float, y: float) -> float:\n    z: float = add(x, y)\n    return z\n")
    b = read("def f(x: float, y: float) -> float:\n    z: float = add(y, x)\n    return z\n")
    c = read("def f(x: float, y: float) -> float:\n    z: float = operator.add(x, y)\n    return z\n")
    assert text.same(a, a) and not text.same(a, b) and not text.same(a, c)


# -- the interpreter ----------------------------------------------------------------------


def test_runs_loops_and_conds(capsys):
    z, part, nan, inf = run(read(LOOP), [np.arange(4.0), 1.5, 4])
    assert z == pytest.approx(2 * math.sin(3.5) + 2 * 0 if math.sin(3.5) >= 1.5 else 4 * math.sin(3.5))
    assert part.tolist() == [1.0, 2.0] and math.isnan(nan) and inf == -math.inf
    assert capsys.readouterr().out == "6.0,hi\n"


def test_runs_exits_and_sequences():
    assert run(read(WHILE), [2.0, 5]) == [32.0, 5, 5, 10.0]
    assert run(read(WHILE), [20.0, 5]) == [400.0, 2, 2, 1.0]


def test_runs_the_spelling():
    source = "def f(x: float) -> float:\n    y: {} = {}(x)\n    return y\n"
    assert type(run(read(source.format("float", "math.sin")), [1.0])[0]) is float
    assert type(run(read(source.format("f64", "numpy.sin")), [1.0])[0]) is np.float64


def test_in_place_shows_a_clobbered_operand():
    source = """
def f(x: f64[n]) -> f64[n]:
    y: f64[n] = store(x, 7.0, at[0]{})
    return x, y
"""
    x = np.zeros(2)
    assert [a.tolist() for a in run(read(source.format("")), [x])] == [[0.0, 0.0], [7.0, 0.0]]
    clobbered = run(read(source.format(", inplace=0")), [x], inplace=True)
    assert [a.tolist() for a in clobbered] == [[7.0, 0.0], [7.0, 0.0]]


def test_runs_closures():
    source = """
def f(x: float) -> float:
    y: float = mul(x, x)
    def body(dy: float) -> float:
        dx: float = mul(dy, x)
        return dx, y
    back: function = closure(body=body, names=('dy',), params=Leaf(0), result=Node('tuple', (0, 1), (Leaf(0), Leaf(1))))
    return y, back
"""
    y, back = run(verify(read(source)), [3.0])
    assert y == 9.0 and back(2.0) == (6.0, 9.0) == back(2.0)


# -- the verifier: one planted bug for each rule -------------------------------------------

LINE = "def f(x: float, n: int, v: f64[n]) -> float:\n"
BODY = "    def body(i: int, s: float) -> tuple[bool, float]:\n        return {}\n"
CALL = "    r, k = loop[float, int]({}, body=body, carries=1, counted=True)\n    return r\n"

PLANTED = {
    "is declared f32, derived f64": "    y: f32 = ndarray.sum(v)\n    return y\n",
    "is declared f64[m], derived f64[n]": "    y: f64[m] = add(v, 1.0)\n    return y\n",
    "is declared f64[n, 1], derived f64[n]": "    y: f64[n, 1] = add(v, 1.0)\n    return y\n",
    "does not take these operands": "    y: float = add(x, None)\n    return y\n",
    "the predicate is a bool": "    def a() -> float:\n        return x\n    def b() -> float:\n        return x\n"
                          "    y: float = cond(x, then=a, orelse=b)\n    return y\n",
    "1 values for 2": "    def a() -> float:\n        return x\n    def b() -> float:\n        return x\n"
                      "    y, z = cond[float, float](True, then=a, orelse=b)\n    return y\n",
    "does not fit y": "    def a() -> float:\n        return x\n    def b() -> float:\n        return v\n"
                      "    y: float = cond(True, then=a, orelse=b)\n    return y\n",
    "init: v: f64[n] does not fit s": BODY.format("True, s") + CALL.format("0, n, 1, v"),
    "carry: v: f64[n] does not fit s": BODY.format("True, v") + CALL.format("0, n, 1, x"),
    "go is a bool": BODY.format("x, s") + CALL.format("0, n, 1, x"),
    "the range of a loop is of ints": BODY.format("True, s") + CALL.format("0, x, 1, x"),
    "body: (index, carries, xs)": BODY.format("True, s") + CALL.format("0, n, 1, x, x"),
    "outs: (carries, iterations, ys)": BODY.format("True, s, x") + CALL.format("0, n, 1, x"),
    "only a counted loop without exits": BODY.format("False, s") + CALL.format("0, n, 1, x, reverse=True"),
    "a closure is a function": "    def body() -> float:\n        return x\n"
                               "    g: float = closure(body=body)\n    return g\n",
    "`vjp` has 2 outs, not 3": "    def g(a: float) -> float:\n        return a\n"
                               "    y, z = vjp[float, float](x, 1.0, body=g, wrt=(0, 0), seeded=(0,))\n    return y\n",
    "primals: 2 values for 1": "    def g(a: float) -> float:\n        return a\n"
                                   "    y, z = jvp[float, float](x, x, x, body=g, wrt=(0,))\n    return y\n",
    "wrt names a param": "    def g(a: float) -> float:\n        return a\n"
                         "    y, z = vjp[float, float](x, 1.0, body=g, wrt=(1,), seeded=(0,))\n    return y\n",
    "inplace names no operand": "    y: float = add(x, x, inplace=2)\n    return y\n",
}


@pytest.mark.parametrize("message", PLANTED)
def test_verifier_finds(message):
    with pytest.raises(IRError) as error:
        verify(read(LINE + PLANTED[message]))
    assert message in str(error.value)
    assert " -> " in str(error.value)


def test_verifier_finds_values_out_of_scope():
    x, y = Value(FLOAT, "x"), Value(FLOAT, "y")
    with pytest.raises(IRError, match="operand y is not in scope"):
        verify(Fn("f", (x,), (Eqn(OPS["add"], (x, y), (Value(FLOAT),)),), (x,)))
    with pytest.raises(IRError, match="result y is not in scope"):
        verify(Fn("f", (x,), (), (y,)))


def test_verifier_finds_a_value_that_leaves_its_region():
    x, inner, out = (Value(FLOAT, h) for h in ("x", "inner", "out"))
    arm = Fn("then", (), (Eqn(OPS["add"], (x, x), (inner,)),), (inner,))
    cond = Eqn(OPS["cond"], (Lit(True),), (out,), {}, (arm, Fn("orelse", (), (), (x,))))
    verify(Fn("f", (x,), (cond,), (out,)))
    with pytest.raises(IRError, match="inner is not in scope"):
        verify(Fn("f", (x,), (cond,), (inner,)))


def test_verifier_finds_a_value_bound_twice():
    x, y = Value(FLOAT, "x"), Value(FLOAT, "y")
    eqn = Eqn(OPS["add"], (x, x), (y,))
    with pytest.raises(IRError, match="y is bound twice"):
        verify(Fn("f", (x,), (eqn, eqn), (y,)))


def test_verifier_refuses_a_ragged_axis_outside_of_a_list():
    x = Value(Tensor("array", "f64", (RAGGED,)))
    with pytest.raises(IRError, match="only items of a list are ragged"):
        verify(Fn("f", (x,), (), (x,)))


def test_verifier_checks_scopes_of_equations_whose_types_were_checked():
    x, y = Value(FLOAT, "x"), Value(FLOAT, "y")
    eqn, checked = Eqn(OPS["add"], (x, x), (y,)), set()
    verify(Fn("f", (x,), (eqn,), (y,)), checked)
    assert checked == {eqn}
    with pytest.raises(IRError, match="operand x is not in scope"):
        verify(Fn("f", (), (eqn,), (y,)), checked)


@pytest.mark.parametrize("a, b, holds", [
    (INT, REAL, True), (FLOAT, REAL, True), (REAL, FLOAT, False), (Tensor("np", "f32"), ANY_REAL, True),
    (INT, ANY_REAL, True), (ANY_REAL, REAL, False), (FLOAT, Undef(FLOAT), True), (Undef(FLOAT), FLOAT, False),
    (py(None), Optional(FLOAT), True), (array("f64", sym("n")), array("f64", sym("_k")), True),
    (array("f64", sym("n")), array("f64", sym("m")), False), (array("f64"), Tensor("np", "f64"), False)])
def test_fits(a, b, holds):
    assert check.fits(a, b) is holds


# -- types ---------------------------------------------------------------------------------

ROWS = array("f64", sym("n"), 3)


@pytest.mark.parametrize("t, base, leaf, depth, has_array", [
    (FLOAT, FLOAT, FLOAT, 0, False),
    (Undef(Optional(ROWS)), ROWS, ROWS, 0, True),
    (Optional(List(FLOAT)), List(FLOAT), FLOAT, 1, True),
    (Seq(Undef(FLOAT)), Seq(Undef(FLOAT)), FLOAT, 1, False),
    (Undef(Seq(Optional(List(ROWS)))), Seq(Optional(List(ROWS))), ROWS, 2, True),
])
def test_types_inside_wrappers_and_sequences(t: Type, base: Type, leaf: Type, depth: int, has_array: bool) -> None:
    assert base_type(t) == base and leaf_type(t) == leaf and list_depth(t) == depth and holds_array(t) is has_array
    assert map_leaf(lambda _: leaf, map_leaf(lambda _: INT, t)) == t
    assert leaf_type(map_leaf(lambda _: INT, t)) == INT
    assert leaf_type(map_sizes(lambda d: d + 1, t)) == (array("f64", sym("n") + 1, 4) if leaf == ROWS else leaf)
