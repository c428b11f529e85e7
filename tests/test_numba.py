"""backend="numba": what it gives, what it refuses, and what is kept on disk.

Against the NumPy backend, which is tested on its own; against plain execution for what raises.
"""

import itertools
import linecache
import math
import os
import subprocess
import sys
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numba_programs
import numpy as np
import pytest

numba = pytest.importorskip("numba")

from test_programs import PROGRAMS, Program  # noqa: E402
from trees import copied, flat, is_float, leaves  # noqa: E402

from benchmarks.numba_handwritten import PROGRAMS as BY_HAND  # noqa: E402
from benchmarks.numba_handwritten import logistic_map  # noqa: E402
from sct import SctError, SctWarning, grad, hessian, hvp, jacobian, jvp, value_and_grad, vjp  # noqa: E402
from tests.fuzz import control  # noqa: E402
from tests.fuzz.check import Sct, check  # noqa: E402

SCALAR = [p for p in PROGRAMS if is_float(p.function(*p.args())) and np.size(p.function(*p.args())) == 1]

COMPILED = {
    "control":
        "sir lotka_volterra pid riccati bisection viterbi edit_distance shortest_path value_iteration inventory "
        "traffic thermostat",
    "estimation": "student_nll welford exponential_smoothing garch kalman_position kalman_missing histogram_loss",
    "exemplars":
        "seed cube logistic_map newton_sqrt first_crossing recurrence thomas seidel soft_dtw pendulum "
        "barrier_option kalman sir_loss",
    "finance":
        "black_scholes implied_volatility american_put bond_price yield_to_maturity mortgage asian_paths "
        "drawdown",
    "helpers": "closure_twice",
    "issue": "seed cube logistic_map eccentric_anomaly miss log_determinant soft_dtw spread energy",
    "language":
        "scattered_add writes_in_branches nested_exits loop_else while_else short_circuit walrus unpacked "
        "called_with_keywords closures zipped integer_arithmetic shadowed zero_trips asserted many_returns",
    "nested": "newton_minimum confused deeply_confused pullback_twice physics_informed sensitivity_of_loop",
    "numerics":
        "horner clenshaw cumulative_products moving_average prefix_maximum gauss_seidel spline bessel_integral "
        "adaptive_quadrature geometric_mean continued_fraction secant fixed_point romberg aitken sort_network "
        "mandelbrot",
    "physics": "van_der_pol spring_chain bouncing_particle projectile_range cooling ray_through_layers rigid_rotation",
    "recursion": "expr",
    "users": "pid_cost epidemic pendulum ar2 gains pairs smear weighted",
}
"""Programs of which some part is compiled, by file; others may run as NumPy, with a warning."""

NAMES = {f"{file}.{name}" for file, names in COMPILED.items() for name in names.split()}


