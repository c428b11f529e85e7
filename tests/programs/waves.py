"""Programs with complex numbers and Fourier transforms inside: circuits, waves, signals, quantum mechanics."""

from __future__ import annotations

import cmath
import math

import numpy as np


def impedance(resistance, inductance, capacitance, frequencies):
    """The squared gain of a low-pass RLC filter, summed over frequencies."""
    total = 0.0
    for f in frequencies:
        s = 2j * math.pi * f
        z_load = 1.0 / (s * capacitance)
        gain = z_load / (resistance + s * inductance + z_load)
        total += abs(gain) ** 2
    return total


def ladder_gain(values, omega):
    """The phase and the modulus of a ladder of impedances, by continued fractions."""
    z = complex(values[-1])
    for k in range(len(values) - 2, -1, -1):
        shunt = 1.0 / (1j * omega * values[k])
        z = values[k] + shunt * z / (shunt + z)
    return abs(z) + cmath.phase(z)


def order_parameter(theta, coupling, steps):
    """Kuramoto oscillators: the coherence after some steps of their mean-field dynamics."""
    natural = np.linspace(-0.5, 0.5, len(theta))
    for _ in range(steps):
        mean_field = np.mean(np.exp(1j * theta))
        theta = theta + 0.1 * (natural + coupling * np.abs(mean_field) * np.sin(np.angle(mean_field) - theta))
    return np.abs(np.mean(np.exp(1j * theta)))


def korteweg_de_vries(u0, dt, steps):
    """The KdV equation by an integrating factor in Fourier space; the third moment of the wave."""
    n = len(u0)
    k = 2 * np.pi * np.fft.fftfreq(n, d=0.4)
    half = np.exp(0.5j * dt * k**3)
    u_hat = np.fft.fft(u0)
    for _ in range(steps):
        u = np.fft.ifft(half * u_hat).real
        u_hat = half * (half * u_hat) - 3j * dt * k * np.fft.fft(u * u)
    u = np.real(np.fft.ifft(u_hat))
    return np.sum(u**3)


def split_step(potential, width, steps):
    """Schroedinger's equation by split steps: the mean position of a packet."""
    n = len(potential)
    x = np.arange(n) - n / 2
    psi = np.exp(-((x / width) ** 2)) * np.exp(0.7j * x)
    psi = psi / np.sqrt(np.sum(np.abs(psi) ** 2))
    kinetic = np.exp(-0.05j * (2 * np.pi * np.fft.fftfreq(n)) ** 2)
    for _ in range(steps):
        psi = psi * np.exp(-0.05j * potential)
        psi = np.fft.ifft(kinetic * np.fft.fft(psi))
        psi *= np.exp(-0.05j * potential)
    density = psi.real**2 + psi.imag**2
    return np.sum(x * density)


def quantum_walk(angle, phase, steps):
    """A coined walk on a ring: the probability at a site."""
    n = 8
    up, down = np.zeros(n, dtype=complex), np.zeros(n, dtype=complex)
    up[0] = 1.0
    for _ in range(steps):
        a = np.cos(angle) * up + np.sin(angle) * np.exp(1j * phase) * down
        b = np.sin(angle) * np.exp(-1j * phase) * up - np.cos(angle) * down
        up, down = np.roll(a, 1), np.roll(b, -1)
    probability = np.abs(up) ** 2 + np.abs(down) ** 2
    return probability[2] + 0.5 * probability[4]


def beam_pattern(positions, direction, weights):
    """The power that an array of antennas receives from a direction."""
    steering = np.exp(2j * np.pi * positions * np.sin(direction))
    response = np.vdot(weights * np.exp(0.3j * positions), steering)
    return abs(response) ** 2


def spectral_loss(signal, target):
    """The distance of two power spectra, on a logarithmic scale."""
    n = len(signal)
    window = 0.5 - 0.5 * np.cos(2.0 * np.pi * np.arange(n) / (n - 1))
    power = np.abs(np.fft.rfft(signal * window)) ** 2
    goal = np.abs(np.fft.rfft(target)) ** 2
    return np.mean((np.log(power + 1e-3) - np.log(goal + 1e-3)) ** 2)


def fourier_filter(signal, cutoff):
    """A smooth low-pass filter in the half spectrum; the energy of what it leaves."""
    spectrum = np.fft.rfft(signal)
    frequencies = np.fft.rfftfreq(len(signal))
    gain = 1.0 / (1.0 + (frequencies / cutoff) ** 4)
    smooth = np.fft.irfft(gain * spectrum, n=len(signal))
    return np.sum(smooth**2) + np.sum((signal - smooth) ** 4)


