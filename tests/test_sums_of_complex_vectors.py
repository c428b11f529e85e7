"""`sum` of complex vectors and lists, which is the int 0 if they are empty; methods of complex constants."""

from __future__ import annotations

import numpy as np
import pytest
from oracle import agrees_in_every_mode

X = np.array([0.7, 1.3])


class Phasor:
    def __init__(self):
        self.z = 0j
        self.items = [0j, 1j]


def of_a_list(x, n):
    z = (x * np.exp(1j * x))[:n]
    return abs(sum(list(z))) + x[0] ** 2


def beside_an_array(x, n):
    z = (x * np.exp(1j * x))[:n]
    return np.sum(abs(sum(z) * np.array([1.0, 2.0]) + x)) + np.sum(np.abs(np.array([sum(z), x[0]]))) ** 2


def of_known_numbers(x, n):
    return abs(x[0] * (2 + 1j).conjugate() + n) + x[1] ** 2 * (2 + 1j).real * (3).conjugate() * (1j).conjugate().imag


def of_attributes(x, n):
    p = Phasor()
    p.z += x[0] * 1j
    p.items[0] += x[1] ** 2
    return abs(p.z) ** 2 + abs(p.items[0] * p.items[1].conjugate()) + p.z.conjugate().imag * n


def from_an_int(x, n):
    z = (x * np.exp(1j * x))[:n]
    return abs(sum(list(z), 2)) + abs(sum([v * v for v in z], True)) + abs(sum(z, 3)) + x[0] ** 2


def from_a_real_number(x, n):
    z = (x * np.exp(1j * x))[:n]
    return abs(sum(list(z), x[1])) + abs(sum(z.tolist(), 0.5)) + abs(sum(z, x[0])) + abs(sum(z, float(x[1])))


def from_a_complex_number(x, n):
    z = (x * np.exp(1j * x))[:n]
    return abs(sum(list(z), 1j)) + abs(sum(list(x[:n]), 1j * x[1])) + abs(sum([v * v for v in x[:n]], 0.5j)) + x[0]


def arrays_from_complex_numbers(x, n):
    rows = list(np.outer(x, x)[:n])
    return np.sum(np.abs(sum(rows, 1j * x)) + np.abs(sum([v * 1j for v in rows], x)))


@pytest.mark.parametrize("f", [
    of_a_list, beside_an_array, of_known_numbers, of_attributes, from_an_int, from_a_real_number,
    from_a_complex_number, arrays_from_complex_numbers])
def test_as_in_python(f):
    agrees_in_every_mode(f, [(X, n) for n in (2, 0, 1)])
