"""Complex matrices and signals in `scipy.linalg`, `scipy.signal` and the functions of NumPy beside them."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.linalg
import scipy.signal
from numpy.fft import ifft

from sct import SctError, check_grads, grad, vjp


def matrix(*shape: int, seed: int = 0):
    rng = np.random.default_rng(seed)
    return rng.normal(size=shape) + 1j * rng.normal(size=shape)


Z, B = matrix(4, 4) + 4.0 * np.eye(4), matrix(4, 2, seed=1)
X, Y = matrix(5, seed=2), matrix(3, seed=3)


def definite(a):
    return a @ a.conj().T + np.eye(4)


LINALG = {
    "solve": lambda a, b: scipy.linalg.solve(a, b),
    "hermitian": lambda a, b: scipy.linalg.solve(definite(a), b, assume_a="her"),
    "definite": lambda a, b: scipy.linalg.solve(a, b, assume_a="her", lower=True),
    "pos": lambda a, b: scipy.linalg.solve(definite(a), b, assume_a="pos"),
    "symmetric": lambda a, b: scipy.linalg.solve(a, b, assume_a="sym"),
    "symmetric, lower": lambda a, b: scipy.linalg.solve(a, b, assume_a="sym", lower=True),
    "upper": lambda a, b: scipy.linalg.solve(a, b, assume_a="upper triangular"),
    "real matrix": lambda a, b: scipy.linalg.solve(a.real, b),
    "inv": lambda a, b: scipy.linalg.inv(a) @ b,
    "det": lambda a, b: scipy.linalg.det(a) * b,
    "triangle": lambda a, b: scipy.linalg.solve_triangular(a, b, lower=True),
    "transposed": lambda a, b: scipy.linalg.solve_triangular(a, b, trans="T"),
    "adjoint": lambda a, b: scipy.linalg.solve_triangular(a, b, trans="C"),
    "cholesky": lambda a, b: scipy.linalg.cholesky(definite(a)),
    "lower": lambda a, b: scipy.linalg.cholesky(definite(a), lower=True),
    "cho_solve": lambda a, b: scipy.linalg.cho_solve(scipy.linalg.cho_factor(definite(a)), b),
    "cho_solve, lower": lambda a, b: scipy.linalg.cho_solve(scipy.linalg.cho_factor(definite(a), lower=True), b),
    "lu": lambda a, b: scipy.linalg.lu(a)[1] @ scipy.linalg.lu(a)[2],
    "lu_solve": lambda a, b: scipy.linalg.lu_solve(scipy.linalg.lu_factor(a), b),
    "lu_solve, adjoint": lambda a, b: scipy.linalg.lu_solve(scipy.linalg.lu_factor(a), b, trans=2),
    "sylvester": lambda a, b: scipy.linalg.solve_sylvester(a, a[:2, :2] + 9.0 * np.eye(2), b),
    "svdvals": lambda a, b: scipy.linalg.svdvals(a),
    "svd": lambda a, b: scipy.linalg.svd(b, full_matrices=False)[0],
    "qr": lambda a, b: scipy.linalg.qr(b, mode="economic")[1],
    "norm": lambda a, b: scipy.linalg.norm(a),
    "one-norm": lambda a, b: scipy.linalg.norm(a, 1),
    "pinv": lambda a, b: np.linalg.pinv(b),
    "pinv, wide": lambda a, b: scipy.linalg.pinv(b.T),
    "lstsq": lambda a, b: np.linalg.lstsq(b, a)[0],
    "cond": lambda a, b: np.linalg.cond(b) + np.linalg.cond(a, 1),
    "block_diag": lambda a, b: scipy.linalg.block_diag(a, b.real, b),
    "toeplitz": lambda a, b: scipy.linalg.toeplitz(b[:, 0]) @ scipy.linalg.toeplitz(b[:, 0], a[0]),
    "hankel": lambda a, b: scipy.linalg.hankel(b[:, 0], a[0]) @ scipy.linalg.circulant(b[:, 1]),
    "sqrtm": lambda a, b: scipy.linalg.sqrtm(definite(a) + 1j * np.diag(a[0])),
}
SIGNAL = {
    "convolve": lambda x, y: scipy.signal.convolve(x, y, mode="same"),
    "with real": lambda x, y: scipy.signal.convolve(x.real, y),
    "fftconvolve": lambda x, y: scipy.signal.fftconvolve(x, y, mode="valid"),
    "lfilter": lambda x, y: scipy.signal.lfilter(y, np.concatenate((np.ones(1), 0.2 * y)), x),
    "real lfilter": lambda x, y: scipy.signal.lfilter(y.real, [1.0, 0.5], x),
    "polyval": lambda x, y: np.polyval(x, y),
    "polyval, real": lambda x, y: np.polyval(x.real, y[0]) + np.polyval(x, y[0].real),
    "interp": lambda x, y: np.interp(np.abs(y), np.arange(5.0), x),
}


def total(f):
    def g(*xs):
        y = f(*xs)
        return np.sum(np.abs(y + 0.3)) + np.sum(np.real(y * y))
    return g


@pytest.mark.parametrize("name", LINALG)
def test_matrices(name) -> None:
    f = total(LINALG[name])
    check_grads(f, (Z, B), order=2)
    assert vjp(f, Z, B)[0] == f(Z, B)


@pytest.mark.parametrize("name", SIGNAL)
def test_signals(name) -> None:
    f = total(SIGNAL[name])
    check_grads(f, (X, Y), order=2)
    assert vjp(f, X, Y)[0] == f(X, Y)


@pytest.mark.parametrize("of", [np.real, np.asarray], ids=["real", "complex"])
@pytest.mark.parametrize("subset", [(0, 1), (1, 2), [2, 3], (0, 3)], ids=str)
def test_some_eigenvectors(of, subset) -> None:
    def f(a):
        w, v = scipy.linalg.eigh(a + a.conj().T, subset_by_index=subset)
        return np.sum(w ** 3) + np.sum(np.abs(v[:2] + v[2:] * 0.3) ** 3)

    def values(a):
        return np.sum(scipy.linalg.eigh(a, eigvals_only=True, lower=False, subset_by_index=subset) ** 3)

    a = of(Z).copy()
    check_grads(f, (a,), order=2)
    check_grads(values, (a,), order=1)
    assert vjp(f, a)[0] == f(a)


def test_lu_solve_is_not_tried_with_pivots_out_of_bounds() -> None:
    assert np.allclose(grad(lambda s: scipy.linalg.lu_solve(scipy.linalg.lu_factor(s * Z.real), Z[0].real)[0])(2.0),
                       -0.25 * np.linalg.solve(Z.real, Z[0].real)[0])


# -- parts of complex arrays that nobody holds -------------------------------------------------------------------------


def halved(x):
    f = ifft(x).real
    f[0] *= 0.5
    return np.sum(f ** 2)


def scaled(x):
    f = ifft(x).imag
    f *= np.arange(1.0, 6.0)
    return np.sum(f ** 3)


@pytest.mark.parametrize("f", [halved, scaled])
def test_a_part_is_an_array_of_its_own(f) -> None:
    check_grads(f, (X,), order=2)
    check_grads(f, (X.real.copy(),), order=2)
    assert vjp(f, X)[0] == f(X)


def of_name(x):
    z = ifft(x)
    f = z.real
    f[0] *= 0.5
    return np.sum(np.abs(z))


def of_list(x):
    zs = [ifft(x)]
    f = zs[0].real
    f[0] *= 0.5
    return np.sum(np.abs(zs[0]))


def of_argument(x):
    f = x.real
    f[0] *= 0.5
    return np.sum(np.abs(x))


def kept(zs, x):
    zs.append(ifft(x))
    return zs[-1]


def of_call(x):
    zs = []
    f = kept(zs, x).real
    f[0] *= 0.5
    return np.sum(np.abs(zs[0]))


def of_expression(x):
    f = (z := ifft(x)).real
    f[0] *= 0.5
    return np.sum(np.abs(z))


@pytest.mark.parametrize("f", [of_name, of_list, of_argument, of_call, of_expression])
def test_the_whole_would_see_the_write(f) -> None:
    with pytest.raises(SctError, match="a write through the view `real`"):
        grad(f)(X)
