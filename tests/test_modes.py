"""The modes follow from one another: every program of tests/programs/ in every mode, and in modes of modes.

Along one direction d and for one cotangent c all modes give one number, <c, Df d>, and the modes of modes
one number, <c, D(Df d) e>: that is compared, and with central differences.  A mode that a program does not
have is refused, with the code that it is refused with alone.

Then what programs there do not do, in the same modes, and what is given as a tangent or cotangent.
"""

from __future__ import annotations

import types
import warnings
import zlib
from collections import namedtuple
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pytest
from test_jacobian import part, product, times
from test_programs import Program, active, every_program
from trees import fields, flat, is_float, leaves, moved, random_like, same_bits

import sct
from sct import (
    SctError,
    SctWarning,
    emit,
    grad,
    hessian,
    hvp,
    jacfwd,
    jacobian,
    jacrev,
    jvp,
    value_and_grad,
    vjp,
)
from sct.ir.core import bound_values
from sct.passes import pipeline

REFUSED = {"SCT406", "SCT413"}
LINKED = {"SCT204", "SCT301", "SCT307", "SCT310", "SCT502", "SCT503"}
"""A derivative inside a function, of objects that a loop or a recursion links: their columns are outside of it."""
ATTEMPTS = {"SCT402", "SCT209"}
"""Reverse mode of tangents that are missing where an attempt raised; what Python says of an exception, in a wrapper."""
"""A list of any length has no Jacobian; a list from outside is taken apart, and no tangent of one of any length."""


@dataclass
class Point:
    """A program at its arguments, with two directions and a cotangent."""

    f: Callable[..., Any]
    args: tuple[Any, ...]
    backend: str = "numpy"
    argnums: tuple[int, ...] = field(init=False)

    def __post_init__(self) -> None:
        rng = np.random.default_rng(7)
        self.argnums = active(self.args)
        self.d, self.e = random_like(self.args, rng), random_like(self.args, rng)
        self.value = self.run(self.args)
        self.c = random_like(self.value, rng)

    def run(self, args: tuple[Any, ...]) -> Any:
        """The plain call, on copies."""
        return self.f(*moved(args, self.d, 0.0))

    @property
    def scalar(self) -> bool:
        return is_float(self.value) and np.size(self.value) == 1

    def along(self, direction: Any) -> tuple[Any, ...]:
        return tuple(direction[i] for i in self.argnums)

    def of(self, tangent: Any) -> float:
        """<c, tangent>"""
        return float(flat(self.c) @ flat(tangent))

    def dot(self, gradients: Any, direction: Any) -> float:
        """<gradients of the arguments, direction>"""
        return float(flat(gradients) @ flat(self.along(direction)))


Modes = dict[str, Callable[[], float]]


def first_orders(p: Point) -> Modes:
    """<c, Df d> by each mode."""
    f, args, argnums, backend = p.f, p.args, p.argnums, p.backend

    def dense(transform: Any) -> Callable[[], float]:
        return lambda: p.of(product(transform(f, argnums, backend=backend)(*args), p.value, p.along(p.d)))

    def pulled() -> float:
        cts = vjp(f, *args, backend=backend)[1](p.c)
        return p.dot(tuple(cts[i] for i in argnums), p.d)

    found: Modes = {
        "jvp": lambda: p.of(jvp(f, args, p.d, backend=backend)[1]),
        "vjp": pulled, "jacfwd": dense(jacfwd), "jacrev": dense(jacrev), "jacobian": dense(jacobian)}
    if p.scalar:
        c = float(flat(p.c)[0])
        found["grad"] = lambda: c * p.dot(grad(f, argnums, backend=backend)(*args), p.d)
        found["value_and_grad"] = lambda: c * p.dot(value_and_grad(f, argnums, backend=backend)(*args)[1], p.d)
    return found


