"""The passes that clean up: cse, dce, simplify; each rewrite as before and after."""

import numpy as np
import pytest

from sct.ir import text
from sct.ir.check import verify
from sct.ir.core import Fn
from sct.ir.interp import run
from sct.ops import BY_CALL, OPS
from sct.passes.motion.delay_updates import delay_updates
from sct.passes.motion.loop_invariant import hoist
from sct.passes.motion.scatter_to_store import scatter_to_store
from sct.passes.motion.sink import sink
from sct.passes.rewriting.driver import simplify
from sct.passes.scalar.cse import cse
from sct.passes.scalar.dce import dce
from sct.passes.vectorization.batch_reductions import batch_reductions


def read(source: str) -> Fn:
    return verify(text.read(source, OPS, BY_CALL))


def function(params: str, lines: str) -> Fn:
    """A function of lines separated by ` ; `, the last one what it returns."""
    *eqns, result = [line.strip() for line in lines.split(";")]
    body = "".join(f"    {line}\n" for line in [*eqns, f"return {result}"])
    return read(f"def f({params}) -> float:\n{body}")


def expect(made: Fn, wanted: Fn) -> None:
    assert text.same(verify(made), wanted), f"{text.show(made)}\nis not\n{text.show(wanted)}"


# -- cse ----------------------------------------------------------------------------------

XY = "x: float, y: float"


@pytest.mark.parametrize("before, after", [
    ("a: float = mul(x, y); b: float = mul(x, y); a, b", "a: float = mul(x, y); a, a"),
    ("a: float = mul(x, y); b: float = mul(a, x); c: float = mul(x, y); d: float = mul(c, x); b, d",
     "a: float = mul(x, y); b: float = mul(a, x); b, b"),
    # the order of the operands is the user's own
    ("a: float = mul(x, y); b: float = mul(y, x); a, b", None),
    # so is the spelling
    ("a: float = operator.mul(x, y); b: float = mul(x, y); a, b", None),
    # adjoint code takes either, and primal values
    ("a: float = operator.mul(x, y); b: float = adj.mul(y, x); a, b", "a: float = operator.mul(x, y); a, a"),
    # primal code never takes an adjoint value
    ("a: float = adj.mul(x, y); b: float = mul(x, y); a, b", None),
    ("a: float = add(x, 1); b: float = add(x, 1.0); a, b", None),
    ("a: float = add(x, 0.0); b: float = add(x, -0.0); a, b", None),
    ("print_(x); print_(x); x", None),
    # what is rounded exactly is computed, but not what raises or is another machine's last bit
    ("a: float = math.sqrt(0.25); b: float = mul(a, 3); c: float = mul(b, x); c", "c: float = mul(1.5, x); c"),
    ("a: float = math.sqrt(-1.0); b: float = math.exp(1.0); c: float = operator.truediv(1.0, 0.0); a, b, c", None),
    ("a: f64[3] = zeros(3); b: f64[3] = zeros(3); a, b", None),
    # a sum with 0 has the bits of the other operand unless that is -0.0, a product with 1 always
    ("a: float = mul(x, x); b: float = add(0.0, a); c: float = add(b, y); c",
     "a: float = mul(x, x); c: float = add(a, y); c"),
    ("a: float = math.exp(x); b: float = pow(y, 2); c: float = div(a, b); d: float = add(c, 0); d",
     "a: float = math.exp(x); b: float = pow(y, 2); c: float = div(a, b); c"),
    ("a: float = mul(1.0, x); b: float = mul(y, 1); c: float = div(a, 1.0); d: float = sub(b, 0.0); c, d", "x, y"),
    ("a: float = add(0.0, x); b: float = mul(x, y); c: float = add(b, 0.0); a, c", None),
    ("a: float = sub(x, -0.0); b: float = sub(0.0, x); c: float = div(1.0, x); d: float = mul(x, 0.0); a, b, c, d",
     None),
    ("a: float = pow(x, 3); b: float = add(0.0, a); c: float = sub(x, y); d: float = add(c, 0); b, d", None),
    ("a: f64 = numpy.multiply(x, 1.0); a", None),
])
def test_cse(before, after):
    fn = function(XY, before)
    expect(cse(fn), function(XY, after or before))


