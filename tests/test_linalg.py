"""Linear algebra and products against JAX, and the edges of their derivatives.

A function of the global `np` is run by JAX with `jax.numpy` in that place.  Matrices of which
NumPy reads one triangle are made symmetric first: of those alone JAX means the same.
"""

import math
import types
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import scipy.linalg
from programs import calculus, linear_algebra

from sct import SctError, check_grads, grad, hessian, hvp, jacfwd, jacrev, jvp, value_and_grad, vjp

Case = tuple[Callable[..., Any], tuple[Any, ...]]


# -- against JAX --------------------------------------------------------------------------------------


def symmetric(A):
    return A + np.swapaxes(A, -1, -2)


def definite(A):
    return A @ np.swapaxes(A, -1, -2) + np.eye(A.shape[-1])


def rng(*shape: int, seed: int = 0) -> Any:
    return np.random.default_rng(seed + sum(shape)).normal(size=shape)


CASES: list[Case] = [
    (lambda A: np.linalg.inv(A), (rng(3, 3),)),
    (lambda A: np.linalg.inv(A), (rng(2, 4, 3, 3),)),
    (lambda A: np.linalg.det(A), (rng(3, 3),)),
    (lambda A: np.linalg.det(A), (rng(4, 2, 2),)),
    (lambda A: np.linalg.slogdet(A)[1], (rng(5, 3, 3),)),
    (lambda A, b: np.linalg.solve(A, b), (rng(3, 3), rng(3))),
    (lambda A, b: np.linalg.solve(A, b), (rng(3, 3), rng(3, 2))),
    (lambda A, b: np.linalg.solve(A, b), (rng(4, 3, 3), rng(3))),
    (lambda A, b: np.linalg.solve(A, b), (rng(4, 3, 3), rng(2, 1, 3, 2))),
    (lambda A: np.linalg.cholesky(definite(A)), (rng(3, 3),)),
    (lambda A: np.linalg.cholesky(definite(A), upper=True), (rng(4, 3, 3),)),
    (lambda A: np.linalg.eigh(symmetric(A))[0], (rng(4, 3, 3),)),
    (lambda A: np.linalg.eigh(symmetric(A)).eigenvectors ** 2, (rng(3, 3),)),
    (lambda A: np.linalg.eigvalsh(symmetric(A)), (rng(4, 4),)),
    (lambda A: np.linalg.svd(A, compute_uv=False), (rng(3, 5),)),
    (lambda A: np.linalg.svd(A, compute_uv=False), (rng(2, 5, 3),)),
    (lambda A: np.linalg.svd(A, full_matrices=False)[0] ** 2, (rng(5, 3),)),
    (lambda A: np.linalg.svd(A, full_matrices=False)[0] ** 2, (rng(3, 5),)),
    (lambda A: np.linalg.svd(A, full_matrices=False)[2] ** 2, (rng(2, 5, 3),)),
    (lambda A: np.linalg.svd(A, full_matrices=False)[2] ** 2, (rng(3, 5),)),
    (lambda A: np.linalg.svd(A)[2] ** 2, (rng(3, 3),)),
    (lambda A: np.linalg.qr(A)[0], (rng(5, 3),)),
    (lambda A: np.linalg.qr(A).R, (rng(2, 5, 3),)),
    (lambda A: np.linalg.qr(A).Q @ np.linalg.qr(A).R ** 2, (rng(3, 3),)),
    (lambda A: np.linalg.pinv(A), (rng(5, 3),)),
    (lambda A: np.linalg.pinv(A), (rng(2, 3, 5),)),
    (lambda A: np.linalg.pinv(A), (rng(3, 3),)),
    (lambda A: np.linalg.norm(A), (rng(3, 4),)),
    (lambda A: np.linalg.norm(A, axis=1), (rng(3, 4),)),
    (lambda A: np.linalg.norm(A, "nuc"), (rng(3, 4),)),
    (lambda A: np.linalg.norm(A, 2), (rng(3, 4),)),
    (lambda A: np.linalg.norm(A, 1), (rng(3, 4),)),
    (lambda A: np.linalg.norm(A, np.inf, axis=(1, 2)), (rng(2, 3, 4),)),
    (lambda A: np.linalg.norm(A, 3, axis=0, keepdims=True), (rng(3, 4),)),
    (lambda A: np.linalg.norm(A, -np.inf, axis=1), (rng(3, 4),)),
    (lambda A: np.linalg.cond(A), (rng(3, 3),)),
    (lambda A: np.linalg.matrix_power(A, 5), (rng(3, 3),)),
    (lambda A: np.linalg.matrix_power(A, -3), (rng(3, 3),)),
    (lambda A: np.trace(A, 1), (rng(4, 3),)),
    (lambda A: np.trace(A, axis1=0, axis2=2), (rng(4, 3, 4),)),
    (lambda A, B: np.kron(A, B), (rng(2, 3), rng(3, 2))),
    (lambda A, B: np.tensordot(A, B, ((0, 2), (2, 1))), (rng(2, 3, 4), rng(3, 4, 2))),
    (lambda A, B: np.tensordot(A, B), (rng(2, 3, 4), rng(3, 4, 2))),
    (lambda A, B: np.dot(A, B), (rng(2, 3), rng(4, 3, 2))),
    (lambda A, B: np.inner(A, B), (rng(2, 4, 3), rng(5, 3))),
    (lambda A, B: np.outer(A, B), (rng(2, 3), rng(4))),
    (lambda A, B: np.vdot(A, B), (rng(2, 3), rng(2, 3, seed=1))),
    (lambda A, B: A @ B, (rng(4, 1, 2, 3), rng(5, 3, 2))),
    (lambda A, x: A @ x, (rng(4, 2, 3), rng(3))),
    (lambda x, A: x @ A, (rng(3), rng(4, 3, 2))),
    (lambda A, B: np.einsum("...ij,...jk->...ik", A, B), (rng(4, 1, 2, 3), rng(5, 3, 2))),
    (lambda A, B: np.einsum("iji,jk->k", A, B), (rng(3, 2, 3), rng(2, 4))),
    (lambda A, B, c: np.einsum("ij,jk,k->i", A, B, c, optimize="optimal"), (rng(2, 3), rng(3, 4), rng(4))),
    (lambda A, b: np.einsum(A, [0, 1], b, [1], [0]), (rng(2, 3), rng(3))),
    (lambda A, b: np.einsum("ij,kj", A, b), (rng(2, 3), rng(4, 3))),
    (lambda A: np.einsum("ijk->ki", A), (rng(2, 3, 4),)),
    (lambda A, B, C: np.linalg.multi_dot([A, B, C]), (rng(3), rng(3, 4), rng(4, 2))),
    *((getattr(module, name), make(np.random.default_rng(1)))
      for module in (linear_algebra, calculus) for name, make in module.INPUTS.items()),
]


