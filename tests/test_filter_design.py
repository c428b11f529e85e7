"""Filters by their frequencies, of `scipy.signal`, in programs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import scipy.signal as signal
from oracle import agrees, refuses

from sct import check_grads

X = np.sin(0.3 * np.arange(40.0)) + 0.2 * np.cos(1.7 * np.arange(40))
W = np.array([0.2, 0.55])
Program = Callable[[np.ndarray], Any]


def by_coefficients(w):
    b, a = signal.butter(3, w[0])
    y = signal.lfilter(b, a, X)
    b, a = signal.bessel(2, w, "bandstop", norm="mag")
    return np.sum(signal.lfilter(b, a, y) ** 2) + np.sum(signal.ellip(3, 1, 40, w[1], "hp", analog=True)[0])


def by_sections(w):
    """Odd and even orders, of which the poles and the zeros are assigned to the sections."""
    y = signal.sosfilt(signal.butter(5, w[0], output="sos"), X)
    y = signal.sosfilt(signal.cheby2(4, 40, 10.0 * w[1], "high", output="sos", fs=20.0), y)
    sections = [signal.ellip(3, 1, 40, w, "bandpass", output="sos"), signal.butter(3, w, "stop", output="sos"),
                signal.cheby1(1, 1, w[1], output="sos")]
    return np.sum(y**2) + sum([np.sum(s**2 * np.arange(6)) for s in sections])


def by_zeros_and_poles(w):
    z, p, k = signal.iirfilter(4, [w[0], w[1]], rp=1, ftype="cheby1", output="zpk")
    poles = signal.butter(2, w[1], output="zpk", analog=True)[1]
    of_reals = np.sum(signal.butter(3, w[0], output="zpk")[0] * w[1]) + signal.butter(3, w[0], "hp", output="zpk")[0][1]
    return k * np.sum(p.imag**2 * np.arange(8)) + np.sum(z.real) + np.sum(np.abs(poles)) + of_reals


def of_second_order(w):
    b, a = signal.iirnotch(w[0], 20.0 * w[1])
    c, d = signal.iirpeak(w[0], 5.0, fs=3.0)
    return np.sum(signal.lfilter(b, a, X) ** 2) + np.sum(signal.lfilter(c, d, X) ** 2)


def of_finitely_many_weights(w):
    h = signal.firwin(11, w[0]) + signal.firwin(11, w[1], pass_zero=False) + signal.firwin(11, w, scale=False)
    h = h + signal.firwin(11, w, pass_zero="bandpass", window=("kaiser", 3.0), fs=2.5)
    return np.sum(np.convolve(h, X) ** 2)


def responses(w):
    b, a = signal.butter(2, w[0])
    frequencies, h = signal.freqz(b, a, worN=16, fs=10.0)
    _, g = signal.sosfreqz(signal.butter(4, w[1], output="sos"), worN=8)
    return np.sum(frequencies * np.abs(h) ** 2) + np.sum(np.abs(g) ** 2)


PROGRAMS = [by_coefficients, by_sections, by_zeros_and_poles, of_second_order, of_finitely_many_weights, responses]


@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
def test_program(f: Program) -> None:
    agrees(f, W)
    check_grads(f, (W,), order=2)


def test_python_s_exceptions() -> None:
    agrees(lambda w: signal.butter(2, 3.0 * w[1])[0][0], W)
    agrees(lambda w: signal.firwin(5, w[::-1])[0], W)


def test_refused() -> None:
    refuses(lambda w: signal.cheby1(2, w[0], 0.3)[0][0], W, code="SCT402")
    analog = refuses(lambda w: signal.butter(2, w, analog=True, btype="band", output="sos")[0, 0], W, code="SCT402")
    assert "`output='zpk'`" in analog.hint
    refuses(lambda w: signal.butter(2, w)[0][0], W, code="SCT402")
    refuses(lambda w: signal.firwin(5, w[0], width=0.1)[0], W, code="SCT402")