def second_orders(p: Point, jacobians: bool = True) -> Modes:
    """<c, D(Df d) e> by each mode of a mode; `jacobians`: by Jacobians of Jacobians, too."""
    f, args, argnums, d, e, c = p.f, p.args, p.argnums, p.d, p.e, p.c
    along = p.along(d)

    def tangent(*xs: Any) -> Any:
        return jvp(f, xs, d)[1]

    def cotangent(*xs: Any) -> Any:
        made = vjp(f, *xs)[1](c)
        return tuple(made[i] for i in argnums)

    def nested(outer: Any, inner: Any) -> Callable[[], float]:
        return lambda: p.of(twice(p, outer(inner(f, argnums), argnums)(*args), p.value))

    found: Modes = {
        "jvp of jvp": lambda: p.of(jvp(tangent, args, e)[1]),
        "vjp of jvp": lambda: p.dot(tuple(vjp(tangent, *args)[1](c)[i] for i in argnums), e),
        "jvp of vjp": lambda: p.dot(jvp(cotangent, args, e)[1], d),
        "vjp of vjp": lambda: p.dot(tuple(vjp(cotangent, *args)[1](along)[i] for i in argnums), e)}
    if jacobians:
        found |= {"jacrev of jacfwd": nested(jacrev, jacfwd), "jacfwd of jacrev": nested(jacfwd, jacrev)}
    if p.scalar and argnums == (0,):
        found["hvp"] = lambda: float(flat(c)[0]) * float(flat(hvp(f, args, e)) @ flat(d[0]))
    return found


def twice(p: Point, rows: Any, value: Any) -> Any:
    """A Jacobian of a Jacobian of an output like `value` times both directions: a tangent of the output."""
    named = value if isinstance(value, dict) else fields(value)
    if named is not None:
        return {key: twice(p, part(rows, key), named[key]) for key in named}
    if isinstance(value, (tuple, list)):
        return type(value)(twice(p, r, v) for r, v in zip(rows, value, strict=True))
    if not is_float(value):
        return None
    return contracted(rows, p.along(p.d), lambda block: times(block, p.along(p.e))) + np.zeros(np.shape(value))


def contracted(blocks: Any, direction: Any, inner: Callable[[Any], Any]) -> Any:
    """Blocks arranged as the arguments, each after `inner`, times a direction."""
    named = direction if isinstance(direction, dict) else fields(direction)
    if named is not None:
        return sum(contracted(part(blocks, key), named[key], inner) for key in named)
    if isinstance(direction, (tuple, list)):
        return sum(contracted(b, t, inner) for b, t in zip(blocks, direction, strict=True))
    if direction is None:
        assert blocks is None
        return 0.0
    return np.tensordot(inner(blocks), direction, axes=np.ndim(direction))


def slopes(value: Callable[[Any], float], args: Any, direction: Any) -> Iterator[float]:
    """The derivative of a number along a direction by central differences of fourth order, for several steps."""
    for h in (1e-3, 1e-4, 1e-2, 1e-5):
        one, half = ((value(moved(args, direction, k)) - value(moved(args, direction, -k))) / (2.0 * k)
                     for k in (h, h / 2))
        yield (4.0 * half - one) / 3.0


def agreed(p: Point, modes: Modes, refused: set[str] = REFUSED) -> float | None:
    """The number that the modes give, None where all are refused."""
    found: dict[str, float] = {}
    for name, run in modes.items():
        try:
            found[name] = run()
        except SctError as error:
            assert error.code in refused, f"{name}: {error}"
    if not found:
        return None
    numbers = np.array(list(found.values()))
    single = any(leaf.dtype == np.float32 for leaf in (*leaves(p.args), *leaves(p.value)))
    scale = max(1e-3, float(np.max(np.abs(numbers))))
    assert np.all(np.abs(numbers - numbers[0]) <= (2e-2 if single else 1e-6) * scale), found
    return None if single else float(numbers[0])


def holds(p: Point, differences: bool = True) -> None:
    """Every mode gives the derivative, every mode of a mode the second one."""
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        before = moved(p.args, p.d, 0.0)
        first, second = agreed(p, first_orders(p)), agreed(p, second_orders(p))
        assert same_bits(p.args, before), "the caller's arguments were changed"
        if differences:
            for exact, value, direction in (
                    (first, lambda args: p.of(p.run(args)), p.d),
                    (second, lambda args: p.of(jvp(p.f, args, p.d)[1]), p.e)):
                tried = [] if exact is None else list(slopes(value, p.args, direction))
                scale = 1e-6 * max(1.0, abs(exact or 0.0))
                assert exact is None or any(abs(t - exact) <= 1e2 * scale for t in tried), (exact, tried)


