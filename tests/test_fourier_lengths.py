"""The lengths of Fourier transforms over several axes: -1 stands for the whole axis."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.fft

from sct import SctError, check_grads, vjp

RNG = np.random.default_rng(0)
A = RNG.normal(size=(3, 4))
Z = A + 1j * A[::-1]
LENGTHS = [([2, -1], [0, 1]), ((-1, 3), (0, 1)), ((-1, -1), (-2, -1)), ((5, -1), (1, 0))]
OF_NUMPY = [getattr(np.fft, name) for name in ("fft2", "ifft2", "fftn", "ifftn", "rfftn", "irfft2", "irfftn")]
OF_SCIPY = [getattr(scipy.fft, name) for name in ("fft2", "ifftn", "rfft2", "irfftn", "dctn", "idstn")]


@pytest.mark.parametrize("s, axes", LENGTHS)
@pytest.mark.parametrize("transform", OF_NUMPY + OF_SCIPY)
def test_whole_axes(transform, s, axes):
    def f(x):
        return transform(x, s=s, axes=axes)

    x = A if transform.__name__ in ("rfftn", "rfft2", "dctn", "idstn") else Z
    value, _ = vjp(f, x)
    assert value.tobytes() == f(x).tobytes()
    check_grads(f, (x,))


def test_the_last_axes_and_one_axis():
    check_grads(lambda x: np.fft.fft2(x, s=(2, -1)), (Z,))
    check_grads(lambda x: np.fft.irfftn(x, s=[-1], axes=[1]), (Z,))


@pytest.mark.parametrize("transform", [np.fft.fft2, np.fft.irfft2])
def test_lengths_of_arguments(transform):
    def f(x, n):
        return transform(x, s=(2, n))

    for n in (-1, 3, -1, 6):
        value, _ = vjp(f, Z, n)
        assert value.tobytes() == f(Z, n).tobytes()
    with pytest.raises((SctError, ValueError), match="Invalid number of FFT data points"):
        vjp(f, Z, -2)
    assert vjp(np.fft.fft, A, 3)[0].tobytes() == np.fft.fft(A, 3).tobytes()
