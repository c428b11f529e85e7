"""Filters, spectra, positions and distances by SciPy, in programs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import scipy.optimize
import scipy.signal as signal
from oracle import agrees, refuses
from scipy.optimize import linear_sum_assignment
from scipy.signal import windows
from scipy.spatial.distance import pdist, squareform

from sct import check_grads, grad

X = np.sin(np.arange(24.0)) + 1.5 + 0.02 * np.arange(24) ** 1.5
M = np.stack([X[:12], X[12:] ** 2])
POINTS = X[:12].reshape(4, 3) ** 2
B, A = signal.butter(2, 0.3)


def smoothed(x):
    """Filters without a delay."""
    y = signal.filtfilt(B, A, x) + signal.filtfilt([0.2, 0.3, 0.1], [1.0], x, padtype="even")
    y = y + signal.sosfiltfilt(signal.butter(3, 0.3, output="sos"), x, padlen=5)
    slope = signal.savgol_filter(x, 7, 3, deriv=1, delta=0.1)
    return np.sum(y**2) + np.sum(slope**2) + np.sum(signal.savgol_filter(x, 5, 2, mode="mirror") * signal.medfilt(x, 5))


def of_rows(m):
    return np.sum(signal.filtfilt(B, A, m.T, axis=0, padlen=5, padtype="constant") ** 2) + np.sum(
        signal.savgol_filter(m, 5, 2, axis=1, mode="constant", cval=1.0) ** 2)


def resampled(x):
    return np.sum(signal.resample(x, 30) ** 2) + np.sum(signal.resample(x, 10) ** 3) + np.sum(signal.resample(x[1:], 7))


def powers(x):
    f, p = signal.welch(x, fs=10.0, nperseg=8)
    _, q = signal.welch(x, nperseg=9, noverlap=3, window="hamming", detrend="linear", scaling="spectrum")
    return np.sum(np.log(p[1:])) + np.trapezoid(p, f) + q[1] + np.sum(np.log(signal.periodogram(x, 2.0)[1][1:]))


def windowed(x):
    n = len(x)
    spectrum = np.fft.rfft(x * np.hanning(n), n=32)
    weights = signal.get_window("hann", n) * windows.tukey(n, 0.3)
    return np.sum(np.abs(spectrum) ** 2) + np.sum((x * weights) ** 2) / np.sum(weights)


def peaks(x):
    at, found = signal.find_peaks(x, height=0.1, distance=2)
    few, _ = signal.find_peaks(x, prominence=0.1)
    return np.sum(x[at] ** 2) + found["peak_heights"].sum() + np.sum(np.diff(few) * x[few[1:]]) + len(few)


def matched(p):
    """An assignment is not differentiated, its application is."""
    costs = p[:3] ** 2
    rows, cols = linear_sum_assignment(costs)
    most = linear_sum_assignment(costs, maximize=True)
    return costs[rows, cols].sum() ** 2 + costs[most].sum()


def kernel(p):
    d = squareform(pdist(p))
    k = np.exp(-d**2)
    return np.sum(k @ k) + np.sum(pdist(p, "cosine") * pdist(p, "cityblock")) + np.sum(squareform(d) ** 2)


PROGRAMS = [(smoothed, X), (of_rows, M), (resampled, X), (powers, X), (windowed, X), (peaks, X), (matched, POINTS),
            (kernel, POINTS)]


@pytest.mark.parametrize(("f", "x"), PROGRAMS, ids=lambda v: getattr(v, "__name__", ""))
def test_program(f: Callable[..., Any], x: np.ndarray) -> None:
    agrees(f, x)
    check_grads(f, (x,), order=2 if f is matched else 1)


@pytest.mark.parametrize("padtype", ["odd", "even", "constant", None])
def test_spectra_of_filtered_signals(padtype: str | None) -> None:
    """A signal that a filter has run over both ways is as long as before."""
    sos = signal.butter(2, 0.3, output="sos")
    agrees(lambda x: np.sum(signal.welch(signal.filtfilt([0.5, 0.5], [1.0], x, padtype=padtype), nperseg=8)[1]), X)
    agrees(lambda x: np.sum(np.abs(signal.stft(signal.sosfiltfilt(sos, x, padtype=padtype), nperseg=8)[2]) ** 2), X)


@pytest.mark.parametrize("x", [None, X[4:7]], ids=["no inputs", "inputs"])
def test_state_of_a_filter_that_is_normalized_already(x: np.ndarray | None) -> None:
    """SciPy divides by the first coefficient only where it is not 1."""
    b, y = X[:3], X[3:6]
    for a in np.array([1.0, 0.4]), np.array([2.0, -0.3, 0.2, 0.1]):
        agrees(lambda b, a, y: np.sum(signal.lfiltic(b, a, y, x) ** 2), b, a, y)


def test_equal_points_do_not_pull() -> None:
    points = np.array([[1.0, 2.0], [1.0, 2.0], [4.0, 6.0]])
    np.testing.assert_allclose(grad(lambda p: np.sum(pdist(p)))(points), [[-0.6, -0.8], [-0.6, -0.8], [1.2, 1.6]])


def test_refused() -> None:
    refuses(lambda x: np.sum(signal.savgol_filter(x, 6, 2)), X, code="SCT402")
    refuses(lambda p: np.sum(pdist(p, "hamming")), POINTS, code="SCT402")
    refuses(lambda x: np.sum(signal.welch(x, fs=x[0], nperseg=8)[1]), X, code="SCT402")
    refuses(lambda x: np.sum(signal.welch(x, nperseg=8, average="median")[1]), X, code="SCT402")
    refuses(lambda x: signal.find_peaks(x, prominence=0.1)[1]["prominences"][0], X, code="SCT502")


def filtered_power(gain):
    b, a = signal.butter(3, 0.2)
    y = signal.filtfilt(b, a, np.sin(np.linspace(0.0, 20.0, 120)) * gain[0] + gain[1])
    frequencies, power = signal.welch(y, nperseg=32)
    return np.sum(power * frequencies)


def test_coefficients_of_constants_have_known_sizes() -> None:
    gain = np.array([1.1, 0.2])
    agrees(filtered_power, gain)
    check_grads(filtered_power, (gain,), order=2)
    derivative = grad(lambda x: np.sum(signal.lfilter(*signal.butter(3, 0.2), x) ** 2))
    derivative(np.arange(9.0))
    assert "raise" not in derivative.source


def test_peaks_of_what_a_library_computes() -> None:
    x = np.sin(np.linspace(0.0, 20.0, 40)) + 0.1 * np.cos(np.arange(40.0))

    def smoothed(x):
        y = signal.savgol_filter(x, 7, 2)
        peaks, _ = signal.find_peaks(y)
        return np.sum(y[peaks] ** 2)

    def assigned(x):
        costs = np.abs(signal.hilbert(x)).reshape(5, 8)
        rows, columns = scipy.optimize.linear_sum_assignment(costs)
        return costs[rows, columns].sum()

    for f in (smoothed, assigned):
        agrees(f, x)
        check_grads(f, (x,), order=2)
