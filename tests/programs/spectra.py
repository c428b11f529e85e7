"""More programs with complex numbers and Fourier transforms: fluids, optics, crystals, control, communication."""

from __future__ import annotations

import cmath
import math

import numpy as np


def poisson_energy(charge, length):
    """The energy of a charge density by the spectral solution of Poisson's equation in two dimensions."""
    n = charge.shape[0]
    k = 2.0 * math.pi / length * np.fft.fftfreq(n, 1.0 / n)
    k2 = k[:, None] ** 2 + k[None, :] ** 2
    rho = np.fft.fft2(charge - np.mean(charge))
    phi = np.fft.ifft2(np.where(k2 > 0.0, rho / np.where(k2 > 0.0, k2, 1.0), 0.0))
    return 0.5 * np.mean(np.real(phi) * charge)


def thin_film(thicknesses, indices, wavelength):
    """The reflectance of a stack of films, by characteristic matrices."""
    m = np.eye(2, dtype=complex)
    for d, n in zip(thicknesses, indices):
        delta = 2.0 * math.pi * n * d / wavelength
        m = m @ np.array([[np.cos(delta), 1j * np.sin(delta) / n], [1j * n * np.sin(delta), np.cos(delta)]])
    b, c = m[0, 0] + 1.5 * m[0, 1], m[1, 0] + 1.5 * m[1, 1]
    r = (b - c) / (b + c)
    return abs(r) ** 2


def band_energy(hoppings, k_points):
    """The lowest bands of a chain with a cell of three sites, summed over the zone."""
    total = 0.0
    for k in k_points:
        h = np.zeros((3, 3), dtype=complex)
        h[0, 1] = hoppings[0]
        h[1, 2] = hoppings[1]
        h[2, 0] = hoppings[2] * np.exp(1j * k)
        h = h + h.conj().T + np.diag(hoppings)
        total += np.linalg.eigvalsh(h)[0]
    return total / len(k_points)


def berry_phase(mass, steps):
    """The phase that the lower state of a two-level system collects on a loop: no choice of phases matters."""
    product = 1.0 + 0.0j
    states = []
    for k in range(steps):
        t = 2.0 * math.pi * k / steps
        h = np.array([[mass, np.exp(-1j * t)], [np.exp(1j * t), -mass]])
        states.append(np.linalg.eigh(h)[1][:, 0])
    for k in range(steps):
        product = product * np.vdot(states[k], states[(k + 1) % steps])
    return np.angle(product) * abs(product)


def nyquist_distance(gains, omega):
    """How near the loop of a controller comes to -1, smoothly."""
    s = 1j * omega
    loop = (gains[0] + gains[1] / s + gains[2] * s) / (s * s + 0.7 * s + 1.0) * np.exp(-0.2 * s)
    return -np.log(np.sum(np.exp(-np.abs(1.0 + loop))))


def matched_filter(template, received, rate):
    """The peak of a correlation that a chirp has with what is received."""
    n = len(template)
    t = np.arange(n) / n
    chirp = template * np.exp(1j * math.pi * rate * t * t)
    spectrum = np.fft.fft(received, 2 * n) * np.conj(np.fft.fft(chirp, 2 * n))
    return np.sum(np.abs(np.fft.ifft(spectrum)) ** 4) ** 0.25


def vorticity_step(omega, viscosity, steps):
    """The enstrophy of a flow after pseudo-spectral steps, with the highest modes cut."""
    n = omega.shape[0]
    k = np.fft.fftfreq(n, 1.0 / n)
    kx, ky = k[:, None], k[None, :]
    k2 = kx * kx + ky * ky
    kept = (np.abs(kx) < n / 3) & (np.abs(ky) < n / 3)
    w = np.fft.fft2(omega)
    for _ in range(steps):
        psi = w / np.where(k2 > 0.0, k2, 1.0) * (k2 > 0.0)
        u, v = np.fft.ifft2(1j * ky * psi).real, np.fft.ifft2(-1j * kx * psi).real
        wx, wy = np.fft.ifft2(1j * kx * w).real, np.fft.ifft2(1j * ky * w).real
        w = (w - 0.02 * kept * np.fft.fft2(u * wx + v * wy)) / (1.0 + 0.02 * viscosity * k2)
    return np.mean(np.fft.ifft2(w).real ** 2)


def cepstrum(signal):
    """The second real cepstral coefficient of a signal, of its windowed spectrum."""
    window = np.hanning(len(signal))
    power = np.abs(np.fft.rfft(signal * window)) ** 2
    return np.fft.irfft(np.log(power + 1e-3))[2]


def mobius_orbit(a, b, steps):
    """A point under a map of the plane, until it leaves the disk."""
    z = 0.1 + 0.05j
    for k in range(steps):
        z = (complex(a, b) * z + 0.3) / (1.0 - 0.2j * z)
        if abs(z) > 2.0:
            break
    return abs(z) + cmath.phase(z) * k


def least_squares_channel(taps, pilots):
    """The error of a channel that is estimated from pilots, by complex least squares."""
    channel = taps[:3] + 1j * taps[3:]
    symbols = np.exp(1j * pilots)
    delayed = [np.concatenate((np.zeros(j), symbols))[: len(pilots)] for j in range(3)]
    rows = np.stack(delayed, axis=1)
    received = rows @ channel + 0.1 * np.conj(symbols)
    q, r = np.linalg.qr(rows)
    estimate = np.linalg.solve(r, q.conj().T @ received)
    return np.sum(np.abs(estimate - channel * 0.9) ** 2)


def density_matrix_purity(angles, damping):
    """The purity of a qubit after rotations and damping, by Kraus operators."""
    rho = np.array([[1.0 + 0j, 0.0], [0.0, 0.0]])
    lower = np.array([[0.0, 1.0], [0.0, 0.0]])
    for a in angles:
        u = np.array([[np.cos(a), -1j * np.sin(a)], [-1j * np.sin(a), np.cos(a)]])
        rho = u @ rho @ u.conj().T
        keep = np.diag(np.array([1.0, np.sqrt(1.0 - damping)]))
        rho = keep @ rho @ keep + damping * lower @ rho @ lower.T
    return np.trace(rho @ rho).real


INPUTS = {
    "poisson_energy": lambda rng: (rng.uniform(-1.0, 1.0, (4, 4)), 1.7),
    "thin_film": lambda rng: (rng.uniform(0.1, 0.4, 3), [1.4, 2.1, 1.6], 0.9),
    "band_energy": lambda rng: (rng.uniform(0.5, 1.5, 3), np.linspace(0.1, 2.9, 4)),
    "berry_phase": lambda rng: (0.4, 5),
    "nyquist_distance": lambda rng: (np.array([1.2, 0.4, 0.3]), np.linspace(0.3, 3.0, 6)),
    "matched_filter": lambda rng: (rng.uniform(0.5, 1.0, 5), rng.uniform(-1.0, 1.0, 6), 2.3),
    "vorticity_step": lambda rng: (rng.uniform(-1.0, 1.0, (6, 6)), 0.5, 2),
    "cepstrum": lambda rng: (rng.uniform(0.3, 1.0, 8),),
    "mobius_orbit": lambda rng: (0.9, 0.7, 4),
    "least_squares_channel": lambda rng: (rng.uniform(-1.0, 1.0, 6), rng.uniform(0.0, 6.0, 5)),
    "density_matrix_purity": lambda rng: (rng.uniform(0.2, 1.2, 3), 0.3),
}
