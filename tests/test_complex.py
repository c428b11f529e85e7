"""Complex arguments, values and intermediate results: the convention, every mode, and what is refused.

Programs of real arguments that compute with complex numbers are in `tests/programs/waves.py`.
"""

from __future__ import annotations

import cmath
import copy
import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from sct import SctError, check_grads, emit, grad, hessian, jacfwd, jacobian, jacrev, jvp, value_and_grad, vjp
from tests.oracle import agrees, refuses

Z = np.array([0.7 + 0.4j, -0.3 + 1.1j, 1.2 - 0.6j])
A = np.array([[2.0 + 0.3j, 0.4 - 0.2j, 0.1j], [0.3 + 0.1j, 1.7 - 0.4j, 0.2], [0.5j, 0.2 - 0.3j, 2.2 + 0.1j]])


def differences(f: Callable[..., Any], args: tuple[Any, ...], h: float = 1e-6) -> Any:
    """df/dx - i df/dy of a real function, for each element of the first argument."""
    z = np.asarray(args[0])
    result = np.zeros(z.shape, complex)
    for k in np.ndindex(z.shape):
        def along(step: complex, k: Any = k) -> float:
            moved = z.astype(complex)
            moved[k] += step
            return float(f(moved if z.shape else complex(moved[()]), *copy.deepcopy(args[1:])))

        result[k] = (along(h) - along(-h)) / (2 * h) - 1j * (along(1j * h) - along(-1j * h)) / (2 * h)
    return result


PROGRAMS: list[tuple[Callable[..., Any], tuple[Any, ...]]] = []


def program(*args: Any) -> Callable[[Any], Any]:
    def register(f: Any) -> Any:
        PROGRAMS.append((f, args))
        return f

    return register


@program(0.5 + 0.2j)
def squared_modulus(z):
    return abs(z * z + 1.0) ** 2


@program(0.5 + 0.2j)
def of_cmath(z):
    return cmath.phase(cmath.exp(z) + cmath.sqrt(z)) + abs(cmath.sin(z) / cmath.log(z + 2.0))


@program(0.5 + 0.2j, 5)
def mandelbrot(c, n):
    z = 0
    for _ in range(n):
        z = z * z + c
        if abs(z) > 4.0:
            break
    return z.real - 2.0 * z.imag


@program(Z)
def of_arrays(z):
    w = np.exp(1j * z) / (1.0 + z * np.conj(z))
    return np.sum(w.real ** 2) + np.sum(np.abs(w)) + np.angle(w[1])


@program(Z)
def written_in_place(z):
    w = np.zeros(4, dtype=complex)
    for k in range(3):
        w[k] = z[k] * z[k - 1]
        w[k + 1] += 0.5j * w[k]
    w *= 1.0 - 0.5j
    return np.sum(np.abs(w) ** 2) + w.imag[2]


@program(Z)
def in_lists(z):
    parts = [x * k for k, x in enumerate(z)]
    parts.append(1j)
    return sum(abs(p) for p in parts[1:]) + max(p.real for p in parts)


@program(Z)
def products(z):
    return np.abs(np.vdot(z, A @ z)) + np.real(np.dot(z, z)) + np.linalg.norm(np.outer(z, z.conj()) - A)


@program(A)
def linear_systems(a):
    x = np.linalg.solve(a, Z)
    return np.sum(np.abs(x) ** 2) + np.log(np.abs(np.linalg.det(a))) + np.linalg.inv(a)[0, 1].imag


@program(A)
def hermitian_matrices(a):
    h = a @ a.conj().T + 3.0 * np.eye(3)
    factor = np.linalg.cholesky(h)
    return np.sum(np.linalg.eigvalsh(h) ** 1.5) + np.sum(np.abs(factor)) + factor[2, 0].real


@program(Z)
def moments(z):
    return np.var(z) + np.std(z) + np.abs(np.mean(z)) + np.abs(np.prod(z)) + np.abs(np.cumsum(z)[-2])


@program(Z)
def spectra(z):
    f = np.fft.fft(z, n=5)
    back = np.fft.ifft(f * np.exp(0.1j * np.arange(5)))
    half = np.fft.irfft(z, n=6)
    return np.sum(np.abs(f[1:3])) + np.abs(back[0]) + np.sum(half ** 3) + np.fft.fftshift(z)[0].imag


@program(A)
def eigensystems(a):
    w, v = np.linalg.eig(a)
    return np.sum(np.abs(w) ** 2) + np.abs(v[0, 1]) + v[1, 0].imag + np.max(np.linalg.eigvals(a @ a).real)


