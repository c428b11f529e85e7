"""Observed types belong to the types of the arguments with which they were observed."""

from __future__ import annotations

import functools
import math

import numpy as np
import pytest
import scipy.fft
import scipy.ndimage

from sct import grad, vjp

RNG = np.random.default_rng(0)


def labels(x):
    return np.sum(scipy.ndimage.label(x > 0.5)[0] * x)


def distances(x):
    return np.sum(scipy.ndimage.distance_transform_edt(x > 0.5) * x)


@pytest.mark.parametrize("shapes", [((4, 3), (4,), (2, 3, 2)), ((4,), (4, 3), (4,)), ((2, 3, 2), (4, 3))])
@pytest.mark.parametrize("program, weights", [
    (labels, lambda x: scipy.ndimage.label(x > 0.5)[0]),
    (distances, lambda x: scipy.ndimage.distance_transform_edt(x > 0.5))])
def test_arrays_of_several_ranks(program, weights, shapes):
    gradient = grad(lambda x: program(x))
    for shape in shapes:
        x = RNG.random(shape)
        assert np.array_equal(gradient(x), weights(x))


def fast_length(x):
    return np.sum(scipy.fft.next_fast_len(7) * x)


def converted(x):
    return int(scipy.fft.next_fast_len(11)) * x


def of_the_size(x):
    n = scipy.fft.next_fast_len(len(x) + 9)
    return n * x


@pytest.mark.parametrize("f, factor", [(fast_length, 7), (converted, 11), (of_the_size, 11)])
def test_functions_of_libraries_with_a_cache(f, factor):
    x = np.array([1.0, 2.0])
    value, pull = vjp(f, x)
    assert np.array_equal(value, f(x))
    assert np.array_equal(pull(np.ones_like(value))[0], [factor, factor])


binomial = functools.lru_cache(math.comb)


def test_the_cache_of_the_user_stays_as_it_is():
    value, _ = vjp(lambda x: binomial(5, 2) * x, 2.0)
    assert value == 20.0 and binomial.cache_info().currsize <= 1