def jaxed(jnp: Any, f: Callable[..., Any]) -> Callable[..., Any]:
    """f, and the functions of its module that it calls, with `jax.numpy` for `np`."""
    names: dict[str, Any] = {}
    for name, value in f.__globals__.items():
        plain = isinstance(value, types.FunctionType) and value.__module__ == f.__module__
        names[name] = types.FunctionType(value.__code__, names, name, value.__defaults__) if plain else value
    names["np"] = jnp
    return types.FunctionType(f.__code__, names, f.__name__, f.__defaults__, f.__closure__)


def inexact(args: tuple[Any, ...]) -> tuple[int, ...]:
    return tuple(k for k, a in enumerate(args) if isinstance(a, float) or isinstance(a, np.ndarray))


@pytest.mark.parametrize("case", CASES, ids=lambda case: case[0].__name__)
def test_against_jax(case: Case) -> None:
    jax = pytest.importorskip("jax")
    jax.config.update("jax_enable_x64", True)
    f, args = case
    twin, wrt = jaxed(jax.numpy, f), inexact(args)
    value, pullback = vjp(f, *args)
    y = np.asarray(value)
    ct = np.random.default_rng(3).normal(size=y.shape)
    made = pullback(ct if isinstance(value, np.ndarray) else float(ct))
    theirs, their_pullback = jax.vjp(lambda *xs: twin(*merged(args, wrt, xs)), *(args[k] for k in wrt))
    np.testing.assert_allclose(y, theirs, rtol=1e-9, atol=1e-11)
    for k, expected in zip(wrt, their_pullback(jax.numpy.asarray(ct))):
        np.testing.assert_allclose(made[k], expected, rtol=1e-8, atol=1e-9, err_msg=f"argument {k}")


def merged(args: tuple[Any, ...], wrt: tuple[int, ...], xs: Any) -> list[Any]:
    """args, with xs in the places wrt."""
    found = dict(zip(wrt, xs))
    return [found.get(k, a) for k, a in enumerate(args)]