def test_cse_of_regions():
    before = read("""
def f(x: float, n: int) -> float:
    a: float = mul(x, x)
    c: bool = lt(x, 1.0)
    def then() -> float:
        b: float = mul(x, x)
        return b
    def orelse() -> float:
        d: float = sin(x)
        return d
    r: float = cond(c, then=then, orelse=orelse)
    d: float = sin(x)
    def then() -> float:
        b: float = mul(x, x)
        return b
    def orelse() -> float:
        d: float = sin(x)
        return d
    s: float = cond(c, then=then, orelse=orelse)
    return r, d, a, s
""")
    expect(cse(before), read("""
def f(x: float, n: int) -> float:
    a: float = mul(x, x)
    c: bool = lt(x, 1.0)
    def then() -> float:
        return a
    def orelse() -> float:
        d: float = sin(x)
        return d
    r: float = cond(c, then=then, orelse=orelse)
    d: float = sin(x)
    def then() -> float:
        return a
    def orelse() -> float:
        return d
    s: float = cond(c, then=then, orelse=orelse)
    return r, d, a, s
"""))


def test_cse_of_a_carry_that_does_not_change():
    before = read("""
def f(x: float, n: int) -> float:
    def body(i: int, s: float, c: float) -> float:
        s_1: float = mul(s, c)
        return True, s_1, c
    s, c, trips = loop[float, float, int](0, n, 1, 1.0, x, body=body, carries=2, counted=True)
    return s, c
""")
    expect(dce(cse(before)), read("""
def f(x: float, n: int) -> float:
    def body(i: int, s: float) -> float:
        s_1: float = mul(s, x)
        return True, s_1
    s, trips = loop[float, int](0, n, 1, 1.0, body=body, carries=1, counted=True)
    return s, x
"""))


# -- dce ----------------------------------------------------------------------------------


def test_cse_of_a_cotangent_that_does_not_change():
    """It is known better than its type says: so is what is made of it."""
    expect(cse(read("""
def f(x: float, n: int) -> any_real:
    def body(i: int, d: any_real, s: any_real) -> tuple[bool, any_real, any_real]:
        a: any_real = adj.mul(d, x)
        t: any_real = adj.add(s, a)
        return True, d, t
    e, r, trips = adj.loop[any_real, any_real, int](0, n, 1, 1.0, x, body=body, carries=2, counted=True)
    return r
""")), read("""
def f(x: float, n: int) -> float:
    def body(i: int, d: float, s: float) -> tuple[bool, float, float]:
        a: float = adj.mul(1.0, x)
        t: float = adj.add(s, a)
        return True, 1.0, t
    e, r, trips = adj.loop[float, float, int](0, n, 1, 1.0, x, body=body, carries=2, counted=True)
    return r
"""))


@pytest.mark.parametrize("before, after", [
    ("a: float = mul(x, y); b: float = mul(x, x); b", "b: float = mul(x, x); b"),
    ("a: float = mul(x, y); b: float = mul(a, x); y", "y"),
    ("a: float = mul(x, y); print_(a); y", "a: float = mul(x, y); print_(a); y"),
    ("a: float = div(x, y); y", "y"),
])
def test_dce(before, after):
    expect(dce(function(XY, before)), function(XY, after))


def test_dce_keeps_what_may_raise_where_the_value_is_asked_for():
    fn = function(XY, "a: float = div(x, y); b: float = mul(x, y); c: float = adj.div(x, y); y")
    expect(dce(fn, keep_raises=True), function(XY, "a: float = div(x, y); y"))


@pytest.mark.parametrize("bounds, key, kept", [
    ("0, n, 1", "i", False), ("0, n, 1", "j", True), ("1, n, 1", "h", False), ("0, n, 1", "h", False),
    ("0, n, 2", "i", False), ("0, m, 1", "i", True), ("n, 0, -1", "i", True), ("n, 0, -1", "h", False),
])
def test_an_element_that_is_there_does_not_raise(bounds, key, kept):
    fn = read(f"""
def f(x: f64[n], m: int) -> int:
    n: int(n) = builtins.len(x)
    def body(i: int) -> bool:
        j: int = operator.add(i, 1)
        h: int = operator.sub(i, 1)
        _0: f64 = index(x, at[{key}])
        _1: f64 = operator.truediv(1.0, _0)
        return True
    trips = loop[int]({bounds}, body=body, carries=0, counted=True)
    return trips
""")
    assert ("index" in text.show(dce(fn, keep_raises=True))) == kept