@every_program
def test_every_program_in_modes_of_modes(program: Program) -> None:
    """Its first derivatives are those of test_programs.py and test_jacobian.py; lists and attempts may be refused."""
    point = Point(program.function, program.args())
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        refused = REFUSED if holds_list((point.args, point.value)) else set()
        dense = zlib.crc32(program.name.encode()) % 3 == 0  # which cost as much as the others together
        if program.name.startswith("exceptions."):
            refused = refused | ATTEMPTS
        if program.name in ("recursion.linked_list", "recursion.search_tree") or program.name.startswith("trees."):
            refused = refused | LINKED
        agreed(point, second_orders(point, dense), refused)


def holds_list(x: Any) -> bool:
    if isinstance(x, dict):
        return any(map(holds_list, x.values()))
    return isinstance(x, list) or isinstance(x, tuple) and any(map(holds_list, x))




# -- what the programs there do not do -----------------------------------------------------------------


def taped(x: np.ndarray) -> float:
    v = x[0]
    for _ in range(3):
        v = np.tanh(v * x[1])
    return v * x[1]


def taped_rows(x: np.ndarray) -> np.ndarray:
    v = x * x
    for i in range(3):
        v = np.sin(v * x[i]) + v[::-1]
    return v


def loop_in_a_branch(x: np.ndarray) -> np.ndarray:
    v, w = x[0], x * 1.0
    for i in range(4):
        if i % 2 == 0:
            for j in range(3):
                v = np.tanh(v * x[j])
                w[j] = w[j] * v
        else:
            v = v * x[2]
    return w * v


def two_loops_by_turns(x: np.ndarray) -> np.ndarray:
    v = x[0] * x
    for i in range(3):
        for j in range(2):
            v = v * np.cos(x[j] * v[0])
        if v[0] > 0.0:
            for j in range(2, -1, -1):
                v[j] = v[j] * v[0] + x[j]
    return v


def until_small(x: np.ndarray) -> float:
    v, n = x[0], 0
    while v > 0.1:
        v = v * x[1] * 0.9
        n += 1
        if n > 4:
            break
        if n == 2:
            continue
        v = v - 0.01 * x[2] * v
    return v * n


def number_becomes_array(x: np.ndarray, n: int) -> np.ndarray:
    t = 0.0
    for i in range(n):
        t = t + x * i * x[0]
    return t


def number_added_to(x: np.ndarray) -> float:
    p = 0.0
    for k in range(3):
        p += np.sin(k * x)
    return np.sum(p)


def number_in_turn(x: np.ndarray, n: int) -> float:
    total = 0.0
    for _ in range(n):
        inner = 0
        for k in range(2):
            inner = inner + x * x[k]
        total = total + inner * x
    return np.sum(total)


def array_of_no_axes(x: np.ndarray) -> float:
    v = np.array(x[0])
    s = v.item()
    for k in range(3):
        s += x[1] * s * v
    return s


def array_of_no_axes_in_a_branch(x: np.ndarray) -> float:
    s = 0.0
    if x[0] > 0.0:
        v = np.array(x[0])
        s += v * v + 0
    return s


def array_of_no_axes_carried(x: np.ndarray) -> np.ndarray:
    v = np.array(x[0])
    for k in range(3):
        v = np.asarray(v * x[k])
    return v * x


def scaled(q: np.ndarray, m: np.ndarray) -> np.ndarray:
    a = np.zeros_like(q)
    for i in range(len(m)):
        a[i] += m[i] * q[i]
    return a


def helper_of_its_own_result(q: np.ndarray, m: np.ndarray) -> float:
    return np.sum(scaled(scaled(q, m), m) ** 2)


def forces(q: np.ndarray, m: np.ndarray) -> np.ndarray:
    a = np.zeros_like(q)
    for i in range(len(m)):
        for j in range(len(m)):
            if i != j:
                d = q[j] - q[i]
                a[i] += m[j] * d / (d * d + 0.1)
    return a


def helper_by_more_and_less(q: np.ndarray, m: np.ndarray) -> np.ndarray:
    a = forces(q, m)
    q = q + 0.1 * a
    return forces(q, m) * q


def previous_is_none(x: np.ndarray) -> float:
    previous = None
    s = 0.0
    for v in x:
        if previous is not None:
            s += (v - previous) ** 3
        previous = v
    return s


def largest_so_far(x: np.ndarray) -> float:
    best, s = None, 0.0
    for v in x:
        if best is None or v > best:
            best = v * v
        s += best * v
    return s


def first_above(values: list[float], threshold: float) -> tuple[int, float]:
    for i, v in enumerate(values):
        if v > threshold:
            return i, v
    return -1, 0.0