# -- edges --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("p", [None, 1, 2, 3, math.inf, -math.inf, 0])
def test_norm_of_zeros(p: Any) -> None:
    np.testing.assert_array_equal(grad(lambda x: np.linalg.norm(x, p))(np.zeros(3)), np.zeros(3))


def test_norm_of_ties() -> None:
    np.testing.assert_allclose(grad(lambda x: np.linalg.norm(x, np.inf))(np.array([1.0, -2.0, 2.0])), [0, -0.5, 0.5])


def test_the_triangle_that_is_read_has_the_derivative() -> None:
    """As differences say: the other triangle of the operand is not looked at."""
    A = definite(rng(3, 3))
    for f in (lambda A: np.sum(np.linalg.cholesky(A)), lambda A: np.linalg.eigh(A)[0][0]):
        made = grad(f)(A)
        np.testing.assert_array_equal(np.triu(made, 1), 0.0)
        assert np.all(np.tril(made) != 0.0) or not np.triu(made, 1).any()
        h = 1e-6
        for i, j in ((1, 0), (2, 2), (0, 2)):
            step = np.zeros((3, 3))
            step[i, j] = h
            np.testing.assert_allclose(made[i, j], (f(A + step) - f(A - step)) / (2 * h), rtol=1e-5, atol=1e-8)


def test_eigenvalues_that_are_equal() -> None:
    """Their sum has a derivative; their vectors have none, and that is not a number."""
    np.testing.assert_allclose(grad(lambda A: np.sum(np.linalg.eigh(A)[0]))(np.eye(3)), np.eye(3), atol=1e-15)
    with np.errstate(all="ignore"):
        assert not np.isfinite(grad(lambda A: np.sum(np.linalg.eigh(A)[1] ** 3))(np.eye(3))).all()


RING = np.array([[2.0, 1.0, 0.0, 1.0], [1.0, 2.0, 1.0, 0.0], [0.0, 1.0, 2.0, 1.0], [1.0, 0.0, 1.0, 2.0]])


@pytest.mark.parametrize("vector", [
    lambda T: np.linalg.eigh(T)[1][:, -1],
    lambda T: np.linalg.eigh(np.stack([T, 2.0 * T]))[1][1, :, -1],
    lambda T: np.linalg.eig(T)[1][:, np.argmax(np.linalg.eig(T)[0])],
    lambda T: np.linalg.svd(T)[0][:, 0],
    lambda T: np.linalg.svd(T)[2][0],
    lambda T: scipy.linalg.eigh(T)[1][:, -1],
    lambda T: scipy.linalg.eigh(T, np.eye(4))[1][:, -1],
], ids=["eigh", "stack", "eig", "left", "right", "scipy", "pair"])
def test_a_vector_does_not_read_others_that_have_one_eigenvalue(vector) -> None:
    """At x = 1 two other eigenvalues coincide."""
    def f(x):
        T = RING * np.array([x, 1.0, 1.0, 1.0])
        return vector((T + T.T) / 2.0)[0] ** 2

    slope = (f(1.0 + 1e-5) - f(1.0 - 1e-5)) / 2e-5
    with np.errstate(all="ignore"):
        np.testing.assert_allclose([grad(f)(1.0), jvp(f, (1.0,), (1.0,))[1]], slope, rtol=1e-8)
    curvature = (grad(f)(1.3 + 1e-5) - grad(f)(1.3 - 1e-5)) / 2e-5
    np.testing.assert_allclose(grad(grad(f))(1.3), curvature, rtol=1e-7)


def test_determinant_of_a_singular_matrix() -> None:
    """`inv` raises where the matrix is singular to the last bit."""
    with pytest.raises(np.linalg.LinAlgError):
        grad(lambda A: np.linalg.det(A))(np.zeros((2, 2)))


def code_of(derivative: Any) -> str:
    """The lines of the source that are no comments."""
    return "\n".join(line for line in derivative.source.splitlines() if not line.strip().startswith("#"))


def test_square_of_a_norm() -> None:
    """The norm cancels, also at 0."""
    df = grad(lambda x: 3.0 * np.linalg.norm(x) ** 2)
    np.testing.assert_array_equal(df(np.array([1.0, -2.0])), [6.0, -12.0])
    np.testing.assert_array_equal(df(np.zeros(2)), np.zeros(2))
    assert "norm" not in code_of(df)


def test_logarithm_of_a_determinant() -> None:
    """The determinant cancels, also where it underflows."""
    df = grad(lambda A: 0.5 * np.log(np.linalg.det(A)))
    with np.errstate(divide="ignore"):
        np.testing.assert_allclose(df(1e-200 * np.eye(2)), 0.5e200 * np.eye(2))
    assert "det" not in code_of(df)