def test_dce_of_regions():
    before = read("""
def f(x: float, n: int) -> float:
    c: bool = lt(x, 1.0)
    def then() -> float:
        a: float = sin(x)
        b: float = cos(x)
        return a, b
    def orelse() -> float:
        return x, 0.0
    used, unused = cond[float, float](c, then=then, orelse=orelse)
    def then() -> float:
        return 1.0
    def orelse() -> float:
        return 2.0
    gone: float = cond(c, then=then, orelse=orelse)
    def then() -> float:
        print_(x)
        return 1.0
    def orelse() -> float:
        return 2.0
    effect: float = cond(c, then=then, orelse=orelse)
    def test(s: float, only: float, dead: float) -> bool:
        go: bool = lt(s, x)
        return go
    def body(s: float, only: float, dead: float) -> float:
        s_1: float = add(s, only)
        dead_1: float = add(dead, s)
        return True, s_1, only, dead_1, s, only
    last, o, d, trips, ss, os = loop[float, float, float, int, seq[float], seq[float]](0.0, 1.0, 2.0, test=test, body=body, carries=3, tested=True)
    def body(i: int, t: float, a: float, b: float) -> float:
        t_1: float = add(t, a)
        u: float = mul(t, b)
        return True, t_1, u
    t, trips_1, us = loop[float, int, seq[float]](0, trips, 1, 0.0, ss, os, body=body, carries=1, counted=True)
    return used, t
""")  # noqa: E501
    expect(dce(before), read("""
def f(x: float, n: int) -> float:
    c: bool = lt(x, 1.0)
    def then() -> float:
        a: float = sin(x)
        return a
    def orelse() -> float:
        return x
    used: float = cond(c, then=then, orelse=orelse)
    def then() -> float:
        print_(x)
        return ()
    def orelse() -> float:
        return ()
    cond(c, then=then, orelse=orelse)
    def test(s: float, only: float) -> bool:
        go: bool = lt(s, x)
        return go
    def body(s: float, only: float) -> float:
        s_1: float = add(s, only)
        return True, s_1, only, s
    last, o, trips, ss = loop[float, float, int, seq[float]](0.0, 1.0, test=test, body=body, carries=2, tested=True)
    def body(i: int, t: float, a: float) -> float:
        t_1: float = add(t, a)
        return True, t_1
    t, trips_1 = loop[float, int](0, trips, 1, 0.0, ss, body=body, carries=1, counted=True)
    return used, t
"""))


def test_dce_is_linear_in_a_chain_of_dead_carries():
    carries = 60
    params = ", ".join(f"c{k}: float" for k in range(carries))
    results = ", ".join(["c0", *(f"c{k}" for k in range(carries - 1))])
    fn = read(f"""
def f(x: float, n: int) -> float:
    def body(i: int, {params}) -> float:
        return True, {results}
    {", ".join(f"r{k}" for k in range(carries))}, trips = loop[{"float, " * carries}int](0, n, 1, {"x, " * carries}body=body, carries={carries}, counted=True)
    return r3
""")  # noqa: E501
    (loop,) = verify(dce(fn)).eqns
    assert loop.attrs["carries"] == 4


# -- simplify -----------------------------------------------------------------------------