@program(Z)
def sorted_numbers(z):
    """By the real part, and by the imaginary part where real parts are equal."""
    pairs = np.hstack((z, np.conj(z) * (1.0 + 0.0j)))
    y = np.sort(pairs) * np.arange(1.0, 7.0)
    z = np.stack((z, 2.0 * z * z))
    z.sort(axis=0)
    return np.sum(np.abs(y)) + y[2].imag + z[0, 1].imag * np.abs(z[1, 0]) + np.abs(pairs[np.argsort(-pairs)[1]])


@program(0.5 + 0.2j)
def by_powers(z):
    return (z ** 3 + z ** 0.5 + z ** (1 - 2j) + 2.0 ** z + z ** -2).real


@program(0.5 + 0.2j)
def chosen(z):
    w = z if z.imag > 0 else z.conjugate()
    w = np.where(np.abs(w) > 0.1, w * w, w)
    return abs(w) if isinstance(z, complex) and w != 0 else 0.0


@program(0.5 + 0.2j, 3.0)
def of_parts(z, x):
    w = complex(x * z.real, z.imag / x)
    r, phi = cmath.polar(w)
    return cmath.rect(r, phi + 1.0).real + r * phi


@pytest.mark.parametrize(("f", "args"), PROGRAMS, ids=lambda v: getattr(v, "__name__", ""))
def test_gradient(f: Any, args: tuple[Any, ...]) -> None:
    """The value is Python's, bit for bit; the gradient is that of differences; the arguments stay as they are."""
    before = copy.deepcopy(args)
    derivative = value_and_grad(f)
    value, gradient = derivative(*args)
    assert type(value) is type(f(*args)) and value == f(*args)
    np.testing.assert_allclose(gradient, differences(f, args), rtol=1e-6, atol=1e-7)
    assert np.asarray(gradient).dtype == np.asarray(args[0]).dtype == complex
    assert np.array_equal(np.asarray(args[0]), np.asarray(before[0]))
    moved = (args[0] * (0.9 + 0.1j), *args[1:])
    np.testing.assert_allclose(derivative(*moved)[1], differences(f, moved), rtol=1e-6, atol=1e-7)


@pytest.mark.parametrize(("f", "args"), PROGRAMS, ids=lambda v: getattr(v, "__name__", ""))
def test_modes(f: Any, args: tuple[Any, ...]) -> None:
    """Forward against differences, reverse against forward, and the derivatives of both."""
    check_grads(f, args, argnums=0, order=2)


def test_jax_has_the_same_convention() -> None:
    jax = pytest.importorskip("jax")
    for f, args in PROGRAMS:
        if f.__name__ in JAX:
            agrees_with_jax(jax, f, args)


def agrees_with_jax(jax: Any, f: Any, args: tuple[Any, ...]) -> None:
    with jax.experimental.enable_x64() if hasattr(jax.experimental, "enable_x64") else jax.enable_x64(True):
        expected = jax.grad(JAX[f.__name__](jax.numpy))(*args)
    np.testing.assert_allclose(grad(f)(*args), expected, rtol=1e-9)


JAX: dict[str, Callable[[Any], Any]] = {
    "squared_modulus": lambda jnp: lambda z: abs(z * z + 1.0) ** 2,
    "of_arrays": lambda jnp: lambda z: (lambda w: jnp.sum(w.real ** 2) + jnp.sum(jnp.abs(w)) + jnp.angle(w[1]))(
        jnp.exp(1j * z) / (1.0 + z * jnp.conj(z))),
    "linear_systems": lambda jnp: lambda a: jnp.sum(jnp.abs(jnp.linalg.solve(a, Z)) ** 2) + jnp.log(
        jnp.abs(jnp.linalg.det(a))) + jnp.linalg.inv(a)[0, 1].imag,
}


# -- holomorphic functions, Jacobians ------------------------------------------------------------------


def rational(z):
    return (z * z + 1.0) / (z - 2j)


def test_holomorphic() -> None:
    z = 0.5 + 0.2j
    slope = 2 * z / (z - 2j) - (z * z + 1.0) / (z - 2j) ** 2
    value, gradient = value_and_grad(rational, holomorphic=True)(z)
    assert value == rational(z) and cmath.isclose(gradient, slope, rel_tol=1e-14)
    second = grad(grad(rational, holomorphic=True), holomorphic=True)(z)
    numeric = (rational(z + 1e-4) - 2 * rational(z) + rational(z - 1e-4)) / 1e-8
    assert cmath.isclose(second, numeric, rel_tol=1e-6)
    np.testing.assert_allclose(jacobian(lambda z: z * z * z[::-1], holomorphic=True)(Z),
                               jacrev(lambda z: z * z * z[::-1], holomorphic=True)(Z))