def test_sign_is_constant() -> None:
    np.testing.assert_array_equal(grad(lambda A: np.linalg.slogdet(A)[0])(rng(3, 3)), np.zeros((3, 3)))


def test_rank_is_constant() -> None:
    gradient = grad(lambda A: np.linalg.matrix_rank(A) * np.sum(A))(rng(4, 3))
    np.testing.assert_array_equal(gradient, np.full((4, 3), 3.0))


def test_shape_is_a_guard() -> None:
    """One function, for wide and for tall matrices in turn."""
    def f(A):
        return np.sum(np.linalg.qr(A).R ** 3)

    df = grad(f)
    for shape in ((4, 2), (2, 4), (3, 3), (5, 4)):
        A, v, h = rng(*shape), rng(*shape, seed=1), 1e-6
        slope = (f(A + h * v) - f(A - h * v)) / (2 * h)
        np.testing.assert_allclose(np.sum(df(A) * v), slope, rtol=1e-6)


def test_named_results() -> None:
    def f(A):
        made = np.linalg.svd(A, full_matrices=False)
        return made.S[0] + np.sum(made.U**2 * made.S) + made[1][1]

    A = rng(4, 3)
    np.testing.assert_allclose(grad(f)(A), grad(lambda A: (lambda u, s, v: s[0] + np.sum(u**2 * s) + s[1])(
        *np.linalg.svd(A, full_matrices=False)))(A))


@pytest.mark.parametrize("f, A, message", [
    (lambda A: np.sum(np.linalg.svd(A)[0]), rng(4, 3), "full_matrices=False"),
    (lambda A: np.sum(np.linalg.qr(A, "complete")[0]), rng(4, 3), 'mode="reduced"'),
    (lambda A: np.linalg.norm(A, "max"), rng(4, 3), "has no ord='max'"),
    (lambda A: np.linalg.norm(A, 3), rng(4, 3), "has no ord=3"),
    (lambda A: np.sum(np.linalg.qr(A, "raw")[0]), rng(4, 3), "mode='raw'"),
    (lambda A: np.einsum("ij,j", A), rng(4, 3), "2 subscripts for 1 operands"),
    (lambda A: np.sum(np.einsum("ij->kj", A)), rng(4, 3), "names an axis that no operand has"),
    (lambda A: np.einsum("ij->", A, dtype=float), rng(4, 3), "dtype"),
    (lambda a: np.cross(a, a)[0], rng(2), "2 and 2 elements"),
])
def test_refused(f: Callable[..., Any], A: Any, message: str) -> None:
    with pytest.raises(SctError) as error:
        grad(f)(A)
    assert message in " ".join((error.value.what, error.value.why, error.value.hint))


@pytest.mark.parametrize("f", [
    lambda p: np.linalg.norm(np.array([1.0, -2.0]), p),
    lambda p: np.linalg.norm(np.array([1.0, -2.0]), 2.0 * p + 1.0),
    lambda p: np.interp(-1.0, np.array([0.0, 1.0]), np.array([2.0, 3.0]), left=p),
])
def test_an_option_is_no_way_out_of_the_derivative(f: Callable[..., Any]) -> None:
    with pytest.raises(SctError, match="no derivative with respect to"):
        grad(f)(3.0)


def test_subscripts_are_a_guard() -> None:
    df = grad(lambda A, subscripts: np.sum(np.einsum(subscripts, A) ** 2))
    A = rng(3, 3)
    np.testing.assert_allclose(df(A, "ij->i"), np.repeat(2.0 * A.sum(axis=1)[:, None], 3, axis=1))
    np.testing.assert_allclose(df(A, "ii->i"), np.diag(2.0 * np.diag(A)))


def test_an_option_that_is_not_differentiated_by_is_a_guard() -> None:
    df = grad(lambda x, p: np.linalg.norm(x, p))
    x = np.array([1.0, -2.0])
    for p in (1.0, 2.0, 3.0):
        np.testing.assert_allclose(df(x, p), np.sign(x) * (np.abs(x) / np.linalg.norm(x, p)) ** (p - 1.0))


def test_forward_mode_of_what_has_no_derivative() -> None:
    A = rng(4, 3)
    value, tangent = jvp(lambda A: np.linalg.svd(A)[1][0], (A,), (A,))
    np.testing.assert_allclose(tangent, value)
    with pytest.raises(SctError, match=r"hint: use .*full_matrices=False"):
        jvp(lambda A: np.sum(np.linalg.svd(A)[0]), (A,), (A,))