REWRITES = [
    ("float", "a = mul(x, 1.0); a", "x"),
    ("float", "a = mul(1, x); a", "x"),
    ("float", "a = mul(x, 2.0); a", "a = mul(2.0, x); a"),
    ("float", "a = mul(x, -1.0); a", "a = neg(x); a"),
    ("float", "a = mul(2.0, x); b = mul(3.0, a); b", "b = mul(6.0, x); b"),
    ("float", "a = neg(x); b = mul(2.0, a); b", "b = mul(-2.0, x); b"),
    ("float", "a = neg(x); b = mul(a, y); b", "a = mul(x, y); b = neg(a); b"),
    ("float", "a = neg(x); b = neg(y); c = mul(a, b); c", "c = mul(x, y); c"),
    ("float", "a = div(1.0, x); b = mul(y, a); b", "b = div(y, x); b"),
    ("float", "a = add(x, 0.0); a", "x"),
    ("float", "a = add(0.0, x); a", "x"),
    ("float", "a = neg(x); b = add(y, a); b", "b = sub(y, x); b"),
    ("float", "a = neg(x); b = add(a, y); b", "b = sub(y, x); b"),
    ("float", "a = add(x, x); a", "a = mul(2.0, x); a"),
    ("float", "a = mul(3.0, x); b = add(x, a); b", "b = mul(4.0, x); b"),
    ("float", "a = mul(3.0, x); b = mul(2.0, x); c = sub(a, b); c", "x"),
    ("float", "a = sub(x, 0.0); a", "x"),
    ("float", "a = sub(0.0, x); a", "a = neg(x); a"),
    ("float", "a = neg(x); b = sub(y, a); b", "b = add(y, x); b"),
    ("float", "a = neg(x); b = sub(a, y); b", "c = add(x, y); b = neg(c); b"),
    ("float", "a = neg(x); b = neg(a); b", "x"),
    ("float", "a = sub(x, y); b = neg(a); b", "b = sub(y, x); b"),
    ("float", "a = div(x, 1.0); a", "x"),
    ("float", "a = mul(6.0, x); b = div(a, 2.0); b", "b = mul(3.0, x); b"),
    ("float", "a = neg(x); b = div(a, y); b", "a = div(x, y); b = neg(a); b"),
    ("float", "a = mul(0.1, x); b = mul(3.0, a); b", "b = mul(0.3, x); b"),
    ("float", "a = mul(0.8, x); b = sub(x, a); b", "b = mul(0.2, x); b"),
    ("float", "a = add(y, x); b = add(a, x); b", "a = mul(2.0, x); b = add(y, a); b"),
    ("float", "a = mul(2.0, x); b = div(3.0, a); b", "b = div(1.5, x); b"),
    ("float", "a = div(-1.0, x); b = mul(y, a); b", "a = div(y, x); b = neg(a); b"),
    ("float", "a = pow(x, 1); a", "x"),
    ("float", "a = pow(x, 2); a", "a = mul(x, x); a"),
    ("float", "a = where(True, x, x); a", "x"),
    ("float", "a = mul(x, 0.0); a", "a = mul(0.0, x); a"),
    ("float", "a = sub(x, x); a", "a = sub(x, x); a"),
    ("float", "a = mul(x, y); b = mul(2.0, y); c = add(a, b); c", "a = add(x, 2.0); c = mul(y, a); c"),
    ("float", "u = sub(1.0, x); a = mul(y, u); b = mul(4.0, a); v = mul(4.0, x); c = mul(y, v); d = sub(b, c); d",
     "a = mul(8.0, x); b = sub(4.0, a); d = mul(y, b); d"),
    ("f64[n]", "a = mul(x, 1.0); a", "x"),
    ("f64[n]", "a: f64 = sum(x); b = expand_like(a, x); c = mul(b, y); c", "a: f64 = sum(x); c = mul(a, y); c"),
    ("f64[n]", "a: f64 = sum(x); b = expand_like(a, x); c = add(y, b); c", "a: f64 = sum(x); c = add(y, a); c"),
    ("f64[n]", "a = zeros_of(x); b = add(a, y); b", "y"),
    ("f64[n]", "a = zeros_of(x); b = add_at(a, y, at[:]); b", "y"),
    ("f64[n]", "a = zeros_of(x); b = add_at(a, 2.0, at[1]); b", "a = zeros_of(x); b = store(a, 2.0, at[1]); b"),
    ("f64[n]", "a = zeros_of(x); b = add_at(a, 2.0, at[1]); c = add(y, b); c", "c = add_at(y, 2.0, at[1]); c"),
    ("f64[n]", "a = zeros_of(x); b = store(a, 2.0, at[1]); c = add_at(b, 3.0, at[0]); c",
     "a = zeros_of(x); b = store(a, 2.0, at[1]); c = store(b, 3.0, at[0]); c"),
    ("f64[n]", "a = zeros_of(x); b = store(a, 2.0, at[-1]); c = add_at(b, 3.0, at[0]); c",
     "a = zeros_of(x); b = store(a, 2.0, at[-1]); c = add_at(b, 3.0, at[0]); c"),
    ("f64[n]", "a = zeros_of(x); b = store(a, 2.0, at[0]); c = add_at(b, 3.0, at[0]); c",
     "a = zeros_of(x); b = store(a, 2.0, at[0]); c = add_at(b, 3.0, at[0]); c"),
    ("f64[n]", "a = store(x, 1.0, at[1]); b = store(a, 2.0, at[1]); b", "b = store(x, 2.0, at[1]); b"),
    ("f64[n]", "a = expand_like(2.0, x); b = add_at(y, a, at[:]); b", "b = add_at(y, 2.0, at[:]); b"),
    ("f64[n]", "a = expand_like(2.0, x); b = store(y, a, at[::-1]); b", "b = store(y, 2.0, at[::-1]); b"),
    ("f64[n]", "a = neg(x); b: f64 = sum(a); b", "a: f64 = sum(x); b: f64 = neg(a); b"),
    ("f64[n]", "c: b1[n] = gt(y, 0.0); a = where(c, x, 0.0); b = where(c, a, y); b",
     "c: b1[n] = gt(y, 0.0); b = where(c, x, y); b"),
    ("f64[n]", "a = where(True, x, 0.0); b = where(False, x, a); c = mul(b, y); c", "c = mul(x, y); c"),
    ("f64[n]", "a = quotient(1.0, x); b = mul(y, a); b", "b = div(y, x); b"),
    ("f64[n]", "s: f64 = sum(y); a = mul(2.0, x); b = div(a, s); b",
     "s: f64 = sum(y); a: f64 = div(2.0, s); b = mul(a, x); b"),
    ("f64[n]", "s: f64 = sum(y); a = expand_like(s, x); b = mul(2.0, a); c = mul(b, y); c",
     "s: f64 = sum(y); a: f64 = mul(2.0, s); c = mul(a, y); c"),
    ("f64[n]", "s: f64 = sum(y); a = expand_like(s, x); c: b1[n] = lt(x, y); b = where(c, a, 0.0); b",
     "s: f64 = sum(y); c: b1[n] = lt(x, y); b = where(c, s, 0.0); b"),
    ("f64[n, n]", "a = transpose(x); b = transpose(a); b", "x"),
    ("f64[n, n]", "a: f64[n] = sum(x, axis=0); b = expand_like(a, x, axis=0); c = mul(b, y); c",
     "a: f64[n] = sum(x, axis=0); c = mul(a, y); c"),
    ("f64[n, n]", "a: f64[n] = sum(x, axis=1); b = expand_like(a, x, axis=1); c = mul(b, y); c",
     "a: f64[n] = sum(x, axis=1); b: f64[n, 1] = expand_dims(a, axis=1); c = mul(b, y); c"),
]