def early_return_of_a_pair(a: float, b: float) -> float:
    i, v = first_above([a * k * k - b for k in range(1, 6)], 3.0)
    if i < 0:
        return a
    return a * v


def early_return_in_loops(a: float, b: float) -> float:
    for i in range(4):
        v = a * i
        for k in range(3):
            v = v * b + k
            if v > 2.0:
                return v * a * b
    return a * b


X = np.array([0.7, 0.4, 1.1])
FEW: list[tuple[Callable[..., Any], tuple[Any, ...]]] = [
    (taped, (X,)), (taped_rows, (X,)), (loop_in_a_branch, (X,)), (two_loops_by_turns, (X,)), (until_small, (X,)),
    (number_becomes_array, (X, 3)), (number_becomes_array, (X, 1)), (number_added_to, (X,)), (number_in_turn, (X, 2)),
    (array_of_no_axes, (X,)), (array_of_no_axes_in_a_branch, (X,)), (array_of_no_axes_carried, (X,)),
    (helper_of_its_own_result, (X, X[::-1].copy())), (helper_by_more_and_less, (X, X + 0.2)), (previous_is_none, (X,)),
    (largest_so_far, (X,)), (early_return_of_a_pair, (1.5, 0.7)), (early_return_of_a_pair, (0.1, 0.7)),
    (early_return_in_loops, (1.2, 0.9)), (early_return_in_loops, (0.1, 0.2))]


@pytest.mark.parametrize(("f", "args"), FEW, ids=lambda x: getattr(x, "__name__", ""))
def test_programs_unlike_those(f: Callable[..., Any], args: tuple[Any, ...]) -> None:
    holds(Point(f, args))


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("reduce", [np.nanmax, np.nansum, np.nanmin, np.nanmean])
def test_what_is_not_selected_is_not_nan(dtype: Any, reduce: Callable[..., Any]) -> None:
    def f(x, scale):
        z = np.where(x > 1.5, np.nan, x) * scale
        return reduce(z) / z.size

    def g(x, scale):
        return reduce((np.where(x > 1.5, np.nan, x) * scale).astype(np.float32))

    x = np.array([0.5, 1.0, 1.7], dtype)
    for h in (f, g):
        want = (h(x, 1.5) - h(x, 1.0)) / 0.5
        np.testing.assert_allclose([grad(h, 1)(x, 1.3), jvp(h, (x, 1.3), (None, 1.0))[1]], want, rtol=1e-5)


# -- tangents and cotangents ---------------------------------------------------------------------------


def product_of(x: np.ndarray) -> np.ndarray:
    return np.sin(x) * x


def pushed(x: Any, v: Any) -> Any:
    return np.sum(jvp(product_of, (x,), (v,))[1])


def pulled(x: Any, v: Any) -> Any:
    return np.sum(vjp(product_of, x)[1](v)[0])


@pytest.mark.parametrize("f", [pushed, pulled])
@pytest.mark.parametrize("v", [np.ones(1), np.ones(2), np.ones((3, 1)), 2.0, np.float64(2.0), np.array(1.0)], ids=repr)
def test_inside_as_outside_a_shape_is_refused(f: Callable[..., Any], v: Any) -> None:
    with pytest.raises(SctError) as plain:
        f(X, v)
    assert plain.value.code == "SCT904"
    with pytest.raises(SctError) as inside:
        value_and_grad(f)(X, v)
    assert inside.value.code == "SCT406"


@pytest.mark.parametrize("f", [pushed, pulled])
@pytest.mark.parametrize("v", [np.arange(3), np.ones(3, np.float32) / 3, np.array([True, False, True])], ids=repr)
@pytest.mark.parametrize("x", [X, X.astype(np.float32)], ids=["f64", "f32"])
def test_inside_as_outside_a_dtype_is_converted(f: Callable[..., Any], v: Any, x: np.ndarray) -> None:
    plain, inside = f(x, v), value_and_grad(f)(x, v)[0]
    assert type(plain) is type(inside)
    np.testing.assert_allclose(inside, plain, rtol=1e-6)