WHOLE: list[Callable[..., Any]] = [
    lambda A: (lambda w, v: np.sum(w**2) + np.sum(v**4))(*np.linalg.eigh(symmetric(A))),
    lambda A: (lambda w, v: np.sum(w**2) + np.sum(w @ v**2))(*np.linalg.eigh(symmetric(A), UPLO="U")),
    lambda A: (lambda w, v: np.sum(np.abs(w)**1.5) + np.sum(np.abs(v)**3))(*np.linalg.eig(definite(A))),
    lambda A: (lambda u, s, v: np.sum(u**4) + np.sum(s**3) + np.sum(v**4))(*np.linalg.svd(A)),
    lambda A: (lambda q, r: np.sum(q**3) + np.sum(r**2))(*np.linalg.qr(A)),
    lambda A: (lambda sign, log: np.sum(sign * log**2))(*np.linalg.slogdet(A)),
    lambda A: np.sum(np.linalg.cholesky(definite(A))**3) + np.sum(np.linalg.inv(definite(A))**2),
    lambda A: np.sum(np.linalg.eigvalsh(symmetric(A))**3 * np.trace(A)),
    lambda A: np.sum(np.trace(A, axis1=1, axis2=2)**2 * np.einsum("kii->k", A)),
    lambda A: np.sum(np.einsum("iij->j", A)**2 * np.diagonal(A, axis1=0, axis2=2)),
    lambda A: np.sum(np.linalg.solve(definite(A), A)**2) + np.sum(np.prod(A, axis=1)**2),
]
"""Of a stack of n matrices n x n: an identity matrix, the eigenvalues and a matrix of the stack have one shape."""