def adjoint(type: str, lines: str) -> Fn:
    *eqns, result = [line.strip() for line in lines.split(";")]
    shown = []
    for e in eqns:
        name, call = e.split(" = ", 1)
        shown.append(f"{name if ':' in name else f'{name}: {type}'} = adj.{call}")
    return function(f"x: {type}, y: {type}", ";".join([*shown, result]))


@pytest.mark.parametrize("type, before, after", REWRITES, ids=[r[1] for r in REWRITES])
def test_rewrite(type, before, after):
    fn = adjoint(type, before)
    made = dce(simplify(fn))
    expect(made, dce(adjoint(type, after)))
    expect(dce(simplify(made)), made)
    rng = np.random.default_rng(0)
    for _ in range(3):
        args = [float(v) if type == "float" else v for v in (rng.normal(size=(3,) * type.count("n")) for _ in "xy")]
        (got,), (want,) = run(made, args), run(fn, args)
        np.testing.assert_allclose(got, want, rtol=1e-12)
        assert isinstance(got, float) == isinstance(want, float)


def test_primal_code_is_not_rewritten():
    fn = function(XY, "a: float = mul(x, 1.0); b: float = add(a, 0.0); c: float = neg(b); d: float = neg(c); d")
    expect(simplify(fn), fn)


def test_products_used_elsewhere_stay():
    fn = adjoint("float", "a = mul(x, y); b = mul(2.0, y); c = add(a, b); c, a, b")
    expect(simplify(fn), fn)


def test_what_is_in_brackets_is_not_made_twice():
    for inner in ("sub(x, y)", "mul(2.0, x)"):
        fn = adjoint("float", f"a = {inner}; b = neg(a); a, b")
        expect(simplify(fn), fn)


def test_a_product_that_is_there_is_used():
    expect(simplify(adjoint("float", "a = mul(x, y); b = mul(x, 3.0); c = mul(b, y); c, a")),
           adjoint("float", "a = mul(x, y); b = mul(3.0, x); c = mul(3.0, a); c, a"))


# -- two operations as one --------------------------------------------------------------------

FUSED = [
    ("a: f64[n] = adj.mul(x, y); b: f64 = adj.sum(a); b", "b: f64 = adj.matmul(x, y); b"),
    ("a: f64[n] = adj.mul(x, y); b: f64 = adj.sum(a); a, b", None),
    ("a: f64[n] = mul(x, y); b: f64 = adj.sum(a); b", None),
    ("z: f64[n] = logaddexp(x, y); a: f64[n] = adj.sub(y, z); b: f64[n] = adj.exp(a); b",
     "a: f64[n] = adj.sub(x, y); m: f64[n] = adj.minimum(a, 709.0); e: f64[n] = adj.exp(m); "
     "s: f64[n] = adj.add(e, 1.0); b: f64[n] = adj.div(1.0, s); b"),
    ("z: f64[n] = logaddexp(x, y); a: f64[n] = adj.sub(y, z); b: f64[n] = adj.exp(a); b, z", None),
]