@pytest.mark.parametrize("v", [np.array([2.0, 0.0, 2.0]), np.array([2.0, 0.0, 0.0])])
def test_sizes_that_are_not_known_are_compared_at_run_time(v: np.ndarray) -> None:
    def f(x, v):
        return np.sum(jvp(product_of, (x[x > 0.0],), (v[v > 1.0],))[1])

    with pytest.raises(ValueError, match="a tangent has the shape of its primal"):
        value_and_grad(f)(X, v)
    value_and_grad(f)(X, np.array([2.0, 3.0, 2.0]))


def test_none_is_zero_inside() -> None:
    def f(x, v):
        pullback = vjp(lambda x: (x * x, x), x)[1]
        return np.sum(pullback((v, None))[0])

    assert value_and_grad(f)(X, np.ones(3))[0] == f(X, np.ones(3))


Pair = namedtuple("Pair", ["a", "b"])


@dataclass
class Weights:
    a: float
    b: np.ndarray


@pytest.mark.parametrize("kind", [Pair, Weights])
def test_objects_from_outside_are_tangents(kind: Any) -> None:
    def f(p):
        return p.a * p.a * np.sum(p.b**2)

    p, d = kind(1.5, np.ones(3)), kind(1.0, np.ones(3))

    def slope(p):
        return jvp(f, (p,), (d,))[1]

    value, tangent = jvp(slope, (p,), (d,))
    assert value == slope(p)
    np.testing.assert_allclose(tangent, sum(jvp(slope, (p,), (d,))[1:]))
    np.testing.assert_allclose(tangent, (slope(kind(1.5 + 1e-5, np.ones(3) + 1e-5)) - slope(p)) / 1e-5, rtol=1e-3)


def module_vjp(f: Callable[..., Any], **given: str) -> Callable[..., Any]:
    module = types.ModuleType("emitted")
    exec(emit(f, "vjp", types=given), vars(module))
    return vars(module)[f"{f.__name__}_vjp"]


def chained(x, y):
    z = x * y
    for i in range(1, len(x)):
        z[i] = z[i] * z[i - 1]
    return z


def summed(x, y):
    s = 0.0
    for i in range(len(x)):
        s += x[i] * y[i] * s + x[i]
    return s


def several(x, y):
    return np.sum(x) * y, (x, {"a": x * y, "n": 3})


def same(x, y):
    return x


@pytest.mark.parametrize("f", [chained, summed, several, same])
def test_a_pullback_in_a_module_is_as_that_of_vjp(f: Callable[..., Any]) -> None:
    y = 2.0 * X
    value, here = vjp(f, X, y)
    alone = module_vjp(f, x="f64[n]", y="f64[n]")(X, y)
    assert same_bits(alone[0], value)
    one = {chained: np.array([1, 2, 3]), summed: np.array(2.0), same: np.arange(3),
           several: (np.ones(3), (np.arange(3), {"a": None, "n": None}))}[f]
    before = [leaf.copy() for leaf in leaves(one)]
    for _ in range(2):
        for got, want in zip(alone[1](one), here(one)):
            np.testing.assert_allclose(got, want)
            got += 1.0
    assert all(map(np.array_equal, before, leaves(one)))


@pytest.mark.parametrize("ct", [np.ones(2), np.ones(1), 1.0, np.ones(3) * 1j, "abc", (np.ones(3),)], ids=repr)
def test_a_pullback_in_a_module_refuses(ct: Any) -> None:
    pullback = module_vjp(chained, x="f64[n]", y="f64[n]")(X, 2.0 * X)[1]
    with pytest.raises((TypeError, ValueError)):
        pullback(ct)


@pytest.mark.parametrize("ct", [(np.ones(3),), (np.ones(3), np.ones(3)), (np.ones(3), (np.ones(3), {"a": None})),
                                (np.ones(3), (np.ones(3), {"a": None, "n": 1.0}))], ids=repr)
def test_a_pullback_in_a_module_refuses_another_arrangement(ct: Any) -> None:
    pullback = module_vjp(several, x="f64[n]", y="f64[n]")(X, 2.0 * X)[1]
    with pytest.raises(TypeError, match="must be"):
        pullback(ct)


# -- passes are pure ---------------------------------------------------------------------------------------


def diffuse(u, steps):
    for _ in range(steps):
        u[1:-1] += 0.4 * (u[:-2] - 2.0 * u[1:-1] + u[2:])
    return u


def misfit(start, observed, steps):
    end = diffuse(start.copy(), steps)
    return np.sum((end - observed) ** 2) + 1e-5 * np.sum((start[1:] - start[:-1]) ** 2)