@pytest.fixture(scope="module", autouse=True)
def cache(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """No test finds what another run has compiled; Numba checks the subscripts that are proved, too."""
    before = os.environ.get("SCT_CACHE_DIR")
    os.environ["SCT_CACHE_DIR"] = str(tmp_path_factory.mktemp("cache"))
    numba.config.BOUNDSCHECK = 1
    yield Path(os.environ["SCT_CACHE_DIR"])
    numba.config.BOUNDSCHECK = None
    if before is None:
        del os.environ["SCT_CACHE_DIR"]
    else:
        os.environ["SCT_CACHE_DIR"] = before


def ran_compiled(derivative: Any) -> bool:
    """Did no kernel raise?"""
    return not derivative._latest.run.again


def same(f: Callable[..., Any], *args: Any, argnums: Any = 0, rtol: float = 1e-9) -> Any:
    """Value and gradient as the NumPy backend gives them, from compiled code; the arguments as they were."""
    derivative = value_and_grad(f, argnums, backend="numba")
    given = copied(args)
    found = derivative(*args)
    expected = value_and_grad(f, argnums)(*copied(given))
    np.testing.assert_allclose(flat(found), flat(expected), rtol=rtol, atol=1e-11)
    for got, wanted in zip(leaves(found), leaves(expected), strict=True):
        assert np.asarray(got).dtype == np.asarray(wanted).dtype
    for arg, before in zip(args, given, strict=True):
        np.testing.assert_array_equal(arg, before)
    assert ran_compiled(derivative)
    return derivative


# -- programs --------------------------------------------------------------------------------


# Compiling takes a minute or two: all on one Python, a part on the others.
@pytest.mark.parametrize("program", SCALAR if sys.version_info[:2] == (3, 12) else SCALAR[::5], ids=str)
def test_programs(program: Program) -> None:
    args = program.args()
    argnums = tuple(i for i, arg in enumerate(args) if leaves(arg))
    derivative = value_and_grad(program.function, argnums, backend="numba")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = derivative(*args)
        expected = value_and_grad(program.function, argnums)(*program.args())
    np.testing.assert_allclose(flat(found), flat(expected), rtol=1e-9, atol=1e-11)
    np.testing.assert_array_equal(flat(args), flat(program.args()))
    if "njit" in derivative.source:
        assert ran_compiled(derivative)
    else:
        assert program.name not in NAMES


def test_names_are_of_programs() -> None:
    assert {p.name for p in SCALAR} >= NAMES


@pytest.mark.parametrize("seed", [0, 1, 2, 9, 11, 14, 18, 33, 39, 13])
def test_random_programs(seed: int) -> None:
    verdict = check(control.generate(seed), Sct("numba"), ("value_and_grad",))
    assert verdict.status == "ok", f"{verdict.reason}\n{verdict.detail}"


# -- control flow ----------------------------------------------------------------------------


def leaves_early(x, n):
    for i in range(n):
        x = math.sin(x) + 0.1 * i
        if x > 1.2:
            return 2.0 * x
        if x < 0.2:
            continue
        if i == 6:
            break
        x *= 1.1
    return x


def while_in_for(x, n):
    total = 0.0
    for i in range(n):
        k = i
        while k > 0 and x * k < 9.0:
            total += math.exp(-x * k)
            k -= 2
    return total


def triangle(x, n):
    s = x
    for i in range(n):
        for j in range(i):
            s = math.sin(s * x) + j
    return s


def forever(x):
    k = 0
    while True:
        k += 1
        if k > 4:
            x = x * x
            break
        x = math.cos(x) * x
    return x


def down_and_by_three(a, x):
    for i in range(len(a) - 1, -1, -1):
        x = x * a[i] + 1.0
    for i in range(1, len(a), 3):
        x += math.sin(x) * a[i]
    for i in range(len(a), 0, -2):
        x = math.cos(x * a[i - 1])
    return x


def over_values(a, b):
    s = 0.0
    for x, y in zip(a, b):
        s = math.tanh(s + x * y)
    for i, x in enumerate(a):
        s += i * x * s
    for x in reversed(a):
        s = math.sin(s) + x
    return s


@pytest.mark.parametrize("n", [0, 1, 2, 7, 12])
@pytest.mark.parametrize("f", [leaves_early, while_in_for, triangle], ids=lambda f: f.__name__)
def test_exits(f: Callable[..., Any], n: int) -> None:
    same(f, 0.7, n)


def one_way_out(x):
    k = 0
    while True:
        k += 1
        if k > 3:
            if x < 5.0:
                x = x * 2.0
                break
            x *= 0.9
        x = math.sin(x) + x * 0.3
    return x


def counted_up(x):
    y = x
    for k in itertools.count(1):
        better = 0.5 * (y + x / y)
        if abs(better - y) < 1e-9:
            break
        y = better + 0.01 / 2.0**k
    return better * k


def test_forever() -> None:
    same(forever, 0.7)
    same(one_way_out, 0.5)
    same(counted_up, 3.0)


@pytest.mark.parametrize("n", [0, 1, 2, 8])
def test_steps(n: int) -> None:
    a = np.linspace(0.2, 0.9, n)
    same(down_and_by_three, a, 0.3, argnums=(0, 1))
    same(over_values, a, a[::-1].copy(), argnums=(0, 1))


def long_helper(x, y):
    s = x
    for i in range(3):
        s = math.sin(s * y) + math.cos(x * i) * y
        s = s * x + y * math.exp(-s * s)
        if s > 0.5:
            s = s - y * math.tanh(s)
        else:
            s = s * x - 0.1 * math.sin(y)
    return s


def calls_helper_again(x):
    t = long_helper(x, 1.3)
    for _ in range(4):
        t = long_helper(t, x)
    return t


def test_helpers_are_part_of_the_kernel() -> None:
    assert "def long_helper" not in same(calls_helper_again, 0.4).source


# -- arguments -------------------------------------------------------------------------------


def smoothed(u, k):
    u = u.copy()
    for i in range(1, len(u)):
        u[i] += k * u[i - 1] * u[i]
    return u[-1] * u[0]


def written(u, v):
    for i in range(1, len(u)):
        u[i] = u[i] * v[i - 1]
    return u[len(u) - 1]


def chosen(a, mask, where):
    s = 0.0
    for i in range(len(a)):
        if mask[i]:
            s = s * a[where[i]] + a[i]
    return s


def single(u):
    s = np.float32(0.0)
    for i in range(len(u)):
        s += np.sin(u[i]) * 0.1 * u[i]
    return s


def test_layouts() -> None:
    u = np.linspace(0.5, 1.5, 12)
    derivative = same(smoothed, u, 0.3, argnums=(0, 1))
    before = derivative.source
    for strided in (u[::2], u[::-1], np.linspace(0.5, 1.5, 12).reshape(3, 4).T[1]):
        same(smoothed, strided, 0.3, argnums=(0, 1))
    assert derivative.source == before
    readonly = u.copy()
    readonly.flags.writeable = False
    same(smoothed, readonly, 0.3)


def test_aliases() -> None:
    u = np.linspace(0.5, 1.5, 6)
    same(written, u, u.copy(), argnums=(0, 1))
    same(lambda v: written(v, v), u)


def test_other_types() -> None:
    a = np.linspace(0.5, 1.5, 5)
    same(chosen, a, np.array([True, False, True, True, False]), np.array([4, 3, 2, 1, 0]))
    same(chosen, a[:0], np.array([], dtype=bool), np.array([], dtype=int))
    derivative = same(single, np.linspace(0.1, 1.0, 7, dtype=np.float32), rtol=1e-5)
    assert derivative(np.ones(3, dtype=np.float32))[1].dtype == np.float32
    same(leaves_early, np.float64(0.7), 5)
    assert grad(while_in_for, backend="numba")(1, 4) == pytest.approx(grad(while_in_for)(1, 4))


SCALE = 1.5


def uses_globals(params, x):
    s = x
    for i in range(3):
        s = math.tanh(s * SCALE * params["w"] + params["b"][i])
    return s


def test_containers_and_globals() -> None:
    params = {"w": 0.7, "b": np.array([0.1, 0.2, 0.3])}
    derivative = value_and_grad(uses_globals, backend="numba")
    found, expected = derivative(params, 0.3), value_and_grad(uses_globals)(params, 0.3)
    np.testing.assert_allclose(flat(found), flat(expected), rtol=1e-12)
    assert found[1].keys() == params.keys()
    assert ran_compiled(derivative)


# -- what raises -----------------------------------------------------------------------------


def divides(x, n):
    for i in range(n):
        x = 1.0 / (x - i)
    return x


def takes_log(x, n):
    for i in range(n):
        x = math.log(x) - i
    return x


def overflows(x, n):
    for _ in range(n):
        x = math.exp(x) ** 3
    return x


def reads_past(a, n):
    s = 0.0
    for i in range(n):
        s += a[i] * a[i]
    return s


def unassigned(x, n):
    for i in range(n):
        y = x * i
    return y * x


def rejects(x, n):
    for i in range(n):
        if x > 2.0:
            raise ValueError(f"{x:.2f} at {i}")
        x *= 1.5
    return x


def modulo(n, x):
    k = 7
    for i in range(3):
        k = k % (n - i) + k // (n - i)
        x *= k
    return x


@pytest.mark.parametrize(
    ("f", "args", "argnums"),
    [
        (divides, (1.0, 3), 0), (divides, (0.5, 3), 0), (takes_log, (0.5, 3), 0), (takes_log, (1.0, 2), 0),
        (takes_log, (math.inf, 1), 0), (overflows, (300.0, 1), 0), (overflows, (0.1, 9), 0),
        (overflows, (math.inf, 2), 0),
        (reads_past, (np.ones(3), 4), 0), (reads_past, (np.ones(3), 3), 0), (unassigned, (0.5, 0), 0),
        (unassigned, (0.5, 2), 0), (rejects, (1.0, 9), 0), (rejects, (1.0, 1), 0), (modulo, (1, 0.5), 1),
        (modulo, (9, 0.5), 1), (triangle, (0.5, -3), 0),
    ],
)
def test_raises_as_plain_code_does(f: Callable[..., Any], args: tuple[Any, ...], argnums: int) -> None:
    def outcome(call: Callable[..., Any]) -> Any:
        try:
            return call(*args)
        except Exception as error:
            return type(error), str(error)

    plain = outcome(f)
    found = outcome(value_and_grad(f, argnums, backend="numba"))
    if isinstance(plain, tuple):
        assert found == plain
    else:
        np.testing.assert_allclose(flat(found), flat(outcome(value_and_grad(f, argnums))), rtol=1e-12)


POINTS = (0.3, 0.0, -0.0, -0.7, 2.5, 710.0, math.inf, -math.inf, math.nan)
MATH = (
    "exp expm1 log log2 log10 log1p sqrt sin cos tan asin acos atan sinh cosh tanh asinh acosh atanh erf erfc gamma "
    "lgamma fabs floor ceil trunc"
).split()


def outcomes(f: Callable[[float], Any]) -> list[Any]:
    found = []
    for x in POINTS:
        try:
            found.append(float(f(x)))
        except Exception as error:
            found.append((type(error), str(error)))
    return found


@pytest.mark.parametrize("name", MATH)
def test_math_functions_at_edges(name: str) -> None:
    """Values and exceptions of `math`, also at nan, infinities and zeros."""
    function = getattr(math, name)

    def f(x):
        y = 0.0
        for _ in range(1):
            y = y + function(x)
        return y

    compiled = value_and_grad(f, backend="numba")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = outcomes(lambda x: compiled(x)[0])
    for x, got, wanted in zip(POINTS, found, outcomes(f), strict=True):
        if isinstance(wanted, tuple):
            assert got == wanted, x
        else:
            np.testing.assert_allclose(got, wanted, rtol=1e-13, err_msg=str(x))


def arithmetic(x, y):
    s = 0.0
    for i in range(1, 3):
        s += x % y + x // y - max(x, y, s) + min(y, x) * abs(x) - (x > y) + round(x) + int(y) + (x if x else y)
        s += i % -3 + i // -2 + (-i) // 2 + (i << 1 if False else i) + float(i > 1) + x**2 + x**-1 + abs(y) ** 0.5
        s += np.maximum(x, y) - np.minimum(x, s) + np.sign(x) + np.hypot(x, y) + math.atan2(y, x) + math.copysign(x, y)
    return s


def powers_of_ints(x, n):
    for k in range(-2, n):
        x += 2**k * x + 3 ** abs(k)
    return x


def test_arithmetic() -> None:
    same(powers_of_ints, 0.7, 3)
    for x in (0.3, -0.7, 2.5, 3.5):
        for y in (0.4, -1.3, 2.5):
            same(arithmetic, x, y, argnums=(0, 1))


# -- further modes ---------------------------------------------------------------------------


def recurrence(x, a):
    for i in range(len(a)):
        x = math.tanh(a[i] * x + 0.1)
    return x


A = np.linspace(0.2, 1.1, 6)


def test_second_derivatives() -> None:
    for f, args in ((triangle, (0.4, 5)), (leaves_early, (0.4, 9)), (while_in_for, (0.7, 6)), (recurrence, (0.3, A))):
        twice = grad(grad(f), backend="numba")
        assert twice(*args) == pytest.approx(grad(grad(f))(*args), rel=1e-9)
        assert ran_compiled(twice)
        slope = (grad(f)(args[0] + 1e-5, *args[1:]) - grad(f)(args[0] - 1e-5, *args[1:])) / 2e-5
        assert twice(*args) == pytest.approx(slope, rel=1e-4)


def test_other_modes() -> None:
    value, pullback = vjp(recurrence, 0.3, A, backend="numba")
    expected, plain = vjp(recurrence, 0.3, A)
    assert value == expected
    for ct in (1.0, -2.0, 1.0):
        np.testing.assert_allclose(flat(pullback(ct)), flat(plain(ct)), rtol=1e-12)
    found = jvp(recurrence, (0.3, A), (1.0, A), backend="numba")
    np.testing.assert_allclose(flat(found), flat(jvp(recurrence, (0.3, A), (1.0, A))), rtol=1e-12)
    product = hvp(recurrence, (0.3, A), (1.0, None), backend="numba")
    assert product == pytest.approx(hvp(recurrence, (0.3, A), (1.0, None)))
    for kind in (jacobian, hessian):
        got = kind(recurrence, 1, backend="numba")(0.3, A)
        np.testing.assert_allclose(got, kind(recurrence, 1)(0.3, A), rtol=1e-9, atol=1e-14)


def test_text_of_the_docs() -> None:
    """docs/numba.md shows what is emitted, imports aside."""
    shown = (Path(__file__).parent.parent / "docs" / "numba.md").read_text().split("```python\n")[2].split("```")[0]
    assert same(logistic_map, 0.2, 3).source.endswith(shown)


def test_stencil_of_the_docs() -> None:
    blocks = (Path(__file__).parent.parent / "docs" / "numba.md").read_text().split("```python\n")
    program, shown = blocks[3].split("```")[0], blocks[4].split("```")[0]
    linecache.cache["<smoothed>"] = (len(program), None, program.splitlines(True), "<smoothed>")
    namespace: dict[str, Any] = {"np": np}
    exec(compile(program, "<smoothed>", "exec"), namespace)
    source = same(namespace["smoothed"], np.linspace(0.0, 1.0, 6) ** 2, 3).source
    assert shown in source, source


# -- statements on arrays ----------------------------------------------------------------------


def reads_what_it_writes(u, c):
    u = u.copy()
    for k in range(2):
        u[1:] += c * u[:-1]
        u[1:-1] = u[2:] + u[:-2]
        u[::-1] *= 0.5 + c * u
        u[:] = u - u[k]
    return np.sum(u * u)


def sizes_at_run_time(u, c, k):
    u = u.copy()
    for _ in range(2):
        u[k:] += c * u[: len(u) - k]
        u[-k:] *= u[:k]
        u[k:k + 1] -= 0.5
    return np.sum(u**3)


def mixed_types(u, single, ints, flags, c):
    total = 0.0
    for k in range(3):
        single = single * c + u.astype(np.float32)
        total += np.sum(np.where(flags, u * ints, single)) + np.max(ints * u) / (k + 1)
    return total + np.mean(single)


def products(a, b, v):
    total = 0.0
    for k in range(a.shape[0]):
        v = 0.1 * (a @ b.T @ v) + np.outer(v, b[k])[:, 0]
        a = a - 0.1 * v[:, None] * b[k]
        total += v @ a[:, k] + np.sum(np.max(a, axis=1)) + np.sum(a.T[k, ::-1])
    return total


@pytest.mark.parametrize("n", [2, 6])
def test_arrays_that_are_overwritten(n: int) -> None:
    u = np.linspace(0.4, 1.3, n)
    derivative = same(reads_what_it_writes, u, 0.3, argnums=(0, 1))
    for k in (1, n):
        same(sizes_at_run_time, u, 0.3, k, argnums=(0, 1))
    eps = 1e-6
    slope = (reads_what_it_writes(u, 0.3 + eps) - reads_what_it_writes(u, 0.3 - eps)) / (2.0 * eps)
    assert derivative(u, 0.3)[1][1] == pytest.approx(slope, rel=1e-6)


def test_arrays_of_other_types_and_layouts() -> None:
    u = np.array([0.3, -1.2, 0.8, 2.0])
    single, ints, flags = u.astype(np.float32)[::-1], np.array([1, -2, 3, 0]), np.array([True, False, True, True])
    same(mixed_types, u, single, ints, flags, 0.7, argnums=(0, 4), rtol=1e-6)
    a = np.arange(9.0).reshape(3, 3) / 7.0
    for layout in (a, np.asfortranarray(a), a[::-1, ::-1]):
        same(products, layout, a - 0.4, u[:3], argnums=(0, 1, 2))


def test_arrays_in_second_derivatives() -> None:
    def f(u, c):
        for _ in range(3):
            u[1:-1] = u[1:-1] + c * u[2:] * u[:-2]
        return np.sum(u**3)

    u = np.linspace(0.4, 1.3, 5)
    found = jvp(grad(f, (0, 1)), (u, 0.3), (np.ones(5), -0.5), backend="numba")
    np.testing.assert_allclose(flat(found), flat(jvp(grad(f, (0, 1)), (u, 0.3), (np.ones(5), -0.5))), rtol=1e-10)


def kept_arrays(u, m, c):
    for k in range(3):
        for j in range(2):
            m = np.tanh(m * c) + u
            if c > 0.1 * k:
                u[1:-1] = u[1:-1] * u[2:] * m[j, 1:-1]
        while c < 0.5:
            u, c = np.sin(u), c + 0.2
    return np.sum(m) + np.sum(u)


def test_arrays_that_are_kept_for_the_backward_pass() -> None:
    """They are rows of one array, whether the number of iterations is known before or not."""
    derivative = same(kept_arrays, np.linspace(0.1, 1.0, 5), np.full((5, 5), 0.2), 0.12, argnums=(0, 1, 2))
    assert ".append(" not in derivative.source
    assert "reserve_rows" in derivative.source


def triangular(u, m):
    total, k = 0.0, 2
    for i in range(1, len(u)):
        w = np.sin(u[:i] * m[i, :i])
        if m[i, 0] > 0.0:
            w = np.exp(m[::-1, i][:i]) * w[::-1]
        u[:i] = np.tanh(w) * u[i] + u[:i]
        for j in range(i):
            total += np.sum(np.cos(np.outer(w, u[j:i])) ** 3)
    while k < len(u):
        total += np.sum(np.exp(-u[k:]) ** 3)
        k += 1
    return total + np.sum(u)


def test_kept_arrays_whose_sizes_vary() -> None:
    """They are in lists, in one kernel; their numbers of axes and their layouts differ."""
    u, m = np.linspace(0.2, 1.4, 6), np.cos(np.arange(36.0)).reshape(6, 6)
    for layout in (m, m.T):
        derivative = same(triangular, u, layout, argnums=(0, 1))
    assert "for" not in derivative.source.rpartition("\n\n\n")[2]
    assert ".append(" in derivative.source

    def along(eps):
        return triangular(u + eps, m.T - eps)

    slope = sum(np.sum(g) * sign for g, sign in zip(derivative(u, m.T)[1], (1.0, -1.0), strict=True))
    assert slope == pytest.approx((along(1e-6) - along(-1e-6)) / 2e-6, rel=1e-6)


def test_reshaped_arrays() -> None:
    """All of the loop is one kernel, also where the elements of an argument are not in the order of its axes."""
    m, u = np.cos(np.arange(18.0)).reshape(3, 6), np.array([0.3, -0.4, 0.9, 1.1])

    def f(m, u):
        for k in range(3):
            u = np.tanh(u.reshape(2, 2) @ (m[k, :4].reshape(2, 2) / len(u))).ravel() + u
        return np.sum(u * u)

    for layout in (m, np.asfortranarray(m), m[:, ::-1]):
        derivative = same(f, layout, u, argnums=(0, 1))
        slope = (f(layout + 1e-6, u) - f(layout - 1e-6, u)) / 2e-6
        assert np.sum(derivative(layout, u)[1][0]) == pytest.approx(slope, rel=1e-7)
    assert "for" not in derivative.source.rpartition("@njit")[2].partition("\n\n\n")[2]


def chain(x, y):
    z = np.where(x > y, x * y - 0.5 * x, y)
    return np.sum(np.exp(z[1:] - 2.0 * z[:-1] * y[1:]))


def test_arithmetic_outside_of_loops() -> None:
    x, y = np.linspace(-1.0, 1.0, 7), np.cos(np.arange(7.0))
    derivative = same(chain, x, y, argnums=(0, 1))
    assert "z[i] = " in derivative.source.partition("def chain_value_and_grad(")[0]
    assert "np.exp" in derivative.source.rpartition("@njit")[2].partition("\n\n\n")[2]
    for bad in (x[:3], x[:1]):
        with pytest.raises(ValueError, match="broadcast") if len(bad) > 1 else warnings.catch_warnings():
            derivative(bad, y)


def test_subscripts_are_checked() -> None:
    """Kernels that Numba does not check raise what Python raises."""
    def f(u, k):
        for _ in range(2):
            u[1:] = 2.0 * u[1:]
            u[k] += u[k - 1]
        return np.sum(u)

    assert "boundscheck" not in same(f, np.ones(3), -2).source
    for k in (3, -4):
        with pytest.raises(IndexError, match="out of bounds"):
            grad(f, backend="numba")(np.ones(3), k)


def test_numba_checks_subscripts_that_no_statement_checks() -> None:
    def scattered(u, places):
        for k in range(len(u)):
            u[places[k]] += u[k] * u[k]
        return np.sum(u)

    def shifted(u):
        for k in range(1, len(u) - 1):
            u[k] = u[k - 1] * u[k + 1]
        return np.sum(u)

    assert "boundscheck=True" in same(scattered, np.ones(3), np.array([2, 0, -1])).source
    assert "boundscheck" not in same(shifted, np.array([0.4, 0.7, 1.2, 0.9])).source


@pytest.mark.parametrize("seed", range(4))
def test_random_array_programs(seed: int) -> None:
    _, f, args = numba_programs.generate(seed)
    same(f, *args, argnums=(0, 1, 2, 3), rtol=1e-8)


def test_benchmark_gradients_by_hand() -> None:
    """What the benchmark measures against is right."""
    for program in BY_HAND:
        args = program.inputs(np.random.default_rng(1), program.small)
        value, *gradients = program.gradient(*args)
        expected = value_and_grad(program.function, program.argnums)(*args)
        np.testing.assert_allclose(flat((value, *gradients)), flat(expected), rtol=1e-9, atol=1e-12)


def test_backends_do_not_share_what_they_compiled() -> None:
    assert "njit" in same(recurrence, 0.3, A).source
    plain = value_and_grad(recurrence)
    plain(0.3, A)
    assert "njit" not in plain.source
    fast = value_and_grad(recurrence, backend="numba:fastmath")
    assert fast(0.3, A)[0] == pytest.approx(plain(0.3, A)[0])
    assert "reassoc" in fast.source


# -- what stays Python -----------------------------------------------------------------------


def prints(x, n):
    for i in range(n):
        print(i)
    return 2.0 * x


def no_loop(u):
    return np.linalg.det(u)


@pytest.mark.parametrize(
    ("f", "args", "place"),
    [(prints, (0.5, 2), "print(i)"), (no_loop, (np.eye(3),), "np.linalg.det(u)")],
)
def test_nothing_to_compile_is_a_warning(f: Callable[..., Any], args: tuple[Any, ...], place: str) -> None:
    """The function runs as NumPy, with a warning that points at the place."""
    derivative = grad(f, backend="numba")
    with pytest.warns(SctWarning, match="runs as NumPy") as caught:
        found = derivative(*args)
    assert place in str(caught[0].message)
    assert 'backend="numpy"' in str(caught[0].message)
    assert caught[0].filename == __file__
    plain = grad(f)
    np.testing.assert_array_equal(found, plain(*args))
    assert derivative.source == plain.source


def cut(x, name, n):
    total = 0.0
    for i in range(n):
        text = f"{name} {i}"
        for k in range(1, 4):
            x = math.sin(k * x)
        print(text)
        if text.endswith("2"):
            total += 2.0 * x
        total += x
    return total


def test_a_program_is_cut_around_what_is_not_compiled(capsys: pytest.CaptureFixture[str]) -> None:
    derivative = value_and_grad(cut, backend="numba")
    assert derivative(0.7, "trip", 4) == pytest.approx(value_and_grad(cut)(0.7, "trip", 4), rel=1e-12)
    assert capsys.readouterr().out.startswith("trip 0\ntrip 1\ntrip 2\ntrip 3\n")
    kernels, _, plain = derivative.source.rpartition("@njit")
    assert "math.sin" in kernels + plain.partition("\n\n\n")[0]
    assert "print(text)" in plain.partition("\n\n\n")[2]


def test_print_around_loops_is_kept(capsys: pytest.CaptureFixture[str]) -> None:
    def f(x):
        print("before")
        for _ in range(3):
            x = math.sin(x)
        return x

    assert grad(f, backend="numba")(0.5) == pytest.approx(grad(f)(0.5))
    assert capsys.readouterr().out == "before\nbefore\n"


def test_without_numba(monkeypatch: pytest.MonkeyPatch) -> None:
    find = __import__("importlib.util").util.find_spec
    monkeypatch.setattr("importlib.util.find_spec", lambda name, *rest: None if name == "numba" else find(name, *rest))
    with pytest.raises(SctError, match="not installed") as error:
        grad(recurrence, backend="numba")
    assert "pip install" in error.value.hint


# -- on disk ---------------------------------------------------------------------------------

SCRIPT = """
import math
from sct import grad
def f(x, n):
    for _ in range(n):
        x = math.sin(x) * {factor}
    return x
g = grad(f, backend="numba")
print(g(0.5, 3))
import sys
dispatchers = [v for m in list(sys.modules.values()) if m.__name__.startswith("sct_") for v in vars(m).values()
               if hasattr(v, "stats")]
print(sum(sum(d.stats.cache_hits.values()) for d in dispatchers), len(dispatchers))
"""


def start(directory: Path, factor: float) -> Any:
    path = directory / "script.py"
    path.write_text(SCRIPT.format(factor=factor))
    python = os.pathsep.join([".", os.environ.get("PYTHONPATH", "")])
    env = {**os.environ, "SCT_CACHE_DIR": str(directory / "cache"), "PYTHONPATH": python}
    return subprocess.Popen([sys.executable, str(path)], env=env, stdout=subprocess.PIPE, text=True)


def finished(process: Any) -> tuple[float, int, int]:
    out, _ = process.communicate(timeout=120)
    assert process.returncode == 0
    value, counts = out.split("\n")[:2]
    hits, functions = counts.split()
    return float(value), int(hits), int(functions)


def test_second_process_compiles_nothing(tmp_path: Path) -> None:
    first = finished(start(tmp_path, 0.9))
    assert first[1] == 0
    second = finished(start(tmp_path, 0.9))
    assert second[0] == first[0]
    assert second[1] >= 1
    modules = set((tmp_path / "cache").glob("*.py"))
    edited = finished(start(tmp_path, 0.8))
    assert edited[0] != first[0]
    assert edited[1] == 0
    assert len(set((tmp_path / "cache").glob("*.py")) - modules) == 1


def test_processes_at_once(tmp_path: Path) -> None:
    """All right, the file is whole, and what they leave serves the next."""
    together = [start(tmp_path, 0.7) for _ in range(3)]
    values = {finished(process)[0] for process in together}
    assert len(values) == 1
    assert not list((tmp_path / "cache").glob("*.tmp"))
    assert finished(start(tmp_path, 0.7))[1] >= 1


def test_directory_that_cannot_be_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("SCT_CACHE_DIR", str(tmp_path / "file"))

    def f(x):
        for _ in range(3):
            x = math.cos(x) * 0.777
        return x

    assert grad(f, backend="numba")(0.5) == pytest.approx(grad(f)(0.5))


def _ties(x, n, ties):
    steps, total, i, risk = [], 0.0, 0, 0.0
    while i < n:
        risk += x[i]
        dead = i % 3
        if dead:
            total += risk
            if ties == "efron":
                for k in range(dead):
                    total = total - np.log(risk + k * total / dead * x[0])
            elif ties == "breslow":
                total -= dead * np.log(risk)
            steps.append(dead / risk)
        i += 1
    return total, steps


def _strata(x, n, ties):
    total, bumps = 0.0, []
    for k in range(3):
        if x[k] > 9:
            continue
        part, steps = _ties(x * x[k], n, ties)
        total += part
        bumps.append([sum(b for b in steps) for _ in range(2)])
    return total + sum(sum(b) for b in bumps)


@pytest.mark.parametrize("ties", ["efron", "breslow", "none"])
def test_tapes_of_a_loop_in_a_branch_are_none_where_it_does_not_run(ties: str) -> None:
    x = np.linspace(0.3, 2.0, 7)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.filterwarnings("ignore", ".*does not compile.*")
        value, slope = value_and_grad(_strata, backend="numba")(x, 7, ties)
    assert value == _strata(x, 7, ties)
    np.testing.assert_allclose(slope, grad(_strata)(x, 7, ties), rtol=1e-12)