@pytest.mark.parametrize("n", [1, 2, 3])
@pytest.mark.parametrize("k", range(len(WHOLE)))
def test_stacks_of_as_many_matrices_as_rows(k: int, n: int) -> None:
    f, A, T = WHOLE[k], rng(n, n, n) + 2.0 * np.diag(np.arange(n)), rng(n, n, n, seed=1)
    value, tangent = jvp(f, (A,), (T,))
    back = grad(f)(A)
    assert value == f(A)
    np.testing.assert_allclose(tangent, np.sum(back * T), rtol=1e-9, atol=1e-11)
    np.testing.assert_allclose(tangent, (f(A + 1e-6 * T) - f(A - 1e-6 * T)) / 2e-6, rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(jacfwd(f)(A), back, rtol=1e-9, atol=1e-9)
    change = (grad(f)(A + 1e-6 * T) - grad(f)(A - 1e-6 * T)) / 2e-6
    np.testing.assert_allclose(hvp(f, (A,), (T,)), change, rtol=1e-4, atol=1e-4)

SQUARES: list[tuple[Callable[..., Any], float]] = [
    (lambda x: np.sum(np.abs(x) ** 2), 2.0),
    (lambda x: np.sum(np.abs(x) * np.abs(x)), 2.0),
    (lambda x: np.sum(np.square(np.abs(3.0 * x)) * 0.5), 9.0),
    (lambda x: np.sum(np.fabs(x) ** 2 * np.exp(x)), 2.0),
    (lambda x: np.sum(np.hypot(x, 2.0 * x) ** 2), 10.0),
    (lambda x: np.sum(np.abs(x * 1j) ** 2), 2.0),
    (lambda x: np.linalg.norm(x * 1j) ** 2, 2.0),
    (lambda x: 0.5 * np.linalg.norm(x) ** 2, 1.0),
    (lambda x: np.sum(np.linalg.norm(x[:, None], axis=1) ** 2), 2.0),
    (lambda x: np.sum(np.linalg.norm(x[:, None], axis=1, keepdims=True) ** 2 * 3.0), 6.0),
    (lambda x: np.sum(np.linalg.norm(x[None], axis=-1) ** 2 * (1.0 + np.linalg.norm(x))), 2.0),
    (lambda x: np.sum(np.linalg.norm(x[None] * (1.0 + 1j), axis=0) ** 2), 4.0),
    (lambda x: np.sum([abs(v) ** 2 for v in x]), 2.0),
    (lambda x: np.sum([np.hypot(v, v) ** 2 for v in x]), 4.0),
    (lambda x: np.exp(-np.linalg.norm(x) ** 2), -2.0),
    (lambda x: np.exp(-0.5 * (np.linalg.norm(x) / 0.5) ** 2), -4.0),
    (lambda x: np.log1p((-2.0 * np.linalg.norm(x)) ** 2), 8.0),
    (lambda x: np.sum(np.exp(-np.linalg.norm(x[:, None], axis=1) ** 2 / 2.0)), -1.0),
    (lambda x: math.dist(x, [0.0, 0.0]) ** 2, 2.0),
    (lambda x: np.exp(-np.abs(x[0] + 1j * x[1]) ** 2), -2.0),
    (lambda x: np.sum(np.where(np.abs(x) < 5.0, 0.5 * np.abs(x) ** 2, 5.0 * (np.abs(x) - 2.5))), 1.0),
]


@pytest.mark.parametrize("f, slope", SQUARES)
def test_squares_of_absolute_values_have_a_second_derivative_at_zero(f: Callable[..., Any], slope: float) -> None:
    x, t = np.zeros(2), np.array([1.0, -2.0])
    assert grad(f)(x).tolist() == [0.0, 0.0]
    np.testing.assert_allclose(hessian(f)(x), slope * np.eye(2), atol=1e-14)
    np.testing.assert_allclose(hvp(f, (x,), (t,)), slope * t)
    np.testing.assert_allclose(jacrev(grad(f))(x), slope * np.eye(2), atol=1e-14)
    for y in (np.array([0.3, -1.5]), np.array([2.0, 0.25])):
        change = (f(y + 1e-6 * t) - f(y - 1e-6 * t)) / 2e-6
        np.testing.assert_allclose(grad(f)(y) @ t, change, rtol=1e-7, atol=1e-8)
        np.testing.assert_allclose(jvp(f, (y,), (t,))[1], change, rtol=1e-7, atol=1e-8)
        np.testing.assert_allclose(hvp(f, (y,), (t,)), (grad(f)(y + 1e-6 * t) - grad(f)(y - 1e-6 * t)) / 2e-6,
                                   rtol=1e-6, atol=1e-7)


@pytest.mark.parametrize("f, slope", [
    (lambda x: np.sum(np.abs(x) ** 2), 2.0), (lambda x: np.exp(-np.linalg.norm(x) ** 2), -2.0),
    (lambda x: np.linalg.norm(x * 1j / 2.0) ** 2, 0.5), (lambda x: np.sum(np.hypot(x, 2.0 * x) ** 2), 10.0),
    (lambda x: math.dist(x, [0.0, 0.0]) ** 2, 2.0), (lambda x: np.abs(x[0] + 1j * x[1]) ** 2, 2.0)])
def test_squares_of_absolute_values_in_forward_mode_twice(f: Callable[..., Any], slope: float) -> None:
    np.testing.assert_allclose(jacfwd(jacfwd(f))(np.zeros(2)), slope * np.eye(2), atol=1e-14)


@pytest.mark.parametrize("x", [0.0, -1.5, float("inf"), float("nan")])
def test_squares_of_absolute_values_of_numbers(x: float) -> None:
    for f in (lambda x: abs(x) ** 2, lambda x: math.fabs(x) * abs(x), lambda x: np.square(abs(x)) / 2.0 * 2.0):
        for number in (x, np.float64(x)):
            np.testing.assert_array_equal(grad(f)(number), 2.0 * x)
            assert hessian(f)(number) == 2.0 or x != x
    np.testing.assert_array_equal(grad(lambda x: np.abs(x) ** 2)(np.float64(x)), 2.0 * x)
    for f in (lambda x: np.abs(x) ** 2, lambda x: np.abs(x) * np.fabs(x), lambda x: np.square(np.abs(x))):
        for number in (x, np.float64(x)):
            value, slope = value_and_grad(f)(number)
            assert type(value) is np.float64 and (value == f(number) or x != x)
            if x == 0.0:
                assert slope == 0.0 and hessian(f)(number) == 2.0 == grad(grad(f))(number)


@pytest.mark.parametrize("x", [0.0, np.float64(0.0)])
def test_squares_of_lengths_of_numbers(x: float) -> None:
    for f in (lambda x: np.hypot(x, 2.0 * x) ** 2, lambda x: math.hypot(x, 2.0 * x) ** 2):
        assert grad(f)(x) == 0.0 and hessian(f)(x) == 10.0
        np.testing.assert_allclose(grad(f)(1.5), 15.0)



def test_spellings_of_the_array_api() -> None:
    """Each is the op of NumPy's older name."""
    A, B, u, v = rng(2, 3, 3), rng(3, 3), rng(4, 3), rng(3)
    pairs: list[tuple[Callable[..., Any], Callable[..., Any], tuple[Any, ...]]] = [
        (lambda A: np.sum(A.mT @ A), lambda A: np.sum(np.swapaxes(A, -1, -2) @ A), (A,)),
        (lambda A: np.sum(np.matrix_transpose(A) ** 3), lambda A: np.sum(np.swapaxes(A, -1, -2) ** 3), (A,)),
        (lambda A, B: np.sum(np.linalg.matmul(A, B) ** 2), lambda A, B: np.sum((A @ B) ** 2), (A, B)),
        (lambda B, v: np.sum(np.linalg.outer(B @ v, v) ** 2), lambda B, v: np.sum(np.outer(B @ v, v) ** 2), (B, v)),
        (lambda u, v: np.sum(np.linalg.cross(u, v) ** 3), lambda u, v: np.sum(np.cross(u, v) ** 3), (u, v)),
        (lambda u, v: np.sum(np.linalg.vecdot(u, v) ** 3), lambda u, v: np.sum((u @ v) ** 3), (u, v)),
        (lambda A, B: np.sum(np.linalg.tensordot(A, B, axes=1) ** 2), lambda A, B: np.sum((A @ B) ** 2), (A, B)),
    ]
    for f, g, args in pairs:
        wrt = tuple(range(len(args)))
        for made, expected in zip(grad(f, wrt)(*args), grad(g, wrt)(*args), strict=True):
            np.testing.assert_allclose(made, expected, rtol=1e-12)


def of_tall(A: np.ndarray) -> float:
    return np.sum(np.linalg.qr(A)[1] ** 2) + np.sum(np.linalg.svd(A, compute_uv=False))


def of_rows(a: np.ndarray, b: np.ndarray) -> float:
    return np.sum(np.cross(a[0], b[0]) ** 2)


def of_signals(a: np.ndarray, b: np.ndarray) -> float:
    return np.sum(np.convolve(a, b, "same") ** 2)


def of_squares(K: np.ndarray, y: np.ndarray) -> float:
    return y @ np.linalg.solve(K, y) + np.linalg.slogdet(K)[1]


@pytest.mark.parametrize("f, args", [(of_tall, (rng(4, 3),)), (of_rows, (rng(2, 3), rng(4, 3))),
                                     (of_signals, (rng(5), rng(3))), (of_squares, (rng(3, 3), rng(3)))])
def test_ahead_of_time(f: Callable[..., Any], args: tuple[Any, ...]) -> None:
    """Without arguments a matrix is taken to be tall, a vector of a cross product to have three elements."""
    wrt = tuple(range(len(args)))
    ahead, called = grad(f, wrt), grad(f, wrt)
    called(*args)
    assert code_of(ahead) == code_of(called)


def diagonal_written(A, s):
    B = A * s
    d = np.einsum("ii->i", B)
    d += s
    np.einsum("ij->ji", B)[0, 1] = s * s
    return np.sum(B**3)


def batch_of_diagonals_written(A, s):
    B = A[:, None] * np.ones((3, 3, 1))
    np.einsum("iji->ij", B)[...] = s * A
    return np.sum(B**3)


def rows_by_labels(A, s):
    B = A * s
    rows = np.arange(len(A))
    B[rows, np.array([2, 0, 0])] = s * A[rows, np.array([1, 1, 2])]
    B[rows, np.array([2, 2, 2])] *= s
    return np.sum(B**3)


def one_row_by_repeated_labels(A, s):
    """One row broadcasts over the labels, of which two are equal: positions repeat."""
    B = A * s
    row = np.arange(len(A[:1]))
    B[row, np.array([1, 1, 0])] = s * A[0] ** 2
    return np.sum(B**3) + np.sum(B[row, np.array([2, 2, 1])] ** 2)


@pytest.mark.parametrize("f", [diagonal_written, batch_of_diagonals_written, rows_by_labels,
                               one_row_by_repeated_labels], ids=lambda f: f.__name__)
def test_positions_that_are_written(f: Callable[..., Any]) -> None:
    A, d, h = rng(3, 3), rng(3, 3, seed=1), 1e-6
    dA, ds = grad(f, (0, 1))(A, 0.7)
    slope = (f(A + h * d, 0.7 + 0.3 * h) - f(A - h * d, 0.7 - 0.3 * h)) / (2 * h)
    np.testing.assert_allclose(np.sum(dA * d) + 0.3 * ds, slope, rtol=1e-6)


# -- matrices of a lower rank ---------------------------------------------------------------------------


def dependent(x, m, n):
    """A matrix of rank 1 whose rows and columns depend on x."""
    return np.outer(np.arange(1.0, m + 1.0) * np.cos(x * np.arange(m)), np.sin(x + np.arange(n)))


@pytest.mark.parametrize("m, n", [(2, 2), (3, 3), (5, 2), (2, 5)])
def test_of_a_lower_rank(m, n):
    """The spaces of the rows and of the columns move, whatever the sizes of the matrix."""
    def inverse(x):
        return np.linalg.pinv(dependent(x, m, n))[0, 1]

    def solution(x):
        b = np.linspace(-1.0, 2.0, m) * x
        return np.linalg.lstsq(dependent(x, m, n), b, rcond=None)[0] @ np.arange(1.0, n + 1.0)

    for f in (inverse, solution):
        value, slope = value_and_grad(f)(0.7)
        numeric = (f(0.7 + 1e-6) - f(0.7 - 1e-6)) / 2e-6
        assert value == f(0.7)
        np.testing.assert_allclose([slope, jvp(f, (0.7,), (1.0,))[1]], numeric, rtol=1e-7)


@pytest.mark.parametrize(
    "subscripts", ["ij,jk->k", "ij,jk->i", "bij,bjk->bk", "ij,kj->", "bij,bkj->ki", "bij,bjk->ikb"])
def test_sums_of_products_of_two_arrays(subscripts: str) -> None:
    """Also where an axis of one array alone is summed over, and in another order than that of a product of matrices."""
    rng = np.random.default_rng(5)
    terms, _, _ = subscripts.partition("->")
    sizes = {"b": 2, "i": 3, "j": 4, "k": 5}
    x, y, dx, dy = (rng.normal(size=[sizes[c] for c in term]) for term in 2 * terms.split(","))

    def f(x, y):
        z = np.einsum(subscripts, x, y)
        return np.sum(z * z)

    gradients = grad(f, argnums=(0, 1))(x, y)
    eps = 1e-6
    slope = (f(x + eps * dx, y + eps * dy) - f(x - eps * dx, y - eps * dy)) / (2.0 * eps)
    np.testing.assert_allclose(sum(np.sum(g * d) for g, d in zip(gradients, (dx, dy), strict=True)), slope, rtol=1e-6)
    assert np.isclose(jvp(f, (x, y), (dx, dy))[1], slope, rtol=1e-6)


def test_axes_of_einsum_that_are_arguments() -> None:
    def f(x, axes):
        return np.sum(np.einsum(x, axes, x, [1, 2], [axes[0], 2]) ** 2)

    x = np.arange(9.0).reshape(3, 3) / 7.0
    for axes in ((0, 1), (1, 0)):
        check_grads(f, (x, axes), order=2)


def growth_rates(A, n):
    C, total = np.zeros((2, 2)), 0.0
    for i in range(n):
        C = C + A * (i + 1)
        total += np.sum(np.abs(np.linalg.eigvals(C)) ** 3)
    return total


def test_eigenvalues_of_a_matrix_of_a_loop_are_of_the_dtype_that_was_observed():
    """Whether they are complex is known only at run time: each dtype is compiled, once."""
    real, turned = np.array([[0.5, 0.2], [0.1, 0.7]]), np.array([[0.5, 0.2], [-0.4, 0.7]])
    derivative = grad(growth_rates)
    for A in (real, turned, real, turned):
        rises = [(growth_rates(A + e, 3) - growth_rates(A - e, 3)) / 2e-6 for e in 1e-6 * np.eye(4).reshape(4, 2, 2)]
        np.testing.assert_allclose(derivative(A, 3), np.reshape(rises, (2, 2)), rtol=1e-6)
    assert len(derivative.sources) == 2


def test_eigenvalues_of_both_dtypes_under_several_kinds_of_arguments():
    def f(x, A, lag=2):
        B = x * A if lag == 2 else x * A.T
        if np.max(np.abs(np.linalg.eigvals(B))) > 1.1:
            return -np.inf
        return x * x

    real, turned = np.array([[0.5, 0.1], [0.0, 0.2]]), np.array([[0.5, 0.4], [-0.4, 0.5]])
    derivative = grad(f)
    for A in (real, turned, real):
        assert derivative(1.0, A) == derivative(1.0, A, 1) == derivative(1.0, A, lag=1) == 2.0
        assert value_and_grad(f)(1.0, A, 1) == (1.0, 2.0)