def body(text: str) -> list[str]:
    """The statements, from the first assignment on."""
    lines = [line.strip() for line in text.splitlines()]
    first = next(k for k, line in enumerate(lines) if " = " in line and "import" not in line)
    return [line for line in lines[first:] if "raise" not in line]


def test_source_and_module_are_one() -> None:
    derivative = value_and_grad(misfit, (0, 1))
    derivative(np.linspace(0, 1, 5) ** 2, np.zeros(5), 3)
    source = body(derivative.source)
    assert body(derivative.module())[-len(source):] == source
    assert derivative.source == derivative.source_for({"start": "f64[n]", "observed": "f64[n]", "steps": "int"})


@pytest.mark.parametrize("f", [taped_rows, two_loops_by_turns, previous_is_none, largest_so_far])
def test_stages_leave_the_stage_before_as_it_was(f: Callable[..., Any]) -> None:
    for transform in (grad, jacrev, hessian) if f in (previous_is_none, largest_so_far) else (jacfwd, jacrev):
        traced = sct.frontend.trace_ahead(transform(f).__sct_transform__, {"x": "f64[n]"})
        before = [(v, v.hint, v.type, v.dim) for v in bound_values(traced.fn)]
        first = sct.derivative.emit(traced).text
        pipeline.run(traced.fn, verify=True)
        assert [(v, v.hint, v.type, v.dim) for v in bound_values(traced.fn)] == before
        assert sct.derivative.emit(traced).text == first


def test_a_pass_that_changes_its_input_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    def renames(fn: Any) -> Any:
        for v in bound_values(fn):
            v.hint = "other"
        return fn

    monkeypatch.setattr(pipeline, "cse", renames)
    traced = sct.frontend.trace_ahead(grad(taped).__sct_transform__, {"x": "f64[n]"})
    with pytest.raises(AssertionError, match="cse"):
        pipeline.run(traced.fn, verify=True)


# -- what is computed in vain, and Numba ---------------------------------------------------------------------


def smooth(T, A, B):
    n = A.shape[0]
    for _ in range(T):
        for i in range(1, n - 1):
            B[i] = 0.3 * (A[i - 1] + A[i] + A[i + 1])
        for i in range(1, n - 1):
            A[i] = 0.3 * (B[i - 1] + B[i] + B[i + 1])
    return np.sum(A)


def test_loops_whose_results_nobody_reads_go() -> None:
    derivative = grad(smooth, argnums=(1, 2))
    A, B = np.linspace(0.0, 1.0, 6), np.linspace(1.0, 0.0, 6)
    derivative(3, A, B)
    assert derivative.source.count("for ") == 3
    holds(Point(smooth, (2, A, B)))


numba = pytest.importorskip("numba", reason="a test of the Numba backend")


@pytest.mark.parametrize("argnums", [(0,), (0, 1), 0])
def test_the_result_of_a_kernel_is_given(argnums: Any) -> None:
    def f(x, y):
        s = 0.0
        for i in range(len(x)):
            s += x[i] * y[i] * s + x[i]
        return s

    compiled, plain = grad(f, argnums, backend="numba"), grad(f, argnums)
    with warnings.catch_warnings():
        warnings.simplefilter("error", SctWarning)
        np.testing.assert_allclose(compiled(X, 2.0 * X), plain(X, 2.0 * X))
    assert not compiled._latest.run.again


def test_a_negative_power_of_an_int_raises_in_a_kernel() -> None:
    def f(x, n, p):
        s = 0.0
        for i in range(n):
            s = s + x[i] ** p
        return s

    assert value_and_grad(f, backend="numba")(np.arange(5), 3, 2)[0] == 5.0
    with pytest.raises(ValueError, match="negative integer powers"):
        value_and_grad(f, backend="numba")(np.arange(5), 3, -2)


def test_falling_back_warns() -> None:
    source = sct.codegen.Source("def f(x):\n    raise ValueError('no')\n", "f")
    run = sct.codegen.numba.disk_cache.load_compiled(source, lambda: lambda x: x + 1.0, effects=False)
    with pytest.warns(SctWarning, match="ValueError: no"):
        assert run(1.0) == 2.0
    run = sct.codegen.numba.disk_cache.load_compiled(source, lambda: lambda x: 1.0 / 0.0, effects=False)
    with pytest.raises(ZeroDivisionError), warnings.catch_warnings():
        warnings.simplefilter("error")
        run(1.0)