def test_complex_outputs_of_real_arguments() -> None:
    x = np.array([0.3, 0.8])
    np.testing.assert_allclose(jacobian(lambda x: np.exp(1j * x))(x), np.diag(1j * np.exp(1j * x)))
    np.testing.assert_allclose(jacfwd(lambda x: x * x * 1j)(2.0), 4j)
    assert hessian(lambda x: abs(cmath.exp(1j * x) + x) ** 2)(0.5) == pytest.approx(2.0 - 4 * math.sin(0.5)
                                                                                   - 1.0 * math.cos(0.5))


def test_pullback_and_pushforward() -> None:
    value, tangent = jvp(lambda z: abs(z), (3 + 4j,), (1j,))
    assert value == 5.0 and tangent == pytest.approx(0.8) and type(tangent) is float
    _, pullback = vjp(lambda z: z * z, 3 + 4j)
    assert pullback(1j) == (1j * (6 + 8j),)
    _, pullback = vjp(lambda x: x * (1 + 2j), 3.0)
    assert pullback(1j) == (-2.0,)


def test_single_precision_stays_single() -> None:
    value, gradient = value_and_grad(lambda z: np.sum(np.abs(z) ** 2))(Z.astype(np.complex64))
    assert value.dtype == np.float32 and gradient.dtype == np.complex64
    np.testing.assert_allclose(gradient, 2 * Z.conj(), rtol=1e-6)


def test_it_stays_what_it_was_without_iterations() -> None:
    """A sum that starts from an int is an int if nothing is added."""
    f = value_and_grad(lambda x, n: abs(sum_of_turns(x, n)))
    assert f(2.0, 0) == (0, 0.0) and type(f(2.0, 0)[0]) is int
    assert f(2.0, 2)[0] == abs(2.0 + 2j)


def sum_of_turns(x, n):
    total = 0
    for k in range(n):
        total = total + x * 1j ** k
    return total


def test_whether_a_spectrum_is_complex_is_asked_at_every_call() -> None:
    def growth(damping, coupling):
        w = np.linalg.eigvals(np.array([[-damping, coupling], [-1.0, 0.2]]))
        return np.max(w.real) + np.sum(np.abs(w))

    f = value_and_grad(growth, argnums=(0, 1))
    for point in ((0.1, 2.0), (3.0, 0.2), (0.2, 1.5), (2.0, 0.1)):
        value, gradient = f(*point)
        assert value == growth(*point)
        numeric = [(growth(*(np.array(point) + h)) - growth(*(np.array(point) - h))) / 2e-6 for h in 1e-6 * np.eye(2)]
        np.testing.assert_allclose(gradient, numeric, rtol=1e-6)


def test_a_view_of_a_part_is_a_view() -> None:
    def f(x):
        z = np.array([x + 1j, 2j])
        part = z.real
        z[0] = 5.0
        return part[0] * x

    assert value_and_grad(f)(1.5) == (7.5, 5.0)


@pytest.mark.parametrize(("z", "k", "slope"), [
    (0j, 1, 1.0), (0j, 2, 0.0), (0j, 0, 0.0), (0.3 + 1j, 3, None), (0.3 + 1j, 0.5, None), (0j, 1 + 0j, 1.0),
    (0.3 + 1j, 1.5 - 0.2j, None)])
def test_powers_whose_exponent_is_known_at_run_time(z: complex, k: Any, slope: Any) -> None:
    def f(z, k):
        return abs(1.0 + z ** k)

    expected = differences(f, (z, k)) if slope is None else slope
    np.testing.assert_allclose(grad(f)(z, k), expected, rtol=1e-6)
    arrays = grad(lambda z: np.sum(np.abs(1.0 + z ** np.array([1, 2]))))(np.zeros(2, complex))
    np.testing.assert_allclose(arrays, [1.0, 0.0])


def becomes_complex(x, n):
    s = x
    for _ in range(n):
        s = s * s * (1 + 0.5j) + x
    return abs(s)


def becomes_complex_in_a_dict(x, n):
    d = {"a": x, "b": 2j}
    for _ in range(n):
        d["a"] = d["a"] * d["b"] + x
    return abs(d["a"] - d["b"])


@pytest.mark.parametrize("f", [becomes_complex, becomes_complex_in_a_dict])
@pytest.mark.parametrize("n", [0, 2])
def test_a_real_argument_has_a_real_gradient(f: Any, n: int) -> None:
    for gradient in (grad(f)(0.5, n), vjp(lambda x: f(x, n), 0.5)[1](1.0)[0]):
        assert type(gradient) is float
        assert gradient == pytest.approx((f(0.5 + 1e-6, n) - f(0.5 - 1e-6, n)) / 2e-6, rel=1e-6)
    assert type(hessian(f)(0.5, n)) is float


