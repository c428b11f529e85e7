"""Reverse, forward and expand on IR written by hand, against central differences."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest
from handmade import (
    MAT,
    SQUARE,
    VEC,
    differences,
    for_,
    function,
    grad_,
    gradient_of,
    if_,
    jvp_,
    tangent_of,
    value,
    while_,
)

from sct.errors import SctError
from sct.ir.build import Builder
from sct.ir.check import verify
from sct.ir.core import Fn, Lit, Value, undef
from sct.ir.dims import sym
from sct.ir.interp import run
from sct.ir.pytrees.pytree import Leaf, Node
from sct.ir.types import ANY_REAL, FLOAT, Function, Opaque, Tensor, Undef, array
from sct.ops import (
    add,
    apply,
    cos,
    dim,
    div,
    exp,
    gt,
    index,
    log,
    lt,
    matmul,
    mul,
    print_,
    pullback,
    raise_,
    sin,
    sqrt,
    store,
    sub,
    sum_,
    tanh,
    transpose,
    unwrap,
    where,
)
from sct.passes.autodiff.expand import expand
from sct.passes.memory.in_place import storage
from sct.passes.rewriting.driver import rewrite

rng = np.random.default_rng(0)
U, V = rng.uniform(0.5, 1.5, 6), rng.uniform(0.5, 1.5, 6)
A, B = rng.uniform(0.5, 1.5, (4, 4)), rng.uniform(0.5, 1.5, (4, 4))


def at(x: Any, *key: Any) -> Any:
    return index(x, *key, key=("i",) * len(key))


def put(x: Any, v: Any, *key: Any) -> Any:
    return store(x, v, *key, key=("i",) * len(key))


def straight(x: Any, y: Any) -> Any:
    return sub(add(log(x), mul(x, y)), sin(div(y, x)))


def arrays(x: Any, y: Any) -> Any:
    return sum_(mul(exp(x), tanh(add(y, 2.0))))


def broadcasting(a: Any, x: Any) -> Any:
    return sum_(mul(add(a, x), transpose(a)))


def power(x: Any) -> Any:
    (p, _) = for_(5, [x], lambda i, p: [mul(p, sin(x))])
    return p


def prefix(u: Any) -> Any:
    n = dim(u, axis=0)
    (u, _) = for_(n, [u], lambda i, w: [put(w, add(at(w, i), mul(at(w, sub(i, 1)), at(w, i))), i)], start=1)
    return at(u, sub(n, 1))


def recurrence(a: Any, x: Any) -> Any:
    (x, _) = for_(dim(a, axis=0), [x], lambda i, x: [tanh(mul(at(a, i), x))], types=[ANY_REAL])
    return x


def nested(a: Any) -> Any:
    n = dim(a, axis=0)

    def row(i: Any, s: Any) -> Any:
        (t, _) = for_(n, [s], lambda j, t: [add(t, mul(at(a, i, j), sin(mul(at(a, j, i), t))))], types=[ANY_REAL])
        return [mul(t, 0.5)]

    return for_(n, [Lit(1.0)], row, types=[ANY_REAL])[0]


def branches(u: Any) -> Any:
    def body(i: Any, s: Any) -> Any:
        e = at(u, i)
        return [if_(gt(e, 1.0), lambda: add(s, mul(e, at(u, 0))), lambda: mul(s, e), [ANY_REAL])]

    return for_(dim(u, axis=0), [Lit(1.0)], body, types=[ANY_REAL])[0]


def skipping(u: Any) -> Any:
    """An element that one arm of the branch alone uses."""
    def body(i: Any, s: Any) -> Any:
        e = at(u, i)

        def used() -> Any:
            t = mul(s, e)
            return if_(gt(e, 1.2), lambda: sub(t, mul(e, e)), lambda: t, [ANY_REAL])

        return [if_(gt(e, 0.8), used, lambda: s, [ANY_REAL])]

    return for_(dim(u, axis=0), [Lit(1.0)], body, types=[ANY_REAL])[0]


def newton(a: Any) -> Any:
    (x, _) = while_([a], lambda x: gt(sub(mul(x, x), a), 1e-12), lambda x: [mul(0.5, add(x, div(a, x)))])
    return x


def crossing(u: Any) -> Any:
    def body(i: Any, s: Any) -> Any:
        s = add(s, mul(at(u, i), at(u, i)))
        return [lt(s, 3.0), s]

    return for_(dim(u, axis=0), [Lit(0.0)], body, exits=True, types=[ANY_REAL])[0]


def unassigned(u: Any) -> Any:
    """A value that one path does not assign, array-valued, used where it is assigned."""
    first = gt(at(u, 0), 0.0)
    t = if_(first, lambda: sin(u), lambda: undef(VEC), [Undef(VEC)])
    s = if_(gt(at(u, 1), 5.0), lambda: Lit(2.0), lambda: sum_(mul(unwrap(t), u)), [ANY_REAL])
    return add(s, if_(gt(at(u, 2), 0.0), lambda: mul(at(unwrap(t), 3), 3.0), lambda: Lit(0.0), [ANY_REAL]))


def constant_or_unassigned(u: Any, w: Any) -> Any:
    """What may be unassigned is a constant on one path, depends on the input on another."""
    a = if_(gt(at(u, 0), 0.0), lambda: w, lambda: undef(VEC), [Undef(VEC)])
    b = if_(gt(at(u, 1), 5.0), lambda: sin(u), lambda: a, [Undef(VEC)])
    s = if_(gt(at(u, 0), 0.0), lambda: sum_(mul(unwrap(b), unwrap(b))), lambda: Lit(0.0), [ANY_REAL])

    def body(i: Any, c: Any, s: Any) -> Any:
        s = add(s, if_(gt(at(u, 0), 0.0), lambda: at(unwrap(c), i), lambda: Lit(0.0), [ANY_REAL]))
        return [if_(lt(i, 1), lambda: c, lambda: mul(u, s), [Undef(VEC)]), s]

    return for_(4, [a, s], body, types=[Undef(VEC), ANY_REAL])[1]


def raising(u: Any) -> Any:
    def fail() -> Any:
        raise_(Lit("no"))
        return undef(VEC)

    w = if_(gt(at(u, 0), 100.0), fail, lambda: mul(cos(u), u), [VEC])
    return sum_(mul(w, w))


def masked(u: Any) -> Any:
    """sqrt of what the mask hides has an infinite slope."""
    x = sub(u, at(u, 0))
    c = gt(x, 0.1)
    safe = sqrt(where(c, x, 0.0))
    return sum_(where(c, mul(safe, safe), 0.0))


def listed(u: Any) -> Any:
    """A list of rows made by one loop and read twice by others."""
    n = dim(u, axis=0)
    _, rows, _ = for_(n, [Lit(1.0)], lambda i, s: [mul(s, 0.9), mul(u, mul(s, at(u, i)))], types=[ANY_REAL])
    (s, _) = for_(n, [Lit(0.0)], lambda i, s, r: [add(s, mul(at(r, i), at(r, 0)))], xs=[rows], types=[ANY_REAL])
    (t, _) = for_(n, [s], lambda i, t, r: [mul(t, at(r, 1))], xs=[rows], reverse=True, types=[ANY_REAL])
    return t


def list_by_position(u: Any) -> Any:
    """Elements of a list read by position, from both ends, and by a loop that ends early."""
    n = dim(u, axis=0)
    _, rows, _ = for_(n, [Lit(1.0)], lambda i, s: [mul(s, 0.9), mul(u, mul(s, at(u, i)))], types=[ANY_REAL])
    first, last = index(rows, 1, key=("i",)), index(rows, -1, key=("i",))

    def body(i: Any, s: Any, r: Any) -> Any:
        s = add(s, mul(at(r, 0), at(index(rows, i, key=("i",)), 1)))
        return [lt(s, 2.0), s]

    (s, _) = for_(n, [sum_(mul(first, last))], body, xs=[rows], exits=True, types=[ANY_REAL])
    return s


def list_in_branch(u: Any) -> Any:
    n = dim(u, axis=0)

    def arm() -> Any:
        _, rows, _ = for_(n, [Lit(1.0)], lambda i, s: [mul(s, 0.9), mul(s, at(u, i))], types=[ANY_REAL])
        return for_(n, [Lit(0.0)], lambda i, s, e: [add(s, mul(e, e))], xs=[rows], types=[ANY_REAL])[0]

    return for_(2, [Lit(1.0)], lambda i, s: [
        if_(gt(at(u, i), 0.0), lambda: mul(s, arm()), lambda: s, [ANY_REAL])], types=[ANY_REAL])[0]


def outer_read(x: Any, u: Any) -> Any:
    """A scalar and an array of the block around, read at two depths."""
    def body(i: Any, s: Any) -> Any:
        t = if_(gt(s, 2.0), lambda: mul(x, sum_(u)), lambda: mul(at(u, i), x), [ANY_REAL])
        return [add(s, t)]

    return mul(for_(dim(u, axis=0), [x], body, types=[ANY_REAL])[0], x)


def swapped(u: Any) -> Any:
    def body(k: Any, a: Any, b: Any) -> Any:
        n = dim(u, axis=0)
        (b, _) = for_(sub(n, 1), [b], lambda i, b: [put(b, mul(at(a, sub(i, 1)), at(a, add(i, 1))), i)], start=1)
        return [b, a]

    a, _, _ = for_(4, [u, mul(u, 1.0)], body)
    return sum_(mul(a, a))


def slices(u: Any) -> Any:
    def cut(x: Any, lo: int, hi: int) -> Any:
        return index(x, lo, hi, key=("s110",))

    def body(t: Any, w: Any) -> Any:
        inner = add(cut(w, 1, -1), mul(0.1, mul(cut(w, 0, -2), sin(index(w, 2, key=("s100",))))))
        return [store(w, inner, 1, -1, key=("s110",))]

    (u, _) = for_(3, [u], body)
    return sum_(mul(u, u))


def layers(w: Any, x: Any) -> Any:
    (h, _) = for_(3, [x], lambda t, h: [tanh(matmul(w, h))])
    return matmul(h, h)


CASES: list[tuple[Callable[..., Any], list[Any], list[Any]]] = [
    (straight, [FLOAT, FLOAT], [1.3, 0.4]), (arrays, [VEC, VEC], [U, V]), (broadcasting, [MAT, VEC], [A, U[:4]]),
    (power, [FLOAT], [0.7]), (prefix, [VEC], [U]), (recurrence, [VEC, FLOAT], [U, 0.3]), (nested, [MAT], [A]),
    (branches, [VEC], [U]), (skipping, [VEC], [U]), (newton, [FLOAT], [7.0]),
    (crossing, [VEC], [U]), (unassigned, [VEC], [U]),
    (constant_or_unassigned, [VEC, VEC], [U, V]), (raising, [VEC], [U]), (masked, [VEC], [U]), (listed, [VEC], [U[:3]]),
    (list_by_position, [VEC], [U[:4]]), (list_in_branch, [VEC], [U]),
    (outer_read, [FLOAT, VEC], [0.6, U]), (swapped, [VEC], [U]), (slices, [VEC], [U]),
    (layers, [SQUARE, VEC], [A, U[:4]]),
]
IDS = [c[0].__name__ for c in CASES]
REWRITES = pytest.mark.parametrize("rules", [None, rewrite], ids=["plain", "rewritten"])


def expanded(fn: Fn, rules: Any) -> Fn:
    verify(fn)
    return verify(expand(fn, rewrite=rules))


@REWRITES
@pytest.mark.parametrize("body, types, args", CASES, ids=IDS)
def test_reverse(body: Callable[..., Any], types: list[Any], args: list[Any], rules: Any) -> None:
    f = function(body, *types)
    wrt = range(len(types))
    made = run(expanded(gradient_of(f, wrt), rules), args)
    for k in wrt:
        np.testing.assert_allclose(made[k], differences(value(f), args, k), rtol=2e-5, atol=1e-7)


@REWRITES
@pytest.mark.parametrize("body, types, args", CASES, ids=IDS)
def test_forward(body: Callable[..., Any], types: list[Any], args: list[Any], rules: Any) -> None:
    f = function(body, *types)
    for k in range(len(types)):
        v = rng.normal(size=np.shape(args[k]))[()]
        made = run(expanded(tangent_of(f, k), rules), [*args, v])
        np.testing.assert_allclose(made[0], np.sum(differences(value(f), args, k) * v), rtol=2e-5, atol=1e-7)


def _second(outer_: str, inner: str, body: Callable[..., Any], types: Sequence[Any]) -> Fn:
    """A scalar function whose derivative is one of second order: of a gradient, the sum of it times
    the argument; of a tangent, the tangent along the argument."""
    f = function(body, *types)
    params = [Value(p.type, p.hint) for p in f.params]
    with Builder() as b:
        if inner == "vjp":
            (g,) = grad_(f, params)
            made = sum_(mul(g, params[0])) if types[0] != FLOAT else mul(g, params[0])
        else:
            (made,) = jvp_(f, params, [sin(params[0])])
    return b.finish("h", params, [made])


@REWRITES
@pytest.mark.parametrize("inner", ["vjp", "jvp"])
@pytest.mark.parametrize("outer_", ["vjp", "jvp"])
@pytest.mark.parametrize("body, types, args", CASES, ids=IDS)
def test_second_order(body: Callable[..., Any], types: list[Any], args: list[Any], outer_: str, inner: str,
                      rules: Any) -> None:
    h = _second(outer_, inner, body, types)
    plain = verify(expand(h))
    want = differences(value(plain), args, 0)
    if outer_ == "vjp":
        (made,) = run(expanded(gradient_of(h, [0]), rules), args)
    else:
        v = rng.normal(size=np.shape(args[0]))[()]
        (made,) = run(expanded(tangent_of(h, 0), rules), [*args, v])
        want = np.sum(want * v)
    np.testing.assert_allclose(made, want, rtol=3e-5, atol=1e-6)


def test_perturbation_confusion() -> None:
    """D_x (x * D_y (x + y)) is 1."""
    def inner(x: Any) -> Any:
        f = function(lambda y: add(x, y), FLOAT)
        (d,) = grad_(f, [Lit(2.0)])
        return mul(x, d)

    g = gradient_of(function(inner, FLOAT), [0])
    assert run(expanded(g, None), [3.0]) == [1.0]


def test_gradient_inside_a_loop() -> None:
    """x is moved down its own gradient, and that is differentiated."""
    def descent(x: Any) -> Any:
        f = function(lambda y: mul(sin(y), mul(y, x)), ANY_REAL)
        return for_(4, [x], lambda i, y: [sub(y, mul(0.1, grad_(f, [y])[0]))], types=[ANY_REAL])[0]

    f = function(descent, FLOAT)
    want = differences(value(verify(expand(f))), [0.8], 0)
    np.testing.assert_allclose(run(expanded(gradient_of(f, [0]), rewrite), [0.8])[0], want, rtol=1e-6)
    np.testing.assert_allclose(run(expanded(tangent_of(f, 0), rewrite), [0.8, 1.0])[0], want, rtol=1e-6)


def test_masked_elements_give_no_nan() -> None:
    (du,) = run(expanded(gradient_of(function(masked, VEC), [0]), rewrite), [U])
    assert np.isfinite(du).all()



@pytest.mark.parametrize("body, types, args", CASES, ids=IDS)
def test_pullback(body: Callable[..., Any], types: list[Any], args: list[Any]) -> None:
    """A pullback may be called again and again, and does not see what the caller changes meanwhile."""
    f = function(body, *types)
    params = [Value(p.type, p.hint) for p in f.params]
    n = len(types)
    attrs = {"wrt": tuple(range(n)), "seeded": (0,), "names": ("dy",), "params": Node("tuple", (0,), (Leaf(0),)),
             "result": Node("tuple", tuple(range(n)), tuple(map(Leaf, range(n))))}
    with Builder() as b:
        outs = b.emit(pullback, params, attrs, regions=(f,), types=[*(r.type for r in f.results), Function()])
    fn = expanded(b.finish("h", params, outs), rewrite)
    want = run(expanded(gradient_of(f, range(n)), None), args)
    for done in (verify(storage(fn)), storage(fn, copies=True)):
        given = [np.copy(a) if np.ndim(a) else a for a in args]
        _, back = run(done, given, inplace=True)
        for a in given:
            if isinstance(a, np.ndarray):
                a[...] = np.nan
        first, second = back(1.0), back(2.0)
        for once, twice, g in zip(first, second, want):
            np.testing.assert_allclose(once, g, rtol=1e-12)
            np.testing.assert_allclose(twice, 2.0 * g, rtol=1e-12)
            assert not np.shares_memory(once, twice)


def test_opaque_calls_are_refused_where_they_cut_a_derivative() -> None:
    log_it = Value(Opaque(), "log")

    def body(x: Any) -> Any:
        apply(log_it, mul(x, 2.0))
        return mul(x, x)

    def harmless(x: Any) -> Any:
        apply(log_it, gt(x, 2.0))
        print_(x)
        return mul(x, x)

    for transform in (gradient_of(function(body, FLOAT), [0]), tangent_of(function(body, FLOAT), 0)):
        with pytest.raises(SctError, match="SCT401"):
            expand(transform)
    expand(gradient_of(function(harmless, FLOAT), [0]))


def test_single_precision_stays_single() -> None:
    """A scalar of single precision that a loop carries does not make arrays double."""
    vec, single = array("f32", sym("n")), Tensor("np", "f32")

    def body(u: Any, s: Any) -> Any:
        def step(i: Any, s: Any) -> Any:
            return [if_(gt(s, 0.1), lambda: sum_(mul(u, mul(s, at(u, i)))), lambda: mul(s, 2.0), [single])]

        return for_(3, [s], step)[0]

    f = function(body, vec, single)
    u, s = rng.uniform(0.1, 0.5, 4), 0.7
    want = [differences(lambda u, s: float(value(f)(u, s)), [u, s], k, 1e-6) for k in range(2)]
    args = [u.astype("f4"), np.float32(s)]
    du, ds = run(expanded(gradient_of(f, [0, 1]), rewrite), args)
    assert du.dtype == np.float32
    np.testing.assert_allclose(du, want[0], rtol=1e-4)
    np.testing.assert_allclose(ds, want[1], rtol=1e-4)
    (made,) = run(expanded(tangent_of(f, 1), rewrite), [*args, np.float32(1.0)])
    np.testing.assert_allclose(made, want[1], rtol=1e-4)