@pytest.mark.parametrize("before, after", FUSED)
def test_fused(before, after):
    fn = function("x: f64[n], y: f64[n]", before)
    made = dce(simplify(fn))
    expect(made, function("x: f64[n], y: f64[n]", after or before))
    for args in (np.array([1.0, 2.0]), np.array([-2.0, 3.0])), (np.array([0.0, 800.0]), np.array([-800.0, 0.0])):
        for got, want in zip(run(made, args), run(fn, args)):
            np.testing.assert_allclose(got, want, rtol=1e-12, atol=1e-300)


def test_a_size_is_asked_of_an_argument():
    fn = function("x: f64[n], y: float", "a: f64[n] = exp(x); n: int(n) = adj.dim(a); b: float = adj.div(y, n); b")
    expect(dce(simplify(fn)), function("x: f64[n], y: float", "n: int(n) = adj.dim(x); b: float = adj.div(y, n); b"))


def test_so_is_a_count_of_elements():
    fn = function("x: f64[n, m], y: float", "a: f64[n, m] = exp(x); k: int(prod(m, n)) = adj.size(a); "
                  "b: float = adj.div(y, k); b")
    expect(dce(simplify(fn)), function("x: f64[n, m], y: float", "k: int(prod(m, n)) = adj.size(x); "
                                       "b: float = adj.div(y, k); b"))


# -- chains of updates ----------------------------------------------------------------------

UPDATES = [
    # the adjoint of u[1] += u[0]
    ("v: f64 = index(x, at[1]); a = store(x, 0.0, at[1]); b = add_at(a, v, at[0]); c = add_at(b, v, at[1]); c",
     "v: f64 = index(x, at[1]); c = add_at(x, v, at[0]); c"),
    ("v: f64 = index(x, at[1]); a = store(x, 0.0, at[1]); b = add_at(a, v, at[0]); w: f64 = index(y, at[0]); "
     "z: f64 = sub(v, w); c = add_at(b, z, at[1]); c",
     "v: f64 = index(x, at[1]); w: f64 = index(y, at[0]); b = add_at(x, v, at[0]); z: f64 = neg(w); "
     "c = add_at(b, z, at[1]); c"),
    ("v: f64 = index(x, at[1]); w: f64 = add(v, 2.0); a = store(x, w, at[1]); a", "a = add_at(x, 2.0, at[1]); a"),
    ("a = store(x, 0.0, at[1]); b = add_at(a, 2.0, at[1]); b", "a = store(x, 2.0, at[1]); a"),
    ("a = add_at(x, 2.0, at[1]); v: f64 = index(a, at[1]); b = store(a, 0.0, at[1]); b, v",
     "v: f64 = index(x, at[1]); w: f64 = add(v, 2.0); b = store(x, 0.0, at[1]); b, w"),
    # another use of what is between
    ("a = store(x, 1.0, at[1]); b = store(a, 2.0, at[1]); b, a", None),
    ("a = store(x, 0.0, at[1]); b = add_at(a, 2.0, at[1]); b, a", None),
    ("v: f64 = index(x, at[1]); a = store(x, 0.0, at[1]); b = add_at(a, v, at[0]); c = add_at(b, v, at[1]); c, b",
     None),
]


@pytest.mark.parametrize("before, after", UPDATES)
def test_updates(before, after):
    fn = adjoint("f64[n]", before)
    made = dce(simplify(dce(simplify(fn))))
    expect(made, adjoint("f64[n]", after or before))
    args = [np.array([1.0, 2.0, 3.0]), np.zeros(3)]
    for got, want in zip(run(made, args), run(fn, args)):
        np.testing.assert_allclose(got, want)


CONDITIONAL = """
def f(x: f64[n], y: float) -> f64[n]:
    c: bool = lt(y, 0.0)
    def then() -> float:
        return 0.0
    def orelse() -> float:
        v: float = adj.sin(y)
        return v
    d: float = adj.cond(c, then=then, orelse=orelse)
    x_1: f64[n] = adj.add_at(x, d, at[0])
    return x_1
"""