def convolved_image(image, kernel):
    """A circular convolution of two images by their transforms."""
    product = np.fft.fft2(image) * np.fft.fft2(kernel, s=image.shape)
    blurred = np.fft.ifft2(product).real
    return np.sum(np.tanh(blurred))


def escape(re, im, rounds):
    """A smoothed escape time of the quadratic map."""
    c = complex(re, im)
    z = 0j
    for n in range(rounds):
        z = z * z + c
        if abs(z) > 2.0:
            return n + 1.0 - math.log(math.log(abs(z)))
    return abs(z)


def fresnel_reflection(angle, index):
    """Reflected intensity of an absorbing medium, averaged over the polarizations."""
    n = complex(index, 0.3)
    cos_in = math.cos(angle)
    cos_out = cmath.sqrt(1.0 - (math.sin(angle) / n) ** 2)
    r_s = (cos_in - n * cos_out) / (cos_in + n * cos_out)
    r_p = (n * cos_in - cos_out) / (n * cos_in + cos_out)
    return 0.5 * (abs(r_s) ** 2 + abs(r_p) ** 2)


def transfer_function(poles, gain):
    """The modulus of a product of first-order sections at several frequencies."""
    total = 0.0
    for w in (0.3, 1.0, 2.5):
        h = gain + 0j
        for p in poles:
            h = h / (1j * w + p)
        total += math.sqrt(h.real * h.real + h.imag * h.imag)
    return total


def propagated(beam, distance):
    """A paraxial beam by the angular spectrum; its intensity in the middle."""
    n = len(beam)
    kx = np.fft.fftfreq(n, d=0.5)
    field = np.fft.fftshift(np.fft.fft(beam))
    phase = np.exp(-1j * distance * np.fft.fftshift(kx) ** 2)
    image = np.fft.ifft(np.fft.ifftshift(field * phase))
    return np.sum(np.abs(image[n // 4 : -(n // 4)]) ** 2)


def rotating_frame(detuning, drive, steps):
    """A driven two-level system by the Cayley form of its propagator; the excited population."""
    h = np.array([[detuning, drive * np.exp(0.4j)], [drive * np.exp(-0.4j), -detuning]])
    eye = np.eye(2)
    step = np.linalg.solve(eye + 0.05j * h, eye - 0.05j * h)
    state = np.array([1.0 + 0j, 0j])
    for _ in range(steps):
        state = step @ state
    return np.abs(state[1]) ** 2


def phasor_sum(amplitudes, phases):
    """The modulus of a sum of phasors in a list."""
    phasors = [a * cmath.exp(1j * p) for a, p in zip(amplitudes, phases)]
    total = sum(phasors)
    return (total * total.conjugate()).real


INPUTS = {
    "impedance": lambda rng: (1.3, 0.7, 0.2, [0.1, 0.4, 0.9, 1.6, 2.5]),
    "ladder_gain": lambda rng: (rng.uniform(0.5, 2.0, 5), 1.3),
    "order_parameter": lambda rng: (rng.uniform(-1.0, 1.0, 5), 1.7, 4),
    "korteweg_de_vries": lambda rng: (rng.uniform(0.2, 1.0, 8), 0.01, 3),
    "split_step": lambda rng: (rng.uniform(0.0, 1.0, 8), 1.9, 3),
    "quantum_walk": lambda rng: (0.7, 0.3, 5),
    "beam_pattern": lambda rng: (rng.uniform(0.0, 3.0, 5), 0.4, rng.uniform(0.5, 1.0, 5)),
    "spectral_loss": lambda rng: (rng.uniform(-1.0, 1.0, 8), rng.uniform(-1.0, 1.0, 8)),
    "fourier_filter": lambda rng: (rng.uniform(-1.0, 1.0, 9), 0.3),
    "convolved_image": lambda rng: (rng.uniform(-1.0, 1.0, (4, 5)), rng.uniform(-1.0, 1.0, (2, 3))),
    "escape": lambda rng: (0.5, 0.6, 30),
    "fresnel_reflection": lambda rng: (0.7, 1.5),
    "transfer_function": lambda rng: ([0.5, 1.5, 2.5], 1.3),
    "propagated": lambda rng: (rng.uniform(0.2, 1.0, 8), 0.8),
    "rotating_frame": lambda rng: (0.3, 0.9, 6),
    "phasor_sum": lambda rng: ([1.0, 0.5, 1.5, 0.7, 1.1], [0.3, 1.2, -0.4, 0.9, 2.0]),
}