def test_the_real_part_of_a_view_is_not_written_before_it_is_read() -> None:
    def f(a, b):
        return np.sum(np.concatenate([a, b]) * np.stack([a, b]).ravel()).real

    a, b = np.array([1.0, 2.0]), np.array([1.0 + 1j, 2.0])
    value, gradient = value_and_grad(f)(a, b)
    assert value == f(a, b) and np.array_equal(gradient, 2.0 * a)


def test_items_of_lists_of_complex_numbers() -> None:
    for f in (lambda z: abs(list(z)[0]), lambda z: abs(z.tolist()[0])):
        np.testing.assert_allclose(grad(f)(Z), [Z[0].conjugate() / abs(Z[0]), 0.0, 0.0])
    np.testing.assert_allclose(jacrev(lambda z: z * np.array([1.0, 2j]), holomorphic=True)(1j), [1.0, 2j])


@pytest.mark.parametrize("text", ["complex", "c64", "c128", "c64[n]", "c128[n]"])
def test_emitted_modules_check_complex_arguments(text: str) -> None:
    module: dict[str, Any] = {}
    exec(emit(lambda z: np.sum(np.abs(z) ** 2), types={"z": text}), module)
    z = Z.astype("c8" if "64" in text else "c16")
    z = z if "[" in text else z[0] if text != "complex" else complex(z[0])
    np.testing.assert_allclose(module["f_grad"](z), 2.0 * np.conj(z), rtol=1e-6)
    with pytest.raises(TypeError):
        module["f_grad"](1.5)


def test_single_precision_is_checked_with_steps_of_its_own() -> None:
    check_grads(lambda z: z * z, (np.complex64(1.5 + 1j),))


# -- refused --------------------------------------------------------------------------------------------


def writes_into_reals(x):
    y = np.zeros(2)
    y[0] = x * 1j
    return y[0]


def writes_a_part(x):
    z = np.zeros(2, dtype=complex)
    z.real[0] = x
    return np.abs(z[0])


def compares(x):
    return x if x * 1j < 2 else 2 * x


def by_math(x):
    return math.sin(x * 1j)


def vectors_beyond(x):
    return np.sum(np.abs(np.linalg.svd(np.array([[1.0, x * 1j]]))[2]))


@pytest.mark.parametrize(("f", "code"), [
    (lambda x: x * 1j, "SCT405"), (writes_into_reals, "SCT501"), (writes_a_part, "SCT304"), (compares, "SCT501"),
    (vectors_beyond, "SCT402"), (lambda x: np.median(np.array([x * 1j, 2.0, 3.0])).real, "SCT501"),
], ids=lambda v: getattr(v, "__name__", ""))
def test_refused(f: Any, code: str) -> None:
    refuses(f, 1.5, code=code)


def test_a_list_of_real_numbers_that_becomes_complex() -> None:
    """A list made in the function may; one that is differentiated by may not."""
    def grown(items, n):
        items = list(items)
        for _ in range(n):
            items.append(items[-1] * 1j)
        return abs(items[-1])

    assert grad(lambda x: grown([x], 3))(1.5) == 1.0
    with pytest.raises(SctError, match="SCT402"):
        grad(grown)([1.0, 2.0] * 10, 2)


def test_a_function_of_math_raises_as_in_python() -> None:
    with pytest.raises(TypeError, match="must be real number, not complex"):
        grad(by_math)(1.5)


@pytest.mark.parametrize("x", [1.5, np.float64(1.5), np.array([1.5, -0.5])])
@pytest.mark.parametrize("f", [
    lambda x: np.conj(x) * x, lambda x: x.conjugate() * x, lambda x: np.conjugate(x * 1j).imag])
def test_the_conjugate_of_a_real_number(f: Callable[[Any], Any], x: Any) -> None:
    value = vjp(f, x)[0]
    assert type(value) is type(f(x)) and np.array_equal(value, f(x))
    check_grads(f, (x,), order=2)


@pytest.mark.parametrize("call", [
    lambda: grad(rational)(1j), lambda: grad(lambda x: x * x, holomorphic=True)(1.0), lambda: jacobian(rational)(1j),
    lambda: jacrev(lambda x: np.exp(1j * x))(Z.real), lambda: vjp(lambda x: x * x, 2.0)[1](1j),
    lambda: jvp(lambda x: x * x, (2.0,), (1j,)),
])
def test_calls_that_are_refused(call: Callable[[], Any]) -> None:
    with pytest.raises(SctError):
        call()