def test_an_update_by_zero_is_left_out():
    expect(dce(simplify(read(CONDITIONAL))), read("""
def f(x: f64[n], y: float) -> f64[n]:
    c: bool = lt(y, 0.0)
    def then() -> f64[n]:
        return x
    def orelse() -> f64[n]:
        v: float = adj.sin(y)
        x_1: f64[n] = adj.add_at(x, v, at[0])
        return x_1
    d: f64[n] = adj.cond(c, then=then, orelse=orelse)
    return d
"""))


def test_hoist():
    source = """
def f(x: float, n: int) -> float:
    def body(i: int, s: float) -> tuple[bool, float]:
        a: float = adj.mul(2.0, x)
        b: float = adj.mul(a, x)
        p: float = mul(3.0, x)
        q: float = adj.div(1.0, x)
        c: float = adj.mul(b, s)
        d: float = adj.add(c, p)
        e: float = adj.add(d, q)
        return True, e
    r, trips = loop[float, int](0, n, 1, 0.0, body=body, carries=1, counted=True)
    return r
"""
    moved = """        a: float = adj.mul(2.0, x)
        b: float = adj.mul(a, x)
"""
    before_loop = moved.replace("        ", "    ") + "    def body"
    expect(hoist(read(source)), read(source.replace(moved, "").replace("    def body", before_loop)))


ADDITIONS = """
def f(x: f64[n], c: bool) -> f64[n]:
    z: f64[n] = adj.zeros_of(x)
    def body(i: int, d: f64[n]) -> tuple[bool, f64[n]]:
        def then() -> f64[n]:
            d_1: f64[n] = adj.add_at(d, 2.0, at[i])
            return d_1
        def orelse() -> f64[n]:
            return d
        e: f64[n] = adj.cond(c, then=then, orelse=orelse)
        return True, e
    r, trips = adj.loop[f64[n], int](0, 3, 1, z, body=body, carries=1, counted=True, reverse=True)
    return r
"""


@pytest.mark.parametrize("before, after, changes", [
    ("", "", True),
    ("at[i]", "at[0]", False),  # the same element in each trip
    ("(0, 3, 1,", "(-3, 3, 1,", False),  # an element counted from both ends
    ("(0, 3, 1,", "(3, -1, -1,", True),
    ("zeros_of(x)", "neg(x)", False),
    ("        return True, e", "        g: f64[n] = adj.add_at(e, 1.0, at[i])\n        return True, g", False),
    ("d_1: f64[n] = adj.add_at(d, 2.0",
     "v: f64 = adj.index(d, at[0])\n            d_1: f64[n] = adj.add_at(d, v", False),
])
def test_once(before, after, changes):
    source = ADDITIONS.replace(before, after)
    expect(scatter_to_store(read(source)), read(source.replace("add_at(", "store(") if changes else source))


STACKED = """
def f(W: f64[n, n], x: f64[n], X: f64[3, n]) -> tuple[f64[n, n], f64[n]]:
    z: f64[n, n] = adj.zeros_of(W)
    y: f64[n] = adj.zeros_of(x)
    def body(i: int, h: f64[n], d: f64[n, n], b: f64[n]) -> tuple[bool, f64[n], f64[n, n], f64[n]]:
        a: f64[n] = adj.matmul(W, h)
        v: f64[n] = adj.index(X, at[i])
        o: f64[n, n] = adj.outer(a, h)
        e: f64[n, n] = adj.add(d, o)
        c: f64[n] = adj.add(b, a)
        return True, a, e, c
    g, r, s, trips = adj.loop[f64[n], f64[n, n], f64[n], int](0, 3, 1, x, z, y, body=body, carries=3, counted=True)
    return r, s
"""


@pytest.mark.parametrize("before, after, changes", [
    ("", "", True),
    ("(0, 3, 1, x, z", "(0, 3, 1, x, W", True),  # begun with something else
    ("outer(a, h)", "outer(a, v)", True),  # rows of an argument
    ("outer(a, h)", "outer(a, x)", False),  # the same in each trip
    ("(0, 3, 1", "(1, 3, 1", False),
    ("(0, 3, 1", "(0, 3, 2", False),
    ("True, a, e, c", "True, a, o, c", False),  # not a sum
    ("        return True, a, e, c", "        k: f64[n] = adj.matmul(d, h)\n        return True, k, e, c", False),
    ("        return True", "        go: bool = lt(i, 1)\n        return go", False),  # how many trips?
])
def test_stack(before, after, changes):
    fn = read(STACKED.replace(before, after) if before else STACKED)
    made = dce(cse(batch_reductions(fn)))
    verify(made)
    assert ("outer" not in text.show(made)) == changes
    rng = np.random.default_rng(0)
    args = [rng.normal(size=s) for s in ((2, 2), (2,), (3, 2))]
    for got, want in zip(run(made, args), run(fn, args)):
        np.testing.assert_allclose(got, want)


def test_a_tape_becomes_a_matrix():
    fn = read("""
def f(W: f64[n, n], x: f64[n], m: int) -> f64[n, n]:
    def body(i: int, h: f64[n]) -> tuple[bool, f64[n], f64[n]]:
        a: f64[n] = matmul(W, h)
        return True, a, h
    g, trips, hs = loop[f64[n], int, seq[f64[n]]](0, m, 1, x, body=body, carries=1, counted=True)
    z: f64[n, n] = adj.zeros_of(W)
    def back(j: int, c: f64[n], d: f64[n, n], h_1: f64[n]) -> tuple[bool, f64[n], f64[n, n]]:
        b: f64[n] = adj.mul(c, h_1)
        o: f64[n, n] = adj.outer(b, h_1)
        e: f64[n, n] = adj.add(d, o)
        return True, b, e
    q, r, _0 = adj.loop[f64[n], f64[n, n], int](0, m, 1, g, z, hs, body=back, carries=2, counted=True, reverse=True)
    return r
""")
    made = verify(dce(batch_reductions(fn)))
    assert "seq" not in text.show(made)
    for m in (3, 0, -1):
        args = [np.array([[0.5, 1.0], [-1.0, 0.2]]), np.array([1.0, 2.0]), m]
        np.testing.assert_allclose(run(made, args)[0], run(fn, args)[0])


@pytest.mark.parametrize("before, after", [
    ("v: f64[n - 1] = adj.index(x, at[1:]); a: f64[n] = adj.store(x, 0.0, at[1:]); w: f64[n - 1] = adj.mul(v, 2.0); "
     "b: f64[n] = adj.add_at(a, w, at[:-1]); b",
     "v: f64[n - 1] = adj.index(x, at[1:]); w: f64[n - 1] = adj.mul(v, 2.0); a: f64[n] = adj.store(x, 0.0, at[1:]); "
     "b: f64[n] = adj.add_at(a, w, at[:-1]); b"),
    ("v: f64 = adj.index(x, at[1]); a: f64[n] = adj.store(x, 0.0, at[1]); w: f64 = adj.mul(v, 2.0); a, w",
     "v: f64 = adj.index(x, at[1]); w: f64 = adj.mul(v, 2.0); a: f64[n] = adj.store(x, 0.0, at[1]); a, w"),
    # an element of the array before an update
    ("a: f64[n] = adj.store(x, 0.0, at[1]); v: f64 = adj.index(x, at[0]); b: f64[n] = adj.add_at(a, v, at[2]); b",
     "v: f64 = adj.index(x, at[0]); a: f64[n] = adj.store(x, 0.0, at[1]); b: f64[n] = adj.add_at(a, v, at[2]); b"),
    # a number that is used twice has a name anyway; the result is read; the user's own stays
    ("v: f64 = adj.index(x, at[1]); a: f64[n] = adj.store(x, 0.0, at[1]); w: f64 = adj.mul(v, v); a, w", None),
    ("v: f64 = adj.index(x, at[1]); a: f64[n] = adj.store(x, 0.0, at[1]); w: f64[n] = adj.mul(a, v); w", None),
    ("v: f64 = index(x, at[1]); a: f64[n] = store(x, 0.0, at[1]); w: f64 = adj.mul(v, 2.0); a, w", None),
])
def test_late(before, after):
    expect(delay_updates(function("x: f64[n]", before)), function("x: f64[n]", after or before))


def test_sink():
    fn = read("""
def f(x: float, y: float) -> float:
    c: bool = lt(y, 0.0)
    a: float = adj.sin(x)
    b: float = adj.mul(a, 2.0)
    p: float = sin(y)
    def then() -> float:
        d: float = adj.add(b, p)
        return d
    def orelse() -> float:
        return y
    r: float = adj.cond(c, then=then, orelse=orelse)
    return r
""")
    expect(sink(fn), read("""
def f(x: float, y: float) -> float:
    c: bool = lt(y, 0.0)
    p: float = sin(y)
    def then() -> float:
        a: float = adj.sin(x)
        b: float = adj.mul(a, 2.0)
        d: float = adj.add(b, p)
        return d
    def orelse() -> float:
        return y
    r: float = adj.cond(c, then=then, orelse=orelse)
    return r
"""))