def test_a_real_number_of_python_is_its_own_conjugate() -> None:
    derivative = grad(lambda x, k: x.conjugate() * x * k.conjugate())
    assert derivative(1.5, 3) == 9.0
    assert "dx = 2.0 * float(k) * x" in derivative.source


LONG = np.array([1.0 + 0.5j, 2.0 - 0.3j], np.clongdouble)


@pytest.mark.skipif(np.dtype(np.longdouble) == np.dtype(np.float64), reason="this machine has no longer numbers")
@pytest.mark.parametrize("f, x", [
    (lambda x: np.sum(np.abs(x)), LONG), (lambda x: np.abs(x), LONG[0]), (lambda x: x[0] * x[1], LONG.real),
    (lambda x: np.sum(np.abs(np.fft.fft(x))), LONG), (lambda x: np.sum(np.abs(np.real(x))), LONG),
    (lambda x: np.sum(np.abs(x * LONG)), Z.real[:2]), (lambda x: np.sum(x.astype(np.longdouble) ** 3), Z.real),
    (lambda x: np.sum(np.abs(x.astype(np.clongdouble) * LONG[0])), Z.real),
    (lambda x: np.sum((np.zeros(3, np.longdouble) + x[0]) ** 2), Z.real),
    (lambda x: np.sum(np.array([x[0], 1.0], dtype=np.longdouble) * x[1]), Z.real),
    (lambda x: np.exp(x @ x) * np.longdouble(0.1) + np.mean(x) * np.std(x), LONG.real)])
def test_longer_numbers(f: Callable[..., Any], x: Any) -> None:
    """The value as Python computes it; the derivatives, of the dtype of `x`, as those in double precision."""
    value, gradient = value_and_grad(f)(x)
    expected = f(x)
    assert type(value) is type(expected) and value == expected
    assert gradient.dtype == x.dtype
    double = x.astype(np.complex128 if x.dtype.kind == "c" else np.float64)
    np.testing.assert_allclose(gradient.astype(double.dtype), grad(f)(double), rtol=1e-12)
    check_grads(f, (double,), order=2)
    v = np.asarray(0.7 * double + 0.1, x.dtype)[()]
    pushed = jvp(f, (x,), (v,))[1]
    np.testing.assert_allclose(float(pushed), float(np.real(np.sum(gradient * v))), rtol=1e-12)


@pytest.mark.skipif(np.dtype(np.longdouble) == np.dtype(np.float64), reason="this machine has no longer numbers")
def test_longer_numbers_keep_their_precision() -> None:
    def logistic(x, r):
        for _ in range(5):
            x = r * x * (1.0 - x)
        return x

    x, r = np.longdouble(0.3), np.longdouble(3) / 7 * 8
    slope, y = np.longdouble(1.0), x
    for _ in range(5):
        slope, y = slope * r * (1 - 2 * y), r * y * (1 - y)
    assert abs(grad(logistic)(x, r) - slope) < 100 * np.finfo(np.longdouble).eps


def test_longer_numbers_in_lapack_raise_as_in_numpy() -> None:
    f = lambda x: np.linalg.det(np.outer(x, x) + np.eye(2))
    with pytest.raises(TypeError) as plain:
        f(LONG.real)
    with pytest.raises(TypeError) as derived:
        grad(f)(LONG.real)
    assert str(derived.value) == str(plain.value)


def test_error_functions() -> None:
    special = pytest.importorskip("scipy.special")
    check_grads(lambda z: np.sum(np.abs(special.erf(z)) ** 2 + np.real(special.erfc(z * z))), (Z,), order=2)
    check_grads(special.erf, (0.3 + 0.4j,))


@pytest.mark.parametrize("f", [
    lambda t: np.real(np.power(-1.5, 1j * t)), lambda t: ((-1) ** (1j * t)).real,
    lambda t: ((t - 2.0) ** (1j * t)).real,
    lambda t: np.sum(np.real(np.array([-1.5, 2.0]) ** (t + 0.2j))), lambda t: cmath.log(complex(1.0, t), -2.0).real,
    lambda t: cmath.log(complex(1.0, t), t - 2.0).real,
    lambda t: np.sum(np.imag((t * np.array([-1.2, 0.7])) ** (0.5j * t))),
    lambda t: (2.0 ** (1j * t)).real + (np.float64(-0.3) ** (1.0 + 1j * t)).imag], ids=range(8))
def test_complex_powers_and_logarithms_of_negative_numbers(f: Any) -> None:
    agrees(f, 0.4)
    check_grads(f, (0.4,), order=2)
